// The bytes of one entry of an archive, from the first to the last, checked against all that is said of them. What comes out of
// a piece of 16 KiB is the most that is in memory at once: at the very worst, a thousand times as much. An entry gives no more
// than it says to hold, and the directory lets none say more than a hundred times what it takes.
import { ArchiveFault, crc32, isBomb } from "./archive.js";

/** Of packed bytes that are read at once, and of those that are unpacked at once. */
const readBytes = 256 * 1024;
const stepBytes = 16 * 1024;

/** A part of a file, unpacked from its first byte to its last; who wants what lies behind begins anew. */
class Unpacked {
    /** Bytes that were handed out, and packed bytes that were given to be unpacked. */
    made = 0;
    taken = 0;
    /** What was unpacked and not handed out yet. */
    rest = new Uint8Array();
    /** @type {unknown} */ failure = null;

    /** @param {Blob} file @param {number} begin @param {number} end @param {"deflate-raw" | "gzip"} format */
    constructor(file, begin, end, format) {
        const count = end - begin;
        let bytes = new Uint8Array();
        let at = 0;
        const packed = new ReadableStream({
            pull: async (controller) => {
                try {
                    if (at === bytes.length) {
                        bytes = await bytesOf(file, begin + this.taken, begin + Math.min(count, this.taken + readBytes));
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
                if (this.taken === count) controller.close();
            },
        }, { highWaterMark: 0 });
        const { DecompressionStream } = /** @type {any} */ (globalThis);
        /** @type {ReadableStreamDefaultReader<Uint8Array>} */
        this.reader = packed.pipeThrough(new DecompressionStream(format)).getReader();
    }

    /** At least one byte, and at most `most`; null at the end. Throws `ArchiveFault`, and what the browser throws for a file that
     * it cannot read.
     * @param {number} most @returns {Promise<Uint8Array | null>} */
    async next(most) {
        while (this.rest.length === 0) {
            const step = await this.step();
            if (!step) return null;
            this.rest = step;
        }
        const bytes = this.rest.subarray(0, most);
        this.rest = this.rest.subarray(bytes.length);
        this.made += bytes.length;
        return bytes;
    }

    /** What comes out next; null at the end. */
    async step() {
        try {
            return (await this.reader.read()).value ?? null;
        } catch (error) {
            this.failure ??= new ArchiveFault("damaged");
            throw this.failure;
        }
    }

    async close() {
        await this.reader.cancel().catch(() => {});
    }
}

/** An entry of an archive, from its first byte to its last. */
export class EntryStream {
    /** @type {Unpacked | null} */ unpacked = null;
    isOpen = false;
    /** Where its first byte lies in the archive, once its header was read. */
    place = 0;
    /** Bytes that were handed out, and their CRC-32. */
    made = 0;
    crc = 0;

    /** @param {Blob} archive @param {ArchiveEntry} entry */
    constructor(archive, entry) {
        this.archive = archive;
        this.entry = entry;
    }

    /** The bytes from `begin` up to, but not with, `end`. Whoever reads the last one hears whether all are what they should be.
     * Throws `ArchiveFault`, and what the browser throws for a file that it cannot read.
     * @param {number} begin @param {number} end @returns {Promise<Uint8Array>} */
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
        Object.assign(this, { made: 0, crc: 0 });
        if (entry.method === inPacked) {
            this.unpacked = await cursorBefore(archive, entry);
            await this.checkBlock(await this.exactly(blockBytes));
            this.place = entry.offset;
        } else {
            this.place = entry.nameBytes === null ? await this.placeBehindBlock() : await this.placeBehindHeader(entry.nameBytes);
            const end = this.place + entry.packed;
            if (end > entry.limit || end > archive.size) throw new ArchiveFault("unsafe");
            if (entry.method === 8) this.unpacked = new Unpacked(archive, this.place, end, "deflate-raw");
        }
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

    async placeBehindBlock() {
        const { archive, entry } = this;
        this.checkBlock(await bytesOf(archive, entry.offset - blockBytes, entry.offset));
        return entry.offset;
    }

    /** Of a tar archive, where a header tells more than a name: it has to be the one that was listed.
     * @param {Uint8Array} block */
    checkBlock(block) {
        if (crc32(block) !== this.entry.nameCRC) throw new ArchiveFault("damaged");
    }

    /** @param {number} count */
    async exactly(count) {
        const bytes = new Uint8Array(count);
        for (let at = 0; at < count;) {
            const part = await /** @type {Unpacked} */ (this.unpacked).next(count - at) ?? ended();
            bytes.set(part, at);
            at += part.length;
        }
        return bytes;
    }

    /** At least one byte, and at most `most`, which are no more than the entry says to have.
     * @param {number} most */
    async next(most) {
        const bytes = this.unpacked ? await this.unpacked.next(most) ?? ended() : await this.nextPlain(most);
        this.made += bytes.length;
        this.crc = crc32(bytes, this.crc);
        return bytes;
    }

    /** @param {number} most */
    async nextPlain(most) {
        const begin = this.place + this.made;
        return bytesOf(this.archive, begin, begin + Math.min(most, readBytes));
    }

    async checkEnd() {
        const { entry, unpacked } = this;
        if (unpacked && entry.method === 8 && await unpacked.next(1) !== null) throw new ArchiveFault("unsafe");
        if (entry.crc !== null && this.crc !== entry.crc) throw new ArchiveFault("damaged");
        await this.close();
    }

    async close() {
        const { entry, unpacked } = this;
        this.unpacked = null;
        this.isOpen = false;
        if (unpacked && entry.method === inPacked) await putBack(entry, unpacked);
        else await unpacked?.close();
    }
}

// Entries of a tar archive that is packed as a whole: where one was read to its end, the next one goes on.

/** The `method` of such an entry. */
export const inPacked = -1;
const blockBytes = 512;
/** Of all archives together. */
const mostCursors = 4;
/** @type {{archive: string, cursor: Unpacked}[]} */ let resting = [];

/** @param {ArchiveEntry} entry */
const archiveOf = ({ key = "" }) => key.split(" ")[0];

/** The nearest before the header of this entry; where there is none, from the beginning.
 * @param {Blob} file @param {ArchiveEntry} entry */
async function cursorBefore(file, entry) {
    const place = entry.offset - blockBytes;
    const [best = null] = resting.filter(({ archive, cursor }) => archive === archiveOf(entry) && cursor.made <= place)
        .sort((one, other) => other.cursor.made - one.cursor.made);
    resting = resting.filter((one) => one !== best);
    const cursor = best?.cursor ?? new Unpacked(file, 0, file.size, "gzip");
    while (cursor.made < place) await cursor.next(Math.min(readBytes, place - cursor.made)) ?? ended();
    return cursor;
}

/** @param {ArchiveEntry} entry @param {Unpacked} cursor */
async function putBack(entry, cursor) {
    if (!cursor.failure) resting.push({ archive: archiveOf(entry), cursor });
    else await cursor.close();
    if (resting.length > mostCursors) await resting.shift()?.cursor.close();
}

/** A tar archive that is packed as a whole, as `Window` shows one that is not: forward alone. */
export class PackedWindow {
    /** Where what is held begins. */
    start = 0;
    held = new Uint8Array();

    /** @param {Blob} file */
    constructor(file) {
        this.size = Infinity;
        this.unpacked = new Unpacked(file, 0, file.size, "gzip");
    }

    /** Exactly so many, behind what was passed; fewer at the end, where the whole was checked.
     * @param {number} offset @param {number} count */
    async upTo(offset, count) {
        await this.drop(offset - this.start);
        const bytes = new Uint8Array(count);
        bytes.set(this.held.subarray(0, count));
        let at = Math.min(count, this.held.length);
        for (let part; at < count && (part = await this.next(count - at)); at += part.length) bytes.set(part, at);
        if (at > this.held.length) this.held = bytes.subarray(0, at);
        return bytes.subarray(0, at);
    }

    /** @param {number} offset @param {number} count */
    async at(offset, count) {
        const bytes = await this.upTo(offset, count);
        return bytes.length === count ? bytes : ended();
    }

    /** Leaves them behind, and all before them. Gives their CRC-32.
     * @param {number} offset @param {number} count */
    async pass(offset, count) {
        await this.drop(offset - this.start);
        return this.drop(count);
    }

    /** @param {number} count */
    async drop(count) {
        const known = this.held.subarray(0, count);
        let crc = crc32(known);
        this.held = this.held.subarray(known.length);
        for (let left = count - known.length; left > 0;) {
            const part = await this.next(Math.min(left, readBytes)) ?? ended();
            crc = crc32(part, crc);
            left -= part.length;
        }
        this.start += count;
        return crc;
    }

    /** @param {number} most */
    async next(most) {
        const { unpacked } = this;
        if (isBomb(unpacked.made, unpacked.taken)) throw new ArchiveFault("unsafe");
        return unpacked.next(most);
    }
}

/** @returns {never} */
function ended() {
    throw new ArchiveFault("damaged");
}

/** @param {Blob} archive @param {number} begin @param {number} end */
async function bytesOf(archive, begin, end) {
    const bytes = new Uint8Array(await archive.slice(begin, end).arrayBuffer());
    if (bytes.length < end - begin) throw new ArchiveFault("cut-off");
    return bytes;
}
