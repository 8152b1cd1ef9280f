"""The border: what other sites, other names, broken clients and hostile bytes can do, which is nothing."""

import itertools
import json
from urllib.parse import quote

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of
from faults import connect, cookie_header, read_all

ROUTES = [
    ("GET", "/"), ("GET", "/health"), ("GET", "/health/live"), ("GET", "/api/hello"), ("GET", "/api/session"),
    ("GET", "/api/photos"), ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA"), ("GET", "/api/trash"),
    ("GET", "/api/photos/AAAAAAAAAAAAAAAAAAAAAA/original"), ("GET", "/no/such/page"), ("GET", "/api/archive/nothing"),
    ("POST", "/api/session"), ("POST", "/api/vaults"), ("POST", "/api/photos"), ("PUT", "/api/photos/a.jpg"),
    ("DELETE", "/api/session"), ("DELETE", "/api/vault"), ("PUT", "/api/vault/password"), ("DELETE", "/api/trash"),
]  # fmt: skip


def raw(daemon, request, timeout=10):
    """The answer to bytes exactly as they are, up to the end of the connection or a while without more."""
    connection = connect(daemon, timeout)
    try:
        connection.sendall(request)
        connection.shutdown(1)
    except ConnectionError:
        pass
    answer = read_all(connection)
    connection.close()
    return answer


def status_of(answer):
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else None


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_every_answer_carries_the_security_headers(daemon, method, path):
    answer = Browser(daemon).request(method, path)
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


