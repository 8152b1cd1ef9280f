"""Albums, hearts, captions, dates by hand and rotation: what a client sees, and what survives."""

import csv
import io
import sqlite3
import threading
import zipfile

import pytest
from albums import add, albums, make, names_in
from client import OTHER_PASSWORD, PASSWORD, Browser, code_of, wait_until
from contract import document
from faults import kills_at_writes, needs_root, run_failing
from giving import make_door
from test_rotation import rotate
from tus import Tus


def patch(browser, photo, **words):
    return browser.request("PATCH", f"/api/photos/{photo['id']}", json=words)


def heart(browser, photos, on=True):
    return browser.request("POST", "/api/photos/favourite", json={"ids": [photo["id"] for photo in photos], "on": on})


def alone(browser, photo):
    return browser.request("GET", f"/api/photos/{photo['id']}").json()


def test_an_album_is_made_filled_renamed_and_deleted(vault):
    browser = vault()
    one, two = browser.put("one.jpg", b"1"), browser.put("two.jpg", b"22")
    album = make(browser, "  Rome ", [one])
    assert (album["name"], album["count"], album["cover"]) == ("Rome", 1, one["id"])
    assert add(browser, album["id"], [one, two]).json() == {"count": 1}
    assert names_in(browser, album["id"]) == ["one.jpg", "two.jpg"]
    assert alone(browser, one)["albums"] == [{"id": album["id"], "name": "Rome"}]
    taken = browser.request("POST", "/api/albums", json={"name": "rome"})
    assert (taken.status_code, code_of(taken), taken.json()["album"]) == (409, "album-name-taken", album["id"])
    changed = browser.request("PATCH", f"/api/albums/{album['id']}", json={"name": "ROME", "cover": one["id"]}).json()
    assert (changed["name"], changed["cover"]) == ("ROME", one["id"])
    cover = browser.request("PATCH", f"/api/albums/{album['id']}", json={"cover": None}).json()["cover"]
    assert cover == two["id"]
    assert add(browser, album["id"], [one, two], "DELETE").json() == {"count": 2}
    assert "cover" not in browser.request("GET", f"/api/albums/{album['id']}").json()
    add(browser, album["id"], [two])
    assert browser.request("DELETE", f"/api/albums/{album['id']}?photos=delete").json() == {"count": 1}
    assert albums(browser) == [] and browser.names() == ["one.jpg"]
    assert [photo["name"] for photo in browser.trash()] == ["two.jpg"]


def test_what_is_to_be_changed_has_the_fields_of_the_document_and_no_misspelt_ones(vault):
    browser = vault()
    photo = browser.put("a.jpg", b"a")
    places = {
        "PhotoChangePayload": f"/api/photos/{photo['id']}", "DoorRequestPayload": f"/api/doors/{make_door(browser)['id']}",
        "AlbumChangePayload": f"/api/albums/{make(browser, 'Rome', [photo])['id']}",
    }  # fmt: skip
    for schema, path in places.items():
        fields = document()["components"]["schemas"][schema]["properties"]
        assert browser.request("PATCH", path, json=dict.fromkeys(fields)).status_code == 200, schema
        for name in fields:
            answer = browser.request("PATCH", path, json={name: None, name.upper(): None})
            assert (answer.status_code, code_of(answer)) == (400, "malformed-json") and name.upper() in answer.json()["title"]


REFUSED = [
    ("POST", "/api/albums", {"name": " "}, 400, "album-name-empty"),
    ("POST", "/api/albums", {"name": "x" * 201}, 400, "album-name-too-long"),
    ("POST", "/api/albums", {}, 400, "malformed-json"),
    ("POST", "/api/albums", {"name": "a", "ids": ["AAAAAAAAAAAAAAAAAAAAAA"]}, 404, "no-such-photo"),
    ("GET", "/api/albums/AAAAAAAAAAAAAAAAAAAAAA", None, 404, "no-such-album"),
    ("GET", "/api/albums/favourites", None, 404, "no-such-album"),
    ("GET", "/api/albums/AAAAAAAAAAAAAAAAAAAAAA/timeline", None, 404, "no-such-album"),
    ("PATCH", "/api/albums/favourites", {"name": "b"}, 404, "no-such-album"),
    ("DELETE", "/api/albums/favourites", None, 404, "no-such-album"),
    ("DELETE", "/api/albums/AAAAAAAAAAAAAAAAAAAAAA?photos=keep", None, 400, "malformed-request"),
    ("POST", "/api/albums/AAAAAAAAAAAAAAAAAAAAAA/photos", {"ids": []}, 404, "no-such-album"),
    ("POST", "/api/photos/shift", {"ids": [], "minutes": 1.5}, 400, "malformed-json"),
    ("POST", "/api/photos/favourite", {"ids": []}, 400, "malformed-json"),
]


