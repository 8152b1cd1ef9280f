"""The power fails under load: the file system stops at once, nothing unsynced reaches the disk, and it is mounted again."""

import fcntl
import os
import re
import shutil
import struct
import subprocess
import time

import bucket as stores
import pytest
from attacks import log_bytes, unexplained
from client import PASSWORD, Browser, wait_until
from daemon import WITH_SLOTS
from faults import failing_call, needs_root, strace
from test_crashes import Uploaders, check_everything
from tier import Senders, compare, compare_on_another_host, opened
from tus import ResumableUploaders, finish_all

EXT4_IOC_SHUTDOWN = 0x8004587D
WITHOUT_FLUSHING_THE_JOURNAL = 2


class Disk:
    """An ext4 file system in a file, whose power can be cut."""

    def __init__(self, folder, megabytes=1024):
        self.image, self.mounted_at = folder / "disk.image", folder / "disk"
        self.mounted_at.mkdir()
        with self.image.open("wb") as image:
            image.truncate(megabytes << 20)
        run("mkfs.ext4", "-q", "-E", "nodiscard", str(self.image))
        self.mount()

    def mount(self):
        run("mount", "-o", "loop", str(self.image), str(self.mounted_at))

    def restore_power(self):
        """Mounts a copy of what is on the disk. Whoever made a mount namespace meanwhile (a test beside this one, say)
        still holds the file system that was cut off, and the same image would bring that one back."""
        device = run("findmnt", "--noheadings", "--output", "SOURCE", str(self.mounted_at))
        run("blockdev", "--flushbufs", device)
        run("umount", str(self.mounted_at))
        copy = self.image.with_suffix(".copy")
        run("cp", "--sparse=always", str(self.image), str(copy))
        self.image.unlink()
        # A name of its own: by its name it would be taken for the image that is still attached.
        self.image = copy.rename(self.image.with_suffix(f".{time.monotonic_ns()}"))
        self.mount()

    def cut_power(self):
        folder = os.open(self.mounted_at, os.O_RDONLY)
        try:
            fcntl.ioctl(folder, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_FLUSHING_THE_JOURNAL))
        finally:
            os.close(folder)


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.skip(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


@pytest.fixture
def disk(tmp_path):
    if not shutil.which("mkfs.ext4"):
        pytest.skip("mkfs.ext4 is not installed")
    disk = Disk(tmp_path)
    yield disk
    subprocess.run(["umount", "--lazy", str(disk.mounted_at)], capture_output=True)


@needs_root
def test_power_cuts_under_16_uploads_lose_nothing_that_was_acknowledged(disk, start_daemon, seeded, counted):
    daemon = start_daemon(data=disk.mounted_at / "data", environment=WITH_SLOTS)
    browser = Browser(daemon).create()
    attempted, acknowledged = {}, {}
    for number in range(counted(2, 300)):
        uploaders = Uploaders(browser, seeded, f"round{number}", largest=100_000)
        uploaders.wait_for_answers(seeded.randrange(1, 50))
        # What is answered while the file system goes down may rest on a sync of a journal that is being aborted.
        acknowledged |= uploaders.acknowledged.copy()
        disk.cut_power()
        daemon.kill9()
        uploaders.join()
        attempted |= uploaders.attempted
        disk.restore_power()
        daemon.start()
        browser = check_everything(daemon, attempted, acknowledged, read=uploaders.attempted.keys())
    assert acknowledged
    daemon.kill9()


@pytest.mark.nightly("stores")
@needs_root
def test_power_cuts_on_a_bad_line_to_a_bucket_lose_nothing(disk, host, proxy, seeded, counted):
    daemon = host("one")
    daemon.data = disk.mounted_at / "data"
    browsers = {daemon: Browser(daemon.start()).create()}
    bad = proxy.rule(stores.bad_days(seeded, 0.05))
    senders = Senders([daemon], browsers, counted(0.6, 0.2))
    try:
        for number in range(counted(2, 60)):
            senders.wait_for(6)
            browsers.clear()
            disk.cut_power()
            daemon.kill9()
            disk.restore_power()
            daemon.start()
            browsers[daemon] = opened(daemon)
            print(f"{number + 1} cuts, {len(senders.acknowledged)} acknowledged", flush=True)
        senders.wait_for(6)
    finally:
        senders.end()
    bad.left = 0
    compare(opened(daemon), senders.acknowledged)
    compare_on_another_host(daemon, host("other"), senders.acknowledged)


@pytest.mark.nightly("disks")
@needs_root
def test_power_cuts_with_cover_at_work_lose_nothing_and_leave_whole_objects(disk, start_daemon, seeded, counted):
    """As every daemon is that nobody has configured; other tests count objects, and have none of these."""
    daemon = start_daemon(data=disk.mounted_at / "data", environment={"SAFELIGHT_COVER": "64"})
    browser = Browser(daemon).create()
    attempted, acknowledged = {}, {}
    for number in range(counted(3, 100)):
        uploaders = Uploaders(browser, seeded, f"round{number}", largest=100_000)
        uploaders.wait_for_answers(seeded.randrange(1, 50))
        if number % 3 == 0:
            # Ghosts receive what they have while nobody uploads, and at the last lock; the first photo is never alone.
            uploaders.join()
            for _ in range(seeded.randrange(20)):
                browser.photos()
            browser.lock()
            wait_until(lambda: log_bytes(daemon.data) == 0, "the last lock is not finished")
        acknowledged |= uploaders.acknowledged.copy()
        # A process that ends alone leaves what the kernel has; a disk without power leaves what was synced.
        if number % 2:
            disk.cut_power()
        daemon.kill9()
        uploaders.join()
        attempted |= uploaders.attempted
        if number % 2:
            disk.restore_power()
        daemon.start()
        browser = check_everything(daemon, attempted, acknowledged, read=uploaders.attempted.keys(), has_cover=True)
    daemon.stop()
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0
    # What is left of ghosts is named by the ledger, file by file, as photos are of a vault whose password nobody knows.
    _, objects = unexplained(daemon.data, [PASSWORD])
    assert objects and objects <= {bytes.fromhex(path.name) for path in daemon.object_files()}


@pytest.mark.nightly("disks")
@needs_root
def test_power_cuts_under_16_resumable_uploads_lose_no_offset_that_was_answered(disk, start_daemon, seeded, counted):
    daemon = start_daemon(data=disk.mounted_at / "data", environment=WITH_SLOTS)
    browser = Browser(daemon).create()
    expected = {}
    for number in range(counted(2, 300)):
        uploaders = ResumableUploaders(browser, seeded, f"round{number}", largest=100_000)
        uploaders.wait_for_answers(seeded.randrange(1, 80))
        acknowledged = {upload.path: upload.acknowledged for upload in list(uploaders.begun) if upload.path}
        disk.cut_power()
        daemon.kill9()
        uploaders.join()
        disk.restore_power()
        daemon.start()
        browser = Browser(daemon).open()
        expected |= finish_all(browser, uploaders.begun, acknowledged)
        found = browser.digests()
        assert {name: found.get(name) for name in expected} == expected
    assert expected
    assert "damage" not in browser.request("GET", "/api/session").json()
    daemon.kill9()


@pytest.mark.nightly("disks")
@needs_root
def test_a_disk_that_lies_about_syncing_is_found_out(disk, start_daemon, seeded):
    """The other test would be worth nothing if it could not fail: here no sync reaches the disk, and photos are lost."""
    honest = start_daemon(data=disk.mounted_at / "data", environment=WITH_SLOTS)
    Browser(honest).create()
    honest.stop()
    run("sync", "--file-system", str(disk.mounted_at))
    lie = [*strace("fsync,fdatasync,sync_file_range:retval=0"), "-D", "-f", "-qq", "-o", "/dev/null"]
    liar = start_daemon(data=disk.mounted_at / "data", wrapper=lie, environment=WITH_SLOTS)
    uploaders = Uploaders(Browser(liar).open(), seeded, "lost", largest=50_000)
    uploaders.wait_for_answers(30)
    disk.cut_power()
    liar.kill9()
    uploaders.join()
    disk.restore_power()
    honest.start()
    with pytest.raises(AssertionError, match="acknowledged uploads are lost"):
        check_everything(honest, uploaders.attempted, uploaders.acknowledged)
    honest.kill9()


@needs_root
def test_every_folder_that_got_a_photo_is_synced(daemon, vault):
    """A photo whose name goes with the power is lost, however well its bytes were written."""
    browser = vault()
    with failing_call(daemon, "linkat,fsync:delay_enter=1") as seen:
        for number in range(4):
            browser.put(f"{number}.jpg", b"%d " % number * 5000)
    unsynced, named = set(), 0
    for call, words in re.findall(r"(linkat|fsync)\((.*)", "\n".join(seen)):
        paths = re.findall(r"<([^>]*)>", words)
        if call == "linkat":
            unsynced.add(paths[1])
            named += 1
        else:
            unsynced.discard(paths[0])
    assert named >= 4 and not unsynced
