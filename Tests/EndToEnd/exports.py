"""Exports of other places, made from nothing: every spelling of a sidecar's name, in four languages, as folders and archives."""

import io
import json
import random
import tarfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

LANGUAGES = {
    "en": {"root": "Google Photos", "year": "Photos from {}", "edited": "-edited", "album": "metadata.json", "bin": "Trash"},
    "de": {"root": "Google Fotos", "year": "Fotos von {}", "edited": "-bearbeitet", "album": "Metadaten.json", "bin": "Papierkorb"},
    "fr": {"root": "Google Photos", "year": "Photos de {}", "edited": "-modifié", "album": "métadonnées.json", "bin": "Corbeille"},
    "zh": {"root": "Google 相册", "year": "{}年的照片", "edited": "-编辑", "album": "元数据.json", "bin": "回收站"},
}  # fmt: skip
# When the files of an archive were made: one's own time counts only where it is older than its coming.
MADE = (2021, 3, 4, 5, 6, 8)
LONG = "a-photo-whose-name-is-so-long-that-the-archive-has-to-cut-it"
# What the spelling is called, the photo's name, its sidecar's; `E` is the word for a changed picture.
SPELLINGS = [
    ("plain", "IMG_100.jpg", "IMG_100.jpg.json"),
    ("supplemental", "IMG_101.jpg", "IMG_101.jpg.supplemental-metadata.json"),
    ("supplemental, cut", "IMG_102.jpg", "IMG_102.jpg.supplemental-met.json"),
    ("supplemental, cut short", "IMG_103.jpg", "IMG_103.jpg.suppl.json"),
    ("supplemental, one letter", "IMG_104.jpg", "IMG_104.jpg.s.json"),
    ("a copy, numbered at the sidecar's end", "IMG_105(1).jpg", "IMG_105.jpg(1).json"),
    ("a copy, supplemental", "IMG_106(2).jpg", "IMG_106.jpg.supplemental-metadata(2).json"),
    ("a copy, supplemental, cut", "IMG_107(1).jpg", "IMG_107.jpg.supplemental-me(1).json"),
    ("changed", "IMG_108E.jpg", "IMG_108.jpg.json"),
    ("changed, supplemental", "IMG_109E.jpg", "IMG_109.jpg.supplemental-metadata.json"),
    ("changed, a copy", "IMG_110E(1).jpg", "IMG_110.jpg(1).json"),
    ("the video of a Live Photo", "IMG_111.MP4", "IMG_111.HEIC.json"),
    ("the video of a copy", "IMG_112(1).MP4", "IMG_112.HEIC.supplemental-metadata(1).json"),
    ("a Motion Photo", "PXL_113.MP.jpg", "PXL_113.MP.jpg.supplemental-metadata.json"),
    ("cut at 46", LONG[:47] + ".jpg", LONG[:46] + ".json"),
    ("signs replaced", "Tom _ Jerry_s.jpg", "Tom _ Jerry_s.jpg.json"),
    ("signs replaced in the photo alone", "Salt _ Pepper.jpg", "Salt & Pepper.jpg.json"),
]


@dataclass
class Expected:
    """What the vault is to say of a photo. A date in milliseconds since 1970."""

    taken: int | None = None
    albums: set = field(default_factory=set)
    heart: bool = False
    caption: str | None = None
    place: tuple | None = None


def picture(text):
    """A JPEG of no pixels that says nothing of itself, and is like no other."""
    comment = text.encode()
    return b"\xff\xd8\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + b"\xff\xd9"


def video(text):
    body = text.encode()
    return (b"\x00\x00\x00\x14ftypmp42\x00\x00\x00\x00mp42" + (len(body) + 8).to_bytes(4, "big") + b"mdat" + body)  # fmt: skip


