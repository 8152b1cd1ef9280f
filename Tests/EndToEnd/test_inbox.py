"""Watched folders: what is put there goes through a door into a vault that may be locked, and nothing of it is lost."""

import os
import random
import subprocess

import pytest
import requests
from albums import albums, names_in
from cases import in_nightly
from client import Browser, sha256, wait_until
from exports import picture
from faults import needs_root
from giving import make_door

NAME = "scanner"


class Inbox:
    """A folder that a daemon watches for the door of a vault that is locked."""

    def __init__(self, start_daemon, tmp_path, removes, **options):
        self.folder = tmp_path / "in"
        self.folder.mkdir()
        self.daemon = start_daemon(**options)
        self.owner = Browser(self.daemon).create()
        self.door = make_door(self.owner)
        self.owner.lock()
        self.code = tmp_path / "door"
        self.code.write_text(f"{self.door['link']}\n")
        self.code.chmod(0o600)
        self.configuration = tmp_path / "safelight.yaml"
        self.configure(removes)
        self.daemon.stop()
        self.daemon.arguments += ["--config", str(self.configuration)]

    def configure(self, removes):
        self.configuration.write_text(
            f"inbox:\n  {NAME}:\n    path: {self.folder}\n    door: {self.code}\n    remove: {'on' if removes else 'off'}\n"
        )

    def put(self, name, content):
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def left(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if not path.is_dir())

    def trouble(self):
        """What health says of it; None while all is well."""
        checks = requests.get(f"{self.daemon.url}/health", timeout=60).json()["checks"]["inbox"]
        return checks[0].get("output")

    def has_taken(self, count):
        wait_until(lambda: len(self.daemon.object_files()) >= count)

    def remembers(self):
        memory = self.daemon.data / "inbox"
        wait_until(lambda: sum(path.stat().st_size for path in memory.iterdir()) == 4096)

    def opened(self, count):
        """A browser in which the vault is open, and all that was given has come to it."""
        owner = Browser(self.daemon).open()
        wait_until(lambda: len(owner.photos()) >= count)
        return owner


@pytest.fixture
def inbox(start_daemon, tmp_path):
    return lambda removes=True, **options: Inbox(start_daemon, tmp_path, removes, **options)


def test_what_is_put_there_comes_into_the_locked_vault_and_goes_from_the_folder_once_it_was_read_back(inbox):
    inbox = inbox()
    before = {f"{number}.jpg": picture(f"before {number}") for number in range(3)}
    for name, content in before.items():
        inbox.put(f"2026/März/{name}", content)
    inbox.daemon.start()
    wait_until(lambda: inbox.left() == [])
    # While it runs: written, moved in, in a folder that is made now, with names of all kinds.
    after = {f"{name}.jpg": picture(name) for name in ("new", "Strand 'n' Meer; $(x)", "照片", "n" * 200, "-rf")}
    for name, content in after.items():
        inbox.put(f"neu/unter/{name}", content)
    aside = inbox.folder.parent / "moved"
    aside.mkdir()
    (aside / "moved.jpg").write_bytes(picture("moved"))
    aside.rename(inbox.folder / "moved")
    inbox.put(os.fsdecode(b"raw\xff.jpg"), picture("raw"))
    wait_until(lambda: inbox.left() == [] and len(inbox.daemon.object_files()) == 10)
    assert inbox.trouble() is None
    owner = inbox.opened(10)
    expected = {**before, **after, "moved.jpg": picture("moved"), "raw\ufffd.jpg": picture("raw")}
    assert owner.digests() == {name: sha256(content) for name, content in expected.items()}
    (album,) = albums(owner)
    assert album["name"] == inbox.door["name"] and len(names_in(owner, album["id"])) == 10


