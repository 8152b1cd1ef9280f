"""Files that other programs put beside a photo: kept, and with it wherever it goes."""

import io
import zipfile

import pytest
from client import Browser
from test_commands import export

SIDECARS = {
    ".AAE": b"<?xml version='1.0'?><plist><dict/></plist>",
    ".xmp": b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>",
    ".jpg.supplemental-metadata.json": b'{"title": "IMG_0001.jpg"}',
}


@pytest.fixture
def photo(photos):
    """A real photo, and what else is called like it."""
    content = next(path for path in photos if path.suffix.lower() in (".jpg", ".jpeg")).read_bytes()
    return content, {f"IMG_0001{ending}": text for ending, text in SIDECARS.items()}


def months(browser):
    return sum(count for _, count in browser.request("GET", "/api/timeline").json())


def put(browser, photo, order):
    content, beside = photo
    names = ["IMG_0001.jpg", *beside]
    for name in names if order == "photo first" else reversed(names):
        browser.put(name, beside.get(name, content))


def tile(browser):
    """The one photo that stands for itself, as the answer about it alone has it."""
    (one,) = [photo for photo in browser.photos() if "sidecarOf" not in photo]
    return browser.request("GET", f"/api/photos/{one['id']}").json()


@pytest.mark.parametrize("order", ["photo first", "photo last"])
def test_sidecars_are_with_their_photo_wherever_it_goes(restartable_vault, photo, tmp_path, order):
    content, beside = photo
    browser = restartable_vault()
    daemon = browser.daemon
    put(browser, photo, order)
    assert months(browser) == 1
    assert {one["name"] for one in tile(browser)["sidecars"]} == set(beside)
    daemon.restart()
    browser.open()
    assert months(browser) == 1
    one = tile(browser)
    assert {one["name"] for one in one["sidecars"]} == set(beside)

    url = browser.request("POST", "/api/archive", json={"ids": [one["id"]]}).json()["url"]
    archive = zipfile.ZipFile(io.BytesIO(browser.request("GET", url).content))
    assert {name: archive.read(name) for name in archive.namelist()} == {"IMG_0001.jpg": content, **beside}

    browser.delete([one])
    assert browser.photos() == [] and months(browser) == 0
    assert len(browser.trash()) == 4 and sum("sidecarOf" in photo for photo in browser.trash()) == 3
    browser.request("POST", "/api/photos/restore", json={"ids": [one["id"]]})
    assert months(browser) == 1 and len(browser.photos()) == 4 and browser.trash() == []

    daemon.stop()
    assert export(daemon, tmp_path / "out", browser.password).returncode == 0
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir() if path.name != "SHA256SUMS"}
    assert written == {"IMG_0001.jpg": content, **beside}


def test_a_sidecar_without_its_photo_is_kept_and_seen_until_that_comes(vault, photo):
    content, beside = photo
    browser = vault()
    browser.put("IMG_0001.AAE", beside["IMG_0001.AAE"])
    browser.put("metadata.json", b"{}")
    assert months(browser) == 2
    browser.put("IMG_0001.jpg", content)
    assert months(browser) == 2
    (lone,) = [photo for photo in browser.photos() if photo["name"] == "metadata.json"]
    assert browser.content(lone) == b"{}" and "sidecarOf" not in lone


def test_a_guest_s_sidecars_move_with_their_photo_and_to_one_that_is_there(vault, photo):
    content, beside = photo
    owner = vault()
    owner.put("IMG_0002.jpg", content + b"another")
    guest = Browser(owner.daemon).begin_guest()
    put(guest, photo, "photo last")
    guest.put("IMG_0002.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'><!-- 2 --></x:xmpmeta>")
    assert months(guest) == 2
    guest.open(owner.password)
    assert months(guest) == 2 and len(guest.photos()) == 6
    owners = {photo["id"]: photo["name"] for photo in guest.photos()}
    assert sorted(owners[photo["sidecarOf"]] for photo in guest.photos() if "sidecarOf" in photo) == [
        *["IMG_0001.jpg"] * 3,
        "IMG_0002.jpg",
    ]
