// The large pictures of the viewer: the one that is shown and its neighbours, and no request for any other.
import * as api from "../base/api.js";
import { later } from "../base/browser.js";
import { el, icon } from "../base/dom.js";
import { drawPlaceholder, isOnSide, isShownAsImage, kindIcon, seenKey, turn, whyNoPicture } from "../photos/photo-words.js";
import { fittedSize } from "./viewer-gestures.js";

/** @typedef {{stop: AbortController, made: string | null, address: Promise<string>}} Large */

/** Larger originals are not fetched whole for a look. */
const largest = 48_000_000;

/** A preview is enough for the window; what moves, and what was not looked into yet, is shown itself.
 * @param {Photo} photo @returns {boolean} */
export function isShownItself(photo) {
    const canShow = isShownAsImage(photo) && photo.size <= largest;
    // Where the screen can be brighter than white, the file says how much.
    const isBrighter = photo.gainMap && !photo.edit && matchMedia("(dynamic-range: high)").matches;
    return canShow && (photo.type === "image/gif" || photo.animated || isBrighter || photo.picture !== "made");
}

/** @param {Photo} photo */
const pathOf = (photo) => (isShownItself(photo) ? api.originalPath(photo) : api.previewPath(photo));

/** The large picture of all of a photo, whatever part of it is shown.
 * @param {Photo} photo @param {AbortSignal} signal */
export const wholePicture = (photo, signal) => api.blob(pathOf(photo), signal);

/** What is to be seen of a picture of all of it.
 * @param {Blob} blob @param {Photo} photo @returns {Promise<Blob>} */
export const seenPart = async (blob, photo) => (photo.edit ? (await later("crop")).partOf(blob, photo) : blob);

/** @param {Photo} photo @returns {boolean} */
export function hasLargePicture(photo) {
    return photo.type.startsWith("image/") && whyNoPicture(photo) === null;
}

/** Pixels of the longer side of what is seen of a photo; 0 where nobody knows.
 * @param {{width?: number, height?: number, edit?: Edit}} photo */
export const longestOf = ({ width = 0, height = 0, edit }) => (edit
    ? Math.round(Math.max(width * (edit.right - edit.left), height * (edit.bottom - edit.top))) : Math.max(width, height));

class ViewerPictures {
    constructor() {
        /** @type {Map<string, Large>} */
        this.kept = new Map();
    }

    /** Keeps these photos, the first of which is shown now, and gives up all others.
     * @param {(Photo | null)[]} photos */
    keep(photos) {
        const wanted = /** @type {Photo[]} */ (photos.filter((photo) => photo && hasLargePicture(photo)));
        const keys = new Set(wanted.map(seenKey));
        for (const [key, entry] of this.kept) if (!keys.has(key)) this.drop(key, entry);
        for (const photo of wanted) this.load(photo);
    }

    /** The address of the picture, once it is here. Rejects with `Unreachable` or a `Problem`.
     * @param {Photo} photo @returns {Promise<string>} */
    load(photo) {
        const key = seenKey(photo);
        const found = this.kept.get(key);
        if (found) return found.address;
        /** @type {Large} */ const entry = /** @type {any} */ ({ stop: new AbortController(), made: null });
        this.kept.set(key, entry);
        entry.address = this.fetch(photo, entry);
        // Who steps on has no use for the reason; who asks hears of it.
        entry.address.catch(() => { if (this.kept.get(key) === entry) this.kept.delete(key); });
        return entry.address;
    }

    /** The address of a picture that is here; null of any other.
     * @param {Photo} photo @returns {string | null} */
    ready(photo) { return this.kept.get(seenKey(photo))?.made ?? null; }

    /** @param {Photo} photo @param {Large} entry @returns {Promise<string>} */
    async fetch(photo, entry) {
        const { signal } = entry.stop;
        const blob = await seenPart(await wholePicture(photo, signal), photo);
        if (signal.aborted) throw new api.Unreachable("given up");
        entry.made = URL.createObjectURL(blob);
        return entry.made;
    }

    /** @param {string} key @param {Large} entry */
    drop(key, { stop, made }) {
        stop.abort();
        if (made) URL.revokeObjectURL(made);
        this.kept.delete(key);
    }

