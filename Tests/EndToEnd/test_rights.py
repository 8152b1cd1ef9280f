"""Who may what: one table of all routes and of WebDAV, asked with real requests.

A new route that is not in the table fails here. `yes` is whatever the route then says of what it was asked, so an
archive that nobody has made is not found; 401 is `no-session`, or what WebDAV says to those without a password; 403 is
`vault-needed`, `sends` that a door's code only sends, `looks` that a window only shows, `app` that an app's takes nothing away, of which HEAD can tell the status alone."""

import json

import pytest
import requests
from client import Browser
from giving import Visitor, basic, make_door
from looking import Looker, make_window
from test_openapi import operations

KINDS = ["nobody", "guest", "password", "vault", "visitor", "code"]

# password: the vault's, sent with the request (Basic). vault: a page in which it is open. visitor: a page in which somebody
# came to a door. code: that door's, sent as a password.
TABLE = """
                                             nobody guest password vault visitor code
GET     /health                               yes    yes    yes     yes     yes     yes
GET     /health/live                          yes    yes    yes     yes     yes     yes
GET     /api/hello                            yes    yes    yes     yes     yes     yes
GET     /api/certificate                      yes    yes    yes     yes     yes     yes
GET     /safelight-authority.crt              yes    yes    yes     yes     yes     yes
GET     /safelight-authority.pem              yes    yes    yes     yes     yes     yes
GET     /safelight-authority.mobileconfig     yes    yes    yes     yes     yes     yes
GET     /connect/secure                       yes    yes    yes     yes     yes     yes
GET     /api/addresses                        yes    yes    yes     yes     yes     yes
GET     /api/qr.svg                           yes    yes    yes     yes     yes     yes

POST    /api/vaults                           yes    yes    yes     yes     yes     yes
DELETE  /api/vault                            401    403    401     yes     401     401
PUT     /api/vault/password                   401    403    401     yes     401     401
POST    /api/vault/rotate                     401    403    401     yes     401     401
GET     /api/vault/ways                       401    403    401     yes     401     401
POST    /api/vault/ways                       401    403    401     yes     401     401
DELETE  /api/vault/ways/{id}                  401    403    401     yes     401     401

GET     /api/session                          yes    yes    yes     yes     yes     yes
POST    /api/session                          yes    yes    yes     yes     yes     yes
DELETE  /api/session                          401    403    401     yes     401     401
POST    /api/session/use                      401    yes    401     yes     401     401
POST    /api/session/sending                  401    yes    401     yes     401     401
POST    /api/session/accept-loss              401    yes    401     yes     401     401
GET     /api/sessions                         401    403    401     yes     401     401
DELETE  /api/sessions                         401    403    401     yes     401     401
DELETE  /api/sessions/{id}                    401    403    401     yes     401     401
POST    /api/guest                            yes    yes    yes     409     yes     yes
DELETE  /api/guest                            401    yes    401     409     401     401
POST    /api/upgrade/skip                     401    403    401     yes     401     401

GET     /api/photos                           401    yes    yes     yes     401     sends
GET     /api/blocks                           401    yes    yes     yes     401     sends
POST    /api/photos                           401    yes    yes     yes     401     yes
POST    /share                                401    yes    401     yes     401     401
GET     /api/photos/{id}                      401    yes    yes     yes     401     sends
PATCH   /api/photos/{id}                      401    403    401     yes     401     401
PUT     /api/photos/{id}                      401    yes    yes     yes     401     yes
DELETE  /api/photos/{id}                      401    yes    401     yes     401     401
POST    /api/photos/delete                    401    yes    401     yes     401     401
PUT     /api/photos/delete                    401    yes    yes     yes     401     yes
POST    /api/photos/restore                   401    yes    401     yes     401     401
PUT     /api/photos/restore                   401    yes    yes     yes     401     yes
POST    /api/photos/favourite                 401    403    401     yes     401     401
PUT     /api/photos/favourite                 401    yes    yes     yes     401     yes
POST    /api/photos/archived                  401    403    401     yes     401     401
PUT     /api/photos/archived                  401    yes    yes     yes     401     yes
POST    /api/photos/place                     401    403    401     yes     401     401
PUT     /api/photos/place                     401    yes    yes     yes     401     yes
POST    /api/photos/shift                     401    403    401     yes     401     401
PUT     /api/photos/shift                     401    yes    yes     yes     401     yes
GET     /api/photos/{id}/original             401    yes    yes     yes     401     sends
GET     /api/photos/{id}/motion               401    yes    yes     yes     401     sends
GET     /api/photos/{id}/thumbnail            401    yes    yes     yes     401     sends
PUT     /api/photos/{id}/thumbnail            401    yes    401     yes     401     401
GET     /api/photos/{id}/preview              401    yes    yes     yes     401     sends
POST    /api/thumbnails                       401    yes    yes     yes     401     sends
GET     /api/timeline                         401    yes    yes     yes     401     sends
GET     /api/timeline/{month}                 401    yes    yes     yes     401     sends

GET     /api/albums                           401    yes    yes     yes     401     sends
POST    /api/albums                           401    403    401     yes     401     401
GET     /api/albums/{id}                      401    yes    yes     yes     401     sends
PATCH   /api/albums/{id}                      401    403    401     yes     401     401
DELETE  /api/albums/{id}                      401    403    401     yes     401     401
POST    /api/albums/{id}/restore              401    403    401     yes     401     401
POST    /api/albums/{id}/photos               401    403    401     yes     401     401
DELETE  /api/albums/{id}/photos               401    403    401     yes     401     401
GET     /api/albums/{id}/timeline             401    yes    yes     yes     401     sends
GET     /api/albums/{id}/timeline/{month}     401    yes    yes     yes     401     sends
GET     /api/search                           401    yes    yes     yes     401     sends
GET     /api/search/timeline                  401    yes    yes     yes     401     sends
GET     /api/search/timeline/{month}          401    yes    yes     yes     401     sends
GET     /api/places                           401    yes    yes     yes     401     sends
GET     /api/places/names                     401    yes    yes     yes     401     sends
GET     /api/trips                            401    yes    yes     yes     401     sends
POST    /api/trips/{from}/album               401    403    401     yes     401     401
GET     /api/similar                          401    yes    yes     yes     401     sends
GET     /api/duplicates                       401    yes    yes     yes     401     sends
POST    /api/duplicates/apart                 401    403    401     yes     401     401
GET     /api/storage                          401    403    yes     yes     401     sends
GET     /api/import                           401    403    401     yes     401     401
GET     /api/sidecars                         401    yes    yes     yes     401     sends
DELETE  /api/sidecars                         401    yes    401     yes     401     401
POST    /api/archive                          401    403    401     yes     401     401
GET     /api/archive/{name}                   401    yes    401     yes     401     401
POST    /api/archive/{name}                   401    yes    401     yes     401     401

GET     /api/trash                            401    yes    yes     yes     401     sends
DELETE  /api/trash                            401    yes    401     yes     401     401
POST    /api/trash/delete                     401    yes    401     yes     401     401

OPTIONS /api/uploads                          yes    yes    yes     yes     yes     yes
POST    /api/uploads                          401    yes    yes     yes     401     yes
OPTIONS /api/uploads/{id}                     yes    yes    yes     yes     yes     yes
HEAD    /api/uploads/{id}                     401    yes    yes     yes     401     yes
PATCH   /api/uploads/{id}                     401    yes    yes     yes     401     yes
DELETE  /api/uploads/{id}                     401    yes    yes     yes     401     yes
POST    /api/uploads/{id}                     401    yes    yes     yes     401     yes
POST    /api/uploads/check                    401    403    yes     yes     401     yes
POST    /api/batches                          401    yes    yes     yes     401     sends
GET     /api/batches/{id}                     401    yes    yes     yes     401     sends
POST    /api/batches/{id}/finish              401    yes    yes     yes     401     sends

GET     /api/doors                            401    403    401     yes     401     401
POST    /api/doors                            401    403    401     yes     401     401
PATCH   /api/doors/{id}                       401    403    401     yes     401     401
DELETE  /api/doors/{id}                       401    403    401     yes     401     401
GET     /api/doors/{id}/code.svg              401    403    401     yes     401     401
GET     /api/doors/news                       401    403    401     yes     401     401
DELETE  /api/doors/news                       401    403    401     yes     401     401
GET     /api/doors/waiting                    401    403    401     yes     401     401
POST    /api/doors/waiting/take               401    403    401     yes     401     401
POST    /api/doors/waiting/refuse             401    403    401     yes     401     401

GET     /api/windows                          401    403    401     yes     401     401
POST    /api/windows                          401    403    401     yes     401     401
PATCH   /api/windows/{id}                     401    403    401     yes     401     401
DELETE  /api/windows/{id}                     401    403    401     yes     401     401
GET     /api/windows/{id}/code.svg            401    403    401     yes     401     401

POST    /see/api/enter                           yes    yes    yes     yes     yes     yes
GET     /see/api/session                         401    401    401     401     401     401
DELETE  /see/api/session                         401    401    401     401     401     401
GET     /see/api/door.svg                        401    401    401     401     401     401
GET     /see/api/timeline                        401    401    401     401     401     401
GET     /see/api/timeline/{month}                401    401    401     401     401     401
GET     /see/api/photos/{id}                     401    401    401     401     401     401
GET     /see/api/photos/{id}/thumbnail           401    401    401     401     401     401
GET     /see/api/photos/{id}/preview             401    401    401     401     401     401
GET     /see/api/photos/{id}/original            401    401    401     401     401     401
POST    /see/api/thumbnails                      401    401    401     401     401     401
POST    /see/api/archive                         401    401    401     401     401     401
GET     /see/api/archive/{name}                  401    401    401     401     401     401
POST    /see/api/archive/{name}                  401    401    401     401     401     401

POST    /give/api/look                           yes    yes    yes     yes     yes     yes
POST    /give/api/enter                          yes    yes    yes     yes     yes     yes
GET     /give/api/session                        401    401    401     401     yes     401
GET     /give/api/photos                         401    401    401     401     yes     401
POST    /give/api/photos                         401    401    401     401     yes     401
GET     /give/api/photos/{id}                    401    401    401     401     yes     401
PUT     /give/api/photos/{id}                    401    401    401     401     yes     401
DELETE  /give/api/photos/{id}                    401    401    401     401     yes     401
GET     /give/api/photos/{id}/thumbnail          401    401    401     401     yes     401
PUT     /give/api/photos/{id}/thumbnail          401    401    401     401     yes     401
GET     /give/api/photos/{id}/preview            401    401    401     401     yes     401
POST    /give/api/thumbnails                     401    401    401     401     yes     401
OPTIONS /give/api/uploads                        yes    yes    yes     yes     yes     yes
POST    /give/api/uploads                        401    401    401     401     yes     401
OPTIONS /give/api/uploads/{id}                   yes    yes    yes     yes     yes     yes
HEAD    /give/api/uploads/{id}                   401    401    401     401     yes     401
PATCH   /give/api/uploads/{id}                   401    401    401     401     yes     401
DELETE  /give/api/uploads/{id}                   401    401    401     401     yes     401
POST    /give/api/uploads/{id}                   401    401    401     401     yes     401
POST    /give/api/uploads/check                  401    401    401     401     yes     401
POST    /give/api/batches                        401    401    401     401     yes     401
GET     /give/api/batches/{id}                   401    401    401     401     yes     401
POST    /give/api/batches/{id}/finish            401    401    401     401     yes     401

OPTIONS   /dav/inbox/{photo}                  yes    yes    yes     yes     yes     yes
GET       /dav/inbox/{photo}                  401    401    yes     401     401     sends
HEAD      /dav/inbox/{photo}                  401    401    yes     401     401     yes
PUT       /dav/inbox/{photo}                  401    401    yes     401     401     yes
DELETE    /dav/inbox/{photo}                  401    401    yes     401     401     sends
PROPFIND  /dav/inbox/{photo}                  401    401    yes     401     401     yes
PROPPATCH /dav/inbox/{photo}                  401    401    yes     401     401     yes
MKCOL     /dav/inbox/{photo}                  401    401    yes     401     401     yes
MOVE      /dav/inbox/{photo}                  401    401    yes     401     401     yes
COPY      /dav/inbox/{photo}                  401    401    yes     401     401     sends
LOCK      /dav/inbox/{photo}                  401    401    yes     401     401     yes
UNLOCK    /dav/inbox/{photo}                  401    401    yes     401     401     yes

OPTIONS   /dav/inbox/{folder}                 yes    yes    yes     yes     yes     yes
GET       /dav/inbox/{folder}                 401    401    yes     401     401     yes
HEAD      /dav/inbox/{folder}                 401    401    yes     401     401     yes
PUT       /dav/inbox/{folder}                 401    401    yes     401     401     yes
DELETE    /dav/inbox/{folder}                 401    401    yes     401     401     yes
PROPFIND  /dav/inbox/{folder}                 401    401    yes     401     401     yes
PROPPATCH /dav/inbox/{folder}                 401    401    yes     401     401     yes
MKCOL     /dav/inbox/{folder}                 401    401    yes     401     401     yes
MOVE      /dav/inbox/{folder}                 401    401    yes     401     401     yes
COPY      /dav/inbox/{folder}                 401    401    yes     401     401     sends
LOCK      /dav/inbox/{folder}                 401    401    yes     401     401     yes
UNLOCK    /dav/inbox/{folder}                 401    401    yes     401     401     yes

OPTIONS   /dav/{elsewhere}                    yes    yes    yes     yes     yes     yes
GET       /dav/{elsewhere}                    401    401    yes     401     401     sends
HEAD      /dav/{elsewhere}                    401    401    yes     401     401     403
PUT       /dav/{elsewhere}                    401    401    yes     401     401     sends
DELETE    /dav/{elsewhere}                    401    401    yes     401     401     sends
PROPFIND  /dav/{elsewhere}                    401    401    yes     401     401     sends
PROPPATCH /dav/{elsewhere}                    401    401    yes     401     401     sends
MKCOL     /dav/{elsewhere}                    401    401    yes     401     401     sends
MOVE      /dav/{elsewhere}                    401    401    yes     401     401     sends
COPY      /dav/{elsewhere}                    401    401    yes     401     401     sends
LOCK      /dav/{elsewhere}                    401    401    yes     401     401     sends
UNLOCK    /dav/{elsewhere}                    401    401    yes     401     401     sends
"""
# The header of a JPEG of 8 × 8 pixels, and no scan behind it.
THUMBNAIL = bytes.fromhex("ffd8 ffc0000b0800080008010111 00 ffda0002 ffd9")
# What the rows of WebDAV stand for: places that are written to, so that nothing but the right decides.
PLACES = {
    "inbox/a.jpg": "/dav/inbox/{photo}",
    "inbox/new/": "/dav/inbox/{folder}",
    "albums/Rome/a.jpg": "/dav/{elsewhere}",
    "albums/new/": "/dav/{elsewhere}",
    "by-date/2019/2019-05/a.jpg": "/dav/{elsewhere}",
}


