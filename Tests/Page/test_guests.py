"""Use first, a password later: a guest's space, its move into a vault, and the action that goes on."""

import zipfile
from pathlib import Path

import pytest
from browsers import CHROMIUM_FIRST, browsers_and_windows
from cases import in_nightly
from playwright.sync_api import expect
from seeding import ALL_SHOWN
from visitor import (
    PASSWORD,
    UPLOADS,
    answer,
    choose_slow,
    create_in,
    file,
    many,
    open_in,
    select_all,
    until,
    without_code,
)

LYING = {"width": 667, "height": 375}
# What a keyboard leaves of a small phone that lies.
KEYBOARD = {"width": 667, "height": 190}
UPRIGHT = {"width": 320, "height": 568}


@pytest.fixture
def distinct(photos):
    """Fifteen real photos that are all different and that a page can hold."""
    chosen = {path.read_bytes(): path for path in photos if 0 < path.stat().st_size < 6_000_000}
    names = {path.name: path for path in chosen.values()}
    assert len(names) >= 15
    return sorted(names.values())[:15]


@pytest.fixture
def guest(visitor):
    return visitor.start_without_password()


def sent(path):
    return {"name": path.name, "mimeType": "image/jpeg", "buffer": path.read_bytes()}


# -- a space without a password


def test_a_guest_looks_deletes_and_puts_back_like_anybody(guest, distinct):
    guest.add(*distinct[:3])
    guest.wait_until_looked_into()
    guest.page.reload()
    expect(guest.cells()).to_have_count(3)
    guest.cells().first.click()
    expect(guest.dialog()).to_be_visible()
    guest.dialog().get_by_role("button", name="Delete").click()
    guest.page.get_by_role("button", name="Delete 1").click()
    expect(guest.page.get_by_text("1 of 2")).to_be_visible()
    guest.close_viewer()
    expect(guest.cells()).to_have_count(2)
    guest.to_deleted()
    guest.page.get_by_role("button", name="Select", exact=True).click()
    guest.cells().first.click()
    guest.page.get_by_role("button", name="Restore").click()
    guest.page.get_by_role("link", name="Photos", exact=True).click()
    expect(guest.cells()).to_have_count(3)


def test_a_guest_reads_until_when_photos_are_kept_and_never_that_the_phone_may_forget_them(guest):
    guest.add(file("one.jpg", b"one"))
    until = guest.context.request.get(f"{guest.url}/api/session").json()["guest"]["until"]
    day = guest.page.evaluate(
        "until => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long' }).format(Date.parse(until) - 864e5)", until
    )
    expect(guest.page.get_by_text(f"Kept for this browser until {day}.")).to_be_visible()
    expect(guest.page.get_by_text("Only this browser can open them.")).to_be_visible()
    guest.wait_until_read_back()
    expect(guest.page.locator(".up-message")).to_contain_text("Saved and verified")
    assert "delete them from" not in guest.page.content()
    # Nor once a vault is open: what was read back lay in none.
    create_in(guest.to_vault())
    expect(guest.result("1 moved")).to_be_visible()
    assert "delete them from" not in guest.page.content()


def test_a_guest_finds_another_device_and_help_like_anybody(visit):
    guest = visit(viewport={"width": 1280, "height": 800}).start_without_password()
    guest.page.get_by_role("button", name="Add from a phone").click()
    expect(guest.dialog().get_by_role("heading", name="Add a device")).to_be_visible()
    guest.page.keyboard.press("Escape")
    guest.page.get_by_role("link", name="Settings").click()
    guest.page.locator(".set-row").filter(has_text="Another device").get_by_role("button", name="Add").click()
    expect(guest.dialog().get_by_role("heading", name="Add a device")).to_be_visible()
    guest.page.keyboard.press("Escape")
    expect(guest.page.get_by_role("link", name="Install or check the certificate")).to_be_visible()
    # Doors belong to a vault.
    expect(guest.page.get_by_role("heading", name="Photo links")).to_have_count(0)


