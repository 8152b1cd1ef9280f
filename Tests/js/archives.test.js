import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";
import { crc32 as nodeCRC } from "node:zlib";
import { listArchive, refusalOf } from "../../www/js/files/archive-list.js";
import { zipEntries } from "../../www/js/files/zip.js";
import { crc32, EntryStream } from "../../www/js/files/unpacking.js";
import { joined, text } from "./bytes.js";
import { extraField, little, zip } from "./zips.js";

/** As a browser hands it out: only what is read of it is in memory, and that is counted. */
class Counted extends File {
    longest = 0;

    slice(begin = 0, end = this.size) {
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
    assert.equal(await faultOf(joined("\x1f\x8b", words(50)), "takeout.tgz"), "packed-tar");
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
        { name: "inner.zip", content: zip([]) }, { name: "odd", content: "12", crc: 5 },
    ]), {
        "a.JPG": null, [beside.name]: null, "b.MP~2": null, photo: null, "movie.bin": null, "words.txt": "left", "archive_browser.html": "left", "empty.jpg": "left",
        "__MACOSX/._a.jpg": "left", ".thumbnails/a.jpg": "left", "x.photoslibrary/resources/a.jpg": "left", "IMG_1.AAE": "left", "a.jpg.crdownload": "left",
        "$RECYCLE.BIN/a.jpg": "left", "inner.zip": "left", odd: "damaged",
    });
    assert.equal(await refusalOf({ file: file(jpeg(9)), path: "Rome/photo" }), null);
    assert.equal(await refusalOf({ file: file(text("words")), path: "Rome/words" }), "left");
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
    put("../out.jpg", b"1")`);
        const archive = file(bytes, "takeout.tar");
        const entries = await listArchive(archive);
        assert.deepEqual(entries.map(({ path, size, refusal, modifiedAt }) => [path, size, refusal, modifiedAt]), [
            ["Takeout/a.jpg", 1025, null, 1562228430000], [`Takeout/${"Reise/".repeat(20)}b.jpg`, 2, null, 1562228430000],
            ["Takeout/link.jpg", 0, "link", 1562228430000], ["../out.jpg", 1, "unsafe", 1562228430000]], format);
        assert.deepEqual(await content(archive, entries[0]), Buffer.from(words(1025)));
    }
    const cut = inPython(`
with tarfile.open(fileobj=out, mode="w") as archive:
    info = tarfile.TarInfo("a.jpg")
    info.size = 5000
    archive.addfile(info, io.BytesIO(bytes(5000)))`);
    assert.equal(await faultOf(cut.subarray(0, 3000), "a.tar"), "cut-off");
    assert.equal(await faultOf(cut.subarray(0, 512 * 11), "a.tar"), "cut-off");
    assert.equal(await faultOf(joined(words(1024)), "a.tar"), "damaged");
});
