// A recovery code, shown once: to be printed, written down, copied or saved before the sheet is closed.
import { openSheet } from "../elements/dialog.js";
import { announce, el, setText } from "../base/dom.js";
import { keepText } from "../base/download.js";
import { day, t } from "../base/i18n.js";

/**
 * Resolves once the person says that they have it.
 * @param {string} code
 */
export async function showRecoveryCode(code) {
    const done = el("button", { class: "button is-main is-wide", type: "button" }, t("code.done"));
    const line = `${location.host} · ${day(new Date())}`;
    /** @type {() => void} */
    let forget = () => {};
    const sheet = openSheet({
        title: t("code.title"), note: t("code.note"), closable: false, content: [
            el("p", { class: "recovery-code", lang: "en", translate: "no" }, code),
            el("p", { class: "small print-only" }, line),
            el("div", { class: "code-ways" },
                way("code.print", () => window.print()),
                // The clipboard exists in secure contexts alone.
                navigator.clipboard ? copyWay(code) : null,
                way("code.save", () => {
                    forget();
                    forget = keepText(`${t("code.title")}\n\n${code}\n\n${line}\n`, "text/plain", t("code.file"));
                })),
            done,
        ],
    });
    sheet.dialog.classList.add("is-paper");
    // Escape would take away what is shown once.
    sheet.hold(true);
    done.addEventListener("click", () => sheet.close());
    await sheet.closed;
    forget();
}

/**
 * @param {string} key
 * @param {() => void} run
 */
function way(key, run) {
    return el("button", { class: "button", type: "button", "data-first": key === "code.print", onclick: run }, t(key));
}

/** @param {string} code */
function copyWay(code) {
    const button = way("code.copy", () => navigator.clipboard.writeText(code).then(() => {
        setText(button, t("code.copied"));
        announce(t("code.copied"));
    }, () => getSelection()?.selectAllChildren(/** @type {Node} */ (document.querySelector(".recovery-code")))));
    return button;
}
