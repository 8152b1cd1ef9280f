// The photos at either side of the one that is shown: they come along while it is swiped away.
import { el, icon } from "../base/dom.js";
import { kindIcon, turn } from "../photos/photo-words.js";
import { drawPlaceholder } from "../photos/placeholder.js";

/**
 * What there is to see of a photo at once: the thumbnail, else what stands for it; null where neither is here.
 * @param {Photo} photo
 * @param {Pictures} thumbnails
 * @returns {HTMLElement | null}
 */
export function firstLook(photo, thumbnails) {
    const look = anyLook(photo, thumbnails);
    turn(look, photo);
    return look;
}

/**
 * @param {Photo} photo
 * @param {Pictures} thumbnails
 * @returns {HTMLElement | null}
 */
function anyLook(photo, thumbnails) {
    const source = thumbnails.thumbnail(photo);
    if (source) return el("img", { class: "first", src: source, alt: photo.name, draggable: "false" });
    const standIn = el("canvas", { class: "stand-in", "aria-hidden": "true" });
    const bytes = Uint8Array.from(atob(photo.placeholder ?? ""), (sign) => sign.charCodeAt(0));
    return drawPlaceholder(standIn, bytes) ? standIn : null;
}

export class Beside {
    /** @type {boolean | undefined} */
    isDrawn;

    /**
     * `thumbnails` and `large` have the pictures.
     * @param {{thumbnails: Pictures, large: import("./viewer-pictures.js").ViewerPictures}} options
     */
    constructor({ thumbnails, large }) {
        this.thumbnails = thumbnails;
        this.large = large;
        /** @type {(Photo | null)[]} */
        this.photos = [null, null];
        this.elements = ["is-previous", "is-next"].map((side) =>
            el("div", { class: `beside ${side}`, "aria-hidden": "true" }));
    }

    /**
     * Of the photo that is shown now, null where it is not here yet; nothing is drawn before a swipe begins.
     * @param {Photo | null} previous
     * @param {Photo | null} next
     */
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
            const longest = Math.max(photo.width ?? 0, photo.height ?? 0);
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

    /**
     * What was seen of a photo while it came in, to be seen on; null where that was nothing.
     * @param {Photo} photo
     * @returns {HTMLElement | null}
     */
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
