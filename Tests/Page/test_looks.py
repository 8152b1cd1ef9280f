"""Looks and reach: languages, themes, narrow windows, axe, and what is stored in the browser.

`make test` walks past every screen twice, on a phone in English by day and on a desktop in Chinese by night, and looks at it
in small windows on the way; `make nightly` goes the whole way in each window."""

import base64
import itertools
import json
import re
from pathlib import Path

import pytest
from accessibility import problems
from browsers import CHROMIUM, PHONE
from cases import in_nightly
from playwright.sync_api import expect
from screens import ALBUM, LOCALES, SIZES, as_guest, close, inside, lines_of, longer, open_vault, outside
from visitor import PASSWORD, SAME_ORIGIN, Visitor, resize, until

LANGUAGES = {"en": "Create a vault", "zh-Hans": "新建保险库", "zh-Hant": "新增保險庫"}
WORDS = Path(__file__).resolve().parents[2] / "www" / "i18n"
ALL_LOOKS = list(itertools.product(SIZES, ("light", "dark"), LOCALES))
# What `make test` looks at; `make nightly` looks at all of them.
FEW_LOOKS = [("phone", "light", "en"), ("desktop", "dark", "zh-Hans")]
# A narrow phone; WCAG 1.4.4: with letters twice as large, 390 by 844 pixels are what 195 by 422 are without; WCAG 1.4.10:
# 1280 by 1024 pixels at 400 % are 320 by 256.
SMALL = [(320, 568), (195, 422), (320, 256)]
IN_SIZES = pytest.mark.nightly("sizes")


@pytest.fixture
def few(photos):
    return [path for path in photos if "/gps/" in str(path)]


def whole_walk(visit, few, **options):
    """Every screen: the door, a vault with photos, and a space without a password. Yields the visitor and a name."""
    keeper = visit(**options)
    yield from ((keeper, name) for name in outside(keeper))
    keeper.context.request.post(
        f"{keeper.url}/api/vaults", data={"password": PASSWORD, "confirmation": PASSWORD}, headers=SAME_ORIGIN
    )
    for path in few:
        keeper.context.request.put(f"{keeper.url}/api/photos/{path.name}", data=path.read_bytes(), headers=SAME_ORIGIN)
    keeper.page.reload()
    expect(keeper.page.locator(".cell img.is-here").first).to_be_visible(timeout=60_000)
    yield from ((keeper, name) for name in inside(keeper))
    guest = visit(**options)
    yield from ((guest, name) for name in as_guest(guest, few))


def with_photos(visit, few, **options):
    """A vault with photos, open."""
    visitor = visit(**options).create().put(*few)
    expect(visitor.page.locator(".cell img.is-here").first).to_be_visible(timeout=60_000)
    return visitor


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def cut_off(page):
    """Buttons, labels and titles whose words do not fit into them, or that stand beyond an edge of the window: a dialog
    is as wide as that, whatever is in it. The viewer's title is a word of two lines."""
    return page.evaluate("""() => {
        const all = [...document.querySelectorAll("button, a, label, h1, h2, h3, legend, .viewer-top h1 > span:first-child, .month-head .small, .album-name")]
            .filter((one) => one.checkVisibility() && one.clientWidth > 1 && !one.closest(".unseen, .cell, .file-name"));
        const isBeyond = ({ left, right }) => left < -1 || right > innerWidth + 1;
        return all.filter((one) => one.scrollWidth > one.clientWidth + 1 || isBeyond(one.getBoundingClientRect()))
            .map((one) => one.textContent || one.getAttribute("aria-label"));
    }""")


def test_the_browser_s_language_is_used_and_on_a_phone_that_lies_every_way_in_is_in_sight(visit):
    for language, words in LANGUAGES.items():
        page = visit(locale=LOCALES[language], viewport={"width": 844, "height": 390}).page
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.get_by_role("button", name=words)).to_be_visible()
        for way in (".open-form .button", ".door-new .button", ".door-else .link"):
            expect(page.locator(way)).to_be_in_viewport(ratio=1)


def test_a_chosen_language_is_kept_and_changes_the_page_at_once(visitor):
    visitor.page.get_by_role("combobox").select_option("zh-Hant")
    expect(visitor.page.get_by_role("button", name=LANGUAGES["zh-Hant"])).to_be_visible()
    visitor.page.reload()
    expect(visitor.page.get_by_role("button", name=LANGUAGES["zh-Hant"])).to_be_visible()


