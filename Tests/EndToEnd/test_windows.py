"""Windows: whoever has the code looks at what its owner shows, also while the vault is locked, and at nothing else."""

import io
import json
import sqlite3
import subprocess
import zipfile
from itertools import pairwise, product

import pytest
from client import Browser, code_of, sha256, wait_until
from faults import kills_at_writes, needs_root
from giving import Visitor, basic, day, make_door
from looking import (
    NO_COPIES,
    SEE,
    Looker,
    change_window,
    files_with_places,
    jpeg_with_place,
    make_window,
    picture,
    read_window,
    try_make_window,
    windows,
)
from strangers import stranger
from test_openapi import operations


def rows(daemon, table, columns="id, length(body)"):
    ledger = sqlite3.connect(f"file:{daemon.data}/ledger.sqlite?mode=ro", uri=True)
    try:
        return ledger.execute(f"SELECT {columns} FROM {table}").fetchall()
    finally:
        ledger.close()


def wait_for_pictures(owner):
    wait_until(lambda: all(photo["picture"] != "pending" for photo in owner.photos()))


def with_photos(owner, *names):
    photos = [owner.put(name, picture(number)) for number, name in enumerate(names)]
    wait_for_pictures(owner)
    return photos


def no(answer):
    return (answer.status_code, code_of(answer))


def test_what_is_shown_is_seen_while_the_vault_is_locked_and_after_a_restart(daemon):
    owner = Browser(daemon).create()
    window = make_window(owner, with_photos(owner, "a.jpg", "b.jpg"))
    assert (window["count"], window["visitors"], window["state"]) == (2, 0, "open")
    assert window["link"].split("/see/#")[1].split("/")[0] == window["code"].replace("-", "")
    owner.lock()
    for restarts in (False, True):
        if restarts:
            daemon.restart()
        looker = Looker(daemon).enter(window)
        assert looker.seen | {"version": 0} == {
            "name": "Rome, for Grandma", "count": 2, "lastDay": day(30), "originals": False, "places": False, "version": 0,
        }  # fmt: skip
        shown = looker.shown()
        assert shown.keys() == {"a.jpg", "b.jpg"}
        for id in shown.values():
            for size in ("thumbnail", "preview"):
                answer = looker.picture(id, size)
                assert (answer.status_code, answer.headers["Content-Type"].split("/")[0]) == (200, "image")
        assert looker.look().json()["count"] == 2
        # Nobody's cookie but the window's counts there, and that counts nowhere else.
        assert no(looker.request("GET", "/api/photos")) == (401, "no-session")
        assert no(Browser(daemon).request("GET", f"{SEE}/timeline")) == (401, "session-ended")
    owner.open()
    (told,) = windows(owner)
    assert (told["visitors"], told["lastSeen"]) == (2, day())
    daemon.stop()
    assert daemon.run("check", "--data", str(daemon.data)).returncode == 0


def test_a_window_that_only_shows_gives_no_original_by_any_route(vault):
    owner = vault()
    content = picture(7)
    photo = owner.put("a.jpg", content)
    wait_for_pictures(owner)
    looker = Looker(owner.daemon).enter(make_window(owner, [photo]))
    (id,) = looker.shown().values()
    tried = 0
    for method, path, operation in operations():
        if operation["tags"] == ["console"]:
            continue
        for known in (id, photo["id"]):
            place = path.replace("{id}", known).replace("{name}", known).replace("{month}", "2026-11")
            for query in ("", "?metadata=all", "?metadata=none", "?download"):
                body = {"ids": [known]} if method in ("post", "put", "patch") else None
                answer = looker.request(method.upper(), place + query, json=body, headers={"Range": "bytes=0-"})
                assert content[200:400] not in answer.content, (method, path)
                tried += 1
        if looker.look().status_code == 401:
            looker.enter(make_window(owner, [photo]))
            (id,) = looker.shown().values()
    assert tried > 500
    for path in ("original", "original?metadata=none"):
        assert no(looker.request("GET", f"{SEE}/photos/{id}/{path}")) == (403, "window-looks-only")
    assert no(looker.request("POST", f"{SEE}/archive", json={"ids": [id]})) == (403, "window-looks-only")
    told = looker.request("GET", f"{SEE}/photos/{id}").json()
    assert told["size"] == 0
    assert not {"sha256", "camera", "place", "given", "albums", "verifiedAt", "modifiedAt", "favourite"} & told.keys()


