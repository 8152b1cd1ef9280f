// What the parts of the page's states share: starting, at the door, inside.
import * as api from "../base/api.js";
import { host } from "../base/browser.js";
import { describe, t, use } from "../base/i18n.js";
import { part } from "../base/parts.js";
import { confirm, toast } from "../elements/dialog.js";

// The order of what changes the session: vaults that are opened here, and what other tabs of this browser tell of.

export class Changes {
    constructor() {
        this.told = 0;
        this.known = 0;
        this.opening = 0;
        this.isFollowing = false;
        /** @type {((value?: any) => void)[]} */
        this.waiting = [];
    }

    /** A vault is being opened here, from the request to its screen: what others tell of waits for that. */
    get isOpening() { return this.opening > 0; }

    begin() {
        this.opening += 1;
    }

    end() {
        this.opening -= 1;
        this.wake();
    }

    /** Another change is told of. Gives its number.
     * @returns {number} */
    tell() {
        this.told += 1;
        return this.told;
    }

    /** The host is asked now who is there: its answer has everything that was told of before. */
    ask() {
        this.known = this.told;
    }

    /** True when something was told of since the host was asked. */
    get isStale() { return this.told > this.known; }

    /** @param {number} number */
    isKnown(number) {
        return number <= this.known;
    }

    /** Runs `work` once nothing else changes the session, unless the host's answer has change `number` by then.
     * @template T @param {number} number @param {() => Promise<T>} work @returns {Promise<T | null>} */
    async follow(number, work) {
        while (this.isOpening || this.isFollowing) await new Promise((resolve) => { this.waiting.push(resolve); });
        if (this.isKnown(number)) return null;
        this.isFollowing = true;
        try {
            return await work();
        } finally {
            this.isFollowing = false;
            this.wake();
        }
    }

    wake() {
        for (const resolve of this.waiting.splice(0)) resolve();
    }
}

export const changes = new Changes();

export const app = {
    /** @returns {HTMLElement} */
    get root() { return document.getElementById("app"); },
    /** What the host said last about this browser's session.
     * @type {Session} */
    session: /** @type {any} */ (null),
    /** Settled when the host has answered that what was open here is ended, or has not.
     * @type {Promise<unknown> | null} */
    ended: null,
    /** @type {Uploads} */
    uploads: /** @type {any} */ (null),
    /** @type {Inside | null} */
    inside: null,
    /** The screen outside, while there is one.
     * @type {OutsideScreen | null} */
    outside: null,
    /** Draws the present screen again, in another language. */
    redraw() {},
    setupCode: "",
    /** The dialog that asks for a vault, from the tap that wants it to its end: a second tap opens no second one.
     * @type {Promise<void> | null} */
    needed: null,
    /** What somebody began that needs a vault, while that dialog is open.
     * @type {Action | null} */
    wanted: null,
    /** The same of a guest whose end was told before the other tab's word that the photos have moved.
     * @type {Action | null} */
    begun: null,
};

/** The QR code of the host carries the setup code behind `#code=`; it does not stay in the address.
 * @returns {string} */
export function takeSetupCode() {
    const code = /^#code=([\w-]{1,64})$/.exec(location.hash)?.[1] ?? "";
    if (code) history.replaceState(null, "", location.pathname);
    return code;
}

// What is shown while nothing is open: a screen outside, in the chosen language, which takes files.

/** @param {OutsideScreen} screen */
export function showOutside(screen) {
    app.outside?.dispose?.();
    app.outside = screen;
    app.root.replaceChildren(screen.element);
    app.root.hidden = false;
    document.title = `${screen.title} · Safelight`;
    window.scrollTo(0, 0);
    screen.focus?.focus();
}

/** @param {string} chosen */
export async function changeLanguage(chosen) {
    await use(chosen, { store: true });
    app.redraw();
}

