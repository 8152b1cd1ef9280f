"""docs/openapi.yaml says what the sources do: every route, code and field; and answers are compared with it."""

import copy
import json
import re
import subprocess

import interface
import pytest
from client import Browser
from contract import DOCUMENT, Contract, contract, document
from daemon import CHECKOUT
from openapi_spec_validator import OpenAPIV31SpecValidator
from test_metrics import console

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace"}
SWIFT_TYPES = {"String": "string", "Bool": "boolean", "Double": "number", "Int": "integer"}


def schemas():
    return document()["components"]["schemas"]


def operations():
    for path, methods in document()["paths"].items():
        for method in METHODS & methods.keys():
            yield method, path, methods[method]


def problem_codes():
    """{(status, code)} of the document."""
    listed = schemas()["ProblemDetails"]["x-codes"]
    return {(int(status), code) for status, codes in listed.items() for code in codes}


def test_the_document_is_valid():
    assert [str(error) for error in OpenAPIV31SpecValidator(document()).iter_errors()] == []


def test_it_has_every_route_of_the_sources_and_no_other():
    assert {(method, path) for method, path, _ in operations()} == interface.routes()


def test_it_has_every_code_of_the_sources_with_its_status_and_no_other():
    assert problem_codes() == interface.problems()


def test_every_code_stands_where_it_can_come_and_beside_its_own_status():
    known, named = problem_codes(), set()
    shared = document()["components"]["responses"]
    for method, path, operation in operations():
        for status, response in operation["responses"].items():
            if status == "default" or status < "400" or response.get("$ref", "").endswith(("/Health", "/NoPicture")):
                continue
            codes = codes_in(response)
            assert codes and {(int(status), code) for code in codes} <= known, (method, path, status)
            named |= codes
    named |= codes_in(shared["Problem"]) | codes_in(shared["NoPicture"])
    assert {code for _, code in known} <= named


def codes_in(response):
    return set(re.findall(r"`([a-z]+(?:-[a-z0-9]+)*)`", response["description"]))


def test_a_generated_client_gets_bytes_and_large_numbers_by_their_types():
    """Generators leave out a body without a type, and take a number without a format for one of 32 bits."""
    wrong = []
    for place, value in places(document()):
        if not isinstance(value, dict):
            continue
        types = value.get("type") if isinstance(value.get("type"), list) else [value.get("type")]
        is_small = "enum" in value or value.get("maximum", 1 << 31) < 1 << 31
        if "integer" in types and not is_small and value.get("format") != "int64":
            wrong.append(f"{place}: a number without format")
        if place.endswith("/schema") and not {"type", "$ref", "anyOf", "oneOf", "allOf"} & value.keys():
            wrong.append(f"{place}: no type")
        if place.endswith("/content") and any(kind.endswith(("octet-stream", "zip")) for kind in value):
            if any(one.get("schema", {}).get("format") != "binary" for kind, one in value.items() if kind.split("/")[0] != "multipart"):
                wrong.append(f"{place}: bytes that are not called so")
        for kind, one in value.items() if place.endswith("/content") else ():
            if "schema" not in one:
                wrong.append(f"{place}/{kind}: no schema")
    assert wrong == []


def test_every_body_has_a_type_that_generators_know():
    """Where none has, some of them leave the whole call out."""
    known = {"application/json", "application/octet-stream", "multipart/form-data"}
    bodies = [(place, value) for place, value in places(document()) if place.endswith("/requestBody") and "content" in value]
    assert bodies
    assert [place for place, value in bodies if not known & value["content"].keys()] == []


def places(value, place=""):
    yield place, value
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in pairs:
        yield from places(below, f"{place}/{key}")


def test_the_words_about_the_interface_name_every_code():
    words = (DOCUMENT.parent / "http.md").read_text()
    reasons = {f"picture-{reason}" for reason in interface.picture_reasons()}
    assert [code for _, code in problem_codes() if code not in reasons and f"`{code}`" not in words] == []