class Export:
    """Files by path, and what is expected of the photos among them, by name."""

    def __init__(self):
        self.files = {}
        self.expected = {}
        self.seconds = 1_500_000_000

    def photo(self, path, content=None, **words):
        name = path.rsplit("/", 1)[-1]
        made = video(path) if name.lower().endswith((".mp4", ".mov")) else picture(path)
        self.files[path] = made if content is None else content
        self.expected[name] = Expected(**words)
        return self.files[path]

    def note(self, path, **members):
        """A sidecar of Google's; returns the date in milliseconds that it tells."""
        self.seconds += 86_400 + 1
        said = {
            "title": path.rsplit("/", 1)[-1].removesuffix(".json"), "photoTakenTime": {"timestamp": str(self.seconds)},
            "creationTime": {"timestamp": "1700000000"}, "geoData": {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0},
            **members,
        }  # fmt: skip
        self.files[path] = json.dumps(said).encode()
        return self.seconds * 1000

    # -- where it is put

    def folder(self, target):
        for path, content in self.files.items():
            place = Path(target) / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        return Path(target)

    def zips(self, folder, count=1, name="takeout-20261126T000000Z-{:03}.zip", method=zipfile.ZIP_DEFLATED):
        """Parts of one export; neighbours are torn apart, so that a sidecar lies in another part than its photo."""
        paths = []
        for number in range(count):
            paths.append(Path(folder) / name.format(number + 1))
            with zipfile.ZipFile(paths[-1], "w", method) as archive:
                for path, content in list(self.files.items())[number::count]:
                    archive.writestr(zipfile.ZipInfo(path, MADE), content, method)
        return paths

    def tgz(self, target):
        with tarfile.open(target, "w:gz") as archive:
            for path, content in self.files.items():
                entry = tarfile.TarInfo(path)
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
        return Path(target)


def takeout(language):
    """A Takeout with every spelling, and with albums, hearts, captions, places, trash, doubles and other things."""
    words, export = LANGUAGES[language], Export()
    root = f"Takeout/{words['root']}"
    year, album = f"{root}/{words['year'].format(2017)}", f"{root}/Rom_ 2019 {language}"
    for label, photo, sidecar in SPELLINGS:
        name = photo.replace("E", words["edited"]) if label.startswith("changed") else photo
        taken = export.note(f"{year}/{sidecar}", title="Salt & Pepper.jpg" if "alone" in label else "x")
        made = video if name.endswith(".MP4") else picture
        export.photo(f"{year}/{name}", made(f"{language} {name}"), taken=taken)
    export.files[f"{album}/{words['album']}"] = json.dumps({"title": f"Rom: 2019 {language}", "access": "protected"}).encode()
    taken = export.note(
        f"{year}/dom.jpg.json", favorited=True, description="Oma vor dem Dom",
        geoData={"latitude": 41.9, "longitude": 12.45, "altitude": 20.0},
    )  # fmt: skip
    twice = export.photo(f"{year}/dom.jpg", picture(f"{language} dom"))
    export.photo(
        f"{album}/dom.jpg", twice, taken=taken, heart=True, caption="Oma vor dem Dom", place=(41.9, 12.45),
        albums={f"Rom: 2019 {language}"},
    )  # fmt: skip
    export.photo(f"{album}/only here.jpg", picture(f"{language} only here"), albums={f"Rom: 2019 {language}"})
    export.note(f"{root}/{words['bin']}/gone.jpg.json", trashed=True)
    export.photo(f"{root}/{words['bin']}/gone.jpg", picture(f"{language} gone"))
    del export.expected["gone.jpg"]
    export.note(f"{year}/nobody.jpg.json")
    export.files[f"{year}/receipt.pdf"] = b"%PDF-1.4 " + language.encode()
    return export


def large_takeout(folder, count, parts=4, byte_count=2_000):
    """Archives of one export: so many photos of so many bytes, what is said of most of them in another part than they are, and all
    that `takeout` has, in every language. Written as it is made: none of it is in memory as a whole."""
    paths = [Path(folder) / f"takeout-20261127T000000Z-{number + 1:03}.zip" for number in range(parts)]
    archives = [zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) for path in paths]
    for number in range(count):
        # A part holds neighbours, as real ones do; what is said of every seventh photo lies in the next part.
        part = number * parts // count
        for path, content, shift in odd_photo(number, byte_count):
            put(archives[(part + shift) % parts], path, content)
    for language in LANGUAGES:
        for number, (path, content) in enumerate(takeout(language).files.items()):
            put(archives[number % parts], path, content)
    for number, (path, content) in enumerate(OF_OTHER_SERVICES.items()):
        put(archives[number % parts], path, content)
    for archive in archives:
        archive.close()
    return paths


