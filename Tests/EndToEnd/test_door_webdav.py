"""A door's code as the password of WebDAV: it sends, and may do nothing else."""

import signal
import subprocess

import pytest
from albums import albums, names_in
from client import code_of, wait_until
from dav import LOCK_BODY, Dav, camera, mounted, needs, proppatch, rclone, require_camera, run, value
from giving import make_door


@pytest.fixture
def door(owner):
    """One of a vault that is locked."""
    door = make_door(owner)
    owner.lock()
    return door


@pytest.fixture
def dav(daemon, door):
    return Dav(daemon, door["code"])


def test_the_inbox_is_all_there_is_and_shows_what_the_code_sent(daemon, owner, dav):
    owner.open().put("secret.jpg", b"secret")
    owner.request("POST", "/api/albums", json={"name": "Rome", "ids": []})
    owner.lock()
    assert dav.names("/") == ["inbox/"] and dav.names("/inbox/") == []
    dav.put("/inbox/a.jpg", b"content", X_OC_Mtime="1556877600")
    assert dav.names("/inbox/") == ["a.jpg"]
    (found,) = dav.propfind("/inbox/a.jpg", "0").values()
    assert (
        value(found, "getcontentlength") == "7" and value(found, "getlastmodified") == "Fri, 03 May 2019 10:00:00 GMT"
    )
    assert dav.request("HEAD", "/inbox/a.jpg").headers["Content-Length"] == "7"
    for path in ("/by-date/", "/albums/", "/albums/Rome/", "/by-date/2019/2019-05/a.jpg", "/other", "/a.jpg"):
        for method in ("PROPFIND", "GET", "PUT", "MKCOL", "DELETE", "LOCK", "PROPPATCH", "MOVE"):
            answer = dav.request(method, path, Depth="0", Destination="/dav/inbox/x.jpg")
            assert answer.status_code == 403 and code_of(answer) == "only-sends", (method, path, answer.text)


def test_it_opens_nothing_and_deletes_nothing(daemon, dav):
    dav.put("/inbox/a.jpg", b"a")
    dav.put("/inbox/b.jpg", b"b")
    dav.request("MKCOL", "/inbox/Folder/")
    dav.put("/inbox/Folder/c.jpg", b"c")
    for method, path, fields in (
        ("GET", "/inbox/a.jpg", {}), ("DELETE", "/inbox/a.jpg", {}), ("DELETE", "/inbox/Folder/", {}),
        ("COPY", "/inbox/a.jpg", {"Destination": "/dav/inbox/c.jpg"}), ("MOVE", "/inbox/a.jpg", {"Destination": "/dav/inbox/b.jpg"}),
        ("MOVE", "/inbox/a.jpg", {"Destination": "/dav/albums/a.jpg"}),
    ):  # fmt: skip
        answer = dav.request(method, path, **fields)
        assert answer.status_code == 403 and code_of(answer) == "only-sends", (method, path, answer.text)
    dav.put("/inbox/a.jpg", b"other")
    dav.request("DELETE", "/inbox/a.jpg")
    assert sorted(dav.names("/inbox/")) == ["Folder/", "a (2).jpg", "a.jpg", "b.jpg"]
    assert dav.names("/inbox/Folder/") == ["c.jpg"] and len(daemon.object_files()) == 4


def test_what_phones_and_file_managers_need_to_send_they_may(daemon, owner, door, dav):
    dav.put("/inbox/.a.jpg.tmp", b"a")
    assert dav.request("MOVE", "/inbox/.a.jpg.tmp", Destination="/dav/inbox/a.jpg").status_code == 201
    dav.put("/inbox/b.jpg", b"")
    token = dav.request("LOCK", "/inbox/b.jpg", LOCK_BODY).headers["Lock-Token"]
    dav.put("/inbox/b.jpg", b"b", 201, If=f"({token})")
    times = '<Z:Win32LastModifiedTime xmlns:Z="urn:schemas-microsoft-com:">Fri, 03 May 2019 10:00:00 GMT</Z:Win32LastModifiedTime>'
    assert b"200 OK" in dav.request("PROPPATCH", "/inbox/b.jpg", proppatch(times), If=f"({token})").content
    dav.put("/inbox/._b.jpg", b"x")
    assert dav.request("DELETE", "/inbox/._b.jpg").status_code == 204
    dav.put("/inbox/b.jpg", b"b", 204, If=f"({token})")
    owner.open()
    wait_until(lambda: owner.names() == ["a.jpg", "b.jpg"])
    assert {photo.get("modifiedAt") for photo in owner.photos() if photo["name"] == "b.jpg"} == {"2019-05-03T10:00:00Z"}
    (album,) = albums(owner)
    assert album["name"] == door["name"] and names_in(owner, album["id"]) == ["a.jpg", "b.jpg"]


