// Which photos are picked. Emits `change`.

export class Selection extends EventTarget {
    constructor(list) {
        super();
        this.list = list;
        this.isOn = false;
        this.ids = new Set();
        this.anchor = null;
    }

    get count() { return this.ids.size; }
    get photos() { return this.list.photos.filter((photo) => this.ids.has(photo.id)); }
    get byteCount() { return this.photos.reduce((sum, photo) => sum + photo.size, 0); }

    has(id) { return this.ids.has(id); }

    begin(id = null) {
        this.isOn = true;
        if (id !== null) this.toggle(id);
        else this.changed();
    }

    end() {
        this.isOn = false;
        this.ids.clear();
        this.anchor = null;
        this.changed();
    }

    toggle(id) {
        if (!this.ids.delete(id)) this.ids.add(id);
        this.anchor = id;
        this.changed();
    }

    /** From the last one touched to this one. */
    extend(id) {
        const photos = this.list.photos;
        const from = photos.findIndex((photo) => photo.id === this.anchor);
        const to = photos.findIndex((photo) => photo.id === id);
        if (from < 0) return this.toggle(id);
        for (const photo of photos.slice(Math.min(from, to), Math.max(from, to) + 1)) this.ids.add(photo.id);
        return this.changed();
    }

    all() {
        for (const photo of this.list.photos) this.ids.add(photo.id);
        this.changed();
    }

    /** Forgets what is no longer listed. */
    prune() {
        for (const id of this.ids) if (!this.list.byId.has(id)) this.ids.delete(id);
    }

    changed() { this.dispatchEvent(new Event("change")); }
}
