"""safelight import: what lay elsewhere comes with its dates, albums, hearts and captions, and with a proof."""

import csv
import datetime
import itertools
import json
import os
import socket
import subprocess
import threading
import zipfile
from contextlib import suppress
from urllib.parse import quote

import pytest
import requests
from cases import first
from client import OTHER_PASSWORD, PASSWORD, Browser, sha256, wait_until
from daemon import binary
from disks import make_disk
from exports import LANGUAGES, SPELLINGS, Export, picture, takeout
from faults import needs_root
from test_open_store import read

# Each form and each language is among the first ones.
FORMS_AND_LANGUAGES = sorted(
    itertools.product(["zips", "tgz", "folder"], LANGUAGES),
    key=lambda both: both not in {("zips", "en"), ("tgz", "de"), ("folder", "fr"), ("zips", "zh")},
)


def arguments(owner, *sources):
    """What is called, and what is typed then, to bring these into the vault of `owner`, a browser."""
    return ["import", "--data", str(owner.daemon.data), *(str(source) for source in sources)], owner.password.encode() + b"\n"


def bring(owner, *sources):
    command, typed = arguments(owner, *sources)
    return owner.daemon.run(*command, input=typed, timeout=600)


def said(done):
    return done.stdout.decode() + done.stderr.decode()


def outcomes(report):
    """What became of the files, by path."""
    with open(report, newline="") as lines:
        return {row["path"]: row for row in csv.DictReader(lines)}


def milliseconds(photo):
    """When it was taken, for those whose zone is guessed or known."""
    text = photo.get("takenAt")
    return None if text is None else int(datetime.datetime.fromisoformat(text).timestamp() * 1000)


def shown(browser):
    """What the vault says of each photo, alone, by name."""
    return {photo["name"]: browser.request("GET", f"/api/photos/{photo['id']}").json() for photo in browser.photos()}


def differences(browser, expected):
    """What is not as it should be: name → what is there."""
    found, wrong = shown(browser), {}
    for name, wanted in expected.items():
        photo = found.get(name)
        if photo is None:
            wrong[name] = "missing"
            continue
        there = {
            "albums": {album["name"] for album in photo.get("albums") or []},
            "heart": photo.get("favourite", False), "caption": photo.get("caption"),
        }  # fmt: skip
        should = {"albums": wanted.albums, "heart": wanted.heart, "caption": wanted.caption}
        if wanted.taken is not None:
            there["taken"], should["taken"] = milliseconds(photo), wanted.taken
            there["from"], should["from"] = photo.get("takenFrom"), "sidecar"
        if wanted.place is not None:
            place = photo.get("place") or {}
            there["place"], should["place"] = (place.get("latitude"), place.get("longitude")), wanted.place
        if there != should:
            wrong[name] = (there, should)
    return wrong


@pytest.mark.parametrize(("form", "language"), first(4, FORMS_AND_LANGUAGES))
def test_every_spelling_is_found_and_every_file_accounted_for(vault, tmp_path, language, form):
    browser, export = vault(), takeout(language)
    sources = {
        "zips": lambda: export.zips(tmp_path, 3), "tgz": lambda: [export.tgz(tmp_path / "takeout.tgz")],
        "folder": lambda: [export.folder(tmp_path / "unpacked")],
    }[form]()  # fmt: skip
    report = tmp_path / "report.csv"
    done = bring(browser, "--report", report, *sources)
    assert done.returncode == 0, said(done)
    wrong = differences(browser, export.expected)
    table = [(label, photo in wrong) for label, photo, _ in SPELLINGS]
    assert not wrong, (table, wrong)
    assert sorted(browser.names()) == sorted(export.expected)
    # Every file, once, with what became of it.
    rows = outcomes(report)
    assert set(rows) == set(export.files)
    kinds = [row["outcome"] for row in rows.values()]
    stored = len(export.expected)
    assert (kinds.count("stored"), kinds.count("again"), kinds.count("not a photo")) == (stored, 1, 1)
    assert (kinds.count("in the trash there"), kinds.count("sidecar without a photo")) == (1, 1)
    # What they say was given to an edit or a video, for their own photo is not here; it may lie in a part that comes later.
    alone = {path.split("/")[-1].partition(".")[0] for path, row in rows.items() if row["outcome"] == "its own photo is not here"}
    assert alone == {"IMG_108", "IMG_109", "IMG_110", "IMG_111", "IMG_112"} and "not understood" not in kinds
    assert kinds.count("sidecar") == len(rows) - stored - 9
    assert all(row["sha256"] == sha256(export.files[path]) for path, row in rows.items())
    text = done.stdout.decode()
    assert f"{len(rows)} files in " in text and f"{stored} photos and videos stored, read back, and the same" in text
    assert "1 sidecar without a photo" in text and "You can delete" not in text
    assert "6 sidecars speak of what is not here: do not delete these " in text


