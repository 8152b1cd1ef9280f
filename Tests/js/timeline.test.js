import { after, test } from "node:test";
import assert from "node:assert/strict";
import { Selection } from "../../www/js/library/selection.js";
import { Timeline } from "../../www/js/library/timeline.js";

// A host with two months: 1,100 files, of which every third is the video of the photo before it, and four more. Of the first
// 500 files 167 begin a pair, the last of them with files 498 and 499; the pair of 999 and 1000 lies in two parts.
const files = 1104;
const pairs = 366;

const lists = [];
after(() => { for (const list of lists) list.dispose(); });

/** The list of such a host, and what the test does to that. */
async function listed() {
    const months = new Map([
        ["2026-11", Array.from({ length: 1100 }, (_, number) => ({ id: `a${number}`, live: number % 3 === 0 ? `a${number + 1}` : null }))],
        ["2026-10", Array.from({ length: 4 }, (_, number) => ({ id: `b${number}`, live: null }))],
    ]);
    const host = { asked: [], isAway: false, moving: 0,
        lose: (...gone) => { for (const [key, all] of months) months.set(key, all.filter(({ id }) => !gone.includes(id))); } };
    /** The host has looked into some of the newest, and tells the page so. */
    const move = () => {
        const moved = months.get("2026-11").splice(0, host.moving);
        months.set("2019-03", [...months.get("2019-03") ?? [], ...moved]);
        if (moved.length === 0) host.moving = 0;
        else list.refresh();
    };
    const answering = () => { if (host.isAway) throw new Error("away"); };
    const list = new Timeline({
        months: async () => {
            answering();
            return [...months].map(([key, all]) => [key, all.length]).filter(([, count]) => count > 0);
        },
        month: async (month, skip) => {
            answering();
            host.asked.push(`${month}|${skip}`);
            if (host.moving > 0) move();
            const some = months.get(month).slice(skip, skip + 500);
            return { month, id: some.map(({ id }) => id), liveVideo: some.map(({ live }) => live) };
        },
    });
    lists.push(list);
    await list.refresh();
    return { list, host };
}

const ids = (photos) => photos.map(({ id }) => id);
const counts = ({ count, sections }) => [count, ...sections.map((section) => section.count)];

test("before its photos are here a month has as many places as files", async () => {
    const { list } = await listed();
    assert.deepEqual([counts(list), list.at(0)], [[files, 1100, 4], null]);
});

test("a Live Photo has one place for both files", async () => {
    const { list, host } = await listed();
    assert.deepEqual(ids(await list.between(0, 3)), ["a0", "a2", "a3"]);
    assert.equal(list.at(1).id, "a2");
    assert.deepEqual(["a3", "a4", "a1"].map((id) => list.placeOf(id)), [2, 2, 0]);
    assert.deepEqual(counts(list), [files - 167, 1100 - 167, 4]);
    assert.deepEqual(host.asked, ["2026-11|0"]);
});

test("all are there once when every part has come", async () => {
    const { list, host } = await listed();
    assert.equal(new Set(ids(await list.all())).size, files - pairs);
    assert.deepEqual(counts(list), [files - pairs, 1100 - pairs, 4]);
    assert.deepEqual([list.at(0).id, list.placeOf("b0"), list.at(1100 - pairs).id], ["a0", 1100 - pairs, "b0"]);
    assert.deepEqual(host.asked, ["2026-11|0", "2026-11|500", "2026-11|1000", "2026-10|0"]);
});

test("a range reaches from photo to photo while places change", async () => {
    const { list } = await listed();
    await list.between(0, 1);
    assert.equal(list.placeOf("a498"), 332);
    await list.between(933, 937);
    // Both ends are here; what lies between them is not, and has fewer places than files.
    const found = ids(await list.between(332, 940));
    assert.deepEqual([found[0], found.at(-1)], ["a498", "b3"]);
    assert.deepEqual([new Set(found).size, found.length], [files - pairs - 332, files - pairs - 332]);
});

