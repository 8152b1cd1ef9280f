"""WebDAV below /dav/, by requests and by programs that others wrote."""

import base64
import hashlib
import itertools
import os
import re
import signal
import subprocess
import unicodedata
import xml.etree.ElementTree as ElementTree
from urllib.parse import quote, unquote

import pytest
import requests
from albums import make
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, has_to_wait, sha256, wait_until
from dav import (
    DAV,
    EXACT,
    LOCK_BODY,
    Dav,
    camera,
    litmus,
    mounted,
    needs,
    proppatch,
    rclone,
    require_camera,
    run,
    value,
)

# -- Who may come


def test_options_tell_a_program_that_asks_what_this_is(standing_daemon):
    answer = requests.options(f"{standing_daemon.url}/dav/", timeout=300)
    assert answer.status_code == 200 and answer.headers["DAV"] == "1, 2"
    assert "PROPFIND" in answer.headers["Allow"] and answer.headers["MS-Author-Via"] == "DAV"


def test_the_root_tells_windows_that_a_tree_lies_below_it(standing_daemon):
    """It looks there first, whatever address it was given, and before anybody has typed a password."""
    windows = {"User-Agent": "Microsoft-WebDAV-MiniRedir/10.0.19045"}
    answer = requests.options(f"{standing_daemon.url}/", headers=windows, timeout=300)
    assert answer.status_code == 200 and answer.headers["DAV"] == "1, 2" and "PROPFIND" in answer.headers["Allow"]
    for depth, hrefs in (("0", ["/"]), ("1", ["/", "/dav/"])):
        for body in (None, EXACT.format("<D:resourcetype/><D:getetag/>")):
            answer = requests.request("PROPFIND", f"{standing_daemon.url}/", data=body, headers={**windows, "Depth": depth}, timeout=300)
            found = ElementTree.fromstring(answer.content)
            assert answer.status_code == 207 and [one.text for one in found.iter(DAV + "href")] == hrefs
            assert len(list(found.iter(DAV + "collection"))) == len(hrefs)
    answer = requests.request("PROPFIND", f"{standing_daemon.url}/", headers=windows, timeout=300)
    assert answer.status_code == 403 and b"propfind-finite-depth" in answer.content
    assert requests.get(f"{standing_daemon.url}/", timeout=300).headers["Content-Type"].startswith("text/html")


def test_without_a_depth_a_file_is_told_and_a_folder_is_not(dav):
    dav.put("/inbox/a.jpg", b"a")
    for path, status in (("/inbox/a.jpg", 207), ("/inbox/none.jpg", 404), ("/inbox/", 403), ("/", 403)):
        for fields in ({}, {"Depth": "infinity"}):
            assert dav.request("PROPFIND", path, **fields).status_code == status, (path, fields)
    assert dav.request("PROPFIND", "/inbox/a.jpg", Depth="2").status_code == 400


def test_a_program_that_asks_is_told_how_much_room_there_is(owner, dav):
    dav.put("/inbox/a.jpg", b"12345")
    asked = EXACT.format("<D:quota-available-bytes/><D:quota-used-bytes/>")
    (found,) = dav.propfind("/inbox/", "0", asked).values()
    storage = owner.request("GET", "/api/storage").json()
    assert value(found, "quota-used-bytes") == "5"
    assert int(value(found, "quota-available-bytes")) <= storage["freeBytes"] + 10**9
    (found,) = dav.propfind("/inbox/a.jpg", "0", asked).values()
    assert value(found, "quota-used-bytes") is None
    assert all(value(one, "quota-used-bytes") is None for one in dav.propfind("/inbox/").values())


METHODS = ["PROPFIND", "GET", "PUT", "DELETE", "MKCOL", "MOVE", "COPY", "PROPPATCH", "LOCK", "UNLOCK"]


def test_nobody_comes_in_without_the_password_and_is_asked_for_it(owner):
    for number, method in enumerate(METHODS):
        # Each from an address of its own: after five wrong passwords one would have to wait.
        stranger = Dav(owner.daemon, OTHER_PASSWORD, source=f"127.0.1.{number}")
        for auth in (None, stranger.http.auth):
            stranger.http.auth = auth
            answer = stranger.request(method, "/inbox/a.jpg", b"")
            assert answer.status_code == 401, (method, auth, answer.text)
            assert answer.headers["WWW-Authenticate"].startswith("Basic ")
    assert owner.photos() == []


def test_cookies_open_nothing_there(owner):
    assert owner.request("GET", "/dav/inbox/").status_code == 401
    guest = Browser(owner.daemon).begin_guest()
    assert guest.request("PUT", "/dav/inbox/a.jpg", data=b"a").status_code == 401


def test_another_site_causes_nothing_there(dav):
    dav.put("/inbox/a.jpg", b"a")
    for method in ("DELETE", "PUT", "PROPFIND", "MOVE"):
        answer = dav.request(
            method, "/inbox/a.jpg", b"b", Origin="https://evil.example", Destination="/dav/inbox/b.jpg"
        )
        assert answer.status_code == 403 and code_of(answer) == "cross-site", method
    assert dav.get("/inbox/a.jpg") == b"a"


