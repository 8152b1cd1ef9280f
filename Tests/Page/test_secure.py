"""From a scanned code to an open vault over TLS: a real daemon, browsers of another device, the authority installed."""

import plistlib
import socket
import urllib.request

import pytest
from doors import day
from network import HOST
from playwright.sync_api import Error, expect
from seeding import picture
from trust import Impostor, chromium_on, firefox_with, leaf_for
from visitor import PASSWORD, Visitor, file, without_code

HOST_NAME = f"{socket.gethostname()}.local"
FOREIGN_NAME = "photos.bank.example"
PREFERENCES = {"network.dns.localDomains": f"{HOST_NAME},{FOREIGN_NAME}"}
FACTS = "fetch('/api/certificate').then((answer) => answer.json())"
SECURE_STATE = "() => ({ isSecure: isSecureContext, hasSubtle: Boolean(crypto.subtle), origin: location.origin })"


@pytest.fixture
def host(start_on_network):
    """A daemon on the network as it is by default: a setup code is asked for, plain HTTP leads to TLS."""
    return start_on_network()


@pytest.fixture
def authority(network, host):
    """The certificate as the page offers it over plain HTTP."""
    status, body, _ = network.device.curl(f"{host.url}/safelight-authority.crt")
    assert status == 200
    return body


@pytest.fixture
def trusting(network, playwright, tmp_path, authority):
    with chromium_on(network.device, playwright, tmp_path / "home", authority) as browser:
        yield browser


@pytest.fixture
def wary(network, playwright, tmp_path):
    """A browser in which nothing was installed."""
    with chromium_on(network.device, playwright, tmp_path / "home") as browser:
        yield browser


def download(daemon):
    with urllib.request.urlopen(f"{daemon.url}/safelight-authority.crt") as answer:
        return answer.read()


def is_probe(request):
    return request.url.endswith("/connect/secure")


def meet(page, address, is_accepted):
    """An impostor whose certificate is accepted is seen; any other ends in the browser's warning."""
    if is_accepted:
        page.goto(address)
        expect(page.get_by_role("heading", name="Me")).to_be_visible()
    else:
        with pytest.raises(Error, match="ERR_CERT|SEC_ERROR|NS_ERROR"):
            page.goto(address)


def test_over_plain_http_there_is_only_the_page_that_leads_on_and_offers_the_certificate(wary, network, host, authority):
    context = wary.new_context(locale="en-GB")
    visitor = Visitor(context, f"{host.url}/#code={host.setup_code}")
    page = visitor.page
    expect(page.get_by_role("heading", name="Your browser will warn once")).to_be_visible()
    on = page.get_by_role("link", name="Continue")
    assert on.get_attribute("href") == f"{host.secure_url}/#code={host.setup_code}"
    for summary in page.locator(".door-in > div > details > summary").all():
        summary.click()
    facts = page.evaluate(FACTS)
    assert page.locator(".words li").all_text_contents() == facts["words"]
    assert " ".join(facts["words"]) in host.log and facts["fingerprint"] in host.log
    with page.expect_download() as started:
        page.get_by_role("link", name="Download the certificate").first.click()
    assert started.value.suggested_filename == "safelight-authority.crt"
    assert started.value.path().read_bytes() == authority
    _, body, _ = network.device.curl(f"{host.url}/safelight-authority.mobileconfig")
    profile = plistlib.loads(body)
    assert [payload["PayloadContent"] for payload in profile["PayloadContent"]] == [authority]
    # Whoever came to a door is led to that.
    at_door = Visitor(context, f"{host.url}/give/#0123456789ABCDEFGHJKMNPQRSTV")
    on = at_door.page.get_by_role("link", name="Continue")
    assert on.get_attribute("href") == f"{host.secure_url}/give/#0123456789ABCDEFGHJKMNPQRSTV"
    assert visitor.faults() + at_door.faults() == []


