// What lies in "Recently deleted", by how long it still does.
import * as api from "../base/api.js";
import { host } from "../base/host.js";
import { standsAlone } from "../photos/live-photos.js";
import { ShortList } from "./short-list.js";

const day = 86_400_000;

/**
 * The days until a photo is gone, counted as people do: at least one while it is still there.
 * @param {Photo} photo
 * @param {number} [kept]
 * @param {number} [now]
 * @returns {number}
 */
export function daysLeft(photo, kept = host.trashDays, now = Date.now()) {
    return Math.min(kept, Math.max(1, kept - Math.floor((now - Date.parse(photo.deletedAt ?? "")) / day)));
}

/** The keys of its sections are days. */
export class TrashList extends ShortList {
    /** @returns {Promise<Photo[]>} */
    async fetch() {
        /** @type {Photo[]} */
        const photos = [];
        /** @type {string | null | undefined} */
        let cursor;
        do {
            const page = await api.trash(cursor);
            photos.push(...page.photos);
            cursor = page.cursor;
        } while (cursor);
        return photos;
    }
    /** @param {Photo[]} photos */
    show(photos) { this.set(photos.filter(standsAlone), (photo) => String(daysLeft(photo))); }
}
