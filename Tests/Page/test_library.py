"""What is in the vault: looking, choosing, deleting, putting back, downloading, locking."""

import re
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect
from seeding import video
from visitor import PASSWORD, Gate, answer, file, held_back, hold_toast, many, until

GPS = "/gps/"


@pytest.fixture
def filled(visitor, photos):
    """A vault with the four photos of one camera."""
    visitor.create().put(*[path for path in photos if GPS in str(path)])
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.cells()).to_have_count(4)
    return visitor


def test_photos_are_shown_and_a_file_that_is_none_is_named(filled):
    expect(filled.page.locator(".cell img.is-here")).to_have_count(4)
    filled.add(
        file("notes.pdf", b"%PDF-1.4 nothing", "application/pdf"), file("sign.ico", b"\0\0\1\0 a sign", "image/x-icon"),
        file("broken.jpg", b"\xff\xd8\xff\xe0 broken"))  # fmt: skip
    expect(filled.cell("notes.pdf").locator(".kind-type")).to_have_text("PDF")
    # Where a picture would be expected it is said why there is none.
    expect(filled.cell("sign.ico").locator(".kind-why")).to_have_text("This kind of picture can’t be shown here.")
    expect(filled.cell("notes.pdf").locator(".kind-why")).to_have_count(0)
    broken = filled.cell("broken.jpg")
    expect(broken.locator(".kind-type")).to_have_text("JPG")
    expect(broken.locator(".kind-why")).to_have_text("This file is damaged.")
    expect(broken).to_have_attribute("aria-label", re.compile("This file is damaged."))


def test_nothing_is_called_empty_beside_what_was_just_saved(visitor):
    page = visitor.create().page
    empty = page.get_by_text("No photos yet")
    page.get_by_role("link", name="Recent").click()
    expect(empty).to_be_visible()
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(empty).to_be_visible()
    lists = [Gate(page, pattern) for pattern in ("**/api/timeline", "**/api/photos")]
    # Its date is not read here, so that it has no place before the host lists it.
    visitor.choose(file("clip.webm", video(30), "video/webm"))
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    expect(empty).to_be_hidden()
    until(page, lambda: lists[0].waiting)
    expect(empty).to_be_hidden()
    page.get_by_role("link", name="Recent").click()
    until(page, lambda: lists[1].waiting)
    expect(empty).to_be_hidden()
    for one in lists:
        one.open()
    expect(visitor.cells()).to_have_count(1)
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(visitor.cells()).to_have_count(1)


def test_deleting_asks_starts_on_cancel_and_can_be_undone(filled):
    page = filled.page
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    filled.cells().nth(1).click()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    expect(page.get_by_text("30 days")).to_be_visible()
    # Wherever the focus is, Escape ends selecting, but first what lies above.
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Photos")).to_be_visible()
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    filled.cells().nth(1).click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 2").click()
    hold_toast(page)
    expect(filled.cells()).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(filled.cells()).to_have_count(4)


def seven_days(route):
    hello = route.fetch().json()
    route.fulfill(json={**hello, "limits": {**hello["limits"], "trashDays": 7}})


def test_the_host_says_for_how_long_what_is_deleted_stays(visit):
    visitor = visit(routes={"**/api/hello": seven_days}).create()
    visitor.put(file("one.jpg", b"\xff\xd8\xff one"))
    page = visitor.page
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("toolbar").get_by_role("button", name="Delete").click()
    expect(visitor.dialog().get_by_text("Kept for 7 days in Settings, under Recently deleted")).to_be_visible()
    visitor.dialog().get_by_role("button", name="Delete 1").click()
    visitor.to_deleted()
    expect(page.get_by_role("heading", name="7 days left")).to_be_visible()
    page.get_by_role("link", name="Settings").click()
    expect(page.get_by_text("Kept for 7 days, then gone.")).to_be_visible()


def delete_all(visitor):
    """The four photos; what is shown then is "Recently deleted"."""
    page = visitor.page
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 4").click()
    expect(page.get_by_text("No photos yet")).to_be_visible()
    visitor.to_deleted()
    expect(visitor.cells()).to_have_count(4)