def test_what_was_sent_is_found_again_after_a_restart_and_not_stored_twice(daemon, dav):
    dav.request("MKCOL", "/inbox/Trip/")
    dav.put("/inbox/Trip/a.jpg", b"a" * 1000)
    daemon.kill9()
    daemon.start()
    assert dav.names("/inbox/") == ["a.jpg"]
    dav.request("MKCOL", "/inbox/Trip/")
    dav.put("/inbox/Trip/a.jpg", b"a" * 1000, 204)
    assert dav.names("/inbox/Trip/") == ["a.jpg"]
    dav.put("/inbox/Trip/a.jpg", b"b" * 1000)
    assert len(daemon.object_files()) == 2


def test_what_an_open_vault_takes_goes_on_standing_where_it_was_sent_to(daemon, owner):
    door, other = make_door(owner), make_door(owner, "Other")
    dav = Dav(daemon, door["code"])
    assert dav.request("MKCOL", "/inbox/Camera/").status_code == 201
    dav.put("/inbox/Camera/.a.tmp", b"first", X_OC_Mtime="1556877600")
    assert dav.request("MOVE", "/inbox/Camera/.a.tmp", Destination="/dav/inbox/Camera/a.jpg").status_code == 201
    wait_until(lambda: owner.names() == ["a.jpg"])
    wait_until(lambda: dav.exists("/inbox/Camera/a.jpg"))
    assert dav.names("/inbox/") == ["Camera/"] and dav.names("/inbox/Camera/") == ["a.jpg"]
    (found,) = dav.propfind("/inbox/Camera/a.jpg", "0").values()
    assert (
        value(found, "getcontentlength") == "5" and value(found, "getlastmodified") == "Fri, 03 May 2019 10:00:00 GMT"
    )
    assert dav.request("HEAD", "/inbox/Camera/a.jpg").headers["Content-Length"] == "5"
    for method, path in (("GET", "a.jpg"), ("DELETE", "a.jpg"), ("DELETE", ""), ("MOVE", "a.jpg")):
        answer = dav.request(method, f"/inbox/Camera/{path}", Destination="/dav/inbox/x.jpg")
        assert answer.status_code == 403 and code_of(answer) == "only-sends", (method, path, answer.text)
    dav.put("/inbox/Camera/a.jpg", b"first", 204)
    dav.put("/inbox/Camera/2026/b.jpg", b"b")
    assert dav.names("/inbox/Camera/") == ["2026/", "a.jpg"] and dav.names("/inbox/Camera/2026/") == ["b.jpg"]
    wait_until(lambda: owner.names() == ["a.jpg", "b.jpg"])
    dav.put("/inbox/Camera/a.jpg", b"other")
    wait_until(lambda: owner.names() == ["a.jpg", "a.jpg", "b.jpg"])
    assert Dav(daemon, other["code"]).names("/inbox/") == []


def test_two_codes_see_nothing_of_each_other(daemon, owner, dav):
    other_door = make_door(owner.open(), "Other")
    owner.lock()
    other = Dav(daemon, other_door["code"])
    dav.put("/inbox/a.jpg", b"a")
    assert other.names("/inbox/") == [] and other.request("HEAD", "/inbox/a.jpg").status_code == 404


def require_all_once(daemon, owner, door, digests):
    assert len(daemon.object_files()) == len(digests)
    owner.open()
    wait_until(lambda: len(owner.photos()) == len(digests))
    require_camera(owner, digests)
    (album,) = albums(owner)
    assert album["name"] == door["name"] and album["count"] == len(digests)


@needs("rclone")
def test_rclone_sends_by_a_code_is_killed_and_the_host_restarted(daemon, owner, door, tmp_path, seeded, counted):
    count = counted(200, 1_000)
    digests = camera(tmp_path / "camera", count, seeded)
    words = ["copy", str(tmp_path / "camera"), "safe:inbox/camera"]
    for part in (1, 2, 3):
        command, environment = rclone(daemon, *words, "--bwlimit", "2M", "--retries", "1", password=door["code"])
        copying = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda part=part: len(daemon.object_files()) >= part * count // 5)
        copying.send_signal(signal.SIGKILL)
        copying.wait()
        if part < 3:
            daemon.kill9()
            daemon.start()
    assert len(daemon.object_files()) < count
    for verb in ("copy", "check"):
        command, environment = rclone(daemon, verb, *words[1:], "--size-only", password=door["code"])
        code, told = run(*command, environment=environment, timeout=600)
        assert code == 0, told
    require_all_once(daemon, owner, door, digests)


@pytest.mark.soak
@needs("mount.davfs")
@needs("rsync")
def test_rsync_sends_over_a_mounted_inbox_by_a_code(daemon, owner, door, tmp_path, seeded):
    digests = camera(tmp_path / "camera", 100, seeded)
    for _ in range(2):
        with mounted(daemon, door["code"]) as place:
            # davfs2 lists no folder with newer kernels, and tells nobody who owns a file.
            code, told = run("rsync", "-rt", "--inplace", f"{tmp_path}/camera/", f"{place}/inbox/", timeout=600)
            assert code == 0, told
    require_all_once(daemon, owner, door, digests)