@pytest.mark.parametrize("photos", ["stay", "go along"])
def test_a_deleted_album_comes_back_as_it_was(vault, photos):
    browser = vault()
    other = Browser(browser.daemon).open(browser.password)
    one, two, three = (browser.put(f"{name}.jpg", name.encode()) for name in ("one", "two", "three"))
    made = make(browser, "Rome", [one, two, three])
    assert browser.request("PATCH", f"/api/albums/{made['id']}", json={"cover": one["id"]}).json()["isCoverChosen"]
    before = albums(browser)
    browser.request("DELETE", f"/api/photos/{three['id']}")
    query = "?photos=delete" if photos == "go along" else ""
    assert browser.request("DELETE", f"/api/albums/{made['id']}{query}").json()["count"] == (2 if query else 0)
    assert albums(browser) == []

    def bring_back(session=browser):
        return session.request("POST", f"/api/albums/{made['id']}/restore")

    # Whoever did not delete it has nothing to take back.
    assert code_of(bring_back(other)) == "no-such-album"
    namesake = make(browser, "ROME")["id"]
    assert (bring_back().status_code, code_of(bring_back())) == (409, "album-name-taken")
    browser.request("DELETE", f"/api/albums/{namesake}")
    assert bring_back().status_code == 200
    # What was deleted apart from it stays deleted.
    assert albums(browser) == [{**before[0], "count": 2}]
    assert names_in(browser, made["id"]) == ["one.jpg", "two.jpg"]
    assert [photo["name"] for photo in browser.request("GET", "/api/trash").json()["photos"]] == ["three.jpg"]
    # It is an album as any other from then on.
    assert add(browser, made["id"], [browser.put("four.jpg", b"4")]).json() == {"count": 1}
    assert names_in(browser, made["id"]) == ["four.jpg", "one.jpg", "two.jpg"]


def test_what_cannot_be_is_refused(vault):
    browser = vault()
    for method, path, body, status, code in REFUSED:
        answer = browser.request(method, path, json=body)
        assert (answer.status_code, code_of(answer)) == (status, code), (method, path)
    assert albums(browser) == []


def test_hearts_captions_rotation_and_dates_are_said_of_a_photo_and_taken_back(vault):
    browser = vault()
    photo, other = browser.put("IMG_20240131_123456.txt", b"1"), browser.put("other.txt", b"22")
    assert heart(browser, [photo, other]).json() == {"count": 2}
    assert heart(browser, [other], False).json() == {"count": 1}
    said = patch(browser, photo, caption="Am Meer\n海", takenAt="1965-06-30T14:05:00+02:00", rotation=90).json()
    expected = {"favourite": True, "caption": "Am Meer\n海", "rotation": 90, "takenFrom": "person"}
    assert {key: said.get(key) for key in expected} == expected
    assert said["takenAt"] == "1965-06-30T14:05:00+02:00"
    month = browser.request("GET", "/api/timeline/1965-06").json()
    assert (month["favourite"], month["rotation"], month["takenAt"]) == ([True], [90], [said["takenAt"]])
    assert albums(browser)[0] == {
        "id": "favourites",
        "count": 1,
        "cover": photo["id"],
        "coverRotation": 90,
        "isCoverChosen": False,
    }
    assert names_in(browser, "favourites") == ["IMG_20240131_123456.txt"]
    part = {"left": 0.1, "top": 0, "right": 0.9, "bottom": 0.75, "angle": -2.5}
    assert patch(browser, photo, edit=part).json()["edit"] == part
    month = browser.request("GET", "/api/timeline/1965-06").json()
    assert (month["edit"], month["rotation"]) == ([part], [90])
    assert (albums(browser)[0]["coverEdit"], albums(browser)[0]["coverRotation"]) == (part, 90)
    assert "angle" not in patch(browser, photo, edit={**part, "angle": 0}).json()["edit"]
    back = patch(browser, photo, caption=None, takenAt=None, rotation=0, edit=None).json()
    assert (back["takenAt"], back["takenFrom"]) == ("2024-01-31T12:34:56", "name")
    assert not {"caption", "rotation", "edit"} & back.keys()
    assert "edit" not in browser.request("GET", "/api/timeline/2024-01").json()
    assert browser.content(photo) == b"1"


