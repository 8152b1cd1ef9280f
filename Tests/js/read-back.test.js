import assert from "node:assert/strict";
import { test } from "node:test";
import { readBackOf } from "../../www/js/uploads/upload-transfer.js";

/** Answers in the host's place, of photos by their ids, two hundred in a list; and the paths that were asked for. */
function host(photos) {
    const asked = [];
    const listed = [...photos.values()].filter(({ deletedAt }) => !deletedAt);
    globalThis.fetch = async (path) => {
        asked.push(path);
        const [, id] = /^\/api\/photos\/(.+)$/.exec(path) ?? [];
        if (id) return photos.has(id) ? Response.json(photos.get(id)) : Response.json({ code: "no-such-photo" }, { status: 404 });
        const from = Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0);
        return Response.json({ photos: listed.slice(from, from + 200), cursor: from + 200 < listed.length ? String(from + 200) : null });
    };
    return asked;
}

const made = (count) => new Map(Array.from({ length: count }, (_, index) => [`p${index}`, { id: `p${index}`, verifiedAt: "2026-01-01T00:00:00Z" }]));
const itemsOf = (photos) => [...photos.keys()].map((photo) => ({ photo, path: null }));

test("of many photos the host is asked by its list, and of what that does not have one by one", async () => {
    const photos = made(450);
    photos.get("p3").deletedAt = "2026-01-02T00:00:00Z";
    delete photos.get("p4").verifiedAt;
    const items = itemsOf(photos);
    // Two files of one content are one photo; and one was never answered.
    items.push({ photo: "p5", path: null }, { photo: "gone", path: null }, { photo: null, path: null });
    const asked = host(photos);
    const found = await readBackOf(items);
    assert.deepEqual(items.filter((item) => !found.has(item)).map(({ photo }) => photo), ["p4", "gone", null]);
    assert.deepEqual(items.filter(({ isDeleted }) => isDeleted).map(({ photo }) => photo), ["p3"]);
    // Whoever waits for the others need not wait for it.
    assert.deepEqual(items.filter(({ isLost }) => isLost).map(({ photo }) => photo), ["gone"]);
    assert.ok(asked.length < 110, String(asked.length));
});

test("of a few photos none but these is asked for", async () => {
    const photos = made(300);
    const asked = host(photos);
    const items = itemsOf(photos).slice(0, 7);
    assert.equal((await readBackOf(items)).size, 7);
    assert.equal(asked.length, 7);
});

test("of one file that was sent twice at a time one photo is enough", async () => {
    const photos = made(2);
    host(photos);
    const [first, second, gone, other] = [["p0", "a"], ["merged", "a"], ["merged too", "b"], ["nowhere", "c"]].map(([photo, cid]) => ({ photo, path: null, cid }));
    const found = await readBackOf([first, second, gone, other], [{ photo: "p1", path: null, cid: "b" }]);
    assert.deepEqual([...found], [first, second, gone]);
    assert.equal(other.isLost, true);
});

test("what became one with another photo is known by the id that was asked for", async () => {
    const photos = made(2);
    photos.set("merged", { ...photos.get("p0") });
    host(photos);
    const [first, second] = ["p0", "merged"].map((photo) => ({ photo, path: null, cid: null }));
    assert.deepEqual([...await readBackOf([first, second])], [first, second]);
});

test("without an answer nothing is called read back", async () => {
    globalThis.fetch = async () => { throw new TypeError("network"); };
    assert.equal((await readBackOf(itemsOf(made(3)))).size, 0);
});
