// Making a vault: the password twice, the setup code where the host asks for it, and a plain warning.
import * as api from "./api.js";
import { countDown, readableNotice } from "./door.js";
import { el, icon, setText } from "./dom.js";
import { doorFrame } from "./frame.js";
import { t } from "./i18n.js";
import { passwordField, wrongText } from "./password-field.js";
import { describe } from "./problems.js";

/** `onCreated` is called with the session open; `code` is a setup code that came with the address. */
export function newVaultScreen({ hello, code = "", onCreated, onBack, onLanguage }) {
    const first = passwordField({ label: t("password"), fresh: true, rated: true, hint: t("new.hint") });
    const second = passwordField({ label: t("new.again"), fresh: true });
    const setup = hello.codeNeeded ? setupCodeField(code) : null;
    const ticked = el("input", { type: "checkbox", required: true, "aria-describedby": "understand-wrong" });
    const tickWrong = el("div", { id: "understand-wrong", role: "alert" });
    const submit = el("button", { class: "button is-main is-wide", type: "submit" }, t("new.create"));
    const form = el("form", { novalidate: true }, first.element, second.element, setup?.element,
        el("div", {}, el("label", { class: "tick" }, ticked, el("span", {}, t("new.understand"))), tickWrong), submit,
        el("button", { class: "link is-back", type: "button", onclick: onBack }, icon("left", "is-small"), t("back")));
    const parts = { first, second, setup, ticked, tickWrong, submit, onCreated };
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (submit.getAttribute("aria-disabled") !== "true" && isComplete(parts)) create(parts);
    });
    const element = doorFrame({
        long: true, onLanguage,
        content: [
            el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, t("new.title")),
                el("p", { class: "note" }, t("new.note"))),
            readableNotice(code), form,
        ],
    });
    return { element, title: t("new.title"), focus: first.input };
}

function setupCodeField(code) {
    const input = el("input", {
        id: "setup-code", value: code, autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
        "aria-describedby": "setup-code-hint setup-code-wrong",
    });
    const wrong = el("div", { id: "setup-code-wrong", role: "alert" });
    const element = el("div", { class: "field" }, el("label", { for: "setup-code" }, t("new.code")),
        el("div", { class: "box" }, input),
        el("p", { class: "small", id: "setup-code-hint" }, t("new.codeHint")), wrong);
    return {
        element, input,
        fail(text) {
            element.classList.add("is-wrong");
            wrong.replaceChildren(wrongText(text));
        },
        clear() {
            element.classList.remove("is-wrong");
            wrong.replaceChildren();
        },
    };
}

/** Says the first thing that is missing, beside it, and puts the focus there. */
function isComplete({ first, second, setup, ticked, tickWrong }) {
    for (const field of [first, second, setup]) field?.clear();
    tickWrong.replaceChildren();
    const refuse = (field, key) => {
        field.fail(t(key));
        field.input.focus();
        return false;
    };
    if (first.input.value === "") return refuse(first, "error.password-empty");
    if ([...first.input.value.normalize("NFC")].length < 8) return refuse(first, "error.password-too-short");
    if (second.input.value !== first.input.value) return refuse(second, "error.password-mismatch");
    if (setup && setup.input.value.trim() === "") return refuse(setup, "error.setup-code-missing");
    if (ticked.checked) return true;
    tickWrong.replaceChildren(wrongText(t("new.tickFirst")));
    ticked.focus();
    return false;
}

async function create(parts) {
    const { first, second, setup, submit, onCreated } = parts;
    const fields = { password: first.input.value, confirmation: second.input.value };
    if (setup) fields.code = setup.input.value.trim();
    submit.setAttribute("aria-disabled", "true");
    setText(submit, t("new.creating"));
    try {
        await api.createVault(fields);
        first.input.value = "";
        second.input.value = "";
        onCreated();
    } catch (error) {
        setText(submit, t("new.create"));
        submit.removeAttribute("aria-disabled");
        refuse(parts, error);
    }
}

function refuse({ first, second, setup, submit }, error) {
    if (error.status === 429) {
        countDown({ field: first, submit, words: t("new.create"), seconds: error.retryAfter || 1 });
        return;
    }
    const field = error.code === "setup-code" && setup ? setup : error.code === "password-mismatch" ? second : first;
    field.fail(describe(error));
    field.input.focus();
}
