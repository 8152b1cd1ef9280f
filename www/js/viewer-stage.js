// What the viewer shows of one photo: what is here at once, then the large picture; or a video; or why there is nothing.
import * as api from "./api.js";
import { el, icon } from "./dom.js";
import { t } from "./i18n.js";
import { kindIcon, noPictureWords, shortType } from "./photo-words.js";
import { isShownAsImage, isVideo } from "./pictures.js";
import { drawPlaceholder } from "./placeholder.js";
import { confirmSession } from "./session-watch.js";
import { Gestures } from "./viewer-gestures.js";
import { hasLargePicture, isShownItself, ViewerPictures } from "./viewer-pictures.js";
import { fittedSize } from "./zoom.js";

/** Beyond this the pixels of a preview are seen as such. */
const originalFrom = 1.6;

/** While the host makes the only picture that a browser can show. */
function waiting(photo) {
    return el("div", { class: "cannot", role: "status" }, icon("photos"), el("p", {}, el("strong", {}, shortType(photo))),
        el("p", { class: "note" }, t("viewer.pending")));
}

function unload(media) {
    media.removeAttribute("src");
    media.load();
}

export class Stage {
    /** `pictures` has the thumbnails; `onStep`, `onClose` and `onTap` as for the gestures; `onPlay()`: a video plays or rests. */
    constructor({ pictures, signal, onStep, onClose, onTap, onPlay = () => {} }) {
        this.onPlay = onPlay;
        this.thumbnails = pictures;
        this.large = new ViewerPictures();
        this.frame = el("div", { class: "frame" });
        this.element = el("figure", { tabindex: "-1" }, this.frame);
        this.gestures = new Gestures(this.element, {
            signal, onStep, onClose, onTap, sizes: () => this.sizes(), onZoom: (zoom) => this.drawZoom(zoom),
            onDrag: ({ x, y }) => this.frame.style.setProperty("translate", `${x}px ${y}px`),
        });
    }

    get video() { return this.frame.querySelector("video"); }

    /** A video is shown that does not play. */
    get isAtRest() { return this.video?.paused === true; }

    sizes() {
        const { clientWidth: width, clientHeight: height } = this.element;
        const shown = this.frame.querySelector("img");
        const room = shown ? { width: shown.offsetWidth, height: shown.offsetHeight } : { width, height };
        return { box: { width, height }, picture: fittedSize(room,
            { width: shown?.naturalWidth, height: shown?.naturalHeight }) };
    }

    drawZoom({ scale, x, y }) {
        this.frame.style.setProperty("transform", scale === 1 ? "none" : `translate(${x}px, ${y}px) scale(${scale})`);
        this.element.classList.toggle("is-near", scale > 1.01);
        if (scale > originalFrom) this.showOriginal();
    }

    /** `neighbours` are fetched after it. */
    show(photo, neighbours) {
        this.clear();
        this.photo = photo;
        this.limit(photo);
        if (isVideo(photo)) this.fill(this.videoOf(photo));
        else this.showStill(photo);
        this.large.keep([photo, ...neighbours]);
    }

    showStill(photo) {
        if (hasLargePicture(photo)) this.showPicture(photo);
        else this.showKnownReason(photo);
    }

    /** Keys come only while something here has the focus: from a video that goes the stage takes it over. */
    fill(...elements) {
        const hadFocus = this.frame.contains(document.activeElement);
        for (const media of this.frame.querySelectorAll("video")) unload(media);
        this.frame.replaceChildren(...elements);
        if (hadFocus) this.element.focus();
    }

    /** On a large screen a picture is not shown larger than it is; where that is not known yet, nothing limits it. */
    limit({ width = 0, height = 0 }) {
        const longest = Math.max(width, height);
        if (longest > 0) this.frame.style.setProperty("--longest", `${longest}px`);
        else this.frame.style.removeProperty("--longest");
    }

    showPicture(photo) {
        const first = this.firstOf(photo);
        this.fill(...(first ? [first] : []));
        this.showLarge(photo, this.large.load(photo));
    }

    /** What there is to see of it at once: the thumbnail, else what stands for it; null where neither is here. */
    firstOf(photo) {
        const source = this.thumbnails.thumbnail(photo);
        if (source) return el("img", { class: "first", src: source, alt: photo.name, draggable: "false" });
        const standIn = el("canvas", { class: "stand-in", "aria-hidden": "true" });
        const bytes = Uint8Array.from(atob(photo.placeholder ?? ""), (sign) => sign.charCodeAt(0));
        return drawPlaceholder(standIn, bytes) ? standIn : null;
    }

    async showLarge(photo, coming) {
        const image = el("img", { alt: photo.name, decoding: "async", draggable: "false" });
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

    /** A picture that is being made comes by itself; any other answer says that there will be none. */
    async failed(photo, error) {
        // While its video plays, the photo has to wait.
        if (this.photo !== photo || this.isPlaying) return;
        if (error.code === "picture-pending") {
            if (!this.frame.querySelector("img, canvas")) this.fill(this.firstOf(photo) ?? waiting(photo));
            this.timer = setTimeout(() => {
                if (this.photo === photo) this.showLarge(photo, this.large.load(photo));
            }, Math.max(1, error.retryAfter) * 1000);
            return;
        }
        // A picture that is refused looks to the page like one that no browser can show.
        await confirmSession();
        if (this.photo === photo && !this.isPlaying) this.showReason(photo);
    }

    /** Whoever looks closely gets every pixel, where the browser can show them. */
    async showOriginal() {
        const { photo } = this;
        if (this.isOriginal || !photo || !isShownAsImage(photo) || photo.picture !== "made") return;
        this.isOriginal = true;
        this.stop = new AbortController();
        try {
            const blob = await api.blob(api.originalPath(photo), this.stop.signal);
            this.original = URL.createObjectURL(blob);
            await this.showLarge(photo, this.original);
        } catch {
            // The preview stays, which is what was seen before.
        }
    }

    /** The seconds of video of a Live Photo, once; then, or without `isPlaying`, the photo again. `onEnd` is told. */
    playLive(isPlaying, onEnd) {
        const { photo } = this;
        clearTimeout(this.timer);
        this.isPlaying = isPlaying;
        if (!isPlaying) {
            this.showStill(photo);
            return;
        }
        const video = this.videoOf(photo.live, { autoplay: true });
        video.addEventListener("error", () => { if (video.isConnected) this.showKnownReason(photo.live); });
        video.addEventListener("ended", () => { if (this.photo === photo && video.isConnected) onEnd(); });
        this.gestures.reset();
        this.fill(video);
    }

    videoOf(photo, { autoplay = false } = {}) {
        const video = el("video", { src: api.originalPath(photo), controls: true, playsinline: true, preload: "metadata",
            "aria-label": photo.name, autoplay, ...(photo.picture === "made" ? { poster: api.previewPath(photo) } : {}) });
        video.addEventListener("error", () => this.failed(photo, { code: "media" }));
        for (const name of ["play", "pause"]) video.addEventListener(name, () => { if (video.isConnected) this.onPlay(); });
        return video;
    }

    /** Nothing is asked for that could be refused: so ask whether the session still stands. */
    showKnownReason(photo) {
        this.showReason(photo);
        confirmSession();
    }

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
        Object.assign(this, { photo: null, isPlaying: false, isOriginal: false, original: null, stop: null });
        delete this.element.dataset.shown;
        this.fill();
        this.gestures.reset();
    }

    dispose() {
        this.clear();
        this.large.clear();
    }
}
