"""safelight backup and restore: the original is lost, and every photo that was acknowledged before is there again."""

import fcntl
import os
import re
import shutil
import signal
import subprocess
import threading

import pytest
from cases import first
from client import PASSWORD, Browser, sha256, wait_until
from daemon import Daemon, binary
from faults import flip_bit, needs_root, run_failing, strace, tmpfs
from tus import Tus

MIB = 1 << 20


@pytest.fixture(scope="module")
def standing_daemon(start_standing):
    """Of all cases that harm neither it nor its data directory; each has a vault and a backup of its own there."""
    return start_standing()


@pytest.fixture
def target(tmp_path):
    return tmp_path / "backup"


def backup(daemon, target, *more):
    return daemon.run("backup", "--data", str(daemon.data), "--to", str(target), *more)


def backed_up(daemon, target, *more):
    done = backup(daemon, target, *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.decode()


def states(target):
    return sorted(path for path in target.iterdir() if path.name.startswith("state-"))


def object_files(target):
    return sorted(path for path in (target / "objects").rglob("*") if path.is_file())


def assert_whole(target):
    """By a program that knows nothing of Safelight."""
    for state in states(target):
        done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=state, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr


def restored(daemon, target, folder, status=0):
    """A daemon on what was restored elsewhere, not started yet."""
    folder.mkdir()
    found = Daemon(folder)
    done = found.run("restore", "--from", str(target), "--to", str(found.data))
    assert done.returncode == status, done.stdout + done.stderr
    if status == 0:
        done = found.run("check", "--data", str(found.data))
        assert done.returncode == 0 and b"DAMAGE" not in done.stdout and b"note" not in done.stdout, done.stdout
    return found


def digests_by_export(daemon, password):
    """name → SHA-256 of what the vault of that password holds in a data directory on which no daemon runs."""
    target = daemon.folder / "export"
    words = ["export", "--data", str(daemon.data), "--to", str(target)]
    done = daemon.run(*words, input=password.encode() + b"\n")
    assert done.returncode == 0, done.stdout + done.stderr
    return {path.name: sha256(path.read_bytes()) for path in target.iterdir() if path.name != "SHA256SUMS"}


class Uploading:
    """Threads that put photos, one after the other, until they are told to stop."""

    def __init__(self, browsers, contents):
        self.acknowledged = {}
        self.lock = threading.Lock()
        self.ending = threading.Event()
        self.first_round = threading.Barrier(len(browsers) + 1)
        self.threads = [
            threading.Thread(target=self.run, args=(index, browser, contents)) for index, browser in enumerate(browsers)
        ]
        for thread in self.threads:
            thread.start()

    def run(self, index, browser, contents):
        number = 0
        while not self.ending.is_set():
            name = f"{index}-{number}.jpg"
            content = contents(index, number)
            try:
                browser.put(name, content)
            except BaseException:
                self.first_round.abort()
                raise
            with self.lock:
                self.acknowledged[name] = sha256(content)
            number += 1
            if number == 1:
                self.first_round.wait()

    def end(self):
        self.ending.set()
        for thread in self.threads:
            thread.join()


def test_a_backup_while_16_uploads_run_holds_all_that_was_acknowledged_before(daemon, target, tmp_path, start, seeded):
    base = seeded.randbytes(100_000)
    browsers = [Browser(daemon).create()] + [Browser(daemon).open() for _ in range(15)]
    uploading = Uploading(browsers, lambda index, number: b"%d %d " % (index, number) + base)
    uploading.first_round.wait()
    during = 0
    while not during:
        with uploading.lock:
            before = dict(uploading.acknowledged)
        backed_up(daemon, target)
        with uploading.lock:
            during = len(uploading.acknowledged) - len(before)
    uploading.end()
    assert len(before) >= 16
    assert_whole(target)
    daemon.kill9()
    shutil.rmtree(daemon.data)

    again = start(restored(daemon, target, tmp_path / "elsewhere"))
    browser = Browser(again).open()
    digests = browser.digests()
    assert {name: digests.get(name) for name in before} == before
    for name, digest in digests.items():
        assert digest == uploading.acknowledged.get(name, digest)
    assert browser.session().get("damage") is None


def test_a_second_backup_copies_only_what_is_new(vault, target):
    browser = vault()
    daemon = browser.daemon
    others = len(daemon.object_files())
    for number in range(20):
        browser.put(f"{number}.jpg", b"%d " % number * 5000)
    first = backed_up(daemon, target)
    assert f"{others + 20} objects, {others + 20} new ones" in first
    inodes = {path.name: path.stat().st_ino for path in object_files(target)}
    browser.put("new.jpg", b"new " * 5000)
    second = backed_up(daemon, target)
    assert f"{others + 21} objects, 1 new one" in second
    after = {path.name: path.stat().st_ino for path in object_files(target)}
    assert {name: after[name] for name in inodes} == inodes
    assert_whole(target)


def test_a_backup_works_without_a_daemon_and_after_a_crash(daemon, vault, target, tmp_path):
    browser = vault()
    browser.put("a.jpg", b"a" * 50_000)
    daemon.kill9()
    backed_up(daemon, target)
    daemon.start()
    Browser(daemon).open().put("b.jpg", b"b" * 50_000)
    daemon.stop()
    backed_up(daemon, target)
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0
    again = restored(daemon, target, tmp_path / "elsewhere")
    assert digests_by_export(again, PASSWORD) == {"a.jpg": sha256(b"a" * 50_000), "b.jpg": sha256(b"b" * 50_000)}


def test_an_upload_that_was_begun_goes_on_after_the_restoration(vault, target, tmp_path, start, seeded):
    content = seeded.randbytes(3 * MIB)
    owner = vault()
    tus = Tus(owner)
    path = tus.create(len(content))
    tus.patch(path, 0, content[:MIB])
    backed_up(owner.daemon, target)
    again = start(restored(owner.daemon, target, tmp_path / "elsewhere"))
    # No other case finds it unfinished.
    assert tus.request("DELETE", path).status_code == 204
    browser = Browser(again).open(owner.password)
    tus = Tus(browser)
    assert tus.head(path).headers["Upload-Offset"] == str(MIB)
    tus.patch(path, MIB, content[MIB:])
    assert browser.digests() == {"photo.jpg": sha256(content)}


def test_an_upload_that_ended_since_is_copied_anew(vault, target, tmp_path, seeded):
    """What was copied of it while it grew is not taken for the photo."""
    content = seeded.randbytes(2 * MIB)
    browser = vault()
    daemon = browser.daemon
    tus = Tus(browser)
    path = tus.create(len(content))
    tus.patch(path, 0, content[:MIB])
    backed_up(daemon, target)
    tus.patch(path, MIB, content[MIB:])
    backed_up(daemon, target)
    again = restored(daemon, target, tmp_path / "elsewhere")
    assert digests_by_export(again, browser.password) == {"photo.jpg": sha256(content)}


def test_a_killed_backup_is_completed_by_the_next_and_harms_no_former_one(vault, target, tmp_path, seeded, counted):
    browser = vault()
    daemon, expected = browser.daemon, {}
    for number in range(12):
        content = seeded.randbytes(200_000)
        browser.put(f"{number}.jpg", content)
        expected[f"{number}.jpg"] = sha256(content)
    backed_up(daemon, target)
    for turn in range(counted(2, 100)):
        content = seeded.randbytes(2 * MIB)
        browser.put(f"turn-{turn}.jpg", content)
        expected[f"turn-{turn}.jpg"] = sha256(content)
        calls = seeded.choice(["renameat", "fsync", "pwrite64", "openat", "unlinkat"])
        rule = f"{calls}:signal=SIGKILL:when={seeded.randrange(1, 40)}"
        run_failing(daemon, rule, "backup", "--data", str(daemon.data), "--to", str(target))
        assert states(target), "the former backup is gone"
        assert_whole(target)
    backed_up(daemon, target)
    assert_whole(target)
    assert {path.name for path in target.iterdir()} <= {
        "safelight-backup", "lock", "objects", *(state.name for state in states(target))
    }  # fmt: skip
    again = restored(daemon, target, tmp_path / "elsewhere")
    assert digests_by_export(again, browser.password) == expected


def test_each_folder_that_got_a_photo_is_synced_before_the_backup_has_its_name(standing_daemon, standing_vault, target, tmp_path):
    browser = standing_vault()
    for number in range(4):
        browser.put(f"{number}.jpg", b"%d " % number * 5000)
    noted = tmp_path / "calls"
    run_failing(
        standing_daemon, "renameat,renameat2,fsync:delay_enter=1", "backup", "--data", str(standing_daemon.data),
        "--to", str(target), noted=noted)
    # What no sync of a folder covers goes with the power, and the list of the backup names it all the same.
    unsynced, got, named = set(), set(), 0
    for name, words in re.findall(r"^(?:\d+ +)?(renameat2?|fsync)\((.*)", noted.read_text(), re.MULTILINE):
        folder = re.findall(r"<([^>]*)>", words)[-1]
        if name == "fsync":
            unsynced.discard(folder)
        elif folder.startswith(f"{target}/objects/"):
            unsynced.add(folder)
            got.add(folder)
        elif '"state-' in words:
            assert not unsynced
            named += 1
    assert got and named == 1


def test_photos_erased_between_two_backups_leave_it_in_time(vault, target):
    browser = vault()
    daemon = browser.daemon
    others = len(daemon.object_files())
    browser.put("keep.jpg", b"keep" * 5000)
    browser.put("go.jpg", b"go" * 5000)
    backed_up(daemon, target)
    assert len(object_files(target)) == others + 2
    browser.delete([photo for photo in browser.photos() if photo["name"] == "go.jpg"])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    assert ", 0 new ones" in backed_up(daemon, target)
    assert len(object_files(target)) == others + 2, "a former state still has it"
    assert "1 removed" in backed_up(daemon, target)
    assert len(object_files(target)) == others + 1


def test_photos_erased_while_the_backup_runs_are_no_damage(vault, target, tmp_path):
    """The ledger that was copied first lists what is gone when its objects are copied; so it is copied again."""
    browser = vault()
    daemon = browser.daemon
    others = len(daemon.object_files())
    for number in range(30):
        browser.put(f"{number}.jpg", b"%d " % number * 5000)
    command = [str(binary()), "backup", "--data", str(daemon.data), "--to", str(target)]
    # Stopped at its first object, behind the ledger.
    process = subprocess.Popen(
        [*strace("renameat:signal=SIGSTOP:when=2"), "-f", "-o", str(tmp_path / "calls"), *command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=daemon.variables(),
    )  # fmt: skip
    stopped = wait_until_stopped(tmp_path / "calls")
    browser.delete([photo for photo in browser.photos() if int(photo["name"].split(".")[0]) % 2])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    os.kill(stopped, signal.SIGCONT)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, output + errors
    assert f"{others + 15} objects".encode() in output, output
    again = restored(daemon, target, tmp_path / "elsewhere")
    assert len(digests_by_export(again, browser.password)) == 15


def wait_until_stopped(calls):
    """The pid of the traced program once a signal has stopped it."""

    def stopped():
        lines = calls.read_text().splitlines() if calls.exists() else []
        return [int(line.split()[0]) for line in lines if "stopped by SIGSTOP" in line]

    wait_until(stopped, "it never came there")
    return stopped()[0]


# -- damage


def test_a_changed_bit_in_the_backup_is_found_and_repaired(vault, target, tmp_path):
    browser = vault()
    daemon = browser.daemon
    for number in range(5):
        browser.put(f"{number}.jpg", b"%d " % number * 5000)
    backed_up(daemon, target)
    damaged = object_files(target)[2]
    flip_bit(damaged, 4000)
    folder = tmp_path / "damaged"
    folder.mkdir()
    done = daemon.run("restore", "--from", str(target), "--to", str(folder / "data"))
    assert done.returncode == 1 and damaged.name in done.stdout.decode(), done.stdout + done.stderr
    assert "1 objects had changed" in backed_up(daemon, target, "--verify")
    assert_whole(target)


def wait_until_read_back(browser):
    """The daemon, which would find it out and note it in the vault, meets nothing of what is harmed from here on."""
    wait_until(lambda: all("verifiedAt" in photo for photo in browser.photos()))


def test_what_the_data_directory_lost_the_backup_keeps_and_says_so(daemon, vault, target, tmp_path):
    browser = vault()
    # What is lost before the first backup is named, too.
    gone = browser.put("a.jpg", b"a" * 5000)
    wait_until_read_back(browser)
    daemon.object_files()[0].unlink()
    done = backup(daemon, tmp_path / "first")
    assert done.returncode == 1 and b"DAMAGE 1 objects that the ledger lists are lost" in done.stdout
    browser.delete([gone])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    for number in range(4):
        browser.put(f"{number}.jpg", b"%d " % number * 5000)
    wait_until_read_back(browser)
    expected = browser.digests()
    backed_up(daemon, target)
    lost, cut = daemon.object_files()[:2]
    lost.unlink()
    os.truncate(cut, 100)
    for _ in range(3):
        done = backup(daemon, target)
        assert done.returncode == 1 and b"DAMAGE 2 objects are lost" in done.stdout, done.stdout + done.stderr
    again = restored(daemon, target, tmp_path / "elsewhere")
    assert digests_by_export(again, PASSWORD) == expected


def test_what_is_whole_again_is_exported_and_checked_without_a_word_of_damage(daemon, vault, tmp_path):
    content = b"a" * 50_000
    browser = vault()
    photo = browser.put("a.jpg", content)
    wait_until_read_back(browser)
    place = daemon.object_files()[0]
    place.rename(tmp_path / "aside")
    # Whoever reads it finds that it is gone, and the vault notes that.
    assert browser.original(photo).status_code == 500
    wait_until(lambda: browser.request("GET", "/api/session").json().get("damage"), "the damage was not noted")
    daemon.stop()
    words = ["check", "--data", str(daemon.data), "--password"]
    done = daemon.run(*words, input=PASSWORD.encode() + b"\n")
    assert done.returncode == 1 and b"DAMAGE a.jpg" in done.stdout, done.stdout
    (tmp_path / "aside").rename(place)
    assert digests_by_export(daemon, PASSWORD) == {"a.jpg": sha256(content)}
    done = daemon.run(*words, input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0 and b"DAMAGE" not in done.stdout, done.stdout


@needs_root
def test_a_backup_whose_disk_is_not_plugged_in_is_begun_nowhere_else(daemon, vault, tmp_path):
    vault().put("a.jpg", b"a photo")
    place = tmp_path / "usb"
    for target in (place, place / "of the house"):
        with tmpfs(place, 400):
            backed_up(daemon, target)
            backed_up(daemon, target)
        for _ in range(2):
            done = backup(daemon, target)
            assert done.returncode == 78 and b"on a disk that is not there now. Plug it in" in done.stderr, done.stderr
            assert list(place.iterdir()) == []
        # Another disk in its place is one that somebody has plugged in.
        with tmpfs(place, 400):
            backed_up(daemon, target)


@needs_root
def test_a_full_disk_ends_the_backup_and_harms_no_former_one(daemon, vault, tmp_path, seeded):
    browser = vault()
    browser.put("small.jpg", seeded.randbytes(100_000))
    expected = browser.digests()
    with tmpfs(tmp_path / "disk", 96) as disk:
        target = disk / "backup"
        backed_up(daemon, target, "--keep", "1")
        for number in range(4):
            browser.put(f"{number}.jpg", seeded.randbytes(8 * MIB))
        done = backup(daemon, target, "--keep", "1")
        assert done.returncode == 74, done.stdout + done.stderr
        assert_whole(target)
        again = restored(daemon, target, tmp_path / "elsewhere")
        assert digests_by_export(again, PASSWORD) == expected


@pytest.mark.parametrize(
    ("rule", "words"),
    first(3, [
        ("mkdirat:error=EDQUOT", b"The disk is full"),
        ("renameat:error=EIO", b"Input/output error"),
        ("fsync:error=EIO", b"did not confirm a write"),
        ("mkdir:error=ENOSPC", b"No space left on device."),
        ("renameat:error=ENOSPC", b"The disk is full"),
        ("renameat:error=EROFS", b"read-only"),
        ("renameat:error=ENODEV", b"No such device"),
    ]),
)  # fmt: skip
def test_a_backup_that_its_disk_ends_says_why_and_goes_on_when_it_is_run_again(vault, target, rule, words):
    browser = vault()
    browser.put("a.jpg", b"a photo")
    daemon = browser.daemon
    done = run_failing(daemon, rule, "backup", "--data", str(daemon.data), "--to", str(target))
    assert done.returncode == 74, done.stdout + done.stderr
    assert words in done.stderr and b"Run it again" in done.stderr, done.stderr
    backed_up(daemon, target)
    assert len(object_files(target)) == len(daemon.object_files())
    assert_whole(target)


# -- what may not be overwritten


def test_neither_a_backup_nor_a_restoration_replaces_what_is_there(standing_daemon, standing_vault, start_daemon, target, tmp_path):
    daemon = standing_daemon
    standing_vault().put("a.jpg", b"a" * 5000)
    backed_up(daemon, target)
    other = start_daemon()
    done = backup(other, target)
    assert done.returncode == 78 and b"another data directory" in done.stderr
    assert_whole(target)
    done = other.run("restore", "--from", str(target), "--to", str(other.data))
    assert done.returncode == 78
    photos = tmp_path / "holiday"
    photos.mkdir()
    (photos / "beach.jpg").write_bytes(b"beach")
    assert backup(daemon, photos).returncode == 78
    assert other.run("restore", "--from", str(target), "--to", str(photos)).returncode == 78
    assert [path.name for path in photos.iterdir()] == ["beach.jpg"]
    assert other.run("restore", "--from", str(photos), "--to", str(tmp_path / "new")).returncode == 78
    assert not (tmp_path / "new").exists() or not list((tmp_path / "new").iterdir())


def test_a_restoration_that_was_cut_off_goes_on(vault, target, tmp_path):
    browser = vault()
    daemon = browser.daemon
    for number in range(6):
        browser.put(f"{number}.jpg", b"%d " % number * 5000)
    expected = browser.digests()
    backed_up(daemon, target)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    again = Daemon(folder)
    for place in (2, 5, 9):
        rule = f"renameat:signal=SIGKILL:when={place}"
        run_failing(again, rule, "restore", "--from", str(target), "--to", str(again.data))
        assert not (again.data / "store.header").exists()
    done = again.run("restore", "--from", str(target), "--to", str(again.data))
    assert done.returncode == 0, done.stdout + done.stderr
    assert digests_by_export(again, browser.password) == expected


def test_kept_sessions_of_vaults_are_over_after_a_restoration(vault, target, tmp_path, start):
    browser = vault()
    daemon = browser.daemon
    assert browser.open(keep=True).session()["kept"] is True
    backed_up(daemon, target)
    again = start(restored(daemon, target, tmp_path / "elsewhere"))
    # As if it were the same address: cookies and what the browser says of itself go by the port.
    for cookie in list(browser.http.cookies):
        browser.http.cookies.set(cookie.name.replace(str(daemon.port), str(again.port)), cookie.value)
    browser.origin = browser.http.headers["Origin"] = again.url
    assert browser.session()["kind"] == "none"
    assert Browser(again).open(browser.password).session()["kind"] == "vault"


def test_a_backup_shows_nothing_of_what_it_holds(vault, target):
    browser = vault()
    browser.put("grandmother.jpg", b"a picture of grandmother " * 1000)
    backed_up(browser.daemon, target)
    content = b"".join(path.read_bytes() for path in target.rglob("*") if path.is_file())
    assert b"grandmother" not in content and browser.password.encode() not in content
    assert len({path.stat().st_mtime_ns for path in object_files(target)}) == 1
    assert not any(path.stat().st_mode & 0o077 for path in target.rglob("*"))


def test_health_knows_of_the_last_backup_and_of_one_that_failed_until_one_comes_to_its_end(start_daemon, target, tmp_path):
    daemon = start_daemon(environment={"SAFELIGHT_BACKUP_AGE": "3"})
    check = lambda: Browser(daemon).request("GET", "/health").json()["checks"]["backup:age"][0]  # noqa: E731
    assert check() == {"status": "warn", "output": "none"}
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "letter.txt").write_text("not ours")
    assert backup(daemon, tmp_path / "other").returncode == 78
    daemon.restart()
    assert check() == {"status": "warn", "output": "the last one failed"}
    backed_up(daemon, target)
    daemon.restart()
    assert check() == {"status": "pass"}
    stamp = daemon.data / "last-backup"
    seconds = int(stamp.read_text())
    stamp.write_text(f"{seconds - 4 * 86400:<31}\n")
    daemon.restart()
    assert check() == {"status": "warn", "output": "4 days old"}


def test_health_knows_of_copies_that_cannot_be_read_or_made_again(daemon, vault):
    browser = vault()
    browser.put("a.jpg", b"a" * 50_000)
    daemon.stop()
    for name in ("ledger.copy-0", "ledger.copy-1"):
        (daemon.data / name).write_bytes(b"\0" * 8192)
    daemon.start()
    wait_for_check(daemon, "ledger:copies", "warn")
    browser = Browser(daemon).open()
    browser.delete(browser.photos())
    assert browser.request("DELETE", "/api/trash").status_code == 200
    wait_for_check(daemon, "ledger:copies", "pass")


def wait_for_check(daemon, name, status):
    """An answer is kept for some seconds."""
    check = lambda: Browser(daemon).request("GET", "/health").json()["checks"][name][0]["status"]  # noqa: E731
    wait_until(lambda: check() == status, f"{name} never became {status}")


def test_what_file_managers_leave_in_a_backup_is_no_obstacle_and_stays(vault, target):
    browser = vault()
    daemon = browser.daemon
    browser.put("a.jpg", b"a" * 50_000)
    backed_up(daemon, target)
    left = [target / "objects" / ".DS_Store", next((target / "objects").iterdir()) / "desktop.ini"]
    for path in left:
        path.write_bytes(b"x")
    (target / "objects" / left[1].parent.name / "@eaDir").mkdir()
    (target / f"state-0{states(target)[0].name.removeprefix('state-')}").mkdir()
    (target / f"state-{2**64 - 1}").mkdir()
    browser.put("b.jpg", b"b" * 50_000)
    assert f"{len(daemon.object_files())} objects, 1 new one" in backed_up(daemon, target)
    assert all(path.exists() for path in left)


def test_no_backup_is_made_within_the_data_directory(standing_daemon, tmp_path):
    daemon = standing_daemon
    (tmp_path / "link").symlink_to(daemon.data)
    for target in (*(daemon.data / name for name in ("backup", "objects/00", "quarantine")), tmp_path / "link/backup"):
        before = set(daemon.listing())  # names only: the ledger's log grows whenever the daemon proves that it lives
        done = backup(daemon, target)
        assert done.returncode == 78 and b"lies in the data directory" in done.stderr, target
        assert set(daemon.listing()) == before, target


def test_a_restored_store_that_was_started_is_never_restored_over(vault, target, tmp_path, start):
    browser = vault()
    browser.put("a.jpg", b"a" * 50_000)
    daemon = browser.daemon
    backed_up(daemon, target)
    again = restored(daemon, target, tmp_path / "elsewhere")
    # As a power cut leaves it that comes when all is in place.
    (again.data / "restoring").write_bytes(b"\n")
    start(again)
    assert not (again.data / "restoring").exists()
    Browser(again).open(browser.password).put("b.jpg", b"b" * 50_000)
    again.stop()
    assert again.run("restore", "--from", str(target), "--to", str(again.data)).returncode == 78
    assert len(digests_by_export(again, browser.password)) == 2


def test_two_restorations_do_not_meet(vault, target, tmp_path):
    browser = vault()
    browser.put("a.jpg", b"a" * 50_000)
    backed_up(browser.daemon, target)
    found = Daemon(tmp_path, data=tmp_path / "elsewhere")
    found.data.mkdir(mode=0o700)
    with open(found.data / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = found.run("restore", "--from", str(target), "--to", str(found.data))
        assert done.returncode == 78 and b"in use" in done.stderr
        assert os.listdir(found.data) == ["lock"]
    assert found.run("restore", "--from", str(target), "--to", str(found.data)).returncode == 0


def test_what_the_data_directory_lost_is_never_removed_from_a_backup_whose_list_is_gone(
    daemon, vault, target, tmp_path
):
    content = b"a" * 50_000
    browser = vault()
    browser.put("a.jpg", content)
    wait_until_read_back(browser)
    backed_up(daemon, target)
    daemon.object_files()[0].unlink()
    (states(target)[0] / "SHA256SUMS").unlink()
    for _ in range(3):
        assert backup(daemon, target).returncode == 1
    again = restored(daemon, target, tmp_path / "elsewhere", status=1)
    assert digests_by_export(again, PASSWORD) == {"a.jpg": sha256(content)}
