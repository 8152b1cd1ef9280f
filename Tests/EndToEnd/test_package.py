"""The package in fresh Debians that are really booted. Needs root, namespaces and time."""

import os
import re
import shutil
import subprocess
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests
from booted import CHEAP, a_picture, booted, mirror, new_vault, wait_for_thumbnail
from client import sha256, wait_until
from daemon import CHECKOUT, binary
from faults import needs_root
from releases import Site

pytestmark = [pytest.mark.nightly("systems"), needs_root]

SCRIPTS = CHECKOUT / "scripts"
# Of the two packages of each Debian.
VERSIONS = "1.0.0", "1.1.0"


@pytest.fixture(scope="module")
def debians(tmp_path_factory, packages):
    """debians(suite) → the root of a fresh Debian in which what the package depends on is installed, and the package is
    not. Each is made once."""
    if not shutil.which("debootstrap"):
        pytest.skip("debootstrap is not installed")
    roots = {}

    def debian(suite):
        if suite not in roots:
            roots[suite] = tmp_path_factory.mktemp(suite) / "root"
            include = "--include=systemd,systemd-sysv,dbus,curl,ca-certificates"
            command = ["debootstrap", "--variant=minbase", include, suite, str(roots[suite]), mirror()]
            subprocess.run(command, check=True, stdin=subprocess.DEVNULL)
            install_dependencies(roots[suite], suite, packages(suite)[0])
        return roots[suite]

    yield debian
    for root in roots.values():
        shutil.rmtree(root)


def packages_of(package, field):
    said = subprocess.run(["dpkg-deb", "--field", package, field], capture_output=True, text=True, check=True)
    return [re.match(r"\S+", part.strip())[0] for part in said.stdout.split(",")]


def install_dependencies(root, suite, package):
    """And what videos' posters need, where this Debian has it: a package that was built for another asks for others."""
    names = packages_of(package, "Depends")
    if is_built_there(suite):
        names += packages_of(package, "Recommends")
    install = "apt-get -qq update && apt-get -qq install --yes --no-install-recommends " + " ".join(names)
    subprocess.run(
        ["chroot", root, "sh", "-c", install], check=True, stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive"})  # fmt: skip


def given_package(suite):
    """A package that was built on that Debian, by SAFELIGHT_PACKAGE_BOOKWORM or SAFELIGHT_PACKAGE_TRIXIE; None without it."""
    return os.environ.get(f"SAFELIGHT_PACKAGE_{suite.upper()}")


def is_built_there(suite):
    release = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    return bool(given_package(suite)) or release.get("VERSION_CODENAME") == suite


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """packages(suite) → the package for that Debian, and a newer one of the same programs: those that are tested, or of
    the package that was given."""
    made = {}

    def packages(suite):
        given = given_package(suite)
        if given not in made:
            folder = tmp_path_factory.mktemp("packages")
            for version in VERSIONS:
                repack(given, folder, version) if given else make_package(folder, version)
            made[given] = [next(folder.glob(f"safelight_{version}_*.deb")) for version in VERSIONS]
        return made[given]

    return packages


def make_package(folder, version):
    words = [SCRIPTS / "make-deb", binary().parent, folder, version]
    subprocess.run(words, check=True, env={**os.environ, "DEB_COMPRESSION": "none"}, stdin=subprocess.DEVNULL)


def repack(package, folder, version):
    """The same package under another version."""
    tree = folder / f"tree-{version}"
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control = tree / "DEBIAN" / "control"
    control.write_text(re.sub(r"(?m)^Version: .*", f"Version: {version}", control.read_text()))
    words = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, folder / f"safelight_{version}_given.deb"]
    subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    shutil.rmtree(tree)


SUITES = "bookworm", "trixie"


@pytest.fixture(params=SUITES)
def fresh(request, network, debians, tmp_path):
    """A fresh host of each Debian that the package is for."""
    with fresh_host(network, debians(request.param), tmp_path / "fresh") as host:
        host.suite = request.param
        yield host


@contextmanager
def fresh_host(network, root, folder):
    with booted(network, root, folder) as host:
        host.put("/etc/systemd/system/safelight.service.d/cheap.conf", CHEAP)
        yield host


def install(host, package):
    file = host.put(f"/var/tmp/{package.name}", package.read_bytes())
    host.run("dpkg", "--install", f"/var/tmp/{package.name}")
    file.unlink()


