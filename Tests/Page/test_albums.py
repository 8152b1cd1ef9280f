"""Albums and hearts: made, filled, looked at and deleted, by a vault's people and by a guest."""

import re
import zipfile

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from seeding import picture, seed
from visitor import CELLS, PASSWORD, SAME_ORIGIN, Gate, create_in, file, hold_toast, open_in, until

DESKTOP = {"width": 1280, "height": 800}
HEARTS = "favourites"


def albums(visitor):
    """name → album, as the host lists them; that of hearts has no name of its own."""
    answer = visitor.context.request.get(f"{visitor.url}/api/albums")
    assert answer.status == 200, answer.text()
    return {album.get("name", album["id"]): album for album in answer.json()["albums"]}


def counts(visitor):
    return {name: album["count"] for name, album in albums(visitor).items()}


def post(visitor, path, body):
    answer = visitor.context.request.post(f"{visitor.url}{path}", data=body, headers=SAME_ORIGIN)
    assert answer.ok, answer.text()
    return answer.json()


def ids(visitor):
    return [photo["id"] for photo in visitor.context.request.get(f"{visitor.url}/api/photos").json()["photos"]]


def filled(visitor, count=5):
    """A vault with `count` tiny pictures; the gallery shows them."""
    visitor.create()
    seed(visitor, count)
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.cells()).to_have_count(count)
    return visitor


def to_albums(visitor):
    visitor.page.get_by_role("link", name="Albums", exact=True).click()
    expect(visitor.page.get_by_role("heading", name="Albums", level=1)).to_be_visible()


def to_album(visitor, name):
    to_albums(visitor)
    visitor.page.locator(f".album[aria-label^='{name},']").click()
    expect(visitor.page.get_by_role("heading", name=name, level=1)).to_be_visible()


def name_it(visitor, name):
    visitor.dialog().get_by_label("Name").fill(name)
    visitor.page.keyboard.press("Enter")


def pick(visitor, *places):
    visitor.page.get_by_role("button", name="Select", exact=True).click()
    for place in places:
        visitor.cells().nth(place).click()


def tool(visitor, name):
    return visitor.page.get_by_role("toolbar").get_by_role("button", name=name, exact=True)


def menu(visitor, choice):
    visitor.page.get_by_role("button", name="More about this album").click()
    visitor.dialog().get_by_role("button", name=choice).click()


def toast(visitor):
    return visitor.page.locator(".toast")


