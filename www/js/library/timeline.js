// The photos of a vault by month. How many there are is known at once; who they are, where somebody looks.
import * as api from "../base/api.js";
import { companionsOf, filesOf } from "../photos/photo-words.js";
import { turn } from "../base/dom.js";
import { hiddenIn, keyOf, namesIn, partOf, perPart, photosIn, sectionsOf, shownOf, startOf, sum, TimelinePlaces, whole } from "./timeline-months.js";

/** @typedef {import("./timeline-months.js").Month} Month */
/** @typedef {import("./timeline-months.js").Part} Part */
/** @typedef {import("./timeline-months.js").Source} Source */

const requestsAtOnce = 3;
/** How often all months are read for a list that moves on and on. */
const mostRounds = 4;
/** The host looks into new photos one after the other; where each belongs is asked for together. */
const pauseBeforeRefresh = 3000;

/** Emits `change`. A place is a number from 0, the newest photo, to `count`. `sections` are
 * `{key: "2024-05", count, start}`, `start` being the place of their first photo. The videos of Live Photos have no
 * places of their own: a section counts them until its photos are here (`total`, `hidden` by the part they are in). Ids
 * are of this session and are never stored. */
export class Timeline extends TimelinePlaces {
    /** @type {Promise<void> | null | undefined} */ refreshing;
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */ timer;

    /** @param {Source} [source] */
    constructor(source = whole) {
        super();
        this.source = source;
        this.isLoaded = false;
        /** @type {unknown} */
        this.error = null;
        /** Months that are looked at before the host lists them: what is on its way stands there.
         * @type {string[]} */
        this.expected = [];
        /** How often the months were asked for; and of which question the answer is shown. */
        this.asked = 0;
        this.answered = 0;
        this.stop = new AbortController();
    }

    get isLoading() { return !this.isLoaded && this.error === null; }

    dispose() {
        this.isDisposed = true;
        this.stop.abort();
        clearTimeout(this.timer);
        for (const part of this.parts.values()) part.stop.abort();
    }

    /** Asks for the months again, and for what is looked at; then shows both at once. One question at a time.
     * @returns {Promise<void>} */
    refresh() {
        if (this.isDisposed) return Promise.resolve();
        this.isStale = true;
        this.refreshing ??= this.refreshAll().finally(() => { this.refreshing = null; });
        return this.refreshing;
    }

    async refreshAll() {
        while (this.isStale && !this.isDisposed) {
            this.isStale = false;
            const asked = this.asked += 1;
            try {
                const sections = sectionsOf(await this.source.months());
                const parts = await this.fetchSeen(sections);
                this.error = null;
                this.answered = asked;
                this.take(sections, parts);
            } catch (error) {
                this.error = error;
                this.isStale = true;
                this.changed();
                return;
            }
        }
    }

    /** The same, once nothing else has come for a while. */
    refreshSoon() {
        this.timer ??= setTimeout(() => {
            this.timer = null;
            this.refresh();
        }, pauseBeforeRefresh);
    }

    /** Goes on after an answer that was none. */
    retry() {
        if (!this.isLoaded || this.isStale) return this.refresh();
        this.error = null;
        this.pump();
        return Promise.resolve();
    }

    /** What is seen now is fetched before it is thrown away, so that nothing blinks.
     * @param {Month[]} sections */
    async fetchSeen(sections) {
        const keys = new Set(this.seen.filter((key) => this.parts.get(key)?.photos));
        if (sections.length > 0 && this.seen.includes(keyOf(this.sections[0]?.key ?? "", 0))) {
            keys.add(keyOf(sections[0].key, 0));
        }
        for (const month of this.expected) keys.add(keyOf(month, 0));
        const parts = new Map();
        for (const key of keys) {
            const { month, skip } = namesIn(key);
            const section = sections.find((candidate) => candidate.key === month);
            if (!section || skip >= section.total) continue;
            const part = partOf(photosIn(await this.source.month(month, skip, this.stop.signal)));
            // Something may have come since the months were counted.
            if (skip === 0 && part.listed.length < perPart) section.total = part.listed.length;
            section.hidden.set(skip, hiddenIn(part));
            parts.set(key, part);
        }
        return parts;
    }

