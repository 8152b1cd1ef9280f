"""The upload panel: calm while files are on their way, exact in the end, gone when nobody needs it."""

import pytest
from playwright.sync_api import expect
from visitor import PASSWORD, UPLOADS, Gate, answer, choose_slow, file, try_now, until

WIDE = {"width": 1440, "height": 900}
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Mobile/15E148 Safari/604.1"
SMALL = b"\xff\xd8\xff\xe0 not much of a photo"

# At every frame: which file each place's button leaves out; a change from one file to another without a moment of neither.
WATCH_PANEL = """
    window.shift = 0;
    window.swaps = [];
    new PerformanceObserver((list) => { for (const one of list.getEntries())
        if (!one.hadRecentInput) window.shift += one.value; }).observe({ type: "layout-shift", buffered: true });
    const last = [];
    const look = () => {
        const rows = [...document.querySelectorAll(".panel .up-section li.up")].slice(0, 3);
        for (const [place, row] of rows.entries()) {
            const button = row.querySelector("button.round");
            const isSeen = button && getComputedStyle(button).visibility === "visible";
            const name = isSeen ? button.getAttribute("aria-label") : null;
            if (name && last[place] && last[place] !== name) window.swaps.push([last[place], name]);
            last[place] = name;
        }
        requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
"""


def photo(name, size=0):
    return file(name, SMALL + name.encode() + bytes(size))


@pytest.fixture
def wide(visit):
    return visit(viewport=WIDE)


def test_nothing_moves_under_a_pointer_while_files_are_on_their_way(wide):
    wide.context.add_init_script(WATCH_PANEL)
    wide.page.reload()
    wide.create()
    # Some answers wait, so that every kind of row is seen.
    gate = Gate(wide.page, UPLOADS, named="slow")
    wide.choose(*[photo(f"{index:03}.jpg") for index in range(60)], *[photo(f"slow {index}.jpg", 90) for index in range(2)])
    expect(wide.title_of_upload()).to_have_text("60 of 62")
    expect(wide.page.get_by_role("button", name="Remove slow 0.jpg")).to_be_visible()
    gate.open()
    expect(wide.title_of_upload()).to_have_text("62 saved")
    assert wide.page.evaluate("window.swaps") == []
    assert wide.page.evaluate("window.shift") < 0.1


def test_files_that_had_arrived_when_the_rest_was_cancelled_are_counted(wide):
    wide.create()
    lost = []

    def lose_the_answer(route):
        if len(lost) < 3 and route.request.post_data_buffer:
            assert route.fetch().status == 201
            lost.append(route)
        else:
            route.continue_()

    wide.page.route(UPLOADS, lose_the_answer)
    wide.choose(*[photo(f"{index}.jpg") for index in range(9)])
    until(wide.page, lambda: len(lost) == 3)
    wide.page.get_by_role("button", name="Cancel remaining").click()
    wide.dialog().get_by_role("button", name="Skip 9 files").click()
    expect(wide.title_of_upload()).to_have_text("3 saved")
    expect(wide.page.get_by_text("Saved and verified:")).to_be_visible()
    assert len(wide.originals()) == 3


def test_a_question_stands_before_the_rest_is_dropped(wide):
    wide.create()
    gate = choose_slow(wide)
    wide.page.get_by_role("button", name="Cancel remaining").click()
    expect(wide.dialog().get_by_role("button", name="Cancel", exact=True)).to_be_focused()
    wide.page.keyboard.press("Escape")
    gate.open()
    expect(wide.title_of_upload()).to_have_text("6 saved")


def test_the_count_goes_over_a_lock(wide):
    wide.create()
    gate = Gate(wide.page, UPLOADS, named="late")
    wide.choose(photo("one.jpg"), photo("two.jpg"), photo("late.jpg", 500))
    expect(wide.title_of_upload()).to_have_text("2 of 3")
    wide.page.get_by_role("button", name="Lock", exact=True).click()
    wide.dialog().get_by_role("button", name="Lock").click()
    gate.break_off()
    wide.open(PASSWORD)
    expect(wide.title_of_upload()).to_have_text("3 saved")
    expect(wide.page.get_by_text("Saved and verified:")).to_be_visible()
    # Names of before the lock are not kept for that.
    expect(wide.page.get_by_role("listitem").filter(has_text="one.jpg")).to_have_count(0)


