"""Figures for the host's own programs: /metrics, /status, and safelight status. Nobody else gets them."""

import http.client
import json
import os
import re
import socket
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from client import Browser, wait_until
from daemon import Daemon, free_port
from network import HOST

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
SAMPLE = re.compile(r"([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{([^}]*)\})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"')


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=300)
        self.path = Path(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        # By its folder: the whole path may be longer than a socket's address.
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            self.sock.connect(f"/proc/self/fd/{folder}/{self.path.name}")
        finally:
            os.close(folder)


def ask(connection, path="/metrics", headers=None):
    with closing(connection):
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Content-Type"), answer.read().decode()


def console(daemon, path="/metrics", headers=None):
    return ask(UnixConnection(daemon.data / "console.sock"), path, headers)


def parse(text):
    """{name: (kind, {labels: value})}, read by the rules of the text format; anything beside them fails."""
    assert text.endswith("\n") and "\r" not in text
    families, name = {}, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            name, _, words = line.removeprefix("# HELP ").partition(" ")
            assert NAME.fullmatch(name) and words and name not in families, line
        elif line.startswith("# TYPE "):
            named, kind = line.removeprefix("# TYPE ").split(" ")
            assert named == name and kind in ("counter", "gauge"), line
            assert (kind == "counter") == name.endswith("_total"), line
            families[name] = (kind, {})
        else:
            match = SAMPLE.fullmatch(line)
            assert match and match[1] == name, line
            labels = tuple(LABEL.findall(match[2] or ""))
            assert ",".join(f'{key}="{value}"' for key, value in labels) == (match[2] or ""), line
            samples = families[name][1]
            assert labels not in samples, line
            samples[labels] = float(match[3])
    assert all(samples for _, samples in families.values())
    return families


def metrics(daemon):
    status, kind, text = console(daemon)
    assert status == 200 and kind == "text/plain; version=0.0.4; charset=utf-8"
    return parse(text)


def value(families, name, **labels):
    return families[name][1][tuple(labels.items())]


@pytest.fixture(scope="module")
def counting(start_standing):
    """A daemon whose figures nobody changes but these tests."""
    return start_standing()


def test_the_figures_follow_the_text_format_and_count(counting):
    daemon = counting
    before = metrics(daemon)
    Browser(daemon).create("copper lanterns of the figures").put("a.jpg", b"a" * 100_000)

    def answered(families):
        return value(families, "safelight_http_requests_total", code="2xx")

    # An answer is counted once it has left, and so is the end of its upload.
    wait_until(lambda: answered(metrics(daemon)) >= answered(before) + 2, "the answers are not counted")
    wait_until(lambda: value(metrics(daemon), "safelight_uploads_in_flight") == 0, "the upload does not end")
    after = metrics(daemon)
    assert value(after, "safelight_objects_stored_total") == value(before, "safelight_objects_stored_total") + 1
    assert value(after, "safelight_ledger_commits_total") > value(before, "safelight_ledger_commits_total")
    assert value(after, "safelight_network_received_bytes_total") > 100_000
    assert value(after, "safelight_store_degraded") == 0
    assert 0 < value(after, "safelight_disk_free_bytes") < value(after, "safelight_disk_size_bytes")
    # Of the same order: they change while they are asked for.
    resident = value(after, "process_resident_memory_bytes")
    assert daemon.status("VmRSS") / 2 < resident < daemon.status("VmRSS") * 2
    assert abs(value(after, "process_open_fds") - daemon.open_files()) < 20


def test_an_upload_in_flight_and_a_backup_show(daemon, vault, tmp_path):
    browser = vault()
    connection = socket.create_connection((daemon.address, daemon.port), 30)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.http.cookies)
    host = f"127.0.0.1:{daemon.port}"
    head = f"PUT /api/photos/a HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\nOrigin: http://{host}\r\n"
    with closing(connection):
        connection.sendall((head + "Content-Length: 10\r\nExpect: 100-continue\r\n\r\n").encode())
        assert b"100 Continue" in connection.recv(4096)
        assert value(metrics(daemon), "safelight_uploads_in_flight") == 1
        connection.sendall(b"0123456789")
        assert b" 201 " in connection.recv(4096)
    assert "safelight_last_backup_timestamp_seconds" not in metrics(daemon)
    assert b"Last backup   none" in status(daemon).stdout
    done = daemon.run("backup", "--data", str(daemon.data), "--to", str(tmp_path / "backup"))
    assert done.returncode == 0, done.stderr
    stamp = int((daemon.data / "last-backup").read_text())
    assert value(metrics(daemon), "safelight_last_backup_timestamp_seconds") == stamp


