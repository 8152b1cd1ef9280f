"""Every real photo goes in and comes out byte for byte, by every way in."""

import io
import json
import subprocess
import zipfile
from collections import Counter

from client import code_of, plain_session, sha256

CHUNK = 16384


def expected(photos):
    return {path.name: sha256(path.read_bytes()) for path in photos}


def curl(*arguments):
    done = subprocess.run(
        ["curl", "--silent", "--show-error", "--noproxy", "*", "--write-out", "\n%{http_code}", *arguments],
        capture_output=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    body, _, status = done.stdout.rpartition(b"\n")
    return int(status), body


def test_put_by_name(vault, photos):
    browser = vault()
    for path in photos:
        photo = browser.put(path.name, path.read_bytes())
        assert (photo["name"], photo["size"]) == (path.name, path.stat().st_size)
    assert browser.digests() == expected(photos)


def test_post_of_a_raw_body(vault, photos):
    browser = vault()
    for path in photos:
        headers = {"Content-Type": "application/octet-stream"}
        with path.open("rb") as body:
            answer = browser.request("POST", "/api/photos", params={"name": path.name}, data=body, headers=headers)
        assert answer.status_code == 201, answer.text
        assert [photo["name"] for photo in answer.json()["photos"]] == [path.name]
    assert browser.digests() == expected(photos)


def test_a_raw_body_is_named_by_its_content_disposition(vault):
    browser = vault()
    headers = {
        "Content-Type": "image/jpeg",
        "Content-Disposition": "attachment; filename=\"plain.jpg\"; filename*=UTF-8''%E6%B5%B7%E8%BE%B9.jpg",
    }
    answer = browser.request("POST", "/api/photos", data=b"x" * 99, headers=headers)
    assert answer.status_code == 201, answer.text
    assert browser.names() == ["海边.jpg"]


def test_one_multipart_request_with_every_file(vault, photos):
    browser = vault()
    files = [("photos", (path.name, path.read_bytes(), "application/octet-stream")) for path in photos]
    answer = browser.request("POST", "/api/photos", files=files)
    assert answer.status_code == 201, answer.text
    assert [photo["name"] for photo in answer.json()["photos"]] == [path.name for path in photos]
    assert browser.digests() == expected(photos)


def test_curl_puts_with_basic(vault, photos):
    browser = vault()
    for path in photos[:5]:
        status, body = curl(
            "--user", f":{browser.password}", "--upload-file", str(path), f"{browser.origin}/api/photos/"
        )  # fmt: skip
        assert status == 201, body
        assert json.loads(body)["name"] == path.name
    assert browser.digests() == expected(photos[:5])


def test_curl_lists_and_downloads_with_basic(vault, photos, tmp_path):
    browser = vault()
    browser.put(photos[0].name, photos[0].read_bytes())
    status, body = curl("--user", f"anyone:{browser.password}", f"{browser.origin}/api/photos")
    assert status == 200, body
    photo = json.loads(body)["photos"][0]
    copy = tmp_path / "copy"
    address = f"{browser.origin}/api/photos/{photo['id']}/original"
    status, _ = curl("--user", f":{browser.password}", "--output", str(copy), address)
    assert status == 200
    assert copy.read_bytes() == photos[0].read_bytes()


def test_curl_sends_a_form_of_several_files_with_basic(vault, photos):
    browser = vault()
    fields = [word for path in photos[:5] for word in ("--form", f"photos=@{path}")]
    status, body = curl("--user", f":{browser.password}", *fields, f"{browser.origin}/api/photos")
    assert status == 201, body
    assert browser.digests() == expected(photos[:5])


def test_a_plain_html_form_needs_no_cookie_and_gets_a_page(vault, photos):
    browser = vault()
    form = plain_session(browser.daemon)
    form.headers["Sec-Fetch-Mode"] = "navigate"
    form.headers["Accept"] = "text/html,application/xhtml+xml,*/*;q=0.8"
    files = [("password", (None, browser.password))]
    files += [("photos", (path.name, path.read_bytes(), "image/jpeg")) for path in photos]
    answer = form.post(f"{browser.origin}/api/photos", files=files, timeout=300)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Content-Type"].startswith("text/html")
    assert browser.password not in answer.text
    assert browser.digests() == expected(photos)


def test_a_plain_html_form_with_a_wrong_password_keeps_nothing(vault, elsewhere):
    browser = vault()
    form = elsewhere(browser.daemon)
    files = [("password", (None, "wrong lamp in the hall")), ("photos", ("a.jpg", b"a" * 5000, "image/jpeg"))]
    answer = form.request("POST", "/api/photos", files=files, headers={"Accept": "text/html"})
    assert answer.status_code == 401
    assert browser.photos() == []


EDGES = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 1 << 20, (1 << 20) - 56, (1 << 20) + 1, 5_000_001]


