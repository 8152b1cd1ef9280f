"""HTTPS on the same port as HTTP, as other programs see it: curl, openssl, Python; IPv4 and IPv6."""

import itertools
import json
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import time
from pathlib import Path

import pytest
import requests
from client import wait_until
from faults import reset, strace
from feed import make_certificate
from network import DEVICES, DEVICES6, HOST, HOST6
from rawhttp import Line

OPEN = {"SAFELIGHT_REGISTRATION": "open"}
FAMILIES = pytest.mark.parametrize(("source", "address"), [(DEVICES[0], HOST), (DEVICES6[0], HOST6)], ids=["IPv4", "IPv6"])
NUMBERS = itertools.count()
LIBFAKETIME = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


@pytest.fixture(scope="module")
def network(network_of_module):
    return network_of_module


@pytest.fixture(scope="module")
def device(network):
    return network.device


@pytest.fixture(scope="module")
def lan(start_on_network_of_module):
    return start_on_network_of_module(environment=OPEN)


@pytest.fixture
def password():
    """One that no other test has."""
    return f"seven copper kettles {next(NUMBERS)}"


def url(scheme, address, daemon, path):
    return f"{scheme}://{f'[{address}]' if ':' in address else address}:{daemon.port}{path}"


def facts(device, daemon):
    """What the daemon says about the certificate that people compare."""
    status, body, _ = device.curl(f"http://{HOST}:{daemon.port}/api/certificate")
    return status, body


def text_of(certificate):
    """openssl's words for a certificate in PEM or DER."""
    form = "PEM" if certificate.startswith(b"-----") else "DER"
    command = ["openssl", "x509", "-inform", form, "-noout", "-text", "-fingerprint", "-sha256"]
    return subprocess.run(command, input=certificate, capture_output=True, check=True).stdout.decode()


def leaf(device, daemon, source=DEVICES[0], address=None):
    """The certificate that a connection gets, in DER."""
    with device.connect_tls(daemon, source, address) as connection:
        return connection.getpeercert(binary_form=True)


# -- one port


@FAMILIES
def test_curl_uploads_and_downloads_over_https(lan, device, photos, tmp_path, source, address, password):
    device.browser(lan).create(password)
    sign_in = ["--user", f":{password}", "--interface", source, "--cacert", lan.authority]
    for number, path in enumerate(photos[:5]):
        version = ["--tlsv1.3"] if number % 2 else ["--tls-max", "1.2"]
        target = url("https", address, lan, f"/api/photos/{number}.jpg")
        status, body, error = device.curl(*sign_in, *version, "--upload-file", path, target)
        assert status == 201, (body, error)
    # The ids of photos hold for one session alone; curl's is that of its password.
    _, body, _ = device.curl(*sign_in, url("https", address, lan, "/api/photos"))
    for photo in json.loads(body)["photos"]:
        copy = tmp_path / photo["name"]
        status, _, _ = device.curl(*sign_in, "--output", copy, url("https", address, lan, f"/api/photos/{photo['id']}/original"))
        assert status == 200
        assert copy.read_bytes() == photos[int(photo["name"][0])].read_bytes()


@FAMILIES
def test_one_port_answers_both(lan, device, source, address):
    both = ["--cacert", lan.authority, url("http", address, lan, "/health"), url("https", address, lan, "/health")]
    done = device.run("curl", "--silent", "--noproxy", "*", "--write-out", "%{http_code} %{scheme} %{http_version}\n", *both)
    shown = re.findall(rb"(\d+) (HTTPS?) (1\.1)\n", done.stdout)
    assert shown == [(b"200", b"HTTP", b"1.1"), (b"200", b"HTTPS", b"1.1")], done


def test_a_client_that_knows_another_authority_refuses(lan, device, tmp_path):
    status, _, error = device.curl(lan.secure_url + "/health")
    assert status == 0 and "certificate" in error.lower(), error
    with pytest.raises(ssl.SSLCertVerificationError):
        device.connect_tls(lan, context=ssl.create_default_context())


# -- what is spoken


def s_client(device, daemon, *options, address=HOST, input=b"", trusted=True):
    authority = ["-CAfile", daemon.authority, "-verify_return_error"] if trusted else []
    target = f"[{address}]:{daemon.port}" if ":" in address else f"{address}:{daemon.port}"
    done = device.run("openssl", "s_client", "-connect", target, *authority, *options, input=input, timeout=300)
    return done.returncode, (done.stdout + done.stderr).decode(errors="replace")


