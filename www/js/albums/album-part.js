// What a listing has more where it is that of an album: its name, its cover, what can be done with all of it.
import { deleteAlbum, download, renameAlbum, setCover, showAlbumMenu, takeOut } from "./album-actions.js";
import * as requests from "./album-requests.js";
import { takeBack } from "../base/back.js";
import { el, icon } from "../base/dom.js";
import { emptyLine } from "../elements/brand.js";
import { t } from "../base/i18n.js";
import { idsOf } from "../photos/live-photos.js";
import { favourites, nameOf } from "./album-words.js";

/** @typedef {import("../library/library.js").Library} Library */

export class AlbumPart {
    /** @type {ReturnType<typeof takeBack> | null | undefined} */
    back;

    /**
     * @param {Library} library
     * @param {Album} album
     */
    constructor(library, album) {
        this.library = library;
        this.album = album;
        /** The next photo that is opened becomes the cover. */
        this.isChoosing = false;
    }

    /** That of hearts is the page's own, which names it. */
    get isOwn() { return this.album.id !== favourites; }
    get name() { return nameOf(this.album); }

    /** Another device may have named it anew, or deleted it: then it is left. */
    async renew() {
        try {
            Object.assign(this.album, await requests.album(this.album.id));
            if (!this.library.isDisposed) this.library.draw();
        } catch (error) {
            // That of hearts is gone while it is empty, and comes again.
            if (error.status === 404 && this.isOwn && !this.library.isDisposed) this.leave();
        }
    }

    dispose() { this.back?.forget(); }

    /** Resolves once the wall is there: what is said then stays. */
    async leave() {
        const left = new Promise((resolve) => { window.addEventListener("hashchange", resolve, { once: true }); });
        location.replace("#/albums");
        await left;
    }

    // ---- what is seen

    moreButton() {
        return el("button", { class: "round", type: "button", "aria-label": t("album.more"), onclick: () => this.showMenu() },
            icon("more"));
    }

    emptyState() {
        const { isOwn } = this;
        return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t(isOwn ? "album.empty" : "heart.none")),
            el("p", { class: "note" }, t(isOwn ? "album.emptyNote" : "heart.noneNote")),
            isOwn ? el("button", { class: "button is-main", type: "button", onclick: this.library.onAdd },
                icon("add"), t("add")) : null);
    }

    chooseHead() {
        return el("header", { class: "top is-picking" },
            el("button", { class: "round", type: "button", "aria-label": t("cancel"), onclick: () => this.stopChoosing() },
                icon("close")),
            el("h1", { tabindex: "-1" }, t("album.chooseCover")));
    }

    // ---- what is done

    showMenu() {
        // What is seen is newer than what was told with the album.
        const { list } = this.library;
        if (!list.isLoading) this.album.count = list.count;
        showAlbumMenu(this.album, {
            slides: () => this.library.showAll(),
            cover: () => this.beginChoosing(),
            zip: () => download(this.album),
            rename: () => renameAlbum(this.album, () => this.changed()),
            delete: () => deleteAlbum(this.album, { onGone: () => this.leave(),
                onBack: () => this.library.onLateChange() }),
        });
    }

    beginChoosing() {
        this.isChoosing = true;
        this.back = takeBack("cover", () => this.stopChoosing());
        this.library.draw();
        this.library.head.querySelector("h1")?.focus({ preventScroll: true });
    }

    stopChoosing() {
        this.isChoosing = false;
        this.back?.leave();
        this.back = null;
        if (!this.library.isDisposed) this.library.draw();
    }

    /** @param {Photo | null} photo */
    choose(photo) {
        if (!photo) return;
        this.stopChoosing();
        setCover(this.album, photo.id, () => this.changed());
    }

    /** @param {Photo[]} photos */
    takeOut(photos) {
        const ids = idsOf(photos);
        return takeOut(this.album, ids, { onChange: () => this.library.forget(ids),
            onBack: () => this.library.renewIfHere() });
    }

    changed() {
        if (this.library.isDisposed) this.library.onLateChange();
        else this.library.draw();
    }
}
