"""What the page says a phone did to the photos: once, when all of them are there. What counts as that, node tests."""

import pytest
from playwright.sync_api import expect
from visitor import UPLOADS, Gate, file

WIDE = {"width": 1440, "height": 900}
IPHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.5 Mobile/15E148 Safari/604.1"
)


@pytest.fixture
def named(photos):
    """named(file name, …) → real photos under those names."""
    by_name = {path.name: path for path in photos}
    return lambda *names: [file(name, by_name[name].read_bytes()) for name in names]


def test_an_iphone_s_copies_are_said_once_all_are_there_with_numbers_and_the_way_to_the_originals(visit, named):
    visitor = visit(viewport=WIDE, user_agent=IPHONE).create()
    found = visitor.page.locator(".found")
    gate = Gate(visitor.page, UPLOADS, named="late")
    late = file("late.pdf", b"late" * 9, "application/pdf")
    visitor.choose(*named("iphone_hdr_YES.jpg", "IMG_5195.HEIC", "jolla.jpg", "IMG_iphone_13_pro_max.HEIC"), late)
    expect(visitor.title_of_upload()).to_have_text("4 of 5")
    # What a phone does to photos is no news of an upload that is still running.
    expect(found).to_be_hidden()
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("5 saved")
    expect(found).to_have_count(1)
    found.locator("summary").click()
    # The Jolla's photo and one of the iPhones' have none; nobody counts an iPhone's JPEG or a still twice.
    expect(found).to_contain_text("2 photos arrived without location")
    expect(found).to_contain_text("keep Location on")
    expect(found).to_contain_text("1 iPhone photo arrived as JPEG")
    expect(found).to_contain_text("choose Current")
    expect(found).to_contain_text("1 Live Photo arrived as a still")
    # What the phone gave less than it has, it is not told to delete.
    expect(visitor.page.locator(".up-message")).to_contain_text("Saved and verified")
    expect(visitor.page.locator(".up-message")).not_to_contain_text("You may delete them")
