// A timeline's months, and the parts in which the host gives their photos: how they are named, and where they begin.
import * as api from "../base/api.js";
import { filesOf, paired, timeOf } from "../photos/photo-words.js";

/** @typedef {{key: string, total: number, count: number, start: number, hidden: Map<number, number>}} Month */

/** @typedef {{photos: Photo[] | null, listed?: Photo[], stop: AbortController, isHeld: boolean,
 *     loading?: Promise<Photo[] | null>}} Part */

/** As many as the host gives at a time. */
export const perPart = 500;

/** @param {string} month @param {number} skip */
export const keyOf = (month, skip) => `${month}|${skip}`;

/** @param {string} key */
export function namesIn(key) {
    const [month, skip] = key.split("|");
    return { month, skip: Number(skip) };
}

/** `listed` as the host lists them, `photos` as they are shown.
 * @param {Photo[]} listed */
export const shownOf = (listed) => ({ listed, photos: paired(listed) });
/** @param {Photo[]} listed */
export const partOf = (listed) => ({ ...shownOf(listed), stop: new AbortController(), isHeld: false });
/** @param {{listed?: Photo[], photos: Photo[] | null}} part */
export const hiddenIn = ({ listed = [], photos }) => listed.length - (photos?.length ?? 0);

/** @param {[string, number][]} months @returns {Month[]} */
export const sectionsOf = (months) => months.map(([key, total]) => ({ key, total, count: total, start: 0, hidden: new Map() }));
/** @param {Iterable<number>} numbers */
export const sum = (numbers) => [...numbers].reduce((all, one) => all + one, 0);

/** How many photos of a month lie before each of its parts.
 * @param {Month} month */
export const partsOf = ({ total }) => Array.from({ length: Math.ceil(total / perPart) }, (_, index) => index * perPart);

/** The place of the first photo of a part, or behind the last one.
 * @param {Month} month @param {number} skip */
export function startOf({ start, total, hidden }, skip) {
    if (skip === 0) return start;
    const before = sum([...hidden].filter(([part]) => part < skip).map(([, count]) => count));
    return start + Math.min(total, skip) - before;
}

// Where a timeline comes from: all photos of the vault, or those that the host lists below another address.

/** @typedef {{months: () => Promise<[string, number][]>,
 *     month: (month: string, skip: number, signal: AbortSignal) => Promise<Record<string, any>>}} Source */

/** All photos of the vault.
 * @type {Source} */
export const whole = { months: api.timeline, month: api.timelineMonth };

/** What the host lists below another address, in the same way: `base` is that without "/timeline", `query` what goes with each
 * question.
 * @param {string} base @param {string} [query] @returns {Source} */
export function sourceAt(base, query = "") {
    /** @param {string} [month] @param {number} [skip] */
    const address = (month, skip = 0) => {
        const asked = [query, skip > 0 ? `skip=${skip}` : ""].filter(Boolean).join("&");
        return `${base}/timeline${month ? `/${month}` : ""}${asked ? `?${asked}` : ""}`;
    };
    return {
        months: () => api.request("GET", address()),
        month: (month, skip, signal) => api.request("GET", address(month, skip), undefined, { signal }),
    };
}

/** One object for each photo, out of lists that stand beside each other. Of a place they have the number alone.
 * @param {Record<string, any[]>} columns @returns {Photo[]} */
export function photosIn(columns) {
    const names = Object.keys(columns).filter((name) => Array.isArray(columns[name]));
    return columns.id.map((_, index) => {
        /** @type {any} */ const photo = {};
        for (const name of names) if (columns[name][index] !== null) photo[name === "place" ? "placeID" : name] = columns[name][index];
        return photo;
    });
}

// Photos in the order in which they were taken.

/** By that clock, to be compared: milliseconds, as if it had shown UTC.
 * @param {Photo} photo @returns {number} */
export function wallTimeOf(photo) {
    const text = timeOf(photo);
    if (text.length <= 10) return Date.parse(`${text.padEnd(10, "-01").slice(0, 10)}T12:00:00Z`);
    const [wall] = /^[\d-]+T[\d:.]+/.exec(text) ?? [""];
    if (photo.takenAt) return Date.parse(`${wall}Z`);
    const moment = Date.parse(text);
    return moment - new Date(moment).getTimezoneOffset() * 60_000;
}

/** As it happened. Of those of one moment the last of a list is the first: lists begin with the newest.
 * @param {Photo[]} photos @returns {Photo[]} */
