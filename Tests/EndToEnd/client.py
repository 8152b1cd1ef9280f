"""What a browser or curl does to Safelight, in as few words as the tests need."""

import hashlib
import inspect
import json
import time
from urllib.parse import quote

import requests

PASSWORD = "seven copper kettles sing"
OTHER_PASSWORD = "nine velvet lanterns drift"

# What looks at every answer that a session gets: hooks of requests. The tests put one here.
ANSWER_CHECKS = []


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def plain_session(daemon):
    """A session of requests without proxies; it behaves like a page of the daemon's own origin."""
    return page_session(requests.Session(), daemon, daemon.url)


def page_session(session, daemon, origin):
    """Makes the session behave like a page of that origin; HTTPS is verified by the daemon's authority."""
    session.trust_env = False
    session.hooks["response"].extend(ANSWER_CHECKS)
    if origin.startswith("https:"):
        session.verify = str(daemon.authority)
    session.headers.update({"Origin": origin, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"})
    return session


def code_of(answer):
    """The stable code of a problem+json answer."""
    assert answer.headers["Content-Type"].startswith("application/problem+json"), (answer.status_code, answer.text)
    return answer.json()["code"]


class Browser:
    """One browser: it keeps cookies. Without a vault until `create` or `open`.

    `origin` is the address it uses, by default the daemon's plain one; `session` is what it sends requests with."""

    def __init__(self, daemon, timeout=300, origin=None, session=None):
        self.daemon = daemon
        self.origin = origin or daemon.url
        self.http = page_session(session or requests.Session(), daemon, self.origin)
        self.timeout = timeout
        self.password = PASSWORD

    def request(self, method, path, **options):
        options.setdefault("timeout", self.timeout)
        return self.http.request(method, self.origin + path, **options)

    # -- vaults

    def try_create(self, password, confirmation=None, **more):
        body = {"password": password, "confirmation": password if confirmation is None else confirmation, **more}
        return self.request("POST", "/api/vaults", json=body)

    def try_open(self, password, **more):
        return self.request("POST", "/api/session", json={"password": password, **more})

    def create(self, password=PASSWORD):
        answer = self.try_create(password)
        assert answer.status_code == 201, (answer.status_code, answer.text)
        self.password = password
        return self

    def open(self, password=None, **more):
        """The vault of this password, or that which was made here."""
        answer = self.try_open(password or self.password, **more)
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return self

    def lock(self):
        answer = self.request("DELETE", "/api/session")
        assert answer.status_code == 200, (answer.status_code, answer.text)

    def begin_guest(self):
        answer = self.request("POST", "/api/guest")
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return self

    def session(self):
        """What the daemon says of this browser's sessions."""
        answer = self.request("GET", "/api/session")
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()

    # -- photos

    def try_put(self, name, content, **options):
        return self.request("PUT", "/api/photos/" + quote(name, safe=""), data=content, **options)

    def put(self, name, content, **options):
        answer = self.try_put(name, content, **options)
        assert answer.status_code == 201, (name, answer.status_code, answer.text)
        return answer.json()

    def photos(self):
        """All photos of the vault, newest first, over as many pages as there are."""
        found, cursor = [], None
        while True:
            answer = self.request("GET", "/api/photos", params={"cursor": cursor} if cursor else None)
            assert answer.status_code == 200, (answer.status_code, answer.text)
            page = answer.json()
            found += page["photos"]
            cursor = page["cursor"]
            if cursor is None:
                return found

    def names(self):
        return sorted(photo["name"] for photo in self.photos())

    def original(self, photo, **options):
        return self.request("GET", f"/api/photos/{photo['id']}/original", **options)

    def content(self, photo):
        answer = self.original(photo)
        assert answer.status_code == 200, (photo, answer.status_code, answer.text)
        return answer.content

    def digests(self):
        """name → SHA-256 of what a download of it gives."""
        return {photo["name"]: sha256(self.content(photo)) for photo in self.photos()}

    def delete(self, photos):
        answer = self.request("POST", "/api/photos/delete", json={"ids": [photo["id"] for photo in photos]})
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()["count"]

    def trash(self):
        answer = self.request("GET", "/api/trash")
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return json.loads(answer.content)["photos"]


def has_to_wait(attempt):
    """The answer of the first attempt that has to wait. The first delay lasts a second: on a busy machine it may be over
    when the next attempt comes. Each failure that is admitted doubles it."""
    for _ in range(8):
        answer = attempt()
        if answer.status_code == 429:
            return answer
    raise AssertionError("nobody has to wait")


def missed(condition):
    """What is said of a condition, a lambda, that did not become true."""
    return f"did not come: {inspect.getsource(condition).strip()}"


def wait_until(condition, complaint=None, seconds=300, pause=0.05):
    """For what nobody tells of: asked again and again, seldom where asking costs much."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, complaint or missed(condition)
        time.sleep(pause)