def test_wrong_passwords_have_to_wait_and_the_owner_has_not(owner):
    thief, program = (Dav(owner.daemon, password, source="127.0.1.99") for password in (OTHER_PASSWORD, owner.password))
    assert program.names("/inbox/") == []
    assert thief.request("PROPFIND", "/", Depth="0").status_code == 401
    has_to_wait(lambda: thief.request("PROPFIND", "/", Depth="0"))
    assert owner.session()["kind"] == "vault"


def test_its_methods_are_known_elsewhere_and_not_taken(dav):
    for method, path in (("PROPFIND", "/api/photos"), ("MKCOL", "/api/albums"), ("LOCK", "/"), ("MOVE", "/connect.html")):
        answer = dav.http.request(method, f"{dav.daemon.url}{path}", timeout=300)
        assert answer.status_code == 405 and code_of(answer) == "method-not-allowed", (method, path)
    assert dav.http.request("PROPFIND", f"{dav.daemon.url}/nowhere", timeout=300).status_code == 404
    assert dav.request("POST", "/inbox/").status_code == 405
    assert dav.request("PATCH", "/inbox/a").status_code == 405


# -- Reading


def test_the_tree_shows_photos_by_month_and_what_came_within_a_day(owner, dav):
    owner.put("IMG_1.jpg", b"one", params={"modified": "2019-05-03T10:00:00Z"})
    owner.put("IMG_2.jpg", b"two", params={"modified": "2020-01-01T10:00:00Z"})
    assert dav.names("/") == ["albums/", "by-date/", "inbox/"]
    assert dav.names("/inbox/") == ["IMG_1.jpg", "IMG_2.jpg"]
    months = [f"{year}{month}" for year in dav.names("/by-date/") for month in dav.names(f"/by-date/{year}")]
    assert [month[5:] for month in months] == ["2019-05/", "2020-01/"]
    assert dav.names(f"/by-date/{months[0]}") == ["IMG_1.jpg"]
    assert dav.get(f"/by-date/{months[1]}IMG_2.jpg") == b"two"
    # What is copied from there has to have a name everywhere, and what was sent is found as it was.
    owner.put("10:30?.jpg", b"three", params={"modified": "2019-05-03T11:00:00Z"})
    assert dav.names(f"/by-date/{months[0]}") == ["10：30？.jpg", "IMG_1.jpg"]
    assert dav.get(f"/by-date/{months[0]}10：30？.jpg") == dav.get(f"/by-date/{months[0]}10%3A30%3F.jpg") == b"three"
    assert dav.names("/inbox/") == ["10:30?.jpg", "IMG_1.jpg", "IMG_2.jpg"]
    for path in (
        "/by-date/2018/",
        "/by-date/2019/2019-06/",
        "/by-date/2020/2019-05/",
        "/by-date/x/",
        "/other/",
        "/inbox/x",
    ):
        assert dav.request("PROPFIND", path, Depth="0").status_code == 404, path


def test_a_photo_comes_whole_and_in_ranges_with_its_facts(dav):
    content = os.urandom(300_000)
    tag = dav.put("/inbox/a.jpg", content).headers["ETag"]
    head = dav.request("HEAD", "/inbox/a.jpg")
    assert head.headers["Content-Length"] == "300000" and head.headers["ETag"] == tag and head.content == b""
    part = dav.request("GET", "/inbox/a.jpg", Range="bytes=65530-131080")
    assert part.status_code == 206 and part.content == content[65530:131081]
    assert dav.request("GET", "/inbox/a.jpg", If_None_Match=tag).status_code == 304
    assert dav.request("GET", "/inbox/a.jpg", Range="bytes=0-1", If_Range='"other"').content == content
    (found,) = dav.propfind("/inbox/a.jpg", "0").values()
    assert value(found, "getetag") == tag and value(found, "getcontentlength") == "300000"
    assert value(found, "displayname") == "a.jpg"


def test_a_folder_can_be_asked_for_at_depths_0_and_1_only(dav):
    for fields in ({}, {"Depth": "infinity"}):
        answer = dav.request("PROPFIND", "/", **fields)
        assert answer.status_code == 403 and b"propfind-finite-depth" in answer.content
    assert dav.request("PROPFIND", "/", Depth="2").status_code == 400
    assert list(dav.propfind("/inbox/", "0")) == ["/dav/inbox/"]


def test_properties_are_told_by_name_and_those_that_are_not_there_are_named(dav):
    dav.put("/inbox/a.jpg", b"abc")
    asked = EXACT.format('<D:getcontentlength/><x:y xmlns:x="urn:x"/>')
    (found,) = dav.propfind("/inbox/a.jpg", "0", asked).values()
    statuses = {
        stat.find(DAV + "status").text: [one.tag for one in stat.find(DAV + "prop")]
        for stat in found.iter(DAV + "propstat")
    }
    assert statuses == {"HTTP/1.1 200 OK": [DAV + "getcontentlength"], "HTTP/1.1 404 Not Found": ["{urn:x}y"]}
    (names,) = dav.propfind("/inbox/a.jpg", "0", '<propfind xmlns="DAV:"><propname/></propfind>').values()
    assert value(names, "getcontentlength") is None and names.find(f".//{DAV}getcontentlength") is not None


NO_PLAIN_XML = [
    '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><D:propfind xmlns:D="DAV:"><D:prop>&b;</D:prop></D:propfind>',
    '<!DOCTYPE a><D:propfind xmlns:D="DAV:"><D:allprop/></D:propfind>',
    '<D:propfind xmlns:D="DAV:"><D:allprop></D:propfind>',
    "<propfind><allprop/></propfind>", "<D:propfind/>", "x", '<D:propfind xmlns:D="DAV:"/>', "\ufeff", "<a>" * 40 + "</a>" * 40,
]  # fmt: skip