@pytest.mark.parametrize(
    ("option", "version", "address"), [("-tls1_2", "TLSv1.2", HOST), ("-tls1_3", "TLSv1.3", HOST6)], ids=["IPv4", "IPv6"]
)
def test_openssl_verifies_the_chain_for_address_and_names(lan, device, option, version, address):
    name = socket.gethostname().split(".")[0].lower()
    names = ["localhost", name + ".local"]
    for check in [("-verify_ip", address), *(("-verify_hostname", name) for name in names)]:
        status, output = s_client(device, lan, option, *check, "-alpn", "h2,http/1.1", address=address)
        assert status == 0 and "Verify return code: 0 (ok)" in output, (check, output[-3000:])
        assert f"New, {version}" in output and "ALPN protocol: http/1.1" in output, output[-3000:]
    for check in [("-verify_ip", "10.77.0.9"), ("-verify_hostname", "evil.example"), ("-verify_hostname", name)]:
        status, output = s_client(device, lan, option, *check, address=address)
        assert status != 0 and "mismatch" in output.lower(), (check, output[-3000:])


WEAK = [
    ("-tls1",), ("-tls1_1",), ("-tls1_2", "-cipher", "AES128-GCM-SHA256:AES256-GCM-SHA384:@SECLEVEL=0"),
    ("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-ECDSA-AES128-SHA256:@SECLEVEL=0"),
    ("-tls1_2", "-cipher", "aNULL:eNULL:@SECLEVEL=0"), ("-tls1_2", "-cipher", "DHE:kRSA:PSK:@SECLEVEL=0"),
]  # fmt: skip


def test_old_versions_and_weak_suites_are_refused(lan, device):
    for options in WEAK:
        options = options if "-cipher" in options else (*options, "-cipher", "ALL:@SECLEVEL=0")
        status, output = s_client(device, lan, *options)
        assert "Cipher is (NONE)" in output and status != 0, (options, output[-2000:])
    assert device.curl("--cacert", lan.authority, lan.secure_url + "/health")[0] == 200


STRONG = ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"]


def test_each_strong_suite_of_tls_1_2_is_spoken(lan, device):
    for suite in STRONG:
        status, output = s_client(device, lan, "-tls1_2", "-cipher", suite)
        assert status == 0 and f"Cipher is {suite}" in output, (suite, output[-2000:])


def test_renegotiation_and_compression_are_not_offered(lan, device):
    status, output = s_client(device, lan, "-tls1_2", input=b"R\n")
    assert "Compression: NONE" in output
    assert "RENEGOTIATING" not in output or "no renegotiation" in output.lower() or status != 0, output[-2000:]


def test_no_early_data_is_taken(lan, device, tmp_path):
    """A request in 0-RTT could be sent again by anybody who saw it."""
    _, output = s_client(device, lan, "-tls1_3", "-sess_out", tmp_path / "session", input=b"GET /health/live HTTP/1.1\r\n\r\n")
    limits = set(re.findall(r"Max Early Data: (\d+)", output))
    assert limits <= {"0"}, output


# Groups of TLS (IANA's registry), and the extensions that speak of them (RFC 8446, 4.2).
X25519, X25519MLKEM768 = 0x001D, 0x11EC
SUPPORTED_GROUPS, SIGNATURES, SUPPORTED_VERSIONS, KEY_SHARE = 10, 13, 43, 51


def block(content, size=2):
    return len(content).to_bytes(size, "big") + content


def hello_with(shares):
    """A hello of TLS 1.3 that offers these groups, in this order, each with a share."""
    groups = b"".join(group.to_bytes(2, "big") for group in shares)
    offered = b"".join(group.to_bytes(2, "big") + block(share) for group, share in shares.items())
    extensions = {
        SUPPORTED_GROUPS: block(groups), SIGNATURES: block(b"\x04\x03\x08\x04"), SUPPORTED_VERSIONS: block(b"\x03\x04", 1),
        KEY_SHARE: block(offered),
    }  # fmt: skip
    listed = b"".join(kind.to_bytes(2, "big") + block(content) for kind, content in extensions.items())
    hello = b"\x03\x03" + os.urandom(32) + block(os.urandom(32), 1) + block(b"\x13\x01") + b"\x01\x00" + block(listed)
    return b"\x16\x03\x01" + block(b"\x01" + block(hello, 3))


