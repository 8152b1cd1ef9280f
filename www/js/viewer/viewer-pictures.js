// The large pictures of the viewer: the one that is shown and its neighbours, and no request for any other.
import * as api from "../base/api.js";
import { isShownAsImage, whyNoPicture } from "../photos/photo-words.js";

/**
 * @typedef {object} Large
 * @property {AbortController} stop
 * @property {string | null} made
 * @property {Promise<string>} address
 */

/** Larger originals are not fetched whole for a look. */
const largest = 48_000_000;

/**
 * A preview is enough for the window; what moves, and what was not looked into yet, is shown itself.
 * @param {Photo} photo
 * @returns {boolean}
 */
export function isShownItself(photo) {
    const canShow = isShownAsImage(photo) && photo.size <= largest;
    // Where the screen can be brighter than white, the file says how much.
    const isBrighter = photo.gainMap && matchMedia("(dynamic-range: high)").matches;
    return canShow && (photo.type === "image/gif" || photo.animated || isBrighter || photo.picture !== "made");
}

/** @param {Photo} photo */
const pathOf = (photo) => (isShownItself(photo) ? api.originalPath(photo) : api.previewPath(photo));

/**
 * @param {Photo} photo
 * @returns {boolean}
 */
export function hasLargePicture(photo) {
    return photo.type.startsWith("image/") && whyNoPicture(photo) === null;
}

export class ViewerPictures {
    constructor() {
        /** @type {Map<string, Large>} */
        this.kept = new Map();
    }

    /**
     * Keeps these photos, the first of which is shown now, and gives up all others.
     * @param {(Photo | null)[]} photos
     */
    keep(photos) {
        const wanted = /** @type {Photo[]} */ (photos.filter((photo) => photo && hasLargePicture(photo)));
        const ids = new Set(wanted.map(({ id }) => id));
        for (const [id, entry] of this.kept) if (!ids.has(id)) this.drop(id, entry);
        for (const photo of wanted) this.load(photo);
    }

    /**
     * The address of the picture, once it is here. Rejects with `Unreachable` or a `Problem`.
     * @param {Photo} photo
     * @returns {Promise<string>}
     */
    load(photo) {
        const found = this.kept.get(photo.id);
        if (found) return found.address;
        /** @type {Large} */
        const entry = /** @type {any} */ ({ stop: new AbortController(), made: null });
        this.kept.set(photo.id, entry);
        entry.address = this.fetch(photo, entry);
        // Who steps on has no use for the reason; who asks hears of it.
        entry.address.catch(() => { if (this.kept.get(photo.id) === entry) this.kept.delete(photo.id); });
        return entry.address;
    }

    /**
     * The address of a picture that is here; null of any other.
     * @param {Photo} photo
     * @returns {string | null}
     */
    ready(photo) { return this.kept.get(photo.id)?.made ?? null; }

    /**
     * @param {Photo} photo
     * @param {Large} entry
     * @returns {Promise<string>}
     */
    async fetch(photo, entry) {
        const { signal } = entry.stop;
        const blob = await api.blob(pathOf(photo), signal);
        if (signal.aborted) throw new api.Unreachable("given up");
        entry.made = URL.createObjectURL(blob);
        return entry.made;
    }

    /**
     * @param {string} id
     * @param {Large} entry
     */
    drop(id, { stop, made }) {
        stop.abort();
        if (made) URL.revokeObjectURL(made);
        this.kept.delete(id);
    }

    clear() {
        for (const [id, entry] of this.kept) this.drop(id, entry);
    }
}
