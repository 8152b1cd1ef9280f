"""Watched folders: `safelight import --door`, which a timer starts, sends what is put there through a door into a vault that
may be locked, and nothing of it is lost."""

import os
import random
import subprocess

import pytest
import requests
from albums import albums, names_in
from cases import in_nightly
from client import Browser, sha256, wait_until
from daemon import binary
from exports import picture
from faults import needs_root, run_failing
from giving import make_door


class Inbox:
    """A folder whose files go through the door of a vault that is locked."""

    def __init__(self, owner, tmp_path):
        self.folder = tmp_path / "in"
        self.folder.mkdir()
        self.owner, self.daemon = owner, owner.daemon
        self.door = make_door(self.owner)
        self.owner.lock()
        self.code = tmp_path / "door"
        self.code.write_text(f"{self.door['link']}\n")
        self.code.chmod(0o600)

    def put(self, name, content):
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
        return place

    def left(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if not path.is_dir())

    def words(self, takes=True, still=0):
        options = ["--door", str(self.code), "--still", str(still), *(["--take"] if takes else [])]
        return ["import", "--data", str(self.daemon.data), *options, str(self.folder)]

    def run(self, takes=True, still=0, wrapper=()):
        """One run, as the timer starts it.
        - Returns: its exit code, and why not all was taken; None while all is well."""
        command = [*wrapper, str(binary()), *self.words(takes, still)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=self.daemon.variables())
        told = done.stderr.partition(f"{self.folder}: ")[2].rstrip(".\n")
        assert told or not done.stderr, done.stderr
        return done.returncode, told or None

    def health(self):
        checks = requests.get(f"{self.daemon.url}/health", timeout=60).json()["checks"]["inbox"]
        return checks[0]["status"], checks[0].get("output")

    def change(self, **wanted):
        answer = self.owner.open().request("PATCH", f"/api/doors/{self.door['id']}", json=wanted)
        assert answer.status_code == 200, answer.text
        self.owner.lock()

    def opened(self, count):
        """A browser in which the vault is open, and all that was given has come to it."""
        owner = Browser(self.daemon).open(self.owner.password)
        wait_until(lambda: len(owner.photos()) >= count)
        return owner


WELL = (0, None)


@pytest.fixture
def inbox(restartable_vault, tmp_path):
    return Inbox(restartable_vault(), tmp_path)


@pytest.fixture
def own_inbox(start_daemon, tmp_path):
    """On a daemon of its own, whose disk and health are looked at."""
    return Inbox(Browser(start_daemon()).create(), tmp_path)


def test_what_is_put_there_comes_into_the_locked_vault_and_goes_from_the_folder_once_it_was_read_back(inbox):
    names = ("new", "Strand 'n' Meer; $(x)", "照片", "n" * 200, "-rf")
    contents = {f"{name}.jpg": picture(name) for name in names}
    for name, content in contents.items():
        inbox.put(f"2026/März/{name}", content)
    inbox.put(os.fsdecode(b"raw\xff.jpg"), picture("raw"))
    assert inbox.run() == WELL and inbox.left() == []
    # Of a folder that was moved there with what is in it.
    aside = inbox.folder.parent / "moved"
    aside.mkdir()
    (aside / "moved.jpg").write_bytes(picture("moved"))
    aside.rename(inbox.folder / "moved")
    assert inbox.run() == WELL and inbox.left() == []
    owner = inbox.opened(7)
    expected = {**contents, "moved.jpg": picture("moved"), "raw\ufffd.jpg": picture("raw")}
    assert owner.digests() == {name: sha256(content) for name, content in expected.items()}
    (album,) = albums(owner)
    assert album["name"] == inbox.door["name"] and len(names_in(owner, album["id"])) == 7


