"""A new key for the vault, through the page."""

import pytest
from browsers import browsers_and_windows
from playwright.sync_api import expect
from visitor import PASSWORD, answer, file, offer, settings, ways

SECOND = "marble stairs at midnight"
DESKTOP = {"width": 1280, "height": 800}
PHONE_LANDSCAPE = {"width": 740, "height": 360}


def ask(page):
    return offer(page, "Encryption key", "Renew…")


def rotate(page, password=PASSWORD):
    dialog = ask(page)
    dialog.get_by_label("The password to keep").fill(password)
    dialog.get_by_role("button", name="Renew key").click()
    return dialog


def add_password(page):
    dialog = offer(page, "Another password", "Add")
    dialog.get_by_label("A password or the recovery code of this vault").fill(PASSWORD)
    dialog.get_by_label("New password").fill(SECOND)
    dialog.get_by_label("Password again").fill(SECOND)
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(ways(page)).to_have_count(2)


@pytest.mark.parametrize(("browser_name", "viewport"), browsers_and_windows(phone=PHONE_LANDSCAPE, desktop=DESKTOP))
def test_a_vault_with_a_new_key_is_open_here_and_by_its_password_alone(visit, request, browser_name, viewport):
    browser = request.getfixturevalue(browser_name)
    owner, other = visit(browser=browser, viewport=viewport), visit(browser=browser)
    owner.create().add(file("a.jpg", b"\xff\xd8\xff\xe0 one"))
    page = settings(owner)
    add_password(page)
    other.open(SECOND)
    rotate(page)
    expect(page.locator("#notes").get_by_text("The vault has a new key")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(ways(page)).to_have_count(0)
    assert owner.originals() == {"a.jpg": b"\xff\xd8\xff\xe0 one"}
    other.page.reload()
    other.try_password(SECOND)
    expect(other.page.get_by_text("That password didn’t open a vault")).to_be_visible()
    other.open()
    assert other.originals() == owner.originals()


def test_the_page_says_what_it_does_in_place_what_was_wrong_and_which_step_is_left(visitor):
    page = settings(visitor.create())
    dialog = ask(page)
    for words in [
        "can’t use it to open a later one", "Other passwords, the recovery code and passkeys are removed",
        "that one still opens with the old password", "keep the keys of their files", "change that as well",
    ]:  # fmt: skip
        expect(dialog.get_by_text(words)).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    dialog = rotate(page, "who knows what it is")
    expect(dialog.get_by_text("That password didn’t open a vault")).to_be_visible()
    answer(page, "**/api/vault/rotate", 409, "password-needed")
    dialog.get_by_label("The password to keep").fill(PASSWORD)
    dialog.get_by_role("button", name="Renew key").click()
    expect(dialog.get_by_text("This needs a password of the vault")).to_be_visible()
    page.unroute("**/api/vault/rotate")
    page.route("**/api/vault/rotate", lambda route: route.fulfill(json={"finished": False}))
    dialog.get_by_role("button", name="Renew key").click()
    expect(page.locator("#notes").get_by_text("The last step happens the next time it is opened")).to_be_visible()


def test_a_browser_that_was_kept_open_is_not_any_more(visit):
    visitor = visit()
    visitor.create().lock()
    visitor.page.get_by_role("checkbox", name="Stay signed in for 30 days").check()
    visitor.open()
    page = settings(visitor)
    expect(page.get_by_text("This browser opens it without a password until")).to_be_visible()
    rotate(page)
    expect(page.get_by_text("This browser locks after 15 minutes without activity.")).to_be_visible()
