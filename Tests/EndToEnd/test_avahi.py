"""With Avahi beside it, the daemon is found by name: the service file that we ship, on a real Avahi, asked from
another host."""

import queue
import shutil
import socket
import struct
import subprocess
import threading
import time

import pytest
import requests
from daemon import CHECKOUT
from network import DEVICES, HOST

pytestmark = [
    pytest.mark.nightly("systems"),
    pytest.mark.skipif(not shutil.which("avahi-daemon"), reason="avahi-daemon is not installed"),
]

HOSTNAME = "tower"
GROUP = ("224.0.0.251", 5353)
A, PTR, TXT, SRV = 1, 12, 16, 33
CONFIGURATION = "[server]\nenable-dbus=no\nuse-ipv6=no\nallow-interfaces=lan0\n[publish]\npublish-workstation=no\n"
# Avahi and what is started beside it have a name, a /run and a folder of services of their own.
SETTING = """
hostname {name} && mount -t tmpfs none /run && mount -t tmpfs none /etc/avahi/services &&
cp {service} /etc/avahi/services/ && exec avahi-daemon --no-drop-root --no-chroot --no-rlimits --file {file}
"""


class Avahi:
    def __init__(self, folder, network):
        file = folder / "avahi.conf"
        file.write_text(CONFIGURATION)
        service = CHECKOUT / "systemd" / "avahi" / "safelight.service"
        script = SETTING.format(name=HOSTNAME, service=service, file=file)
        self.network = network
        self.process = subprocess.Popen(
            [*network.host.wrapper, "unshare", "--mount", "--uts", "sh", "-c", script],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self.lines = queue.SimpleQueue()
        self.log = []
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.log.append(line)
            self.lines.put(line)
        self.lines.put(None)

    def wait_for(self, text):
        while text not in (line := self.lines.get(timeout=60) or pytest.fail("".join(self.log))):
            pass
        return line

    @property
    def wrapper(self):
        """For a daemon on the same host."""
        return ["nsenter", "--mount", "--uts", f"--target={self.process.pid}", "--"]

    def end(self):
        self.process.terminate()
        self.process.wait(20)


@pytest.fixture
def avahi(tmp_path, network):
    avahi = Avahi(tmp_path, network)
    try:
        avahi.wait_for("Server startup complete")
        avahi.wait_for('"Safelight on tower"')
        yield avahi
    finally:
        avahi.end()


def encoded(name):
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"


def decoded(message, offset):
    """(name, offset behind it), compression pointers followed."""
    labels, end = [], None
    while (length := message[offset]) != 0:
        if length >= 0xC0:
            end = end or offset + 2
            offset = struct.unpack_from("!H", message, offset)[0] & 0x3FFF
            continue
        labels.append(message[offset + 1 : offset + 1 + length].decode())
        offset += 1 + length
    return ".".join(labels), end or offset + 1


def records(message):
    """(name, kind, offset and length of the data) of everything that an answer brings."""
    questions, *counts = struct.unpack_from("!4H", message, 4)
    offset = 12
    for _ in range(questions):
        offset = decoded(message, offset)[1] + 4
    for _ in range(sum(counts)):
        name, offset = decoded(message, offset)
        kind, _, _, length = struct.unpack_from("!HHIH", message, offset)
        yield name, kind, offset + 10, length
        offset += 10 + length


def ask(device, name, kind):
    """Asks the group from another host until somebody answers; returns that message."""
    with device, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.bind((DEVICES[0], 0))
        asking.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(DEVICES[0]))
        asking.settimeout(1)
        question = struct.pack("!6H", 7, 0, 1, 0, 0, 0) + encoded(name) + struct.pack("!2H", kind, 1)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            asking.sendto(question, GROUP)
            try:
                return asking.recv(9000)
            except TimeoutError:
                continue
    raise AssertionError(f"nobody answers for {name}")


def address_of(device, name):
    answer = ask(device, name, A)
    return [socket.inet_ntoa(answer[at : at + size]) for owner, kind, at, size in records(answer) if (owner, kind) == (name, A)]


def test_the_host_answers_to_its_name(avahi, network):
    assert address_of(network.device, f"{HOSTNAME}.local") == [HOST]


def test_the_page_is_listed_among_the_web_pages_of_the_network(avahi, network):
    answer = ask(network.device, "_https._tcp.local", PTR)
    found = [decoded(answer, at)[0] for name, kind, at, _ in records(answer) if (name, kind) == ("_https._tcp.local", PTR)]
    assert found == [f"Safelight on {HOSTNAME}._https._tcp.local"]
    answer = ask(network.device, found[0], SRV)
    at = next(at for name, kind, at, _ in records(answer) if (name, kind) == (found[0], SRV))
    assert struct.unpack_from("!H", answer, at + 4)[0] == 8080
    assert decoded(answer, at + 6)[0] == f"{HOSTNAME}.local"
    answer = ask(network.device, found[0], TXT)
    assert [answer[at : at + size] for name, kind, at, size in records(answer) if kind == TXT] == [b"\x06path=/"]


def test_the_announced_name_leads_a_device_to_the_page(avahi, network, start_on_network):
    daemon = start_on_network(wrapper=avahi.wrapper)
    daemon.stop()
    name = f"{HOSTNAME}.local"
    assert f"                and: http://{name}:{daemon.port}/" in daemon.log.splitlines()
    daemon.start()
    with network.device:
        url = f"https://{address_of(network.device, name)[0]}:{daemon.port}/api/hello"
        assert requests.get(url, headers={"Host": f"{name}:{daemon.port}"}, verify=str(daemon.authority)).json()["secure"]
