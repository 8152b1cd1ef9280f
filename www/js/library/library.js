// A screen with a listing: the vault's photos, those that came last, or the recently deleted ones.
import * as api from "../base/api.js";
import { host, platformOf, preference, remember, steppedBack, takeBack } from "../base/browser.js";
import { emptyLine } from "../elements/pieces.js";
import { chooseAction, toast } from "../elements/dialog.js";
import { batchWords, canSave, monthOf } from "../photos/photo-words.js";
import { el, icon, setText } from "../base/dom.js";
import { describe, t } from "../base/i18n.js";
import { attempt, downloadShown, Selection } from "./selection.js";
import { DayTowns } from "./day-towns.js";
import { drawHead, flyBack, LibraryPhotos } from "./library-photos.js";
import { part } from "../base/parts.js";
import { RecentList, ShortList, SimilarList, TrashList } from "./short-lists.js";
import { oldestFirst, sourceAt } from "./timeline-months.js";
import { Timeline } from "./timeline.js";
import { WholeTimeline } from "./whole-timeline.js";

/** @typedef {{kind: Kind, album?: Album | null, place?: Shelved | null, names: PlaceNames, filling?: Album | null, albums: Parts["albums"], gallery: Parts["gallery"],
 *     list: PhotoList, pictures: Pictures, onAdd: () => void, perform: (action: Action) => Promise<boolean>,
 *     onLateChange: () => void, onSimilar?: (photo: Photo) => void, onAlbum?: (album: {id: string}) => void,
 *     whenEmpty?: () => HTMLElement, isGuest?: boolean, notices?: HTMLElement[]}} LibraryOptions */

/** @typedef {"photos" | "recent" | "deleted" | "album" | "place" | "results" | "similar"} Kind */

/** @typedef {import("../albums/album-requests.js").Shelved} Shelved */

/** @type {Record<Kind, (section: Section) => string>} */
const titles = {
    photos: monthOf,
    album: monthOf,
    place: monthOf,
    results: monthOf,
    similar: () => t("similar.nearest"),
    recent: ({ key }) => batchWords(key),
    deleted: ({ key }) => t("deleted.left", { n: Number(key) }),
};

export { remove } from "./selection.js";

/** @param {"gallery" | "viewer"} place */
async function showKeys(place) {
    (await part("settings")).showKeys(place);
}

async function addDevice() {
    (await part("settings")).addDevice();
}

/** What a screen lists; it outlives the screen, so that whoever comes back finds the place. What is on its way stands
 * among all.
 * @param {string} kind @param {import("../inside/arriving.js").Arriving} arriving
 * @param {{onListed: (photo: Photo, id: string) => void, album?: Shelved | null,
 *     finding: import("../search/search.js").Finding}} options
 * @returns {PhotoList} */
export function makeList(kind, arriving, { onListed, album, finding }) {
    if (kind === "recent") return new RecentList();
    if (kind === "deleted") return new TrashList();
    if (kind === "results") return new Timeline(finding.source);
    if (kind === "similar" && finding.alike) return new SimilarList(finding.alike);
    if (album?.placeID !== undefined) return new Timeline(sourceAt("/api/search", `q=${encodeURIComponent(`place:${album.placeID}`)}`));
    if (album) return new Timeline(sourceAt(`/api/albums/${encodeURIComponent(album.id)}`));
    return new WholeTimeline(arriving, { onListed });
}

export class Library extends LibraryPhotos {
    /** @type {ReturnType<typeof takeBack> | null | undefined} */ back;
    /** @type {boolean | undefined} */ isExpecting;
    /** @type {import("../viewer/viewer.js").Viewer | null | undefined} */ viewer;

