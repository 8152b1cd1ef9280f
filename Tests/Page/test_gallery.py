"""The gallery: thousands of photos, dates, keys, and what stays in its place."""

import re

import pytest
from browsers import CHROMIUM_FIRST
from cases import first
from playwright.sync_api import expect
from seeding import ALL_SHOWN, ManyPhotos, many, picture, seed
from visitor import file, resize, until

MOST_NODES = 1500
NODES = "document.querySelectorAll('*').length"


def place_of(page, id):
    return page.evaluate("(id) => document.querySelector(`[data-id='${id}']`)?.getBoundingClientRect().top ?? null", id)


def go_to(page, month):
    choose = "(select, month) => { select.value = month; select.dispatchEvent(new Event('change')); }"
    page.get_by_label("Go to").evaluate(choose, month)


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_thousands_of_real_photos_are_reached_from_end_to_end(request, visit, counted, engine):
    count = counted(400, 50_000) if engine == "chromium" else 300
    visitor = visit(request.getfixturevalue(engine)).create()
    seed(visitor, count)
    page = visitor.reload()
    expect(page.get_by_text(f"{count:,} items")).to_be_visible()
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    oldest = visitor.cell(re.compile("IMG_00000.png"))
    expect(oldest).to_be_visible()
    assert page.evaluate(NODES) <= MOST_NODES
    page.evaluate("scrollTo(0, 0)")
    expect(visitor.cell(re.compile(f"IMG_{count - 1:05}.png"))).to_be_visible()
    page.wait_for_function(ALL_SHOWN, timeout=120_000)


def test_few_photos_stand_in_one_row_without_a_scrubber(visit):
    visitor = visit(viewport={"width": 1440, "height": 900}).create()
    seed(visitor, 3)
    page = visitor.reload()
    tops = "cells => new Set(cells.map((cell) => cell.getBoundingClientRect().top)).size"
    for width in (1440, 390):
        resize(page, width, 900)
        expect(visitor.cells()).to_have_count(3)
        page.wait_for_function("() => document.querySelector('.row').getBoundingClientRect().width <= innerWidth")
        until(page, lambda: visitor.cells().evaluate_all(tops) == 1)
        expect(page.get_by_role("slider")).to_have_count(0)


def test_a_date_is_reached_by_keys_by_hand_and_from_a_list_and_it_is_said_where_one_is(visitor):
    made = many(visitor, 5000)
    page = visitor.page
    slider, months = page.get_by_role("slider", name="Date"), page.get_by_label("Go to")
    slider.focus()
    expect(slider).to_have_attribute("aria-valuetext", "November 2026")
    page.keyboard.press("PageDown")
    expect(slider).to_have_attribute("aria-valuetext", "November 2025")
    expect(page.get_by_role("heading", name="November 2025")).to_be_visible()
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuetext", "December 2016")
    expect(visitor.cell(re.compile("04959.jpg"))).to_be_visible()
    page.keyboard.press("Home")
    expect(slider).to_have_attribute("aria-valuetext", "November 2026")
    box = slider.bounding_box()
    x, y = box["x"] + 12, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 300, steps=5)
    expect(page.locator(".scrub b")).to_be_visible()
    expect(slider).not_to_have_attribute("aria-valuetext", "November 2026")
    page.mouse.up()
    expect(page.locator(".scrub.is-held")).to_have_count(0)
    page.wait_for_function("() => scrollY > 5000")
    # Without eyes or pointer.
    go_to(page, "2020-05")
    expect(page.get_by_role("heading", name="May 2020")).to_be_in_viewport()
    grid = page.get_by_role("grid", name="May 2020")
    expect(grid).to_have_attribute("aria-rowcount", "14")
    expect(grid.get_by_role("row").first).to_have_attribute("aria-rowindex", "1")
    # Not all that is in it, which takes a minute to hear.
    expect(grid.get_by_role("row").first).to_have_attribute("aria-label", re.compile(r"^1 to \d+ of \d+$"))
    # A month comes, and all others have another number.
    expect(slider).to_have_attribute("aria-valuetext", "May 2020")
    number = int(slider.get_attribute("aria-valuenow"))
    made.months.insert(0, ("2026-12", 5))
    made.come += 5
    visitor.choose(file("new.png", picture(1), "image/png"))
    expect(months.locator("option")).to_have_count(121)
    expect(slider).to_have_attribute("aria-valuenow", str(number + 1))
    expect(slider).to_have_attribute("aria-valuetext", "May 2020")
    expect(months).to_have_value("2020-05")


