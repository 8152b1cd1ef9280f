// What guessing programs try first, as the host knows it: `scripts/make-common-passwords` describes the file.

// How many bits whoever knows common passwords has to guess, roughly: what the host's GuessEstimate does, on the same
// file. `Tests/passwords.json` holds for both.

/** @typedef {{rows: string[], words: string[], likenesses: string[], roots: Roots}} CommonPasswords */

/** @typedef {[number, Uint32Array][]} Roots */

/** @typedef {[number, number]} Step */

/** @typedef {{rows: number[][], words: Set<number>, readings: Map<number, number>[], roots: Roots}} Known */

const mostScalars = 128;
const mostOfPiece = 32;
const leastOfRoot = 4;
const leastOfReversed = 6;
const leastOfName = 3;
/** Of a number that stands behind everything else. */
const mostOfNumber = 6;
/** Bits of a year, by its century: people know years of births, and of the founding of clubs. */
const centuries = new Map([["18", 7], ["19", 6], ["20", 6]]);

/** By kind: what it costs to begin with it, and each.
 * @type {Record<string, [number, number]>} */
const costs = { letter: [2, 5], digit: [2, 3], sign: [2, 4], wide: [2, 8], separator: [0, 1], symbol: [2, 8] };
/** @param {number} low @param {number} high @returns {(one: number) => boolean} */
const within = (low, high) => (one) => one >= low && one <= high;
const isDigit = within(0x30, 0x39);
const wideRanges = [within(0x3400, 0x9fff), within(0xac00, 0xd7a3), within(0x20000, 0x3ffff)];
const capitals = [within(0x41, 0x5a), within(0xc0, 0xd6), within(0xd8, 0xde), within(0x410, 0x42f)];

/** A character of these may be a word.
 * @param {number} one */
const isWide = (one) => wideRanges.some((range) => range(one));

/** @param {number} one */
function kindOf(one) {
    if (one >= 0x61 && one <= 0x7a) return "letter";
    if (isDigit(one)) return "digit";
    if (isWide(one)) return "wide";
    if ([0x20, 0x21, 0x2c, 0x2d, 0x2e, 0x5f].includes(one)) return "separator";
    if (one < 0xc0) return "sign";
    return one >= 0x1f000 || (one >= 0x2000 && one < 0x2e80) ? "symbol" : "letter";
}

/** @param {number} one */
const isOfWords = (one) => ["letter", "wide"].includes(kindOf(one));

/** @param {number} one @returns {number} */
function folded(one) {
    if (one === 0x3000) return 0x20;
    if (one >= 0xff01 && one <= 0xff5e) return folded(one - 0xfee0);
    return capitals.some((range) => range(one)) ? one + 0x20 : one;
}

/** @param {string} text */
const fold = (text) => scalarsOf(text.normalize("NFC")).map(folded).slice(0, mostScalars);

/** FNV-1a over characters, and the last step of MurmurHash3.
 * @param {number} state @param {number} one */
const append = (state, one) => Math.imul(state ^ one, 0x01000193);
/** @param {number} state */
function finish(state) {
    let value = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
    return (value ^ (value >>> 16)) >>> 0;
}
/** @param {number[]} scalars */
const hash = (scalars) => finish(scalars.reduce(append, 0x811c9dc5));

/** `bits(password)` by a file as `common-passwords.js` reads it, for a host of these names.
 * @param {CommonPasswords} file @param {string[]} hostNames @returns {(password: string) => number} */
export function estimator({ rows, words, likenesses, roots }, hostNames) {
    const labels = hostNames.flatMap((name) => name.split(".")).filter((label) => label.length >= leastOfName);
    const known = {
        rows: rows.map(scalarsOf).flatMap((row) => [row, [...row].reverse()]),
        words: new Set([...words.map(scalarsOf), ...labels.map(fold)].map(hash)),
        readings: [[...likenesses].reverse(), likenesses].map((all) =>
            new Map(/** @type {[number, number][]} */ (all.map(scalarsOf)))),
        roots,
    };
    return (password) => {
        const text = fold(password);
        const letters = text.filter(isOfWords);
        const others = text.filter((one) => !isOfWords(one));
        const found = [cheapest(text, known)];
        if (letters.length > 0 && others.length > 0) {
            const turns = text.filter((one, at) => at > 0 && isOfWords(one) !== isOfWords(text[at - 1])).length;
            found.push(cheapest(letters, known) + cheapest(others, known) + 4 + 2 * turns);
        }
        const half = text.filter((_, at) => at % 2 === 0);
        if (text.length % 2 === 0 && half.every((one, at) => one === text[2 * at + 1])) {
            found.push(cheapest(half, known) + 4);
        }
        return Math.min(...found);
    };
}

/** @param {string} text */
const scalarsOf = (text) => Array.from(text, (one) => /** @type {number} */ (one.codePointAt(0)));

