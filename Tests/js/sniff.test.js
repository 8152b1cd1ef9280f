import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { exifPicture, sniff } from "../../www/js/files/sniff.js";
import { dateOf } from "../../www/js/files/file-date.js";
import { inMemory } from "../../www/js/files/file-reading.js";
import { joined, png, text, tiff } from "./bytes.js";
import { numbers } from "./numbers.js";

const folder = new URL("../Photos/", import.meta.url);
const photos = readdirSync(folder).flatMap((place) => readdirSync(new URL(`${place}/`, folder))
    .map((name) => new Uint8Array(readFileSync(new URL(`${place}/${name}`, folder)))));

test("a screenshot of a phone is told by its own words", () => {
    const exif = tiff({ exif: [[0x9286, 7, text("ASCII\0\0\0Screenshot")]] });
    assert.equal(sniff(png(["eXIf", exif])).isScreenshot, true);
    assert.equal(sniff(png(["eXIf", tiff({ exif: [[0x9286, 7, text("ASCII\0\0\0By the sea")]] })])).isScreenshot, false);
    assert.equal(sniff(png()).isScreenshot, false);
});

test("the kind of a file is told by its first bytes, whatever brand leads", () => {
    const boxed = (...brands) => sniff(joined([0, 0, 0, 8 + 4 * (brands.length + 1)], "ftyp", brands[0], [0, 0, 0, 0], ...brands.slice(1))).format;
    assert.deepEqual(["heic", "mif1", "qt  ", "mp42", "avif"].map((brand) => boxed(brand)), ["heic", "heic", "video", "video", null]);
    // New brands stand in front of known ones.
    assert.equal(boxed("new1", "heic"), "heic");
    assert.equal(boxed("new1", "new2"), null);
    assert.equal(sniff(text("words")).format, null);
    assert.equal(sniff(new Uint8Array(0)).format, null);
});

test("bytes that break off or lie are never read beyond their end, nor for ever", async () => {
    const next = numbers(1);
    const below = (end) => Math.floor(next() * end);
    for (const photo of photos) {
        for (let count = 0; count < 20; count += 1) {
            const cut = photo.slice(0, 4 + below(3000));
            for (let place = count % 2 === 0 ? below(cut.length) : cut.length; place < cut.length; place += 1) cut[place] = below(256);
            sniff(cut);
            exifPicture(cut);
            await dateOf(inMemory({ name: "a.jpg", type: "image/jpeg", lastModified: 0 }, cut.buffer), 1_700_000_000_000);
        }
    }
});