@pytest.mark.parametrize("width", first(1, [390, 1280]))
def test_a_month_is_picked_at_its_name_whose_circle_moves_nothing_and_a_day_at_its_own(visit, width):
    visitor = visit(viewport={"width": width, "height": 800})
    made = many(visitor, 10_000)
    page = visitor.page
    head = page.locator(".month-head", has=page.locator("h2:not(:empty)")).first
    name, mark, row = head.locator("h2"), head.locator(".tick-all .mark"), page.locator(".row").first
    expect(row).to_be_visible()
    before = [one.bounding_box()["y"] for one in (name, row)]
    page.get_by_role("button", name="Select", exact=True).click()
    expect(mark).to_be_visible()
    assert [one.bounding_box()["y"] for one in (name, row)] == before
    middle, beside = (box["y"] + box["height"] / 2 for box in (name.bounding_box(), mark.bounding_box()))
    assert abs(middle - beside) <= 1.5
    # Months that share a row are spelled short there, but in the list all of them alike.
    words = page.locator(".jump option").all_text_contents()
    assert words and all(len(word.split(" ")[0]) > 3 or word.startswith("May") for word in words)
    picked = page.locator(".picked")
    month = page.get_by_role("button", name="Everything in November 2026")
    expect(month).to_have_attribute("aria-pressed", "false")
    month.click()
    expect(picked).to_have_text(f"{made.months[0][1]} selected")
    expect(month).to_have_attribute("aria-pressed", "true")
    visitor.cells().first.click()
    expect(month).to_have_attribute("aria-pressed", "false")
    month.click()
    month.click()
    expect(picked).to_have_text("0 selected")
    # 84 photos in November 2026, three on each of 28 days, the last day first: so the days come around three times.
    day = page.locator(".cell[data-id=p0] .day")
    expect(day).to_have_text("Sat 28")
    expect(page.locator(".cell[data-id=p1] .day")).to_have_text("Fri 27")
    day.click()
    expect(picked).to_have_text("1 selected")
    day.click()
    expect(picked).to_have_text("0 selected")


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_what_the_eye_is_on_stays_while_photos_come_above_it_and_the_window_turns(request, visit, engine):
    visitor = visit(request.getfixturevalue(engine))
    made = many(visitor, 5000)
    page = visitor.page
    go_to(page, "2024-05")
    first = page.get_by_role("grid", name="May 2024").locator(".cell[data-id]").first
    expect(first).to_be_in_viewport()
    # What stands above it has its height then.
    page.wait_for_function(ALL_SHOWN)
    id = first.get_attribute("data-id")
    before = place_of(page, id)
    made.add(7)
    with page.expect_response(re.compile("/api/timeline/2024-05")):
        visitor.choose(file("new.jpg", b"\xff\xd8\xff new"))
    page.wait_for_function("(id) => document.querySelector(`[data-id='${id}']`)", arg=id)
    shift = "([id, was]) => Math.abs(document.querySelector(`[data-id='${id}']`).getBoundingClientRect().top - was) < 2"
    page.wait_for_function(shift, arg=[id, before])
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_function("(id) => { const box = document.querySelector(`[data-id='${id}']`)?.getBoundingClientRect();"
                           " return box && box.top > -10 && box.top < innerHeight; }", arg=id)  # fmt: skip


