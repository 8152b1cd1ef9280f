"""nginx, Caddy, HAProxy and Traefik in front, with the configurations of docs/operations.md: people go through, and stay told apart."""

import json
import re
import shutil
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest
import requests
from client import PASSWORD, Browser, code_of, sha256, wait_until
from daemon import CHECKOUT, free_port
from faults import needs_root
from feed import make_certificate
from network import DEVICES, HOST, DeviceSession
from tus import Tus

DOCUMENT = (CHECKOUT / "docs" / "operations.md").read_text()
NAME = "photos.example.org"


def documented(language):
    """The example of the document."""
    return re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)[1]


def nginx(folder, port, certificate, key, target):
    server = documented("nginx").replace("listen 443 ssl http2", f"listen {port} ssl http2")
    server = server.replace("/etc/ssl/photos.crt", str(certificate)).replace("/etc/ssl/photos.key", str(key))
    server = server.replace("127.0.0.1:8080", target)
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))  # fmt: skip
    file = folder / "nginx.conf"
    file.write_text(
        f"daemon off; pid {folder}/pid; error_log stderr; user root;\nevents {{}}\n"
        f"http {{ access_log off; {temporary}\n{server} }}\n")  # fmt: skip
    return ["nginx", "-e", "stderr", "-c", str(file)]


def nginx_of_http_1_0(folder, port, certificate, key, target):
    """As nginx speaks to what is behind it where nobody says otherwise."""
    words = nginx(folder, port, certificate, key, target)
    file = folder / "nginx.conf"
    kept = [line for line in file.read_text().splitlines() if "proxy_http_version" not in line and "Connection" not in line]
    file.write_text("\n".join(kept))
    return words


def haproxy(folder, port, certificate, key, target):
    both = folder / "photos.pem"
    both.write_text(certificate.read_text() + key.read_text())
    text = documented("haproxy").replace(":443", f":{port}").replace("/etc/ssl/photos.pem", str(both))
    file = folder / "haproxy.cfg"
    file.write_text(text.replace("127.0.0.1:8080", target))
    return ["haproxy", "-db", "-f", str(file)]


def caddy(folder, port, certificate, key, target):
    site = documented("caddyfile").replace(f"{NAME} {{", f"https://{NAME}:{port} {{\n    tls {certificate} {key}")
    site = site.replace("127.0.0.1:8080", target)
    file = folder / "Caddyfile"
    file.write_text(f"{{\n    admin off\n    auto_https off\n}}\n{site}")
    return ["env", f"HOME={folder}", "caddy", "run", "--adapter", "caddyfile", "--config", str(file)]


def traefik(folder, port, certificate, key, target):
    """Debian has no package of it: it is tried where its program is on the PATH."""
    files = {}
    for name in ("traefik.yml", "photos.yml"):
        text = re.search(rf"```yaml\n(# /etc/traefik/{name}\n.*?)```", DOCUMENT, re.DOTALL)[1]
        for here, there in ((":443", f":{port}"), ("/etc/ssl/photos.crt", certificate), ("/etc/ssl/photos.key", key),
                            ("127.0.0.1:8080", target), ("/etc/traefik/photos.yml", folder / "photos.yml")):  # fmt: skip
            text = text.replace(here, str(there))
        files[name] = folder / name
        files[name].write_text(text)
    return ["traefik", f"--configFile={files['traefik.yml']}"]


class ProxiedDaemon:
    """The daemon as clients see it: under the proxy's name, with the proxy's certificate."""

    def __init__(self, daemon, origin, certificate):
        self.daemon, self.url, self.authority = daemon, origin, certificate
        self.address, self.port = HOST, int(origin.rpartition(":")[2])

    def __getattr__(self, name):
        return getattr(self.daemon, name)


def nginx_below_a_path(folder, port, certificate, key, target):
    words = nginx(folder, port, certificate, key, target)
    file = folder / "nginx.conf"
    below = re.findall(r"```nginx\n(.*?)```", DOCUMENT, re.DOTALL)[1].replace("127.0.0.1:8080", target)
    text, count = re.subn(r"    location / \{.*?\n    \}\n", lambda _: below, file.read_text(), flags=re.DOTALL)
    assert count == 1
    file.write_text(text)
    return words


@pytest.fixture(params=[nginx, nginx_of_http_1_0, caddy, haproxy, traefik], ids=lambda program: program.__name__)
def proxied(request, network, start_daemon, tmp_path, monkeypatch):
    with behind(request.param, network, start_daemon, tmp_path, monkeypatch) as front:
        yield front


