// What is known of a photo: read from the host when somebody asks for it.
import * as api from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { downloadCleanCopy, downloadPhoto } from "../base/download.js";
import { tick } from "../elements/forms.js";
import { bytes, decimal, t } from "../base/i18n.js";
import { preference, remember } from "../base/preferences.js";
import { describe } from "../base/problems.js";
import { dayAndTimeOf } from "../photos/photo-words.js";
import { cameraWords, givenWords, originalWords, placeWords, takenWords } from "./fact-words.js";
import { worldMap } from "./world-map.js";

export class Facts {
    /** @type {Photo} */
    photo;
    /** @type {AbortController | undefined} */
    stop;
    /**
     * Whose caption the field has.
     * @type {{id: string, photo: Photo, text: string} | undefined}
     */
    described;

    /**
     * `onPlace()`: the place is shown or hidden from now on. `onDate()` changes when it was taken; `onCaption(photo,
     * text)` what is said of it, and is true when it is kept; `onAlbum(album)` leads there; each where that can be done.
     * @param {{onClose: () => void, onPlace: () => void, onDate: (() => void) | null,
     *     onCaption: ((photo: Photo, text: string) => Promise<boolean>) | null,
     *     onAlbum: ((album: {id: string}) => void) | null}} options
     */
    constructor({ onClose, onPlace, onDate, onCaption, onAlbum }) {
        this.onPlace = onPlace;
        this.onDate = onDate;
        this.onCaption = onCaption;
        this.onAlbum = onAlbum;
        this.caption = el("textarea", { id: "viewer-caption", maxlength: "2000", placeholder: t("caption.add"), rows: "2",
            onchange: () => this.keepCaption(), onkeydown: (event) => this.leaveCaption(event) });
        this.captionField = el("div", { class: "caption", hidden: true },
            el("label", { class: "small", for: "viewer-caption" }, t("caption.label")), this.caption);
        this.list = el("dl", { class: "facts" });
        this.more = el("div", { class: "facts-more" });
        const letters = tick(t("info.letters"), t("info.lettersNote"), preference("letters", "on") === "on");
        letters.input.addEventListener("change", () => remember("letters", letters.input.checked ? "on" : "off"));
        this.element = el("aside", { class: "viewer-info", "aria-labelledby": "viewer-info-title", tabindex: "-1",
            hidden: true }, el("div", { class: "sheet-head" }, el("h2", { id: "viewer-info-title" }, t("info.title")),
            el("button", { class: "round", type: "button", "aria-label": t("close"), onclick: onClose }, icon("close"))),
        this.captionField, this.list, this.more, el("div", { class: "only-keyboard" }, letters.element));
    }

    /**
     * What the list says already, then what the host knows.
     * @param {Photo} photo
     */
    async show(photo) {
        this.stop?.abort();
        this.keepCaption();
        if (this.photo?.id !== photo.id) this.captionField.hidden = true;
        this.photo = photo;
        if (this.element.hidden) return;
        this.draw(photo);
        this.stop = new AbortController();
        const { signal } = this.stop;
        try {
            const whole = await api.photo(photo.id, signal);
            if (signal.aborted) return;
            this.draw({ ...photo, ...whole });
            this.drawCaption(whole);
        } catch (error) {
            if (!signal.aborted && !(error instanceof api.Unreachable)) {
                this.more.replaceChildren(el("p", { class: "note" }, describe(error)));
            }
        }
    }

    dispose() {
        this.keepCaption();
        this.stop?.abort();
    }

    /**
     * Only once it is known what stands there: nobody writes over what has not come. What somebody is writing stays.
     * @param {Photo} whole
     */
    drawCaption({ id, caption = "" }) {
        if (!this.onCaption || this.caption === document.activeElement && this.described?.id === id) return;
        this.described = { id, photo: Object.assign(this.photo, { caption }), text: caption };
        this.caption.value = caption;
        this.captionField.hidden = false;
    }

    /** What was written is saved when somebody leaves the field, the photo, or the viewer. */
    async keepCaption() {
        const { described } = this;
        const text = this.caption.value.trim();
        if (!described || !this.onCaption || this.captionField.hidden || text === described.text) return;
        const before = described.text;
        described.text = text;
        // What was refused is still there, and is tried again by leaving it again.
        if (!await this.onCaption(described.photo, text)) described.text = before;
    }

