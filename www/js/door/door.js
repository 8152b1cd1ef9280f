// The door: one field for every vault, the same whether or not any vault exists. A browser that had a vault open sees
// the screen for coming back, any other the one for a first visit; the form is the same.
import * as api from "../base/api.js";
import { isReadableByOthers } from "../base/browser.js";
import { el, icon, setText } from "../base/dom.js";
import { describe, lastDayBefore, t, waitWords } from "../base/i18n.js";
import { passwordField, tick, wrongText } from "../elements/dialog.js";
import { doorFrame } from "../elements/pieces.js";
import { deviceButton } from "./passkey.js";

// The one form that opens a vault: at the door, on the screen after a lock, and in place over a guest's photos.

// What may go with opening or creating a vault: that it stays open on this device, and that a guest's photos move in.

/** `guest` is `{photos, until}` or null. `fields()` gives what the host wants to know of it. */
export class Wishes {
    /** @param {Guest | null} guest */
    constructor(guest) {
        this.keep = tick(t("keep.label"), t("keep.note"), false);
        this.element = el("div", { class: "wishes" });
        this.setGuest(guest);
    }

    /** The number may be known a moment later; a box that was unticked stays so.
     * @param {Guest | null} guest */
    setGuest(guest) {
        const wanted = this.move?.input.checked ?? true;
        /** @type {ReturnType<typeof tick> | null} */
        this.move = guest && guest.photos > 0
            ? tick(t("move.label", { n: guest.photos }), t("move.note", { day: lastDayBefore(guest.until) }), wanted)
            : null;
        this.element.replaceChildren(...[...(this.move ? [this.move] : []), this.keep].map(({ element }) => element));
    }

    /** @returns {{keep: boolean, migrate?: boolean}} */
    fields() {
        return { keep: this.keep.input.checked, ...(this.move ? { migrate: this.move.input.checked } : {}) };
    }
}

/** @typedef {{words?: string, guest?: Guest | null, beside?: HTMLElement | null, isCovered?: boolean,
 *     open: (fields: OpeningFields) => Promise<Opened>, onOpened: (answer: Opened) => void}} OpenFormOptions */

/** `open(fields)` asks the host and gives its answer, which `onOpened` gets. `beside` is a button next to the main one.
 * `isCovered`: the banner about the connection cannot be seen, so the form says itself that the host is away.
 * @param {OpenFormOptions} options */
export function openForm({ words = t("door.open"), guest = null, beside = null, isCovered = false, open, onOpened }) {
    const field = passwordField({ label: t("password") });
    const wishes = new Wishes(guest);
    const submit = el("button", { class: "button is-main is-wide", type: "submit" }, words);
    const element = el("form", { novalidate: true, class: "open-form" }, field.element, wishes.element,
        beside ? el("div", { class: "ends" }, beside, submit) : submit);
    const parts = { field, wishes, submit, words, isCovered, open, onOpened };
    element.addEventListener("submit", (event) => {
        event.preventDefault();
        if (submit.getAttribute("aria-disabled") !== "true") tryToOpen(parts);
    });
    return { element, input: field.input, submit, wishes };
}

/** @param {{field: PasswordField, wishes: Wishes, submit: HTMLButtonElement, words: string, isCovered: boolean,
 *     open: (fields: OpeningFields) => Promise<Opened>, onOpened: (answer: Opened) => void}} parts */
async function tryToOpen({ field, wishes, submit, words, isCovered, open, onOpened }) {
    const password = field.input.value;
    field.clear();
    if (password === "") {
        field.fail(t("error.password-empty"));
        field.input.focus();
        return;
    }
    submit.setAttribute("aria-disabled", "true");
    setText(submit, t("door.opening"));
    let answer;
    try {
        answer = await open({ password, ...wishes.fields() });
    } catch (error) {
        const isAway = error instanceof api.Unreachable;
        if (!isAway) field.input.value = "";
        if (error.status === 429) countDown({ field, submit, words, seconds: error.retryAfter || 1 });
        else {
            if (!isAway || isCovered) field.fail(error.status === 401 ? refusal(password) : describe(error));
            setText(submit, words);
            submit.removeAttribute("aria-disabled");
        }
        field.input.focus();
        return;
    }
    field.input.value = "";
    onOpened(answer);
}

/** Seven groups of four are a recovery code, in which a slip of the pen is likelier than Caps Lock.
 * @param {string} password */
