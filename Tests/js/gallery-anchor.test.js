import { test } from "node:test";
import assert from "node:assert/strict";
import { GalleryLayout, PlaceHolder } from "../../www/js/gallery/gallery-layout.js";
import { sectionsOf } from "./sections.js";

const shape = { columns: 3, rowHeight: 100, gap: 2, head: 50, foot: 20 };
const windowHeight = 600;

/** A gallery of two months of thirty photos, with somebody who looks at the fifth row. */
function looking() {
    const ids = [...Array(60).keys()].map((place) => `p${place}`);
    const gallery = { shape, layout: new GalleryLayout(sectionsOf(30, 30), shape),
        list: { at: (place) => ({ id: ids[place] }), placeOf: (id) => ids.indexOf(id) } };
    const anchor = new PlaceHolder(gallery);
    anchor.note(400, 500, windowHeight);
    const change = (...counts) => { gallery.layout = new GalleryLayout(sectionsOf(...counts), shape); };
    return { ids, gallery, anchor, change };
}

test("the first row that is seen by more than half is kept, below the name of the month", () => {
    const { anchor } = looking();
    assert.deepEqual(anchor.kept.map(({ id, below }) => [id, below]), [["p12", 50], ["p15", 150], ["p18", 250], ["p21", 350]]);
    assert.equal(anchor.place, 12);
    // By less than half.
    anchor.note(460, 500, windowHeight);
    assert.equal(anchor.kept[0].id, "p15");
});

test("what the eye is on stays while photos come above it", () => {
    const { ids, anchor, change } = looking();
    ids.unshift("new1", "new2", "new3", "new4");
    change(34, 30);
    const { place, below } = anchor.find();
    assert.deepEqual([ids[place], below], ["p12", 50]);
});

for (const [gone, stays] of [[0, ["p12", 50]], [1, ["p15", 150]], [4, ["p18", 250]]]) {
    test(`the eye does not follow ${gone} photos whose month is known by now`, () => {
        const { ids, anchor, change } = looking();
        // They were taken in the month before.
        ids.splice(40, 0, ...ids.splice(12, gone));
        change(30 - gone, 30 + gone);
        const { place, below } = anchor.find();
        assert.deepEqual([ids[place], below], stays);
    });
}

test("where all that was seen is gone, what has its place in the month stays there", () => {
    const { ids, anchor, change } = looking();
    ids.splice(6, 24);
    change(6, 30);
    const { place, below } = anchor.find();
    assert.deepEqual([ids[place], below], ["p5", 50]);
});

test("where the month itself is gone, the eye goes with the photos, and without them nowhere", () => {
    const { ids, gallery, anchor } = looking();
    gallery.layout = new GalleryLayout(sectionsOf(30, 60).slice(1).map((section) => ({ ...section, start: 0 })), shape);
    assert.equal(ids[anchor.find().place], "p12");
    ids.splice(0, 30);
    assert.equal(anchor.find(), null);
});

test("at the very beginning what is new is what one wants to see", () => {
    const { anchor } = looking();
    anchor.note(100, 200, windowHeight);
    assert.deepEqual(anchor.kept, []);
});
