import { test } from "node:test";
import assert from "node:assert/strict";
import { Blob, resolveObjectURL } from "node:buffer";
import { PictureStore } from "../../www/js/photos/thumbnails.js";

const picture = (size = 10) => new Blob([new Uint8Array(size)]);
const lives = (address) => resolveObjectURL(address) !== undefined;

test("no address of a picture lives on after the lock", () => {
    const store = new PictureStore();
    const addresses = ["a", "b"].map((id) => store.put(id, picture()));
    assert.ok(addresses.every(lives));
    store.clear();
    assert.ok(!addresses.some(lives));
    assert.deepEqual([store.get("a"), store.byteCount], [null, 0]);
});

test("so many pictures are kept as were used last", () => {
    const store = new PictureStore();
    const first = store.put("0", picture());
    const second = store.put("1", picture());
    for (let number = 2; number < 400; number += 1) store.put(String(number), picture());
    assert.equal(store.get("0"), first);
    store.put("400", picture());
    // The one that was looked at again stays, and the next one is gone with its address.
    assert.ok(store.get("0") === first && store.get("1") === null && !lives(second));
    assert.equal(store.kept.size, 400);
});

test("large pictures are fewer", () => {
    const store = new PictureStore();
    for (const id of ["a", "b", "c"]) store.put(id, picture(15_000_000));
    assert.deepEqual([store.get("a"), store.byteCount], [null, 30_000_000]);
    // One alone may be as large as it is.
    store.put("d", picture(40_000_000));
    assert.ok(store.byteCount <= 40_000_000);
});

test("another picture of the same photo takes the place of the first, whose address ends", () => {
    const store = new PictureStore();
    const rough = store.put("a", picture(), { isRough: true });
    assert.ok(store.isRough("a") && !store.isRough("b"));
    store.put("a", picture(20));
    assert.ok(!lives(rough) && !store.isRough("a"));
    assert.equal(store.byteCount, 20);
});

test("a picture goes on under the name that the host gives its photo, unless there is one already", () => {
    const store = new PictureStore();
    const own = store.put("arriving", picture());
    assert.ok(store.rename("arriving", "h1"));
    assert.deepEqual([store.get("arriving"), store.get("h1")], [null, own]);
    const other = store.put("h2", picture());
    store.put("arriving", picture());
    assert.ok(store.rename("arriving", "h2"));
    assert.equal(store.get("h2"), other);
    assert.ok(!store.rename("nobody", "h3"));
});
