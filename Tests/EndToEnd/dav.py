"""A program that speaks WebDAV, and programs that others wrote."""

import os
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from urllib.parse import quote, unquote

import pytest
import requests
from client import PASSWORD

DAV = "{DAV:}"
EXACT = '<D:propfind xmlns:D="DAV:"><D:prop>{}</D:prop></D:propfind>'


class Dav:
    """A program that sends the password with each request."""

    def __init__(self, daemon, password=PASSWORD):
        self.daemon = daemon
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.auth = ("anybody", password)

    def request(self, method, path, body=None, **fields):
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        return self.http.request(method, f"{self.daemon.url}/dav{path}", data=body, headers=fields, timeout=120)

    def put(self, path, content, status=201, **fields):
        answer = self.request("PUT", path, content, **fields)
        assert answer.status_code == status, (path, answer.status_code, answer.text)
        return answer

    def get(self, path):
        answer = self.request("GET", path)
        assert answer.status_code == 200, (path, answer.status_code, answer.text)
        return answer.content

    def propfind(self, path, depth="1", body=None):
        answer = self.request("PROPFIND", path, body, Depth=depth)
        assert answer.status_code == 207, (path, answer.status_code, answer.text)
        return {
            unquote(one.find(DAV + "href").text): one
            for one in ElementTree.fromstring(answer.content).iter(DAV + "response")
        }

    def names(self, folder):
        """What stands in a folder, those of folders with a slash."""
        base = "/dav" + folder
        return sorted(href.removeprefix(base) for href in self.propfind(quote(folder)) if href != base)

    def exists(self, path):
        return self.request("PROPFIND", path, Depth="0").status_code == 207


def value(response, name):
    found = response.find(f".//{DAV}{name}")
    return None if found is None else found.text


LOCK_BODY = b'<D:lockinfo xmlns:D="DAV:"><D:lockscope><D:exclusive/></D:lockscope><D:locktype><D:write/></D:locktype></D:lockinfo>'


def proppatch(properties, what="set"):
    return f'<D:propertyupdate xmlns:D="DAV:"><D:{what}><D:prop>{properties}</D:prop></D:{what}></D:propertyupdate>'.encode()


def needs(program):
    """Where tests run by themselves, everything of scripts/install-packages is there."""
    is_missing = not shutil.which(program) and not os.environ.get("CI")
    return pytest.mark.skipif(is_missing, reason=f"{program} is not installed")


def run(*command, folder=None, input=None, timeout=300, environment=None):
    done = subprocess.run(
        command,
        cwd=folder,
        input=input,
        capture_output=True,
        text=True,
        timeout=timeout,
        env={**os.environ, **(environment or {})},
    )
    return done.returncode, done.stdout + done.stderr


def rclone(daemon, *arguments, password=PASSWORD):
    """Its command and environment; the host is called `safe:`."""
    obscured = subprocess.run(
        ["rclone", "obscure", password], capture_output=True, text=True, check=True
    ).stdout.strip()
    environment = {
        "RCLONE_CONFIG": "/dev/null", "RCLONE_CONFIG_SAFE_TYPE": "webdav", "RCLONE_CONFIG_SAFE_URL": f"{daemon.url}/dav",
        "RCLONE_CONFIG_SAFE_VENDOR": "owncloud", "RCLONE_CONFIG_SAFE_USER": "x", "RCLONE_CONFIG_SAFE_PASS": obscured,
    }  # fmt: skip
    return ["rclone", *arguments], {**os.environ, **environment}


def litmus(url, suite, folder, password=PASSWORD):
    """[(test, pass or FAIL or WARNING or SKIPPED)] of one of its suites, and what it said; some tests come twice."""
    _, told = run("litmus", url, "x", password, folder=folder, environment={"TESTS": suite})
    lines = re.findall(r"^\s*\d+\. (\w+?)\.* (?:.*\.{3} )?(pass|FAIL|WARNING|SKIPPED)", told, re.MULTILINE)
    assert "summary for" in told and lines, told
    return lines, told
