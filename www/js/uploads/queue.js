// The upload queue as plain values: no network, no page, so that a test can drive every state.

/** Photos before videos, small before large: most of the pictures are safe early.
 * @param {Item} a @param {Item} b */
function order(a, b) {
    return a.rank - b.rank || a.place - b.place || a.size - b.size;
}

/** Browsers that do not know a format say nothing of its type: then the ending tells. */
const photoEnding = /\.(?:hei[cf]s?|hif|avif|dng|tiff?)$/i;
const videoEnding = /\.(?:mov|mp4|m4v|mkv|webm|3gp|mts)$/i;

/** Of what comes out of an archive that is packed as a whole, and can only be read in its order.
 * @param {{entry?: ArchiveEntry}} file */
const placeOf = ({ entry }) => (entry?.method === -1 ? 1 + entry.ordinal : 0);

/** 0 for a photo, 1 for any other file, 2 for a video.
 * @param {File} file */
function rankOf({ type, name, entry }) {
    if (placeOf({ entry }) > 0) return 1;
    if (type.startsWith("image/") || (type === "" && photoEnding.test(name))) return 0;
    return type.startsWith("video/") || (type === "" && videoEnding.test(name)) ? 2 : 1;
}

/** States of an item: `waiting`, `uploading`, `saved` (the host has it on disk), `failed` (needs attention). */
export class Queue {
    constructor() {
        /** @type {Map<number, Item>} */
        this.items = new Map();
        this.nextId = 1;
        /** @type {Record<ItemState, Set<Item>>} */
        this.states = { waiting: new Set(), uploading: new Set(), saved: new Set(), failed: new Set() };
        this.totalBytes = 0;
        this.savedBytes = 0;
        /** Counts of those whose names were forgotten at a lock. */
        this.earlier = { saved: 0, duplicates: 0, bytes: 0 };
    }

    get total() { return this.items.size + this.earlier.saved; }
    get saved() { return this.states.saved.size + this.earlier.saved; }
    /** Of the saved: those whose content was there before, so that nothing was kept twice. */
    get duplicates() {
        return [...this.states.saved].reduce((sum, item) => sum + (item.isDuplicate ? 1 : 0), this.earlier.duplicates);
    }
    get failed() { return this.states.failed.size; }
    get uploading() { return this.states.uploading.size; }
    get waiting() { return this.states.waiting.size; }
    /** Files that the host does not have yet and that can still go. */
    get unsent() { return this.waiting + this.uploading; }
    get isFinished() { return this.total > 0 && this.unsent === 0; }
    get waitingBytes() { return [...this.states.waiting].reduce((sum, item) => sum + item.size, 0); }

    /** Saved bytes and those on their way, the latter capped: all is there only when all is saved. */
    get share() {
        const going = this.totalBytes - this.failedBytes;
        if (this.isFinished || going <= 0) return this.isFinished ? 1 : 0;
        return Math.min(0.99, (this.savedBytes + this.inFlightBytes) / going);
    }

    get failedBytes() { return [...this.states.failed].reduce((sum, item) => sum + item.size, 0); }
    /** Also of what waits to go on: the host has its beginning. */
    get inFlightBytes() {
        const { uploading, waiting } = this.states;
        return [...uploading, ...waiting].reduce((sum, item) => sum + item.sent, 0);
    }

    /** A finished batch is left behind when new files come; what needs attention stays. `space` is the place for which
     * they were chosen.
     * @param {Iterable<File>} files @param {Space} space @param {string | null} [album] @returns {Item[]} */
    add(files, space, album = null) {
        if (this.isFinished) this.forgetSaved();
        const added = [...files].map((file) => {
            const [rank, place] = [rankOf(file), placeOf(file)];
            /** @type {Item} */
            const item = { id: this.nextId++, file, space, album, name: file.name, size: file.size, rank, place, state: null,
                sent: 0, path: null, offset: null, cid: null, pieces: null, picture: null,
                taken: null, first: null, dating: null, photo: null, reason: null, notBefore: 0,
                isDuplicate: false };
            this.items.set(item.id, item);
            this.totalBytes += item.size;
            return item;
        });
        const waiting = [...this.states.waiting, ...added].sort(order);
        this.states.waiting.clear();
        for (const item of waiting) this.move(item, "waiting");
        return added;
    }

    /** The next file for `space` that may start at `now`, or null.
     * @param {number} now @param {Space} space @returns {Item | null} */
    next(now, space) {
        for (const item of this.states.waiting) if (item.space === space && item.notBefore <= now) return item;
        return null;
    }

    /** The `count` files for `space` that go next.
     * @param {number} count @param {Space} space @returns {Item[]} */
    soon(count, space) {
        /** @type {Item[]} */ const items = [];
        for (const item of this.states.waiting) {
            if (items.length >= count) break;
            if (item.space === space) items.push(item);
        }
        return items;
    }

