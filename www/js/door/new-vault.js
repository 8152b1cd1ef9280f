// Making a vault: the password twice, the setup code where the host asks for it, and a plain warning.
import * as api from "../base/api.js";
import { readableNotice } from "./door.js";
import { el, icon, setText } from "../base/dom.js";
import { clearButton, compare, leadOn, tick } from "../elements/forms.js";
import { doorFrame } from "../elements/frame.js";
import { t } from "../base/i18n.js";
import { countDown } from "./open-form.js";
import { passwordField, wrongText } from "../elements/password-field.js";
import { describe } from "../base/problems.js";
import { showRecoveryCode } from "./recovery-sheet.js";
import { strengthMeter, weakness } from "./strength-meter.js";
import { Wishes } from "./wishes.js";

/**
 * @typedef {object} NewVaultOptions
 * @property {Hello} hello
 * @property {string} [code]
 * @property {Guest | null} [guest]
 * @property {boolean} [isCovered]
 * @property {(fields: OpeningFields) => Promise<Opened>} create
 * @property {(answer: Opened) => void} onCreated
 * @property {() => void} onBack
 */

/**
 * @typedef {object} FormParts
 * @property {HTMLElement} element
 * @property {PasswordField} first
 * @property {PasswordField} second
 * @property {ReturnType<typeof setupCodeField> | null} setup
 * @property {Wishes} wishes
 * @property {ReturnType<typeof tick>} recovery
 * @property {HTMLInputElement} ticked
 * @property {HTMLElement} tickWrong
 * @property {HTMLButtonElement} submit
 * @property {boolean} isCovered
 * @property {(fields: OpeningFields) => Promise<Opened>} create
 * @property {(answer: Opened) => void} onCreated
 */

/**
 * The form alone. `create(fields)` asks the host and gives its answer, which `onCreated` gets; `code` is a setup code
 * that came with the address, `guest` is `{photos, until}` or null. `isCovered` is as in the form that opens.
 * @param {NewVaultOptions} options
 */
export function newVaultForm({ hello, code = "", guest = null, isCovered = false, create, onCreated, onBack }) {
    const first = passwordField({ label: t("password"), fresh: true, meter: strengthMeter, hint: t("new.hint") });
    const second = passwordField({ label: t("new.again"), fresh: true });
    compare(first, second);
    const setup = hello.codeNeeded ? setupCodeField(code) : null;
    const wishes = new Wishes(guest);
    const recovery = tick(t("new.recovery"), t("new.recoveryNote"), true);
    const ticked = el("input", { type: "checkbox", required: true, "aria-describedby": "understand-wrong" });
    const tickWrong = el("div", { id: "understand-wrong", role: "alert" });
    const submit = el("button", { class: "button is-main is-wide", type: "submit" }, t("new.create"));
    const understood = el("div", {}, el("label", { class: "tick" }, ticked, el("span", {}, t("new.understand"))),
        tickWrong);
    // With a recovery code it is not true.
    const drawUnderstood = () => { understood.hidden = recovery.input.checked; };
    recovery.input.addEventListener("change", drawUnderstood);
    drawUnderstood();
    const element = el("form", { novalidate: true }, first.element, second.element, setup?.element,
        el("div", {}, wishes.element, recovery.element, understood), submit,
        el("button", { class: "link is-back", type: "button", onclick: onBack }, icon("left", "is-small"), t("back")));
    const parts = { element, first, second, setup, wishes, recovery, ticked, tickWrong, submit, isCovered, create, onCreated };
    leadOn(element);
    // Whoever ticks either of them has put it right.
    for (const { input } of [recovery, { input: ticked }]) input.addEventListener("change", () => tickWrong.replaceChildren());
    element.addEventListener("submit", (event) => {
        event.preventDefault();
        if (submit.getAttribute("aria-disabled") !== "true" && isComplete(parts)) tryToCreate(parts);
    });
    return { element, input: first.input, wishes };
}

/**
 * The form as a screen of its own.
 * @param {NewVaultOptions & {onLanguage: (code: string) => void}} options
 * @returns {OutsideScreen}
 */
