// What doors and windows have in common: a name and a last day, and a sheet with a code for cameras, to be shown or printed.
import { certificate } from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { day, describe, t } from "../base/i18n.js";
import { textField, toast, wrongText } from "../elements/dialog.js";

const longestName = 60;
/** A link that is forgotten should not stand open for years. */
const mostDays = 365;

let count = 0;

/** @param {string} key of its words @param {string} value */
export function nameField(key, value) {
    const field = textField({ label: t(key), maxlength: longestName });
    field.input.value = value;
    field.input.required = true;
    const wrong = el("div", { role: "alert" });
    field.element.append(wrong);
    field.input.addEventListener("input", () => wrong.replaceChildren());
    return { ...field, fail: () => wrong.replaceChildren(wrongText(t("doors.nameEmpty"))) };
}

/** @param {string} value */
export function dayField(value) {
    count += 1;
    const id = `link-day-${count}`;
    const input = el("input", { id, type: "date", required: true, value, min: dayAfter(0), max: dayAfter(mostDays) });
    return { input, element: el("div", { class: "field" }, el("label", { for: id }, t("doors.lastDay")), el("div", { class: "box" }, input)),
        fail: () => {} };
}

/** `2026-12-01`, by the reader's clock.
 * @param {number} days @param {Date} [now] */
export function dayAfter(days, now = new Date()) {
    const date = new Date(now);
    date.setDate(date.getDate() + days);
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** What these two fields hold; throws what is wrong with it.
 * @param {{input: HTMLInputElement}} name @param {{input: HTMLInputElement}} last */
export function nameAndDay({ input: name }, { input: last }) {
    const fields = { name: name.value.trim(), lastDay: last.value };
    if (fields.name === "") throw Object.assign(new Error("name"), { words: t("doors.nameEmpty") });
    if (!last.validity.valid || fields.lastDay === "") throw Object.assign(new Error("day"), { words: t("doors.dayWrong") });
    return fields;
}

/** One of a few, from a list.
 * @param {string} label @param {{value: string | number, words: string}[]} choices @param {string | number} chosen */
export function selectField(label, choices, chosen) {
    count += 1;
    const id = `link-select-${count}`;
    const select = el("select", { id }, ...choices.map(({ value, words }) => el("option", { value, selected: value === chosen }, words)));
    return { select, input: /** @type {any} */ (select), element: el("div", { class: "field" }, el("label", { for: id }, label),
        el("div", { class: "box select" }, select, icon("down", "is-small"))) };
}

/** One of two, side by side.
 * @param {string} label @param {[string, string]} words @param {boolean} isSecond */
export function eitherField(label, words, isSecond) {
    count += 1;
    const id = `link-either-${count}`;
    const [first, second] = [false, true].map((value) => el("input", { type: "radio", name: id, value: String(value), checked: value === isSecond }));
    const element = el("div", { class: "field" }, el("span", { class: "label", id }, label),
        el("div", { class: "segments", role: "radiogroup", "aria-labelledby": id }, el("label", {}, first, words[0]), el("label", {}, second, words[1])));
    return { element, input: first, get isSecond() { return second.checked; } };
}

/** @param {string} lastDay */
export const dayOf = (lastDay) => day(new Date(`${lastDay}T12:00:00`));

/** @param {{state: string, lastDay: string}} one */
export function stateWords({ state, lastDay }) {
    return state === "open" ? t("doors.openUntil", { day: dayOf(lastDay) }) : state === "shut" ? t("doors.shut")
        : t("doors.over", { day: dayOf(lastDay) });
}

/** The code, and what stands around it for whoever scans it. `warns` are the two lines about the page to which it leads; none
 * where the browser does not warn.
 * @param {{lead: string, warns: string, isShownAlways?: boolean, picture: string, alt: string, link: string, lastDay: string}} options
 * @returns {HTMLElement[]} */
export function codePaper({ lead, warns, isShownAlways = false, picture, alt, link, lastDay }) {
    const image = el("img", { class: "qr door-code", width: 260, height: 260, src: picture, alt });
    const lines = el("p", { class: "note door-warns" }, warns);
    certificate().then(({ kind }) => { lines.hidden = kind === "own" && !isShownAlways; }, () => {});
    return [el("div", { class: "door-paper" }, el("p", { class: "door-lead" }, lead), lines, image,
        // Whoever types it needs no name.
        el("p", { class: "hex door-link" }, link.replace(/\/[\w-]*$/, "")), el("p", { class: "small" }, t("doors.until", { day: dayOf(lastDay) }))),
    el("div", { class: "code-ways" }, way("code.print", () => window.print(), true),
        document.fullscreenEnabled ? way("doors.fill", () => image.requestFullscreen().catch(() => {})) : null,
        navigator.clipboard ? copyWay("doors.copyLink", link) : null,
        // Phones have a sheet of their own for that.
        "share" in navigator ? way("share", () => navigator.share({ url: link }).catch(() => {})) : null)];
}

/** @param {string} key @param {() => unknown} run @param {boolean} [isFirst] */
const way = (key, run, isFirst = false) => el("button", { class: "button", type: "button", "data-first": isFirst, onclick: run }, t(key));

/** The clipboard exists in secure contexts alone.
 * @param {string} key @param {string} text */
export function copyWay(key, text) {
    const button = way(key, () => navigator.clipboard.writeText(text).then(() => {
        setText(button, t("code.copied"));
        announce(t("code.copied"));
    }, () => {}));
    return button;
}

/** @param {() => Promise<unknown>} work @param {string} done @param {() => Promise<void>} draw */
export async function act(work, done, draw) {
    try {
        await work();
        toast(done);
    } catch (error) {
        toast(describe(error));
    }
    await draw();
}
