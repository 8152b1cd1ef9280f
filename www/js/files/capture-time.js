// When a photo was taken, chosen among what it says, its name and the time of its file: by the rules of the host.
import { civil, day, englishMonth, hourOfDay, isNamed, isZone, lengths, monthAnywhere, precisions, thousandths, yearLast } from "./civil-time.js";

/** @typedef {CivilTime & {isInstant?: boolean}} Time */

/** @typedef {{read: TakenTime | null, name: string, fileTime: number, written?: number, now: number,
 *     zoneAt?: (moment: number) => number}} Sources */

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

/** `{wall, offset, precision, isInstant}` of what `civil` gives; an instant is known in UTC, and perhaps in no zone.
 * @param {CivilTime} time @param {boolean} [isInstant] @returns {TakenTime} */
export const taken = (time, isInstant = time.offset !== null || time.isUTC === true) => ({ ...time, isInstant });
/** @param {number} milliseconds @returns {TakenTime} */
export const instant = (milliseconds) => ({ wall: milliseconds, offset: null, precision: "moment", isInstant: true });
/** @param {CivilTime} time */
export const momentOf = ({ wall, offset }) => wall - (offset ?? 0) * 60_000;

/** @param {TakenTime} time @param {number} now */
function canBeTrue(time, now) {
    const moment = momentOf(time);
    if (moment < earliest || moment > now + day) return false;
    return time.precision !== "moment" || !isOfUnsetClock(time);
}

/** Within the first hour of a clock that nobody has set, or what devices write that have none.
 * @param {TakenTime} time */
function isOfUnsetClock(time) {
    const isBeginning = [momentOf(time), time.wall].some((value) => stock.has(Math.floor(value / 1000) * 1000)
        || beginnings.some((start) => value >= start && value < start + hour));
    if (isBeginning || time.isInstant) return isBeginning;
    // 1970 began in UTC, and a clock shows its own zone, of which nothing is said here. Noon is what people write.
    return time.wall >= -12 * hour && time.wall < 15 * hour && time.wall !== 12 * hour;
}

/** Believed where nobody says otherwise.
 * @param {TakenTime} time */
export const isDoubtful = ({ wall, precision }) => precision === "moment" && wall >= millennium && wall < millennium + hour;

/** The first that can be true, and what those behind it know better of the same time.
 * @param {(TakenTime | null | undefined)[]} times @param {number} now @returns {TakenTime | null} */
export function firstTrue(times, now) {
    const believed = /** @type {TakenTime[]} */ (times.filter((time) => time && canBeTrue(time, now)));
    const [first = null, ...others] = [...believed.filter((time) => !isDoubtful(time)), ...believed.filter(isDoubtful)];
    return first && others.reduce(filledIn, first);
}

/** The other, where that tells more of the same time: the month of this year, the clock of this day.
 * @template {CivilTime} T @param {T} time @param {T} other @returns {T} */
function filledIn(time, other) {
    if (precisions.indexOf(other.precision) >= precisions.indexOf(time.precision)) return time;
    return isSame(time, other, time.precision) ? other : time;
}

/** @param {CivilTime} one @param {CivilTime} other @param {CivilTime["precision"]} precision */
function isSame(one, other, precision) {
    const [first, second] = [one, other].map(({ wall }) => new Date(wall).toISOString().slice(0, lengths[precision]));
    return first === second;
}

/** Minutes east of UTC of this device's zone at a moment.
 * @param {number} moment */
const zoneHere = (moment) => -new Date(moment).getTimezoneOffset();

/** `{wall, offset, precision}`, null where nobody knows: what the file says about itself (`read`), else a full date in its
 * name, else when it was changed last, else when it was written (`written`, as the file says it, or `fileTime`, the earlier one).
 * `zoneAt` gives the zone of an instant that has none.
 * @param {Sources} sources @returns {CivilTime | null} */