def test_a_script_with_link_and_disk_has_the_pictures_and_no_original(daemon, tmp_path):
    owner = Browser(daemon).create()
    photos = with_photos(owner, "a.jpg", "b.jpg")
    looking = make_window(owner, photos)
    taking = make_window(owner, photos, originals=True, password="nine amber kettles")
    contents = {photo["name"]: sha256(owner.content(photo)) for photo in photos}
    daemon.stop()

    def opened(window, password=""):
        folder = tmp_path / sha256(f"{window['id']} {password}".encode())
        return read_window(daemon.data, folder, window["code"], password)

    done, found = opened(looking)
    assert done.returncode == 0, done.stderr
    assert sorted(found) == ["a.jpg.preview", "a.jpg.thumbnail", "b.jpg.preview", "b.jpg.thumbnail"]
    assert not set(found.values()) & set(contents.values())
    done, found = opened(taking, "nine amber kettles")
    assert done.returncode == 0, done.stderr
    assert {name: found[name] for name in contents} == contents
    done, found = opened(taking, "nine amber kettle")
    assert (done.returncode, found) == (1, {})


def test_originals_are_fetched_where_that_is_allowed_with_ranges_and_as_one_file(vault):
    owner = vault()
    contents = {name: picture(number) for number, name in enumerate(["a.jpg", "b.jpg"])}
    photos = [owner.put(name, content) for name, content in contents.items()]
    wait_for_pictures(owner)
    looker = Looker(owner.daemon).enter(make_window(owner, photos, originals=True, places=True))
    owner.lock()
    shown = looker.shown()
    for name, id in shown.items():
        assert looker.original(id).content == contents[name]
        part = looker.original(id, headers={"Range": "bytes=10-19"})
        assert (part.status_code, part.content) == (206, contents[name][10:20])
        head = looker.request("HEAD", f"{SEE}/photos/{id}/original")
        assert (head.status_code, head.headers["Content-Length"], head.content) == (200, str(len(contents[name])), b"")
    made = looker.request("POST", f"{SEE}/archive", json={"ids": list(shown.values())})
    assert made.status_code == 201, made.text
    assert made.json()["url"].startswith(f"{SEE}/archive/")
    archive = zipfile.ZipFile(io.BytesIO(looker.request("GET", made.json()["url"]).content))
    assert {name: archive.read(name) for name in archive.namelist()} == contents


def test_originals_come_without_places_unless_these_are_shown(vault):
    owner = vault()
    content = jpeg_with_place()
    photo = owner.put("rome.jpg", content)
    wait_for_pictures(owner)
    window = make_window(owner, [photo], originals=True)
    looker = Looker(owner.daemon).enter(window)
    (id,) = looker.shown().values()
    assert "place" not in looker.request("GET", f"{SEE}/photos/{id}").json()
    for query in ("", "?metadata=all", "?metadata=none"):
        clean = looker.request("GET", f"{SEE}/photos/{id}/original{query}", headers={"Range": "bytes=0-"}).content
        assert clean.startswith(b"\xff\xd8") and b"NIKON" not in clean and len(clean) == len(content)
    change_window(owner, window, places=True)
    looker = Looker(owner.daemon).enter(window)
    (id,) = looker.shown().values()
    assert looker.original(id).content == content
    assert looker.request("GET", f"{SEE}/photos/{id}").json()["place"]["latitude"]


