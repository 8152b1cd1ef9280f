// What is asked about albums: a name, which one, and whether its photos go with it.
import { el, icon } from "../base/dom.js";
import { describe, format, t } from "../base/i18n.js";
import { askForm, openSheet, wrongText } from "../elements/dialog.js";
import { seenKey, turn } from "../photos/photo-words.js";

// How an album is called, and its picture.

/** The album of all that has a heart. */
export const favourites = "favourites";

/** That of all that is kept out of the timeline. */
export const archived = "archived";
/** What leads to the wall of places. */
export const allPlaces = "places";
/** How the album of a day in the years before it begins. */
const onDay = "on-";

/** "3 May" of `yyyy-mm-dd`.
 * @param {string} day */
const dayOfYear = (day) => format(new Date(`${day}T12:00:00Z`), { month: "long", day: "numeric", timeZone: "UTC" });

/** @param {{id: string, name?: string}} album */
export function nameOf({ id, name = "" }) {
    if (id === favourites) return t("album.favourites");
    if (id === archived) return t("album.archived");
    if (id === allPlaces) return t("title.places");
    return id.startsWith(onDay) ? t("today.on", { day: dayOfYear(id.slice(onDay.length)) }) : name;
}

/** Whether people have made it; the others hold what is so.
 * @param {{id: string}} album */
export const isMade = ({ id }) => id !== favourites && id !== archived && !id.startsWith(onDay);

/** What is known of the photo that stands for an album; null where none does.
 * @param {Album} album @returns {Photo | null} */
const coverPhoto = ({ cover, coverRotation: rotation, coverEdit: edit }) => (cover
    ? { id: cover, name: "", size: 0, type: "", receivedAt: "", picture: "pending", rotation, edit } : null);

/** What is seen of it: another text where that is something else.
 * @param {Album} album */
export function coverKey(album) {
    const photo = coverPhoto(album);
    return photo ? `${seenKey(photo)} ${photo.rotation ?? 0}` : "";
}

/** Asks for the picture of a cover; a sign stands there until it comes, and where there is none. Gives what ends that.
 * @param {HTMLElement} face @param {Album} album @param {Pictures} pictures @returns {() => void} */
export function showCover(face, album, pictures) {
    const sign = icon(album.id === favourites ? "heart" : album.id === allPlaces ? "pin" : "albums", "no-cover");
    face.replaceChildren(sign);
    const photo = coverPhoto(album);
    if (!photo) return () => {};
    const image = el("img", { alt: "", decoding: "async", draggable: "false" });
    face.append(image);
    turn(image, photo);
    const seen = () => {
        image.className = "is-here";
        sign.remove();
    };
    pictures.showSoon(image, photo, seen);
    return () => pictures.cancel(image);
}

/** Of so many albums nobody finds one by its cover. */
const mostWithoutField = 8;
/** So many albums are drawn at a time: more as soon as somebody comes near the last of them. */
const atOnce = 40;
let count = 0;

/** A field for the name of an album, which says in place what is wrong with it.
 * @param {string} name */
function nameField(name) {
    count += 1;
    const id = `album-name-${count}`;
    const error = el("div", { role: "alert", id: `${id}-error` });
    const input = el("input", { id, autocomplete: "off", maxlength: 200, value: name, "aria-describedby": `${id}-error` });
    const element = el("div", { class: "field" }, el("label", { for: id }, t("album.name")),
        el("div", { class: "box" }, input), error);
    /** @param {boolean} isWrong */
    const mark = (isWrong) => {
        element.classList.toggle("is-wrong", isWrong);
        input.setAttribute("aria-invalid", String(isWrong));
    };
    /** @param {string} text */
    const fail = (text) => {
        mark(true);
        error.replaceChildren(wrongText(text));
    };
    input.addEventListener("input", () => {
        mark(false);
        error.replaceChildren();
    });
    return { element, input, fail };
}

/** Asks for a name until `submit(name)` takes it; true then.
 * @param {{title: string, action: string, name?: string, submit: (name: string) => Promise<unknown>}} options
 * @returns {Promise<boolean>} */
export function askName({ title, action, name = "", submit }) {
    const field = nameField(name);
    const asked = askForm({ title, fields: [field], action, submit: async () => {
        const wanted = field.input.value.normalize("NFC").trim();
        // Everything that can be wrong here is about the name.
        if (wanted === "") throw { words: t("album.nameEmpty"), isProof: true };
        try {
            await submit(wanted);
        } catch (error) {
            if (/^album-name/.test(error.code)) throw { words: describe(error), isProof: true };
            throw error;
        }
    } });
    field.input.select();
    return asked;
}

