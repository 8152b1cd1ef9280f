"""Disks that are full to the last byte or the last inode, by other programs: people look, open and delete."""

import os
import subprocess

import pytest
from cases import in_nightly
from client import PASSWORD, Browser, code_of, wait_until
from daemon import Daemon
from disks import take_all_bytes, take_all_inodes
from faults import failing_call, needs_root
from giving import day
from looking import Looker, change_window, make_window, picture

pytestmark = needs_root

MAKE = {
    "ext4": ["mkfs.ext4", "-q", "-m", "0"],
    "xfs": ["mkfs.xfs", "-q"],
    "btrfs": ["mkfs.btrfs", "-q"],
}


@pytest.fixture
def disk(request, tmp_path):
    """disk(kind, *options) → the folder of a file system of its own in a file."""
    mounted = []

    def make(kind, *options, megabytes=450):
        image, folder = tmp_path / f"{kind}.img", tmp_path / kind
        image.touch()
        with open(image, "r+b") as file:
            file.truncate(megabytes << 20)
        folder.mkdir()
        try:
            subprocess.run([*MAKE[kind], *options, str(image)], check=True, capture_output=True)
            subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=True, capture_output=True)
        except (FileNotFoundError, subprocess.CalledProcessError) as error:
            pytest.skip(f"no {kind} here: {error}")
        mounted.append(folder)
        return folder

    yield make
    for folder in mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture
def on_disk(tmp_path):
    """on_disk(folder) → a running daemon whose data lie there."""
    daemons = []

    def start(folder):
        place = tmp_path / f"daemon-{len(daemons)}"
        place.mkdir()
        daemon = Daemon(place, data=folder / "data")
        daemons.append(daemon)
        return daemon.start()

    yield start
    for daemon in daemons:
        if daemon.running:
            daemon.kill9()


def check_of(daemon, name):
    return Browser(daemon).request("GET", "/health").json()["checks"][name][0]


def wait_for_check(daemon, name, expected):
    """An answer is kept for some seconds."""
    wait_until(lambda: check_of(daemon, name) == expected, f"{name} does not become {expected}")


def people_open_and_delete(daemon, output):
    browser = Browser(daemon).open()
    photos = browser.photos()
    assert browser.original(photos[0]).status_code == 200
    assert Browser(daemon).request("GET", "/health").status_code == 200
    wait_for_check(daemon, "disk:space", {"status": "warn", "output": output})
    assert check_of(daemon, "durability")["status"] == "pass"
    browser.delete([photos[0]])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    return len(photos) - 1


@pytest.mark.parametrize("kind", ["ext4", in_nightly("disks", "xfs"), in_nightly("disks", "btrfs")])
def test_a_disk_filled_by_another_program_lets_people_open_and_delete(disk, on_disk, seeded, kind):
    folder = disk(kind)
    daemon = on_disk(folder)
    browser = Browser(daemon).create()
    for number in range(3):
        browser.put(f"{number}.jpg", seeded.randbytes(5_000_000))
    take_all_bytes(folder)
    # Whatever is written anew from here on wants room for it on btrfs.
    os.sync()
    answer = browser.try_put("more.jpg", seeded.randbytes(5_000_000))
    assert answer.status_code == 507 and code_of(answer) == "disk-full"
    left = people_open_and_delete(daemon, "disk-full")
    daemon.stop()
    daemon.start()
    assert len(Browser(daemon).open().photos()) == left
    for path in folder.glob("filler-*"):
        path.unlink()
    wait_for_check(daemon, "disk:space", {"status": "pass"})
    Browser(daemon).open().put("again.jpg", b"again" * 5000)


