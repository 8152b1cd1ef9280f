"""Compares answers with docs/openapi.yaml: status, type, the fields of the header that it requires, and JSON."""

import copy
import json
import re
from functools import cache
from urllib.parse import urlsplit

import jsonschema_rs
import yaml
from daemon import CHECKOUT

DOCUMENT = CHECKOUT / "docs" / "openapi.yaml"
JSON = re.compile(r"application/(?:[a-z]+\+)?json")


@cache
def document():
    return yaml.load(DOCUMENT.read_text(), Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@cache
def contract():
    return Contract(document())


def check_answer(answer, *_, **options):
    """A hook of requests. What is streamed is left to whoever reads it."""
    is_left = options.get("stream") or answer.request.method == "HEAD"
    complaint = contract().complaint(
        answer.request.method, urlsplit(answer.request.url).path, answer.status_code, answer.headers,
        None if is_left else answer.content,
    )  # fmt: skip
    assert not complaint, f"{complaint} (docs/openapi.yaml)"


class Contract:
    def __init__(self, written):
        # Clients have to bear fields of later versions; a test is to know all there are.
        self.document = copy.deepcopy(written)
        for schema in self.document["components"]["schemas"].values():
            close(schema)
        # For a client a problem is one type; here only those pairs of status and code are known that are listed.
        problem = self.document["components"]["schemas"]["ProblemDetails"]
        problem["oneOf"] = [
            {"properties": {"status": {"const": int(status)}, "code": {"enum": codes}}}
            for status, codes in problem["x-codes"].items()
        ]
        # A fixed address comes before one with a parameter.
        self.paths = [
            (re.compile(re.sub(r"\{\w+\}", "[^/]*", re.escape(path).replace(r"\{", "{").replace(r"\}", "}"))), path)
            for path in sorted(written["paths"], key=lambda path: "{" in path)
        ]
        self.validators = {}

    def complaint(self, method, path, status, fields, content):
        """What is wrong with an answer, or None. Without `content` its JSON is not looked at."""
        kind = fields.get("Content-Type", "").partition(";")[0].strip().lower()
        # Pages lead elsewhere; what cannot be read as HTTP gets nothing but a status.
        if 300 <= status < 400 or (status >= 400 and not kind):
            return None
        where = f"{method} {path} → {status}"
        pattern, operation = self.operation(method, path)
        response = self.response(operation, status)
        if response is None:
            is_page = pattern is None and "/api/" not in path
            return None if is_page else f"{where}: there is no such answer"
        lacking = [
            name for name, header in response.get("headers", {}).items()
            if self.resolved(header).get("required") and name not in fields
        ]  # fmt: skip
        if lacking:
            return f"{where}: the header lacks {', '.join(lacking)}"
        types = response.get("content", {})
        listed = next((types[name] for name in (kind, "*/*") if name in types), None)
        if types and listed is None:
            return f"{where}: {kind or 'no type'} is none of {', '.join(types)}"
        if content is None or not JSON.fullmatch(kind) or "schema" not in (listed or {}):
            return None
        return self.json_complaint(where, status, listed["schema"], content)

    def json_complaint(self, where, status, schema, content):
        value = json.loads(content)
        error = next(self.validator(schema).iter_errors(value), None)
        if error:
            return f"{where}: {'/'.join(map(str, error.instance_path)) or 'the answer'}: {error.message}"
        is_problem = schema.get("$ref", "").endswith("/ProblemDetails")
        return f"{where}: it says status {value['status']}" if is_problem and value["status"] != status else None

    def operation(self, method, path):
        """What stands in the document, if anything. The address may lie below a path of the host's own."""
        start = min((at for base in ("/give/api/", "/see/api/", "/api/") if (at := path.find(base)) >= 0), default=0)
        path = path[start:]
        for regex, pattern in self.paths:
            if regex.fullmatch(path):
                methods = self.document["paths"][pattern]
                found = methods.get(method.lower()) or (methods.get("get") if method == "HEAD" else None)
                return pattern, found
        return None, None

    def response(self, operation, status):
        if operation is None:
            return self.document["components"]["responses"]["Problem"] if status >= 400 else None
        responses = operation["responses"]
        listed = responses.get(str(status)) or (responses["default"] if status >= 400 else None)
        return self.resolved(listed) if listed else None

    def resolved(self, value):
        while "$ref" in value:
            found = self.document
            for word in value["$ref"].removeprefix("#/").split("/"):
                found = found[word]
            value = found
        return value

    def validator(self, schema):
        """Compiled once for each place of the document."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self.validators:
            whole = {"components": {"schemas": self.document["components"]["schemas"]}, "allOf": [schema]}
            self.validators[key] = jsonschema_rs.Draft202012Validator(whole)
        return self.validators[key]


def close(schema):
    """Refuses fields that are not listed."""
    if schema.get("type") == "object":
        schema.setdefault("additionalProperties", False)
    for part in schema.get("oneOf", []):
        close(part)