# -- albums


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_new_album_is_asked_for_a_name_that_is_neither_empty_nor_taken(request, visit, engine):
    visitor = visit(request.getfixturevalue(engine)).create()
    page = visitor.page
    to_albums(visitor)
    expect(page.get_by_role("heading", name="No albums yet")).to_be_visible()
    page.get_by_role("button", name="New album").click()
    expect(visitor.dialog().get_by_label("Name")).to_be_focused()
    for blank in ("", "   "):
        name_it(visitor, blank)
        expect(visitor.dialog().get_by_role("alert").first).to_have_text("Give the album a name.")
    name_it(visitor, "Rome")
    expect(toast(visitor)).to_contain_text("“Rome” created")
    # Whoever has made one wants to fill it.
    expect(page.get_by_role("heading", name="Rome", level=1)).to_be_visible()
    expect(page.get_by_role("heading", name="No photos in this album yet")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("link", name="Rome, 0 items")).to_be_visible()
    page.get_by_role("button", name="New album").click()
    name_it(visitor, " rOMe ")
    expect(visitor.dialog().get_by_role("alert").first).to_have_text("There is already an album with this name.")
    # Whoever puts it right does not go on reading of it.
    visitor.dialog().get_by_label("Name").fill("Oslo")
    expect(visitor.dialog().get_by_role("alert").first).to_have_text("")
    page.keyboard.press("Enter")
    hold_toast(page)
    expect(page.get_by_role("heading", name="Oslo", level=1)).to_be_visible()
    until(page, lambda: counts(visitor) == {"Oslo": 0, "Rome": 0})
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("link", name="Rome, 0 items")).to_be_visible()
    expect(page.get_by_role("link", name="Oslo")).to_have_count(0)


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_photos_of_the_vault_are_chosen_for_an_album_from_within_it(request, visit, engine):
    visitor = filled(visit(request.getfixturevalue(engine)))
    page = visitor.page
    post(visitor, "/api/albums", {"name": "Rome", "ids": ids(visitor)[:1]})
    to_album(visitor, "Rome")

    def choose_from_vault():
        page.get_by_role("button", name="Add photos").click()
        expect(visitor.dialog().get_by_role("heading", name="Add to “Rome”")).to_be_visible()
        visitor.dialog().get_by_role("button", name="From this vault").click()
        expect(visitor.cells()).to_have_count(5)
        expect(tool(visitor, "Add to “Rome”")).to_be_disabled()

    choose_from_vault()
    # Whoever gives it up is in the album again, by whatever way.
    for give_up in (lambda: page.go_back(), lambda: page.get_by_role("button", name="Stop selecting").click()):
        give_up()
        expect(page.get_by_role("heading", name="Rome", level=1)).to_be_visible()
        expect(visitor.cells()).to_have_count(1)
        choose_from_vault()
    page.get_by_role("button", name="Select all").click()
    tool(visitor, "Add to “Rome”").click()
    # One was in it before.
    expect(toast(visitor)).to_contain_text("4 added to “Rome”")
    expect(page.get_by_role("heading", name="Rome", level=1, exact=True)).to_be_visible()
    expect(visitor.cells()).to_have_count(5)
    assert counts(visitor) == {"Rome": 5}
    # One step leads out of it.
    page.go_back()
    expect(page.get_by_role("heading", name="Albums", level=1)).to_be_visible()
    # And all photos are for looking at again.
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(page.get_by_role("toolbar")).to_have_count(0)


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_selection_goes_into_an_album_and_out_of_it_and_back(request, visit, engine):
    visitor = filled(visit(request.getfixturevalue(engine), viewport=DESKTOP))
    page = visitor.page
    pick(visitor, 0, 1, 2)
    tool(visitor, "Album").click()
    visitor.dialog().get_by_role("button", name="New album").click()
    name_it(visitor, "Rome")
    expect(toast(visitor)).to_contain_text("3 added to “Rome”")
    expect(page.locator(".pick")).to_have_count(0)
    pick(visitor, 2, 3)
    tool(visitor, "Album").click()
    visitor.dialog().get_by_role("button", name="Rome").click()
    # One of them was in it before: what goes back would take that out, too.
    expect(toast(visitor)).to_have_text("1 added to “Rome”")
    to_album(visitor, "Rome")
    expect(visitor.cells()).to_have_count(4)
    pick(visitor, 0, 1)
    tool(visitor, "Remove from album").click()
    hold_toast(page)
    expect(visitor.cells()).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(visitor.cells()).to_have_count(4)
    until(page, lambda: counts(visitor) == {"Rome": 4})
    page.get_by_role("link", name="Photos", exact=True).click()
    visitor.expect_photos(5)


def test_an_album_is_the_same_gallery_and_back_leads_out_of_it_step_by_step(visit):
    visitor = filled(visit())
    page = visitor.page
    made = post(visitor, "/api/albums", {"name": "Rome", "ids": ids(visitor)[:3]})
    to_albums(visitor)
    for name in ("Recently deleted", "Near duplicates"):
        page.get_by_role("main").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
        page.get_by_role("link", name="Back", exact=True).click()
        expect(page.get_by_role("heading", name="Albums", level=1)).to_be_visible()
    to_album(visitor, "Rome")
    expect(visitor.cells()).to_have_count(3)
    visitor.cells().first.click()
    expect(page.get_by_text("1 of 3")).to_be_visible()
    page.go_back()
    expect(visitor.dialog()).to_have_count(0)
    pick(visitor, 0)
    page.go_back()
    expect(page.locator(".pick")).to_have_count(0)
    page.go_back()
    expect(page.get_by_role("heading", name="Albums", level=1)).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("heading", name="Rome", level=1)).to_be_visible()
    expect(visitor.cells()).to_have_count(3)
    # The details of a photo lead there as well, and back to where one was.
    page.get_by_role("link", name="Photos", exact=True).click()
    expect(visitor.cells()).to_have_count(5)
    page.locator(f".cell[data-id='{ids(visitor)[0]}']").click()
    visitor.dialog().get_by_role("button", name="Info").click()
    visitor.dialog().get_by_role("button", name="Rome").click()
    expect(page.get_by_role("heading", name="Rome", level=1)).to_be_visible()
    expect(visitor.cells()).to_have_count(3)
    expect(page.locator("dialog.viewer")).to_have_count(0)
    # The browser writes the address and the title into its history, on the disk.
    for said in (page.url, page.title()):
        assert "Rome" not in said and made["id"] not in said
    page.go_back()
    expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()
    page.wait_for_function("() => !('viewer' in (history.state ?? {}))")
    # Another page does not know the address.
    page.go_forward()
    expect(page.get_by_role("heading", name="Rome", level=1)).to_be_visible()
    page.reload()
    expect(page.get_by_role("heading", name="Albums", level=1)).to_be_visible()
    visitor.lock()
    until(page, lambda: "Rome" not in page.content() and "#" not in page.url)


