"""Bytes to a daemon exactly as they are, and the answers taken apart as strictly as a browser would."""

import re
import socket
import ssl
from dataclasses import dataclass, field


@dataclass
class Answer:
    status: int
    fields: dict
    body: bytes = field(repr=False)

    @property
    def ends_connection(self):
        return "close" in [option.strip() for option in self.fields.get("connection", "").split(",")]


class NotHTTP(Exception):
    """Bytes that are no answer; they are the argument."""


HEAD = re.compile(rb"HTTP/1\.[01] ([1-5]\d\d)(?: [^\r\n]*)?\r\n((?:[!#-'*+.^_`|~0-9A-Za-z-]+: ?[^\r\n\0]*\r\n)*)\r\n")


def answers(received):
    """All answers in the bytes; the last may lack the end of its body. Not for answers to HEAD.

    Raises NotHTTP for what is none."""
    found = []
    while received:
        head = HEAD.match(received)
        if head is None:
            raise NotHTTP(received)
        lines = head[2].decode("latin-1").splitlines()
        fields = dict((name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines))
        status, received = int(head[1]), received[head.end() :]
        body, received = split_body(status, fields, received)
        found.append(Answer(status, fields, body))
    return found


def split_body(status, fields, rest):
    if status < 200 or status in (204, 304):
        return b"", rest
    if fields.get("transfer-encoding") == "chunked":
        return split_chunks(rest)
    length = int(fields["content-length"]) if "content-length" in fields else len(rest)
    return rest[:length], rest[length:]


def split_chunks(rest):
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        length = int(size, 16)
        body, rest = body + rest[:length], rest[length + 2 :]
        if length == 0:
            break
    return body, rest


class Line:
    """One connection after another on which single requests are asked, kept as long as the daemon keeps it."""

    def __init__(self, connect):
        self.connect, self.connection = connect, None

    def ask(self, content):
        """The one answer to a request that is not HEAD."""
        if self.connection is None:
            self.connection = self.connect()
        self.connection.sendall(content)
        received = b""
        while not is_complete(received):
            piece = self.connection.recv(65536)
            if not piece:
                raise NotHTTP(received)
            received += piece
        [answer] = answers(received)
        if answer.ends_connection:
            self.close()
        return answer

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def is_complete(received):
    """Whether the bytes hold one whole answer."""
    head = HEAD.match(received)
    if head is None:
        return False
    fields = head[2].lower()
    if b"\r\ntransfer-encoding: chunked" in b"\r\n" + fields:
        return received.endswith(b"0\r\n\r\n")
    length = re.search(rb"(?:^|\n)content-length: (\d+)", fields)
    return len(received) - head.end() >= int(length[1] if length else 0)


def exchange(connection, content, then_close=False):
    """Sends the bytes and reads until the daemon closes. With `then_close` the daemon sees the end of them at once."""
    try:
        connection.sendall(content)
        if then_close:
            connection.shutdown(socket.SHUT_WR)
    except (ConnectionError, ssl.SSLError):
        # It was refused before all of it was read; the answer may be here already.
        pass
    received = b""
    try:
        while piece := connection.recv(65536):
            received += piece
    except (ConnectionError, ssl.SSLError):
        pass
    return received
