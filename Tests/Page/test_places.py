"""Several vaults and several tabs of one browser: what was chosen for one place never slips into another."""

import pytest
from browsers import CHROMIUM_FIRST
from cases import first
from client import Browser
from playwright.sync_api import expect
from visitor import (
    PASSWORD,
    SLOW,
    Gate,
    answer,
    choose_slow,
    file,
    held_back,
    many,
    open_in,
    select_all,
    settings,
    until,
)

OTHER = "nine velvet lanterns drift"
WIDE = {"width": 1440, "height": 900}
SLOW_NAMES = {photo["name"] for photo in SLOW}


@pytest.fixture(params=CHROMIUM_FIRST)
def browser(request):
    return request.getfixturevalue(request.param)


def second_tab(visitor):
    tab = visitor.context.new_page()
    tab.goto(visitor.url)
    expect(tab.get_by_role("navigation", name="Main")).to_be_visible()
    return tab


def lock_in_another_tab(visitor, gate):
    """The tab. The six files that were on their way are lost, and wait."""
    tab = second_tab(visitor)
    tab.get_by_role("button", name="Lock", exact=True).click()
    expect(visitor.page.get_by_text("6 files are waiting.")).to_be_visible()
    gate.break_off()
    return tab


def open_at_door(page, password):
    page.get_by_label("Password", exact=True).fill(password)
    page.keyboard.press("Enter")


def open_over(page, password):
    page.get_by_role("navigation", name="Main").get_by_role("button", name="Open", exact=True).click()
    open_in(page.get_by_role("dialog"), password)


@pytest.fixture
def elsewhere(lent_host, shared_host):
    """elsewhere(password) → another browser, in a vault that it has made on the host of `visit`."""

    def make(password):
        shared_host.note_begun(lent_host.url, password)
        return Browser(lent_host).create(password)

    return make


def names(host, password):
    return set(Browser(host).open(password).names())


def is_asked(page, count, question="You chose these before opening the vault."):
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading", name=f"{count} files are waiting.")).to_be_visible()
    expect(dialog.get_by_text(question)).to_be_visible()
    return dialog


# -- files that wait


def test_files_for_one_vault_do_not_slip_into_another_that_a_second_tab_opens(visit, elsewhere, lent_host, browser):
    elsewhere(OTHER).lock()
    visitor = visit(browser=browser, viewport=WIDE).create()
    gate = choose_slow(visitor)
    expect(visitor.title_of_upload()).to_have_text("0 of 6")
    tab = lock_in_another_tab(visitor, gate)
    open_at_door(tab, OTHER)
    is_asked(visitor.page, 6).get_by_role("button", name="Cancel").click()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    visitor.add(file("meant for it.jpg", b"meant"))
    assert names(lent_host, OTHER) == {"meant for it.jpg"}
    assert names(lent_host, PASSWORD) == set()


def test_files_for_one_vault_go_into_another_once_somebody_says_so(visit, elsewhere, lent_host):
    elsewhere(OTHER).lock()
    visitor = visit(viewport=WIDE).create()
    gate = choose_slow(visitor)
    visitor.page.get_by_role("button", name="Lock", exact=True).click()
    visitor.dialog().get_by_role("button", name="Lock").click()
    gate.break_off()
    visitor.try_password(OTHER)
    is_asked(visitor.page, 6).get_by_role("button", name="Add them").click()
    expect(visitor.title_of_upload()).to_have_text("6 saved")
    assert (names(lent_host, OTHER), names(lent_host, PASSWORD)) == (SLOW_NAMES, set())


def test_files_go_on_by_themselves_when_the_same_vault_is_opened_again(visit, lent_host):
    visitor = visit(viewport=WIDE).create()
    gate = choose_slow(visitor)
    expect(visitor.title_of_upload()).to_have_text("0 of 6")
    tab = lock_in_another_tab(visitor, gate)
    open_at_door(tab, PASSWORD)
    expect(visitor.title_of_upload()).to_have_text("6 saved")
    assert names(lent_host, PASSWORD) == SLOW_NAMES


