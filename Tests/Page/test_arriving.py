"""Photos that were just chosen stand in their own months with their pictures before they are saved, and stay there."""

import base64
import json
import os
import re
import subprocess
import zlib
from datetime import UTC, datetime

import pytest
from client import Browser
from playwright.sync_api import expect
from visitor import SOURCES, UPLOADS, Gate, file, until

WIDE = {"width": 1440, "height": 900}
SCRIPTS = SOURCES / "js" / "files"
MONTHS = ".month-head h2"
# Where each photo stands, by its name: whoever looks at one for a while sees whether it goes elsewhere. Cells that have
# no words yet have none.
PLACES = """() => Object.fromEntries([...document.querySelectorAll(".cell")].map((cell) => {
    const { left, top } = cell.getBoundingClientRect();
    return [/\\S+\\.(?:jpg|png|mp4)/.exec(cell.getAttribute("aria-label"))?.[0], [Math.round(left), Math.round(top + scrollY)]];
}))"""
WATCH = """() => {
    window.moves = [];
    window.most = 0;
    const places = PLACES;
    let last = places();
    const look = () => {
        const now = places();
        window.most = Math.max(window.most, document.querySelectorAll(".cell").length);
        for (const [name, [x, y]] of Object.entries(now)) {
            const before = last[name];
            if (before && name !== "undefined" && (before[0] !== x || before[1] !== y)) window.moves.push([name, before, [x, y]]);
        }
        last = { ...last, ...now };
        requestAnimationFrame(look);
    };
    look();
}""".replace("PLACES", PLACES)


NOTE_CHECKED = """() => new MutationObserver(() => { window.wasChecked ||= document.querySelector(".sign.is-checked") !== null; })
    .observe(document.body, { subtree: true, childList: true })"""


@pytest.fixture(scope="module")
def dated(tmp_path_factory):
    """Nine photos, each of another colour, of three months; the last two say it by their names."""
    folder = tmp_path_factory.mktemp("dated")
    times = [f"2024:0{month}:{day:02} 10:00:00" for month in (3, 5) for day in (2, 9, 16)]
    return pictures(*[(folder / f"p{index}.jpg", index, f"-DateTimeOriginal={time}") for index, time in enumerate(times)],
                    (folder / "IMG_20231201_101010.jpg", 7), (folder / "2023-12-05 10.11.12.jpg", 8))  # fmt: skip


def pictures(*wanted):
    """`(path, number, *tags)` each: of another colour with another number. To start a program for each takes longer."""
    command, tagged = ["ffmpeg", "-v", "error", "-y"], []
    for _, number, *_ in wanted:
        command += ["-f", "lavfi", "-i", f"color=0x{(number * 26 + 20) % 256:02x}{(number * 71) % 256:02x}90:s=640x480"]
    for index, (path, _, *tags) in enumerate(wanted):
        command += ["-map", str(index), "-frames:v", "1", path]
        tagged += ["-execute", *tags, path] if tags else []
    subprocess.run(command, check=True)
    if tagged:
        subprocess.run(["exiftool", *tagged[1:], "-common_args", "-q", "-overwrite_original"], check=True)
    return [path for path, *_ in wanted]


def picture(path, number, *tags):
    return pictures((path, number, *tags))[0]


def test_chosen_photos_stand_in_their_months_with_pictures_before_they_are_saved(visit, dated):
    visitor = visit(viewport=WIDE).create()
    gate = Gate(visitor.page, UPLOADS)
    thumbnails = Gate(visitor.page, "**/api/thumbnails")
    visitor.choose(*dated)
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(8)
    expect(visitor.page.locator(MONTHS)).to_have_text(["May 2024", "March 2024", "December 2023"])
    expect(visitor.page.locator(".sign.is-going")).to_have_count(8)
    expect(visitor.page.get_by_role("button", name="p0.jpg").filter(has_text="")).to_have_accessible_name(
        "Photo, p0.jpg, 2 March 2024 at 10:00, being saved")
    assert visitor.originals() == {} and thumbnails.waiting == []
    # The panel stays as long as somebody is at it: folded away, it would leave the photos more room.
    visitor.title_of_upload().hover()
    visitor.page.evaluate(WATCH)
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("8 saved")
    # The host lists all of them, where they stood.
    expect(visitor.cells()).to_have_count(8)
    expect(visitor.page.locator(".sign.is-going, .sign.is-saved")).to_have_count(0)
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(8)
    thumbnails.open()
    visitor.wait_until_looked_into()
    assert visitor.page.evaluate("window.moves") == []


