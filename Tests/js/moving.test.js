import assert from "node:assert/strict";
import { test } from "node:test";
import { Move } from "../../www/js/moving/moving.js";

const found = (changes = {}) => ({ files: 6, archives: 1, left: [], broken: [], ...changes });
const item = (size, crc) => ({ file: { size, entry: { crc } } });

function moved(changes, ...outcomes) {
    const move = new Move();
    move.add(found(changes));
    outcomes.forEach(([one, outcome]) => move.note(one, outcome));
    return move;
}

/** A photo, the same again, one that was here, two that speak of photos, one of which of none, and what stays there. */
const all = [
    [item(5, 1), { photo: "a" }], [item(5, 1), { photo: "a", isDuplicate: true }], [item(5, 2), { photo: "b", wasThere: true }],
    [item(9, 3), { sidecar: "understood" }], [item(9, 4), { sidecar: "none" }],
];

test("what moved in is accounted for, file by file", () => {
    const { stored, again, known, left, failed, isProven } = moved({ left: [{ path: "x", code: "left" }] }, ...all).proof(true);
    assert.deepEqual({ stored, again, known, left, failed, isProven }, { stored: 1, again: 1, known: 1, left: 2, failed: 0, isProven: true });
});

test("nothing is proven where something is missing, unread or not read back", () => {
    const left = [{ path: "x", code: "left" }];
    assert.equal(moved({ left }, ...all.slice(1)).proof(true).failed, 1);
    assert.equal(moved({ left }, ...all.slice(1)).proof(true).isProven, false);
    assert.equal(moved({ left: [{ path: "x", code: "encrypted" }] }, ...all).proof(true).isProven, false);
    assert.equal(moved({ left, broken: [{ name: "b.zip", code: "cut-off" }] }, ...all).proof(true).isProven, false);
    assert.equal(moved({ left }, ...all).proof(false).isProven, false);
});

test("an editor's file that is kept beside its photo is one that was stored", () => {
    assert.equal(moved({ files: 1 }, [item(5, 1), { photo: "a", sidecar: "understood" }]).proof(true).stored, 1);
});