def test_files_for_a_vault_do_not_follow_a_guest_s_photos_into_another(visit, elsewhere, lent_host):
    for password in (OTHER, PASSWORD):
        elsewhere(password).lock()
    visitor = visit(viewport=WIDE).start_without_password()
    visitor.add(file("guest.jpg", b"guest"))
    dialog = visitor.to_vault()
    dialog.get_by_role("checkbox", name="Move my 1 photo").uncheck()
    open_in(dialog)
    expect(visitor.page.get_by_text("1 photo stays with this browser until")).to_be_visible()
    gate = choose_slow(visitor)
    expect(visitor.title_of_upload()).to_have_text("0 of 6")
    visitor.page.get_by_role("button", name="Move them in").click()
    open_in(visitor.dialog(), OTHER)
    # Three were being sent to the vault that was left.
    dialog = is_asked(visitor.page, 3)
    gate.break_off()
    dialog.get_by_role("button", name="Cancel").click()
    expect(visitor.page.get_by_text("It was on its way when the vault was opened")).to_be_visible()
    assert names(lent_host, OTHER) == {"guest.jpg"}
    assert names(lent_host, PASSWORD) == set()


def test_a_vault_that_was_opened_behind_the_page_s_back_gets_nothing_unasked(visit, elsewhere, lent_host):
    elsewhere(OTHER).lock()
    visitor = visit(viewport=WIDE).create()
    visitor.add(file("own.jpg", b"own"))
    # Nothing is asked any more that could tell the page before those that are cut off.
    expect(visitor.cells()).to_have_count(1)
    expect(visitor.page.get_by_text("every file was read back from disk")).to_be_visible()
    gate = choose_slow(visitor)
    expect(visitor.title_of_upload()).to_have_text("0 of 6")
    # Nor does the page hear of it because it asks by itself what is open, one question after the other.
    asked = Gate(visitor.page, "**/api/session")
    until(visitor.page, lambda: asked.waiting)
    visitor.context.request.post(
        f"{visitor.url}/api/session", headers={"Origin": visitor.url}, data={"password": OTHER}
    )
    # The first that the host refuses makes the page ask which place is open; the others are refused before the answer.
    questions = held_back(visitor.page, "**/api/batches/*", method="GET")
    gate.break_off()
    expect(visitor.page.get_by_role("heading", name="Waiting 6 files")).to_be_visible()
    asked.open()
    until(visitor.page, lambda: questions)
    questions[0].continue_()
    is_asked(visitor.page, 6).get_by_role("button", name="Cancel").click()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    assert names(lent_host, OTHER) == set()


# -- several tabs


def test_what_was_wanted_goes_on_when_another_tab_opens_the_vault(visit, elsewhere, browser):
    guest, tab = archive_begun(visit, elsewhere, browser=browser)
    with guest.page.expect_download():
        open_over(tab, PASSWORD)
    expect(guest.page.get_by_role("button", name="Lock", exact=True)).to_be_visible()


def test_what_was_wanted_goes_on_when_the_guest_is_told_of_the_end_before_the_other_tab_says_why(visit, elsewhere, browser):
    """A question that goes along with the guest's cookie while the host moves the guest in is answered so."""
    guest, tab = archive_begun(visit, elsewhere, browser=browser)
    answer_none(guest.page, times=None)
    ask_host(guest.page)
    expect(guest.page.get_by_text("This space is no longer here")).to_be_visible()
    guest.page.unroute("**/api/session")
    with guest.page.expect_download():
        open_over(tab, PASSWORD)
    expect(guest.page.get_by_role("button", name="Lock", exact=True)).to_be_visible()


