"""A newer version is announced to who is done, and to nobody else; a feed that lies is left alone."""

import re
import time

import pytest
from client import OTHER_PASSWORD, Browser, code_of, wait_until
from daemon import Daemon
from feed import NEWS, Feed, Signer
from giving import basic
from test_batches import Batch
from test_rights import app_code

RUNNING = re.compile(r"Safelight (\S+)")


@pytest.fixture
def feed(tmp_path):
    feed = Feed(tmp_path)
    feed.announce()
    yield feed
    feed.close()


@pytest.fixture
def ask(tmp_path, feed):
    """ask(**environment): `safelight version --check` with this feed; no daemon runs."""
    daemon = Daemon(tmp_path)

    def run(**environment):
        daemon.environment = {**daemon.environment, **feed.environment, **environment}
        return daemon.run("version", "--check")

    return run


@pytest.fixture(scope="module")
def feed_of_module(tmp_path_factory):
    feed = Feed(tmp_path_factory.mktemp("feed"))
    feed.announce()
    yield feed
    feed.close()


@pytest.fixture(scope="module")
def informed(start_standing, feed_of_module):
    """A daemon that has asked its feed; each vault there hears of the answer by itself."""
    daemon = start_standing(environment=feed_of_module.environment)
    # What the feed said is known when the daemon speaks of the next day.
    wait_until(lambda: len(waits(daemon)) == 2)
    assert 5 <= waits(daemon)[0] <= 10 and waits(daemon)[1] >= 86_400
    return daemon


def waits(daemon):
    """The seconds until the feed will be asked, each time that the log speaks of them."""
    return [int(seconds) for seconds in re.findall(r"in=(\d+) s .*the release feed will be asked", daemon.log)]


def output(done):
    return done.stdout.decode() + done.stderr.decode()


# -- safelight version --check


def test_the_command_names_the_version_that_runs_and_the_newer_one(ask, feed):
    feed.announce(notes=f"{feed.origin}/notes", minimumVersion="9.0.0")
    done = ask()
    assert done.returncode == 0, output(done)
    running = RUNNING.search(output(done))[1]
    assert f"Version {NEWS} is available: {feed.origin}/release" in output(done)
    assert f"{feed.origin}/notes" in output(done) and "no longer looked after" in output(done)
    feed.announce(running)
    assert "It is the newest one." in output(ask())


def test_without_a_feed_nothing_is_asked_and_the_command_says_so(ask, feed):
    done = ask(SAFELIGHT_UPGRADE_FEED=None, SAFELIGHT_UPGRADE_AUTHORITY=None)
    assert done.returncode == 78 and "No release feed is configured" in output(done)
    assert feed.requests == []


def test_what_is_asked_identifies_nobody(ask, feed):
    ask()
    ((path, headers),) = feed.requests
    assert path == "/feed.json"
    assert {name.lower() for name in headers} <= {"host", "connection", "accept", "accept-encoding"}, headers


def redirect(location):
    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def flow(piece, pause):
    """Spaces, and no end of them."""

    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(1 << 40))
        handler.end_headers()
        try:
            while not handler.server.feed_closing.wait(pause):
                handler.wfile.write(b" " * piece)
        except OSError:
            pass

    return answer


def failing(handler):
    handler.send_response(500)
    handler.send_header("Content-Length", "0")
    handler.end_headers()


LIES = {
    "a page": b"<!doctype html><title>9.8.7</title>",
    "no version": b'{"page": "https://example.org/"}',
    "an older version": b'{"version": "0.0.1", "page": "https://example.org/"}',
    "a script": b'{"version": "9.8.7", "page": "javascript:alert(1)"}',
    "a page without TLS": b'{"version": "9.8.7", "page": "http://example.org/"}',
    "another host": redirect("https://example.org/feed.json"),
    "a file": redirect("file:///etc/passwd"),
    "itself": redirect("/feed.json"),
    "too much": b" " * 70_000,
    "no end": flow(65_536, pause=0),
    "a trickle": flow(1, pause=0.2),
    "a failure": failing,
    "nothing": None,
}


def test_a_feed_that_lies_is_left_alone(ask, feed):
    feed.server.feed_closing = feed.closing
    for questions, (lie, answer) in enumerate(LIES.items(), start=1):
        feed.answers["/feed.json"] = answer
        begin = time.monotonic()
        done = ask()
        assert done.returncode == 69 and "The release feed is left alone" in output(done), (lie, output(done))
        assert NEWS not in output(done), lie
        assert feed.questions == questions, lie
        if lie == "a trickle":
            assert time.monotonic() - begin >= 10


def test_a_host_that_no_authority_vouches_for_is_not_believed(ask, feed):
    done = ask(SAFELIGHT_UPGRADE_AUTHORITY=None)
    assert done.returncode == 69 and NEWS not in output(done)
    assert feed.requests == []


def test_with_a_key_only_its_signature_counts(ask, feed, tmp_path):
    signer = Signer(tmp_path)
    key = {"SAFELIGHT_UPGRADE_KEY": signer.public}
    assert ask(**key).returncode == 69
    feed.answers["/feed.json.sig"] = signer.sign(feed.document("9.8.6"))
    assert ask(**key).returncode == 69
    feed.answers["/feed.json.sig"] = signer.sign(feed.document())
    done = ask(**key)
    assert done.returncode == 0 and NEWS in output(done), output(done)


