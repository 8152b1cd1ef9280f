import assert from "node:assert/strict";
import { test } from "node:test";
import { Arriving } from "../../www/js/inside/arriving.js";
import { Queue } from "../../www/js/uploads/queue.js";

const here = { batch: null };
const elsewhere = { batch: null };
const moment = (day) => Date.UTC(2024, 0, day, 10);

/** Files by their names and the days on which they were taken; null where nobody knows, undefined while nobody has read it. */
function chosen(days, { space = here, isReadingDates = false } = {}) {
    const queue = new Queue();
    const items = queue.add(Object.keys(days).map((name, index) => ({ name, size: index + 1, type: "" })), space);
    for (const item of items) {
        const day = days[item.name];
        item.taken = day === undefined ? null : day === null ? {} : { wall: moment(day), offset: null, precision: "moment" };
    }
    const uploads = Object.assign(new EventTarget(), { queue, space: here, isReadingDates });
    const clock = { now: 0 };
    const arriving = new Arriving(uploads, { signal: new AbortController().signal, now: () => clock.now });
    const changes = [];
    for (const name of ["change", "marks"]) arriving.addEventListener(name, () => changes.push(name));
    return { queue, items, uploads, clock, arriving, changes };
}

const names = ({ arriving }) => arriving.list.map(({ photo }) => photo.name);

test("chosen photos have the month in which they were taken, in the order in which they go", () => {
    const { arriving } = chosen({ "b.jpg": 31, "a.jpg": 1 });
    assert.deepEqual(arriving.list.map(({ photo, turn, month }) => [photo.name, turn, month]), [["b.jpg", 0, "2024-01"], ["a.jpg", 1, "2024-01"]]);
    assert.equal(arriving.list[0].photo.takenAt, "2024-01-31T10:00:00.000");
});

test("where only the year of a photo is known, no more is told", () => {
    const one = chosen({ "a.jpg": undefined });
    one.items[0].taken = { wall: Date.UTC(1955, 0, 1, 12), offset: null, precision: "year" };
    one.arriving.look();
    assert.deepEqual(one.arriving.list.map(({ photo, month }) => [photo.takenAt, month]), [["1955", "1955-01"]]);
});

test("a photo of which nobody knows when it was taken is as new as can be", () => {
    const [{ wall, photo, month }] = chosen({ "a.jpg": null }).arriving.list;
    assert.deepEqual([wall, photo.takenAt, month], [null, undefined, photo.receivedAt.slice(0, 7)]);
});

test("while dates are read nothing is shown, for a month that comes late would move those that are seen", () => {
    const one = chosen({ "a.jpg": 1, "late.jpg": undefined }, { isReadingDates: true });
    assert.deepEqual([names(one), one.arriving.isWaiting], [[], true]);
    one.clock.now = 9_999;
    one.arriving.look();
    assert.deepEqual([names(one), one.changes], [[], []]);
    one.items[1].taken = { wall: moment(2) };
    one.uploads.isReadingDates = false;
    one.arriving.look();
    assert.deepEqual([names(one), one.arriving.isWaiting, one.changes], [["a.jpg", "late.jpg"], false, ["change"]]);
});

test("where reading takes long, what is known by then is shown, and the rest waits twice as long for each other", () => {
    const days = { "a.jpg": 1, "b.jpg": undefined, "c.jpg": undefined };
    const one = chosen(days, { isReadingDates: true });
    const after = (milliseconds) => {
        one.clock.now += milliseconds;
        one.arriving.look();
        return names(one);
    };
    assert.deepEqual(after(10_000), ["a.jpg"]);
    one.items[1].taken = { wall: moment(2) };
    assert.deepEqual(after(19_999), ["a.jpg"]);
    assert.deepEqual(after(1), ["a.jpg", "b.jpg"]);
    one.items[2].taken = { wall: moment(3) };
    assert.deepEqual(after(39_999), ["a.jpg", "b.jpg"]);
    // The last one that is read ends the wait.
    one.uploads.isReadingDates = false;
    assert.deepEqual(after(0), ["a.jpg", "b.jpg", "c.jpg"]);
});

test("what was chosen for another place is not shown in this one", () => {
    assert.deepEqual(names(chosen({ "a.jpg": 1 }, { space: elsewhere })), []);
});

test("companions of photos and the moving part of a Live Photo have no place of their own", () => {
    const days = { "IMG_1.HEIC": 1, "img_1.MOV": 1, "IMG_1.AAE": 1, "IMG_1.xmp": 1, "IMG_2.jpg.json": 1, "IMG_3.mov": 1 };
    assert.deepEqual(names(chosen(days)), ["IMG_1.HEIC", "IMG_3.mov"]);
    // A camera that counts anew gives old names to new videos.
    assert.deepEqual(names(chosen({ "IMG_1.HEIC": 1, "IMG_1.MOV": 3 })), ["IMG_1.HEIC", "IMG_1.MOV"]);
});

test("a photo stays the same until the host lists it, and is then let go of", () => {
    const one = chosen({ "a.jpg": 1, "b.jpg": 2 });
    const [first, second] = one.arriving.list;
    one.queue.start(one.items[0]);
    one.items[0].photo = "id of a";
    one.queue.save(one.items[0]);
    one.arriving.look();
    assert.deepEqual([one.arriving.list, one.changes], [[first, second], []]);
    assert.equal(first.photo.savedAs, "id of a");
    one.arriving.letGo([first]);
    one.arriving.look();
    assert.deepEqual(one.arriving.list, [second]);
});

test("what is left out leaves its place", () => {
    const one = chosen({ "a.jpg": 1, "b.jpg": 2 });
    one.queue.remove(one.items[0]);
    one.arriving.look();
    assert.deepEqual([names(one), one.changes], [["b.jpg"], ["change"]]);
});

test("what the host had already when it was chosen is never shown beside what it lists", () => {
    const one = chosen({ "a.jpg": 1, "b.jpg": undefined });
    one.queue.save(one.items[1], { isDuplicate: true });
    one.items[1].taken = { wall: moment(2) };
    one.items[1].photo = "id of b";
    one.arriving.look();
    assert.deepEqual(names(one), ["a.jpg"]);
});
