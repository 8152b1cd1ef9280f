// What all readers of archives share: why one is not read, where its bytes come from, and what names in it may be.

/** Why an archive, or one entry of it, is not read. `code` has its words in the language files, as `moving.why.CODE`: for all of
 * it `cut-off`, `damaged`, `joined`, `several-parts`, `too-many`, `kind`, `unsafe`; for an entry `encrypted`, `method`, `link`, `unsafe`,
 * `damaged`, and of what may hold photos, or speak of them, and is not looked into, `inner`, `too-large`, `unread`; for bytes that
 * belong to no entry `hidden`. */
export class ArchiveFault extends Error {
    /** @param {string} code */
    constructor(code) {
        super(code);
        this.code = code;
    }
}

/** Of what comes out to what went in; and below this nothing is a bomb, for text compresses well, too. */
const highestRatio = 100;
const harmless = 1024 * 1024;

/** @param {number} made @param {number} taken */
export const isBomb = (made, taken) => made > harmless && made - harmless > taken * highestRatio;

/** Stands among the entries of an archive for bytes of it that its list does not name: what they are, nobody knows.
 * @param {number} offset @param {number} byteCount @returns {ArchiveEntry} */
export const hiddenEntry = (offset, byteCount) => ({ ordinal: -1, path: "", size: byteCount, packed: byteCount, offset,
    limit: offset + byteCount, method: 0, crc: null, nameBytes: null, nameCRC: 0, modifiedAt: 0, refusal: "hidden" });

const windowBytes = 256 * 1024;

/** Bytes of a file at any place: what is asked for next mostly lies in what was read last. */
export class Window {
    /** @param {Blob} file */
    constructor(file) {
        this.file = file;
        this.size = file.size;
        this.start = 0;
        this.bytes = new Uint8Array();
    }

    /** Exactly so many. Throws `ArchiveFault` where there are fewer, and what the browser throws for a file that it cannot read.
     * @param {number} offset @param {number} count */
    async at(offset, count) {
        if (!(offset >= 0 && offset + count <= this.size)) throw new ArchiveFault("cut-off");
        if (offset < this.start || offset + count > this.start + this.bytes.length) {
            const end = Math.min(this.size, offset + Math.max(count, windowBytes));
            this.bytes = new Uint8Array(await this.file.slice(offset, end).arrayBuffer());
            this.start = offset;
        }
        return this.bytes.subarray(offset - this.start, offset - this.start + count);
    }

    /** The same; fewer at the end.
     * @param {number} offset @param {number} count */
    async upTo(offset, count) { return this.at(offset, Math.min(count, this.size - offset)); }

    /** @param {number} offset @param {number} count */
    async view(offset, count) {
        const bytes = await this.at(offset, count);
        return new DataView(bytes.buffer, bytes.byteOffset, count);
    }
}

/** The upper half of code page 437, in which ZIP writes names that are not marked as UTF-8. */
const upperHalf = [
    "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥\u20a7ƒáíóúñÑªº¿\u2310¬½¼¡«»\u2591\u2592\u2593\u2502\u2524\u2561\u2562\u2556\u2555\u2563",
    "\u2551\u2557\u255d\u255c\u255b\u2510\u2514\u2534\u252c\u251c\u2500\u253c\u255e\u255f\u255a\u2554\u2569\u2566\u2560",
    "\u2550\u256c\u2567\u2568\u2564\u2565\u2559\u2558\u2552\u2553\u256b\u256a\u2518\u250c\u2588\u2584\u258c\u2590\u2580αßΓπ",
    "ΣσµτΦΘΩδ\u221eφε\u2229\u2261±\u2265\u2264\u2320\u2321÷\u2248°\u2219·\u221a\u207f²\u25a0\u00a0",
].flatMap((part) => [...part]);
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** UTF-8 where it is that, marked or not: programs of macOS forget the mark, and hardly a name of code page 437 that has
 * letters beyond ASCII is UTF-8 by chance.
 * @param {Uint8Array} bytes */
export function textOf(bytes) {
    try {
        return utf8.decode(bytes);
    } catch {
        return Array.from(bytes, (byte) => (byte < 0x80 ? String.fromCharCode(byte) : upperHalf[byte - 0x80])).join("");
    }
}

const longestName = 1024;

