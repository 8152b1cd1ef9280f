"""One photo in the whole window: steps, fingers, facts, copies, and what is given up."""

import re
import struct
import subprocess

import pytest
from browsers import PHONE
from cases import first
from playwright.sync_api import expect
from seeding import ManyPhotos, picture, video
from visitor import Gate, file, stop_clock, until

SLOW = 120_000


@pytest.fixture
def filled(visit, photos):
    """fill(**context options) → a vault with the four photos of one camera, looked into, and the viewer on the first. The
    clock is one that the test may stop."""

    def fill(**options):
        visitor = visit(**options).create()
        visitor.put(*[path for path in photos if "/gps/" in str(path)])
        visitor.wait_until_looked_into()
        visitor.install_clock()
        expect(visitor.page.locator(".cell img.is-here")).to_have_count(4, timeout=SLOW)
        visitor.cells().first.click()
        expect(shown(visitor)).to_be_visible()
        # It grows out of its tile first.
        until_scale(visitor.page, 1)
        return visitor

    return fill


def shown(visitor):
    return visitor.page.locator("figure[data-shown] .frame > img")


def seen(viewer, name):
    """What is seen of a photo in the middle of the window."""
    return viewer.locator(f".frame [alt='{name}']")


def scale(page):
    return page.evaluate("new DOMMatrix(getComputedStyle(document.querySelector('.frame')).transform).a")


def until_scale(page, value):
    until(page, lambda: scale(page) == pytest.approx(value))


def touch(devtools, kind, *points):
    devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})


def swipe(visitor, start, end):
    devtools = visitor.context.new_cdp_session(visitor.page)
    touch(devtools, "touchStart", start)
    for part in (0.3, 0.7, 1):
        touch(devtools, "touchMove", tuple(one + (other - one) * part for one, other in zip(start, end)))
    touch(devtools, "touchEnd")


def test_title_and_facts_tell_when_and_where_it_was_taken_and_the_place_can_be_hidden_and_left_out_of_a_copy(filled, photos):
    visitor = filled()
    viewer = visitor.dialog()
    # Not how the file is called.
    expect(heading(visitor)).to_contain_text("2008")
    expect(heading(visitor)).to_contain_text("Arezzo, Italy")
    expect(heading(visitor)).to_contain_text("1 of 4")
    expect(heading(visitor)).not_to_contain_text("DSCN")
    with visitor.page.expect_download() as original:
        viewer.get_by_role("button", name="Download", exact=True).click()
    viewer.get_by_role("button", name="Info").click()
    # Somebody may look over one's shoulder.
    expect(heading(visitor)).not_to_contain_text("Italy")
    expect(viewer.get_by_text("from camera")).to_be_visible()
    expect(viewer.get_by_text(re.compile("COOLPIX P6000"))).to_be_visible()
    expect(viewer.get_by_text(re.compile(r"JPG · 640 × 480 · "))).to_be_visible()
    expect(viewer.get_by_text(re.compile(r"43\.\d+° N, 11\.\d+° E"))).to_be_visible()
    expect(viewer.locator(".hex")).to_have_text(re.compile("^[0-9a-f]{64}$"))
    with visitor.page.expect_download() as clean:
        viewer.get_by_role("button", name="Download without location").click()
    name = original.value.suggested_filename
    path = next(path for path in photos if path.name == name)
    assert original.value.path().read_bytes() == path.read_bytes()
    assert b"NIKON" in path.read_bytes()
    content = clean.value.path().read_bytes()
    assert content.startswith(b"\xff\xd8") and b"NIKON" not in content and b"GPS" not in content
    viewer.get_by_role("button", name="Hide").click()
    expect(viewer.get_by_text(re.compile("° N"))).to_have_count(0)
    visitor.page.keyboard.press("ArrowRight")
    expect(viewer.get_by_text("2 of 4")).to_be_visible()
    expect(viewer.get_by_role("button", name="Show")).to_be_visible()
    expect(viewer.get_by_text(re.compile("° N"))).to_have_count(0)
    viewer.get_by_role("button", name="Close", exact=True).click()
    expect(viewer.get_by_role("button", name="Show")).to_be_hidden()
    expect(heading(visitor)).to_contain_text("2 of 4")
    expect(heading(visitor)).not_to_contain_text("Italy")


