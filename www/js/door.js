// The door: one field for every vault, the same whether or not any vault exists.
import * as api from "./api.js";
import { el, icon, setText } from "./dom.js";
import { doorFrame } from "./frame.js";
import { t } from "./i18n.js";
import { passwordField } from "./password-field.js";
import { describe } from "./problems.js";
import { isReadableByOthers } from "./transport.js";

/** Said before a password is typed, not after; with a way to do better, on which a setup code is not lost. */
export function readableNotice(code = "") {
    if (!isReadableByOthers()) return null;
    return el("div", { class: "notice" }, icon("warning"), el("div", {},
        el("p", {}, el("strong", {}, t("readable.title")), " ", t("readable.note")),
        el("a", { class: "link", href: `/connect.html${code ? `#code=${code}` : ""}` }, t("readable.secure"))));
}

/**
 * The open form. `reason` is the title after a lock; `waiting` is how many files wait for the vault; `code` is a setup
 * code that came with the address.
 * `onOpen` gets no argument: the cookie is set. `onForget` drops the waiting files.
 */
export function doorScreen({ reason = null, waiting = 0, code = "", onOpen, onCreate, onForget, onLanguage }) {
    const field = passwordField({ label: t("password") });
    const words = t(waiting > 0 ? "door.openAndGoOn" : "door.open");
    const submit = el("button", { class: "button is-main is-wide", type: "submit" }, words);
    const form = el("form", { novalidate: true }, field.element, submit);
    form.addEventListener("submit", (event) => {
        event.preventDefault();
        if (submit.getAttribute("aria-disabled") !== "true") tryToOpen({ field, submit, words, onOpen });
    });
    const element = doorFrame({
        onLanguage,
        content: [
            el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, reason ?? t("door.title")),
                reason ? null : el("p", { class: "note" }, t("door.note"))),
            waiting > 0 ? waitingNotice(waiting, onForget) : null,
            readableNotice(code),
            form,
            el("div", { class: "door-else" },
                el("button", { class: "button is-wide", type: "button", onclick: onCreate }, t("door.new"))),
        ],
    });
    return { element, title: reason ? t("title.locked") : t("title.door"), focus: field.input };
}

function waitingNotice(count, onForget) {
    const notice = el("div", { class: "notice" }, icon("clock"), el("div", {},
        el("p", {}, el("strong", { class: "figures" }, t("door.waiting", { n: count })), " ", t("door.waitingNote")),
        el("button", { class: "link", type: "button", onclick: () => { notice.remove(); onForget(); } },
            t("door.forget"))));
    return notice;
}

async function tryToOpen({ field, submit, words, onOpen }) {
    const password = field.input.value;
    field.clear();
    if (password === "") {
        field.fail(t("error.password-empty"));
        field.input.focus();
        return;
    }
    submit.setAttribute("aria-disabled", "true");
    setText(submit, t("door.opening"));
    try {
        await api.openVault(password);
        field.input.value = "";
        onOpen();
        return;
    } catch (error) {
        if (!(error instanceof api.Unreachable)) field.input.value = "";
        if (error.status === 429) countDown({ field, submit, words, seconds: error.retryAfter || 1 });
        else {
            field.fail(error.status === 401 ? t("error.wrongPassword") : describe(error));
            setText(submit, words);
            submit.removeAttribute("aria-disabled");
        }
    }
    field.input.focus();
}

/** Says how long to wait: once aloud, every second to the eye. */
export function countDown({ field, submit, words, seconds }) {
    const until = Date.now() + seconds * 1000;
    field.fail(waitWords(seconds));
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

function waitWords(seconds) {
    return seconds < 120 ? t("wait.seconds", { n: seconds }) : t("wait.minutes", { n: Math.ceil(seconds / 60) });
}
