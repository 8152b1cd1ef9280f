"""Words in pictures: what is written on receipts, screens and slides finds them. Nobody is asked, and nothing of it is left."""

import os
import random
import socket
import struct
import subprocess
from pathlib import Path

import pytest
from client import Browser, wait_until
from daemon import binary
from test_keys import memory
from written import STRAIGHT, WORDS, draw, recall

PICTURES = Path(__file__).parent.parent / "Photos"


@pytest.fixture(scope="module")
def ground():
    return PICTURES / "orientation" / "landscape_1.jpg"


def read(browser):
    """Every photo by itself, once nobody looks for words any more."""

    def are_read():
        # Only what has a picture counts among those that are left.
        made = browser.request("GET", "/api/photos").json()["picturesLeft"] == 0
        left = browser.request("GET", "/api/storage").json()
        assert "wordsLeft" in left, "nobody reads words here"
        return made and left["wordsLeft"] == 0

    # Beside other tests the host reads them when nobody else wants the processor.
    wait_until(are_read, "words are still being looked for", seconds=3600, pause=0.2)
    listed = browser.photos()
    assert all("words" not in photo for photo in listed)
    alone = {photo["name"]: browser.request("GET", f"/api/photos/{photo['id']}").json() for photo in listed}
    assert {photo["name"] for photo in listed if photo.get("hasWords")} == {
        name for name in alone if "words" in alone[name]
    }
    return alone


def found(browser, text):
    answer = browser.request("GET", "/api/search", params={"q": text})
    assert answer.status_code == 200, answer.text
    return sorted(answer.json()["name"])


def test_screens_slides_and_receipts_are_found_by_what_is_written_on_them(standing_daemon, tmp_path, ground, counted):
    browser = Browser(standing_daemon).create()
    said = {}
    for seed in range(counted(1, 10)):
        for language in WORDS:
            for kind in [*STRAIGHT, "receipt"]:
                path, words = draw(
                    tmp_path, f"{language} {kind} {seed}".replace(" ", "-"), language, kind, seed, ground
                )
                said[path.name] = words
                browser.put(path.name, path.read_bytes())
    browser.put("landscape.jpg", ground.read_bytes())
    photos = read(browser)
    assert "words" not in photos["landscape.jpg"]
    recalls = {name: recall(words, photos[name].get("words", "")) for name, words in said.items()}
    straight = [value for name, value in recalls.items() if "receipt" not in name]
    receipts = [value for name, value in recalls.items() if "receipt" in name]
    print("recall:", {name: round(value, 2) for name, value in recalls.items()})
    assert sum(straight) / len(straight) >= 0.85, recalls
    assert sum(receipts) / len(receipts) >= 0.6, recalls
    # The last word of each is a number that no other has.
    for name, words in said.items():
        read_there = [word for word in words if word in "".join(photos[name].get("words", "").split())]
        assert read_there, name
        for word in read_there[-3:]:
            assert name in found(browser, word), word


def test_words_stay_with_their_photo_over_a_restart_and_in_the_trash(start_daemon, tmp_path):
    daemon = start_daemon()
    browser = Browser(daemon).create()
    path, words = draw(tmp_path, "a", "en", "screen", 1)
    photo = browser.put("a.jpg", path.read_bytes())
    text = read(browser)["a.jpg"]["words"]
    assert recall(words, text) > 0.85
    assert len(text.encode()) <= 2000
    daemon.restart()
    browser = Browser(daemon).open()
    assert browser.request("GET", "/api/storage").json()["wordsLeft"] == 0
    assert found(browser, words[-1]) == ["a.jpg"]
    [photo] = browser.photos()
    browser.delete([photo])
    assert found(browser, words[-1]) == []
    assert browser.request("POST", "/api/photos/restore", json={"ids": [photo["id"]]}).status_code == 200
    assert found(browser, words[-1]) == ["a.jpg"]


def test_after_a_lock_no_word_of_a_picture_is_left_in_memory(start_daemon, tmp_path):
    daemon = start_daemon()
    browser = Browser(daemon).create()
    path, words = draw(tmp_path, "a", "en", "screen", 2)
    browser.put("a.jpg", path.read_bytes())
    text = read(browser)["a.jpg"]["words"]
    # A line of them stands in no table of this program.
    line = text.splitlines()[0].encode()
    pieces = [line, line.lower()]
    assert len(line.split()) > 1

    def left():
        return {piece for part in memory(daemon.pid) for piece in pieces if piece in part}

    assert found(browser, words[-1]) == ["a.jpg"]
    assert left()
    browser.lock()
    wait_until(lambda: not left(), "words of a picture are still in memory", pause=0.5)


