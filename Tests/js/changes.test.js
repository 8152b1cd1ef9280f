import { test } from "node:test";
import assert from "node:assert/strict";
import { Changes } from "../../www/js/start/app.js";

/** What was to come at once has come. */
const settled = () => new Promise((resolve) => { setImmediate(resolve); });

test("what another tab tells of waits until what is being opened here is open", async () => {
    const changes = new Changes();
    const done = [];
    changes.begin();
    const followed = changes.follow(changes.tell(), async () => { done.push("followed"); });
    await settled();
    assert.deepEqual(done, []);
    changes.end();
    await followed;
    assert.deepEqual(done, ["followed"]);
});

test("two that are opened at the same time are waited for both", async () => {
    const changes = new Changes();
    let isDone = false;
    changes.begin();
    changes.begin();
    const followed = changes.follow(changes.tell(), async () => { isDone = true; });
    changes.end();
    await settled();
    assert.ok(!isDone && changes.isOpening);
    changes.end();
    await followed;
    assert.ok(isDone && !changes.isOpening);
});

test("changes are followed one after the other", async () => {
    const changes = new Changes();
    const told = [];
    /** @type {() => void} */
    let letGo = () => {};
    const one = changes.follow(changes.tell(), () => new Promise((resolve) => { letGo = resolve; told.push("one"); }));
    const two = changes.follow(changes.tell(), async () => { told.push("two"); });
    await settled();
    assert.deepEqual([told, changes.isFollowing], [["one"], true]);
    letGo();
    await Promise.all([one, two]);
    assert.deepEqual([told, changes.isFollowing], [["one", "two"], false]);
});

test("a change that the host's answer has already is not followed", async () => {
    const changes = new Changes();
    const number = changes.tell();
    changes.ask();
    assert.ok(!changes.isStale && changes.isKnown(number));
    assert.equal(await changes.follow(number, async () => "followed"), null);
    const later = changes.tell();
    assert.ok(changes.isStale && !changes.isKnown(later));
    assert.equal(await changes.follow(later, async () => "followed"), "followed");
});

test("a change that could not be followed stands in nobody's way", async () => {
    const changes = new Changes();
    await assert.rejects(changes.follow(changes.tell(), () => Promise.reject(new Error("away"))), /away/);
    assert.ok(!changes.isFollowing);
    assert.equal(await changes.follow(changes.tell(), async () => "followed"), "followed");
});