def zipped(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


def test_the_name_of_a_report_that_is_no_report_is_refused_before_anything_is_brought(vault, tmp_path):
    browser, archive = vault(), zipped(tmp_path / "takeout-1-001.zip", {"a.jpg": picture("a")})
    before = archive.read_bytes()
    # As a shell fills it in where the report's name was forgotten.
    for report, sources in ((archive, [archive]), (archive, [tmp_path]), (tmp_path / "none/report.csv", [archive])):
        done = bring(browser, "--report", report, *sources)
        assert done.returncode == 78, said(done)
        assert archive.read_bytes() == before and browser.photos() == []
    report = tmp_path / "report.csv"
    for _ in range(2):
        assert bring(browser, "--report", report, archive).returncode == 0
    assert outcomes(report)["a.jpg"]["outcome"] == "known"
    assert sorted(path.name for path in tmp_path.glob("report.csv*")) == ["report.csv"]


def test_what_is_there_already_is_read_again_and_comes_anew_where_it_is_damaged(daemon, vault, tmp_path):
    browser, everything = vault(), {}
    for is_running in (True, False):
        files = {f"{is_running} {number}.jpg": picture(f"{is_running} {number}") + os.urandom(20_000) for number in range(3)}
        archive = zipped(tmp_path / f"{is_running}.zip", files)
        before = set(daemon.object_files())
        assert bring(browser, archive).returncode == 0
        if not is_running:
            daemon.stop()
        damaged, lost, _ = sorted(set(daemon.object_files()) - before)
        damaged.write_bytes(damaged.read_bytes()[:8192] + os.urandom(5_000) + damaged.read_bytes()[13_192:])
        lost.unlink()
        done = bring(browser, archive)
        assert done.returncode == 0 and "1 were in the vault already" in said(done), said(done)
        assert "2 photos and videos stored" in said(done)
        everything |= files
    daemon.start()
    browser, whole = Browser(daemon).open(), set()
    for photo in browser.photos():
        # The damaged ones are there as well, and break off.
        with suppress(requests.exceptions.ChunkedEncodingError):
            whole.add(sha256(browser.original(photo).content))
    assert {sha256(content) for content in everything.values()} <= whole


class ConsoleProxy:
    """A data directory that has nothing but a console: that of `daemon`, which gets the first request for `address` only
    after `body` has run."""

    def __init__(self, folder, daemon, address, body):
        self.folder, self.daemon, self.address, self.body = folder, daemon, address.encode(), body
        folder.mkdir(mode=0o700)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(folder / "console.sock"))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            console = socket.socket(socket.AF_UNIX)
            console.connect(str(self.daemon.data / "console.sock"))
            for pump in ((client, console), (console, client)):
                threading.Thread(target=self._pump, args=pump, daemon=True).start()

    def _pump(self, source, target):
        with suppress(OSError):
            while piece := source.recv(1 << 20):
                if self.body and self.address in piece:
                    body, self.body = self.body, None
                    body()
                target.sendall(piece)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)


