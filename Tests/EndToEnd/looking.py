"""Windows for the tests: an owner's window, and who looks through it with the code."""

from client import Browser
from daemon import CHECKOUT
from giving import day

PHOTOS = CHECKOUT / "Tests" / "Photos"
JPEGS = [(PHOTOS / "orientation" / f"{kind}_{turn}.jpg").read_bytes() for kind in ("landscape", "portrait") for turn in range(1, 9)]

SEE = "/see/api"


def make_window(owner, photos=None, **more):
    answer = try_make_window(owner, photos, **more)
    assert answer.status_code == 201, answer.text
    return answer.json()


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