def table():
    """{(method, path): {kind: what is said to it}}"""
    lines = [line.split() for line in TABLE.splitlines() if line.strip()]
    assert lines[0] == KINDS
    rows = {(method, path): dict(zip(KINDS, verdicts, strict=True)) for method, path, *verdicts in lines[1:]}
    assert len(rows) == len(lines) - 1
    for (method, path), verdicts in rows.items():
        takes_away = path.startswith("/dav/") and method in ("DELETE", "MOVE", "COPY", "PROPPATCH")
        verdicts["app"] = "app" if takes_away else verdicts["password"]
        takes_home = path.startswith("/see/") and path.split("/")[-1] == "original" or path.startswith("/see/api/archive")
        verdicts["viewer"] = "looks" if takes_home else "yes" if path.startswith("/see/") else verdicts["nobody"]
    return rows


ROWS = table()
# app: a program with a code of its own, which may what the password may, and takes nothing away. viewer: a page in which
# somebody came to a window that only shows.
ALL_KINDS = [*KINDS, "app", "viewer"]


def test_the_table_has_every_route_and_no_other():
    # The console answers on a socket that only who runs the host can open.
    routes = {(method.upper(), path) for method, path, operation in operations() if operation["tags"] != ["console"]}
    assert {row for row in ROWS if not row[1].startswith("/dav/")} == routes