/** The path without `.` and empty parts, and with `/` alone between them. `isUnsafe`: it leads out of the archive, or is no name.
 * @param {string} text */
export function pathIn(text) {
    const slashed = text.replaceAll("\\", "/");
    const parts = slashed.split("/").filter((part) => part !== "" && part !== ".");
    const isUnsafe = slashed.startsWith("/") || /^[a-z]:/i.test(slashed) || slashed.includes("\0") || parts.includes("..")
        || parts.length === 0 || new TextEncoder().encode(text).length > longestName;
    return { path: isUnsafe ? text.slice(0, 200) : parts.join("/"), isUnsafe };
}

const tables = madeTables();

function madeTables() {
    const all = [0, 1, 2, 3].map(() => new Uint32Array(256));
    for (let byte = 0; byte < 256; byte += 1) {
        let value = byte;
        for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? value >>> 1 ^ 0xedb88320 : value >>> 1;
        all[0][byte] = value;
    }
    for (let byte = 0; byte < 256; byte += 1) {
        for (let table = 1; table < 4; table += 1) {
            all[table][byte] = all[table - 1][byte] >>> 8 ^ all[0][all[table - 1][byte] & 255];
        }
    }
    return all;
}

/** CRC-32 (ISO 3309), going on from that of what stands before.
 * @param {Uint8Array} bytes @param {number} [before] @returns {number} */
export function crc32(bytes, before = 0) {
    const [first, second, third, fourth] = tables;
    const { length } = bytes;
    let crc = ~before;
    let at = 0;
    for (; at + 4 <= length; at += 4) {
        crc ^= bytes[at] | bytes[at + 1] << 8 | bytes[at + 2] << 16 | bytes[at + 3] << 24;
        crc = fourth[crc & 255] ^ third[crc >>> 8 & 255] ^ second[crc >>> 16 & 255] ^ first[crc >>> 24];
    }
    for (; at < length; at += 1) crc = first[(crc ^ bytes[at]) & 255] ^ crc >>> 8;
    return ~crc >>> 0;
}

// The directory of a ZIP archive (APPNOTE 6.3.10, 4.3.12 to 4.3.16): what is in it, and where. The archive stays where it lies;
// in memory are a window on it and the list of its entries.

const entryMark = 0x04034b50;
const recordMark = 0x02014b50;
const endMark = 0x06054b50;
const largeLocatorMark = 0x07064b50;
const largeEndMark = 0x06064b50;
/** Of a signature, behind the last record. */
const signatureMark = 0x05054b50;
const recordBytes = 46;
const endBytes = 22;
const longestComment = 65_535;
/** Beyond this the list itself is more than a browser should hold. */
const mostEntries = 1_000_000;
const largestDirectory = 256 * 1024 * 1024;
/** Of a header, without its name. */
const headerBytes = 30;
/** What may follow the bytes of an entry: a mark, a checksum and two sizes. */
const descriptorBytes = 24;
/** Fewer bytes before an entry are what archivers put there, or a script that unpacks the rest, and no photo. */
const littleBytes = 128;
/** Stands where a number did not fit, which stands in an extra field then. */
const elsewhere = 0xffffffff;

/** @typedef {{count: number, byteCount: number, offset: number, position: number}} End `position`: where the directory ends */

/** The entries in the order in which their bytes lie there, without folders, and what lies between them. Throws `ArchiveFault`.
 * @param {Blob} file @returns {Promise<ArchiveEntry[]>} */
export async function zipEntries(file) {
    const bytes = new Window(file);
    const end = await findEnd(bytes);
    if (end.count > mostEntries || end.byteCount > largestDirectory) throw new ArchiveFault("too-many");
    const begin = end.position - end.byteCount;
    // What may stand before an archive moves everything in it.
    const shift = begin - end.offset;
    if (begin < 0 || shift < 0) throw new ArchiveFault("cut-off");
    // The directory of the last of two archives that were joined knows nothing of the one before it.
    if (shift > 0 && (await bytes.view(0, 4)).getUint32(0, true) === entryMark) throw new ArchiveFault("joined");
    const records = await readRecords(bytes, begin, end, shift);
    records.sort((one, other) => one.entry.offset - other.entry.offset);
    const first = records[0]?.entry.offset ?? begin;
    const entries = first > littleBytes ? [hiddenEntry(0, first)] : [];
    for (const [index, { entry, isFolder }] of records.entries()) {
        entry.limit = records[index + 1]?.entry.offset ?? begin;
        const behind = entry.limit - entry.offset - headerBytes - Number(entry.nameBytes) - (isFolder ? 0 : entry.packed);
        // Entries that share bytes are how small archives claim to be large ones.
        if (behind < 0) entry.refusal ??= "unsafe";
        if (!isFolder) entries.push(entry);
        const hidden = behind > littleBytes ? behind - await extraBytes(bytes, entry.offset) - descriptorBytes : 0;
        if (hidden > 0) entries.push(hiddenEntry(entry.limit - hidden, hidden));
    }
    return entries;
}