export function newVaultScreen({ code = "", onLanguage, ...options }) {
    const form = newVaultForm({ code, ...options });
    const element = doorFrame({
        long: true, onLanguage, code, leadsOn: true,
        content: [
            el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, t("new.title")),
                el("p", { class: "note" }, t("new.note"))),
            readableNotice(code), form.element,
        ],
    });
    return { element, title: t("new.title"), focus: form.input, setGuest: (info) => form.wishes.setGuest(info) };
}

/** @param {string} code */
function setupCodeField(code) {
    const input = el("input", {
        id: "setup-code", value: code, required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
        "aria-describedby": "setup-code-hint setup-code-wrong",
    });
    const wrong = el("div", { id: "setup-code-wrong", role: "alert" });
    const element = el("div", { class: "field" }, el("label", { for: "setup-code" }, t("new.code")),
        el("div", { class: "box" }, input, clearButton(input)),
        el("p", { class: "small", id: "setup-code-hint" }, t("new.codeHint")), wrong);
    const clear = () => {
        element.classList.remove("is-wrong");
        input.removeAttribute("aria-invalid");
        wrong.replaceChildren();
    };
    input.addEventListener("input", clear);
    return {
        element, input, clear,
        /** @param {string} text */
        fail(text) {
            element.classList.add("is-wrong");
            input.setAttribute("aria-invalid", "true");
            wrong.replaceChildren(wrongText(text));
        },
    };
}

/**
 * Says the first thing that is missing, beside it, and puts the focus there.
 * @param {FormParts} parts
 * @returns {boolean}
 */
function isComplete({ first, second, setup, recovery, ticked, tickWrong }) {
    for (const field of [first, second, setup]) field?.clear();
    tickWrong.replaceChildren();
    /**
     * @param {{input: HTMLInputElement, fail: (text: string, isRight?: () => boolean) => void}} field
     * @param {string} key
     * @param {() => boolean} [isRight]
     */
    const refuse = (field, key, isRight) => {
        field.fail(t(key), isRight);
        field.input.focus();
        return false;
    };
    if (first.input.value === "") return refuse(first, "error.password-empty");
    const weak = weakness(first.input.value);
    if (weak) return refuse(first, `error.${weak}`, () => !weakness(first.input.value));
    if (second.input.value !== first.input.value) {
        return refuse(second, "error.password-mismatch", () => second.input.value === first.input.value);
    }
    if (setup && setup.input.value.trim() === "") return refuse(setup, "error.setup-code-missing");
    if (ticked.checked || recovery.input.checked) return true;
    tickWrong.replaceChildren(wrongText(t("new.tickFirst")));
    ticked.focus();
    return false;
}

/** @param {FormParts} parts */
async function tryToCreate(parts) {
    const { first, second, setup, wishes, recovery, submit, onCreated } = parts;
    /** @type {OpeningFields} */
    const fields = { password: first.input.value, confirmation: second.input.value, ...wishes.fields() };
    if (recovery.input.checked) fields.recovery = true;
    if (setup) fields.code = setup.input.value.trim();
    submit.setAttribute("aria-disabled", "true");
    setText(submit, t("new.creating"));
    let answer;
    try {
        answer = await parts.create(fields);
    } catch (error) {
        setText(submit, t("new.create"));
        submit.removeAttribute("aria-disabled");
        refuse(parts, error);
        return;
    }
    first.input.value = "";
    second.input.value = "";
    // The only time that it is shown: before anything else can take the screen. What it follows is done.
    if (answer.recoveryCode) {
        parts.element.replaceChildren();
        await showRecoveryCode(answer.recoveryCode);
    }
    onCreated(answer);
}

/**
 * @param {FormParts} parts
 * @param {any} error
 */
function refuse({ first, second, setup, submit, isCovered }, error) {
    if (error.status === 429 && !error.limit) {
        countDown({ field: first, submit, words: t("new.create"), seconds: error.retryAfter || 1 });
        return;
    }
    if (error instanceof api.Unreachable && !isCovered) return;
    const field = error.code === "setup-code" && setup ? setup : error.code === "password-mismatch" ? second : first;
    field.fail(describe(error));
    field.input.focus();
}
