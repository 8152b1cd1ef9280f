"""What photos look like and what they say about themselves, made by the real programs."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from cases import in_nightly
from client import Browser, code_of, wait_until
from daemon import binary
from faults import fill, needs_root, tmpfs
from looking import NO_COPIES, files_with_places
from pictures import difference, exif, look_at, settled, size, thumbnails

MARK = b"a plain word that stands in the photo"
BROKEN = {"broken_clap_overflow.heic", "broken_github_138.heic", "corrupted.jpg"}


@pytest.fixture(scope="module", params=["photos", in_nightly("programs", "real_photos")])
def samples(request):
    """Those that were made for the tests, and real ones where they are here."""
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def filled(standing_daemon, samples):
    """A vault with every sample photo, looked into; for tests that only look."""
    browser = Browser(standing_daemon).create(f"seven copper kettles {len(samples)} {samples[0].parent.parent.name}")
    for path in samples:
        browser.put(path.name, path.read_bytes())
    settled(browser)
    return browser


def test_every_photo_has_an_upright_thumbnail_and_a_preview_or_a_reason(filled, samples):
    found = {photo["name"]: photo for photo in filled.photos()}
    assert set(found) == {path.name for path in samples}
    made = {name: photo for name, photo in found.items() if photo["picture"] == "made"}
    reasons = {name: photo["picture"] for name, photo in found.items() if name not in made}
    assert set(reasons) <= BROKEN, reasons
    shown = thumbnails(filled, [photo["id"] for photo in made.values()])
    previews = {name: filled.request("GET", f"/api/photos/{photo['id']}/preview") for name, photo in made.items()}
    assert {name: shown[photo["id"]][0] for name, photo in made.items()} == dict.fromkeys(made, "made")
    assert {name: preview.status_code for name, preview in previews.items()} == dict.fromkeys(made, 200)
    look_at([*(shown[photo["id"]][1] for photo in made.values()), *(preview.content for preview in previews.values())])
    for name, photo in made.items():
        content, preview = shown[photo["id"]][1], previews[name]
        assert max(size(content)) <= 320, name
        assert max(size(preview.content)) <= 2048, name
        assert difference(content, preview.content) < 12, name
        wide, high = size(content)
        assert abs(wide / high - photo["width"] / photo["height"]) < 0.05, name
    for shape in ("landscape", "portrait"):
        upright = shown[found[f"{shape}_1.jpg"]["id"]][1]
        for turned in range(2, 9):
            assert difference(upright, shown[found[f"{shape}_{turned}.jpg"]["id"]][1]) < 12, (shape, turned)


@pytest.mark.nightly("programs")
def test_when_and_where_are_what_the_file_says(filled, samples):
    said = exif(samples)
    compared = 0
    for photo in filled.photos():
        facts = said[photo["name"]]
        if taken := facts.get("DateTimeOriginal"):
            assert photo.get("takenFrom") == "exif", photo["name"]
            day, clock = taken.split(" ")[:2]
            assert photo["takenAt"].startswith(day.replace(":", "-") + "T" + clock[:8]), photo["name"]
            assert photo["takenAt"].endswith(facts.get("OffsetTimeOriginal", clock[-2:])) or "." in photo["takenAt"]
            compared += 1
        if "GPSLatitude" in facts:
            assert photo["place"]["latitude"] == pytest.approx(facts["GPSLatitude"], abs=1e-5), photo["name"]
            assert photo["place"]["longitude"] == pytest.approx(facts["GPSLongitude"], abs=1e-5), photo["name"]
            compared += 1
    assert compared > 17


def test_pictures_cannot_run_anything_and_are_not_kept_by_the_browser(filled):
    photo = next(photo for photo in filled.photos() if photo["picture"] == "made")
    for size_name in ("thumbnail", "preview"):
        answer = filled.request("GET", f"/api/photos/{photo['id']}/{size_name}")
        assert answer.headers["Content-Type"] in ("image/webp", "image/jpeg")
        assert answer.headers["Content-Security-Policy"] == "sandbox; default-src 'none'"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert Browser(filled.daemon).request("GET", f"/api/photos/{photo['id']}/thumbnail").status_code == 401


def test_the_timeline_counts_every_photo_in_its_month(filled):
    months = filled.request("GET", "/api/timeline").json()
    photos = filled.photos()
    assert sum(count for _, count in months) == len(photos)
    assert months == sorted(months, reverse=True)
    sizes = {photo["id"]: photo["size"] for photo in photos}
    ids = set()
    for month, count in months:
        columns = filled.request("GET", f"/api/timeline/{month}").json()
        assert len(columns["id"]) == count
        assert all(len(column) == count for name, column in columns.items() if name not in ("month", "cursor"))
        assert columns["cursor"] is None
        ids |= set(columns["id"])
        assert columns["size"] == [sizes[photo] for photo in columns["id"]]
        assert filled.request("GET", f"/api/timeline/{month}?skip=1").json()["id"] == columns["id"][1:]
    assert ids == set(sizes)
    assert code_of(filled.request("GET", "/api/timeline/2024-13")) == "malformed-request"
    for wrong in ("-1", "x", ""):
        assert code_of(filled.request("GET", f"/api/timeline/{months[0][0]}?skip={wrong}")) == "malformed-request"


def test_a_jpeg_comes_without_place_and_camera_where_that_is_asked_for(vault, photos, tmp_path):
    browser = vault()
    path = next(path for path in photos if path.name == "DSCN0010.jpg")
    photo = browser.put(path.name, path.read_bytes())
    wait_until(lambda: "ETag" in browser.original(photo).headers)
    answer = browser.request("GET", f"/api/photos/{photo['id']}/original", params={"metadata": "none"})
    clean = tmp_path / path.name
    clean.write_bytes(answer.content)
    (facts,) = exif([clean]).values()
    assert set(facts) <= {"SourceFile", "FileName"}
    assert difference(answer.content, path.read_bytes()) == 0
    assert len(answer.content) == path.stat().st_size
    assert browser.content(photo) == path.read_bytes()
    # A download of one is not continued by the other.
    tag = browser.original(photo).headers["ETag"]
    assert answer.headers["ETag"] not in ("", tag)
    other_half = {"Range": "bytes=1000-", "If-Range": tag}
    whole = browser.request("GET", f"/api/photos/{photo['id']}/original", params={"metadata": "none"}, headers=other_half)
    assert (whole.status_code, whole.content) == (200, answer.content)
    other = browser.put("notes.txt", b"words")
    refused = browser.request("GET", f"/api/photos/{other['id']}/original", params={"metadata": "none"})
    assert (refused.status_code, code_of(refused)) == (409, "no-clean-copy")


def test_a_copy_without_place_and_camera_looks_like_its_photo(vault, tmp_path):
    owner, other = vault(), vault()
    photos = [owner.put(name, content) for name, content in files_with_places(tmp_path).items() if name not in NO_COPIES]
    for photo in photos:
        copy = owner.request("GET", f"/api/photos/{photo['id']}/original", params={"metadata": "none"})
        assert copy.status_code == 200, (photo["name"], copy.text)
        other.put(photo["name"], copy.content)
    before, after = ({photo["name"]: photo for photo in settled(one)} for one in (owner, other))
    for name, photo in before.items():
        copy = after[name]
        assert photo["picture"] == copy["picture"] == "made", name
        looks = [
            one.request("GET", f"/api/photos/{found['id']}/preview").content for one, found in ((owner, photo), (other, copy))
        ]
        assert difference(*looks) == 0, name
        for fact in ("width", "height", "duration", "type", "size"):
            assert copy.get(fact) == photo.get(fact), (name, fact)
        assert photo.get("place") and not copy.get("place") and not copy.get("camera"), name


def test_a_file_that_is_no_picture_says_so(vault):
    browser = vault()
    browser.put("notes.txt", b"words")
    browser.put("broken.jpg", b"\xff\xd8\xff\xe0 broken")
    found = {photo["name"]: photo for photo in settled(browser)}
    assert found["notes.txt"]["picture"] == "unknown-format"
    assert found["broken.jpg"]["picture"] in ("damaged", "unknown-format")
    answer = browser.request("GET", f"/api/photos/{found['notes.txt']['id']}/thumbnail")
    assert (answer.status_code, code_of(answer)) == (404, "picture-unknown-format")
    assert thumbnails(browser, [found["notes.txt"]["id"], "A" * 22]) == {
        found["notes.txt"]["id"]: ("none", b"unknown-format"),
        "A" * 22: ("unknown", b""),
    }
    assert browser.request("POST", "/api/thumbnails", json={"ids": ["A" * 22] * 129}).status_code == 400


def test_after_a_kill_the_next_opening_goes_on(restartable_vault, photos):
    browser = restartable_vault()
    some = [path for path in photos if path.suffix == ".jpg"][:8]
    for path in some:
        browser.put(path.name, path.read_bytes())
    first = browser.photos()[0]["id"]
    thumbnails(browser, [first])
    browser.daemon.kill9()
    browser.daemon.start()
    browser.open()
    assert len(settled(browser)) == len(some)
    assert browser.digests().keys() == {path.name for path in some}


def test_nothing_readable_lies_on_the_disk_and_deleting_takes_pictures_away(daemon, photos):
    browser = Browser(daemon).create()
    path = next(path for path in photos if path.name == "DSCN0010.jpg")
    photo = browser.put(MARK.decode() + ".jpg", path.read_bytes())
    settled(browser)
    (_, content) = thumbnails(browser, [photo["id"]])[photo["id"]]
    before = (daemon.data / "previews.sqlite").stat().st_size
    for file in daemon.data.rglob("*"):
        if file.is_file():
            stored = file.read_bytes()
            assert MARK not in stored and content[64:128] not in stored and b"COOLPIX" not in stored, file
    browser.request("POST", "/api/photos/delete", json={"ids": [photo["id"]]})
    browser.request("DELETE", "/api/trash")
    answer = browser.request("GET", f"/api/photos/{photo['id']}/thumbnail")
    assert answer.status_code == 404
    daemon.stop()
    assert (daemon.data / "previews.sqlite").stat().st_size <= before + (1 << 20)
    assert count_of_previews(daemon) == 0


def count_of_previews(daemon):
    import sqlite3

    with sqlite3.connect(daemon.data / "previews.sqlite") as database:
        return database.execute("SELECT count(*) FROM preview").fetchone()[0]


def test_a_guests_photos_keep_their_thumbnails_in_the_vault(vault, photos):
    owner = vault()
    browser = Browser(owner.daemon).begin_guest()
    for path in photos[:4]:
        browser.put(path.name, path.read_bytes())
    before = {photo["name"]: photo for photo in settled(browser)}
    shown = thumbnails(browser, [photo["id"] for photo in before.values()])
    browser.open(owner.password)
    daemon_photos = {photo["name"]: photo for photo in browser.photos()}
    assert set(daemon_photos) == set(before)
    assert all(photo["picture"] == before[name]["picture"] for name, photo in daemon_photos.items())
    again = thumbnails(browser, [photo["id"] for photo in daemon_photos.values()], wait=0)
    for name, photo in daemon_photos.items():
        assert again[photo["id"]] == shown[before[name]["id"]], name


def test_without_the_program_photos_are_kept_and_health_says_so(start_daemon, photos):
    daemon = start_daemon(environment={"SAFELIGHT_IMAGING_EXECUTABLE": "/nowhere/at/all"})
    browser = Browser(daemon).create()
    photo = browser.put(photos[0].name, photos[0].read_bytes())
    assert browser.content(photo) == photos[0].read_bytes()
    assert thumbnails(browser, [photo["id"]], wait=1)[photo["id"]][0] == "pending"
    health = browser.request("GET", "/health").json()
    assert health["status"] == "warn"
    assert health["checks"]["pictures"] == [{"status": "warn", "output": "missing"}]
    assert daemon.log.count("/nowhere/at/all") == 1


# Of processes that are not root's the kernel takes one change of a session's share in a tenth of a second.
CHANGING_SHARES = """
import os, time
os.setsid()
share = os.open("/proc/self/autogroup", os.O_WRONLY)
os.setuid(65534)
while os.getppid() != 1:
    try:
        os.write(share, b"0")
    except BlockingIOError:
        pass
    time.sleep(0.13)
