"""A guest's photos move into the vault that is opened in the same browser."""

import threading

import pytest
from client import PASSWORD, Browser, sha256, wait_until
from faults import (
    FAILED,
    connect,
    fill,
    kills_at_writes,
    needs_root,
    put_head,
    restart_without_attempts,
    tmpfs,
)  # fmt: skip
from test_guests import guest_rows
from test_metrics import metrics, value
from tus import Begun, Tus

NEVER = {"duplicates": 0, "lost": 0, "migrated": 0, "pending": 0}


def counts(answer):
    assert answer.status_code in (200, 201), answer.text
    return {name: answer.json()[name] for name in NEVER}


def wait_until_read_back(browser):
    wait_until(lambda: all("verifiedAt" in photo for photo in browser.photos()), "not read back")


def test_a_guest_moves_with_a_restart_in_between_and_duplicates_are_dropped(daemon, vault, seeded):
    contents = [seeded.randbytes(seeded.randrange(1, 400_000)) for _ in range(15)]
    owner = vault()
    for number in range(3):
        owner.put(f"vault-{number}.jpg", contents[number])
    wait_until_read_back(owner)
    guest = Browser(daemon).begin_guest()
    for number in range(10):
        guest.put(f"guest-{number}.jpg", contents[number])
    daemon.restart()
    for number in range(10, 15):
        guest.put(f"guest-{number}.jpg", contents[number])
    wait_until_read_back(guest)
    assert guest_rows(daemon) > 0
    assert counts(guest.try_open(PASSWORD)) == {"migrated": 12, "duplicates": 3, "pending": 0, "lost": 0}
    assert guest_rows(daemon) == 0
    expected = {f"vault-{number}.jpg": sha256(contents[number]) for number in range(3)}
    expected |= {f"guest-{number}.jpg": sha256(contents[number]) for number in range(3, 15)}
    assert guest.digests() == expected
    assert len(daemon.object_files()) == 15
    daemon.restart()
    assert Browser(daemon).open().digests() == expected
    assert "damage" not in Browser(daemon).open().session()


def test_a_new_vault_takes_the_guest_in_and_an_unticked_box_leaves_it(vault):
    owner = vault()
    guest = Browser(owner.daemon).begin_guest()
    guest.put("a.jpg", b"a")
    assert counts(guest.try_create(f"{owner.password}, once more", migrate=False)) == NEVER
    assert guest.photos() == []
    guest.lock()
    assert guest.names() == ["a.jpg"]
    assert counts(guest.try_create(f"{owner.password}, and again"))["migrated"] == 1
    assert guest.names() == ["a.jpg"]
    guest.lock()
    assert guest.session()["kind"] == "none"


def test_an_upload_that_is_being_sent_ends_in_the_vault(vault, seeded):
    owner = vault()
    daemon = owner.daemon
    guest = Browser(daemon).begin_guest()
    content = seeded.randbytes(3_000_000)
    wait_until(lambda: value(metrics(daemon), "safelight_uploads_in_flight") == 0, "another upload does not end")
    half_sent, may_go_on = threading.Event(), threading.Event()

    def body():
        yield content[:2_000_000]
        half_sent.set()
        assert may_go_on.wait(300)
        yield content[2_000_000:]

    answers = []
    sender = Browser(daemon)
    sender.http.cookies.update(guest.http.cookies)
    thread = threading.Thread(target=lambda: answers.append(sender.try_put("big.bin", body())))
    thread.start()
    assert half_sent.wait(300)
    # What was sent may still lie in the kernel.
    wait_until(lambda: value(metrics(daemon), "safelight_uploads_in_flight") == 1, "the upload does not begin")
    assert counts(guest.try_open(owner.password)) == NEVER
    may_go_on.set()
    thread.join(300)
    assert answers[0].status_code == 201, answers[0].text
    assert guest.digests() == {"big.bin": sha256(content)}
    assert guest.content(answers[0].json()) == content


def test_a_kill_at_any_moment_leaves_each_photo_with_one_owner(daemon, vault, seeded, counted):
    vault()
    expected = {}
    for attempt in range(counted(3, 200)):
        guest = Browser(daemon).begin_guest()
        fresh = {f"{attempt}-{number}.jpg": seeded.randbytes(2_000) for number in range(40)}
        for name, content in fresh.items():
            guest.put(name, content)
        answers = []

        def move(guest=guest, answers=answers):
            try:
                answers.append(guest.try_open(PASSWORD))
            except FAILED:
                pass

        thread = threading.Thread(target=move)
        thread.start()
        thread.join(seeded.random() * 0.25)
        daemon.kill9()
        thread.join(300)
        daemon.start()
        # Openings that were cut off count as attempts.
        if attempt % 3 == 2:
            restart_without_attempts(daemon)
        owner = Browser(daemon).open()
        moved = {photo["name"] for photo in owner.photos() if photo["name"] in fresh}
        left = set(guest.names()) if guest.session()["kind"] == "guest" else set()
        assert moved in (set(), set(fresh)), "part of the photos moved"
        assert left == set(fresh) - moved
        if answers and answers[0].status_code == 200:
            assert moved == set(fresh)
        if left:
            assert guest.digests() == {name: sha256(content) for name, content in fresh.items()}
            assert guest.request("DELETE", "/api/guest").status_code == 200
        else:
            expected |= {name: sha256(content) for name, content in fresh.items()}
        assert guest_rows(daemon) == 0
    assert Browser(daemon).open().digests() == expected
    assert len(daemon.object_files()) == len(expected)


