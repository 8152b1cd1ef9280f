// Clicks open or pick; a mouse that is drawn over photos picks them, and so does a finger after a long press.
import { el, icon } from "../base/dom.js";

// Scrolls while something is drawn to the upper or lower edge of the window, and rests there.

/** Pixels from the bars in which it begins, and windows per second at the very edge. */
const edge = 72;
const fastest = 1.4;

class EdgeScroll {
    /** @type {number} */ last;

    /** `room()` gives how much of the window is covered, `{above, below}`; `onScroll()` follows each step.
     * @param {{room: () => {above: number, below: number}, onScroll: () => void}} options */
    constructor({ room, onScroll }) {
        this.room = room;
        this.onScroll = onScroll;
        this.y = 0;
        /** @type {number | null} */
        this.frame = null;
    }

    /** @param {number} y */
    follow(y) {
        this.y = y;
        if (this.frame === null && this.share !== 0) {
            this.last = performance.now();
            this.frame = requestAnimationFrame((now) => this.step(now));
        }
    }

    /** From -1, at the upper edge, to 1, at the lower one. */
    get share() {
        const { above, below } = this.room();
        /** @param {number} distance */
        const over = (distance) => Math.min(1, Math.max(0, distance / edge));
        return over(this.y - (innerHeight - below - edge)) - over(above + edge - this.y);
    }

    /** @param {number} now */
    step(now) {
        this.frame = null;
        const { share } = this;
        if (share === 0) return;
        // After a frame that took long it does not leap.
        const seconds = Math.min(0.05, Math.max(0, now - this.last) / 1000);
        this.last = now;
        window.scrollBy(0, Math.sign(share) * Math.max(1, Math.abs(share) * fastest * innerHeight * seconds));
        this.onScroll();
        this.frame = requestAnimationFrame((next) => this.step(next));
    }

    stop() {
        cancelAnimationFrame(this.frame);
        this.frame = null;
    }
}

/** @typedef {{x: number, y: number, nowX?: number, nowY?: number, photo: Photo, pointer: number}} Start */

/** @typedef {{from: Photo, before: Map<string, Photo>, last: string | null}} Painting */

const longPress = 500;
const slack = 10;

/** @param {Gallery} gallery @param {{signal: AbortSignal}} options */
export function handlePointer(gallery, { signal }) {
    return new GalleryPointer(gallery, signal);
}

class GalleryPointer {
    /** @type {number | null | undefined} */ frame;
    /** @type {Element | null | undefined} */ target;

    /** @param {Gallery} gallery @param {AbortSignal} signal */
    constructor(gallery, signal) {
        /** `start`: where a pointer went down, and on which photo; `painting`: what it draws by now. */
        this.gallery = gallery;
        /** @type {ReturnType<typeof setTimeout> | null} */
        this.timer = null;
        /** @type {Start | null} */
        this.start = null;
        /** @type {Painting | null} */
        this.painting = null;
        this.swallow = false;
        this.edge = new EdgeScroll({ room: () => gallery.anchor.room(), onScroll: () => this.paint() });
        /** @param {string} name @param {(event: any) => void} run @param {AddEventListenerOptions} [options] */
        const on = (name, run, options = {}) => gallery.sections.addEventListener(name, run, { ...options, signal });
        on("pointerdown", (event) => this.press(event));
        on("pointermove", (event) => this.move(event));
        for (const name of ["pointerup", "pointercancel"]) on(name, (event) => this.release(event));
        // A finger that draws does not scroll: the browser asks with the first movement only.
        on("touchmove", (event) => { if (this.painting && event.cancelable) event.preventDefault(); }, { passive: false });
        on("contextmenu", (event) => { if (this.swallow || this.painting) event.preventDefault(); });
        on("dragstart", (event) => event.preventDefault());
        on("click", (event) => this.click(event));
        /** What a mouse points at can get a heart: one element for all tiles. */
        this.heart = el("span", { class: "heart is-offered" }, icon("heart"));
        if (gallery.onHeart) on("pointerover", (event) => this.offerHeart(event));
        signal.addEventListener("abort", () => this.stop());
    }

    stop() {
        clearTimeout(this.timer);
        this.edge.stop();
        this.start = this.painting = this.gallery.held = null;
        this.target?.classList.remove("is-target");
        this.target = null;
    }

    /** @param {PointerEvent & {target: HTMLElement}} event */
    offerHeart({ target, pointerType }) {
        const cell = pointerType === "mouse" ? target.closest("[data-id]") : null;
        if (cell?.contains(this.heart)) return;
        if (cell && !cell.querySelector(".heart")) cell.append(this.heart);
        else this.heart.remove();
    }

    /** The photo of the cell under an event; null where there is none.
     * @param {any} target @returns {Photo | null} */
    photoAt(target) {
        const id = target?.closest?.("[data-id]")?.dataset.id;
        return id === undefined ? null : this.gallery.list.at(this.gallery.list.placeOf(id));
    }

