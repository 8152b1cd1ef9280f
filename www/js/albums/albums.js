// The wall of albums: a cover, a name and a count each. Only what is near the window has anything in it.
import { Unreachable } from "../base/api.js";
import { el, icon, reconcile, setText } from "../base/dom.js";
import { describe, t } from "../base/i18n.js";
import { emptyLine } from "../elements/pieces.js";
import { screenHead } from "../inside/shell.js";
import { newAlbum } from "./album-actions.js";
import { favourites, nameOf, showCover } from "./album-dialogs.js";
export { AlbumFilling } from "./album-part.js";
export { AlbumJoining } from "./album-actions.js";
export { AlbumList } from "./album-requests.js";
export { AlbumPlaces, isAlbum } from "./album-requests.js";
export { album as albumById } from "./album-requests.js";
export { addToAlbum } from "./album-actions.js";
export { AlbumPart } from "./album-part.js";
export { FolderOffer, foldersOf } from "./album-part.js";
export { heartsFor, isHearted, sayHearts } from "./album-actions.js";

/**
 * @typedef {object} WallOptions
 * @property {import("./album-requests.js").AlbumList} list
 * @property {Pictures} pictures
 * @property {(album: Album) => string} addressOf
 * @property {(action: Action) => Promise<boolean>} perform
 * @property {() => void} onLateChange
 * @property {HTMLElement[]} notices
 */

/** How far from the window covers are asked for. */
const ahead = "50%";

export class AlbumWall {
    /** @param {WallOptions} options */
    constructor({ list, pictures, addressOf, perform, onLateChange, notices }) {
        this.listed = list;
        this.pictures = pictures;
        this.addressOf = addressOf;
        this.perform = perform;
        this.onLateChange = onLateChange;
        this.title = t("title.albums");
        /** @type {Map<string, Cover>} */
        this.covers = new Map();
        this.wall = el("ul", { class: "wall" });
        this.state = el("div");
        const make = el("button", { class: "button is-main is-small", type: "button", onclick: () => this.make() },
            icon("add", "is-small"), t("album.new"));
        this.element = el("div", { class: "albums" }, screenHead(this.title, make), ...notices, this.wall, this.state,
            el("p", { class: "wall-foot" }, el("a", { class: "link", href: "#/deleted" }, t("title.deleted")),
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

    /** For a guest a vault is opened first, and then it goes on. */
    make() {
        return this.perform({ title: t("need.album"), done: "", isOfPhotos: false, isChange: true,
            run: () => newAlbum({ onMade: (album) => this.goInto(album), onUndone: () => this.onLateChange() }) });
    }

    /**
     * Who has made one wants to fill it. Where the wall has gone meanwhile, as it does when a guest opens a vault, the album
     * stands on the next one.
     * @param {Album} album
     */
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
        const { albums, error, isLoaded } = this.listed;
        const gone = new Set(this.covers.keys());
        const items = albums.map((album) => {
            gone.delete(album.id);
            // What its address leads to is what is known of it now.
            const address = this.addressOf(album);
            const known = this.covers.get(album.id);
            if (known) known.renew(album);
            return (known ?? this.add(album, address)).element;
        });
        for (const id of gone) this.drop(id);
        reconcile(this.wall, items);
        this.wall.hidden = items.length === 0;
        this.drawWords(isLoaded && items.length === 0, error);
    }

    /**
     * @param {Album} album
     * @param {string} address
     */
    add(album, address) {
        const cover = new Cover(album, this.pictures, address);
        this.covers.set(album.id, cover);
        this.near.observe(cover.element);
        return cover;
    }

    /** @param {string} id */
    drop(id) {
        const cover = this.covers.get(id);
        if (cover) this.near.unobserve(cover.element);
        cover?.empty();
        this.covers.delete(id);
    }

    /**
     * @param {boolean} isEmpty
     * @param {unknown} error
     */
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

/** One album of the wall. */
class Cover {
    /**
     * @param {Album} album
     * @param {Pictures} pictures
     * @param {string} address
     */
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
        const count = t("count.items", { n: album.count });
        this.link.setAttribute("aria-label", t("album.label", { name: nameOf(album), count }));
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
        this.name = el("span", { class: "album-name" }, nameOf(this.album));
        this.count = el("span", { class: "small figures" }, t("count.items", { n: this.album.count }));
        this.link.replaceChildren(this.face, this.name, this.count);
        this.stop = showCover(this.face, this.album, this.pictures);
    }

    empty() {
        this.stop();
        this.stop = () => {};
        this.isFilled = false;
        this.link.replaceChildren();
    }

    /** @param {Album} album */
    renew(album) {
        const before = this.album;
        this.album = album;
        this.label();
        if (!this.isFilled) return;
        setText(/** @type {Element} */ (this.name), nameOf(album));
        setText(/** @type {Element} */ (this.count), t("count.items", { n: album.count }));
        if (before.cover === album.cover) return;
        this.stop();
        this.stop = showCover(/** @type {HTMLElement} */ (this.face), album, this.pictures);
    }
}
