"""Albums as folders of WebDAV: /dav/albums/, and folders of the inbox that become albums."""

import os
import unicodedata
from urllib.parse import quote

import pytest
from albums import add, albums, make, names_in
from client import PASSWORD, code_of, wait_until
from dav import LOCK_BODY, Dav, camera, digests_in, litmus, needs, proppatch, rclone, run, value


def contents(owner):
    """{name of an album: names of its photos}, as the page has it."""
    return {album["name"]: names_in(owner, album["id"]) for album in albums(owner) if "name" in album}


def status(dav, method, path, to=None, **fields):
    if to is not None:
        fields["Destination"] = "/dav" + quote(to)
    return dav.request(method, quote(path), **fields).status_code


def test_albums_of_the_vault_are_folders_with_their_photos(owner, dav):
    one, two = owner.put("one.jpg", b"1"), owner.put("two.jpg", b"22")
    make(owner, "Rome", [one, two])
    make(owner, "Empty")
    assert dav.names("/albums/") == ["Empty/", "Rome/"]
    assert dav.names("/albums/Rome/") == ["one.jpg", "two.jpg"] and dav.names("/albums/Empty/") == []
    assert dav.get("/albums/Rome/two.jpg") == b"22"
    (found,) = dav.propfind("/albums/Rome/two.jpg", "0").values()
    assert value(found, "getcontentlength") == "2"
    owner.delete([one])
    add(owner, albums(owner)[0]["id"], [two], "DELETE")
    for path in (
        "/albums/Rome/one.jpg",
        "/albums/other/",
        "/albums/other/a.jpg",
        "/albums/Rome/x/",
        "/albums/Rome/x/y",
    ):
        assert status(dav, "PROPFIND", path, Depth="0") == 404, path


def test_mkcol_makes_an_album_and_put_adds_to_it(owner, dav):
    assert status(dav, "MKCOL", "/albums/Rome 2024/") == 201
    dav.put("/albums/Rome 2024/a.jpg", b"a", X_OC_Mtime="1556877600")
    dav.put("/albums/Rome 2024/a.jpg", b"a", 204)
    dav.put("/albums/Rome 2024/b.jpg", b"b")
    assert contents(owner) == {"Rome 2024": ["a.jpg", "b.jpg"]}
    assert [photo.get("modifiedAt") for photo in owner.photos() if photo["name"] == "a.jpg"] == ["2019-05-03T10:00:00Z"]
    assert status(dav, "MKCOL", "/albums/Rome 2024/") == 405
    assert status(dav, "MKCOL", "/albums/Rome 2024/Forum/") == 403
    assert status(dav, "MKCOL", "/albums/none/Forum/") == 409
    dav.put("/albums/none/a.jpg", b"a", 409)
    assert code_of(dav.request("MKCOL", "/albums/" + "x" * 201)) == "album-name-too-long"
    assert len(contents(owner)) == 1


def test_names_of_albums_do_not_differ_by_case_or_unicode_form(owner, dav):
    made, other = (unicodedata.normalize(form, "Café Ä") for form in ("NFC", "NFD"))
    assert status(dav, "MKCOL", f"/albums/{other}/") == 201
    assert [album["name"].encode() for album in albums(owner)] == [made.encode()]
    assert status(dav, "MKCOL", f"/albums/{made}/") == 405 and status(dav, "MKCOL", f"/albums/{made.upper()}/") == 405
    dav.put("/albums/" + quote(other.lower()) + "/a.jpg", b"a")
    dav.put("/albums/" + quote(made.upper()) + "/a.jpg", b"a", 204)
    assert contents(owner) == {made: ["a.jpg"]} and len(owner.photos()) == 1
    # A lock holds by whatever name it is called.
    token = dav.request("LOCK", "/albums/" + quote(made.lower()) + "/a.jpg", LOCK_BODY).headers["Lock-Token"]
    assert status(dav, "DELETE", f"/albums/{made.upper()}/a.jpg") == 423
    assert status(dav, "DELETE", f"/albums/{made}/a.jpg", If=f"({token})") == 204


