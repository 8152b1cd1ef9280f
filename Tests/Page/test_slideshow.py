"""One photo after another by itself: begun by a key or from a selection, ended by Escape."""

import re

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from seeding import picture, video
from visitor import SAME_ORIGIN, file, hold_toast, run_clock, stop_clock, until

COUNT_FADES = """() => {
    window.fades = 0;
    const { animate } = Element.prototype;
    Element.prototype.animate = function (frames, ...others) {
        if (this.classList.contains("frame") && frames[0]?.opacity === 0) window.fades += 1;
        return animate.call(this, frames, ...others);
    };
}"""
NOTE_LOCKS = """() => {
    window.awake = 0;
    const request = async () => {
        window.awake += 1;
        return Object.assign(new EventTarget(), { release: async () => { window.awake -= 1; } });
    };
    Object.defineProperty(navigator, "wakeLock", { configurable: true, value: { request } });
}"""


@pytest.fixture
def three(visit):
    """three(**context options) → a vault with three photos and the viewer on the first; time goes by as it is told."""

    def make(**options):
        visitor = visit(**options).create()
        visitor.put(*(file(f"{number}.png", picture(number), "image/png") for number in range(3)))
        visitor.install_clock()
        expect(visitor.page.locator(".cell img.is-here")).to_have_count(3)
        open_first(visitor)
        return visitor

    return make


def open_first(visitor):
    visitor.cells().first.click()
    expect(visitor.page.locator("figure[data-shown]")).to_be_visible()


def at(visitor):
    return re.search(r"\d of \d", visitor.dialog().get_by_role("heading", level=1).text_content())[0]


def is_shown(visitor, place):
    return lambda: at(visitor) == place and visitor.page.locator("figure[data-shown]").count() == 1


def ending(visitor):
    return visitor.page.get_by_role("button", name="End slideshow")


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_space_shows_one_after_another_and_after_the_last_the_first_until_escape(request, three, engine):
    visitor = three(browser=request.getfixturevalue(engine))
    page = visitor.page
    expect(ending(visitor)).to_be_hidden()
    stop_clock(page)
    page.keyboard.press(" ")
    expect(page.locator(".viewer.is-idle")).to_be_attached()
    for place in ("2 of 3", "3 of 3", "1 of 3"):
        run_clock(page, is_shown(visitor, place))
    # Who goes on alone gives what follows its whole time: of that which is shown now, nobody knows how much has gone.
    for place in ("2 of 3", "3 of 3"):
        page.keyboard.press("ArrowRight")
        until(page, is_shown(visitor, place))
        page.clock.run_for(4000)
        assert at(visitor) == place
    run_clock(page, is_shown(visitor, "1 of 3"))
    page.keyboard.press("Escape")
    expect(ending(visitor)).to_be_hidden()
    page.clock.run_for(60_000)
    assert at(visitor) == "1 of 3"
    page.clock.resume()
    visitor.close_viewer()


@pytest.mark.parametrize("engine", CHROMIUM_FIRST)
def test_back_ends_the_slideshow_first_and_the_viewer_then_and_the_screen_stays_awake_until_that(request, three, engine):
    visitor = three(browser=request.getfixturevalue(engine))
    page = visitor.page
    page.evaluate(NOTE_LOCKS)

    def awake(count):
        page.wait_for_function("(count) => window.awake === count", arg=count)

    page.keyboard.press("s")
    expect(page.locator(".viewer.is-idle")).to_be_attached()
    page.wait_for_function("() => 'show' in (history.state ?? {})")
    awake(1)
    page.go_back()
    expect(ending(visitor)).to_be_hidden()
    expect(page.locator("dialog.viewer")).to_be_visible()
    awake(0)
    # One that is ended by hand leaves no step behind it.
    page.keyboard.press("s")
    page.wait_for_function("() => 'show' in (history.state ?? {})")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !('show' in (history.state ?? {}))")
    page.go_back()
    expect(page.locator("dialog.viewer")).to_have_count(0)
    # Nor does a viewer that is closed in the midst of it.
    visitor.cells().first.click()
    page.get_by_role("button", name="More").click()
    page.get_by_role("dialog", name="More").get_by_role("button", name="Slideshow").click()
    page.wait_for_function("() => 'show' in (history.state ?? {})")
    awake(1)
    page.get_by_role("button", name="Back to the photos").press("Enter")
    expect(page.locator("dialog.viewer")).to_have_count(0)
    page.wait_for_function("() => !('show' in (history.state ?? {})) && !('viewer' in (history.state ?? {}))")
    awake(0)


def test_one_fades_into_the_next_where_motion_is_wanted(three):
    visitor = three()
    page = visitor.page
    page.evaluate(COUNT_FADES)
    page.keyboard.press("ArrowRight")
    until(page, is_shown(visitor, "2 of 3"))
    # A step by hand is quick.
    assert page.evaluate("window.fades") == 0
    stop_clock(page)
    page.keyboard.press(" ")
    run_clock(page, is_shown(visitor, "3 of 3"))
    assert page.evaluate("window.fades") == 1
    page.emulate_media(reduced_motion="reduce")
    run_clock(page, is_shown(visitor, "1 of 3"))
    assert page.evaluate("window.fades") == 1


