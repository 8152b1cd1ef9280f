"""The page about the connection: its states, its words, its looks. What browsers do with TLS is in test_secure.py."""

import base64
import re
import socket

import pytest
from accessibility import problems
from cases import in_nightly
from playwright.sync_api import expect
from screens import LOCALES
from test_looks import overflow
from visitor import answer, resize, until
from way import ANDROID

FACTS = {
    "kind": "authority",
    "name": "Safelight on attic",
    "fingerprint": ":".join(f"{number * 7 % 256:02X}" for number in range(32)),
    "words": ["amber", "harbour", "linen", "otter", "copper", "meadow", "violin", "seven"],
    "notAfter": "2036-11-21T00:00:00Z",
    "secure": False,
}
AGENTS = {
    "ios": "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1",
    "android": ANDROID,
    "windows": "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
    "macos": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/26.0 Safari/605.1.15",
    "firefox": "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "linux": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
}
NAMES = {
    "ios": "iPhone and iPad",
    "android": "Android",
    "windows": "Windows",
    "macos": "Mac",
    "firefox": "Firefox on a computer",
    "linux": "Chrome and Chromium on Linux",
}


def first_in_test(count, cases):
    """The others belong to the nightly ring."""
    return [case if place < count else in_nightly("sizes", case) for place, case in enumerate(cases)]


def facts(**changes):
    return lambda route: route.fulfill(json={**FACTS, **changes})


def no_certificate(route):
    route.fulfill(status=404, content_type="application/problem+json", json={"code": "no-certificate", "status": 404})


def refuse(route):
    route.abort("connectionrefused")


@pytest.fixture
def land(visit, lent_host):
    """land(**options) → a visitor on the page over plain HTTP, under a name that is not loopback; TLS is not trusted."""

    def open_page(certificate=None, probe=refuse, fragment="", path="connect.html", **options):
        address = f"http://{socket.gethostname()}.local:{lent_host.port}/connect.html{fragment}"
        routes = {"**/api/certificate": certificate or facts(), "**/connect/secure": probe}
        visitor = visit(url=address, routes=routes, **options)
        move_to(visitor, path)
        return visitor

    return open_page


def move_to(visitor, path):
    """Over plain HTTP a host on a network answers with that page whatever is asked for: its script sees that address."""
    if path != "connect.html":
        visitor.context.add_init_script(
            f"if (location.pathname === '/connect.html') history.replaceState(null, '', '/{path}' + location.hash)"
        )


# -- going on


def test_the_way_on_is_the_same_host_over_tls_and_carries_the_setup_code(land, lent_host):
    visitor = land(fragment="#code=ABCD-2345")
    expect(visitor.page.get_by_role("heading", name="Your browser will warn once")).to_be_visible()
    secure = f"https://{socket.gethostname()}.local:{lent_host.port}"
    on = visitor.page.get_by_role("link", name="Continue")
    assert on.get_attribute("href") == f"{secure}/#code=ABCD-2345"
    expect(visitor.page.locator(".lamp.is-out")).to_have_count(1)


def test_a_trusted_certificate_leads_on_at_once_with_the_setup_code(chromium, lent_host):
    context = chromium.new_context(locale="en-GB")
    context.route("**/connect/secure", lambda route: route.fulfill(status=204))
    context.route("https://**/", lambda route: route.fulfill(body="<h1>Secure</h1>", content_type="text/html"))
    page = context.new_page()
    address = f"{socket.gethostname()}.local:{lent_host.port}"
    page.goto("about:blank")
    page.goto(f"http://{address}/connect.html#code=ABCD-2345")
    page.wait_for_url(f"https://{address}/#code=ABCD-2345")
    page.go_back()
    assert page.url == "about:blank"
    context.close()


def test_who_comes_back_with_the_certificate_installed_is_led_on(land, lent_host):
    visitor = land()
    page = visitor.page
    expect(page.get_by_role("heading", name="Your browser will warn once")).to_be_visible()
    page.context.route("**/connect/secure", lambda route: route.fulfill(status=204))
    page.context.route("https://**/", lambda route: route.fulfill(body="<h1>Secure</h1>", content_type="text/html"))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.wait_for_url(f"https://{socket.gethostname()}.local:{lent_host.port}/")