ROOT = "Takeout/Google Photos"
OF_OTHER_SERVICES = {
    "Takeout/archive_browser.html": b"<html>",
    f"{ROOT}/memories.json": json.dumps({"memories": []}).encode(),
    "Takeout/Google Chat/messages.json": json.dumps({"messages": [{"text": "words"}]}).encode(),
    "Takeout/Google Chat/Groups/Family/File-beach.jpg": picture("from chat"),
    "Takeout/Drive/Scans/letter.jpg": picture("from drive"),
    "Takeout/Contacts/All Contacts/Oma.jpg": picture("from contacts"),
}
# Of a number: the remainder by a hundred tells what is odd about its photo.
EDITED, LIVE, TRASHED, ARCHIVED, TWICE, CUT, COPY, CHANGED_SIGNS, BARE = 3, 13, 23, 33, 43, 53, 63, 73, 83


def odd_photo(number, byte_count):
    """(path, content, in how many parts further on) of one photo, of what is said of it, and of what belongs to both."""
    odd, year = number % 100, 2010 + number % 12
    folder, name = f"{ROOT}/Photos from {year}", f"IMG_{number:05}.jpg"
    # No two are alike, and none can be packed.
    content = picture(f"{number} ")[:-2] + random.Random(number).randbytes(byte_count) + b"\xff\xd9"
    beside, title = f"{name}.supplemental-metadata.json", name
    if odd == CUT:
        name = f"{LONG[:40]}{number:07}.jpg"
        beside, title = f"{name[:46]}.json", f"{LONG}-{number}.jpg"
    elif odd == COPY:
        name, beside = f"IMG_{number:05}(1).jpg", f"IMG_{number:05}.jpg.supplemental-metadata(1).json"
    elif odd == CHANGED_SIGNS:
        name, title = f"Tom _ Jerry {number}.jpg", f"Tom & Jerry {number}.jpg"
        beside = f"{title}.json"
    elif odd == LIVE:
        beside = f"IMG_{number:05}.HEIC.supplemental-metadata.json"
    said = {
        "title": title, "photoTakenTime": {"timestamp": str(1_262_304_000 + (year - 2010) * 31_557_600 + number)},
        "geoData": {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0},
        **({"favorited": True} if number % 10 == 0 else {}),
        **({"description": f"Words of {number}"} if number % 25 == 0 else {}),
        **({"geoData": {"latitude": 40 + number / 1e4, "longitude": 10.5, "altitude": 20.0}} if number % 20 == 0 else {}),
        **({"trashed": True} if odd == TRASHED else {}), **({"archived": True} if odd == ARCHIVED else {}),
    }  # fmt: skip
    yield f"{folder}/{name}", content, 0
    if odd != BARE:
        yield f"{folder}/{beside}", json.dumps(said).encode(), int(number % 7 == 0)
    if odd == EDITED:
        yield f"{folder}/IMG_{number:05}-edited.jpg", picture(f"edited {number}"), 1
    elif odd == LIVE:
        yield f"{folder}/IMG_{number:05}.MP4", video(f"live {number}"), 1
    elif odd == TWICE:
        yield f"{folder}/IMG_{number:05} again.jpg", content, 1
    if number % 40 == 0:
        # Of albums whose photos, and whose titles, lie in other parts.
        album = f"{ROOT}/Trip_ {number // 400}"
        yield f"{album}/{name}", content, number // 40 % 4
        if number % 400 == 0:
            titled = {"title": f"Trip: {number // 400}", "access": "protected"}
            yield f"{album}/metadata.json", json.dumps(titled).encode(), number // 400 % 4


def put(archive, path, content):
    method = zipfile.ZIP_STORED if path.endswith((".jpg", ".MP4")) else zipfile.ZIP_DEFLATED
    archive.writestr(zipfile.ZipInfo(path, MADE), content, method)
