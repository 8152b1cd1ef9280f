import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { crc32 as nodeCRC } from "node:zlib";
import { listArchive, verdictOnFile } from "../../www/js/files/archive-worker.js";
import { zipEntries } from "../../www/js/files/archive.js";
import { crc32 } from "../../www/js/files/archive.js";
import { EntryStream } from "../../www/js/files/unpacking.js";
import { joined, text } from "./bytes.js";
import { extraField, little, zip } from "./zips.js";

/** As a browser hands it out: only what is read of it is in memory, and that is counted. */
class Counted extends File {
    longest = 0;
    read = 0;

    slice(begin = 0, end = this.size) {
        this.read += Math.min(end, this.size) - begin;
        this.longest = Math.max(this.longest, Math.min(end, this.size) - begin);
        return super.slice(begin, end);
    }
}

const file = (bytes, name = "a.zip") => new Counted([bytes], name, { lastModified: 0 });
const inPython = (script) => execFileSync("python3", ["-c", `import io, sys, tarfile, zipfile, zlib\nout = io.BytesIO()\n${script}\nsys.stdout.buffer.write(out.getvalue())`],
    { maxBuffer: 64 << 20 });

/** Reads an entry in pieces, as it is sent. */
async function content(archive, entry, pieceBytes = 100_000) {
    const stream = new EntryStream(archive, entry);
    const pieces = [];
    let begin = 0;
    do {
        const end = Math.min(entry.size, begin + pieceBytes);
        pieces.push(await stream.read(begin, end));
        begin = end;
    } while (begin < entry.size);
    return Buffer.concat(pieces);
}

const words = (byteCount) => Uint8Array.from({ length: byteCount }, (_, index) => 97 + index * index % 23);
const jpeg = (byteCount) => joined([0xff, 0xd8, 0xff], words(byteCount));
const fault = (code) => (error) => error.code === code;

async function faultOf(bytes, name) {
    return listArchive(file(bytes, name)).then(() => null, ({ code }) => code);
}

async function refusals(entries, options) {
    return Object.fromEntries((await listArchive(file(zip(entries, options)))).map(({ path, refusal }) => [path, refusal]));
}

test("a checksum is that of everybody else, however it is put together", () => {
    const bytes = words(1003);
    const expected = nodeCRC ? nodeCRC(bytes) : Number(execFileSync("python3", ["-c", `import zlib\nprint(zlib.crc32(bytes(97 + i * i % 23 for i in range(1003))))`]));
    assert.equal(crc32(bytes), expected);
    assert.equal(crc32(bytes.subarray(401), crc32(bytes.subarray(0, 401))), expected);
    assert.equal(crc32(new Uint8Array()), 0);
});

test("what Python packed is read as it was, stored and deflated, with names in every spelling", async () => {
    const bytes = inPython(`
with zipfile.ZipFile(out, "w") as archive:
    for name, kind in (("Takeout/Rom é/a.jpg", zipfile.ZIP_STORED), ("Takeout/羅馬/b.jpg", zipfile.ZIP_DEFLATED)):
        archive.writestr(zipfile.ZipInfo(name, (2019, 7, 4, 10, 20, 30)), bytes(97 + i * i % 23 for i in range(300000)), kind)
    archive.mkdir("Takeout/empty")`);
    const archive = file(bytes);
    const entries = await listArchive(archive);
    assert.deepEqual(entries.map(({ path, size, method, refusal }) => [path, size, method, refusal]),
        [["Takeout/Rom é/a.jpg", 300_000, 0, null], ["Takeout/羅馬/b.jpg", 300_000, 8, null]]);
    assert.equal(new Date(entries[0].modifiedAt).toLocaleString("sv"), "2019-07-04 10:20:30");
    for (const entry of entries) assert.deepEqual(await content(archive, entry), Buffer.from(words(300_000)));
    // A name without the mark of UTF-8 is of code page 437, unless it is UTF-8 nevertheless.
    const old = await zipEntries(file(zip([{ name: [0x63, 0x82, 0x2e, 0x6a, 0x70, 0x67], content: "1" }, { name: new TextEncoder().encode("cé.jpg"), content: "2" },
        { name: "x.jpg", content: "3", extra: extraField(0x7075, [1], little(crc32(text("x.jpg")), 4), new TextEncoder().encode("ｘ.jpg")) },
        { name: "y.jpg", content: "4", extra: extraField(0x7075, [1], little(7, 4), "z.jpg") }])));
    assert.deepEqual(old.map(({ path }) => path), ["cé.jpg", "cé.jpg", "ｘ.jpg", "y.jpg"]);
});