def test_recently_deleted_says_how_long_it_stays_puts_back_and_deletes_one_or_all_for_good(filled):
    page = filled.page
    delete_all(filled)
    expect(page.get_by_role("heading", name="30 days left")).to_be_visible()
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    page.get_by_role("button", name="Restore").click()
    expect(filled.cells()).to_have_count(3)
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.get_by_role("dialog").get_by_role("button", name="Delete permanently").click()
    expect(filled.cells()).to_have_count(2)
    until(page, lambda: len(filled.context.request.get(f"{filled.url}/api/trash").json()["photos"]) == 2)
    page.get_by_role("button", name="Empty").click()
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("Nothing deleted")).to_be_visible()
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(filled.cells()).to_have_count(1)


def test_what_was_deleted_and_put_back_is_there_for_who_went_on_before_the_host_had_answered(filled):
    page = filled.page
    # While photos are picked, a phone has no links.
    page.set_viewport_size({"width": 1440, "height": 900})
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    gate = Gate(page, "**/api/photos/delete")
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 1").click()
    filled.to_deleted()
    expect(page.get_by_text("Nothing deleted")).to_be_visible()
    until(page, lambda: gate.waiting)
    gate.open()
    expect(filled.cells()).to_have_count(1)
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    gate = Gate(page, "**/api/photos/restore")
    page.get_by_role("button", name="Restore").click()
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(filled.cells()).to_have_count(3)
    until(page, lambda: gate.waiting)
    gate.open()
    expect(filled.cells()).to_have_count(4)


def test_what_is_deleted_for_good_leaves_the_list_and_the_page_says_that_the_disk_keeps_remains(filled, daemon):
    page = filled.page
    delete_all(filled)
    # Keeps fresh copies of the ledger from being made.
    obstacle = daemon.data / "ledger.copy-new"
    obstacle.mkdir()
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().nth(0).click()
    page.get_by_role("button", name="Delete permanently").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete permanently").click()
    expect(page.locator(".toast")).to_contain_text("1 deleted. The disk is full or failing")
    expect(filled.cells()).to_have_count(3)
    until(page, lambda: "sealed remains of deleted photos are still on the disk" in daemon.log)
    obstacle.rmdir()
    page.get_by_role("button", name="Empty").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete permanently").click()
    expect(page.locator(".toast")).to_have_text("3 permanently deleted")


def test_a_few_are_downloaded_one_by_one_and_more_as_one_archive(filled, photos):
    page = filled.page
    wanted = {path.name: path.read_bytes() for path in photos if GPS in str(path)}
    got = []
    page.on("download", lambda download: got.append(download))
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Download").click()
    until(page, lambda: len(got) == len(wanted) == 4)
    assert {one.suggested_filename: Path(one.path()).read_bytes() for one in got} == wanted
    more = many(2)
    filled.add(*more)
    expect(filled.cells()).to_have_count(6)
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        added = {one["name"]: one["buffer"] for one in more}
        assert {name: archive.read(name) for name in archive.namelist()} == {**wanted, **added}


def test_the_viewer_steps_shows_facts_closes_with_back_and_deletes(filled):
    page = filled.page
    filled.cells().nth(0).click()
    viewer = page.get_by_role("dialog")
    expect(viewer.locator("img")).to_be_visible()
    heading = viewer.get_by_role("heading", level=1)
    expect(heading).to_contain_text("1 of 4")
    page.keyboard.press("ArrowRight")
    expect(heading).to_contain_text("2 of 4")
    page.keyboard.press("End")
    expect(heading).to_contain_text("4 of 4")
    viewer.get_by_role("button", name="Info").click()
    expect(viewer.get_by_text("image/jpeg")).to_be_visible()
    shown = viewer.locator("figure[data-shown] .frame > img").get_attribute("alt")
    page.go_back()
    expect(viewer.get_by_text("image/jpeg")).to_be_hidden()
    page.go_back()
    expect(viewer).to_have_count(0)
    expect(filled.cell(shown)).to_be_focused()
    # What is deleted gives way to the next one.
    filled.cells().nth(0).click()
    viewer.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 1").click()
    expect(heading).to_contain_text("1 of 3")