/** In the header before the bytes of an entry, behind its name.
 * @param {Window} bytes @param {number} offset */
const extraBytes = async (bytes, offset) => (await bytes.view(offset, headerBytes)).getUint16(28, true);

/** @param {Window} bytes */
async function findEnd(bytes) {
    const count = Math.min(bytes.size, endBytes + longestComment);
    const start = bytes.size - count;
    const tail = await bytes.view(start, count);
    for (let at = count - endBytes; at >= 0; at -= 1) {
        if (tail.getUint32(at, true) !== endMark || at + endBytes + tail.getUint16(at + 20, true) !== count) continue;
        const large = await largeEnd(bytes, start + at);
        if (large) {
            // Who reads only the small one sees the same list, or is sent on: else one file is two archives.
            const isSame = isSaid(tail.getUint16(at + 10, true), 0xffff, large.count & 0xffff)
                && isSaid(tail.getUint32(at + 12, true), elsewhere, large.byteCount)
                && isSaid(tail.getUint32(at + 16, true), elsewhere, large.offset);
            if (!isSame) throw new ArchiveFault("damaged");
            return large;
        }
        const [disk, first, here, all] = [4, 6, 8, 10].map((place) => tail.getUint16(at + place, true));
        if (disk !== 0 || first !== 0 || here !== all) throw new ArchiveFault("several-parts");
        return { count: all, byteCount: tail.getUint32(at + 12, true), offset: tail.getUint32(at + 16, true), position: start + at };
    }
    throw new ArchiveFault("cut-off");
}

/** @param {number} number
 * @param {number} other stands where it did not fit
 * @param {number} wanted */
const isSaid = (number, other, wanted) => number === other || number === wanted;

/** That of ZIP64, null where there is none.
 * @param {Window} bytes
 * @param {number} position where the small one lies
 * @returns {Promise<End | null>} */
async function largeEnd(bytes, position) {
    const before = position - 20;
    if (before < 0) return null;
    const locator = await bytes.view(before, 20);
    if (locator.getUint32(0, true) !== largeLocatorMark) return null;
    const named = long(locator, 8);
    // Behind other bytes it lies further on than it is said to.
    for (const place of [named, before - 56]) {
        if (place < 0 || place + 56 > before) continue;
        const view = await bytes.view(place, 56);
        if (view.getUint32(0, true) !== largeEndMark) continue;
        if (view.getUint32(16, true) !== 0 || view.getUint32(20, true) !== 0) throw new ArchiveFault("several-parts");
        return { count: long(view, 32), byteCount: long(view, 40), offset: long(view, 48), position: place };
    }
    throw new ArchiveFault("damaged");
}

/** All of them, for the number may be wrong: archivers without 64 bits write it modulo 65,536.
 * @param {Window} bytes @param {number} begin @param {End} end @param {number} shift */
async function readRecords(bytes, begin, end, shift) {
    /** @type {{entry: ArchiveEntry, isFolder: boolean}[]} */ const records = [];
    let count = 0;
    for (let place = begin; place < end.position;) {
        const head = await bytes.view(place, Math.min(recordBytes, end.position - place));
        if (head.byteLength >= 4 && head.getUint32(0, true) === signatureMark) break;
        count += 1;
        if (head.byteLength < recordBytes || head.getUint32(0, true) !== recordMark || count > mostEntries) {
            throw new ArchiveFault("damaged");
        }
        const [name, extra, comment] = [28, 30, 32].map((at) => head.getUint16(at, true));
        const next = place + recordBytes + name + extra + comment;
        if (next > end.position) throw new ArchiveFault("damaged");
        const rest = await bytes.at(place + recordBytes, name + extra);
        const entry = entryOf(head, rest.subarray(0, name), extrasOf(rest.subarray(name)), shift);
        records.push({ entry: { ...entry, ordinal: count }, isFolder: isFolder(entry, rest.subarray(0, name)) });
        place = next;
    }
    if (((count ^ end.count) & 0xffff) !== 0) throw new ArchiveFault("damaged");
    return records;
}

