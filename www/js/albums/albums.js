// The wall of albums: a cover, a name and a count each. Only what is near the window has anything in it.
import { Unreachable } from "../base/api.js";
import { preference, remember } from "../base/browser.js";
import { el, icon, reconcile, setText } from "../base/dom.js";
import { describe, t } from "../base/i18n.js";
import { emptyLine } from "../elements/pieces.js";
import { screenHead } from "../inside/shell.js";
import { moveAlbum, newAlbum } from "./album-actions.js";
import { archived, coverKey, favourites, nameOf, showCover } from "./album-dialogs.js";
import { around, orders, ownNameOf, shelved } from "./album-requests.js";

export { AlbumFilling } from "./album-part.js";
export { AlbumJoining } from "./album-actions.js";
export { AlbumList } from "./album-requests.js";
export { AlbumPlaces, isAlbum } from "./album-requests.js";
export { album as albumById } from "./album-requests.js";
export { addToAlbum } from "./album-actions.js";
export { AlbumPart } from "./album-part.js";
export { FolderOffer, foldersOf } from "./album-part.js";
export { isMarked, markFor, sayMarks } from "./album-actions.js";

/** @typedef {import("./album-requests.js").Shelved} Shelved */

/** @typedef {{list: import("./album-requests.js").AlbumList, pictures: Pictures, addressOf: (album: Album) => string,
 *     within?: string, perform: (action: Action) => Promise<boolean>, onLateChange: () => void,
 *     notices: HTMLElement[]}} WallOptions */

/** How far from the window covers are asked for. */
const ahead = "50%";

export class AlbumWall {
    /** `within` is the name of an album whose albums are shown.
     * @param {WallOptions} options */
    constructor({ list, pictures, addressOf, within = "", perform, onLateChange, notices }) {
        this.listed = list;
        this.pictures = pictures;
        this.addressOf = addressOf;
        this.within = within;
        this.order = preference("albums", orders[0]);
        this.perform = perform;
        this.onLateChange = onLateChange;
        this.title = t("title.albums");
        /** @type {Map<string, Cover>} */
        this.covers = new Map();
        this.wall = el("ul", { class: "wall", ondragstart: (event) => this.drag(event), ondragover: (event) => this.dragOver(event),
            ondrop: (event) => this.drop(event) });
        this.sorting = this.orderField();
        this.state = el("div");
        const make = el("button", { class: "button is-main is-small", type: "button", onclick: () => this.make() },
            icon("add", "is-small"), t("album.new"));
        const head = screenHead(within ? el("span", { class: "own-name", title: within }, ownNameOf(within)) : this.title,
            ...(within ? [] : [make]));
        if (within) head.prepend(el("a", { class: "round", href: this.above, "aria-label": t("album.back") }, icon("left")));
        this.element = el("div", { class: within ? "albums library is-album" : "albums" }, head, ...notices, this.sorting, this.wall, this.state,
            within ? null : el("p", { class: "wall-foot" }, el("a", { class: "link", href: "#/deleted" }, t("title.deleted")),
                el("a", { class: "link", href: addressOf({ id: archived, count: 0, isCoverChosen: false }) }, t("album.archived")),
                el("a", { class: "link", href: "#/duplicates" }, t("duplicates.title"))));
        this.near = new IntersectionObserver((entries) => {
            for (const { target, isIntersecting } of entries) this.coverOf(target)?.fill(isIntersecting);
        }, { rootMargin: `${ahead} 0px` });
        this.listeners = new AbortController();
        list.addEventListener("change", () => this.draw(), { signal: this.listeners.signal });
        this.draw();
        this.refresh();
    }

    dispose() {
        this.listeners.abort();
        this.near.disconnect();
        for (const cover of this.covers.values()) cover.empty();
        this.covers.clear();
    }

    refresh() { return this.listed.refresh(); }

    /** What is listed has changed at the host. */
    renew() { this.refresh(); }

