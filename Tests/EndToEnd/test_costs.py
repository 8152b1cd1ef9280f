"""What one request costs: a table of all routes and rights, asked with small requests that are made to hurt.

A right takes at most its share of memory, its answer is no longer than that right may be answered, and no request has the
processor for itself. With --ring=soak the table is printed with the processor's time and with what a family waits
meanwhile."""

import itertools
import multiprocessing
import threading
import time
from collections import defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
import requests
from client import Browser, wait_until
from costly import Costly, requests_to
from dav import LOCK_BODY, Dav
from giving import make_door
from test_rights import KINDS, ROWS, Somebody

MIB = 1 << 20
# Of one request, in memory and in what is answered beside photos; of Allowance.
MOST_MEMORY = 16 * MIB
MOST_ANSWERED = MIB
# Of the processor, in seconds, without optimization: a form of a thousand files takes a quarter of it, and what grows with
# the square of a request, or with a number in it, many times that.
MOST_WORK = 16
PHOTOS = 40
NUMBERS = itertools.count(PHOTOS)
OTHER_DEVICE = "127.0.0.77"
# A quarter of this is what a photo takes in a listing at most.
MOST_OF_A_ROW = 4 << 10
PLACES = {"{photo}": "0.jpg", "{folder}": "", "{elsewhere}": "by-date/2019/"}
# Those that end what the others of the table need, and those whose cost is a password's.
LEFT_OUT = {("DELETE", "/api/vault"), ("DELETE", "/api/guest"), ("DELETE", "/api/session"), ("DELETE", "/api/sessions")}


class Regular(Somebody):
    """A visitor comes once, and a program with the password comes from few places: what a visit or a session takes is not
    what its requests take, and of one vault's sessions there are 256."""

    asked = 0

    def come(self):
        self.asked += 1
        stays = {"visitor": bool(self.browser.http.cookies), "password": self.asked % 32 != 0}
        if not stays.get(self.kind):
            super().come()
        elif self.kind == "password":
            self.browser.http.cookies.clear()


class House:
    """A host with a family's vault, a door, and what each right has there."""

    def __init__(self, daemon, owner, elsewhere):
        self.daemon, self.owner = daemon, owner
        photos = [
            owner.put(f"{n}.jpg", b"photo %d" % n, params={"modified": "2019-05-03T10:00:00Z"}) for n in range(PHOTOS)
        ]
        self.photo = photos[0]["id"]
        self.door = door = make_door(owner)
        sender = Dav(daemon, door["code"])
        for n in range(PHOTOS):
            sender.put(f"/inbox/{n}.jpg", b"given %d" % n)
        self.people = {kind: Regular(owner, kind, door, elsewhere) for kind in KINDS}

    def path(self, path):
        for name, place in PLACES.items():
            path = path.replace(name, place)
        return path.replace("{id}", self.photo).replace("{month}", "2019-05").replace("{name}", "x")

    def ask(self, kind, method, path, costly):
        """(status, bytes of the answer)"""
        fields = {"Depth": "1", "Tus-Resumable": "1.0.0", "Upload-Length": "1", "Upload-Offset": "0", **costly.fields}
        query = f"?{costly.query}" if costly.query else ""
        answer = self.people[kind].ask(method, self.path(path) + query, costly.body, fields)
        return answer.status_code, len(answer.content)

    def others_are_served(self):
        """Nothing that one right used up is missing to others: the family saves and lists, and another device of whoever has
        the door's code locks, sends and lists."""
        name = f"{next(NUMBERS)}.jpg"
        self.owner.put(name, name.encode())
        other = Dav(self.daemon, self.door["code"], source=OTHER_DEVICE)
        assert other.request("LOCK", f"/inbox/{name}", LOCK_BODY).status_code == 201
        # While the open vault takes what is there, it has to come again.
        wait_until(lambda: other.request("PUT", f"/inbox/{name}", f"given {name}".encode()).status_code in (201, 204))
        assert other.request("PROPFIND", "/inbox/", Depth="1").status_code == 207
        return name in self.owner.names()

    def processor_time(self):
        """Seconds that the daemon has had of the processors."""
        tasks = Path(f"/proc/{self.daemon.pid}/task").glob("*/schedstat")
        return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


@pytest.fixture
def house(daemon, vault, elsewhere):
    return House(daemon, vault(), elsewhere)


def rows_of(kind):
    """Routes that tell this right something; all others refuse it in the same way."""
    return [row for row, verdicts in ROWS.items() if verdicts[kind] == "yes" and row not in LEFT_OUT]


