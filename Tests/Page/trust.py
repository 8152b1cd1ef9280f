"""Browsers of another device, with or without the host's authority installed as a person installs it."""

import json
import os
import socket
import socketserver
import ssl
import subprocess
import threading
from contextlib import contextmanager


def install(authority, database):
    """What "Import" in a browser does: the certificate, in DER, becomes a trusted authority for websites."""
    database.mkdir(parents=True, exist_ok=True)
    file = database / "authority.crt"
    file.write_bytes(authority)
    for arguments in (["-N", "--empty-password"], ["-A", "-n", "Safelight", "-t", "C,,", "-i", str(file)]):
        subprocess.run(["certutil", "-d", f"sql:{database}", *arguments], check=True, capture_output=True)


LINK_AND_ADDRESS_CHANGES = 0x1 | 0x100  # RTMGRP_LINK and RTMGRP_IPV6_IFADDR of linux/rtnetlink.h


def settle(device):
    """Waits until the new cable is up and its addresses stand: Chromium drops its requests when they change."""
    with device:
        changes = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
    with changes:
        changes.bind((0, LINK_AND_ADDRESS_CHANGES))
        changes.settimeout(20)
        while not is_settled(device):
            changes.recv(65536)


def is_settled(device):
    link = json.loads(device.run("ip", "-json", "address", "show", "dev", "lan0").stdout)[0]
    addresses = link["addr_info"]
    has_all = any(address["scope"] == "link" for address in addresses)
    return link["operstate"] == "UP" and has_all and not any(address.get("tentative") for address in addresses)


@contextmanager
def chromium_on(device, playwright, home, authority=None, arguments=()):
    """Chromium in the network of a device; its certificates lie in a home folder of its own."""
    if authority is not None:
        install(authority, home / ".pki" / "nssdb")
    settle(device)
    home.mkdir(parents=True, exist_ok=True)
    program = home / "chromium"
    program.write_text("#!/bin/sh\nexec " + " ".join(device.wrapper) + ' /usr/bin/chromium "$@"\n')
    program.chmod(0o700)
    browser = playwright.chromium.launch(
        executable_path=program, args=["--no-sandbox", *arguments], env={**os.environ, "HOME": str(home)}
    )
    try:
        yield browser
    finally:
        browser.close()


@contextmanager
def firefox_with(playwright, home, authority=None, preferences=None):
    """Firefox; what is installed is put into the profile that Playwright makes for it."""
    database = home / "database"
    database.mkdir(parents=True)
    if authority is not None:
        install(authority, database)
    program = home / "firefox"
    program.write_text(
        "#!/bin/bash\n"
        'arguments=("$@")\n'
        f'while (($#)); do [[ $1 == --profile ]] && find {database} -name "*.db" -exec cp {{}} "$2" \\;; shift; done\n'
        'exec /usr/bin/firefox-esr "${arguments[@]}"\n'
    )
    program.chmod(0o700)
    browser = playwright.firefox.launch(
        channel="moz-firefox", executable_path=program, firefox_user_prefs=preferences or {}
    )
    try:
        yield browser
    finally:
        browser.close()


def leaf_for(name, authority, folder):
    """A certificate that the authority's real key signed for `name`, as whoever steals the key could make it."""
    key, request, leaf, extensions = (folder / file for file in ("leaf.key", "leaf.csr", "leaf.crt", "leaf.cnf"))
    extensions.write_text(f"subjectAltName={name}\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n")
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=leaf"]
    sign = ["-CA", authority, "-CAkey", authority, "-CAcreateserial", "-CAserial", folder / "serial", "-days", "30"]
    for command in (
        ["req", *new, "-keyout", key, "-out", request],
        ["x509", "-req", "-in", request, *sign, "-extfile", extensions, "-out", leaf],
    ):
        subprocess.run(["openssl", *map(str, command)], check=True, capture_output=True)
    return leaf, key


class Impostor(socketserver.ThreadingTCPServer):
    """Answers any request over TLS with a page, under a certificate of its own."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address, certificate, key):
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.load_cert_chain(certificate, key)
        super().__init__((address, 0), None)
        self.thread = threading.Thread(target=self.serve_forever, daemon=True)
        self.thread.start()

    @property
    def port(self):
        return self.server_address[1]

    def finish_request(self, request, client_address):
        request.settimeout(10)
        try:
            with self.context.wrap_socket(request, server_side=True) as connection:
                connection.recv(65536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 11\r\n\r\n<h1>Me</h1>")
        except OSError:
            pass  # the browser turned away, which is what the tests look for
