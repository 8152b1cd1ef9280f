"""The main job in WebKit at the size of a phone. Every test fails on a script error or a policy violation."""

import hashlib
import shutil
import subprocess

import pytest
from daemon import WWW
from proxy import CuttingProxy
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.keys import Keys
from webkit import WATCH, Handset, webkit

# It is the nearest to Safari that Debian has.
pytestmark = pytest.mark.nightly("engines")


@pytest.fixture
def host(start_daemon, tmp_path):
    """A host whose page notes its own faults: WebDriver tells of none."""
    page = shutil.copytree(WWW, tmp_path / "www")
    early = next((page / "js").rglob("early.js"))
    early.write_text(WATCH + early.read_text())
    return start_daemon(www=page)


@pytest.fixture
def proxy(host):
    proxy = CuttingProxy(host)
    yield proxy
    proxy.close()


@pytest.fixture
def visit(host, tmp_path):
    """visit(url) → a person at the door in WebKit; checked for faults at the end of the test."""
    with webkit(tmp_path / "home") as driver:
        yield lambda url: Handset(driver, url)
        assert driver.execute_script("return sessionStorage.getItem('faults')") is None


@pytest.fixture
def few(photos):
    """The four photos of one camera."""
    return [path for path in photos if "/gps/" in str(path)]


def sums(*paths):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def test_webkit_makes_a_vault_fills_it_and_opens_it_again(visit, host, photos):
    # One of them is HEIC, as iPhones make it.
    some = [path for path in photos if path.parent.name == "gps" or path.name == "IMG_5195.HEIC"]
    phone = visit(host.url)
    phone.create()
    phone.add(*some)
    phone.press("", ".up-open")
    phone.see("Saved and verified")
    phone.press("Close", ".panel button")
    phone.see_pictures(len(some))
    assert phone.sums() == sums(*some)
    phone.press("Lock")
    phone.see("You locked the vault")
    assert phone.count(".cell") == 0
    phone.open()
    phone.see_pictures(len(some))


def test_webkit_looks_steps_selects_and_deletes(visit, host, few):
    phone = visit(host.url)
    phone.create()
    phone.add(*few)
    phone.reload_in_order()
    phone.see_pictures(4)
    # A long press chooses a photo, and marks no words.
    assert phone.run("return getComputedStyle(document.querySelector('.cell')).webkitUserSelect") == "none"
    phone.press("", ".cell")
    assert phone.shown() == "1 of 4"
    phone.keys(Keys.ARROW_RIGHT)
    phone.see("2 of 4")
    assert phone.shown() == "2 of 4"
    phone.keys(Keys.END)
    phone.see("4 of 4")
    assert phone.shown() == "4 of 4"
    phone.driver.back()
    phone.see_count("dialog", 0)
    phone.press("Select")
    phone.press("", ".cell")
    phone.press("", "[aria-selected=false] .cell")
    phone.press("Delete", "[role=toolbar] button")
    # The question is no larger than its words.
    assert phone.until(lambda: phone.first("button", "Delete 2")).size["height"] < 60
    phone.press("Delete 2")
    phone.see_count(".cell", 2)
    phone.press("Undo")
    phone.see_count(".cell", 4)


def test_a_guest_s_upload_in_webkit_is_cut_goes_on_and_moves_into_a_vault(visit, proxy, photos):
    large = next(path for path in photos if path.name == "canon_hdr_NO.jpg")
    phone = visit(proxy.url)
    phone.press("Start without a password")
    proxy.cut(large.stat().st_size // 2)
    phone.add(large)
    assert proxy.cuts == 1
    phone.press("Open")
    phone.create()
    phone.see("1 moved")
    phone.see_pictures(1)
    assert phone.sums() == sums(large)


@pytest.fixture
def clip(tmp_path):
    """Four seconds in a format that WebKitGTK plays without further codecs, larger than what it reads ahead. As in what an
    iPhone takes, the table of its pictures comes last."""
    path = tmp_path / "clip.mov"
    pictures = ["-f", "lavfi", "-i", "testsrc2=size=640x480:rate=10:duration=4", "-vf", "noise=alls=100:allf=t"]
    subprocess.run(["ffmpeg", "-v", "error", *pictures, "-c:v", "mjpeg", "-q:v", "2", path], check=True)
    return path


def test_a_video_plays_in_webkit_from_where_somebody_jumps_to(visit, proxy, clip):
    phone = visit(proxy.url)
    phone.press("Start without a password")
    phone.add(clip)
    assert any(plays_from_a_jump(phone, proxy) for _ in range(5))


def plays_from_a_jump(phone, proxy):
    """False where the player stops on the way: that of WebKitGTK does now and then, though it was given all it asked for."""
    # It cannot be opened before the host lists it.
    phone.press("", ".cell[data-id]")
    try:
        phone.until(lambda: phone.run("return document.querySelector('video')?.readyState >= 2"), seconds=20)
        proxy.ranges.clear()
        phone.run("const video = document.querySelector('video'); video.currentTime = 3; video.play()")
        phone.until(lambda: phone.run("return document.querySelector('video').ended"), seconds=20)
    except TimeoutException:
        phone.driver.back()
        phone.see_count("dialog", 0)
        return False
    assert [asked for asked in proxy.ranges if int(asked.removeprefix(b"bytes=").split(b"-")[0]) > 0]
    return True
