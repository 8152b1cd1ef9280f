"""Windows for the tests: an owner's window, and who looks through it with the code."""

import subprocess
import sys

from client import Browser, sha256
from daemon import CHECKOUT
from giving import day

PHOTOS = CHECKOUT / "Tests" / "Photos"
JPEGS = [(PHOTOS / "orientation" / f"{kind}_{turn}.jpg").read_bytes() for kind in ("landscape", "portrait") for turn in range(1, 9)]

SEE = "/see/api"

# Of these kinds there are no clean copies: the latter's name does not tell.
NO_COPIES = {"picture.tiff", "drawn.mov"}


def make_window(owner, photos=None, **more):
    answer = try_make_window(owner, photos, **more)
    assert answer.status_code == 201, answer.text
    return answer.json()


def read_window(data, folder, code, password=""):
    """What the third reader says and finds by a code: (the run, digests by name)."""
    words = [sys.executable, CHECKOUT / "scripts" / "open-window", data, "--to", folder]
    done = subprocess.run(words, input=f"{code}\n{password}\n", capture_output=True, text=True)
    return done, {path.name: sha256(path.read_bytes()) for path in folder.glob("*") if path.is_file()}


def try_make_window(owner, photos=None, **more):
    wanted = {"name": "Rome, for Grandma", "lastDay": day(30), **more}
    if photos is not None:
        wanted["photos"] = [photo["id"] for photo in photos]
    return owner.request("POST", "/api/windows", json=wanted)


def change_window(owner, window, **wanted):
    answer = owner.request("PATCH", f"/api/windows/{window['id']}", json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()


def windows(owner):
    answer = owner.request("GET", "/api/windows")
    assert answer.status_code == 200, answer.text
    return answer.json()["windows"]


def picture(number):
    """A JPEG, another one for each number."""
    return JPEGS[number % len(JPEGS)] + bytes([number])


def jpeg_with_place():
    return (PHOTOS / "gps" / "DSCN0010.jpg").read_bytes()


def files_with_places(folder):
    """{name: content} of each kind of which there are clean copies, and of `NO_COPIES`. All say where they were made, by which
    camera and when."""
    film = ["-f", "lavfi", "-i", "testsrc=size=160x120:rate=15:duration=2", "-f", "lavfi", "-i", "sine=duration=2"]
    still = ["-f", "lavfi", "-i", "testsrc=size=160x120", "-frames:v", "1"]
    said = ["-metadata", "location=+48.8584+002.2945/", "-metadata", "creation_time=2021-04-11T20:47:53Z", "-metadata", "make=Camera"]
    coded = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", *said]
    for name, words in {
        "film.mp4": [*film, *coded], "film.mov": [*film, *coded], "fragments.mp4": [*film, *coded, "-movflags", "frag_keyframe+empty_moov"],
        "drawn.mov": [*film, "-c:v", "mjpeg", *said], "picture.png": still, "picture.webp": still, "picture.tiff": still,
    }.items():
        subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *words, folder / name], check=True)
    for name, source in {
        "photo.jpg": "orientation/landscape_6.jpg", "photo.heic": "phone/IMG_5195.HEIC", "photo.avif": "odd/example.avif",
    }.items():
        (folder / name).write_bytes((PHOTOS / source).read_bytes())
    facts = [
        "-GPSLatitude=48.8584", "-GPSLatitudeRef=N", "-GPSLongitude=2.2945", "-GPSLongitudeRef=E", "-Make=Camera", "-Model=Camera X",
        "-DateTimeOriginal=2021:04:11 20:47:53", "-XMP:Title=At home", "-Orientation#=6",
    ]
    pictures = [folder / name for name in ("photo.jpg", "photo.heic", "photo.avif", "picture.png", "picture.webp", "picture.tiff")]
    subprocess.run(["exiftool", "-q", "-overwrite_original", *facts, *pictures], check=True)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class Looker(Browser):
    """Somebody with a browser of their own who came to a window."""

    def try_enter(self, window, password=None):
        return self.request("POST", f"{SEE}/enter", json={"code": window["code"], "password": password})

    def enter(self, window, password=None):
        answer = self.try_enter(window, password)
        assert answer.status_code == 201, answer.text
        self.seen = answer.json()
        return self

    def look(self):
        return self.request("GET", f"{SEE}/session")

    def shown(self):
        """{name: id} of all that is shown, by its months."""
        found = {}
        answer = self.request("GET", f"{SEE}/timeline")
        assert answer.status_code == 200, answer.text
        for month, _ in answer.json():
            page = self.request("GET", f"{SEE}/timeline/{month}").json()
            found |= dict(zip(page["name"], page["id"], strict=True))
        return found

    def picture(self, id, size="preview"):
        return self.request("GET", f"{SEE}/photos/{id}/{size}")

    def original(self, id, **options):
        return self.request("GET", f"{SEE}/photos/{id}/original", **options)
