// The name of a file, of which the ending stays in view when there is no room for all of it.
import { el } from "../base/dom.js";

/** The number that tells a photo from its neighbours, or else the last letters, with the ending. */
const tail = /(?:\d{1,6}|.{0,3})(?:\.[^.\s]{1,6})?$/su;

/**
 * `[front, back]`: of the front as much is shown as there is room for.
 * @param {string} name
 * @returns {[string, string]}
 */
export function splitName(name) {
    const cut = /** @type {RegExpExecArray} */ (tail.exec(name)).index;
    return [name.slice(0, cut), name.slice(cut)];
}

/**
 * @param {string} name
 * @returns {HTMLElement}
 */
export function fileName(name) {
    const [front, back] = splitName(name);
    return el("span", { class: "file-name", title: name }, el("span", {}, front), el("span", {}, back));
}
