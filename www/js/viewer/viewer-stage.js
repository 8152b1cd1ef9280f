// What the viewer shows of one photo: what is here at once, then the large picture; or a video; or why there is nothing.
import * as api from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { clipOf, isOnlySeen, isShownAsImage, isVideo, kindIcon, noPictureWords, shortType, turn } from "../photos/photo-words.js";
import { firstLook, hasLargePicture, isShownItself, longestOf, Reel, seenPart } from "./viewer-pictures.js";
import { Gestures, zoomStep } from "./viewer-gestures.js";

/** @typedef {{pictures: Pictures, signal: AbortSignal, onStep: (by: number) => void, onClose: () => void,
 *     onTap: () => void, canStep: (by: number) => boolean, onPlay: () => void, onZoomed: () => void, onFilled: () => void}} StageOptions */

/** Beyond this the pixels of a preview are seen as such. */
const originalFrom = 1.6;

/** While the host makes the only picture that a browser can show.
 * @param {Photo} photo */
function waiting(photo) {
    return el("div", { class: "cannot", role: "status" }, icon("photos"), el("p", {}, el("strong", {}, shortType(photo))),
        el("p", { class: "note" }, t("viewer.pending")));
}

/** @param {HTMLMediaElement} media */
function unload(media) {
    media.removeAttribute("src");
    media.load();
}

export class Stage extends Reel {
    /** @type {Photo | null | undefined} */ photo;
    /** @type {boolean | undefined} */ isPlaying;
    /** @type {boolean | undefined} */ isOriginal;
    /** @type {string | null | undefined} */ original;
    /** @type {AbortController | null | undefined} */ stop;

    /** `pictures` has the thumbnails; `onStep`, `onClose` and `onTap` as for the gestures; `canStep(by)`: there is
     * another one at that side; `onPlay()`: a video plays or rests; `onZoomed()`: it is nearer or farther; `onFilled()`: something else is seen.
     * @param {StageOptions} options */
    constructor({ pictures, signal, onStep, onClose, onTap, canStep, onPlay, onZoomed, onFilled }) {
        super({ thumbnails: pictures, canStep, onStep });
        this.onPlay = onPlay;
        this.onZoomed = onZoomed;
        this.onFilled = onFilled;
        this.gestures = new Gestures(this.element, {
            signal, onClose, onTap, sizes: () => this.sizes(), onZoom: (zoom) => this.drawZoom(zoom),
            onStep: (by) => this.slide(by), onDrag: (by) => this.drag(by), onRelease: () => this.settle(),
            // Another finger ends at once what the one before it began.
            onBegin: () => this.ending?.(),
        });
    }

    // ---- enlarging

    /** By buttons and keys: `by` steps nearer, or all of it for 0.
     * @param {number} by */
    zoom(by) {
        if (!this.frame.querySelector("img")) return;
        this.gestures.set(zoomStep(this.gestures.zoom, by));
    }

    get video() { return this.frame.querySelector("video"); }

    /** A video is shown that does not play. */
    get isAtRest() { return this.video?.paused === true; }

    /** Where its picture is in the window; null where there is none to see.
     * @returns {Bounds | null} */
    get bounds() {
        const image = this.frame.querySelector("img");
        if (!image) return null;
        const { left, top, width, height } = image.getBoundingClientRect();
        const { picture } = this.sizes();
        const [wide, high] = [picture.width, picture.height].map((length) => length * this.gestures.zoom.scale);
        return { left: left + (width - wide) / 2, top: top + (height - high) / 2, width: wide, height: high };
    }

    /** @param {import("./viewer-gestures.js").Zoom} zoom */
    drawZoom({ scale, x, y }) {
        this.frame.style.setProperty("transform", scale === 1 ? "none" : `translate(${x}px, ${y}px) scale(${scale})`);
        this.element.classList.toggle("is-near", scale > 1.01);
        this.onZoomed();
        if (scale > originalFrom) this.showOriginal();
    }

