"""What the data folder survives: many vaults, lost key slots, a lost or damaged ledger, damaged objects, a full disk."""

import re
import shutil

import pytest
import requests
from client import Browser, code_of, sha256, wait_until
from faults import copy_folder, fill, flip_bit, needs_root, tmpfs

SLOT = 256
SLOTS_BYTE_COUNT = 262_144 * SLOT


def slots_file(daemon):
    slots = daemon.data / "slots"
    assert slots.stat().st_size == SLOTS_BYTE_COUNT
    return slots


def changed_slots(before, after):
    """Block by block, for there are many."""
    block = 1 << 16
    differing = [at for at in range(0, SLOTS_BYTE_COUNT, block) if before[at : at + block] != after[at : at + block]]
    slots = [at + slot for at in differing for slot in range(0, block, SLOT)]
    return [at for at in slots if before[at : at + SLOT] != after[at : at + SLOT]]


def test_many_vaults_all_open_again(restartable, restartable_vault, counted):
    daemon, passwords = restartable, []
    for number in range(counted(12, 200)):
        browser = restartable_vault()
        passwords.append(browser.password)
        browser.put("own.jpg", f"photo of vault {number}".encode())
        browser.lock()
    daemon.restart()
    for number, password in enumerate(passwords):
        browser = Browser(daemon).open(password)
        photos = browser.photos()
        assert [photo["name"] for photo in photos] == ["own.jpg"]
        assert browser.content(photos[0]) == f"photo of vault {number}".encode()
        assert "damage" not in browser.request("GET", "/api/session").json()
        browser.lock()


def test_a_vault_opens_with_one_of_twelve_slots_and_heals(daemon, seeded):
    before = slots_file(daemon).read_bytes()
    Browser(daemon).create().put("kept.jpg", b"kept")
    daemon.stop()
    after = slots_file(daemon).read_bytes()
    positions = changed_slots(before, after)
    assert len(positions) == 12
    destroyed = seeded.sample(positions, 11)
    with slots_file(daemon).open("r+b") as slots:
        for position in destroyed:
            slots.seek(position)
            slots.write(seeded.randbytes(SLOT))
    damaged = slots_file(daemon).read_bytes()
    daemon.start()
    assert Browser(daemon).open().digests() == {"kept.jpg": sha256(b"kept")}
    daemon.stop()
    healed = slots_file(daemon).read_bytes()
    assert set(destroyed) <= set(changed_slots(damaged, healed))
    assert set(changed_slots(damaged, healed)) <= set(positions)
    daemon.start()
    Browser(daemon).open()


def test_opening_a_whole_vault_writes_no_slot(restartable_vault):
    browser = restartable_vault()
    daemon = browser.daemon
    daemon.stop()
    before = slots_file(daemon).read_bytes()
    daemon.start()
    browser.open()
    daemon.stop()
    assert slots_file(daemon).read_bytes() == before


def lose_ledger(daemon):
    for path in daemon.data.glob("ledger.sqlite*"):
        path.unlink()


def ruin_ledger(daemon):
    # The log too: as long as it is whole it holds every page that changed since the last checkpoint.
    for path in daemon.data.glob("ledger.sqlite*"):
        with path.open("r+b") as file:
            file.write(b"\0" * 4096)


@pytest.mark.parametrize("harm", [lose_ledger, ruin_ledger])
def test_without_its_ledger_the_store_takes_the_copy_and_names_the_loss(daemon, vault, harm):
    vault().put("before-the-copy.jpg", b"before")
    daemon.restart()
    Browser(daemon).open().put("after-the-copy.jpg", b"after")
    daemon.kill9()
    harm(daemon)
    log_before = daemon.log
    daemon.start()
    said = daemon.log[len(log_before) :]
    assert re.search(r"cop(y|ies)", said, re.I) and re.search(r"ledger", said, re.I), said
    assert re.search(r"quarantine", said, re.I), said
    assert Browser(daemon).open().digests() == {"before-the-copy.jpg": sha256(b"before")}
    quarantined = [path for path in (daemon.data / "quarantine").rglob("*") if path.is_file()]
    assert len(quarantined) == 1


LOG_LOST = "ledger's log (ledger.sqlite-wal) is gone"


