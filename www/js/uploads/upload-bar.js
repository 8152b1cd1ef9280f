// The folded panel on phones: a bar above the tabs, with how far it is, or why it stopped and the way on.
import { platformOf } from "../base/browser.js";
import { el, icon, setText, svg } from "../base/dom.js";
import { has, t } from "../base/i18n.js";

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
            this.circle, this.done, this.stopped, el("span", { class: "up-bar-words" }, this.title, this.note, this.news),
            icon("down", "is-small up-more"));
        this.retry = el("button", { class: "link up-retry", type: "button", onclick: onRetry }, t("retry"));
        /** @type {HTMLElement | null} */
        this.receipt = null;
        this.element = el("aside", { class: "up-bar", "aria-label": t("up.label") }, this.opener, this.retry);
    }

    /**
     * `share` is 0 to 1; `isSaved` once all is; `isStopped` while somebody has to mend a cause; `receipt` is the button for
     * it, once there is one.
     * @param {{words: string, note: string, share: number, receipt: HTMLElement | null, isSaved: boolean, isStopped: boolean}} state
     */
    draw({ words, note, share, receipt, isSaved, isStopped }) {
        if (this.receipt !== receipt) {
            this.receipt?.remove();
            this.receipt = receipt;
            if (receipt) this.element.append(receipt);
        }
        this.element.classList.toggle("is-proof", isSaved);
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

// What the phone did to the photos, said once for a batch: quiet, with numbers, and with the way to the originals.

export class FindingsNote {
    constructor() {
        this.list = el("ul");
        this.words = el("span");
        this.element = el("details", { class: "found", hidden: true },
            el("summary", {}, icon("info", "is-small"), this.words, icon("right", "is-small")), this.list);
    }

    hide() {
        this.element.hidden = true;
        this.element.dataset.key = "";
    }

    /** `findings` are those of the present batch.
     * @param {import("./upload-carrying.js").Findings} findings */
    draw(findings) {
        const { counts, platform } = findings;
        const key = counts.map(({ kind, count }) => `${kind} ${count}`).join();
        if (this.element.dataset.key === key) return;
        this.element.dataset.key = key;
        this.element.hidden = counts.length === 0;
        if (counts.length === 0) return;
        this.words.textContent = said(counts[0]);
        this.list.replaceChildren(...counts.map((found, index) => el("li", {},
            index > 0 ? el("p", {}, said(found)) : null, el("p", { class: "small" }, way(found.kind, platform)))));
    }
}

/** @param {{kind: string, count: number}} found */
const said = ({ kind, count }) => t(`found.${kind}`, { n: count });

/** What can be done about it may depend on the phone.
 * @param {string} kind @param {string} platform */
function way(kind, platform) {
    const key = `found.${kind}.${platform}`;
    return t(has(key) ? key : `found.${kind}.way`);
}

// What is said of a batch of files, from the first to the end: decided from what is known of it, and shown by the panel.

/** @typedef {import("./queue.js").Queue} Queue */

/** @param {Queue} queue */
export function progressWords(queue) {
    return t("up.progress", { done: queue.saved, n: queue.total - queue.failed });
}

/** `isProven`: what was saved has been read back.
 * @param {Queue} queue @param {boolean} [isProven] */
export function resultWords(queue, isProven = false) {
    const saved = queue.saved - queue.duplicates;
    if (queue.saved === 0) return t("up.noneSaved");
    return [saved > 0 ? t(isProven ? "up.proven" : "up.saved", { n: saved }) : null,
        queue.duplicates > 0 ? t("up.same", { n: queue.duplicates }) : null].filter(Boolean).join(" · ");
}

/** Whether nothing is lost with what the phone has: all of it lies in a vault, was read back whole, and is what the
 * phone has. What was there before was not read back now, and no word is said of it. What moves in has an account of its own.
 * @param {Pick<Uploads, "queue" | "isVault" | "isChecked" | "batches" | "findings">} uploads @returns {boolean} */
export function mayBeDeleted({ queue, isVault, isChecked, batches, findings }) {
    const isLess = findings?.counts.some(({ kind }) => kind !== "screenshot") ?? false;
    return isVault && isChecked && queue.isFinished && queue.saved > 0 && queue.failed === 0 && queue.duplicates === 0
        && queue.earlier.saved === 0 && !isLess && ![...queue.states.saved].some(({ account }) => account) && [...batches].every(({ isOfVault }) => isOfVault);
}

/** Elsewhere the photos may have come from a phone all the same.
 * @returns {string} */
function mayDeleteWords() {
    return t(["ios", "android"].includes(platformOf(navigator)) ? "up.mayDelete" : "up.mayDeleteThere");
}

/** What is said of a batch once all of it was read back, and whether the phone may forget it; null before that.
 * @param {Uploads} uploads @returns {{words: string, note: string} | null} */
export function proofWords(uploads) {
    const { queue } = uploads;
    if (!queue.isFinished || queue.saved === 0 || !uploads.isChecked) return null;
    return { words: resultWords(queue, true), note: mayBeDeleted(uploads) ? mayDeleteWords() : "" };
}