    /** `neighbours`, the next one and the one before, are fetched after it.
     * @param {Photo} photo @param {(Photo | null)[]} neighbours */
    show(photo, neighbours) {
        const seen = this.beside.take(photo);
        const before = this.isFading ? this.frame.querySelector("img") : null;
        this.clear();
        this.fade(before);
        this.photo = photo;
        this.limit(photo);
        if (isVideo(photo) && isOnlySeen(photo)) this.showPoster(photo, "viewer.onlySeen");
        else if (isVideo(photo)) this.fill(this.videoOf(photo));
        else this.showStill(photo, seen);
        const [next, previous] = neighbours;
        this.beside.set(previous, next);
        this.large.keep([photo, ...neighbours]);
    }

    /** Somebody has turned what is shown.
     * @param {Photo} photo */
    turn(photo) {
        if (this.photo?.id !== photo.id) return;
        for (const picture of this.frame.querySelectorAll("img, canvas")) turn(picture, photo);
        this.gestures.reset();
    }

    /** Another part of what is shown is to be seen.
     * @param {Photo} photo */
    renew(photo) {
        if (this.photo?.id !== photo.id) return;
        const [previous, next] = this.beside.photos;
        this.show(photo, [next, previous]);
    }

    /** Resolves once the large picture of what is shown is here, or it is known that none comes. */
    whenSeen() { return this.whenReady(this.photo ?? null); }

    /** @param {Photo | null} photo @returns {Promise<unknown>} */
    whenReady(photo) {
        if (!photo || !hasLargePicture(photo)) return Promise.resolve();
        return this.large.load(photo).catch(() => {});
    }

    /** @param {Photo} photo @param {HTMLElement | null} [seen] */
    showStill(photo, seen = null) {
        if (hasLargePicture(photo)) this.showPicture(photo, seen);
        else this.showKnownReason(photo);
    }

    /** Keys come only while something here has the focus: from a video that goes the stage takes it over.
     * @param {...Node} elements */
    fill(...elements) {
        const hadFocus = this.frame.contains(document.activeElement);
        for (const media of this.frame.querySelectorAll("video")) unload(media);
        this.frame.replaceChildren(...elements);
        this.onFilled();
        if (hadFocus) this.element.focus();
    }

    /** On a large screen a picture is not shown larger than it is; where that is not known yet, nothing limits it.
     * @param {{width?: number, height?: number, edit?: Edit}} size */
    limit(size) {
        const longest = longestOf(size);
        if (longest > 0) this.frame.style.setProperty("--longest", `${longest}px`);
        else this.frame.style.removeProperty("--longest");
    }

    /** `seen` is what was seen of it already.
     * @param {Photo} photo @param {HTMLElement | null} [seen] */
    showPicture(photo, seen = null) {
        const first = seen ?? firstLook(photo, this.thumbnails);
        this.fill(...(first ? [first] : []));
        this.showLarge(photo, this.large.load(photo));
    }

    /** @param {Photo} photo @param {Promise<string> | string} coming */
    async showLarge(photo, coming) {
        const image = el("img", { alt: photo.name, decoding: "async", draggable: "false" });
        turn(image, photo);
        try {
            image.src = await coming;
            await image.decode();
        } catch (error) {
            await this.failed(photo, error);
            return;
        }
        if (this.photo !== photo || this.isPlaying) return;
        if (!photo.width && isShownItself(photo)) this.limit({ width: image.naturalWidth, height: image.naturalHeight });
        this.fill(image);
        this.element.dataset.shown = photo.id;
    }

    /** A picture that is being made comes by itself; any other answer says that there will be none.
     * @param {Photo} photo @param {{code?: string, retryAfter?: number}} error */
    async failed(photo, error) {
        // While its video plays, the photo has to wait.
        if (this.photo !== photo || this.isPlaying) return;
        if (error.code === "picture-pending") {
            if (!this.frame.querySelector("img, canvas")) this.fill(firstLook(photo, this.thumbnails) ?? waiting(photo));
            this.timer = setTimeout(() => {
                if (this.photo === photo) this.showLarge(photo, this.large.load(photo));
            }, Math.max(1, error.retryAfter ?? 0) * 1000);
            return;
        }
        // A picture that is refused looks to the page like one that no browser can show.
        await api.confirmSession();
        if (this.photo === photo && !this.isPlaying) this.showReason(photo);
    }

