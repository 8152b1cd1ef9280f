import { test } from "node:test";
import assert from "node:assert/strict";
import { isShownAsImage, isVideo, kindIcon, noPictureWords, paired, photoLabel, shortType, whyNoPicture, seenKey } from "../../www/js/photos/photo-words.js";
import { speakEnglish } from "./english.js";

speakEnglish();

const photoOf = (fields) => ({ id: "1", name: "one.jpg", size: 7, type: "image/jpeg", receivedAt: "2026-11-20T10:00:00Z", takenAt: "2024-05-03T14:02:31",
    picture: "made", ...fields });
const labelOf = (fields) => photoLabel(photoOf(fields));

test("a photo is called by its kind, its name and when it was taken", () => {
    assert.equal(labelOf({}), "Photo, one.jpg, 3 May 2024 at 14:02");
    assert.equal(labelOf({ type: "video/mp4", name: "clip.mp4", duration: 31 }), "Video, clip.mp4, 0:31, 3 May 2024 at 14:02");
    assert.equal(labelOf({ type: "application/pdf", name: "notes.pdf" }), "File, notes.pdf, 3 May 2024 at 14:02");
});

test("a photo is said to move as long as its video is there", () => {
    const [photo, video] = [photoOf({ id: "a", liveVideo: "b" }), photoOf({ id: "b", type: "video/quicktime" })];
    const kinds = [[photo, video], [photo], [photo, video]].map((files) => photoLabel(paired(files)[0]).split(",")[0]);
    assert.deepEqual(kinds, ["Live Photo", "Photo", "Live Photo"]);
    assert.match(labelOf({ motion: 1000 }), /^Live Photo, one.jpg/);
});

test("a heart, what is on its way, and why there is nothing to see are said with it", () => {
    assert.match(labelOf({ favourite: true }), /^Photo, one.jpg, .*, favourite$/);
    const [going, saved] = [null, "h1"].map((savedAs) => labelOf({ item: {}, savedAs }));
    assert.ok(going !== saved && going.includes("one.jpg") && saved.includes("one.jpg"));
    assert.match(labelOf({ picture: "damaged" }), /This file is damaged\.$/);
});

test("why there is no picture is said where one would be expected", () => {
    const words = (fields) => noPictureWords(photoOf(fields));
    assert.equal(words({}), null);
    assert.equal(words({ picture: "pending" }), null);
    assert.equal(words({ picture: undefined }), null);
    assert.equal(words({ picture: "damaged" }), "This file is damaged.");
    assert.equal(words({ picture: "unknown-format", type: "application/octet-stream", name: "sign.ico" }), "This kind of picture can’t be shown here.");
    assert.equal(words({ picture: "unknown-format", type: "application/pdf", name: "notes.pdf" }), null);
});

test("a file is called by the ending of its name, else by its kind", () => {
    const short = (name, type = "image/jpeg") => shortType(photoOf({ name, type }));
    assert.deepEqual([short("IMG_1.HEIC"), short("a.b.mov"), short("picture.jpeg"), short("照片.相片")], ["HEIC", "MOV", "JPEG", "相片"]);
    assert.deepEqual([short("nothing"), short("far.toolong", "image/x-portable-anymap"), short("dot.", "video/quicktime")], ["JPEG", "PORTA", "QUICK"]);
    assert.equal(short("nothing", ""), "");
});

test("signs tell photos, videos and other files apart", () => {
    assert.deepEqual(["image/heic", "video/mp4", "application/pdf"].map((type) => kindIcon(photoOf({ type }))), ["photos", "play", "file"]);
    assert.ok(isVideo(photoOf({ type: "video/mp4" })) && !isVideo(photoOf({})));
    assert.ok(isShownAsImage(photoOf({})) && !isShownAsImage(photoOf({ type: "image/heic" })));
    assert.deepEqual(["made", "pending", undefined, "damaged"].map((picture) => whyNoPicture({ picture })), [null, null, null, "damaged"]);
});

test("a part of a photo has one key, in whatever order the host says its sides", () => {
    const key = (edit) => seenKey({ id: "a", edit });
    const part = { left: 0, top: 0.5, right: 1, bottom: 1 };
    assert.equal(key(part), key({ angle: 0, bottom: 1, right: 1, top: 0.5, left: 0 }));
    assert.notEqual(key(part), key({ ...part, angle: 1 }));
    assert.equal(key(undefined), "a");
});
