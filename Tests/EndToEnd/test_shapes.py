"""Pictures of structures that a library refuses or shows wrong by itself, and videos of older cameras."""

import struct
import subprocess
import zlib

import pytest
from heif import av1, picture, reference
from pictures import pixels, settled, size, thumbnails


@pytest.fixture(scope="module")
def coded():
    """A red picture and a grey gain map."""
    return av1("color=red"), av1("color=gray")


@pytest.fixture
def browser(vault):
    return vault()


def looked_into(browser, files):
    """name → the photo, and its thumbnail where there is one."""
    for name, content in files.items():
        browser.put(name, content)
    photos = {photo["name"]: photo for photo in settled(browser)}
    shown = thumbnails(browser, [photo["id"] for photo in photos.values()])
    return {name: (photo, shown[photo["id"]][1]) for name, photo in photos.items()}


def centre(content):
    """Red, green and blue in the middle."""
    return tuple(pixels(content, 3, 3)[12:15])


def is_red(content):
    red, green, blue = centre(content)
    return red > 200 and green < 60 and blue < 60


def test_what_belongs_to_two_items_hides_no_picture(browser, coded):
    one = [reference(b"auxl", 2, 1), reference(b"dimg", 3, 1, 2), reference(b"cdsc", 4, 1)]
    both = [reference(b"auxl", 2, 1, 3), reference(b"dimg", 3, 1, 2), reference(b"cdsc", 4, 1, 3)]
    late = [reference(b"cdsc", 4, 1, 3), reference(b"dimg", 3, 1, 2), reference(b"auxl", 2, 1)]
    files = {"one.avif": picture(*coded, one), "both.avif": picture(*coded, both), "late.avif": picture(*coded, late)}
    for name, (photo, thumbnail) in looked_into(browser, files).items():
        assert photo["picture"] == "made" and is_red(thumbnail), name
        assert photo["takenAt"] == "2025-01-02T10:25:55", name
        assert browser.content(photo) == files[name]


def test_a_whole_file_that_is_refused_is_not_called_damaged_and_a_broken_one_is(browser, coded):
    plain = picture(*coded, [reference(b"cdsc", 4, 1)])
    # The alpha channel of an item that there is not.
    strange = picture(*coded, [reference(b"auxl", 2, 9)])
    found = looked_into(browser, {"strange.avif": strange, "broken.avif": plain[:-200], "plain.avif": plain})
    states = {name: photo["picture"] for name, (photo, _) in found.items()}
    assert states == {"strange.avif": "unsupported", "broken.avif": "damaged", "plain.avif": "made"}


def test_a_moving_avif_is_shown_and_says_that_it_moves(browser, coded):
    moving = picture(*coded, [reference(b"cdsc", 4, 1)], brand=b"avis")
    photo, thumbnail = looked_into(browser, {"moving.avif": moving})["moving.avif"]
    assert photo["picture"] == "made" and photo["animated"] is True and is_red(thumbnail)
    month = browser.request("GET", "/api/timeline/2025-01").json()
    assert month["animated"] == [True]


def png(*chunks):
    rows = b"".join(b"\0" + b"\xc8\x28\x28" * 8 for _ in range(8))
    parts = [(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)), *chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        for kind, content in parts
    )


def test_a_moving_png_says_that_it_moves_and_a_still_one_does_not(browser):
    found = looked_into(browser, {"still.png": png(), "moving.png": png((b"acTL", struct.pack(">II", 2, 0)))})
    assert found["moving.png"][0]["animated"] is True and "animated" not in found["still.png"][0]


# Of each way of coding them: its number in a file, and a strong red of BT.2020, as bright as paper is white.
BRIGHT = {"smpte2084": (16, (0.58, 0.30, 0.18)), "arib-std-b67": (18, (0.75, 0.25, 0.12))}