    /** @param {Month[]} sections @param {Map<string, Part>} parts */
    take(sections, parts) {
        for (const [key, part] of this.parts) if (!parts.has(key)) part.stop.abort();
        this.parts = parts;
        this.isLoaded = true;
        for (const section of sections) this.remember(section);
        this.number(sections.filter(({ total }) => total > 0));
        this.changed();
    }

    // ---- loading

    /** What is looked at: it is loaded first, then what is `around`; a request for anything else is given up.
     * @param {number} from @param {number} to @param {number} [around] */
    need(from, to, around = 0) {
        this.seen = this.keysBetween(from, to);
        this.wanted = [...new Set([...this.seen, ...this.keysBetween(from - around, to + around)])];
        for (const [key, part] of this.parts) {
            if (part.photos || part.isHeld || this.wanted.includes(key)) continue;
            part.stop.abort();
            this.parts.delete(key);
        }
        this.pump();
    }

    pump() {
        if (this.error || this.isDisposed) return;
        for (const key of this.wanted ?? []) {
            const part = this.parts.get(key);
            if (part?.photos) this.touch(key, part);
            else if (!part && this.byKey.has(namesIn(key).month)) {
                if ([...this.parts.values()].filter(({ photos }) => !photos).length >= requestsAtOnce) return;
                this.load(key).catch((error) => this.failed(error));
            }
        }
        this.evict();
    }

    /** @param {unknown} error */
    failed(error) {
        if (this.isDisposed) return;
        this.error = error;
        this.changed();
    }

    /** Fetches a part; `isHeld`: also when nobody looks at it any more. Resolves with null where it was given up.
     * @param {string} key @param {boolean} [isHeld] @returns {Promise<Photo[] | null>} */
    load(key, isHeld = false) {
        /** @type {Part} */ const part = { photos: null, stop: new AbortController(), isHeld };
        this.parts.set(key, part);
        part.loading = this.fill(key, part);
        return part.loading;
    }

    /** @param {string} key @param {Part} part @returns {Promise<Photo[] | null>} */
    async fill(key, part) {
        const { month, skip } = namesIn(key);
        try {
            // Asked for while the gallery is drawn: a request takes as long to begin as a few rows do to be drawn.
            await turn();
            Object.assign(part, shownOf(photosIn(await this.source.month(month, skip, part.stop.signal))));
            if (this.parts.get(key) !== part) return part.photos;
            this.settle(key, part);
            this.changed();
            this.pump();
            return part.photos;
        } catch (error) {
            if (this.parts.get(key) === part) this.parts.delete(key);
            if (part.stop.signal.aborted) return null;
            throw error;
        }
    }

    /** A part is here: where it hides videos, everything behind it has other places.
     * @param {string} key @param {Part} part */
    settle(key, part) {
        const { month, skip } = namesIn(key);
        const section = /** @type {Month} */ (this.byKey.get(month));
        if ((section.hidden.get(skip) ?? 0) === hiddenIn(part)) {
            this.register(key);
            return;
        }
        section.hidden.set(skip, hiddenIn(part));
        this.number(this.sections.map((one) => ({ ...one })));
    }

    /** All photos between two places, also those that nobody has looked at: as they lie when this is called. What is here
     * is taken at once, since the list may move while the rest comes.
     * @param {number} from @param {number} to @returns {Promise<Photo[]>} */
    async between(from, to) {
        const pieces = this.keysBetween(from, to).map((key) => this.pieceOf(key, from, to));
        /** @type {Photo[][]} */ const photos = [];
        for (let start = 0; start < pieces.length; start += requestsAtOnce) {
            photos.push(...await Promise.all(pieces.slice(start, start + requestsAtOnce).map((piece) => piece())));
        }
        return photos.flat();
    }

    /** How to get what of a part lies between two places; bounds that it does not reach cut nothing off.
     * @param {string} key @param {number} from @param {number} to @returns {() => Photo[] | Promise<Photo[]>} */
    pieceOf(key, from, to) {
        const { month, skip } = namesIn(key);
        const section = /** @type {Month} */ (this.byKey.get(month));
        const [begin, end] = [skip, skip + perPart].map((edge) => startOf(section, edge));
        /** @param {Photo[]} photos */
        const cut = (photos) => photos.slice(Math.max(0, from - begin), to < end ? to - begin : photos.length);
        const here = this.parts.get(key)?.photos;
        if (!here) return async () => cut(await this.whole(key));
        const photos = cut(here);
        return () => photos;
    }