    /** Whoever looks closely gets every pixel, where the browser can show them. */
    async showOriginal() {
        const { photo } = this;
        if (this.isOriginal || !photo || isOnlySeen(photo) || !isShownAsImage(photo) || photo.picture !== "made") return;
        this.isOriginal = true;
        this.stop = new AbortController();
        try {
            const blob = await api.blob(api.originalPath(photo), this.stop.signal);
            this.original = URL.createObjectURL(await seenPart(blob, photo));
            await this.showLarge(photo, this.original);
        } catch {
            // The preview stays, which is what was seen before.
        }
    }

    /** The seconds of video of a Live Photo, once; then, or without `isPlaying`, the photo again. `onEnd` is told.
     * @param {boolean} isPlaying @param {() => void} onEnd */
    playLive(isPlaying, onEnd) {
        const photo = /** @type {Photo} */ (this.photo);
        clearTimeout(this.timer);
        this.isPlaying = isPlaying;
        if (!isPlaying) {
            this.showStill(photo);
            return;
        }
        const clip = /** @type {Photo} */ (clipOf(photo));
        const video = this.videoOf(clip, { autoplay: true });
        video.addEventListener("error", () => { if (video.isConnected) this.showKnownReason(clip); });
        video.addEventListener("ended", () => { if (this.photo === photo && video.isConnected) onEnd(); });
        this.gestures.reset();
        this.fill(video);
    }

    /** @param {Photo} photo @param {{autoplay?: boolean}} options @returns {HTMLVideoElement} */
    videoOf(photo, { autoplay = false } = {}) {
        const video = el("video", { src: api.originalPath(photo), controls: true, playsinline: true, preload: "metadata",
            "aria-label": photo.name, autoplay, ...(photo.picture === "made" ? { poster: api.previewPath(photo) } : {}) });
        const cannot = () => { if (video.isConnected) this.showPoster(photo); };
        video.addEventListener("error", cannot);
        // Where only the sound can be played, no error says so.
        video.addEventListener("loadedmetadata", () => { if (photo.width && !video.videoWidth) cannot(); });
        for (const name of ["play", "pause"]) video.addEventListener(name, () => { if (video.isConnected) this.onPlay(); });
        return video;
    }

    /** What the browser cannot play, or nobody may have, is still seen, and it says so.
     * @param {Photo} photo @param {string} [words] */
    async showPoster(photo, words = "viewer.poster") {
        if (photo.picture !== "made" || this.photo !== photo) {
            this.failed(photo, { code: "media" });
            return;
        }
        await api.confirmSession();
        if (this.photo !== photo) return;
        const image = el("img", { class: "poster", alt: photo.name, draggable: "false", src: api.previewPath(photo) });
        this.fill(image, el("p", { class: "unplayed note" }, t(words)));
        this.element.dataset.shown = photo.id;
    }

    /** Nothing is asked for that could be refused: so ask whether the session still stands.
     * @param {Photo} photo */
    showKnownReason(photo) {
        this.showReason(photo);
        api.confirmSession();
    }

    /** @param {Photo} photo */
    showReason(photo) {
        this.fill(el("div", { class: "cannot" }, icon(kindIcon(photo)),
            el("p", {}, el("strong", {}, shortType(photo))),
            el("p", { class: "note" }, noPictureWords(photo) ?? t("viewer.cannot")),
            el("p", { class: "note" }, t("viewer.kept"))));
    }

    /** Ends the requests of what is left, so that quick steps do not pile up. */
    clear() {
        clearTimeout(this.timer);
        this.stop?.abort();
        if (this.original) URL.revokeObjectURL(this.original);
        this.photo = null;
        this.isPlaying = false;
        this.isOriginal = false;
        this.original = null;
        this.stop = null;
        delete this.element.dataset.shown;
        this.fill();
        this.rest();
        this.gestures.reset();
    }

    dispose() {
        this.clear();
        this.large.clear();
    }
}
