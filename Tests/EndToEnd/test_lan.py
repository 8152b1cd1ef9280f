"""What a device on the LAN may do, over TLS and without."""

import itertools
import json

import pytest
from client import PASSWORD, code_of, has_to_wait
from network import DEVICES, DEVICES6, HOST, HOST6
from rawhttp import answers
from test_metrics import metrics

MIB = 1 << 20
OPEN = {"SAFELIGHT_REGISTRATION": "open"}
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def network(network_of_module):
    return network_of_module


@pytest.fixture(scope="module")
def device(network):
    return network.device


@pytest.fixture(scope="module")
def lan(start_on_network_of_module):
    """A daemon that anybody on the network may create a vault on."""
    return start_on_network_of_module(environment=OPEN)


@pytest.fixture(scope="module")
def plain_lan(start_on_network_of_module):
    """One that does without encryption all that it does with it."""
    return start_on_network_of_module(environment={**OPEN, "SAFELIGHT_TRANSPORT_HTTP": "allow"})


@pytest.fixture
def password():
    """One that no other test has."""
    return f"{PASSWORD} {next(NUMBERS)}"


# -- who may create a vault


def test_creating_a_vault_from_the_lan_needs_the_setup_code(start_on_network, device):
    daemon = start_on_network()
    browser = device.browser(daemon)
    hello = browser.request("GET", "/api/hello")
    assert (hello.status_code, hello.json()["codeNeeded"]) == (200, True)
    assert code_of(browser.try_create(PASSWORD)) == "setup-code"
    assert code_of(browser.try_create(PASSWORD, code="AAAA-AAAA")) == "setup-code"
    assert browser.try_create(PASSWORD, code=daemon.setup_code).status_code == 201


def test_guessing_the_setup_code_is_throttled(start_on_network, device):
    daemon = start_on_network()
    browser, code = device.browser(daemon), daemon.setup_code
    answers = [browser.try_create(PASSWORD, code=f"AAAA-AAA{number}").status_code for number in range(2, 8)]
    assert answers == [403] * 6
    has_to_wait(lambda: browser.try_create(PASSWORD, code="AAAA-AAA8"))
    has_to_wait(lambda: browser.try_create(PASSWORD, code=code))


def test_an_open_host_asks_no_code_and_a_local_one_refuses_the_lan(lan, start_on_network, device, password):
    assert device.browser(lan).try_create(password).status_code == 201
    local = device.browser(start_on_network(environment={"SAFELIGHT_REGISTRATION": "local"}))
    assert local.try_create(PASSWORD, code="AAAA-AAAA").status_code == 403


def test_at_most_20_vaults_a_day_come_from_the_lan(start_on_network, device):
    lan = start_on_network(environment={**OPEN, "SAFELIGHT_LIMITS_NEWVAULTS": "20"})
    passwords = [f"gravel path {number} behind the barn" for number in range(21)]
    answers = [device.browser(lan).try_create(password).status_code for password in passwords]
    assert answers[:20] == [201] * 20
    assert answers[20] == 429


# -- names


