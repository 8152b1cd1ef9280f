// Words, numbers and dates in the language of the reader. One language file is loaded.
import { fetched } from "./fetched.js";
import { preference, remember } from "./preferences.js";

export const languages = { en: "English", "zh-Hans": "简体中文", "zh-Hant": "繁體中文" };

let current = "en";
/** The reader's own variety of the language, for dates and numbers: not everybody writes the month first. */
let locale = "en";
let messages = {};
/** Made when the first number is said: that takes longer than everything else that the door needs of them. */
let number = null;
let plural = null;

export function language() {
    return current;
}

/** The best of our languages for a list of wishes such as `navigator.languages`, or `fallback`. */
export function choose(wishes, fallback = "en") {
    for (const wish of wishes) {
        if (/^zh\b/i.test(wish)) return /\b(hant|tw|hk|mo)\b/i.test(wish) ? "zh-Hant" : "zh-Hans";
        const [base] = wish.toLowerCase().split("-");
        if (base in languages) return base;
    }
    return fallback;
}

export function preferredLanguage() {
    const stored = preference("language", "");
    return stored in languages ? stored : choose(navigator.languages ?? [navigator.language]);
}

/** `set` is the folder of another page's words, such as "connect/". */
export async function use(chosen, { store = false, set = "" } = {}) {
    // In a name of its own: the packer would take a pattern for all files that fit it, and pack each once more.
    const address = `/i18n/${set}${chosen}.js`;
    messages = (await fetched((mark) => import(address + mark))).default;
    current = chosen;
    locale = [...(navigator.languages ?? [])].find((wish) => choose([wish], null) === chosen) ?? chosen;
    number = null;
    plural = null;
    document.documentElement.lang = chosen;
    if (store) remember("language", chosen);
}

/** The text of `key`, with `{name}` filled in; a text with a count has the forms `one` and `other`, chosen by `n`. */
export function t(key, values = {}) {
    let text = messages[key];
    if (text === undefined) return key;
    if (typeof text === "object") {
        plural ??= new Intl.PluralRules(current);
        text = text[plural.select(values.n)] ?? text.other;
    }
    return text.replace(/\{(\w+)\}/g, (whole, name) => {
        if (!(name in values)) return whole;
        return typeof values[name] === "number" ? count(values[name]) : values[name];
    });
}

function count(value) {
    number ??= new Intl.NumberFormat(locale);
    return number.format(value);
}

export function has(key) {
    return key in messages;
}

/** Decimal units, as phones show them: "3.1 MB". */
export function bytes(count) {
    if (count < 1000) return t("count.bytes", { n: Math.round(count) });
    const units = ["kilobyte", "megabyte", "gigabyte", "terabyte"];
    const step = Math.min(units.length, Math.floor(Math.log10(count) / 3));
    const value = count / 1000 ** step;
    const maximumFractionDigits = step > 1 && value < 100 ? 1 : 0;
    const options = { style: "unit", unit: units[step - 1], unitDisplay: "short", maximumFractionDigits };
    return figures(value, options);
}

/** A number with so many digits behind its point. */
export function decimal(value, digits) {
    return figures(value, { maximumFractionDigits: digits });
}

export function percent(share) {
    return figures(share, { style: "percent" });
}

/** Making one takes far longer than using it. */
const formats = new Map();

/** A date in the reader's way; `options` are those of Intl.DateTimeFormat. */
export const format = (date, options) => made(Intl.DateTimeFormat, options).format(date);
const figures = (value, options) => made(Intl.NumberFormat, options).format(value);

function made(Format, options) {
    const key = Format.name + locale + JSON.stringify(options);
    if (!formats.has(key)) formats.set(key, new Format(locale, options));
    return formats.get(key);
}

export function day(date) {
    return format(date, { dateStyle: "long" });
}

/** The last whole day, by the reader's clock, before the instant of an RFC 3339 text: "21 December". */
export function lastDayBefore(text) {
    const date = new Date(Date.parse(text) - 86_400_000);
    return new Intl.DateTimeFormat(locale, { day: "numeric", month: "long" }).format(date);
}

/** "May 2024"; `isShort` where there is little room. */
export function month(date, isShort = false) {
    return format(date, { month: isShort ? "short" : "long", year: "numeric" });
}

/** "less than a minute", "about 4 minutes", "about 2 hours". */
export function timeLeft(seconds) {
    if (seconds < 60) return t("left.seconds");
    if (seconds < 5400) return t("left.minutes", { n: Math.max(1, Math.round(seconds / 60)) });
    return t("left.hours", { n: Math.round(seconds / 3600) });
}
