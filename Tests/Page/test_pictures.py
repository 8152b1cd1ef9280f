"""Thumbnails in the gallery and previews in the viewer, of what browsers show and of what they do not."""

import re
import subprocess

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from visitor import file

SLOW = 120_000


def named(photos, *names):
    return [path for path in photos if path.name in names]


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_thumbnails_appear_also_of_what_the_browser_cannot_show(request, visit, photos, engine):
    visitor = visit(request.getfixturevalue(engine)).create()
    visitor.put(*named(photos, "DSCN0010.jpg", "IMG_5195.HEIC", "Rudless.tiff"))
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(3, timeout=SLOW)
    # Until then the original stands for a thumbnail.
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(3, timeout=SLOW)
    sources = visitor.page.eval_on_selector_all(".cell img", "images => images.map(image => image.src)")
    assert all(source.startswith("blob:") for source in sources), sources


def test_a_file_that_cannot_be_shown_says_why(visit):
    visitor = visit().create()
    visitor.put(file("broken.jpg", b"\xff\xd8\xff\xe0 broken"))
    expect(visitor.cell("broken.jpg").locator(".kind-why")).to_have_text("This file is damaged.", timeout=SLOW)
    expect(visitor.cell("broken.jpg")).to_have_attribute("aria-label", re.compile("This file is damaged."))


def test_the_viewer_shows_a_preview_of_what_the_browser_cannot(visit, photos):
    visitor = visit().create()
    visitor.put(*named(photos, "IMG_5195.HEIC"))
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(1, timeout=SLOW)
    visitor.cells().first.click()
    shown = visitor.page.locator(".viewer-stage img")
    expect(shown).to_have_attribute("alt", "IMG_5195.HEIC")
    visitor.page.wait_for_function("() => document.querySelector('.viewer-stage img')?.naturalWidth > 1000")


def test_a_video_that_the_browser_cannot_play_shows_its_poster_and_says_so(visit, tmp_path):
    path = tmp_path / "clip.wmv"
    source = ["-f", "lavfi", "-i", "color=red:s=320x240:r=10:d=1"]
    subprocess.run(["ffmpeg", "-v", "error", *source, "-c:v", "wmv2", str(path)], check=True)
    visitor = visit().create()
    visitor.put(file("clip.wmv", path.read_bytes()))
    visitor.wait_until_looked_into()
    visitor.reload()
    visitor.cells().first.click()
    expect(visitor.page.locator(".viewer-stage .unplayed")).to_contain_text("can’t play", timeout=SLOW)
    visitor.page.wait_for_function("() => document.querySelector('.viewer-stage img.poster')?.naturalWidth === 320")


def test_no_address_of_a_picture_lives_on_after_the_lock(visit, photos):
    visitor = visit().create()
    visitor.put(*named(photos, "DSCN0010.jpg"))
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(1, timeout=SLOW)
    source = visitor.page.locator(".cell img").get_attribute("src")
    shown = """async (address) => {
        const image = new Image();
        image.src = address;
        try { await image.decode(); return true; } catch { return false; }
    }"""
    assert source.startswith("blob:")
    assert visitor.page.evaluate(shown, source)
    visitor.lock()
    assert not visitor.page.evaluate(shown, source)
