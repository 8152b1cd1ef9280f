"""What is done to a running or stopped Safelight: cut connections, failing calls, flipped bits."""

import itertools
import os
import shutil
import socket
import sqlite3
import struct
import subprocess
import threading
from contextlib import contextmanager

import pytest
import requests
from daemon import binary

# What a client meets when the host goes away.
FAILED = (requests.exceptions.RequestException, ConnectionError)

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root (mount, ptrace or network namespaces)")


def connect(daemon, timeout=300):
    """Small pieces go out at once, as those of browsers do."""
    connection = socket.create_connection((daemon.address, daemon.port), timeout)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def reset(connection):
    """Closes so that the other side sees a reset, as when a phone leaves the network."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def cookie_header(browser):
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.http.cookies)


def put_head(browser, name, byte_count):
    """The head of an upload for those who write their own bytes to a socket."""
    daemon = browser.daemon
    return (
        f"PUT /api/photos/{name} HTTP/1.1\r\nHost: {daemon.address}:{daemon.port}\r\nOrigin: {daemon.url}\r\n"
        f"Cookie: {cookie_header(browser)}\r\nContent-Length: {byte_count}\r\n\r\n"
    ).encode()


def read_all(connection):
    """Everything until the other side closes or resets."""
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except (ConnectionError, TimeoutError):
        pass
    return received


def strace(rule, path=None):
    """The beginning of a command that brings such a fault about, at calls for the file `path` only, if that is named."""
    if not shutil.which("strace"):
        pytest.skip("strace is not installed")
    call = rule.partition(":")[0]
    return ["strace", "-e", f"trace={call}", "-e", f"inject={rule}", *(["-P", str(path)] if path else [])]


@contextmanager
def failing_call(daemon, rule, threads=None, path=None):
    """strace's fault injection on the running process, such as `fdatasync:error=EIO` or `pwrite64:signal=SIGKILL:when=3`.

    Several calls are separated by commas. Only in these threads, if they are named, else in all; and only where the call
    is for the file `path`, if that is named.
    Gives the lines that strace writes, with the paths of descriptors.
    """
    whom = [f"--attach={thread}" for thread in threads] if threads else ["-f", f"--attach={daemon.pid}"]
    tracer = subprocess.Popen(
        [*strace(rule, path), "-y", *whom],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    first = tracer.stderr.readline()
    if "attached" not in first:
        tracer.wait()
        pytest.skip(f"strace cannot attach here: {first.strip()}")
    seen = [first]
    reader = threading.Thread(target=lambda: seen.extend(tracer.stderr), daemon=True)
    reader.start()
    try:
        yield seen
    finally:
        detach(tracer)
        reader.join()


class Kill:
    """At the n-th of these calls, of those for the file of this name if one is given."""

    def __init__(self, daemon, call, file, number):
        self.daemon, self.call, self.file, self.number = daemon, call, file, number
        self.was_hit = False

    def __str__(self):
        return f"{self.call} {self.file} {self.number}"

    @contextmanager
    def meanwhile(self):
        """What is done meanwhile may be cut off; the host runs again afterwards."""
        path = self.file and self.daemon.data / self.file
        with failing_call(self.daemon, f"{self.call}:signal=SIGKILL:when={self.number}", path=path):
            try:
                yield
            except FAILED:
                self.was_hit = True
        self.daemon.kill9()
        self.daemon.start()


def kills_at_writes(daemon, counted, calls, few):
    """One after the other: at each of these calls in `make soak`, else at `few` (call, file, number), some for each kind of
    step, all of which have to hit."""
    for place in counted(few, ()):
        kill = Kill(daemon, *place)
        yield kill
        assert kill.was_hit, f"there is no {kill}"
    for call in counted((), calls):
        for number in itertools.count(1):
            kill = Kill(daemon, call, None, number)
            yield kill
            if not kill.was_hit:
                break


def run_failing(daemon, rule, *words, path=None, noted="/dev/null", **options):
    """A command with strace's fault injection from its beginning, which needs no root; only where the call is for the
    file `path`, if that is named. The calls stand in the file `noted` then, with the paths of descriptors."""
    command = [*strace(rule, path), "-f", "-y", "-qq", "-o", str(noted), str(binary()), *words]
    return subprocess.run(command, capture_output=True, env=daemon.variables(), timeout=600, **options)


def detach(tracer):
    """strace can wait for ever for threads of a process that its own injection killed; then it goes without detaching."""
    tracer.terminate()
    try:
        tracer.wait(2)
    except subprocess.TimeoutExpired:
        tracer.kill()
        tracer.wait()


def copy_folder(source, target):
    """A copy with modes and holes; on file systems that can, without copying a byte."""
    subprocess.run(["cp", "--archive", "--sparse=always", "--reflink=auto", str(source), str(target)], check=True)
    return target


def restart_without_attempts(daemon):
    """For tests that try so often, or cut so much off, that a password would have to wait."""
    daemon.stop()
    connection = sqlite3.connect(daemon.data / "ledger.sqlite")
    with connection:
        connection.execute("DELETE FROM throttle")
    connection.close()
    daemon.start()


def flip_bit(path, offset, bit=0):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ (1 << bit)]))


@contextmanager
def tmpfs(folder, megabytes):
    """A small file system of its own."""
    folder.mkdir(exist_ok=True)
    options = ["-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", str(folder)]
    done = subprocess.run(["mount", *options], capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"cannot mount here: {done.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(ballast, leaving):
    """Takes what is free where the file `ballast` is to lie, but for so many bytes: at once, before anybody else can."""
    with open(ballast, "ab") as file:
        missing = shutil.disk_usage(ballast.parent).free - leaving
        if missing > 0:
            os.posix_fallocate(file.fileno(), file.tell(), missing)
