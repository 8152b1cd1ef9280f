// What is shown while somebody scrolls fast: one element for each row, in the colours of its photos. It takes nothing but
// a place and a background, where the cells of a row take words, states and pictures.
import { el } from "./dom.js";

export class GalleryStrips {
    constructor() {
        this.element = el("div", { class: "strips", "aria-hidden": "true" });
        this.used = new Map();
        this.spare = [];
    }

    /** `near` is a list of `{section, row}`; `colourAt(place)` is null where it is not known yet. */
    draw(layout, near, colourAt) {
        const wanted = new Set(near.map(({ section, row }) => layout.placesIn(section, row).start));
        for (const [start, strip] of this.used) {
            if (wanted.has(start)) continue;
            this.used.delete(start);
            this.spare.push(strip);
        }
        for (const { section, row } of near) this.put(layout, section, row, colourAt);
        for (const strip of this.spare) paint(strip, "none");
    }

    put(layout, section, row, colourAt) {
        const { start, end } = layout.placesIn(section, row);
        const strip = this.used.get(start) ?? this.spare.pop() ?? this.make();
        this.used.set(start, strip);
        const shift = `translateY(${layout.topOf(section, row)}px)`;
        if (strip.shift !== shift) strip.element.style.setProperty("transform", strip.shift = shift);
        const colours = Array.from({ length: end - start }, (_, index) => colourAt(start + index) ?? "transparent");
        paint(strip, stripes(colours, layout.shape));
    }

    make() {
        const element = el("div", { class: "strip" });
        this.element.append(element);
        return { element };
    }

    clear() {
        if (this.used.size === 0) return;
        for (const strip of this.used.values()) {
            paint(strip, "none");
            this.spare.push(strip);
        }
        this.used.clear();
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
