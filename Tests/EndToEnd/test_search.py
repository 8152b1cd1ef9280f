"""Finding photos: by what people type in three languages, by how they look, and where there is more than one."""

import subprocess
from datetime import date, timedelta

import pytest
from client import Browser, code_of
from pictures import settled

DAY = "2024-05-03T12:00:00Z"


def test_a_query_of_thousands_of_parameters_is_refused_before_it_is_read(vault):
    """Each question for one decodes all before it: ten thousand took 35 ms of the thread that serves others."""
    browser = vault()
    few, many = "&".join(["a=1"] * 63), "&".join(["a"] * 10_000)
    for path in ("/api/search", "/api/photos", "/api/search/timeline/2024-05"):
        assert browser.request("GET", f"{path}?{few}&q=x").status_code == 200
        answer = browser.request("GET", f"{path}?{many}")
        assert (answer.status_code, code_of(answer)) == (400, "malformed-request")


def ask(browser, path, **params):
    answer = browser.request("GET", path, params=params)
    assert answer.status_code == 200, (answer.status_code, answer.text)
    return answer.json()


def found(browser, text):
    """Names of what is found, over all pages."""
    names, cursor = [], None
    while True:
        page = ask(browser, "/api/search", q=text, **({"cursor": cursor} if cursor else {}))
        names += page["name"]
        cursor = page["cursor"]
        if cursor is None:
            assert page["count"] == len(names)
            return sorted(names)


def understood(browser, text):
    return ask(browser, "/api/search", q=text)["understood"]


@pytest.fixture
def filled(vault):
    browser = vault()
    photos = {
        "Café in Rome.jpg": "2024-05-03T10:00:00Z", "IMG_0001.jpg": "2023-12-24T18:00:00Z",
        "Screenshot_1.png": "2022-07-10T12:00:00Z", "东京塔.jpg": "2024-06-01T12:00:00Z",
    }  # fmt: skip
    for number, (name, moment) in enumerate(photos.items()):
        browser.put(name, b"\xff\xd8\xff" + bytes([number]) * 99, params={"modified": moment})
    return browser


def test_words_and_dates_are_found_in_three_languages(filled):
    assert found(filled, "cafe ROME") == ["Café in Rome.jpg"]
    assert found(filled, "May 2024") == found(filled, "2024年5月") == found(filled, "2024-05") == ["Café in Rome.jpg"]
    assert found(filled, "24 Dec") == found(filled, "12月24日") == found(filled, "Christmas") == ["IMG_0001.jpg"]
    assert found(filled, "东京") == ["东京塔.jpg"]
    assert found(filled, "截圖") == found(filled, "截图") == found(filled, "screenshots") == ["Screenshot_1.png"]
    assert found(filled, "summer 2022") == found(filled, "2022年夏天") == ["Screenshot_1.png"]
    assert found(filled, "2024 东京") == ["东京塔.jpg"]
    assert found(filled, "大於 1 MB") == found(filled, "larger than 1 MB") == []
    assert len(found(filled, "")) == 4


def test_today_is_that_of_the_host(filled):
    for day in (yesterday(), date.today()):
        filled.put(f"{day}.jpg", f"\xff\xd8\xff{day}".encode("latin-1"), params={"modified": f"{day}T12:00:00Z"})
    for word in ("yesterday", "昨天"):
        # A night may pass while it is asked.
        before = yesterday()
        assert found(filled, word) in ([f"{before}.jpg"], [f"{yesterday()}.jpg"]), word


def yesterday():
    return date.today() - timedelta(days=1)


def test_it_says_how_the_words_were_understood_and_each_can_be_taken_off(filled):
    parts = understood(filled, "rome May 2024 video > 100 MB longer than 1 min")
    assert [part["kind"] for part in parts] == ["word", "date", "type", "size", "length"]
    assert [part["text"] for part in parts] == ["rome", "May 2024", "video", "> 100 MB", "longer than 1 min"]
    assert (parts[1]["start"], parts[1]["end"]) == ("2024-05-01T00:00:00", "2024-06-01T00:00:00")
    assert (parts[2]["value"], parts[3]["min"], parts[4]["min"]) == ("video", 100_000_000, 60)
    assert understood(filled, "5月")[0]["value"] == "--05"
    assert "start" not in understood(filled, "before 2020")[0]
    assert understood(filled, '"May 2024"')[0]["kind"] == "word"


