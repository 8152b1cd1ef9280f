"""What somebody says of a photo: a caption, when it was taken, which way up it lies. Each can be taken back."""

import re
from datetime import datetime, timedelta

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from visitor import hold_toast, until


@pytest.fixture
def gallery(visit, photos):
    """gallery(**context options) → a vault with the four photos of one camera, looked into."""

    def make(**options):
        visitor = visit(**options).create()
        visitor.put(*[path for path in photos if "/gps/" in str(path)])
        visitor.wait_until_looked_into()
        visitor.reload()
        expect(visitor.page.locator(".cell img.is-here")).to_have_count(4)
        return visitor

    return make


def listed(visitor):
    """name → what the host says of it alone."""
    request = visitor.context.request
    photos = request.get(f"{visitor.url}/api/photos").json()["photos"]
    return {photo["name"]: request.get(f"{visitor.url}/api/photos/{photo['id']}").json() for photo in photos}


def open_first(visitor):
    visitor.cells().first.click()
    expect(visitor.page.locator("figure[data-shown]")).to_be_visible()
    return visitor.page.locator("figure[data-shown] .frame > img").get_attribute("alt")


def choose(visitor, action):
    visitor.page.get_by_role("button", name="More").click()
    visitor.page.get_by_role("dialog", name="More").get_by_role("button", name=action).click()


def undo(visitor):
    visitor.page.get_by_role("button", name="Undo").click()


SEEN = """(image) => {
    const { offsetWidth, offsetHeight, naturalWidth, naturalHeight } = image;
    const scale = Math.min(offsetWidth / naturalWidth, offsetHeight / naturalHeight);
    const size = [naturalWidth * scale, naturalHeight * scale];
    return parseFloat(getComputedStyle(image).rotate) % 180 ? size.reverse() : size;
}"""


def seen(visitor):
    """Width and height of the picture as it is seen, within the room that its element has."""
    return visitor.page.locator("figure[data-shown] .frame > img").evaluate(SEEN)


def shape(visitor):
    width, height = seen(visitor)
    return width / height


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_photo_that_lies_on_its_side_is_turned_in_viewer_and_gallery_and_its_bytes_stay(request, gallery, engine):
    visitor = gallery(browser=request.getfixturevalue(engine), viewport={"width": 1200, "height": 700})
    page = visitor.page
    before = visitor.originals()
    name = open_first(visitor)
    image = page.locator("figure[data-shown] .frame > img")
    assert shape(visitor) > 1
    choose(visitor, "Rotate right")
    expect(image).to_have_attribute("data-turn", "90")
    assert shape(visitor) < 1
    stage = page.locator("figure[data-shown]").bounding_box()
    # As high as there is room, and in the middle, once it has come to rest there.
    assert seen(visitor)[1] == pytest.approx(min(640, stage["height"]), abs=1)
    until(page, lambda: is_in_the_middle(image.bounding_box(), stage))
    page.keyboard.press("r")
    expect(image).to_have_attribute("data-turn", "180")
    page.keyboard.press("Shift+R")
    expect(image).to_have_attribute("data-turn", "90")
    until(page, lambda: listed(visitor)[name].get("rotation") == 90)
    visitor.close_viewer()
    tile = page.get_by_role("button", name=name).locator("img")
    expect(tile).to_have_attribute("data-turn", "90")
    # It is so for whoever comes later, and the file is what it was.
    page.reload()
    expect(tile).to_have_attribute("data-turn", "90")
    assert visitor.originals() == before
    open_first(visitor)
    until(page, lambda: shape(visitor) < 1)
    # A turn can be taken back.
    choose(visitor, "Rotate left")
    hold_toast(page)
    until(page, lambda: "rotation" not in listed(visitor)[name])
    expect(page.locator(".frame [data-turn]")).to_have_count(0)
    undo(visitor)
    until(page, lambda: listed(visitor)[name].get("rotation") == 90)
    expect(image).to_have_attribute("data-turn", "90")
    # Keys are heard as before, though the button that was pressed is gone.
    page.keyboard.press("r")
    expect(image).to_have_attribute("data-turn", "180")
    page.keyboard.press("Shift+R")
    expect(image).to_have_attribute("data-turn", "90")
    # What the host refuses is said, and changes nothing.
    page.route("**/api/photos/*", lambda route: route.fulfill(
        status=507, content_type="application/problem+json", json={"code": "disk-full", "status": 507, "title": "", "detail": ""})
        if route.request.method == "PATCH" else route.continue_())  # fmt: skip
    choose(visitor, "Rotate right")
    expect(page.locator(".toast").get_by_text("disk is full")).to_be_visible()
    expect(image).to_have_attribute("data-turn", "90")