def test_every_size_around_the_edges_of_chunks(vault, seeded):
    browser = vault()
    for size in EDGES:
        content = seeded.randbytes(size)
        photo = browser.put(f"{size}.bin", content)
        assert photo["size"] == size
        assert browser.content(photo) == content, size
    assert {photo["name"]: photo["size"] for photo in browser.photos()} == {f"{size}.bin": size for size in EDGES}


def test_a_body_of_unknown_length(vault, seeded):
    browser = vault()
    pieces = [seeded.randbytes(seeded.choice([1, 100, CHUNK, 70_000])) for _ in range(50)]
    browser.put("chunked.bin", iter(pieces))
    assert browser.content(browser.photos()[0]) == b"".join(pieces)


def test_two_photos_of_one_name_are_both_kept(vault):
    browser = vault()
    browser.put("IMG_0001.jpg", b"one")
    browser.put("IMG_0001.jpg", b"two")
    assert {browser.content(photo) for photo in browser.photos()} == {b"one", b"two"}


def put_all(browser, names):
    """One after the other by one request."""
    answer = browser.request("POST", "/api/photos", files=[("photos", (name, name.encode())) for name in names])
    assert answer.status_code == 201, answer.text


def test_the_list_is_newest_first_and_comes_in_pages(vault):
    browser = vault()
    names = [f"{number:04}.jpg" for number in range(520)]
    put_all(browser, names)
    first = browser.request("GET", "/api/photos").json()
    assert first["cursor"] is not None
    assert [photo["name"] for photo in browser.photos()] == names[::-1]


def test_a_cursor_that_was_never_given_out_is_refused(vault):
    answer = vault().request("GET", "/api/photos", params={"cursor": "bm90IGEgY3Vyc29y"})
    assert answer.status_code == 400, answer.text


def test_ranges(vault, seeded):
    browser = vault()
    content = seeded.randbytes(3 * CHUNK + 777)
    browser.put("range.bin", content)
    photo = browser.photos()[0]
    size = len(content)
    edges = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, size - 1]
    spans = [(first, last) for first in edges for last in edges if first <= last]
    for first, last in spans + [(100, size + 100)]:
        answer = browser.original(photo, headers={"Range": f"bytes={first}-{last}"})
        end = min(last, size - 1)
        assert answer.status_code == 206, (first, last, answer.status_code)
        assert answer.headers["Content-Range"] == f"bytes {first}-{end}/{size}"
        assert answer.content == content[first : end + 1]
    assert browser.original(photo, headers={"Range": "bytes=-10"}).content == content[-10:]
    assert browser.original(photo, headers={"Range": f"bytes={CHUNK}-"}).content == content[CHUNK:]
    beyond = browser.original(photo, headers={"Range": f"bytes={size}-"})
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{size}")
    for ignored in ("bytes=", "bytes=5-2", "lines=1-2", "bytes=0-1,5-6"):
        answer = browser.original(photo, headers={"Range": ignored})
        assert answer.status_code in (200, 416), ignored
        assert answer.status_code == 416 or answer.content == content


def test_delete_restore_and_empty_the_trash(restartable_vault):
    browser = restartable_vault()
    daemon = browser.daemon
    before = set(daemon.object_files())
    for name in ("a", "b", "c"):
        browser.put(name, name.encode() * 40_000)
    a, b = [photo for photo in browser.photos() if photo["name"] in "ab"]
    assert browser.delete([a, b]) == 2
    assert browser.names() == ["c"]
    assert sorted(photo["name"] for photo in browser.trash()) == ["a", "b"]
    restored = next(photo for photo in browser.trash() if photo["name"] == "a")
    answer = browser.request("POST", "/api/photos/restore", json={"ids": [restored["id"]]})
    assert answer.json()["count"] == 1
    assert browser.names() == ["a", "c"]
    assert browser.request("DELETE", "/api/trash").json()["count"] == 1
    assert browser.trash() == []
    daemon.restart()
    assert browser.open().names() == ["a", "c"]
    assert len(set(daemon.object_files()) - before) == 2


