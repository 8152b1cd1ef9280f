// The lamp and the wordmark. The lamp is lit only where the connection is encrypted.
import { el, icon, svg } from "../base/dom.js";
import { language, languages, t } from "../base/i18n.js";
import { isEncrypted, isLoopback } from "../base/browser.js";

/** The lamp; `cord` reaches up out of the picture on the door.
 * @param {{cord?: string}} options */
export function lamp({ cord = "M32 5v17" } = {}) {
    return svg("svg", { class: isEncrypted() ? "lamp" : "lamp is-out", viewBox: "0 0 64 64", "aria-hidden": "true" },
        svg("path", { class: "lamp-cord", d: cord }),
        svg("path", { class: "lamp-shade", d: "M8 23h48" }),
        svg("path", { class: "lamp-light", d: "M15 33h34a17 17 0 0 1-34 0z" }));
}

const letters = [
    "M12.2 23.500A6.25 6.25 0 0 0 6.4 20C3.4 20 1.5 21.9 1.5 24.6 1.5 31 12.7 28.2 12.7 35 "
        + "12.7 38.1 10 40 6.8 40A6.6 6.6 0 0 1 1 36.5",
    "M39 20v20M39 30a10 10 0 1 1-20 0 10 10 0 0 1 20 0",
    "M59 8.500C54 7 51.5 9.5 51.5 13.500V40M46 20h11.5",
    "M62 30h20A10 10 0 1 0 79.1 37",
    "M90.5 8v32",
    "M99.5 20v20",
    "M128 20v20.500c0 9.5-13.5 11-18.5 4.500M128 30a10 10 0 1 1-20 0 10 10 0 0 1 20 0",
    "M137 8v32M137 29.500c0-5.5 3.6-9.5 8.7-9.500s8.3 3.6 8.3 9V40",
    "M165 12v22.500c0 4 2 5.5 6.5 5M159.5 20H171",
];

/** The name, drawn in one stroke width. `labelled` when no other text says it.
 * @param {{labelled?: boolean}} options */
export function wordmark({ labelled = false } = {}) {
    const attributes = labelled ? { role: "img", "aria-label": "Safelight" } : { "aria-hidden": "true" };
    return svg("svg", { class: "wordmark", viewBox: "0 4 174 46", ...attributes },
        ...letters.map((d) => svg("path", { d })),
        svg("circle", { cx: "99.5", cy: "11.5", r: "3.2" }));
}

/** Blank prints on a line, for a gallery with nothing in it. */
export function emptyLine() {
    return svg("svg", { class: "prints", viewBox: "0 0 200 110", "aria-hidden": "true" },
        svg("path", {
            d: "M4 16c60 12 132 12 192 0M31 21v8M48 23v8M24 30l30 3-5 50-30-3zM85 25v8M113 25v8M82 33h34v54H82z"
                + "M149 23v8M168 21v8M144 33l30-4 6 50-30 4z",
        }));
}

// The frame of every screen outside a vault: the lamp, a column of content, language and connection below.

/** `long` leaves more room for the content, and `isForm` all of a phone; `onLanguage` gets the chosen language. `leadsOn`: the words about the
 * connection lead to the page about it, on which a setup code (`code`) is not lost.
 * @param {{long?: boolean, isForm?: boolean, content: (Node | null)[], onLanguage: (code: string) => void, leadsOn?: boolean,
 *     code?: string}} options
 * @returns {HTMLElement} */
export function doorFrame({ long = false, isForm = false, content, onLanguage, leadsOn = false, code = "" }) {
    return el("div", { class: `door${long ? " is-long" : ""}${isForm ? " is-form" : ""}` },
        el("div", { class: "door-lamp" }, lamp({ cord: "M32 -600V20" })),
        el("div", { class: "door-body" },
            el("main", { class: "door-in", id: "main" }, wordmark({ labelled: true }), ...content),
            doorFoot(onLanguage, leadsOn ? `/connect.html${code ? `#code=${code}` : ""}` : null)));
}

/** @param {(code: string) => void} onLanguage @param {string | null} [about] */
export function doorFoot(onLanguage, about = null) {
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

// The name of a file, of which the ending stays in view when there is no room for all of it.

/** The number that tells a photo from its neighbours, or else the last letters, with the ending. */
const tail = /(?:\d{1,6}|.{0,3})(?:\.[^.\s]{1,6})?$/su;

/** `[front, back]`: of the front as much is shown as there is room for.
 * @param {string} name @returns {[string, string]} */
export function splitName(name) {
    const cut = /** @type {RegExpExecArray} */ (tail.exec(name)).index;
    return [name.slice(0, cut), name.slice(cut)];
}

/** @param {string} name @returns {HTMLElement} */
export function fileName(name) {
    const [front, back] = splitName(name);
    return el("span", { class: "file-name", title: name }, el("span", {}, front), el("span", {}, back));
}

// The fingerprint in full, as devices show it.

/** A line ends behind a colon, never within a pair of digits.
 * @param {string} fingerprint @returns {HTMLElement} */
export function hexParagraph(fingerprint) {
    const pairs = fingerprint.split(":");
    const pieces = pairs.flatMap((pair, index) => (index < pairs.length - 1 ? [`${pair}:`, el("wbr")] : [pair]));
    return el("p", { class: "hex" }, ...pieces);
}