def test_a_photo_on_its_way_says_when_it_opens_and_opens_as_soon_as_it_is_saved(visit, dated):
    visitor = visit().create()
    sending, listing = Gate(visitor.page, UPLOADS), Gate(visitor.page, "**/api/timeline")
    visitor.choose(dated[0])
    tile = visitor.page.get_by_role("button", name="p0.jpg")
    tile.click()
    expect(visitor.page.locator(".toast")).to_have_text("This photo opens once it is saved.")
    expect(visitor.dialog()).to_have_count(0)
    sending.open()
    expect(tile).to_have_accessible_name("Photo, p0.jpg, 2 March 2024 at 10:00, saved")
    tile.click()
    listing.open()
    expect(visitor.page.locator("dialog.viewer")).to_be_visible()
    expect(visitor.page.locator("dialog.viewer img[src^=blob]").first).to_be_visible()


def test_photos_that_come_among_others_stand_where_the_host_will_list_them(visit, dated):
    visitor = visit(viewport=WIDE).create().put(*dated[::2])
    expect(visitor.cells()).to_have_count(4)
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(*dated[1::2])
    expect(visitor.page.locator(".sign.is-going")).to_have_count(4)
    order = "(cells) => cells.map((cell) => /p\\d|1010|11\\.12/.exec(cell.getAttribute('aria-label'))?.[0])"
    until(visitor.page, lambda: visitor.page.locator(".cell").evaluate_all(order) == ["p5", "p4", "p3", "p2", "p1", "p0", "11.12", "1010"])
    # What is on its way cannot be opened or picked; what is there can, and the one beside it there is the next.
    visitor.page.locator(".cell").first.click()
    visitor.page.locator(".cell").nth(1).click()
    expect(visitor.dialog()).to_contain_text("May 2024")
    visitor.close_viewer()
    visitor.page.get_by_role("button", name="Select", exact=True).click()
    visitor.page.get_by_role("button", name="Select all").click()
    expect(visitor.page.locator(".picked")).to_have_text("4 selected")
    visitor.page.keyboard.press("Escape")
    visitor.title_of_upload().hover()
    visitor.page.evaluate(WATCH)
    gate.open()
    expect(visitor.cells()).to_have_count(8)
    assert visitor.page.evaluate("window.moves") == []


def test_photos_that_are_there_already_are_not_shown_twice(visit, dated):
    visitor = visit(viewport=WIDE).create()
    visitor.page.evaluate(NOTE_CHECKED)
    visitor.choose(*dated)
    # Folded away, the panel would leave the months more room: they would stand beside each other, with short names.
    visitor.title_of_upload().hover()
    expect(visitor.title_of_upload()).to_have_text("8 saved")
    # What was read back says so, for some seconds.
    visitor.page.wait_for_function("() => window.wasChecked")
    visitor.wait_until_read_back()
    # Only a photo whose date the host knows is found where it was taken.
    visitor.wait_until_looked_into()
    expect(visitor.page.locator(MONTHS)).to_have_text(["May 2024", "March 2024", "December 2023"])
    gate = Gate(visitor.page, UPLOADS)
    visitor.page.evaluate(WATCH)
    visitor.choose(*dated)
    until(visitor.page, lambda: len(gate.waiting) == 3)
    gate.open()
    expect(visitor.title_of_upload()).to_have_text(re.compile("^8 "))
    expect(visitor.page.locator(".cell")).to_have_count(8)
    assert visitor.page.evaluate("window.most") == 8


def test_what_is_on_its_way_leaves_the_screen_with_a_lock_comes_back_and_goes_where_it_is_left_out(visit, dated):
    visitor = visit(viewport=WIDE).create()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(*dated)
    expect(visitor.page.locator(".sign.is-going")).to_have_count(8)
    visitor.page.get_by_role("button", name="Lock", exact=True).click()
    visitor.dialog().get_by_role("button", name="Lock").click()
    gate.break_off()
    expect(visitor.page.locator(".cell")).to_have_count(0)
    again = Gate(visitor.page, UPLOADS)
    visitor.open()
    expect(visitor.page.locator(".cell")).to_have_count(8)
    until(visitor.page, lambda: len(again.waiting) == 3)
    visitor.page.get_by_role("button", name="Cancel remaining").click()
    visitor.dialog().get_by_role("button", name="Stop").click()
    expect(visitor.page.locator(".cell")).to_have_count(0)
    again.break_off()


