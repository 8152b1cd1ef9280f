import assert from "node:assert/strict";
import { test } from "node:test";
import { albumNameOf, foldersOf } from "../../www/js/albums/album-part.js";
import { folderOf, isWanted, readDrop } from "../../www/js/files/drop.js";

const bytesIn = (text) => new TextEncoder().encode(text).length;
const item = (path, album = null) => ({ file: { webkitRelativePath: path }, album });

test("an album is named as its folder, with those around it", () => {
    assert.equal(albumNameOf("Holiday 2024"), "Holiday 2024");
    assert.equal(albumNameOf("Holiday 2024/Rome"), "Holiday 2024 / Rome");
    assert.equal(albumNameOf(" a // b/ "), "a / b");
    assert.equal(albumNameOf(""), "");
    // Macs take letters apart.
    assert.equal(albumNameOf("Be\u0301ziers"), "B\u00e9ziers");
});

test("of a path that is too long, its end is kept, in whole characters", () => {
    const long = "照".repeat(40);
    assert.equal(albumNameOf(`${long}/${long}/Rome`), `${long} / Rome`);
    const name = albumNameOf("照".repeat(100));
    assert.equal(name, "照".repeat(66));
    assert.ok(bytesIn(name) <= 200);
});

test("files say the folder that they were chosen in, and of one alone there is none", () => {
    const [inside, alone, known, later] = [item("Holiday 2024/Rome/1.jpg"), item(""), item("Holiday 2024/2.jpg", "Rome"), item("Home/3.jpg")];
    assert.deepEqual([...foldersOf([inside, alone, known], folderOf)], [[inside, "Holiday 2024 / Rome"]]);
    // Nobody is asked twice.
    assert.deepEqual([...foldersOf([inside, later], folderOf)], [[later, "Home"]]);
});

test("what systems put into folders themselves is not wanted", () => {
    assert.deepEqual(["a.jpg", ".DS_Store", "Thumbs.db", "thumbs.jpg"].map((name) => isWanted({ name })), [true, false, false, true]);
});

/** What browsers tell of a file or a folder that was dropped; of a folder at most two at once. */
function entry(path, inside = null) {
    const name = path.split("/").at(-1);
    if (inside === null) return { name, fullPath: path, isFile: true, file: (done) => done({ path, webkitRelativePath: "" }) };
    const left = inside.map((one) => one);
    const readEntries = (done) => done(left.splice(0, 2));
    return { name, fullPath: path, isFile: false, createReader: () => ({ readEntries }) };
}

function dropped(...entries) {
    return { items: entries.map((one) => ({ webkitGetAsEntry: () => one })), files: ["as they are"] };
}

test("folders are dropped with all that is in them, however little is handed out at once", async () => {
    const names = ["1.jpg", "2.jpg", ".DS_Store", "3.jpg", "4.jpg"];
    const rome = entry("/Italy/Rome", names.map((name) => entry(`/Italy/Rome/${name}`)));
    const { files, unread } = await readDrop(dropped(entry("/beside.jpg"), entry("/Italy", [entry("/Italy/5.jpg"), rome, entry("/Italy/none", [])])));
    assert.deepEqual(files.map(({ path }) => path), ["/beside.jpg", "/Italy/5.jpg", ...[1, 2, 3, 4].map((number) => `/Italy/Rome/${number}.jpg`)]);
    assert.deepEqual(files.slice(0, 3).map(folderOf), ["", "Italy", "Italy/Rome"]);
    assert.deepEqual(unread, []);
});

test("what cannot be read is named, and the rest comes all the same", async () => {
    const closed = { ...entry("/closed.jpg"), file: (done, failed) => failed(new Error("closed")) };
    const folder = { ...entry("/closed", []), createReader: () => ({ readEntries: (done, failed) => failed(new Error("closed")) }) };
    const { files, unread } = await readDrop(dropped(folder, closed, entry("/open.jpg")));
    assert.deepEqual([files.map(({ path }) => path), unread], [["/open.jpg"], ["/closed", "/closed.jpg"]]);
});

test("where a browser knows no folders, the files are taken as they are", async () => {
    const { files } = await readDrop({ items: [{}], files: ["as they are"] });
    assert.deepEqual(files, ["as they are"]);
});