    /** The wall on which this one's album stands. */
    get above() { return wallOf(around(this.within), this.addressOf); }

    orderField() {
        /** @type {HTMLSelectElement} */
        const select = el("select", { "aria-label": t("album.order"), onchange: () => this.sort(select.value) },
            ...orders.map((order) => el("option", { value: order, selected: order === this.order }, t(`album.order.${order}`))));
        return el("p", { class: "wall-order" }, icon("updown", "is-small"), el("span", { class: "select" }, select, icon("down", "is-small")));
    }

    /** @param {string} order */
    sort(order) {
        this.order = order;
        remember("albums", order);
        /** @type {HTMLSelectElement} */ (this.sorting.querySelector("select")).value = order;
        this.draw();
    }

    // ---- in an order by hand: one is dragged to where another stands

    /** @param {DragEvent} event */
    drag(event) {
        const item = /** @type {Element} */ (event.target).closest("li");
        const album = item && this.coverOf(item)?.album;
        this.dragged = album?.name !== undefined && album.within === undefined ? album : null;
        event.dataTransfer?.setData("text/plain", "");
    }

    /** The album of which the other one is to stand on this side; null where nothing is dragged that has a place.
     * @param {DragEvent} event */
    target(event) {
        const item = /** @type {Element} */ (event.target).closest("li");
        const album = item && this.coverOf(item)?.album;
        if (!this.dragged || !item || !album || album.name === undefined || album.within !== undefined || album.id === this.dragged.id) return null;
        const { left, width } = item.getBoundingClientRect();
        return { album, isBehind: event.clientX > left + width / 2 };
    }

    /** @param {DragEvent} event */
    dragOver(event) {
        if (this.target(event)) event.preventDefault();
    }

    /** @param {DragEvent} event */
    drop(event) {
        const [target, dragged] = [this.target(event), this.dragged];
        this.dragged = null;
        if (!target || !dragged) return;
        event.preventDefault();
        const others = this.listed.byHand.filter(({ id }) => id !== dragged.id);
        const place = others.findIndex(({ id }) => id === target.album.id);
        const behind = target.isBehind ? target.album : others[place - 1] ?? null;
        moveAlbum(dragged, behind, { all: this.listed.byHand, onMoved: async () => {
            await this.refresh();
            this.sort("hand");
        } });
    }

    /** For a guest a vault is opened first, and then it goes on. */
    make() {
        return this.perform({ title: t("need.album"), done: "", isOfPhotos: false, isChange: true,
            run: () => newAlbum({ onMade: (album) => this.goInto(album), onUndone: () => this.onLateChange() }) });
    }

    /** Who has made one wants to fill it. Where the wall has gone meanwhile, as it does when a guest opens a vault, the album
     * stands on the next one.
     * @param {Album} album */
    async goInto(album) {
        if (this.listeners.signal.aborted) {
            this.onLateChange();
            return;
        }
        const isThere = new Promise((resolve) => { window.addEventListener("hashchange", resolve, { once: true }); });
        location.hash = this.addressOf(album);
        await isThere;
    }

    /** @param {Element} element */
    coverOf(element) { return this.covers.get(/** @type {HTMLElement} */ (element).dataset.album ?? ""); }

    draw() {
        const { error, isLoaded } = this.listed;
        const albums = shelved(this.listed.albums, { order: this.order, within: this.within });
        const gone = new Set(this.covers.keys());
        const items = albums.map((shelf) => {
            // Whoever goes back from it is here again.
            const album = { ...shelf, wall: wallOf(this.within, this.addressOf) };
            gone.delete(album.id);
            // What its address leads to is what is known of it now.
            const address = this.addressOf(album);
            const known = this.covers.get(album.id);
            if (known) known.renew(album);
            return (known ?? this.add(album, address)).element;
        });
        for (const id of gone) this.leave(id);
        this.sorting.hidden = items.length < 2;
        reconcile(this.wall, items);
        this.wall.hidden = items.length === 0;
        this.drawWords(isLoaded && items.length === 0, error);
    }

