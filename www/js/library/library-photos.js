// What is done with photos of a list, with those that are picked or with the one that is shown; and where somebody is in it.
import * as api from "../base/api.js";
import { idsOf } from "../photos/photo-words.js";
import { bytes, t } from "../base/i18n.js";
import { attempt, deleteForGood, download, putBack, remove, Selection } from "./selection.js";
import { part } from "../base/parts.js";
import { RecentList, ShortList } from "./short-lists.js";
import { toast } from "../elements/dialog.js";
import { el, icon, setText } from "../base/dom.js";
import { preference } from "../base/browser.js";
import { backLink, screenHead } from "../inside/shell.js";

/** Milliseconds that a browser may take to save a receipt, until which its bytes are kept. */
const receiptTime = 60_000;

/** @typedef {import("../albums/album-actions.js").Mark} Mark */

export class LibraryPhotos {
    /** @type {import("./library.js").Kind} */ kind;
    /** @type {Gallery} */ gallery;
    /** What the viewer shows, where that is another list than this screen's.
     * @type {ShortList | null | undefined} */
    shown;
    /** @type {PhotoList} */ list;
    /** @type {Selection} */ selection;
    /** @type {Parts["albums"]} */ albums;
    /** @type {InstanceType<Parts["albums"]["AlbumPart"]> | null} */ album;
    /** @type {Pictures} */ pictures;
    /** @type {PlaceNames} */ names;
    /** @type {import("./day-towns.js").DayTowns} */ towns;
    /** @type {import("./library.js").LibraryOptions["perform"]} */ perform;
    /** @type {import("./library.js").LibraryOptions["onLateChange"]} */ onLateChange;
    /** @type {Promise<void>} */ firstPage;
    /** Photos that are kept, in whatever order. */
    isPhotos = true;
    isDisposed = false;

    /** What is listed has changed at the host. */
    renew() {
        this.list.refresh();
        this.album?.renew();
    }

    removePicked() { return this.remove(this.selection.photos); }

    restorePicked() { return this.restore(this.selection.photos); }

    erasePicked() { return this.erase(this.selection.photos); }

    /** @param {Photo[]} photos */
    remove(photos) { return remove(photos, (ids) => this.forget(ids)); }

    /** @param {Photo[]} photos */
    restore(photos) { return putBack(photos, (ids) => this.forget(ids)); }

    /** @param {Photo[]} photos */
    erase(photos) { return deleteForGood(photos, { onChange: (ids) => this.forget(ids) }); }

    /** Saves what proves that what came together was read back; it is made anew from what the host knows of each photo.
     * @param {Section} section */
    async keepReceipt(section) {
        await attempt(async () => {
            const all = await /** @type {RecentList} */ (this.list).batch(section);
            const { keepReceipt, linesOf } = await part("sending");
            const lines = linesOf(all);
            if (lines.length === 0) toast(t("receipt.none"));
            else setTimeout(keepReceipt(lines), receiptTime);
        });
    }

    async empty() {
        const photos = await this.list.all();
        await deleteForGood(photos, { isAll: true, onChange: (ids) => this.forget(ids) });
    }

    /** @param {Mark} mark */
    async markPicked(mark) {
        if (await this.mark(this.selection.photos, mark, !this.albums.isMarked(this.selection.photos, mark), true)) this.selection.end();
    }

    /** @param {Photo[]} photos */
    heart(photos) { return this.mark(photos, "favourite"); }

    /** Gives them a mark, or takes it away; true when it was done here and now. `isTold`: with words and a way back.
     * @param {Photo[]} photos @param {Mark} mark @param {boolean} [isOn] @param {boolean} [isTold]
     * @returns {Promise<boolean>} */
    async mark(photos, mark, isOn = !this.albums.isMarked(photos, mark), isTold = false) {
        const changed = photos.filter((photo) => this.albums.isMarked([photo], mark) !== isOn);
        let isDone = false;
        await attempt(async () => { isDone = await this.perform(this.albums.markFor(changed, mark, isOn)); });
        if (!isDone || this.isDisposed) return isDone;
        this.showMarks(changed, mark, isOn);
        if (isTold) this.albums.sayMarks(changed.length, mark, isOn, () => this.unmark(changed, mark, !isOn));
        return true;
    }

    /** Takes it back, wherever somebody is by then.
     * @param {Photo[]} photos @param {Mark} mark @param {boolean} isOn */
    async unmark(photos, mark, isOn) {
        if (await this.mark(photos, mark, isOn)) this.renewIfHere();
    }

