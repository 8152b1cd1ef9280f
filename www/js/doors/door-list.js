// The doors of the vault, in its settings: each with what came through it, and what can be done with it.
import { chooseAction } from "../elements/action-list.js";
import { confirm } from "../elements/dialog.js";
import { el, icon } from "../base/dom.js";
import { bytes, day, t } from "../base/i18n.js";
import { describe } from "../base/problems.js";
import { toast } from "../elements/toast.js";
import { askForDoor } from "./door-form.js";
import { changeDoor, doors, makeDoor, obstacleWords, removeDoor } from "./door-requests.js";
import { showDoorSheet } from "./door-sheet.js";

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
    return el("section", { class: "doors" }, el("h2", {}, t("doors.title")), list,
        el("div", { class: "set-row" }, el("div", {}, el("strong", {}, t("doors.new")), el("p", { class: "small" }, t("doors.note"))),
            el("button", { class: "link", type: "button", onclick: () => begin(draw) }, t("doors.make"))));
}

/** @param {number} n */
const waitingRow = (n) => el("div", { class: "set-row" }, el("strong", {}, t("doors.waiting", { n })),
    el("a", { class: "link", href: "#/waiting" }, t("waiting.look")));

/** @param {string} lastDay */
const dayOf = (lastDay) => day(new Date(`${lastDay}T12:00:00`));

/** @param {Door} door */
function stateWords({ state, lastDay }) {
    return state === "open" ? t("doors.openUntil", { day: dayOf(lastDay) }) : state === "shut" ? t("doors.shut")
        : t("doors.over", { day: dayOf(lastDay) });
}

/**
 * @param {Door} door
 * @param {() => Promise<void>} draw
 */
function doorRow(door, draw) {
    const { name, givenPhotos: n, givenBytes, waiting, lookFirst, state } = door;
    const came = n > 0 ? t("doors.came", { n, size: bytes(givenBytes) }) : t("doors.nothing");
    const notes = [stateWords(door), came, waiting > 0 ? t("doors.waiting", { n: waiting }) : lookFirst ? t("doors.looksFirst") : null];
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

/**
 * @param {Door} door
 * @param {() => Promise<void>} draw
 */
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

/**
 * @param {Door} door
 * @param {() => Promise<void>} draw
 */
async function remove({ id, name, waiting }, draw) {
    const note = [t("doors.removeNote"), waiting > 0 ? t("doors.removeWaiting", { n: waiting }) : null].filter(Boolean).join(t("space"));
    if (!await confirm({ title: t("doors.removeTitle", { name }), note, action: t("doors.remove"), danger: true })) return;
    await act(() => removeDoor(id), t("doors.removed", { name }), draw);
}

/**
 * @param {() => Promise<unknown>} work
 * @param {string} done
 * @param {() => Promise<void>} draw
 */
async function act(work, done, draw) {
    try {
        await work();
        toast(done);
    } catch (error) {
        toast(describe(error));
    }
    await draw();
}