def test_the_address_of_the_connection_is_a_host_name_and_others_are_not(lan, device):
    wrong = []
    for connect, (source, right) in itertools.product(
        (device.connect, device.connect_tls), ((DEVICES[0], HOST), (DEVICES6[0], f"[{HOST6}]"))
    ):
        other = HOST if ":" in source else f"[{HOST6}]"
        for host in (right, "127.0.0.1", "10.77.0.2", source, "[::1]", "evil.example", "[fd77::2]", f"[::ffff:{HOST}]x", other):
            with connect(lan, source) as connection:
                connection.sendall(f"GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
                received = b""
                while piece := connection.recv(65536):
                    received += piece
            [answer] = answers(received)
            if answer.status != (200 if host == right else 421):
                wrong.append((connect.__name__, source, host, answer))
    assert wrong == []


# -- plain HTTP, as it is by default


def plain_paths(daemon):
    """What anybody may have without encryption."""
    return ["/health", "/health/live", "/api/certificate", "/safelight-authority.crt", "/safelight-authority.pem"]


def test_plain_http_shows_the_way_to_the_secure_address(lan, device):
    browser = device.browser(lan, secure=False)
    landing = browser.request("GET", "/")
    assert landing.status_code == 200
    assert landing.headers["Content-Type"].startswith("text/html")
    assert "<form" not in landing.text and "<input" not in landing.text
    for path in plain_paths(lan):
        assert browser.request("GET", path).status_code == 200, path
    for path in ("/index.html", "/js/main.js", "/no/such/page?a=b&c=%2F", "/photos/"):
        answer = browser.request("GET", path, allow_redirects=False)
        assert answer.status_code == 308, path
        assert answer.headers["Location"] == lan.secure_url + path
    assert browser.request("GET", "/connect/secure").status_code == 426


def test_the_landing_page_gets_every_file_it_names(lan, device):
    """Its scripts and styles come over the same connection, or it would be a page without words."""
    browser = device.browser(lan, secure=False)
    page = browser.request("GET", "/").text
    asked = {word.split('"')[0] for mark in ('src="', 'href="') for word in page.split(mark)[1:]}
    files = [name for name in asked if name.endswith((".js", ".css", ".svg", ".webmanifest"))]
    assert files
    for name in files:
        assert browser.request("GET", "/" + name.lstrip("./"), allow_redirects=False).status_code == 200, name


def test_plain_http_gives_and_takes_nothing_else(lan, device, password):
    vault = device.browser(lan).create(password)
    photo = vault.put("mine.jpg", b"mine")
    cookies = "; ".join(f"{name}={cookie.value}" for cookie in vault.http.cookies for name in (cookie.name, f"safelight-{lan.port}"))
    plain = device.browser(lan, secure=False)
    plain.http.headers["Cookie"] = cookies
    asked = [
        ("GET", "/api/hello", {}), ("GET", "/api/session", {}), ("GET", "/api/photos", {}), ("GET", "/api/trash", {}),
        ("GET", f"/api/photos/{photo['id']}/original", {}), ("PUT", "/api/photos/evil.jpg", {"data": b"evil"}),
        ("POST", "/api/photos?name=evil.jpg", {"data": b"evil"}), ("POST", "/api/photos/delete", {"json": {"ids": [photo["id"]]}}),
        ("POST", "/api/photos", {"files": [("password", (None, password)), ("photos", ("evil.jpg", b"evil"))]}),
        ("POST", "/api/session", {"json": {"password": password}}), ("DELETE", "/api/session", {}), ("DELETE", "/api/trash", {}),
        ("POST", "/api/vaults", {"json": {"password": "x" * 20, "confirmation": "x" * 20}}), ("POST", "/", {"data": b"x"}),
        ("DELETE", "/api/vault", {"json": {"password": password}}), ("OPTIONS", "/api/photos", {}), ("PUT", "/index.html", {"data": b"x"}),
        ("GET", "/api/addresses", {}), ("GET", "/api/qr.svg", {}), ("DELETE", "/safelight-authority.crt", {}), ("POST", "/health", {}),
    ]  # fmt: skip
    for method, path, options in asked:
        answer = plain.request(method, path, allow_redirects=False, **options)
        assert (answer.status_code, code_of(answer)) == (426, "tls-required"), (method, path, answer.status_code)
        assert "TLS" in answer.headers["Upgrade"] and "upgrade" in answer.headers["Connection"].lower()
        assert "Set-Cookie" not in answer.headers and "WWW-Authenticate" not in answer.headers
    assert [entry["name"] for entry in vault.photos()] == ["mine.jpg"]


def test_plain_http_never_looks_at_a_password(lan, device, password):
    """Neither a guess nor a key derivation: a listener on the Wi-Fi must not be able to tell that it was right."""
    secure = device.browser(lan).create(password)
    before = attempts(lan)
    answers = []
    for number in range(20):
        plain = device.browser(lan, secure=False)
        plain.http.headers.update({"Origin": None, "Sec-Fetch-Site": None, "Sec-Fetch-Mode": None})
        plain.http.auth = ("", password if number % 2 else f"wrong lamp {number} in the hall")
        for method, path in [("GET", "/api/photos"), ("PUT", "/api/photos/x.jpg")]:
            answer = plain.request(method, path, data=b"x" if method == "PUT" else None)
            body = {key: value for key, value in answer.json().items() if key != "instance"}
            answers.append((answer.status_code, answer.headers.get("Content-Length"), json.dumps(body, sort_keys=True)))
    assert {answer[0] for answer in answers} == {426}
    assert len(set(answers)) == 1, "a right password is answered otherwise than a wrong one"
    assert attempts(lan) == before, "a password was looked at"
    # Ten wrong ones would have used up the five that are free.
    assert device.browser(lan).try_open("not the words at all").status_code == 401
    assert attempts(lan) != before
    assert secure.photos() == []


def attempts(daemon):
    """How often somebody's password was compared, by what came of it."""
    return metrics(daemon)["safelight_attempts_total"]


def test_a_refused_upload_is_not_read_to_its_end(lan, device):
    head = f"PUT /api/photos/large.mov HTTP/1.1\r\nHost: {HOST}:{lan.port}\r\nContent-Length: {1 << 30}\r\n\r\n".encode()
    sent = 0
    with device.connect(lan) as connection:
        connection.sendall(head)
        received = connection.recv(65536)
        try:
            while sent < 1 << 30:
                sent += connection.send(bytes(65536))
        except ConnectionError:
            pass
    assert received.startswith(b"HTTP/1.1 426 ")
    # One MiB is read so that the answer arrives; the rest is what the kernels on both sides hold.
    assert sent < 32 * MIB


def test_with_expect_the_body_is_not_sent_at_all(lan, device):
    head = f"PUT /api/photos/a.jpg HTTP/1.1\r\nHost: {HOST}\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n".encode()
    with device.connect(lan) as connection:
        connection.sendall(head)
        assert connection.recv(65536).startswith(b"HTTP/1.1 426 ")


def test_the_host_itself_needs_no_encryption(lan, network):
    """By loopback everything works without TLS, from an address that nobody else has."""
    done = network.host.run(
        "curl", "--silent", "--noproxy", "*", "--write-out", "%{http_code}", "--output", "/dev/null",
        f"http://127.0.0.1:{lan.port}/api/hello", f"http://[::1]:{lan.port}/api/hello", "--output", "/dev/null",
    )  # fmt: skip
    assert done.stdout == b"200200", done


def test_allowed_plain_http_does_everything(plain_lan, device, password):
    browser = device.browser(plain_lan, secure=False).create(password)
    browser.put("a.jpg", b"a")
    assert browser.names() == ["a.jpg"]
    cookie = next(iter(browser.http.cookies))
    assert not cookie.secure and not cookie.name.startswith("__Host-")
    status, body, _ = device.curl("--user", f":{password}", f"{plain_lan.url}/api/photos")
    assert (status, json.loads(body)["photos"][0]["name"]) == (200, "a.jpg")


def test_a_session_of_one_scheme_is_none_of_the_other(plain_lan, device, password):
    """A cookie that was set over TLS has a prefix that is not asked for without, and the other way round."""
    secure, plain = device.browser(plain_lan).create(password), device.browser(plain_lan, secure=False).open(password)
    own = f"safelight-{plain_lan.port}"
    of_tls, of_plain = (next(cookie for cookie in of.http.cookies if cookie.name.endswith(own)) for of in (secure, plain))
    assert of_tls.name == "__Host-" + of_plain.name and of_tls.secure
    for browser, name, value in [(plain, of_tls.name, of_tls.value), (secure, of_plain.name, of_plain.value)]:
        answer = device.browser(plain_lan, secure=browser is secure).request("GET", "/api/photos", headers={"Cookie": f"{name}={value}"})
        assert answer.status_code == 401, name
