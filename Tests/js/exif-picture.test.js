import assert from "node:assert/strict";
import { test } from "node:test";
import { exifPicture, sniff, turned } from "../../www/js/files/sniff.js";
import { Directories } from "../../www/js/files/exif.js";
import { jpeg, joined, number, tiff, written } from "./bytes.js";

const orientation = (value) => [0x0112, 3, number(value, 2)];

/** A photo with a small picture in its head. */
function photo([width, height], small, { main = [], exif = [] } = {}) {
    return jpeg(width, height, { exif: tiff({ main, exif, small }) });
}

test("a small picture of the photo's shape is shown as it is", () => {
    const small = jpeg(160, 120);
    assert.deepEqual(exifPicture(photo([640, 480], small)), { jpeg: small, crop: null, orientation: 1 });
});

test("one that lies on its side, as the photo does, is turned with it", () => {
    assert.equal(exifPicture(photo([640, 480], jpeg(160, 120), { main: [orientation(6)] })).orientation, 6);
    const bytes = joined(...turned(jpeg(160, 120), 6));
    assert.equal(Directories.of(bytes.subarray(12)).orientation, 6);
    assert.equal(sniff(bytes).format, "jpeg");
    for (const nothing of [0, 1, 9]) assert.deepEqual(turned(jpeg(160, 120), nothing), [jpeg(160, 120)]);
});

test("bars that the photo has not are cut off, above and below or at the sides", () => {
    assert.deepEqual(exifPicture(photo([640, 426], jpeg(160, 120))).crop, [0, 7, 160, 106]);
    assert.deepEqual(exifPicture(photo([480, 640], jpeg(120, 120))).crop, [15, 0, 90, 120]);
});

test("a picture of another shape is of another photo", () => {
    assert.equal(exifPicture(photo([480, 480], jpeg(160, 90))), null);
    assert.equal(exifPicture(photo([480, 640], jpeg(160, 120))), null);
});

test("what is too small to be seen, or larger than any camera puts there, is none", () => {
    assert.equal(exifPicture(photo([640, 480], jpeg(64, 48))), null);
    assert.equal(exifPicture(photo([64_000, 48_000], jpeg(64_000, 48_000))), null);
    assert.equal(exifPicture(photo([640, 480], jpeg(0, 0))), null);
});

test("whoever changed the photo may have left its small picture", () => {
    const taken = written(0x9003, "2024:03:02 10:00:00");
    const changed = (time) => photo([640, 480], jpeg(160, 120), { main: [written(0x0132, time)], exif: [taken] });
    assert.equal(exifPicture(changed("2024:03:05 10:00:00")), null);
    assert.notEqual(exifPicture(changed("2024:03:02 10:00:01")), null);
});

test("a picture that breaks off, or that is turned by itself, is not shown", () => {
    const small = jpeg(160, 120);
    assert.equal(exifPicture(photo([640, 480], small.slice(0, -8))), null);
    assert.equal(exifPicture(photo([640, 480], jpeg(160, 120, { exif: tiff({ main: [orientation(6)] }) }))), null);
    // Some cameras fill up behind it.
    assert.notEqual(exifPicture(photo([640, 480], joined(small, [0, 0, 0xff, 0]))), null);
});

test("a photo without one, or whose size stands behind what was read, shows none", () => {
    assert.equal(exifPicture(photo([640, 480], null)), null);
    assert.equal(exifPicture(jpeg(640, 480)), null);
    const whole = photo([640, 480], jpeg(160, 120));
    assert.equal(exifPicture(whole.slice(0, whole.lastIndexOf(0xc0) - 1)), null);
});
