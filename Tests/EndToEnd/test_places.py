"""Where photos were taken: names of places in three languages, places put right by hand, journeys, zones. Nobody is asked."""

import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from client import Browser, code_of, wait_until
from daemon import WWW
from test_dates import movie
from test_keys import memory

ROME, TRASTEVERE, TOKYO, BERLIN = (41.8902, 12.4922), (41.8880, 12.4700), (35.6595, 139.7005), (52.5163, 13.3777)
# On journeys: half hours, summers of both halves of the world, and both sides of the line where days change.
STATIONS = {
    "Asia/Tokyo": TOKYO, "Europe/Rome": ROME, "Europe/Lisbon": (38.7223, -9.1393), "America/New_York": (40.7580, -73.9855),
    "America/St_Johns": (47.5615, -52.7126), "Asia/Kolkata": (28.6139, 77.2090), "Asia/Kathmandu": (27.7172, 85.3240),
    "Australia/Adelaide": (-34.9285, 138.6007), "Australia/Sydney": (-33.8568, 151.2153), "Pacific/Auckland": (-36.8485, 174.7633),
    "Pacific/Apia": (-13.8333, -171.7667), "Pacific/Pago_Pago": (-14.2756, -170.7020), "Pacific/Honolulu": (21.3069, -157.8583),
    "America/Los_Angeles": (34.0522, -118.2437), "America/Sao_Paulo": (-23.5505, -46.6333), "Africa/Nairobi": (-1.2921, 36.8219),
    "Asia/Dubai": (25.2048, 55.2708), "Asia/Tehran": (35.6892, 51.3890), "Atlantic/Reykjavik": (64.1466, -21.9426),
    "Asia/Shanghai": (39.9042, 116.4074),
}  # fmt: skip
# GeoNames' numbers.
ROME_ID, PARIS_ID, BERLIN_ID = 3169070, 2988507, 2950159


@pytest.fixture(scope="module")
def standing_daemon(start_standing):
    """Where the host's zone is that of Berlin."""
    return start_standing(environment={"TZ": "Europe/Berlin"})


@pytest.fixture(scope="module")
def blank(tmp_path_factory):
    path = tmp_path_factory.mktemp("blank") / "blank.jpg"
    source = ["-f", "lavfi", "-i", "color=red:s=32x32", "-frames:v", "1"]
    subprocess.run(["ffmpeg", "-v", "error", "-y", *source, str(path)], check=True)
    return path


@pytest.fixture
def photo(blank, tmp_path):
    """photo(place, moment) → a JPEG that says where it was taken, and what the camera's clock showed."""
    made = iter(range(1000))

    def make(place, moment):
        path = tmp_path / f"{next(made)}.jpg"
        shutil.copyfile(blank, path)
        (latitude, longitude) = place
        tags = [
            f"-GPSLatitude={abs(latitude)}", f"-GPSLatitudeRef={'N' if latitude >= 0 else 'S'}",
            f"-GPSLongitude={abs(longitude)}", f"-GPSLongitudeRef={'E' if longitude >= 0 else 'W'}",
        ]  # fmt: skip
        subprocess.run(
            ["exiftool", "-q", "-overwrite_original", *tags, f"-DateTimeOriginal={moment}", f"-ImageDescription={path.name}", path],
            check=True,
        )
        return path.read_bytes()

    return make


def ask(browser, path, **params):
    answer = browser.request("GET", path, params=params)
    assert answer.status_code == 200, (answer.status_code, answer.text)
    return answer.json()


def found(browser, text):
    return sorted(ask(browser, "/api/search", q=text)["name"])


def details(browser, photo):
    return ask(browser, f"/api/photos/{photo['id']}")


def set_place(browser, photos, place):
    return browser.request("POST", "/api/photos/place", json={"ids": [one["id"] for one in photos], "place": place})


