// When chosen photos were taken, read before they are sent: each is seen in its own month at once.
import { firstLookAt } from "../files/file-reading.js";

/** @typedef {{item: Item, file: File, resolve: (value?: any) => void}} Wanted */

/** Milliseconds for which nothing is sent before the dates of all are known: where each stands is seen sooner, and stays so. */
const headStart = 3000;
/** The way to the worker and back is longer than the reading. */
const atOnce = 6;

export class UploadDates {
    /**
     * `onRead(item)` is called once `item.taken` is known: `{wall, offset, precision}`, `{}`, or null, as `dateOf` has it.
     * `onAhead()`: others may be read and sent now, too.
     * @param {(item: Item) => void} onRead
     * @param {() => void} onAhead
     */
    constructor(onRead, onAhead) {
        this.onRead = onRead;
        this.onAhead = onAhead;
        this.isFirst = false;
        /** @type {Wanted[]} */
        this.waiting = [];
        this.running = 0;
    }

    /**
     * Those first that were changed last: they stand above most others, which then have nobody to make room for. Gives
     * nothing; `item.dating` resolves when all is known of it that will be.
     * @param {Item[]} items
     */
    want(items) {
        if (items.length > 0 && !this.isReading) {
            this.isFirst = true;
            this.timer = setTimeout(() => this.giveWay(), headStart);
        }
        const chosen = items.map((item) => ({ item, file: /** @type {File} */ (item.file) }));
        for (const { item, file } of chosen.sort((one, other) => other.file.lastModified - one.file.lastModified)) {
            item.dating = new Promise((resolve) => { this.waiting.push({ item, file, resolve }); });
        }
        this.pump();
    }

    /**
     * It goes next: its date goes along.
     * @param {Item} item
     */
    hurry(item) {
        const index = this.waiting.findIndex((one) => one.item === item);
        if (index > 0) this.waiting.unshift(...this.waiting.splice(index, 1));
    }

    get isReading() { return this.running > 0 || this.waiting.length > 0; }

    giveWay() {
        clearTimeout(this.timer);
        if (!this.isFirst) return;
        this.isFirst = false;
        this.onAhead();
    }

    forget() {
        clearTimeout(this.timer);
        this.isFirst = false;
        for (const { resolve } of this.waiting.splice(0)) resolve();
    }

    pump() {
        while (this.running < atOnce && this.waiting.length > 0) this.read(/** @type {Wanted} */ (this.waiting.shift()));
    }

    /** @param {Wanted} one */
    async read({ item, file, resolve }) {
        this.running += 1;
        // What cannot be read shows that when it is sent.
        const { taken, first } = await firstLookAt(file).catch(() => ({ taken: null, first: null }));
        Object.assign(item, { taken, first });
        this.running -= 1;
        resolve();
        this.onRead(item);
        this.pump();
        if (!this.isReading) this.giveWay();
    }
}
