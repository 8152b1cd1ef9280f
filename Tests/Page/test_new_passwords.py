"""What the page says of a new password, where the list of common ones has come. `common-passwords.test.js` compares it with
what the host says."""

from client import Browser, code_of
from playwright.sync_api import expect
from visitor import PASSWORD

LIST = "/common-passwords.bin"


def test_the_list_of_common_passwords_comes_when_one_is_chosen_and_once(visitor):
    page, asked = visitor.page, []
    page.on("request", lambda request: asked.append(request.url.removeprefix(visitor.url)))
    page.reload()
    # It comes last.
    expect(page.get_by_role("button", name="Add photos, decide later")).to_be_visible()
    assert LIST not in asked
    with page.expect_response(f"**{LIST}"):
        page.get_by_role("button", name="Create a vault").click()
        # The form is fetched; until then the door's own field has the same name.
        expect(page.get_by_label("Password again")).to_be_visible()
        page.get_by_label("Password", exact=True).fill("minecraft2024")
    expect(page.locator(".strength span")).to_have_text("Easy to guess")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    expect(page.locator(".strength span")).to_have_text("Strong")
    assert asked.count(LIST) == 1


def test_where_the_list_does_not_come_the_host_decides(visitor):
    visitor.page.route(f"**{LIST}", lambda route: route.fulfill(status=404))
    visitor.begin_vault("minecraft2024")
    expect(visitor.page.locator(".strength")).to_be_hidden()
    visitor.page.get_by_role("checkbox", name="I understand").check()
    with visitor.page.expect_response("**/api/vaults") as answer:
        visitor.page.get_by_role("button", name="Create vault").click()
    assert answer.value.status == 400
    expect(visitor.page.get_by_text("on lists of common passwords")).to_be_visible()


def test_a_common_password_is_refused_wherever_one_is_chosen(visitor, lent_host):
    visitor.create()
    page = visitor.page
    sent = []
    page.on("request", lambda request: sent.append(request.url) if "/api/vault/" in request.url else None)
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Change: Password").click()
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("New password").fill("OurFamilyPhotos1!")
    expect(page.locator(".strength span")).to_have_text("Easy to guess")
    page.get_by_label("Password again").fill("OurFamilyPhotos1!")
    page.get_by_role("dialog").get_by_role("button", name="Change").click()
    expect(page.get_by_text("on lists of common passwords")).to_be_visible()
    assert not [url for url in sent if url.endswith("/password")]
    owner = Browser(lent_host).open(PASSWORD)
    for method, path, more in [("PUT", "/api/vault/password", {}), ("POST", "/api/vault/ways", {"kind": "password"})]:
        body = {"current": PASSWORD, "password": "minecraft2024", "confirmation": "minecraft2024", **more}
        assert code_of(owner.request(method, path, json=body)) == "password-too-common"
    Browser(lent_host).open(PASSWORD)
