"""How many connections one device and all of them together may hold, and that each gives back what it took."""

import json
import resource
import socket
import ssl
import threading
from contextlib import suppress

import pytest
from client import wait_until
from faults import cookie_header, reset
from network import DEVICES, DEVICES6, HOST, HOST6
from rawhttp import answers

OPEN = {"SAFELIGHT_REGISTRATION": "open"}
PER_ADDRESS = 32
OVERFLOW = 16
MIB = 1 << 20
UPLOAD_BYTES = 60 << 10
PATIENT = {"SAFELIGHT_LIMITS_RATE": "1"}


@pytest.fixture(scope="module")
def network(network_of_module):
    """One for all: each case ends its connections."""
    return network_of_module


@pytest.fixture
def device(network):
    return network.device


@pytest.fixture(scope="module")
def standing(start_standing, network):
    return start_standing(wrapper=network.host.wrapper, address=HOST, listen="[::]", environment=OPEN)


@pytest.fixture
def lan(standing):
    """A daemon that has no connection."""
    wait_until(lambda: standing.open_files() <= idle_files(standing), "descriptors are kept")
    return standing


def ask(connection, path="/health/live", host=HOST, close=False):
    """The answer on a connection, None when it was closed instead."""
    end = "Connection: close\r\n" if close else ""
    try:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{end}\r\n".encode())
        received = b""
        while piece := connection.recv(65536):
            received += piece
            if not close and (found := answers(received)) and len(found[0].body) == int(found[0].fields.get("content-length", 0)):
                return found[0]
    except (ConnectionError, ssl.SSLError):
        return None
    found = answers(received)
    return found[0] if found else None


def is_served(connection, host=HOST):
    answer = ask(connection, host=host)
    return answer is not None and answer.status == 200


class Connections:
    """Open connections that are closed at the end of the test."""

    def __init__(self):
        self.open = []

    def add(self, connection):
        self.open.append(connection)
        return connection

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.open:
            connection.close()


def ends(connection):
    """Waits for the other side's end."""
    connection.settimeout(120)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def begin_upload(connection, browser, name):
    """In the middle of a request from here on: a photo of which the last byte is missing. At the rate of `PATIENT` a
    minute may pass until that byte."""
    head = (
        f"PUT /api/photos/{name} HTTP/1.1\r\nHost: {HOST}:{browser.daemon.port}\r\nSec-Fetch-Site: same-origin\r\n"
        f"Cookie: {cookie_header(browser)}\r\nContent-Length: {UPLOAD_BYTES}\r\n\r\n"
    )
    connection.sendall(head.encode() + bytes(UPLOAD_BYTES - 1))
    return connection


def test_an_idle_connection_of_an_address_ends_for_its_33rd_and_others_get_theirs(lan, device):
    with Connections() as held:
        for _ in range(PER_ADDRESS):
            assert is_served(held.add(device.connect(lan)))
        other, sixth = held.add(device.connect(lan, DEVICES[1])), held.add(device.connect(lan, DEVICES6[0]))
        assert is_served(other)
        assert is_served(sixth, f"[{HOST6}]")
        for number in range(3):
            assert is_served(held.add(device.connect(lan)))
            assert ends(held.open[number])
        assert all(is_served(connection) for connection in (*held.open[3:6], other))
        assert is_served(sixth, f"[{HOST6}]")


def test_a_device_counts_as_one_by_however_many_addresses(start_on_network, device):
    limit = 8
    daemon = start_on_network(environment={**OPEN, "SAFELIGHT_LIMITS_CONNECTIONS_DEVICE": str(limit)})
    host = f"[{HOST6}]"
    with Connections() as held:
        for number in range(limit):
            assert is_served(held.add(device.connect(daemon, DEVICES[number])))
        for number in range(2):
            assert is_served(held.add(device.connect(daemon, DEVICES6[number])), host)
            assert ends(held.open[number])
        assert all(is_served(connection) for connection in held.open[2:limit])


