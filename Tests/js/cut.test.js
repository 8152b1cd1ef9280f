import { test } from "node:test";
import assert from "node:assert/strict";
import { cutToBytes } from "../../www/js/base/dom.js";

test("text that fits stays as it is", () => {
    assert.equal(cutToBytes("Anna & Tom", 10), "Anna & Tom");
    assert.equal(cutToBytes("", 0), "");
});

test("what does not fit is cut between characters, and no space is left at its end", () => {
    assert.equal(cutToBytes("Anna & Tom", 7), "Anna &");
    assert.equal(cutToBytes("婚礼照片", 8), "婚礼");
    assert.equal(cutToBytes("a🎂b", 4), "a");
    assert.equal(cutToBytes("a🎂b", 5), "a🎂");
});
