"""The walk past every screen, by what the page is made of and not by its words: it goes in every language."""

import re

from playwright.sync_api import expect
from visitor import PASSWORD, answer

LOCALES = {"en": "en-GB", "zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}
# One that people have made: places stand beside it.
ALBUM = ".album[href^='#/album/']"
SIZES = {"phone": (390, 844), "tablet": (768, 1024), "desktop": (1440, 900)}


def outside(visitor):
    """The screens without a vault. Yields the name of each."""
    page = visitor.page
    yield "door"
    # Not asked of the host, which would soon let nobody try any more.
    answer(page, "**/api/session", 401, "no-such-vault", method="POST")
    page.locator("input[type=password]").fill("not the right one")
    page.keyboard.press("Enter")
    expect(page.locator(".wrong")).to_be_visible()
    page.unroute("**/api/session")
    yield "wrong password"
    page.locator(".door-new .button").click()
    show_all_of_new_vault(page)
    fields = page.locator("input[type=password]")
    fields.nth(0).fill("violet tram seven")
    fields.nth(1).fill("violet tram eight")
    page.locator("button[type=submit]").click()
    expect(page.locator(".wrong")).to_be_visible()
    yield "new vault"
    page.go_back()
    expect(page.locator(".door-else")).to_be_visible()


def inside(visitor):
    """The screens of a vault with photos, from the photos on. Yields the name of each."""
    page = visitor.page
    page.evaluate("scrollTo(0, 0)")
    yield "photos"
    choose_to_select(page)
    for index in range(2):
        page.locator(".cell").nth(index).click()
    yield "selection"
    page.keyboard.press("Escape")
    expect(page.locator(".pick")).to_have_count(0)
    page.locator(".cell").first.click()
    expect(page.locator("dialog.viewer img").first).to_be_visible()
    yield "viewer"
    page.keyboard.press("c")
    expect(page.locator(".crop-frame")).to_be_focused()
    yield "crop"
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(1)
    page.wait_for_function("() => !history.state?.sheet")
    close(page)
    page.goto(f"{visitor.url}/#/deleted")
    expect(page.locator(".empty")).to_be_visible()
    yield "deleted"
    page.goto(f"{visitor.url}/#/albums")
    expect(page.locator(".empty")).to_be_visible()
    yield "albums"
    page.locator(".albums .top .button").click()
    page.locator("dialog.sheet form").evaluate("form => form.requestSubmit()")
    expect(page.locator("dialog .wrong")).to_be_visible()
    yield "new album"
    page.locator("dialog input").fill("Holiday 2024 / Rome")
    page.keyboard.press("Enter")
    # It opens, and says what to do.
    expect(page.locator(".top h1")).to_have_text("Rome")
    expect(page.locator(".empty")).to_be_visible()
    yield "new album, open"
    page.goto(f"{visitor.url}/#/photos")
    choose_to_select(page)
    for index in range(2):
        page.locator(".cell").nth(index).click()
    page.locator(".pick button:has([href='#icon-albums'])").click()
    expect(page.locator("dialog.sheet .is-albums button")).to_be_visible()
    yield "put into an album"
    page.locator("dialog.sheet .is-albums button").click()
    expect(page.locator(".toast")).to_be_visible()
    page.goto(f"{visitor.url}/#/albums")
    expect(page.locator(f"{ALBUM} img.is-here")).to_be_visible()
    yield "albums with one"
    page.locator(ALBUM).click()
    expect(page.locator(".top h1")).to_have_text("Holiday 2024")
    expect(page.locator(f"{ALBUM} img.is-here")).to_be_visible()
    yield "albums within one"
    page.locator(ALBUM).click()
    expect(page.locator(".cell img.is-here")).to_have_count(2)
    yield "album"
    page.locator(".top button:has([href='#icon-more'])").click()
    page.locator("dialog.sheet .choice button").last.click()
    expect(page.locator("dialog .is-danger-main")).to_be_visible()
    yield "delete an album"
    close(page)
    page.goto(f"{visitor.url}/#/places")
    expect(page.locator(".places .album-face img.is-here").first).to_be_visible()
    yield "places"
    page.locator(".places .album").first.click()
    expect(page.locator(".cell img.is-here").first).to_be_visible()
    yield "photos of a place"
    choose_to_select(page)
    page.locator(".cell").first.click()
    page.locator(".pick button:has([href='#icon-more'])").click()
    page.locator("dialog.sheet button:has([href='#icon-pin'])").click()
    page.locator("dialog.sheet [role=combobox]").fill("rom")
    expect(page.locator(".place-options li").first).to_be_visible()
    yield "where it was taken"
    page.locator("dialog.sheet [role=combobox]").fill("")
    expect(page.locator(".place-options li")).to_have_count(0)
    close(page)
    page.keyboard.press("Escape")
    expect(page.locator(".pick")).to_have_count(0)
    page.goto(f"{visitor.url}/#/settings")
    expect(page.locator(".set section")).to_have_count(8)
    # Where it is open, and the ways into it, are asked of the host.
    for part in (5, 6):
        expect(page.locator(".set section").nth(part).locator(".set-row").nth(1)).to_be_visible()
    yield "settings"
    # As on a host where it is installed: pictures must not name the folders of the one that took them.
    page.route("**/api/import", lambda route: route.fulfill(json={"command": "sudo -u safelight safelight import"}))
    page.locator(".set section").nth(1).locator("button.link").first.click()
    page.locator("dialog.sheet summary").click()
    expect(page.locator("dialog.sheet .moving")).to_be_visible()
    yield "move in"
    close(page)
    page.locator(".set section").nth(4).locator("button.link").first.click()
    expect(page.locator("dialog.sheet form")).to_be_visible()
    yield "change the password"
    close(page)
    page.locator(".set section").nth(4).locator("> .set-row button.link").last.click()
    expect(page.locator("dialog.sheet p").nth(3)).to_be_visible()
    yield "a vault to show"
    close(page)
    page.locator(".doors button").first.click()
    expect(page.locator("dialog.sheet form")).to_be_visible()
    yield "new door"
    close(page)
    page.goto(f"{visitor.url}/#/search")
    page.locator("input[type=search]").fill("photos 2020..2030")
    page.keyboard.press("Enter")
    expect(page.locator(".chips[data-key] li").first).to_be_visible()
    yield "search"
    page.goto(f"{visitor.url}/#/duplicates")
    expect(page.locator(".alike h1")).to_be_visible()
    expect(page.locator(".alike .empty, .alike .twin").first).to_be_visible()
    yield "near duplicates"
    page.goto(f"{visitor.url}/#/photos")
    expect(page.locator(".cell").first).to_be_visible()
    page.locator(".n-add:visible, .only-desktop:visible").first.click()
    expect(page.locator("dialog.sheet .choice")).to_be_visible()
    yield "add"
    close(page)


def as_guest(visitor, photos):
    """What only a guest sees, from the door on. Yields the name of each."""
    page = visitor.page
    page.locator(".door-else .link").click()
    expect(page.locator(".empty")).to_be_visible()
    yield "nothing yet"
    visitor.choose(*photos)
    expect(page.locator(".cell img.is-here")).to_have_count(len(photos), timeout=60_000)
    yield "guest"
    # In the lowest window the bar of the upload lies over it until one scrolls.
    page.locator(".bar-line .link").evaluate("link => link.click()")
    expect(page.locator("dialog form")).to_be_visible()
    yield "unlock"
    page.locator("dialog form").evaluate("form => form.requestSubmit()")
    expect(page.locator("dialog .wrong")).to_be_visible()
    yield "unlock refused"
    page.locator("dialog .ends .button").first.click()
    show_all_of_new_vault(page)
    yield "new vault in place"
    close(page)
    page.goto(f"{visitor.url}/#/settings")
    expect(page.locator(".set")).to_be_visible()
    yield "guest's settings"


def open_vault(visitor, password=PASSWORD):
    """Opens a vault with photos, and waits until they are seen."""
    visitor.page.locator("input[type=password]").fill(password)
    visitor.page.keyboard.press("Enter")
    expect(visitor.page.locator(".cell img.is-here").first).to_be_visible(timeout=60_000)
    return visitor


def show_all_of_new_vault(page):
    """Without a recovery code the form asks for one thing more."""
    page.locator("form input[type=checkbox]:not([required])").last.uncheck()
    expect(page.locator("form input[required][type=checkbox]")).to_be_visible()


def choose_to_select(page):
    page.locator(".top button.link").first.click()
    expect(page.locator(".pick")).to_be_visible()


def close(page):
    page.keyboard.press("Escape")
    expect(page.locator("dialog")).to_have_count(0)
    # The place that it took in the history is left a moment later.
    page.wait_for_function("() => !history.state?.viewer && !history.state?.sheet")


def lines_of(element, text):
    """How `text` is broken into lines where it stands in place of what `element` says."""
    return element.evaluate(
        """(one, text) => {
            one.textContent = text;
            const range = document.createRange(), lines = {};
            for (let at = 0; at < text.length; at += 1) {
                range.setStart(one.firstChild, at);
                range.setEnd(one.firstChild, at + 1);
                const line = Math.round(range.getBoundingClientRect().top);
                lines[line] = (lines[line] ?? "") + text[at];
            }
            return Object.values(lines);
        }""",
        text,
    )


def longer(source, share=0.35):
    """A language file whose every text is `share` longer, as some languages are; placeholders stay."""

    def stretch(match):
        text = match[1]
        more = int(len(re.sub(r"\{\w+\}", "", text)) * share)
        return f'"{text}{(" " + "wider words " * 9)[:more]}"' if more else match[0]

    # What stands behind a colon is a text, what stands before it a key.
    return re.sub(r'(?<=: )"((?:[^"\\]|\\.)*)"', stretch, source)