def test_the_grid_is_one_tab_stop_and_the_arrows_move_in_it(filled):
    page = filled.page
    filled.cells().nth(0).focus()
    page.keyboard.press("ArrowRight")
    expect(filled.cells().nth(1)).to_be_focused()
    page.keyboard.press("End")
    expect(filled.cells().nth(2)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(filled.cells().nth(3)).to_be_focused()
    page.keyboard.press("Control+Home")
    expect(filled.cells().nth(0)).to_be_focused()
    expect(page.locator("button.cell[tabindex='0']")).to_have_count(1)
    page.keyboard.press(" ")
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.get_by_text("2 selected")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Photos")).to_be_visible()
    # In the list, a picture that is chosen stays beside its name.
    page.get_by_role("button", name="Show as a list").click()
    page.get_by_role("button", name="Select", exact=True).click()
    filled.cells().first.click()
    chosen = page.locator(".line[aria-selected=true]")
    expect(chosen).to_have_count(1)
    beside = """(line) => line.querySelector(".face").getBoundingClientRect().right
        <= line.querySelector(".line-words").getBoundingClientRect().left"""
    until(page, lambda: chosen.evaluate(beside))
    # The header stays in sight while the photos scroll.
    page.set_viewport_size({"width": 320, "height": 330})
    page.wait_for_function("() => { scrollTo(0, 200); return scrollY > 10; }")
    page.wait_for_function("() => document.querySelector('.top').getBoundingClientRect().top === 0")


def test_locking_leaves_nothing_of_the_vault_on_the_page(filled):
    page = filled.page
    filled.cells().nth(0).click()
    expect(page.get_by_role("dialog")).to_be_visible()
    filled.close_viewer()
    filled.to_deleted()
    expect(page.get_by_text("Nothing deleted")).to_be_visible()
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(filled.cells()).to_have_count(4)
    filled.lock()
    content = page.content()
    assert "DSCN" not in content and "/original" not in content
    assert page.locator("img, video").count() == 0
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.go_back()
    expect(page.get_by_label("Password", exact=True)).to_be_visible()
    assert "DSCN" not in page.content()
    assert {urlsplit(url).path for url in asked if "/api/" in url} <= {"/api/hello", "/api/session"}


def test_a_password_that_is_typed_while_the_lock_is_on_its_way_opens_the_vault(filled):
    held = held_back(filled.page, "**/api/session", "DELETE")
    opened = []
    filled.page.on("request", lambda request: opened.append(request.url) if request.method == "POST" else None)
    filled.lock()
    filled.try_password()
    expect(filled.page.get_by_role("button", name="Opening…")).to_be_visible()
    until(filled.page, lambda: held)
    # Its answer takes away the cookie that the browser has then.
    assert opened == []
    held.pop().continue_()
    expect(filled.cells()).to_have_count(4)


def animation(comment):
    """A GIF of one pixel, which browsers are shown as it is, with the comment in it many times."""
    block = bytes([len(comment)]) + comment
    head = b"GIF89a\1\0\1\0\x80\0\0" + b"\0\0\0\xff\xff\xff"
    return head + b"\x21\xfe" + block * 5000 + b"\0" + b"\x2c\0\0\0\0\1\0\1\0\0" + b"\2\2\x44\1\0" + b"\x3b"


def test_nothing_of_the_vault_is_on_the_device_s_disk_after_a_lock(profile, visit, tmp_path):
    context, folder = profile
    marker, name, album = "marigolds behind the shed", "grandmother's secret", "Dahlias beyond the fence"
    photo = tmp_path / f"{name}.gif"
    photo.write_bytes(animation(marker.encode()))
    visitor = visit(context=context).create()
    page = visitor.page
    visitor.add(photo)
    page.reload()
    visitor.cell(re.compile(name)).click()
    expect(page.locator("figure[data-shown] .frame > img")).to_be_visible()
    visitor.close_viewer()
    page.get_by_role("link", name="Albums", exact=True).click()
    page.get_by_role("button", name="New album").click()
    visitor.dialog().get_by_label("Name").fill(album)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=album, level=1)).to_be_visible()
    [made] = context.request.get(f"{visitor.url}/api/albums").json()["albums"]
    visitor.lock()
    # Now the browser writes down what it still holds.
    context.close()
    profile = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    assert visitor.url.encode() in profile
    for secret in (PASSWORD, marker, name, album, made["id"]):
        assert secret.encode() not in profile and secret.encode("utf-16-le") not in profile, secret


def test_a_session_that_ended_elsewhere_leads_to_the_door_with_the_reason(filled, visit):
    other = visit().open()
    answers = []
    other.page.route("**/api/sessions", lambda route: answers.append((route, route.fetch())))
    other.page.get_by_role("link", name="Settings").click()
    other.page.get_by_role("button", name="Lock everywhere").click()
    other.page.get_by_role("dialog").get_by_role("button", name="Lock everywhere").click()
    until(other.page, lambda: answers)
    # Another answer is here first: who locked it is told that all the same.
    other.page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(other.page.get_by_role("heading", name="Locked everywhere")).to_be_visible()
    for route, response in answers:
        route.fulfill(response=response)
    expect(other.page.get_by_role("heading", name="Locked everywhere")).to_be_visible()
    expect(filled.page.get_by_role("heading", name="The vault is locked")).to_be_visible()
    assert "DSCN" not in filled.page.content()


