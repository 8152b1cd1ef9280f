"""What the page takes of the device's memory: nothing of what was closed stays, and a large file passes in pieces."""

import pytest
from client import Browser
from playwright.sync_api import expect
from seeding import ALL_SHOWN, picture, seed
from visitor import PASSWORD, file, run_clock, stop_clock, until
from windows import Shower, place

MIB = 1 << 20
HEAP_OF_A_ROUND = 200_000
COUNTED = ("Documents", "Nodes", "JSEventListeners")


def measured(visitor):
    """What lives in the page once everything that nobody holds is gone."""
    devtools = visitor.context.new_cdp_session(visitor.page)
    devtools.send("Performance.enable")
    # What is thrown away first may hold what is thrown away next.
    for _ in range(3):
        devtools.send("HeapProfiler.collectGarbage")
    found = {entry["name"]: entry["value"] for entry in devtools.send("Performance.getMetrics")["metrics"]}
    devtools.detach()
    return {name: int(found[name]) for name in COUNTED}, int(found["JSHeapUsedSize"])


def check_that_nothing_stays(visitor, one_round, rounds):
    # In the first rounds, parts of the page come that stay.
    for _ in range(3):
        one_round()
    before, heap_before = measured(visitor)
    for _ in range(rounds):
        one_round()

    def is_as_before():
        after, _ = measured(visitor)
        return all(after[name] <= before[name] for name in COUNTED)

    # A request that was given up may hold something for a moment.
    until(visitor.page, is_as_before, pause=100)
    _, heap = measured(visitor)
    # Of code that has run often the browser keeps more: some 30 kB for a look at photos, and 70 kB for all of a vault.
    assert heap < heap_before + rounds * HEAP_OF_A_ROUND


@pytest.mark.nightly("sizes")
def test_nothing_of_the_viewer_stays(visitor, counted):
    visitor.create()
    seed(visitor, 6)
    visitor.wait_until_looked_into()
    visitor.reload()
    expect(visitor.cells()).to_have_count(6)
    visitor.page.wait_for_function(ALL_SHOWN)

    def open_and_close():
        visitor.cells().first.click()
        expect(visitor.page.locator("figure[data-shown] .frame > img")).to_be_visible()
        visitor.page.keyboard.press("ArrowRight")
        expect(visitor.dialog().get_by_text("2 of 6")).to_be_visible()
        visitor.page.keyboard.press("i")
        visitor.page.keyboard.press("Escape")
        expect(visitor.dialog()).to_have_count(0)

    check_that_nothing_stays(visitor, open_and_close, counted(10, 20))


@pytest.mark.nightly("sizes")
def test_a_frame_that_goes_on_for_days_holds_no_more_than_at_its_beginning(visit, daemon, counted):
    shower = Shower(daemon).create()
    window = shower.show(photos=shower.put_looked_into(*(file(f"{number}.png", picture(number), "image/png") for number in range(40))))
    visitor = visit(url=place(daemon, window, "frame"))
    visitor._page.clock.install()
    page = visitor.page
    expect(page.locator("figure[data-shown]")).to_be_visible()
    stop_clock(page)

    def all_of_them():
        for _ in range(40):
            before = page.locator("#viewer-title").text_content()
            run_clock(page, lambda: page.locator("#viewer-title").text_content() != before)  # noqa: B023

    check_that_nothing_stays(visitor, all_of_them, counted(4, 20))


@pytest.mark.nightly("sizes")
def test_nothing_of_a_vault_stays(visitor, counted):
    visitor.create()
    seed(visitor, 6)
    visitor.lock()

    def open_and_lock():
        visitor.open()
        expect(visitor.cells()).to_have_count(6)
        visitor.page.wait_for_function(ALL_SHOWN)
        visitor.lock()

    check_that_nothing_stays(visitor, open_and_lock, counted(8, 20))


def sparse_file(path, byte_count):
    """A file whose every MiB differs and takes one block of the disk."""
    with path.open("wb") as file:
        for number in range(byte_count // MIB):
            file.seek(number * MIB)
            file.write(beginning(number))
        file.truncate(byte_count)
    return path


def beginning(number):
    return number.to_bytes(8, "big")


def test_a_large_file_passes_through_little_memory(visitor, daemon, tmp_path, counted):
    byte_count = counted(48, 3072) * MIB
    visitor.create()
    devtools = visitor.context.new_cdp_session(visitor.page)

    def held():
        devtools.send("HeapProfiler.collectGarbage")
        usage = devtools.send("Runtime.getHeapUsage")
        return usage["usedSize"] + usage["backingStorageSize"]

    daemon.forget_peak()
    at_first, idle = held(), daemon.status("VmRSS")
    visitor.choose(sparse_file(tmp_path / "large.mov", byte_count))
    peak = 0
    while not visitor.title_of_upload().text_content().endswith("saved"):
        peak = max(peak, held())
        visitor.page.wait_for_timeout(50)
    expect(visitor.title_of_upload()).to_have_text("1 saved")
    # None of it goes through the page: a worker reads it, a few pieces at a time.
    assert peak - at_first < 4 * MIB, peak
    assert daemon.status("VmHWM") - idle < 128 * MIB
    browser = Browser(daemon).open(PASSWORD)
    with browser.original(browser.photos()[0], stream=True) as answer:
        pieces = [piece[:8] + piece[8:].strip(b"\0") for piece in answer.iter_content(MIB)]
    assert pieces == [beginning(number) for number in range(byte_count // MIB)]
