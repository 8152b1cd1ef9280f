// What a door is asked for: its name, its last day, how much may come, whether givers say who they are.
import { askForm } from "../elements/dialog.js";
import { el, icon } from "../base/dom.js";
import { tick } from "../elements/forms.js";
import { decimal, t } from "../base/i18n.js";
import { wrongText } from "../elements/password-field.js";
import { textField } from "../elements/text-field.js";

const longestName = 60;
const gibibyte = 2 ** 30;
/** Most parties are over by then. */
const usualDays = 14;
/** A link that is forgotten should not stand open for years. */
const mostDays = 365;
const sizes = [1, 5, 20, 50, 100, 500];
const usualSize = 20;

let count = 0;

/**
 * Resolves with the door, or with null where nobody made one. `door` is what there is to change.
 * @param {{title: string, note?: string | null, action: string, door?: Door | null,
 *     submit: (fields: DoorFields) => Promise<Door>}} options
 * @returns {Promise<Door | null>}
 */
export async function askForDoor({ title, note = null, action, door = null, submit }) {
    count += 1;
    const name = nameField(door?.name ?? "");
    const last = dayField(door?.lastDay ?? dayAfter(usualDays));
    const size = sizeField(door?.byteLimit ?? usualSize * gibibyte);
    const asksName = tick(t("doors.asksName"), t("doors.asksNameNote"), door?.asksName ?? true);
    const lookFirst = tick(t("doors.lookFirst"), t("doors.lookFirstNote"), door?.lookFirst ?? false);
    /** @type {Door | null} */
    let made = null;
    await askForm({ title, note, action, fields: [name, last, size, asksName, lookFirst], submit: async () => {
        /** @type {DoorFields} */
        const fields = { name: name.input.value.trim(), lastDay: last.input.value, asksName: asksName.input.checked,
            lookFirst: lookFirst.input.checked, byteLimit: Number(size.select.value) };
        if (fields.name === "") throw Object.assign(new Error("name"), { words: t("doors.nameEmpty") });
        if (!last.input.validity.valid || fields.lastDay === "") throw Object.assign(new Error("day"), { words: t("doors.dayWrong") });
        made = await submit(fields);
    } });
    return made;
}

/** @param {string} value */
function nameField(value) {
    const field = textField({ label: t("doors.name"), maxlength: longestName });
    field.input.value = value;
    field.input.required = true;
    const wrong = el("div", { role: "alert" });
    field.element.append(wrong);
    field.input.addEventListener("input", () => wrong.replaceChildren());
    return { ...field, fail: () => wrong.replaceChildren(wrongText(t("doors.nameEmpty"))) };
}

/** @param {string} value */
function dayField(value) {
    const id = `door-day-${count}`;
    const input = el("input", { id, type: "date", required: true, value, min: dayAfter(0), max: dayAfter(mostDays) });
    return { input, element: el("div", { class: "field" }, el("label", { for: id }, t("doors.lastDay")), el("div", { class: "box" }, input)),
        fail: () => {} };
}

/**
 * What a door has already is among them, whatever it is.
 * @param {number} value
 */
function sizeField(value) {
    const id = `door-size-${count}`;
    const all = [...new Set([...sizes.map((one) => one * gibibyte), value])].sort((one, other) => one - other);
    const select = el("select", { id }, ...all.map((one) => el("option", { value: one, selected: one === value },
        t("doors.gigabytes", { size: decimal(one / gibibyte, 1) }))));
    return { select, input: /** @type {any} */ (select), element: el("div", { class: "field" }, el("label", { for: id }, t("doors.limit")),
        el("div", { class: "box select" }, select, icon("down", "is-small"))) };
}

/**
 * `2026-12-01`, by the reader's clock.
 * @param {number} days
 */
function dayAfter(days) {
    const date = new Date();
    date.setDate(date.getDate() + days);
    const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
    return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
