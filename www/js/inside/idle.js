// Locks the page when the host will have locked the vault: no photo stays on the screen of somebody who went away.
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { onTabs, preference, tellTabs } from "../base/browser.js";

const keepAlive = 60_000;
/** Seconds before the lock in which it is counted down. */
const warned = 60;

/** Calls `onIdle` after `seconds` without a request. A person at work, here or in another tab, and an upload that moves
 * (`isBusy()`) keep the session alive. Returns a function that stops the watch.
 * @param {number} seconds @param {{isBusy: () => boolean, onIdle: () => void}} options @returns {() => void} */
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
    /** @type {HTMLElement} */ words;

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

// What becomes of the photos on the screen when somebody leaves the page: they are veiled, and perhaps locked.

/** `stay`, `minute` or `once`, as the settings say. */
const chosenWhenLeft = () => preference("left", "stay");

const minute = 60_000;
/** Milliseconds for another tab of this browser, to which somebody goes, to say that it is looked at. */
const patience = 400;

/** Veils the page while it is hidden, so that the switcher of a phone shows no photo. `isVault`: it can be locked;
 * `isBusy()`: files are sent or wait, which a lock would keep from going on; `onLock()` locks. */
export class WhenLeft {
    /** @param {{signal: AbortSignal, isVault: boolean, isBusy: () => boolean, onLock: () => void}} options */
    constructor({ signal, isVault, isBusy, onLock }) {
        this.isVault = isVault;
        this.isBusy = isBusy;
        this.onLock = onLock;
        this.id = crypto.getRandomValues(new Uint32Array(2)).join();
        /** @type {number | null} */
        this.left = null;
        /** The other tabs of this browser that are looked at.
         * @type {Set<string>} */
        this.others = new Set();
        document.addEventListener("visibilitychange", () => this.changed(), { signal });
        window.addEventListener("pagehide", () => this.closing(), { signal });
        // A picker for files may be as large as the screen: who chooses has not left.
        document.addEventListener("click", ({ target }) => this.note(target), { signal, capture: true });
        for (const name of ["change", "cancel"]) {
            document.addEventListener(name, () => { this.isChoosing = false; }, { signal, capture: true });
        }
        onTabs("seen", (told) => this.hear(told), { signal });
        signal.addEventListener("abort", () => this.end());
        this.tell(true);
    }

    end() {
        clearTimeout(this.timer);
        document.body.classList.remove("is-veiled");
        tellTabs("seen", { id: this.id, isSeen: false });
    }

    /** @param {EventTarget | null} target */
    note(target) {
        if (target instanceof HTMLInputElement && target.type === "file") this.isChoosing = true;
    }

    /** @param {boolean} [isQuestion] */
    tell(isQuestion = false) {
        tellTabs("seen", { id: this.id, isQuestion, isSeen: document.visibilityState === "visible" });
    }

    /** @param {{id: string, isSeen: boolean, isQuestion?: boolean}} told */
    hear({ id, isSeen, isQuestion }) {
        if (isSeen) this.others.add(id);
        else this.others.delete(id);
        if (isQuestion) this.tell();
    }

    changed() {
        const isHidden = document.visibilityState === "hidden";
        document.body.classList.toggle("is-veiled", isHidden);
        this.tell();
        clearTimeout(this.timer);
        if (!isHidden) {
            const away = this.left === null ? 0 : Date.now() - this.left;
            this.left = null;
            this.isChoosing = false;
            // A phone may have let the page sleep.
            if (chosenWhenLeft() === "minute" && away >= minute) this.lock();
            return;
        }
        this.left = this.isChoosing ? null : Date.now();
        /** @type {number | undefined} */ const wait = { once: patience, minute }[chosenWhenLeft()];
        if (wait && this.left !== null) this.timer = setTimeout(() => this.lock(), wait);
    }

    get mayLock() {
        return this.isVault && !this.isChoosing && !this.isBusy() && this.others.size === 0;
    }

    lock() {
        if (this.mayLock) this.onLock();
    }

    /** No time is left for anything but the request itself. */
    closing() {
        if (chosenWhenLeft() === "once" && this.mayLock) api.lockWhileLeaving();
        tellTabs("seen", { id: this.id, isSeen: false });
    }
}