    clear() {
        for (const [key, entry] of this.kept) this.drop(key, entry);
    }
}

// The photos at either side of the one that is shown: they come along while it is swiped away.

/** What there is to see of a photo at once: the thumbnail, else what stands for it; null where neither is here.
 * @param {Photo} photo @param {Pictures} thumbnails @returns {HTMLElement | null} */
export function firstLook(photo, thumbnails) {
    const look = anyLook(photo, thumbnails);
    turn(look, photo);
    return look;
}

/** @param {Photo} photo @param {Pictures} thumbnails @returns {HTMLElement | null} */
function anyLook(photo, thumbnails) {
    const source = thumbnails.thumbnail(photo);
    if (source) return el("img", { class: "first", src: source, alt: photo.name, draggable: "false" });
    // It stands for all of the photo.
    if (photo.edit) return null;
    const standIn = el("canvas", { class: "stand-in", "aria-hidden": "true" });
    const bytes = Uint8Array.from(atob(photo.placeholder ?? ""), (sign) => sign.charCodeAt(0));
    return drawPlaceholder(standIn, bytes) ? standIn : null;
}

class Beside {
    /** @type {boolean | undefined} */ isDrawn;

    /** `thumbnails` and `large` have the pictures.
     * @param {{thumbnails: Pictures, large: ViewerPictures}} options */
    constructor({ thumbnails, large }) {
        this.thumbnails = thumbnails;
        this.large = large;
        /** @type {(Photo | null)[]} */
        this.photos = [null, null];
        this.elements = ["is-previous", "is-next"].map((side) =>
            el("div", { class: `beside ${side}`, "aria-hidden": "true" }));
    }

    /** Of the photo that is shown now, null where it is not here yet; nothing is drawn before a swipe begins.
     * @param {Photo | null} previous @param {Photo | null} next */
    set(previous, next) {
        if ([previous, next].every((photo, side) => photo?.id === this.photos[side]?.id)) return;
        this.photos = [previous ?? null, next ?? null];
        this.clear();
    }

    draw() {
        if (this.isDrawn) return;
        this.isDrawn = true;
        this.photos.forEach((photo, side) => {
            if (!photo) return;
            const longest = longestOf(photo);
            this.elements[side].style.setProperty("--longest", longest > 0 ? `${longest}px` : "none");
            this.elements[side].replaceChildren(this.look(photo));
        });
    }

    /** @param {Photo} photo */
    look(photo) {
        const ready = this.large.ready(photo);
        if (ready) {
            const image = el("img", { src: ready, alt: "", draggable: "false" });
            turn(image, photo);
            return image;
        }
        return firstLook(photo, this.thumbnails)
            ?? el("div", { class: "cannot" }, icon(kindIcon(photo)));
    }

    /** What was seen of a photo while it came in, to be seen on; null where that was nothing.
     * @param {Photo} photo @returns {HTMLElement | null} */
    take(photo) {
        const side = this.photos.findIndex((one) => one?.id === photo.id);
        const look = this.isDrawn && side >= 0 ? this.elements[side].querySelector("img, canvas") : null;
        if (look instanceof HTMLImageElement) look.alt = photo.name;
        return look;
    }

    clear() {
        this.isDrawn = false;
        for (const element of this.elements) element.replaceChildren();
    }
}

/** Milliseconds, and pixels between two photos. */
const slideTime = 180;
const fadeTime = 700;
const between = 24;
const easing = "cubic-bezier(.2, 0, 0, 1)";

const isMotionWanted = () => !matchMedia("(prefers-reduced-motion: reduce)").matches;

/** What moves: the photo that is shown with its neighbours, as a finger draws them, and from one to the next. */
export class Reel {
    /** @type {Point | null | undefined} */ moved;
    /** @type {Animation | null | undefined} */ slid;
    /** @type {(() => void) | null | undefined} */ ending;
    /** Whether one photo fades into the next. */
    isFading = false;

