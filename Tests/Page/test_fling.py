"""Scrolling fast: what is drawn on the way, and a fling through 50,000 photos."""

import pytest
from cases import in_nightly
from seeding import ALL_SHOWN, many, picture
from visitor import file

MOST_NODES = 1500
NODES = "document.querySelectorAll('*').length"
# What the middle of the window shows in every third frame, after the frame has been drawn: asking takes time itself.
WATCH = """
    window.seen = { long: [], frames: 0, nodes: 0, picture: 0, colour: 0, grid: 0, nothing: 0 };
    new PerformanceObserver((list) => window.seen.long.push(...list.getEntries().map((entry) => entry.duration)))
        .observe({ type: "longtask" });
    {
        const y = innerHeight / 2;
        const isThere = (one) => one.getBoundingClientRect().top <= y && one.getBoundingClientRect().bottom > y;
        const look = () => {
            const middle = document.elementFromPoint(innerWidth / 3, y);
            const cell = middle?.closest(".cell");
            if (cell?.querySelector("img.is-here") || middle?.closest(".month-head")) return "picture";
            const strips = [...document.querySelectorAll(".strip")].filter((one) => one.style.backgroundImage.includes("rgb"));
            if (cell?.querySelector(".face").style.backgroundColor || strips.some(isThere)) return "colour";
            return middle?.closest(".month") ? "grid" : "nothing";
        };
        const channel = new MessageChannel();
        channel.port1.onmessage = () => {
            window.seen[look()] += 1;
            window.seen.nodes = Math.max(window.seen.nodes, document.querySelectorAll("*").length);
        };
        const watch = () => {
            window.seen.frames += 1;
            if (window.seen.frames % 3 === 0) channel.port2.postMessage(null);
            requestAnimationFrame(watch);
        };
        requestAnimationFrame(watch);
    }
"""

# A clock that goes on by more than a slice whenever somebody looks at it.
SLOW_CLOCK = """
    const now = performance.now.bind(performance);
    let later = 0;
    performance.now = () => now() + (later += 20);
"""

# What is drawn in which frame: requests that begin while one is drawn, and how many rows a month holds that is put away.
WATCH_FRAMES = """() => {
    window.watched = { requests: 0, inFrames: 0, putAway: [] };
    let isInFrame = false;
    const request = window.requestAnimationFrame;
    window.requestAnimationFrame = (draw) => request((time) => {
        isInFrame = true;
        draw(time);
        // After whatever the drawing has left for later in the same task.
        queueMicrotask(() => { isInFrame = false; });
    });
    const { fetch } = window;
    window.fetch = (...all) => {
        window.watched.requests += 1;
        if (isInFrame) window.watched.inFrames += 1;
        return fetch(...all);
    };
    new MutationObserver((records) => records.forEach(({ removedNodes }) => removedNodes.forEach((one) => {
        if (one.matches?.(".rows")) window.watched.putAway.push(one.children.length);
    }))).observe(document.querySelector(".sections"), { subtree: true, childList: true });
}"""
WATCH_COLOURS = """() => {
    window.wasColoured = false;
    const isColoured = (one) => one.style.backgroundImage.includes("rgb");
    new MutationObserver(() => { window.wasColoured ||= [...document.querySelectorAll(".strip")].some(isColoured); })
        .observe(document.body, { subtree: true, childList: true, attributes: true, attributeFilter: ["style"] });
}"""
# Longer than scrolling is awaited after its last movement.
WAIT_FOR_FRAMES = """async (from) => {
    const frame = () => new Promise((resolve) => { requestAnimationFrame(resolve); });
    while (scrollY === from) await frame();
    for (let frames = 0; frames < 30; frames += 1) await frame();
}"""


def test_no_colours_lie_over_photos_where_the_page_itself_has_scrolled(visitor):
    made = many(visitor, 3000)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    page.evaluate(WATCH_COLOURS)
    visitor.cells().first.focus()
    for key in ("Control+End", "Control+Home", "PageDown", "PageDown", "PageDown"):
        from_y = page.evaluate("scrollY")
        page.keyboard.press(key)
        page.evaluate(WAIT_FOR_FRAMES, from_y)
    # So many more that what is in the window goes on by several of its heights.
    made.add(300)
    from_y = page.evaluate("scrollY")
    visitor.choose(file("new.png", picture(1), "image/png"))
    page.evaluate(WAIT_FOR_FRAMES, from_y)
    # The new photo's own row may come first, and the others with the next look at the list.
    page.wait_for_function("(from) => scrollY - from > 2000", arg=from_y)
    page.wait_for_function(ALL_SHOWN)
    assert not page.evaluate("window.wasColoured")


