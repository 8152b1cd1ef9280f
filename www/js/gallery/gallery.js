// The grid of a listing: months, rows of equal height, and only what is near the window in the page.
import { el, Slice } from "../base/dom.js";
import { GalleryDays, GalleryLayout, PlaceHolder } from "./gallery-layout.js";
import { GalleryMonths, Scrubber, Speed } from "./gallery-months.js";
import { handlePointer, steer } from "./gallery-input.js";
import { GalleryRows, GalleryStrips, GalleryTiles } from "./gallery-rows.js";
import { t } from "../base/i18n.js";
import { preference } from "../base/browser.js";

/** @typedef {{list: PhotoList, selection: PhotoSelection, pictures: Pictures, view: string,
 *     title: (section: Section) => string, onReceipt?: (section: Section) => unknown, isByMonth?: boolean,
 *     onOpen: (place: number) => void, onDelete: () => void, onHeart?: ((photo: Photo) => unknown) | undefined,
 *     onDrop?: (() => unknown) | undefined}} GalleryOptions */

/** @typedef {import("./gallery-layout.js").Shape} Shape */

/** @typedef {import("./gallery-layout.js").Placed} Placed */

/** @typedef {import("./gallery-layout.js").RowPlace} RowPlace */

/** @typedef {import("./gallery-rows.js").Row} Row */

/** Of a line in a list, as a multiple of the size of letters. */
const lineHeight = 4;
/** Of a month that stands beside another, as a multiple of the size of letters. */
const leastWidth = 6.75;

export class Gallery extends GalleryTiles {
    /** @type {number} */ above;
    /** @type {number | null | undefined} */ frame;

    /** `onOpen(place)`, `onDelete()` for the Delete key, `onHeart(photo)` where photos can have hearts,
     * `onDrop()` for what is picked and was drawn to the albums; `view` is `grid` or `list`; `title(section)` names a part of the
     * list, and `onReceipt(section)` saves what proves that it was read back; `isByMonth`: its sections are months; long ones tell their days, small ones stand beside each other.
     * @param {GalleryOptions} options */
    constructor({ list, selection, pictures, view, title, onReceipt, isByMonth = false, onOpen, onDelete, onHeart, onDrop }) {
        super();
        this.list = list;
        this.selection = selection;
        this.view = view;
        this.title = title;
        this.onOpen = onOpen;
        this.onDelete = onDelete;
        this.onHeart = onHeart;
        this.onDrop = onDrop;
        this.isByMonth = isByMonth;
        /** @type {Photo | null} */
        this.held = null;
        this.scrubber = new Scrubber({
            // In a list months are spelled alike, also those that share a row in the gallery.
            title: (section) => title({ ...section, isShared: false }), onGo: (section, share) => this.goTo(section, share),
        });
        const look = view === "list" ? "list" : preference("tiles", "medium");
        this.element = el("div", { class: `gallery is-${look}` },
            this.scrubber.jump, this.sections, this.scrubber.element);
        this.months = new GalleryMonths({ parent: this.sections, title, onReceipt,
            note: (section) => t(section.isOpen ? "count.least" : "count.items", { n: section.count }),
            onTick: (section) => selection.toggleRange(section.start, section.start + section.count) });
        this.strips = new GalleryStrips({ parentOf: (section) => this.months.element(section),
            colourAt: (place) => this.list.at(place)?.colour });
        this.rows = new GalleryRows({ months: this.months, pictures, asList: view === "list" });
        this.days = new GalleryDays(list, { isShown: view !== "list" && isByMonth });
        this.anchor = new PlaceHolder(this);
        this.speed = new Speed({ onSettled: () => this.drawSoon() });
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        list.addEventListener("change", () => this.renew(), { signal });
        list.addEventListener("marks", () => this.drawStates(), { signal });
        selection.addEventListener("change", () => this.drawStates(), { signal });
        window.addEventListener("scroll", () => { this.speed.moved(window.scrollY); this.drawSoon(); },
            { passive: true, signal });
        window.addEventListener("resize", () => this.measure(), { signal });
        this.element.addEventListener("focusin", (event) => this.noteFocus(event), { signal });
        steer(this);
        handlePointer(this, { signal });
        this.resize = new ResizeObserver(() => this.measure());
        this.resize.observe(this.element);
    }

    dispose() {
        this.isDisposed = true;
        this.listeners.abort();
        this.resize.disconnect();
        this.speed.stop();
        this.scrubber.dispose();
        cancelAnimationFrame(this.frame);
        this.clear();
        this.element.replaceChildren();
    }