@pytest.mark.parametrize(("width", "shown_width"), first(1, [(1440, 640), (390, 390)]))
def test_a_small_picture_is_enlarged_by_keys_buttons_wheel_and_two_taps_and_not_by_a_large_screen(filled, width, shown_width):
    visitor = filled(viewport={"width": width, "height": 900})
    page = visitor.page
    until(page, lambda: shown(visitor).bounding_box()["width"] == shown_width)
    if width > 600:
        expect(visitor.dialog().get_by_role("button", name="Zoom in")).to_be_enabled()
    for key, value in (("+", 1.5), ("+", 2.25), ("-", 1.5), ("0", 1)):
        page.keyboard.press(key)
        until_scale(page, value)
    expect(visitor.dialog().get_by_role("button", name="Zoom out")).to_be_disabled()
    if width > 600:
        visitor.dialog().get_by_role("button", name="Zoom in").click()
        until_scale(page, 1.5)
        visitor.dialog().get_by_role("button", name="Zoom out").click()
        until_scale(page, 1)
    page.mouse.move(width / 2, 400)
    page.mouse.wheel(0, -300)
    until(page, lambda: scale(page) > 1.5)
    page.mouse.wheel(0, 3000)
    until_scale(page, 1)
    stop_clock(page)
    page.mouse.click(width / 2, 400)
    page.mouse.click(width / 2, 400)
    until(page, lambda: scale(page) > 1)
    expect(page.locator("figure.is-near")).to_be_visible()


def make_no_pictures(page):
    """From now on the host says that it is still making every picture, whatever it made."""
    page.route("**/api/photos/*/preview", lambda route: route.fulfill(
        status=503, content_type="application/problem+json", headers={"Retry-After": "1"},
        json={"type": "about:blank", "title": "later", "status": 503, "code": "picture-pending", "detail": ""}))  # fmt: skip
    page.route("**/api/thumbnails", lambda route: route.fulfill(
        body=struct.pack(">IB", 1, 1) * len(route.request.post_data_json["ids"]), content_type="application/octet-stream"))  # fmt: skip


def test_a_picture_that_is_still_made_says_so_and_comes_by_itself(visit):
    visitor = visit().create()
    make_no_pictures(visitor.page)
    visitor.add(file("IMG_0001.HEIC", b"\0\0\0\x18ftypheic\0\0\0\0heicmif1", "image/heic"))
    page = visitor.page
    page.route(re.compile("/api/timeline/"), lambda route: answer_with(route, picture="pending"))
    page.reload()
    visitor.cells().first.click()
    expect(visitor.dialog().get_by_text("Safelight is making a picture of it.")).to_be_visible()
    # Over the other answer, which stays: the host itself is never asked.
    page.route("**/api/photos/*/preview", lambda route: route.fulfill(body=picture(1), content_type="image/png"))
    expect(shown(visitor)).to_be_visible()


def test_a_tile_has_a_sign_while_its_picture_is_made_and_opens_before_its_photo_has_come(visit):
    visitor = visit().create().put(file("1.png", picture(1), "image/png"))
    page = visitor.page
    expect(page.locator(".cell img.is-here")).to_have_count(1)
    page.route(re.compile("/api/timeline/"), lambda route: answer_with(route, picture="pending", placeholder=None))
    gate = Gate(page, "**/api/thumbnails")
    page.reload()
    expect(visitor.cells().locator(".waiting")).to_be_visible()
    gate.open()
    expect(page.locator(".cell img.is-here")).to_have_count(1)
    expect(page.locator(".waiting")).to_have_count(0)
    page.unroute(re.compile("/api/timeline/"))
    gate = Gate(page, re.compile("/api/timeline/"))
    page.reload()
    page.get_by_role("button", name="Loading…").click()
    expect(visitor.dialog().get_by_role("heading", name="Loading…")).to_be_visible()
    for key in "id":
        page.keyboard.press(key)
    gate.open()
    expect(seen(visitor.dialog(), "1.png")).to_be_visible()
    expect(shown(visitor)).to_be_visible()