export function chosenTime({ read, name, fileTime, written = NaN, now, zoneAt = zoneHere }) {
    const named = nameTimes(name).find((time) => canBeTrue(time, now)) ?? null;
    const [file = null] = [written, fileTime].flatMap((milliseconds) => fileTimeOf(milliseconds, now) ?? [])
        .sort((one, other) => one.wall - other.wall);
    /** @param {TakenTime | null} time */
    const zoned = (time) => inZone(time, named, zoneAt);
    const own = firstTrue([read], now);
    /** @type {CivilTime | null} */ let time = zoned(own && named ? ofBoth(own, named, zoned) : own ?? named ?? file);
    if (time && named) time = filledIn(time, /** @type {CivilTime} */ (zoned(named)));
    // When a file was written says nothing of a year in which its picture was taken.
    return time?.precision === "day" && file ? filledIn(time, /** @type {CivilTime} */ (zoned(file))) : time;
}

/** A full date in the name comes before the last change, and before a clock that may not have been set; on the same day the earlier
 * one is nearer to the shutter. Nobody scans a picture before it is taken: an earlier date in the name is that of the shutter.
 * @param {TakenTime} own @param {TakenTime} named @param {(time: TakenTime) => TakenTime | null} zoned */
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

/** @param {TakenTime | null} time @param {TakenTime | null} named @param {(moment: number) => number} zoneAt */
function inZone(time, named, zoneAt) {
    if (!time?.isInstant || time.offset !== null) return time;
    const offset = quartersBetween(time.wall, named) ?? zoneAt(time.wall);
    return { ...time, wall: time.wall + offset * 60_000, offset };
}

/** Null where it tells nothing: the beginning of a clock in any zone, or the moment of the copy.
 * @param {number} milliseconds @param {number} now */
function fileTimeOf(milliseconds, now) {
    if (!Number.isFinite(milliseconds) || Math.abs(milliseconds - now) <= 60_000) return null;
    const isBeginning = [0, 315_532_800_000].some((start) => milliseconds >= start - 14 * hour && milliseconds < start + 36 * hour);
    return isBeginning ? null : firstTrue([instant(milliseconds)], now);
}

/** Zones differ by quarters of an hour.
 * @param {number} moment @param {TakenTime | null} named */
function quartersBetween(moment, named) {
    if (!named || named.isInstant || named.precision !== "moment") return null;
    return zoneBetween(moment, named.wall, patience);
}

/** What lies between an instant and a clock on the wall, in minutes; null for what no place has.
 * @param {number} moment @param {number} wall
 * @param {number} most how far they may be apart beside their zones */
export function zoneBetween(moment, wall, most) {
    const count = Math.floor((wall - moment + quarter / 2) / quarter);
    return Math.abs(wall - moment - count * quarter) <= most && isZone(count * 15) ? count * 15 : null;
}

// ---- names

/** What cameras, phones and messengers write into names, the clearest first.
 * @param {string} name @returns {TakenTime[]} */
export function nameTimes(name) {
    /** @type {TakenTime[]} */ const times = [];
    let passed = 0;
    for (const { index = 0 } of name.matchAll(/\d+/g)) {
        if (index < passed) continue;
        const text = name.slice(index);
        const last = yearLast(text, /^(\d\d?)([-_.])(\d\d?)\2(\d{4})(?!\d)/, name[index - 1] === "@")
            ?? yearLast(text, /^(\d\d)()(\d\d)(\d{4})(?!\d)/) ?? worded(name.slice(0, index), text);
        const short = last ? null : shortYear(name.slice(0, index), text);
        // What follows are no month and no day of this year.
        passed = Math.max(passed, index + (last ?? short ?? { length: 0 }).length);
        const found = last ? [last.date && onDay(last.date, text.slice(last.length))] : short ? short.times : [timeAt(text)];
        // Google's phones write UTC, all others the clock on the wall.
        for (const time of found) if (time) times.push(taken(time, time.precision === "moment" && (time.isUTC === true || name.includes("PXL_"))));
    }
    // Numbers of goods have as many digits, so whatever else a name tells comes before them.
    const counts = (name.match(/\d+/g) ?? []).filter((digits) => digits.length === 13).map(Number)
        .filter((count) => count >= 1_000_000_000_000 && count <= 4_102_444_800_000);
    const period = periodOf(name.replace(/\.[^.]*$/, "").replace(/\(\d*\)$/, "").replace(/ +$/, ""));
    return [...times, ...counts.map(instant), ...(period ? [taken(period, false)] : [])];
}

