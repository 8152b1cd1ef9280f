"""Several devices and tabs at one vault: what one of them does, the others see by themselves."""

import pytest
from playwright.sync_api import expect
from seeding import ALL_SHOWN, picture, seed
from visitor import choose_slow, file, stop_clock, until

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"


def two_devices(visit, **options):
    """A laptop with a vault of 60 photos, and a phone in the same vault."""
    laptop = visit(viewport={"width": 1200, "height": 800}).create()
    seed(laptop, 60)
    laptop.reload()
    expect(laptop.page.get_by_text("60 items")).to_be_visible()
    return laptop, visit(user_agent=IPHONE, **options).open()


def test_a_laptop_says_how_far_a_phone_is_and_what_it_sends_appears_and_what_it_deletes_goes(visit):
    laptop, phone = two_devices(visit)
    gate = choose_slow(phone)
    expect(laptop.page.locator(".is-sending")).to_have_text("A phone is sending: 0 of 6")
    # Not of itself.
    expect(phone.page.locator(".is-sending")).to_have_count(0)
    gate.open()
    expect(laptop.page.locator(".is-sending")).to_have_count(0)
    expect(laptop.page.get_by_text("66 items")).to_be_visible()
    expect(laptop.cell("slow 0.jpg")).to_be_visible()
    phone.cells().first.click()
    phone.dialog().get_by_role("button", name="Delete").click()
    phone.page.get_by_role("button", name="Delete 1").click()
    expect(laptop.page.get_by_text("65 items")).to_be_visible()


def test_nothing_moves_under_the_eye_when_a_phone_sends(visit):
    laptop, phone = two_devices(visit)
    laptop.page.evaluate("scrollTo(0, 900)")
    middle = "[...document.querySelectorAll('.cell[data-id]')].find((cell) => cell.getBoundingClientRect().top > 300)"
    laptop.page.wait_for_function(f"() => scrollY > 800 && {middle}")
    id = laptop.page.evaluate(f"{middle}.dataset.id")
    place = lambda: laptop.page.locator(f"[data-id='{id}']").bounding_box()["y"]  # noqa: E731
    # What stands above it may still get its height, in a frame to come.
    laptop.page.wait_for_function(ALL_SHOWN)
    frames = "new Promise((resolve) => { requestAnimationFrame(() => requestAnimationFrame(resolve)); })"
    before = None
    while before != (before := place()):
        laptop.page.evaluate(frames)
    phone.choose(*[file(f"new {index}.png", picture(1000 + index), "image/png") for index in range(9)])
    expect(laptop.page.get_by_text("69 items")).to_be_visible()
    until(laptop.page, lambda: abs(place() - before) < 2)


def test_what_a_phone_sends_is_seen_elsewhere_before_the_host_has_looked_into_it(visit, start_daemon):
    # Nobody makes pictures, and of a PNG none stands in its head: only the phone has them.
    host = start_daemon(environment={"SAFELIGHT_IMAGING_WORKERS": "0"})
    phone = visit(url=host.url, user_agent=IPHONE).create()
    given = []
    phone.context.on("request", lambda request: given.append(request) if request.method == "PUT" else None)
    phone.choose(*[file(f"new {index}.png", picture(2000 + index, 40), "image/png") for index in range(5)])
    until(phone.page, lambda: len([one for one in given if one.response()]) == 5)
    assert {one.response().status for one in given} == {200}
    assert all(one.url.endswith("/thumbnail") and one.post_data_buffer[:3] == b"\xff\xd8\xff" for one in given)
    asked = []
    laptop = visit(url=host.url, viewport={"width": 1200, "height": 800})
    laptop.context.on("request", lambda request: asked.append(request.url))
    laptop.open()
    expect(laptop.page.locator(".cell img.is-here")).to_have_count(5)
    sources = laptop.page.eval_on_selector_all(".cell img", "images => images.map(({ src, naturalWidth }) => [src.slice(0, 5), naturalWidth])")
    # As large as the file, or as the tile that the phone shows of it.
    assert {source for source, _ in sources} == {"blob:"} and {width for _, width in sources} <= {40, 320}
    # Nothing but the small pictures was fetched for that.
    assert not [url for url in asked if url.endswith("/original")]