def test_a_body_that_is_no_plain_xml_is_refused(dav):
    for body, method in itertools.product(NO_PLAIN_XML, ("PROPFIND", "PROPPATCH", "LOCK")):
        assert dav.request(method, "/inbox/", body.encode(), Depth="0").status_code == 400, (method, body)


def test_a_body_has_an_end(dav):
    body = EXACT.format("<D:a/>" * 12_000).encode()
    assert dav.request("PROPFIND", "/", body, Depth="0").status_code == 413
    assert dav.request("PROPFIND", "/", iter([body]), Depth="0").status_code == 413


NAMES = [
    "a b.jpg", "100%.jpg", "a&b.jpg", "<a>.jpg", "a\"b'.jpg", "照片 海.jpg", "😀👩‍👩‍👧.heic", "a#b?c.jpg", "a;b=c,d.jpg", "a+b.jpg",
    "%41.jpg", "(a).jpg", "a:b|c*.jpg", "ends with dot.", " begins", "~tilde", "-dash", ".hidden.jpg", "[a].jpg", "a\\b.jpg", "a\tb.jpg",
    unicodedata.normalize("NFC", "Ünïcödé é.jpg"), unicodedata.normalize("NFD", "Größe Å.jpg"), "]]>.jpg", "&amp;.jpg", "x" * 200 + ".jpg",
]  # fmt: skip


def test_names_of_all_kinds_come_back_as_they_were_sent(owner, dav):
    for name in NAMES:
        dav.put("/inbox/" + quote(name, safe=""), name.encode())
    assert sorted(owner.names()) == sorted(NAMES)
    listed = set(dav.names("/inbox/"))
    # Control characters are shown by their pictures: XML and file systems have no place for them.
    assert listed == {name.replace("\t", "\u2409") for name in NAMES}
    for name in NAMES:
        assert dav.get("/inbox/" + quote(name, safe="")) == name.encode(), name
    # Another client sees them as well.
    other = Dav(dav.daemon, dav.password)
    other.http.headers["X-Other"] = "1"
    for name in listed:
        assert other.exists("/inbox/" + quote(name, safe="")), name


def test_a_name_is_found_in_either_form_of_unicode(owner, dav):
    for form, other in (("NFC", "NFD"), ("NFD", "NFC")):
        owner.put(unicodedata.normalize(form, f"é{form}.jpg"), form.encode())
        assert dav.get("/inbox/" + quote(unicodedata.normalize(other, f"é{form}.jpg"))) == form.encode()


def test_photos_of_one_name_are_numbered_and_a_slash_in_a_name_leads_nowhere(owner, dav):
    for content in (b"one", b"two", b"three"):
        owner.put("image.jpg", content)
    owner.put("image (2).jpg", b"own")
    owner.put("../a/b.jpg", b"slash")
    names = dav.names("/inbox/")
    assert names == sorted(["image.jpg", "image (2).jpg", "image (3).jpg", "image (4).jpg", "..\u2215a\u2215b.jpg"])
    contents = {name: dav.get("/inbox/" + quote(name)) for name in names}
    assert contents["image (2).jpg"] == b"own" and contents["..\u2215a\u2215b.jpg"] == b"slash"
    assert [contents[f"image{n}.jpg"] for n in ("", " (3)", " (4)")] == [b"one", b"two", b"three"]


# -- Writing


def test_a_put_is_a_photo_and_the_same_once_more_is_none(owner, dav):
    before = set(owner.daemon.object_files())
    answer = dav.put("/inbox/a.jpg", b"content", X_OC_Mtime="1556877600")
    assert answer.headers["X-OC-Mtime"] == "accepted"
    dav.put("/inbox/a.jpg", b"content", 204)
    dav.put("/inbox/a.jpg", iter([b"con", b"tent"]), 204)
    (photo,) = owner.photos()
    assert photo["name"] == "a.jpg" and photo["modifiedAt"] == "2019-05-03T10:00:00Z"
    wait_until(lambda: len(set(owner.daemon.object_files()) - before) == 1)


def test_other_bytes_take_the_address_and_the_former_ones_come_back_from_recently_deleted(owner, dav):
    dav.put("/inbox/a.jpg", b"first")
    (first,) = owner.photos()
    owner.request("PATCH", f"/api/photos/{first['id']}", json={"caption": "A lake"})
    owner.request("POST", "/api/photos/favourite", json={"ids": [first["id"]], "on": True})
    answer = dav.put("/inbox/a.jpg", b"edited", 204)
    assert "Content-Location" not in answer.headers
    (found,) = dav.propfind("/inbox/a.jpg", "0").values()
    assert value(found, "getetag") == answer.headers["ETag"] and value(found, "getcontentlength") == "6"
    dav.put("/inbox/a.jpg", b"edited", 204)
    assert dav.names("/inbox/") == ["a.jpg"] and dav.get("/inbox/a.jpg") == b"edited"
    (photo,), (gone,) = owner.photos(), owner.trash()
    assert photo["name"] == gone["name"] == "a.jpg" and photo["caption"] == "A lake" and photo["favourite"]
    assert gone["id"] == first["id"] and gone["replaced"] is True and "replaced" not in photo
    # An editor that writes beside the file and moves that over it does the same.
    dav.put("/inbox/a.jpg_tmp", b"edited again")
    assert dav.request("MOVE", "/inbox/a.jpg_tmp", Destination="/dav/inbox/a.jpg").status_code == 204
    assert dav.names("/inbox/") == ["a.jpg"] and dav.get("/inbox/a.jpg") == b"edited again"
    (photo,) = owner.photos()
    assert photo["name"] == "a.jpg" and photo["caption"] == "A lake" and photo["favourite"] and len(owner.trash()) == 2
    owner.request("POST", "/api/photos/restore", json={"ids": [first["id"]]})
    assert sorted(photo["size"] for photo in owner.photos()) == [5, 12]
    assert not any("replaced" in photo for photo in owner.photos())
    # The bytes of before, sent once more, are the photo of before.
    dav.put("/inbox/b.jpg", b"one")
    dav.put("/inbox/b.jpg", b"two", 204)
    dav.put("/inbox/b.jpg", b"one", 204)
    assert dav.get("/inbox/b.jpg") == b"one" and "b (2).jpg" not in dav.names("/inbox/")


