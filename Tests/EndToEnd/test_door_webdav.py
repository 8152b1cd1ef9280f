"""A door's code as the password of WebDAV: it sends, and may do nothing else."""

import signal
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from albums import albums, names_in
from client import code_of, sha256, wait_until
from dav import LOCK_BODY, Dav, camera, mounted, needs, proppatch, rclone, require_camera, run, value
from giving import make_door
from test_metrics import metrics
from test_metrics import value as figure


@pytest.fixture
def door(owner):
    """One of a vault that is locked."""
    door = make_door(owner)
    owner.lock()
    return door


@pytest.fixture
def dav(owner, door):
    return Dav(owner.daemon, door["code"])


def test_the_inbox_is_all_there_is_and_shows_what_the_code_sent(owner, dav):
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


def test_it_opens_nothing_and_deletes_nothing(owner, dav):
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
    # What was sent there last is told, and nothing was replaced.
    sizes = {path.rpartition("/")[2]: value(found, "getcontentlength") for path, found in dav.propfind("/inbox/", "1").items()}
    assert sizes["a.jpg"] == "5" and sizes["a (2).jpg"] == "1"
    dav.request("DELETE", "/inbox/a.jpg")
    assert sorted(dav.names("/inbox/")) == ["Folder/", "a (2).jpg", "a.jpg", "b.jpg"]
    assert dav.names("/inbox/Folder/") == ["c.jpg"]
    owner.open()
    wait_until(lambda: len(owner.photos()) == 4)


def test_what_phones_and_file_managers_need_to_send_they_may(owner, door, dav):
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


def test_locks_by_the_code_are_listed_to_nobody_and_hold_for_whoever_has_them(owner, door, dav):
    dav.put("/inbox/a.jpg", b"a")
    locked = dav.request("LOCK", "/inbox/", LOCK_BODY, Depth="infinity")
    token = locked.headers["Lock-Token"]
    assert token.strip("<>") in locked.text
    for row in dav.propfind("/inbox/").values():
        assert not list(row.iter("{DAV:}activelock"))
    assert dav.request("LOCK", "/inbox/", If=f"({token})").status_code == 200
    assert dav.request("UNLOCK", "/inbox/", Lock_Token=token).status_code == 204


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


def test_what_an_open_vault_takes_goes_on_standing_where_it_was_sent_to(owner):
    daemon = owner.daemon
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


def test_what_no_file_can_be_called_stands_by_the_same_name_once_the_vault_has_taken_it(daemon, owner, door, dav):
    for name in ("a%2Fb.jpg", "a%0Db.jpg"):
        dav.put(f"/inbox/{name}", name.encode())
    former = dav.names("/inbox/")
    # Who sent it is known by its name alone.
    daemon.restart()
    assert dav.names("/inbox/") == former
    owner.open()
    wait_until(lambda: len(owner.names()) == 2)
    assert dav.names("/inbox/") == former and dav.exists("/inbox/a%2Fb.jpg") and dav.exists("/inbox/a%0Db.jpg")


def lock(dav, path, **fields):
    answer = dav.request("LOCK", path, LOCK_BODY, **fields)
    assert answer.status_code in (200, 201), answer.text
    return answer.headers["Lock-Token"]


def test_whoever_has_the_code_keeps_nobody_else_who_has_it_from_sending_by_locks(owner, door):
    phone, other = Dav(owner.daemon, door["code"]), Dav(owner.daemon, door["code"], source="127.0.0.2")
    phone.request("MKCOL", "/inbox/Camera/")
    lock(other, "/inbox/", Depth="infinity")
    lock(other, "/inbox/Camera/b.jpg")
    phone.put("/inbox/Camera/.a.tmp", b"a")
    assert phone.request("MOVE", "/inbox/Camera/.a.tmp", Destination="/dav/inbox/Camera/a.jpg").status_code == 201
    # Programs that write with a lock alone get theirs beside it, however many there are.
    token = lock(phone, "/inbox/Camera/b.jpg")
    phone.put("/inbox/Camera/b.jpg", b"", 204, If=f"({token})")
    for number in range(600):
        lock(other, f"/inbox/{number % 8}.jpg")
    phone.put("/inbox/Camera/b.jpg", b"b", If=f"({token})")
    phone.put("/inbox/Camera/c.jpg", b"c", 412, If="(<urn:uuid:no> [\"tag\"])")
    owner.open()
    wait_until(lambda: owner.names() == ["a.jpg", "b.jpg"])


