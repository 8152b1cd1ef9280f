import { test } from "node:test";
import assert from "node:assert/strict";
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
