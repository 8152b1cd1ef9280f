// Into the library of a phone, or to somebody else: by the device's own sheet for sharing.
import * as api from "../base/api.js";
import { openSheet } from "../elements/dialog.js";
import { el, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** Milliseconds after which how far it is gets said; what is quicker needs no words. */
const soon = 500;

let going = false;

/** Fetches each once, to be handed on by a button called `action`, says how far that is, and opens the device's sheet. Resolves with true when they were handed on;
 * somebody who closes a sheet has changed their mind, and that is all. Throws `Unreachable` or a `Problem`.
 * @param {Photo[]} photos @param {string} action @returns {Promise<boolean>} */
export async function sharePhotos(photos, action) {
    // A second tap while the first one is at it is no other wish.
    if (going) return false;
    going = true;
    try {
        return await new Sharing(photos, action).run();
    } finally {
        going = false;
    }
}

class Sharing {
    /** @type {HTMLProgressElement} */ bar;
    /** @type {HTMLElement} */ words;
    /** @type {HTMLButtonElement} */ go;
    /** @type {boolean | undefined} */ isOver;

    /** @param {Photo[]} photos @param {string} action */
    constructor(photos, action) {
        this.photos = photos;
        this.action = action;
        /** @type {File[]} */
        this.files = [];
        this.stop = new AbortController();
        /** @type {import("../elements/dialog.js").Sheet | null} */
        this.sheet = null;
    }

    async run() {
        const timer = setTimeout(() => this.open(), soon);
        try {
            await this.fetch();
            clearTimeout(timer);
            if (this.stop.signal.aborted) return false;
            const isDone = await share(this.files);
            if (isDone !== null) return isDone;
            // Browsers share only right after a tap, and fetching may have taken longer than that.
            return await this.askOnce();
        } catch (error) {
            if (this.stop.signal.aborted) return false;
            throw error;
        } finally {
            clearTimeout(timer);
            this.isOver = true;
            this.sheet?.close();
        }
    }

    async fetch() {
        for (const photo of this.photos) {
            const blob = await api.blob(api.originalPath(photo), this.stop.signal);
            this.files.push(new File([blob], photo.name, { type: photo.type }));
            this.draw();
        }
    }

    open() {
        this.bar = el("progress", { max: this.photos.length, value: 0, "aria-label": t("share.label") });
        this.words = el("p", { class: "note figures" });
        this.go = el("button", { class: "button is-main", type: "button", hidden: true }, this.action);
        this.sheet = openSheet({ title: t("share.title", { n: this.photos.length }),
            content: [this.bar, this.words, this.go] });
        this.draw();
        this.sheet.closed.then(() => { if (!this.isOver) this.stop.abort(); });
    }

    draw() {
        if (!this.sheet) return;
        this.bar.value = this.files.length;
        setText(this.words, t("up.progress", { done: this.files.length, n: this.photos.length }));
    }

    async askOnce() {
        if (!this.sheet) this.open();
        this.bar.hidden = true;
        setText(this.words, `${t("save.ready", { n: this.files.length })}${t("space")}${t("save.note")}`);
        this.go.hidden = false;
        this.go.focus();
        const tapped = new Promise((resolve) => { this.go.addEventListener("click", () => resolve(true), { once: true }); });
        const dismissed = this.sheet?.closed.then(() => false);
        return await Promise.race([tapped, dismissed]) ? await share(this.files) === true : false;
    }
}

/** False where somebody closed the sheet, null where the browser wants another tap.
 * @param {File[]} files @returns {Promise<boolean | null>} */
async function share(files) {
    try {
        await navigator.share({ files });
        return true;
    } catch (error) {
        return error.name === "NotAllowedError" ? null : false;
    }
}
