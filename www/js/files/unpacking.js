// The bytes of one entry of an archive, from the first to the last, checked against all that is said of them. What comes out of
// a piece of 16 KiB is the most that is in memory at once: at the very worst, a thousand times as much. An entry gives no more
// than it says to hold, and the directory lets none say more than a hundred times what it takes.
import { ArchiveFault } from "./archive.js";

/** Of packed bytes that are read at once, and of those that are unpacked at once. */
const readBytes = 256 * 1024;
const stepBytes = 16 * 1024;

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

/**
 * CRC-32 (ISO 3309), going on from that of what stands before.
 * @param {Uint8Array} bytes
 * @param {number} [before]
 * @returns {number}
 */
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

/** Goes forward; who wants what lies behind begins anew. */
export class EntryStream {
    /** @type {ReadableStreamDefaultReader<Uint8Array> | null} */
    unpacked = null;
    isOpen = false;
    /** Where its first byte lies in the archive, once its header was read. */
    place = 0;
    /** Bytes that were handed out, and their CRC-32. */
    made = 0;
    crc = 0;
    /** Packed bytes that were given to be unpacked. */
    taken = 0;
    /** What was unpacked and not handed out yet. */
    rest = new Uint8Array();
    /** @type {unknown} */
    failure = null;

    /**
     * @param {Blob} archive
     * @param {ArchiveEntry} entry
     */
    constructor(archive, entry) {
        this.archive = archive;
        this.entry = entry;
    }

    /**
     * The bytes from `begin` up to, but not with, `end`. Whoever reads the last one hears whether all are what they should be.
     * Throws `ArchiveFault`, and what the browser throws for a file that it cannot read.
     * @param {number} begin
     * @param {number} end
     * @returns {Promise<Uint8Array>}
     */
    async read(begin, end) {
        const { size, refusal } = this.entry;
        if (refusal) throw new ArchiveFault(refusal);
        if (!this.isOpen || begin < this.made) await this.begin();
        // Without a checksum there is nothing to learn from what stands before.
        if (this.entry.crc === null) this.made = begin;
        while (this.made < begin) await this.next(Math.min(readBytes, begin - this.made));
        const bytes = new Uint8Array(end - begin);
        while (this.made < end) {
            const at = this.made - begin;
            bytes.set(await this.next(end - this.made), at);
        }
        if (end === size) await this.checkEnd();
        return bytes;
    }

    /** What stands before the bytes has to say what the directory says. */
    async begin() {
        const { archive, entry } = this;
        await this.close();
        Object.assign(this, { made: 0, crc: 0, taken: 0, rest: new Uint8Array(), failure: null });
        this.place = entry.nameBytes === null ? await this.placeBehindBlock() : await this.placeBehindHeader(entry.nameBytes);
        if (this.place + entry.packed > entry.limit || this.place + entry.packed > archive.size) throw new ArchiveFault("unsafe");
        if (entry.method === 8) this.unpacked = this.unpack();
        this.isOpen = true;
    }

    /** @param {number} nameBytes */
    async placeBehindHeader(nameBytes) {
        const { archive, entry } = this;
        const bytes = await bytesOf(archive, entry.offset, entry.offset + 30 + nameBytes);
        const view = new DataView(bytes.buffer);
        if (view.getUint32(0, true) !== 0x04034b50) throw new ArchiveFault("damaged");
        const isSame = view.getUint16(26, true) === nameBytes && crc32(bytes.subarray(30)) === entry.nameCRC
            && view.getUint16(8, true) === entry.method;
        if (!isSame) throw new ArchiveFault("unsafe");
        return entry.offset + 30 + nameBytes + view.getUint16(28, true);
    }

    /** Of a tar archive, where a header tells more than a name: it has to be the one that was listed. */
    async placeBehindBlock() {
        const { archive, entry } = this;
        if (crc32(await bytesOf(archive, entry.offset - 512, entry.offset)) !== entry.nameCRC) throw new ArchiveFault("damaged");
        return entry.offset;
    }

    unpack() {
        const { archive, entry, place } = this;
        let bytes = new Uint8Array();
        let at = 0;
        const packed = new ReadableStream({
            pull: async (controller) => {
                try {
                    if (at === bytes.length) {
                        const end = Math.min(entry.packed, this.taken + readBytes);
                        bytes = await bytesOf(archive, place + this.taken, place + end);
                        at = 0;
                    }
                } catch (error) {
                    this.failure = error;
                    throw error;
                }
                const step = bytes.slice(at, at + stepBytes);
                at += step.length;
                this.taken += step.length;
                if (step.length > 0) controller.enqueue(step);
                if (this.taken === entry.packed) controller.close();
            },
        }, { highWaterMark: 0 });
        const { DecompressionStream } = /** @type {any} */ (globalThis);
        return packed.pipeThrough(new DecompressionStream("deflate-raw")).getReader();
    }

    /**
     * At least one byte, and at most `most`, which are no more than the entry says to have.
     * @param {number} most
     */
    async next(most) {
        const bytes = this.unpacked ? await this.nextUnpacked(most) : await this.nextPlain(most);
        this.made += bytes.length;
        this.crc = crc32(bytes, this.crc);
        return bytes;
    }

    /** @param {number} most */
    async nextPlain(most) {
        const begin = this.place + this.made;
        return bytesOf(this.archive, begin, begin + Math.min(most, readBytes));
    }

    /** @param {number} most */
    async nextUnpacked(most) {
        while (this.rest.length === 0) this.rest = await this.step() ?? ended();
        const bytes = this.rest.subarray(0, most);
        this.rest = this.rest.subarray(bytes.length);
        return bytes;
    }

    /** What comes out next; null at the end. */
    async step() {
        try {
            return (await /** @type {ReadableStreamDefaultReader<Uint8Array>} */ (this.unpacked).read()).value ?? null;
        } catch {
            throw this.failure ?? new ArchiveFault("damaged");
        }
    }

    async checkEnd() {
        const { entry, unpacked } = this;
        if (unpacked && (this.rest.length > 0 || await this.step() !== null)) throw new ArchiveFault("unsafe");
        if (entry.crc !== null && this.crc !== entry.crc) throw new ArchiveFault("damaged");
        await this.close();
    }

    async close() {
        await this.unpacked?.cancel().catch(() => {});
        this.unpacked = null;
        this.isOpen = false;
    }
}

/** @returns {never} */
function ended() {
    throw new ArchiveFault("damaged");
}

/**
 * @param {Blob} archive
 * @param {number} begin
 * @param {number} end
 */
async function bytesOf(archive, begin, end) {
    const bytes = new Uint8Array(await archive.slice(begin, end).arrayBuffer());
    if (bytes.length < end - begin) throw new ArchiveFault("cut-off");
    return bytes;
}