def test_what_is_still_written_what_is_no_photo_and_links_are_left_alone(inbox):
    secret = inbox.folder.parent / "secret.jpg"
    secret.write_bytes(picture("secret"))
    on_the_way = (".syncthing.a.jpg.tmp", "~syncthing~a.jpg.tmp", "a.jpg.part", "a.jpg.crdownload", "a.tmp", ".hidden.jpg", ".stversions/a.jpg")
    for name in on_the_way:
        inbox.put(name, picture(name))
    inbox.put("list.txt", b"words")
    (inbox.folder / "link.jpg").symlink_to(secret)
    (inbox.folder / "folder").symlink_to(secret.parent)
    os.mkfifo(inbox.folder / "pipe.jpg")
    inbox.put("empty.jpg", b"")
    # What came a moment ago waits for its minute, without a word.
    inbox.put("done.jpg", picture("done"))
    before = set(inbox.left())
    assert inbox.run(still=60) == WELL and set(inbox.left()) == before
    # Open for writing: it stays until it is closed, however long nothing comes.
    content = picture("open") + os.urandom(300_000)
    with open(inbox.folder / "open.jpg", "wb") as writer:
        writer.write(content[:100_000])
        writer.flush()
        assert inbox.run() == (0, "1 file stays there")
        assert set(inbox.left()) == before - {"done.jpg"} | {"open.jpg"}
        writer.write(content[100_000:])
    # What was on its way comes when it has its name.
    (inbox.folder / "a.jpg.part").rename(inbox.folder / "a.jpg")
    assert inbox.run() == (0, "1 file stays there")
    assert set(inbox.left()) == before - {"done.jpg", "a.jpg.part"} and secret.exists()
    (inbox.folder / "list.txt").unlink()
    assert inbox.run() == WELL
    owner = inbox.opened(3)
    assert owner.names() == ["a.jpg", "done.jpg", "open.jpg"] and owner.digests()["open.jpg"] == sha256(content)


