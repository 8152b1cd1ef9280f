"""What becomes of the photos on the screen when somebody leaves the page."""

import pytest
from client import wait_until
from playwright.sync_api import expect
from seeding import picture
from visitor import choose_slow, file, stop_clock

HIDE = """(state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def one(visit):
    """A vault with a photo, and a clock that stands: time goes by as the test tells it."""
    visitor = visit().create().put(file("one.png", picture(1), "image/png"))
    visitor.install_clock()
    expect(visitor.cells()).to_have_count(1)
    return visitor


def choose(visitor, words):
    page = visitor.page
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("radio", name=words).check(force=True)
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(visitor.cells()).to_have_count(1)
    stop_clock(page)


def test_a_page_that_is_hidden_shows_no_photo(one):
    page = one.page
    one.cells().first.click()
    expect(page.locator(".frame > img")).to_be_visible()
    page.evaluate(HIDE, "hidden")
    for part in ("#app", "dialog.viewer", ".frame > img"):
        expect(page.locator(part)).to_be_hidden()
    page.evaluate(HIDE, "visible")
    expect(page.locator(".frame > img")).to_be_visible()


def test_a_vault_that_was_left_stays_open_or_is_locked_after_a_minute_or_at_once_as_somebody_has_chosen(one):
    page = one.page
    locked = page.get_by_role("heading", name="Locked when you left the page")
    choose(one, "Stay open")
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(120_000)
    page.evaluate(HIDE, "visible")
    expect(one.cells()).to_have_count(1)
    choose(one, "Lock after a minute")
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(50_000)
    page.evaluate(HIDE, "visible")
    page.clock.run_for(30_000)
    expect(one.cells()).to_have_count(1)
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(61_000)
    expect(locked).to_have_count(1)
    page.evaluate(HIDE, "visible")
    one.open()
    choose(one, "Lock at once")
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(1000)
    page.evaluate(HIDE, "visible")
    expect(locked).to_be_visible()


def test_whoever_chooses_or_sends_files_has_not_left(one):
    page = one.page
    choose(one, "Lock at once")
    page.get_by_role("button", name="Add photos").first.click()
    with one.choosing():
        page.get_by_role("button", name="Photos and videos").click()
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(5000)
    page.evaluate(HIDE, "visible")
    expect(one.cells()).to_have_count(1)
    gate = choose_slow(one)
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(5000)
    page.evaluate(HIDE, "visible")
    gate.open()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_whoever_goes_to_another_tab_of_the_vault_has_not_left(one, visit):
    other = visit(context=one.context)
    expect(other.cells()).to_have_count(1)
    page = one.page
    choose(one, "Lock at once")
    page.evaluate(HIDE, "hidden")
    page.clock.run_for(5000)
    page.evaluate(HIDE, "visible")
    expect(one.cells()).to_have_count(1)
    expect(other.cells()).to_have_count(1)


def test_a_page_that_is_closed_locks_the_vault_where_that_is_wanted(one, visit):
    page = one.page
    choose(one, "Lock at once")
    page.close()
    # Nobody waits for the answer of a page that is gone.
    session = f"{one.url}/api/session"
    wait_until(lambda: one.context.request.get(session).json()["kind"] == "none")
    again = visit(context=one.context)
    expect(again.page.get_by_label("Password", exact=True)).to_be_visible()
