"""Where photos stand: albums within albums and in an own order, the archive, this day in earlier years, shots of two files."""

import datetime
import struct

from playwright.sync_api import expect
from seeding import picture
from visitor import SAME_ORIGIN, hold_toast, settings, until

LEVEL_1 = {"level": 1}


def put(visitor, name, content, when):
    """By the time of the file, which is all that anybody knows of it."""
    answer = visitor.context.request.put(
        f"{visitor.url}/api/photos/{name}?modified={when}", data=content, headers=SAME_ORIGIN
    )
    assert answer.status == 201, answer.text()
    return answer.json()["id"]


def post(visitor, path, body):
    answer = visitor.context.request.post(f"{visitor.url}{path}", data=body, headers=SAME_ORIGIN)
    assert answer.ok, answer.text()
    return answer.json()


def raw(number):
    """As much of a DNG as tells that it is one; no other number gives the same bytes."""
    return b"II*\0" + struct.pack("<IHHHIII", 8, 1, 0xC612, 1, 4, 0x0401, 0) + struct.pack("<I", number)


def expect_wall(page, *labels):
    until(page, lambda: page.locator(".wall .album").evaluate_all("all => all.map((one) => one.getAttribute('aria-label'))") == [*labels])


def choose(page, name):
    page.get_by_role("dialog").get_by_role("button", name=name, exact=True).click()


def test_albums_stand_within_each_other_and_in_an_order_by_hand(visitor):
    visitor.create()
    photo = put(visitor, "a.png", picture(1), "2024-05-03T10:00:00Z")
    for name in ["Rome", "Alps / Day 2", "Alps / Day 1", "Bern"]:
        post(visitor, "/api/albums", {"name": name, "ids": [photo]})
    visitor.reload()
    page = visitor.page
    page.get_by_role("link", name="Albums", exact=True).click()
    expect(page.locator(".album[aria-label='Alps, 2 albums']")).to_be_visible()
    expect_wall(page, "Bern, 1 item", "Alps, 2 albums", "Rome, 1 item")
    order = page.get_by_label("Order of the albums")
    order.select_option("name")
    expect_wall(page, "Alps, 2 albums", "Bern, 1 item", "Rome, 1 item")
    page.locator(".album[aria-label^='Alps,']").click()
    expect(page.get_by_role("heading", name="Alps", level=1)).to_be_visible()
    expect_wall(page, "Day 1, 1 item", "Day 2, 1 item")
    expect(page).to_have_title("Albums · Safelight")
    assert "Alps" not in page.url
    page.locator(".album[aria-label^='Day 2,']").click()
    expect(page.get_by_role("heading", name="Day 2", level=1)).to_be_visible()
    page.get_by_label("More about this album").click()
    choose(page, "Move in the own order")
    choose(page, "Before all others")
    expect(page.locator(".toast")).to_contain_text("“Alps / Day 2” moved")
    page.get_by_label("Back to the albums").click()
    expect(page.get_by_role("heading", name="Alps", level=1)).to_be_visible()
    expect(page.locator(".album").first).to_have_attribute("aria-label", "Day 2, 1 item")
    page.get_by_label("Back to the albums").click()
    expect(page.locator(".album[aria-label='Alps, 2 albums']")).to_be_visible()
    expect(order).to_have_value("hand")
    # Dragged to the front half of another one, it stands before that, for every device.
    rome, bern = [page.locator(f".album[aria-label^='{name},']") for name in ("Rome", "Bern")]
    rome.drag_to(bern, target_position={"x": 4, "y": 30})
    expect(page.locator(".toast")).to_contain_text("“Rome” moved")
    expect_wall(page, "Alps, 2 albums", "Rome, 1 item", "Bern, 1 item")
    visitor.reload()
    page.get_by_role("link", name="Albums", exact=True).click()
    expect(page.locator(".album[aria-label^='Rome,']")).to_be_visible()
    expect_wall(page, "Alps, 2 albums", "Rome, 1 item", "Bern, 1 item")


