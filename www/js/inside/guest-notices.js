// What stands above a guest's photos, and what is said once they have moved.
import { el, icon } from "../base/dom.js";
import { lastDayBefore, t } from "../base/i18n.js";

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
