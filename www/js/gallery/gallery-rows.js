// The rows of a gallery near the window, and the same few of them wherever one scrolls.
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { Tile } from "./tile.js";

/** @typedef {import("./gallery-layout.js").GalleryLayout} Layout */

/** @typedef {import("./gallery-layout.js").RowPlace} RowPlace */

/** @typedef {{element: HTMLElement & {rowIndex?: number}, tiles: Tile[], index?: number, start: number, end: number,
 *     shift?: string, label?: string}} Row */

/** Rows without a place that are kept for the next one. */
const mostSpare = 6;

export class GalleryRows {
    /** @param {{months: import("./gallery-months.js").GalleryMonths, pictures: Pictures, asList: boolean}} options */
    constructor({ months, pictures, asList }) {
        this.months = months;
        this.pictures = pictures;
        this.asList = asList;
        /** @type {Map<string, Row>} */
        this.rows = new Map();
        /** @type {Row[]} */
        this.spare = [];
    }

    /** Makes the rows of `wanted`, a list of `{section, row}`, those that there are, in their places, and gives them.
     * `isEnough(row, isNew)` is asked for each, new where it was not there before: after a true no further ones are made.
     * @param {Layout} layout @param {RowPlace[]} wanted @param {(row: Row, isNew: boolean) => boolean} isEnough
     * @returns {Row[]} */
    place(layout, wanted, isEnough) {
        const keys = new Set(wanted.map(keyOf));
        for (const [key, row] of this.rows) if (!keys.has(key)) this.free(key, row);
        this.months.show(layout, wanted);
        /** @type {Row[]} */ const placed = [];
        for (const entry of wanted) {
            const isNew = !this.rows.has(keyOf(entry));
            const row = this.put(layout, entry);
            placed.push(row);
            if (isEnough(row, isNew)) break;
        }
        // While some are still to be made, what is left over is theirs.
        if (placed.length === wanted.length) this.tidy();
        return placed;
    }

    tidy() {
        for (const row of this.spare.splice(mostSpare)) this.end(row);
        for (const row of this.spare) {
            for (const tile of row.tiles) tile.show(null);
            row.element.remove();
        }
    }

    /** Gives the row.
     * @param {Layout} layout @param {RowPlace} place */
    put(layout, { section, row: index }) {
        const key = keyOf({ section, row: index });
        const grid = this.months.grid(section);
        const row = this.rows.get(key) ?? this.spare.pop() ?? this.make(layout.columns);
        this.rows.set(key, row);
        if (row.element.parentNode !== grid || row.index !== index) {
            row.index = index;
            insert(grid, row.element, index);
            row.element.setAttribute("aria-rowindex", String(index + 1));
        }
        const shift = `translateY(${index * layout.rowHeight}px)`;
        if (row.shift !== shift) row.element.style.setProperty("transform", row.shift = shift);
        Object.assign(row, layout.placesIn(section, index));
        // Else a screen reader takes all that is in it for its name.
        const label = t("gallery.row", { from: row.start - section.start + 1, to: row.end - section.start, n: section.count });
        if (row.label !== label) row.element.setAttribute("aria-label", row.label = label);
        return row;
    }

    /** @param {number} columns @returns {Row} */
    make(columns) {
        const tiles = Array.from({ length: columns },
            () => new Tile({ pictures: this.pictures, asList: this.asList }));
        const element = el("div", { role: "row", class: "row" }, ...tiles.map((tile) => tile.element));
        return { element, tiles, start: 0, end: 0 };
    }

    /** @param {string} key @param {Row} row */
    free(key, row) {
        this.rows.delete(key);
        this.spare.push(row);
    }

    /** @param {Row} row */
    end(row) {
        for (const tile of row.tiles) tile.dispose();
        row.element.remove();
    }

    /** The tile at a place; null where none is drawn.
     * @param {number} place @returns {Tile | null} */
    tileAt(place) {
        for (const row of this.rows.values()) {
            if (row.start <= place && place < row.end) return row.tiles[place - row.start];
        }
        return null;
    }

    /** The place of the tile that an element lies in; -1 where it lies in none.
     * @param {any} element @returns {number} */
    placeOf(element) {
        for (const { tiles, start, end } of this.rows.values()) {
            const index = tiles.findIndex(({ button }) => button.contains(element));
            if (index >= 0) return start + index < end ? start + index : -1;
        }
        return -1;
    }

