// Opening or creating a vault in place, over a guest's photos, with the reason why.
import { announce, el, icon, keepText, setText } from "../base/dom.js";
import { day, describe, t } from "../base/i18n.js";
import { clearButton, compare, leadOn, openSheet, passwordField, tick, wrongText } from "../elements/dialog.js";
import { countDown, openForm, readableNotice, Wishes } from "./door.js";
import { deviceButton } from "./passkey.js";
import * as api from "../base/api.js";
import { part } from "../base/parts.js";
import { doorFrame } from "../elements/pieces.js";

// Making a vault: the password twice, the setup code where the host asks for it, and a plain warning.

// How strong a new password is, under its field: three strokes and a word. The host decides; this says it while one types.

const leastLength = 10;
/** What takes fewer guesses than 2 to the power of the first is too common for the host; from the second on it is strong. */
const [leastBits, strongBits] = [38, 56];
/** A character may be a word, and counts as two. */
const wide = /[\u3400-\u9fff\uac00-\ud7a3\u{20000}-\u{3ffff}]/u;
/** What knows common passwords; it comes when somebody chooses one.
 * @type {((password: string) => number) | null} */
let estimate = null;
/** @type {Promise<void> | null} */ let coming = null;

function prepare() {
    coming ??= part("newPassword").then(({ loadEstimate }) => loadEstimate()).then((loaded) => { estimate = loaded; });
    // Without it the host says what the page does not; the next character asks for it again.
    return coming.catch(() => { coming = null; });
}

/** What the host would say against a new password, as a problem's code; null also where that is not known here.
 * @param {string} password @param {((password: string) => number) | null} [bits]
 * @returns {"password-too-short" | "password-too-common" | null} */
export function weakness(password, bits = estimate) {
    const length = [...password.normalize("NFC")].reduce((sum, one) => sum + (wide.test(one) ? 2 : 1), 0);
    if (length < leastLength) return "password-too-short";
    return bits && bits(password) < leastBits ? "password-too-common" : null;
}

/** The word, and how many strokes.
 * @param {string} password @returns {[string, number]} */
function rate(password) {
    const weak = weakness(password);
    if (weak) return weak === "password-too-short" ? ["strength.short", 1] : ["strength.easy", 1];
    const bits = estimate?.(password) ?? 0;
    return bits < strongBits ? ["strength.fair", 2] : ["strength.strong", 3];
}

/** @param {HTMLInputElement} input @returns {HTMLElement} */
export function strengthMeter(input) {
    const strokes = [el("i"), el("i"), el("i")];
    const word = el("span");
    const element = el("div", { class: "strength", hidden: true }, ...strokes, word);
    const draw = () => {
        const isKnown = input.value !== "" && (estimate !== null || weakness(input.value) !== null);
        element.hidden = !isKnown;
        if (!isKnown) return;
        const [rating, count] = rate(input.value);
        strokes.forEach((stroke, index) => stroke.classList.toggle("is-on", index < count));
        word.textContent = t(rating);
    };
    input.addEventListener("focus", () => prepare().then(draw));
    input.addEventListener("input", () => {
        draw();
        if (!estimate) prepare().then(draw);
    });
    return element;
}

// A code that opens the vault, shown once: to be printed, written down, copied or saved before the sheet is closed.

/** Resolves once the person says that they have it; `leadsOn` where photos are chosen then. `words`: where those stand that
 * say what it is.
 * @param {string} code
 * @param {{leadsOn?: boolean, words?: "code" | "appCode", picture?: string}} options `picture`: SVG of the same, to be scanned */
export async function showRecoveryCode(code, { leadsOn = false, words = "code", picture } = {}) {
    const done = el("button", { class: "button is-main is-wide", type: "button" }, t(leadsOn ? "code.doneAdd" : "code.done"));
    const line = `${location.host} · ${day(new Date())}`;
    // Somebody who copies it by hand takes one group after the other.
    const groups = code.split("-").map((group, at, all) => el("span", {}, group, at < all.length - 1 ? el("i", {}, "-") : ""));
    const shown = picture && URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
    let forget = () => {};
    const sheet = openSheet({
        title: t(`${words}.title`), note: t(`${words}.note`), closable: false, content: [
            el("p", { class: "print-only" }, t(`${words}.whose`)),
            el("p", { class: "recovery-code", lang: "en", translate: "no" }, ...groups),
            ...(shown ? [el("img", { class: "qr", width: 220, height: 220, src: shown, alt: t("appCode.picture") })] : []),
            el("p", { class: "print-only" }, t(`${words}.use`)), el("p", { class: "small print-only" }, line),
            el("div", { class: "code-ways" },
                way("code.print", () => window.print()),
                // The clipboard exists in secure contexts alone.
                navigator.clipboard ? copyWay(code) : null,
                way("code.save", () => {
                    forget();
                    forget = keepText(`${t(`${words}.title`)}\n\n${code}\n\n${line}\n`, "text/plain", t(`${words}.file`));
                })),
            done,
        ],
    });
    sheet.dialog.classList.add("is-paper");
    // Escape would take away what is shown once.
    sheet.hold(true);
    done.addEventListener("click", () => sheet.close());
    await sheet.closed;
    if (shown) URL.revokeObjectURL(shown);
    forget();
}

