"""One device of the home network that wants everything for itself, beside a family of five that takes photos."""

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import contextmanager
from pathlib import Path

import pytest
from client import PASSWORD, sha256, wait_until
from hostile import ATTACKS
from looking import make_window, picture
from network import HOST, Home, network_or_skip
from pictures import settled

OPEN = {"SAFELIGHT_REGISTRATION": "open"}
FAMILY = [[f"10.77.0.{number}", f"fd77::{number}"] for number in range(11, 16)]
HOSTILE = [f"10.77.1.{number}" for number in range(1, 101)]
VISITORS = [[f"10.77.2.{number}"] for number in range(1, 101)]
# Of each phone in one turn.
UPLOADS = 30
HOSTILE_PASSWORD = "grey pigeons under the bridge"
# Of the phones: what takes longer counts as refused. Beside other tests an answer may take a minute.
PATIENCE = 600
PROGRAM = Path(__file__).with_name("hostile.py")


@pytest.fixture
def home(request):
    """With the hostile device, or with others."""
    if os.geteuid() != 0:
        pytest.skip("network namespaces need root")
    with network_or_skip(pytest.skip, lambda: Home([*FAMILY, *getattr(request, "param", [HOSTILE])])) as home:
        yield home


@pytest.fixture
def daemon(start_daemon, home):
    return start_daemon(wrapper=home.host.wrapper, address=HOST, listen="[::]", environment=OPEN)


class Phone(threading.Thread):
    """One of the family: it does everything in turn, with a pause after each, and writes down how long it took."""

    def __init__(self, device, daemon, source, number, is_over):
        super().__init__(daemon=True)
        self.device, self.target, self.source, self.number, self.is_over = device, daemon, source, number, is_over
        self.browser = device.browser(daemon, source, timeout=PATIENCE).open()
        self.photos, self.names = {}, []
        self.times, self.refusals, self.rounds = defaultdict(list), [], 0

    def run(self):
        """Everything at least once, however slow the machine is."""
        while not (self.is_over.is_set() and all(self.times[act.__name__] for act in ACTS)):
            for act in ACTS:
                self.do(act)
                self.is_over.wait(0.05)
            self.rounds += 1

    def do(self, act):
        began = time.monotonic()
        try:
            act(self)
        except Exception as error:  # noqa: BLE001
            self.refusals.append(f"{act.__name__}: {error!r}"[:400])
        self.times[act.__name__].append(time.monotonic() - began)

    def expect(self, status, method, path, browser=None, **options):
        answer = (browser or self.browser).request(method, path, **options)
        assert answer.status_code == status, (path, answer.status_code, answer.text)
        return answer

    @contextmanager
    def fresh(self, secure=True):
        """A browser that has no connection yet."""
        browser = self.device.browser(self.target, self.source, secure, timeout=PATIENCE)
        try:
            yield browser
        finally:
            browser.http.close()


def page(phone):
    phone.expect(200, "GET", "/")


def session(phone):
    assert phone.expect(200, "GET", "/api/session").json()["kind"] == "vault"


def upload(phone):
    content, name = os.urandom(60_000), f"{phone.number}-{len(phone.names)}.jpg"
    photo = phone.browser.put(name, content)
    phone.names.append(name)
    phone.photos[photo["id"]] = sha256(content)


def listing(phone):
    phone.expect(200, "GET", "/api/photos")


def original(phone):
    for id, digest in list(phone.photos.items())[-1:]:
        assert sha256(phone.expect(200, "GET", f"/api/photos/{id}/original").content) == digest


def new_connection(phone):
    with phone.fresh() as browser:
        phone.expect(200, "GET", "/api/hello", browser)


def health(phone):
    with phone.fresh(secure=False) as browser:
        phone.expect(200, "GET", "/health/live", browser)


def opening(phone):
    """As a browser that was never here before."""
    with phone.fresh() as browser:
        browser.open()
        browser.lock()


ACTS = [page, session, upload, listing, original, new_connection, health, opening]


def percentile(times, part):
    return sorted(times)[min(len(times) - 1, int(len(times) * part))] * 1000


class Family:
    """Five phones in one vault."""

    def __init__(self, home, daemon):
        self.home, self.target = home, daemon
        first = home.devices[0].browser(daemon, FAMILY[0][0])
        first.create(PASSWORD).http.close()

    @contextmanager
    def at_work(self):
        """Yields the phones, which stop with the block."""
        is_over = threading.Event()
        phones = [
            Phone(device, self.target, addresses[0], number, is_over)
            for number, (device, addresses) in enumerate(zip(self.home.devices[:5], FAMILY, strict=True))
        ]
        for phone in phones:
            phone.start()
        try:
            yield phones
        finally:
            is_over.set()
            for phone in phones:
                phone.join()
                phone.browser.http.close()