UNSAYABLE = [
    ({"caption": "x" * 2001}, "caption-too-long"),
    ({"takenAt": "yesterday"}, "taken-at-invalid"),
    ({"takenAt": "1965-02-30"}, "taken-at-invalid"),
    ({"takenAt": "2999-01-01"}, "taken-at-invalid"),
    ({"rotation": 45}, "rotation-invalid"),
    ({"rotation": "90"}, "malformed-json"),
    ({"edit": {"left": 0, "top": 0, "right": 0.005, "bottom": 1}}, "edit-invalid"),
    ({"edit": {"left": 0.6, "top": 0, "right": 0.5, "bottom": 1}}, "edit-invalid"),
    ({"edit": {"left": 0, "top": 0, "right": 1.5, "bottom": 1}}, "edit-invalid"),
    ({"edit": {"left": 0, "top": 0, "right": 1, "bottom": 1, "angle": 60}}, "edit-invalid"),
    ({"edit": {"left": 0, "top": 0, "right": 1}}, "malformed-json"),
    ({"edit": "half"}, "malformed-json"),
    ({"edit": {"left": 0, "top": 0, "right": 1, "bottom": 1, "angel": 2}}, "malformed-json"),
    ({"caption": 5}, "malformed-json"),
]


def test_what_nobody_can_say_of_a_photo_is_refused(vault):
    browser = vault()
    photo = browser.put("a.jpg", b"1")
    for words, code in UNSAYABLE:
        answer = patch(browser, photo, **{"caption": "good", "rotation": 90, **words})
        assert (answer.status_code, code_of(answer)) == (400, code), words
    assert not {"caption", "rotation", "edit"} & alone(browser, photo).keys()


def test_a_day_a_month_or_a_year_may_be_all_that_somebody_knows(vault):
    browser = vault()
    photo = browser.put("a.jpg", b"1")
    for said in ("1965", "1850-07", "1965-06-30", "0800-12-25"):
        assert patch(browser, photo, takenAt=said).json()["takenAt"] == said
        assert browser.request("GET", "/api/timeline").json()[0][0][:4] == said[:4]


def test_a_camera_with_a_wrong_clock_is_put_right_for_all_its_photos_or_none(vault):
    browser = vault()
    photos = [browser.put(f"IMG_20240131_{hour}0000.txt", bytes([hour])) for hour in (10, 11)]

    def shift(minutes):
        return browser.request("POST", "/api/photos/shift", json={"ids": [one["id"] for one in photos], "minutes": minutes})

    assert shift(-60 * 24 * 365 * 100).json() == {"count": 2}
    assert [alone(browser, one)["takenAt"][:4] for one in photos] == ["1924", "1924"]
    assert [alone(browser, one)["takenFrom"] for one in photos] == ["person", "person"]
    # Back where the file says it was, nobody has said anything.
    assert shift(60 * 24 * 365 * 100).json() == {"count": 2}
    assert [alone(browser, one)["takenFrom"] for one in photos] == ["name", "name"]
    assert shift(90).json() == {"count": 2}
    assert [alone(browser, one)["takenAt"] for one in photos] == ["2024-01-31T11:30:00", "2024-01-31T12:30:00"]
    for minutes in (10**9, -(10**10), 2**62):
        answer = shift(minutes)
        assert (answer.status_code, code_of(answer)) == (400, "taken-at-invalid")
    assert alone(browser, photos[0])["takenAt"] == "2024-01-31T11:30:00"
    newest = browser.put("unknown.txt", b"3")
    photos = [newest]
    assert shift(-60 * 24 * 3650).json() == {"count": 1}
    assert alone(browser, newest)["takenFrom"] == "person"


