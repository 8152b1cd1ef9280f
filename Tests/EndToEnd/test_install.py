"""What `make install` and `make deb` lay down, and what they leave alone."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from client import Browser
from daemon import CHECKOUT, WWW, Daemon, binary, free_port

SCRIPTS = CHECKOUT / "scripts"


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with an installation below usr/local."""
    if not shutil.which("patchelf"):
        pytest.skip("patchelf is not installed")
    folder = tmp_path_factory.mktemp("installed")
    run(SCRIPTS / "install-files", binary().parent, folder, "/usr/local")
    return folder


@pytest.mark.nightly("systems")
def test_an_installation_serves_its_page_without_the_tools_that_built_it(installed, tmp_path):
    program = installed / "usr/local/bin/safelight"
    linked = run("ldd", program)
    assert "not found" not in linked
    for path in re.findall(r"=> (\S*swift\S*)", linked):
        assert path.startswith(str(installed)) or "/bin/../lib/safelight/" in path, path
    port = free_port()
    daemon = Daemon(tmp_path)
    daemon.port, daemon.url = port, f"http://127.0.0.1:{port}"
    daemon.command = lambda: [str(program), "serve", "--data", str(daemon.data), "--listen", f"127.0.0.1:{port}"]
    daemon.start()
    assert "Safelight" in Browser(daemon).request("GET", "/").text
    health = Browser(daemon).request("GET", "/health").json()
    assert health["checks"]["pictures"] == [{"status": "pass"}]
    daemon.stop()


@pytest.mark.nightly("systems")
def test_the_units_start_what_was_installed(installed):
    services = (
        ("safelight.service", "serve"), ("safelight-activated.service", "serve"), ("safelight-backup@.service", "backup"),
        ("safelight-offsite@.service", "backup"), ("safelight-rehearsal@.service", "rehearse"),
        ("safelight-inbox@.service", "import"),
    )  # fmt: skip
    for name, command in services:
        unit = (installed / "usr/local/lib/systemd/system" / name).read_text()
        assert f"ExecStart=/usr/local/bin/safelight {command}" in unit
    assert (installed / "usr/local/lib/systemd/system/safelight-backup@.timer").exists()
    assert (installed / "usr/local/lib/systemd/system/safelight-activated.socket").exists()


def test_the_man_page_explains_every_command_and_key():
    page = run(SCRIPTS / "make-manual", binary()).replace("\\-", "-")
    said = run(binary(), "serve", "--help")
    keys = re.findall(r"^ +([a-z][a-z.-]*): ", said, re.MULTILINE)
    assert len(keys) > 30
    words = [*keys, "serve", "check", "export", "code", "certificate", "version"]
    assert [word for word in words if f"\n.B {word}\n" not in page] == []
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings", "--local-file", "-"], input=page, capture_output=True, text=True)
        assert done.stderr == ""


@pytest.mark.nightly("systems")
def test_what_is_installed_beside_the_program_is_found_there(installed):
    """What the page says is for the test above."""
    assert "safelight" in run("zcat", installed / "usr/local/share/man/man8/safelight.8.gz")
    for path, word in (
        ("bash-completion/completions/safelight", "complete"), ("zsh/vendor-completions/_safelight", "#compdef safelight"),
        ("fish/vendor_completions.d/safelight.fish", "complete -c"),
    ):  # fmt: skip
        script = (installed / "usr/local/share" / path).read_text()
        assert word in script and "certificate" in script, path
    for reader in ("open-store", "open-gifts", "open-window"):
        assert "--pepper" in run(sys.executable, installed / "usr/local/share/doc/safelight" / reader, "--help")
    offered = (installed / "etc/safelight/safelight.yaml").read_text()
    assert offered == (CHECKOUT / "packaging/safelight.yaml").read_text()


def test_what_the_configuration_offers_is_accepted(tmp_path):
    """With every comment sign taken away from a key."""
    text = (CHECKOUT / "packaging/safelight.yaml").read_text()
    text = re.sub(r"^#(?=[a-z ]+[a-z.]*:)", "", text, flags=re.MULTILINE)
    assert "registration: code" in text
    assert "\nproxies:" in text
    file = tmp_path / "safelight.yaml"
    text = text.replace("/var/lib/safelight", str(tmp_path / "data"))
    file.write_text(text.replace("[::]:8080", f"127.0.0.1:{free_port()}"))
    words = [binary(), "serve", "--config", file, "--www", WWW]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    # The certificate is the only thing that is not there.
    assert "photos.crt" in done.stderr, done.stderr


def test_a_package_for_which_nobody_answers_is_not_made(tmp_path):
    words = [str(SCRIPTS / "make-deb"), str(binary().parent), str(tmp_path), "1.0"]
    for maintainer in ("somebody", "a@b.example", "A <a>", "A <a@b.example>\nDepends: x"):
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "MAINTAINER": maintainer})
        assert done.returncode == 64 and "is no maintainer" in done.stderr, maintainer
        assert list(tmp_path.iterdir()) == [], maintainer


@pytest.mark.nightly("systems")
def test_installing_again_keeps_the_configuration_and_removing_keeps_the_photos_too(installed, tmp_path):
    folder = tmp_path / "host"
    shutil.copytree(installed, folder, symlinks=True)
    configuration = folder / "etc/safelight/safelight.yaml"
    configuration.write_text("data: /srv/photos\n")
    data = folder / "var/lib/safelight"
    data.mkdir(parents=True)
    (data / "store.header").write_text("photos")
    run(SCRIPTS / "install-files", binary().parent, folder, "/usr/local")
    assert configuration.read_text() == "data: /srv/photos\n"
    run(SCRIPTS / "install-files", "--remove", folder, "/usr/local")
    left = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert left == ["etc/safelight/safelight.yaml", "var/lib/safelight/store.header"]
