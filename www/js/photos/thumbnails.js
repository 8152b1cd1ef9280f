// Thumbnails of many photos in one answer: length (4 bytes), kind (1), content, one after the other in the order asked.
import * as api from "../base/api.js";
import { Slice, turn } from "../base/dom.js";

const kinds = ["picture", "pending", "none", "unknown", "provisional"];
const headLength = 5;
/** Seconds for which the host may wait for a picture that is being made. */
export const wait = 15;
const glance = 1;
/** Questions that wait so long, of all tabs. */
const mostWaiting = 2;
/** More than any thumbnail has: what announces it is not ours. */
const longestPart = 1 << 21;

/** Questions that wait at the host hold a connection each, of which a browser has six for all of its tabs: `work` gets so many
 * seconds that a few tabs wait, and the others ask again.
 * @param {(seconds: number) => Promise<void>} work @returns {Promise<void>} */
export async function waiting(work) {
    if (!navigator.locks) return work(document.hidden ? glance : wait);
    const names = Array.from({ length: mostWaiting }, (_, index) => `pictures ${index}`);
    /** @param {string[]} names @returns {Promise<void>} */
    const next = ([name, ...others]) => (name === undefined ? work(glance) : navigator.locks.request(name, { ifAvailable: true },
        (lock) => (lock ? work(wait) : next(others))));
    return next(names);
}

/** Where nobody has to wait.
 * @param {(seconds: number) => Promise<void>} work */
export const withoutWaiting = (work) => work(wait);

/** Calls `onPart(index, { kind, content })` as parts arrive. `own`: those of the host alone, for others are here.
 * @param {string[]} ids @param {{wait: number, own?: boolean, signal: AbortSignal}} options
 * @param {(index: number, part: {kind: string, content: Uint8Array}) => void} onPart */
export async function fetchThumbnails(ids, { wait, own = false, signal }, onPart) {
    const answer = await api.stream("/api/thumbnails", { ids, wait, own }, signal);
    const reader = answer.getReader();
    /** @type {Uint8Array} */ let rest = new Uint8Array(0);
    for (let index = 0; index < ids.length;) {
        const { done, value } = await reader.read();
        // What came before a lock is not shown after it.
        signal.throwIfAborted();
        if (done) throw new api.Unreachable("the answer ended early");
        rest = joined(rest, value);
        let slice = new Slice();
        for (let part = take(rest); part; part = take(rest)) {
            rest = rest.subarray(part.length);
            onPart(index, part);
            index += 1;
            if (!slice.isOver) continue;
            await turn();
            signal.throwIfAborted();
            slice = new Slice();
        }
    }
}

/** @param {Uint8Array} first @param {Uint8Array} second */
function joined(first, second) {
    if (first.length === 0) return second;
    const all = new Uint8Array(first.length + second.length);
    all.set(first);
    all.set(second, first.length);
    return all;
}

/** The first part, and how many bytes it takes; null where it is not here whole.
 * @param {Uint8Array} bytes */
function take(bytes) {
    if (bytes.length < headLength) return null;
    const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
    if (length < 1 || length > longestPart) throw new api.Unreachable("an answer that is not ours");
    if (bytes.length < 4 + length) return null;
    return { kind: kinds[bytes[4]] ?? "unknown", content: bytes.slice(headLength, 4 + length), length: 4 + length };
}

/** @param {Uint8Array} content @returns {string} */
export function pictureType(content) {
    return content[0] === 0xff ? "image/jpeg" : "image/webp";
}

// Thumbnails that were fetched, as addresses for the page: a bounded number, and none after the vault is locked.

const mostPictures = 400;
const mostBytes = 32_000_000;

export class PictureStore {
    constructor() {
        /** @type {Map<string, {address: string, size: number, isRough: boolean}>} */
        this.kept = new Map();
        this.byteCount = 0;
    }

    /** The address of a photo's thumbnail; null when it is not here.
     * @param {string} id @returns {string | null} */
    get(id) {
        const found = this.kept.get(id);
        if (!found) return null;
        // The last one used is the last to go.
        this.kept.delete(id);
        this.kept.set(id, found);
        return found.address;
    }

    /** True of one that another should take the place of.
     * @param {string} id @returns {boolean} */
    isRough(id) { return this.kept.get(id)?.isRough ?? false; }

    /** @param {string} id @param {Blob} blob @param {{isRough?: boolean}} options @returns {string} */
    put(id, blob, { isRough = false } = {}) {
        this.drop(id);
        const address = URL.createObjectURL(blob);
        this.kept.set(id, { address, size: blob.size, isRough });
        this.byteCount += blob.size;
        for (const oldest of this.kept.keys()) {
            if (this.kept.size <= mostPictures && this.byteCount <= mostBytes) break;
            this.drop(oldest);
        }
        return address;
    }

    /** True where there is one under that name.
     * @param {string} from @param {string} to @returns {boolean} */
    rename(from, to) {
        const found = this.kept.get(from);
        if (found && !this.kept.has(to)) {
            this.kept.delete(from);
            this.kept.set(to, found);
        }
        return this.kept.has(to);
    }

    /** @param {string} id */
    drop(id) {
        const found = this.kept.get(id);
        if (!found) return;
        URL.revokeObjectURL(found.address);
        this.byteCount -= found.size;
        this.kept.delete(id);
    }

    clear() {
        for (const id of [...this.kept.keys()]) this.drop(id);
    }
}
