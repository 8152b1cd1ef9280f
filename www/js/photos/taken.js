// When a photo was taken, as the clock on the wall there showed it; when it came, where nobody knows.
import { format, t } from "../base/i18n.js";

const dayLength = 86_400_000;

/**
 * With a zone, or without one, the time says itself what the clock showed; only an instant (`Z`) is told in ours. Of old
 *  photos often no more is known than the day, the month or the year.
 * @param {string} text
 */
function clock(text) {
    if (text.length <= 10) return { date: new Date(text), timeZone: "UTC" };
    const wall = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?!.*Z$)/.exec(text)?.[1];
    return wall ? { date: new Date(`${wall}Z`), timeZone: "UTC" } : { date: new Date(text), timeZone: undefined };
}

/**
 * @param {Photo} photo
 * @returns {string}
 */
export function timeOf(photo) {
    // A zone that had to be guessed is UTC by chance: the clock is shown as the timeline counts it.
    return photo.takenAt?.replace(/Z$/, "") ?? photo.receivedAt;
}

/**
 * "3 May 2024" of an ISO 8601 text.
 * @param {string} text
 * @returns {string}
 */
export function dayOf(text) {
    const { date, timeZone } = clock(text);
    if (text.length < 8) return format(date, { year: "numeric", month: text.length > 4 ? "long" : undefined, timeZone });
    return format(date, { dateStyle: "long", timeZone });
}

/**
 * "Fri 3" of an ISO 8601 text: the day within its month.
 * @param {string} text
 * @returns {string}
 */
export function dayInMonth(text) {
    const { date, timeZone } = clock(text);
    return format(date, { weekday: "short", day: "numeric", timeZone });
}

/**
 * "3 May 2024 at 14:02" of an ISO 8601 text.
 * @param {string} text
 * @returns {string}
 */
export function dayAndTimeOf(text) {
    if (text.length <= 10) return dayOf(text);
    const { date, timeZone } = clock(text);
    return format(date, { dateStyle: "long", timeStyle: "short", timeZone });
}

/**
 * "Today, 14:02" of an ISO 8601 text: when something came here.
 * @param {string} text
 * @param {Date} [now]
 * @returns {string}
 */
export function batchWords(text, now = new Date()) {
    /** @param {Date} date */
    const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
    const days = Math.round((midnight(now) - midnight(new Date(text))) / dayLength);
    /** @type {string | undefined} */
    const key = { 0: "recent.today", 1: "recent.yesterday" }[days];
    return key ? t(key, { time: hourOf(text) }) : dayAndTimeOf(text);
}

/**
 * "14:02" of an ISO 8601 text.
 * @param {string} text
 * @returns {string}
 */
export function hourOf(text) {
    if (text.length <= 10) return "";
    const { date, timeZone } = clock(text);
    return format(date, { timeStyle: "short", timeZone });
}

/**
 * "0:31", "1:02:07" of a number of seconds.
 * @param {number} seconds
 * @returns {string}
 */
export function lengthOf(seconds) {
    const whole = Math.max(0, Math.round(seconds));
    const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    return (parts[0] > 0 ? parts : parts.slice(1))
        .map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}
