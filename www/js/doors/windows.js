// Windows: photos or an album that are shown to somebody, also while the vault is locked. They are made from a selection or an
// album, and looked after in the settings.
import { Problem, request } from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { describe, format, t } from "../base/i18n.js";
import { part } from "../base/parts.js";
import { askForm, chooseAction, confirm, openSheet, passwordField, tick, toast } from "../elements/dialog.js";
import { doors } from "./door-arrivals.js";
import { act, codePaper, copyWay, dayAfter, dayField, dayOf, eitherField, nameAndDay, nameField, selectField, stateWords } from "./link-forms.js";

// What the host does with windows.

/** @param {string} id */
const path = (id) => `/api/windows/${encodeURIComponent(id)}`;

/** @returns {Promise<PhotoWindow[]>} */
const windows = async () => (await request("GET", "/api/windows")).windows;

/** @param {string} id @param {Partial<WindowFields> & {isShut?: boolean}} fields @returns {Promise<PhotoWindow>} */
const change = (id, fields) => request("PATCH", path(id), fields);

/** @param {string} id */
const close = (id) => request("DELETE", path(id));

// What a window is asked for.

const usualDays = 30;
/** So many people; 0 for as many as come. */
const crowds = [0, 1, 5, 20];

/** @typedef {{photos: string[]} | {albumID: string}} What */

/** Resolves with the window, or with null where nobody made one. `one` is what there is to change.
 * @param {{title: string, name?: string, one?: PhotoWindow | null, isAlbum: boolean, action: string,
 *     submit: (fields: WindowFields) => Promise<PhotoWindow>}} options
 * @returns {Promise<PhotoWindow | null>} */
async function askForWindow({ title, name = "", one = null, isAlbum, action, submit }) {
    const [{ strengthMeter, weakness }, known] = await Promise.all([part("vaultForms"), isAlbum ? doors().catch(() => []) : []]);
    const naming = nameField("windows.name", one?.name ?? name);
    const last = dayField(one?.lastDay ?? dayAfter(usualDays));
    const people = peopleField(one?.mostVisitors ?? 0);
    const may = eitherField(t("windows.may"), [t("windows.look"), t("windows.take")], one?.originals ?? false);
    const places = eitherField(t("windows.places"), [t("windows.placesOut"), t("windows.placesIn")], one?.places ?? false);
    const password = passwordField({ label: t("windows.password"), fresh: true, meter: strengthMeter,
        hint: t(one?.hasPassword ? "windows.passwordKept" : "windows.passwordNote") });
    password.input.required = false;
    const without = one?.hasPassword ? tick(t("windows.passwordOff"), t("windows.passwordOffNote"), false) : null;
    // A wall of an album shows where others can add to it.
    const door = known.length > 0 ? doorField(known, one?.doorID ?? "") : null;
    /** @type {PhotoWindow | null} */ let made = null;
    await askForm({ title, note: t("windows.note"), action, fields: [naming, last, people, may, places, password, ...(without ? [without] : []),
        ...(door ? [door] : []), words("windows.witness")], submit: async () => {
        const typed = without?.input.checked ? "" : password.input.value;
        const weak = typed && weakness(typed);
        if (weak) throw new Problem({ status: 400, code: weak });
        made = await submit({ ...nameAndDay(naming, last), mostVisitors: Number(people.select.value), originals: may.isSecond, places: places.isSecond,
            ...(typed || without?.input.checked ? { password: typed } : {}), ...(door ? { doorID: door.select.value } : {}) });
    } });
    return made;
}

/** What a window allows already is among them.
 * @param {number} most */
function peopleField(most) {
    const all = [...new Set([...crowds, most])].sort((one, other) => one - other);
    return selectField(t("windows.people"), all.map((n) => ({ value: n, words: n === 0 ? t("windows.anybody") : t("windows.most", { n }) })), most);
}

/** @param {Door[]} known @param {string} chosen */
function doorField(known, chosen) {
    return selectField(t("windows.door"), [{ value: "", words: t("windows.noDoor") }, ...known.map(({ id, name }) => ({ value: id, words: name }))], chosen);
}

/** What stands in a form to be read.
 * @param {string} key */
const words = (key) => ({ element: el("p", { class: "small" }, t(key)), input: /** @type {any} */ ({ required: false, value: "" }) });

/** Asks how photos, or an album, are shown, and then shows the link. True where it was made.
 * @param {What} what @param {string} [name] @returns {Promise<boolean>} */
export async function showToSomebody(what, name = "") {
    const made = await askForWindow({ title: t("windows.show"), name, isAlbum: "albumID" in what, action: t("windows.make"),
        submit: (fields) => request("POST", "/api/windows", { ...fields, ...what }) });
    if (!made) return false;
    showWindowSheet(made);
    return true;
}

// The sheet of a window, to be shown or printed: its code for cameras, its link, and how it fills a screen by itself.

