"""What one hostile device of the home network does, as a program of its own. It prints a line when it has begun, goes on
until its input ends, and then prints what it did and what it was answered, counted, as JSON.

    python hostile.py KIND '{"host": "10.77.0.1", "port": 8080, "sources": ["10.77.1.1", ...], "password": "..."}'
"""

import base64
import http.client
import itertools
import json
import os
import re
import resource
import select
import selectors
import socket
import ssl
import sys
import threading
import time
from collections import Counter
from contextlib import suppress

from network import CLONE_NEWNET, LIBC, check

FAILURES = (OSError, http.client.HTTPException)
TUS = {"Tus-Resumable": "1.0.0"}


class Attacker:
    """One device: its addresses, and what came of what it did."""

    def __init__(self, host, port, sources, password, code=None, devices=()):
        self.host, self.port, self.password, self.code, self.devices = host, port, password, code, devices
        self.sources = itertools.cycle(sources)
        self.counts, self.counting = Counter(), threading.Lock()
        self.context = ssl.create_default_context()
        self.context.check_hostname, self.context.verify_mode = False, ssl.CERT_NONE

    def count(self, what):
        with self.counting:
            if not self.counts:
                print("begun", flush=True)
            self.counts[what] += 1

    def goes_on(self):
        return not select.select([sys.stdin], [], [], 0)[0]

    def pause(self, seconds):
        select.select([sys.stdin], [], [], seconds)

    @property
    def authority(self):
        return f"{self.host}:{self.port}"

    def connect(self, secure=False, source=None):
        connection = socket.create_connection((self.host, self.port), 5, (source or next(self.sources), 0))
        self.count("connections")
        try:
            return self.context.wrap_socket(connection) if secure else connection
        except BaseException:
            connection.close()
            raise

    def ask(self, method, path, body=None, headers=None, connection=None):
        """(status, fields, body) of one request; the status is 0 where there was no answer."""
        line = connection or self.line()
        headers = {"Host": self.authority, "Sec-Fetch-Site": "same-origin", **(headers or {})}
        if isinstance(body, dict):
            body, headers["Content-Type"] = json.dumps(body), "application/json"
        try:
            line.request(method, path, body, headers)
            answer = line.getresponse()
            found = answer.status, answer.headers, answer.read()
        except FAILURES:
            line.close()
            found = 0, http.client.HTTPMessage(), b""
        if connection is None:
            line.close()
        self.count(f"answers {found[0]}")
        return found

    def line(self, source=None):
        source = (source or next(self.sources), 0)
        return http.client.HTTPSConnection(self.host, self.port, timeout=10, source_address=source, context=self.context)

    def guest(self):
        """The cookie of a guest's space, or None where none is to be had."""
        return self.cookie(*self.ask("POST", "/api/guest", b""))

    def vault(self):
        """The cookie of a vault of its own."""
        body = {"password": self.password, "confirmation": self.password}
        return self.cookie(*self.ask("POST", "/api/vaults", body)) or self.cookie(
            *self.ask("POST", "/api/session", {"password": self.password})
        )

    @staticmethod
    def cookie(status, fields, _):
        if status not in (200, 201):
            return None
        return "; ".join(value.split(";")[0] for value in fields.get_all("Set-Cookie") or [])


