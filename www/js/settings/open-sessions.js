// Where this vault is open, of the settings: each browser and program, since when, and its end.
import * as api from "../base/api.js";
import { confirm, toast } from "../elements/dialog.js";
import { el } from "../base/dom.js";
import { format, lastDayBefore, t } from "../base/i18n.js";
import { describe } from "../base/problems.js";

/**
 * The section of the settings; `last` is its last row, and `onLeave(reason)` goes to the door.
 * @param {HTMLElement} last
 * @param {(reason: string) => void} onLeave
 * @returns {HTMLElement}
 */
export function openSessionsPart(last, onLeave) {
    const title = el("h2", {}, t("sessions.title"));
    const list = el("div", {});
    const draw = async () => {
        try {
            const { sessions } = await api.openSessions();
            title.replaceChildren(t("sessions.count", { n: sessions.length }));
            list.replaceChildren(...sessions.map((session) => sessionRow(session, draw, onLeave)));
        } catch (error) {
            list.replaceChildren(el("p", { class: "small" }, describe(error)));
        }
    };
    draw();
    return el("section", {}, title, list, last);
}

/** @param {OpenSession} session */
function nameOf({ kind, browser, system }) {
    if (kind === "program") return t("sessions.program");
    if (browser && system) return t("sessions.browserOn", { browser, system });
    return browser ?? system ?? t("sessions.unknown");
}

/**
 * @param {OpenSession} session
 * @param {() => Promise<void>} draw
 * @param {(reason: string) => void} onLeave
 */
function sessionRow(session, draw, onLeave) {
    const notes = [
        t("sessions.since", { day: format(new Date(session.openedAt), { dateStyle: "long", timeStyle: "short" }) }),
        session.keptUntil ? t("sessions.kept", { day: lastDayBefore(session.keptUntil) }) : null,
        session.current ? t("sessions.current") : null,
    ];
    const name = nameOf(session);
    const end = el("button", { class: "link", type: "button", "aria-label": `${t("sessions.end")}: ${name}`,
        onclick: () => endSession(session, name, draw, onLeave) }, t("sessions.end"));
    return el("div", { class: "set-row" },
        el("div", {}, el("strong", {}, name), el("p", { class: "small" }, notes.filter(Boolean).join(" · "))), end);
}

/**
 * @param {OpenSession} session
 * @param {string} name
 * @param {() => Promise<void>} draw
 * @param {(reason: string) => void} onLeave
 */
async function endSession(session, name, draw, onLeave) {
    const sure = await confirm({
        title: t("sessions.endTitle", { name }), note: t("sessions.endNote"), action: t("sessions.end"),
    });
    if (!sure) return;
    try {
        await api.endSession(session.id);
    } catch (error) {
        // It has ended by itself meanwhile.
        if (error.code !== "no-such-session") {
            toast(describe(error));
            return;
        }
    }
    if (session.current) {
        onLeave(t("locked.ended"));
        return;
    }
    toast(t("sessions.ended"));
    await draw();
}
