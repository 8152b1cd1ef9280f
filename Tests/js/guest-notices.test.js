import assert from "node:assert/strict";
import { test } from "node:test";
import { movedWords } from "../../www/js/inside/notices.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const guest = { photos: 5, until: "2026-12-22T11:00:00Z" };
const answer = { isAsked: true, migrated: 0, duplicates: 0, pending: 0, lost: 0 };

test("nothing is told where there was nothing to move, or nobody asked for it", () => {
    assert.equal(movedWords(answer, null), null);
    assert.equal(movedWords(answer, { ...guest, photos: 0 }), null);
    assert.equal(movedWords({ ...answer, isAsked: false }, guest), null);
});

test("what moved is counted, and what the vault had before is told apart", () => {
    assert.deepEqual(movedWords({ ...answer, migrated: 5 }, guest), { isGood: true, title: "5 moved", notes: [] });
    assert.match(movedWords({ ...answer, migrated: 3, duplicates: 2 }, guest).title, /^3 .* · 2 /);
    assert.doesNotMatch(movedWords({ ...answer, duplicates: 5 }, guest).title, / · /);
});

test("what is lost is no good news, and what is still to come is told", () => {
    const { isGood, notes } = movedWords({ ...answer, migrated: 3, pending: 1, lost: 1 }, guest);
    assert.deepEqual([isGood, notes.length], [false, 2]);
});

test("a vault that takes nothing says why, and until when the photos stay", () => {
    const words = ["vault-full", "other"].map((migrationRefused) => movedWords({ ...answer, migrationRefused }, guest));
    for (const { isGood, notes } of words) assert.deepEqual([isGood, notes.length, /December/.test(notes[0])], [false, 1, true]);
    assert.notEqual(words[0].notes[0], words[1].notes[0]);
});