def test_who_comes_back_before_the_page_knows_that_it_is_not_trusted_is_led_on(land, lent_host):
    held = []
    visitor = land(probe=lambda route: held.append(route))
    page = visitor.page
    until(page, lambda: held)
    page.context.route("https://**/", lambda route: route.fulfill(body="<h1>Secure</h1>", content_type="text/html"))
    page.context.route("**/connect/secure", lambda route: route.fulfill(status=204))
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    refuse(held.pop())
    page.wait_for_url(f"https://{socket.gethostname()}.local:{lent_host.port}/")


def test_on_the_host_itself_the_page_helps_and_leads_nowhere(visit, lent_host):
    asked = []
    routes = {"**/api/certificate": facts(), "**/connect/secure": lambda route: (asked.append(route), route.abort())}
    visitor = visit(url=f"{lent_host.url}/connect.html", routes=routes)
    expect(visitor.page.get_by_role("heading", name="Trust this Safelight on other devices")).to_be_visible()
    assert visitor.page.get_by_role("link", name="Open Safelight").get_attribute("href") == "/"
    assert asked == []


# -- what it says


WARNINGS = {
    "ios": ("Show Details", "visit this website"),
    "android": ("Advanced", "Proceed to {host} (unsafe)"),
    "windows": ("Advanced", "Proceed to {host} (unsafe)"),
    "macos": ("Show Details", "visit this website"),
    "firefox": ("Advanced…", "Accept the Risk and Continue"),
    "linux": ("Advanced", "Proceed to {host} (unsafe)"),
}
# What is folded is not above the fold; the words of the footer are those of every screen outside.
MOST_WORDS = 60


def words_in_sight(page):
    return len(page.locator("main").inner_text().split())


@pytest.mark.parametrize("platform", first_in_test(3, AGENTS))
def test_the_first_screen_has_the_quick_way_with_the_buttons_of_this_browser_and_folds_the_rest(land, platform):
    page = land(user_agent=AGENTS[platform], viewport={"width": 390, "height": 844}).page
    expect(page.get_by_text("This is normal at home")).to_be_visible()
    wanted = [words.format(host=f"{socket.gethostname()}.local") for words in WARNINGS[platform]]
    assert page.locator(".warns li").all_text_contents() == wanted
    assert words_in_sight(page) <= MOST_WORDS
    on = page.get_by_role("link", name="Continue").bounding_box()
    assert on["y"] + on["height"] <= 844
    expect(page.locator("details[open]")).to_have_count(0)
    page.get_by_text("Stop the warning for good (3 minutes)").click()
    # Of this device alone; an iPhone needs a second step, and a profile.
    expect(page.locator(".steps")).to_have_count(1)
    if platform == "ios":
        expect(page.locator(".steps")).to_contain_text("Settings › General › About › Certificate Trust Settings")
        expect(page.locator(".steps")).to_contain_text("Switch on Safelight on attic.")
    assert ("Only for Firefox" in page.locator(".steps").inner_text()) is False
    ending = "mobileconfig" if platform == "ios" else "crt"
    assert page.get_by_role("link", name="Download the certificate").get_attribute("href") == f"/safelight-authority.{ending}"


def test_on_the_host_itself_the_steps_of_every_device_are_there_folded(visit, lent_host):
    page = visit(url=f"{lent_host.url}/connect.html", routes={"**/api/certificate": facts()}).page
    expect(page.locator(".warns")).to_have_count(0)
    assert set(page.locator("section summary").all_text_contents()) >= set(NAMES.values())


DOOR = "0123456789ABCDEFGHJKMNPQRSTV"


def named(name):
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