    /** `canStep(by)`: there is another one at that side; `onStep(by)` shows it.
     * @param {{thumbnails: Pictures, canStep: (by: number) => boolean, onStep: (by: number) => void}} options */
    constructor({ thumbnails, canStep, onStep }) {
        this.canStep = canStep;
        this.onStep = onStep;
        this.thumbnails = thumbnails;
        this.large = new ViewerPictures();
        this.frame = el("div", { class: "frame" });
        this.beside = new Beside({ thumbnails, large: this.large });
        this.under = el("div", { class: "under", "aria-hidden": "true" });
        this.reel = el("div", { class: "reel" }, this.beside.elements[0], this.under, this.frame, this.beside.elements[1]);
        this.element = el("figure", { tabindex: "-1" }, this.reel);
    }

    /** What is swiped moves with the finger, and its neighbour with it; where there is none, it goes but a little way.
     * @param {Point} by */
    drag({ x, y }) {
        if (x !== 0) this.beside.draw();
        const isEnd = x !== 0 && !this.canStep(-Math.sign(x));
        this.moved = { x: isEnd ? x / 4 : x, y };
        this.reel.style.setProperty("translate", `${this.moved.x}px ${y}px`);
    }

    /** Back to its place. */
    settle() {
        this.move({ x: 0, y: 0 }, () => {});
    }

    /** The neighbour comes in whole; only then is it the one that is shown.
     * @param {number} by */
    slide(by) {
        if (!this.canStep(by)) {
            this.settle();
            return;
        }
        const end = () => {
            if (this.ending !== end) return;
            this.rest();
            this.onStep(by);
        };
        this.ending = end;
        this.move({ x: -by * (this.element.clientWidth + between), y: 0 }, end);
    }

    /** @param {Point} to @param {() => void} end */
    move({ x, y }, end) {
        const [before, after] = [this.moved ?? { x: 0, y: 0 }, { x, y }].map((at) => `${at.x}px ${at.y}px`);
        this.moved = { x, y };
        this.reel.style.setProperty("translate", after);
        if (before === after || !isMotionWanted()) {
            end();
            return;
        }
        this.slid = this.reel.animate([{ translate: before }, { translate: after }], { duration: slideTime, easing });
        this.slid.finished.then(end, end);
    }

    /** Nothing moves any more. */
    rest() {
        this.ending = null;
        this.slid?.cancel();
        this.slid = this.moved = null;
        this.reel.style.removeProperty("translate");
    }

    /** From where a tile is, `{left, top, width, height}` of the window, to where its photo is shown.
     * @param {Bounds | null} tile */
    comeFrom(tile) {
        if (!tile || !isMotionWanted()) return;
        const { left, top, width, height } = this.element.getBoundingClientRect();
        const { picture } = this.sizes();
        const scale = Math.max(tile.width / picture.width, tile.height / picture.height);
        const x = tile.left + tile.width / 2 - left - width / 2;
        const y = tile.top + tile.height / 2 - top - height / 2;
        this.frame.animate([{ transform: `translate(${x}px, ${y}px) scale(${scale})` }, { transform: "none" }],
            { duration: slideTime, easing });
    }

    /** @returns {{box: Size, picture: Size}} */
    sizes() {
        const { clientWidth: width, clientHeight: height } = this.element;
        const shown = this.frame.querySelector("img");
        const room = shown ? { width: shown.offsetWidth, height: shown.offsetHeight } : { width, height };
        const picture = fittedSize(room, { width: shown?.naturalWidth, height: shown?.naturalHeight });
        const isSideways = shown && isOnSide(shown);
        return { box: { width, height },
            picture: isSideways ? { width: picture.height, height: picture.width } : picture };
    }

    /** From what was shown to what is shown now.
     * @param {HTMLElement | null} before */
    fade(before) {
        this.under.replaceChildren();
        if (!this.isFading || !isMotionWanted()) return;
        const options = { duration: fadeTime, easing };
        this.frame.animate([{ opacity: 0 }, { opacity: 1 }], options);
        if (!before) return;
        this.under.style.cssText = this.frame.style.cssText;
        this.under.replaceChildren(before);
        const gone = () => before.remove();
        this.under.animate([{ opacity: 1 }, { opacity: 0 }], { ...options, fill: "forwards" }).finished.then(gone, gone);
    }
}
