"""Several devices and tabs at one vault: what one of them does, the others see by themselves."""

import time

from playwright.sync_api import expect
from seeding import picture, seed
from visitor import choose_slow, file, until

IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"


def two_devices(visit, **options):
    """A laptop with a vault of 60 photos, and a phone in the same vault."""
    laptop = visit(viewport={"width": 1200, "height": 800}).create()
    seed(laptop, 60)
    laptop.reload()
    expect(laptop.page.get_by_text("60 items")).to_be_visible()
    return laptop, visit(user_agent=IPHONE, **options).open()


def test_what_a_phone_sends_appears_on_the_laptop_and_what_it_deletes_goes(visit):
    laptop, phone = two_devices(visit)
    phone.add(file("from the phone.png", picture(900), "image/png"))
    expect(laptop.cell("from the phone.png")).to_be_visible()
    expect(laptop.page.get_by_text("61 items")).to_be_visible()
    phone.cells().first.click()
    phone.dialog().get_by_role("button", name="Delete").click()
    phone.page.get_by_role("button", name="Delete 1").click()
    expect(laptop.page.get_by_text("60 items")).to_be_visible()


def test_nothing_moves_under_the_eye_when_a_phone_sends(visit):
    laptop, phone = two_devices(visit)
    laptop.page.evaluate("scrollTo(0, 900)")
    middle = "[...document.querySelectorAll('.cell[data-id]')].find((cell) => cell.getBoundingClientRect().top > 300)"
    laptop.page.wait_for_function(f"() => scrollY > 800 && {middle}")
    id = laptop.page.evaluate(f"{middle}.dataset.id")
    place = lambda: laptop.page.locator(f"[data-id='{id}']").bounding_box()["y"]  # noqa: E731
    before = place()
    phone.choose(*[file(f"new {index}.png", picture(1000 + index), "image/png") for index in range(9)])
    expect(laptop.page.get_by_text("69 items")).to_be_visible()
    assert abs(place() - before) < 2


def test_a_laptop_says_how_far_a_phone_is_and_not_of_itself(visit):
    laptop, phone = two_devices(visit)
    gate = choose_slow(phone)
    expect(laptop.page.locator(".is-sending")).to_have_text("A phone is sending: 0 of 6")
    expect(phone.page.locator(".is-sending")).to_have_count(0)
    gate.open()
    expect(laptop.page.locator(".is-sending")).to_have_count(0)
    expect(laptop.page.get_by_text("66 items")).to_be_visible()


def test_of_six_tabs_one_asks_for_all_and_all_of_them_hear(visit):
    first = visit(viewport={"width": 800, "height": 600}).create()
    tabs = [first] + [visit(context=first.context) for _ in range(5)]
    for tab in tabs:
        expect(tab.page.get_by_text("No photos yet")).to_be_visible()
    asked = []
    is_question = lambda request: request.method == "GET" and request.url.endswith("/api/session")  # noqa: E731
    first.context.on("request", lambda request: asked.append(time.monotonic()) if is_question(request) else None)
    until(first.page, lambda: len(asked) >= 5)
    # Each for itself they would ask ten times in that time.
    assert asked[4] - asked[0] > 5
    seed(first, 3)
    for tab in tabs:
        expect(tab.page.locator(".cell img.is-here")).to_have_count(3)


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
    # Two wait; the end of one may be told a moment after the beginning of the next, which another process tells.
    assert max(most) <= 3


def test_a_page_that_somebody_comes_back_to_asks_at_once(visit):
    visitor = visit().create()
    page = visitor.page
    visitor.install_clock()
    expect(page.get_by_text("No photos yet")).to_be_visible()
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 60)
    seed(visitor, 2)
    # No timer runs. What was asked before may be answered by what was there then.
    until(page, lambda: page.evaluate("window.dispatchEvent(new Event('focus'))") and visitor.cells().count() == 2)
