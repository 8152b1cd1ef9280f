// What came through the doors of this vault since somebody last heard of it: said above the photos, until it is dismissed.
import { announce, el, icon } from "../base/dom.js";
import { language, t } from "../base/i18n.js";
import { describe } from "../base/problems.js";
import { toast } from "../elements/toast.js";
import { dismissNews, doors, news, obstacleWords } from "./door-requests.js";

const mostNamed = 4;

/** @typedef {(albumID: string) => unknown} Show */

export class DoorsNews {
    /** @type {Promise<void> | null} */
    asking = null;
    said = "";

    /**
     * `onShow(albumID)` leads to the album of a door, or, of null, to where new photos are.
     * @param {{onShow: (albumID: string | null) => unknown}} options
     */
    constructor({ onShow }) {
        this.onShow = onShow;
        this.element = el("div", { class: "door-news" });
    }

    /** Asks the host, one question at a time; without an answer, what is said stays. */
    ask() {
        this.isStale = true;
        this.asking ??= this.fetch().finally(() => { this.asking = null; });
        return this.asking;
    }

    async fetch() {
        while (this.isStale) {
            this.isStale = false;
            const all = await news().catch(() => null);
            if (all) this.draw(all);
        }
    }

    dispose() {
        this.isStale = false;
        this.element.replaceChildren();
    }

    /** @param {DoorNews[]} all */
    draw(all) {
        const lines = all.filter(({ count }) => count > 0);
        const stuck = all.filter(({ obstacle }) => obstacle);
        this.element.replaceChildren(...lines.map((one) => this.notice(one)), ...stuck.map(stuckNotice));
        const words = [...lines.map(cameWords), ...stuck.flatMap(({ door, obstacle }) => [door.name, obstacleWords(obstacle)])]
            .join(t("space"));
        if (words !== "" && words !== this.said) announce(words);
        this.said = words;
    }

    /** @param {DoorNews} one */
    notice(one) {
        const waits = one.waiting > 0;
        const show = waits ? el("a", { class: "link", href: "#/waiting" }, t("waiting.look"))
            : el("button", { class: "link", type: "button", onclick: () => this.show(one) }, t("up.show"));
        return el("section", { class: "bar-line is-result is-door" }, icon("save", "is-small"),
            el("div", {}, el("p", { class: "figures" }, el("strong", {}, cameWords(one))),
                waits ? el("p", { class: "note" }, t("doors.waiting", { n: one.waiting })) : null, show),
            el("button", { class: "round", type: "button", "aria-label": t("doors.dismiss"), onclick: () => this.dismiss() },
                icon("close", "is-small")));
    }

    /** @param {DoorNews} one */
    async show({ door }) {
        const known = await doors().catch(() => []);
        this.onShow(known.find(({ id }) => id === door.id)?.albumID ?? null);
    }

    /** For good: the vault remembers that it was told. */
    async dismiss() {
        try {
            await dismissNews();
            this.element.replaceChildren();
            this.said = "";
        } catch (error) {
            toast(describe(error));
        }
    }
}

/**
 * It stays until what came is in.
 * @param {DoorNews} one
 */
const stuckNotice = ({ door, obstacle }) => el("section", { class: "bar-line is-result is-door" }, icon("warning", "is-small"),
    el("div", {}, el("p", {}, el("strong", {}, door.name)), el("p", { class: "note" }, obstacleWords(obstacle))));

/**
 * "47 photos came through “Anna & Tom”, from Mia, Jo and somebody".
 * @param {DoorNews} news
 */
export function cameWords({ door: { name }, count: n, givers, unnamed }) {
    const rest = givers.length - mostNamed;
    const named = [...givers.slice(0, mostNamed), ...(rest > 0 ? [t("doors.others", { n: rest })] : []),
        ...(unnamed > 0 && givers.length > 0 ? [t("doors.somebody")] : [])];
    if (named.length === 0) return t("doors.cameThrough", { n, name });
    const who = new Intl.ListFormat(language(), { type: "conjunction" }).format(named);
    return t("doors.cameFrom", { n, name, who });
}
