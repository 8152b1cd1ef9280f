import { test } from "node:test";
import assert from "node:assert/strict";
import { cameraWords, givenWords, originalWords, placeWords, takenWords, whenWords } from "../../www/js/viewer/viewer-facts.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const receivedAt = "2026-11-20T10:00:00";

test("a place is said in degrees of north and east, and of south and west without a sign", () => {
    assert.equal(placeWords({ latitude: 43.4674483, longitude: 11.8851267 }), "43.46745° N, 11.88513° E");
    assert.equal(placeWords({ latitude: -15.8, longitude: -47.9 }, 2), "15.8° S, 47.9° W");
});

test("the name of a maker is not said twice", () => {
    assert.equal(cameraWords({ make: "NIKON", model: "COOLPIX P6000" }), "NIKON COOLPIX P6000");
    assert.equal(cameraWords({ make: "Canon", model: "Canon EOS 5D" }), "Canon EOS 5D");
    assert.deepEqual([cameraWords({ model: "Pixel 8" }), cameraWords({ make: "Apple" }), cameraWords(undefined)], ["Pixel 8", "Apple", ""]);
});

test("of a file its kind, size in pixels, length and bytes are said, as far as they are known", () => {
    assert.equal(originalWords({ name: "DSCN0010.jpg", type: "image/jpeg", width: 640, height: 480, size: 161_713 }), "JPG · 640 × 480 · 162 kB");
    assert.equal(originalWords({ name: "a.mov", type: "video/quicktime", duration: 62, size: 3_100_000 }), "MOV · 1:02 · 3.1 MB");
    assert.equal(originalWords({ name: "a.jpg", type: "image/jpeg", gainMap: true, width: 640, size: 900 }), "JPG · HDR · 900 bytes");
});

test("it is said when a photo was taken and who says so", () => {
    const takenAt = "2008-10-22T16:28:39";
    assert.equal(takenWords({ takenAt, takenFrom: "exif" }), "22 October 2008 at 16:28 (from camera)");
    assert.equal(takenWords({ takenAt, takenFrom: "person" }), "22 October 2008 at 16:28 (set by hand)");
    assert.equal(takenWords({ takenAt, takenFrom: "something new" }), "22 October 2008 at 16:28");
    assert.equal(takenWords({ receivedAt }), null);
});

test("a photo that nobody has looked into is not said to be taken when it came", () => {
    assert.match(whenWords({ receivedAt }), /^Added 20 November 2026/);
    assert.match(whenWords({ receivedAt, takenAt: "2008-10-22T16:28:39" }), /^22 October 2008.*16:28$/);
    assert.equal(whenWords({ receivedAt, takenAt: "1965-07" }), "July 1965");
});

test("what came through a door says which, and from whom where somebody said that", () => {
    const door = { id: "1", name: "Wedding" };
    assert.equal(givenWords(undefined), null);
    assert.match(givenWords({ door }), /Wedding/);
    assert.match(givenWords({ door, giver: "Aunt Mo" }), /Aunt Mo.*Wedding|Wedding.*Aunt Mo/);
});
