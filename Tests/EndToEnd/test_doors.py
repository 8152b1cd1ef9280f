"""Doors: whoever has the code gives, and nobody but the owner sees what was given."""

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, plain_session, sha256, wait_until
from faults import FAILED, needs_root, tmpfs
from giving import GIVE, Visitor, basic, day, make_door
from strangers import stranger
from test_metrics import metrics, value
from test_open_store import GIFTS, read
from tus import CONTENT_TYPE, metadata


@pytest.fixture(scope="module")
def standing_daemon(start_standing):
    """Apart from other tests: how many uploads run there is asked."""
    return start_standing()


def rows(daemon, table):
    ledger = sqlite3.connect(f"file:{daemon.data}/ledger.sqlite?mode=ro", uri=True)
    try:
        return ledger.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0]
    finally:
        ledger.close()


def found_by(owner, words):
    return owner.request("GET", "/api/search", params={"q": words}).json().get("name", [])


def wait_for(owner, names):
    wait_until(lambda: owner.names() == sorted(names))


def test_what_is_given_to_a_locked_vault_is_there_once_when_it_is_opened(daemon, seeded):
    owner = Browser(daemon).create()
    door = make_door(owner)
    owner.lock()
    visitor = Visitor(daemon).enter(door, "Mia")
    contents = {f"{number}.jpg": seeded.randbytes(30_000) for number in range(12)}
    for count, (name, content) in enumerate(contents.items()):
        visitor.give(name, content)
        if count == 4:
            daemon.restart()
        if count == 8:
            daemon.kill9()
            daemon.start()
    assert visitor.visit().json() | {"door": None} == {
        "door": None, "giver": "Mia", "count": 12, "byteCount": 12 * 30_000,
    }  # fmt: skip
    owner.open()
    wait_for(owner, contents)
    assert owner.digests() == {name: sha256(content) for name, content in contents.items()}
    (album,) = owner.request("GET", "/api/albums").json()["albums"]
    assert (album["name"], album["count"]) == ("Anna & Tom", 12)
    for photo in owner.photos():
        assert photo["given"] == {"door": {"id": door["id"], "name": "Anna & Tom"}, "giver": "Mia"}
    (news,) = owner.request("GET", "/api/doors/news").json()["news"]
    assert (news["count"], news["givers"], news["unnamed"], news["waiting"]) == (12, ["Mia"], 0, 0)
    answer = visitor.visit()
    assert (answer.status_code, code_of(answer)) == (401, "session-ended")
    assert rows(daemon, "arrival") == rows(daemon, "guest") == 0
    daemon.restart()
    owner.open()
    assert len(owner.photos()) == 12
    assert owner.request("GET", "/api/doors/news").json()["news"][0]["count"] == 12
    assert owner.request("DELETE", "/api/doors/news").status_code == 200
    assert owner.request("GET", "/api/doors/news").json()["news"] == []
    daemon.stop()
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0


def test_while_the_vault_is_open_what_is_given_comes_by_itself_and_the_giver_enters_anew(owner):
    daemon = owner.daemon
    door = make_door(owner)
    visitor = Visitor(daemon).enter(door)
    visitor.give("a.jpg", b"a")
    visitor.give("b.jpg", b"b")
    wait_for(owner, ["a.jpg", "b.jpg"])
    wait_until(lambda: visitor.visit().status_code == 401)
    visitor.enter(door)
    assert visitor.given() == []
    visitor.give("c.jpg", b"c")
    wait_for(owner, ["a.jpg", "b.jpg", "c.jpg"])
    (news,) = owner.request("GET", "/api/doors/news").json()["news"]
    assert (news["count"], news["givers"], news["unnamed"]) == (3, [], 3)