    /** `kind` is `photos`, `recent`, `deleted` or `album`, and `list` from `makeList(kind)`; `notices` are elements above the
     * gallery; `names` are those of places, and `place` is one whose photos are listed; `perform(action)` runs what may need a vault, and is true when it ran; `onLateChange()` is called where
     * photos have left the list after this screen; `filling` is an album for which photos are chosen here.
     * @param {LibraryOptions} options */
    constructor({ kind, album = null, place = null, names, filling = null, albums, gallery, list, pictures, onAdd, perform, onLateChange, onSimilar, onAlbum, whenEmpty,
        isGuest = false, notices = [] }) {
        super();
        this.kind = kind;
        this.isPhotos = kind !== "deleted";
        this.albums = albums;
        this.album = album && new albums.AlbumPart(this, album);
        this.placeName = place?.name ?? null;
        this.names = names;
        this.towns = new DayTowns(names);
        this.Gallery = gallery.Gallery;
        this.list = list;
        this.pictures = pictures;
        this.onAdd = onAdd;
        this.perform = perform;
        this.onLateChange = onLateChange;
        this.onSimilar = onSimilar;
        this.onAlbum = onAlbum;
        this.whenEmpty = whenEmpty;
        this.isGuest = isGuest;
        this.selection = new Selection(this.list);
        // The browser writes it into its history, on the disk: of an album it does not tell the name.
        this.title = t(`title.${kind}`);
        this.head = el("div", { class: "library-head" });
        this.body = el("div");
        this.tools = el("div");
        this.state = el("div");
        this.element = el("div", { class: `library is-${kind}` }, this.head, ...notices, this.body, this.state, this.tools);
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        // Before the gallery hears of it.
        list.addEventListener("change", () => {
            this.towns.forget();
            this.draw();
        }, { signal });
        this.selection.addEventListener("change", () => this.draw());
        names.addEventListener("change", () => this.renewDays(), { signal });
        this.filling = filling && new albums.AlbumFilling(this, filling);
        api.onReachability((reachable) => { if (reachable && this.list.error) this.list.retry(); }, { signal });
        document.addEventListener("keydown", (event) => {
            this.leaveSelecting(event);
            if (event.key === "?" && !/** @type {Element} */ (event.target).closest("dialog, input")) showKeys("gallery");
        }, { signal });
        pictures.onLookedInto = () => this.list.refreshSoon();
        this.makeGallery();
        this.awaited = 0;
        this.firstPage = this.refresh();
        this.draw();
        this.filling?.begin();
    }

    get heading() { return this.album?.shownName ?? this.placeName ?? this.title; }

    /** Where files go that are added here; null for the vault alone. */
    get albumName() { return this.album?.isOwn ? this.album.name : null; }

    dispose() {
        this.isDisposed = true;
        this.back?.forget();
        this.album?.dispose();
        this.listeners.abort();
        this.gallery.dispose();
        this.viewer?.close();
    }

    makeGallery() {
        this.gallery?.dispose();
        this.gallery = new this.Gallery({
            list: this.list, selection: this.selection, pictures: this.pictures, view: preference("view", "grid"),
            onReceipt: this.kind === "recent" ? (section) => this.keepReceipt(section) : undefined,
            title: titles[this.kind], isByMonth: ["photos", "album", "place", "results"].includes(this.kind), onOpen: (place) => this.open(place),
            onHeart: this.isPhotos ? (photo) => this.heart([photo]) : undefined,
            onDrop: this.isPhotos ? () => this.filePicked() : undefined,
            onDelete: () => (this.isPhotos ? this.removePicked() : this.erasePicked()),
        });
        const { days } = this.gallery;
        days.townAt = (place) => this.towns.at(days, place);
        this.body.replaceChildren(this.gallery.element);
    }

    /** Photos that were just saved: `{id, duplicate}`.
     * @param {{id: string, duplicate: boolean}[]} photos */
    arrived(photos) {
        if (!this.isPhotos) return;
        this.gallery.markNew(photos.filter((photo) => !photo.duplicate).map((photo) => photo.id));
        this.isExpecting = false;
        this.refresh();
    }

    /** Photos were saved, and are asked for soon. */
    expect() {
        this.isExpecting = this.isPhotos;
        if (this.list.count === 0) this.draw();
    }

    /** Nothing is called empty before the host has answered what there is now. */
    async refresh() {
        this.awaited += 1;
        await this.list.refresh();
        this.awaited -= 1;
        if (!this.isDisposed && this.list.count === 0) this.draw();
    }

    /** What was saved last has been read back. */
    markChecked() { this.gallery.markChecked(); }

    /** Escape ends selecting wherever the focus is, but first what lies over the photos.
     * @param {KeyboardEvent} event */
    leaveSelecting(event) {
        if (event.key !== "Escape" || /** @type {Element} */ (event.target).closest("dialog, .panel")) return;
        if (this.album?.isChoosing) this.album.stopChoosing();
        if (this.selection.isOn) this.selection.end();
    }

