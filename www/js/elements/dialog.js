// What people are asked and told over a screen: fields and how they help, dialogs, short messages.
import { stepBack } from "../base/browser.js";
import { announce, el, icon } from "../base/dom.js";
import { describe, t } from "../base/i18n.js";

// Fields of a form: one tap empties them, Return leads on, two passwords are compared where they are typed.

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

// Dialogs: a sheet from below on phones, a centred box elsewhere. Focus returns to where it was.

/** @typedef {{dialog: HTMLDialogElement, close: (value?: any) => void, closed: Promise<any>,
 *     hold: (isHeld: boolean) => void}} Sheet */

/** @typedef {{element: HTMLElement, input: HTMLInputElement, isFresh?: boolean, fail?: (text: string) => void}} Field */

let count = 0;

/** Opens a modal sheet and gives back `{dialog, close, closed, hold}`; `closed` resolves with what `close` was given.
 * While it is held, by `hold(true)`, nobody can dismiss it. `ownsBack`: the phone's Back button closes it, for a sheet
 * as large as a screen.
 * @param {{title: string, note?: string | null, content?: (Node | string | null)[], closable?: boolean,
 *     ownsBack?: boolean}} options
 * @returns {Sheet} */
export function openSheet({ title, note = null, content = [], closable = true, ownsBack = false }) {
    count += 1;
    const id = `sheet-${count}`;
    /** @type {any} */ let result;
    let isHeld = false;
    const cross = closable ? el("button", { class: "round", type: "button", "aria-label": t("close"),
        onclick: () => close() }, icon("close")) : null;
    const head = el("div", { class: "sheet-head" }, el("h2", { id, tabindex: "-1" }, title), cross);
    const described = note ? `${id}-note` : null;
    const dialog = el("dialog", { class: "sheet", "aria-labelledby": id, "aria-describedby": described },
        head, note ? el("p", { class: "note", id: `${id}-note` }, note) : null, ...content);
    const closed = new Promise((resolve) => dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(result);
    }));
    /** @param {any} [value] */
    const close = (value) => {
        result = value;
        dialog.close();
    };
    /** @param {boolean} held */
    const hold = (held) => {
        isHeld = held;
        if (cross) cross.disabled = held;
        // Without it a second Escape closes a sheet that has refused the first one.
        if (held) dialog.setAttribute("closedby", "none");
        else dialog.removeAttribute("closedby");
    };
    dialog.addEventListener("cancel", (event) => { if (isHeld) event.preventDefault(); });
    dialog.addEventListener("click", (event) => { if (event.target === dialog && closable && !isHeld) close(); });
    if (ownsBack) takeBack(dialog, id, () => isHeld);
    document.body.append(dialog);
    dialog.showModal();
    // What was said a moment ago stays in sight, with its way back.
    if (shown) lift(shown);
    /** @type {HTMLElement} */ (dialog.querySelector("[data-first]") ?? head.firstChild).focus();
    return { dialog, close, closed, hold };
}

/** @param {HTMLDialogElement} dialog @param {string} id @param {() => boolean} isHeld */
function takeBack(dialog, id, isHeld) {
    const listeners = new AbortController();
    const stay = () => history.pushState({ sheet: id }, "", location.href);
    stay();
    window.addEventListener("popstate", () => (isHeld() ? stay() : dialog.close()), { signal: listeners.signal });
    dialog.addEventListener("close", () => {
        listeners.abort();
        if (history.state?.sheet === id) stepBack();
    });
}

/** Asks before something is done; resolves to true or false. The focus starts on Cancel, or on `stay` where that says better
 * what goes on.
 * @param {{title: string, note: string, action: string, stay?: string, danger?: boolean}} options
 * @returns {Promise<boolean>} */
export async function confirm({ title, note, action, stay = t("cancel"), danger = false }) {
    const cancel = el("button", { class: "button", type: "button", "data-first": true }, stay);
    const go = el("button", { class: danger ? "button is-danger-main" : "button is-main", type: "button" }, action);
    const sheet = openSheet({ title, note, closable: false, content: [el("div", { class: "ends" }, cancel, go)] });
    cancel.addEventListener("click", () => sheet.close(false));
    go.addEventListener("click", () => sheet.close(true));
    return (await sheet.closed) === true;
}

/** A form in a sheet; `submit` may throw, its error is said in place and the sheet stays. Nobody can dismiss it while
 * `submit` runs: what the host has begun cannot be taken back. `more` stands between the note and the fields. Resolves
 * true when done.
 * @param {{title: string, note?: string | null, more?: Node[], fields: Field[], action: string, danger?: boolean,
 *     submit: () => Promise<unknown>}} options
 * @returns {Promise<boolean>} */
