// The timeline with the photos that are still on their way from here, each in its own month from the beginning. Those have
// places like all others; the host's list takes them over one by one, where they stand.
import { Timeline } from "./timeline.js";
import { wallTimeOf } from "./timeline-months.js";

/** @typedef {{one: Arrival, before: number}} Own */

/** @typedef {Section & {total?: number, first?: number, arrivals?: Own[]}} WholeSection */

/** The same interface as a `Timeline`. `saved` is the one of the host, `placeInSaved` and `placeOfSaved` lead there and back. */
export class WholeTimeline extends EventTarget {
    /** @type {WholeSection[]} */ sections;
    /** @type {Map<string, WholeSection>} */ byKey;
    /** @type {Map<string, number>} */ own;
    /** @type {number} */ count;

    /** `onListed(photo, id)`: what stood for `photo` is the host's `id` from now on.
     * @param {import("../inside/arriving.js").Arriving} arriving
     * @param {{onListed: (photo: Photo, id: string) => void, saved?: Timeline}} options */
    constructor(arriving, { onListed, saved = new Timeline() }) {
        super();
        this.arriving = arriving;
        this.onListed = onListed;
        this.saved = saved;
        /** @type {WeakMap<Photo, number>} */
        this.times = new WeakMap();
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        saved.addEventListener("change", () => this.renew(), { signal });
        arriving.addEventListener("change", () => this.renew(), { signal });
        arriving.addEventListener("marks", () => this.dispatchEvent(new Event("marks")), { signal });
        arriving.addEventListener("saved", ({ detail }) => { detail.savedBefore = saved.asked; }, { signal });
        this.number();
    }

    get isLoaded() { return this.saved.isLoaded; }
    /** Whose first photos are on their way has not "no photos yet". */
    get isLoading() { return this.saved.isLoading || (this.arriving.isWaiting && this.count === 0); }
    get error() { return this.saved.error; }
    get isDisposed() { return this.saved.isDisposed; }

    dispose() {
        this.listeners.abort();
        this.saved.dispose();
    }

    refresh() { return this.saved.refresh(); }
    refreshSoon() { this.saved.refreshSoon(); }
    retry() { return this.saved.retry(); }
    /** @param {string[]} ids */
    remove(ids) { this.saved.remove(ids); }
    all() { return this.saved.all(); }
    /** @param {number} from @param {number} to */
    between(from, to) { return this.saved.between(this.placeInSaved(from), this.placeInSaved(to)); }

    /** @param {number} from @param {number} to @param {number} [around] */
    need(from, to, around = 0) {
        this.saved.expected = this.sections.filter(({ start, count, arrivals }) => arrivals && start < to && start + count > from)
            .map(({ key }) => key);
        this.saved.need(this.placeInSaved(from), this.placeInSaved(to), around);
    }

    /** @param {Photo} photo */
    async find(photo) {
        await this.saved.find(photo);
        return this.placeOf(photo.id);
    }

    renew() {
        this.number();
        if (!this.isDisposed) this.dispatchEvent(new Event("change"));
    }

    // ---- places

    /** @param {number} place @returns {Photo | null} */
    at(place) {
        const found = this.lookUp(place);
        return found && (found.arriving?.photo ?? this.saved.at(found.place));
    }

    /** @param {string} id */
    placeOf(id) {
        return this.own.get(id ?? "") ?? this.placeOfSaved(this.saved.placeOf(id));
    }

    /** @param {number} place @returns {WholeSection | null} */
    sectionAt(place) {
        if (place < 0 || place >= this.count) return null;
        return this.sections[lastUpTo(this.sections, place, ({ start }) => start)];
    }

    /** The place in the host's list, of one on its way that of the next photo there.
     * @param {number} place @returns {number} */
    placeInSaved(place) {
        if (place >= this.count) return this.saved.count + place - this.count;
        return this.lookUp(place)?.place ?? place;
    }

    /** The place of what has one in the host's list; -1 of none.
     * @param {number} place @returns {number} */
    placeOfSaved(place) {
        const among = this.saved.sectionAt(place);
        if (!among || !this.arrivals) return among ? place : -1;
        const { start, arrivals = [] } = /** @type {WholeSection} */ (this.byKey.get(among.key));
        const index = place - among.start;
        return start + index + (arrivals.length > 0 ? lastUpTo(arrivals, index, ({ before }) => before) + 1 : 0);
    }

    /** `{arriving, place}`: who stands there, null for a photo of the host; and the place in the host's list.
     * @param {number} place @returns {{arriving: Arrival | null, place: number} | null} */
    lookUp(place) {
        const section = this.sectionAt(place);
        if (!section) return null;
        const { arrivals, first = section.start } = section;
        const index = place - section.start;
        if (!arrivals) return { arriving: null, place: first + index };
        // Each stands behind so many of the host's and all of its kind before it.
        const last = lastUpTo(arrivals, index, ({ before }, at) => before + at);
        const isOwn = last >= 0 && arrivals[last].before + last === index;
        return { arriving: isOwn ? arrivals[last].one : null, place: first + (isOwn ? arrivals[last].before : index - last - 1) };
    }

