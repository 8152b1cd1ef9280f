"""Off-site copies: safelight backup, restore and rehearse with a bucket, on good days of the store and on bad ones."""

import os
import re
import shutil
import signal
import socket
import subprocess
import time

import bucket as stores
import pytest
from bucket import KEYS
from client import PASSWORD, Browser, sha256, wait_until
from daemon import Daemon, binary


@pytest.fixture
def offsite(daemon, bucket, proxy):
    """The daemon's data directory and a bucket behind the proxy."""
    return Offsite(daemon, bucket, proxy)


class Offsite:
    def __init__(self, daemon, bucket, proxy):
        self.daemon = daemon
        self.bucket = bucket
        self.proxy = proxy
        self.place = f"s3://{bucket.name}/the house"
        daemon.environment |= KEYS

    def run(self, command, *more, daemon=None):
        daemon = daemon or self.daemon
        named = {"backup": "--to", "restore": "--from", "rehearse": "--from"}[command]
        data = ["--to", str(daemon.data)] if command == "restore" else ["--data", str(daemon.data)]
        return daemon.run(command, named, self.place, "--endpoint", self.proxy.url, *data, *more)

    def expect(self, command, *more, status=0, daemon=None):
        done = self.run(command, *more, daemon=daemon)
        text = done.stdout.decode() + done.stderr.decode()
        assert done.returncode == status, text
        return text

    def states(self):
        return sorted({name.split("/")[1] for name in self.bucket.names() if "/state-" in name})

    def objects(self):
        return [name for name in self.bucket.names() if "/objects/" in name]

    def restored(self, folder):
        folder.mkdir()
        found = Daemon(folder)
        found.environment |= KEYS
        said = self.expect("restore", daemon=found)
        assert re.search(r"objects?, [0-9.]+ \w+ copied in \d+ seconds?", said) and "Sound." in said, said
        return found


def with_another_end(content):
    return content[:-1] + bytes([content[-1] ^ 1])


def fill(browser, count):
    """name → SHA-256 of what was put."""
    contents = {f"{number}.jpg": b"%d " % number * 5_000 for number in range(count)}
    for name, content in contents.items():
        browser.put(name, content)
    return {name: sha256(content) for name, content in contents.items()}


def test_a_house_that_burns_down_is_restored_from_bucket_and_password_alone(
    offsite, daemon, vault, bucket, proxy, tmp_path, start
):
    browser = vault()
    photos = fill(browser, 12)
    # Beyond one piece of a read.
    browser.put("video.mp4", large := os.urandom(9 << 20))
    photos["video.mp4"] = sha256(large)
    album = browser.request("POST", "/api/albums", json={"name": "Summer"}).json()["id"]
    some = [photo["id"] for photo in browser.photos()][:3]
    assert browser.request("POST", f"/api/albums/{album}/photos", json={"ids": some}).json() == {"count": 3}
    recovery = browser.request("POST", "/api/vault/ways", json={"kind": "recovery", "current": PASSWORD})
    kept = Browser(daemon).open(keep=True)
    assert kept.session()["kept"] is True
    assert "13 objects, 13 new ones" in offsite.expect("backup")
    daemon.kill9()
    shutil.rmtree(daemon.data)

    # On a line that is cut now and then in the middle of a body.
    cuts = proxy.rule(
        stores.cut_answer, lambda request: request.method == "GET" and "/objects/" in request.path, times=3
    )
    again = start(offsite.restored(tmp_path / "elsewhere"))
    assert cuts.met == 3
    # As if it were the same address: cookies go by the port.
    other = Browser(again)
    for cookie in kept.http.cookies:
        other.http.cookies.set(cookie.name.replace(str(daemon.port), str(again.port)), cookie.value)
    assert other.session()["kind"] == "none"
    assert Browser(again).request("POST", "/api/session", json={"recovery": recovery.json()["code"]}).status_code == 200
    browser = Browser(again).open()
    assert browser.digests() == photos
    albums = browser.request("GET", "/api/albums").json()["albums"]
    assert [(album["name"], album["count"]) for album in albums] == [("Summer", 3)]
    assert browser.session().get("damage") is None
    # And by any tool that copies a bucket into a folder.
    bucket.download(tmp_path / "copy")
    for state in (tmp_path / "copy/the house").glob("state-*"):
        done = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=state, capture_output=True)
        assert done.returncode == 0, done.stdout + done.stderr
    done = daemon.run("restore", "--from", str(tmp_path / "copy/the house"), "--to", str(tmp_path / "data"))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly("stores")
