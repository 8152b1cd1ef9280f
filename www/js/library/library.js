// A screen with a listing: the vault's photos, those that came last, or the recently deleted ones.
import * as api from "../base/api.js";
import { steppedBack, takeBack } from "../base/back.js";
import { emptyLine } from "../elements/brand.js";
import { chooseAction } from "../elements/action-list.js";
import { canSave } from "../photos/can-share.js";
import { el, icon } from "../base/dom.js";
import { Gallery } from "../gallery/gallery.js";
import { host } from "../base/host.js";
import { month, t } from "../base/i18n.js";
import { attempt, deleteForGood, download, putBack, remove } from "./keeping.js";
import { drawHead } from "./library-head.js";
import { part } from "../base/parts.js";
import { RecentList } from "./recent-list.js";
import { preference, remember } from "../base/preferences.js";
import { describe } from "../base/problems.js";
import { Selection } from "./selection.js";
import { ShortList } from "./short-list.js";
import { batchWords } from "../photos/taken.js";
import { flyBack } from "./tile-return.js";
import { toast } from "../elements/toast.js";
import { TrashList } from "./trash-list.js";
import { WholeTimeline } from "./whole-timeline.js";

/**
 * @typedef {object} LibraryOptions
 * @property {Kind} kind
 * @property {PhotoList} list
 * @property {Pictures} pictures
 * @property {() => void} onAdd
 * @property {(action: Action) => Promise<boolean>} perform
 * @property {() => void} onLateChange
 * @property {boolean} [isGuest]
 * @property {HTMLElement[]} [notices]
 */

/** @typedef {"photos" | "recent" | "deleted"} Kind */

/**
 * Months are those of the clock where a photo was taken.
 * @type {Record<Kind, (section: Section) => string>}
 */
const titles = {
    photos: ({ key, isShared }) => month(new Date(Number(key.slice(0, -3)), Number(key.slice(-2)) - 1, 1), isShared),
    recent: ({ key }) => batchWords(key),
    deleted: ({ key }) => t("deleted.left", { n: Number(key) }),
};

/** @type {Record<string, new (...options: any[]) => PhotoList>} */
const lists = { photos: WholeTimeline, recent: RecentList, deleted: TrashList };

/** @param {"gallery" | "viewer"} place */
async function showKeys(place) {
    (await part("settings")).showKeys(place);
}

async function addDevice() {
    (await part("settings")).addDevice();
}

/**
 * What a screen lists; it outlives the screen, so that whoever comes back finds the place. What is on its way stands
 * among all.
 * @param {string} kind
 * @param {import("../inside/arriving.js").Arriving} arriving
 * @param {{onListed: (photo: Photo, id: string) => void}} options
 * @returns {PhotoList}
 */
export const makeList = (kind, arriving, options) => new lists[kind](...(kind === "photos" ? [arriving, options] : []));

export class Library {
    /** @type {ReturnType<typeof takeBack> | null | undefined} */
    back;
    /** @type {Gallery} */
    gallery;
    /** @type {boolean | undefined} */
    isExpecting;
    /** @type {import("../viewer/viewer.js").Viewer | null | undefined} */
    viewer;
    /**
     * What the viewer shows, where that is another list than this screen's.
     * @type {ShortList | null | undefined}
     */
    shown;

    /**
     * `kind` is `photos`, `recent` or `deleted`, and `list` from `makeList(kind)`; `notices` are elements above the
     * gallery; `perform(action)` runs what may need a vault, and is true when it ran; `onLateChange()` is called where
     * photos have left the list after this screen.
     * @param {LibraryOptions} options
     */
    constructor({ kind, list, pictures, onAdd, perform, onLateChange, isGuest = false, notices = [] }) {
        this.kind = kind;
        this.list = list;
        this.pictures = pictures;
        this.onAdd = onAdd;
        this.perform = perform;
        this.onLateChange = onLateChange;
        this.isGuest = isGuest;
        this.selection = new Selection(this.list);
        this.title = t(`title.${kind}`);
        this.head = el("div", { class: "library-head" });
        this.body = el("div");
        this.tools = el("div");
        this.state = el("div");
        this.element = el("div", { class: `library is-${kind}` }, this.head, ...notices, this.body, this.state, this.tools);
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        list.addEventListener("change", () => this.draw(), { signal });
        this.selection.addEventListener("change", () => this.draw());
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
    }