function refusal(password) {
    const isCode = /^[0-9A-Z]{28}$/i.test(password.replace(/[\s-]/g, ""));
    return t(isCode ? "error.recovery-code-invalid" : "error.wrongPassword");
}

/** Says how long to wait: once aloud, every second to the eye.
 * @param {{field: PasswordField, submit: HTMLButtonElement, words: string, seconds: number}} parts */
export function countDown({ field, submit, words, seconds }) {
    const until = Date.now() + seconds * 1000;
    field.fail(t("wait.many"), () => false, waitWords(seconds));
    setText(submit, waitWords(seconds));
    submit.setAttribute("aria-disabled", "true");
    const timer = setInterval(() => {
        const left = Math.ceil((until - Date.now()) / 1000);
        if (left > 0 && submit.isConnected) {
            setText(submit, waitWords(left));
            return;
        }
        clearInterval(timer);
        field.clear();
        setText(submit, words);
        submit.removeAttribute("aria-disabled");
    }, 1000);
}

/** @typedef {{reason?: string | null, refusal?: Refusal | null, isKnown?: boolean, waiting?: number, isChosen?: boolean,
 *     code?: string, guest?: Guest | null, guests: boolean, upgrade?: HTMLElement | null, isByDevice?: boolean,
 *     isOffered?: boolean, open: (fields: OpeningFields) => Promise<Opened>, onOpened: (answer: Opened) => void,
 *     onCreate: () => unknown, onStart: () => unknown, onForget: () => void,
 *     onLanguage: (code: string) => void}} DoorOptions */

/** @typedef {{note: string, again: (() => Promise<void>) | null}} Refusal */

/** Said before a password is typed, not after; with a way to do better, on which a setup code is not lost.
 * @param {string} [code] @returns {HTMLElement | null} */
