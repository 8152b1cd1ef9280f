"""The disk that the vaults lie on is not there when the daemon starts: nothing is begun in its place."""

import os
import shutil
import subprocess

import pytest
import requests
from cases import in_nightly
from client import PASSWORD, Browser, wait_until
from daemon import READY, Daemon, binary
from disks import wait_until_free
from faults import needs_root

pytestmark = needs_root


class Disk:
    """A file system of its own that comes and goes at `point`."""

    def __init__(self, tmp_path, kind):
        self.kind, self.point = kind, tmp_path / "usb"
        self.point.mkdir(mode=0o700)
        self.source = tmp_path / ("elsewhere" if kind == "bind" else "usb.img")
        self.is_mounted = False
        if kind == "bind":
            self.source.mkdir(mode=0o700)
            return
        with open(self.source, "wb") as file:
            file.truncate(250 << 20)
        subprocess.run(["mkfs.ext4", "-q", str(self.source)], check=True, capture_output=True)

    def mount(self):
        options = ["--bind"] if self.kind == "bind" else ["-o", "loop"]
        subprocess.run(["mount", *options, str(self.source), str(self.point)], check=True, capture_output=True)
        self.point.chmod(0o700)
        self.is_mounted = True

    def unmount(self):
        if self.is_mounted:
            subprocess.run(["umount", str(self.point)], check=True, capture_output=True)
            wait_until_free(self.source)
        self.is_mounted = False


@pytest.fixture
def make_disk(tmp_path):
    made = []

    def make(kind):
        disk = Disk(tmp_path, kind)
        try:
            disk.mount()
        except subprocess.CalledProcessError as error:
            pytest.skip(f"nothing can be mounted here: {error}")
        made.append(disk)
        return disk

    yield make
    for disk in made:
        if disk.is_mounted:
            subprocess.run(["umount", "--lazy", str(disk.point)], check=True)


@pytest.fixture
def start_on(tmp_path):
    """start_on(data) → a daemon, not yet launched, with a photo in a vault there."""
    daemons = []

    def start(data):
        data.parent.mkdir(parents=True, exist_ok=True)
        daemon = Daemon(tmp_path, data=data)
        daemons.append(daemon)
        daemon.start()
        Browser(daemon).create().put("a.jpg", b"a photo")
        daemon.stop()
        return daemon

    yield start
    for daemon in daemons:
        if daemon.running:
            daemon.kill9()


def launch_waiting(daemon):
    daemon.launch()
    while (line := daemon.lines.get(timeout=300)) is not None:
        if "waiting for the disk" in line:
            break
    else:
        raise AssertionError(f"ended with {daemon.wait()}:\n{daemon.log}")
    # It speaks of the disk before it listens.
    found = []
    wait_until(lambda: found.append(health(daemon)) or found[-1] is not None, daemon.log)
    return found[-1]


def health(daemon):
    try:
        return requests.get(f"{daemon.url}/health", timeout=300)
    except requests.exceptions.ConnectionError:
        return None


def wait_until_ready(daemon):
    while (line := daemon.lines.get(timeout=300)) is not None:
        if READY.search(line):
            return
    raise AssertionError(f"ended with {daemon.wait()}:\n{daemon.log}")


def content(folder):
    return sorted(str(path) for path in folder.rglob("*") if path.name != "lost+found")


@pytest.mark.parametrize(
    ("place", "kind"),
    [
        ("family/vaults", "ext4"),
        *(in_nightly("disks", (place, kind)) for place in ("", "vaults") for kind in ("bind", "ext4")),
        in_nightly("disks", ("family/vaults", "bind")),
    ],
)  # fmt: skip
def test_a_missing_disk_is_awaited_and_nothing_is_begun_in_its_place(make_disk, start_on, kind, place):
    disk = make_disk(kind)
    daemon = start_on(disk.point / place)
    disk.unmount()
    health = launch_waiting(daemon)
    assert health.status_code == 503
    assert health.json()["checks"]["store"][0] == {"status": "fail", "output": "not-mounted"}
    answer = requests.get(f"{daemon.url}/api/photos", auth=("", PASSWORD), timeout=300)
    assert answer.status_code == 503 and answer.json()["code"] == "not-mounted"
    page = requests.get(daemon.url, headers={"Accept": "text/html"}, timeout=300)
    assert page.status_code == 503 and "zh-Hant" in page.text
    assert content(disk.point) == []
    disk.mount()
    wait_until_ready(daemon)
    assert Browser(daemon).open().names() == ["a.jpg"]
    daemon.stop()


