"""Windows: made by their owner from a selection or an album, looked after in the settings, and seen by whoever has the link."""

import itertools
import re
from zipfile import ZipFile

import pytest
from accessibility import problems
from browsers import CHROMIUM_FIRST
from cases import first
from playwright.sync_api import expect
from screens import LOCALES, SIZES
from seeding import picture, video
from test_looks import cut_off, overflow
from test_slideshow import NOTE_LOCKS
from visitor import PASSWORD, answer, file, offer, resize, run_clock, settings, stop_clock, until
from windows import ROME, Shower, place

WORD = "violet tram seven"


def pictures(count, start=0):
    return [file(f"{number}.png", picture(number), "image/png") for number in range(start, start + count)]


@pytest.fixture
def shower(lent_host, shared_host):
    """Who has a vault and shows some of it, without a page."""
    shared_host.note_begun(lent_host.url, PASSWORD)
    return Shower(lent_host).create()


@pytest.fixture
def keeper(visit, shower):
    """The owner, at the page."""
    return lambda **options: visit(**options).open(PASSWORD)


@pytest.fixture
def look(visit, lent_host):
    """look(window, way="", **options) → somebody who has opened its link."""
    return lambda window, way="", **options: visit(url=place(lent_host, window, way), **options)


def seen(visitor, count):
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(count)


def names(visitor):
    labels = visitor.page.locator(".cell[data-id]").evaluate_all("cells => cells.map((cell) => cell.ariaLabel)")
    return sorted(re.search(r"\d+\.\w+", label)[0] for label in labels)


def more(page, action, name=ROME):
    page.get_by_role("button", name=f"More about {name}").click()
    page.get_by_role("dialog").get_by_role("button", name=action, exact=True).click()


def fill(dialog, name=ROME, take=False, places=False, people=None, password=None):
    expect(dialog.get_by_label("Name, e.g.")).to_be_visible()
    if name is not None:
        dialog.get_by_label("Name, e.g.").fill(name)
    if people:
        dialog.get_by_label("How many people").select_option(label=people)
    dialog.get_by_role("radio", name="Look and download" if take else "Look", exact=True).check()
    dialog.get_by_role("radio", name="Shown" if places else "Left out").check()
    if password:
        dialog.get_by_label("Password (optional)").fill(password)
    dialog.get_by_role("button", name="Make link").click()


def row(page, name=ROME):
    return page.locator(".windows .set-row", has=page.get_by_text(name, exact=True))


# ---- the owner


def test_what_is_selected_is_shown_to_whoever_has_the_link_also_while_the_vault_is_locked(keeper, shower, look):
    shower.put_looked_into(*pictures(4))
    visitor = keeper()
    page = visitor.page
    seen(visitor, 4)
    page.get_by_role("button", name="Select", exact=True).click()
    for name in ("1.png", "3.png"):
        visitor.cell(name).click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Show to somebody").click()
    fill(page.get_by_role("dialog"))
    sheet = page.get_by_role("dialog", name=ROME)
    expect(sheet.get_by_role("img", name=f"QR code of the link “{ROME}”")).to_be_visible()
    until(page, lambda: sheet.locator(".qr").evaluate("image => image.naturalWidth") > 0)
    expect(sheet).to_contain_text("People who have the link and reach this Safelight can see these 2 photos until")
    expect(sheet).to_contain_text("also while the vault is locked")
    expect(sheet).to_contain_text("Nobody has looked yet.")
    expect(sheet).to_contain_text("Whoever looks can keep a picture of the screen, and pass the link on.")
    # Nobody has to select them again for that.
    page.keyboard.press("Escape")
    expect(page.locator(".pick")).to_have_count(0)
    visitor.lock()
    [window] = shower.windows()
    shower.lock()
    guest = look(window)
    expect(guest.page.get_by_role("heading", level=1)).to_have_text(ROME)
    expect(guest.page.get_by_text(re.compile(r"^2 items · Until \d+ \w+ 20\d\d$"))).to_be_visible()
    seen(guest, 2)
    assert names(guest) == ["1.png", "3.png"]
    visitor.open()
    expect(row(settings(visitor))).to_contain_text("Seen by 1 person so far, last today.")


