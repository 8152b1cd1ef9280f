// A listing whose photos are known from the first place to the last one that has come: what the host gives page by page.

/** The same interface as a `Timeline`; a subclass says in which section a photo stands, and fetches. Emits `change`. */
export class ShortList extends EventTarget {
    constructor() {
        super();
        this.isLoaded = false;
        this.error = null;
        this.set([]);
    }

    get isLoading() { return !this.isLoaded && this.error === null; }
    get count() { return this.photos.length; }

    dispose() { this.isDisposed = true; }

    /** `keyOf(photo, previous)`: the section of a photo, the same as that of the one before where they belong together. */
    set(photos, keyOf = () => "") {
        this.photos = photos;
        this.places = new Map(photos.map((photo, place) => [photo.id, place]));
        this.sections = [];
        let last = null;
        photos.forEach((photo, place) => {
            const key = keyOf(photo, last);
            if (this.sections.at(-1)?.key !== key) this.sections.push({ key, start: place, count: 0 });
            this.sections.at(-1).count += 1;
            last = photo;
        });
    }

    /** Asks the host again; what is shown stays until it has answered. */
    async refresh() {
        try {
            this.show(await this.fetch());
            this.error = null;
            this.isLoaded = true;
        } catch (error) {
            this.error = error;
        }
        this.changed();
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
        this.show(this.photos.filter((photo) => !gone.has(photo.id)));
        this.changed();
    }

    changed() { if (!this.isDisposed) this.dispatchEvent(new Event("change")); }
}
