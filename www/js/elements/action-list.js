// A sheet with a few things that can be done: for what is done too seldom for a button of its own.
import { el, icon } from "../base/dom.js";
import { openSheet } from "./dialog.js";

/**
 * @typedef {object} Choice
 * @property {string} sign
 * @property {string} label
 * @property {() => unknown} run
 */

/**
 * `sign` is the icon of each. What is chosen runs once the sheet is gone and the focus is where it was.
 * @param {string} title
 * @param {Choice[]} choices
 */
export async function chooseAction(title, choices) {
    const list = el("ul", { class: "choice is-plain" }, ...choices.map((choice) => el("li", {},
        el("button", { type: "button", onclick: () => sheet.close(choice) }, icon(choice.sign), el("strong", {}, choice.label)))));
    const sheet = openSheet({ title, content: [list] });
    const chosen = /** @type {Choice | undefined} */ (await sheet.closed);
    chosen?.run();
}
