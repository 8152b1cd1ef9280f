// What to do about the browser's warning: two ways, the steps of each system, and the fingerprint to compare.
import { el, icon } from "../base/dom.js";
import { hexParagraph } from "../elements/fingerprint.js";
import { has, t } from "../base/i18n.js";
import { platforms } from "../base/platform.js";

/**
 * Both ways: the steps of the visitor's platform `own` in sight, the others folded. `goesOn` where the page leaves by
 * itself once the certificate is trusted.
 * @param {import("../base/platform.js").Platform} own
 * @param {Certificate} certificate
 * @param {{goesOn: boolean}} options
 */
export function ways(own, { name, broad }, { goesOn }) {
    const others = platforms.filter((platform) => platform !== own);
    return [
        part("why", paragraph("why.note")),
        part("install", paragraph("install.note"), el("h3", {}, t(`name.${own}`)), ...guide(own, name),
            paragraph(goesOn ? "install.then.landing" : "install.then.open"), paragraph(broad ? "install.broad" : "install.limits"),
            el("div", {}, el("h3", {}, t("install.others")),
                ...others.map((platform) => fold(t(`name.${platform}`), ...guide(platform, name))))),
        part("past", paragraph("past.note"), paragraph(`past.${own}`)),
    ];
}

/**
 * The fingerprint and what comparing it is good for.
 * @param {Certificate} certificate
 */
export function comparing({ kind, name, words, fingerprint }) {
    return part("compare", paragraph("compare.why"), paragraph("compare.how"),
        el("ol", { class: "words", "aria-label": t("compare.words") },
            ...words.map((word) => el("li", { lang: "en" }, word))),
        fold(t("compare.hex"), hexParagraph(fingerprint)),
        paragraph("compare.differ"), paragraph(`compare.same.${kind}`, { name }));
}

/**
 * iOS takes certificates as configuration profiles; a certificate file it may save as something else.
 * @param {import("../base/platform.js").Platform} platform
 * @param {string} name
 */
function guide(platform, name) {
    const file = platform === "ios" ? "/safelight-authority.mobileconfig" : "/safelight-authority.crt";
    return [
        el("a", { class: "button is-wide", href: file }, icon("download", "is-small"), t("install.download")),
        el("ol", { class: "steps" },
            ...steps(platform).map((key) => el("li", {}, el("span", {}, ...rich(t(key, { name })))))),
    ];
}

/** @param {string} platform */
function steps(platform) {
    return [1, 2, 3, 4, 5].map((number) => `step.${platform}.${number}`).filter((key) => has(key));
}

/**
 * @param {string} key
 * @param {...Node} content
 */
function part(key, ...content) {
    return el("section", { class: "part", "aria-labelledby": `part-${key}` },
        el("h2", { id: `part-${key}` }, t(`${key}.title`)), ...content);
}

/**
 * @param {string} key
 * @param {Record<string, string>} [values]
 */
function paragraph(key, values) {
    return el("p", { class: "note" }, ...rich(t(key, values)));
}

/**
 * @param {string} title
 * @param {...Node} content
 */
function fold(title, ...content) {
    return el("details", { class: "fold" }, el("summary", {}, icon("right", "is-small"), title),
        el("div", { class: "part" }, ...content));
}

/**
 * A text in which `*…*` are words on a screen and `` `…` `` is something to type.
 * @param {string} text
 * @returns {(Node | string)[]}
 */
function rich(text) {
    return text.split(/(\*[^*]+\*|`[^`]+`)/).filter(Boolean).map((piece) => {
        if (piece.startsWith("*")) return el("strong", {}, piece.slice(1, -1));
        return piece.startsWith("`") ? code(piece.slice(1, -1)) : piece;
    });
}

/**
 * A line does not end within a word of it, unless the word is too long for a phone.
 * @param {string} text
 */
function code(text) {
    const words = text.split(" ").flatMap((word, index) => [
        index > 0 ? " " : null, word.length < 24 ? el("span", { class: "word" }, word) : word,
    ]);
    return el("code", {}, ...words);
}
