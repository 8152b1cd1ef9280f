// The days within a month of many photos: told on the first photo of each, which takes no place from any.
import { dayInMonth, timeOf } from "../photos/taken.js";

/** Months of no more photos are seen at a glance. */
const few = 40;

/** @param {Photo} photo */
const dayIn = (photo) => timeOf(photo).slice(0, 10);

export class GalleryDays {
    /**
     * @param {PhotoList} list
     * @param {{isShown: boolean}} options
     */
    constructor(list, { isShown }) {
        this.list = list;
        this.isShown = isShown;
    }

    /**
     * The day of the photo at a place, as its own clock showed it; null where the photo is not here.
     * @param {number} place
     * @returns {string | null}
     */
    dayAt(place) {
        const photo = this.list.at(place);
        return photo ? dayIn(photo) : null;
    }

    /**
     * Whether another day begins at a place. Where the photo before it is not here yet, nobody can tell.
     * @param {number} place
     * @returns {boolean}
     */
    begins(place) {
        const section = this.isShown ? this.list.sectionAt(place) : null;
        if (!section || section.count <= few) return false;
        const [day, before] = [this.dayAt(place), place > section.start ? this.dayAt(place - 1) : ""];
        return day !== null && before !== null && day !== before;
    }

    /** @param {number} place */
    words(place) { return dayInMonth(timeOf(/** @type {Photo} */ (this.list.at(place)))); }

    /**
     * The places of the day that a place lies in: from `from` up to, but not with, `to`. Of those that are not here yet,
     * `isOne` tells once they are.
     * @param {number} place
     * @returns {{from: number, to: number, isOne: (photo: Photo) => boolean}}
     */
    around(place) {
        const { start, count } = /** @type {Section} */ (this.list.sectionAt(place));
        const day = this.dayAt(place);
        /** @param {number} other */
        const mayBe = (other) => [day, null].includes(this.dayAt(other));
        let [from, to] = [place, place + 1];
        while (from > start && mayBe(from - 1)) from -= 1;
        while (to < start + count && mayBe(to)) to += 1;
        return { from, to, isOne: (photo) => dayIn(photo) === day };
    }
}