@pytest.mark.parametrize("is_emptied", [False, True])
def test_what_somebody_deletes_during_an_import_is_not_proven(daemon, vault, tmp_path, is_emptied):
    browser = vault()
    files = {name: picture(name) + os.urandom(2_000) for name in ("known.jpg", "new.jpg")}
    folder = tmp_path / "card"
    folder.mkdir()
    (folder / "known.jpg").write_bytes(files["known.jpg"])
    assert bring(browser, folder).returncode == 0
    (folder / "new.jpg").write_bytes(files["new.jpg"])

    def delete():
        browser.delete([photo for photo in browser.photos() if photo["name"] == "known.jpg"])
        if is_emptied:
            assert browser.request("DELETE", "/api/trash").status_code == 200

    proxy = ConsoleProxy(tmp_path / "proxy", daemon, "/import/photos/", delete)
    command, typed = arguments(browser, folder, "--report", tmp_path / "report.csv")
    command[command.index("--data") + 1] = str(proxy.folder)
    done = daemon.run(*command, input=typed, timeout=600)
    proxy.listener.close()
    assert proxy.body is None and done.returncode == 1 and "Do not delete anything yet" in said(done), said(done)
    found = outcomes(tmp_path / "report.csv")
    assert found["new.jpg"]["outcome"] == "stored"
    assert found["known.jpg"]["outcome"] == "not stored" and "meanwhile" in found["known.jpg"]["remark"]
    assert bring(browser, folder).returncode == 0
    assert browser.digests() == {name: sha256(content) for name, content in files.items()}


NO_ARCHIVES = [
    ("takeout-1-002.zip", b"<!DOCTYPE html><title>Sign in</title>"), ("takeout-1-002.zip", b""), ("part.7z", b"7z\xbc\xaf'\x1c"),
    ("takeout-1-002.zip.crdownload", b"PK\x03\x04" + bytes(900)), ("below/takeout-1-002.zip", b"PK\x03\x04" + bytes(900)),
]  # fmt: skip


def test_an_archive_that_was_not_read_keeps_its_source_from_being_deleted(vault, tmp_path):
    browser = vault()
    for number, (name, content) in enumerate(NO_ARCHIVES):
        folder = tmp_path / str(number)
        (folder / name).parent.mkdir(parents=True)
        (folder / name).write_bytes(content)
        zipped(folder / "takeout-1-001.zip", {f"{number}.jpg": picture(f"{number}")})
        done = bring(browser, folder)
        assert done.returncode == 1 and "Do not delete anything" in said(done) and name in said(done), said(done)
    assert browser.names() == [f"{number}.jpg" for number in range(len(NO_ARCHIVES))]


def test_parts_that_are_missing_broken_links_or_empty_folders_are_no_proof(vault, tmp_path):
    browser = vault()
    parts = [zipped(tmp_path / f"takeout-x-00{number}.zip", {f"{number}.jpg": picture(f"{number}")}) for number in (1, 3)]
    done = bring(browser, *parts)
    assert done.returncode == 0 and "takeout-x-002.zip is not among them" in said(done), said(done)
    assert "do not delete anything" in said(done)
    (tmp_path / "empty").mkdir()
    done = bring(browser, tmp_path / "empty")
    assert done.returncode == 1 and "nothing to bring" in said(done), said(done)
    linked = tmp_path / "linked"
    linked.mkdir()
    (linked / "takeout-y-001.zip").symlink_to(zipped(tmp_path / "elsewhere.zip", {"b.jpg": picture("b")}))
    done = bring(browser, linked)
    assert done.returncode == 1 and "takeout-y-001.zip" in said(done), said(done)
    # One that breaks off ends itself, and no other.
    whole = Export()
    whole.files = {"5.jpg": picture("5") + os.urandom(50_000)}
    cut = whole.tgz(tmp_path / "cut.tgz")
    cut.write_bytes(cut.read_bytes()[:20_000])
    last = zipped(tmp_path / "last.zip", {"6.jpg": picture("6")})
    done = bring(browser, cut, last)
    assert done.returncode == 1 and "cut.tgz" in said(done) and "Do not delete" in said(done), said(done)
    assert browser.names() == ["1.jpg", "3.jpg", "6.jpg"]


def test_an_import_that_is_run_twice_brings_nothing_twice(daemon, vault, tmp_path):
    browser, export = vault(), takeout("de")
    parts = export.zips(tmp_path, 2)
    assert bring(browser, *parts).returncode == 0
    before = sorted(browser.digests())
    daemon.stop()
    # The same with the daemon stopped.
    done = bring(browser, *parts)
    assert done.returncode == 0 and f"{len(export.expected)} were in the vault already" in said(done), said(done)
    daemon.start()
    browser = Browser(daemon).open()
    assert sorted(browser.digests()) == before and not differences(browser, export.expected)