def photo_and_video(visit, seconds, viewport=PHONE):
    """A vault with `IMG_7.png`, a video of that name that lasts so long, and another photo."""
    visitor = visit(viewport=viewport).create()
    visitor.put(file("IMG_7.png", picture(7), "image/png"), file("IMG_7.webm", video(seconds), "video/webm"))
    # By itself, so that it is the newer one.
    return visitor.put(file("other.png", picture(8), "image/png"))


def pair(visitor, **columns):
    """From now on the host says that the two are a Live Photo, and `columns` of its photo."""

    def answer_paired(route):
        month = route.fetch().json()
        video_id = dict(zip(month["name"], month["id"])).get("IMG_7.webm")
        for column, value in {"liveVideo": video_id, **columns}.items():
            month[column] = [value if name == "IMG_7.png" else old for name, old in zip(month["name"], month[column])]
        route.fulfill(json=month)

    visitor.page.route(re.compile("/api/timeline/"), answer_paired)


def live_photo(visit, seconds, viewport=PHONE, **columns):
    """A vault with a Live Photo and another photo."""
    visitor = photo_and_video(visit, seconds, viewport)
    pair(visitor, **columns)
    visitor.page.reload()
    expect(visitor.cells()).to_have_count(2)
    return visitor


def test_a_live_photo_is_one_tile_whose_video_plays_in_the_viewer_where_keys_work_on(visit):
    visitor = live_photo(visit, seconds=30, viewport={"width": 1280, "height": 800})
    page, viewer = visitor.page, visitor.dialog()
    expect(page.get_by_text("2 items")).to_be_visible()
    tile = visitor.cell(re.compile("^Live Photo, IMG_7.png"))
    expect(tile.locator(".badge.is-live")).to_be_visible()
    tile.click()
    expect(viewer.get_by_text(re.compile("of 2$"))).to_be_visible()
    # What has the focus goes: the button, from a photo that has a video to one that has none.
    viewer.get_by_role("button", name="Play the Live Photo").focus()
    page.keyboard.press("ArrowLeft")
    expect(seen(viewer, "other.png")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(seen(viewer, "IMG_7.png")).to_be_visible()
    # The video, when it has ended.
    page.keyboard.press("Space")
    viewer.locator("video").focus()
    viewer.locator("video").dispatch_event("ended")
    expect(shown(visitor)).to_be_visible()
    page.keyboard.press("ArrowLeft")
    expect(seen(viewer, "other.png")).to_be_visible()
    # A button for a step, where there is none any further.
    page.keyboard.press("ArrowRight")
    expect(seen(viewer, "IMG_7.png")).to_be_visible()
    viewer.get_by_role("button", name="Previous").click()
    expect(seen(viewer, "other.png")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(seen(viewer, "IMG_7.png")).to_be_visible()
    viewer.get_by_role("button", name="Play the Live Photo").click()
    expect(viewer.locator("video, .cannot")).to_be_visible()
    with page.expect_download() as download:
        viewer.get_by_role("button", name="Download", exact=True).click()
    assert download.value.suggested_filename == "IMG_7.webm"
    viewer.get_by_role("button", name="Show the photo").click()
    expect(shown(visitor)).to_be_visible()
    viewer.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Delete 1").click()
    expect(seen(viewer, "other.png")).to_be_visible()
    visitor.close_viewer()
    expect(visitor.cells()).to_have_count(1)
    visitor.to_deleted()
    expect(visitor.cells()).to_have_count(2)


def test_a_video_plays_on_while_the_picture_of_its_photo_is_made(visit):
    visitor = live_photo(visit, seconds=30, picture="pending", type="image/heic", placeholder=None)
    page, viewer = visitor.page, visitor.dialog()
    make_no_pictures(page)
    page.reload()
    visitor.cell(re.compile("^Live Photo, IMG_7.png")).click()
    expect(viewer.get_by_text("Safelight is making a picture of it.")).to_be_visible()
    viewer.get_by_role("button", name="Play the Live Photo").click()
    page.wait_for_function("() => document.querySelector('.frame video')?.currentTime > 1.5")
    viewer.get_by_role("button", name="Show the photo").click()
    expect(viewer.get_by_text("Safelight is making a picture of it.")).to_be_visible()


def add_another(visitor, number):
    """So that the list is asked for again."""
    visitor.choose(file(f"new {number}.png", picture(number), "image/png"))


def test_a_video_comes_and_goes_while_its_photo_is_seen_and_is_deleted_with_what_was_picked_before_it_came(visit):
    visitor = photo_and_video(visit, seconds=1)
    viewer, page = visitor.dialog(), visitor.page
    expect(visitor.cells()).to_have_count(3)
    visitor.cell(re.compile("^Photo, IMG_7.png")).click()
    play = viewer.get_by_role("button", name="Play the Live Photo")
    expect(play).to_have_count(0)
    pair(visitor)
    add_another(visitor, 20)
    expect(play).to_be_visible()
    # An answer may be on its way still.
    page.unroute_all(behavior="wait")
    add_another(visitor, 21)
    expect(viewer.get_by_text(re.compile("of 5$"))).to_be_visible()
    expect(play).to_have_count(0)
    visitor.close_viewer()
    page.get_by_role("button", name="Select", exact=True).click()
    visitor.cell(re.compile("^Photo, IMG_7.png")).click()
    pair(visitor)
    add_another(visitor, 22)
    expect(visitor.cell(re.compile("^Live Photo, IMG_7.png"))).to_be_visible()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete 1").click()
    expect(page.get_by_role("paragraph").filter(has_text="1 moved to Recently deleted")).to_be_visible()
    assert sorted(visitor.originals()) == ["new 20.png", "new 21.png", "new 22.png", "other.png"]


def answer_with(route, **columns):
    """The host's own month, of which some is as if it were earlier."""
    month = route.fetch().json()
    route.fulfill(json={**month, **{name: [value] * len(month["id"]) for name, value in columns.items()}})


def test_the_next_picture_is_fetched_before_anybody_steps_to_it(visit, photos):
    visitor = visit().create()
    visitor.put(*[path for path in photos if "/gps/" in str(path)])
    visitor.wait_until_looked_into()
    fetched = set()

    def is_second(request):
        if request.url.endswith("/preview"):
            fetched.add(request.url)
        return len(fetched) == 2

    with visitor.page.expect_request(is_second):
        visitor.cells().first.click()


def test_fingers_step_enlarge_and_close(filled):
    visitor = filled(has_touch=True)
    page, viewer = visitor.page, visitor.dialog()
    devtools = visitor.context.new_cdp_session(page)
    # The neighbour is beside a photo while it is swiped.
    touch(devtools, "touchStart", (320, 400))
    touch(devtools, "touchMove", (250, 400))
    touch(devtools, "touchMove", (170, 400))
    beside = page.locator(".beside.is-next > *")
    expect(beside).to_be_visible()
    until(page, lambda: 150 < beside.bounding_box()["x"] < 300)
    name = page.locator(".frame > img").get_attribute("alt")
    touch(devtools, "touchEnd")
    expect(page.locator(f".frame > [alt='{name}']")).to_have_count(0)
    expect(shown(visitor)).to_be_in_viewport(ratio=0.3)
    expect(viewer.get_by_text("2 of 4")).to_be_visible()
    swipe(visitor, (60, 400), (320, 400))
    expect(viewer.get_by_text("1 of 4")).to_be_visible()
    # Before the first one there is nothing: it comes back.
    swipe(visitor, (60, 400), (320, 400))
    expect(shown(visitor)).to_be_in_viewport(ratio=0.3)
    expect(viewer.get_by_text("1 of 4")).to_be_visible()
    # Two quick swipes are two steps.
    for _ in range(2):
        touch(devtools, "touchStart", (320, 400))
        touch(devtools, "touchMove", (200, 400))
        touch(devtools, "touchMove", (60, 400))
        touch(devtools, "touchEnd")
    expect(viewer.get_by_text("3 of 4")).to_be_visible()
    expect(shown(visitor)).to_be_in_viewport(ratio=0.3)
    touch(devtools, "touchStart", (180, 400), (210, 400))
    touch(devtools, "touchMove", (120, 400), (270, 400))
    touch(devtools, "touchEnd")
    until(page, lambda: scale(page) > 2)
    # What is enlarged is moved, and nothing is stepped over or closed.
    swipe(visitor, (200, 300), (200, 600))
    expect(viewer.get_by_text("3 of 4")).to_be_visible()
    double_tap(visitor)
    until_scale(page, 1)
    swipe(visitor, (200, 300), (205, 600))
    expect(viewer).to_have_count(0)


def double_tap(visitor):
    """Two taps between which no time goes by, however busy the machine is."""
    page = visitor.page
    stop_clock(page)
    devtools = visitor.context.new_cdp_session(page)
    for _ in range(2):
        touch(devtools, "touchStart", (200, 400))
        touch(devtools, "touchEnd")
    page.clock.resume()


def test_the_bars_go_after_a_while_but_not_while_one_has_the_focus(filled):
    page = filled().page
    page.mouse.move(195, 400)
    stop_clock(page)
    page.clock.run_for(60_000)
    expect(page.locator(".viewer.is-idle")).to_be_attached()
    page.mouse.move(200, 410)
    expect(page.locator(".viewer.is-idle")).to_have_count(0)
    page.get_by_role("button", name="Info").focus()
    # Longer than they stay otherwise.
    page.clock.run_for(3500)
    expect(page.locator(".viewer.is-idle")).to_have_count(0)


def test_letters_are_keys_only_while_somebody_wants_them_and_a_question_mark_shows_what_keys_do(filled):
    visitor = filled(viewport={"width": 1440, "height": 900})
    page = visitor.page
    info = page.get_by_role("heading", name="Details")
    page.keyboard.press("i")
    expect(info).to_be_visible()
    page.get_by_role("checkbox", name="Keyboard shortcuts").uncheck()
    page.get_by_role("button", name="Info").click()
    expect(info).to_be_hidden()
    page.keyboard.press("i")
    for place, dialogs in (("One photo", 1), ("Photos", 0)):
        page.keyboard.press("?")
        help = page.get_by_role("dialog", name="Keyboard shortcuts")
        expect(help).to_be_visible()
        expect(help.get_by_role("heading", level=3).first).to_have_text(place)
        expect(help).to_contain_text("Zoom in")
        # What was pressed before has done nothing.
        expect(info).to_be_hidden()
        page.keyboard.press("Escape")
        expect(help).to_have_count(0)
        expect(visitor.dialog()).to_have_count(dialogs)
        if dialogs:
            visitor.close_viewer()


def test_a_hundred_quick_steps_leave_few_requests_alive(visitor):
    visitor.create()
    ManyPhotos(visitor, 5000)
    page = visitor.page
    alive, held = set(), []
    page.on("requestfailed", lambda request: alive.discard(request))

    def hold(route):
        alive.add(route.request)
        held.append(route)

    page.route("**/preview", hold)
    page.reload()
    # The photo of the first place, not that of the first month to come.
    expect(page.locator("button.cell").first).to_have_attribute("data-id", re.compile("."))
    visitor.cells().first.click()
    expect(visitor.dialog().get_by_text("1 of 5,000")).to_be_visible()
    for _ in range(100):
        page.keyboard.press("ArrowRight")
    expect(visitor.dialog().get_by_text("101 of 5,000")).to_be_visible()
    # What was given up is told of a moment later.
    until(page, lambda: len(alive) <= 3)
    assert alive


def test_a_step_to_a_photo_that_has_not_come_is_made_when_it_is_here(visitor):
    visitor.create()
    ManyPhotos(visitor, 2, months=2)
    page, viewer = visitor.page, visitor.dialog()
    page.route("**/api/photos/*/preview", lambda route: route.fulfill(body=picture(1), content_type="image/png"))
    gate = Gate(page, re.compile("/api/timeline/2026-10"))
    page.reload()
    visitor.cells().first.click()
    expect(viewer.get_by_text("1 of 2")).to_be_visible()
    page.keyboard.press("ArrowRight")
    until(page, lambda: gate.waiting)
    expect(seen(viewer, "00000.jpg")).to_be_visible()
    gate.open(lambda route: route.fallback())
    expect(viewer.get_by_text("2 of 2")).to_be_visible()
    expect(seen(viewer, "00001.jpg")).to_be_visible()


# A browser that takes its time to go back.
SLOW_BACK = """
    history.back = () => setTimeout(() => History.prototype.back.call(history), 500);
    addEventListener("popstate", () => { window.isBack = true; });
"""


def test_what_is_opened_right_after_another_was_closed_stays_and_no_picture_outlives_the_viewer(filled):
    visitor = filled()
    page = visitor.page
    source = shown(visitor).get_attribute("src")
    assert source.startswith("blob:")
    page.evaluate(SLOW_BACK)
    page.keyboard.press("Escape")
    expect(page.locator("dialog.viewer")).to_have_count(0)
    visitor.cells().first.click()
    page.wait_for_function("() => window.isBack")
    expect(shown(visitor)).to_be_visible()
    page.go_back()
    expect(visitor.dialog()).to_have_count(0)
    # It is hidden at once; what it holds it gives up when it hears that it was closed, and leaves the history then.
    page.wait_for_function("() => !history.state?.viewer")
    assert not page.evaluate(
        "(source) => { const image = new Image(); image.src = source; return image.decode().then(() => true, () => false); }",
        source,
    )


def video_on_a_phone(visit):
    """A video between two photos, in the viewer of a phone."""
    visitor = visit(has_touch=True, is_mobile=True).create()
    for one in (file("1.png", picture(1), "image/png"), file("2.webm", video(30), "video/webm"), file("3.png", picture(3), "image/png")):
        visitor.put(one)
    visitor.wait_until_looked_into()
    visitor.install_clock()
    visitor.cell(re.compile("2.webm")).tap()
    visitor.page.wait_for_function("() => document.querySelector('dialog video')?.readyState >= 1")
    return visitor


def test_a_tap_on_a_video_brings_the_bars_and_a_finger_leaves_it_to_either_side_and_down(visit):
    visitor = video_on_a_phone(visit)
    page = visitor.page
    idle = re.compile("is-idle")
    stop_clock(page)
    page.clock.run_for(10_000)
    # They stay while it rests.
    expect(page.locator("dialog.viewer")).not_to_have_class(idle)
    page.locator("dialog video").evaluate("video => { video.muted = true; return video.play(); }")
    # Events of the video come by themselves.
    until(page, lambda: page.clock.run_for(4000) or page.locator("dialog.viewer.is-idle").count() == 1)
    page.touchscreen.tap(195, 300)
    expect(page.locator("dialog.viewer")).not_to_have_class(idle)
    page.locator("dialog video").evaluate("video => video.pause()")
    page.clock.run_for(10_000)
    expect(page.locator("dialog.viewer")).not_to_have_class(idle)
    page.clock.resume()
    name = page.locator(".frame video").get_attribute("aria-label")
    swipe(visitor, (320, 350), (60, 355))
    expect(page.locator(f".frame [aria-label='{name}']")).to_have_count(0)
    swipe(visitor, (60, 350), (320, 355))
    expect(page.locator(f".frame [aria-label='{name}']")).to_have_count(1)
    # The browser's own controls are the browser's.
    bottom = page.locator(".frame video").bounding_box()
    y = bottom["y"] + bottom["height"] - 20
    swipe(visitor, (320, y), (60, y))
    expect(page.locator(f".frame [aria-label='{name}']")).to_have_count(1)
    swipe(visitor, (195, 250), (200, 560))
    expect(visitor.dialog()).to_have_count(0)


def test_a_video_plays_from_a_range_with_a_poster(visit, tmp_path):
    path = tmp_path / "clip.mp4"
    subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=10", "-t", "2", "-pix_fmt", "yuv420p",
         "-movflags", "+faststart", str(path)], check=True,
    )  # fmt: skip
    visitor = visit().create().put(path)
    # Before that there is no poster.
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.page.locator(".cell img.is-here")).to_have_count(1, timeout=SLOW)
    expect(visitor.page.locator(".badge")).to_have_text("0:02", timeout=SLOW)
    asked = []
    visitor.page.on("request", lambda request: asked.append(request))
    visitor.cells().first.click()
    visitor.page.wait_for_function("() => document.querySelector('video')?.readyState >= 1")
    expect(visitor.page.locator("video")).to_have_attribute("poster", re.compile("/preview$"))
    assert any("range" in request.all_headers() for request in asked if request.url.endswith("/original"))


