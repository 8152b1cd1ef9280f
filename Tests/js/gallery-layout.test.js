import { test } from "node:test";
import assert from "node:assert/strict";
import { GalleryLayout } from "../../www/js/gallery/gallery-layout.js";
import { sectionsOf } from "./sections.js";

const shape = { columns: 3, rowHeight: 100, gap: 2, head: 50, foot: 20 };
/** Months of so many photos each, in as many columns. */
const laidOut = (counts, columns = 3, least = 100) => new GalleryLayout(sectionsOf(...counts), { ...shape, columns, least });

test("heights follow from counts alone, one month below the other", () => {
    const layout = laidOut([7, 300]);
    assert.deepEqual(layout.sections.map(({ top, height, rowCount }) => [top, height, rowCount]), [[0, 370, 3], [370, 10_070, 100]]);
    assert.deepEqual([layout.height, layout.count], [10_440, 307]);
});

test("a place is a row and a column of its month", () => {
    const layout = laidOut([7, 300]);
    const where = (place) => {
        const { section, row, column, top } = layout.cellOf(place);
        return [section.key, row, column, top];
    };
    assert.deepEqual(where(6), ["2024-09", 2, 0, 250]);
    assert.deepEqual(where(7), ["2024-08", 0, 0, 420]);
    assert.deepEqual(where(306), ["2024-08", 99, 2, 370 + 50 + 9900]);
});

test("only rows that reach into the window are drawn", () => {
    const layout = laidOut([7, 300]);
    const rows = (from, to) => layout.rowsBetween(from, to).map(({ section, row }) => `${section.key}|${row}`);
    assert.deepEqual(rows(0, 340), ["2024-09|0", "2024-09|1", "2024-09|2"]);
    assert.deepEqual(rows(300, 480), ["2024-09|2", "2024-08|0"]);
    // So few at any place of fifty thousand photos.
    const large = laidOut(Array(9).fill(5600));
    for (let top = 0; top < large.height; top += 9973) assert.ok(large.rowsBetween(top, top + 800).length <= 10, `at ${top}`);
    assert.deepEqual(large.rowsBetween(large.height + 1, large.height + 900), []);
});

test("every place is found at its own point, and beside the photos the nearest one of the row", () => {
    const layout = laidOut([7, 1, 2, 300]);
    for (let place = 0; place < layout.count; place += 1) {
        const { column, top } = layout.cellOf(place);
        assert.equal(layout.placeAtPoint(column * 100 + 40, top + 40), place);
    }
    // The last row of seven has one photo.
    assert.equal(layout.placeAtPoint(290, 260), 6);
    assert.equal(layout.placeAtPoint(-50, -50), 0);
    assert.equal(layout.placeAtPoint(9000, 1e9), layout.count - 1);
});

test("months of few photos stand beside each other where a row has room for them", () => {
    const layout = laidOut([1, 2, 1, 1, 30]);
    assert.deepEqual(layout.sections.map(({ left, span, top, isShared }) => [left, span, top, isShared ?? false]),
        [[0, 1, 0, true], [1, 2, 0, true], [0, 1, 170, true], [1, 2, 170, true], [0, 3, 340, false]]);
    // On a wide screen more of them do.
    assert.deepEqual(laidOut([1, 2, 1, 1, 30], 8).sections.map(({ top }) => top), [0, 0, 0, 0, 170]);
});

test("a month that is too narrow for its name stands alone", () => {
    assert.deepEqual(laidOut([1, 1, 30], 3, 108).sections.map(({ left }) => left), [0, 0, 0]);
    // In a list there is nothing beside anything.
    assert.deepEqual(laidOut([1, 1, 30], 3, Infinity).sections.map(({ top }) => top), [0, 170, 340]);
});

test("arrows go from photo to photo over the ends of rows and months", () => {
    const layout = laidOut([42, 42]);
    const go = (place, key, options) => layout.target(place, key, options);
    assert.deepEqual([go(41, "ArrowRight"), go(42, "ArrowLeft"), go(0, "ArrowLeft"), go(83, "ArrowRight")], [42, 41, 0, 83]);
    // Fourteen rows of three: the row below the last one is that of another month.
    let place = 1;
    for (let step = 0; step < 14; step += 1) place = go(place, "ArrowDown");
    assert.equal(place, 43);
    assert.equal(go(43, "ArrowUp"), 40);
    assert.deepEqual([go(1, "ArrowUp"), go(82, "ArrowDown")], [1, 82]);
});

test("Home and End go to the ends of a row, and with Control to those of all", () => {
    const layout = laidOut([7, 42]);
    assert.deepEqual([layout.target(4, "Home"), layout.target(4, "End"), layout.target(6, "End")], [3, 5, 6]);
    assert.deepEqual([layout.target(9, "Home", { whole: true }), layout.target(9, "End", { whole: true })], [0, 48]);
    assert.equal(layout.target(9, "x"), null);
});

test("pages go by so many rows and stop at the ends", () => {
    const layout = laidOut([42, 42]);
    assert.equal(layout.target(1, "PageDown", { rowsPerPage: 6 }), 19);
    assert.equal(layout.target(40, "PageDown", { rowsPerPage: 6 }), 58);
    assert.equal(layout.target(58, "PageUp", { rowsPerPage: 6 }), 40);
    assert.deepEqual([layout.target(82, "PageDown"), layout.target(1, "PageUp")], [82, 1]);
});

test("up and down lead past months that stand beside each other, into the one below", () => {
    const layout = laidOut([1, 2, 1, 1, 30]);
    // Below the second of two that share a row stands the second of the next two.
    assert.equal(layout.target(1, "ArrowDown"), 4);
    assert.equal(layout.target(4, "ArrowUp"), 1);
    assert.equal(layout.target(0, "ArrowDown"), 3);
    assert.equal(layout.target(3, "ArrowDown"), 5);
    // A row that is shorter there has its last photo below.
    assert.equal(layout.target(2, "ArrowDown"), 4);
    assert.equal(layout.target(0, "ArrowRight"), 1);
});

test("whatever key is pressed, one step back leads to where it came from while rows are as long", () => {
    const layout = laidOut([42, 42, 3, 6]);
    for (let place = 3; place < layout.count - 3; place += 1) {
        assert.equal(layout.target(layout.target(place, "ArrowDown"), "ArrowUp"), place);
        assert.equal(layout.target(layout.target(place, "ArrowRight"), "ArrowLeft"), place);
    }
});

test("a layout knows whether anything has moved", () => {
    const sections = sectionsOf(7, 300);
    const layout = new GalleryLayout(sections, shape);
    assert.ok(layout.isOf(sections, shape) && !layout.isOf(sectionsOf(7, 300), shape));
    assert.ok(layout.isLike(new GalleryLayout(sectionsOf(7, 300), shape)));
    assert.ok(!layout.isLike(new GalleryLayout(sectionsOf(8, 299), shape)));
    assert.ok(!layout.isLike(new GalleryLayout(sections, { ...shape })));
});

test("without photos there is nowhere to go", () => {
    const layout = laidOut([]);
    assert.deepEqual([layout.height, layout.count, layout.rowsBetween(0, 800), layout.sectionAtTop(0), layout.cellOf(0)], [0, 0, [], null, null]);
});
