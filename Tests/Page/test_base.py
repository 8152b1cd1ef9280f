"""The page below a path of a name that others have, too: nothing that it asks for lies beside that path."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

BASE = "/photos"


@pytest.fixture(autouse=True)
def daemon(start_daemon, packed_page):
    return start_daemon(environment={"SAFELIGHT_BASE": BASE}, www=packed_page)


def test_all_that_people_do_stays_below_the_path(daemon, visit, photos):
    strays = []

    def beside(route):
        path = urlsplit(route.request.url).path
        if path == BASE or path.startswith(f"{BASE}/"):
            return route.fallback()
        strays.append(path)
        return route.fulfill(status=404, body="of somebody else")

    visitor = visit(url=f"{daemon.url}{BASE}/", routes={"**/*": beside})
    visitor.create_through_the_page()
    visitor.add(*photos[:3])
    visitor.wait_until_looked_into()
    visitor.page.reload()
    expect(visitor.cells()).to_have_count(3)
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(3)
    visitor.page.get_by_role("button", name="Select", exact=True).click()
    visitor.cells().nth(0).click()
    with visitor.page.expect_download() as download:
        visitor.page.get_by_role("button", name="Download").click()
    assert download.value.path().stat().st_size > 0
    assert visitor.page.evaluate("location.pathname") == f"{BASE}/"
    assert strays == []
