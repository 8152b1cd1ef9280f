// A timeline's months, and the parts in which the host gives their photos: how they are named, and where they begin.
import * as api from "../base/api.js";
import { paired, timeOf } from "../photos/photo-words.js";

/**
 * @typedef {object} Month
 * @property {string} key
 * @property {number} total
 * @property {number} count
 * @property {number} start
 * @property {Map<number, number>} hidden
 */

/**
 * @typedef {object} Part
 * @property {Photo[] | null} photos
 * @property {Photo[]} [listed]
 * @property {AbortController} stop
 * @property {boolean} isHeld
 * @property {Promise<Photo[] | null>} [loading]
 */

/** As many as the host gives at a time. */
export const perPart = 500;

/**
 * @param {string} month
 * @param {number} skip
 */
export const keyOf = (month, skip) => `${month}|${skip}`;

/** @param {string} key */
export function namesIn(key) {
    const [month, skip] = key.split("|");
    return { month, skip: Number(skip) };
}

/**
 * `listed` as the host lists them, `photos` as they are shown.
 * @param {Photo[]} listed
 */
export const shownOf = (listed) => ({ listed, photos: paired(listed) });
/** @param {Photo[]} listed */
export const partOf = (listed) => ({ ...shownOf(listed), stop: new AbortController(), isHeld: false });
/** @param {{listed?: Photo[], photos: Photo[] | null}} part */
export const hiddenIn = ({ listed = [], photos }) => listed.length - (photos?.length ?? 0);

/**
 * @param {[string, number][]} months
 * @returns {Month[]}
 */
export const sectionsOf = (months) => months.map(([key, total]) => ({ key, total, count: total, start: 0, hidden: new Map() }));
/** @param {Iterable<number>} numbers */
export const sum = (numbers) => [...numbers].reduce((all, one) => all + one, 0);

/**
 * How many photos of a month lie before each of its parts.
 * @param {Month} month
 */
export const partsOf = ({ total }) => Array.from({ length: Math.ceil(total / perPart) }, (_, index) => index * perPart);

/**
 * The place of the first photo of a part, or behind the last one.
 * @param {Month} month
 * @param {number} skip
 */
export function startOf({ start, total, hidden }, skip) {
    if (skip === 0) return start;
    const before = sum([...hidden].filter(([part]) => part < skip).map(([, count]) => count));
    return start + Math.min(total, skip) - before;
}

// Where a timeline comes from: all photos of the vault, or those that the host lists below another address.

/**
 * @typedef {object} Source
 * @property {() => Promise<[string, number][]>} months
 * @property {(month: string, skip: number, signal: AbortSignal) => Promise<Record<string, any>>} month
 */

/**
 * All photos of the vault.
 * @type {Source}
 */
export const whole = { months: api.timeline, month: api.timelineMonth };

/**
 * What the host lists below another address, in the same way: `base` is that without "/timeline", `query` what goes with each
 * question.
 * @param {string} base
 * @param {string} [query]
 * @returns {Source}
 */
export function sourceAt(base, query = "") {
    /**
     * @param {string} [month]
     * @param {number} [skip]
     */
    const address = (month, skip = 0) => {
        const asked = [query, skip > 0 ? `skip=${skip}` : ""].filter(Boolean).join("&");
        return `${base}/timeline${month ? `/${month}` : ""}${asked ? `?${asked}` : ""}`;
    };
    return {
        months: () => api.request("GET", address()),
        month: (month, skip, signal) => api.request("GET", address(month, skip), undefined, { signal }),
    };
}

/**
 * One object for each photo, out of lists that stand beside each other.
 * @param {Record<string, any[]>} columns
 * @returns {Photo[]}
 */
export function photosIn(columns) {
    const names = Object.keys(columns).filter((name) => Array.isArray(columns[name]));
    return columns.id.map((_, index) => {
        /** @type {any} */
        const photo = {};
        for (const name of names) if (columns[name][index] !== null) photo[name] = columns[name][index];
        return photo;
    });
}

// Photos in the order in which they were taken.

/**
 * By that clock, to be compared: milliseconds, as if it had shown UTC.
 * @param {Photo} photo
 * @returns {number}
 */
export function wallTimeOf(photo) {
    const text = timeOf(photo);
    if (text.length <= 10) return Date.parse(`${text.padEnd(10, "-01").slice(0, 10)}T12:00:00Z`);
    const [wall] = /^[\d-]+T[\d:.]+/.exec(text) ?? [""];
    if (photo.takenAt) return Date.parse(`${wall}Z`);
    const moment = Date.parse(text);
    return moment - new Date(moment).getTimezoneOffset() * 60_000;
}

/**
 * As it happened. Of those of one moment the last of a list is the first: lists begin with the newest.
 * @param {Photo[]} photos
 * @returns {Photo[]}
 */
export function oldestFirst(photos) {
    const times = new Map(photos.map((photo) => [photo, wallTimeOf(photo)]));
    return [...photos].reverse().sort((one, other) => (times.get(one) ?? 0) - (times.get(other) ?? 0));
}