def test_the_daemon_may_be_stopped(daemon, vault, tmp_path):
    browser = vault()
    export = takeout("en")
    daemon.stop()
    done = bring(browser, "--album", "Moved", *export.zips(tmp_path))
    assert done.returncode == 0, said(done)
    # The second reader tells it, too, with what stood beside the photos.
    assert read(daemon.data, PASSWORD, "--to", tmp_path / "read").returncode == 0
    with open(tmp_path / "read" / "about.csv", newline="") as lines:
        rows = {row[0]: row for row in csv.reader(lines)}
    for name, words in export.expected.items():
        _, heart, albums, caption, taken, _, place, *_ = rows[name]
        assert (heart == "heart", caption or None) == (words.heart, words.caption)
        assert {*albums.split("; ")} == words.albums | {"Moved"}
        assert words.taken is None or datetime.datetime.fromisoformat(taken + "Z").timestamp() == words.taken // 60_000 * 60
        assert words.place is None or tuple(map(float, place.split())) == pytest.approx(words.place, abs=1e-6)
    daemon.start()
    browser = Browser(daemon).open()
    for words in export.expected.values():
        words.albums.add("Moved")
    assert not differences(browser, export.expected)


def test_a_wrong_password_brings_nothing_and_falls_under_the_throttle(daemon, vault, tmp_path):
    browser, export = vault(), takeout("en")
    parts = export.zips(tmp_path)
    stranger = Browser(daemon)
    stranger.password = OTHER_PASSWORD
    for _ in range(40):
        done = bring(stranger, *parts)
        assert done.returncode == 77, said(done)
        if b"Too many attempts" in done.stderr:
            break
    assert b"Too many attempts" in done.stderr
    assert browser.names() == []


def test_the_password_comes_from_a_descriptor(vault, tmp_path):
    browser, export = vault(), takeout("en")
    read, write = os.pipe()
    os.write(write, browser.password.encode() + b"\n")
    os.close(write)
    done = subprocess.run(
        [str(binary()), *arguments(browser, "--password-fd", str(read), *export.zips(tmp_path))[0]], pass_fds=[read],
        capture_output=True, env=browser.daemon.variables(), stdin=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read)
    assert done.returncode == 0, said(done)
    assert len(browser.names()) == len(export.expected)


def test_a_date_that_was_put_right_leads_and_both_are_named(vault, photos, tmp_path):
    browser, export = vault(), Export()
    dated = next(path for path in photos if path.name == "Canon_40D.jpg")
    path, report = f"Takeout/Google Photos/Photos from 2017/{dated.name}", tmp_path / "report.csv"
    export.files[path] = dated.read_bytes()
    taken = export.note(f"{path}.json")
    sources = export.zips(tmp_path)
    kept, corrected = "its own date (2008-05-30) was kept", "its own date was put right there (2008-05-30)"
    # The second time, and the third, it is there already.
    for choice, remark in ((["--dates", "file"], kept), ([], corrected), ([], corrected), (["--dates", "file"], kept)):
        done = bring(browser, "--report", report, *choice, *sources)
        assert done.returncode == 0 and remark in outcomes(report)[path]["remark"], said(done)
        photo = shown(browser)[dated.name]
        assert photo["takenFrom"] == ("exif" if choice else "sidecar")
        assert choice or milliseconds(photo) == taken