def test_a_photo_that_its_client_has_not_seen_is_not_replaced(owner, dav):
    """Two phones that know nothing of each other call different photos the same."""
    dav.put("/inbox/IMG_0001.jpg", b"of one phone")
    other = Dav(owner.daemon, owner.password, source="127.0.1.77")
    answer = other.put("/inbox/IMG_0001.jpg", b"of another one")
    assert unquote(answer.headers["Content-Location"]) == "/dav/inbox/IMG_0001 (2).jpg"
    other.put("/inbox/IMG_0001.jpg", b"of another one", 204)
    assert other.names("/inbox/") == ["IMG_0001 (2).jpg", "IMG_0001.jpg"] and owner.trash() == []
    # Once it has looked, it means what stands there.
    other.put("/inbox/IMG_0001.jpg", b"edited", 204)
    assert other.get("/inbox/IMG_0001.jpg") == b"edited" and [photo["size"] for photo in owner.trash()] == [12]
    assert sorted(owner.names()) == ["IMG_0001 (2).jpg", "IMG_0001.jpg"]


def test_a_photo_that_is_copied_or_moved_onto_itself_stays(owner, dav):
    dav.put("/inbox/a.jpg", b"a")
    make(owner, "Rome", owner.photos())
    for method, source, target in (
        ("COPY", "/albums/Rome/a.jpg", "/inbox/a.jpg"), ("COPY", "/inbox/a.jpg", "/albums/Rome/a.jpg"),
        ("MOVE", "/albums/Rome/a.jpg", "/inbox/a.jpg"),
    ):  # fmt: skip
        assert dav.request(method, source, Destination=f"/dav{target}").status_code == 204, (method, source)
        assert owner.names() == ["a.jpg"] and owner.trash() == [] and dav.get(target) == b"a", (method, source)


def test_a_duplicate_that_is_found_late_is_not_taken_along(owner, dav):
    owner.put("phone.jpg", b"the same")
    assert dav.request("PUT", "/inbox/x.jpg", b"the same").ok
    wait_until(lambda: len(owner.photos()) == 1)
    dav.put("/inbox/x.jpg", b"edited", 204)
    assert sorted(photo["size"] for photo in owner.photos()) == [6, 8] and owner.trash() == []


def test_what_has_another_address_as_well_stays_there_when_one_is_written_over(owner, dav):
    dav.put("/inbox/a.jpg", b"first")
    assert dav.request("COPY", "/inbox/a.jpg", Destination="/dav/inbox/copy.jpg").status_code == 201
    dav.put("/inbox/a.jpg", b"edited", 204)
    assert dav.get("/inbox/a.jpg") == b"edited" and dav.get("/inbox/copy.jpg") == b"first" and owner.trash() == []
    owner.put("phone.jpg", b"of a phone")
    wait_until(lambda: all("verifiedAt" in photo for photo in owner.photos()))
    dav.put("/inbox/same.jpg", b"of a phone", 204)
    dav.put("/inbox/same.jpg", b"changed", 204)
    assert dav.get("/inbox/same.jpg") == b"changed" and "phone.jpg" in owner.names() and owner.trash() == []


def test_a_photo_is_on_disk_before_its_201(restartable_vault):
    owner = restartable_vault()
    content = os.urandom(200_000)
    Dav(owner.daemon, owner.password).put("/inbox/a.jpg", content)
    owner.daemon.kill9()
    owner.daemon.start()
    assert owner.open().digests() == {"a.jpg": sha256(content)}


