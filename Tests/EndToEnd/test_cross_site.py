"""What other sites and other names can make a browser do here, which is nothing."""

import itertools
import json

import pytest
import requests
from client import PASSWORD, Browser
from faults import cookie_header
from foreign import foreign_fields, right_hosts, wrong_hosts
from places import PLACES
from rawhttp import Line

NUMBERS = itertools.count()
JSON = "application/json"
# The password of a vault that somebody elsewhere would like to make.
FOREIGN_PASSWORD = "a lantern that nobody lit"
CREATION = json.dumps({"password": FOREIGN_PASSWORD, "confirmation": FOREIGN_PASSWORD})


def unsafe(password, photo, gone):
    """Everything that changes something in the vault of that password, with that photo and that one in its trash."""
    proof = json.dumps({"password": password})
    change = json.dumps({"current": password, "password": FOREIGN_PASSWORD, "confirmation": FOREIGN_PASSWORD})
    form = (
        f'--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n{password}\r\n'
        '--b\r\nContent-Disposition: form-data; name="photos"; filename="evil.jpg"\r\n\r\nevil\r\n--b--\r\n'
    )
    return [
        ("PUT", "/api/photos/evil.jpg", "image/jpeg", "evil"),
        ("POST", "/api/photos?name=evil.jpg", "image/jpeg", "evil"),
        ("POST", "/api/photos", "multipart/form-data; boundary=b", form),
        ("POST", "/share", "multipart/form-data; boundary=b", form),
        ("POST", "/api/photos/delete", JSON, json.dumps({"ids": [photo["id"]]})),
        ("POST", "/api/photos/restore", JSON, json.dumps({"ids": [gone["id"]]})),
        ("DELETE", f"/api/photos/{photo['id']}", None, ""),
        ("DELETE", "/api/trash", None, ""),
        ("POST", "/api/archive", JSON, json.dumps({"ids": [photo["id"]]})),
        ("PUT", "/api/vault/password", JSON, change),
        ("POST", "/api/vault/rotate", JSON, proof),
        ("DELETE", "/api/vault", JSON, proof),
        ("POST", "/api/vaults", JSON, CREATION),
        ("POST", "/api/session", JSON, proof),
        ("DELETE", "/api/sessions", None, ""),
        ("DELETE", "/api/session", None, ""),
    ]


def message(method, path, host, fields, kind=None, body=""):
    lines = [f"{method} {path} HTTP/1.1"] + ([f"Host: {host}"] if host is not None else [])
    lines += [f"{name}: {value}" for name, value in fields.items()] + ([f"Content-Type: {kind}"] if kind else [])
    lines += [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([*lines, "", body]).encode("utf-8", "surrogateescape")


class Library:
    """A vault with a photo and one in the trash, and whether it is still as it was."""

    def __init__(self, daemon, place):
        self.daemon = daemon
        self.password = f"{PASSWORD} {next(NUMBERS)}"
        self.browser = Browser(daemon, origin=place.origin(daemon)).create(self.password)
        self.photo = self.browser.put("mine.jpg", b"mine")
        self.browser.put("gone.jpg", b"gone")
        self.browser.delete([photo for photo in self.browser.photos() if photo["name"] == "gone.jpg"])
        self.gone = self.browser.trash()[0]
        self.unsafe = unsafe(self.password, self.photo, self.gone)
        self.before = self.state()

    def state(self):
        return [[photo["id"] for photo in photos] for photos in (self.browser.photos(), self.browser.trash())], self.daemon.object_files()

    def is_as_before(self):
        return self.state() == self.before


@pytest.fixture(scope="module")
def daemon(start_standing):
    """Apart from other tests: which files lie there is counted."""
    return start_standing()


@pytest.fixture(params=PLACES, ids=str)
def place(request):
    return request.param


@pytest.fixture
def line(daemon, place):
    with Line(lambda: place.connect(daemon)) as line:
        yield line


@pytest.fixture
def library(daemon, place):
    return Library(daemon, place)


def test_a_request_from_another_origin_changes_nothing(daemon, place, line, library):
    """Each sign of another origin at one request in turn, and each request with one of them: every combination is for
    `OriginTableTests`."""
    cookie = cookie_header(library.browser)
    host = f"127.0.0.1:{daemon.port}"
    signs = list(foreign_fields(place.scheme, "127.0.0.1", daemon.port))
    assert len(signs) > 3 * len(library.unsafe)
    for fields, (method, path, kind, body) in zip(signs, itertools.cycle(library.unsafe)):
        answer = line.ask(message(method, path, host, {"Cookie": cookie, **fields}, kind, body))
        assert answer.status == 403, (fields, method, path, answer)
        assert json.loads(answer.body)["code"] == "cross-site", (fields, method, path, answer)
    assert library.is_as_before()
    Browser(daemon).open(library.password)
    assert Browser(daemon).try_open(FOREIGN_PASSWORD).status_code == 401


def test_without_a_cookie_too_another_site_opens_and_creates_nothing(daemon, place, line, library):
    """A page elsewhere must not sign its visitor in here, nor guess a password through the visitor's browser."""
    host = f"127.0.0.1:{daemon.port}"
    tried = [request for request in library.unsafe if request[1] in ("/api/photos", "/api/vaults", "/api/session") and request[0] == "POST"]
    for fields, (method, path, kind, body) in zip(foreign_fields(place.scheme, "127.0.0.1", daemon.port), itertools.cycle(tried)):
        if fields:
            answer = line.ask(message(method, path, host, fields, kind, body))
            assert answer.status == 403 and "set-cookie" not in answer.fields, (fields, method, path, answer)
    assert library.is_as_before()


def test_the_page_s_own_requests_are_taken(daemon, place, line, library):
    """The tests above can fail: the same requests pass with the fields that a browser sends for our own page."""
    cookie = cookie_header(library.browser)
    origin = place.origin(daemon)
    own = [
        {"Origin": origin}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "same-origin", "Origin": origin},
    ]  # fmt: skip
    for number, fields in enumerate(own):
        path = f"/api/photos/{number}.jpg"
        answer = line.ask(message("PUT", path, f"127.0.0.1:{daemon.port}", {"Cookie": cookie, **fields}, "image/jpeg", f"x{number}"))
        assert answer.status == 201, (fields, answer)
    assert len(library.browser.photos()) == 1 + len(own)