    // ---- numbering

    /** Gives all of them their places. Where nobody is on the way, the sections are the host's own. */
    number() {
        this.takeOver();
        const months = this.months();
        this.arrivals = months.size > 0;
        this.own = new Map();
        if (!this.arrivals) {
            this.sections = this.saved.sections;
            this.count = this.saved.count;
            return;
        }
        this.count = 0;
        this.sections = this.merged(months);
        this.byKey = new Map(this.sections.map((section) => [section.key, section]));
        for (const { start, arrivals = [] } of this.sections) {
            arrivals.forEach(({ one, before }, at) => this.own.set(one.photo.id, start + before + at));
        }
    }

    /** @param {Map<string, Own[]>} months @returns {WholeSection[]} */
    merged(months) {
        const listed = new Map(this.saved.sections.map((section) => [section.key, section]));
        return [...new Set([...listed.keys(), ...months.keys()])].sort().reverse().map((key) => {
            const section = listed.get(key) ?? { key, total: 0, count: 0, start: this.startOf(key) };
            const arrivals = months.get(key);
            const count = section.count + (arrivals?.length ?? 0);
            const start = this.count;
            this.count += count;
            return { ...section, start, count, total: section.total + count - section.count, first: section.start, arrivals };
        });
    }

    /** Where a month that the host does not list would begin there.
     * @param {string} key */
    startOf(key) {
        return this.saved.sections.find((section) => section.key < key)?.start ?? this.saved.count;
    }

    /** month → `{one, before}` of each that is on its way, the newest first; `before`: how many of the host's come first.
     * @returns {Map<string, Own[]>} */
    months() {
        /** @type {Map<string, any[]>} */ const months = new Map();
        for (const one of this.arriving.list) {
            const list = months.get(one.month) ?? [];
            months.set(one.month, list);
            list.push(one);
        }
        for (const [key, list] of months) {
            list.sort(newestFirst);
            months.set(key, list.map((one) => ({ one, before: this.newerThan(one, key) })));
        }
        return months;
    }

    /** How many photos of the host's are newer; those that are not here yet count for none.
     * @param {{wall: number | null}} one @param {string} key */
    newerThan({ wall }, key) {
        const section = this.saved.byKey?.get(key);
        if (!section || wall === null) return 0;
        let [low, high] = [0, section.count];
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.timeAt(section.start + middle) > wall) low = middle + 1;
            else high = middle;
        }
        return low;
    }

    /** By the clock on the wall, in milliseconds.
     * @param {number} place */
    timeAt(place) {
        const photo = this.saved.at(place);
        return photo ? this.wallOf(photo) : -Infinity;
    }

    /** @param {Photo} photo */
    wallOf(photo) {
        if (!this.times.has(photo)) this.times.set(photo, wallTimeOf(photo));
        return /** @type {number} */ (this.times.get(photo));
    }

    /** Lets go of those that the host lists by now. */
    takeOver() {
        const gone = this.arriving.list.filter((one) => this.isListed(one));
        for (const { photo } of gone) if (photo.listedAs) this.onListed(photo, photo.listedAs);
        if (gone.length > 0) this.arriving.letGo(gone);
    }

    /** @param {Arrival} one */
    isListed(one) {
        const { savedAs } = one.photo;
        one.photo.listedAs = savedAs ?? this.twin(one);
        if (savedAs === null) return one.photo.listedAs !== null;
        // A month that nobody has looked at tells only how many there are.
        one.savedBefore ??= this.saved.asked;
        return this.saved.placeOf(savedAs) >= 0 || this.saved.answered > one.savedBefore;
    }

    /** The id of what the host lists before its answer is here; or what came at another time, and is here already.
     * @param {Arrival} one @returns {string | null} */
    twin({ item, wall, month }) {
        if (wall === null) return null;
        // By the name first: hundreds may be of the same second, as what was unpacked or copied together.
        return this.saved.namesakes(month, item).find((photo) => this.wallOf(photo) === wall)?.id ?? null;
    }
}

/** Those of which nobody knows when they were taken came now; what comes later stands before what came.
 * @param {Arrival} one @param {Arrival} other */
function newestFirst(one, other) {
    return (other.wall ?? Infinity) - (one.wall ?? Infinity) || other.turn - one.turn;
}

/** The index of the last whose value is at most `value`; -1 of none. They are in order.
 * @template T @param {T[]} list @param {number} value @param {(one: T, index: number) => number} valueOf
 * @returns {number} */
function lastUpTo(list, value, valueOf) {
    let [low, high] = [0, list.length];
    while (low < high) {
        const middle = (low + high) >> 1;
        if (valueOf(list[middle], middle) <= value) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}
