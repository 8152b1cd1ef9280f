// What the queue looks like: a bar that opens to a sheet on phones, a docked panel on wide screens.
import { keepAwake, platformOf, steppedBack, takeBack } from "../base/browser.js";
import { announce, el, icon, setText, turn } from "../base/dom.js";
import { bytes, percent, t, timeLeft } from "../base/i18n.js";
import { confirm } from "../elements/dialog.js";
import { upgradeCard } from "../elements/upgrade-card.js";
import { prepareToRead } from "../files/file-reading.js";

export { entriesOf, verdictsOn } from "../files/file-reading.js";
import { keepReceipt } from "./upload-spaces.js";
import { FindingsNote, UploadBar } from "./upload-sections.js";
import { UploadSections } from "./upload-sections.js";
import { stops } from "./upload.js";
export * from "./upload-carrying.js";
export { keepReceipt, linesOf } from "./upload-spaces.js";

/** @typedef {import("./queue.js").Queue} Queue */
const tick = 250;
/** Milliseconds after which the panel goes, once all is read back. */
const farewell = 8000;

export class UploadPanel {
    /** @type {HTMLElement} */ title;
    /** @type {HTMLButtonElement} */ pauseButton;
    /** @type {HTMLButtonElement} */ cancel;
    /** @type {HTMLButtonElement} */ fold;
    /** @type {HTMLButtonElement} */ closeButton;
    /** @type {HTMLProgressElement} */ bar;
    /** @type {HTMLElement} */ speed;
    /** @type {HTMLElement} */ left;
    /** @type {HTMLElement} */ message;
    /** @type {UploadSections} */ sections;
    /** @type {FindingsNote} */ found;
    /** @type {HTMLElement} */ readBack;
    /** @type {HTMLElement} */ keepOpen;
    /** @type {HTMLElement} */ panel;
    /** @type {UploadBar} */ strip;
    /** @type {HTMLElement} */ element;
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */ timer;
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */ folding;
    /** @type {(() => void) | undefined} */ forgetReceipt;
    /** @type {ReturnType<typeof takeBack> | null | undefined} */ back;

    /** `onShow(isShown)` lets the shell make room; `onShare` gets 0 to 1, null when done;
     * `onSettled` follows "Show them".
     * @param {Uploads} uploads
     * @param {{onShow: (isShown: boolean) => void, onShare: (share: number | null) => void,
     *     onSettled: () => void}} options */
    constructor(uploads, { onShow, onShare, onSettled }) {
        this.uploads = uploads;
        this.onShow = onShow;
        this.onShare = onShare;
        this.onSettled = onSettled;
        this.dismissed = true;
        this.quarter = 0;
        /** The panel stands beside the photos, as the style sheet has it. */
        this.wide = matchMedia("(min-width: 64rem)");
        this.build();
        prepareToRead();
        turn().then(getWordsReady);
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        uploads.addEventListener("change", () => this.schedule(), { signal });
        uploads.addEventListener("finished", () => this.sayFinished(), { signal });
        uploads.addEventListener("checked", () => this.sayChecked(), { signal });
        if (uploads.queue.total > 0) this.dismissed = false;
        this.draw();
    }

    dispose() {
        this.listeners.abort();
        clearTimeout(this.timer);
        clearTimeout(this.folding);
        this.forgetReceipt?.();
        this.back?.forget();
        this.sections.dispose();
        keepAwake(false);
    }

    /** New files: show the panel again and say that it began.
     * @param {number} count */
    began(count) {
        this.dismissed = false;
        this.quarter = 0;
        announce(t("up.began", { n: count }));
        this.draw();
    }