def test_a_house_without_a_photo_comes_back_by_any_tool(offsite, vault, daemon, bucket, tmp_path, start):
    vault()
    assert "0 objects" in offsite.expect("backup")
    bucket.download(tmp_path / "copy")
    place = tmp_path / "copy/the house"
    assert not (place / "objects").exists()
    (tmp_path / "again").mkdir()
    again = Daemon(tmp_path / "again", environment=daemon.environment)
    done = daemon.run("restore", "--from", str(place), "--to", str(again.data))
    assert done.returncode == 0, done.stdout + done.stderr
    assert Browser(start(again)).open().photos() == []


def test_a_second_night_costs_few_requests_and_old_states_go(offsite, vault, proxy):
    browser = vault()
    fill(browser, 5)
    offsite.expect("backup")
    gone = browser.photos()[0]
    browser.delete([gone])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    proxy.requests.clear()
    assert "4 objects, 0 new ones, 0 bytes copied, 1 removed" in offsite.expect("backup", "--keep", "1")
    # Half of them read back what was sent.
    assert len(proxy.counted()) <= 60, proxy.counted()
    assert len([request for request in proxy.requests if request.is_list]) <= 2
    assert len(offsite.states()) == 1 and len(offsite.objects()) == 4


@pytest.mark.nightly("stores")
def test_keys_that_may_not_delete_keep_everything_and_that_is_said(offsite, vault, proxy):
    fill(vault(), 3)
    proxy.rule(stores.refuse(403, "AccessDenied"), lambda request: request.method == "DELETE")
    assert "may not delete" not in offsite.expect("backup", "--keep", "1")
    assert "these keys may not delete" in offsite.expect("backup", "--keep", "1")
    assert len(offsite.states()) == 2
    assert "Sound." in offsite.expect("rehearse", "--part", "100%")


def test_what_fails_for_a_while_is_done_again(offsite, vault, proxy):
    fill(vault(), 12)
    is_object = lambda request: request.method == "PUT" and "/objects/" in request.path  # noqa: E731
    rules = [
        proxy.rule(stores.refuse(503, "SlowDown", [("Retry-After", "2")]), times=1),
        proxy.rule(stores.refuse(429), is_object, times=3),
        proxy.rule(stores.refuse(500, "InternalError"), is_object, times=3),
        proxy.rule(stores.cut_request, is_object, times=3),
        # Some have said that all is well before they know it.
        proxy.rule(stores.refuse(200, "InternalError"), is_object, times=3),
        proxy.rule(stores.refuse(200, "SlowDown"), lambda request: request.is_list, times=2),
        proxy.rule(stores.lose_answer, is_object, times=3),
        proxy.rule(stores.cut_answer, lambda request: request.is_list, times=2),
    ]
    began = time.monotonic()
    offsite.expect("backup")
    assert time.monotonic() - began >= 2
    assert [rule.left for rule in rules] == [0] * len(rules)
    assert "fetched 12 of 12 objects" in offsite.expect("rehearse", "--part", "100%")
    assert len(offsite.objects()) == 12


# With what it ends: 75 where nothing has to be changed here.
TO_BE_SET_RIGHT = [
    (stores.clock_off(20), "20 minutes behind", 75),
    (stores.clock_off(-20), "20 minutes ahead", 75),
    (stores.of_region("garage"), "--region garage", 78),
    (stores.refuse(400, "ExpiredToken"), "keys for the bucket have ended", 75),
    (stores.refuse(403, "SignatureDoesNotMatch"), "does not know the keys", 75),
    (stores.refuse(403, "AccessDenied"), "does not allow it", 75),
]


