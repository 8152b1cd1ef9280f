// What guessing programs try first, as the host knows it: `scripts/make-common-passwords` describes the file.
import { estimator } from "./guess-estimate.js";

const headLength = 7;
/** The least lengths of the classes by which roots are kept apart. */
const classes = [4, 8, 12, 16];

/**
 * Gives `bits(password)`. What is no file of this kind throws: then the host alone decides.
 * @returns {Promise<(password: string) => number>}
 */
export async function loadEstimate() {
    const answer = await fetch("/common-passwords.bin");
    if (!answer.ok) throw new Error("no common passwords");
    return estimateBy(new Uint8Array(await answer.arrayBuffer()), [location.hostname]);
}

/**
 * The same by the bytes of the file, for a host of these names.
 * @param {Uint8Array} bytes
 * @param {string[]} hostNames
 * @returns {(password: string) => number}
 */
export function estimateBy(bytes, hostNames) {
    if (new TextDecoder().decode(bytes.subarray(0, 5)) !== "SLCP\u0002") throw new Error("no common passwords");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let end = headLength + view.getUint16(5);
    const [rows, words, likenesses] = new TextDecoder().decode(bytes.subarray(headLength, end)).split("\n")
        .map((line) => line.split(" "));
    /** @type {[number, Uint32Array][]} */
    const roots = classes.map((least) => {
        const [lowBits, count, start] = [bytes[end], view.getUint32(end + 1), end + 9];
        end = start + view.getUint32(end + 5);
        return [least, ascending(bytes.subarray(start, end), lowBits, count)];
    });
    return estimator({ rows, words, likenesses, roots }, hostNames);
}

/**
 * Numbers from the Rice codes of their distances, the first bit of a byte the highest.
 * @param {Uint8Array} bytes
 * @param {number} lowBits
 * @param {number} count
 */
function ascending(bytes, lowBits, count) {
    const found = new Uint32Array(count);
    let position = 0;
    const next = () => (bytes[position >> 3] << (24 + (position & 7))) >>> 31;
    // At most 24 bits, so that four bytes hold them wherever they begin.
    const lowest = () => [0, 1, 2, 3].reduce((all, one) => (all << 8) | bytes[(position >> 3) + one], 0)
        << (position & 7) >>> (32 - lowBits);
    let number = 0;
    for (let index = 0; index < count; index += 1) {
        let high = 0;
        for (; next(); position += 1) high += 1;
        position += 1;
        number += high * 2 ** lowBits + lowest();
        position += lowBits;
        found[index] = number;
    }
    return found;
}
