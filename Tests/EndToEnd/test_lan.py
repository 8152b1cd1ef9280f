"""What a device on the LAN may do: a network of its own with a made-up address stands for it."""

import json
import subprocess

import pytest
from client import PASSWORD
from faults import needs_root

ADDRESS = "10.77.0.1"
NETWORK = [
    "unshare", "--net", "--",
    "sh", "-c", f'ip link set lo up && ip address add {ADDRESS}/32 dev lo && exec "$@"', "sh",
]  # fmt: skip


@pytest.fixture
def lan(start_daemon, tmp_path):
    """A daemon that only `curl_from_lan` can reach, by an address that is not loopback."""
    probe = subprocess.run([*NETWORK, "true"], capture_output=True)
    if probe.returncode != 0:
        pytest.skip(f"no network namespaces here: {probe.stderr.decode().strip()}")
    return lambda **options: start_daemon(address=ADDRESS, wrapper=NETWORK, **options)


def curl_from_lan(daemon, path, body=None, *more):
    command = ["nsenter", "--net", "--target", str(daemon.pid), "--", "curl", "--silent", "--noproxy", "*"]
    command += ["--write-out", "\n%{http_code}", *more, daemon.url + path]
    if body is not None:
        command += ["--header", "Content-Type: application/json", "--data", json.dumps(body)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    text, _, status = done.stdout.decode().rpartition("\n")
    return int(status), json.loads(text) if text.startswith("{") else text


def setup_code(daemon):
    return daemon.run("code", "--data", str(daemon.data)).stdout.decode().strip().split()[-1]


def create(daemon, password=PASSWORD, **more):
    return curl_from_lan(daemon, "/api/vaults", {"password": password, "confirmation": password, **more})


@needs_root
def test_creating_a_vault_from_the_lan_needs_the_setup_code(lan):
    daemon = lan()
    status, hello = curl_from_lan(daemon, "/api/hello")
    assert (status, hello["codeNeeded"]) == (200, True)
    status, problem = create(daemon)
    assert (status, problem["code"]) == (403, "setup-code")
    status, problem = create(daemon, code="AAAA-AAAA")
    assert (status, problem["code"]) == (403, "setup-code")
    assert create(daemon, code=setup_code(daemon))[0] == 201


@needs_root
def test_guessing_the_setup_code_is_throttled(lan):
    daemon = lan()
    answers = [create(daemon, code=f"AAAA-AAA{number}")[0] for number in range(2, 10)]
    assert answers == [403] * 6 + [429] * 2
    assert create(daemon, code=setup_code(daemon))[0] == 429


@needs_root
def test_an_open_host_asks_no_code_and_a_local_one_refuses_the_lan(lan):
    assert create(lan(environment={"SAFELIGHT_REGISTRATION": "open"}))[0] == 201
    status, problem = create(lan(environment={"SAFELIGHT_REGISTRATION": "local"}), code="AAAA-AAAA")
    assert status == 403, problem


@needs_root
def test_at_most_20_vaults_a_day_come_from_the_lan(lan):
    daemon = lan()
    code = setup_code(daemon)
    answers = [create(daemon, f"gravel path {number} behind the barn", code=code)[0] for number in range(21)]
    assert answers[:20] == [201] * 20
    assert answers[20] == 429


@needs_root
def test_the_address_of_the_connection_is_a_host_name_and_others_are_not(lan):
    daemon = lan()
    assert curl_from_lan(daemon, "/api/hello")[0] == 200
    for host in ("127.0.0.1", "10.77.0.2", "evil.example"):
        assert curl_from_lan(daemon, "/api/hello", None, "--header", f"Host: {host}")[0] == 421, host