@pytest.mark.nightly("disks")
def test_whoever_may_not_look_under_the_mount_point_waits_too(make_disk, start_on):
    disk = make_disk("ext4")
    daemon = start_on(disk.point / "vaults")
    disk.unmount()
    disk.point.rmdir()
    launch_waiting(daemon)
    disk.point.mkdir(mode=0o755)
    disk.mount()
    wait_until_ready(daemon)
    daemon.stop()


@pytest.mark.nightly("disks")
def test_a_daemon_that_waits_ends_when_it_is_told_to(make_disk, start_on):
    disk = make_disk("ext4")
    daemon = start_on(disk.point / "vaults")
    disk.unmount()
    launch_waiting(daemon)
    daemon.stop()
    assert content(disk.point) == []


def test_a_new_store_is_begun_on_purpose(make_disk, start_on):
    disk = make_disk("ext4")
    daemon = start_on(disk.point / "vaults")
    disk.unmount()
    launch_waiting(daemon)
    done = daemon.run("create", "--data", str(daemon.data))
    assert done.returncode == 0, done.stderr
    wait_until_ready(daemon)
    assert Browser(daemon).create().names() == []
    assert daemon.run("create", "--data", str(daemon.data)).returncode == 78
    daemon.stop()


@pytest.mark.nightly("disks")
def test_a_folder_of_another_user_on_a_new_disk_is_said_to_be_that_and_not_awaited(make_disk, start_on):
    disk = make_disk("ext4")
    daemon = start_on(disk.point / "vaults")
    disk.unmount()
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disk.source)], check=True, capture_output=True)
    # Root without what lets it in everywhere.
    daemon.wrapper = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]
    launch_waiting(daemon)
    disk.mount()
    coming = disk.point / "coming"
    coming.mkdir(mode=0o700)
    os.chown(coming, 65534, 65534)
    coming.rename(disk.point / "vaults")
    assert daemon.wait() == 78
    assert f"{daemon.data} is there, but belongs to nobody (65534)" in daemon.log and "chown" in daemon.log, daemon.log
    for command in (["check"], ["export", "--to", "out"]):
        done = subprocess.run(
            [*daemon.wrapper, str(binary()), *command, "--data", str(daemon.data)], input=PASSWORD.encode() + b"\n",
            capture_output=True, env=daemon.variables(), cwd=daemon.folder, timeout=300)  # fmt: skip
        assert done.returncode == 78 and b"belongs to nobody" in done.stderr, done.stderr


def test_a_data_folder_in_a_folder_that_is_missing_is_awaited_or_made_on_purpose(tmp_path):
    daemon = Daemon(tmp_path, data=tmp_path / "usb" / "family" / "vaults")
    try:
        launch_waiting(daemon)
        assert f"The folder {daemon.data.parent}" in daemon.log and not (tmp_path / "usb").exists()
        done = daemon.run("create", "--data", str(daemon.data))
        assert done.returncode == 0, done.stderr
        wait_until_ready(daemon)
        daemon.stop()
    finally:
        if daemon.running:
            daemon.kill9()


@pytest.mark.nightly("disks")
def test_a_store_that_was_removed_from_a_disk_that_is_there_is_not_awaited(make_disk, start_on):
    disk = make_disk("ext4")
    daemon = start_on(disk.point / "vaults")
    shutil.rmtree(daemon.data)
    daemon.start()
    assert "a NEW, EMPTY data directory was made" in daemon.log
    daemon.stop()


def test_no_command_makes_a_store(tmp_path):
    data = tmp_path / "data"
    for command in (["export", "--to", "out"], ["check", "--password"]):
        done = Daemon(tmp_path, data=data).run(*command, "--data", str(data), input=PASSWORD.encode() + b"\n")
        assert done.returncode == 78 and not os.path.exists(data), done.stderr