def test_whoever_has_the_code_makes_no_folders_impossible_for_others(owner, door):
    phone, other = Dav(owner.daemon, door["code"]), Dav(owner.daemon, door["code"], source="127.0.0.2")
    phone.put("/inbox/Camera/a.jpg", b"a")
    depth = "/".join("x" * 25)
    for number in range(210):
        other.put(f"/inbox/{number}/{depth}/empty", b"")
    note = "<Z:note xmlns:Z='urn:z:'>{}</Z:note>"
    for number in range(30):
        other.request("PROPPATCH", f"/inbox/{number}/", proppatch(note.format("x" * 50_000)))
    assert phone.names("/inbox/Camera/") == ["a.jpg"]
    phone.put("/inbox/Trip/b.jpg", b"b")
    assert phone.request("MKCOL", "/inbox/Home/").status_code == 201
    assert b"200 OK" in phone.request("PROPPATCH", "/inbox/Trip/", proppatch(note.format("mine"))).content
    assert phone.names("/inbox/Trip/") == ["b.jpg"]


def test_two_devices_with_one_code_are_strangers(daemon, owner, door):
    phone, other = Dav(daemon, door["code"]), Dav(daemon, door["code"], source="127.0.0.2")
    time = '<D:getlastmodified xmlns:D="DAV:">Fri, 03 May 2019 10:00:00 GMT</D:getlastmodified>'
    phone.request("MKCOL", "/inbox/Camera/")
    phone.put("/inbox/Camera/.a.tmp", b"a")
    phone.put("/inbox/b.jpg", b"b")

    def see_nothing():
        assert other.names("/inbox/") == []
        for path in ("Camera/.a.tmp", "Camera/", "b.jpg"):
            for method in ("HEAD", "PROPFIND", "DELETE"):
                assert other.request(method, f"/inbox/{path}", Depth="0").status_code == 404, (method, path)
            assert other.request("MOVE", f"/inbox/{path}", Destination="/dav/inbox/x.jpg").status_code == 404
            assert other.request("PROPPATCH", f"/inbox/{path}", proppatch(time)).status_code == 404

    see_nothing()
    # What the other calls the same stands beside it, and neither is replaced.
    other.put("/inbox/b.jpg", b"other")
    assert other.request("MOVE", "/inbox/b.jpg", Destination="/dav/inbox/c.jpg").status_code == 201
    daemon.kill9()
    daemon.start()
    assert other.names("/inbox/") == ["c.jpg"] and phone.names("/inbox/") == [".a.tmp", "b.jpg"]
    assert phone.request("MOVE", "/inbox/.a.tmp", Destination="/dav/inbox/a.jpg").status_code == 201
    owner.open()
    wait_until(lambda: owner.names() == ["a.jpg", "b.jpg", "c.jpg"])
    assert owner.digests() == {"a.jpg": sha256(b"a"), "b.jpg": sha256(b"b"), "c.jpg": sha256(b"other")}
    # What the vault has taken goes on standing for the device that sent it, and for no other.
    wait_until(lambda: phone.names("/inbox/") == ["a.jpg", "b.jpg"])
    assert other.names("/inbox/") == ["c.jpg"]


