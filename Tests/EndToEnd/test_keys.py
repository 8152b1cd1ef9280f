"""Keys are in memory only as long as somebody has the vault or the guest's space open."""

import base64
import http.client
import os

import pytest
from attacks import vault
from client import OTHER_PASSWORD, PASSWORD, Browser, sha256, wait_until
from daemon import binary
from faults import needs_root
from giving import Visitor, make_door
from looking import Looker, make_window
from test_secrets import token_of

PIECE = 16 << 20
KEY = 32


def memory(pid):
    """Every page of the process that it could have written a key to, in pieces that overlap."""
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", buffering=0) as pages:
        for line in maps:
            span, rights = line.split()[:2]
            if not rights.startswith("rw"):
                continue
            start, end = (int(number, 16) for number in span.split("-"))
            for at in range(start, end, PIECE):
                try:
                    pages.seek(at)
                    yield pages.read(min(PIECE + KEY - 1, end - at))
                except OSError:
                    # A mapping of a device, or one that is gone by now.
                    break


def keys_in_memory(daemon, keys):
    found = set()
    for piece in memory(daemon.pid):
        found |= {key for key in keys if key in piece}
    return found


def wait_until_gone(daemon, keys):
    """A step of the re-read may hold a vault for a moment."""
    wait_until(lambda: not keys_in_memory(daemon, keys), f"some of {len(keys)} keys are still in memory", pause=0.5)


@pytest.fixture(scope="module")
def daemon(start_standing):
    """One in whose memory only what its tests look for is looked for."""
    return start_standing()


@pytest.fixture
def recorded(start_daemon, tmp_path):
    """A daemon, and a function that gives the keys that came into its memory, in their order."""
    if "release" in binary().parts:
        pytest.skip("release builds tell nobody their keys")
    path = tmp_path / "keys"
    daemon = start_daemon(environment={"SAFELIGHT_KEY_RECORD": str(path)})

    def keys():
        content = path.read_bytes()
        assert content and len(content) % KEY == 0
        return list(dict.fromkeys(content[at : at + KEY] for at in range(0, len(content), KEY)))

    return daemon, keys


@needs_root
def test_keys_leave_the_memory_with_the_last_session(recorded):
    daemon, keys = recorded
    here = Browser(daemon).create()
    here.put("a.jpg", b"a" * 100_000)
    there = Browser(daemon).open(keep=True)
    guest = Browser(daemon).begin_guest()
    guest.put("b.jpg", b"b" * 100_000)
    known = keys()
    assert len(known) == 2
    assert keys_in_memory(daemon, known) == set(known)
    here.lock()
    assert keys_in_memory(daemon, known) == set(known), "the other browser has the vault open"
    there.lock()
    wait_until_gone(daemon, known[:1])
    assert guest.request("DELETE", "/api/guest").status_code == 200
    wait_until_gone(daemon, known)
    # A kept session and a guest's that come back by their tokens.
    guest = Browser(daemon).begin_guest()
    there.open(keep=True)
    daemon.restart()
    assert there.digests() == {"a.jpg": sha256(b"a" * 100_000)} and guest.photos() == []
    known = keys()
    assert len(known) == 3
    assert keys_in_memory(daemon, known) == {known[0], known[2]}
    assert there.request("DELETE", "/api/sessions").status_code == 200
    assert guest.request("DELETE", "/api/guest").status_code == 200
    wait_until_gone(daemon, known)


@needs_root
def test_the_key_of_a_guest_leaves_the_memory_when_it_has_moved(recorded):
    daemon, keys = recorded
    guest = Browser(daemon).begin_guest()
    guest.put("a.jpg", b"a" * 100_000)
    guest.create(PASSWORD)
    known = keys()
    assert len(known) == 2
    assert known[1] in keys_in_memory(daemon, known)
    wait_until_gone(daemon, known[:1])
    assert guest.names() == ["a.jpg"]
    guest.lock()
    wait_until_gone(daemon, known)


