"""Android's share sheet: the form that the system sends to the installed page, imitated by curl and by requests."""

import re

import pytest
import requests
from client import Browser, sha256
from dav import needs, run

# What Chromium sends with a share: the system causes it, and no site.
FROM_SYSTEM = {
    "Origin": "null", "Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-User": "?1",
    "Accept": "text/html,*/*",
}  # fmt: skip


def share(browser, files, fields=FROM_SYSTEM):
    parts = [("title", (None, "")), ("text", (None, "Look"))] + [("photos", (name, content)) for name, content in files]
    return browser.request("POST", "/share", files=parts, headers=fields, allow_redirects=False)


FILES = [("IMG 1.jpg", b"\xff\xd8\xff\xe0one"), ("照片.heic", b"two")]


def test_what_is_shared_goes_into_the_open_vault(owner):
    answer = share(owner, FILES)
    assert answer.status_code == 303 and answer.headers["Location"] == "/#shared=2" and answer.content == b""
    assert owner.digests() == {name: sha256(content) for name, content in FILES}
    assert "Set-Cookie" not in answer.headers


def test_it_goes_to_the_guest_of_the_browser_and_else_a_space_begins(restartable):
    daemon = restartable
    browser = Browser(daemon)
    assert share(browser, FILES[:1]).headers["Location"] == "/#shared=1"
    assert browser.session()["kind"] == "guest" and browser.names() == ["IMG 1.jpg"]
    answer = share(browser, FILES[1:])
    assert "Set-Cookie" not in answer.headers and len(browser.photos()) == 2
    daemon.kill9()
    daemon.start()
    assert browser.digests() == {name: sha256(content) for name, content in FILES}


def test_no_cookie_is_replaced_by_a_request_that_may_not_have_carried_it(standing_daemon):
    daemon = standing_daemon
    before = set(daemon.object_files())
    guest = Browser(daemon).begin_guest()
    guest.put("mine.jpg", b"mine")
    for fields, status in (
        ({"Origin": None, "Sec-Fetch-Site": None, "Sec-Fetch-Mode": None}, 401),
        ({**FROM_SYSTEM, "Sec-Fetch-Site": "cross-site"}, 403), ({**FROM_SYSTEM, "Sec-Fetch-Site": "same-site"}, 403),
    ):  # fmt: skip
        answer = share(Browser(daemon), FILES, fields)
        assert answer.status_code == status and "Set-Cookie" not in answer.headers, fields
    # Another site is refused with the cookie as well.
    assert share(guest, FILES, {**FROM_SYSTEM, "Sec-Fetch-Site": "cross-site"}).status_code == 403
    assert guest.names() == ["mine.jpg"] and len(set(daemon.object_files()) - before) == 1


def test_a_share_without_a_file_begins_nothing(standing_daemon):
    before = set(standing_daemon.object_files())
    browser = Browser(standing_daemon)
    answer = share(browser, [])
    assert answer.status_code == 400 and answer.headers["Content-Type"].startswith("text/html")
    assert "Set-Cookie" not in answer.headers and browser.session()["kind"] == "none"
    cut = b'--b\r\nContent-Disposition: form-data; name="photos"; filename="a.jpg"\r\n\r\nhalf'
    answer = browser.request(
        "POST", "/share", data=cut, headers={**FROM_SYSTEM, "Content-Type": "multipart/form-data; boundary=b"}
    )
    assert answer.status_code == 400 and browser.session()["kind"] == "none"
    assert set(standing_daemon.object_files()) <= before


def test_a_share_brings_no_password(owner):
    somebody = Browser(owner.daemon)
    answer = somebody.request(
        "POST", "/share", files=[("password", (None, owner.password)), ("photos", FILES[0])], headers=FROM_SYSTEM, allow_redirects=False
    )  # fmt: skip
    assert answer.status_code == 303 and somebody.names() == ["IMG 1.jpg"] and owner.photos() == []


def test_what_a_share_could_not_keep_is_counted(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_LIMITS_FILE": "1"})
    browser = Browser(daemon)
    answer = share(browser, [("a.jpg", b"a"), ("large.jpg", b"x" * (2 << 20)), ("b.jpg", b"b")])
    assert answer.status_code == 303 and answer.headers["Location"] == "/#shared=2&failed=1"
    assert browser.names() == ["a.jpg", "b.jpg"]


def test_where_guests_are_not_taken_a_share_needs_a_vault(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_GUESTS": "off"})
    answer = share(Browser(daemon), FILES)
    assert answer.status_code == 403 and "Set-Cookie" not in answer.headers and daemon.object_files() == []
    owner = Browser(daemon).create()
    assert share(owner, FILES).status_code == 303 and len(owner.photos()) == 2


def test_the_address_takes_nothing_else(standing_daemon):
    assert requests.get(f"{standing_daemon.url}/share", timeout=300).status_code == 405


@needs("curl")
@pytest.mark.parametrize("count", [1, 40])
def test_curl_shares_as_the_system_does(standing_daemon, tmp_path, count):
    words = []
    for number in range(count):
        path = tmp_path / f"IMG {number}.jpg"
        path.write_bytes(b"\xff\xd8\xff\xe0" + bytes([number]) * 100_000)
        words += ["-F", f"photos=@{path};type=image/jpeg"]
    for name, content in FROM_SYSTEM.items():
        words += ["-H", f"{name}: {content}"]
    jar = tmp_path / "jar"
    code, told = run("curl", "-sSi", "-b", str(jar), "-c", str(jar), *words, "-F", "title=", f"{standing_daemon.url}/share")
    assert code == 0 and f"/#shared={count}\r\n" in told.replace("\n", "\r\n").replace("\r\r", "\r"), told
    code, told = run("curl", "-sS", "-b", str(jar), f"{standing_daemon.url}/api/photos")
    assert code == 0 and len(re.findall(r'"name":"IMG \d+\.jpg"', told)) == count
