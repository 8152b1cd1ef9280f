import assert from "node:assert/strict";
import { test } from "node:test";
import { listArchive, verdictOnFile } from "../../www/js/files/archive-worker.js";
import * as drop from "../../www/js/files/drop.js";
import { lookInto, Move } from "../../www/js/moving/moving.js";
import { zip } from "./zips.js";

const found = (changes = {}) => ({ files: 6, archives: 1, left: [], broken: [], ...changes });
const item = (size, crc) => ({ file: { size, entry: { crc } } });

function moved(changes, ...outcomes) {
    const move = new Move();
    move.add(found(changes));
    outcomes.forEach(([one, outcome]) => move.note(one, outcome));
    return move;
}

/** A photo, the same again, one that was here, two that speak of photos, one of which of none, and what stays there. */
const all = [
    [item(5, 1), { photo: "a" }], [item(5, 1), { photo: "a", isDuplicate: true }], [item(5, 2), { photo: "b", wasThere: true }],
    [item(9, 3), { sidecar: "understood" }], [item(9, 4), { sidecar: "none" }],
];

test("what moved in is accounted for, file by file", () => {
    const { stored, again, known, left, failed, isProven } = moved({ left: [{ path: "x", code: "left" }] }, ...all).proof(true);
    assert.deepEqual({ stored, again, known, left, failed, isProven }, { stored: 1, again: 1, known: 1, left: 2, failed: 0, isProven: true });
});

test("nothing is proven where something is missing, unread or not read back", () => {
    const left = [{ path: "x", code: "left" }];
    assert.equal(moved({ left }, ...all.slice(1)).proof(true).failed, 1);
    assert.equal(moved({ left }, ...all.slice(1)).proof(true).isProven, false);
    assert.equal(moved({ left: [{ path: "x", code: "encrypted" }] }, ...all).proof(true).isProven, false);
    assert.equal(moved({ left, broken: [{ name: "b.zip", code: "cut-off" }] }, ...all).proof(true).isProven, false);
    assert.equal(moved({ left }, ...all).proof(false).isProven, false);
});

test("an editor's file that is kept beside its photo is one that was stored", () => {
    assert.equal(moved({ files: 1 }, [item(5, 1), { photo: "a", sidecar: "understood" }]).proof(true).stored, 1);
});

test("what is sent once more, to another place or again, counts once and hides nothing that is missing", () => {
    const twice = [item(9, 3), { sidecar: "understood" }];
    const { failed, isProven } = moved({ files: 2 }, twice, twice).proof(true);
    assert.deepEqual({ failed, isProven }, { failed: 1, isProven: false });
});

/** As the worker answers. */
const sending = {
    entriesOf: async (file) => listArchive(file).then((entries) => ({ entries }), ({ code }) => ({ fault: code })),
    verdictsOn: async (files) => Promise.all(files.map(verdictOnFile)),
};

async function proofOf(files, unread = []) {
    const found = await lookInto(files, { sending, drop, unread }, () => true);
    const move = new Move();
    move.add(found);
    for (const file of found.wanted) move.note({ file }, drop.isBeside(file.name) ? { sidecar: "understood" } : { photo: file.name });
    return { ...move.proof(true), codes: found.left.map(({ path, code }) => [path.split("/").slice(1).join("/"), code]) };
}

const archive = (entries, name = "a.zip", options = {}) => new File([zip(entries, options)], name);

test("nothing is proven where a photo may lie in what was not looked into", async () => {
    const photo = { name: "x/IMG_1.jpg", content: "1" };
    const files = async (...entries) => proofOf([archive([photo, ...entries])]);
    assert.equal((await files()).isProven, true);
    assert.equal((await files({ name: "x/words.txt", content: "words" })).isProven, true);
    assert.equal((await files({ name: "x/inner.zip", content: zip([photo]) })).isProven, false);
    assert.equal((await files({ name: "x/empty.jpg", size: 0, crc: 0, content: "12" })).isProven, false);
    assert.equal((await files({ ...photo, name: "b.jpg", extraBytes: 500 })).isProven, false);
    assert.equal((await proofOf([archive([photo]), new File(["12"], "a-2.zip.crdownload")])).isProven, false);
    // What the device could not read of a dropped folder is missing as well.
    const { isProven, failed } = await proofOf([archive([photo])], ["/Rome/b.jpg"]);
    assert.deepEqual({ isProven, failed }, { isProven: false, failed: 1 });
});

test("a text that names one of the photos, or is called after one, was not understood", async () => {
    const photo = { name: "x/IMG_1.jpg", content: "1" };
    const codes = async (...entries) => (await proofOf([archive([photo, ...entries])])).codes;
    assert.deepEqual(await codes({ name: "page.html", content: '<img src="x/img_1.JPG">' }), [["page.html", "unread"]]);
    assert.deepEqual(await codes({ name: "x/IMG_1.txt", content: "words" }, { name: "x/IMG_1.jpg.txt", content: "words" }),
        [["x/IMG_1.txt", "unread"], ["x/IMG_1.jpg.txt", "unread"]]);
    assert.deepEqual(await codes({ name: "y/IMG_1.txt", content: "IMG_2.jpg" }), [["y/IMG_1.txt", "left"]]);
    // Whatever their endings, wherever programs put them, and without an ending.
    const named = [["x/IMG_1.jpg.pp3", "\0"], [".comments/IMG_1.jpg.xml", "words"], ["sidecar/x/IMG_1.yml", "words"], ["x/IMG_1.WAV", "RIFF\0WAVE"],
        ["descript.ion", "img_1.JPG Grandma"], ["list.csv.txt", "file,words\nIMG_1,Grandma"], ["Catalog.lrcat", "SQLite format 3\0 IMG_1JPG"], ["x/IMG_O1.AAE", "<plist/>"]];
    for (const [name, content] of named) assert.deepEqual(await codes({ name, content }), [[name, "unread"]], name);
    const others = [["x/IMG_1.jpg.md5", "0 IMG_1.jpg"], ["x/IMG_1.jpg.lnk", "\0"], ["letter.docx", "\0"], ["places.db", "SQLite format 3\0 words"], ["x/IMG_2.AAE", "<plist/>"]];
    for (const [name, content] of others) assert.deepEqual(await codes({ name, content }), [[name, "left"]], name);
    assert.deepEqual(await codes({ name: "x/IMG_1.AAE", content: "<plist/>" }, { name: "x/IMG_E1.JPG", content: "2" }), [["x/IMG_1.AAE", "left"]]);
    assert.deepEqual(await codes({ name: "x/list.sql.gz", content: "\x1f\x8b" }), [["x/list.sql.gz", "inner"]]);
    // Also where the text and the photo lie in two archives.
    const { isProven } = await proofOf([archive([{ name: "page.html", content: "IMG_1.jpg" }]), archive([photo], "b.zip")]);
    assert.equal(isProven, false);
});