test("archives of streams, beyond 32 bits, behind other bytes and with a comment are read", async () => {
    const entries = [{ name: "a.jpg", content: words(5000), flags: 8 }, { name: "b.jpg", content: words(70), method: 0, isLarge: true }];
    for (const options of [{}, { isLarge: true }, { before: "#!/bin/sh\n" }, { before: "#!/bin/sh\n", isLarge: true }, { comment: "PK\x05\x06 of nothing" },
        { counted: 2 }]) {
        const archive = file(zip(entries, options));
        const found = await zipEntries(archive);
        assert.deepEqual(found.map(({ path, refusal }) => [path, refusal]), [["a.jpg", null], ["b.jpg", null]], JSON.stringify(options));
        assert.deepEqual(await content(archive, found[0]), Buffer.from(words(5000)));
        assert.deepEqual(await content(archive, found[1]), Buffer.from(words(70)));
    }
    // Archivers without 64 bits count modulo 65,536.
    const many = Array.from({ length: 65_537 }, (_, index) => ({ name: `${index}.jpg`, method: 0, content: "x" }));
    assert.equal((await zipEntries(file(zip(many, { counted: 1 })))).length, 65_537);
});

test("what cannot be read at all is named with why", async () => {
    const whole = zip([{ name: "a.jpg", content: words(5000) }]);
    assert.equal(await faultOf(whole.subarray(0, whole.length - 30)), "cut-off");
    assert.equal(await faultOf(new Uint8Array()), "cut-off");
    assert.equal(await faultOf(joined(whole, whole)), "joined");
    assert.equal(await faultOf(zip([{ name: "a.jpg" }], { disk: 1 })), "several-parts");
    assert.equal(await faultOf(joined("PK\x07\x08", whole)), "several-parts");
    for (const name of ["a.zip.001", "a.z01", "a.part2.rar"]) assert.equal(await faultOf(whole, name), "several-parts", name);
    assert.equal(await faultOf(zip([{ name: "a.jpg" }], { counted: 3 })), "damaged");
    assert.equal(await faultOf(zip([{ name: "a.jpg", isLarge: true, size: 2 ** 60 }], { moved: 5_000_000 })), "cut-off");
    assert.equal(await faultOf(joined("7z\xbc\xaf\x27\x1c", words(50))), "kind");
    assert.equal(await faultOf(joined("Rar!\x1a\x07", words(50))), "kind");
    assert.equal(await faultOf(joined("\x1f\x8b", words(50)), "takeout.tgz"), "damaged");
});

test("entries that are hidden, hostile or no files are refused, and those beside them are read", async () => {
    const bomb = new Uint8Array(4 << 20);
    assert.deepEqual(await refusals([
        { name: "good.jpg", content: words(500) }, { name: "locked.jpg", content: "1", flags: 1 }, { name: "deflate64.jpg", content: "1", method: 9 },
        { name: "link.jpg", content: "good.jpg", attributes: 0xa1ff0000 }, { name: "../out.jpg", content: "1" }, { name: "C:\\out.jpg", content: "1" },
        { name: "/out.jpg", content: "1" }, { name: "zero\0.jpg", content: "1" }, { name: "bomb.jpg", content: bomb },
        { name: "stored.jpg", content: "12", method: 0, size: 3 }, { name: "shared.jpg", content: "1", offset: 0 }, { name: "a\\b/./c.jpg", content: "1" },
        { name: "folder/", content: "" },
    ]), {
        "good.jpg": "unsafe", "locked.jpg": "encrypted", "deflate64.jpg": "method", "link.jpg": "link", "../out.jpg": "unsafe", "C:\\out.jpg": "unsafe",
        "/out.jpg": "unsafe", "zero\0.jpg": "unsafe", "bomb.jpg": "unsafe", "stored.jpg": "unsafe", "shared.jpg": null, "a/b/c.jpg": null,
    });
});