# Files by their paths, names and types, from the standard input; what the page would read in them, to the standard output.
DATES = """
import { readFileSync } from "node:fs";
const { dateOf } = await import(process.argv[1] + "/file-date.js");
const { inMemory } = await import(process.argv[1] + "/file-reading.js");
const files = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(await Promise.all(files.map(({ content, ...about }) => {
    const { buffer, byteOffset, length } = Buffer.from(content, "base64");
    return dateOf(inMemory(about, buffer.slice(byteOffset, byteOffset + length)), Date.now());
}))));
"""
FIX = ["-GPSDateStamp=2019:02:03", "-GPSTimeStamp=12:00:00"]
# When whoever copied them did so: before that, unless a file says so itself, nothing was taken.
COPIED = 1_732_442_400_000
NAMES = ["IMG_20240131_123456.txt", "PXL_20240131_123456789.MP.txt", "IMG-20240131-WA0001.txt", "2024年1月31日.txt",
         "Screenshot 2024-01-31 at 1.34.56 PM.txt", "Capture d’écran 2023-11-12 à 13.14.15.txt", "mmexport1706704496000.txt",
         "1955-07-14 wedding.txt", "20241331_123456.txt", "2019-2020 school year.txt", "31-01-2024 party.txt", "18991231.txt",
         "IMG-20241124-WA0001.txt", "photo_5@03-02-2022_04-05-06.txt", "photo 03-02-2022_04-05-06.txt",
         "Skærmbillede 2023-11-12 kl. 13.14.15.txt", "截屏2023-11-12 下午1.14.15.txt", "스크린샷 2023-11-12 오전 12.14.15.txt",
         "2023-11-12 a las 1.14.15 p. m..txt", "2023-11-12 12.14.15 amber.txt", "2023-11-12 13.14.15 PM.txt",
         "31-12-2023-10-11-12.txt", "12.31.2023.10.11.12.txt", "08.06.2019 Geburtstag.txt", "03-02-2023-10-11-12.txt", "25122018.txt",
         "2019_0613_123456.txt", "2019_0613.txt", "2023-1-5 10.11.12.txt", "2023.1.5.txt", "2019-05-01 4006381333931.txt", "1955.txt",
         "1955-07 (2).txt", "1955-07 Ostsee.txt", "IMG_1955.txt", "scan 1955.txt", "20190601T123456Z.txt", "2099-01-31 of 2019-05-01.txt",
         "1980-01-01 00.03.12.txt", "1970-01-01 01.00.12.txt", "2000-01-01 00.03.12.txt", "Scan 25 Jun 2019.txt", "Photo Jun 25, 2019.txt", "September 2nd, 2019.txt", "Junk 25, 2019.txt",
         "00100lrPORTRAIT_00100_BURST20200418222652648_COVER.txt"]


def movie(path, *options):
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=red:s=32x32:d=0.2", "-c:v", "mpeg4", *options, path],
                   check=True)  # fmt: skip
    return path


def appended(path):
    """With IPTC's 23 December 2005 in a block behind it."""
    content, date = path.read_bytes(), b"\x1c\x02\x37\0\x0820051223"
    entry = b"IPTC" + len(date).to_bytes(4) + (len(content) + 24).to_bytes(4)
    path.write_bytes(content + b"AXS!\0\1\0\1\0\0\0\0" + entry + date + b"AXS!" + len(content).to_bytes(4) + bytes(4))
    return path


def written(path, year):
    """By a program that says when, behind the header of a PNG."""
    content, chunk = path.read_bytes(), b"tIME" + year.to_bytes(2) + bytes([2, 3, 4, 5, 6])
    path.write_bytes(content[:33] + (7).to_bytes(4) + chunk + zlib.crc32(chunk).to_bytes(4) + content[33:])
    return path


def made_in_track(path):
    """A video whose own header knows no time."""
    content = bytearray(path.read_bytes())
    header = content.index(b"mvhd")
    content[header + 8 : header + 16] = bytes(8)
    path.write_bytes(content)
    return path


