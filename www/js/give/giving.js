// The screen of a visitor: the door's name, the way to add photos, what became of them.
import { announce, cutToBytes, el, icon, setText } from "../base/dom.js";
import { day, percent, t } from "../base/i18n.js";
import { preference, remember } from "../base/browser.js";
import { doorFrame } from "../elements/pieces.js";
import { readDrop } from "../files/drop.js";
import { GiftTiles } from "./gifts.js";

// How files come to this page: one tap to the photos of the device, a drop anywhere, a paste.

/** Milliseconds after which a phone that is still copying what was chosen is spoken of. */
const patience = 1500;

class Choosing {
    /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
    /** @type {AbortController | undefined} */ expecting;

    /** `onFiles` gets a non-empty array; `onPreparing(isSo)` hears that a phone is copying what was chosen.
     * @param {{onFiles: (files: File[]) => void, onPreparing: (isSo: boolean) => void}} options */
    constructor({ onFiles, onPreparing }) {
        this.onFiles = onFiles;
        this.onPreparing = onPreparing;
        this.input = el("input", { id: "give-photos", type: "file", multiple: true, accept: "image/*,video/*", hidden: true,
            tabindex: "-1" });
        this.input.addEventListener("change", () => {
            this.settle();
            const files = [...(this.input.files ?? [])];
            this.input.value = "";
            this.hand(files);
        });
        this.input.addEventListener("cancel", () => this.settle());
        window.addEventListener("dragover", (event) => {
            if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
        });
        window.addEventListener("drop", async (event) => {
            if (!event.dataTransfer?.types.includes("Files")) return;
            event.preventDefault();
            this.hand((await readDrop(event.dataTransfer)).files);
        });
        window.addEventListener("paste", (event) => {
            this.hand([...(/** @type {ClipboardEvent} */ (event).clipboardData?.files ?? [])]);
        });
    }

    /** @param {File[]} files */
    hand(files) {
        if (files.length > 0) this.onFiles(files);
    }

    choose() {
        this.settle();
        this.input.click();
        if (!matchMedia("(pointer: coarse)").matches) return;
        this.expecting = new AbortController();
        window.addEventListener("focus", () => {
            this.timer = setTimeout(() => this.onPreparing(true), patience);
        }, { once: true, signal: this.expecting.signal });
    }

    settle() {
        clearTimeout(this.timer);
        this.expecting?.abort();
        this.onPreparing(false);
    }
}

/** What is more than one sentence for a screen reader is said so seldom, in milliseconds. */
const quiet = 15_000;
/** What a refusal is about, where it is not the host.
 * @type {Record<string, string>} */
const why = { unreadable: "unreadable", network: "network", corrupt: "network", "too-large": "unfit", "file-too-large": "unfit", "name-invalid": "unfit" };
/** The longest name of somebody who gives, in characters, and in bytes of UTF-8. */
const longestName = 60;
const mostBytes = 88;

/** @typedef {import("./gifts.js").Gifts} Gifts */

/** @typedef {{uploads: Uploads, gifts: Gifts, onFiles: (files: File[]) => void,
 *     onRemove: (gift: import("./gifts.js").Gift) => void, onReceipt: () => unknown,
 *     onLanguage: (code: string) => void}} GivingOptions */

export class Giving {
    /** @type {ReturnType<typeof setTimeout> | null} */ timer = null;
    /** What "Try again" does where nobody has come in.
     * @type {(() => unknown) | null} */
    offered = null;
    said = "";
    /** Its name, as it is said in sentences. */
    door = "";
    saidAt = 0;
    /** @type {HTMLElement} */ nameField;