@needs_root
def test_what_finds_no_room_in_the_vault_is_kept_outside_and_told_and_comes_in_when_there_is_some(start_daemon, tmp_path):
    with tmpfs(tmp_path / "small", 240) as disk:
        daemon = start_daemon(data=disk / "data", environment={"SAFELIGHT_LIMITS_VAULT_SHARE": "10"})
        owner = Browser(daemon).create()
        door = make_door(owner)
        owner.put("own.bin", bytes(18 << 20))
        owner.lock()
        Visitor(daemon).enter(door).give("given.bin", bytes(8 << 20))
        owner.open()

        def obstacle():
            return owner.request("GET", "/api/doors").json()["doors"][0].get("obstacle")

        wait_until(lambda: obstacle() == "vault-full")
        (news,) = owner.request("GET", "/api/doors/news").json()["news"]
        assert (news["count"], news["obstacle"]) == (0, "vault-full")
        # Without the door's keys nobody could take it any more.
        refused = owner.request("DELETE", f"/api/doors/{door['id']}")
        assert (refused.status_code, code_of(refused)) == (507, "vault-full")
        assert owner.names() == ["own.bin"]
        daemon.restart()
        owner.open()
        wait_until(lambda: obstacle() == "vault-full")
        owner.delete(owner.photos())
        assert owner.request("DELETE", "/api/trash").status_code == 200
        wait_for(owner, ["given.bin"])
        assert obstacle() is None
        assert owner.request("DELETE", f"/api/doors/{door['id']}").status_code == 200


def test_a_door_stays_until_what_is_on_its_way_in_is_in(owner):
    daemon = owner.daemon
    door = make_door(owner)
    owner.lock()
    visitor = Visitor(daemon).enter(door)
    visitor.give("before.jpg", b"before")
    more = threading.Event()

    def slowly():
        yield b"on its"
        more.wait(60)
        yield b" way"

    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(visitor.try_give, "way.jpg", slowly())
        try:
            wait_until(lambda: value(metrics(daemon), "safelight_uploads_in_flight") == 1)
            owner.open()
            refused = owner.request("DELETE", f"/api/doors/{door['id']}")
            assert (refused.status_code, code_of(refused)) == (503, "busy")
            assert owner.request("GET", "/api/doors").json()["doors"][0]["state"] == "shut"
        finally:
            more.set()
        assert sending.result().status_code == 201
    wait_for(owner, ["before.jpg", "way.jpg"])
    assert owner.request("DELETE", f"/api/doors/{door['id']}").status_code == 200


def test_one_slow_program_keeps_no_other_out_and_the_owner_gets_it_when_it_has_ended(owner):
    daemon = owner.daemon
    door = make_door(owner)
    owner.lock()
    more = threading.Event()

    def slowly():
        yield b"slow"
        more.wait(60)

    def put(name, data):
        return plain_session(daemon).put(f"{daemon.url}/api/photos/{name}", data=data, headers=basic(door["code"]))

    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(put, "slow.jpg", slowly())
        try:
            wait_until(lambda: value(metrics(daemon), "safelight_uploads_in_flight") == 1)
            owner.open()
            for number in range(5):
                answer = put(f"{number}.jpg", f"{number}")
                assert answer.status_code == 201, answer.text
        finally:
            more.set()
        assert sending.result().status_code == 201
    wait_for(owner, ["slow.jpg", *(f"{number}.jpg" for number in range(5))])


def test_a_giver_sees_and_takes_back_what_they_gave_and_nothing_else(owner):
    daemon = owner.daemon
    door = make_door(owner)
    owner.put("secret.jpg", b"the owner's own")
    owner.lock()
    mia, jo = Visitor(daemon).enter(door, "Mia"), Visitor(daemon).enter(door, "Jo")
    photo = mia.give("mia.jpg", b"mia")
    jo.give("jo.jpg", b"jo")
    assert [found["name"] for found in mia.given()] == ["mia.jpg"]
    assert [found["name"] for found in jo.given()] == ["jo.jpg"]
    assert jo.request("DELETE", f"{GIVE}/photos/{photo['id']}").status_code == 404
    assert mia.request("DELETE", f"{GIVE}/photos/{photo['id']}").status_code == 200
    assert mia.given() == []
    owner.open()
    wait_for(owner, ["jo.jpg", "secret.jpg"])
    (found,) = owner.request("GET", "/api/doors").json()["doors"]
    assert (found["givenPhotos"], found["givenBytes"]) == (1, 2)


ELSEWHERE = [
    ("GET", "/api/photos"), ("GET", "/api/session"), ("GET", "/api/albums"), ("GET", "/api/doors"),
    ("GET", f"{GIVE}/albums"), ("GET", f"{GIVE}/trash"), ("GET", f"{GIVE}/doors"), ("GET", f"{GIVE}/search?q=a"),
    ("POST", f"{GIVE}/archive"), ("POST", f"{GIVE}/photos/delete"), ("GET", f"{GIVE}/timeline"),
]  # fmt: skip


