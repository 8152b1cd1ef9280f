"""What somebody says of a photo: a caption, when it was taken, which way up it lies, what of it is shown. Each can be taken back."""

import base64
import re
from datetime import datetime, timedelta

import pytest
from browsers import CHROMIUM_FIRST, PHONE
from playwright.sync_api import expect
from visitor import SAME_ORIGIN, file, hold_toast, stop_clock, until


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
    // Nothing of it has come yet.
    if (!naturalWidth) return [1, 1];
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
    until(page, lambda: shape(visitor) > 1)
    choose(visitor, "Rotate right")
    expect(image).to_have_attribute("data-turn", "90")
    until(page, lambda: shape(visitor) < 1)
    stage = page.locator("figure[data-shown]").bounding_box()
    # As high as there is room, and in the middle, once it has come to rest there.
    until(page, lambda: seen(visitor)[1] == pytest.approx(min(640, stage["height"]), abs=1))
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
    visitor.install_clock()
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
    beneath = """() => Math.abs(document.querySelector(".viewer-caption").getBoundingClientRect().bottom
        - document.querySelector(".viewer-stage").getBoundingClientRect().bottom) < 1"""
    page.wait_for_function(beneath)
    stop_clock(page)
    page.keyboard.press("s")
    expect(under).to_have_css("opacity", "0")
    page.keyboard.press("Escape")
    page.clock.resume()
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
    until(page, lambda: [photo.get("rotation") for photo in listed(visitor).values()].count(90) == 2)
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
    until(page, lambda: {before[name] - time for name, time in times(visitor).items()} == {150})
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
    until(page, lambda: all(photo["takenAt"].startswith("1999-12-31T23:59") for photo in listed(visitor).values()))
    undo(visitor)
    until(page, lambda: {name: photo["takenAt"] for name, photo in listed(visitor).items()} == old)


def times(visitor):
    """name → minutes by the clock on the wall."""
    return {name: minutes(photo["takenAt"]) for name, photo in listed(visitor).items()}


def minutes(taken):
    """By the clock on the wall."""
    return (datetime.fromisoformat(taken[:16]) - datetime.min) // timedelta(minutes=1)


# A picture whose quarters have a colour each.
QUARTERS = """(size) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: size[0], height: size[1] });
    const context = canvas.getContext("2d");
    ["#f00", "#0f0", "#00f", "#fff"].forEach((colour, index) => {
        context.fillStyle = colour;
        context.fillRect(index % 2 * size[0] / 2, index < 2 ? 0 : size[1] / 2, size[0] / 2, size[1] / 2);
    });
    return canvas.toDataURL("image/jpeg", 0.95).split(",")[1];
}"""
# What is seen at shares of a picture, as the letters of the colours above.
COLOURS = """(image, places) => {
    if (!image.naturalWidth) return "";
    const canvas = Object.assign(document.createElement("canvas"), { width: image.naturalWidth, height: image.naturalHeight });
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return places.map(([x, y]) => {
        const [red, green, blue] = context.getImageData(x * canvas.width, y * canvas.height, 1, 1).data.map((light) => light > 127);
        return red ? (green ? "w" : "r") : green ? "g" : blue ? "b" : "-";
    }).join("");
}"""
CORNERS = [[0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]]


@pytest.fixture
def quarters(visit):
    """quarters(width, height, **context options) → a vault with one picture of four colours, opened in the viewer."""

    def make(width=800, height=600, **options):
        visitor = visit(**options).create()
        picture = base64.b64decode(visitor.page.evaluate(QUARTERS, [width, height]))
        visitor.put(file("quarters.jpg", picture))
        visitor.wait_until_looked_into()
        visitor.reload()
        expect(visitor.page.locator(".cell img.is-here")).to_have_count(1)
        open_first(visitor)
        return visitor

    return make


def crop(page):
    """The dialog, once the picture is in it."""
    dialog = page.get_by_role("dialog", name="Crop and straighten")
    expect(dialog.get_by_role("application", name="Crop frame")).to_be_focused()
    return dialog


def edit_of(visitor):
    return listed(visitor)["quarters.jpg"].get("edit")


def colours(image, places=CORNERS):
    return image.evaluate(COLOURS, places)