def test_the_focus_goes_over_the_ends_of_months_to_photos_that_nobody_has_looked_at_and_stays_with_its_photo(visitor):
    made = many(visitor, 5000)
    page = visitor.page
    page.locator(".cell[data-id=p4]").focus()
    page.evaluate("scrollTo(0, 40_000)")
    page.wait_for_function(ALL_SHOWN)
    # Whatever is far away, it is never taken away.
    assert page.evaluate("document.activeElement.dataset.id") == "p4"
    page.keyboard.press("ArrowRight")
    expect(page.locator(".cell[data-id=p5]")).to_be_focused()
    expect(page.locator(".cell[data-id=p5]")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Control+End")
    last = page.locator(".cell[data-id=p4999]")
    expect(last).to_be_focused()
    expect(last).to_be_in_viewport(ratio=1)
    page.keyboard.press("Control+Home")
    expect(page.locator(".cell[data-id=p0]")).to_be_focused()
    for _ in range(14):
        page.keyboard.press("ArrowDown")
    # 42 photos in rows of three: the month has fourteen rows, and the next row is that of another month.
    expect(page.locator(".cell[data-id=p42]")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".cell[data-id=p41]")).to_be_focused()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    page.wait_for_function("() => document.activeElement.getBoundingClientRect().bottom <= innerHeight - 60")
    # Its month is another by now.
    page.keyboard.press("Control+Home")
    expect(page.locator(".cell[data-id=p0]")).to_be_focused()
    page.locator(".cell[data-id=p4]").focus()
    made.months[0] = ("2026-12", made.months[0][1])
    visitor.choose(file("new.jpg", b"\xff\xd8\xff new"))
    expect(page.get_by_role("grid", name="December 2026").locator("[data-id=p4]")).to_be_focused()
    expect(page.get_by_role("grid", name="November 2026")).to_have_count(0)


def test_where_the_last_photo_of_a_row_is_deleted_the_one_before_it_gets_the_focus(visitor):
    visitor.create()
    seed(visitor, 4)
    page = visitor.reload()
    expect(visitor.cells()).to_have_count(4)
    page.get_by_role("button", name="Select", exact=True).click()
    visitor.cells().nth(3).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Delete")
    page.get_by_role("button", name="Delete 1").press("Enter")
    expect(visitor.cells()).to_have_count(3)
    expect(visitor.cells().nth(2)).to_be_focused()


def test_a_range_over_months_all_and_what_was_not_picked_are_selected_and_come_as_one_archive(visit):
    visitor = visit(viewport={"width": 1440, "height": 900})
    ManyPhotos(visitor.create(), 6000, months=12)
    page = visitor.reload()
    asked = []

    def answer(route):
        asked.append((route.request.url.rpartition("/api/")[2], route.request.post_data_json["ids"]))
        route.fulfill(json={"url": "/api/archive/name"}, status=201 if len(asked) == 1 else 200)

    page.route(re.compile("/api/archive"), lambda route: answer(route) if route.request.method == "POST" else route.abort())
    page.get_by_role("button", name="Select", exact=True).click()
    page.locator(".cell[data-id=p3]").click()
    go_to(page, "2026-06")
    page.locator(".cell[data-id=p2502]").click(modifiers=["Shift"])
    expect(page.get_by_text("2,500 selected · 2.5 GB")).to_be_visible()
    page.get_by_role("button", name="Select all").click()
    expect(page.get_by_text("6,000 selected · 6 GB")).to_be_visible()
    # More than a request takes.
    page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    until(page, lambda: sum(len(ids) for _, ids in asked) == 6000)
    assert [path for path, _ in asked] == ["archive", "archive/name"]
    assert len({photo for _, ids in asked for photo in ids}) == 6000
    expect(page.get_by_role("toolbar")).to_have_count(0)
    go_to(page, "2026-11")
    for name in ("p1", "p3"):
        page.locator(f".cell[data-id={name}]").click(modifiers=["Control"])
    page.get_by_role("button", name="Invert selection").click()
    expect(page.get_by_text("5,998 selected · 6 GB")).to_be_visible()
    expect(page.locator("[role=gridcell]", has=page.locator("[data-id=p1]"))).to_have_attribute("aria-selected", "false")
    expect(page.locator("[role=gridcell]", has=page.locator("[data-id=p2]"))).to_have_attribute("aria-selected", "true")
    # On a phone among what is seldom done.
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("dialog").get_by_role("button", name="Invert selection").click()
    expect(page.get_by_text("2 selected · 2 MB")).to_be_visible()