    build() {
        this.title = el("h2", { id: "up-title", class: "figures" });
        this.pauseButton = el("button", { class: "round", type: "button", onclick: () => this.togglePause() });
        this.fold = el("button", { class: "round only-sheet", type: "button", "aria-label": t("up.fold"),
            onclick: () => this.open(false) }, icon("down"));
        this.closeButton = el("button", { class: "round", type: "button", "aria-label": t("close"),
            onclick: () => this.dismiss() }, icon("close"));
        this.bar = el("progress", { max: "100", value: "0", "aria-label": t("up.label") });
        this.speed = el("span");
        this.left = el("span");
        this.message = el("div", { class: "up-message" });
        this.sections = new UploadSections(this.uploads);
        this.found = new FindingsNote();
        this.readBack = el("span", { class: "figures" });
        this.cancel = el("button", { class: "round", type: "button", "aria-label": t("up.cancelAll"), title: t("up.cancelAll"),
            onclick: () => this.cancelRest() }, icon("close"));
        this.keepOpen = el("p", { class: "up-keep" }, t("up.keepOpen"));
        this.panel = el("aside", { class: "panel", "aria-labelledby": "up-title" },
            el("div", { class: "panel-head" },
                el("div", { class: "panel-title" }, this.title, this.pauseButton, this.cancel, this.fold, this.closeButton),
                this.bar, el("p", { class: "panel-sub figures" }, this.speed, this.left)),
            this.keepOpen, this.message, this.sections.element, this.found.element);
        this.scrim = el("div", { class: "panel-scrim", onclick: () => this.open(false) });
        this.strip = new UploadBar({ onOpen: () => this.open(true), onRetry: () => this.goOn() });
        this.element = el("div", { class: "uploads" }, this.strip.element, this.scrim, this.panel);
        this.panel.addEventListener("keydown", (event) => { if (event.key === "Escape") this.open(false); });
    }

    /** @param {boolean} isOpen */
    open(isOpen) {
        if (!isOpen && this.element.classList.contains("is-open")) this.dismissed ||= this.isOver;
        this.element.classList.toggle("is-open", isOpen);
        this.strip.setOpen(isOpen);
        this.draw();
        this.holdBack(isOpen);
        if (isOpen) this.fold.focus();
    }

    /** The phone's Back button closes the sheet first.
     * @param {boolean} isOpen */
    holdBack(isOpen) {
        if (isOpen) {
            this.back ??= takeBack("uploads", () => {
                this.back = null;
                this.open(false);
            });
        } else {
            const { back } = this;
            this.back = null;
            back?.leave();
        }
    }

    /** Nothing that waits is dropped by one tap. */
    async cancelRest() {
        const n = this.uploads.queue.unsent;
        const isMeant = await confirm({ title: t("up.cancelTitle", { n }), note: t("up.cancelNote"),
            action: t("up.cancelAction"), stay: t("up.cancelStay"), danger: true });
        if (isMeant) this.uploads.cancelAll();
    }

    goOn() {
        for (const reason of stops) this.uploads.release(reason);
    }

    async dismiss() {
        if (!this.uploads.queue.isFinished) return;
        this.uploads.remove([...this.uploads.queue.states.failed]);
        this.dismissed = true;
        this.element.classList.remove("is-open");
        this.holdBack(false);
        this.draw();
        // What leads on takes a place of its own in the history.
        await steppedBack();
        this.onSettled();
    }

    togglePause() {
        if (this.uploads.isPaused) this.uploads.release("paused");
        else this.uploads.hold("paused");
        this.draw();
    }

    /** At most four draws a second, and none that nobody sees. */
    schedule() {
        if (this.timer) return;
        this.timer = setTimeout(() => {
            this.timer = null;
            this.draw();
        }, tick);
    }

    draw() {
        const { queue } = this.uploads;
        const shown = queue.total > 0 && !this.dismissed;
        this.element.hidden = !shown;
        this.onShow(shown);
        keepAwake(queue.unsent > 0 && this.uploads.holds.size === 0);
        if (!shown) {
            this.onShare(null);
            return;
        }
        this.uploads.pace.sample(this.uploads.sentBytes, Date.now());
        this.drawHead(queue);
        this.drawMessage(queue);
        // What a phone does to photos is no news of an upload that is still running.
        if (this.uploads.findings && queue.isFinished) this.found.draw(this.uploads.findings);
        else this.found.hide();
        this.sections.draw(this.wide.matches || this.element.classList.contains("is-open"));
        this.foldSoon();
        if (queue.uploading > 0) this.schedule();
    }

    get isOver() {
        const { queue, isChecked, checked } = this.uploads;
        return queue.isFinished && queue.failed === 0 && isChecked && !checked?.upgrade;
    }

    /** Once all is there and read back, nobody has to put the panel away; whoever looks at it keeps it. Where it is folded to
     * a bar, that stays until somebody has touched it: its words are what a phone is emptied for. */
    foldSoon() {
        if (!this.isOver || !this.wide.matches) {
            clearTimeout(this.folding);
            this.folding = null;
            return;
        }
        this.folding ??= setTimeout(() => {
            this.folding = null;
            this.dismissed ||= !this.isLookedAt;
            this.draw();
        }, farewell);
    }

