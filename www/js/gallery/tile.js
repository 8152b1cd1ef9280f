// A place in the gallery, as a square or as a line of a list. It shows one photo after another while one scrolls.
import { el, icon } from "../base/dom.js";
import { fileName } from "../elements/pieces.js";
import { bytes, t } from "../base/i18n.js";
import { clipOf, dayOf, drawPlaceholder, kindIcon, lengthOf, noPictureWords, photoLabel, seenKey, shortType, timeOf, turn,
    whyNoPicture } from "../photos/photo-words.js";

/** Milliseconds for which its colour stands for a photo: most pictures come sooner, and a drawing would delay them. */
const soon = 200;

/** What its badge tells of: the files that go with it, and its brighter tones.
 * @param {Photo} photo */
const filesAlong = (photo) => [clipOf(photo)?.id, photo.rawFile?.id, photo.gainMap].join();

export class Tile {
    /** @type {HTMLElement | null | undefined} */ day;
    /** @type {Element[] | null | undefined} */ extras;
    /** @type {HTMLElement | null | undefined} */ sign;
    /** @type {HTMLElement | null | undefined} */ heart;
    /** @type {string | undefined} */ state;
    /** @type {string | null | undefined} */ drawnKey;
    /** @type {string | undefined} */ signName;

    /** The `button` has the focus and the label; `pictures` loads the image.
     * @param {{pictures: Pictures, asList: boolean}} options */
    constructor({ pictures, asList }) {
        this.pictures = pictures;
        this.asList = asList;
        /** @type {Photo | null} */
        this.photo = null;
        this.isDressed = false;
        /** @type {HTMLElement | null} */
        this.standIn = null;
        /** @type {string | null} */
        this.dayWords = null;
        this.image = el("img", { alt: "", decoding: "async", draggable: "false" });
        this.face = el("span", { class: "face" }, this.image);
        this.mark = el("span", { class: "mark" });
        this.button = el("button", { class: "cell", type: "button", tabindex: "-1", "aria-label": t("tile.loading") },
            this.face, this.mark);
        this.element = el("div", { role: "gridcell", class: asList ? "line" : "square" }, this.button);
    }

    /** `photo` is null where it is not here yet. Of another one than before the colour is shown, until it is dressed; true
     * then.
     * @param {Photo | null} photo @returns {boolean} */
    show(photo) {
        // Of the same photo another part may be shown by now.
        const isOther = photo?.id !== this.photo?.id || photo !== null && seenKey(photo) !== this.drawnKey;
        if (isOther && photo && photo.id === this.photo?.listedAs) return this.takeOver(photo);
        if (isOther) this.change(photo);
        else if (photo && photo !== this.photo) this.renew(photo);
        return isOther;
    }

    /** The host lists what stood here while it was on its way: its picture stays. True where there is none.
     * @param {Photo} photo @returns {boolean} */
    takeOver(photo) {
        const hasPicture = this.image.classList.contains("is-here");
        if (!hasPicture) {
            this.change(photo);
            return true;
        }
        this.photo = photo;
        this.drawnKey = seenKey(photo);
        turn(this.image, photo);
        this.isDressed = false;
        this.button.dataset.id = photo.id;
        this.dress();
        this.pictures.askQuietly({ photo, done: (ok) => this.hear(photo, ok) });
        return false;
    }

    /** The host has a better picture than this device's, or can show nothing of the photo.
     * @param {Photo} photo @param {boolean} ok */
    hear(photo, ok) {
        if (this.photo?.id !== photo.id) return;
        if (!ok) {
            this.drawKind();
            return;
        }
        this.pictures.showAtOnce(this.image, photo);
        if (this.image.hasAttribute("src")) this.showImage();
    }

    /** @param {Photo | null} photo */
    change(photo) {
        this.undress();
        this.photo = photo;
        this.drawnKey = photo && seenKey(photo);
        // Not the words of the photo before it, while there is no time for its own.
        this.button.setAttribute("aria-label", t("tile.loading"));
        // What is on its way is nobody's to open or pick yet.
        if (photo === null || photo.item) this.button.removeAttribute("data-id");
        else this.button.dataset.id = photo.id;
        if (photo) turn(this.image, photo);
        if (photo?.colour) this.face.style.setProperty("background-color", photo.colour);
    }