def test_who_goes_on_past_the_warning_can_use_everything(wary, host):
    page = wary.new_page()
    with pytest.raises(Error, match="ERR_CERT_AUTHORITY_INVALID"):
        page.goto(f"{host.secure_url}/")
    context = wary.new_context(locale="en-GB", ignore_https_errors=True)
    visitor = Visitor(context, f"{host.secure_url}/#code={host.setup_code}")
    visitor.create()
    visitor.add(file("over tls.jpg", b"\xff\xd8\xff" + bytes(100_000)))
    visitor.page.reload()
    expect(visitor.cell("over tls.jpg")).to_be_visible()
    assert visitor.page.evaluate(SECURE_STATE) == {"isSecure": True, "hasSubtle": True, "origin": host.secure_url}
    assert visitor.faults() == []


def test_with_the_authority_installed_a_scanned_code_leads_to_the_vault_without_a_warning(trusting, host):
    context = trusting.new_context(locale="en-GB")
    page = context.new_page()
    states, groups = [], {}
    inspector = context.new_cdp_session(page)
    inspector.on("Security.visibleSecurityStateChanged", lambda event: states.append(event["visibleSecurityState"]))
    inspector.on("Network.responseReceived", lambda event: groups.update({
        event["response"]["url"]: event["response"].get("securityDetails", {}).get("keyExchangeGroup")}))  # fmt: skip
    inspector.send("Security.enable")
    inspector.send("Network.enable")
    page.goto(f"{host.url}/#code={host.setup_code}")
    page.wait_for_url(f"{host.secure_url}/")
    expect(page.get_by_label("Setup code")).to_have_value(host.setup_code)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    without_code(page)
    page.get_by_role("checkbox", name="I understand").check()
    page.get_by_role("button", name="Create vault").click()
    expect(page.get_by_text("No photos yet")).to_be_visible()
    assert page.evaluate(SECURE_STATE) == {"isSecure": True, "hasSubtle": True, "origin": host.secure_url}
    assert states[-1]["securityState"] == "secure", states[-1]
    assert states[-1]["certificateSecurityState"].get("certificateNetworkError") is None
    # Chromium and the host agree on keys that withstand quantum computers.
    assert {group for url, group in groups.items() if url.startswith(host.secure_url)} == {"X25519MLKEM768"}
    cookies = context.cookies()
    assert cookies and all(cookie["secure"] and cookie["name"].startswith("__Host-") for cookie in cookies)


def test_the_next_device_finds_the_vault_by_the_code_that_the_page_shows(trusting, host):
    context = trusting.new_context(locale="en-GB")
    visitor = Visitor(context, f"{host.secure_url}/#code={host.setup_code}")
    visitor.create().page.goto(f"{host.secure_url}/#/settings")
    visitor.page.locator("section").filter(has_text="Another device").get_by_role("button", name="Add").click()
    sheet = visitor.page.get_by_role("dialog", name="Add a device")
    code = sheet.get_by_role("img")
    code.evaluate("image => image.decode()")
    addresses = sheet.locator(".hex").all_text_contents()
    assert any(address.startswith(host.url) for address in addresses)
    expect(code).to_have_accessible_name(f"QR code of the address {addresses[0]}")
    # This very browser is another device.
    expect(sheet.locator(".notice")).to_have_count(0)
    facts = visitor.page.evaluate(FACTS)
    expect(visitor.page.get_by_text(facts["fingerprint"])).to_be_attached()
    other = trusting.new_context(locale="en-GB").new_page()
    other.goto(next(address for address in addresses if address.startswith(host.url)))
    other.wait_for_url(f"{host.secure_url}/")
    other.get_by_label("Password", exact=True).fill(PASSWORD)
    other.keyboard.press("Enter")
    expect(other.get_by_text("No photos yet")).to_be_visible()
    # The page that helps stays, and its lamp is lit.
    other.goto(f"{host.secure_url}/connect.html#code=ABCD-2345")
    expect(other.get_by_role("heading", name="Trust this Safelight on this device")).to_be_visible()
    assert other.get_by_role("link", name="Open Safelight").get_attribute("href") == "/#code=ABCD-2345"
    expect(other.locator(".lamp.is-out")).to_have_count(0)
    assert other.url.startswith(f"{host.secure_url}/connect.html")
    assert visitor.faults() == []