def test_a_long_list_of_what_was_deleted_comes_whole(vault):
    """It is made while it is sent, a few hundred photos at a time."""
    browser = vault()
    put_all(browser, [f"{number}.jpg" for number in range(260)])
    photos = browser.photos()
    assert browser.delete(photos) == 260
    assert [photo["id"] for photo in browser.trash()] == [photo["id"] for photo in photos]
    assert browser.request("HEAD", "/api/trash").status_code == 200


def test_an_archive_holds_what_was_asked_for(vault, photos):
    browser = vault()
    chosen = photos[:8]
    for path in chosen:
        browser.put(path.name, path.read_bytes())
    browser.put("../../evil.jpg", b"one")
    browser.put("../../evil.jpg", b"two")
    ids = [photo["id"] for photo in browser.photos()]
    answer = browser.request("POST", "/api/archive", json={"ids": ids})
    assert answer.status_code == 201, answer.text
    address = answer.json()["url"]
    download = browser.request("GET", address)
    assert download.status_code == 200, download.text
    archive = zipfile.ZipFile(io.BytesIO(download.content))
    assert archive.testzip() is None
    names = archive.namelist()
    assert len(names) == len(set(names)) == len(chosen) + 2
    assert not any("/" in name or "\\" in name for name in names), names
    contents = Counter(sha256(archive.read(name)) for name in names)
    assert contents == Counter([*expected(chosen).values(), sha256(b"one"), sha256(b"two")])
    assert browser.request("GET", address).content == download.content
    part = browser.request("GET", address, headers={"Range": "bytes=70-5000"})
    assert part.status_code == 206 and part.content == download.content[70:5001]


def test_photos_are_served_so_that_they_cannot_act(vault, photos):
    browser = vault()
    browser.put("page.html", b"<script>alert(1)</script>")
    browser.put("drawing.svg", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')
    jpeg = next(path for path in photos if path.name == "landscape_1.jpg")
    browser.put("photo.jpg", jpeg.read_bytes())
    for photo in browser.photos():
        answer = browser.original(photo)
        policy = answer.headers["Content-Security-Policy"]
        assert "sandbox" in policy and "default-src 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cache-Control"] == "no-store"
        inline = answer.headers["Content-Disposition"].startswith("inline")
        assert inline == (photo["name"] == "photo.jpg"), (photo, answer.headers)
        if not inline:
            assert answer.headers["Content-Type"] not in ("text/html", "image/svg+xml")


NAMES = [
    "photo.jpg", " leading and trailing ", "-rf", "a.jpg:stream", "CON", "NUL.jpg", ".htaccess", "...", "..%2f..%2f",
    "../../../etc/passwd", "..\\..\\windows", "/absolute", "tab\there", 'quote".jpg', "semi;colon=1.jpg", "100%.jpg",
    "<img src=x onerror=alert(1)>", "'; DROP TABLE row; --", "海边的日落.heic", "👩‍👩‍👧‍👦 family.jpg", "gpj.\u202eexe",
    "e\u0301 decomposed", "\u00e9 composed", "\ufeffbom.jpg", "\u200b", "a" * 1024, "字" * 341,
    "C:\\Users\\me\\photo.jpg", "{{7*7}}", "$(reboot)", "`id`", "%00", "%2500", "+plus +", "?query", "#fragment", "a&b=c",
]  # fmt: skip


def test_every_name_comes_back_as_it_went_in(vault):
    browser = vault()
    for name in NAMES:
        photo = browser.put(name, name.encode())
        assert photo["name"] == name
        disposition = browser.original(photo).headers["Content-Disposition"]
        assert "\n" not in disposition and disposition.isascii(), name
    assert browser.names() == sorted(NAMES)


def test_a_name_that_is_too_long_or_not_utf8_is_refused(vault):
    browser = vault()
    answer = browser.try_put("a" * 1025, b"x")
    assert answer.status_code == 400, answer.text
    answer = browser.request("PUT", "/api/photos/%ff%fe.jpg", data=b"x")
    assert answer.status_code == 400, answer.text
    assert browser.photos() == []


def test_a_file_above_the_limit_is_refused_before_its_body(vault):
    browser = vault()
    answer = browser.request("PUT", "/api/photos/huge", headers={"Content-Length": str(65 << 30)})
    assert (answer.status_code, code_of(answer)) == (413, "file-too-large")

