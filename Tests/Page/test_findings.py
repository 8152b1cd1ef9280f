"""What the page says a phone did to the photos: only what stands in their bytes."""

import base64
import struct

import pytest
from playwright.sync_api import expect
from visitor import file

WIDE = {"width": 1440, "height": 900}
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)
ANDROID = "Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 Chrome/142.0.0.0 Mobile Safari/537.36"
FACTS = """async (list) => {
    const { sniff } = await import("/sources/js/files/sniff.js");
    return list.map((text) => sniff(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))));
}"""


@pytest.fixture
def named(photos):
    """named(file name, …) → paths of real photos."""
    by_name = {path.name: path for path in photos}
    return lambda *names: [by_name[name] for name in names]


def tiff(*entries, extra=b""):
    """A TIFF structure of one directory; what does not fit in 4 bytes lies behind it, in `extra`."""
    body = b"".join(struct.pack(">HHII", *entry) for entry in entries)
    return b"MM\0\x2a" + struct.pack(">IH", 8, len(entries)) + body + bytes(4) + extra


def screenshot():
    """A PNG's beginning as phones write it: Exif with the words of a screenshot."""
    comment = b"ASCII\0\0\0Screenshot"
    inner = struct.pack(">H", 1) + struct.pack(">HHII", 0x9286, 7, len(comment), 26 + 18) + bytes(4) + comment
    exif = tiff((0x8769, 4, 1, 26), extra=inner)
    chunk = struct.pack(">I", len(exif)) + b"eXIf" + exif + bytes(4)
    return file("IMG_0001.PNG", b"\x89PNG\r\n\x1a\n" + chunk, "image/png")


def found(visitor):
    return visitor.page.locator(".found")


def test_an_iphone_s_copies_are_said_once_with_numbers_and_the_way_to_the_originals(visit, named):
    visitor = visit(viewport=WIDE, user_agent=IPHONE).create()
    visitor.choose(*named("iphone_hdr_YES.jpg", "IMG_5195.HEIC", "jolla.jpg", "IMG_iphone_13_pro_max.HEIC"))
    expect(visitor.title_of_upload()).to_have_text("4 saved", timeout=60_000)
    expect(found(visitor)).to_have_count(1)
    found(visitor).locator("summary").click()
    # The Jolla's photo and one of the iPhones' have none; nobody counts an iPhone's JPEG or a still twice.
    expect(found(visitor)).to_contain_text("2 photos arrived without location")
    expect(found(visitor)).to_contain_text("keep Location on")
    expect(found(visitor)).to_contain_text("1 iPhone photo arrived as JPEG")
    expect(found(visitor)).to_contain_text("choose Current")
    expect(found(visitor)).to_contain_text("1 Live Photo arrived as a still")


def test_a_still_with_its_video_is_no_loss_and_a_computer_s_files_are_as_they_are(visit, named):
    visitor = visit(viewport=WIDE).create()
    video = file("IMG_5195.MOV", struct.pack(">I", 20) + b"ftypqt  " + bytes(100), "video/quicktime")
    [still] = named("IMG_5195.HEIC")
    visitor.choose(file(still.name, still.read_bytes(), "image/heic"), video)
    expect(visitor.title_of_upload()).to_have_text("2 saved", timeout=60_000)
    expect(found(visitor)).to_be_hidden()
    visitor.choose(*named("jolla.jpg", "Canon_40D.jpg"))
    expect(visitor.title_of_upload()).to_have_text("2 saved", timeout=60_000)
    expect(found(visitor)).to_be_hidden()


def test_android_is_told_apart_and_a_screenshot_has_no_place_to_lose(visit, named):
    visitor = visit(viewport=WIDE, user_agent=ANDROID).create()
    [jolla, nikon] = named("jolla.jpg", "DSCN0010.jpg")
    files = [file(path.name, path.read_bytes()) for path in (jolla, nikon)]
    visitor.choose(screenshot(), *files)
    expect(visitor.title_of_upload()).to_have_text("3 saved", timeout=60_000)
    found(visitor).locator("summary").click()
    expect(found(visitor)).to_contain_text("1 photo arrived without location")
    expect(found(visitor)).to_contain_text("Android removes the location")
    expect(found(visitor)).to_contain_text("1 screenshot")


def test_bytes_that_break_off_or_lie_are_never_read_beyond_their_end(visit, photos, seeded):
    visitor = visit()
    spoiled = [path.read_bytes()[: seeded.randrange(4, 3000)] for path in photos]
    spoiled += [bytes([*piece[:20], *seeded.randbytes(200)]) for piece in spoiled]
    facts = visitor.with_sources().page.evaluate(FACTS, [base64.b64encode(piece).decode() for piece in spoiled])
    assert len(facts) == len(spoiled)
