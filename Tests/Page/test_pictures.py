"""Thumbnails in the gallery and previews in the viewer, of what browsers show and of what they do not."""

import subprocess

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from visitor import file

SLOW = 120_000


def named(photos, *names):
    return [path for path in photos if path.name in names]


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_pictures_appear_also_of_what_the_browser_cannot_show_and_no_address_of_one_lives_on_after_the_lock(request, visit, photos, engine):
    visitor = visit(request.getfixturevalue(engine)).create()
    page = visitor.page
    visitor.put(*named(photos, "DSCN0010.jpg", "IMG_5195.HEIC", "Rudless.tiff"))
    expect(page.locator(".cell img.is-here")).to_have_count(3, timeout=SLOW)
    # Until then the original stands for a thumbnail.
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(page.locator(".cell img.is-here")).to_have_count(3, timeout=SLOW)
    sources = page.eval_on_selector_all(".cell img", "images => images.map(image => image.src)")
    assert all(source.startswith("blob:") for source in sources), sources
    visitor.cell("IMG_5195.HEIC").click()
    expect(page.locator(".viewer-stage img")).to_have_attribute("alt", "IMG_5195.HEIC")
    page.wait_for_function("() => document.querySelector('.viewer-stage img')?.naturalWidth > 1000")
    visitor.close_viewer()
    shown = """(addresses) => Promise.all(addresses.map(async (address) => {
        const image = new Image();
        image.src = address;
        try { await image.decode(); return true; } catch { return false; }
    }))"""
    sources = page.eval_on_selector_all(".cell img.is-here", "images => images.map(image => image.src)")
    assert page.evaluate(shown, sources) == [True, True, True]
    visitor.lock()
    assert page.evaluate(shown, sources) == [False, False, False]


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