def test_what_is_still_written_what_is_no_photo_and_links_are_left_alone(inbox):
    inbox = inbox()
    secret = inbox.folder.parent / "secret.jpg"
    secret.write_bytes(picture("secret"))
    inbox.daemon.start()
    for name in (".syncthing.a.jpg.tmp", "~syncthing~a.jpg.tmp", "a.jpg.part", "a.jpg.crdownload", "a.tmp", ".hidden.jpg", ".stversions/a.jpg"):
        inbox.put(name, picture(name))
    inbox.put("list.txt", b"words")
    (inbox.folder / "link.jpg").symlink_to(secret)
    (inbox.folder / "folder").symlink_to(secret.parent)
    os.mkfifo(inbox.folder / "pipe.jpg")
    inbox.put("empty.jpg", b"")
    # Open for writing: it stays until it is closed, however long nothing comes.
    content = picture("open") + os.urandom(300_000)
    with open(inbox.folder / "open.jpg", "wb") as writer:
        writer.write(content[:100_000])
        writer.flush()
        inbox.put("done.jpg", picture("done"))
        wait_until(lambda: "done.jpg" not in inbox.left())
        before = set(inbox.left())
        assert "open.jpg" in before
        writer.write(content[100_000:])
    inbox.has_taken(2)
    wait_until(lambda: "open.jpg" not in inbox.left())
    # What was on its way comes when it has its name.
    (inbox.folder / "a.jpg.part").rename(inbox.folder / "a.jpg")
    inbox.has_taken(3)
    wait_until(lambda: "a.jpg" not in inbox.left())
    assert set(inbox.left()) == before - {"open.jpg", "a.jpg.part"} and secret.exists()
    wait_until(lambda: inbox.trouble() == "1 file stays there")
    (inbox.folder / "list.txt").unlink()
    wait_until(lambda: inbox.trouble() is None)
    inbox.put("list.txt", b"words")
    owner = inbox.opened(3)
    assert sorted(owner.names()) == ["a.jpg", "done.jpg", "open.jpg"] and owner.digests()["open.jpg"] == sha256(content)


def test_a_folder_that_keeps_its_files_is_not_sent_again_and_its_memory_tells_no_name(inbox):
    inbox = inbox(removes=False)
    inbox.daemon.start()
    for number in range(5):
        inbox.put(f"grandma {number}.jpg", picture(f"{number}"))
    inbox.has_taken(5)
    inbox.remembers()
    inbox.daemon.restart()
    inbox.put("new.jpg", picture("new"))
    inbox.has_taken(6)
    assert len(inbox.daemon.object_files()) == 6 and len(inbox.left()) == 6
    inbox.daemon.stop()
    told = b"".join(path.name.encode() + path.read_bytes() for path in inbox.daemon.data.rglob("*") if path.is_file())
    told += inbox.daemon.log.encode()
    for word in (b"grandma", str(inbox.folder).encode(), inbox.door["code"].encode(), inbox.door["code"].replace("-", "").encode()):
        assert word not in told
    inbox.daemon.start()
    assert sorted(inbox.opened(6).names()) == sorted([*(f"grandma {number}.jpg" for number in range(5)), "new.jpg"])
    assert len(inbox.daemon.object_files()) == 6


def test_a_door_that_is_shut_keeps_everything_in_the_folder_and_its_opening_takes_it(inbox):
    inbox = inbox()
    inbox.daemon.start()
    address = f"/api/doors/{inbox.door['id']}"
    owner = inbox.owner.open()
    assert owner.request("PATCH", address, json={"isShut": True}).status_code == 200
    inbox.put("a.jpg", picture("a"))
    wait_until(lambda: inbox.trouble() == "the door is shut")
    assert inbox.left() == ["a.jpg"]
    assert owner.request("PATCH", address, json={"isShut": False}).status_code == 200
    wait_until(lambda: inbox.left() == [])
    assert owner.request("PATCH", address, json={"photoLimit": 1}).status_code == 200
    inbox.put("b.jpg", picture("b"))
    wait_until(lambda: inbox.trouble() == "the door is full")
    wait_until(lambda: inbox.daemon.log.count("a watched folder is not taken from") == 2)
    # An open page hears of what comes, as from another device.
    assert owner.request("PATCH", address, json={"photoLimit": 100}).status_code == 200
    wait_until(lambda: inbox.left() == [] and sorted(owner.names()) == ["a.jpg", "b.jpg"] and inbox.trouble() is None)
    # Each trouble was told once, however often the folder was looked at meanwhile.
    assert inbox.daemon.log.count("a watched folder is not taken from") == 2
    assert owner.request("DELETE", address).status_code == 200
    inbox.put("c.jpg", picture("c"))
    wait_until(lambda: inbox.trouble() == "the door is gone")
    assert inbox.left() == ["c.jpg"]