def test_the_table_has_every_method_of_webdav(standing_daemon):
    told = requests.options(f"{standing_daemon.url}/dav/", timeout=300).headers["Allow"]
    for row in set(PLACES.values()):
        assert {method for method, path in ROWS if path == row} == set(told.split(", ")), row


# Codes that say who may not; all others say something of what was asked.
REFUSALS = {
    "no-session": "401",
    "session-ended": "401",
    "only-sends": "sends",
    "only-for-apps": "app",
    "vault-needed": "403",
    "vault-open": "409",
    "window-looks-only": "looks",
}
OTHER_CODES = {"no-such-vault", "wrong-password"}
# What is right in its shape, where a route looks at that before it asks who comes; and what ends no session here.
WRONG = {"password": "wrong lanterns drift by", "current": "wrong lanterns drift by", "confirmation": "short"}
BODIES = {
    ("POST", "/api/vaults"): {"password": "short", "confirmation": "short"},
    ("POST", "/api/thumbnails"): {"ids": []},
    ("POST", "/api/albums"): {"name": "Rome"},
    ("PATCH", "/api/albums/{id}"): {"name": "Rome"},
    ("PATCH", "/api/photos/{id}"): {"caption": "A lake"},
    ("POST", "/api/photos/favourite"): {"ids": [], "on": True},
    ("POST", "/api/photos/archived"): {"ids": [], "on": True},
    ("POST", "/api/photos/shift"): {"ids": [], "minutes": 60},
    ("POST", "/api/photos/place"): {"ids": [], "place": None},
    ("POST", "/api/trips/{from}/album"): {"name": "Rome"},
    ("POST", "/api/duplicates/apart"): {"ids": [], "on": True},
    ("POST", "/api/uploads/check"): [{"size": 1, "sha256": "0" * 64}],
    ("POST", "/give/api/uploads/check"): [{"size": 1, "sha256": "0" * 64}],
    ("POST", "/give/api/thumbnails"): {"ids": []},
    ("POST", "/give/api/look"): {"code": "no door's"},
    ("POST", "/give/api/enter"): {"code": "no door's"},
    ("POST", "/see/api/enter"): {"code": "no window's"},
    ("POST", "/see/api/thumbnails"): {"ids": []},
}
FORM = b'--b\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\na\r\n--b--\r\n'