def test_the_page_and_the_host_read_the_same_dates(start_daemon, photos, tmp_path):
    host = start_daemon(environment={"TZ": "Europe/Berlin", "SAFELIGHT_IMAGING_WORKERS": "0"})
    moment = ["-metadata", "creation_time=2023-06-30T23:30:05Z"]
    zoned = ["-movflags", "use_metadata_tags", "-metadata", "com.apple.quicktime.creationdate=2023-06-30T23:30:05+0900"]
    made = [movie(tmp_path / "clip.mp4", *moment), movie(tmp_path / "VID_20230531_063005.mp4", "-metadata", "creation_time=2023-05-30T23:30:05Z"),
            movie(tmp_path / "front.mov", *moment, "-movflags", "faststart"), movie(tmp_path / "apple.mov", *moment, *zoned),
            movie(tmp_path / "unread.webm", "-c:v", "libvpx", *moment), movie(tmp_path / "none.mp4", "-fflags", "+bitexact"),
            *pictures((tmp_path / "month.jpg", 1, "-n", "-DateTimeOriginal=1955:07:00 00:00:00"),
                      (tmp_path / "edited.jpg", 2, "-ModifyDate=2020:02:03 04:05:06"),
                      (tmp_path / "packet.jpg", 3, "-XMP-photoshop:DateCreated=2019:02:03 04:05:06+01:00"),
                      (tmp_path / "newspaper.jpg", 4, "-IPTC:DateCreated=2018:02:03", "-ModifyDate=2020:02:03 04:05:06"),
                      (tmp_path / "stock.jpg", 5, "-DateTimeOriginal=2002:12:08 12:00:00"),
                      (tmp_path / "text.png", 6, "-PNG:CreationTime=2017:02:03 04:05:06"),
                      (tmp_path / "day.jpg", 7, "-XMP-photoshop:DateCreated=2019:02:03", "-ModifyDate=2019:02:03 04:05:06"),
                      (tmp_path / "year.jpg", 8, "-XMP-photoshop:DateCreated=2019", "-ModifyDate=2019:02:03 04:05:06"),
                      (tmp_path / "IMG_20190203_040506.jpg", 9, "-XMP-photoshop:DateCreated=2019:02"),
                      (tmp_path / "scan.jpg", 10, "-XMP-photoshop:DateCreated=1955", "-XMP-xmp:CreateDate=2015:06:12 10:00:00"),
                      (tmp_path / "satellites.jpg", 12, "-GPSDateStamp=2019:02:03"),
                      # When it was made digital, the shutter by another block, and an editor.
                      (tmp_path / "print.jpg", 18, "-CreateDate=2015:03:01 10:00:00", "-XMP-photoshop:DateCreated=1965:07:14 12:00:00"),
                      (tmp_path / "pressed.jpg", 19, "-CreateDate=2015:03:01 10:00:00", "-IPTC:DateCreated=1965:07:14"),
                      (tmp_path / "IMG_20180512_103000.jpg", 20, "-ModifyDate=2023:03:01 10:00:05"),
                      (tmp_path / "IMG_20180513_103000.jpg", 21, "-ModifyDate=2018:05:13 10:30:02"),
                      (tmp_path / "IMG_20180514_103000.jpg", 22, "-ModifyDate=2018:05:14 18:30:02"),
                      (tmp_path / "1955-07-14 wedding.jpg", 31, "-CreateDate=2015:03:01 10:00:00"),
                      (tmp_path / "1926.jpg", 32, "-XMP-xmp:CreateDate=2015:03:01 10:00:00"),
                      (tmp_path / "IMG_20160102_101112.jpg", 33, "-CreateDate=2015:03:01 10:00:00"),
                      (tmp_path / "2015-03.jpg", 34, "-CreateDate=2015:03:01 10:00:00"),
                      (tmp_path / "universal.jpg", 23, "-XMP-exif:DateTimeOriginal=2022:07:01 22:30:00Z"),
                      (tmp_path / "IMG_20170303_101112.jpg", 24, "-DateTimeOriginal=1980:01:01 00:03:12"),
                      (tmp_path / "IMG_20170304_101112.jpg", 25, "-DateTimeOriginal=2000:01:01 00:03:12"),
                      (tmp_path / "begun.jpg", 26, "-DateTimeOriginal=1970:01:01 01:00:12", "-CreateDate=2019:05:05 10:00:00"),
                      (tmp_path / "late.jpg", 27, "-DateTimeOriginal=2019:02:03 14:15:10", *FIX),
                      (tmp_path / "editor.jpg", 28, "-DateTimeOriginal=2019:02:03 21:00:10", "-OffsetTime=+02:00", "-ModifyDate=2019:03:03 20:00:00", *FIX),
                      (tmp_path / "round.jpg", 29, "-ModifyDate=2019:08:10 14:00:00", "-GPSDateStamp=1999:12:25", "-GPSTimeStamp=12:00:00"),
                      (tmp_path / "turned.jpg", 30, "-n", "-DateTimeOriginal=31/12/2016 23:59:50"),
                      (tmp_path / "half.jpg", 13, "-n", "-DateTimeOriginal=2019:02:03 04:05 PM"),
                      (tmp_path / "blanks.jpg", 14, "-n", "-DateTimeOriginal=2019: 2: 3  4: 5: 6", "-OffsetTimeDigitized=+03:00")),
            movie(tmp_path / "plain.mp4", "-metadata", "date=20180707"),
            movie(tmp_path / "universal.mp4", "-metadata", "date=2023-06-30T22:30:05Z"),
            written(picture(tmp_path / "written.png", 15), 2019), written(picture(tmp_path / "later.png", 16), 2025),
            written(picture(tmp_path / "IMG_20190203_040507.png", 17), 2018),
            made_in_track(movie(tmp_path / "track.mp4", *moment)),
            appended(picture(tmp_path / "behind.jpg", 11))]  # fmt: skip
    files = [(path.name, path.read_bytes()) for path in [*photos, *made]]
    files += [(name, name.encode()) for name in NAMES]
    kinds = {"jpg": "image/jpeg", "png": "image/png", "heic": "image/heic", "mp4": "video/mp4", "mov": "video/quicktime", "webm": "video/webm"}
    read = read_by_the_page(
        {"name": name, "type": kinds.get(name.rsplit(".")[-1].lower(), ""), "lastModified": COPIED,
         "content": base64.b64encode(content).decode()} for name, content in files)  # fmt: skip
    browser = Browser(host).create()
    told = {}
    for (name, content), date in zip(files, read, strict=True):
        known = browser.put(name, content, params={"modified": str(COPIED)}).get("takenAt")
        # Where the page cannot know as much as the host, it says nothing.
        if date is not None:
            told[name] = (wall(known), date.get("wall"))
    assert {name: dates for name, dates in told.items() if dates[0] != dates[1]} == {}
    assert len(told) > 100 and not {"unread.webm", "newspaper.jpg", "behind.jpg", "pressed.jpg"} & set(told)


