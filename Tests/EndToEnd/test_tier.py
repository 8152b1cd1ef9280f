"""A store that goes along to a bucket: what is acknowledged is there, whichever host it was, whatever is cut off."""

import os
import shutil
import socket
import subprocess

import bucket as stores
import pytest
import requests
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, sha256, wait_until
from daemon import Daemon
from faults import fill, needs_root, tmpfs
from tier import Senders, browser_of, compare, refused_start, take_over


@pytest.mark.nightly("stores")
def test_hosts_that_take_over_under_load_lose_nothing_and_keep_nothing_double(host, places, counted):
    hosts = [host("one", places[0]), host("two", places[1])]
    browsers = {hosts[0]: browser_of(hosts[0].start()).create()}
    senders = Senders(hosts, browsers, counted(0.6, 0.2))
    try:
        for number in range(counted(2, 100)):
            former, next_one = hosts[number % 2], hosts[1 - number % 2]
            senders.wait_for(12)
            take_over(next_one)
            # Nothing is saved there any more, and it says why.
            last = browser_of(former, browsers[former])
            answer = last.try_put("late.jpg", b"too late")
            assert (answer.status_code, code_of(answer)) == (503, "taken-over"), answer.text
            health = last.request("GET", "/health").json()
            assert health["status"] == "fail" and "taken-over" in str(health), health
            browsers[next_one] = browser_of(next_one.start()).open()
            del browsers[former]
            senders.wait_for(4)
            former.stop()
            assert "taken over" in refused_start(former)
            print(f"{number + 1} takeovers, {len(senders.acknowledged)} acknowledged", flush=True)
        senders.wait_for(12)
    finally:
        senders.end()
    assert {code for _, code in senders.codes} <= {"taken-over", "draining", "session-ended", "no-session"}
    last = hosts[counted(2, 100) % 2]
    browser = browser_of(last).open()
    compare(browser, senders.acknowledged)
    assert "late.jpg" not in browser.names()


def test_a_data_directory_comes_back_from_bucket_and_password_alone(host, bucket):
    one = host("one")
    browser = Browser(one.start()).create()
    browser.put("first.jpg", b"before")
    browser.put("video.mp4", video := os.urandom(9 << 20))
    answer = browser.request(
        "PUT", "/api/vault/password",
        json={"current": PASSWORD, "password": OTHER_PASSWORD, "confirmation": OTHER_PASSWORD},
    )  # fmt: skip
    assert answer.status_code == 200, answer.text
    browser = Browser(one).open(OTHER_PASSWORD)
    album = browser.request("POST", "/api/albums", json={"name": "Summer"}).json()["id"]
    some = [photo["id"] for photo in browser.photos()][:1]
    assert browser.request("POST", f"/api/albums/{album}/photos", json={"ids": some}).status_code == 200
    recovery = browser.request("POST", "/api/vault/ways", json={"kind": "recovery", "current": OTHER_PASSWORD})
    kept = Browser(one).open(OTHER_PASSWORD, keep=True)
    ended = Browser(one).open(OTHER_PASSWORD, keep=True)
    thief = browser_of(one, ended)
    assert kept.session()["kept"] is thief.session()["kept"] is True
    ended.lock()
    guest = Browser(one).begin_guest()
    guest.put("guest.jpg", b"guest")
    gone = browser.put("gone.jpg", b"away with it")
    browser.delete([photo for photo in browser.photos() if photo["name"] == "gone.jpg"])
    assert browser.request("DELETE", "/api/trash").status_code == 200, gone
    wait_until(lambda: len([name for name in bucket.names() if "/objects/" in name]) == 3)
    one.kill9()
    shutil.rmtree(one.data)

    assert "take-over" in refused_start(one)
    take_over(one)
    one.start()
    # The log knows which sessions were ended, as a backup would not.
    assert (kept.session()["kind"], thief.session()["kind"]) == ("vault", "none")
    assert guest.digests() == {"guest.jpg": sha256(b"guest")}
    assert Browser(one).try_open(PASSWORD).status_code == 401
    assert Browser(one).request("POST", "/api/session", json={"recovery": recovery.json()["code"]}).status_code == 200
    browser = Browser(one).open(OTHER_PASSWORD)
    assert browser.digests() == {"first.jpg": sha256(b"before"), "video.mp4": sha256(video)}
    albums = browser.request("GET", "/api/albums").json()["albums"]
    assert [(album["name"], album["count"]) for album in albums] == [("Summer", 1)]
    part = browser.original(next(p for p in browser.photos() if p["name"] == "video.mp4"), headers={"Range": "bytes=7000000-7000099"})
    assert (part.status_code, part.content) == (206, video[7_000_000:7_000_100])