def test_the_package_is_installed_upgraded_while_it_runs_and_removed_without_the_photos(fresh, packages, photos):
    packages = packages(fresh.suite)
    install(fresh, packages[0])
    fresh.wait_until("ActiveState", "active")
    assert fresh.systemctl("is-enabled", "safelight") == "enabled"
    browser = new_vault(fresh)
    content = a_picture(photos).read_bytes()
    browser.put("a.jpg", content)
    wait_for_thumbnail(browser, "a.jpg")
    shows_a_poster(fresh, browser)
    before = fresh.property("MainPID")

    configuration = fresh.root / "etc/safelight/safelight.yaml"
    configuration.write_text(configuration.read_text() + "\nguests: off\n")
    install(fresh, packages[1])
    fresh.wait_until("ActiveState", "active")
    assert fresh.property("MainPID") != before
    assert fresh.run("dpkg-query", "--show", "--showformat=${Version}", "safelight") == VERSIONS[1]
    assert configuration.read_text().endswith("guests: off\n")
    assert fresh.browser().open().digests() == {"a.jpg": sha256(content)}

    fresh.systemctl("disable", "safelight")
    install(fresh, packages[0])
    assert fresh.systemctl("is-enabled", "safelight", check=False) == "disabled"

    timer = "safelight-backup@var-backups.timer"
    fresh.systemctl("enable", "--now", timer)
    fresh.run("dpkg", "--remove", "safelight")
    assert fresh.property("ActiveState") == "inactive"
    assert fresh.property("ActiveState", timer) == "inactive"
    assert not (fresh.root / "usr/bin/safelight").exists()
    kept = sorted(path.name for path in (fresh.root / "var/lib/safelight").iterdir())
    assert "ledger.sqlite" in kept and "objects" in kept
    fresh.run("dpkg", "--purge", "safelight")
    assert sorted(path.name for path in (fresh.root / "var/lib/safelight").iterdir()) == kept
    assert not configuration.exists()
    assert not list((fresh.root / "etc/systemd/system").rglob("safelight-backup@*"))

    install(fresh, packages[1])
    fresh.systemctl("start", "safelight")
    assert fresh.browser().open().digests() == {"a.jpg": sha256(content)}


# -- by apt, from a release's pages


@pytest.fixture
def site(tmp_path, tmp_path_factory):
    site = Site(tmp_path, tmp_path_factory.mktemp("k"))
    yield site
    site.close()


def publish(site, host, package):
    """The release of this package, where the host finds it: in a folder, in place of an address."""
    files = site.root.with_name(f"files-{package.name}")
    number = {"bookworm": 12, "trixie": 13}[host.suite]
    files.mkdir()
    version = subprocess.run(["dpkg-deb", "--field", package, "Version"], capture_output=True, text=True, check=True).stdout.strip()
    repack(package, files, f"{version}+deb{number}")
    done = site.release(files)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(host.root / "srv/site", ignore_errors=True)
    shutil.copytree(site.root, host.root / "srv/site")
    sources = (site.root / f"{host.suite}.sources").read_text().replace(site.address, "file:/srv/site")
    host.put("/etc/apt/sources.list.d/safelight.sources", sources)
    host.run("apt-get", "-qq", "update")
    return f"{version}+deb{number}"