test("an entry is not what it says: that is found before its last byte is handed out", async () => {
    const whole = words(300_000);
    const cases = {
        "another checksum": [{ crc: 7 }, "damaged"], "another checksum, stored": [{ crc: 7, method: 0 }, "damaged"],
        "larger than it says": [{ size: 299_999 }, "unsafe"], "smaller than it says": [{ size: 300_001 }, "damaged"],
        "another name before its bytes": [{ localName: "b.jpg" }, "unsafe"], "packed otherwise": [{ localMethod: 0 }, "unsafe"],
        "no packed bytes": [{ packed: words(2000) }, "damaged"], "bytes of others": [{ offset: 1 }, "unsafe"],
        "no header": [{ extraBytes: 40, offset: 1 }, "damaged"],
    };
    for (const [label, [said, code]] of Object.entries(cases)) {
        const archive = file(zip([{ name: "a.jpg", content: whole, ...said }]));
        const [entry] = await zipEntries(archive);
        await assert.rejects(content(archive, entry), fault(code), label);
    }
    const archive = file(zip([{ name: "a.jpg", content: "", method: 0 }]));
    assert.equal((await content(archive, (await zipEntries(archive))[0])).length, 0);
});

test("what unpacks to more than it says gives no more than that, and little of it was ever in memory", async () => {
    // It says to be small enough for what it takes, and goes on without an end.
    const packed = Buffer.concat([inPython(`out.write(zlib.compress(bytes(200 << 20), 9, -15))`)]);
    const archive = file(zip([{ name: "a.jpg", packed, size: 20 << 20, crc: 0 }]));
    const [entry] = await zipEntries(archive);
    assert.equal(entry.refusal, null);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const stream = new EntryStream(archive, entry);
    const { step } = EntryStream.prototype;
    stream.step = async function measured() {
        const bytes = await step.call(this);
        most = Math.max(most, process.memoryUsage().arrayBuffers - before);
        return bytes;
    };
    await assert.rejects(async () => {
        for (let at = 0; at < entry.size; at += 1 << 20) await stream.read(at, at + (1 << 20));
    }, fault("unsafe"));
    assert.ok(stream.made <= entry.size && most < 100 << 20, `${stream.made} ${most}`);
});

test("pieces may be asked for again, and a later one first: all is checked nevertheless", async () => {
    for (const method of [0, 8]) {
        const archive = file(zip([{ name: "a.jpg", content: words(700_000), method }]));
        const [entry] = await zipEntries(archive);
        const stream = new EntryStream(archive, entry);
        assert.deepEqual(await stream.read(400_000, 500_000), words(700_000).slice(400_000, 500_000));
        assert.deepEqual(await stream.read(0, 10), words(10));
        assert.deepEqual(await stream.read(600_000, 700_000), words(700_000).slice(600_000));
        const broken = file(zip([{ name: "a.jpg", content: words(700_000), method, crc: 1 }]));
        const [other] = await zipEntries(broken);
        await assert.rejects(new EntryStream(broken, other).read(600_000, 700_000), fault("damaged"));
        assert.ok(archive.longest <= 256 << 10, `${archive.longest}`);
    }
});

