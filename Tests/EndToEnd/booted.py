"""A host of its own with a really booted systemd: namespaces, an overlay over a root, and /sbin/init in them."""

import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

from client import PASSWORD, wait_until
from network import HOST

# $1 the root below, $2 a folder for the overlay. systemd takes a container for what it is by the variable `container`.
BOOT = r"""
mount -t overlay overlay -o "lowerdir=$1,upperdir=$2/upper,workdir=$2/work" "$2/root"
cd "$2/root"
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
for device in null zero full random urandom tty; do touch dev/$device; mount --bind /dev/$device dev/$device; done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs tmpfs tmp
pivot_root . mnt
umount -l /mnt
# Credentials come to a unit through a mount that has to be seen by all.
mount --make-rshared /
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin /sbin/init --unit=basic.target --show-status=0 </dev/null
"""
BOOT_SECONDS = 120
# Of a unit, so that a test's passwords cost little.
CHEAP = "[Service]\nEnvironment=SAFELIGHT_UNSAFE_KDF_MEMORY=64 SAFELIGHT_UNSAFE_KDF_ITERATIONS=1\n"


class BootedHost:
    """Reached from `network.device` at port 8080 of `HOST`, and by commands that run inside."""

    address, port = HOST, 8080
    url = f"http://{HOST}:8080"
    secure_url = f"https://{HOST}:8080"

    def __init__(self, network, init):
        self.network = network
        self.init = init
        # As seen from here.
        self.root = Path(f"/proc/{init}/root")

    @property
    def authority(self):
        return self.root / "var/lib/safelight/tls/authority.pem"

    def run(self, *command, check=True, timeout=600, **options):
        words = ["nsenter", "--target", str(self.init), "--all", "--", *map(str, command)]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(words, capture_output=True, text=True, timeout=timeout, env=environment, **options)
        assert not check or done.returncode == 0, (command, done.stdout, done.stderr, self.journal())
        return done.stdout.strip()

    def systemctl(self, *words, **options):
        return self.run("systemctl", *words, **options)

    def property(self, name, unit="safelight"):
        return self.systemctl("show", unit, f"--property={name}", "--value")

    def journal(self, unit="safelight"):
        words = ["nsenter", "--target", str(self.init), "--all", "--", "journalctl", "--no-pager", "--unit", unit]
        return subprocess.run(words, capture_output=True, text=True).stdout

    def put(self, path, content):
        file = self.root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def wait_until(self, name, value, unit="safelight", seconds=120):
        """systemd tells no one when a property changes that is not on its bus: asked again and again."""
        end = time.monotonic() + seconds
        while (found := self.property(name, unit)) != value:
            assert time.monotonic() < end, (name, found, self.journal(unit))
            time.sleep(0.1)

    def browser(self, **options):
        return self.network.device.browser(self, **options)


@contextmanager
def booted(network, below, folder, prepare=lambda upper: None):
    """A host over the root `below`. `prepare(upper)` lays files over it first."""
    for name in ("upper", "work", "root"):
        (folder / name).mkdir(parents=True)
    prepare(folder / "upper")
    unshare = ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "--cgroup"]
    words = [*network.host.wrapper, *unshare, "--propagation=private", "--", "bash", "-euc", BOOT, "boot", below, folder]
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        host = BootedHost(network, child_of(process))
        end = time.monotonic() + BOOT_SECONDS
        while host.systemctl("is-system-running", check=False) not in ("running", "degraded"):
            assert process.poll() is None, process.stderr.read().decode()
            assert time.monotonic() < end, "systemd did not come up"
            time.sleep(0.1)
        yield host
    finally:
        # unshare takes init with it, and init its whole world.
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def child_of(process):
    """nsenter becomes unshare, which makes the first process of the new world."""
    end = time.monotonic() + BOOT_SECONDS
    while time.monotonic() < end and process.poll() is None:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        if children and Path(f"/proc/{children[0]}/comm").read_text().strip() == "systemd":
            return int(children[0])
        time.sleep(0.05)
    raise AssertionError(f"no init: {process.stderr.read().decode() if process.poll() is not None else 'still booting'}")


def mirror():
    """Where apt of this system gets Debian's packages."""
    said = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages", "Origin: Debian", "Label: Debian"],
        capture_output=True, text=True, check=True)  # fmt: skip
    return said.stdout.split()[0]


def setup_code(host):
    code = "runuser -u safelight -- env SAFELIGHT_UNSAFE_KDF_MEMORY=64 safelight code"
    return host.run("sh", "-c", code).split()[-1]


def new_vault(host, password=PASSWORD):
    browser = host.browser()
    answer = browser.try_create(password, code=setup_code(host))
    assert answer.status_code == 201, answer.text
    return browser


def wait_for_thumbnail(browser, name):
    answers = []

    def is_there():
        photo = next(photo for photo in browser.photos() if photo["name"] == name)
        answers.append(browser.request("GET", f"/api/photos/{photo['id']}/thumbnail"))
        return answers[-1].status_code == 200

    wait_until(is_there)
    return answers[-1]


def a_picture(photos):
    return next(path for path in photos if path.suffix.lower() == ".jpg" and path.stat().st_size > 20_000)
