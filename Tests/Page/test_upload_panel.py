"""The upload panel: calm while files are on their way, exact in the end, gone when nobody needs it."""

import hashlib
import re
from pathlib import Path

import pytest
from browsers import CHROMIUM_FIRST
from playwright.sync_api import expect
from visitor import PASSWORD, UPLOADS, Gate, answer, choose_slow, file, sent_name, stop_clock, try_now, until

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
    wide.create()
    # Some answers wait, so that every kind of row is seen.
    gate = Gate(wide.page, UPLOADS, named="slow")
    wide.choose(*[photo(f"{index:03}.jpg") for index in range(30)], *[photo(f"slow {index}.jpg", 90) for index in range(2)])
    expect(wide.title_of_upload()).to_have_text("30 of 32")
    expect(wide.page.get_by_role("button", name="Remove slow 0.jpg")).to_be_visible()
    gate.open()
    expect(wide.title_of_upload()).to_have_text("32 saved")
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
    wide.dialog().get_by_role("button", name="Stop").click()
    expect(wide.title_of_upload()).to_have_text("3 saved")
    expect(wide.page.get_by_text("Saved and verified:")).to_be_visible()
    assert len(wide.originals()) == 3


STORED = "JSON.stringify([Object.values(sessionStorage), Object.values(localStorage)])"


def test_the_count_goes_over_a_lock_and_a_restart_of_the_host_but_no_name_does(wide, daemon):
    wide.create()
    gate = Gate(wide.page, UPLOADS, named="late")
    wide.choose(photo("one.jpg"), photo("two.jpg"), photo("late secret.jpg", 500))
    expect(wide.title_of_upload()).to_have_text("2 of 3")
    assert "secret" not in wide.page.evaluate(STORED)
    wide.page.get_by_role("button", name="Lock", exact=True).click()
    wide.dialog().get_by_role("button", name="Lock").click()
    gate.break_off()
    expect(wide.page.get_by_role("heading", name="You locked the vault")).to_be_visible()
    wide.page.wait_for_function("() => sessionStorage.length === 0")
    gate = Gate(wide.page, UPLOADS, named="late")
    wide.open(PASSWORD)
    expect(wide.title_of_upload()).to_have_text("2 of 3")
    until(wide.page, lambda: gate.waiting)
    daemon.kill9()
    gate.open()
    expect(wide.page.get_by_text("Can’t reach Safelight.").first).to_be_visible()
    daemon.start()
    try_now(wide.page)
    expect(wide.page.get_by_text("1 file is waiting")).to_be_visible()
    wide.open(PASSWORD)
    expect(wide.title_of_upload()).to_have_text("3 saved")
    expect(wide.page.get_by_text("Saved and verified:")).to_be_visible()
    # Names of before the lock are not kept for that.
    expect(wide.page.get_by_role("listitem").filter(has_text="one.jpg")).to_have_count(0)
    assert len(wide.originals()) == 3


def test_the_panel_folds_away_once_all_is_checked(visit):
    visitor = visit(viewport=WIDE).create()
    visitor.install_clock()
    visitor.choose(photo("one.jpg"))
    # Whoever looks at it keeps it.
    visitor.page.locator(".panel h2").hover()
    expect(visitor.page.get_by_text("Saved and verified:")).to_be_visible()
    visitor.page.clock.run_for(20_000)
    expect(visitor.page.locator(".panel")).to_be_visible()
    visitor.page.mouse.move(5, 5)
    visitor.page.clock.run_for(9000)
    expect(visitor.page.locator(".panel")).to_be_hidden()


def message(visitor):
    return visitor.page.locator(".up-message")


MAY = "You may delete them from the phone"


def test_once_all_is_read_back_in_a_vault_the_phone_may_forget_it_and_not_before(visit):
    visitor = visit(viewport=WIDE, user_agent=IPHONE).create()
    # The host says that it cannot read back now.
    answer(visitor.page, "**/api/batches/**", 503, "busy")
    with visitor.page.expect_response("**/api/batches/*/finish"):
        visitor.choose(photo("one.jpg"), photo("two.jpg"))
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    expect(message(visitor)).to_contain_text("Saved and encrypted.")
    expect(message(visitor)).not_to_contain_text(MAY)
    visitor.page.unroute("**/api/batches/**")
    gate = Gate(visitor.page, "**/api/batches/*/finish")
    visitor.choose(photo("three.jpg"))
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    until(visitor.page, lambda: gate.waiting)
    expect(message(visitor)).to_contain_text("Saved and encrypted.")
    expect(message(visitor)).not_to_contain_text(MAY)
    expect(visitor.page.get_by_text("Saved and verified")).to_have_count(0)
    gate.open()
    expect(message(visitor)).to_contain_text("Saved and verified")
    expect(message(visitor)).to_contain_text(f"{MAY} now.")
    expect(visitor.page.get_by_role("listitem").filter(has_text="three.jpg")).to_contain_text("Saved and verified")


