"""The reminder of a newer version: a quiet card when somebody is done, and no word of it before."""

import pytest
from browsers import CHROMIUM_FIRST
from client import wait_until
from feed import NEWS, Feed
from playwright.sync_api import expect
from visitor import create_in, file, settings


@pytest.fixture
def feed(tmp_path):
    feed = Feed(tmp_path)
    feed.announce()
    feed.answers["/release"] = b"<!doctype html><title>The release</title>"
    yield feed
    feed.close()


@pytest.fixture(autouse=True)
def daemon(start_daemon, feed):
    """One that knows of the newer version."""
    daemon = start_daemon(environment=feed.environment)
    wait_until(lambda: daemon.log.count("the release feed will be asked") == 2)
    return daemon


def listen(visitor):
    """The answers of the interface from now on."""
    answers = []

    def note(answer):
        # Pictures are no words, and browsers do not keep them.
        if answer.ok and "json" in answer.headers.get("content-type", ""):
            answers.append(answer)

    visitor.page.on("response", note)
    return answers


def expect_silence(visitor, answers):
    """Before the page is left: browsers forget what it was told."""
    assert len(answers) > 2
    # What the page gave up has no words.
    for answer in (answer for answer in answers if answer.request.failure is None):
        assert NEWS not in answer.text(), answer.url
    answers.clear()
    assert NEWS not in visitor.page.content()


def expect_checked(visitor):
    expect(visitor.page.locator(".up-message")).to_contain_text("every file was read back from disk")


def card(visitor):
    return visitor.page.get_by_role("region", name="Upgrade")


@pytest.mark.parametrize("name", CHROMIUM_FIRST)
def test_nobody_hears_of_it_before_the_photos_are_checked(request, visit, daemon, feed, name):
    visitor = visit(browser=request.getfixturevalue(name), ignore_https_errors=True)
    responses = listen(visitor)
    visitor.start_without_password()
    visitor.add(file("guest.jpg", b"of a guest"))
    expect_checked(visitor)
    expect_silence(visitor, responses)
    visitor.page.reload()
    expect(visitor.cell("guest.jpg")).to_be_visible()
    create_in(visitor.to_vault())
    expect(visitor.result("1 moved")).to_be_visible()
    expect_silence(visitor, responses)

    visitor.choose(file("one.jpg", b"one"))
    expect_checked(visitor)
    expect(visitor.page.locator(".up-open")).to_contain_text("A new version of Safelight is ready")
    visitor.page.locator(".up-open").click()
    expect(card(visitor)).to_contain_text(f"A new version of Safelight ({NEWS}) is ready.")
    expect(card(visitor)).not_to_be_focused()
    with visitor.context.expect_page() as opened:
        card(visitor).get_by_role("link", name="What’s new").click()
    expect(opened.value).to_have_title("The release")
    assert opened.value.evaluate("window.opener === null")
    opened.value.close()
    card(visitor).get_by_role("button", name="Remind me later").click()
    expect(card(visitor)).to_have_count(0)
    expect(visitor.page.locator(".up-news")).to_be_hidden()
    visitor.page.get_by_role("button", name="Show them").click()

    # Once in fifteen days: neither the next batch nor the lock speaks of it again.
    responses.clear()
    visitor.choose(file("two.jpg", b"two"))
    expect_checked(visitor)
    with visitor.page.expect_response(lambda response: response.request.method == "DELETE"):
        visitor.lock()
    expect_silence(visitor, responses)

    # Who looks for it finds it, on any device.
    version = settings(visitor.open()).locator(".set-row").filter(has_text="Version")
    expect(version).to_contain_text(f"A new version of Safelight ({NEWS}) is ready.What’s new")
    with visitor.context.expect_page() as opened:
        version.get_by_role("link", name="What’s new").click()
    expect(opened.value).to_have_title("The release")


def test_the_card_stays_on_the_lock_screen_until_it_is_put_away_or_that_version_runs(visitor):
    visitor.create()
    visitor.lock()
    expect(card(visitor)).to_contain_text(NEWS)
    visitor.page.reload()
    expect(card(visitor)).to_contain_text(NEWS)
    visitor.open()
    expect(card(visitor)).to_have_count(0)
    assert NEWS not in visitor.page.content()
    visitor.lock()
    card(visitor).get_by_role("button", name="Remind me later").click()
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    expect(card(visitor)).to_have_count(0)

    # The next vault hears of it, too.
    visitor.create("another lantern on the water")
    visitor.lock()
    expect(card(visitor)).to_contain_text(NEWS)
    visitor.page.route("**/api/hello", lambda route: route.fulfill(json={**route.fetch().json(), "version": NEWS}))
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    expect(card(visitor)).to_have_count(0)
    assert NEWS not in visitor.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    page = settings(visitor.open())
    expect(page.locator(".set-row").filter(has_text="Version")).to_contain_text(NEWS)


def test_a_version_that_is_skipped_on_the_lock_screen_is_skipped_by_the_next_vault_too(visitor, daemon):
    visitor.create()
    visitor.lock()
    card(visitor).get_by_role("button", name="Skip this version").click()
    expect(card(visitor)).to_have_count(0)
    visitor.page.get_by_role("button", name="Create a vault").wait_for()
    visitor.create("another lantern on the water")
    with visitor.page.expect_response(lambda response: response.url.endswith("/api/upgrade/skip")) as told:
        visitor.add(file("one.jpg", b"one"))
    assert told.value.status == 200
    visitor.lock()
    expect(card(visitor)).to_have_count(0)
