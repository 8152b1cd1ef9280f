// Files that came in folders: albums that are named as those are offered, while the files are sent already.
import { cutToBytes } from "../base/cut.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** The host keeps names of so many bytes. */
const mostBytes = 200;
const mostNamed = 3;
/**
 * Of these it was asked already.
 * @type {WeakSet<Item>}
 */
const offered = new WeakSet();

/**
 * The name of an album for what lies in a folder, such as "Holiday 2024/Rome". Of a path that is too long its end tells
 * more than its beginning.
 * @param {string} folder
 * @returns {string}
 */
export function albumNameOf(folder) {
    const parts = folder.normalize("NFC").split("/").map((part) => part.trim()).filter(Boolean);
    while (parts.length > 1 && bytesIn(parts.join(" / ")) > mostBytes) parts.shift();
    return cutToBytes(parts.join(" / "), mostBytes);
}

/** @param {string} text */
const bytesIn = (text) => new TextEncoder().encode(text).length;

/**
 * Which of them lie in folders, with the name of the album for each; those of which nobody was asked yet.
 * @param {Item[]} items
 * @param {(file: File) => string} folderOf
 * @returns {Map<Item, string>}
 */
export function foldersOf(items, folderOf) {
    /** @type {Map<Item, string>} */
    const found = new Map();
    for (const item of items) {
        const name = item.file && item.album === null && !offered.has(item) ? albumNameOf(folderOf(item.file)) : "";
        if (name) found.set(item, name);
        offered.add(item);
    }
    return found;
}

/** A notice with the offer, until somebody takes it or puts it away. */
export class FolderOffer {
    /**
     * `albums` is from `foldersOf`.
     * @param {Uploads} uploads
     * @param {Map<Item, string>} albums
     * @param {import("./album-joining.js").AlbumJoining} joining
     */
    constructor(uploads, albums, joining) {
        this.uploads = uploads;
        this.albums = albums;
        this.joining = joining;
        /**
         * A saved one has none any more.
         * @type {Map<Item, File>}
         */
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