def test_the_empty_file_before_the_real_one_becomes_no_photo(owner, dav):
    dav.put("/inbox/a.jpg", b"")
    assert dav.exists("/inbox/a.jpg") and dav.get("/inbox/a.jpg") == b"" and "a.jpg" in dav.names("/inbox/")
    locked = dav.request("LOCK", "/inbox/a.jpg", LOCK_BODY)
    assert locked.status_code == 200
    token = locked.headers["Lock-Token"]
    dav.put("/inbox/a.jpg", b"real", 423)
    assert owner.photos() == []
    dav.put("/inbox/a.jpg", b"real", 201, If=f"({token})")
    times = proppatch(
        '<Z:Win32LastModifiedTime xmlns:Z="urn:schemas-microsoft-com:">Fri, 03 May 2019 10:00:00 GMT</Z:Win32LastModifiedTime>'
    )
    assert b"200 OK" in dav.request("PROPPATCH", "/inbox/a.jpg", times, If=f"({token})").content
    assert dav.request("UNLOCK", "/inbox/a.jpg", Lock_Token=token).status_code == 204
    (photo,) = owner.photos()
    assert photo["name"] == "a.jpg" and photo["size"] == 4 and photo["modifiedAt"] == "2019-05-03T10:00:00Z"
    assert dav.get("/inbox/a.jpg") == b"real"
    # The file of a photo stays what it was when somebody begins to write to it anew.
    dav.put("/inbox/a.jpg", b"", 204)
    dav.put("/inbox/a.jpg", iter([b""]), 204)
    assert dav.get("/inbox/a.jpg") == b"real"


def test_files_of_systems_are_taken_and_forgotten(owner, dav):
    before = owner.daemon.object_files()
    for name in ("._a.jpg", ".DS_Store", "Thumbs.db", "desktop.ini", "THUMBS.DB"):
        dav.put(f"/inbox/{name}", b"x" * 4096)
        (found,) = dav.propfind(f"/inbox/{name}", "0").values()
        assert value(found, "getcontentlength") == "4096" and name in dav.names("/inbox/"), name
        dav.put(f"/inbox/{name}", b"x", 204)
        moved = dav.request("MOVE", f"/inbox/{name}", Destination="/dav/inbox/photo.jpg")
        assert moved.status_code == 403, name
        assert dav.request("DELETE", f"/inbox/{name}").status_code == 204 and not dav.exists(f"/inbox/{name}"), name
    assert owner.photos() == [] and set(owner.daemon.object_files()) <= set(before)


def test_a_put_depends_on_what_it_names(dav):
    tag = dav.put("/inbox/a.jpg", b"a", If_None_Match="*").headers["ETag"]
    dav.put("/inbox/a.jpg", b"b", 412, If_None_Match="*")
    dav.put("/inbox/a.jpg", b"b", 412, If_Match='"other"')
    dav.put("/inbox/b.jpg", b"b", 412, If_Match="*")
    dav.put("/inbox/b.jpg", b"b", 412, If="(<urn:uuid:none>)")
    dav.put("/inbox/a.jpg", b"a", 204, If_Match=tag)
    dav.put("/inbox/a.jpg", b"a", 204, If=f"([{tag}] Not <urn:uuid:none>)")
    assert dav.names("/inbox/") == ["a.jpg"]


UNTRUE = [
    {"Content-Range": "bytes 0-2/6"}, {"Content-Digest": "sha-256=:" + base64.b64encode(b"x" * 32).decode() + ":"},
    {"Repr-Digest": "sha-512=:" + base64.b64encode(b"x" * 64).decode() + ":"}, {"OC-Checksum": "SHA1:" + "0" * 40},
    {"OC-Checksum": "MD5:" + "0" * 32}, {"Content-Digest": "sha-256=x"},
]  # fmt: skip


def test_what_is_not_as_it_says_keeps_nothing(owner, dav):
    before = owner.daemon.object_files()
    for fields, body in itertools.product(UNTRUE, (b"abc", b"")):
        assert dav.request("PUT", "/inbox/a.jpg", body, **fields).status_code == 400, (fields, body)
    assert not dav.exists("/inbox/a.jpg") and owner.photos() == []
    assert set(owner.daemon.object_files()) <= set(before)


@pytest.mark.parametrize("time", ["", "yesterday", "1588284000000", "1e400", "nan", "-", "12,5"])
def test_an_odd_time_is_left_out_and_the_photo_is_kept(owner, dav, time):
    answer = dav.put("/inbox/a.jpg", b"a", X_OC_Mtime=time)
    (photo,) = owner.photos()
    assert photo["name"] == "a.jpg" and "modifiedAt" not in photo and "X-OC-Mtime" not in answer.headers


def test_a_digest_that_is_right_is_no_hindrance(owner, dav):
    content = os.urandom(1 << 20)
    digest = base64.b64encode(hashlib.sha512(content).digest()).decode()
    dav.put("/inbox/a.jpg", content, Repr_Digest=f"unknown=:AA:, sha-512=:{digest}:")
    dav.put("/inbox/b.jpg", content[1:], OC_Checksum="SHA1:" + hashlib.sha1(content[1:]).hexdigest())
    assert owner.names() == ["a.jpg", "b.jpg"]


def test_below_any_folder_a_put_comes_into_the_inbox(owner, dav):
    dav.put("/inbox/old.jpg", b"old", X_OC_Mtime="1556877600")
    (year,) = dav.names("/by-date/")
    (month,) = dav.names(f"/by-date/{year}")
    for path in ("/a.jpg", "/by-date/b.jpg", f"/by-date/{year}{month}c.jpg"):
        dav.put(path, path.encode())
        assert dav.get(path) == path.encode() and dav.exists(path)
    dav.put("/nowhere/d.jpg", b"d", 409)
    dav.put("/inbox/nowhere/d.jpg", b"d", 409)
    assert owner.names() == ["a.jpg", "b.jpg", "c.jpg", "old.jpg"]