"""


@pytest.fixture
def shares_that_change():
    """Another program that changes its share again and again."""
    process = subprocess.Popen([sys.executable, "-c", CHANGING_SHARES], stderr=subprocess.DEVNULL)
    yield
    process.kill()
    process.wait()


@needs_root
def test_children_give_way_to_everybody_else_outside_their_session_too(daemon, photos, shares_that_change):
    """A child may have its work done before anybody has looked: somebody looks all the time while photos come."""
    browser = Browser(daemon).create()
    session = os.getsid(daemon.pid)
    seen, ended = threading.Event(), threading.Event()

    def watch():
        # The cage closes after the child was told how urgent its work is. A moment's pause leaves the child the processor.
        while not ended.wait(0.002):
            if any(gives_way(child, session) for child in children(daemon)):
                seen.set()
                return

    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch)
        try:
            for number in range(20):
                for path in photos:
                    browser.put(f"{number} {path.name}", path.read_bytes() + bytes(f"{number}", "ascii"))
                if seen.wait(5):
                    break
        finally:
            ended.set()
        watching.result()
    assert seen.is_set(), "no child gives way"


def gives_way(child, session_of_daemon):
    """With a share of a tenth, in a session of its own that is as nice; not one that has ended meanwhile."""
    try:
        if os.getpriority(os.PRIO_PROCESS, child) != 10 or os.getsid(child) == session_of_daemon:
            return False
        share = Path(f"/proc/{child}/autogroup")
        if share.exists() and Path("/proc/sys/kernel/sched_autogroup_enabled").read_text().strip() == "1":
            return share.read_text().split()[-2:] == ["nice", "10"]
        return True
    except (ProcessLookupError, FileNotFoundError):
        return False


def children(daemon):
    found = []
    for path in Path(f"/proc/{daemon.pid}/task").glob("*/children"):
        # Of a thread that has ended there is no list.
        with suppress(FileNotFoundError, ProcessLookupError):
            found += [int(child) for child in path.read_text().split()]
    return found


@pytest.mark.nightly("disks")
@needs_root
def test_while_the_disk_is_full_pictures_wait_and_nothing_is_lost(start_daemon, photos, tmp_path):
    path = next(path for path in photos if path.name == "no_exif.jpg")
    with tmpfs(tmp_path / "small", 208) as disk:
        daemon = start_daemon(data=disk / "data")
        browser = Browser(daemon).create()
        browser.put("large.bin", bytes(20 << 20))
        # Room for a photo beyond the 32 MiB that always stay free, and none for pictures.
        fill(disk / "ballast", leaving=(32 << 20) + (3 << 20))
        photo = browser.put(path.name, path.read_bytes())
        for _ in range(5):
            assert thumbnails(browser, [photo["id"]], wait=1)[photo["id"]][0] == "pending"
        def pictures():
            return [photo["picture"] for photo in browser.photos() if photo["name"] == path.name]

        assert pictures() == ["pending"]
        assert browser.content(photo) == path.read_bytes()

        # Nobody asks for it again: the room alone makes it go on.
        assert browser.delete([photo for photo in browser.photos() if photo["name"] == "large.bin"]) == 1
        assert browser.request("DELETE", "/api/trash").status_code == 200
        wait_until(lambda: pictures() == ["made"], "it does not go on")
        assert browser.content(photo) == path.read_bytes()
        (disk / "ballast").unlink()
        daemon.restart()
        browser = Browser(daemon).open()
        assert [photo["picture"] for photo in browser.photos()] == ["made"]
        assert count_of_previews(daemon) == 2
        daemon.stop()


def test_a_program_whose_libraries_are_gone_is_noticed_and_its_return_too(start_daemon, tmp_path, photos):
    program = tmp_path / "safelight-imaging"
    # What the loader does without a library.
    program.write_text("#!/bin/sh\nexit 127\n")
    program.chmod(0o755)
    daemon = start_daemon(environment={"SAFELIGHT_IMAGING_EXECUTABLE": str(program)})
    browser = Browser(daemon).create()
    browser.put(photos[0].name, photos[0].read_bytes())

    def state():
        return browser.request("GET", "/health").json()["checks"]["pictures"][0]

    wait_until(lambda: state() == {"status": "warn", "output": "missing"}, "health calls the program sound")
    program.unlink()
    program.symlink_to(binary().with_name("safelight-imaging"))
    wait_until(lambda: state() == {"status": "pass"}, "health does not see that it is back")
    # Nobody asks for the picture.
    wait_until(lambda: browser.photos()[0]["picture"] == "made", "the picture is not made")
