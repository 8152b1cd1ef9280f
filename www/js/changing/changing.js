// What somebody says better of a photo than its file does: a caption, when it was taken, which way up it lies, what of it is seen. The bytes stay
// as they are, and each change can be taken back.
import { inParts, request } from "../base/api.js";
import { el, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { askForm } from "../elements/dialog.js";
import { dayAndTimeOf, filesOf, timeOf } from "../photos/photo-words.js";
import { change, each, inTurn, offer, refusal, resetTick } from "./by-hand.js";

export { changePlaces } from "./placing.js";

/** A quarter turn to the right (90) or left (-90). What is no picture has no side to lie on.
 * @param {Photo[]} photos @param {number} by @param {(photos: Photo[]) => void} onChange @returns {Promise<void>} */
export function rotate(photos, by, onChange) {
    const pictures = photos.filter(({ type }) => type.startsWith("image/"));
    /** @param {number} degrees */
    const turn = (degrees) => each(pictures, async (photo) => {
        const rotation = ((photo.rotation ?? 0) + degrees + 360) % 360;
        await change(photo.id, { rotation });
        photo.rotation = rotation;
    }).finally(() => onChange(pictures));
    return inTurn(async () => {
        if (pictures.length === 0) return;
        await turn(by);
        offer(t("turn.done", { n: pictures.length }), () => turn(-by));
    });
}

/** Which part of it is shown; null for all of it.
 * @param {Photo} photo @param {Edit | null} edit @param {(photo: Photo) => void} onChange @returns {Promise<void>} */
export function saveEdit(photo, edit, onChange) {
    const old = photo.edit ?? null;
    /** @param {Edit | null} now */
    const save = async (now) => {
        // As the host keeps it, and lists it from now on.
        photo.edit = (await change(photo.id, { edit: now })).edit;
        onChange(photo);
    };
    return inTurn(async () => {
        await save(edit);
        offer(t(edit ? "crop.done" : "crop.undone"), () => save(old));
    });
}

/** @param {Photo} photo @param {string} caption @param {(photo: Photo) => void} onChange @returns {Promise<void>} */
export function saveCaption(photo, caption, onChange) {
    const old = photo.caption ?? "";
    /** @param {string} text */
    const save = async (text) => {
        await change(photo.id, { caption: text === "" ? null : text });
        photo.caption = text;
        onChange(photo);
    };
    return inTurn(async () => {
        if (caption === old) return;
        await save(caption);
        offer(t(caption === "" ? "caption.removed" : "caption.saved"), () => save(old));
    });
}

/** Says of each when it was taken; `takenAt` null is what the file says. The videos of Live Photos go with them.
 * @param {Photo[]} photos @param {string | null} takenAt @param {() => void} onChange @returns {Promise<void>} */
export function setDate(photos, takenAt, onChange) {
    const files = filesOf(photos);
    /** @type {Map<string, string | null>} */ const old = new Map();
    return inTurn(async () => {
        try {
            await each(files, async ({ id }) => {
                const known = await request("GET", `/api/photos/${encodeURIComponent(id)}`);
                await change(id, { takenAt });
                old.set(id, known.takenFrom === "person" ? known.takenAt : null);
            });
        } finally {
            onChange();
        }
        offer(t("date.done", { n: photos.length }), () => each([...old], ([id, taken]) => change(id, { takenAt: taken }))
            .finally(onChange));
    });
}

/** Moves when each was taken, as where the camera's clock was wrong.
 * @param {Photo[]} photos @param {number} minutes @param {() => void} onChange @returns {Promise<void>} */
function shiftDates(photos, minutes, onChange) {
    const ids = filesOf(photos).map(({ id }) => id);
    /** @param {number} by */
    const shift = async (by) => {
        try {
            await inParts("POST", "/api/photos/shift", ids, { minutes: by });
        } finally {
            onChange();
        }
    };
    return inTurn(async () => {
        await shift(minutes);
        offer(t("date.done", { n: photos.length }), () => shift(-minutes));
    });
}

// What somebody says of the clock on the wall where a photo was taken: as a field for day and time takes it, and so many minutes
// later or earlier.

const minute = 60_000;

/** What a field for day and time shows of a photo: of old ones often only the year, the month or the day is known. Empty where
 * nothing is.
 * @param {Photo} photo @returns {string} */
export function fieldValue(photo) {
    if (!photo.takenAt) return "";
    const time = timeOf(photo);
    const full = time.length <= 10 ? `${time}-01-01`.slice(0, 10) + "T12:00" : time;
    return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?/.exec(full)?.[0] ?? "";
}

/** What such a field has, in the zone that the file of the photo says.
 * @param {string} value @param {Photo} photo @returns {string} */
export const withZone = (value, { takenAt = "" }) => value + (/[+-]\d\d:\d\d$/.exec(takenAt)?.[0] ?? "");

/** So many minutes later, or earlier where they are negative; null where there is no such time.
 * @param {string} value @param {number} minutes @returns {string | null} */
export function shifted(value, minutes) {
    const after = new Date(Date.parse(`${value}Z`) + minutes * minute);
    return Number.isNaN(after.getTime()) ? null : after.toISOString().replace(/\.\d+Z$/, "");
}

// The form in which somebody says when photos were taken: by the clock on the wall there, or later or earlier than their files say.

let count = 0;

/** @param {string} key @param {string} wide @param {HTMLElement} control */
function labelled(key, wide, control) {
    count += 1;
    control.id = `date-${count}`;
    return el("div", { class: `field ${wide}` }, el("label", { for: control.id }, t(key)), el("div", { class: "box" }, control));
}

/** Empty it is none: before a nought that stands there, the first figure would make ten of one.
 * @param {string} key @param {number} most */
function amount(key, most) {
    const input = el("input", { type: "number", inputmode: "numeric", min: "0", max: String(most), step: "1", placeholder: "0" });
    return { input, element: labelled(key, "", input) };
}

/** The longest time by which photos are moved, in days. Hours and minutes may be as many: nobody counts days to say 120 hours. */
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

/** Of several nobody says by mistake that all were taken when the first was.
 * @param {Photo[]} photos */
function dateField([photo, ...others]) {
    const value = others.length === 0 ? fieldValue(photo) : "";
    const input = el("input", { type: "datetime-local", step: "1", min: "0001-01-01T00:00", max: "9999-12-31T23:59:59", value });
    return { input, element: labelled("date.field", "", input) };
}

/** "24 December 2023, 14:02 → 24 December 2023, 16:02" of the first of them.
 * @param {Photo} photo @param {number} minutes */
function previewOf(photo, minutes) {
    const before = fieldValue(photo);
    const after = before && shifted(before, minutes);
    return after ? t("date.preview", { before: dayAndTimeOf(before), after: dayAndTimeOf(after) }) : "";
}

/** Asks for one date for all of them, or, of several, how far to move each. `onChange()`: the lists are others now.
 * @param {Photo[]} photos @param {() => void} onChange @returns {Promise<boolean>} */
export async function changeDates(photos, onChange) {
    const [first] = photos;
    const date = dateField(photos);
    const shift = shiftFields();
    const preview = el("p", { class: "small figures", "aria-live": "polite" });
    const isSeveral = photos.length > 1;
    let isShift = isSeveral;
    const reset = resetTick(t("date.reset"), photos.some(({ takenFrom }) => takenFrom === "person"), () => draw());
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

/** @param {boolean} isShift @param {(isShift: boolean) => void} onChoose */
function wayChoice(isShift, onChoose) {
    /** @param {string} key @param {boolean} value */
    const choice = (key, value) => el("label", {}, el("input", { type: "radio", name: "dates", checked: value === isShift,
        onchange: () => onChoose(value) }), t(key));
    return el("div", { class: "segments", role: "radiogroup", "aria-label": t("date.way") },
        choice("date.shift", true), choice("date.same", false));
}
