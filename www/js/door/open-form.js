// The one form that opens a vault: at the door, on the screen after a lock, and in place over a guest's photos.
import * as api from "../base/api.js";
import { el, setText } from "../base/dom.js";
import { describe, lastDayBefore, t, waitWords } from "../base/i18n.js";
import { passwordField, tick } from "../elements/forms.js";

// What may go with opening or creating a vault: that it stays open on this device, and that a guest's photos move in.

/** `guest` is `{photos, until}` or null. `fields()` gives what the host wants to know of it. */
export class Wishes {
    /** @param {Guest | null} guest */
    constructor(guest) {
        this.keep = tick(t("keep.label"), t("keep.note"), false);
        this.element = el("div", { class: "wishes" });
        this.setGuest(guest);
    }

    /**
     * The number may be known a moment later; a box that was unticked stays so.
     * @param {Guest | null} guest
     */
    setGuest(guest) {
        const wanted = this.move?.input.checked ?? true;
        /** @type {ReturnType<typeof tick> | null} */
        this.move = guest && guest.photos > 0
            ? tick(t("move.label", { n: guest.photos }), t("move.note", { day: lastDayBefore(guest.until) }), wanted)
            : null;
        this.element.replaceChildren(...[...(this.move ? [this.move] : []), this.keep].map(({ element }) => element));
    }

    /** @returns {{keep: boolean, migrate?: boolean}} */
    fields() {
        return { keep: this.keep.input.checked, ...(this.move ? { migrate: this.move.input.checked } : {}) };
    }
}

/**
 * @typedef {object} OpenFormOptions
 * @property {string} [words]
 * @property {Guest | null} [guest]
 * @property {HTMLElement | null} [beside]
 * @property {boolean} [isCovered]
 * @property {(fields: OpeningFields) => Promise<Opened>} open
 * @property {(answer: Opened) => void} onOpened
 */

/**
 * `open(fields)` asks the host and gives its answer, which `onOpened` gets. `beside` is a button next to the main one.
 * `isCovered`: the banner about the connection cannot be seen, so the form says itself that the host is away.
 * @param {OpenFormOptions} options
 */
export function openForm({ words = t("door.open"), guest = null, beside = null, isCovered = false, open, onOpened }) {
    const field = passwordField({ label: t("password") });
    const wishes = new Wishes(guest);
    const submit = el("button", { class: "button is-main is-wide", type: "submit" }, words);
    const element = el("form", { novalidate: true, class: "open-form" }, field.element, wishes.element,
        beside ? el("div", { class: "ends" }, beside, submit) : submit);
    const parts = { field, wishes, submit, words, isCovered, open, onOpened };
    element.addEventListener("submit", (event) => {
        event.preventDefault();
        if (submit.getAttribute("aria-disabled") !== "true") tryToOpen(parts);
    });
    return { element, input: field.input, submit, wishes };
}

/**
 * @param {{field: PasswordField, wishes: Wishes, submit: HTMLButtonElement, words: string, isCovered: boolean,
 *     open: (fields: OpeningFields) => Promise<Opened>, onOpened: (answer: Opened) => void}} parts
 */
async function tryToOpen({ field, wishes, submit, words, isCovered, open, onOpened }) {
    const password = field.input.value;
    field.clear();
    if (password === "") {
        field.fail(t("error.password-empty"));
        field.input.focus();
        return;
    }
    submit.setAttribute("aria-disabled", "true");
    setText(submit, t("door.opening"));
    let answer;
    try {
        answer = await open({ password, ...wishes.fields() });
    } catch (error) {
        const isAway = error instanceof api.Unreachable;
        if (!isAway) field.input.value = "";
        if (error.status === 429) countDown({ field, submit, words, seconds: error.retryAfter || 1 });
        else {
            if (!isAway || isCovered) field.fail(error.status === 401 ? refusal(password) : describe(error));
            setText(submit, words);
            submit.removeAttribute("aria-disabled");
        }
        field.input.focus();
        return;
    }
    field.input.value = "";
    onOpened(answer);
}

/**
 * Seven groups of four are a recovery code, in which a slip of the pen is likelier than Caps Lock.
 * @param {string} password
 */
function refusal(password) {
    const isCode = /^[0-9A-Z]{28}$/i.test(password.replace(/[\s-]/g, ""));
    return t(isCode ? "error.recovery-code-invalid" : "error.wrongPassword");
}

/**
 * Says how long to wait: once aloud, every second to the eye.
 * @param {{field: PasswordField, submit: HTMLButtonElement, words: string, seconds: number}} parts
 */
export function countDown({ field, submit, words, seconds }) {
    const until = Date.now() + seconds * 1000;
    field.fail(t("wait.many"), () => false, waitWords(seconds));
    setText(submit, waitWords(seconds));
    submit.setAttribute("aria-disabled", "true");
    const timer = setInterval(() => {
        const left = Math.ceil((until - Date.now()) / 1000);
        if (left > 0 && submit.isConnected) {
            setText(submit, waitWords(left));
            return;
        }
        clearInterval(timer);
        field.clear();
        setText(submit, words);
        submit.removeAttribute("aria-disabled");
    }, 1000);
}
