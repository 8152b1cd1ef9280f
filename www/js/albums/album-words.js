// How an album is called, and its picture.
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** The album of all that has a heart. */
export const favourites = "favourites";

/** @param {{id: string, name?: string}} album */
export const nameOf = (album) => (album.id === favourites ? t("album.favourites") : album.name ?? "");

/**
 * Asks for the picture of a cover; a sign stands there until it comes, and where there is none. Gives what ends that.
 * @param {HTMLElement} face
 * @param {Album} album
 * @param {Pictures} pictures
 * @returns {() => void}
 */
export function showCover(face, album, pictures) {
    const sign = icon(album.id === favourites ? "heart" : "albums", "no-cover");
    face.replaceChildren(sign);
    if (!album.cover) return () => {};
    const image = el("img", { alt: "", decoding: "async", draggable: "false" });
    face.append(image);
    /** @type {Photo} */
    const photo = { id: album.cover, name: "", size: 0, type: "", receivedAt: "", picture: "pending" };
    const seen = () => {
        image.className = "is-here";
        sign.remove();
    };
    if (pictures.showAtOnce(image, photo)) seen();
    else pictures.request(image, photo, (ok) => { if (ok) seen(); });
    return () => pictures.cancel(image);
}