def is_in_the_middle(image, stage):
    sides = (("x", "width"), ("y", "height"))
    return all(
        image[start] + image[length] / 2 == pytest.approx(stage[start] + stage[length] / 2, abs=1)
        for start, length in sides
    )


def info(visitor):
    visitor.page.get_by_role("button", name="Info").click()
    caption = visitor.page.get_by_role("textbox", name="Caption")
    expect(caption).to_be_visible()
    return caption


def test_a_caption_is_written_kept_and_taken_back_and_saved_by_going_on_and_by_closing(gallery):
    visitor = gallery(viewport={"width": 1440, "height": 900})
    page = visitor.page
    name = open_first(visitor)
    caption = info(visitor)
    expect(caption).to_have_value("")
    caption.fill("Nonna’s garden, <b>before</b> the storm")
    # Letters are no keys while somebody writes.
    caption.press("i")
    caption.press("Escape")
    expect(page.locator(".toast").get_by_text("Caption saved")).to_be_visible()
    hold_toast(page)
    until(page, lambda: listed(visitor)[name].get("caption") == "Nonna’s garden, <b>before</b> the stormi")
    undo(visitor)
    until(page, lambda: "caption" not in listed(visitor)[name])
    expect(caption).to_have_value("")
    caption.fill("The first")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("2 of 4")).to_be_visible()
    until(page, lambda: listed(visitor)[name].get("caption") == "The first")
    expect(caption).to_have_value("")
    second = page.locator("figure[data-shown] .frame > img").get_attribute("alt")
    caption.fill("The second")
    page.get_by_role("button", name="Back to the photos").click()
    until(page, lambda: listed(visitor)[second].get("caption") == "The second")
    assert listed(visitor)[name]["caption"] == "The first"


def test_a_caption_is_seen_under_the_photo_and_goes_with_the_bars(gallery):
    visitor = gallery()
    page = visitor.page
    name = open_first(visitor)
    under = page.locator(".viewer-caption")
    expect(under).to_be_hidden()
    info(visitor).fill("Nonna’s <b>garden</b>")
    page.keyboard.press("Escape")
    until(page, lambda: "caption" in listed(visitor)[name])
    # The details say it themselves.
    expect(under).to_be_hidden()
    page.get_by_role("complementary").get_by_role("button", name="Close").click()
    expect(under).to_have_text("Nonna’s <b>garden</b>")
    bottom, above = (box["y"] + box["height"] for box in (under.bounding_box(), page.locator(".viewer-stage").bounding_box()))
    assert abs(bottom - above) < 1
    page.keyboard.press("s")
    expect(under).to_have_css("opacity", "0")
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("2 of 4")).to_be_visible()
    expect(under).to_be_hidden()
    # It is known as well to whoever has not seen the details.
    visitor.close_viewer()
    page.reload()
    expect(page.locator(".cell img.is-here")).to_have_count(4)
    visitor.cell(name).click()
    expect(under).to_have_text("Nonna’s <b>garden</b>")