def test_while_the_bucket_is_away_nothing_counts_as_saved(host, proxy):
    one = host("one")
    browser = Browser(one.start()).create()
    browser.put("before.jpg", b"before")
    away = proxy.rule(stores.refuse(503, "SlowDown"))
    answer = browser.try_put("meanwhile.jpg", b"meanwhile")
    assert (answer.status_code, code_of(answer)) == (503, "bucket-unreachable"), answer.text
    assert browser.names() == ["before.jpg"]
    away.left = 0
    browser.put("after.jpg", b"after")
    # An answer of the log that is lost is found out, and counts.
    lost = proxy.rule(
        stores.lose_answer, lambda request: request.method == "PUT" and "/log/" in request.path, times=1
    )
    browser.put("lost.jpg", b"lost answer")
    assert lost.met == 1
    assert browser.names() == ["after.jpg", "before.jpg", "lost.jpg"]


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (stores.clock_off(20), "20 minutes behind"),
        (stores.refuse(403, "SignatureDoesNotMatch"), "does not know the keys"),
        (stores.sign_in_page, "The store answers what no store should"),
    ],
)
def test_a_start_waits_for_a_clock_for_keys_and_for_a_store(host, proxy, act, words):
    one = host("one")
    browser = Browser(one.start()).create()
    browser.put("first.jpg", b"first")
    one.stop()
    fault = proxy.rule(act)
    one.launch()
    wait_until(lambda: one.log.count("waiting to start") == 1 and answers(one) == (503, "bucket-unreachable"))
    health = requests.get(f"{one.url}/health", timeout=300)
    assert health.status_code == 503 and words in health.json()["checks"]["store"][0]["output"] and words in one.log
    fault.left = 0
    one.wait_until_ready()
    assert Browser(one).open().names() == ["first.jpg"]


def test_a_store_that_answers_oddly_once_is_asked_again(host, proxy):
    one = host("one")
    once = proxy.rule(stores.without_conditions, lambda request: request.method == "PUT" and "second" in request.path, times=2)
    Browser(one.start()).create()
    assert once.met == 2


def test_a_store_that_accepts_and_never_answers_is_told_of(host):
    one = host("one")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        one.environment["SAFELIGHT_OBJECTS_ENDPOINT"] = f"http://127.0.0.1:{silent.getsockname()[1]}"
        one.launch()
        # The line is written a moment before the socket listens.
        wait_until(lambda: "waiting to start. The store does not answer" in one.log and answers(one) is not None)
        assert answers(one) == (503, "bucket-unreachable")
        one.stop()


def test_who_answers_200_and_is_no_store_keeps_nothing(host, proxy):
    one = host("one")
    browser = Browser(one.start()).create()
    before = browser.names()
    for act in (stores.refuse(200, "InternalError"), stores.sign_in_page):
        for part in ("/log/", "/objects/"):
            wrong = proxy.rule(act, lambda request, part=part: request.method == "PUT" and part in request.path)
            answer = browser.try_put("meanwhile.jpg", b"meanwhile")
            assert (answer.status_code, code_of(answer)) == (503, "bucket-unreachable"), answer.text
            wrong.left = 0
    browser.put("after.jpg", b"after")
    two = host("two")
    take_over(two)
    assert Browser(two.start()).open().names() == [*before, "after.jpg"]


