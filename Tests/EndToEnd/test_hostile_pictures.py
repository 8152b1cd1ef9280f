"""A vault full of what broken disks and hostile hands make of pictures."""

import collections
import hashlib
import os
import random
import subprocess
import sys
import tarfile
import threading
import time

import pytest
from client import Browser
from daemon import CHECKOUT
from pictures import settled, thumbnails

COUNT = 1500
PILLOW = "Pillow==11.1.0"
LARGEST = 2 << 20
# Beyond the 1 GiB of address space that a child may take: its libraries, warm.
MEMORY_LIMIT = (1 << 30) + (256 << 20)
RATIOS = ("0.00001", "0.0001", "0.001", "0.01", "0.1")


@pytest.fixture(scope="module")
def pillow_images(tmp_path_factory):
    """What Pillow tests itself with: every format, and files that have crashed it or others."""
    folder = tmp_path_factory.mktemp("pillow")
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", folder, PILLOW],
        check=True,
    )  # fmt: skip
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        members = [member for member in tar.getmembers() if "/Tests/images/" in member.name and member.isfile()]
        return [(member.name, tar.extractfile(member).read()) for member in members if member.size <= LARGEST]


def mutated(content, seed):
    """zzuf's: some bits flipped, the same for the same seed."""
    return subprocess.run(
        ["zzuf", "-s", str(seed), "-r", RATIOS[seed % len(RATIOS)]], input=content, capture_output=True, check=True
    ).stdout  # fmt: skip


def hostile(images, photos):
    """Name → content: the images as they are, and mutations of them, of real photos and of rare formats for the rest."""
    chosen = {f"{number}-{name.rsplit('/', 1)[1]}": content for number, (name, content) in enumerate(images)}
    rare = sorted((CHECKOUT / "Tests" / "Formats").iterdir())
    sources = [(path.name, path.read_bytes()) for path in [*photos, *rare] if path.stat().st_size <= LARGEST]
    sources += random.Random(6).sample(images, len(sources))
    for seed in range(COUNT - len(chosen)):
        name, content = sources[seed % len(sources)]
        chosen[f"zzuf-{seed}-{name.rsplit('/', 1)[-1]}"] = mutated(content, seed)
    return chosen


class Watch:
    """The largest that any child of the process got, and how many there were; looks until it is left."""

    def __init__(self, process):
        self.process, self.largest, self.seen, self.done = process, 0, set(), threading.Event()
        self.thread = threading.Thread(target=self._look)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.done.set()
        self.thread.join()

    def _look(self):
        while not self.done.wait(0.1):
            for thread in os.listdir(f"/proc/{self.process}/task"):
                try:
                    with open(f"/proc/{self.process}/task/{thread}/children") as file:
                        children = file.read().split()
                    for child in children:
                        self._note(child)
                except OSError:
                    continue

    def _note(self, child):
        with open(f"/proc/{child}/status") as file:
            sizes = [int(line.split()[1]) << 10 for line in file if line.startswith("VmHWM:")]
        self.seen.add(child)
        self.largest = max([self.largest, *sizes])


@pytest.mark.soak
def test_fifteen_hundred_hostile_pictures_harm_nobody(start_daemon, pillow_images, photos):
    daemon = start_daemon()
    browser = Browser(daemon, timeout=600).create()
    files = hostile(pillow_images, photos)
    began, sent = time.monotonic(), {}
    with Watch(daemon.pid) as watch:
        for name, content in files.items():
            # Of two that are the same the second is a duplicate, and named like the first.
            photo = browser.try_put(name, content)
            assert photo.status_code in (200, 201), (name, photo.text)
            sent.setdefault(hashlib.sha256(content).hexdigest(), photo.json()["id"])
        found = settled(browser, seconds=3600)
    assert daemon.answers()
    assert watch.largest < MEMORY_LIMIT
    for digest, photo in sent.items():
        assert hashlib.sha256(browser.content({"id": photo})).hexdigest() == digest
    whole = next(path for path in photos if path.name == "no_exif.jpg")
    last = browser.put("after.jpg", whole.read_bytes() + b"\0")
    settled(browser)
    assert thumbnails(browser, [last["id"]])[last["id"]][0] == "made"
    outcomes = collections.Counter(photo["picture"] for photo in found)
    print(
        f"\n{len(files)} files in {time.monotonic() - began:.0f} s: {dict(outcomes)}; {len(watch.seen)} children, "
        f"the largest {watch.largest >> 20} MiB"
    )  # fmt: skip