def test_a_video_is_shown_to_its_end(visit):
    visitor = visit().create()
    visitor.put(file("1.png", picture(1), "image/png"), file("2.webm", video(2), "video/webm"))
    page = visitor.page
    visitor.cell("2.webm").click()
    expect(page.locator(".frame video")).to_be_visible()
    page.evaluate("document.querySelector('.frame video').addEventListener('ended', () => { window.hasEnded = true; })")
    page.keyboard.press("s")
    expect(page.locator(".frame img[alt='1.png']")).to_be_visible()
    assert page.evaluate("window.hasEnded")


def show_picked(visitor, count, *names):
    """The viewer with these two of so many pictures, one after another as long as time goes by, which it does not."""
    visitor.put(*(file(f"{number}.png", picture(number), "image/png") for number in range(count)))
    visitor.install_clock()
    page = visitor.page
    expect(visitor.cells()).to_have_count(count)
    page.get_by_role("button", name="Select", exact=True).click()
    for name in names:
        visitor.cell(name).click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    stop_clock(page)
    page.get_by_role("button", name="Slideshow").click()
    viewer = page.locator("dialog.viewer")
    expect(viewer.get_by_text("1 of 2")).to_be_attached()
    return viewer


def test_what_is_picked_is_shown_alone_and_stays_picked_and_what_is_deleted_leaves_it_and_the_gallery(visit):
    visitor = visit().create()
    viewer, page = show_picked(visitor, 4, "1.png", "3.png"), visitor.page
    expect(viewer).to_have_class(re.compile("is-idle"))
    page.keyboard.press("Escape")
    page.clock.resume()
    page.keyboard.press("ArrowRight")
    expect(viewer.get_by_text("2 of 2")).to_be_visible()
    visitor.close_viewer()
    expect(page.locator(".picked")).to_have_text("2 selected")
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Slideshow").click()
    expect(viewer).to_be_visible()
    page.keyboard.press("Escape")
    viewer.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 1").click()
    expect(viewer.get_by_text("1 of 1")).to_be_visible()
    # Over the photo, where it is seen and can be taken back.
    expect(viewer.get_by_role("button", name="Undo")).to_be_visible()
    visitor.close_viewer()
    hold_toast(page)
    expect(visitor.cells()).to_have_count(3)
    page.get_by_role("button", name="Undo").click()
    expect(visitor.cells()).to_have_count(4)


def shown_names(page):
    """Which photos are shown from now on, each time that another one is."""
    page.evaluate("""() => {
        window.names = [];
        const note = () => {
            const name = document.querySelector("figure[data-shown] .frame > img")?.alt;
            if (name && name !== window.names.at(-1)) window.names.push(name);
        };
        new MutationObserver(note).observe(document.body, { subtree: true, childList: true, attributes: true });
        note();
    }""")
    return lambda: page.evaluate("window.names")


def make_past(visitor):
    """Three pictures of three years, of which the names tell the order; an album has them."""
    visitor.put(*(file(f"{year}-05-01.png", picture(year), "image/png") for year in (2003, 2001, 2002)))
    request = visitor.context.request
    photos = request.get(f"{visitor.url}/api/photos").json()["photos"]
    for photo in photos:
        answer = request.patch(f"{visitor.url}/api/photos/{photo['id']}", headers=SAME_ORIGIN,
                               data={"takenAt": f"{photo['name'][:10]}T12:00"})  # fmt: skip
        assert answer.ok, answer.text()
    answer = request.post(f"{visitor.url}/api/albums", headers=SAME_ORIGIN,
                          data={"name": "Rome", "ids": [photo["id"] for photo in photos]})  # fmt: skip
    assert answer.ok, answer.text()


def test_an_album_and_a_selection_are_shown_as_they_happened(visit):
    visitor = visit().create()
    make_past(visitor)
    visitor.install_clock()
    page = visitor.page
    page.get_by_role("link", name="Albums", exact=True).click()
    page.get_by_role("link", name="Rome, 3 items").click()
    expect(page.locator(".library.is-album .cell img.is-here")).to_have_count(3)
    names = shown_names(page)
    page.get_by_role("button", name="More about this album").click()
    # It stands first, where people look for it.
    expect(page.get_by_role("dialog").get_by_role("listitem").first).to_have_text("Slideshow")
    page.get_by_role("dialog").get_by_role("button", name="Slideshow").click()
    expect(page.locator("dialog.viewer.is-idle")).to_be_attached()
    stop_clock(page)
    run_clock(page, lambda: len(names()) >= 4)
    assert names()[:4] == ["2001-05-01.png", "2002-05-01.png", "2003-05-01.png", "2001-05-01.png"]
    page.clock.resume()
    page.keyboard.press("Escape")
    visitor.close_viewer()
    # The grid is as it was: the newest first.
    expect(visitor.cells().first).to_have_accessible_name(re.compile("2003"))
    page.get_by_role("button", name="Select", exact=True).click()
    for name in ("2003-05-01.png", "2001-05-01.png"):
        visitor.cell(name).click()
    page.get_by_role("toolbar").get_by_role("button", name="More").click()
    page.get_by_role("button", name="Slideshow").click()
    expect(page.locator("figure[data-shown] .frame > img")).to_have_attribute("alt", "2001-05-01.png")