def test_what_is_not_understood_or_not_kept_keeps_its_source_from_being_deleted(vault, tmp_path):
    browser, report = vault(), tmp_path / "report.csv"
    strange = {
        "broken.zip": {"a.jpg": picture("a"), "a.jpg.json": b'{"title": "a.jpg", "photoTa'},
        "unknown.zip": {"b.jpg": picture("b"), "index.json": b'{"pictures": [{"file": "img/b.jpg", "when": 5}]}'},
        "page.zip": {"c.jpg": picture("c"), "posts.html": b"<img src='c.jpg'> 2019"},
    }
    for name, files in strange.items():
        done = bring(browser, "--report", report, zipped(tmp_path / name, files))
        assert done.returncode == 0 and "do not delete" in said(done) and "You can delete" not in said(done), said(done)
        rows = outcomes(report)
        assert [row["outcome"] for row in rows.values()] == ["stored", "not understood"], rows
    details = {"id": "51234567890", "date_taken": "2009-05-06 07:08:09", "license": "x", "tags": [{"tag": "sea"}]}
    flickr = {"x_51234567890_o.jpg": picture("d"), "photo_51234567890.json": json.dumps(details).encode()}
    done = bring(browser, zipped(tmp_path / "flickr.zip", flickr))
    assert done.returncode == 0 and "Keywords are not kept" in said(done), said(done)
    assert shown(browser)["x_51234567890_o.jpg"]["takenAt"].startswith("2009-05-06T07:08:09")


def test_other_services_of_a_takeout_are_named_and_left_where_that_is_asked_for(vault, tmp_path):
    browser, export, report = vault(), takeout("fr"), tmp_path / "report.csv"
    wanted = len(export.expected)
    for path in ("Takeout/Drive/Factures/x.jpg", "Takeout/Contacts/All Contacts/y.jpg"):
        export.photo(path)
    sources = export.zips(tmp_path)
    done = bring(browser, "--no-all-services", "--report", report, *sources)
    assert done.returncode == 0 and len(browser.names()) == wanted, said(done)
    left = [path for path, row in outcomes(report).items() if row["outcome"] == "in another service"]
    assert left == ["Takeout/Drive/Factures/x.jpg", "Takeout/Contacts/All Contacts/y.jpg"]
    done = bring(browser, "--report", report, *sources)
    assert done.returncode == 0 and "it lies in Drive, and not in Google Photos" in outcomes(report)[left[0]]["remark"]
    assert not differences(browser, export.expected)


def test_real_photos_come_back_byte_for_byte_from_a_folder_with_its_folders_as_albums(vault, photos, tmp_path):
    browser = vault()
    for path in photos:
        place = tmp_path / "camera" / path.parent.name / path.name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    done = bring(browser, "--keep-folders", tmp_path / "camera")
    assert done.returncode == 0, said(done)
    assert {*browser.digests().values()} == {sha256(path.read_bytes()) for path in photos}
    albums = browser.request("GET", "/api/albums").json()["albums"]
    assert {album["name"] for album in albums} == {path.parent.name for path in photos}