def test_an_upload_joins_the_album_that_it_names_whichever_way_it_comes(daemon, vault):
    browser = vault()
    browser.put("put.jpg", b"1", params={"album": "Rome"})
    raw = browser.request("POST", "/api/photos?name=raw.jpg&album=%20ROME%20", data=b"22")
    assert raw.status_code == 201
    files = [("album", (None, "rome")), ("photos", ("form.jpg", b"333")), ("photos", ("form 2.jpg", b"4444"))]
    assert browser.request("POST", "/api/photos", files=files).status_code == 201
    tus = Tus(browser)
    tus.create(5, body=b"55555", name="tus.jpg", album="Rome")
    path = tus.create(6, name="later.jpg", album="Rome")
    tus.patch(path, 0, b"666")
    daemon.restart()
    browser = Browser(daemon).open()
    Tus(browser).patch(path, 3, b"666")
    assert [one["name"] for one in albums(browser)] == ["Rome"]
    (album,) = albums(browser)
    expected = ["form 2.jpg", "form.jpg", "later.jpg", "put.jpg", "raw.jpg", "tus.jpg"]
    assert (album["name"], album["count"]) == ("Rome", 6)
    assert names_in(browser, album["id"]) == expected
    # What is there already joins as well.
    wait_until(lambda: all("verifiedAt" in photo for photo in browser.photos()))
    again = browser.put("again.jpg", b"1", params={"album": "Other"})
    assert again["duplicate"]
    assert names_in(browser, albums(browser)[0]["id"]) == ["put.jpg"]
    for name, code in (("%20", "album-name-empty"), ("x" * 201, "album-name-too-long")):
        answer = browser.request("PUT", f"/api/photos/no.jpg?album={name}", data=b"7")
        assert (answer.status_code, code_of(answer)) == (400, code)


def test_who_has_no_vault_has_no_albums(vault):
    owner = vault()
    daemon, credentials = owner.daemon, ("me", owner.password)
    guest = Browser(daemon).begin_guest()
    photo = guest.put("a.jpg", b"1")
    assert albums(guest) == []
    refused = [
        guest.request("POST", "/api/albums", json={"name": "Rome"}),
        guest.request("POST", "/api/albums/favourites/photos", json={"ids": [photo["id"]]}),
        heart(guest, [photo]),
        patch(guest, photo, caption="a"),
        guest.request("POST", "/api/photos/shift", json={"ids": [photo["id"]], "minutes": 1}),
        guest.try_put("b.jpg", b"2", params={"album": "Rome"}),
        Tus(guest).try_create(1, name="c.jpg", album="Rome"),
    ]
    assert [(answer.status_code, code_of(answer)) for answer in refused] == [(403, "vault-needed")] * len(refused)
    assert guest.names() == ["a.jpg"]
    nobody = Browser(daemon)
    assert nobody.request("GET", "/api/albums").status_code == 401
    # A program that sends the password with each request may look.
    assert nobody.request("GET", "/api/albums", auth=credentials).json() == {"albums": []}
    assert nobody.request("POST", "/api/albums", json={"name": "a"}, auth=credentials).status_code == 401