def test_an_album_is_shown_by_its_menu_and_its_window_follows_it(keeper, shower, look):
    ids = shower.put_looked_into(*pictures(3))
    album = shower.make_album("Rome", ids[:1])
    page = keeper().page
    page.get_by_role("link", name="Albums", exact=True).click()
    page.locator(".album", has_text="Rome").click()
    page.get_by_role("button", name="More about this album").or_(page.locator(".top button:has([href='#icon-more'])")).first.click()
    page.get_by_role("button", name="Show to somebody").click()
    dialog = page.get_by_role("dialog")
    # It is called as the album is, until somebody says more.
    expect(dialog.get_by_label("Name, e.g.")).to_have_value("Rome")
    fill(dialog, name=None)
    expect(page.get_by_role("dialog", name="Rome")).to_contain_text("and what is added to it, until")
    [window] = shower.windows()
    guest = look(window)
    seen(guest, 1)
    shower.add_to_album(album, ids[1:])
    seen(guest, 3)
    expect(guest.page.get_by_text(re.compile("^3 items · "))).to_be_visible()


def test_a_window_needs_a_name_and_a_password_that_is_none_of_the_common_ones(keeper, shower):
    shower.put_looked_into(*pictures(1))
    visitor = keeper()
    page = visitor.page
    seen(visitor, 1)
    page.get_by_role("button", name="Select", exact=True).click()
    visitor.cells().first.click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Show to somebody").click()
    dialog = page.get_by_role("dialog")
    fill(dialog, name="  ")
    expect(dialog).to_contain_text("Give the link a name.")
    fill(dialog, password="short")
    expect(dialog.locator(".is-wrong")).to_have_count(1)
    assert shower.windows() == []


def test_windows_are_changed_closed_for_now_and_closed_for_good_in_the_settings(keeper, shower, look):
    window = shower.show(photos=shower.put_looked_into(*pictures(2)))
    guest = look(window)
    seen(guest, 2)
    page = settings(keeper())
    expect(row(page)).to_contain_text("2 photos · Look · Seen by 1 person so far, last today.")
    more(page, "Change")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name, e.g.").fill("Rome")
    dialog.get_by_label("How many people").select_option(label="5 people")
    dialog.get_by_role("button", name="Save").click()
    expect(row(page, "Rome")).to_be_visible()
    [changed] = shower.windows()
    assert (changed["name"], changed["mostVisitors"], changed["hasPassword"]) == ("Rome", 5, False)
    more(page, "Close for now", "Rome")
    expect(row(page, "Rome")).to_contain_text("Closed")
    # Nothing that was seen stays, and the page says why.
    expect(guest.page.locator("#app")).to_contain_text("Whoever sent you this link has closed it for now.")
    expect(guest.page.locator(".cell")).to_have_count(0)
    more(page, "Reopen", "Rome")
    expect(row(page, "Rome")).to_contain_text("Open until")
    more(page, "Change", "Rome")
    dialog.get_by_label("Password (optional)").fill(WORD)
    dialog.get_by_role("button", name="Save").click()
    expect(row(page, "Rome")).to_contain_text("Password")
    more(page, "Close for good", "Rome")
    page.get_by_role("dialog", name="Close “Rome” for good?").get_by_role("button", name="Close for good").click()
    expect(page.locator(".windows")).to_contain_text("You show nothing to anybody.")
    guest.page.reload()
    expect(guest.page.locator("#app")).to_contain_text("There is nothing to see here any more")


@pytest.mark.parametrize("is_closed", [True, False])
def test_whoever_renews_the_key_is_asked_about_windows(keeper, shower, is_closed):
    shower.show(photos=shower.put_looked_into(*pictures(1)))
    page = settings(keeper())
    dialog = offer(page, "Encryption key", "Renew…")
    dialog.get_by_label("The password to keep").fill(PASSWORD)
    dialog.get_by_role("button", name="Renew key").click()
    question = page.get_by_role("dialog", name="1 window stays open")
    expect(question).to_contain_text("Close it, too?")
    question.get_by_role("button", name="Close it" if is_closed else "Leave open").click()
    expect(question).to_have_count(0)
    if is_closed:
        expect(page.locator(".toast")).to_have_text("1 window closed")
    # Every other session is over by then.
    assert len(shower.open().windows()) == (0 if is_closed else 1)


def test_a_decoy_is_told_to_have_no_windows(keeper):
    page = settings(keeper())
    page.get_by_role("button", name="Read more: Decoy vault").click()
    expect(page.get_by_role("dialog")).to_contain_text("A window is a witness. Show nothing from a vault that you deny.")


