// A listing whose photos are known from the first place to the last one that has come: what the host gives page by page.
import * as api from "../base/api.js";
import { request } from "../base/api.js";
import { host } from "../base/browser.js";
import { paired, standsAlone } from "../photos/photo-words.js";

/** The same interface as a `Timeline`; a subclass says in which section a photo stands, and fetches. Emits `change`. */
export class ShortList extends EventTarget {
    /** @type {Photo[]} */ photos;
    /** @type {Map<string, number>} */ places;
    /** @type {Section[]} */ sections;
    /** @type {boolean | undefined} */ isDisposed;

    constructor() {
        super();
        this.isLoaded = false;
        /** @type {unknown} */
        this.error = null;
        this.set([]);
    }

    get isLoading() { return !this.isLoaded && this.error === null; }
    get count() { return this.photos.length; }

    dispose() { this.isDisposed = true; }

    /** `keyOf(photo, previous)`: the section of a photo, the same as that of the one before where they belong together.
     * @param {Photo[]} photos @param {(photo: Photo, previous: Photo | null) => string} [keyOf] */
    set(photos, keyOf = () => "") {
        this.photos = photos;
        this.places = new Map(photos.map((photo, place) => [photo.id, place]));
        this.sections = [];
        /** @type {Photo | null} */ let last = null;
        photos.forEach((photo, place) => {
            const key = keyOf(photo, last);
            let section = this.sections.at(-1);
            if (section?.key !== key) {
                section = { key, start: place, count: 0 };
                this.sections.push(section);
            }
            section.count += 1;
            last = photo;
        });
    }

    /** Asks the host again; what is shown stays until it has answered. */
    async refresh() {
        try {
            this.show(await this.fetch());
            this.error = null;
            this.isLoaded = true;
        } catch (error) {
            this.error = error;
        }
        this.changed();
    }

    /** A subclass asks the host.
     * @returns {Promise<Photo[]>} */
    async fetch() { return this.photos; }

    /** A subclass puts them into sections.
     * @param {Photo[]} photos */
    show(photos) { this.set(photos); }

    retry() { return this.refresh(); }
    refreshSoon() {}
    /** @param {number} from @param {number} to */
    need(from, to) {}
    /** @param {number} place @returns {Photo | null} */
    at(place) { return this.photos[place] ?? null; }
    /** @param {string} id */
    placeOf(id) { return this.places.get(id ?? "") ?? -1; }
    /** @param {number} place @returns {Section | null} */
    sectionAt(place) { return this.sections.findLast(({ start }) => start <= place) ?? null; }
    /** @param {number} from @param {number} to */
    async between(from, to) { return this.photos.slice(Math.max(0, from), to); }
    async all() { return this.photos; }
    /** @param {Photo} photo */
    async find(photo) { return this.placeOf(photo.id); }

    /** @param {string[]} ids */
    remove(ids) {
        const gone = new Set(ids);
        this.show(this.photos.filter((photo) => !gone.has(photo.id)));
        this.changed();
    }

    changed() { if (!this.isDisposed) this.dispatchEvent(new Event("change")); }
}

// What was added in the last days, the newest first, by what came together: wherever it stands among all photos.

/** How far back it goes; what came last is shown however long ago that was. */
const mostAge = 30 * 86_400_000;
/** Photos between which nothing came for so long were added one time and another. */
const pauseBetween = 15 * 60_000;
/** Places before the end of what has come at which the next page is asked for. */
const ahead = 120;

/** What came together is counted to its end up to so many photos, before anybody scrolls there. */
const mostCounted = 5000;

/** The key of a section is when its newest photo came, so far as is known, and the last one that came before a pause. */
export class RecentList extends ShortList {
    /** @type {Promise<void> | null | undefined} */ coming;
    /** @type {object | undefined} */ generation;

    /** @param {() => number} [now] */
    constructor(now = () => Date.now()) {
        super();
        this.now = now;
        /** @type {Photo[]} */
        this.listed = [];
        /** @type {string | null} */
        this.cursor = null;
    }

    /** As many pages as were here before: what is looked at is not taken away.
     * @returns {Promise<Photo[]>} */
    async fetch() {
        const wanted = this.listed.length;
        this.generation = {};
        let { photos, cursor } = await api.photos();
        while (photos.length < wanted && cursor) {
            const page = await api.photos(cursor);
            photos = [...photos, ...page.photos];
            cursor = page.cursor;
        }
        this.cursor = cursor;
        return photos;
    }