    /** @param {PointerEvent} event */
    press(event) {
        if (this.painting) return;
        this.swallow = false;
        const photo = this.photoAt(event.target);
        if (!photo || event.button !== 0) return;
        this.start = { x: event.clientX, y: event.clientY, photo, pointer: event.pointerId };
        if (event.pointerType !== "touch") return;
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            this.swallow = true;
            this.beginPainting();
            this.paint();
        }, longPress);
    }

    /** @param {PointerEvent} event */
    move(event) {
        const { start } = this;
        if (event.pointerId !== start?.pointer) return;
        Object.assign(start, { nowX: event.clientX, nowY: event.clientY });
        const isFar = Math.hypot(event.clientX - start.x, event.clientY - start.y) > slack;
        if (isFar) clearTimeout(this.timer);
        if (!this.painting && isFar && event.pointerType === "mouse") {
            this.beginPainting({ isExtending: event.shiftKey });
        }
        if (!this.painting) return;
        this.edge.follow(event.clientY);
        this.paintSoon();
    }

    /** From the photo under the pointer; `isExtending`: from the one that was touched last.
     * @param {{isExtending?: boolean}} options */
    beginPainting({ isExtending = false } = {}) {
        const { selection } = this.gallery;
        const start = /** @type {Start} */ (this.start);
        if (!selection.isOn) selection.begin();
        const from = isExtending && selection.anchor ? selection.anchor : start.photo;
        this.gallery.sections.setPointerCapture(start.pointer);
        // What a finger began on goes on telling where it is: its cell stays.
        this.gallery.held = start.photo;
        this.painting = { from, before: new Map(selection.picked), last: null };
    }

    paintSoon() {
        this.frame ??= requestAnimationFrame(() => {
            this.frame = null;
            this.paint();
        });
    }

    /** Ends are known by who they are: while somebody draws, the list may move. */
    paint() {
        const { painting, start, gallery } = this;
        if (!painting || !start) return;
        const { x, y, nowX = x, nowY = y } = start;
        this.aim(nowX, nowY);
        const from = gallery.list.placeOf(painting.from.id);
        // Those on the way to the albums are not meant.
        const to = this.target ? from : gallery.placeAtPoint(nowX, nowY);
        const last = `${from} ${to}`;
        if (from < 0 || to < 0 || last === painting.last) return;
        painting.last = last;
        gallery.selection.paint(painting.before, from, to);
    }

    /** What is drawn to the albums beside the photos goes into one of them.
     * @param {number} x @param {number} y */
    aim(x, y) {
        const target = this.gallery.onDrop ? document.elementFromPoint(x, y)?.closest("[data-drop]") ?? null : null;
        if (target === this.target) return;
        this.target?.classList.remove("is-target");
        target?.classList.add("is-target");
        this.target = target;
    }

    /** @param {PointerEvent} event */
    release(event) {
        if (event.pointerId !== this.start?.pointer) return;
        clearTimeout(this.timer);
        if (this.painting) {
            this.paint();
            this.swallow = event.type === "pointerup";
            this.gallery.selection.anchor = this.start.photo;
        }
        const isDropped = this.swallow && this.target;
        this.stop();
        if (isDropped) this.gallery.onDrop?.();
    }

    /** @param {MouseEvent & {target: HTMLElement}} event */
    click(event) {
        const { gallery } = this;
        if (this.swallow) {
            this.swallow = false;
            return;
        }
        const photo = this.photoAt(event.target);
        if (!photo) {
            gallery.useSoon(event.target);
            return;
        }
        // The name of a day stands for all of it: for a mouse, and for fingers while somebody picks.
        if (event.target.closest(".day")) {
            const { from, to, isOne } = gallery.days.around(gallery.list.placeOf(photo.id));
            gallery.selection.toggleRange(from, to, isOne);
            return;
        }
        if (event.target.closest(".heart") && gallery.onHeart && !gallery.selection.isOn) {
            this.heart.remove();
            gallery.onHeart(photo);
            return;
        }
        const extend = event.shiftKey;
        const picks = extend || event.ctrlKey || event.metaKey || event.target.closest(".mark");
        if (picks && !gallery.selection.isOn) gallery.selection.begin();
        gallery.use(gallery.list.placeOf(photo.id), { extend });
    }
}

// Arrows, Home, End, Page keys and the keys of selecting (ARIA APG, grid pattern).

/** @param {Gallery} gallery */
export function steer(gallery) {
    gallery.sections.addEventListener("keydown", (event) => {
        const place = gallery.focused?.place ?? -1;
        if (place < 0 || event.altKey || !/** @type {Element} */ (event.target).closest(".cell")) return;
        const command = event.ctrlKey || event.metaKey;
        const rowsPerPage = Math.max(1, Math.floor(innerHeight / gallery.shape.rowHeight) - 1);
        const next = gallery.layout.target(place, event.key, { rowsPerPage, whole: command });
        if (next !== null) move(gallery, place, next, event.shiftKey);
        else if (!act(gallery, place, event.key, command)) return;
        event.preventDefault();
    });
}

/** @param {Gallery} gallery @param {number} from @param {number} to @param {boolean} extending */
function move(gallery, from, to, extending) {
    const { selection } = gallery;
    if (extending) {
        if (!selection.isOn) selection.begin(from);
        selection.extend(to);
    }
    gallery.focusPlace(to);
}

/** @param {Gallery} gallery @param {number} place @param {string} key @param {boolean} command */
function act(gallery, place, key, command) {
    const { selection } = gallery;
    if (key === " ") {
        if (selection.isOn) selection.toggle(place);
        else selection.begin(place);
    } else if (key === "a" && command) selection.all();
    else if (key === "Delete" && selection.count > 0) gallery.onDelete();
    else return false;
    return true;
}
