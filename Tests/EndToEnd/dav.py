"""A program that speaks WebDAV, and programs that others wrote."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
import requests
from client import PASSWORD, sha256
from network import SourceAdapter

DAV = "{DAV:}"
# When the first photo of a camera was taken: on 3 May 2019.
FIRST_SECOND = 1_556_877_600
EXACT = '<D:propfind xmlns:D="DAV:"><D:prop>{}</D:prop></D:propfind>'


class Dav:
    """A program that sends the password with each request."""

    def __init__(self, daemon, password=PASSWORD, source=None, base="/dav"):
        self.daemon, self.password, self.base = daemon, password, base
        self.http = requests.Session()
        if source:
            self.http.mount("http://", SourceAdapter(source))
        self.http.trust_env = False
        self.http.auth = ("anybody", password)

    def request(self, method, path, body=None, **fields):
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        return self.http.request(method, f"{self.daemon.url}{self.base}{path}", data=body, headers=fields, timeout=300)

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
        base = self.base + folder
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


def camera(folder, count, seeded, parts="Day {}", byte_count=20_000):
    """Photos of four days, a second apart, in folders of their own. {path within the folder: SHA-256}"""
    for number in range(count):
        path = folder / parts.format(number % 4) / f"IMG é {number:04}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(seeded.randbytes(byte_count))
        os.utime(path, (FIRST_SECOND + number, FIRST_SECOND + number))
    return digests_in(folder)


def digests_in(folder):
    return {path.relative_to(folder): sha256(path.read_bytes()) for path in folder.rglob("*.jpg")}


def require_camera(owner, digests):
    """The vault has all of them, once each, with the times of their files."""
    photos = owner.photos()
    assert len(photos) == len(digests) and owner.digests() == {path.name: digest for path, digest in digests.items()}
    seconds = [time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(FIRST_SECOND + n)) for n in range(len(digests))]
    assert sorted(photo["modifiedAt"] for photo in photos) == seconds


def litmus(url, suite, folder, password=PASSWORD):
    """[(test, pass or FAIL or WARNING or SKIPPED)] of one of its suites, and what it said; some tests come twice."""
    _, told = run("litmus", url, "x", password, folder=folder, environment={"TESTS": suite})
    lines = re.findall(r"^\s*\d+\. (\w+?)\.* (?:.*\.{3} )?(pass|FAIL|WARNING|SKIPPED)", told, re.MULTILINE)
    assert "summary for" in told and lines, told
    return lines, told


@contextmanager
def mounted(daemon, password=PASSWORD):
    """The folder at which davfs2 has mounted it."""
    if os.geteuid() != 0 or not os.path.exists("/dev/fuse"):
        pytest.skip("mounting needs root and /dev/fuse")
    # It gives up its rights, and cannot look into a folder of the tests.
    with tempfile.TemporaryDirectory(dir="/tmp") as outside:
        os.chmod(outside, 0o755)
        place, secrets, settings = (Path(outside) / name for name in ("mount", "secrets", "davfs2.conf"))
        place.mkdir()
        secrets.write_text(f'{daemon.url}/dav/ x "{password}"\n')
        secrets.chmod(0o600)
        settings.write_text(f"secrets {secrets}\ndelay_upload 0\nask_auth 0\n")
        status, told = run("mount.davfs", f"{daemon.url}/dav/", str(place), "-o", f"conf={settings},uid=0,gid=0")
        if status != 0 and re.search("Operation not permitted|fuse|Permission denied", told):
            pytest.skip(f"nothing can be mounted here: {told.strip()[:200]}")
        assert status == 0, told
        try:
            yield place
        finally:
            status, told = run("umount", str(place), timeout=300)
        assert status == 0, told