test("photos and what is said of them are sent, by name or by their first bytes; the rest stays", async () => {
    const beside = { name: "a.jpg.supplemental-metadata.json", content: "{}" };
    assert.deepEqual(await refusals([
        { name: "a.JPG", content: "1" }, beside, { name: "b.MP~2", content: "1" }, { name: "photo", content: jpeg(50) }, { name: "movie.bin", content: joined(little(0, 4), "ftypqt  ", words(60)) },
        { name: "words.txt", content: "words" }, { name: "archive_browser.html", content: "<html>" }, { name: "empty.jpg", content: "", method: 0 },
        { name: "__MACOSX/._a.jpg", content: "1" }, { name: ".thumbnails/a.jpg", content: "1" }, { name: "x.photoslibrary/resources/a.jpg", content: "1" },
        { name: "IMG_1.AAE", content: "1" }, { name: "a.jpg.crdownload", content: "1" }, { name: "$RECYCLE.BIN/a.jpg", content: "1" },
        { name: "odd", content: "12", crc: 5 },
    ]), {
        "a.JPG": null, [beside.name]: null, "b.MP~2": null, photo: null, "movie.bin": null, "words.txt": "left", "archive_browser.html": "left", "empty.jpg": "left",
        "__MACOSX/._a.jpg": "left", ".thumbnails/a.jpg": "left", "x.photoslibrary/resources/a.jpg": "left", "IMG_1.AAE": "left", "a.jpg.crdownload": "left",
        "$RECYCLE.BIN/a.jpg": "left", odd: "damaged",
    });
    assert.equal((await verdictOnFile({ file: file(jpeg(9)), path: "Rome/photo" })).refusal, null);
    assert.equal((await verdictOnFile({ file: file(text("words")), path: "Rome/words" })).refusal, "left");
});

test("whatever the host takes for a picture or a video is sent without an ending, too", async () => {
    const packets = (first, step) => Uint8Array.from({ length: first + step * 4 }, (_, index) => ((index - first) % step === 0 ? 0x47 : 1));
    const beginnings = [
        [0xff, 0xd8, 0xff], "\x89PNG\r\n\x1a\n", "GIF89a", "RIFF....WEBP", "RIFF....AVI ", ["BM", little(0, 8), little(54, 4), little(40, 4)], ["BM", "....abcd", little(26, 4), little(12, 4)],
        "\0\0\0\x0cjP  ", [0xff, 0x4f, 0xff, 0x51], [0xff, 0x0a], "\0\0\0\x0cJXL ", "8BPS\0", [0, 0, 1, 0, 2, 0], [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11],
        [0, 0, 1, 0xba], [0, 0, 1, 0xb3], [0, 0, 1, 0xb0, 1, 0, 0, 1], [0, 0, 0, 1, 0x67, 100], [0, 0, 0, 1, 0x40, 1, 0x0c], "FLV\x01\x05", packets(0, 188), packets(4, 192),
        "FUJIFILMCCD-RAW ", "....ftypheic", "....moov", "....mdat", "\0...wide", "\0...free", "\0...pnot", [0x1a, 0x45, 0xdf, 0xa3], "II*\0", "MM\0*", "II+\0", "IIU\0", "IIRO", "IIRS", "MMOR",
    ];
    for (const [index, parts] of beginnings.entries()) {
        const bytes = Array.isArray(parts) && typeof parts[0] === "string" ? joined(...parts) : joined(parts);
        assert.equal((await verdictOnFile({ file: file(joined(bytes, words(600))), path: `photo${index}` })).refusal, null, String(index));
    }
    for (const words of ["", "words", "BM and other words than of a bitmap", "GG", "\0\0\x01\x02", "\x7fELF"]) {
        assert.equal((await verdictOnFile({ file: file(text(words)), path: "other" })).refusal, "left", words);
    }
});