test("a month that nobody looks at keeps its places while others lose photos", async () => {
    const { list, host } = await listed();
    await list.all();
    for (const [gone, left] of [[["b1", "b2"], [1100 - pairs, 2]], [["b0", "b3"], [1100 - pairs]]]) {
        host.lose(...gone);
        list.remove(gone);
        await list.refresh();
        assert.deepEqual(counts(list).slice(1), left);
    }
});

test("what was asked for while the host was away is asked for again", async () => {
    const { list, host } = await listed();
    await list.all();
    host.lose("b0");
    host.isAway = true;
    await list.refresh();
    assert.ok(list.error !== null && list.count === files - pairs);
    host.isAway = false;
    await list.retry();
    assert.ok(list.error === null && list.count === files - pairs - 1);
});

// A few with each answer, many, and all of them with the first one. Some pairs are torn on the way, none is lost.
for (const moving of [1, 7, 40, 300, 1100]) {
    test(`all are all while photos go from month to month, ${moving} with each answer`, async () => {
        const { list, host } = await listed();
        list.need(0, 40);
        host.moving = moving;
        const found = await list.all();
        assert.ok(found.length >= files - pairs - 1 && found.length <= files - pairs + 1, String(found.length));
    });
}

test("somebody who picks all gets all while photos go from month to month", async () => {
    const { list, host } = await listed();
    list.need(0, 40);
    host.moving = 40;
    const selection = new Selection(list);
    await selection.all();
    assert.ok(selection.photos.length >= files - pairs - 1, String(selection.photos.length));
});

test("a range has what lay between its ends when it was asked for", async () => {
    const { list, host } = await listed();
    await list.between(0, 1);
    const before = ids(await list.between(10, 20));
    host.moving = 50;
    // All of them are here: whatever moves, they are the ones.
    const coming = list.between(10, 20);
    await list.refresh();
    assert.deepEqual(ids(await coming), before);
    assert.equal(before.length, 10);
});

test("a photo is found in the month that it is of by now", async () => {
    const { list, host } = await listed();
    await list.between(0, 1);
    host.moving = 1100;
    await list.refresh();
    const place = await list.find({ id: "b2", receivedAt: "2026-10-01T10:00:00Z" });
    assert.ok(place >= 0);
    assert.deepEqual([list.placeOf("b2"), list.at(place).id], [place, "b2"]);
});

test("so many parts are kept as were looked at last, and what is seen is always among them", async () => {
    const months = Array.from({ length: 60 }, (_, index) => [`${2026 - Math.floor(index / 12)}-${String(12 - index % 12).padStart(2, "0")}`, 10]);
    const list = new Timeline({ months: async () => months,
        month: async (month) => ({ id: Array.from({ length: 10 }, (_, index) => `${month} ${index}`) }) });
    lists.push(list);
    await list.refresh();
    await list.between(0, 600);
    list.need(0, 10);
    assert.equal((await list.between(0, 10)).length, 10);
    assert.equal(list.at(0).id, "2026-12 0");
    assert.equal([...list.parts.values()].filter(({ photos }) => photos).length, 24);
    assert.equal(list.placeOf("2026-11 0"), -1);
});

test("a request for what nobody looks at any more is given up", async () => {
    const given = new Map();
    const list = new Timeline({ months: async () => [["2026-11", 400], ["2026-10", 400], ["2026-09", 400]],
        month: (month, skip, signal) => new Promise((resolve, reject) => {
            given.get(month)?.(signal);
            signal.addEventListener("abort", () => reject(signal.reason));
        }) });
    lists.push(list);
    await list.refresh();
    const asked = new Promise((resolve) => { given.set("2026-11", resolve); });
    list.need(0, 10);
    const signal = await asked;
    list.need(0, 10);
    assert.equal(signal.aborted, false);
    list.need(900, 910);
    assert.equal(signal.aborted, true);
});