def test_a_photo_goes_into_an_album_from_the_viewer_and_becomes_its_cover(visit):
    visitor = filled(visit())
    page = visitor.page
    first = ids(visitor)
    made = post(visitor, "/api/albums", {"name": "Rome", "ids": first[:2]})
    page.reload()
    expect(visitor.cells()).to_have_count(5)
    other = page.locator(f".cell[data-id='{first[4]}']")
    other.click()
    visitor.dialog().get_by_role("button", name="Album").click()
    visitor.dialog().last.get_by_role("button", name="Rome").click()
    expect(toast(visitor)).to_contain_text("1 added to “Rome”")
    visitor.close_viewer()
    to_album(visitor, "Rome")
    expect(visitor.cells()).to_have_count(3)
    page.locator(f".cell[data-id='{first[4]}']").click()
    visitor.dialog().get_by_role("button", name="Album").click()
    visitor.dialog().last.get_by_role("button", name="Use as cover").click()
    expect(toast(visitor)).to_contain_text("The album has a new cover")
    until(page, lambda: albums(visitor)["Rome"]["cover"] == first[4])
    visitor.close_viewer()
    menu(visitor, "Choose a cover")
    expect(page.get_by_role("heading", name="Choose the new cover")).to_be_visible()
    page.locator(f".cell[data-id='{first[0]}']").click()
    hold_toast(page)
    expect(page.get_by_role("heading", name="Rome", level=1)).to_be_visible()
    until(page, lambda: albums(visitor)["Rome"]["cover"] == first[0])
    page.get_by_role("button", name="Undo").click()
    until(page, lambda: albums(visitor)["Rome"]["cover"] == first[4])
    assert made["id"] == albums(visitor)["Rome"]["id"]


def test_an_album_gets_another_name_is_downloaded_and_deleted_after_a_question_and_comes_back(visit):
    visitor = filled(visit())
    page, asked = visitor.page, visitor.context.request
    made = post(visitor, "/api/albums", {"name": "Rome 2024", "ids": ids(visitor)[:3]})
    post(visitor, "/api/albums", {"name": "Oslo"})
    to_album(visitor, "Rome 2024")
    menu(visitor, "Rename album")
    expect(visitor.dialog().get_by_label("Name")).to_have_value("Rome 2024")
    name_it(visitor, "Oslo")
    expect(visitor.dialog().get_by_role("alert").first).to_have_text("There is already an album with this name.")
    name_it(visitor, "Roma")
    hold_toast(page)
    expect(page.get_by_role("heading", name="Roma", level=1)).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="Rome 2024", level=1)).to_be_visible()
    until(page, lambda: counts(visitor) == {"Rome 2024": 3, "Oslo": 0})
    # The archive is called as the album.
    with page.expect_download() as download:
        menu(visitor, "Download as a ZIP file")
    assert download.value.suggested_filename == "Rome 2024.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == 3
    # Alone, and with its photos.
    for action, in_trash in (("Delete album", 0), ("Delete its 3 photos too", 3)):
        to_album(visitor, "Rome 2024")
        menu(visitor, "Delete album")
        expect(visitor.dialog().get_by_role("button", name="Cancel")).to_be_focused()
        expect(visitor.dialog()).to_contain_text("Its photos stay in the vault.")
        visitor.dialog().get_by_role("button", name=action, exact=True).click()
        hold_toast(page)
        expect(page.get_by_role("link", name="Oslo, 0 items")).to_be_visible()
        expect(page.get_by_role("link", name=re.compile("^Rome 2024"))).to_have_count(0)
        until(page, lambda: counts(visitor) == {"Oslo": 0})
        trash = asked.get(f"{visitor.url}/api/trash").json()["photos"]
        assert (len(trash), len(ids(visitor))) == (in_trash, 5 - in_trash)
        page.get_by_role("button", name="Undo").click()
        expect(page.get_by_role("link", name="Rome 2024, 3 items")).to_be_visible()
        until(page, lambda: len(ids(visitor)) == 5)
        assert albums(visitor)["Rome 2024"]["id"] == made["id"]


