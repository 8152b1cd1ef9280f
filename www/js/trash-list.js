// What lies in "Recently deleted", by how long it still does. The host gives all of it at once.
import * as api from "./api.js";
import { app } from "./app.js";

const day = 86_400_000;

/** The days until a photo is gone, counted as people do: at least one while it is still there. */
export function daysLeft(photo, kept = app.trashDays, now = Date.now()) {
    return Math.min(kept, Math.max(1, kept - Math.floor((now - Date.parse(photo.deletedAt)) / day)));
}

/** The same interface as a `Timeline`; the keys of its sections are days. */
export class TrashList extends EventTarget {
    constructor() {
        super();
        this.isLoaded = false;
        this.error = null;
        this.set([]);
    }

    get isLoading() { return !this.isLoaded && this.error === null; }
    get count() { return this.photos.length; }

    dispose() { this.isDisposed = true; }

    set(photos) {
        this.photos = photos;
        this.places = new Map(photos.map((photo, place) => [photo.id, place]));
        this.sections = [];
        photos.forEach((photo, place) => {
            const key = String(daysLeft(photo));
            if (this.sections.at(-1)?.key !== key) this.sections.push({ key, start: place, count: 0 });
            this.sections.at(-1).count += 1;
        });
    }

    async refresh() {
        try {
            const { photos } = await api.trash();
            this.error = null;
            this.isLoaded = true;
            this.set(photos);
        } catch (error) {
            this.error = error;
        }
        if (!this.isDisposed) this.changed();
    }

    retry() { return this.refresh(); }
    refreshSoon() {}
    need() {}
    at(place) { return this.photos[place] ?? null; }
    placeOf(id) { return this.places.get(id) ?? -1; }
    sectionAt(place) { return this.sections.findLast(({ start }) => start <= place) ?? null; }
    async between(from, to) { return this.photos.slice(Math.max(0, from), to); }
    async all() { return this.photos; }
    async find(photo) { return this.placeOf(photo.id); }

    remove(ids) {
        const gone = new Set(ids);
        this.set(this.photos.filter((photo) => !gone.has(photo.id)));
        this.changed();
    }

    changed() { this.dispatchEvent(new Event("change")); }
}
