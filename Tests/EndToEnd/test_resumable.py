"""Uploads that a phone's system goes on with by itself: the IETF's draft, as URLSession speaks it."""

from contextlib import closing, suppress

import pytest
from client import plain_session, sha256, wait_until
from faults import connect
from giving import basic, make_door
from resumable import PARTIAL, UploadTask, json_of
from test_rights import app_code

MIB = 1 << 20
OFFSET = "https://iana.org/assignments/http-problem-types#mismatching-upload-offset"
LENGTH = "https://iana.org/assignments/http-problem-types#inconsistent-upload-length"


@pytest.fixture
def task(standing_vault, seeded):
    """task(size, **more) → an upload task of a program that has the password of a vault."""

    def make(size=2 * MIB, **more):
        owner = standing_vault()
        task = UploadTask(owner.daemon, seeded.randbytes(size), basic(owner.password), **more)
        task.owner = owner
        return task

    return make


def written(daemon):
    """Bytes of sealed files."""
    count = 0
    for path in daemon.object_files():
        # One that is gone meanwhile.
        with suppress(FileNotFoundError):
            count += path.stat().st_size
    return count


@pytest.mark.parametrize("version", range(3, 10))
def test_an_upload_task_is_cut_and_goes_on_in_every_iteration(task, version):
    task = task(version=version)
    task.send_cut(MIB)
    assert task.location.startswith("/api/uploads/")
    # As the iteration writes it.
    limits = {6: "expires=", 7: "max-age=", 8: "max-age=", 9: "max-age="}
    assert task.limit is None if version < 6 else limits[version] in task.limit
    status = task.status()
    assert task.is_complete(status) is False and int(status.fields["upload-offset"]) == MIB
    done = task.resume()
    assert (done.status, task.is_complete(done), json_of(done)["name"]) == (201, True, "holiday.mov")
    assert task.owner.digests() == {"holiday.mov": sha256(task.content)}
    # Whoever lost that answer learns it by asking.
    status = task.status()
    assert task.is_complete(status) and status.fields["safelight-photo"] == json_of(done)["id"]
    assert json_of(task.append(len(task.content), b""))["id"] == json_of(done)["id"]


@pytest.mark.parametrize(("method", "target"), [("POST", "/api/photos?name=holiday.mov"), ("POST", "/api/uploads?name=holiday.mov")])
def test_the_last_part_is_answered_as_the_whole_file_would_have_been(task, method, target):
    task = task(method=method, target=target)
    task.send_cut(MIB)
    by_parts = json_of(task.resume())
    # By then the same content is known as the same photo.
    wait_until(lambda: "verifiedAt" in task.owner.photos()[0])
    whole = json_of(task.send())
    assert ("photos" in whole) == ("photos" in by_parts) == target.startswith("/api/photos")
    parted, sent = (one.get("photos", [one])[0] for one in (by_parts, whole))
    assert parted["id"] == sent["id"] and sent["duplicate"] is True
    assert task.owner.digests() == {"holiday.mov": sha256(task.content)}


def test_a_file_that_comes_in_one_piece_is_answered_as_ever_and_its_address_told_before(task):
    task = task()
    connection, _ = task.begin()
    with closing(connection):
        connection.sendall(task.content)
        done = task.read(connection)[-1]
    other = task.owner.put("another.mov", b"another")
    assert (done.status, task.is_complete(done)) == (201, True)
    assert json_of(done).keys() - {"duplicate"} == other.keys() - {"duplicate"}
    assert task.owner.digests()["holiday.mov"] == sha256(task.content)


def test_a_small_file_is_an_ordinary_upload(task):
    task = task(size=MIB - 1)
    with closing(connect(task.daemon)) as connection:
        connection.sendall(task.creation(Expect="100-continue"))
        # The address would come before the leave to send.
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")
        connection.sendall(task.content)
        assert task.read(connection)[-1].status == 201
    assert task.owner.digests() == {"holiday.mov": sha256(task.content)}


