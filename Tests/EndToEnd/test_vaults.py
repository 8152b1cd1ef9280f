"""A password is a vault: create, open, refuse, change, lock, erase."""

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of

PHOTO = b"\xff\xd8\xff\xe0 pretend photo"


def test_a_second_password_opens_a_second_vault_that_never_sees_the_first(vault):
    first = vault()
    first.put("first.jpg", PHOTO)
    second = vault()
    assert second.photos() == []
    stolen = first.photos()[0]
    assert second.original(stolen).status_code == 404
    assert second.request("POST", "/api/photos/delete", json={"ids": [stolen["id"]]}).status_code in (200, 404)
    assert first.names() == ["first.jpg"]
    assert Browser(first.daemon).open(second.password).photos() == []
    assert Browser(first.daemon).open(first.password).names() == ["first.jpg"]


def test_a_wrong_password_is_refused_and_opens_nothing(owner, elsewhere):
    stranger = elsewhere(owner.daemon)
    answer = stranger.try_open(owner.password + "!")
    assert (answer.status_code, code_of(answer)) == (401, "no-such-vault")
    assert "Set-Cookie" not in answer.headers
    assert stranger.request("GET", "/api/photos").status_code == 401


UNUSABLE = {
    "": "password-empty",
    "sunfish": "password-too-short",
    "minecraft": "password-too-short",
    "password123": "password-too-common",
    "1234567890": "password-too-common",
    "qwerty12345": "password-too-common",
    "1q2w3e4r5t": "password-too-common",
    "OurFamilyPhotos1!": "password-too-common",
}


def test_a_password_that_cannot_be_a_vault_is_refused_with_its_reason(standing_daemon):
    def said(*typed):
        answer = Browser(standing_daemon).try_create(*typed)
        return answer.status_code, code_of(answer)

    assert {password: said(password) for password in UNUSABLE} == {password: (400, code) for password, code in UNUSABLE.items()}
    assert said(PASSWORD, PASSWORD + "x") == (400, "password-mismatch")


def test_a_taken_password_is_refused_at_creation(owner, elsewhere):
    answer = elsewhere(owner.daemon).try_create(owner.password)
    assert (answer.status_code, code_of(answer)) == (409, "password-taken")


def test_a_password_is_the_same_in_every_unicode_form(standing_daemon):
    composed, decomposed = "cr\u00e8me br\u00fbl\u00e9e am Abend", "cre\u0300me bru\u0302le\u0301e am Abend"
    Browser(standing_daemon).create(composed).put("dessert.jpg", PHOTO)
    assert Browser(standing_daemon).open(decomposed).names() == ["dessert.jpg"]


def test_a_long_password_is_not_cut(standing_daemon, elsewhere):
    long = "sea salt " * 100
    Browser(standing_daemon).create(long)
    assert elsewhere(standing_daemon).try_open(long[:-1]).status_code == 401
    assert elsewhere(standing_daemon).try_open(long).status_code == 200


def test_hello_says_the_same_before_and_after_a_vault_exists(daemon):
    """A daemon of its own: on others there is one."""

    def hello():
        answer = Browser(daemon).request("GET", "/api/hello")
        assert answer.status_code == 200
        return answer.json()

    empty = hello()
    Browser(daemon).create()
    assert hello() == empty


@pytest.fixture
def phone(owner):
    return owner


@pytest.fixture
def laptop(owner):
    return Browser(owner.daemon).open(owner.password)


def test_locking_ends_this_session_and_leaves_the_other(phone, laptop):
    phone.lock()
    assert phone.request("GET", "/api/photos").status_code == 401
    assert laptop.photos() == []


def test_lock_everywhere_ends_every_session(phone, laptop):
    assert laptop.request("DELETE", "/api/sessions").status_code == 200
    assert phone.request("GET", "/api/photos").status_code == 401
    assert laptop.request("GET", "/api/photos").status_code == 401


def test_a_locked_session_does_not_come_back_with_its_old_cookie(owner):
    browser = owner
    cookies = browser.http.cookies.copy()
    browser.lock()
    browser.http.cookies = cookies
    assert browser.request("GET", "/api/photos").status_code == 401


def test_a_password_change_needs_the_current_password(owner, elsewhere):
    browser, other = elsewhere(owner.daemon).open(owner.password), f"{owner.password}, changed"
    body = {"current": owner.password + "!", "password": other, "confirmation": other}
    assert browser.request("PUT", "/api/vault/password", json=body).status_code == 401
    assert elsewhere(owner.daemon).try_open(other).status_code == 401
    elsewhere(owner.daemon).open(owner.password)


def test_a_changed_password_and_an_erased_vault_stay_so_over_a_restart(daemon, vault):
    changed, erased = vault(), vault()
    changed.put("kept.jpg", PHOTO)
    body = {"current": changed.password, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
    answer = changed.request("PUT", "/api/vault/password", json=body)
    assert answer.status_code == 200, answer.text
    erased.put("gone.jpg", PHOTO * 5000)
    assert erased.request("DELETE", "/api/vault", json={"password": erased.password + "!"}).status_code == 401
    answer = erased.request("DELETE", "/api/vault", json={"password": erased.password})
    assert answer.status_code == 202, answer.text
    assert Browser(daemon).try_open(erased.password).status_code == 401
    daemon.restart()
    assert Browser(daemon).try_open(changed.password).status_code == 401
    assert Browser(daemon).open(OTHER_PASSWORD).digests().keys() == {"kept.jpg"}
    assert len(daemon.object_files()) == 1
    assert Browser(daemon).create(erased.password).photos() == []


def test_a_restart_locks_every_vault_and_keeps_every_photo(restartable_vault):
    browser = restartable_vault()
    browser.put("kept.jpg", PHOTO)
    browser.daemon.restart()
    assert browser.request("GET", "/api/photos").status_code == 401
    browser.open()
    assert browser.content(browser.photos()[0]) == PHOTO
