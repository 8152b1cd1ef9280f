"""Commands on a stopped data directory that goes along to a bucket: what they change is changed there."""

import json
import os
import shutil
import sqlite3
from contextlib import closing

import pytest
from cases import in_nightly
from client import OTHER_PASSWORD, PASSWORD, Browser, sha256, wait_until
from tier import take_over


def digests_of(photos):
    return {name: sha256(content) for name, content in photos.items()}


def objects_of(bucket):
    return [name for name in bucket.names() if "/objects/" in name]


def listed_objects(daemon):
    with closing(sqlite3.connect(daemon.data / "ledger.sqlite")) as ledger:
        return ledger.execute("SELECT count(*) FROM object").fetchone()[0]


@pytest.mark.nightly("stores")
def test_what_guests_and_reclaim_change_while_it_is_stopped_is_changed_in_the_bucket(host, bucket, seeded):
    one = host("one")
    contents = {}
    one.start()
    for password, count in ((PASSWORD, 2), (OTHER_PASSWORD, 3)):
        browser = Browser(one).create(password)
        contents[password] = {f"{number}.jpg": seeded.randbytes(50_000) for number in range(count)}
        for name, content in contents[password].items():
            browser.put(name, content)
    for _ in range(2):
        Browser(one).begin_guest().put("guest.jpg", b"guest" * 10_000)
    one.stop()
    assert len(objects_of(bucket)) == 7
    done = one.run("guests", "--data", str(one.data), "--end", "1", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    # Nothing of it lies on the disk of a host that takes over.
    two = host("two")
    take_over(two)
    assert not two.object_files()
    spaces = json.loads(two.run("guests", "--data", str(two.data), "--json").stdout)
    assert [space["photos"] for space in spaces] == [1] and spaces[0]["bytes"] > 50_000
    done = two.run("reclaim", "--data", str(two.data), input=f"{PASSWORD}\n\n3\n".encode())
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"3 objects (15" in done.stdout and b"--purge" not in done.stdout, done.stdout
    assert b"3 objects were put aside. On this disk 0 files were moved." in done.stdout, done.stdout
    three = host("three")
    take_over(three)
    assert listed_objects(three) == 3
    browser = Browser(three.start()).open()
    assert browser.digests() == digests_of(contents[PASSWORD])
    wait_until(lambda: len(objects_of(bucket)) == 6)
    # Whoever was left out by mistake has everything back, and so has the next host.
    assert Browser(three).open(OTHER_PASSWORD).digests() == digests_of(contents[OTHER_PASSWORD])
    three.kill9()
    four = host("four")
    take_over(four)
    assert listed_objects(four) == 6
    four.start()
    for password, photos in contents.items():
        assert Browser(four).open(password).digests() == digests_of(photos)


@pytest.mark.nightly("stores")
def test_what_lies_in_the_bucket_alone_is_no_damage(host):
    one = host("one")
    browser = Browser(one.start()).create()
    for number in range(3):
        browser.put(f"{number}.jpg", b"%d" % number * 50_000)
    one.stop()
    two = host("two")
    take_over(two)
    done = two.run("check", "--data", str(two.data), "--password", input=f"{PASSWORD}\n".encode())
    assert done.returncode == 0, done.stdout + done.stderr
    assert b"3 objects have no file here: they lie in the bucket" in done.stdout
    assert b"3 photos opened and verified" in done.stdout


@pytest.mark.parametrize("then", [in_nightly("stores", "it comes back"), "without it"])
def test_an_entry_that_is_gone_from_the_middle_is_not_the_end_of_the_log(host, bucket, then):
    one, two = host("one"), host("two")
    browser = Browser(one.start()).create()
    names = [f"{number}.jpg" for number in range(4)]
    for name in names:
        browser.put(name, name.encode())
    one.kill9()
    entries = sorted(key for key in bucket.names() if "/log/" in key and not key.endswith(("end", "origin")))
    missing = entries[-3]
    content = bucket.content(missing)
    bucket.delete(missing)
    before = bucket.names()
    text = take_over(two, 78)
    assert missing.partition("/")[2] in text and "--without-lost" in text, text
    # Nothing is sealed, and what is there of it here is refused the same way.
    assert bucket.names() == before
    take_over(two, 78)
    if then == "it comes back":
        bucket.put(missing, content)
        take_over(two)
        assert sorted(Browser(two.start()).open().names()) == names
    else:
        take_over(two, 0, "--without-lost")
        assert names[0] in Browser(two.start()).open().names()
    two.stop()


@pytest.mark.nightly("stores")
def test_a_home_in_a_bucket_is_rehearsed_without_a_change(host, bucket):
    one = host("one")
    browser = Browser(one.start()).create()
    for number in range(12):
        browser.put(f"{number}.jpg", os.urandom(20_000))
    # It may be running: nothing there is anybody else's.
    words = ["rehearse", "--data", str(one.data), "--from", "objects", "--part", "100%"]
    before = {name: bucket.content(name) for name in bucket.names()}
    done = one.run(*words, "--password", input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0 and b"fetched 12 of 12 objects" in done.stdout, done.stdout + done.stderr
    assert b"10 photos opened and verified" in done.stdout
    assert {name: bucket.content(name) for name in before} == before

    lost = next(name for name in before if "/objects/" in name)
    bucket.delete(lost)
    done = one.run(*words)
    assert done.returncode == 1 and f"DAMAGE {lost.partition('/')[2]}".encode() in done.stdout, done.stdout + done.stderr
    one.restart()
    check = browser.request("GET", "/health").json()["checks"]["bucket:rehearsal"][0]
    assert check == {"status": "warn", "output": "the last one failed"}


@pytest.mark.nightly("stores")
@pytest.mark.parametrize("is_late", [False, True])
def test_the_disk_of_a_former_host_brings_what_the_bucket_has_lost(host, bucket, is_late):
    """At the first take-over, or behind one that went without it."""
    one, two, three = host("one"), host("two"), host("three")
    browser = Browser(one.start()).create()
    photos = {f"{number}.jpg": os.urandom(5_000) for number in range(4)}
    for name, content in photos.items():
        browser.put(name, content)
    one.kill9()
    entries = sorted(name for name in bucket.names() if "/log/" in name and not name.endswith(("end", "origin")))
    bucket.delete(entries[-1])
    if is_late:
        assert "in no list" in take_over(two)
        shutil.rmtree(two.data)
    assert "knows what the bucket has lost" in take_over(two, 0, "--from-disk", str(one.data))
    assert Browser(two.start()).open(PASSWORD).digests() == digests_of(photos)
    two.kill9()
    # By now the bucket alone has all of it.
    shutil.rmtree(one.data)
    assert "has all that the former host's disk knows" in take_over(three, 0, "--from-disk", str(two.data))
    assert Browser(three.start()).open(PASSWORD).digests() == digests_of(photos)
