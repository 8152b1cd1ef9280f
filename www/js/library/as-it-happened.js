// Photos in the order in which they were taken.
import { timeOf } from "../photos/taken.js";

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
