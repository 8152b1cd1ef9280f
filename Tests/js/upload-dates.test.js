import assert from "node:assert/strict";
import { test } from "node:test";
import { UploadDates } from "../../www/js/uploads/upload-carrying.js";

const item = (name, lastModified) => ({ name, file: { name, lastModified } });

/** Reads the dates of files; here no thread can be had that could, so that each is told to be unknown. Gives their order. */
async function read(dates, order, items) {
    dates.want(items);
    await Promise.all(items.map(({ dating }) => dating));
    return order.splice(0);
}

function reader(onAhead = () => {}) {
    const order = [];
    return { order, dates: new UploadDates(({ name }) => order.push(name), onAhead) };
}

test("the dates of what was changed last are read first", async () => {
    const { order, dates } = reader();
    const items = [3, 1, 2, 9, 8, 7, 6, 5, 4].map((time) => item(`${time}.jpg`, time));
    assert.deepEqual(await read(dates, order, items), [9, 8, 7, 6, 5, 4, 3, 2, 1].map((time) => `${time}.jpg`));
});

test("what goes next is read next", async () => {
    const { order, dates } = reader();
    const items = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((time) => item(`${time}.jpg`, time));
    dates.want(items);
    // Six are being read by now.
    dates.hurry(items[8]);
    await Promise.all(items.map(({ dating }) => dating));
    assert.deepEqual(order.slice(6), ["1.jpg", "3.jpg", "2.jpg"]);
});

test("nothing is sent before the dates of all are known", async () => {
    const told = [];
    const { dates } = reader(() => told.push(dates.isReading));
    const items = [item("a.jpg", 1), item("b.jpg", 2)];
    dates.want(items);
    assert.deepEqual([dates.isFirst, dates.isReading], [true, true]);
    await Promise.all(items.map(({ dating }) => dating));
    await new Promise(setImmediate);
    assert.deepEqual([dates.isFirst, dates.isReading, told], [false, false, [false]]);
    assert.deepEqual(items.map(({ taken }) => taken), [null, null]);
});

test("whoever waits for a date that is not wanted any more waits no longer", async () => {
    const { order, dates } = reader();
    const items = Array.from({ length: 8 }, (_, index) => item(`${index}.jpg`, 8 - index));
    dates.want(items);
    dates.forget();
    assert.equal(dates.isFirst, false);
    await Promise.all(items.map(({ dating }) => dating));
    assert.equal(order.includes("7.jpg"), false);
});
