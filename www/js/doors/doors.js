// The doors of the vault, in its settings: each with what came through it, and what can be done with it.
import { el, icon } from "../base/dom.js";
import { bytes, decimal, describe, t } from "../base/i18n.js";
import { askForm, chooseAction, confirm, openSheet, tick } from "../elements/dialog.js";
import { changeDoor, codePicture, doors, makeDoor, obstacleWords, removeDoor } from "./door-arrivals.js";
import { act, codePaper, copyWay, dayAfter, dayField, nameAndDay, nameField, selectField, stateWords } from "./link-forms.js";

export { DoorsNews } from "./door-arrivals.js";
export { WaitingScreen } from "./door-arrivals.js";
export { askAboutWindows, showToSomebody, windowsPart } from "./windows.js";

// What a door is asked for: its name, its last day, how much may come, whether givers say who they are.

const gibibyte = 2 ** 30;
/** Most parties are over by then. */
const usualDays = 14;
const sizes = [1, 5, 20, 50, 100, 500];
const usualSize = 20;

/** Resolves with the door, or with null where nobody made one. `door` is what there is to change.
 * @param {{title: string, note?: string | null, action: string, door?: Door | null,
 *     submit: (fields: DoorFields) => Promise<Door>}} options
 * @returns {Promise<Door | null>} */
async function askForDoor({ title, note = null, action, door = null, submit }) {
    const name = nameField("doors.name", door?.name ?? "");
    const last = dayField(door?.lastDay ?? dayAfter(usualDays));
    const size = sizeField(door?.byteLimit ?? usualSize * gibibyte);
    const asksName = tick(t("doors.asksName"), t("doors.asksNameNote"), door?.asksName ?? true);
    const lookFirst = tick(t("doors.lookFirst"), t("doors.lookFirstNote"), door?.lookFirst ?? false);
    const unencrypted = tick(t("doors.unencrypted"), t("doors.unencryptedNote"), door?.unencrypted ?? false);
    /** @type {Door | null} */ let made = null;
    await askForm({ title, note, action, fields: [name, last, size, asksName, lookFirst, unencrypted], submit: async () => {
        /** @type {DoorFields} */
        const fields = { ...nameAndDay(name, last), asksName: asksName.input.checked,
            lookFirst: lookFirst.input.checked, unencrypted: unencrypted.input.checked, byteLimit: Number(size.select.value) };
        made = await submit(fields);
    } });
    return made;
}

/** What a door has already is among them, whatever it is.
 * @param {number} value */
function sizeField(value) {
    const all = [...new Set([...sizes.map((one) => one * gibibyte), value])].sort((one, other) => one - other);
    return selectField(t("doors.limit"), all.map((one) => ({ value: one, words: t("doors.gigabytes", { size: decimal(one / gibibyte, 1) }) })), value);
}

// The sheet of a door, to be shown or printed: its code for cameras, its link, and the code for apps that send.

/** Apps that send by themselves, each with its steps in the language files. */
const apps = ["iphone", "android", "shortcuts", "tasker"];
const steps = 4;

/** @param {Door} door */
function showDoorSheet(door) {
    const { id, name, link, code, lastDay, unencrypted } = door;
    const address = new URL(link);
    const sheet = openSheet({ title: name, content: [
        ...codePaper({ lead: t("doors.lead", { name }), warns: t(unencrypted ? "doors.isUnencrypted" : "doors.warns"), isShownAlways: unencrypted,
            picture: codePicture(id), alt: t("doors.codeOf", { name }), link, lastDay }),
        el("details", { class: "door-apps" }, el("summary", {}, t("doors.apps")),
            el("p", { class: "note" }, t("doors.appsNote")),
            el("dl", { class: "door-access" }, ...entry("doors.server", `${address.origin}/dav/inbox/`),
                ...entry("doors.user", t("doors.anyUser")), ...entry("doors.password", code)),
            navigator.clipboard ? copyWay("doors.copyCode", code) : null,
            ...apps.map((app) => el("section", {}, el("h3", {}, t(`doors.${app}.title`)),
                el("ol", {}, ...Array.from({ length: steps }, (_, index) => el("li", {}, t(`doors.${app}.${index + 1}`, { form: `${address.origin}/api/photos` })))))),
            el("p", { class: "small" }, t("doors.untried")))] });
    sheet.dialog.classList.add("is-paper", "is-door");
}

