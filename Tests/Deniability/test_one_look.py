"""One look at a disk that was switched off: with every vault locked it is one moment, which tells of none of them."""

import os
import random
import signal
import sqlite3
import subprocess
import time

import pytest
from attacks import (
    COPIES,
    LEDGER,
    Doors,
    Moment,
    groups,
    joined,
    log_bytes,
    moments,
    object_times,
    owned,
    states_of,
    times,
    unexplained,
    unexplained_previews,
)
from client import OTHER_PASSWORD, PASSWORD, Browser, wait_until
from daemon import WITH_SLOTS, Daemon
from faults import needs_root
from giving import Visitor, make_door

DECOY, HIDDEN = PASSWORD, OTHER_PASSWORD
# At least as long as any between two times that a file system gives, in nanoseconds.
TICK = 10_000_000


def use(daemon, password, photos):
    """Opened, or made; sent to; locked.

    Returns when the lock began, in nanoseconds."""
    browser = Browser(daemon)
    if browser.try_open(password).status_code != 200:
        browser.create(password)
    for number in range(photos):
        browser.put(f"{number}.jpg", random.randbytes(3000))
    locked = time.time_ns()
    browser.lock()
    return locked


def settled(daemon):
    """A vault is locked once nothing holds it any more; what it left is tidied up by then."""
    wait_until(lambda: log_bytes(daemon.data) == 0)


def pull_plug_once_settled(daemon):
    """At a moment in which it writes nothing: what is settled may be written to again before it is looked at."""

    def is_stopped_at_rest():
        daemon.process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, daemon.process.pid, os.WSTOPPED)
        if log_bytes(daemon.data) == 0:
            return True
        daemon.process.send_signal(signal.SIGCONT)
        return False

    wait_until(is_stopped_at_rest)
    daemon.kill9()


def assert_one_moment(daemon):
    assert log_bytes(daemon.data) == 0, daemon.log
    ledger, *copies = moments(daemon.data)
    for copy in copies:
        assert not ledger.differences(copy), daemon.log


def test_after_a_lock_and_a_pulled_plug_the_disk_is_one_moment(daemon):
    for _ in range(2):
        for password in (DECOY, HIDDEN):
            use(daemon, password, photos=3)
    pull_plug_once_settled(daemon)
    assert_one_moment(daemon)
    # Not only by its length: what the log held is overwritten.
    assert joined(groups(daemon.data)) == []


def test_after_a_clean_stop_the_disk_is_one_moment(daemon):
    use(daemon, DECOY, photos=3)
    daemon.restart()
    use(daemon, HIDDEN, photos=2)
    browser = Browser(daemon).open(HIDDEN)
    browser.put("last.jpg", b"not locked before the stop")
    daemon.stop()
    assert_one_moment(daemon)


def test_a_start_after_a_pulled_plug_forgets_what_the_log_told(daemon):
    browser = Browser(daemon).create(DECOY)
    browser.put("a.jpg", b"a")
    daemon.kill9()
    assert joined(groups(daemon.data))
    daemon.start()
    daemon.kill9()
    # The probe of the disk may have been there since, which is the same after every start.
    assert joined(groups(daemon.data)) == []
    ledger, *copies = moments(daemon.data)
    assert not any(ledger.differences(copy) for copy in copies), daemon.log


def blocks_of(path):
    with open(path, "rb") as file:
        while block := file.read(4096):
            yield block


def found_in(content, bodies):
    """Those that stand there, at whatever place: within its first 64 bytes each has one that is a multiple of 64."""
    windows = {}
    for body in bodies:
        for offset in range(64):
            windows.setdefault(body[offset : offset + 8], []).append((body, offset))
    found = set()
    for place in range(0, len(content), 64):
        for body, offset in windows.get(content[place : place + 8], ()):
            if place >= offset and content.startswith(body, place - offset):
                found.add(body)
    return found


@pytest.mark.nightly("disks")
@needs_root
def test_no_block_of_the_disk_holds_what_the_log_held(tmp_path):
    """The log is cut off, and its blocks are free; whoever has the disk reads them all the same."""
    image, folder = tmp_path / "ext4.img", tmp_path / "ext4"
    with open(image, "wb") as file:
        file.truncate(400 << 20)
    folder.mkdir()
    try:
        subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(image)], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "loop", str(image), str(folder)], check=True, capture_output=True)
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no ext4 here: {error}")
    try:
        daemon = Daemon(tmp_path, data=folder / "data").start()
        browser = Browser(daemon).create(DECOY)
        for number in range(3):
            browser.put(f"{number}.jpg", random.randbytes(500))
        # Bodies of rows that one of the commits has replaced by others since.
        states = [body for commit in states_of(daemon.data) for body in commit.rows.values()]
        browser.lock()
        pull_plug_once_settled(daemon)
        last = set(Moment(daemon.data / LEDGER).rows.values())
        slots = set(blocks_of(daemon.data / "slots"))
    finally:
        subprocess.run(["umount", str(folder)], check=True)
    gone = [body for body in dict.fromkeys(states) if body not in last]
    assert len(gone) > 5
    # Nothing of rows is in what is empty, or a block of the slots: without both, the search is short.
    content = b"".join(block for block in blocks_of(image) if block.strip(b"\0") and block not in slots)
    assert found_in(content, last) == last
    assert found_in(content, gone) == set()