def test_figures_say_nothing_of_vaults(counting):
    """Whether none is there, one is open, three are open or locked: the same figures, by name and label."""
    daemon = counting

    def shape():
        return {name: sorted(samples) for name, (_, samples) in metrics(daemon).items()}

    before = shape()
    browsers = [Browser(daemon).create(f"lantern number {number} of the house") for number in range(3)]
    assert shape() == before
    for browser in browsers:
        browser.lock()
    assert shape() == before
    words = console(daemon)[2] + console(daemon, "/status")[2]
    assert not re.search("vault|session|guest|slot|password", words.replace("safelight", ""), re.IGNORECASE)


def test_the_page_serves_no_figures(standing_daemon):
    for path in ("/metrics", "/status"):
        assert Browser(standing_daemon).request("GET", path).status_code == 404


def test_only_loopback_or_a_socket_can_be_configured(tmp_path):
    for number, place in enumerate(("0.0.0.0:9000", "192.168.1.5:9000", "localhost:9000", "[::]:9000", "nonsense")):
        folder = tmp_path / str(number)
        folder.mkdir()
        daemon = Daemon(folder, environment={"SAFELIGHT_METRICS_LISTEN": place})
        daemon.launch()
        assert daemon.wait() == 78 and "metrics.listen" in daemon.log


def test_loopback_serves_programs_of_this_host_and_neither_proxies_nor_pages(start_daemon):
    port = free_port()
    start_daemon(environment={"SAFELIGHT_METRICS_LISTEN": f"127.0.0.1:{port}"})

    def get(**headers):
        headers = {name.replace("_", "-"): content for name, content in headers.items()}
        return ask(http.client.HTTPConnection("127.0.0.1", port, timeout=300), headers=headers)[0]

    assert get() == 200
    assert get(Host=f"localhost:{port}") == 200
    # A page of somebody's, whose name leads here.
    assert get(Host="evil.example") == 421
    assert get(Host=f"192.168.1.5:{port}") == 421
    assert get(Origin="http://evil.example") == 403
    assert get(Sec_Fetch_Site="cross-site") == 403
    # What a proxy of this host hands on.
    for field in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "Via", "X-Forwarded-Host"):
        assert get(**{field: "192.168.1.9"}) == 404


def test_another_device_gets_no_figures(start_on_network, network):
    port = free_port()
    daemon = start_on_network(environment={"SAFELIGHT_METRICS_LISTEN": f"127.0.0.1:{port}"})
    status, body, _ = network.device.curl(f"http://{HOST}:{port}/metrics")
    assert status == 0, body
    for scheme in ("http", "https"):
        status, body, _ = network.device.curl("--insecure", f"{scheme}://{HOST}:{daemon.port}/metrics")
        assert b"safelight_" not in body and status in (308, 404, 426)
    inside = network.host.run("curl", "--silent", "--noproxy", "*", f"http://127.0.0.1:{port}/metrics")
    assert parse(inside.stdout.decode())


# -- safelight status


def status(daemon, *more):
    return daemon.run("status", "--data", str(daemon.data), *more)


def test_status_tells_people_and_programs(restartable):
    daemon = restartable
    done = status(daemon)
    words = done.stdout.decode()
    assert done.returncode == 0, words
    assert "is running" in words and f"process {daemon.pid}" in words
    assert "\x1b" not in words
    told = json.loads(status(daemon, "--json").stdout)
    assert told["running"] is True and told["process"] == daemon.pid and told["health"] in ("pass", "warn")
    daemon.stop()
    done = status(daemon)
    assert done.returncode == 3 and b"not running" in done.stdout
    assert json.loads(status(daemon, "--json").stdout) == {"running": False}


def test_status_is_not_misled_by_what_a_killed_daemon_left(restartable):
    daemon = restartable
    daemon.kill9()
    assert (daemon.data / "console.sock").exists()
    assert status(daemon).returncode == 3
    daemon.start()
    assert status(daemon).returncode == 0


@pytest.mark.parametrize("length", [107, 108, 300])
def test_a_path_of_any_length_has_its_socket(start_daemon, length):
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "data"
        while missing := length - len(str(folder / "console.sock")):
            folder /= "d" * (missing - 1 if missing < 100 else 49)
        folder.parent.mkdir(parents=True, exist_ok=True)
        daemon = start_daemon(data=folder)
        assert (daemon.data / "console.sock").is_socket()
        assert status(daemon).returncode == 0
        daemon.stop()


def test_nobody_else_may_open_the_socket(standing_daemon):
    for path in (standing_daemon.data / "console.sock", standing_daemon.data):
        assert path.stat().st_mode & 0o077 == 0, path
