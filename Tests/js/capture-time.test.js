import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { chosenTime, instant, nameTimes, taken } from "../../www/js/files/capture-time.js";
import { readPartialTime, zoneOf } from "../../www/js/files/civil-time.js";

const now = Date.UTC(2026, 0, 1);
/** This device hangs in Berlin, in winter. */
const zoneAt = () => 60;
const lengths = { moment: 23, day: 10, month: 7, year: 4 };

/** As much of it as is known, by the clock on the wall, and its zone in minutes where that is known; null for no date. */
function told(time) {
    return time && `${new Date(time.wall).toISOString().slice(0, lengths[time.precision]).replace(/\.000$/, "")}${time.offset === null ? "" : ` ${time.offset}`}`;
}

function chosen({ read = null, name = "a.jpg", fileTime = NaN, written = NaN }) {
    return told(chosenTime({ read: typeof read === "string" ? taken(readPartialTime(read)) : read, name, fileTime, written, now, zoneAt }));
}

/** The host is tested by the same ones: a photo stands where the host will file it. */
const vectors = JSON.parse(readFileSync(new URL("../Vectors/names.json", import.meta.url), "utf8"));

test("names tell what they tell the host", () => {
    assert.ok(vectors.length > 100);
    const read = vectors.map(({ name }) => {
        const [time] = nameTimes(name);
        const wall = time && new Date(time.wall).toISOString().slice(0, 23).replace(/\.000$/, "");
        return time ? { name, taken: wall, precision: time.precision, isInstant: time.isInstant } : { name, taken: null };
    });
    assert.deepEqual(read, vectors);
});

test("what a name tells is taken for the time of its photo, in the zone that it is in", () => {
    const names = {
        "IMG_20240131_123456.jpg": "2024-01-31T12:34:56",
        // Google's phones write UTC.
        "PXL_20240131_123456789.MP.jpg": "2024-01-31T13:34:56.789 60",
        "20190601T123456Z.jpg": "2019-06-01T13:34:56 60",
        "mmexport1706704496000.jpg": "2024-01-31T13:34:56 60",
        "IMG-20240131-WA0001.jpg": "2024-01-31",
        "1955-07 (2).jpg": "1955-07",
        "1955.jpg": "1955",
        // Of two centuries the one that has been.
        "Oma 03.02.64.jpg": "1964-02-03",
        // The number of some goods, and by chance a moment in the year 2096.
        "4006381333931.jpg": null,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(names).map((name) => [name, chosen({ name })])), names);
});

test("where either number may be the day, nothing is guessed", () => {
    assert.equal(chosen({ name: "photo 03-02-2022_04-05-06.jpg" }), null);
    assert.equal(chosen({ name: "03-02-2022.jpg" }), null);
});

test("a date that is still to come, or that of a clock that nobody set, is not believed", () => {
    assert.equal(chosen({ name: "2099-01-31 of 2019-05-01.jpg" }), "2019-05-01");
    for (const name of ["1980-01-01 00.03.12.jpg", "1970-01-01 01.00.12.jpg"]) assert.equal(chosen({ name }), null, name);
    for (const read of ["1904:01:01 00:01:00", "1980:01:01 00:03:12", "2002:12:08 12:00:00"]) assert.equal(chosen({ read }), null, read);
    // In the first hour of the millennium people took photos, too: it counts where nobody says otherwise.
    assert.equal(chosen({ read: "2000:01:01 00:03:12" }), "2000-01-01T00:03:12");
    assert.equal(chosen({ read: "2000:01:01 00:03:12", name: "IMG_20170304_101112.jpg" }), "2017-03-04T10:11:12");
});