@pytest.mark.parametrize("name", ["Anna & Tom", "安娜和汤姆的婚礼", "<b>x</b>"])
def test_the_code_of_a_door_leads_to_one_screen_that_says_whose_it_is(land, name):
    fragment = f"#{DOOR}/{named(name)}"
    page = land(fragment=fragment, path="give/", user_agent=AGENTS["android"], viewport={"width": 390, "height": 844}).page
    expect(page.get_by_role("heading", level=1)).to_have_text(f"{name} would like your photos")
    expect(page.get_by_text("This is normal at home")).to_be_visible()
    expect(page.locator(".warns li")).to_have_count(2)
    assert words_in_sight(page) <= MOST_WORDS
    expect(page.locator("details[open]")).to_have_count(0)
    on = page.get_by_role("link", name="Continue")
    assert on.bounding_box()["y"] + on.bounding_box()["height"] <= 844
    assert on.get_attribute("href").endswith(f"/give/{fragment}")


@pytest.mark.parametrize("fragment", [f"#{DOOR}", f"#{DOOR}/", f"#{DOOR}/!!", f"#{DOOR}/_w"])
def test_the_code_of_a_door_without_a_name_leads_on_all_the_same(land, fragment):
    page = land(fragment=fragment, path="give/").page
    expect(page.get_by_role("link", name="Continue")).to_be_visible()
    assert page.get_by_role("link", name="Continue").get_attribute("href").endswith(f"/give/{fragment}")


@pytest.mark.parametrize("way", ["", "&frame", "&wall"])
def test_the_link_of_a_window_leads_to_one_screen_that_says_what_is_shown(land, way):
    fragment = f"#{DOOR}/{named('Rome, for Grandma')}{way}"
    page = land(fragment=fragment, path="see/", viewport={"width": 390, "height": 844}).page
    expect(page.get_by_role("heading", level=1)).to_have_text("Photos for you: Rome, for Grandma")
    assert page.get_by_role("link", name="Continue").get_attribute("href").endswith(f"/see/{fragment}")


def test_the_fingerprint_is_there_as_words_and_in_full(land):
    visitor = land()
    compare = visitor.page.locator("details", has_text="Make sure it is your Safelight")
    compare.locator("summary").first.click()
    assert compare.get_by_role("list", name="The fingerprint in words").locator("li").all_text_contents() == FACTS["words"]
    expect(compare.get_by_text(FACTS["fingerprint"])).to_be_hidden()
    compare.get_by_text("In full, as devices show it (SHA-256)").click()
    expect(compare.get_by_text(FACTS["fingerprint"])).to_be_visible()
    expect(compare).to_contain_text("Compare it with the window in which Safelight was started")
    expect(compare).to_contain_text("Not with this page alone")


def test_with_an_own_certificate_there_is_nothing_to_install(land):
    visitor = land(facts(kind="own", name="photos.example.org"))
    expect(visitor.page.get_by_text("Safelight uses a certificate that its owner gave it.")).to_be_visible()
    expect(visitor.page.get_by_role("heading", name="Continue over a secure connection")).to_be_visible()
    expect(visitor.page.get_by_role("link", name="Continue")).to_be_visible()
    expect(visitor.page.locator(".warns")).to_have_count(0)
    expect(visitor.page.get_by_role("link", name="Download the certificate")).to_have_count(0)
    expect(visitor.page.get_by_text("Make sure it is your Safelight")).to_be_visible()


def test_without_an_answer_or_a_certificate_the_page_says_so_and_looks_again(land):
    page = land(refuse).page
    expect(page.get_by_role("heading", name="Can’t reach Safelight")).to_be_visible()
    page.context.unroute("**/api/certificate")
    page.context.route("**/api/certificate", no_certificate)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.get_by_role("heading", name="No secure connection yet")).to_be_visible()
    expect(page.get_by_text("Set the clock of the computer with Safelight")).to_be_visible()
    page.context.unroute("**/api/certificate")
    page.context.route("**/api/certificate", facts())
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="Your browser will warn once")).to_be_visible()


def test_without_javascript_there_are_plain_words(chromium, lent_host):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{lent_host.url}/connect.html")
    expect(page.get_by_role("heading", name="Continue over a secure connection")).to_be_visible()
    expect(page.get_by_role("heading", name="通过安全连接继续")).to_be_visible()
    assert overflow(page) <= 0
    context.close()


