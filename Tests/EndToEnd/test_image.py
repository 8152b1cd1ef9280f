"""The image that packaging/image/Dockerfile makes of the package, on a Debian made here, under the limits that compose.yaml sets."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from booted import mirror
from client import Browser, sha256, wait_until
from daemon import CHECKOUT, binary, free_port

pytestmark = pytest.mark.nightly("systems")

FILES = CHECKOUT / "packaging/image"
IMAGE, BASE, APP = "localhost/safelight-test", "localhost/safelight-test-base", "localhost/safelight-test-app"
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
        build(folder / version, version)
    print(f"the image has {int(podman('image', 'inspect', '--format={{.Size}}', f'{IMAGE}:1.0')) / 1e6:.0f} MB")
    yield IMAGE
    podman("rmi", "--force", f"{IMAGE}:1.0", f"{IMAGE}:1.1", BASE)


def build(packages, version):
    make("make-deb", binary().parent, packages, version)
    build_image(f"{IMAGE}:{version}", packages, FILES / "Dockerfile")
    shutil.rmtree(packages)


def make(script, *words):
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "MAINTAINER": "Tests <tests@example.org>", "DEB_COMPRESSION": "none", "IMAGE_BASE": BASE}  # fmt: skip
    subprocess.run([CHECKOUT / "scripts" / script, *words], check=True, env=environment, stdin=subprocess.DEVNULL)


def build_image(tag, folder, recipe):
    """With the network of the host, for apt, and without a container: what it installs is the matter."""
    podman(
        "build", "--quiet", "--format=docker", "--isolation=chroot", "--ulimit=nofile=4096:4096", "--network=host", f"--build-arg=BASE={BASE}",
        f"--file={recipe}", f"--tag={tag}", folder)  # fmt: skip


class Container:
    """A running daemon in a container of its own, on a port of this computer."""

    address = "127.0.0.1"

    def __init__(self, volume, version="1.0", more=(), image=None, limits=LIMITS, place="/var/lib/safelight"):
        self.volume, self.image, self.more = f"{volume}:{place}", image or f"{IMAGE}:{version}", [*limits, *more]
        self.port = free_port()
        self.url, self.secure_url = f"http://127.0.0.1:{self.port}", f"https://127.0.0.1:{self.port}"
        self.id = None

    def start(self):
        self.id = podman(
            "run", "--detach", "--pull=never", *CHEAP, f"--env=SAFELIGHT_LISTEN=127.0.0.1:{self.port}",
            f"--volume={self.volume}", *self.more, self.image)  # fmt: skip
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
    """run(…) → a container, see `Container`, that has been started, and ends with the test, before the volume goes."""
    running = []

    def run(*words, **options):
        running.append(Container(*words, **options))
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


@pytest.fixture
def app(image, tmp_path):
    """What `make home-assistant` makes, built as Home Assistant does → (image, its configuration)."""
    make("make-deb", binary().parent, tmp_path, "1.0")
    make("make-home-assistant", tmp_path)
    folder = tmp_path / "home-assistant/safelight"
    build_image(APP, folder, folder / "Dockerfile")
    yield APP, yaml.safe_load((folder / "config.yaml").read_text())
    podman("rmi", "--force", APP)


def test_home_assistant_runs_it_in_a_folder_that_belongs_to_root(app, run, tmp_path):
    image, configuration = app
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    (folder / "options.json").write_text(json.dumps(configuration["options"]))
    # As Home Assistant starts an app: root, with the capabilities that Docker leaves to it.
    limits = ["--runtime=runc", "--network=host", f"--ulimit=memlock={8 << 20}", "--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"]  # fmt: skip
    environment = [f"--env={name}={value}" for name, value in configuration["environment"].items() if name != "SAFELIGHT_LISTEN"]

    def start():
        return run(folder, image=image, limits=limits, more=environment, place="/data")

    container = start()
    wait_until(lambda: f"Setup code:\n{container.run('safelight', 'code')}" in container.log().replace("\r", ""))
    browser = Browser(container).create()
    browser.put("a.jpg", b"content")
    status = container.run("cat", "/proc/1/status")
    assert re.search(r"(?m)^Uid:\s+2342\s+2342", status)
    assert all(re.search(rf"(?m)^Cap{kind}:\s+0+$", status) for kind in ("Eff", "Prm", "Bnd", "Amb"))
    assert (folder / "photos").stat().st_mode & 0o777 == 0o700
    container.end()
    # As it comes back from a backup of Home Assistant's.
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, 0, 0)
    assert Browser(start()).open().names() == ["a.jpg"]