    /** @param {GivingOptions} options */
    constructor({ uploads, gifts, onFiles, onRemove, onReceipt, onLanguage }) {
        this.uploads = uploads;
        this.gifts = gifts;
        this.choosing = new Choosing({ onFiles, onPreparing: (isSo) => this.prepare(isSo) });
        this.title = el("h1", { tabindex: "-1" });
        this.note = el("p", { class: "note" });
        this.name = el("input", { id: "giver", autocomplete: "name", maxlength: longestName, value: preference("giver", ""),
            onchange: () => remember("giver", this.giver) });
        this.nameField = el("div", { class: "field", hidden: true }, el("label", { for: "giver" }, t("give.name")),
            el("div", { class: "box" }, this.name));
        this.add = el("button", { class: "button is-main is-wide give-add", type: "button", onclick: () => this.choosing.choose() },
            icon("add", "is-small"), el("span", {}, t("give.add")));
        this.limits = el("p", { class: "small" });
        this.preparing = el("p", { class: "note", hidden: true }, t("give.preparing"));
        this.form = el("div", { class: "give-form" }, this.nameField, this.add, this.limits, this.preparing, this.choosing.input);
        this.notice = el("div", {});
        this.progress = el("progress", { max: "1", value: "0", "aria-label": t("give.progress") });
        this.count = el("p", { class: "figures give-count" });
        this.small = el("p", { class: "small" });
        this.why = el("div", { class: "note" });
        this.retry = el("button", { class: "link", type: "button", hidden: true, onclick: () => this.again() }, t("give.retry"));
        this.proof = el("div", { class: "notice", hidden: true }, icon("done"), el("div", {}, el("p", {}, t("give.proven")),
            el("button", { class: "link", type: "button", onclick: onReceipt }, icon("download", "is-small"), el("span", {}, t("receipt")))));
        this.status = el("section", { class: "give-status", hidden: true, "aria-label": t("give.yours") }, this.count, this.progress,
            this.small, this.why, this.retry, this.proof);
        this.tiles = new GiftTiles({ pictureOf: (item) => uploads.pictureOf(item), onRemove });
        this.element = doorFrame({ long: true, onLanguage, content: [el("div", { class: "door-head" }, this.title, this.note),
            this.notice, this.form, this.status, this.tiles.element] });
    }

    /** @returns {string} */
    get giver() { return this.nameField.hidden ? "" : cutToBytes(this.name.value.trim(), mostBytes); }

    dispose() {
        clearTimeout(this.timer);
        this.tiles.dispose();
    }

    /** What the host says of the door.
     * @param {Look} door
     * @param {string} [giver] as whom this browser gives already */
    open({ name, asksName, lastDay, lookFirst }, giver) {
        this.door = name;
        this.head(name, t(lookFirst ? "give.noteLook" : "give.note", { door: name }));
        this.nameField.hidden = !asksName;
        if (giver) this.name.value = giver;
        setText(this.limits, t("give.until", { day: day(new Date(`${lastDay}T12:00:00`)) }));
        this.form.hidden = false;
        this.notice.replaceChildren();
    }

    /** Whoever gives here knows what they do; `address` leads to the encrypted way.
     * @param {string} address */
    tellUnencrypted(address) {
        if (this.form.querySelector(".give-plain")) return;
        this.limits.after(el("p", { class: "small give-plain" }, t("give.unencrypted", { door: this.door }), " ",
            el("a", { class: "link", href: address }, t("give.encrypted"))));
    }

    /** The door is given to over an encrypted connection alone by now.
     * @param {string} address */
    leadAway(address) {
        if (this.notice.querySelector("a")) return;
        this.warn("give.onlyEncrypted", { door: this.door });
        this.notice.append(el("a", { class: "button is-wide", href: address }, t("give.encrypted")));
    }

    /** A door that lets nobody in: `name` is empty where nobody knows of one.
     * @param {string} reason @param {string} name */
    close(reason, name = "") {
        this.head(name || t("give.title"), "");
        this.form.hidden = true;
        this.warn(`give.closed.${reason}`);
    }

    /** @param {string} key @param {Record<string, string | number>} [values] */
    warn(key, values) {
        const words = t(key, values);
        this.notice.replaceChildren(el("div", { class: "notice" }, icon("warning"), el("p", {}, words)));
        announce(words, { urgent: true });
    }

    /** @param {string} name @param {string} note */
    head(name, note) {
        setText(this.title, name);
        setText(this.note, note);
        this.note.hidden = note === "";
        this.tellTitle();
    }

