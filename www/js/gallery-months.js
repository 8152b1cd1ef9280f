// The months of a gallery: all of them stand in the page, as one element each that shows its bare columns, so that
// whoever scrolls faster than anything is drawn sees where photos are. Name and rows are only in those near.
import { el, reconcile, setText } from "./dom.js";

export class GalleryMonths {
    /** `title(section)` gives the name of a section; `note(section)` what stands at the end of that line. */
    constructor({ parent, title, note }) {
        Object.assign(this, { parent, title, note, months: new Map(), near: new Map(), gone: [] });
    }

    /**
     * One for each section of a layout, in the order of time, where it is. Those that are gone stay until `sweep`: their
     * rows, and the focus in one of them, are still to be taken elsewhere.
     */
    renew({ sections, columns, rowHeight }) {
        const months = new Map();
        for (const section of sections) {
            const month = this.months.get(section.key) ?? { element: el("section", { class: "month" }) };
            months.set(section.key, month);
            place(month, section);
            // The last row may have fewer photos than there is room for: it is drawn by its cells alone.
            const bare = Math.floor(section.count / columns) * rowHeight;
            if (month.bare !== bare) month.element.style.setProperty("--bare", `${month.bare = bare}px`);
        }
        for (const [key, month] of this.months) if (!months.has(key)) this.gone.push(month.element);
        this.months = months;
        const elements = [...months.values()].map(({ element }) => element);
        reconcile(this.parent, [...elements, ...this.gone]);
    }

    /** Once all rows are where they belong. */
    sweep() {
        for (const element of this.gone.splice(0)) element.remove();
        this.leave();
    }

    /**
     * Gives `near`, a list of `{section}`, their names and grids, and takes those of others. What still holds rows stays
     * until `sweep`: they are taken elsewhere one by one, since all at once would take long.
     */
    show(layout, near) {
        this.near = new Map(near.map(({ section }) => [section.key, section]));
        this.leave(({ grid }) => !grid.hasChildNodes());
        for (const section of this.near.values()) this.fill(layout, section);
    }

    leave(isLeft = () => true) {
        for (const [key, month] of this.months) if (month.grid && !this.near.has(key) && isLeft(month)) empty(month);
    }

    fill(layout, section) {
        const month = this.months.get(section.key);
        if (!month.grid) {
            const id = `month-${section.key}`;
            month.note = el("span", { class: "small figures" });
            month.grid = el("div", { class: "rows", role: "grid", "aria-labelledby": id, "aria-multiselectable": "true" });
            month.element.append(el("div", { class: "month-head" }, el("h2", { id }, this.title(section)), month.note),
                month.grid);
        }
        if (month.rowCount !== section.rowCount || month.columns !== layout.columns) {
            Object.assign(month, { rowCount: section.rowCount, columns: layout.columns });
            month.grid.setAttribute("aria-rowcount", section.rowCount);
            month.grid.setAttribute("aria-colcount", layout.columns);
        }
        setText(month.note, this.note(section));
    }

    element({ key }) { return this.months.get(key).element; }

    /** Where the rows of a section that is shown go. */
    grid({ key }) { return this.months.get(key).grid; }

    clear() {
        this.months.clear();
        this.near.clear();
        this.gone = [];
        this.parent.replaceChildren();
    }
}

function place(month, { top, height }) {
    if (month.top === top && month.height === height) return;
    Object.assign(month, { top, height });
    month.element.style.setProperty("top", `${top}px`);
    month.element.style.setProperty("height", `${height}px`);
}

function empty(month) {
    month.element.replaceChildren();
    Object.assign(month, { grid: null, note: null, rowCount: null });
}