def test_copies_without_places_come_of_every_kind_with_ranges_and_as_one_archive(vault, tmp_path):
    owner = vault()
    (made := tmp_path / "made").mkdir()
    contents = files_with_places(made)
    photos = [owner.put(name, content) for name, content in contents.items()]
    wait_for_pictures(owner)
    looker = Looker(owner.daemon).enter(make_window(owner, photos, originals=True))
    owner.lock()
    shown = looker.shown()
    assert shown.keys() == contents.keys()
    for name, headers in product(NO_COPIES, ({}, {"Range": "bytes=0-9"})):
        assert no(looker.original(shown[name], headers=headers)) == (409, "no-clean-copy")
    (copied := tmp_path / "copied").mkdir()
    for name in contents.keys() - NO_COPIES:
        id = shown[name]
        whole, content = looker.original(id), contents[name]
        assert (whole.status_code, whole.headers["Content-Length"]) == (200, str(len(content))), name
        head = looker.request("HEAD", f"{SEE}/photos/{id}/original")
        assert (head.status_code, head.headers["Content-Length"], head.headers["Accept-Ranges"]) == (200, str(len(content)), "bytes")
        cuts = [0, 1, 37, len(content) // 3, len(content) - 5, len(content)]
        parts = [looker.original(id, headers={"Range": f"bytes={start}-{end - 1}"}) for start, end in pairwise(cuts)]
        assert {part.status_code for part in parts} == {206}
        assert b"".join(part.content for part in parts) == whole.content != content, name
        (copied / name).write_bytes(whole.content)
    said = subprocess.run(
        ["exiftool", "-j", "-n", "-a", "-GPS*", "-Make", "-Model", "-Title", "-DateTimeOriginal", copied, made], capture_output=True,
    ).stdout  # fmt: skip
    facts = {entry.pop("SourceFile"): entry for entry in json.loads(said)}
    assert all(facts[str(made / name)] for name in contents)
    assert [facts[str(path)] for path in copied.iterdir()] == [{}] * (len(contents) - len(NO_COPIES))
    # The archive has them all, and says what it has not.
    ids = list(shown.values())
    answer = looker.request("POST", f"{SEE}/archive", json={"ids": ids[:5]})
    assert answer.status_code == 201, answer.text
    url = answer.json()["url"]
    more = looker.request("POST", url, json={"ids": ids})
    assert (more.status_code, more.json()) == (200, {"url": url, "missing": len(NO_COPIES)})
    whole = looker.request("GET", url)
    archive = zipfile.ZipFile(io.BytesIO(whole.content))
    assert archive.testzip() is None
    assert {name: archive.read(name) for name in archive.namelist()} == {path.name: path.read_bytes() for path in copied.iterdir()}
    cuts = [0, 40, *(len(whole.content) * part // 7 for part in range(1, 8))]
    parts = [looker.request("GET", url, headers={"Range": f"bytes={start}-{end - 1}"}) for start, end in pairwise(cuts)]
    assert b"".join(part.content for part in parts) == whole.content


def test_an_archive_with_places_is_gone_once_these_are_left_out(vault):
    owner = vault()
    photo = owner.put("rome.jpg", jpeg_with_place())
    wait_for_pictures(owner)
    window = make_window(owner, [photo], originals=True, places=True)
    looker = Looker(owner.daemon).enter(window)
    (id,) = looker.shown().values()
    with_places = looker.request("POST", f"{SEE}/archive", json={"ids": [id]}).json()
    assert "missing" not in with_places
    change_window(owner, window, places=False)
    assert looker.look().json()["places"] is False
    for method, wanted in (("GET", None), ("POST", {"ids": [id]})):
        assert no(looker.request(method, with_places["url"], json=wanted)) == (410, "archive-gone")
    without = looker.request("POST", f"{SEE}/archive", json={"ids": [id]}).json()
    assert without["missing"] == 0
    assert b"NIKON" not in looker.request("GET", without["url"]).content


def test_a_password_is_part_of_the_key_and_has_a_lane_of_its_own(daemon):
    owner = Browser(daemon).create()
    photos = with_photos(owner, "a.jpg")
    assert no(try_make_window(owner, photos, password="short")) == (400, "password-too-short")
    window = make_window(owner, photos, password="nine amber kettles")
    assert window["hasPassword"]
    looker = Looker(daemon)
    assert no(looker.try_enter(window)) == (401, "window-password")
    said = [no(looker.try_enter(window, "nine amber kettle")) for _ in range(8)]
    assert said[0] == (401, "window-password") and said[-1] == (429, "too-many-attempts")
    # A code is no guess: who has the link of a window without a password comes in, also beside those who come with any.
    gone = make_window(owner, photos)
    assert owner.request("DELETE", f"/api/windows/{gone['id']}").status_code == 200
    assert {no(looker.try_enter(gone)) for _ in range(20)} == {(404, "no-such-window")}
    Looker(daemon).enter(make_window(owner, photos))
    # Who guesses at a window keeps nobody of the house waiting, and what the house guesses is not counted there.
    Browser(daemon).open(owner.password)
    daemon.restart()
    owner.open()
    window = change_window(owner, window, password="")
    assert not window["hasPassword"]


def test_a_password_of_a_window_leaves_nothing_of_guesses_on_the_disk(daemon):
    """Rows of its own would tell that there is such a window."""
    owner = Browser(daemon).create()
    before = rows(daemon, "throttle", "*")
    window = make_window(owner, with_photos(owner, "a.jpg"), password="nine amber kettles")
    assert no(stranger(daemon, Looker).try_enter(window, "nine amber kettle")) == (401, "window-password")
    stranger(daemon, Looker).enter(window, "nine amber kettles")
    assert rows(daemon, "throttle", "*") == before


def test_another_password_opens_for_those_who_have_it_alone(vault):
    owner = vault()
    photos = with_photos(owner, "a.jpg")
    window = make_window(owner, photos, password="nine amber kettles")
    before = Looker(owner.daemon).enter(window, "nine amber kettles")
    change_window(owner, window, password="seven quiet otters")
    wait_until(lambda: before.look().status_code == 401)
    assert no(before.try_enter(window, "nine amber kettles")) == (401, "window-password")
    assert before.enter(window, "seven quiet otters").shown().keys() == {"a.jpg"}


def test_no_more_browsers_come_than_may_and_each_counts_once(daemon):
    owner = Browser(daemon).create()
    window = make_window(owner, with_photos(owner, "a.jpg"), mostVisitors=2)
    one, other = Looker(daemon).enter(window), Looker(daemon).enter(window)
    assert no(Looker(daemon).try_enter(window)) == (403, "window-full")
    daemon.restart()
    assert no(one.look()) == (401, "session-ended")
    one.enter(window)
    other.enter(window)
    owner.open()
    assert windows(owner)[0]["visitors"] == 2
    change_window(owner, window, mostVisitors=0)
    Looker(daemon).enter(window)


def test_whoever_asks_again_for_a_lost_answer_takes_no_second_place(daemon):
    owner = Browser(daemon).create()
    window = make_window(owner, with_photos(owner, "a.jpg"), mostVisitors=1)
    wanted = {"code": window["code"], "visit": "A" * 22}
    # Each without a cookie, as if the answer with it had not come.
    for _ in range(3):
        assert Looker(daemon).request("POST", f"{SEE}/enter", json=wanted).status_code == 201
    for visit in ("B" * 21 + "A", "A", "A" * 500):
        assert no(Looker(daemon).request("POST", f"{SEE}/enter", json={**wanted, "visit": visit})) == (403, "window-full")
    assert windows(owner)[0]["visitors"] == 1


def test_a_window_that_is_shut_over_or_closed_shows_nothing(daemon):
    owner = Browser(daemon).create()
    photos = with_photos(owner, "a.jpg")
    window = make_window(owner, photos, lastDay=day())
    looker = Looker(daemon).enter(window)
    (id,) = looker.shown().values()
    assert change_window(owner, window, isShut=True)["state"] == "shut"
    for answer in (looker.look(), looker.picture(id)):
        assert no(answer) == (401, "session-ended")
    for answer in (looker.try_enter(window), Looker(daemon).try_enter(window)):
        assert no(answer) == (403, "window-shut")
        assert answer.json()["window"] == "Rome, for Grandma"
    assert change_window(owner, window, isShut=False)["state"] == "open"
    (id,) = looker.enter(window).shown().values()
    assert looker.picture(id).status_code == 200
    assert owner.request("DELETE", f"/api/windows/{window['id']}").status_code == 200
    assert no(looker.picture(id)) == (401, "session-ended")
    assert no(looker.try_enter(window)) == (404, "no-such-window")
    assert no(owner.request("DELETE", f"/api/windows/{window['id']}")) == (404, "no-such-window")
    assert windows(owner) == []


def test_what_is_deleted_is_seen_by_nobody_at_once(daemon):
    owner = Browser(daemon).create()
    photos = with_photos(owner, "a.jpg", "b.jpg", "c.jpg")
    window = make_window(owner, photos, originals=True, places=True)
    looker = Looker(daemon).enter(window)
    shown = looker.shown()
    version = looker.look().json()["version"]
    owner.delete([photos[0]])
    for answer in (looker.picture(shown["a.jpg"]), looker.original(shown["a.jpg"])):
        assert no(answer) == (404, "no-such-photo")
    assert looker.shown().keys() == Looker(daemon).enter(window).shown().keys() == {"b.jpg", "c.jpg"}
    assert looker.look().json()["version"] != version
    # The power goes out: what was answered holds.
    owner.delete([photos[1]])
    daemon.kill9()
    daemon.start()
    assert Looker(daemon).enter(window).shown().keys() == {"c.jpg"}
    owner.open()
    assert owner.request("POST", "/api/photos/restore", json={"ids": [photo["id"] for photo in owner.trash()]}).ok
    wait_until(lambda: Looker(daemon).enter(window).shown().keys() == {"a.jpg", "b.jpg", "c.jpg"})


@needs_root
def test_a_kill_between_making_changing_and_closing_leaves_each_window_with_its_list(daemon, counted):
    owner = Browser(daemon).create()
    few = [("linkat", None, 1), ("pwrite64", None, 2), ("pwrite64", None, 9), ("fdatasync", None, 3)]
    for kill in kills_at_writes(daemon, counted, ["pwrite64", "fdatasync", "linkat"], few):
        photos = [owner.put(f"{kill} {number}.jpg", picture(number) + str(kill).encode()) for number in range(3)]
        wait_for_pictures(owner)
        names = [photo["name"] for photo in photos]
        kept = make_window(owner, photos)
        done = []
        with kill.meanwhile():
            made = make_window(owner, photos[:2])
            done.append("made")
            change_window(owner, made, photos=[photo["id"] for photo in photos[1:]])
            done.append("changed")
            owner.delete(photos[1:2])
            done.append("deleted")
            assert owner.request("DELETE", f"/api/windows/{kept['id']}").ok
            done.append("closed")
        # Before anybody opens the vault, which would put right what is not.
        if "closed" in done:
            assert no(stranger(daemon, Looker).try_enter(kept)) == (404, "no-such-window"), kill
        if "deleted" in done:
            assert stranger(daemon, Looker).enter(made).shown().keys() == {names[2]}, kill
        elif "changed" in done:
            assert stranger(daemon, Looker).enter(made).shown().keys() >= {names[2]}, kill
        elif "made" in done:
            assert stranger(daemon, Looker).enter(made).shown().keys() in ({*names[:2]}, {*names[1:]}), kill
        owner = Browser(daemon).open()
        there = {photo["name"] for photo in owner.photos()}
        for window in windows(owner):
            assert stranger(daemon, Looker).enter(window).shown().keys() <= there, kill
            assert owner.request("DELETE", f"/api/windows/{window['id']}").ok
        assert "damage" not in owner.session()


def test_the_window_of_an_album_follows_it_and_shows_the_door_that_feeds_it(owner):
    daemon = owner.daemon
    photos = with_photos(owner, "a.jpg")
    door = make_door(owner)
    made = owner.request("POST", "/api/albums", json={"name": "Anna & Tom", "ids": [photos[0]["id"]]})
    assert made.status_code == 201, made.text
    window = make_window(owner, albumID=made.json()["id"], doorID=door["id"])
    wall = Looker(daemon).enter(window)
    assert wall.seen["door"] == {"link": door["link"], "code": door["code"], "name": "Anna & Tom"}
    assert wall.shown().keys() == {"a.jpg"}
    Visitor(daemon).enter(door).give("given.jpg", picture(40))
    wait_until(lambda: wall.shown().keys() == {"a.jpg", "given.jpg"})
    # What comes while the vault is locked is there when it was opened.
    owner.lock()
    Visitor(daemon).enter(door).give("later.jpg", picture(41))
    owner.open()
    wait_until(lambda: wall.shown().keys() == {"a.jpg", "given.jpg", "later.jpg"})
    (told,) = windows(owner)
    assert (told["albumID"], told["count"], told["doorID"]) == (made.json()["id"], 3, door["id"])
    change_window(owner, window, doorID="")
    assert "door" not in wall.look().json()


def test_another_key_of_the_vault_leaves_windows_as_they_are(vault):
    owner = vault()
    window = make_window(owner, with_photos(owner, "a.jpg"))
    done = owner.request("POST", "/api/vault/rotate", json={"password": owner.password})
    assert done.status_code == 200, done.text
    assert Looker(owner.daemon).enter(window).shown().keys() == {"a.jpg"}
    assert windows(owner)[0]["code"] == window["code"]


def test_a_windows_code_is_nobodys_password_and_nobody_elses_code_opens_a_window(owner):
    daemon = owner.daemon
    window, door = make_window(owner, with_photos(owner, "a.jpg")), make_door(owner)
    visitor = Browser(daemon)
    for path, method in (("/api/photos", "GET"), ("/dav/", "PROPFIND"), ("/api/photos/x.jpg", "PUT")):
        answer = visitor.request(method, path, headers=basic(window["code"]))
        assert answer.status_code == 401, (path, answer.text)
    assert no(visitor.try_open(window["code"])) == (401, "no-such-vault")
    assert no(Visitor(daemon).try_enter(window)) == (404, "no-such-door")
    assert no(Looker(daemon).try_enter(door)) == (404, "no-such-window")
    assert no(Looker(daemon).try_enter({"code": owner.password})) == (404, "no-such-window")


def test_windows_are_rows_of_doors_and_objects_as_others(daemon):
    owner = Browser(daemon).create()
    photos = with_photos(owner, "a.jpg")
    before = rows(daemon, "door")
    for number in range(3):
        make_window(owner, photos, name=f"Window {number}")
    after = rows(daemon, "door")
    assert len(after) == len(before) + 3
    assert {length for _, length in after} == {1792}
    for file in (daemon.data / "objects").glob("*/*"):
        assert file.stat().st_size % 4096 == 0


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ({"name": ""}, (400, "window-name-invalid")),
        ({"name": "a" * 61}, (400, "window-name-invalid")),
        ({"lastDay": "soon"}, (400, "last-day-invalid")),
        ({"lastDay": day(-2)}, (400, "last-day-invalid")),
        ({"photos": []}, (400, "window-too-large")),
        ({"photos": ["x"]}, (404, "no-such-photo")),
        ({"albumID": "x", "photos": None}, (404, "no-such-album")),
        ({"doorID": "x"}, (404, "no-such-door")),
        ({"visitors": 3}, (400, "malformed-json")),
        ({"mostVisitors": -1}, (400, "malformed-json")),
        ({"mostVisitors": "3"}, (400, "malformed-json")),
    ],
)
def test_what_is_no_window_is_refused(owner, wanted, code):
    photos = [{"id": photo["id"]} for photo in [owner.put("a.jpg", b"a")]]
    answer = owner.request(
        "POST", "/api/windows",
        json={"name": "Rome", "lastDay": day(3), "photos": [photo["id"] for photo in photos]} | wanted,
    )  # fmt: skip
    assert no(answer) == code
    assert windows(owner) == []