def test_what_the_host_refuses_after_all_bytes_were_sent_is_not_called_saved_nor_anything_beside_it_safe_to_delete(wide):
    wide.create()
    too_long = photo("照" * 400 + ".jpg")
    wide.choose(too_long)
    expect(wide.page.get_by_role("heading", name="Needs attention")).to_be_visible()
    expect(wide.title_of_upload()).to_have_text("Nothing was saved")
    wide.choose(photo("three.jpg"))
    expect(wide.title_of_upload()).to_have_text("1 saved")
    expect(message(wide)).to_contain_text("Saved and verified")
    expect(wide.page.get_by_role("heading", name="Needs attention")).to_be_visible()
    expect(message(wide)).not_to_contain_text(MAY)


def test_the_folded_bar_says_why_it_stopped_goes_on_and_has_a_tick_once_all_is_saved(visitor):
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
    expect(bar.locator(".ring-done")).to_be_visible()
    expect(bar.locator(".ring")).to_be_hidden()


def test_the_list_of_those_that_waited_keeps_their_places(wide):
    wide.create()
    gate = choose_slow(wide)
    waiting = wide.page.locator(".up-waiting")
    waiting.locator("summary").press("Enter")
    expect(waiting.locator(".file-name")).to_have_count(3)
    names = waiting.locator(".file-name").all_text_contents()
    # What is on its way stands in both lists.
    second = Gate(wide.context, UPLOADS, named="slow")
    gate.open()
    until(wide.page, lambda: len(second.waiting) == 3)
    expect(waiting.locator("progress")).to_have_count(3)
    expect(waiting.locator(".file-name")).to_have_text(names)
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


BAR = ".up-bar"


@pytest.mark.parametrize("browser_name", CHROMIUM_FIRST)
def test_on_a_phone_the_folded_bar_says_that_all_is_verified_until_it_is_touched(visit, request, browser_name):
    visitor = visit(browser=request.getfixturevalue(browser_name), user_agent=IPHONE).create()
    page = visitor.page
    visitor.install_clock()
    visitor.choose(photo("one.jpg"), photo("two.jpg"))
    bar = page.locator(BAR)
    expect(bar).to_contain_text("2 saved and verified")
    expect(bar.get_by_text(f"{MAY} now.")).to_be_visible()
    words = bar.locator(".up-bar-note")
    until(page, lambda: words.evaluate("words => words.scrollWidth <= words.clientWidth"))
    page.clock.run_for(60_000)
    expect(bar.get_by_text(f"{MAY} now.")).to_be_visible()
    with page.expect_download() as download:
        bar.get_by_role("button", name="Receipt").click()
    assert "one.jpg" in Path(download.value.path()).read_text("utf-8-sig")
    opener = bar.locator(".up-open")
    expect(opener.locator(".up-more")).to_be_visible()
    opener.click()
    expect(page.locator(".panel")).to_be_visible()
    page.get_by_role("button", name="Collapse").click()
    expect(bar).to_be_hidden()


def test_without_a_byte_for_four_seconds_neither_speed_nor_time_is_told(visit):
    visitor = visit().create()
    page = visitor.page
    visitor.install_clock()
    stop_clock(page)
    gate = choose_slow(visitor)
    bar = page.locator(BAR)
    page.clock.run_for(3500)
    expect(bar).not_to_contain_text("Waiting for Safelight…")
    page.clock.run_for(1000)
    expect(bar).to_contain_text("Waiting for Safelight…")
    for unit in ("/s", "left"):
        expect(bar).not_to_contain_text(unit)
    page.clock.run_for(20_000)
    expect(bar).to_contain_text("Waiting for Safelight…")
    page.clock.resume()
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("6 saved")