@pytest.fixture
def travelled(standing_vault, photo):
    browser = standing_vault()
    taken = {
        "forum.jpg": (ROME, "2024:05:03 10:00:00"), "dinner.jpg": (TRASTEVERE, "2024:05:03 20:00:00"),
        "crossing.jpg": (TOKYO, "2024:06:01 09:00:00"), "sea.jpg": ((30.0, -40.0), "2024:06:02 09:00:00"),
    }  # fmt: skip
    sent = {name: browser.put(name, photo(*said)) for name, said in taken.items()}
    return browser, sent


def test_a_photo_is_found_by_where_it_was_taken_in_three_languages(travelled):
    browser, sent = travelled
    for text in ["rome", "Rom", "罗马", "羅馬", "place:3169070", "italien", "意大利", "義大利", "Italy"]:
        assert found(browser, text) == ["dinner.jpg", "forum.jpg"], text
    assert found(browser, "japan") == found(browser, "東京") == found(browser, "tokyo") == ["crossing.jpg"]
    assert ask(browser, "/api/search", q="Rome May")["understood"][0] == {"kind": "place", "text": "Rome", "value": str(ROME_ID)}
    assert ask(browser, "/api/search", q="italien")["understood"][0]["value"] == "IT"
    assert found(browser, "rome crossing") == []
    assert "place" in sent["forum.jpg"] and "id" not in details(browser, sent["sea.jpg"])["place"]


def test_the_list_of_places_has_counts_covers_and_names_in_each_language(travelled):
    browser, sent = travelled
    listed = ask(browser, "/api/places", lang="zh-Hans")
    assert listed["table"] is True
    assert listed["countries"] == {"IT": "意大利", "JP": "日本"}
    rome = listed["places"][0]
    assert (rome["id"], rome["name"], rome["count"], rome["kind"]) == (ROME_ID, "罗马", 2, "town")
    assert (rome["cover"], rome["newest"]) == (sent["dinner.jpg"]["id"], "2024-05-03T20:00:00")
    assert {place["name"] for place in ask(browser, "/api/places", lang="de")["places"]} >= {"Rom", "Tokio"}
    assert browser.request("GET", "/api/places", params={"lang": "fr"}).status_code == 400
    # By the list, the page knows what each photo's number is called; a page of a month has no more than that.
    month = ask(browser, "/api/timeline/2024-05")
    ids = {place["id"] for place in listed["places"]}
    assert len(month["place"]) == 2 and set(month["place"]) <= ids


def test_what_is_deleted_is_in_no_place_any_more(travelled):
    browser, sent = travelled
    browser.delete([sent["crossing.jpg"]])
    assert found(browser, "tokyo") == []
    assert {place["country"] for place in ask(browser, "/api/places")["places"]} == {"IT"}
    assert browser.request("POST", "/api/photos/restore", json={"ids": [sent["crossing.jpg"]["id"]]}).status_code == 200
    assert found(browser, "tokyo") == ["crossing.jpg"]


def test_a_place_is_put_right_for_several_photos_and_taken_back(travelled):
    browser, sent = travelled
    photos = [sent["forum.jpg"], sent["sea.jpg"]]
    before = browser.digests()
    assert set_place(browser, photos, {"id": PARIS_ID}).json() == {"count": 2}
    assert found(browser, "paris") == ["forum.jpg", "sea.jpg"]
    assert found(browser, "rome") == ["dinner.jpg"]
    place = details(browser, sent["sea.jpg"])["place"]
    assert (place["id"], place["from"]) == (PARIS_ID, "person")
    assert set_place(browser, photos, {"id": PARIS_ID}).json() == {"count": 0}
    assert set_place(browser, photos, None).json() == {"count": 2}
    assert found(browser, "paris") == []
    assert found(browser, "rome") == ["dinner.jpg", "forum.jpg"]
    assert "from" not in details(browser, sent["forum.jpg"])["place"]
    assert browser.digests() == before


