// Where everything in a gallery is, before any of it is drawn: heights follow from counts alone.
import { dayInMonth, timeOf } from "../photos/photo-words.js";

/** @typedef {{columns: number, rowHeight: number, head: number, foot: number, gap: number, least?: number}} Shape */

/** @typedef {Section & {rowCount: number, height: number, isSmall: boolean, left: number, span: number,
 *     top: number}} Placed */

/** @typedef {{section: Placed, row: number}} RowPlace */

export class GalleryLayout {
    /** `sections` are those of a list; `head` and `foot` are the heights above and below the rows of one.
     * @param {Section[]} sections @param {Shape} shape */
    constructor(sections, shape) {
        const { columns, rowHeight, head } = shape;
        this.source = sections;
        this.shape = shape;
        this.columns = columns;
        this.rowHeight = rowHeight;
        this.head = head;
        /** @type {Placed[]} */
        this.sections = [];
        this.height = 0;
        for (const section of sections) this.add(section);
        this.count = sections.reduce((sum, { count }) => sum + count, 0);
    }

    /** Below the one before it; beside it where both are so small that one row has room for them.
     * @param {Section} section */
    add(section) {
        const { columns, rowHeight, shape: { head, foot, least = Infinity } } = this;
        const last = /** @type {Placed} */ (this.sections.at(-1));
        const isSmall = section.count < columns && section.count * rowHeight >= least;
        const left = last?.isSmall && isSmall ? last.left + last.count : 0;
        const isBeside = left > 0 && left + section.count <= columns;
        const rowCount = Math.ceil(section.count / columns);
        const height = head + rowCount * rowHeight + foot;
        const placed = { ...section, rowCount, height, isSmall, left: isBeside ? left : 0, span: columns,
            top: isBeside ? last.top : this.height };
        if (isBeside) {
            last.span = last.count;
            last.isShared = placed.isShared = true;
        } else this.height += height;
        placed.span = columns - placed.left;
        this.sections.push(placed);
    }

    /** True when it was made from these very sections, which a list never changes.
     * @param {Section[]} sections @param {Shape} shape */
    isOf(sections, shape) { return this.source === sections && this.shape === shape; }

    /** True when everything is where it is in the other one.
     * @param {GalleryLayout} other */
    isLike({ shape, sections }) {
        return shape === this.shape && sections.length === this.sections.length && sections.every(
            ({ key, count, isOpen }, index) => key === this.sections[index].key && count === this.sections[index].count
                && isOpen === this.sections[index].isOpen);
    }

    /** The index of the section in which `value` of `field` lies; the first or last one for what is beyond.
     * @param {"top" | "start"} field @param {number} value */
    indexBy(field, value) {
        let low = 0;
        let high = this.sections.length - 1;
        while (low < high) {
            const middle = (low + high + 1) >> 1;
            if (this.sections[middle][field] <= value) low = middle;
            else high = middle - 1;
        }
        return low;
    }

    /** The first of those that stand beside each other at a height.
     * @param {number} y */
    indexAtTop(y) {
        let index = this.indexBy("top", y);
        while ((this.sections[index]?.left ?? 0) > 0) index -= 1;
        return index;
    }

    /** @param {number} y @returns {Placed | null} */
    sectionAtTop(y) { return this.sections[this.indexAtTop(y)] ?? null; }
    /** @param {number} place @returns {Placed | null} */
    sectionOf(place) { return this.sections[this.indexBy("start", place)] ?? null; }

    /** `{section, row, column, top}` of a place; `top` is that of its row.
     * @param {number} place @returns {{section: Placed, row: number, column: number, top: number} | null} */
    cellOf(place) {
        const section = this.sectionOf(place);
        if (!section) return null;
        const row = Math.floor((place - section.start) / this.columns);
        const column = section.left + (place - section.start) % this.columns;
        return { section, row, column, top: this.topOf(section, row) };
    }

    /** @param {Placed} section @param {number} row */
    topOf(section, row) { return section.top + this.head + row * this.rowHeight; }

    /** The row of a section at `y`, or the one that is nearest.
     * @param {Placed} section @param {number} y */
    rowAt({ rowCount, top }, y) {
        return Math.min(rowCount - 1, Math.max(0, Math.floor((y - top - this.head) / this.rowHeight)));
    }

    /** The first place of the row at `y`; that of the next row where `y` lies in a head.
     * @param {number} y @returns {number} */
    placeAt(y) {
        const section = this.sectionAtTop(y);
        if (!section) return 0;
        const row = this.rowAt(section, y);
        return section.start + row * this.columns;
    }