    get isLookedAt() {
        return this.element.classList.contains("is-open") || this.element.matches(":hover, :focus-within")
            || document.visibilityState === "hidden";
    }

    /** @param {Queue} queue */
    drawHead(queue) {
        const done = queue.isFinished;
        const share = queue.share;
        const words = done ? resultWords(queue) : progressWords(queue);
        setText(this.title, words);
        this.bar.value = Math.round(share * 100);
        const { pace, holds } = this.uploads;
        const seconds = pace.secondsFor(queue.totalBytes - queue.failedBytes - this.uploads.sentBytes, Date.now());
        const moving = !done && holds.size === 0 && !this.uploads.isSilent;
        const speed = moving && pace.rate > 0 ? t("up.speed", { speed: bytes(pace.rate) }) : this.holdWords(done);
        const left = moving && seconds !== null ? timeLeft(seconds) : "";
        setText(this.speed, speed);
        setText(this.left, left);
        const last = queue.failed > 0 ? t("up.attention", { n: queue.failed }) : left;
        const proof = proofWords(this.uploads);
        this.strip.draw({ words: proof?.words ?? words, share,
            note: [speed, last, proof ? proof.note : done ? this.readBackWords(queue) : ""].filter(Boolean).join(" · "),
            receipt: proof && (this.strip.receipt ?? this.receiptButton()),
            isSaved: done && queue.saved > 0 && queue.failed === 0,
            isStopped: !done && stops.some((reason) => holds.has(reason)) });
        this.pauseButton.hidden = this.cancel.hidden = done;
        this.closeButton.hidden = !done;
        this.keepOpen.hidden = done;
        this.panel.classList.toggle("is-done", done);
        this.setPauseIcon();
        this.onShare(done ? null : share);
        this.sayQuarter(queue, share);
    }

    setPauseIcon() {
        const name = this.uploads.isPaused ? "play" : "pause";
        if (this.pauseButton.dataset.icon === name) return;
        this.pauseButton.dataset.icon = name;
        this.pauseButton.setAttribute("aria-label", t(name === "play" ? "up.resume" : "up.pause"));
        this.pauseButton.replaceChildren(icon(name));
    }

    /** @param {boolean} done */
    holdWords(done) {
        const { holds } = this.uploads;
        if (done) return "";
        if (this.uploads.isSilent) return t("up.held.offline");
        const reasons = [...stops, "locked", "opening", "asking", "offline", "paused"];
        const reason = reasons.find((candidate) => holds.has(candidate));
        return reason ? t(`up.held.${reason}`) : t("up.starting");
    }

    /** @param {Queue} queue */
    drawMessage(queue) {
        const done = queue.isFinished && queue.saved > 0;
        const stop = stops.find((reason) => this.uploads.holds.has(reason));
        const proof = proofWords(this.uploads);
        const words = queue.saved === queue.duplicates ? "same" : proof ? "checked" : "done";
        const hasUpgrade = Boolean(proof && this.uploads.checked?.upgrade);
        const key = stop ?? (done ? `${words} ${hasUpgrade} ${proof?.note}` : "");
        if (done && words === "done") setText(this.readBack, this.readBackWords(queue));
        if (this.message.dataset.key === key) return;
        this.message.dataset.key = key;
        // Folded away on a phone, nobody would see the card before the lock.
        this.strip.setNews(!stop && hasUpgrade ? t("upgrade.bar") : "");
        if (stop) this.message.replaceChildren(this.stopped(stop, queue));
        else if (done) this.message.replaceChildren(this.result(
            [t(`up.${words}Note`), proof?.note ?? null], hasUpgrade, words === "done"));
        else this.message.replaceChildren();
    }

    /** @param {string} reason @param {Queue} queue */
    stopped(reason, queue) {
        const retry = () => this.goOn();
        return el("div", { class: "notice", role: "alert" }, icon("warning"), el("div", {},
            el("p", {}, t(`up.stopped.${reason}`, { n: queue.saved })),
            el("button", { class: "link", type: "button", onclick: retry }, t("retry"))));
    }

