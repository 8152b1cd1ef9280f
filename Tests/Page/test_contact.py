"""Whom the owner lets people ask: said in the settings, by an address or in words, and nowhere where nobody is named."""

from playwright.sync_api import expect
from visitor import settings


def test_whom_to_ask_stands_in_the_settings_of_a_vault_and_of_a_guest(start_daemon, visit):
    contact = "mailto:anna@home.example"
    daemon = start_daemon(environment={"SAFELIGHT_CONTACT": contact})
    visitor = visit(url=daemon.url).start_without_password()
    visitor.page.get_by_role("link", name="Settings").click()
    expect_contact(visitor.page, contact, contact)
    expect_contact(settings(visit(url=daemon.url).create()), contact, contact)


CONTACTS = [
    (None, None),
    ("anna@home.example", "mailto:anna@home.example"),
    ("<img src=x onerror=alert(1)>", None),
    ("Ask Anna, or call 030 1234", None),
    ("0301234", None),
    ("javascript:alert(1)@x", None),
]


def test_only_an_address_is_a_link_and_where_nobody_is_named_nothing_is_said(visit):
    """The host's answer says each of them in turn."""
    said = [None]

    def name(route):
        answered = route.fetch()
        hello = {key: value for key, value in answered.json().items() if key != "contact"}
        route.fulfill(response=answered, json={**hello, **({"contact": said[0]} if said[0] else {})})

    visitor = visit(routes={"**/api/hello": name}).start_without_password()
    visitor.page.get_by_role("link", name="Settings").click()
    for contact, href in CONTACTS:
        said[0] = contact
        visitor.page.reload()
        expect_contact(visitor.page, contact, href)


def expect_contact(page, contact, href):
    expect(page.get_by_text("Version", exact=True)).to_be_visible()
    row = page.locator(".set-row").filter(has_text="Questions and ideas")
    if contact is None:
        expect(row).to_have_count(0)
        return
    expect(row).to_contain_text(contact.removeprefix("mailto:") if href else contact)
    link = row.get_by_role("link")
    if href:
        expect(link).to_have_attribute("href", href)
    else:
        expect(link).to_have_count(0)