def test_kills_in_between_change_nothing_in_the_end(daemon, vault, tmp_path, counted):
    """Of the command and of the daemon in turn."""
    browser = vault()
    export = takeout("zh")
    for number in range(60):
        folder = f"Takeout/Google 相册/{2000 + number % 3}年的照片"
        content = picture(f"photo {number}") + os.urandom(150_000)
        taken = export.note(f"{folder}/more {number}.jpg.json")
        export.photo(f"{folder}/more {number}.jpg", content, taken=taken)
    parts = export.zips(tmp_path, 3, method=zipfile.ZIP_STORED)
    command, typed = arguments(browser, *parts)
    for round in range(counted(2, 200)):
        before = len(daemon.object_files())
        running = subprocess.Popen(
            [str(binary()), *command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            env=daemon.variables(),
        )  # fmt: skip
        running.stdin.write(typed)
        running.stdin.close()
        # The vault is open, and the sources are looked at.
        assert b"Looking at" in running.stderr.readline()
        # Moments of a run, by how much has come: what is looked for is that none of them matters.
        coming = before + round * 7 % 20
        wait_until(lambda: running.poll() is not None or len(daemon.object_files()) >= coming)  # noqa: B023
        (running if round % 2 == 0 else daemon.process).kill()
        complaint = running.stderr.read()
        assert running.wait() in (0, -9, 74), complaint
        if round % 2:
            daemon.kill9()
            daemon.start()
    done = bring(browser, *parts)
    assert done.returncode == 0, said(done)
    browser = Browser(daemon).open()
    assert sorted(browser.names()) == sorted(export.expected)
    assert not differences(browser, export.expected)


def test_hostile_and_broken_archives_are_named_and_harm_nothing(vault, tmp_path):
    browser = vault()
    hostile = tmp_path / "hostile.zip"
    with zipfile.ZipFile(hostile, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../../outside.jpg", picture("outside"))
        archive.writestr("bomb.jpg", picture("bomb") + bytes(8 << 20))
        archive.writestr("good.jpg", picture("good"))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(takeout("en").zips(tmp_path)[0].read_bytes()[:2000])
    report = tmp_path / "report.csv"
    done = bring(browser, "--report", report, hostile, cut)
    assert done.returncode == 1, said(done)
    rows = outcomes(report)
    assert {path: row["outcome"] for path, row in rows.items()} == {
        "../../outside.jpg": "not read", "bomb.jpg": "not read", "good.jpg": "stored",
    }  # fmt: skip
    assert browser.names() == ["good.jpg"]
    text = done.stdout.decode()
    assert "cut.zip is not whole" in text and "Do not delete anything yet" in text


def seven_zip(archive, folder, *options):
    """Packs all that is in a folder, by 7-Zip."""
    subprocess.run(["7z", "a", *options, str(archive), "."], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return archive


def test_archives_of_other_programs_come_whole_and_what_stays_unread_is_told_with_what_to_do(vault, tmp_path):
    browser = vault()
    good, secret = takeout("en"), Export()
    folder = good.folder(tmp_path / "good")
    secret.photo("locked.jpg")
    archives = [
        seven_zip(tmp_path / "good.7z", folder),
        seven_zip(tmp_path / "windows.zip", folder, "-tzip", "-mm=Deflate64"), tmp_path / "good.tar.xz",
    ]  # fmt: skip
    subprocess.run(["tar", "cJf", str(archives[2]), "."], cwd=folder, check=True)
    report = tmp_path / "report.csv"
    done = bring(browser, "--report", report, archives[0])
    assert done.returncode == 0 and "not all of" not in said(done), said(done)
    assert sorted(browser.names()) == sorted(good.expected) and not differences(browser, good.expected)
    # The same by others is nothing new, and the same bytes.
    digests = {path.removeprefix("./"): row["sha256"] for path, row in outcomes(report).items()}
    for archive in archives[1:]:
        done = bring(browser, "--report", report, archive)
        assert done.returncode == 0, said(done)
        assert {path: row["sha256"] for path, row in outcomes(report).items()} == digests
        assert "stored" not in {row["outcome"] for row in outcomes(report).values()}
    locked = seven_zip(tmp_path / "locked.7z", secret.folder(tmp_path / "secret"), "-psecret", "-mhe=on")
    part = tmp_path / "large.zip.001"
    part.write_bytes(archives[1].read_bytes()[:9_000])
    for archive, words in [(locked, "is encrypted: unpack it"), (part, "join or unpack the parts")]:
        done = bring(browser, archives[1], archive)
        assert done.returncode == 1 and words in said(done) and archive.name in said(done), said(done)
        assert "Do not delete anything yet" in said(done) and "You can delete" not in said(done)


@pytest.mark.nightly("sizes")
@pytest.mark.parametrize("kind", ["zip", "7z"])
def test_memory_stays_flat_with_a_large_archive(vault, tmp_path, counted, kind):
    # What comes through the caged program takes a build for finding faults ten times as long.
    browser, size = vault(), counted((200 if kind == "zip" else 64) << 20, 2 << 30)
    large = tmp_path / "large.zip"
    block = os.urandom(1 << 20)
    with zipfile.ZipFile(large, "w") as archive, archive.open("large.mp4", "w", force_zip64=True) as entry:
        entry.write(b"\x00\x00\x00\x14ftypmp42\x00\x00\x00\x00mp42")
        for number in range(size >> 20):
            entry.write(number.to_bytes(4, "big") + block)
    if kind == "7z":
        with zipfile.ZipFile(large) as archive:
            archive.extractall(tmp_path / "unpacked")
        large = seven_zip(tmp_path / "large.7z", tmp_path / "unpacked", "-mx=1")
    command, typed = arguments(browser, large)
    running = subprocess.Popen([str(binary()), *command], stdin=subprocess.PIPE, env=browser.daemon.variables())
    running.stdin.write(typed)
    running.stdin.close()
    peak = 0
    while running.poll() is None:
        with open(f"/proc/{running.pid}/status") as lines:
            peak = max([peak, *(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))])
        with suppress(subprocess.TimeoutExpired):
            running.wait(0.05)
    assert running.returncode == 0 and browser.names() == ["large.mp4"]
    assert peak < 128 << 20, peak


ODD_NAMES = [
    "DCIM/100CANON/IMG_0001.JPG", "Ärger & Söhne/Ü/Straße #1.jpg", "Ärger & Söhne/Ü/A\u0308 zerlegt.jpg",
    "深圳/2019年/照片（1）.jpg", "😀/🏖️/Strand 'n' Meer $%@!.jpg", "a/b/" + "n" * 180 + ".jpg", "a/.hidden/..jpg.jpg",
    "[x]/{y}/~z;=+,^`.jpg",
]  # fmt: skip


@pytest.mark.nightly("disks")
@needs_root
@pytest.mark.parametrize("kind", ["exFAT", "NTFS"])
def test_a_card_with_odd_names_in_three_levels_comes_whole(vault, tmp_path, kind):
    browser, disk = vault(), make_disk(kind, tmp_path / "card")
    try:
        for name in ODD_NAMES:
            place = disk.folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(picture(name))
        done = bring(browser, "--keep-folders", disk.folder)
        assert done.returncode == 0, said(done)
        assert {*browser.digests().values()} == {sha256(picture(name)) for name in ODD_NAMES}
        albums = browser.request("GET", "/api/albums").json()["albums"]
        assert {album["name"] for album in albums} == {"100CANON", "Ü", "2019年", "🏖️", "b", ".hidden", "{y}"}
    finally:
        disk.unmount()


def test_what_an_export_writes_beside_photos_is_read_by_exiftool_and_by_the_next_import(daemon, vault, tmp_path):
    browser, export = vault(), takeout("en")
    lost = "t.zip/Takeout/Google Photos/Photos from 2017/lost.jpg.json"
    said_of_it = {"title": "lost.jpg", "description": "Oma was lost", "photoTakenTime": {"timestamp": "1500000000"}, "url": "x"}
    waiting = json.dumps(said_of_it).encode()
    browser.request("PUT", f"/api/photos/lost.jpg.json?path={quote(lost)}", data=waiting)
    daemon.stop()
    assert bring(browser, *export.zips(tmp_path)).returncode == 0
    target = tmp_path / "out"
    command = ["export", "--data", str(daemon.data), "--to", str(target), "--sidecars", "--albums"]
    for _ in range(2):
        done = daemon.run(*command, input=PASSWORD.encode() + b"\n")
        assert done.returncode == 0, said(done)
    shown = subprocess.run(
        ["exiftool", "-json", "-n", "-XMP:all", str(target / "dom.jpg.xmp")], capture_output=True, check=True
    ).stdout
    tags = json.loads(shown)[0]
    assert (tags["Rating"], tags["Description"], tags["Subject"]) == (5, "Oma vor dem Dom", "Rom: 2019 en")
    assert (round(tags["GPSLatitude"], 5), round(tags["GPSLongitude"], 5)) == (41.9, 12.45)
    # Into another vault, with all of it.
    daemon.start()
    other = Browser(daemon).create(OTHER_PASSWORD)
    done = bring(other, target)
    assert done.returncode == 0, said(done)
    words = export.expected["dom.jpg"]
    # The folder of the album has a name that every file system takes; the list has its own.
    assert (target / "albums" / "Rom_ 2019 en").is_dir() and words.albums == {"Rom: 2019 en"}
    assert not differences(other, {"dom.jpg": words, "IMG_100.jpg": export.expected["IMG_100.jpg"]})
    # What waits for its photo waits there, too.
    assert (target / "waiting sidecars" / lost).read_bytes() == waiting
    assert "1 wait in the vault" in said(done) and other.request("GET", "/api/sidecars").json()["waiting"] == 1
    photo = other.request("PUT", f"/api/photos/lost.jpg?path={quote(lost.removesuffix('.json'))}", data=picture("lost")).json()
    wait_until(lambda: other.request("GET", f"/api/photos/{photo['id']}").json().get("caption") == "Oma was lost")
    assert other.request("GET", "/api/sidecars").json()["waiting"] == 0
