"""Out of one vault and into another, twice around: what an export writes, an import reads, and the next export writes again."""

import os
import random
import subprocess

from client import OTHER_PASSWORD, PASSWORD, Browser, wait_until
from daemon import binary
from exports import picture

TIME = "2021-05-06T07:08:09Z"
ALBUMS = ["Rom / Paris: 2019?", "Rom : Paris: 2019?", "Oma & <Opa>", "夏", "a.b", "Plain"]
CAPTIONS = ["am Tiber", "<&>\"'", "zwei\nZeilen 😀", "-->"]
PACKET = """<?xpacket begin="" id="a"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" \
xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/" {}/></rdf:RDF></x:xmpmeta>"""
SAID = [
    'xmp:Label="Red"', 'xmp:Rating="3"', 'xmp:Rating="-1"', 'exif:DateTimeOriginal="1999-01-02T03:04:05+02:00"',
    'exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,30.0E" exif:GPSAltitude="4081/10" exif:GPSAltitudeRef="0"',
]  # fmt: skip
DATES = ["1965", "1965-06", "1965-06-30", "1965-06-30T14:05:00", "1965-06-30T14:05:00+02:00"]
NAMES = ["a.jpg", "a.jpg", "b:c?.jpg", "IMG_20200131_123456.jpg", "Ü (2).jpg", "1955.jpg", "said.png", "d"]


def fill(browser, seed):
    """A vault at random, of which each photo is of its own content."""
    chance = random.Random(seed)
    for number, name in enumerate(chance.choices(NAMES, k=8)):
        album = {"album": chance.choice(ALBUMS)} if chance.random() < 0.6 else {}
        browser.put(name, picture(f"{seed} {number}"), params={"modified": TIME, **album})
        if chance.random() < 0.5:
            packet = PACKET.format(" ".join(chance.sample(SAID[1:3], 1) + chance.sample([SAID[0], *SAID[3:]], 1)))
            browser.put(name + ".xmp", packet.encode(), params={"modified": TIME})
    for photo in browser.photos():
        if photo["name"].endswith(".xmp"):
            continue
        words = {}
        if chance.random() < 0.5:
            words["caption"] = chance.choice(CAPTIONS)
        if chance.random() < 0.3:
            words["takenAt"] = chance.choice(DATES)
        if words:
            assert browser.request("PATCH", f"/api/photos/{photo['id']}", json=words).status_code == 200
        if chance.random() < 0.3:
            hearts = browser.request("POST", "/api/albums/favourites/photos", json={"ids": [photo["id"]]})
            assert hearts.status_code == 200
        if chance.random() < 0.3:
            away = browser.request("POST", "/api/photos/archived", json={"ids": [photo["id"]], "on": True})
            assert away.status_code == 200
    wait_until(lambda: all(photo.get("sha256") for photo in browser.photos()), "photos are not read back")


def export(daemon, password, target):
    reader, writer = os.pipe()
    os.write(writer, password.encode() + b"\n")
    os.close(writer)
    command = ["export", "--data", str(daemon.data), "--to", str(target), "--albums", "--sidecars"]
    try:
        done = subprocess.run(
            [str(binary()), *command, "--password-fd", str(reader)], stdin=subprocess.DEVNULL, capture_output=True,
            env=daemon.variables(), pass_fds=[reader], timeout=600,
        )  # fmt: skip
    finally:
        os.close(reader)
    assert done.returncode == 0, (done.stdout + done.stderr).decode()
    return {str(path.relative_to(target)): path.read_bytes() for path in target.rglob("*") if path.is_file()}


def bring(daemon, password, source):
    done = daemon.run("import", "--data", str(daemon.data), str(source), input=password.encode() + b"\n")
    assert done.returncode == 0, (done.stdout + done.stderr).decode()


def shown(browser):
    found = {}
    for photo in browser.photos():
        if "sidecarOf" in photo or photo["name"].endswith(".xmp"):
            continue
        alone = browser.request("GET", f"/api/photos/{photo['id']}").json()
        fields = ("caption", "favourite", "archived", "takenAt", "takenFrom", "place")
        albums = sorted(album["name"] for album in alone.get("albums", []))
        beside = bool(alone.get("sidecars"))
        found[alone["sha256"]] = {**{name: alone.get(name) for name in fields}, "albums": albums, "beside": beside}
    return found


def test_out_and_in_and_out_again_gives_the_same_files_twice_around(start_daemon, tmp_path):
    seed = int(os.environ.get("SAFELIGHT_SEED", "8"))
    daemon = start_daemon()
    one = Browser(daemon).create()
    fill(one, seed)
    before = shown(one)
    daemon.stop()
    first = export(daemon, PASSWORD, tmp_path / "first")
    assert not [name for name in first if name.endswith(".xmp.xmp")]
    daemon.start()
    two = Browser(daemon).create(OTHER_PASSWORD)
    daemon.stop()
    bring(daemon, OTHER_PASSWORD, tmp_path / "first")
    second = export(daemon, OTHER_PASSWORD, tmp_path / "second")
    assert {name for name in {*first, *second} if first.get(name) != second.get(name)} == set(), seed
    daemon.start()
    two = Browser(daemon).open(OTHER_PASSWORD)
    after = shown(two)
    for digest, said in before.items():
        # What lies beside a photo is read by the import, which says whose word it is.
        for field in ("caption", "albums", "archived"):
            assert after[digest][field] == said[field], (seed, field)
        if said["takenFrom"] == "person" or (said["takenFrom"] in ("file", "name") and not said["beside"]):
            assert (after[digest]["takenAt"], after[digest]["takenFrom"]) == (said["takenAt"], said["takenFrom"]), seed
        if said["favourite"]:
            assert after[digest]["favourite"], seed
    # One word changes one file.
    photo = next(photo for photo in two.photos() if not photo["name"].endswith(".xmp"))
    assert two.request("PATCH", f"/api/photos/{photo['id']}", json={"caption": "changed later"}).status_code == 200
    daemon.stop()
    third = export(daemon, OTHER_PASSWORD, tmp_path / "third")
    changed = {name for name in {*second, *third} if second.get(name) != third.get(name)}
    assert changed == {photo["name"] + ".xmp"}, seed
    assert b"changed later" in third[photo["name"] + ".xmp"]
    # Into the folder of before, too, and of what somebody wrote there nothing is lost.
    beside = tmp_path / "second" / (photo["name"] + ".xmp")
    if beside.exists():
        beside.write_bytes(beside.read_bytes().replace(b"</rdf:RDF>", b"<!-- mine --></rdf:RDF>"))
    merged = export(daemon, OTHER_PASSWORD, tmp_path / "second")[photo["name"] + ".xmp"]
    assert b"changed later" in merged and (b"mine" in merged or photo["name"] + ".xmp" not in second)
