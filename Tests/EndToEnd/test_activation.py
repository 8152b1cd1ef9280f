"""Sockets that systemd opens and hands over, by its own program for trying that out."""

import json
import shutil
import socket
import subprocess

import pytest
from client import wait_until
from daemon import WWW, Daemon, binary, free_port

pytestmark = pytest.mark.skipif(not shutil.which("systemd-socket-activate"), reason="systemd is not installed")


class ActivatedDaemon(Daemon):
    """Started by the first connection to one of `sockets`: "ADDRESS:PORT" or the path of a socket file."""

    def __init__(self, folder, sockets, options=(), **more):
        super().__init__(folder, **more)
        self.sockets = sockets
        self.options = options

    def command(self):
        listen = [f"--listen={name}" for name in self.sockets]
        variables = [f"--setenv={name}={value}" for name, value in self.variables().items()]
        serve = [str(binary()), "serve", "--data", str(self.data), "--www", str(WWW), *self.arguments]
        return ["systemd-socket-activate", *listen, *variables, *self.options, *serve]

    def launch(self):
        super().launch()
        for _ in self.sockets:
            while "Listening on" not in (line := self.lines.get(timeout=60)):
                assert line is not None, self.log

    def hello(self, where):
        """GET /api/hello over one of the sockets, as curl gets it."""
        words = ["curl", "--silent", "--show-error", "--noproxy", "*", "--max-time", "60"]
        way = ["--unix-socket", where, "http://localhost"] if where.startswith("/") else [f"http://{where}"]
        way[-1] += "/api/hello"
        done = subprocess.run([*words, *way], capture_output=True)
        assert done.returncode == 0, done.stderr.decode() + self.log
        # The first answer may come before the daemon has said where it serves.
        wait_until(lambda: "Safelight is ready" in self.log, "not a word in the log")
        return json.loads(done.stdout)


@pytest.fixture
def activated(tmp_path):
    """activated(sockets, …) → a daemon that the first connection to one of the sockets starts."""
    started = []

    def launch(sockets, **options):
        daemon = ActivatedDaemon(tmp_path, sockets, **options)
        started.append(daemon)
        daemon.launch()
        return daemon

    yield launch
    for daemon in started:
        daemon.kill9()


def place():
    return f"127.0.0.1:{free_port()}"


def test_a_port_that_systemd_holds_is_served_and_configured_addresses_give_way(activated):
    where, configured = place(), place()
    daemon = activated([where], environment={"SAFELIGHT_LISTEN": configured})
    assert daemon.hello(where)["version"]
    assert daemon.hello(where)["session"] == "none"
    assert f"Safelight is ready: http://{where}/" in daemon.log
    assert refuses(configured)
    daemon.stop()


def test_several_sockets_are_all_served_and_a_socket_file_stays_when_the_daemon_goes(activated, tmp_path):
    file = tmp_path / "safelight.sock"
    sockets = [str(file), place(), place()]
    daemon = activated(sockets)
    for where in sockets:
        assert daemon.hello(where)["version"]
    assert daemon.log.count("Safelight is ready") == 1
    assert f": unix:{file}" in daemon.log
    daemon.stop()
    assert file.is_socket()


def test_what_is_given_on_the_command_line_comes_first_and_nothing_else_is_held(activated):
    where, given = place(), place()
    daemon = activated([where], arguments=["--listen", given])
    address, _, port = where.partition(":")
    socket.create_connection((address, int(port))).close()
    while "Safelight is ready" not in (line := daemon.lines.get(timeout=60)):
        assert line is not None, daemon.log
    assert daemon.hello(given)["version"]
    assert refuses(where)
    daemon.stop()


@pytest.mark.parametrize("option", ["--datagram", "--accept"])
def test_a_socket_that_is_not_listened_on_is_refused(activated, option):
    where = place()
    daemon = activated([where], options=[option])
    address, _, port = where.partition(":")
    kind = socket.SOCK_DGRAM if option == "--datagram" else socket.SOCK_STREAM
    with socket.socket(socket.AF_INET, kind) as client:
        client.connect((address, int(port)))
        client.send(b"x")
        # With --accept, systemd-socket-activate stays and starts one process for each connection.
        while "handed over by the service manager" not in (line := daemon.lines.get(timeout=60)):
            assert line is not None, daemon.log


def refuses(where):
    address, _, port = where.partition(":")
    try:
        socket.create_connection((address, int(port))).close()
    except ConnectionRefusedError:
        return True
    return False
