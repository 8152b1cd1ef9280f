"""Forms help whoever fills them: Return leads on, a tap empties, what is wrong is said where it is, until it is put right."""

import pytest
from playwright.sync_api import expect
from visitor import PASSWORD, offer, settings


@pytest.fixture
def new(visitor):
    """The form for a new vault, empty."""
    visitor.page.get_by_role("button", name="Create a vault").click()
    expect(visitor.page.get_by_label("Password again")).to_be_visible()
    return visitor


def first(scope):
    return scope.get_by_label("Password", exact=True)


def again(scope):
    return scope.get_by_label("Password again")


def fill(page, password, other):
    """As people do: what is said on leaving the first field comes a moment later, before anything stands in the second."""
    first(page).fill(password)
    again(page).focus()
    page.evaluate("new Promise((resolve) => { setTimeout(resolve); })")
    again(page).fill(other)


def wrong(field):
    """What is said at a field."""
    return field.locator("xpath=ancestor::div[contains(@class, 'field')]").locator(".wrong")


def test_return_leads_to_the_next_empty_field_and_then_sends(new):
    page = new.page
    first(page).fill(PASSWORD)
    first(page).press("Enter")
    expect(again(page)).to_be_focused()
    expect(page.locator(".wrong")).to_have_count(0)
    again(page).fill(PASSWORD)
    again(page).press("Enter")
    expect(page.locator(".recovery-code")).to_be_visible()


def test_what_is_wrong_is_said_on_leaving_the_field_or_sending_and_no_longer_once_it_is_put_right(new):
    page = new.page
    send = page.get_by_role("button", name="Create vault")
    fill(page, PASSWORD, PASSWORD + "!")
    expect(page.locator(".wrong")).to_have_count(0)
    first(page).focus()
    expect(wrong(again(page))).to_have_text("The passwords don’t match. Enter the second one again.")
    # Put right in either field.
    first(page).press("End")
    first(page).press("!")
    expect(page.locator(".wrong")).to_have_count(0)
    again(page).focus()
    again(page).press("End")
    again(page).press("Backspace")
    first(page).focus()
    expect(wrong(again(page))).to_have_count(1)
    again(page).press("End")
    again(page).press("!")
    expect(page.locator(".wrong")).to_have_count(0)
    for field in (first(page), again(page)):
        field.fill("mynahbir")
    send.click()
    expect(wrong(first(page))).to_have_text("Too short. Use at least 10 characters.")
    first(page).press("End")
    first(page).press("d")
    expect(wrong(first(page))).to_have_count(1)
    for key in "#x7w":
        first(page).press(key)
    expect(wrong(first(page))).to_have_count(0)
    for field in (first(page), again(page)):
        field.fill(PASSWORD)
    page.get_by_role("checkbox", name="Make a recovery code").uncheck()
    send.click()
    expect(page.get_by_text("Please tick this first")).to_be_visible()
    page.get_by_role("checkbox", name="I understand").check()
    expect(page.get_by_text("Please tick this first")).to_have_count(0)


def test_a_button_that_is_pressed_next_stays_where_it_is(new):
    page = new.page
    fill(page, PASSWORD, "something else")
    # How strong the password is comes a moment later, and takes room of its own.
    expect(page.locator(".strength").first).to_be_visible()
    button = page.get_by_role("button", name="Create vault")
    place = button.bounding_box()
    page.mouse.move(place["x"] + 9, place["y"] + 9)
    page.mouse.down()
    assert button.bounding_box() == place
    page.mouse.up()
    expect(wrong(again(page))).to_have_count(1)


def test_one_tap_empties_a_field_that_has_something_and_a_wrong_password_is_forgotten_once_another_is_typed(visitor):
    page = visitor.page
    button = page.get_by_role("button", name="Clear")
    expect(button).to_have_count(0)
    first(page).fill("a slip of the finger")
    button.click()
    expect(first(page)).to_have_value("")
    expect(first(page)).to_be_focused()
    expect(button).to_have_count(0)
    visitor.try_password("not the right one")
    field = first(page)
    expect(wrong(field)).to_have_count(1)
    field.press("a")
    expect(wrong(field)).to_have_count(0)
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_in_a_sheet_what_is_wrong_stands_at_the_field_that_it_is_about(visitor):
    page = settings(visitor.create())
    dialog = offer(page, "Password", "Change")
    current, fresh = dialog.get_by_label("Current password"), dialog.get_by_label("New password")
    dialog.get_by_role("button", name="Change").click()
    expect(wrong(current)).to_have_text("Enter a password first.")
    current.fill("not the right one")
    for field in (fresh, again(dialog)):
        field.fill("password123")
    dialog.get_by_role("button", name="Change").click()
    expect(wrong(fresh)).to_contain_text("on lists of common passwords")
    expect(wrong(current)).to_have_count(0)
    expect(fresh).to_be_focused()
    for field in (fresh, again(dialog)):
        field.fill(PASSWORD + " and more")
    expect(dialog.locator(".wrong")).to_have_count(0)
    dialog.get_by_role("button", name="Change").click()
    expect(wrong(current)).to_contain_text("That password didn’t open a vault.")
    expect(current).to_be_focused()
    current.fill(PASSWORD)
    dialog.get_by_role("button", name="Change").click()
    expect(page.locator("#notes").get_by_text("Password changed")).to_be_visible()