test("what may hold photos, or speaks of some, is not called none", async () => {
    const whole = zip([{ name: "a.jpg", content: "1" }]);
    const long = new Uint8Array((4 << 20) + 1);
    assert.deepEqual(await refusals([
        { name: "inner.zip", content: whole }, { name: "later/INNER.TGZ", content: "1" }, { name: "x/takeout-2.zip.crdownload", content: "1" }, { name: "export.7z.001", content: "1" },
        { name: "no ending", content: whole }, { name: "rar", content: "Rar!\x1a\x07.." }, { name: "letter.docx", content: whole }, { name: "BZh.words", content: "BZh" },
        { name: "memories_history.json", content: long, method: 0 }, { name: "list.csv", content: long, method: 0 },
    ]), {
        "inner.zip": "inner", "later/INNER.TGZ": "inner", "x/takeout-2.zip.crdownload": "inner", "export.7z.001": "inner", "no ending": "inner", rar: "inner", "letter.docx": "left",
        "BZh.words": "left", "memories_history.json": "too-large", "list.csv": "too-large",
    });
    const page = '<img src="media/IMG%201.JPG"> "x/é.jpg" we saw beach.png?size=2, and b.mp4 (attached) and .jpg';
    const [html, chat, wide, own] = await listArchive(file(zip([{ name: "index.html", content: new TextEncoder().encode(page) }, { name: "chat.txt", content: "words" },
        { name: "list.ini", content: joined([0xff, 0xfe], Buffer.from("[IMG_2.jpg]", "utf16le")) }, { name: "archive_browser.html", content: page }])));
    for (const name of ["img 1.jpg", "é.jpg", "beach.png", "b.mp4"]) assert.ok(html.mentions.includes(name), name);
    assert.deepEqual([chat.mentions, wide.mentions, own.mentions], [[], ["img_2.jpg"], undefined]);
});

test("an empty file is one, and a file that says so is not", async () => {
    assert.deepEqual(await refusals([
        { name: "empty.jpg", content: "", method: 0 }, { name: "packed.jpg", content: "" }, { name: "claimed.jpg", content: jpeg(900), size: 0, crc: 0 },
        { name: "claimed.txt", content: jpeg(900), size: 0, crc: 0 },
    ]), { "empty.jpg": "left", "packed.jpg": "left", "claimed.jpg": "unsafe", "claimed.txt": "unsafe" });
});

test("bytes that the list of an archive does not name are named, wherever they lie", async () => {
    const photo = jpeg(300);
    const found = async (entries, options) => (await zipEntries(file(zip(entries, options)))).map(({ path, refusal }) => [path, refusal]);
    const [a, b] = [{ name: "a.jpg", content: words(500) }, { name: "b.jpg", content: "2" }];
    const hidden = ["", "hidden"];
    assert.deepEqual(await found([a, b]), [["a.jpg", null], ["b.jpg", null]]);
    // Behind an entry, behind the last one, in front of all, and where only a folder is named.
    assert.deepEqual(await found([{ ...a, extraBytes: 400 }, b]), [["a.jpg", null], hidden, ["b.jpg", null]]);
    assert.deepEqual(await found([a, { ...b, extraBytes: 400 }]), [["a.jpg", null], ["b.jpg", null], hidden]);
    assert.deepEqual(await found([a], { before: photo }), [hidden, ["a.jpg", null]]);
    assert.deepEqual(await found([a], { before: photo, isLarge: true, moved: photo.length }), [hidden, ["a.jpg", null]]);
    assert.deepEqual(await found([{ name: "x/", packed: photo, size: 0, crc: 0 }, a]), [hidden, ["a.jpg", null]]);
    assert.deepEqual(await found([{ name: "x/", content: "" }, { name: "y/", content: "", method: 0 }, a]), [["a.jpg", null]]);
    assert.deepEqual(await found([], { before: photo }), [hidden]);
    // Large extra fields of a header, as programs for phones align what they store.
    assert.deepEqual(await found([{ ...a, localExtra: extraField(0xd935, new Uint8Array(4000)) }, b]), [["a.jpg", null], ["b.jpg", null]]);
    // Two lists in one archive: who has no 64 bits would see the other.
    for (const small of [{ counted: 2 }, { size: 7 }, { offset: 7 }]) {
        await assert.rejects(zipEntries(file(zip([a], { isLarge: true, small }))), fault("damaged"), JSON.stringify(small));
    }
});

