import assert from "node:assert/strict";
import { test } from "node:test";
import { receiptOf } from "../../www/js/uploads/upload-spaces.js";

const lines = (...names) => receiptOf(names.map((name) => ({ name, size: 7, sha256: "ab" }))).split("\r\n").slice(1, -1);

test("the first line names the columns, and each ends as RFC 4180 has it", () => {
    assert.equal(receiptOf([]), '"receipt.name","receipt.size","SHA-256"\r\n');
    assert.deepEqual(lines("a.jpg", "水.jpg"), ['"a.jpg","7","ab"', '"水.jpg","7","ab"']);
});

test("any name stays one value", () => {
    assert.deepEqual(lines('with "quotes", and commas.jpg'), ['"with ""quotes"", and commas.jpg","7","ab"']);
    assert.deepEqual(lines("two\nlines.jpg"), ['"two\nlines.jpg","7","ab"']);
});

test("no name is taken for a formula", () => {
    for (const sign of ["=", "+", "-", "@", "\t", "\r"]) {
        assert.equal(receiptOf([{ name: `${sign}1.jpg`, size: 7, sha256: "ab" }]).split('"')[7], `'${sign}1.jpg`);
    }
    assert.deepEqual(lines("1=1.jpg"), ['"1=1.jpg","7","ab"']);
});