def test_reading_from_elsewhere_is_answered_so_that_elsewhere_cannot_see_it(daemon, place, line, library):
    cookie = cookie_header(library.browser)
    host = f"127.0.0.1:{daemon.port}"
    paths = ["/api/photos", "/api/trash", "/api/session", f"/api/photos/{library.photo['id']}/original", "/api/hello", "/"]
    for fields, path in zip(foreign_fields(place.scheme, "127.0.0.1", daemon.port), itertools.cycle(paths)):
        answer = line.ask(message("GET", path, host, {"Cookie": cookie, **fields}))
        assert not [name for name in answer.fields if name.startswith("access-control-")], (fields, path)
        assert answer.fields["cross-origin-resource-policy"] == "same-origin", (fields, path)
    assert library.is_as_before()


def test_names_that_are_not_this_host_s_are_not_answered(daemon, place, line, library):
    """A page of a stranger's name that resolves to our address sends the stranger's name."""
    cookie = cookie_header(library.browser)
    names = wrong_hosts("127.0.0.1", daemon.port)
    assert len(names) >= 60
    tried = [("GET", "/api/photos"), ("GET", "/"), ("GET", "/health"), ("PUT", "/api/photos/evil.jpg"), ("DELETE", "/api/trash")]
    for host, (method, path) in zip(names, itertools.cycle(tried)):
        fields = {"Cookie": cookie, "Origin": f"{place.scheme}://{host}", "Sec-Fetch-Site": "same-origin"}
        body = "evil" if method == "PUT" else ""
        answer = line.ask(message(method, path, host, fields, "image/jpeg" if body else None, body))
        assert answer.status in (400, 421), (host, method, path, answer)
        assert "set-cookie" not in answer.fields
        target = f"http://{host}/api/trash"
        answer = line.ask(message("DELETE", target, f"127.0.0.1:{daemon.port}", fields))
        assert answer.status in (400, 421), (target, answer)
    assert library.is_as_before()


def test_names_of_this_host_are_answered(daemon, line):
    for host in right_hosts("127.0.0.1", daemon.port):
        assert line.ask(message("GET", "/api/hello", host, {})).status == 200, host


def test_the_owner_can_name_addresses_of_what_hands_connections_on(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_HOSTS": "192.168.1.5,fd00::99"})
    hosts = {"192.168.1.5": 200, "[fd00::99]": 200, "192.168.1.6": 421, "[fd00::98]": 421}
    for host, status in hosts.items():
        for port in ("", ":8080"):
            got = requests.get(f"{daemon.url}/api/hello", headers={"Host": host + port}, timeout=60).status_code
            assert got == status, (host + port, got)
    # What the page says is what the configuration takes.
    fields = {"Host": "[fd00::98%25eth0]:8080", "Accept": "text/html"}
    page = requests.get(daemon.url, headers=fields, timeout=60)
    assert page.status_code == 421 and 'hosts: ["fd00::98"]' in page.text
