// The photos known so far of one listing, newest first, page by page.

/** Emits `change`. `load(cursor)` gives `{photos, cursor}`; ids are of this session and are never stored. */
export class PhotoList extends EventTarget {
    constructor(load) {
        super();
        this.load = load;
        this.photos = [];
        this.byId = new Map();
        this.cursor = null;
        this.isComplete = false;
        this.isLoading = false;
        this.error = null;
    }

    async more() {
        if (this.isLoading || this.isComplete) return;
        this.isLoading = true;
        this.error = null;
        try {
            const page = await this.load(this.cursor);
            this.cursor = page.cursor ?? null;
            this.isComplete = this.cursor === null;
            this.append(page.photos ?? []);
        } catch (error) {
            this.error = error;
        } finally {
            this.isLoading = false;
            this.changed();
        }
    }

    /** Everything, for "select all" over pages that were not scrolled to yet. */
    async all() {
        while (!this.isComplete && !this.error) await this.more();
    }

    /** The host lists by when a photo entered the vault; what a guest brought along may be older than what follows. */
    append(photos) {
        const fresh = photos.filter((photo) => !this.byId.has(photo.id));
        for (const photo of fresh) this.byId.set(photo.id, photo);
        this.photos.push(...fresh);
        const isOrdered = this.photos.every(({ receivedAt }, index, all) =>
            index === 0 || receivedAt <= all[index - 1].receivedAt);
        const order = (a, b) => Number(a.receivedAt < b.receivedAt) - Number(a.receivedAt > b.receivedAt);
        if (!isOrdered) this.photos.sort(order);
    }

    /** Photos that were just saved, shown before the next page is asked for; a duplicate goes to its old place. */
    prepend(photos) {
        const count = this.photos.length;
        const unknown = photos.filter((photo) => photo?.id && !this.byId.has(photo.id));
        const fresh = unknown.filter((photo) => !photo.duplicate);
        for (const photo of fresh) this.byId.set(photo.id, photo);
        fresh.sort((a, b) => (a.receivedAt < b.receivedAt ? 1 : -1));
        this.photos.unshift(...fresh);
        for (const photo of unknown) if (photo.duplicate) this.insert(photo);
        if (this.photos.length > count) this.changed();
    }

    /** A photo that was there before, perhaps from another device; one beyond the known pages comes with its own. */
    insert(photo) {
        if (this.byId.has(photo.id)) return;
        const place = this.photos.findIndex(({ receivedAt }) => receivedAt <= photo.receivedAt);
        if (place < 0 && !this.isComplete) return;
        this.byId.set(photo.id, photo);
        this.photos.splice(place < 0 ? this.photos.length : place, 0, photo);
    }

    remove(ids) {
        const gone = new Set(ids);
        this.photos = this.photos.filter((photo) => !gone.has(photo.id));
        for (const id of gone) this.byId.delete(id);
        this.changed();
    }

    changed() { this.dispatchEvent(new Event("change")); }
}


/** `[{key: "2026-11", date, photos}]` in the order of the list; months are those of the reader's clock. */
export function byMonth(photos) {
    const months = new Map();
    for (const photo of photos) {
        const date = new Date(photo.receivedAt);
        const key = `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}`;
        if (!months.has(key)) months.set(key, { key, date, photos: [] });
        months.get(key).photos.push(photo);
    }
    return [...months.values()];
}
