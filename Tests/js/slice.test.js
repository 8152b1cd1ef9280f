import { test } from "node:test";
import assert from "node:assert/strict";
import { Slice, turn } from "../../www/js/base/dom.js";

test("a slice of work is over after a third of a frame", () => {
    let time = 100;
    const slice = new Slice(() => time);
    assert.ok(!slice.isOver);
    time = 104.9;
    assert.ok(!slice.isOver);
    time = 105;
    assert.ok(slice.isOver);
});

test("between two slices everything else has its turn", async () => {
    const order = [];
    setTimeout(() => order.push("else"));
    await turn();
    order.push("work");
    assert.deepEqual(order, ["else", "work"]);
});
