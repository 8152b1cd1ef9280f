"""From a code to the first saved photo: every tap and every word on the way, as docs/page.md has them."""

import re
import socket

import pytest
from client import OTHER_PASSWORD
from daemon import CHECKOUT
from doors import PARTY, Owner
from playwright.sync_api import expect
from seeding import picture
from test_connect import facts, move_to, refuse
from visitor import PASSWORD, file
from way import PHONE, WARNING, Way

PHOTO = file("first.png", picture(1), "image/png")


def past_the_warning(land, fragment="", path="connect.html"):
    """(taps, words) of the first screen over plain HTTP, and of the warning behind it."""
    way = Way(land(fragment=fragment, path=path, **PHONE).page)
    way.page.context.route("https://**", lambda route: route.abort())
    way.tap("Continue", role="link")
    return way.taps + WARNING, way.words


def documented(label):
    """(taps, words) that docs/page.md has for a way, in the first of its tables."""
    text = (CHECKOUT / "docs" / "page.md").read_text().partition("### Six walks")[0]
    [line] = [line for line in text.splitlines() if line.startswith(f"| {label}")]
    return tuple(int(cell) for cell in line.strip("| ").split("|")[1:])


@pytest.fixture
def land(visit, lent_host):
    def open_page(fragment="", path="connect.html", **options):
        address = f"http://{socket.gethostname()}.local:{lent_host.port}/connect.html{fragment}"
        routes = {"**/api/certificate": facts(), "**/connect/secure": refuse}
        visitor = visit(url=address, routes=routes, **options)
        move_to(visitor, path)
        return visitor

    return open_page


def test_a_newcomer_has_the_first_photo_saved_after_seven_taps_and_120_words(land, visit):
    taps, words = past_the_warning(land, "#code=ABCD-2345")
    visitor = visit(**PHONE)
    page = visitor.page
    page.goto("about:blank")
    page.goto(f"{visitor.url}/#code=ABCD-2345")
    way = Way(page)
    expect(page.get_by_label("Password again")).to_be_visible()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    # What knows common passwords comes while one is typed; its word is one of those that are counted.
    expect(page.locator("main").get_by_text("Strong", exact=True)).to_be_visible()
    way.tap("Create vault")
    sheet = "dialog.sheet"
    expect(page.locator(sheet)).to_be_visible()
    way.pick("I’ve kept it safe", place=sheet, files=[PHOTO])
    expect(page.locator(".up-bar")).to_contain_text("1 saved")
    assert (taps + way.taps, words + way.words) == documented("setup code")
    assert taps + way.taps <= 7 and words + way.words <= 120


def test_a_guest_has_the_first_photo_saved_after_six_taps(land, visit, lent_host, shared_host):
    shared_host.note_begun(lent_host.url, OTHER_PASSWORD)
    owner = Owner(lent_host)
    super(Owner, owner).create(OTHER_PASSWORD)
    door = owner.make_door(PARTY)
    fragment = f"#{door['link'].partition('#')[2]}"
    taps, words = past_the_warning(land, fragment, "give/")
    visitor = visit(url=f"{lent_host.url}/give/{fragment}", **PHONE)
    expect(visitor.page.get_by_role("heading", level=1)).to_have_text(PARTY)
    way = Way(visitor.page)
    way.pick("Add photos", files=[PHOTO])
    expect(visitor.page.locator(".give-count")).to_contain_text("1 ")
    assert (taps + way.taps, words + way.words) == documented("a photo link")


def test_where_the_owner_wants_no_warning_a_guest_has_the_first_photo_saved_after_three_taps(visit, lent_host, shared_host):
    shared_host.note_begun(lent_host.url, OTHER_PASSWORD)
    owner = Owner(lent_host)
    super(Owner, owner).create(OTHER_PASSWORD)
    door = owner.make_door(PARTY, unencrypted=True)
    address = f"http://{socket.gethostname()}.local:{lent_host.port}/give/?plain#{door['link'].partition('#')[2]}"
    visitor = visit(url=address, **PHONE)
    expect(visitor.page.get_by_role("heading", level=1)).to_have_text(PARTY)
    way = Way(visitor.page)
    way.pick("Add photos", files=[PHOTO])
    expect(visitor.page.locator(".give-count")).to_contain_text("1 ")
    assert (way.taps, way.words) == documented("a link whose owner")


def test_in_a_known_browser_a_photo_is_saved_after_five_taps(visit):
    visitor = visit(**PHONE).create()
    page = visitor.page
    visitor.lock()
    # It comes a moment after the door stands there, and last.
    expect(page.get_by_role("button", name="Add photos, decide later")).to_be_visible()
    way = Way(page)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    way.tap(re.compile("^Open$"))
    way.tap("Add photos", place=".nav")
    way.pick("Photos and videos", place="dialog.sheet", files=[PHOTO])
    expect(page.locator(".up-bar")).to_contain_text("1 saved")
    assert (way.taps, way.words) == documented("a known browser")
