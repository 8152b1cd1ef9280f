// The directory of a ZIP archive (APPNOTE 6.3.10, 4.3.12 to 4.3.16): what is in it, and where. The archive stays where it lies;
// in memory are a window on it and the list of its entries.
import { ArchiveFault, hiddenEntry, isBomb, pathIn, textOf, Window } from "./archive.js";
import { crc32 } from "./unpacking.js";

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
