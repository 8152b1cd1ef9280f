"""When photos were taken, from the first byte of an upload to what leaves the vault again."""

import io
import struct
import subprocess
import zipfile

import pytest
from client import Browser, wait_until
from tus import Tus

# Whoever copies files today tells this time of every one of them.
COPIED = "2024-11-24T10:00:00Z"
# 9 July 1955.
OLD = -457_000_000_000


@pytest.fixture(scope="module")
def standing_daemon(start_standing):
    """Where the host's zone is that of Berlin, and nobody makes pictures."""
    return start_standing(environment={"TZ": "Europe/Berlin", "SAFELIGHT_IMAGING_WORKERS": "0"})


def movie(folder, name, moment, *options):
    path = folder / name
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=red:s=32x32:d=0.2", "-c:v", "mpeg4",
         "-metadata", f"creation_time={moment}", *options, str(path)],
        check=True,
    )  # fmt: skip
    return path.read_bytes()


def jpeg(folder, name, *tags):
    path = folder / name
    subprocess.run(
        ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "color=red:s=32x32", "-frames:v", "1", str(path)], check=True
    )
    subprocess.run(["exiftool", "-q", "-overwrite_original", *tags, str(path)], check=True)
    return path.read_bytes()


def test_a_name_comes_before_the_time_of_a_copy_and_the_answer_says_so_at_once(standing_vault):
    browser = standing_vault()
    names = {
        "Screenshot_20240131-221530.png": "2024-01-31T22:15:30",
        "IMG-20190101-WA0003.jpg": "2019-01-01",
        "PXL_20230704_183011123.jpg": "2023-07-04T20:30:11.123+02:00",
        "1955-07-14 wedding.jpg": "1955-07-14",
        "notes.txt": "2024-11-24T11:00:00+01:00",
    }
    for number, (name, expected) in enumerate(names.items()):
        photo = browser.put(name, bytes([number]) * 9, params={"modified": COPIED})
        assert photo["takenAt"] == expected, name
    months = browser.request("GET", "/api/timeline").json()
    assert [month for month, _ in months] == ["2024-11", "2024-01", "2023-07", "2019-01", "1955-07"]


def test_a_video_that_knows_only_utc_stands_where_its_zone_puts_it(standing_vault, tmp_path):
    browser = standing_vault()
    alone = browser.put("a.mp4", movie(tmp_path, "a.mp4", "2023-12-31T23:30:00Z"))
    assert alone["takenAt"] == "2024-01-01T00:30:00+01:00"
    named = browser.put("VID_20231231_203000.mp4", movie(tmp_path, "b.mp4", "2023-12-31T23:30:00Z", "-vf", "negate"))
    assert named["takenAt"] == "2023-12-31T20:30:00-03:00"
    # A photo of the same hour tells the zone, whichever of the two came first.
    first = browser.put("c.mp4", movie(tmp_path, "c.mp4", "2022-07-01T10:00:00Z"))
    assert first["takenAt"] == "2022-07-01T12:00:00+02:00"
    tags = ("-DateTimeOriginal=2022:07:01 19:20:00", "-OffsetTimeOriginal=+09:00")
    browser.put("d.jpg", jpeg(tmp_path, "d.jpg", *tags))
    second = browser.put("e.mp4", movie(tmp_path, "e.mp4", "2022-07-01T10:05:00Z"))
    assert second["takenAt"] == "2022-07-01T19:05:00+09:00"
    found = {photo["name"]: photo["takenAt"] for photo in browser.photos()}
    assert found["c.mp4"] == "2022-07-01T19:00:00+09:00"


def told(browser, answer):
    """What the interface says of the photo that an upload has become."""
    return browser.request("GET", f"/api/photos/{answer.headers['Safelight-Photo']}").json()


def test_a_hint_counts_only_where_nobody_knows_better(start_daemon, tmp_path):
    host = start_daemon(environment={"TZ": "Europe/Berlin"})
    browser = Browser(host).create()
    tus = Tus(browser)

    def send(name, content, taken):
        path = tus.create(len(content), body=content, name=name, taken=taken)
        return told(browser, tus.head(path))["takenAt"]

    clip = movie(tmp_path, "a.mp4", "2023-12-31T23:30:00Z")
    # The zone of the very instant that the file tells; not one of another instant.
    expected = "2024-01-01T08:30:00+09:00"
    assert send("a.mp4", clip, "2024-01-01T08:30:00.000+09:00") == expected
    other = movie(tmp_path, "b.mp4", "2023-11-30T23:30:00Z")
    assert send("b.mp4", other, "2024-01-01T08:30:00+09:00") == "2023-12-01T00:30:00+01:00"
    # What the file, its name or the clock in it say counts.
    photo = jpeg(tmp_path, "c.jpg", "-DateTimeOriginal=2022:07:01 19:20:00", "-OffsetTimeOriginal=+02:00")
    assert send("c.jpg", photo, "1999-01-01T10:00:00+09:00") == "2022-07-01T19:20:00+02:00"
    assert send("IMG_20240131_123456.txt", b"c", "1999-01-01T10:00:00+09:00") == "2024-01-31T12:34:56"
    named = movie(tmp_path, "VID_20231001_003000.mp4", "2023-09-30T23:30:00Z")
    assert send("VID_20231001_003000.mp4", named, "2023-09-30T13:30:00-10:00") == "2023-10-01T00:30:00+01:00"
    # Where all of them are silent it is all there is; what cannot be true, or read, is none.
    assert send("d.txt", b"d", "1999-01-01T10:00:00+09:00") == "1999-01-01T10:00:00+09:00"
    for number, nonsense in enumerate(["2999-01-01T10:00:00+09:00", "soon", "", "1999-01-01T10:00:00"]):
        path = tus.create(1, body=bytes([number]), name="e.txt", taken=nonsense)
        assert "takenAt" not in told(browser, tus.head(path)), nonsense
    # Whoever makes its picture looks once more, and finds no more.
    wait_until(lambda: all(one["picture"] != "pending" for one in browser.photos()))
    assert {one["name"]: one.get("takenAt") for one in browser.photos()}["a.mp4"] == expected


def test_a_time_before_1970_comes_back_as_it_went_in(standing_vault, tmp_path):
    browser = standing_vault()
    photo = browser.put("scan.txt", b"a letter", params={"modified": str(OLD)})
    assert photo["modifiedAt"] == "1955-07-09T15:33:20Z"
    assert photo["takenAt"] == "1955-07-09T16:33:20+01:00"
    archive = browser.request("POST", "/api/archive", json={"ids": [photo["id"]]})
    answer = browser.request("GET", archive.json()["url"])
    assert answer.status_code == 200, answer.text
    (entry,) = zipfile.ZipFile(io.BytesIO(answer.content)).infolist()
    assert struct.unpack("<HHBi", entry.extra[:9]) == (0x5455, 5, 1, OLD // 1000)
    daemon, target = browser.daemon, tmp_path / "export"
    daemon.stop()
    done = daemon.run("export", "--data", str(daemon.data), "--to", str(target), input=browser.password.encode() + b"\n")
    daemon.start()
    assert done.returncode == 0, done.stderr
    assert (target / "scan.txt").stat().st_mtime == OLD / 1000
