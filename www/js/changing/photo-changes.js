// What somebody says better of a photo than its file does: a caption, when it was taken, which way up it lies. The bytes stay
// as they are, and each change can be taken back.
import { inParts, request } from "../base/api.js";
import { t } from "../base/i18n.js";
import { filesOf } from "../photos/live-photos.js";
import { toast } from "../elements/toast.js";

/** Requests at once, where each photo takes one. */
const atOnce = 4;
/**
 * What is changed by one is done before the next: of two turns the second counts from the first.
 * @type {Promise<unknown>}
 */
let before = Promise.resolve();

/**
 * @typedef {object} Fields
 * @property {string | null} [caption]
 * @property {string | null} [takenAt]
 * @property {number} [rotation]
 */

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
function inTurn(work) {
    const done = before.then(work);
    before = done.catch(() => {});
    return done;
}

/**
 * @param {string} id
 * @param {Fields} fields
 * @returns {Promise<Photo>}
 */
const change = (id, fields) => request("PATCH", `/api/photos/${encodeURIComponent(id)}`, fields);

/**
 * `work(one)` for each of a list, a few at a time. The first refusal ends it.
 * @template T
 * @param {T[]} list
 * @param {(one: T) => Promise<unknown>} work
 */
async function each(list, work) {
    const waiting = [...list];
    const next = async () => {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
}

/**
 * @param {string} words
 * @param {() => Promise<unknown>} undo
 */
function offer(words, undo) {
    toast(words, { action: t("undo"), run: () => inTurn(undo) });
}

/**
 * A quarter turn to the right (90) or left (-90). What is no picture has no side to lie on.
 * @param {Photo[]} photos
 * @param {number} by
 * @param {(photos: Photo[]) => void} onChange
 * @returns {Promise<void>}
 */
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

/**
 * @param {Photo} photo
 * @param {string} caption
 * @param {(photo: Photo) => void} onChange
 * @returns {Promise<void>}
 */
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

/**
 * Says of each when it was taken; `takenAt` null is what the file says. The videos of Live Photos go with them.
 * @param {Photo[]} photos
 * @param {string | null} takenAt
 * @param {() => void} onChange
 * @returns {Promise<void>}
 */
export function setDate(photos, takenAt, onChange) {
    const files = filesOf(photos);
    /** @type {Map<string, string | null>} */
    const old = new Map();
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

/**
 * Moves when each was taken, as where the camera's clock was wrong.
 * @param {Photo[]} photos
 * @param {number} minutes
 * @param {() => void} onChange
 * @returns {Promise<void>}
 */
export function shiftDates(photos, minutes, onChange) {
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
