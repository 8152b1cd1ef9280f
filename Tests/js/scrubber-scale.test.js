import { test } from "node:test";
import assert from "node:assert/strict";
import { GalleryLayout } from "../../www/js/gallery/gallery-layout.js";
import { partAfter, yearMarks } from "../../www/js/gallery/gallery-months.js";

const shape = { columns: 3, rowHeight: 100, gap: 2, head: 50, foot: 20, least: 100 };

/** Ten years of months from November 2026 back, with so many photos each. */
function years(count) {
    const sections = Array.from({ length: 120 }, (_, index) => {
        const months = 2026 * 12 + 10 - index;
        return { key: `${Math.floor(months / 12)}-${String(months % 12 + 1).padStart(2, "0")}`, count, start: index * count };
    });
    return new GalleryLayout(sections, shape);
}

test("keys go by months and years, and stop at the ends", () => {
    const { sections } = years(42);
    const to = (now, key) => partAfter(sections, now, key)?.key ?? null;
    assert.deepEqual([to(0, "ArrowDown"), to(0, "ArrowRight"), to(1, "ArrowUp"), to(1, "ArrowLeft")],
        ["2026-10", "2026-10", "2026-11", "2026-11"]);
    assert.deepEqual([to(1, "PageDown"), to(13, "PageUp")], ["2025-10", "2026-10"]);
    assert.deepEqual([to(5, "Home"), to(5, "End"), to(0, "ArrowUp"), to(119, "PageDown"), to(3, "PageUp")],
        ["2026-11", "2016-12", "2026-11", "2016-12", "2026-11"]);
    assert.equal(to(0, "a"), null);
});

test("months that stand beside each other are one place", () => {
    const { sections } = years(1);
    // Three share each row.
    assert.equal(partAfter(sections, 0, "ArrowDown").key, "2026-08");
    assert.equal(partAfter(sections, 3, "ArrowUp").key, "2026-09");
});

test("each year is marked where it begins", () => {
    const layout = years(42);
    const marks = yearMarks(layout);
    assert.deepEqual(marks.map(({ year }) => Number(year)), [2026, 2025, 2024, 2023, 2022, 2021, 2020, 2019, 2018, 2017]);
    assert.equal(marks[1].at, layout.sections.find(({ key }) => key === "2025-12").top / layout.height);
});

test("marks that would lie over each other or over the end are left out, and batches have none", () => {
    const layout = { height: 1000, sections: [["2026-01", 0], ["2025-01", 30], ["2024-01", 40], ["2023-01", 970]]
        .map(([key, top]) => ({ key, top })) };
    assert.deepEqual(yearMarks(layout).map(({ year }) => year), ["2026", "2024"]);
    assert.deepEqual(yearMarks({ height: 1000, sections: [{ key: "2026-11-20T10:00:00Z", top: 0 }] }), []);
});
