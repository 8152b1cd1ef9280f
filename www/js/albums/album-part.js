// What a listing has more where it is that of an album: its name, its cover, what can be done with all of it.
import { leaveScreen, takeBack } from "../base/browser.js";
import { cutToBytes, el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { part } from "../base/parts.js";
import { emptyLine } from "../elements/pieces.js";
import { idsOf } from "../photos/photo-words.js";
import { chooseMove, deleteAlbum, download, renameAlbum, sayAdded, setCover, showAlbumMenu, takeOut } from "./album-actions.js";
import { archived, favourites, isMade, nameOf } from "./album-dialogs.js";
import { attempted, ownNameOf } from "./album-requests.js";
import * as requests from "./album-requests.js";

/** @typedef {import("../library/library.js").Library} Library */

export class AlbumPart {
    /** @type {ReturnType<typeof takeBack> | null | undefined} */ back;

    /** @param {Library} library @param {import("./album-requests.js").Shelved} album */
    constructor(library, album) {
        this.library = library;
        this.album = album;
        /** The next photo that is opened becomes the cover. */
        this.isChoosing = false;
    }

    /** Others are the page's own, which names them. */
    get isOwn() { return isMade(this.album); }
    get name() { return nameOf(this.album); }
    /** Within another one its last part says enough. */
    get shownName() { return this.isOwn ? ownNameOf(this.name) : this.name; }
    /** Where it stands. */
    get wall() { return this.album.wall ?? "#/albums"; }
    /** The mark of its photos that it is made of. */
    get mark() { return this.album.id === favourites ? "favourite" : this.album.id === archived ? "archived" : null; }

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
        location.replace(this.wall);
        await left;
    }

    // ---- what is seen

    moreButton() {
        return el("button", { class: "round", type: "button", "aria-label": t("album.more"), onclick: () => this.showMenu() },
            icon("more"));
    }

    emptyState() {
        const { isOwn } = this;
        const [title, note] = isOwn ? ["album.empty", "album.emptyNote"] : this.mark === "favourite" ? ["heart.none", "heart.noneNote"]
            : this.mark ? ["away.none", "away.noneNote"] : ["today.none", ""];
        return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t(title)), note ? el("p", { class: "note" }, t(note)) : null,
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
            show: async () => (await part("doors")).showToSomebody({ albumID: this.album.id }, this.shownName),
            move: () => chooseMove(this.album, { pictures: this.library.pictures }),
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

// All photos, to choose some of them for an album: whoever has done so, or gives it up, is in the album again.

export class AlbumFilling {
    /** @param {import("../library/library.js").Library} library @param {Album} album */
    constructor(library, album) {
        this.library = library;
        this.album = album;
        library.selection.addEventListener("change", () => this.leaveIfOver());
    }

    begin() { this.library.selection.begin(); }

    toolbar() {
        return el("div", { class: "pick", role: "toolbar", "aria-label": t("pick.tools") },
            el("button", { class: "is-fill", type: "button", onclick: () => this.add() }, icon("add"),
                el("span", {}, t("album.addHere", { name: nameOf(this.album) }))));
    }

    /** What is said waits for the album: another screen puts away what was said before. */
    add() {
        const { album, library } = this;
        const ids = idsOf(library.selection.photos);
        return attempted(async () => {
            const count = await requests.add(album.id, ids);
            const left = new Promise((resolve) => { window.addEventListener("hashchange", resolve, { once: true }); });
            library.selection.end();
            await left;
            sayAdded(album, ids, count, () => library.onLateChange());
        });
    }

    /** However choosing ends. */
    leaveIfOver() {
        const { selection, isDisposed } = this.library;
        if (selection.isOn || isDisposed || this.isOver) return;
        this.isOver = true;
        leaveScreen();
    }
}

// Files that came in folders: albums that are named as those are offered, while the files are sent already.

/** The host keeps names of so many bytes. */
const mostBytes = 200;
const mostNamed = 3;
/** Of these it was asked already.
 * @type {WeakSet<Item>} */
const offered = new WeakSet();

/** The name of an album for what lies in a folder, such as "Holiday 2024/Rome". Of a path that is too long its end tells
 * more than its beginning.
 * @param {string} folder @returns {string} */
export function albumNameOf(folder) {
    const parts = folder.normalize("NFC").split("/").map((part) => part.trim()).filter(Boolean);
    while (parts.length > 1 && bytesIn(parts.join(" / ")) > mostBytes) parts.shift();
    return cutToBytes(parts.join(" / "), mostBytes);
}

/** @param {string} text */
const bytesIn = (text) => new TextEncoder().encode(text).length;

/** Which of them lie in folders, with the name of the album for each; those of which nobody was asked yet.
 * @param {Item[]} items @param {(file: File) => string} folderOf @returns {Map<Item, string>} */
export function foldersOf(items, folderOf) {
    /** @type {Map<Item, string>} */ const found = new Map();
    for (const item of items) {
        const name = item.file && item.album === null && !offered.has(item) ? albumNameOf(folderOf(item.file)) : "";
        if (name) found.set(item, name);
        offered.add(item);
    }
    return found;
}

/** A notice with the offer, until somebody takes it or puts it away. */
export class FolderOffer {
    /** `albums` is from `foldersOf`.
     * @param {Uploads} uploads @param {Map<Item, string>} albums
     * @param {import("./album-actions.js").AlbumJoining} joining */
    constructor(uploads, albums, joining) {
        this.uploads = uploads;
        this.albums = albums;
        this.joining = joining;
        /** A saved one has none any more.
         * @type {Map<Item, File>} */
        this.files = new Map([...albums.keys()].map((item) => [item, /** @type {File} */ (item.file)]));
        this.element = this.build();
    }

    get words() { return t("folders.title", { n: new Set(this.albums.values()).size }); }

    build() {
        const names = [...new Set(this.albums.values())];
        const more = names.length > mostNamed ? [t("up.more", { n: names.length - mostNamed })] : [];
        const close = el("button", { class: "round", type: "button", "aria-label": t("close"), onclick: () => this.leave() },
            icon("close", "is-small"));
        const take = el("button", { class: "link", type: "button", onclick: () => this.take() }, t("folders.take"));
        return el("section", { class: "bar-line is-result is-offer" }, icon("folder", "is-small"),
            el("div", {}, el("p", {}, el("strong", {}, this.words)),
                el("p", { class: "note" }, [...names.slice(0, mostNamed), ...more].join(" · ")), take), close);
    }

    leave() {
        this.element.remove();
        this.files.clear();
        this.albums.clear();
    }

    /** Those that have not begun say it with their upload; the others join once all are there. */
    take() {
        this.element.remove();
        for (const [item, album] of this.albums) {
            item.album = album;
            if (item.state !== "saved") continue;
            // What the host had already, and was not sent for that, has no name here by which it could be told: it goes after all.
            if (item.photo === null) this.uploads.add([/** @type {File} */ (this.files.get(item))], { album });
            else this.joining.note(item);
        }
        this.joining.join();
    }
}
