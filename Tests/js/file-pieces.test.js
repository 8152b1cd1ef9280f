import assert from "node:assert/strict";
import { test } from "node:test";
import { FilePieces } from "../../www/js/files/file-reading.js";

const piece = 256;
const fast = 100;
const slow = 500;

function pieces() {
    return new FilePieces({ size: 40 * piece + 7 }, piece, null);
}

/** The lengths of the pieces that follow, each of which went in so many milliseconds. */
function lengths(file, ...times) {
    let offset = 0;
    return times.map((milliseconds) => {
        const { stride } = file;
        file.passed(offset, milliseconds);
        offset += stride;
        return stride / piece;
    });
}

test("pieces grow where they go fast, up to four times, and the first four never", () => {
    assert.deepEqual(lengths(pieces(), ...Array(9).fill(fast)), [1, 1, 1, 1, 2, 4, 4, 4, 4]);
});

test("where they do not go fast they stay as the host wants them", () => {
    assert.deepEqual(lengths(pieces(), ...Array(9).fill(slow)), Array(9).fill(1));
    // One that was slow begins the count anew.
    assert.deepEqual(lengths(pieces(), fast, fast, fast, slow, fast, fast, fast, fast, fast), [1, 1, 1, 1, 1, 1, 1, 1, 2]);
});

test("after a connection that broke, they are small again", () => {
    const file = pieces();
    lengths(file, ...Array(6).fill(fast));
    file.calm();
    assert.deepEqual(lengths(file, ...Array(5).fill(fast)), [1, 1, 1, 1, 2]);
});

test("no piece ends behind the file", () => {
    assert.equal(pieces().endOf(40 * piece, piece), 40 * piece + 7);
    assert.equal(pieces().endOf(39 * piece, piece), 40 * piece);
});