    draw() {
        const isEmpty = this.list.count === 0;
        this.holdBack();
        drawHead(this, isEmpty);
        this.drawState(isEmpty);
        this.drawTools();
        if (this.gallery.element.hidden === isEmpty) return;
        this.gallery.element.hidden = isEmpty;
        this.gallery.measure();
    }

    /** The phone's Back button ends selecting first. */
    holdBack() {
        const { isOn } = this.selection;
        if (isOn) {
            this.back ??= takeBack("selecting", () => {
                this.back = null;
                this.selection.end();
            });
        } else if (this.back) {
            const { back } = this;
            this.back = null;
            back.leave();
        }
    }

    /** @param {string} view */
    changeView(view) {
        remember("view", view);
        this.head.dataset.key = "";
        this.makeGallery();
        this.gallery.element.hidden = this.list.count === 0;
        this.draw();
    }

    /** @param {boolean} isEmpty */
    drawState(isEmpty) {
        const { list } = this;
        // The banner about the connection says that the host is away, and the list goes on by itself.
        const isAway = list.error instanceof api.Unreachable;
        const isLoading = list.isLoading || isAway || this.isExpecting || this.awaited > 0;
        const key = list.error && !isAway ? "error" : isLoading ? "loading" : isEmpty ? "empty" : "none";
        // What is not found differs with what is looked for.
        if (this.state.dataset.key === key && !(this.whenEmpty && isEmpty)) return;
        this.state.dataset.key = key;
        if (key === "error") {
            this.state.replaceChildren(el("div", { class: "notice is-wide" }, icon("warning"), el("div", {},
                el("p", {}, describe(list.error)),
                el("button", { class: "link", type: "button", onclick: () => list.retry() }, t("retry")))));
        } else if (key === "empty") this.state.replaceChildren(this.whenEmpty?.() ?? this.emptyState());
        else this.state.replaceChildren();
    }

