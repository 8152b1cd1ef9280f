"""safelight check, export, code and certificate."""

import fcntl
import os
import random
import shutil
import subprocess
import unicodedata
from contextlib import contextmanager

import pytest
from cases import first
from client import PASSWORD, Browser, sha256, wait_until
from daemon import Daemon, binary
from faults import flip_bit, needs_root, run_failing, tmpfs
from feed import make_certificate

ODD_NAMES = [
    "IMG:nopm:.jpg", "Wo?.jpg", 'a"b.jpg', "end.", "CON.jpg", "tab\t.jpg", "x" * 300 + ".jpg", "照" * 200 + ".jpg", "a?.jpg", "a*.jpg",
]  # fmt: skip
CAFE = "Caf\N{LATIN SMALL LETTER E WITH ACUTE}.jpg"
ALIKE_NAMES = ["IMG_1.JPG", "img_1.jpg", CAFE, unicodedata.normalize("NFD", CAFE)]
# Vaults beside that of `PASSWORD`, which holds every photo: what each holds, by its password.
VAULTS = {
    "velvet kettles of odd names": {name: b"%d" % number for number, name in enumerate(ODD_NAMES)},
    "velvet kettles of names alike": {name: b"content of " + name.encode() for name in ALIKE_NAMES},
    "velvet kettles with three": {f"{number}.jpg": b"%d" % number for number in range(3)},
    "velvet kettles with five": {f"{number}.jpg": b"%d" % number for number in range(5)},
    "velvet kettles of large ones": {f"{number}.jpg": random.Random(number).randbytes(2 << 20) for number in range(4)},
    "velvet kettles of one": {"IMG_0001.jpg": b"one", "IMG_0002.jpg": b"two", "both.jpg": b"both"},
    "velvet kettles of another": {"IMG_0001.jpg": b"other one", "IMG_0003.jpg": b"three", "both.jpg": b"both"},
    "velvet kettles beside own files": {name: b"photo " + name.encode() for name in ("IMG_0001.jpg", "IMG_0002.jpg", "sha256sums")},
    "velvet kettles with a retouched one": {"IMG_0001.jpg": b"as it was taken"},
}  # fmt: skip


@pytest.fixture(scope="module")
def stopped(start_standing, photos):
    """A stopped daemon whose first vault holds every photo. What harms its data directory takes that back."""
    daemon = start_standing()
    browser = Browser(daemon).create()
    for path in photos:
        browser.put(path.name, path.read_bytes())
    browser.put("../../outside.jpg", b"outside")
    for password, contents in VAULTS.items():
        browser = Browser(daemon).create(password)
        for name, content in contents.items():
            browser.put(name, content)
        if password == "velvet kettles of odd names":
            for year in (1890, 1965, 2110):
                browser.request("PUT", f"/api/photos/{year}.jpg?modified={year}-03-01T10:00:00Z", data=b"%d" % year)
    daemon.stop()
    return daemon


@contextmanager
def harmed(path):
    """What is done to the file meanwhile is taken back."""
    content = path.read_bytes()
    try:
        yield path
    finally:
        path.write_bytes(content)
        path.chmod(0o600)


def check(daemon, *more, **options):
    return daemon.run("check", "--data", str(daemon.data), *more, **options)


def export(daemon, target, password=PASSWORD):
    return daemon.run("export", "--data", str(daemon.data), "--to", str(target), input=password.encode() + b"\n")


def test_a_sound_store_passes(stopped):
    done = check(stopped)
    assert done.returncode == 0, done.stdout + done.stderr
    done = check(stopped, "--password", input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_check_changes_nothing(stopped):
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in stopped.data.rglob("*") if path.is_file()}
    check(stopped)
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in stopped.data.rglob("*") if path.is_file()}
    assert after == before


def test_a_missing_object_is_damage_that_needs_no_password(stopped):
    with harmed(stopped.object_files()[0]) as file:
        file.unlink()
        assert check(stopped).returncode == 1


def test_a_guests_photo_that_is_damaged_is_found_though_nobody_can_open_it(daemon):
    guest = Browser(daemon).begin_guest()
    for number in range(3):
        guest.put(f"{number}.jpg", b"%d" % number * 20_000)
    daemon.stop()
    assert check(daemon).returncode == 0
    for harm, said in (
        (lambda file: file.unlink(), b"1 objects that the ledger lists have no file"),
        (lambda file: os.truncate(file, 5000), b"was cut off"),
        (lambda file: flip_bit(file, 0), b"does not begin as an object"),
    ):
        with harmed(daemon.object_files()[1]) as file:
            harm(file)
            done = check(daemon)
            assert done.returncode == 1 and said in done.stdout, done.stdout + done.stderr