def test_where_it_is_turned_off_nobody_reads(start_daemon, tmp_path):
    daemon = start_daemon(environment={"SAFELIGHT_IMAGING_WORDS": "off"})
    browser = Browser(daemon).create()
    path, _ = draw(tmp_path, "a", "en", "screen", 3)
    browser.put("a.jpg", path.read_bytes())
    wait_until(lambda: browser.photos()[0]["picture"] == "made")
    assert "wordsLeft" not in browser.request("GET", "/api/storage").json()


class Child:
    """The program itself, on the daemon's protocol (docs/imaging.md, Frames)."""

    LIMITS, JOB, BYTES, READY, READ, RESULT, FAILURE = 1, 2, 3, 16, 17, 18, 19

    def __init__(self):
        self.line, theirs = socket.socketpair()
        at = theirs.fileno()
        program = binary().with_name("safelight-imaging-words")
        self.process = subprocess.Popen([program], preexec_fn=lambda: os.dup2(at, 3), close_fds=False)
        theirs.close()
        self.send(self.LIMITS, struct.pack(">QHQB", 300 << 20, 30, 200_000_000, 0))
        assert self.receive()[0] == self.READY

    def send(self, kind, payload):
        self.line.sendall(struct.pack(">IB", len(payload), kind) + payload)

    def receive(self):
        count, kind = struct.unpack(">IB", self.exactly(5))
        return kind, self.exactly(count)

    def exactly(self, count):
        parts = b""
        while len(parts) < count:
            part = self.line.recv(count - len(parts))
            if not part:
                raise EOFError
            parts += part
        return parts

    def look(self, content):
        """What it says of a picture; raises EOFError where it ended."""
        self.send(self.JOB, struct.pack(">BQ", 1, len(content)))
        while True:
            kind, payload = self.receive()
            if kind != self.READ:
                return kind
            offset, count = struct.unpack(">QI", payload)
            self.send(self.BYTES, content[offset : offset + count])

    def end(self):
        self.line.close()
        return self.process.wait()


def test_it_works_on_one_thread_and_reads_what_is_hardly_a_picture(tmp_path):
    path, _ = draw(tmp_path, "a", "en", "screen", 5)
    child = Child()
    assert child.look(path.read_bytes()) == Child.RESULT
    status = dict(line.split(":", 1) for line in Path(f"/proc/{child.process.pid}/status").read_text().splitlines())
    assert int(status["Threads"]) == 1
    for size in ("1:5000", "2:2", "5000:1", "1080:5000"):
        source = ["-f", "lavfi", "-i", f"color=red:s=5000x5000,format=rgb24,crop={size}", "-frames:v", "1"]
        subprocess.run(["ffmpeg", "-v", "error", "-y", *source, tmp_path / "thin.jpg"], check=True)
        assert child.look((tmp_path / "thin.jpg").read_bytes()) == Child.RESULT, size
    assert child.end() == 0


@pytest.mark.nightly("sizes")
def test_hostile_previews_get_nothing_but_an_end_or_no_words(tmp_path, counted):
    path, _ = draw(tmp_path, "a", "en", "screen", 4)
    webp = tmp_path / "a.webp"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", path, "-vf", "scale=540:960", webp], check=True)
    small = tmp_path / "b.jpg"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", path, "-vf", "scale=540:960", small], check=True)
    chance, child, ends = random.Random(7), Child(), []
    for number in range(counted(60, 1500)):
        content = bytearray((small if number % 2 else webp).read_bytes())
        for _ in range(chance.choice([1, 8, 64])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        if number % 5 == 0:
            del content[chance.randrange(20, len(content)) :]
        try:
            assert child.look(bytes(content)) in (Child.RESULT, Child.FAILURE)
        except EOFError:
            ends.append(child.end())
            child = Child()
    # Faults of a decoder end it; an attempt at what the cage forbids would be signal 31.
    assert -31 not in ends, ends
    print("ended:", ends)
    assert child.end() == 0
