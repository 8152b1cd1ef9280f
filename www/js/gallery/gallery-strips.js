// What is shown while somebody scrolls fast: one element for each row, in the colours of its photos. It takes nothing but
// a place and a background, where the cells of a row take words, states and pictures.
import { el } from "../base/dom.js";

export class GalleryStrips {
    /** `parentOf(section)` is where those of a section go; `colourAt(place)` is null where it is not known yet. */
    constructor({ parentOf, colourAt }) {
        Object.assign(this, { parentOf, colourAt, used: new Map(), spare: [] });
    }

    /** `near` is a list of `{section, row}`. */
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

    put(layout, section, row) {
        const { start, end } = layout.placesIn(section, row);
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

function paint(strip, image) {
    if (strip.image !== image) strip.element.style.setProperty("background-image", strip.image = image);
}

/** Squares as wide as a row is high, without the gap. */
function stripes(colours, { rowHeight, gap }) {
    const stops = colours.map((colour, column) => {
        const from = column * rowHeight;
        return `transparent 0 ${from}px,${colour} 0 ${from + rowHeight - gap}px`;
    });
    return `linear-gradient(to right,${stops.join()},transparent 0)`;
}
