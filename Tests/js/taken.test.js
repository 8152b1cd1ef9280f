import { test } from "node:test";
import assert from "node:assert/strict";
import { batchWords, dayAndTimeOf, dayInMonth, dayOf, hourOf, lengthOf, timeOf } from "../../www/js/photos/photo-words.js";
import { oldestFirst, wallTimeOf } from "../../www/js/library/timeline-months.js";
import { speakEnglish } from "./english.js";

// A reader far from wherever the photos were taken.
process.env.TZ = "Asia/Shanghai";
speakEnglish();

test("a time is told as the clock on the wall there showed it, with a zone or without one", () => {
    assert.equal(dayAndTimeOf("2024-05-03T14:02:31"), "3 May 2024 at 14:02");
    assert.equal(dayAndTimeOf("2024-05-03T23:02:31-11:00"), "3 May 2024 at 23:02");
    assert.equal(hourOf("2024-05-03T23:02:31-11:00"), "23:02");
});

test("an instant is told by the reader's clock", () => {
    assert.equal(dayAndTimeOf("2024-05-03T20:02:31Z"), "4 May 2024 at 04:02");
    assert.equal(dayOf("2024-05-03T20:02:31Z"), "4 May 2024");
});

test("a zone that was guessed is the clock on the wall", () => {
    const photo = { takenAt: "2024-05-03T20:02:31Z", receivedAt: "2026-11-20T10:00:00Z" };
    assert.equal(dayAndTimeOf(timeOf(photo)), "3 May 2024 at 20:02");
    assert.equal(timeOf({ receivedAt: photo.receivedAt }), photo.receivedAt);
});

test("of an old photo no more is said than is known", () => {
    assert.deepEqual(["1965", "1965-07", "1965-07-14"].map(dayOf), ["1965", "July 1965", "14 July 1965"]);
    assert.deepEqual(["1965", "1965-07", "1965-07-14"].map(dayAndTimeOf), ["1965", "July 1965", "14 July 1965"]);
    assert.equal(hourOf("1965-07-14"), "");
});

test("a day within its month has its weekday", () => {
    assert.equal(dayInMonth("2026-11-28T12:00:00"), "Sat 28");
    // Midnight there, whatever day it is here.
    assert.equal(dayInMonth("2026-11-28T00:00:00-09:00"), "Sat 28");
});

test("what came today or yesterday is called so by the reader's clock", () => {
    const now = new Date("2026-11-28T10:00:00+08:00");
    assert.equal(batchWords("2026-11-27T17:30:00Z", now), "Today, 01:30");
    assert.equal(batchWords("2026-11-27T15:30:00Z", now), "Yesterday, 23:30");
    assert.equal(batchWords("2026-11-26T15:30:00Z", now), "26 November 2026 at 23:30");
});

test("a length has hours only where there are some", () => {
    assert.deepEqual([0, 30.6, 61, 3727, -1].map(lengthOf), ["0:00", "0:31", "1:01", "1:02:07", "0:00"]);
});

test("photos are ordered by the clock on the wall, whatever zone each tells", () => {
    const at = (takenAt) => wallTimeOf({ takenAt, receivedAt: "2026-11-20T10:00:00Z" });
    assert.equal(at("2024-05-03T14:02:31"), Date.parse("2024-05-03T14:02:31Z"));
    assert.equal(at("2024-05-03T14:02:31+09:00"), at("2024-05-03T14:02:31"));
    assert.equal(at("2024-05-03T14:02:31.5Z"), at("2024-05-03T14:02:31") + 500);
    assert.equal(at("2024"), Date.parse("2024-01-01T12:00:00Z"));
    assert.equal(at("2024-05"), Date.parse("2024-05-01T12:00:00Z"));
    assert.equal(at("2024-05-03"), Date.parse("2024-05-03T12:00:00Z"));
});

test("what nobody knows the time of stands where the reader's clock showed its coming", () => {
    assert.equal(wallTimeOf({ receivedAt: "2026-11-20T20:00:00Z" }), Date.parse("2026-11-21T04:00:00Z"));
});

test("as it happened is the oldest first, and of one moment the last of the list", () => {
    const photos = [["c", "2024-05-03T12:00:00"], ["b", "2003-01-01T12:00:00"], ["a", "2003-01-01T12:00:00"], ["d", "2024-05-03T11:59:59"]]
        .map(([id, takenAt]) => ({ id, takenAt }));
    assert.equal(oldestFirst(photos).map(({ id }) => id).join(""), "abdc");
    assert.equal(photos[0].id, "c");
});
