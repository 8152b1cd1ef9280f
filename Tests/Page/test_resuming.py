"""Uploads whose way breaks: the host goes, the link stalls or spoils bytes, the page is loaded again."""

import os
import random

import pytest
from browsers import BROWSERS, CHROMIUM_FIRST
from client import Browser
from playwright.sync_api import Error, expect
from proxy import CuttingProxy
from seeding import seed
from visitor import PASSWORD, UPLOADS, Gate, file, held_back, run_clock, sent_name, stop_clock, try_now, until

WIDE = {"width": 1440, "height": 900}
PIECE = 256 * 1024
LONG = 3 * PIECE + 5


@pytest.fixture(params=CHROMIUM_FIRST)
def browser(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def proxy(daemon):
    proxy = CuttingProxy(daemon)
    yield proxy
    proxy.close()


def content(byte_count, seed=1):
    return random.Random(seed).randbytes(byte_count)


@pytest.fixture
def visit_in_pieces(visit):
    """Like `visit`, at a host that wants small pieces: what is looked at does not depend on their size."""

    def small(route):
        try:
            hello = route.fetch().json()
        except Error:
            route.abort()
        else:
            route.fulfill(json={**hello, "chunk": PIECE})

    return lambda **options: visit(viewport=WIDE, routes={"**/api/hello": small}, **options)


def long_file(byte_count=LONG):
    return file("long.mov", content(byte_count), "video/quicktime")


def on_disk(folder, *files):
    """Their paths: files that can be chosen again as what they were."""
    for one in files:
        (folder / one["name"]).write_bytes(one["buffer"])
    return [folder / one["name"] for one in files]


def contents(*files):
    return {one["name"]: one["buffer"] for one in files}


def photo(index):
    return file(f"{index:04}.jpg", b"\xff\xd8\xff\xe0 photo" + content(100, index))


def requests_of(page):
    """(method, offset or name) of every request about uploads that the page sends from now on."""
    seen = []

    def note(request):
        if "/api/uploads" in request.url:
            seen.append((request.method, request.headers.get("upload-offset", "") or sent_name(request)))

    page.on("request", note)
    return seen


def test_a_small_file_is_one_request_and_a_long_one_goes_in_pieces_that_grow_where_they_go_fast(visit_in_pieces):
    visitor = visit_in_pieces().start_without_password()
    seen = requests_of(visitor.page)
    visitor.choose(photo(1))
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert seen == [("POST", "0001.jpg")]
    long = long_file(12 * PIECE + 7)
    visitor.choose(long)
    # Until then it is the other one that was saved.
    expect(visitor.cells()).to_have_count(2)
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert seen[1] == ("POST", "long.mov") and {method for method, _ in seen[2:]} == {"PATCH"}
    offsets = [int(offset) for _, offset in seen[2:]]
    lengths = [after - before for before, after in zip(offsets, [*offsets[1:], 12 * PIECE + 7], strict=True)]
    assert offsets[0] == 0 and lengths[:4] == [PIECE] * 4 and set(lengths[:-1]) <= {PIECE, 2 * PIECE, 4 * PIECE}
    assert visitor.originals() == contents(photo(1), long)


# Browsers say in ways of their own that a connection broke.
@pytest.mark.parametrize("name", BROWSERS)
def test_an_upload_goes_on_by_itself_when_the_host_was_killed_half_way(request, visit_in_pieces, daemon, name):
    visitor = visit_in_pieces(browser=request.getfixturevalue(name)).start_without_password()
    files = [long_file(), *[photo(index) for index in range(6)]]
    held = held_back(visitor.page, "**/api/uploads/*", "PATCH")
    seen = requests_of(visitor.page)
    visitor.choose(*files)
    until(visitor.page, lambda: held)
    held.pop().continue_()
    until(visitor.page, lambda: held)
    daemon.kill9()
    held.pop().continue_()
    expect(visitor.page.get_by_text("Can’t reach Safelight.").first).to_be_visible()
    visitor.page.unroute("**/api/uploads/*")
    daemon.start()
    try_now(visitor.page)
    expect(visitor.title_of_upload()).to_have_text("7 saved")
    # It was asked how far it is, and the first piece was not sent again.
    assert ("HEAD", "") in seen
    assert seen.count(("PATCH", "0")) == 1
    assert visitor.originals() == contents(*files)


def test_a_kept_vault_goes_on_by_itself_after_a_restart(visit_in_pieces, daemon):
    Browser(daemon).create(PASSWORD).lock()
    visitor = visit_in_pieces()
    visitor.page.get_by_role("checkbox", name="Stay signed in for 30 days").check()
    visitor.open()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(*[photo(index) for index in range(8)])
    until(visitor.page, lambda: len(gate.waiting) == 3)
    daemon.kill9()
    gate.open()
    expect(visitor.page.get_by_text("Can’t reach Safelight.").first).to_be_visible()
    daemon.start()
    try_now(visitor.page)
    expect(visitor.title_of_upload()).to_have_text("8 saved")
    assert len(visitor.originals()) == 8


def test_files_that_are_chosen_again_after_a_reload_go_on_where_they_stopped(visit_in_pieces, browser, tmp_path):
    visitor = visit_in_pieces(browser=browser).start_without_password()
    files = [*[photo(index) for index in range(6)], long_file()]
    paths = on_disk(tmp_path, *files)
    held = held_back(visitor.page, "**/api/uploads/*", "PATCH")
    visitor.choose(*paths)
    expect(visitor.title_of_upload()).to_have_text("6 of 7")
    until(visitor.page, lambda: held)
    held.pop().continue_()
    until(visitor.page, lambda: held)
    visitor.page.reload()
    visitor.page.unroute("**/api/uploads/*")
    expect(visitor.result("Upload stopped at 6 of 7")).to_be_visible()
    expect(visitor.cells()).to_have_count(6)
    seen = requests_of(visitor.page)
    visitor.choose(*paths)
    expect(visitor.title_of_upload()).to_have_text("1 saved · 6 already here")
    assert [offset for method, offset in seen if method == "PATCH"] == [str(PIECE), str(2 * PIECE), str(3 * PIECE)]
    assert visitor.originals() == contents(*files)


def test_a_vault_is_asked_before_files_of_a_reload_are_sent_again_and_what_was_said_of_that_goes(visit_in_pieces):
    visitor = visit_in_pieces().create()
    files = [*[photo(index) for index in range(6)], file("late.jpg", b"late, and larger than the others" * 9)]
    Gate(visitor.page, UPLOADS, named="late")
    visitor.choose(*files)
    expect(visitor.title_of_upload()).to_have_text("6 of 7")
    visitor.wait_until_read_back()
    visitor.page.reload()
    visitor.page.unroute(UPLOADS)
    expect(visitor.result("Upload stopped at 6 of 7")).to_be_visible()
    seen = requests_of(visitor.page)
    visitor.choose(*files)
    expect(visitor.title_of_upload()).to_have_text("1 saved · 6 already here")
    assert seen.count(("POST", "")) == 7 and [name for _, name in seen if name] == ["late.jpg"]
    expect(visitor.result("Upload stopped")).to_have_count(0)
    # What was here already was not read back now: nothing is said of what the phone may forget.
    expect(visitor.page.locator(".up-message")).to_contain_text("Saved and verified")
    expect(visitor.page.locator(".up-message")).not_to_contain_text("You may delete")


def test_what_a_reload_cut_short_is_not_told_in_another_vault(visit_in_pieces, lent_host, shared_host):
    other = "nine velvet lanterns drift"
    shared_host.note_begun(lent_host.url, other)
    Browser(lent_host).create(other).lock()
    visitor = visit_in_pieces().create()
    Gate(visitor.page, UPLOADS, named="late")
    visitor.choose(photo(1), file("late.jpg", b"late, and larger than the others" * 9))
    expect(visitor.title_of_upload()).to_have_text("1 of 2")
    visitor.page.reload()
    expect(visitor.result("Upload stopped at 1 of 2")).to_be_visible()
    request = visitor.context.request
    request.post(f"{visitor.url}/api/session", headers={"Origin": visitor.url}, data={"password": other})
    visitor.page.reload()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    assert "stopped at" not in visitor.page.content()


def test_a_deleted_photo_comes_back_when_its_file_is_sent_again(visit_in_pieces):
    visitor = visit_in_pieces().create()
    visitor.add(photo(1))
    request = visitor.context.request
    ids = [found["id"] for found in request.get(f"{visitor.url}/api/photos").json()["photos"]]
    request.post(f"{visitor.url}/api/photos/delete", headers={"Origin": visitor.url}, data={"ids": ids})
    visitor.page.reload()
    expect(visitor.page.get_by_text("No photos yet")).to_be_visible()
    visitor.choose(photo(1))
    expect(visitor.cells()).to_have_count(1)
    assert visitor.originals() == {"0001.jpg": photo(1)["buffer"]}


def test_a_piece_that_came_damaged_three_times_needs_attention_and_goes_with_a_retry(visit_in_pieces, proxy):
    visitor = visit_in_pieces(url=proxy.url).start_without_password()
    held = held_back(visitor.page, "**/api/uploads/*", "PATCH")
    seen = requests_of(visitor.page)
    visitor.choose(photo(1), long_file())
    for _ in range(3):
        until(visitor.page, lambda: held)
        proxy.flip(PIECE // 2)
        held.pop().continue_()
    expect(visitor.page.get_by_role("heading", name="Needs attention")).to_be_visible()
    expect(visitor.page.get_by_text("It arrived damaged three times")).to_be_visible()
    # The others are not held up by it, and the host keeps no beginning of what nobody goes on with.
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    until(visitor.page, lambda: ("DELETE", "") in seen)
    assert seen.count(("PATCH", "0")) == 3
    assert visitor.originals() == contents(photo(1))
    visitor.page.unroute("**/api/uploads/*")
    visitor.page.get_by_role("button", name="Try again").click()
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    assert visitor.originals() == contents(photo(1), long_file())


def test_a_cut_connection_is_gone_on_with_and_a_lost_answer_makes_no_second_photo(visit_in_pieces, proxy):
    visitor = visit_in_pieces(url=proxy.url).start_without_password()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(photo(1))
    until(visitor.page, lambda: gate.waiting)
    proxy.lose_answer()
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert proxy.cuts == 1
    held = held_back(visitor.page, "**/api/uploads/*", "PATCH")
    visitor.choose(long_file())
    until(visitor.page, lambda: held)
    proxy.cut(PIECE // 2)
    # It lets go on what was held.
    visitor.page.unroute("**/api/uploads/*")
    expect(visitor.cells()).to_have_count(2)
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert proxy.cuts == 2
    assert visitor.originals() == contents(photo(1), long_file())


def test_a_transfer_that_stands_still_is_broken_off_and_begun_again(visit_in_pieces):
    visitor = visit_in_pieces().start_without_password()
    visitor.install_clock()
    gate = Gate(visitor.page, UPLOADS)
    visitor.choose(photo(1))
    until(visitor.page, lambda: gate.waiting)
    # Nobody will ever answer this one.
    gate.waiting.clear()
    gate.open()
    seen = requests_of(visitor.page)
    # No further: what leaps on would break off the next one, too, before the host has answered it.
    run_clock(visitor.page, lambda: seen)
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert visitor.originals() == {"0001.jpg": photo(1)["buffer"]}


def test_a_thumbnail_comes_while_three_uploads_are_on_their_way(visit_in_pieces, proxy):
    visitor = visit_in_pieces(url=proxy.url).create()
    files = [file(f"{index}.mov", content(LONG, index), "video/quicktime") for index in range(3)]
    proxy.hold("PATCH")
    visitor.choose(*files)
    until(visitor.page, lambda: proxy.held == 3)
    seed(visitor, 1)
    visitor.to_deleted()
    visitor.page.get_by_role("link", name="Photos", exact=True).click()
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(1)
    expect(visitor.title_of_upload()).to_have_text("0 of 3")
    proxy.let_go()
    expect(visitor.title_of_upload()).to_have_text("3 saved")
    assert contents(*files).items() <= visitor.originals().items()


def hold_first_piece(page):
    """The first piece of an upload never arrives: taking the route away would let it go on. Gives those held, one at most."""
    held = []

    def hold(route):
        if route.request.method == "PATCH" and not held:
            held.append(route)
        else:
            route.continue_()

    page.route("**/api/uploads/*", hold)
    return held


def wake_in_the_midst_of(visitor, long, event):
    """The first piece of a file hangs, time goes by, and the page hears that it is seen again."""
    page = visitor.page
    held = hold_first_piece(page)
    seen = requests_of(page)
    visitor.choose(long)
    until(page, lambda: held)
    # More than a silent connection is given after a sleep, less than otherwise.
    page.clock.fast_forward(8000)
    page.evaluate(f"document.dispatchEvent(new Event('{event}'))")
    until(page, lambda: ("HEAD", "") in seen)


def test_a_page_that_was_hidden_or_frozen_asks_how_far_it_is(visit_in_pieces):
    visitor = visit_in_pieces().start_without_password()
    visitor.install_clock()
    wake_in_the_midst_of(visitor, long_file(), "visibilitychange")
    expect(visitor.cells()).to_have_count(1)
    visitor.page.unroute("**/api/uploads/*")
    other = file("other.mov", content(LONG, 2), "video/quicktime")
    wake_in_the_midst_of(visitor, other, "resume")
    expect(visitor.cells()).to_have_count(2)
    assert visitor.originals() == contents(long_file(), other)


@pytest.mark.nightly("engines")
def test_a_page_that_the_browser_froze_goes_on_where_the_host_is(left_alone, visit_in_pieces):
    visitor = visit_in_pieces(context=left_alone)
    visitor.install_clock()
    page = visitor.page
    stop_clock(page)
    visitor.start_without_password()
    held = hold_first_piece(page)
    seen = requests_of(page)
    visitor.choose(long_file())
    until(visitor.page, lambda: held)
    page.evaluate("document.addEventListener('freeze', () => { window.isFrozen = true; })")
    # Time goes by: more than a silent connection is given after a sleep, less than otherwise.
    page.clock.fast_forward(8000)
    devtools = visitor.context.new_cdp_session(page)
    devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
    until(page, lambda: page.evaluate("window.isFrozen"))
    # The piece arrives, but not its answer.
    assert held[0].fetch().status == 204
    with page.expect_request(lambda request: request.method == "HEAD"):
        devtools.send("Page.setWebLifecycleState", {"state": "active"})
    page.clock.resume()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    assert [offset for method, offset in seen if method == "PATCH"] == [str(piece * PIECE) for piece in range(4)]
    assert visitor.originals() == contents(long_file())


def test_a_file_that_is_left_out_leaves_nothing_at_the_host(visit_in_pieces):
    visitor = visit_in_pieces().start_without_password()
    held = held_back(visitor.page, "**/api/uploads/*", "PATCH")
    seen = requests_of(visitor.page)
    visitor.choose(photo(1), long_file())
    until(visitor.page, lambda: held)
    held.pop().continue_()
    until(visitor.page, lambda: held)
    visitor.page.get_by_role("button", name="Remove long.mov").click()
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    until(visitor.page, lambda: ("DELETE", "") in seen)
    expect(visitor.page.get_by_text("Saved and verified:")).to_be_visible()


# What goes through the page's own thread: kinds of bodies that it sends, and the largest part of a file that it reads.
WATCH_THREAD = """
    window.sent = [];
    window.read = 0;
    const { send } = XMLHttpRequest.prototype;
    XMLHttpRequest.prototype.send = function (body) {
        if (body) window.sent.push(body.constructor.name);
        return send.call(this, body);
    };
    const { arrayBuffer } = Blob.prototype;
    Blob.prototype.arrayBuffer = function () {
        window.read = Math.max(window.read, this.size);
        return arrayBuffer.call(this);
    };
"""


def test_the_thread_of_the_page_touches_no_bytes_of_a_file(visit_in_pieces, browser):
    visitor = visit_in_pieces(browser=browser)
    visitor.context.add_init_script(WATCH_THREAD)
    visitor.create()
    files = [photo(1), long_file()]
    visitor.choose(*files)
    expect(visitor.title_of_upload()).to_have_text("2 saved")
    # What fits in one request is sent as the file itself.
    assert set(visitor.page.evaluate("window.sent")) == {"Blob", "File"}
    # Names and digests for a client id, no more.
    assert visitor.page.evaluate("window.read") < 1000
    assert visitor.originals() == contents(*files)


COUNT_HASHED = """
    window.hashed = 0;
    window.Worker = class extends Worker {
        constructor(...options) {
            super(...options);
            this.addEventListener("message", ({ data }) => { if ("digest" in (data.first ?? data)) window.hashed += 1; });
        }
    };
"""


def test_a_file_that_changes_after_it_was_hashed_arrives_as_it_is_then(visit_in_pieces, tmp_path):
    visitor = visit_in_pieces()
    visitor.context.add_init_script(COUNT_HASHED)
    visitor.start_without_password()
    first = [photo(index) for index in range(3)]
    last = file("9 last.jpg", b"\xff\xd8\xff\xe0 before" + content(5000))
    gate = Gate(visitor.page, UPLOADS)
    paths = on_disk(tmp_path, *first, last)
    answers = []
    visitor.page.on("response", lambda answer: answers.append(answer.status))
    visitor.choose(*paths)
    until(visitor.page, lambda: len(gate.waiting) == 3)
    # The one that waits was read ahead.
    until(visitor.page, lambda: visitor.page.evaluate("window.hashed") == 4)
    before = paths[-1].stat()
    changed = last["buffer"].replace(b"before", b"after!")
    with paths[-1].open("r+b") as open_file:
        open_file.write(changed)
    os.utime(paths[-1], ns=(before.st_atime_ns, before.st_mtime_ns))
    gate.open()
    expect(visitor.title_of_upload()).to_have_text("4 saved")
    assert answers.count(460) == 1
    assert visitor.originals() == contents(*first, {**last, "buffer": changed})