test("a tar archive that is not compressed is read with long names, links and holes", async () => {
    for (const format of ["PAX_FORMAT", "GNU_FORMAT", "USTAR_FORMAT"]) {
        const bytes = inPython(`
with tarfile.open(fileobj=out, mode="w", format=tarfile.${format}) as archive:
    def put(name, content=b"", kind=tarfile.REGTYPE, link=""):
        info = tarfile.TarInfo(name)
        info.size, info.type, info.linkname, info.mtime = len(content), kind, link, 1562228430
        archive.addfile(info, io.BytesIO(content))
    put("Takeout", kind=tarfile.DIRTYPE)
    put("Takeout/a.jpg", bytes(97 + i * i % 23 for i in range(1025)))
    put("Takeout/" + "Reise/" * 20 + "b.jpg", b"12")
    put("Takeout/link.jpg", kind=tarfile.SYMTYPE, link="a.jpg")
    put("Takeout/again.jpg", kind=tarfile.LNKTYPE, link="Takeout/a.jpg")
    put("Takeout/lost.jpg", kind=tarfile.LNKTYPE, link="Takeout/nowhere.jpg")
    put("../out.jpg", b"1")`);
        const archive = file(bytes, "takeout.tar");
        const entries = await listArchive(archive);
        assert.deepEqual(entries.map(({ path, size, refusal, modifiedAt }) => [path, size, refusal, modifiedAt]), [
            ["Takeout/a.jpg", 1025, null, 1562228430000], [`Takeout/${"Reise/".repeat(20)}b.jpg`, 2, null, 1562228430000],
            ["Takeout/link.jpg", 0, "link", 1562228430000], ["Takeout/again.jpg", 1025, null, 1562228430000], ["Takeout/lost.jpg", 0, "link", 1562228430000],
            ["../out.jpg", 1, "unsafe", 1562228430000]], format);
        for (const index of [0, 3]) assert.deepEqual(await content(archive, entries[index]), Buffer.from(words(1025)));
        // A piece is read where it lies; and where another archive has taken the place of this one, none is.
        assert.deepEqual(await new EntryStream(archive, entries[0]).read(1000, 1025), words(1025).slice(1000));
        assert.ok(archive.longest <= 256 << 10);
        const other = bytes.slice();
        other[other.indexOf("a.jpg")] = 0x62;
        await assert.rejects(new EntryStream(file(other, "takeout.tar"), entries[0]).read(0, 1025), fault("damaged"));
    }
    const odd = inPython(`
with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as archive:
    def put(name, content=b"", kind=tarfile.REGTYPE, mtime=0):
        info = tarfile.TarInfo(name)
        info.size, info.type, info.mtime = len(content), kind, mtime
        archive.addfile(info, io.BytesIO(content))
    put("scan.jpg", b"1", mtime=-86400 * 365)
    put("folder", b"bytes of a photo", tarfile.DIRTYPE)
    header = bytearray(tarfile.TarInfo("holes.jpg").tobuf(tarfile.GNU_FORMAT))
    header[124:136], header[156:157], header[482] = b"%011o\\0" % 600, b"S", 1
    header[148:156] = b"%06o\\0 " % (sum(header[:148]) + 256 + sum(header[156:]))
    archive.fileobj.write(header + bytes([0] * 504 + [1] + [0] * 7) + bytes(512) + b"x" * 600 + bytes(424))
    archive.offset = archive.fileobj.tell()
    put("last.jpg", b"2")`);
    assert.deepEqual((await listArchive(file(odd, "a.tar"))).map(({ path, refusal, modifiedAt }) => [path, refusal, modifiedAt]), [
        ["scan.jpg", null, -86400 * 365 * 1000], ["", "hidden", 0], ["holes.jpg", "method", 0], ["last.jpg", null, 0]]);
    const cut = inPython(`
with tarfile.open(fileobj=out, mode="w") as archive:
    info = tarfile.TarInfo("a.jpg")
    info.size = 5000
    archive.addfile(info, io.BytesIO(bytes(5000)))`);
    assert.equal(await faultOf(cut.subarray(0, 3000), "a.tar"), "cut-off");
    assert.equal(await faultOf(cut.subarray(0, 512 * 11), "a.tar"), "cut-off");
    assert.equal(await faultOf(joined(words(1024)), "a.tar"), "damaged");
});