def test_its_schemas_are_the_types_that_the_sources_write_and_read():
    secret = {name for name in schemas() if name.split(".")[0] in interface.secret_fields()}
    values = {"Secret", "Time", "CaptureTime", "Month", "Digest", "Picture"}
    assert schemas().keys() - secret - values == interface.payloads().keys() - secret


def test_each_schema_has_the_fields_of_its_type_and_no_other():
    payloads, known = interface.payloads(), schemas()
    assert payloads
    assert {name: wrong for name in payloads if (wrong := list(differences(name, payloads[name], known[name])))} == {}


def differences(name, payload, schema):
    """What a schema says otherwise than its type."""
    fields = schema.get("properties", {})
    for part in schema.get("oneOf", []):
        fields = fields | part.get("properties", {})
    expected = set() if payload.is_bare else set(payload.keys if payload.keys is not None else payload.properties)
    if fields.keys() != expected:
        yield f"fields: {sorted(fields.keys() ^ expected)}"
    elif payload.keys is None and not payload.is_bare:
        needed = {field for field, kind in payload.properties.items() if not (kind or "").endswith("?")}
        if set(schema.get("required", [])) != needed:
            yield f"required: {sorted(set(schema.get('required', [])) ^ needed)}"
        for field, kind in payload.properties.items():
            if kind is not None and not fits(kind, fields[field], payload.is_read):
                yield field, kind, fields[field]


def fits(kind, schema, may_be_null):
    """Whether a schema is that of a Swift type."""
    kind = kind.strip()
    kind = kind.removesuffix("?")
    if kind.startswith("[") and ":" in kind:
        return schema["type"] == "object" and fits(kind[1:-1].split(":")[1], schema["additionalProperties"], False)
    if kind.startswith("["):
        return schema["type"] == "array" and fits(kind[1:-1], schema["items"], kind.endswith("?]"))
    name = re.sub(r"^U?Int\d*$", "Int", kind)
    if name not in SWIFT_TYPES:
        either = schema.get("anyOf", [schema])
        named = [one for one in either if one != {"type": "null"}]
        is_right = len(named) == 1 and named[0]["$ref"].split("/")[-1].split(".")[-1] == name.split(".")[-1]
        return is_right and (named == either or may_be_null)
    found = types_of(schema)
    return found - {"null"} == {SWIFT_TYPES[name]} and ("null" not in found or may_be_null)


def types_of(schema):
    if "$ref" in schema:
        return types_of(schemas()[schema["$ref"].split("/")[-1]])
    if "anyOf" in schema:
        return set().union(*map(types_of, schema["anyOf"]))
    return {schema["type"]} if isinstance(schema["type"], str) else set(schema["type"])


def test_bodies_with_passwords_have_the_fields_that_are_read_and_no_other():
    payloads = interface.payloads()
    assert interface.secret_fields().keys() == {
        "VaultRoutes", "WayRoutes", "SessionRoutes", "GiveRoutes", "WindowRoutes", "SeeRoutes",
    }  # fmt: skip
    for file, read in interface.secret_fields().items():
        written = [schemas()[name] for name in schemas() if name.startswith(f"{file}.") and name not in payloads]
        assert {field for schema in written for field in schema["properties"]} == read, file


# -- Answers

PROBLEM = {"type": "about:blank", "title": "…", "detail": "…"}
AS_PROBLEM = {"Content-Type": "application/problem+json"}
AS_JSON = {"Content-Type": "application/json"}


