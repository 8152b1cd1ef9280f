"""A password is a vault: create, open, refuse, change, lock, erase."""

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of

PHOTO = b"\xff\xd8\xff\xe0 pretend photo"


def test_a_second_password_opens_a_second_vault_that_never_sees_the_first(daemon):
    first = Browser(daemon).create(PASSWORD)
    first.put("first.jpg", PHOTO)
    second = Browser(daemon).create(OTHER_PASSWORD)
    assert second.photos() == []
    stolen = first.photos()[0]
    assert second.original(stolen).status_code == 404
    assert second.request("POST", "/api/photos/delete", json={"ids": [stolen["id"]]}).status_code in (200, 404)
    assert first.names() == ["first.jpg"]
    assert Browser(daemon).open(OTHER_PASSWORD).photos() == []
    assert Browser(daemon).open(PASSWORD).names() == ["first.jpg"]


def test_a_wrong_password_is_refused_and_opens_nothing(daemon, vault):
    vault()
    stranger = Browser(daemon)
    answer = stranger.try_open(PASSWORD + "!")
    assert (answer.status_code, code_of(answer)) == (401, "no-such-vault")
    assert "Set-Cookie" not in answer.headers
    assert stranger.request("GET", "/api/photos").status_code == 401


@pytest.mark.parametrize(
    ("password", "confirmation", "code"),
    [
        ("", "", "password-empty"),
        (PASSWORD, PASSWORD + "x", "password-mismatch"),
        ("sunfish", "sunfish", "password-too-short"),
        ("minecraft", "minecraft", "password-too-short"),
        ("password123", "password123", "password-too-common"),
        ("1234567890", "1234567890", "password-too-common"),
        ("qwerty12345", "qwerty12345", "password-too-common"),
        ("1q2w3e4r5t", "1q2w3e4r5t", "password-too-common"),
        ("OurFamilyPhotos1!", "OurFamilyPhotos1!", "password-too-common"),
    ],
)
def test_a_password_that_cannot_be_a_vault_is_refused_with_its_reason(standing_daemon, password, confirmation, code):
    answer = Browser(standing_daemon).try_create(password, confirmation)
    assert (answer.status_code, code_of(answer)) == (400, code)


def test_a_taken_password_is_refused_at_creation(daemon, vault):
    vault(PASSWORD)
    answer = Browser(daemon).try_create(PASSWORD)
    assert (answer.status_code, code_of(answer)) == (409, "password-taken")


def test_a_password_is_the_same_in_every_unicode_form(daemon):
    composed, decomposed = "cr\u00e8me br\u00fbl\u00e9e am Abend", "cre\u0300me bru\u0302le\u0301e am Abend"
    Browser(daemon).create(composed).put("dessert.jpg", PHOTO)
    assert Browser(daemon).open(decomposed).names() == ["dessert.jpg"]


def test_a_long_password_is_not_cut(daemon):
    long = "sea salt " * 100
    Browser(daemon).create(long)
    assert Browser(daemon).try_open(long[:-1]).status_code == 401
    assert Browser(daemon).try_open(long).status_code == 200


def test_hello_says_the_same_before_and_after_a_vault_exists(daemon):
    def hello():
        answer = Browser(daemon).request("GET", "/api/hello")
        assert answer.status_code == 200
        return answer.json()

    empty = hello()
    Browser(daemon).create()
    assert hello() == empty


def test_locking_ends_this_session_and_leaves_the_other(daemon, vault):
    phone, laptop = vault(), Browser(daemon).open()
    phone.lock()
    assert phone.request("GET", "/api/photos").status_code == 401
    assert laptop.photos() == []


def test_lock_everywhere_ends_every_session(daemon, vault):
    phone, laptop = vault(), Browser(daemon).open()
    assert laptop.request("DELETE", "/api/sessions").status_code == 200
    assert phone.request("GET", "/api/photos").status_code == 401
    assert laptop.request("GET", "/api/photos").status_code == 401


def test_a_locked_session_does_not_come_back_with_its_old_cookie(daemon, vault):
    browser = vault()
    cookies = browser.http.cookies.copy()
    browser.lock()
    browser.http.cookies = cookies
    assert browser.request("GET", "/api/photos").status_code == 401


def test_a_changed_password_opens_the_same_photos_and_the_old_one_nothing(daemon, vault):
    browser = vault()
    browser.put("kept.jpg", PHOTO)
    body = {"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
    answer = browser.request("PUT", "/api/vault/password", json=body)
    assert answer.status_code == 200, answer.text
    daemon.restart()
    assert Browser(daemon).try_open(PASSWORD).status_code == 401
    assert Browser(daemon).open(OTHER_PASSWORD).digests().keys() == {"kept.jpg"}


def test_a_password_change_needs_the_current_password(daemon, vault):
    browser = vault()
    body = {"current": PASSWORD + "!", "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
    assert browser.request("PUT", "/api/vault/password", json=body).status_code == 401
    assert Browser(daemon).try_open(OTHER_PASSWORD).status_code == 401
    Browser(daemon).open(PASSWORD)


def test_an_erased_vault_is_gone_and_its_password_free_again(daemon, vault):
    browser = vault()
    browser.put("gone.jpg", PHOTO * 5000)
    assert browser.request("DELETE", "/api/vault", json={"password": PASSWORD + "!"}).status_code == 401
    answer = browser.request("DELETE", "/api/vault", json={"password": PASSWORD})
    assert answer.status_code == 202, answer.text
    assert Browser(daemon).try_open(PASSWORD).status_code == 401
    daemon.restart()
    assert daemon.object_files() == []
    assert Browser(daemon).create(PASSWORD).photos() == []


def test_a_restart_locks_every_vault_and_keeps_every_photo(daemon, vault):
    browser = vault()
    browser.put("kept.jpg", PHOTO)
    daemon.restart()
    assert browser.request("GET", "/api/photos").status_code == 401
    browser.open()
    assert browser.content(browser.photos()[0]) == PHOTO
