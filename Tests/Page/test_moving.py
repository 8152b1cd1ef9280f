"""Moving in: archives and folders that are dropped or chosen, the command of this host, and what each of both proves."""

import random
import re
import zipfile

import pytest
from browsers import CHROMIUM_FIRST
from cases import first, in_nightly
from client import OTHER_PASSWORD, Browser
from exports import LANGUAGES, Export, large_takeout, picture, takeout
from playwright.sync_api import expect
from test_uploads import drop
from visitor import PASSWORD, UPLOADS, Gate, offer, resize, sent_name, settings, until

KIB, MIB = 1 << 10, 1 << 20
# Milliseconds for thousands of photos, on a machine that is busy with other tests.
LONG = 3_600_000


def open_sheet(visitor):
    page = settings(visitor)
    sheet = offer(page, "Import from Google, iCloud…", "Show steps")
    sheet.get_by_text("With a command, on the computer that runs Safelight").click()
    expect(sheet.locator(".moving")).to_be_visible()
    return page


def archive(path, files, method=zipfile.ZIP_DEFLATED):
    """A ZIP of these: path → bytes."""
    with zipfile.ZipFile(path, "w", method) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return path


def choose(visitor, *paths):
    """Chooses files as those that may be anything, and gives the sheet that says what is in them."""
    visitor.page.locator("#add-files").set_input_files(paths)
    sheet = visitor.dialog()
    expect(sheet.get_by_role("button", name="Keep as files instead")).to_be_visible()
    return sheet


def move_in(visitor, *paths):
    """Moves archives in, and gives what the page says of that at the end."""
    told = visitor.page.locator(".is-move")
    before = told.count()
    choose(visitor, *paths).get_by_role("button", name="Import").click()
    expect(told).to_have_count(before + 1, timeout=LONG)
    return told.last


def names(visitor):
    listed = visitor.context.request.get(f"{visitor.url}/api/photos").json()["photos"]
    return sorted(photo["name"] for photo in listed)


def bring(daemon, *sources, password=PASSWORD):
    words = ["import", "--data", str(daemon.data), *map(str, sources)]
    done = daemon.run(*words, input=password.encode() + b"\n", timeout=3600)
    return done.returncode


def test_the_ways_to_copy_stand_below_each_other_beside_their_names(visitor):
    page = open_sheet(visitor.create())
    for width in (390, 195):
        resize(page, width, 844)
        edges = "all => new Set(all.map((one) => Math.round(one.getBoundingClientRect().right))).size"
        assert page.locator(".moving button").evaluate_all(edges) == 1
        for line in page.locator(".moving > li").all():
            assert line.evaluate("one => one.scrollWidth - one.clientWidth") <= 0


def test_what_an_import_brings_appears_in_an_open_page_and_the_sheet_shows_its_proof(daemon, visitor, photos, tmp_path):
    page = open_sheet(visitor.create())
    expect(page.locator("dialog .moving code")).to_have_count(4)
    commands = page.locator("dialog .moving code").all_inner_texts()
    assert len(commands) == 4 and all(f" import --data {daemon.data} " in command for command in commands)
    expect(page.locator("dialog .notice")).to_have_count(0)
    page.keyboard.press("Escape")
    page.goto(f"{visitor.url}/#/photos")
    archive = tmp_path / "takeout-1.zip"
    jpegs = [path for path in photos if path.suffix == ".jpg"][:5]
    with zipfile.ZipFile(archive, "w") as file:
        for path in jpegs:
            file.write(path, f"Takeout/Google Photos/Photos from 2019/{path.name}")
        file.writestr("Takeout/archive_browser.html", "<html>")
        file.writestr("Takeout/words.txt", "words")
    assert bring(daemon, archive) == 0
    # As from another device: nobody reloads.
    expect(page.locator(".cell")).to_have_count(len(jpegs))
    page = open_sheet(visitor)
    proof = page.locator("dialog .notice")
    expect(proof).to_contain_text("7 files, and what became of them:")
    expect(proof).to_contain_text("5 stored, read back, and the same")
    expect(proof).to_contain_text("1 describes photos")
    expect(proof).to_contain_text("1 isn’t a photo")
    expect(proof).to_contain_text("Every photo is in this vault.")


