"""Slow clients lose their connections by rule, and cost nobody else an upload."""

import itertools
import re
import shutil
import threading
import time

import pytest
from client import sha256
from faults import cookie_header, read_all
from network import DEVICES, HOST
from rawhttp import Line
from slow import SlowBody, SlowHandshake, SlowHeader, SlowReader, established, unsent_bytes

OPEN = {"SAFELIGHT_REGISTRATION": "open"}
MIB = 1 << 20
GRACE = 10
LONGEST_PATIENCE = 60
# How late a client may notice that it was closed, on a machine with much else to do: no rule is as long.
SLACK = 300


@pytest.fixture
def header_seconds(is_soak):
    """The real limit in soak; where every change waits for the tests, a shorter one."""
    return 10 if is_soak else 4


@pytest.fixture
def lan(start_on_network, network, header_seconds):
    # Small buffers in the kernel: what a slow reader is sent should not all fit into them.
    network.host.set("ipv4/tcp_wmem", "4096 16384 65536")
    # 500 slow ones and the honest, all of one device, are more than there is room for by default; and the slow bodies are
    # uploads into an open vault, which its owner's devices may fill the 256 places with.
    limits = {"HEADER": str(header_seconds), "CONNECTIONS": "800", "CONNECTIONS_DEVICE": "800", "UPLOADS": "600"}
    limits = {f"SAFELIGHT_LIMITS_{name}": value for name, value in limits.items()}
    return start_on_network(environment={**OPEN, **limits})


@pytest.fixture
def hurried(start_on_network):
    """A daemon that waits four seconds for a header."""
    return start_on_network(environment={**OPEN, "SAFELIGHT_LIMITS_HEADER": "4"})


class Honest(threading.Thread):
    """A phone that uploads one photo after another until it is told to stop, and remembers what was confirmed."""

    def __init__(self, browser, contents, stop, number):
        super().__init__(daemon=True)
        self.browser, self.contents, self.stop, self.number = browser, contents, stop, number
        self.confirmed, self.failure = {}, None

    def run(self):
        try:
            for count in itertools.count():
                name = f"{self.number}-{count}.jpg"
                # Another phone's photo would be a duplicate, and not be kept under a second name.
                content = self.contents[count % len(self.contents)] + name.encode()
                self.browser.put(name, content)
                self.confirmed[name] = sha256(content)
                if self.stop.wait(0.5):
                    return
        except Exception as error:  # noqa: BLE001
            self.failure = repr(error)


