// When a photo was taken, chosen among what it says, its name and the time of its file: by the rules of the host.
import { civil, day, hourOfDay, isNamed, isZone, lengths, precisions, thousandths, yearLast } from "./civil-time.js";

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
/** 1904-01-01, 1970-01-01, 1980-01-01: where clocks begin that nobody has set. */
const beginnings = [-2_082_844_800_000, 0, 315_532_800_000];
/** Where cameras begin, too, and where people took photos: 2000-01-01. */
const millennium = 946_684_800_000;
/** What Android wrote as a stock value, and others as theirs. */
const stock = new Set([1_039_348_800_000, millennium]);
/** A video's name may tell its beginning, and its container the end; a photo is written a little after the shutter. */
const patience = 120_000;

/**
 * `{wall, offset, precision, isInstant}` of what `civil` gives; an instant is known in UTC, and perhaps in no zone.
 * @param {CivilTime} time
 * @param {boolean} [isInstant]
 * @returns {TakenTime}
 */
export const taken = (time, isInstant = time.offset !== null || time.isUTC === true) => ({ ...time, isInstant });
/**
 * @param {number} milliseconds
 * @returns {TakenTime}
 */
export const instant = (milliseconds) => ({ wall: milliseconds, offset: null, precision: "moment", isInstant: true });
/** @param {CivilTime} time */
export const momentOf = ({ wall, offset }) => wall - (offset ?? 0) * 60_000;

/**
 * @param {TakenTime} time
 * @param {number} now
 */
function canBeTrue(time, now) {
    const moment = momentOf(time);
    if (moment < earliest || moment > now + day) return false;
    return time.precision !== "moment" || !isOfUnsetClock(time);
}

/**
 * Within the first hour of a clock that nobody has set, or what devices write that have none.
 * @param {TakenTime} time
 */
function isOfUnsetClock(time) {
    const isBeginning = [momentOf(time), time.wall].some((value) => stock.has(Math.floor(value / 1000) * 1000)
        || beginnings.some((start) => value >= start && value < start + hour));
    if (isBeginning || time.isInstant) return isBeginning;
    // 1970 began in UTC, and a clock shows its own zone, of which nothing is said here. Noon is what people write.
    return time.wall >= -12 * hour && time.wall < 15 * hour && time.wall !== 12 * hour;
}

/**
 * Believed where nobody says otherwise.
 * @param {TakenTime} time
 */
export const isDoubtful = ({ wall, precision }) => precision === "moment" && wall >= millennium && wall < millennium + hour;

/**
 * The first that can be true, and what those behind it know better of the same time.
 * @param {(TakenTime | null | undefined)[]} times
 * @param {number} now
 * @returns {TakenTime | null}
 */
export function firstTrue(times, now) {
    const believed = /** @type {TakenTime[]} */ (times.filter((time) => time && canBeTrue(time, now)));
    const [first = null, ...others] = [...believed.filter((time) => !isDoubtful(time)), ...believed.filter(isDoubtful)];
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
    return isSame(time, other, time.precision) ? other : time;
}

/**
 * @param {CivilTime} one
 * @param {CivilTime} other
 * @param {CivilTime["precision"]} precision
 */
function isSame(one, other, precision) {
    const [first, second] = [one, other].map(({ wall }) => new Date(wall).toISOString().slice(0, lengths[precision]));
    return first === second;
}

/**
 * Minutes east of UTC of this device's zone at a moment.
 * @param {number} moment
 */
const zoneHere = (moment) => -new Date(moment).getTimezoneOffset();

/**
 * `{wall, offset, precision}`, null where nobody knows: what the file says about itself (`read`), else a full date in its
 * name, else when it was changed last, else when it was written (`written`, as the file says it, or `fileTime`, the earlier one).
 * `zoneAt` gives the zone of an instant that has none.
 * @param {Sources} sources
 * @returns {CivilTime | null}
 */
