// The grid of a listing: months, rows of equal height, and only what is near the window in the page.
import { el, reconcile, setText } from "./dom.js";
import { month, t } from "./i18n.js";
import { byMonth } from "./photo-list.js";
import { Tile } from "./tile.js";
import { holdPlace } from "./gallery-anchor.js";
import { steer } from "./gallery-keys.js";
import { handleTouch } from "./gallery-pointer.js";

/** Rows that come and go together. */
const rowsPerBlock = 6;
const lineHeight = 64;
const newFor = 8000;

export class Gallery {
    /** `onOpen(photo)`, `onDelete()` for the Delete key; `view` is `grid` or `list`. */
    constructor({ list, selection, pictures, view, onOpen, onDelete }) {
        Object.assign(this, { list, selection, pictures, view, onOpen, onDelete });
        this.tiles = new Map();
        this.months = new Map();
        this.blocks = new Map();
        this.newIds = new Set();
        this.focusedId = null;
        this.sections = el("div");
        this.end = el("div", { class: "gallery-end" });
        this.element = el("div", { class: view === "list" ? "gallery is-list" : "gallery" }, this.sections, this.end);
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        list.addEventListener("change", () => this.draw(), { signal });
        selection.addEventListener("change", () => this.drawPicks(), { signal });
        steer(this);
        handleTouch(this);
        this.near = new IntersectionObserver((entries) => this.seen(entries), { rootMargin: "75% 0px" });
        const ask = (entries) => { if (entries.at(-1).isIntersecting) list.more(); };
        this.bottom = new IntersectionObserver(ask, { rootMargin: "150% 0px" });
        this.bottom.observe(this.end);
        this.resize = new ResizeObserver(() => this.measure());
        this.resize.observe(this.element);
    }

    dispose() {
        this.listeners.abort();
        for (const observer of [this.near, this.bottom, this.resize]) observer.disconnect();
        for (const tile of this.tiles.values()) tile.dispose();
        this.element.replaceChildren();
    }

    /** Columns and row height follow the width; the style sheet says how many columns. */
    measure() {
        const style = getComputedStyle(this.element);
        const width = this.element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
        if (width <= 0) return;
        const gap = parseFloat(style.getPropertyValue("--gap")) || 0;
        const least = parseFloat(style.getPropertyValue("--cell-least")) || 110;
        const fixed = Number.parseInt(style.getPropertyValue("--columns-fixed"), 10);
        const columns = this.view === "list" ? 1 : fixed || Math.max(2, Math.floor((width + gap) / (least + gap)));
        const rowHeight = this.view === "list" ? lineHeight : (width - gap * (columns - 1)) / columns + gap;
        if (columns === this.columns && Math.abs(rowHeight - this.rowHeight) < 0.01) return;
        Object.assign(this, { columns, rowHeight });
        this.element.style.setProperty("--columns", columns);
        this.draw();
    }

    draw() {
        if (!this.columns) return;
        const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
        holdPlace(this, () => this.drawMonths());
        if (focused !== undefined && document.activeElement === document.body) {
            this.tiles.get(focused)?.button.focus({ preventScroll: true });
        }
    }

    drawMonths() {
        const wanted = new Set();
        const sections = byMonth(this.list.photos).map((entry, index, all) => this.drawMonth(entry, wanted,
            index < all.length - 1 || this.list.isComplete));
        for (const [key, block] of this.blocks) if (!wanted.has(key)) this.drop(key, block);
        reconcile(this.sections, sections);
        const living = new Set([...this.blocks.values()].flatMap((block) => (block.isFilled ? block.ids : [])));
        for (const [id, tile] of this.tiles) if (!living.has(id)) this.dropTile(id, tile);
        this.drawPicks();
        // A page that does not fill the window brings no scrolling: ask again.
        this.bottom.unobserve(this.end);
        this.bottom.observe(this.end);
    }

    drawMonth({ key, date, photos }, wanted, isWhole) {
        if (!this.months.has(key)) {
            const name = el("h2", { id: `month-${key}` }, month(date));
            const count = el("span", { class: "small figures" });
            const grid = el("div", { role: "grid", "aria-labelledby": `month-${key}`, "aria-multiselectable": "true" });
            this.months.set(key, { count, grid,
                element: el("section", { class: "month" }, el("div", { class: "month-head" }, name, count), grid) });
        }
        const section = this.months.get(key);
        setText(section.count, isWhole ? t("count.items", { n: photos.length }) : "");
        section.grid.setAttribute("aria-rowcount", Math.ceil(photos.length / this.columns));
        section.grid.setAttribute("aria-colcount", this.columns);
        reconcile(section.grid, this.blocksOf(key, photos, wanted));
        return section.element;
    }

