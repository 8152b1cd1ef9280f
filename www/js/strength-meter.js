// How strong a new password is, under its field: three strokes and a word.
import { el } from "./dom.js";
import { t } from "./i18n.js";
import { strength } from "./strength.js";

export function strengthMeter(input) {
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
