"""Below a path of a name that others have, too."""

import itertools
import re

import pytest
from client import PASSWORD, Browser
from daemon import Daemon
from dav import Dav
from tus import Tus

BASE = "/photos"
ADDRESS = re.compile(r'(?:href|src|url)[=(]"([^"]+)"')


@pytest.fixture(scope="module")
def based(start_standing):
    return start_standing(environment={"SAFELIGHT_BASE": BASE})


def test_every_file_that_the_page_names_lies_below_the_path(based):
    browser = Browser(based)
    for entry in (f"{BASE}/", f"{BASE}/connect.html"):
        page = browser.request("GET", entry)
        assert page.status_code == 200
        addresses = ADDRESS.findall(page.text)
        assert addresses
        for address in addresses:
            assert address.startswith(f"{BASE}/"), address
            assert browser.request("GET", address).status_code == 200, address
    manifest = browser.request("GET", f"{BASE}/manifest.webmanifest").json()
    assert {manifest["start_url"], manifest["scope"], manifest["id"]} == {f"{BASE}/"}
    for script in set(re.findall(rf'"({BASE}/js/[^"]+)"', browser.request("GET", f"{BASE}/").text)):
        text = browser.request("GET", script).text
        assert not re.search(r'["`]/(api|css|icons)\b', text), script


def test_whoever_leaves_out_the_last_slash_is_led_there(based):
    answer = Browser(based).request("GET", BASE, allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"]) == (308, f"{BASE}/")


# The proxy hands on the whole path, or what stands behind its beginning.
@pytest.mark.parametrize("before", [BASE, ""])
def test_what_answers_name_lies_below_the_path_too(based, before, seeded):
    browser = Browser(based).create(f"{PASSWORD} behind {before or 'nothing'}")
    content = seeded.randbytes(50_000)
    answer = browser.request(
        "POST", f"{before}/api/uploads", headers={"Tus-Resumable": "1.0.0", "Upload-Length": str(len(content))})  # fmt: skip
    path = answer.headers["Location"]
    assert path.startswith(f"{BASE}/api/uploads/")
    Tus(browser).patch(path, 0, content)
    photo = browser.photos()[0]
    archive = browser.request("POST", f"{before}/api/archive", json={"ids": [photo["id"]]}).json()["url"]
    assert archive.startswith(f"{BASE}/api/archive/")
    assert browser.request("GET", archive).content[:2] == b"PK"
    form = browser.request(
        "POST", f"{before}/api/photos", files={"photos": ("a.jpg", b"a photo")}, headers={"Accept": "text/html"})  # fmt: skip
    assert f'<a href="{BASE}/">' in form.text


def test_every_address_of_a_listing_begins_as_the_one_that_was_asked(based):
    browser = Browser(based).create(f"{PASSWORD} by WebDAV")
    browser.put("a.jpg", b"a")
    dav = Dav(based, browser.password, base=f"{BASE}/dav")
    for depth, path in itertools.product("01", ("/", "/inbox/", "/by-date/", "/albums/")):
        hrefs = dav.propfind(path, depth).keys()
        assert hrefs and all(href.startswith(f"{BASE}/dav{path}") for href in hrefs), hrefs
    for above in (f"{BASE}/", BASE):
        answer = browser.request("PROPFIND", above, headers={"Depth": "1"})
        assert answer.status_code == 207 and f"<D:href>{BASE}/dav/</D:href>" in answer.text


def test_without_a_path_nothing_lies_below_one(standing_daemon):
    assert Browser(standing_daemon).request("GET", f"{BASE}/").status_code == 404


def test_what_is_no_path_is_refused_at_the_start(tmp_path):
    for number, base in enumerate(("photos", "/a b", "/../etc")):
        (tmp_path / str(number)).mkdir()
        daemon = Daemon(tmp_path / str(number), environment={"SAFELIGHT_BASE": base})
        daemon.launch()
        assert daemon.wait() == 78 and "base" in daemon.log, base
