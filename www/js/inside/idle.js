// Locks the page when the host will have locked the vault: no photo stays on the screen of somebody who went away.
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { onTabs, tellTabs } from "../base/tabs.js";

const keepAlive = 60_000;
/** Seconds before the lock in which it is counted down. */
const warned = 60;

/**
 * Calls `onIdle` after `seconds` without a request. A person at work, here or in another tab, and an upload that moves
 * (`isBusy()`) keep the session alive. Returns a function that stops the watch.
 * @param {number} seconds
 * @param {{isBusy: () => boolean, onIdle: () => void}} options
 * @returns {() => void}
 */
export function watchIdle(seconds, { isBusy, onIdle }) {
    const listeners = new AbortController();
    const { signal } = listeners;
    const countdown = new Countdown(() => stay());
    const stay = () => {
        api.noteUse();
        countdown.hide();
        tellTabs("used");
        keepOpen();
    };
    // What the host has left right after a use is what it will grant after the next one.
    const keepOpen = async () => {
        try {
            seconds = (await api.stayOpen()).idleSeconds ?? seconds;
        } catch {
            // Without an answer the time that is known goes on; a session that is over has led to the door.
        }
    };
    const active = () => {
        if (api.sinceLastUse() >= Math.min(keepAlive, seconds * 250)) stay();
    };
    const check = () => {
        if (isBusy()) active();
        const left = Math.ceil(seconds - api.sinceLastUse() / 1000);
        if (left <= 0) onIdle();
        else if (left <= Math.min(warned, seconds - 1)) countdown.show(left);
        else countdown.hide();
    };
    const timer = setInterval(check, 1000);
    for (const name of ["pointerdown", "keydown", "scroll", "wheel"]) {
        window.addEventListener(name, active, { passive: true, signal });
    }
    // A tab in the background is woken seldom: what it shows first must not be a photo that should be gone.
    document.addEventListener("visibilitychange", check, { signal });
    onTabs("used", () => api.noteUse(), { signal });
    // The page may have been loaded long after the last use, which `seconds` then still counts from.
    keepOpen();
    return () => {
        clearInterval(timer);
        listeners.abort();
        countdown.hide();
    };
}

/** The last minute, for the eye; to the ear once. */
class Countdown {
    /** @type {HTMLElement} */
    words;

    /** @param {() => void} onStay */
    constructor(onStay) {
        this.onStay = onStay;
        /** @type {HTMLElement | null} */
        this.element = null;
    }

    /** @param {number} left */
    show(left) {
        if (!this.element) {
            this.words = el("p");
            this.element = el("aside", { class: "toast is-idle" }, icon("clock", "is-small"), this.words,
                el("button", { class: "link", type: "button", onclick: () => this.onStay() }, t("idle.stay")));
            document.getElementById("notes").append(this.element);
            announce(t("idle.soon", { n: left }));
        }
        setText(this.words, t("idle.soon", { n: left }));
    }

    hide() {
        this.element?.remove();
        this.element = null;
    }
}
