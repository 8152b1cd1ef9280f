"""Resumable uploads: each answered offset holds, whoever the client is and whatever ends its connection."""

import base64
import io
import itertools
import re
import signal
import sqlite3
import threading
from contextlib import suppress

import pytest
from cases import first
from client import Browser, code_of, plain_session, sha256, wait_until
from faults import connect, failing_call, needs_root, read_all, reset, tmpfs
from proxy import CuttingProxy
from tus import NonceRecord, ResumableUploaders, Tus, checksum, finish_all
from tusclient.client import TusClient

MIB = 1 << 20


def basic(browser):
    """What a program sends that has the password of that vault."""
    return {"Authorization": "Basic " + base64.b64encode(f":{browser.password}".encode()).decode()}


@pytest.fixture
def tus(vault):
    return Tus(vault())


@pytest.fixture
def restartable_tus(restartable_vault):
    """In a vault of a daemon that the test may stop, start and kill."""
    return Tus(restartable_vault())


@pytest.fixture
def proxy(standing_daemon):
    proxy = CuttingProxy(standing_daemon)
    yield proxy
    proxy.close()


@pytest.fixture(autouse=True)
def no_proxy_of_the_machine(monkeypatch):
    """tuspy would ask the environment for one."""
    monkeypatch.setenv("NO_PROXY", "*")


# -- a client that nobody here wrote


def tuspy(host, content, headers, **options):
    client = TusClient(f"{host}/api/uploads", headers=headers)
    return client.uploader(file_stream=io.BytesIO(content), metadata={"filename": "tuspy.jpg"}, **options)


@pytest.mark.parametrize(
    ("size", "chunk"),
    first(4, [
        (400_000, 16385), (100_000, 1000), (12 * MIB, 5 * MIB), (3 * MIB, None), (400_000, 16383), (400_000, 16384), (512, 1),
    ]),
)  # fmt: skip
def test_tuspy_uploads_in_chunks_of_any_size(vault, seeded, size, chunk):
    browser = vault()
    content = seeded.randbytes(size)
    options = {"chunk_size": chunk} if chunk else {}
    tuspy(browser.origin, content, basic(browser), **options).upload()
    assert browser.digests() == {"tuspy.jpg": sha256(content)}


def test_tuspy_with_a_cookie_and_checksums(vault, seeded):
    browser = vault()
    content = seeded.randbytes(300_000)
    cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in browser.http.cookies)
    headers = {"Cookie": cookies, "Origin": browser.origin}
    tuspy(browser.origin, content, headers, chunk_size=100_000, upload_checksum=True).upload()
    assert browser.digests() == {"tuspy.jpg": sha256(content)}


def test_tuspy_is_cut_at_random_bytes_and_resumes(standing_vault, proxy, seeded, counted):
    browser = standing_vault()
    cuts = counted(14, 100)
    content = seeded.randbytes(400_000 * cuts)
    uploader = tuspy(proxy.url, content, basic(browser), chunk_size=300_000, retries=3, retry_delay=0)
    uploader.set_url(uploader.create_url())
    for number in range(cuts):
        proxy.cut(seeded.randrange(1, 300_000)) if number % 4 else proxy.lose_answer()
        uploader.upload(stop_at=min(uploader.offset + 400_000, len(content)))
    uploader.upload()
    assert proxy.cuts >= cuts
    assert browser.digests() == {"tuspy.jpg": sha256(content)}


def test_a_new_tuspy_goes_on_where_another_stopped(restartable_vault, seeded):
    browser = restartable_vault()
    content = seeded.randbytes(200_000)
    first = tuspy(browser.origin, content, basic(browser), chunk_size=70_000)
    first.upload_chunk()
    browser.daemon.restart()
    second = tuspy(browser.origin, content, basic(browser), url=first.url)
    assert second.offset == 70_000
    second.upload()
    assert browser.open().digests() == {"tuspy.jpg": sha256(content)}


# -- the protocol, answer by answer