def test_a_guest_who_is_still_there_stays_when_one_answer_says_otherwise(visit):
    guest = visit(viewport=WIDE).start_without_password()
    guest.add(*many())
    begin_archive(guest)
    # The page asks by itself, too: its question may be on its way already.
    with guest.page.expect_response(lambda answer: "x-untrue" in answer.headers):
        answer_none(guest.page, times=1)
        ask_host(guest.page)
    with guest.page.expect_response("**/api/session") as asked:
        ask_host(guest.page)
    assert asked.value.json()["kind"] == "guest"
    expect(guest.dialog()).to_be_visible()


def answer_none(page, times):
    """What the host answers where no session is."""
    untrue = {"kind": "none", "guest": None}
    page.route("**/api/session", lambda route: route.fulfill(json=untrue, headers={"X-Untrue": "yes"}), times=times)


def ask_host(page):
    """As when somebody comes back to the window."""
    page.evaluate("window.dispatchEvent(new Event('focus'))")


def test_a_guest_whose_photos_are_gone_is_led_to_the_door(visit, browser):
    guest = visit(browser=browser, viewport=WIDE).start_without_password()
    guest.add(file("one.jpg", b"one"))
    tab = second_tab(guest)
    guest.context.request.delete(f"{guest.url}/api/guest", headers={"Origin": guest.url})
    for page in (guest.page, tab):
        expect(page.get_by_label("Password", exact=True)).to_be_visible()
        assert "one.jpg" not in page.content()


def test_what_was_wanted_is_said_to_be_impossible_when_another_tab_leaves_the_photos(visit, elsewhere):
    guest, tab = archive_begun(visit, elsewhere)
    tab.get_by_role("navigation", name="Main").get_by_role("button", name="Open", exact=True).click()
    tab.get_by_role("checkbox", name="Move my 6 photos").uncheck()
    open_in(tab.get_by_role("dialog"))
    expect(guest.result("They are not in the vault")).to_be_visible()


def archive_begun(visit, elsewhere, **options):
    """A guest whose archive of six photos waits for a vault that is there, and another tab of that browser."""
    elsewhere(PASSWORD).lock()
    guest = visit(viewport=WIDE, **options).start_without_password()
    guest.add(*many())
    tab = second_tab(guest)
    begin_archive(guest)
    return guest, tab


def begin_archive(guest):
    """In front, whatever other tab there is: a hidden one draws once a second, if at all."""
    guest.page.bring_to_front()
    select_all(guest, 6)
    guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    expect(guest.dialog()).to_be_visible()


def test_two_tabs_that_open_different_vaults_at_once_end_in_the_same_one(visit, elsewhere, lent_host, browser):
    for password, name in ((PASSWORD, "of the first"), (OTHER, "of the other")):
        owner = elsewhere(password)
        owner.put(f"{name}.jpg", name.encode())
        owner.lock()
    guest = visit(browser=browser, viewport=WIDE).start_without_password()
    tab = second_tab(guest)
    held = held_back(guest.page, "**/api/session")
    open_in(guest.to_vault())
    until(guest.page, lambda: held)
    open_over(tab, OTHER)
    expect(tab.get_by_role("button", name="of the other.jpg")).to_be_visible()
    held[0].continue_()
    for page in (guest.page, tab):
        expect(page.get_by_role("button", name="of the first.jpg")).to_be_visible()
        expect(page.get_by_role("button", name="of the other.jpg")).to_have_count(0)
    guest.add(file("later.jpg", b"later"))
    assert names(lent_host, PASSWORD) == {"of the first.jpg", "later.jpg"}
    assert names(lent_host, OTHER) == {"of the other.jpg"}


def lock_everywhere(visitor):
    page = settings(visitor)
    page.get_by_role("button", name="Lock everywhere").click()
    visitor.dialog().get_by_role("button", name="Lock everywhere").click()


def erase(visitor):
    page = settings(visitor)
    page.get_by_role("button", name="Erase…").click()
    visitor.dialog().get_by_label("Password").fill(PASSWORD)
    visitor.dialog().get_by_role("button", name="Erase permanently").click()


