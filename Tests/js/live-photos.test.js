import { test } from "node:test";
import assert from "node:assert/strict";
import { rawFilesOf } from "../../www/js/library/selection.js";
import { bytesOf, clipOf, filesOf, idsOf, paired, standsAlone } from "../../www/js/photos/photo-words.js";

const photo = (id, liveVideo) => ({ id, liveVideo, size: 10, type: liveVideo ? "image/heic" : "video/quicktime" });

test("a photo and its video are one, wherever the video stands", () => {
    const shown = paired([photo("video of b"), photo("a", "video of a"), photo("video of a"), photo("b", "video of b"), photo("c")]);
    assert.deepEqual(shown.map(({ id, live }) => [id, live?.id]), [["a", "video of a"], ["b", "video of b"], ["c", undefined]]);
    assert.deepEqual(idsOf(shown), ["a", "video of a", "b", "video of b", "c"]);
    assert.equal(bytesOf(shown), 50);
    assert.equal(filesOf([shown[0]]).length, 2);
});

test("a video that is not listed with its photo leaves that alone, and one that has gone takes nothing with it", () => {
    const still = photo("a", "gone");
    assert.deepEqual(paired([still]).map(({ live }) => live), [undefined]);
    const video = photo("gone");
    assert.equal(paired([still, video]).length, 1);
    assert.equal(still.live, video);
    paired([still]);
    assert.equal(still.live, undefined);
    // A photo is nobody's own video.
    assert.equal(paired([photo("x", "x")]).length, 1);
});

test("what plays in a photo's place is its other file, else the video in its own", () => {
    const [still] = paired([photo("a", "b"), photo("b")]);
    assert.equal(clipOf(still).id, "b");
    const clip = clipOf({ ...photo("c"), motion: 1000, type: "image/jpeg", width: 640, duration: 3 });
    assert.deepEqual([clip.id, clip.type, clip.isMotion, clip.width], ["c", "video/mp4", true, 0]);
    assert.equal(clipOf(photo("d")), null);
});

test("what other programs put beside a photo does not stand alone", () => {
    assert.deepEqual([{ id: "a" }, { id: "b", sidecarOf: "a" }].filter(standsAlone).map(({ id }) => id), ["a"]);
});

test("a raw file goes with its picture, and a video with either", () => {
    const shot = () => [{ id: "nef", size: 30, type: "image/x-nikon-nef" }, { id: "jpg", raw: "nef", liveVideo: "mov", size: 5, type: "image/jpeg" },
        { id: "mov", size: 7, type: "video/quicktime" }, { id: "other", size: 1, type: "image/jpeg" }];
    const shown = paired(shot());
    assert.deepEqual(shown.map(({ id }) => id), ["jpg", "other"]);
    assert.deepEqual(idsOf(shown), ["jpg", "mov", "nef", "other"]);
    assert.equal(bytesOf(shown), 43);
    assert.deepEqual(rawFilesOf(shown).map(({ id }) => id), ["nef"]);
    // The video of the raw file goes along, too: nobody would find it elsewhere.
    const [nef, jpg, mov] = shot();
    const [one] = paired([{ ...nef, liveVideo: "mov" }, { ...jpg, liveVideo: undefined }, mov]);
    assert.deepEqual(idsOf([one]), ["jpg", "nef", "mov"]);
    assert.deepEqual(rawFilesOf([one]).map(({ id }) => id), ["nef", "mov"]);
    // Once one of both is gone the other stands for itself.
    assert.deepEqual(paired([jpg]).map(({ rawFile }) => rawFile), [undefined]);
    assert.deepEqual(paired([nef]).map(({ id }) => id), ["nef"]);
});
