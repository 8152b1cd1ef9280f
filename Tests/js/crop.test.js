import { test } from "node:test";
import assert from "node:assert/strict";
import { farthest, fitted, isInside, moved, turnedFrame } from "../../www/js/changing/crop.js";

const whole = { left: 0, top: 0, right: 1, bottom: 1 };
const photo = { width: 4000, height: 3000 };
const round = (frame) => Object.fromEntries(Object.entries(frame).map(([side, share]) => [side, Math.round(share * 1e4) / 1e4]));

test("a frame goes round with the picture, and comes back after four quarters", () => {
    const left = { left: 0, top: 0.2, right: 0.25, bottom: 0.6, angle: 3 };
    assert.deepEqual(round(turnedFrame(left, 1)), { left: 0.4, top: 0, right: 0.8, bottom: 0.25, angle: 3 });
    assert.deepEqual(round(turnedFrame(left, 2)), { left: 0.75, top: 0.4, right: 1, bottom: 0.8, angle: 3 });
    assert.deepEqual(round(turnedFrame(turnedFrame(left, 3), 1)), left);
});

test("of a picture that is turned its corners are not in the frame", () => {
    assert.equal(isInside(whole, 0, photo), true);
    assert.equal(isInside(whole, 1, photo), false);
    assert.equal(isInside({ left: 0.2, top: 0.2, right: 0.8, bottom: 0.8 }, 5, photo), true);
    assert.equal(isInside({ left: -0.1, top: 0, right: 0.5, bottom: 0.5 }, 0, photo), false);
    assert.equal(isInside({ left: 0.5, top: 0.5, right: 0.52, bottom: 0.9 }, 0, photo), false);
});

test("the largest frame of its shape is what is left of a picture that is turned", () => {
    for (const angle of [-45, -20, -0.5, 0.5, 7, 30, 45]) {
        for (const wanted of [whole, { left: 0, top: 0, right: 0.3, bottom: 1 }, { left: 0.8, top: 0.8, right: 1, bottom: 1 }]) {
            const isGood = (frame) => isInside(frame, angle, photo);
            const frame = fitted(wanted, isGood);
            assert.equal(isGood(frame), true, `${angle}`);
            const ratio = ({ left, top, right, bottom }) => (right - left) / (bottom - top);
            assert.ok(Math.abs(ratio(frame) - ratio(wanted)) < 1e-6);
            const [x, y] = [(frame.left + frame.right) / 2, (frame.top + frame.bottom) / 2];
            const larger = { left: x + (frame.left - x) * 1.01, top: y + (frame.top - y) * 1.01, right: x + (frame.right - x) * 1.01,
                bottom: y + (frame.bottom - y) * 1.01 };
            assert.equal(isGood(larger), false, `${angle} ${JSON.stringify(frame)}`);
        }
    }
    // Half a degree takes but little of it.
    assert.ok(fitted(whole, (frame) => isInside(frame, 0.5, photo)).left < 0.01);
    assert.deepEqual(fitted(whole, (frame) => isInside(frame, 0, photo)), whole);
});

test("an edge goes as far as the picture, and a frame moves with its size", () => {
    const isGood = (frame) => isInside(frame, 0, photo);
    const part = { left: 0.2, top: 0.2, right: 0.6, bottom: 0.6 };
    assert.deepEqual(round(farthest(part, moved(part, "", { x: 0.9, y: 0 }, null), isGood)), { left: 0.6, top: 0.2, right: 1, bottom: 0.6 });
    assert.deepEqual(round(farthest(part, moved(part, "se", { x: 0.9, y: 0.1 }, null), isGood)).right, 1);
    assert.deepEqual(round(moved(part, "nw", { x: 0.1, y: -0.1 }, null)), { left: 0.3, top: 0.1, right: 0.6, bottom: 0.6 });
    // Nobody turns it inside out.
    assert.ok(farthest(part, moved(part, "e", { x: -0.9, y: 0 }, null), isGood).right >= 0.25 - 1e-9);
});

test("a frame that keeps its shape keeps it at every edge", () => {
    const part = { left: 0.2, top: 0.2, right: 0.6, bottom: 0.6 };
    assert.deepEqual(round(moved(part, "se", { x: 0.2, y: 0 }, 1)), { left: 0.2, top: 0.2, right: 0.8, bottom: 0.8 });
    assert.deepEqual(round(moved(part, "nw", { x: 0, y: -0.1 }, 1)), { left: 0.1, top: 0.1, right: 0.6, bottom: 0.6 });
    assert.deepEqual(round(moved(part, "e", { x: 0.2, y: 0.5 }, 1)), { left: 0.2, top: 0.1, right: 0.8, bottom: 0.7 });
    const small = moved(part, "w", { x: 5, y: 0 }, 1);
    assert.ok(small.right - small.left > 0);
});