def test_a_truncated_slot_table_is_damage(stopped):
    with harmed(stopped.data / "slots") as slots:
        os.truncate(slots, 12345)
        assert check(stopped).returncode in (1, 78)


def test_a_flipped_bit_in_a_photo_is_found_with_the_password_of_its_vault(daemon):
    """On a store of its own: what was found stays noted there."""
    passwords = (PASSWORD, "velvet kettles of large ones")
    for password in passwords:
        Browser(daemon).create(password).put("large.jpg", password.encode() * 50_000)
    daemon.stop()
    with harmed(max(daemon.object_files(), key=lambda path: path.stat().st_size)) as target:
        flip_bit(target, target.stat().st_size // 2)
        found = [check(daemon, "--password", input=password.encode() + b"\n").returncode for password in passwords]
    # It is a photo of one of them.
    assert sorted(found) == [0, 1]


def test_a_folder_that_is_no_store_is_unusable(stopped, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o700)
    assert stopped.run("check", "--data", str(empty)).returncode == 78
    assert list(empty.iterdir()) == []


def test_an_export_holds_every_photo_and_its_sums_are_right(stopped, photos, tmp_path):
    target = tmp_path / "export"
    done = export(stopped, target)
    assert done.returncode == 0, done.stdout + done.stderr
    exported = {path.name: sha256(path.read_bytes()) for path in target.rglob("*") if path.is_file()}
    for path in photos:
        assert exported[path.name] == sha256(path.read_bytes())
    assert sha256(b"outside") in exported.values()
    assert not (tmp_path / "outside.jpg").exists() and not (tmp_path.parent / "outside.jpg").exists()
    verified = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=target, capture_output=True)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert len((target / "SHA256SUMS").read_text().splitlines()) == len(photos) + 1