    /** What the host knows is seen at once, wherever the photo stands.
     * @param {Photo[]} photos @param {Mark} mark @param {boolean} isOn */
    showMarks(photos, mark, isOn) {
        for (const photo of photos) {
            for (const one of [photo, this.list.at(this.list.placeOf(photo.id))]) if (one?.id === photo.id) one[mark] = isOn;
        }
        this.gallery.drawStates();
        const hasLeft = isOn ? mark === "archived" && (this.kind === "photos" || this.album?.isOwn === false && this.album.mark === null)
            : this.album?.mark === mark;
        if (hasLeft) this.list.remove(idsOf(photos));
    }

    /** The choice that keeps photos out of the timeline, or lets them in again.
     * @param {Photo[]} photos @param {() => unknown} [run] */
    archiveChoice(photos, run = () => this.mark(photos, "archived", undefined, true)) {
        const isIn = !this.albums.isMarked(photos, "archived");
        return { sign: isIn ? "folder" : "restore", label: t(isIn ? "away.on" : "away.off"), run };
    }

    async filePicked() {
        if (await this.file(this.selection.photos)) this.selection.end();
    }

    /** Asks for an album and puts them into it; a guest opens a vault first. True when it was done.
     * @param {Photo[]} photos @returns {Promise<boolean>} */
    async file(photos) {
        let isDone = false;
        const ids = idsOf(photos);
        const { albums, pictures } = this;
        const inside = this.album?.isOwn ? this.album.album : null;
        await this.perform({ title: t("need.file", { n: photos.length }), done: "", run: async () => {
            isDone = await albums.addToAlbum(ids, { pictures, inside, isOne: photos.length === 1,
                onChange: () => this.renewIfHere(), onTakenOut: () => this.forget(ids) });
        } });
        return isDone;
    }

