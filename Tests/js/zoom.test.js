import { test } from "node:test";
import assert from "node:assert/strict";
import { clamped, doubled, fitted, fittedSize, isFitted, isNearest, scaledAt, zoomStep } from "../../www/js/viewer/viewer-gestures.js";

const box = { width: 400, height: 800 };
const picture = { width: 400, height: 300 };
const middle = { x: 0, y: 0 };

/** What of the picture lies at a point of the window. */
const under = ({ scale, x, y }, point) => [(point.x - x) / scale, (point.y - y) / scale];

test("what lies under the finger stays there while the scale changes", () => {
    const point = { x: 120, y: -40 };
    const before = { scale: 2, x: 30, y: 10 };
    const after = scaledAt(before, 5, point);
    assert.equal(after.scale, 5);
    assert.deepEqual(under(after, point), under(before, point));
});

test("no picture is smaller than fitted or larger than eight times that", () => {
    assert.equal(scaledAt(fitted, 100, middle).scale, 8);
    assert.equal(scaledAt({ ...fitted, scale: 2 }, 0.1, middle).scale, 1);
    assert.equal(clamped({ scale: 20, x: 0, y: 0 }, box, picture).scale, 8);
    assert.ok(isNearest({ ...fitted, scale: 8 }) && !isNearest({ ...fitted, scale: 7 }));
    assert.ok(isFitted(fitted) && !isFitted({ ...fitted, scale: 1.5 }));
});

test("nothing can be pushed out of sight", () => {
    // Twice as large, 400 pixels are wider than the window, and 600 lower than it.
    assert.deepEqual(clamped({ scale: 2, x: 1000, y: 1000 }, box, picture), { scale: 2, x: 200, y: 0 });
    assert.equal(clamped({ scale: 2, x: -1000, y: -1000 }, box, picture).x, -200);
    assert.deepEqual(clamped({ scale: 4, x: 0, y: 1000 }, box, picture), { scale: 4, x: 0, y: 200 });
});

test("steps by keys lead nearer and farther, and nought to all of it", () => {
    const nearer = zoomStep(fitted, 1);
    assert.equal(nearer.scale, 1.5);
    assert.equal(zoomStep(zoomStep(nearer, 1), -1).scale, 1.5);
    assert.equal(zoomStep(fitted, -1).scale, 1);
    assert.equal(zoomStep({ scale: 4, x: 9, y: 9 }, 0), fitted);
});

test("a double tap enlarges where it was, and the next one leads back", () => {
    const point = { x: 100, y: 50 };
    const near = doubled(fitted, point);
    assert.ok(near.scale > 2);
    assert.deepEqual(under(near, point), under(fitted, point));
    assert.equal(doubled(near, point), fitted);
});

test("a picture is fitted by its longer side, and takes all of the box while it is not known", () => {
    assert.deepEqual(fittedSize(box, { width: 4000, height: 3000 }), { width: 400, height: 300 });
    assert.deepEqual(fittedSize(box, { width: 100, height: 400 }), { width: 200, height: 800 });
    assert.equal(fittedSize(box, {}), box);
});