    /** @param {boolean} isSo */
    prepare(isSo) {
        this.preparing.hidden = !isSo;
        if (isSo) announce(t("give.preparing"));
    }

    /** Another try to come in.
     * @param {() => unknown} run */
    offer(run) {
        this.offered = run;
        this.draw();
    }

    /** Somebody has come in. */
    settle() {
        if (!this.offered) return;
        this.offered = null;
        this.notice.replaceChildren();
        this.draw();
    }

    again() {
        this.notice.replaceChildren();
        if (this.offered) {
            this.offered();
            return;
        }
        this.uploads.retry([...this.uploads.queue.states.failed]);
    }

    /** A batch of changes is drawn once.
     * @param {number} [wait] */
    drawSoon(wait = 100) {
        this.timer ??= setTimeout(() => {
            this.timer = null;
            this.draw();
        }, wait);
    }

    goingWords() {
        const { uploads } = this;
        uploads.pace.sample(uploads.sentBytes, Date.now());
        return t(uploads.isSilent || uploads.holds.has("offline") ? "give.waiting" : "give.keepOpen");
    }

    /** Each reason once, and what helps. */
    drawWhy() {
        const reasons = this.gifts.in("failed").map(({ item }) => item?.reason ?? "");
        const lines = [...new Set(reasons.map((code) => t(`give.why.${why[code] ?? "other"}`, { code, door: this.door })))];
        if (lines.join() !== [...this.why.children].map(({ textContent }) => textContent).join()) {
            this.why.replaceChildren(...lines.map((line) => el("p", {}, line)));
            if (lines.length > 0) announce(lines.join(" "), { urgent: true });
        }
        this.why.hidden = lines.length === 0;
    }

    draw() {
        const { gifts, uploads } = this;
        const saved = gifts.in("saved").length;
        const taken = gifts.in("taken").length;
        const going = gifts.in("waiting", "going").length;
        const failed = gifts.in("failed").length;
        this.status.hidden = gifts.all.length === 0;
        const lines = [going > 0 ? t("give.going", { done: uploads.queue.saved, n: uploads.queue.total }) : null,
            going === 0 && saved > 0 ? t("give.saved", { n: saved }) : null, taken > 0 ? t("give.taken", { n: taken }) : null,
            failed > 0 ? t("give.failed", { n: failed }) : null].filter((line) => line !== null);
        const words = lines.join(" · ");
        setText(this.count, words);
        setText(this.small, going > 0 ? this.goingWords() : saved > 0 ? t("give.done") : taken > 0 ? t("give.thanks", { door: this.door }) : "");
        const isProven = gifts.in("saved").every(({ item, isVerified }) => item?.isChecked || isVerified);
        this.proof.hidden = going > 0 || saved === 0 || !isProven;
        this.drawWhy();
        this.progress.hidden = going === 0;
        this.progress.value = uploads.queue.share;
        this.retry.hidden = failed === 0 && !["door-full", "door-share", "tls-required"].some((reason) => uploads.holds.has(reason)) && !this.offered;
        this.tiles.draw(gifts.all);
        this.tellTitle(going > 0 ? uploads.queue.share : null);
        const isSettled = going === 0;
        // How long nothing has come is known without news.
        if (!isSettled) this.drawSoon(1000);
        if (words === this.said || gifts.all.length === 0 || (!isSettled && Date.now() - this.saidAt < quiet)) return;
        this.said = words;
        this.saidAt = Date.now();
        announce(words);
    }

    /** The way back of the gift at a place, else of the last one; the title where there is none.
     * @param {number} place */
    focusAt(place) {
        /** @type {HTMLElement[]} */ const ways = [...this.tiles.list.querySelectorAll(".gift-back:not([hidden])")];
        (ways[Math.min(place, ways.length - 1)] ?? this.title).focus();
    }

    /** @param {number | null} [share] */
    tellTitle(share = null) {
        const title = `${share === null ? this.title.textContent : percent(share)} · Safelight`;
        if (document.title !== title) document.title = title;
    }
}