    /** Without those that came longer ago.
     * @param {Photo[]} photos */
    show(photos) {
        const recent = this.recent(photos);
        if (recent.length < photos.length) this.cursor = null;
        this.listed = recent;
        this.set(paired(recent.filter(standsAlone)), keyOfBatch());
        const last = this.sections.at(-1);
        // More of it may follow on the next page.
        if (last && this.cursor) last.isOpen = true;
    }

    /** All files that came together, also those that stand in no place of their own.
     * @param {Section} section @returns {Promise<Photo[]>} */
    async batch({ key }) {
        while (this.cursor && this.sections.at(-1)?.key === key && !this.isDisposed) await this.more();
        const keyOf = keyOfBatch();
        const keys = this.listed.map((photo, place) => keyOf(photo, this.listed[place - 1] ?? null));
        const first = this.sections.find((section) => section.key === key);
        // Where a video came behind its photo, the one that is listed is not the newest.
        const own = keys[this.listed.findIndex(({ id }) => id === this.photos[first?.start ?? -1]?.id)];
        return this.listed.filter((_, place) => keys[place] === own && first !== undefined);
    }

    /** @param {Photo[]} photos */
    recent(photos) {
        const oldest = this.now() - mostAge;
        /** @type {Photo | null} */ let last = null;
        const end = photos.findIndex((photo) => {
            const isOver = last && timeOf(photo) < oldest && timeOf(last) - timeOf(photo) > pauseBetween;
            last = photo;
            return isOver;
        });
        return end < 0 ? photos : photos.slice(0, end);
    }

    /** @param {number} from @param {number} to */
    need(from, to) {
        const isCounted = !this.sectionAt(to - 1)?.isOpen || this.count >= mostCounted;
        if (to + ahead > this.count || !isCounted) this.more().catch(() => {});
    }

    /** The next page, if there is one; one at a time.
     * @returns {Promise<void>} */
    more() {
        if (!this.cursor || this.isDisposed) return Promise.resolve();
        this.coming ??= this.fetchMore().finally(() => { this.coming = null; });
        return this.coming;
    }

    async fetchMore() {
        const { generation } = this;
        const { photos, cursor } = await api.photos(this.cursor);
        // Asked for behind a list that is another by now.
        if (generation !== this.generation) return;
        this.cursor = cursor;
        this.show([...this.listed, ...photos]);
        this.changed();
    }

    async all() {
        while (this.cursor && !this.isDisposed) await this.more();
        return this.photos;
    }

    /** @param {string[]} ids */
    remove(ids) {
        const gone = new Set(ids);
        this.show(this.listed.filter((photo) => !gone.has(photo.id)));
        this.changed();
    }
}

/** @param {Photo} photo */
const timeOf = ({ receivedAt }) => Date.parse(receivedAt);

/** What came together has the key of the first that is listed of it, the newest.
 * @returns {(photo: Photo, previous: Photo | null) => string} */
function keyOfBatch() {
    let key = "";
    return (photo, previous) => {
        if (!previous || timeOf(previous) - timeOf(photo) > pauseBetween) key = photo.receivedAt;
        return key;
    };
}

// What looks like one photo, the nearest first.

export class SimilarList extends ShortList {
    /** @param {Photo} photo */
    constructor(photo) {
        super();
        this.photo = photo;
    }

    /** @returns {Promise<Photo[]>} */
    async fetch() {
        return (await request("GET", `/api/similar?photo=${encodeURIComponent(this.photo.id)}`)).photos;
    }

    /** @param {Photo[]} photos */
    show(photos) { this.set(paired(photos.filter(standsAlone)), () => "similar"); }
}

// What lies in "Recently deleted", by how long it still does.

const day = 86_400_000;

/** The days until a photo is gone, counted as people do: at least one while it is still there.
 * @param {Photo} photo @param {number} [kept] @param {number} [now] @returns {number} */
export function daysLeft(photo, kept = host.trashDays, now = Date.now()) {
    return Math.min(kept, Math.max(1, kept - Math.floor((now - Date.parse(photo.deletedAt ?? "")) / day)));
}

/** The keys of its sections are days. */
export class TrashList extends ShortList {
    /** @returns {Promise<Photo[]>} */
    async fetch() {
        /** @type {Photo[]} */ const photos = [];
        /** @type {string | null | undefined} */ let cursor;
        do {
            const page = await api.trash(cursor);
            photos.push(...page.photos);
            cursor = page.cursor;
        } while (cursor);
        return photos;
    }
    /** @param {Photo[]} photos */
    show(photos) { this.set(photos.filter(standsAlone), (photo) => String(daysLeft(photo))); }
}
