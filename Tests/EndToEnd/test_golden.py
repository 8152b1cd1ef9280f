"""A data directory that an earlier version wrote (scripts/make-golden-store) opens in this one, and by the second reader."""

import csv
import importlib.machinery
import importlib.util
import json
import os
import shutil
import sqlite3

import pytest
from client import Browser, sha256, wait_until
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from daemon import CHECKOUT, Daemon
from giving import Visitor, make_door
from golden import KINDS, about, kinds, make_shards, unpack
from looking import read_window
from test_open_store import GIFTS, READER, digests, read
from test_start import UNUSABLE, tree
from test_store import SLOT, SLOTS_BYTE_COUNT
from tier import take_over

GOLDEN = CHECKOUT / "Tests" / "Golden" / "format-1"
VAULTS = json.loads((GOLDEN / "vaults.json").read_text())


@pytest.fixture
def golden(tmp_path, seeded):
    """A copy of it as it was: with slots, most of which open nothing."""
    data = tmp_path / "golden"
    shutil.copytree(GOLDEN, data)
    for path in data.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)
    data.chmod(0o700)
    slots = bytearray(seeded.randbytes(1 << 20) * (SLOTS_BYTE_COUNT >> 20))
    for position, content in json.loads((data / "slots.json").read_text()).items():
        slots[int(position) * SLOT : (int(position) + 1) * SLOT] = bytes.fromhex(content)
    (data / "slots").write_bytes(slots)
    (data / "slots").chmod(0o600)
    for name in ("slots.json", "vaults.json"):
        (data / name).unlink()
    for shard in range(256):
        (data / "objects" / f"{shard:02x}").mkdir(mode=0o700, exist_ok=True)
    return data


def said(browser):
    """What people did with the photos, by their names."""
    found = {}
    for photo in browser.photos():
        photo = browser.request("GET", f"/api/photos/{photo['id']}").json()
        words = {key: photo[key] for key in ("favourite", "caption", "rotation") if key in photo}
        if photo.get("takenFrom") == "person" or photo["name"].startswith("scan"):
            words["takenAt"] = photo["takenAt"][:10]
        if "albums" in photo:
            words["albums"] = [album["name"] for album in photo["albums"]]
        if words:
            found[photo["name"]] = words
    return found


def test_this_version_opens_what_the_first_one_wrote(golden, start_daemon):
    daemon = start_daemon(data=golden)
    for vault in VAULTS:
        browser = Browser(daemon).open(vault["password"])
        assert browser.digests() == vault["photos"]
        assert "damage" not in browser.session()
        assert said(browser) == vault["said"]
        doors = browser.request("GET", "/api/doors").json()["doors"]
        assert [(door["name"], door["code"]) for door in doors] == [(door["name"], door["code"]) for door in vault["doors"]]
        waiting = browser.request("GET", "/api/doors/waiting").json()["photos"]
        assert {photo["name"]: sha256(browser.content(photo)) for photo in waiting} == vault["waiting"]
        assert all(photo["given"]["giver"] == "Mia 海" for photo in waiting)
        trash = browser.request("GET", "/api/trash").json()["photos"]
        assert {photo["name"] for photo in trash} == vault["deleted"].keys()
        if code := vault.get("recovery"):
            assert Browser(daemon).request("POST", "/api/session", json={"recovery": code}).status_code == 200
        browser.put("new.jpg", b"goes on")
        assert browser.digests() == {**vault["photos"], "new.jpg": sha256(b"goes on")}
    daemon.stop()
    assert daemon.run("check", "--data", str(golden)).returncode == 0


def test_a_ledger_of_before_there_were_doors_gets_their_tables(golden, start_daemon):
    ledger = sqlite3.connect(golden / "ledger.sqlite")
    for table in ("door", "arrival"):
        ledger.execute(f"DROP TABLE {table}")
    ledger.close()
    daemon = start_daemon(data=golden)
    browser = Browser(daemon).open(VAULTS[1]["password"])
    assert browser.digests() == VAULTS[1]["photos"]
    Visitor(daemon).enter(make_door(browser)).give("given.jpg", b"given")
    wait_until(lambda: "given.jpg" in browser.names())


def test_the_second_reader_opens_it_too(golden, tmp_path):
    for number, vault in enumerate(VAULTS):
        require_all_read(golden, vault, tmp_path / f"out {number}")


def require_all_read(golden, vault, target):
    done = read(golden, vault["password"], "--to", target)
    assert done.returncode == 0, done.stderr
    found = digests(target)
    assert ("about.csv" in found) == bool(vault["said"])
    if found.pop("about.csv", None):
        with open(target / "about.csv", newline="") as file:
            rows = {name: words for name, *words in csv.reader(file)}
        assert rows == {
            "one.jpg": ["heart", "Été 2024 / 海", "", "", "0", "", "", ""],
            "many.heic": ["", "Été 2024 / 海", "Am Meer\n海", "1971-08-01 12:00", "3", "", "", ""],
            "scan of 1965.jpg": ["heart", "Grandparents; Été 2024 / 海", "", "", "0", "", "", ""],
            "given.jpg": ["", "", "", "", "0", "", "Été 2024 / 海", "Mia 海"],
        }
    everything = [*vault["photos"].values(), *vault["deleted"].values(), *vault["waiting"].values()]
    assert sorted(found.values()) == sorted(everything)
    doors = [f"door until {door['lastDay']}: {door['name']}, {door['code']}" for door in vault["doors"]]
    assert read(golden, vault["password"], reader=GIFTS).stdout.splitlines() == doors
    if code := vault.get("recovery"):
        assert read(golden, code, "--code").stdout == read(golden, vault["password"]).stdout