@contextmanager
def behind(configured, network, start_daemon, tmp_path, monkeypatch, **environment):
    """A daemon behind the proxy, on a host that devices reach."""
    program = configured.__name__.partition("_")[0]
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    daemon = start_daemon(
        wrapper=network.host.wrapper,
        environment={"SAFELIGHT_HOSTS": NAME, "SAFELIGHT_PROXIES": "127.0.0.1", **environment})  # fmt: skip
    folder = tmp_path / "proxy"
    folder.mkdir()
    certificate, key = make_certificate(folder, f"DNS:{NAME}", NAME)
    port = free_port()
    words = configured(folder, port, certificate, key, f"127.0.0.1:{daemon.port}")
    log = open(folder / "log", "wb")
    process = subprocess.Popen([*network.host.wrapper, *words], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    resolve_to_host(monkeypatch)
    front = ProxiedDaemon(daemon, f"https://{NAME}:{port}", certificate)
    try:
        wait_until_open(network, port, process, folder / "log", certificate)
        yield front
    finally:
        process.terminate()
        process.wait(300)
        log.close()


def resolve_to_host(monkeypatch):
    """The name is known to the tests' clients only."""
    original = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo",
        lambda host, *rest, **more: original(HOST if host == NAME else host, *rest, **more))  # fmt: skip


def wait_until_open(network, port, process, log, certificate):
    """With the certificate that it was told: Traefik has one of its own until it has read the file."""
    end = time.monotonic() + 60
    ask = ["--cacert", str(certificate), "--resolve", f"{NAME}:{port}:{HOST}", f"https://{NAME}:{port}/"]
    while network.device.curl(*ask)[0] == 0:
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.05)


@pytest.fixture
def device(proxied, network):
    """device(number) → a browser on one of the devices."""
    return lambda number=0: Browser(
        proxied, origin=proxied.url, session=DeviceSession(network.device, DEVICES[number]))


@needs_root
@pytest.mark.soak
def test_uploads_resume_and_ranges_work_through_a_proxy(proxied, device):
    browser = device()
    answer = browser.try_create(PASSWORD)
    assert (answer.status_code, code_of(answer)) == (403, "setup-code"), "a device counts as this host"
    assert browser.try_create(PASSWORD, code=proxied.setup_code).status_code == 201
    assert all(cookie.secure for cookie in browser.http.cookies)

    content = bytes(range(256)) * 40_000
    browser.put("a.bin", content)
    photo = browser.photos()[0]
    part = browser.original(photo, headers={"Range": "bytes=1000000-1000999"})
    assert (part.status_code, part.content) == (206, content[1000000:1001000])

    tus = Tus(browser)
    path = tus.create(len(content), name="b.bin")
    tus.patch(path, 0, content[:3_000_000])
    assert tus.offset(path) == 3_000_000
    tus.patch(path, 3_000_000, content[3_000_000:])
    assert browser.digests()["b.bin"] == sha256(content)


@needs_root
@pytest.mark.soak
def test_wrong_passwords_slow_down_only_who_types_them(proxied, device):
    device(1).try_create(PASSWORD, code=proxied.setup_code)
    stranger, other = device(2), device(3)
    forged = {"X-Forwarded-For": DEVICES[3]}
    wrong = {"password": "wrong words here"}
    statuses = [401]
    while statuses[-1] == 401:
        statuses.append(stranger.request("POST", "/api/session", json=wrong, headers=forged).status_code)
    assert statuses[-1] == 429
    assert other.try_open(PASSWORD).status_code == 200


@needs_root
def test_nobody_becomes_this_host_through_a_proxy(start_daemon, network):
    """Whom a proxy does not name, and whom it names as this host, is somebody unknown."""
    daemon = start_daemon(wrapper=network.host.wrapper, environment={"SAFELIGHT_PROXIES": "127.0.0.1"})
    ask = ["curl", "--silent", "--noproxy", "*", f"http://127.0.0.1:{daemon.port}/api/hello"]
    secure = ["--header", "X-Forwarded-Proto: https"]
    for more in ([], ["--header", "X-Forwarded-For: 127.0.0.1"], ["--header", "X-Forwarded-For: garbage"]):
        assert json.loads(network.host.run(*ask, *secure, *more).stdout)["codeNeeded"] is True
    # Unencrypted, it gets what other devices get.
    assert json.loads(network.host.run(*ask).stdout)["status"] == 426


SIGNS = [{"Forwarded": "for=203.0.113.9"}, {"X-Forwarded-For": "192.0.2.1"}, {"Via": "1.1 nginx"}, {"X-Real-IP": "192.0.2.1"},
         {"CF-Connecting-IP": "192.0.2.1"}, {"True-Client-IP": "192.0.2.1"}, {"X-Forwarded-Proto": "https"}]  # fmt: skip