def test_a_visitors_cookie_counts_nowhere_else(owner):
    visitor = Visitor(owner.daemon).enter(make_door(owner))
    (cookie,) = [cookie for cookie in visitor.http.cookies if cookie.name.endswith("-give")]
    assert cookie.path == "/give"
    # Under every name that counts somewhere.
    for name in (cookie.name, cookie.name.removesuffix("-give"), cookie.name.removesuffix("-give") + "-guest"):
        visitor.http.cookies.set(name, cookie.value, path="/", domain=cookie.domain)
    answers = {(method, path): visitor.request(method, path) for method, path in ELSEWHERE}
    taken = {
        route: answer.text for route, answer in answers.items()
        if not (answer.status_code in (401, 404, 405) or answer.json()["kind"] == "none")
    }  # fmt: skip
    assert taken == {}


def test_who_says_which_door_is_meant_gives_nothing_at_another(standing_daemon, standing_vault):
    here, there = make_door(standing_vault(), "here"), make_door(standing_vault(), "there")
    visitor = Visitor(standing_daemon)
    first = visitor.try_enter(here).json()["id"]
    # The same browser goes to another door: it has one cookie.
    second = visitor.try_enter(there).json()["id"]
    for path, method in ((f"{GIVE}/session", "GET"), (f"{GIVE}/photos", "GET"), (f"{GIVE}/photos/a.jpg", "PUT")):
        answer = visitor.request(method, path, headers={"Safelight-Door": first}, data=b"a" if method == "PUT" else None)
        assert (answer.status_code, code_of(answer)) == (401, "session-ended"), path
    assert visitor.request("GET", f"{GIVE}/photos", headers={"Safelight-Door": second}).json()["photos"] == []


def test_a_vaults_cookie_counts_not_at_the_door(owner):
    for cookie in list(owner.http.cookies):
        owner.http.cookies.set(cookie.name + "-give", cookie.value, path="/give", domain=cookie.domain)
    assert owner.request("GET", f"{GIVE}/photos").status_code == 401
    assert stranger(owner.daemon).request("GET", f"{GIVE}/session", headers=basic(owner.password)).status_code == 401


def test_a_code_sends_as_a_password_and_does_nothing_else(daemon):
    owner = Browser(daemon).create()
    door = make_door(owner)
    owner.put("own.jpg", b"own")
    owner.lock()
    program = plain_session(daemon)
    program.headers.clear()
    put = program.put(daemon.url + "/api/photos/sent.jpg", data=b"sent", headers=basic(door["code"]))
    assert put.status_code == 201, put.text
    form = program.post(
        daemon.url + "/api/photos", data={"password": door["code"]}, files={"file": ("form.jpg", b"form")}
    )  # fmt: skip
    assert form.status_code in (200, 201), form.text
    for method, path in (
        ("GET", "/api/photos"), ("GET", "/api/albums"), ("GET", f"/api/photos/{put.json()['id']}/original"),
        ("POST", "/api/batches"), ("GET", "/api/timeline"),
    ):  # fmt: skip
        answer = program.request(method, daemon.url + path, headers=basic(door["code"]))
        assert (answer.status_code, code_of(answer)) == (403, "only-sends"), path
    assert program.get(daemon.url + "/api/photos", headers=basic("0000-0000-0000-0000-0000-0000-0000")).status_code == 401
    daemon.kill9()
    daemon.start()
    check = [{"size": 4, "sha256": sha256(b"sent")}]
    known = lambda: program.post(daemon.url + "/api/uploads/check", json=check, headers=basic(door["code"])).json()  # noqa: E731
    wait_until(lambda: known() == ["known"])
    owner.open()
    wait_for(owner, ["form.jpg", "own.jpg", "sent.jpg"])