test("what a file says of itself comes before its name, and that before when it was changed", () => {
    const fileTime = Date.UTC(2020, 1, 3, 4);
    assert.equal(chosen({ read: "2019:02:03 04:05:06", name: "IMG_20240131_123456.jpg", fileTime }), "2019-02-03T04:05:06");
    assert.equal(chosen({ name: "IMG_20190131_123456.jpg", fileTime }), "2019-01-31T12:34:56");
    assert.equal(chosen({ fileTime }), "2020-02-03T05:00:00 60");
    // The earlier one of when a program wrote it and when it was copied.
    assert.equal(chosen({ fileTime, written: Date.UTC(2018, 1, 3, 4) }), "2018-02-03T05:00:00 60");
});

test("the last change tells less than a name of another day, and the clock of the same one", () => {
    const changed = (text) => ({ ...taken(readPartialTime(text)), isChange: true });
    assert.equal(chosen({ read: changed("2023:03:01 10:00:05"), name: "IMG_20180512_103000.jpg" }), "2018-05-12T10:30:00");
    assert.equal(chosen({ read: changed("2018:05:13 10:30:02"), name: "IMG_20180513_103000.jpg" }), "2018-05-13T10:30:02");
    assert.equal(chosen({ read: changed("2018:05:14 18:30:02"), name: "IMG_20180514_103000.jpg" }), "2018-05-14T10:30:00");
});

test("nobody scans a picture before it is taken", () => {
    const scanned = { ...taken(readPartialTime("2015:03:01 10:00:00")), isScan: true };
    assert.equal(chosen({ read: scanned, name: "1955-07-14 wedding.jpg" }), "1955-07-14");
    assert.equal(chosen({ read: scanned, name: "IMG_20160102_101112.jpg" }), "2015-03-01T10:00:00");
    assert.equal(chosen({ read: scanned, name: "2015-03.jpg" }), "2015-03-01T10:00:00");
});

test("a name that knows more of the same time fills it in", () => {
    assert.equal(chosen({ read: "2019:02", name: "IMG_20190203_040506.jpg" }), "2019-02-03T04:05:06");
    assert.equal(chosen({ read: "2019:02", name: "IMG_20180203_040506.jpg" }), "2019-02");
});

test("an instant without a zone stands by the clock of this device, or by that of its name", () => {
    assert.equal(chosen({ read: instant(Date.UTC(2023, 5, 30, 23, 30, 5)) }), "2023-07-01T00:30:05 60");
    assert.equal(chosen({ read: instant(Date.UTC(2023, 4, 30, 23, 30, 5)), name: "VID_20230531_063005.mp4" }), "2023-05-31T06:30:05 420");
});

test("the moment of the copy, or the beginning of a clock, tells nothing of a file", () => {
    assert.equal(chosen({ fileTime: now - 30_000 }), null);
    assert.equal(chosen({ fileTime: 0 }), null);
});

test("dates are read as far as they can be true", () => {
    const texts = {
        "2022:02:16 12:55:41": "2022-02-16T12:55:41",
        "2022-02-16T12:55:41.762+01:00": "2022-02-16T12:55:41.762 60",
        "20220216T125541": "2022-02-16T12:55:41",
        "2019: 2: 3  4: 5: 6": "2019-02-03T04:05:06",
        "2019:02:03 04:05 PM": "2019-02-03T16:05:00",
        "31/12/2016 23:59:50": "2016-12-31T23:59:50",
        "03/02/2016 23:59:50": null,
        "2016:12:31 23:59:60": "2016-12-31T23:59:59",
        "2019:02:30 04:05:06": null,
        "1955:07:00 00:00:00": "1955-07",
        1955: "1955",
        "0000:00:00 00:00:00": null,
        words: null,
    };
    assert.deepEqual(Object.fromEntries(Object.keys(texts).map((text) => [text, told(readPartialTime(text))])), texts);
});

test("a zone is one that some place on earth has", () => {
    const zones = { "+05:45": 345, "-0330": -210, "+14:00": 840, "+01:17": null, "+15:00": null, Z: null, "": null };
    assert.deepEqual(Object.fromEntries(Object.keys(zones).map((text) => [text, zoneOf(text).offset])), zones);
    assert.equal(zoneOf("Z").isUTC, true);
});
