import { test } from "node:test";
import assert from "node:assert/strict";
import { Slice } from "../../www/js/base/dom.js";
import { paceOf } from "../../www/js/gallery/gallery-months.js";
import { stripes } from "../../www/js/gallery/gallery-rows.js";

/** What is drawn after a movement by so many windows, so many milliseconds after the one before. */
function drawnAfter(milliseconds, windows) {
    const { isFast, isFlying } = paceOf(windows, milliseconds / 1000);
    return isFlying ? "nothing but months" : isFast ? "colours" : "photos";
}

test("what is drawn follows from the speed", () => {
    assert.equal(drawnAfter(16, 0.03), "photos");
    assert.equal(drawnAfter(16, 0.05), "colours");
    assert.equal(drawnAfter(16, 0.2), "colours");
    assert.equal(drawnAfter(16, 0.3), "nothing but months");
    assert.equal(drawnAfter(50, 0.2), "colours");
    assert.equal(drawnAfter(50, 0.1), "photos");
});

test("a first movement after a rest says nothing of its speed, unless it goes far", () => {
    assert.equal(drawnAfter(1000, 0.5), "photos");
    assert.equal(drawnAfter(121, 1), "photos");
    assert.equal(drawnAfter(1000, 40), "nothing but months");
    assert.equal(drawnAfter(1000, 3), "colours");
});

test("two movements at one moment are no division by nought", () => {
    assert.equal(drawnAfter(0, 0.001), "photos");
    assert.equal(drawnAfter(0, 0.1), "nothing but months");
});

test("a strip has the colours of its photos in squares with gaps between them", () => {
    assert.equal(stripes(["red", "blue"], { rowHeight: 100, gap: 2 }), "linear-gradient(to right,"
        + "transparent 0 0px,red 0 98px,transparent 0 100px,blue 0 198px,transparent 0)");
});

test("long work is cut into slices of a third of a frame", () => {
    let at = 100;
    const slice = new Slice(() => at);
    assert.deepEqual([100, 104, 105, 900].map((now) => { at = now; return slice.isOver; }), [false, false, true, true]);
});
