import assert from "node:assert/strict";
import { test } from "node:test";
import { checksum, metadata } from "../../www/js/uploads/tus-request.js";

test("metadata are keys with their values in Base64 of UTF-8, without those that are not known", () => {
    assert.equal(metadata({ filename: "水.jpg", lastModified: 0, cid: null, album: "" }), "filename 5rC0LmpwZw==,lastModified MA==,album ");
});

test("a checksum names its digest", () => {
    assert.equal(checksum(Uint8Array.of(0, 255, 16)), "sha256 AP8Q");
});
