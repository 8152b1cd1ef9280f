import { test } from "node:test";
import assert from "node:assert/strict";
import { daysLeft, RecentList, ShortList, TrashList } from "../../www/js/library/short-lists.js";

const now = Date.parse("2026-11-20T12:00:00Z");
const minute = 60_000;
const day = 24 * 60 * minute;
const before = (time) => new Date(now - time).toISOString();
const sectionsOf = ({ sections }) => sections.map(({ start, count }) => [start, count]);

test("a short list has a place for each photo, and parts where the key changes", () => {
    const list = new ShortList();
    list.set([{ id: "a", key: "1" }, { id: "b", key: "1" }, { id: "c", key: "2" }], ({ key }) => key);
    assert.deepEqual(list.sections, [{ key: "1", start: 0, count: 2 }, { key: "2", start: 2, count: 1 }]);
    assert.deepEqual([list.placeOf("c"), list.placeOf("x"), list.at(1).id, list.at(9), list.sectionAt(2).key, list.sectionAt(-1)],
        [2, -1, "b", null, "2", null]);
});

test("what is shown stays where the host does not answer, and goes where it is removed", async () => {
    const list = new ShortList();
    list.fetch = async () => [{ id: "a" }, { id: "b" }];
    await list.refresh();
    list.fetch = async () => { throw new Error("away"); };
    await list.refresh();
    assert.deepEqual([list.count, list.error.message, list.isLoading], [2, "away", false]);
    let changes = 0;
    list.addEventListener("change", () => { changes += 1; });
    list.remove(["a"]);
    assert.deepEqual([list.count, list.placeOf("b"), changes], [1, 0, 1]);
    list.dispose();
    list.remove(["b"]);
    assert.equal(changes, 1);
});

test("what came together is one batch, whose key is its newest photo", () => {
    const list = new RecentList(() => now);
    const times = [0, minute, 15 * minute, 31 * minute, 40 * minute];
    list.show(times.map((time, index) => ({ id: String(index), receivedAt: before(time) })));
    assert.deepEqual(sectionsOf(list), [[0, 3], [3, 2]]);
    assert.deepEqual(list.sections.map(({ key }) => key), [before(0), before(31 * minute)]);
});

test("what came longer ago than thirty days is not recent, unless it came with what is", () => {
    const list = new RecentList(() => now);
    list.cursor = "more";
    list.show([0, 30 * day - minute, 30 * day + minute, 30 * day + 10 * minute, 30 * day + 40 * minute]
        .map((time, index) => ({ id: String(index), receivedAt: before(time) })));
    assert.deepEqual([sectionsOf(list), list.cursor], [[[0, 1], [1, 3]], null]);
});

test("what came last is shown however long ago that was", () => {
    const list = new RecentList(() => now);
    list.show([400 * day, 400 * day + minute, 401 * day].map((time, index) => ({ id: String(index), receivedAt: before(time) })));
    assert.equal(list.count, 2);
});

test("a Live Photo is one of the recent ones, and a sidecar none", () => {
    const list = new RecentList(() => now);
    list.show([{ id: "video" }, { id: "photo", liveVideo: "video" }, { id: "notes", sidecarOf: "photo" }]
        .map((photo) => ({ ...photo, receivedAt: before(0) })));
    assert.deepEqual(list.photos.map(({ id }) => id), ["photo"]);
});

test("days are counted as people do: all of them at first, and one while the photo is still there", () => {
    const left = (time, kept = 30) => daysLeft({ deletedAt: before(time) }, kept, now);
    assert.deepEqual([0, minute, day - minute, day, 29 * day, 30 * day, 90 * day].map((time) => left(time)), [30, 30, 30, 29, 1, 1, 1]);
    assert.equal(left(0, 7), 7);
    // A host whose clock is ahead of this one's.
    assert.equal(left(-2 * day), 30);
});

test("what was deleted stands by how long it still stays", () => {
    const list = new TrashList();
    const since = (time) => new Date(Date.now() - time).toISOString();
    list.show([{ id: "a", deletedAt: since(minute) }, { id: "b", deletedAt: since(2 * minute) }, { id: "c", deletedAt: since(3 * day + minute) },
        { id: "notes", sidecarOf: "c", deletedAt: since(3 * day + minute) }]);
    assert.deepEqual(list.sections.map(({ key, count }) => [key, count]), [["30", 2], ["27", 1]]);
});

test("what may go on behind the last page is open, and is no more once its end has come", () => {
    const list = new RecentList(() => now);
    const photos = [0, minute, 40 * minute].map((time, index) => ({ id: String(index), receivedAt: before(time) }));
    list.cursor = "more";
    list.show(photos.slice(0, 2));
    assert.deepEqual(list.sections.map(({ isOpen }) => isOpen), [true]);
    list.show(photos);
    assert.deepEqual(list.sections.map(({ isOpen }) => isOpen), [undefined, true]);
    list.cursor = null;
    list.show(photos);
    assert.deepEqual(list.sections.map(({ isOpen }) => isOpen), [undefined, undefined]);
});

test("a batch of which not all has come is fetched to its end while it is in sight", () => {
    const list = new RecentList(() => now);
    let pages = 0;
    list.more = async () => { pages += 1; };
    list.cursor = "more";
    list.show(Array.from({ length: 500 }, (_, index) => ({ id: String(index), receivedAt: before(0) })));
    list.need(0, 12);
    assert.equal(pages, 1);
    list.cursor = null;
    list.show(list.listed);
    list.need(0, 12);
    assert.equal(pages, 1);
});

test("the receipt of a batch has all of its files, also those without a place, and none of another batch", async () => {
    const list = new RecentList(() => now);
    list.show([{ id: "video" }, { id: "photo", liveVideo: "video" }, { id: "notes", sidecarOf: "photo" }, { id: "old" }]
        .map((photo, index) => ({ ...photo, receivedAt: before(index === 3 ? day : index * minute) })));
    const [first, second] = list.sections;
    assert.deepEqual((await list.batch(first)).map(({ id }) => id), ["video", "photo", "notes"]);
    assert.deepEqual((await list.batch(second)).map(({ id }) => id), ["old"]);
});
