// The months of a gallery: all of them stand in the page, as one element each that shows its bare columns, so that
// whoever scrolls faster than anything is drawn sees where photos are. Name and rows are only in those near.
import { el, icon, reconcile, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** @typedef {import("./gallery-layout.js").Placed} Placed */

/** @typedef {{element: HTMLElement, grid?: HTMLElement | null, tick?: HTMLButtonElement | null, name?: HTMLElement,
 *     note?: HTMLElement | null, bare?: number, rowCount?: number | null, columns?: number, top?: string, height?: string,
 *     left?: string, width?: string}} Month */

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

// Goes to a date: a handle at the right edge for a thumb, a scale of years on wide screens, and a list of the parts for
// whoever uses neither eyes nor pointer.

// Where the years of a gallery stand on the scale of its scrubber, and to which part a key leads.

/** Marks of years that lie nearer to each other than this share of the scale are left out. */
const least = 0.035;
/** Months of a year. */
const page = 12;

/** The years, where they begin: `at` is a share of the scale.
 * @param {{sections: {key: string, top: number}[], height: number}} layout @returns {{year: string, at: number}[]} */
export function yearMarks({ sections, height }) {
    /** @type {{year: string, at: number}[]} */ const marks = [];
    for (const { key, top } of sections) {
        const year = /^(\d{4})-\d\d$/.exec(key)?.[1];
        const at = top / height;
        const last = marks.at(-1);
        if (!year || year === last?.year || last && at - last.at < least || at > 1 - least) continue;
        marks.push({ year, at });
    }
    return marks;
}

/** The part to which a key leads from the one at `now`, -1 where it is not known; null when the key is none of ours.
 * @template {{top: number}} P @param {P[]} sections @param {number} now @param {string} key @returns {P | null} */
export function partAfter(sections, now, key) {
    const to = { ArrowUp: now - 1, ArrowLeft: now - 1, ArrowDown: now + 1, ArrowRight: now + 1, PageUp: now - page,
        PageDown: now + page, Home: 0, End: sections.length - 1 }[key];
    if (to === undefined) return null;
    let target = Math.min(sections.length - 1, Math.max(0, to));
    // Those beside each other are one place.
    const by = Math.sign(target - now);
    while (sections[target].top === sections[now]?.top && sections[target + by] && by !== 0) target += by;
    return sections[target];
}

/** Shorter galleries, in windows, are as quickly scrolled by hand. */
const worthwhile = 3;

/** Pixels between the window's upper edge and the photos, with which these begin below the handle. */
const early = 112;

export class Scrubber {
    /** @type {string | null | undefined} */ shown;
    /** @type {string | undefined} */ drawn;
    /** @type {boolean | undefined} */ isHeld;

    /** `title(section)` names a part; `onGo(section, share)` goes to where `share` of it is past.
     * @param {{title: (section: Section) => string, onGo: (section: Placed, share?: number) => void}} options */
    constructor({ title, onGo }) {
        this.title = title;
        this.onGo = onGo;
        /** @type {import("./gallery-layout.js").GalleryLayout} */
        this.layout = /** @type {any} */ (null);
        this.listeners = new AbortController();
        this.scale = el("ul", { class: "scrub-years figures", "aria-hidden": "true" });
        this.bubble = el("b", { "aria-hidden": "true" });
        this.handle = el("div", { class: "scrub-handle", role: "slider", tabindex: "0", "aria-orientation": "vertical",
            "aria-label": t("scrub.label"), "aria-valuemin": "0", "aria-valuemax": "0", "aria-valuenow": "0",
            "aria-valuetext": "" }, icon("updown"), this.bubble);
        this.element = el("div", { class: "scrub", hidden: true }, this.scale, this.handle);
        this.select = el("select", { "aria-label": t("scrub.jump"), onchange: () => this.chosen() });
        this.jump = el("div", { class: "jump", hidden: true }, this.select);
        this.watch();
    }

    dispose() { this.listeners.abort(); }

    watch() {
        const { signal } = this.listeners;
        this.element.addEventListener("pointerdown", (event) => this.grab(event), { signal });
        this.element.addEventListener("pointermove", (event) => { if (this.isHeld) this.drag(event); }, { signal });
        for (const name of ["pointerup", "pointercancel"]) {
            this.element.addEventListener(name, () => this.hold(false), { signal });
        }
        this.handle.addEventListener("keydown", (event) => this.key(event), { signal });
    }

    /** @param {import("./gallery-layout.js").GalleryLayout} layout */
    renew(layout) {
        this.layout = layout;
        const isWorthwhile = layout.sections.length > 1 && layout.height > worthwhile * innerHeight;
        this.element.hidden = !isWorthwhile;
        this.jump.hidden = layout.sections.length < 2;
        this.handle.setAttribute("aria-valuemax", String(Math.max(0, layout.sections.length - 1)));
        const key = layout.sections.map((section) => section.key).join();
        if (key === this.drawn) return;
        // The part in which the window is has another number now, and a new option.
        this.drawn = key;
        this.shown = null;
        this.select.replaceChildren(...layout.sections.map((section) => el("option", { value: section.key },
            this.title(section))));
        this.drawScale();
    }

    /** The years, where they begin. */
    drawScale() {
        reconcile(this.scale, yearMarks(this.layout).map(({ year, at }) => {
            const element = el("li", {}, year);
            element.style.setProperty("top", `${at * 100}%`);
            return element;
        }));
    }

    /** Shows where the window is; `top` is how far the gallery has gone beyond it; while it is flying, nobody reads.
     * @param {number} top @param {{isFlying?: boolean}} options */
    follow(top, { isFlying = false } = {}) {
        if (this.layout.sections.length === 0) return;
        const length = Math.max(1, this.layout.height - innerHeight * 0.6);
        const share = Math.min(1, Math.max(0, top / length));
        // Moved, not placed: that takes no layout of the page.
        if (!this.element.hidden) {
            this.element.classList.toggle("is-early", -top > early);
            this.handle.style.setProperty("translate", `0 calc(${share.toFixed(4)} * (100cqh - var(--handle)))`);
        }
        if (isFlying && !this.isHeld) return;
        const y = Math.min(this.layout.height - 1, Math.max(0, top + innerHeight * 0.2));
        const section = /** @type {Placed} */ (this.layout.sectionAtTop(y));
        if (section.key === this.shown) return;
        this.shown = section.key;
        const index = this.layout.sections.indexOf(section);
        setText(this.bubble, this.title(section));
        this.handle.setAttribute("aria-valuenow", String(index));
        this.handle.setAttribute("aria-valuetext", this.title(section));
        this.select.value = section.key;
    }

    // ---- by hand

    /** @param {PointerEvent} event */
    grab(event) {
        if (event.button !== 0) return;
        event.preventDefault();
        this.element.setPointerCapture(event.pointerId);
        this.hold(true);
        this.drag(event);
    }

    /** @param {boolean} isHeld */
    hold(isHeld) {
        this.isHeld = isHeld;
        this.element.classList.toggle("is-held", isHeld);
    }

    /** @param {PointerEvent} event */
    drag(event) {
        const { top, height } = this.element.getBoundingClientRect();
        const share = Math.min(1, Math.max(0, (event.clientY - top) / height));
        const y = share * this.layout.height;
        const section = /** @type {Placed} */ (this.layout.sectionAtTop(Math.min(this.layout.height - 1, y)));
        this.onGo(section, Math.min(1, (y - section.top) / section.height));
    }

    // ---- by keys

    /** @param {KeyboardEvent} event */
    key(event) {
        const { sections } = this.layout;
        const now = sections.findIndex(({ key }) => key === this.shown);
        const part = partAfter(sections, now, event.key);
        if (part === null) return;
        event.preventDefault();
        this.onGo(part);
    }

    chosen() {
        const section = this.layout.sections.find(({ key }) => key === this.select.value);
        if (section) this.onGo(section);
    }
}

// How fast somebody scrolls: at speed only colours are shown, and pictures where it ends.

/** In windows per second. */
const fast = 2.5;
/** So fast that what is drawn has gone by before it is seen: a frame on a slow phone takes the time of a window. */
const flying = 15;
/** Milliseconds without a movement after which scrolling has ended. */
const pause = 120;

/** What a movement by `distance` windows tells, so many seconds after the one before.
 * @param {number} distance @param {number} seconds @returns {{isFast: boolean, isFlying: boolean}} */
export function paceOf(distance, seconds) {
    const speed = distance / Math.max(seconds, 0.001);
    // A first movement after a rest says nothing of its speed, unless it goes far.
    const isFast = seconds > pause / 1000 ? distance > 1 : speed > fast;
    return { isFast, isFlying: isFast && speed > flying };
}

export class Speed {
    /** @param {{onSettled: () => void, now?: () => number}} options */
    constructor({ onSettled, now = () => performance.now() }) {
        this.onSettled = onSettled;
        this.now = now;
        this.isFast = false;
        this.isFlying = false;
        this.last = { y: window.scrollY, at: -Infinity };
    }

    /** The page itself has brought somebody there: nobody scrolls.
     * @param {number} y */
    jumped(y) { this.last.y = y; }

    /** @param {number} y */
    moved(y) {
        if (y === this.last.y) return;
        const at = this.now();
        Object.assign(this, paceOf(Math.abs(y - this.last.y) / innerHeight, (at - this.last.at) / 1000));
        this.last = { y, at };
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            if (!this.isFast) return;
            this.isFast = this.isFlying = false;
            this.onSettled();
        }, pause);
    }

    stop() { clearTimeout(this.timer); }
}
