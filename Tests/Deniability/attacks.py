"""What somebody learns from a data directory that was taken away: attacks, each a function from a store to what it
shows. Without a password, or with one, as whoever was given a decoy's has it."""

import ctypes
import importlib.machinery
import importlib.util
import itertools
import os
import shutil
import sqlite3
import struct
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
LEDGER, LOG, PREVIEWS = "ledger.sqlite", "ledger.sqlite-wal", "previews.sqlite"
COPIES = ("ledger.copy-0", "ledger.copy-1")


def reader():
    """The second reader of the format, which knows nothing of the program."""
    loader = importlib.machinery.SourceFileLoader("open_store", str(CHECKOUT / "scripts" / "open-store"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("open_store", loader))
    loader.exec_module(module)
    return module


class Moment:
    """Rows and objects of a ledger at one moment."""

    def __init__(self, path):
        ledger = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.rows = dict(ledger.execute("SELECT id, body FROM row"))
        self.objects = {id for (id,) in ledger.execute("SELECT id FROM object")}
        ledger.close()

    @classmethod
    def of(cls, content):
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            return cls(file.name)

    def differences(self, later):
        """What a later moment has another of: rows by id, objects."""
        rows = {("row", id) for id in self.rows.keys() | later.rows.keys() if self.rows.get(id) != later.rows.get(id)}
        return rows | {("object", id) for id in self.objects ^ later.objects}


class Doors:
    """What of doors, and of those who came to them, can be seen: bodies and last days by id."""

    # In an arrival's body: the last byte of the X25519 key, whose highest bit is never set, behind a ciphertext of ML-KEM.
    KEY_END = 1119

    def __init__(self, path):
        ledger = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        self.doors, self.arrivals = (
            {id: (body, day) for id, body, day in ledger.execute(f"SELECT id, body, expires_day FROM {table}")}
            for table in ("door", "arrival")
        )
        self.spaces = dict(ledger.execute("SELECT space, min(expires_day) FROM guest GROUP BY space"))
        ledger.close()

    def features(self):
        """Numbers, and by what one door or arrival may be told from others of its kind."""
        last_days = {day for _, day in self.doors.values()}
        bodies = [body for body, _ in self.arrivals.values()]
        return [
            len(self.doors), len(self.arrivals), len(self.spaces), len(self.arrivals.keys() ^ self.spaces.keys()),
            len({len(body) for body, _ in (*self.doors.values(), *self.arrivals.values())}),
            sum(day in last_days for day in self.spaces.values()), sum(body[self.KEY_END] >> 7 for body in bodies),
            *(sum(sum(body) for body, _ in rows.values()) / max(1, sum(len(body) for body, _ in rows.values()))
              for rows in (self.doors, self.arrivals)),
        ]  # fmt: skip


def moments(data):
    """The ledger itself, without its log, and its copies."""
    return [Moment(data / name) for name in (LEDGER, *COPIES)]


def log_bytes(data):
    """Of what the ledger's log still holds, those that are not zero."""
    content = (data / LOG).read_bytes() if (data / LOG).exists() else b""
    return len(content) - content.count(0)


def states_of(data):
    """The ledger as it was merged last, and after each commit of the log that stands there."""
    log = (data / LOG).read_bytes() if (data / LOG).exists() else b""
    content = bytearray((data / LEDGER).read_bytes())
    yield Moment(data / LEDGER)
    if len(log) < 32:
        return
    (page,) = struct.unpack(">I", log[8:12])
    for start in range(32, len(log) - 24 - page + 1, 24 + page):
        number, size = struct.unpack(">II", log[start : start + 8])
        # What follows is of an earlier round, or nothing.
        if number == 0 or log[start + 8 : start + 16] != log[16:24]:
            return
        end = number * page
        content.extend(bytes(max(0, end - len(content))))
        content[end - page : end] = log[start + 24 : start + 24 + page]
        if size:
            plain = bytes(content[: size * page])
            # As a ledger that never had a log.
            yield Moment.of(plain[:18] + b"\x01\x01" + plain[20:])


def groups(data):
    """Rows and objects that one commit of the log changed, commit by commit."""
    return [changed for before, after in itertools.pairwise(states_of(data)) if (changed := before.differences(after))]


def joined(groups):
    """Groups that have something in common are one."""
    sets = []
    for group in groups:
        common = [other for other in sets if other & group]
        sets = [other for other in sets if not other & group] + [group.union(*common)]
    return sets


def vault(data, password):
    """What a password opens."""
    store = reader()
    keys = (store.vault_key(data, prk) for prk in store.password_keys(store.header(data), password, b""))
    return store.Ledger(store.connected(data / LEDGER), next(filter(None, keys)))


def owned(data, password):
    """Ids of rows and objects of the vault that a password opens."""
    ledger = vault(data, password)
    rows = {ledger.id(0, 0)} | {ledger.id(1, index) for index in range(ledger.count)}
    return rows, {photo.one[2] for photo in ledger.photos()}


def unexplained(data, passwords):
    """Rows and objects that none of the passwords explains."""
    moment = Moment(data / LEDGER)
    rows, objects = set(moment.rows), set(moment.objects)
    for password in passwords:
        own_rows, own_objects = owned(data, password)
        rows -= own_rows
        objects -= own_objects
    return rows, objects


def preview_ids(file_key):
    """Row keys of the thumbnail and the preview of a photo."""
    expand = reader().expand
    return [
        int.from_bytes(expand(file_key, b"safelight/v1/preview id" + bytes([size]), 16)[:8], "big", signed=True) for size in (1, 2)
    ]


def previews(data):
    """Sizes by row key, of a store that nobody has open. The power may have gone out while its log was being written."""
    if not (data / PREVIEWS).exists():
        return {}
    with tempfile.TemporaryDirectory() as folder:
        for name in (PREVIEWS, f"{PREVIEWS}-wal"):
            if (data / name).exists():
                shutil.copyfile(data / name, f"{folder}/{name}")
        file = sqlite3.connect(f"{folder}/{PREVIEWS}")
        is_begun = file.execute("SELECT 1 FROM sqlite_schema WHERE name = 'preview'").fetchone()
        found = dict(file.execute("SELECT id, length(body) FROM preview")) if is_begun else {}
        file.close()
    return found


def unexplained_previews(data, passwords):
    """Sizes of those that are of no photo of these vaults."""
    found = previews(data)
    for password in passwords:
        for key in [key for photo in vault(data, password).photos() for key in preview_ids(photo.one[1])]:
            found.pop(key, None)
    return list(found.values())


def meta(data):
    """What stands in clear, by name."""
    ledger = sqlite3.connect(f"file:{data / LEDGER}?mode=ro&immutable=1", uri=True)
    found = dict(ledger.execute("SELECT key, value FROM meta"))
    ledger.close()
    return found


def guesses(data):
    """Of what stands there of guesses: rows, and bytes of all their keys."""
    ledger = sqlite3.connect(f"file:{data / LEDGER}?mode=ro&immutable=1", uri=True)
    found = ledger.execute("SELECT count(*), coalesce(sum(length(key)), 0) FROM throttle").fetchone()
    ledger.close()
    return found


def uploads(data):
    """Of unfinished uploads of no guest: bytes of the row, whether bytes came, the last day."""
    ledger = sqlite3.connect(f"file:{data / LEDGER}?mode=ro&immutable=1", uri=True)
    found = ledger.execute("SELECT length(body), part IS NOT NULL, expires_day FROM upload WHERE space IS NULL").fetchall()
    ledger.close()
    return found


class Statx(ctypes.Structure):
    """What statx(2) fills; Python tells nothing of when a file was made."""

    class Time(ctypes.Structure):
        _fields_ = [("seconds", ctypes.c_int64), ("nanoseconds", ctypes.c_uint32), ("reserved", ctypes.c_int32)]

        def __int__(self):
            return self.seconds * 1_000_000_000 + self.nanoseconds

    _fields_ = [("before", ctypes.c_uint8 * 64), ("read", Time), ("made", Time), ("changed", Time), ("modified", Time),
                ("behind", ctypes.c_uint8 * 128)]  # fmt: skip
    # Of this folder, whatever the kernel can tell.
    AT_FDCWD, ALL = -100, 0xFFF

    @classmethod
    def of(cls, path):
        found = cls()
        statx = ctypes.CDLL(None, use_errno=True).statx
        if statx(cls.AT_FDCWD, os.fsencode(path), 0, cls.ALL, ctypes.byref(found)):
            raise OSError(ctypes.get_errno(), "statx", str(path))
        return found


def object_times(data):
    """By the name of each object: when it was made, changed by anything, read and written, in nanoseconds."""
    found = {path.name: Statx.of(path) for path in (data / "objects").glob("*/*")}
    return {name: tuple(int(time) for time in (each.made, each.changed, each.read, each.modified)) for name, each in found.items()}


def times(data, names=("slots", LEDGER, *COPIES)):
    """When the files were changed last, in nanoseconds: what is in them, and anything of them."""
    return {name: (status.st_mtime_ns, status.st_ctime_ns) for name in names for status in [os.stat(data / name)]}