def test_everything_survives_trash_restart_and_another_key(daemon, vault):
    browser = vault()
    photo = browser.put("a.jpg", b"1")
    album = make(browser, "Rome", [photo])
    heart(browser, [photo])
    patch(browser, photo, caption="words", takenAt="1965", rotation=180)
    # An album that was deleted and brought back is one like any other.
    assert browser.request("DELETE", f"/api/albums/{album['id']}").status_code == 200
    assert browser.request("POST", f"/api/albums/{album['id']}/restore").status_code == 200

    def expect(browser):
        (found,) = browser.photos()
        found = alone(browser, found)
        wanted = {"caption": "words", "takenAt": "1965", "rotation": 180, "favourite": True, "takenFrom": "person"}
        assert {key: found.get(key) for key in wanted} == wanted
        assert found["albums"] == [{"id": album["id"], "name": "Rome"}]
        assert [one["id"] for one in albums(browser)] == ["favourites", album["id"]]
        assert "damage" not in browser.session()

    browser.delete([photo])
    assert [one["count"] for one in albums(browser)] == [0]
    browser.request("POST", "/api/photos/restore", json={"ids": [photo["id"]]})
    expect(browser)
    daemon.restart()
    browser = Browser(daemon).open()
    expect(browser)
    assert rotate(browser).status_code == 200
    expect(browser)
    daemon.kill9()
    daemon.start()
    expect(Browser(daemon).open())


def unpacked(browser, **wanted):
    """The names of a ZIP with their contents, and what it is offered as."""
    made = browser.request("POST", "/api/archive", json=wanted)
    assert made.status_code == 201, made.text
    answer = browser.request("GET", made.json()["url"])
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}, answer.headers["Content-Disposition"]


def test_an_archive_of_one_album_is_called_as_it_is_and_several_have_folders(vault):
    browser = vault()
    one, two, three = (browser.put(f"{name}.jpg", name.encode()) for name in ("one", "two", "three"))
    rome = make(browser, "Rome / 2024", [one, two])["id"]
    other = make(browser, "Sea", [one])["id"]
    empty = make(browser, "Nothing")["id"]
    heart(browser, [two])
    found, called = unpacked(browser, albums=[rome])
    assert found == {"one.jpg": b"one", "two.jpg": b"two"} and 'filename="Rome _ 2024.zip"' in called
    found, called = unpacked(browser, ids=[three["id"]], albums=[rome, other, "favourites"])
    assert found == {
        "three.jpg": b"three",
        "Rome _ 2024/one.jpg": b"one",
        "Rome _ 2024/two.jpg": b"two",
        "Sea/one.jpg": b"one",
        "Favourites/two.jpg": b"two",
    }
    assert "Safelight" in called
    found, called = unpacked(browser, albums=["favourites"], favourites="Lieblinge")
    assert list(found) == ["two.jpg"] and 'filename="Lieblinge.zip"' in called
    assert code_of(browser.request("POST", "/api/archive", json={"albums": [empty]})) == "no-such-photo"
    assert code_of(browser.request("POST", "/api/archive", json={"albums": ["AAAAAAAAAAAAAAAAAAAAAA"]})) == "no-such-album"


@pytest.fixture(scope="module")
def filled(start_standing):
    """A stopped daemon with two albums and a heart."""
    daemon = start_standing()
    browser = Browser(daemon).create()
    one, two = browser.put("one.jpg", b"1"), browser.put("two.jpg", b"22")
    browser.put("two.jpg", b"333")
    make(browser, 'Rome "24" / a', [one, two])
    make(browser, "Empty")
    heart(browser, [one])
    daemon.stop()
    return daemon


