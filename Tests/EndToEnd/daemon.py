"""A real Safelight process on a fresh data folder and a free port of 127.0.0.1."""

import itertools
import os
import queue
import re
import resource
import signal
import socket
import ssl
import subprocess
import threading
import time
from contextlib import suppress
from pathlib import Path

import requests

CHECKOUT = Path(__file__).resolve().parents[2]
# The page that is served: its sources, or where they were packed to.
WWW = Path(os.environ.get("SAFELIGHT_WWW", CHECKOUT / "www"))
READY = re.compile(r"Safelight is ready: (http://\S+)")
# Both are for what hangs: a machine that is busy with other tests gets the time that it needs.
START_SECONDS = 300
STOP_SECONDS = 120


def own_ports():
    """Of a thousand that no other process has that runs tests, of this run or another one: who holds the name of a range has
    it, until it ends. Above the ports that browsers refuse, below those that the kernel gives to clients."""
    for first in range(12_000, 32_000, 1_000):
        name = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            name.bind(f"\0safelight-tests-{first}")
        except OSError:
            name.close()
            continue
        return name, range(first, first + 1_000)
    raise RuntimeError("more processes run tests than there are ranges of ports")


RANGE_NAME, RANGE = own_ports()
# Where it begins, differs by run.
PORTS = itertools.islice(itertools.cycle(RANGE), os.getpid() % len(RANGE), None)

# Argon2id with 64 KiB instead of 256 MiB: what most tests look at does not depend on the cost of a guess.
CHEAP_KDF = {"SAFELIGHT_UNSAFE_KDF_MEMORY": "64", "SAFELIGHT_UNSAFE_KDF_ITERATIONS": "1"}
# Nor on 134 MB of slots and some thousand rows that a new store writes. Tests that look at those say how many MiB of cover
# files there may be: they have all slots and rows, as a family's host.
CHEAP_COVER = {"SAFELIGHT_UNSAFE_COVER": "off", "SAFELIGHT_COVER": "0"}
WITH_SLOTS = {"SAFELIGHT_COVER": "0"}


def binary():
    """The program under test: SAFELIGHT_BINARY, or what `swift build` leaves."""
    path = Path(os.environ.get("SAFELIGHT_BINARY", CHECKOUT / ".build/debug/safelight"))
    if not path.exists():
        raise RuntimeError(f"{path} is not built; run `swift build` first")
    return path


def free_port():
    """A port that nobody else is given, so that it is still free when the daemon comes back after a restart."""
    for port in itertools.islice(PORTS, len(RANGE)):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise RuntimeError("every port of this process is taken")


