// Files are read and hashed by a worker, which is asked here.
import { Unreachable } from "../base/api.js";
import { leaveIfOutdated, threadAddress } from "../base/browser.js";

/** @typedef {{resolve: (answer: any) => void, reject: (error: Error) => void}} Asked */

/** The device cannot read the file any more, or it has changed; `code` says what is wrong within an archive. */
export class Unreadable extends Error {
    /** @param {string} words @param {string} [code] */
    constructor(words, code) {
        super(words);
        this.code = code;
    }
}

/** The second comes with the first archive. */
const addresses = ["./upload-worker.js", "./archive-worker.js"].map((name) => String(new URL(name, import.meta.url)));

/** @type {(Worker | null)[]} */ const workers = [null, null];
let nextId = 1;
/** @type {Map<number, Asked & {index: number}>} */ const asked = new Map();

/** `{digest, facts}` of the bytes from `begin` up to, but not with, `end`: SHA-256, or null over plain HTTP, where browsers
 * offer no digest; what `sniff` says of them, where `wantsFacts`. Throws `Unreadable`, and `Unreachable` where the host did
 * not give the worker.
 * @param {File} file @param {number} begin @param {number} end @param {{wantsFacts?: boolean}} options
 * @returns {Promise<Reading>} */
export function read(file, begin, end, { wantsFacts = false } = {}) {
    const { archive, entry } = file;
    return entry ? ask({ file: archive, entry, begin, end, wantsFacts: false }, 1) : ask({ file, begin, end, wantsFacts });
}

/** `{entries}`, as `listArchive` of `archive-list.js` gives them, or `{fault}`: the code of why there are none.
 * @param {File} file
 * @returns {Promise<{entries: ArchiveEntry[], fault?: undefined} | {entries?: undefined, fault: string}>} */
export const entriesOf = (file) => ask({ file }, 1);

/** Of files that lie in no archive, in their order, what `listArchive` says of entries.
 * @param {{file: File, path: string}[]} files @returns {Promise<Pick<ArchiveEntry, "refusal" | "mentions" | "lists" | "adjusts">[]>} */
export const verdictsOn = async (files) => (await ask({ files }, 1)).verdicts;

/** `{picture, isRough}`: a small picture of a photo, as a Blob, null where this browser cannot decode it; rough where it is the
 * one that the camera put into the file.
 * @param {Blob} file @returns {Promise<{picture: Blob | null, isRough: boolean}>} */
export function smallPictureOf(file) {
    return ask({ file, isPicture: true });
}

/** `{picture}`: the bytes of one for other devices, null where there is none that is cheap, or none at all.
 * @param {Blob} file @param {{mayDecode: boolean}} options @returns {Promise<{picture: Uint8Array | null}>} */
export function sharedPictureOf(file, { mayDecode }) {
    return ask({ file, isShared: true, mayDecode });
}

/** `{taken, first}`: when it was taken, as `dateOf` says it, null where that cannot be told here; of a short file what `read` says.
 * @param {File} file @returns {Promise<{taken: Partial<CivilTime> | null, first: Reading | null}>} */
export function firstLookAt(file) {
    return ask({ file, isDate: true });
}

/** @param {object} question
 * @param {number} [index] of the worker
 * @returns {Promise<any>} */
function ask(question, index = 0) {
    return new Promise((resolve, reject) => {
        const worker = workers[index] ??= start(index);
        asked.set(nextId, { resolve, reject, index });
        worker.postMessage({ ...question, id: nextId });
        nextId += 1;
    });
}

/** Fetches the worker before a file is chosen. */
export function prepareToRead() {
    workers[0] ??= start(0);
}

/** @param {number} index */
function start(index) {
    const made = new Worker(threadAddress(addresses[index]), { type: "module" });
    made.addEventListener("message", ({ data }) => {
        const { resolve, reject } = /** @type {Asked} */ (asked.get(data.id));
        asked.delete(data.id);
        if (data.failure) reject(new Unreadable(data.failure, data.code));
        else resolve(data);
    });
    made.addEventListener("error", (event) => {
        // Whoever asked tries again later, with another worker.
        event.preventDefault();
        made.terminate();
        workers[index] = null;
        for (const [id, one] of asked) {
            if (one.index === index && asked.delete(id)) one.reject(new Unreachable("the worker did not come"));
        }
        // Without an answer nobody knows yet.
        leaveIfOutdated().catch(() => {});
    });
    return made;
}

// Parts of files, for the page and its worker.

/** The bytes from `begin` up to, but not with, `end`. For each part that is made the browser asks a process of its own.
 * @template {{size: number, slice: (begin?: number, end?: number) => any}} F @param {F} file @param {number} begin
 * @param {number} end @returns {F extends Blob ? Blob : any} */
export const part = (file, begin, end) => (begin === 0 && end === file.size ? file : file.slice(begin, end));