/** @param {string} key @param {string} value */
const entry = (key, value) => [el("dt", { class: "small" }, t(key)), el("dd", { class: "hex", translate: "no" }, value)];

/** @returns {HTMLElement} */
export function doorsPart() {
    const list = el("div", {});
    const draw = async () => {
        try {
            const all = await doors();
            const waiting = all.reduce((sum, door) => sum + door.waiting, 0);
            list.replaceChildren(...all.map((door) => doorRow(door, draw)), ...(waiting > 0 ? [waitingRow(waiting)] : []));
        } catch (error) {
            list.replaceChildren(el("p", { class: "small" }, describe(error)));
        }
    };
    draw();
    return el("section", { class: "doors" }, el("h3", {}, t("doors.title")), list,
        el("div", { class: "set-row" }, el("div", {}, el("strong", {}, t("doors.new")), el("p", { class: "small" }, t("doors.note"))),
            el("button", { class: "link", type: "button", "aria-label": `${t("doors.make")}: ${t("doors.new")}`, onclick: () => begin(draw) },
                t("doors.make"))));
}

/** @param {number} n */
const waitingRow = (n) => el("div", { class: "set-row" }, el("strong", {}, t("doors.waiting", { n })),
    el("a", { class: "link", href: "#/waiting" }, t("waiting.look")));

/** @param {Door} door @param {() => Promise<void>} draw */
function doorRow(door, draw) {
    const { name, givenPhotos: n, givenBytes, waiting, lookFirst, unencrypted, state } = door;
    const came = n > 0 ? t("doors.came", { n, size: bytes(givenBytes) }) : t("doors.nothing");
    const notes = [stateWords(door), came, waiting > 0 ? t("doors.waiting", { n: waiting }) : lookFirst ? t("doors.looksFirst") : null,
        unencrypted ? t("door.readable") : null];
    /** @type {(key: string, run: () => unknown) => HTMLElement} */
    const link = (key, run) => el("button", { class: "link", type: "button", "aria-label": `${t(key)}: ${name}`, onclick: run }, t(key));
    return el("div", { class: "set-row door-row" }, el("div", {}, el("strong", {}, name),
        el("p", { class: "small figures" }, notes.filter(Boolean).join(" · ")),
        door.obstacle ? el("p", { class: "small" }, obstacleWords(door.obstacle)) : null),
    el("span", { class: "set-ways" }, state === "open" ? link("doors.show", () => showDoorSheet(door)) : null,
        el("button", { class: "round", type: "button", "aria-label": t("doors.more", { name }), onclick: () => more(door, draw) },
            icon("more"))));
}

/** @param {() => Promise<void>} draw */
async function begin(draw) {
    const door = await askForDoor({ title: t("doors.new"), note: t("doors.newNote"), action: t("doors.make"), submit: makeDoor });
    if (!door) return;
    await draw();
    showDoorSheet(door);
}

/** @param {Door} door @param {() => Promise<void>} draw */
function more(door, draw) {
    const { id, name, state } = door;
    /** @param {boolean} isShut */
    const shut = (isShut) => act(() => changeDoor(id, { isShut }), t(isShut ? "doors.isShut" : "doors.isOpen", { name }), draw);
    chooseAction(name, [
        ...(state === "shut" ? [{ sign: "restore", label: t("doors.reopen"), run: () => shut(false) }] : []),
        ...(state === "open" ? [{ sign: "lock", label: t("doors.shutNow"), run: () => shut(true) }] : []),
        { sign: "pencil", label: t("doors.change"), run: async () => {
            const changed = await askForDoor({ title: t("doors.changeTitle", { name }), door, action: t("doors.save"),
                submit: (fields) => changeDoor(id, fields) });
            if (changed) await draw();
        } },
        { sign: "bin", label: t("doors.remove"), run: () => remove(door, draw) },
    ]);
}

/** @param {Door} door @param {() => Promise<void>} draw */
async function remove({ id, name, waiting }, draw) {
    const note = [t("doors.removeNote"), waiting > 0 ? t("doors.removeWaiting", { n: waiting }) : null].filter(Boolean).join(t("space"));
    if (!await confirm({ title: t("doors.removeTitle", { name }), note, action: t("doors.remove"), danger: true })) return;
    await act(() => removeDoor(id), t("doors.removed", { name }), draw);
}
