// Brings the tiles their thumbnails, many in one request; where none was made yet, the original, if it can be shown.
import * as api from "../base/api.js";
import { later } from "../base/browser.js";
import { isShownAsImage, seenKey, whyNoPicture } from "./photo-words.js";
import { fetchThumbnails, PictureStore, pictureType, wait, waiting, withoutWaiting } from "./thumbnails.js";
import { turn } from "../base/dom.js";

/** @typedef {{image: HTMLImageElement, photo: Photo, done: (ok: boolean) => void, questions: number, isQuiet?: boolean,
 *     hear?: (ok: boolean) => void}} Entry */

/** @typedef {{entries: (Entry | null)[], isQuiet: boolean, stop: AbortController}} PictureRequest */

/** Larger originals are not fetched for a tile; they open in the viewer. */
const tileLimit = 48_000_000;
const perRequest = 24;
const requestsAtOnce = 2;
const pauseBeforeAsking = 10_000;
const mostQuestions = 3;
/** Files of this device that are remembered for that, once they are saved. */
const mostMakers = 200;

export class Pictures {
    /** @type {Promise<void> | null | undefined} */ gathering;
    /** @type {(() => void) | undefined} */ onLookedInto;

    /** `isBusy()`: what is sent goes as fast as this device can, and what can wait should.
     * @param {{atOnce?: () => number, isBusy?: () => boolean}} options */
    constructor({ atOnce = () => 4, isBusy = () => false } = {}) {
        this.atOnce = atOnce;
        this.isBusy = isBusy;
        /** Rough pictures that wait for better ones until that is over.
         * @type {Entry[]} */
        this.rough = [];
        this.store = new PictureStore();
        /** @type {Map<HTMLImageElement, Entry>} */
        this.waiting = new Map();
        /** @type {Set<PictureRequest>} */
        this.requests = new Set();
        /** @type {Map<HTMLImageElement, HTMLImageElement>}  the whole pictures from which parts of photos are drawn */
        this.drawing = new Map();
        /** @type {Map<HTMLImageElement, {entry: Entry, maker: Photo}>} */
        this.making = new Map();
        /** Photos of the host that this device has files of: it is the faster one.
         * @type {Map<string, Photo>} */
        this.makers = new Map();
        this.generation = 0;
        /** @type {Entry[]} */
        this.originals = [];
        /** @type {Map<HTMLImageElement, Entry>} */
        this.loading = new Map();
        /** @type {Map<HTMLImageElement, ReturnType<typeof setTimeout>>} */
        this.askingLater = new Map();
        /** What the host is or was asked while a picture of this device's stood for a photo, by the id of that.
         * @type {Map<string, Entry>} */
        this.asked = new Map();
    }

    /** True when the picture of `photo` is here, and shown in `image` from now on.
     * @param {HTMLImageElement} image @param {Photo} photo @returns {boolean} */
    showAtOnce(image, photo) {
        const address = this.thumbnail(photo);
        if (!address) return false;
        if (image.src !== address) image.src = address;
        return image.complete && image.naturalWidth > 0;
    }

    /** The address of a thumbnail that was fetched; null where it was not.
     * @param {Photo} photo @returns {string | null} */
    thumbnail(photo) { return this.store.get(seenKey(photo)); }

    /** What this device has made of a file stands for the photo that the host has of it: nobody has to wait for another.
     * @param {Photo} photo @param {string} id */
    takeOver(photo, id) {
        if (this.store.rename(photo.id, id)) return;
        this.makers.set(id, photo);
        if (this.makers.size > mostMakers) this.makers.delete(this.makers.keys().next().value);
    }

    /** Gives `image` its picture as soon as there is one, and the host's in place of another device's; `onShown` each time.
     * @param {HTMLImageElement} image @param {Photo} photo @param {() => void} onShown */
    showSoon(image, photo, onShown) {
        if (this.showAtOnce(image, photo)) onShown();
        else this.request(image, photo, (ok) => {
            if (!ok) return;
            this.showAtOnce(image, photo);
            onShown();
        });
    }

    /** Gives `image` its picture; `done(ok)` after it is decoded, or when there is none. `photo.picture` says why then.
     * @param {HTMLImageElement} image @param {Photo} photo @param {(ok: boolean) => void} done */
    request(image, photo, done) {
        const entry = { image, photo, done, questions: 0 };
        if (photo.edit) this.requestPart(entry);
        else this.requestWhole(entry);
    }

