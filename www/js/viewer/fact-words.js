// What is known of a photo, in words: when, with what and where it was taken, what its file is, and who gave it.
import { bytes, decimal, has, t } from "../base/i18n.js";
import { dayAndTimeOf, dayOf, hourOf, lengthOf, shortType, timeOf } from "../photos/photo-words.js";

/**
 * When it was taken; where nobody knows that, when it came.
 * @param {Photo} photo
 * @returns {string}
 */
export function whenWords(photo) {
    const time = timeOf(photo);
    // Of old photos often no more than a day, a month or a year is known.
    const words = hourOf(time) ? t("viewer.taken", { day: dayOf(time), time: hourOf(time) }) : dayOf(time);
    return photo.takenAt ? words : t("viewer.added", { date: words });
}

/**
 * When it was taken, and who says so; null where nobody knows.
 * @param {Photo} photo
 */
export function takenWords(photo) {
    const { takenFrom } = photo;
    if (!photo.takenAt) return null;
    const takenAt = timeOf(photo);
    const from = `info.from.${takenFrom}`;
    return takenFrom && has(from) ? `${dayAndTimeOf(takenAt)} (${t(from)})` : dayAndTimeOf(takenAt);
}

/**
 * Many makers write their name into that of the model, too.
 * @param {Photo["camera"]} camera
 */
export function cameraWords(camera) {
    const { make = "", model = "" } = camera ?? {};
    return model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`.trim();
}

/**
 * Through which door it came, and from whom; null of what did not come through one.
 * @param {Photo["given"]} given
 */
export function givenWords(given) {
    if (!given) return null;
    const { door: { name: door }, giver } = given;
    return giver ? t("info.givenBy", { giver, door }) : t("info.givenThrough", { door });
}

/**
 * "JPG · 640 × 480 · 161 kB": the kind of file, its size in pixels, how long it is, and its bytes.
 * @param {Photo} photo
 */
export function originalWords(photo) {
    const size = photo.width && photo.height ? `${photo.width} × ${photo.height}` : null;
    const length = photo.duration ? lengthOf(photo.duration) : null;
    return [shortType(photo), photo.gainMap ? "HDR" : null, size, length, bytes(photo.size)].filter(Boolean).join(" · ");
}

/**
 * "48.85837° N, 2.29448° E"; `digits` behind the point.
 * @param {Place} place
 * @param {number} [digits]
 * @returns {string}
 */
export function placeWords({ latitude, longitude }, digits = 5) {
    /**
     * @param {number} value
     * @param {string} positive
     * @param {string} negative
     */
    const degrees = (value, positive, negative) => `${decimal(Math.abs(value), digits)}° ${value < 0 ? negative : positive}`;
    return `${degrees(latitude, "N", "S")}, ${degrees(longitude, "E", "W")}`;
}
