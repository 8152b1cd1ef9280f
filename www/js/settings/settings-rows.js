// Rows of the settings that a vault and a space without a password share: this page, this host.
import * as api from "../base/api.js";
import { applyTheme, host, preference, remember } from "../base/browser.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { bytes, describe, language, languages, t } from "../base/i18n.js";
import { openSheet, wrongText } from "../elements/dialog.js";
import { hexParagraph } from "../elements/pieces.js";
import { newsOf, pageOf } from "../elements/upgrade-card.js";

/** A group of rows, and of parts with names of their own.
 * @param {string} key @param {...HTMLElement | null} rows @returns {HTMLElement} */
export function part(key, ...rows) {
    return el("section", {}, el("h2", {}, t(key)), ...rows.filter(Boolean));
}

/** @param {string} key @param {string | null} note @param {Node} control @returns {HTMLElement} */
export function row(key, note, control) {
    return namedRow(t(key), typeof note === "string" && note.startsWith("set.") ? t(note) : note, control);
}

/** What can be done says of which row, to whoever hears it without seeing the row: "Change: Password".
 * @param {string} name @param {string | null} note @param {Node | null} control @returns {HTMLElement} */
export function namedRow(name, note, control) {
    if (control instanceof HTMLElement && control.matches("a, button")) control.setAttribute("aria-label", `${control.textContent}: ${name}`);
    return el("div", { class: "set-row" },
        el("div", {}, el("strong", {}, name), note ? el("p", { class: "small" }, note) : null), control);
}

/** How much is here, how much room is left, and how far the host is with reading: the numbers come a moment later.
 * @param {Promise<StorageFigures>} told */
export function storageRow(told) {
    const words = el("div", { class: "small figures" });
    told.then((storage) => {
        const { photos, bytes: used, trashPhotos, trashBytes, freeBytes, wordsLeft = 0 } = storage;
        const lines = [t("storage.used", { n: photos, size: bytes(used) }),
            trashPhotos > 0 ? t("storage.trash", { n: trashPhotos, size: bytes(trashBytes) }) : null,
            t("storage.free", { size: bytes(freeBytes) }), wordsLeft > 0 ? t("words.left", { n: wordsLeft }) : null];
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

/** @param {string} key @param {() => unknown} run @returns {HTMLElement} */
export function button(key, run) {
    return el("button", { class: "link", type: "button", onclick: run }, t(key));
}

/** @param {(code: string) => void} onLanguage @returns {HTMLElement} */
export function languageRow(onLanguage) {
    /** @type {HTMLSelectElement} */
    const select = el("select", { id: "set-language", onchange: () => onLanguage(select.value) },
        ...Object.entries(languages).map(([code, name]) =>
            el("option", { value: code, lang: code, selected: code === language() }, name)));
    return el("div", { class: "set-row" }, el("label", { for: "set-language" }, t("language")),
        el("span", { class: "select" }, select, icon("down", "is-small")));
}

/** One of a few; `label(value)` says what it is, `onChoose(value)` follows a choice.
 * @param {string} name
 * @param {{key: string, note?: string | null, values: string[], label: (value: string) => string, chosen: string,
 *     onChoose: (value: string) => void}} options */
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

/** Whether one line above the timeline tells of this day in earlier years. */
export function thisDayRow() {
    return choiceRow("today", { key: "today.title", values: ["on", "off"], label: (value) => t(`set.today.${value}`),
        chosen: preference("today", "on"), onChoose: (choice) => remember("today", choice) });
}

/** What becomes of an open vault when somebody leaves the page. */
export function whenLeftRow() {
    return choiceRow("left", { key: "set.left", note: "set.leftNote", values: ["stay", "minute", "once"],
        label: (value) => t(`set.left.${value}`), chosen: preference("left", "stay"),
        onChoose: (choice) => remember("left", choice) });
}

/** Which software it is, what in it comes from others and, in a vault, whether there is a newer version, put off or not.
 * @param {Promise<StorageFigures>} [told] */
export function versionRow(told) {
    const words = el("div", {}, el("strong", {}, t("set.version")), el("p", { class: "small" }, t("places.source")));
    told?.then(({ upgrade }) => {
        if (upgrade) words.append(el("p", {}, newsOf(upgrade)), pageOf(upgrade, "link is-back"));
    }, () => {}); // The other row says what went wrong.
    return el("div", { class: "set-row" }, words, el("span", { class: "figures" }, host.hello?.version ?? ""));
}

/** Whom the owner lets people ask: an e-mail address, or words; null where nobody is named.
 * @returns {HTMLElement | null} */
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
        el("p", {}, t("set.certificate")), el("p", { lang: "en" }, words.join(" ")), hexParagraph(hex),
    ), (error) => fingerprint.replaceChildren(
        error.code === "no-certificate" ? t("set.certificateNone") : describe(error),
    ));
    return el("div", { class: "set-row is-stack" }, el("div", {}, el("strong", {}, t("set.warning")), fingerprint),
        // In a tab of its own: an upload goes on in this one.
        el("a", { class: "link is-back", href: "/connect.html", target: "_blank" }, t("set.certificateHelp")));
}

