"""What the page costs: what can be counted is asserted, what depends on the machine is printed."""

import re

import pytest
from playwright.sync_api import expect

# Kept by the page from its first moment; a layout shift right after somebody's act is not counted by browsers either.
OBSERVE = """
    window.shifts = [];
    window.largest = 0;
    window.late = [];
    new PerformanceObserver((list) => { for (const one of list.getEntries())
        if (!one.hadRecentInput) window.shifts.push(one.value); }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver((list) => { for (const one of list.getEntries())
        window.largest = one.startTime; }).observe({ type: "largest-contentful-paint", buffered: true });
    new PerformanceObserver((list) => { for (const one of list.getEntries())
        window.late.push(one.duration); }).observe({ type: "longtask", buffered: true });
"""
# Of what is seen: the head of a page that is not packed names each script.
NODES = "document.querySelectorAll('body *').length"
MEASURED = "({ shift: window.shifts.reduce((sum, one) => sum + one, 0), largest: window.largest, late: window.late })"


@pytest.fixture
def door(chromium, start_daemon, packed_page):
    """The door as it is installed, on a phone four times slower than this machine, with nothing in its cache; what came, by its address."""
    daemon = start_daemon(www=packed_page)
    context = chromium.new_context(viewport={"width": 390, "height": 844}, locale="en-GB")
    context.add_init_script(OBSERVE)
    page = context.new_page()
    came = {}
    page.on("requestfinished", lambda request: came.update({request.url.removeprefix(daemon.url): request}))
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    speed = 30_000_000 / 8
    devtools.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 10, "downloadThroughput": speed, "uploadThroughput": speed},
    )
    page.goto(daemon.url)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    # What is fetched while somebody types a password is not what the door waits for.
    needed = {"/", *re.findall(r'(?:src|rel="stylesheet" href)="([^"]+)"', (packed_page / "index.html").read_text())}
    page.wait_for_load_state("networkidle")
    yield page, {path: request for path, request in came.items() if path in needed or re.fullmatch("/i18n/[^/]+", path)}
    context.close()


def test_the_door_stays_within_its_budget(door, capsys):
    page, came = door
    packed = sum(request.sizes()["responseBodySize"] for request in came.values())
    measured = page.evaluate(MEASURED)
    with capsys.disabled():
        print(
            f"\ndoor: {len(came)} requests, {packed:,} bytes packed, {page.evaluate(NODES)} nodes, "
            f"layout shift {measured['shift']:.4f}; at a quarter of this machine's speed: largest paint after "
            f"{measured['largest']:.0f} ms, longest task {max(measured['late'], default=0):.0f} ms"
        )
    assert {"/", "/css/page.css", "/i18n/en.js"} < came.keys()
    assert all(request.response().header_value("Content-Encoding") == "gzip" for request in came.values())
    assert len(came) <= 12
    assert packed <= 40_000
    assert page.evaluate(NODES) <= 200
    assert measured["shift"] <= 0.02


def test_photos_come_without_moving_what_is_there(visit, photos):
    there = visit().create().put(*[path for path in photos if "/gps/" in str(path)])
    # Until the host knows when they were taken, they change places.
    there.wait_until_looked_into()
    page = visit().page
    page.evaluate(f"() => {{ {OBSERVE} }}")
    page.get_by_label("Password", exact=True).fill("paper lantern over water")
    page.keyboard.press("Enter")
    expect(page.locator(".cell img.is-here")).to_have_count(4, timeout=60_000)
    assert page.evaluate("window.shifts.reduce((sum, one) => sum + one, 0)") <= 0.02
    assert page.evaluate(NODES) <= 280