@pytest.mark.parametrize("keep", [False, True])
def test_the_guests_cookie_opens_nothing_afterwards(restartable_vault, keep):
    owner = restartable_vault()
    daemon = owner.daemon
    guest = Browser(daemon).begin_guest()
    guest.put("a.jpg", b"a")
    cookies = dict(guest.http.cookies)
    guest.open(owner.password, keep=keep)
    other_tab = Browser(daemon)
    other_tab.http.cookies.update(cookies)
    assert other_tab.request("GET", "/api/photos").status_code == 401
    daemon.restart()
    assert other_tab.request("GET", "/api/photos").status_code == 401
    assert guest.session()["kind"] == ("vault" if keep else "none")


class Mover:
    """A guest about to move: photos, one that the vault has, an upload that is half there, and one that is being sent."""

    def __init__(self, daemon, seeded, label, known):
        self.browser = Browser(daemon).begin_guest()
        self.duplicate = f"{label}-known"
        self.fresh = {f"{label}-{count}": seeded.randbytes(900) for count in range(4)}
        for name, content in [*self.fresh.items(), (self.duplicate, known)]:
            self.browser.put(name, content)
        wait_until_read_back(self.browser)
        self.half = Begun(f"{label}-half", seeded.randbytes(50_000))
        tus = Tus(self.browser)
        self.half.path = tus.create(len(self.half.content), name=self.half.name)
        tus.patch(self.half.path, 0, self.half.content[:20_000])
        self.sending = connect(daemon)
        self.sending.sendall(put_head(self.browser, f"{label}-sent", 200_000) + seeded.randbytes(100_000))

    def check(self, owner, what):
        """Each photo, and the upload, has one owner; and it can be finished there. Whether that is the vault."""
        self.sending.close()
        names = {photo["name"] for photo in owner.photos()}
        moved = names & {*self.fresh, self.duplicate}
        is_guest = "guest" in self.browser.session()
        left = set(self.browser.names()) if is_guest else set()
        assert moved in (set(), set(self.fresh)), f"part of the photos moved: {what}"
        assert left == (set() if moved else {*self.fresh, self.duplicate}), what
        assert is_guest != bool(moved), what
        holder, other = (owner, self.browser) if moved else (self.browser, owner)
        assert Tus(other).head(self.half.path).status_code in (401, 404), what
        assert Tus(holder).offset(self.half.path) == 20_000, what
        Tus(holder).patch(self.half.path, 20_000, self.half.content[20_000:])
        digests = holder.digests()
        assert digests[self.half.name] == sha256(self.half.content), what
        assert all(digests[name] == sha256(content) for name, content in self.fresh.items()), what
        return bool(moved)


# A move writes to the ledger's log some 40 times, then to the ledger, and to its copies.
KILLS = [
    ("pwrite64", "ledger.sqlite-wal", 1), ("pwrite64", "ledger.sqlite-wal", 32), ("pwrite64", "ledger.sqlite", 10),
    ("fdatasync", "ledger.sqlite-wal", 1), ("fdatasync", "ledger.sqlite-wal", 3),
]  # fmt: skip


@pytest.mark.nightly("disks")
@needs_root
def test_a_kill_at_each_write_of_a_move_leaves_each_photo_with_one_owner(daemon, vault, seeded, counted):
    known = seeded.randbytes(5_000)
    owner = vault()
    owner.put("known", known)
    wait_until_read_back(owner)
    expected, outcomes = {"known": sha256(known)}, set()
    for kill in kills_at_writes(daemon, counted, ("pwrite64", "fdatasync"), KILLS):
        guest = Mover(daemon, seeded, str(kill), known)
        with kill.meanwhile():
            guest.browser.request("POST", "/api/session", json={"password": PASSWORD}, timeout=300)
        # Openings that were cut off count as attempts.
        restart_without_attempts(daemon)
        owner = Browser(daemon).open()
        moved = guest.check(owner, str(kill))
        assert "damage" not in owner.session()
        outcomes.add(moved)
        if moved:
            expected |= {name: sha256(content) for name, content in guest.fresh.items()}
            expected[guest.half.name] = sha256(guest.half.content)
        else:
            assert guest.browser.request("DELETE", "/api/guest").status_code == 200
    assert outcomes == {False, True}
    assert Browser(daemon).open().digests() == expected
    assert len(daemon.object_files()) == len(expected)


@pytest.mark.nightly("disks")
@needs_root
def test_a_move_onto_a_full_disk_loses_nothing_and_works_later(start_daemon, seeded, tmp_path):
    with tmpfs(tmp_path / "small", 208) as disk:
        daemon = start_daemon(data=disk / "data")
        Browser(daemon).create().lock()
        guest = Browser(daemon).begin_guest()
        # Under long names each takes several rows.
        contents = {f"{number}-{'long' * 220}": seeded.randbytes(1_000) for number in range(200)}
        for name, content in contents.items():
            guest.put(name, content)
        digests = {name: sha256(content) for name, content in contents.items()}
        # The log is empty then, and has to grow.
        daemon.restart()
        # The daemon allocates its reserve again whenever it finds room for it.
        ballast = disk / "ballast"
        reserve = daemon.data / "reserve"
        while reserve.stat().st_blocks > 0:
            fill(ballast, leaving=160_000)
            reserve.write_bytes(b"")
            fill(ballast, leaving=160_000)
        answer = guest.try_open(PASSWORD)
        assert answer.status_code == 200, answer.text
        assert answer.json()["migrationRefused"] == "disk-full", answer.text
        assert answer.json()["migrated"] == 0 and guest.photos() == []
        guest.request("DELETE", "/api/session")
        assert guest.digests() == digests
        ballast.unlink()
        daemon.restart()
        assert guest.digests() == digests
        assert counts(guest.try_open(PASSWORD))["migrated"] == len(contents)
        assert guest.digests() == digests
        assert guest_rows(daemon) == 0
        daemon.stop()