export function readableNotice(code = "") {
    if (!isReadableByOthers()) return null;
    return el("div", { class: "notice" }, icon("warning"), el("div", {},
        el("p", {}, el("strong", {}, t("readable.title")), t("space"), t("readable.note")),
        el("a", { class: "link", href: `/connect.html${code ? `#code=${code}` : ""}` }, t("readable.secure"))));
}

/** `reason` is the title after a lock; `refusal` is `{note, again}` when the host could not end the session, or null:
 * `again()` asks once more and may throw; without it nothing can be done here. `isKnown`: this browser had a vault open;
 * `waiting` is how many files wait for the vault, `isChosen` where they may go into any; `code` is a setup code that came with
 * the address; `guest` is `{photos, until}` or null.
 * `upgrade` is a card, or null. `isByDevice`: a passkey opened last here, so that comes first; `isOffered`: the browser may
 * offer it by itself.
 * `open(fields)` and `onOpened(answer)` are those of the form; `onForget` drops the waiting files; `onStart` begins
 * without a password, `onCreate` shows the form for a new vault; both may throw.
 * @param {DoorOptions} options @returns {OutsideScreen} */
export function doorScreen(options) {
    const { reason = null, refusal = null, isKnown = false, waiting = 0, isChosen = false, code = "", guest = null,
        upgrade = null, isByDevice = false, isOffered = false, onForget, onLanguage } = options;
    const words = t(waiting > 0 && !isChosen ? "door.openAndGoOn" : "door.open");
    const form = openForm({ words, guest, open: options.open, onOpened: options.onOpened });
    // Whoever is in this browser for the first time, or came with a setup code, is there to make a vault.
    const isNew = !reason && (code !== "" || !isKnown);
    const device = deviceButton({
        open: (fields) => options.open({ ...fields, ...form.wishes.fields() }), onOpened: options.onOpened,
        onReady: (button) => { if (isByDevice && !isNew) leadWith(button, form, device.element); },
    });
    if (isByDevice && isOffered) device.offer();
    const others = el("div", { class: "door-else" });
    const create = createButton(options.onCreate);
    /** @param {Guest | null} info */
    const drawOthers = (info) => others.replaceChildren(...(isNew ? [] : [create.element]),
        ...guestWay({ ...options, guest: info }));
    drawOthers(guest);
    const kind = isNew ? "setup" : "again";
    const head = el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, reason ?? t(`door.${kind}`)),
        reason ? null : el("p", { class: "note" }, t(`door.${kind}Note`)));
    if (isNew) {
        create.button.classList.add("is-main");
        form.submit.classList.remove("is-main");
    }
    const news = el("div", {}, upgrade);
    const files = el("div");
    const chooser = el("button", { class: "link is-wide", type: "button", hidden: true }, t("door.choose"));
    /** @param {number} count @param {boolean} mayGoAnywhere */
    const drawWaiting = (count, mayGoAnywhere) => files.replaceChildren(
        ...(count > 0 ? [waitingNotice(count, mayGoAnywhere, onForget)] : []));
    drawWaiting(waiting, isChosen);
    const element = doorFrame({
        onLanguage, code, leadsOn: true,
        content: [head, refusal ? refusalNotice(refusal) : null,
            files, readableNotice(code), ...(isNew ? [create.element, el("p", { class: "note door-or" }, t("door.orOpen"))] : []),
            form.element, device.element, others, chooser, news],
    });
    // A newcomer on a phone first wants to read: the keyboard would cover what else can be done.
    const isTyping = reason || isKnown || !matchMedia("(pointer: coarse)").matches;
    return {
        element, title: reason ? t("title.locked") : t("title.door"),
        focus: !isTyping ? /** @type {HTMLElement} */ (head.firstChild) : isNew ? create.button : form.input,
        dispose: () => device.end(),
        setWaiting: drawWaiting,
        setChooser(choose) {
            chooser.addEventListener("click", choose);
            chooser.hidden = false;
        },
        setUpgrade(card) { news.replaceChildren(...(card ? [card] : [])); },
        setGuest(info) {
            form.wishes.setGuest(info);
            drawOthers(info);
        },
    };
}

/** The device comes first, unless somebody has begun to type.
 * @param {HTMLButtonElement} button @param {{submit: HTMLElement, element: HTMLElement, input: HTMLInputElement}} form
 * @param {HTMLElement} element */
function leadWith(button, form, element) {
    button.classList.add("is-main");
    form.submit.classList.remove("is-main");
    form.element.before(element);
    if (document.activeElement === form.input && form.input.value === "") button.focus();
}

/** @param {() => unknown} work @param {HTMLElement} wrong */
function attempt(work, wrong) {
    return async () => {
        wrong.replaceChildren();
        try {
            await work();
        } catch (error) {
            wrong.replaceChildren(wrongText(describe(error)));
        }
    };
}

/** @param {() => unknown} onCreate */
function createButton(onCreate) {
    const wrong = el("div", { role: "alert" });
    const button = el("button", { class: "button is-wide", type: "button", onclick: attempt(onCreate, wrong) }, t("door.new"));
    return { button, element: el("div", { class: "door-new" }, button, wrong) };
}

/** No vault at all, where that is allowed here.
 * @param {{guest?: Guest | null, guests: boolean, onStart: () => unknown}} options */
function guestWay({ guest, guests, onStart }) {
    if (!guests && !guest) return [];
    const wrong = el("div", { role: "alert" });
    const start = el("button", { class: "link is-wide", type: "button", onclick: attempt(onStart, wrong) },
        t(guest ? "door.goOn" : "door.start"));
    const note = guest ? t("door.goOnNote", { n: guest.photos, day: lastDayBefore(guest.until) }) : t("door.startNote");
    return [start, el("p", { class: "small" }, note), wrong];
}

/** @param {Refusal} refusal */
function refusalNotice({ note, again }) {
    const wrong = el("div", { role: "alert" });
    const button = el("button", { class: "link", type: "button", onclick: async () => {
        wrong.replaceChildren();
        button.disabled = true;
        try {
            await again?.();
        } catch (error) {
            wrong.replaceChildren(wrongText(describe(error)));
        } finally {
            button.disabled = false;
        }
    } }, t("locked.again"));
    return el("div", { class: "notice", role: "alert" }, icon("warning"),
        el("div", {}, el("p", {}, note), again ? button : null, wrong));
}

/** @param {number} count @param {boolean} isChosen @param {() => void} onForget */
function waitingNotice(count, isChosen, onForget) {
    const notice = el("div", { class: "notice" }, icon("clock"), el("div", {},
        el("p", {}, el("strong", { class: "figures" }, t("door.waiting", { n: count })), t("space"),
            t(isChosen ? "door.chosenNote" : "door.waitingNote")),
        el("button", { class: "link", type: "button", onclick: () => { notice.remove(); onForget(); } },
            t("door.forget"))));
    return notice;
}
