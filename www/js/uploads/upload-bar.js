// The folded panel on phones: a bar above the tabs, with how far it is, or why it stopped and the way on.
import { el, icon, setText, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";

export class UploadBar {
    /** @param {{onOpen: () => void, onRetry: () => void}} options */
    constructor({ onOpen, onRetry }) {
        this.title = el("span", { class: "figures" });
        this.note = el("span", { class: "small figures up-bar-note" });
        this.news = el("span", { class: "small up-news" });
        this.ring = svg("circle", { class: "ring-full", cx: "18", cy: "18", r: "15", pathLength: "100",
            "stroke-dasharray": "0 100" });
        this.circle = svg("svg", { class: "ring", viewBox: "0 0 36 36", "aria-hidden": "true" },
            svg("circle", { class: "ring-empty", cx: "18", cy: "18", r: "15" }), this.ring);
        this.done = icon("done", "ring-done");
        this.stopped = icon("warning", "ring-stopped");
        this.opener = el("button", { class: "up-open", type: "button", "aria-expanded": "false", onclick: onOpen },
            this.circle, this.done, this.stopped, el("span", { class: "up-bar-words" }, this.title, this.note, this.news));
        this.retry = el("button", { class: "link up-retry", type: "button", onclick: onRetry }, t("retry"));
        this.element = el("aside", { class: "up-bar", "aria-label": t("up.label") }, this.opener, this.retry);
    }

    /**
     * `share` is 0 to 1; `isSaved` once all is; `isStopped` while somebody has to mend a cause.
     * @param {{words: string, note: string, share: number, isSaved: boolean, isStopped: boolean}} state
     */
    draw({ words, note, share, isSaved, isStopped }) {
        setText(this.title, words);
        setText(this.note, note);
        this.ring.setAttribute("stroke-dasharray", `${Math.round(share * 100)} 100`);
        this.circle.toggleAttribute("hidden", isSaved || isStopped);
        this.done.toggleAttribute("hidden", !isSaved || isStopped);
        this.stopped.toggleAttribute("hidden", !isStopped);
        this.retry.hidden = !isStopped;
        this.element.classList.toggle("is-stopped", isStopped);
    }

    /** @param {string} words */
    setNews(words) {
        setText(this.news, words);
    }

    /** @param {boolean} isOpen */
    setOpen(isOpen) {
        this.opener.setAttribute("aria-expanded", String(isOpen));
        if (!isOpen) this.opener.focus();
    }
}
