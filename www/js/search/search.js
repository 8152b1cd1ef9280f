// The field in which somebody says what to look for, how that was understood, and what else can be found.
import { request } from "../base/api.js";
import { el, icon, setText } from "../base/dom.js";
import { bytes, format, has, t } from "../base/i18n.js";
import { clearButton } from "../elements/dialog.js";
import { emptyLine } from "../elements/pieces.js";
import { lengthOf } from "../photos/photo-words.js";

export { DuplicatesScreen } from "./duplicates.js";

// How a part of a search was understood, in words.

const day = 86_400_000;

/** `names` are those of places, where there are any.
 * @param {Understood} part @param {PlaceNames} [names] @returns {string} */
export function partWords(part, names) {
    const { kind, text, value } = part;
    if (kind === "place") return t("search.place", { name: names?.meantBy(value ?? "") ?? text });
    if (kind === "date") return dateWords(part);
    if (kind === "size") return boundsWords(part, bytes);
    if (kind === "length") return boundsWords(part, (length) => lengthOf(length));
    if (kind === "type" && has(`search.type.${value}`)) return t(`search.type.${value}`);
    return text;
}

/** @param {{min?: number, max?: number, text: string}} bounds @param {(value: number) => string} words */
function boundsWords({ min, max, text }, words) {
    if (min !== undefined && max !== undefined) return t("search.between", { min: words(min), max: words(max) });
    if (min !== undefined) return t("search.least", { min: words(min) });
    if (max !== undefined) return t("search.most", { max: words(max) });
    return text;
}

/** "2024", "May 2024", "24 December 2023", "1 June 2023 – 31 August 2023"; what returns each year is told as it was typed.
 * @param {{start?: string, end?: string, text: string}} span */
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

/** Milliseconds after the last letter: the host is not asked for each of them. */
const pause = 250;
const examples = ["date", "kind", "size", "album"];

export class SearchBar {
    /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
    /** The question that is not answered yet.
     * @type {object | null} */
    asked = null;

    /** @param {{finding: Finding, list: PhotoList, names: PlaceNames}} options */
    constructor({ finding, list, names }) {
        this.finding = finding;
        this.names = names;
        this.list = list;
        this.input = el("input", { type: "search", id: "search", enterkeyhint: "search", autocomplete: "off",
            spellcheck: "false", maxlength: "200", "aria-label": t("search.label"), oninput: () => this.typed() });
        this.input.value = finding.query;
        this.chips = el("ul", { class: "chips", "aria-label": t("search.understood") });
        this.count = el("p", { class: "small figures", role: "status" });
        const form = el("form", { role: "search", class: "box search-box", onsubmit: (event) => this.submit(event) },
            icon("search"), this.input, clearButton(this.input));
        this.element = el("div", { class: "search" }, form, this.chips, this.count);
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        finding.addEventListener("change", () => this.changed(), { signal });
        finding.addEventListener("understood", () => this.nameAndDraw(), { signal });
        list.addEventListener("change", () => this.draw(), { signal });
        this.draw();
    }

    dispose() {
        clearTimeout(this.timer);
        this.listeners.abort();
    }

    focus() {
        this.input.focus({ preventScroll: true });
        this.input.select();
    }

