"""Use without a password: a space that only this browser opens, and sessions that outlive the daemon."""

import base64
import sqlite3

from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, sha256, wait_until


def guest_rows(daemon):
    ledger = sqlite3.connect(f"file:{daemon.data}/ledger.sqlite?mode=ro", uri=True)
    try:
        return ledger.execute("SELECT COUNT(*) FROM guest").fetchone()[0]
    finally:
        ledger.close()


def tokens(browser):
    """The cookies that open something, as the browser has them and as bytes."""
    found = []
    for cookie in browser.http.cookies:
        if not cookie.name.endswith("-device"):
            found += [cookie.value.encode(), base64.urlsafe_b64decode(cookie.value + "=")]
    return found


def test_a_guest_and_a_vault_that_is_kept_open_go_on_after_a_restart_and_a_crash(daemon, vault, seeded):
    guest, owner = Browser(daemon).begin_guest(), vault()
    contents = {f"{number}.jpg": seeded.randbytes(200_000) for number in range(10)}
    for name, content in contents.items():
        guest.put(name, content)
    ids = {photo["id"] for photo in guest.photos()}
    owner.put("a.jpg", b"a")
    assert owner.open(keep=True).session()["kept"] is True
    daemon.restart()
    assert guest.session()["kind"] == "guest"
    assert guest.digests() == {name: sha256(content) for name, content in contents.items()}
    assert {photo["id"] for photo in guest.photos()} == ids
    guest.put("late.jpg", b"late")
    assert owner.digests() == {"a.jpg": sha256(b"a")}
    daemon.kill9()
    daemon.start()
    assert len(guest.photos()) == 11
    assert guest.session()["guest"]["photos"] == 11
    owner.put("b.jpg", b"b")
    assert owner.names() == ["a.jpg", "b.jpg"]
    owner.lock()
    assert owner.session()["kind"] == "none"


def test_another_browser_sees_nothing_of_a_guest_and_what_needs_a_vault_is_refused_to_them(vault):
    owner = vault()
    daemon = owner.daemon
    guest = Browser(daemon).begin_guest()
    photo = guest.put("a.jpg", b"a")
    refused = guest.request("POST", "/api/archive", json={"ids": [photo["id"]]})
    assert (refused.status_code, code_of(refused)) == (403, "vault-needed")
    stranger = Browser(daemon)
    assert stranger.original(photo).status_code == 401
    assert stranger.begin_guest().photos() == []
    assert stranger.original(photo).status_code == 404
    assert owner.photos() == []


def test_a_deleted_guest_leaves_nothing(daemon):
    guest = Browser(daemon).begin_guest()
    guest.put("a.jpg", b"a" * 100_000)
    assert guest_rows(daemon) > 0
    assert guest.request("DELETE", "/api/guest").status_code == 200
    assert guest_rows(daemon) == 0
    assert daemon.object_files() == []
    daemon.restart()
    assert guest.session()["kind"] == "none"


def test_a_host_that_takes_no_guests_says_so(start_daemon, tmp_path):
    """A bare `off` is no text to YAML."""
    for word in ("off", '"off"'):
        file = tmp_path / "safelight.yaml"
        file.write_text(f"guests: {word}\n")
        daemon = start_daemon(arguments=["--config", str(file)])
        browser = Browser(daemon)
        assert browser.request("GET", "/api/hello").json()["guests"] is False, word
        answer = browser.request("POST", "/api/guest")
        assert (answer.status_code, code_of(answer)) == (403, "guests-off"), word
        daemon.kill9()


def test_a_guest_is_told_when_its_space_is_full(start_daemon, tmp_path):
    file = tmp_path / "safelight.yaml"
    file.write_text("guests: on\n")
    daemon = start_daemon(arguments=["--config", str(file)], environment={"SAFELIGHT_LIMITS_GUEST": "1"})
    guest = Browser(daemon).begin_guest()
    guest.put("a.bin", b"a" * 700_000)
    answer = guest.try_put("b.bin", b"b" * 700_000)
    assert (answer.status_code, code_of(answer)) == (507, "guest-full")
    assert guest.names() == ["a.bin"]


def test_kept_sessions_that_were_ended_stay_dead_over_a_restart_whoever_has_their_cookies(daemon):
    """By a lock, by a lock everywhere, and by another password; each of another vault."""
    kept, passwords = {}, {end: f"{PASSWORD}, {end}" for end in ("lock", "everywhere", "password")}
    for end, password in passwords.items():
        here = Browser(daemon).create(password)
        there = Browser(daemon).open(password, keep=True)
        kept[end] = dict(there.http.cookies)
        if end == "lock":
            there.lock()
        elif end == "everywhere":
            assert here.request("DELETE", "/api/sessions").status_code == 200
        else:
            body = {"current": password, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
            assert here.request("PUT", "/api/vault/password", json=body).status_code == 200
    for _ in range(2):
        for end, cookies in kept.items():
            thief = Browser(daemon)
            thief.http.cookies.update(cookies)
            assert thief.session()["kind"] == "none", end
        daemon.restart()


def test_asking_for_the_time_left_does_not_put_the_lock_off(vault):
    browser = vault()
    left = browser.session()["idleSeconds"]
    assert 0 < left <= 15 * 60
    # By more than one, so that the seconds of the next answers are told from it.
    wait_until(lambda: browser.session()["idleSeconds"] < left - 1, "the time left does not shrink")
    now = browser.session()["idleSeconds"]

    def is_put_off():
        browser.photos()
        return browser.session()["idleSeconds"] > now

    wait_until(is_put_off, "it is not put off")
    assert "idleSeconds" not in browser.open(keep=True).session()


def test_a_damaged_ledger_costs_no_guest_its_photos(daemon, vault):
    owner, guest = vault(), Browser(daemon).begin_guest()
    owner.open(keep=True)
    guest.put("a.jpg", b"a")
    daemon.restart()
    assert guest.names() == ["a.jpg"] and owner.session()["kind"] == "vault"
    daemon.stop()
    (daemon.data / "ledger.sqlite").unlink()
    daemon.start()
    assert guest.digests() == {"a.jpg": sha256(b"a")}
    assert owner.session()["kind"] == "none", "it may have been ended since the copy was made"
    assert owner.open(keep=True).session()["kept"] is True
    daemon.restart()
    assert owner.session()["kind"] == "vault"


def test_no_token_is_on_disk_in_the_log_or_in_the_environment(daemon, vault):
    browser = vault()
    browser.open(keep=True)
    guest = Browser(daemon).begin_guest()
    guest.put("a.jpg", b"a")
    browser.put("b.jpg", b"b")
    secrets = tokens(browser) + tokens(guest)
    assert len(secrets) == 4
    environment = open(f"/proc/{daemon.pid}/environ", "rb").read()
    daemon.stop()
    files = [path for path in daemon.data.rglob("*") if path.is_file()] + [daemon.log_path]
    for content, where in [(path.read_bytes(), path) for path in files] + [(environment, "environment")]:
        for secret in secrets:
            assert secret not in content, where
    daemon.start()
    assert guest.session()["kind"] == "guest" and browser.session()["kind"] == "vault"


def test_refusals_that_anybody_can_cause_fill_no_log(daemon):
    browser = Browser(daemon)
    assert browser.request("POST", "/api/guest").status_code == 201
    before = len(daemon.log.splitlines())
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(3 << 30)}
    for _ in range(40):
        answer = browser.request("POST", "/api/uploads", headers=headers)
        assert answer.status_code == 507 and code_of(answer) == "guest-full"
    daemon.stop()
    assert len(daemon.log.splitlines()) - before < 10, daemon.log
