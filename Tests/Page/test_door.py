"""The door: opening, creating, refusing, waiting."""

import socket
from pathlib import Path

from playwright.sync_api import expect
from seeding import picture
from visitor import PASSWORD, answer, file, stop_clock, try_now, until


def test_a_new_vault_opens_empty_and_opens_again_with_its_password(visitor):
    visitor.create_through_the_page()
    visitor.lock()
    visitor.open()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()


def test_a_password_can_be_shown_and_a_wrong_one_empties_the_field_says_so_and_keeps_the_focus(visitor):
    field = visitor.page.get_by_label("Password", exact=True)
    field.fill("see me")
    expect(field).to_have_attribute("type", "password")
    visitor.page.get_by_role("button", name="Show").click()
    expect(field).to_have_attribute("type", "text")
    visitor.page.get_by_role("button", name="Hide").click()
    expect(field).to_have_attribute("type", "password")
    visitor.try_password("not the right one")
    expect(visitor.page.get_by_text("That password didn’t open a vault")).to_be_visible()
    expect(field).to_have_value("")
    expect(field).to_be_focused()
    expect(field).to_have_attribute("aria-invalid", "true")


def test_too_many_tries_are_counted_down_and_end(visitor):
    visitor.install_clock()
    answer(visitor.page, "**/api/session", 429, "too-many-attempts", method="POST", headers={"Retry-After": "2"})
    stop_clock(visitor.page)
    visitor.try_password("anything at all")
    expect(visitor.page.get_by_role("button", name="Try again in")).to_have_attribute("aria-disabled", "true")
    expect(visitor.page.get_by_text("Too many tries.")).to_be_visible()
    # To the eye once; a screen reader hears it with the reason.
    wait = visitor.page.get_by_text("Try again in 2 seconds.")
    until(visitor.page, lambda: wait.evaluate_all("all => all.filter((one) => one.clientWidth > 1).length") == 1)
    visitor.page.clock.run_for(2000)
    expect(visitor.page.get_by_role("button", name="Open", exact=True)).to_be_visible()


REFUSED = [
    ("", "", "Enter a password first."),
    ("short", "short", "Too short. Use at least 10 characters."),
    (PASSWORD, PASSWORD + "!", "The passwords don’t match."),
    ("password123", "password123", "on lists of common passwords"),
]


def test_a_password_that_cannot_be_used_is_refused_in_place_and_the_warning_must_be_ticked(visitor):
    visitor.begin_vault()
    page = visitor.page
    create = page.get_by_role("button", name="Create vault")
    create.click()
    expect(page.get_by_text("Please tick this first")).to_be_visible()
    expect(page.get_by_role("checkbox", name="I understand")).to_be_focused()
    page.get_by_role("checkbox", name="I understand").check()
    for password, again, words in REFUSED:
        page.get_by_label("Password", exact=True).fill(password)
        page.get_by_label("Password again").fill(again)
        create.click()
        expect(page.get_by_text(words)).to_be_visible()


