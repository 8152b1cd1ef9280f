// The form in which somebody says when photos were taken: by the clock on the wall there, or later or earlier than their files say.
import { dayAndTimeOf } from "../photos/taken.js";
import { askForm } from "../elements/dialog.js";
import { el, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { setDate, shiftDates } from "./photo-changes.js";
import { fieldValue, shifted, withZone } from "./wall-clock.js";

let count = 0;

/**
 * @param {string} key
 * @param {string} wide
 * @param {HTMLElement} control
 */
function labelled(key, wide, control) {
    count += 1;
    control.id = `date-${count}`;
    return el("div", { class: `field ${wide}` }, el("label", { for: control.id }, t(key)), el("div", { class: "box" }, control));
}

/**
 * Empty it is none: before a nought that stands there, the first figure would make ten of one.
 * @param {string} key
 * @param {number} most
 */
function amount(key, most) {
    const input = el("input", { type: "number", inputmode: "numeric", min: "0", max: String(most), step: "1", placeholder: "0" });
    return { input, element: labelled(key, "", input) };
}

/**
 * The longest time by which photos are moved, in days. Hours and minutes may be as many: nobody counts days to say 120 hours.
 */
const mostDays = 36_500;

/** How far later or earlier; `minutes` is negative for earlier, and not a number where something else was typed. */
function shiftFields() {
    const later = el("select", {}, el("option", { value: "1" }, t("date.later")), el("option", { value: "-1" }, t("date.earlier")));
    const parts = [amount("date.days", mostDays), amount("date.hours", mostDays * 24), amount("date.minutes", mostDays * 1440)];
    const element = el("div", { class: "shift" }, labelled("date.direction", "is-all", later), ...parts.map((part) => part.element));
    return { element, input: parts[1].input, get minutes() {
        const [days, hours, minutes] = parts.map(({ input }) => (input.checkValidity() ? Math.round(Number(input.value)) : NaN));
        return Number(later.value) * ((days * 24 + hours) * 60 + minutes);
    } };
}

/**
 * Of several nobody says by mistake that all were taken when the first was.
 * @param {Photo[]} photos
 */
function dateField([photo, ...others]) {
    const value = others.length === 0 ? fieldValue(photo) : "";
    const input = el("input", { type: "datetime-local", step: "1", min: "0001-01-01T00:00", max: "9999-12-31T23:59:59", value });
    return { input, element: labelled("date.field", "", input) };
}

/**
 * "24 December 2023, 14:02 → 24 December 2023, 16:02" of the first of them.
 * @param {Photo} photo
 * @param {number} minutes
 */
function previewOf(photo, minutes) {
    const before = fieldValue(photo);
    const after = before && shifted(before, minutes);
    return after ? t("date.preview", { before: dayAndTimeOf(before), after: dayAndTimeOf(after) }) : "";
}

/** @param {string} key */
function refusal(key) {
    return Object.assign(new Error(key), { words: t(key) });
}

/**
 * Asks for one date for all of them, or, of several, how far to move each. `onChange()`: the lists are others now.
 * @param {Photo[]} photos
 * @param {() => void} onChange
 * @returns {Promise<boolean>}
 */
export async function changeDates(photos, onChange) {
    const [first] = photos;
    const date = dateField(photos);
    const shift = shiftFields();
    const preview = el("p", { class: "small figures", "aria-live": "polite" });
    const isSeveral = photos.length > 1;
    let isShift = isSeveral;
    const reset = resetTick(photos, () => draw());
    const draw = () => {
        reset.element.hidden = isShift || !reset.isOffered;
        date.input.disabled = reset.input.checked;
        date.element.hidden = isShift;
        shift.element.hidden = preview.hidden = !isShift;
        setText(preview, previewOf(first, shift.minutes));
    };
    shift.element.addEventListener("input", draw);
    const ways = wayChoice(isShift, (chosen) => {
        isShift = chosen;
        draw();
    });
    draw();
    const submit = async () => {
        if (isShift) {
            if (!shift.minutes) throw refusal("date.shiftMissing");
            await shiftDates(photos, shift.minutes, onChange);
        } else if (reset.input.checked) await setDate(photos, null, onChange);
        else if (!date.input.value || !date.input.checkValidity()) throw refusal("date.missing");
        else await setDate(photos, isSeveral ? date.input.value : withZone(date.input.value, first), onChange);
    };
    // The form asks its first field for the focus after a refusal.
    const form = el("div", { class: "dates" }, ways, date.element, shift.element, preview, reset.element);
    const field = { element: form, get input() { return isShift ? shift.input : date.input; } };
    return askForm({ title: t("date.title", { n: photos.length }), note: t("date.note"), action: t("date.action"),
        fields: [field], submit });
}

/**
 * @param {boolean} isShift
 * @param {(isShift: boolean) => void} onChoose
 */
function wayChoice(isShift, onChoose) {
    /**
     * @param {string} key
     * @param {boolean} value
     */
    const choice = (key, value) => el("label", {}, el("input", { type: "radio", name: "dates", checked: value === isShift,
        onchange: () => onChoose(value) }), t(key));
    return el("div", { class: "segments", role: "radiogroup", "aria-label": t("date.way") },
        choice("date.shift", true), choice("date.same", false));
}

/**
 * Where somebody has said another date before, the way back to what the file says.
 * @param {Photo[]} photos
 * @param {() => void} onChange
 */
function resetTick(photos, onChange) {
    const input = el("input", { type: "checkbox", onchange: onChange });
    const isOffered = photos.some(({ takenFrom }) => takenFrom === "person");
    return { input, isOffered, element: el("label", { class: "tick" }, input, el("span", {}, t("date.reset"))) };
}