    /**
     * Escape leaves the field, and not the photo.
     * @param {KeyboardEvent} event
     */
    leaveCaption(event) {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        this.caption.blur();
        this.element.focus();
    }

    /** @param {Photo} photo */
    draw(photo) {
        /** @type {[string, string | null | undefined][]} */
        const facts = [["info.taken", takenWords(photo) ?? (this.onDate && t("info.undated"))], ["info.camera", cameraWords(photo.camera)],
            ["info.lens", photo.camera?.lens], ["info.original", originalWords(photo)],
            ["info.given", givenWords(photo.given)], ["info.name", photo.name],
            ["info.type", photo.type], ["info.added", photo.receivedAt && dayAndTimeOf(photo.receivedAt)],
            ["info.verified", photo.verifiedAt && dayAndTimeOf(photo.verifiedAt)],
            ["info.modified", photo.modifiedAt && dayAndTimeOf(photo.modifiedAt)],
            ["info.deleted", photo.deletedAt && dayAndTimeOf(photo.deletedAt)], ["info.sha256", photo.sha256]];
        const rows = facts.filter(([, value]) => value).map(([key, value]) => row(key, value ?? ""));
        if (this.onDate) withButton(rows.find(({ dataset }) => dataset.key === "info.taken"), t("date.change"), this.onDate);
        rows.splice(rows.findIndex(({ dataset }) => dataset.key === "info.name"), 0,
            ...(photo.albums?.length ? [this.albums(photo.albums)] : []), ...(photo.place ? [this.place(photo.place)] : []));
        if (photo.sidecars) rows.push(sidecars(photo.sidecars));
        this.list.replaceChildren(...rows);
        this.more.replaceChildren(...(photo.type === "image/jpeg" ? [cleanCopy(photo)] : []));
        if (photo.incomplete) this.more.prepend(el("p", { class: "note" }, t("info.incomplete")));
    }

    /** @param {{id: string, name: string}[]} albums */
    albums(albums) {
        const { onAlbum } = this;
        const names = albums.map((album) => (onAlbum
            ? el("button", { class: "link", type: "button", onclick: () => onAlbum(album) }, album.name) : el("span", {}, album.name)));
        const element = row("info.albums", names);
        element.lastElementChild?.classList.add("album-names");
        return element;
    }

    /**
     * Somebody may look over one's shoulder: it can be put away, and stays so.
     * @param {Place} place
     */
    place(place) {
        const isHidden = preference("place", "shown") === "hidden";
        const { altitude } = place;
        const height = altitude === undefined ? "" : ` · ${t("info.metres", { n: decimal(altitude, 0) })}`;
        const words = isHidden ? t("info.hidden") : `${placeWords(place)}${height}`;
        const element = row("info.place", words);
        withButton(element, t(isHidden ? "show" : "info.hide"), () => {
            remember("place", isHidden ? "shown" : "hidden");
            this.onPlace();
            this.show(this.photo);
            this.element.focus();
        });
        if (!isHidden) element.append(el("dd", {}, worldMap(place)));
        return element;
    }
}

/**
 * @param {string} key
 * @param {string | Node[]} value
 */
function row(key, value) {
    const element = el("div", {}, el("dt", {}, t(key)),
        el("dd", { class: key === "info.sha256" ? "hex" : "figures" }, ...[value].flat()));
    element.dataset.key = key;
    return element;
}

/**
 * @param {HTMLElement | undefined} element
 * @param {string} words
 * @param {() => void} run
 */
function withButton(element, words, run) {
    const value = element?.lastElementChild;
    if (!value) return;
    value.classList.add("has-button");
    value.replaceChildren(el("span", {}, ...value.childNodes), el("button", { class: "link", type: "button", onclick: run }, words));
}

/**
 * What other programs noted beside the photo: it goes with it, and can be had here.
 * @param {Sidecar[]} files
 */
function sidecars(files) {
    return row("info.sidecars", files.map((file) => el("button", { class: "link", type: "button",
        onclick: () => downloadPhoto(file) }, `${file.name} · ${bytes(file.size)}`)));
}

/** @param {Photo} photo */
function cleanCopy(photo) {
    return el("button", { class: "link", type: "button", onclick: () => downloadCleanCopy(photo) },
        icon("download", "is-small"), t("info.clean"));
}
