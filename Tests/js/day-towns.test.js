import { beforeEach, test } from "node:test";
import assert from "node:assert/strict";
import { GalleryDays } from "../../www/js/gallery/gallery-layout.js";
import { DayTowns, mostOf } from "../../www/js/library/day-towns.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const names = { townOf: (id) => ({ 1: "Rome", 2: "Tivoli" })[id] ?? null };

beforeEach(() => {
    const stored = new Map();
    globalThis.localStorage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
});

/** A month of 50 photos, ten on each day, taken at these places; null for one that is not here. */
function daysAt(placeOf) {
    const section = { key: "2026-11", start: 0, count: 50 };
    const list = { sectionAt: (at) => (at >= 0 && at < 50 ? section : null), at: (at) => {
        const place = placeOf(at);
        return place === null ? null : { id: `p${at}`, takenAt: `2026-11-${28 - Math.floor(at / 10)}T12:00:00`, placeID: place };
    } };
    const days = new GalleryDays(list, { isShown: true });
    const towns = new DayTowns(names);
    days.townAt = (at) => towns.at(days, at);
    return { days, towns };
}

test("what more than half of them are is the most of them", () => {
    assert.equal(mostOf(["Rome", "Rome", null]), "Rome");
    assert.equal(mostOf(["Rome", "Tivoli"]), null);
    assert.equal(mostOf(["Rome", null, null]), null);
    assert.equal(mostOf([]), null);
});

test("a day is told with the town where most of its photos were taken", () => {
    // Eight of ten in Rome; on the next day half of them; then nowhere.
    const { days } = daysAt((at) => (at < 8 ? 1 : at < 10 ? 2 : at < 15 ? 1 : at < 20 ? 2 : undefined));
    assert.deepEqual([days.words(0), days.words(10), days.words(20)], ["Sat 28 · Rome", "Fri 27", "Thu 26"]);
});

test("photos that come later change what is told of their day", () => {
    let come = 0;
    const { days, towns } = daysAt((at) => (at === 0 ? 1 : at <= come ? 2 : null));
    assert.equal(days.words(0), "Sat 28 · Rome");
    come = 9;
    towns.forget();
    assert.equal(days.words(0), "Sat 28 · Tivoli");
});

test("who hides where photos were taken is told it of no day", () => {
    const { days, towns } = daysAt(() => 1);
    assert.equal(days.words(0), "Sat 28 · Rome");
    localStorage.setItem("safelight.place", "hidden");
    towns.forget();
    assert.equal(days.words(0), "Sat 28");
});
