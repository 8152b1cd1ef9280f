"""The image that packaging/image/Dockerfile makes of the package, on a Debian made here, under the limits that compose.yaml sets."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from booted import mirror
from client import Browser, sha256, wait_until
from daemon import CHECKOUT, binary, free_port

pytestmark = pytest.mark.nightly("systems")

FILES = CHECKOUT / "packaging/image"
IMAGE, BASE = "localhost/safelight-test", "localhost/safelight-test-base"
# As compose.yaml has them, but for the locked memory and the files, of which a host may allow its tests less.
LIMITS = [
    "--runtime=runc", "--cap-drop=ALL", "--security-opt=no-new-privileges", "--read-only", "--ulimit=memlock=8388608:8388608",
    "--ulimit=core=0:0", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096", "--network=host", "--hostname=safelight",
]  # fmt: skip
CHEAP = ["--env=SAFELIGHT_UNSAFE_KDF_MEMORY=1024", "--env=SAFELIGHT_UNSAFE_COVER=off"]


def podman(*words, **options):
    done = subprocess.run(["podman", *map(str, words)], capture_output=True, text=True, stdin=subprocess.DEVNULL, **options)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """Built of the tested programs, on the Debian of this computer."""
    if missing := [name for name in ("podman", "runc", "debootstrap") if not shutil.which(name)]:
        pytest.skip(f"not installed: {', '.join(missing)}")
    folder = tmp_path_factory.mktemp("image")
    suite = re.search(r"(?m)^VERSION_CODENAME=(\w+)", Path("/etc/os-release").read_text())[1]
    subprocess.run(
        ["debootstrap", "--variant=minbase", suite, folder / "root", mirror()], check=True, stdin=subprocess.DEVNULL)  # fmt: skip
    with subprocess.Popen(["tar", "-C", folder / "root", "-c", "."], stdout=subprocess.PIPE) as tar:
        subprocess.run(["podman", "import", "--quiet", "-", BASE], stdin=tar.stdout, check=True)
    shutil.rmtree(folder / "root")
    for version in ("1.0", "1.1"):
        build(folder, version)
    print(f"the image has {int(podman('image', 'inspect', '--format={{.Size}}', f'{IMAGE}:1.0')) / 1e6:.0f} MB")
    yield IMAGE
    podman("rmi", "--force", f"{IMAGE}:1.0", f"{IMAGE}:1.1", BASE)


def build(folder, version):
    """With the network of the host, for apt, and without a container: what it installs is the matter."""
    packages = folder / version
    words = [CHECKOUT / "scripts/make-deb", binary().parent, packages, version]
    subprocess.run(words, check=True, env={**environment(), "DEB_COMPRESSION": "none"}, stdin=subprocess.DEVNULL)
    podman(
        "build", "--quiet", "--format=docker", "--isolation=chroot", "--ulimit=nofile=4096:4096", "--network=host", f"--build-arg=BASE={BASE}", f"--file={FILES / 'Dockerfile'}",
        f"--tag={IMAGE}:{version}", packages)  # fmt: skip
    shutil.rmtree(packages)


def environment():
    return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "MAINTAINER": "Tests <tests@example.org>"}


class Container:
    """A running daemon in a container of its own, on a port of this computer."""

    address = "127.0.0.1"

    def __init__(self, volume, version="1.0", more=()):
        self.volume, self.version, self.more = volume, version, more
        self.port = free_port()
        self.url, self.secure_url = f"http://127.0.0.1:{self.port}", f"https://127.0.0.1:{self.port}"
        self.id = None

    def start(self):
        self.id = podman(
            "run", "--detach", "--pull=never", *LIMITS, *CHEAP, f"--env=SAFELIGHT_LISTEN=127.0.0.1:{self.port}",
            f"--volume={self.volume}:/var/lib/safelight", *self.more, f"{IMAGE}:{self.version}")  # fmt: skip
        wait_until(lambda: self.is_well() or not self.is_running())
        assert self.is_running(), self.log()
        return self

    def is_running(self):
        return podman("inspect", "--format={{.State.Running}}", self.id) == "true"

    def is_well(self):
        """As the image's HEALTHCHECK asks."""
        return subprocess.run(["podman", "exec", self.id, "safelight", "status"], capture_output=True).returncode == 0

    def run(self, *words):
        return podman("exec", self.id, *words)

    def log(self):
        done = subprocess.run(["podman", "logs", self.id], capture_output=True, text=True)
        return done.stdout + done.stderr

    def end(self):
        if self.id:
            podman("stop", "--time=40", self.id)
            podman("rm", self.id)
            self.id = None


