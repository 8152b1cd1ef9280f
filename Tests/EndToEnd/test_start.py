"""Starting, refusing to start, stopping."""

import hashlib
import signal
import time

import pytest
from client import Browser
from daemon import Daemon

UNUSABLE = 78
HEADER_COPY = 4096


def tree(folder):
    """Names, modes and contents below a folder; equal only when not a byte has changed."""
    return {
        str(path.relative_to(folder)): (
            path.stat().st_mode,
            hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None,
        )
        for path in [folder, *folder.rglob("*")]
    }


def second_on(daemon, tmp_path):
    """Another daemon for the data folder of `daemon`, not yet launched."""
    folder = tmp_path / f"second-{time.monotonic_ns()}"
    folder.mkdir()
    return Daemon(folder, data=daemon.data)


def test_a_second_daemon_on_the_same_folder_gives_up_within_a_second(daemon, tmp_path):
    took = []
    for _ in range(3):
        second = second_on(daemon, tmp_path)
        started = time.monotonic()
        second.launch()
        assert second.wait(20) == UNUSABLE, second.log
        took.append(time.monotonic() - started)
        assert str(daemon.pid) in second.log, second.log
    assert min(took) < 1, took
    Browser(daemon).create().put("a.jpg", b"a")


def test_the_lock_ends_with_its_holder(daemon, tmp_path):
    Browser(daemon).create().put("a.jpg", b"a")
    daemon.kill9()
    second = second_on(daemon, tmp_path).start()
    assert Browser(second).open().names() == ["a.jpg"]
    second.stop()


def test_a_folder_that_others_may_read_is_refused(daemon):
    daemon.stop()
    daemon.data.chmod(0o755)
    daemon.launch()
    assert daemon.wait(20) == UNUSABLE, daemon.log
    daemon.data.chmod(0o700)
    daemon.start()


def test_a_folder_with_other_things_in_it_is_refused_and_left_alone(tmp_path):
    daemon = Daemon(tmp_path)
    daemon.data.mkdir(mode=0o700)
    (daemon.data / "thesis.txt").write_text("three years of work")
    before = tree(daemon.data)
    daemon.launch()
    assert daemon.wait(20) == UNUSABLE, daemon.log
    assert tree(daemon.data) == before


def test_a_store_that_lost_its_header_is_not_begun_anew(daemon):
    Browser(daemon).create().put("a.jpg", b"a")
    daemon.stop()
    for path in daemon.data.glob("store.header*"):
        path.unlink()
    before = {path: content for path, content in tree(daemon.data).items() if "slots" in path or "objects" in path}
    daemon.launch()
    assert daemon.wait(20) == UNUSABLE, daemon.log
    after = {path: content for path, content in tree(daemon.data).items() if "slots" in path or "objects" in path}
    assert after == before


def write_newer_header(daemon, copies):
    """The header of docs/format.md with a format version that does not exist yet."""
    path = daemon.data / "store.header"
    content = bytearray(path.read_bytes())
    for start in range(0, copies * HEADER_COPY, HEADER_COPY):
        content[start + 8 : start + 12] = (2).to_bytes(4, "big")
        digest = hashlib.sha256(content[start : start + HEADER_COPY - 32]).digest()
        content[start + HEADER_COPY - 32 : start + HEADER_COPY] = digest
    path.write_bytes(content)


@pytest.mark.parametrize("copies", [1, 3])
def test_a_newer_format_is_refused_and_not_a_byte_is_changed(daemon, vault, copies):
    vault().put("a.jpg", b"a")
    daemon.kill9()
    write_newer_header(daemon, copies)
    before = tree(daemon.data)
    daemon.launch()
    assert daemon.wait(20) == UNUSABLE, daemon.log
    assert "format" in daemon.log.lower() and "2" in daemon.log
    assert tree(daemon.data) == before


@pytest.mark.parametrize("good", [0, 1, 2])
def test_one_good_copy_of_the_header_heals_the_others(daemon, vault, seeded, good):
    vault().put("a.jpg", b"a")
    daemon.stop()
    path = daemon.data / "store.header"
    whole = path.read_bytes()
    content = bytearray(seeded.randbytes(len(whole)))
    content[good * HEADER_COPY : (good + 1) * HEADER_COPY] = whole[good * HEADER_COPY : (good + 1) * HEADER_COPY]
    path.write_bytes(content)
    daemon.start()
    assert Browser(daemon).open().names() == ["a.jpg"]
    assert path.read_bytes() == whole


@pytest.mark.parametrize("arguments", [["serve", "--no-such-option"], ["no-such-command"], ["serve", "--listen", "nowhere"]])
def test_wrong_usage_ends_with_64(tmp_path, arguments):
    daemon = Daemon(tmp_path)
    assert daemon.run(*arguments).returncode in (64, UNUSABLE)
    assert not daemon.data.exists()


def test_help_names_every_key(tmp_path):
    help = Daemon(tmp_path).run("serve", "--help").stdout.decode()
    for word in ("--data", "--listen", "--www", "--config", "registration"):
        assert word in help


def test_the_cheap_kdf_of_tests_is_called_unsafe_at_every_start(daemon):
    assert "unsafe" in daemon.log.lower()
    before = len(daemon.log)
    daemon.restart()
    assert "unsafe" in daemon.log[before:].lower()


def test_an_idle_daemon_stops_with_0_by_sigterm_and_sigint(daemon):
    daemon.stop()
    daemon.start()
    daemon.process.send_signal(signal.SIGINT)
    assert daemon.wait() == 0


def test_stopping_leaves_the_ledger_in_one_file(daemon, vault):
    vault().put("a.jpg", b"a")
    daemon.stop()
    assert not [path for path in daemon.data.glob("ledger.sqlite-wal") if path.stat().st_size]


def test_health(daemon):
    answer = Browser(daemon).request("GET", "/health")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("application/health+json")
    assert answer.json()["status"] == "pass", answer.text
    assert Browser(daemon).request("GET", "/health/live").status_code == 200
