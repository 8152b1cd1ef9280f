"""Broken requests, over plain HTTP and over TLS: each is refused, once, and nothing of it is carried out."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from cases import first
from client import Browser
from faults import cookie_header
from malformed import Case, Demand, Requests
from places import PLACES, PLAIN, TLS
from rawhttp import NotHTTP, answers, exchange

AT_ONCE = 8
CANARY_PATH = "/index.html"
# Cut heads over TLS are waited for so long; but a handshake on a busy machine has to come within it.
HEADER_SECONDS = {"SAFELIGHT_LIMITS_HEADER": "3"}


def canary(daemon, tag):
    """A request whose answer cannot be taken for another's: 304. It is the last on its connection."""
    return (
        f"GET {CANARY_PATH} HTTP/1.1\r\nHost: {daemon.address}:{daemon.port}\r\nIf-None-Match: {tag}\r\nConnection: close\r\n\r\n"
    ).encode()


def page_tag(browser):
    """Of the page as somebody gets it who does not say that it may be packed."""
    return browser.request("GET", CANARY_PATH, headers={"Accept-Encoding": "identity"}).headers["ETag"]


class Library:
    """A vault with a photo and one in the trash, and how many photos malformed requests have added by right."""

    def __init__(self, daemon):
        self.browser = Browser(daemon).create()
        self.browser.put("mine.jpg", b"mine")
        self.browser.put("trashed.jpg", b"trashed")
        self.browser.delete([entry for entry in self.browser.photos() if entry["name"] == "trashed.jpg"])
        self.added = 0

    def check(self):
        """Nothing is there but what was confirmed, and nothing has gone."""
        names = self.browser.names()
        assert names == ["mine.jpg"] + ["x.jpg"] * self.added, names
        assert [entry["name"] for entry in self.browser.trash()] == ["trashed.jpg"]


def fault_of(case, place, behind, daemon):
    """(fault, statuses): what is wrong with the daemon's answers to one case, None if nothing is."""
    half = place is PLAIN and case.demand in (Demand.HALF, Demand.ANY)
    with place.connect(daemon) as connection:
        try:
            found = answers(exchange(connection, case.content + behind, then_close=half))
            return case.fault(found), [answer.status for answer in found]
        except TimeoutError:
            return "left open", []
        except NotHTTP as error:
            return f"no answer but {error.args[0][:100]!r}", []


def send_all(cases, place, daemon, library):
    """Sends every case, each on a connection of its own with a canary behind it; returns the faults by name."""
    behind = canary(daemon, page_tag(library.browser))
    faults = {}
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for start in range(0, len(cases), 100):
            hundred = cases[start : start + 100]
            results = list(pool.map(lambda case: fault_of(case, place, behind, daemon), hundred))
            for case, (fault, statuses) in zip(hundred, results, strict=True):
                library.added += statuses[:1] == [201]
                if fault:
                    faults[case.name] = fault
            assert library.browser.request("GET", "/health").json()["status"] == "pass"
    return faults


@pytest.mark.parametrize("place", first(1, PLACES), ids=str)
def test_malformed_requests_are_refused_once_and_harm_nobody(start_daemon, seeded, counted, place):
    daemon = start_daemon(environment=HEADER_SECONDS)
    library = Library(daemon)
    cases = Requests(f"127.0.0.1:{daemon.port}", place.origin(daemon), cookie_header(library.browser)).all()
    assert len(cases) >= 600
    if place is TLS:
        # A body that lacks its end is waited for during the grace, which no setting shortens, and TLS cannot half-close.
        cases = [case for case in cases if case.demand is not Demand.HALF or case.name.startswith("cut_heads")]
    faults = send_all(cases, place, daemon, library)
    assert daemon.running
    assert not faults, f"{len(faults)} of {len(cases)}:\n" + "\n".join(f"{name}: {fault}" for name, fault in faults.items())
    library.check()


def mutated(cases, seeded, count):
    """The cases with bytes changed, taken out, doubled and moved: whatever comes of that."""
    for number in range(count):
        content = bytearray(seeded.choice(cases).content[:4096])
        for _ in range(seeded.randint(1, 4)):
            place, length = seeded.randint(0, len(content)), seeded.randint(1, 8)
            piece = content[place : place + length]
            match seeded.randrange(4):
                case 0:
                    content[place : place + 1] = bytes([seeded.randrange(256)])
                case 1:
                    del content[place : place + length]
                case 2:
                    content[place:place] = piece
                case 3:
                    content[place:place] = seeded.choice([b"\r\n", b"\n", b"\r", b"\0", b" ", b":", b"\t", b"\xff", b"0\r\n\r\n"])
        yield Case(f"mutation {number} of {bytes(content)!r}", bytes(content), Demand.ANY)


def test_mutated_requests_never_fail_and_harm_nobody(start_daemon, seeded, counted):
    daemon = start_daemon(environment=HEADER_SECONDS)
    library = Library(daemon)
    # Without the credentials: a mutation may be a right request.
    cases = Requests(f"127.0.0.1:{daemon.port}", daemon.url, "safelight=x").all()
    faults = send_all(list(mutated(cases, seeded, counted(300, 100_000))), PLAIN, daemon, library)
    assert daemon.running
    assert not faults, list(faults.items())[:20]
    library.check()
