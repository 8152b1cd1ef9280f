"""A vault gets another key, after somebody may have copied the disk."""

import sqlite3
import threading

import pytest
from attacks import owned
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, has_to_wait, sha256
from faults import (
    FAILED,
    connect,
    copy_folder,
    kills_at_writes,
    needs_root,
    put_head,
    restart_without_attempts,
)  # fmt: skip
from test_ways import PASSKEY, add, add_password, opens, ways
from tus import Begun, Tus


def rotate(browser, password=PASSWORD, **options):
    return browser.request("POST", "/api/vault/rotate", json={"password": password}, **options)


def row_ids(daemon):
    """Of everybody, in the ledger and in both of its copies."""
    found = set()
    for name in ("ledger.sqlite", "ledger.copy-0", "ledger.copy-1"):
        path = daemon.data / name
        if path.exists():
            with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as connection:
                found |= {row for (row,) in connection.execute("SELECT id FROM row")}
            connection.close()
    return found


def test_only_the_password_that_was_typed_opens_the_vault_afterwards(daemon, seeded):
    browser = Browser(daemon)
    code = browser.try_create(PASSWORD, recovery=True).json()["recoveryCode"]
    contents = {f"{number}.jpg": seeded.randbytes(20_000) for number in range(5)}
    for name, content in contents.items():
        browser.put(name, content)
    add_password(browser, OTHER_PASSWORD)
    add(browser, "passkey", secret=PASSKEY)
    other, kept = Browser(daemon).open(OTHER_PASSWORD), Browser(daemon).open(keep=True)
    before, _ = owned(daemon.data, PASSWORD)
    assert len(before) > 16
    answer = rotate(browser)
    assert (answer.status_code, answer.json()) == (200, {"finished": True})
    assert other.session()["kind"] == kept.session()["kind"] == "none"
    assert [way["kind"] for way in ways(browser)] == ["password"]
    secrets = [{"password": OTHER_PASSWORD}, {"recovery": code}, {"passkey": PASSKEY}]
    for _ in range(2):
        assert not any(opens(daemon, **secret) for secret in secrets)
        assert not before & row_ids(daemon)
        owner = Browser(daemon).open()
        assert owner.digests() == {name: sha256(content) for name, content in contents.items()}
        assert "damage" not in owner.session()
        restart_without_attempts(daemon)
    assert kept.session()["kind"] == "none"


def test_the_browser_that_asked_stays_open_until_it_locks(restartable_vault):
    owner = restartable_vault()
    daemon = owner.daemon
    kept = Browser(daemon).open(owner.password, keep=True)
    assert kept.session()["kept"]
    assert rotate(kept, owner.password).status_code == 200
    session = kept.session()
    assert session["kind"] == "vault" and not session["kept"] and session["idleSeconds"] > 0
    daemon.restart()
    assert kept.session()["kind"] == "none"


def test_what_it_does_not_protect_is_as_the_documents_say(daemon, seeded, tmp_path):
    browser = Browser(daemon).create()
    content = seeded.randbytes(5_000)
    browser.put("a.jpg", content)
    add_password(browser, OTHER_PASSWORD)
    daemon.stop()
    copied = copy_folder(daemon.data, tmp_path / "copied")
    daemon.start()
    browser.open()
    assert rotate(browser).status_code == 200
    browser.put("later.jpg", content)
    daemon.stop()
    current = daemon.data.rename(tmp_path / "current")
    copy_folder(copied, daemon.data)
    daemon.start()
    # The copy opens as it did.
    assert Browser(daemon).open(OTHER_PASSWORD).names() == ["a.jpg"]
    daemon.stop()
    # Slots out of the copy lead to nothing of a later disk.
    copy_folder(daemon.data / "slots", tmp_path / "slots")
    daemon.data.rename(tmp_path / "opened")
    copy_folder(current, daemon.data)
    (daemon.data / "slots").write_bytes((tmp_path / "slots").read_bytes())
    daemon.start()
    for password in (PASSWORD, OTHER_PASSWORD):
        answer = Browser(daemon).request("POST", "/api/session", json={"password": password})
        thief = Browser(daemon)
        assert answer.status_code == 401 or thief.open(password).names() == []


def test_nothing_but_a_password_of_the_vault_will_do(vault, elsewhere):
    owner = vault()
    daemon, password = owner.daemon, f"{owner.password} beside a code"
    browser = elsewhere(daemon)
    recovery = browser.try_create(password, recovery=True).json()["recoveryCode"]
    for typed, status, code in (
        ("who knows what it is", 401, "no-such-vault"), ("", 401, "no-such-vault"), (recovery, 409, "password-needed"),
    ):  # fmt: skip
        answer = rotate(browser, typed)
        assert (answer.status_code, code_of(answer)) == (status, code), typed
    assert opens(daemon, recovery=recovery) and opens(daemon, password=password)


def test_wrong_passwords_count_as_they_do_anywhere(vault, elsewhere):
    owner = vault()
    browser = elsewhere(owner.daemon).open(owner.password)
    assert [rotate(browser, "not the one").status_code for _ in range(5)] == [401] * 5
    has_to_wait(lambda: rotate(browser, "not the one"))


