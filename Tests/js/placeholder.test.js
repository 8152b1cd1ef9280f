import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { placeholderPixels } from "../../www/js/photos/photo-words.js";

// What the host means by the same bytes: MediaTests compares it with these.
const vectors = JSON.parse(readFileSync(new URL("../Page/placeholders.json", import.meta.url), "utf8"));

test("the page draws what the host means", () => {
    assert.ok(vectors.length > 0);
    for (const { bytes, width, height, pixels } of vectors) {
        const drawn = placeholderPixels(Uint8Array.from(bytes));
        assert.deepEqual([drawn.width, drawn.height, drawn.data.length], [width, height, width * height * 4]);
        for (const [index, ...colours] of pixels) {
            const [red, green, blue, alpha] = drawn.data.subarray(index * 4, index * 4 + 4);
            assert.equal(alpha, 255);
            for (const [at, one] of [red, green, blue].entries()) {
                assert.ok(Math.abs(one - colours[at]) <= 1, `pixel ${index}: ${[red, green, blue]} instead of ${colours}`);
            }
        }
    }
});

test("other bytes are no placeholder", () => {
    assert.equal(placeholderPixels(Uint8Array.of(1, 2, 3)), null);
    assert.equal(placeholderPixels(new Uint8Array(0)), null);
});