def test_what_is_archived_leaves_the_timeline_and_this_day_and_comes_back(visitor):
    # The page's clock stands: whatever the night, this stays the day.
    today = datetime.date.today()
    visitor.context.clock.set_fixed_time(datetime.datetime.combine(today, datetime.time(12)))
    visitor.create()
    is_leap = (today.month, today.day) == (2, 29)
    years = [year for year in range(today.year - 1, today.year - 9, -1) if not is_leap or year % 4 == 0][:2]
    for number, year in enumerate(years):
        put(visitor, f"{year}.png", picture(number), f"{year}-{today:%m-%d}T12:00:00Z")
    visitor.reload()
    visitor.expect_photos(2)
    page = visitor.page
    line = page.locator(".is-day a")
    expect(line).to_have_text(f"On this day{years[0]}, {years[1]} · 2 items")
    visitor.cell(f"{years[0]}.png").click()
    page.get_by_role("button", name="More", exact=True).last.click()
    choose(page, "Keep out of the timeline")
    expect(page.locator(".toast")).to_contain_text("1 photo is in the archive now")
    visitor.close_viewer()
    visitor.expect_photos(1)
    visitor.reload()
    expect(line).to_have_text(f"On this day{years[1]} · 1 item")
    line.click()
    expect(page.get_by_role("heading", name="On this day,", **LEVEL_1)).to_be_visible()
    visitor.expect_photos(1)
    page.get_by_role("link", name="Albums", exact=True).click()
    page.get_by_role("link", name="Archive", exact=True).click()
    visitor.expect_photos(1)
    page.get_by_role("button", name="Select", exact=True).click()
    visitor.cell(f"{years[0]}.png").click()
    page.get_by_role("button", name="More", exact=True).last.click()
    choose(page, "Back to the timeline")
    expect(page.get_by_role("heading", name="Nothing in the archive")).to_be_visible()
    page.get_by_role("link", name="Photos", exact=True).click()
    visitor.expect_photos(2)
    # Switched off, it stays so until somebody switches it on again.
    page.get_by_label("Don’t show “On this day”").click()
    expect(line).to_be_hidden()
    visitor.reload()
    visitor.expect_photos(2)
    expect(line).to_have_count(0)
    settings(visitor)
    page.get_by_role("radiogroup", name="On this day").get_by_label("Show", exact=True).check()
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(line).to_be_visible()


def test_a_shot_of_two_files_is_one_tile_and_each_file_can_go_alone(visitor):
    visitor.create()
    when = "2024-05-03T10:00:00Z"
    for number in (1, 2):
        put(visitor, f"DSC_{number}.png", picture(number), when)
        put(visitor, f"DSC_{number}.dng", raw(number), when)
    visitor.reload()
    visitor.expect_photos(2)
    page = visitor.page
    expect(page.locator(".badge", has_text="RAW")).to_have_count(2)
    visitor.cell("DSC_1.png").click()
    bar = page.locator(".viewer-bar")
    bar.get_by_role("button", name="Download").click()
    got = []
    page.on("download", lambda download: got.append(download.suggested_filename))
    with page.expect_download() as first:
        choose_part(page, "Photo and RAW file")
    assert first.value.suggested_filename == "DSC_1.png"
    until(page, lambda: len(got) == 2)
    assert sorted(got) == ["DSC_1.dng", "DSC_1.png"]
    bar.get_by_role("button", name="Delete").click()
    choose_part(page, "RAW file only")
    expect(page.locator(".toast")).to_contain_text("1 moved to Recently deleted")
    visitor.close_viewer()
    hold_toast(page)
    expect(page.locator(".badge", has_text="RAW")).to_have_count(1)
    visitor.expect_photos(2)
    assert sorted(photo["name"] for photo in visitor._listed()) == ["DSC_1.png", "DSC_2.dng", "DSC_2.png"]
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(page.locator(".badge", has_text="RAW")).to_have_count(2)
    # Of several, everything goes that is meant, and no more.
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    page.locator(".pick").get_by_role("button", name="Delete").click()
    choose_part(page, "All but the RAW files")
    expect(page.locator(".badge", has_text="RAW")).to_have_count(0)
    until(page, lambda: sorted(photo["name"] for photo in visitor._listed()) == ["DSC_1.dng", "DSC_2.dng"])


def choose_part(page, name):
    page.get_by_role("dialog").last.get_by_role("button", name=name).click()
