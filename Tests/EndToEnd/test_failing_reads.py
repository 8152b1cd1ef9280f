"""A disk that does not give what it has taken, and a host without memory: nobody's photos are wrong or gone by that."""

import os
import sqlite3

import bucket as stores
import pytest
from bucket import KEYS
from cases import in_nightly
from client import PASSWORD, Browser, code_of, sha256, wait_until
from daemon import Daemon
from faults import copy_folder, failing_call, needs_root, run_failing


def code(answer):
    return answer.status_code if answer.ok else (answer.status_code, code_of(answer))


@pytest.fixture
def large(daemon, vault):
    """A running daemon whose ledger has more pages than SQLite remembers, so that it has to ask the disk."""
    vault().put("before.jpg", b"before")
    daemon.stop()
    connection = sqlite3.connect(daemon.data / "ledger.sqlite")
    with connection:
        rows = ((os.urandom(16), os.urandom(512)) for _ in range(30_000))
        connection.executemany("INSERT INTO row (id, body) VALUES (?, ?)", rows)
    connection.close()
    return daemon.start()


@needs_root
def test_pages_that_the_disk_does_not_give_are_its_fault_and_no_damage(large):
    browser, answers = Browser(large).open(), []
    with failing_call(large, "pread64:error=EIO") as seen:
        for number in range(8):
            answers.append(code(browser.try_put(f"{number}.jpg", b"during %d" % number)))
        answers.append(code(browser.request("GET", "/api/photos")))
        answers.append(code(Browser(large).try_open(PASSWORD)))
    assert any("INJECTED" in line for line in seen)
    assert (503, "degraded") in answers and set(answers) <= {200, 201, (503, "degraded")}, answers
    saved = {f"{number}.jpg": sha256(b"during %d" % number) for number in range(8) if answers[number] == 201}
    wait_until(lambda: browser.try_put("after.jpg", b"after").status_code == 201, "no photo is taken any more")
    expected = {"before.jpg": sha256(b"before"), "after.jpg": sha256(b"after"), **saved}
    assert browser.digests() == expected
    large.restart()
    assert Browser(large).open().digests() == expected
    assert not list(large.data.glob("damaged-*"))


def test_a_ledger_that_the_disk_did_not_give_is_not_replaced_by_an_older_copy(daemon, vault, tmp_path, counted):
    vault().put("old.jpg", b"old")
    daemon.restart()
    Browser(daemon).open().put("new.jpg", b"new")
    daemon.kill9()
    # Which calls of each thread fail.
    for number, calls in enumerate(counted(["1", "3..40", "12..14"], ["1", "1..40", "3..40", "8..40", "12..14"])):
        place = tmp_path / str(number)
        place.mkdir()
        host = Daemon(place, data=copy_folder(daemon.data, place / "data"))
        words = ["export", "--data", str(host.data), "--to"]
        typed, rule = PASSWORD.encode() + b"\n", f"pread64:error=EIO:when={calls}"
        run_failing(host, rule, *words, str(place / "failing"), path=host.data / "ledger.sqlite", input=typed)
        done = host.run(*words, str(place / "to"), input=typed)
        assert done.returncode == 0, done.stdout + done.stderr
        assert {file.name for file in (place / "to").glob("*.jpg")} == {"old.jpg", "new.jpg"}, calls
        assert not list(host.data.glob("damaged-*")), calls


@needs_root
def test_no_memory_for_a_password_is_told_as_a_busy_host(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_UNSAFE_KDF_MEMORY": "65536"})
    Browser(daemon).create()
    with failing_call(daemon, "mmap,brk:error=ENOMEM", daemon.threads("derive")) as seen:
        answers = [Browser(daemon).try_open(PASSWORD) for _ in range(2)]
    assert any("INJECTED" in line for line in seen)
    assert [code(answer) for answer in answers] == [(503, "busy")] * 2
    assert Browser(daemon).try_open(PASSWORD).status_code == 200


@needs_root
@pytest.mark.parametrize("where", ["folder", in_nightly("stores", "bucket")])
def test_one_photo_that_cannot_be_read_does_not_end_a_backup(daemon, vault, tmp_path, request, where):
    browser = vault()
    for number in range(3):
        browser.put(f"{number}.jpg", b"%d" % number * 5_000)
    daemon.environment |= KEYS
    place = ["--to", str(tmp_path / "copy")]
    if where == "bucket":
        place = ["--to", f"s3://{request.getfixturevalue('bucket').name}/x", "--endpoint", request.getfixturevalue("proxy").url]
    words = ["backup", "--data", str(daemon.data), *place]
    bad = daemon.object_files()[1]
    done = run_failing(daemon, "pread64:error=EIO", *words, path=bad)
    assert done.returncode == 1 and b"DAMAGE 1 objects" in done.stdout, done.stdout + done.stderr
    assert b"3 objects" in (done := daemon.run(*words)).stdout and done.returncode == 0, done.stdout + done.stderr


@pytest.mark.nightly("stores")
@needs_root
def test_what_cannot_be_sent_to_the_bucket_is_the_disk_s_fault(bucket, proxy, tmp_path, start):
    objects = {"SAFELIGHT_OBJECTS": f"s3://{bucket.name}/x", "SAFELIGHT_OBJECTS_ENDPOINT": proxy.url}
    daemon = start(Daemon(tmp_path, environment={**KEYS, **objects}))
    browser = Browser(daemon).create()
    browser.put("before.jpg", b"before")
    with failing_call(daemon, "pread64:error=EIO", daemon.threads("bucket")) as seen:
        assert code(browser.try_put("during.jpg", b"during")) == (503, "degraded")
    assert any("INJECTED" in line for line in seen)
    browser.put("after.jpg", b"after")
    assert browser.names() == ["after.jpg", "before.jpg"]


@pytest.mark.nightly("stores")
def test_answers_of_a_bucket_that_are_cut_are_asked_for_again(daemon, vault, bucket, proxy):
    """Also by stores that take no notice of ranges: the whole object is on its way then, and what came is less."""
    vault().put("a.jpg", b"a" * 3_000_000)
    daemon.environment |= KEYS
    place = [f"s3://{bucket.name}/x", "--endpoint", proxy.url, "--data", str(daemon.data)]
    assert daemon.run("backup", "--to", *place).returncode == 0
    is_object = lambda request: request.method == "GET" and "/objects/" in request.path  # noqa: E731
    is_state = lambda request: request.method == "GET" and "/state-" in request.path  # noqa: E731
    rules = [
        proxy.rule(act, matches, times=2)
        for act in (stores.cut_answer, stores.cut_whole_answer) for matches in (is_object, is_state)
    ]
    done = daemon.run("rehearse", "--from", *place, "--part", "100%")
    assert done.returncode == 0 and b"Sound." in done.stdout, done.stdout + done.stderr
    assert [rule.left for rule in rules] == [0] * len(rules)