def test_folders_of_a_client_hold_what_it_sent(owner, dav):
    assert dav.request("MKCOL", "/inbox/Holiday").status_code == 201
    assert dav.request("MKCOL", "/inbox/Holiday/").status_code == 405
    assert dav.request("MKCOL", "/inbox/x/y/").status_code == 409
    assert dav.request("MKCOL", "/by-date/2031/").status_code == 403
    assert dav.request("MKCOL", "/inbox/z/", b"<a/>").status_code == 415
    dav.put("/inbox/Holiday/a.jpg", b"a")
    dav.put("/inbox/a.jpg", b"b")
    assert dav.names("/inbox/") == ["Holiday/", "a.jpg"] and dav.names("/inbox/Holiday/") == ["a.jpg"]
    assert dav.request("DELETE", "/inbox/Holiday/").status_code == 204
    assert dav.names("/inbox/") == ["a.jpg"] and [photo["name"] for photo in owner.trash()] == ["a.jpg"]
    assert dav.get("/inbox/a.jpg") == b"b"


def test_what_is_deleted_can_be_put_back_and_folders_of_the_vault_cannot_be_deleted(owner, dav):
    dav.put("/inbox/a.jpg", b"a")
    dav.put("/inbox/b.jpg", b"b", X_OC_Mtime="1556877600")
    (year, _) = dav.names("/by-date/")
    (month,) = dav.names(f"/by-date/{year}")
    for folder in ("/", "/inbox/", "/by-date/", f"/by-date/{year}", f"/by-date/{year}{month}"):
        assert dav.request("DELETE", folder).status_code == 403, folder
    assert dav.request("DELETE", "/inbox/a.jpg").status_code == 204
    assert dav.request("DELETE", "/inbox/a.jpg").status_code == 404
    assert dav.request("DELETE", f"/by-date/{year}{month}b.jpg").status_code == 204
    assert owner.photos() == [] and not dav.exists("/inbox/b.jpg")
    owner.request("POST", "/api/photos/restore", json={"ids": [photo["id"] for photo in owner.trash()]})
    assert owner.names() == ["a.jpg", "b.jpg"] and dav.names("/inbox/") == ["a.jpg", "b.jpg"]


def test_a_photo_that_came_under_a_passing_name_has_its_own_in_the_end(owner, dav):
    dav.put("/inbox/.a.jpg.tmp", b"a")
    dav.put("/inbox/b.jpg", b"b")
    moved = dav.request("MOVE", "/inbox/.a.jpg.tmp", Destination=f"{dav.daemon.url}/dav/inbox/a.jpg")
    assert moved.status_code == 201
    assert owner.names() == ["a.jpg", "b.jpg"] and dav.names("/inbox/") == ["a.jpg", "b.jpg"]
    assert dav.request("MOVE", "/inbox/a.jpg", Destination="/dav/inbox/b.jpg", Overwrite="F").status_code == 412
    assert dav.request("MOVE", "/inbox/a.jpg", Destination="/dav/by-date/b.jpg").status_code == 403
    assert (
        dav.request("MOVE", "/inbox/a.jpg", Destination="https://elsewhere.example/dav/inbox/b.jpg").status_code == 502
    )
    assert dav.request("MOVE", "/inbox/a.jpg", Destination="/dav/inbox/a.jpg").status_code == 403
    assert dav.request("MOVE", "/inbox/a.jpg").status_code == 400
    # What stood there can be put back.
    assert dav.request("MOVE", "/inbox/a.jpg", Destination="/dav/inbox/b.jpg").status_code == 204
    assert dav.get("/inbox/b.jpg") == b"a" and owner.names() == ["b.jpg"]
    assert [(photo["name"], photo["size"]) for photo in owner.trash()] == [("b.jpg", 1)]


def test_a_copy_is_not_stored_twice_and_goes_by_itself(owner, dav):
    dav.put("/inbox/a.jpg", b"a")
    assert dav.request("COPY", "/inbox/a.jpg", Destination="/dav/inbox/b.jpg").status_code == 201
    assert dav.names("/inbox/") == ["a.jpg", "b.jpg"] and len(owner.photos()) == 1
    assert dav.request("DELETE", "/inbox/a.jpg").status_code == 204
    assert dav.get("/inbox/b.jpg") == b"a" and owner.trash() == []
    assert dav.request("DELETE", "/inbox/b.jpg").status_code == 204
    assert len(owner.trash()) == 1


def test_what_was_in_the_vault_before_stays_when_its_copy_is_deleted(owner, dav):
    owner.put("old.jpg", b"content")
    wait_until(lambda: "verifiedAt" in owner.photos()[0])
    dav.put("/inbox/new.jpg", b"content", 204)
    assert dav.names("/inbox/") == ["new.jpg", "old.jpg"] and len(owner.photos()) == 1
    assert dav.request("DELETE", "/inbox/new.jpg").status_code == 204
    assert dav.names("/inbox/") == ["old.jpg"] and owner.trash() == []
    (year,) = dav.names("/by-date/")
    (month,) = dav.names(f"/by-date/{year}")
    copied = dav.request("COPY", f"/by-date/{year}{month}old.jpg", Destination="/dav/inbox/copy.jpg")
    assert copied.status_code == 201 and dav.get("/inbox/copy.jpg") == b"content"
    assert dav.request("DELETE", "/inbox/copy.jpg").status_code == 204
    assert owner.names() == ["old.jpg"] and owner.trash() == []