# ---- a visitor


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_whoever_may_only_look_gets_pictures_and_nothing_to_keep(shower, look, request, engine):
    ids = shower.put_looked_into(*pictures(2), file("9.webm", video(2), "video/webm"))
    guest = look(shower.show(photos=ids), browser=request.getfixturevalue(engine))
    page = guest.page
    asked = []
    page.on("request", lambda one: asked.append(one.url))
    seen(guest, 3)
    guest.cell("1.png").click()
    expect(page.locator("figure[data-shown]")).to_be_visible()
    bar = page.locator(".viewer-bar button")
    expect(bar).to_have_text(["Info"])
    page.keyboard.press("d")
    page.keyboard.press("i")
    expect(page.locator(".facts")).to_contain_text("1.png")
    page.keyboard.press("Escape")
    guest.cell("9.webm").click()
    expect(page.locator("#app, dialog").get_by_text("Only this picture of the video can be seen here.")).to_be_visible()
    expect(page.locator("video")).to_have_count(0)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Download all")).to_be_hidden()
    assert not [url for url in asked if re.search("original|motion|archive", url)]


@pytest.mark.parametrize("places", [True, False])
def test_whoever_may_take_them_downloads_one_and_all(shower, look, places):
    files = pictures(3)
    guest = look(shower.show(photos=shower.put_looked_into(*files), originals=True, places=places))
    page = guest.page
    seen(guest, 3)
    guest.cell("1.png").click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("button", name="Download").click()
    content = download.value.path().read_bytes()
    assert len(content) == len(files[1]["buffer"])
    assert not places or content == files[1]["buffer"]
    guest.close_viewer()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download all").click()
    assert len(ZipFile(download.value.path()).namelist()) == 3
    expect(page.get_by_text("given here")).to_have_count(0)