def test_a_folder_that_keeps_its_files_is_not_sent_again_and_its_memory_tells_no_name(own_inbox):
    inbox = own_inbox
    for number in range(5):
        inbox.put(f"grandma {number}.jpg", picture(f"{number}"))

    def facts():
        found = {path.name: path.stat() for path in inbox.folder.iterdir()}
        return {name: (one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for name, one in found.items()}

    before = facts()
    assert inbox.run(takes=False) == WELL
    memory = inbox.daemon.data / "inbox"
    (marks,) = memory.iterdir()
    assert marks.stat().st_size == 4096
    remembered = marks.read_bytes()
    inbox.daemon.restart()
    # A run that finds nothing new writes nothing, and one in which the folder is empty, as where a share is not mounted,
    # forgets nothing.
    assert inbox.run(takes=False) == WELL
    inbox.folder.rename(inbox.folder.parent / "away")
    inbox.folder.mkdir()
    assert inbox.run(takes=False) == WELL
    inbox.folder.rmdir()
    (inbox.folder.parent / "away").rename(inbox.folder)
    assert marks.read_bytes() == remembered
    inbox.put("new.jpg", picture("new"))
    assert inbox.run(takes=False) == WELL
    assert len(inbox.daemon.object_files()) == 6 and len(inbox.left()) == 6
    assert facts().items() >= before.items()
    inbox.daemon.stop()
    told = b"".join(path.name.encode() + path.read_bytes() for path in inbox.daemon.data.rglob("*") if path.is_file())
    told += inbox.daemon.log.encode()
    for word in (b"grandma", str(inbox.folder).encode(), inbox.door["code"].encode(), inbox.door["code"].replace("-", "").encode()):
        assert word not in told
    inbox.daemon.start()
    assert inbox.opened(6).names() == sorted([*(f"grandma {number}.jpg" for number in range(5)), "new.jpg"])
    assert len(inbox.daemon.object_files()) == 6


def test_what_keeps_files_there_is_told_by_the_run_and_by_health(own_inbox):
    inbox = own_inbox
    inbox.put("a.jpg", picture("a"))
    inbox.change(isShut=True)
    # However often: it is the host's own code, and no guess.
    for _ in range(20):
        assert inbox.run() == (1, "the door is shut")
    assert inbox.health() == ("warn", "the door is shut") and inbox.left() == ["a.jpg"]
    inbox.change(isShut=False)
    assert inbox.run() == WELL and inbox.left() == []
    assert inbox.health() == ("pass", None)
    inbox.change(photoLimit=1)
    inbox.put("b.jpg", picture("b"))
    assert inbox.run() == (1, "the door is full")
    inbox.change(photoLimit=100)
    # An open page hears of what comes, as from another device.
    owner = inbox.owner.open()
    assert inbox.run() == WELL
    wait_until(lambda: owner.names() == ["a.jpg", "b.jpg"])
    assert owner.request("DELETE", f"/api/doors/{inbox.door['id']}").status_code == 200
    inbox.put("c.jpg", picture("c"))
    for _ in range(20):
        assert inbox.run() == (1, "the door is gone")
    assert inbox.left() == ["c.jpg"]
    inbox.code.chmod(0o644)
    assert subprocess.run([str(binary()), *inbox.words()], env=inbox.daemon.variables(), capture_output=True).returncode == 78
    assert inbox.health() == ("warn", "the door's code cannot be read")
    inbox.daemon.stop()
    done = inbox.daemon.run(*inbox.words())
    assert (done.returncode, b"does not run" in done.stderr) == (74, True)


def test_a_file_that_changes_after_it_was_read_stays_and_comes_again(inbox):
    place = inbox.put("a.jpg", picture("one"))
    assert inbox.run(takes=False) == WELL
    place.write_bytes(picture("another"))
    assert inbox.run(takes=False) == WELL
    assert inbox.left() == ["a.jpg"]
    owner = inbox.opened(2)
    assert {sha256(owner.content(photo)) for photo in owner.photos()} == {sha256(picture("one")), sha256(picture("another"))}


def test_a_file_written_over_with_its_size_and_time_is_never_deleted_unstored(inbox):
    one, another, last = (picture(name) + bytes(200_000 - len(picture(name))) for name in ("one", "another", "last"))

    def write(content):
        """In place, as exiftool -P and rsync --inplace -t do."""
        with open(inbox.folder / "a.jpg", "r+b" if (inbox.folder / "a.jpg").exists() else "wb") as file:
            file.write(content)
        os.utime(inbox.folder / "a.jpg", (1_700_000_000, 1_700_000_000))

    for content in (one, another):
        write(content)
        assert inbox.run(takes=False) == WELL
    # And then it is to be deleted.
    write(last)
    assert inbox.run() == WELL and inbox.left() == []
    owner = inbox.opened(3)
    assert {sha256(owner.content(photo)) for photo in owner.photos()} == {sha256(content) for content in (one, another, last)}


def test_a_file_of_which_only_rights_changed_is_not_sent_again(own_inbox):
    inbox = own_inbox
    place = inbox.put("a.jpg", picture("a"))
    place.chmod(0o600)
    assert inbox.run(takes=False) == WELL
    # The vault takes it, so that nothing of the door tells that it was given.
    inbox.opened(1).lock()
    place.chmod(0o644)
    assert inbox.run(takes=False) == WELL
    place.chmod(0o640)
    assert inbox.run() == WELL and inbox.left() == []
    assert len(inbox.daemon.object_files()) == 1


@needs_root
def test_files_of_other_people_come_as_soon_as_they_can_be_read(inbox):
    # The kernel tells a program like this no writer of a file that is not its own.
    wrapper = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-lease,-fowner"]

    def put_of_another(name, mode):
        place = inbox.put(name, picture(name))
        os.chown(place, 65534, 65534)
        place.chmod(mode)
        return place

    put_of_another("a.jpg", 0o644)
    assert inbox.run(wrapper=wrapper) == WELL and inbox.left() == []
    closed = put_of_another("b.jpg", 0o600)
    # One that nobody may read keeps no other back.
    inbox.put("c.jpg", picture("c.jpg"))
    assert inbox.run(wrapper=wrapper) == (1, "1 file cannot be read") and inbox.left() == ["b.jpg"]
    os.chown(closed, 0, 0)
    assert inbox.run(wrapper=wrapper) == WELL and inbox.left() == []
    locked = inbox.folder / "locked"
    inbox.put("locked/d.jpg", picture("d.jpg"))
    os.chown(locked, 65534, 65534)
    locked.chmod(0o700)
    inbox.put("e.jpg", picture("e.jpg"))
    assert inbox.run(wrapper=wrapper) == (1, "not all folders in it can be read") and inbox.left() == ["locked/d.jpg"]
    locked.chmod(0o755)
    assert inbox.run(wrapper=wrapper) == (1, "files cannot be deleted") and inbox.left() == ["locked/d.jpg"]
    locked.chmod(0o777)
    assert inbox.run(wrapper=wrapper) == WELL and inbox.left() == []
    assert inbox.opened(5).names() == [f"{name}.jpg" for name in "abcde"]


def test_a_folder_that_is_missing_is_said_and_taken_from_when_it_is_back(own_inbox):
    inbox = own_inbox
    inbox.folder.rmdir()
    code, told = inbox.run()
    assert (code, told) == (75, "cannot be opened: No such file or directory")
    assert inbox.health() == ("warn", "the folder is not there")
    inbox.folder.mkdir()
    inbox.put("a.jpg", picture("a"))
    assert inbox.run() == WELL and inbox.left() == []
    assert inbox.health() == ("pass", None)


@needs_root
def test_a_share_that_is_not_mounted_is_not_taken_for_empty(own_inbox):
    inbox = own_inbox
    table = inbox.folder.parent / "fstab"
    table.write_text(f"server:/scans {inbox.folder} nfs defaults,nofail 0 0\n")
    script = f'mount --bind {table} /etc/fstab && exec "$@"'
    wrapper = ["unshare", "--mount", "--propagation=private", "sh", "-c", script, "sh"]
    inbox.put("a.jpg", picture("a"))
    assert inbox.run(wrapper=wrapper) == (75, f"the disk of {inbox.folder} is not mounted")
    assert inbox.health() == ("warn", "the folder is not there") and inbox.left() == ["a.jpg"]


# Calls of the run at which it is killed: before it remembers, before the file has another name, before it is deleted.
STEPS = [
    (False, "pwrite64", 2), (False, "rename,renameat", 1), (True, "renameat2", 1), (True, "renameat2", 2), (True, "unlinkat", 1),
    (True, "unlinkat", 2),
]  # fmt: skip


def test_a_run_that_is_killed_at_any_step_loses_nothing_and_brings_nothing_twice(own_inbox, counted):
    inbox, expected = own_inbox, {}
    all_steps = [(takes, call, number) for takes, call, _ in STEPS for number in range(1, 7)]
    for round, (takes, call, number) in enumerate(counted(STEPS, all_steps)):
        for file in range(3):
            name = f"{round}-{file}.jpg"
            expected[name] = picture(name)
            inbox.put(name, expected[name])
        done = run_failing(inbox.daemon, f"{call}:signal=SIGKILL:when={number}", *inbox.words(takes))
        assert done.returncode in (-9, 137) or number > 2, (call, number, done.stderr)
        assert inbox.run(takes) == WELL
        assert takes is False or inbox.left() == [], (call, number)
        # Each was given once.
        assert len(inbox.daemon.object_files()) == len(expected), (call, number)
    owner = inbox.opened(len(expected))
    assert owner.digests() == {name: sha256(content) for name, content in expected.items()}


@pytest.mark.parametrize("takes", [True, in_nightly("disks", False)])
def test_kills_lose_nothing_and_bring_nothing_twice(own_inbox, counted, takes):
    """Of the daemon, in the midst of a run."""
    inbox, dice, expected = own_inbox, random.Random(33), {}
    for round in range(counted(3, 60)):
        for number in range(6):
            name = f"{round}-{number}.jpg"
            expected[name] = picture(name) + dice.randbytes(80_000)
            inbox.put(f"{round % 3}/{name}", expected[name])
        before = len(inbox.daemon.object_files())
        running = subprocess.Popen([str(binary()), *inbox.words(takes)], env=inbox.daemon.variables(), stderr=subprocess.PIPE)
        # Moments of a run, by how much has come: what is looked for is that none of them matters.
        coming = before + (round * 5 + 1) % 7
        wait_until(lambda: running.poll() is not None or len(inbox.daemon.object_files()) >= coming)  # noqa: B023
        inbox.daemon.kill9()
        complaint = running.communicate()[1]
        assert running.returncode in (0, 1), complaint
        inbox.daemon.start()
    assert inbox.run(takes) == WELL
    assert len(inbox.left()) == (0 if takes else len(expected))
    # Files are counted twice that were stored in the moment of a kill: what is there when all has come, counts.
    owner = Browser(inbox.daemon).open(inbox.owner.password)
    wait_until(lambda: owner.names() == sorted(expected))
    assert owner.digests() == {name: sha256(content) for name, content in expected.items()}


def test_what_cannot_work_is_refused_in_words(inbox, tmp_path):
    (tmp_path / "wrong").write_text("x")
    (tmp_path / "wrong").chmod(0o600)
    (tmp_path / "open").write_text(inbox.door["code"])
    (tmp_path / "open").chmod(0o644)
    door, folder = ["--door", str(inbox.code)], str(inbox.folder)
    complaints = {
        ("--door", str(tmp_path / "open"), folder): (78, "Others may read"),
        ("--door", str(tmp_path / "wrong"), folder): (78, "holds no code"),
        ("--door", str(tmp_path / "none"), folder): (78, "cannot be opened"),
        (*door, "in"): (64, "whole path"), (*door, folder, folder): (64, "one folder"),
        (*door, "--album", "a", folder): (64, "other options"), ("--take", folder): (64, "belong to --door"),
        ("--still", "1", folder): (64, "belong to --door"), (*door, "--still=-1", folder): (64, "number of seconds"),
    }  # fmt: skip
    other = {}
    for words, (code, complaint) in complaints.items():
        done = inbox.daemon.run("import", "--data", str(inbox.daemon.data), *words)
        told = (done.stdout + done.stderr).decode()
        if done.returncode != code or complaint not in told:
            other[words] = (done.returncode, told)
    assert other == {}
    assert inbox.left() == []


def test_one_run_at_a_time_goes_over_a_folder(own_inbox):
    inbox = own_inbox
    inbox.put("a.jpg", picture("a"))
    assert inbox.run(takes=False) == WELL
    (marks,) = (inbox.daemon.data / "inbox").iterdir()
    with subprocess.Popen(["flock", str(marks), "sh", "-c", "echo locked; cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"locked\n"
        done = inbox.daemon.run(*inbox.words())
        assert (done.returncode, b"Another run" in done.stdout, inbox.left()) == (0, True, ["a.jpg"])
        other.stdin.close()
    assert inbox.run() == WELL and inbox.left() == []


def test_a_configuration_of_before_is_refused_with_a_word_of_what_to_do(restartable, tmp_path):
    configuration = tmp_path / "safelight.yaml"
    configuration.write_text("inbox:\n  scanner:\n    path: /srv/scans\n")
    done = restartable.run("serve", "--data", str(tmp_path / "data"), "--config", str(configuration))
    assert (done.returncode, b"safelight-inbox@.timer" in done.stderr) == (78, True), done.stderr