@pytest.mark.nightly("engines")
def test_firefox_shows_steps_and_closes(filled, firefox):
    visitor = filled(browser=firefox)
    visitor.page.keyboard.press("End")
    expect(visitor.dialog().get_by_text("4 of 4")).to_be_visible()
    visitor.page.keyboard.press("Escape")
    expect(visitor.dialog()).to_have_count(0)
    expect(visitor.cells().nth(3)).to_be_focused()


def test_save_to_photos_and_share_hand_the_files_to_the_phone(visit):
    visitor = visit(has_touch=True, is_mobile=True)
    share = """
        navigator.canShare = () => true;
        navigator.share = async ({ files }) => {
            window.shared = await Promise.all(files.map(async (file) => `${file.name} ${await file.text()}`));
        };
    """
    visitor.context.add_init_script(share)
    jpeg = b"\xff\xd8\xff\xe0 "
    visitor.create().put(file("one.jpg", jpeg + b"one"), file("two.jpg", jpeg + b"two"))
    page = visitor.page
    expect(visitor.cells()).to_have_count(2)
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Save to Photos").click()
    page.wait_for_function("() => window.shared?.length === 2")
    assert sorted(name.split()[0] for name in page.evaluate("window.shared")) == ["one.jpg", "two.jpg"]
    # One photo, from the viewer.
    expect(page.locator(".picked")).to_have_count(0)
    visitor.cell(re.compile("one.jpg")).tap()
    visitor.dialog().get_by_role("button", name="Share").click()
    page.wait_for_function("() => window.shared.length === 1 && window.shared[0].startsWith('one.jpg')")


