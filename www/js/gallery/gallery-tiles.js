// What the tiles of a grid show of themselves and where they are: picked, new, checked, the one that has the focus.
import { el } from "../base/dom.js";

/** @typedef {import("./gallery-layout.js").Shape} Shape */

const newFor = 8000;

export class GalleryTiles {
    /** @type {Shape} */ shape;
    /** @type {import("./gallery-layout.js").GalleryLayout} */ layout;
    /** @type {PhotoList} */ list;
    /** @type {PhotoSelection} */ selection;
    /** @type {import("./gallery-months.js").GalleryMonths} */ months;
    /** @type {import("./gallery-rows.js").GalleryRows} */ rows;
    /** @type {import("./gallery-layout.js").PlaceHolder} */ anchor;
    /** @type {import("./gallery-scrubber.js").Speed} */ speed;
    /** @type {Set<string>} */ newIds = new Set();
    /** @type {Set<string>} */ checkedIds = new Set();
    /** @type {Set<string>} */ uncheckedIds = new Set();
    /** @type {{id: string | undefined, place: number} | null} */ focused = null;
    sections = el("div", { class: "sections" });
    /** @type {HTMLElement} */ element;

    drawStates() {
        const { selection } = this;
        this.element.classList.toggle("is-picking", selection.isOn);
        this.months.mark(selection.isOn, (section) => this.isPicked(section));
        const stop = this.tabStop();
        for (const row of this.rows.rows.values()) {
            for (const tile of row.tiles) {
                const id = tile.photo?.id ?? "";
                tile.setState({ isOn: selection.isOn, isPicked: selection.has(id), isNew: this.newIds.has(id),
                    isChecked: this.checkedIds.has(id), isStop: tile === stop });
            }
        }
    }

    /** All photos of a section that are known are picked, and none is unknown.
     * @param {Section} section */
    isPicked({ start, count }) {
        if (this.selection.count < count) return false;
        for (let place = start; place < start + count; place += 1) {
            if (!this.selection.has(this.list.at(place)?.id)) return false;
        }
        return true;
    }

    /** One stop for the Tab key: the photo that was last used, else the first one in the window. */
    tabStop() {
        const last = this.focused ? this.rows.tileAt(this.focused.place) : null;
        return last ?? this.rows.tileAt(this.anchor.place) ?? this.rows.rows.values().next().value?.tiles[0] ?? null;
    }

    /** A lit foot under photos that have just come, for some seconds.
     * @param {string[]} ids */
    markNew(ids) {
        for (const id of ids) this.uncheckedIds.add(id);
        this.markFor(this.newIds, ids);
    }

    /** Those that have come were read back from the host's disk. */
    markChecked() {
        this.markFor(this.checkedIds, [...this.uncheckedIds]);
        this.uncheckedIds.clear();
        this.drawStates();
    }

    /** @param {Set<string>} marked @param {string[]} ids */
    markFor(marked, ids) {
        for (const id of ids) marked.add(id);
        setTimeout(() => {
            for (const id of ids) marked.delete(id);
            this.drawStates();
        }, newFor);
    }

    /** @returns {HTMLElement | null} */
    focusedCell() {
        const { activeElement } = document;
        return this.sections.contains(activeElement) ? /** @type {HTMLElement} */ (activeElement) : null;
    }

    /** @param {FocusEvent} event */
    noteFocus({ target }) {
        const { id } = /** @type {HTMLElement} */ (target).dataset;
        if (id) this.focused = { id, place: this.list.placeOf(id) };
    }

    /** Where the photo that has the focus is by now; where it is gone, the one in its place takes over. */
    refocus() {
        if (!this.focused) return;
        const { id, place } = this.focused;
        const now = id === undefined ? -1 : this.list.placeOf(id);
        const stays = now >= 0 ? now : Math.min(place, this.layout.count - 1);
        this.focused = stays < 0 ? null : { id: this.list.at(stays)?.id ?? id, place: stays };
    }

    /** Scrolls by as little as it takes to see a place whole, below the headers and above the bars.
     * @param {number} place */
    reveal(place) {
        const cell = /** @type {{top: number}} */ (this.layout.cellOf(place));
        const y = cell.top + this.sections.getBoundingClientRect().top;
        const { above, below } = this.anchor.room();
        if (y < above) this.scrollBy(y - above);
        else if (y + this.shape.rowHeight > innerHeight - below) {
            this.scrollBy(y + this.shape.rowHeight - innerHeight + below);
        }
    }

    /** What follows shows photos at once, however far it goes.
     * @param {number} distance */
    scrollBy(distance) {
        window.scrollBy(0, distance);
        this.speed.jumped(window.scrollY);
    }

    /** Where the tile of a place is in the window; null where none is drawn.
     * @param {number} place @returns {DOMRect | null} */
    boundsOf(place) {
        return this.rows.tileAt(place)?.face.getBoundingClientRect() ?? null;
    }

    /** What is seen of a photo in its tile; null where that is not drawn.
     * @param {number} place @returns {HTMLElement | null} */
    faceAt(place) {
        return this.rows.tileAt(place)?.face ?? null;
    }

    /** The place at a point of the window, or the nearest one in its row; -1 where there is none.
     * @param {number} x @param {number} y */
    placeAtPoint(x, y) {
        if (!this.layout || this.layout.count === 0) return -1;
        const { left, top } = this.sections.getBoundingClientRect();
        return this.layout.placeAtPoint(x - left, y - top);
    }
}
