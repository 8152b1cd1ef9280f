import { test } from "node:test";
import assert from "node:assert/strict";
import { estimator } from "../../www/js/door/common-passwords.js";

/** Who knows two rows of a keyboard and no word at all. */
const bits = estimator({ rows: ["1234567890", "qwertyuiop"], words: ["tram"], likenesses: ["0o"], roots: [] }, ["attic.local"]);

test("a letter that nobody can foresee costs five bits, a digit three", () => {
    assert.equal(bits("kfm") - bits("kf"), 5);
    assert.equal(bits("739") - bits("73"), 3);
});

test("what is said again is nearly free", () => {
    assert.ok(bits("kfmkfmkfm") <= bits("kfm") + 6);
    assert.ok(bits("kkffmm") <= bits("kfm") + 4);
});

test("a run along a keyboard costs the same however long it is, either way", () => {
    assert.equal(bits("qwertyuiop"), bits("qwer"));
    assert.equal(bits("poiuytrewq"), bits("qwertyuiop"));
    assert.ok(bits("qwertyuiop") < 10);
});

test("a word, the name of the host and a year of these centuries are one step", () => {
    assert.equal(bits("tram"), 6);
    assert.equal(bits("TRAM"), 6);
    assert.equal(bits("attic"), 6);
    assert.equal(bits("1987"), 6);
    assert.ok(bits("2187") > 6);
});

test("a sign that stands for a letter hides it little", () => {
    const likened = estimator({ rows: [], words: ["tram"], likenesses: ["4a"], roots: [] }, []);
    assert.equal(likened("tr4m"), 8);
    assert.ok(likened("tr5m") > 8);
});

test("letters of other scripts and full width count as what they are", () => {
    assert.equal(bits("ｔｒａｍ"), 6);
    assert.ok(bits("山川日月星") > bits("kfmzb"));
});

test("so long a password is judged by its beginning, in no time", () => {
    const long = Array.from({ length: 5000 }, (_, at) => String.fromCharCode(0x61 + (at * 7) % 26)).join("");
    assert.equal(bits(long), bits(long.slice(0, 128)));
});
