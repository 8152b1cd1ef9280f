// What looks like one photo, the nearest first.
import { request } from "../base/api.js";
import { paired, standsAlone } from "../photos/live-photos.js";
import { ShortList } from "./short-list.js";

export class SimilarList extends ShortList {
    /** @param {Photo} photo */
    constructor(photo) {
        super();
        this.photo = photo;
    }

    /** @returns {Promise<Photo[]>} */
    async fetch() {
        return (await request("GET", `/api/similar?photo=${encodeURIComponent(this.photo.id)}`)).photos;
    }

    /** @param {Photo[]} photos */
    show(photos) { this.set(paired(photos.filter(standsAlone)), () => "similar"); }
}
