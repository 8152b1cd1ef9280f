"""Nothing that was typed or sent lies readable on disk, in the log or among the arguments of the process."""

import base64
import hashlib
import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

import pytest
from client import Browser, wait_until
from daemon import Daemon
from faults import connect, put_head
from giving import Visitor, make_door

NAME = "Geburtstag-Marlene-Zauberwald.jpg"
PASSWORD = "violet Kingfisher under snow"
NEW_PASSWORD = "amber Nightjar above fog"
WRONG_PASSWORD = "crimson Bittern beside ice"
ALBUM = "Zauberwald-Album-Marlene-neunzehn"
CAPTION = "Marlene pustet neunzehn Kerzen aus"
SEARCHED = "wo war der Kranichflug im November"
BLOCK = 1 << 20
CONTENT_MARKER = b"MARKER-eleven-silver-thimbles-in-a-drawer-MARKER"


def spellings(secret):
    """The ways in which a text of ours could stand in a file."""
    raw = secret if isinstance(secret, bytes) else secret.encode()
    found = {raw, raw.hex().encode(), raw.hex().upper().encode(), quote(raw).encode()}
    if not isinstance(secret, bytes):
        found.add(secret.encode("utf-16-le"))
    for shift in range(3):
        encoded = base64.b64encode(b"\0" * shift + raw)[4 if shift else 0 :]
        found.add(encoded.rstrip(b"=")[:-2])
    return {spelling for spelling in found if len(spelling) >= 16}


def places(daemon):
    """Everything that this process leaves behind or shows: files, unnamed files it holds open, log, arguments."""
    for path in daemon.data.rglob("*"):
        # One that was written under another name first may have gone.
        with suppress(FileNotFoundError):
            if path.is_file():
                yield path, path.read_bytes()
    yield daemon.log_path, daemon.log_path.read_bytes()
    if daemon.running:
        process = Path(f"/proc/{daemon.pid}")
        yield process / "cmdline", (process / "cmdline").read_bytes()
        yield process / "environ", (process / "environ").read_bytes()
        for descriptor in (process / "fd").iterdir():
            with suppress(FileNotFoundError):
                target = os.readlink(descriptor)
                if target.startswith(str(daemon.data)) and "deleted" in target:
                    yield descriptor, descriptor.read_bytes()


class Hunt:
    """Looks for what should be nowhere, in the blocks of every place that are not those of an earlier look: of the
    128 MiB that a daemon lays out at its first start, most stay as they are."""

    def __init__(self, secrets):
        self.secrets = secrets
        self.reach = max(len(word) for words in secrets.values() for word in words)
        self.clean = set()

    def __call__(self, daemon):
        found, looked_at = [], 0
        for place, content in places(daemon):
            looked_at += 1
            for start in range(0, len(content), BLOCK):
                found += [f"{kind} in {place}" for kind in self.kinds(content[start : start + BLOCK + self.reach])]
        assert not found, "\n".join(sorted(set(found)))
        return looked_at

    def kinds(self, block):
        digest = hashlib.sha256(block).digest()
        if digest in self.clean:
            return []
        found = [kind for kind, words in self.secrets.items() for word in words if word in block]
        if not found:
            self.clean.add(digest)
        return found


def test_the_hunt_finds_what_is_there(tmp_path):
    stopped = Daemon(tmp_path)
    stopped.data.mkdir()
    stopped.log_path.touch()
    hunt = Hunt({"password": spellings(PASSWORD)})
    hunt(stopped)
    (stopped.data / "leak").write_bytes(b"..." + base64.b64encode(b"?" + PASSWORD.encode()) + b"...")
    with pytest.raises(AssertionError, match="password in"):
        hunt(stopped)