# -- how it looks


# All sections are seen by everybody; which of them comes first does not rest on the language.
@pytest.mark.parametrize(("language", "platform"), [
    ("en", "linux"), ("zh-Hans", "ios"),
    *(in_nightly("sizes", pair) for pair in [("zh-Hant", "ios"), *(("en", platform) for platform in AGENTS if platform != "linux")]),
])  # fmt: skip
def test_every_language_fits_narrow_windows_and_leaves_nothing_raw(land, language, platform):
    visitor = land(locale=LOCALES[language], user_agent=AGENTS[platform], viewport={"width": 320, "height": 568})
    page = visitor.page
    expect(page.locator("html")).to_have_attribute("lang", language)
    for summary in page.locator("summary").all():
        summary.click()
    assert overflow(page) <= 0
    words = page.locator("#app").inner_text()
    assert not re.search(r"\b(step|name|warn|compare|install|landing)\.\w|[{}*`]", words)
    # With letters twice as large, 390 by 844 pixels are what 195 by 422 are without.
    resize(page, 195, 422)
    assert overflow(page) <= 0


def test_another_language_changes_the_page_at_once_and_for_later(land):
    visitor = land()
    visitor.page.get_by_role("combobox").select_option("zh-Hant")
    expect(visitor.page.get_by_role("heading", name="瀏覽器會警告一次")).to_be_visible()
    expect(visitor.page).to_have_title(re.compile("瀏覽器會警告一次"))
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", name="瀏覽器會警告一次")).to_be_visible()


def test_axe_finds_nothing_to_mend(land):
    for certificate in (facts(), facts(kind="own"), no_certificate):
        page = land(certificate, reduced_motion="reduce").page
        for summary in page.locator("summary").all():
            summary.click()
        for width, scheme in ((390, "light"), (1440, "dark")):
            resize(page, width, 900)
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            assert problems(page) == [], (width, scheme)


# -- in a vault, and at its door

ADDRESSES = ["http://10.77.0.1:8080/", "http://[fd77::1]:8080/", "http://attic.local:8080/"]
CODE = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29"><rect width="29" height="29" fill="#fff"/></svg>'


def at_addresses(addresses=ADDRESSES, reached=True):
    return {
        "**/api/addresses": lambda route: route.fulfill(json={"addresses": addresses, "reached": reached}),
        "**/api/qr.svg*": lambda route: route.fulfill(body=CODE, content_type="image/svg+xml"),
    }


def add_device(visitor):
    visitor.create().page.goto(f"{visitor.url}/#/settings")
    visitor.page.get_by_role("button", name="Add: Another device").click()
    sheet = visitor.page.get_by_role("dialog", name="Add a device")
    expect(sheet).to_be_visible()
    return sheet


def test_a_device_is_added_by_a_code_or_an_address(visit):
    visitor = visit(routes=at_addresses(), permissions=["clipboard-read", "clipboard-write"])
    sheet = add_device(visitor)
    code = sheet.get_by_role("img")
    expect(code).to_have_accessible_name(f"QR code of the address {ADDRESSES[0]}")
    code.evaluate("image => image.decode()")
    assert code.evaluate("image => image.naturalWidth > 0 && image.clientWidth === 240")
    assert sheet.locator(".hex").all_text_contents() == ADDRESSES
    sheet.get_by_role("button", name=f"QR code: {ADDRESSES[2]}").click()
    expect(code).to_have_accessible_name(f"QR code of the address {ADDRESSES[2]}")
    expect(code).to_have_attribute("src", "/api/qr.svg?address=http%3A%2F%2Fattic.local%3A8080%2F")
    sheet.get_by_role("button", name=f"Copy: {ADDRESSES[1]}").click()
    expect(visitor.page.locator("#live")).to_have_text("Copied")
    assert visitor.page.evaluate("navigator.clipboard.readText()") == ADDRESSES[1]
    expect(sheet.get_by_text("the same password")).to_be_visible()
    expect(sheet.locator(".notice")).to_have_count(0)