def test_one_photo_takes_coordinates_and_nonsense_is_refused(travelled):
    browser, sent = travelled
    photo = sent["sea.jpg"]
    answer = browser.request("PATCH", f"/api/photos/{photo['id']}", json={"place": {"latitude": BERLIN[0], "longitude": BERLIN[1]}})
    assert answer.json()["place"]["latitude"] == pytest.approx(BERLIN[0], abs=1e-6)
    assert found(browser, "berlin") == ["sea.jpg"]
    for place in [{"id": 1}, {"latitude": 91, "longitude": 0}, {"latitude": 0, "longitude": 0}]:
        assert code_of(set_place(browser, [photo], place)) == "place-invalid", place
    for place in [{}, {"latitude": 1}, {"id": "Rome"}, "Rome"]:
        assert code_of(set_place(browser, [photo], place)) == "malformed-json", place
    # Who forgets to say a place takes none away.
    assert code_of(browser.request("POST", "/api/photos/place", json={"ids": [photo["id"]]})) == "malformed-json"
    assert found(browser, "berlin") == ["sea.jpg"]


def test_a_place_by_hand_outlives_a_restart(restartable, restartable_vault):
    browser = restartable_vault()
    photo = browser.put("a.jpg", b"\xff\xd8\xff" + b"1" * 99)
    set_place(browser, [photo], {"id": BERLIN_ID})
    restartable.restart()
    again = Browser(restartable).open(browser.password)
    assert found(again, "berlin") == ["a.jpg"]
    assert again.photos()[0]["place"]["from"] == "person"


def test_names_are_completed_with_those_of_photos_first(travelled):
    browser, _ = travelled
    names = ask(browser, "/api/places/names", q="rom", lang="de")["places"]
    assert 1 < len(names) <= 10
    assert (names[0]["id"], names[0]["name"], names[0]["countryName"], names[0]["count"]) == (ROME_ID, "Rom", "Italien", 2)
    assert ask(browser, "/api/places/names", q="")["places"] == []
    assert browser.request("GET", "/api/places/names", params={"q": "a" * 101}).status_code == 400


def test_a_date_without_a_zone_gets_that_of_its_place(standing_vault, photo, tmp_path):
    browser = standing_vault()
    clock = browser.put("clock.jpg", photo(TOKYO, "2024:05:03 10:00:00"))
    assert (clock["takenAt"], clock["takenZone"]) == ("2024-05-03T10:00:00+09:00", "place")
    video = browser.put("video.mp4", movie(tmp_path, "video.mp4", "2024-05-03T01:00:00Z", "-metadata", "location=+35.6595+139.7005/"))
    assert (video["takenAt"], video["takenZone"]) == ("2024-05-03T10:00:00+09:00", "place")
    guess = browser.put("guess.mp4", movie(tmp_path, "guess.mp4", "2024-01-03T01:00:00Z"))
    assert (guess["takenAt"], guess["takenZone"]) == ("2024-01-03T02:00:00+01:00", "guess")
    # The clock on the wall showed the same wherever that was; an instant is another hour there.
    assert set_place(browser, [clock, video, guess], {"id": PARIS_ID}).json() == {"count": 3}
    assert details(browser, clock)["takenAt"] == "2024-05-03T10:00:00+02:00"
    assert details(browser, video)["takenAt"] == "2024-05-03T03:00:00+02:00"
    assert (details(browser, guess)["takenAt"], details(browser, guess)["takenZone"]) == ("2024-01-03T02:00:00+01:00", "place")
    set_place(browser, [clock, video, guess], None)
    assert details(browser, clock)["takenAt"] == "2024-05-03T10:00:00+09:00"
    assert details(browser, video)["takenAt"] == "2024-05-03T10:00:00+09:00"
    assert details(browser, guess)["takenZone"] == "guess"