def test_no_secret_is_left_anywhere(daemon, photos):
    browser = Browser(daemon).create(PASSWORD)
    content = CONTENT_MARKER * 20_000
    real = next(path for path in photos if path.name == "IMG_iphone_13_pro_max.HEIC").read_bytes()
    named = browser.put(NAME, content, params={"album": ALBUM})
    assert browser.request("PATCH", f"/api/photos/{named['id']}", json={"caption": CAPTION}).status_code == 200
    browser.put("real-" + NAME, real)
    assert browser.request("GET", "/api/search", params={"q": SEARCHED}).status_code == 200
    files = [("password", (None, PASSWORD)), ("photos", ("form-" + NAME, content, "image/jpeg"))]
    browser.request("POST", "/api/photos", files=files)
    Browser(daemon).try_open(WRONG_PASSWORD)
    Browser(daemon).try_create(PASSWORD)
    browser.delete(browser.photos()[:1])

    half = connect(daemon)
    half.sendall(put_head(browser, quote(NAME), len(content)) + content[: len(content) // 2])

    secrets = {
        "the photo": {CONTENT_MARKER, CONTENT_MARKER[5:29], real[10_000:10_032], real[-32:]},
        "the digest of a photo": spellings(hashlib.sha256(content).digest()),
        "the name": spellings(NAME) | spellings("Marlene-Zauberwald"),
        "the name of an album": spellings(ALBUM),
        "a caption": spellings(CAPTION),
        "what was looked for": spellings(SEARCHED) | spellings(quote(SEARCHED)),
        "the password": spellings(PASSWORD),
        "the new password": spellings(NEW_PASSWORD),
        "a wrong password": spellings(WRONG_PASSWORD),
        "the session token": {cookie.value.encode() for cookie in browser.http.cookies},
        "the id of a photo": {photo["id"].encode() for photo in browser.photos()},
    }
    hunt = Hunt(secrets)
    assert hunt(daemon) > 10, "while a vault is open and an upload half done"
    half.close()
    body = {"current": PASSWORD, "password": NEW_PASSWORD, "confirmation": NEW_PASSWORD}
    assert browser.request("PUT", "/api/vault/password", json=body).status_code == 200
    hunt(daemon)
    Browser(daemon).open(NEW_PASSWORD).lock()
    hunt(daemon)
    daemon.kill9()
    hunt(daemon)
    daemon.start()
    daemon.stop()
    hunt(daemon)


DOOR = "Zauberwald-Feier-am-See"
GIVER = "Marlene-Abendstern-Giver"


def test_a_door_leaves_neither_its_code_nor_names_anywhere(daemon):
    owner = Browser(daemon).create(PASSWORD)
    door = make_door(owner, DOOR)
    token = token_of(door["code"])
    visitor = Visitor(daemon).enter(door, GIVER)
    visitor.give(NAME, CONTENT_MARKER * 1000)
    secrets = {
        "the door's name": spellings(DOOR),
        "the giver's name": spellings(GIVER),
        "the code": spellings(door["code"]) | spellings(door["code"].replace("-", "")) | spellings(token) | {token},
        "the photo": {CONTENT_MARKER, CONTENT_MARKER[5:29]},
        "the photo's name": spellings(NAME),
        "the visitor's cookie": {cookie.value.encode() for cookie in visitor.http.cookies},
    }
    hunt = Hunt(secrets)
    assert hunt(daemon) > 10, "while the vault is open"
    owner.lock()
    visitor.request("POST", "/give/api/enter", json={"code": door["code"], "giver": GIVER})
    visitor.give(NAME, CONTENT_MARKER * 1000)
    hunt(daemon)
    daemon.kill9()
    hunt(daemon)
    daemon.start()
    owner.open(PASSWORD)
    wait_until(lambda: len(owner.photos()) == 1 and visitor.visit().status_code == 401)
    owner.lock()
    daemon.stop()
    hunt(daemon)


def token_of(code):
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    value = sum(digits.index(letter) << 5 * place for place, letter in enumerate(reversed(code.replace("-", ""))))
    return (value >> 12).to_bytes(16, "big")


def test_every_file_belongs_to_the_daemon_alone(owner):
    owner.put(NAME, b"x")
    data = owner.daemon.data
    open_to_others = []
    for path in [data, *data.rglob("*")]:
        # One that was written under another name first may have gone.
        with suppress(FileNotFoundError):
            open_to_others += [path] * bool(path.stat().st_mode & 0o077)
    assert not open_to_others