/** @param {string} key @param {() => void} run */
function way(key, run) {
    return el("button", { class: "button", type: "button", "data-first": key === "code.print", onclick: run }, t(key));
}

/** @param {string} code */
function copyWay(code) {
    const button = way("code.copy", () => navigator.clipboard.writeText(code).then(() => {
        setText(button, t("code.copied"));
        announce(t("code.copied"));
    }, () => getSelection()?.selectAllChildren(/** @type {Node} */ (document.querySelector(".recovery-code")))));
    return button;
}

/** @typedef {object} NewVaultOptions
 * @property {Hello} hello
 * @property {string} [code]
 * @property {Guest | null} [guest]
 * @property {boolean} [isCovered]
 * @property {boolean} [leadsOn] on a phone, photos are chosen next
 * @property {(fields: OpeningFields) => Promise<Opened>} create
 * @property {(answer: Opened) => void} onCreated
 * @property {() => void} onBack */

/** @typedef {{element: HTMLElement, first: PasswordField, second: PasswordField,
 *     setup: ReturnType<typeof setupCodeField> | null, wishes: Wishes, recovery: ReturnType<typeof tick>,
 *     ticked: HTMLInputElement, tickWrong: HTMLElement, submit: HTMLButtonElement, isCovered: boolean, leadsOn: boolean,
 *     create: (fields: OpeningFields) => Promise<Opened>, onCreated: (answer: Opened) => void}} FormParts */

/** The form alone. `create(fields)` asks the host and gives its answer, which `onCreated` gets; `code` is a setup code
 * that came with the address, `guest` is `{photos, until}` or null. `isCovered` is as in the form that opens.
 * @param {NewVaultOptions} options */
function newVaultForm({ hello, code = "", guest = null, isCovered = false, leadsOn = false, create, onCreated, onBack }) {
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
    const element = el("form", { novalidate: true }, setup?.element, first.element, second.element,
        el("div", {}, wishes.element, recovery.element, understood), submit,
        el("button", { class: "link is-back", type: "button", onclick: onBack }, icon("left", "is-small"), t("back")));
    const parts = { element, first, second, setup, wishes, recovery, ticked, tickWrong, submit, isCovered, leadsOn, create, onCreated };
    leadOn(element);
    // Whoever ticks either of them has put it right.
    for (const { input } of [recovery, { input: ticked }]) input.addEventListener("change", () => tickWrong.replaceChildren());
    element.addEventListener("submit", (event) => {
        event.preventDefault();
        if (submit.getAttribute("aria-disabled") !== "true" && isComplete(parts)) tryToCreate(parts);
    });
    return { element, input: setup && code === "" ? setup.input : first.input, wishes };
}

/** The form as a screen of its own.
 * @param {NewVaultOptions & {onLanguage: (code: string) => void}} options @returns {OutsideScreen} */
export function newVaultScreen({ code = "", onLanguage, ...options }) {
    const form = newVaultForm({ code, ...options });
    const element = doorFrame({
        long: true, isForm: true, onLanguage, code, leadsOn: true,
        content: [
            el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, t("new.title")),
                el("p", { class: "note" }, t("new.note"))),
            readableNotice(code), form.element,
        ],
    });
    return { element, title: t("new.title"), focus: form.input, setGuest: (info) => form.wishes.setGuest(info) };
}

/** As the host prints it. What is no code is not sent: it would count as a guess.
 * @param {string} text */
const isSetupCode = (text) => /^[0-9A-Z]{4}[\s-]?[0-9A-Z]{4}$/i.test(text.trim());

/** One that came with the address need not be seen, as long as the host takes it.
 * @param {string} code */
function setupCodeField(code) {
    const input = el("input", {
        id: "setup-code", value: code, required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: "false",
        maxlength: "9", "aria-describedby": "setup-code-hint setup-code-wrong",
    });
    const wrong = el("div", { id: "setup-code-wrong", role: "alert" });
    const element = el("div", { class: "field", hidden: isSetupCode(code) }, el("label", { for: "setup-code" }, t("new.code")),
        el("div", { class: "box" }, input, clearButton(input)),
        el("p", { class: "small", id: "setup-code-hint" }, t("new.codeHint")), wrong);
    const clear = () => {
        element.classList.remove("is-wrong");
        input.removeAttribute("aria-invalid");
        wrong.replaceChildren();
    };
    /** @param {string} text */
    const fail = (text) => {
        element.hidden = false;
        element.classList.add("is-wrong");
        input.setAttribute("aria-invalid", "true");
        wrong.replaceChildren(wrongText(text));
    };
    input.addEventListener("input", clear);
    input.addEventListener("blur", () => { if (input.value !== "" && !isSetupCode(input.value)) fail(t("error.setup-code-form")); });
    return { element, input, clear, fail };
}

/** Says the first thing that is missing, beside it, and puts the focus there.
 * @param {FormParts} parts @returns {boolean} */