def test_an_import_that_proves_less_says_not_to_delete_and_other_vaults_see_nothing_of_it(daemon, visit, photos, tmp_path):
    visitor = visit().create()
    cut = tmp_path / "cut.zip"
    with zipfile.ZipFile(cut, "w") as file:
        file.write(photos[0], photos[0].name)
    cut.write_bytes(cut.read_bytes()[:-30])
    assert bring(daemon, cut) == 1
    page = open_sheet(visitor)
    expect(page.locator("dialog .notice")).to_contain_text("Don’t delete anything there yet")
    expect(open_sheet(visit().create("another tram eight")).locator("dialog .notice")).to_have_count(0)


# -- by the page


def test_what_is_in_archives_is_said_before_anything_is_sent(visitor, tmp_path):
    visitor.create()
    sent = []
    visitor.page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/api/uploads") else None)
    good = archive(tmp_path / "takeout-001.zip", {
        "Takeout/Rome/a.jpg": picture("a"), "Takeout/Rome/a.jpg.json": b"{}", "Takeout/2019/b.mp4": b"12", "Takeout/words.txt": b"words",
        "Takeout/locked.jpg": picture("locked"),
    })  # fmt: skip
    # As an archiver marks what it has encrypted, in both headers.
    marked = bytearray(good.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        marked[marked.rindex(mark) + flags] |= 1
    good.write_bytes(marked)
    cut = tmp_path / "takeout-002.zip"
    cut.write_bytes(good.read_bytes()[:-30])
    (tmp_path / "takeout-003.tgz").write_bytes(b"\x1f\x8b" + bytes(600))
    sheet = choose(visitor, good, cut, tmp_path / "takeout-003.tgz")
    expect(sheet).to_contain_text("2 photos and videos in 2 folders")
    expect(sheet).to_contain_text("1 file that describes them: dates, places, albums, captions")
    expect(sheet).to_contain_text("1 other file, which stays there")
    expect(sheet).to_contain_text("1 can’t be read. Protected by a password.")
    expect(sheet).to_contain_text("takeout-002.zip Its end is missing. Download it again.")
    expect(sheet).to_contain_text("takeout-003.tgz Damaged. Download this archive again.")
    sheet.get_by_text("1 other file").click()
    expect(sheet.get_by_text("takeout-001.zip/Takeout/words.txt")).to_be_visible()
    visitor.page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    assert sent == []
    # Whoever wants to keep an archive itself does so.
    choose(visitor, cut).get_by_role("button", name="Keep as files instead").click()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert names(visitor) == ["takeout-002.zip"]


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_photos_come_out_of_archives_as_they_are_and_one_that_is_damaged_is_named(visit, request, tmp_path, engine):
    visitor = visit(browser=request.getfixturevalue(engine)).create()
    files = {f"Takeout/Rome/{name}": picture(name) * 2000 for name in ("a.jpg", "b.jpg", "é 羅馬.jpg")}
    packed = archive(tmp_path / "packed.zip", files)
    stored = archive(tmp_path / "stored.zip", {"Takeout/c.jpg": picture("c"), "Takeout/d.jpg": picture("damaged")}, zipfile.ZIP_STORED)
    stored.write_bytes(stored.read_bytes().replace(b"damaged", b"DAMAGED", 1))
    choose(visitor, packed, stored).get_by_role("button", name="Import").click()
    expect(visitor.page.get_by_text("Damaged in the archive")).to_be_attached()
    told = visitor.page.locator(".is-move")
    expect(told).to_contain_text("5 files, and what became of them:")
    expect(told).to_contain_text("4 stored, read back, and the same")
    expect(told).to_contain_text("1 couldn’t be confirmed")
    expect(told).to_contain_text("Don’t delete anything there yet")
    expected = {path.rpartition("/")[2]: content for path, content in files.items()}
    assert visitor.originals() == {**expected, "c.jpg": picture("c")}


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_long_packed_video_comes_in_pieces_and_goes_on_after_a_reload(visit, request, tmp_path, engine):
    """Of three pieces; what stands behind the first one is held back until the page is gone."""
    visitor = visit(browser=request.getfixturevalue(engine)).create()
    content = b"\x00\x00\x00\x14ftypmp42\x00\x00\x00\x00mp42" + random.Random(1).randbytes(20 * MIB)
    path = archive(tmp_path / "long.zip", {"Takeout/long.mp4": content})
    held = []

    def hold_what_follows(route):
        """By where it goes on, not by its number: a host that is busy may refuse a piece, which then is sent again."""
        if int(route.request.headers.get("upload-offset", 0)) > 0:
            held.append(route)
        else:
            route.continue_()

    visitor.page.route("**/api/uploads/*", hold_what_follows)
    choose(visitor, path).get_by_role("button", name="Import").click()
    until(visitor.page, lambda: held)
    visitor.page.reload()
    visitor.page.unroute_all(behavior="ignoreErrors")
    offsets = []
    visitor.page.on("request", lambda one: offsets.append(int(one.headers["upload-offset"])) if one.method == "PATCH" else None)
    told = move_in(visitor, path)
    expect(told).to_contain_text("Every photo is in this vault.")
    assert offsets[0] > 0
    assert visitor.originals() == {"long.mp4": content}


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_the_same_archive_again_after_a_reload_sends_nothing_twice(visit, request, tmp_path, engine):
    visitor = visit(browser=request.getfixturevalue(engine)).create()
    files = {f"Takeout/Rome/IMG_{number:02}.jpg": picture(f"{number}") for number in range(30)}
    path = archive(tmp_path / "takeout.zip", files)
    gate = Gate(visitor.context, UPLOADS, named="IMG_2")
    choose(visitor, path).get_by_role("button", name="Import").click()
    until(visitor.page, lambda: len(gate.waiting) == 3)
    visitor.page.reload()
    visitor.context.unroute_all(behavior="ignoreErrors")
    expect(visitor.page.locator(".results")).to_contain_text("of 30")
    bodies, asked = [], set()
    visitor.page.on("request", lambda one: bodies.append(sent_name(one)) if one.post_data_buffer else None)
    visitor.page.on("request", lambda one: asked.add(one.url) if re.search("/api/photos/[^/]+$", one.url) else None)
    told = move_in(visitor, path)
    expect(told).to_contain_text("30 files, and what became of them:")
    expect(told).to_contain_text("20 were here already")
    expect(told).to_contain_text("10 stored, read back, and the same")
    assert not any(name.startswith(("IMG_0", "IMG_1")) for name in bodies)
    # What the batch has counted is not asked for one by one: of thousands that would take longer than to send them.
    assert len(asked) == 20
    assert len(names(visitor)) == 30


def test_an_archive_that_came_to_the_door_is_looked_into_once_the_vault_is_open(visitor, tmp_path):
    visitor.create().lock()
    path = archive(tmp_path / "takeout.zip", {"Takeout/Rome/a.jpg": picture("a")})
    visitor.page.locator("#add-files").set_input_files(path)
    expect(visitor.page.get_by_text("1 file is waiting.")).to_be_visible()
    visitor.open()
    visitor.dialog().get_by_role("button", name="Import").click()
    expect(visitor.page.locator(".is-move")).to_contain_text("1 stored, read back, and the same")
    assert names(visitor) == ["a.jpg"]


# -- with what is said of photos


def described(browser):
    """What a vault says of each photo, by its content. What is said of no photo may be kept as a file, and is none."""
    told = ("name", "takenAt", "takenFrom", "favourite", "caption", "place")
    photos = [photo for photo in browser.photos() if not photo["name"].endswith(".json")]
    alone = [browser.request("GET", f"/api/photos/{photo['id']}").json() for photo in photos]
    return {
        one["sha256"]: {**{key: one.get(key) for key in told}, "albums": sorted(album["name"] for album in one.get("albums") or [])}
        for one in alone
    }  # fmt: skip


def by_the_command(daemon, paths):
    Browser(daemon).create(OTHER_PASSWORD)
    assert bring(daemon, *paths, password=OTHER_PASSWORD) == 0
    # Thousands take longer than a session that nobody uses.
    return described(Browser(daemon).open(OTHER_PASSWORD))


def one_part_after_the_other(daemon, visitor, paths, named="IMG_1", after_part=lambda: None):
    """Four parts: a reload in the midst of the first, a lock in the midst of the second, a restart before the third."""
    gate = Gate(visitor.context, UPLOADS, named=named)
    choose(visitor, paths[0]).get_by_role("button", name="Import").click()
    until(visitor.page, lambda: gate.waiting)
    visitor.page.reload()
    visitor.context.unroute_all(behavior="ignoreErrors")
    move_in(visitor, paths[0])
    after_part()
    gate = Gate(visitor.context, UPLOADS, named=named)
    choose(visitor, paths[1]).get_by_role("button", name="Import").click()
    until(visitor.page, lambda: gate.waiting)
    visitor.page.get_by_role("button", name="Lock", exact=True).click()
    visitor.dialog().get_by_role("button", name="Lock").click()
    visitor.open()
    gate.break_off()
    expect(visitor.page.locator(".is-move")).to_have_count(1, timeout=LONG)
    after_part()
    daemon.restart()
    visitor.page.reload()
    visitor.open()
    for path in paths[2:]:
        told = move_in(visitor, path)
        expect(told).to_contain_text("Every photo is in this vault.")
        after_part()


@pytest.mark.parametrize(
    ("language", "engine"), [*first(1, [(one, "chromium") for one in LANGUAGES]), in_nightly("engines", ("en", "firefox"))]
)
def test_a_takeout_moves_in_part_by_part_as_by_the_command_in_one_go(daemon, visit, request, tmp_path, language, engine):
    paths = takeout(language).zips(tmp_path, 4)
    expected = by_the_command(daemon, paths)
    visitor = visit(browser=request.getfixturevalue(engine))
    one_part_after_the_other(daemon, visitor.create(), paths)
    assert described(Browser(daemon).open(PASSWORD)) == expected


def test_an_archive_that_is_packed_as_a_whole_moves_in_as_by_the_command(daemon, visitor, tmp_path):
    path = takeout("en").tgz(tmp_path / "takeout.tgz")
    expected = by_the_command(daemon, [path])
    expect(move_in(visitor.create(), path)).to_contain_text("Every photo is in this vault.")
    assert described(Browser(daemon).open(PASSWORD)) == expected


def test_a_dropped_folder_brings_what_is_said_of_its_photos(daemon, visitor, tmp_path):
    folder = takeout("en").folder(tmp_path / "export")
    expected = by_the_command(daemon, [folder])
    drop(visitor.create(), folder / "Takeout")
    visitor.dialog().get_by_role("button", name="Import").click()
    expect(visitor.page.locator(".is-move")).to_contain_text("Every photo is in this vault.")
    assert described(Browser(daemon).open(PASSWORD)) == expected


def test_archives_of_two_people_that_have_one_name_stay_apart(daemon, visitor, tmp_path):
    paths = []
    for person in ("mum", "dad"):
        export = Export()
        year = "Takeout/Google Photos/Photos from 2019"
        export.seconds += 86_400 * len(person) * len(paths)
        export.note(f"{year}/IMG_0001.jpg.json", description=f"Words of {person}")
        export.photo(f"{year}/IMG_0001.jpg", picture(person))
        (tmp_path / person).mkdir()
        paths += export.zips(tmp_path / person)
    expected = by_the_command(daemon, paths)
    visitor.create()
    for path in paths:
        expect(move_in(visitor, path)).to_contain_text("Every photo is in this vault.")
    assert described(Browser(daemon).open(PASSWORD)) == expected


def test_the_same_part_twice_is_there_once(visitor, tmp_path):
    visitor.create()
    paths = []
    for folder in ("downloads", "copies"):
        (tmp_path / folder).mkdir()
        files = {f"Takeout/IMG_{number:02}.jpg": picture(f"{number}") for number in range(9)}
        files["Takeout/long.mp4"] = b"\x00\x00\x00\x14ftypmp42\x00\x00\x00\x00mp42" + random.Random(1).randbytes(9 * MIB)
        paths.append(archive(tmp_path / folder / "takeout.zip", files))
    told = move_in(visitor, *paths)
    expect(told).to_contain_text("20 files, and what became of them:")
    expect(told).to_contain_text("Every photo is in this vault.")
    assert len(names(visitor)) == 10


def test_what_may_hold_photos_and_is_not_read_keeps_the_account_from_being_complete(visitor, tmp_path):
    visitor.create()
    inner = archive(tmp_path / "inner.zip", {"a.jpg": picture("a")}).read_bytes()
    path = archive(tmp_path / "takeout.zip", {"Takeout/b.jpg": picture("b"), "Takeout/inner.zip": inner, "Takeout/page.html": b'<img src="b.jpg">'})
    sheet = choose(visitor, path)
    expect(sheet).to_contain_text("1 can’t be read. An archive within another, or one whose download isn’t complete.")
    expect(sheet).to_contain_text("1 can’t be read. It names photos that are here, in a form that isn’t known.")
    sheet.get_by_role("button", name="Import").click()
    told = visitor.page.locator(".is-move")
    expect(told).to_contain_text("1 stored, read back, and the same")
    expect(told).to_contain_text("2 couldn’t be confirmed")
    expect(told).to_contain_text("Don’t delete anything there yet")


def test_a_part_that_changes_while_it_moves_in_is_not_called_moved(visitor, tmp_path):
    visitor.create()
    path = archive(tmp_path / "takeout.zip", {f"Takeout/IMG_{number:02}.jpg": picture(f"{number}") for number in range(12)}, zipfile.ZIP_STORED)
    gate = Gate(visitor.context, UPLOADS, named="IMG_0")
    choose(visitor, path).get_by_role("button", name="Import").click()
    until(visitor.page, lambda: len(gate.waiting) == 3)
    path.write_bytes(archive(tmp_path / "other.zip", {"Takeout/other.jpg": picture("other")}).read_bytes())
    gate.open()
    told = visitor.page.locator(".is-move")
    expect(told).to_contain_text("12 files, and what became of them:")
    expect(told).to_contain_text("couldn’t be confirmed")
    expect(told).to_contain_text("Don’t delete anything there yet")
    assert {content for content in visitor.originals().values()} <= {picture(f"{number}") for number in range(12)}


@pytest.mark.nightly("sizes")
def test_many_photos_in_four_parts_come_whole_in_flat_memory(daemon, visitor, tmp_path, counted):
    paths = large_takeout(tmp_path, counted(2_000, 20_000))
    expected = by_the_command(daemon, paths)
    daemon.forget_peak()
    taken = Taken(daemon, visitor.create())
    one_part_after_the_other(daemon, visitor, paths, after_part=taken.note)
    taken.check()
    assert described(Browser(daemon).open(PASSWORD)) == expected


class Taken:
    """What is taken of memory once each part has moved in: of the page's own once nothing unused is in it, of the process that
    shows it, and of the daemon at most."""

    def __init__(self, daemon, visitor):
        self.daemon, self.visitor = daemon, visitor
        self.rounds = []
        self.note()

    def note(self):
        devtools = self.visitor.context.new_cdp_session(self.visitor.page)
        devtools.send("HeapProfiler.collectGarbage")
        heap = devtools.send("Runtime.getHeapUsage")["usedSize"]
        devtools.detach()
        whole = self.visitor.context.browser.new_browser_cdp_session()
        processes = whole.send("SystemInfo.getProcessInfo")["processInfo"]
        whole.detach()
        shown = max(resident(one["id"]) for one in processes if one["type"] == "renderer")
        peak = self.daemon.status("VmHWM")
        count = len(Browser(self.daemon).open(PASSWORD).photos())
        self.rounds.append((count, heap, shown, peak))
        print(f"{count:6} photos:", *(f"{byte_count / MIB:6.1f} MiB" for byte_count in self.rounds[-1][1:]))
        self.daemon.forget_peak()

    def check(self):
        _, (first_count, *first), *_, (last_count, *last) = self.rounds
        allowed = [
            # What is kept of each photo that came is gone with the next part, and the list of all is no part of the page.
            4 * MIB,
            # What the process holds in reserve follows from what passed through it in one part.
            48 * MIB + first_count * 32 * KIB,
            # The daemon knows each photo of the open vault, and the file beside it.
            48 * MIB + (last_count - first_count) * 8 * KIB,
        ]
        for before, after, more in zip(first, last, allowed, strict=True):
            assert after < before + more, self.rounds


def resident(pid):
    with open(f"/proc/{pid}/statm") as pages:
        return int(pages.read().split()[1]) * 4096
