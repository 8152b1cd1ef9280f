import { test } from "node:test";
import assert from "node:assert/strict";
import { fieldValue, shifted, withZone } from "../../www/js/changing/changing.js";

// Where the last night of March has no hour from two to three.
process.env.TZ = "Europe/Berlin";

test("a field for day and time shows what is known of an old photo, and begins what is not", () => {
    const shown = (takenAt) => fieldValue({ takenAt, receivedAt: "2026-11-20T10:00:00Z" });
    assert.equal(shown("2008-10-22T16:28:39"), "2008-10-22T16:28:39");
    assert.equal(shown("2008-10-22T16:28"), "2008-10-22T16:28");
    assert.equal(shown("2008-10-22T16:28:39.25+02:00"), "2008-10-22T16:28:39");
    assert.deepEqual(["1965", "1965-07", "1965-07-14"].map(shown), ["1965-01-01T12:00", "1965-07-01T12:00", "1965-07-14T12:00"]);
    // When it came is not when it was taken.
    assert.equal(shown(undefined), "");
});

test("what somebody sets stands in the zone that the file says", () => {
    assert.equal(withZone("1965-07-14T15:30", { takenAt: "2008-10-22T16:28:39+02:00" }), "1965-07-14T15:30+02:00");
    for (const takenAt of [undefined, "2008-10-22T16:28:39", "2008-10-22T16:28:39Z", "2008-10-22"]) {
        assert.equal(withZone("1965-07-14T15:30", { takenAt }), "1965-07-14T15:30");
    }
});

test("a clock is moved by minutes over days, months and years, whatever the reader's own does in that night", () => {
    assert.equal(shifted("2023-12-24T14:02:00", 120), "2023-12-24T16:02:00");
    assert.equal(shifted("2024-01-01T00:30", -150), "2023-12-31T22:00:00");
    assert.equal(shifted("2024-03-31T01:30:00", 60), "2024-03-31T02:30:00");
    assert.equal(shifted("2024-02-28T12:00:00", 120 * 60), "2024-03-04T12:00:00");
});

test("where something else than a number was typed there is no such time", () => {
    assert.equal(shifted("2024-01-01T00:30", NaN), null);
    assert.equal(shifted("2024-01-01T00:30", 1e300), null);
});
