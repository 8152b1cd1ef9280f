import { test } from "node:test";
import assert from "node:assert/strict";
import { Selection } from "../../www/js/library/selection.js";
import { speakEnglish } from "./english.js";

speakEnglish();

/** A list of so many photos of one byte, `known` of which are here; the others come when somebody asks for them. */
function listOf(count, { known = count } = {}) {
    const photos = Array.from({ length: count }, (_, place) => ({ id: `p${place}`, size: 1 }));
    const list = { photos, sections: [{ key: "2026-11", count, start: 0 }],
        at: (place) => (place < known ? list.photos[place] ?? null : null),
        placeOf: (id) => list.photos.slice(0, known).findIndex((photo) => photo.id === id),
        find: async ({ id }) => list.photos.findIndex((photo) => photo.id === id),
        between: async (from, to) => list.photos.slice(from, to), all: async () => list.photos };
    return list;
}

/** A selection that says what it would say to people. */
function selecting(list) {
    const selection = new Selection(list);
    selection.said = [];
    selection.say = (words) => selection.said.push(words);
    return selection;
}

const picked = (selection) => selection.photos.map(({ id }) => id);

test("a photo is picked and left by turns, and the first one begins the picking", () => {
    const selection = selecting(listOf(5));
    let changes = 0;
    selection.addEventListener("change", () => { changes += 1; });
    selection.begin(3);
    selection.toggle(1);
    selection.toggle(3);
    assert.deepEqual([selection.isOn, picked(selection), selection.byteCount, changes], [true, ["p1"], 1, 3]);
    selection.end();
    assert.deepEqual([selection.isOn, selection.count, selection.anchor], [false, 0, null]);
});

test("a range reaches from the photo that was touched last, whichever lies first", async () => {
    const selection = selecting(listOf(400));
    selection.begin(212);
    await selection.extend(3);
    assert.equal(selection.count, 210);
    assert.ok(selection.has("p3") && selection.has("p212") && !selection.has("p2"));
    assert.deepEqual(selection.said, []);
});

test("a range without a beginning is one photo", async () => {
    const selection = selecting(listOf(5));
    selection.begin();
    await selection.extend(3);
    assert.deepEqual(picked(selection), ["p3"]);
});

test("who picks a range is told when the photos move meanwhile", async () => {
    const list = listOf(9);
    const selection = selecting(list);
    selection.begin(1);
    list.between = async (from, to) => {
        list.sections = [{ key: "2026-12", count: 1, start: 0 }, { key: "2026-11", count: 8, start: 1 }];
        return list.photos.slice(from, to);
    };
    await selection.extend(3);
    assert.deepEqual([selection.count, selection.said.length], [3, 1]);
});

test("where the first of a range is gone, the other one alone is picked, and it is said", async () => {
    const list = listOf(9);
    const selection = selecting(list);
    selection.begin(1);
    list.photos.splice(1, 1);
    await selection.extend(3);
    assert.deepEqual([picked(selection), selection.said.length], [["p1", "p4"], 1]);
});

test("all are picked, and turned around none", async () => {
    const selection = selecting(listOf(12_000));
    await selection.all();
    assert.deepEqual([selection.isOn, selection.count, selection.byteCount], [true, 12_000, 12_000]);
    selection.toggle(1);
    selection.toggle(3);
    await selection.invert();
    assert.deepEqual(picked(selection), ["p1", "p3"]);
});

test("what is fetched when nobody picks any more picks nothing", async () => {
    const list = listOf(9);
    let answer;
    list.all = () => new Promise((resolve) => { answer = resolve; });
    const selection = selecting(list);
    const coming = selection.all();
    assert.ok(selection.isComing);
    selection.end();
    answer(list.photos);
    await coming;
    assert.deepEqual([selection.isOn, selection.count, selection.isComing], [false, 0, false]);
});

test("what could not be fetched is said, and nothing is taken for the whole", async () => {
    const list = listOf(9);
    list.all = async () => { throw new Error("away"); };
    const selection = selecting(list);
    await selection.all();
    assert.deepEqual([selection.count, selection.isComing, selection.said.length], [0, false, 1]);
});

test("a month is picked as a whole, and left as a whole only where all of it was picked", async () => {
    const selection = selecting(listOf(9, { known: 4 }));
    await selection.toggleRange(0, 6);
    assert.equal(selection.count, 6);
    selection.toggle(2);
    await selection.toggleRange(0, 6);
    assert.equal(selection.count, 6);
    await selection.toggleRange(0, 6);
    assert.deepEqual([selection.count, selection.isOn], [0, true]);
});

test("of a day of which a part was not here, those are picked that are of it", async () => {
    const selection = selecting(listOf(9, { known: 4 }));
    await selection.toggleRange(0, 9, ({ id }) => id !== "p7");
    assert.deepEqual([selection.count, selection.has("p7")], [8, false]);
});

test("what one draws over is picked, and what one draws back from is left, but not what was picked before", async () => {
    const selection = selecting(listOf(20));
    selection.begin(15);
    const before = new Map(selection.picked);
    await selection.paint(before, 1, 7);
    assert.equal(selection.count, 8);
    await selection.paint(before, 1, 4);
    assert.deepEqual(picked(selection).sort(), ["p1", "p15", "p2", "p3", "p4"]);
    await selection.paint(before, 3, 0);
    assert.deepEqual(picked(selection).sort(), ["p0", "p1", "p15", "p2", "p3"]);
});

test("what one draws over before it is here is picked when it comes, unless one has drawn back", async () => {
    const selection = selecting(listOf(20, { known: 5 }));
    selection.begin();
    const far = selection.paint(new Map(), 1, 9);
    assert.equal(selection.count, 4);
    const near = selection.paint(new Map(), 1, 6);
    await Promise.all([far, near]);
    assert.equal(selection.count, 6);
});

test("what is still on its way is not to be picked", async () => {
    const list = listOf(3);
    list.photos[1].item = { name: "1.jpg" };
    const selection = selecting(list);
    selection.begin(1);
    selection.begin(0);
    await selection.extend(1);
    await selection.paint(new Map(), 0, 2);
    assert.deepEqual(picked(selection), ["p0", "p2"]);
});

test("a photo that was picked before its video came has it then", () => {
    const list = listOf(3);
    const selection = selecting(list);
    selection.begin(1);
    list.photos[1] = { ...list.photos[1], live: { id: "video", size: 7 } };
    assert.deepEqual([selection.photos[0].live.id, selection.byteCount], ["video", 8]);
});

test("what is gone from the list is dropped from what is picked", () => {
    const selection = selecting(listOf(3));
    selection.begin(0);
    selection.toggle(1);
    selection.drop(["p0", "p2"]);
    assert.deepEqual(picked(selection), ["p1"]);
});