def test_what_is_deleted_elsewhere_is_left_and_said(visit):
    visitor = filled(visit())
    made = post(visitor, "/api/albums", {"name": "Rome", "ids": ids(visitor)[:3]})
    to_album(visitor, "Rome")
    # Nothing tells of it for a moment, not even what was asked before.
    with visitor.page.expect_event("requestfailed", lambda asked: asked.url.endswith("/api/session")):
        visitor.page.route("**/api/session", lambda route: route.abort())
    visitor.context.request.delete(f"{visitor.url}/api/albums/{made['id']}", headers=SAME_ORIGIN)
    menu(visitor, "Rename album")
    name_it(visitor, "Roma")
    expect(visitor.dialog().get_by_role("alert").last).to_contain_text("The album is no longer here.")
    visitor.page.keyboard.press("Escape")
    visitor.page.unroute("**/api/session")
    expect(visitor.page.get_by_role("heading", name="Albums", level=1)).to_be_visible()


def test_what_another_device_does_with_albums_and_hearts_appears_by_itself(visit):
    laptop = filled(visit(viewport=DESKTOP))
    phone = visit().open()
    expect(phone.cells()).to_have_count(5)
    to_albums(laptop)
    expect(laptop.page.get_by_role("heading", name="No albums yet")).to_be_visible()
    pick(phone, 0, 1)
    tool(phone, "Album").click()
    phone.dialog().get_by_role("button", name="New album").click()
    name_it(phone, "Rome")
    laptop.page.get_by_role("link", name="Rome, 2 items").click()
    expect(laptop.cells()).to_have_count(2)
    pick(phone, 0)
    tool(phone, "Favourite").click()
    expect(laptop.page.locator(".cell .heart:not(.is-offered)")).to_have_count(1)
    to_album(phone, "Rome")
    menu(phone, "Rename album")
    name_it(phone, "Roma")
    expect(laptop.page.get_by_role("heading", name="Roma", level=1)).to_be_visible()
    menu(phone, "Delete album")
    phone.dialog().get_by_role("button", name="Delete album").click()
    expect(laptop.page.get_by_role("heading", name="Albums", level=1)).to_be_visible()
    expect(laptop.page.get_by_role("link", name="Favourites, 1 item")).to_be_visible()


def test_three_hundred_albums_are_a_few_elements_and_all_of_them_can_be_found(visit):
    visitor = filled(visit(viewport=DESKTOP))
    page = visitor.page
    cover = ids(visitor)[0]
    many = [{"id": f"album{n}", "name": f"Album {n}", "count": n, "cover": cover} for n in range(300)]
    page.route("**/api/albums", lambda route: route.fulfill(json={"albums": many}))
    to_albums(visitor)
    expect(page.get_by_role("link", name="Album 299, 299 items")).to_have_count(1)
    expect(page.locator(".album-face img.is-here").first).to_be_visible()
    assert page.evaluate("document.querySelectorAll('*').length") <= 1500
    page.get_by_role("link", name="Album 299, 299 items").scroll_into_view_if_needed()
    expect(page.get_by_role("link", name="Album 299, 299 items").locator("img.is-here")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('*').length") <= 1500
    page.get_by_role("link", name="Photos", exact=True).click()
    pick(visitor, 0)
    tool(visitor, "Album").click()
    choices = visitor.dialog().locator(".is-albums li")
    expect(choices.first).to_be_visible()
    assert page.evaluate("document.querySelectorAll('*').length") <= 1500
    # Whoever goes down the list comes to all of them.
    for number in range(39, 300, 40):
        choices.nth(number).scroll_into_view_if_needed()
    expect(choices).to_have_count(300)
    visitor.dialog().get_by_role("searchbox", name="Find an album").fill("album 29")
    expect(visitor.dialog().locator(".is-albums li:visible")).to_have_count(11)


def test_a_photo_that_is_drawn_to_the_albums_beside_the_gallery_goes_into_one(visit):
    visitor = filled(visit(viewport=DESKTOP))
    page = visitor.page
    post(visitor, "/api/albums", {"name": "Rome"})
    box, target = visitor.cells().nth(3).bounding_box(), page.get_by_role("link", name="Albums", exact=True).bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + 40, steps=4)
    page.mouse.move(target["x"] + 40, target["y"] + 20, steps=4)
    expect(page.locator(".n.is-target")).to_have_count(1)
    page.mouse.up()
    expect(page.locator(".n.is-target")).to_have_count(0)
    visitor.dialog().get_by_role("button", name="Rome").click()
    # Those on the way were not meant.
    expect(toast(visitor)).to_contain_text("1 added to “Rome”")
    assert counts(visitor) == {"Rome": 1}


