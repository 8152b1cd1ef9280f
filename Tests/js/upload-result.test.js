import assert from "node:assert/strict";
import { test } from "node:test";
import { Findings } from "../../www/js/uploads/upload-carrying.js";
import { Queue } from "../../www/js/uploads/queue.js";
import { mayBeDeleted, progressWords, resultWords } from "../../www/js/uploads/upload-panel.js";
import { speakEnglish } from "./english.js";

speakEnglish();

function filled(count) {
    const queue = new Queue();
    const items = queue.add(Array.from({ length: count }, (_, index) => ({ name: `${index}.jpg`, type: "image/jpeg", size: 1 })), null);
    return { queue, items };
}

/** Two photos, saved in a vault and read back. */
function safe(changes = {}) {
    const { queue, items } = filled(2);
    for (const item of items) queue.save(item);
    return { queue, isVault: true, isChecked: true, batches: new Set([{ isOfVault: true }]), findings: null, ...changes };
}

test("what moves in is not said to be safe by the panel: its own account says so, or not", () => {
    assert.equal(mayBeDeleted(safe()), true);
    const one = safe();
    [...one.queue.states.saved][0].account = {};
    assert.equal(mayBeDeleted(one), false);
});

test("while files are sent, what failed is none of those that will be there", () => {
    const { queue, items } = filled(1500);
    queue.save(items[0]);
    queue.fail(items[1], "corrupt");
    assert.equal(progressWords(queue), "1 of 1,499");
});

test("in the end it is told what came, and what was there before", () => {
    const { queue, items } = filled(4);
    queue.fail(items[0], "name-invalid");
    assert.equal(resultWords(queue), "Nothing was saved");
    queue.save(items[1]);
    assert.equal(resultWords(queue), "1 saved");
    queue.save(items[2], { isDuplicate: true });
    assert.equal(resultWords(queue), "1 saved · 1 already here");
    queue.remove(items[1]);
    assert.equal(resultWords(queue), "1 already here");
});

test("what lies in a vault, was read back and is what the phone has may go from there", () => {
    assert.equal(mayBeDeleted(safe()), true);
});

test("before all is there and read back, or outside a vault, nothing may go", () => {
    assert.equal(mayBeDeleted(safe({ isChecked: false })), false);
    assert.equal(mayBeDeleted(safe({ isVault: false })), false);
    assert.equal(mayBeDeleted(safe({ batches: new Set([{ isOfVault: true }, { isOfVault: false }]) })), false);
    assert.equal(mayBeDeleted(safe({ queue: new Queue() })), false);
    const more = safe();
    more.queue.add([{ name: "late.jpg", type: "image/jpeg", size: 1 }], null);
    assert.equal(mayBeDeleted(more), false);
});

test("beside a file that failed, one that was there before or one from before a lock, nothing may go", () => {
    const { queue, items: [saved, other] } = filled(2);
    queue.save(saved);
    queue.fail(other, "name-invalid");
    assert.equal(mayBeDeleted(safe({ queue })), false);
    queue.again(other);
    queue.save(other, { isDuplicate: true });
    assert.equal(mayBeDeleted(safe({ queue })), false);
    const locked = filled(2);
    locked.queue.save(locked.items[0]);
    locked.queue.forgetSaved({ isCounted: true });
    locked.queue.save(locked.items[1]);
    assert.equal(mayBeDeleted(safe({ queue: locked.queue })), false);
});

test("where the phone gave less than it has, nothing may go; a screenshot is all there is", () => {
    const facts = { format: "jpeg", make: "Apple", hasPlace: true, isLive: false, isScreenshot: false };
    const less = { place: { ...facts, format: "heic", hasPlace: false }, jpeg: facts, live: { ...facts, format: "heic", isLive: true },
        video: { ...facts, format: "video", make: "" } };
    for (const [kind, one] of Object.entries(less)) {
        const findings = new Findings("ios");
        findings.note({ id: 1, name: "IMG_1.HEIC" }, one);
        assert.deepEqual(findings.counts, [{ kind, count: 1 }]);
        assert.equal(mayBeDeleted(safe({ findings })), false, kind);
    }
    const findings = new Findings("ios");
    findings.note({ id: 1, name: "IMG_1.PNG" }, { ...facts, format: "png", isScreenshot: true });
    assert.equal(mayBeDeleted(safe({ findings })), true);
});