    renewIfHere() {
        if (this.isDisposed) this.onLateChange();
        else this.renew();
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

    /** By the device's own sheet; true when they were handed on.
     * @param {Photo[]} photos @param {string} action @returns {Promise<boolean>} */
    async share(photos, action) {
        const { sharePhotos } = await part("sharing");
        return sharePhotos(photos, action);
    }

    async showToSomebody() {
        const photos = idsOf(this.selection.photos);
        const { showToSomebody } = await part("doors");
        if (await showToSomebody({ photos })) this.selection.end();
    }

    async changePickedDates() {
        const photos = this.selection.photos;
        const { changeDates } = await part("changing");
        if (await changeDates(photos, () => this.renewIfHere())) this.selection.end();
    }

    async changePickedPlaces() {
        const photos = this.selection.photos;
        const { changePlaces } = await part("changing");
        if (await changePlaces(photos, () => this.renewIfHere())) this.selection.end();
    }

    /** Of the days another town may be told now. */
    renewDays() {
        this.towns.forget();
        if (!this.isDisposed) this.gallery.drawSoon();
    }

    /** @param {number} by */
    async rotatePicked(by) {
        const photos = this.selection.photos;
        const { rotate } = await part("changing");
        await attempt(() => rotate(photos, by, () => this.renewIfHere()));
    }

    /** Photos left the list; null where others came back to it.
     * @param {string[] | null} ids */
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

    /** What is at the top of the window, to be found again in another session; null at the beginning.
     * @returns {Anchor | null} */
    get anchor() {
        const top = this.gallery.anchor.kept.find(({ id }) => id && !this.list.at(this.list.placeOf(id))?.item);
        return this.isPhotos && top?.id ? { id: top.id, below: top.below } : null;
    }

    /** Where somebody was when they left this screen: `{anchor, y}`; the list may have changed meanwhile.
     * @param {{anchor: Anchor | null, y: number}} place */
    resume({ anchor, y }) {
        this.gallery.measure();
        const place = anchor ? this.list.placeOf(anchor.id) : -1;
        if (anchor && place >= 0) this.gallery.anchor.moveTo(place, anchor.below);
        else this.gallery.scrollBy(y - window.scrollY);
    }

    /** Scrolls to where an anchor of the guest's session is now.
     * @param {Anchor} anchor */
    async goTo({ id, below }) {
        const photo = await api.photo(id);
        await this.firstPage;
        await this.list.find(photo);
        // The gallery is laid out after its first measure.
        for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        const place = this.list.placeOf(photo.id);
        if (!this.isDisposed && place >= 0) this.gallery.anchor.moveTo(place, below);
    }
}

// The header of a listing: its title and what can be done, or how many are picked.

/** @typedef {import("./library.js").Library} Library */

/** A phone has room for so many letters of a title. */
const shortName = 10;

/** @param {string} classes @param {() => unknown} onclick @param {...Node | string} content */
const button = (classes, onclick, ...content) => el("button", { class: classes, type: "button", onclick }, ...content);

/** @param {Library} library @param {boolean} isEmpty */
export function drawHead(library, isEmpty) {
    const { selection, head } = library;
    const state = selection.isOn ? "picking" : library.album?.isChoosing ? "choosing" : isEmpty ? "empty" : "full";
    const key = `${state} ${library.heading}`;
    if (head.dataset.key !== key) {
        head.dataset.key = key;
        // Where somebody came in, the title has the focus while the first photos come.
        const isTitleFocused = head.querySelector("h1")?.contains(document.activeElement);
        head.replaceChildren(selection.isOn ? pickHead(selection) : library.album?.isChoosing ? library.album.chooseHead()
            : plainHead(library, isEmpty));
        if (isTitleFocused) head.querySelector("h1")?.focus({ preventScroll: true });
    }
    if (!selection.isOn) return;
    setText(/** @type {Element} */ (head.querySelector(".picked")),
        selection.isComing ? t("pick.coming") : t("pick.count", { n: selection.count }));
    setText(/** @type {Element} */ (head.querySelector(".picked-bytes")), selection.count > 0 && !selection.isComing
        ? ` · ${bytes(selection.byteCount)}` : "");
}

/** @param {Library} library @param {boolean} isEmpty */
function plainHead(library, isEmpty) {
    const other = preference("view", "grid") === "list" ? "grid" : "list";
    const view = button("round", () => library.changeView(other), icon(other));
    view.setAttribute("aria-label", t(other === "grid" ? "view.grid" : "view.list"));
    const select = button("link", () => library.selection.begin(), t("select"));
    const main = library.isPhotos
        ? button("button is-main is-small only-desktop", library.onAdd, icon("add", "is-small"), t("add"))
        : button("link is-danger", () => library.empty(), t("deleted.empty"));
    if (["place", "results", "similar"].includes(library.kind)) {
        const isPlace = library.kind === "place";
        const head = screenHead(isPlace ? ownName(library) : library.title, ...(isEmpty ? [] : [view, select]));
        head.prepend(backLink(isPlace ? "#/places" : "#/photos"));
        return head;
    }
    const look = library.album ? [view] : [searchLink(), view];
    const actions = isEmpty ? (library.isPhotos ? [main] : []) : [...(library.isPhotos ? look : []), select, main];
    const more = library.album?.moreButton();
    const head = screenHead(library.album ? ownName(library, library.album.name) : library.heading, ...actions, ...(more ? [more] : []));
    if (library.album) head.prepend(el("a", { class: "round", href: library.album.wall, "aria-label": t("album.back") }, icon("left")));
    // What was deleted is reached from the settings and from the albums.
    if (!library.isPhotos) head.prepend(backLink("#/settings"));
    return head;
}

/** A name that somebody gave may be longer than there is room; its menu has it whole.
 * @param {Library} library @param {string} [whole] */
function ownName({ heading }, whole = heading) {
    return el("span", { class: `own-name${heading.length > shortName ? " is-long" : ""}`, title: whole }, heading);
}

/** The way to the screen on which one looks for something; a key leads there, too. */
function searchLink() {
    return el("a", { class: "round", href: "#/search", "aria-label": t("title.results") }, icon("search"));
}

/** @param {import("./selection.js").Selection} selection */
function pickHead(selection) {
    const end = button("round", () => selection.end(), icon("close"));
    end.setAttribute("aria-label", t("pick.end"));
    return el("header", { class: "top is-picking" }, end,
        el("h1", { class: "figures", tabindex: "-1" }, el("span", { class: "picked" }),
            el("span", { class: "picked-bytes" })),
        button("link only-desktop", () => selection.invert(), t("pick.invert")),
        button("link", () => selection.all(), t("pick.all")));
}

// A photo that was looked at goes back to its tile, where motion is wanted.

const time = 180;
const easing = "cubic-bezier(.2, 0, 0, 1)";
/** @param {Bounds} bounds */
const boundsOf = ({ left, top, width, height }) =>
    ({ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });

/** From `bounds`, where it was seen in the window, to `face`, that of its tile; the picture flies in `parent`.
 * @param {HTMLElement} parent @param {Bounds | null} bounds @param {HTMLElement | null} face */
export function flyBack(parent, bounds, face) {
    const picture = /** @type {HTMLImageElement | null | undefined} */ (face?.querySelector("img.is-here"));
    // One that is shown turned would turn on its way.
    if (!bounds || !face || !picture || picture.dataset.turn || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const flying = el("img", { class: "flying", src: picture.src, alt: "", "aria-hidden": "true" });
    parent.append(flying);
    const flight = flying.animate([boundsOf(bounds), boundsOf(face.getBoundingClientRect())], { duration: time, easing });
    const land = () => flying.remove();
    flight.finished.then(land, land);
}