@pytest.mark.parametrize("kind", KINDS)
def test_no_request_takes_more_than_its_share(house, kind, counted):
    """In the ordinary ring one of fourteen; each request is asked once, for what it takes is the same each time."""
    step, faults, table = counted(28, 1), [], []
    asked = [(row, costly) for row in rows_of(kind) for costly in requests_to(*row)]
    kept = house.daemon.status("RssAnon")
    for row, costly in asked[::step]:
        house.daemon.forget_peak()
        before, worked = house.daemon.status("VmRSS"), house.processor_time()
        status, answered = house.ask(kind, *row, costly)
        memory = house.daemon.status("VmHWM") - before
        worked = house.processor_time() - worked
        table.append((memory, answered, worked, status, *row, costly.name))
        is_too_much = memory > MOST_MEMORY or answered > MOST_ANSWERED + PHOTOS * MOST_OF_A_ROW or worked > MOST_WORK
        if is_too_much or status >= 500:
            faults.append(table[-1])
    show(kind, table)
    assert house.daemon.running and faults == []
    assert house.others_are_served()
    # What was taken for a moment has been given back; the photos, uploads and spaces that came with it stay.
    kept = house.daemon.status("RssAnon") - kept
    print(f"{kind:9}{'kept afterwards':50}{kept / MIB:8.1f}")
    assert kept < 4 * MOST_MEMORY


def show(kind, table):
    """The worst of each route."""
    worst = defaultdict(lambda: (0, 0, 0.0))
    for memory, answered, worked, _, method, path, _ in table:
        worst[method, path] = tuple(map(max, worst[method, path], (memory, answered, worked)))
    print(f"\n{'right':9}{'route':50}{'MiB':>8}{'answer':>10}{'ms':>8}")
    for (method, path), (memory, answered, worked) in worst.items():
        print(f"{kind:9}{method + ' ' + path:50}{memory / MIB:8.1f}{answered:10}{1000 * worked:8.1f}")


# -- What others wait meanwhile

# Of a family's request, in seconds: nobody notices less, and whoever sends takes the same processors meanwhile.
FLOOR = 0.1
FAMILY_REQUESTS = 300
ATTACKING = 4
HARMLESS = ("GET", "/health/live"), [Costly("nothing")]


def waits(family):
    """Seconds of each of a family's requests, in order."""
    found = []
    for _ in range(FAMILY_REQUESTS):
        began = time.monotonic()
        assert family.request("GET", "/api/timeline").status_code == 200
        found.append(time.monotonic() - began)
    return sorted(found)


def p99(found):
    return found[len(found) * 99 // 100 - 1]


def send(house, kind, row, costlies, begun):
    """In a process of its own, whose connections are its own, too."""
    house.people[kind].browser.http.close()

    def send_again_and_again():
        for costly in itertools.cycle(costlies):
            with suppress(requests.RequestException):
                house.ask(kind, *row, costly)
            begun.set()

    threads = [threading.Thread(target=send_again_and_again) for _ in range(ATTACKING)]
    for thread in threads:
        thread.start()


@contextmanager
def beside(house, kind, row, costlies):
    """Whoever has that right sends these without a pause, on several connections. What it takes to write such requests, which
    is more than to answer them, keeps this process from nothing."""
    processes = multiprocessing.get_context("fork")
    begun = processes.Event()
    sender = processes.Process(target=send, args=(house, kind, row, costlies, begun), daemon=True)
    sender.start()
    try:
        assert begun.wait(60), "nothing was answered"
        yield
    finally:
        sender.kill()
        sender.join()


@pytest.mark.soak
@pytest.mark.parametrize("kind", KINDS)
def test_a_family_waits_a_tenth_of_a_second_or_twice_as_long_at_most_whatever_one_right_asks_for(house, kind):
    """As beside as many requests that ask for nothing: whoever sends them takes of this machine's processors, too. Of a
    release, on a machine that does nothing else."""
    family, slow, table = Browser(house.daemon).open(house.owner.password), {}, []
    # What a right has too much of waits for its turn, for minutes with some requests.
    house.people[kind].patience = 5
    for row in rows_of(kind):
        with beside(house, kind, *HARMLESS):
            usual = p99(waits(family))
        with beside(house, kind, row, list(requests_to(*row))):
            found = p99(waits(family))
        table.append((row, usual, found))
        if found > max(2 * usual, FLOOR):
            slow[row] = (usual, found)
    print(f"\n{'right':9}{'route':50}{'usual ms':>10}{'beside ms':>10}")
    for (method, path), usual, found in table:
        print(f"{kind:9}{method + ' ' + path:50}{1000 * usual:10.1f}{1000 * found:10.1f}")
    assert slow == {}
