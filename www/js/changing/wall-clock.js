// What somebody says of the clock on the wall where a photo was taken: as a field for day and time takes it, and so many minutes
// later or earlier.
import { timeOf } from "../photos/taken.js";

const minute = 60_000;

/**
 * What a field for day and time shows of a photo: of old ones often only the year, the month or the day is known. Empty where
 * nothing is.
 * @param {Photo} photo
 * @returns {string}
 */
export function fieldValue(photo) {
    if (!photo.takenAt) return "";
    const time = timeOf(photo);
    const full = time.length <= 10 ? `${time}-01-01`.slice(0, 10) + "T12:00" : time;
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?/.exec(full)?.[0] ?? "";
}

/**
 * What such a field has, in the zone that the file of the photo says.
 * @param {string} value
 * @param {Photo} photo
 * @returns {string}
 */
export const withZone = (value, { takenAt = "" }) => value + (/[+-]\d\d:\d\d$/.exec(takenAt)?.[0] ?? "");

/**
 * So many minutes later, or earlier where they are negative; null where there is no such time.
 * @param {string} value
 * @param {number} minutes
 * @returns {string | null}
 */
export function shifted(value, minutes) {
    const after = new Date(Date.parse(`${value}Z`) + minutes * minute);
    return Number.isNaN(after.getTime()) ? null : after.toISOString().replace(/\.\d+Z$/, "");
}
