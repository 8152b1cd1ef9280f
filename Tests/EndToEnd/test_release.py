"""What `scripts/make-release` lays out: apt and the daemon take a release from it, and refuse one that was changed."""

import base64
import functools
import gzip
import hashlib
import http.server
import json
import re
import shutil
import ssl
import subprocess
import threading

import pytest
from daemon import CHECKOUT, Daemon
from feed import Signer, make_certificate
from releases import Site

ARCHITECTURE = subprocess.run(["dpkg", "--print-architecture"], capture_output=True, text=True, check=True).stdout.strip()


def release(site, version, debians=(12, 13), **changes):
    """Of packages that hold nothing but a word."""
    files = site.root.with_name(f"files-{version}")
    files.mkdir()
    for debian in debians:
        make_package(files, f"{version}+deb{debian}")
    (files / "CHANGELOG.md").write_text(f"# {version}\n")
    return site.release(files, **changes)


def make_package(folder, version):
    tree = folder / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    lines = ["Package: safelight", f"Version: {version}", f"Architecture: {ARCHITECTURE}", "Maintainer: A <a@b.org>"]
    (tree / "DEBIAN" / "control").write_text("\n".join([*lines, "Description: a word", ""]))
    (tree / "word").write_text(version)
    subprocess.run(["dpkg-deb", "--build", tree, folder / f"safelight_{version}_{ARCHITECTURE}.deb"], check=True)
    shutil.rmtree(tree)


@pytest.fixture
def site(tmp_path, tmp_path_factory):
    chain, key = make_certificate(tmp_path)
    (tmp_path / "site").mkdir()
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path / "site")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = Site(tmp_path, tmp_path_factory.mktemp("k"), f"https://localhost:{server.server_port}")
    site.authority = chain
    yield site
    site.close()
    server.shutdown()
    server.server_close()


class Apt:
    """apt with folders of its own, which knows of one place alone."""

    def __init__(self, folder, site, codename):
        for name in ("lists/partial", "archives/partial", "sources", "empty"):
            (folder / name).mkdir(parents=True)
        (folder / "status").touch()
        shutil.copy(site.root / f"{codename}.sources", folder / "sources" / "safelight.sources")
        self.folder = folder
        self.options = {
            "Dir::State::lists": folder / "lists",
            "Dir::State::status": folder / "status",
            "Dir::Cache": folder,
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": folder / "sources",
            # No key of this system counts.
            "Dir::Etc::trusted": "/dev/null",
            "Dir::Etc::trustedparts": folder / "empty",
            "Acquire::https::CAInfo": site.authority,
            "Acquire::Languages": "none",
            "APT::Sandbox::User": "",
            "APT::Update::Error-Mode": "any",
        }

    def __call__(self, *words):
        options = [word for name, value in self.options.items() for word in ("-o", f"{name}={value}")]
        return subprocess.run(["apt-get", *options, *words], cwd=self.folder, capture_output=True, text=True)

    def download(self, package="safelight"):
        """The name of what came."""
        done = self("download", package)
        assert done.returncode == 0, done.stderr
        (file,) = self.folder.glob("*.deb")
        return file.name.replace("%2b", "+"), file.read_bytes()


@pytest.mark.parametrize("codename, debian", [("bookworm", 12), ("trixie", 13)])
def test_apt_takes_the_newest_package_of_its_debian_and_an_earlier_one_on_request(site, tmp_path, codename, debian):
    for version in ("1.0.0", "1.1.0"):
        done = release(site, version)
        assert done.returncode == 0, done.stderr
    for wanted, version in (("safelight", "1.1.0"), (f"safelight=1.0.0+deb{debian}", "1.0.0")):
        apt = Apt(tmp_path / version, site, codename)
        updated = apt("update")
        assert updated.returncode == 0, updated.stderr
        name, content = apt.download(wanted)
        file = f"safelight_{version}+deb{debian}_{ARCHITECTURE}.deb"
        assert name == file and content == (tmp_path / f"files-{version}" / file).read_bytes()


def change(path):
    path.write_bytes(path.read_bytes().replace(b"afelight", b"afelighs"))


def sign_by_another(site):
    """Somebody who can write to the site, and has a key of their own."""
    site.make_key("Else <else@example.org>")
    suite = site.root / "apt" / "dists" / "trixie"
    for form, name in (("--clearsign", "InRelease"), ("--detach-sign", "Release.gpg")):
        words = ["--batch", "--yes", "--local-user", "else@example.org", form, "--armor"]
        site.gpg(*words, "--output", str(suite / name), str(suite / "Release"))


