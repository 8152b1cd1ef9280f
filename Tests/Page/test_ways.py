"""Ways into a vault, through the page: further passwords, the recovery code, passkeys of a virtual authenticator."""

import hashlib
import re

import pytest
from playwright.sync_api import expect
from visitor import PASSWORD, answer, file, held_back, offer, settings, until, ways

SECOND = "marble stairs at midnight"
OTHER = "copper rain on the roof"
AUTHENTICATOR = {
    "protocol": "ctap2",
    "ctap2Version": "ctap2_1",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "hasPrf": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


class Device:
    """The authenticator of the machine on which a page runs."""

    def __init__(self, visitor, **options):
        self.page = visitor.page
        self.cdp = visitor.context.new_cdp_session(visitor.page)
        self.cdp.send("WebAuthn.enable")
        self.id = self.cdp.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR | options})[
            "authenticatorId"
        ]

    def credentials(self):
        return self.cdp.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]

    def ids(self):
        return [credential["credentialId"] for credential in self.credentials()]

    def cancel_next(self):
        """The next time that it is asked for a passkey, the person cancels the prompt."""
        self.page.evaluate("""() => {
            navigator.credentials.get = () => {
                delete navigator.credentials.get;
                return Promise.reject(new DOMException("cancelled", "NotAllowedError"));
            };
        }""")

    def forget(self):
        self.cdp.send("WebAuthn.clearCredentials", {"authenticatorId": self.id})


@pytest.fixture
def at_name(visit, lent_host):
    """A visitor who came by a name: WebAuthn takes no addresses."""
    return lambda **options: visit(url=lent_host.url.replace("127.0.0.1", "localhost"), **options)


def prove(dialog, password=PASSWORD):
    dialog.get_by_label("A password or the recovery code of this vault").fill(password)


def add_passkey(page, password=PASSWORD):
    dialog = offer(page, "Passkey", "Add")
    prove(dialog, password)
    dialog.get_by_role("button", name="Add", exact=True).click()


def add_first_passkey(page, password=PASSWORD):
    """To a device that has none of this host; it does not say so, so the page asks."""
    add_passkey(page, password)
    page.get_by_role("button", name="Create a passkey").click()


def remove(page, name, password=PASSWORD):
    page.get_by_role("button", name=f"Remove: {name}").click()
    prove(page.get_by_role("dialog"), password)
    page.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def lines(code):
    """How many groups of a recovery code stand in each line."""
    tops = code.locator("span").evaluate_all("all => all.map((one) => Math.round(one.getBoundingClientRect().top))")
    return [tops.count(top) for top in sorted(set(tops))]


def open_by_device(visitor):
    visitor.page.get_by_role("button", name="Open with this device").click()


def test_a_second_password_opens_until_it_is_removed(visit):
    owner, guest = visit(), visit()
    page = settings(owner.create())
    dialog = offer(page, "Another password", "Add")
    prove(dialog)
    dialog.get_by_label("New password").fill(SECOND)
    dialog.get_by_label("Password again").fill(SECOND)
    dialog.get_by_label("Label (optional)").fill("Grandma")
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("button", name="Remove: Grandma")).to_be_visible()
    guest.open(SECOND)
    remove(page, "Grandma")
    expect(ways(page)).to_have_count(0)
    guest.page.reload()
    guest.try_password(SECOND)
    expect(guest.page.get_by_text("That password didn’t open a vault")).to_be_visible()


