"""The border: what every answer carries, and bodies that are refused. Broken requests, foreign sites and names, and paths
that climb have files of their own."""

import json
import select
from urllib.parse import quote

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of
from faults import connect, read_all

ROUTES = [
    ("GET", "/"), ("GET", "/health"), ("GET", "/health/live"), ("GET", "/api/hello"), ("GET", "/api/session"),
    ("GET", "/api/photos"), ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA"), ("GET", "/api/trash"),
    ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA/original"), ("GET", "/no/such/page"), ("GET", "/api/archive/nothing"),
    ("POST", "/api/session"), ("POST", "/api/vaults"), ("POST", "/api/photos"), ("PUT", "/api/photos/a.jpg"),
    ("DELETE", "/api/session"), ("DELETE", "/api/vault"), ("PUT", "/api/vault/password"), ("DELETE", "/api/trash"),
]  # fmt: skip


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_answer_carries_the_security_headers(standing_daemon, method, path):
    answer = Browser(standing_daemon).request(method, path)
    assert answer.status_code < 500
    headers = answer.headers
    policy = headers["Content-Security-Policy"]
    for directive in ("default-src 'none'", "frame-ancestors 'none'"):
        assert directive in policy, policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Strict-Transport-Security" not in headers
    assert "Access-Control-Allow-Origin" not in headers
    if path.startswith("/api/"):
        assert headers["Cache-Control"] == "no-store"


def test_a_method_that_nobody_knows_is_no_error_of_the_host(daemon):
    answer = Browser(daemon).request("TRACE", "/api/photos")
    assert answer.status_code == 501
    assert code_of(answer) == "method-unknown"
    daemon.stop()
    assert " error " not in daemon.log


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if route[1].startswith("/api/")])
def test_an_error_of_the_interface_is_a_problem_with_a_code(standing_daemon, method, path):
    answer = Browser(standing_daemon).request(method, path)
    if answer.status_code >= 400:
        assert code_of(answer)
        assert answer.json()["status"] == answer.status_code


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/photos"), ("GET", "/api/trash"), ("DELETE", "/api/trash"), ("DELETE", "/api/session"),
        ("DELETE", "/api/sessions"), ("POST", "/api/archive"), ("POST", "/api/photos/delete"),
        ("POST", "/api/photos/restore"), ("PUT", "/api/photos/a.jpg"), ("POST", "/api/photos?name=a.jpg"),
        ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA/original"), ("PUT", "/api/vault/password"),
    ],
)  # fmt: skip
def test_without_a_session_the_answer_is_401(standing_daemon, method, path):
    body = {"ids": []} if path.startswith(("/api/archive", "/api/photos/")) and method == "POST" else None
    if path == "/api/vault/password":
        body = {"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
    assert Browser(standing_daemon).request(method, path, json=body).status_code == 401


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/plain; charset=utf-8"])
def test_a_body_that_any_form_could_send_is_refused(standing_daemon, kind):
    body = json.dumps({"password": PASSWORD, "confirmation": PASSWORD})
    answer = Browser(standing_daemon).request("POST", "/api/vaults", data=body, headers={"Content-Type": kind})
    assert answer.status_code == 415


@pytest.mark.parametrize("byte_count", [9_000_000, 30_000_000])
def test_who_sends_all_of_a_photo_before_it_reads_hears_why_it_was_refused(daemon, byte_count):
    """As wget does, which then sends it again with the password."""
    with connect(daemon) as connection:
        connection.sendall(
            f"PUT /api/photos/a.mov HTTP/1.1\r\nHost: {daemon.address}:{daemon.port}\r\n"
            f"Content-Length: {byte_count}\r\n\r\n".encode()
        )
        # The answer is there already; whoever does not look at it goes on, slower than this computer alone would.
        assert select.select([connection], [], [], 60)[0]
        for piece in range(0, byte_count, 1_000_000):
            connection.sendall(bytes(min(1_000_000, byte_count - piece)))
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 401 ") and b"WWW-Authenticate: Basic" in answer, answer[:300]


def test_a_compressed_body_is_refused(vault):
    browser = vault()
    assert browser.try_put("a.jpg", b"a", headers={"Content-Encoding": "gzip"}).status_code == 415
    assert browser.photos() == []


MULTIPART_FAULTS = {
    "no boundary": ("multipart/form-data", b"--b\r\n\r\nx\r\n--b--\r\n"),
    "empty boundary": ("multipart/form-data; boundary=", b"--\r\n\r\nx\r\n----\r\n"),
    "long boundary": ("multipart/form-data; boundary=" + "b" * 71, b"--" + b"b" * 71 + b"\r\n\r\nx"),
    "no end": ("multipart/form-data; boundary=b", b'--b\r\nContent-Disposition: form-data; name="photos"; filename="a"\r\n\r\nxxxx'),
    "bare LF": ("multipart/form-data; boundary=b", b'--b\nContent-Disposition: form-data; name="photos"; filename="a"\n\nx\n--b--\n'),
    "huge part header": (
        "multipart/form-data; boundary=b",
        b'--b\r\nContent-Disposition: form-data; name="photos"; filename="' + b"a" * 1_000_000 + b'"\r\n\r\nx\r\n--b--\r\n',
    ),
    "not multipart": ("multipart/form-data; boundary=b", b"hello"),
}


@pytest.mark.parametrize("fault", MULTIPART_FAULTS)
def test_a_broken_multipart_body_keeps_nothing(standing_vault, fault):
    kind, body = MULTIPART_FAULTS[fault]
    browser = standing_vault()
    answer = browser.request("POST", "/api/photos", data=body, headers={"Content-Type": kind})
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text)
    assert browser.photos() == []