def change_lists(site):
    """Under every name that they have, also those that are their hashes."""
    for folder in site.root.rglob("binary-*"):
        change(folder / "Packages")
        changed = (folder / "Packages").read_bytes()
        for path in folder.rglob("*"):
            if path.is_file():
                path.write_bytes(gzip.compress(changed) if path.suffix == ".gz" else changed)


CHANGED = {
    "another list": change_lists,
    "another release": lambda site: [change(path) for path in site.root.rglob("InRelease")],
    "another signature": sign_by_another,
}


@pytest.mark.parametrize("what", CHANGED)
def test_apt_refuses_a_repository_that_was_changed(site, tmp_path, what):
    assert release(site, "1.0.0").returncode == 0
    apt = Apt(tmp_path / "apt", site, "trixie")
    CHANGED[what](site)
    assert apt("update").returncode != 0
    assert apt("download", "safelight").returncode != 0


def test_the_daemon_hears_of_it_by_the_signed_feed(site, tmp_path):
    assert release(site, "9.8.7").returncode == 0
    daemon = Daemon(tmp_path)
    # The key as the site publishes it, without the lines around it.
    key = "".join(line for line in (site.root / "release.pub").read_text().splitlines() if "-----" not in line)
    daemon.environment |= {
        "SAFELIGHT_UPGRADE_FEED": f"{site.address}/release.json",
        "SAFELIGHT_UPGRADE_KEY": key,
        "SAFELIGHT_UPGRADE_AUTHORITY": str(site.authority),
    }
    said = daemon.run("version", "--check").stdout.decode()
    assert f"Version 9.8.7 is available: {site.address}/releases/9.8.7/" in said
    document = json.loads((site.root / "release.json").read_text())
    (site.root / "release.json").write_text(json.dumps({**document, "page": "https://example.org/"}))
    assert daemon.run("version", "--check").returncode == 69