/** Both may change while the page stays open: whether a setup code is asked for, and what a guest has. */
export async function refresh() {
    const screen = app.outside;
    try {
        [host.hello, app.session] = await Promise.all([api.hello(), api.session()]);
    } catch {
        return;
    }
    if (screen === app.outside) screen?.setGuest?.(app.session.guest ?? null);
}

/** Files may come to the door, too: chosen there, dropped or pasted. They wait for what is opened.
 * @param {OutsideScreen} screen */
export async function takeFiles(screen) {
    // The door itself is there first.
    await new Promise((resolve) => {
        if ("requestIdleCallback" in window) requestIdleCallback(resolve, { timeout: 2000 });
        else setTimeout(resolve, 200);
    });
    const { Adding } = await part("inside");
    if (app.outside !== screen) return;
    /** @param {File[]} files */
    const onFiles = (files) => {
        if (app.outside !== screen && app.inside) {
            app.inside.add(files);
            return;
        }
        app.uploads.addOutside(files);
        screen.setWaiting?.(app.uploads.queue.unsent, app.uploads.isOfNoPlace);
    };
    const adding = new Adding({ onFiles, onUnread: () => {}, isGuest: true });
    screen.element.append(adding.element, adding.overlay);
    screen.setChooser?.(() => adding.photos.click());
    const { dispose } = screen;
    screen.dispose = () => {
        dispose?.();
        adding.dispose();
    };
}

/** What was chosen in what was closed meanwhile waits at the door, as what is chosen there.
 * @param {File[]} files */
export function takeLate(files) {
    if (app.inside) {
        app.uploads.addStrange(files);
        return;
    }
    app.uploads.addOutside(files);
    app.outside?.setWaiting?.(app.uploads.queue.unsent, app.uploads.isOfNoPlace);
}

// Asking the host for a vault, and going on with what was begun before.

/** While it is asked for, nothing new is sent: it would not be clear to whom. What is being sent goes on.
 * @param {(fields: OpeningFields) => Promise<Opening>} work @param {OpeningFields} fields @returns {Promise<Opened>} */
export async function begin(work, fields) {
    app.uploads.hold("opening");
    changes.begin();
    try {
        // The answer to a lock takes the cookie away, also that of what was opened meanwhile.
        await app.ended;
        const answer = await work(fields);
        const isKeepLost = fields.keep === true && answer.kept === false;
        return { ...answer, isAsked: fields.migrate !== false, isKeepLost };
    } catch (error) {
        changes.end();
        if (!changes.isFollowing) app.uploads.release("opening");
        throw error;
    }
}

/** Somebody tried passwords or codes meanwhile: whoever the vault belongs to is to know.
 * @param {number} n */
export function sayGuesses(n) {
    if (n > 0) app.inside?.say({ isGood: false, title: t("wrong.count", { n }), notes: [t("wrong.note")] });
}

/** The action that a guest began, now that a vault is open.
 * @param {Action} action @param {boolean} isGuestLeft */
export async function goOn(action, isGuestLeft) {
    if (isGuestLeft && action.isOfPhotos !== false) {
        app.inside?.say({ isGood: false, title: t("need.cannot"), notes: [t("need.left")] });
        return;
    }
    try {
        if (await app.inside?.perform(action) && action.done) toast(action.done);
    } catch (error) {
        app.inside?.say({ isGood: false, title: t("need.cannot"), notes: [describe(error)] });
    }
}

/** Files that were chosen for another place go on only if somebody says so.
 * @param {string} note */
export async function settleWaiting(note) {
    const { strangers } = app.uploads;
    if (strangers.length > 0) {
        const here = app.inside;
        const isWanted = await confirm({ title: t("door.waiting", { n: strangers.length }), note,
            action: t("new.addThem") });
        // What is open by now, if anything is, asks by itself.
        if (app.inside !== here) return;
        if (isWanted) app.uploads.adopt(strangers);
        else app.uploads.remove(strangers);
    }
    if (changes.isOpening || changes.isFollowing) return;
    for (const reason of ["opening", "asking", "locked", "guest-full"]) app.uploads.release(reason);
}
