// Which part of a photo is shown, and how far it is turned to stand straight: a frame over the whole picture. The file stays as it is.
import { el, keepText, setText } from "../base/dom.js";
import { decimal, describe, t } from "../base/i18n.js";
import { openSheet, wrongText } from "../elements/dialog.js";
import * as api from "../base/api.js";
import { isShownAsImage } from "../photos/photo-words.js";
import { partOf } from "./crop-drawing.js";

export { drawTile, partOf } from "./crop-drawing.js";


/** @typedef {{left: number, top: number, right: number, bottom: number}} Frame  shares of a picture's width and height */
/** @typedef {{width: number, height: number}} Size */

/** The least share of a side that a frame has here, and what a key moves it by; degrees that a key or a step of the slider turns. */
const least = 0.05;
const step = 0.01;
const turnStep = 0.5;
const mostTurned = 45;
/** Pixels around the picture, in which a handle at its edge can be taken. */
const margin = 24;
/** @type {Frame} */ const whole = { left: 0, top: 0, right: 1, bottom: 1 };

// ---- what a frame can be

/** The frame as it lies after so many quarter turns of the picture to the right.
 * @template {Frame} F @param {F} frame @param {number} quarters @returns {F} */
export function turnedFrame(frame, quarters) {
    if (quarters === 0) return frame;
    const { left, top, right, bottom } = frame;
    return turnedFrame({ ...frame, left: 1 - bottom, top: left, right: 1 - top, bottom: right }, quarters - 1);
}

/** Whether nothing but the picture, which is turned by so many degrees about its middle, lies in the frame.
 * @param {Frame} frame @param {number} angle @param {Size} size */
export function isInside({ left, top, right, bottom }, angle, { width, height }) {
    const isRoomy = right - left >= least - 1e-9 && bottom - top >= least - 1e-9;
    if (!isRoomy || Math.min(left, top) < -1e-9 || Math.max(right, bottom) > 1 + 1e-9) return false;
    const [sine, cosine] = [Math.sin(-angle * Math.PI / 180), Math.cos(angle * Math.PI / 180)];
    return [[left, top], [right, top], [right, bottom], [left, bottom]].every((corner) => {
        const [x, y] = [(corner[0] - 0.5) * width, (corner[1] - 0.5) * height];
        const slack = 1e-6 * Math.max(width, height);
        return Math.abs(x * cosine - y * sine) <= width / 2 + slack && Math.abs(x * sine + y * cosine) <= height / 2 + slack;
    });
}

/** As far on the way from one frame to another as the picture reaches. What lies between two frames within it lies within it.
 * @param {Frame} from @param {Frame} to @param {(frame: Frame) => boolean} isGood @returns {Frame} */
export function farthest(from, to, isGood) {
    if (isGood(to)) return to;
    const sides = /** @type {(keyof Frame)[]} */ (Object.keys(whole));
    /** @param {number} part */
    const at = (part) => /** @type {Frame} */ (Object.fromEntries(sides.map((side) => [side, from[side] + (to[side] - from[side]) * part])));
    let [good, bad] = [0, 1];
    for (let round = 0; round < 30; round += 1) {
        const middle = (good + bad) / 2;
        if (isGood(at(middle))) good = middle;
        else bad = middle;
    }
    return at(good);
}

/** The frame around a point that is so many shares wide and high.
 * @param {{x: number, y: number}} middle @param {Size} size @returns {Frame} */
const frameAround = ({ x, y }, { width, height }) => ({ left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 });

/** @param {Frame} frame */
const middleOf = ({ left, top, right, bottom }) => ({ x: (left + right) / 2, y: (top + bottom) / 2 });

/** @param {Frame} frame */
const sizeOf = ({ left, top, right, bottom }) => ({ width: right - left, height: bottom - top });

/** The largest frame of the shape of `wanted`, at most as large, that the turned picture fills: about its own middle where
 * that can be, else nearer to the picture's.
 * @param {Frame} wanted @param {(frame: Frame) => boolean} isGood @returns {Frame} */
export function fitted(wanted, isGood) {
    const { width, height } = sizeOf(wanted);
    const part = least / Math.min(width, height);
    const small = { width: width * part, height: height * part };
    const own = frameAround(middleOf(wanted), small);
    const middle = frameAround({ x: 0.5, y: 0.5 }, small);
    return isGood(own) ? farthest(own, wanted, isGood) : farthest(middle, wanted, isGood);
}

