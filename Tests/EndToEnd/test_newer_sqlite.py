"""All that the daemon and its commands ask of SQLite, asked of a newer one than that of Debian 12, as later releases have."""

import importlib.util
from pathlib import Path

import pytest
from client import PASSWORD, Browser, sha256
from daemon import Daemon
from faults import flip_bit
from tus import Tus

pytestmark = pytest.mark.nightly("systems")

PACKAGE = Path(importlib.util.find_spec("apsw").origin).parent
# The same shared library as Debian's, by another builder.
NEWER = PACKAGE / "sqlite_extra_binaries/libsqlite3_tool.so"


@pytest.fixture
def newer(start_daemon):
    return lambda **options: start_daemon(environment={"LD_PRELOAD": str(NEWER)}, **options)


def restored_daemon(daemon, tmp_path):
    folder = tmp_path / "restored"
    folder.mkdir()
    return Daemon(folder, environment={"LD_PRELOAD": str(NEWER)})


def health(daemon):
    return Browser(daemon).request("GET", "/health").json()


def purge(browser, name):
    browser.delete([photo for photo in browser.photos() if photo["name"] == name])
    answer = browser.request("DELETE", "/api/trash")
    assert answer.status_code == 200, answer.text
    return answer.json()


def run(daemon, *words, **options):
    done = daemon.run(*words, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.decode()


def test_a_store_lives_its_whole_life(newer, tmp_path, seeded):
    daemon = newer()
    assert str(NEWER) in Path(f"/proc/{daemon.pid}/maps").read_text()
    browser = Browser(daemon).create()
    content = seeded.randbytes(300_000)
    browser.put("a.jpg", content)
    browser.put("again.jpg", content)
    browser.put("gone.jpg", b"gone" * 5000)
    tus = Tus(browser)
    path = tus.create(20_000)
    tus.patch(path, 0, b"t" * 10_000)
    assert "obstacle" not in purge(browser, "gone.jpg")
    assert health(daemon)["status"] == "pass", health(daemon)

    target = tmp_path / "backup"
    run(daemon, "backup", "--data", str(daemon.data), "--to", str(target))
    run(daemon, "backup", "--data", str(daemon.data), "--to", str(target), "--verify")
    daemon.restart()
    tus = Tus(Browser(daemon).open())
    tus.patch(path, 10_000, b"t" * 10_000)
    daemon.stop()
    run(daemon, "check", "--data", str(daemon.data))
    typed = (PASSWORD + "\n").encode()
    run(daemon, "export", "--data", str(daemon.data), "--to", str(tmp_path / "photos"), input=typed)
    assert (tmp_path / "photos/a.jpg").read_bytes() == content

    again = restored_daemon(daemon, tmp_path)
    run(again, "restore", "--from", str(target), "--to", str(again.data))
    again.start()
    assert Browser(again).open().digests()["a.jpg"] == sha256(content)
    again.stop()


def test_a_damaged_ledger_is_replaced_by_a_copy(newer):
    daemon = newer()
    Browser(daemon).create().put("a.jpg", b"a" * 5000)
    daemon.restart()
    daemon.stop()
    flip_bit(daemon.data / "ledger.sqlite", 0)
    daemon.start()
    assert "its copy is used" in daemon.log
    assert Browser(daemon).open().names() == ["a.jpg"]


def test_a_store_made_with_the_older_library_goes_on_with_the_newer(start_daemon):
    daemon = start_daemon()
    browser = Browser(daemon).create()
    browser.put("a.jpg", b"a" * 5000)
    browser.put("b.jpg", b"b" * 5000)
    daemon.stop()
    daemon.environment["LD_PRELOAD"] = str(NEWER)
    daemon.start()
    browser = Browser(daemon).open()
    purge(browser, "b.jpg")
    assert browser.names() == ["a.jpg"]
    assert health(daemon)["status"] == "pass", health(daemon)
    daemon.stop()