def test_a_refusal_to_begin_is_said_at_the_door_which_offers_no_space_where_the_host_takes_no_guests(visitor):
    page = visitor.page
    answer(page, "**/api/guest", 403, "guests-off", method="POST")
    page.get_by_role("button", name="Start without a password").click()
    expect(page.get_by_text("This Safelight takes photos only into a vault.")).to_be_visible()
    # That a host says so is asked by the tests of the host.
    page.route("**/api/hello", lambda route: route.fulfill(json={**route.fetch().json(), "guests": False}))
    page.reload()
    expect(page.get_by_role("button", name="Create a vault")).to_be_visible()
    expect(page.get_by_role("button", name="Start without a password")).to_have_count(0)


def test_two_tabs_that_begin_at_the_same_time_begin_one_space(visitor):
    tab = visitor.context.new_page()
    tab.goto(visitor.url)
    statuses, held = [], []
    visitor.context.on("response", lambda got: statuses.append(got.status) if got.url.endswith("/api/guest") else None)
    # The first tab's request is on its way for long.
    visitor.page.route("**/api/guest", lambda route: held.append(route))
    visitor.page.get_by_role("button", name="Start without a password").click()
    until(visitor.page, lambda: held)
    tab.get_by_role("button", name="Start without a password").click()
    tab.wait_for_function(
        "() => navigator.locks.query().then(({ pending }) => pending.some(({ name }) => name === 'guest'))", polling=100
    )
    held[0].continue_()
    for page in (visitor.page, tab):
        expect(page.get_by_text("No photos yet")).to_be_visible()
    assert sorted(statuses) == [200, 201]


def test_what_a_guest_deleted_lies_among_what_was_deleted_in_the_vault(guest, distinct):
    guest.add(*distinct[:2])
    guest.page.request.post(
        f"{guest.url}/api/photos/delete", headers={"Origin": guest.url},
        data={"ids": [guest.page.request.get(f"{guest.url}/api/photos").json()["photos"][0]["id"]]},
    )  # fmt: skip
    create_in(guest.to_vault())
    expect(guest.result("1 moved")).to_be_visible()
    guest.page.goto(f"{guest.url}/#/deleted")
    expect(guest.cells()).to_have_count(1)


def test_everything_of_a_guest_can_be_deleted_at_once(guest):
    guest.add(file("one.jpg", b"one"))
    guest.page.get_by_role("link", name="Settings").click()
    # Who has no vault is not asked to delete one.
    expect(guest.page.locator(".set")).not_to_contain_text("this vault")
    guest.page.get_by_role("button", name="Erase…").click()
    guest.dialog().get_by_role("button", name="Erase permanently").click()
    expect(guest.page.get_by_role("heading", name="Everything here has been erased")).to_be_visible()
    assert guest.context.request.get(f"{guest.url}/api/session").json() == {"kind": "none", "kept": False}
    guest.start_without_password()


def test_a_full_space_stops_the_queue_and_goes_on_in_a_vault(visit):
    guest = visit(viewport={"width": 1440, "height": 900}).start_without_password()
    answer(guest.page, UPLOADS, 507, "guest-full")
    guest.choose(file("one.jpg", b"one"), file("two.jpg", b"two"))
    expect(guest.page.get_by_text("There is no room left for photos without a password.")).to_have_count(1)
    guest.page.unroute(UPLOADS)
    create_in(guest.to_vault())
    expect(guest.title_of_upload()).to_have_text("2 saved")
    assert guest.originals() == {"one.jpg": b"one", "two.jpg": b"two"}


# -- the move


@pytest.mark.parametrize(("name", "viewport"), browsers_and_windows(upright=None, lying=LYING))
def test_a_guest_s_photos_outlive_a_reload_and_a_restart_and_move_into_the_vault(
    request, visit, daemon, distinct, name, viewport
):
    browser = request.getfixturevalue(name)
    owner = visit().create()
    owner.add(*[sent(path) for path in distinct[:3]])
    owner.wait_until_read_back()
    options = {"viewport": viewport} if viewport else {}
    guest = visit(browser=browser, **options).start_without_password()
    guest.add(*[sent(path) for path in distinct[:10]])
    guest.page.reload()
    guest.expect_photos(10)
    daemon.restart()
    guest.page.reload()
    guest.expect_photos(10)
    guest.add(*[sent(path) for path in distinct[10:]])
    guest.wait_until_read_back()
    dialog = guest.to_vault()
    expect(dialog.get_by_role("checkbox", name="Move my 15 photos into the vault")).to_be_checked()
    open_in(dialog)
    expect(guest.result("12 moved · 3 were already in the vault")).to_be_visible()
    guest.expect_photos(15)
    assert guest.originals() == {path.name: path.read_bytes() for path in distinct}
    session = guest.context.request.get(f"{guest.url}/api/session").json()
    assert session["kind"] == "vault" and "guest" not in session
    guest.lock()
    expect(guest.page.get_by_role("checkbox", name="Move")).to_have_count(0)