/** A frame one or two of whose edges ("n", "se") were moved by shares of the picture, or all of it for none. `ratio` is that
 * of its shares, width by height, where that stays.
 * @param {Frame} frame @param {string} edges @param {{x: number, y: number}} by @param {number | null} ratio
 * @returns {Frame} */
export function moved(frame, edges, { x, y }, ratio) {
    const { left, top, right, bottom } = frame;
    if (edges === "") return { left: left + x, top: top + y, right: right + x, bottom: bottom + y };
    const has = (/** @type {string} */ edge) => edges.includes(edge);
    if (ratio === null) {
        return { left: left + (has("w") ? x : 0), top: top + (has("n") ? y : 0), right: right + (has("e") ? x : 0),
            bottom: bottom + (has("s") ? y : 0) };
    }
    const { width, height } = sizeOf(frame);
    const [wider, higher] = [has("e") ? x : has("w") ? -x : 0, has("s") ? y : has("n") ? -y : 0];
    const now = Math.abs(wider) > Math.abs(higher) * ratio ? width + wider : (height + higher) * ratio;
    const [across, down] = [Math.max(least, now) - width, Math.max(least, now) / ratio - height];
    // What is not held by the other side grows to both.
    const west = has("w") ? across : has("e") ? 0 : across / 2;
    const north = has("n") ? down : has("s") ? 0 : down / 2;
    return { left: left - west, top: top - north, right: right + across - west, bottom: bottom + down - north };
}

// ---- where somebody says it

/** Width by height of the shapes that a frame can keep; null for any, 0 for that of the picture. */
const shapes = { free: null, original: 0, square: 1, "4:3": 4 / 3, "16:9": 16 / 9 };

/** Asks which part of a photo is to be shown: null for all of it, undefined where somebody changed nothing. `load()` fetches
 * the whole picture.
 * @param {Photo} photo @param {() => Promise<Blob>} load @returns {Promise<Edit | null | undefined>} */
export function askCrop(photo, load) {
    return new Cropping(photo, load).sheet.closed;
}

class Cropping {
    /** @type {Size} */ size = { width: 1, height: 1 };
    /** @type {string | null} */ address = null;
    /** @type {number | null} */ ratio = null;
    /** @type {HTMLImageElement} */ picture;
    /** @type {HTMLElement} */ handle;
    /** @type {HTMLElement} */ box;
    /** @type {HTMLElement} */ stage;
    /** @type {HTMLElement} */ said;
    /** @type {HTMLInputElement} */ slider;
    /** @type {HTMLElement} */ tools;
    /** @type {HTMLElement} */ problem;
    /** @type {HTMLButtonElement} */ save;
    /** @type {import("../elements/dialog.js").Sheet} */ sheet;

    /** @param {Photo} photo @param {() => Promise<Blob>} load */
    constructor(photo, load) {
        this.photo = photo;
        this.quarters = (photo.rotation ?? 0) / 90;
        const { angle = 0, ...frame } = { ...whole, ...photo.edit };
        this.angle = angle;
        /** As somebody wants it, and as much of that as the turned picture fills. */
        this.wanted = this.frame = turnedFrame(frame, this.quarters);
        this.build();
        this.watch();
        this.show(load);
    }

    build() {
        this.picture = el("img", { alt: "", draggable: "false" });
        this.handle = el("div", { class: "crop-frame", tabindex: "0", role: "application", "aria-label": t("crop.frame"),
            "aria-describedby": "crop-keys" }, ...["n", "e", "s", "w", "nw", "ne", "se", "sw"].map((edges) =>
            el("span", { class: `crop-handle is-${edges}`, "data-edges": edges })));
        this.box = el("div", { class: "crop-box", hidden: true }, this.picture, this.handle);
        this.stage = el("div", { class: "crop-stage", role: "group", "aria-label": t("crop") }, this.box);
        this.said = el("output", { class: "small figures", "aria-live": "polite" });
        this.slider = el("input", { type: "range", id: "crop-angle", min: String(-mostTurned), max: String(mostTurned), step: String(turnStep),
            value: String(this.angle), oninput: () => this.turnTo(Number(this.slider.value)) });
        this.problem = el("div", { role: "alert" });
        this.save = el("button", { class: "button is-main", type: "button", disabled: true, onclick: () => this.done() }, t("crop.save"));
        const cancel = el("button", { class: "button", type: "button", onclick: () => this.sheet.close() }, t("cancel"));
        const again = el("button", { class: "link", type: "button", onclick: () => this.reset() }, t("crop.reset"));
        const back = this.photo.edit
            ? el("button", { class: "link", type: "button", onclick: () => this.sheet.close(null) }, t("crop.back")) : null;
        // There is nothing to say of a picture that is not here.
        this.tools = el("div", { class: "crop-tools", inert: true }, this.choice(),
            el("div", { class: "crop-straight" }, el("label", { for: "crop-angle" }, t("crop.straighten")), this.slider),
            el("div", { class: "crop-words" }, this.said, again, back));
        this.sheet = openSheet({ title: t("crop"), note: t("crop.note"), ownsBack: true, content: [this.stage, this.tools,
            el("p", { class: "small crop-keys", id: "crop-keys" }, t("crop.keys")), this.problem, el("div", { class: "ends" }, cancel, this.save)] });
        this.sheet.dialog.classList.add("is-crop");
    }

