// Fingers and mouse on the picture: pinch, double tap, drag of what is enlarged, swipe to the next one and down to close.
import { preference } from "../base/browser.js";
import { clipOf } from "../photos/photo-words.js";

// How a picture lies in the window: `scale` 1 is fitted; `x` and `y` are how far its middle is from that of the window.

/** @type {Zoom} */
export const fitted = { scale: 1, x: 0, y: 0 };
const most = 8;
/** What a double tap goes to. */
const near = 2.5;
const step = 1.5;

/** `box` is the window, `picture` the fitted picture, both `{width, height}`: nothing can be pushed out of sight.
 * @param {Zoom} zoom @param {Size} box @param {Size} picture @returns {Zoom} */
export function clamped({ scale, x, y }, box, picture) {
    const bounded = Math.min(most, Math.max(1, scale));
    /** @param {number} length @param {number} window */
    const room = (length, window) => Math.max(0, (length * bounded - window) / 2);
    const across = room(picture.width, box.width);
    const down = room(picture.height, box.height);
    return { scale: bounded, x: Math.min(across, Math.max(-across, x)), y: Math.min(down, Math.max(-down, y)) };
}

/** Another scale, with what lies at `point` (from the middle of the window) staying there.
 * @param {Zoom} zoom @param {number} to @param {Point} point @returns {Zoom} */
export function scaledAt({ scale, x, y }, to, point) {
    const ratio = Math.min(most, Math.max(1, to)) / scale;
    return { scale: scale * ratio, x: point.x - (point.x - x) * ratio, y: point.y - (point.y - y) * ratio };
}

/** One step nearer (1) or farther (-1) from the middle, or all of it (0).
 * @param {Zoom} zoom @param {number} by @returns {Zoom} */
export function zoomStep(zoom, by) {
    return by === 0 ? fitted : scaledAt(zoom, zoom.scale * step ** by, { x: 0, y: 0 });
}

/** @param {Zoom} zoom */
export const isNearest = ({ scale }) => scale >= most - 0.01;
/** @param {Zoom} zoom */
export const isFitted = ({ scale }) => scale <= 1.01;

/** @param {Zoom} zoom @param {Point} point @returns {Zoom} */
export function doubled(zoom, point) {
    return zoom.scale > 1.01 ? fitted : scaledAt(zoom, near, point);
}

/** The size of a picture that is fitted into a box; the box itself while the picture is not known.
 * @param {Size} box @param {{width?: number, height?: number}} picture @returns {Size} */
export function fittedSize(box, { width, height }) {
    if (!width || !height) return box;
    const ratio = Math.min(box.width / width, box.height / height);
    return { width: width * ratio, height: height * ratio };
}

/** @typedef {{scale: number, x: number, y: number}} Zoom */

/** @typedef {{signal: AbortSignal, sizes: () => {box: Size, picture: Size}, onZoom: (zoom: Zoom) => void,
 *     onBegin: () => void, onDrag: (by: Point) => void, onRelease: () => void, onStep: (by: number) => void,
 *     onClose: () => void, onTap: () => void}} GestureOptions */

const swipeLength = 48;
const closeLength = 96;
const tapSlack = 10;
const doubleTap = 300;
const doubleTapSlack = 40;
/** At the lower edge of a video, where browsers draw their own controls. */
const controls = 72;

/** What a finger means that has gone so far and is lifted: the next or the previous one, to close, or nothing.
 * @param {Point} by @returns {"next" | "previous" | "close" | null} */
export function swipeBy({ x, y }) {
    if (Math.abs(x) > swipeLength && Math.abs(x) > 2 * Math.abs(y)) return x < 0 ? "next" : "previous";
    return y > closeLength && y > 2 * Math.abs(x) ? "close" : null;
}

/** Whether a tap is the second of two.
 * @param {Point & {at: number} | null} first @param {Point & {at: number}} second @returns {boolean} */
export function isDoubleTap(first, second) {
    return first !== null && second.at - first.at < doubleTap && Math.hypot(second.x - first.x, second.y - first.y) < doubleTapSlack;
}

export class Gestures {
    /** @type {{start: Point, zoom: Zoom, isTap: boolean} | null | undefined} */ drag;
    /** @type {{distance: number, zoom: Zoom, middle: Point} | null | undefined} */ pinch;
    /** @type {boolean | undefined} */ onVideo;

    /** `sizes()` gives `{box, picture}` for `clamped`; `onZoom(zoom)`, `onBegin()` when a finger comes, `onDrag({x, y})` while
     * a swipe goes on, `onRelease()` when nothing comes of it, `onStep(by)`, `onClose()`, `onTap()`.
     * @param {HTMLElement} stage @param {GestureOptions} options */
    constructor(stage, options) {
        const { signal } = options;
        this.stage = stage;
        this.sizes = options.sizes;
        this.onZoom = options.onZoom;
        this.onBegin = options.onBegin;
        this.onDrag = options.onDrag;
        this.onRelease = options.onRelease;
        this.onStep = options.onStep;
        this.onClose = options.onClose;
        this.onTap = options.onTap;
        this.zoom = fitted;
        /** @type {Map<number, Point>} */
        this.pointers = new Map();
        /** @type {Point & {at: number} | null} */
        this.tapped = null;
        signal.addEventListener("abort", () => clearTimeout(this.single));
        /** @param {string} name @param {(event: any) => void} run */
        const on = (name, run) => stage.addEventListener(name, run, { signal });
        on("pointerdown", (event) => this.down(event));
        on("pointermove", (event) => this.move(event));
        on("pointerup", (event) => this.up(event));
        on("pointercancel", (event) => this.up(event, true));
        on("wheel", (event) => this.wheel(event));
        on("dragstart", (event) => event.preventDefault());
    }