def heading(visitor):
    return visitor.dialog().get_by_role("heading", level=1)


FLIGHT = """() => {
    window.flights = [];
    new MutationObserver((changes) => { for (const { addedNodes } of changes) for (const node of addedNodes)
        if (node.classList?.contains("flying")) {
            const [flight] = node.getAnimations();
            window.flights.push(flight.effect.getKeyframes().map(({ left, top, width }) => [left, top, width].map(parseFloat)));
        } }).observe(document.body, { childList: true, subtree: true });
}"""


def test_a_photo_goes_back_to_its_tile_where_motion_is_wanted(filled):
    visitor = filled(viewport={"width": 1200, "height": 800})
    page = visitor.page
    page.evaluate(FLIGHT)
    page.keyboard.press("ArrowRight")
    expect(visitor.dialog().get_by_text("2 of 4")).to_be_visible()
    expect(shown(visitor)).to_be_visible()
    until_scale(page, 1)
    visitor.close_viewer()
    [[begin, end]] = page.evaluate("window.flights")
    tile = visitor.cells().nth(1).locator(".face").bounding_box()
    assert end == pytest.approx([tile["x"], tile["y"], tile["width"]], abs=1)
    assert begin[2] > 2 * end[2]
    # Nothing of it stays.
    expect(page.locator(".flying")).to_have_count(0)
    page.emulate_media(reduced_motion="reduce")
    visitor.cells().first.click()
    expect(shown(visitor)).to_be_visible()
    visitor.close_viewer()
    assert len(page.evaluate("window.flights")) == 1