def test_what_was_taken_on_journeys_stands_on_the_day_that_it_was_there(standing_vault, photo, tmp_path, counted):
    browser, chance, expected = standing_vault(), random.Random(3), {}
    for number in range(counted(20, 200)):
        zone, place = list(STATIONS.items())[number % len(STATIONS)]
        # Around midnight there, in any season.
        day = datetime(2023, 1, 1) + timedelta(days=chance.randrange(700), minutes=chance.choice([1, 15, 30, 1395, 1425, 1438]))
        there = day.replace(tzinfo=ZoneInfo(zone))
        if number % 3 == 2:
            moment = there.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            content = movie(tmp_path, f"{number}.mp4", moment, "-metadata", f"location={place[0]:+}{place[1]:+}/")
        else:
            content = photo(place, day.strftime("%Y:%m:%d %H:%M:%S"))
        name = f"{number}.{'mp4' if number % 3 == 2 else 'jpg'}"
        browser.put(name, content)
        expected[name] = there.isoformat().removesuffix("+00:00")
    shown = {one["name"]: one["takenAt"].removesuffix("Z").removesuffix("+00:00") for one in browser.photos()}
    assert {name: (shown[name], said) for name, said in expected.items() if shown[name] != said} == {}


def test_days_far_from_home_are_offered_as_an_album(standing_vault, photo):
    browser = standing_vault()
    for day in range(1, 9):
        browser.put(f"home-{day}.jpg", photo(BERLIN, f"2024:04:0{day} 12:00:00"))
    for number in range(6):
        browser.put(f"away-{number}.jpg", photo(ROME, f"2024:05:0{3 + number // 2} 1{number}:00:00"))
    browser.put("unplaced.jpg", b"\xff\xd8\xff" + b"2" * 99, params={"modified": "2024-05-04T09:00:00Z"})
    [trip] = ask(browser, "/api/trips", lang="de")["trips"]
    assert (trip["from"], trip["to"], trip["place"], trip["name"], trip["count"]) == ("2024-05-03", "2024-05-05", ROME_ID, "Rom", 7)
    assert "album" not in trip
    made = browser.request("POST", "/api/trips/2024-05-03/album", json={"name": "Rome, 3 to 5 May"})
    assert made.status_code == 201, made.text
    assert made.json()["count"] == 7
    assert ask(browser, "/api/trips")["trips"][0]["album"] == made.json()["id"]
    assert code_of(browser.request("POST", "/api/trips/2024-05-04/album", json={"name": "Nothing"})) == "no-such-trip"
    assert code_of(browser.request("POST", "/api/trips/soon/album", json={"name": "Nothing"})) == "no-such-trip"


def test_after_a_lock_no_name_of_a_place_is_left_in_memory(start_daemon, photo):
    daemon = start_daemon()
    browser = Browser(daemon).create()
    browser.put("a.jpg", photo((78.2232, 15.6267), "2024:05:03 10:00:00"))
    # As a search compares it, and as an answer shows it; the list of the world's zones has it behind a slash. The table itself
    # is mapped, and cannot be written to.
    names = [b"longyearbyen", b'"Longyearbyen"']

    def left():
        return {name for piece in memory(daemon.pid) for name in names if name in piece}

    assert found(browser, "longyearb") == ["a.jpg"]
    assert ask(browser, "/api/places")["places"][0]["name"] == "Longyearbyen"
    assert names[0] in left()
    browser.lock()
    # A step of the re-read may hold a vault for a moment.
    wait_until(lambda: not left(), "a name of a place is still in memory", pause=0.5)


def test_without_the_table_all_else_works_and_health_says_so(start_daemon, tmp_path):
    www = shutil.copytree(WWW, tmp_path / "alone" / "www")
    daemon = start_daemon(www=www)
    browser = Browser(daemon).create()
    photo = browser.put("a.jpg", b"\xff\xd8\xff" + b"3" * 99)
    assert ask(browser, "/api/places") == {"table": False, "places": [], "countries": {}}
    assert ask(browser, "/api/places/names", q="rom") == {"places": []}
    assert ask(browser, "/api/trips") == {"trips": []}
    assert code_of(set_place(browser, [photo], {"id": ROME_ID})) == "place-invalid"
    assert set_place(browser, [photo], {"latitude": 41.9, "longitude": 12.5}).json() == {"count": 1}
    assert details(browser, photo)["place"] == {"latitude": 41.9, "longitude": 12.5, "from": "person"}
    health = browser.request("GET", "/health").json()
    assert health["status"] == "warn"
    assert health["checks"]["places"] == [{"status": "warn", "output": "missing"}]
    assert daemon.log.count("photos are not found by where they were taken") == 1