function isComplete({ first, second, setup, recovery, ticked, tickWrong }) {
    for (const field of [first, second, setup]) field?.clear();
    tickWrong.replaceChildren();
    const typed = setup?.input.value.trim() ?? "";
    /** @param {{input: HTMLInputElement, fail: (text: string, isRight?: () => boolean) => void}} field
     * @param {string} key @param {() => boolean} [isRight] */
    const refuse = (field, key, isRight) => {
        field.fail(t(key), isRight);
        field.input.focus();
        return false;
    };
    if (setup && !isSetupCode(typed)) return refuse(setup, typed === "" ? "error.setup-code-missing" : "error.setup-code-form");
    if (first.input.value === "") return refuse(first, "error.password-empty");
    const weak = weakness(first.input.value);
    if (weak) return refuse(first, `error.${weak}`, () => !weakness(first.input.value));
    if (second.input.value !== first.input.value) {
        return refuse(second, "error.password-mismatch", () => second.input.value === first.input.value);
    }
    if (ticked.checked || recovery.input.checked) return true;
    tickWrong.replaceChildren(wrongText(t("new.tickFirst")));
    ticked.focus();
    return false;
}

/** @param {FormParts} parts */
async function tryToCreate(parts) {
    const { first, second, setup, wishes, recovery, submit, leadsOn, onCreated } = parts;
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
        answer.leadsOn = leadsOn && matchMedia("(pointer: coarse)").matches;
        await showRecoveryCode(answer.recoveryCode, { leadsOn: answer.leadsOn });
    }
    onCreated(answer);
}

/** @param {FormParts} parts @param {any} error */
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

// The two fields where somebody with a vault chooses another password.

/** `{fields, typed()}`; `typed` gives `{password, confirmation}`, or throws what the host would say. */
export function newPasswordFields() {
    const fresh = passwordField({ label: t("set.new"), fresh: true, meter: strengthMeter, hint: t("new.hint") });
    const again = passwordField({ label: t("new.again"), fresh: true });
    compare(fresh, again);
    const typed = () => {
        const [password, confirmation] = [fresh.input.value, again.input.value];
        const code = password === confirmation ? password && weakness(password) : "password-mismatch";
        if (code) throw new api.Problem({ status: 400, code });
        return { password, confirmation };
    };
    return { fields: [fresh, again], typed };
}

// Opening or making a vault over what is seen.

/** `title` is the reason. `open(fields)` and `create(fields)` ask the host and give its answer. Resolves to
 * `{answer, isNew}`, also when the dialog is closed from outside while the host is asked; to null when it is dismissed:
 * nothing has changed then.
 * @param {{title: string, guest: Guest | null, hello: Hello, code: string,
 *     open: (fields: OpeningFields) => Promise<Opened>, create: (fields: OpeningFields) => Promise<Opened>}} options
 * @returns {Promise<{answer: Opened, isNew: boolean} | null>} */
export async function askForVault({ title, guest, hello, code, open, create }) {
    const place = el("div", { class: "unlock-form" });
    const note = el("p", { class: "note", id: "unlock-note" });
    const sheet = openSheet({ title, content: [note, place], ownsBack: true });
    /** What becomes of the last request, also where nothing is left of the dialog by then.
     * @type {Promise<any> | null} */
    let asked = null;
    /** @type {(value: any) => void} */ let tell = () => {};
    /** @param {any} value */
    const finish = (value) => {
        tell(value);
        if (value) sheet.close(value);
    };
    // What comes of it, such as a new vault's recovery code, must not miss the page.
    /** @param {(fields: OpeningFields) => Promise<Opened>} work @returns {(fields: OpeningFields) => Promise<Opened>} */
    const held = (work) => async (fields) => {
        sheet.hold(true);
        asked = new Promise((resolve) => { tell = resolve; });
        try {
            return await work(fields);
        } catch (error) {
            finish(null);
            sheet.hold(false);
            throw error;
        }
    };
    sheet.dialog.classList.add("is-unlock");
    sheet.dialog.setAttribute("aria-describedby", note.id);
    /** @param {{element: HTMLElement, input: HTMLInputElement}} form @param {string} words @param {...Node} others */
    const show = (form, words, ...others) => {
        note.textContent = words;
        place.replaceChildren(form.element, ...others);
        sheet.dialog.scrollTop = 0;
        form.input.focus();
    };
    /** @param {Opened} answer */
    const onOpened = (answer) => finish({ answer, isNew: false });
    const showOpen = () => {
        const form = openForm({
            guest, isCovered: true, open: held(open), onOpened,
            beside: el("button", { class: "button", type: "button", onclick: showCreate }, t("door.new")),
        });
        show(form, t("unlock.note"), deviceButton({
            open: held((fields) => open({ ...fields, ...form.wishes.fields() })), onOpened,
        }).element);
    };
    const showCreate = () => show(newVaultForm({
        hello, code, guest, isCovered: true, create: held(create), onBack: showOpen,
        onCreated: (answer) => finish({ answer, isNew: true }),
    }), t("new.note"));
    showOpen();
    return await sheet.closed ?? await asked;
}
