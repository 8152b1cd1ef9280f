// One short line that something was done, with a way back where there is one.
import { el, announce } from "../base/dom.js";

/** @type {HTMLElement | null} */
let shown = null;
/** @type {ReturnType<typeof setTimeout> | null} */
let timer = null;

/**
 * @param {string} text
 * @param {{action?: string | null, run?: (() => unknown) | null}} options
 */
export function toast(text, { action = null, run = null } = {}) {
    dismissToast();
    shown = el("div", { class: "toast" }, el("p", {}, text), action
        ? el("button", { class: "link", type: "button", onclick: () => { dismissToast(); run?.(); } }, action) : null);
    // Over a photo that fills the window, what lies outside its dialog is neither seen nor heard of.
    const dialog = document.querySelector("dialog.viewer[open]");
    const notes = document.getElementById("notes");
    if (dialog) {
        const over = el("div", { class: "notes", role: "status" }, shown);
        dialog.append(over);
        dialog.addEventListener("close", () => {
            if (over.firstChild) notes.append(over.firstChild);
        }, { once: true });
    } else notes.append(shown);
    announce(text);
    // Long enough to read and reach; it never goes while the pointer or the focus is on it (WCAG 2.2.1).
    const leave = () => {
        if (shown?.matches(":hover, :focus-within")) timer = setTimeout(leave, 2000);
        else dismissToast();
    };
    timer = setTimeout(leave, action ? 10_000 : 5000);
}

export function dismissToast() {
    clearTimeout(timer);
    // Keys come to the viewer only while something in it has the focus: from a button that goes the picture takes it over.
    const picture = shown?.contains(document.activeElement)
        && shown.closest("dialog")?.querySelector(/** @type {"figure"} */ ("figure[tabindex]"));
    shown?.remove();
    shown = null;
    if (picture) picture.focus();
}