class WeakSignal(threading.Thread):
    """An honest phone at the edge of the Wi-Fi: twice the least rate that is tolerated, or bursts with pauses between them.
    Where much else is done beside it, `haste` times that, or the machine would be too slow for a phone that is not."""

    def __init__(self, device, daemon, cookie, source, in_bursts, haste):
        super().__init__(daemon=True)
        self.device, self.target, self.cookie, self.source = device, daemon, cookie, source
        self.piece, self.pause = (64_000 * haste, 5) if in_bursts else (4_096 * haste, 0.25)
        self.answer = b""

    def run(self):
        content = bytes(self.piece) * max(1, round(16 / self.pause))
        head = (
            f"PUT /api/photos/{self.source}-{self.piece}.jpg HTTP/1.1\r\nHost: {HOST}:{self.target.port}\r\nConnection: close\r\n"
            f"Origin: {self.target.secure_url}\r\nCookie: {self.cookie}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        with self.device.connect_tls(self.target, self.source) as connection:
            connection.sendall(head.encode())
            try:
                for start in range(0, len(content), self.piece):
                    connection.sendall(content[start : start + self.piece])
                    time.sleep(self.pause)
                while piece := connection.recv(65536):
                    self.answer += piece
            except OSError as error:
                self.answer += repr(error).encode()


class Party:
    """Honest phones at work while the others are slow."""

    def __init__(self, network, daemon, photos, honest=5, haste=1):
        self.daemon, self.device = daemon, network.device
        self.browser = self.device.browser(daemon).create()
        self.cookie = cookie_header(self.browser)
        contents = [path.read_bytes() for path in photos if path.stat().st_size < 2 * MIB]
        self.stop = threading.Event()
        self.phones = []
        for number in range(honest):
            browser = self.device.browser(daemon, DEVICES[number]).open()
            self.phones.append(Honest(browser, contents[number:] + contents[:number], self.stop, number))
        self.weak = [WeakSignal(self.device, daemon, self.cookie, DEVICES[10 + n], n % 2 == 1, haste) for n in range(2)]

    def __enter__(self):
        for thread in [*self.phones, *self.weak]:
            thread.start()
        return self

    def __exit__(self, kind, *_):
        self.stop.set()
        for thread in [*self.phones, *self.weak]:
            thread.join(120)
        if kind is None:
            self.check()

    def check(self):
        assert [phone.failure for phone in self.phones] == [None] * len(self.phones)
        assert all(phone.confirmed for phone in self.phones)
        for phone in self.weak:
            assert phone.answer.startswith(b"HTTP/1.1 201 "), phone.answer
        confirmed = {name: digest for phone in self.phones for name, digest in phone.confirmed.items()}
        kept = self.browser.digests()
        assert {name: kept.get(name) for name in confirmed} == confirmed


def from_all_devices(count):
    return list(itertools.islice(itertools.cycle(DEVICES), count))


def run_slow(clients, give_up, within):
    for client in clients:
        client.start()
    deadline = time.monotonic() + within
    for client in clients:
        client.join(max(0, deadline - time.monotonic()))
    give_up.set()
    for client in clients:
        client.join(300)
    assert [client.failure for client in clients if client.failure] == []


def lifetimes(clients, kind):
    return [client.lifetime for client in clients if isinstance(client, kind)]


def check_by_rule(clients, kind, least, most):
    ended = lifetimes(clients, kind)
    assert None not in ended, f"{kind.__name__}: {ended.count(None)} of {len(ended)} still stood"
    assert least - 1 <= min(ended) and max(ended) <= most + SLACK, (kind.__name__, sorted(ended))


@pytest.mark.nightly("systems")
def test_slow_clients_are_closed_by_rule_and_honest_ones_served(lan, network, photos, seeded, counted, header_seconds):
    count = counted(20, 500)
    give_up = threading.Event()
    with Party(network, lan, photos, haste=counted(8, 1)) as party:
        large = party.browser.put("large.mov", seeded.randbytes(4 * MIB))
        before = lan.open_files()
        common = [network, lan]
        kinds = {
            SlowHandshake: (lambda source: SlowHandshake(*common, source, give_up), header_seconds, header_seconds),
            SlowHeader: (lambda source: SlowHeader(*common, source, give_up), header_seconds, header_seconds),
            SlowBody: (lambda source: SlowBody(*common, source, give_up, cookie=party.cookie), GRACE, GRACE),
            SlowReader: (
                lambda source: SlowReader(*common, source, give_up, cookie=party.cookie, photo=large), GRACE, LONGEST_PATIENCE,
            ),
        }  # fmt: skip
        made = {kind: [make(source) for source in from_all_devices(count)] for kind, (make, _, _) in kinds.items()}
        # All at once where they fit into the limits; 500 of a kind have to come one kind after another.
        waves = [sum(made.values(), [])] if count * len(kinds) <= 400 else list(made.values())
        for wave in waves:
            run_slow(wave, give_up, LONGEST_PATIENCE + SLACK + GRACE)
            for kind, (_, least, most) in kinds.items():
                if lifetimes(wave, kind):
                    check_by_rule(wave, kind, least, most)
            # What slow readers did not take is given up with them.
            assert unsent_bytes(lan) < 100_000
            give_up.clear()
    assert lan.running
    assert party.browser.request("GET", "/health").json()["status"] == "pass"
    assert lan.open_files() <= before + 20
    assert not {client.name_in_kernel for wave in waves for client in wave} & established(lan)


def test_a_client_that_is_only_quiet_between_requests_keeps_its_connection(hurried, network):
    """The time for a header begins with its first byte."""
    live = f"GET /health/live HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    with Line(lambda: network.device.connect_tls(hurried, timeout=4 + SLACK)) as line:
        assert line.ask(live).status == 200
        kept = line.connection
        time.sleep(5)
        assert line.ask(live).status == 200 and line.connection is kept
        began = time.monotonic()
        kept.sendall(live[:30])
        assert read_all(kept) == b""
        assert 3 <= time.monotonic() - began < 4 + SLACK


def test_a_connection_without_a_byte_ends_like_a_slow_header(hurried, network):
    began = time.monotonic()
    with network.device.connect(hurried, timeout=4 + SLACK) as connection:
        assert read_all(connection) == b""
    assert 3 <= time.monotonic() - began < 4 + SLACK


# -- the same by a program that others know


SLOWHTTPTEST = {
    "slow header": ["-H", "-i", "5", "-x", "24", "-t", "GET"],
    "slow body": ["-B", "-i", "5", "-s", "8192", "-x", "10", "-t", "POST"],
    "slow read": ["-X", "-w", "1", "-y", "2", "-n", "5", "-z", "1", "-k", "3"],
}


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["http", "https"])
@pytest.mark.parametrize("kind", SLOWHTTPTEST)
def test_slowhttptest_does_not_deny_service(start_on_network, network, photos, kind, scheme):
    if not shutil.which("slowhttptest"):
        pytest.skip("slowhttptest is not installed")
    # It has one address for all its connections.
    limits = {"CONNECTIONS": "800", "CONNECTIONS_DEVICE": "500", "CONNECTIONS_ADDRESS": "500"}
    environment = {**OPEN, **{f"SAFELIGHT_LIMITS_{name}": value for name, value in limits.items()}}
    daemon = start_on_network(environment=environment)
    with Party(network, daemon, photos):
        address = f"{scheme}://{HOST}:{daemon.port}/{'health' if kind != 'slow read' else 'css/page.css'}"
        command = ["slowhttptest", "-c", "450", "-r", "100", "-l", "90", "-p", "3", *SLOWHTTPTEST[kind], "-u", address]
        done = network.device.run(*command, timeout=300)
    output = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout.decode(errors="replace"))
    shown = re.findall(r"service available:\s+(YES|NO)", output)
    assert shown and set(shown) == {"YES"}, output[-3000:]
