"""Two hosts and a cable between them: the daemon lives on one, every other device on the other."""

import ctypes
import os
import socket
import subprocess
import threading
from contextlib import contextmanager

import requests
from client import Browser
from requests.adapters import HTTPAdapter

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)

HOST = "10.77.0.1"
HOST6 = "fd77::1"
DEVICES = [f"10.77.0.{number}" for number in range(101, 121)]
# Each in a /64 of its own, as devices of different strangers would be, and two more within the first of them.
DEVICES6 = [f"fd77:0:0:{number}::1" for number in range(1, 5)] + ["fd77:0:0:1::2", "fd77:0:0:1::3"]


def check(result):
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Namespace:
    """A network namespace that nothing but this object and the processes in it keep alive; it leaves no name behind.

    As a context it is where the current thread makes its sockets; a socket stays where it was made."""

    def __init__(self):
        outside = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        try:
            check(LIBC.unshare(CLONE_NEWNET))
            try:
                self.descriptor = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
            finally:
                check(LIBC.setns(outside, CLONE_NEWNET))
        finally:
            os.close(outside)
        self.ways_back = threading.local()

    def __enter__(self):
        outside = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
        check(LIBC.setns(self.descriptor, CLONE_NEWNET))
        self.ways_back.__dict__.setdefault("stack", []).append(outside)
        return self

    def __exit__(self, *_):
        outside = self.ways_back.stack.pop()
        check(LIBC.setns(outside, CLONE_NEWNET))
        os.close(outside)

    @property
    def path(self):
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    @property
    def wrapper(self):
        """What to put before a command so that it runs in here, under its own process id."""
        return ["nsenter", f"--net={self.path}", "--"]

    def run(self, *command, **options):
        options = {"capture_output": True, "timeout": 120, **options}
        return subprocess.run([*self.wrapper, *map(str, command)], **options)

    def ip(self, *lines):
        """Lines for `ip`, done in order; all of them or an error."""
        done = self.run("ip", "-batch", "-", input="".join(line + "\n" for line in lines).encode())
        if done.returncode != 0:
            raise OSError(done.stderr.decode())

    def set(self, name, value):
        """A kernel setting of this namespace alone, such as `ipv4/tcp_wmem`."""
        with self, open(f"/proc/sys/net/{name}", "w") as file:
            file.write(value)

    def close(self):
        os.close(self.descriptor)


class Device(Namespace):
    """Where clients are. Its addresses are `DEVICES` and `DEVICES6`."""

    def connect(self, daemon, source=DEVICES[0], address=None, timeout=300, receive_buffer=None):
        """A TCP connection from one of the addresses to `address` of the daemon, which has to be of the same family."""
        family = socket.AF_INET6 if ":" in source else socket.AF_INET
        with self:
            connection = socket.socket(family)
        try:
            connection.settimeout(timeout)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if receive_buffer:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            connection.bind((source, 0))
            connection.connect((address or (HOST6 if ":" in source else HOST), daemon.port))
        except BaseException:
            connection.close()
            raise
        return connection

    def connect_tls(self, daemon, source=DEVICES[0], address=None, context=None, **options):
        """The same with TLS; the certificate is checked against the daemon's authority and the address."""
        context = context or daemon.tls_context()
        name = address or (HOST6 if ":" in source else HOST)
        connection = self.connect(daemon, source, address, **options)
        try:
            return context.wrap_socket(connection, server_hostname=name)
        except BaseException:
            connection.close()
            raise

    def browser(self, daemon, source=DEVICES[0], secure=True, timeout=300):
        """A browser at one of the addresses."""
        address = f"[{HOST6}]" if ":" in source else HOST
        origin = f"{'https' if secure else 'http'}://{address}:{daemon.port}"
        return Browser(daemon, timeout, origin, DeviceSession(self, source))

    def curl(self, *arguments):
        """(status, body, error text); the status is 0 when there was no answer."""
        words = ["curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "60"]
        done = self.run(*words, "--write-out", "\n%{http_code}", *arguments)
        body, _, status = done.stdout.rpartition(b"\n")
        return int(status), body, done.stderr.decode()


class DeviceSession(requests.Session):
    """Its connections begin in a namespace and at an address."""

    def __init__(self, device, source):
        super().__init__()
        self.device = device
        for scheme in ("http://", "https://"):
            self.mount(scheme, SourceAdapter(source))

    def send(self, request, **options):
        with self.device:
            return super().send(request, **options)


class SourceAdapter(HTTPAdapter):
    def __init__(self, source):
        self.source = source
        super().__init__(pool_maxsize=64)

    def init_poolmanager(self, *arguments, **options):
        super().init_poolmanager(*arguments, source_address=(self.source, 0), **options)


class Network:
    """`host` is where the daemon runs, `device` where everybody else is."""

    def __init__(self):
        self.host = Namespace()
        self.device = Device()
        self.host.ip("link set lo up", f"link add lan0 type veth peer name lan0 netns {self.device.path}")
        self.host.ip(f"address add {HOST}/24 dev lan0", f"address add {HOST6}/48 dev lan0 nodad", "link set lan0 up")
        addresses = [f"{address}/24" for address in DEVICES] + [f"{address}/48" for address in DEVICES6]
        added = (f"address add {address} dev lan0{' nodad' if ':' in address else ''}" for address in addresses)
        self.device.ip("link set lo up", *added, "link set lan0 up")

    def close(self):
        self.device.close()
        self.host.close()


class Home:
    """A switch, `host` at it, and devices, each with a link-layer address of its own: one for each list of addresses."""

    def __init__(self, devices):
        self.switch, self.host, self.devices = Namespace(), Namespace(), [Device() for _ in devices]
        self.switch.ip("link add bridge0 type bridge", "link set bridge0 up")
        self.plug_in(self.host, 0, [HOST, HOST6])
        for number, (device, addresses) in enumerate(zip(self.devices, devices, strict=True), 1):
            self.plug_in(device, number, addresses)

    def plug_in(self, namespace, number, addresses):
        port = f"port{number}"
        self.switch.ip(
            f"link add {port} type veth peer name lan0 netns {namespace.path}", f"link set {port} master bridge0",
            f"link set {port} up",
        )  # fmt: skip
        added = (
            f"address add {address}{'/48' if ':' in address else '/16'} dev lan0{' nodad' if ':' in address else ''}"
            for address in addresses
        )
        namespace.ip("link set lo up", *added, "link set lan0 up")

    def close(self):
        for namespace in (*self.devices, self.host, self.switch):
            namespace.close()


@contextmanager
def network_or_skip(skip, make=Network):
    """A network, taken down at the end whatever happens; `skip` is told why there can be none."""
    try:
        network = make()
    except OSError as error:
        skip(f"no network namespaces here: {error}")
    try:
        yield network
    finally:
        network.close()
