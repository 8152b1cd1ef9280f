// What is said of a photo where there is no picture, or nobody who sees it.
import { t } from "../base/i18n.js";
import { clipOf } from "./live-photos.js";
import { isVideo, whyNoPicture } from "./photo-kinds.js";
import { dayAndTimeOf, lengthOf, timeOf } from "./taken.js";

/**
 * What a screen reader hears first: the kind, the name, how long it is, when it was taken.
 * @param {Photo} photo
 * @returns {string}
 */
export function photoLabel(photo) {
    const kind = clipOf(photo) ? "kind.live" : photo.type.startsWith("image/") ? "kind.photo" : isVideo(photo) ? "kind.video" : "kind.file";
    const name = isVideo(photo) && photo.duration
        ? t("tile.video", { name: photo.name, length: lengthOf(photo.duration) }) : photo.name;
    const plain = t("tile.label", { kind: t(kind), name, date: dayAndTimeOf(timeOf(photo)) });
    const label = photo.favourite ? t("heart.label", { label: plain }) : plain;
    if (photo.item) return t(photo.savedAs ? "tile.saved" : "tile.going", { label });
    const why = noPictureWords(photo);
    return why ? t("tile.why", { label, why }) : label;
}

// Pictures of kinds that the host does not know, by their names.
const unknownPicture = /\.(ai|eps|exr|hdr|ico|kra|pcx|svgz?|tga|wmf|xcf)$/i;

/**
 * Why there is nothing to show of a photo or video; null for one that is shown, and for files of other kinds, of which
 * nobody expects it.
 * @param {Photo} photo
 * @returns {string | null}
 */
export function noPictureWords(photo) {
    const why = whyNoPicture(photo);
    const isExpected = /^(image|video)\//.test(photo.type) || unknownPicture.test(photo.name);
    return why === null || why === "unknown-format" && !isExpected ? null : t(`picture.${why}`);
}

/**
 * The sign of what has no picture.
 * @param {Photo} photo
 * @returns {string}
 */
export function kindIcon(photo) {
    return photo.type.startsWith("image/") ? "photos" : isVideo(photo) ? "play" : "file";
}

/**
 * "HEIC", "MOV": the ending of the name, else the subtype; at most five letters.
 * @param {Photo} photo
 * @returns {string}
 */
export function shortType(photo) {
    const ending = /\.([\p{L}\p{N}]{1,5})$/u.exec(photo.name)?.[1];
    return (ending ?? photo.type.split("/")[1] ?? "").replace(/^x-/, "").slice(0, 5).toUpperCase();
}
