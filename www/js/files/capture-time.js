// When a photo was taken, chosen among what it says, its name and the time of its file: by the rules of the host.
import { civil, day, hourOfDay, lengths, precisions, thousandths } from "./civil-time.js";

/** @typedef {CivilTime & {isInstant?: boolean}} Time */

/**
 * @typedef {object} Sources
 * @property {TakenTime | null} read
 * @property {string} name
 * @property {number} fileTime
 * @property {number} [written]
 * @property {number} now
 * @property {(moment: number) => number} [zoneAt]
 */

const hour = 3_600_000;
const quarter = 900_000;
/** Photography began in 1826. */
const earliest = -4_544_208_000_000;
/** Beginnings of clocks, and what Android wrote as a stock value. */
const stock = new Set([-2_082_844_800_000, 0, 315_532_800_000, 1_039_348_800_000]);

/**
 * `{wall, offset, precision, isInstant}` of what `civil` gives; an instant is known in UTC, and perhaps in no zone.
 * @param {CivilTime} time
 * @param {boolean} [isInstant]
 * @returns {TakenTime}
 */
export const taken = (time, isInstant = time.offset !== null) => ({ ...time, isInstant });
/**
 * @param {number} milliseconds
 * @returns {TakenTime}
 */
export const instant = (milliseconds) => ({ wall: milliseconds, offset: null, precision: "moment", isInstant: true });
/** @param {CivilTime} time */
const momentOf = ({ wall, offset }) => wall - (offset ?? 0) * 60_000;

/**
 * @param {CivilTime} time
 * @param {number} now
 */
function canBeTrue(time, now) {
    const moment = momentOf(time);
    /** @param {number} value */
    const second = (value) => Math.floor(value / 1000) * 1000;
    if (moment < earliest || moment > now + day) return false;
    return time.precision !== "moment" || (!stock.has(second(moment)) && !stock.has(second(time.wall)));
}

/**
 * The first that can be true, and what those behind it know better of the same time.
 * @param {(TakenTime | null | undefined)[]} times
 * @param {number} now
 * @returns {TakenTime | null}
 */
export function firstTrue(times, now) {
    const possible = /** @type {TakenTime[]} */ (times.filter((time) => time && canBeTrue(time, now)));
    const [first = null, ...others] = possible;
    return first && others.reduce(filledIn, first);
}

/**
 * The other, where that tells more of the same time: the month of this year, the clock of this day.
 * @template {CivilTime} T
 * @param {T} time
 * @param {T} other
 * @returns {T}
 */
function filledIn(time, other) {
    if (precisions.indexOf(other.precision) >= precisions.indexOf(time.precision)) return time;
    const [ours, theirs] = [time, other].map(({ wall }) => new Date(wall).toISOString().slice(0, lengths[time.precision]));
    return ours === theirs ? other : time;
}

/**
 * Minutes east of UTC of this device's zone at a moment.
 * @param {number} moment
 */
const zoneHere = (moment) => -new Date(moment).getTimezoneOffset();

/**
 * `{wall, offset, precision}`, null where nobody knows: what the file says about itself (`read`), else a full date in its
 * name, else when it was written (`written`, as the file says it, or `fileTime`, the earlier one). `zoneAt` gives the zone of an instant that has none.
 * @param {Sources} sources
 * @returns {CivilTime | null}
 */
export function chosenTime({ read, name, fileTime, written = NaN, now, zoneAt = zoneHere }) {
    const named = firstTrue([nameTime(name)], now);
    const [file = null] = [written, fileTime].flatMap((milliseconds) => fileTimeOf(milliseconds, now) ?? [])
        .sort((one, other) => one.wall - other.wall);
    /** @param {TakenTime | null} time */
    const zoned = (time) => inZone(time, named, zoneAt);
    /** @type {CivilTime | null} */
    let time = zoned(firstTrue([read], now) ?? named ?? file);
    if (time && named) time = filledIn(time, /** @type {CivilTime} */ (zoned(named)));
    // When a file was written says nothing of a year in which its picture was taken.
    return time?.precision === "day" && file ? filledIn(time, /** @type {CivilTime} */ (zoned(file))) : time;
}

/**
 * @param {TakenTime | null} time
 * @param {TakenTime | null} named
 * @param {(moment: number) => number} zoneAt
 */
function inZone(time, named, zoneAt) {
    if (!time?.isInstant || time.offset !== null) return time;
    const offset = quartersBetween(time.wall, named) ?? zoneAt(time.wall);
    return { ...time, wall: time.wall + offset * 60_000, offset };
}

/**
 * Null where it tells nothing: the beginning of a clock in any zone, or the moment of the copy.
 * @param {number} milliseconds
 * @param {number} now
 */
function fileTimeOf(milliseconds, now) {
    if (!Number.isFinite(milliseconds) || Math.abs(milliseconds - now) <= 60_000) return null;
    const isBeginning = [0, 315_532_800_000].some((start) => milliseconds >= start - 14 * hour && milliseconds < start + 36 * hour);
    return isBeginning ? null : firstTrue([instant(milliseconds)], now);
}

