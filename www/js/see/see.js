// The page of a visitor at a window: whoever has its link looks at the photos that somebody shows, also while the vault is
// locked. It has an interface and a cookie of its own, so that whatever is open in the same browser stays as it is.
import * as api from "../base/api.js";
import { keepAwayPage, partsComeFrom } from "../base/browser.js";
import { el, icon, loadIcons } from "../base/dom.js";
import { describe, preferredLanguage, t, use } from "../base/i18n.js";
import { drawTile, partOf } from "../changing/crop-drawing.js";
import { passwordField } from "../elements/dialog.js";
import { doorFrame } from "../elements/pieces.js";
import { watchConnection } from "../start/connection.js";
import { readAddress, Visit, whyNot } from "./seeing.js";
import { Seen } from "./seen.js";

/** Milliseconds between questions whether the window shows other photos, while somebody looks; and on a wall, which shows
 * what is new within five seconds. */
const pause = 5000;
const wallPause = 2000;
/** Milliseconds after which nobody is taken to look any more: nothing is asked, and the host forgets the keys. */
const patience = 600_000;
/** Seconds between two tries to come in where the host asks for patience, at most. */
const mostWait = 60;

/** What of the page's parts a visitor needs is here. */
partsComeFrom(async (name) => (name === "crop" ? { drawTile, partOf } : Promise.reject(new Error(name))));
api.askBelow("/see/api/");
const root = document.getElementById("app");
const address = readAddress(location.hash);
const visit = address && new Visit(address);
/** The photos, while they are seen.
 * @type {Seen | null} */
let seen = null;
/** @type {Promise<void> | null} */ let entering = null;
let lastTouch = Date.now();
/** What the screen says where there are no photos, to be said in another language.
 * @type {() => void} */
let saying = () => {};

/** @param {string} chosen @param {boolean} [store] */
const speak = (chosen, store = false) => use(chosen, { store, set: ["see/", "photos/"] });

async function start() {
    // The words are fetched meanwhile.
    const coming = visit?.enter();
    coming?.catch(() => {});
    await speak(preferredLanguage());
    watchConnection();
    keepAwayPage();
    loadIcons();
    // Another link was opened, and this tab got its address.
    window.addEventListener("hashchange", () => location.reload());
    if (!visit) {
        say("closed", "no-code");
        return;
    }
    api.onSessionEnd(comeBack);
    for (const name of ["pointerdown", "keydown", "wheel", "touchmove"]) window.addEventListener(name, touch, { passive: true });
    document.addEventListener("visibilitychange", touch);
    await comeIn(coming);
    watch();
}

/** Comes in, once at a time, and goes on by itself where the host answers later.
 * @param {Promise<unknown>} [coming] what was begun already */
function comeIn(coming) {
    entering ??= insist(coming).finally(() => { entering = null; });
    return entering;
}

/** @param {Promise<unknown>} [coming] */
async function insist(coming = visit?.enter()) {
    for (let trying = coming; ; trying = visit?.enter()) {
        try {
            await trying;
            await show();
            return;
        } catch (error) {
            const why = whyNot(error);
            if (why === "password") {
                askPassword();
                return;
            }
            if (why === "closed") {
                close(error.code);
                return;
            }
            // What is shown stays while the host is away for a moment.
            if (!seen) say(why, "", describe(error));
            await ready(error);
        }
    }
}

/** When another try makes sense.
 * @param {any} error */
async function ready(error) {
    if (error instanceof api.Unreachable) {
        api.noteReachability(false);
        await api.whenReachable();
    } else {
        await new Promise((resolve) => { setTimeout(resolve, Math.min(Math.max(error.retryAfter ?? 0, 2), mostWait) * 1000); });
    }
}

/** Somebody is there. */
function touch() {
    lastTouch = Date.now();
    if (document.visibilityState === "visible" && seen && visit && !visit.isIn) comeIn();
}

/** The visit is over: whoever has looked in the last minutes comes in again, or hears why not, and so does a screen that shows
 * photos by itself; from all others the host hears at their next touch. */
