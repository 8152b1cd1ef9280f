import assert from "node:assert/strict";
import { test } from "node:test";
import { Pace, Queue } from "../../www/js/uploads/queue.js";

const here = { batch: null };
const elsewhere = { batch: null };

function file(name, size, type = "image/jpeg") {
    return { name, size, type };
}

function filled(...sizes) {
    const queue = new Queue();
    return { queue, items: queue.add(sizes.map((size, index) => file(`${index}.jpg`, size)), here) };
}

const ranks = (...files) => new Queue().add(files.map(([name, type]) => file(name, 1, type)), here).map(({ rank }) => rank);

test("a format that the browser does not know is told by its ending", () => {
    assert.deepEqual(ranks(["IMG_1.HEIC", ""], ["a.mov", ""], ["a.txt", ""], ["heic", ""], ["a.heic", "text/plain"],
        ["a", "image/png"]), [0, 2, 1, 1, 1, 0]);
});

test("photos go before other files, these before videos, and small ones before large ones", () => {
    const queue = new Queue();
    queue.add([file("long.mov", 1, "video/quicktime"), file("large.jpg", 9), file("notes.txt", 5, "text/plain")], here);
    // Those that come later take their places among those that wait.
    queue.add([file("small.jpg", 2)], here);
    assert.deepEqual(queue.soon(9, here).map(({ name }) => name), ["small.jpg", "large.jpg", "notes.txt", "long.mov"]);
    assert.deepEqual(queue.soon(2, here).map(({ name }) => name), ["small.jpg", "large.jpg"]);
});

test("what can only be read in the order of its archive goes in that order", () => {
    const inArchive = (name, size, ordinal, type = "image/jpeg") => ({ ...file(name, size, type), entry: { method: -1, ordinal } });
    const queue = new Queue();
    queue.add([inArchive("b.mov", 9, 1, "video/quicktime"), inArchive("c.jpg", 1, 2), inArchive("a.jpg", 5, 0), file("d.jpg", 9), file("e.txt", 1, "")], here);
    assert.deepEqual(queue.soon(9, here).map(({ name }) => name), ["d.jpg", "e.txt", "a.jpg", "b.mov", "c.jpg"]);
});

test("what was chosen for another place waits for that", () => {
    const queue = new Queue();
    queue.add([file("a.jpg", 1)], elsewhere);
    assert.equal(queue.next(0, here), null);
    assert.equal(queue.nextTime(here), null);
    assert.deepEqual(queue.soon(9, here), []);
    assert.equal(queue.next(0, elsewhere).name, "a.jpg");
});

test("what failed for a while starts no sooner than it may, at the end of those that wait", () => {
    const { queue, items: [first, second] } = filled(1, 2);
    queue.start(first);
    queue.again(first, 500);
    assert.equal(queue.next(499, here), second);
    queue.start(second);
    assert.equal(queue.next(499, here), null);
    assert.equal(queue.nextTime(here), 500);
    assert.equal(queue.next(500, here), first);
});

test("what goes on later counts the bytes that the host has of it", () => {
    const { queue, items: [item] } = filled(100);
    queue.start(item);
    item.offset = 30;
    queue.progress(item, 70);
    assert.equal(queue.inFlightBytes, 70);
    queue.again(item);
    assert.equal(queue.inFlightBytes, 30);
    queue.progress(item, 900);
    assert.equal(item.sent, 100);
});

test("all is there only when all is saved", () => {
    const { queue, items: [first, second, third] } = filled(100, 100, 100);
    assert.equal(queue.share, 0);
    queue.start(first);
    queue.save(first);
    queue.start(second);
    queue.progress(second, 50);
    assert.equal(queue.share, 0.5);
    queue.progress(second, 100);
    queue.start(third);
    queue.progress(third, 100);
    assert.equal(queue.share, 0.99);
    queue.save(second);
    // What failed is no part of the way.
    queue.fail(third, "unreadable");
    assert.deepEqual([queue.share, queue.isFinished, queue.saved, queue.failed, queue.unsent], [1, true, 2, 1, 0]);
});

test("an empty queue is not finished and shows nothing as done", () => {
    const queue = new Queue();
    assert.deepEqual([queue.isFinished, queue.share], [false, 0]);
});

test("a saved file is let go of, and told apart from what was there before", () => {
    const { queue, items: [first, second] } = filled(1, 2);
    queue.save(first, { isDuplicate: true });
    queue.save(second);
    assert.deepEqual([queue.saved, queue.duplicates, first.file], [2, 1, null]);
});

test("a finished batch is left behind when new files come, and what needs attention stays", () => {
    const { queue, items: [saved, failed] } = filled(10, 20);
    queue.save(saved);
    queue.fail(failed, "corrupt");
    queue.add([file("new.jpg", 5)], here);
    assert.deepEqual([queue.saved, queue.failed, queue.waiting, queue.totalBytes, queue.savedBytes], [0, 1, 1, 25, 0]);
});

