// "Add a device": how a phone or another computer finds this host, and what may be in its way.
import * as api from "../base/api.js";
import { openSheet } from "../elements/dialog.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { wrongText } from "../elements/forms.js";
import { describe } from "../base/problems.js";

/** Opens with the answer of the host, so that nothing moves once it is there. */
export async function addDevice() {
    /** @type {Node[]} */
    let content;
    try {
        const { addresses, reached } = await api.addresses();
        content = addresses.length > 0 ? found(addresses, reached) : [el("p", { class: "note" }, t("device.alone"))];
    } catch (error) {
        content = [wrongText(describe(error))];
    }
    // A session that ended in the meantime has closed every sheet already; it must not be followed by one more.
    if (document.querySelector(".shell")) openSheet({ title: t("device.title"), content });
}

/**
 * @param {string[]} addresses
 * @param {boolean} reached
 * @returns {Node[]}
 */
function found(addresses, reached) {
    const picture = el("img", { class: "qr", width: 240, height: 240 });
    /** @param {string} address */
    const show = (address) => {
        picture.setAttribute("alt", t("device.code", { address }));
        picture.setAttribute("src", api.qrPath(address));
    };
    show(addresses[0]);
    return [
        el("p", { class: "note" }, t("device.note")), picture,
        el("ul", {}, ...addresses.map((address) => row(address, addresses.length > 1 ? show : null))),
        ...(reached ? [] : [unreached(addresses[0])]),
    ];
}

/**
 * One address; its own code where there are several. The clipboard exists in secure contexts alone.
 * @param {string} address
 * @param {((address: string) => void) | null} show
 */
function row(address, show) {
    const copy = navigator.clipboard ? el("button", { class: "link", type: "button" }, t("device.copy")) : null;
    const text = el("span", { class: "hex" }, address);
    copy?.addEventListener("click", () => navigator.clipboard.writeText(address).then(() => {
        setText(copy, t("device.copied"));
        announce(t("device.copied"));
    }, () => getSelection()?.selectAllChildren(text)));
    const code = show ? el("button", { class: "link", type: "button", onclick: () => show(address) },
        t("device.showCode")) : null;
    for (const button of [code, copy]) button?.setAttribute("aria-label", `${button.textContent}: ${address}`);
    return el("li", { class: "set-row" }, text, el("span", {}, code, copy));
}

/** @param {string} address */
function unreached(address) {
    const { port, protocol } = new URL(address);
    return el("div", { class: "notice" }, icon("offline"), el("p", {}, el("strong", {}, t("device.unreached")), t("space"),
        t("device.unreachedNote", { port: port || (protocol === "https:" ? "443" : "80") })));
}