@contextmanager
def attacks(home, daemon, kinds, code=None):
    """The hostile device does all of these at once, from here on; yields where the counts of each stand at the end.
    `code` is that of a window, for its visitors."""
    others, found = home.devices[len(FAMILY) :], {}
    place = {
        "host": HOST, "port": daemon.port, "sources": HOSTILE, "password": HOSTILE_PASSWORD, "code": code,
        "devices": [device.path for device in others],
    }  # fmt: skip
    running = {
        # Here it shares the processors with the host, to which it gives way: another machine would take none of it.
        kind: subprocess.Popen(
            [*others[0].wrapper, "nice", "-n", "19", sys.executable, str(PROGRAM), kind, json.dumps(place)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for kind in kinds
    }  # fmt: skip
    try:
        for program in running.values():
            assert program.stdout.readline() == "begun\n"
        yield found
    finally:
        for kind, program in running.items():
            output, errors = program.communicate()
            assert program.returncode == 0, f"{kind} ended with {program.returncode}: {errors[-2000:]}"
            found[kind] = json.loads(output)


def measured(phones):
    times = [moment for phone in phones for moments in phone.times.values() for moment in moments]
    refusals = [refusal for phone in phones for refusal in phone.refusals]
    return times, refusals


def row(name, times, refusals):
    return f"{name:24} {len(times):9} {len(refusals):8} {percentile(times, 0.5):9.1f} {percentile(times, 0.99):9.1f}"


TITLE = f"{'':24} {'requests':>9} {'refused':>8} {'p50 ms':>9} {'p99 ms':>9}"


def work(family, seconds):
    with family.at_work() as phones:
        time.sleep(seconds)
    return measured(phones)


@pytest.mark.nightly("systems")
def test_a_hostile_device_keeps_nobody_of_the_family_waiting_for_an_answer(home, daemon):
    """All at once, until everybody has done everything beside it: every honest request is served. How fast is for
    `make soak`."""
    family = Family(home, daemon)
    with family.at_work() as phones, attacks(home, daemon, ATTACKS) as found:
        # Once from here on, where everything else has begun; the round that is under way does not count.
        rounds = [phone.rounds + 2 for phone in phones]
        wait_until(lambda: all(phone.rounds >= least for phone, least in zip(phones, rounds, strict=True)), seconds=3600)
    times, refusals = measured(phones)
    assert refusals == []
    assert sorted(found) == sorted(ATTACKS)
    assert len(times) >= 5 * len(ACTS)
    # Ids are each browser's own.
    assert sorted(phones[0].browser.names()) == sorted(name for phone in phones for name in phone.names)


@pytest.mark.soak
def test_the_family_waits_at_most_twice_as_long_beside_a_hostile_device(home, daemon, capsys):
    """Ten minutes: without it, beside each kind of attack, and beside all of them."""
    family = Family(home, daemon)
    phases = {"nothing": (), **{kind: (kind,) for kind in ATTACKS}, "everything": tuple(ATTACKS)}
    seconds = 600 / (len(phases) + 3)
    found = {}
    for name, kinds in phases.items():
        with attacks(home, daemon, kinds) as counts:
            found[name] = work(family, seconds * (2 if name in ("nothing", "everything") else 1))
        with capsys.disabled():
            print(f"\n{TITLE}" if name == "nothing" else "", row(name, *found[name]), counts or "", sep="\n")
    print("\n".join([TITLE, *(row(name, *result) for name, result in found.items())]))
    assert {name: refusals for name, (_, refusals) in found.items() if refusals} == {}
    usual = percentile(found["nothing"][0], 0.99)
    late = {name: percentile(times, 0.99) for name, (times, _) in found.items() if percentile(times, 0.99) > 2 * usual}
    assert late == {}, f"without it p99 is {usual:.1f} ms"


@pytest.mark.soak
@pytest.mark.parametrize("home", [VISITORS], ids=["party"], indirect=True)
def test_a_window_that_a_hundred_open_at_once_leaves_the_familys_uploads_at_their_pace(home, daemon, capsys):
    """As beside a hundred who ask as often for next to nothing: whoever asks takes of this machine's processors, too. Of a
    release."""
    family = Family(home, daemon)
    owner = home.devices[0].browser(daemon, FAMILY[0][0]).open()
    window = make_window(owner, [owner.put(f"{number}.jpg", picture(number)) for number in range(24)])
    settled(owner)
    found = defaultdict(lambda: [[], []])
    for _ in range(3):
        for name, kinds in (("nobody", ()), ("a hundred callers", ("callers",)), ("a hundred visitors", ("visitors",))):
            # The family is at it when they come.
            with family.at_work() as phones, attacks(home, daemon, kinds, window["code"]) as counts:
                sent = [len(phone.times["upload"]) + UPLOADS for phone in phones]
                wait_until(lambda: all(len(p.times["upload"]) >= least for p, least in zip(phones, sent)), seconds=3600)  # noqa: B023
            for phone in phones:
                found[name][0].extend(phone.times["upload"])
                found[name][1].extend(phone.refusals)
            with capsys.disabled():
                print(f"\n{TITLE}\n{row(name, *found[name])}", counts or "", sep="\n")
            if kinds == ("visitors",):
                # Everybody came in, and saw some of them large.
                came = counts["visitors"]
                assert came["answers 201"] == len(VISITORS) and came["photos seen"] > len(VISITORS)
    assert {name: refusals for name, (_, refusals) in found.items() if refusals} == {}
    usual, beside = (percentile(found[name][0], 0.99) for name in ("a hundred callers", "a hundred visitors"))
    assert beside <= 1.2 * usual, f"beside callers p99 is {usual:.1f} ms, beside visitors {beside:.1f}"