def test_a_slash_in_the_name_of_an_album_leads_nowhere_and_look_alikes_are_numbered(owner, dav):
    photo = owner.put("a.jpg", b"a")
    for name in ("a/b", "a\u2215b", "..", "."):
        make(owner, name, [photo])
    shown = ["a\u2215b/", "a\u2215b (2)/", "\u2024\u2024/", "\u2024/"]
    assert dav.names("/albums/") == sorted(shown)
    for name in shown:
        assert dav.names("/albums/" + name) == ["a.jpg"], name
    assert status(dav, "DELETE", "/albums/a\u2215b/") == 204
    assert sorted(contents(owner)) == [".", "..", "a\u2215b"]


def test_two_files_of_one_name_in_one_album_are_numbered(owner, dav):
    photos = [owner.put("image.jpg", content) for content in (b"one", b"two")]
    make(owner, "Rome", photos)
    make(owner, "Paris", photos[1:])
    assert dav.names("/albums/Rome/") == ["image (2).jpg", "image.jpg"]
    assert dav.get("/albums/Rome/" + quote("image (2).jpg")) == b"two" and dav.get("/albums/Paris/image.jpg") == b"two"
    dav.put("/albums/Rome/image.jpg", b"three", 204)
    assert dav.get("/albums/Rome/image.jpg") == b"three" and len(dav.names("/albums/Rome/")) == 2
    assert b"two" in [dav.get("/albums/Rome/" + quote(name)) for name in dav.names("/albums/Rome/")]
    assert [photo["id"] for photo in owner.trash()] == [photos[0]["id"]]


def test_a_photo_that_the_vault_has_joins_under_the_name_that_was_sent(owner, dav):
    owner.put("old.jpg", b"content")
    wait_until(lambda: "verifiedAt" in owner.photos()[0])
    assert status(dav, "MKCOL", "/albums/Rome/") == 201
    dav.put("/albums/Rome/new.jpg", b"content", 204)
    assert dav.names("/albums/Rome/") == ["new.jpg"] and contents(owner) == {"Rome": ["old.jpg"]}
    assert status(dav, "DELETE", "/albums/Rome/new.jpg") == 204
    assert dav.names("/albums/Rome/") == [] and owner.names() == ["old.jpg"]


def test_delete_takes_out_of_an_album_and_an_album_that_goes_keeps_its_photos(owner, dav):
    status(dav, "MKCOL", "/albums/Rome/")
    for name in ("a.jpg", "b.jpg"):
        dav.put(f"/albums/Rome/{name}", name.encode())
    assert status(dav, "DELETE", "/albums/Rome/a.jpg") == 204
    assert status(dav, "DELETE", "/albums/Rome/a.jpg") == 404
    assert contents(owner) == {"Rome": ["b.jpg"]} and owner.trash() == [] and dav.get("/inbox/a.jpg") == b"a.jpg"
    assert status(dav, "DELETE", "/albums/Rome/") == 204
    assert contents(owner) == {} and owner.names() == ["a.jpg", "b.jpg"] and owner.trash() == []
    assert dav.names("/inbox/") == ["a.jpg", "b.jpg"] and dav.names("/albums/") == []
    assert status(dav, "DELETE", "/albums/") == 403
    # By its date it goes to the trash.
    (year,) = dav.names("/by-date/")
    (month,) = dav.names(f"/by-date/{year}")
    assert status(dav, "DELETE", f"/by-date/{year}{month}b.jpg") == 204
    assert [photo["name"] for photo in owner.trash()] == ["b.jpg"]


def test_an_edited_photo_stays_in_all_its_albums(owner, dav):
    for album in ("Rome", "Paris"):
        status(dav, "MKCOL", f"/albums/{album}/")
    dav.put("/albums/Rome/a.jpg", b"first")
    make(owner, "Both", owner.photos())
    dav.put("/albums/Rome/a.jpg", b"other", 204)
    assert contents(owner) == {"Rome": ["a.jpg"], "Both": ["a.jpg"], "Paris": []} and dav.names("/albums/Rome/") == ["a.jpg"]
    assert dav.get("/albums/Both/a.jpg") == b"other"
    assert status(dav, "DELETE", "/albums/Rome/a.jpg") == 204
    assert owner.names() == ["a.jpg"] and [photo["size"] for photo in owner.trash()] == [5]