def test_a_recovery_code_is_shown_once_for_a_right_secret_and_opens_the_vault_in_the_password_field(visitor):
    page = settings(visitor.create())
    dialog = offer(page, "Recovery code", "Create")
    prove(dialog, "who knows what it is")
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(dialog.get_by_text("That password didn’t open a vault")).to_be_visible()
    dialog.get_by_role("button", name="Cancel").click()
    expect(ways(page)).to_have_count(0)
    dialog = offer(page, "Recovery code", "Create")
    answer(page, "**/api/vault/ways", 409, "way-in-use", method="POST")
    prove(dialog)
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(dialog.get_by_text("This is the code that would be removed")).to_be_visible()
    page.unroute("**/api/vault/ways")
    prove(dialog)
    dialog.get_by_role("button", name="Create", exact=True).click()
    shown = page.locator(".recovery-code")
    expect(shown).to_have_text(re.compile(r"^(\w{4}-){6}\w{4}$"))
    code = shown.text_content()
    page.keyboard.press("Escape")
    expect(shown).to_be_visible()
    assert sorted(lines(shown)) == [3, 4]
    page.emulate_media(media="print")
    expect(shown).to_be_visible()
    expect(page.locator("#app")).to_be_hidden()
    # In boxes; a sheet that is kept does not say that it is seen only now.
    assert lines(shown) == [4, 3]
    expect(shown.locator("i").first).to_be_hidden()
    expect(page.get_by_text("You see it only now")).to_be_hidden()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="I’ve kept it safe").click()
    expect(shown).to_have_count(0)
    row = page.locator(".set-row", has=page.get_by_text("Recovery code", exact=True))
    expect(row.get_by_role("button")).to_have_text(["Replace", "Remove"])
    visitor.lock()
    visitor.open(code.lower())
    page = settings(visitor)
    remove(page, "Recovery code")
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
    visitor.try_password(code)
    expect(page.get_by_text("This recovery code doesn’t open anything")).to_be_visible()


def test_an_apps_code_is_shown_with_the_picture_that_an_app_scans(visitor):
    page = settings(visitor.create())
    picture = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0h1v1H0z"/></svg>'

    def with_picture(route):
        """As a host answers that other devices can reach."""
        if route.request.method != "POST":
            return route.fallback()
        made = route.fetch()
        return route.fulfill(response=made, json={**made.json(), "picture": picture})

    page.route("**/api/vault/ways", with_picture)
    page.evaluate("""() => {
        window.gone = [];
        const revoke = URL.revokeObjectURL.bind(URL);
        URL.revokeObjectURL = (address) => { window.gone.push(address); revoke(address); };
    }""")
    dialog = offer(page, "A code for an app", "Create")
    prove(dialog)
    dialog.get_by_role("button", name="Create", exact=True).click()
    expect(page.locator(".recovery-code")).to_be_visible()
    shown = page.get_by_role("img", name="QR code with the app’s code, this Safelight’s address and its certificate")
    expect(shown).to_be_visible()
    until(page, lambda: shown.evaluate("(one) => one.complete && one.naturalWidth > 0"))
    address = shown.get_attribute("src")
    page.get_by_role("button", name="I’ve kept it safe").click()
    expect(shown).to_have_count(0)
    # Nothing of it is left in the page.
    until(page, lambda: address in page.evaluate("window.gone"))


def try_to_dismiss(page):
    for _ in range(3):
        page.keyboard.press("Escape")
    page.mouse.click(5, 5)


def test_a_recovery_code_is_shown_whatever_has_closed_its_sheet_and_stays(visitor):
    page = settings(visitor.create())
    held = held_back(page, "**/api/vault/ways")
    dialog = offer(page, "Recovery code", "Create")
    prove(dialog)
    dialog.get_by_role("button", name="Create", exact=True).click()
    until(page, lambda: held)
    try_to_dismiss(page)
    expect(dialog.get_by_role("button", name="Cancel")).to_be_disabled()
    expect(dialog.get_by_role("button", name="Close")).to_be_disabled()
    # A lock elsewhere closes it too.
    page.evaluate("document.querySelector('dialog[open]').close()")
    expect(dialog).to_have_count(0)
    held[0].continue_()
    shown = page.locator(".recovery-code")
    expect(shown).to_be_visible()
    try_to_dismiss(page)
    expect(shown).to_be_visible()
    page.get_by_role("button", name="I’ve kept it safe").click()
    expect(ways(page)).to_have_count(1)