def test_what_is_sent_without_a_pause_is_in_the_open_vault_meanwhile(daemon, owner, door):
    phone, more = Dav(daemon, door["code"]), threading.Event()

    def slowly():
        while not more.wait(0.2):
            yield b"slow" * 5_000

    phone.request("MKCOL", "/inbox/Camera/")
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(Dav(daemon, door["code"]).put, "/inbox/Camera/slow.jpg", slowly())
        try:
            wait_until(lambda: figure(metrics(daemon), "safelight_uploads_in_flight") == 1)
            # What came while the vault was locked, and what comes while it is open.
            phone.put("/inbox/Camera/.1.tmp", b"1")
            assert phone.request("MOVE", "/inbox/Camera/.1.tmp", Destination="/dav/inbox/Camera/1.jpg").status_code == 201
            owner.open()
            wait_until(lambda: owner.names() == ["1.jpg"])
            phone.put("/inbox/Camera/2.jpg", b"2")
            phone.put("/inbox/3.jpg", b"3")
            wait_until(lambda: owner.names() == ["1.jpg", "2.jpg", "3.jpg"])
            assert phone.names("/inbox/Camera/") == ["1.jpg", "2.jpg"] and phone.names("/inbox/") == ["3.jpg", "Camera/"]
            wait_until(lambda: all("verifiedAt" in photo for photo in owner.photos()))
            phone.put("/inbox/Camera/2.jpg", b"other")
        finally:
            more.set()
        sending.result()
    names = ["1.jpg", "2.jpg", "2.jpg", "3.jpg", "slow.jpg"]
    wait_until(lambda: owner.names() == names)
    (album,) = albums(owner)
    assert album["count"] == 5 and len(daemon.object_files()) == 5
    (news,) = owner.request("GET", "/api/doors/news").json()["news"]
    assert news["count"] == 5
    daemon.restart()
    assert owner.open().names() == names and owner.digests()["1.jpg"] == sha256(b"1")


def test_two_codes_see_nothing_of_each_other(owner, dav):
    other_door = make_door(owner.open(), "Other")
    owner.lock()
    other = Dav(owner.daemon, other_door["code"])
    dav.put("/inbox/a.jpg", b"a")
    assert other.names("/inbox/") == [] and other.request("HEAD", "/inbox/a.jpg").status_code == 404


def require_all_once(daemon, owner, door, digests, *, with_times=True):
    assert len(daemon.object_files()) == len(digests)
    owner.open()
    wait_until(lambda: len(owner.photos()) == len(digests))
    if with_times:
        require_camera(owner, digests)
    assert owner.digests() == {path.name: digest for path, digest in digests.items()}
    (album,) = albums(owner)
    assert album["name"] == door["name"] and album["count"] == len(digests)


@pytest.mark.nightly("programs")
@needs("rclone")
def test_rclone_sends_by_a_code_is_killed_and_the_host_restarted(daemon, owner, door, tmp_path, seeded, counted):
    count = counted(80, 1_000)
    digests = camera(tmp_path / "camera", count, seeded)
    words = ["copy", str(tmp_path / "camera"), "safe:inbox/camera"]
    for part in (1, 2, 3):
        command, environment = rclone(daemon, *words, "--bwlimit", counted("800k", "2M"), "--retries", "1", password=door["code"])
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


@pytest.mark.nightly("programs")
@needs("mount.davfs")
@needs("rsync")
def test_rsync_sends_over_a_mounted_inbox_by_a_code(daemon, owner, door, tmp_path, seeded):
    digests = camera(tmp_path / "camera", 100, seeded)
    for _ in range(2):
        with mounted(daemon, door["code"]) as place:
            # davfs2 sends no times of files, so to rsync all would be others by their times. What it writes anew it reads
            # first, which a code may not: it calls the refusal EINVAL.
            code, told = run("rsync", "-r", "--size-only", "--inplace", f"{tmp_path}/camera/", f"{place}/inbox/", timeout=600)
            assert code == 0, told
    require_all_once(daemon, owner, door, digests, with_times=False)
