import { test } from "node:test";
import assert from "node:assert/strict";
import { Finding, partWords } from "../../www/js/search/search.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const dateOf = (start, end, text = "as it was typed") => partWords({ kind: "date", text, start, end });

test("a span of time is said as shortly as it can be", () => {
    assert.equal(dateOf("2024-01-01T00:00:00", "2025-01-01T00:00:00"), "2024");
    assert.equal(dateOf("2024-05-01T00:00:00", "2024-06-01T00:00:00"), "May 2024");
    assert.equal(dateOf("2023-12-01T00:00:00", "2024-01-01T00:00:00"), "December 2023");
    assert.equal(dateOf("2023-12-24T00:00:00", "2023-12-25T00:00:00"), "24 December 2023");
    assert.equal(dateOf("2024-02-29T00:00:00", "2024-03-01T00:00:00"), "29 February 2024");
});

test("a span that is no month and no year has its first and its last day", () => {
    assert.equal(dateOf("2023-06-01T00:00:00", "2023-09-01T00:00:00"), "1 June 2023 – 31 August 2023");
    // Twelve months, but no calendar year.
    assert.equal(dateOf("2023-06-01T00:00:00", "2024-06-01T00:00:00"), "1 June 2023 – 31 May 2024");
});

test("an open span says since or until when, and what returns each year is told as it was typed", () => {
    assert.equal(dateOf("2023-06-01T00:00:00"), "since 1 June 2023");
    assert.equal(dateOf(undefined, "2023-06-01T00:00:00"), "until 31 May 2023");
    assert.equal(dateOf(undefined, undefined, "Christmas"), "Christmas");
});

test("a place is called by its name in the list of places, else as it was typed", () => {
    const names = { meantBy: (value) => ({ 1: "Rome", IT: "Italy" })[value] ?? null };
    assert.equal(partWords({ kind: "place", text: "place:1", value: "1" }, names), "Place: Rome");
    assert.equal(partWords({ kind: "place", text: "italien", value: "IT" }, names), "Place: Italy");
    assert.equal(partWords({ kind: "place", text: "rome", value: "2" }, names), "Place: rome");
    assert.equal(partWords({ kind: "place", text: "rome", value: "2" }), "Place: rome");
});

test("bounds are said in units", () => {
    assert.equal(partWords({ kind: "size", text: ">5MB", min: 5_000_000 }), "5 MB or more");
    assert.equal(partWords({ kind: "size", text: "<5MB", max: 5_000_000 }), "up to 5 MB");
    assert.equal(partWords({ kind: "length", text: "1-2 min", min: 60, max: 120 }), "1:00 – 2:00");
    assert.equal(partWords({ kind: "size", text: "large" }), "large");
});

test("kinds have their names, and all other words are what was typed", () => {
    assert.equal(partWords({ kind: "type", text: "video", value: "video" }), "Videos");
    assert.equal(partWords({ kind: "type", text: "hologram", value: "hologram" }), "hologram");
    assert.equal(partWords({ kind: "word", text: "<b>x</b>" }), "<b>x</b>");
    assert.equal(partWords({ kind: "album", text: "Rome", value: "1" }), "Rome");
});

/** A search whose answers nobody waits for. */
function finding(query) {
    const made = new Finding();
    made.understand = () => {};
    made.changes = 0;
    made.addEventListener("change", () => { made.changes += 1; });
    made.set(query);
    return made;
}

test("a part of what was understood is taken off, and the rest is looked for", () => {
    const search = finding("October 2008 video");
    search.drop({ text: "video" });
    assert.equal(search.query, "October 2008");
    search.set("png October 2008 video");
    search.drop({ text: "October 2008" });
    assert.equal(search.query, "png video");
    search.drop({ text: "what is not there" });
    assert.equal(search.query, "png video");
});

test("the same words once more are no other search", () => {
    const search = finding("garden");
    search.set("  garden ");
    assert.equal(search.changes, 1);
    search.understood = [{ kind: "word", text: "garden" }];
    search.set(" ");
    assert.deepEqual([search.query, search.understood, search.changes], ["", [], 2]);
});

test("of nothing there are no results, and nobody is asked for them", async () => {
    assert.deepEqual(await finding("").source.months(), []);
});

test("nothing of a search outlives the vault", () => {
    const search = finding("garden");
    search.understood = [{ kind: "word", text: "garden" }];
    search.alike = { id: "1" };
    search.clear();
    assert.ok(!JSON.stringify([search.query, search.understood, search.alike]).includes("garden") && search.alike === null);
});
