import assert from "node:assert/strict";
import { test } from "node:test";
import { splitName } from "../../www/js/elements/pieces.js";

test("the end of a long name stays whole", () => {
    const ends = { "IMG_0001.HEIC": "0001.HEIC", "by the sea.jpeg": "sea.jpeg", none: "one", "a.jpg": "a.jpg", "": "",
        "照片一.png": "照片一.png" };
    for (const [name, end] of Object.entries(ends)) {
        const [front, back] = splitName(name);
        assert.equal(back, end);
        assert.equal(front + back, name);
    }
});
