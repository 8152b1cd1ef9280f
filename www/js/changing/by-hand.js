// What all has that somebody says better of photos than their files do: it is sent, in its turn, and there is a way back.
import { request } from "../base/api.js";
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";

/** Requests at once, where each photo takes one. */
const atOnce = 4;
/** What is changed by one is done before the next: of two turns the second counts from the first.
 * @type {Promise<unknown>} */
let before = Promise.resolve();

/** @typedef {{caption?: string | null, takenAt?: string | null, rotation?: number, edit?: Edit | null}} Fields */

/** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
export function inTurn(work) {
    const done = before.then(work);
    before = done.catch(() => {});
    return done;
}

/** @param {string} id @param {Fields} fields @returns {Promise<Photo>} */
export const change = (id, fields) => request("PATCH", `/api/photos/${encodeURIComponent(id)}`, fields);

/** `work(one)` for each of a list, a few at a time. The first refusal ends it.
 * @template T @param {T[]} list @param {(one: T) => Promise<unknown>} work */
export async function each(list, work) {
    const waiting = [...list];
    const next = async () => {
        for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one);
    };
    await Promise.all(Array.from({ length: atOnce }, next));
}

/** @param {string} words @param {() => Promise<unknown>} undo */
export function offer(words, undo) {
    toast(words, { action: t("undo"), run: () => inTurn(undo) });
}

/** @param {string} key */
export function refusal(key) {
    return Object.assign(new Error(key), { words: t(key) });
}

/** Where somebody has said something else before, the way back to what the file says.
 * @param {string} words @param {boolean} isOffered @param {() => void} onChange */
export function resetTick(words, isOffered, onChange) {
    const input = el("input", { type: "checkbox", onchange: onChange });
    return { input, isOffered, element: el("label", { class: "tick" }, input, el("span", {}, words)) };
}