class Daemon:
    """`start` returns once the process has said that it is ready; nothing here waits by sleeping a fixed time.

    `address` is where clients reach it, `listen` where it listens, if that is something else."""

    def __init__(
        self, folder, environment=None, arguments=(), address="127.0.0.1", data=None, wrapper=(), listen=None, www=WWW
    ):  # fmt: skip
        raise_file_limit()
        self.folder = Path(folder)
        self.data = Path(data) if data else self.folder / "data"
        self.log_path = self.folder / "safelight.log"
        self.address = address
        self.listen = listen or address
        self.www = www
        self.port = free_port()
        self.arguments = list(arguments)
        environment = environment or {}
        cover = {} if "SAFELIGHT_COVER" in environment else CHEAP_COVER
        # Tests make more vaults than a family.
        self.environment = {**CHEAP_KDF, **cover, "SAFELIGHT_LIMITS_NEWVAULTS": "10000", **environment}
        self.wrapper = list(wrapper)
        self.process = None
        self.url = f"http://{address}:{self.port}"

    # -- life

    def command(self):
        return [
            *self.wrapper, str(binary()), "serve", "--data", str(self.data),
            "--listen", f"{self.listen}:{self.port}", "--www", str(self.www), *self.arguments,
        ]  # fmt: skip

    def variables(self):
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
        # What it remembers goes with the test.
        inherited["XDG_STATE_HOME"] = str(self.folder / "state")
        variables = {**inherited, "LC_ALL": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no", **self.environment}
        return {name: value for name, value in variables.items() if value is not None}

    def launch(self):
        """Starts the process and does not wait for it; `lines` receives its output, then None."""
        self.log_file = open(self.log_path, "ab")
        self.process = subprocess.Popen(
            self.command(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=self.variables(), cwd=self.folder,
        )  # fmt: skip
        self.lines = queue.SimpleQueue()
        self.reader = threading.Thread(target=self._read, args=(self.process, self.log_file, self.lines), daemon=True)
        self.reader.start()

    @staticmethod
    def _read(process, log, lines):
        for line in process.stdout:
            log.write(line)
            log.flush()
            lines.put(line.decode("utf-8", "replace").rstrip("\n"))
        log.close()
        lines.put(None)

    def start(self):
        self.launch()
        return self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                self.kill9()
                raise AssertionError(f"not ready within {START_SECONDS} s:\n{self.log}") from None
            if line is None:
                raise AssertionError(f"ended at start with {self.process.wait()}:\n{self.log}")
            if READY.search(line):
                return self

    @property
    def pid(self):
        return self.process.pid

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    def answers(self):
        """False for a process that a signal has hit and that is only not gone yet: none of its threads comes to an answer."""
        if not self.running:
            return False
        try:
            requests.get(f"{self.url}/health", timeout=300)
            return True
        except requests.exceptions.RequestException:
            return False

    def stop(self):
        """SIGTERM; asserts that the process ends by itself, in time, with 0."""
        self.process.send_signal(signal.SIGTERM)
        status = self.wait()
        assert status == 0, f"SIGTERM ended with {status}:\n{self.log}"

    def wait(self, seconds=STOP_SECONDS):
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill9()
            raise AssertionError(f"still running after {seconds} s:\n{self.log}") from None
        self.reader.join(5)
        return status

    def kill9(self):
        if self.running:
            self.process.kill()
        self.process.wait()
        self.reader.join(5)

    def restart(self):
        self.stop()
        return self.start()

    # -- what it shows

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def status(self, field):
        """A figure of /proc/PID/status in bytes: VmRSS, VmHWM, …"""
        with open(f"/proc/{self.pid}/status") as lines:
            for line in lines:
                if line.startswith(field + ":"):
                    return int(line.split()[1]) * 1024
        raise AssertionError(f"/proc has no {field}")

    def forget_peak(self):
        """VmHWM starts again from what is resident now."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5")

    def open_files(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    @property
    def setup_code(self):
        return self.run("code", "--data", str(self.data)).stdout.decode().strip().split()[-1]

    def descriptors(self):
        """What each open descriptor points to."""
        found = []
        for name in os.listdir(f"/proc/{self.pid}/fd"):
            # It may be closed by now.
            with suppress(FileNotFoundError):
                found.append(os.readlink(f"/proc/{self.pid}/fd/{name}"))
        return found

    def threads(self, name):
        """The ids of those whose name begins so."""
        tasks = Path(f"/proc/{self.pid}/task").iterdir()
        return [task.name for task in tasks if (task / "comm").read_text().startswith(name)]

    # -- TLS

    @property
    def secure_url(self):
        return f"https://{self.address}:{self.port}"

    @property
    def authority(self):
        """The certificate of the daemon's own authority, as a file that clients can trust."""
        return self.data / "tls" / "authority.pem"

    def tls_context(self):
        """A client that trusts the daemon's authority and nobody else."""
        context = ssl.create_default_context(cafile=str(self.authority))
        context.set_alpn_protocols(["http/1.1"])
        return context

    # -- what lies on disk

    def object_files(self):
        return sorted(path for path in (self.data / "objects").rglob("*") if path.is_file())

    def listing(self):
        """Every path of the data folder with its kind and size; objects apart, for their names are random, and
        without the sizes of certificates, whose signatures are now shorter, now longer."""
        return {
            str(path.relative_to(self.data)): "folder" if path.is_dir() else self._size(path)
            for path in sorted(self.data.rglob("*"))
            if not (path.is_file() and path.parent.parent == self.data / "objects")
        }

    def _size(self, path):
        return "certificate" if path.parent == self.data / "tls" else path.stat().st_size

    def run(self, *arguments, input=None, timeout=600):
        """Another command of the same binary, such as check or export, on this data folder."""
        return subprocess.run(
            [str(binary()), *arguments], input=input, capture_output=True, timeout=timeout, env=self.variables(),
            cwd=self.folder,
        )  # fmt: skip


def raise_file_limit():
    """Of this process, whose children have it too: raised between fork and exec, it would cost a copy of all its pages."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