    /** The place at a point, or the nearest one in its row.
     * @param {number} x @param {number} y @returns {number} */
    placeAtPoint(x, y) {
        const column = Math.min(this.columns - 1, Math.max(0, Math.floor(x / this.rowHeight)));
        const within = Math.min(this.height - 1, Math.max(0, y));
        const section = this.sections[this.besideAt(this.indexAtTop(within), column)];
        const row = this.rowAt(section, within);
        const { start, end } = this.placesIn(section, row);
        return Math.min(end - 1, start + column - section.left);
    }

    /** Of those that stand beside the first of them, at `index`: the one in which a column lies, or the last one.
     * @param {number} index @param {number} column */
    besideAt(index, column) {
        let found = index;
        /** @param {Placed | undefined} section */
        const isBeside = (section) => section !== undefined && section.left > 0 && section.left <= column;
        for (let next = index + 1; isBeside(this.sections[next]); next += 1) found = next;
        return found;
    }

    /** `[{section, row}…]` of all rows that reach into `from`…`to`, from above.
     * @param {number} from @param {number} to @returns {RowPlace[]} */
    rowsBetween(from, to) {
        /** @type {RowPlace[]} */ const rows = [];
        for (let index = this.indexAtTop(from); index < this.sections.length; index += 1) {
            const section = this.sections[index];
            if (section.top >= to) break;
            const first = Math.max(0, Math.floor((from - section.top - this.head) / this.rowHeight));
            const last = Math.min(section.rowCount - 1, Math.floor((to - section.top - this.head) / this.rowHeight));
            for (let row = first; row <= last; row += 1) rows.push({ section, row });
        }
        return rows;
    }

    /** The places in a row: from `start` up to, but not with, `end`.
     * @param {Placed} section @param {number} row @returns {{start: number, end: number}} */
    placesIn(section, row) {
        const start = section.start + row * this.columns;
        return { start, end: Math.min(start + this.columns, section.start + section.count) };
    }

    /** The place that a key leads to, over the ends of rows and months; null when the key is none of ours.
     * @param {number} place @param {string} key @param {{rowsPerPage?: number, whole?: boolean}} options
     * @returns {number | null} */
    target(place, key, { rowsPerPage = 4, whole = false } = {}) {
        const { section, row } = /** @type {RowPlace} */ (this.cellOf(place));
        const { start, end } = this.placesIn(section, row);
        switch (key) {
        case "ArrowLeft": return Math.max(0, place - 1);
        case "ArrowRight": return Math.min(this.count - 1, place + 1);
        case "ArrowUp": return this.vertical(place, -1);
        case "ArrowDown": return this.vertical(place, 1);
        case "PageUp": return this.vertical(place, -rowsPerPage);
        case "PageDown": return this.vertical(place, rowsPerPage);
        case "Home": return whole ? 0 : start;
        case "End": return whole ? this.count - 1 : end - 1;
        default: return null;
        }
    }

    /** @param {number} place @param {number} by */
    vertical(place, by) {
        const cell = /** @type {RowPlace & {column: number}} */ (this.cellOf(place));
        let { section, row } = cell;
        let index = this.indexBy("start", section.start);
        for (let left = Math.abs(by); left > 0; left -= 1) {
            const next = row + Math.sign(by);
            if (next >= 0 && next < section.rowCount) row = next;
            else {
                const other = this.beyond(index, Math.sign(by), cell.column);
                if (other === null) break;
                index = other;
                section = this.sections[index];
                row = by > 0 ? 0 : section.rowCount - 1;
            }
        }
        const { start, end } = this.placesIn(section, row);
        return Math.min(end - 1, start + Math.max(0, cell.column - section.left));
    }

    /** The section above (-1) or below (1) one, in which a column lies; null where there is none.
     * @param {number} index @param {number} by @param {number} column @returns {number | null} */
    beyond(index, by, column) {
        const { top } = this.sections[index];
        let other = index + by;
        while (this.sections[other]?.top === top) other += by;
        return this.sections[other] ? this.besideAt(this.indexAtTop(this.sections[other].top), column) : null;
    }
}

// Keeps what the eye is on in its place while photos come and go above it, and when the window turns.

/** @typedef {{start: number, id: string | undefined, key: string, index: number, below: number}} KeptRow */

export class PlaceHolder {
    /** @param {Gallery} gallery */
    constructor(gallery) {
        this.gallery = gallery;
        this.place = 0;
        /** The rows in the window: `{start, id, key, index, below}` of the first photo of each, from above.
         * @type {KeptRow[]} */
        this.kept = [];
        this.header = 0;
        this.bar = 0;
    }

    /** Looks at the bars around: not in the midst of drawing, when it would cost a layout. */
    measure() {
        const style = getComputedStyle(document.documentElement);
        const bar = innerWidth < 600 ? parseFloat(style.getPropertyValue("--tabs")) * parseFloat(style.fontSize) : 0;
        this.header = document.querySelector(".top")?.getBoundingClientRect().height ?? 0;
        this.bar = (bar || 0) + 8;
    }

