import { test } from "node:test";
import assert from "node:assert/strict";
import { GalleryDays } from "../../www/js/gallery/gallery-layout.js";
import { speakEnglish } from "./english.js";

speakEnglish();

/** The days of a month of so many photos, three on each day; those in `missing` are not here yet. */
function daysOf(count, { missing = [], isShown = true, takenAt = (place) => `2026-11-${28 - Math.floor(place / 3) % 28}T12:00:00` } = {}) {
    const section = { key: "2026-11", start: 0, count };
    const list = { at: (place) => (missing.includes(place) ? null : { id: `p${place}`, takenAt: takenAt(place) }),
        sectionAt: (place) => (place >= 0 && place < count ? section : null) };
    return new GalleryDays(list, { isShown });
}

test("in a month of many a day begins where the photo before is of another one", () => {
    const days = daysOf(84);
    assert.deepEqual([0, 1, 2, 3, 4, 6].map((place) => days.begins(place)), [true, false, false, true, false, true]);
    assert.deepEqual([days.words(0), days.words(3)], ["Sat 28", "Fri 27"]);
});

test("in a month that is seen at a glance, or in a list, no days are told", () => {
    assert.equal(daysOf(40).begins(0), false);
    assert.equal(daysOf(41).begins(0), true);
    assert.equal(daysOf(84, { isShown: false }).begins(0), false);
});

test("where a photo or the one before it is not here, nobody can tell", () => {
    const days = daysOf(84, { missing: [3, 8] });
    assert.deepEqual([3, 4, 8, 9].map((place) => days.begins(place)), [false, false, false, false]);
});

test("a day is that of the clock where the photo was taken", () => {
    const days = daysOf(84, { takenAt: (place) => (place === 0 ? "2026-11-28T00:30:00+13:00" : "2026-11-27T23:30:00-11:00") });
    assert.deepEqual([days.dayAt(0), days.dayAt(1), days.begins(1)], ["2026-11-28", "2026-11-27", true]);
});

test("around a photo lies its day, with what is not here yet and may be of it", () => {
    const days = daysOf(84, { missing: [3, 9] });
    const { from, to, isOne } = days.around(7);
    assert.deepEqual([from, to], [6, 10]);
    assert.ok(isOne({ takenAt: "2026-11-26T08:00:00" }) && !isOne({ takenAt: "2026-11-25T08:00:00" }));
    // Not beyond the month.
    const { from: first, to: last } = daysOf(1200, { takenAt: () => "2026-10-02T12:00:00" }).around(5);
    assert.deepEqual([first, last], [0, 1200]);
});
