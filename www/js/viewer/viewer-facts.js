// What is known of a photo: read from the host when somebody asks for it.
import * as api from "../base/api.js";
import { request } from "../base/api.js";
import { downloadCleanCopy, downloadPhoto, el, icon, svg } from "../base/dom.js";
import { bytes, decimal, describe, has, t } from "../base/i18n.js";
import { preference, remember } from "../base/browser.js";
import { tick } from "../elements/dialog.js";
import { dayAndTimeOf, dayOf, hourOf, isOnlySeen, lengthOf, mayHaveCleanCopy, shortType, timeOf } from "../photos/photo-words.js";

// A small map of our own: the outline of all land, which `scripts/draw-world` draws, and where a photo was taken. Nobody else
// is asked for it.

/** Of the path, which is 3600 by 1800. */
const perDegree = 10;
const width = 360 * perDegree;
/** Degrees that are seen from north to south, of a part and of all; and how much wider than high the map is. */
const near = 26;
const far = 180;
const shape = 2;

/** @type {Promise<string | null> | null} */ let coming = null;

/** The path of the land; null where the page is served without it, as it lies in the sources.
 * @returns {Promise<string | null>} */
export function land() {
    coming ??= request("GET", "/world.json").then(({ d }) => d, (error) => {
        // Asked for again with the next photo.
        if (error.status !== 404) coming = null;
        return null;
    });
    return coming;
}

/** Comes a moment later than the words; a tap shows all of the world, or what is near.
 * @param {Place} place @returns {HTMLElement} */
function worldMap(place) {
    const button = el("button", { class: "world", type: "button", hidden: true });
    let isNear = true;
    /** @param {string} d */
    const draw = (d) => {
        button.replaceChildren(drawing(d, place, isNear));
        button.setAttribute("aria-label", t(isNear ? "map.far" : "map.near"));
        button.hidden = false;
    };
    land().then((d) => {
        if (!d) return;
        draw(d);
        button.addEventListener("click", () => {
            isNear = !isNear;
            draw(d);
        });
    });
    return button;
}

/** Degrees of longitude are shorter far from the equator: near a place they are drawn so.
 * @param {string} d @param {Place} place @param {boolean} isNear */
function drawing(d, { latitude, longitude }, isNear) {
    const high = (isNear ? near : far) * perDegree;
    const narrow = isNear ? Math.max(0.2, Math.cos((latitude * Math.PI) / 180)) : 1;
    const at = { x: (longitude + 180) * perDegree * narrow, y: (90 - latitude) * perDegree };
    const box = isNear ? [at.x - (high * shape) / 2, at.y - high / 2, high * shape, high] : [0, 0, width, high];
    // East of the last meridian the first one follows.
    const turns = isNear ? [-width, 0, width] : [0];
    return svg("svg", { viewBox: box.map(Math.round).join(" "), "aria-hidden": "true" },
        ...turns.map((by) => svg("path", { d, transform: `scale(${narrow} 1) translate(${by} 0)` })),
        svg("circle", { cx: at.x, cy: at.y, r: high / 28 }));
}

// What is known of a photo, in words: when, with what and where it was taken, what its file is, and who gave it.

/** When it was taken; where nobody knows that, when it came.
 * @param {Photo} photo @returns {string} */
export function whenWords(photo) {
    const time = timeOf(photo);
    // Of old photos often no more than a day, a month or a year is known.
    if (!time) return t("date.unknown");
    const words = hourOf(time) ? t("viewer.taken", { day: dayOf(time), time: hourOf(time) }) : dayOf(time);
    return photo.takenAt ? words : t("viewer.added", { date: words });
}

/** When it was taken, and who says so; null where nobody knows.
 * @param {Photo} photo */
export function takenWords(photo) {
    if (!photo.takenAt) return null;
    const said = [`info.from.${photo.takenFrom}`, `info.zone.${photo.takenZone}`].filter(has).map((key) => t(key));
    return dayAndTimeOf(timeOf(photo)) + (said[0] ? ` (${said.join(" · ")})` : "");
}

