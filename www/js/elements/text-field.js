// A field for a short text that is no secret and may stay empty.
import { el } from "../base/dom.js";
import { clearButton } from "./forms.js";

let count = 0;

/** @param {{label: string, maxlength: number}} options */
export function textField({ label, maxlength }) {
    count += 1;
    const id = `text-${count}`;
    const input = el("input", { id, autocomplete: "off", maxlength });
    const element = el("div", { class: "field" }, el("label", { for: id }, label), el("div", { class: "box" }, input, clearButton(input)));
    return { element, input };
}