@needs_root
def test_names_and_credentials_leave_the_memory_after_the_lock(daemon):
    names = [f"IMG_MARKER_{number}_NAME.jpg" for number in range(40)]
    browser = Browser(daemon).create()
    for number, name in enumerate(names):
        album = f"ALBUM_MARKER_{number % 4}_of_a_long_name"
        photo = browser.put(name, os.urandom(1000), params={"album": album})
        words = {"caption": f"CAPTION_MARKER_{number} that somebody wrote"}
        assert browser.request("PATCH", f"/api/photos/{photo['id']}", json=words).status_code == 200
    assert len(browser.photos()) == len(names)
    assert len(browser.request("GET", "/api/albums").json()["albums"]) == 4
    browser.lock()
    browser.http.close()
    Browser(daemon).create(OTHER_PASSWORD).lock()
    # A program sends it with the request.
    credentials = base64.b64encode(b":" + OTHER_PASSWORD.encode())
    program = http.client.HTTPConnection(daemon.address, daemon.port, timeout=300)
    program.request("GET", "/api/photos", headers={"Authorization": "Basic " + credentials.decode()})
    answer = program.getresponse()
    assert answer.status == 200 and answer.read()
    program.close()
    markers = [b"IMG_MARKER_", b"ALBUM_MARKER_", b"CAPTION_MARKER_", credentials]
    wait_until_forgotten(daemon, markers)


@needs_root
def test_a_door_leaves_the_memory_when_its_vault_is_locked_and_its_givers_are_gone(daemon):
    owner = Browser(daemon).create(f"{PASSWORD} behind a door")
    door = make_door(owner, "DOOR_MARKER_of_a_long_name")
    visitor = Visitor(daemon).enter(door, "GIVER_MARKER_of_a_long_name")
    visitor.give("GIVEN_MARKER_1_NAME.jpg", os.urandom(1000))
    wait_until(lambda: owner.names() and visitor.visit().status_code == 401)
    markers = [token_of(door["code"]), b"DOOR_MARKER_", b"GIVER_MARKER_", b"GIVEN_MARKER_"]
    assert all(occurrences(daemon, marker) for marker in markers[1:])
    owner.lock()
    owner.http.close()
    visitor.http.close()
    wait_until_forgotten(daemon, markers)


@needs_root
def test_file_keys_and_names_leave_the_memory_with_the_last_who_looks(start_daemon):
    daemon = start_daemon()
    owner = Browser(daemon).create()
    photos = [owner.put(f"SEEN_MARKER_{number}_NAME.jpg", os.urandom(1000)) for number in range(3)]
    window = make_window(owner, photos, name="WINDOW_MARKER_of_a_long_name", originals=True, places=True)
    owner.lock()
    daemon.stop()
    keys = [photo.one[1] for photo in vault(daemon.data, PASSWORD).photos()]
    daemon.start()
    lookers = [Looker(daemon).enter(window) for _ in range(2)]
    for looker in lookers:
        assert all(looker.original(id).status_code == 200 for id in looker.shown().values())
    assert len(keys) == 3 and keys_in_memory(daemon, keys) == set(keys)
    for left, looker in enumerate(lookers):
        assert looker.request("DELETE", "/see/api/session").status_code == 200
        looker.http.close()
        if left == 0:
            assert keys_in_memory(daemon, keys) == set(keys), "somebody else still looks"
    wait_until_gone(daemon, keys)
    wait_until_forgotten(daemon, [token_of(window["code"]), b"SEEN_MARKER_", b"WINDOW_MARKER_"])


def occurrences(daemon, marker):
    return sum(piece.count(marker) for piece in memory(daemon.pid))


def wait_until_forgotten(daemon, markers):
    complaint = f"one of these is still in memory: {markers}"
    wait_until(lambda: not any(marker in piece for piece in memory(daemon.pid) for marker in markers), complaint, pause=0.5)
