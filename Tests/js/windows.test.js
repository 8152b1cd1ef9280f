import assert from "node:assert/strict";
import { test } from "node:test";
import { seenWords } from "../../www/js/doors/windows.js";
import { speakEnglish } from "./english.js";

speakEnglish();
const now = new Date(2026, 10, 30, 9, 0);
const seen = (visitors, lastSeen) => seenWords({ visitors, lastSeen }, now);

test("who has looked is said with the day on which that was last", () => {
    assert.equal(seen(0), "Nobody has looked yet.");
    assert.equal(seen(1, "2026-11-30"), "Seen by 1 person so far, last today.");
    assert.equal(seen(2, "2026-11-29"), "Seen by 2 people so far, last yesterday.");
    assert.equal(seen(3, "2026-11-26"), "Seen by 3 people so far, last on Thursday.");
    assert.equal(seen(3, "2026-11-24"), "Seen by 3 people so far, last on Tuesday.");
    assert.equal(seen(40, "2026-11-23"), "Seen by 40 people so far, last on 23 November 2026.");
});

test("a host whose clock is ahead has seen somebody today", () => {
    assert.equal(seen(1, "2026-12-01"), "Seen by 1 person so far, last today.");
});