    /** When the earliest delayed file for `space` may start, or null when none waits.
     * @param {Space} space @returns {number | null} */
    nextTime(space) {
        /** @type {number | null} */ let earliest = null;
        for (const item of this.states.waiting) {
            if (item.space !== space) continue;
            if (earliest === null || item.notBefore < earliest) earliest = item.notBefore;
        }
        return earliest;
    }

    /** @param {Item} item */
    start(item) {
        this.move(item, "uploading");
    }

    /** @param {Item} item @param {number} sent */
    progress(item, sent) {
        item.sent = Math.min(sent, item.size);
    }

    /** Only once the host has answered that all of it is stored.
     * @param {Item} item @param {{isDuplicate?: boolean}} options */
    save(item, { isDuplicate = false } = {}) {
        item.file = null;
        item.pieces = null;
        item.isDuplicate = isDuplicate;
        item.sent = item.size;
        this.savedBytes += item.size;
        this.move(item, "saved");
    }

    /** @param {Item} item @param {string} reason */
    fail(item, reason) {
        item.reason = reason;
        item.sent = 0;
        this.move(item, "failed");
    }

    /** Back to the end of the waiting ones, not before `notBefore`.
     * @param {Item} item @param {number} [notBefore] */
    again(item, notBefore = 0) {
        item.sent = item.offset ?? 0;
        item.reason = null;
        item.notBefore = notBefore;
        this.move(item, "waiting");
    }

    /** `isCounted`: only their names are forgotten, and they still belong to what is told in the end.
     * @param {{isCounted?: boolean}} options */
    forgetSaved({ isCounted = false } = {}) {
        const { saved, duplicates, savedBytes: bytes } = this;
        for (const item of [...this.states.saved]) this.remove(item);
        this.forgetEarlier();
        if (!isCounted) return;
        this.earlier = { saved, duplicates, bytes };
        this.savedBytes += bytes;
        this.totalBytes += bytes;
    }

    forgetEarlier() {
        this.totalBytes -= this.earlier.bytes;
        this.savedBytes -= this.earlier.bytes;
        this.earlier = { saved: 0, duplicates: 0, bytes: 0 };
    }

    /** Files of which only the host knows: their answers were lost on the way.
     * @param {number} count */
    countUnnamed(count) {
        this.earlier = { ...this.earlier, saved: this.earlier.saved + count };
    }

    /** It was left out, but the host had it by then.
     * @param {Item} item */
    takeBack(item) {
        item.state = null;
        this.items.set(item.id, item);
        this.totalBytes += item.size;
    }

    /** @param {Item} item */
    remove(item) {
        this.totalBytes -= item.size;
        if (item.state === "saved") this.savedBytes -= item.size;
        if (item.state) this.states[item.state].delete(item);
        this.items.delete(item.id);
    }

    /** @param {Item} item @param {ItemState} state */
    move(item, state) {
        if (item.state) this.states[item.state].delete(item);
        item.state = state;
        this.states[state].add(item);
    }
}

/** Milliseconds without a byte after which nobody knows how fast the rest goes. */
const silence = 4000;

/** Speed as a moving average with a half-life of three seconds, so that the time left does not jump. */
export class Pace {
    constructor() {
        this.rate = 0;
        /** When the last byte left, or files began to go.
         * @type {number | null} */
        this.moved = null;
        /** @type {{byteCount: number, now: number} | null} */
        this.last = null;
        /** @type {number | null} */
        this.began = null;
    }

    /** `byteCount` sent so far, at `now` in milliseconds.
     * @param {number} byteCount @param {number} now */
    sample(byteCount, now) {
        const { last } = this;
        // What does not move for a moment is no slower: the next byte tells how long it took.
        if (byteCount === last?.byteCount) return;
        const isAnew = this.isSilent(now);
        // What is sent again has not got on.
        if (last === null || byteCount > last.byteCount) this.moved = now;
        if (last === null || byteCount < last.byteCount || isAnew) {
            // After a silence it is measured anew: the way may be another one.
            if (isAnew) this.rate = 0;
            this.last = { byteCount, now };
            this.began ??= now;
            return;
        }
        const seconds = (now - last.now) / 1000;
        if (seconds < 0.2) return;
        const rate = (byteCount - last.byteCount) / seconds;
        const weight = this.rate === 0 ? 1 : 1 - 0.5 ** (seconds / 3);
        this.rate += weight * (rate - this.rate);
        this.last = { byteCount, now };
    }

    /** Files begin to go, or go on.
     * @param {number} now */
    rest(now) { this.moved = now; }

    /** Whether no byte has left for seconds.
     * @param {number} now @returns {boolean} */
    isSilent(now) { return this.moved !== null && now - this.moved > silence; }

    /** Seconds for `byteCount` more, or null in the first five seconds and while nothing moves.
     * @param {number} byteCount @param {number} now @returns {number | null} */
    secondsFor(byteCount, now) {
        if (this.began === null || now - this.began < 5000 || this.rate < 1) return null;
        return byteCount / this.rate;
    }
}