def test_the_count_goes_over_a_restart_of_the_host(wide, daemon):
    wide.create()
    gate = Gate(wide.page, UPLOADS, named="late")
    wide.choose(photo("one.jpg"), photo("two.jpg"), photo("late.jpg", 500))
    expect(wide.title_of_upload()).to_have_text("2 of 3")
    daemon.kill9()
    gate.open()
    expect(wide.page.get_by_text("Can’t reach Safelight.").first).to_be_visible()
    daemon.start()
    try_now(wide.page)
    expect(wide.page.get_by_text("1 file is waiting")).to_be_visible()
    wide.open(PASSWORD)
    expect(wide.title_of_upload()).to_have_text("3 saved")
    assert len(wide.originals()) == 3


def test_what_was_said_about_a_reload_goes_once_all_is_there(wide):
    wide.create()
    Gate(wide.page, UPLOADS, named="late")
    files = [photo("one.jpg"), photo("late.jpg", 500)]
    wide.choose(*files)
    expect(wide.title_of_upload()).to_have_text("1 of 2")
    wide.wait_until_read_back()
    wide.page.reload()
    wide.page.unroute(UPLOADS)
    expect(wide.result("Upload stopped at 1 of 2")).to_be_visible()
    wide.choose(*files)
    expect(wide.title_of_upload()).to_have_text("1 saved · 1 already here")
    expect(wide.result("Upload stopped")).to_have_count(0)
    # What was here already was not read back now: nothing is said of what the phone may forget.
    expect(message(wide)).to_contain_text("Saved and verified")
    expect(message(wide)).not_to_contain_text(MAY)


def test_the_panel_folds_away_once_all_is_checked(visit):
    visitor = visit(viewport=WIDE)
    visitor.page.clock.install()
    visitor.create()
    visitor.choose(photo("one.jpg"))
    expect(visitor.page.get_by_text("Saved and verified:")).to_be_visible()
    # Whoever looks at it keeps it.
    visitor.page.locator(".panel h2").hover()
    visitor.page.clock.run_for(20_000)
    expect(visitor.page.locator(".panel")).to_be_visible()
    visitor.page.mouse.move(5, 5)
    visitor.page.clock.run_for(9000)
    expect(visitor.page.locator(".panel")).to_be_hidden()


def message(visitor):
    return visitor.page.locator(".up-message")


MAY = "You may delete them from the phone"


def test_once_all_is_read_back_in_a_vault_the_phone_may_forget_it_and_not_before(wide):
    wide.create()
    # The host has not read back yet.
    answer(wide.page, "**/api/batches/**", 503, "busy")
    wide.choose(photo("one.jpg"), photo("two.jpg"))
    expect(wide.title_of_upload()).to_have_text("2 saved")
    expect(message(wide)).to_contain_text("Saved and encrypted.")
    expect(message(wide)).not_to_contain_text(MAY)
    wide.page.unroute("**/api/batches/**")
    wide.choose(photo("three.jpg"))
    expect(message(wide)).to_contain_text("Saved and verified")
    expect(message(wide)).to_contain_text(MAY)


def test_beside_a_file_that_could_not_be_kept_nothing_is_said_to_be_safe_to_delete(wide):
    wide.create()
    answer(wide.page, UPLOADS, 400, "name-invalid", named="bad")
    wide.choose(photo("three.jpg"), photo("bad.jpg"))
    expect(message(wide)).to_contain_text("Saved and verified")
    expect(wide.page.get_by_role("heading", name="Needs attention")).to_be_visible()
    expect(message(wide)).not_to_contain_text(MAY)


@pytest.mark.parametrize(("name", "may"), [("iphone_hdr_YES.jpg", False), ("IMG_5195.HEIC", False), (None, True)])
def test_where_the_phone_gave_less_than_it_has_it_is_not_told_to_delete(visit, photos, name, may):
    visitor = visit(viewport=WIDE, user_agent=IPHONE).create()
    visitor.choose(*[path for path in photos if path.name == name] or [photo("plain.jpg")])
    expect(message(visitor)).to_contain_text("Saved and verified")
    if may:
        expect(message(visitor)).to_contain_text("You may delete them from the phone now.")
    else:
        expect(message(visitor)).not_to_contain_text(MAY)