def app_code(owner):
    wish = {"kind": "app", "current": owner.password, "label": "a phone"}
    answer = owner.request("POST", "/api/vault/ways", json=wish)
    assert answer.status_code == 201, answer.text
    return answer.json()["code"]


class Somebody:
    """One of the kinds, whose session is there again when a request has ended it."""

    # Seconds until an answer that does not come is given up.
    patience = 600

    def __init__(self, owner, kind, door, make_browser=Browser):
        self.daemon, self.password, self.kind, self.door = owner.daemon, owner.password, kind, door
        self.make_browser = make_browser
        self.app_code = app_code(owner) if kind == "app" else None
        self.window = make_window(owner, [owner.put("shown.jpg", b"shown")]) if kind == "viewer" else None
        self.browser = make_browser(self.daemon)

    def come(self):
        if self.kind == "visitor":
            self.browser = Visitor(self.daemon).enter(self.door)
        elif self.kind == "viewer":
            self.browser = Looker(self.daemon).enter(self.window)
        elif self.kind in ("nobody", "password", "code", "app"):
            # Whoever was given a space by the question before is somebody else.
            self.browser = self.make_browser(self.daemon)
        elif self.browser.session()["kind"] != self.kind:
            self.browser = self.make_browser(self.daemon)
            self.browser.begin_guest() if self.kind == "guest" else self.browser.open(self.password)

    def ask(self, method, path, body=None, fields=None):
        self.come()
        credentials = {"password": basic(self.password), "code": basic(self.door["code"]), "app": basic(self.app_code)}
        fields = {**(fields or {}), **credentials.get(self.kind, {})}
        options = {"data": body, "headers": fields, "allow_redirects": False, "timeout": self.patience}
        if not path.startswith("/dav/"):
            return self.browser.request(method, path, **options)
        # The document of the interface knows nothing of WebDAV's answers.
        with requests.Session() as http:
            http.trust_env = False
            http.headers.update({name: self.browser.http.headers[name] for name in ("Origin", "Sec-Fetch-Site")})
            return http.request(method, self.daemon.url + path, cookies=self.browser.http.cookies, **options)