    /** @param {Entry} entry */
    requestPart(entry) {
        const { image, photo, done } = entry;
        const known = this.thumbnail(photo);
        if (known) {
            this.show(entry, known);
            return;
        }
        const whole = new Image();
        this.drawing.set(image, whole);
        this.requestWhole({ image: whole, photo, questions: 0, done: async (ok) => {
            const drawn = ok ? await later("crop").then(({ drawTile }) => drawTile(whole, photo)).catch(() => null) : null;
            if (this.drawing.get(image) !== whole) return;
            this.drawing.delete(image);
            if (drawn) this.show(entry, this.store.put(seenKey(photo), drawn));
            else done(false);
        } });
    }

    /** @param {Entry} entry */
    requestWhole(entry) {
        const { photo } = entry;
        const address = this.store.get(photo.id);
        const maker = photo.makePicture ? photo : this.makers.get(photo.id);
        if (!address && maker) {
            this.makers.delete(photo.id);
            this.make(entry, maker);
            return;
        }
        if (!address) {
            this.ask(entry);
            return;
        }
        this.show(entry, address);
        this.askQuietly(entry);
    }

    /** Of a file that this device has.
     * @param {Entry} entry @param {Photo} maker */
    async make(entry, maker) {
        const { image, photo, done } = entry;
        this.making.set(image, { entry, maker });
        const { generation } = this;
        const picture = await maker.makePicture?.() ?? null;
        if (generation !== this.generation) return;
        // The host may list it by now.
        const id = photo.listedAs ?? photo.id;
        const address = this.store.get(id) ?? (picture && this.store.put(id, picture, { isRough: maker.isRough }));
        if (this.making.get(image)?.entry !== entry) return;
        this.making.delete(image);
        if (address) {
            this.show(entry, address);
            this.askQuietly(entry);
        } else if (photo.item) done(false);
        else this.ask(entry);
    }

    /** What this device has made of it is shown; whether the host can show it, and where it belongs, only the host says.
     * @param {{photo: Photo, done: (ok: boolean) => void}} wish */
    askQuietly({ photo, done }) {
        const isRough = this.store.isRough(photo.id);
        if (photo.item || (photo.picture !== "pending" && !isRough)) return;
        const known = this.asked.get(photo.id);
        if (known) {
            // Another tile may show it by now.
            known.hear = done;
            return;
        }
        /** @type {Entry} */
        const entry = { image: new Image(), photo, questions: 0, isQuiet: true, hear: done, done: (ok) => {
            if (ok || whyNoPicture(photo) !== null) entry.hear?.(ok);
            // Whoever looks at it later asks again.
            else if (this.store.isRough(photo.id)) this.asked.delete(photo.id);
        } };
        this.asked.set(photo.id, entry);
        if (isRough && this.isBusy()) this.rough.push(entry);
        else this.ask(entry);
    }

    /** What the camera had put into the file is shown until the host has made a better one: `done(ok)`.
     * @param {Photo} photo @param {(ok: boolean) => void} done */
    refine(photo, done) {
        if (this.store.isRough(photo.id)) this.askQuietly({ photo, done });
    }

    /** What is sent has ended, or goes more slowly. */
    catchUp() {
        if (this.rough.length === 0 || this.isBusy()) return;
        for (const entry of this.rough.splice(0)) this.ask(entry);
    }

    /** @param {Entry} entry */
    ask(entry) {
        this.askingLater.delete(entry.image);
        this.waiting.set(entry.image, entry);
        // Tiles come by rows: they are asked for together, once those of this frame are drawn.
        this.gathering ??= turn().then(() => { this.gathering = null; this.pump(); });
    }

    /** For a picture that left the view: its request is given up.
     * @param {HTMLImageElement} image */
    cancel(image) {
        const whole = this.drawing.get(image);
        if (this.drawing.delete(image) && whole) this.cancel(whole);
        this.waiting.delete(image);
        this.making.get(image)?.maker.leavePicture?.();
        this.making.delete(image);
        clearTimeout(this.askingLater.get(image));
        this.askingLater.delete(image);
        for (const request of this.requests) {
            request.entries = request.entries.map((entry) => (entry?.image === image ? null : entry));
            if (request.entries.every((entry) => entry === null)) request.stop.abort();
        }
        this.originals = this.originals.filter((entry) => entry.image !== image);
        if (this.loading.delete(image)) image.removeAttribute("src");
        this.pump();
    }