    /** The same photo, of which more may be known by now.
     * @param {Photo} photo */
    renew(photo) {
        const before = /** @type {Photo} */ (this.photo);
        const isChanged = photo.picture !== before.picture && whyNoPicture(photo) !== null;
        // It may be the same object, of which another file has gone since.
        const isOtherKind = filesAlong(photo) !== this.drawnAlong;
        this.photo = photo;
        for (const picture of [this.image, this.standIn]) turn(picture, photo);
        if (!this.isDressed) return;
        if (photo.picture !== "pending") this.pictures.refine(photo, (ok) => this.hear(photo, ok));
        if (isOtherKind) this.button.querySelector(".badge")?.remove();
        if (isChanged) this.drawKind();
        else this.button.setAttribute("aria-label", photoLabel(photo));
        this.drawLength();
    }

    /** How long a video is, on its picture; that a photo moves. */
    drawLength() {
        const photo = /** @type {Photo} */ (this.photo);
        const { duration = 0, gainMap, rawFile } = photo;
        this.drawnAlong = filesAlong(photo);
        const live = clipOf(photo);
        if (this.asList || !(duration || live || gainMap || rawFile) || this.button.querySelector(".badge, .kind")) return;
        this.add(this.button, live ? el("span", { class: "badge is-live" }, icon("live"))
            : rawFile ? el("span", { class: "badge" }, t("tile.raw"))
            : gainMap ? el("span", { class: "badge" }, t("tile.hdr"))
                : el("span", { class: "badge figures" }, icon("play"), lengthOf(duration)));
    }

    /** The day that begins with it, in a month of many; null where none does.
     * @param {string | null} words */
    setDay(words) {
        if (words === this.dayWords) return;
        this.dayWords = words;
        this.day?.remove();
        this.day = words === null ? null : el("span", { class: "day figures", "aria-hidden": "true" }, words);
        if (this.day) this.button.append(this.day);
    }

    undress() {
        this.stopAsking();
        this.isDressed = false;
        this.hideImage();
        this.face.style.removeProperty("background-color");
        if (this.extras) for (const extra of this.extras) extra.remove();
        this.extras = null;
        this.face.classList.remove("has-kind");
        this.button.removeAttribute("title");
    }

    /** Words and picture, once there is time for them; true where there were any to draw.
     * @returns {boolean} */
    dress() {
        const { photo } = this;
        if (this.isDressed || !photo) return false;
        this.isDressed = true;
        this.button.setAttribute("aria-label", photoLabel(photo));
        for (const extra of this.extras ?? []) extra.remove();
        this.extras = [];
        if (this.asList) this.add(this.button, this.lineWords());
        if (whyNoPicture(photo) !== null) {
            this.drawKind();
            return true;
        }
        this.drawLength();
        this.ask();
        return true;
    }

    ask() {
        const { image } = this;
        const photo = /** @type {Photo} */ (this.photo);
        // What was seen a moment ago is there at once, without fading in again.
        if (this.pictures.showAtOnce(image, photo)) {
            this.showImage();
            this.pictures.refine(photo, (ok) => this.hear(photo, ok));
            return;
        }
        this.isAsking = true;
        this.later = setTimeout(() => this.drawStandIn(), soon);
        const sign = this.drawWaiting();
        this.pictures.request(image, photo, (ok) => {
            if (this.photo?.id !== photo.id) return;
            this.isAsking = false;
            clearTimeout(this.later);
            // This device can show nothing of it: the host will.
            if (!ok && photo.item) return;
            sign?.remove();
            // The host's may have taken the place of this device's.
            if (ok) this.pictures.showAtOnce(image, photo);
            // Hundreds that fade in would take the processor from what is sent.
            if (ok) this.showImage({ isLate: !photo.item && Boolean(sign ?? this.standIn) });
            else this.drawKind();
        });
    }

    /** `isLate`: it fades in, for which it takes a layer of its own.
     * @param {{isLate?: boolean}} options */
    showImage({ isLate = false } = {}) {
        this.face.querySelector(".kind")?.remove();
        this.face.classList.remove("has-kind");
        this.image.className = isLate ? "is-here is-coming" : "is-here";
    }

    hideImage() {
        this.image.className = "";
        this.image.removeAttribute("src");
    }