test("while files are on their way, those that come belong to the same batch", () => {
    const { queue, items: [saved] } = filled(10, 20);
    queue.save(saved);
    queue.add([file("new.jpg", 5)], here);
    assert.deepEqual([queue.saved, queue.total], [1, 3]);
});

test("over a lock the count goes on without the names", () => {
    const { queue, items: [one, same, late] } = filled(10, 20, 30);
    queue.save(one);
    queue.save(same, { isDuplicate: true });
    queue.forgetSaved({ isCounted: true });
    assert.deepEqual([...queue.items.values()], [late]);
    assert.deepEqual([queue.saved, queue.total, queue.duplicates, queue.savedBytes, queue.totalBytes], [2, 3, 1, 30, 60]);
    // And over a second one.
    queue.forgetSaved({ isCounted: true });
    assert.deepEqual([queue.saved, queue.duplicates, queue.savedBytes, queue.totalBytes], [2, 1, 30, 60]);
    queue.save(late);
    assert.deepEqual([queue.isFinished, queue.share, queue.saved], [true, 1, 3]);
    queue.add([file("new.jpg", 5)], here);
    assert.deepEqual([queue.saved, queue.total, queue.totalBytes, queue.savedBytes], [0, 1, 5, 0]);
});

test("what was left out and had arrived all the same counts again", () => {
    const { queue, items: [item, other] } = filled(10, 20);
    queue.start(item);
    queue.remove(item);
    queue.remove(other);
    assert.deepEqual([queue.total, queue.totalBytes, queue.uploading], [0, 0, 0]);
    queue.takeBack(item);
    queue.save(item);
    assert.deepEqual([queue.saved, queue.totalBytes, queue.savedBytes], [1, 10, 10]);
});

test("a thousand files in any order of ends add up", () => {
    const { queue, items } = filled(...Array.from({ length: 1000 }, (_, index) => index));
    for (const [index, item] of items.entries()) {
        queue.start(item);
        if (index % 3 === 0) queue.save(item);
        else if (index % 3 === 1) queue.fail(item, "corrupt");
        else queue.remove(item);
    }
    assert.deepEqual([queue.saved, queue.failed, queue.unsent, queue.total], [334, 333, 0, 667]);
    assert.equal(queue.totalBytes, queue.savedBytes + queue.failedBytes);
    for (const item of items) if (queue.items.has(item.id)) queue.remove(item);
    assert.deepEqual([queue.total, queue.totalBytes, queue.savedBytes], [0, 0, 0]);
});

test("the time left is told after five seconds, and not while nothing moves", () => {
    const pace = new Pace();
    pace.sample(0, 0);
    pace.sample(4000, 4000);
    assert.equal(pace.secondsFor(1000, 4999), null);
    assert.equal(pace.secondsFor(1000, 5000), 1);
    const still = new Pace();
    still.sample(0, 0);
    still.sample(0, 6000);
    assert.equal(still.secondsFor(1000, 6000), null);
});

test("the speed does not jump: after three seconds half of it is new", () => {
    const pace = new Pace();
    pace.sample(0, 0);
    pace.sample(1000, 1000);
    pace.sample(1000 + 3 * 3000, 4000);
    assert.equal(pace.rate, 2000);
    // Too short a time to tell anything.
    pace.sample(99_000, 4100);
    assert.equal(pace.rate, 2000);
});

test("bytes that are taken back do not make the speed negative", () => {
    const pace = new Pace();
    pace.sample(0, 0);
    pace.sample(1000, 1000);
    pace.sample(200, 2000);
    assert.equal(pace.rate, 1000);
    pace.sample(1200, 3000);
    assert.equal(pace.rate, 1000);
});

test("after four seconds without a byte nobody knows how long the rest takes, and what comes then is measured anew", () => {
    const pace = new Pace();
    pace.sample(0, 0);
    pace.sample(1000, 1000);
    for (const now of [2000, 3000, 4000, 5000]) pace.sample(1000, now);
    assert.deepEqual([pace.rate, pace.isSilent(5000), pace.isSilent(5001)], [1000, false, true]);
    pace.sample(1500, 21_000);
    assert.deepEqual([pace.rate, pace.isSilent(21_001)], [0, false]);
    pace.sample(2500, 22_000);
    assert.equal(pace.rate, 1000);
});

test("what is sent again has not got on, and what begins has time", () => {
    const pace = new Pace();
    pace.sample(5000, 0);
    pace.sample(0, 3000);
    assert.equal(pace.isSilent(4001), true);
    pace.rest(4001);
    assert.deepEqual([pace.isSilent(8001), pace.isSilent(8002)], [false, true]);
});

test("files of which only the host knows count among what is saved", () => {
    const { queue, items: [item] } = filled(10);
    queue.start(item);
    queue.save(item);
    queue.countUnnamed(2);
    assert.deepEqual([queue.saved, queue.total, queue.isFinished], [3, 3, true]);
});
