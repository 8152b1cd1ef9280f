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
    document.getElementById("notes").append(shown);
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
    shown?.remove();
    shown = null;
}
