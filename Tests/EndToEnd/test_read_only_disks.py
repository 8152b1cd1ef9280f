"""A disk that can only be read, or takes no writes: what is on it is exported, checked and backed up."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys

import pytest
from cases import in_nightly
from client import PASSWORD, Browser, wait_until
from daemon import CHECKOUT, Daemon, binary
from disks import wait_until_free
from faults import flip_bit, needs_root
from test_start import HEADER_COPY, UNUSABLE, tree

pytestmark = needs_root

TEMPORARY_FAILURE = 74


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


class Card:
    """An ext4 file system in a file, with a store on it and photos in one vault."""

    def __init__(self, tmp_path, seeded):
        self.image, self.point = tmp_path / "card.img", tmp_path / "card"
        self.point.mkdir()
        with open(self.image, "wb") as file:
            file.truncate(300 << 20)
        run("mkfs.ext4", "-q", str(self.image))
        self.mount("loop")
        self.temporary = tmp_path / "temporary"
        self.temporary.mkdir()
        self.daemon = Daemon(tmp_path, data=self.point / "data", environment={"TMPDIR": str(self.temporary)})
        self.daemon.start()
        browser = Browser(self.daemon).create()
        self.photos = {f"{number}.jpg": seeded.randbytes(100_000) for number in range(4)}
        for name, content in self.photos.items():
            browser.put(name, content)

    def mount(self, options):
        run("mount", "-o", options, str(self.image), str(self.point))

    def unmount(self):
        run("umount", str(self.point))
        wait_until_free(self.image)

    def make_read_only(self, end):
        """After `end`: stopped in order, killed, or the power gone with the journal of the file system unfinished."""
        self.daemon.stop() if end == "stopped" else self.daemon.kill9()
        if end == "power":
            run("sync", "--file-system", str(self.point))
            copy = self.image.with_name("copy.img")
            shutil.copy(self.image, copy)
            self.unmount()
            self.image = copy
        else:
            self.unmount()
        self.mount("loop,ro,noload" if end == "power" else "loop,ro")

    def command(self, name, *arguments):
        return self.daemon.run(
            name, "--data", str(self.daemon.data), *arguments, input=PASSWORD.encode() + b"\n")  # fmt: skip

    def exported(self, folder):
        return {path.name: path.read_bytes() for path in folder.glob("*.jpg")}


@pytest.fixture
def card(tmp_path, seeded):
    try:
        card = Card(tmp_path, seeded)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"nothing can be mounted here: {error}")
    yield card
    if card.daemon.running:
        card.daemon.kill9()
    subprocess.run(["umount", "--lazy", str(card.point)], check=True)


@pytest.mark.parametrize("end", [in_nightly("disks", "stopped"), "killed", in_nightly("disks", "power")])
def test_everything_that_only_reads_works_on_a_disk_that_can_only_be_read(card, tmp_path, end):
    card.make_read_only(end)
    assert card.command("check").returncode == 0
    done = card.command("check", "--password")
    assert done.returncode == 0 and b"4 photos opened and verified" in done.stdout, done.stdout + done.stderr
    done = card.command("export", "--to", str(tmp_path / "out"))
    assert done.returncode == 0 and b"can only be read" in done.stderr, done.stderr
    assert card.exported(tmp_path / "out") == card.photos
    done = card.command("backup", "--to", str(tmp_path / "backup"))
    assert done.returncode == 0, done.stderr
    done = card.daemon.run("restore", "--from", str(tmp_path / "backup"), "--to", str(tmp_path / "new"))
    assert done.returncode == 0, done.stderr
    reader = [sys.executable, CHECKOUT / "scripts/open-store", card.daemon.data, "--to", tmp_path / "read"]
    subprocess.run(reader, input=PASSWORD + "\n", text=True, check=True, capture_output=True)
    assert card.exported(tmp_path / "read") == card.photos
    assert list(card.temporary.iterdir()) == []


def set_read_only_feature(header):
    """As a later version may, which lets this one read its store."""
    content = bytearray(header.read_bytes())
    for start in range(0, len(content), HEADER_COPY):
        copy = content[start : start + HEADER_COPY]
        copy[112:116] = (1).to_bytes(4)
        copy[4064:] = hashlib.sha256(copy[:4064]).digest()
        content[start : start + HEADER_COPY] = copy
    header.write_bytes(content)


def test_a_store_of_which_a_later_version_lets_this_one_only_read_is_exported_and_checked(daemon, tmp_path):
    browser = Browser(daemon).create()
    photos = {f"{number}.jpg": os.urandom(20_000) for number in range(3)}
    for name, content in photos.items():
        browser.put(name, content)
    daemon.stop()
    set_read_only_feature(daemon.data / "store.header")
    before = tree(daemon.data)

    def command(name, *arguments):
        return daemon.run(name, "--data", str(daemon.data), *arguments, input=PASSWORD.encode() + b"\n")

    assert command("check").returncode == 0
    done = command("check", "--password")
    assert done.returncode == 0 and b"3 photos opened and verified" in done.stdout, done.stdout + done.stderr
    done = command("export", "--to", str(tmp_path / "out"))
    assert done.returncode == 0 and b"later version" in done.stderr, done.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").glob("*.jpg")} == photos
    assert command("backup", "--to", str(tmp_path / "backup")).returncode == 0
    for refused in (command("code", "--new"), command("reclaim", "--purge"), daemon.run("serve", "--data", str(daemon.data))):
        assert refused.returncode == UNUSABLE and b"later version" in refused.stderr + refused.stdout, refused
    assert tree(daemon.data) == before


def halted_in_its_copy(card, to):
    """An export that stands still while it works on a copy."""
    others = set(card.temporary.iterdir())
    for _ in range(50):
        command = [str(binary()), "export", "--data", str(card.daemon.data), "--to", str(to)]
        export = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=card.daemon.variables())  # fmt: skip
        export.stdin.write(PASSWORD.encode() + b"\n")
        export.stdin.close()
        while export.poll() is None and not {path.parent for path in card.temporary.glob("*/ledger.sqlite")} - others:
            pass
        export.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, export.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if set(card.temporary.iterdir()) - others:
            return export
        export.wait()
    raise AssertionError("no export was met at work")


@pytest.mark.nightly("disks")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_of_a_copy_when_its_command_is_told_to_end(card, tmp_path, end):
    card.make_read_only("stopped")
    export = halted_in_its_copy(card, tmp_path / "out")
    export.send_signal(end)
    export.send_signal(signal.SIGCONT)
    assert export.wait(300) == -end
    assert list(card.temporary.iterdir()) == []


@pytest.mark.nightly("disks")
def test_what_a_command_that_was_killed_left_goes_with_the_next(card, tmp_path):
    card.make_read_only("stopped")
    export = halted_in_its_copy(card, tmp_path / "out")
    living = halted_in_its_copy(card, tmp_path / "out")
    export.kill()
    export.wait()
    assert card.command("check").returncode == 0
    left = list(card.temporary.iterdir())
    living.send_signal(signal.SIGCONT)
    assert len(left) == 1 and living.wait(300) == 0
    assert card.exported(tmp_path / "out") == card.photos
    assert list(card.temporary.iterdir()) == []


def test_what_cannot_be_done_there_is_said(card):
    card.make_read_only("stopped")
    card.daemon.launch()
    wait_until(lambda: "waiting to start" in card.daemon.log)
    assert "can only be read" in card.daemon.log and "safelight export" in card.daemon.log
    for command in (["reclaim"], ["guests"]):
        done = card.command(*command)
        assert done.returncode == TEMPORARY_FAILURE and b"can only be read" in done.stderr, done.stderr
    card.unmount()
    card.mount("loop")
    card.daemon.wait_until_ready()
    assert sorted(Browser(card.daemon).open().names()) == sorted(card.photos)


@pytest.mark.nightly("disks")
def test_a_damaged_ledger_on_a_disk_that_can_only_be_read_is_replaced_in_the_copy(card, tmp_path):
    card.daemon.stop()
    flip_bit(card.daemon.data / "ledger.sqlite", 5)
    card.unmount()
    card.mount("loop,ro")
    before = hashlib.sha256((card.daemon.data / "ledger.sqlite").read_bytes()).hexdigest()
    assert card.command("check").returncode == 1
    assert card.command("export", "--to", str(tmp_path / "out")).returncode == 0
    assert card.exported(tmp_path / "out") == card.photos
    assert card.command("backup", "--to", str(tmp_path / "backup")).returncode == 0
    assert hashlib.sha256((card.daemon.data / "ledger.sqlite").read_bytes()).hexdigest() == before


@pytest.mark.nightly("disks")
def test_a_disk_that_refuses_writes_is_read_all_the_same(card, tmp_path):
    card.daemon.kill9()
    slots = card.daemon.data / "slots"
    run("chattr", "+i", str(slots))
    try:
        done = card.command("export", "--to", str(tmp_path / "out"))
    finally:
        run("chattr", "-i", str(slots))
    assert done.returncode == 0 and b"takes no writes" in done.stderr, done.stderr
    assert card.exported(tmp_path / "out") == card.photos


@pytest.mark.nightly("disks")
def test_no_photo_leaves_a_disk_of_which_a_copy_is_worked_on(card, tmp_path):
    browser = Browser(card.daemon).open()
    browser.delete([browser.photos()[0]])
    card.daemon.kill9()
    before = [path.name for path in card.daemon.object_files()]
    run("chattr", "+i", str(card.daemon.data / "slots"))
    try:
        assert card.command("export", "--to", str(tmp_path / "out")).returncode == 0
    finally:
        run("chattr", "-i", str(card.daemon.data / "slots"))
    assert [path.name for path in card.daemon.object_files()] == before
    assert len(card.exported(tmp_path / "out")) == len(card.photos) - 1