    /** Columns and row height follow the width; the style sheet says how many columns, and how high a head is. */
    measure() {
        const style = getComputedStyle(this.sections);
        const width = this.sections.clientWidth;
        if (width <= 0 || this.isDisposed) return;
        /** @param {string} name */
        const pixels = (name) => parseFloat(style.getPropertyValue(name)) || 0;
        const isList = this.view === "list";
        const gap = pixels("--gap");
        const least = pixels("--cell-least") || 110;
        const fixed = Number.parseInt(style.getPropertyValue("--columns-fixed"), 10);
        const columns = isList ? 1 : fixed || Math.max(2, Math.floor((width + gap) / (least + gap)));
        const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
        const rowHeight = isList ? lineHeight * rem : (width - gap * (columns - 1)) / columns + gap;
        this.anchor.measure();
        this.above = this.lookAbove();
        const shape = { columns, rowHeight, gap, head: pixels("--month-head") * rem, foot: pixels("--month-foot") * rem,
            // Below it the name of a month has no room.
            least: this.isByMonth && !isList ? leastWidth * rem : Infinity };
        this.layOut(shape);
    }

    /** @param {Shape} shape */
    layOut(shape) {
        const { shape: before } = this;
        const isSame = before && /** @type {(keyof Shape)[]} */ (Object.keys(shape)).every((key) =>
            shape[key] === before[key] || Math.abs((shape[key] ?? NaN) - (before[key] ?? NaN)) < 0.01);
        if (isSame) {
            this.drawSoon();
            return;
        }
        if (this.shape && shape.columns !== this.shape.columns) this.rows.clear();
        this.strips.clear();
        this.shape = shape;
        this.sections.style.setProperty("--row-height", `${shape.rowHeight}px`);
        this.sections.style.setProperty("--gaps", gaps(shape));
        this.renew();
    }

    /** How far below the beginning of the page the photos begin. */
    lookAbove() { return this.sections.getBoundingClientRect().top + window.scrollY; }

    /** The list or the shape is another: what the eye is on stays where it is. */
    renew() {
        if (!this.shape || this.isDisposed) return;
        // Photos that have come where there was room for them move nothing.
        if (this.layout?.isOf(this.list.sections, this.shape)) {
            this.refocus();
            this.drawSoon();
            return;
        }
        const before = this.layout;
        this.layout = new GalleryLayout(this.list.sections, this.shape);
        // An empty gallery is hidden and not drawn: nothing of what was there stays in it.
        if (this.layout.count === 0) this.clear();
        this.refocus();
        if (!before?.isLike(this.layout)) {
            if (before?.shape === this.shape) this.anchor.follow(before);
            this.sections.style.setProperty("height", `${this.layout.height}px`);
            this.months.renew(this.layout);
            this.scrubber.renew(this.layout);
            this.anchor.restore();
        }
        // Cells show other photos now: all at once, so that the focus finds its own.
        this.draw({ isWhole: true });
    }

    clear() {
        this.rows.clear();
        this.strips.clear();
        this.months.clear();
    }

    drawSoon() {
        this.frame ??= requestAnimationFrame(() => this.draw());
    }

    /** Draws what is near the window now: at speed its colours, else all of it, `isWhole` before this returns.
     * @param {{isFast?: boolean, isWhole?: boolean}} options */
    draw({ isFast = this.speed.isFast, isWhole = false } = {}) {
        cancelAnimationFrame(this.frame);
        this.frame = null;
        if (!this.layout || this.isDisposed || this.element.hidden) return;
        if (isFast) this.drawColours();
        else this.drawPhotos(isWhole);
    }

    /** Nothing here asks the browser where anything is, and no cell changes. */
    drawColours() {
        const { y } = this.speed.last;
        const top = y - this.above;
        if (!this.speed.isFlying) {
            const near = this.near(top, 0.75);
            this.need(top);
            this.months.show(this.layout, near);
            this.strips.draw(this.layout, near);
        }
        this.anchor.note(top, y, innerHeight);
        this.scrubber.follow(top, { isFlying: this.speed.isFlying });
    }

    /** In slices, those in the window first: a screen full of photos takes longer than a frame.
     * @param {boolean} isWhole */
    drawPhotos(isWhole) {
        const slice = new Slice();
        const focusedId = this.focusedCell()?.dataset.id;
        const { scrollY } = window;
        this.above = this.lookAbove();
        const top = scrollY - this.above;
        this.need(top);
        const wanted = this.byDistance(this.withUsed(this.near(top, 0.5)), top + innerHeight / 2);
        // What stood there already is no work: each frame gets on by a row at least, however slow the machine is.
        const rows = this.rows.place(this.layout, wanted, (row, isNew) => {
            const isWork = this.fill(row) || isNew;
            return isWork && !isWhole && slice.isOver;
        });
        this.drawStates();
        const isPlaced = rows.length === wanted.length;
        if (isPlaced) {
            this.strips.clear();
            this.months.sweep();
        }
        if (!isPlaced || !this.dress(rows, slice)) this.drawSoon();
        this.holdFocus(focusedId);
        this.anchor.note(top, scrollY, innerHeight);
        this.scrubber.follow(top);
    }