def test_a_chosen_theme_is_kept(visitor):
    visitor.create().page.get_by_role("link", name="Settings").click()
    visitor.page.get_by_text("Dark", exact=True).click()
    expect(visitor.page.locator("html")).to_have_css("background-color", "rgb(18, 16, 14)")
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    expect(visitor.page.locator("html")).to_have_css("background-color", "rgb(18, 16, 14)")
    frame = "[...document.querySelectorAll('meta[name=theme-color]')].filter((one) => matchMedia(one.media).matches)"
    assert visitor.page.evaluate(f"{frame}.map((one) => one.content)") == ["#12100E"]


def spaced_sentences(page):
    """Chinese leaves no space after the end of a sentence."""
    return re.findall(r".*[。？！；] +\S.*", page.locator("body").inner_text())


# English is met below, a third longer than it is; the other Chinese is as long.
@IN_SIZES
@pytest.mark.parametrize("language", ["zh-Hans", "zh-Hant"])
def test_nothing_is_wider_than_a_window_of_320_pixels_or_spaced_like_english(visit, few, language):
    for visitor, name in whole_walk(visit, few, locale=LOCALES[language], viewport={"width": 320, "height": 568}):
        assert overflow(visitor.page) <= 0, name
        assert cut_off(visitor.page) == [], name
        assert spaced_sentences(visitor.page) == [], name


@IN_SIZES
def test_words_that_are_a_third_longer_fit_a_window_of_320_pixels(visit, few):
    """As in many languages to come."""

    def stretched(name):
        words = longer((WORDS / name).read_text())
        return lambda route: route.fulfill(content_type="text/javascript", body=words)

    routes = {f"**/i18n/{name}": stretched(name) for name in ("en.js", "inside/en.js", "photos/en.js")}
    for visitor, name in whole_walk(visit, few, routes=routes, viewport={"width": 320, "height": 568}):
        assert overflow(visitor.page) <= 0, name
        assert cut_off(visitor.page) == [], name


@IN_SIZES
def test_letters_twice_as_large_leave_room_on_a_phone(visit, few):
    """WCAG 1.4.4: with them, 390 by 844 pixels are what 195 by 422 are without."""
    found = []
    for visitor, name in whole_walk(visit, few, viewport={"width": 195, "height": 422}):
        found += [(name, what) for what in (overflow(visitor.page), *cut_off(visitor.page)) if what]
        for tick in visitor.page.locator(".month-head .tick-all .mark:visible").all():
            assert tick.evaluate("one => one.getBoundingClientRect().top >= one.closest('.month-head').getBoundingClientRect().top"), name
        # No sign that stood between two things is left at the end of a line.
        found += [(name, "·") for foot in visitor.page.locator(".wall-foot:visible").all() if "·" in foot.inner_text()]
        # Titles keep away from the edges of the window.
        for title in visitor.page.locator(".top h1:visible, .month-head h2:visible").all():
            box = title.bounding_box()
            if box["y"] >= 0 and visitor.page.evaluate("scrollY") == 0:
                found += [(name, box)] if box["y"] < 6 or box["x"] + box["width"] > 195 - 8 else []
    assert found == []


def guest_screens(visitor, few):
    for name in as_guest(visitor, few):
        page = visitor.page
        assert overflow(page) <= 0, name
        for sheet in page.locator("dialog").all():
            assert sheet.evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0, name
            main = page.locator("dialog .is-main")
            main.scroll_into_view_if_needed()
            expect(main).to_be_in_viewport(ratio=1)


def test_what_a_guest_sees_fits_a_phone_that_lies_with_its_keyboard_open(visit, few):
    guest_screens(visit(viewport={"width": 667, "height": 190}), few)


@IN_SIZES
def test_at_400_percent_everything_can_be_reached(visit, few):
    """WCAG 1.4.10: 1280 by 1024 pixels at 400 % are 320 by 256."""
    guest_screens(visit(viewport={"width": 320, "height": 256}), few)


@IN_SIZES
@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_at_400_percent_no_title_is_cut_or_under_a_button(visit, few, language):
    found = []
    for visitor, name in whole_walk(visit, few, locale=LOCALES[language], viewport={"width": 320, "height": 256}):
        found += [(name, what) for what in (overflow(visitor.page), *cut_off(visitor.page)) if what]
        # A number and its word are one line.
        if name == "selection":
            visitor.page.locator(".picked-bytes").evaluate("one => { one.textContent = ' · 49 kB'; }")
            found += [(name, "two lines")] if visitor.page.locator(".picked").bounding_box()["height"] > 30 else []
    assert found == []


