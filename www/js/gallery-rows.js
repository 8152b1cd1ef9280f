// The elements of a gallery: months and rows near the window, and the same few of them wherever one scrolls.
import { el, setText } from "./dom.js";
import { Tile } from "./tile.js";

/** Rows without a place that are kept for the next one. */
const mostSpare = 6;

export class GalleryRows {
    /** `title(section)` gives the name of a section; `note(section)` what stands at the end of that line. */
    constructor({ parent, pictures, asList, title, note }) {
        Object.assign(this, { parent, pictures, asList, title, note });
        this.sections = new Map();
        this.rows = new Map();
        this.spare = [];
    }

    /** Makes the rows of `wanted`, a list of `{section, row}`, those that there are, in their places. */
    place(layout, wanted) {
        const keys = new Set(wanted.map(({ section, row }) => `${section.key}|${row}`));
        for (const [key, row] of this.rows) if (!keys.has(key)) this.free(key, row);
        for (const { section, row } of wanted) this.put(layout, section, row);
        const used = new Set(wanted.map(({ section }) => section.key));
        for (const [key, { element }] of this.sections) {
            if (used.has(key)) continue;
            element.remove();
            this.sections.delete(key);
        }
        for (const row of this.spare.splice(mostSpare)) this.end(row);
        for (const row of this.spare) {
            for (const tile of row.tiles) tile.show(null);
            row.element.remove();
        }
    }

    put(layout, section, index) {
        const key = `${section.key}|${index}`;
        const { grid } = this.section(layout, section);
        let row = this.rows.get(key);
        if (!row) {
            row = this.spare.pop() ?? this.make(layout.columns);
            this.rows.set(key, row);
        }
        if (row.element.parentNode !== grid || row.index !== index) {
            row.index = index;
            row.element.remove();
            insert(grid, row.element, index);
            row.element.setAttribute("aria-rowindex", index + 1);
        }
        const shift = `translateY(${index * layout.rowHeight}px)`;
        if (row.shift !== shift) row.element.style.setProperty("transform", row.shift = shift);
        Object.assign(row, layout.placesIn(section, index));
    }

    section(layout, section) {
        let found = this.sections.get(section.key);
        if (!found) {
            const id = `month-${section.key}`;
            const name = el("h2", { id }, this.title(section));
            const note = el("span", { class: "small figures" });
            const grid = el("div", { class: "rows", role: "grid", "aria-labelledby": id, "aria-multiselectable": "true" });
            const element = el("section", { class: "month" }, el("div", { class: "month-head" }, name, note), grid);
            found = { element, grid, note, top: null };
            this.sections.set(section.key, found);
            // In the order of time, for whoever reads the page from above.
            const after = [...this.sections.entries()].find(([key, { top }]) => key !== section.key && top > section.top);
            this.parent.insertBefore(element, after?.[1].element ?? null);
        }
        if (found.top !== section.top || found.height !== section.height) {
            Object.assign(found, { top: section.top, height: section.height });
            found.element.style.setProperty("top", `${section.top}px`);
            found.element.style.setProperty("height", `${section.height}px`);
        }
        if (found.rowCount !== section.rowCount || found.columns !== layout.columns) {
            Object.assign(found, { rowCount: section.rowCount, columns: layout.columns });
            found.grid.setAttribute("aria-rowcount", section.rowCount);
            found.grid.setAttribute("aria-colcount", layout.columns);
        }
        setText(found.note, this.note(section));
        return found;
    }

    make(columns) {
        const tiles = Array.from({ length: columns },
            () => new Tile({ pictures: this.pictures, asList: this.asList }));
        return { element: el("div", { role: "row", class: "row" }, ...tiles.map(({ element }) => element)), tiles };
    }

    free(key, row) {
        this.rows.delete(key);
        this.spare.push(row);
    }

    end(row) {
        for (const tile of row.tiles) tile.dispose();
        row.element.remove();
    }

    /** The tile at a place; null where none is drawn. */
    tileAt(place) {
        for (const row of this.rows.values()) {
            if (row.start <= place && place < row.end) return row.tiles[place - row.start];
        }
        return null;
    }

    /** Nothing is drawn any more, such as for another number of columns. */
    clear() {
        for (const row of [...this.rows.values(), ...this.spare]) this.end(row);
        for (const { element } of this.sections.values()) element.remove();
        this.rows.clear();
        this.sections.clear();
        this.spare = [];
    }
}

/** In the order of the rows: whoever hears the page, or goes through it by keys, meets them as they are seen. */
function insert(grid, element, index) {
    element.rowIndex = index;
    grid.insertBefore(element, [...grid.children].find(({ rowIndex }) => rowIndex > index) ?? null);
}
