// What the viewer shows of one photo: what is here at once, then the large picture; or a video; or why there is nothing.
import * as api from "./api.js";
import { el, icon } from "./dom.js";
import { t } from "./i18n.js";
import { noPictureWords, shortType } from "./photo-words.js";
import { isShownAsImage, isVideo } from "./pictures.js";
import { drawPlaceholder } from "./placeholder.js";
import { confirmSession } from "./session-watch.js";
import { Gestures } from "./viewer-gestures.js";
import { hasLargePicture, ViewerPictures } from "./viewer-pictures.js";
import { fittedSize } from "./zoom.js";

/** Beyond this the pixels of a preview are seen as such. */
const originalFrom = 1.6;

export class Stage {
    /** `pictures` has the thumbnails; `onStep`, `onClose` and `onTap` as for the gestures. */
    constructor({ pictures, signal, onStep, onClose, onTap }) {
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

    sizes() {
        const { clientWidth: width, clientHeight: height } = this.element;
        const shown = this.frame.querySelector("img");
        return { box: { width, height }, picture: fittedSize({ width, height },
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
        if (isVideo(photo)) this.frame.replaceChildren(this.videoOf(photo));
        else if (hasLargePicture(photo)) this.showPicture(photo);
        else this.showKnownReason(photo);
        this.large.keep([photo, ...neighbours]);
    }

    showPicture(photo) {
        const standIn = el("canvas", { class: "stand-in", "aria-hidden": "true" });
        const bytes = Uint8Array.from(atob(photo.placeholder ?? ""), (sign) => sign.charCodeAt(0));
        const source = this.thumbnails.thumbnail(photo);
        const first = source ? el("img", { class: "first", src: source, alt: photo.name, draggable: "false" })
            : drawPlaceholder(standIn, bytes) ? standIn : null;
        this.frame.replaceChildren(...[first].filter(Boolean));
        this.showLarge(photo, this.large.load(photo));
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
        if (this.photo !== photo) return;
        this.frame.replaceChildren(image);
        this.element.dataset.shown = photo.id;
    }

    /** A picture that is being made comes by itself; any other answer says that there will be none. */
    async failed(photo, error) {
        if (this.photo !== photo) return;
        if (error.code === "picture-pending") {
            this.timer = setTimeout(() => {
                if (this.photo === photo) this.showLarge(photo, this.large.load(photo));
            }, Math.max(1, error.retryAfter) * 1000);
            return;
        }
        // A picture that is refused looks to the page like one that no browser can show.
        await confirmSession();
        if (this.photo === photo) this.showReason(photo);
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

    videoOf(photo) {
        const video = el("video", { src: api.originalPath(photo), controls: true, playsinline: true, preload: "metadata",
            "aria-label": photo.name, ...(photo.picture === "made" ? { poster: api.previewPath(photo) } : {}) });
        video.addEventListener("error", () => this.failed(photo, { code: "media" }));
        return video;
    }

    /** Nothing is asked for that could be refused: so ask whether the session still stands. */
    showKnownReason(photo) {
        this.showReason(photo);
        confirmSession();
    }

    showReason(photo) {
        this.frame.replaceChildren(el("div", { class: "cannot" }, icon(isVideo(photo) ? "play" : "file"),
            el("p", {}, el("strong", {}, shortType(photo))), el("p", { class: "note" }, noPictureWords(photo)),
            el("p", { class: "note" }, t("viewer.cannot"))));
    }

    /** Ends the requests of what is left, so that quick steps do not pile up. */
    clear() {
        clearTimeout(this.timer);
        this.stop?.abort();
        if (this.original) URL.revokeObjectURL(this.original);
        Object.assign(this, { photo: null, isOriginal: false, original: null, stop: null });
        delete this.element.dataset.shown;
        for (const media of this.frame.querySelectorAll("video")) {
            media.removeAttribute("src");
            media.load();
        }
        this.frame.replaceChildren();
        this.gestures.reset();
    }

    dispose() {
        this.clear();
        this.large.clear();
    }
}