@pytest.mark.parametrize(("method", "path"), [route for route in ROUTES if route[1].startswith("/api/")])
def test_an_error_of_the_interface_is_a_problem_with_a_code(daemon, method, path):
    answer = Browser(daemon).request(method, path)
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
def test_without_a_session_the_answer_is_401(daemon, method, path):
    body = {"ids": []} if path.startswith(("/api/archive", "/api/photos/")) and method == "POST" else None
    if path == "/api/vault/password":
        body = {"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}
    assert Browser(daemon).request(method, path, json=body).status_code == 401


FOREIGN = [
    {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://other.home"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": None, "Origin": "https://evil.example"},
    {"Sec-Fetch-Site": None, "Origin": "null"},
    {"Sec-Fetch-Site": None, "Origin": None},
]
UNSAFE = [
    ("PUT", "/api/photos/evil.jpg", {"data": b"evil"}),
    ("POST", "/api/photos?name=evil.jpg", {"data": b"evil", "headers": {"Content-Type": "image/jpeg"}}),
    ("POST", "/api/photos", {"files": [("photos", ("evil.jpg", b"evil", "image/jpeg"))]}),
    ("POST", "/api/photos/delete", {"json": {"ids": ["ID"]}}),
    ("POST", "/api/archive", {"json": {"ids": ["ID"]}}),
    ("DELETE", "/api/session", {}),
    ("DELETE", "/api/sessions", {}),
    ("DELETE", "/api/trash", {}),
    ("DELETE", "/api/vault", {"json": {"password": PASSWORD}}),
    ("PUT", "/api/vault/password", {"json": {"current": PASSWORD, "password": "x" * 20, "confirmation": "x" * 20}}),
    ("POST", "/api/vaults", {"json": {"password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD}}),
]


def test_another_site_changes_nothing(daemon, vault):
    browser = vault()
    browser.put("mine.jpg", b"mine")
    id = browser.photos()[0]["id"]
    for (method, path, options), headers in itertools.product(UNSAFE, FOREIGN):
        options = json.loads(json.dumps(options).replace('"ID"', json.dumps(id))) if "json" in options else options
        merged = {**options.get("headers", {}), **headers}
        answer = browser.request(method, path, **{**options, "headers": merged})
        assert answer.status_code == 403, (method, path, headers, answer.status_code)
    assert browser.names() == ["mine.jpg"]
    assert Browser(daemon).try_open(OTHER_PASSWORD).status_code == 401


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/plain; charset=utf-8"])
def test_a_body_that_any_form_could_send_is_refused(daemon, kind):
    body = json.dumps({"password": PASSWORD, "confirmation": PASSWORD})
    answer = Browser(daemon).request("POST", "/api/vaults", data=body, headers={"Content-Type": kind})
    assert answer.status_code == 415


def test_a_compressed_body_is_refused(vault):
    browser = vault()
    assert browser.try_put("a.jpg", b"a", headers={"Content-Encoding": "gzip"}).status_code == 415
    assert browser.photos() == []


def host_forms(port):
    right = ["127.0.0.1", "localhost", "LOCALHOST", "localhost."]
    wrong = [
        "evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.2", "0.0.0.0",
        "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "127.0.1", "0x7f.0.0.1", "127.0.0.1.", "[::1]",
        "192.168.1.1", "", "evil@127.0.0.1", "127.0.0.1:80:80", "localhost:x", "*", "::1", "[", "a" * 300, "xn--localhost",
    ]  # fmt: skip
    with_port = [f"{host}:{port}" for host in right]
    return right + with_port, [host.replace("{port}", str(port)) for host in wrong]


def test_only_names_of_this_host_are_answered(daemon):
    right, wrong = host_forms(daemon.port)
    for host in right:
        answer = raw(daemon, f"GET /api/hello HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) == 200, host
    for host, path in itertools.product(wrong, ["/api/hello", "/", "/health"]):
        answer = raw(daemon, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) in (400, 421), (host, path, answer[:80])
    assert status_of(raw(daemon, b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n")) in (400, 421)


def malformed(daemon, cookie):
    """Requests that break RFC 9112 or RFC 9110 in one place each."""
    host = f"Host: 127.0.0.1:{daemon.port}\r\nOrigin: {daemon.url}\r\nCookie: {cookie}\r\n"
    lengths = [
        "+5", "-1", "0x5", "5,6", "5 6", "5, 5x", "", " ", "1e3", "5.0", "99999999999999999999999", "٥", "5;", "five",
        "18446744073709551616", "\t", "5\x0b", "NaN", "--5", "5-", "0b101", "05x", "5\x00", "1_000",
    ]  # fmt: skip
    codings = ["xchunked", "chunked, x", "gzip, chunked, gzip", "chunked;q=1", "identity, gzip", "\x0bchunked", "chunke", "chunked chunked"]
    sizes = ["0x5", "+5", "-1", "5_", "g", "", " 5", "FFFFFFFFFFFFFFFFF", "5 5", "5\x00", "1e1", "٥", "\t5"]
    names = ["Bad Name", "Bad\tName", "Bad\x00", "Bad\x7f", "(bad)", "bad[", "bad{", 'bad"', "bad/", "bad@", "bad,", "bad;", "bad\\", "", "bä"]
    values = ["a\x00b", "a\x01b", "a\x1fb", "a\x7fb", "a\rb"]
    lines = [
        "GET", "GET /", "GET / HTTP/1.1 x", "GET / HTTP/9.9", "GET / HTTP/1.10", "GET / http/1.1", "GET / HTTP/11",
        "GET /\x00 HTTP/1.1", "GET /\x7f HTTP/1.1", "GET /\x01 HTTP/1.1", " GET / HTTP/1.1", "G\x00T / HTTP/1.1", "get / HTTP/1.1",
        "GET\t/\tHTTP/1.1", "GET / HTTP/1.", "GET / HTTP/", "GET / HTTPS/1.1", "GET / ICE/1.0", "\x16\x03\x01\x02\x00\x01", "", "\x00",
        "PRI * HTTP/2.0", "(GET) / HTTP/1.1", "GET / HTTP/1.1\x00", "GET / HTTP/2.0", "GET / HTTP/0.9", "SSH-2.0-x", "HTTP/1.1 200 OK",
    ]  # fmt: skip
    paths = ["/api/photos/x.jpg", "/api/photos?name=x.jpg", "/api/session", "/api/vaults", "/health", "/"]
    for path, method in itertools.product(paths, ("PUT", "POST")):
        for length in lengths:
            yield f"{method} {path} HTTP/1.1\r\n{host}Content-Length: {length}\r\n\r\n12345"
        for coding in codings:
            yield f"{method} {path} HTTP/1.1\r\n{host}Transfer-Encoding: {coding}\r\n\r\n5\r\n12345\r\n0\r\n\r\n"
        for size in sizes:
            yield f"{method} {path} HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n{size}\r\n12345\r\n0\r\n\r\n"
        yield f"{method} {path} HTTP/1.1\r\n{host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n12345"
        yield f"{method} {path} HTTP/1.1\r\n{host}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    for path, name in itertools.product(paths, names):
        yield f"GET {path} HTTP/1.1\r\n{host}{name}: x\r\n\r\n"
        yield f"GET {path} HTTP/1.1\r\n{host}X-Space{name} : x\r\n\r\n"
    for path, value in itertools.product(paths, values):
        yield f"GET {path} HTTP/1.1\r\n{host}X: {value}\r\n\r\n"
    for line in lines:
        yield f"{line}\r\n{host}\r\n"
    for path in paths:
        yield f"GET {path} HTTP/1.1\r\n{host}X: a\r\n folded\r\n\r\n"


def test_malformed_requests_are_refused_and_harm_nobody(daemon, vault):
    browser = vault()
    requests = list(dict.fromkeys(malformed(daemon, cookie_header(browser))))
    assert len(requests) >= 600
    served, failed = [], []
    for number, request in enumerate(requests):
        status = status_of(raw(daemon, request.encode("utf-8", "surrogateescape")))
        if status is not None and status < 400:
            served.append((status, request))
        if status is not None and status >= 500 and status not in (501, 505):
            failed.append((status, request))
        if number % 100 == 0:
            assert browser.request("GET", "/health").status_code == 200
    assert daemon.running
    assert browser.photos() == []
    assert not failed, failed[:20]
    assert not served, (len(served), served[:20])


@pytest.mark.parametrize(
    "request_text",
    [
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + "".join(f"X-{n}: y\r\n" for n in range(1001)) + "\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + "y" * 81_000 + "\r\n\r\n",
        "GET /" + "a" * 1_000_000 + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + "; ".join(f"c{n}=v" for n in range(10_000)) + "\r\n\r\n",
        "A" * 1000 + " / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    ],
    ids=["1001 fields", "81 KB field", "1 MB target", "10,000 cookies", "1 KB method"],
)
def test_a_request_head_that_is_too_large_is_refused(daemon, request_text):
    status = status_of(raw(daemon, request_text.encode()))
    assert status is None or status in (400, 405, 414, 431, 501), status
    assert Browser(daemon).request("GET", "/health").status_code == 200


def traversals(count):
    """Ways to write ../ in front of files that exist on every Linux host and in the checkout."""
    dots = ["..", "%2e%2e", "%252e%252e", ".%2e", "%2e.", "..;", "%c0%ae%c0%ae", "....", "%2e%2e%00", "..%00", "．．"]
    slashes = ["/", "%2f", "%252f", "\\", "%5c", "//", "/./", "%c0%af", "/;/", "%2f%2f"]
    targets = ["etc/passwd", "proc/self/environ", "Package.swift", "data/store.header", "ledger.sqlite", "etc/hostname"]
    starts = ["/", "/css/", "/js/", "/api/photos/", "/api/archive/", "//", "/api/../"]
    made = itertools.product(targets, starts, (1, 4, 9), dots, slashes)
    for target, start, depth, dot, slash in made:
        yield start + (dot + slash) * depth + target.replace("/", slash)
        count -= 1
        if count == 0:
            return


def test_no_address_reaches_a_file_outside(daemon, vault, counted):
    browser = vault()
    cookie = cookie_header(browser)
    tried = 0
    for path in traversals(counted(2_000, 100_000)):
        request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{daemon.port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        answer = raw(daemon, request.encode())
        status = status_of(answer)
        assert status is None or status in (200, 400, 404, 405, 414), (path, answer[:200])
        assert status != 200 or b"root:" not in answer and b"PackageDescription" not in answer, path
        assert status != 200 or path.startswith("/api/photos"), (path, answer[:200])
        tried += 1
    assert tried >= 2_000
    assert browser.request("GET", "/health").status_code == 200


@pytest.mark.parametrize("method", ["TRACE", "CONNECT", "PROPFIND", "MKCOL", "MOVE", "PATCH", "OPTIONS", "LOCK"])
def test_unknown_methods_do_nothing(vault, method):
    browser = vault()
    for path in ("/", "/api/photos", "/api/session", "/api/photos/x.jpg"):
        answer = raw(browser.daemon, f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) in (None, 400, 401, 403, 404, 405, 501), (path, answer[:100])
    assert browser.photos() == []


def test_absolute_and_other_forms_of_the_target(daemon):
    for target in (f"http://evil.example:{daemon.port}/api/hello", "//evil.example/api/hello", "evil.example:80", "*"):
        answer = raw(daemon, f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        assert status_of(answer) in (400, 404, 405, 421), (target, answer[:100])


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
def test_a_broken_multipart_body_keeps_nothing(vault, fault):
    kind, body = MULTIPART_FAULTS[fault]
    browser = vault()
    answer = browser.request("POST", "/api/photos", data=body, headers={"Content-Type": kind})
    assert 400 <= answer.status_code < 500, (answer.status_code, answer.text)
    assert browser.photos() == []


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
def test_a_body_that_is_no_password_is_refused(daemon, body):
    answer = Browser(daemon).request("POST", "/api/session", data=body, headers={"Content-Type": "application/json"})
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