def test_sums_are_signed_and_name_every_file(site, tmp_path):
    assert release(site, "1.0.0").returncode == 0
    folder = site.root / "releases" / "1.0.0"
    sums = dict(reversed(line.split("  ")) for line in (folder / "SHA256SUMS").read_text().splitlines())
    files = (tmp_path / "files-1.0.0").iterdir()
    assert sums == {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    # And all that the release's page links to is there.
    linked = re.findall(r'href="([^"]+)"', (folder / "index.html").read_text())
    assert len(linked) == len(sums) + 2 and all((folder / link).is_file() for link in linked)
    signature = tmp_path / "signature"
    signature.write_bytes(base64.b64decode((folder / "SHA256SUMS.sig").read_text()))
    words = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", site.root / "release.pub"]
    verify = [*words, "-sigfile", signature, "-in", folder / "SHA256SUMS"]
    assert subprocess.run(verify, capture_output=True).returncode == 0
    (folder / "SHA256SUMS").write_text("")
    assert subprocess.run(verify, capture_output=True).returncode != 0


def everything(site):
    return {path.relative_to(site.root): path.read_bytes() for path in site.root.rglob("*") if path.is_file()}


def make_rsa_key(folder):
    path = folder / "rsa.key"
    subprocess.run(["openssl", "genpkey", "-algorithm", "rsa", "-out", path], check=True, capture_output=True)
    return str(path)


def put_folder(folder):
    (folder / "more").mkdir()


UNUSABLE = {
    "no key": ({"RELEASE_KEY": "/nowhere"}, "RELEASE_KEY"),
    "a key of another kind": (lambda folder: {"RELEASE_KEY": make_rsa_key(folder)}, "no Ed25519"),
    "another key than before": (lambda folder: {"RELEASE_KEY": str(Signer(folder).key)}, "is not the key of"),
    "another key than packages have": ({"FEED_KEY": "MCowBQYDK2VwAyEA"}, "FEED_KEY"),
    "no key for apt": ({"APT_KEY": ""}, "APT_KEY"),
    "an unknown key for apt": ({"APT_KEY": "0" * 40}, "gpg"),
    "a Debian without a name": (lambda folder: make_package(folder, "1.1.0+deb14"), "no name here"),
    "two versions": (lambda folder: make_package(folder, "1.2.0+deb13"), "two versions"),
    "no version": (lambda folder: make_package(folder, "1.1+deb13"), "no version"),
    "a folder": (put_folder, "plain names"),
    "a name that is an option": (lambda folder: (folder / "-rf").touch(), "plain names"),
    "a name that is a tag": (lambda folder: (folder / "<b>").touch(), "plain names"),
    "sums of a run before": (lambda folder: (folder / "SHA256SUMS").touch(), "is made here"),
}


@pytest.mark.parametrize("what", UNUSABLE)
def test_what_cannot_be_released_is_named_and_leaves_the_site_as_it_was(site, tmp_path, what):
    assert release(site, "1.0.0").returncode == 0
    before = everything(site)
    (files := tmp_path / "files").mkdir()
    make_package(files, "1.1.0+deb12")
    change, word = UNUSABLE[what]
    changes = change if isinstance(change, dict) else change(tmp_path if "key" in what else files) or {}
    done = site.release(files, **changes)
    assert done.returncode not in (0, 1) and word in done.stderr, done
    assert everything(site) == before and not site.root.with_name("site.new").exists()


def test_hosts_hear_of_no_older_version_and_of_none_that_is_tried_out(site, tmp_path):
    for version, told in (("1.0.0-rc.1", None), ("1.1.0", "1.1.0"), ("1.0.0", "1.1.0"), ("1.2.0-rc.1", "1.1.0"), ("1.10.0", "1.10.0")):
        assert release(site, version).returncode == 0
        feed = site.root / "release.json"
        assert (json.loads(feed.read_text())["version"] if feed.exists() else None) == told
    apt = Apt(tmp_path / "apt", site, "trixie")
    assert apt("update").returncode == 0
    assert apt.download()[0] == f"safelight_1.10.0+deb13_{ARCHITECTURE}.deb"


def test_an_old_list_of_contents_finds_its_packages_beside_a_newer_release(site, tmp_path):
    """As while a cache has the one and not the other yet."""
    assert release(site, "1.0.0").returncode == 0
    contents = site.root / "apt" / "dists" / "trixie" / "InRelease"
    old = contents.read_bytes()
    assert release(site, "1.1.0").returncode == 0
    contents.write_bytes(old)
    apt = Apt(tmp_path / "apt", site, "trixie")
    updated = apt("update")
    assert updated.returncode == 0, updated.stderr
    assert apt.download()[0] == f"safelight_1.0.0+deb13_{ARCHITECTURE}.deb"


def test_a_list_of_parts_names_what_is_compiled_in_and_what_the_host_has(tmp_path):
    tree = tmp_path / "tree"
    (tree / "DEBIAN").mkdir(parents=True)
    lines = [
        "Package: safelight", "Version: 1.0.0+deb13", f"Architecture: {ARCHITECTURE}", "Maintainer: A <a@b.org>",
        "Depends: libstdc++6 (>= 12), systemd | other-init", "Recommends: systemd, age", "Description: a word", "",
    ]  # fmt: skip
    (tree / "DEBIAN" / "control").write_text("\n".join(lines))
    package, resolved = tmp_path / "p.deb", tmp_path / "resolved"
    subprocess.run(["dpkg-deb", "--build", tree, package], check=True)
    pin = {"location": "https://github.com/apple/swift-nio.git", "state": {"revision": "3398e4", "version": "2.101.2"}}
    resolved.write_text(json.dumps({"pins": [pin]}))

    def make(*words):
        return subprocess.run([CHECKOUT / "scripts" / "make-sbom", *words], capture_output=True, text=True)

    said = make(package, resolved)
    assert said.returncode == 0 and make(package, resolved).stdout == said.stdout
    parts = json.loads(said.stdout)["components"]
    assert {(part["name"], part.get("scope")) for part in parts} == {
        ("github.com/apple/swift-nio", None), ("swift", None), ("libstdc++6", "required"), ("systemd", "required"),
        ("other-init", "required"), ("age", "optional"),
    }  # fmt: skip
    assert parts[0]["purl"] == "pkg:swift/github.com/apple/swift-nio@2.101.2"
    for words in ((package, tmp_path / "none"), (package, package), (resolved, resolved)):
        done = make(*words)
        assert done.returncode == 65 and not done.stdout and "Traceback" not in done.stderr
