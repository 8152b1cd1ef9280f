"""Sessions that stay, and those that end: kept open, locked, locked everywhere, idle."""

import re

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from visitor import PASSWORD, UPLOADS, Gate, file, run_clock, settings, stop_clock, until

FIRST = "Create your vault"
AGAIN = "Welcome back"


def heading(visitor, name):
    return visitor.page.get_by_role("heading", level=1, name=name)


def keep_open(visitor):
    visitor.page.get_by_role("checkbox", name="Stay signed in for 30 days").check()


@pytest.mark.parametrize("name", CHROMIUM_FIRST)
def test_after_a_restart_a_vault_that_is_kept_open_shows_its_photos_at_once_and_another_asks_for_its_password(request, visit, daemon, name):
    visitor = visit(browser=request.getfixturevalue(name))
    visitor.begin_vault()
    keep_open(visitor)
    visitor.page.get_by_role("checkbox", name="I understand").check()
    visitor.page.get_by_role("button", name="Create vault").click()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    visitor.add(file("one.jpg", b"one"))
    other = visit(browser=request.getfixturevalue(name))
    expect(other.page.get_by_role("checkbox", name="Stay signed in")).not_to_be_checked()
    other.open()
    daemon.restart()
    visitor.page.goto("about:blank")
    visitor.page.goto(daemon.url)
    expect(visitor.cell("one.jpg")).to_be_visible()
    visitor.page.get_by_role("link", name="Settings").click()
    expect(visitor.page.get_by_text("This browser opens it without a password until")).to_be_visible()
    other.page.reload()
    expect(heading(other, AGAIN)).to_be_visible()
    expect(other.page.get_by_label("Password", exact=True)).to_be_focused()
    other.open()


def test_locking_ends_what_was_kept_and_leaves_a_harmless_hint_and_the_same_form(visitor, visit, lent_host):
    expect(heading(visitor, FIRST)).to_be_visible()
    visitor.create()
    visitor.lock()
    keep_open(visitor)
    visitor.open()
    visitor.add(file("secret name.jpg", b"one"))
    name = f"safelight-{lent_host.port}"
    assert [cookie["name"] for cookie in visitor.context.cookies()].count(name) == 1
    with visitor.page.expect_response(lambda response: response.request.method == "DELETE"):
        visitor.lock()
    assert name not in [cookie["name"] for cookie in visitor.context.cookies()]
    assert "secret name" not in visitor.page.content()
    assert visitor.page.evaluate("({...localStorage, ...sessionStorage})") == {"safelight.opened": "yes"}
    visitor.page.reload()
    expect(heading(visitor, AGAIN)).to_be_visible()
    first = visit()
    expect(heading(first, FIRST)).to_be_visible()
    # In a new browser another button leads.
    form = "document.querySelector('form').outerHTML.replace(/password-\\d+/g, 'password').replace(' is-main', '')"
    until(first.page, lambda: first.page.evaluate(form) == visitor.page.evaluate(form))


# Also where somebody says to be there.
SESSION = re.compile("/api/session(/use)?$")


def idle_after(seconds):
    """The host's answer about the session, with less time."""

    def shorten(route):
        if route.request.method not in ("GET", "POST"):
            route.continue_()
            return
        answered = route.fetch()
        route.fulfill(response=answered, json={**answered.json(), "idleSeconds": seconds, "idleLimitSeconds": seconds})

    return shorten


def test_photos_leave_a_screen_whose_session_was_ended_elsewhere(visitor, visit):
    jpeg = b"\xff\xd8\xff\xe0 "
    visitor.create().put(file("one.jpg", jpeg + b"one"), file("two.jpg", jpeg + b"two"))
    others = [visit(), visit()]
    for other in others:
        keep_open(other)
        other.open()
        expect(other.cells()).to_have_count(2)
    in_viewer, coming_back = others
    in_viewer.cells().first.click()
    expect(in_viewer.dialog()).to_be_visible()
    visitor.page.get_by_role("link", name="Settings").click()
    visitor.page.get_by_role("button", name="Lock everywhere").click()
    visitor.dialog().get_by_role("button", name="Lock everywhere").click()
    expect(heading(visitor, "Locked everywhere")).to_be_visible()
    in_viewer.page.keyboard.press("ArrowRight")
    coming_back.page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    for other in others:
        expect(heading(other, "The vault is locked")).to_be_visible()
        expect(other.cells()).to_have_count(0)
        assert "one.jpg" not in other.page.content()
    # Nothing of what was kept opens it again.
    coming_back.page.reload()
    expect(heading(coming_back, AGAIN)).to_be_visible()


