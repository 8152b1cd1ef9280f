// The photos of a window: the gallery and the viewer as their owner has them, and nothing that changes anything.
import * as api from "../base/api.js";
import { steppedBack } from "../base/browser.js";
import { announce, downloadAddress, downloadPhoto, el, icon, setText } from "../base/dom.js";
import { day, describe, t } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";
import { doorFoot, emptyLine, lamp } from "../elements/pieces.js";
import { Gallery } from "../gallery/gallery.js";
import { Timeline } from "../library/timeline.js";
import { idsOf, isOnlySeen, mayHaveCleanCopy, monthOf } from "../photos/photo-words.js";
import { Pictures } from "../photos/pictures.js";
import { sharePhotos } from "../photos/save-photos.js";
import { openViewer } from "../viewer/viewer.js";
import { Arrivals } from "./seeing.js";

/** Milliseconds without a touch after which a screen that shows photos by itself does so again. */
const rest = 120_000;

/** Nobody picks anything here. */
class NothingPicked extends EventTarget {
    isOn = false;
    count = 0;
    anchor = null;
    has() { return false; }
    begin() {}
    toggle() {}
    toggleRange() {}
    extend() {}
    paint() {}
    all() {}
}

export class Seen {
    /** @type {import("../viewer/viewer.js").Viewer | null} */ viewer = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */ resting;
    /** @type {HTMLElement | null} */ corner = null;
    forgetCode = () => {};
    isAway = false;
    listeners = new AbortController();

    /** `whenIn()` is what is waited for while this browser has to come in again, else null.
     * @param {import("./seeing.js").Visit} visit
     * @param {{onLanguage: (code: string) => void, whenIn: () => Promise<void> | null}} options */
    constructor(visit, { onLanguage, whenIn }) {
        this.visit = visit;
        this.whenIn = whenIn;
        this.list = new Timeline({ months: api.timeline, month: async (...asked) => this.withoutOthers(await api.timelineMonth(...asked)) });
        this.pictures = new Pictures();
        this.arrivals = new Arrivals();
        this.title = el("h1", { tabindex: "-1" });
        this.note = el("p", { class: "note figures see-note" });
        this.slides = el("button", { class: "round", type: "button", "aria-label": t("show.begin"), onclick: () => this.beginShow() },
            icon("slides"));
        this.take = el("button", { class: "button is-small", type: "button", hidden: true, onclick: () => this.downloadAll() },
            icon("download", "is-small"), el("span", {}, t("see.downloadAll")));
        this.state = el("div");
        const selection = /** @type {any} */ (new NothingPicked());
        this.gallery = new Gallery({ list: this.list, selection, pictures: this.pictures, view: "grid", title: monthOf, isByMonth: true,
            onOpen: (place) => this.open(place), onDelete: () => {} });
        this.gallery.element.hidden = true;
        this.element = el("div", { class: "library is-seen" }, el("main", { id: "main" },
            el("header", { class: "top" }, lamp(), this.title, this.slides, this.take), this.note, this.gallery.element, this.state), doorFoot(onLanguage));
        const { signal } = this.listeners;
        this.list.addEventListener("change", () => this.draw(), { signal });
        this.pictures.onLookedInto = () => this.list.refreshSoon();
        api.onReachability((reachable) => {
            this.isAway = !reachable;
            if (reachable && this.list.error) this.list.retry();
        }, { signal });
        for (const name of ["pointerup", "keydown"]) window.addEventListener(name, (event) => this.stir(event), { signal });
        this.drawHead();
    }

    get see() { return /** @type {See} */ (this.visit.see); }

    dispose() {
        this.listeners.abort();
        clearTimeout(this.resting);
        this.forgetCode();
        this.viewer?.close();
        this.gallery.dispose();
        this.list.dispose();
        this.pictures.clear();
    }

    async begin() {
        this.title.focus({ preventScroll: true });
        await this.list.refresh();
        await this.startOver();
    }

    /** The window shows other photos, or is another; `isAnew`: the host has other ids for all of them.
     * @param {{isAnew?: boolean}} options */
    async renew({ isAnew = false } = {}) {
        this.drawHead();
        if (isAnew) this.pictures.clear();
        const before = Arrivals.countsOf(this.list);
        await this.list.refresh();
        if (this.listeners.signal.aborted) return;
        this.drawCorner();
        if (isAnew) await this.startOver();
        else if (await this.arrivals.find(this.list, before).catch(() => false)) this.viewer?.slideshow.hurry();
        if (!isAnew && !this.visit.mode) announce(this.countWords);
    }

    /** What a screen begins with that shows photos by itself. */
    async startOver() {
        if (!this.visit.mode) return;
        this.beginShow();
        // What comes while this is read is shown in its turn.
        if (this.visit.mode === "wall") await this.arrivals.learn(this.list).catch(() => {});
    }

    /** Of files that nobody may have here it is not told how large they are: where places are left out, some kinds have no copies
     * without them. When a photo came is its owner's matter.
     * @param {Record<string, any[]>} columns */
    withoutOthers(columns) {
        const { originals, places } = this.see;
        const isGiven = (/** @type {string} */ type) => originals && (places !== false || mayHaveCleanCopy(type));
        return { ...columns, receivedAt: [], size: columns.id.map((_, index) => (isGiven(columns.type?.[index]) ? columns.size?.[index] ?? null : null)) };
    }

    // ---- what is seen

    get countWords() { return t("count.items", { n: this.see.count }); }