@pytest.mark.parametrize("kind", ["app", "door"])
def test_an_app_and_a_door_go_on_as_well(standing_vault, seeded, kind):
    owner = standing_vault()
    secret = app_code(owner) if kind == "app" else make_door(owner)["code"]
    task = UploadTask(owner.daemon, seeded.randbytes(2 * MIB), basic(secret))
    task.send_cut(MIB)
    assert task.resume().status == 201
    wait_until(lambda: owner.digests() == {"holiday.mov": sha256(task.content)})


def test_a_page_goes_on_with_its_cookie(task):
    task = task()
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in task.owner.http.cookies)
    task.fields |= {"Authorization": None, "Cookie": cookies, "Origin": task.daemon.url}
    task.send_cut(MIB)
    assert task.resume().status == 201
    assert task.owner.digests() == {"holiday.mov": sha256(task.content)}


@pytest.mark.parametrize("kind", ["password", "app", "door"])
def test_an_address_that_was_told_outlives_kill_9(restartable_vault, seeded, kind):
    owner = restartable_vault()
    daemon = owner.daemon
    secret = {"password": lambda: owner.password, "app": lambda: app_code(owner), "door": lambda: make_door(owner)["code"]}[kind]()
    # Of a request that never ends, what is kept comes in runs of 64 MiB.
    is_long = kind == "password"
    content = seeded.randbytes(66 * MIB if is_long else 2 * MIB)
    task = UploadTask(daemon, content, basic(secret))
    before = written(daemon)
    connection, _ = task.begin()
    if is_long:
        connection.sendall(content[: 65 * MIB])
        wait_until(lambda: written(daemon) > before + 64 * MIB + MIB // 2)
    daemon.kill9()
    connection.close()
    daemon.start()
    assert task.offset() == (64 * MIB if is_long else 0)
    assert task.resume().status == 201
    owner.open()
    wait_until(lambda: owner.digests() == {"holiday.mov": sha256(content)})


def test_a_careful_client_asks_for_an_address_and_sends_parts(task):
    task = task()
    made = task.ask(
        task.head("POST", "/api/uploads?name=parts.jpg", 0, Upload_Length=str(len(task.content)), **task.complete(False))
    )[-1]
    assert made.status == 201 and task.is_complete(made) is False and "max-size=" in made.fields["upload-limit"]
    task.location = made.fields["location"]
    assert task.offset() == 0
    parts = [(0, 700_000), (700_000, 1_000_001), (1_000_001, len(task.content))]
    for start, end in parts:
        answer = task.append(start, task.content[start:end], end == len(task.content))
        assert answer.status == (201 if end == len(task.content) else 204), answer
        assert int(answer.fields["upload-offset"]) == end
    assert task.owner.digests() == {"parts.jpg": sha256(task.content)}


def test_the_first_part_may_come_with_the_creation(task):
    task = task()
    first = task.ask(
        task.head(
            "PUT", "/api/photos/parts.jpg", 300_000, Upload_Length=str(len(task.content)), **task.complete(False)
        ),
        task.content[:300_000],
    )[-1]
    assert (first.status, first.fields["upload-offset"]) == (201, "300000")
    task.location = first.fields["location"]
    assert task.resume().status == 201
    assert task.owner.digests() == {"parts.jpg": sha256(task.content)}


def test_what_does_not_fit_is_refused_and_nothing_is_lost(task):
    task = task()
    task.send_cut(MIB)
    offset, rest = task.offset(), len(task.content)
    for wrong in (0, offset - 1, offset + 1, rest):
        answer = task.append(wrong, b"other")
        problem = json_of(answer)
        assert (answer.status, problem["type"], answer.fields["upload-offset"]) == (409, OFFSET, str(offset)), wrong
    # Longer than what is missing; another length than was said; an end before the end.
    longer = task.append(offset, task.content[offset:] + b"x")
    other = task.append(offset, task.content[offset:], Upload_Length=str(rest + 1))
    short = task.append(offset, task.content[offset : offset + 10])
    assert [(answer.status, json_of(answer)["type"]) for answer in (longer, other, short)] == [(400, LENGTH)] * 3
    assert task.offset() == offset + 10
    # Not called a part; no offset.
    assert task.append(offset + 10, b"x", Content_Type="image/jpeg").status == 415
    assert task.append(offset + 10, b"x", Upload_Offset=None).status == 400
    assert task.owner.photos() == []
    assert task.resume().status == 201
    # More than the whole.
    done = task.append(rest, b"x")
    assert (done.status, json_of(done)["type"]) == (400, LENGTH)
    assert task.append(0, b"x").status == 409
    assert task.owner.digests() == {"holiday.mov": sha256(task.content)}


def test_what_is_too_large_is_refused_with_the_limit(task):
    task = task()
    limit = task.owner.request("GET", "/api/hello").json()["limits"]["fileBytes"]
    answer = task.ask(task.head("POST", "/api/uploads", 0, Upload_Length=str(limit + 1), **task.complete(False)))[-1]
    assert answer.status == 413 and f"max-size={limit}" in answer.fields["upload-limit"]
    options = task.owner.request("OPTIONS", "/api/uploads")
    assert PARTIAL in options.headers["Accept-Patch"] and f"max-size={limit}" in options.headers["Upload-Limit"]
    # Without a length nobody knows whether there is room.
    assert task.ask(task.head("POST", "/api/uploads", 0, **task.complete(False)))[-1].status == 411


def test_a_cancelled_upload_goes_with_its_bytes(task):
    task = task()
    task.send_cut(MIB)
    assert task.cancel().status == 204
    assert task.status().status == 404
    assert task.owner.photos() == []


def test_an_upload_is_of_its_vault_alone(task, standing_vault):
    task = task()
    task.send_cut(MIB)
    task.fields |= basic(standing_vault().password)
    assert task.status().status == task.append(0, b"x").status == task.cancel().status == 404


@pytest.mark.parametrize("version", [2, 10, "x"])
def test_an_iteration_that_is_not_known_is_an_ordinary_upload(task, version):
    task = task(version=version if version == 10 else 4)
    task.fields["Upload-Draft-Interop-Version"] = str(version)
    told = task.ask(task.head("PUT", task.target, len(task.content), Upload_Complete="?1"), task.content)
    assert [answer.status for answer in told] == [201]
    part = task.ask(task.head("PUT", task.target, 5, Upload_Complete="?0", Upload_Length="50"), b"photo")[-1]
    assert (part.status, json_of(part)["code"]) == (400, "part-of-file")


def test_leave_to_send_comes_behind_the_address(task):
    task = task()
    connection, received = task.begin(Expect="100-continue")
    with closing(connection):
        while b" 100 " not in received:
            received += connection.recv(65536)
        connection.sendall(task.content)
        assert task.read(connection)[-1].status == 201


@pytest.mark.parametrize("kind", ["app", "door"])
def test_what_shortcuts_and_tasker_send_arrives_once(standing_vault, seeded, kind):
    """A form with one file, as docs/clients.md has it; Apple's system adds the fields of its upload tasks."""
    owner = standing_vault()
    secret = app_code(owner) if kind == "app" else make_door(owner)["code"]
    content = seeded.randbytes(2 * MIB)
    with plain_session(owner.daemon) as program:
        program.headers = {}
        for system in ({}, {"Upload-Draft-Interop-Version": "8", "Upload-Complete": "?1"}):
            answer = program.post(
                f"{owner.daemon.url}/api/photos", files={"photos": ("IMG_0001.HEIC", content, "image/heic")},
                headers={**basic(secret), **system},
            )  # fmt: skip
            assert answer.status_code == 201 and [one["name"] for one in answer.json()["photos"]] == ["IMG_0001.HEIC"]
            wait_until(lambda: [bool(photo.get("verifiedAt")) for photo in owner.photos()] == [True])