def test_what_has_to_be_set_right_is_named_at_once(offsite, vault, proxy):
    vault()
    for fault, words, status in TO_BE_SET_RIGHT:
        proxy.rule(fault)
        text = offsite.expect("backup", status=status)
        assert words in text and len(proxy.requests) == 1, text
        assert KEYS["AWS_SECRET_ACCESS_KEY"] not in text
        proxy.rules.clear()
        proxy.requests.clear()


def test_a_store_that_does_not_come_back_ends_the_run_as_something_to_try_again(offsite, daemon, vault, proxy):
    fill(vault(), 2)
    proxy.rule(stores.refuse(503, "SlowDown", [("Retry-After", "3600")]), lambda request: request.method == "PUT")
    assert "The backup was not completed" in offsite.expect("backup", status=74)
    daemon.restart()
    check = Browser(daemon).request("GET", "/health").json()["checks"]["offsite:age"]
    assert check == [{"status": "warn", "output": "the last one failed"}]


@pytest.mark.nightly("stores")
def test_a_list_that_is_behind_loses_nothing(offsite, daemon, vault, proxy):
    browser = vault()
    fill(browser, 4)
    offsite.expect("backup")
    (former,) = offsite.states()
    # Of what is hidden now only the former state knows: it must not be forgotten because a list does.
    browser.delete(browser.photos()[:1])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    here = {path.name for path in (daemon.data / "objects").rglob("*")}
    some = {name for name in offsite.objects() if name.split("/")[-1] in here}
    assert len(some) == 3
    proxy.rule(stores.behind(lambda key: former in key or key in some), lambda request: request.is_list)
    offsite.expect("backup")
    assert len(offsite.states()) == 2 and len(offsite.objects()) == 4
    proxy.rules.clear()
    for state in offsite.states():
        assert "Sound." in offsite.expect("rehearse", "--part", "100%", "--state", state.removeprefix("state-"))