    /** @param {Shelved} album @param {string} address */
    add(album, address) {
        const cover = new Cover(album, this.pictures, address);
        this.covers.set(album.id, cover);
        this.near.observe(cover.element);
        return cover;
    }

    /** @param {string} id */
    leave(id) {
        const cover = this.covers.get(id);
        if (cover) this.near.unobserve(cover.element);
        cover?.empty();
        this.covers.delete(id);
    }

    /** @param {boolean} isEmpty @param {unknown} error */
    drawWords(isEmpty, error) {
        // The banner about the connection says that the host is away.
        const isRefused = error !== null && !(error instanceof Unreachable);
        const key = isRefused ? "error" : isEmpty && error === null ? "empty" : "none";
        if (this.state.dataset.key === key) return;
        this.state.dataset.key = key;
        if (key === "error") {
            this.state.replaceChildren(el("div", { class: "notice is-wide" }, icon("warning"), el("div", {},
                el("p", {}, describe(error)),
                el("button", { class: "link", type: "button", onclick: () => this.refresh() }, t("retry")))));
        } else if (key === "empty") {
            this.state.replaceChildren(el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("album.none")),
                el("p", { class: "note" }, t("album.noneNote"))));
        } else this.state.replaceChildren();
    }
}

/** The address of the wall of what lies within an album of this name; of all albums for none.
 * @param {string} within @param {(album: Shelved) => string} addressOf */
const wallOf = (within, addressOf) => (within
    ? addressOf({ id: `within ${within}`, name: within, within, count: 0, isCoverChosen: false }) : "#/albums");

/** How many photos an album has, or albums one that holds others.
 * @param {Shelved} album */
const countOf = (album) => (album.within === undefined ? t("count.items", { n: album.count }) : t("album.albums", { n: album.albums ?? 0 }));

/** @param {Shelved} album */
const shownNameOf = (album) => (album.name === undefined ? nameOf(album) : ownNameOf(album.name));

/** One album of the wall. */
class Cover {
    /** @param {Shelved} album @param {Pictures} pictures @param {string} address */
    constructor(album, pictures, address) {
        this.album = album;
        this.pictures = pictures;
        this.isFilled = false;
        /** @type {() => void} */
        this.stop = () => {};
        this.link = el("a", { class: "album", href: address });
        this.element = el("li", { "data-album": album.id }, this.link);
        this.label();
    }

    /** It can be heard and searched for while nothing of it is drawn. */
    label() {
        const { album } = this;
        this.link.setAttribute("aria-label", t("album.label", { name: shownNameOf(album), count: countOf(album) }));
        this.link.classList.toggle("is-favourites", album.id === favourites);
    }

    /** @param {boolean} isNear */
    fill(isNear) {
        if (isNear === this.isFilled) return;
        if (!isNear) {
            this.empty();
            return;
        }
        this.isFilled = true;
        this.face = el("span", { class: "album-face" });
        this.name = el("span", { class: "album-name" }, shownNameOf(this.album));
        this.count = el("span", { class: "small figures" }, countOf(this.album));
        this.link.replaceChildren(this.face, this.name, this.count);
        this.stop = showCover(this.face, this.album, this.pictures);
    }

    empty() {
        this.stop();
        this.stop = () => {};
        this.isFilled = false;
        this.link.replaceChildren();
    }

    /** @param {Shelved} album */
    renew(album) {
        const before = this.album;
        this.album = album;
        this.label();
        if (!this.isFilled) return;
        setText(/** @type {Element} */ (this.name), shownNameOf(album));
        setText(/** @type {Element} */ (this.count), countOf(album));
        if (coverKey(before) === coverKey(album)) return;
        this.stop();
        this.stop = showCover(/** @type {HTMLElement} */ (this.face), album, this.pictures);
    }
}
