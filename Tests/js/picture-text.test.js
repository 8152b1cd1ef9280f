import { test } from "node:test";
import assert from "node:assert/strict";
import { alternativeOf, firstWords } from "../../www/js/viewer/vault-viewer.js";
import { speakEnglish } from "./english.js";

speakEnglish();

test("a short text is heard whole, as one line", () => {
    assert.equal(firstWords("Total\n  12.50 EUR\n\nThank you\n", 40), "Total 12.50 EUR Thank you");
    assert.equal(firstWords("exactly ten", 11), "exactly ten");
    assert.equal(firstWords(" \n ", 5), "");
});

test("a long text is cut at the end of a word", () => {
    assert.equal(firstWords("paper lantern over water", 15), "paper lantern…");
    // A word that ends at the limit is whole.
    assert.equal(firstWords("paper lantern over water", 13), "paper lantern…");
});

test("what has no spaces is cut between characters, and none is torn", () => {
    assert.equal(firstWords("发票金额一百二十元整", 4), "发票金额…");
    assert.equal(firstWords("🧾🧾🧾🧾", 2), "🧾🧾…");
    // A space far in front would leave almost nothing.
    assert.equal(firstWords("No 发票金额一百二十元整", 8), "No 发票金额一…");
});

test("a picture is heard by its name, and with the text in it where there is any", () => {
    assert.equal(alternativeOf({ name: "IMG_1.png" }), "IMG_1.png");
    assert.equal(alternativeOf({ name: "IMG_1.png", words: "" }), "IMG_1.png");
    assert.equal(alternativeOf({ name: "IMG_1.png", words: "Boarding\n10:40" }), "IMG_1.png. Text in the picture: Boarding 10:40");
    const heard = alternativeOf({ name: "a.png", words: "word ".repeat(400) });
    assert.equal(heard, `a.png. Text in the picture: ${"word ".repeat(60).trim()}…`);
});