    drawHead() {
        const { name, lastDay, originals } = this.see;
        setText(this.title, name);
        setText(this.note, `${this.countWords} · ${t("see.until", { day: day(new Date(`${lastDay}T12:00:00`)) })}`);
        this.take.hidden = !originals;
        document.title = `${name} · Safelight`;
    }

    draw() {
        const isEmpty = this.list.count === 0;
        this.slides.hidden = isEmpty;
        this.take.hidden = isEmpty || !this.see.originals;
        this.drawState(isEmpty);
        if (this.gallery.element.hidden !== isEmpty) {
            this.gallery.element.hidden = isEmpty;
            this.gallery.measure();
        }
        if (this.visit.mode && !isEmpty && !this.viewer && !this.resting) this.beginShow();
    }

    /** @param {boolean} isEmpty */
    drawState(isEmpty) {
        const { error } = this.list;
        if (error && !(error instanceof api.Unreachable) && isEmpty) this.state.replaceChildren(el("p", { class: "note" }, describe(error)));
        else if (isEmpty && this.list.isLoaded) {
            this.state.replaceChildren(el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("see.empty")),
                el("p", { class: "note" }, t("see.emptyNote"))));
        } else this.state.replaceChildren();
    }

    /** @param {number} place */
    async open(place) {
        await steppedBack();
        if (!this.listeners.signal.aborted) this.look(place, { tile: this.gallery.boundsOf(place) });
    }

    /** Shows one as large as the window, or, from there on, one after another.
     * @param {number} place @param {{tile?: Bounds | null, isShow?: boolean}} options */
    look(place, { tile = null, isShow = false }) {
        if (this.viewer) return;
        this.viewer = openViewer({ list: this.list, place, tile, isShow, pictures: this.pictures, kind: "seen", isOldestFirst: true,
            isTaken: this.see.originals, mayTake: (photo) => !isOnlySeen(photo), show: this.order, onDownload: (photo) => downloadPhoto(photo), onShare: (photo) => this.share(photo),
            onClosed: (shown) => {
                this.viewer = null;
                this.corner = null;
                if (shown >= 0 && !this.listeners.signal.aborted) this.gallery.focusPlace(shown);
            } });
        this.drawCorner();
    }

    /** @returns {import("../viewer/viewer.js").ShowOrder} */
    get order() {
        const { mode } = this.visit;
        const { arrivals } = this;
        return { ...(mode === "wall" ? { next: (list) => arrivals.next(list), onShown: (photo) => arrivals.onShown(photo) } : {}),
            ...(mode ? { isHeld: () => this.isHeld() } : {}) };
    }

    // ---- what goes on by itself

    /** As it happened, from the oldest on. */
    beginShow() {
        clearTimeout(this.resting);
        this.resting = undefined;
        if (this.viewer && !this.viewer.slideshow.isOn) this.viewer.beginShow();
        else if (this.list.count > 0) this.look(this.list.count - 1, { isShow: true });
    }

    /** While the host is away, or this browser comes in again, what is shown stays. */
    async isHeld() {
        const coming = this.isAway ? api.whenReachable() : this.whenIn();
        if (!coming) return false;
        await coming;
        return !this.listeners.signal.aborted;
    }

    /** Whoever has touched the screen looks by themselves for a while. A browser fills the screen at a touch alone.
     * @param {Event} event */
    stir({ type, target }) {
        if (!this.visit.mode) return;
        const isOnPicture = type === "pointerup" && target instanceof Element && target.closest("figure");
        if (isOnPicture && this.viewer?.slideshow.isOn && !document.fullscreenElement) {
            this.viewer.dialog.querySelector(".viewer-stage")?.requestFullscreen?.()?.catch(() => {});
        }
        clearTimeout(this.resting);
        this.resting = setTimeout(() => this.beginShow(), rest);
    }

    /** The code of a door in the corner of a wall: whoever sees it can add photos. */
    async drawCorner() {
        const { door } = this.see;
        if (this.visit.mode !== "wall" || !this.viewer || !door) {
            this.corner?.remove();
            this.corner = null;
            return;
        }
        if (this.corner) return;
        const image = el("img", { class: "qr", width: 120, height: 120, alt: t("see.doorCode", { name: door.name }) });
        const corner = el("div", { class: "wall-door", hidden: true }, image, el("p", {}, t("see.doorWords")));
        this.corner = corner;
        this.viewer.dialog.querySelector(".viewer-stage")?.append(corner);
        try {
            const address = URL.createObjectURL(await api.blob("/api/door.svg", this.listeners.signal));
            this.forgetCode();
            this.forgetCode = () => URL.revokeObjectURL(address);
            image.src = address;
            corner.hidden = false;
        } catch {
            corner.remove();
            if (this.corner === corner) this.corner = null;
        }
    }

    // ---- what may be taken

    /** @param {Photo} photo */
    share(photo) { return this.attempt(() => sharePhotos([photo], t("share"))); }

    async downloadAll() {
        this.take.disabled = true;
        await this.attempt(async () => {
            const all = await this.list.all();
            const given = all.filter((photo) => !isOnlySeen(photo));
            const { address, missing } = given.length > 0 ? await api.makeArchive(idsOf(given)) : { address: null, missing: 0 };
            if (address && missing < given.length) downloadAddress(address);
            // Whether there is a copy of a file its kind alone does not tell.
            const left = all.length - given.length + missing;
            if (left > 0) toast(t("see.withoutPlaces", { n: left }));
        });
        this.take.disabled = false;
    }

    /** @param {() => Promise<unknown>} work */
    async attempt(work) {
        try {
            await work();
        } catch (error) {
            if (!(error instanceof api.Unreachable)) toast(describe(error));
        }
    }
}