def verdict(answer):
    if answer.request.method == "HEAD":
        return str(answer.status_code) if answer.status_code in (401, 403) else "yes"
    kind = answer.headers.get("Content-Type", "")
    # What WebDAV itself says of a place is no question of who comes.
    if kind.startswith("application/xml"):
        return "yes"
    # A share is answered by a page.
    if kind.startswith("text/html") and answer.status_code in (401, 403):
        return str(answer.status_code)
    told = (answer.request.method, answer.request.url, answer.status_code, answer.text[:300])
    assert answer.status_code not in (405, 415, 500), told
    code = answer.json()["code"] if kind.startswith("application/problem+json") else None
    if code in REFUSALS:
        return REFUSALS[code]
    assert answer.status_code not in (401, 403) or code in OTHER_CODES, told
    return "yes"


def asked(somebody, method, path, photo):
    """What a route says to somebody who asks for what is there, or could be."""
    place = path.replace("{id}", photo).replace("{month}", "2019-05").replace("{name}", "x")
    if path == "/share" or method == "POST" and path.endswith("/api/photos"):
        return somebody.ask(method, place, FORM, {"Content-Type": "multipart/form-data; boundary=b"})
    if path.startswith(("/api/uploads", "/give/api/uploads")) and not path.endswith("/check"):
        fields = {"Tus-Resumable": "1.0.0", "Upload-Length": "1", "Upload-Metadata": "filename YQ=="}
        if method == "PATCH" or path.endswith("{id}") and method == "POST":
            fields |= {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}
            fields |= {"X-HTTP-Method-Override": "PATCH"} if method == "POST" else {}
        return somebody.ask(method, place, None, fields)
    if method == "PUT" and path.endswith("/thumbnail"):
        return somebody.ask(method, place, THUMBNAIL)
    if method == "PUT" and "/api/photos/" in path:
        return somebody.ask(method, place, b"a")
    if method in ("GET", "HEAD", "OPTIONS"):
        return somebody.ask(method, place)
    body = BODIES.get((method, path), {"ids": [], **WRONG})
    return somebody.ask(method, place, json.dumps(body), {"Content-Type": "application/json"})