/** What a file is, with all of its bytes at hand.
 * @param {File} file @param {ArrayBuffer} buffer @returns {FileLike} */
export const inMemory = ({ name, type, lastModified }, buffer) => ({ name, type, lastModified, size: buffer.byteLength,
    slice: (begin = 0, end = undefined) => ({ arrayBuffer: async () => buffer.slice(begin, end) }) });

// A file piece by piece. Each is hashed before it is sent, and the host compares: what was hashed is what it keeps, whatever
// happens to the file meanwhile. The bytes go from the disk to the network by themselves; the page holds none of them.

/** @typedef {{body: Blob | ArrayBuffer, end: number, digest: Uint8Array | null, facts: FileFacts | null}} Piece */

/** Where the way is fast, pieces become so many times as long: between two of them the host brings all to its disk. */
const mostTimes = 4;
/** Pieces after which that begins: most files have fewer. */
const mostSmall = 4;
/** Milliseconds in which a piece has to go for that: what a broken connection costs stays little. */
const fast = 500;

/** Of a few short ones, put together. Null over plain HTTP, where browsers offer no digest.
 * @param {...Uint8Array} parts @returns {Promise<Uint8Array | null>} */
export async function sha256(...parts) {
    if (!crypto.subtle) return null;
    const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let at = 0;
    for (const part of parts) {
        all.set(part, at);
        at += part.length;
    }
    return new Uint8Array(await crypto.subtle.digest("SHA-256", all));
}

export class FilePieces {
    /** `byteCount` is how much the host wants at once; `first()` what was read of a short file already, or null.
     * @param {File} file @param {number} byteCount @param {(() => Promise<Reading | null>) | null} first */
    constructor(file, byteCount, first) {
        this.file = file;
        this.byteCount = byteCount;
        this.stride = byteCount;
        /** Pieces in a row that went fast. */
        this.count = 0;
        /** What was read or is being read: `{end, reading}` by where it begins.
         * @type {Map<number, {end: number, reading: Promise<Reading>}>} */
        this.readings = new Map();
        this.first = first;
    }

    /** `{body, end, digest, facts}`; the facts are those of the beginning. Throws as `read`.
     * @param {number} offset @returns {Promise<Piece>} */
    async at(offset) {
        const { end, reading } = this.begin(offset, this.stride);
        const { digest, facts, body = part(this.file, offset, end) } = await reading;
        return { body, end, digest, facts };
    }

    /** Begins to read what comes next.
     * @param {number} offset */
    readAhead(offset) {
        // Whoever asks for it hears of the error.
        if (offset < this.file.size || offset === 0) this.begin(offset, this.stride).reading.catch(() => {});
    }

    /** The digest of one of the pieces in which the host wants it, however it is sent.
     * @param {number} offset @returns {Promise<Uint8Array | null>} */
    async digestAt(offset) {
        const known = this.readings.get(offset);
        if (known?.end === this.endOf(offset, this.byteCount)) return (await known.reading).digest;
        return (await read(this.file, offset, this.endOf(offset, this.byteCount))).digest;
    }

    /** @param {number} offset @param {number} byteCount */
    endOf(offset, byteCount) { return Math.min(offset + byteCount, this.file.size); }

    /** @param {number} offset @param {number} stride @returns {{end: number, reading: Promise<Reading>}} */
    begin(offset, stride) {
        if (!this.readings.has(offset)) {
            const end = this.endOf(offset, offset === 0 ? this.byteCount : stride);
            const reading = offset === 0 ? this.readFirst(end) : read(this.file, offset, end);
            reading.catch(() => this.forget(offset));
            this.readings.set(offset, { end, reading });
        }
        return /** @type {{end: number, reading: Promise<Reading>}} */ (this.readings.get(offset));
    }

    /** @param {number} end @returns {Promise<Reading>} */
    async readFirst(end) {
        const known = await this.first?.();
        this.first = null;
        return known ?? read(this.file, 0, end, { wantsFacts: true });
    }

    /** A piece is on the host's disk; it took so many milliseconds.
     * @param {number} offset @param {number} milliseconds */
    passed(offset, milliseconds) {
        if (offset > 0) this.forget(offset);
        this.count = milliseconds < fast ? this.count + 1 : 0;
        if (this.count >= mostSmall) this.stride = Math.min(2 * this.stride, mostTimes * this.byteCount);
    }

    /** After a connection that broke, the next one begins with small pieces. */
    calm() {
        this.stride = this.byteCount;
        this.count = 0;
        for (const offset of this.readings.keys()) if (offset > 0) this.forget(offset);
    }

    /** What was unpacked is not held while its file waits. */
    release() {
        if (this.file.entry) this.readings.clear();
    }

    /** The host got other bytes than those, or has them: they are read again when they are asked for.
     * @param {number} offset */
    forget(offset) {
        this.readings.delete(offset);
    }
}
