"""What a screen reader is told of the main screens, from above: roles, names, states and their order.

Which of two photos that came together stands first is nobody's promise."""

import pytest
from playwright.sync_api import expect
from seeding import picture
from visitor import file, settings

OPENING = """
    - textbox "Password"
    - button "Show"
    - alert
    - checkbox /Stay signed in for 30 days/
    - button "Open"
"""
DOOR = f"""
- main:
    - img "Safelight"
    - heading "Create your vault" [level=1]
    - paragraph: Choose a password, and it is ready for photos.
    - button "Create a vault"
    - paragraph: Or open a vault that you already have.
{OPENING}
- contentinfo:
    - combobox "Language"
    - link "On this computer"
- status
- alert
"""
LOCKED = f"""
- main:
    - img "Safelight"
    - heading "You locked the vault" [level=1]
{OPENING}
    - button "Create a vault"
    - button "Start without a password"
"""
NEW = """
- main:
    - heading "Create a vault" [level=1]
    - textbox "Password"
    - button "Show"
    - alert
    - textbox "Password again"
    - button "Show"
    - alert
    - checkbox /Stay signed in/
    - checkbox /Make a recovery code/
    - checkbox "I understand that a forgotten password can’t be recovered"
    - alert
    - button "Create vault"
    - button "Back"
"""
NAVIGATION = """
- button "Skip to the content"
- navigation "Main":
    - link "Photos"
    - link "Recent"
    - link "Albums"
    - button "Add photos"
    - button "Lock"
    - link "Settings"
"""
EMPTY = f"""
{NAVIGATION}
- main:
    - heading "Photos" [level=1]
    - heading "No photos yet" [level=2]
    - button "Add photos"
- status
- alert
"""
PHOTOS = f"""
{NAVIGATION}
- main:
    - heading "Photos" [level=1]
    - button "Show as a list"
    - button "Select"
    - heading /\\w+ \\d+/ [level=2]
    - text: 2 items
    - grid /\\w+ \\d+/:
        - row:
            - gridcell:
                - button /^Photo, (one|two).png, .+ at/
            - gridcell:
                - button /^Photo, (one|two).png, .+ at/
"""
PICKING = """
- button "Stop selecting"
- heading /1 selected/ [level=1]
- button "Select all"
- button /Everything in/
- grid:
    - row:
        - gridcell [selected]:
            - button /(one|two).png/
        - gridcell:
            - button /(one|two).png/
- toolbar "Selection actions":
    - button "Favourite"
    - button "Album"
    - button "Download"
    - button "More"
    - button "Delete"
"""
DELETING = """
- dialog "Delete 1 item?":
    - heading "Delete 1 item?" [level=2]
    - paragraph: /Kept for 30 days in Settings, under Recently deleted/
    - button "Cancel"
    - button "Delete 1"
"""
VIEWER = """
- dialog /.+ of 2/:
    - button "Back to the photos"
    - heading /.+ of 2/ [level=1]
    - button "Favourite"
    - button "More"
    - figure:
        - img /(one|two).png/
    - button "Download"
    - button "Album"
    - button "Info"
    - button "Delete"
"""
SETTINGS = """
- heading "You" [level=2]
- combobox "Language"
- radiogroup "Appearance":
    - radio "Automatic" [checked]
    - radio "Light"
    - radio "Dark"
- heading "Getting photos in" [level=2]
- 'button "Add: Another device"'
- heading "Photo links" [level=3]
- 'button "Create: New link"'
- heading "Windows" [level=2]
- paragraph: You show nothing to anybody. Select photos, or open an album, and choose “Show to somebody” under “More”.
- heading "Safety" [level=2]
- 'button "Change: Password"'
- 'button "Lock everywhere: All browsers"'
- heading "Ways to open this vault" [level=3]
- heading "Storage" [level=2]
- 'link "Show: Recently deleted"'
- 'button "Erase…: Erase this vault"'
"""


@pytest.fixture
def two(visitor):
    """An open vault with two photos, and nothing of their upload any more."""
    visitor.create().put(*[file(f"{name}.png", picture(number), "image/png") for number, name in enumerate(["one", "two"])])
    visitor.reload()
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(2, timeout=60_000)
    return visitor


def hears(page, place, wanted):
    expect(page.locator(place)).to_match_aria_snapshot(wanted)


def test_the_door_and_a_new_vault(visitor):
    hears(visitor.page, "body", DOOR)
    visitor.begin_vault()
    hears(visitor.page, "body", NEW)


def test_an_empty_vault_and_the_door_after_a_lock(visitor):
    visitor.create()
    hears(visitor.page, "body", EMPTY)
    visitor.lock()
    hears(visitor.page, "body", LOCKED)


def test_photos_and_a_selection(two):
    hears(two.page, "body", PHOTOS)
    two.page.get_by_role("button", name="Select", exact=True).click()
    two.cells().first.click()
    hears(two.page, ".library", PICKING)
    two.page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
    hears(two.page, "dialog", DELETING)


def test_the_viewer(two):
    two.cells().first.click()
    hears(two.page, "dialog", VIEWER)


def test_the_settings(visitor):
    hears(settings(visitor.create()), ".set", SETTINGS)