def test_what_arrived_although_its_answer_was_lost_is_counted_by_the_host(wide):
    """The host has it, the page asks for it and hears nothing either: only the tally of the batch knows."""
    wide.create()
    wide.add(photo("first.jpg"))
    lost = []

    def lose_the_answer(route):
        if len(lost) < 3 and route.request.post_data_buffer and sent_name(route.request).startswith("lost"):
            assert route.fetch().status == 201
            lost.append(route)
        elif lost and "upload-checksum" not in route.request.headers:
            route.abort()
        else:
            route.continue_()

    wide.page.route(UPLOADS, lose_the_answer)
    wide.choose(photo("a.jpg"), *[photo(f"lost {index}.jpg", 90) for index in range(9)])
    until(wide.page, lambda: len(lost) == 3)
    wide.page.get_by_role("button", name="Cancel remaining").click()
    wide.dialog().get_by_role("button", name="Stop").click()
    until(wide.page, lambda: len(wide.originals()) == 5)
    expect(wide.title_of_upload()).to_have_text("4 saved")


@pytest.mark.parametrize("browser_name", CHROMIUM_FIRST)
def test_the_receipt_of_a_batch_is_found_again_after_a_lock(visit, request, browser_name):
    visitor = visit(browser=request.getfixturevalue(browser_name)).create()
    page = visitor.page
    visitor.add(photo("one.jpg"), photo("two.jpg"))
    visitor.wait_until_read_back()
    visitor.lock()
    visitor.open()
    page.get_by_role("link", name="Recent").click()
    with page.expect_download() as download:
        page.get_by_role("button", name=re.compile("^Receipt: ")).click()
    lines = Path(download.value.path()).read_text("utf-8-sig").splitlines()
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in visitor.originals().items()}
    assert {line.split(",")[0].strip('"'): line.split(",")[2].strip('"') for line in lines[1:]} == sums


def test_before_anything_is_read_back_there_is_no_receipt(visit):
    visitor = visit().create()
    page = visitor.page
    visitor.put(photo("one.jpg"))

    def unread(route):
        answered = route.fetch()
        body = answered.json()
        for one in body["photos"]:
            one.pop("verifiedAt", None)
        route.fulfill(response=answered, json=body)

    page.route("**/api/photos*", unread)
    page.get_by_role("link", name="Recent").click()
    page.get_by_role("button", name=re.compile("^Receipt: ")).click()
    expect(page.locator(".toast")).to_contain_text("Nothing of it has been verified yet.")


def test_what_arrives_between_the_question_about_it_and_its_end_is_counted_too(wide):
    """The host hears the page's last question before the bytes that it is about, which then go on in the upload that it began."""
    wide.create()
    late, answered = [], []
    wide.page.route(UPLOADS, lambda route: late.append(route) if sent_name(route.request).startswith("late")
                    and route.request.post_data_buffer else route.continue_())  # fmt: skip

    def take_away(route):
        if route.request.method == "DELETE" and not answered:
            answered.append(late[0].fetch().ok)
        route.continue_()

    wide.page.route(f"{UPLOADS}/*", take_away)
    wide.choose(photo("first.jpg"), photo("late.jpg", 90))
    expect(wide.title_of_upload()).to_have_text("1 of 2")
    until(wide.page, lambda: late)
    wide.page.get_by_role("button", name="Cancel remaining").click()
    wide.dialog().get_by_role("button", name="Stop").click()
    expect(wide.title_of_upload()).to_have_text("2 saved")
    assert answered == [True] and len(wide.originals()) == 2


def test_what_arrives_after_the_batch_was_finished_is_counted_too(wide):
    """The host was slow to read what had been cut off."""
    wide.create()
    late, answered = [], []
    wide.page.route(UPLOADS, lambda route: late.append(route) if sent_name(route.request).startswith("late")
                    and route.request.post_data_buffer else route.continue_())  # fmt: skip

    def finish(route):
        answer = route.fetch()
        if not answered:
            answered.append(late[0].fetch().status)
        route.fulfill(response=answer)

    wide.page.route("**/api/batches/*/finish", finish)
    wide.choose(photo("first.jpg"), photo("late.jpg", 90))
    expect(wide.title_of_upload()).to_have_text("1 of 2")
    until(wide.page, lambda: late)
    wide.page.get_by_role("button", name="Cancel remaining").click()
    wide.dialog().get_by_role("button", name="Stop").click()
    expect(wide.title_of_upload()).to_have_text("2 saved")
    assert answered == [201] and len(wide.originals()) == 2