    emptyState() {
        if (this.album) return this.album.emptyState();
        const { isPhotos } = this;
        const whenEmpty = platformOf(navigator) === "ios" ? "empty.noteIOS" : "empty.note";
        return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t(isPhotos ? "empty.title" : "deleted.none")),
            el("p", { class: "note" }, t(isPhotos ? whenEmpty : "deleted.note", { n: host.trashDays })),
            isPhotos ? el("button", { class: "button is-main", type: "button", onclick: this.onAdd },
                icon("add"), t("add")) : null,
            isPhotos ? el("button", { class: "link only-wide", type: "button", onclick: addDevice },
                t("empty.device")) : null);
    }

    drawTools() {
        const shown = this.selection.isOn;
        // What can be done with them depends on whether the host knows places.
        if (shown && !this.tools.firstChild) this.names.learn();
        document.querySelector(".shell")?.classList.toggle("is-picking", shown);
        if (!shown) {
            this.tools.replaceChildren();
            return;
        }
        if (!this.tools.firstChild) this.tools.replaceChildren(this.filling?.toolbar() ?? this.toolbar());
        for (const button of this.tools.querySelectorAll("button")) {
            button.disabled = this.selection.count === 0 || this.selection.isComing;
        }
        const heart = this.tools.querySelector(".is-heart span");
        if (heart) setText(heart, t(this.albums.isMarked(this.selection.picked.values(), "favourite") ? "heart.off" : "heart.on"));
        const save = /** @type {HTMLButtonElement | null} */ (this.tools.querySelector(".is-save"));
        if (save) save.disabled ||= !canSave(this.selection.photos);
    }

    toolbar() {
        /** @param {string} name @param {string} key @param {() => unknown} run @param {string} [classes] */
        const tool = (name, key, run, classes = "") => el("button", { type: "button", class: classes, onclick: run },
            icon(name), el("span", {}, t(key)));
        const { isPhotos } = this;
        return el("div", { class: "pick", role: "toolbar", "aria-label": t("pick.tools") },
            isPhotos && canSave() ? tool("save", "save.action", () => this.savePicked(), "is-save") : null,
            isPhotos ? tool("heart", "heart.on", () => this.markPicked("favourite"), "is-heart") : null,
            isPhotos ? tool("albums", "album.tool", () => this.filePicked()) : null,
            this.album?.isOwn ? tool("minus", "album.out", () => this.album?.takeOut(this.selection.photos), "only-wide") : null,
            tool("download", "download", () => this.downloadPicked()),
            isPhotos ? null : tool("restore", "restore", () => this.restorePicked()),
            isPhotos ? tool("more", "more", () => chooseAction(t("more"), this.choices())) : null,
            isPhotos ? tool("bin", "delete", () => this.removePicked(), "is-danger")
                : tool("bin", "deleted.good", () => this.erasePicked(), "is-danger"));
    }

    /** What is done too seldom with what is picked for a button of its own. */
    choices() {
        return [{ sign: "slides", label: t("show.begin"), run: () => this.showPicked() },
            { sign: "invert", label: t("pick.invert"), run: () => this.selection.invert() },
            { sign: "clock", label: t("date.change"), run: () => this.changePickedDates() },
            ...this.names.choices(() => this.changePickedPlaces()),
            { sign: "clockwise", label: t("turn.right"), run: () => this.rotatePicked(90) },
            { sign: "anticlockwise", label: t("turn.left"), run: () => this.rotatePicked(-90) },
            this.archiveChoice(this.selection.photos, () => this.markPicked("archived")),
            ...(this.isGuest ? [] : [{ sign: "window", label: t("windows.show"), run: () => this.showToSomebody() }])];
    }

    /** The host's own photo in place of one from here that it has, but that was not listed yet.
     * @param {Photo | null} photo */
    async whatIsSaved(photo) {
        if (!photo?.item || !photo.savedAs) return photo;
        await this.list.refresh();
        return this.list.at(this.list.placeOf(photo.listedAs ?? photo.savedAs)) ?? photo;
    }

    /** @param {number} place */
    async open(place) {
        if (this.album?.isChoosing) {
            this.album.choose(this.list.at(place));
            return;
        }
        const photo = await this.whatIsSaved(this.list.at(place));
        if (photo?.item) {
            toast(t("tile.notYet"));
            return;
        }
        await Promise.all([part("viewer"), steppedBack()]);
        // The list may have moved meanwhile.
        const now = photo ? this.list.placeOf(photo.id) : -1;
        const shown = now < 0 ? place : now;
        // What is on its way stands in the gallery alone.
        const { list } = this;
        const [saved, placeInSaved] = list.saved ? [list.saved, list.placeInSaved?.(shown) ?? shown] : [list, shown];
        await this.view({
            list: saved, place: placeInSaved, tile: this.gallery.boundsOf(shown),
            onClosed: (shown, bounds) => {
                const place = list.placeOfSaved?.(shown) ?? shown;
                if (place < 0 || this.isDisposed) return;
                this.gallery.focusPlace(place);
                flyBack(this.element, bounds, this.gallery.faceAt(place));
            },
        });
    }

    /** @param {Pick<import("../viewer/viewer.js").ViewerOptions, "list" | "place" | "tile" | "isShow" | "onClosed">} options */
    async view({ onClosed, ...options }) {
        const [{ openViewer }] = await Promise.all([part("viewer"), steppedBack()]);
        if (this.isDisposed || this.viewer) return;
        this.viewer = openViewer({
            ...options, pictures: this.pictures, names: this.names, isOldestFirst: this.kind === "album", kind: this.isPhotos ? "photos" : "deleted",
            onDelete: (shown) => this.remove([shown]), onDownload: (shown) => downloadShown(shown, this.perform), onRestore: (shown) => this.restore([shown]),
            onErase: (shown) => this.erase([shown]), onHelp: () => showKeys("viewer"),
            onShare: (shown) => attempt(() => this.share([shown], t("share"))), onAttempt: attempt,
            onHeart: (shown) => this.heart([shown]), onFile: (shown) => this.file([shown]), onArchive: (shown) => this.archiveChoice([shown]),
            onChanged: () => this.renewIfHere(), onSimilar: this.onSimilar,
            onAlbum: this.isPhotos ? this.onAlbum : null,
            onClosed: (place, bounds) => {
                this.viewer = null;
                this.renewDays();
                onClosed(place, bounds);
            },
        });
    }

    /** All of an album, one after another. */
    async showAll() {
        await this.view({ list: this.list, place: this.list.count - 1, isShow: true, onClosed: (place) => {
            if (place >= 0 && !this.isDisposed) this.gallery.focusPlace(place);
        } });
    }

    /** Those that are picked, one after another as it happened. They stay picked, unless one of them is deleted meanwhile. */
    async showPicked() {
        const list = new ShortList();
        list.show(oldestFirst(this.selection.photos));
        this.shown = list;
        await this.view({ list, place: 0, isShow: true, onClosed: () => { this.shown = null; } });
    }

    // ---- what is done
}
