// Dates as they are written somewhere, read as the host reads them (docs/media.md): the page files a photo where the host will.

/** @typedef {{year: number, month: number, date: number, hour?: number, minute?: number, second?: number,
 *     millisecond?: number, offset?: number | null, isUTC?: boolean, precision?: CivilTime["precision"]}} Written */

export const day = 86_400_000;

/** How much of a date is known; what follows is noon of the first day of its kind.
 * @type {CivilTime["precision"][]} */
export const precisions = ["moment", "day", "month", "year"];
/** How many letters of an ISO date tell so much. */
export const lengths = { moment: 23, day: 10, month: 7, year: 4 };

/** `{wall, offset, precision}`: milliseconds since 1970 by the clock that was written down, minutes east of UTC or null.
 * Null for a date that no calendar has.
 * @param {Written} written @returns {CivilTime | null} */
export function civil({ year, month, date, hour = 0, minute = 0, second = 0, millisecond = 0, offset = null,
    isUTC = false, precision = "moment" }) {
    const isTime = hour <= 23 && minute <= 59 && second <= 60;
    if (year < 1 || year > 9999 || month < 1 || month > 12 || date < 1 || !isTime) return null;
    const start = new Date(0);
    start.setUTCFullYear(year, month - 1, date);
    if (start.getUTCMonth() !== month - 1 || start.getUTCDate() !== date) return null;
    const wall = start.getTime() + ((hour * 60 + minute) * 60 + Math.min(second, 59)) * 1000 + millisecond;
    return { wall, offset, precision, isUTC };
}

const whole = /^(\d{4})[:\-/.] ?(\d\d?)[:\-/.] ?(\d\d?)(.*)$/s;
const clock = /^[ T] ?(\d\d?)[:.] ?(\d\d?)(?:[:.] ?(\d\d?))?(?:[.,](\d*))?/;
/** As ISO 8601 has it, too: nothing between the numbers. */
const plain = /^(\d{4})(\d\d)(\d\d)($|[ T].*$)/s;
const plainClock = /^[ T] ?(\d\d|\d(?!\d))[:.]? ?(\d\d?)(?:(?:[:.] ?|(?=\d))(\d\d?))?(?:[.,](\d*))?/;
const zone = /^ ?(?:([Zz])(?![a-z])|([+-])(\d\d):?(\d\d)?)/i;

/** Minutes that some place on earth is ahead of UTC, or was since there are digital cameras, besides whole hours. */
const unevenZones = [-570, -270, -210, -150, 210, 270, 330, 345, 390, 510, 525, 570, 630, 690, 765, 825];

/** @param {number} minutes */
export const isZone = (minutes) => (minutes % 60 === 0 && minutes >= -720 && minutes <= 840) || unevenZones.includes(minutes);

/** What a file says of its zone: of "+01:00" or "-0500" minutes, null for what no place has. "Z" tells an instant, and not where its
 * clock hung.
 * @param {string} text @returns {{offset: number | null, isUTC: boolean}} */