def test_a_double_tap_enlarges_without_touching_the_bars(filled):
    visitor = filled(has_touch=True)
    page = visitor.page
    stop_clock(page)
    # Since it was opened, so much time may have gone by that the bars would go by themselves.
    page.mouse.move(195, 300)
    page.evaluate("""() => {
        window.flickers = 0;
        new MutationObserver(() => { window.flickers += 1; })
            .observe(document.querySelector("dialog.viewer"), { attributeFilter: ["class"] });
    }""")
    page.touchscreen.tap(195, 400)
    page.touchscreen.tap(195, 400)
    until(page, lambda: scale(page) > 1.1)
    page.clock.run_for(1000)
    assert page.evaluate("window.flickers") == 0


SHARE = """
    navigator.canShare = () => true;
    window.times = 0;
    navigator.share = async ({ files }) => {
        window.times += 1;
        if (window.times === 1) throw new DOMException("", "NotAllowedError");
        window.shared = files.map(({ name }) => name);
    };
"""


def test_sharing_says_how_far_it_is_and_fetches_each_photo_once(visit):
    visitor = visit(has_touch=True, is_mobile=True)
    visitor.context.add_init_script(SHARE)
    visitor.create().put(file("one.png", picture(1), "image/png"), file("two.png", picture(2), "image/png"))
    visitor.wait_until_looked_into()
    page = visitor.reload()
    expect(visitor.cells()).to_have_count(2)
    asked = []
    page.on("request", lambda request: asked.append(request.url) if request.url.endswith("/original") else None)
    gate = Gate(page, "**/original")
    page.get_by_role("button", name="Select", exact=True).click()
    page.get_by_role("button", name="Select all").click()
    page.get_by_role("button", name="Save to Photos").click()
    expect(visitor.dialog().get_by_text("0 of 2")).to_be_visible()
    gate.open()
    expect(visitor.dialog().get_by_text("2 items are ready.")).to_be_visible()
    visitor.dialog().get_by_role("button", name="Save to Photos").click()
    page.wait_for_function("() => window.shared?.length === 2")
    expect(visitor.dialog()).to_have_count(0)
    assert len(asked) == 2


