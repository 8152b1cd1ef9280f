// Keeps what the eye is on in its place while photos come and go above it, and when the window turns.

/**
 * @typedef {object} KeptRow
 * @property {number} start
 * @property {string | undefined} id
 * @property {string} key
 * @property {number} index
 * @property {number} below
 */

export class PlaceHolder {
    /** @param {Gallery} gallery */
    constructor(gallery) {
        this.gallery = gallery;
        this.place = 0;
        /**
         * The rows in the window: `{start, id, key, index, below}` of the first photo of each, from above.
         * @type {KeptRow[]}
         */
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

    /**
     * Remembers what is at the top; `top` is how far the gallery has gone beyond the window, `scrollY` the page.
     * @param {number} top
     * @param {number} scrollY
     * @param {number} windowHeight
     */
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

    /**
     * Somebody may have scrolled since it was drawn: that is not to be undone.
     * @param {import("./gallery-layout.js").GalleryLayout} layout
     */
    follow(layout) {
        const [first] = this.kept;
        if (!first || first.start >= layout.count) return;
        const top = -this.gallery.sections.getBoundingClientRect().top;
        const by = /** @type {{top: number}} */ (layout.cellOf(first.start)).top - top - first.below;
        for (const row of this.kept) row.below += by;
    }

    /**
     * `{place, below}` of what is to stay where it is: the first photo that is still in its month, since one whose month
     * is known by now goes there alone, without the eye; else what has its place in the month; null where nothing is left.
     * @returns {{place: number, below: number} | null}
     */
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

    /**
     * Scrolls so that a photo is `below` the top of the window.
     * @param {number} place
     * @param {number} below
     */
    moveTo(place, below) {
        const top = -this.gallery.sections.getBoundingClientRect().top;
        const by = /** @type {{top: number}} */ (this.gallery.layout.cellOf(place)).top - below - top;
        if (Math.abs(by) > 1) this.gallery.scrollBy(by);
    }
}