def test_while_vaults_are_open_no_group_of_rows_is_of_one_vault_alone(start_daemon):
    daemon = start_daemon(environment=WITH_SLOTS)
    browsers = [Browser(daemon).create(password) for password in (DECOY, HIDDEN)]
    for browser in browsers * 12:
        browser.put("x.jpg", random.randbytes(500))
    daemon.kill9()
    found = joined(groups(daemon.data))
    truth = {}
    for password in (DECOY, HIDDEN):
        rows, objects = owned(daemon.data, password)
        truth |= {("row", id): password for id in rows} | {("object", id): password for id in objects}
    # The log holds rows of both, and they hang together through rows that are of neither.
    assert found and all(len({truth.get(item) for item in group}) > 1 for group in found)


def test_times_of_files_tell_of_the_last_use_and_of_nothing_else(daemon):
    use(daemon, DECOY, photos=1)
    use(daemon, HIDDEN, photos=1)
    use(daemon, DECOY, photos=1)
    settled(daemon)
    before = times(daemon.data)
    # The slots were written by the lock, too, and not only when a secret was made.
    daemon.restart()
    browser = Browser(daemon).open(DECOY)
    browser.put("last.jpg", random.randbytes(3000))
    locked = time.time_ns()
    browser.lock()
    settled(daemon)
    after = times(daemon.data)
    for name in ("slots", LEDGER, *COPIES):
        assert after[name] > before[name], name
    # All by the lock; the kernel's clock for files goes by ticks.
    assert min(moment for pair in after.values() for moment in pair) >= locked - TICK