def test_a_file_that_changes_after_it_was_read_stays_and_comes_again(inbox):
    inbox = inbox(removes=False)
    inbox.daemon.start()
    place = inbox.put("a.jpg", picture("one"))
    inbox.has_taken(1)
    place.write_bytes(picture("another"))
    inbox.has_taken(2)
    assert inbox.left() == ["a.jpg"]
    assert set(inbox.opened(2).digests().values()) <= {sha256(picture("one")), sha256(picture("another"))}


def test_a_file_written_over_with_its_size_and_time_is_never_deleted_unstored(inbox):
    inbox = inbox(removes=False)
    inbox.daemon.start()
    one, another, last = (picture(name) + bytes(200_000 - len(picture(name))) for name in ("one", "another", "last"))

    def write(content):
        """In place, as exiftool -P and rsync --inplace -t do."""
        with open(inbox.folder / "a.jpg", "r+b" if (inbox.folder / "a.jpg").exists() else "wb") as file:
            file.write(content)
        os.utime(inbox.folder / "a.jpg", (1_700_000_000, 1_700_000_000))

    write(one)
    inbox.remembers()
    write(another)
    inbox.has_taken(2)
    inbox.daemon.stop()
    # While nobody watches; and then it is to be deleted.
    write(last)
    inbox.configure(removes=True)
    inbox.daemon.start()
    wait_until(lambda: inbox.left() == [])
    owner = inbox.opened(3)
    assert {sha256(owner.content(photo)) for photo in owner.photos()} == {sha256(content) for content in (one, another, last)}


def test_a_file_of_which_only_rights_changed_is_not_sent_again(inbox):
    inbox = inbox(removes=False)
    inbox.daemon.start()
    inbox.put("a.jpg", picture("a")).chmod(0o600)
    inbox.remembers()
    # The vault takes it, so that nothing of the door tells that it was given.
    inbox.opened(1).lock()
    (inbox.folder / "a.jpg").chmod(0o644)
    inbox.daemon.stop()
    (inbox.folder / "a.jpg").chmod(0o640)
    inbox.configure(removes=True)
    inbox.daemon.start()
    wait_until(lambda: inbox.left() == [])
    assert len(inbox.daemon.object_files()) == 1


@needs_root
def test_files_of_other_people_come_as_soon_as_they_can_be_read(inbox):
    # The kernel tells a program like this no writer of a file that is not its own.
    rights = "--bounding-set=-dac_override,-dac_read_search,-lease,-fowner"
    inbox = inbox(wrapper=["setpriv", rights])
    inbox.daemon.start()

    def give_away(path):
        os.chown(path, 65534, 65534)
        return path

    open_to_all = inbox.folder.parent / "a.jpg"
    open_to_all.write_bytes(picture("a"))
    give_away(open_to_all).chmod(0o644)
    open_to_all.rename(inbox.folder / "a.jpg")
    wait_until(lambda: inbox.left() == [])
    closed = inbox.folder.parent / "b.jpg"
    closed.write_bytes(picture("b"))
    give_away(closed).chmod(0o600)
    closed = closed.rename(inbox.folder / "b.jpg")
    wait_until(lambda: inbox.trouble() == "1 file cannot be read")
    # One that nobody may read keeps no other back.
    inbox.put("c.jpg", picture("c"))
    wait_until(lambda: inbox.left() == ["b.jpg"])
    os.chown(closed, 0, 0)
    wait_until(lambda: inbox.left() == [] and inbox.trouble() is None)
    locked = inbox.folder.parent / "locked"
    locked.mkdir()
    (locked / "d.jpg").write_bytes(picture("d"))
    give_away(locked).chmod(0o700)
    locked = locked.rename(inbox.folder / "locked")
    wait_until(lambda: inbox.trouble() == "not all folders in it can be read")
    locked.chmod(0o777)
    wait_until(lambda: inbox.left() == [] and inbox.trouble() is None)
    assert sorted(inbox.opened(4).names()) == [f"{name}.jpg" for name in "abcd"]