def drag(page, handle, x, y):
    """From the middle of what is seen of an element by so many pixels."""
    box = handle.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + x, box["y"] + box["height"] / 2 + y, steps=4)
    page.mouse.up()


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_photo_is_cropped_where_it_is_seen_and_its_bytes_stay(request, quarters, engine):
    visitor = quarters(browser=request.getfixturevalue(engine), viewport={"width": 1200, "height": 800})
    page = visitor.page
    before = visitor.originals()
    image = page.locator("figure[data-shown] .frame > img")
    until(page, lambda: colours(image) == "rgbw")
    page.get_by_role("button", name="Crop", exact=True).click()
    dialog = crop(page)
    box = dialog.locator(".crop-box").bounding_box()
    drag(page, dialog.locator(".crop-handle.is-e"), -box["width"] / 2, 0)
    expect(dialog.get_by_text("400 × 600 pixels")).to_be_visible()
    # Beyond the picture there is nothing to show.
    drag(page, dialog.locator(".crop-handle.is-nw"), -300, -300)
    expect(dialog.get_by_text("400 × 600 pixels")).to_be_visible()
    dialog.get_by_role("button", name="Save").click()
    expect(page.locator(".toast").get_by_text("The file itself stays as it is")).to_be_visible()
    until(page, lambda: image.evaluate("image => image.naturalWidth / image.naturalHeight") == pytest.approx(2 / 3, abs=0.02))
    until(page, lambda: colours(image) == "rrbb")
    assert edit_of(visitor) == pytest.approx({"left": 0, "top": 0, "right": 0.5, "bottom": 1}, abs=0.01)
    visitor.close_viewer()
    tile = page.locator(".cell img.is-here")
    until(page, lambda: colours(tile) == "rrbb")
    # It is so for whoever comes later, in albums too, and the file is what it was.
    request = visitor.context.request
    photo = listed(visitor)["quarters.jpg"]["id"]
    made = request.post(f"{visitor.url}/api/albums", data={"name": "Colours", "ids": [photo]}, headers=SAME_ORIGIN)
    assert made.ok
    page.reload()
    until(page, lambda: tile.count() == 1 and colours(tile) == "rrbb")
    page.goto(f"{visitor.url}/#/albums")
    cover = page.locator(".album-face img.is-here")
    until(page, lambda: cover.count() == 1 and colours(cover) == "rrbb")
    assert visitor.originals() == before
    # Back to all of it, and that can be taken back, too.
    page.goto(f"{visitor.url}/#/photos")
    open_first(visitor)
    until(page, lambda: colours(image) == "rrbb")
    with page.expect_download() as download:
        choose(visitor, "Download as cropped")
    assert download.value.suggested_filename == "quarters (cropped).jpg"
    choose(visitor, "Back to the original")
    hold_toast(page)
    until(page, lambda: image.count() == 1 and colours(image) == "rgbw")
    until(page, lambda: edit_of(visitor) is None)
    undo(visitor)
    until(page, lambda: image.count() == 1 and colours(image) == "rrbb")


def test_a_frame_goes_by_keys_and_a_picture_stands_straight(quarters):
    visitor = quarters(viewport={"width": 1200, "height": 800})
    page = visitor.page
    page.keyboard.press("c")
    dialog = crop(page)
    page.keyboard.press("]")
    page.keyboard.press("]")
    expect(dialog.get_by_text("1°")).to_be_visible()
    expect(dialog.get_by_role("slider", name="Straighten")).to_have_value("1")
    for key in ("Shift+ArrowLeft", "Shift+ArrowLeft", "Shift+ArrowUp", "ArrowRight"):
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(dialog).to_have_count(0)
    until(page, lambda: edit_of(visitor))
    edit = edit_of(visitor)
    assert edit["angle"] == 1
    # Turned, it has corners outside: the frame is a little smaller, and was moved within it.
    width, height = edit["right"] - edit["left"], edit["bottom"] - edit["top"]
    assert 0.9 < width < 0.98 and 0.9 < height < 0.99
    image = page.locator("figure[data-shown] .frame > img")
    until(page, lambda: image.count() == 1 and colours(image) == "rgbw" and "-" not in colours(image, [[0, 0], [0.999, 0.999]]))
    # What is looked at again stands as it was left; another key begins anew, and Escape changes nothing.
    page.keyboard.press("c")
    dialog = crop(page)
    expect(dialog.get_by_role("slider", name="Straighten")).to_have_value("1")
    page.keyboard.press("r")
    expect(dialog.get_by_text("800 × 600 pixels")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.locator("figure[data-shown]")).to_be_visible()
    assert edit_of(visitor) == edit
    # What the host refuses is said, and changes nothing.
    page.route("**/api/photos/*", lambda route: route.fulfill(
        status=507, content_type="application/problem+json", json={"code": "disk-full", "status": 507, "title": "", "detail": ""})
        if route.request.method == "PATCH" else route.continue_())  # fmt: skip
    choose(visitor, "Back to the original")
    expect(page.locator(".toast").get_by_text("disk is full")).to_be_visible()
    assert edit_of(visitor) == edit


def test_a_finger_crops_what_was_turned_to_a_shape(quarters):
    visitor = quarters(viewport=PHONE, has_touch=True)
    page = visitor.page
    choose(visitor, "Rotate right")
    until(page, lambda: listed(visitor)["quarters.jpg"].get("rotation") == 90)
    choose(visitor, "Crop and straighten")
    dialog = crop(page)
    # A shape lies as the picture does: of one that stands upright it stands upright.
    dialog.get_by_text("16:9", exact=True).click()
    expect(dialog.get_by_text("450 × 800 pixels")).to_be_visible()
    dialog.get_by_text("Square", exact=True).click()
    expect(dialog.get_by_text("450 × 450 pixels").or_(dialog.get_by_text("600 × 600 pixels"))).to_be_visible()
    for control in dialog.locator("button, .crop-handle, input").all():
        size = control.bounding_box()
        assert min(size["width"], size["height"]) >= 24 and max(size["width"], size["height"]) >= 44
    box = dialog.locator(".crop-box").bounding_box()
    frame = dialog.locator(".crop-frame")
    start = frame.bounding_box()
    touch(page, start, (0, -box["height"]))
    until(page, lambda: frame.bounding_box()["y"] == pytest.approx(box["y"], abs=1))
    dialog.get_by_role("button", name="Save").click()
    until(page, lambda: edit_of(visitor))
    edit = edit_of(visitor)
    # The upper end of what stands is the left one of what lies in the file.
    assert edit["left"] == 0
    assert (edit["right"] - edit["left"]) * 800 == pytest.approx((edit["bottom"] - edit["top"]) * 600, abs=1)
    assert listed(visitor)["quarters.jpg"]["rotation"] == 90


def touch(page, box, by):
    """One finger, from the middle of a box."""
    devtools = page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    send = lambda kind, points: devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})  # noqa: E731
    send("touchStart", [{"x": x, "y": y}])
    for share in (0.25, 0.5, 0.75, 1):
        send("touchMove", [{"x": x + by[0] * share, "y": y + by[1] * share}])
    send("touchEnd", [])
