"""Looks and reach: languages, themes, narrow windows, axe, and what is stored in the browser."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from visitor import PASSWORD, Visitor

LANGUAGES = {"en": "New vault", "zh-Hans": "新建保险库", "zh-Hant": "新增保險庫"}
LOCALES = {"en": "en-GB", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}
RULES = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]}}


def fill(visit, photos, language="en", **options):
    """A vault with photos, looked at in a language and a theme."""
    visit().create().add(*[path for path in photos if "/gps/" in str(path)])
    visitor = visit(locale=LOCALES[language], **options)
    visitor.page.locator("input[type=password]").fill(PASSWORD)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(4)
    return visitor


def screens(visitor):
    """Goes to each screen inside a vault; yields its name."""
    page = visitor.page
    yield "photos"
    page.locator(".link").get_by_text("", exact=False).first.click()
    page.locator("button.cell").first.click()
    yield "selection"
    page.keyboard.press("Escape")
    page.locator(".top .round").first.click()
    page.locator("button.cell").first.click()
    expect(page.locator("dialog.viewer img")).to_be_visible()
    yield "viewer"
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.goto(f"{visitor.url}/#/deleted")
    expect(page.locator(".empty")).to_be_visible()
    yield "deleted"
    page.goto(f"{visitor.url}/#/settings")
    expect(page.locator(".set")).to_be_visible()
    yield "settings"
    page.locator(".set button.link").nth(1).click()
    expect(page.locator("dialog.sheet form")).to_be_visible()
    yield "dialog"
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)


def overflow(page):
    return page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")


def problems(page):
    found = Axe().run(page, options=RULES).response["violations"]
    return [(rule["id"], [node["html"][:160] for node in rule["nodes"]]) for rule in found]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_browser_s_language_is_used_and_no_key_is_left_raw(visit, language):
    visitor = visit(locale=LOCALES[language])
    assert visitor.page.locator("html").get_attribute("lang") == language
    expect(visitor.page.get_by_role("button", name=LANGUAGES[language])).to_be_visible()


def test_a_chosen_language_is_kept_and_changes_the_page_at_once(visitor):
    visitor.page.get_by_role("combobox").select_option("zh-Hant")
    expect(visitor.page.get_by_role("button", name=LANGUAGES["zh-Hant"])).to_be_visible()
    visitor.page.reload()
    expect(visitor.page.get_by_role("button", name=LANGUAGES["zh-Hant"])).to_be_visible()


def test_a_chosen_theme_is_kept(visitor):
    visitor.create().page.get_by_role("link", name="Settings").click()
    visitor.page.get_by_text("Dark", exact=True).click()
    colour = "getComputedStyle(document.documentElement).backgroundColor"
    assert visitor.page.evaluate(colour) == "rgb(18, 16, 14)"
    visitor.page.reload()
    expect(visitor.page.get_by_role("heading", level=1)).to_be_visible()
    assert visitor.page.evaluate(colour) == "rgb(18, 16, 14)"


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_wider_than_a_window_of_320_pixels(visit, photos, language):
    narrow = {"viewport": {"width": 320, "height": 568}}
    door = visit(locale=LOCALES[language], **narrow)
    assert overflow(door.page) <= 0
    door.page.locator(".door-else .button").click()
    expect(door.page.locator("input[required][type=checkbox]")).to_be_visible()
    assert overflow(door.page) <= 0
    visitor = fill(visit, photos, language, **narrow)
    for name in screens(visitor):
        assert overflow(visitor.page) <= 0, name


def guest_screens(visitor, photos):
    """Goes to what only a guest sees; yields its name."""
    page = visitor.page
    page.locator(".door-else .link").click()
    expect(page.locator(".empty")).to_be_visible()
    yield "empty"
    visitor.choose(*[path for path in photos if "/gps/" in str(path)])
    expect(page.locator(".cell img.is-here")).to_have_count(4)
    yield "photos"
    # In the lowest window the bar of the upload lies over it until one scrolls.
    page.locator(".bar-line .link").evaluate("link => link.click()")
    expect(page.locator("dialog form")).to_be_visible()
    yield "dialog"
    page.locator("dialog form").evaluate("form => form.requestSubmit()")
    expect(page.locator("dialog .wrong")).to_be_visible()
    yield "wrong"
    page.locator("dialog .ends .button").first.click()
    expect(page.locator("dialog input[required][type=checkbox]")).to_be_visible()
    yield "create"
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    page.goto(f"{visitor.url}/#/settings")
    expect(page.locator(".set")).to_be_visible()
    yield "settings"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("viewport", [{"width": 320, "height": 568}, {"width": 667, "height": 190}], ids=["narrow", "lying"])
def test_what_a_guest_sees_fits_a_small_window(visit, photos, language, viewport):
    visitor = visit(locale=LOCALES[language], viewport=viewport)
    for name in guest_screens(visitor, photos):
        assert overflow(visitor.page) <= 0, name
        for sheet in visitor.page.locator("dialog").all():
            assert sheet.evaluate("sheet => sheet.scrollWidth - sheet.clientWidth") <= 0, name
            main = visitor.page.locator("dialog .is-main")
            main.scroll_into_view_if_needed()
            expect(main).to_be_in_viewport(ratio=1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_to_mend_of_what_a_guest_sees(visit, photos, scheme):
    visitor = visit(color_scheme=scheme, reduced_motion="reduce")
    for name in guest_screens(visitor, photos):
        assert problems(visitor.page) == [], name


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_axe_finds_nothing_to_mend(visit, photos, scheme, width):
    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "reduced_motion": "reduce"}
    door = visit(**options)
    assert problems(door.page) == []
    door.begin_vault("short", "other")
    door.page.get_by_role("button", name="Create vault").click()
    assert problems(door.page) == []
    visitor = fill(visit, photos, **options)
    for name in screens(visitor):
        assert problems(visitor.page) == [], name


def test_the_browser_stores_choices_only(visitor, photos):
    visitor.create().add(photos[0])
    visitor.page.get_by_role("button", name="Show as a list").click()
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
    said = visitor.page.evaluate("window.said")
    assert said[0] == "Upload started, 60 files"
    assert said[-1] == "60 saved"
    assert len(said) <= 8


def test_the_visitor_notices_a_script_error(chromium, daemon):
    """The check that guards every other test."""
    context = chromium.new_context(locale="en-GB")
    visitor = Visitor(context, daemon.url)
    visitor.page.evaluate("setTimeout(() => { throw new Error('on purpose'); })")
    visitor.page.wait_for_timeout(100)
    assert "on purpose" in visitor.faults()[0]
    context.close()
