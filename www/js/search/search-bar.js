// The field in which somebody says what to look for, how that was understood, and what else can be found.
import { emptyLine } from "../elements/pieces.js";
import { clearButton } from "../elements/forms.js";
import { el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { partWords } from "./search-words.js";

/** Milliseconds after the last letter: the host is not asked for each of them. */
const pause = 250;
const examples = ["date", "kind", "size", "album"];

export class SearchBar {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    timer;
    /**
     * The question that is not answered yet.
     * @type {object | null}
     */
    asked = null;

    /**
     * @param {{finding: import("./finding.js").Finding, list: PhotoList}} options
     */
    constructor({ finding, list }) {
        this.finding = finding;
        this.list = list;
        this.input = el("input", { type: "search", id: "search", enterkeyhint: "search", autocomplete: "off",
            spellcheck: "false", maxlength: "500", "aria-label": t("search.label"), oninput: () => this.typed() });
        this.input.value = finding.query;
        this.chips = el("ul", { class: "chips", "aria-label": t("search.understood") });
        this.count = el("p", { class: "small figures", role: "status" });
        const form = el("form", { role: "search", class: "box search-box", onsubmit: (event) => this.submit(event) },
            icon("search"), this.input, clearButton(this.input));
        this.element = el("div", { class: "search" }, form, this.chips, this.count);
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        finding.addEventListener("change", () => this.changed(), { signal });
        finding.addEventListener("understood", () => this.draw(), { signal });
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

    draw() {
        const { query, understood } = this.finding;
        const isKnown = this.list.error === null && !this.list.isLoading && this.asked === null;
        setText(this.count, query && isKnown ? t("search.found", { n: this.list.count }) : "");
        const key = JSON.stringify(understood);
        if (this.chips.dataset.key === key) return;
        this.chips.dataset.key = key;
        // A chip that goes leaves the focus to the field.
        const hadFocus = this.chips.contains(document.activeElement);
        this.chips.replaceChildren(...understood.map((part) => el("li", {}, this.chip(part))));
        if (hadFocus) this.input.focus();
    }

    /** @param {import("./finding.js").Understood} part */
    chip(part) {
        const words = partWords(part);
        return el("button", { class: `chip is-${part.kind}`, type: "button", "aria-label": t("search.drop", { name: words }),
            onclick: () => this.finding.drop(part) }, el("span", {}, words), icon("close", "is-small"));
    }

    /** Without a question, what can be asked for; else that nothing was found. */
    emptyState() {
        if (this.finding.query) {
            // By what was typed: how it was understood may come later than that nothing was found.
            const isOne = !/\s/.test(this.finding.query);
            return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("search.none")),
                el("p", { class: "note" }, t(isOne ? "search.noneOne" : "search.noneNote")),
                el("p", { class: "note" }, t("search.noPlaces")));
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

/** Where nothing looks like a photo. */
export function nothingAlike() {
    return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("similar.none")));
}
