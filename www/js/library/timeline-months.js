// A timeline's months, and the parts in which the host gives their photos: how they are named, and where they begin.
import { paired } from "../photos/live-photos.js";

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
