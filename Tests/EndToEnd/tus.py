"""Resumable uploads, one call a request, for tests that look at every answer. Clients of others are in test_tus.py."""

import base64
import hashlib
import threading
from contextlib import closing

from client import Browser, sha256
from daemon import binary
from faults import FAILED, connect

CONTENT_TYPE = "application/offset+octet-stream"
PARALLEL = 16


def encode(text):
    return base64.b64encode(text if isinstance(text, bytes) else text.encode()).decode()


def metadata(**values):
    return ",".join(f"{key} {encode(value)}" for key, value in values.items() if value is not None)


def checksum(content, algorithm="sha256"):
    return f"{algorithm} {encode(hashlib.new(algorithm, content).digest())}"


class Tus:
    """What a client of tus 1.0.0 sends in one vault's session."""

    def __init__(self, browser):
        self.browser = browser

    def request(self, method, path, headers=None, **options):
        """A header field of None is not sent, even if the browser has one."""
        headers = {"Tus-Resumable": "1.0.0", **(headers or {})}
        return self.browser.request(method, path, headers=headers, **options)

    def try_create(self, length, body=None, headers=None, name="photo.jpg", **more):
        own = {"Upload-Length": str(length), "Upload-Metadata": metadata(filename=name, **more)}
        if body is not None:
            own["Content-Type"] = CONTENT_TYPE
        return self.request("POST", "/api/uploads", {**own, **(headers or {})}, data=body)

    def create(self, length, **options):
        """The path of a new upload."""
        answer = self.try_create(length, **options)
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return answer.headers["Location"]

    def try_patch(self, path, offset, body, headers=None, **options):
        own = {"Upload-Offset": str(offset), "Content-Type": CONTENT_TYPE}
        return self.request("PATCH", path, {**own, **(headers or {})}, data=body, **options)

    def patch(self, path, offset, body, **options):
        answer = self.try_patch(path, offset, body, **options)
        assert answer.status_code == 204, (answer.status_code, answer.text)
        return answer

    def head(self, path):
        return self.request("HEAD", path)

    def offset(self, path):
        answer = self.head(path)
        assert answer.status_code == 200, answer.status_code
        return int(answer.headers["Upload-Offset"])

    def delete(self, path):
        return self.request("DELETE", path)

    def patch_head(self, path, offset, byte_count, *fields):
        """The head of a PATCH for those who write their own bytes to a socket; chunked without a byte count."""
        daemon = self.browser.daemon
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.browser.http.cookies)
        length = "Transfer-Encoding: chunked" if byte_count is None else f"Content-Length: {byte_count}"
        lines = [
            f"PATCH {path} HTTP/1.1", f"Host: {daemon.address}:{daemon.port}", f"Origin: {daemon.url}",
            f"Cookie: {cookies}", "Tus-Resumable: 1.0.0", f"Content-Type: {CONTENT_TYPE}", f"Upload-Offset: {offset}",
            length, *fields,
        ]  # fmt: skip
        return "".join(line + "\r\n" for line in [*lines, ""]).encode()


class Begun:
    """An upload on its way, as its client knows it."""

    def __init__(self, name, content):
        self.name, self.content = name, content
        self.path = None
        self.acknowledged = 0
        self.finished = False


