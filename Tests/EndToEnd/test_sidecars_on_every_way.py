"""What lies beside photos is read whichever way both come: by name alone and in folders, before the photo and behind it,
over a restart, and over the parts of an export that come one by one."""

import json

import pytest
from client import wait_until
from dav import Dav
from exports import picture
from giving import Visitor, make_door
from test_inbox import inbox  # noqa: F401
from tus import Tus

TAKEN = "2012-03-04T05:06:07"
ROME = "Takeout/Google Photos/Rome"


def google(name, **more):
    said = {
        "title": name,
        "description": "Oma",
        "photoTakenTime": {"timestamp": "1330837567"},
        "geoData": {"latitude": 48.1, "longitude": 11.5, "altitude": 0},
        "favorited": True,
        "url": "x",
        **more,
    }
    return json.dumps(said).encode()


def put(browser, path, content):
    return browser.put(path.rsplit("/", 1)[-1], content, params={"path": path})


def by_tus(browser, path, content):
    tus = Tus(browser)
    return tus.try_create(len(content), body=content, name=path.rsplit("/", 1)[-1], relativePath=path)


def by_form(browser, path, content):
    name = path.rsplit("/", 1)[-1]
    answer = browser.request("POST", "/api/photos", files=[("path", (None, path)), ("photos", (name, content))])
    assert answer.status_code == 201, answer.text
    return answer.json()["photos"][0]


def by_named_folder(browser, path, content):
    answer = browser.request("POST", "/api/photos", files=[("photos", (path, content))])
    assert answer.status_code == 201, answer.text
    return answer.json()["photos"][0]


def by_dav(browser, path, content):
    dav = Dav(browser.daemon, browser.password)
    folders = path.split("/")[:-1]
    for count in range(1, len(folders) + 1):
        dav.request("MKCOL", "/inbox/" + "/".join(folders[:count]) + "/")
    dav.put("/inbox/" + path, content)
    assert dav.get("/inbox/" + path) == content


WAYS = [put, by_tus, by_form, by_named_folder, by_dav]


def details(browser, name):
    (photo,) = [photo for photo in browser.photos() if photo["name"].endswith(name)]
    return browser.request("GET", f"/api/photos/{photo['id']}").json()


def is_told(photo):
    return photo.get("takenAt", "").startswith(TAKEN) and photo.get("caption") == "Oma" and "place" in photo


def waiting(browser):
    answer = browser.request("GET", "/api/sidecars")
    assert answer.status_code == 200, answer.text
    return answer.json()


def albums(browser):
    found = browser.request("GET", "/api/albums").json()["albums"]
    return {album["name"]: album["count"] for album in found if album["id"] != "favourites"}


@pytest.mark.parametrize("first", ["sidecar", "photo"])
@pytest.mark.parametrize("send", WAYS)
def test_a_photo_is_told_what_lies_beside_it_by_every_way(standing_vault, send, first):
    browser = standing_vault()
    photo, sidecar = f"{ROME}/IMG_1.jpg", f"{ROME}/IMG_1.jpg.supplemental-metadata.json"
    if first == "sidecar":
        send(browser, sidecar, google("IMG_1.jpg"))
        assert browser.photos() == [] and waiting(browser)["waiting"] == 1
        send(browser, photo, picture("a"))
    else:
        send(browser, photo, picture("a"))
        send(browser, sidecar, google("IMG_1.jpg"))
    wait_until(lambda: is_told(details(browser, "IMG_1.jpg")))
    assert details(browser, "IMG_1.jpg")["favourite"] is True
    assert waiting(browser) == {"waiting": 0, "sidecars": []}
    assert albums(browser) == {"Rome": 1}


def test_what_a_sidecar_is_answered(standing_vault):
    browser = standing_vault()
    answer = put(browser, f"{ROME}/IMG_1.jpg.json", google("IMG_1.jpg"))
    assert answer["sidecar"] == "understood" and answer["name"] == "IMG_1.jpg.json"
    answer = by_tus(browser, f"{ROME}/IMG_2.jpg.json", google("IMG_2.jpg"))
    assert answer.headers["Safelight-Sidecar"] == "understood" and "Safelight-Photo" not in answer.headers
    assert "sidecar" not in put(browser, f"{ROME}/odd.json", b"[]")
    assert browser.names() == ["odd.json"]
    assert sorted(one["name"] for one in waiting(browser)["sidecars"]) == ["IMG_1.jpg.json", "IMG_2.jpg.json"]
    assert browser.request("DELETE", "/api/sidecars").status_code == 200
    assert waiting(browser) == {"waiting": 0, "sidecars": []}


