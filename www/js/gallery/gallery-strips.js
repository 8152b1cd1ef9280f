// What is shown while somebody scrolls fast: one element for each row, in the colours of its photos. It takes nothing but
// a place and a background, where the cells of a row take words, states and pictures.
import { el } from "../base/dom.js";

/** @typedef {import("./gallery-layout.js").GalleryLayout} Layout */

/** @typedef {import("./gallery-layout.js").Placed} Placed */

/**
 * @typedef {object} Strip
 * @property {HTMLElement} element
 * @property {string} [shift]
 * @property {string} [image]
 */

export class GalleryStrips {
    /**
     * `parentOf(section)` is where those of a section go; `colourAt(place)` is null where it is not known yet.
     * @param {{parentOf: (section: Placed) => HTMLElement, colourAt: (place: number) => string | undefined}} options
     */
    constructor({ parentOf, colourAt }) {
        this.parentOf = parentOf;
        this.colourAt = colourAt;
        /** @type {Map<number, Strip>} */
        this.used = new Map();
        /** @type {Strip[]} */
        this.spare = [];
    }

    /**
     * `near` is a list of `{section, row}`.
     * @param {Layout} layout
     * @param {{section: Placed, row: number}[]} near
     */
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

    /**
     * @param {Layout} layout
     * @param {Placed} section
     * @param {number} row
     */
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

/**
 * @param {Strip} strip
 * @param {string} image
 */
function paint(strip, image) {
    if (strip.image !== image) strip.element.style.setProperty("background-image", strip.image = image);
}

/**
 * Squares as wide as a row is high, without the gap.
 * @param {string[]} colours
 * @param {{rowHeight: number, gap: number}} shape
 */
export function stripes(colours, { rowHeight, gap }) {
    const stops = colours.map((colour, column) => {
        const from = column * rowHeight;
        return `transparent 0 ${from}px,${colour} 0 ${from + rowHeight - gap}px`;
    });
    return `linear-gradient(to right,${stops.join()},transparent 0)`;
}
