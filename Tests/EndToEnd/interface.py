"""What the Swift sources say of the interface: routes, codes of problems, fields of JSON. They are read as text: what is
written in another way than everything today is not found, and the comparison with docs/openapi.yaml fails."""

import re
from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus

from daemon import CHECKOUT

SOURCES = CHECKOUT / "Sources"
WEB = sorted((SOURCES / "Web").rglob("*.swift"))

ROUTE = re.compile(r'routes\.on\(\s*\.(\w+),\s*(?:"([^"]+)"|(?:Self\.)?(\w+))')
NAMED = re.compile(r'let (\w+) = "(/[^"]*)"')
LOOP = re.compile(r"for path in \[([^\]]*)\] \{")
STATUS = r"(?:\.(\w+)|HTTPResponse\.Status\(code: (\d+))"
REFUSAL = re.compile(rf"case \.(\w+)(?:\([^)]*\))?:\s*self\.init\(\s*{STATUS}")
PROBLEM = re.compile(r'(?:self\.init|ProblemDetails)\(\s*\.(\w+),\s*"([^"]+)"')
WRITTEN = re.compile(r'"status":(\d+),"code":"([^"]+)"')
CODE = re.compile(r'case \.(\w+)[^:"]*: "([a-z0-9-]+)"')
# `GiveAddresses` in PlainHTTPRule.swift.
GIVE = "/give/api"
READ = re.compile(r'\b(?:password|text|boolean|passkey|recoveryCode|doorCode|windowCode|texts|number)\("(\w+)"\)')

TYPE = re.compile(
    r"\s*(?:package |private |fileprivate |final )*(struct|enum|extension|class|actor|protocol) ([\w.]+)(.*)\{"
)
TOP = re.compile(r"^(?:package |private |fileprivate |final )*(?:struct|enum|extension|class|actor) (\w+)", re.M)
PROPERTY = re.compile(r"\s*(?:package |private |fileprivate )?(?:let|var) (\w+)(?:: ([^={]+?))?(?: = .*)?$")
KEYS = re.compile(r"\s*(?:private )?enum \w+: String, CodingKey \{ case ([\w, ]+) \}")
STRING = re.compile(r'"(?:\\.|[^"\\])*"')


def text_of(name):
    (path,) = SOURCES.rglob(name)
    return path.read_text()


def routes():
    """{(method, path)} of all that is registered, without the HEAD that goes with each GET."""
    found = set()
    for path in WEB:
        for text in mounted(path.read_text()):
            found |= routes_in(text)
    return found


def mounted(text):
    """The routes of a file as they are registered: for the page, and for those who come to a door, where both have them."""
    if 'var base = "/api"' in text:
        return [text.replace("\\(base)", "/api"), re.sub(r"// Of the page alone\.\n.*?\n        }\n", "", text, flags=re.S).replace("\\(base)", GIVE)]
    return [text.replace("\\(base)", GIVE)]


def routes_in(text):
    found, named = set(), dict(NAMED.findall(text))
    for match in ROUTE.finditer(text):
        method, literal, name = match.groups()
        if literal or name != "path":
            found.add((method, literal or named[name]))
            continue
        *_, loop = LOOP.findall(text[: match.start()])
        found |= {(method, one) for one in re.findall(r'"([^"]+)"', loop)}
    return found


def status_number(name, number=None):
    if number:
        return int(number)
    special = {"contentTooLarge": 413, "rangeNotSatisfiable": 416}
    words = re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()
    return special.get(name) or HTTPStatus[words].value


def problems():
    """{(status, code)} of all answers that say what went wrong."""
    vault_codes = dict(CODE.findall(text_of("VaultError.swift")))
    refusals = REFUSAL.findall(text_of("ProblemDetails+VaultError.swift"))
    statuses = {case: status_number(*status) for case, *status in refusals}
    assert vault_codes.keys() == statuses.keys()
    found = {(statuses[case], code) for case, code in vault_codes.items()}
    for path in SOURCES.rglob("*.swift"):
        text = path.read_text()
        found |= {(status_number(name), code) for name, code in PROBLEM.findall(text)}
        found |= {(int(status), code) for status, code in WRITTEN.findall(text.replace("\\\n", ""))}
    (pattern,) = [one for one in found if "\\(" in one[1]]
    found.remove(pattern)
    return found | {(pattern[0], pattern[1].replace("\\(reason)", reason)) for reason in picture_reasons()}


def picture_reasons():
    """Why there is no picture."""
    text = text_of("PhotoPayload.swift")
    return {"none", *re.findall(r': "([a-z-]+)"', text[text.index("extension UnreadableReason") :])}


@dataclass
class Payload:
    """A type that is written as JSON, or read from it."""

    is_read: bool
    # Its coding keys, where it names them itself.
    keys: list | None = None
    # Name → type as in Swift; None where it follows from the value.
    properties: dict = field(default_factory=dict)
    # Written as a list or as one value.
    is_bare: bool = False


@cache
def payloads():
    """{name: Payload} of Sources/Web, nested types with the names of those around them."""
    found = {}
    for path in WEB:
        found |= payloads_in(path.read_text())
    return found


def payloads_in(text):
    found, around, depth = {}, [], 0
    for line in text.splitlines():
        line = STRING.sub('""', line).split("//")[0].rstrip()
        name = ".".join(name for _, name in around)
        payload = found.get(name)
        if keys := KEYS.match(line):
            if payload:
                payload.keys = keys[1].split(", ")
        elif match := TYPE.match(line):
            name = ".".join([*(name for _, name in around), match[2]])
            coded = re.search(r"\b(?:Encodable|Decodable|Codable|ChangePayload)\b", match[3])
            is_shape = match[1] in ("extension", "protocol") or match[3].startswith("<")
            if coded and not is_shape:
                found[name] = Payload(is_read=coded[0] in ("Decodable", "ChangePayload"))
            if line.count("{") > line.count("}"):
                around.append((depth, match[2]))
        elif payload and depth == around[-1][0] + 1 and (match := PROPERTY.match(line)):
            payload.properties[match[1]] = match[2]
        if payload and re.search(r"\b(?:unkeyed|singleValue)Container\(\)", line):
            payload.is_bare = True
        depth += line.count("{") - line.count("}")
        while around and depth <= around[-1][0]:
            around.pop()
    return found


@cache
def secret_fields():
    """{name of a type with routes: fields that it reads of bodies with passwords}."""
    found = {}
    values = set(READ.findall(text_of("SecretFields.swift")))
    for path in WEB:
        for name, text in types_of(path.read_text()):
            if "secretFields(" in text and name.endswith("Routes"):
                found.setdefault(name, set()).update(READ.findall(text), values if ".vaultSecret()" in text else ())
    return found


def types_of(text):
    """(name, text) of each type and extension at the margin of a file."""
    starts = [match for match in TOP.finditer(text)]
    ends = [match.start() for match in starts[1:]] + [len(text)]
    return [(match[1], text[match.start() : end]) for match, end in zip(starts, ends, strict=True)]
