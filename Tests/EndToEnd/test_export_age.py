"""safelight export --age: a vault as one encrypted file, made by the program age as a stream."""

import fcntl
import os
import subprocess
import tarfile

import pytest
from client import PASSWORD, Browser, sha256
from daemon import binary
from faults import needs_root


@pytest.fixture
def key(tmp_path):
    """(file of the identity, recipient)"""
    file = tmp_path / "key.txt"
    done = subprocess.run(["age-keygen", "-o", str(file)], capture_output=True, check=True)
    return file, done.stderr.decode().split()[-1]


@pytest.fixture(scope="module")
def filled(start_standing):
    """A stopped daemon with a vault, which an export leaves as it is; name → content."""
    daemon = start_standing()
    browser = Browser(daemon).create()
    files = {"a.jpg": b"\xff\xd8\xff" + os.urandom(3_000_001), "Straße & 照片.jpg": b"x" * 512, "n" * 180 + ".jpg": b"", "b.mp4": os.urandom(700)}
    for name, content in files.items():
        browser.put(name, content)
    album = browser.request("POST", "/api/albums", json={"name": "Rome", "ids": [browser.photos()[0]["id"]]})
    assert album.status_code in (200, 201), album.text
    daemon.stop()
    return daemon, files


def export(daemon, *words, environment=None, stdout=None):
    return subprocess.run(
        [str(binary()), "export", "--data", str(daemon.data), *map(str, words)], input=PASSWORD.encode() + b"\n",
        stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=environment or daemon.variables(), timeout=120,
    )  # fmt: skip


def unpacked(encrypted, identity, folder):
    """What age and tar make of it; SHA256SUMS is checked by the program that everybody has."""
    folder.mkdir()
    opened = subprocess.run(["age", "--decrypt", "-i", str(identity), str(encrypted)], capture_output=True, check=True)
    subprocess.run(["tar", "--extract", "--directory", str(folder)], input=opened.stdout, check=True)
    subprocess.run(["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=folder, check=True, capture_output=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_is_unpacked_by_age_and_tar_with_names_times_and_a_proof(filled, key, tmp_path):
    (daemon, files), (identity, recipient) = filled, key
    other = tmp_path / "other.txt"
    done = subprocess.run(["age-keygen", "-o", str(other)], capture_output=True, check=True)
    recipients = tmp_path / "recipients"
    recipients.write_text(f"# somebody else\n{done.stderr.decode().split()[-1]}\n")
    target = tmp_path / "photos.tar.age"
    done = export(daemon, "--to", target, "--age", recipient, "--age-file", recipients, "--albums")
    assert done.returncode == 0 and f"{len(files)} photos in {target}" in done.stderr.decode(), done.stderr
    assert target.read_bytes().startswith(b"age-encryption.org/v1\n") and target.stat().st_mode & 0o777 == 0o600
    for number, one in enumerate((identity, other)):
        found = unpacked(target, one, tmp_path / f"out{number}")
        assert {name: found[name] for name in files} == files and "Rome" in found["albums.csv"].decode()
    assert not [path for path in tmp_path.iterdir() if path.name.endswith(".safelight-part")]
    # What is there is not replaced.
    before = sha256(target.read_bytes())
    assert export(daemon, "--to", target, "--age", recipient).returncode == 78 and sha256(target.read_bytes()) == before


def test_it_goes_to_standard_output(filled, key, tmp_path):
    (daemon, files), (identity, recipient) = filled, key
    target = tmp_path / "stream.age"
    with open(target, "wb") as output:
        done = export(daemon, "--to", "-", "--age", recipient, stdout=output)
    assert done.returncode == 0, done.stderr
    found = unpacked(target, identity, tmp_path / "out")
    assert {name: found[name] for name in files} == files
    with tarfile.open(fileobj=subprocess.Popen(["age", "-d", "-i", identity, target], stdout=subprocess.PIPE).stdout, mode="r|") as archive:
        assert [entry.name for entry in archive][-1] == "SHA256SUMS"


def test_without_age_it_says_so_and_leaves_nothing(filled, tmp_path):
    daemon, _ = filled
    target = tmp_path / "photos.age"
    done = export(daemon, "--to", target, "--age", "age1x", environment={**daemon.variables(), "PATH": "/nowhere"})
    assert done.returncode == 78 and "age is not installed" in done.stderr.decode(), done.stderr
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("photos")]


def test_it_leaves_the_file_alone_that_another_one_is_writing(filled, key, tmp_path):
    (daemon, _), (_, recipient) = filled, key
    target = tmp_path / "photos.age"
    draft = tmp_path / "photos.age.safelight-part"
    draft.write_bytes(b"half")
    with open(draft, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        done = export(daemon, "--to", target, "--age", recipient)
        assert done.returncode == 78 and "Another export is writing" in done.stderr.decode(), done.stderr
        assert draft.read_bytes() == b"half" and not target.exists()
    assert export(daemon, "--to", target, "--age", recipient).returncode == 0 and not draft.exists()


def test_a_recipient_that_is_none_leaves_nothing(filled, tmp_path):
    daemon, _ = filled
    target = tmp_path / "photos.age"
    done = export(daemon, "--to", target, "--age", "age1nobody")
    assert done.returncode == 74 and "age failed" in done.stderr.decode(), done.stderr
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("photos")]


def test_a_photo_that_is_damaged_is_named_and_the_rest_is_whole(filled, key, tmp_path):
    (daemon, files), (identity, recipient) = filled, key
    largest = max(daemon.object_files(), key=lambda path: path.stat().st_size)
    whole = largest.read_bytes()
    largest.write_bytes(whole[:2_000_000] + b"damage" + whole[2_000_006:])
    try:
        done = export(daemon, "--to", tmp_path / "photos.age", "--age", recipient)
    finally:
        largest.write_bytes(whole)
    assert done.returncode == 1 and "DAMAGE a.jpg" in done.stderr.decode(), done.stderr
    found = unpacked(tmp_path / "photos.age", identity, tmp_path / "out")
    assert {name: found[name] for name in files if name != "a.jpg"} == {name: files[name] for name in files if name != "a.jpg"}
    assert b"a.jpg" not in found["SHA256SUMS"]


@needs_root
def test_a_disk_that_is_full_leaves_nothing(filled, key, tmp_path):
    (daemon, _), (_, recipient) = filled, key
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=True)
    try:
        done = export(daemon, "--to", folder / "photos.age", "--age", recipient)
        assert done.returncode == 74 and list(folder.iterdir()) == [], done.stderr
    finally:
        subprocess.run(["umount", str(folder)], check=True)