def test_a_vault_made_over_photos_without_a_password_shows_its_recovery_code(visitor):
    page = visitor.page
    visitor.start_without_password()
    held = held_back(page, "**/api/vaults")
    visitor.to_vault()
    visitor.begin_vault()
    page.get_by_role("checkbox", name="Make a recovery code").check()
    expect(page.get_by_role("checkbox", name="I understand")).to_be_hidden()
    page.get_by_role("button", name="Create vault").click()
    until(page, lambda: held)
    try_to_dismiss(page)
    page.evaluate("history.back()")
    held[0].continue_()
    expect(page.locator(".recovery-code")).to_be_visible()
    page.get_by_role("button", name="I’ve kept it safe").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Lock", exact=True)).to_be_visible()


def test_a_passkey_is_bound_opens_is_bound_to_another_vault_and_removed(at_name):
    visitor = at_name().create()
    device = Device(visitor)
    page = settings(visitor)
    add_first_passkey(page)
    expect(page.get_by_role("button", name="Remove: Passkey")).to_be_visible()
    assert len(device.credentials()) == 1
    visitor.lock()
    open_by_device(visitor)
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    visitor.lock()

    page = settings(visitor.create(OTHER))
    add_passkey(page, OTHER)
    page.get_by_role("button", name="Open this one").click()
    expect(page.get_by_role("button", name="Remove: Passkey")).to_be_visible()
    # The device has one entry, whatever it opens.
    assert len(device.credentials()) == 1
    visitor.lock()
    page = settings(visitor.open(PASSWORD))
    expect(page.get_by_text("Since")).to_have_count(1)
    visitor.lock()

    open_by_device(visitor)
    page = settings(visitor)
    expect(page.get_by_text("Used by this browser")).to_have_count(1)
    remove(page, "Passkey", OTHER)
    open_by_device(visitor)
    expect(page.get_by_text("This device doesn’t open a vault here yet")).to_be_visible()


def test_a_passkey_that_opened_last_comes_first_until_a_password_does(at_name):
    visitor = at_name().create()
    Device(visitor)
    page = settings(visitor)
    add_first_passkey(page)
    expect(page.get_by_role("button", name="Remove: Passkey")).to_be_visible()
    visitor.lock()
    device, field = page.get_by_role("button", name="Open with this device"), page.get_by_label("Password", exact=True)

    def expect_first(is_first):
        """Where it stands is known once the browser has said that it has one."""
        expect(device).to_be_visible()
        until(page, lambda: (device.bounding_box()["y"] < field.bounding_box()["y"]) == is_first)

    expect_first(False)
    open_by_device(visitor)
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    visitor.lock()
    expect_first(True)
    expect(device).to_be_focused()
    expect(page.locator(".is-main")).to_have_text(["Open with this device"])
    visitor.open()
    visitor.lock()
    expect_first(False)


def test_a_browser_may_offer_the_passkey_that_opened_last_but_not_right_after_a_lock(at_name):
    visitor = at_name().create()
    page = visitor.page
    Device(visitor)
    add_first_passkey(settings(visitor))
    expect(ways(page)).to_have_count(1)
    visitor.lock()
    open_by_device(visitor)
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()
    visitor.lock()
    # Without a prompt of its own this authenticator confirms what it is asked at once: nothing was asked.
    page.get_by_label("Password", exact=True).click()
    expect(page.get_by_role("heading", name="You locked the vault")).to_be_visible()
    page.reload()
    expect(page.get_by_role("navigation", name="Main")).to_be_visible()


def test_what_a_passkey_computes_and_replaces_is_of_this_port_alone(at_name, lent_host):
    visitor = at_name().create()
    Device(visitor)
    page = settings(visitor)
    page.evaluate("""() => {
        const create = navigator.credentials.create.bind(navigator.credentials);
        navigator.credentials.create = (options) => {
            const { user, extensions } = options.publicKey;
            window.asked = [...new Uint8Array(user.id), 0, ...new Uint8Array(extensions.prf.eval.first)];
            return create(options);
        };
    }""")
    add_first_passkey(page)
    expect(page.get_by_role("button", name="Remove: Passkey")).to_be_visible()
    text = f"safelight/v1/passkey localhost:{lent_host.port}"
    asked = bytes(page.evaluate("window.asked"))
    assert asked == f"safelight {lent_host.port}".encode() + b"\0" + hashlib.sha256(text.encode()).digest()