/**
 * Zones differ by quarters of an hour. A video's name may tell its beginning, and its container the end.
 * @param {number} moment
 * @param {TakenTime | null} named
 */
function quartersBetween(moment, named) {
    if (!named || named.isInstant || named.precision !== "moment") return null;
    const difference = named.wall - moment;
    const count = Math.floor((difference + quarter / 2) / quarter);
    return Math.abs(difference - count * quarter) <= 120_000 && count >= -48 && count <= 56 ? count * 15 : null;
}

// ---- names

/**
 * What cameras, phones and messengers write into names.
 * @param {string} name
 * @returns {TakenTime | null}
 */
export function nameTime(name) {
    const run = name.match(/\d+/g)?.find((digits) => digits.length === 13);
    if (run && Number(run) >= 1_000_000_000_000 && Number(run) <= 4_102_444_800_000) return instant(Number(run));
    for (const { index = 0 } of name.matchAll(/\d+/g)) {
        const text = name.slice(index);
        const time = (name[index - 1] === "@" ? dayFirst(text) : null) ?? timeAt(text);
        // Google's phones write UTC, all others the clock on the wall.
        if (time) return taken(time, time.precision === "moment" && name.includes("PXL_"));
    }
    return null;
}

/**
 * `31-01-2024_12-34-56`, as Telegram's exports have it. Elsewhere nobody knows which number is the day.
 * @param {string} text
 */
function dayFirst(text) {
    const found = /^(\d\d)-(\d\d)-(\d{4})/.exec(text);
    const clock = found && clockAt(text.slice(found[0].length));
    if (!clock) return null;
    const [date, month, year] = found.slice(1).map(Number);
    return inYears(civil({ year, month, date, ...clock }), { year });
}

/** @param {string} text */
function timeAt(text) {
    const chinese = /^(\d{4})\u5e74(\d\d?)\u6708(\d\d?)\u65e5/.exec(text);
    if (chinese) {
        const [year, month, date] = chinese.slice(1).map(Number);
        return inYears(civil({ year, month, date, hour: 12, precision: "day" }), { year });
    }
    // Two separators of a date are alike: `31-01-2024_12-34` is none of December.
    const [all, year, , month, date] = /^(\d{4})([-_.])(\d\d)\2(\d\d)/.exec(text) ?? /^(\d{4})()(\d\d)(\d\d)/.exec(text) ?? [];
    // Eight digits alone may be any number: none of them is a day of the nineteenth century.
    if (!all || (Number(year) < 1900 && /^\d{5}/.test(text))) return null;
    const found = { year: Number(year), month: Number(month), date: Number(date) };
    const rest = text.slice(all.length);
    const clock = clockAt(rest);
    if (clock) return inYears(civil({ ...found, ...clock }), found);
    // More digits would make another number of what looked like a date.
    return /^\d/.test(rest) ? null : inYears(civil({ ...found, hour: 12, precision: "day" }), found);
}

/**
 * @param {CivilTime | null} time
 * @param {{year: number}} found
 */
const inYears = (time, { year }) => (year >= 1826 && year <= 2099 ? time : null);

const separateClock = /^(\d\d|\d(?!\d))[-_.:h](\d\d)[-_.:m](\d\d)(\d{3})?/;
const plainClock = /^(\d\d|\d(?!\d))(\d\d)(\d\d)(\d{3})?/;

/** Which half of the day it is, in languages that say so before the clock. */
const half = /^(?:(\u4e0b\u5348|\u5348\u5f8c|\uc624\ud6c4)|\u4e0a\u5348|\u5348\u524d|\uc624\uc804) ?/;

/**
 * After any few signs, a `T`, a short word for "at" of any language, or which half of the day it is.
 * @param {string} text
 */
function clockAt(text) {
    let rest = text.slice(/** @type {RegExpExecArray} */ (/^[ \-_Tat.]{0,4}/.exec(text))[0].length);
    const [words, isAfternoon] = half.exec(rest) ?? [];
    const word = words ?? /^[^\d._-]{0,9}\.? (?=\d)/u.exec(rest)?.[0] ?? "";
    if (words || new TextEncoder().encode(word).length <= 10) rest = rest.slice(word.length);
    const found = separateClock.exec(rest) ?? plainClock.exec(rest);
    if (!found) return null;
    const [all, hour, minute, second, fraction = ""] = found;
    const behind = rest.slice(all.length);
    const onDay = words ? (Number(hour) <= 12 ? Number(hour) % 12 + (isAfternoon ? 12 : 0) : null) : hourOfDay(Number(hour), behind)?.hour ?? null;
    if (/^\d/.test(behind) || onDay === null || Number(minute) > 59 || Number(second) > 59) return null;
    return { hour: onDay, minute: Number(minute), second: Number(second), millisecond: fraction ? thousandths(fraction) : 0 };
}