    /** Photos that are kept, in whatever order. */
    get isPhotos() { return this.kind !== "deleted"; }

    dispose() {
        this.isDisposed = true;
        this.back?.forget();
        this.listeners.abort();
        this.gallery.dispose();
        this.viewer?.close();
    }

    makeGallery() {
        this.gallery?.dispose();
        this.gallery = new Gallery({
            list: this.list, selection: this.selection, pictures: this.pictures, view: preference("view", "grid"),
            title: titles[this.kind], isByMonth: this.kind === "photos", onOpen: (place) => this.open(place),
            onDelete: () => (this.isPhotos ? this.removePicked() : this.erasePicked()),
        });
        this.body.replaceChildren(this.gallery.element);
    }

    /**
     * Photos that were just saved: `{id, duplicate}`.
     * @param {{id: string, duplicate: boolean}[]} photos
     */
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

    /**
     * Escape ends selecting wherever the focus is, but first what lies over the photos.
     * @param {KeyboardEvent} event
     */
    leaveSelecting(event) {
        if (event.key !== "Escape" || !this.selection.isOn) return;
        if (!/** @type {Element} */ (event.target).closest("dialog, .panel")) this.selection.end();
    }

    // ---- what is seen

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
        if (this.state.dataset.key === key) return;
        this.state.dataset.key = key;
        if (key === "error") {
            this.state.replaceChildren(el("div", { class: "notice is-wide" }, icon("warning"), el("div", {},
                el("p", {}, describe(list.error)),
                el("button", { class: "link", type: "button", onclick: () => list.retry() }, t("retry")))));
        } else if (key === "empty") this.state.replaceChildren(this.emptyState());
        else this.state.replaceChildren();
    }

    emptyState() {
        const { isPhotos } = this;
        return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t(isPhotos ? "empty.title" : "deleted.none")),
            el("p", { class: "note" }, t(isPhotos ? "empty.note" : "deleted.note", { n: host.trashDays })),
            isPhotos ? el("button", { class: "button is-main", type: "button", onclick: this.onAdd },
                icon("add"), t("add")) : null,
            // Who sits at a computer often has the photos on a phone.
            isPhotos ? el("button", { class: "link only-wide", type: "button", onclick: addDevice },
                t("empty.device")) : null);
    }

    drawTools() {
        const shown = this.selection.isOn;
        document.querySelector(".shell")?.classList.toggle("is-picking", shown);
        if (!shown) {
            this.tools.replaceChildren();
            return;
        }
        if (!this.tools.firstChild) this.tools.replaceChildren(this.toolbar());
        for (const button of this.tools.querySelectorAll("button")) {
            button.disabled = this.selection.count === 0 || this.selection.isComing;
        }
        const save = /** @type {HTMLButtonElement | null} */ (this.tools.querySelector(".is-save"));
        if (save) save.disabled ||= !canSave(this.selection.photos);
    }

    toolbar() {
        /**
         * @param {string} name
         * @param {string} key
         * @param {() => unknown} run
         * @param {string} [classes]
         */
        const tool = (name, key, run, classes = "") => el("button", { type: "button", class: classes, onclick: run },
            icon(name), el("span", {}, t(key)));
        const { isPhotos } = this;
        return el("div", { class: "pick", role: "toolbar", "aria-label": t("pick.tools") },
            isPhotos && canSave() ? tool("save", "save.action", () => this.savePicked(), "is-save") : null,
            tool("download", "download", () => this.downloadPicked()),
            isPhotos ? null : tool("restore", "restore", () => this.restorePicked()),
            isPhotos ? tool("more", "more", () => chooseAction(t("more"), this.choices())) : null,
            isPhotos ? tool("bin", "delete", () => this.removePicked(), "is-danger")
                : tool("bin", "deleted.good", () => this.erasePicked(), "is-danger"));
    }

    /** What is done too seldom with what is picked for a button of its own. */
    choices() {
        return [{ sign: "slides", label: t("show.begin"), run: () => this.showPicked() },
            { sign: "invert", label: t("pick.invert"), run: () => this.selection.invert() }];
    }

    /**
     * The host's own photo in place of one from here that it has, but that was not listed yet.
     * @param {Photo | null} photo
     */
    async whatIsSaved(photo) {
        if (!photo?.item || !photo.savedAs) return photo;
        await this.list.refresh();
        return this.list.at(this.list.placeOf(photo.listedAs ?? photo.savedAs)) ?? photo;
    }

    /** @param {number} place */
    async open(place) {
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

    /**
     * @param {Pick<import("../viewer/viewer.js").ViewerOptions, "list" | "place" | "tile" | "isShow" | "onClosed">} options
     */
    async view({ onClosed, ...options }) {
        const [{ openViewer }] = await Promise.all([part("viewer"), steppedBack()]);
        if (this.isDisposed || this.viewer) return;
        this.viewer = openViewer({
            ...options, pictures: this.pictures, kind: this.isPhotos ? "photos" : "deleted",
            onDelete: (shown) => this.remove([shown]), onRestore: (shown) => this.restore([shown]),
            onErase: (shown) => this.erase([shown]), onHelp: () => showKeys("viewer"),
            onShare: (shown) => attempt(() => this.share([shown], t("share"))),
            onClosed: (place, bounds) => {
                this.viewer = null;
                onClosed(place, bounds);
            },
        });
    }

    /** Those that are picked, one after another. They stay picked, unless one of them is deleted meanwhile. */
    async showPicked() {
        const list = new ShortList();
        list.show(this.selection.photos);
        this.shown = list;
        await this.view({ list, place: 0, isShow: true, onClosed: () => { this.shown = null; } });
    }

    // ---- places

    /**
     * What is at the top of the window, to be found again in another session; null at the beginning.
     * @returns {Anchor | null}
     */
    get anchor() {
        const top = this.gallery.anchor.kept.find(({ id }) => id && !this.list.at(this.list.placeOf(id))?.item);
        return this.isPhotos && top?.id ? { id: top.id, below: top.below } : null;
    }

    /**
     * Where somebody was when they left this screen: `{anchor, y}`; the list may have changed meanwhile.
     * @param {{anchor: Anchor | null, y: number}} place
     */
    resume({ anchor, y }) {
        this.gallery.measure();
        const place = anchor ? this.list.placeOf(anchor.id) : -1;
        if (anchor && place >= 0) this.gallery.anchor.moveTo(place, anchor.below);
        else this.gallery.scrollBy(y - window.scrollY);
    }

    /**
     * Scrolls to where an anchor of the guest's session is now.
     * @param {Anchor} anchor
     */
    async goTo({ id, below }) {
        const photo = await api.photo(id);
        await this.firstPage;
        await this.list.find(photo);
        // The gallery is laid out after its first measure.
        for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        const place = this.list.placeOf(photo.id);
        if (!this.isDisposed && place >= 0) this.gallery.anchor.moveTo(place, below);
    }

    // ---- what is done

    removePicked() { return this.remove(this.selection.photos); }
    restorePicked() { return this.restore(this.selection.photos); }
    erasePicked() { return this.erase(this.selection.photos); }

    /** @param {Photo[]} photos */
    remove(photos) { return remove(photos, (ids) => this.forget(ids)); }
    /** @param {Photo[]} photos */
    restore(photos) { return putBack(photos, (ids) => this.forget(ids)); }
    /** @param {Photo[]} photos */
    erase(photos) { return deleteForGood(photos, { onChange: (ids) => this.forget(ids) }); }

    async empty() {
        const photos = await this.list.all();
        await deleteForGood(photos, { isAll: true, onChange: (ids) => this.forget(ids) });
    }

    async downloadPicked() {
        if (await download(this.selection.photos, this.perform)) this.selection.end();
    }

    async savePicked() {
        let isDone = false;
        const photos = this.selection.photos;
        await attempt(async () => { isDone = await this.share(photos, t("save.action")); });
        if (isDone) this.selection.end();
    }

    /**
     * By the device's own sheet; true when they were handed on.
     * @param {Photo[]} photos
     * @param {string} action
     * @returns {Promise<boolean>}
     */
    async share(photos, action) {
        const { sharePhotos } = await part("sharing");
        return sharePhotos(photos, action);
    }

    /**
     * Photos left the list; null where others came back to it.
     * @param {string[] | null} ids
     */
    forget(ids) {
        // Where somebody has gone meanwhile, it was asked what there is before this was done.
        if (this.isDisposed) {
            this.onLateChange();
            return;
        }
        // What is shown over a selection lies on it in the history, too: only what is gone leaves it.
        if (this.shown) this.selection.drop(ids ?? []);
        else this.selection.end();
        for (const list of [this.shown, this.list]) if (ids) list?.remove(ids);
        if (!ids) this.list.refresh();
    }
}
