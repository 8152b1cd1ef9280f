// A password field with its show button, its error and, for new passwords, its strength in words.
import { el, icon } from "./dom.js";
import { t } from "./i18n.js";
import { strength } from "./strength.js";

let count = 0;

/**
 * `{element, input, fail(text, aloud), clear()}`; `fail` marks the field and says why. `aloud` is what only a screen
 * reader needs to hear with it.
 */
export function passwordField({ label, fresh = false, hint = null, rated = false }) {
    count += 1;
    const id = `password-${count}`;
    const input = el("input", {
        id, type: "password", required: true, spellcheck: "false", autocapitalize: "none", autocorrect: "off",
        autocomplete: fresh ? "new-password" : "current-password", enterkeyhint: "go",
        "aria-describedby": `${id}-wrong ${id}-hint`,
    });
    const show = el("button", { class: "link", type: "button", "aria-controls": id }, t("show"));
    show.addEventListener("click", () => reveal(input.type === "password"));
    function reveal(shown) {
        input.type = shown ? "text" : "password";
        show.textContent = t(shown ? "hide" : "show");
    }
    const wrong = el("div", { id: `${id}-wrong`, role: "alert" });
    const element = el("div", { class: "field" }, el("label", { for: id }, label),
        el("div", { class: "box" }, input, show), rated ? meter(input) : null,
        hint ? el("p", { class: "small", id: `${id}-hint` }, hint) : null, wrong);
    return {
        element, input,
        fail(text, aloud = null) {
            reveal(false);
            element.classList.add("is-wrong");
            input.setAttribute("aria-invalid", "true");
            wrong.replaceChildren(wrongText(text));
            if (aloud) wrong.append(el("p", { class: "unseen" }, aloud));
        },
        clear() {
            reveal(false);
            element.classList.remove("is-wrong");
            input.removeAttribute("aria-invalid");
            wrong.replaceChildren();
        },
    };
}

/** What is wrong with a field, as a paragraph with its sign. */
export function wrongText(text) {
    return el("p", { class: "wrong" }, icon("warning", "is-small"), el("span", {}, text));
}

function meter(input) {
    const strokes = [el("i"), el("i"), el("i")];
    const word = el("span");
    const element = el("div", { class: "strength", hidden: true }, ...strokes, word);
    input.addEventListener("input", () => {
        const rating = strength(input.value);
        element.hidden = input.value === "";
        strokes.forEach((stroke, index) => stroke.classList.toggle("is-on", index < Math.max(1, rating - 1)));
        const words = ["strength.short", "strength.short", "strength.easy", "strength.fair", "strength.strong"];
        word.textContent = t(words[rating]);
    });
    return element;
}