    /** Nothing is drawn any more, such as for another number of columns. */
    clear() {
        for (const row of [...this.rows.values(), ...this.spare]) this.end(row);
        this.rows.clear();
        this.spare = [];
    }
}

/** @param {RowPlace} place */
const keyOf = ({ section, row }) => `${section.key}|${row}`;

/** In the order of the rows: whoever hears the page, or goes through it by keys, meets them as they are seen.
 * @param {HTMLElement} grid @param {HTMLElement & {rowIndex?: number}} element @param {number} index */
function insert(grid, element, index) {
    element.rowIndex = index;
    const rows = /** @type {(Element & {rowIndex?: number})[]} */ ([...grid.children]);
    grid.insertBefore(element, rows.find(({ rowIndex = -1 }) => rowIndex > index) ?? null);
}

// What is shown while somebody scrolls fast: one element for each row, in the colours of its photos. It takes nothing but
// a place and a background, where the cells of a row take words, states and pictures.

/** @typedef {import("./gallery-layout.js").Placed} Placed */

/** @typedef {{element: HTMLElement, shift?: string, image?: string}} Strip */

export class GalleryStrips {
    /** `parentOf(section)` is where those of a section go; `colourAt(place)` is null where it is not known yet.
     * @param {{parentOf: (section: Placed) => HTMLElement, colourAt: (place: number) => string | undefined}} options */
    constructor({ parentOf, colourAt }) {
        this.parentOf = parentOf;
        this.colourAt = colourAt;
        /** @type {Map<number, Strip>} */
        this.used = new Map();
        /** @type {Strip[]} */
        this.spare = [];
    }

    /** `near` is a list of `{section, row}`.
     * @param {Layout} layout @param {{section: Placed, row: number}[]} near */
    draw(layout, near) {
        const wanted = new Set(near.map(({ section, row }) => layout.placesIn(section, row).start));
        for (const [start, strip] of this.used) {
            if (wanted.has(start)) continue;
            this.used.delete(start);
            this.spare.push(strip);
        }
        for (const { section, row } of near) this.put(layout, section, row);
        for (const strip of this.spare) paint(strip, "none");
    }

    /** @param {Layout} layout @param {Placed} section @param {number} row */
    put(layout, section, row) {
        const { start, end } = layout.placesIn(section, row);
        /** @type {Strip} */
        const strip = this.used.get(start) ?? this.spare.pop() ?? { element: el("div", { class: "strip", "aria-hidden": "true" }) };
        this.used.set(start, strip);
        const parent = this.parentOf(section);
        if (strip.element.parentNode !== parent) parent.append(strip.element);
        const shift = `translateY(${layout.head + row * layout.rowHeight}px)`;
        if (strip.shift !== shift) strip.element.style.setProperty("transform", strip.shift = shift);
        const colours = Array.from({ length: end - start }, (_, index) => this.colourAt(start + index) ?? "transparent");
        paint(strip, stripes(colours, layout.shape));
    }

    clear() {
        this.spare.push(...this.used.values());
        this.used.clear();
        for (const { element } of this.spare) element.remove();
    }
}

/** @param {Strip} strip @param {string} image */
function paint(strip, image) {
    if (strip.image !== image) strip.element.style.setProperty("background-image", strip.image = image);
}

/** Squares as wide as a row is high, without the gap.
 * @param {string[]} colours @param {{rowHeight: number, gap: number}} shape */
export function stripes(colours, { rowHeight, gap }) {
    const stops = colours.map((colour, column) => {
        const from = column * rowHeight;
        return `transparent 0 ${from}px,${colour} 0 ${from + rowHeight - gap}px`;
    });
    return `linear-gradient(to right,${stops.join()},transparent 0)`;
}

// What the tiles of a grid show of themselves and where they are: picked, new, checked, the one that has the focus.

/** @typedef {import("./gallery-layout.js").Shape} Shape */

const newFor = 8000;

export class GalleryTiles {
    /** @type {Shape} */ shape;
    /** @type {import("./gallery-layout.js").GalleryLayout} */ layout;
    /** @type {PhotoList} */ list;
    /** @type {PhotoSelection} */ selection;
    /** @type {import("./gallery-months.js").GalleryMonths} */ months;
    /** @type {GalleryRows} */ rows;
    /** @type {import("./gallery-layout.js").PlaceHolder} */ anchor;
    /** @type {import("./gallery-months.js").Speed} */ speed;
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