@IN_SIZES
def test_at_400_percent_a_mouse_opens_a_photo_and_a_password_has_room(visit, few):
    visitor = with_photos(visit, few)
    page = visitor.page
    visitor.lock()
    resize(page, 320, 200)
    assert page.get_by_label("Password", exact=True).bounding_box()["width"] > 150
    open_vault(visitor)
    cell = page.locator(".cell").first
    cell.scroll_into_view_if_needed()
    cell.hover()
    cell.click()
    expect(page.locator("dialog.viewer")).to_be_visible()
    # The date in two lines, what it is of how many in a third.
    assert page.locator(".viewer-top h1").bounding_box()["height"] <= 56
    close(page)
    visitor.context.request.post(f"{visitor.url}/api/albums", data={"name": "Holiday"}, headers=SAME_ORIGIN)
    page.goto(f"{visitor.url}/#/albums")
    page.locator(ALBUM).click()
    expect(page.locator(".top h1")).to_have_text("Holiday")
    assert page.locator(".top h1").evaluate("one => one.scrollWidth <= one.clientWidth && one.clientWidth > 80")


@IN_SIZES
@pytest.mark.parametrize(("width", "height", "least"), [(320, 256, 320), (568, 320, 320), (195, 422, 195)])
def test_in_small_windows_details_and_settings_have_room(visit, few, width, height, least):
    """A zoom of 400 %, a small phone that lies, and letters twice as large."""
    page = with_photos(visit, few[:1], viewport={"width": width, "height": height}).page
    page.locator(".cell").first.click()
    page.locator(".viewer-bar button:has([href='#icon-info'])").click()
    details = page.locator(".viewer-info")
    expect(details.locator("dd").first).to_be_visible()
    box = details.bounding_box()
    assert round(box["width"]) >= least and box["y"] + box["height"] >= height - 1
    # Nothing below lies beside them, and no part of the photo under them.
    assert height > width or box["height"] >= height - 1
    stage = page.locator(".viewer-stage").bounding_box()
    assert height < width or stage["y"] + stage["height"] <= box["y"] + 1
    # No word is broken to leave room for a button.
    date, change = (details.locator(f".has-button {part}").first.bounding_box() for part in ("span", "button"))
    assert date["width"] > 110 or change["y"] >= date["y"] + date["height"]
    close(page)
    page.goto(f"{page.url.partition('#')[0]}#/settings")
    expect(page.locator(".set section").nth(5).locator(".set-row").nth(1)).to_be_visible()
    for words in page.locator(".set-row > div:first-child > p:visible").all():
        assert words.bounding_box()["width"] > 140 or len(words.inner_text()) < 25, words.inner_text()


@pytest.fixture
def large_letters(playwright, tmp_path):
    """A browser whose owner has set its letters twice as large."""
    folder = tmp_path / "profile" / "Default"
    folder.mkdir(parents=True)
    (folder / "Preferences").write_text(json.dumps({"webkit": {"webprefs": {"default_font_size": 32}}}))
    context = playwright.chromium.launch_persistent_context(folder.parent, **CHROMIUM, viewport=PHONE, locale="en-GB")
    yield context
    context.close()


@IN_SIZES
def test_with_letters_twice_as_large_the_names_of_places_are_larger_too(visit, few, large_letters):
    sizes = "() => ['.nav .n', '.top h1', '.month-head h2', '.top .link'].map((one) => parseFloat(getComputedStyle(document.querySelector(one)).fontSize))"
    before = with_photos(visit, few).page.evaluate(sizes)
    page = open_vault(visit(context=large_letters)).page
    nav, title, month, action = page.evaluate(sizes)
    assert nav >= 1.4 * before[0]
    assert title >= action and month >= action
    assert overflow(page) <= 0
    page.locator(".cell").first.click()
    expect(page.locator("dialog.viewer img").first).to_be_visible()
    assert cut_off(page) == []
    close(page)
    page.goto(f"{page.url.partition('#')[0]}#/deleted")
    expect(page.get_by_role("heading", name="Recently deleted", level=1)).to_be_visible()
    assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('.top h1')).fontSize)") >= action