/** One of the albums, `"new"`, or another choice of `first`; null where nobody chose. `first` are choices of their own that
 * stand before the albums; `mayMake`: also a new one.
 * @param {{title: string, albums: Album[], pictures: Pictures,
 *     first?: {icon: string, label: string, value: string}[], mayMake?: boolean}} options
 * @returns {Promise<Album | string | null>} */
export async function askAlbum({ title, albums, pictures, first = [], mayMake = true }) {
    /** @type {import("../elements/dialog.js").Sheet} */ let sheet;
    /** @param {Node} sign @param {string} name @param {string | null} note @param {Album | string} value */
    const line = (sign, name, note, value) => el("li", {}, el("button", { type: "button", onclick: () => sheet.close(value) },
        sign, el("span", {}, el("strong", {}, name), note === null ? null : el("span", { class: "small figures" }, note)),
        icon("right", "is-small")));
    const wanted = albums.filter(isMade);
    const list = new GrowingList(wanted, (album) => {
        const face = el("span", { class: "album-face is-small" });
        const stop = showCover(face, album, pictures);
        return { element: line(face, nameOf(album), t("count.items", { n: album.count }), album), stop };
    });
    const choices = el("ul", { class: "choice" },
        ...[...first, ...(mayMake ? [{ icon: "add", label: t("album.new"), value: "new" }] : [])].map((one) =>
            line(icon(one.icon), one.label, null, one.value)));
    sheet = openSheet({ title, content: [choices, wanted.length > mostWithoutField ? filter(wanted, list) : null, list.element] });
    const chosen = await sheet.closed;
    list.dispose();
    return chosen ?? null;
}

/** Albums to choose from. Whoever has hundreds goes down them, or types a part of a name. */
class GrowingList {
    /** @type {(() => void)[]} */ stops = [];
    /** @type {Album[]} */ albums = [];
    drawn = 0;

    /** @param {Album[]} albums @param {(album: Album) => {element: HTMLElement, stop: () => void}} draw */
    constructor(albums, draw) {
        this.draw = draw;
        this.element = el("ul", { class: "choice is-albums" });
        this.near = new IntersectionObserver((entries) => {
            if (entries.some(({ isIntersecting }) => isIntersecting)) this.grow();
        }, { rootMargin: "400px" });
        this.show(albums);
    }

    /** @param {Album[]} albums */
    show(albums) {
        this.stop();
        this.albums = albums;
        this.drawn = 0;
        this.element.replaceChildren();
        this.grow();
    }

    grow() {
        this.near.disconnect();
        for (const album of this.albums.slice(this.drawn, this.drawn + atOnce)) {
            const { element, stop } = this.draw(album);
            this.element.append(element);
            this.stops.push(stop);
        }
        this.drawn = Math.min(this.drawn + atOnce, this.albums.length);
        const last = this.element.lastElementChild;
        if (last && this.drawn < this.albums.length) this.near.observe(last);
    }

    stop() {
        for (const stop of this.stops.splice(0)) stop();
    }

    dispose() {
        this.near.disconnect();
        this.stop();
    }
}

/** Leaves those whose name has what is typed.
 * @param {Album[]} albums @param {GrowingList} list */
function filter(albums, list) {
    const names = albums.map((album) => nameOf(album).toLocaleLowerCase());
    const input = el("input", { type: "search", autocomplete: "off", "aria-label": t("album.find"), placeholder: t("album.find") });
    input.addEventListener("input", () => {
        const wanted = input.value.normalize("NFC").trim().toLocaleLowerCase();
        list.show(albums.filter((_, index) => names[index].includes(wanted)));
    });
    return el("div", { class: "box" }, input);
}

/** How an album is deleted: `album`, `photos` with all that is in it, or null. The focus starts on Cancel.
 * @param {Album} album @returns {Promise<"album" | "photos" | null>} */
export async function askDeletion(album) {
    const cancel = el("button", { class: "button", type: "button", "data-first": true }, t("cancel"));
    const go = el("button", { class: "button is-danger-main", type: "button" }, t("album.deleteAction"));
    const all = album.count > 0 ? el("button", { class: "link is-danger is-wide", type: "button" },
        t("album.deletePhotos", { n: album.count })) : null;
    const sheet = openSheet({ title: t("album.deleteTitle", { name: nameOf(album) }), note: t("album.deleteNote"), closable: false,
        content: [el("div", { class: "ends" }, cancel, go), all] });
    cancel.addEventListener("click", () => sheet.close(null));
    go.addEventListener("click", () => sheet.close("album"));
    all?.addEventListener("click", () => sheet.close("photos"));
    return (await sheet.closed) ?? null;
}
