// The months of a gallery: all of them stand in the page, as one element each that shows its bare columns, so that
// whoever scrolls faster than anything is drawn sees where photos are. Name and rows are only in those near.
import { el, icon, reconcile, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { dayInMonth, timeOf } from "../photos/photo-words.js";

/** @typedef {import("./gallery-layout.js").Placed} Placed */

/** @typedef {object} Month
 * @property {HTMLElement} element
 * @property {HTMLElement | null} [grid]
 * @property {HTMLButtonElement | null} [tick]
 * @property {HTMLElement} [name]
 * @property {HTMLElement | null} [note]
 * @property {number} [bare]
 * @property {number | null} [rowCount]
 * @property {number} [columns]
 * @property {string} [top]
 * @property {string} [height]
 * @property {string} [left]
 * @property {string} [width] */

export class GalleryMonths {
    /** `title(section)` gives the name of a section; `note(section)` what stands at the end of that line; `onTick(section)`
     * picks all of it, or none where all of it is picked; `onReceipt(section)`, where there is one, saves its receipt.
     * @param {{parent: HTMLElement, title: (section: Section) => string, note: (section: Section) => string,
     *     onTick: (section: Section) => void, onReceipt?: (section: Section) => unknown}} options */
    constructor({ parent, title, note, onTick, onReceipt }) {
        this.parent = parent;
        this.title = title;
        this.note = note;
        this.onTick = onTick;
        this.onReceipt = onReceipt;
        /** @type {Map<string, Month>} */
        this.months = new Map();
        /** @type {Map<string, Placed>} */
        this.near = new Map();
        /** @type {HTMLElement[]} */
        this.gone = [];
    }

    /** One for each section of a layout, in the order of time, where it is. Those that are gone stay until `sweep`: their
     * rows, and the focus in one of them, are still to be taken elsewhere.
     * @param {import("./gallery-layout.js").GalleryLayout} layout */
    renew({ sections, columns, rowHeight }) {
        /** @type {Map<string, Month>} */ const months = new Map();
        for (const section of sections) {
            /** @type {Month} */
            const month = this.months.get(section.key) ?? { element: el("section", { class: "month" }) };
            months.set(section.key, month);
            place(month, section, rowHeight);
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

    /** Gives `near`, a list of `{section}`, their names and grids, and takes those of others. What still holds rows stays
     * until `sweep`: they are taken elsewhere one by one, since all at once would take long.
     * @param {import("./gallery-layout.js").GalleryLayout} layout @param {{section: Placed}[]} near */
    show(layout, near) {
        this.near = new Map(near.map(({ section }) => [section.key, section]));
        this.leave(({ grid }) => !grid?.hasChildNodes());
        for (const section of this.near.values()) this.fill(layout, section);
    }

    /** @param {(month: Month) => boolean} [isLeft] */
    leave(isLeft = () => true) {
        for (const [key, month] of this.months) if (month.grid && !this.near.has(key) && isLeft(month)) empty(month);
    }

    /** @param {import("./gallery-layout.js").GalleryLayout} layout @param {Placed} section */
    fill(layout, section) {
        /** @type {any} */ const month = this.months.get(section.key);
        if (!month.grid) {
            const id = `month-${section.key}`;
            month.note = el("span", { class: "small figures" });
            const { key } = section;
            month.tick = el("button", { class: "tick-all", type: "button", "aria-pressed": "false", tabindex: "-1",
                "aria-label": t("pick.section", { name: this.title(section) }),
                onclick: () => this.onTick(/** @type {Placed} */ (this.near.get(key))) }, el("span", { class: "mark" }));
            month.grid = el("div", { class: "rows", role: "grid", "aria-labelledby": id, "aria-multiselectable": "true" });
            month.name = el("h2", { id });
            const { onReceipt } = this;
            const receipt = onReceipt ? el("button", { class: "link", type: "button",
                "aria-label": `${t("receipt")}: ${this.title(section)}`,
                onclick: () => onReceipt(/** @type {Placed} */ (this.near.get(key))) }, icon("download", "is-small"),
                el("span", {}, t("receipt"))) : null;
            month.element.append(el("div", { class: "month-head" }, month.tick, month.name, month.note, receipt), month.grid);
        }
        if (month.rowCount !== section.rowCount || month.columns !== layout.columns) {
            Object.assign(month, { rowCount: section.rowCount, columns: layout.columns });
            month.grid.setAttribute("aria-rowcount", String(section.rowCount));
            month.grid.setAttribute("aria-colcount", String(layout.columns));
        }
        setText(month.name, this.title(section));
        setText(month.note, this.note(section));
    }

    /** Whether all photos of each section that is named are picked; a Tab key meets the ticks while somebody picks.
     * @param {boolean} isOn @param {(section: Section) => boolean} isWhole */
    mark(isOn, isWhole) {
        for (const [key, section] of this.near) {
            const tick = this.months.get(key)?.tick;
            if (!tick) continue;
            const isPressed = String(isOn && isWhole(section));
            if (tick.getAttribute("aria-pressed") !== isPressed) tick.setAttribute("aria-pressed", isPressed);
            if (tick.tabIndex !== (isOn ? 0 : -1)) tick.tabIndex = isOn ? 0 : -1;
        }
    }

    /** @param {Section} section */
    element({ key }) { return /** @type {Month} */ (this.months.get(key)).element; }

    /** Where the rows of a section that is shown go.
     * @param {Section} section */
    grid({ key }) { return /** @type {HTMLElement} */ (/** @type {Month} */ (this.months.get(key)).grid); }

    clear() {
        this.months.clear();
        this.near.clear();
        this.gone = [];
        this.parent.replaceChildren();
    }
}

/** Those beside others have a width of their own; the gap behind the last of a row would be wider than the window.
 * @param {any} month @param {Placed} section @param {number} rowHeight */
function place(month, { top, height, left, span, isShared }, rowHeight) {
    const [from, width] = isShared ? [`${left * rowHeight}px`, `calc(${span * rowHeight}px - var(--gap))`] : ["0px", "auto"];
    for (const [name, value] of [["top", `${top}px`], ["height", `${height}px`], ["left", from], ["width", width]]) {
        if (month[name] === value) continue;
        month[name] = value;
        month.element.style.setProperty(name, value);
    }
    month.element.classList.toggle("is-shared", Boolean(isShared));
}

/** @param {Month} month */
function empty(month) {
    month.element.replaceChildren();
    Object.assign(month, { grid: null, note: null, tick: null, rowCount: null });
}

// The days within a month of many photos: told on the first photo of each, which takes no place from any.

/** Months of no more photos are seen at a glance. */
const few = 40;

/** @param {Photo} photo */
const dayIn = (photo) => timeOf(photo).slice(0, 10);

export class GalleryDays {
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
        return day !== null && before !== null && day !== before;
    }

    /** @param {number} place */
    words(place) { return dayInMonth(timeOf(/** @type {Photo} */ (this.list.at(place)))); }

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
