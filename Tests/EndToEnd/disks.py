"""File systems that people have, each on a disk of its own that can be filled, taken away and given back. Needs root."""

import errno
import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress

MEGABYTES = 450
ENDING = 10


# How long a program may take to make, mount or unmount one of them.
PATIENCE = 120
# What programs say where the kernel does not know a file system, or serves none of others' programs.
UNKNOWN = ["unknown filesystem type", "fuse: device not found", "failed to open /dev/fuse"]


def run(*command):
    words = [str(word) for word in command]
    try:
        subprocess.run(words, check=True, capture_output=True, text=True, timeout=PATIENCE)
    except FileNotFoundError:
        raise Missing(f"{words[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"{words[0]} did not end") from None
    except subprocess.CalledProcessError as error:
        raise refusal(words[0], error.stderr) from None


def start(*command):
    try:
        return subprocess.Popen([str(word) for word in command], stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        raise Missing(f"{command[0]} is not installed") from None


def failed(name, process):
    """False while it runs."""
    if process.poll() is None:
        return False
    raise refusal(name, process.stderr.read())


def refusal(name, words):
    is_missing = any(word in words for word in UNKNOWN)
    return (Missing if is_missing else Unavailable)(f"{name}: {words.strip()}")


class Unavailable(Exception):
    """What this host does not have, or a file system does not know."""


class Missing(Unavailable):
    """A program that is not installed, or a file system that this kernel does not know."""


def wait_until_free(image):
    """The kernel lets go of an image a moment after its file system, and mounts it no second time meanwhile."""
    wait_for(lambda: not subprocess.run(["losetup", "--associated", str(image)], check=True, capture_output=True).stdout)


class Disk:
    """`folder` is where its root is seen. What takes part in it beneath lies in `place`."""

    def __init__(self, place, *, few_inodes=False, quota=False):
        self.place, self.folder = place, place / "disk"
        self.few_inodes, self.quota = few_inodes, quota
        self.folder.mkdir(parents=True)
        self.mount()

    # -- what a kind says of itself

    def mount(self):
        raise NotImplementedError

    def unmount(self):
        run("umount", self.folder)

    def mount_read_only(self):
        self.unmount()
        self.mount()
        run("mount", "-o", "remount,bind,ro", self.folder)

    def pull(self):
        """As a cable is: whatever is not on the disk by now is lost, and everything fails from now on."""
        raise Unavailable("it cannot be pulled out")

    def clear_away(self):
        """After `pull`, before it is mounted again."""
        subprocess.run(["umount", "--lazy", str(self.folder)], capture_output=True)

    # -- other programs

    @property
    def ballast(self):
        """Where another program fills it."""
        return self.folder

    def take_all_bytes(self):
        take_all_bytes(self.ballast)

    def take_all_inodes(self):
        if not self.few_inodes:
            raise Unavailable("it has no fixed number of inodes")
        take_all_inodes(self.ballast)

    def give_back(self):
        for path in self.ballast.glob("filler-*"):
            path.unlink()
        shutil.rmtree(self.ballast / "others", ignore_errors=True)


class ImageDisk(Disk):
    """A file system of the kernel in a file, which a program hands on that can be ended."""

    make = {
        "ext4": ["mkfs.ext4", "-q", "-m", "0"],
        "xfs": ["mkfs.xfs", "-q"],
        "btrfs": ["mkfs.btrfs", "-q"],
    }
    inodes = {"ext4": ["-N", "400"], "xfs": ["-i", "maxpct=1"]}

    def __init__(self, place, kind, **options):
        self.kind, self.is_made = kind, False
        self.backing, self.handed, self.handing = place / "backing", place / "handed", None
        for folder in (self.backing, self.handed):
            folder.mkdir(parents=True)
        if options.get("few_inodes") and kind not in self.inodes:
            raise Unavailable(f"{kind} makes inodes as it needs them")
        if options.get("quota") and kind != "btrfs":
            raise Unavailable(f"the kernel here counts nobody's room on {kind}")
        super().__init__(place, **options)

    def mount(self):
        image = self.handed / "image"
        self.handing = start("bindfs", "-f", self.backing, self.handed)
        wait_for(lambda: os.path.ismount(self.handed) or failed("bindfs", self.handing))
        if not self.is_made:
            with open(image, "wb") as file:
                file.truncate(MEGABYTES << 20)
            run(*self.make[self.kind], *(self.inodes[self.kind] if self.few_inodes else []), image)
        run("mount", "-o", "loop", image, self.folder)
        if self.quota and not self.is_made:
            self.limit()
        self.is_made = True

    def limit(self):
        run("btrfs", "quota", "enable", self.folder)
        run("btrfs", "qgroup", "limit", "250M", "0/5", self.folder)

    def unmount(self):
        run("umount", self.folder)
        wait_until_free(self.handed / "image")
        self.stop_handing()

    def mount_read_only(self):
        run("mount", "-o", "remount,ro", self.folder)

    def pull(self):
        self.handing.kill()
        self.handing.wait()

    def clear_away(self):
        super().clear_away()
        self.stop_handing()

    def stop_handing(self):
        subprocess.run(["umount", "--lazy", str(self.handed)], capture_output=True)
        self.handing.wait(ENDING)


class TemporaryDisk(Disk):
    """tmpfs: memory."""

    def mount(self):
        inodes = ",nr_inodes=400" if self.few_inodes else ""
        if self.quota:
            raise Unavailable("the kernel here counts nobody's room on tmpfs")
        run("mount", "-t", "tmpfs", "-o", f"size={MEGABYTES - 100}m,mode=0700{inodes}", "tmpfs", self.folder)

    def unmount(self):
        raise Unavailable("what is in memory does not come back")

    def mount_read_only(self):
        run("mount", "-o", "remount,ro", self.folder)


class LayeredDisk(Disk):
    """One that shows what lies on ext4, or on btrfs where a quota is wanted."""

    def __init__(self, place, kind, **options):
        self.kind = kind
        below = "btrfs" if options.get("quota") else "ext4"
        self.below = ImageDisk(place / "below", below, **options)
        for name in ("low", "upper", "work"):
            (self.below.folder / name).mkdir()
        super().__init__(place, **options)

    def mount(self):
        below = self.below.folder
        if self.kind == "overlayfs":
            layers = f"lowerdir={below}/low,upperdir={below}/upper,workdir={below}/work"
            run("mount", "-t", "overlay", "overlay", "-o", layers, self.folder)
        elif self.kind == "bindfs":
            run("bindfs", below / "upper", self.folder)
        else:
            # As it comes it wants 4 GiB to be free.
            run("mergerfs", "-o", "minfreespace=1M", f"{below}/upper:{below}/low", self.folder)

    def unmount(self):
        super().unmount()
        self.below.unmount()

    def mount_again(self):
        self.below.mount()
        self.mount()

    def pull(self):
        self.below.pull()

    def clear_away(self):
        super().clear_away()
        self.below.clear_away()

    def mount_read_only(self):
        run("mount", "-o", "remount,bind,ro", self.folder)

    @property
    def ballast(self):
        return self.below.folder


class StickDisk(Disk):
    """exFAT or NTFS, as USB disks are sold, by the programs that serve them where the kernel does not."""

    make = {"exFAT": ["mkfs.exfat"], "NTFS": ["mkntfs", "-F", "-Q"]}
    serve = {"exFAT": ["mount.exfat-fuse", "-o", "umask=0077"], "NTFS": ["ntfs-3g", "-o", "umask=0077"]}

    def __init__(self, place, kind, **options):
        self.kind, self.image = kind, place / "image"
        if options.get("few_inodes") or options.get("quota"):
            raise Unavailable(f"{kind} knows no such limit")
        place.mkdir(parents=True)
        with open(self.image, "wb") as file:
            file.truncate(MEGABYTES << 20)
        run(*self.make[kind], self.image)
        super().__init__(place, **options)

    def mount(self):
        if self.kind == "NTFS":
            run(*self.serve[self.kind], self.image, self.folder)
        else:
            with loop_device(self.image) as device:
                run(*self.serve[self.kind], device, self.folder)
        self.server = serving(self.folder)

    def unmount(self):
        run("umount", self.folder)
        # It writes until it ends.
        wait_for(lambda: not os.path.exists(f"/proc/{self.server}"))

    def mount_read_only(self):
        run("mount", "-o", "remount,bind,ro", self.folder)

    def pull(self):
        os.kill(self.server, signal.SIGKILL)


KINDS = {
    **{kind: ImageDisk for kind in ImageDisk.make},
    "tmpfs": TemporaryDisk,
    "overlayfs": LayeredDisk,
    **{kind: StickDisk for kind in StickDisk.make},
    "bindfs": LayeredDisk,
    "mergerfs": LayeredDisk,
}


def make_disk(kind, place, **options):
    factory = KINDS[kind]
    return factory(place, **options) if factory is TemporaryDisk else factory(place, kind, **options)


@contextmanager
def loop_device(image):
    """It goes as soon as no program has it open any more."""
    found = subprocess.run(["losetup", "--find", "--show", str(image)], check=True, capture_output=True, text=True)
    device = found.stdout.strip()
    try:
        yield device
    finally:
        subprocess.run(["losetup", "--detach", device], check=True, capture_output=True)


def serving(folder):
    """The program that was named this folder."""
    found = [
        int(entry) for entry in os.listdir("/proc")
        if entry.isdigit() and os.fsencode(str(folder)) in arguments(entry)
    ]  # fmt: skip
    if len(found) != 1:
        raise Unavailable(f"{len(found)} programs serve {folder}")
    return found[0]


def arguments(pid):
    with suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as file:
        return file.read().split(b"\0")
    return []


def wait_for(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Unavailable("it did not come")
        time.sleep(0.02)


def take_all_bytes(folder):
    for size in (1 << 20, 4096):
        try:
            with open(folder / f"filler-{size}", "wb", buffering=0) as file:
                while True:
                    file.write(b"x" * size)
        except OSError as error:
            assert error.errno in (errno.ENOSPC, errno.EDQUOT)


def take_all_inodes(folder, beginning=0):
    others = folder / "others"
    others.mkdir(exist_ok=True)
    try:
        for number in range(beginning, beginning + 100_000):
            (others / str(number)).touch()
    except OSError as error:
        assert error.errno == errno.ENOSPC