    /** The rows in the window and `share` of a window around it.
     * @param {number} top @param {number} share */
    near(top, share) {
        return this.layout.rowsBetween(top - share * innerHeight, top + (1 + share) * innerHeight);
    }

    /** Asks for those in the window, and, while nobody hurries, for a screen around it.
     * @param {number} top */
    need(top) {
        if (this.layout.count === 0) return;
        const from = this.layout.placeAt(top);
        const to = this.layout.placeAt(top + innerHeight) + this.layout.columns;
        this.list.need(from, to, this.speed.isFast ? 0 : 2 * (to - from));
    }

    /** What has the focus, or the finger that draws, is never taken away.
     * @param {RowPlace[]} near */
    withUsed(near) {
        const used = [this.focusedCell() ? this.focused?.place ?? -1 : -1, this.held ? this.list.placeOf(this.held.id) : -1];
        const rows = [...near];
        for (const place of used.filter((one) => one >= 0)) {
            const { section, row } = /** @type {RowPlace} */ (this.layout.cellOf(place));
            if (!rows.some((entry) => entry.section === section && entry.row === row)) rows.push({ section, row });
        }
        return rows;
    }

    /** @param {RowPlace[]} rows @param {number} middle */
    byDistance(rows, middle) {
        /** @param {RowPlace} one */
        const distance = ({ section, row }) => Math.abs(this.layout.topOf(section, row) - middle);
        return rows.sort((one, other) => distance(one) - distance(other));
    }

    /** True where a place shows another photo now.
     * @param {Row} row @returns {boolean} */
    fill(row) {
        return row.tiles.filter((tile, index) => {
            const isPlace = row.start + index < row.end;
            // Those at the end of a month: what stays keeps its order.
            if (!isPlace) tile.element.remove();
            else if (!tile.element.parentNode) row.element.append(tile.element);
            tile.setDay(isPlace && this.days.begins(row.start + index) ? this.days.words(row.start + index) : null);
            return tile.show(isPlace ? this.list.at(row.start + index) : null);
        }).length > 0;
    }

    /** Words and pictures; false where some are left for the next frame.
     * @param {Row[]} rows @param {Slice} slice @returns {boolean} */
    dress(rows, slice) {
        return rows.every((row, index) => {
            const isWork = row.tiles.filter((tile) => tile.dress()).length > 0;
            return !isWork || !slice.isOver || index === rows.length - 1;
        });
    }

    // ---- focus

    /** Cells show other photos after a change; the focus stays with its own, or where that was.
     * @param {string | undefined} id */
    holdFocus(id) {
        const cell = this.focusedCell();
        if (id === undefined || cell?.dataset.id === id) return;
        const place = this.list.placeOf(id);
        const stays = place < 0 && !cell ? this.focused?.place ?? -1 : place;
        if (stays >= 0) this.rows.tileAt(stays)?.button.focus({ preventScroll: true });
    }

    /** Brings a photo into the page and gives it the focus.
     * @param {number} place */
    focusPlace(place) {
        if (place < 0 || !this.layout || place >= this.layout.count) return;
        this.focused = { id: this.list.at(place)?.id, place };
        this.reveal(place);
        this.draw({ isFast: false, isWhole: true });
        // What has not come yet has a place all the same.
        this.rows.tileAt(place)?.button.focus({ preventScroll: true });
    }

    /** The beginning of a section, or where `share` of it is past.
     * @param {{top: number, height: number}} section @param {number} [share] */
    goTo(section, share = 0) {
        const { above } = this.anchor.room();
        const head = this.shape.head;
        const y = this.sections.getBoundingClientRect().top + window.scrollY + section.top + share * section.height;
        window.scrollTo(0, Math.max(0, y + head - above));
        this.drawSoon();
    }

    /** A click on what has not come yet: the viewer shows it as soon as it is here.
     * @param {EventTarget | null} target */
    useSoon(target) {
        const place = this.rows.placeOf(target);
        if (place >= 0 && !this.selection.isOn) this.onOpen(place);
    }

    /** Enter or a click: opens, or picks while picking.
     * @param {number} place @param {{extend?: boolean}} options */
    use(place, { extend = false } = {}) {
        const photo = this.list.at(place);
        if (!photo || photo.item) return;
        this.focused = { id: photo.id, place };
        if (!this.selection.isOn) this.onOpen(place);
        else if (extend) this.selection.extend(place);
        else this.selection.toggle(place);
    }
}

/** Backgrounds as narrow as the gaps between the columns.
 * @param {Shape} shape */
function gaps({ columns, rowHeight, gap }) {
    return Array.from({ length: columns - 1 },
        (_, column) => `linear-gradient(var(--bg) 0 0) ${(column + 1) * rowHeight - gap}px 0 / ${gap}px 100% no-repeat`).join();
}