function comeBack() {
    if (!visit || entering) return;
    visit.isIn = false;
    const isUsed = visit.mode !== null || Date.now() - lastTouch < patience;
    if (seen && isUsed && document.visibilityState === "visible") comeIn();
}

// ---- what is seen

async function show() {
    if (!visit?.see) return;
    if (seen) {
        await seen.renew({ isAnew: true });
        return;
    }
    seen = new Seen(visit, { onLanguage: changeLanguage, whenIn: () => entering ?? (visit.isIn ? null : comeIn()) });
    root.replaceChildren(seen.element);
    await seen.begin();
}

/** Nothing that was seen stays. `isForm`: there is something to type.
 * @param {boolean} isForm @param {...Node} content */
function draw(isForm, ...content) {
    seen?.dispose();
    seen = null;
    root.replaceChildren(doorFrame({ content, isForm, onLanguage: changeLanguage }));
    /** @type {HTMLElement | null} */ (root.querySelector("h1"))?.focus();
}

/** Why there is nothing to see; a code says it more exactly than a kind.
 * @param {"closed" | "away" | "later" | "broken"} kind @param {string} code @param {string} [words] */
function say(kind, code, words = "") {
    saying = () => say(kind, code, words);
    const text = kind === "closed" ? t(`see.closed.${code}`) : kind === "away" ? t("see.away") : words;
    const title = kind === "away" ? t("offline.title") : address?.name || t("see.title");
    document.title = `${title} · Safelight`;
    draw(false, el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, title)),
        el("div", { class: "notice", role: "alert" }, icon(kind === "closed" ? "info" : "warning"), el("p", {}, text)));
}

/** Nobody is let in now. A screen that shows photos by itself looks again whether the window was opened once more.
 * @param {string} code */
function close(code) {
    if (visit) visit.isIn = false;
    say("closed", code);
    if (visit?.mode && code === "window-shut") setTimeout(() => comeIn(), mostWait * 1000);
}

function askPassword() {
    saying = askPassword;
    const title = address?.name || t("see.title");
    document.title = `${title} · Safelight`;
    const field = passwordField({ label: t("password") });
    field.input.autocomplete = "off";
    const go = el("button", { class: "button is-main is-wide", type: "submit" }, t("see.open"));
    draw(true, el("div", { class: "door-head" }, el("h1", { tabindex: "-1" }, title), el("p", { class: "note" }, t("see.passwordNote"))),
        el("form", { novalidate: true, onsubmit: (event) => {
            event.preventDefault();
            tryPassword(field, go);
        } }, field.element, go));
    field.input.focus();
}

/** @param {PasswordField} field @param {HTMLButtonElement} go */
async function tryPassword(field, go) {
    if (go.disabled || !visit) return;
    if (field.input.value === "") {
        field.fail(t("error.password-empty"));
        field.input.focus();
        return;
    }
    go.disabled = true;
    try {
        await visit.enter(field.input.value);
        await show();
    } catch (error) {
        const why = whyNot(error);
        if (why === "closed") close(error.code);
        else field.fail(why === "password" ? t("see.passwordWrong") : describe(error));
        field.input.focus();
    } finally {
        go.disabled = false;
    }
}

/** @param {string} chosen */
async function changeLanguage(chosen) {
    await speak(chosen, true);
    if (!seen || !visit?.see) {
        saying();
        return;
    }
    seen.dispose();
    seen = null;
    await show();
}

// ---- what changes

/** Asks while somebody looks, and at all times on a screen that shows photos by itself. */
function watch() {
    setTimeout(async () => {
        const isLookedAt = visit?.mode !== null || Date.now() - lastTouch < patience;
        if (visit?.isIn && seen && isLookedAt && document.visibilityState === "visible") {
            try {
                if (await visit.ask() && visit.isIn) await seen?.renew();
            } catch (error) {
                if (whyNot(error) === "closed") close(error.code);
            }
        }
        watch();
    }, visit?.mode === "wall" ? wallPause : pause);
}

start();