/** A name that ends so, without content.
 * @param {ArchiveEntry} entry @param {Uint8Array} name */
const isFolder = ({ size }, name) => name.at(-1) === 0x2f && size === 0;

/** @param {DataView} head @param {Uint8Array} name @param {Map<number, DataView>} extras @param {number} shift
 * @returns {ArchiveEntry} */
function entryOf(head, name, extras, shift) {
    const [size, packed, offset] = widened([24, 20, 42].map((at) => head.getUint32(at, true)), extras.get(0x0001));
    const { path, isUnsafe } = pathIn(textOf(unicodeName(name, extras.get(0x7075)) ?? name));
    const method = head.getUint16(10, true);
    return {
        ordinal: 0, path, size, packed, offset: offset + shift, limit: 0, method, crc: head.getUint32(16, true),
        nameBytes: name.length, nameCRC: crc32(name), modifiedAt: timeOf(head, extras.get(0x5455)),
        refusal: isUnsafe ? "unsafe" : refusalOf(head, method, size, packed),
    };
}

/** @param {DataView} head @param {number} method @param {number} size @param {number} packed */
function refusalOf(head, method, size, packed) {
    if (head.getUint16(8, true) & 0x41) return "encrypted";
    if (method !== 0 && method !== 8) return "method";
    if (method === 0 && size !== packed) return "unsafe";
    // Unix notes the kind of a file in the upper half; a link has its target for content.
    if (head.getUint8(5) === 3 && head.getUint32(38, true) >>> 28 === 0xa) return "link";
    return isBomb(size, packed) ? "unsafe" : null;
}

/** By their tags; the first of each counts.
 * @param {Uint8Array} bytes */
function extrasOf(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    /** @type {Map<number, DataView>} */ const extras = new Map();
    for (let at = 0; at + 4 <= bytes.length;) {
        const [tag, count] = [view.getUint16(at, true), view.getUint16(at + 2, true)];
        if (at + 4 + count > bytes.length) break;
        if (!extras.has(tag)) extras.set(tag, new DataView(bytes.buffer, bytes.byteOffset + at + 4, count));
        at += 4 + count;
    }
    return extras;
}

/** The whole numbers in place of those that did not fit, in the order in which they stand in the field.
 * @param {number[]} numbers @param {DataView | undefined} field */
function widened(numbers, field) {
    let at = 0;
    return numbers.map((number) => {
        if (number !== elsewhere || !field) return number;
        if (at + 8 > field.byteLength) throw new ArchiveFault("damaged");
        at += 8;
        return long(field, at - 8);
    });
}

/** That of Info-ZIP, if it was made for this very name.
 * @param {Uint8Array} name @param {DataView | undefined} field */
function unicodeName(name, field) {
    if (!field || field.byteLength < 6 || field.getUint8(0) !== 1 || field.getUint32(1, true) !== crc32(name)) return null;
    return new Uint8Array(field.buffer, field.byteOffset + 5, field.byteLength - 5);
}

/** Milliseconds since 1970; else of the clock on the wall of whoever packed it, read as one of here. 0 where nobody says.
 * @param {DataView} head @param {DataView | undefined} field */
function timeOf(head, field) {
    if (field && field.byteLength >= 5 && field.getUint8(0) & 1) return field.getInt32(1, true) * 1000;
    const [time, date] = [head.getUint16(12, true), head.getUint16(14, true)];
    if (date === 0) return 0;
    return new Date(1980 + (date >> 9), (date >> 5 & 15) - 1, date & 31, time >> 11, time >> 5 & 63, (time & 31) * 2).getTime();
}

/** Numbers beyond what can be counted here name places that no file has.
 * @param {DataView} view @param {number} at */
function long(view, at) {
    return Number(view.getBigUint64(at, true));
}
