// The wall of albums: a cover, a name and a count each. Only what is near the window has anything in it.
import { Unreachable } from "../base/api.js";
import { preference, remember } from "../base/browser.js";
import { el, icon, reconcile, setText } from "../base/dom.js";
import { describe, t } from "../base/i18n.js";
import { emptyLine } from "../elements/pieces.js";
import { screenHead } from "../inside/shell.js";
import { goInto, moveAlbum, newAlbum } from "./album-actions.js";
import { allPlaces, archived, coverKey, favourites, nameOf, showCover } from "./album-dialogs.js";
import { around, orders, ownNameOf, shelved } from "./album-requests.js";

export { AlbumFilling } from "./album-part.js";
export { AlbumJoining } from "./album-actions.js";
export { AlbumList } from "./album-requests.js";
export { AlbumPlaces, isAlbum } from "./album-requests.js";
export { album as albumById } from "./album-requests.js";
export { addToAlbum } from "./album-actions.js";
export { AlbumPart } from "./album-part.js";
export { FolderOffer, foldersOf } from "./album-part.js";
export { goInto, isMarked, markFor, sayMade, sayMarks } from "./album-actions.js";
export { showCover } from "./album-dialogs.js";
export { PlaceNames } from "./place-names.js";

/** @typedef {import("./album-requests.js").Shelved} Shelved */

/** @typedef {{list: import("./album-requests.js").AlbumList, names: PlaceNames, pictures: Pictures, addressOf: (album: Album) => string,
 *     within?: string, perform: (action: Action) => Promise<boolean>, onLateChange: () => void,
 *     notices: HTMLElement[]}} WallOptions */

/** How far from the window covers are asked for. */
const ahead = "50%";

export class AlbumWall {
    /** `within` is the name of an album whose albums are shown.
     * @param {WallOptions} options */
    constructor({ list, names, pictures, addressOf, within = "", perform, onLateChange, notices }) {
        this.listed = list;
        this.names = names;
        this.pictures = pictures;
        this.addressOf = addressOf;
        this.within = within;
        this.order = preference("albums", orders[0]);
        this.perform = perform;
        this.onLateChange = onLateChange;
        this.title = t("title.albums");
        this.covers = new Covers(pictures);
        this.wall = this.covers.element;
        this.wall.addEventListener("dragstart", (event) => this.drag(event));
        this.wall.addEventListener("dragover", (event) => this.dragOver(event));
        this.wall.addEventListener("drop", (event) => this.drop(event));
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
        this.listeners = new AbortController();
        for (const one of [list, names]) one.addEventListener("change", () => this.draw(), { signal: this.listeners.signal });
        this.draw();
        this.refresh();
    }

    dispose() {
        this.listeners.abort();
        this.covers.dispose();
    }

    async refresh() {
        // Within an album no places stand.
        await Promise.all([this.listed.refresh(), this.within ? null : this.names.refresh()]);
    }

    /** What is listed has changed at the host. */
    renew() { this.refresh(); }

    /** The way to the wall of places, where photos have any: it looks as an album does.
     * @returns {Shelved[]} */
    get places() {
        const [first] = this.within ? [] : this.names.onWall;
        return first ? [{ id: allPlaces, count: this.names.onWall.length, cover: first.cover, isCoverChosen: false }] : [];
    }

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
        const album = item && this.covers.albumOf(item);
        this.dragged = album?.name !== undefined && album.within === undefined ? album : null;
        event.dataTransfer?.setData("text/plain", "");
    }

    /** The album of which the other one is to stand on this side; null where nothing is dragged that has a place.
     * @param {DragEvent} event */
    target(event) {
        const item = /** @type {Element} */ (event.target).closest("li");
        const album = item && this.covers.albumOf(item);
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
        await goInto(this.addressOf(album));
    }

    draw() {
        const { error, isLoaded } = this.listed;
        const albums = shelved([...this.places, ...this.listed.albums], { order: this.order, within: this.within });
        // Whoever goes back from it is here again. What its address leads to is what is known of it now.
        const count = this.covers.show(albums.map((shelf) => {
            const album = { ...shelf, wall: wallOf(this.within, this.addressOf) };
            return { album, address: album.id === allPlaces ? "#/places" : this.addressOf(album) };
        }));
        this.sorting.hidden = count - this.places.length < 2;
        this.drawWords(isLoaded && count === this.places.length, error);
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
function countOf(album) {
    if (album.id === allPlaces) return t("places.count", { n: album.count });
    return album.within === undefined ? t("count.items", { n: album.count }) : t("album.albums", { n: album.albums ?? 0 });
}

/** @param {Shelved} album */
const shownNameOf = (album) => (album.name === undefined || album.placeID !== undefined ? nameOf(album) : ownNameOf(album.name));

/** The covers of a wall, those near the window with all that they show. */
export class Covers {
    /** @type {Map<string, Cover>} */ covers = new Map();
    element = el("ul", { class: "wall" });

    /** @param {Pictures} pictures */
    constructor(pictures) {
        this.pictures = pictures;
        this.near = new IntersectionObserver((entries) => {
            for (const { target, isIntersecting } of entries) this.of(target)?.fill(isIntersecting);
        }, { rootMargin: `${ahead} 0px` });
    }

    dispose() {
        this.near.disconnect();
        for (const cover of this.covers.values()) cover.empty();
        this.covers.clear();
    }

    /** @param {Element} element */
    of(element) { return this.covers.get(/** @type {HTMLElement} */ (element).dataset.album ?? ""); }

    /** @param {Element} element */
    albumOf(element) { return this.of(element)?.album; }

    /** Gives how many there are.
     * @param {{album: Shelved, address: string}[]} shown */
    show(shown) {
        const gone = new Set(this.covers.keys());
        const items = shown.map(({ album, address }) => {
            gone.delete(album.id);
            const known = this.covers.get(album.id);
            if (known) known.renew(album);
            return (known ?? this.add(album, address)).element;
        });
        for (const id of gone) this.leave(id);
        reconcile(this.element, items);
        this.element.hidden = items.length === 0;
        return items.length;
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
}

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
