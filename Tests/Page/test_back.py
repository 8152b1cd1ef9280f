"""Back means one step, and whoever comes back to a screen is where they were."""

import re

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from seeding import ALL_SHOWN, many, picture, seed
from visitor import choose_slow, file

GPS = "/gps/"


def position(page, id):
    return page.locator(f"[data-id='{id}']").bounding_box()["y"]


def in_sight(page):
    """The id of a photo in the middle of the window, or near it."""
    return page.evaluate("""() => [...document.querySelectorAll("[data-id]")]
        .find((one) => one.getBoundingClientRect().top > innerHeight / 2).dataset.id""")


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_back_ends_selecting_and_stays_on_the_page(request, visit, engine):
    visitor = visit(request.getfixturevalue(engine)).create()
    seed(visitor, 90)
    page = visitor.reload()
    expect(page.get_by_text("90 items")).to_be_visible()
    page.get_by_role("button", name="Select", exact=True).click()
    visitor.cells().first.click()
    page.evaluate("scrollTo(0, 300)")
    page.wait_for_function("() => scrollY > 250")
    page.go_back()
    expect(page.locator(".pick")).to_have_count(0)
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()
    assert page.evaluate("scrollY") > 250
    # Ended otherwise it leaves no step behind, and what is opened next closes with one.
    page.get_by_role("button", name="Select", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.locator(".pick")).to_have_count(0)
    visitor.cells().nth(3).click()
    expect(visitor.dialog()).to_be_visible()
    page.go_back()
    expect(visitor.dialog()).to_have_count(0)
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_back_puts_the_details_of_a_photo_away_before_the_photo(request, visit, engine):
    visitor = visit(request.getfixturevalue(engine)).create()
    seed(visitor, 3)
    page = visitor.reload()
    details = page.get_by_role("heading", name="Details")
    for _ in range(2):
        visitor.cells().first.click()
        page.get_by_role("button", name="Info").click()
        expect(details).to_be_visible()
        page.go_back()
        expect(details).to_be_hidden()
        expect(visitor.dialog()).to_be_visible()
        page.get_by_role("button", name="Info").click()
        page.locator(".viewer-info").get_by_role("button", name="Close").click()
        page.wait_for_function("() => !history.state?.info")
        page.get_by_role("button", name="Info").click()
        page.get_by_role("button", name="Back to the photos").click()
        # Both steps are gone with it.
        page.wait_for_function("() => !history.state?.viewer && !history.state?.info")
        expect(visitor.dialog()).to_have_count(0)
        expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()


def test_back_closes_the_sheet_of_an_upload_first_and_nothing_else(visitor):
    page = visitor.create().page
    gate = choose_slow(visitor)
    page.locator(".up-open").click()
    expect(page.locator(".panel")).to_be_visible()
    page.go_back()
    expect(page.locator(".panel")).to_be_hidden()
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()
    # Put away otherwise it leaves no step behind, and what leads on is not taken back.
    page.locator(".up-open").click()
    page.get_by_role("button", name="Collapse").click()
    expect(page.locator(".panel")).to_be_hidden()
    page.wait_for_function("() => !history.state?.uploads")
    page.locator(".up-open").click()
    gate.open()
    page.get_by_role("button", name="Show them").click()
    expect(page.get_by_role("heading", name="Recently added", level=1)).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()
    expect(page.locator(".panel")).to_be_hidden()


def test_the_place_among_thousands_of_photos_is_kept_while_one_is_elsewhere(visitor):
    many(visitor, 4000)
    page = visitor.page
    page.evaluate("scrollTo(0, 40_000)")
    # What stands above it has its height then.
    page.wait_for_function(ALL_SHOWN)
    id = in_sight(page)
    before = position(page, id)
    is_there = f"""() => Math.abs((document.querySelector("[data-id='{id}']")?.getBoundingClientRect().y ?? NaN) - {before}) < 2"""
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
    page.go_back()
    page.wait_for_function(is_there)
    page.get_by_role("link", name="Recent").click()
    expect(page.get_by_role("heading", name="Recently added", level=1)).to_be_visible()
    page.wait_for_function("() => scrollY === 0")
    page.get_by_role("link", name="Photos", exact=True).click()
    page.wait_for_function(is_there)
    # Whoever is there already comes to the newest ones.
    page.get_by_role("link", name="Photos", exact=True).click()
    page.wait_for_function("() => scrollY === 0")


def test_show_them_leads_to_what_was_just_added_however_old_it_is(visitor, photos):
    visitor.create()
    seed(visitor, 30)
    old = [path for path in photos if GPS in str(path)]
    visitor.add(*old)
    page = visitor.page
    # Today is the day on which they came, also where midnight has passed since.
    listed = visitor.context.request.get(f"{visitor.url}/api/photos").json()["photos"]
    page.clock.set_fixed_time(max(photo["receivedAt"] for photo in listed))
    page.locator(".up-open").click()
    page.get_by_role("button", name="Show them").click()
    expect(page.get_by_role("heading", name="Recently added", level=1)).to_be_visible()
    for path in old:
        expect(visitor.cell(path.name)).to_be_in_viewport()
    expect(page.get_by_role("heading", name="Today", level=2).first).to_be_visible()


def in_pages_of_three(route):
    """As a host answers that has 1,200 photos."""
    listed = route.fetch(url=route.request.url.partition("?")[0]).json()["photos"]
    start = int(route.request.url.rpartition("cursor=p")[2]) if "?" in route.request.url else 0
    end = start + 3
    route.fulfill(json={"photos": listed[start:end], "cursor": f"p{end}" if end < len(listed) else None})


def test_recently_added_has_all_of_the_last_days_and_more_comes_as_one_goes_on(visit):
    visitor = visit(routes={re.compile(r"/api/photos(\?cursor=.*)?$"): in_pages_of_three}).create()
    seed(visitor, 8)
    page = visitor.page
    page.get_by_role("link", name="Recent").click()
    expect(visitor.cells().first).to_be_visible()
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    expect(page.locator(".picked")).to_have_text("8 selected")


def test_what_is_deleted_is_reached_from_the_settings_and_left_to_them(visitor):
    visitor.create().put(file("one.png", picture(1), "image/png"))
    page = visitor.page
    expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="Deleted")).to_have_count(0)
    visitor.to_deleted()
    expect(page.get_by_role("link", name="Settings")).to_have_attribute("aria-current", "page")
    page.get_by_role("link", name="Back", exact=True).click()
    expect(page.get_by_role("heading", name="Settings", level=1)).to_be_visible()