def test_options_tell_what_is_offered(standing_daemon):
    daemon = standing_daemon
    answer = plain_session(daemon).options(daemon.url + "/api/uploads")
    limit = plain_session(daemon).get(daemon.url + "/api/hello").json()["limits"]["fileBytes"]
    assert answer.status_code == 204
    assert answer.headers["Tus-Version"] == "1.0.0"
    assert set(answer.headers["Tus-Extension"].split(",")) == {
        "creation", "creation-with-upload", "checksum", "expiration", "termination",
    }  # fmt: skip
    assert answer.headers["Tus-Max-Size"] == str(limit)
    assert answer.headers["Tus-Checksum-Algorithm"] == "sha256,sha1"


def test_an_upload_from_its_creation_to_the_photo(tus, seeded):
    content = seeded.randbytes(100_000)
    created = tus.try_create(len(content), name="照.jpg", filetype="image/jpeg", lastModified="951782400250")
    path = created.headers["Location"]
    assert path.startswith("/api/uploads/")
    assert created.headers["Upload-Expires"].endswith(" GMT")
    shown = tus.head(path)
    assert (shown.status_code, shown.headers["Upload-Offset"], shown.headers["Upload-Length"]) == (200, "0", "100000")
    assert shown.headers["Cache-Control"] == "no-store"
    assert shown.headers["Tus-Resumable"] == "1.0.0"
    assert shown.headers["Upload-Metadata"] == created.request.headers["Upload-Metadata"]
    assert shown.content == b""
    first = tus.patch(path, 0, content[:16_384])
    assert (first.headers["Upload-Offset"], first.headers.get("Safelight-Photo")) == ("16384", None)
    last = tus.patch(path, 16_384, content[16_384:])
    assert last.headers["Upload-Offset"] == "100000"
    photo = tus.browser.request("GET", "/api/photos/" + last.headers["Safelight-Photo"]).json()
    assert (photo["name"], photo["size"], photo["modifiedAt"]) == ("照.jpg", 100_000, "2000-02-29T00:00:00.250Z")
    assert tus.browser.content(photo) == content
    assert tus.head(path).headers["Safelight-Photo"] == photo["id"]


def test_a_small_photo_comes_with_its_creation(tus, seeded):
    content = seeded.randbytes(50_000)
    answer = tus.try_create(len(content), body=content, headers={"Upload-Checksum": checksum(content)})
    assert (answer.status_code, answer.headers["Upload-Offset"]) == (201, "50000")
    assert answer.headers["Safelight-Photo"] == tus.browser.photos()[0]["id"]
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_an_empty_photo_is_finished_at_its_creation(tus):
    answer = tus.try_create(0)
    assert (answer.status_code, answer.headers["Safelight-Photo"]) == (201, tus.browser.photos()[0]["id"])
    assert tus.browser.content(tus.browser.photos()[0]) == b""


def test_a_creation_that_is_repeated_makes_one_photo(restartable_tus, seeded):
    tus = restartable_tus
    content = seeded.randbytes(3 * MIB)
    path = tus.create(len(content), cid="one")
    assert tus.create(len(content), cid="one") == path
    half = tus.try_create(len(content), body=content[:MIB], cid="one")
    assert (half.headers["Location"], half.headers["Upload-Offset"]) == (path, str(MIB))
    # From its beginning again, as a client does that never heard of the first half.
    whole = tus.try_create(len(content), body=content, cid="one")
    assert (whole.status_code, whole.headers["Upload-Offset"]) == (201, str(len(content)))
    tus.browser.daemon.restart()
    tus.browser.open()
    again = tus.try_create(len(content), body=content, cid="one")
    assert (again.status_code, again.headers["Upload-Offset"]) == (201, str(len(content)))
    assert [photo["id"] for photo in tus.browser.photos()] == [again.headers["Safelight-Photo"]]
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}
    assert tus.create(len(content), cid="two") != path


def test_a_chunked_patch_needs_no_length(tus, seeded):
    content = seeded.randbytes(300_000)
    path = tus.create(len(content))
    tus.patch(path, 0, iter([content[:1], content[1:100_000]]))
    tus.patch(path, 100_000, iter([content[100_000:]]))
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_bytes_of_no_named_kind_are_taken_as_generated_clients_send_them(tus, seeded):
    content = seeded.randbytes(1000)
    path = tus.create(1000)
    assert tus.try_patch(path, 0, content, {"Content-Type": "application/octet-stream"}).status_code == 204
    assert list(tus.browser.digests().values()) == [sha256(content)]