@pytest.fixture
def run(volume):
    """run(volume, …) → a container that has been started, and ends with the test, before the volume goes."""
    running = []

    def run(volume, version="1.0", more=()):
        running.append(Container(volume, version, more))
        return running[-1].start()

    yield run
    for container in running:
        container.end()


@pytest.fixture
def volume(image):
    name = podman("volume", "create")
    yield name
    podman("volume", "rm", "--force", name)


@pytest.fixture
def contents(tmp_path):
    """A photo as phones make them, and a video."""
    film = tmp_path / "film.mp4"
    source = ["-f", "lavfi", "-i", "testsrc=duration=1:size=320x240", "-pix_fmt", "yuv420p"]
    subprocess.run(["ffmpeg", "-loglevel", "error", *source, film], check=True, stdin=subprocess.DEVNULL)
    photo = CHECKOUT / "Tests/Photos/phone/IMG_5195.HEIC"
    return {"photo.heic": photo.read_bytes(), "film.mp4": film.read_bytes()}


def test_the_main_job_pictures_an_upgrade_and_the_way_back(run, volume, contents):
    digests = {name: sha256(content) for name, content in contents.items()}
    first = run(volume)
    browser = Browser(first).create()
    for name, content in contents.items():
        browser.put(name, content)
    wait_until(lambda: {photo["picture"] for photo in browser.photos()} == {"made"})
    authority = first.run("cat", "/var/lib/safelight/tls/authority.pem")
    first.end()
    for version in ("1.1", "1.0"):
        later = run(volume, version)
        assert Browser(later).open().digests() == digests
        # The same certificate: phones that know it are not warned again.
        assert later.run("cat", "/var/lib/safelight/tls/authority.pem") == authority
        later.end()


def test_the_cages_hold_without_any_capability(run, volume):
    container = run(volume)
    for program in ("safelight-imaging", "safelight-imaging-video", "safelight-imaging-words", "safelight-archives"):
        container.run(program, "--prove-cage")
    status = container.run("cat", "/proc/1/status")
    assert re.search(r"(?m)^Uid:\s+2342\s+2342", status) and re.search(r"(?m)^CapEff:\s+0+$", status)
    assert re.search(r"(?m)^Seccomp:\s+2", status)


def test_nothing_is_written_outside_the_volume(run, volume):
    container = run(volume)
    browser = Browser(container).create()
    browser.put("a.jpg", b"content")
    changes = json.loads(podman("diff", "--format=json", container.id)) or {}
    assert not {path for kind in ("added", "changed") for path in changes.get(kind) or () if path.startswith(("/var", "/tmp"))}


def test_a_folder_of_the_hosts_is_used_once_it_belongs_to_the_user(run, tmp_path):
    folder = tmp_path / "photos"
    folder.mkdir(mode=0o755)
    refused = subprocess.run(
        ["podman", "run", "--rm", "--pull=never", *LIMITS, *CHEAP, f"--volume={folder}:/var/lib/safelight", f"{IMAGE}:1.0"],
        capture_output=True, text=True)  # fmt: skip
    assert refused.returncode == 78 and "chown" in refused.stderr + refused.stdout, refused
    shutil.chown(folder, 2342, 2342)
    browser = Browser(run(folder)).create()
    browser.put("a.jpg", b"content")
    assert folder.stat().st_mode & 0o777 == 0o700


def test_health_is_asked_of_the_command(image):
    said = json.loads(podman("inspect", "--format=json", f"{IMAGE}:1.0"))[0]
    assert said["Config"]["User"] == "safelight" and "/var/lib/safelight" in said["Config"]["Volumes"]
    assert said["HealthCheck" if "HealthCheck" in said else "Healthcheck"]["Test"] == ["CMD", "safelight", "status"]