# -- adding into an album


def test_what_is_added_within_an_album_goes_into_it_also_where_it_is_there_already(visit):
    visitor = visit().create()
    one, two = (file(f"{name}.png", picture(number), "image/png") for number, name in enumerate(["one", "two"]))
    visitor.add(one)
    visitor.wait_until_read_back()
    post(visitor, "/api/albums", {"name": "Rome"})
    page = visitor.page
    to_album(visitor, "Rome")
    expect(page.get_by_role("heading", name="No photos in this album yet")).to_be_visible()
    visitor.choose(one, two)
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    expect(visitor.cells()).to_have_count(2)
    until(page, lambda: counts(visitor) == {"Rome": 2})
    assert len(ids(visitor)) == 2
    # The same files once more, into another one: the host knows their uploads.
    post(visitor, "/api/albums", {"name": "Oslo"})
    to_album(visitor, "Oslo")
    visitor.choose(one, two)
    expect(visitor.cells()).to_have_count(2)
    until(page, lambda: counts(visitor) == {"Rome": 2, "Oslo": 2})


def folders(parent):
    """Six photos in "Holiday 2024/Rome", one beside that folder."""
    rome = parent / "Holiday 2024" / "Rome"
    rome.mkdir(parents=True)
    paths = [rome / f"{name}.png" for name in "abcdef"]
    for number, path in enumerate([*paths, parent / "Holiday 2024" / "g.png"]):
        path.write_bytes(picture(number))
    return parent / "Holiday 2024"


WANTED = {"Holiday 2024 / Rome": 6, "Holiday 2024": 1}


def test_a_folder_keeps_its_name_while_it_is_sent(visit, tmp_path):
    visitor = visit(viewport=DESKTOP).create()
    gate = Gate(visitor.page, "**/api/batches")
    sent = []
    visitor.page.on("request", lambda asked: sent.append(asked.headers.get("upload-metadata", ""))
                    if asked.method == "POST" and asked.url.endswith("/api/uploads") else None)
    visitor.page.locator("#add-folder").set_input_files(folders(tmp_path))
    expect(visitor.result("These files came in 2 folders")).to_be_visible()
    visitor.page.get_by_role("button", name="Put them into albums named after the folders").click()
    expect(visitor.result("These files came in 2 folders")).to_have_count(0)
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("7 saved")
    until(visitor.page, lambda: counts(visitor) == WANTED)
    to_album(visitor, "Holiday 2024")
    visitor.page.locator(".album[aria-label^='Rome,']").click()
    expect(visitor.cells()).to_have_count(6)
    # In the words of the upload itself, where nothing of it had begun.
    assert len(sent) == 7 and sum(" album " in f" {words.replace(',', ' ')} " for words in sent) >= 4


def test_a_folder_keeps_its_name_also_where_all_of_it_is_there_before_somebody_says_so(visit, tmp_path):
    visitor = visit(viewport=DESKTOP).create()
    folder = folders(tmp_path)
    for path in sorted(folder.rglob("*.png")):
        visitor.context.request.put(f"{visitor.url}/api/photos/{path.name}", data=path.read_bytes(), headers=SAME_ORIGIN)
    visitor.wait_until_read_back()
    page = visitor.page
    page.locator("#add-folder").set_input_files(folder)
    # The first of them were sent; once those had been there, the others were only asked about.
    expect(visitor.title_of_upload()).to_contain_text("7 already here")
    page.get_by_role("button", name="Put them into albums named after the folders").click()
    until(page, lambda: counts(visitor) == WANTED)
    assert len(ids(visitor)) == 7