def test_on_a_full_disk_an_owner_takes_back_what_a_window_shows(disk, on_disk):
    folder = disk("ext4")
    daemon = on_disk(folder)
    owner = Browser(daemon).create()
    photos = [owner.put(f"{number}.jpg", picture(number)) for number in range(3)]
    wait_until(lambda: all(photo["picture"] != "pending" for photo in owner.photos()))
    narrow = make_window(owner, photos)
    window = make_window(owner, photos, originals=True, places=True, password="nine amber kettles")
    take_all_bytes(folder)
    os.sync()
    answer = owner.request("PATCH", f"/api/windows/{narrow['id']}", json={"originals": True})
    assert (answer.status_code, code_of(answer)) == (507, "disk-full")
    kept = [photo["id"] for photo in photos[1:]]
    for less in ({"places": False}, {"originals": False}, {"photos": kept}, {"password": "seven quiet otters"}, {"lastDay": day(3)}):
        change_window(owner, window, **less)
    looker = Looker(daemon)
    assert code_of(looker.try_enter(window, "nine amber kettles")) == "window-password"
    seen = looker.enter(window, "seven quiet otters").seen
    assert (seen["originals"], seen["places"], seen["lastDay"]) == (False, False, day(3))
    assert looker.shown().keys() == {"1.jpg", "2.jpg"}
    change_window(owner, window, isShut=True)
    assert code_of(looker.try_enter(window, "seven quiet otters")) == "window-shut"
    answer = owner.request("PATCH", f"/api/windows/{narrow['id']}", json={"originals": True})
    assert (answer.status_code, code_of(answer)) == (507, "disk-full")


@pytest.mark.nightly("disks")
@pytest.mark.parametrize("kilobytes", [8, 20, 28])
def test_a_disk_of_small_blocks_that_is_nearly_full_ends_no_start_by_a_signal(disk, on_disk, seeded, kilobytes):
    folder = disk("ext4", "-b", "1024")
    daemon = on_disk(folder)
    Browser(daemon).create().put("one.jpg", seeded.randbytes(300_000))
    daemon.stop()
    take_all_bytes(folder)
    largest = max(folder.glob("filler-*"), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size - (kilobytes << 10))
    os.sync()
    daemon.start()
    assert len(Browser(daemon).open().photos()) == 1
    daemon.stop()


@pytest.mark.nightly("disks")
def test_a_disk_without_inodes_lets_people_open_and_delete(disk, on_disk, seeded):
    folder = disk("ext4", "-N", "300")
    daemon = on_disk(folder)
    browser = Browser(daemon).create()
    for number in range(5):
        browser.put(f"{number}.jpg", seeded.randbytes(2000))
    take_all_inodes(folder)
    answer = browser.try_put("more.jpg", seeded.randbytes(2000))
    assert answer.status_code == 507
    left = people_open_and_delete(daemon, "no-inodes")
    take_all_inodes(folder, beginning=100_000)
    daemon.stop()
    daemon.start()
    assert len(Browser(daemon).open().photos()) == left
    subprocess.run(["rm", "-rf", str(folder / "others")], check=True)
    wait_for_check(daemon, "disk:space", {"status": "pass"})
    Browser(daemon).open().put("again.jpg", b"again" * 5000)


@pytest.mark.nightly("disks")
@pytest.mark.parametrize("has_inodes", [False, True], ids=["without inodes", "without room for a name"])
def test_a_full_xfs_that_can_make_no_file_lets_the_daemon_start(disk, on_disk, seeded, has_inodes):
    """It has inodes as long as it has room for them: SQLite cannot make its log, and does not say why."""
    folder = disk("xfs")
    daemon = on_disk(folder)
    browser = Browser(daemon).create()
    for number in range(4):
        browser.put(f"{number}.jpg", seeded.randbytes(3_000_000))
    (folder / "others").mkdir()
    take_all_bytes(folder)
    os.sync()
    daemon.stop()
    if not has_inodes:
        take_all_inodes(folder)
    daemon.start()
    assert "too many" not in daemon.log.lower()
    browser = Browser(daemon).open()
    browser.delete(browser.photos()[:1])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    answer = browser.try_put("more.jpg", seeded.randbytes(200_000))
    assert answer.status_code == 507 and code_of(answer) == "disk-full"


