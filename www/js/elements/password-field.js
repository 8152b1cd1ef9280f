// A password field with its show button and its error.
import { el, icon } from "../base/dom.js";
import { clearButton } from "./forms.js";
import { t } from "../base/i18n.js";

let count = 0;

/**
 * `{element, input, isFresh, isWrong, fail(text, isRight, aloud), clear(), lookAgain()}`; `fail` marks the field and says
 * why, until `isRight()`, or until something else is typed. `aloud` is what only a screen reader needs to hear with it.
 * `meter(input)` makes what stands under a new password and says how strong it is.
 * @param {{label: string, fresh?: boolean, hint?: string | null, meter?: ((input: HTMLInputElement) => Node)
 *     | null}} options
 * @returns {PasswordField}
 */
export function passwordField({ label, fresh = false, hint = null, meter = null }) {
    count += 1;
    const id = `password-${count}`;
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
    /** @type {(() => boolean) | null} */
    let isRight = null;
    const field = {
        element, input, isFresh: fresh,
        get isWrong() { return element.classList.contains("is-wrong"); },
        /**
         * @param {string} text
         * @param {() => boolean} [whenRight]
         * @param {string | null} [aloud]
         */
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

/**
 * What is wrong with a field, as a paragraph with its sign.
 * @param {string} text
 * @returns {HTMLElement}
 */
export function wrongText(text) {
    return el("p", { class: "wrong" }, icon("warning", "is-small"), el("span", {}, text));
}
