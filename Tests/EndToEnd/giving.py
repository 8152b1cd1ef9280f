"""Doors for the tests: an owner's door, and who comes to it with the code."""

import base64
from datetime import UTC, datetime, timedelta
from urllib.parse import quote

from client import Browser

GIVE = "/give/api"


def day(ahead=0):
    return (datetime.now(UTC) + timedelta(days=ahead)).strftime("%Y-%m-%d")


def make_door(owner, name="Anna & Tom", **more):
    wanted = {"name": name, "lastDay": day(3), "asksName": True, "lookFirst": False, **more}
    answer = owner.request("POST", "/api/doors", json=wanted)
    assert answer.status_code == 201, answer.text
    return answer.json()


class Visitor(Browser):
    """Somebody with a browser of their own who came to a door."""

    def enter(self, door, giver=None):
        answer = self.try_enter(door, giver)
        assert answer.status_code == 201, answer.text
        return self

    def try_enter(self, door, giver=None):
        return self.request("POST", f"{GIVE}/enter", json={"code": door["code"], "giver": giver})

    def try_give(self, name, content):
        return self.request("PUT", f"{GIVE}/photos/{quote(name, safe='')}", data=content)

    def give(self, name, content):
        answer = self.try_give(name, content)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def given(self):
        answer = self.request("GET", f"{GIVE}/photos")
        assert answer.status_code == 200, answer.text
        return answer.json()["photos"]

    def visit(self):
        return self.request("GET", f"{GIVE}/session")


def basic(secret):
    return {"Authorization": "Basic " + base64.b64encode(f"me:{secret}".encode()).decode()}