@pytest.mark.nightly("stores")
def test_nothing_goes_along_to_the_place_of_a_backup(host, bucket, proxy):
    """Each of the two would remove what the other one needs."""
    one = host("one")
    objects = {name: one.environment.pop(name) for name in list(one.environment) if "OBJECTS" in name}
    Browser(one.start()).create().put("a.jpg", b"a")
    one.stop()
    place = ["--to", objects["SAFELIGHT_OBJECTS"], "--endpoint", proxy.url]
    assert one.run("backup", "--data", str(one.data), *place).returncode == 0
    before = bucket.names()
    one.environment |= objects
    assert "holds a backup" in take_over(one, 78)
    two = host("two")
    assert "holds a backup" in refused_start(two)
    assert not (two.data / "store.header").exists() and bucket.names() == before
    for name in objects:
        del one.environment[name]
    assert Browser(one.start()).open().names() == ["a.jpg"]


@pytest.mark.skipif(bool(stores.OBJECT_STORE_PORT), reason="one that checks signatures takes no request without what was signed")
@pytest.mark.parametrize(
    "act",
    [
        pytest.param(stores.without_conditions, id="always"),
        pytest.param(stores.in_two_steps(), id="at once", marks=pytest.mark.nightly("stores")),
    ],
)
def test_a_store_that_overwrites_is_refused_at_the_start(host, proxy, act):
    proxy.rule(act, lambda request: request.method == "PUT")
    one = host("one")
    assert "cannot be trusted with more than copies" in refused_start(one)
    assert not (one.data / "store.header").exists()


@needs_root
@pytest.mark.nightly("stores")
@pytest.mark.parametrize("then", ["another takes over", "it goes on", "it starts again"])
def test_what_a_full_disk_refused_when_the_bucket_had_it_is_saved_nowhere(host, bucket, proxy, tmp_path, then):
    with tmpfs(tmp_path / "small", 208) as disk:
        one = host("one")
        one.data = disk / "data"
        browser = Browser(one.start()).create()
        browser.put("before.jpg", b"before")

        def fill_behind_it(proxy, handler):
            answer = stores.asked(proxy, handler, stores.body_of(handler))
            fill(disk / "ballast", leaving=0)
            stores.answer(handler, *answer)

        entry = proxy.rule(
            fill_behind_it, lambda request: request.method == "PUT" and "/log/" in request.path, times=1
        )
        answer = browser.try_put("refused.jpg", b"refused" * 40_000)
        assert (answer.status_code, code_of(answer)) == (507, "disk-full"), answer.text
        assert entry.met == 1
        assert browser.names() == ["before.jpg"]
        if then == "it starts again":
            one.kill9()
        if then != "another takes over":
            (disk / "ballast").unlink()
            browser = Browser(one if one.running else one.start()).open()
            assert browser.names() == ["before.jpg"]
            browser.put("after.jpg", b"after" * 40_000)
        names = browser.names()
        one.kill9()
        other = host("other")
        take_over(other)
        browser = Browser(other.start()).open()
        assert browser.names() == names
        browser.put("later.jpg", b"later")
        assert browser.digests().keys() == {*names, "later.jpg"}
        # Its object is not left behind.
        wait_until(lambda: len([name for name in bucket.names() if "/objects/" in name]) == len(names) + 1)


@pytest.mark.nightly("stores")
@needs_root
def test_a_full_disk_still_deletes_here_and_in_the_bucket(host, bucket, tmp_path):
    with tmpfs(tmp_path / "small", 208) as disk:
        one = host("one")
        one.data = disk / "data"
        browser = Browser(one.start()).create()
        for number in range(3):
            browser.put(f"{number}.jpg", b"%d" % number * 40_000)
        fill(disk / "ballast", leaving=0)
        assert browser.try_put("refused.jpg", b"refused" * 40_000).status_code == 507
        assert browser.delete([photo for photo in browser.photos() if photo["name"] != "1.jpg"]) == 2
        assert browser.request("DELETE", "/api/trash").status_code == 200
        assert browser.names() == ["1.jpg"]
        one.kill9()
        other = host("other")
        take_over(other)
        browser = Browser(other.start()).open()
        assert (browser.names(), browser.trash()) == (["1.jpg"], [])
        wait_until(lambda: len([name for name in bucket.names() if "/objects/" in name]) == 1)


