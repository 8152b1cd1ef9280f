"""Scrolling fast: what is drawn at which speed, and a fling through 50,000 photos."""

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
SPEED = """async (steps) => {
    const { Speed } = await import("/sources/js/gallery/gallery-speed.js");
    let at = 0;
    const speed = new Speed({ now: () => at, onSettled() {} });
    return steps.map(([milliseconds, windows]) => {
        at += milliseconds;
        speed.moved(speed.last.y + windows * innerHeight);
        return speed.isFlying ? "flying" : speed.isFast ? "fast" : "slow";
    });
}"""
STRIPS = """async () => {
    const { GalleryLayout } = await import("/sources/js/gallery/gallery-layout.js");
    const { GalleryStrips } = await import("/sources/js/gallery/gallery-strips.js");
    const shape = { columns: 3, rowHeight: 100, gap: 2, head: 50, foot: 20 };
    const layout = new GalleryLayout([{ key: "2024-05", start: 0, count: 7 }, { key: "2024-04", start: 7, count: 300 }], shape);
    const months = { "2024-05": document.createElement("div"), "2024-04": document.createElement("div") };
    const strips = new GalleryStrips({ parentOf: ({ key }) => months[key],
        colourAt: (place) => (place === 1 ? null : `rgb(0, 0, ${place})`) });
    const look = (from, to) => {
        strips.draw(layout, layout.rowsBetween(from, to));
        const colours = ({ backgroundImage }) => [...new Set(backgroundImage.match(/rgb\\([^)]*\\)/g))];
        return Object.values(months).flatMap(({ children }) => [...children]).map(({ style }) => [style.transform, colours(style)]);
    };
    return { first: look(0, 340), then: look(10_000, 10_300) };
}"""
SLICE = """async () => {
    const { Slice } = await import("/sources/js/base/slice.js");
    let at = 100;
    const slice = new Slice(() => at);
    return [104, 105].map((now) => { at = now; return slice.isOver; });
}"""

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


def test_what_is_drawn_follows_from_the_speed(visit):
    page = visit().with_sources().page
    # Milliseconds since the last movement, and how many windows it went.
    steps = [(1000, 0.1), (16, 0.03), (16, 0.05), (16, 0.2), (16, 0.3), (50, 0.2), (50, 0.1), (1000, 40), (1000, 0.5)]
    assert page.evaluate(SPEED, steps) == ["slow", "slow", "fast", "fast", "flying", "fast", "slow", "flying", "slow"]


def test_strips_show_the_colours_of_rows_and_are_used_again(visit):
    seen = visit().with_sources().page.evaluate(STRIPS)
    assert seen["first"] == [
        ["translateY(50px)", ["rgb(0, 0, 0)", "rgb(0, 0, 2)"]],
        ["translateY(150px)", ["rgb(0, 0, 3)", "rgb(0, 0, 4)", "rgb(0, 0, 5)"]],
        ["translateY(250px)", ["rgb(0, 0, 6)"]],
    ]
    assert len(seen["then"]) == 4
    assert {shift for shift, _ in seen["then"]} == {f"translateY({top}px)" for top in (9550, 9650, 9750, 9850)}


def test_long_work_is_cut_into_slices_of_a_third_of_a_frame(visit):
    assert visit().with_sources().page.evaluate(SLICE) == [False, True]


def test_on_a_machine_for_which_every_slice_is_too_short_all_is_drawn(visitor):
    visitor.context.add_init_script(SLOW_CLOCK)
    many(visitor, 500)
    visitor.page.wait_for_function(ALL_SHOWN)


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
    page.wait_for_function(ALL_SHOWN)
    assert page.evaluate("scrollY") - from_y > 2000
    assert not page.evaluate("window.wasColoured")


def test_what_comes_with_photos_elsewhere_is_not_all_in_one_frame(visitor):
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


def test_another_month_in_the_list_of_months_is_not_measured(visitor):
    many(visitor, 5000)
    visitor.page.wait_for_function(ALL_SHOWN)
    widths = visitor.page.locator(".jump select").evaluate("""(select) => {
        const before = select.offsetWidth;
        select.add(new Option("a month with a name longer than any other".repeat(9), ""));
        return [before, select.offsetWidth];
    }""")
    assert widths[0] == widths[1]


def test_all_months_stand_there_and_those_near_have_rows(visitor):
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


def test_where_photos_are_is_a_plain_ground_with_thin_lines(visitor):
    many(visitor, 500)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    drawn = page.locator(".month").first.evaluate("""(month) => {
        const { backgroundRepeat, backgroundSize } = getComputedStyle(month, "::before");
        return [backgroundRepeat.split(", "), backgroundSize.split(", ")];
    }""")
    # Between three columns.
    assert drawn[0][:-1] == ["no-repeat"] * 2
    assert drawn[1][:-1] == ["2px 100%"] * 2


def test_a_fling_through_fifty_thousand_photos_ends_with_all_pictures_and_few_elements(visitor, capsys):
    made = many(visitor, 50_000)
    page = visitor.page
    page.wait_for_function(ALL_SHOWN)
    height = page.evaluate("document.documentElement.scrollHeight")
    assert height > 2_000_000
    devtools = visitor.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 4})
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
        print(f"\nfling of 372,000 px at 4x: long tasks {long}, {seen['frames']} frames; in every third of them a picture "
              f"{seen['picture']}, a colour {seen['colour']}, the bare grid {seen['grid']} times; {seen['nodes']} nodes, "
              f"heap {heap / 1e6:.1f} MB, {len(made.asked)} requests")  # fmt: skip