const packed = () => inPython(`
import random
with tarfile.open(fileobj=out, mode="w:gz", compresslevel=1) as archive:
    def put(name, content=b"", kind=tarfile.REGTYPE, link=""):
        info = tarfile.TarInfo(name)
        info.size, info.type, info.linkname, info.mtime = len(content), kind, link, 1562228430
        archive.addfile(info, io.BytesIO(content))
    for number in range(6):
        put(f"Takeout/{number}.jpg", bytes(97 + (i + number) ** 2 % 23 for i in range(3000)))
    put("Takeout/long.mp4", random.Random(1).randbytes(3 << 20))
    put("Takeout/again.jpg", kind=tarfile.LNKTYPE, link="Takeout/0.jpg")
    put("Takeout/link.jpg", kind=tarfile.SYMTYPE, link="0.jpg")
    put("Takeout/page.html", b'<img src="0.jpg">')
    put("Takeout/photo", b"\\xff\\xd8\\xff" + bytes(40))
    put("../out.jpg", b"1")
    put("Takeout/last.jpg", b"last")`);

test("a tar archive that is packed as a whole is read from its first entry to its last, and checked", async () => {
    const archive = file(packed(), "takeout.tgz");
    const entries = (await listArchive(archive)).map((entry) => ({ ...entry, key: `1 ${entry.ordinal}` }));
    assert.deepEqual(entries.map(({ path, refusal }) => [path, refusal]), [
        ...[0, 1, 2, 3, 4, 5].map((number) => [`Takeout/${number}.jpg`, null]), ["Takeout/long.mp4", null], ["Takeout/again.jpg", null],
        ["Takeout/link.jpg", "link"], ["Takeout/page.html", "left"], ["Takeout/photo", null], ["../out.jpg", "unsafe"], ["Takeout/last.jpg", null],
    ]);
    assert.deepEqual(entries[9].mentions, ["0.jpg"]);
    const zeroth = Buffer.from(Uint8Array.from({ length: 3000 }, (_, index) => 97 + index * index % 23));
    for (const index of [0, 1, 7, 5, 0]) {
        const found = await content(archive, entries[index], 1000);
        assert.equal(crc32(found), entries[index].crc);
        if (index !== 1 && index !== 5) assert.deepEqual(found, zeroth);
    }
    const long = await content(archive, entries[6], 1 << 20);
    assert.equal(long.length, 3 << 20);
    assert.deepEqual(await content(archive, entries[12]), Buffer.from("last"));
    assert.ok(archive.longest <= 256 << 10, `${archive.longest}`);
    await assert.rejects(content(archive, { ...entries[0], crc: 1, key: "2 0" }), fault("damaged"));
    await assert.rejects(content(archive, { ...entries[0], nameCRC: 1, key: "2 0" }), fault("damaged"));
});

test("where one entry of a packed archive ended the next one goes on, and nothing is unpacked twice", async () => {
    const archive = file(packed(), "takeout.tgz");
    const entries = (await listArchive(archive)).filter(({ refusal }) => refusal === null).map((entry) => ({ ...entry, key: `3 ${entry.ordinal}` }));
    archive.read = 0;
    for (const entry of entries.filter(({ path }) => path !== "Takeout/again.jpg")) await content(archive, entry);
    assert.ok(archive.read <= archive.size, `${archive.read} of ${archive.size}`);
});

test("what a packed archive is not is told before anything of it is sent", async () => {
    const whole = packed();
    assert.equal(await faultOf(whole.subarray(0, whole.length - 100), "a.tgz"), "damaged");
    const other = whole.slice();
    other[other.length - 6] ^= 1;
    assert.equal(await faultOf(other, "a.tgz"), "damaged");
    assert.equal(await faultOf(inPython(`
import gzip
out.write(gzip.compress(b"words " * 500))`), "words.tgz"), "damaged");
    assert.equal(await faultOf(inPython(`
with tarfile.open(fileobj=out, mode="w:gz") as archive:
    info = tarfile.TarInfo("bomb.bin")
    info.size = 16 << 20
    archive.addfile(info, io.BytesIO(bytes(16 << 20)))`), "a.tgz"), "unsafe");
});