def test_parts_of_an_export_come_one_by_one_over_restarts(restartable_vault):
    browser = restartable_vault()
    part = "takeout-20260901T101112Z-{}.zip/" + ROME
    put(browser, f"{part.format('001')}/IMG_1.jpg.json", google("IMG_1.jpg"))
    put(browser, f"{part.format('001')}/IMG_2.jpg", picture("b"))
    put(browser, f"{part.format('001')}/gone.jpg", picture("gone"))
    wait_until(lambda: albums(browser) == {"Rome": 2})
    browser.daemon.restart()
    browser.open()
    assert waiting(browser)["waiting"] == 1
    put(browser, f"{part.format('002')}/IMG_1.jpg", picture("a"))
    put(browser, f"{part.format('002')}/gone.jpg.json", google("gone.jpg", trashed=True))
    wait_until(lambda: is_told(details(browser, "IMG_1.jpg")) and browser.trash())
    assert [photo["name"] for photo in browser.trash()] == ["gone.jpg"]
    browser.daemon.kill9()
    browser.daemon.start()
    browser.open()
    title = {"title": "Rome, at last", "access": "protected", "date": {"timestamp": "0"}}
    put(browser, f"{part.format('003')}/metadata.json", json.dumps(title).encode())
    wait_until(lambda: albums(browser) == {"Rome, at last": 2})
    assert browser.names() == ["IMG_1.jpg", "IMG_2.jpg"] and waiting(browser)["waiting"] == 0


def test_a_giver_says_date_caption_and_place_and_nothing_else(vault):
    owner = vault()
    visitor = Visitor(owner.daemon).enter(make_door(owner), "Mia")
    for path, content in [
        ("Mine/IMG_1.jpg.json", google("IMG_1.jpg", trashed=True)),
        ("Mine/metadata.json", json.dumps({"title": "Hers", "access": "x", "date": {}}).encode()),
        ("Mine/IMG_1.jpg", picture("a")),
    ]:
        name = path.rsplit("/", 1)[-1]
        answer = visitor.request("PUT", f"/give/api/photos/{name}", params={"path": path}, data=content)
        assert answer.status_code == 201, answer.text
    wait_until(lambda: owner.names() == ["IMG_1.jpg"] and is_told(details(owner, "IMG_1.jpg")))
    assert "favourite" not in details(owner, "IMG_1.jpg")
    assert albums(owner) == {"Anna & Tom": 1}


def test_what_lies_beside_photos_in_a_watched_folder(inbox):  # noqa: F811
    inbox.put("scans/IMG_1.jpg.json", google("IMG_1.jpg"))
    inbox.put("scans/IMG_1.jpg", picture("a"))
    inbox.put("scans/odd.json", b"[]")
    assert inbox.run() == (0, "1 file stays there") and inbox.left() == ["scans/odd.json"]
    owner = inbox.opened(1)
    wait_until(lambda: owner.names() == ["IMG_1.jpg"] and is_told(details(owner, "IMG_1.jpg")))


def test_a_batch_tells_what_became_of_all_of_it(standing_vault):
    browser = standing_vault()
    batch = browser.request("POST", "/api/batches").json()["id"]
    for name, content in [
        ("IMG_1.jpg", picture("a")),
        ("IMG_1.jpg.json", google("IMG_1.jpg")),
        ("IMG_2.jpg.json", google("IMG_2.jpg")),
        ("odd.json", b"[]"),
    ]:
        browser.put(name, content, params={"path": f"{ROME}/{name}", "batch": batch})
    browser.request("POST", f"/api/batches/{batch}/finish")

    def status():
        return browser.request("GET", f"/api/batches/{batch}").json()

    wait_until(lambda: status()["done"] and status()["settled"])
    told = status()
    assert {key: told[key] for key in ("saved", "files", "albums", "trashed", "sidecars")} == {
        "saved": 2,
        "files": 1,
        "albums": 1,
        "trashed": 0,
        "sidecars": {"joined": 1, "waiting": 1, "partial": 0},
    }
    assert sorted(line["name"] for line in told["receipt"]) == ["IMG_1.jpg", "odd.json"]