/** @param {PhotoWindow} one */
function showWindowSheet(one) {
    const { id, name, link, lastDay, count: n, albumID, originals } = one;
    const says = t(albumID ? "windows.saysAlbum" : "windows.says", { n, day: dayOf(lastDay) });
    const sheet = openSheet({ title: name, content: [
        ...codePaper({ lead: t("windows.lead"), warns: t("doors.warns"), picture: `${path(id)}/code.svg?link=1`, alt: t("doors.codeOf", { name }),
            link, lastDay }),
        el("div", { class: "window-says" }, el("p", { class: "note" }, says), el("p", { class: "note figures" }, seenWords(one)),
            el("p", { class: "small" }, t(originals ? "windows.canTake" : "windows.canKeep"))),
        el("details", { class: "door-apps" }, el("summary", {}, t("windows.screens")), el("p", { class: "note" }, t("windows.screensNote")),
            ...screenWays("windows.frame", `${link}&frame`), ...(albumID ? screenWays("windows.wall", `${link}&wall`) : []))] });
    sheet.dialog.classList.add("is-paper", "is-door");
}

/** A link that fills a screen by itself.
 * @param {string} key @param {string} link */
const screenWays = (key, link) => [el("section", { class: "screen-way" }, el("h3", {}, t(key)), el("p", { class: "small" }, t(`${key}Note`)),
    // Whoever types it on a television needs no name.
    el("p", { class: "hex door-link" }, link.replace(/\/[\w-]*&/, "&")),
    el("div", { class: "code-ways" }, navigator.clipboard ? copyWay("doors.copyLink", link) : null,
        el("a", { class: "button", href: link, target: "_blank", rel: "noopener" }, t("windows.openHere"))))];

/** "Seen by 3 people so far, last on Sunday."
 * @param {{visitors: number, lastSeen?: string}} one @param {Date} [now] @returns {string} */
export function seenWords({ visitors: n, lastSeen }, now = new Date()) {
    if (n === 0 || !lastSeen) return t("windows.unseen");
    const days = Math.round((Date.parse(dayAfter(0, now)) - Date.parse(lastSeen)) / 86_400_000);
    if (days <= 0) return t("windows.seenToday", { n });
    if (days === 1) return t("windows.seenYesterday", { n });
    const last = days < 7 ? format(new Date(`${lastSeen}T12:00:00`), { weekday: "long" }) : dayOf(lastSeen);
    return t("windows.seen", { n, day: last });
}

// The windows of the vault, in its settings.

/** Draws the list that is seen anew.
 * @type {() => Promise<void>} */
let drawAgain = async () => {};

/** @returns {HTMLElement} */
export function windowsPart() {
    const list = el("div", { class: "windows" });
    const draw = async () => {
        try {
            const all = await windows();
            list.replaceChildren(...all.map((one) => windowRow(one, draw)));
            if (all.length === 0) list.append(el("p", { class: "small" }, t("windows.none")));
        } catch (error) {
            list.replaceChildren(el("p", { class: "small" }, describe(error)));
        }
    };
    drawAgain = draw;
    draw();
    return el("div", {}, el("p", { class: "small set-note" }, t("windows.title")), list);
}

/** @param {PhotoWindow} one @param {() => Promise<void>} draw */
function windowRow(one, draw) {
    const { name, count: n, state, hasPassword, originals } = one;
    const notes = [stateWords(one), t("windows.count", { n }), originals ? t("windows.take") : t("windows.look"), hasPassword ? t("windows.locked") : null,
        seenWords(one)];
    return el("div", { class: "set-row door-row" }, el("div", {}, el("strong", {}, name),
        el("p", { class: "small figures" }, notes.filter(Boolean).join(" · "))),
    el("span", { class: "set-ways" }, state === "open" ? el("button", { class: "link", type: "button", "aria-label": `${t("doors.show")}: ${name}`,
        onclick: () => showWindowSheet(one) }, t("doors.show")) : null,
    el("button", { class: "round", type: "button", "aria-label": t("doors.more", { name }), onclick: () => more(one, draw) }, icon("more"))));
}

/** @param {PhotoWindow} one @param {() => Promise<void>} draw */
function more(one, draw) {
    const { id, name, state } = one;
    /** @param {boolean} isShut */
    const shut = (isShut) => act(() => change(id, { isShut }), t(isShut ? "doors.isShut" : "doors.isOpen", { name }), draw);
    chooseAction(name, [
        { sign: "pencil", label: t("doors.change"), run: async () => {
            const changed = await askForWindow({ title: t("doors.changeTitle", { name }), one, isAlbum: Boolean(one.albumID), action: t("doors.save"),
                submit: (fields) => change(id, fields) });
            if (changed) await draw();
        } },
        ...(state === "shut" ? [{ sign: "restore", label: t("doors.reopen"), run: () => shut(false) }] : []),
        ...(state === "open" ? [{ sign: "lock", label: t("windows.pause"), run: () => shut(true) }] : []),
        { sign: "bin", label: t("windows.close"), run: async () => {
            const sure = await confirm({ title: t("windows.closeTitle", { name }), note: t("windows.closeNote"), action: t("windows.close"), danger: true });
            if (sure) await act(() => close(id), t("windows.closed", { name }), draw);
        } },
    ]);
}

/** Whoever has another key or password from now on may want nobody to see in by an older link.
 * @returns {Promise<void>} */
export async function askAboutWindows() {
    const open = (await windows().catch(() => [])).filter(({ state }) => state === "open");
    const n = open.length;
    if (n === 0) return;
    const sure = await confirm({ title: t("windows.stay", { n }), note: t("windows.stayNote", { n }), action: t("windows.closeAll", { n }),
        stay: t("windows.keep") });
    if (!sure) return;
    try {
        for (const { id } of open) await close(id);
        toast(t("windows.allClosed", { n }));
    } catch (error) {
        toast(describe(error));
    }
    await drawAgain();
}
