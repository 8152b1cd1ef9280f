"""What programs send by WebDAV, step by step, as public traces of them have it, and what they need to be told:
Tests/Vectors/webdav-steps.tsv. `answer` is the status by the vault's password, `by a code` that by a door's where it is
another one, and `told` is found in the head or body of the answer. The step VAULT names the photos that the vault has then."""

import csv
import hashlib
import re

import pytest
from client import wait_until
from daemon import CHECKOUT
from dav import EXACT, LOCK_BODY, Dav, proppatch
from giving import make_door

TABLE = CHECKOUT / "Tests" / "Vectors" / "webdav-steps.tsv"
WINDOWS = "".join(
    f'<Z:Win32{name} xmlns:Z="urn:schemas-microsoft-com:">{value}</Z:Win32{name}>'
    for name, value in [
        ("CreationTime", "Fri, 03 May 2019 10:00:00 GMT"), ("LastAccessTime", "Fri, 03 May 2019 10:00:00 GMT"),
        ("LastModifiedTime", "Fri, 03 May 2019 10:00:00 GMT"), ("FileAttributes", "00000020"),
    ]
)  # fmt: skip
PROPERTIES = "<D:getlastmodified/><D:getcontentlength/><D:creationdate/><D:resourcetype/>"
BODIES = {
    "": None,
    "empty": b"",
    "lock": LOCK_BODY.replace(b"</D:lockinfo>", b"<D:owner><D:href>somebody</D:href></D:owner></D:lockinfo>"),
    "windows times": proppatch(WINDOWS),
    "last modified": proppatch("<D:getlastmodified>Fri, 03 May 2019 10:00:00 GMT</D:getlastmodified>"),
    "finder properties": EXACT.format(PROPERTIES),
    "gnome properties": EXACT.format(PROPERTIES + "<D:displayname/><D:getetag/><D:getcontenttype/>"),
    "kde properties": EXACT.format(
        PROPERTIES + "<D:displayname/><D:source/><D:getcontentlanguage/><D:getcontenttype/><D:executable/><D:getetag/>"
        "<D:supportedlock/><D:lockdiscovery/>"
    ),
    "quota": EXACT.format("<D:quota-available-bytes/><D:quota-used-bytes/>"),
    "4096 bytes": b"\0" * 4096,
}


def steps():
    with TABLE.open(newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def content(kind, client):
    """A photo of 1,000 bytes that no other client has."""
    return (hashlib.sha512(f"{kind} {client}".encode()).digest() * 16)[:1000]


def body_of(step):
    kind = step["body"]
    if kind in ("photo", "edited photo"):
        return content(kind, step["client"])
    if kind == "photo in chunks":
        whole = content("photo", step["client"])
        return iter([whole[:333], whole[333:]])
    return BODIES[kind]


class Replay:
    """One client's steps, with what the answers before gave it."""

    def __init__(self, owner, secret, is_by_code):
        self.owner, self.is_by_code = owner, is_by_code
        self.dav = Dav(owner.daemon, secret, base="")
        self.known = {"origin": owner.daemon.url, "token": "", "etag": ""}

    def go(self, step):
        expected = step["by a code"] if self.is_by_code and step["by a code"] else step["answer"]
        if step["method"] == "VAULT":
            names = [name for name in expected.split("|") if name]
            wait_until(lambda: self.owner.names() == names, (step, self.owner.names()))
            return
        fields = dict(field.split(": ", 1) for field in step["fields"].split("; ") if field)
        fields = {name: value.format(**self.known) for name, value in fields.items()}
        answer = self.dav.request(step["method"], step["address"], body_of(step), **fields)
        assert answer.status_code == int(expected), (step, answer.status_code, answer.text)
        self.known["token"] = answer.headers.get("Lock-Token", self.known["token"])
        self.known["etag"] = answer.headers.get("ETag", self.known["etag"])
        head = "".join(f"{name}: {value}\n" for name, value in answer.headers.items())
        if answer.status_code < 400:
            assert re.search(step["told"], head + answer.text), (step, head + answer.text)


@pytest.mark.parametrize("by", ["the vault's password", "a door's code"])
@pytest.mark.parametrize("client", list(dict.fromkeys(step["client"] for step in steps())))
def test_a_program_is_told_what_it_needs_at_each_step(owner, client, by):
    is_by_code = by != "the vault's password"
    replay = Replay(owner, make_door(owner)["code"] if is_by_code else owner.password, is_by_code)
    own = [step for step in steps() if step["client"] == client]
    assert len(own) > 8
    for step in own:
        replay.go(step)