def test_the_last_minute_is_counted_down_and_a_press_keeps_the_vault_open(visitor):
    visitor.create().install_clock()
    stop_clock(visitor.page)
    visitor.route(SESSION, idle_after(20))
    with visitor.page.expect_response("**/api/session/use"):
        visitor.page.reload()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    countdown = visitor.page.locator(".is-idle")
    run_clock(visitor.page, lambda: countdown.is_visible())
    expect(countdown).to_contain_text("Locking in 19 seconds.")
    with visitor.page.expect_response("**/api/session/use"):
        countdown.get_by_role("button", name="Stay open").click()
    expect(countdown).to_have_count(0)
    run_clock(visitor.page, lambda: countdown.is_visible())
    locked = heading(visitor, "Locked after 1 minute without activity")
    # The photos leave the screen before the host has been told.
    with visitor.page.expect_response(lambda answer: answer.request.method == "DELETE"):
        run_clock(visitor.page, lambda: locked.is_visible())
    expect(countdown).to_have_count(0)
    assert visitor.context.request.get(f"{visitor.url}/api/session").json()["kind"] == "none"


def test_an_upload_that_runs_keeps_the_vault_open(visitor):
    visitor.create().install_clock()
    stop_clock(visitor.page)
    visitor.route(SESSION, idle_after(6)).reload()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(file("slow.jpg", b"slow"))
    expect(visitor.title_of_upload()).to_have_text("0 of 1")
    until(visitor.page, lambda: gate.waiting)
    # Twice as long as the vault stays open by itself.
    visitor.page.clock.run_for(12_500)
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("1 saved")


def test_a_kept_session_and_a_guest_are_not_locked_by_idleness(visit):
    guest = visit().start_without_password()
    visit().create()
    kept = visit()
    keep_open(kept)
    kept.open()
    for visitor in (guest, kept):
        assert "idleSeconds" not in visitor.context.request.get(f"{visitor.url}/api/session").json()
        visitor.install_clock()
        expect(visitor.page.get_by_role("navigation", name="Main")).to_be_visible()
        with visitor.page.expect_response(SESSION):
            visitor.page.clock.fast_forward(864 * 100_000)
        visitor.page.clock.run_for(2500)
        expect(visitor.page.get_by_role("navigation", name="Main")).to_be_visible()
        expect(visitor.page.locator(".is-idle")).to_have_count(0)


def test_the_door_is_still_there_behind_new_vault_and_leads_to_the_page_about_the_connection(visitor):
    visitor.page.get_by_role("button", name="Create a vault").click()
    expect(heading(visitor, "Create a vault")).to_be_visible()
    visitor.page.go_back()
    expect(heading(visitor, FIRST)).to_be_visible()
    visitor.page.get_by_role("button", name="Create a vault").click()
    visitor.page.get_by_role("button", name="Back").click()
    expect(heading(visitor, FIRST)).to_be_visible()
    visitor.try_password(PASSWORD)
    expect(visitor.page.get_by_text("That password didn’t open a vault")).to_be_visible()
    link = visitor.page.get_by_role("link", name="On this computer")
    assert link.get_attribute("href") == "/connect.html"
    link.click()
    visitor.page.wait_for_url("**/connect.html")
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()


def test_a_host_that_is_away_is_said_once(visitor):
    expect(heading(visitor, FIRST)).to_be_visible()
    visitor.context.set_offline(True)
    visitor.try_password()
    expect(visitor.page.locator(".offline")).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Open", exact=True)).to_be_visible()
    said = visitor.page.locator("#app, #notes")
    until(visitor.page, lambda: "".join(said.all_inner_texts()).count("Can’t reach Safelight") == 1)
    # Nothing that was typed is lost.
    expect(visitor.page.get_by_label("Password", exact=True)).to_have_value(PASSWORD)
    visitor.context.set_offline(False)


def test_where_the_vault_is_open_is_told_and_can_be_ended(visitor, visit):
    visitor.create()
    other = visit()
    other.open()
    page = settings(visitor)
    expect(page.get_by_role("heading", name="Signed in: 2 browsers")).to_be_visible()
    mine = page.locator(".set-row", has=page.get_by_text("this device"))
    expect(mine).to_have_count(1)
    expect(page.get_by_text("Chrome on Linux", exact=True)).to_have_count(2)
    theirs = page.locator(".set-row", has=page.get_by_text("Chrome on Linux")).filter(
        has_not=page.get_by_text("this device")
    )
    theirs.get_by_role("button", name="Lock there").click()
    page.get_by_role("dialog").get_by_role("button", name="Lock there").click()
    expect(page.get_by_role("heading", name="Signed in: 1 browser")).to_be_visible()
    other.page.reload()
    expect(other.page.get_by_label("Password", exact=True)).to_be_visible()
    mine.get_by_role("button", name="Lock there").click()
    page.get_by_role("dialog").get_by_role("button", name="Lock there").click()
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