    /** A part that is here or comes: asked for again where another list has given it up meanwhile.
     * @param {string} key @returns {Promise<Photo[]>} */
    async whole(key) {
        while (!this.isDisposed && this.byKey.has(namesIn(key).month)) {
            const part = this.parts.get(key);
            const photos = part?.photos ?? await (part ? this.hold(part) : this.load(key, true));
            if (photos) return photos;
        }
        return [];
    }

    /** @param {Part} part */
    hold(part) {
        part.isHeld = true;
        return part.loading;
    }

    /** All photos, also those that nobody has looked at. While the host looks into new ones they go from month to month,
     * and one may leave a month that is still to be read for one that was: so months are read until as many files are
     * found as there are. Each goes but once: whoever was missed in one round is where the next one finds them.
     * @returns {Promise<Photo[]>} */
    async all() {
        /** @type {Map<string, Photo>} */ const found = new Map();
        for (let round = 0; round < mostRounds && !this.isDisposed; round += 1) {
            if (round > 0) await this.refreshOrFail();
            for (const photo of await this.between(0, this.count)) found.set(photo.id, photo);
            const files = new Set(filesOf([...found.values()]).map(({ id }) => id));
            const there = sum((await this.source.months()).map(([, count]) => count));
            if (files.size === there) break;
            // Some are gone: nobody can say which, before all are read once more.
            if (files.size > there && round + 1 < mostRounds) found.clear();
        }
        const along = new Set([...found.values()].flatMap(companionsOf).map(({ id }) => id));
        return [...found.values()].filter(({ id }) => !along.has(id));
    }

    /** What is known of the months from now on is no older than this call. */
    async refreshOrFail() {
        await this.refresh();
        if (this.error) throw this.error;
    }

    /** The place of a photo whose month nobody may have looked at; -1 where it is not listed.
     * @param {Photo} photo @returns {Promise<number>} */
    async find(photo) {
        if (await this.read(photo) || this.isDisposed) return this.placeOf(photo.id);
        // The host may have looked into it since: then it stands in another month.
        const now = await api.photo(photo.id).catch((error) => {
            if (error instanceof api.Unreachable) throw error;
            return null;
        });
        if (now && !now.deletedAt) {
            await this.refreshOrFail();
            await this.read(now);
        }
        return this.placeOf(photo.id);
    }

    /** Reads the month of a photo until it is found there; false where it is not.
     * @param {Photo} photo */
    async read(photo) {
        const month = (photo.takenAt ?? photo.receivedAt ?? "").slice(0, 7);
        for (let skip = 0; this.placeOf(photo.id) < 0;) {
            if (skip >= (this.byKey?.get(month)?.total ?? 0)) return false;
            const photos = await this.whole(keyOf(month, skip));
            // Another list may have come meanwhile: then it is read again.
            if (!photos.some(({ id }) => id === photo.id)) skip += perPart;
        }
        return true;
    }

    // ---- changing

    /** Takes photos out that the host has taken out. What is not here is asked for again.
     * @param {string[]} ids */
    remove(ids) {
        const gone = new Set(ids);
        /** @type {Map<string, number>} */ const taken = new Map();
        for (const [key, part] of this.parts) {
            const { month, skip } = namesIn(key);
            const section = /** @type {Month} */ (this.byKey.get(month));
            const { listed } = part;
            const kept = listed?.filter((photo) => !gone.has(photo.id));
            if (listed && kept) taken.set(month, (taken.get(month) ?? 0) + listed.length - kept.length);
            // A part that is not the last one of its month lacks those that follow now.
            if (!kept || kept.length === 0 || section.total > perPart) this.drop(key, part);
            else {
                const shown = shownOf(kept);
                Object.assign(part, shown);
                section.hidden.set(skip, hiddenIn(shown));
            }
        }
        this.number(this.sections.map((section) => ({ ...section, total: section.total - (taken.get(section.key) ?? 0) }))
            .filter(({ total }) => total > 0));
        this.changed();
        this.refresh();
    }
}

