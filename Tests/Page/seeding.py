"""Many photos: tiny pictures that a real daemon keeps, and answers in a host's place where thousands are wanted at once."""

import base64
import colorsys
import re
import struct
import subprocess
import zlib
from functools import cache

import requests
from playwright.sync_api import expect

PER_FORM = 500
# Of the places in the window: how many there are, and how many show nothing but their colour.
IN_SIGHT = """() => {
    const cells = [...document.querySelectorAll(".cell")].filter((cell) => {
        const { top, bottom } = cell.getBoundingClientRect();
        return bottom > 0 && top < innerHeight;
    });
    return { all: cells.length, blank: cells.filter((cell) => !cell.querySelector("img.is-here, .kind")).length };
}"""
ALL_SHOWN = f"() => {{ const {{ all, blank }} = ({IN_SIGHT})(); return all > 0 && blank === 0; }}"


def picture(number, side=4):
    """A PNG of one colour; no other number gives the same bytes."""
    colour = bytes(round(255 * part) for part in colorsys.hsv_to_rgb(number * 0.618 % 1, 0.5, 0.8))
    rows = (b"\0" + colour * side) * side

    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        part(kind, content)
        for kind, content in ((b"IHDR", head), (b"tEXt", f"n\0{number}".encode()), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    )


def seed(visitor, count):
    """Adds `count` tiny pictures to what is open, many in one request: as many as a form may have."""
    cookies = {cookie["name"]: cookie["value"] for cookie in visitor.context.cookies()}
    with requests.Session() as session:
        session.trust_env = False
        session.headers.update({"Origin": visitor.url, "Sec-Fetch-Site": "same-origin"})
        session.cookies.update(cookies)
        for start in range(0, count, PER_FORM):
            files = [
                ("photos", (f"IMG_{number:05}.png", picture(number), "image/png"))
                for number in range(start, min(count, start + PER_FORM))
            ]
            answer = session.post(f"{visitor.url}/api/photos", files=files, timeout=300)
            assert answer.status_code == 201, (answer.status_code, answer.text[:500])


@cache
def thumbnail():
    """A JPEG of 320 by 240 pixels, as large to decode as a real one."""
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=1", "-frames:v", "1", "-q:v", "12"]
    return subprocess.run([*command, "-f", "mjpeg", "-"], capture_output=True, check=True).stdout


@cache
def video(seconds):
    """A WebM of one picture in a second."""
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"testsrc2=size=64x48:rate=1:duration={seconds}", "-c:v", "libvpx"]
    return subprocess.run([*command, "-f", "webm", "-"], capture_output=True, check=True).stdout


class ManyPhotos:
    """A vault of `count` photos over ten years, as its host would tell of it; `asked` are the paths that were asked for."""

    def __init__(self, visitor, count, months=120):
        self.asked = []
        self.come = 0
        self.months = []
        for index in range(months):
            year, month = 2026 - (index + 1) // 12, (10 - index) % 12 + 1
            self.months.append((f"{year}-{month:02}", count // months + (1 if index < count % months else 0)))
        self.count = count
        self.thumbnail = thumbnail()
        visitor.route(re.compile("/api/timeline$"), lambda route: route.fulfill(json=self.months))
        visitor.route(re.compile(r"/api/timeline/\d{4}-\d\d"), self._month)
        visitor.route("**/api/thumbnails", self._thumbnails)

    def add(self, count):
        """So many have come since, to the newest month; the others are who they were."""
        self.come += count
        self.months[0] = (self.months[0][0], self.months[0][1] + count)

    def id(self, place):
        return f"p{place - self.come}" if place >= self.come else f"new{place}"

    def name(self, place):
        return f"{place:05}.jpg"

    def _month(self, route):
        self.answer_month(route)

    def answer_month(self, route, taken=None):
        """`taken(place)` says when a photo was taken, where it is another time."""
        self.asked.append(route.request.url)
        month, skip = re.search(r"timeline/(\d{4}-\d\d)(?:\?skip=(\d+))?", route.request.url).groups()
        start = 0
        for key, count in self.months:
            if key == month:
                break
            start += count
        first = int(skip or 0)
        places = range(start + first, start + min(count, first + 500))
        columns = {
            "id": [self.id(place) for place in places],
            "name": [self.name(place) for place in places],
            "type": ["image/jpeg"] * len(places),
            "size": [1_000_000] * len(places),
            "receivedAt": ["2026-11-20T10:00:00Z"] * len(places),
            "takenAt": [
                taken(place) if taken else f"{month}-{28 - index % 28:02}T12:00:00" for index, place in enumerate(places)
            ],
            "colour": [f"#{place * 7919 % 0xFFFFFF:06x}" for place in places],
            "placeholder": [PLACEHOLDER] * len(places),
            "picture": ["made"] * len(places),
        }
        route.fulfill(json={"month": month, "cursor": None, **columns})

    def _thumbnails(self, route):
        self.asked.append(route.request.url)
        part = struct.pack(">IB", len(self.thumbnail) + 1, 0) + self.thumbnail
        # Firefox tells of no body where a request was given up meanwhile.
        asked = route.request.post_data_json or {"ids": []}
        route.fulfill(body=part * len(asked["ids"]), content_type="application/octet-stream")


PLACEHOLDER = base64.b64encode(bytes([128, 8, 5, 1, 100, 120, 140, 11, 135, 236, 165, 59, 158, 154, 57, 235, 190, 207, 134,
                                      7, 64, 53, 156, 217, 192])).decode()  # fmt: skip


def many(visitor, count):
    """A vault that seems to have `count` photos, open."""
    visitor.create()
    made = ManyPhotos(visitor, count)
    visitor.reload()
    expect(visitor.cells().first).to_be_visible()
    return made
