"""AVIF files put together box by box from what ffmpeg codes: structures that phones write and that no tool here makes."""

import struct
import subprocess

SIZE = (256, 192)


def av1(source, *options, pixels="yuv420p"):
    """One coded picture: the configuration box and the bytes, out of a plain AVIF."""
    made = subprocess.run(
        ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", f"{source}:s={SIZE[0]}x{SIZE[1]}:r=5:d=0.2", "-frames:v", "1",
         "-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8", "-pix_fmt", pixels, *options,
         "-f", "avif", "pipe:1"],
        capture_output=True, check=False,
    ).stdout or _by_file(source, pixels, options)  # fmt: skip
    return part(made, b"av1C"), part(made, b"mdat")


def _by_file(source, pixels, options):
    """For a muxer that wants to seek."""
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".avif") as file:
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", f"{source}:s={SIZE[0]}x{SIZE[1]}:r=5:d=0.2",
             "-frames:v", "1", "-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8", "-pix_fmt", pixels,
             *options, file.name],
            check=True,
        )  # fmt: skip
        return file.read()


def part(file, kind):
    """What the first box of the kind holds, wherever it lies."""
    place = file.index(kind)
    (length,) = struct.unpack(">I", file[place - 4 : place])
    return file[place + 4 : place - 4 + length]


def box(kind, *parts):
    inside = b"".join(parts)
    return struct.pack(">I4s", 8 + len(inside), kind) + inside


def full(kind, version, flags, *parts):
    return box(kind, struct.pack(">I", version << 24 | flags), *parts)


def reference(kind, source, *targets):
    return box(kind, struct.pack(">HH", source, len(targets)), *(struct.pack(">H", target) for target in targets))


def picture(main, gain, references, colour=(1, 13, 6), brand=b"avif"):
    """Items: 1 the picture, 2 a gain map, 3 what a bright screen makes of both (tmap), 4 EXIF's date."""
    tiff = b"MM\0*\0\0\0\x08\0\x01\x87\x69\0\x04\0\0\0\x01\0\0\0\x1a\0\0\0\0" + (
        b"\0\x01\x90\x03\0\x02\0\0\0\x14\0\0\0\x2c\0\0\0\0" + b"2025:01:02 10:25:55\0"
    )
    data = {1: main[1], 2: gain[1], 3: b"\0" * 62, 4: b"\0\0\0\0" + tiff}

    def entry(item, kind, hidden=0):
        return full(b"infe", 2, hidden, struct.pack(">HH", item, 0), kind, b"\0")

    kinds = [entry(1, b"av01"), entry(2, b"av01", 1), entry(3, b"tmap"), entry(4, b"Exif", 1)]
    size = full(b"ispe", 0, 0, struct.pack(">II", *SIZE))
    properties = box(
        b"ipco", box(b"av1C", main[0]), size, full(b"pixi", 0, 0, b"\x03\x08\x08\x08"), box(b"av1C", gain[0]),
        full(b"auxC", 0, 0, b"urn:com:apple:photo:2020:aux:hdrgainmap\0"),
        box(b"colr", b"nclx", struct.pack(">HHHB", *colour, 128)),
    )  # fmt: skip
    places = [(1, (0x81, 2, 3, 6)), (2, (0x84, 2, 3, 5)), (3, (2, 3))]
    used = b"".join(struct.pack(">HB", item, len(which)) + bytes(which) for item, which in places)

    def meta(start):
        extents, place = b"", start
        for item, content in data.items():
            extents += struct.pack(">HHHII", item, 0, 1, place, len(content))
            place += len(content)
        return full(
            b"meta", 0, 0, full(b"hdlr", 0, 0, struct.pack(">I4s12s", 0, b"pict", b""), b"\0"),
            full(b"pitm", 0, 0, struct.pack(">H", 1)),
            full(b"iloc", 0, 0, struct.pack(">BBH", 0x44, 0, len(data)), extents),
            full(b"iinf", 0, 0, struct.pack(">H", len(kinds)), *kinds), full(b"iref", 0, 0, *references),
            box(b"iprp", properties, full(b"ipma", 0, 0, struct.pack(">I", len(places)), used)),
        )  # fmt: skip

    head = box(b"ftyp", brand + b"\0\0\0\0", b"avif", b"mif1", b"miaf", b"tmap")
    return head + meta(len(head) + len(meta(0)) + 8) + box(b"mdat", *data.values())