@pytest.mark.nightly("stores")
@needs_root
@pytest.mark.parametrize("megabytes", [16, 64])
def test_a_disk_without_room_takes_nothing_over_and_shuts_nobody_out(host, tmp_path, megabytes):
    one = host("one")
    browser = Browser(one.start()).create()
    browser.put("before.jpg", b"before")
    with tmpfs(tmp_path / "small", megabytes) as disk:
        other = host("other")
        roomy, other.data = other.data, disk / "data"
        assert "The disk is full" in take_over(other, status=74)
        browser.put("after.jpg", b"after")
        other.data = roomy
    take_over(other)
    assert Browser(other.start()).open().names() == ["after.jpg", "before.jpg"]


@pytest.mark.nightly("stores")
def test_photos_that_were_here_before_go_there_first(host, bucket, tmp_path, start):
    (tmp_path / "alone").mkdir()
    alone = start(Daemon(tmp_path / "alone"))
    browser = Browser(alone).create()
    contents = {f"{number}.jpg": b"%d " % number * 4_000 for number in range(5)}
    for name, content in contents.items():
        browser.put(name, content)
    alone.stop()
    one = host("one")
    shutil.move(alone.data, one.data)
    assert "take-over" in refused_start(one)
    take_over(one)
    browser = Browser(one.start()).open()
    for file in (one.data / "objects").glob("*/*"):
        file.unlink()
    # A backup is complete all the same.
    done = one.run("backup", "--data", str(one.data), "--to", str(tmp_path / "copy"))
    assert done.returncode == 0 and b"5 objects, 5 new ones" in done.stdout, done.stdout + done.stderr
    assert browser.digests() == {name: sha256(content) for name, content in contents.items()}
    # What changes it while the daemon is stopped changes the bucket, too.
    one.stop()
    (tmp_path / "card").mkdir()
    (tmp_path / "card" / "more.jpg").write_bytes(b"from a card" * 1_000)
    done = one.run("import", "--data", str(one.data), str(tmp_path / "card"), input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0, done.stdout + done.stderr
    other = host("other")
    take_over(other)
    assert "more.jpg" in Browser(other.start()).open().names()
    # What would change it without its bucket is refused.
    alone.data = one.data
    done = subprocess.run(alone.command(), env=alone.variables(), capture_output=True, timeout=300)
    assert done.returncode == 78 and b"goes along to a bucket" in done.stdout + done.stderr


@pytest.mark.nightly("stores")
def test_a_host_that_stands_by_takes_over_when_it_is_told_and_when_the_other_falls_silent(host):
    one, two = host("one"), host("two")
    for daemon in (one, two):
        daemon.environment["SAFELIGHT_OBJECTS_TAKEOVER"] = "10"
    browser = Browser(one.start()).create()
    browser.put("first.jpg", b"first")
    two.arguments = ["--stand-by"]
    two.launch()
    wait_until(lambda: "standing by" in two.log)
    wait_until(lambda: answers(two) == (503, "stand-by"))
    browser.put("second.jpg", b"second")
    assert "takes over now" in take_over(two)
    two.wait_until_ready()
    assert Browser(two).open().names() == ["first.jpg", "second.jpg"]
    # It learns that although nothing comes, and gives no sign of life any more.
    wait_until(lambda: "taken-over" in requests.get(f"{one.url}/health", timeout=300).text)
    assert code_of(browser.try_put("late.jpg", b"late")) == "taken-over"
    one.stop()

    # And back, by itself: the other is killed.
    Browser(two).open().put("third.jpg", b"third")
    one.arguments = ["--stand-by"]
    one.launch()
    wait_until(lambda: "standing by" in one.log)
    two.kill9()
    one.wait_until_ready()
    assert Browser(one).open().names() == ["first.jpg", "second.jpg", "third.jpg"]
    # A writer that is started again goes on at once.
    one.kill9()
    one.start()


def answers(daemon):
    try:
        answer = requests.get(f"{daemon.url}/api/photos")
    except requests.exceptions.RequestException:
        return None
    return answer.status_code, answer.json()["code"]
