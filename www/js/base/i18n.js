// Words, numbers and dates in the language of the reader. One language file is loaded.
import { Problem, Unreachable } from "./api.js";
import { fetched, preference, remember } from "./browser.js";

/** @typedef {Record<string, string | number>} Values */

/** @type {Record<string, string>} */
export const languages = { en: "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文" };

let current = "en";
/** The reader's own variety of the language, for dates and numbers: not everybody writes the month first. */
let locale = "en";
/** @type {Record<string, string | Record<string, string>>} */ let messages = {};
/** Folders of the words that are here: the page's own, and those of what came later. */
let sets = [""];
/** Made when the first number is said: that takes longer than everything else that the door needs of them.
 * @type {Intl.NumberFormat | null} */
let number = null;
/** @type {Intl.PluralRules | null} */ let plural = null;

/** @returns {string} */
export function language() {
    return current;
}

/** The best of our languages for a list of wishes such as `navigator.languages`, or `fallback`.
 * @template {string | null} F @param {readonly string[]} wishes @param {string | F} [fallback] @returns {string | F} */
export function choose(wishes, fallback = "en") {
    for (const wish of wishes) {
        if (/^zh\b/i.test(wish)) return /\b(hant|tw|hk|mo)\b/i.test(wish) ? "zh-Hant" : "zh-Hans";
        const [base] = wish.toLowerCase().split("-");
        if (base in languages) return base;
    }
    return fallback;
}

/** @returns {string} */
export function preferredLanguage() {
    const stored = preference("language", "");
    return stored in languages ? stored : choose(navigator.languages ?? [navigator.language]);
}

/** @param {string} chosen @param {string} set */
async function wordsOf(chosen, set) {
    // In a name of its own: the packer would take a pattern for all files that fit it, and pack each once more.
    const address = `/i18n/${set}${chosen}.js`;
    return (await fetched((mark) => import(address + mark))).default;
}

/** `set` is the folder of another page's words, such as "connect/", or several.
 * @param {string} chosen @param {{store?: boolean, set?: string | string[]}} options */
export async function use(chosen, { store = false, set } = {}) {
    if (set !== undefined) sets = [set].flat();
    speak(chosen, Object.assign({}, ...await Promise.all(sets.map((one) => wordsOf(chosen, one)))), navigator.languages ?? []);
    document.documentElement.lang = chosen;
    // What is installed speaks the language in which it was: a manifest has one.
    const manifest = document.querySelector(/** @type {"link"} */ ("link[rel=manifest]"));
    if (manifest) manifest.href = manifest.href.replace(/manifest.*/, `manifest${chosen === "en" ? "" : `.${chosen}`}.webmanifest`);
    if (store) remember("language", chosen);
}

/** Everything is said in a language from now on: `words` are those of all sets that are here, and `wishes` those of the
 * reader, whose own variety of it dates and numbers follow.
 * @param {string} chosen @param {Record<string, string | Record<string, string>>} words
 * @param {readonly string[]} wishes */
export function speak(chosen, words, wishes = []) {
    messages = words;
    current = chosen;
    locale = wishes.find((wish) => choose([wish], null) === chosen) ?? chosen;
    number = null;
    plural = null;
}

/** Words that the start does not need come with what needs them, and stay; `set` is their folder, such as "inside/".
 * @param {string} set */
export async function learn(set) {
    if (sets.includes(set)) return;
    const chosen = current;
    const words = await wordsOf(chosen, set);
    sets.push(set);
    if (chosen === current) messages = { ...messages, ...words };
    else await use(current);
}

/** The text of `key`, with `{name}` filled in; a text with a count has the forms `one` and `other`, chosen by `n`.
 * @param {string} key @param {Values} [values] @returns {string} */
export function t(key, values = {}) {
    let text = messages[key];
    if (text === undefined) return key;
    if (typeof text === "object") {
        plural ??= new Intl.PluralRules(current);
        text = text[plural.select(/** @type {number} */ (values.n))] ?? text.other;
    }
    return text.replace(/\{(\w+)\}/g, (whole, name) => {
        if (!(name in values)) return whole;
        const value = values[name];
        return typeof value === "number" ? count(value) : value;
    });
}