    blocksOf(month, photos, wanted) {
        const size = rowsPerBlock * this.columns;
        const elements = [];
        for (let start = 0; start < photos.length; start += size) {
            const ids = photos.slice(start, start + size).map((photo) => photo.id);
            const key = `${month}|${this.columns}|${start}`;
            wanted.add(key);
            elements.push(this.block(key, ids, start / this.columns).element);
        }
        return elements;
    }

    /** A block keeps its place by its height while its photos are away. */
    block(key, ids, firstRow) {
        let block = this.blocks.get(key);
        if (!block) {
            block = { key, ids: [], firstRow, isFilled: false, element: el("div", { role: "none", class: "block" }) };
            block.element.blockKey = key;
            this.blocks.set(key, block);
            this.near.observe(block.element);
        }
        const isSame = block.ids.length === ids.length && block.ids.every((id, index) => id === ids[index]);
        block.ids = ids;
        block.element.style.setProperty("height", `${Math.ceil(ids.length / this.columns) * this.rowHeight}px`);
        if (block.isFilled && !isSame) this.fillBlock(block);
        return block;
    }

    drop(key, block) {
        this.near.unobserve(block.element);
        this.blocks.delete(key);
    }

    seen(entries) {
        for (const entry of entries) {
            const block = this.blocks.get(entry.target.blockKey);
            if (block?.element !== entry.target) continue;
            if (entry.isIntersecting && !block.isFilled) this.fillBlock(block);
            // What has the focus is never taken away.
            const isFree = block.isFilled && !block.element.contains(document.activeElement);
            if (!entry.isIntersecting && isFree) this.emptyBlock(block);
        }
    }

    fillBlock(block) {
        block.isFilled = true;
        const rows = [];
        for (let start = 0; start < block.ids.length; start += this.columns) {
            rows.push(el("div", { role: "row", class: "row", "aria-rowindex": block.firstRow + rows.length + 1 },
                ...block.ids.slice(start, start + this.columns).map((id) => this.tile(id).element)));
        }
        block.element.replaceChildren(...rows);
        this.drawPicks();
    }

    emptyBlock(block) {
        block.isFilled = false;
        for (const id of block.ids) this.dropTile(id, this.tiles.get(id));
        block.element.replaceChildren();
    }

    tile(id) {
        if (!this.tiles.has(id)) {
            this.tiles.set(id, new Tile(this.list.byId.get(id),
                { pictures: this.pictures, asList: this.view === "list", isNew: this.newIds.has(id) }));
        }
        return this.tiles.get(id);
    }

    dropTile(id, tile) {
        tile?.dispose();
        this.tiles.delete(id);
    }

    drawPicks() {
        const { selection } = this;
        this.element.classList.toggle("is-picking", selection.isOn);
        for (const [id, tile] of this.tiles) tile.setPicked(selection.isOn, selection.has(id));
        this.drawTabStop();
    }

    /** A lit foot under photos that have just come, for some seconds. */
    markNew(ids) {
        for (const id of ids) this.newIds.add(id);
        setTimeout(() => {
            for (const id of ids) {
                this.newIds.delete(id);
                this.tiles.get(id)?.button.classList.remove("is-new");
            }
        }, newFor);
    }

    /** One stop for the Tab key: the photo that was last used, else the first one. */
    drawTabStop() {
        if (!this.list.byId.has(this.focusedId)) this.focusedId = this.list.photos[0]?.id ?? null;
        const stop = this.tiles.has(this.focusedId) ? this.focusedId : this.tiles.keys().next().value;
        for (const [id, tile] of this.tiles) tile.button.tabIndex = id === stop ? 0 : -1;
    }

    /** Brings a photo into the page and gives it the focus. */
    focusPhoto(id) {
        const block = [...this.blocks.values()].find((candidate) => candidate.ids.includes(id));
        if (!block) return;
        this.focusedId = id;
        if (!block.isFilled) this.fillBlock(block);
        this.drawTabStop();
        const { button } = this.tiles.get(id);
        button.focus({ preventScroll: true });
        button.scrollIntoView({ block: "nearest" });
    }

    /** A click, Enter or a tap: opens, or picks while picking. */
    use(id, { extend = false } = {}) {
        this.focusedId = id;
        if (!this.selection.isOn) this.onOpen(this.list.byId.get(id));
        else if (extend) this.selection.extend(id);
        else this.selection.toggle(id);
    }
}