def test_settings_that_cannot_be_meant_are_refused_by_name(ask):
    for name, value in (
        ("FEED", "http://example.org/feed.json"), ("FEED", "https://example.org"), ("KEY", "AAAA"), ("KEY", "no key"),
    ):  # fmt: skip
        done = ask(**{f"SAFELIGHT_UPGRADE_{name}": value})
        assert done.returncode == 78 and f"upgrade.{name.lower()}" in output(done), (name, value)


# -- the daemon


def test_the_daemon_asks_once_over_restarts_and_not_at_the_start(start_daemon, feed):
    begin = time.monotonic()
    daemon = start_daemon(environment=feed.environment)
    assert feed.asked.wait(300)
    assert time.monotonic() - begin >= 5
    wait_until(lambda: len(waits(daemon)) == 2)
    for count in range(3, 7):
        daemon.restart()
        wait_until(lambda count=count: len(waits(daemon)) == count)
    assert all(seconds >= 86_000 for seconds in waits(daemon)[1:])
    assert feed.questions == 1


def test_a_daemon_without_a_feed_does_not_speak_of_one(restartable):
    restartable.restart()
    assert "release feed" not in restartable.log


def test_a_daemon_whose_feed_lies_works_and_says_it_once_in_the_log(start_daemon, feed):
    feed.answers["/feed.json"] = LIES["a page"]
    daemon = start_daemon(environment=feed.environment)
    wait_until(lambda: "the release feed is left alone" in daemon.log)
    browser = Browser(daemon).create()
    assert "upgrade" not in finish_batch(browser, b"one")
    assert daemon.log.count("left alone") == 1


# -- the reminder


def finish_batch(browser, *contents):
    batch = Batch(browser)
    for number, content in enumerate(contents):
        browser.put(f"{number}.jpg", content, params={"batch": batch.id})
    # The first answer that says "done" is the one that may tell; asking again would not hear it.
    seen = [batch.finish()]
    if not seen[-1]["done"]:
        wait_until(lambda: seen.append(batch.status()) or seen[-1]["done"])
    return seen[-1]


def test_only_an_answer_that_ends_something_tells_of_it(informed, feed_of_module):
    browser = Browser(informed)
    said = []
    browser.http.hooks["response"].append(lambda answer, **_: said.append((answer.request.path_url, answer.text)))
    browser.request("GET", "/")
    browser.request("GET", "/api/hello")
    browser.request("GET", "/health")
    guest = Browser(informed).begin_guest()
    guest.http.hooks["response"].append(lambda answer, **_: said.append((answer.request.path_url, answer.text)))
    assert "upgrade" not in finish_batch(guest, b"guest's")
    browser.create()
    browser.lock()
    # The lock of a new vault ends something, too.
    told = [text for path, text in said if NEWS in text]
    assert len(told) == 1 and said[-1][1] == told[0]
    browser.open()
    browser.photos()
    assert "upgrade" not in finish_batch(browser, b"one")
    browser.lock()
    assert sum(NEWS in text for _, text in said) == 1

    other = Browser(informed).create(OTHER_PASSWORD)
    same = finish_batch(other, b"two")
    assert same["upgrade"] == {"version": NEWS, "page": f"{feed_of_module.origin}/release", "needed": False}
    assert "upgrade" not in finish_batch(other, b"three")
    assert other.request("DELETE", "/api/session").json() == {}


def test_who_looks_for_it_in_an_open_vault_finds_it_and_no_program_does(informed, feed_of_module):
    browser = Browser(informed).create("somebody who looks for it")
    assert browser.request("POST", "/api/upgrade/skip", json={"version": NEWS}).status_code == 200
    news = {"version": NEWS, "page": f"{feed_of_module.origin}/release", "needed": False}
    assert browser.request("GET", "/api/storage").json()["upgrade"] == news
    for program in (basic(browser.password), basic(app_code(browser))):
        answer = Browser(informed).request("GET", "/api/storage", headers=program)
        assert answer.status_code == 200 and "upgrade" not in answer.json()


def test_a_batch_that_saved_nothing_new_tells_nothing(informed):
    browser = Browser(informed).create("a batch without anything new")
    browser.put("same.jpg", b"one")
    assert "upgrade" not in finish_batch(browser)
    finish_batch(browser, b"one")


def test_a_vault_that_skipped_a_version_hears_of_later_ones_only(informed):
    browser = Browser(informed).create("a version that was skipped")
    assert browser.request("POST", "/api/upgrade/skip", json={"version": NEWS}).status_code == 200
    answer = browser.request("DELETE", "/api/session")
    assert answer.status_code == 200 and answer.json() == {}
    assert browser.request("POST", "/api/upgrade/skip", json={"version": NEWS}).status_code == 401
    browser.open()
    assert code_of(browser.request("POST", "/api/upgrade/skip", json={"version": "new"})) == "malformed-json"
    assert browser.request("POST", "/api/upgrade/skip", json={"version": "9.8.5"}).status_code == 200
    assert browser.request("DELETE", "/api/session").json() == {}
    guest = Browser(informed).begin_guest()
    assert guest.request("POST", "/api/upgrade/skip", json={"version": NEWS}).status_code == 403
