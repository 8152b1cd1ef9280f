"""Windows for the tests of the page: an owner who shows something, and where a visitor finds it."""

from client import wait_until
from doors import Owner, day

ROME = "Rome, for Grandma"


class Shower(Owner):
    """Who shows photos of a vault, without a page: asks the host as the page would, and has the password of the page."""

    def put_looked_into(self, *files):
        """Those that the page would choose; once the host has made pictures of them, windows have them, too."""
        ids = [self.put(one["name"], one["buffer"])["id"] for one in files]
        self.wait_until_looked_into()
        return ids

    def wait_until_looked_into(self):
        def is_done():
            pending = [photo["id"] for photo in self.photos() if photo["picture"] == "pending"]
            if pending:
                # What nobody waits for is made when the processor has nothing else to do.
                self.request("POST", "/api/thumbnails", json={"ids": pending[:128], "wait": 15})
            return not pending

        wait_until(is_done)

    def make_album(self, name, ids):
        answer = self.request("POST", "/api/albums", json={"name": name, "ids": ids})
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return answer.json()["id"]

    def add_to_album(self, album, ids):
        answer = self.request("POST", f"/api/albums/{album}/photos", json={"ids": ids})
        assert answer.ok, (answer.status_code, answer.text)

    def show(self, name=ROME, **fields):
        """A window of `photos` or of `albumID`."""
        answer = self.request("POST", "/api/windows", json={"name": name, "lastDay": day(30), **fields})
        assert answer.status_code == 201, (answer.status_code, answer.text)
        return answer.json()

    def windows(self):
        answer = self.request("GET", "/api/windows")
        assert answer.status_code == 200, (answer.status_code, answer.text)
        return answer.json()["windows"]

    def change_window(self, window, **fields):
        answer = self.request("PATCH", f"/api/windows/{window['id']}", json=fields)
        assert answer.status_code == 200, (answer.status_code, answer.text)

    def close_window(self, window):
        answer = self.request("DELETE", f"/api/windows/{window['id']}")
        assert answer.status_code == 200, (answer.status_code, answer.text)


def place(daemon, window, way=""):
    """Where a camera leads that has seen the code, at the plain address that tests have; `way` is how it is shown."""
    return f"{daemon.url}/see/#{window['link'].partition('#')[2]}{way and f'&{way}'}"
