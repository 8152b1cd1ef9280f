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
