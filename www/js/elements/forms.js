// How fields of a form help: one tap empties them, Return leads on, two passwords are compared where they are typed.
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";

/**
 * Empties a field. The style sheet shows it while there is something in it; keys have their own ways for that.
 * @param {HTMLInputElement} input
 */
export function clearButton(input) {
    // What is empty is told by its placeholder.
    input.placeholder = " ";
    return el("button", { class: "round wipe", type: "button", tabindex: "-1", "aria-label": t("clear"), onclick: () => {
        input.value = "";
        input.dispatchEvent(new Event("input", { bubbles: true }));
        input.focus();
    } }, icon("close", "is-small"));
}

/**
 * Return goes to the next field that must be filled and is empty; from the last one it sends the form.
 * @param {HTMLFormElement} form
 */
export function leadOn(form) {
    form.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement) || event.isComposing) return;
        /** @type {NodeListOf<HTMLInputElement>} */
        const required = form.querySelectorAll("input[required]:not([type=checkbox])");
        const fields = [...required];
        const next = fields.slice(fields.indexOf(event.target) + 1).find(({ value }) => value === "");
        if (!next || event.target.value === "") return;
        event.preventDefault();
        next.focus();
    });
}

/**
 * A box to tick, with its words.
 * @param {string} label
 * @param {string} note
 * @param {boolean} checked
 */
export function tick(label, note, checked) {
    const input = el("input", { type: "checkbox", checked });
    const words = el("span", {}, label, el("span", { class: "small" }, note));
    return { input, element: el("label", { class: "tick" }, input, words) };
}

let isPressed = false;
for (const name of ["pointerdown", "pointerup", "pointercancel"]) {
    window.addEventListener(name, () => { isPressed = name === "pointerdown"; }, { capture: true });
}

/**
 * Says on leaving the second field that it differs from the first one, and no longer once it does not.
 * @param {PasswordField} first
 * @param {PasswordField} second
 */
export function compare(first, second) {
    const isSame = () => first.input.value === second.input.value;
    const say = () => {
        if (second.input.value !== "" && !isSame() && !second.isWrong) second.fail(t("error.password-mismatch"), isSame);
    };
    for (const { input } of [first, second]) {
        input.addEventListener("blur", () => {
            // What is pressed next must not move away before it is let go.
            if (isPressed) window.addEventListener("pointerup", () => setTimeout(say), { once: true });
            else setTimeout(say);
        });
    }
    first.input.addEventListener("input", () => second.lookAgain());
}
