"""The page as it is installed: `scripts/pack-page` makes few small files of many, and what that weighs."""

import gzip
import re
import shutil
import subprocess

import pytest
from packing import CHECKOUT, pack_page

VISITORS = ("give-", "see-")
VERSION = re.compile(r"-[0-9a-f]{8}(?=\.js)")


def packed(*paths):
    return sum(len(gzip.compress(path.read_bytes(), 9)) for path in paths)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def named(folder, page):
    """The files that a page of the folder names."""
    links = re.findall(r'<(?:script|link)\b[^>]* (?:src|href)="/([^"]+)"', (folder / page).read_text())
    return [folder / link for link in links]


@pytest.fixture
def sources(tmp_path):
    return shutil.copytree(CHECKOUT / "www", tmp_path / "www")


@pytest.fixture
def start(packed_page):
    [script] = packed_page.glob("js/page-*.js")
    return script


def test_the_start_of_the_page_stays_small(packed_page, start):
    styles = packed_page / "css" / "page.css"
    assert start.stat().st_size <= 110_000 and packed(start) <= 34_000
    assert styles.stat().st_size <= 30_000 and packed(styles) <= 8_000
    assert (packed_page / "icons.svg").stat().st_size <= 8_000
    assert not list(packed_page.rglob("*.woff2"))
    for words in packed_page.glob("i18n/*.js"):
        assert packed(packed_page / "index.html", packed_page / "js/early.js", styles, start, words) <= 40_000, words


def test_what_comes_later_comes_in_small_parts(packed_page, start):
    parts = [path for path in packed_page.glob("js/*-*.js") if path != start]
    assert {VERSION.sub("", path.name) for path in parts} == {
        "albums.js", "archive-worker.js", "changing.js", "common-passwords.js", "crop.js", "doors.js", "gallery.js", "give.js", "inside.js", "library.js", "moving.js", "places.js", "save-photos.js", "search.js", "see.js", "settings.js", "upload-panel.js", "upload-worker.js", "vault-forms.js", "vault-viewer.js"
    }  # fmt: skip
    # The pages of visitors are parts of their own.
    for path in [*(part for part in parts if not part.name.startswith(VISITORS)), packed_page / "css/inside.css"]:
        # The worker comes once somebody has dropped an archive.
        assert packed(path) <= (21_000 if path.name.startswith("archive-worker") else 20_000), path.name
    # Only who opens the details of a photo with a place gets the map.
    assert packed(packed_page / "world.json") <= 19_000
    # It is packed as small as it gets.
    assert (packed_page / "common-passwords.bin").stat().st_size <= 250_000
    connect = [packed_page / name for name in ("connect.html", "css/page.css", "css/connect.css", "js/connect.js")]
    assert packed(*connect, packed_page / "i18n/connect/zh-Hans.js") <= 20_000


def test_the_page_of_a_visitor_stays_small(packed_page):
    """All that somebody with a phone waits for at a door, and what reads their files."""
    [script] = packed_page.glob("js/give-*.js")
    [worker] = packed_page.glob("js/upload-worker-*.js")
    page = [packed_page / name for name in ("give/index.html", "js/early.js", "css/page.css", "css/give.css", "icons.svg")]
    for words in packed_page.glob("i18n/give/*.js"):
        assert packed(*page, script, words) <= 33_100, words
    assert packed(script) <= 22_000 and packed(worker) <= 12_500


def test_the_page_of_a_window_stays_small(packed_page):
    """Gallery, viewer and slideshow, for somebody with a phone who has nothing of them."""
    [script] = packed_page.glob("js/see-*.js")
    page = [packed_page / name for name in ("see/index.html", "js/early.js", "css/page.css", "css/see.css", "icons.svg")]
    for words in packed_page.glob("i18n/see/*.js"):
        assert packed(*page, script, words, packed_page / "i18n" / "photos" / words.name) <= 58_800, words
    assert script.stat().st_size <= 121_000 and packed(script) <= 41_950


def test_a_part_needs_nothing_but_the_start(packed_page, start):
    for path in packed_page.glob("js/*-*.js"):
        imported = re.findall(r'from"([^"]+)"|(?<![\w/])import"([^"]+)"', path.read_text())
        is_alone = path == start or "-worker-" in path.name or path.name.startswith(VISITORS)
        assert {one or other for one, other in imported} == (set() if is_alone else {f"./{start.name}"})


def test_the_page_of_a_visitor_has_nothing_of_the_vault_s_page(packed_page):
    """It shares scripts with parts of that, each of which leads to its start."""
    for name in VISITORS:
        [script] = packed_page.glob(f"js/{name}*.js")
        named_here = {VERSION.sub("", part) for part in re.findall(r'"\./([\w-]+\.js)"', script.read_text())}
        assert named_here <= {"upload-worker.js", "archive-worker.js"}, name


def test_each_page_names_files_that_are_there(packed_page, start):
    for page in ("index.html", "connect.html", "give/index.html", "see/index.html"):
        assert all(path.is_file() for path in named(packed_page, page)), page
    assert start in named(packed_page, "index.html")
    sources = "".join(path.read_text() for path in packed_page.glob("js/*-*.js"))
    known = set(re.findall(r'"\./([\w-]+\.js)"', sources)) - {start.name}
    [give], [see] = packed_page.glob("js/give-*.js"), packed_page.glob("js/see-*.js")
    assert give in named(packed_page, "give/index.html") and see in named(packed_page, "see/index.html")
    assert known | {give.name, see.name} == {path.name for path in packed_page.glob("js/*-*.js")} - {start.name}


def test_another_version_has_other_names(packed_page, sources, tmp_path):
    with (sources / "js/viewer/viewer.js").open("a") as module:
        module.write("\n// Later.\n")
    other = pack_page(sources, tmp_path / "other")
    assert not {path.name for path in other.glob("js/*-*.js")} & {path.name for path in packed_page.glob("js/*-*.js")}


def test_the_same_sources_give_the_same_bytes_and_what_cannot_be_packed_leaves_them_there(packed_page, sources, tmp_path):
    target = pack_page(sources, tmp_path / "page")
    assert files(target) == files(packed_page)
    with (sources / "js/viewer/viewer.js").open("a") as module:
        module.write("\nconst {\n")
    with pytest.raises(subprocess.CalledProcessError):
        pack_page(sources, target)
    assert files(target) == files(packed_page)
    assert {path.name for path in tmp_path.iterdir()} == {"www", "page", "places.bin"}