/** What is refused for the secret that was typed. */
const proofCodes = ["recovery-code-invalid", "password-needed", "way-in-use"];

/** A wrong password inside the vault is about this form, not about the session.
 * @param {() => unknown} work */
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

// "Add a device": how a phone or another computer finds this host, and what may be in its way.

/** Opens with the answer of the host, so that nothing moves once it is there. */
export async function addDevice() {
    /** @type {Node[]} */ let content;
    try {
        const { addresses, reached } = await api.addresses();
        content = addresses.length > 0 ? found(addresses, reached) : [el("p", { class: "note" }, t("device.alone"))];
    } catch (error) {
        content = [wrongText(describe(error))];
    }
    // A session that ended in the meantime has closed every sheet already; it must not be followed by one more.
    if (document.querySelector(".shell")) openSheet({ title: t("device.title"), content });
}

/** @param {string[]} addresses @param {boolean} reached @returns {Node[]} */
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
        el("ul", {}, ...addresses.map((address) => addressRow(address, addresses.length > 1 ? show : null))),
        ...(reached ? [] : [unreached(addresses[0])]),
    ];
}

/** One address; its own code where there are several. The clipboard exists in secure contexts alone.
 * @param {string} address @param {((address: string) => void) | null} show */
function addressRow(address, show) {
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

// What can be done by keys: shown by "?" over the photos and in the viewer.

/** @typedef {[string, string[]][]} Keys */

/** Names as they stand on keys; a key of the language files stands for arrows.
 * @type {Keys} */
const gallery = [["title.results", ["/"]], ["keys.go", ["keys.arrows"]], ["keys.ends", ["Home", "End"]], ["keys.open", ["Enter"]],
    ["keys.pick", ["Space"]], ["keys.range", ["Shift", "keys.right"]], ["pick.all", ["Ctrl", "A"]], ["delete", ["Delete"]],
    ["pick.end", ["Esc"]]];
/** @type {Keys} */
const viewer = [["keys.step", ["keys.sides"]], ["viewer.nearer", ["+"]], ["viewer.farther", ["-"]], ["keys.fit", ["0"]],
    ["keys.play", ["Space"]], ["show.begin", ["Space"]], ["delete", ["Delete"]], ["viewer.close", ["Esc"]]];
/** @type {Keys} */
const letters = [["keys.heart", ["F"]], ["viewer.full", ["Shift", "F"]], ["show.begin", ["S"]], ["turn.right", ["R"]],
    ["turn.left", ["Shift", "R"]], ["crop", ["C"]], ["info", ["I"]], ["download", ["D"]]];

/** `place` is `gallery` or `viewer`, which comes first; the other one follows.
 * @param {"gallery" | "viewer"} [place] */
export function showKeys(place = "gallery") {
    const ofViewer = preference("letters", "on") === "on" ? [...viewer, ...letters] : viewer;
    const lists = [list("title.photos", gallery), list("keys.viewer", ofViewer)];
    openSheet({ title: t("info.letters"), content: place === "viewer" ? lists.reverse() : lists });
}

/** @param {string} title @param {Keys} keys */
function list(title, keys) {
    return el("section", { class: "keys" }, el("h3", {}, t(title)), el("dl", {}, ...keys.map(([key, names]) =>
        el("div", {}, el("dt", {}, t(key)), el("dd", {}, ...names.flatMap(caps))))));
}

/** @param {string} name */
const caps = (name) => (name.startsWith("keys.") ? t(name).split(" ") : [name]).map((word) => el("kbd", {}, word));

// What makes a vault credible that somebody opens because they have to.

/** The same in every vault, so that it tells nothing of the one it is read in. */
export function showDecoyHelp() {
    const keys = ["decoy.what", "decoy.use", "decoy.cover", "decoy.lock", "windows.witness"];
    openSheet({ title: t("set.decoy"), content: keys.map((key) => el("p", {}, t(key))) });
}