    reset() {
        this.pointers.clear();
        this.drag = null;
        this.set(fitted);
    }

    /** @param {Zoom} zoom */
    set(zoom) {
        const { box, picture } = this.sizes();
        this.zoom = clamped(zoom, box, picture);
        this.onZoom(this.zoom);
    }

    /** @param {MouseEvent} event @returns {Point} */
    point(event) {
        const { left, top, width, height } = this.stage.getBoundingClientRect();
        return { x: event.clientX - left - width / 2, y: event.clientY - top - height / 2 };
    }

    /** A mouse has a video to itself; a finger all of it but its controls, and the browser hears of the finger, too.
     * @param {PointerEvent & {target: HTMLElement}} event */
    isForBrowser({ target, pointerType, clientY }) {
        if (target.closest("button")) return true;
        const video = target.closest("video");
        return video !== null && (pointerType === "mouse" || clientY > video.getBoundingClientRect().bottom - controls);
    }

    /** @param {PointerEvent & {target: HTMLElement}} event */
    down(event) {
        if (event.button !== 0 || this.isForBrowser(event)) return;
        this.onBegin();
        this.onVideo = event.target.closest("video") !== null;
        // With it taken from the video, a tap would not reach its own buttons.
        if (!this.onVideo) this.stage.setPointerCapture(event.pointerId);
        this.pointers.set(event.pointerId, this.point(event));
        if (this.pointers.size > 1 && this.onVideo) return;
        if (this.pointers.size === 1) this.drag = { start: this.point(event), zoom: this.zoom, isTap: true };
        else this.beginPinch();
    }

    beginPinch() {
        const [one, other] = [...this.pointers.values()];
        if (this.drag && !this.drag.isTap) this.onRelease();
        this.drag = null;
        this.pinch = { distance: Math.hypot(one.x - other.x, one.y - other.y), zoom: this.zoom,
            middle: { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 } };
    }

    /** @param {PointerEvent} event */
    move(event) {
        if (!this.pointers.has(event.pointerId)) return;
        this.pointers.set(event.pointerId, this.point(event));
        if (this.pinch && this.pointers.size > 1) this.movePinch();
        else if (this.drag) this.moveDrag(this.point(event));
    }

    movePinch() {
        const [one, other] = [...this.pointers.values()];
        const { distance, zoom, middle } = /** @type {{distance: number, zoom: Zoom, middle: Point}} */ (this.pinch);
        const now = { x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 };
        const scaled = scaledAt(zoom, zoom.scale * Math.hypot(one.x - other.x, one.y - other.y) / distance, middle);
        this.set({ ...scaled, x: scaled.x + now.x - middle.x, y: scaled.y + now.y - middle.y });
    }

    /** @param {Point} point */
    moveDrag(point) {
        const drag = /** @type {{start: Point, zoom: Zoom, isTap: boolean}} */ (this.drag);
        const { start, zoom } = drag;
        const by = { x: point.x - start.x, y: point.y - start.y };
        if (Math.hypot(by.x, by.y) > tapSlack) drag.isTap = false;
        if (zoom.scale > 1.01) this.set({ ...zoom, x: zoom.x + by.x, y: zoom.y + by.y });
        // One way or the other, as the finger began.
        else if (!drag.isTap) this.onDrag(Math.abs(by.x) > Math.abs(by.y) ? { x: by.x, y: 0 } : { x: 0, y: Math.max(0, by.y) });
    }

    /** @param {PointerEvent} event @param {boolean} [isGivenUp] */
    up(event, isGivenUp = false) {
        if (!this.pointers.delete(event.pointerId)) return;
        if (this.pinch) {
            if (this.pointers.size === 0) this.pinch = null;
            return;
        }
        const { drag } = this;
        this.drag = null;
        if (!drag || this.pointers.size > 0) return;
        const point = this.point(event);
        if (isGivenUp) this.onRelease();
        else if (drag.isTap) this.tap(point);
        else if (drag.zoom.scale <= 1.01) this.swipe({ x: point.x - drag.start.x, y: point.y - drag.start.y });
    }

    /** @param {Point} by */
    swipe(by) {
        const meant = swipeBy(by);
        if (meant === "close") this.onClose();
        else if (meant) this.onStep(meant === "next" ? 1 : -1);
        else this.onRelease();
    }

    /** What a first tap does waits for whether there is a second one, which enlarges: the bars do not flicker.
     * @param {Point} point */
    tap(point) {
        const tapped = { ...point, at: performance.now() };
        clearTimeout(this.single);
        const isSecond = !this.onVideo && isDoubleTap(this.tapped, tapped);
        this.tapped = isSecond ? null : tapped;
        if (isSecond) this.set(doubled(this.zoom, point));
        else if (this.onVideo) this.onTap();
        else this.single = setTimeout(() => this.onTap(), doubleTap);
    }

    /** With Ctrl it is also what a pinch on a touchpad looks like, in finer steps.
     * @param {WheelEvent & {target: HTMLElement}} event */
    wheel(event) {
        if (event.target.closest("video") || Math.abs(event.deltaX) > Math.abs(event.deltaY)) return;
        event.preventDefault();
        const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 33 : 1);
        this.set(scaledAt(this.zoom, this.zoom.scale * Math.exp(-pixels / (event.ctrlKey ? 200 : 400)), this.point(event)));
    }
}

// The bars around what is shown: they come where somebody is, and go again after a while.

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
        d: () => { if (viewer.photo && viewer.mayTake(viewer.photo)) viewer.download(); } }[event.key.toLowerCase()];
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