def chosen_share(server_hello):
    """(group, length of the share) of an answer to it."""
    # The record, the handshake's header, version, random, session, suite and compression stand before the extensions.
    rest = server_hello[5 + 4 + 2 + 32 :]
    rest = rest[1 + rest[0] + 2 + 1 + 2 :]
    while rest:
        kind, length = struct.unpack(">HH", rest[:4])
        if kind == KEY_SHARE:
            return struct.unpack(">HH", rest[4:8])
        rest = rest[4 + length :]
    return None


def test_who_offers_keys_that_withstand_quantum_computers_gets_them(lan, device):
    """A ML-KEM-768 key of zeros is one, and 9 is a point of X25519; the answer is a ciphertext and a point (1,088 + 32 bytes)."""
    point = b"\x09" + bytes(31)
    for shares, chosen in [
        ({X25519MLKEM768: bytes(1184) + point, X25519: point}, (X25519MLKEM768, 1120)), ({X25519: point}, (X25519, 32)),
    ]:  # fmt: skip
        with device.connect(lan) as connection:
            connection.sendall(hello_with(shares))
            received = connection.recv(65536)
            while len(received) < 5 or len(received) < 5 + int.from_bytes(received[3:5], "big"):
                received += connection.recv(65536)
        assert received[0] == 0x16 and received[5] == 2, received
        assert chosen_share(received[: 5 + int.from_bytes(received[3:5], "big")]) == chosen


# -- the certificate


def test_the_authority_is_offered_and_is_the_one_that_signs(lan, device):
    _, der, _ = device.curl(f"http://{HOST}:{lan.port}/safelight-authority.crt")
    _, pem, _ = device.curl(f"http://{HOST}:{lan.port}/safelight-authority.pem")
    assert text_of(der) == text_of(pem) == text_of(lan.authority.read_bytes())
    status, body = facts(device, lan)
    assert status == 200
    fingerprint = re.search(r"sha256 Fingerprint=(\S+)", text_of(der), re.IGNORECASE)[1]
    assert fingerprint.encode() in body
    text = text_of(der)
    for words in ("CA:TRUE, pathlen:0", "Name Constraints: critical", "id-ecPublicKey", "Certificate Sign"):
        assert words in text, text


def test_the_certificate_names_everything_for_at_most_397_days(lan, device):
    certificate = leaf(device, lan)
    text = text_of(certificate)
    for name in (f"IP Address:{HOST}", "IP Address:FD77:0:0:0:0:0:0:1", "IP Address:127.0.0.1", "DNS:localhost", "TLS Web Server Authentication"):
        assert name in text, text
    assert "CA:TRUE" not in text
    context = ssl.create_default_context(cafile=str(lan.authority))
    with device.connect(lan) as connection, context.wrap_socket(connection, server_hostname=HOST) as secured:
        shown = secured.getpeercert()
    life = ssl.cert_time_to_seconds(shown["notAfter"]) - ssl.cert_time_to_seconds(shown["notBefore"])
    assert 0 < life <= 397 * 86_400
    assert ssl.cert_time_to_seconds(shown["notBefore"]) <= time.time() - 3600, "a phone whose clock is slow would refuse it"


def test_keys_are_for_the_daemon_alone_and_stay_over_a_restart(lan, device):
    folder = lan.data / "tls"
    assert folder.stat().st_mode & 0o777 == 0o700
    keys = [path for path in folder.iterdir() if b"PRIVATE KEY" in path.read_bytes()]
    assert len(keys) >= 2
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in keys)
    before = facts(device, lan), leaf(device, lan), {path.name: path.read_bytes() for path in folder.iterdir()}
    lan.restart()
    after = facts(device, lan), leaf(device, lan), {path.name: path.read_bytes() for path in folder.iterdir()}
    assert after == before


def test_a_new_address_is_named_by_the_next_certificate_and_open_connections_live_on(lan, network):
    device, added = network.device, "10.77.0.2"
    live = f"GET /health/live HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    with Line(lambda: device.connect_tls(lan)) as old:
        assert old.ask(live).status == 200
        kept = old.connection
        network.host.ip(f"address add {added}/24 dev lan0")
        status, _, error = device.curl("--cacert", lan.authority, url("https", added, lan, "/health"))
        assert status == 200, error
        assert f"IP Address:{added}" in text_of(leaf(device, lan, address=added))
        assert old.ask(live).status == 200 and old.connection is kept
    assert f"IP Address:{HOST}" in text_of(leaf(device, lan))


