// Where the days of a timeline were: told with a day where most of its photos are of one town.
import { preference } from "../base/browser.js";

/** What more than half of them are; null where nothing is.
 * @param {(string | null)[]} names @returns {string | null} */
export function mostOf(names) {
    /** @type {Map<string | null, number>} */ const counts = new Map();
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
    return [...counts].find(([, count]) => count * 2 > names.length)?.[0] ?? null;
}

export class DayTowns {
    /** Of each day that was asked for.
     * @type {Map<string, string | null>} */
    known = new Map();
    isShown = true;

    /** @param {Pick<PlaceNames, "townOf">} names */
    constructor(names) {
        this.names = names;
        this.forget();
    }

    /** Other photos are here now, or more is known of them. Somebody may look over one's shoulder: what is hidden of one photo is
     * hidden of a day. */
    forget() {
        this.known.clear();
        this.isShown = preference("place", "shown") === "shown";
    }

    /** The town of the day in which a place of the list lies, by its photos that are here.
     * @param {import("../gallery/gallery-layout.js").GalleryDays} days @param {number} place @returns {string | null} */
    at(days, place) {
        const day = days.dayAt(place);
        if (!this.isShown || day === null) return null;
        if (!this.known.has(day)) {
            const { from, to } = days.around(place);
            /** @type {(string | null)[]} */ const towns = [];
            for (let other = from; other < to; other += 1) {
                const photo = days.list.at(other);
                if (photo) towns.push(this.names.townOf(photo.placeID ?? photo.place?.id));
            }
            this.known.set(day, mostOf(towns));
        }
        return this.known.get(day) ?? null;
    }
}
