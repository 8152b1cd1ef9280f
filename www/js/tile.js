// One photo in the gallery, as a square or as a line of a list.
import { el, icon } from "./dom.js";
import { bytes, day, dayAndTime, t } from "./i18n.js";
import { isVideo, whyNoPicture } from "./pictures.js";
import { drawPlaceholder } from "./placeholder.js";
import { fileName } from "./upload-row.js";

/** What a screen reader hears first: the kind, the name, when it came. */
export function photoLabel(photo) {
    const kind = photo.type.startsWith("image/") ? "kind.photo" : isVideo(photo) ? "kind.video" : "kind.file";
    const label = t("tile.label", { kind: t(kind), name: photo.name, date: dayAndTime(new Date(photo.receivedAt)) });
    const why = noPictureWords(photo);
    return why ? `${label}. ${why}` : label;
}

/** Why there is nothing to show of a photo or video; null for one that is shown, and for files of other kinds. */
export function noPictureWords(photo) {
    const why = whyNoPicture(photo);
    return why === null || why === "unknown-format" && !/^(image|video)\//.test(photo.type) ? null : t(`picture.${why}`);
}

/** "HEIC", "MOV": the ending of the name, else the subtype; at most five letters. */
export function shortType(photo) {
    const ending = /\.([\p{L}\p{N}]{1,5})$/u.exec(photo.name)?.[1];
    return (ending ?? photo.type.split("/")[1] ?? "").replace(/^x-/, "").slice(0, 5).toUpperCase();
}

export class Tile {
    /** The `button` has the focus and the label; `pictures` loads the image. */
    constructor(photo, { pictures, asList, isNew }) {
        this.photo = photo;
        this.pictures = pictures;
        this.image = null;
        this.mark = el("span", { class: "mark" }, icon("tick"));
        this.face = el("span", { class: "face" });
        this.button = el("button", { class: isNew ? "cell is-new" : "cell", type: "button", tabindex: "-1",
            "aria-label": photoLabel(photo), "data-id": photo.id }, this.face,
        ...(asList ? [this.lineWords(), this.mark] : [this.mark]));
        this.element = el("div", { role: "gridcell", class: asList ? "line" : "square" }, this.button);
        this.asList = asList;
        this.drawFace();
    }

    lineWords() {
        const words = `${bytes(this.photo.size)} · ${day(new Date(this.photo.receivedAt))}`;
        return el("span", { class: "line-words" }, fileName(this.photo.name),
            el("span", { class: "small figures" }, words));
    }

    drawFace() {
        if (whyNoPicture(this.photo) !== null) {
            this.drawKind();
            return;
        }
        if (this.photo.colour) this.face.style.setProperty("background", this.photo.colour);
        const image = el("img", { alt: "", decoding: "async", draggable: "false" });
        this.image = image;
        this.face.replaceChildren(...this.standIn(), image);
        this.pictures.request(image, this.photo, (ok) => {
            if (ok) image.classList.add("is-here");
            else if (this.image === image) this.drawKind();
        });
    }

    /** What is shown until the thumbnail is there. */
    standIn() {
        const { placeholder } = this.photo;
        if (!placeholder) return [];
        const canvas = el("canvas", { class: "stand-in", "aria-hidden": "true" });
        return drawPlaceholder(canvas, Uint8Array.from(atob(placeholder), (sign) => sign.charCodeAt(0))) ? [canvas] : [];
    }

    /** No picture to show: what it is and what it is called. */
    drawKind() {
        this.image = null;
        this.face.style.removeProperty("background");
        const name = this.asList ? null : fileName(this.photo.name);
        const why = noPictureWords(this.photo);
        this.button.setAttribute("aria-label", photoLabel(this.photo));
        if (why) this.button.title = why;
        this.face.replaceChildren(el("span", { class: "kind" }, icon(isVideo(this.photo) ? "play" : "file"),
            el("span", { class: "kind-type" }, shortType(this.photo)), name,
            why && !this.asList ? el("span", { class: "kind-why" }, why) : null));
    }

    setPicked(isOn, isPicked) {
        this.button.classList.toggle("is-picking", isOn);
        if (isOn) this.element.setAttribute("aria-selected", String(isPicked));
        else this.element.removeAttribute("aria-selected");
    }

    dispose() {
        if (this.image) this.pictures.cancel(this.image);
    }
}