/** @param {number[]} text @param {Known} known @returns {number} */
function cheapest(text, known) {
    const steps = pieces(text, known);
    const best = [0, ...text.map(() => Infinity)];
    const spelled = best.map(() => Infinity);
    for (const [start, one] of text.entries()) {
        const [begin, each] = costs[kindOf(one)];
        const goesOn = start > 0 && kindOf(text[start - 1]) === kindOf(one);
        spelled[start + 1] = Math.min(best[start] + begin, goesOn ? spelled[start] : Infinity) + each;
        best[start + 1] = Math.min(best[start + 1], spelled[start + 1]);
        const others = [...runs(text, start, known), ...year(text, start), ...numberBehind(text, start), ...repeats(text, start)];
        for (const [end, bits] of [...steps[start], ...others]) {
            best[end] = Math.min(best[end], best[start] + bits);
        }
    }
    return best[text.length];
}

/** Words and roots, as `[end, bits]` by where they begin.
 * @param {number[]} text @param {Known} known @returns {Step[][]} */
function pieces(text, { words, readings, roots }) {
    /** @type {Step[][]} */ const steps = text.map(() => []);
    /** @param {Map<number, number>} likeness */
    const readAs = (likeness) => text.map((one) => likeness.get(one) ?? one);
    for (const reading of [text, ...readings.map(readAs)]) {
        for (let start = 0; start < text.length; start += 1) {
            let [state, signs] = [0x811c9dc5, 0];
            for (let end = start + 1; end <= Math.min(text.length, start + mostOfPiece); end += 1) {
                state = append(state, reading[end - 1]);
                if (reading[end - 1] !== text[end - 1]) signs += 1;
                const [found, extra, length] = [finish(state), Math.min(4, 2 * signs), end - start];
                if (words.has(found)) steps[start].push([end, 6 + extra]);
                if (!hasRoot(roots, found, length)) continue;
                steps[start].push([end, (length === leastOfRoot ? 16 : 14) + extra]);
            }
        }
    }
    for (let end = text.length; end > 0; end -= 1) {
        let state = 0x811c9dc5;
        for (let start = end - 1; start >= Math.max(0, end - mostOfPiece); start -= 1) {
            state = append(state, text[start]);
            const length = end - start;
            if (length >= leastOfReversed && hasRoot(roots, finish(state), length)) steps[start].push([end, 14]);
        }
    }
    return steps;
}

/** `roots`: `[least length, ascending hashes]` by class.
 * @param {Roots} roots @param {number} wanted @param {number} length */
function hasRoot(roots, wanted, length) {
    /** @type {ArrayLike<number>} */ const hashes = roots.findLast(([least]) => least <= length)?.[1] ?? [];
    let [low, high] = [0, hashes.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (hashes[middle] < wanted) low = middle + 1;
        else high = middle;
    }
    return hashes[low] === wanted;
}

/** Along a keyboard or an alphabet, either way.
 * @param {number[]} text @param {number} start @param {Known} known @returns {Step[]} */
function runs(text, start, { rows }) {
    /** @type {Step[]} */ const steps = [];
    for (const row of rows) {
        for (let at = row.indexOf(text[start]); at >= 0; at = row.indexOf(text[start], at + 1)) {
            let length = 1;
            while (start + length < text.length && row[at + length] === text[start + length]) length += 1;
            for (let some = 3; some <= length; some += 1) steps.push([start + some, some === 3 && at > 0 ? 9 : 6]);
        }
    }
    return steps;
}

/** Of the last century or of this one.
 * @param {number[]} text @param {number} start @returns {Step[]} */
function year(text, start) {
    const digits = text.slice(start, start + 4);
    if (digits.length < 4 || !digits.every(isDigit)) return [];
    const bits = centuries.get(String.fromCharCode(digits[0], digits[1]));
    return bits ? [[start + 4, bits]] : [];
}

/** What most people put behind a word: few digits, up to the end.
 * @param {number[]} text @param {number} start @returns {Step[]} */
function numberBehind(text, start) {
    const digits = text.length - start;
    if (start === 0 || digits > mostOfNumber || isDigit(text[start - 1])) return [];
    return text.slice(start).every(isDigit) ? [[text.length, 2 + 2 * digits]] : [];
}

/** What stands just before, once or several times again.
 * @param {number[]} text @param {number} start @returns {Step[]} */
function repeats(text, start) {
    /** @type {Step[]} */ const steps = [];
    for (let length = 1; length <= start; length += 1) {
        /** @param {number} end */
        const isSame = (end) => end + length <= text.length
            && Array.from({ length }, (_, at) => text[end + at] === text[start - length + at]).every(Boolean);
        for (let end = start; isSame(end); end += length) steps.push([end + length, length === 1 ? 4 : 3]);
    }
    return steps;
}

const headLength = 7;
/** The least lengths of the classes by which roots are kept apart. */
const classes = [4, 8, 12, 16];

/** Gives `bits(password)`. What is no file of this kind throws: then the host alone decides.
 * @returns {Promise<(password: string) => number>} */
export async function loadEstimate() {
    const answer = await fetch("/common-passwords.bin");
    if (!answer.ok) throw new Error("no common passwords");
    return estimateBy(new Uint8Array(await answer.arrayBuffer()), [location.hostname]);
}

/** The same by the bytes of the file, for a host of these names.
 * @param {Uint8Array} bytes @param {string[]} hostNames @returns {(password: string) => number} */
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

/** Numbers from the Rice codes of their distances, the first bit of a byte the highest.
 * @param {Uint8Array} bytes @param {number} lowBits @param {number} count */
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
