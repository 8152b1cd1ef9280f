import { test } from "node:test";
import assert from "node:assert/strict";
import { isDoubleTap, swipeBy } from "../../www/js/viewer/viewer-gestures.js";

test("a swipe to the side leads on or back, one down closes, and anything else is nothing", () => {
    assert.equal(swipeBy({ x: -240, y: 10 }), "next");
    assert.equal(swipeBy({ x: 240, y: -10 }), "previous");
    assert.equal(swipeBy({ x: 5, y: 300 }), "close");
    assert.equal(swipeBy({ x: 5, y: -300 }), null);
    // Too short, or neither one way nor the other.
    for (const [x, y] of [[-48, 0], [0, 96], [200, 150], [-150, 200], [0, 0]]) assert.equal(swipeBy({ x, y }), null, `${x}, ${y}`);
});

test("two taps are one double tap when they are near in time and place", () => {
    const first = { x: 10, y: 20, at: 1000 };
    assert.ok(isDoubleTap(first, { x: 30, y: 40, at: 1299 }));
    assert.ok(!isDoubleTap(first, { x: 10, y: 20, at: 1300 }));
    assert.ok(!isDoubleTap(first, { x: 60, y: 20, at: 1100 }));
    assert.ok(!isDoubleTap(null, first));
});
