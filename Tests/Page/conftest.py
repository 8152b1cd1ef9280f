"""Browsers for the tests of the page. Every test fails on a script error, a policy violation or a foreign request."""

import inspect
from contextlib import suppress

import pytest
from browsers import CHROMIUM, HEADLESS_SHELL, PHONE
from daemon import free_port
from doors import Owner
from packing import CHECKOUT, pack_page
from playwright.sync_api import Error, expect, sync_playwright
from shared_host import SharedHost
from visitor import PASSWORD, Visitor

# Nothing here is about speed: a machine that is busy with other tests gets the time that it needs.
expect.set_options(timeout=60_000)

# Playwright asks for the stack at each call, in which a worker of pytest stands that was started as a string. `inspect`
# would look for its module among all that are loaded, every time.
inspect.modulesbyfile.setdefault("<string>", "__main__")

WATCH_POLICY = """
    window.policyViolations = [];
    document.addEventListener("securitypolicyviolation", (event) =>
        window.policyViolations.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));
"""


def say_what_is_seen(visitor):
    """Of a test that failed: what a person would have seen there, in the report."""
    if not visitor.is_there:
        return
    with suppress(Error):
        print(f"--- {visitor.page.url}\n{visitor.page.locator('body').inner_text(timeout=5_000)[:3000]}")


@pytest.fixture
def owner(lent_host, shared_host):
    """Who has a vault with doors, without a page."""
    shared_host.note_begun(lent_host.url, PASSWORD)
    return Owner(lent_host).create()


@pytest.fixture(scope="session")
def packed_page(tmp_path_factory):
    """The page as it is installed."""
    return pack_page(CHECKOUT / "www", tmp_path_factory.mktemp("packed") / "page")


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="session")
def chromium(playwright, is_soak):
    """What `make test` drives, and in `make soak` the browser that people have."""
    browser = playwright.chromium.launch(**(CHROMIUM if is_soak else HEADLESS_SHELL))
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def slow_down(request):
    """slow_down(context): its pages run as many times slower as `--slowdown` says."""
    rate = request.config.getoption("--slowdown")

    def throttle(page):
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})

    return lambda context: context.on("page", throttle) if rate > 1 else None


@pytest.fixture
def left_alone(playwright):
    """A context of Chromium in which no page is kept in the foreground: it can be hidden and frozen."""
    port = free_port()
    browser = playwright.chromium.launch(**{**CHROMIUM, "args": [*CHROMIUM["args"], f"--remote-debugging-port={port}"]})
    yield playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}", no_defaults=True).contexts[0]
    browser.close()


@pytest.fixture
def profile(playwright, tmp_path):
    """A context of Chromium whose profile lies in a folder, and the folder. The profile is whole once the context is closed."""
    folder = tmp_path / "profile"
    context = playwright.chromium.launch_persistent_context(folder, **CHROMIUM, viewport=PHONE, locale="en-GB")
    yield context, folder
    context.close()


@pytest.fixture(scope="module")
def firefox(playwright):
    """Not for all of them: few ask for it, and while it does nothing it takes as much of the processor as a short test."""
    browser = playwright.firefox.launch(channel="moz-firefox", executable_path="/usr/bin/firefox-esr")
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def shared_host(tmp_path_factory):
    host = SharedHost(lambda: tmp_path_factory.mktemp("host"))
    yield host
    host.end()


@pytest.fixture
def lent_host(request, shared_host, is_shared):
    """The host of `visit`, for tests that have to know more of it than where it is and leave it as new."""
    return shared_host.lend() if is_shared else request.getfixturevalue("daemon")


@pytest.fixture
def visit(request, has_failed, chromium, slow_down, shared_host, is_shared, is_soak):
    """visit(**context options) → a Visitor at the door; checked for errors at the end of the test. The door is that of
    `daemon` where a test asks for it too and in `make soak`, else of a host that is shared. A module with a `daemon` of its
    own has it used by all of its tests (`autouse`). In `make soak` all vaults are made through the page.

    `routes` are answers in the host's place, by pattern; they stand before the first request. `context` is one that is
    there already."""
    visitors = []

    def host():
        return shared_host.lend() if is_shared else request.getfixturevalue("daemon")

    def open_page(browser=chromium, url=None, routes=None, context=None, **options):
        options.setdefault("viewport", PHONE)
        options.setdefault("locale", "en-GB")
        is_another_tab = context is not None
        context = context or browser.new_context(**options)
        context.set_default_timeout(60_000)
        if browser is chromium:
            context.add_init_script(WATCH_POLICY)
            slow_down(context)
        if is_shared:
            shared_host.watch(context)
        for pattern, handler in (routes or {}).items():
            context.route(pattern, handler)
        visitor = Visitor(context, url or host().url, on_begun=None if is_soak else shared_host.note_begun)
        visitors.append(visitor)
        if is_another_tab:
            # What it shows now, another one may change.
            assert visitor.page
        return visitor

    yield open_page
    if has_failed():
        for visitor in visitors:
            say_what_is_seen(visitor)
    faults = [fault for visitor in visitors for fault in visitor.faults()]
    for visitor in visitors:
        if visitor.is_there and not visitor.page.is_closed():
            visitor.page.unroute_all(behavior="ignoreErrors")
            visitor.context.unroute_all(behavior="ignoreErrors")
        visitor.context.close()
    shared_host.take_back(has_failed() or faults)
    assert not faults, faults


@pytest.fixture
def visitor(visit):
    return visit()
