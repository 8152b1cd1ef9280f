import { test } from "node:test";
import assert from "node:assert/strict";
import { cameWords } from "../../www/js/doors/door-arrivals.js";
import { speakEnglish } from "./english.js";

speakEnglish();
const came = (count, givers, unnamed = 0) => cameWords({ door: { name: "Anna & Tom" }, count, givers, unnamed });

test("what came is told with who gave it", () => {
    assert.equal(came(1, ["Mia"]), "Mia added 1 photo to “Anna & Tom”");
    assert.match(came(6, ["Mia", "Jo"], 1), /^Mia, Jo,? and somebody added 6 photos to “Anna & Tom”$/);
});

test("where nobody said a name, no name is told", () => {
    assert.equal(came(3, [], 2), "3 photos were added to “Anna & Tom”");
});

test("of many who gave, four are named and the others counted", () => {
    assert.match(came(9, ["A", "B", "C", "D"]), /^A, B, C,? and D added/);
    assert.match(came(9, ["A", "B", "C", "D", "E"]), /^A, B, C, D,? and 1 other added/);
    assert.match(came(1200, ["A", "B", "C", "D", "E", "F"], 2), /^A, B, C, D, 2 others,? and somebody added 1,200 photos/);
});