@pytest.mark.parametrize("kind", ALL_KINDS)
def test_each_route_says_to_each_kind_what_the_table_says(owner, elsewhere, kind):
    photo = owner.put("owner.jpg", b"owner")["id"]
    # Some of what is asked is a wrong password.
    somebody = Somebody(owner, kind, make_door(owner), elsewhere)
    found = {row: verdict(asked(somebody, *row, photo)) for row in ROWS if not row[1].startswith("/dav/")}
    expected = {row: verdicts[kind] for row, verdicts in ROWS.items() if not row[1].startswith("/dav/")}
    assert {row: said for row, said in found.items() if said != expected[row]} == {}


@pytest.mark.parametrize("place", PLACES)
def test_each_method_of_webdav_says_to_each_kind_what_the_table_says(vault, place):
    said = {kind: said_by_webdav(vault(), kind, place) for kind in ALL_KINDS}
    rows = {method: verdicts for (method, path), verdicts in ROWS.items() if path == PLACES[place]}
    assert said == {kind: {method: verdicts[kind] for method, verdicts in rows.items()} for kind in ALL_KINDS}


def said_by_webdav(owner, kind, place):
    """{method: what it says to this kind} of a vault that has that place."""
    photo = owner.put("a.jpg", b"a", params={"modified": "2019-05-03T10:00:00Z"})
    assert owner.request("POST", "/api/albums", json={"name": "Rome", "ids": [photo["id"]]}).status_code == 201
    somebody = Somebody(owner, kind, make_door(owner))
    if kind == "code":
        # As long as the vault is locked, it sees what it has sent.
        owner.lock()
        assert somebody.ask("PUT", "/dav/inbox/a.jpg", b"sent").status_code == 201
    fields = {"Depth": "0", "Destination": "/dav/inbox/b.jpg", "Lock-Token": "<urn:uuid:none>"}
    said = {}
    for method, path in ROWS:
        if path == PLACES[place]:
            said[method] = verdict(somebody.ask(method, f"/dav/{place}", b"a" if method == "PUT" else None, fields))
    if kind not in ("password", "code"):
        # Beside what a window shows, which whoever looks through one has to see.
        assert {one["name"] for one in owner.photos()} - {"shown.jpg"} == {"a.jpg"} and owner.trash() == []
    return said