def read_by_the_page(files):
    command = ["node", "--input-type=module", "-e", DATES, SCRIPTS.as_uri()]
    done = subprocess.run(command, input=json.dumps([*files]), env={**os.environ, "TZ": "Europe/Berlin"},
                          check=True, capture_output=True, text=True)  # fmt: skip
    return json.loads(done.stdout)


def wall(text):
    """Milliseconds by the clock of a date that the host tells, of which perhaps only the year or the month is known."""
    if text is None:
        return None
    if len(text) <= 10:
        text = f"{text}{'-01-01'[: 10 - len(text)] if len(text) < 7 else '-01'[: 10 - len(text)]}T12:00:00"
    return round(datetime.fromisoformat(re.sub(r"(Z|[+-]\d\d:\d\d)$", "", text)).replace(tzinfo=UTC).timestamp() * 1000)


def test_a_video_that_knows_no_zone_stands_by_the_clock_of_the_device(visit, tmp_path):
    visitor = visit(viewport=WIDE, timezone_id="Asia/Tokyo").create()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(movie(tmp_path / "clip.mp4", "-metadata", "creation_time=2023-06-30T23:30:05Z"))
    expect(visitor.page.locator(MONTHS)).to_have_text("July 2023")
    gate.open()
    expect(visitor.cells()).to_have_count(1)
    expect(visitor.page.locator(MONTHS)).to_have_text("July 2023")