def test_an_unticked_box_leaves_the_photos_where_they_are_until_they_are_moved_in(guest, visit):
    visit().create()
    guest.add(file("one.jpg", b"one"), file("two.jpg", b"two"))
    dialog = guest.to_vault()
    dialog.get_by_role("checkbox", name="Move my 2 photos").uncheck()
    open_in(dialog)
    expect(guest.page.get_by_text("2 photos stay with this browser until")).to_be_visible()
    expect(guest.page.get_by_text("No photos yet")).to_be_visible()
    guest.lock()
    guest.page.get_by_role("button", name="Continue without a password").click()
    expect(guest.cells()).to_have_count(2)
    dialog = guest.to_vault()
    dialog.get_by_role("checkbox", name="Move my 2 photos").uncheck()
    open_in(dialog)
    guest.page.get_by_role("button", name="Move them in").click()
    open_in(guest.dialog())
    expect(guest.result("2 moved")).to_be_visible()
    expect(guest.cell("one.jpg")).to_be_visible()
    expect(guest.page.get_by_role("button", name="Move them in")).to_have_count(0)


@pytest.mark.parametrize("name", CHROMIUM_FIRST)
def test_who_goes_on_as_a_guest_before_the_lock_is_answered_keeps_what_was_begun(request, visit, name):
    visitor = visit(browser=request.getfixturevalue(name)).create()
    held = []
    visitor.page.route("**/api/session", lambda route: held.append(route) if route.request.method == "DELETE"
                       else route.continue_())
    visitor.lock()
    visitor.page.get_by_role("button", name="Start without a password").click()
    until(visitor.page, lambda: held)
    held[0].continue_()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    visitor.add(file("one.jpg", b"one"))
    expect(visitor.cells()).to_have_count(1)
    visitor.page.reload()
    expect(visitor.cells()).to_have_count(1)


def test_a_device_that_could_not_be_kept_open_says_so(visitor):
    def forget(route):
        answered = route.fetch()
        route.fulfill(response=answered, json={**answered.json(), "kept": False})

    visitor.page.route("**/api/vaults", forget)
    visitor.begin_vault()
    visitor.page.get_by_role("checkbox", name="Stay signed in for 30 days").check()
    visitor.page.get_by_role("checkbox", name="I understand").check()
    visitor.page.get_by_role("button", name="Create vault").click()
    expect(visitor.result("This device won’t stay signed in")).to_be_visible()


def test_photos_that_were_not_read_back_yet_are_said_to_be_checked_still(guest):
    guest.add(file("one.jpg", b"one"), file("two.jpg", b"two"))

    def is_early(route):
        answered = route.fetch()
        route.fulfill(response=answered, json={**answered.json(), "migrated": 2, "duplicates": 0, "pending": 2})

    guest.page.route("**/api/vaults", is_early)
    create_in(guest.to_vault())
    expect(guest.result("2 are still being checked.")).to_be_visible()


def test_a_vault_that_cannot_take_them_says_so_and_they_stay(guest):
    guest.add(file("one.jpg", b"one"))

    def refuse(route):
        fields = {**route.request.post_data_json, "migrate": False}
        answered = route.fetch(post_data=fields)
        route.fulfill(response=answered, json={**answered.json(), "migrationRefused": "vault-full"})

    guest.page.route("**/api/vaults", refuse)
    create_in(guest.to_vault())
    expect(guest.result("Your photos did not move")).to_be_visible()
    expect(guest.result("The vault doesn’t have enough room for them. Nothing is lost")).to_be_visible()
    guest.lock()
    expect(guest.page.get_by_role("checkbox", name="Move my 1 photo into the vault")).to_be_checked()
    guest.open()
    expect(guest.result("1 moved")).to_be_visible()
    expect(guest.cell("one.jpg")).to_be_visible()