def test_many_connections_at_once_to_a_new_address_make_one_certificate(lan, network):
    device, added = network.device, "10.77.0.3"
    network.host.ip(f"address add {added}/24 dev lan0")
    waiting = [device.connect(lan, DEVICES[number % 20], added) for number in range(40)]
    context = lan.tls_context()
    seen = {context.wrap_socket(connection, server_hostname=added).getpeercert(True) for connection in waiting}
    assert len(seen) == 1


@pytest.fixture
def own(tmp_path):
    """own(name) → (certificate, key) of a self-signed pair for the daemon's address."""
    return lambda name: make_certificate(tmp_path, f"IP:{HOST},IP:{HOST6},DNS:photos.home", name, days=30)


def with_own(start_on_network, certificate, key):
    return start_on_network(environment={**OPEN, "SAFELIGHT_TLS_CERTIFICATE": str(certificate), "SAFELIGHT_TLS_KEY": str(key)})


def name_of(device, daemon, trusted):
    context = ssl.create_default_context(cafile=str(trusted))
    with device.connect_tls(daemon, context=context) as connection:
        return dict(part[0] for part in connection.getpeercert()["subject"])["commonName"]


def test_an_own_certificate_is_exchanged_by_sighup_without_dropping_connections(start_on_network, own, device):
    (first, key), (second, second_key) = own("first"), own("second")
    daemon = with_own(start_on_network, first, key)
    assert name_of(device, daemon, first) == "first"
    assert device.curl(f"http://{HOST}:{daemon.port}/safelight-authority.crt")[0] == 404
    live = f"GET /health/live HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode()
    context = ssl.create_default_context(cafile=str(first))
    with Line(lambda: device.connect_tls(daemon, context=context)) as old:
        assert old.ask(live).status == 200
        kept = old.connection
        first.write_bytes(second.read_bytes())
        key.write_bytes(second_key.read_bytes())
        daemon.process.send_signal(signal.SIGHUP)
        wait_until(lambda: served_by(device, daemon, second), "the second certificate is never served")
        assert old.ask(live).status == 200 and old.connection is kept
    assert name_of(device, daemon, second) == "second"


def served_by(device, daemon, trusted):
    try:
        return bool(name_of(device, daemon, trusted))
    except ssl.SSLCertVerificationError:
        return False


def test_a_bad_pair_is_refused_at_sighup_and_the_good_one_stays(start_on_network, own, device):
    (good, key), (_, other_key) = own("good"), own("other")
    daemon = with_own(start_on_network, good, key)
    trusted = good.with_suffix(".trusted")
    shutil.copy(good, trusted)
    for harm in (lambda: key.write_bytes(other_key.read_bytes()), lambda: good.write_text("nothing"), good.unlink):
        harm()
        before = len(daemon.log)
        daemon.process.send_signal(signal.SIGHUP)
        wait_until(lambda: len(daemon.log) > before, "not a word in the log")  # noqa: B023
        assert name_of(device, daemon, trusted) == "good"
    assert "PRIVATE KEY" not in daemon.log


def test_a_daemon_does_not_start_with_a_bad_pair(start_on_network, own):
    (certificate, key), (_, other_key) = own("good"), own("other")
    for harm in (
        lambda: key.write_bytes(other_key.read_bytes()), key.unlink, lambda: certificate.write_bytes(os.urandom(1000)),
        certificate.unlink,
    ):  # fmt: skip
        kept = certificate.read_bytes(), key.read_bytes()
        harm()
        with pytest.raises(AssertionError, match="ended at start with 78"):
            with_own(start_on_network, certificate, key)
        certificate.write_bytes(kept[0]), key.write_bytes(kept[1])


# -- clocks


