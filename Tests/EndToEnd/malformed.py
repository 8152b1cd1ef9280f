"""Requests that break RFC 9112 or RFC 9110, each in one place, and what a host may do with them."""

from dataclasses import dataclass
from enum import Enum

CANARY_STATUS = 304
# Five bytes that no header contains.
BODY = b"lilac"
CHUNKED = b"5\r\nlilac\r\n0\r\n\r\n"


class Demand(Enum):
    BROKEN = "where it ends is unknown: refused, and nothing after it is answered"
    REFUSED = "where it ends is known: refused, what follows is answered or not"
    HARMLESS = "a host may take it: one answer, no failure"
    HALF = "its rest never comes, so that what follows is part of it: never a success"
    ANY = "who knows: no failure"
    TAIL = "a whole request with bytes behind it that belong to nothing: the first is answered, the others are refused"


@dataclass(frozen=True)
class Case:
    name: str
    content: bytes
    demand: Demand

    def fault(self, answers):
        """What is wrong with the answers to this case and the canary behind it, None if nothing is. The canary's answer is
        304, which no case asks for."""
        statuses = [answer.status for answer in answers]
        final = [status for status in statuses if status >= 200]
        refusals = [status for status in final if 400 <= status]
        if any(status >= 500 and status not in (501, 505) for status in final):
            return f"failed: {statuses}"
        if self.demand is Demand.ANY:
            return None
        if CANARY_STATUS in final[:-1] or final.count(CANARY_STATUS) > 1:
            return f"the canary was answered out of turn: {statuses}"
        is_canary_answered = CANARY_STATUS in final
        own = final[:-1] if is_canary_answered else final
        if len(own) > (2 if self.demand is Demand.TAIL else 1):
            return f"more than one answer: {statuses}"
        match self.demand:
            case Demand.BROKEN | Demand.HALF if is_canary_answered:
                return f"what followed was answered: {statuses}"
            case Demand.BROKEN | Demand.HALF | Demand.REFUSED if refusals != own or is_canary_answered and not own:
                return f"taken: {statuses}"
            case Demand.TAIL if is_canary_answered or own[1:] and own[1] < 400:
                return f"what was behind it was taken: {statuses}"
            case Demand.HARMLESS if is_canary_answered and not own:
                return f"not answered: {statuses}"
        return None