/** @param {Photo} photo */
function deletedWords({ deletedAt, replaced }) {
    const when = deletedAt && dayAndTimeOf(deletedAt);
    return replaced && when ? t("info.replaced", { when }) : when;
}

/** Many makers write their name into that of the model, too.
 * @param {Photo["camera"]} camera */
export function cameraWords(camera) {
    const { make = "", model = "" } = camera ?? {};
    return model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`.trim();
}

/** Through which door it came, and from whom; null of what did not come through one.
 * @param {Photo["given"]} given */
export function givenWords(given) {
    if (!given) return null;
    const { door: { name: door }, giver } = given;
    return giver ? t("info.givenBy", { giver, door }) : t("info.givenThrough", { door });
}

/** "JPG · 640 × 480 · 161 kB": the kind of file, its size in pixels, how long it is, and its bytes.
 * @param {Photo} photo */
export function originalWords(photo) {
    const size = photo.width && photo.height ? `${photo.width} × ${photo.height}` : null;
    const length = photo.duration ? lengthOf(photo.duration) : null;
    return [shortType(photo), photo.gainMap ? "HDR" : null, size, length, isOnlySeen(photo) ? null : bytes(photo.size)].filter(Boolean).join(" · ");
}

/** "48.85837° N, 2.29448° E"; `digits` behind the point.
 * @param {Place} place @param {number} [digits] @returns {string} */
export function placeWords({ latitude, longitude }, digits = 5) {
    /** @param {number} value @param {string} positive @param {string} negative */
    const degrees = (value, positive, negative) => `${decimal(Math.abs(value), digits)}° ${value < 0 ? negative : positive}`;
    return `${degrees(latitude, "N", "S")}, ${degrees(longitude, "E", "W")}`;
}

/** The key of what is told, and what that is; nothing is told where it is empty.
 * @typedef {[string, string | Node[] | null | undefined]} Fact */

export class Facts {
    /** @type {Photo} */ photo;
    /** @type {AbortController | undefined} */ stop;
    /** Whose caption the field has.
     * @type {{id: string, photo: Photo, text: string} | undefined} */
    described;

    /** `names` are those of places. `onPlace()`: the place is shown or hidden from now on. `onDate()` changes when it was taken, `onMove()` where; `onCaption(photo,
     * text)` what is said of it, and is true when it is kept; `onAlbum(album)` leads there; each where that can be done. `further(photo)` are facts beside its own.
     * `hasCopies`: the host makes copies that say less of it.
     * @param {{names: PlaceNames | null, onClose: () => void, onPlace: () => void, onDate: (() => void) | null, onMove: (() => void) | null,
     *     onCaption: ((photo: Photo, text: string) => Promise<boolean>) | null,
     *     onAlbum: ((album: {id: string}) => void) | null, further: (photo: Photo) => Fact[], hasCopies: boolean}} options */
    constructor({ names, onClose, onPlace, onDate, onMove, onCaption, onAlbum, further, hasCopies }) {
        this.names = names;
        this.onMove = onMove;
        this.further = further;
        this.hasCopies = hasCopies;
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
        const letters = tick(t("info.letters"), t(hasCopies ? "info.lettersNote" : "info.lettersSeen"), preference("letters", "on") === "on");
        letters.input.addEventListener("change", () => remember("letters", letters.input.checked ? "on" : "off"));
        this.element = el("aside", { class: "viewer-info", "aria-labelledby": "viewer-info-title", tabindex: "-1",
            hidden: true }, el("div", { class: "sheet-head" }, el("h2", { id: "viewer-info-title" }, t("info.title")),
            el("button", { class: "round", type: "button", "aria-label": t("close"), onclick: onClose }, icon("close"))),
        this.captionField, this.list, this.more, el("div", { class: "only-keyboard" }, letters.element));
    }

    /** What the list says already, then what the host knows.
     * @param {Photo} photo */
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
            await this.names?.learn(whole.place?.id);
            if (signal.aborted) return;
            this.draw({ ...photo, ...whole, ...(this.hasCopies ? {} : { size: photo.size, receivedAt: photo.receivedAt }) });
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

    /** Only once it is known what stands there: nobody writes over what has not come. What somebody is writing stays.
     * @param {Photo} whole */
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

    /** Escape leaves the field, and not the photo.
     * @param {KeyboardEvent} event */
    leaveCaption(event) {
        if (event.key !== "Escape") return;
        event.preventDefault();
        event.stopPropagation();
        this.caption.blur();
        this.element.focus();
    }

    /** @param {Photo} photo */
    draw(photo) {
        // What lists do not say of it is not unknown.
        /** @type {Fact[]} */
        const facts = [["info.taken", takenWords(photo) ?? (this.onDate && t("info.undated"))], ["info.camera", cameraWords(photo.camera)],
            ["info.lens", photo.camera?.lens], ["info.original", originalWords(photo)],
            ...this.further(photo), ["info.given", givenWords(photo.given)], ["info.place", photo.place || !photo.sha256 ? null : this.names?.facts(this.onMove)], ["info.name", photo.name],
            ["info.type", photo.type], ["info.added", photo.receivedAt && dayAndTimeOf(photo.receivedAt)],
            ["info.verified", photo.verifiedAt && dayAndTimeOf(photo.verifiedAt)],
            ["info.modified", photo.modifiedAt && dayAndTimeOf(photo.modifiedAt)],
            ["info.deleted", deletedWords(photo)], ["info.sha256", photo.sha256]];
        const rows = facts.filter(([, value]) => value).map(([key, value]) => row(key, value ?? ""));
        if (this.onDate) withButton(rows.find(({ dataset }) => dataset.key === "info.taken"), t("date.change"), this.onDate);
        rows.splice(rows.findIndex(({ dataset }) => dataset.key === "info.name"), 0,
            ...(photo.albums?.length ? [this.albums(photo.albums)] : []), ...(photo.place ? [this.place(photo.place)] : []));
        if (photo.rawFile) rows.push(filesRow("info.raw", [photo.rawFile]));
        if (photo.sidecars) rows.push(filesRow("info.sidecars", photo.sidecars));
        this.list.replaceChildren(...rows);
        this.more.replaceChildren(...(this.hasCopies && mayHaveCleanCopy(photo.type) ? [cleanCopy(photo)] : []));
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

    /** Somebody may look over one's shoulder: it can be put away, and stays so.
     * @param {Place} place */
    place(place) {
        const isHidden = preference("place", "shown") === "hidden";
        const { altitude } = place;
        const height = altitude === undefined ? "" : ` · ${t("info.metres", { n: decimal(altitude, 0) })}`;
        const words = `${placeWords(place)}${height}`;
        const element = row("info.place", isHidden ? t("info.hidden") : this.names?.facts(this.onMove, place, words) ?? words);
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

/** @param {string} key @param {string | Node[]} value */
function row(key, value) {
    const element = el("div", {}, el("dt", {}, t(key)),
        el("dd", { class: key === "info.sha256" ? "hex" : "figures" }, ...[value].flat()));
    element.dataset.key = key;
    return element;
}

/** @param {HTMLElement | undefined} element @param {string} words @param {() => void} run */
function withButton(element, words, run) {
    const value = element?.lastElementChild;
    if (!value) return;
    value.classList.add("has-button");
    value.replaceChildren(el("span", {}, ...value.childNodes), el("button", { class: "link", type: "button", onclick: run }, words));
}

/** What goes with the photo, and can be had here.
 * @param {string} key @param {(Sidecar | Photo)[]} files */
function filesRow(key, files) {
    return row(key, files.map((file) => el("button", { class: "link", type: "button",
        onclick: () => downloadPhoto(file) }, `${file.name} · ${bytes(file.size)}`)));
}

/** @param {Photo} photo */
function cleanCopy(photo) {
    return el("button", { class: "link", type: "button", onclick: () => downloadCleanCopy(photo) },
        icon("download", "is-small"), t("info.clean"));
}