def test_only_what_is_seen_gets_a_picture_from_this_device(visit, dated):
    visitor = visit().create()
    visitor.page.evaluate("""() => {
        window.made = 0;
        const { postMessage } = Worker.prototype;
        Worker.prototype.postMessage = function (question, ...rest) {
            if (question.isPicture) window.made += 1;
            return postMessage.call(this, question, ...rest);
        };
    }""")
    gate = Gate(visitor.page, UPLOADS)
    content = dated[0].read_bytes()
    visitor.choose(*[file(f"IMG_2024{1 + index // 28:02}{1 + index % 28:02}_101010.jpg", content + bytes([index % 256, index // 256]))
                     for index in range(300)])
    expect(visitor.page.locator(".cell img.is-here").first).to_be_visible()
    seen = "() => [...document.querySelectorAll('.cell')].every((cell) => cell.querySelector('img.is-here'))"
    until(visitor.page, lambda: visitor.page.evaluate("window.made") > 10 and visitor.page.evaluate(seen))
    assert visitor.page.evaluate("window.made") < 120
    gate.break_off()


def in_head(folder, name, size, small, *tags, spoil=bytes):
    """A blue photo with a red picture in its head, as cameras put it there; `spoil` makes other bytes of that."""
    paths = [folder / name, folder / "small.jpg"]
    for path, colour, (width, height) in zip(paths, ("0x2020d0", "0xd02020"), (size, small), strict=True):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"color={colour}:s={width}x{height}", "-frames:v", "1", path],
                       check=True)  # fmt: skip
    paths[1].write_bytes(spoil(paths[1].read_bytes()))
    subprocess.run(["exiftool", "-q", "-n", "-overwrite_original", f"-ThumbnailImage<={paths[1]}", "-DateTimeOriginal=2024:03:02 10:00:00",
                    *tags, paths[0]], check=True)  # fmt: skip
    return paths[0]


# What the tile shows: `[width, height, "red" or "blue"]`.
SHOWN = """(image) => {
    const canvas = new OffscreenCanvas(1, 1);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0, 1, 1);
    const [red, , blue] = context.getImageData(0, 0, 1, 1).data;
    return [image.naturalWidth, image.naturalHeight, red > blue ? "red" : "blue"];
}"""


def tables_of_nothing(jpeg):
    at = jpeg.index(b"\xff\xc4") + 5
    return jpeg[:at] + b"\xff" * 16 + jpeg[at + 16 :]


HEADS = {
    "same": ((640, 480), (160, 120), [], bytes, [160, 120, "red"]),
    # It lies on its side, as the photo does.
    "turned": ((640, 480), (160, 120), ["-Orientation=6"], bytes, [120, 160, "red"]),
    # With bars above and below, which the photo has not.
    "barred": ((640, 426), (160, 120), [], bytes, [160, 106, "red"]),
    # Of another photo.
    "foreign": ((480, 480), (160, 90), [], bytes, [400, 400, "blue"]),
    # What only who decodes it finds out.
    "without tables": ((640, 480), (160, 120), [], tables_of_nothing, [400, 300, "blue"]),
    "without a scan": ((640, 480), (160, 120), [], lambda jpeg: jpeg[: jpeg.index(b"\xff\xda")] + b"\xff\xd9", [400, 300, "blue"]),
}


def shown(visitor, names):
    """name → what its tile shows, once all of them show something."""
    images = {name: visitor.page.get_by_role("button", name=f"{name}.jpg").locator("img.is-here") for name in names}
    for image in images.values():
        expect(image).to_have_count(1)
    return {name: image.evaluate(SHOWN) for name, image in images.items()}


def test_what_the_camera_put_into_the_head_is_shown_until_the_host_has_a_better_picture(visit, tmp_path):
    visitor = visit(viewport=WIDE).create()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(*[in_head(tmp_path, f"{name}.jpg", size, small, *tags, spoil=spoil)
                     for name, (size, small, tags, spoil, _) in HEADS.items()])  # fmt: skip
    until(visitor.page, lambda: shown(visitor, HEADS) == {name: expected for name, (*_, expected) in HEADS.items()}, pause=200)
    gate.open()
    visitor.wait_until_looked_into()
    until(visitor.page, lambda: {colour for *_, colour in shown(visitor, HEADS).values()} == {"blue"}, pause=200)
    expect(visitor.page.locator(".cell .kind")).to_have_count(0)


def test_whoever_looks_again_asks_again_for_a_better_picture_than_that_in_the_head(visit, tmp_path):
    visitor = visit(viewport=WIDE).create()
    thumbnails = Gate(visitor.page, "**/api/thumbnails")
    visitor.choose(in_head(tmp_path, "photo.jpg", (640, 480), (160, 120)))
    until(visitor.page, lambda: thumbnails.waiting)
    visitor.wait_until_looked_into()
    image = visitor.page.locator(".cell img.is-here")
    until(visitor.page, lambda: image.evaluate(SHOWN) == [160, 120, "red"])
    thumbnails.break_off()
    visitor.page.get_by_role("link", name="Recent").click()
    expect(visitor.page.get_by_role("heading", name="Recent", level=1)).to_be_visible()
    until(visitor.page, lambda: image.evaluate(SHOWN) == [320, 240, "blue"])