export async function askForm({ title, note = null, more = [], fields, action, danger = false, submit }) {
    const error = el("div", { role: "alert" });
    const go = el("button", { class: danger ? "button is-danger-main" : "button is-main", type: "submit" }, action);
    const cancel = el("button", { class: "button", type: "button" }, t("cancel"));
    const form = el("form", { novalidate: true }, ...fields.map((field) => field.element), error,
        el("div", { class: "ends" }, cancel, go));
    const sheet = openSheet({ title, note, content: [...more, form] });
    cancel.addEventListener("click", () => sheet.close(false));
    leadOn(form);
    // Whoever puts it right does not go on reading of it.
    form.addEventListener("input", () => error.replaceChildren());
    // What it does is read before a password is typed.
    fields[0].input.focus({ preventScroll: more.length > 0 });
    /** @param {boolean} isWorking */
    const work = (isWorking) => {
        go.disabled = isWorking;
        go.textContent = isWorking ? t("working") : action;
        cancel.disabled = isWorking;
        sheet.hold(isWorking);
    };
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        if (go.disabled) return;
        error.replaceChildren();
        const empty = fields.find(({ input }) => input.required && input.value === "");
        if (empty) {
            empty.fail?.(t("error.password-empty"));
            empty.input.focus();
            return;
        }
        work(true);
        try {
            await submit();
            sheet.close(true);
        } catch (problem) {
            const words = problem.words ?? describe(problem);
            const field = fieldOf(fields, problem);
            if (field) field.fail?.(words);
            else error.replaceChildren(wrongText(words));
            (field ?? fields[0]).input.focus();
        } finally {
            work(false);
        }
    });
    return (await sheet.closed) === true;
}

/** The field that a refusal is about; undefined where it is about none of them.
 * @param {Field[]} fields @param {{code?: string, isProof?: boolean}} problem */
function fieldOf(fields, { code = "", isProof = false }) {
    const [fresh, again] = fields.filter(({ isFresh }) => isFresh);
    if (code === "password-mismatch") return again;
    if (/^password-(too|not|taken|empty)/.test(code)) return fresh;
    return isProof ? fields[0] : undefined;
}

/** Closes whatever is open, without an answer: used when the vault is locked. */
export function closeAllSheets() {
    /** @type {NodeListOf<HTMLDialogElement>} */ const dialogs = document.querySelectorAll("dialog[open]");
    for (const dialog of dialogs) dialog.close();
}

// A sheet with a few things that can be done: for what is done too seldom for a button of its own.

/** @typedef {{sign: string, label: string, run: () => unknown}} Choice */

/** `sign` is the icon of each. What is chosen runs once the sheet is gone and the focus is where it was.
 * @param {string} title @param {Choice[]} choices */
export async function chooseAction(title, choices) {
    const list = el("ul", { class: "choice is-plain" }, ...choices.map((choice) => el("li", {},
        el("button", { type: "button", onclick: () => sheet.close(choice) }, icon(choice.sign), el("strong", {}, choice.label)))));
    const sheet = openSheet({ title, content: [list] });
    const chosen = /** @type {Choice | undefined} */ (await sheet.closed);
    chosen?.run();
}

// One short line that something was done, with a way back where there is one.

/** @type {HTMLElement | null} */ let shown = null;
/** @type {ReturnType<typeof setTimeout> | null} */ let timer = null;

/** @param {string} text @param {{action?: string | null, run?: (() => unknown) | null}} options */
export function toast(text, { action = null, run = null } = {}) {
    dismissToast();
    shown = el("div", { class: "toast" }, el("p", {}, text), action
        ? el("button", { class: "link", type: "button", onclick: () => { dismissToast(); run?.(); } }, action) : null);
    lift(shown);
    announce(text);
    // Long enough to read and reach; it never goes while the pointer or the focus is on it (WCAG 2.2.1).
    const leave = () => {
        if (shown?.matches(":hover, :focus-within")) timer = setTimeout(leave, 2000);
        else dismissToast();
    };
    timer = setTimeout(leave, action ? 10_000 : 5000);
}

/** Puts it over everything. What lies outside the dialog that is open, such as a photo that fills the window, is neither
 * seen nor heard of.
 * @param {HTMLElement} note */
function lift(note) {
    /** @type {NodeListOf<HTMLDialogElement>} */ const dialogs = document.querySelectorAll("dialog[open]");
    const dialog = [...dialogs].at(-1);
    if (!dialog) {
        document.getElementById("notes").append(note);
        return;
    }
    const over = el("div", { class: "notes", role: "status" }, note);
    dialog.append(over);
    dialog.addEventListener("close", () => {
        const left = over.firstElementChild;
        over.remove();
        if (left instanceof HTMLElement) lift(left);
    }, { once: true });
}

export function dismissToast() {
    clearTimeout(timer);
    // Keys come to the viewer only while something in it has the focus: from a button that goes the picture takes it over.
    const picture = shown?.contains(document.activeElement)
        && shown.closest("dialog")?.querySelector(/** @type {"figure"} */ ("figure[tabindex]"));
    shown?.remove();
    shown = null;
    if (picture) picture.focus();
}
