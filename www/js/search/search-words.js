// How a part of a search was understood, in words.
import { bytes, format, has, t } from "../base/i18n.js";
import { lengthOf } from "../photos/photo-words.js";

const day = 86_400_000;

/**
 * @param {import("./finding.js").Understood} part
 * @returns {string}
 */
export function partWords(part) {
    const { kind, text, value } = part;
    if (kind === "date") return dateWords(part);
    if (kind === "size") return boundsWords(part, bytes);
    if (kind === "length") return boundsWords(part, (length) => lengthOf(length));
    if (kind === "type" && has(`search.type.${value}`)) return t(`search.type.${value}`);
    return text;
}

/**
 * @param {{min?: number, max?: number, text: string}} bounds
 * @param {(value: number) => string} words
 */
function boundsWords({ min, max, text }, words) {
    if (min !== undefined && max !== undefined) return t("search.between", { min: words(min), max: words(max) });
    if (min !== undefined) return t("search.least", { min: words(min) });
    if (max !== undefined) return t("search.most", { max: words(max) });
    return text;
}

/**
 * "2024", "May 2024", "24 December 2023", "1 June 2023 – 31 August 2023"; what returns each year is told as it was typed.
 * @param {{start?: string, end?: string, text: string}} span
 */
function dateWords({ start, end, text }) {
    if (!start && !end) return text;
    const [from, to] = [start, end].map((moment) => (moment ? new Date(`${moment.slice(0, 10)}T00:00:00Z`) : null));
    /** @param {Date} date */
    const dayWords = (date) => format(date, { dateStyle: "long", timeZone: "UTC" });
    // The last day itself: the end is that of the day before.
    const last = to && new Date(to.getTime() - day);
    if (!from) return last ? t("search.until", { day: dayWords(last) }) : text;
    if (!last) return t("search.since", { day: dayWords(from) });
    if (from.getTime() >= last.getTime()) return dayWords(from);
    if (isBeginning(from) && to && isBeginning(to)) {
        const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
        if (months === 1) return format(from, { year: "numeric", month: "long", timeZone: "UTC" });
        if (months === 12 && from.getUTCMonth() === 0) return format(from, { year: "numeric", timeZone: "UTC" });
    }
    return t("search.between", { min: dayWords(from), max: dayWords(last) });
}

/** @param {Date} date */
const isBeginning = (date) => date.getUTCDate() === 1;
