// What stands above a guest's photos, and what is said once they have moved.
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { describe, lastDayBefore, t } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";

/**
 * @typedef {object} Notice
 * @property {boolean} isGood
 * @property {string} title
 * @property {string[]} notes
 */

/**
 * Until when the photos are kept, and how to keep them. `guest` is `{photos, until}`.
 * @param {Guest} guest
 * @param {() => void} onOpen
 * @returns {HTMLElement}
 */
export function keptUntilLine(guest, onOpen) {
    return el("div", { class: "bar-line" }, icon("clock", "is-small"),
        el("p", {}, el("strong", {}, t("guest.until", { day: lastDayBefore(guest.until) })), t("space"), t("guest.onlyHere")),
        el("button", { class: "link", type: "button", onclick: onOpen }, t("guest.keep")));
}

/**
 * In a vault: what a guest of this browser still has, and the way in, for it goes after its last day.
 * @param {Guest} guest
 * @param {() => void} onOpen
 * @returns {HTMLElement}
 */
export function leftLine(guest, onOpen) {
    return el("div", { class: "bar-line is-left" }, icon("clock", "is-small"),
        el("p", { class: "figures" }, el("strong", {},
            t("moved.left", { n: guest.photos, day: lastDayBefore(guest.until) }))),
        el("button", { class: "link", type: "button", onclick: onOpen }, t("move.action")));
}

/**
 * What became of the guest's photos, as `{isGood, title, notes}`, or null when none were to move. `answer` is that of
 * opening or creating; `guest` what there was before.
 * @param {Opened} answer
 * @param {Guest | null} guest
 * @returns {Notice | null}
 */
export function movedWords(answer, guest) {
    if (!guest || guest.photos === 0 || !answer.isAsked) return null;
    const day = lastDayBefore(guest.until);
    if (answer.migrationRefused) {
        const why = answer.migrationRefused === "vault-full" ? t("moved.full") : t("moved.refused");
        return { isGood: false, title: t("moved.none"), notes: [`${why}${t("space")}${t("moved.stay", { day })}`] };
    }
    /** @type {string[]} */
    const counts = [];
    if (answer.migrated > 0 || answer.duplicates === 0) counts.push(t("moved.count", { n: answer.migrated }));
    if (answer.duplicates > 0) counts.push(t("moved.same", { n: answer.duplicates }));
    /** @type {string[]} */
    const notes = [];
    if (answer.pending > 0) notes.push(t("moved.pending", { n: answer.pending }));
    if (answer.lost > 0) notes.push(t("moved.lost", { n: answer.lost }));
    return { isGood: !(answer.lost > 0), title: counts.join(" · "), notes };
}

/**
 * Words that stay until somebody puts them away.
 * @param {Notice} notice
 * @returns {HTMLElement}
 */
export function resultNotice({ isGood, title, notes }) {
    const close = el("button", { class: "round", type: "button", "aria-label": t("close") }, icon("close", "is-small"));
    const element = el("section", { class: "bar-line is-result" }, icon(isGood ? "done" : "warning", "is-small"),
        el("div", {}, el("p", { class: "figures" }, el("strong", {}, title)),
            ...notes.map((note) => el("p", { class: "note" }, note))), close);
    close.addEventListener("click", () => element.remove());
    return element;
}

// What the vault found missing or unreadable, said plainly until somebody has taken note of it.

/**
 * Null when nothing is missing; taking note of it clears `session.damage`.
 * @param {Session} session
 * @param {{onAccepted: () => void}} options
 * @returns {HTMLElement | null}
 */
export function damageNotice(session, { onAccepted }) {
    const { damage } = session;
    if (!damage) return null;
    const names = damage.unreadable ?? [];
    const notice = el("section", { class: "bar-note", role: "alert" }, icon("warning"),
        el("div", {}, el("h2", {}, t("damage.title")),
            damage.missingEntries > 0 ? el("p", {}, t("damage.missing", { n: damage.missingEntries })) : null,
            names.length > 0 ? el("p", {}, t("damage.unreadable", { n: names.length })) : null,
            el("ul", { class: "small" }, ...names.slice(0, 20).map((name) => el("li", {}, name))),
            el("p", { class: "note" }, t("damage.note")),
            el("button", { class: "button is-small", type: "button", onclick: accept }, t("damage.accept"))));
    async function accept() {
        try {
            await api.acceptLoss();
            session.damage = null;
            notice.remove();
            onAccepted();
        } catch (error) {
            toast(describe(error));
        }
    }
    return notice;
}

// Devices of a vault see each other: this one tells how far it is with sending, and shows how far others are.

/** Milliseconds between what is told; the host forgets it after some more. */
const pause = 2500;

/**
 * Tells the host how far `uploads` is, from its first file to its last.
 * @param {Uploads} uploads
 * @param {{signal: AbortSignal}} options
 */
export function tellSending(uploads, { signal }) {
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */
    let timer = null;
    let isTold = false;
    const tell = () => {
        timer = null;
        const { queue } = uploads;
        const total = queue.total - queue.failed;
        const isOver = queue.unsent === 0 || total === 0;
        if (signal.aborted || isOver && !isTold) return;
        isTold = !isOver;
        const done = isOver ? total : Math.min(queue.saved, total);
        // Nobody misses it: what has come is seen, and the next one tells more.
        api.tellSending({ device: deviceKind(), done, total }).catch(() => {});
        if (!isOver) timer = setTimeout(tell, pause);
    };
    uploads.addEventListener("change", () => {
        if (!isTold && uploads.queue.unsent > 0) timer ??= setTimeout(tell, 0);
    }, { signal });
    uploads.addEventListener("finished", () => {
        clearTimeout(timer);
        tell();
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(timer));
}

/**
 * What people call this device. An iPad calls itself a Mac, but no Mac has a touch screen.
 * @param {{userAgent: string, maxTouchPoints?: number}} browser
 * @returns {Sending["device"]}
 */
function deviceKind({ userAgent, maxTouchPoints = 0 } = navigator) {
    if (/iPhone|iPod|Android.*Mobile/.test(userAgent)) return "phone";
    return /iPad|Android/.test(userAgent) || /Macintosh/.test(userAgent) && maxTouchPoints > 1 ? "tablet" : "computer";
}

/** A line over the page while another device sends; it takes no place from the photos. */
export class SendingNews {
    constructor() {
        this.words = el("p", { class: "figures" });
        this.element = el("aside", { class: "toast is-sending" }, icon("save", "is-small"), this.words);
    }

    /**
     * `sending` is what the host says of others, `{device, done, total}` each; absent or empty where nobody sends.
     * @param {Sending[]} [sending]
     */
    show(sending = []) {
        if (sending.length === 0) {
            this.element.remove();
            return;
        }
        const [{ device, done, total }] = sending;
        setText(this.words, sending.length > 1 ? t("sending.several", { n: sending.length })
            : t(`sending.${device}`, { done, n: total }));
        if (this.element.isConnected) return;
        document.getElementById("notes").append(this.element);
        // How it gets on is for the eye.
        announce(this.words.textContent ?? "");
    }

    dispose() { this.element.remove(); }
}
