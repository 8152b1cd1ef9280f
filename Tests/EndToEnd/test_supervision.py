"""What the daemon tells systemd: that it serves, that it lives, that it reads its files again, that it ends."""

import os
import queue
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress

import pytest
import requests
from client import PASSWORD, Browser
from daemon import Daemon
from faults import failing_call, needs_root

# Microseconds; a third of it lies between two signs of life.
WATCHDOG = 1_500_000


class Manager:
    """systemd's end of NOTIFY_SOCKET."""

    def __init__(self, path):
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.messages = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while True:
            message = self.socket.recv(65536).decode()
            if message == "closed":
                return
            self.messages.put(dict(line.partition("=")[::2] for line in message.splitlines()))

    def close(self):
        # Closing alone would leave the reading thread where it is.
        self.socket.connect(str(self.path))
        self.socket.send(b"closed")

    def wait_for(self, name, seconds=60):
        """The next message that has the assignment; what comes before is passed over."""
        while True:
            message = self.messages.get(timeout=seconds)
            if name in message:
                return message

    def names_within(self, seconds):
        """The names of all assignments that come in the time."""
        end, names = time.monotonic() + seconds, set()
        while (left := end - time.monotonic()) > 0:
            try:
                names |= set(self.messages.get(timeout=left))
            except queue.Empty:
                break
        return names


@pytest.fixture
def manager(tmp_path):
    manager = Manager(tmp_path / "notify")
    yield manager
    manager.close()


@pytest.fixture
def supervised(start_daemon, manager):
    """supervised(**options) → a daemon under the manager's eyes, that has said it is ready."""

    def start(watchdog=None, environment=None, **options):
        variables = {"NOTIFY_SOCKET": str(manager.path), **(environment or {})}
        if watchdog:
            variables["WATCHDOG_USEC"] = str(watchdog)
        return start_daemon(environment=variables, **options)

    return start


def test_ready_a_reload_and_the_end_are_said(supervised, manager):
    daemon = supervised()
    ready = manager.wait_for("READY")
    assert ready == {"READY": "1", "STATUS": "Serving; all is well."}
    assert Browser(daemon).request("GET", "/health").status_code == 200
    before = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    daemon.process.send_signal(signal.SIGHUP)
    reloading = manager.wait_for("RELOADING")
    assert before <= int(reloading["MONOTONIC_USEC"]) <= time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    assert manager.wait_for("READY")["STATUS"] == "Serving."
    daemon.stop()
    assert manager.wait_for("STOPPING")["STOPPING"] == "1"


def test_who_cannot_start_never_says_that_it_is_ready(tmp_path, manager):
    daemon = Daemon(tmp_path, environment={"NOTIFY_SOCKET": str(manager.path)})
    (tmp_path / "data").write_text("no folder")
    daemon.launch()
    assert daemon.wait() != 0
    assert "READY" not in manager.names_within(0.2)


def test_signs_of_life_come_only_where_somebody_watches(supervised, manager):
    supervised(environment={"WATCHDOG_USEC": str(WATCHDOG), "WATCHDOG_PID": "1"})
    manager.wait_for("READY")
    assert "WATCHDOG" not in manager.names_within(WATCHDOG / 1e6)


def test_signs_of_life_go_on(supervised, manager):
    supervised(watchdog=WATCHDOG)
    for _ in range(4):
        assert manager.wait_for("WATCHDOG")["STATUS"] == "Serving; all is well."


@needs_root
@pytest.mark.parametrize(("call", "thread"), [("fdatasync", ""), ("epoll_wait,epoll_pwait", "NIO-SGLTN")])
def test_a_daemon_that_hangs_gives_no_sign_of_life(supervised, manager, call, thread):
    """Each call is held up for longer than the watchdog waits: of ledger and disk, and of the threads of connections."""
    daemon = supervised(watchdog=WATCHDOG)
    manager.wait_for("WATCHDOG")
    threads = daemon.threads(thread) if thread else []
    assert threads or not thread
    browser = Browser(daemon).create()
    with failing_call(daemon, f"{call}:delay_enter={60 * WATCHDOG}", threads):
        # A disk on which nothing is written is not asked.
        threading.Thread(target=put_whatever_comes, args=(browser,), daemon=True).start()
        # When the first call is reached, a busy machine decides.
        assert any("WATCHDOG" not in manager.names_within(3 * WATCHDOG / 1e6) for _ in range(15))


def put_whatever_comes(browser):
    with suppress(requests.exceptions.RequestException):
        browser.try_put("a.jpg", b"a")


@needs_root
def test_a_disk_on_which_nothing_happens_may_sleep(supervised, manager, tmp_path):
    daemon = supervised(watchdog=WATCHDOG)
    Browser(daemon).create().put("a.jpg", b"a")
    calls = tmp_path / "calls"
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", str(calls), "-p", str(daemon.pid)])
    try:
        # What the photo causes comes to its end some time; signs of life go on without a sync then.
        for _ in range(15):
            before = calls.stat().st_size if calls.exists() else 0
            manager.names_within(3 * WATCHDOG / 1e6)
            manager.wait_for("WATCHDOG")
            assert Browser(daemon).request("GET", "/health").status_code == 200
            if calls.exists() and "sync(" not in calls.read_text()[before:]:
                return
    finally:
        tracer.terminate()
        tracer.wait()
    raise AssertionError(f"it syncs again and again: {calls.read_text()}")


@needs_root
def test_a_disk_that_fails_is_said_and_is_no_reason_to_be_killed(supervised, manager):
    daemon = supervised(watchdog=WATCHDOG)
    manager.wait_for("WATCHDOG")
    browser = Browser(daemon).create()
    with failing_call(daemon, "fdatasync:error=EIO"):
        assert browser.try_put("a.jpg", b"a").status_code == 503
        while "objects:write" not in (status := manager.wait_for("WATCHDOG")["STATUS"]):
            assert status.startswith("Serving")
    while manager.wait_for("WATCHDOG")["STATUS"] != "Serving; all is well.":
        pass


def test_the_pepper_comes_as_a_credential_and_is_needed_from_then_on(supervised, manager, tmp_path):
    folder = tmp_path / "credentials"
    folder.mkdir()
    (folder / "safelight.pepper").write_bytes(os.urandom(32))
    daemon = supervised(environment={"CREDENTIALS_DIRECTORY": str(folder)})
    Browser(daemon).create()
    daemon.restart()
    Browser(daemon).open(PASSWORD)
    daemon.stop()
    (folder / "safelight.pepper").unlink()
    daemon.launch()
    assert daemon.wait() == 78
    assert "needs its pepper file" in daemon.log


def test_half_a_certificate_among_the_credentials_is_refused(tmp_path):
    (tmp_path / "safelight.tls-key").write_text("key")
    daemon = Daemon(tmp_path, environment={"CREDENTIALS_DIRECTORY": str(tmp_path)})
    daemon.launch()
    assert daemon.wait() == 78
    assert '"tls.certificate" is required' in daemon.log
