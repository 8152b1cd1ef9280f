"""Requests of at most 64 KiB that are made to cost the host as much as they can: what a route takes, in its largest, deepest
and most numerous form. They follow from docs/openapi.yaml and from the limits that docs/http.md names."""

import base64
import json
from dataclasses import dataclass, field

from contract import document

MOST = 64 << 10
XML = {"Content-Type": "application/xml"}
BOUNDARY = "b"
# A field of the header; all of them have 32 KiB.
FIELD = 20 << 10


@dataclass
class Costly:
    name: str
    body: bytes | None = None
    fields: dict = field(default_factory=dict)
    query: str = ""

    def __post_init__(self):
        assert len(self.body or b"") + len(self.query) <= MOST, (self.name, len(self.body or b""))


def filled(head, piece, tail):
    """As many pieces between both as there is room for; `piece` gives each by its number."""
    head, tail, pieces, number = head.encode(), tail.encode(), [], 0
    room = MOST - len(head) - len(tail)
    while len(one := piece(number).encode()) <= room:
        pieces.append(one)
        room -= len(one)
        number += 1
    return head + b"".join(pieces) + tail


def in_json():
    """Forms of JSON that no schema has, and lists in which everything is right but their length."""
    yield Costly("nested lists", filled("", lambda n: "[", ""))
    yield Costly("nested objects", filled("", lambda n: '{"a":', ""))
    yield Costly("many numbers", filled("[0", lambda n: ",0", "]"))
    yield Costly("many fields", filled('{"ids":[]', lambda n: f',"{n}":0', "}"))
    yield Costly("one field again and again", filled('{"ids":[]', lambda n: ',"ids":[]', "}"))
    yield Costly("many ids", filled('{"ids":["a"', lambda n: ',"a"', "]}"))
    yield Costly("long ids", filled('{"ids":["a"', lambda n: f',"{n:0>400}"', "]}"))
    yield Costly("escaped text", filled('{"name":"', lambda n: "\\u0301", '"}'))
    # Letters with many marks: to compare such texts takes the square of what one of them takes.
    name = '{"ids":[],"a%s":1}' % ("\u0301\u0316" * (MOST // 4 - 16))
    yield Costly("a long name of a field", name.encode())
    yield Costly("the same in UTF-16", name.encode("utf-16"))
    yield Costly("many questions", filled('[{"size":1}', lambda n: f',{{"size":{n},"sha256":"{n:064x}"}}', "]"))


def in_forms():
    def part(name, content="x", more=""):
        return f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n{content}\r\n'

    end, fields = f"--{BOUNDARY}--\r\n", {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    yield Costly("many fields", filled("", lambda n: part("a"), end), fields)
    yield Costly("many files", filled("", lambda n: part("photos", f"{n}", f'; filename="{n}"'), end), fields)
    yield Costly("long names", filled("", lambda n: part("photos", "x", f'; filename="{n:a>3000}"'), end), fields)
    yield Costly(
        "a long header", filled(f"--{BOUNDARY}\r\n", lambda n: f"X-{n}: {'a' * 20}\r\n", "\r\nx\r\n" + end), fields
    )
    yield Costly("no end of a boundary", filled(f"--{BOUNDARY}", lambda n: f"\r\n--{BOUNDARY[:-1]}", ""), fields)
    members = "{" + "a:1," * 250 + "}"
    yield Costly("members of a piece", filled("", lambda n: part("chunk" * 600, members), end), fields)
    yield Costly("marks in a part", filled("", lambda n: part("photos", "x", f'; filename="{chr(0x301) * 7000}"'), end), fields)
    yield Costly("words of mail", filled("", lambda n: part("photos", "x", f'; filename="{"=?" * 7000}"'), end), fields)
    yield Costly("many words of a piece", filled("", lambda n: part("chunkIndex", f"{n}"), end), fields)


def in_fields():
    """What stands in the address and the header, whatever the route."""
    yield Costly("many parameters", query="&".join("a" for _ in range(FIELD // 2)))
    yield Costly("a long search", query="q=" + "%CC%81" * (FIELD // 6))
    yield Costly("many words", query="q=" + "+".join("a" for _ in range(100)))
    marks = "\u0301\u0316" * (FIELD // 4)
    yield Costly("a name of marks", query="%CC%81" * (FIELD // 6))
    yield Costly("many blanks", query="q=" + "+" * FIELD)
    for name in ("X-Forwarded-Proto", "Connection", "User-Agent"):
        yield Costly(f"marks in {name}", fields={name: marks.encode()})
    yield Costly("a long cursor", query="cursor=" + "a" * FIELD)
    yield Costly("many cookies", fields={"Cookie": "; ".join("a=b" for _ in range(FIELD // 5))})
    yield Costly("many ranges", fields={"Range": "bytes=" + ",".join("0-" for _ in range(FIELD // 3))})
    yield Costly("many tags", fields={"If-None-Match": ",".join('"a"' for _ in range(FIELD // 4))})
    yield Costly("many addresses", fields={"X-Forwarded-For": ",".join("10.0.0.1" for _ in range(FIELD // 9))})
    yield Costly("long credentials", fields={"Accept": "text/html", "User-Agent": "a" * FIELD})


def in_tus():
    pairs = ",".join(f"k{n} YQ==" for n in range(FIELD // 12))
    yield Costly("many pairs", fields={"Upload-Metadata": pairs})
    yield Costly("a long name", fields={"Upload-Metadata": "filename " + base64.b64encode(b"a" * 3000).decode()})
    yield Costly("many digests", fields={"Content-Digest": ",".join("sha-256=:AAAA:" for _ in range(FIELD // 15))})


def propfind(properties, head="", size=None):
    return filled(f'<D:propfind xmlns:D="DAV:"{head}><D:prop>', properties, "</D:prop></D:propfind>")


def update(properties, head=""):
    return filled(
        f'<D:propertyupdate xmlns:D="DAV:"{head}><D:set><D:prop>', properties, "</D:prop></D:set></D:propertyupdate>"
    )


def lock(owner, head=""):
    kinds = "<D:lockscope><D:shared/></D:lockscope><D:locktype><D:write/></D:locktype>"
    return filled(f'<D:lockinfo xmlns:D="DAV:">{kinds}<D:owner{head}>', owner, "</D:owner></D:lockinfo>")


def in_xml(method):
    """`a` stands for a namespace that is as long as the body may be, `n` for the longest that is taken."""
    short, long = f' xmlns:n="{"n" * 256}"', f' xmlns="urn:{"n" * 32000}"'
    make = {"PROPFIND": propfind, "PROPPATCH": update, "LOCK": lock}.get(method, propfind)
    yield Costly("an inherited namespace", make(lambda n: "<a/>", long), XML)
    yield Costly("many elements", make(lambda n: "<n:a/>", short), XML)
    yield Costly("many names", make(lambda n: f"<n:a{n}/>", short), XML)
    yield Costly("sixty names", make(lambda n: f"<n:a{n}/>" if n < 60 else " " * 64, short), XML)
    yield Costly("long names", make(lambda n: f"<{'a' * 240}{n}/>"), XML)
    yield Costly("what each has", make(lambda n: "<D:supportedlock/><D:lockdiscovery/>"), XML)
    yield Costly("nested", filled("", lambda n: "<a>", ""), XML)
    yield Costly("a long declaration", filled("<?xml encoding=e", lambda n: "\u0301\u0316", "?><a/>"), XML)
    yield Costly("nested to the limit", make(lambda n: "<b>" * 20 + "</b>" * 20), XML)
    yield Costly("many attributes", make(lambda n: "<b" + "".join(f' a{one}=""' for one in range(60)) + "/>"), XML)
    spaces = "".join(f' xmlns:p{one}="n"' for one in range(30))
    yield Costly("many namespaces", make(lambda n: f"<b{spaces}/>"), XML)
    yield Costly("what grows when it is escaped", make(lambda n: "<b>" + "'>" * 500 + "</b>"), XML)
    yield Costly("many texts", make(lambda n: "x<!-- -->"), XML)
    yield Costly("references", make(lambda n: "<b>" + "&#38;" * 100 + "</b>"), XML)
    if method in ("PROPPATCH", "LOCK"):
        yield Costly(
            "as much as is kept", make(lambda n: f"<n:a{n}>{'x' * 900}</n:a{n}>" if n < 2 else " " * 64, short), XML
        )


def in_webdav(method):
    if method in ("PROPFIND", "PROPPATCH", "LOCK", "MKCOL"):
        yield from in_xml(method)
    yield Costly("many conditions", fields={"If": "".join("(<a>)" for _ in range(FIELD // 5))})
    yield Costly("many resources", fields={"If": "".join(f"</dav/by-date/{n}>([a])" for n in range(60))})
    numbered = "".join(f"</dav/inbox/0%20(999{n:02}).jpg>([a])" for n in range(60))
    yield Costly("large numbers of a name", fields={"If": numbered})
    yield Costly("many tags", fields={"If-Match": ",".join('"a"' for _ in range(FIELD // 4))})
    yield Costly("a long destination", fields={"Destination": "/dav/inbox/" + "%27" * (FIELD // 3)})
    yield Costly("a deep destination", fields={"Destination": "/dav/inbox" + "/a" * (FIELD // 2)})
    yield Costly("many times", fields={"Timeout": ",".join("Second-1" for _ in range(FIELD // 9))})


def operation(method, path):
    return document()["paths"].get(path, {}).get(method.lower())


def requests_to(method, path):
    """All that may hurt at that route."""
    yield from in_fields()
    if path.startswith("/dav/"):
        yield from in_webdav(method)
        return
    taken = operation(method, path).get("requestBody", {}).get("content", {})
    if "application/json" in taken:
        for one in in_json():
            one.fields = {"Content-Type": "application/json"}
            yield one
        yield from schema_bodies(taken["application/json"]["schema"])
    if any(kind.startswith("multipart/") for kind in taken):
        yield from in_forms()
    if "/uploads" in path:
        yield from in_tus()


def schema_bodies(schema):
    """What the route expects, with each field as long as it goes."""
    for name, value in properties(schema).items():
        kind = resolved(value).get("type")
        kind = kind[0] if isinstance(kind, list) else kind
        pieces = {"string": lambda n: "a", "array": lambda n: ',"a"', "object": lambda n: f',"a{n}":0'}
        if kind not in pieces:
            continue
        head, tail = {"string": ('"', '"'), "array": ('["a"', "]"), "object": ('{"a":0', "}")}[kind]
        body = filled(f"{{{json.dumps(name)}:{head}", pieces[kind], tail + "}")
        yield Costly(f"a long {name}", body, {"Content-Type": "application/json"})


def resolved(schema):
    while "$ref" in schema:
        schema = document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def properties(schema):
    schema, found = resolved(schema), {}
    for part in [schema, *schema.get("allOf", []), *schema.get("oneOf", []), *schema.get("anyOf", [])]:
        found |= resolved(part).get("properties", {})
    return found
