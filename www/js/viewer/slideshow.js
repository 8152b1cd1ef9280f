// One photo after another by itself: each as long as somebody looks at one, a video to its end.
import { keepAwake } from "../uploads/wake-lock.js";

/** Milliseconds for which a photo is looked at, and for which the next one is waited for. */
const look = 5000;
const patience = 15_000;

/**
 * @typedef {object} SlideshowOptions
 * @property {() => Promise<unknown>} shown
 * @property {() => HTMLVideoElement | null} video
 * @property {() => Promise<unknown>} next
 * @property {() => void} onStep
 * @property {(isOn: boolean) => void} onChange
 */

export class Slideshow {
    /**
     * `shown()` resolves once what is shown is seen, and `next()` once what follows can be, or never will be; `video()` is
     * what plays, if that is one; `onStep()` goes on; `onChange(isOn)`: it has begun or ended.
     * @param {SlideshowOptions} options
     */
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

/**
 * @param {number} time
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
function pause(time, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, time);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
        });
    });
}

/**
 * Plays a video from its beginning to its end; false where the browser does not play it. Who halts it looks at it longer.
 * @param {HTMLVideoElement} video
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>}
 */
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