def test_an_upload_that_runs_while_a_vault_is_opened_goes_on_into_it(guest):
    guest.add(file("first.jpg", b"first"))
    gate = choose_slow(guest)
    expect(guest.title_of_upload()).to_have_text("0 of 6")
    create_in(guest.to_vault())
    expect(guest.result("1 moved")).to_be_visible()
    gate.open()
    expect(guest.title_of_upload()).to_have_text("6 saved")
    guest.page.reload()
    expect(guest.cells()).to_have_count(7)


def test_files_that_wait_do_not_slip_into_a_vault_that_was_not_to_have_them(visit):
    visit().create()
    guest = visit(viewport={"width": 1440, "height": 900}).start_without_password()
    guest.add(file("first.jpg", b"first"))
    gate = choose_slow(guest)
    dialog = guest.to_vault()
    dialog.get_by_role("checkbox", name="Move my 1 photo").uncheck()
    open_in(dialog)
    expect(guest.page.get_by_role("heading", name="3 files are waiting.")).to_be_visible()
    guest.dialog().get_by_role("button", name="Cancel").click()
    # Three were being sent, to the space that was left, and never arrive.
    gate.break_off()
    expect(guest.page.get_by_text("It was on its way when the vault was opened")).to_be_visible()
    expect(guest.page.get_by_text("1 photo stays with this browser until")).to_be_visible()
    assert guest.originals() == {}
    guest.page.get_by_role("button", name="Try 3 again").click()
    expect(guest.title_of_upload()).to_have_text("3 saved")
    assert len(guest.originals()) == 3


def test_the_place_in_the_gallery_is_kept(visit):
    guest = visit(viewport=UPRIGHT).start_without_password()
    guest.put(*[file(f"{index:02}.bin", bytes([index]), "application/octet-stream") for index in range(90)])
    # Until the host has looked into a photo, its place is where it came in.
    guest.wait_until_read_back()
    guest.reload()
    expect(guest.cells().first).to_be_visible()
    guest.page.wait_for_function("() => { scrollTo(0, 1500); return scrollY > 1400; }")
    # Rows are drawn once they come near: there may be none in view yet.
    guest.page.wait_for_function(ALL_SHOWN)
    where = """() => {
        const cells = [...document.querySelectorAll("button.cell")];
        const one = scrollY > 1400 && cells.find((cell) => cell.getBoundingClientRect().top > 100
            && cell.getAttribute("aria-label").startsWith("File"));
        return one ? [one.getAttribute("aria-label"), one.getBoundingClientRect().top] : null;
    }"""
    before = guest.page.wait_for_function(where).json_value()
    create_in(guest.to_vault())
    expect(guest.result("90 moved")).to_have_count(1)
    top = f"""() => [...document.querySelectorAll("button.cell")]
        .find((cell) => cell.getAttribute("aria-label") === {before[0]!r})?.getBoundingClientRect().top ?? NaN"""
    guest.page.wait_for_function(f"() => Math.abs(({top})() - {before[1]}) < 2")


def test_another_tab_of_the_browser_follows_into_the_vault_and_out_of_it(guest):
    guest.add(file("one.jpg", b"one"))
    other = guest.context.new_page()
    other.goto(guest.url)
    expect(other.get_by_text("Only this browser can open them.")).to_be_visible()
    create_in(guest.to_vault())
    expect(guest.result("1 moved")).to_be_visible()
    expect(other.get_by_role("button", name="Lock", exact=True)).to_be_visible()
    expect(other.get_by_role("button", name="one.jpg")).to_be_visible()
    guest.lock()
    expect(other.get_by_role("heading", name="The vault is locked")).to_be_visible()
    assert "one.jpg" not in other.content()


# -- the action that goes on


def downloaded(download):
    """Firefox keeps the name that the host gave, and tells Playwright another one."""
    path = Path(download.value.path())
    return path if path.exists() else path.with_name(download.value.suggested_filename)