def test_requests_that_are_refused_and_change_nothing(tus, seeded):
    content = seeded.randbytes(1000)
    path = tus.create(1000)
    tus.patch(path, 0, content[:400])
    old = tus.try_patch(path, 400, content[400:], {"Tus-Resumable": "0.2.2"})
    assert (old.status_code, old.headers["Tus-Version"], code_of(old)) == (412, "1.0.0", "tus-version")
    assert tus.try_patch(path, 400, content[400:], {"Tus-Resumable": None}).status_code == 412
    for offset in (0, 399, 401, 1000, 10**18):
        wrong = tus.try_patch(path, offset, content[400:])
        assert (wrong.status_code, wrong.headers["Upload-Offset"], code_of(wrong)) == (409, "400", "offset-mismatch")
    for kind in ("image/jpeg", "application/json", None):
        assert tus.try_patch(path, 400, content[400:], {"Content-Type": kind}).status_code == 415
    for field, value in [
        ("Upload-Offset", "-1"), ("Upload-Offset", "+400"), ("Upload-Offset", None), ("Upload-Checksum", "md5 AAAA"),
        ("Upload-Checksum", "sha1 AAAA"),
    ]:  # fmt: skip
        assert tus.try_patch(path, 400, content[400:], {field: value}).status_code == 400, (field, value)
    assert tus.try_patch(path, 400, content).status_code in (400, 413)
    mismatch = tus.try_patch(path, 400, content[400:], {"Upload-Checksum": checksum(b"other")})
    assert (mismatch.status_code, code_of(mismatch)) == (460, "checksum-mismatch")
    assert tus.offset(path) == 400
    tus.patch(path, 400, content[400:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_creations_that_are_refused(tus):
    limit = tus.browser.request("GET", "/api/hello").json()["limits"]["fileBytes"]
    assert code_of(tus.try_create(limit + 1)) == "file-too-large"
    assert tus.try_create(limit + 1).status_code == 413
    for headers in [
        {"Upload-Length": None}, {"Upload-Length": "ten"}, {"Upload-Length": None, "Upload-Defer-Length": "1"},
        {"Upload-Concat": "partial"}, {"Upload-Metadata": "batch YQ==,batch YQ=="},
    ]:  # fmt: skip
        assert tus.try_create(10, headers=headers).status_code == 400, headers
    assert code_of(tus.try_create(10, headers={"Upload-Metadata": "a " + "YWFh" * 1024})) == "metadata-too-long"
    assert tus.try_create(10, body=b"x" * 10, headers={"Content-Type": "image/jpeg"}).status_code == 415
    assert code_of(tus.try_create(10, name="n" * 1025)) == "name-invalid"
    assert tus.try_create(1 << 62).status_code == 413
    assert tus.browser.photos() == []


def test_a_checksum_covers_64_mib_at_most(tus):
    path = tus.create(70 * MIB)
    connection = connect(tus.browser.daemon)
    connection.sendall(tus.patch_head(path, 0, 64 * MIB + 1, "Upload-Checksum: " + checksum(b"")))
    assert read_all(connection).startswith(b"HTTP/1.1 413 ")
    assert tus.offset(path) == 0


def test_both_checksums_and_several_pieces(tus, seeded):
    content = seeded.randbytes(200_000)
    path = tus.create(len(content))
    tus.patch(path, 0, content[:100_000], headers={"Upload-Checksum": checksum(content[:100_000], "sha1")})
    for _ in range(3):
        wrong = {"Upload-Checksum": checksum(content, "sha1")}
        assert tus.try_patch(path, 100_000, content[100_000:], wrong).status_code == 460
        assert tus.offset(path) == 100_000
    tus.patch(path, 100_000, content[100_000:150_000], headers={"Upload-Checksum": checksum(content[100_000:150_000])})
    digest = {"Content-Digest": "sha-512=:AAAA:, sha-256=:" + checksum(content[150_000:]).split()[1] + ":"}
    assert tus.try_patch(path, 150_000, content[150_001:] + b"x", digest).status_code == 400
    digest["Content-Digest"] = digest["Content-Digest"].replace("sha-512=:AAAA:, ", "")
    assert tus.try_patch(path, 150_000, content[150_001:] + b"x", digest).status_code == 460
    assert tus.offset(path) == 150_000
    tus.patch(path, 150_000, content[150_000:], headers=digest)
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_a_terminated_upload_is_gone_with_its_bytes(tus, seeded):
    daemon = tus.browser.daemon
    before = set(daemon.object_files())
    path = tus.create(100_000)
    tus.patch(path, 0, seeded.randbytes(50_000))
    assert tus.delete(path).status_code == 204
    for answer in (tus.head(path), tus.try_patch(path, 50_000, b"x"), tus.delete(path)):
        assert answer.status_code in (404, 410)
    wait_until(lambda: set(daemon.object_files()) <= before)


def test_terminating_a_finished_upload_leaves_its_photo(tus, seeded):
    content = seeded.randbytes(1000)
    path = tus.create(len(content), body=content)
    assert tus.delete(path).status_code in (204, 404, 410)
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_an_upload_belongs_to_its_vault_whatever_the_session(vault, seeded):
    owner = vault()
    tus, daemon = Tus(owner), owner.daemon
    content = seeded.randbytes(3000)
    path = tus.create(len(content))
    tus.patch(path, 0, content[:1000])
    Tus(Browser(daemon).open(owner.password)).patch(path, 1000, content[1000:2000])
    with plain_session(daemon) as program:
        headers = {**basic(owner), "Tus-Resumable": "1.0.0", "Upload-Offset": "2000", "Content-Type": "application/offset+octet-stream"}
        answer = program.patch(daemon.url + path, data=content[2000:2500], headers=headers)
        assert (answer.status_code, answer.headers["Upload-Offset"]) == (204, "2500")
    stranger = Tus(vault())
    assert stranger.head(path).status_code == 404
    assert stranger.try_patch(path, 2500, content[2500:]).status_code == 404
    assert stranger.delete(path).status_code == 404
    nobody = Tus(Browser(daemon))
    assert nobody.head(path).status_code == nobody.try_create(1).status_code == 401
    assert nobody.head(path).headers["Tus-Resumable"] == "1.0.0"
    tus.patch(path, 2500, content[2500:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_another_site_cannot_upload(tus):
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": None, "Origin": "http://elsewhere.example"}):
        assert code_of(tus.try_create(10, headers=headers)) == "cross-site"
        assert code_of(tus.try_patch("/api/uploads/x", 0, b"x", headers=headers)) == "cross-site"


def test_an_unfinished_upload_is_not_listed(restartable_tus, seeded):
    tus = restartable_tus
    tus.patch(tus.create(1000), 0, seeded.randbytes(999))
    assert tus.browser.photos() == []
    tus.browser.daemon.restart()
    assert tus.browser.open().photos() == []


# -- connections that end


def test_what_arrived_before_the_connection_ended_is_kept(tus, seeded):
    content, daemon = seeded.randbytes(500_000), tus.browser.daemon
    before = set(daemon.object_files())
    path = tus.create(len(content))
    tus.patch(path, 0, content[:1000])
    (file,) = set(daemon.object_files()) - before
    for end in (reset, lambda connection: connection.close()):
        offset, stored = tus.offset(path), file.stat().st_size
        connection = connect(daemon)
        connection.sendall(tus.patch_head(path, offset, len(content) - offset) + content[offset : offset + 200_000])
        # Bytes that the kernel has not handed to the host go with a reset; whatever had reached it stays.
        wait_until(lambda stored=stored: file.stat().st_size > stored)
        end(connection)
        assert offset < tus.offset(path) <= offset + 200_000
    offset = tus.offset(path)
    tus.patch(path, offset, content[offset:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_nothing_is_kept_of_a_piece_with_a_checksum_that_was_cut_off(tus, seeded):
    content, daemon = seeded.randbytes(500_000), tus.browser.daemon
    path = tus.create(len(content))
    tus.patch(path, 0, content[:100_000])
    for chunked in (False, True):
        connection = connect(daemon)
        byte_count = None if chunked else 400_000
        fields = ["Upload-Checksum: " + checksum(content[100_000:]), "Expect: 100-continue"]
        connection.sendall(tus.patch_head(path, 100_000, byte_count, *fields))
        # Only what the host has begun with is older than the requests that follow.
        assert b" 100 " in connection.recv(1000)
        piece = content[100_000:400_000]
        connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
        connection.close()
        wait_until(lambda: tus.offset(path) == 100_000)
    tus.patch(path, 100_000, content[100_000:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_the_newest_request_takes_the_upload_over(tus, seeded):
    content, daemon = seeded.randbytes(900_000), tus.browser.daemon
    path = tus.create(len(content))
    stalled = []
    for _ in range(3):
        offset = tus.offset(path)
        connection = connect(daemon)
        connection.sendall(tus.patch_head(path, offset, len(content) - offset, "Expect: 100-continue"))
        assert b" 100 " in connection.recv(1000)
        connection.sendall(content[offset : offset + 200_000])
        stalled.append(connection)
        # As a phone that came back over another network: it asks, and goes on from the answer.
        offset = tus.offset(path)
        tus.patch(path, offset, content[offset : offset + 1])
        offset = tus.offset(path)
    offset = tus.offset(path)
    tus.patch(path, offset, content[offset:])
    for connection in stalled:
        with suppress(OSError):
            connection.sendall(b"late")
        assert not read_all(connection).startswith(b"HTTP/1.1 2")
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_connections_that_break_at_any_byte_leave_nothing_once_terminated(tus, daemon, seeded, counted, is_soak):
    content = seeded.randbytes(200_000)
    before = daemon.open_files()
    rounds = counted(200, 10_000)
    for number in range(rounds):
        if number == rounds // 2:
            resident = daemon.status("VmRSS")
        path = tus.create(len(content))
        message = tus.patch_head(path, 0, len(content), *["Upload-Checksum: " + checksum(content)][number % 2 :]) + content
        connection = connect(daemon)
        connection.sendall(message[: seeded.randrange(len(message) - 1)])
        reset(connection) if number % 3 else connection.close()
        assert tus.delete(path).status_code == 204
    assert tus.browser.photos() == []
    wait_until(lambda: daemon.open_files() <= before + 1)
    wait_until(lambda: daemon.object_files() == [])
    # A few hundred would hide in what threads keep for themselves.
    if is_soak:
        assert daemon.status("VmRSS") - resident < 16 * MIB


# -- locks, restarts, crashes


def test_an_upload_survives_lock_and_restart_between_any_two_pieces(restartable_tus, seeded):
    tus, content = restartable_tus, seeded.randbytes(500_000)
    daemon = tus.browser.daemon
    path = tus.create(len(content), cid="survivor")
    for offset, between in [(0, "lock"), (100_000, "restart"), (200_000, "kill"), (300_000, "lock everywhere")]:
        tus.patch(path, offset, content[offset : offset + 100_000])
        if between == "lock":
            tus.browser.lock()
        elif between == "lock everywhere":
            assert tus.browser.request("DELETE", "/api/sessions").status_code == 200
        elif between == "restart":
            daemon.restart()
        else:
            daemon.kill9()
            daemon.start()
        assert tus.head(path).status_code == 401
        tus.browser.open()
        assert tus.offset(path) == offset + 100_000
    tus.patch(path, 400_000, content[400_000:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_a_lock_closes_a_running_upload_at_an_offset_that_can_be_gone_on_from(tus, seeded):
    content, daemon = seeded.randbytes(2 * MIB), tus.browser.daemon
    before = set(daemon.object_files())
    path = tus.create(len(content))
    tus.patch(path, 0, content[:1000])
    (file,) = set(daemon.object_files()) - before
    connection = connect(daemon)
    connection.sendall(tus.patch_head(path, 1000, len(content) - 1000) + content[1000:MIB])
    # Something has been written of it.
    wait_until(lambda: file.stat().st_size > 100_000)
    tus.browser.lock()
    # The answer may have come, and with it the end.
    with suppress(OSError):
        connection.sendall(content[MIB : MIB + 10])
    assert b" 204 " not in read_all(connection)
    tus.browser.open()
    assert 100_000 < tus.offset(path) <= MIB + 10
    offset = tus.offset(path)
    tus.patch(path, offset, content[offset:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_an_upload_whose_bytes_all_arrived_is_finished_at_the_next_opening_if_not_before(tus, seeded):
    content, daemon = seeded.randbytes(300_000), tus.browser.daemon
    before = set(daemon.object_files())
    path = tus.create(len(content))
    connection = connect(daemon)
    # Every byte, but never the end of the request.
    connection.sendall(tus.patch_head(path, 0, None) + b"%x\r\n%b\r\n" % (len(content), content))
    connection.close()
    # HEAD would take the upload over before the bytes were read: wait for the file.
    wait_until(lambda: sum(file.stat().st_size for file in set(daemon.object_files()) - before) >= len(content))
    tus.browser.lock()
    tus.browser.open()
    wait_until(lambda: tus.browser.digests() == {"photo.jpg": sha256(content)})
    assert tus.head(path).headers["Safelight-Photo"] == tus.browser.photos()[0]["id"]


def test_unfinished_uploads_go_after_their_day_and_give_their_bytes_back(tus, daemon, seeded):
    content = seeded.randbytes(200_000)
    expired, kept = tus.create(len(content)), tus.create(len(content))
    for path in (expired, kept):
        tus.patch(path, 0, content[:100_000])
    daemon.stop()
    ledger = sqlite3.connect(daemon.data / "ledger.sqlite")
    days = sorted(day for (day,) in ledger.execute("SELECT expires_day FROM upload"))
    assert len(days) == 2
    # The rows do not say whose they are: one of the two becomes old.
    ledger.execute("UPDATE upload SET expires_day = 1 WHERE id = (SELECT min(id) FROM upload)")
    ledger.commit()
    ledger.close()
    daemon.start()
    tus.browser.open()
    answers = {path: tus.head(path).status_code for path in (expired, kept)}
    assert sorted(answers.values()) in ([200, 404], [200, 410])
    wait_until(lambda: len(daemon.object_files()) == 1)
    left = next(path for path, status in answers.items() if status == 200)
    tus.patch(left, 100_000, content[100_000:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


def test_kill_9_in_the_middle_of_16_resumable_uploads(start_daemon, tmp_path, seeded, counted):
    nonces = NonceRecord(tmp_path)
    daemon = start_daemon(environment=nonces.environment)
    browser = Browser(daemon).create()
    expected = {}
    for number in range(counted(3, 200)):
        uploaders = ResumableUploaders(browser, seeded, f"round{number}")
        uploaders.wait_for_answers(seeded.randrange(1, 80))
        daemon.kill9()
        uploaders.join()
        daemon.start()
        browser = Browser(daemon).open()
        acknowledged = {upload.path: upload.acknowledged for upload in uploaders.begun if upload.path}
        ours = finish_all(browser, uploaders.begun, acknowledged)
        expected |= ours
        listed = {photo["name"]: photo for photo in browser.photos()}
        for name, digest in ours.items():
            assert sha256(browser.content(listed[name])) == digest, name
        # A creation that was not answered may have become a photo, if its bytes came with it; nothing else may.
        unanswered = {upload.name: sha256(upload.content) for upload in uploaders.begun if not upload.path}
        for name in listed.keys() - expected.keys():
            assert sha256(browser.content(listed[name])) == unanswered[name], name
            expected[name] = unanswered[name]
        nonces.check()
    assert len(expected) > 20
    daemon.restart()
    assert "damage" not in Browser(daemon).open().request("GET", "/api/session").json()
    nonces.check(least=counted(500, 5_000))


def test_a_silent_connection_is_told_at_once_why_its_upload_ended(tus, seeded):
    content, daemon = seeded.randbytes(300_000), tus.browser.daemon
    path = tus.create(len(content))

    def fall_silent():
        offset = tus.offset(path)
        connection = connect(daemon)
        connection.sendall(tus.patch_head(path, offset, len(content) - offset, "Expect: 100-continue"))
        assert b" 100 " in connection.recv(1000)
        connection.sendall(content[offset : offset + 50_000])
        return connection

    for end, status in [
        (lambda: tus.head(path), b"423"), (lambda: tus.patch(path, tus.offset(path), content[:0]), b"423"),
        (tus.browser.lock, b"401"),
    ]:  # fmt: skip
        connection = fall_silent()
        end()
        # Those that have to wait for its patience with silence get no answer.
        assert connection.recv(12) == b"HTTP/1.1 " + status
    tus.browser.open()
    connection = fall_silent()
    tus.delete(path)
    assert connection.recv(12) == b"HTTP/1.1 423"


def test_the_daemon_stops_without_waiting_for_silent_uploads(restartable_tus, seeded):
    tus, content = restartable_tus, seeded.randbytes(300_000)
    daemon = tus.browser.daemon
    path = tus.create(len(content))
    tus.patch(path, 0, content[:50_000])
    connection = connect(daemon)
    connection.sendall(tus.patch_head(path, 50_000, 250_000, "Expect: 100-continue"))
    assert b" 100 " in connection.recv(1000)
    daemon.process.send_signal(signal.SIGTERM)
    assert connection.recv(12) == b"HTTP/1.1 503"
    assert daemon.wait() == 0
    daemon.start()
    tus.browser.open()
    tus.patch(path, 50_000, content[50_000:])
    assert tus.browser.digests() == {"photo.jpg": sha256(content)}


@pytest.mark.nightly("disks")
@needs_root
def test_announcing_takes_no_room_and_bytes_without_room_are_refused_when_they_come(start_daemon, tmp_path, seeded):
    with tmpfs(tmp_path / "small", 264) as folder:
        daemon = start_daemon(data=folder / "data")
        tus = Tus(Browser(daemon).create())
        assert tus.try_create(1 << 30).status_code == 507
        begun, *paths = [tus.create(32 * MIB) for _ in range(16)]
        tus.browser.put("small.jpg", b"small")
        # Each of its own, or the disk would gain room by what turns out to be there already.
        part = lambda: seeded.randbytes(8 * MIB)  # noqa: E731
        tus.patch(begun, 0, part())
        sent = 0
        for path, offset in itertools.product(paths, range(0, 32 * MIB, 8 * MIB)):
            answer = tus.try_patch(path, offset, part())
            if answer.status_code != 204:
                break
            sent += 1
        assert answer.status_code == 507 and sent > 8
        # What was answered before is kept, and goes on as soon as there is room: that of an upload which is thrown away.
        assert tus.offset(path) == offset
        assert tus.delete(begun).status_code == 204
        tus.patch(path, offset, part())
        assert tus.offset(path) == offset + 8 * MIB


@needs_root
def test_sixteen_photos_at_once_share_their_commits(daemon, vault, seeded):
    """Each photo's own bytes are synced by themselves; folder and ledger once for all that are ready."""
    browser = vault()
    counted = []
    # On a busy machine the sixteen may not come at once.
    while not any(0 < sixteen <= 3 * two for two, sixteen in counted):
        assert len(counted) < 8, counted
        counted.append((commits(browser, seeded, 2), commits(browser, seeded, 16)))


def commits(browser, seeded, count):
    """Syncs of folders and of the ledger while as many photos arrive at once."""
    # A sync that takes as long as on a slow disk, so that everything else is ready before the first commit is done.
    with failing_call(browser.daemon, "fsync,fdatasync:delay_exit=200000") as seen:
        threads = [
            threading.Thread(target=browser.put, args=(f"{count}-{n}.jpg", seeded.randbytes(50_000)))
            for n in range(count)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    synced = [found[1] for line in seen if (found := re.search(r"f(?:data)?sync\(\d+<([^>]*)>", line))]
    return sum(not re.search(r"/objects/(#|../)", path) for path in synced)