    stopAsking() {
        if (this.isAsking) this.pictures.cancel(this.image);
        this.isAsking = false;
        clearTimeout(this.later);
        this.standIn?.remove();
        this.standIn = null;
    }

    /** @param {Element} parent @param {Element} element */
    add(parent, element) {
        this.extras?.push(element);
        parent.append(element);
    }

    /** What is shown until the thumbnail is there. */
    drawStandIn() {
        const photo = /** @type {Photo} */ (this.photo);
        const { placeholder } = photo;
        // It stands for all of the photo.
        if (!placeholder || photo.edit) return;
        const canvas = el("canvas", { class: "stand-in", "aria-hidden": "true" });
        if (!drawPlaceholder(canvas, Uint8Array.from(atob(placeholder), (sign) => sign.charCodeAt(0)))) return;
        turn(canvas, photo);
        this.standIn = canvas;
        this.face.prepend(canvas);
    }

    /** While the host makes the first picture of it, a sign instead of a bare square.
     * @returns {Element | null} */
    drawWaiting() {
        const photo = /** @type {Photo} */ (this.photo);
        if (photo.picture !== "pending" || photo.placeholder) return null;
        const sign = icon(kindIcon(photo), "waiting");
        this.add(this.face, sign);
        return sign;
    }

    lineWords() {
        const photo = /** @type {Photo} */ (this.photo);
        const words = `${bytes(photo.size)} · ${dayOf(timeOf(photo))}`;
        return el("span", { class: "line-words" }, fileName(photo.name),
            el("span", { class: "small figures" }, words));
    }

    /** No picture to show: what it is and what it is called. */
    drawKind() {
        const photo = /** @type {Photo} */ (this.photo);
        this.stopAsking();
        this.hideImage();
        this.face.style.removeProperty("background-color");
        const why = noPictureWords(photo);
        this.button.setAttribute("aria-label", photoLabel(photo));
        if (why) this.button.title = why;
        this.face.querySelector(".kind")?.remove();
        this.face.classList.add("has-kind");
        this.add(this.face, el("span", { class: "kind" }, icon(kindIcon(photo)),
            el("span", { class: "kind-type" }, shortType(photo)), this.asList ? null : fileName(photo.name),
            why && !this.asList ? el("span", { class: "kind-why" }, why) : null));
    }

    /** @param {{isOn: boolean, isPicked: boolean, isNew: boolean, isChecked: boolean, isStop: boolean}} state */
    setState({ isOn, isPicked, isNew, isChecked, isStop }) {
        const { item } = this.photo ?? {};
        // On its way, on the host's disk, read back from there.
        const sign = isChecked ? "checked" : item ? (item.photo ? "saved" : "going") : "";
        const hasHeart = this.photo?.favourite === true;
        const key = [isOn && this.photo !== null, isPicked, isNew, sign, isStop, hasHeart].join();
        if (key === this.state) return;
        this.state = key;
        this.drawSign(sign);
        this.drawHeart(hasHeart);
        if (isOn && this.photo) this.element.setAttribute("aria-selected", String(isPicked));
        else this.element.removeAttribute("aria-selected");
        this.button.classList.toggle("is-new", isNew);
        this.button.tabIndex = isStop ? 0 : -1;
    }

    /** @param {boolean} hasHeart */
    drawHeart(hasHeart) {
        if (hasHeart === Boolean(this.heart)) return;
        this.heart?.remove();
        // Of one that a mouse was offered.
        this.button.querySelector(".heart")?.remove();
        this.heart = hasHeart ? el("span", { class: "heart" }, icon("heart")) : null;
        if (this.heart) this.button.append(this.heart);
        if (this.photo && this.isDressed) this.button.setAttribute("aria-label", photoLabel(this.photo));
    }

    /** @param {string} name */
    drawSign(name) {
        if (name === this.signName) return;
        this.signName = name;
        this.sign?.remove();
        this.sign = name === "" ? null : el("span", { class: `sign is-${name}` }, icon(name === "going" ? "save" : "tick"));
        if (this.sign) this.button.append(this.sign);
        if (this.photo && this.isDressed) this.button.setAttribute("aria-label", photoLabel(this.photo));
    }

    dispose() {
        if (this.photo) this.undress();
        this.photo = null;
    }
}
