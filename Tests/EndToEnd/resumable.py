"""A client of the IETF's resumable uploads that does what Apple's documentation and the draft say of an upload task of
URLSession: it sends a file as any other, with two fields more; it keeps the address that a 104 tells, if that names its own
iteration of the draft; and after a broken connection it asks there by HEAD and sends the rest by PATCH."""

import json
from contextlib import closing

from client import wait_until
from faults import connect
from rawhttp import HEAD, answers, is_complete
from test_metrics import metrics
from test_metrics import value as figure

PARTIAL = "application/partial-upload"


class UploadTask:
    def __init__(self, daemon, content, fields, version=8, target="/api/photos/holiday.mov", method="PUT"):
        self.daemon, self.content, self.version = daemon, content, version
        # The same ones go along with each request.
        self.fields = {**fields, "Upload-Draft-Interop-Version": str(version)}
        self.method, self.target = method, target
        self.location, self.limit = None, None

    # -- the parts of a request

    def complete(self, is_complete=True):
        name = "Upload-Complete" if self.version > 3 else "Upload-Incomplete"
        return {name: "?1" if is_complete == (self.version > 3) else "?0"}

    def is_complete(self, answer):
        """What an answer says of it, or None."""
        said = answer.fields.get("upload-complete" if self.version > 3 else "upload-incomplete")
        return None if said is None else (said == "?1") == (self.version > 3)

    def head(self, method, target, byte_count=None, **fields):
        host = f"{self.daemon.address}:{self.daemon.port}"
        more = {name.replace("_", "-"): value for name, value in fields.items()}
        length = {} if byte_count is None else {"Content-Length": str(byte_count)}
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host}"]
        lines += [f"{name}: {value}" for name, value in {**self.fields, **length, **more}.items() if value is not None]
        return "".join(line + "\r\n" for line in [*lines, ""]).encode()

    def creation(self, **fields):
        size = {"Upload_Length": str(len(self.content))} if self.version > 5 else {}
        return self.head(self.method, self.target, len(self.content), **self.complete(), **size, **fields)

    # -- what it does

    def ask(self, head, body=b""):
        """All answers to one request, the last of which is final; what a 104 tells is kept."""
        with closing(connect(self.daemon)) as connection:
            connection.sendall(head + body)
            return self.read(connection, is_head=head.startswith(b"HEAD"))

    def read(self, connection, is_head=False):
        received, found = b"", []
        while not found or found[-1].status < 200:
            piece = connection.recv(65536)
            assert piece, received
            received += piece
            found = whole(received, is_head)
        for answer in found:
            self.note(answer)
        return found

    def note(self, answer):
        if answer.status == 104 and answer.fields.get("upload-draft-interop-version") == str(self.version):
            self.location = answer.fields["location"]
            self.limit = answer.fields.get("upload-limit")

    def send(self):
        """The whole file; the final answer."""
        return self.ask(self.creation(), self.content)[-1]

    def begin(self, **fields):
        """The connection of a creation whose address was told, and nothing of whose body was sent; and what came on it."""
        connection = connect(self.daemon)
        connection.sendall(self.creation(**fields))
        received = b""
        while not (found := whole(received)):
            piece = connection.recv(65536)
            assert piece, received
            received += piece
        for answer in found:
            self.note(answer)
        assert found[0].status == 104 and self.location, found
        return connection, received

    def send_cut(self, byte_count):
        """So many bytes of it; then the connection ends, and the host has seen that."""
        connection, _ = self.begin()
        connection.sendall(self.content[:byte_count])
        connection.close()
        wait_until(lambda: figure(metrics(self.daemon), "safelight_uploads_in_flight") == 0)

    def offset(self):
        answer = self.status()
        assert answer.status == 204, answer
        return int(answer.fields["upload-offset"])

    def status(self):
        return self.ask(self.head("HEAD", self.location))[-1]

    def append(self, offset, body, is_complete=True, **fields):
        """The final answer to a PATCH."""
        kind = {"Content_Type": PARTIAL} if self.version > 5 else {}
        own = {"Upload_Offset": str(offset), **kind, **self.complete(is_complete), **fields}
        return self.ask(self.head("PATCH", self.location, len(body), **own), body)[-1]

    def resume(self):
        """Goes on where the host says; the final answer."""
        offset = self.offset()
        return self.append(offset, self.content[offset:])

    def cancel(self):
        return self.ask(self.head("DELETE", self.location))[-1]


def whole(received, is_head=False):
    """The answers that came as a whole so far."""
    found = []
    while head := HEAD.match(received):
        status = int(head[1])
        if status >= 200 and status not in (204, 304) and not is_head:
            return found + (answers(received) if is_complete(received) else [])
        found += answers(received[: head.end()])
        received = received[head.end() :]
    return found


def json_of(answer):
    return json.loads(answer.body)