def test_times_of_objects_tell_neither_which_came_together_nor_how_slowly(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_COVER": "64"})
    use(daemon, DECOY, photos=2)
    settled(daemon)
    second = time.time_ns()
    use(daemon, HIDDEN, photos=2)
    settled(daemon)
    locked = use(daemon, DECOY, photos=1)
    settled(daemon)
    found = object_times(daemon.data).values()
    assert len(found) > 5
    # Those of all visits were made at one moment, before the second, and last changed at another, behind the third.
    assert max(made for made, _, _, _ in found) < second
    assert min(changed for _, changed, _, _ in found) >= locked - TICK
    assert len({others for _, _, *others in map(tuple, found) for others in [tuple(others)]}) == 1
    # A lock after which nothing came leaves them, and a pulled plug what came behind it, until the next start.
    before = object_times(daemon.data)
    Browser(daemon).open(DECOY).put("last.jpg", random.randbytes(3000))
    daemon.kill9()
    started = time.time_ns()
    daemon.start()
    daemon.kill9()
    after = object_times(daemon.data)
    assert after.keys() > before.keys()
    assert all(after[name][1] >= started - TICK for name in after.keys() - before.keys())


def test_previews_that_no_password_explains_are_in_every_store(start_daemon, photos):
    """Else their number would be that of the photos in hidden vaults, doubled."""
    daemon = start_daemon(environment={"SAFELIGHT_COVER": "64"})
    content = next(path for path in photos if path.suffix == ".jpg").read_bytes()
    browser = Browser(daemon).create(DECOY)
    browser.put("own.jpg", content)
    browser.lock()
    # Of a hundred photos one has none.
    for _ in range(20):
        pull_plug_once_settled(daemon)
        if sizes := unexplained_previews(daemon.data, [DECOY]):
            break
        daemon.start()
        use(daemon, DECOY, photos=1)
    assert sizes
    # As those of photos are: powers of two less one, and what sealing adds.
    assert set(sizes) <= {(1 << power) - 1 + 56 + 16 * (1 << power - 14) for power in range(14, 22)}


def test_rows_and_objects_that_no_password_explains_are_there_from_the_first_photo(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_COVER": "64"})
    use(daemon, DECOY, photos=4)
    pull_plug_once_settled(daemon)
    rows, objects = unexplained(daemon.data, [DECOY])
    assert len(rows) >= 256 and objects
    daemon.start()
    use(daemon, DECOY, photos=1)
    daemon.stop()
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0


def test_ghosts_lose_nothing_of_a_real_vault_over_kills_and_stops(start_daemon, counted):
    daemon = start_daemon(environment={"SAFELIGHT_COVER": "8"})
    browser = Browser(daemon).create(DECOY)
    saved = {}
    for round in range(counted(4, 40)):
        for number in range(5):
            content = random.randbytes(40_000)
            browser.put(f"{round}-{number}.jpg", content)
            saved[f"{round}-{number}.jpg"] = content
        if round % 2:
            browser.lock()
        daemon.kill9() if round % 3 else daemon.stop()
        daemon.start()
        browser = Browser(daemon).open(DECOY)
        assert "damage" not in browser.request("GET", "/api/session").json()
    assert {photo["name"]: browser.content(photo) for photo in browser.photos()} == saved
    daemon.stop()
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0


def others_rows_changed(before, daemon):
    """How many rows that were there are others or gone, beside those of the vault with the password."""
    after = Moment(daemon.data / LEDGER)
    own_rows, _ = owned(daemon.data, DECOY)
    return sum(before.rows[id] != after.rows.get(id) for id in before.rows.keys() - own_rows)


def test_what_was_there_changes_once_a_device_comes_again_and_no_password_explains_it(start_daemon):
    """Else a row that is another one at the second look would be a hidden vault's for certain."""
    daemon = start_daemon(environment={"SAFELIGHT_COVER": "8"})
    phone = Browser(daemon).create(DECOY)
    # How many of them last is drawn in each run: in two of three one does.
    before = None
    for number in range(30):
        phone.put(f"{number}.jpg", random.randbytes(3_000))
        phone.lock()
        daemon.stop()
        if before and others_rows_changed(before, daemon):
            break
        before = Moment(daemon.data / LEDGER)
        daemon.start()
        phone.open(DECOY)
    else:
        pytest.fail("nothing changed in thirty runs")
    # The keys come with the device alone.
    before = Moment(daemon.data / LEDGER)
    daemon.start()
    other = Browser(daemon).open(DECOY)
    other.put("from another device.jpg", random.randbytes(3_000))
    other.lock()
    daemon.stop()
    assert others_rows_changed(before, daemon) == 0
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0


def test_a_backup_and_what_is_restored_of_it_are_the_same_look(start_daemon, tmp_path):
    """So two backups tell what two looks at the disk tell, and nothing more."""
    daemon = start_daemon(environment={"SAFELIGHT_COVER": "64"})
    use(daemon, DECOY, photos=4)
    daemon.stop()
    backup, restored = tmp_path / "backup", tmp_path / "restored"
    assert daemon.run("backup", "--data", str(daemon.data), "--to", str(backup)).returncode == 0
    assert daemon.run("restore", "--from", str(backup), "--data", str(restored)).returncode == 0
    rows, objects = unexplained(daemon.data, [DECOY])
    assert len(rows) >= 256 and objects
    assert not Moment(daemon.data / LEDGER).differences(Moment(restored / LEDGER))
    assert unexplained(restored, [DECOY]) == (rows, objects)
    assert {path.name for path in (restored / "objects").glob("*/*")} == {path.name for path in daemon.object_files()}
    assert daemon.run("check", "--data", str(restored)).returncode == 0


def test_a_copy_is_a_whole_ledger(daemon):
    use(daemon, DECOY, photos=2)
    daemon.stop()
    for name in COPIES:
        with sqlite3.connect(f"file:{daemon.data / name}?mode=ro&immutable=1", uri=True) as copy:
            assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",), name
        copy.close()


def test_nothing_tells_the_arrival_of_a_guest_from_that_of_somebody_who_came_to_a_door(daemon):
    owner = Browser(daemon).create()
    door = make_door(owner, name="Anna")
    owner.lock()
    guests = [Browser(daemon).begin_guest() for _ in range(13)]
    for _ in range(12):
        Visitor(daemon).enter(door, "Mia")
    # A space that is given up takes its arrival along.
    assert guests[0].request("DELETE", "/api/guest").status_code == 200
    daemon.stop()
    seen = Doors(daemon.data / LEDGER)
    assert seen.arrivals.keys() == seen.spaces.keys() and len(seen.arrivals) == 24
    assert {len(body) for body, _ in seen.arrivals.values()} == {1392}
    assert {len(body) for body, _ in seen.doors.values()} == {1792}
    # Random bytes would have the bit in every second one.
    assert not any(body[Doors.KEY_END] >> 7 for body, _ in seen.arrivals.values())
    assert {day for _, day in seen.arrivals.values()} == set(seen.spaces.values())


def test_a_new_store_has_doors_of_nobody_and_never_as_many_as_another(start_daemon):
    counts = []
    # How many is drawn: the second store has the same number once in some twenty times.
    while len(set(counts)) < 2 and len(counts) < 20:
        daemon = start_daemon(environment=WITH_SLOTS)
        daemon.stop()
        counts.append(len(Doors(daemon.data / LEDGER).doors))
    assert len(set(counts)) == 2 and max(counts) <= 24 + 3, counts
