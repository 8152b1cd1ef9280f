"""Parts of the page come later than the page: the host may be away just then, or another one by now."""

import re
import shutil

import pytest
from browsers import CHROMIUM_FIRST
from packing import CHECKOUT, pack_page
from playwright.sync_api import expect
from visitor import until

COMING = re.compile(r"/js/(inside|settings|upload-panel|vault-forms)[-.\w]*$|/css/inside\.css")
COUNT = 5
IMPATIENT = """async () => {
    const { Unreachable, hello } = await import("/sources/js/base/api.js");
    const late = new Promise((resolve) => { setTimeout(resolve, 60_000, "late"); });
    return Promise.race([late, hello(200).then(() => "answered", (error) => error instanceof Unreachable)]);
}"""


def away(page):
    return page.locator(".offline")


def with_a_photo(visitor, photos):
    visitor.start_without_password().add(photos[0])
    expect(visitor.page.locator(".cell[data-id] img.is-here")).to_have_count(1)
    return visitor


@pytest.mark.parametrize("name", CHROMIUM_FIRST)
def test_what_did_not_come_while_the_host_was_away_comes_when_it_is_back(request, visit, start_daemon, packed_page, name):
    # Packed, each part is one file.
    daemon = start_daemon(www=packed_page)
    held, is_held = [], [True]
    routes = {COMING: lambda route: held.append(route) if is_held else route.continue_()}
    visitor = visit(browser=request.getfixturevalue(name), url=daemon.url, routes=routes)
    until(visitor.page, lambda: len(held) == COUNT)
    daemon.kill9()
    is_held.clear()
    for route in held:
        route.continue_()
    expect(away(visitor.page)).to_be_visible()
    daemon.start()
    visitor.create()
    # The style sheet of the inside has come.
    expect(visitor.page.locator(".nav")).to_have_css("position", "fixed")


@pytest.mark.parametrize("name", CHROMIUM_FIRST)
def test_a_photo_that_is_tapped_while_the_host_is_away_opens_when_it_is_back(request, visit, daemon, photos, name):
    visitor = with_a_photo(visit(browser=request.getfixturevalue(name)), photos)
    daemon.kill9()
    visitor.cells().first.click()
    expect(away(visitor.page)).to_be_visible()
    expect(visitor.dialog()).to_have_count(0)
    daemon.start()
    expect(visitor.page.locator("dialog.viewer")).to_be_visible()


def test_a_page_that_is_open_while_the_host_is_upgraded_becomes_the_new_one(
    visit, start_daemon, packed_page, photos, tmp_path
):
    daemon = start_daemon(www=packed_page)
    visitor = with_a_photo(visit(url=daemon.url), photos)
    sources = shutil.copytree(CHECKOUT / "www", tmp_path / "www")
    (sources / "later.txt").write_text("another version")
    daemon.kill9()
    daemon.www = pack_page(sources, tmp_path / "later")
    daemon.start()
    with visitor.page.expect_event("load"):
        visitor.cells().first.click()
    visitor.cells().first.click()
    expect(visitor.page.locator("dialog.viewer")).to_be_visible()
    [start] = daemon.www.glob("js/page-*.js")
    assert visitor.page.evaluate("document.querySelector('script[type=module]').src").endswith(start.name)


def test_a_language_that_is_chosen_while_the_host_is_away_comes_when_it_is_back(visit, firefox, daemon):
    visitor = visit(browser=firefox)
    expect(visitor.page.get_by_label("Language")).to_be_visible()
    daemon.kill9()
    visitor.page.get_by_label("Language").select_option("繁體中文")
    expect(away(visitor.page)).to_be_visible()
    daemon.start()
    expect(visitor.page.locator("html")).to_have_attribute("lang", "zh-Hant")


def test_a_host_that_is_silent_is_waited_for_no_longer_than_whoever_asks_wants(visit):
    page = visit().with_sources().page
    page.route("**/api/hello", lambda route: None)
    assert page.evaluate(IMPATIENT) is True