def test_a_mouse_picks_what_it_is_drawn_over_a_day_by_its_name_and_from_the_photo_that_was_touched_last(visit):
    visitor = visit(viewport={"width": 1440, "height": 900})
    many(visitor, 10_000)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    first, last = (page.locator(f".cell[data-id=p{number}]").bounding_box() for number in (1, 4))
    page.mouse.move(first["x"] + 40, first["y"] + 40)
    page.mouse.down()
    page.mouse.move(last["x"] + 40, last["y"] + 40, steps=6)
    expect(page.get_by_text("4 selected")).to_be_visible()
    page.mouse.move(last["x"] - 80, last["y"] + 40, steps=3)
    page.mouse.up()
    expect(page.get_by_text("3 selected")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.locator(".picked")).to_have_count(0)
    page.locator(".cell[data-id=p2]").hover()
    page.locator(".cell[data-id=p2] .mark").click()
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".picked")).to_have_count(0)
    # At once, where nobody picks yet.
    page.locator(".cell[data-id=p1] .day").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.locator(".picked")).to_have_text("1 selected")
    expect(page.locator("[aria-selected=true] .cell")).to_have_attribute("data-id", "p1")
    page.locator(".cell[data-id=p1]").click()
    expect(page.locator(".picked")).to_have_text("0 selected")
    page.locator(".cell[data-id=p1]").click()
    page.keyboard.down("Shift")
    page.locator(".cell[data-id=p9]").hover()
    page.mouse.down()
    page.locator(".cell[data-id=p12]").hover()
    page.mouse.up()
    page.keyboard.up("Shift")
    expect(page.locator(".picked")).to_have_text("12 selected")


def press_long(visitor, cell):
    """A finger rests on a cell until it is picked, and stays there. Gives what moves it: `finger(kind, x, y)`."""
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    box = page.locator(cell).bounding_box()
    devtools = visitor.context.new_cdp_session(page)

    def finger(kind, *point):
        points = [{"x": point[0], "y": point[1]}] if point else []
        devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    finger("touchStart", box["x"] + 40, box["y"] + 40)
    expect(page.locator(".picked")).to_have_text("1 selected")
    return finger


def test_a_finger_that_is_drawn_after_a_long_press_picks_and_scrolls_at_the_edge(visit):
    visitor = visit(has_touch=True, is_mobile=True)
    many(visitor, 5000)
    page = visitor.page
    finger = press_long(visitor, ".cell[data-id=p1]")
    other = page.locator(".cell[data-id=p7]").bounding_box()
    for step in range(1, 5):
        finger("touchMove", 200 + step, 200 + step * (other["y"] + 40 - 200) / 4)
    finger("touchMove", other["x"] + 40, other["y"] + 40)
    expect(page.locator(".picked")).to_have_text("7 selected")
    assert page.evaluate("scrollY") == 0
    # Back again: those that it leaves are left.
    finger("touchMove", page.locator(".cell[data-id=p4]").bounding_box()["x"] + 40, page.locator(".cell[data-id=p4]").bounding_box()["y"] + 40)
    expect(page.locator(".picked")).to_have_text("4 selected")
    finger("touchMove", 200, 760)
    page.wait_for_function("() => scrollY > 1500 && Number(document.querySelector('.picked').textContent.split(' ')[0]) > 60")
    finger("touchMove", 200, 400)
    finger("touchEnd")
    # Nobody who draws opens anything.
    expect(page.get_by_role("dialog")).to_have_count(0)
    # Each from the first to the last of them, those too that had not come while the finger went over them.
    page.wait_for_function("""() => {
        const cells = [...document.querySelectorAll('[aria-selected=true] .cell')].map((cell) => Number(cell.dataset.id.slice(1)));
        return document.querySelector(".picked").textContent === `${Math.max(...cells)} selected`;
    }""")