/** @param {number} value */
function count(value) {
    number ??= new Intl.NumberFormat(locale);
    return number.format(value);
}

/** @param {string} key @returns {boolean} */
export function has(key) {
    return key in messages;
}

/** Decimal units, as phones show them: "3.1 MB".
 * @param {number} count @returns {string} */
export function bytes(count) {
    if (count < 1000) return t("count.bytes", { n: Math.round(count) });
    const units = ["kilobyte", "megabyte", "gigabyte", "terabyte"];
    const step = Math.min(units.length, Math.floor(Math.log10(count) / 3));
    const value = count / 1000 ** step;
    const maximumFractionDigits = step > 1 && value < 100 ? 1 : 0;
    /** @type {Intl.NumberFormatOptions} */
    const options = { style: "unit", unit: units[step - 1], unitDisplay: "short", maximumFractionDigits };
    return figures(value, options);
}

/** A number with so many digits behind its point.
 * @param {number} value @param {number} digits @returns {string} */
export function decimal(value, digits) {
    return figures(value, { maximumFractionDigits: digits });
}

/** @param {number} share @returns {string} */
export function percent(share) {
    return figures(share, { style: "percent" });
}

/** Making one takes far longer than using it. */
const formats = new Map();

/** A date in the reader's way; `options` are those of Intl.DateTimeFormat.
 * @param {Date} date @param {Intl.DateTimeFormatOptions} options @returns {string} */
export const format = (date, options) => made(Intl.DateTimeFormat, options).format(date);
/** "4–9 July 2026".
 * @param {Date} from @param {Date} to @param {Intl.DateTimeFormatOptions} options @returns {string} */
export const formatRange = (from, to, options) => made(Intl.DateTimeFormat, options).formatRange(from, to);
/** @param {number} value @param {Intl.NumberFormatOptions} options @returns {string} */
const figures = (value, options) => made(Intl.NumberFormat, options).format(value);

/** @param {any} Format @param {object} options @returns {any} */
function made(Format, options) {
    const key = Format.name + locale + JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Format(locale, options));
    return formats.get(key);
}

/** @param {Date} date @returns {string} */
export function day(date) {
    return format(date, { dateStyle: "long" });
}

/** The last whole day, by the reader's clock, before the instant of an RFC 3339 text: "21 December".
 * @param {string} text @returns {string} */
export function lastDayBefore(text) {
    const date = new Date(Date.parse(text) - 86_400_000);
    return new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" }).format(date);
}

/** "May 2024"; `isShort` where there is little room.
 * @param {Date} date @param {boolean} [isShort] @returns {string} */
export function month(date, isShort = false) {
    return format(date, { month: isShort ? "short" : "long", year: "numeric" });
}

/** "less than a minute", "about 4 minutes", "about 2 hours".
 * @param {number} seconds @returns {string} */
export function timeLeft(seconds) {
    if (seconds < 60) return t("left.seconds");
    if (seconds < 5400) return t("left.minutes", { n: Math.max(1, Math.round(seconds / 60)) });
    return t("left.hours", { n: Math.round(seconds / 3600) });
}

// Errors in the reader's words: what happened, whether anything is lost, what to do.

/** The text for an error; a code without words of its own falls back to what the host said.
 * @param {unknown} error @returns {string} */
export function describe(error) {
    if (error instanceof Unreachable) return t("error.unreachable");
    if (!(error instanceof Problem)) return t("error.page");
    if (error.limit && has(`limit.${error.limit}`)) return t(`limit.${error.limit}`, { wait: waitWords(error.retryAfter || 1) });
    if (has(`error.${error.code}`)) return t(`error.${error.code}`);
    if (has(`error.${error.status}`)) return t(`error.${error.status}`);
    return error.detail || t("error.unknown", { code: error.code });
}

/** When another try makes sense.
 * @param {number} seconds */
export function waitWords(seconds) {
    if (seconds < 120) return t("wait.seconds", { n: seconds });
    const minutes = Math.ceil(seconds / 60);
    return minutes < 120 ? t("wait.minutes", { n: minutes }) : t("wait.hours", { n: Math.ceil(seconds / 3600) });
}