@IN_SIZES
def test_what_stands_at_the_edges_of_a_lying_phone_and_of_a_narrow_one_is_whole(visit, few):
    visitor = with_photos(visit, few)
    page = visitor.page
    # With something in it, its title stands beside all that can be done.
    host = visitor.context.request
    first = host.get(f"{visitor.url}/api/photos").json()["photos"][0]["id"]
    host.post(f"{visitor.url}/api/photos/delete", data={"ids": [first]}, headers=SAME_ORIGIN)
    page.reload()
    expect(page.locator(".cell img.is-here")).to_have_count(len(few) - 1)
    for width, height in ((844, 390), (320, 640), (390, 844)):
        resize(page, width, height)
        page.locator(".cell").first.click()
        expect(page.locator("dialog.viewer img").first).to_be_visible()
        for part in page.locator(".viewer-top h1 span:visible, .viewer-bar button span:visible").all():
            box = part.bounding_box()
            assert box["x"] >= 4 and box["y"] >= 0 and box["x"] + box["width"] <= width - 4, (width, box)
        # When it was taken is read to the minute.
        assert page.locator(".viewer-top h1 span").first.evaluate("one => one.scrollWidth - one.clientWidth") <= 0, width
        close(page)
        visitor.to_deleted()
        expect(page.locator(".top .is-danger")).to_be_visible()
        assert page.locator(".top h1").bounding_box()["height"] < 40, width
        page.get_by_role("link", name="Photos", exact=True).click()
        expect(page.get_by_role("heading", name="Photos", level=1)).to_be_visible()


@IN_SIZES
def test_a_date_in_chinese_ends_a_line_between_its_parts_only(visit, few):
    with_photos(visit, few[:1])
    page = open_vault(visit(locale=LOCALES["zh-Hant"], viewport={"width": 390, "height": 844})).page
    page.locator(".cell").first.click()
    title = page.locator(".viewer-top h1 span").first
    expect(title).to_be_visible()
    # As long as it is for a photo that does not say when it was taken.
    lines = lines_of(title, "加入於 2026年11月28日 凌晨12:37")
    assert any("2026年11月28日" in line for line in lines), lines


def too_small(page):
    """What a finger cannot hit: WCAG 2.5.8 asks for 24 pixels; main buttons have 44."""
    return page.evaluate("""() => [...document.querySelectorAll("button, a[href], select, input")]
        .filter((one) => one.checkVisibility({ visibilityProperty: true }) && one.getClientRects().length)
        .filter((one) => !one.closest("p, [inert]") && one.type !== "file")
        .filter((one) => { const box = one.getBoundingClientRect();
            const least = one.matches(".is-main, .n-add") ? 44 : 24;
            return Math.min(box.width, box.height) < least; }).map((one) => one.outerHTML.slice(0, 120))""")


def moving(page):
    return page.evaluate("document.getAnimations().filter((one) => one.effect.getComputedTiming().endTime > 0).length")


def wrong_in_small_windows(page):
    """What does not fit one of them, with the window's width and height."""
    was, found = page.viewport_size, []
    for width, height in SMALL:
        resize(page, width, height)
        found += [(width, height, what) for what in (overflow(page), *cut_off(page)) if what]
    resize(page, **was)
    return found


@pytest.mark.parametrize("look", [look if look in FEW_LOOKS else in_nightly("sizes", pytest.param(look, id="-".join(look)))
                                  for look in ALL_LOOKS], ids="-".join)  # fmt: skip
def test_every_screen_is_quiet_and_fits_and_axe_finds_nothing_to_mend(visit, few, look):
    """For who asked for no motion nothing moves, not even while it comes: each screen is looked at as soon as it is there."""
    size, scheme, language = look
    width, height = SIZES[size]
    options = {"viewport": {"width": width, "height": height}, "color_scheme": scheme, "locale": LOCALES[language]}
    seen, found = [], []
    for visitor, name in whole_walk(visit, few, **options, reduced_motion="reduce"):
        page = visitor.page
        seen.append(name)
        found += [(name, "moves")] if moving(page) else []
        found += [(name, *problem) for problem in problems(page)]
        found += [(name, "too small", *too_small(page))] if size == "phone" and too_small(page) else []
        found += [(name, line) for line in spaced_sentences(page)] if language != "en" else []
        found += [(name, *wrong) for wrong in wrong_in_small_windows(page)]
    assert found == []
    assert len(seen) >= 12


