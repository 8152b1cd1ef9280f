"""Thumbnails as clients ask for them, and what they show."""

import json
import re
import struct
import subprocess
import time
from pathlib import Path
from tempfile import TemporaryDirectory

SIZE = re.compile(rb"Stream #(\d+):0.*? Video: .*?, (\d+)x(\d+)")
LOOKS = {}
KINDS = {0: "made", 1: "pending", 2: "none", 3: "unknown"}


def thumbnails(browser, ids, wait=20):
    """id → (kind, content) of one request; the answer has them in the order asked."""
    answer = browser.request("POST", "/api/thumbnails", json={"ids": ids, "wait": wait}, timeout=600)
    assert answer.status_code == 200, (answer.status_code, answer.text)
    found, rest = {}, answer.content
    for id in ids:
        (length,) = struct.unpack(">I", rest[:4])
        found[id] = (KINDS[rest[4]], rest[5 : 4 + length])
        rest = rest[4 + length :]
    assert rest == b""
    return found


def settled(browser, seconds=600):
    """All photos, once somebody has looked into each: the daemon itself is waited for."""
    deadline = time.monotonic() + seconds
    while True:
        photos = browser.photos()
        pending = [photo["id"] for photo in photos if photo["picture"] == "pending"]
        if not pending:
            return photos
        assert time.monotonic() < deadline, [photo["name"] for photo in photos if photo["picture"] == "pending"]
        thumbnails(browser, pending[:64])


def look_at(contents, width=24, height=24):
    """Finds sizes and colours of all these pictures by one run of a program, whose start is most of what it costs."""
    missing = [content for content in dict.fromkeys(contents) if (content, width, height) not in LOOKS]
    with TemporaryDirectory() as folder:
        words = ["ffmpeg", "-nostdin", "-nostats"]
        for number, content in enumerate(missing):
            Path(folder, f"{number}").write_bytes(content)
            words += ["-i", f"{folder}/{number}"]
        for number in range(len(missing)):
            words += ["-map", f"{number}:v:0", "-vf", f"scale={width}:{height}:flags=area", "-frames:v", "1"]
            words += ["-f", "rawvideo", "-pix_fmt", "rgb24", f"{folder}/{number}.rgb"]
        said = subprocess.run(words, capture_output=True, check=True).stderr if missing else b""
        sizes = {int(number): (int(wide), int(high)) for number, wide, high in SIZE.findall(said.partition(b"Output #")[0])}
        for number, content in enumerate(missing):
            LOOKS[content, width, height] = sizes[number], Path(folder, f"{number}.rgb").read_bytes()
    return [LOOKS[content, width, height] for content in contents]


def pixels(content, width=24, height=24):
    """Its colours at this size, as bytes."""
    return look_at([content], width, height)[0][1]


def difference(one, other):
    """Of two pictures, 0…255 on average."""
    first, second = pixels(one), pixels(other)
    return sum(abs(a - b) for a, b in zip(first, second)) / len(first)


def size(content):
    """Width and height."""
    return look_at([content])[0][0]


def exif(paths):
    """name → what exiftool says."""
    tags = ["DateTimeOriginal", "OffsetTimeOriginal", "GPSLatitude", "GPSLongitude", "Make", "Model"]
    said = subprocess.run(
        ["exiftool", "-j", "-n", "-FileName", *(f"-{tag}" for tag in tags), *map(str, paths)],
        capture_output=True, check=False,
    ).stdout  # fmt: skip
    return {facts["FileName"]: facts for facts in json.loads(said)}