    /** Only here, at the end of all, may a word about the host's own software stand.
     * @param {(string | null)[]} words @param {boolean} hasUpgrade @param {boolean} isReadingBack */
    result(words, hasUpgrade, isReadingBack) {
        return el("div", { class: "done" }, icon("done"),
            el("p", { class: "note" }, words.filter(Boolean).join(t("space")), t("space"), isReadingBack ? this.readBack : null),
            el("div", { class: "done-actions" },
                el("button", { class: "button is-main", type: "button", onclick: () => this.dismiss() }, t("up.show")),
                this.receiptButton()),
            hasUpgrade ? upgradeCard({ isOpen: true }) : null);
    }

    /** What there is to keep once the host has read all of it back. */
    receiptButton() {
        const { receipt } = this.uploads;
        if (receipt.length === 0 || !this.uploads.isChecked) return null;
        const keep = () => {
            this.forgetReceipt?.();
            this.forgetReceipt = keepReceipt(receipt);
        };
        return el("button", { class: "link", type: "button", onclick: keep },
            icon("download", "is-small"), el("span", {}, t("receipt")));
    }

    /** How far the host is with reading back what it has written; nothing before it has said so.
     * @param {Queue} queue */
    readBackWords(queue) {
        const { readBack } = this.uploads;
        return readBack === null ? "" : t("up.readBack", { done: Math.min(readBack, queue.saved), n: queue.saved });
    }

    /** At a quarter, a half, three quarters: enough to follow without being talked over.
     * @param {Queue} queue @param {number} share */
    sayQuarter(queue, share) {
        const quarter = Math.floor(share * 4);
        if (queue.isFinished || quarter <= this.quarter) return;
        this.quarter = quarter;
        if (queue.total > 3) announce(progressWords(queue));
    }

    sayChecked() {
        const proof = proofWords(this.uploads);
        if (proof) announce([proof.words, proof.note].filter(Boolean).join(". "));
        this.draw();
    }

    sayFinished() {
        const { queue } = this.uploads;
        const words = resultWords(queue);
        announce(queue.failed > 0 ? `${words} · ${t("up.attention", { n: queue.failed })}` : words);
        this.draw();
    }
}

/** What writes numbers takes longer to be made than a frame: not when files are chosen. */
function getWordsReady() {
    t("up.began", { n: 2 });
    for (const byteCount of [1e3, 1e6, 1e7, 1e9]) bytes(byteCount);
    percent(0);
}

// What is said of a batch of files, from the first to the end: decided from what is known of it, and shown by the panel.

/** @param {Queue} queue */
export function progressWords(queue) {
    return t("up.progress", { done: queue.saved, n: queue.total - queue.failed });
}

/** `isProven`: what was saved has been read back.
 * @param {Queue} queue @param {boolean} [isProven] */
export function resultWords(queue, isProven = false) {
    const saved = queue.saved - queue.duplicates;
    if (queue.saved === 0) return t("up.noneSaved");
    return [saved > 0 ? t(isProven ? "up.proven" : "up.saved", { n: saved }) : null,
        queue.duplicates > 0 ? t("up.same", { n: queue.duplicates }) : null].filter(Boolean).join(" · ");
}

/** Whether nothing is lost with what the phone has: all of it lies in a vault, was read back whole, and is what the
 * phone has. What was there before was not read back now, and no word is said of it. What moves in has an account of its own.
 * @param {Pick<Uploads, "queue" | "isVault" | "isChecked" | "batches" | "findings">} uploads @returns {boolean} */
export function mayBeDeleted({ queue, isVault, isChecked, batches, findings }) {
    const isLess = findings?.counts.some(({ kind }) => kind !== "screenshot") ?? false;
    return isVault && isChecked && queue.isFinished && queue.saved > 0 && queue.failed === 0 && queue.duplicates === 0
        && queue.earlier.saved === 0 && !isLess && ![...queue.states.saved].some(({ account }) => account) && [...batches].every(({ isOfVault }) => isOfVault);
}

/** Elsewhere the photos may have come from a phone all the same.
 * @returns {string} */
function mayDeleteWords() {
    return t(["ios", "android"].includes(platformOf(navigator)) ? "up.mayDelete" : "up.mayDeleteThere");
}

/** What is said of a batch once all of it was read back, and whether the phone may forget it; null before that.
 * @param {Uploads} uploads @returns {{words: string, note: string} | null} */
export function proofWords(uploads) {
    const { queue } = uploads;
    if (!queue.isFinished || queue.saved === 0 || !uploads.isChecked) return null;
    return { words: resultWords(queue, true), note: mayBeDeleted(uploads) ? mayDeleteWords() : "" };
}
