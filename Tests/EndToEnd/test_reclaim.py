"""safelight reclaim: room that forgotten vaults take is won back, and nothing of the others is touched."""

import sqlite3

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, sha256


def reclaim(daemon, *lines, more=()):
    text = "".join(f"{line}\n" for line in lines)
    return daemon.run("reclaim", "--data", str(daemon.data), *more, input=text.encode())


@pytest.fixture
def two(daemon, seeded):
    """A stopped daemon with two vaults and a guest: (daemon, what the first has, what the second has)."""
    contents = {}
    for password, count in ((PASSWORD, 4), (OTHER_PASSWORD, 3)):
        browser = Browser(daemon).create(password)
        contents[password] = {}
        for number in range(count):
            content = seeded.randbytes(50_000)
            browser.put(f"{number}.jpg", content)
            contents[password][f"{number}.jpg"] = sha256(content)
    daemon.guest = Browser(daemon).begin_guest()
    daemon.guest.put("guest.jpg", b"guest" * 5000)
    browser = Browser(daemon).open()
    browser.delete(browser.photos()[:1])
    daemon.stop()
    return daemon, contents[PASSWORD], contents[OTHER_PASSWORD]


def in_quarantine(daemon):
    return [path for path in (daemon.data / "quarantine").rglob("*") if path.is_file()]


def test_the_vaults_that_are_named_stay_whole_and_the_others_go_to_quarantine(two):
    daemon, first, second = two
    done = reclaim(daemon, PASSWORD, "", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"3 objects" in done.stdout and b"If there is another vault on this host" in done.stdout
    assert PASSWORD.encode() not in done.stdout + done.stderr
    assert len(in_quarantine(daemon)) == 3
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0
    daemon.start()
    browser = Browser(daemon).open()
    trashed = {photo["name"] for photo in browser.trash()}
    assert len(trashed) == 1
    assert browser.digests() == {name: digest for name, digest in first.items() if name not in trashed}
    assert browser.session().get("damage") is None
    assert daemon.guest.digests() == {"guest.jpg": sha256(b"guest" * 5000)}
    # Whoever was left out by mistake has everything back.
    assert Browser(daemon).open(OTHER_PASSWORD).digests() == second
    assert in_quarantine(daemon) == []
    daemon.restart()
    assert Browser(daemon).open(OTHER_PASSWORD).digests() == second


def test_nothing_is_changed_unless_all_that_is_asked_for_is_said_right(two):
    daemon, _, _ = two
    before = daemon.object_files()
    # Whose passwords are all there is nothing of others to win back.
    done = reclaim(daemon, PASSWORD, OTHER_PASSWORD, "")
    assert done.returncode == 0 and b"Nothing is unclaimed" in done.stdout
    for answer in ("", "yes", "4"):
        assert reclaim(daemon, PASSWORD, "", answer).returncode == 73, answer
    assert reclaim(daemon, PASSWORD, "wrong password here", "", "3").returncode == 77
    daemon.start()
    done = reclaim(daemon, PASSWORD, "", "3")
    assert done.returncode == 78 and b"in use" in done.stderr
    assert reclaim(daemon, "yes", more=["--purge"]).returncode == 78
    assert daemon.object_files() == before and in_quarantine(daemon) == []


def test_a_damaged_vault_keeps_everything_where_it_is(two):
    """What a lost entry named could not be told from what nobody owns."""
    daemon, _, _ = two
    for name in ("ledger.sqlite", "ledger.copy-0", "ledger.copy-1"):
        ledger = sqlite3.connect(daemon.data / name)
        with ledger:
            ids = [row[0] for row in ledger.execute("SELECT id FROM row ORDER BY id")]
            ledger.executemany("DELETE FROM row WHERE id = ?", [(id,) for id in ids[::2]])
        ledger.close()
    before = daemon.object_files()
    done = reclaim(daemon, PASSWORD, "", "3")
    assert done.returncode in (1, 77), done.stdout + done.stderr
    assert daemon.object_files() == before


def test_a_purge_removes_for_good_what_was_put_aside_once_it_is_confirmed(two):
    daemon, first, _ = two
    assert reclaim(daemon, PASSWORD, "", "3").returncode == 0
    assert reclaim(daemon, "no", more=["--purge"]).returncode == 73
    assert len(in_quarantine(daemon)) == 3
    done = reclaim(daemon, "yes", more=["--purge"])
    assert done.returncode == 0 and b"3 files were removed" in done.stdout
    assert in_quarantine(daemon) == []
    assert b"Nothing lies in quarantine" in reclaim(daemon, more=["--purge"]).stdout
    daemon.start()
    assert set(Browser(daemon).open().names()) < set(first)
    assert len(Browser(daemon).open(OTHER_PASSWORD).session()["damage"]["unreadable"]) == 3