# -- away from home


REGISTERED = "navigator.serviceWorker.getRegistrations().then((all) => all.map((one) => one.scope))"
KEPT = """async () => [...await caches.keys(), ...(await indexedDB.databases()).map(({ name }) => name)]"""


def leave_home_and_come_back(page, secure, host):
    """An installed page, whose host does not answer for a while."""
    page.goto(f"{secure}/")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    host.stop()
    page.goto(f"{secure}/#/albums")
    page.reload()
    expect(page.get_by_role("heading", name="Safelight is at home.")).to_be_visible()
    expect(page.get_by_text("You are not on its Wi-Fi.")).to_be_visible()
    assert page.evaluate(KEPT) == []
    # What the browser itself has to say, of a certificate for one, is a tap away.
    with pytest.raises(Error, match="ERR_CONNECTION|ERR_ADDRESS|NS_ERROR"):
        page.goto(page.get_by_role("link", name="At home? Open it directly").evaluate("link => link.href"))
    host.start()
    page.goto(f"{secure}/")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("Safelight is at home.")
    expect(page.get_by_label("Password", exact=True)).to_be_visible()


def test_away_from_home_an_installed_page_says_where_safelight_is(trusting, host):
    leave_home_and_come_back(trusting.new_context(locale="en-GB").new_page(), host.secure_url, host)


def test_where_the_certificate_is_not_trusted_nothing_stands_before_the_browsers_own_pages(wary, host):
    visitor = Visitor(wary.new_context(locale="en-GB", ignore_https_errors=True), f"{host.secure_url}/#code={host.setup_code}")
    visitor.create()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    visitor.page.wait_for_load_state("networkidle")
    assert visitor.page.evaluate(REGISTERED) == []
    assert visitor.faults() == []


# -- a door whose owner wants no warning


CREATE_DOOR = """(fields) => fetch("/api/doors", { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields) }).then((answer) => answer.json())"""
CHANGE_DOOR = """([id, fields]) => fetch(`/api/doors/${id}`, { method: "PATCH", headers: { "Content-Type": "application/json" },
    body: JSON.stringify(fields) }).then((answer) => answer.status)"""


def test_a_guest_gives_in_three_taps_without_a_warning_where_the_owner_wants_that_and_only_there(wary, network, host):
    owner = Visitor(wary.new_context(locale="en-GB", ignore_https_errors=True), f"{host.secure_url}/#code={host.setup_code}")
    owner.create()
    fields = {"name": "Anna & Tom", "lastDay": day(3), "asksName": False, "lookFirst": True}
    open_one = owner.page.evaluate(CREATE_DOOR, {**fields, "unencrypted": True})
    other = owner.page.evaluate(CREATE_DOOR, {**fields, "name": "Other"})
    assert "/give/?plain#" in open_one["link"] and "?plain" not in other["link"]
    guest = wary.new_context(locale="en-GB", viewport={"width": 390, "height": 844}, has_touch=True).new_page()
    requests = []
    guest.on("request", lambda request: requests.append(request.url))
    address = f"{host.url}/give/?plain#{open_one['link'].partition('#')[2]}"
    guest.goto(address)
    expect(guest.get_by_role("heading", level=1)).to_have_text("Anna & Tom")
    expect(guest.get_by_text("chose that so your phone doesn’t warn")).to_be_visible()
    # One tap here; a photo and "Add" in the device's own picker.
    with guest.expect_file_chooser() as chooser:
        guest.get_by_role("button", name="Add photos").tap()
    chooser.value.set_files([file("first.png", picture(1), "image/png")])
    expect(guest.locator(".give-count")).to_have_text("1 saved")
    assert requests and all(url.startswith((host.url, "blob:")) for url in requests), requests
    # The tab is loaded anew, and still at the door.
    guest.reload()
    expect(guest.locator(".give-count")).to_have_text("1 saved")
    assert owner.page.evaluate(CHANGE_DOOR, [open_one["id"], {"unencrypted": False}]) == 200
    guest.locator("#give-photos").set_input_files([file("second.png", picture(2), "image/png")])
    expect(guest.get_by_role("main").get_by_text("over an encrypted connection only")).to_be_visible()
    way = guest.get_by_role("link", name="Send encrypted").last
    assert way.get_attribute("href") == f"/give/#{open_one['code'].replace('-', '')}"
    # Whoever scans the sheet of before is led to the way with the warning, and so is whoever changes another link.
    for link in (address, f"{host.url}/give/?plain#{other['link'].partition('#')[2]}"):
        page = wary.new_context(locale="en-GB").new_page()
        page.goto(link)
        expect(page.get_by_role("link", name="Continue")).to_be_visible()
    assert owner.faults() == []