def test_with_colours_that_the_system_forces_states_are_still_told_apart(visit, few):
    visitor = visit(forced_colors="active")
    page = visitor.page
    assert page.locator(".button.is-main").first.evaluate("one => getComputedStyle(one).borderTopWidth") == "2px"
    page.locator("input[type=password]").first.focus()
    box = page.locator(".box", has=page.locator("input[type=password]")).first
    assert box.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    visitor.create()
    page.get_by_role("link", name="Settings").click()
    chosen = page.locator(".segments label:has(input:checked)").first
    assert chosen.evaluate("one => getComputedStyle(one).outlineStyle") == "solid"


def test_by_keyboard_alone_somebody_opens_selects_and_deletes(visit, few):
    visit().create().put(*few)
    page = visit().page
    keys = page.keyboard
    tab_to(page, page.get_by_label("Password", exact=True))
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(page.locator("h1")).to_be_focused()
    expect(page.locator(".cell img.is-here")).to_have_count(len(few), timeout=60_000)
    expect(page.locator("h1")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="Select", exact=True))
    keys.press("Enter")
    expect(page.locator(".pick")).to_be_visible()
    tab_to(page, page.get_by_role("button", name="Select all"))
    keys.press("Enter")
    # What is fetched to be picked may take a moment; until then there is nothing there to stop at.
    expect(page.locator(".pick .is-danger")).to_be_enabled()
    tab_to(page, page.locator(".pick .is-danger"))
    keys.press("Enter")
    expect(page.get_by_role("dialog").get_by_role("button", name="Cancel")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(page.locator(".cell")).to_have_count(0)


PIXEL = """async ([picture, x, y]) => {
    const bytes = Uint8Array.from(atob(picture), (sign) => sign.charCodeAt(0));
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context.drawImage(await createImageBitmap(new Blob([bytes], { type: "image/png" })), -x, -y);
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def test_the_focus_is_seen_on_a_photo(visitor, few):
    """The photo lies over the outline of its place."""
    visitor.create().put(few[0])
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(1, timeout=60_000)
    visitor.cells().first.focus()
    visitor.page.keyboard.press("Home")

    def outline():
        picture = base64.b64encode(visitor.cells().first.screenshot()).decode()
        return visitor.page.evaluate(PIXEL, [picture, 1, 40])

    until(visitor.page, lambda: outline() == [164, 61, 4])


def tab_to(page, wanted, most=40):
    """Goes on by the Tab key until `wanted` has the focus, which can be seen at every stop."""
    for _ in range(most):
        page.keyboard.press("Tab")
        focused = page.evaluate("""() => { const one = document.activeElement;
            return [one, one.closest(".box"), one.parentElement].filter(Boolean)
                .some((seen) => getComputedStyle(seen).outlineStyle !== "none"); }""")
        assert focused, page.evaluate("document.activeElement.outerHTML.slice(0, 120)")
        if wanted.evaluate("one => one === document.activeElement"):
            return
    raise AssertionError("not reached")


def test_the_browser_stores_choices_only(visitor, photos):
    visitor.create().add(photos[0])
    visitor.page.get_by_role("button", name="Show as a list").click()
    expect(visitor.page.get_by_role("button", name="Show as a list")).to_have_count(0)
    stored = visitor.page.evaluate("({...localStorage, ...sessionStorage})")
    assert stored == {"safelight.view": "list", "safelight.opened": "yes"}
    assert visitor.page.evaluate("indexedDB.databases().then((found) => found.length)") == 0


def test_the_live_region_speaks_sparsely(visitor):
    visitor.page.evaluate(
        """() => {
            window.said = [];
            new MutationObserver(() => {
                const text = document.getElementById("live").textContent;
                if (text) window.said.push(text);
            }).observe(document.getElementById("live"), { childList: true, characterData: true, subtree: true });
        }"""
    )
    visitor.create()
    visitor.add(*[{"name": f"{index}.jpg", "mimeType": "image/jpeg", "buffer": f"{index}".encode()} for index in range(60)])
    # It is said a frame after it is seen.
    visitor.page.wait_for_function("() => window.said.at(-1) === '60 saved'")
    said = visitor.page.evaluate("window.said")
    assert said[0] == "Upload started, 60 files"
    assert len(said) <= 8


def test_the_visitor_notices_a_script_error(chromium, lent_host):
    """The check that guards every other test."""
    context = chromium.new_context(locale="en-GB")
    visitor = Visitor(context, lent_host.url)
    visitor.page.evaluate("setTimeout(() => { throw new Error('on purpose'); })")
    until(visitor.page, lambda: visitor.errors)
    assert "on purpose" in visitor.faults()[0]
    context.close()
