import { test } from "node:test";
import assert from "node:assert/strict";
import { keyOf, namesIn, partsOf, photosIn, sectionsOf, startOf } from "../../www/js/library/timeline-months.js";

test("lists that stand beside each other are one object for each photo, without what nobody knows", () => {
    const photos = photosIn({ month: "2024-05", cursor: null, id: ["a", "b"], takenAt: ["2024-05-03", null], animated: [false, true] });
    assert.deepEqual(photos, [{ id: "a", takenAt: "2024-05-03", animated: false }, { id: "b", animated: true }]);
});

test("of a place a month has the number alone, and the photo nothing else that is called so", () => {
    const [one, other] = photosIn({ id: ["a", "b"], place: [3_169_070, null] });
    assert.deepEqual([one, other], [{ id: "a", placeID: 3_169_070 }, { id: "b" }]);
});

test("a month has a part for each five hundred files", () => {
    const [month] = sectionsOf([["2024-05", 1100]]);
    assert.deepEqual([partsOf(month), partsOf({ total: 500 }), partsOf({ total: 0 })], [[0, 500, 1000], [0], []]);
    assert.deepEqual(namesIn(keyOf("2024-05", 500)), { month: "2024-05", skip: 500 });
});

test("a part begins behind what those before it show, of which videos have no places", () => {
    const month = { total: 1100, start: 40, hidden: new Map([[0, 100], [1000, 7]]) };
    assert.deepEqual([0, 500, 1000, 1500].map((skip) => startOf(month, skip)), [40, 440, 940, 1033]);
});