class Requests:
    """Builds the cases. `fields` go into every request: a right Host, a vault's cookie, the right origin; whatever is
    let through by mistake would be carried out."""

    def __init__(self, host, origin, cookie):
        self.host = f"Host: {host}\r\n".encode()
        self.credentials = f"Origin: {origin}\r\nCookie: {cookie}\r\n".encode()
        self.fields = self.host + self.credentials

    def all(self):
        """Every case once, under a name and with a body of its own: the same bytes again would be no new photo."""
        makers = [
            self.lengths, self.two_lengths, self.codings, self.disguised_codings, self.lengths_and_codings,
            self.chunk_sizes, self.chunk_shapes, self.trailers, self.line_ends, self.field_names, self.field_values,
            self.folds, self.request_lines, self.versions, self.targets, self.methods, self.hosts, self.floods,
            self.marks, self.expectations, self.first_bytes, self.cut_heads, self.cut_bodies, self.tails,
        ]  # fmt: skip
        by_content = {}
        for make in makers:
            for name, content, demand in make():
                by_content.setdefault(content, (f"{make.__name__}: {name}", demand))
        return [
            Case(name, content.replace(BODY, b"%05d" % number), demand)
            for number, (content, (name, demand)) in enumerate(by_content.items())
        ]

    # -- how they are put together

    PLACES = [("PUT", "/api/photos/x.jpg"), ("POST", "/api/photos?name=x.jpg"), ("POST", "/api/session"), ("PUT", "/")]

    def put(self, fields, body=BODY, place=PLACES[0]):
        method, path = place
        return f"{method} {path} HTTP/1.1\r\n".encode() + self.fields + fields + b"\r\n" + body

    def get(self, fields=b"", path=b"/api/hello"):
        return b"GET " + path + b" HTTP/1.1\r\n" + self.fields + fields + b"\r\n"

    @property
    def smuggled(self):
        """What an attacker hides in a body; it would empty the trash."""
        return b"DELETE /api/trash HTTP/1.1\r\n" + self.fields + b"\r\n"

    def marks(self):
        """Letters with more marks than any has: to compare such a text takes the square of their number."""
        marks = "\u0301\u0316" * 4000
        for name in ("Cookie", "Connection", "User-Agent", "X-Forwarded-Proto", "Accept", "X-Forwarded-Host", "If-None-Match"):
            yield name, self.get(f"{name}: e{marks}\r\n".encode()), Demand.BROKEN
        yield "host", f"GET /api/hello HTTP/1.1\r\nHost: e{marks}\r\n\r\n".encode(), Demand.BROKEN
        yield "percent-encoded", self.get(path=b"/api/photos/" + b"%CC%81" * 2000), Demand.REFUSED

    # -- the length of the body

    def lengths(self):
        wrong = [
            "+5", "-1", "-5", "0x5", "5,6", "5 6", "5, 5x", "", " ", "1e3", "5.0", "5.", "99999999999999999999999", "٥", "5;",
            "five", "18446744073709551616", "18446744073709551621", "9223372036854775808", "\t", "5\x0b", "NaN", "--5", "5-",
            "0b101", "05x", "5\x00", "1_000", "5\x00\x00", "\x005", "5\x7f", '"5"', "'5'", "5%", "%35", "5\t5", "0x", "5h", "²",
            "５", "5,", ",5", "5, ", "- 5", "+ 5", "5+5", "5/5", "5:5", "(5)", "5 bytes", "٥٥", "0o5", "５５",
        ]  # fmt: skip
        for length in wrong:
            for place in self.PLACES:
                yield f"{length!r} {place}", self.put(f"Content-Length: {length}\r\n".encode(), place=place), Demand.BROKEN
        for length in ("005", "5 ", " 5", "\t5\t", "00000000000000000005"):
            yield f"{length!r}", self.put(f"Content-Length: {length}\r\n".encode()), Demand.HARMLESS

    def two_lengths(self):
        for first, second in [("5", "6"), ("6", "5"), ("5", "0"), ("0", "5"), ("5", "+5"), ("5", ""), ("5", "x"), ("", "5")]:
            for place in self.PLACES:
                fields = f"Content-Length: {first}\r\nContent-Length: {second}\r\n".encode()
                yield f"{first!r} {second!r} {place}", self.put(fields, place=place), Demand.BROKEN
        yield "apart", self.put(b"Content-Length: 5\r\nX: y\r\ncontent-length: 6\r\n"), Demand.BROKEN
        yield "three", self.put(b"Content-Length: 5\r\n" * 2 + b"Content-Length: 6\r\n"), Demand.BROKEN
        yield "the same", self.put(b"Content-Length: 5\r\nContent-Length: 5\r\n"), Demand.HARMLESS
        yield "the same in a list", self.put(b"Content-Length: 5, 5\r\n"), Demand.HARMLESS

    def codings(self):
        wrong = [
            "xchunked", "chunked, x", "gzip, chunked, gzip", "chunked;q=1", "identity, gzip", "chunke", "chunkedd",
            "chunked chunked", "chunked, identity", "identity", "gzip", "deflate, gzip", "chunked-x", "'chunked'", '"chunked"',
            "chunked\x00", "chun ked", "chunked;", "chunked, chunked ,x", "trailers", "cow", ".chunked", "chunked.",
            "chunked\x0b", "\x0bchunked", "\x0cchunked", "chunked\x7f", "", " ", "chunкed", "ﬁchunked", "[chunked]", "gzip, chunked", "chunked, chunked",
            "chunked,", ", chunked",
        ]  # fmt: skip
        for coding in wrong:
            for place in self.PLACES:
                fields = f"Transfer-Encoding: {coding}\r\n".encode()
                yield f"{coding!r} {place}", self.put(fields, CHUNKED, place), Demand.BROKEN
        for first, second in [("chunked", "x"), ("x", "identity"), ("chunked", "identity"), ("chunked", "gzip"), ("cow", "gzip")]:
            fields = f"Transfer-Encoding: {first}\r\nTransfer-Encoding: {second}\r\n".encode()
            yield f"{first!r} and {second!r}", self.put(fields, CHUNKED), Demand.BROKEN
        old = b"PUT /api/photos/x.jpg HTTP/1.0\r\n" + self.fields + b"Transfer-Encoding: chunked\r\n\r\n" + CHUNKED
        # RFC 9112 6.1: the framing of such a message is faulty.
        yield "in HTTP/1.0", old, Demand.BROKEN

    def disguised_codings(self):
        """A length beside a coding that only some parsers would see, with a request hidden behind the end that they see."""
        hidden = b"0\r\n\r\n" + self.smuggled
        length = b"Content-Length: %d\r\n" % len(hidden)
        strange = [*range(0x01, 0x20), 0x00, 0x7F, 0x80, 0x85, 0xA0, 0xFF]
        for number in strange:
            byte = bytes([number])
            shapes = {
                "before the name": byte + b"Transfer-Encoding: chunked",
                "in the name": b"Transfer" + byte + b"Encoding: chunked",
                "before the colon": b"Transfer-Encoding" + byte + b": chunked",
                "before the value": b"Transfer-Encoding:" + byte + b"chunked",
                "after the value": b"Transfer-Encoding: chunked" + byte,
            }
            for where, shape in shapes.items():
                yield f"{number:#04x} {where}", self.put(length + shape + b"\r\n", hidden), Demand.BROKEN
        others = [
            b"X: y\nTransfer-Encoding: chunked", b"X: y\rTransfer-Encoding: chunked", b"Transfer-Encoding\r\n : chunked",
            b"Transfer-Encoding:\r\n chunked", b"Transfer-Encoding: \r\n\tchunked", b"transfer-ENCODING: CHUNKED",
            b"Transfer-Encoding: chunked, identity", b"Transfer-Encoding: identity, chunked", b"Transfer-Encoding : chunked",
            b"Transfer-Encoding: x\r\nTransfer-Encoding: chunked", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
            b"Transfer_Encoding : chunked", b'Transfer-Encoding: "chunked"', b"Transfer-Encoding:: chunked",
        ]  # fmt: skip
        for shape in others:
            yield f"{shape!r}", self.put(length + shape + b"\r\n", hidden), Demand.BROKEN

    def lengths_and_codings(self):
        length, coding = b"Content-Length: %d\r\n", b"Transfer-Encoding: chunked\r\n"
        bodies = {
            "the length is right": (b"0\r\n\r\n" + self.smuggled, None),
            "the coding is right": (b"%x\r\n" % len(self.smuggled) + self.smuggled + b"\r\n0\r\n\r\n", 4),
            "both are right": (CHUNKED, None),
            "the length is 0": (CHUNKED, 0),
            "the length is far too large": (CHUNKED, 1 << 40),
        }
        for where, (body, count) in bodies.items():
            announced = length % (len(body) if count is None else count)
            for place in self.PLACES:
                yield f"length first, {where} {place}", self.put(announced + coding, body, place), Demand.BROKEN
                yield f"coding first, {where} {place}", self.put(coding + announced, body, place), Demand.BROKEN
        for length_value in ("+5", "", "5, 6", "x"):
            fields = coding + f"Content-Length: {length_value}\r\n".encode()
            yield f"coding and {length_value!r}", self.put(fields, CHUNKED), Demand.BROKEN

    # -- chunks

    def chunk_sizes(self):
        wrong = [
            b"0x5", b"0X5", b"+5", b"-1", b"-5", b"5_", b"_5", b"g", b"", b" 5", b"FFFFFFFFFFFFFFFFF", b"10000000000000005",
            b"5 5", b"5\x00", b"\x005", b"\t5", "٥".encode(), b"5.", b"5,5", b"5h", b"\x0b5", b"5\x0b", b"5\x7f", b"\xff5", b"(5)",
            b"5'", b'"5"', b"%35", b"5:", b"FFFFFFFFFFFFFFFF5", b"8000000000000000000000005", b"5-", b"5+5",
        ]  # fmt: skip
        for size in wrong:
            for place in self.PLACES[:2]:
                body = size + b"\r\nlilac\r\n0\r\n\r\n"
                yield f"{size!r} {place}", self.put(b"Transfer-Encoding: chunked\r\n", body, place), Demand.BROKEN
            later = b"3\r\nabc\r\n" + size + b"\r\nlilac\r\n0\r\n\r\n"
            yield f"{size!r} second", self.put(b"Transfer-Encoding: chunked\r\n", later), Demand.BROKEN
        for size in (b"FFFFFFFFFFFFFFFF", b"7FFFFFFFFFFFFFFF", b"8000000000000000"):
            yield f"{size!r}", self.put(b"Transfer-Encoding: chunked\r\n", size + b"\r\nlilac\r\n"), Demand.HALF
        for size in (b"05", b"0000000005", b"5 ", b"5\t"):
            body = size + b"\r\nlilac\r\n0\r\n\r\n"
            yield f"{size!r}", self.put(b"Transfer-Encoding: chunked\r\n", body), Demand.HARMLESS

    def chunk_shapes(self):
        bodies = {
            "data too long": b"5\r\nlilac6\r\n0\r\n\r\n", "no end of line after the data": b"5\r\nlilac0\r\n\r\n",
            "wrong end of line after the data": b"5\r\nlilac\r0\r\n\r\n", "two lines after the data": b"5\r\nlilac\r\n\r\n0\r\n\r\n",
            "return alone after the size": b"5\rlilac\r\n0\r\n\r\n", "return twice after the size": b"5\r\r\nlilac\r\n0\r\n\r\n",
            "other bytes for the end of line": b"5\r\nlilacxx0\r\n\r\n", "data missing": b"5\r\n\r\n0\r\n\r\n",
            "extension with NUL": b"5;a\x00b\r\nlilac\r\n0\r\n\r\n", "extension with a return alone": b"5;a\rb\r\nlilac\r\n0\r\n\r\n",
            "extension with a line feed alone": b"5;a\nb\r\nlilac\r\n0\r\n\r\n", "no size": b";a=b\r\nlilac\r\n0\r\n\r\n",
            "extension that hides a chunk": b"5;\nlilac\r\n0\r\n\r\n" + self.smuggled, "no chunk at all": self.smuggled,
            "end of line in a quoted extension": b'5;a="\r\nlilac"\r\n0\r\n\r\n' + self.smuggled, "only a line": b"\r\n" + CHUNKED,
            "line feeds alone": b"5\nlilac\n0\n\n" + self.smuggled, "line feed after the data": b"5\r\nlilac\n0\r\n\r\n",
            "line feed after the size": b"5\nlilac\r\n0\r\n\r\n", "line feed after the last": b"5\r\nlilac\r\n0\n\r\n",
            "extension with DEL": b"5;a\x7fb\r\nlilac\r\n0\r\n\r\n", "size with an equals sign": b"5=a\r\nlilac\r\n0\r\n\r\n",
        }  # fmt: skip
        for name, body in bodies.items():
            for place in self.PLACES[:2]:
                yield f"{name} {place}", self.put(b"Transfer-Encoding: chunked\r\n", body, place), Demand.BROKEN
        extensions = {
            "a flood of extensions": b"5" + b";a=b" * 20_000, "a long extension": b"5;a=" + b"b" * 100_000,
            "10,000 zeros before the size": b"0" * 10_000 + b"5",
        }  # fmt: skip
        for name, size in extensions.items():
            yield name, self.put(b"Transfer-Encoding: chunked\r\n", size + b"\r\nlilac\r\n0\r\n\r\n"), Demand.HARMLESS
        for extension in (b";a=b", b";a", b' ;a="b"', b';a="b;c"', b";a=b;c=d"):
            body = b"5" + extension + b"\r\nlilac\r\n0\r\n\r\n"
            yield f"extension {extension!r}", self.put(b"Transfer-Encoding: chunked\r\n", body), Demand.HARMLESS
        ones = b"1\r\nx\r\n" * 5000 + b"0\r\n\r\n"
        yield "5,000 chunks of one byte", self.put(b"Transfer-Encoding: chunked\r\n", ones), Demand.HARMLESS

    def trailers(self):
        wrong = [
            b"Bad Name: x\r\n", b"Bad\x00: x\r\n", b"X: a\x00b\r\n", b"no colon\r\n", b": x\r\n", b"X : y\r\n", b"X: a\rb\r\n",
            b"X: a\r\n folded\r\n", b"Transfer-Encoding : chunked\r\n", b"X: \x01\r\n", b"\x80: x\r\n", b"X\r\n",
        ]  # fmt: skip
        for trailer in wrong:
            body = b"5\r\nlilac\r\n0\r\n" + trailer + b"\r\n"
            yield f"{trailer!r}", self.put(b"Transfer-Encoding: chunked\r\n", body), Demand.BROKEN
        taken = [
            b"Content-Length: 99\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: evil.example\r\n", b"Cookie: safelight=x\r\n",
            b"Content-Encoding: gzip\r\n", b"Authorization: Basic eA==\r\n", b"X: y\r\n", b"Origin: https://evil.example\r\n",
        ]  # fmt: skip
        for trailer in taken:
            body = b"5\r\nlilac\r\n0\r\n" + trailer + b"\r\n"
            yield f"{trailer!r}", self.put(b"Transfer-Encoding: chunked\r\n", body), Demand.HARMLESS
        flood = b"5\r\nlilac\r\n0\r\n" + b"".join(b"X-%d: y\r\n" % n for n in range(5000)) + b"\r\n"
        yield "5,000 of them", self.put(b"Transfer-Encoding: chunked\r\n", flood), Demand.BROKEN
        long = b"5\r\nlilac\r\n0\r\nX: " + b"y" * 200_000 + b"\r\n\r\n"
        yield "one of 200,000 bytes", self.put(b"Transfer-Encoding: chunked\r\n", long), Demand.BROKEN

    # -- lines and fields

    def line_ends(self):
        whole = self.get(b"X: y\r\n")
        lines = whole.split(b"\r\n")[:-2]
        for number in range(len(lines)):
            for name, end in [("return", b"\r"), ("two returns", b"\r\r\n"), ("vertical tab", b"\x0b")]:
                joined = b"".join(line + (end if n == number else b"\r\n") for n, line in enumerate(lines))
                yield f"{name} after line {number}", joined + b"\r\n", Demand.BROKEN
            joined = b"".join(line + (b"\n" if n == number else b"\r\n") for n, line in enumerate(lines))
            # RFC 9112 2.2 lets a host read a line feed alone as the end of a line.
            yield f"line feed after line {number}", joined + b"\r\n", Demand.HARMLESS
        yield "line feed for the empty line", whole[:-2] + b"\n", Demand.HARMLESS
        yield "line feeds only", whole.replace(b"\r\n", b"\n"), Demand.HARMLESS
        yield "returns only", whole.replace(b"\r\n", b"\r"), Demand.HALF
        yield "return for the empty line", whole[:-2] + b"\r", Demand.BROKEN
        yield "line feed and return", whole.replace(b"\r\n", b"\n\r"), Demand.BROKEN
        # RFC 9112 2.2: at least one empty line before a request is passed over.
        yield "an empty line before", b"\r\n" + whole, Demand.HARMLESS
        yield "two empty lines before", b"\r\n\r\n" + whole, Demand.HARMLESS
        yield "a space before", b" " + whole, Demand.BROKEN

    def field_names(self):
        separators = b'(),/;<=>?@[\\]{}" \t'
        for number in [*range(0x00, 0x20), 0x7F, 0x80, 0x9F, 0xA0, 0xC3, 0xFF, *separators]:
            if number in b"\r\n":
                continue
            byte = bytes([number])
            for name, field in [("in", b"X" + byte + b"Y"), ("before", byte + b"X"), ("after", b"X" + byte)]:
                yield f"{number:#04x} {name} a name", self.get(field + b": z\r\n"), Demand.BROKEN
        for field in (b": z", b":", b"no colon", b"X", b" X: y", b"\tX: y", b"X :y", b"X\t: y", b"=: y", "Ü: y".encode(), b"X: y\r\n:"):
            yield f"{field!r}", self.get(field + b"\r\n"), Demand.BROKEN

    def field_values(self):
        for number in [*range(0x00, 0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), 0x7F]:
            byte = bytes([number])
            for name, value in [("in", b"a" + byte + b"b"), ("before", byte + b"a"), ("after", b"a" + byte)]:
                yield f"{number:#04x} {name} a value", self.get(b"X: " + value + b"\r\n"), Demand.BROKEN
        yield "a return alone", self.get(b"X: a\rb\r\n"), Demand.BROKEN
        yield "a return and a field", self.get(b"X: a\rContent-Length: 5\r\n"), Demand.BROKEN
        for number in (0x80, 0x9F, 0xA0, 0xC3, 0xFE, 0xFF):
            yield f"{number:#04x}", self.get(b"X: a" + bytes([number]) + b"b\r\n"), Demand.HARMLESS
        values = ["\u202e", "😀", "%00%0d%0aX: y", "() { :;}; reboot", "${jndi:ldap://x}", "{{7*7}}", "'", '"', "=?UTF-8?Q?x?="]
        for name in ("User-Agent", "Referer", "Accept", "Range", "If-None-Match", "If-Range", "If-Modified-Since", "Accept-Language"):
            for value in values:
                yield f"{name} {value!r}", self.get(f"{name}: {value}\r\n".encode()), Demand.HARMLESS
        for field in ("Range: bytes=" + ",".join("0-0" for _ in range(2000)), "Range: bytes=-", "Range: bytes=9-1", "Range: x"):
            yield field[:40], self.get(field.encode() + b"\r\n", b"/index.html"), Demand.HARMLESS
        for name in ("Content-Type", "Authorization", "Origin", "Sec-Fetch-Site", "Range", "Cookie", "Connection", "Expect", "Upgrade"):
            yield f"{name} empty", self.get(f"{name}:\r\n".encode()), Demand.HARMLESS
            yield f"{name} twice", self.get(f"{name}: x\r\n{name}: y\r\n".encode()), Demand.HARMLESS

    def folds(self):
        for fold in (b"\r\n folded", b"\r\n\tfolded", b"\r\n  folded", b"\n folded", b"\r\n \r\n folded"):
            for path in (b"/api/hello", b"/", b"/health"):
                yield f"{fold!r} {path!r}", self.get(b"X: a" + fold + b"\r\n", path), Demand.BROKEN
        yield "a length", self.put(b"Content-Length:\r\n 5\r\n"), Demand.BROKEN
        yield "after the request line", b"GET / HTTP/1.1\r\n X: y\r\n" + self.fields + b"\r\n", Demand.BROKEN
        host = self.host.replace(b": ", b":\r\n ")
        yield "the host", b"GET / HTTP/1.1\r\n" + host + self.credentials + b"\r\n", Demand.BROKEN

    # -- the request line

    def request_lines(self):
        lines = [
            "GET", "GET /", "GET / HTTP/1.1 x", "GET /\x00 HTTP/1.1", "GET /\x7f HTTP/1.1", "GET / HTTP/1.1\x00", "(GET) / HTTP/1.1",
            "GET\t/\tHTTP/1.1", "GET / HTTP/1.1\t", "GET  HTTP/1.1", "GET HTTP/1.1", "/ HTTP/1.1", "HTTP/1.1 200 OK", "SSH-2.0-x",
            "\x00", "GET / / HTTP/1.1", "GET /a b HTTP/1.1", "GET /\x0b HTTP/1.1", "GET /\x0cHTTP/1.1", "GET,/ HTTP/1.1",
            "get / HTTP/1.1", "Get / HTTP/1.1", "GETT / HTTP/1.1", "GE / HTTP/1.1", "GET:/ HTTP/1.1", '"GET" / HTTP/1.1', "😀 / HTTP/1.1",
        ]  # fmt: skip
        for line in lines:
            yield f"{line!r}", line.encode() + b"\r\n" + self.fields + b"\r\n", Demand.BROKEN
        for number in [*range(0x00, 0x09), *range(0x0B, 0x0D), *range(0x0E, 0x20), 0x7F]:
            byte = bytes([number])
            for name, line in [
                ("method", b"G" + byte + b"T / HTTP/1.1"), ("target", b"GET /a" + byte + b"b HTTP/1.1"),
                ("version", b"GET / HTTP/1" + byte + b"1"), ("start", byte + b"GET / HTTP/1.1"),
            ]:  # fmt: skip
                if (number, name) != (0x16, "start"):
                    yield f"{number:#04x} in the {name}", line + b"\r\n" + self.fields + b"\r\n", Demand.BROKEN
        for name, line in [("two spaces", b"GET  / HTTP/1.1"), ("space at the end", b"GET / HTTP/1.1 ")]:
            yield name, line + b"\r\n" + self.fields + b"\r\n", Demand.HARMLESS

    def versions(self):
        wrong = [
            "HTTP/9.9", "HTTP/1.10", "HTTP/11", "HTTP/1.", "HTTP/", "HTTP", "http/1.1", "Http/1.1", "HTTPS/1.1", "ICE/1.0",
            "SIP/2.0", "HTTP/2.0", "HTTP/3.0", "HTTP/0.9", "HTTP/01.1", "HTTP/1.01", "HTTP/-1.1", "HTTP/1.1.1",
            "HTTP/1,1", "HTTP/a.b", "HTTP /1.1", "HTTP/ 1.1", "HTTP/1 .1", "HTTP\\1.1", "1.1", "HTTP/1.1HTTP/1.1", "HTTP/٢.١",
            "HTTP/4294967297.1", "HTTP/1.4294967297", "HTTP/2", "HTTP/1", "HTP/1.1", "XHTTP/1.1", "HTTP/1.1x", "HTTP/0.0",
        ]  # fmt: skip
        for version in wrong:
            yield version, f"GET / {version}\r\n".encode() + self.fields + b"\r\n", Demand.BROKEN

        # The parser that NIO embeds knows RTSP, and says only the numbers.
        yield "RTSP/1.0", b"GET / RTSP/1.0\r\n" + self.fields + b"\r\n", Demand.HARMLESS

    def targets(self):
        port = self.host.split(b":")[-1].strip().decode()
        refused = [
            "http://evil.example/api/hello", f"http://evil.example:{port}/api/hello", "https://evil.example/", "evil.example:80",
            "//evil.example/api/hello", "api/hello", "http://", "http:///api/hello", "http:/api/hello", "file:///etc/passwd",
            "ftp://127.0.0.1/", "javascript:alert(1)", "data:text/html,x", "127.0.0.1:80", "localhost", "?", "#", ".", "..", "\\",
            "a", "http://127.0.0.1.evil.example/", "http://evil.example@127.0.0.1/", "http://127.0.0.1@evil.example/",
            "http://evil.example#@127.0.0.1/", "http://evil.example?@127.0.0.1/", "http://[::1", "http://:80/", "*/", "**",
        ]  # fmt: skip
        for target in refused:
            yield target, b"GET " + target.encode() + b" HTTP/1.1\r\n" + self.fields + b"\r\n", Demand.REFUSED
        other = [
            "*", "/api/hello#part", "/;param", "/%", "/%zz", "/%00", "/%ff", "/%2e%2e/", "/./", "//", "///", "/?" + "a=b&" * 2000, "/\\",
            "/api//hello", "/api/hello/", "/API/HELLO", "/api/photos/%00", "/api/photos/%", "/api/photos/%zz/original", "/<script>",
            "/{id}", "/api/photos/{id}", "/**", "/*", "/|", "/^", "/`", '/"', "/api/archive/", "/api/photos//original", "/:id",
        ]  # fmt: skip
        for target in other:
            yield target[:40], b"GET " + target.encode() + b" HTTP/1.1\r\n" + self.fields + b"\r\n", Demand.HARMLESS
        for target in ("/海", "/\x80", "/ü"):
            yield repr(target), b"GET " + target.encode() + b" HTTP/1.1\r\n" + self.fields + b"\r\n", Demand.HARMLESS

    def methods(self):
        names = [
            "TRACE", "CONNECT", "PROPFIND", "PROPPATCH", "MKCOL", "MOVE", "COPY", "LOCK", "UNLOCK", "SEARCH", "REPORT", "MERGE",
            "M-SEARCH", "NOTIFY", "SUBSCRIBE", "UNSUBSCRIBE", "PURGE", "LINK", "UNLINK", "SOURCE", "BIND", "ACL", "QUERY", "DEBUG",
            "TRACK", "INDEX", "VERSION-CONTROL", "MKCALENDAR", "PRI", "X", "FOO", "A" * 1000, "POST1", "GET-", "BREW", "RPC_IN_DATA",
        ]  # fmt: skip
        for name in names:
            for path in ("/", "/api/photos", "/api/photos/x.jpg"):
                yield f"{name[:20]} {path}", f"{name} {path} HTTP/1.1\r\n".encode() + self.fields + b"\r\n", Demand.REFUSED
        for name in ("PUT", "POST", "DELETE", "PATCH"):
            yield f"{name} of a page", f"{name} /index.html HTTP/1.1\r\n".encode() + self.fields + b"\r\n", Demand.REFUSED

    def hosts(self):
        name = self.host[6:-2]
        without = b"GET /api/hello HTTP/1.1\r\n" + self.credentials
        refused = {
            "none": b"", "empty": b"Host:\r\n", "twice": self.host + b"Host: evil.example\r\n", "evil first": b"Host: evil.example\r\n" + self.host,
            "twice the same": self.host * 2, "a list": b"Host: " + name + b", evil.example\r\n", "user": b"Host: x@" + name + b"\r\n",
            "path": b"Host: " + name + b"/\r\n", "scheme": b"Host: http://" + name + b"\r\n", "two": b"Host: " + name + b" evil.example\r\n",
            "port": b"Host: 127.0.0.1:x\r\n", "ports": b"Host: 127.0.0.1:80:80\r\n", "high byte": b"Host: \xff\r\n", "query": b"Host: " + name + b"?\r\n",
            "long": b"Host: " + b"a" * 20_000 + b"\r\n", "port too large": b"Host: 127.0.0.1:99999\r\n", "brackets": b"Host: [127.0.0.1]\r\n",
        }  # fmt: skip
        for what, field in refused.items():
            yield what, without + field + b"\r\n", Demand.REFUSED
        yield "NUL", without + b"Host: 127.0.0.1\x00\r\n\r\n", Demand.BROKEN
        yield "space before the colon", without + b"Host : 127.0.0.1\r\n\r\n", Demand.BROKEN

    def floods(self):
        yield "101 fields", self.get(b"".join(b"X-%d: y\r\n" % n for n in range(101))), Demand.BROKEN
        yield "1,001 fields", self.get(b"".join(b"X-%d: y\r\n" % n for n in range(1001))), Demand.BROKEN
        yield "10,000 fields", self.get(b"X: y\r\n" * 10_000), Demand.BROKEN
        yield "10,000 empty fields", self.get(b"X:\r\n" * 10_000), Demand.BROKEN
        yield "81 KB field", self.get(b"X: " + b"y" * 81_000 + b"\r\n"), Demand.BROKEN
        yield "1 MB field name", self.get(b"X" * 1_000_000 + b": y\r\n"), Demand.BROKEN
        yield "10,000 cookies", self.get(b"Cookie: " + b"; ".join(b"c%d=v" % n for n in range(10_000)) + b"\r\n"), Demand.BROKEN
        yield "1 MB target", self.get(path=b"/" + b"a" * 1_000_000), Demand.BROKEN
        yield "10,000 query pairs", self.get(path=b"/?" + b"&".join(b"k%d=v" % n for n in range(10_000))), Demand.BROKEN
        yield "1 MB method", b"A" * 1_000_000 + b" / HTTP/1.1\r\n" + self.fields + b"\r\n", Demand.BROKEN
        yield "1 MB version", b"GET / HTTP/1." + b"1" * 1_000_000 + b"\r\n" + self.fields + b"\r\n", Demand.BROKEN
        yield "10,000 spaces", b"GET" + b" " * 100_000 + b"/ HTTP/1.1\r\n" + self.fields + b"\r\n", Demand.HARMLESS
        yield "deep path", self.get(path=b"/a" * 10_000), Demand.HARMLESS
        nested = b"--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" * 1000
        form = b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: %d\r\n" % len(nested)
        yield "deep form", self.put(form, nested, self.PLACES[1]), Demand.REFUSED

    def expectations(self):
        for value in ("x", "100-continue, x", "200-ok", "100", "100-continuee", "100-continue;q=1"):
            yield f"{value!r}", self.put(f"Expect: {value}\r\nContent-Length: 5\r\n".encode()), Demand.REFUSED
        for coding in ("gzip", "br", "deflate", "x", "gzip, identity", "aes128gcm"):
            fields = f"Content-Encoding: {coding}\r\nContent-Length: 5\r\n".encode()
            yield f"Content-Encoding {coding!r}", self.put(fields), Demand.REFUSED
        for upgrade in ("h2c", "websocket", "TLS/1.3", "HTTP/2.0", "x" * 5000):
            fields = f"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: {upgrade}\r\nHTTP2-Settings: AAMAAABk\r\n".encode()
            yield f"Upgrade {upgrade[:20]!r}", self.get(fields), Demand.HARMLESS

    # -- what is no request at all, or only a part of one

    def first_bytes(self):
        """What other protocols begin with, ended so that a parser which waits for a line has one."""
        starts = {
            "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00", "SSH": b"SSH-2.0-OpenSSH_9.2\r\n",
            "SMTP": b"EHLO x\r\nMAIL FROM:<x>\r\n", "SMB": b"\x00\x00\x00\x85\xffSMBr\x00\x00\x00\x00", "RDP": b"\x03\x00\x00\x13\x0e\xe0\x00\x00",
            "Redis": b"*1\r\n$4\r\nPING\r\n", "JSON": b'{"password": "x"}\r\n', "XML": b"<?xml version='1.0'?>\r\n", "MQTT": b"\x10\x0e\x00\x04MQTT\x04",
            "NUL": b"\x00" * 1000, "0xff": b"\xff" * 1000, "UTF-16": "GET / HTTP/1.1\r\n".encode("utf-16"), "BOM": b"\xef\xbb\xbfGET / HTTP/1.1\r\n",
            "PROXY": b"PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n", "PROXY 2": b"\r\n\r\n\x00\r\nQUIT\n\x21\x11\x00\x0c", "answer": b"HTTP/1.1 200 OK\r\n\r\n",
            "SSL 2": b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10", "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "letters": b"a" * 5000 + b"\r\n",
            "FTP": b"USER x\r\nPASS y\r\n", "IMAP": b"a1 LOGIN x y\r\n", "LDAP": b"\x30\x0c\x02\x01\x01\x60\x07", "HTTP/0.9": b"GET /\r\n",
        }  # fmt: skip
        for name, start in starts.items():
            yield name, start + b"\r\n\r\n", Demand.BROKEN

    def cut_heads(self):
        whole = self.put(b"Content-Type: image/jpeg\r\nContent-Length: 100000\r\n", b"")
        for end in range(1, len(whole), 3):
            yield f"after {end} bytes", whole[:end], Demand.HALF

    def cut_bodies(self):
        for place in self.PLACES:
            yield f"after the head {place}", self.put(b"Content-Length: 100000\r\n", b"", place), Demand.HALF
            yield f"after 5 bytes {place}", self.put(b"Content-Length: 100000\r\n", BODY, place), Demand.HALF
            yield f"expecting leave {place}", self.put(b"Expect: 100-continue\r\nContent-Length: 100000\r\n", b"", place), Demand.HALF
            for cut in (b"FFFF\r\nlilac", b"FFFF\r\n", b"F", b"5\r\nlilac\r\nFFFF\r\n", b"FFFF;"):
                yield f"chunk {cut!r} {place}", self.put(b"Transfer-Encoding: chunked\r\n", cut, place), Demand.HALF

    def tails(self):
        """Bytes behind a whole request that belong to nothing."""
        for path in (b"/api/hello", b"/", b"/health", b"/no/such/page"):
            for tail in (b"lilac", b"\x00", b"}\r\n\r\n", b"GET\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\n", b"\r\nlilac\r\n\r\n"):
                yield f"{tail!r} {path!r}", self.get(path=path) + tail, Demand.TAIL
