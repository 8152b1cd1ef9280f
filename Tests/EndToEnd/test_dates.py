"""When photos were taken, from the first byte of an upload to what leaves the vault again."""

import io
import struct
import subprocess
import zipfile

import pytest
from client import PASSWORD, Browser
from daemon import Daemon

# Whoever copies files today tells this time of every one of them.
COPIED = "2024-11-24T10:00:00Z"
# 9 July 1955.
OLD = -457_000_000_000


@pytest.fixture
def in_berlin(tmp_path):
    """Where the host's zone is that of Berlin, and nobody makes pictures."""
    daemon = Daemon(tmp_path, environment={"TZ": "Europe/Berlin", "SAFELIGHT_IMAGING_WORKERS": "0"}).start()
    yield daemon
    daemon.kill9()


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


def test_a_name_comes_before_the_time_of_a_copy_and_the_answer_says_so_at_once(in_berlin):
    browser = Browser(in_berlin).create()
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


def test_a_video_that_knows_only_utc_stands_where_its_zone_puts_it(in_berlin, tmp_path):
    browser = Browser(in_berlin).create()
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


def test_a_time_before_1970_comes_back_as_it_went_in(in_berlin, tmp_path):
    browser = Browser(in_berlin).create()
    photo = browser.put("scan.txt", b"a letter", params={"modified": str(OLD)})
    assert photo["modifiedAt"] == "1955-07-09T15:33:20Z"
    assert photo["takenAt"] == "1955-07-09T16:33:20+01:00"
    archive = browser.request("POST", "/api/archive", json={"ids": [photo["id"]]})
    answer = browser.request("GET", archive.json()["url"])
    assert answer.status_code == 200, answer.text
    (entry,) = zipfile.ZipFile(io.BytesIO(answer.content)).infolist()
    assert struct.unpack("<HHBi", entry.extra[:9]) == (0x5455, 5, 1, OLD // 1000)
    in_berlin.stop()
    target = tmp_path / "export"
    done = in_berlin.run("export", "--data", str(in_berlin.data), "--to", str(target), input=PASSWORD.encode() + b"\n")
    assert done.returncode == 0, done.stderr
    assert (target / "scan.txt").stat().st_mtime == OLD / 1000