export function oldestFirst(photos) {
    const times = new Map(photos.map((photo) => [photo, wallTimeOf(photo)]));
    return [...photos].reverse().sort((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
}

/** Parts that are kept; those that were looked at last. */
const mostParts = 24;

/** @param {{name: string, size: number}} file */
const fileOf = ({ name, size }) => `${size}/${name}`;

/** @type {WeakMap<Photo[], Map<string, Photo[]>>} */ const files = new WeakMap();

/** Thousands may ask one after the other.
 * @param {Photo[]} photos */
function byFile(photos) {
    const known = files.get(photos);
    if (known) return known;
    /** @type {Map<string, Photo[]>} */ const found = new Map();
    for (const photo of photos) found.set(fileOf(photo), [...found.get(fileOf(photo)) ?? [], photo]);
    files.set(photos, found);
    return found;
}

/** The photos that are here, by their places and their parts. */
export class TimelinePlaces extends EventTarget {
    /** @type {Map<string, Month>} */ byKey;
    /** @type {Month[]} */ sections = [];
    count = 0;
    isDisposed = false;
    /** @type {Map<string, Part>} */ parts = new Map();
    /** @type {Map<string, number>} */ places = new Map();
    /** @type {string[]} */ seen = [];
    /** @type {string[] | undefined} */ wanted;

    /** Whoever asks the host does so again, once nothing else has come for a while. */
    refreshSoon() {}

    /** What is known of a month that nobody looks at now holds while it has as many photos.
     * @param {Month} section */
    remember(section) {
        const before = this.byKey?.get(section.key);
        if (before?.total !== section.total) return;
        for (const [skip, count] of before.hidden) if (!section.hidden.has(skip)) section.hidden.set(skip, count);
    }

    /** Gives all of `sections`, and the photos that are here, their places.
     * @param {Month[]} sections */
    number(sections) {
        this.count = 0;
        this.places.clear();
        for (const section of sections) {
            section.count = section.total - sum(section.hidden.values());
            section.start = this.count;
            this.count += section.count;
        }
        this.sections = sections;
        this.byKey = new Map(sections.map((section) => [section.key, section]));
        for (const [key, { photos }] of this.parts) {
            if (photos && this.byKey.has(namesIn(key).month)) this.register(key);
        }
    }

    /** Its photos can be found by their ids from now on. A month that is not what it was is asked for again.
     * @param {string} key */
    register(key) {
        const { month, skip } = namesIn(key);
        const { photos, listed } = /** @type {{listed: Photo[], photos: Photo[]}} */ (this.parts.get(key));
        const section = /** @type {Month} */ (this.byKey.get(month));
        const start = startOf(section, skip);
        photos.forEach((photo, index) => {
            for (const { id } of filesOf([photo])) this.places.set(id, start + index);
        });
        if (listed.length !== Math.min(perPart, section.total - skip)) this.refreshSoon();
    }

    /** The photo at a place; null where it is not here yet.
     * @param {number} place @returns {Photo | null} */
    at(place) {
        const section = this.sectionAt(place);
        if (!section) return null;
        const skip = section.total <= perPart ? 0
            : partsOf(section).findLast((candidate) => startOf(section, candidate) <= place) ?? 0;
        return this.parts.get(keyOf(section.key, skip))?.photos?.[place - startOf(section, skip)] ?? null;
    }

    /** The place of a photo; -1 where it is not here.
     * @param {string | null | undefined} id @returns {number} */
    placeOf(id) { return this.places.get(id ?? "") ?? -1; }

    /** What is here of a month and has this name and size.
     * @param {string} month @param {{name: string, size: number}} file @returns {Photo[]} */
    namesakes(month, file) {
        const section = this.byKey?.get(month);
        if (!section) return [];
        return partsOf(section).flatMap((skip) => {
            const photos = this.parts.get(keyOf(month, skip))?.photos;
            return photos ? byFile(photos).get(fileOf(file)) ?? [] : [];
        });
    }

    /** @param {number} place @returns {Month | null} */
    sectionAt(place) {
        if (place < 0 || place >= this.count) return null;
        let low = 0;
        let high = this.sections.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.sections[middle].start <= place) low = middle;
            else high = middle - 1;
        }
        return this.sections[low];
    }

    /** The keys of the parts that hold the places from `from` up to, but not with, `to`.
     * @param {number} from @param {number} to @returns {string[]} */
    keysBetween(from, to) {
        /** @type {string[]} */ const keys = [];
        for (const section of this.sections) {
            const { key, start, count } = section;
            if (start >= to || start + count <= from) continue;
            for (const skip of partsOf(section)) {
                if (startOf(section, skip) < to && startOf(section, skip + perPart) > from) keys.push(keyOf(key, skip));
            }
        }
        return keys;
    }

    /** @param {string} key @param {Part} part */
    drop(key, part) {
        part.stop.abort();
        this.parts.delete(key);
    }

    /** @param {string} key @param {Part} part */
    touch(key, part) {
        this.parts.delete(key);
        this.parts.set(key, part);
    }

    evict() {
        let excess = [...this.parts.values()].filter(({ photos }) => photos).length - mostParts;
        for (const [key, part] of this.parts) {
            if (excess <= 0) return;
            if (!part.photos || this.wanted?.includes(key)) continue;
            for (const { id } of part.listed ?? []) this.places.delete(id);
            this.parts.delete(key);
            excess -= 1;
        }
    }

    changed() { if (!this.isDisposed) this.dispatchEvent(new Event("change")); }
}
