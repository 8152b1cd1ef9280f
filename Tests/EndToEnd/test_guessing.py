"""Nobody compares a secret with what the house knows but through the throttle, whatever the way; and whoever guesses stands
in nobody's way but their own. Other addresses of 127.0.0.0/8 stand for other devices."""

import collections
import contextlib
import http.client
import json
import math
import sqlite3
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import PASSWORD, Browser, wait_until
from strangers import own_address

BOUNDARY = "b"


class Device:
    """A client at one address; `cookies` is what it sends along."""

    def __init__(self, daemon, address, cookies=""):
        self.daemon, self.address, self.cookies = daemon, address, cookies

    def ask(self, method, path, body=None, **fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.daemon.port, 60, source_address=(self.address, 0))
        if self.cookies:
            fields |= {"Cookie": self.cookies, "Sec-Fetch-Site": "same-origin"}
        if isinstance(body, dict):
            body, fields["Content-Type"] = json.dumps(body), "application/json"
        try:
            connection.request(method, path, body, {name.replace("_", "-"): value for name, value in fields.items()})
            answer = connection.getresponse()
            answer.read()
            return answer
        finally:
            connection.close()

    def open(self, password):
        return self.ask("POST", "/api/session", {"password": password})

    # Every way to send a password or a code, by its status.

    def by_session(self, secret):
        return self.open(secret).status

    def by_basic(self, secret):
        credentials = b64encode(f":{secret}".encode()).decode()
        return self.ask("GET", "/api/photos", Authorization=f"Basic {credentials}").status

    def by_basic_upload(self, secret):
        credentials = b64encode(f":{secret}".encode()).decode()
        return self.ask("PUT", "/api/photos/a.jpg", b"photo", Authorization=f"Basic {credentials}").status

    def by_form(self, secret):
        parts = (
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="password"\r\n\r\n{secret}\r\n'
            f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.jpg"\r\n\r\nphoto\r\n--{BOUNDARY}--\r\n'
        )
        return self.ask(
            "POST", "/api/photos", parts.encode(), Content_Type=f"multipart/form-data; boundary={BOUNDARY}").status


WAYS = [Device.by_session, Device.by_basic, Device.by_basic_upload, Device.by_form]


def opened_by_every_way(daemon):
    """The daemon, with one vault, which its owner has open by every way at 127.0.0.1."""
    Browser(daemon).create(PASSWORD)
    for way in WAYS:
        assert way(Device(daemon, "127.0.0.1"), PASSWORD) in (200, 201)
    return daemon


@pytest.fixture(scope="module")
def house(start_standing):
    """For cases that guess at addresses of their own, and little."""
    return opened_by_every_way(start_standing())


@pytest.fixture
def own_house(daemon):
    return opened_by_every_way(daemon)


def while_it_must_wait(stranger, act):
    """What comes of `act` while the device has to wait, whatever else the machine does: each wrong guess doubles the wait, until
    all of it is done within one. What the host says of the wait is rounded up to a second."""
    while True:
        begun = time.monotonic()
        answer = stranger.open("wrong guess")
        if answer.status != 429:
            continue
        wait = int(answer.headers["Retry-After"])
        if wait > 1:
            found = act()
            if time.monotonic() - begun < wait - 1:
                return found
        # Nothing is decided by it: the next guess is let in a little sooner or later.
        time.sleep(wait)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_who_must_wait_is_not_told_that_a_guess_is_right(house, way):
    stranger = Device(house, own_address())
    assert [way(stranger, f"wrong guess {number}") for number in range(6)] == [401] * 6

    def guess():
        return [other(stranger, secret) for secret in ("one more wrong guess", PASSWORD) for other in WAYS]

    assert set(while_it_must_wait(stranger, guess)) == {429}


def test_a_right_password_costs_no_attempt(house):
    owner = Device(house, "127.0.0.1")
    for way in WAYS:
        assert {way(owner, PASSWORD) for _ in range(20)} <= {200, 201}, way.__name__


def test_a_guess_costs_the_same_while_the_right_password_is_in_use(house):
    """At one address, such as that of a router that hides who asks."""
    shared = Device(house, own_address())
    assert shared.by_basic(PASSWORD) == 200
    begun = time.monotonic()
    answers = [shared.by_basic(f"wrong guess {number}") for number in range(50)]
    # One more for each wait that is over meanwhile: a second, two, four, and so on.
    waits = int(math.log2(time.monotonic() - begun + 1))
    assert set(answers[:6]) == {401} and answers[6:].count(401) <= waits and set(answers[6:]) <= {401, 429}


