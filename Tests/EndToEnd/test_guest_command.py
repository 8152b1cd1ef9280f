"""safelight guests: the owner of the host sees guests' spaces, without names, and ends them."""

import json

import pytest
import requests
from client import Browser
from daemon import free_port
from test_guests import guest_rows


def guests(daemon, *more, answer=""):
    return daemon.run("guests", "--data", str(daemon.data), *more, input=answer.encode())


def listed(daemon):
    done = guests(daemon, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def three(daemon):
    """Guests with two photos, with an unfinished upload, and with nothing; and a vault."""
    owner = Browser(daemon).create()
    owner.put("vault.jpg", b"v" * 1000)
    browsers = [Browser(daemon).begin_guest() for _ in range(3)]
    for name in ("a.jpg", "b.jpg"):
        browsers[0].put(name, b"a" * 50_000)
    tus = {"Tus-Resumable": "1.0.0", "Content-Type": "application/offset+octet-stream"}
    address = browsers[1].request("POST", "/api/uploads", headers={**tus, "Upload-Length": "90000"}).headers["Location"]
    browsers[1].request("PATCH", address, headers={**tus, "Upload-Offset": "0"}, data=b"u" * 40_000)
    return owner, browsers


@pytest.mark.parametrize("runs", [True, False])
def test_lists_and_ends_what_guests_have_while_it_runs_and_while_it_is_stopped(daemon, three, runs):
    owner, browsers = three
    if not runs:
        daemon.stop()
    found = listed(daemon)
    assert sorted((space["photos"], space["unfinished"]) for space in found) == [(0, 0), (0, 1), (2, 0)]
    assert {space["lastDay"] - space["firstDay"] for space in found} == {30}
    assert next(space["bytes"] for space in found if space["photos"] == 2) > 100_000
    text = guests(daemon).stdout.decode()
    assert "2 photos" in text and "a.jpg" not in text and len(text.splitlines()) == 3
    number = next(place for place, space in enumerate(found, 1) if space["photos"] == 2)
    refused = guests(daemon, "--end", str(number), answer="no\n")
    assert refused.returncode == 73 and len(listed(daemon)) == 3
    assert guests(daemon, "--end", "9", "--yes").returncode == 1
    done = guests(daemon, "--end", str(number), answer="yes\n")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted((space["photos"], space["unfinished"]) for space in listed(daemon)) == [(0, 0), (0, 1)]
    daemon.restart() if runs else daemon.start()
    assert browsers[0].session()["kind"] == "none"
    assert [browser.session()["kind"] for browser in browsers[1:]] == ["guest", "guest"]
    assert owner.open().names() == ["vault.jpg"]
    # One that is open, beside those that nobody has taken up.
    browsers[2].put("late.jpg", b"l" * 1000)
    if not runs:
        daemon.stop()
    assert guests(daemon, "--end", "all", "--yes").returncode == 0
    assert listed(daemon) == [] and guest_rows(daemon) == 0
    daemon.restart() if runs else daemon.start()
    assert [browser.session()["kind"] for browser in browsers] == ["none"] * 3
    assert owner.open().names() == ["vault.jpg"] and len(daemon.object_files()) == 1
    assert daemon.run("check", "--data", str(daemon.data)).returncode in (0, 78)


def test_whoever_reaches_the_figures_on_loopback_ends_nothing_and_renews_nothing(start_daemon):
    port = free_port()
    daemon = start_daemon(environment={"SAFELIGHT_METRICS_LISTEN": f"127.0.0.1:{port}"})
    Browser(daemon).begin_guest().put("a.jpg", b"a")
    fingerprint = requests.get(f"{daemon.url}/api/certificate").json()["fingerprint"]
    for method, path in (("GET", "/guests"), ("POST", "/guests/end"), ("POST", "/authority")):
        answer = requests.request(method, f"http://127.0.0.1:{port}{path}", json={"ids": []}, timeout=30)
        assert answer.status_code == 404, path
    assert len(listed(daemon)) == 1
    assert requests.get(f"{daemon.url}/api/certificate").json()["fingerprint"] == fingerprint