class ResumableUploaders:
    """Sixteen clients that upload in pieces of any size until their connection ends: some with checksums, some with wrong
    ones, and some that fall silent in the middle of a piece and come back over another connection."""

    def __init__(self, browser, seeded, prefix, largest=300_000):
        self.daemon, self.prefix, self.cookies = browser.daemon, prefix, browser.http.cookies.copy()
        self.seeds = [seeded.randrange(1 << 60) for _ in range(PARALLEL)]
        self.pool, self.largest = seeded.randbytes(largest * 2), largest
        self.begun, self.refused = [], []
        self.answered = threading.Semaphore(0)
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(n, type(seeded)(s))) for n, s in enumerate(self.seeds)]
        for thread in self.threads:
            thread.start()

    def _run(self, number, random):
        browser = Browser(self.daemon)
        browser.http.cookies = self.cookies.copy()
        tus = Tus(browser)
        count = 0
        while not self.stopping.is_set():
            start, size = random.randrange(self.largest), random.randrange(self.largest)
            # The name makes the content one of its own, so that nothing here is a duplicate.
            name = f"{self.prefix}-{number}-{count}"
            upload = Begun(name, name.encode() + self.pool[start : start + size])
            self.begun.append(upload)
            count += 1
            try:
                if not self._send(tus, upload, random):
                    return
            except FAILED:
                return

    def _send(self, tus, upload, random):
        """False once the host does not go on."""
        content, first = upload.content, random.choice([0, 0, random.randrange(len(upload.content) + 1)])
        answer = tus.try_create(len(content), name=upload.name, body=content[:first] if first else None)
        if not self._accepted(answer, 201, upload):
            return False
        upload.path = answer.headers["Location"]
        upload.acknowledged = first
        upload.finished = first == len(content)
        while not upload.finished:
            if not random.choice([self._mismatch, self._come_back, *[self._nothing] * 8])(tus, upload, random):
                return False
            if upload.finished:
                break
            at = upload.acknowledged
            piece = content[at : at + random.choice([random.randrange(1, 20_000), random.randrange(1, self.largest)])]
            headers = {"Upload-Checksum": checksum(piece, random.choice(["sha1", "sha256"]))} if random.random() < 0.3 else {}
            answer = tus.try_patch(upload.path, at, piece, headers)
            if not self._accepted(answer, 204, upload):
                return False
            upload.acknowledged = int(answer.headers["Upload-Offset"])
            upload.finished = upload.acknowledged == len(content)
            assert upload.acknowledged == at + len(piece)
        return True

    def _nothing(self, tus, upload, random):
        return True

    def _mismatch(self, tus, upload, random):
        """Bytes that are not those of the checksum."""
        at = upload.acknowledged
        answer = tus.try_patch(upload.path, at, upload.content[at : at + 10_000], {"Upload-Checksum": checksum(b"other")})
        return self._accepted(answer, 460, upload)

    def _come_back(self, tus, upload, random):
        """The host has some bytes of a piece; then the client falls silent and asks where it stands."""
        at = upload.acknowledged
        rest = len(upload.content) - at
        with closing(connect(self.daemon)) as connection:
            connection.sendall(tus.patch_head(upload.path, at, rest, "Expect: 100-continue"))
            if b" 100 " not in connection.recv(1000):
                return False
            sent = random.randrange(rest)
            connection.sendall(upload.content[at : at + sent])
            answer = tus.head(upload.path)
            if not self._accepted(answer, 200, upload):
                return False
            upload.acknowledged = int(answer.headers["Upload-Offset"])
            assert at <= upload.acknowledged <= at + sent
            # The silent one is told at once that it was taken over.
            told = connection.recv(1000)
            # 423, or that the disk has failed, where somebody pulled its plug just then.
            if told and int(told.split()[1]) != 423 and int(told.split()[1]) < 500:
                self.refused.append(f"{upload.name}: {told[:100]}")
        return True

    def _accepted(self, answer, status, upload):
        if answer.status_code == status:
            self.answered.release()
            return True
        if answer.status_code < 500:
            self.refused.append(f"{upload.name}: {answer.status_code} {answer.text}")
        return False

    def wait_for_answers(self, count):
        for _ in range(count):
            assert self.answered.acquire(timeout=300), "no request is answered"

    def join(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join()
        assert not self.refused, self.refused[:3]


class NonceRecord:
    """What debug builds write down of every chunk that they seal: a hash of its key and nonce. Release builds have no
    such code, so they leave no file."""

    ENTRY = 16

    def __init__(self, folder):
        self.path = folder / "nonces"
        self.environment = {"SAFELIGHT_NONCE_RECORD": str(self.path)}

    def check(self, least=1):
        """No pair twice, by whichever process; and so many that there was something to find."""
        if "release" in binary().parts:
            assert not self.path.exists()
            return
        record = self.path.read_bytes()
        entries = [record[at : at + self.ENTRY] for at in range(0, len(record), self.ENTRY)]
        assert len(entries) >= least and len(record) % self.ENTRY == 0, len(record)
        assert len(set(entries)) == len(entries), f"{len(entries) - len(set(entries))} of {len(entries)} nonces repeat"


def finish_all(browser, uploads, acknowledged):
    """Goes on with each upload where the host says, which is never before what it had acknowledged; digests by name.

    `acknowledged`: path → offset, of those that had been acknowledged when the host was cut off.
    """
    tus = Tus(browser)
    for upload in uploads:
        if upload.path not in acknowledged:
            continue
        answer = tus.head(upload.path)
        assert answer.status_code == 200, (upload.name, answer.status_code)
        offset = int(answer.headers["Upload-Offset"])
        assert acknowledged[upload.path] <= offset <= len(upload.content), upload.name
        if offset < len(upload.content):
            tus.patch(upload.path, offset, upload.content[offset:])
    return {upload.name: sha256(upload.content) for upload in uploads if upload.path in acknowledged}
