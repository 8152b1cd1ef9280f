// Small pictures of chosen files, made by this device where somebody looks: what was just chosen is seen before the host has
// looked into it.
import { smallPictureOf } from "../files/file-reading.js";

/**
 * @typedef {object} Wanted
 * @property {Item} item
 * @property {Blob} file
 * @property {(picture: Blob | null) => void} resolve
 */

/** Larger ones take too much memory to be decoded beside everything else. */
const largest = 48 * 1024 * 1024;
/** A photo of 12 megapixels is 48 MB while it is decoded. */
const atOnce = 2;
/** Files that keep their pictures, the last ones; others are made again where they are looked at again. */
const mostKept = 100;
/** Files that can still be looked at once they are saved: as many as the panel lists. */
const mostSaved = 20;

export class UploadPictures {
    constructor() {
        /** @type {Wanted[]} */
        this.waiting = [];
        /** @type {Set<Item>} */
        this.kept = new Set();
        /** @type {Map<Item, File>} */
        this.saved = new Map();
        this.running = 0;
        this.generation = 0;
    }

    /**
     * Resolves with the picture of an item as a Blob, or null. `file` is its file, where somebody still has it.
     * @param {Item} item
     * @param {File} [file]
     * @returns {Promise<Blob | null>}
     */
    want(item, file = item.file ?? this.saved.get(item)) {
        if (item.picture) return Promise.resolve(item.picture);
        if (item.rank !== 0 || !file || item.size > largest) return Promise.resolve(null);
        item.picturing ??= new Promise((resolve) => { this.waiting.push({ item, file, resolve }); });
        this.pump();
        return item.picturing;
    }

    /**
     * Nobody looks at it any more.
     * @param {Item} item
     */
    leave(item) {
        const index = this.waiting.findIndex((one) => one.item === item);
        if (index >= 0) this.end(this.waiting.splice(index, 1)[0], null);
    }

    /**
     * Its file is about to be let go of.
     * @param {Item} item
     */
    noteSaved(item) {
        if (item.file) this.saved.set(item, item.file);
        if (this.saved.size > mostSaved) this.saved.delete(this.saved.keys().next().value);
    }

    /** For a lock: nothing that is shown stays, and nothing more is made. */
    forget() {
        this.generation += 1;
        for (const one of this.waiting.splice(0)) this.end(one, null);
        for (const item of this.kept) item.picture = null;
        this.kept.clear();
        this.saved.clear();
    }

    async pump() {
        while (this.running < atOnce && this.waiting.length > 0) {
            this.running += 1;
            this.make(/** @type {Wanted} */ (this.waiting.shift()), this.generation);
        }
    }

    /**
     * @param {Wanted} one
     * @param {number} generation
     */
    async make(one, generation) {
        const { picture, isRough } = await smallPictureOf(one.file).catch(() => ({ picture: null, isRough: false }));
        this.running -= 1;
        const isWanted = generation === this.generation;
        if (isWanted && picture) this.keep(one.item, picture, isRough);
        this.end(one, isWanted ? picture : null);
        this.pump();
    }

    /**
     * @param {Wanted} one
     * @param {Blob | null} picture
     */
    end({ item, resolve }, picture) {
        item.picturing = null;
        resolve(picture);
    }

    /**
     * `isRough`: it is the one that the camera put into the file.
     * @param {Item} item
     * @param {Blob} picture
     * @param {boolean} isRough
     */
    keep(item, picture, isRough) {
        Object.assign(item, { picture, isRough });
        this.kept.add(item);
        if (this.kept.size <= mostKept) return;
        const [oldest] = this.kept;
        oldest.picture = null;
        this.kept.delete(oldest);
    }
}