def test_albums_hearts_and_captions_are_found_as_they_change(filled):
    everyone = {photo["name"]: photo["id"] for photo in filled.photos()}
    assert found(filled, "holiday") == []
    album = filled.request("POST", "/api/albums", json={"name": "Family Holiday", "ids": [everyone["IMG_0001.jpg"]]})
    assert album.status_code == 201, album.text
    assert found(filled, "holiday") == ["IMG_0001.jpg"]
    (part,) = understood(filled, "family holiday")
    assert (part["kind"], part["value"]) == ("album", album.json()["id"])
    assert "IMG_0001.jpg" not in found(filled, "not in an album") and len(found(filled, "不在相簿")) == 3
    filled.request("POST", "/api/photos/favourite", json={"ids": [everyone["东京塔.jpg"]], "on": True})
    assert found(filled, "favourites") == found(filled, "收藏") == found(filled, "最愛") == ["东京塔.jpg"]
    filled.request("PATCH", f"/api/photos/{everyone['Screenshot_1.png']}", json={"caption": "Grandma’s RECEIPT"})
    assert found(filled, "receipt") == ["Screenshot_1.png"]
    filled.request("PATCH", f"/api/photos/{everyone['Screenshot_1.png']}", json={"takenAt": "1965-08-01T12:00:00"})
    assert found(filled, "1965") == found(filled, "1960s") == ["Screenshot_1.png"]
    filled.request("DELETE", f"/api/albums/{album.json()['id']}")
    assert found(filled, "holiday") == [] and len(found(filled, "not in an album")) == 4


def test_what_is_deleted_is_not_found_and_what_is_restored_is(filled):
    (rome,) = [photo for photo in filled.photos() if "Rome" in photo["name"]]
    assert found(filled, "rome") == [rome["name"]]
    filled.delete([rome])
    assert found(filled, "rome") == []
    filled.request("POST", "/api/photos/restore", json={"ids": [rome["id"]]})
    assert found(filled, "rome") == [rome["name"]]


def test_two_vaults_never_cross_and_after_a_lock_nothing_is_answered(vault, filled):
    other = vault()
    theirs = other.put("Rome of others.jpg", b"\xff\xd8\xffother")
    assert found(other, "rome") == ["Rome of others.jpg"]
    assert found(filled, "rome") == ["Café in Rome.jpg"]
    assert code_of(filled.request("GET", "/api/similar", params={"photo": theirs["id"]})) == "no-such-photo"
    assert ask(other, "/api/storage")["photos"] == 1 and ask(filled, "/api/storage")["photos"] == 4
    photo = filled.photos()[0]["id"]
    filled.lock()
    for path in ("/api/search?q=rome", "/api/search/timeline?q=rome", "/api/search/timeline/2024-05?q=rome",
                 f"/api/similar?photo={photo}", "/api/duplicates", "/api/storage"):  # fmt: skip
        answer = filled.request("GET", path)
        assert (answer.status_code, code_of(answer)) == (401, "no-session"), path


def test_a_guest_finds_its_own_and_hears_nothing_of_the_disk(filled):
    guest = Browser(filled.daemon).begin_guest()
    guest.put("Rome of a guest.jpg", b"\xff\xd8\xffguest")
    assert found(guest, "rome") == ["Rome of a guest.jpg"]
    assert ask(guest, "/api/duplicates")["groups"] == []
    assert code_of(guest.request("GET", "/api/storage")) == "vault-needed"


def test_pages_follow_each_other_and_the_timeline_has_the_same(vault):
    browser = vault()
    for number in range(12):
        moment = f"2024-{number % 3 + 1:02}-10T12:00:{number:02}Z"
        browser.put(f"beach {number}.jpg", b"\xff\xd8\xff" + bytes([number]), params={"modified": moment})
    browser.put("other.jpg", b"\xff\xd8\xffother", params={"modified": DAY})
    months = ask(browser, "/api/search/timeline", q="beach")
    assert months == [["2024-03", 4], ["2024-02", 4], ["2024-01", 4]]
    whole = ask(browser, "/api/search", q="beach")
    assert whole["count"] == 12 and len(set(whole["id"])) == 12
    assert ask(browser, "/api/search", q="beach", skip=10)["name"] == whole["name"][10:]
    by_month = [name for month, _ in months for name in ask(browser, f"/api/search/timeline/{month}", q="beach")["name"]]
    assert by_month == whole["name"]
    assert ask(browser, "/api/search/timeline/2024-02", q="beach", skip=3)["name"] == whole["name"][7:8]
    assert code_of(browser.request("GET", "/api/search?q=a&cursor=nonsense")) == "invalid-cursor"
    assert code_of(browser.request("GET", "/api/search?q=" + "a" * 201)) == "malformed-request"
    assert code_of(browser.request("GET", "/api/similar")) == "malformed-request"


def test_no_word_of_a_search_is_logged(start_daemon):
    daemon = start_daemon(environment={"SAFELIGHT_LOG_LEVEL": "debug"})
    browser = Browser(daemon).create()
    found(browser, "quixotic walrus")
    browser.request("GET", "/api/search?q=quixotic%FF walrus")
    daemon.stop()
    assert "/api/search" in daemon.log
    assert "quixotic" not in daemon.log and "walrus" not in daemon.log


# -- How they look


def pattern(seed):
    """A picture like no other: soft spots, as PGM."""
    spots = [((seed * 7919 + 31 * n * n * (seed + 3)) % 256) for n in range(30)]
    return b"P5 6 5 255\n" + bytes(spots)