    choice() {
        return el("div", { class: "segments", role: "radiogroup", "aria-label": t("crop.shape") }, ...Object.entries(shapes).map(([name, ratio]) =>
            el("label", {}, el("input", { type: "radio", name: "crop-shape", checked: ratio === null, onchange: () => this.keepShape(ratio) }),
                name.includes(":") ? name : t(`crop.${name}`))));
    }

    watch() {
        const resized = new ResizeObserver(() => this.draw());
        resized.observe(this.stage);
        this.sheet.closed.then(() => {
            resized.disconnect();
            if (this.address) URL.revokeObjectURL(this.address);
        });
        this.handle.addEventListener("keydown", (event) => this.key(event));
        this.handle.addEventListener("pointerdown", (event) => this.take(event));
    }

    /** @param {() => Promise<Blob>} load */
    async show(load) {
        try {
            this.address = URL.createObjectURL(await load());
            this.picture.src = this.address;
            await this.picture.decode();
        } catch (error) {
            this.problem.replaceChildren(wrongText(describe(error)));
            return;
        }
        const { naturalWidth: width, naturalHeight: height } = this.picture;
        this.size = this.quarters % 2 ? { width: height, height: width } : { width, height };
        this.box.hidden = false;
        this.tools.inert = this.save.disabled = false;
        this.set(this.wanted);
        this.handle.focus();
    }

    // ---- what it is

    /** @param {Frame} frame */
    isGood = (frame) => isInside(frame, this.angle, this.size);

    /** What is wanted from now on, and as much of it as can be.
     * @param {Frame} wanted */
    set(wanted) {
        this.wanted = wanted;
        this.frame = fitted(wanted, this.isGood);
        this.draw();
    }

    /** @param {number} angle */
    turnTo(angle) {
        this.angle = Math.min(mostTurned, Math.max(-mostTurned, angle));
        this.slider.value = String(this.angle);
        this.frame = fitted(this.wanted, this.isGood);
        this.draw();
    }

    reset() {
        this.ratio = null;
        const free = this.sheet.dialog.querySelector(/** @type {"input"} */ ("input[name=crop-shape]"));
        if (free) free.checked = true;
        this.angle = 0;
        this.slider.value = "0";
        this.set(whole);
    }

    /** Of a picture that stands upright the shape does, too.
     * @param {number | null} ratio */
    keepShape(ratio) {
        const { width, height } = this.size;
        const shape = ratio === 0 ? width / height : ratio !== null && height > width ? 1 / ratio : ratio;
        this.ratio = shape === null ? null : shape * height / width;
        if (this.ratio === null) return;
        const middle = middleOf(this.frame);
        const most = Math.min(1, this.ratio);
        const full = frameAround(middle, { width: most, height: most / this.ratio });
        this.set(farthest(frameAround(middle, { width: most * least, height: most * least / this.ratio }), full,
            (frame) => Math.min(frame.left, frame.top) >= 0 && Math.max(frame.right, frame.bottom) <= 1));
    }

    /** Along one side where it cannot go along both.
     * @param {Frame} from @param {string} edges @param {{x: number, y: number}} by */
    move(from, edges, by) {
        const ways = this.ratio === null || edges === "" ? [{ x: by.x, y: 0 }, { x: 0, y: by.y }] : [by];
        this.frame = ways.reduce((frame, way) => farthest(frame, moved(frame, edges, way, this.ratio), this.isGood), from);
        this.wanted = this.frame;
        this.draw();
    }

    // ---- fingers and keys

