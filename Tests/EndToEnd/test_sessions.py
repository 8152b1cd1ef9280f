"""Sessions, and the throttle that stands before every password."""

import threading

from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, has_to_wait, sha256, wait_until
from faults import failing_call, needs_root

# Five failures are free; the sixth is still answered and begins the delays.
ADMITTED = 6


def wrong(number):
    return f"not the password {number} at all"


def test_one_browser_uses_two_daemons_of_a_host(standing_daemon, restartable):
    one, two = Browser(standing_daemon), Browser(restartable)
    two.http = one.http

    def in_turn():
        for browser in (one, two):
            # Of each daemon's own page.
            browser.http.headers["Origin"] = browser.origin
            yield browser

    for browser in in_turn():
        browser.create("one browser and two daemons")
    for browser in in_turn():
        browser.put("photo.jpg", b"photo")
    one.http.cookies.clear()
    for browser in in_turn():
        browser.begin_guest()
    for browser in in_turn():
        browser.put("guest.jpg", b"guest")
        assert browser.request("GET", "/api/photos").json()["photos"][0]["name"] == "guest.jpg"
    kinds = sorted(cookie.name.rpartition("-")[2] for cookie in one.http.cookies)
    assert kinds == ["guest", "guest"]


def test_two_browsers_upload_and_delete_in_one_vault_at_once(restartable_vault, seeded):
    owner = restartable_vault()
    daemon, password = owner.daemon, owner.password
    contents = {who: [seeded.randbytes(seeded.randrange(60_000)) for _ in range(60)] for who in ("phone", "laptop")}
    kept, failures = {}, []

    def work(who):
        try:
            browser = Browser(daemon).open(password)
            for number, content in enumerate(contents[who]):
                photo = browser.put(f"{who}-{number}", content)
                if number % 3 == 0:
                    assert browser.delete([photo]) == 1
                else:
                    kept[photo["name"]] = sha256(content)
        except Exception as error:  # noqa: BLE001 - shown by the assertion below
            failures.append(f"{who}: {error!r}")

    threads = [threading.Thread(target=work, args=(who,)) for who in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    assert Browser(daemon).open(password).digests() == kept
    daemon.restart()
    browser = Browser(daemon).open(password)
    assert browser.digests() == kept
    assert len(browser.trash()) == 40
    assert "damage" not in browser.request("GET", "/api/session").json()


def test_the_ids_of_a_photo_differ_between_sessions(vault):
    first = vault()
    second = Browser(first.daemon).open(first.password)
    first.put("a.jpg", b"a")
    assert first.photos()[0]["id"] != second.photos()[0]["id"]
    assert second.original(first.photos()[0]).status_code == 404


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(owner):
    daemon = owner.daemon
    answer = Browser(daemon).try_open(owner.password)
    cookie = next(value for value in answer.raw.headers.getlist("Set-Cookie") if value.startswith(f"safelight-{daemon.port}="))
    attributes = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= attributes
    assert len(cookie.split(";")[0]) >= len(f"safelight-{daemon.port}=") + 43


def test_a_session_says_how_long_it_lasts(vault):
    session = vault().request("GET", "/api/session").json()
    assert session["kind"] == "vault"
    assert 0 < session["idleSeconds"] <= 15 * 60


def test_identical_basic_credentials_share_the_opened_vault(owner):
    answers = [Browser(owner.daemon).request("GET", "/api/photos", auth=("", owner.password)) for _ in range(30)]
    assert {answer.status_code for answer in answers} == {200}


def test_wrong_basic_credentials_count_as_attempts(owner, elsewhere):
    stranger = elsewhere(owner.daemon)

    def ask(number):
        return stranger.request("GET", "/api/photos", auth=("", wrong(number)))

    assert [ask(number).status_code for number in range(ADMITTED)] == [401] * ADMITTED
    has_to_wait(lambda: ask(ADMITTED))


def test_after_six_failures_even_the_right_password_has_to_wait(owner, elsewhere):
    stranger = elsewhere(owner.daemon)
    for number in range(ADMITTED):
        assert stranger.try_open(wrong(number)).status_code == 401
    answer = has_to_wait(lambda: stranger.try_open(wrong(ADMITTED)))
    assert code_of(answer) == "too-many-attempts"
    assert int(answer.headers["Retry-After"]) >= 1

    def right_after_wrong():
        # Who has opened it is a device that is known by its cookie.
        stranger.http.cookies.clear()
        stranger.try_open(wrong(ADMITTED))
        return stranger.try_open(owner.password)

    has_to_wait(right_after_wrong)


def test_registering_a_taken_password_counts_as_a_failure(owner, elsewhere):
    stranger = elsewhere(owner.daemon)
    for number in range(2):
        assert stranger.try_open(wrong(number)).status_code == 401
    for _ in range(ADMITTED - 2):
        assert stranger.try_create(owner.password).status_code == 409
    has_to_wait(lambda: stranger.try_create(owner.password))
    has_to_wait(lambda: stranger.try_open(wrong(9)))


def test_successes_do_not_hide_failures(owner, elsewhere):
    """Each from the same address, and by a browser that nobody has seen before: a known one would be a device."""
    stranger = elsewhere(owner.daemon)
    for number in range(ADMITTED):
        stranger.http.cookies.clear()
        assert stranger.try_open(wrong(number)).status_code == 401
        if number < ADMITTED - 1:
            stranger.open(owner.password)
    stranger.http.cookies.clear()
    has_to_wait(lambda: stranger.try_open(wrong(ADMITTED)))


def test_a_delay_begins_anew_after_a_kill(daemon, vault):
    """How it grows, and that time without the daemon does not count, is tested by a clock of the throttle's own tests."""
    vault()
    for number in range(ADMITTED):
        Browser(daemon).try_open(wrong(number))
    has_to_wait(lambda: Browser(daemon).try_open(wrong(10)))
    daemon.kill9()
    daemon.start()
    admitted = 0
    # However slow this machine is: each that is admitted doubles what the next one has to wait.
    while (status := Browser(daemon).try_open(wrong(20 + admitted)).status_code) == 401:
        admitted += 1
    assert status == 429
    assert admitted < ADMITTED, "a kill gives a fresh start"


def test_a_failure_is_on_disk_before_its_answer(daemon, vault):
    vault()
    for number in range(ADMITTED):
        assert Browser(daemon).try_open(wrong(number)).status_code == 401
        daemon.kill9()
        daemon.start()
    has_to_wait(lambda: Browser(daemon).try_open(wrong(40)))


def test_the_budget_is_the_same_for_changing_and_erasing(owner, elsewhere):
    browser = elsewhere(owner.daemon).open(owner.password)
    body = {"password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
    for number in range(3):
        answer = browser.request("PUT", "/api/vault/password", json={"current": wrong(number), **body})
        assert answer.status_code == 401, answer.text
    for number in range(ADMITTED - 3):
        assert browser.request("DELETE", "/api/vault", json={"password": wrong(number)}).status_code == 401
    has_to_wait(lambda: browser.try_open(wrong(ADMITTED)))


def test_an_open_session_is_not_throttled(owner, elsewhere):
    family = elsewhere(owner.daemon).open(owner.password)
    stranger = beside(family)
    for number in range(ADMITTED + 1):
        stranger.try_open(wrong(number))
    family.put("a.jpg", b"a")
    assert family.names() == ["a.jpg"]


def beside(browser):
    """Another browser at the same address."""
    other = Browser(browser.daemon)
    other.http.mount("http://", browser.http.get_adapter("http://"))
    return other


def test_a_stranger_cannot_lock_out_a_device_that_has_opened_a_vault_before(owner, elsewhere):
    family = elsewhere(owner.daemon).open(owner.password)
    family.lock()
    stranger = beside(family)
    for number in range(ADMITTED + 1):
        stranger.try_open(wrong(number))
    has_to_wait(lambda: stranger.try_open(wrong(ADMITTED + 1)))
    assert family.try_open(owner.password).status_code == 200


@needs_root
def test_a_lock_that_the_disk_does_not_take_holds_until_the_end_of_the_run(daemon, vault):
    vault().put("a.jpg", b"a")
    kept, other = Browser(daemon).open(keep=True), Browser(daemon).open(keep=True)
    thief = Browser(daemon)
    thief.http.cookies = kept.http.cookies.copy()
    with failing_call(daemon, "fdatasync:error=EIO"):
        answer = kept.request("DELETE", "/api/sessions")
        assert answer.status_code == 503, answer.text
        assert kept.session()["kind"] == "none"
        for browser in (thief, other):
            assert browser.session()["kind"] == "none"
            assert browser.request("GET", "/api/photos").status_code == 401
    # The next opening writes down what could not be written then.
    wait_until(lambda: Browser(daemon).try_open(PASSWORD).status_code == 200)
    daemon.restart()
    assert thief.session()["kind"] == "none" and other.session()["kind"] == "none"