def test_files_before_a_part_that_cannot_be_read_stay_as_the_answer_says(vault):
    browser = vault()
    head = '--b\r\nContent-Disposition: form-data; name="photos"; filename="{}"\r\n\r\nwhole {}\r\n'
    body = head.format("a.jpg", 1) + head.format("b.jpg", 2) + "--b\r\nno field of a head\r\n\r\nx\r\n--b--\r\n"
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = browser.request("POST", "/api/photos", data=body, headers=kind)
    assert code_of(answer) == "malformed-form" and "came before stay saved" in answer.json()["detail"]
    assert browser.names() == ["a.jpg", "b.jpg"]


def test_names_that_had_to_be_changed_do_not_become_one(vault):
    browser = vault()
    offered = set()
    for name in ("a?b.jpg", "a*b.jpg", "a_b.jpg", "x" * 300 + "1.jpg", "x" * 300 + "2.jpg"):
        photo = browser.try_put(name, name.encode()).json()["id"]
        field = browser.request("GET", f"/api/photos/{photo}/original").headers["Content-Disposition"]
        # As curl -OJ reads it.
        offered.add(field.split('filename="')[1].split('"')[0])
    assert len(offered) == 5, offered


def test_a_failed_file_between_good_ones_is_named(vault):
    browser = vault()
    files = [("photos", (name, b"x" * 100, "image/jpeg")) for name in ("good.jpg", "n" * 1025, "fine.jpg")]
    answer = browser.request("POST", "/api/photos", files=files)
    assert answer.status_code == 207, answer.text
    entries = answer.json()["photos"]
    assert ["error" in entry for entry in entries] == [False, True, False]
    assert browser.names() == ["fine.jpg", "good.jpg"]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'"x"', b'{"password":1}', b'{"password":null}', b'{"password":["a"]}', b"\xff\xfe",
        b'{"password":"\xff\xff\xff\xff\xff\xff\xff\xff"}', b'{"password":"' + b"a" * 5000 + b'"}', b"{" * 3000,
        b'{"password":"\\ud800 alone and lost"}', b'{"password":"a","password":"b"}', b'{"password":"abc',
        b'{"password":"seven copper kettles sing"} trailing',
    ],
    ids=range(16),
)  # fmt: skip
def test_a_body_that_is_no_password_is_refused(standing_daemon, body):
    answer = Browser(standing_daemon).request("POST", "/api/session", data=body, headers={"Content-Type": "application/json"})
    assert 400 <= answer.status_code < 500 and answer.status_code != 429, (answer.status_code, answer.text)


def test_the_page_is_served_from_memory_with_its_types(daemon):
    page = Browser(daemon).request("GET", "/")
    assert page.status_code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert "<script>" not in page.text and "style=" not in page.text
    again = Browser(daemon).request("GET", "/", headers={"If-None-Match": page.headers.get("ETag", '"none"')})
    assert again.status_code in (200, 304)


def test_an_answer_does_not_repeat_what_was_asked_as_markup(daemon):
    marker = "<script>alert(1)</script>"
    answer = Browser(daemon).request("GET", "/" + quote(marker))
    assert marker not in answer.text
