"""What was answered with 201 is there after kill -9; what was not is there whole or not at all."""

import threading

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, sha256, wait_until
from faults import (
    FAILED,
    connect,
    failing_call,
    kills_at_writes,
    needs_root,
    put_head,
    read_all,
    reset,
    restart_without_attempts,
)  # fmt: skip
from strangers import stranger

PARALLEL = 16


class Uploaders:
    """Sixteen clients that upload without a pause until their connection ends."""

    def __init__(self, browser, seeded, prefix, largest=400_000):
        self.browser, self.prefix = browser, prefix
        self.sizes = [[seeded.randrange(largest) for _ in range(500)] for _ in range(PARALLEL)]
        self.pool = seeded.randbytes(largest * 2)
        self.attempted, self.acknowledged, self.refused = {}, {}, []
        self.answered = threading.Semaphore(0)
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(PARALLEL)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        own = Browser(self.browser.daemon)
        own.http.cookies = self.browser.http.cookies.copy()
        for count, size in enumerate(self.sizes[number]):
            if self.stopping.is_set():
                return
            name = f"{self.prefix}-{number}-{count}"
            start = (number * 7919 + count * 104729) % (len(self.pool) - size)
            # The name makes the content one of its own, so that nothing here is a duplicate.
            content = name.encode() + self.pool[start : start + size]
            self.attempted[name] = sha256(content)
            try:
                answer = own.try_put(name, content)
            except FAILED:
                return
            if answer.status_code == 201:
                self.acknowledged[name] = self.attempted[name]
                self.answered.release()
            elif answer.status_code >= 500:
                return
            else:
                self.refused.append(f"{name}: {answer.status_code} {answer.text}")

    def wait_for_answers(self, count):
        for _ in range(count):
            is_sending = True
            while not self.answered.acquire(timeout=1):
                assert is_sending, "every upload ended before so many were answered"
                is_sending = any(thread.is_alive() for thread in self.threads)

    def join(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        assert not self.refused, self.refused[:3]


def check_everything(daemon, attempted, acknowledged, read=None, has_cover=False):
    """After a start with all vaults locked: exactly the listed photos lie in objects/, with those of the daemon's own vaults
    where it has cover, and all of them are whole."""
    object_count = len(daemon.object_files())
    browser = Browser(daemon).open()
    listed = {photo["name"]: photo for photo in browser.photos()}
    lost = acknowledged.keys() - listed.keys()
    assert not lost, f"{len(lost)} acknowledged uploads are lost: {sorted(lost)[:5]}"
    assert listed.keys() <= attempted.keys()
    for name in listed.keys() if read is None else listed.keys() & read:
        assert sha256(browser.content(listed[name])) == attempted[name], name
    assert object_count == len(listed) or (has_cover and object_count > len(listed))
    assert "damage" not in browser.request("GET", "/api/session").json()
    return browser


def test_kill_9_in_the_middle_of_16_parallel_uploads(daemon, vault, seeded, counted):
    browser = vault()
    attempted, acknowledged = {}, {}
    for number in range(counted(10, 300)):
        uploaders = Uploaders(browser, seeded, f"round{number}", largest=counted(100_000, 400_000))
        uploaders.wait_for_answers(seeded.randrange(1, counted(20, 60)))
        daemon.kill9()
        uploaders.join()
        attempted |= uploaders.attempted
        acknowledged |= uploaders.acknowledged
        daemon.start()
        browser = check_everything(daemon, attempted, acknowledged, read=uploaders.attempted.keys())
    daemon.restart()
    check_everything(daemon, attempted, acknowledged)
    assert len(acknowledged) > 20


def test_sigterm_under_uploads_ends_with_0_and_loses_nothing(daemon, vault, seeded, counted):
    browser = vault()
    attempted, acknowledged = {}, {}
    for number in range(counted(2, 50)):
        uploaders = Uploaders(browser, seeded, f"round{number}")
        uploaders.wait_for_answers(seeded.randrange(1, 40))
        daemon.stop()
        uploaders.join()
        attempted |= uploaders.attempted
        acknowledged |= uploaders.acknowledged
        daemon.start()
        browser = check_everything(daemon, attempted, acknowledged, read=uploaders.attempted.keys())


def test_a_connection_that_breaks_at_any_byte_leaves_nothing(daemon, vault, seeded, counted):
    browser = vault()
    content = seeded.randbytes(300_000)
    head = put_head(browser, "broken.jpg", len(content))
    browser.put("whole.jpg", b"whole")
    before = daemon.open_files()
    for number in range(counted(200, 10_000)):
        connection = connect(daemon)
        message = head + content
        connection.sendall(message[: seeded.randrange(len(message) - 1)])
        reset(connection) if number % 2 else connection.close()
    assert browser.names() == ["whole.jpg"]
    wait_until(lambda: daemon.open_files() <= before + 1, f"more descriptors are open than {before} and one")
    assert len(daemon.object_files()) == 1
    daemon.restart()
    assert Browser(daemon).open().names() == ["whole.jpg"]
    assert len(daemon.object_files()) == 1


def test_a_body_that_is_shorter_than_promised_is_not_kept(vault):
    browser = vault()
    connection = connect(browser.daemon)
    connection.sendall(put_head(browser, "short.jpg", 1000) + b"x" * 999)
    connection.shutdown(1)
    assert b" 201 " not in read_all(connection)
    assert browser.photos() == []


def test_many_uploads_leave_no_open_file_and_no_growing_memory(daemon, vault, seeded, counted, is_soak):
    browser = vault()
    rounds = counted(100, 10_000)
    for number in range(rounds // 2):
        browser.put(f"first-{number}", seeded.randbytes(2_000))
    files, resident = daemon.open_files(), daemon.status("VmRSS")
    for number in range(rounds // 2):
        browser.put(f"second-{number}", seeded.randbytes(2_000))
    wait_until(lambda: daemon.open_files() <= files + 2, "descriptors are kept")
    # What a leak would take shows beside what memory does by itself only where there are thousands.
    assert not is_soak or daemon.status("VmRSS") - resident < (16 << 20)


@needs_root
def test_an_upload_killed_at_each_of_its_calls_is_there_whole_or_not_at_all(daemon, vault, seeded, counted):
    browser = vault()
    acknowledged, attempted = {}, {}
    few = [("fdatasync", None, 1), ("linkat", None, 1), ("pwrite64", None, 1), ("pwrite64", None, 3)]
    for kill in kills_at_writes(daemon, counted, ["fdatasync", "linkat", "pwrite64"], few):
        name, content = str(kill), seeded.randbytes(200_000)
        attempted[name] = sha256(content)
        with kill.meanwhile():
            browser.put(name, content)
            acknowledged[name] = attempted[name]
        browser = check_everything(daemon, attempted, acknowledged)


@needs_root
def test_an_upload_killed_at_its_sync_leaves_nothing_large(daemon, vault, seeded):
    """What has a name and no row lies in quarantine for a month."""
    browser = vault()
    for size, left in ((17 << 20, 0), (100_000, 1)):
        with failing_call(daemon, "fdatasync:signal=SIGKILL:when=1"), pytest.raises(FAILED):
            browser.put("cut off.jpg", seeded.randbytes(size))
        daemon.kill9()
        daemon.start()
        assert [path.is_file() for path in (daemon.data / "quarantine").glob("*/*")] == [True] * left
        browser = Browser(daemon).open()
        assert browser.names() == []


@needs_root
def test_a_password_change_killed_at_each_write_leaves_a_vault_that_opens(daemon, vault, counted):
    vault().put("kept.jpg", b"kept")
    current, other = PASSWORD, OTHER_PASSWORD
    few = [("pwrite64", None, 1), ("pwrite64", None, 12), ("fdatasync", None, 2)]
    for kill in kills_at_writes(daemon, counted, ["pwrite64", "fdatasync"], few):
        browser, is_changed = Browser(daemon).open(current), False
        with kill.meanwhile():
            body = {"current": current, "password": other, "confirmation": other}
            is_changed = browser.request("PUT", "/api/vault/password", json=body).status_code == 200
        # An interrupted change is finished by the new password, or never was; the photos are there either way.
        by_new = stranger(daemon).try_open(other)
        assert by_new.status_code == 200 or (by_new.status_code == 401 and not is_changed), by_new.text
        if by_new.status_code == 200:
            current, other = other, current
        assert stranger(daemon).try_open(other).status_code == 401
        assert Browser(daemon).open(current).digests() == {"kept.jpg": sha256(b"kept")}
        if kill.number % 10 == 9:
            # Strangers share a budget.
            restart_without_attempts(daemon)


@needs_root
def test_a_password_change_that_meets_a_failing_disk_tells_the_truth(daemon, vault, counted):
    """Who is told that it failed throws the new password away."""
    vault().put("kept.jpg", b"kept")
    failures = successes = 0
    for count in counted((1, 3, 5, 12), range(1, 12)):
        browser = Browser(daemon).open()
        with failing_call(daemon, f"fdatasync:error=EIO:when={count}") as seen:
            body = {"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
            changed = browser.request("PUT", "/api/vault/password", json=body).status_code == 200
        failures, successes = failures + (not changed), successes + changed
        assert Browser(daemon).try_open(PASSWORD).status_code == (401 if changed else 200)
        restart_without_attempts(daemon)
        assert Browser(daemon).try_open(PASSWORD).status_code == (401 if changed else 200)
        if changed:
            back = {"current": OTHER_PASSWORD, "password": PASSWORD, "confirmation": PASSWORD}
            assert Browser(daemon).open(OTHER_PASSWORD).request("PUT", "/api/vault/password", json=back).ok
        assert Browser(daemon).open().digests() == {"kept.jpg": sha256(b"kept")}
        if not any("INJECTED" in line for line in seen):
            break
    assert failures > 0 and successes > 1


@needs_root
def test_a_vault_whose_slots_met_a_failing_disk_gets_them_again_when_it_is_opened(daemon):
    """After a sync that failed, what the daemon reads of the slots need not be what is on disk."""

    def synced_slots(rule, step):
        with failing_call(daemon, rule, daemon.threads("registry")) as seen:
            answer = step()
        return answer.status_code, any("/slots>" in line for line in seen)

    assert synced_slots("fdatasync:error=EIO", lambda: Browser(daemon).try_create(PASSWORD)) == (503, True)
    for is_expected in (True, False):
        assert synced_slots("fdatasync:delay_enter=1", lambda: Browser(daemon).try_open(PASSWORD)) == (200, is_expected)


@needs_root
def test_a_failed_sync_is_never_answered_with_success_and_heals_by_itself(daemon, vault):
    browser = vault()
    browser.put("before.jpg", b"before")
    with failing_call(daemon, "fdatasync:error=EIO"):
        answer = browser.try_put("during.jpg", b"x" * 100_000)
        assert answer.status_code >= 500, answer.status_code
        assert browser.names() == ["before.jpg"]
        health = browser.request("GET", "/health")
        assert health.json()["status"] != "pass", health.text
        # Not even a name is left of it.
        assert len(daemon.object_files()) == 1
    wait_until(lambda: browser.try_put("after.jpg", b"after").status_code == 201, "no photo is taken any more")
    # A probe's answer is kept for ten seconds, so that strangers cannot turn the report into load.
    wait_until(lambda: browser.request("GET", "/health").json()["status"] == "pass", "/health still tells of trouble")
    daemon.restart()
    assert Browser(daemon).open().digests() == {"before.jpg": sha256(b"before"), "after.jpg": sha256(b"after")}


@needs_root
def test_a_folder_that_could_not_be_synced_keeps_neither_row_nor_name(daemon, vault):
    browser = vault()
    browser.put("before.jpg", b"before")
    with failing_call(daemon, "fsync:error=EIO") as seen:
        assert browser.try_put("during.jpg", b"x" * 100_000).status_code >= 500
    assert any("INJECTED" in line for line in seen)
    assert browser.names() == ["before.jpg"]
    assert len(daemon.object_files()) == 1
    wait_until(lambda: browser.try_put("after.jpg", b"after").status_code == 201, "no photo is taken any more")