def test_setup_codes_and_recovery_codes_are_guesses_too(house):
    stranger = Device(house, own_address())
    codes = [stranger.ask("POST", "/api/session", {"recovery": f"0000-0000-0000-0000-0000-0000-000{n}"}) for n in range(8)]
    assert {code.status for code in codes} <= {400, 401, 429}
    wanted = {"password": "a long phrase of ours", "confirmation": "a long phrase of ours", "code": "x"}
    assert while_it_must_wait(stranger, lambda: stranger.ask("POST", "/api/vaults", wanted)).status == 429


def cookies_of(answer):
    return [value.split(";")[0] for value in answer.headers.get_all("Set-Cookie") or []]


def device_cookie(answer):
    return next(cookie for cookie in cookies_of(answer) if "device" in cookie)


def test_whoever_has_a_vault_cannot_lock_the_others_out(own_house):
    """Cookies of devices are had for one's own password: they must not multiply guesses, nor use up the family's lane."""
    house = own_house
    family = device_cookie(Device(house, "127.0.0.10").open(PASSWORD))
    own = "the visitor's own vault"
    Browser(house).create(own)
    visitor = Device(house, "127.0.0.60")
    cookies = [device_cookie(visitor.open(own)) for _ in range(24)]
    answers = collections.Counter()
    for cookie in cookies:
        for number in range(6):
            answers[Device(house, "127.0.0.60", cookie).by_session(f"guess {number}")] += 1
    # A hundred, and what the budget has got back meanwhile: as many in an hour.
    assert answers[401] < 130 and answers[401] + answers[429] == 144, answers
    for last in range(70, 80):
        for number in range(6):
            Device(house, f"127.0.0.{last}").by_session(f"stranger {number}")
    assert Device(house, "127.0.0.200", family).by_session(PASSWORD) == 200
    assert Device(house, "127.0.0.201").by_session(PASSWORD) == 200


def test_a_device_stays_one_however_often_it_opens_a_vault(house):
    device = device_cookie(Device(house, "127.0.0.10").open(PASSWORD))
    assert device_cookie(Device(house, "127.0.0.10", device).open(PASSWORD)) == device
    forged = device.split("=")[0] + "=" + "A" * 43
    assert device_cookie(Device(house, "127.0.0.10", forged).open(PASSWORD)) not in (device, forged)


def test_right_passwords_that_come_at_once_are_all_let_in(house):
    phone = Device(house, "127.0.0.30")
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: phone.by_session(PASSWORD), range(16))) == {200}


def test_whoever_opens_a_vault_is_told_of_wrong_guesses_since(own_house):
    stranger = Device(own_house, "127.0.0.66")
    for number in range(4):
        assert stranger.by_session(f"wrong guess {number}") == 401
    own_house.restart()
    assert Browser(own_house).try_open(PASSWORD).json()["wrongGuesses"] == 4
    assert Browser(own_house).try_open(PASSWORD).json()["wrongGuesses"] == 0


def test_after_a_restart_who_guessed_waits_and_nobody_else(own_house):
    stranger, phone = Device(own_house, "127.0.0.66"), Device(own_house, "127.0.0.67")

    def restart():
        own_house.kill9()
        own_house.start()
        return stranger.by_session(PASSWORD), phone.by_session(PASSWORD)

    assert while_it_must_wait(stranger, restart) == (429, 200)


def attempts_on_disk(daemon):
    with contextlib.closing(sqlite3.connect(f"file:{daemon.data}/ledger.sqlite?mode=ro", uri=True)) as connection:
        return connection.execute("SELECT key, value FROM throttle").fetchall()


def test_crashes_in_the_midst_of_right_passwords_keep_nobody_waiting(start_daemon, counted):
    # So dear a derivation that the end comes in the midst of it.
    daemon = start_daemon(environment={"SAFELIGHT_UNSAFE_KDF_MEMORY": "65536", "SAFELIGHT_UNSAFE_KDF_ITERATIONS": "12"})
    Browser(daemon).create(PASSWORD)
    phone = Device(daemon, "127.0.0.30")
    crashes = 0
    while crashes < counted(2, 8):
        before = attempts_on_disk(daemon)
        with ThreadPoolExecutor(4) as pool:
            asked = [pool.submit(phone.by_session, PASSWORD) for _ in range(4)]
            wait_until(lambda: attempts_on_disk(daemon) != before or all(one.done() for one in asked))  # noqa: B023
            daemon.kill9()
            # Where all had their answers already, it was none.
            crashes += any(one.exception() for one in asked)
        daemon.start()
    assert phone.by_session(PASSWORD) == 200
    assert phone.by_session(PASSWORD) == 200
    assert Browser(daemon).try_open(PASSWORD).json()["wrongGuesses"] == 0