def test_sidecars_stand_beside_their_photos_and_leave_with_them(owner, dav):
    photo = owner.put("a.jpg", b"\xff\xd8\xff\xe0photo")
    owner.put("a.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    make(owner, "Rome", [photo])
    assert dav.names("/albums/Rome/") == ["a.jpg", "a.xmp"]
    assert status(dav, "DELETE", "/albums/Rome/a.xmp") == 403
    assert status(dav, "DELETE", "/albums/Rome/a.jpg") == 204
    assert dav.names("/albums/Rome/") == [] and owner.trash() == []


def test_photos_move_and_are_copied_between_albums(owner, dav):
    for album in ("A", "B"):
        status(dav, "MKCOL", f"/albums/{album}/")
    dav.put("/albums/A/a.jpg", b"a")
    assert status(dav, "COPY", "/albums/A/a.jpg", "/albums/B/a.jpg") == 201
    assert contents(owner) == {"A": ["a.jpg"], "B": ["a.jpg"]} and len(owner.photos()) == 1
    assert status(dav, "DELETE", "/albums/B/a.jpg") == 204
    assert status(dav, "MOVE", "/albums/A/a.jpg", "/albums/B/b.jpg") == 201
    assert contents(owner) == {"A": [], "B": ["b.jpg"]} and owner.names() == ["b.jpg"]
    assert dav.names("/albums/A/") == [] and dav.names("/albums/B/") == ["b.jpg"]
    # What stands at the destination is replaced.
    dav.put("/albums/B/c.jpg", b"c")
    assert status(dav, "MOVE", "/albums/B/b.jpg", "/albums/B/c.jpg", Overwrite="F") == 412
    assert status(dav, "MOVE", "/albums/B/b.jpg", "/albums/B/c.jpg") == 204
    assert dav.get("/albums/B/c.jpg") == b"a" and [photo["size"] for photo in owner.trash()] == [1]
    assert len(owner.photos()) == 1 and dav.names("/albums/B/") == ["c.jpg"]
    assert contents(owner)["B"] == ["c.jpg"]
    assert status(dav, "MOVE", "/albums/B/c.jpg", "/albums/none/c.jpg") == 409
    assert status(dav, "MOVE", "/albums/B/c.jpg", "/by-date/c.jpg") == 403


def test_a_copy_in_the_same_album_is_the_same_photo_and_goes_by_itself(owner, dav):
    make(owner, "A", [owner.put("a.jpg", b"a")])
    make(owner, "B")
    assert status(dav, "COPY", "/albums/A/a.jpg", "/albums/A/b.jpg") == 201
    assert dav.names("/albums/A/") == ["a.jpg", "b.jpg"] and contents(owner)["A"] == ["a.jpg"]
    assert status(dav, "DELETE", "/albums/A/b.jpg") == 204
    assert dav.names("/albums/A/") == ["a.jpg"] and contents(owner)["A"] == ["a.jpg"]
    assert status(dav, "COPY", "/albums/A/a.jpg", "/albums/A/b.jpg") == 201
    assert status(dav, "MOVE", "/albums/A/b.jpg", "/albums/B/b.jpg") == 201
    assert dav.names("/albums/A/") == ["a.jpg"] and dav.names("/albums/B/") == ["b.jpg"]
    assert status(dav, "DELETE", "/albums/A/a.jpg") == 204
    assert contents(owner) == {"A": [], "B": ["a.jpg"]} and owner.trash() == []


def test_another_client_sees_what_has_moved(restartable_vault):
    owner = restartable_vault()
    dav = Dav(owner.daemon, owner.password)
    photo = owner.put("a.jpg", b"a")
    make(owner, "A", [photo])
    make(owner, "B")
    assert status(dav, "MOVE", "/albums/A/a.jpg", "/albums/B/c.jpg") == 201
    assert contents(owner) == {"A": [], "B": ["c.jpg"]}
    owner.daemon.kill9()
    owner.daemon.start()
    assert dav.names("/albums/A/") == [] and dav.names("/albums/B/") == ["c.jpg"] and dav.get("/albums/B/c.jpg") == b"a"


def test_photos_come_from_the_inbox_and_by_their_date_into_an_album(owner, dav):
    status(dav, "MKCOL", "/albums/Rome/")
    for number, name in enumerate(("moved.jpg", "copied.jpg")):
        dav.put(f"/inbox/{name}", name.encode(), X_OC_Mtime=str(1_556_877_600 + number))
    owner.put("old.jpg", b"old", params={"modified": "2019-05-03T10:00:00Z"})
    assert status(dav, "MOVE", "/inbox/moved.jpg", "/albums/Rome/moved.jpg") == 201
    assert status(dav, "COPY", "/inbox/copied.jpg", "/albums/Rome/copied.jpg") == 201
    assert dav.names("/inbox/") == ["copied.jpg", "old.jpg"]
    assert status(dav, "MOVE", "/by-date/2019/2019-05/old.jpg", "/albums/Rome/old.jpg") == 201
    assert contents(owner) == {"Rome": ["copied.jpg", "moved.jpg", "old.jpg"]}
    # Its month is no place that anything can leave.
    assert dav.names("/by-date/2019/2019-05/") == ["copied.jpg", "moved.jpg", "old.jpg"]
    assert status(dav, "MOVE", "/albums/Rome/moved.jpg", "/inbox/back.jpg") == 201
    assert contents(owner) == {"Rome": ["copied.jpg", "old.jpg"]} and dav.get("/inbox/back.jpg") == b"moved.jpg"
    assert len(owner.photos()) == 3 and owner.trash() == []


def test_an_album_is_renamed_copied_and_replaced(owner, dav):
    status(dav, "MKCOL", "/albums/New folder/")
    assert status(dav, "MOVE", "/albums/New folder/", "/albums/Rome/") == 201
    dav.put("/albums/Rome/a.jpg", b"a")
    assert status(dav, "MOVE", "/albums/Rome", "/albums/ROME") == 201
    assert contents(owner) == {"ROME": ["a.jpg"]} and dav.names("/albums/") == ["ROME/"]
    assert status(dav, "MOVE", "/albums/ROME", "/albums/ROME") == 403
    assert status(dav, "COPY", "/albums/ROME/", "/albums/Copy/") == 201
    assert status(dav, "COPY", "/albums/ROME/", "/albums/Alone/", Depth="0") == 201
    assert contents(owner) == {"ROME": ["a.jpg"], "Copy": ["a.jpg"], "Alone": []}
    assert status(dav, "MOVE", "/albums/Alone", "/albums/copy", Overwrite="F") == 412
    assert status(dav, "MOVE", "/albums/Alone", "/albums/copy") == 204
    assert contents(owner) == {"ROME": ["a.jpg"], "copy": []} and dav.names("/albums/copy/") == []
    for place in ("/inbox/x", "/albums/copy/x", "/by-date/x", "/x"):
        assert status(dav, "MOVE", "/albums/ROME", place) == 403, place
    assert status(dav, "MOVE", "/albums/", "/inbox/albums/") == 403
    assert len(owner.photos()) == 1 and owner.trash() == []


def test_properties_and_locks_are_kept_in_albums_as_elsewhere(owner, dav):
    status(dav, "MKCOL", "/albums/Rome/")
    dav.put("/albums/Rome/a.jpg", b"a")
    times = '<Z:Win32LastModifiedTime xmlns:Z="urn:schemas-microsoft-com:">Fri, 03 May 2019 10:00:00 GMT</Z:Win32LastModifiedTime>'
    assert b"200 OK" in dav.request("PROPPATCH", "/albums/Rome/a.jpg", proppatch(times)).content
    assert owner.photos()[0]["modifiedAt"] == "2019-05-03T10:00:00Z"
    assert b"200 OK" in dav.request("PROPPATCH", "/albums/Rome/", proppatch('<a xmlns="urn:x">1</a>')).content
    locked = dav.request("LOCK", "/albums/Rome/", LOCK_BODY)
    token = locked.headers["Lock-Token"]
    dav.put("/albums/Rome/b.jpg", b"b", 423)
    assert status(dav, "MOVE", "/albums/Rome/", "/albums/Paris/") == 423
    assert status(dav, "MOVE", "/albums/Rome/", "/albums/Paris/", If=f"(<{token.strip('<>')}>)") == 201
    (found,) = dav.propfind("/albums/Paris/", "0").values()
    assert found.find(".//{urn:x}a").text == "1"
    dav.put("/albums/Paris/._b.jpg", b"x")
    dav.put("/albums/Paris/c.jpg", b"")
    assert dav.names("/albums/Paris/") == ["._b.jpg", "a.jpg", "c.jpg"] and contents(owner) == {"Paris": ["a.jpg"]}
    dav.put("/albums/Paris/c.jpg", b"c")
    assert contents(owner) == {"Paris": ["a.jpg", "c.jpg"]}


def test_folders_of_the_inbox_name_the_albums_of_what_is_put_there(owner, dav):
    for folder in ("/inbox/Holiday 2024/", "/inbox/Holiday 2024/Rome/"):
        assert status(dav, "MKCOL", folder) == 201
    dav.put("/inbox/Holiday 2024/Rome/a.jpg", b"a")
    dav.put("/inbox/Holiday 2024/b.jpg", b"b")
    dav.put("/inbox/c.jpg", b"c")
    dav.put("/by-date/d.jpg", b"d")
    # A page that sends folders calls them so, too.
    assert contents(owner) == {"Holiday 2024 / Rome": ["a.jpg"], "Holiday 2024": ["b.jpg"]}
    assert status(dav, "MOVE", "/inbox/c.jpg", "/inbox/Holiday 2024/c.jpg") == 201
    assert status(dav, "MOVE", "/inbox/Holiday 2024/b.jpg", "/inbox/b.jpg") == 201
    assert contents(owner)["Holiday 2024"] == ["c.jpg"]
    assert status(dav, "MOVE", "/inbox/Holiday 2024/", "/inbox/Italy/") == 201
    names = {name: photos for name, photos in contents(owner).items() if photos}
    assert names == {"Italy": ["c.jpg"], "Italy / Rome": ["a.jpg"]}
    # Albums are flat, and one that is made of a folder is one of it alone.
    assert status(dav, "MOVE", "/inbox/Italy/", "/albums/Italy 2/") == 403
    assert status(dav, "MOVE", "/inbox/Italy/Rome/", "/albums/Rome/") == 201
    assert contents(owner)["Rome"] == ["a.jpg"] and contents(owner)["Italy / Rome"] == []
    assert dav.names("/albums/Rome/") == ["a.jpg"] and not dav.exists("/inbox/Italy/Rome/")
    assert len(owner.photos()) == 4 and owner.trash() == []


def test_two_vaults_see_nothing_of_each_others_albums(vault, owner, dav):
    other_owner = vault()
    other = Dav(other_owner.daemon, other_owner.password)
    status(dav, "MKCOL", "/albums/Rome/")
    dav.put("/albums/Rome/a.jpg", b"a")
    assert other.names("/albums/") == [] and status(other, "GET", "/albums/Rome/a.jpg") == 404
    other.put("/albums/Rome/a.jpg", b"x", 409)
    for method in ("DELETE", "MOVE", "COPY"):
        assert status(other, method, "/albums/Rome/", "/albums/x/") == 404
        assert status(other, method, "/albums/Rome/a.jpg", "/inbox/a.jpg") == 404
    assert status(other, "MKCOL", "/albums/Rome/") == 201
    other.put("/albums/Rome/a.jpg", b"other")
    assert dav.get("/albums/Rome/a.jpg") == b"a" and other.get("/albums/Rome/a.jpg") == b"other"
    assert contents(owner) == {"Rome": ["a.jpg"]} and len(other_owner.photos()) == 1


@pytest.mark.nightly("sizes")
def test_many_photos_of_an_album_are_listed_in_constant_memory(daemon, owner, dav, counted):
    count = counted(1_000, 50_000)
    for part in range(count // 3_000 or 1):
        form = b"".join(
            b'--b\r\nContent-Disposition: form-data; name="photos"; filename="image %d.jpg"\r\n\r\n%d %d\r\n'
            % (part // 2, part, number)
            for number in range(min(count, 3_000))
        )
        headers = {"Content-Type": "multipart/form-data; boundary=b"}
        answer = dav.http.post(
            f"{daemon.url}/api/photos?album=Rome", data=form + b"--b--\r\n", headers=headers, timeout=600
        )
        assert answer.status_code == 201, answer.text[:500]
    assert dav.names("/albums/") == ["Rome/"]
    dav.exists("/albums/Rome/none.jpg")
    daemon.forget_peak()
    before = daemon.status("VmRSS")
    names = dav.names("/albums/Rome/")
    assert len(set(names)) == len(names) >= count * 9 // 10
    assert daemon.status("VmHWM") - before < counted(16, 48) << 20
    assert dav.exists("/albums/Rome/" + quote(names[len(names) // 2]))


# -- Programs that others wrote

# Albums are flat, and litmus makes folders within the one that it makes for itself.
LITMUS_EXCEPTIONS = {
    "http": set(),
    "basic": {"delete_fragment", "mkcol", "mkcol_again", "delete_coll"},
    "copymove": {"copy_init", "copy_simple", "copy_overwrite", "copy_nodestcoll", "copy_coll", "copy_shallow", "move", "move_coll"},
    "props": set(),
    "locks": {"prep_collection", "lock_collection", "owner_modify", "notowner_modify", "refresh", "indirect_refresh", "unlock"},
}  # fmt: skip


@pytest.mark.nightly("programs")
@needs("litmus")
@pytest.mark.parametrize("suite", LITMUS_EXCEPTIONS)
def test_litmus_finds_what_is_said_of_albums(dav, tmp_path, suite):
    results, told = litmus(f"{dav.daemon.url}/dav/albums/", suite, tmp_path, dav.password)
    assert {name for name, result in results if result in ("FAIL", "SKIPPED")} == LITMUS_EXCEPTIONS[suite], told


@pytest.mark.nightly("programs")
@needs("rclone")
def test_rclone_copies_folders_into_albums_and_back(daemon, owner, tmp_path, seeded):
    folder = tmp_path / "albums"
    digests = camera(folder, 60, seeded, "Album é {}", 5_000)
    for arguments in (
        ("copy", folder, "safe:albums"), ("check", folder, "safe:albums"), ("copy", "safe:albums", tmp_path / "back"),
    ):  # fmt: skip
        command, environment = rclone(daemon, *map(str, arguments))
        code, told = run(*command, environment=environment)
        assert code == 0, told
    assert {name: len(photos) for name, photos in contents(owner).items()} == {f"Album é {n}": 15 for n in range(4)}
    assert digests_in(tmp_path / "back") == digests
    command, environment = rclone(daemon, "moveto", "safe:albums/Album é 0", "safe:albums/Rome")
    code, told = run(*command, environment=environment)
    assert code == 0, told
    command, environment = rclone(daemon, "purge", "safe:albums/Album é 1")
    code, told = run(*command, environment=environment)
    assert code == 0, told
    assert {name: len(photos) for name, photos in contents(owner).items()} == {
        "Rome": 15,
        "Album é 2": 15,
        "Album é 3": 15,
    }
    assert len(owner.photos()) == 60 and owner.trash() == []


@pytest.mark.nightly("programs")
@needs("cadaver")
def test_cadaver_makes_fills_and_renames_an_album(daemon, owner, tmp_path):
    (tmp_path / "a b.jpg").write_bytes(b"cadaver")
    (tmp_path / ".netrc").write_text(f'machine 127.0.0.1 login x password "{PASSWORD}"\n')
    commands = (
        'cd albums\nmkcol Trip\nls\ncd Trip\nput "a b.jpg"\nmove "a b.jpg" c.jpg\nls\ncd ..\nmove Trip Rome\nls\nquit\n'
    )
    _, told = run("cadaver", f"{daemon.url}/dav/", folder=tmp_path, input=commands, environment={"HOME": str(tmp_path)})
    assert "c.jpg" in told and contents(owner) == {"Rome": ["c.jpg"]}, told


@needs("curl")
def test_curl_puts_into_an_album(owner, tmp_path):
    (tmp_path / "IMG 1.jpg").write_bytes(os.urandom(200_000))
    make(owner, "Rome")
    code, told = run(
        "curl", "-sSf", "-u", f"x:{owner.password}", "-T", "IMG 1.jpg", f"{owner.origin}/dav/albums/rome/", folder=tmp_path
    )
    assert code == 0, told
    assert contents(owner) == {"Rome": ["IMG 1.jpg"]}