def test_without_places_all_are_downloaded_but_those_of_which_there_are_no_copies(shower, look):
    gif = file("a.gif", b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;", "image/gif")
    guest = look(shower.show(photos=shower.put_looked_into(*pictures(2), gif), originals=True))
    with guest.page.expect_download() as download:
        guest.page.get_by_role("button", name="Download all").click()
    assert len(ZipFile(download.value.path()).namelist()) == 2
    expect(guest.page.locator("#notes").get_by_text("1 file isn’t given here")).to_be_visible()


def test_a_password_is_asked_first_and_the_code_is_in_no_address_that_is_asked_for(shower, look):
    window = shower.show(photos=shower.put_looked_into(*pictures(2)), password=WORD)
    shower.lock()
    guest = look(window)
    page = guest.page
    asked = []
    page.on("request", lambda one: asked.append(one.url))
    field = page.get_by_label("Password", exact=True)
    # Its link has the name, which nobody has to be told by the host.
    expect(page.get_by_role("heading", level=1)).to_have_text(ROME)
    page.get_by_role("button", name="Show the photos").click()
    expect(page.get_by_text("Enter a password first.")).to_be_visible()
    field.fill("violet tram eight")
    page.keyboard.press("Enter")
    expect(page.get_by_text("That isn’t the password of these photos.")).to_be_visible()
    field.fill(WORD)
    page.keyboard.press("Enter")
    seen(guest, 2)
    page.reload()
    expect(field).to_be_visible()
    expect(page.locator(".cell")).to_have_count(0)
    code = window["code"].replace("-", "")
    assert code in page.url.partition("#")[2]
    assert not [url for url in asked if code in url.partition("#")[0]]


def test_who_comes_when_as_many_have_come_as_may_is_told_so_and_who_was_there_comes_again(shower, look):
    window = shower.show(photos=shower.put_looked_into(*pictures(1)), mostVisitors=1)
    lost = []

    def lose(route):
        """The host has counted this browser, which does not hear of it."""
        lost.append(route.fetch().status)
        route.request.frame.page.context.clear_cookies()
        route.abort()

    guest = look(window, routes={"**/see/api/enter": lambda route: route.continue_() if lost else lose(route)})
    seen(guest, 1)
    assert lost == [201]
    other = look(window)
    expect(other.page.locator("#app")).to_contain_text("As many people as were meant to see these photos have opened this link.")
    guest.page.reload()
    seen(guest, 1)


REASONS = {
    "no-such-window": (404, "There is nothing to see here any more"),
    "window-over": (410, "This is over: the last day has passed."),
    "window-shut": (403, "Whoever sent you this link has closed it for now."),
}


@pytest.mark.parametrize("code", REASONS)
def test_each_reason_has_its_words(visit, lent_host, code):
    status, words = REASONS[code]
    visitor = visit(url=f"{lent_host.url}/see/#0123456789ABCDEFGHJKMNPQRSTV")
    answer(visitor._page, "**/see/api/enter", status, code)
    expect(visitor.page.locator("#app")).to_contain_text(words)


def test_without_a_code_the_page_asks_for_the_whole_link(visit, lent_host):
    page = visit(url=f"{lent_host.url}/see/").page
    expect(page.locator("#app")).to_contain_text("This page needs the whole link that you were sent.")


def test_away_from_home_the_page_says_so_and_goes_on_by_itself(shower, look):
    window = shower.show(photos=shower.put_looked_into(*pictures(1)))
    guest = look(window, routes={"**/see/api/**": lambda route: route.abort(), "**/api/hello": lambda route: route.abort()})
    expect(guest.page.locator("#app")).to_contain_text("Safelight is at home, and this device isn’t on its Wi-Fi.")
    guest.context.unroute_all()
    seen(guest, 1)


def test_whose_visit_is_over_comes_in_again_at_the_next_touch(shower, look, lent_host):
    window = shower.show(photos=shower.put_looked_into(*pictures(3)))
    guest = look(window)
    page = guest.page
    seen(guest, 3)
    with page.expect_response("**/see/api/enter") as entered:
        ended = guest.context.request.delete(f"{lent_host.url}/see/api/session", headers={"Sec-Fetch-Site": "same-origin"})
        assert ended.status == 200
        page.mouse.wheel(0, 10)
        guest.cell("1.png").click()
    assert entered.value.status == 201
    expect(page.locator("figure[data-shown]").or_(page.locator(".cell img.is-here")).first).to_be_visible()
    assert shower.windows()[0]["visitors"] == 1


def test_two_windows_in_two_tabs_of_one_browser_show_each_its_own(shower, look, visit, lent_host):
    first_ids, second_ids = shower.put_looked_into(*pictures(1)), shower.put_looked_into(*pictures(2, start=5))
    here = look(shower.show(photos=first_ids))
    seen(here, 1)
    there = look(shower.show("Other", photos=second_ids), context=here.context)
    seen(there, 2)
    here.page.bring_to_front()
    with here.page.expect_response("**/see/api/enter"):
        here.page.keyboard.press("Shift")
    seen(here, 1)
    assert names(here) == ["0.png"]
    here.cell("0.png").click()
    expect(here.page.locator("figure[data-shown] .frame > img[alt='0.png']")).to_be_visible()


PHOTOS = """
- main:
    - heading "Rome, for Grandma" [level=1]
    - button "Slideshow"
    - button "Download all"
    - paragraph: /2 items · Until \\d+ \\w+ \\d+/
    - heading /\\w+ \\d+/ [level=2]
    - grid /\\w+ \\d+/
- contentinfo:
    - combobox "Language"
"""
VIEWER = """
- dialog:
    - button "Back to the photos"
    - heading /1 of 2/ [level=1]
    - button "More"
    - figure:
        - img /\\d.png/
    - button "Download"
    - button "Info"
"""
ASKING = """
- main:
    - heading "Rome, for Grandma" [level=1]
    - paragraph: These photos have a password. Whoever sent you the link knows it.
    - textbox "Password"
    - button "Show"
    - alert
    - button "Show the photos"
"""


def test_what_a_screen_reader_is_told(shower, look):
    ids = shower.put_looked_into(*pictures(2))
    guest = look(shower.show(photos=ids, originals=True, places=True, password=WORD))
    page = guest.page
    expect(page.locator("body")).to_match_aria_snapshot(ASKING)
    page.get_by_label("Password", exact=True).fill(WORD)
    page.keyboard.press("Enter")
    seen(guest, 2)
    expect(page.locator("body")).to_match_aria_snapshot(PHOTOS)
    guest.cells().first.click()
    expect(page.locator("figure[data-shown]")).to_be_visible()
    expect(page.locator("body")).to_match_aria_snapshot(VIEWER)


# ---- screens that show photos by themselves


def test_a_frame_shows_one_after_another_without_an_end_and_keeps_the_screen_on(shower, look):
    guest = look(shower.show(photos=shower.put_looked_into(*pictures(3))), "frame")
    guest._page.add_init_script(f"({NOTE_LOCKS})()")
    guest._page.clock.install()
    page = guest.page
    expect(page.locator("figure[data-shown]")).to_be_visible()
    expect(page.locator(".viewer.is-idle")).to_be_attached()
    assert page.evaluate("window.awake") == 1
    stop_clock(page)
    at = page.locator("#viewer-title")
    for place_of_it in ("2 of 3", "1 of 3", "3 of 3", "2 of 3"):
        run_clock(page, lambda: place_of_it in at.text_content())  # noqa: B023
    # Whoever has put it away finds it again after a while.
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.viewer")).to_have_count(0)
    run_clock(page, lambda: page.locator("dialog.viewer.is-idle").count() == 1)


def test_a_frame_outlives_the_end_of_its_visit_and_a_host_that_is_away(shower, look, lent_host):
    guest = look(shower.show(photos=shower.put_looked_into(*pictures(3)), password=WORD), "frame")
    page = guest.page
    page.get_by_label("Password", exact=True).fill(WORD)
    page.keyboard.press("Enter")
    expect(page.locator("figure[data-shown]")).to_be_visible()
    with page.expect_response(lambda one: one.url.endswith("/see/api/enter") and one.status == 201):
        guest.context.request.delete(f"{lent_host.url}/see/api/session", headers={"Sec-Fetch-Site": "same-origin"})
    before = page.locator("#viewer-title").text_content()
    page.wait_for_function("(before) => document.querySelector('#viewer-title').textContent !== before", arg=before)
    expect(page.locator(".frame .cannot")).to_have_count(0)
    page.route("**/see/api/**", lambda route: route.abort())
    page.route("**/api/hello", lambda route: route.abort())
    expect(page.locator(".offline")).to_be_attached()
    expect(page.locator(".frame > img")).to_have_count(1)
    page.unroute_all()
    now = page.locator("#viewer-title").text_content()
    page.wait_for_function("(before) => document.querySelector('#viewer-title').textContent !== before", arg=now)


def test_a_wall_shows_what_joins_its_album_at_once_with_the_code_of_the_door_in_its_corner(shower, look):
    ids = shower.put_looked_into(*pictures(4))
    door = shower.make_door()
    album = shower.make_album("Party", ids[:3])
    guest = look(shower.show("Party", albumID=album, doorID=door["id"]), "wall")
    page = guest.page
    expect(page.locator("figure[data-shown]")).to_be_visible()
    corner = page.locator(".wall-door")
    expect(corner).to_contain_text("Add your photos")
    until(page, lambda: corner.locator("img").evaluate("image => image.naturalWidth") > 0)
    shower.add_to_album(album, ids[3:])
    expect(page.locator("figure[data-shown] .frame > img[alt='3.png']")).to_be_visible()


# ---- everybody


@pytest.mark.parametrize("language", first(1, LOCALES))
def test_the_page_is_for_everybody(shower, look, counted, language):
    """Small and large windows, light and dark by turns, in `make soak` each in each, with what axe finds."""
    window = shower.show(photos=shower.put_looked_into(*pictures(4)), originals=True, password=WORD)
    guest = look(window, locale=LOCALES[language])
    page = guest.page
    windows, schemes = [(195, 422), (320, 256), (320, 568), *SIZES.values(), (2560, 1440)], ("light", "dark")
    looked_at = counted([SIZES["phone"], SIZES["desktop"]], windows)

    def check():
        for (width, height), scheme in counted(zip(windows, itertools.cycle(schemes)), itertools.product(windows, schemes)):
            resize(page, width, height)
            page.emulate_media(color_scheme=scheme)
            assert overflow(page) <= 0, width
            assert cut_off(page) == [], width
            if (width, height) in looked_at:
                assert problems(page) == [], (width, scheme)

    expect(page.locator("input[type=password]")).to_be_visible()
    check()
    page.locator("input[type=password]").fill(WORD)
    page.keyboard.press("Enter")
    seen(guest, 4)
    check()
    page.locator(".cell").first.click()
    expect(page.locator("figure[data-shown]")).to_be_visible()
    check()


@pytest.mark.parametrize("language", first(1, LOCALES))
def test_the_sheets_of_the_owner_are_for_everybody(keeper, shower, counted, language):
    ids = shower.put_looked_into(*pictures(2))
    shower.make_door()
    album = shower.make_album("Rome", ids)
    shower.show(albumID=album, password=WORD)
    page = settings_in(keeper(locale=LOCALES[language]))
    expect(page.locator(".windows .set-row")).to_have_count(1)
    sizes = [(195, 422), (320, 568), *SIZES.values()]

    def check():
        for (width, height), scheme in zip(sizes, itertools.cycle(("light", "dark"))):
            resize(page, width, height)
            page.emulate_media(color_scheme=scheme)
            assert overflow(page) <= 0, width
            assert cut_off(page) == [], width
        assert problems(page) == []

    check()
    page.locator(".windows .set-ways .link").click()
    page.locator("dialog.sheet summary").click()
    expect(page.locator("dialog.sheet .door-link")).to_have_count(3)
    check()
    page.keyboard.press("Escape")
    page.locator(".windows .round").click()
    page.locator("dialog.sheet .choice button").first.click()
    expect(page.locator("dialog.sheet form")).to_be_visible()
    check()


def settings_in(visitor):
    """The settings, in whatever language."""
    page = visitor.page
    page.goto(f"{visitor.url}/#/settings")
    expect(page.locator(".windows")).to_be_visible()
    return page