def test_a_folder_that_was_dropped_at_the_door_keeps_its_name_once_a_vault_is_open(visit, tmp_path):
    visitor = visit(viewport=DESKTOP)
    folder = folders(tmp_path)
    expect(visitor.page.locator("#add-folder")).to_have_count(1)
    visitor.page.locator("#add-folder").set_input_files(folder)
    expect(visitor.page.get_by_text("7 files are waiting.")).to_be_visible()
    gate = Gate(visitor.page, "**/api/batches")
    visitor.begin_vault()
    visitor.page.get_by_role("checkbox", name="I understand").check()
    visitor.page.get_by_role("button", name="Create vault").click()
    visitor.page.get_by_role("button", name="Put them into albums named after the folders").click()
    gate.open()
    until(visitor.page, lambda: counts(visitor) == WANTED)


def test_a_folder_that_nobody_wants_albums_for_makes_none(visit, tmp_path):
    visitor = visit(viewport=DESKTOP).create()
    visitor.page.locator("#add-folder").set_input_files(folders(tmp_path))
    expect(visitor.title_of_upload()).to_have_text("7 saved")
    visitor.page.locator(".is-offer").get_by_role("button", name="Close").click()
    expect(visitor.page.locator(".is-offer")).to_have_count(0)
    assert counts(visitor) == {}


# -- hearts


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_heart_is_given_in_the_viewer_and_taken_away_again(request, visit, engine):
    visitor = filled(visit(request.getfixturevalue(engine), viewport=DESKTOP))
    page = visitor.page
    visitor.cells().first.click()
    heart = visitor.dialog().get_by_role("button", name="Favourite")
    expect(heart).to_have_attribute("aria-pressed", "false")
    page.keyboard.press("f")
    expect(heart).to_have_attribute("aria-pressed", "true")
    until(page, lambda: counts(visitor) == {HEARTS: 1})
    visitor.close_viewer()
    expect(page.locator(".cell .heart:not(.is-offered)")).to_have_count(1)
    expect(page.get_by_role("button", name=re.compile(", favourite$"))).to_have_count(1)
    page.reload()
    expect(page.locator(".cell .heart:not(.is-offered)")).to_have_count(1)
    to_album(visitor, "Favourites")
    visitor.cells().first.click()
    expect(heart).to_have_attribute("aria-pressed", "true")
    heart.click()
    # It has left the album, and nothing is left there to look at.
    expect(visitor.dialog()).to_have_count(0)
    expect(page.get_by_role("heading", name="No favourites")).to_be_visible()
    until(page, lambda: counts(visitor) == {})


def test_a_selection_gets_hearts_and_loses_them_with_a_way_back(visit):
    visitor = filled(visit(viewport=DESKTOP))
    page = visitor.page
    first = ids(visitor)[0]
    hearts = page.locator(".cell .heart:not(.is-offered)")
    post(visitor, "/api/photos/favourite", {"ids": [first], "on": True})
    post(visitor, "/api/albums", {"name": "Rome", "ids": [first]})
    page.reload()
    expect(hearts).to_have_count(1)
    page.get_by_role("button", name="Select", exact=True).click()
    page.locator(f".cell[data-id='{first}']").click()
    expect(tool(visitor, "Unfavourite")).to_be_visible()
    page.get_by_role("button", name="Select all").click()
    tool(visitor, "Favourite").click()
    # Of those that had one nobody speaks, and going back leaves them theirs.
    hold_toast(page)
    expect(toast(visitor)).to_contain_text("4 photos added to your favourites")
    until(page, lambda: counts(visitor) == {HEARTS: 5, "Rome": 1})
    page.get_by_role("button", name="Undo").click()
    until(page, lambda: counts(visitor) == {HEARTS: 1, "Rome": 1})
    expect(hearts).to_have_count(1)
    # A mouse gives one to the tile that it points at.
    tiles = page.locator(f"{CELLS}:not([data-id='{first}'])")
    tiles.nth(2).hover()
    expect(tiles.nth(2).locator(".heart.is-offered")).to_be_visible()
    tiles.nth(1).hover()
    expect(tiles.nth(2).locator(".heart")).to_have_count(0)
    tiles.nth(1).locator(".heart").click()
    expect(tiles.nth(1).locator(".heart:not(.is-offered)")).to_be_visible()
    expect(visitor.dialog()).to_have_count(0)
    until(page, lambda: counts(visitor) == {HEARTS: 2, "Rome": 1})
    tiles.nth(1).locator(".heart").click()
    until(page, lambda: counts(visitor) == {HEARTS: 1, "Rome": 1})
    # Favourites stand first, and cannot be renamed or deleted.
    to_albums(visitor)
    expect(page.locator(".album")).to_have_count(2)
    assert page.locator(".album").evaluate_all("all => all.map((one) => one.ariaLabel)") == ["Favourites, 1 item", "Rome, 1 item"]
    to_album(visitor, "Favourites")
    page.get_by_role("button", name="More about this album").click()
    expect(visitor.dialog().get_by_role("button", name="Download as a ZIP file")).to_be_visible()
    expect(visitor.dialog().get_by_role("button", name=re.compile("Rename|Delete"))).to_have_count(0)