const of = /^(?:de |del |di |d['\u2019])/;
/** Letters of whichever script, as the host takes them. */
const letters = /^[A-Za-z\u0080-\uffff]*/;

/** `25 Jun 2019`, `3. Februar 2024`, `3 de feb. de 2024`, and behind the month `25, 2019`; and how long it is. With a day before it
 * and a year behind it, a word of any language is a month.
 * @param {string} before @param {string} text */
function worded(before, text) {
    const [first] = /^\d\d?/.exec(text) ?? [""];
    const ahead = text.slice(first.length).replace(/^[ \-_.º]{0,2}/, "").replace(of, "");
    const [word] = /** @type {RegExpExecArray} */ (letters.exec(ahead));
    const inside = englishMonth(word) || monthAnywhere(word);
    const month = inside || englishMonth(/[a-z]{1,12}(?=[ \-_.]?$)/i.exec(before)?.[0] ?? "");
    if (month === 0) return null;
    const rest = inside ? ahead.slice(word.length).replace(/^[ \-_.,]{0,2}/, "").replace(of, "")
        : /^(?:st|nd|rd|th)?[ \-_.,]{1,2}(\d.*)/s.exec(text.slice(first.length))?.[1] ?? "";
    const year = Number(/^\d{4}(?!\d)/.exec(rest)?.[0]);
    return isNamed(year) ? { length: text.length - rest.length + 4, date: { year, month, date: Number(first) } } : null;
}

/** Words in front of a date in languages that begin it with the day, and words for "at" of these. */
const beforeDay = new Set("am le du del op su em den il dia día fra från vom van da".split(" "));
const behindDay = new Set("um à a alle om kl às as klo ore".split(" "));

/** `03.02.24, 04 05 06`, `am 03-02-24 um 04.05`, `on 2-3-24 at 4.05 AM`: as systems write a date in their language, and with them
 * programs that call what they save after it; and how long it is. Of this century and of the one before, for nobody says which, and
 * none where either number may be the day.
 * @param {string} before @param {string} text */
function shortYear(before, text) {
    const [all, one, sign, two, last] = /^(\d\d?)([-.])(\d\d?)\2(\d\d)(?!\d|-|\.\d)/.exec(text) ?? [];
    if (all === undefined || !/(?:^|[ _(\u0080-\uffff])$/.test(before)) return null;
    const [first, second, year] = [one, two, last].map(Number);
    const rest = text.slice(all.length);
    const wordBefore = before.slice(0, -1).split(/[ _]/).at(-1) ?? "";
    const [wordBehind] = /** @type {RegExpExecArray} */ (letters.exec(rest.replace(/^[ ,]{0,2}/, "")));
    const isDayWord = beforeDay.has(wordBefore.toLowerCase()) || behindDay.has(wordBehind.toLowerCase());
    const written = writtenClockAt(rest);
    // Versions of programs have no clock behind them, no zeros, and small numbers.
    const isWritten = sign === "." && all.length === 8 && (Math.min(first, second) < 10 || year > 12);
    if (!(written || isWritten) || Math.min(first, second) < 1 || Math.max(first, second) > 31) return null;
    // Of English that writes halves of the day in large letters: that of the United States.
    const isMonthFirst = written && !isDayWord && rest.slice(0, 32).split(/[ \u00a0\u202f.]/).some((word) => word === "AM" || word === "PM");
    const dayLeads = sign === "." || isDayWord || first === second;
    if (!dayLeads && !isMonthFirst) return { length: all.length, times: [] };
    const [date, month] = dayLeads && second <= 12 ? [first, second] : [second, first];
    const times = [2000, 1900].map((century) => civil({ year: century + year, month, date, ...(written ?? { hour: 12, precision: "day" }) }));
    return times.some(Boolean) ? { length: all.length, times } : null;
}

/** `1955` and `1955-07`, where that is all, or words follow the month: other numbers of four digits are mostly numbers.
 * @param {string} stem */
function periodOf(stem) {
    const [, year, month] = /^(\d{4})(?:[-_.](\d\d)(?:[ _](?!\d).*)?)?$/s.exec(stem) ?? [];
    // Families have hardly a photo of before 1891, and numbers of 2,000 files go so far.
    if (year === undefined || !isNamed(Number(year)) || (month === undefined && Number(year) <= 1890)) return null;
    return civil({ year: Number(year), month: Number(month ?? 1), date: 1, hour: 12, precision: month === undefined ? "year" : "month" });
}

/** @param {{year: number, month: number, date: number}} date @param {string} rest */
function onDay(date, rest) {
    const clock = clockAt(rest);
    const written = writtenClockAt(rest);
    return (clock && civil({ ...date, ...clock })) ?? (written && civil({ ...date, ...written })) ?? civil({ ...date, hour: 12, precision: "day" });
}

/** Two separators of a date are alike: `31-01-2024_12-34` is none of December. One digit is kept by hyphens; dots stand in versions, too. */
const separateDate = /^(\d{4})(?:([_.])(\d\d)\2(\d\d)|(-)(\d\d?)-(\d\d?))/;
/** Cameras of cars write the month and the day together, and a clock behind them. */
const pairedDate = /^(\d{4})[-_.](\d\d)(\d\d)(?!\d)/;

/** @param {string} text */
function timeAt(text) {
    const eastern = /^(\d{4})[\u5e74\ub144] ?(\d\d?)[\u6708\uc6d4] ?(\d\d?)[\u65e5\uc77c]/.exec(text);
    if (eastern) {
        const [year, month, date] = eastern.slice(1).map(Number);
        return isNamed(year) ? onDay({ year, month, date }, text.slice(eastern[0].length)) : null;
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

/** After any few signs, a `T`, a short word for "at" of any language, or which half of the day it is.
 * @param {string} text */
function clockAt(text) {
    const { rest, hourOf } = behindWord(text.slice(/** @type {RegExpExecArray} */ (/^[ \-_Tat.]{0,4}/.exec(text))[0].length));
    const found = separateClock.exec(rest) ?? plainClock.exec(rest);
    if (!found) return null;
    const [all, digits, minute, second, fraction = ""] = found;
    const behind = rest.slice(all.length);
    const hour = hourOf(Number(digits), behind);
    if (/^\d/.test(behind) || hour === null || Number(minute) > 59 || Number(second) > 59) return null;
    return { hour, minute: Number(minute), second: Number(second), millisecond: fraction ? thousandths(fraction) : 0,
        isUTC: /^Z(?![A-Za-z])/.test(behind) };
}

/** What follows half of the day or a short word for "at", which may stand before a clock; and the hour that it then means.
 * @param {string} text */
function behindWord(text) {
    const [words, isAfternoon] = half.exec(text) ?? [];
    const word = words ?? /^[^\d._-]{0,9}\.? (?=\d)/u.exec(text)?.[0] ?? "";
    const rest = words || new TextEncoder().encode(word).length <= 10 ? text.slice(word.length) : text;
    /** @param {number} hour @param {string} behind */
    const hourOf = (hour, behind) => (words ? hour <= 12 ? hour % 12 + (isAfternoon ? 12 : 0) : null : hourOfDay(hour, behind)?.hour ?? null);
    return { rest, hasWord: rest.length < text.length, hourOf };
}

/** Behind a date in words or with a short year: `, 04 05 06`, ` at 4.05 AM`, ` um 04.05`. A minute is enough where a word or half of
 * the day shows that it is one.
 * @param {string} text */
function writtenClockAt(text) {
    const { rest, hasWord, hourOf } = behindWord(text.replace(/^[ ,_]{0,3}/, ""));
    const [all, digits, , minute, second] = /^(\d\d?)([ .:\-_h])(\d\d)(?:\2(\d\d)(?!\d))?(?!\d)/.exec(rest) ?? [];
    if (all === undefined) return null;
    const behind = rest.slice(all.length);
    const hour = hourOf(Number(digits), behind);
    const hasHalf = (hourOfDay(Number(digits), behind)?.rest.length ?? behind.length) < behind.length;
    if (hour === null || Number(minute) > 59 || Number(second ?? 0) > 59 || !(second !== undefined || hasWord || hasHalf)) return null;
    return { hour, minute: Number(minute), second: Number(second ?? 0) };
}