def test_what_comes_with_photos_elsewhere_is_not_all_in_one_frame(visitor):
    """And all of it comes, on a machine for which every slice is too short."""
    visitor.context.add_init_script(SLOW_CLOCK)
    many(visitor, 50_000)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    page.evaluate(WATCH_FRAMES)
    page.evaluate("scrollTo(0, 1_000_000)")
    page.wait_for_function(ALL_SHOWN)
    watched = page.evaluate("window.watched")
    # Months and thumbnails.
    assert watched["requests"] >= 2
    assert watched["inFrames"] == 0
    # Row by row they have gone to where somebody is now.
    assert watched["putAway"]
    assert max(watched["putAway"]) == 0


def test_all_months_stand_there_on_a_plain_ground_and_those_near_have_rows(visitor):
    many(visitor, 5000)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    assert page.locator(".month").count() == 120
    # 42 photos in rows of three.
    bare = "months => new Set(months.map((month) => parseFloat(month.style.getPropertyValue('--bare')))).size"
    assert page.locator(".month").evaluate_all(bare) <= 2
    row_height = page.locator(".row").first.evaluate("row => row.getBoundingClientRect().height")
    assert abs(page.locator(".month").first.evaluate("one => parseFloat(one.style.getPropertyValue('--bare'))") - 14 * row_height) < 1
    assert 1 <= page.locator(".month .rows").count() <= 3
    drawn = page.locator(".month").first.evaluate("""(month) => {
        const { backgroundRepeat, backgroundSize } = getComputedStyle(month, "::before");
        return [backgroundRepeat.split(", "), backgroundSize.split(", ")];
    }""")
    # Lines between three columns.
    assert drawn[0][:-1] == ["no-repeat"] * 2
    assert drawn[1][:-1] == ["2px 100%"] * 2
    # Another month in the list of months is not measured.
    widths = page.locator(".jump select").evaluate("""(select) => {
        const before = select.offsetWidth;
        select.add(new Option("a month with a name longer than any other".repeat(9), ""));
        return [before, select.offsetWidth];
    }""")
    assert widths[0] == widths[1]


@pytest.mark.parametrize("slowness", [1, in_nightly("sizes", 4)])
def test_a_fling_through_fifty_thousand_photos_ends_with_all_pictures_and_few_elements(visitor, capsys, slowness):
    made = many(visitor, 50_000)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height > 2_000_000
    devtools = visitor.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": slowness})
    page.evaluate(WATCH)
    made.asked.clear()
    for distance in (-12_000, -60_000, -300_000):
        devtools.send("Input.synthesizeScrollGesture", {
            "x": 190, "y": 500, "yDistance": distance, "speed": abs(distance) // 2, "gestureSourceType": "mouse",
        })  # fmt: skip
    page.wait_for_function(ALL_SHOWN)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 1})
    devtools.send("Performance.enable")
    heap = {entry["name"]: entry["value"] for entry in devtools.send("Performance.getMetrics")["metrics"]}["JSHeapUsedSize"]
    seen = page.evaluate("window.seen")
    assert page.evaluate("scrollY") > 300_000
    assert max(seen["nodes"], page.evaluate(NODES)) <= MOST_NODES
    assert page.evaluate("document.documentElement.scrollHeight") == height
    # Months that flew past are not asked for one by one.
    assert len(made.asked) < 200
    # However slow the machine is: where photos are, something of them is seen.
    assert seen["nothing"] == 0
    with capsys.disabled():
        long = [round(duration) for duration in seen["long"]]
        print(f"\nfling of 372,000 px at {slowness}x: long tasks {long}, {seen['frames']} frames; in every third of them a picture "
              f"{seen['picture']}, a colour {seen['colour']}, the bare grid {seen['grid']} times; {seen['nodes']} nodes, "
              f"heap {heap / 1e6:.1f} MB, {len(made.asked)} requests")  # fmt: skip