class Held:
    """Connections that are kept open, and made anew when they are closed."""

    def __init__(self, attacker, count, begin, secure):
        self.attacker, self.count, self.begin, self.secure = attacker, count, begin, secure
        self.open = []

    def fill(self):
        while len(self.open) < self.count and self.attacker.goes_on():
            try:
                connection = self.attacker.connect(self.secure)
                connection.sendall(self.begin())
                connection.settimeout(0)
                self.open.append(connection)
            except OSError:
                self.attacker.count("not connected")
                return

    def send(self, data):
        """On each; those that have been closed are forgotten."""
        for connection in list(self.open):
            try:
                with suppress(BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    connection.send(data)
                    self.attacker.counts["sent"] += 1
                with suppress(BlockingIOError, ssl.SSLWantReadError):
                    if not connection.recv(65536):
                        raise ConnectionResetError
            except OSError:
                self.attacker.counts["closed"] += 1
                self.open.remove(connection)
                connection.close()


def hold(attacker, count, begin, data=b"", pause=1.0, secure=True):
    held = Held(attacker, count, begin, secure)
    while attacker.goes_on():
        held.fill()
        held.send(data() if callable(data) else data)
        attacker.pause(pause)


def idle(attacker):
    """Every connection asks once, so that it may be idle for two minutes; then for a little now and then."""
    live = f"GET /health/live HTTP/1.1\r\nHost: {attacker.authority}\r\n\r\n".encode()
    hold(attacker, 300, lambda: live, live, pause=2, secure=False)


def idle_over_tls(attacker):
    live = f"GET /health/live HTTP/1.1\r\nHost: {attacker.authority}\r\n\r\n".encode()
    hold(attacker, 150, lambda: live, live, pause=2)


def silence(attacker):
    """Connections that never say a word."""
    hold(attacker, 300, lambda: b"", b"", secure=False)


def headers(attacker):
    """30 KB of a header that does not end."""
    fields = b"".join(b"X-%d: %s\r\n" % (number, b"a" * 330) for number in range(88))
    begun = f"GET / HTTP/1.1\r\nHost: {attacker.authority}\r\n".encode() + fields
    hold(attacker, 200, lambda: begun, b"X", pause=0.5)


def uploads(attacker, cookie):
    names = itertools.count()

    def begin():
        attacker.counts["uploads begun"] += 1
        return (
            f"PUT /api/photos/{next(names)}.jpg HTTP/1.1\r\nHost: {attacker.authority}\r\nCookie: {cookie}\r\n"
            "Sec-Fetch-Site: same-origin\r\nContent-Length: 10000000\r\n\r\n"
        ).encode()

    hold(attacker, 280, begin, os.urandom(12_000))


def uploads_of_a_guest(attacker):
    """As many uploads as there are places, each a little faster than what is too slow."""
    uploads(attacker, attacker.guest() or "")


def uploads_into_a_vault(attacker):
    uploads(attacker, attacker.vault() or "")


def guesses(attacker):
    """From every address, at whatever vault there is; and with `Basic`."""
    for number in itertools.count():
        if not attacker.goes_on():
            return
        attacker.ask("POST", "/api/session", {"password": f"a wrong guess of many {number}"})
        credentials = base64.b64encode(f":another wrong guess {number}".encode()).decode()
        attacker.ask("GET", "/api/photos", headers={"Authorization": f"Basic {credentials}"})


def guests(attacker):
    """One guest after another."""
    while attacker.goes_on():
        attacker.guest()


def announcements(attacker):
    """Lengths of which nothing is ever sent, as a guest and into a vault of its own."""
    cookies = [cookie for cookie in (attacker.guest(), attacker.vault()) if cookie]
    attacker.counts["cookies"] = len(cookies)
    while attacker.goes_on():
        for cookie in cookies:
            for size in (1 << 30, 1 << 26, 1 << 20):
                attacker.ask("POST", "/api/uploads", b"", {**TUS, "Cookie": cookie, "Upload-Length": str(size)})
        attacker.pause(0.05)


def pipelining(attacker):
    """Thousands of requests whose answers nobody reads."""
    request = f"GET / HTTP/1.1\r\nHost: {attacker.authority}\r\n\r\n".encode() * 500
    connections = []
    while attacker.goes_on():
        with suppress(OSError):
            while len(connections) < 60:
                connection = attacker.connect(secure=len(connections) % 2 == 0)
                connection.settimeout(0)
                connections.append(connection)
        for connection in list(connections):
            try:
                with suppress(BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    attacker.counts["sent"] += connection.send(request)
            except OSError:
                attacker.counts["closed"] += 1
                connections.remove(connection)
                connection.close()
        attacker.pause(0.01)


def handshakes(attacker):
    """The same hello again and again, which costs the other side a signature each time."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        attacker.context.wrap_bio(incoming, outgoing).do_handshake()
    hello = outgoing.read()
    waiting = []
    while attacker.goes_on():
        with suppress(OSError):
            connection = attacker.connect()
            connection.sendall(hello)
            waiting.append(connection)
        if len(waiting) == 40:
            for connection in waiting:
                connection.settimeout(0.02)
                with suppress(OSError):
                    attacker.counts["begun by the host"] += bool(connection.recv(1))
                connection.close()
            waiting = []


def requests(attacker):
    """Without end on lines that are kept."""
    lines = [attacker.line() for _ in range(8)]
    while attacker.goes_on():
        for line in lines:
            attacker.ask("GET", "/api/hello", connection=line)


def photos(attacker, cookie, contents):
    """The ids of photos that it has put there."""
    line, found = attacker.line(), []
    for number, content in enumerate(contents):
        status, _, body = attacker.ask("PUT", f"/api/photos/{number}.jpg", content, {"Cookie": cookie}, line)
        if status == 201:
            found.append(json.loads(body)["id"])
    return found


def request(attacker, method, path, cookie, fields="", body=b""):
    fields = f"Host: {attacker.authority}\r\nCookie: {cookie}\r\nSec-Fetch-Site: same-origin\r\n{fields}"
    return f"{method} {path} HTTP/1.1\r\n{fields}\r\n".encode() + body


def flood(attacker, request, count=48):
    """Sends it on many connections as fast as they take requests, and throws away what comes."""
    request *= 4
    selector, unsent = selectors.DefaultSelector(), {}
    while attacker.goes_on():
        with suppress(OSError):
            while len(unsent) < count and attacker.goes_on():
                connection = attacker.connect(secure=True)
                connection.settimeout(0)
                unsent[connection] = b""
                selector.register(connection, selectors.EVENT_READ | selectors.EVENT_WRITE)
        for key, _ in selector.select(0.1):
            connection = key.fileobj
            try:
                with suppress(BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    data = unsent[connection] or request
                    unsent[connection] = data[connection.send(data) :]
                with suppress(BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
                    received = connection.recv(1 << 18)
                    attacker.counts["received"] += len(received)
                    if not received:
                        raise ConnectionResetError
            except OSError:
                attacker.counts["closed"] += 1
                selector.unregister(connection)
                del unsent[connection]
                connection.close()


def listings(attacker):
    """A guest with some hundred photos asks for their list without end."""
    cookie = attacker.guest() or ""
    photos(attacker, cookie, (b"photo %d" % number for number in range(500)))
    flood(attacker, request(attacker, "GET", "/api/photos", cookie))


def forms(attacker):
    """A guest's forms of a hundred files of a byte, each byte of them a chunk of its own."""
    part = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n%d\r\n'
    form = b"".join(part % number for number in range(100)) + b"--b--\r\n"
    body = b"".join(b"1\r\n%c\r\n" % byte for byte in form) + b"0\r\n\r\n"
    fields = "Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n"
    flood(attacker, request(attacker, "POST", "/api/photos", attacker.guest() or "", fields, body))


def downloads(attacker):
    """A photo of its own, without end."""
    while attacker.goes_on():
        # Beside its own guesses it may have to wait before its vault opens.
        cookie = attacker.vault() or ""
        for id in photos(attacker, cookie, [os.urandom(4_000_000)]):
            flood(attacker, request(attacker, "GET", f"/api/photos/{id}/original", cookie))
        attacker.pause(0.1)


def removals(attacker):
    """A guest deletes for good, again and again, what is there and what is not."""
    cookie = attacker.guest() or ""
    for number in itertools.count():
        if not attacker.goes_on():
            return
        for id in photos(attacker, cookie, [b"photo %d" % number]):
            attacker.ask("DELETE", f"/api/photos/{id}", headers={"Cookie": cookie})
        for _ in range(10):
            attacker.ask("DELETE", "/api/trash", headers={"Cookie": cookie})


def connections(attacker):
    """Come and go."""
    while attacker.goes_on():
        try:
            attacker.connect().close()
        except OSError:
            attacker.count("not connected")


def own_line(attacker, device):
    with open(device) as namespace:
        # Of this thread alone.
        check(LIBC.setns(namespace.fileno(), CLONE_NEWNET))
    return attacker.line("0.0.0.0")


def look(attacker, device):
    """One who opens a window on a device of their own: its page, all small pictures, and then one photo after another, each
    for two seconds."""
    line, cookie = own_line(attacker, device), None
    _, _, page = attacker.ask("GET", "/see/", connection=line)
    for place in re.findall(rb'(?:src|href)="(/[^"]+)"', page):
        attacker.ask("GET", place.decode(), connection=line)
    while cookie is None:
        if not attacker.goes_on():
            return
        cookie = attacker.cookie(*attacker.ask("POST", "/see/api/enter", {"code": attacker.code, "password": None}, connection=line))
        attacker.pause(0 if cookie else 1)

    def get(path):
        status, _, body = attacker.ask("GET", f"/see/api/{path}", headers={"Cookie": cookie}, connection=line)
        return body if status == 200 else b"[]"

    photos = [id for month, _ in json.loads(get("timeline")) for id in json.loads(get(f"timeline/{month}"))["id"]]
    for id in photos:
        get(f"photos/{id}/thumbnail")
    for id in itertools.cycle(photos):
        if not attacker.goes_on():
            return
        if len(get(f"photos/{id}/preview")) > 2:
            attacker.count("photos seen")
        attacker.pause(2)


def call(attacker, device):
    """As many requests as somebody makes who looks, for next to nothing."""
    line = own_line(attacker, device)
    for number in itertools.count():
        if not attacker.goes_on():
            return
        attacker.ask("GET", "/api/hello", connection=line)
        attacker.pause(2 if number > 30 else 0)


def on_all_devices(attacker, somebody):
    everybody = [threading.Thread(target=somebody, args=(attacker, device)) for device in attacker.devices]
    for one in everybody:
        one.start()
    for one in everybody:
        one.join()


def visitors(attacker):
    """All open the window at once."""
    on_all_devices(attacker, look)


def callers(attacker):
    on_all_devices(attacker, call)


# Each until its input ends.
ATTACKS = {
    attack.__name__: attack
    for attack in (
        idle, idle_over_tls, silence, headers, uploads_of_a_guest, uploads_into_a_vault, guesses, guests, announcements,
        pipelining, handshakes, requests, connections, listings, forms, downloads, removals,
    )
}  # fmt: skip
# What may go on beside a family, and is no attack.
VISITS = {visit.__name__: visit for visit in (visitors, callers)}


def main(kind, place):
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    attacker = Attacker(**json.loads(place))
    began = time.monotonic()
    {**ATTACKS, **VISITS}[kind](attacker)
    while attacker.goes_on():
        attacker.pause(1)
    print(json.dumps({"seconds": round(time.monotonic() - began, 1), **attacker.counts}))


if __name__ == "__main__":
    main(*sys.argv[1:])