def clock(text):
    """The environment of a process whose wall clock stands at that time when it starts; its other clocks are right."""
    return {"LD_PRELOAD": str(LIBFAKETIME), "FAKETIME": text, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_NO_CACHE": "1"}


@pytest.fixture
def faketime():
    if LIBFAKETIME is None:
        pytest.skip("libfaketime is not installed")


def test_nothing_is_made_while_the_clock_is_plainly_wrong(faketime, start_on_network, device, tmp_path):
    """A certificate of 1970 would have ended long ago, and one of 2090 could not be trusted yet."""
    said = tmp_path / "clock"
    said.write_text("@2001-01-01 00:00:00\n")
    environment = {**clock(""), "FAKETIME": None, "FAKETIME_TIMESTAMP_FILE": str(said)}
    daemon = start_on_network(environment={**OPEN, **environment})
    assert facts(device, daemon)[0] == 404
    with pytest.raises((ssl.SSLError, ConnectionError)):
        device.connect_tls(daemon, context=ssl.create_default_context())
    assert not [path for path in daemon.data.glob("tls/*") if path.is_file()]
    assert device.curl(f"http://{HOST}:{daemon.port}/")[0] == 200
    # The clock is set: the next connection has what it needs, without a restart.
    said.write_text("+0\n")
    with pytest.raises(ssl.SSLCertVerificationError):
        device.connect_tls(daemon, context=ssl.create_default_context())
    assert facts(device, daemon)[0] == 200
    assert device.curl("--cacert", daemon.authority, daemon.secure_url + "/health")[0] == 200


def test_a_certificate_is_served_while_the_clock_is_wrong_and_renewed_before_it_ends(faketime, start_on_network, device):
    daemon = start_on_network(environment=OPEN)
    before, authority = leaf(device, daemon), daemon.authority.read_bytes()
    daemon.environment.update(clock("@2001-01-01 00:00:00"))
    daemon.restart()
    assert leaf(device, daemon) == before
    # By the same authority.
    daemon.environment.update(clock("+300d"))
    daemon.restart()
    with device.connect(daemon) as connection, ssl._create_unverified_context().wrap_socket(connection) as secured:
        after = secured.getpeercert(True)
    assert after != before
    assert daemon.authority.read_bytes() == authority
    until = ssl.cert_time_to_seconds(re.search(r"Not After : (.* GMT)", text_of(after))[1])
    assert until > time.time() + 360 * 86_400


# -- broken handshakes


def client_hello():
    """The bytes with which Python begins."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        ssl.create_default_context().wrap_bio(incoming, outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()


def broken_hellos(seeded, count):
    hello = client_hello()
    yield from (bytes([0x16]) + rest for rest in (b"", b"\x03", b"\x03\x01\xff\xff", b"\x03\x03\x00\x00", b"\xff" * 5000, b"GET / HTTP/1.1\r\n\r\n"))
    yield hello + b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    yield hello + hello
    yield hello[:5] + b"\x02" + hello[6:]
    yield b"\x16\x03\x01\x40\x01" + bytes(20_000)
    for _ in range(count):
        changed = bytearray(hello)
        for _ in range(seeded.randint(1, 20)):
            changed[seeded.randrange(1, len(changed))] = seeded.randrange(256)
        yield bytes(changed)


def test_broken_handshakes_are_closed_and_harm_nobody(lan, device, seeded, counted):
    def health():
        assert device.curl("--cacert", lan.authority, lan.secure_url + "/health")[0] == 200

    health()
    open_files, log = lan.open_files(), len(lan.log)
    for number, hello in enumerate(broken_hellos(seeded, counted(300, 20_000))):
        with device.connect(lan, DEVICES[number % 20]) as connection:
            connection.sendall(hello)
            connection.shutdown(socket.SHUT_WR)
            try:
                received = b""
                while piece := connection.recv(65536):
                    received += piece
            except ConnectionError:
                pass
            assert not received.startswith(b"HTTP/"), (hello, received)
        if number % 100 == 0:
            health()
    health()
    wait_until(lambda: lan.open_files() <= open_files + 4, "descriptors are kept")
    assert len(lan.log) - log < 20_000, lan.log[log : log + 2000]


def test_a_handshake_cut_at_every_place_leaves_nothing(lan, device, seeded):
    hello = client_hello()
    before = lan.open_files()
    for end in range(1, len(hello), 5):
        connection = device.connect(lan, DEVICES[end % 20])
        connection.sendall(hello[:end])
        reset(connection) if end % 2 else connection.close()
    wait_until(lambda: lan.open_files() <= before + 4, "descriptors are kept")


def test_a_disconnect_at_any_byte_over_tls_leaves_nothing(lan, device, seeded, counted, password):
    """Inside a record, between two, with or without the words of goodbye."""
    browser = device.browser(lan).create(password)
    cookie = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.http.cookies)
    content = seeded.randbytes(200_000)
    head = (
        f"PUT /api/photos/cut.jpg HTTP/1.1\r\nHost: {HOST}:{lan.port}\r\nOrigin: {lan.secure_url}\r\nCookie: {cookie}\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    ).encode()
    browser.put("whole.jpg", content)
    objects, before = lan.object_files(), lan.open_files()
    context = lan.tls_context()
    for number in range(counted(200, 4_000)):
        raw = device.connect(lan, DEVICES[number % 20])
        sent = ciphertext_of(context, raw, (head + content)[: seeded.randrange(1, len(head) + len(content) - 1)])
        raw.sendall(sent[: seeded.randrange(1, len(sent) + 1)])
        if number % 3 == 0:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raw.close()
    wait_until(lambda: lan.open_files() <= before + 4, "descriptors are kept")
    wait_until(lambda: lan.object_files() == objects, "half photos are kept")
    assert browser.names() == ["whole.jpg"]


def ciphertext_of(context, raw, content):
    """Shakes hands on the connection; returns what would be sent for the content."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    secured = context.wrap_bio(incoming, outgoing, server_hostname=HOST)
    while True:
        try:
            secured.do_handshake()
            break
        except ssl.SSLWantReadError:
            raw.sendall(outgoing.read())
            incoming.write(raw.recv(65536))
    secured.write(content)
    return outgoing.read()


# -- scanners


@pytest.mark.soak
def test_sslscan_finds_nothing_weak(lan, device):
    if not shutil.which("sslscan"):
        pytest.skip("sslscan is not installed")
    output = device.run("sslscan", "--no-colour", f"{HOST}:{lan.port}", timeout=600).stdout.decode()
    for version in ("SSLv2", "SSLv3", "TLSv1.0", "TLSv1.1"):
        assert re.search(rf"{re.escape(version)}\s+disabled", output), output
    accepted = re.findall(r"(?:Preferred|Accepted)\s+(TLSv1\.[23])\s+(\d+) bits\s+(\S+)", output)
    assert {version for version, _, _ in accepted} == {"TLSv1.2", "TLSv1.3"}, output
    for version, bits, suite in accepted:
        assert int(bits) >= 128, suite
        assert version == "TLSv1.3" or suite.startswith("ECDHE-") and ("GCM" in suite or "POLY1305" in suite), suite
    assert "TLSv1.2 not vulnerable to heartbleed" in output and "Compression enabled" not in output, output
    assert "Session renegotiation not supported" in output, output


# Findings that a certificate of a local authority cannot avoid: it is in nobody's list and has no revocation address.
OF_A_LOCAL_AUTHORITY = {"cert_chain_of_trust", "cert_revocation", "cert_crlDistributionPoints", "cert_ocspURL", "HSTS", "DNS_CAArecord"}
# All suites that are spoken are strong; which of them costs least, the client knows best (phones have no AES in hardware).
ACCEPTED = OF_A_LOCAL_AUTHORITY | {"cipher_order"}


@pytest.mark.soak
def test_testssl_finds_nothing_above_low(lan, device, tmp_path):
    program = shutil.which("testssl") or shutil.which("testssl.sh")
    if not program:
        pytest.skip("testssl.sh is not installed")
    report = tmp_path / "report.csv"
    options = ["--quiet", "--color", "0", "--warnings", "off", "--csvfile", report, "--ip", HOST]
    device.run(program, *options, f"{HOST}:{lan.port}", timeout=1800)
    rows = [line.strip('"\n').split('","') for line in report.read_text().splitlines()[1:]]
    assert len(rows) > 50, rows
    found = [row for row in rows if row[3] in ("MEDIUM", "HIGH", "CRITICAL") and row[0] not in ACCEPTED]
    assert not found, found


@pytest.mark.filterwarnings("ignore:Unverified")
def test_a_kernel_without_statx_costs_no_https(start_daemon):
    """As old ones of storage boxes, and filters of old container engines, are."""
    daemon = start_daemon(wrapper=[*strace("statx:error=ENOSYS"), "-D", "-f", "-qq", "-o", "/dev/null"])
    answer = requests.get(daemon.url.replace("http:", "https:") + "/api/hello", verify=False, timeout=300)
    assert answer.status_code == 200 and answer.json()["secure"] is True