export function zoneOf(text) {
    const [, utc, sign, hours, minutes = "0"] = zone.exec(text) ?? [];
    const offset = (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
    const isKnown = Boolean(sign) && Number(hours) <= 14 && Number(minutes) <= 59 && isZone(offset);
    return { offset: isKnown ? offset : null, isUTC: Boolean(utc) };
}

/** A date whose year is written last, and how long it is: `31-12-2024`, `12/31/2024` and, for no country puts a month before dots,
 * `8.6.2019`. `date` is null where either number may be the day; null where nothing of the kind comes next.
 * @param {string} text
 * @param {RegExp} pattern two numbers, between them a sign that may be empty, and a year
 * @param {boolean} [dayLeads] it is known that the day does */
export function yearLast(text, pattern, dayLeads = false) {
    const [all, one, sign, two, last] = pattern.exec(text) ?? [];
    if (all === undefined) return null;
    const [first, second, year] = [one, two, last].map(Number);
    const isPossible = Math.min(first, second) >= 1 && Math.min(first, second) <= 12 && Math.max(first, second) <= 31;
    if (!isPossible || !isNamed(year)) return null;
    const isClear = second > 12 || first > 12 || first === second || dayLeads || sign === ".";
    const [month, date] = second > 12 ? [first, second] : [second, first];
    return { length: all.length, date: isClear ? { year, month, date } : null };
}

/** Of which names may speak.
 * @param {number} year */
export const isNamed = (year) => year >= 1826 && year <= 2099;

/** An hour with `AM`, `p.m.` or the like behind it, or without, and what follows; null for an hour that no clock shows.
 * @param {number} hour @param {string} behind */
export function hourOfDay(hour, behind) {
    const [all, letter] = /^[ _\u0080-\uffff]*([ap])[. ]*m(?![a-z])/i.exec(behind) ?? [];
    if (!all || hour > 12) return hour < 24 ? { hour, rest: behind.slice(all?.length ?? 0) } : null;
    return { hour: hour % 12 + (letter.toLowerCase() === "p" ? 12 : 0), rest: behind.slice(all.length) };
}

/** Three digits of a fraction.
 * @param {string} digits */
export const thousandths = (digits) => Number(digits.slice(0, 3).padEnd(3, "0"));

/** `2022:02:16 12:55:41`, `2022-02-16T12:55:41.762+01:00`, `20220216T125541`, or a day alone; also with one digit where most write two.
 * @param {string} text @returns {CivilTime | null} */
export function readTime(text) {
    const separate = whole.exec(text);
    const [, year, month, date, rest] = /** @type {[string, number, number, number, string]} */ (
        (separate ?? plain.exec(text))?.map((part, index) => (index < 4 ? Number(part) : part)) ?? []);
    if (year === undefined) return null;
    const found = (separate ? clock : plainClock).exec(rest);
    // An hour that no minute follows is no time of day.
    if (!found && (separate ? /^[ T] ?\d/ : /^[ T]./s).test(rest)) return null;
    if (!found) return civil({ year, month, date, hour: 12, precision: "day" });
    const [behind, hour, minute, second = "0", fraction = ""] = found;
    const onDay = hourOfDay(Number(hour), rest.slice(behind.length));
    return onDay && civil({ year, month, date, hour: onDay.hour, minute: Number(minute), second: Number(second),
        millisecond: thousandths(fraction), ...zoneOf(onDay.rest) });
}

/** With the year last, as far as it is clear which number is the day.
 * @param {string} text */
function readYearLast(text) {
    const found = yearLast(text, /^(\d\d?)([-/.])(\d\d?)\2(\d{4})(?!\d)/);
    if (!found?.date) return null;
    const { year, month, date } = found.date;
    return readTime(`${year}-${month}-${date}${text.slice(found.length).replace(/^,/, "")}`);
}

/** The same; else as much of the date as can be true: `1955`, `1955-07`, `1955:07:00 00:00:00`, a day with no clock's time.
 * @param {string} text @returns {CivilTime | null} */
export function readPartialTime(text) {
    const known = readTime(text) ?? readYearLast(text);
    if (known) return known;
    const [, year, month = "0", date = "0", rest] = /^(\d{4})(?:$|[:\-/. ])(\d\d?)?[:\-/. ]?(\d\d?)?(.*)$/s.exec(text) ?? [];
    if (year === undefined || Number(year) === 0 || (Number(date) === 0 && /[^ \d:\-/.T]/.test(rest))) return null;
    const precision = Number(month) === 0 ? "year" : Number(date) === 0 ? "month" : "day";
    return civil({ year: Number(year), month: Math.max(1, Number(month)), date: Math.max(1, Number(date)), hour: 12, precision });
}

/** Months as programs write them in the languages that many people speak, as `MonthNames` has them: each once for all of them. */
const monthNames = [
    "jan january januar januari jän jänner janv janvier ene enero janeiro gen gennaio янв января styczeń stycznia sty leden ledna ocak oca tammikuuta tammikuu tammik január ιαν ιανουαρίου січня січ",
    "feb february februar februari févr fév février fevr fevrier febrero fev fevereiro febbraio фев февр февраля luty lutego lut únor února şubat şub helmikuuta helmikuu helmik február febr φεβ φεβρουαρίου лютого лют",
    "mar march mär märz mrz mars marzo março mrt maart marts мар марта marzec marca března březen mart maaliskuuta maaliskuu maalisk március márc marec μαρ μαρτίου березня бер",
    "apr april avr avril abr abril aprile апр апреля kwiecień kwietnia kwi duben dubna nisan nis huhtikuuta huhtikuu huhtik április ápr απρ απριλίου квітня квіт",
    "may mai mayo maio mag maggio mei maj мая май maja května květen mayıs toukokuuta toukokuu toukok május máj μαΐ μαΐου травня трав",
    "jun june juni juin junio junho giu giugno июн июня czerwiec czerwca cze června červen haziran haz kesäkuuta kesäkuu kesäk június jún ιουν ιουνίου червня черв",
    "jul july juli juil juillet julio julho lug luglio июл июля lipiec lipca července červenec temmuz heinäkuuta heinäkuu heinäk július júl ιουλ ιουλίου липня лип",
    "aug august augusti augustus août aout ago agosto авг августа sierpień sierpnia sie srpna ağustos ağu elokuuta elokuu elok augusztus αυγ αυγούστου серпня серп",
    "sep sept september septembre septiembre setiembre set setembro settembre сен сент сентября wrzesień września wrz září eylül eyl syyskuuta syyskuu syysk szeptember szept σεπ σεπτεμβρίου вересня вер",
    "oct october okt oktober octobre octubre out outubro ott ottobre окт октября październik października paź říjen října ekim lokakuuta lokakuu lokak október οκτ οκτωβρίου жовтня жовт",
    "nov november novembre noviembre novembro нояб ноя ноября listopadu kasım marraskuuta marraskuu marrask νοε νοεμβρίου листопада",
    "dec december dez dezember déc décembre decembre dic diciembre dezembro dicembre des desember дек декабря grudzień grudnia gru prosinec prosince aralık joulukuuta joulukuu jouluk δεκ δεκεμβρίου грудня груд",
].map((names) => names.split(" "));

/** 1 to 12, 0 for no month, of a word as it stands in names of files: those of other languages are names of people and places, too.
 * @param {string} word */
export const englishMonth = (word) => 1 + englishMonths.findIndex((month) => month === word.toLowerCase()
    || (month.startsWith(word.toLowerCase()) && (word.length === 3 || word.toLowerCase() === "sept")));
const englishMonths = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];

/** The same of a word in whichever language. Where nothing around it says that it is a month, it may be a name of somebody.
 * @param {string} word */
export const monthAnywhere = (word) => 1 + monthNames.findIndex((names) => names.includes(word.toLowerCase()));

/** Written in words or as a count of seconds: the host reads what is not read here. */
export const isOtherwiseWritten = (/** @type {string} */ text) => /[a-z\u0080-\uffff]|^\d{10}$/i.test(text) && readPartialTime(text) === null;