export function chosenTime({ read, name, fileTime, written = NaN, now, zoneAt = zoneHere }) {
    const named = nameTimes(name).find((time) => canBeTrue(time, now)) ?? null;
    const [file = null] = [written, fileTime].flatMap((milliseconds) => fileTimeOf(milliseconds, now) ?? [])
        .sort((one, other) => one.wall - other.wall);
    /** @param {TakenTime | null} time */
    const zoned = (time) => inZone(time, named, zoneAt);
    const own = firstTrue([read], now);
    /** @type {CivilTime | null} */
    let time = zoned(own && named ? ofBoth(own, named, zoned) : own ?? named ?? file);
    if (time && named) time = filledIn(time, /** @type {CivilTime} */ (zoned(named)));
    // When a file was written says nothing of a year in which its picture was taken.
    return time?.precision === "day" && file ? filledIn(time, /** @type {CivilTime} */ (zoned(file))) : time;
}

/**
 * A full date in the name comes before the last change, and before a clock that may not have been set; on the same day the earlier
 * one is nearer to the shutter. Nobody scans a picture before it is taken: an earlier date in the name is that of the shutter.
 * @param {TakenTime} own
 * @param {TakenTime} named
 * @param {(time: TakenTime) => TakenTime | null} zoned
 */
function ofBoth(own, named, zoned) {
    const [ours, theirs] = /** @type {TakenTime[]} */ ([zoned(own), zoned(named)]);
    if (!own.isChange && !isDoubtful(own)) {
        const isEarlier = theirs.wall < ours.wall && !isSame(ours, theirs, "day") && filledIn(theirs, ours) !== ours;
        return own.isScan && isEarlier ? named : own;
    }
    if (!isSame(ours, theirs, "day")) return named;
    if ([ours, theirs].some(({ precision }) => precision !== "moment")) {
        return precisions.indexOf(theirs.precision) <= precisions.indexOf("day") ? own : named;
    }
    return ours.wall <= theirs.wall + patience ? own : named;
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
 * Zones differ by quarters of an hour.
 * @param {number} moment
 * @param {TakenTime | null} named
 */
function quartersBetween(moment, named) {
    if (!named || named.isInstant || named.precision !== "moment") return null;
    return zoneBetween(moment, named.wall, patience);
}

/**
 * What lies between an instant and a clock on the wall, in minutes; null for what no place has.
 * @param {number} moment
 * @param {number} wall
 * @param {number} most how far they may be apart beside their zones
 */
export function zoneBetween(moment, wall, most) {
    const count = Math.floor((wall - moment + quarter / 2) / quarter);
    return Math.abs(wall - moment - count * quarter) <= most && isZone(count * 15) ? count * 15 : null;
}

// ---- names

/**
 * What cameras, phones and messengers write into names, the clearest first.
 * @param {string} name
 * @returns {TakenTime[]}
 */
export function nameTimes(name) {
    /** @type {TakenTime[]} */
    const times = [];
    let passed = 0;
    for (const { index = 0 } of name.matchAll(/\d+/g)) {
        if (index < passed) continue;
        const text = name.slice(index);
        const last = yearLast(text, /^(\d\d?)([-_.])(\d\d?)\2(\d{4})(?!\d)/, name[index - 1] === "@")
            ?? yearLast(text, /^(\d\d)()(\d\d)(\d{4})(?!\d)/) ?? worded(name.slice(0, index), text);
        // What follows are no month and no day of this year.
        if (last) passed = index + last.length;
        const time = last ? last.date && onDay(last.date, text.slice(last.length)) : timeAt(text);
        // Google's phones write UTC, all others the clock on the wall.
        if (time) times.push(taken(time, time.precision === "moment" && (time.isUTC === true || name.includes("PXL_"))));
    }
    // Numbers of goods have as many digits, so whatever else a name tells comes before them.
    const counts = (name.match(/\d+/g) ?? []).filter((digits) => digits.length === 13).map(Number)
        .filter((count) => count >= 1_000_000_000_000 && count <= 4_102_444_800_000);
    const period = periodOf(name.replace(/\.[^.]*$/, "").replace(/\(\d*\)$/, "").replace(/ +$/, ""));
    return [...times, ...counts.map(instant), ...(period ? [taken(period, false)] : [])];
}

const months = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/**
 * 1 to 12, 0 for no month. Those of other languages are names of people and places, too.
 * @param {string} word
 */
function monthOf(word) {
    const small = word.toLowerCase();
    return 1 + months.findIndex((month) => month === small || (month.startsWith(small) && (small.length === 3 || small === "sept")));
}

/**
 * `25 Jun 2019`, and behind the month `25, 2019`; and how long it is.
 * @param {string} before
 * @param {string} text
 */
function worded(before, text) {
    const inside = /^(\d\d?)[ \-_.]?([a-z]+)[ \-_.,]{0,2}(\d{4})(?!\d)/i.exec(text);
    const [word = ""] = /[a-z]+(?=[ \-_.]?$)/i.exec(before) ?? [];
    const behind = /^(\d\d?)(?:st|nd|rd|th)?[ \-_.,]{1,2}(\d{4})(?!\d)/.exec(text);
    const found = inside && monthOf(inside[2]) > 0 ? inside : monthOf(word) > 0 ? behind : null;
    const year = Number(found?.at(-1));
    return found && isNamed(year) ? { length: found[0].length, date: { year, month: monthOf(found === inside ? found[2] : word), date: Number(found[1]) } } : null;
}

/**
 * `1955` and `1955-07`, where that is all, or words follow the month: other numbers of four digits are mostly numbers.
 * @param {string} stem
 */
function periodOf(stem) {
    const [, year, month] = /^(\d{4})(?:[-_.](\d\d)(?:[ _](?!\d).*)?)?$/s.exec(stem) ?? [];
    if (year === undefined || !isNamed(Number(year))) return null;
    return civil({ year: Number(year), month: Number(month ?? 1), date: 1, hour: 12, precision: month === undefined ? "year" : "month" });
}

/**
 * @param {{year: number, month: number, date: number}} date
 * @param {string} rest
 */
function onDay(date, rest) {
    const clock = clockAt(rest);
    return (clock && civil({ ...date, ...clock })) ?? civil({ ...date, hour: 12, precision: "day" });
}

/** Two separators of a date are alike: `31-01-2024_12-34` is none of December. One digit is kept by hyphens; dots stand in versions, too. */
const separateDate = /^(\d{4})(?:([_.])(\d\d)\2(\d\d)|(-)(\d\d?)-(\d\d?))/;
/** Cameras of cars write the month and the day together, and a clock behind them. */
const pairedDate = /^(\d{4})[-_.](\d\d)(\d\d)(?!\d)/;

/** @param {string} text */
function timeAt(text) {
    const chinese = /^(\d{4})\u5e74(\d\d?)\u6708(\d\d?)\u65e5/.exec(text);
    if (chinese) {
        const [year, month, date] = chinese.slice(1).map(Number);
        return isNamed(year) ? civil({ year, month, date, hour: 12, precision: "day" }) : null;
    }
    const paired = pairedDate.exec(text);
    const found = separateDate.exec(text) ?? paired ?? /^(\d{4})(\d\d)(\d\d)/.exec(text);
    if (!found) return null;
    const [year, month, date] = found.slice(1).filter((part) => /^\d+$/.test(part ?? "")).map(Number);
    // Eight digits alone may be any number: none of them is a day of the nineteenth century.
    if (!isNamed(year) || (year < 1900 && /^\d{5}/.test(text))) return null;
    const rest = text.slice(found[0].length);
    const clock = clockAt(rest);
    const time = clock && civil({ year, month, date, ...clock });
    // More digits would make another number of what looked like a date.
    return time ?? (found === paired || /^\d/.test(rest) ? null : civil({ year, month, date, hour: 12, precision: "day" }));
}

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
    const hourOf = words ? (Number(hour) <= 12 ? Number(hour) % 12 + (isAfternoon ? 12 : 0) : null) : hourOfDay(Number(hour), behind)?.hour ?? null;
    if (/^\d/.test(behind) || hourOf === null || Number(minute) > 59 || Number(second) > 59) return null;
    return { hour: hourOf, minute: Number(minute), second: Number(second), millisecond: fraction ? thousandths(fraction) : 0,
        isUTC: /^Z(?![A-Za-z])/.test(behind) };
}
