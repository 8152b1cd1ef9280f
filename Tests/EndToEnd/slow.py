"""Clients that keep a connection busy with next to nothing, as slow-loris attacks do."""

import os
import socket
import ssl
import threading
import time

from network import HOST

INTERVAL = 0.5


class SlowClient(threading.Thread):
    """Connects and then sends or takes a byte now and then, until the daemon has enough. `lifetime` is in seconds from the
    moment before it connects, None if the connection still stood when `give_up` was set."""

    def __init__(self, network, daemon, source, give_up):
        super().__init__(daemon=True)
        self.device, self.target, self.source, self.give_up = network.device, daemon, source, give_up
        self.lifetime = self.failure = self.name_in_kernel = None
        self.received = b""

    def run(self):
        try:
            began = time.monotonic()
            with self.begin() as self.connection:
                self.name_in_kernel = (self.source, self.connection.getsockname()[1])
                while not self.give_up.wait(INTERVAL):
                    if self.is_over():
                        self.lifetime = time.monotonic() - began
                        return
        except Exception as error:  # noqa: BLE001
            self.failure = repr(error)

    def begin(self):
        raise NotImplementedError

    def is_over(self):
        """Does the little that it does; true once the daemon has closed."""
        try:
            self.connection.send(b"a")
            return self.has_ended()
        except (ConnectionError, ssl.SSLError):
            return True

    def has_ended(self):
        self.connection.settimeout(0.01)
        try:
            piece = self.connection.recv(4096)
        except TimeoutError:
            return False
        finally:
            self.connection.settimeout(30)
        self.received += piece
        return not piece or self.has_ended()


class SlowHandshake(SlowClient):
    """One byte after another of a TLS hello."""

    def begin(self):
        connection = self.device.connect(self.target, self.source)
        connection.sendall(b"\x16\x03\x01\x02\x00\x01")
        return connection


class SlowHeader(SlowClient):
    """One byte after another of a header field; half of these clients over TLS."""

    def begin(self):
        is_secure = int(self.source.rpartition(".")[2]) % 2
        connection = (self.device.connect_tls if is_secure else self.device.connect)(self.target, self.source)
        connection.sendall(f"GET /health HTTP/1.1\r\nHost: {HOST}\r\nX: ".encode())
        return connection


class SlowBody(SlowClient):
    """One byte after another of a photo."""

    def __init__(self, *arguments, cookie):
        super().__init__(*arguments)
        self.cookie = cookie

    def begin(self):
        connection = self.device.connect_tls(self.target, self.source)
        lines = [f"PUT /api/photos/slow.jpg HTTP/1.1\r\nHost: {HOST}:{self.target.port}", f"Origin: {self.target.secure_url}"]
        lines += [f"Cookie: {self.cookie}", "Content-Length: 5000000", "", ""]
        connection.sendall("\r\n".join(lines).encode())
        return connection


class SlowReader(SlowClient):
    """Asks for a photo and hardly takes it: half of them nothing at all, the others 100 bytes now and then."""

    def __init__(self, *arguments, cookie, photo):
        super().__init__(*arguments)
        self.cookie, self.photo = cookie, photo

    def begin(self):
        connection = self.device.connect_tls(self.target, self.source, receive_buffer=4096)
        lines = [f"GET /api/photos/{self.photo['id']}/original HTTP/1.1\r\nHost: {HOST}:{self.target.port}"]
        connection.sendall("\r\n".join([*lines, f"Cookie: {self.cookie}", "", ""]).encode())
        self.raw = socket.socket(fileno=os.dup(connection.fileno()))
        self.raw.settimeout(0.01)
        return connection

    def is_over(self):
        if int(self.source.rpartition(".")[2]) % 2:
            try:
                if not self.raw.recv(100):
                    return True
            except TimeoutError:
                pass
            except ConnectionError:
                return True
        return self.name_in_kernel not in established(self.target)


class Moment:
    """What the kernel says, asked at most ten times a second however many want to know."""

    def __init__(self):
        self.lock, self.asked, self.known = threading.Lock(), 0.0, {}

    def get(self, daemon):
        with self.lock:
            if time.monotonic() - self.asked > 0.1 or daemon.pid not in self.known:
                self.known, self.asked = {daemon.pid: read_established(daemon)}, time.monotonic()
            return self.known[daemon.pid]


MOMENT = Moment()


def established(daemon):
    """(address, port) of the other end of each connection that the daemon holds."""
    return MOMENT.get(daemon)


def read_established(daemon):
    return {readable(remote) for remote, state, _ in kernel_table(daemon) if state == ESTABLISHED}


def unsent_bytes(daemon):
    """What the kernel still offers to others on connections that the daemon has closed."""
    return sum(waiting for _, state, waiting in kernel_table(daemon) if state not in (ESTABLISHED, LISTENING))


ESTABLISHED, LISTENING = "01", "0A"


def kernel_table(daemon):
    """(other end, state, bytes in the send buffer) of each connection to the daemon's port."""
    for name in ("tcp", "tcp6"):
        with open(f"/proc/{daemon.pid}/net/{name}") as lines:
            next(lines)
            for line in lines:
                local, remote, state, queues = line.split()[1:5]
                if int(local.rpartition(":")[2], 16) == daemon.port:
                    yield remote, state, int(queues.partition(":")[0], 16)


def readable(text):
    """10.77.0.1 from the kernel's hexadecimal words, of which each is in the order of this machine."""
    words, _, port = text.partition(":")
    packed = b"".join(bytes.fromhex(words[start : start + 8])[::-1] for start in range(0, len(words), 8))
    if len(packed) == 16 and packed.startswith(bytes(10) + b"\xff\xff"):
        packed = packed[12:]
    return socket.inet_ntop(socket.AF_INET if len(packed) == 4 else socket.AF_INET6, packed), int(port, 16)