def test_a_door_says_when_it_is_shut_over_or_full(owner):
    daemon = owner.daemon
    door = make_door(owner, byteLimit=1000, photoLimit=2)
    visitor = Visitor(daemon).enter(door)
    look = visitor.request("POST", f"{GIVE}/look", json={"code": door["code"]}).json()
    assert (look["name"], look["bytesLeft"], look["photosLeft"], look["lastDay"]) == ("Anna & Tom", 1000, 2, day(3))
    answer = visitor.try_give("large.jpg", b"a" * 1001)
    assert (answer.status_code, code_of(answer)) == (507, "door-full")
    visitor.give("a.jpg", b"a")
    owner.lock()
    visitor.enter(door)
    visitor.give("b.jpg", b"b")
    answer = visitor.try_give("c.jpg", b"c")
    assert (answer.status_code, code_of(answer)) == (507, "door-full")
    owner.open()
    shut = owner.request("PATCH", f"/api/doors/{door['id']}", json={"isShut": True, "photoLimit": 9}).json()
    assert shut["state"] == "shut"
    answer = Visitor(daemon).try_enter(door)
    assert (answer.status_code, code_of(answer), answer.json()["door"]) == (410, "door-shut", "Anna & Tom")
    assert owner.request("PATCH", f"/api/doors/{door['id']}", json={"isShut": False}).json()["state"] == "open"
    Visitor(daemon).enter(door).give("d.jpg", b"d")
    assert owner.request("DELETE", f"/api/doors/{door['id']}").status_code == 200
    assert "d.jpg" in owner.names()
    answer = stranger(daemon, Visitor).try_enter(door)
    assert (answer.status_code, code_of(answer)) == (404, "no-such-door")
    assert owner.request("GET", "/api/doors").json() == {"doors": []}


def test_uploads_that_do_not_end_count_against_the_limits_of_the_door(owner):
    daemon = owner.daemon
    door = make_door(owner, byteLimit=3_000_000, photoLimit=2)
    owner.lock()
    hoarder, visitor = Visitor(daemon).enter(door), Visitor(daemon).enter(door)
    version = {"Tus-Resumable": "1.0.0"}
    fields = {"Upload-Length": "2900000", "Upload-Metadata": metadata(filename="a.jpg"), "Content-Type": CONTENT_TYPE}
    answer = hoarder.request("POST", f"{GIVE}/uploads", headers={**version, **fields}, data=b"a" * 2_000_000)
    assert answer.status_code == 201, answer.text
    refused = visitor.try_give("b.jpg", b"b" * 1_500_000)
    assert (refused.status_code, code_of(refused)) == (507, "door-full")
    visitor.give("c.jpg", b"c")
    refused = visitor.try_give("d.jpg", b"d")
    assert (refused.status_code, code_of(refused)) == (507, "door-full")
    assert hoarder.request("DELETE", answer.headers["Location"], headers=version).status_code == 204
    visitor.give("b.jpg", b"b" * 1_500_000)


def test_what_waits_is_in_no_list_until_the_owner_has_looked(daemon):
    owner = Browser(daemon).create()
    door = make_door(owner, lookFirst=True)
    owner.lock()
    visitor = Visitor(daemon).enter(door, "Mia")
    for name in ("good.jpg", "bad.jpg", "later.jpg"):
        visitor.give(name, name.encode())
    owner.open()
    waiting = lambda: owner.request("GET", "/api/doors/waiting").json()["photos"]  # noqa: E731
    wait_until(lambda: len(waiting()) == 3)
    assert owner.names() == [] and owner.trash() == []
    assert owner.request("GET", "/api/albums").json()["albums"] == []
    assert found_by(owner, "mia") == []
    found = {photo["name"]: photo["id"] for photo in waiting()}
    # Neither a delete nor a restore reaches it.
    owner.request("POST", "/api/photos/delete", json={"ids": list(found.values())})
    owner.request("POST", "/api/trash/delete", json={"ids": list(found.values())})
    assert len(waiting()) == 3
    (news,) = owner.request("GET", "/api/doors/news").json()["news"]
    assert (news["count"], news["waiting"]) == (3, 3)
    taken = owner.request("POST", "/api/doors/waiting/take", json={"ids": [found["good.jpg"]]})
    assert taken.json() == {"count": 1}
    assert owner.request("POST", "/api/doors/waiting/refuse", json={"ids": [found["bad.jpg"]]}).json() == {"count": 1}
    assert owner.names() == ["good.jpg"]
    assert [photo["name"] for photo in owner.trash()] == ["bad.jpg"]
    daemon.restart()
    owner.open()
    assert [one["id"] for one in owner.request("GET", "/api/doors").json()["doors"]] == [door["id"]]
    assert [photo["name"] for photo in waiting()] == ["later.jpg"]
    assert found_by(owner, "mia") == found_by(owner, "tom") == ["good.jpg"]
    assert [album["count"] for album in owner.request("GET", "/api/albums").json()["albums"]] == [1]