def test_a_still_for_bright_screens_is_shown_in_its_colours(browser):
    """Coded as such screens want it: it would look pale."""
    stills = {}
    for transfer, (number, code) in BRIGHT.items():
        colour = "0x" + "".join(f"{round(value * 255):02x}" for value in code)
        bright = av1(
            f"color={colour}", "-vf", "scale=out_color_matrix=bt2020:out_range=pc", "-color_primaries", "bt2020",
            "-color_trc", transfer, "-colorspace", "bt2020nc", "-color_range", "pc", pixels="yuv420p10le",
        )  # fmt: skip
        stills[f"{transfer}.avif"] = picture(bright, bright, [reference(b"cdsc", 4, 1)], colour=(9, number, 9))
    for name, (photo, thumbnail) in looked_into(browser, stills).items():
        assert photo["picture"] == "made", name
        red, green, blue = centre(thumbnail)
        # Shown as it is coded, the three differ by less than 120.
        assert red - max(green, blue) > 140, (name, red, green, blue)


def test_a_panorama_and_a_long_screenshot_are_measured_by_their_shorter_side(browser, tmp_path):
    files = {}
    for name, shape in {"wide.png": "8000x400", "tall.png": "400x8000", "usual.png": "4000x3000"}.items():
        path = tmp_path / name
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"color=red:s={shape}:d=1", "-frames:v", "1", str(path)],
            check=True,
        )
        files[name] = path.read_bytes()
    found = looked_into(browser, files)
    assert [max(size(found[name][1])) for name in files] == [2048, 2048, 320]
    previews = [
        size(browser.request("GET", f"/api/photos/{found[name][0]['id']}/preview").content) for name in files
    ]
    assert previews == [(8000, 400), (400, 8000), (2048, 1536)]


COLOURED, GREY = ("bgr24", "bgra", "rgb555le", "pal8"), ("gray", "monob")


def test_a_bitmap_is_shown_whatever_its_pixels(browser, tmp_path):
    files = {}
    for kind in (*COLOURED, *GREY):
        path = tmp_path / f"{kind}.bmp"
        source = ["-f", "lavfi", "-i", "color=red:s=34x18:d=1", "-frames:v", "1"]
        palette = ",split[a][b];[a]palettegen[p];[b][p]paletteuse" if kind == "pal8" else ""
        bits = ["-vf", "format=rgb24,crop=33:17" + palette]
        subprocess.run(["ffmpeg", "-v", "error", *source, *bits, "-pix_fmt", kind, str(path)], check=True)
        files[path.name] = path.read_bytes()
    for name, (photo, thumbnail) in looked_into(browser, files).items():
        seen = photo["picture"], photo["type"], photo["width"], photo["height"]
        assert seen == ("made", "image/bmp", 33, 17), (name, seen)
        assert size(thumbnail) == (33, 17), name
        assert name.removesuffix(".bmp") in GREY or is_red(thumbnail), name


OLD_VIDEOS = {
    "a.avi": ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p"],
    "b.mts": ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-f", "mpegts"],
    "c.mpg": ["-c:v", "mpeg2video", "-r", "25", "-f", "mpeg"],
    "d.wmv": ["-c:v", "wmv2"],
    "e.3gp": ["-c:v", "h263", "-s", "176x144"],
    "f.mov": ["-c:v", "prores", "-pix_fmt", "yuv422p10le"],
}


def test_videos_of_older_cameras_and_of_editors_have_posters(browser, tmp_path):
    files = {}
    for name, options in OLD_VIDEOS.items():
        path = tmp_path / name
        subprocess.run(
            ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=red:s=320x240:r=10:d=1", *options, str(path)], check=True
        )
        files[name] = path.read_bytes()
    for name, (photo, thumbnail) in looked_into(browser, files).items():
        assert photo["picture"] == "made", (name, photo)
        assert photo["type"].startswith("video/") and is_red(thumbnail), name
        # Of a program stream nothing says it: it is guessed by the rate of its bytes.
        assert name == "c.mpg" or photo["duration"] == pytest.approx(1, abs=0.3), name