def test_times_of_windows_move_the_photo_and_other_properties_are_remembered(owner, dav):
    dav.put("/inbox/a.jpg", b"a")
    times = proppatch(
        '<Z:Win32LastModifiedTime xmlns:Z="urn:schemas-microsoft-com:">Fri, 03 May 2019 10:00:00 GMT</Z:Win32LastModifiedTime>'
        '<Z:Win32FileAttributes xmlns:Z="urn:schemas-microsoft-com:">00000020</Z:Win32FileAttributes>'
    )
    answer = dav.request("PROPPATCH", "/inbox/a.jpg", times)
    assert answer.status_code == 207 and b"200 OK" in answer.content and b"403" not in answer.content
    (photo,) = owner.photos()
    assert photo["modifiedAt"] == "2019-05-03T10:00:00Z" and photo["takenAt"].startswith("2019-05-03")
    assert "2019/" in dav.names("/by-date/")
    asked = EXACT.format('<Z:Win32FileAttributes xmlns:Z="urn:schemas-microsoft-com:"/><D:getlastmodified/>')
    (found,) = dav.propfind("/inbox/a.jpg", "0", asked).values()
    assert found.find(".//{urn:schemas-microsoft-com:}Win32FileAttributes").text == "00000020"
    assert value(found, "getlastmodified") == "Fri, 03 May 2019 10:00:00 GMT"
    both = proppatch('<D:getetag>x</D:getetag><a xmlns="urn:x">1</a>')
    refused = dav.request("PROPPATCH", "/inbox/a.jpg", both).content
    assert b"403 Forbidden" in refused and b"424 Failed Dependency" in refused


def test_a_locked_file_is_changed_by_nobody_without_the_token(dav):
    dav.put("/inbox/a.jpg", b"a")
    answer = dav.request("LOCK", "/inbox/a.jpg", LOCK_BODY, Timeout="Second-30, Infinite")
    token = answer.headers["Lock-Token"]
    assert b"Second-30" in answer.content
    for method, fields in (
        ("PUT", {}),
        ("DELETE", {}),
        ("MOVE", {"Destination": "/dav/inbox/b.jpg"}),
        ("PROPPATCH", {}),
    ):
        body = proppatch('<a xmlns="urn:x"/>') if method == "PROPPATCH" else b"b"
        assert dav.request(method, "/inbox/a.jpg", body, **fields).status_code == 423, method
    assert dav.request("LOCK", "/inbox/a.jpg", LOCK_BODY).status_code == 423
    assert dav.request("LOCK", "/inbox/a.jpg", If=f"({token})").status_code == 200
    assert dav.request("UNLOCK", "/inbox/a.jpg", Lock_Token="<urn:uuid:none>").status_code == 409
    assert dav.request("DELETE", "/inbox/a.jpg", If=f"({token})").status_code == 204
    dav.put("/inbox/a.jpg", b"new")


def test_locks_of_one_client_have_an_end(dav):
    statuses = {dav.request("LOCK", f"/inbox/{number}.jpg", LOCK_BODY).status_code for number in range(520)}
    assert statuses == {201, 507}


def test_a_lock_is_told_with_its_owner_where_it_was_made(dav):
    dav.put("/inbox/a.jpg", b"a")
    body = LOCK_BODY.replace(b"</D:lockinfo>", b"<D:owner>somebody</D:owner></D:lockinfo>")
    token = dav.request("LOCK", "/inbox/", body, Depth="infinity").headers["Lock-Token"]
    told = {href: ElementTree.tostring(row).decode() for href, row in dav.propfind("/inbox/").items()}
    assert set(told) == {"/dav/inbox/", "/dav/inbox/a.jpg"}
    assert all(token.strip("<>") in row for row in told.values())
    assert {href for href, row in told.items() if "somebody" in row} == {"/dav/inbox/"}


def test_what_asks_for_too_much_is_refused_and_changes_nothing(dav):
    dav.put("/inbox/a.jpg", b"a")
    many = "".join(f'<a{n} xmlns="urn:x"/>' for n in range(1000))
    answer = dav.request("PROPFIND", "/inbox/", EXACT.format(many).encode(), Depth="1")
    assert (answer.status_code, b"more properties" in answer.content) == (413, True)
    assert dav.request("PROPPATCH", "/inbox/a.jpg", proppatch(many)).status_code == 413
    long = dav.request("PROPPATCH", "/inbox/a.jpg", proppatch(f'<a xmlns="urn:x">b</a><b xmlns="urn:x">{"x" * 20_000}</b>'))
    assert (long.status_code, b"16,384 bytes" in long.content) == (413, True)
    assert b"urn:x" not in dav.request("PROPFIND", "/inbox/a.jpg", Depth="0").content
    namespace = "n" * 257
    answer = dav.request("PROPPATCH", "/inbox/a.jpg", proppatch(f'<a xmlns="{namespace}"/>'))
    assert (answer.status_code, b"a namespace is too long" in answer.content) == (400, True)


def test_two_vaults_see_nothing_of_each_other(vault, dav):
    stranger = vault()
    other = Dav(stranger.daemon, stranger.password)
    dav.put("/inbox/a.jpg", b"a")
    dav.request("MKCOL", "/inbox/mine/")
    assert other.names("/inbox/") == [] and other.names("/by-date/") == []
    assert other.request("GET", "/inbox/a.jpg").status_code == 404