def test_what_the_vault_has_already_is_kept_once(owner):
    door = make_door(owner)
    owner.put("mine.jpg", b"the same photo")
    owner.lock()
    visitor = Visitor(owner.daemon).enter(door, "Mia")
    visitor.give("theirs.jpg", b"the same photo")
    owner.open()
    # Their visit is over once the vault has taken what they gave.
    wait_until(lambda: visitor.visit().status_code == 401)
    wait_until(lambda: owner.names() == ["mine.jpg"])


def test_what_a_program_sends_again_each_night_does_not_fill_the_door(owner):
    daemon = owner.daemon
    door = make_door(owner, photoLimit=4)
    owner.put("own.jpg", b"own")
    wait_until(lambda: all("verifiedAt" in photo for photo in owner.photos()))
    left = lambda: Browser(daemon).request("POST", f"{GIVE}/look", json={"code": door["code"]}).json()["photosLeft"]  # noqa: E731
    for contents, rest in (([b"1", b"2"], 2), ([b"1", b"2"], 2), ([b"1", b"own"], 1)):
        owner.lock()
        program = plain_session(daemon)
        program.headers.clear()
        for content in contents:
            name = content.decode()
            answer = program.put(f"{daemon.url}/api/photos/{name}.jpg", data=content, headers=basic(door["code"]))
            assert answer.status_code == 201
        owner.open()
        # What the owner had from elsewhere counts each time: nobody learns by it that it was there.
        wait_until(lambda: owner.names() == ["1.jpg", "2.jpg", "own.jpg"] and left() == rest)  # noqa: B023
        wait_until(lambda: all("verifiedAt" in photo for photo in owner.photos()))


def test_doors_are_the_vaults_own(owner):
    guest = Browser(owner.daemon).begin_guest()
    answer = guest.request("GET", "/api/doors")
    assert (answer.status_code, code_of(answer)) == (403, "vault-needed")
    for wrong in ({"name": ""}, {"name": "x" * 61}, {"lastDay": day(-2)}, {"lastDay": day(400)}, {"lastDay": "soon"}):
        answer = owner.request("POST", "/api/doors", json={"name": "a", "lastDay": day(1), **wrong})
        assert answer.status_code == 400, wrong
    door = make_door(owner)
    svg = owner.request("GET", f"/api/doors/{door['id']}/code.svg?link=1")
    assert svg.headers["Content-Type"] == "image/svg+xml" and svg.text.startswith("<svg")
    assert f'/give/#{door["code"].replace("-", "")}/' in door["link"]
    other = Browser(owner.daemon).create(OTHER_PASSWORD)
    assert other.request("GET", "/api/doors").json() == {"doors": []}
    assert other.request("DELETE", f"/api/doors/{door['id']}").status_code == 404
    assert owner.request("GET", "/api/doors").json()["doors"] == [door]


def test_a_program_that_asks_first_is_told_what_the_vault_has_taken_from_it(owner):
    daemon = owner.daemon
    door = make_door(owner)
    owner.put("own.jpg", b"own")
    program = plain_session(daemon)
    program.headers.clear()
    sent = program.put(daemon.url + "/api/photos/sent.jpg", data=b"sent", headers=basic(door["code"]))
    assert sent.status_code == 201
    wait_for(owner, ["own.jpg", "sent.jpg"])
    Visitor(daemon).enter(door).give("others.jpg", b"others")
    wait_for(owner, ["others.jpg", "own.jpg", "sent.jpg"])
    asked = [{"size": len(content), "sha256": sha256(content)} for content in (b"sent", b"own", b"others")]
    answer = program.post(daemon.url + "/api/uploads/check", json=asked, headers=basic(door["code"]))
    assert answer.json()[1:] == ["new", "new"]
    assert answer.json()[0] == "known"


def test_an_erased_vault_takes_its_doors_along(owner):
    door = make_door(owner)
    visitor = Visitor(owner.daemon).enter(door)
    assert owner.request("DELETE", "/api/vault", json={"password": owner.password}).status_code == 202
    answer = visitor.try_give("a.jpg", b"a")
    assert (answer.status_code, code_of(answer)) == (404, "no-such-door")
    assert stranger(owner.daemon, Visitor).try_enter(door).status_code == 404


