// Small pictures of chosen files, made by this device: what was just chosen is seen before the host has looked into it.
import { smallPictureOf } from "./file-reading.js";

/** Larger ones take too much memory to be decoded beside everything else. */
const largest = 48 * 1024 * 1024;

export class UploadPictures {
    /** `onMade(item)` is called once `item.picture` is there. */
    constructor(onMade) {
        this.onMade = onMade;
        this.known = new WeakSet();
        this.waiting = [];
        this.isAtWork = false;
    }

    want(item) {
        if (item.rank !== 0 || item.size > largest || this.known.has(item)) return;
        this.known.add(item);
        this.waiting.push({ item, file: item.file });
        this.pump();
    }

    /** For a lock: nothing that is shown stays, and nothing more is made. */
    forget() {
        this.waiting = [];
        this.known = new WeakSet();
    }

    /** One at a time: a photo of 12 megapixels is 48 MB while it is decoded. */
    async pump() {
        if (this.isAtWork || this.waiting.length === 0) return;
        this.isAtWork = true;
        const { item, file } = this.waiting.shift();
        const picture = await smallPictureOf(file).catch(() => null);
        this.isAtWork = false;
        if (picture && this.known.has(item)) {
            item.picture = picture;
            this.onMade(item);
        }
        this.pump();
    }
}