@pytest.mark.nightly("sizes")
def test_many_photos_are_listed_in_constant_memory(daemon, owner, dav, counted):
    count = counted(1_000, 50_000)
    form = b"".join(
        b'--b\r\nContent-Disposition: form-data; name="photos"; filename="image.jpg"\r\n\r\n%d\r\n' % n
        for n in range(count % 3_000 or 3_000)
    )
    for part in range(max(1, count // 3_000)):
        content = form.replace(b'"image.jpg"', b'"image %d.jpg"' % (part // 2)) + b"--b--\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = dav.http.post(f"{daemon.url}/api/photos", data=content, headers=headers, timeout=600)
        assert answer.status_code == 201, answer.text[:500]
    dav.names("/")
    daemon.forget_peak()
    before = daemon.status("VmRSS")
    (year,) = dav.names("/by-date/")
    (month,) = dav.names(f"/by-date/{year}")
    names = dav.names(f"/by-date/{year}{month}")
    assert len(set(names)) == len(names) >= count * 9 // 10
    assert daemon.status("VmHWM") - before < counted(16, 48) << 20
    wanted = names[len(names) // 2]
    assert dav.exists(f"/by-date/{year}{month}{quote(wanted)}")


# -- Programs that others wrote


# What litmus asks for and this host does otherwise, with the reason in docs/clients.md.
LITMUS_EXCEPTIONS = {"http": set(), "basic": set(), "copymove": set(), "props": set(), "locks": set()}


@pytest.mark.nightly("programs")
@needs("litmus")
@pytest.mark.parametrize("suite", LITMUS_EXCEPTIONS)
def test_litmus_finds_what_is_said_of_it(dav, tmp_path, suite):
    results, told = litmus(f"{dav.daemon.url}/dav/inbox/", suite, tmp_path, dav.password)
    assert {name for name, result in results if result in ("FAIL", "SKIPPED")} == LITMUS_EXCEPTIONS[suite], told


@pytest.mark.nightly("programs")
@needs("rclone")
def test_rclone_copies_is_killed_and_copies_once_more(daemon, owner, tmp_path, seeded, counted):
    folder, count = tmp_path / "camera", counted(100, 200)
    digests = camera(folder, count, seeded)
    command, environment = rclone(daemon, "copy", str(folder), "safe:inbox/camera", "--bwlimit", "1M", "--retries", "1")
    copying = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: len(daemon.object_files()) >= 30)
    copying.send_signal(signal.SIGKILL)
    copying.wait()
    assert len(daemon.object_files()) < count
    for verb in ("copy", "check"):
        command, environment = rclone(daemon, verb, str(folder), "safe:inbox/camera")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    require_camera(owner, digests)


@pytest.mark.nightly("programs")
@needs("rclone")
def test_rclone_sends_a_changed_file_and_nothing_is_lost(daemon, owner, tmp_path):
    path = tmp_path / "a.jpg"
    for content in (b"first", b"changed"):
        path.write_bytes(content)
        command, environment = rclone(daemon, "copy", str(path), "safe:inbox", "--retries", "1")
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
    assert owner.digests() == {"a.jpg": sha256(b"changed")}
    assert [photo["sha256"] for photo in owner.trash()] == [sha256(b"first")]


@pytest.mark.nightly("programs")
@needs("cadaver")
def test_cadaver_puts_lists_fetches_and_deletes(daemon, owner, tmp_path):
    (tmp_path / "a b.jpg").write_bytes(b"cadaver")
    (tmp_path / ".netrc").write_text(f'machine 127.0.0.1 login x password "{PASSWORD}"\n')
    commands = 'cd inbox\nmkcol Trip\nput "a b.jpg"\nmove "a b.jpg" c.jpg\nls\nget c.jpg d.jpg\ndelete c.jpg\nquit\n'
    _, told = run("cadaver", f"{daemon.url}/dav/", folder=tmp_path, input=commands, environment={"HOME": str(tmp_path)})
    assert (tmp_path / "d.jpg").exists() and (tmp_path / "d.jpg").read_bytes() == b"cadaver", told
    assert re.search(r"Coll:\s+Trip", told) and "c.jpg" in told
    assert owner.photos() == [] and [photo["name"] for photo in owner.trash()] == ["c.jpg"]


@needs("curl")
def test_curl_puts_by_its_own_file_name(owner, tmp_path):
    (tmp_path / "IMG 1.jpg").write_bytes(os.urandom(2_000_000))
    status, told = run(
        "curl",
        "-sSf",
        "--anyauth",
        "-u",
        f"x:{owner.password}",
        "-T",
        "IMG 1.jpg",
        f"{owner.origin}/dav/inbox/",
        folder=tmp_path,
    )
    assert status == 0, told
    assert owner.digests() == {"IMG 1.jpg": sha256((tmp_path / "IMG 1.jpg").read_bytes())}


@pytest.mark.soak
@needs("mount.davfs")
def test_davfs2_mounts_it_and_what_is_copied_there_becomes_photos(daemon, owner):
    contents = {f"IMG {number}.jpg": os.urandom(50_000) for number in range(10)}
    with mounted(daemon) as place:
        (place / "inbox" / "Trip").mkdir()
        for name, content in contents.items():
            (place / "inbox" / "Trip" / name).write_bytes(content)
        # By name: with newer kernels this davfs2 lists no folder at all.
        assert all((place / "inbox" / "Trip" / name).read_bytes() == content for name, content in contents.items())
    assert owner.digests() == {name: sha256(content) for name, content in contents.items()}
