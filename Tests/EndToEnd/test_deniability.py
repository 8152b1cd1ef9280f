"""Names, sizes, modification times and the number of rows of a store are alike with one vault and with three."""

import json
import shutil
import sqlite3

import pytest
from client import Browser, sha256, wait_until
from daemon import WITH_SLOTS
from faults import fill as fill_disk
from faults import needs_root, tmpfs
from tus import Tus

# 256 to 8,192 cover rows are made at the first start. Vaults of the daemon's own come with 17 rows each, at most 16 of them,
# and sometimes add one.
COVER_ROW_SPREAD = 16 * 17 + 34 + 30
MEBIBYTE = 1 << 20


def listing(daemon):
    """Names and sizes; those of the ledger and its copies, which are drawn, only as far as they tell anything."""
    found = daemon.listing()
    ledgers = {name: found.pop(name) for name in ("ledger.sqlite", "ledger.copy-0", "ledger.copy-1")}
    assert len(set(ledgers.values())) == 1 and ledgers["ledger.sqlite"] % MEBIBYTE == 0, ledgers
    return found


def row_count(daemon, scratch):
    """Rows of the ledger, counted in a copy so that nothing is changed."""
    scratch.mkdir()
    for path in daemon.data.glob("ledger.sqlite*"):
        shutil.copy(path, scratch)
    ledger = sqlite3.connect(scratch / "ledger.sqlite")
    try:
        return ledger.execute("SELECT count(*) FROM row").fetchone()[0]
    finally:
        ledger.close()


def fill(daemon, vault_count, contents):
    browsers = [Browser(daemon).create(f"lantern number {number} of the house") for number in range(vault_count)]
    for number, content in enumerate(contents):
        browsers[number % vault_count].put(f"{number}.jpg", content)


# Of `meta`: drawn anew, each time or where it is there.
RANDOM_VALUES = {"last_commits", "guess_key", "device-key", "session_mark"}


def values_in_clear(daemon):
    """What is not sealed and no row of anybody: `meta`, and what SQLite counts in its header."""
    header = (daemon.data / "ledger.sqlite").read_bytes()[:100]
    ledger = sqlite3.connect(f"file:{daemon.data}/ledger.copy-0?immutable=1", uri=True)
    try:
        found = {name: value for name, value in ledger.execute("SELECT key, value FROM meta") if name not in RANDOM_VALUES}
    finally:
        ledger.close()
    return found | {"header": header[24:28] + header[92:96]}


def test_no_value_in_clear_counts_visits(start_daemon):
    daemon = start_daemon()
    browser = Browser(daemon).create()
    browser.put("first.jpg", b"first")
    browser.lock()
    found = []
    for number in range(4):
        browser = Browser(daemon).open()
        if number % 2:
            browser.put(f"{number}.jpg", b"more %d" % number)
        browser.lock()
        wait_until(lambda: (daemon.data / "ledger.sqlite-wal").stat().st_size == 0)
        found.append(values_in_clear(daemon))
    assert all(values == found[0] for values in found), found


def test_one_vault_three_and_none_look_alike(start_daemon, seeded, tmp_path):
    contents = [seeded.randbytes(seeded.randrange(100_000)) for _ in range(30)]
    stores, added, listings = [], [], []
    for number, vault_count in enumerate((1, 3)):
        daemon = start_daemon(environment=WITH_SLOTS)
        daemon.stop()
        listings.append(listing(daemon))
        before = row_count(daemon, tmp_path / f"before-{number}")
        daemon.start()
        fill(daemon, vault_count, contents)
        daemon.stop()
        listings.append(listing(daemon))
        added.append(row_count(daemon, tmp_path / f"after-{number}") - before)
        stores.append(daemon)
    assert all(other == listings[0] for other in listings)
    one, three = stores
    assert sorted(p.stat().st_size for p in one.object_files()) == sorted(p.stat().st_size for p in three.object_files())
    assert abs(added[0] - added[1]) <= COVER_ROW_SPREAD, added


@pytest.fixture(scope="module")
def standing_daemon(start_standing):
    """Apart from other tests: its object files are looked at."""
    return start_standing()


def new_objects(browser, send):
    """The files that come to the disk with what is sent."""
    before = set(browser.daemon.object_files())
    send()
    return [path.stat() for path in browser.daemon.object_files() if path not in before]


def test_the_time_of_an_object_file_says_nothing(vault):
    browser = vault()

    def send():
        browser.put("a", b"a" * 1000)
        browser.put("b", b"b" * 1000)

    found = new_objects(browser, send)
    assert len(found) == 2 and len({status.st_mtime_ns for status in found}) == 1


def test_an_object_file_has_a_padded_size_and_ends_with_a_block_however_it_came(vault):
    browser = vault()
    tus = Tus(browser)

    def send():
        browser.put("tiny", b"t")
        browser.put("large", b"l" * 9_999_999)
        # Three that cannot be told from each other, one of which comes in pieces.
        browser.put("photo", b"p" * 3_430_000)
        browser.put("another", b"q" * 3_450_000)
        upload = tus.create(3_410_001)
        for start in range(0, 3_410_001, 1_136_667):
            tus.patch(upload, start, b"r" * 1_136_667)

    sizes = sorted(status.st_size for status in new_objects(browser, send))
    assert [size % 4096 for size in sizes] == [0] * 5
    # Padmé makes 3,473,408 of the content in pieces, and of its last piece alone less.
    assert sizes[1:4] == [3_477_504] * 3


@needs_root
def test_cover_is_told_to_the_keeper_and_gives_way_to_a_photo_that_has_no_room(start_daemon, seeded, tmp_path):
    with tmpfs(tmp_path / "small", 400) as disk:

        def start(number):
            """A store with a photo, and with the cover that was drawn for it → (daemon, browser, what its status says)"""
            daemon = start_daemon(
                data=disk / f"data{number}", environment={"SAFELIGHT_COVER": "32", "SAFELIGHT_LIMITS_RESERVE": "1"})  # fmt: skip
            browser = Browser(daemon).create()
            browser.put("own.jpg", seeded.randbytes(8_000_000))
            browser.lock()

            def status():
                return json.loads(daemon.run("status", "--data", str(daemon.data), "--json").stdout)

            wait_until(lambda: status()["coverFiles"] >= 1, "no cover came")
            return daemon, browser, status

        # Some stores draw less than the padding of the photo below, which has to find room in a quarter of it. The figure is
        # rounded up to a power of two; ten draws in a row that are so small are not seen.
        for number in range(10):
            daemon, browser, status = start(number)
            if status()["coverBytes"] >= 8 << 20:
                break
            daemon.stop()
            shutil.rmtree(daemon.data)

        def cover_byte_count(own):
            return sum(path.stat().st_size for path in daemon.object_files()) - own

        told = status()
        assert told["coverFiles"] >= 1 and told["coverFileLimit"] == 128, told
        assert told["coverBytes"] >= 1 << 20 and told["coverByteLimit"] == 32 << 20, told
        said = daemon.run("status", "--data", str(daemon.data)).stdout.decode()
        assert "Cover" in said and "of at most 32.0 MiB" in said, said
        assert "cover" not in browser.request("GET", "/health").text
        browser.open()
        fill_disk(disk / "ballast", leaving=64 << 20)
        held = cover_byte_count(8_200_000)
        large = seeded.randbytes(status()["freeBytes"] + held // 4)
        browser.put("large.mov", large)
        assert browser.digests()["large.mov"] == sha256(large)
        assert cover_byte_count(8_200_000 + len(large)) < held
