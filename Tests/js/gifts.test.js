import assert from "node:assert/strict";
import { test } from "node:test";
import { Gifts } from "../../www/js/give/gifts.js";
import { Queue } from "../../www/js/uploads/queue.js";

function given(count) {
    const queue = new Queue();
    const gifts = new Gifts();
    const items = queue.add(Array.from({ length: count }, (_, index) => ({ name: `${index}.jpg`, type: "", size: index })), null);
    gifts.add(items);
    return { queue, gifts, items };
}

function save(queue, item, photo) {
    item.photo = photo;
    queue.save(item);
}

const states = (gifts) => gifts.all.map(({ state }) => state);

test("each gift is told as far as its file has come", () => {
    const { queue, gifts, items } = given(4);
    queue.start(items[1]);
    queue.fail(items[2], "name-invalid");
    save(queue, items[3], "c");
    assert.deepEqual(gifts.follow().map(({ id }) => id), ["c"]);
    assert.deepEqual(states(gifts), ["waiting", "going", "failed", "saved"]);
    // It is told once.
    assert.deepEqual(gifts.follow(), []);
    queue.again(items[2]);
    gifts.follow();
    assert.deepEqual(states(gifts), ["waiting", "going", "waiting", "saved"]);
});

test("what was chosen twice, or is listed already, is one gift from then on", () => {
    const { queue, gifts, items } = given(2);
    for (const item of items) save(queue, item, "same");
    gifts.follow();
    assert.deepEqual(gifts.all.map(({ id }) => id), ["same"]);
    gifts.list([{ id: "same", name: "a" }, { id: "other", name: "b" }]);
    gifts.list([{ id: "other", name: "b" }]);
    assert.deepEqual(gifts.all.map(({ id, state }) => [id, state]), [["same", "saved"], ["other", "saved"]]);
});

test("what is not sent, since it was given and taken before, is taken", () => {
    const { queue, gifts, items: [item] } = given(1);
    save(queue, item, null);
    gifts.follow();
    assert.deepEqual(states(gifts), ["taken"]);
});

test("once the vault has taken them, those that were saved are taken, and no others", () => {
    const { queue, gifts, items } = given(2);
    save(queue, items[0], "a");
    gifts.follow();
    gifts.take();
    assert.deepEqual(states(gifts), ["taken", "waiting"]);
    assert.deepEqual(gifts.in("waiting", "going").map(({ name }) => name), ["1.jpg"]);
    gifts.remove(gifts.all[0]);
    assert.deepEqual(states(gifts), ["waiting"]);
});
