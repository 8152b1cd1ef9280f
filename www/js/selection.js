// Which photos are picked. Emits `change`.
import { bytesOf } from "./live-photos.js";

export class Selection extends EventTarget {
    constructor(list) {
        super();
        this.list = list;
        this.isOn = false;
        this.picked = new Map();
        this.anchor = null;
    }

    get count() { return this.picked.size; }
    /** As the list knows them by now: the video of a Live Photo may have come after the photo was picked. */
    get photos() { return [...this.picked.values()].map((photo) => this.known(photo)); }
    get byteCount() { return bytesOf(this.photos); }

    has(id) { return this.picked.has(id); }

    known(photo) {
        const known = this.list.at(this.list.placeOf(photo.id));
        return known?.id === photo.id ? known : photo;
    }

    begin(place = null) {
        this.isOn = true;
        if (place !== null) this.toggle(place);
        else this.changed();
    }

    end() {
        this.isOn = false;
        this.picked.clear();
        this.anchor = null;
        this.changed();
    }

    toggle(place) {
        const photo = this.list.at(place);
        if (!photo) return;
        if (!this.picked.delete(photo.id)) this.picked.set(photo.id, photo);
        this.anchor = { id: photo.id, place };
        this.changed();
    }

    /** The place of the last one touched, wherever it is by now. */
    get anchorPlace() {
        const place = this.anchor ? this.list.placeOf(this.anchor.id) : -1;
        return place >= 0 ? place : this.anchor?.place ?? -1;
    }

    /** From the last one touched to this one. */
    async extend(place) {
        const from = this.anchorPlace;
        if (from < 0) {
            this.toggle(place);
            return;
        }
        await this.add(this.list.between(Math.min(from, place), Math.max(from, place) + 1));
    }

    all() { return this.add(this.list.all()); }

    /** What is fetched first may come when nobody is picking any more. */
    async add(coming) {
        this.isOn = true;
        this.changed();
        const photos = await coming.catch(() => []);
        if (!this.isOn) return;
        for (const photo of photos) this.picked.set(photo.id, photo);
        this.changed();
    }

    /** While one draws over photos: what was picked before, and those from the first one to this one. */
    paint(before, from, to) {
        this.picked = new Map(before);
        for (let place = Math.min(from, to); place <= Math.max(from, to); place += 1) {
            const photo = this.list.at(place);
            if (photo) this.picked.set(photo.id, photo);
        }
        this.changed();
    }

    changed() { this.dispatchEvent(new Event("change")); }
}