def jpeg(folder, name, seed, filters, quality=3):
    """The picture, 640 × 480, and what `filters` make of it."""
    (folder / "spots.pgm").write_bytes(pattern(seed))
    path = folder / name
    scaled = ",".join(["scale=640:480:flags=bicubic", *filters])
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-i", str(folder / "spots.pgm"), "-vf", scaled, "-pix_fmt", "yuvj420p",
         "-q:v", str(quality), str(path)],
        check=True,
    )  # fmt: skip
    return path


def test_copies_are_found_the_best_first_and_others_are_not(vault, tmp_path):
    browser = vault()
    copies = {
        "small.jpg": ["scale=320:240"], "original.jpg": [], "crop.jpg": ["crop=620:465"],
        "brighter.jpg": ["scale=600:450", "eq=brightness=0.1"],
    }  # fmt: skip
    for name, filters in copies.items():
        browser.put(name, jpeg(tmp_path, name, 1, filters).read_bytes())
    for seed in range(5, 9):
        browser.put(f"other{seed}.jpg", jpeg(tmp_path, "other.jpg", seed, []).read_bytes())
    assert len(settled(browser)) == 8
    answer = ask(browser, "/api/duplicates")
    (group,) = answer["groups"]
    assert [photo["name"] for photo in group["photos"]] == ["original.jpg", "crop.jpg", "brighter.jpg", "small.jpg"]
    assert answer["bursts"] == [] and answer["cursor"] is None
    (original,) = [photo for photo in browser.photos() if photo["name"] == "original.jpg"]
    similar = ask(browser, "/api/similar", photo=original["id"])["photos"]
    assert {photo["name"] for photo in similar[:3]} == copies.keys() - {"original.jpg"}
    assert [photo["distance"] for photo in similar] == sorted(photo["distance"] for photo in similar)
    browser.delete([photo for photo in group["photos"][1:]])
    assert ask(browser, "/api/duplicates")["groups"] == []


def compared(browser):
    """The groups, once the host has compared all that may be copies."""
    answer = ask(browser, "/api/duplicates", wait=20)
    while answer["comparing"]:
        answer = ask(browser, "/api/duplicates", wait=20)
    assert answer["unseen"] == 0
    return answer["groups"]


def made(source, path, *words):
    """What a program makes of a picture."""
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(source), *words, str(path)], check=True)
    return path


def test_copies_are_proposed_to_go_and_what_differs_by_a_few_pixels_is_not(vault, tmp_path, photos):
    browser = vault()
    original = next(path for path in photos if path.name == "DSCN0012.jpg")
    stripped = tmp_path / "stripped.jpg"
    subprocess.run(["exiftool", "-q", "-all=", "-o", str(stripped), str(original)], check=True)
    spot = "drawbox=x=300:y=200:w=6:h=6:color=black:t=fill"
    others = [
        stripped, made(original, tmp_path / "again.jpg", "-map_metadata", "-1", "-q:v", "5"),
        made(original, tmp_path / "half.jpg", "-map_metadata", "-1", "-vf", "scale=320:240", "-q:v", "3"),
        made(original, tmp_path / "spot.jpg", "-map_metadata", "-1", "-vf", spot, "-q:v", "2"),
        made(original, tmp_path / "spot half.jpg", "-map_metadata", "-1", "-vf", f"{spot},scale=320:240", "-q:v", "3"),
    ]
    for path in [original, *others]:
        browser.put(path.name, path.read_bytes())
    settled(browser)
    (group,) = compared(browser)
    names = {photo["id"]: photo["name"] for photo in group["photos"]}
    assert len(names) == 6 and group["photos"][0]["name"] in ("DSCN0012.jpg", "stripped.jpg")
    copies = {names[id] for id in group["copies"]}
    assert copies == {"DSCN0012.jpg", "stripped.jpg", "again.jpg", "half.jpg"} - {group["photos"][0]["name"]}


def test_pictures_of_one_moment_are_told_apart_from_copies(vault, tmp_path):
    browser = vault()
    for number in (1, 2):
        path = jpeg(tmp_path, f"IMG_000{number}.jpg", 2, [], quality=2 + number)
        taken = f"-DateTimeOriginal=2024:05:03 12:00:0{number}"
        subprocess.run(["exiftool", "-q", "-overwrite_original", taken, str(path)], check=True)
        browser.put(path.name, path.read_bytes())
    assert len(settled(browser)) == 2
    answer = ask(browser, "/api/duplicates")
    assert answer["groups"] == []
    (burst,) = answer["bursts"]
    assert {photo["name"] for photo in burst["photos"]} == {"IMG_0001.jpg", "IMG_0002.jpg"}


def test_storage_counts_what_is_deleted_apart(filled):
    filled.delete(filled.photos()[:1])
    storage = ask(filled, "/api/storage")
    assert (storage["photos"], storage["trashPhotos"]) == (3, 1)
    assert storage["bytes"] == 3 * 102 and storage["trashBytes"] == 102
    assert storage["freeBytes"] % 100_000_000 == 0
