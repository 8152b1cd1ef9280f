"""Stores as an earlier version wrote them, one for each kind of what a store can hold: how they are kept, and taken out."""

import json
import os
from pathlib import Path

from daemon import CHECKOUT

KINDS = CHECKOUT / "Tests" / "Golden" / "kinds"
BLOCK = 256
# A file of which less than this part is not zero is kept as its blocks.
SPARSE = 1 / 8
ABOUT, FILES = "golden.json", "files.json"


def pack(source, target, wanted=lambda name: True):
    """Keeps the files below a folder: without the zeros at their end, or as the few blocks that are none."""
    files = {}
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        name = str(path.relative_to(source))
        if not wanted(name):
            continue
        content = path.read_bytes()
        blocks = range(0, len(content), BLOCK)
        used = {at: block for at in blocks if (block := content[at : at + BLOCK]).strip(b"\0")}
        files[name] = {"bytes": len(content)}
        if len(content) > 1 << 16 and len(used) < len(blocks) * SPARSE:
            files[name]["blocks"] = {str(at): block.hex() for at, block in used.items()}
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content.rstrip(b"\0"))
    (target / FILES).write_text(json.dumps(files, indent=1) + "\n")


def unpack(source, target):
    """The folder as it was, closed to others."""
    target.mkdir(mode=0o700)
    for name, file in json.loads((source / FILES).read_text()).items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "wb", opener=lambda path, flags: os.open(path, flags, 0o600)) as out:
            for at, block in file.get("blocks", {}).items():
                out.seek(int(at))
                out.write(bytes.fromhex(block))
            if "blocks" not in file:
                out.write((source / name).read_bytes())
            out.truncate(file["bytes"])
    for folder in [target, *(path for path in target.rglob("*") if path.is_dir())]:
        folder.chmod(0o700)
    return target


def make_shards(data):
    """What git keeps none of: empty folders."""
    for shard in range(256):
        (data / "objects" / f"{shard:02x}").mkdir(mode=0o700, parents=True, exist_ok=True)


def about(kind):
    return json.loads((KINDS / kind / ABOUT).read_text())


def kinds():
    return sorted(path.name for path in Path(KINDS).iterdir()) if KINDS.exists() else []