def log_check(daemon):
    return Browser(daemon).request("GET", "/health").json()["checks"]["ledger:log"][0]


@pytest.mark.parametrize("names", [["ledger.sqlite-wal"], ["ledger.sqlite-wal", "ledger.sqlite-shm"]])
def test_a_log_of_the_ledger_that_was_removed_is_missed(daemon, vault, names):
    vault().put("first.jpg", b"first")
    daemon.restart()
    Browser(daemon).open().put("last.jpg", b"last")
    daemon.kill9()
    for name in names:
        (daemon.data / name).unlink()
    done = daemon.run("check", "--data", str(daemon.data))
    assert done.returncode == 1 and b"log (ledger.sqlite-wal) is missing" in done.stdout, done.stdout
    daemon.start()
    assert LOG_LOST in daemon.log
    assert log_check(daemon) == {"status": "warn", "output": "lost"}
    assert Browser(daemon).open().names() == ["first.jpg"]
    # Once in the log, and in health for as long as somebody may still have that file.
    said = daemon.log.count(LOG_LOST)
    daemon.restart()
    assert daemon.log.count(LOG_LOST) == said
    assert log_check(daemon)["output"] == "lost"


def test_no_log_is_missed_that_nobody_removed(daemon, vault, tmp_path):
    browser = vault()
    browser.put("a.jpg", b"a photo")
    for end in ("killed", "stopped", "killed while it was starting", "backed up"):
        photo = browser.put("b.jpg", end.encode())
        # Removing for good empties the log while the daemon runs.
        browser.delete([photo])
        assert browser.request("DELETE", "/api/trash").status_code == 200
        if end == "stopped":
            daemon.stop()
        else:
            daemon.kill9()
        if end == "killed while it was starting":
            daemon.launch()
            daemon.kill9()
        if end == "backed up":
            assert daemon.run("backup", "--data", str(daemon.data), "--to", str(tmp_path / "backup")).returncode == 0
            assert daemon.run("check", "--data", str(daemon.data)).returncode == 0
        daemon.start()
        assert log_check(daemon) == {"status": "pass"}, end
        assert LOG_LOST not in daemon.log, end
        assert browser.open().names() == ["a.jpg"], end


def test_a_folder_in_quarantine_keeps_no_daemon_from_starting(daemon, vault):
    vault().put("photo.jpg", b"photo")
    daemon.stop()
    (next((daemon.data / "objects").iterdir()) / "somebody's").mkdir()
    daemon.start()
    daemon.stop()
    moved = next((daemon.data / "quarantine").iterdir())
    (moved / "old").write_bytes(b"old")
    # Long ago.
    moved = moved.rename(moved.with_name("15000"))
    (daemon.data / "quarantine" / "007").mkdir()
    (daemon.data / "quarantine" / "15001").write_bytes(b"")
    daemon.start()
    assert [path.name for path in moved.iterdir()] == ["somebody's"]
    assert Browser(daemon).open().digests() == {"photo.jpg": sha256(b"photo")}
    daemon.stop()
    assert b"Nothing lies in quarantine" in daemon.run("reclaim", "--data", str(daemon.data), "--purge").stdout


def test_without_ledger_and_copies_nothing_is_begun_anew(daemon, vault):
    vault().put("photo.jpg", b"photo")
    daemon.stop()
    for path in daemon.data.glob("ledger*"):
        path.unlink()
    slots = slots_file(daemon).read_bytes()
    objects = daemon.object_files()
    daemon.launch()
    assert daemon.wait(300) not in (0, None)
    assert slots_file(daemon).read_bytes() == slots
    assert daemon.object_files() == objects


def test_a_flipped_bit_in_the_ledger_never_yields_a_wrong_byte(daemon, vault, seeded, counted, tmp_path):
    contents = {f"{number}.jpg": seeded.randbytes(30_000) for number in range(counted(8, 20))}
    browser = vault()
    for name, content in contents.items():
        browser.put(name, content)
    daemon.stop()
    prepared = copy_folder(daemon.data, tmp_path / "prepared")
    named = 0
    for _ in range(counted(4, 1_000)):
        shutil.rmtree(daemon.data)
        copy_folder(prepared, daemon.data)
        ledger = daemon.data / "ledger.sqlite"
        used = ledger.read_bytes().rstrip(b"\0")
        flip_bit(ledger, seeded.randrange(len(used)), seeded.randrange(8))
        daemon.start()
        browser = Browser(daemon).open()
        damage = browser.request("GET", "/api/session").json().get("damage")
        found = {photo["name"]: photo for photo in browser.photos()}
        assert found.keys() == contents.keys() or damage, "photos are missing and nothing says so"
        named += bool(damage)
        for name, photo in found.items():
            answer = browser.original(photo)
            assert answer.status_code != 200 or answer.content == contents[name]
        daemon.kill9()