def archived(download):
    with zipfile.ZipFile(downloaded(download)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.mark.parametrize(
    ("name", "viewport"),
    [("chromium", KEYBOARD), in_nightly("sizes", ("chromium", UPRIGHT)), in_nightly("engines", ("firefox", UPRIGHT)),
     in_nightly("sizes", ("chromium", LYING))],
    ids=["keyboard", "chromium", "firefox", "lying"],
)  # fmt: skip
def test_the_archive_that_a_guest_asked_for_is_downloaded_once_a_vault_is_open(
    request, visit, distinct, name, viewport
):
    owner = visit().create()
    owner.add(sent(distinct[0]))
    owner.wait_until_read_back()
    guest = visit(browser=request.getfixturevalue(name), viewport=viewport).start_without_password()
    guest.add(*[sent(path) for path in distinct[:6]])
    guest.wait_until_read_back()
    select_all(guest, 6)
    guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    dialog = guest.dialog()
    expect(dialog.get_by_role("heading", name="Open a vault to download these 6 photos as one ZIP file")).to_be_visible()
    field = dialog.get_by_label("Password", exact=True)
    expect(field).to_be_focused()
    expect(field).to_be_in_viewport(ratio=1)
    with guest.page.expect_download() as download:
        open_in(dialog)
    assert archived(download) == {path.name: path.read_bytes() for path in distinct[:6]}
    expect(guest.result("5 moved · 1 was already in the vault")).to_be_visible()
    # What went on by itself is said.
    expect(guest.page.locator("#live")).to_have_text("Downloading these 6 photos as one ZIP file")


def test_a_dismissed_dialog_changes_nothing_and_the_archive_comes_once_a_vault_was_made_for_it(guest):
    guest.add(*many())
    select_all(guest, 6)
    for dismiss in (
        lambda: guest.dialog().get_by_role("button", name="Close").click(),
        lambda: guest.page.keyboard.press("Escape"),
        lambda: guest.page.go_back(),
    ):
        guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
        expect(guest.dialog()).to_be_visible()
        dismiss()
        expect(guest.dialog()).to_have_count(0)
        expect(guest.page.get_by_text("6 selected")).to_be_visible()
    assert guest.context.request.get(f"{guest.url}/api/session").json()["kind"] == "guest"
    guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    with guest.page.expect_download() as download:
        create_in(guest.dialog())
    assert archived(download) == {one["name"]: one["buffer"] for one in many()}


def test_an_action_that_cannot_run_any_more_says_so(guest):
    guest.add(*many())
    select_all(guest, 6)
    guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    answer(guest.page, "**/api/archive", 404, "no-such-photo", method="POST")
    create_in(guest.dialog())
    expect(guest.result("What you started couldn’t be finished")).to_be_visible()
    expect(guest.result("It is no longer here.")).to_be_visible()


def test_an_action_on_photos_that_were_left_says_that_the_vault_does_not_have_them(guest):
    guest.add(*many())
    select_all(guest, 6)
    guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    dialog = guest.dialog()
    dialog.get_by_role("button", name="Create a vault").click()
    expect(dialog.get_by_label("Password again")).to_be_visible()
    dialog.get_by_role("checkbox", name="Move my 6 photos").uncheck()
    dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    dialog.get_by_label("Password again").fill(PASSWORD)
    without_code(dialog)
    dialog.get_by_role("checkbox", name="I understand").check()
    dialog.get_by_role("button", name="Create vault").click()
    expect(guest.result("They are not in the vault")).to_be_visible()
    # Nor does the page say in the vault what the guest has saved.
    assert "0.jpg" not in guest.page.content()


def test_one_photo_is_downloaded_without_any_vault_and_a_wrong_password_is_said_in_the_dialog_which_stays(guest):
    guest.add(file("one.jpg", b"one"))
    guest.page.get_by_role("button", name="Select", exact=True).click()
    guest.cells().first.click()
    with guest.page.expect_download():
        guest.page.get_by_role("toolbar").get_by_role("button", name="Download").click()
    expect(guest.dialog()).to_have_count(0)
    guest.page.keyboard.press("Escape")
    dialog = guest.to_vault()
    open_in(dialog, "not the right one")
    expect(dialog.get_by_text("That password didn’t open a vault")).to_be_visible()
    expect(dialog.get_by_label("Password", exact=True)).to_be_focused()
