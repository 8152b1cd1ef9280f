"""No request makes the daemon open a file outside its data folder and the page's, as the kernel sees it."""

import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import Browser
from daemon import WWW
from faults import connect, cookie_header, needs_root
from rawhttp import answers, exchange
from traversal import chosen, targets

AT_ONCE = 4
# A call that takes a path, as strace writes it: with the folder that a relative one starts from.
QUOTED_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')


# Not the daemon's own doing: how a file without a name gets one, and how libdispatch sees whether its threads are busy.
OF_THE_SYSTEM = re.compile(r'linkat\(.*"/proc/self/fd/\d+"|"/proc/\d+/stat"')
OWN_DESCRIPTOR = re.compile(r"^/proc/self/fd/[0-9]+$")


def paths_in(trace):
    """Absolute paths of all traced calls, in order."""
    for line in trace.splitlines():
        is_of_the_system = OF_THE_SYSTEM.search(line)
        for folder, path in QUOTED_PATH.findall(line):
            # No path at all means what the descriptor before it is.
            if path and not (path.startswith("/proc/") and is_of_the_system):
                # The probe of the disk opens its own file anew; which number that has, is chance.
                yield OWN_DESCRIPTOR.sub("/proc/self/fd/N", os.path.normpath(os.path.join(folder or "/", path)))


class Trace:
    """What a daemon under strace asks the file system for."""

    def __init__(self, path):
        self.path = path
        # -D: the daemon itself, not strace, is the process that was started. The filter leaves other calls untraced.
        options = ["-D", "-f", "--seccomp-bpf", "-y", "-s", "4096", "-e", "trace=%file", "-o", str(path)]
        self.wrapper = ["strace", *options, "--"]

    def paths(self, since=0):
        with open(self.path, errors="replace") as file:
            file.seek(since)
            return list(paths_in(file.read()))

    @property
    def size(self):
        return self.path.stat().st_size


@pytest.fixture(scope="module")
def traced(start_standing, tmp_path_factory):
    """(daemon, trace of it)"""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    trace = Trace(tmp_path_factory.mktemp("traced") / "trace")
    return start_standing(wrapper=trace.wrapper), trace


def use_everything(browser):
    """One of each thing a person does, so that whatever is opened for it was opened once."""
    photo = browser.put("a.jpg", b"x" * 100_000)
    browser.content(photo)
    for path in ("/", "/health", "/api/hello", "/api/session", "/api/trash", "/no/such/page"):
        browser.request("GET", path)
    # A target that looks like a strange host name makes the library of addresses look for its one table.
    ask(browser.daemon, "", "GET", "//..%0d%0a\\x")
    browser.delete([browser.put("b.jpg", b"b")])


def is_within(path, folder):
    return path == str(folder) or path.startswith(f"{folder}/")


def ask(daemon, cookie, method, target):
    """The answer to one target, written into the request as it is."""
    line = f"{method} {target} HTTP/1.1\r\nHost: {daemon.address}:{daemon.port}\r\nOrigin: {daemon.url}\r\n"
    length = "Content-Length: 1\r\n" if method == "PUT" else ""
    request = f"{line}Cookie: {cookie}\r\nConnection: close\r\n{length}\r\n{'x' if length else ''}"
    with connect(daemon) as connection:
        return answers(exchange(connection, request.encode()))


@needs_root
def test_no_target_opens_a_file_outside(traced, seeded, counted):
    daemon, trace = traced
    browser = Browser(daemon).create()
    use_everything(browser)
    usual = set(trace.paths())
    before = trace.size
    asked = chosen(seeded, counted(500, 100_000))
    page = {path.read_bytes() for path in WWW.rglob("*") if path.is_file()}
    cookie = cookie_header(browser)

    def fault(target):
        method = "PUT" if target.startswith("/api/photos/") and "%" in target and hash_of(target) % 2 else "GET"
        [answer] = ask(daemon, cookie, method, target)
        if answer.status >= 500 and answer.status != 501:
            return f"{answer.status}"
        if answer.status == 200 and method == "GET" and not target.startswith("/api/") and answer.body not in page:
            return f"{answer.body[:80]}"
        return None

    with ThreadPoolExecutor(AT_ONCE) as pool:
        faults = {target: fault for target, fault in zip(asked, pool.map(fault, asked), strict=True) if fault}
    assert not faults, (len(faults), list(faults.items())[:20])
    assert browser.request("GET", "/health").json()["status"] == "pass"
    outside = {
        path
        for path in trace.paths(before)
        if path not in usual and not is_within(path, daemon.data) and not is_within(path, WWW)
    }
    assert not outside, sorted(outside)[:20]
    assert len(asked) >= 500


def hash_of(text):
    """The same in every run, unlike `hash`."""
    return sum(text.encode())


def test_there_are_enough_ways_to_climb():
    assert sum(1 for _ in targets()) > 100_000


def test_the_trace_shows_a_file_that_is_opened(traced):
    """The test above can fail: a daemon that starts opens its page and its library files."""
    daemon, trace = traced
    paths = trace.paths()
    assert str(WWW / "index.html") in paths
    assert any(is_within(path, daemon.data) for path in paths)
    assert any(path.startswith("/etc/") or path.startswith("/usr/lib") or path.startswith("/lib") for path in paths)
