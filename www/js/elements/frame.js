// The frame of every screen outside a vault: the lamp, a column of content, language and connection below.
import { lamp, wordmark } from "./brand.js";
import { el, icon } from "../base/dom.js";
import { language, languages, t } from "../base/i18n.js";
import { isEncrypted, isLoopback } from "../base/transport.js";

/**
 * `long` leaves more room for the content; `onLanguage` gets the chosen language. `leadsOn`: the words about the
 * connection lead to the page about it, on which a setup code (`code`) is not lost.
 * @param {{long?: boolean, content: (Node | null)[], onLanguage: (code: string) => void, leadsOn?: boolean,
 *     code?: string}} options
 * @returns {HTMLElement}
 */
export function doorFrame({ long = false, content, onLanguage, leadsOn = false, code = "" }) {
    return el("div", { class: long ? "door is-long" : "door" },
        el("div", { class: "door-lamp" }, lamp({ cord: "M32 -600V20" })),
        el("div", { class: "door-body" },
            el("main", { class: "door-in", id: "main" }, wordmark({ labelled: true }), ...content),
            doorFoot(onLanguage, leadsOn ? `/connect.html${code ? `#code=${code}` : ""}` : null)));
}

/**
 * @param {(code: string) => void} onLanguage
 * @param {string | null} about
 */
function doorFoot(onLanguage, about) {
    /** @type {HTMLSelectElement} */
    const select = el("select", { "aria-label": t("language"), onchange: () => onLanguage(select.value) },
        ...Object.entries(languages).map(([code, name]) =>
            el("option", { value: code, lang: code, selected: code === language() }, name)));
    const [name, words] = isEncrypted() ? ["lock", "door.encrypted"]
        : isLoopback() ? ["lock", "door.loopback"] : ["unlocked", "door.readable"];
    return el("footer", { class: "door-foot" }, el("span", { class: "select" }, select, icon("down", "is-small")),
        about ? el("a", { class: "door-about", href: about }, icon(name, "is-small"), t(words))
            : el("span", {}, icon(name, "is-small"), t(words)));
}
