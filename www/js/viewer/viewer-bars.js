// The bars around what is shown: they come where somebody is, and go again after a while.
import { keepAwake, preference } from "../base/browser.js";
import { clipOf } from "../photos/photo-words.js";

/** Milliseconds without a pointer after which they go. */
const idle = 3000;

/** @typedef {object} BarsOptions
 * @property {HTMLElement} dialog
 * @property {() => boolean} isHeld  something beside them is open, and they stay
 * @property {() => boolean} isAtRest  a video rests: the ways on stay in sight
 * @property {() => boolean} isShow  photos are shown one after another */
export class Bars {
    /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;

    /** @param {BarsOptions} options */
    constructor({ dialog, isHeld, isAtRest, isShow }) {
        this.dialog = dialog;
        this.isHeld = isHeld;
        this.isAtRest = isAtRest;
        this.isShow = isShow;
    }

    get isHidden() { return this.dialog.classList.contains("is-idle"); }

    /** They go at once. */
    hide() {
        clearTimeout(this.timer);
        this.dialog.classList.add("is-idle");
    }

    /** Somebody is there.
     * @param {any} [event] */
    stir(event = null) {
        // A tap on the picture says by itself what becomes of the bars.
        if (event && event.pointerType === "touch") return;
        // Keys lead through what is shown by itself; whoever looks for a button gets to it by the focus.
        if (event?.type === "keydown" && this.isShow()) return;
        this.dialog.classList.remove("is-idle");
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            if (!this.isInUse) this.hide();
        }, idle);
    }

    get isInUse() {
        const bars = this.dialog.querySelectorAll(".viewer-top, .viewer-bar, .step, .viewer-info, .live");
        // A finger leaves a hover behind where it was last.
        const used = matchMedia("(hover: hover)").matches ? ":hover, :focus, :focus-within" : ":focus, :focus-within";
        return this.isHeld() || this.isAtRest() || [...bars].some((bar) => bar.matches(used));
    }

    toggle() {
        clearTimeout(this.timer);
        this.dialog.classList.toggle("is-idle", !this.isAtRest() && !this.isHidden);
        if (!this.isHidden) this.stir();
    }

    dispose() { clearTimeout(this.timer); }
}

// What keys do while one photo is shown.

/** @typedef {import("./viewer.js").Viewer} Viewer */
/** @typedef {(() => unknown) | null | undefined} Run */

/** What a key means, and nothing where somebody writes.
 * @param {Viewer} viewer @param {KeyboardEvent} event @returns {Run} */
export function meant(viewer, event) {
    const { target } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return null;
    if (event.ctrlKey || event.metaKey || event.altKey) return null;
    return steps(viewer, event) ?? letters(viewer, event);
}

/** @param {Viewer} viewer @param {KeyboardEvent} event @returns {Run} */
function steps(viewer, event) {
    // A video has these keys itself.
    if (event.target instanceof HTMLVideoElement) return null;
    const isButton = event.target instanceof HTMLButtonElement;
    if (event.key === "Escape" && viewer.slideshow.isOn) return () => viewer.slideshow.end();
    return { ArrowLeft: () => viewer.step(-1), ArrowRight: () => viewer.step(1), Home: () => viewer.go(0),
        End: () => viewer.go(viewer.list.count - 1), "+": () => viewer.stage.zoom(1), "=": () => viewer.stage.zoom(1),
        "-": () => viewer.stage.zoom(-1), 0: () => viewer.stage.zoom(0), "?": () => viewer.onHelp(),
        Delete: () => viewer.leave(viewer.kind === "photos" ? viewer.onDelete : viewer.onErase),
        ...(isButton ? {} : { " ": () => space(viewer) }) }[event.key];
}

/** Somebody who speaks to the computer may say them by mistake: they can be switched off (WCAG 2.1.4).
 * @param {Viewer} viewer @param {KeyboardEvent} event @returns {Run} */
function letters(viewer, event) {
    if (preference("letters", "on") !== "on") return null;
    return { f: () => (event.shiftKey ? viewer.toggleFull() : viewer.toggleHeart()), s: () => viewer.slideshow.toggle(),
        r: () => viewer.rotate(event.shiftKey ? -90 : 90), c: () => viewer.crop(), i: () => viewer.toggleInfo(),
        d: () => { if (viewer.kind === "photos") viewer.download(); } }[event.key.toLowerCase()];
}

/** What can play plays; everything else is shown one after another.
 * @param {Viewer} viewer */
function space(viewer) {
    const { video } = viewer.stage;
    const canPlay = video ?? (viewer.photo && clipOf(viewer.photo));
    if (!canPlay || viewer.slideshow.isOn) viewer.slideshow.toggle();
    else if (!video) viewer.playLive(true);
    else if (video.paused) video.play().catch(() => {});
    else video.pause();
}

// One photo after another by itself: each as long as somebody looks at one, a video to its end.

/** Milliseconds for which a photo is looked at, and for which the next one is waited for. */
const look = 5000;
const patience = 15_000;

/** @typedef {object} SlideshowOptions
 * @property {() => Promise<unknown>} shown
 * @property {() => HTMLVideoElement | null} video
 * @property {() => Promise<unknown>} next
 * @property {() => void} onStep
 * @property {(isOn: boolean) => void} onChange */

export class Slideshow {
    /** `shown()` resolves once what is shown is seen, and `next()` once what follows can be, or never will be; `video()` is
     * what plays, if that is one; `onStep()` goes on; `onChange(isOn)`: it has begun or ended.
     * @param {SlideshowOptions} options */
    constructor({ shown, video, next, onStep, onChange }) {
        this.shown = shown;
        this.video = video;
        this.next = next;
        this.onStep = onStep;
        this.onChange = onChange;
        this.isOn = false;
        this.waiting = new AbortController();
    }

    begin() {
        if (this.isOn) return;
        this.isOn = true;
        keepAwake(true, "slideshow");
        this.onChange(true);
        this.turn();
    }

    end() {
        if (!this.isOn) return;
        this.isOn = false;
        this.waiting.abort();
        keepAwake(false, "slideshow");
        this.onChange(false);
    }

    toggle() {
        if (this.isOn) this.end();
        else this.begin();
    }

    /** Another photo is shown, by itself or because somebody went on: its time begins. */
    turn() {
        this.waiting.abort();
        if (!this.isOn) return;
        this.waiting = new AbortController();
        this.stay(this.waiting.signal);
    }

    /** @param {AbortSignal} signal */
    async stay(signal) {
        await Promise.race([this.shown(), pause(patience, signal)]);
        if (signal.aborted) return;
        const video = this.video();
        if (!video || !await played(video, signal)) await pause(look, signal);
        await Promise.race([this.next(), pause(patience, signal)]);
        if (!signal.aborted) this.onStep();
    }
}

/** @param {number} time @param {AbortSignal} signal @returns {Promise<void>} */
function pause(time, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, time);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
        });
    });
}

/** Plays a video from its beginning to its end; false where the browser does not play it. Who halts it looks at it longer.
 * @param {HTMLVideoElement} video @param {AbortSignal} signal @returns {Promise<boolean>} */
async function played(video, signal) {
    const ended = new Promise((resolve) => {
        for (const name of ["ended", "error"]) video.addEventListener(name, () => resolve(true), { once: true });
        signal.addEventListener("abort", () => resolve(true));
    });
    try {
        await video.play();
    } catch {
        return signal.aborted;
    }
    await ended;
    return true;
}