@pytest.mark.parametrize("width", first(1, [1440, 390]))
def test_months_of_few_photos_stand_beside_each_other_and_keys_go_over_them(visit, width):
    visitor = visit(viewport={"width": width, "height": 900})
    made = ManyPhotos(visitor.create(), 18, months=12)
    made.months[:] = [(f"2026-{12 - index:02}", count) for index, count in enumerate([1, 2, 1, 1, 30, 2, 1, 1, 1, 1, 1, 1])]
    made.count = 43
    page = visitor.reload()
    expect(visitor.cells().first).to_be_visible()
    page.wait_for_function("() => document.querySelectorAll('.cell[data-id]').length > 12")
    page.wait_for_function(ALL_SHOWN)
    place = "(id) => { const { x, y } = document.querySelector(`[data-id='${id}']`).getBoundingClientRect(); return [x, y]; }"
    at = lambda number: page.evaluate(place, f"p{number}")  # noqa: E731
    # December has one photo, November two: on a phone they fill a row.
    assert at(0)[1] == at(1)[1] == at(2)[1] and at(0)[0] < at(1)[0] < at(2)[0]
    assert page.get_by_role("heading", name="Dec 2026").bounding_box()["y"] == page.get_by_role("heading", name="Nov 2026").bounding_box()["y"]
    expect(page.get_by_role("heading", name="August 2026")).to_be_visible()
    # A row of them is no wider than the window, which would scroll to the side, and on a phone make all smaller.
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    # From photo to photo, and down over what stands beside each other to what stands below.
    page.locator("[data-id=p1]").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator("[data-id=p0]")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-id=p0]")).not_to_be_focused()
    below = page.wait_for_function("() => document.activeElement.dataset.id").json_value()
    assert at(int(below[1:]))[1] > at(0)[1] and abs(at(int(below[1:]))[0] - at(0)[0]) < 2
    page.keyboard.press("ArrowUp")
    expect(page.locator("[data-id=p0]")).to_be_focused()
    # Drawn over by a mouse, all of them are picked, month by month.
    page.locator("[data-id=p0]").hover()
    page.mouse.down()
    page.locator("[data-id=p2]").hover()
    page.mouse.up()
    expect(page.locator(".picked")).to_have_text("3 selected")


@pytest.mark.parametrize("width", first(1, [390, 1440]))
def test_photos_come_in_three_sizes(visit, width):
    visitor = visit(viewport={"width": width, "height": 800})
    many(visitor, 500)
    page = visitor.page
    sizes = []

    def width_of_one():
        return visitor.cells().first.bounding_box()["width"]

    for size in ("Small", "Medium", "Large"):
        page.get_by_role("link", name="Settings").click()
        page.get_by_role("radio", name=size).check(force=True)
        page.get_by_role("link", name="Photos", exact=True).click()
        # Until it is laid out anew, the gallery is as it was.
        until(page, lambda: all(width_of_one() > 1.3 * before for before in sizes))
        sizes.append(width_of_one())


def test_what_a_finger_picks_is_who_lay_under_it_when_the_list_moves(visit):
    visitor = visit(has_touch=True)
    made = many(visitor, 5000)
    page = visitor.page
    finger = press_long(visitor, ".cell[data-id=p1]")
    made.add(3)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    finger("touchEnd")
    expect(page.locator("[aria-selected=true] .cell[data-id=p1]")).to_be_visible()
    expect(page.locator(".picked")).to_have_text("1 selected")


def is_for_far_photos(request):
    """For thumbnails of photos that no screen at the top shows."""
    if not request.url.endswith("/api/thumbnails"):
        return False
    return all(int(one.removeprefix("p")) > 500 for one in request.post_data_json["ids"])


def test_requests_for_what_was_scrolled_past_are_given_up(visitor):
    many(visitor, 50_000)
    page = visitor.page
    page.unroute("**/api/thumbnails")
    page.route("**/api/thumbnails", lambda route: None)
    with page.expect_request(is_for_far_photos):
        page.evaluate("scrollTo(0, 100_000)")
    with page.expect_event("requestfailed", is_for_far_photos):
        page.evaluate("scrollTo(0, 600_000)")
