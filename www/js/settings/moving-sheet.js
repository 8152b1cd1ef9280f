// "Move in": how photos come from elsewhere, by a command on the host, and what the last one proved.
import * as api from "../base/api.js";
import { openSheet } from "../elements/dialog.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { format, t } from "../base/i18n.js";
import { describe } from "../base/problems.js";
import { wrongText } from "../elements/forms.js";

/** From where, and what somebody names of it; the host's shell shall open none of it itself. */
const SOURCES = [
    ["moving.google", "~/Downloads/takeout-*.zip"], ["moving.apple", "~/Downloads/\"iCloud Photos Part \"*.zip"],
    ["moving.others", "~/Downloads/export.zip"], ["moving.folder", "--keep-folders ~/Pictures"],
];

/** Opens with the answer of the host, so that nothing moves once it is there. */
export async function moveIn() {
    /** @type {Node[]} */
    let content;
    try {
        /** @type {MovingIn} */
        const { command, last } = await api.request("GET", "/api/import");
        content = [
            ...(last ? [proof(last)] : []), el("p", {}, t("moving.how")),
            el("ul", { class: "moving" }, ...SOURCES.map(([key, files]) => source(t(key), `${command} ${files}`))),
            el("p", { class: "note" }, t("moving.end")),
        ];
    } catch (error) {
        content = [wrongText(describe(error))];
    }
    // A session that ended in the meantime has closed every sheet already; it must not be followed by one more.
    if (document.querySelector(".shell")) openSheet({ title: t("moving.title"), content });
}

/**
 * What the last import said at its end.
 * @param {NonNullable<MovingIn["last"]>} last
 */
function proof({ at, proof }) {
    const told = proof.files - proof.stored - proof.known - proof.again - proof.left - proof.failed;
    const lines = [
        ["moving.stored", proof.stored], ["moving.known", proof.known], ["moving.again", proof.again], ["moving.told", told],
        ["moving.left", proof.left], ["moving.failed", proof.failed],
    ];
    const when = format(new Date(at), { dateStyle: "long", timeStyle: "short" });
    return el("div", { class: "notice" }, icon(proof.isProven ? "done" : "warning"),
        el("div", {}, el("strong", {}, t("moving.last", { when })), el("p", {}, t("moving.files", { n: proof.files })),
            el("ul", { class: "figures" }, ...lines.filter(([, n]) => Number(n) > 0)
                .map(([key, n]) => el("li", {}, t(String(key), { n: Number(n) })))),
            el("p", {}, t(proof.isProven ? "moving.proven" : "moving.unproven"))));
}

/**
 * One command. The clipboard exists in secure contexts alone.
 * @param {string} name
 * @param {string} command
 */
function source(name, command) {
    const text = el("code", { class: "hex" }, command);
    const copy = navigator.clipboard ? el("button", { class: "link", type: "button", "aria-label": `${t("device.copy")}: ${name}` },
        t("device.copy")) : null;
    copy?.addEventListener("click", () => navigator.clipboard.writeText(command).then(() => {
        setText(copy, t("device.copied"));
        announce(t("device.copied"));
    }, () => getSelection()?.selectAllChildren(text)));
    return el("li", {}, el("div", {}, el("strong", {}, name), copy), text);
}