def test_where_there_is_no_clipboard_addresses_are_only_text(visit, lent_host):
    visitor = visit(url=f"http://{socket.gethostname()}.local:{lent_host.port}", routes=at_addresses(ADDRESSES[:1]))
    # Only the browser knows that name: the vault is made where it stands.
    expect(visitor.page.get_by_role("button", name="Create a vault")).to_be_visible()
    sheet = add_device(visitor)
    expect(sheet.get_by_text(ADDRESSES[0])).to_be_visible()
    expect(sheet.locator("li button")).to_have_count(0)


def test_an_empty_vault_on_a_computer_offers_the_phone_and_says_why_none_has_come(visit):
    visitor = visit(routes=at_addresses(reached=False), viewport={"width": 1440, "height": 900}).create()
    page = visitor.page
    sheet = page.get_by_role("dialog", name="Add a device")

    def add():
        page.get_by_role("button", name="Add from a phone").click()
        return sheet

    notice = add().locator(".notice")
    for words in ("No other device has reached this Safelight yet.", "Guest Wi-Fi", "client isolation", "port 8080"):
        expect(notice).to_contain_text(words)
    page.keyboard.press("Escape")
    page.route("**/api/addresses", lambda route: route.fulfill(json={"addresses": [], "reached": True}))
    expect(add().get_by_text("This Safelight only answers on the computer it runs on.")).to_be_visible()
    page.keyboard.press("Escape")
    page.unroute("**/api/addresses")
    answer(page, "**/api/addresses", 503, "busy")
    expect(add().get_by_text("Safelight is busy.")).to_be_visible()


@pytest.mark.parametrize("language", first_in_test(1, LOCALES))
def test_the_sheet_fits_a_narrow_window(visit, language):
    visit().create()
    narrow = {"viewport": {"width": 320, "height": 568}, "locale": LOCALES[language]}
    # A sheet that still fades in has less contrast.
    visitor = visit(routes=at_addresses(reached=False), reduced_motion="reduce", **narrow)
    visitor.page.locator("input[type=password]").fill("paper lantern over water")
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".empty")).to_be_visible()
    visitor.page.goto(f"{visitor.url}/#/settings")
    visitor.page.locator(".set section").nth(1).locator("> .set-row .link").nth(1).click()
    expect(visitor.page.locator("dialog.sheet img")).to_be_visible()
    assert visitor.page.locator("dialog.sheet").evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0
    assert problems(visitor.page) == []


def test_settings_show_the_fingerprint_and_what_it_is_for_or_say_that_there_is_no_certificate(visit):
    visitor = visit(routes={"**/api/certificate": no_certificate}).create()
    visitor.page.get_by_role("link", name="Settings").click()
    expect(visitor.page.get_by_text("There is no certificate yet.")).to_be_visible()
    visitor.context.unroute("**/api/certificate")
    visitor.context.route("**/api/certificate", facts())
    visitor.page.reload()
    expect(visitor.page.get_by_text(" ".join(FACTS["words"]))).to_be_visible()
    expect(visitor.page.get_by_text(FACTS["fingerprint"])).to_be_visible()
    # Whoever looks for it has seen a warning, and not yet a fingerprint.
    expect(visitor.page.get_by_text("Browser warning and certificate")).to_be_visible()
    with visitor.page.expect_popup() as opened:
        visitor.page.get_by_role("link", name="Install or check the certificate").click()
    expect(opened.value.get_by_role("heading", name="Make sure it is your Safelight")).to_be_visible()


def test_the_door_over_plain_http_offers_the_secure_way_and_keeps_the_setup_code(visit, lent_host):
    address = f"http://{socket.gethostname()}.local:{lent_host.port}"
    visitor = visit(url=f"{address}/#code=ABCD-2345", routes={"**/connect/secure": refuse, "**/api/certificate": facts()})
    link = visitor.page.get_by_role("link", name="Use a secure connection")
    assert link.get_attribute("href") == "/connect.html#code=ABCD-2345"
    link.click()
    on = visitor.page.get_by_role("link", name="Continue")
    assert on.get_attribute("href").endswith("/#code=ABCD-2345")