# -- a guest


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_a_guest_who_gives_a_heart_opens_a_vault_and_then_the_photo_has_it(request, visit, engine):
    owner = visit().create()
    owner.put(file("one.png", picture(1), "image/png"))
    owner.wait_until_read_back()
    guest = visit(request.getfixturevalue(engine)).start_without_password()
    guest.add(*[file(f"{name}.png", picture(number), "image/png") for number, name in enumerate(["zero", "one", "two"])])
    guest.wait_until_read_back()
    guest.wait_until_looked_into()
    guest.page.reload()
    expect(guest.cells()).to_have_count(3)
    guest.cell("two.png").click()
    expect(guest.dialog().get_by_role("button", name="Favourite")).to_be_visible()
    guest.page.keyboard.press("f")
    dialog = guest.page.locator("dialog.sheet")
    expect(dialog.get_by_role("heading", name="Open a vault to make 1 photo a favourite")).to_be_visible()
    open_in(dialog)
    expect(guest.result("2 moved · 1 was already in the vault")).to_be_visible()
    expect(guest.page.locator("#live")).to_have_text("1 photo added to your favourites")
    expect(guest.cell("two.png").locator(".heart")).to_be_visible()
    until(guest.page, lambda: counts(guest) == {HEARTS: 1})
    [hearted] = guest.context.request.get(f"{guest.url}/api/albums/{HEARTS}/timeline").json()
    month = guest.context.request.get(f"{guest.url}/api/albums/{HEARTS}/timeline/{hearted[0]}").json()
    assert month["name"] == ["two.png"]


def test_a_guest_who_wants_an_album_opens_a_vault_first_and_then_gives_it_a_name(visit):
    guest = visit().start_without_password()
    guest.add(file("one.png", picture(1), "image/png"))
    to_albums(guest)
    expect(guest.page.get_by_role("heading", name="No albums yet")).to_be_visible()
    guest.page.get_by_role("button", name="New album").click()
    expect(guest.dialog().get_by_role("heading", name="Open a vault to make an album")).to_be_visible()
    create_in(guest.dialog())
    name_it(guest, "Rome")
    expect(guest.page.get_by_role("link", name="Rome, 0 items")).to_be_visible()
    expect(guest.result("1 moved")).to_be_visible()


def test_a_guest_s_selection_goes_into_an_album_of_the_vault_that_is_opened_for_it(visit):
    owner = visit().create()
    post(owner, "/api/albums", {"name": "Rome"})
    guest = visit().start_without_password()
    guest.add(*[file(f"{name}.png", picture(number), "image/png") for number, name in enumerate(["one", "two"])])
    guest.wait_until_read_back()
    guest.page.reload()
    expect(guest.cells()).to_have_count(2)
    pick(guest, 0, 1)
    tool(guest, "Album").click()
    expect(guest.dialog().get_by_role("heading", name="Open a vault to put these 2 photos into an album")).to_be_visible()
    open_in(guest.dialog(), PASSWORD)
    guest.dialog().get_by_role("button", name="Rome").click()
    expect(toast(guest)).to_contain_text("2 added to “Rome”")
    assert counts(guest) == {"Rome": 2}