def test_an_upload_that_is_being_sent_and_one_that_waits_go_on(restartable_vault, seeded):
    browser = restartable_vault()
    daemon = browser.daemon
    half = Begun("half", seeded.randbytes(50_000))
    tus = Tus(browser)
    half.path = tus.create(len(half.content), name=half.name)
    tus.patch(half.path, 0, half.content[:20_000])
    sent = seeded.randbytes(200_000)
    with connect(daemon) as sending:
        sending.sendall(put_head(browser, "sent", len(sent)) + sent[:100_000])
        assert rotate(browser, browser.password).status_code == 200
        sending.sendall(sent[100_000:])
        assert sending.recv(65536).startswith(b"HTTP/1.1 201 ")
    daemon.restart()
    browser.open()
    assert Tus(browser).offset(half.path) == 20_000
    Tus(browser).patch(half.path, 20_000, half.content[20_000:])
    assert browser.digests() == {"half": sha256(half.content), "sent": sha256(sent)}


def check_after_kill(daemon, browser, contents, half, what):
    """The vault is whole, and opens by the password alone if the rotation has begun, else by every way as before."""
    was_rotated = not opens(daemon, password=OTHER_PASSWORD)
    assert opens(daemon, passkey=PASSKEY) != was_rotated, what
    owner = Browser(daemon).open()
    assert "damage" not in owner.session(), what
    assert owner.digests() == {name: sha256(content) for name, content in contents.items()}, what
    assert Tus(owner).offset(half.path) == 20_000, what
    assert len(ways(owner)) == (1 if was_rotated else 3), what
    # Finished by that opening: the slots hold the present key, and nothing leads there from the old one.
    assert rotate(owner).json() == {"finished": True}, what
    restart_without_attempts(daemon)
    assert Browser(daemon).open().digests() == {name: sha256(content) for name, content in contents.items()}, what
    return was_rotated


# A rotation writes to the ledger's log some 200 times, to the slots 24 and once more 12, to the ledger where the log is
# taken into it, and to its copies, which are renamed when they are whole.
KILLS = [
    ("pwrite64", "ledger.sqlite-wal", 110), ("pwrite64", "slots", 1), ("pwrite64", "slots", 30), ("pwrite64", "ledger.sqlite", 20),
    ("fdatasync", "slots", 1), ("fdatasync", "ledger.sqlite-wal", 6), ("renameat", None, 1),
]  # fmt: skip


@pytest.mark.nightly("disks")
@needs_root
def test_a_kill_at_each_write_leaves_the_vault_whole_and_no_old_way_valid(daemon, seeded, counted):
    browser = Browser(daemon).create()
    contents = {f"{number}.jpg": seeded.randbytes(900) for number in range(6)}
    contents["long" * 200] = seeded.randbytes(900)
    for name, content in contents.items():
        browser.put(name, content)
    half = Begun("half", seeded.randbytes(50_000))
    half.path = Tus(browser).create(len(half.content), name=half.name)
    Tus(browser).patch(half.path, 0, half.content[:20_000])
    outcomes = set()
    for kill in kills_at_writes(daemon, counted, ("pwrite64", "fdatasync", "renameat"), KILLS):
        browser = Browser(daemon).open()
        if len(ways(browser)) == 1:
            assert add_password(browser, OTHER_PASSWORD).status_code == 201
            assert add(browser, "passkey", secret=PASSKEY).status_code == 201
        with kill.meanwhile():
            rotate(browser, timeout=300)
        outcomes.add(check_after_kill(daemon, browser, contents, half, str(kill)))
    assert outcomes == {False, True}


def test_a_password_opens_the_vault_beside_a_rotation_too(vault):
    owner = vault()
    refused, going, opened = [], threading.Event(), threading.Semaphore(0)
    going.set()

    def keep_opening():
        while going.is_set():
            answer = Browser(owner.daemon).try_open(owner.password)
            if answer.status_code != 200:
                refused.append(answer.text)
            opened.release()

    thread = threading.Thread(target=keep_opening)
    thread.start()
    for _ in range(6):
        # Each rotation meets another opening: one that met two would be told to try again.
        while opened.acquire(blocking=False):
            pass
        assert opened.acquire(timeout=300)
        assert rotate(owner, owner.password).status_code == 200
    going.clear()
    thread.join(300)
    assert refused == []


def test_a_kill_at_any_moment_beside_running_uploads_loses_nothing(daemon, seeded, counted):
    browser = Browser(daemon).create()
    expected = {}
    for attempt in range(counted(3, 40)):
        browser = Browser(daemon).open()
        saved = {}

        def work(browser=browser, attempt=attempt, saved=saved):
            try:
                for number in range(500):
                    name, content = f"{attempt}-{number}", seeded.randbytes(500)
                    browser.put(name, content)
                    saved[name] = sha256(content)
            except (*FAILED, AssertionError):
                pass

        def turn(browser=browser):
            try:
                while rotate(browser).status_code == 200:
                    pass
            except FAILED:
                pass

        threads = [threading.Thread(target=work), threading.Thread(target=turn)]
        for thread in threads:
            thread.start()
        threads[0].join(seeded.random() * 1.5)
        daemon.kill9()
        for thread in threads:
            thread.join(300)
        daemon.start()
        owner = Browser(daemon).open()
        assert "damage" not in owner.session()
        digests = owner.digests()
        expected |= saved
        # One whose answer did not arrive may be there as well.
        assert len(digests) - len(expected) in (0, 1)
        assert {name: digests.get(name) for name in expected} == expected
        expected = digests