def remove_own_way(visitor):
    page = settings(visitor)
    page.get_by_role("button", name="Remove: mine").click()
    visitor.dialog().get_by_label("A password or the recovery code").fill(PASSWORD)
    visitor.dialog().get_by_role("button", name="Remove").click()


@pytest.mark.parametrize("end", first(2, [lock_everywhere, erase, remove_own_way]))
def test_the_other_tabs_show_nothing_of_a_vault_that_ended_in_one(visit, elsewhere, browser, end):
    owner = elsewhere(PASSWORD)
    owner.put("one.jpg", b"one")
    fields = {"kind": "password", "current": PASSWORD, "password": OTHER, "confirmation": OTHER, "label": "mine"}
    owner.request("POST", "/api/vault/ways", json=fields)
    visitor = visit(browser=browser, viewport=WIDE).open(OTHER)
    tab = second_tab(visitor)
    expect(tab.get_by_role("button", name="one.jpg")).to_be_visible()
    end(visitor)
    expect(tab.get_by_role("heading", name="The vault is locked")).to_be_visible()
    assert "one.jpg" not in tab.content()


# -- a host that cannot lock


@pytest.mark.parametrize(("status", "code"), first(1, [(503, "degraded"), (507, "disk-full")]))
def test_a_lock_that_the_host_refuses_is_said_and_can_be_tried_again(visit, status, code):
    visitor = visit(viewport=WIDE).create()
    visitor.add(file("one.jpg", b"one"))
    tab = second_tab(visitor)
    answer(visitor.page, "**/api/session", status, code, method="DELETE")
    visitor.page.get_by_role("button", name="Lock", exact=True).click()
    expect(visitor.page.get_by_role("heading", name="Safelight couldn’t lock the vault for good")).to_be_visible()
    expect(visitor.page.get_by_text("this browser may still open it without a password")).to_be_visible()
    assert "one.jpg" not in visitor.page.content()
    expect(tab.get_by_role("heading", name="The vault is locked")).to_be_visible()
    with visitor.page.expect_response(lambda answer: answer.request.method == "DELETE"):
        visitor.page.get_by_role("button", name="Lock again").click()
    expect(visitor.page.get_by_role("button", name="Lock again")).to_be_enabled()
    visitor.page.unroute("**/api/session")
    visitor.page.get_by_role("button", name="Lock again").click()
    expect(visitor.page.get_by_role("heading", name="You locked the vault")).to_be_visible()
    assert visitor.context.request.get(f"{visitor.url}/api/session").json()["kind"] == "none"


def test_a_lock_everywhere_that_the_host_refuses_is_said_and_can_be_tried_again(visit):
    visitor = visit(viewport=WIDE).create()
    visitor.add(file("one.jpg", b"one"))
    answer(visitor.page, "**/api/sessions", 503, "degraded", method="DELETE")
    lock_everywhere(visitor)
    expect(visitor.page.get_by_role("heading", name="Safelight couldn’t lock the vault everywhere")).to_be_visible()
    expect(visitor.page.get_by_text("this browser and others may still open it")).to_be_visible()
    assert "one.jpg" not in visitor.page.content()
    visitor.page.unroute("**/api/sessions")
    visitor.page.get_by_role("button", name="Lock again").click()
    expect(visitor.page.get_by_role("heading", name="Locked everywhere")).to_be_visible()
    assert visitor.context.request.get(f"{visitor.url}/api/session").json()["kind"] == "none"


def test_without_a_session_left_a_refused_lock_everywhere_says_how_to_make_up_for_it(visit):
    visitor = visit(viewport=WIDE).create()
    answer(visitor.page, "**/api/sessions", 503, "degraded", method="DELETE")
    lock_everywhere(visitor)
    expect(visitor.page.get_by_role("button", name="Lock again")).to_be_visible()
    visitor.page.unroute("**/api/sessions")
    visitor.context.clear_cookies()
    visitor.page.get_by_role("button", name="Lock again").click()
    expect(visitor.page.get_by_text("Open it here, then lock everywhere again")).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Lock again")).to_have_count(0)