    typed() {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.finding.set(this.input.value), pause);
    }

    /** @param {Event} event */
    submit(event) {
        event.preventDefault();
        clearTimeout(this.timer);
        this.finding.set(this.input.value);
        // A phone puts its keyboard away, so that the results are seen.
        if (matchMedia("(pointer: coarse)").matches) this.input.blur();
    }

    changed() {
        if (this.input.value.trim() !== this.finding.query) this.input.value = this.finding.query;
        this.ask();
    }

    /** Until the host has answered, what is listed is what was found before. */
    async ask() {
        const asked = this.asked = {};
        this.draw();
        await this.list.refresh();
        if (this.asked !== asked) return;
        this.asked = null;
        this.draw();
    }

    /** A chip is called as its place is, once that is known. */
    async nameAndDraw() {
        const place = this.finding.understood.find(({ kind }) => kind === "place");
        if (place) await this.names.learn(Number(place.value) || undefined);
        if (!this.listeners.signal.aborted) this.draw();
    }

    draw() {
        const { query, understood } = this.finding;
        const isKnown = this.list.error === null && !this.list.isLoading && this.asked === null;
        setText(this.count, query && isKnown ? t("search.found", { n: this.list.count }) : "");
        const key = JSON.stringify(understood.map((part) => [part, partWords(part, this.names)]));
        if (this.chips.dataset.key === key) return;
        this.chips.dataset.key = key;
        // A chip that goes leaves the focus to the field.
        const hadFocus = this.chips.contains(document.activeElement);
        this.chips.replaceChildren(...understood.map((part) => el("li", {}, this.chip(part))));
        if (hadFocus) this.input.focus();
    }

    /** @param {Understood} part */
    chip(part) {
        const words = partWords(part, this.names);
        return el("button", { class: `chip is-${part.kind}`, type: "button", "aria-label": t("search.drop", { name: words }),
            onclick: () => this.finding.drop(part) }, el("span", {}, words), icon("close", "is-small"));
    }

    /** Without a question, what can be asked for; else that nothing was found. */
    emptyState() {
        if (this.finding.query) {
            // By what was typed: how it was understood may come later than that nothing was found.
            const isOne = !/\s/.test(this.finding.query);
            return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("search.none")),
                el("p", { class: "note" }, t(isOne ? "search.noneOne" : "search.noneNote")));
        }
        return el("div", { class: "empty" }, icon("search", "is-large"), el("h2", {}, t("search.begin")),
            el("ul", { class: "chips is-centred" }, ...examples.map((name) => el("li", {}, this.example(t(`search.example.${name}`))))),
            el("a", { class: "link", href: "#/duplicates" }, t("duplicates.title")));
    }

    /** @param {string} words */
    example(words) {
        return el("button", { class: "chip", type: "button", onclick: () => {
            this.finding.set(words);
            this.input.focus();
        } }, words);
    }
}

/** Where nothing looks like a photo, or nothing was taken at a place any more.
 * @param {"similar.none" | "search.none"} key */
export function nothingHere(key) {
    return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t(key)));
}

// What somebody looks for, as long as the vault is open: never in an address, which the browser writes into its history.

/** How a part of the words was understood.
 * @typedef {{kind: "word" | "date" | "type" | "album" | "camera" | "place" | "size" | "length", text: string, value?: string,
 *     start?: string, end?: string, min?: number, max?: number}} Understood */

/** Emits `change` where something else is looked for, and `understood` once it is known how the words were. */
export class Finding extends EventTarget {
    constructor() {
        super();
        this.query = "";
        /** @type {Understood[]} */
        this.understood = [];
        /** What others are to be like.
         * @type {Photo | null} */
        this.alike = null;
        this.stop = new AbortController();
        /** Where the results come from: of nothing there are none, and nobody is asked. */
        this.source = {
            months: () => (this.query ? this.ask("") : Promise.resolve([])),
            /** @param {string} month @param {number} skip @param {AbortSignal} signal */
            month: (month, skip, signal) => this.ask(`/${month}`, skip, signal),
        };
    }

    /** @param {string} path @param {number} [skip] @param {AbortSignal} [signal] */
    ask(path, skip = 0, signal) {
        const asked = `q=${encodeURIComponent(this.query)}${skip > 0 ? `&skip=${skip}` : ""}`;
        return request("GET", `/api/search/timeline${path}?${asked}`, undefined, { signal });
    }

    /** @param {string} query */
    set(query) {
        const words = query.trim();
        if (words === this.query) return;
        this.query = words;
        if (!words) this.understood = [];
        this.dispatchEvent(new Event("change"));
        this.understand();
    }

    /** Looks for the same without a part of it.
     * @param {Understood} part */
    drop({ text }) {
        const at = this.query.indexOf(text);
        const rest = at < 0 ? this.query : `${this.query.slice(0, at)} ${this.query.slice(at + text.length)}`;
        this.set(rest.replace(/\s+/g, " "));
    }

    /** Only the last question is waited for. */
    async understand() {
        this.stop.abort();
        this.stop = new AbortController();
        const { signal } = this.stop;
        if (this.query) {
            const answer = await request("GET", `/api/search?q=${encodeURIComponent(this.query)}`, undefined, { signal })
                .catch(() => null);
            // What went wrong is said by the list of results, which asks for the same.
            if (signal.aborted || !answer) return;
            this.understood = answer.understood;
        }
        this.dispatchEvent(new Event("understood"));
    }

    /** Nothing of it outlives the vault. */
    clear() {
        this.stop.abort();
        this.query = "";
        this.understood = [];
        this.alike = null;
    }
}
