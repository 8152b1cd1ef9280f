// What the vault found missing or unreadable, said plainly until somebody has taken note of it.
import * as api from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { describe } from "../base/problems.js";
import { toast } from "../elements/dialog.js";

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
