"""The reader that was written from docs/format.md alone opens what the daemon wrote."""

import hashlib
import subprocess
import sys

import pytest
from client import PASSWORD, Browser
from daemon import CHECKOUT
from tus import Tus

READER, GIFTS = CHECKOUT / "scripts/open-store", CHECKOUT / "scripts/open-gifts"
MISTAKEN = "nobody ever chose these words"


def read(folder, secret, *options, reader=READER):
    command = [sys.executable, reader, folder, *options]
    return subprocess.run(command, input=secret + "\n", capture_output=True, text=True, check=False)


@pytest.fixture
def contents(seeded):
    """Of every shape that an object has: empty, shorter than a chunk, exactly one, of several."""
    sizes = {"empty.jpg": 0, "one.jpg": 1, "chunk.jpg": 16_384, "many.heic": 200_001, "名前 (1).png": 70_000}
    return {name: seeded.randbytes(size) for name, size in sizes.items()}


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_every_photo_of_a_vault_is_read_without_the_program_and_no_other(restartable_vault, contents, tmp_path):
    browser, other = restartable_vault(), restartable_vault()
    daemon = browser.daemon
    for name, content in contents.items():
        browser.put(name, content)
    browser.put("same name.jpg", b"first"), browser.put("same name.jpg", b"second")
    other.put("other.jpg", b"of the other vault")
    daemon.stop()
    listed = read(daemon.data, browser.password)
    assert listed.returncode == 0, listed.stderr
    assert len(listed.stdout.splitlines()) == len(contents) + 2
    done = read(daemon.data, browser.password, "--to", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    expected = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    both = {hashlib.sha256(content).hexdigest() for content in (b"first", b"second")}
    found = digests(tmp_path / "out")
    assert {found.pop("same name.jpg"), found.pop("same name (2).jpg")} == both
    assert found == expected
    done = read(daemon.data, other.password, "--to", tmp_path / "other")
    assert digests(tmp_path / "other").keys() == {"other.jpg"}, done.stderr
    mistaken = read(daemon.data, MISTAKEN, "--to", tmp_path / "mistaken")
    assert mistaken.returncode == 1 and "opens no vault" in mistaken.stderr and mistaken.stdout == ""
    assert not (tmp_path / "mistaken").exists()


def test_what_came_in_several_runs_is_read_as_one(restartable_vault, seeded, tmp_path):
    content = seeded.randbytes(300_000)
    browser = restartable_vault()
    daemon = browser.daemon
    tus = Tus(browser)
    path = tus.create(len(content), name="runs.mov")
    for start in (0, 100_000, 116_384):
        end = {0: 100_000, 100_000: 116_384, 116_384: len(content)}[start]
        tus.patch(path, start, content[start:end])
    daemon.stop()
    done = read(daemon.data, browser.password, "--to", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert digests(tmp_path / "out") == {"runs.mov": hashlib.sha256(content).hexdigest()}


def test_a_recovery_code_and_the_password_of_a_changed_key_open_it_too(daemon, tmp_path):
    browser = Browser(daemon)
    code = browser.try_create(PASSWORD, recovery=True).json()["recoveryCode"]
    browser.put("a.jpg", b"a photo")
    daemon.stop()
    assert "a.jpg" in read(daemon.data, code.lower(), "--code").stdout
    daemon.start()
    browser = Browser(daemon).open()
    assert browser.request("POST", "/api/vault/rotate", json={"password": PASSWORD}).status_code == 200
    daemon.stop()
    assert read(daemon.data, PASSWORD, "--to", tmp_path / "out").returncode == 0
    assert (tmp_path / "out/a.jpg").read_bytes() == b"a photo"
    assert read(daemon.data, code, "--code").returncode == 1


def test_what_a_killed_daemon_left_in_its_log_is_read_and_nothing_is_changed(restartable_vault):
    browser = restartable_vault()
    daemon = browser.daemon
    browser.put("a.jpg", b"a photo")
    daemon.kill9()
    before = {path: path.read_bytes() for path in daemon.data.iterdir() if path.is_file() and "shm" not in path.name}
    assert "a.jpg" in read(daemon.data, browser.password).stdout
    after = {path: path.read_bytes() for path in daemon.data.iterdir() if path.is_file() and "shm" not in path.name}
    assert after == before


def test_a_damaged_photo_is_named_and_leaves_no_file_and_the_rest_is_read(daemon, tmp_path):
    browser = Browser(daemon).create()
    browser.put("whole.jpg", b"whole"), browser.put("damaged.jpg", b"d" * 50_000)
    daemon.stop()
    large = max(daemon.data.glob("objects/*/*"), key=lambda path: path.stat().st_size)
    content = bytearray(large.read_bytes())
    content[30_000] ^= 1
    large.write_bytes(content)
    done = read(daemon.data, PASSWORD, "--to", tmp_path / "out")
    assert done.returncode == 1 and "damaged.jpg: chunk 1 is damaged" in done.stderr
    assert digests(tmp_path / "out").keys() == {"whole.jpg"}


def test_it_is_short_enough_to_be_read_by_whoever_needs_it():
    assert len(READER.read_text().splitlines()) <= 255
