// Rows of the settings that a vault and a space without a password share: this page, this host.
import * as api from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { hexParagraph } from "../elements/pieces.js";
import { applyTheme, host, preference, remember } from "../base/browser.js";
import { bytes, describe, language, languages, t } from "../base/i18n.js";

/**
 * @param {string} key
 * @param {...HTMLElement | null} rows
 * @returns {HTMLElement}
 */
export function part(key, ...rows) {
    return el("section", {}, el("h2", {}, t(key)), ...rows.filter(Boolean));
}

/**
 * @param {string} key
 * @param {string | null} note
 * @param {Node} control
 * @returns {HTMLElement}
 */
export function row(key, note, control) {
    const words = typeof note === "string" && note.startsWith("set.") ? t(note) : note;
    return el("div", { class: "set-row" },
        el("div", {}, el("strong", {}, t(key)), words ? el("p", { class: "small" }, words) : null), control);
}

/** How much is here, and how much room is left: the numbers come a moment later. */
export function storageRow() {
    const words = el("div", { class: "small figures" });
    api.request("GET", "/api/storage").then(({ photos, bytes: used, trashPhotos, trashBytes, freeBytes }) => {
        const lines = [t("storage.used", { n: photos, size: bytes(used) }),
            trashPhotos > 0 ? t("storage.trash", { n: trashPhotos, size: bytes(trashBytes) }) : null,
            t("storage.free", { size: bytes(freeBytes) })];
        words.replaceChildren(...lines.filter((line) => line !== null).map((line) => el("p", {}, line)));
    }, (error) => words.replaceChildren(describe(error)));
    return el("div", { class: "set-row is-stack" }, el("div", {}, el("strong", {}, t("storage.title")), words));
}

/** The way to what is there more than once. */
export function alikeRow() {
    return row("duplicates.title", t("duplicates.rowNote"), el("a", { class: "link", href: "#/duplicates" }, t("duplicates.review")));
}

/** Where what was deleted lies, and for how long. */
export function deletedRow() {
    return row("set.deleted", t("set.deletedNote", { n: host.trashDays }),
        el("a", { class: "link", href: "#/deleted" }, t("set.show")));
}

/**
 * @param {string} key
 * @param {() => unknown} run
 * @returns {HTMLElement}
 */
export function button(key, run) {
    return el("button", { class: "link", type: "button", onclick: run }, t(key));
}

/**
 * @param {(code: string) => void} onLanguage
 * @returns {HTMLElement}
 */
export function languageRow(onLanguage) {
    /** @type {HTMLSelectElement} */
    const select = el("select", { id: "set-language", onchange: () => onLanguage(select.value) },
        ...Object.entries(languages).map(([code, name]) =>
            el("option", { value: code, lang: code, selected: code === language() }, name)));
    return el("div", { class: "set-row" }, el("label", { for: "set-language" }, t("language")),
        el("span", { class: "select" }, select, icon("down", "is-small")));
}

/**
 * One of a few; `label(value)` says what it is, `onChoose(value)` follows a choice.
 * @param {string} name
 * @param {{key: string, note?: string | null, values: string[], label: (value: string) => string, chosen: string,
 *     onChoose: (value: string) => void}} options
 */
function choiceRow(name, { key, note = null, values, label, chosen, onChoose }) {
    const choices = values.map((value) => el("label", {},
        el("input", { type: "radio", name, value, checked: value === chosen, onchange: () => onChoose(value) }),
        label(value)));
    return el("div", { class: "set-row is-stack" },
        el("div", {}, el("strong", { id: `set-${name}` }, t(key)), note ? el("p", { class: "small" }, t(note)) : null),
        el("div", { class: note ? "segments is-long" : "segments", role: "radiogroup", "aria-labelledby": `set-${name}` },
            ...choices));
}

export function themeRow() {
    return choiceRow("theme", { key: "set.theme", values: ["auto", "light", "dark"],
        label: (value) => t(`set.theme.${value}`), chosen: preference("theme", "auto"), onChoose: (theme) => {
            remember("theme", theme);
            applyTheme(theme);
        } });
}

/** How large photos are in the gallery. */
export function tilesRow() {
    return choiceRow("tiles", { key: "set.tiles", values: ["small", "medium", "large"],
        label: (value) => t(`set.tiles.${value}`), chosen: preference("tiles", "medium"),
        onChoose: (size) => remember("tiles", size) });
}

/** What becomes of an open vault when somebody leaves the page. */
export function whenLeftRow() {
    return choiceRow("left", { key: "set.left", note: "set.leftNote", values: ["stay", "minute", "once"],
        label: (value) => t(`set.left.${value}`), chosen: preference("left", "stay"),
        onChoose: (choice) => remember("left", choice) });
}

/** Which software it is. */
export function versionRow() {
    return el("div", { class: "set-row" }, el("strong", {}, t("set.version")),
        el("span", { class: "figures" }, host.hello?.version ?? ""));
}

/**
 * Whom the owner lets people ask: an e-mail address, or words; null where nobody is named.
 * @returns {HTMLElement | null}
 */
export function contactRow() {
    const contact = host.hello?.contact;
    if (!contact) return null;
    const address = /^(?:mailto:)?([^\s@:/?]+@[^\s@:/?]+)$/.exec(contact)?.[1];
    return el("div", { class: "set-row" }, el("div", {}, el("strong", {}, t("set.contact")),
        address ? null : el("p", { class: "small" }, contact)),
    address ? el("a", { class: "link", href: `mailto:${encodeURI(address)}` }, address) : null);
}

/** The fingerprint comes a moment later; the row is there from the start. */
export function certificateRow() {
    const fingerprint = el("div", { class: "small" });
    api.certificate().then(({ words, fingerprint: hex }) => fingerprint.replaceChildren(
        el("p", { lang: "en" }, words.join(" ")), hexParagraph(hex),
    ), (error) => fingerprint.replaceChildren(
        error.code === "no-certificate" ? t("set.certificateNone") : describe(error),
    ));
    return el("div", { class: "set-row is-stack" }, el("div", {}, el("strong", {}, t("set.certificate")), fingerprint),
        // In a tab of its own: an upload goes on in this one.
        el("a", { class: "link is-back", href: "/connect.html", target: "_blank" }, t("set.certificateHelp")));
}

/** What is refused for the secret that was typed. */
const proofCodes = ["recovery-code-invalid", "password-needed", "way-in-use"];

/**
 * A wrong password inside the vault is about this form, not about the session.
 * @param {() => unknown} work
 */
export async function readProblem(work) {
    try {
        await work();
    } catch (error) {
        if (error.status === 401 || error.code === "password-wrong") error.words = t("error.wrongPassword");
        error.isProof = Boolean(error.words) || proofCodes.includes(error.code);
        if (error.limit) error.words = describe(error);
        else if (error.status === 429) error.words = `${t("wait.many")}${t("space")}${t("wait.seconds", { n: error.retryAfter || 1 })}`;
        throw error;
    }
}
