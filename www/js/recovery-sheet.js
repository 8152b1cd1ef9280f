// A recovery code, shown once: to be printed or written down before the sheet is closed.
import { openSheet } from "./dialog.js";
import { el } from "./dom.js";
import { day, t } from "./i18n.js";

/** Resolves once the person says that it is on paper. */
export async function showRecoveryCode(code) {
    const print = el("button", { class: "button", type: "button", "data-first": true, onclick: () => window.print() },
        t("code.print"));
    const done = el("button", { class: "button is-main", type: "button" }, t("code.done"));
    const sheet = openSheet({
        title: t("code.title"), note: t("code.note"), closable: false, content: [
            el("p", { class: "recovery-code", lang: "en", translate: "no" }, code),
            el("p", { class: "small print-only" }, `${location.host} · ${day(new Date())}`),
            el("div", { class: "ends" }, print, done),
        ],
    });
    sheet.dialog.classList.add("is-paper");
    // Escape would take away what is shown once.
    sheet.hold(true);
    done.addEventListener("click", () => sheet.close());
    await sheet.closed;
}