def test_the_page_locks_itself_when_nobody_uses_it(visit):
    visitor = visit()
    visitor.page.route(
        re.compile("/api/session(/use)?$"),
        lambda route: route.fulfill(json={"kind": "vault", "idleSeconds": 1, "kept": False})
        if route.request.method == "GET" or route.request.url.endswith("/use") else route.continue_(),
    )  # fmt: skip
    visitor.begin_vault()
    visitor.page.get_by_role("checkbox", name="I understand").check()
    visitor.page.get_by_role("button", name="Create vault").click()
    expect(visitor.page.get_by_role("heading", name="Locked after 1 minute without activity")).to_be_visible()


def test_a_changed_password_opens_the_vault_the_old_one_does_not_and_another_one_another_vault(filled):
    page = filled.page
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Change: Password").click()
    current, again = page.get_by_label("Current password"), page.get_by_label("Password again")
    current.fill("something else")
    # Return leads on, and two passwords that differ are said where they are typed.
    page.keyboard.press("Enter")
    expect(page.get_by_label("New password")).to_be_focused()
    page.keyboard.type("another river at dusk")
    page.keyboard.press("Enter")
    expect(again).to_be_focused()
    page.keyboard.type("another river at dawn")
    page.keyboard.press("Tab")
    expect(again).to_have_attribute("aria-invalid", "true")
    again.fill("another river at dusk")
    expect(again).not_to_have_attribute("aria-invalid", "true")
    again.press("Enter")
    expect(page.get_by_text("That password didn’t open a vault")).to_be_visible()
    current.fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Change").click()
    expect(page.get_by_text("Password changed").first).to_be_visible()
    filled.lock()
    filled.try_password(PASSWORD)
    expect(page.get_by_text("That password didn’t open a vault")).to_be_visible()
    filled.open("another river at dusk")
    expect(filled.cells()).to_have_count(4)
    # It sees nothing of the first.
    filled.lock()
    filled.create("a wholly different phrase")
    expect(page.get_by_text("No photos yet")).to_be_visible()
    assert "DSCN" not in page.content()


def test_erasing_asks_for_the_password_and_ends_the_vault(filled):
    page = filled.page
    page.get_by_role("link", name="Settings").click()
    page.get_by_role("button", name="Erase…").click()
    page.get_by_role("dialog").get_by_label("Password").fill(PASSWORD)
    page.get_by_role("dialog").get_by_role("button", name="Erase permanently").click()
    expect(page.get_by_role("heading", name="The vault has been erased")).to_be_visible()
    filled.try_password()
    expect(page.get_by_text("That password didn’t open a vault")).to_be_visible()


def test_damage_is_said_plainly_until_it_is_confirmed(filled):
    page = filled.page
    damage = {"missingEntries": 3, "unreadable": ["wedding.jpg"]}
    page.route(
        "**/api/session",
        lambda route: route.fulfill(json={"kind": "vault", "idleSeconds": 900, "kept": False, "damage": damage}),
    )
    answer(page, "**/api/session/accept-loss", 500, "internal-failure")
    page.reload()
    expect(page.get_by_text("3 entries that this vault once had are no longer there.")).to_be_visible()
    expect(page.get_by_text("wedding.jpg")).to_be_visible()
    page.get_by_role("button", name="Got it").click()
    expect(page.get_by_text("Safelight made a mistake.").first).to_be_visible()
    expect(page.get_by_text("wedding.jpg")).to_be_visible()
    page.unroute("**/api/session/accept-loss")
    page.route("**/api/session/accept-loss", lambda route: route.fulfill(json={}))
    page.get_by_role("button", name="Got it").click()
    expect(page.get_by_text("wedding.jpg")).to_have_count(0)


def test_firefox_does_the_main_job_too(visit, firefox, photos):
    visitor = visit(browser=firefox).create()
    visitor.add(*[path for path in photos if GPS in str(path)])
    expect(visitor.cells()).to_have_count(4)
    visitor.lock()
    visitor.open()
    expect(visitor.cells()).to_have_count(4)