def test_at_the_limit_health_answers_and_the_rest_is_told_to_wait(start_on_network, network):
    device, total = network.device, 20
    limits = {"SAFELIGHT_LIMITS_CONNECTIONS_DEVICE": str(total), "SAFELIGHT_LIMITS_CONNECTIONS_ADDRESS": "1"}
    daemon = start_on_network(environment={**OPEN, **PATIENT, **limits})
    browser, context = device.browser(daemon).create(), daemon.tls_context()
    browser.http.close()

    def connect(daemon, source=DEVICES[0]):
        return device.connect_tls(daemon, source, context=context)

    with Connections() as held:
        for number in range(total):
            begin_upload(held.add(connect(daemon, DEVICES[number % 20])), browser, f"{number}.jpg")
        wait_until(lambda: uploads_in_flight(daemon) == total)
        assert told_to_wait(connect, daemon)
        for path in ("/health", "/health/live"):
            with connect(daemon) as one:
                answer = ask(one, path)
                assert (answer.status, answer.fields.get("connection")) == (200, "close")
        for path in ("/", "/api/hello", "/no/such/page"):
            with connect(daemon) as one:
                answer = ask(one, path)
                assert (answer.status, answer.fields["retry-after"], answer.fields.get("connection")) == (503, "5", "close")
                assert b'"busy"' in answer.body
        # Of those few the longest silent ends for the next.
        extra = [held.add(device.connect(daemon, DEVICES[number % 20])) for number in range(OVERFLOW + 4)]
        assert all(ends(connection) for connection in extra[:4])
        assert ask(held.add(device.connect(daemon))).status == 200
        # The host itself has seats of its own.
        done = network.host.run("curl", "--silent", "--noproxy", "*", f"http://127.0.0.1:{daemon.port}/api/hello")
        assert b"version" in done.stdout
        for connection in held.open[:total]:
            connection.sendall(b"\0")
            assert connection.recv(12) == b"HTTP/1.1 201"
    wait_until(lambda: served_once(device, daemon, "/api/certificate"), "the seats are not given back")


def uploads_in_flight(daemon):
    """A connection whose request the host has not seen yet gives way like an idle one."""
    return json.loads(daemon.run("status", "--data", str(daemon.data), "--json").stdout)["uploadsInFlight"]


def told_to_wait(connect, daemon):
    with connect(daemon) as one:
        answer = ask(one, "/")
        return answer is not None and answer.status == 503


def served_once(device, daemon, path):
    with device.connect(daemon) as connection:
        answer = ask(connection, path)
        return answer is not None and answer.status == 200


# -- coming and going


def drop_at_once(connection, context):
    connection.close()


def drop_with_reset(connection, context):
    reset(connection)


def drop_in_the_header(connection, context):
    connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX: ")
    connection.close()


def drop_in_the_handshake(connection, context):
    connection.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    reset(connection)


