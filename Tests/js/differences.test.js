import { test } from "node:test";
import assert from "node:assert/strict";
import { differing, factsOf, placesThatDiffer } from "../../www/js/search/duplicates.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const side = 96;
/** A picture of soft waves; `change` gets the place and the light. */
const drawn = (change = (x, y, light) => light) => Uint8ClampedArray.from({ length: side * side * 4 }, (_, index) => {
    const [x, y] = [Math.floor(index / 4) % side, Math.floor(index / 4 / side)];
    return index % 4 === 3 ? 255 : change(x, y, 120 + 60 * Math.sin(x / 9) * Math.cos(y / 11));
});
const noise = (x, y) => ((x * 7919 + y * 104729) % 13) - 6;

test("another quality, and another brightness, differ nowhere", () => {
    assert.deepEqual(placesThatDiffer(drawn(), drawn()), []);
    assert.deepEqual(placesThatDiffer(drawn(), drawn((x, y, light) => light + noise(x, y))), []);
    assert.deepEqual(placesThatDiffer(drawn(), drawn((x, y, light) => light + 40)), []);
});

test("what stands in one picture alone is one box around it", () => {
    const other = drawn((x, y, light) => (x >= 16 && x < 32 && y >= 48 && y < 56 ? 255 : light));
    assert.deepEqual(placesThatDiffer(drawn(), other), [{ left: 2 / 12, top: 6 / 12, width: 2 / 12, height: 1 / 12 }]);
    const blue = drawn().map((value, index) => (index % 4 === 2 && index / 4 < 8 * side ? 255 - value / 2 : value));
    assert.equal(placesThatDiffer(drawn(), blue).length > 0, true);
    const twice = drawn((x, y, light) => ((x < 8 && y < 8) || (x >= 88 && y >= 88) ? 255 : light));
    assert.equal(placesThatDiffer(drawn(), twice).length, 2);
});

test("facts differ where they are not the same for all", () => {
    const photo = (fields) => ({ id: "1", name: "IMG_0001.jpg", size: 1000, type: "image/jpeg", receivedAt: "2026-11-20T10:00:00Z",
        takenAt: "2024-05-03T14:02:31", width: 640, height: 480, ...fields });
    const keys = (...others) => [...differing([photo({}), ...others.map(photo)].map(factsOf))];
    assert.deepEqual(keys({}), []);
    assert.deepEqual(keys({ width: 320, size: 400 }), ["pixels", "size"]);
    assert.deepEqual(keys({ name: "IMG_0001.heic", takenAt: "2024-05-03T15:02:31" }), ["type", "date", "name"]);
    assert.deepEqual(keys({ name: "IMG_0001-edited.jpg" }), ["edited", "name"]);
    assert.deepEqual(keys({}, { rotation: 90 }), ["edited"]);
    assert.deepEqual(keys({ edit: { left: 0, top: 0, right: 0.5, bottom: 1 } }), ["edited"]);
    assert.deepEqual(["IMG_E0001.jpg", "PXL_1~2.jpg", "IMG_1 edit.jpg", "credit.jpg", "IMG_E1.jpg"]
        .map((name) => factsOf(photo({ name }))[4].words !== ""), [true, true, true, false, false]);
});
