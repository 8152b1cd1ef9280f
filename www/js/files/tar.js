// The entries of a tar archive (POSIX.1-2017, pax; ustar; the long names of GNU). It has no directory: one header leads to the
// next.
import { ArchiveFault, hiddenEntry, pathIn, textOf } from "./archive.js";
import { crc32 } from "./unpacking.js";

const blockBytes = 512;
/** More than any list of names and times takes. */
const longestHeader = 1024 * 1024;
const mostEntries = 1_000_000;
/** Milliseconds since 1970 of the last moment that JavaScript knows. */
const latest = 8.64e15;

/** @typedef {import("./archive.js").Window} Window
 * @typedef {import("./unpacking.js").PackedWindow} PackedWindow */
/** @typedef {{path?: Uint8Array, linkPath?: Uint8Array, size?: number, modifiedAt?: number, isSparse?: boolean}} Extended */

/** In their order, without folders; a second name of an entry before it has that one's bytes. `pass(entry, byteCount)` may look at the
 * bytes that lie there of one before what follows is read. Throws `ArchiveFault`.
 * @param {Window | PackedWindow} bytes @param {(entry: ArchiveEntry, byteCount: number) => Promise<void>} [pass]
 * @returns {Promise<ArchiveEntry[]>} */
export async function tarEntries(bytes, pass = async () => {}) {
    /** @type {ArchiveEntry[]} */ const entries = [];
    /** @type {Extended} */ let extended = {};
    let sawZeros = false;
    /** @type {Map<string, ArchiveEntry>} */ const named = new Map();
    for (let place = 0; ;) {
        const block = await bytes.upTo(place, blockBytes);
        if (block.length < blockBytes) break;
        place += blockBytes;
        if (block.every((byte) => byte === 0)) {
            sawZeros = true;
            continue;
        }
        if (!isHeader(block) || entries.length >= mostEntries) throw new ArchiveFault(isHeader(block) ? "too-many" : "damaged");
        const kind = String.fromCharCode(block[156]);
        const size = extended.size ?? numberOf(block.subarray(124, 136));
        // Links have a size in some archives, and no content.
        const held = kind === "1" || kind === "2" ? 0 : size;
        if (!Number.isSafeInteger(size) || place + held > bytes.size) throw new ArchiveFault("cut-off");
        if ("xLgK".includes(kind)) {
            if (size > longestHeader) throw new ArchiveFault("damaged");
            // Those of `g` are about all entries, and say nothing that counts here.
            if (kind !== "g") Object.assign(extended, extendedBy(kind, (await bytes.at(place, size)).slice()));
        } else if (kind === "5") {
            if (size > 0) entries.push(hiddenEntry(place, size));
        } else if (!"DV".includes(kind)) {
            const header = block.slice();
            // What has holes goes on with lists of them, as GNU wrote it first.
            for (let more = kind === "S" && header[482] === 1; more; place += blockBytes) more = (await bytes.at(place, blockBytes))[504] === 1;
            const entry = entryOf(header, kind, { ...extended, size }, place, entries.length);
            const target = kind === "1" ? named.get(pathIn(textOf(extended.linkPath ?? upToZero(header.subarray(157, 257)))).path) : null;
            entries.push(target && entry.refusal === "link" ? { ...target, ordinal: entry.ordinal, path: entry.path } : entry);
            if (!target) await pass(entry, held);
            named.set(entry.path, entries[entries.length - 1]);
        }
        if (!"xLgK".includes(kind)) extended = {};
        place += Math.ceil(held / blockBytes) * blockBytes;
    }
    if (!sawZeros) throw new ArchiveFault("cut-off");
    return entries;
}

/** @param {Uint8Array} block @param {string} kind @param {Extended & {size: number}} extended @param {number} offset
 * @param {number} ordinal @returns {ArchiveEntry} */
function entryOf(block, kind, extended, offset, ordinal) {
    const { size } = extended;
    const { path, isUnsafe } = pathIn(textOf(extended.path ?? nameIn(block)));
    const isFile = ["0", "\0", "7"].includes(kind) && !extended.isSparse;
    const modifiedAt = extended.modifiedAt ?? numberOf(block.subarray(136, 148)) * 1000;
    return {
        ordinal, path, size, packed: size, offset, limit: offset + size, method: 0, crc: null, nameBytes: null, nameCRC: crc32(block),
        modifiedAt: Math.abs(modifiedAt) < latest ? modifiedAt : 0,
        refusal: isUnsafe ? "unsafe" : isFile ? null : kind === "1" || kind === "2" ? "link" : "method",
    };
}

/** @param {Uint8Array} block */
function nameIn(block) {
    const [name, prefix] = [upToZero(block.subarray(0, 100)), upToZero(block.subarray(345, 500))];
    // That of GNU has other things there.
    const isPOSIX = textOf(block.subarray(257, 263)) === "ustar\0";
    return isPOSIX && prefix.length > 0 ? Uint8Array.from([...prefix, 0x2f, ...name]) : name;
}

/** The checksum counts its own eight bytes as blanks; some wrote signed sums.
 * @param {Uint8Array} block */
function isHeader(block) {
    const checksum = numberOf(block.subarray(148, 156));
    let [plain, signed] = [0, 0];
    block.forEach((byte, index) => {
        const counted = index >= 148 && index < 156 ? 0x20 : byte;
        plain += counted;
        signed += counted << 24 >> 24;
    });
    return checksum === plain || checksum === signed;
}

/** Octal digits; or, with the first bit set, the bytes of the number itself, as GNU writes large ones, and those below zero in
 * their complement: times before 1970. NaN for neither.
 * @param {Uint8Array} field */
function numberOf(field) {
    if (field[0] === 0xff) return -1 - field.reduce((sum, byte) => sum * 256 + (255 - byte), 0);
    if (field[0] & 0x80) return field.reduce((sum, byte, index) => sum * 256 + (index === 0 ? byte & 0x7f : byte), 0);
    const digits = textOf(upToZero(field)).trim();
    return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : NaN;
}

/** @param {Uint8Array} bytes */
const upToZero = (bytes) => (bytes.includes(0) ? bytes.subarray(0, bytes.indexOf(0)) : bytes);

/** `x`: records of pax; `L`: a name of GNU; `K`: what a link names.
 * @param {string} kind @param {Uint8Array} bytes @returns {Extended} */
function extendedBy(kind, bytes) {
    if (kind === "L") return { path: upToZero(bytes) };
    return kind === "K" ? { linkPath: upToZero(bytes) } : recordsIn(bytes);
}

/** `LENGTH KEY=VALUE\n`, the length being that of the whole record.
 * @param {Uint8Array} bytes */
function recordsIn(bytes) {
    /** @type {Extended} */ const found = {};
    for (let at = 0; at < bytes.length;) {
        const count = Number.parseInt(textOf(bytes.subarray(at, at + 20)), 10);
        if (!(count > 3 && at + count <= bytes.length)) break;
        const record = bytes.subarray(at + String(count).length + 1, at + count - 1);
        at += count;
        const equals = record.indexOf(0x3d);
        const [key, value] = [textOf(record.subarray(0, equals)), record.subarray(equals + 1)];
        if (key === "path") found.path = value;
        else if (key === "linkpath") found.linkPath = value;
        else if (key === "size") found.size = Number(textOf(value));
        else if (key === "mtime") found.modifiedAt = Math.trunc(Number(textOf(value)) * 1000) || 0;
        else if (key.startsWith("GNU.sparse")) found.isSparse = true;
    }
    return found;
}