def drop_before_the_answer(connection, context):
    connection.sendall(f"GET /health HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
    reset(connection)


def drop_after_the_answer(connection, context):
    assert is_served(connection)
    connection.close()


def drop_after_the_handshake(connection, context):
    try:
        context.wrap_socket(connection, server_hostname=HOST).close()
    except ConnectionError:
        pass


def drop_half(connection, context):
    connection.shutdown(socket.SHUT_WR)
    while connection.recv(65536):
        pass
    connection.close()


WAYS = [
    drop_at_once, drop_with_reset, drop_in_the_header, drop_in_the_handshake, drop_before_the_answer, drop_after_the_answer,
    drop_after_the_handshake, drop_half,
]  # fmt: skip


def come_and_go(device, daemon, count):
    """Connections in turn from all addresses, each dropped in another way."""
    context = daemon.tls_context()
    for number in range(count):
        way = WAYS[number % len(WAYS)]
        with suppress(ConnectionError, ssl.SSLError):
            way(device.connect(daemon, DEVICES[number // len(WAYS) % 20]), context)


def test_connections_that_come_and_go_leave_nothing(lan, device, counted, is_soak):
    """Thousands, and what they leave in memory, are for `make soak`; a thousand at a listener for `LimitTests`."""
    come_and_go(device, lan, counted(80, 400))
    wait_until(lambda: lan.open_files() <= idle_files(lan), "descriptors are kept")
    files, memory = lan.open_files(), lan.status("VmRSS")
    come_and_go(device, lan, counted(240, 10_000))
    wait_until(lambda: lan.open_files() <= files, "descriptors are kept")
    assert not is_soak or lan.status("VmRSS") - memory < 8 * MIB
    assert served_once(device, lan, "/health")


def idle_files(daemon):
    """Descriptors of a daemon that has no connection: those that are no sockets of its port, and the listener."""
    return sum(1 for link in daemon.descriptors() if "socket:" not in link) + 4


def test_connections_held_by_nobody_are_given_back_at_once(lan, device):
    """Seats, not only descriptors: as many connections from one address as it may have, again and again."""
    for _ in range(3):
        with Connections() as held:
            for _ in range(PER_ADDRESS):
                wait_until(lambda: is_served(held.add(device.connect(lan))), "the seats are not given back")  # noqa: B023


def test_without_free_descriptors_it_waits_and_recovers(lan, device):
    limits = resource.prlimit(lan.pid, resource.RLIMIT_NOFILE)

    def is_short():
        """Counted anew each time: now and then a file is open for a moment."""
        resource.prlimit(lan.pid, resource.RLIMIT_NOFILE, (lan.open_files(), limits[1]))
        # One is kept back, so that whoever watches over the host gets an answer; without a queue before it, at once.
        assert served_once(device, lan, "/health")
        return "Connections cannot be accepted at the moment" in lan.log

    try:
        with Connections() as held:
            assert all(is_served(held.add(device.connect(lan, DEVICES[number]))) for number in range(12))
            # What this finds is told for ten seconds: a look at the disk takes a descriptor.
            assert served_once(device, lan, "/health")
            wait_until(is_short, "the limit is not reached")
            for number in range(40):
                held.add(device.connect(lan, DEVICES[number % 20]))
        wait_until(lambda: served_once(device, lan, "/health"), "it does not recover")
        assert lan.running
    finally:
        resource.prlimit(lan.pid, resource.RLIMIT_NOFILE, limits)
    assert served_once(device, lan, "/health")


# -- stopping


def is_refused(device, daemon):
    try:
        device.connect(daemon, DEVICES[12]).close()
    except ConnectionError:
        return True
    return False


def test_sigterm_closes_idle_connections_and_lets_an_upload_over_tls_finish(start_on_network, device):
    lan = start_on_network(environment=OPEN)
    browser = device.browser(lan).create()
    content = bytes(300_000)
    head = (
        f"PUT /api/photos/last.jpg HTTP/1.1\r\nHost: {HOST}:{lan.port}\r\nOrigin: {lan.secure_url}\r\n"
        f"Cookie: {cookie_header(browser)}\r\nExpect: 100-continue\r\nContent-Length: {len(content)}\r\n\r\n"
    ).encode()
    with Connections() as held:
        idle = [held.add((device.connect_tls if n % 2 else device.connect)(lan, DEVICES[n])) for n in range(10)]
        assert all(is_served(connection) for connection in idle)
        upload = held.add(device.connect_tls(lan, DEVICES[11]))
        upload.sendall(head)
        assert upload.recv(65536).startswith(b"HTTP/1.1 100 ")
        upload.sendall(content[:100_000])
        ended = threading.Thread(target=lan.stop)
        ended.start()
        for connection in idle:
            assert ends(connection)
        wait_until(lambda: is_refused(device, lan), "new connections are still taken")
        upload.sendall(content[100_000:])
        assert upload.recv(65536).startswith(b"HTTP/1.1 201 ")
        ended.join()
    lan.start()
    assert device.browser(lan).open().names() == ["last.jpg"]