def test_a_folder_that_is_missing_is_said_and_taken_from_when_it_is_back(inbox):
    inbox = inbox()
    inbox.folder.rmdir()
    inbox.daemon.start()
    wait_until(lambda: inbox.trouble() == "the folder is not there")
    inbox.put("a.jpg", picture("a"))
    # Whatever a door hears is a reason to look before the minute is over.
    assert inbox.owner.open().request("PATCH", f"/api/doors/{inbox.door['id']}", json={"photoLimit": 100}).status_code == 200
    wait_until(lambda: inbox.left() == [] and inbox.trouble() is None)
    inbox.folder.rmdir()
    wait_until(lambda: inbox.trouble() == "the folder is not there")


@pytest.mark.parametrize("removes", [True, in_nightly("disks", False)])
def test_kills_lose_nothing_and_bring_nothing_twice(inbox, counted, removes):
    inbox, dice = inbox(removes), random.Random(33)
    rounds = counted(3, 60)
    expected = {}
    for round in range(rounds):
        for number in range(6):
            name = f"{round}-{number}.jpg"
            expected[name] = picture(name) + dice.randbytes(80_000)
            inbox.put(f"{round % 3}/{name}", expected[name])
        before = len(inbox.daemon.object_files())
        inbox.daemon.start()
        # Moments of a run, by how much has come: what is looked for is that none of them matters.
        inbox.has_taken(before + (round * 5 + 1) % 7)
        inbox.daemon.kill9()
    inbox.daemon.start()
    if removes:
        wait_until(lambda: inbox.left() == [])
    else:
        inbox.has_taken(len(expected))
        inbox.put("last.jpg", picture("last"))
        inbox.has_taken(len(expected) + 1)
        expected["last.jpg"] = picture("last")
    # Files are counted twice that were stored in the moment of a kill: what is there when all has come, counts.
    owner = Browser(inbox.daemon).open()
    wait_until(lambda: sorted(owner.names()) == sorted(expected))
    assert owner.digests() == {name: sha256(content) for name, content in expected.items()}


@pytest.fixture
def stopped(daemon):
    """A data directory, and nobody who works on it."""
    daemon.stop()
    return daemon


def test_a_configuration_that_cannot_work_is_refused_in_words(stopped, tmp_path):
    for name, mode in (("open", 0o644), ("wrong", 0o600)):
        (tmp_path / name).write_text("x")
        (tmp_path / name).chmod(mode)
    complaints = {
        "inbox: [{path: /a, door: /b}]": "names folders", "inbox: {A: {path: /a}}": "no such name",
        "inbox: {a: {path: a}}": "absolute path", "inbox: {a: {path: /a, dor: /b}}": 'not "dor"',
        "inbox: {a: {path: /a, door: 1234-ABCD}}": "path of a file", "inbox: {a: {path: /a}}": "safelight.door.a",
        f"inbox: {{a: {{path: /a, door: {tmp_path}/open}}}}": "others may read",
        f"inbox: {{a: {{path: /a, door: {tmp_path}/wrong}}}}": "holds no code",
    }  # fmt: skip
    file, other = tmp_path / "safelight.yaml", {}
    for words, complaint in complaints.items():
        file.write_text(words)
        done = subprocess.run([*stopped.command(), "--config", str(file)], env=stopped.variables(), capture_output=True, timeout=600)
        told = (done.stdout + done.stderr).decode()
        if done.returncode != 78 or complaint not in told:
            other[words] = (done.returncode, told)
    assert other == {}
