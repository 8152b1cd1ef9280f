// How fields of a form help: one tap empties them, Return leads on, two passwords are compared where they are typed.
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** Empties a field. The style sheet shows it while there is something in it; keys have their own ways for that.
 * @param {HTMLInputElement} input */
export function clearButton(input) {
    // What is empty is told by its placeholder.
    input.placeholder = " ";
    return el("button", { class: "round wipe", type: "button", tabindex: "-1", "aria-label": t("clear"), onclick: () => {
        input.value = "";
        input.dispatchEvent(new Event("input", { bubbles: true }));
        input.focus();
    } }, icon("close", "is-small"));
}

/** Return goes to the next field that must be filled and is empty; from the last one it sends the form.
 * @param {HTMLFormElement} form */
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

/** A box to tick, with its words.
 * @param {string} label @param {string} note @param {boolean} checked */
export function tick(label, note, checked) {
    const input = el("input", { type: "checkbox", checked });
    const words = el("span", {}, label, el("span", { class: "small" }, note));
    return { input, element: el("label", { class: "tick" }, input, words) };
}

/** @type {boolean | undefined} */ let isPressed;

/** From the first pair of fields on. */
function watchPresses() {
    if (isPressed !== undefined) return;
    isPressed = false;
    for (const name of ["pointerdown", "pointerup", "pointercancel"]) {
        window.addEventListener(name, () => { isPressed = name === "pointerdown"; }, { capture: true });
    }
}

/** Says on leaving the second field that it differs from the first one, and no longer once it does not.
 * @param {PasswordField} first @param {PasswordField} second */
export function compare(first, second) {
    watchPresses();
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

// A password field with its show button and its error.

let passwordCount = 0;

/** `{element, input, isFresh, isWrong, fail(text, isRight, aloud), clear(), lookAgain()}`; `fail` marks the field and says
 * why, until `isRight()`, or until something else is typed. `aloud` is what only a screen reader needs to hear with it.
 * `meter(input)` makes what stands under a new password and says how strong it is.
 * @param {{label: string, fresh?: boolean, hint?: string | null, meter?: ((input: HTMLInputElement) => Node)
 *     | null}} options
 * @returns {PasswordField} */
export function passwordField({ label, fresh = false, hint = null, meter = null }) {
    passwordCount += 1;
    const id = `password-${passwordCount}`;
    const input = el("input", {
        id, type: "password", required: true, spellcheck: "false", autocapitalize: "none", autocorrect: "off",
        autocomplete: fresh ? "new-password" : "current-password webauthn", enterkeyhint: "go",
        "aria-describedby": `${id}-wrong ${id}-hint`,
    });
    const show = el("button", { class: "link", type: "button", "aria-controls": id }, t("show"));
    show.addEventListener("click", () => reveal(input.type === "password"));
    /** @param {boolean} shown */
    function reveal(shown) {
        input.type = shown ? "text" : "password";
        show.textContent = t(shown ? "hide" : "show");
    }
    const wrong = el("div", { id: `${id}-wrong`, role: "alert" });
    const element = el("div", { class: "field" }, el("label", { for: id }, label),
        el("div", { class: "box" }, input, clearButton(input), show), meter?.(input),
        hint ? el("p", { class: "small", id: `${id}-hint` }, hint) : null, wrong);
    /** @type {(() => boolean) | null} */ let isRight = null;
    const field = {
        element, input, isFresh: fresh,
        get isWrong() { return element.classList.contains("is-wrong"); },
        /** @param {string} text @param {() => boolean} [whenRight] @param {string | null} [aloud] */
        fail(text, whenRight = () => true, aloud = null) {
            reveal(false);
            isRight = whenRight;
            element.classList.add("is-wrong");
            input.setAttribute("aria-invalid", "true");
            wrong.replaceChildren(wrongText(text));
            if (aloud) wrong.append(el("p", { class: "unseen" }, aloud));
        },
        clear() {
            reveal(false);
            unmark();
        },
        /** What was wrong may have been put right. */
        lookAgain() {
            if (field.isWrong && isRight?.()) unmark();
        },
    };
    function unmark() {
        element.classList.remove("is-wrong");
        input.removeAttribute("aria-invalid");
        wrong.replaceChildren();
    }
    input.addEventListener("input", () => field.lookAgain());
    return field;
}

/** What is wrong with a field, as a paragraph with its sign.
 * @param {string} text @returns {HTMLElement} */
export function wrongText(text) {
    return el("p", { class: "wrong" }, icon("warning", "is-small"), el("span", {}, text));
}

// A field for a short text that is no secret and may stay empty.

let textCount = 0;

/** @param {{label: string, maxlength: number}} options */
export function textField({ label, maxlength }) {
    textCount += 1;
    const id = `text-${textCount}`;
    const input = el("input", { id, autocomplete: "off", maxlength });
    const element = el("div", { class: "field" }, el("label", { for: id }, label), el("div", { class: "box" }, input, clearButton(input)));
    return { element, input };
}