def test_a_run_that_is_killed_goes_on_where_it_was(offsite, daemon, vault, proxy):
    fill(vault(), 40)
    rule = proxy.rule(stores.slow(0.2), lambda request: request.method == "PUT" and "/objects/" in request.path)
    process = subprocess.Popen(
        [binary(), "backup", "--data", daemon.data, "--to", offsite.place, "--endpoint", proxy.url],
        env=daemon.variables(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    wait_until(lambda: rule.met >= 20 or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    process.wait()
    brought = len(offsite.objects())
    assert 0 < brought < 40 and not offsite.states()
    proxy.rules.clear()
    proxy.requests.clear()
    assert "40 objects, 40 new ones" in offsite.expect("backup")
    put = [request for request in proxy.requests if request.method == "PUT" and "/objects/" in request.path]
    # The store may have taken some more after the look above.
    assert len(put) <= 40 - brought
    assert "Sound." in offsite.expect("rehearse", "--part", "100%")


@pytest.mark.nightly("stores")
def test_a_request_that_ended_in_its_middle_holds_up_no_other(offsite, vault, proxy):
    vault().put("a.jpg", b"a" * 20_000)
    with socket.create_connection(proxy.server.server_address) as line:
        line.sendall(f"PUT /{offsite.bucket.name}/cut HTTP/1.1\r\nIf-None-Match: *\r\nContent-Length: 9\r\n\r\ncut".encode())
        line.shutdown(socket.SHUT_WR)
        assert line.recv(1) == b""
    assert "1 object, 1 new one" in offsite.expect("backup")
    assert not [name for name in offsite.bucket.names() if "cut" in name]


@pytest.mark.nightly("stores")
def test_what_was_begun_in_parts_is_ended(offsite, vault, bucket):
    vault().put("a.jpg", b"a" * 20_000)
    key = "the house/objects/00/" + "0" * 32
    bucket.client.create_multipart_upload(Bucket=bucket.name, Key=key)
    bucket.client.create_multipart_upload(Bucket=bucket.name, Key="somebody else's")
    offsite.expect("backup")
    assert [upload["Key"] for upload in bucket.uploads()] == ["somebody else's"]


@pytest.mark.nightly("stores")
def test_large_objects_go_in_parts(offsite, vault, bucket, proxy, tmp_path):
    vault().put("video.mp4", content := os.urandom(65 << 20))
    lost = proxy.rule(
        stores.lose_answer, lambda request: request.method == "POST" and "uploadId" in request.query, times=1
    )
    offsite.expect("backup")
    assert lost.met == 1 and not bucket.uploads()
    assert len([request for request in proxy.requests if "partNumber=2" in request.query]) == 1
    assert "Sound." in offsite.expect("rehearse", "--part", "100%")
    assert bucket.client.head_object(Bucket=bucket.name, Key=offsite.objects()[0])["ContentLength"] > len(content)


def test_damage_in_the_bucket_is_found_and_mended(offsite, daemon, vault, bucket):
    fill(vault(), 4)
    offsite.expect("backup")
    (changed, missing, *_) = offsite.objects()
    bucket.put(changed, with_another_end(bucket.content(changed)))
    bucket.delete(missing)
    text = offsite.expect("rehearse", "--part", "100%", status=1)
    assert changed.removeprefix("the house/") in text and missing.removeprefix("the house/") in text
    assert "1 objects had changed" in offsite.expect("backup", "--verify")
    assert "Sound." in offsite.expect("rehearse", "--part", "100%")


@pytest.mark.nightly("stores")
def test_a_list_that_is_damaged_costs_no_object(offsite, vault, bucket):
    browser = vault()
    fill(browser, 4)
    offsite.expect("backup")
    (former,) = offsite.states()
    browser.delete(browser.photos()[:2])
    assert browser.request("DELETE", "/api/trash").status_code == 200
    name = f"the house/{former}/SHA256SUMS"
    whole = bucket.client.get_object(Bucket=bucket.name, Key=name)
    content = whole["Body"].read()
    lines = content.splitlines(keepends=True)
    bucket.client.put_object(
        Bucket=bucket.name, Key=name, Body=b"".join(lines[:-4]), Metadata=whole["Metadata"],
    )  # fmt: skip
    said = offsite.expect("backup")
    assert "is damaged" in said and len(offsite.objects()) == 4, said
    bucket.client.put_object(Bucket=bucket.name, Key=name, Body=content, Metadata=whole["Metadata"])
    assert "Sound." in offsite.expect("rehearse", "--part", "100%", "--state", former.removeprefix("state-"))


@pytest.mark.nightly("stores")
def test_a_rehearsal_with_a_password_opens_photos(offsite, daemon, vault):
    browser = vault()
    fill(browser, 12)
    offsite.expect("backup")
    done = daemon.run(
        "rehearse", "--from", offsite.place, "--endpoint", offsite.proxy.url, "--data", str(daemon.data), "--password",
        input=PASSWORD.encode() + b"\n",
    )  # fmt: skip
    assert done.returncode == 0 and b"10 photos opened and verified." in done.stdout, done.stdout + done.stderr
    assert b"fetched 1 of 12 objects" in done.stdout
    health = browser.request("GET", "/health").json()
    assert health["checks"]["offsite:rehearsal"][0]["status"] == "pass"


def test_a_folder_can_be_rehearsed_as_well(daemon, vault, tmp_path):
    fill(vault(), 3)
    target = tmp_path / "backup"
    assert daemon.run("backup", "--data", str(daemon.data), "--to", str(target)).returncode == 0
    done = daemon.run("rehearse", "--data", str(daemon.data), "--from", str(target), "--part", "100%")
    assert done.returncode == 0 and b"fetched 3 of 3 objects" in done.stdout, done.stdout + done.stderr
    path = next(path for path in (target / "objects").rglob("*") if path.is_file())
    path.write_bytes(with_another_end(path.read_bytes()))
    done = daemon.run("rehearse", "--data", str(daemon.data), "--from", str(target), "--part", "100%")
    assert done.returncode == 1 and path.name.encode() in done.stdout, done.stdout + done.stderr


@pytest.mark.nightly("stores")
def test_a_bucket_of_something_else_or_of_another_house_is_left_alone(offsite, vault, bucket, start_daemon):
    vault()
    bucket.put("the house/a.txt", b"of somebody")
    assert "neither empty nor a backup" in offsite.expect("backup", status=78)
    bucket.delete("the house/a.txt")
    offsite.expect("backup")
    other = start_daemon(environment=KEYS)
    assert "of another data directory" in offsite.expect("backup", daemon=other, status=78)
    assert len(offsite.states()) == 1


def test_keys_come_as_credentials_and_never_from_nowhere(offsite, daemon, vault, tmp_path):
    vault()
    daemon.environment |= dict.fromkeys(KEYS)
    status, text = check(offsite)
    assert status == 78 and "There are no keys for the bucket" in text
    (tmp_path / "safelight.bucket-key-id").write_text(KEYS["AWS_ACCESS_KEY_ID"] + "\n")
    (tmp_path / "safelight.bucket-secret").write_text(KEYS["AWS_SECRET_ACCESS_KEY"] + "\n")
    daemon.environment["CREDENTIALS_DIRECTORY"] = str(tmp_path)
    status, text = check(offsite)
    assert status == 0, text


def test_plain_http_to_another_computer_has_to_be_meant(standing_daemon, tmp_path):
    commands = Daemon(tmp_path, data=standing_daemon.data, environment=KEYS)
    done = commands.run("backup", "--data", str(commands.data), "--to", "s3://photos", "--endpoint", "http://192.0.2.1:9")
    assert done.returncode == 78 and b"--plain-http" in done.stderr, done.stderr


# -- What a store really does


def check(offsite, *more):
    done = offsite.daemon.run("bucket", "--check", offsite.place, "--endpoint", offsite.proxy.url, *more)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def test_a_store_is_tried_and_left_as_it_was(offsite, bucket):
    status, text = check(offsite)
    assert status == 0 and "Good for off-site copies." in text, text
    assert not bucket.names() and not bucket.uploads()


@pytest.mark.nightly("stores")
def test_a_region_that_is_said_is_signed_for(offsite, proxy):
    proxy.rule(stores.of_region("garage"))
    status, text = check(offsite, "--region", "garage")
    assert status == 0, text


@pytest.mark.nightly("stores")
def test_a_store_that_takes_conditions_and_ranges_without_looking_is_found_out(offsite, proxy, vault, tmp_path):
    proxy.rule(stores.without_conditions, lambda request: request.method == "PUT")
    proxy.rule(stores.without_ranges, lambda request: request.method == "GET")
    status, text = check(offsite)
    assert status == 0, text
    for line in [
        "NO   keeps the first of two that are written with If-None-Match: it answers 200 and overwrites",
        "NO   refuses a stale If-Match: it answers 200 and overwrites",
        "NO   sends a part of an object: asked for three bytes it sends 10, with status 200",
    ]:
        assert line in text, text
    # And copies are kept there without harm.
    vault().put("video.mp4", os.urandom(9 << 20))
    offsite.expect("backup")
    assert "Sound." in offsite.expect("rehearse", "--part", "100%")


@pytest.mark.nightly("stores")
def test_a_store_that_looks_first_and_writes_then_is_found_out(offsite, proxy):
    proxy.rule(stores.in_two_steps(), lambda request: request.method == "PUT")
    status, text = check(offsite)
    assert status == 0, text
    assert re.search(r"NO   keeps the first of two .*: of 6 at once it tells [2-6] that they were the first", text), text
    assert "yes  refuses a stale If-Match" in text


@pytest.mark.nightly("stores")
def test_a_store_that_lists_late_is_not_good_enough(offsite, proxy):
    proxy.rule(stores.behind(lambda key: True), lambda request: request.is_list)
    status, text = check(offsite)
    assert status == 1 and "NO   lists an object once it is written" in text, text
