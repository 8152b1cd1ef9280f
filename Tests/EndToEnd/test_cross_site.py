"""What other sites and other names can make a browser do here, which is nothing."""

import itertools
import json

import pytest
import requests
from client import OTHER_PASSWORD, PASSWORD, Browser
from daemon import Daemon
from faults import cookie_header
from foreign import foreign_fields, right_hosts, wrong_hosts
from places import PLACES
from rawhttp import Line

JSON = "application/json"
CREATION = json.dumps({"password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD})
CHANGE = json.dumps({"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD})
FORM = (
    '--b\r\nContent-Disposition: form-data; name="password"\r\n\r\n' + PASSWORD + "\r\n"
    '--b\r\nContent-Disposition: form-data; name="photos"; filename="evil.jpg"\r\n\r\nevil\r\n--b--\r\n'
)
# Everything that changes something; ID is a photo's, GONE one in the trash.
UNSAFE = [
    ("PUT", "/api/photos/evil.jpg", "image/jpeg", "evil"),
    ("POST", "/api/photos?name=evil.jpg", "image/jpeg", "evil"),
    ("POST", "/api/photos", "multipart/form-data; boundary=b", FORM),
    ("POST", "/share", "multipart/form-data; boundary=b", FORM),
    ("POST", "/api/photos/delete", JSON, '{"ids": ["ID"]}'),
    ("POST", "/api/photos/restore", JSON, '{"ids": ["GONE"]}'),
    ("DELETE", "/api/photos/ID", None, ""),
    ("DELETE", "/api/trash", None, ""),
    ("POST", "/api/archive", JSON, '{"ids": ["ID"]}'),
    ("PUT", "/api/vault/password", JSON, CHANGE),
    ("POST", "/api/vault/rotate", JSON, json.dumps({"password": PASSWORD})),
    ("DELETE", "/api/vault", JSON, json.dumps({"password": PASSWORD})),
    ("POST", "/api/vaults", JSON, CREATION),
    ("POST", "/api/session", JSON, json.dumps({"password": PASSWORD})),
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
        self.browser = Browser(daemon, origin=place.origin(daemon)).create()
        self.photo = self.browser.put("mine.jpg", b"mine")
        self.browser.put("gone.jpg", b"gone")
        self.browser.delete([photo for photo in self.browser.photos() if photo["name"] == "gone.jpg"])
        self.gone = self.browser.trash()[0]
        self.before = self.state()

    def state(self):
        shown = [[photo["id"] for photo in photos] for photos in (self.browser.photos(), self.browser.trash())]
        slots = len(list((self.daemon.data / "slots").rglob("*")))
        return shown, self.daemon.object_files(), slots

    def is_as_before(self):
        return self.state() == self.before

    def filled(self, text):
        return text.replace("ID", self.photo["id"]).replace("GONE", self.gone["id"])


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
    cookie = cookie_header(library.browser)
    host = f"127.0.0.1:{daemon.port}"
    count = 0
    for fields in foreign_fields(place.scheme, "127.0.0.1", daemon.port):
        for method, path, kind, body in UNSAFE:
            path, body = library.filled(path), library.filled(body)
            answer = line.ask(message(method, path, host, {"Cookie": cookie, **fields}, kind, body))
            assert answer.status == 403, (fields, method, path, answer)
            assert json.loads(answer.body)["code"] == "cross-site", (fields, method, path, answer)
            count += 1
        assert library.is_as_before(), fields
    assert count >= 200
    assert Browser(daemon).try_open(OTHER_PASSWORD).status_code == 401
    Browser(daemon).open(PASSWORD)


def test_without_a_cookie_too_another_site_opens_and_creates_nothing(daemon, place, line, library):
    """A page elsewhere must not sign its visitor in here, nor guess a password through the visitor's browser."""
    host = f"127.0.0.1:{daemon.port}"
    for fields in foreign_fields(place.scheme, "127.0.0.1", daemon.port):
        for method, path, kind, body in [UNSAFE[2], *UNSAFE[10:12]] if fields else []:
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
    for fields, path in itertools.product(foreign_fields(place.scheme, "127.0.0.1", daemon.port), paths):
        answer = line.ask(message("GET", path, host, {"Cookie": cookie, **fields}))
        assert not [name for name in answer.fields if name.startswith("access-control-")], (fields, path)
        assert answer.fields["cross-origin-resource-policy"] == "same-origin", (fields, path)
    assert library.is_as_before()


def test_names_that_are_not_this_host_s_are_not_answered(daemon, place, line, library):
    """A page of a stranger's name that resolves to our address sends the stranger's name."""
    cookie = cookie_header(library.browser)
    names = wrong_hosts("127.0.0.1", daemon.port)
    assert len(names) >= 60
    for host in names:
        fields = {"Cookie": cookie, "Origin": f"{place.scheme}://{host}", "Sec-Fetch-Site": "same-origin"}
        for method, path in [("GET", "/api/photos"), ("GET", "/"), ("GET", "/health"), ("PUT", "/api/photos/evil.jpg"), ("DELETE", "/api/trash")]:
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


def test_the_owner_can_name_addresses_of_what_hands_connections_on(tmp_path):
    daemon = Daemon(tmp_path, environment={"SAFELIGHT_HOSTS": "192.168.1.5,fd00::99"}).start()
    try:
        hosts = {"192.168.1.5": 200, "[fd00::99]": 200, "192.168.1.6": 421, "[fd00::98]": 421}
        for host, status in hosts.items():
            for port in ("", ":8080"):
                got = requests.get(f"{daemon.url}/api/hello", headers={"Host": host + port}, timeout=60).status_code
                assert got == status, (host + port, got)
        # What the page says is what the configuration takes.
        fields = {"Host": "[fd00::98%25eth0]:8080", "Accept": "text/html"}
        page = requests.get(daemon.url, headers=fields, timeout=60)
        assert page.status_code == 421 and 'hosts: ["fd00::98"]' in page.text
    finally:
        daemon.stop()