def test_a_recovery_code_is_made_unless_somebody_does_without(visitor):
    page = visitor.page
    page.get_by_role("button", name="Create a vault").click()
    expect(page.get_by_label("Password again")).to_be_visible()
    expect(page.get_by_role("checkbox", name="Make a recovery code")).to_be_checked()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)
    page.get_by_role("button", name="Create vault").click()
    dialog = visitor.dialog()
    code = dialog.locator(".recovery-code").text_content()
    # A step of its own: nothing behind it is still at work.
    expect(page.get_by_text("Creating…")).to_have_count(0)
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog.get_by_role("button", name="Copy").click()
    expect(dialog.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == code
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Save as a file").click()
    assert code in Path(download.value.path()).read_text()
    dialog.get_by_role("button", name="I’ve kept it safe").click()
    expect(page.get_by_text("No photos yet")).to_be_visible()
    visitor.lock()
    visitor.open(code)


def test_strength_is_a_word(visitor):
    visitor.page.get_by_role("button", name="Create a vault").click()
    expect(visitor.page.get_by_label("Password again")).to_be_visible()
    field = visitor.page.get_by_label("Password", exact=True)
    for password, word in [
        ("abc", "Short"),
        ("lantern7", "Short"),
        ("1234567890", "Easy to guess"),
        ("minecraft123", "Easy to guess"),
        ("P@ssw0rd2024!", "Easy to guess"),
        ("violet tram seven", "Fair"),
        (PASSWORD, "Strong"),
    ]:
        field.fill(password)
        expect(visitor.page.locator(".strength span")).to_have_text(word)


def test_the_setup_code_is_asked_for_where_it_is_needed_and_one_in_the_address_leaves_it(visitor):
    page = visitor.page
    page.get_by_role("button", name="Create a vault").click()
    expect(page.get_by_label("Password again")).to_be_visible()
    expect(page.get_by_label("Setup code")).to_have_count(0)

    def needs_code(route):
        answered = route.fetch()
        route.fulfill(response=answered, json={**answered.json(), "codeNeeded": True})

    page.route("**/api/hello", needs_code)
    page.reload()
    page.get_by_role("button", name="Create a vault").click()
    expect(page.get_by_label("Setup code")).to_have_value("")
    page.goto("about:blank")
    page.goto(f"{visitor.url}/#code=ABCD-2345")
    # Nobody has to look at what came by itself, unless the host refuses it.
    expect(page.get_by_label("Setup code")).to_have_value("ABCD-2345")
    expect(page.get_by_label("Setup code")).to_be_hidden()
    assert "ABCD" not in page.url
    fill_new_vault(page)
    answer(page, "**/api/vaults", 403, "setup-code", method="POST")
    page.get_by_role("button", name="Create vault").click()
    expect(page.get_by_label("Setup code")).to_be_focused()
    expect(page.get_by_text("The setup code doesn’t match")).to_be_visible()


def fill_new_vault(page):
    expect(page.get_by_label("Password again")).to_be_visible()
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password again").fill(PASSWORD)


def test_what_is_no_setup_code_is_said_on_leaving_the_field_and_not_sent(visitor):
    page = visitor.page
    page.route("**/api/hello", lambda route: route.fulfill(json={**route.fetch().json(), "codeNeeded": True}))
    asked = []
    page.on("request", lambda request: asked.append(request) if request.url.endswith("/api/vaults") else None)
    page.reload()
    page.get_by_role("button", name="Create a vault").click()
    code = page.get_by_label("Setup code")
    expect(code).to_be_focused()
    for wrong in ("AB", "ABCD-234", "ABCD_2345"):
        code.fill(wrong)
        page.get_by_label("Password", exact=True).focus()
        expect(page.get_by_text("A setup code has eight letters and digits.")).to_be_visible()
        fill_new_vault(page)
        page.get_by_role("button", name="Create vault").click()
        expect(code).to_be_focused()
    assert asked == []
    code.press("Control+A")
    page.keyboard.type("abcd-23456789")
    expect(code).to_have_value("abcd-2345")
    page.get_by_label("Password", exact=True).focus()
    expect(page.get_by_text("A setup code has eight")).to_have_count(0)


def test_in_a_new_browser_making_a_vault_leads_and_with_a_setup_code_its_form_is_there_at_once(visitor):
    page = visitor.page
    expect(page.get_by_role("heading", name="Create your vault")).to_be_visible()
    create = page.get_by_role("button", name="Create a vault")
    expect(create).to_be_focused()
    field = page.get_by_label("Password", exact=True)
    assert create.bounding_box()["y"] < field.bounding_box()["y"]
    assert page.locator(".is-main").all_text_contents() == ["Create a vault"]
    page.goto("about:blank")
    page.goto(f"{visitor.url}/#code=ABCD-2345")
    expect(page.get_by_label("Password again")).to_be_visible()
    page.get_by_role("button", name="Back").click()
    expect(create).to_be_visible()
    # Who has a vault already opens it from the door, too.
    visitor.create().lock()
    page.goto("about:blank")
    page.goto(f"{visitor.url}/#code=ABCD-2345")
    visitor.open()


def test_the_door_looks_the_same_whether_or_not_a_vault_exists(visitor, visit):
    # It comes a moment after the door stands there, and last.
    expect(visitor.page.get_by_role("button", name="Add photos, decide later")).to_be_visible()
    before = visitor.page.locator("#app").inner_html()
    visit().create()
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    until(visitor.page, lambda: visitor.page.locator("#app").inner_html() == before)


def test_plain_http_away_from_this_computer_warns_before_the_password_and_the_lamp_is_out(visit, lent_host):
    name = f"{socket.gethostname()}.local"
    visitor = visit(url=lent_host.url.replace("127.0.0.1", name))
    expect(visitor.page.get_by_text("This connection is not encrypted.")).to_be_visible()
    notice = visitor.page.locator(".notice").bounding_box()
    assert notice["y"] < visitor.page.get_by_label("Password", exact=True).bounding_box()["y"]
    expect(visitor.page.locator(".lamp.is-out")).to_have_count(1)


def test_after_a_minute_without_the_host_a_list_says_what_to_look_after(visitor):
    visitor.install_clock()
    page = visitor.page
    page.route("**/api/**", lambda route: route.abort())
    visitor.try_password("anything at all")
    banner = page.locator(".offline")
    expect(banner.get_by_text("Trying again in")).to_be_visible()
    expect(banner.get_by_text("VPN")).to_have_count(0)
    page.clock.fast_forward(61_000)
    banner.get_by_role("button", name="Try now").click()
    expect(banner.get_by_text("VPN")).to_be_visible()
    # What was said to a screen reader is not left there as if it were so still.
    expect(page.locator("#live")).to_have_text("Still not there? Check these:")
    page.unroute("**/api/**")
    try_now(page)
    expect(banner).to_have_count(0)
    expect(page.locator("#live")).to_have_text("Safelight is back.")


def test_without_an_answer_the_page_says_so_and_goes_on_by_itself(visitor):
    visitor.page.route("**/api/hello", lambda route: route.abort())
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", name="Can’t reach Safelight")).to_be_visible()
    visitor.page.unroute("**/api/hello")
    expect(visitor.page.get_by_role("heading", name="Create your vault")).to_be_visible()


def choose_at_the_door(visitor, *files):
    expect(visitor.page.get_by_role("button", name="Add photos, decide later")).to_be_visible()
    visitor.choose(*files)
    expect(visitor.page.get_by_text(f"{len(files)} files are waiting")).to_be_visible()


PHOTOS = [file(f"{index}.jpg", b"at the door" + bytes([index])) for index in range(2)]


def test_files_chosen_at_the_door_can_be_forgotten_or_go_where_somebody_opens(visitor):
    visitor.create().lock()
    visitor.page.reload()
    choose_at_the_door(visitor, file("forgotten.jpg", b"forgotten"), *PHOTOS)
    visitor.page.get_by_role("button", name="Discard these files").click()
    expect(visitor.page.get_by_text("files are waiting")).to_have_count(0)
    choose_at_the_door(visitor, *PHOTOS)
    assert visitor.page.evaluate("document.querySelectorAll('dialog').length") == 0
    visitor.open()
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    assert set(visitor.originals()) == {"0.jpg", "1.jpg"}


def test_files_dropped_at_the_door_go_into_a_space_without_a_password(visitor):
    expect(visitor.page.get_by_role("button", name="Add photos, decide later")).to_be_visible()
    visitor.page.evaluate("""() => {
        const data = new DataTransfer();
        data.items.add(new File(["dropped"], "dropped.jpg", { type: "image/jpeg" }));
        window.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    }""")
    expect(visitor.page.get_by_text("1 file is waiting. Open or create a vault to upload.")).to_be_visible()
    visitor.page.get_by_role("button", name="Start without a password").click()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert set(visitor.originals()) == {"dropped.jpg"}


def test_what_another_app_shares_is_kept_and_told_once(visitor):
    """Chromium on Android sends what is shared as a form; curl and this test do the same."""
    page = visitor.create().page
    shared = {"photos": file("shared.png", picture(1), "image/png")}
    answer = visitor.context.request.post(
        f"{visitor.url}/share", multipart=shared, headers={"Sec-Fetch-Site": "none"}, max_redirects=0
    )
    assert answer.status == 303
    page.goto("about:blank")
    page.goto(visitor.url + answer.headers["location"])
    expect(visitor.result("1 shared photo saved")).to_be_visible()
    assert "shared" not in page.url
    visitor.expect_photos(1)
    page.reload()
    visitor.expect_photos(1)
    expect(visitor.result("1 shared photo saved")).to_have_count(0)
