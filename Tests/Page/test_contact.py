"""Whom the owner lets people ask: said in the settings, by an address or in words, and nowhere where nobody is named."""

import pytest
from cases import first
from playwright.sync_api import expect
from visitor import settings


@pytest.mark.parametrize(
    ("contact", "href"),
    first(3, [
        ("anna@home.example", "mailto:anna@home.example"),
        ("<img src=x onerror=alert(1)>", None),
        (None, None),
        ("mailto:anna@home.example", "mailto:anna@home.example"),
        ("Ask Anna, or call 030 1234", None),
        ("0301234", None),
        ("javascript:alert(1)@x", None),
    ]),
)  # fmt: skip
def test_whom_to_ask_stands_in_the_settings_of_a_vault_and_of_a_guest(start_daemon, visit, contact, href):
    daemon = start_daemon(environment={"SAFELIGHT_CONTACT": contact})
    visitor = visit(url=daemon.url).start_without_password()
    visitor.page.get_by_role("link", name="Settings").click()
    expect_contact(visitor.page, contact, href)
    page = settings(visit(url=daemon.url).create())
    expect_contact(page, contact, href)


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