def test_who_comes_through_an_unnamed_proxy_is_a_stranger(start_daemon):
    """Without encryption it gets nothing, over TLS what other devices get."""
    daemon = start_daemon()
    vault = {"password": PASSWORD, "confirmation": PASSWORD}
    for signs in SIGNS:
        for path, method, body in (("/api/hello", "GET", None), ("/api/vaults", "POST", vault), ("/api/addresses", "GET", None)):
            answer = requests.request(method, daemon.url + path, json=body, headers=signs)
            assert (answer.status_code, answer.json()["code"]) == (426, "proxy-incomplete"), (signs, answer.text)
            assert "Set-Cookie" not in answer.headers
        secure = {"verify": str(daemon.authority), "headers": signs}
        assert requests.get(f"{daemon.secure_url}/api/hello", **secure).json()["codeNeeded"] is True, signs
        assert requests.get(f"{daemon.secure_url}/api/addresses", **secure).status_code == 401, signs
        made = requests.post(f"{daemon.secure_url}/api/vaults", json=vault, **secure)
        # Who guesses the code too often has to wait: the last of these are one stranger, too.
        assert (made.status_code, made.json()["code"]) in ((403, "setup-code"), (429, "too-many-attempts")), signs
    wait_until(lambda: "name its address under proxies" in daemon.log)
    assert daemon.log.count("name its address under proxies") == 1
    assert requests.get(f"{daemon.url}/api/hello").json()["codeNeeded"] is False


@pytest.mark.parametrize(
    ("environment", "proxies", "said"),
    [
        ({}, ({"X-Forwarded-Proto": "https"}, {"Via": "1.1 caddy"}), "proxies: [127.0.0.1]"),
        ({"SAFELIGHT_PROXIES": "127.0.0.1"}, ({"X-Forwarded-For": "192.0.2.1"}, {}), "X-Forwarded-Proto: https"),
    ],
    ids=["unnamed", "named"],
)
def test_a_browser_behind_a_proxy_that_is_not_set_up_is_told_and_not_led_in_a_circle(start_daemon, environment, proxies, said):
    daemon = start_daemon(environment=environment)
    for headers in proxies:
        for path in ("/", "/photos.html", "/index.html"):
            answer = requests.get(daemon.url + path, headers=headers, allow_redirects=False)
            assert answer.status_code == 426 and answer.headers["Content-Type"].startswith("text/html"), (headers, path)
            assert said in answer.text and "zh-Hans" in answer.text and "zh-Hant" in answer.text, (headers, path)
        assert requests.get(f"{daemon.url}/css/page.css", headers=headers).status_code == 200
        assert requests.get(f"{daemon.url}/health", headers=headers).status_code == 200
    # Its lines come by another way than the answers.
    wait_until(lambda: "[Web]" in daemon.log)
    assert daemon.log.count("[Web]") == 1, daemon.log


def test_http_1_0_is_how_nginx_hands_on_by_itself(standing_daemon):
    with socket.create_connection((standing_daemon.address, standing_daemon.port)) as connection:
        connection.sendall(b"GET /api/hello HTTP/1.0\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
        assert b"proxy-incomplete" in connection.makefile("rb").read()


def test_the_owner_lifts_the_limits_of_a_day(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_LIMITS_NEWVAULTS": "1"})

    def make(password):
        return Browser(daemon).try_create(password).status_code

    assert [make("seven copper kettles"), make("violet tram nineteen")] == [201, 429]
    assert daemon.run("lift-limits", "--data", str(daemon.data)).returncode == 0
    assert make("violet tram nineteen") == 201
    daemon.stop()
    assert daemon.run("lift-limits", "--data", str(daemon.data)).returncode == 3


@needs_root
@pytest.mark.soak
def test_below_a_path_people_go_through(network, start_daemon, tmp_path, monkeypatch):
    with behind(nginx_below_a_path, network, start_daemon, tmp_path, monkeypatch, SAFELIGHT_BASE="/photos") as front:
        browser = Browser(front, origin=front.url, session=DeviceSession(network.device, DEVICES[0]))
        assert browser.request("GET", "/api/hello").status_code == 404
        page = browser.request("GET", "/photos/")
        assert page.status_code == 200 and 'href="/photos/css/page.css"' in page.text
        new = {"password": PASSWORD, "confirmation": PASSWORD, "code": front.setup_code}
        assert browser.request("POST", "/photos/api/vaults", json=new).status_code == 201
        assert browser.request("PUT", "/photos/api/photos/a.jpg", data=b"a photo").status_code == 201
        photos = browser.request("GET", "/photos/api/photos").json()["photos"]
        assert [photo["name"] for photo in photos] == ["a.jpg"]
