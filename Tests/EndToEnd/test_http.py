"""The border: what every answer carries, and bodies that are refused. Broken requests, foreign sites and names, and paths
that climb have files of their own."""

import json
import select
from urllib.parse import quote

from client import OTHER_PASSWORD, PASSWORD, Browser, code_of
from faults import connect, read_all
from strangers import stranger

ROUTES = [
    ("GET", "/"), ("GET", "/health"), ("GET", "/health/live"), ("GET", "/api/hello"), ("GET", "/api/session"),
    ("GET", "/api/photos"), ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA"), ("GET", "/api/trash"),
    ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA/original"), ("GET", "/no/such/page"), ("GET", "/api/archive/nothing"),
    ("POST", "/api/session"), ("POST", "/api/vaults"), ("POST", "/api/photos"), ("PUT", "/api/photos/a.jpg"),
    ("DELETE", "/api/session"), ("DELETE", "/api/vault"), ("PUT", "/api/vault/password"), ("DELETE", "/api/trash"),
]  # fmt: skip


def wrong_headers(path, headers):
    """What is missing among the fields of every answer, or there and should not be."""
    policy = headers.get("Content-Security-Policy", "")
    expected = {
        "X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": None, "Access-Control-Allow-Origin": None,
    }  # fmt: skip
    if path.startswith("/api/"):
        expected["Cache-Control"] = "no-store"
    wrong = [f"{name}: {headers.get(name)}" for name, value in expected.items() if headers.get(name) != value]
    is_strict = all(directive in policy for directive in ("default-src 'none'", "frame-ancestors 'none'")) and "unsafe" not in policy
    return wrong if is_strict else [*wrong, f"Content-Security-Policy: {policy}"]


def test_every_answer_carries_the_security_headers_and_every_error_of_the_interface_a_code(standing_daemon):
    found = {}
    for method, path in ROUTES:
        answer = Browser(standing_daemon).request(method, path)
        wrong = wrong_headers(path, answer.headers)
        if answer.status_code >= 500:
            wrong.append(f"status {answer.status_code}")
        if path.startswith("/api/") and answer.status_code >= 400:
            assert code_of(answer), (method, path)
            if answer.json()["status"] != answer.status_code:
                wrong.append(f"{answer.status_code} says {answer.text}")
        if wrong:
            found[method, path] = wrong
    assert found == {}


def test_a_method_that_nobody_knows_is_no_error_of_the_host(standing_daemon):
    before = len(standing_daemon.log)
    answer = Browser(standing_daemon).request("TRACE", "/api/photos")
    assert answer.status_code == 501
    assert code_of(answer) == "method-unknown"
    assert " error " not in standing_daemon.log[before:]


WITHOUT_SESSION = [
    ("GET", "/api/photos", None), ("GET", "/api/trash", None), ("DELETE", "/api/trash", None), ("DELETE", "/api/session", None),
    ("DELETE", "/api/sessions", None), ("POST", "/api/archive", {"ids": []}), ("POST", "/api/photos/delete", {"ids": []}),
    ("POST", "/api/photos/restore", {"ids": []}), ("PUT", "/api/photos/a.jpg", None), ("POST", "/api/photos?name=a.jpg", None),
    ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA/original", None),
    ("PUT", "/api/vault/password", {"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}),
]  # fmt: skip


def test_without_a_session_the_answer_is_401(standing_daemon):
    statuses = {
        (method, path): Browser(standing_daemon).request(method, path, json=body).status_code
        for method, path, body in WITHOUT_SESSION
    }  # fmt: skip
    assert {route: status for route, status in statuses.items() if status != 401} == {}


def test_a_body_that_any_form_could_send_is_refused(standing_daemon):
    body = json.dumps({"password": PASSWORD, "confirmation": PASSWORD})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "text/plain; charset=utf-8"):
        answer = Browser(standing_daemon).request("POST", "/api/vaults", data=body, headers={"Content-Type": kind})
        assert answer.status_code == 415, kind


def test_who_sends_all_of_a_photo_before_it_reads_hears_why_it_was_refused(standing_daemon):
    """As wget does, which then sends it again with the password."""
    place = f"{standing_daemon.address}:{standing_daemon.port}"
    for byte_count in (9_000_000, 30_000_000):
        with connect(standing_daemon) as connection:
            head = f"PUT /api/photos/a.mov HTTP/1.1\r\nHost: {place}\r\nContent-Length: {byte_count}\r\n\r\n"
            connection.sendall(head.encode())
            # The answer is there already; whoever does not look at it goes on, slower than this computer alone would.
            assert select.select([connection], [], [], 60)[0]
            for piece in range(0, byte_count, 1_000_000):
                connection.sendall(bytes(min(1_000_000, byte_count - piece)))
            answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 401 ") and b"WWW-Authenticate: Basic" in answer, (byte_count, answer[:300])


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


def test_a_broken_multipart_body_keeps_nothing(vault):
    browser = vault()
    for fault, (kind, body) in MULTIPART_FAULTS.items():
        answer = browser.request("POST", "/api/photos", data=body, headers={"Content-Type": kind})
        assert 400 <= answer.status_code < 500, (fault, answer.status_code, answer.text)
        assert browser.photos() == [], fault


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


NO_PASSWORDS = [
    b"", b"{", b"[]", b"null", b'"x"', b'{"password":1}', b'{"password":null}', b'{"password":["a"]}', b"\xff\xfe",
    b'{"password":"\xff\xff\xff\xff\xff\xff\xff\xff"}', b'{"password":"' + b"a" * 5000 + b'"}', b"{" * 3000,
    b'{"password":"\\ud800 alone and lost"}', b'{"password":"a","password":"b"}', b'{"password":"abc',
    b'{"password":"seven copper kettles sing"} trailing',
]  # fmt: skip


def test_a_body_that_is_no_password_is_refused(standing_daemon):
    browser = stranger(standing_daemon)
    for body in NO_PASSWORDS:
        answer = browser.request("POST", "/api/session", data=body, headers={"Content-Type": "application/json"})
        assert 400 <= answer.status_code < 500 and answer.status_code != 429, (body, answer.status_code, answer.text)


def test_the_page_is_served_with_its_types(standing_daemon):
    page = Browser(standing_daemon).request("GET", "/")
    assert page.status_code == 200
    assert page.headers["Content-Type"].startswith("text/html")
    assert "<script>" not in page.text and "style=" not in page.text
    again = Browser(standing_daemon).request("GET", "/", headers={"If-None-Match": page.headers.get("ETag", '"none"')})
    assert again.status_code in (200, 304)


def test_an_answer_does_not_repeat_what_was_asked_as_markup(standing_daemon):
    marker = "<script>alert(1)</script>"
    answer = Browser(standing_daemon).request("GET", "/" + quote(marker))
    assert marker not in answer.text