# -- one for each kind of what a store can hold (scripts/add-golden-stores); those that this version opens by itself are
# opened in GoldenStoreTests, on the day on which they were made

EXPECTED = {
    "albums", "app", "backup", "bucket", "captions", "door", "edit", "guest", "kept-session", "passkey", "place", "recovery-code",
    "rotation", "trash", "two-kdf-records", "unfinished-upload", "window",
}  # fmt: skip


@pytest.fixture
def kept(tmp_path):
    """kept(kind): a copy of what was kept, as it was."""
    return lambda kind: unpack(KINDS / kind, tmp_path / kind)


def test_each_kind_is_kept_with_the_version_that_wrote_it():
    assert set(kinds()) >= EXPECTED
    for kind in kinds():
        assert about(kind)["version"] and about(kind)["writer"] >= 1, kind
        assert sum(path.stat().st_size for path in (KINDS / kind).rglob("*") if path.is_file()) < 1 << 20, kind


@pytest.mark.parametrize("kind", sorted(EXPECTED - {"guest", "backup", "bucket"}))
def test_the_second_reader_opens_each_kind(kept, tmp_path, kind):
    data, said = kept(kind), about(kind)
    done = read(data, said["password"], "--to", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    found = digests(tmp_path / "out")
    rows = list(csv.reader((tmp_path / "out" / "about.csv").open(newline=""))) if found.pop("about.csv", None) else []
    assert found == said["photos"] | said["deleted"]
    assert sorted(line.split(maxsplit=3)[3] for line in done.stdout.splitlines()) == sorted(
        [*said["photos"], *(f"{name}  (deleted)" for name in said["deleted"])]
    )
    assert [row[2] for row in rows if row[2]] == list(said.get("albums", {}))
    words = said.get("words", {})
    assert [row[3] for row in rows if row[3]] == ([words["caption"]] if words else [])
    assert [row[5] for row in rows if ";" in row[5]] == (["0; 0.5 0 1 0.75 at -2.5"] if "edit" in words else [])
    doors = [f"door until {door['lastDay']}: {door['name']}, {door['code']}" for door in said.get("doors", [])]
    if doors:
        assert read(data, said["password"], reader=GIFTS).stdout.splitlines() == doors
    if code := said.get("recovery"):
        assert read(data, code, "--code").stdout == done.stdout
    for window in said.get("windows", []):
        done, seen = read_window(data, tmp_path / "seen", window["code"], window["password"])
        assert done.returncode == 0 and seen == window["photos"], done.stderr


def test_a_store_with_two_kdf_records_is_refused_as_it_is(kept, tmp_path):
    data = kept("two-kdf-records")
    make_shards(data)
    before = tree(data)
    daemon = Daemon(tmp_path, data=data)
    daemon.launch()
    assert daemon.wait() == UNUSABLE and "key derivation" in daemon.log, daemon.log
    assert tree(data) == before


def test_a_backup_of_an_earlier_version_is_restored_and_rehearsed(kept, start_daemon, daemon, tmp_path):
    backup, said = kept("backup"), about("backup")
    assert daemon.run("rehearse", "--data", str(tmp_path / "none"), "--from", str(backup), "--part", "100%").returncode == 0
    done = daemon.run("restore", "--from", str(backup), "--to", str(tmp_path / "restored"))
    assert done.returncode == 0, done.stderr
    assert Browser(start_daemon(data=tmp_path / "restored")).open(said["password"]).digests() == said["photos"]


def test_a_bucket_of_an_earlier_version_is_taken_over(kept, host, bucket):
    said = about("bucket")
    folder = kept("bucket")
    for path in folder.rglob("*"):
        if path.is_file():
            bucket.put(str(path.relative_to(folder)), path.read_bytes())
    one = host("one")
    take_over(one)
    one.start()
    assert Browser(one).open(said["password"]).digests() == said["photos"]


def load_reader():
    loader = importlib.machinery.SourceFileLoader("open_store", str(READER))
    reader = importlib.util.module_from_spec(importlib.util.spec_from_loader("open_store", loader))
    loader.exec_module(reader)
    return reader


def test_a_row_of_a_later_version_is_named_by_the_second_reader_and_keeps_no_other_from_being_read(kept):
    data, said, reader = kept("captions"), about("captions"), load_reader()
    (prk,) = reader.password_keys(reader.header(data), said["password"], b"")
    file = sqlite3.connect(data / "ledger.sqlite")
    rows = reader.Ledger(file, reader.vault_key(data, prk))
    index = next(index for index in range(rows.count) if rows.record(rows.id(1, index))[0] == 0)
    # As a photo of another version, of which nothing else is known.
    id, salt, plaintext = rows.id(1, index), os.urandom(24), bytes([reader.PHOTO, 2]) + os.urandom(438)
    keys = reader.expand(rows.row_key, reader.LABEL + salt + b"safelight/v1/row" + id, 76)
    body = salt + keys[44:] + AESGCM(keys[:32]).encrypt(keys[32:44], plaintext, None)
    with file:
        assert file.execute("UPDATE row SET body = ? WHERE id = ?", (body, id)).rowcount == 1
    file.close()
    done = read(data, said["password"])
    assert done.returncode == 0 and f"row {index}: it is of a later version" in done.stderr, done.stderr
    assert [line.split(maxsplit=3)[3] for line in done.stdout.splitlines()] == list(said["photos"])
