// What was added in the last days, the newest first, by what came together: wherever it stands among all photos.
import * as api from "../base/api.js";
import { paired, standsAlone } from "../photos/live-photos.js";
import { ShortList } from "./short-list.js";

/** How far back it goes; what came last is shown however long ago that was. */
const mostAge = 30 * 86_400_000;
/** Photos between which nothing came for so long were added one time and another. */
const pauseBetween = 15 * 60_000;
/** Places before the end of what has come at which the next page is asked for. */
const ahead = 120;

/** The key of a section is when its newest photo came, so far as is known, and the last one that came before a pause. */
export class RecentList extends ShortList {
    /** @type {Promise<void> | null | undefined} */
    coming;
    /** @type {object | undefined} */
    generation;

    /** @param {() => number} [now] */
    constructor(now = () => Date.now()) {
        super();
        this.now = now;
        /** @type {Photo[]} */
        this.listed = [];
        /** @type {string | null} */
        this.cursor = null;
    }

    /**
     * As many pages as were here before: what is looked at is not taken away.
     * @returns {Promise<Photo[]>}
     */
    async fetch() {
        const wanted = this.listed.length;
        this.generation = {};
        let { photos, cursor } = await api.photos();
        while (photos.length < wanted && cursor) {
            const page = await api.photos(cursor);
            photos = [...photos, ...page.photos];
            cursor = page.cursor;
        }
        this.cursor = cursor;
        return photos;
    }

    /**
     * Without those that came longer ago.
     * @param {Photo[]} photos
     */
    show(photos) {
        const recent = this.recent(photos);
        if (recent.length < photos.length) this.cursor = null;
        this.listed = recent;
        this.set(paired(recent.filter(standsAlone)), keyOfBatch());
    }

    /** @param {Photo[]} photos */
    recent(photos) {
        const oldest = this.now() - mostAge;
        /** @type {Photo | null} */
        let last = null;
        const end = photos.findIndex((photo) => {
            const isOver = last && timeOf(photo) < oldest && timeOf(last) - timeOf(photo) > pauseBetween;
            last = photo;
            return isOver;
        });
        return end < 0 ? photos : photos.slice(0, end);
    }

    /**
     * @param {number} from
     * @param {number} to
     */
    need(from, to) {
        if (to + ahead > this.count) this.more().catch(() => {});
    }

    /**
     * The next page, if there is one; one at a time.
     * @returns {Promise<void>}
     */
    more() {
        if (!this.cursor || this.isDisposed) return Promise.resolve();
        this.coming ??= this.fetchMore().finally(() => { this.coming = null; });
        return this.coming;
    }

    async fetchMore() {
        const { generation } = this;
        const { photos, cursor } = await api.photos(this.cursor);
        // Asked for behind a list that is another by now.
        if (generation !== this.generation) return;
        this.cursor = cursor;
        this.show([...this.listed, ...photos]);
        this.changed();
    }

    async all() {
        while (this.cursor && !this.isDisposed) await this.more();
        return this.photos;
    }

    /** @param {string[]} ids */
    remove(ids) {
        const gone = new Set(ids);
        this.show(this.listed.filter((photo) => !gone.has(photo.id)));
        this.changed();
    }
}

/** @param {Photo} photo */
const timeOf = ({ receivedAt }) => Date.parse(receivedAt);

/**
 * What came together has the key of the first that is listed of it, the newest.
 * @returns {(photo: Photo, previous: Photo | null) => string}
 */
function keyOfBatch() {
    let key = "";
    return (photo, previous) => {
        if (!previous || timeOf(previous) - timeOf(photo) > pauseBetween) key = photo.receivedAt;
        return key;
    };
}
