"""A store that goes along to a bucket: what is acknowledged is there, whichever host it was, whatever is cut off."""

import itertools
import os
import shutil
import subprocess
import threading

import bucket as stores
import pytest
import requests
from bucket import KEYS, FaultyStore
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, sha256, wait_until
from daemon import Daemon, binary
from network import Device, DeviceSession, network_or_skip


@pytest.fixture
def host(bucket, proxy, tmp_path, request):
    """host(name, place): a daemon of its own that goes along to the one bucket, not started; in a network of its own, where
    one is given."""

    def make(name, place=None):
        (tmp_path / name).mkdir()
        made = Daemon(
            tmp_path / name,
            environment={
                **KEYS,
                "SAFELIGHT_OBJECTS": f"s3://{bucket.name}/the house",
                "SAFELIGHT_OBJECTS_ENDPOINT": place.way.url if place else proxy.url,
            },
            wrapper=place.wrapper if place else (),
        )
        made.place = place
        request.addfinalizer(lambda: made.kill9() if made.process else None)
        return made

    return make


class Place(Device):
    """A computer of its own, which has nothing in common with another one but the bucket."""

    def __init__(self, bucket):
        super().__init__()
        self.ip("link set lo up")
        self.way = FaultyStore(bucket, self)

    def close(self):
        self.way.close()
        super().close()


@pytest.fixture
def places(bucket):
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with network_or_skip(pytest.skip, lambda: Place(bucket)) as one, network_or_skip(pytest.skip, lambda: Place(bucket)) as two:
        yield one, two


def browser_of(daemon, like=None):
    """One that reaches it, wherever it is; with the cookies of another one."""
    session = DeviceSession(daemon.place, "127.0.0.1") if daemon.place else None
    browser = Browser(daemon, session=session)
    if like is not None:
        browser.http.cookies = like.http.cookies.copy()
    return browser


def take_over(daemon, status=0):
    command = [*daemon.wrapper, str(binary()), "take-over", "--data", str(daemon.data)]
    for _ in range(2):
        done = subprocess.run(command, env=daemon.variables(), cwd=daemon.folder, capture_output=True, timeout=120)
        text = done.stdout.decode() + done.stderr.decode()
        if "older than what the bucket's log still tells" not in text:
            break
        # What is done then, as it says: the bucket has gone on for so long that a snapshot took the place of its log.
        shutil.rmtree(daemon.data)
    assert done.returncode == status, text
    return text


def refused_start(daemon):
    """What it says, and that it says so with 78."""
    daemon.launch()
    assert daemon.wait() == 78, daemon.log
    return daemon.log


class Senders:
    """Clients that send without a pause to whichever host takes it. What was answered with 201 counts."""

    def __init__(self, hosts, browsers, count=4):
        self.hosts, self.browsers = hosts, browsers
        self.acknowledged, self.codes = {}, set()
        self.lock = threading.Lock()
        self.answered = threading.Semaphore(0)
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self._run, args=(number,)) for number in range(count)]
        for thread in self.threads:
            thread.start()

    def _run(self, number):
        for count in itertools.count():
            # As people send, and not as fast as it goes: all of it is compared at the end.
            if self.stopping.wait(0.2):
                return
            content = f"{number}-{count} ".encode() + os.urandom(2_000 + 7_919 * (count % 9))
            name = f"{number}-{count}.jpg"
            while not self._sent(name, content):
                if self.stopping.wait(0.1):
                    return

    def _sent(self, name, content):
        for daemon in self.hosts:
            browser = self.browsers.get(daemon)
            if browser is None:
                continue
            own = browser_of(daemon, browser)
            try:
                answer = own.try_put(name, content)
            except requests.exceptions.RequestException:
                continue
            if answer.status_code == 201:
                with self.lock:
                    self.acknowledged[name] = sha256(content)
                self.answered.release()
                return True
            with self.lock:
                self.codes.add((answer.status_code, code_of(answer)))
        return False

    def wait_for(self, count):
        for _ in range(count):
            assert self.answered.acquire(timeout=60), (len(self.acknowledged), self.codes)

    def end(self):
        self.stopping.set()
        for thread in self.threads:
            thread.join(90)
            assert not thread.is_alive()


def compare(browser, acknowledged):
    """None lost, none double."""
    names = browser.names()
    print(f"{len(acknowledged)} acknowledged, {len(names)} there, {len(names) - len(set(names))} of them sent twice")
    assert set(acknowledged) <= set(names), set(acknowledged) - set(names)

    def is_single():
        names = browser.names()
        return len(names) == len(set(names))

    # What was sent once more, because its answer never came, becomes one with the first when both were read back. That
    # gives way to everything else on the machine.
    wait_until(is_single, seconds=600)
    found = browser.digests()
    assert {name: found[name] for name in acknowledged} == acknowledged


def test_hosts_that_take_over_under_load_lose_nothing_and_keep_nothing_double(host, places, counted):
    hosts = [host("one", places[0]), host("two", places[1])]
    browsers = {hosts[0]: browser_of(hosts[0].start()).create()}
    senders = Senders(hosts, browsers)
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
        senders.wait_for(12)
    finally:
        senders.end()
    assert {code for _, code in senders.codes} <= {"taken-over", "draining", "session-ended", "no-session"}
    last = hosts[counted(2, 100) % 2]
    browser = browser_of(last).open()
    compare(browser, senders.acknowledged)
    assert "late.jpg" not in browser.names()


def test_a_host_that_is_killed_again_and_again_goes_on(host, counted):
    one = host("one")
    browsers = {one: Browser(one.start()).create()}
    senders = Senders([one], browsers)
    try:
        for _ in range(counted(4, 200)):
            senders.wait_for(6)
            del browsers[one]
            one.kill9()
            browsers[one] = Browser(one.start()).open()
        senders.wait_for(6)
    finally:
        senders.end()
    compare(Browser(one).open(), senders.acknowledged)
    # And another host finds the same.
    one.kill9()
    other = host("other")
    take_over(other)
    compare(Browser(other.start()).open(), senders.acknowledged)


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
    gone = browser.put("gone.jpg", b"away with it")
    browser.delete([photo for photo in browser.photos() if photo["name"] == "gone.jpg"])
    assert browser.request("DELETE", "/api/trash").status_code == 200, gone
    wait_until(lambda: len([name for name in bucket.names() if "/objects/" in name]) == 2)
    one.kill9()
    shutil.rmtree(one.data)

    assert "take-over" in refused_start(one)
    take_over(one)
    one.start()
    assert Browser(one).try_open(PASSWORD).status_code == 401
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


@pytest.mark.skipif(bool(stores.OBJECT_STORE_PORT), reason="one that checks signatures takes no request without what was signed")
def test_a_store_that_overwrites_is_refused_at_the_start(host, proxy):
    proxy.rule(stores.without_conditions, lambda request: request.method == "PUT")
    one = host("one")
    assert "cannot be trusted with more than copies" in refused_start(one)
    assert not (one.data / "store.header").exists()


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
    done = subprocess.run(alone.command(), env=alone.variables(), capture_output=True, timeout=60)
    assert done.returncode == 78 and b"goes along to a bucket" in done.stdout + done.stderr


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
