// Loads pictures a few at a time: originals are large, and the connections are shared with uploads.

const shownTypes = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"]);
/** Larger originals are not fetched for a tile; they open in the viewer. */
const tileLimit = 48_000_000;

export function isShownAsImage(photo) {
    return shownTypes.has(photo.type);
}

export function isShownAsTile(photo) {
    return isShownAsImage(photo) && photo.size <= tileLimit;
}

export function isVideo(photo) {
    return photo.type.startsWith("video/");
}

export class Pictures {
    constructor({ atOnce = () => 4 } = {}) {
        this.atOnce = atOnce;
        this.waiting = [];
        this.active = new Map();
    }

    /** Sets `src` when there is room; `done(ok)` after the picture is decoded or has failed. */
    request(image, source, done) {
        this.waiting.push({ image, source, done });
        this.pump();
    }

    /** For a picture that left the view: its request is given up. */
    cancel(image) {
        this.waiting = this.waiting.filter((entry) => entry.image !== image);
        const active = this.active.get(image);
        if (!active) return;
        this.active.delete(image);
        image.removeAttribute("src");
        this.pump();
    }

    clear() {
        this.waiting = [];
        for (const image of [...this.active.keys()]) image.removeAttribute("src");
        this.active.clear();
    }

    pump() {
        while (this.active.size < this.atOnce() && this.waiting.length > 0) this.load(this.waiting.shift());
    }

    async load(entry) {
        const { image, source, done } = entry;
        this.active.set(image, entry);
        image.src = source;
        let ok = true;
        try {
            await image.decode();
        } catch {
            ok = false;
        }
        if (this.active.get(image) !== entry) return;
        this.active.delete(image);
        done(ok);
        this.pump();
    }
}