@pytest.mark.nightly("disks")
def test_a_quota_that_is_full_on_a_disk_with_room_is_seen_by_health(disk, on_disk, seeded, tmp_path):
    daemon = on_disk(disk("ext4"))
    browser = Browser(daemon).create()
    browser.put("a.jpg", seeded.randbytes(5000))
    wait_for_check(daemon, "disk:space", {"status": "pass"})
    # As the kernel answers where it counts what a user has; here nothing counts it for root.
    with failing_call(daemon, "pwrite64,fallocate:error=EDQUOT"):
        answer = browser.try_put("more.jpg", seeded.randbytes(3_000_000))
        assert answer.status_code == 507 and code_of(answer) == "disk-full"
        wait_for_check(daemon, "disk:space", {"status": "warn", "output": "disk-full"})
    wait_for_check(daemon, "disk:space", {"status": "pass"})
    browser.put("again.jpg", seeded.randbytes(5000))
    assert browser.names() == ["a.jpg", "again.jpg"]


@pytest.mark.nightly("disks")
def test_a_quota_that_lets_no_file_be_shortened_ends_nothing(disk, on_disk):
    """As btrfs answers where a quota is full, now and then."""
    daemon = on_disk(disk("ext4"))
    Browser(daemon).create().put("a.jpg", b"a")
    with failing_call(daemon, "ftruncate:error=EDQUOT") as calls:
        daemon.stop()
    assert "EDQUOT" in "".join(calls)
    daemon.start()
    assert Browser(daemon).open().names() == ["a.jpg"]


def mapped_files(daemon, folder):
    with open(f"/proc/{daemon.pid}/maps") as maps:
        return [line for line in maps if str(folder) in line]


@pytest.mark.nightly("disks")
def test_a_full_quota_of_btrfs_lets_people_open_and_delete(disk, on_disk, seeded, tmp_path):
    folder = disk("btrfs")
    for words in (["quota", "enable", str(folder)], ["qgroup", "limit", "250M", "0/5", str(folder)]):
        subprocess.run(["btrfs", *words], check=True, capture_output=True)
    daemon = on_disk(folder)
    browser = Browser(daemon).create()
    for number in range(3):
        browser.put(f"{number}.jpg", seeded.randbytes(3_000_000))
    take_all_bytes(folder)
    os.sync()
    answer = browser.try_put("more.jpg", seeded.randbytes(3_000_000))
    assert answer.status_code == 507 and code_of(answer) == "disk-full"
    done = daemon.run("backup", "--data", str(daemon.data), "--to", str(tmp_path / "kept"))
    assert done.returncode == 0, done.stderr
    left = people_open_and_delete(daemon, "disk-full")
    daemon.stop()
    daemon.start()
    assert len(Browser(daemon).open().photos()) == left


@pytest.mark.nightly("disks")
def test_a_disk_that_shuts_down_ends_nobody_by_a_signal(disk, on_disk, seeded):
    """The kernel does it to xfs after an error, and takes no write to a mapped page any more."""
    folder = disk("xfs")
    daemon = on_disk(folder)
    browser = Browser(daemon).create()
    browser.put("a.jpg", seeded.randbytes(200_000))
    assert not mapped_files(daemon, folder)
    # What was written to memory alone is on the disk, so that the next write asks it again.
    os.sync()
    subprocess.run(["xfs_io", "-x", "-c", "shutdown", str(folder)], check=True, capture_output=True)
    answer = browser.try_put("b.jpg", seeded.randbytes(200_000))
    assert answer.status_code in (503, 507), answer.text
    Browser(daemon).try_open(PASSWORD)
    assert Browser(daemon).request("GET", "/health").status_code == 503
    assert daemon.running, daemon.log


@pytest.mark.nightly("disks")
@pytest.mark.parametrize("kind", MAKE)
def test_a_backup_of_a_store_in_use_is_whole_on_every_file_system(disk, on_disk, seeded, tmp_path, kind, counted):
    """Whether or not the index of the ledger's log is a file that others see."""
    daemon = on_disk(disk(kind))
    browser = Browser(daemon).create()
    count = counted(3, 6)
    for number in range(count):
        browser.put(f"{number}.jpg", seeded.randbytes(100_000))
        done = daemon.run("backup", "--data", str(daemon.data), "--to", str(tmp_path / "kept"))
        assert done.returncode == 0, done.stderr
    done = daemon.run("restore", "--from", str(tmp_path / "kept"), "--to", str(tmp_path / "back"))
    assert done.returncode == 0, done.stderr
    done = daemon.run(
        "check", "--password", "--data", str(tmp_path / "back"), input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0 and b"%d photos opened" % count in done.stdout, done.stdout + done.stderr
