"""safelight check, export, code and certificate."""

import os
import subprocess

import pytest
from client import PASSWORD, Browser, sha256, wait_until
from daemon import Daemon
from faults import flip_bit


@pytest.fixture
def stopped(daemon, vault, photos):
    """A stopped daemon whose one vault holds every real photo."""
    browser = vault()
    for path in photos:
        browser.put(path.name, path.read_bytes())
    browser.put("../../outside.jpg", b"outside")
    daemon.stop()
    return daemon


def check(daemon, *more, **options):
    return daemon.run("check", "--data", str(daemon.data), *more, **options)


def export(daemon, target, password=PASSWORD):
    return daemon.run("export", "--data", str(daemon.data), "--to", str(target), input=password.encode() + b"\n")


def test_a_sound_store_passes(stopped):
    done = check(stopped)
    assert done.returncode == 0, done.stdout + done.stderr
    done = check(stopped, "--password", input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0, done.stdout + done.stderr


def test_check_changes_nothing(stopped):
    before = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in stopped.data.rglob("*") if path.is_file()}
    check(stopped)
    after = {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in stopped.data.rglob("*") if path.is_file()}
    assert after == before


def test_a_missing_object_is_damage_that_needs_no_password(stopped):
    stopped.object_files()[0].unlink()
    assert check(stopped).returncode == 1


def test_a_truncated_slot_table_is_damage(stopped):
    slots = next(path for path in stopped.data.iterdir() if path.is_file() and path.stat().st_size == 16 << 20)
    os.truncate(slots, 12345)
    assert check(stopped).returncode in (1, 78)


def test_a_flipped_bit_in_a_photo_is_found_with_the_password(stopped):
    target = stopped.object_files()[3]
    flip_bit(target, target.stat().st_size // 2)
    assert check(stopped, "--password", input=PASSWORD.encode() + b"\n").returncode == 1


def test_a_folder_that_is_no_store_is_unusable(stopped, tmp_path):
    empty = tmp_path / "empty"
    empty.mkdir(mode=0o700)
    assert stopped.run("check", "--data", str(empty)).returncode == 78
    assert list(empty.iterdir()) == []


def test_an_export_holds_every_photo_and_its_sums_are_right(stopped, photos, tmp_path):
    target = tmp_path / "export"
    done = export(stopped, target)
    assert done.returncode == 0, done.stdout + done.stderr
    exported = {path.name: sha256(path.read_bytes()) for path in target.rglob("*") if path.is_file()}
    for path in photos:
        assert exported[path.name] == sha256(path.read_bytes())
    assert sha256(b"outside") in exported.values()
    assert not (tmp_path / "outside.jpg").exists() and not (tmp_path.parent / "outside.jpg").exists()
    verified = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=target, capture_output=True)
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert len((target / "SHA256SUMS").read_text().splitlines()) == len(photos) + 1


def test_an_interrupted_export_goes_on(stopped, photos, tmp_path):
    target = tmp_path / "export"
    assert export(stopped, target).returncode == 0
    whole = contents(target)
    (target / photos[0].name).unlink()
    os.truncate(target / photos[1].name, 100)
    assert export(stopped, target).returncode == 0
    assert contents(target) == whole


def contents(folder):
    """File contents by name; the lines of SHA256SUMS in any order."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    files["SHA256SUMS"] = sorted(files["SHA256SUMS"].splitlines())
    return files


def test_a_second_export_of_a_vault_that_changed_is_right_again(stopped, photos, tmp_path):
    target = tmp_path / "export"
    assert export(stopped, target).returncode == 0
    stopped.start()
    Browser(stopped).open().put(photos[0].name, b"another photo of the same name")
    stopped.stop()
    assert export(stopped, target).returncode == 0
    verified = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=target, capture_output=True)
    assert verified.returncode == 0, verified.stdout
    contents = {sha256(path.read_bytes()) for path in target.iterdir()}
    assert {sha256(photos[0].read_bytes()), sha256(b"another photo of the same name")} <= contents


def test_an_export_with_a_wrong_password_writes_nothing(stopped, tmp_path):
    target = tmp_path / "export"
    assert export(stopped, target, "some other words entirely").returncode not in (0, None)
    assert not target.exists() or list(target.iterdir()) == []


def test_the_password_is_in_no_output(stopped, tmp_path):
    done = export(stopped, tmp_path / "export")
    assert PASSWORD.encode() not in done.stdout + done.stderr


def test_the_setup_code_of_a_running_daemon_is_told_on_its_host(daemon):
    done = daemon.run("code", "--data", str(daemon.data))
    assert done.returncode == 0, done.stdout + done.stderr
    code = done.stdout.decode().strip().split()[-1]
    assert len(code) == 9 and code[4] == "-"
    wait_until(lambda: code in daemon.log, "the log does not tell it")


def test_the_certificate_of_a_running_daemon_is_told_and_nothing_is_touched(daemon):
    page = Browser(daemon).request("GET", "/api/certificate").json()
    before = {path: path.stat().st_mtime_ns for path in (daemon.data / "tls").iterdir()}
    done = daemon.run("certificate", "--data", str(daemon.data))
    assert done.returncode == 0, done.stdout + done.stderr
    text = done.stdout.decode()
    assert page["name"] in text and " ".join(page["words"]) in text
    assert page["fingerprint"] in text.replace("\n    ", ":")
    assert page["notAfter"][:10] in text
    assert {path: path.stat().st_mtime_ns for path in (daemon.data / "tls").iterdir()} == before


def test_the_certificate_itself_is_printed_without_its_key(daemon):
    page = Browser(daemon).request("GET", "/api/certificate").json()
    done = daemon.run("certificate", "--data", str(daemon.data), "--pem")
    assert b"PRIVATE KEY" not in done.stdout and done.stdout.count(b"BEGIN") == 1
    words = ["openssl", "x509", "-noout", "-fingerprint", "-sha256"]
    shown = subprocess.run(words, input=done.stdout, capture_output=True, check=True).stdout.decode()
    assert shown.strip().endswith("=" + page["fingerprint"])


def test_the_owners_certificate_is_told_by_its_own_fingerprint(tmp_path):
    daemon = Daemon(tmp_path)
    own = tmp_path / "own.pem"
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30"]
    words += ["-subj", "/CN=photos.example", "-keyout", str(tmp_path / "own.key"), "-out", str(own)]
    subprocess.run(words, check=True, capture_output=True)
    daemon.environment |= {"SAFELIGHT_TLS_CERTIFICATE": str(own), "SAFELIGHT_TLS_KEY": str(tmp_path / "own.key")}
    text = daemon.run("certificate", "--data", str(daemon.data)).stdout.decode()
    words = ["openssl", "x509", "-noout", "-fingerprint", "-sha256", "-in", str(own)]
    shown = subprocess.run(words, capture_output=True, check=True).stdout.decode()
    assert text.startswith("photos.example\n")
    assert shown.strip().split("=")[1] in text.replace("\n    ", ":")
    assert not daemon.data.exists()


def test_there_is_no_certificate_before_the_first_start(tmp_path):
    done = Daemon(tmp_path).run("certificate", "--data", str(tmp_path / "data"))
    assert done.returncode == 78 and done.stdout == b"" and b"first start" in done.stderr
    assert not (tmp_path / "data").exists()