UNKNOWN_ANSWERS = [
    ("GET", "/api/session", 200, AS_JSON, {"kind": "none", "kept": False, "more": 1}, "more"),
    ("GET", "/api/session", 200, AS_JSON, {"kind": "none"}, "kept"),
    ("GET", "/api/session", 200, AS_JSON, {"kind": "other", "kept": False}, "other"),
    ("GET", "/below/api/session", 200, AS_JSON, {"kind": "none"}, "kept"),
    ("GET", "/api/session", 201, AS_JSON, {"kind": "none", "kept": False}, "no such answer"),
    ("GET", "/api/session", 200, {"Content-Type": "text/html"}, "", "text/html"),
    ("GET", "/api/other", 200, AS_JSON, {}, "no such answer"),
    ("PUT", "/api/session", 200, AS_JSON, {}, "no such answer"),
    ("GET", "/api/photos/a", 404, AS_PROBLEM, {**PROBLEM, "status": 404, "code": "other"}, "oneOf"),
    ("GET", "/api/photos/a", 404, AS_PROBLEM, {**PROBLEM, "status": 409, "code": "no-such-photo"}, "oneOf"),
    ("GET", "/api/photos/a", 404, AS_PROBLEM, {**PROBLEM, "status": 401, "code": "no-session"}, "status 401"),
    ("GET", "/anything", 404, AS_PROBLEM, {**PROBLEM, "status": 404, "code": "other"}, "oneOf"),
    ("GET", "/api/photos/delete", 405, AS_PROBLEM, {**PROBLEM, "status": 405, "code": "not-found"}, "oneOf"),
    ("PATCH", "/api/uploads/a", 204, {"Tus-Resumable": "1.0.0"}, "", "Upload-Offset"),
]


def test_an_answer_of_which_the_document_knows_nothing_is_noticed():
    compared, passed_over = Contract(document()), []
    for *answer, fields, value, words in UNKNOWN_ANSWERS:
        complaint = compared.complaint(*answer, fields, json.dumps(value).encode())
        if words not in (complaint or ""):
            passed_over.append((*answer, words, complaint))
    assert passed_over == []


def test_every_test_compares_what_its_browser_is_answered(standing_daemon, monkeypatch):
    browser = Browser(standing_daemon)
    assert browser.session()["kind"] == "none"
    changed = copy.deepcopy(document())
    del changed["components"]["schemas"]["SessionPayload"]["properties"]["kept"]
    monkeypatch.setattr("contract.contract", lambda: Contract(changed))
    with pytest.raises(AssertionError, match="kept"):
        browser.session()


def test_the_console_answers_what_the_document_says(standing_daemon):
    Browser(standing_daemon).begin_guest().put("photo.jpg", b"p" * 1000)
    for path in ("/status", "/guests", "/health", "/health/live", "/metrics", "/other"):
        status, kind, text = console(standing_daemon, path)
        assert contract().complaint("GET", path, status, {"Content-Type": kind}, text.encode()) is None, path


HOOKS = """
import schemathesis

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
"""
# 501 is right for TRACE.
SETTINGS = """
hooks = "hooks.py"

[checks]
not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", 501]
"""
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# The others need a session that these end.
ENDS = ["lock", "lockEverywhere", "endSession", "eraseVault", "rotateKey", "openVault", "createVault"]


@pytest.mark.soak
def test_generated_requests_get_the_answers_that_the_document_lists(start_daemon, tmp_path):
    """What schemathesis makes from the document, sent in an open vault: each answer is listed, and none says that the
    daemon failed. Bounded in number and time."""
    daemon = start_daemon(environment={"SAFELIGHT_REGISTRATION": "open"})
    browser = Browser(daemon).create()
    browser.put("photo.jpg", b"p" * 1000)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.http.cookies)
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    (tmp_path / "hooks.py").write_text(HOOKS)
    done = subprocess.run(
        [
            CHECKOUT / ".build/schemathesis/bin/schemathesis", "--config-file", "schemathesis.toml", "run", DOCUMENT,
            "--url", daemon.url, "--header", f"Cookie:{cookies}", "--header", f"Origin:{daemon.url}",
            "--exclude-tag", "console", *(word for name in ENDS for word in ("--exclude-operation-id", name)),
            "--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--seed", "1", "--max-time", "600",
            "--checks", CHECKS, "--continue-on-failure", "--no-color",
        ],
        cwd=tmp_path, capture_output=True, text=True, timeout=1200,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[:20_000] + done.stderr
    assert daemon.running and browser.session()["kind"] == "vault"
