// A listing whose photos are known from the first place to the last one that has come: what the host gives page by page.

/** The same interface as a `Timeline`; a subclass says in which section a photo stands, and fetches. Emits `change`. */
export class ShortList extends EventTarget {
    /** @type {Photo[]} */
    photos;
    /** @type {Map<string, number>} */
    places;
    /** @type {Section[]} */
    sections;
    /** @type {boolean | undefined} */
    isDisposed;

    constructor() {
        super();
        this.isLoaded = false;
        /** @type {unknown} */
        this.error = null;
        this.set([]);
    }

    get isLoading() { return !this.isLoaded && this.error === null; }
    get count() { return this.photos.length; }

    dispose() { this.isDisposed = true; }

    /**
     * `keyOf(photo, previous)`: the section of a photo, the same as that of the one before where they belong together.
     * @param {Photo[]} photos
     * @param {(photo: Photo, previous: Photo | null) => string} [keyOf]
     */
    set(photos, keyOf = () => "") {
        this.photos = photos;
        this.places = new Map(photos.map((photo, place) => [photo.id, place]));
        this.sections = [];
        /** @type {Photo | null} */
        let last = null;
        photos.forEach((photo, place) => {
            const key = keyOf(photo, last);
            let section = this.sections.at(-1);
            if (section?.key !== key) {
                section = { key, start: place, count: 0 };
                this.sections.push(section);
            }
            section.count += 1;
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

    /**
     * A subclass asks the host.
     * @returns {Promise<Photo[]>}
     */
    async fetch() { return this.photos; }

    /**
     * A subclass puts them into sections.
     * @param {Photo[]} photos
     */
    show(photos) { this.set(photos); }

    retry() { return this.refresh(); }
    refreshSoon() {}
    /**
     * @param {number} from
     * @param {number} to
     */
    need(from, to) {}
    /**
     * @param {number} place
     * @returns {Photo | null}
     */
    at(place) { return this.photos[place] ?? null; }
    /** @param {string} id */
    placeOf(id) { return this.places.get(id ?? "") ?? -1; }
    /**
     * @param {number} place
     * @returns {Section | null}
     */
    sectionAt(place) { return this.sections.findLast(({ start }) => start <= place) ?? null; }
    /**
     * @param {number} from
     * @param {number} to
     */
    async between(from, to) { return this.photos.slice(Math.max(0, from), to); }
    async all() { return this.photos; }
    /** @param {Photo} photo */
    async find(photo) { return this.placeOf(photo.id); }

    /** @param {string[]} ids */
    remove(ids) {
        const gone = new Set(ids);
        this.show(this.photos.filter((photo) => !gone.has(photo.id)));
        this.changed();
    }

    changed() { if (!this.isDisposed) this.dispatchEvent(new Event("change")); }
}