class Senders:
    """Browsers that send without a pause, and go on where the host is away for a moment: as the page does."""

    def __init__(self, host, count=8):
        self.saved = {}
        self.host = host
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.send, args=[number]) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def send(self, number):
        browser, count = self.host.browser().open(), 0
        while not self.stopping.is_set():
            # Another name each time: what was not acknowledged may be there as well.
            count += 1
            name, content = f"{number}-{count}.bin", os.urandom(1 << 18)
            try:
                answer = browser.try_put(name, content)
                if answer.status_code == 401:
                    browser = self.host.browser().open()
                elif answer.status_code == 201:
                    self.saved[name] = sha256(content)
            except (requests.exceptions.RequestException, OSError, AssertionError):
                continue  # Away for a moment.

    def wait_for_more(self, more=32):
        known = len(self.saved)
        wait_until(lambda: len(self.saved) >= known + more, "nothing is saved any more")

    def stop(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()


def test_apt_brings_the_next_version_amid_uploads_and_the_one_before_again(fresh, packages, site):
    """Every photo that was acknowledged by either is there at the end."""
    older, newer = packages(fresh.suite)
    before = publish(site, fresh, older)
    fresh.run("apt-get", "-qq", "install", "--yes", "--no-install-recommends", "safelight")
    fresh.wait_until("ActiveState", "active")
    new_vault(fresh)
    senders = Senders(fresh)
    try:
        senders.wait_for_more()
        after = publish(site, fresh, newer)
        for words, version in (["--only-upgrade", "safelight"], after), (["--allow-downgrades", f"safelight={before}"], before):
            fresh.run("apt-get", "-qq", "install", "--yes", "--no-install-recommends", *words)
            assert fresh.run("dpkg-query", "--show", "--showformat=${Version}", "safelight") == version
            senders.wait_for_more()
    finally:
        senders.stop()
    found = fresh.browser().open().digests()
    assert {name: found.get(name) for name in senders.saved} == senders.saved
    fresh.run("apt-get", "-qq", "remove", "--yes", "safelight")
    assert (fresh.root / "var/lib/safelight/ledger.sqlite").exists() and not (fresh.root / "usr/bin/safelight").exists()


def shows_a_poster(host, browser):
    """Of a video, where the package was built for this Debian. It is deleted for good again."""
    if not is_built_there(host.suite):
        return
    film = host.root / "var/tmp/film.mp4"
    source = ["-f", "lavfi", "-i", "testsrc=duration=1:size=320x240", "-pix_fmt", "yuv420p"]
    subprocess.run(["ffmpeg", "-loglevel", "error", *source, film], check=True, stdin=subprocess.DEVNULL)
    browser.put("film.mp4", film.read_bytes())
    film.unlink()
    assert wait_for_thumbnail(browser, "film.mp4").content
    browser.delete([photo for photo in browser.photos() if photo["name"] == "film.mp4"])
    assert "obstacle" not in browser.request("DELETE", "/api/trash").json()


def back_up(host):
    target = "/var/backups/safelight"
    host.run("install", "-d", "-o", "safelight", "-g", "safelight", "-m", "700", target)
    said = host.run("runuser", "-u", "safelight", "--", "safelight", "backup", "--to", target)
    assert said.startswith("Backed up"), said


def health(host):
    return host.network.device.browser(host).request("GET", "/health").json()


def test_a_store_goes_on_when_its_host_is_upgraded_to_the_next_debian(network, debians, packages, tmp_path, photos):
    content = a_picture(photos).read_bytes()
    kept = tmp_path / "kept"
    with fresh_host(network, debians("bookworm"), tmp_path / "older") as host:
        install(host, packages("bookworm")[0])
        host.wait_until("ActiveState", "active")
        browser = new_vault(host)
        browser.put("a.jpg", content)
        browser.put("gone.jpg", b"gone" * 5000)
        back_up(host)
        host.systemctl("stop", "safelight")
        subprocess.run(["cp", "-a", host.root / "var/lib/safelight", kept], check=True)
    with fresh_host(network, debians("trixie"), tmp_path / "newer") as host:
        install(host, packages("trixie")[1])
        host.wait_until("ActiveState", "active")
        host.systemctl("stop", "safelight")
        host.run("find", "/var/lib/safelight", "-mindepth", "1", "-delete")
        subprocess.run(["cp", "-a", f"{kept}/.", host.root / "var/lib/safelight"], check=True)
        host.run("chown", "-R", "safelight:safelight", "/var/lib/safelight")
        host.systemctl("start", "safelight")
        browser = host.browser().open()
        assert browser.digests()["a.jpg"] == sha256(content)
        browser.delete([photo for photo in browser.photos() if photo["name"] == "gone.jpg"])
        assert "obstacle" not in browser.request("DELETE", "/api/trash").json()
        browser.put("new.jpg", content + b" ")
        wait_for_thumbnail(browser, "new.jpg")
        back_up(host)
        assert health(host)["status"] == "pass", health(host)
        host.systemctl("restart", "safelight")
        assert set(host.browser().open().digests()) == {"a.jpg", "new.jpg"}
        host.systemctl("stop", "safelight")
        assert (host.property("Result"), host.property("ExecMainStatus")) == ("success", "0")
        host.run("runuser", "-u", "safelight", "--", "safelight", "check")