def try_download(browser, photo):
    """The content, or None when the daemon refuses or breaks the connection off."""
    try:
        answer = browser.original(photo)
    except requests.exceptions.RequestException:
        return None
    return answer.content if answer.status_code == 200 else None


def test_a_damaged_object_is_refused_and_the_others_are_not(daemon, vault, seeded, counted):
    browser = vault()
    contents = {f"{number}.bin": seeded.randbytes(50_000) for number in range(4)}
    for name, content in contents.items():
        browser.put(name, content)
    assert len(daemon.object_files()) == 4
    target = seeded.choice(daemon.object_files())
    whole = target.read_bytes()
    for _ in range(counted(20, 2_000)):
        flip_bit(target, seeded.randrange(len(whole)), seeded.randrange(8))
        downloads = {photo["name"]: try_download(browser, photo) for photo in browser.photos()}
        wrong = [name for name, content in downloads.items() if content not in (None, contents[name])]
        assert not wrong
        assert sum(content is None for content in downloads.values()) <= 1
        with target.open("r+b") as file:
            file.write(whole)
    assert {photo["name"]: try_download(browser, photo) for photo in browser.photos()} == contents


def test_truncated_exchanged_and_missing_objects_are_refused_and_the_rest_opens(daemon, vault, seeded):
    browser = vault()
    contents = {f"{number}.bin": seeded.randbytes(50_000) for number in range(2)}
    for name, content in contents.items():
        browser.put(name, content)
    first, second = daemon.object_files()
    first_bytes, second_bytes = first.read_bytes(), second.read_bytes()

    def damaged(content, other):
        first.write_bytes(content)
        second.write_bytes(other)
        return [try_download(browser, photo) for photo in browser.photos()].count(None)

    assert damaged(second_bytes, first_bytes) == 2
    for length in (0, 1, 8, 64, len(first_bytes) // 2, len(first_bytes) - 1):
        assert damaged(first_bytes[:length], second_bytes) == 1, length
    assert damaged(first_bytes, second_bytes) == 0
    daemon.stop()
    first.unlink()
    daemon.start()
    browser.open()
    assert [try_download(browser, photo) for photo in browser.photos()].count(None) == 1


@needs_root
def test_a_full_disk_refuses_uploads_and_still_deletes_and_opens(start_daemon, seeded, tmp_path):
    with tmpfs(tmp_path / "small", 208) as disk:
        daemon = start_daemon(data=disk / "data")
        browser = Browser(daemon).create()
        browser.put("kept.jpg", b"kept" * 10_000)
        browser.put("deleted.bin", seeded.randbytes(3 << 20))
        fill(disk / "ballast", leaving=6 << 20)

        answer = browser.request("PUT", "/api/photos/declared.bin", headers={"Content-Length": str(64 << 20)})
        assert (answer.status_code, code_of(answer)) == (507, "disk-full")
        refused = 0
        for number in range(30):
            try:
                pieces = iter([seeded.randbytes(65_536)] * 16)
                refused += browser.try_put(f"{number}.bin", pieces).status_code == 507
            except requests.exceptions.ConnectionError:
                refused += 1
        assert refused > 0
        # An answer is kept for some seconds.
        wait_until(lambda: browser.request("GET", "/health").json()["status"] != "pass", "health stays as it was")
        assert shutil.disk_usage(disk).free >= 0

        second = Browser(daemon).open()
        assert browser.delete([photo for photo in browser.photos() if photo["name"] != "kept.jpg"]) > 0
        assert second.request("DELETE", "/api/trash").status_code == 200
        (disk / "ballast").unlink()
        second.put("again.jpg", b"again")
        daemon.restart()
        assert Browser(daemon).open().names() == ["again.jpg", "kept.jpg"]
        daemon.stop()

