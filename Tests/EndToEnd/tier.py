"""Hosts that go along to one bucket, and people who send to them without a pause."""

import itertools
import os
import shutil
import sqlite3
import subprocess
import threading
from contextlib import closing

import requests
from bucket import FaultyStore
from client import PASSWORD, Browser, code_of, sha256, wait_until
from daemon import binary
from network import Device, DeviceSession


class Place(Device):
    """A computer of its own, which has nothing in common with another one but the bucket."""

    def __init__(self, bucket):
        super().__init__()
        self.ip("link set lo up")
        self.way = FaultyStore(bucket, self)

    def close(self):
        self.way.close()
        super().close()


def browser_of(daemon, like=None):
    """One that reaches it, wherever it is; with the cookies of another one."""
    session = DeviceSession(daemon.place, "127.0.0.1") if daemon.place else None
    browser = Browser(daemon, session=session)
    if like is not None:
        browser.http.cookies = like.http.cookies.copy()
    return browser


def take_over(daemon, status=0, *options):
    command = [*daemon.wrapper, str(binary()), "take-over", "--data", str(daemon.data), *options]
    for _ in range(2):
        done = subprocess.run(command, env=daemon.variables(), cwd=daemon.folder, capture_output=True, timeout=600)
        text = done.stdout.decode() + done.stderr.decode()
        if "older than what the bucket's log still tells" not in text:
            break
        # What is done then, as it says: the bucket has gone on for so long that a snapshot took the place of its log.
        shutil.rmtree(daemon.data)
    assert done.returncode == status, text
    # Its end is no fault of the bucket.
    assert "CancellationError" not in text, text
    return text


def take_over_at_last(daemon):
    """As often as it takes while the store has bad days: whatever it says then, it may go well another time."""
    for _ in range(50):
        command = [*daemon.wrapper, str(binary()), "take-over", "--data", str(daemon.data)]
        done = subprocess.run(command, env=daemon.variables(), cwd=daemon.folder, capture_output=True, timeout=600)
        if done.returncode == 0:
            return
        text = done.stdout.decode() + done.stderr.decode()
        if "older than what the bucket's log still tells" in text:
            shutil.rmtree(daemon.data)
        else:
            assert done.returncode in (74, 75), text
    raise AssertionError(text)


def opened(daemon, password=PASSWORD):
    """A browser in the vault, once that opens: what is changed by it has to get to the bucket."""
    browser = Browser(daemon)
    wait_until(lambda: browser.try_open(password).status_code == 200)
    browser.password = password
    return browser


def listed_here(daemon):
    """Keys of objects that a stopped host lists and has on its disk."""
    with closing(sqlite3.connect(daemon.data / "ledger.sqlite")) as ledger:
        listed = {bytes(row[0]).hex() for row in ledger.execute("SELECT id FROM object")}
    return sorted(f"the house/objects/{name[:2]}/{name}" for name in listed & {path.name for path in daemon.object_files()})


def refused_start(daemon):
    """What it says, and that it says so with 78."""
    daemon.launch()
    assert daemon.wait() == 78, daemon.log
    return daemon.log


class Senders:
    """Clients that send without a pause to whichever host takes it. What was answered with 201 counts."""

    def __init__(self, hosts, browsers, pause, count=4):
        self.hosts, self.browsers = hosts, browsers
        self.pause = pause
        self.acknowledged, self.codes = {}, set()
        self.lock = threading.Lock()
        self.answered = threading.Semaphore(0)
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        for count in itertools.count():
            # As people send, and not as fast as it goes: all of it is compared at the end.
            if self.stopping.wait(self.pause):
                return
            content = f"{number}-{count} ".encode() + os.urandom(2_000 + 7_919 * (count % 9))
            name = f"{number}-{count}.jpg"
            while not self._sent(name, content):
                if self.stopping.wait(self.pause / 2):
                    return

    def _sent(self, name, content):
        for daemon in self.hosts:
            browser = self.browsers.get(daemon)
            if browser is None:
                continue
            own = browser_of(daemon, browser)
            try:
                answer = own.try_put(name, content)
            except requests.exceptions.RequestException:
                continue
            if answer.status_code == 201:
                with self.lock:
                    self.acknowledged[name] = sha256(content)
                self.answered.release()
                return True
            with self.lock:
                self.codes.add((answer.status_code, code_of(answer)))
        return False

    def wait_for(self, count):
        for _ in range(count):
            assert self.answered.acquire(timeout=300), (len(self.acknowledged), self.codes)

    def end(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(90)
            assert not thread.is_alive()


def compare(browser, acknowledged):
    """None lost, none double."""
    names = browser.names()
    print(f"{len(acknowledged)} acknowledged, {len(names)} there, {len(names) - len(set(names))} of them sent twice")
    assert set(acknowledged) <= set(names), set(acknowledged) - set(names)

    def is_single():
        names = browser.names()
        return len(names) == len(set(names))

    # What was sent once more, because its answer never came, becomes one with the first when both were read back. That
    # gives way to everything else on the machine.
    wait_until(is_single, seconds=600)
    found = browser.digests()
    assert {name: found[name] for name in acknowledged} == acknowledged


def compare_on_another_host(serving, other, acknowledged):
    """What the bucket alone tells, once the one that has it on its disk is gone."""
    serving.kill9()
    take_over(other)
    compare(Browser(other.start()).open(PASSWORD), acknowledged)
