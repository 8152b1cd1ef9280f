"""What drives the page: where Chromium is and how it starts, which browsers a test asks, and the window of a phone."""

import pytest
from cases import in_nightly

# Every name resolves to this machine, so that the page can be met under an address that is not loopback.
ARGUMENTS = ["--no-sandbox", "--host-resolver-rules=MAP * 127.0.0.1"]
CHROMIUM = {"executable_path": "/usr/bin/chromium", "args": ARGUMENTS}
# The same engine and network without the windows, menus and profiles around them: a test takes half the processor.
HEADLESS_SHELL = {"executable_path": "/usr/bin/chromium-headless-shell", "args": ARGUMENTS}
PHONE = {"width": 390, "height": 844}
BROWSERS = ["chromium", "firefox"]
# Of what rests on nothing in which browsers differ, the second one is asked in `make nightly`.
CHROMIUM_FIRST = ["chromium", in_nightly("engines", "firefox")]


def browsers_and_windows(**windows):
    """(browser, window), for tests that rest on both: in `make test` the first window in Chromium; the other pairs in
    `make nightly`."""
    pairs = [
        pytest.param(browser, window, id=f"{label}-{browser}") for label, window in windows.items() for browser in BROWSERS
    ]
    return [pairs[0], *(in_nightly("engines" if "firefox" in pair.values else "sizes", pair) for pair in pairs[1:])]