def test_what_other_programs_put_beside_a_photo_is_among_its_facts_and_no_tile(visit):
    visitor = visit().create()
    # A form takes every kind of file; the page's own inputs would hide some.
    visitor.add(file("IMG_7.png", picture(7), "image/png"), file("IMG_7.AAE", b"<plist/>", "text/xml"))
    visitor.page.reload()
    expect(visitor.cells()).to_have_count(1)
    visitor.cells().first.click()
    viewer = visitor.dialog()
    viewer.get_by_role("button", name="Info").click()
    with visitor.page.expect_download() as download:
        viewer.get_by_role("button", name=re.compile("^IMG_7.AAE")).click()
    assert download.value.path().read_bytes() == b"<plist/>"
    visitor.close_viewer()
    visitor.cells().first.click()
    viewer.get_by_role("button", name="Delete").click()
    visitor.page.get_by_role("button", name="Delete 1").click()
    expect(visitor.cells()).to_have_count(0)
    visitor.to_deleted()
    expect(visitor.cells()).to_have_count(1)


def test_the_video_in_a_photo_s_own_file_plays_in_its_place(visit):
    """The tile says that it moves and that it is bright, and the download is the photo."""
    visitor = visit().create().put(file("IMG_7.png", picture(7), "image/png"))

    def answer_moving(route):
        month = route.fetch().json()
        month["motion"], month["gainMap"] = [[value for _ in month["id"]] for value in (1000, True)]
        route.fulfill(json=month)

    visitor.page.route(re.compile("/api/timeline/"), answer_moving)
    visitor.page.route(re.compile("/motion$"), lambda route: route.fulfill(body=video(30), content_type="video/webm"))
    visitor.page.reload()
    tile = visitor.cell(re.compile("^Live Photo, IMG_7.png"))
    expect(tile.locator(".badge.is-live")).to_be_visible()
    tile.click()
    viewer = visitor.dialog()
    viewer.get_by_role("button", name="Play the Live Photo").click()
    visitor.page.wait_for_function("() => document.querySelector('.frame video')?.currentTime > 0.2")
    assert viewer.locator("video").get_attribute("src").endswith("/motion")
    with visitor.page.expect_download() as download:
        viewer.get_by_role("button", name="Download", exact=True).click()
    assert download.value.suggested_filename == "IMG_7.png"
    viewer.get_by_role("button", name="Show the photo").click()
    expect(shown(visitor)).to_be_visible()