def test_installed_in_chromium_the_authority_vouches_for_this_host_and_not_for_the_internet(
    network, playwright, tmp_path, host, authority
):
    # An address that is allowed stands for the way to make a certificate: what is refused is the name alone.
    subjects = {HOST: f"IP:{HOST}", "8.8.8.8": "IP:8.8.8.8", FOREIGN_NAME: f"DNS:{FOREIGN_NAME}"}
    rules = [f"--host-resolver-rules=MAP {FOREIGN_NAME} {HOST}, MAP 8.8.8.8 {HOST}"]
    with chromium_on(network.device, playwright, tmp_path / "home", authority, rules) as browser:
        page = browser.new_page()
        for name, subject in subjects.items():
            certificate = leaf_for(subject, host.data / "tls" / "authority.pem", tmp_path)
            with network.host:
                server = Impostor(HOST, *certificate)
            with server:
                meet(page, f"https://{name}:{server.port}/", is_accepted=name == HOST)
                server.shutdown()


# -- Firefox, which reaches this machine under names that it takes for other hosts

def lead_on(page, daemon, event):
    with page.expect_event(event, is_probe):
        page.goto(f"http://{HOST_NAME}:{daemon.port}/connect.html#code=ABCD-2345")
    return f"https://{HOST_NAME}:{daemon.port}"


@pytest.mark.nightly("engines")
def test_firefox_is_not_led_on_without_the_authority(playwright, daemon, tmp_path):
    with firefox_with(playwright, tmp_path / "firefox", None, PREFERENCES) as browser:
        page = browser.new_context(locale="en-GB").new_page()
        secure = lead_on(page, daemon, "requestfailed")
        on = page.get_by_role("link", name="Continue")
        assert on.get_attribute("href") == f"{secure}/#code=ABCD-2345"


def test_installed_in_firefox_the_authority_leads_on_and_vouches_for_this_host_and_not_for_the_internet(
    playwright, daemon, tmp_path
):
    with firefox_with(playwright, tmp_path / "firefox", download(daemon), PREFERENCES) as browser:
        page = browser.new_context(locale="en-GB").new_page()
        secure = lead_on(page, daemon, "requestfinished")
        page.wait_for_url(f"{secure}/")
        expect(page.get_by_role("heading", name="Create a vault")).to_be_visible()
        assert page.evaluate(SECURE_STATE) == {"isSecure": True, "hasSubtle": True, "origin": secure}
        leave_home_and_come_back(page, secure, daemon)
        for name in (HOST_NAME, FOREIGN_NAME):
            certificate = leaf_for(f"DNS:{name}", daemon.data / "tls" / "authority.pem", tmp_path)
            with Impostor("127.0.0.1", *certificate) as server:
                meet(page, f"https://{name}:{server.port}/", is_accepted=name == HOST_NAME)
                server.shutdown()
