// The days within a month of many photos: told on the first photo of each, which takes no place from any.
import { dayInMonth, timeOf } from "../photos/taken.js";

/** Months of no more photos are seen at a glance. */
const few = 40;

export class GalleryDays {
    constructor(list, { isShown }) {
        Object.assign(this, { list, isShown });
    }

    /** The day of the photo at a place, as its own clock showed it; null where the photo is not here. */
    dayAt(place) {
        const photo = this.list.at(place);
        return photo ? timeOf(photo).slice(0, 10) : null;
    }

    /** Whether another day begins at a place. Where the photo before it is not here yet, nobody can tell. */
    begins(place) {
        const section = this.isShown ? this.list.sectionAt(place) : null;
        if (!section || section.count <= few) return false;
        const [day, before] = [this.dayAt(place), place > section.start ? this.dayAt(place - 1) : ""];
        return day !== null && before !== null && day !== before;
    }

    words(place) { return dayInMonth(timeOf(this.list.at(place))); }

    /** The places of the day that a place lies in: from `from` up to, but not with, `to`. */
    around(place) {
        const { start, count } = this.list.sectionAt(place);
        const day = this.dayAt(place);
        let [from, to] = [place, place + 1];
        while (from > start && this.dayAt(from - 1) === day) from -= 1;
        while (to < start + count && this.dayAt(to) === day) to += 1;
        return { from, to };
    }
}