def export(daemon, target, run=None):
    words = ["export", "--albums", "--data", str(daemon.data), "--to", str(target)]
    done = (run or daemon.run)(*words, input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0, done.stderr
    return {str(path.relative_to(target)): path for path in target.rglob("*") if path.is_file()}


def test_an_export_puts_albums_into_folders_of_links_as_often_as_it_runs(filled, tmp_path):
    target = tmp_path / "export"
    for _ in range(2):
        found = export(filled, target)
        inside = {name for name in found if name.startswith("albums/")}
        assert len(inside) == 3 and "albums/Favourites/one.jpg" in inside
        links = [found[name] for name in inside if name.startswith("albums/Rome _24_ _ a/")]
        assert sorted(link.read_bytes() for link in links) == [b"1", b"22"]
        assert all(link.samefile(target / link.name) for link in links)
        assert (target / "albums" / "Empty").is_dir()
        # A folder cannot have the name of the album, so the list has it.
        assert found.keys() - inside == {"SHA256SUMS", "albums.csv", "one.jpg", "two.jpg", "two (2).jpg"}
    # What somebody else put there stays.
    theirs = target / "albums" / "Favourites" / "one.jpg"
    theirs.unlink()
    theirs.write_bytes(b"theirs")
    assert export(filled, target)["albums/Favourites/one (2).jpg"].read_bytes() == b"1"
    assert theirs.read_bytes() == b"theirs"


def test_an_export_to_a_file_system_without_links_lists_the_albums(filled, tmp_path):
    target = tmp_path / "export"

    def run(*words, **options):
        return run_failing(filled, "link,linkat:error=EPERM", *words, **options)

    for _ in range(2):
        found = export(filled, target, run)
        assert not any(name.startswith("albums/") for name in found)
        with open(target / "albums.csv", newline="") as file:
            rows = list(csv.reader(file))
        names = {row[1] for row in rows if row[0] == 'Rome "24" / a'}
        assert rows[0] == ["album", "file"] and ["Favourites", "one.jpg"] in rows
        assert {(target / name).read_bytes() for name in names} == {b"1", b"22"}
        assert "albums (2).csv" not in found


def test_two_sessions_change_one_album_at_once_and_each_hears_of_the_other(vault):
    one = vault()
    for number in range(12):
        one.put(f"{number}.jpg", bytes([number, 1]))
    two = Browser(one.daemon).open(one.password)
    album = make(one, "Both")["id"]
    before = two.session()["listing"]
    halves = [(one, one.photos()[:6]), (two, two.photos()[6:])]
    threads = [
        threading.Thread(target=add, args=(browser, album, [photo])) for browser, half in halves for photo in half
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names_in(two, album)) == 12
    assert two.session()["listing"] == one.session()["listing"] != before


def test_nothing_of_one_vault_shows_in_another_and_nothing_on_the_disk(daemon, vault):
    one, two = vault(), Browser(daemon).create(OTHER_PASSWORD)
    photo = one.put("a.jpg", b"1", params={"album": "Unmistakable Roman holiday"})
    patch(one, photo, caption="unmistakable caption of a wedding")
    heart(one, [photo])
    album = albums(one)[1]["id"]
    assert albums(two) == []
    assert make(two, "Unmistakable Roman holiday")["id"] != album
    for method, path, body in [
        ("GET", f"/api/albums/{album}", None),
        ("GET", f"/api/albums/{album}/timeline", None),
        ("PATCH", f"/api/albums/{album}", {"name": "b"}),
        ("DELETE", f"/api/albums/{album}", None),
        ("POST", f"/api/albums/{album}/photos", {"ids": []}),
        ("PATCH", f"/api/photos/{photo['id']}", {"caption": "b"}),
    ]:
        assert two.request(method, path, json=body).status_code == 404, (method, path)
    daemon.stop()
    content = b"".join(path.read_bytes() for path in daemon.data.rglob("*") if path.is_file() and path.name != "slots")
    assert b"nmistakable" not in content
    with sqlite3.connect(daemon.data / "ledger.sqlite") as ledger:
        assert ledger.execute("SELECT DISTINCT length(body) FROM row").fetchall() == [(512,)]


@needs_root
def test_adding_500_photos_killed_at_each_of_its_writes_is_done_whole_or_not_at_all(daemon, vault, counted):
    browser = vault()
    for number in range(counted(40, 500)):
        browser.put(f"{number}.jpg", number.to_bytes(2, "big"))
    wait_until(lambda: all("verifiedAt" in photo for photo in browser.photos()))
    few = [("pwrite64", None, 1), ("pwrite64", None, 4), ("fdatasync", None, 1)]
    for kill in kills_at_writes(daemon, counted, ["pwrite64", "fdatasync"], few):
        album = make(browser, str(kill))["id"]
        photos = browser.photos()
        answered = False
        with kill.meanwhile():
            answered = add(browser, album, photos).json() == {"count": len(photos)}
        browser = Browser(daemon).open()
        found = browser.request("GET", f"/api/albums/{album}").json()["count"]
        assert found in ((len(photos),) if answered else (0, len(photos))), str(kill)
        assert "damage" not in browser.session()