def test_names_are_read_whole_in_the_list_of_what_was_saved(wide):
    wide.create().add(photo("IMG_20250811_183015.heif"))
    name = wide.page.locator(".up .file-name")
    expect(wide.page.locator(".up")).to_contain_text("Saved")
    assert name.evaluate("(name) => [...name.children].every((part) => part.scrollWidth <= part.clientWidth + 1)")


def test_a_small_file_shows_no_percentage_that_never_moves(wide):
    wide.create()
    gate = Gate(wide.page, UPLOADS)
    wide.choose(photo("small.jpg"))
    row = wide.page.get_by_role("listitem").filter(has_text="small.jpg")
    until(wide.page, lambda: gate.waiting)
    expect(row).to_be_visible()
    assert "%" not in row.inner_text()
    gate.open()
    expect(wide.title_of_upload()).to_have_text("1 saved")


def test_what_a_phone_does_to_photos_is_no_news_while_they_are_sent(visit, photos):
    visitor = visit(viewport=WIDE, user_agent=IPHONE).create()
    gate = Gate(visitor.page, UPLOADS, named="late")
    without_place = next(path for path in photos if path.name == "jolla.jpg")
    visitor.choose(file("jolla.jpg", without_place.read_bytes()), file("late.mov", b"late" * 9, "video/quicktime"))
    expect(visitor.title_of_upload()).to_have_text("1 of 2")
    expect(visitor.page.locator(".found")).to_be_hidden()
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    expect(visitor.page.locator(".found")).to_be_visible()


def test_the_folded_bar_says_why_it_stopped_and_goes_on(visitor):
    visitor.create()
    answer(visitor.page, UPLOADS, 507, "disk-full")
    visitor.choose(photo("one.jpg"), photo("two.jpg"))
    bar = visitor.page.locator(".up-bar")
    expect(bar).to_contain_text("Stopped:")
    expect(bar.locator(".ring-stopped")).to_be_visible()
    visitor.page.unroute(UPLOADS)
    bar.get_by_role("button", name="Try again").click()
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    expect(bar.get_by_role("button", name="Try again")).to_be_hidden()


def test_the_list_of_those_that_waited_keeps_their_places(wide):
    wide.create()
    gate = choose_slow(wide)
    waiting = wide.page.locator(".up-waiting")
    waiting.locator("summary").click()
    names = waiting.locator(".file-name").all_text_contents()
    assert len(names) == 3
    # What is on its way stands in both lists.
    second = Gate(wide.context, UPLOADS, named="slow")
    gate.open()
    until(wide.page, lambda: len(second.waiting) == 3)
    expect(waiting.locator("progress")).to_have_count(3)
    assert waiting.locator(".file-name").all_text_contents() == names
    expect(wide.page.locator(".up-section").first.locator(".file-name")).to_have_count(3)
    second.open()
    expect(wide.title_of_upload()).to_have_text("6 saved")


def test_what_was_chosen_is_seen_before_the_host_has_made_a_picture(wide, photos):
    wide.create()
    # The host has no time for pictures.
    Gate(wide.page, "**/api/thumbnails")
    originals = Gate(wide.page, "**/original")
    some = [path for path in photos if path.name in ("Canon_40D.jpg", "Nikon_D70.jpg", "Pentax_K10D.jpg")]
    wide.choose(*some)
    expect(wide.title_of_upload()).to_have_text("3 saved")
    expect(wide.page.locator(".cell img.is-here")).to_have_count(3)
    expect(wide.page.locator(".up .up-kind img")).to_have_count(3)
    assert originals.waiting == []
    # Nothing of them outlives the lock.
    addresses = wide.page.evaluate("[...document.querySelectorAll('.cell img, .up-kind img')].map(({ src }) => src)")
    wide.lock()
    gone = """(addresses) => Promise.all(addresses.map((address) => new Promise((resolve) => {
        const image = new Image();
        image.onload = () => resolve(false);
        image.onerror = () => resolve(true);
        image.src = address;
    })))"""
    assert len(addresses) == 6 and all(wide.page.evaluate(gone, addresses))