def test_a_date_is_set_by_hand_the_photo_moves_and_comes_back(gallery):
    visitor = gallery()
    page = visitor.page
    name = open_first(visitor)
    old = listed(visitor)[name]["takenAt"]
    page.get_by_role("button", name="Info").click()
    page.get_by_role("button", name="Change date").click()
    sheet = page.get_by_role("dialog", name="When was it taken?")
    expect(sheet.get_by_label("Date and time")).to_have_value(re.compile(f"^{old[:16]}"))
    sheet.get_by_label("Date and time").fill("1965-07-14T15:30")
    sheet.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_text(re.compile("14 July 1965"))).to_have_count(2)
    expect(page.get_by_text("set by hand")).to_be_visible()
    until(page, lambda: listed(visitor)[name]["takenAt"].startswith("1965-07-14T15:30"))
    page.get_by_role("button", name="Change date").click()
    sheet.get_by_role("checkbox", name="Use the date in the file again").check()
    sheet.get_by_role("button", name="Change", exact=True).click()
    hold_toast(page)
    until(page, lambda: listed(visitor)[name]["takenAt"] == old)
    expect(page.get_by_text("from camera")).to_be_visible()
    # And what was taken back is there again.
    undo(visitor)
    until(page, lambda: listed(visitor)[name]["takenAt"].startswith("1965-07-14T15:30"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="July 1965")).to_be_visible()


def select_all_four(visitor):
    page = visitor.page
    if page.locator(".picked").count() == 0:
        page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    expect(page.locator(".picked")).to_have_text("4 selected")
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Change date").click()
    return page.get_by_role("dialog", name="When were these 4 taken?")


def test_several_are_turned_moved_by_hours_and_given_one_date_each_of_which_is_taken_back(gallery):
    visitor = gallery()
    page = visitor.page
    page.get_by_role("button", name="Select", exact=True).click()
    for index in range(2):
        visitor.cells().nth(index).click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Rotate right").click()
    hold_toast(page)
    expect(page.locator(".cell img[data-turn='90']")).to_have_count(2)
    assert [photo.get("rotation") for photo in listed(visitor).values()].count(90) == 2
    undo(visitor)
    expect(page.locator(".cell img[data-turn]")).to_have_count(0)
    before = times(visitor)
    # A camera with the wrong zone is put right by hours.
    sheet = select_all_four(visitor)
    hours = sheet.get_by_label("Hours")
    expect(hours).to_be_focused()
    sheet.get_by_role("button", name="Change", exact=True).click()
    expect(sheet.get_by_role("alert").or_(sheet.locator(".wrong")).first).to_contain_text("at least one day")
    sheet.get_by_label("Direction").select_option("Earlier")
    hours.fill("2")
    sheet.get_by_label("Minutes").fill("30")
    expect(sheet.get_by_text("becomes")).to_be_visible()
    sheet.get_by_role("button", name="Change", exact=True).click()
    expect(page.locator(".toast").get_by_text("Dates of 4 items changed")).to_be_visible()
    hold_toast(page)
    assert {before[name] - time for name, time in times(visitor).items()} == {150}
    undo(visitor)
    until(page, lambda: times(visitor) == before)
    # One hour is one however it is typed, and 120 hours are five days.
    sheet = select_all_four(visitor)
    expect(hours).to_be_focused()
    page.keyboard.type("1")
    expect(hours).to_have_value("1")
    hours.fill("")
    hours.click()
    page.keyboard.type("120")
    expect(hours).to_have_value("120")
    sheet.get_by_role("button", name="Change", exact=True).click()
    until(page, lambda: {time - before[name] for name, time in times(visitor).items()} == {120 * 60})
    # One date for all of them.
    old = {name: photo["takenAt"] for name, photo in listed(visitor).items()}
    sheet = select_all_four(visitor)
    sheet.get_by_text("Exact date").click()
    sheet.get_by_role("button", name="Change", exact=True).click()
    sheet.get_by_label("Date and time").fill("1999-12-31T23:59")
    sheet.get_by_role("button", name="Change", exact=True).click()
    expect(page.get_by_role("heading", name="December 1999")).to_be_visible()
    hold_toast(page)
    assert all(photo["takenAt"].startswith("1999-12-31T23:59") for photo in listed(visitor).values())
    undo(visitor)
    until(page, lambda: {name: photo["takenAt"] for name, photo in listed(visitor).items()} == old)


def times(visitor):
    """name → minutes by the clock on the wall."""
    return {name: minutes(photo["takenAt"]) for name, photo in listed(visitor).items()}


def minutes(taken):
    """By the clock on the wall."""
    return (datetime.fromisoformat(taken[:16]) - datetime.min) // timedelta(minutes=1)