    /** How much of the window the header and the name of a month cover from above, and a bar from below. */
    room() {
        return { above: this.header + (this.gallery.shape?.head ?? 0), below: this.bar };
    }

    /** Remembers what is at the top; `top` is how far the gallery has gone beyond the window, `scrollY` the page.
     * @param {number} top @param {number} scrollY @param {number} windowHeight */
    note(top, scrollY, windowHeight) {
        const { gallery } = this;
        const { layout, list } = gallery;
        this.kept = [];
        if (!layout || layout.count === 0) return;
        // The first row of which more than half can be seen.
        const y = top + this.room().above + layout.rowHeight / 2;
        this.place = layout.placeAt(y);
        // At the very beginning what is new is what one wants to see.
        if (scrollY <= 200) return;
        this.kept = layout.rowsBetween(y, y + windowHeight / 2).map(({ section, row }) => {
            const { start } = layout.placesIn(section, row);
            return { start, id: list.at(start)?.id, key: section.key, index: start - section.start,
                below: layout.topOf(section, row) - top };
        });
    }

    /** Somebody may have scrolled since it was drawn: that is not to be undone.
     * @param {GalleryLayout} layout */
    follow(layout) {
        const [first] = this.kept;
        if (!first || first.start >= layout.count) return;
        const top = -this.gallery.sections.getBoundingClientRect().top;
        const by = /** @type {{top: number}} */ (layout.cellOf(first.start)).top - top - first.below;
        for (const row of this.kept) row.below += by;
    }

    /** `{place, below}` of what is to stay where it is: the first photo that is still in its month, since one whose month
     * is known by now goes there alone, without the eye; else what has its place in the month; null where nothing is left.
     * @returns {{place: number, below: number} | null} */
    find() {
        const { list, layout } = this.gallery;
        const placed = this.kept.map((row) => ({ ...row, place: list.placeOf(row.id) })).filter(({ place }) => place >= 0);
        const still = placed.find(({ place, key }) => layout.sectionOf(place)?.key === key);
        if (still) return still;
        const { key, index, below } = this.kept[0];
        const section = layout.sections.find((candidate) => candidate.key === key);
        if (section) return { place: section.start + Math.min(index, section.count - 1), below };
        return placed[0] ?? null;
    }

    restore() {
        if (this.kept.length === 0 || this.gallery.layout.count === 0) return;
        const found = this.find();
        if (found) this.moveTo(found.place, found.below);
    }

    /** Scrolls so that a photo is `below` the top of the window.
     * @param {number} place @param {number} below */
    moveTo(place, below) {
        const top = -this.gallery.sections.getBoundingClientRect().top;
        const by = /** @type {{top: number}} */ (this.gallery.layout.cellOf(place)).top - below - top;
        if (Math.abs(by) > 1) this.gallery.scrollBy(by);
    }
}

// The days within a month of many photos: told on the first photo of each, which takes no place from any.

/** Months of no more photos are seen at a glance. */
const few = 40;

/** @param {Photo} photo */
const dayIn = (photo) => timeOf(photo).slice(0, 10);

export class GalleryDays {
    /** Where most photos of a day were taken, where somebody knows it.
     * @type {((place: number) => string | null) | undefined} */
    townAt;

    /** @param {PhotoList} list @param {{isShown: boolean}} options */
    constructor(list, { isShown }) {
        this.list = list;
        this.isShown = isShown;
    }

    /** The day of the photo at a place, as its own clock showed it; null where the photo is not here.
     * @param {number} place @returns {string | null} */
    dayAt(place) {
        const photo = this.list.at(place);
        return photo ? dayIn(photo) : null;
    }

    /** Whether another day begins at a place. Where the photo before it is not here yet, nobody can tell.
     * @param {number} place @returns {boolean} */
    begins(place) {
        const section = this.isShown ? this.list.sectionAt(place) : null;
        if (!section || section.count <= few) return false;
        const [day, before] = [this.dayAt(place), place > section.start ? this.dayAt(place - 1) : ""];
        return Boolean(day) && before !== null && day !== before;
    }

    /** "Sat 28 · Rome".
     * @param {number} place */
    words(place) {
        return [dayInMonth(timeOf(/** @type {Photo} */ (this.list.at(place)))), this.townAt?.(place)].filter(Boolean).join(" · ");
    }

    /** The places of the day that a place lies in: from `from` up to, but not with, `to`. Of those that are not here yet,
     * `isOne` tells once they are.
     * @param {number} place @returns {{from: number, to: number, isOne: (photo: Photo) => boolean}} */
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