HEAR = """() => {
    window.heard = 0;
    new BroadcastChannel("safelight").onmessage = ({ data }) => { if (data.event === "news") window.heard += 1; };
}"""


def heard_by(tabs):
    """How often each has heard of an answer that another one got."""
    return [tab.page.evaluate("window.heard") for tab in tabs]


def until_five_hear_more(tabs, heard):
    until(tabs[0].page, lambda: sum(now > then for now, then in zip(heard_by(tabs), heard, strict=True)) >= 5)


def test_of_six_tabs_one_asks_for_all_and_all_of_them_hear(visit):
    first = visit(viewport={"width": 800, "height": 600}).create()
    clock = first.context.clock
    clock.install()
    tabs = [first] + [visit(context=first.context) for _ in range(5)]
    for tab in tabs:
        expect(tab.page.get_by_text("No photos yet")).to_be_visible()
        tab.page.evaluate(HEAR)
    stop_clock(first.page, clock)
    asked, unanswered = [], set()

    def note(request):
        if request.method == "GET" and request.url.endswith("/api/session"):
            asked.append(request)
            unanswered.add(request)

    first.context.on("request", note)
    first.context.on("requestfinished", lambda request: unanswered.discard(request))
    for _ in range(24):
        count, heard = len(asked), heard_by(tabs)
        clock.run_for(500)
        until(first.page, lambda: not unanswered)
        if len(asked) > count:
            # A tab that has heard of an answer asks later than that.
            until_five_hear_more(tabs, heard)
    # In these twelve seconds each would ask four times, for itself.
    assert 3 <= len(asked) <= 10, len(asked)
    clock.resume()
    seed(first, 3)
    for tab in tabs:
        expect(tab.page.locator(".cell img.is-here")).to_have_count(3)


@pytest.mark.nightly("sizes")
def test_six_tabs_that_wait_for_pictures_leave_connections_for_an_upload(visit, start_daemon):
    # Nobody makes pictures: whoever asks for one waits.
    host = start_daemon(environment={"SAFELIGHT_IMAGING_WORKERS": "0"})
    first = visit(url=host.url, viewport={"width": 800, "height": 600}).create()
    seed(first, 30)
    waiting, most = set(), []

    def note(request):
        if request.url.endswith("/api/thumbnails") and request.post_data_json["wait"] > 1:
            waiting.add(request)
            most.append(len(waiting))

    first.context.on("request", note)
    for event in ("requestfinished", "requestfailed"):
        first.context.on(event, lambda request: waiting.discard(request))
    tabs = [visit(url=host.url, context=first.context) for _ in range(6)]
    for tab in tabs:
        expect(tab.cells().first).to_be_visible()
    until(first.page, lambda: len(most) >= 2)
    tabs[-1].choose(file("one.jpg", b"one"))
    expect(tabs[-1].title_of_upload()).to_have_text("1 saved")
    # Two wait; the end of each may be told a moment after the beginning of the next, which another process tells. Each for
    # itself they would be six.
    assert max(most) <= 4


def test_a_page_that_somebody_comes_back_to_asks_at_once(visit):
    visitor = visit().create()
    visitor.install_clock()
    page = visitor.page
    stop_clock(page)
    seed(visitor, 2)
    # No timer runs. What was asked before may be answered by what was there then.
    until(page, lambda: page.evaluate("window.dispatchEvent(new Event('focus'))") and visitor.cells().count() == 2)


def test_the_page_says_quietly_how_many_pictures_are_still_to_be_made(visitor):
    left = [240]

    def answer(route):
        told = route.fetch()
        route.fulfill(response=told, json={**told.json(), **({"picturesLeft": left[0]} if left[0] else {})})

    visitor.create()
    visitor.page.route(lambda url: url.endswith("/api/session"), answer)
    said = visitor.page.locator(".is-sending")
    expect(said).to_have_text("The pictures of 240 photos are still being made")
    # Nobody is told of what is done before it is read.
    left[0] = 3
    expect(said).to_have_count(0)
    visitor.page.unroute_all(behavior="wait")