def test_an_export_removes_no_draft_of_another_one_and_nothing_that_is_none(stopped, photos, tmp_path):
    target = tmp_path / "export"
    target.mkdir()
    own, abandoned, busy = (target / f".{name}.safelight-part" for name in ("notes", "17", "18"))
    for path in (own, abandoned, busy):
        path.write_bytes(b"half")
    with open(busy, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert export(stopped, target).returncode == 0
    assert own.exists() and busy.exists() and not abandoned.exists()


def test_an_interrupted_export_goes_on(stopped, photos, tmp_path):
    target = tmp_path / "export"
    assert export(stopped, target).returncode == 0
    whole = contents(target)
    (target / photos[0].name).unlink()
    os.truncate(target / photos[1].name, 100)
    assert export(stopped, target).returncode == 0
    assert contents(target) == whole


def contents(folder):
    """File contents by name; the lines of SHA256SUMS in any order."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files["SHA256SUMS"] = sorted(files["SHA256SUMS"].splitlines())
    return files


def listed(folder):
    """File contents by name, once sha256sum has found each of them right."""
    command = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    done = subprocess.run(command, cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    names = [line[66:] for line in (folder / "SHA256SUMS").read_text().splitlines()]
    assert len(set(names)) == len(names)
    return {name: (folder / name).read_bytes() for name in names}


def exported(daemon, target, password=PASSWORD):
    done = export(daemon, target, password)
    assert done.returncode == 0, done.stdout + done.stderr
    return listed(target)


def test_a_second_export_of_the_same_vault_adds_nothing(stopped, tmp_path):
    target = tmp_path / "export"
    exported(stopped, target)
    before = {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in target.iterdir()}
    exported(stopped, target)
    assert {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in target.iterdir()} == before


def test_an_export_knows_its_files_without_their_times_and_without_their_list(stopped, tmp_path):
    target = tmp_path / "export"
    exported(stopped, target)
    whole = contents(target)
    for path in target.iterdir():
        os.utime(path, (1_000_000_000, 1_000_000_000))
    exported(stopped, target)
    assert contents(target) == whole
    (target / "SHA256SUMS").unlink()
    exported(stopped, target)
    assert contents(target) == whole


def test_a_list_that_was_cut_off_is_right_again(stopped, tmp_path):
    target = tmp_path / "export"
    exported(stopped, target)
    whole = contents(target)
    sums = target / "SHA256SUMS"
    for lost in (1, 3, len(sums.read_bytes().splitlines()[-1]) - 20):
        os.truncate(sums, sums.stat().st_size - lost)
        exported(stopped, target)
        assert contents(target) == whole


def test_a_list_that_cannot_be_read_is_not_taken_for_none(stopped, tmp_path):
    target = tmp_path / "export"
    (target / "SHA256SUMS").mkdir(parents=True)
    done = export(stopped, target)
    assert done.returncode != 0
    assert b"SHA256SUMS" in done.stderr
    assert [path.name for path in target.iterdir()] == ["SHA256SUMS"]


def test_an_export_gives_names_and_times_that_every_system_takes(stopped, tmp_path):
    target, password = tmp_path / "export", "velvet kettles of odd names"
    found = exported(stopped, target, password)
    assert len(found) == len(ODD_NAMES) + 3
    for name in found:
        assert len(name.encode()) <= 255 and not set(name) & set('<>:"/\\|?*\t'), name
        assert not name.endswith((".", " ")) and name.split(".")[0] != "CON", name
    assert exported(stopped, target, password) == found
    times = {name: (target / name).stat().st_mtime for name in ("1965.jpg", "2110.jpg")}
    assert times == {"1965.jpg": -152632800, "2110.jpg": 4423111200}


def failing_export(daemon, target, rule, password):
    words = ["export", "--data", str(daemon.data), "--to", str(target)]
    return run_failing(daemon, rule, *words, input=password.encode() + b"\n")


@pytest.mark.parametrize(
    ("rule", "words"),
    first(2, [
        ("mkdir:error=ENOSPC", b"No space left on device"),
        ("renameat2:error=EIO", b"Input/output error"),
        ("renameat2:error=ENOSPC:when=2+", b"No space left on device"),
        ("renameat2:error=EDQUOT", b"Disk quota exceeded"),
        ("renameat2:error=EROFS", b"Read-only file system"),
        ("renameat2:error=ENODEV", b"No such device"),
    ]),
)  # fmt: skip
def test_an_export_that_its_disk_ends_says_why_and_goes_on_when_it_is_run_again(stopped, tmp_path, rule, words):
    password = "velvet kettles with three"
    done = failing_export(stopped, tmp_path / "export", rule, password)
    assert done.returncode == 74, done.stdout + done.stderr
    assert words in done.stderr and b"NOT WRITTEN" not in done.stdout, done.stdout + done.stderr
    assert exported(stopped, tmp_path / "export", password) == VAULTS[password]


@needs_root
def test_an_export_to_a_full_disk_goes_on_when_there_is_room(stopped, tmp_path):
    password = "velvet kettles of large ones"
    with tmpfs(tmp_path / "stick", 5) as stick:
        done = export(stopped, stick / "export", password)
        assert done.returncode == 74 and b"No space left on device" in done.stderr, done.stdout + done.stderr
        assert 1 <= len(listed(stick / "export")) < 4
        assert not list((stick / "export").glob(".*")), "what was not whole stayed"
        subprocess.run(["mount", "-o", "remount,size=20m", str(stick)], check=True)
        assert exported(stopped, stick / "export", password) == VAULTS[password]


def test_one_photo_that_cannot_be_written_is_named_and_the_rest_goes_on(stopped, tmp_path):
    target, password = tmp_path / "export", "velvet kettles with five"
    done = failing_export(stopped, target, "renameat2:error=EILSEQ:when=2", password)
    assert done.returncode == 1, done.stdout + done.stderr
    # Each thread's second name is refused, and the export may have gone on by another thread.
    missing = done.stdout.count(b"NOT WRITTEN")
    assert 1 <= missing < 5
    assert len(listed(target)) == 5 - missing
    assert exported(stopped, target, password) == VAULTS[password]


def test_two_vaults_in_one_folder_keep_every_photo_of_both(stopped, tmp_path):
    target, (one, other) = tmp_path / "export", ("velvet kettles of one", "velvet kettles of another")
    assert exported(stopped, target, one) == VAULTS[one]
    both = exported(stopped, target, other)
    assert both == VAULTS[one] | {"IMG_0001 (2).jpg": b"other one", "IMG_0003.jpg": b"three"}
    assert exported(stopped, target, one) == exported(stopped, target, other) == both


def test_an_export_keeps_what_the_vault_no_longer_has(daemon, vault, tmp_path):
    browser = vault()
    browser.put("IMG_0001.jpg", b"first")
    browser.put("IMG_0001.jpg", b"second")
    daemon.stop()
    target = tmp_path / "export"
    before = exported(daemon, target)
    assert before == {"IMG_0001.jpg": b"first", "IMG_0001 (2).jpg": b"second"}
    daemon.start()
    browser = Browser(daemon).open()
    assert browser.delete([photo for photo in browser.photos() if browser.content(photo) == b"first"]) == 1
    browser.put("IMG_0001.jpg", b"third")
    daemon.stop()
    assert exported(daemon, target) == before | {"IMG_0001 (3).jpg": b"third"}


def test_an_export_replaces_no_file_of_the_owner_and_keeps_the_lines_of_their_list(stopped, tmp_path):
    password = "velvet kettles beside own files"
    target = tmp_path / "export"
    target.mkdir()
    own = {"img_0001.JPG": b"my own", "SHA256SUMS.new": b"my notes", "IMG_0002.jpg": b"listed"}
    for name, content in own.items():
        (target / name).write_bytes(content)
    lines = f"# sums of mine\n{sha256(b'listed').upper()} *IMG_0002.jpg\n{'0' * 128}  a.tar"
    (target / "SHA256SUMS").write_text(lines)
    done = export(stopped, target, password)
    assert done.returncode == 0, done.stdout + done.stderr
    photos = {
        "IMG_0001 (2).jpg": b"photo IMG_0001.jpg", "IMG_0002 (2).jpg": b"photo IMG_0002.jpg",
        "sha256sums (2)": b"photo sha256sums",
    }  # fmt: skip
    text = (target / "SHA256SUMS").read_text()
    assert text.startswith(lines + "\n") and len(text.splitlines()) == 6
    found = {path.name: path.read_bytes() for path in target.iterdir() if path.name != "SHA256SUMS"}
    assert found == own | photos
    assert export(stopped, target, password).returncode == 0
    assert (target / "SHA256SUMS").read_text() == text and len(list(target.iterdir())) == 7


def test_an_exported_file_that_the_owner_changed_stays(stopped, tmp_path):
    target, password = tmp_path / "export", "velvet kettles with a retouched one"
    exported(stopped, target, password)
    (target / "IMG_0001.jpg").write_bytes(b"retouched")
    for _ in range(2):
        assert export(stopped, target, password).returncode == 0
        found = {path.name: path.read_bytes() for path in target.iterdir() if path.name != "SHA256SUMS"}
        assert found == {"IMG_0001.jpg": b"retouched", "IMG_0001 (2).jpg": b"as it was taken"}


def test_names_that_some_file_systems_take_for_one_become_several(stopped, tmp_path):
    password = "velvet kettles of names alike"
    found = exported(stopped, tmp_path / "export", password)
    assert sorted(found.values()) == sorted(VAULTS[password].values())
    assert len({unicodedata.normalize("NFC", name).casefold() for name in found}) == len(ALIKE_NAMES)


def test_an_export_with_a_wrong_password_writes_nothing(stopped, tmp_path):
    target = tmp_path / "export"
    assert export(stopped, target, "some other words entirely").returncode not in (0, None)
    assert not target.exists() or list(target.iterdir()) == []


def test_the_password_is_in_no_output(stopped, tmp_path):
    done = export(stopped, tmp_path / "export")
    assert PASSWORD.encode() not in done.stdout + done.stderr


def test_the_setup_code_of_a_running_daemon_is_told_on_its_host(standing_daemon):
    daemon = standing_daemon
    done = daemon.run("code", "--data", str(daemon.data))
    assert done.returncode == 0, done.stdout + done.stderr
    code = done.stdout.decode().strip()
    assert len(code) == 9 and code[4] == "-"
    assert "It counts until 20" in done.stderr.decode()
    wait_until(lambda: "safelight code" in daemon.log, "the log does not tell how to get it")
    assert code not in daemon.log, "whoever reads the log has the code"


def test_another_setup_code_is_made_when_it_is_asked_for_or_the_former_one_is_over(standing_daemon):
    daemon = standing_daemon
    first = daemon.setup_code
    daemon.run("code", "--new", "--data", str(daemon.data))
    second = daemon.setup_code
    assert first != second
    path = daemon.data / "setup-code"
    path.write_text(f"{second}\n20000\n")
    third = daemon.setup_code
    assert third not in (first, second)
    assert path.stat().st_mode & 0o777 == 0o600


HOSTILE = "\x1b]0;PWNED\x07\x1b[2J\x1b[1;1H0 photos damaged.\nDAMAGE \u202ex\x9b31m\u2028.jpg"


def unprintable(text):
    kinds = {"Cc", "Cf", "Zl", "Zp", "Cs"}
    return [sign for sign in text if sign != "\n" and unicodedata.category(sign) in kinds]


def test_a_photos_name_rules_no_terminal_and_no_file_name(daemon, vault, photos, tmp_path):
    browser = vault()
    browser.put(HOSTILE, photos[0].read_bytes())
    daemon.stop()
    target = tmp_path / "export"
    assert export(daemon, target).returncode == 0
    assert [unprintable(path.name) for path in target.iterdir()] == [[], []]
    assert not any("\n" in path.name for path in target.iterdir())
    flip_bit(daemon.object_files()[0], 200)
    shutil.rmtree(target)
    for done in (check(daemon, "--password", input=PASSWORD.encode() + b"\n"), export(daemon, target)):
        text = (done.stdout + done.stderr).decode()
        assert done.returncode == 1 and unprintable(text) == [], text
        assert len([line for line in text.splitlines() if line.startswith("DAMAGE")]) == 1
        assert "\\u{1B}]0;PWNED\\u{7}" in text


def test_names_of_files_and_arguments_rule_no_terminal(stopped, tmp_path):
    strange = str(tmp_path / "\x1b[2J\nDAMAGE \u202e")
    file = stopped.data / "objects" / "00" / "\x1b[2J\nDAMAGE"
    file.write_bytes(b"x")
    try:
        runs = [check(stopped), stopped.run("check", "--data", strange), stopped.run("check", "--config", strange)]
        runs += [stopped.run("restore", "--from", strange, "--to", strange), stopped.run("check", strange)]
        runs += [stopped.run("backup", "--data", str(stopped.data), "--to", strange + "/a/b")]
    finally:
        file.unlink()
    for done in runs:
        text = (done.stdout + done.stderr).decode()
        assert unprintable(text) == [] and text != "", (done.args, text)
        assert not any(line.startswith("DAMAGE") for line in text.splitlines()), text


def test_the_certificate_of_a_running_daemon_is_told_and_nothing_is_touched(standing_daemon):
    daemon = standing_daemon
    page = Browser(daemon).request("GET", "/api/certificate").json()
    before = {path: path.stat().st_mtime_ns for path in (daemon.data / "tls").iterdir()}
    done = daemon.run("certificate", "--data", str(daemon.data))
    assert done.returncode == 0, done.stdout + done.stderr
    text = done.stdout.decode()
    assert page["name"] in text and " ".join(page["words"]) in text
    assert page["fingerprint"] in text.replace("\n    ", ":")
    assert page["notAfter"][:10] in text
    assert {path: path.stat().st_mtime_ns for path in (daemon.data / "tls").iterdir()} == before


def test_the_certificate_itself_is_printed_without_its_key(standing_daemon):
    daemon = standing_daemon
    page = Browser(daemon).request("GET", "/api/certificate").json()
    done = daemon.run("certificate", "--data", str(daemon.data), "--pem")
    assert b"PRIVATE KEY" not in done.stdout and done.stdout.count(b"BEGIN") == 1
    words = ["openssl", "x509", "-noout", "-fingerprint", "-sha256"]
    shown = subprocess.run(words, input=done.stdout, capture_output=True, check=True).stdout.decode()
    assert shown.strip().endswith("=" + page["fingerprint"])


def test_the_owners_certificate_is_told_by_its_own_fingerprint(tmp_path):
    daemon = Daemon(tmp_path)
    own, key = make_certificate(tmp_path, "DNS:photos.example", "photos.example", days=30)
    daemon.environment |= {"SAFELIGHT_TLS_CERTIFICATE": str(own), "SAFELIGHT_TLS_KEY": str(key)}
    text = daemon.run("certificate", "--data", str(daemon.data)).stdout.decode()
    words = ["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", str(own)]
    shown = subprocess.run(words, capture_output=True, check=True).stdout.decode()
    assert text.startswith("photos.example\n")
    assert shown.strip().split("=")[1] in text.replace("\n    ", ":")
    assert not daemon.data.exists()


def test_there_is_no_certificate_before_the_first_start(tmp_path):
    done = Daemon(tmp_path).run("certificate", "--data", str(tmp_path / "data"))
    assert done.returncode == 78 and done.stdout == b"" and b"first start" in done.stderr
    assert not (tmp_path / "data").exists()


@needs_root
def test_without_proc_a_command_says_so_instead_of_losing_its_arguments():
    command = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh", str(binary()), "check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 78, done
    assert "/proc" in done.stderr
    assert done.stdout == ""