    /** Nothing of the vault stays. */
    clear() {
        this.waiting.clear();
        this.drawing.clear();
        this.making.clear();
        this.makers.clear();
        this.generation += 1;
        this.originals = [];
        for (const { stop } of this.requests) stop.abort();
        this.requests.clear();
        for (const image of this.loading.keys()) image.removeAttribute("src");
        this.loading.clear();
        for (const timer of this.askingLater.values()) clearTimeout(timer);
        this.askingLater.clear();
        this.asked.clear();
        this.rough = [];
        this.store.clear();
    }

    pump() {
        while (this.requests.size < requestsAtOnce && this.waiting.size > 0) {
            const all = [...this.waiting.values()];
            const loud = all.filter(({ isQuiet }) => !isQuiet);
            // Better pictures wait for those of which there is none, and leave them a way.
            const isQuiet = loud.length === 0;
            if (isQuiet && [...this.requests].some((request) => request.isQuiet)) break;
            const entries = (isQuiet ? all : loud).slice(0, perRequest);
            for (const { image } of entries) this.waiting.delete(image);
            this.fetch({ entries, isQuiet, stop: new AbortController() });
        }
        while (this.loading.size < this.atOnce() && this.originals.length > 0) {
            const entry = /** @type {Entry} */ (this.originals.shift());
            this.show(entry, api.originalPath(entry.photo));
        }
    }

    /** @param {PictureRequest} request */
    async fetch(request) {
        this.requests.add(request);
        const asked = /** @type {Entry[]} */ (request.entries);
        const ids = asked.map(({ photo }) => photo.id);
        const isWaiting = asked.some(({ photo }) => photo.picture === "pending");
        let answered = 0;
        try {
            await (isWaiting ? waiting : withoutWaiting)((seconds) => {
                for (const entry of request.entries) if (entry) entry.questions += seconds / wait;
                return fetchThumbnails(ids, { wait: seconds, own: request.isQuiet, signal: request.stop.signal }, (index, part) => {
                    answered = index + 1;
                    this.take(ids[index], request.entries[index], part);
                });
            });
        } catch {
            // The banner about the connection, or the door, says it.
            for (const entry of request.entries.slice(answered)) if (entry) entry.done(false);
        }
        this.requests.delete(request);
        this.pump();
    }

    /** An entry that left the view is null; its picture is kept all the same.
     * @param {string} id @param {Entry | null} entry @param {{kind: string, content: Uint8Array}} part */
    take(id, entry, { kind, content }) {
        if (kind === "picture") {
            const address = this.store.put(id, new Blob([content], { type: pictureType(content) }));
            if (entry) this.show(entry, address);
            this.noteLooked(entry?.photo, "made");
        } else if (kind === "provisional") {
            // Another device has made it, and the host none yet.
            const address = this.store.put(id, new Blob([content], { type: pictureType(content) }), { isRough: true });
            if (!entry) return;
            this.show(entry, address);
            this.askQuietly(entry);
        } else if (kind === "pending") {
            if (entry) this.bridge(entry);
        } else if (entry) {
            if (kind === "none") this.noteLooked(entry.photo, new TextDecoder().decode(content));
            entry.done(false);
        }
    }

    /** What the host found out about a photo may also have given it another place.
     * @param {Photo | undefined} photo @param {string} picture */
    noteLooked(photo, picture) {
        if (!photo) return;
        const isNews = photo.picture === "pending";
        photo.picture = picture;
        if (isNews) this.onLookedInto?.();
    }

    /** Until there is a thumbnail. A question is use of the session, so there is an end of asking.
     * @param {Entry} entry */
    bridge(entry) {
        if (!entry.isQuiet && isShownAsImage(entry.photo) && entry.photo.size <= tileLimit) {
            this.originals.push(entry);
            return;
        }
        if (entry.questions >= mostQuestions) entry.done(false);
        else this.askingLater.set(entry.image, setTimeout(() => this.ask(entry), pauseBeforeAsking));
    }

    /** @param {Entry} entry @param {string} source */
    async show(entry, source) {
        const { image, done } = entry;
        this.loading.set(image, entry);
        image.src = source;
        let ok = true;
        try {
            await image.decode();
        } catch {
            ok = false;
        }
        if (this.loading.get(image) !== entry) return;
        const now = this.store.get(entry.photo.id);
        if (!ok && now && now !== source) {
            // A better one took its place while it was decoded.
            this.show(entry, now);
            return;
        }
        this.loading.delete(image);
        done(ok);
        this.pump();
    }
}