def test_a_guest_opens_a_vault_in_place_with_the_device(at_name):
    visitor = at_name().create()
    Device(visitor)
    add_first_passkey(settings(visitor))
    expect(ways(visitor.page)).to_have_count(1)
    visitor.lock()
    visitor.start_without_password().add(file("guest.jpg", b"\xff\xd8\xff\xe0 guest"))
    visitor.to_vault().get_by_role("button", name="Open with this device").click()
    expect(visitor.result("1 moved")).to_be_visible()
    assert list(visitor.originals()) == ["guest.jpg"]


def test_the_wrong_passkey_opens_nothing(at_name):
    owner, stranger = at_name().create(), at_name().create(OTHER)
    Device(owner), Device(stranger)
    add_first_passkey(settings(owner))
    expect(owner.page.get_by_role("button", name="Remove: Passkey")).to_be_visible()
    page = settings(stranger)
    add_first_passkey(page, OTHER)
    remove(page, "Passkey", OTHER)
    stranger.lock()
    open_by_device(stranger)
    expect(page.get_by_text("This device doesn’t open a vault here yet")).to_be_visible()


def test_a_device_without_a_passkey_says_so_and_the_password_is_still_there(at_name):
    visitor = at_name()
    Device(visitor)
    open_by_device(visitor)
    expect(visitor.page.get_by_text("Your device didn’t open it")).to_be_visible()
    expect(visitor.page.get_by_label("Password", exact=True)).to_be_enabled()


def test_a_cancelled_prompt_leaves_the_passkey_of_another_vault_as_it_is(at_name):
    visitor = at_name().create()
    device = Device(visitor)
    page = settings(visitor)
    add_first_passkey(page)
    expect(ways(page)).to_have_count(1)
    made = device.ids()
    visitor.lock()

    page = settings(visitor.create(OTHER))
    device.cancel_next()
    add_passkey(page, OTHER)
    question = page.get_by_role("dialog", name="Create a passkey on this device?")
    question.get_by_role("button", name="Cancel").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("Your device didn’t confirm")).to_be_visible()
    # Nor does the next try make one.
    dialog.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("dialog", name="instead of the other one").get_by_role("button", name="Cancel").click()
    assert device.ids() == made
    visitor.lock()
    open_by_device(visitor)
    page = settings(visitor)
    expect(page.get_by_text("Used by this browser")).to_have_count(1)
    remove(page, "Passkey")


def test_a_passkey_is_made_for_who_knows_a_secret_of_the_vault_where_the_device_has_none(at_name):
    visitor = at_name().create()
    device = Device(visitor)
    page = settings(visitor)
    add_passkey(page, "who knows what it is")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_text("That password didn’t open a vault")).to_be_visible()
    expect(page.get_by_role("button", name="Create a passkey")).to_have_count(0)
    assert device.ids() == []
    dialog.get_by_role("button", name="Cancel").click()
    add_first_passkey(page)
    expect(ways(page)).to_have_count(1)
    made = device.ids()
    page.evaluate("localStorage.clear()")
    page.reload()
    settings(visitor)
    add_passkey(page)
    expect(page.locator("#notes").get_by_text("This device now opens the vault")).to_be_visible()
    expect(ways(page)).to_have_count(1)
    assert device.ids() == made
    device.forget()
    add_first_passkey(page)
    expect(ways(page)).to_have_count(2)


def test_a_device_that_cannot_compute_its_secret_is_refused(at_name):
    visitor = at_name().create()
    device = Device(visitor, hasPrf=False)
    page = settings(visitor)
    add_first_passkey(page)
    expect(page.get_by_role("dialog").get_by_text("This device can’t do it")).to_be_visible()
    assert device.ids() == []
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(ways(page)).to_have_count(0)


def test_at_a_bare_address_a_passkey_is_not_offered_and_the_reason_is_said(visitor):
    expect(visitor.page.get_by_role("button", name="Open with this device")).to_have_count(0)
    page = settings(visitor.create())
    expect(page.get_by_text("Passkeys need a name for this computer.")).to_be_visible()
