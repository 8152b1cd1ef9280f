"""Doors for the tests of the page: an owner who has made one, and the address of its code."""

from datetime import date, timedelta

from client import Browser
from visitor import PASSWORD

PARTY = "Anna & Tom"


def day(days):
    return (date.today() + timedelta(days=days)).isoformat()


class Owner(Browser):
    """Who has a vault with doors, without a page: asks the host as the page would, and has the password of the page."""

    def create(self):
        return super().create(PASSWORD)

    def open(self):
        return super().open(PASSWORD)

    def make_door(self, name=PARTY, **fields):
        body = {"name": name, "lastDay": day(7), "asksName": True, "lookFirst": False, **fields}
        answer = self.request("POST", "/api/doors", json=body)
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return answer.json()

    def change_door(self, door, **fields):
        answer = self.request("PATCH", f"/api/doors/{door['id']}", json=fields)
        assert answer.status_code == 200, (answer.status_code, answer.text)

    def door(self, name=PARTY):
        [found] = [door for door in self.request("GET", "/api/doors").json()["doors"] if door["name"] == name]
        return found

    def news(self):
        return self.request("GET", "/api/doors/news").json()["news"]

    def waiting(self):
        return self.request("GET", "/api/doors/waiting").json()["photos"]


def place(daemon, door):
    """Where a camera leads that has seen the code, at the plain address that tests have."""
    return f"{daemon.url}/give/#{secret(door)}"


def secret(door):
    return door["code"].replace("-", "")


class Giver(Browser):
    """Somebody at a door, without a page, such as a script."""

    def enter(self, door, name=None):
        answer = self.request(
            "POST", "/give/api/enter", json={"code": secret(door), **({"giver": name} if name else {})}
        )
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return self

    def give(self, name, content):
        return self.request("PUT", f"/give/api/photos/{name}", data=content)