def test_another_program_tells_from_the_format_alone_what_waits_and_what_lies_at_a_door(daemon, tmp_path):
    owner = Browser(daemon).create()
    first = make_door(owner, lookFirst=True)
    Visitor(daemon).enter(first).give("waiting.jpg", b"w")
    wait_until(lambda: owner.request("GET", "/api/doors/waiting").json()["photos"])
    lake = make_door(owner, name="Lake")
    owner.lock()
    Browser(daemon).begin_guest()
    Visitor(daemon).enter(lake, "Mia").give("a.jpg", b"a")
    daemon.stop()
    told = read(daemon.data, PASSWORD)
    assert told.returncode == 0, told.stderr
    assert told.stdout.endswith("waiting.jpg  (waits)\n") and told.stdout.count("\n") == 1
    told = read(daemon.data, PASSWORD, "--to", tmp_path / "out", reader=GIFTS)
    assert told.returncode == 0, told.stderr
    *doors, photo = told.stdout.splitlines()
    expected = [f"door until {day(3)}: {door['name']}, {door['code']}" for door in (first, lake)]
    assert sorted(doors) == sorted(expected) and photo.endswith("a.jpg")
    assert (tmp_path / "out/a.jpg").read_bytes() == b"a"
    assert (tmp_path / "out/about.csv").read_text().splitlines() == ["a.jpg,,,,,0,,Lake,Mia"]


class Giver:
    """Somebody who gives without a pause, and enters anew whenever their visit is over."""

    def __init__(self, daemon, door, number, seeded):
        self.visitor, self.door, self.number = Visitor(daemon), door, number
        self.pool = seeded.randbytes(60_000)
        self.attempted, self.saved = {}, {}
        self.answered = threading.Semaphore(0)

    def wait_for_answer(self):
        is_giving = True
        while not self.answered.acquire(timeout=1):
            assert is_giving, "nothing is taken any more"
            is_giving = self.thread.is_alive()

    def begin(self, stopping):
        self.thread = threading.Thread(target=self.give_until_cut_off, args=(stopping,))
        self.thread.start()

    def give_until_cut_off(self, stopping):
        while not stopping.is_set():
            name = f"{self.number}-{len(self.attempted)}.jpg"
            content = name.encode() + self.pool[: 1000 + len(self.attempted) * 997 % 50_000]
            self.attempted[name] = sha256(content)
            try:
                answer = self.visitor.try_give(name, content)
                if answer.status_code == 401:
                    self.visitor.try_enter(self.door, f"giver {self.number}")
            except FAILED:
                return
            if answer.status_code == 201:
                self.saved[name] = self.attempted[name]
                self.answered.release()


def test_kills_between_giving_arriving_and_moving_lose_nothing_and_double_nothing(daemon, seeded, counted):
    owner = Browser(daemon).create()
    door = make_door(owner, photoLimit=100_000)
    owner.lock()
    givers = [Giver(daemon, door, number, seeded) for number in range(3)]
    for number in range(counted(5, 300)):
        stopping = threading.Event()
        for giver in givers:
            giver.begin(stopping)
        for _ in range(seeded.randrange(1, 6)):
            givers[number % 3].wait_for_answer()
        if number % 3:
            # The move begins behind the answer, and the moment of the end is any within it.
            owner.try_open(PASSWORD)
            for _ in range(seeded.randrange(20)):
                owner.session()
        daemon.kill9()
        stopping.set()
        for giver in givers:
            giver.thread.join()
        daemon.start()
    owner.open()
    wait_until(lambda: rows(daemon, "guest") == 0)
    names = owner.names()
    assert len(names) == len(set(names)), "something came twice"
    saved = {name: digest for giver in givers for name, digest in giver.saved.items()}
    attempted = {name: digest for giver in givers for name, digest in giver.attempted.items()}
    assert saved.keys() <= set(names) <= attempted.keys()
    for photo in owner.photos():
        assert sha256(owner.content(photo)) == attempted[photo["name"]]
        assert photo["given"]["giver"] == f"giver {photo['name'][0]}"
    assert "damage" not in owner.session()
    assert rows(daemon, "arrival") == 0
    assert len(daemon.object_files()) == len(names)
    (album,) = owner.request("GET", "/api/albums").json()["albums"]
    assert album["count"] == len(names)