    /** @param {PointerEvent} event */
    take(event) {
        const { clientX, clientY, pointerId, target } = event;
        const edges = /** @type {HTMLElement} */ (target).dataset.edges ?? "";
        const from = this.frame;
        const { width, height } = this.box.getBoundingClientRect();
        const held = new AbortController();
        const { signal } = held;
        this.handle.setPointerCapture(pointerId);
        this.handle.addEventListener("pointermove", (move) => {
            if (move.pointerId !== pointerId) return;
            this.move(from, edges, { x: (move.clientX - clientX) / width, y: (move.clientY - clientY) / height });
        }, { signal });
        for (const name of ["pointerup", "pointercancel"]) this.handle.addEventListener(name, () => held.abort(), { signal });
    }

    /** @param {KeyboardEvent} event */
    key(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        /** @type {Record<string, {x: number, y: number}>} */
        const ways = { ArrowLeft: { x: -step, y: 0 }, ArrowRight: { x: step, y: 0 }, ArrowUp: { x: 0, y: -step }, ArrowDown: { x: 0, y: step } };
        const way = ways[event.key];
        if (way) this.move(this.frame, event.shiftKey ? (way.x ? "e" : "s") : "", way);
        else if (event.key === "[" || event.key === "]") this.turnTo(this.angle + (event.key === "[" ? -turnStep : turnStep));
        else if (event.key.toLowerCase() === "r") this.reset();
        else if (event.key === "Enter") this.done();
        else return;
        event.preventDefault();
        event.stopPropagation();
    }

    // ---- how it looks

    draw() {
        const { width, height } = this.size;
        const room = { width: this.stage.clientWidth - 2 * margin, height: this.stage.clientHeight - 2 * margin };
        const scale = Math.max(0, Math.min(room.width / width, room.height / height));
        const [wide, high] = [width * scale, height * scale];
        place(this.box, { width: `${wide}px`, height: `${high}px` });
        const isOnSide = this.quarters % 2 === 1;
        place(this.picture, { width: `${isOnSide ? high : wide}px`, height: `${isOnSide ? wide : high}px`,
            transform: `translate(-50%, -50%) rotate(${this.quarters * 90 + this.angle}deg)` });
        const { left, top, right, bottom } = this.frame;
        place(this.handle, { left: `${left * 100}%`, top: `${top * 100}%`, width: `${(right - left) * 100}%`, height: `${(bottom - top) * 100}%` });
        this.say();
    }

    /** As many pixels as the file has there. */
    say() {
        const { width = 0, height = 0 } = this.photo;
        const [wide, high] = this.quarters % 2 ? [height, width] : [width, height];
        const size = sizeOf(this.frame);
        const words = t("crop.size", { width: decimal(size.width * wide, 0), height: decimal(size.height * high, 0) });
        const turned = t("crop.angle", { angle: decimal(this.angle, 1) });
        setText(this.said, [width ? words : "", this.angle ? turned : ""].filter(Boolean).join(" · "));
        this.slider.setAttribute("aria-valuetext", turned);
    }

    done() {
        if (this.save.disabled) return;
        const { left, top, right, bottom } = turnedFrame(this.frame, (4 - this.quarters) % 4);
        const [west, north, east, south] = [left, top, right, bottom].map((side) => Math.min(1, Math.max(0, Math.round(side * 1e6) / 1e6)));
        const isWhole = west === 0 && north === 0 && east === 1 && south === 1 && this.angle === 0;
        const edit = isWhole ? null : { left: west, top: north, right: east, bottom: south, angle: this.angle };
        const before = this.photo.edit;
        const isSame = edit && before ? Object.entries({ angle: 0, ...before }).every(([name, value]) => edit[/** @type {keyof Edit} */ (name)] === value)
            : !edit && !before;
        this.sheet.close(isSame ? undefined : edit);
    }
}

/** @param {HTMLElement} element @param {Record<string, string>} styles */
function place(element, styles) {
    for (const [name, value] of Object.entries(styles)) element.style.setProperty(name, value);
}

/** A copy as it is shown, as a JPEG: of every pixel where the browser reads the file, else of the host's picture of it. Gives
 * what forgets it.
 * @param {Photo} photo @param {AbortSignal} signal @returns {Promise<() => void>} */
export async function downloadPart(photo, signal) {
    const blob = await api.blob(isShownAsImage(photo) ? api.originalPath(photo) : api.previewPath(photo), signal);
    const part = await partOf(blob, photo, { rotation: photo.rotation, type: "image/jpeg" });
    return keepText(part, part.type, t("crop.name", { name: photo.name.replace(/\.[^.]*$/, "") }));
}
