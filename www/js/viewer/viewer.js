// One photo or video, fitted to the window, on black. The phone's Back button closes it.
import * as api from "../base/api.js";
import { later, steppedBack, takeBack } from "../base/browser.js";
import { chooseAction, dismissToast } from "../elements/dialog.js";
import { canShare } from "../photos/photo-words.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { Facts } from "./viewer-facts.js";
import { Bars, meant } from "./viewer-gestures.js";
import { Stage } from "./viewer-stage.js";
import { Shown, Slideshow } from "./viewer-shown.js";

/** @typedef {{list: PhotoList, place: number, kind: string, pictures: Pictures, names?: PlaceNames | null, tile?: Bounds | null, isShow?: boolean,
 *     isOldestFirst?: boolean, isTaken?: boolean, mayTake?: (photo: Photo) => boolean, show?: ShowOrder, onDelete?: (photo: Photo) => Promise<boolean>,
 *     onDownload: (photo: Photo) => void, onRestore?: (photo: Photo) => Promise<boolean>,
 *     onErase?: (photo: Photo) => Promise<boolean>, onShare: (photo: Photo) => unknown,
 *     onHeart?: (photo: Photo) => Promise<boolean>, onFile?: (photo: Photo) => Promise<boolean>,
 *     onArchive?: (photo: Photo) => import("../elements/dialog.js").Choice, onHelp?: () => void, onChanged?: () => void,
 *     onSimilar?: (photo: Photo) => void, onAlbum?: ((album: {id: string}) => void) | null,
 *     onAttempt?: (work: () => Promise<unknown>) => Promise<boolean>,
 *     onClosed: (place: number, bounds: Bounds | null) => void}} ViewerOptions */

/** @typedef {import("./viewer-shown.js").ShowOrder} ShowOrder */

/** `names` are those of places; `onDelete(photo)`, `onRestore(photo)` and `onErase(photo)` resolve to true when it left the list; `onShare(photo)`
 * hands it on; `onHeart(photo)` gives or takes its heart, `onFile(photo)` asks for an album; `onChanged()`: lists may show
 * something else of it; `onAttempt(work)` says what went wrong; `onSimilar(photo)` shows what is like it, and `onAlbum(album)` an album that has it, once this is closed;
 * `onHelp()` shows what keys do; `onClosed(place, bounds)` gets what was shown last, -1 where nothing is left, and where its
 * picture was in the window, null where none was seen. `isShow`: its photos are shown one after another from the beginning.
 * `isOldestFirst`: by themselves they go on to newer ones, against the order of the list, as it happened; `show` has a say in that.
 * `kind` is `photos`, `deleted`, or `seen` by a visitor who changes nothing; `isTaken`: files can be had, those of which `mayTake(photo)` says so.
 * @param {ViewerOptions} options @returns {Viewer} */
export function openViewer(options) {
    return new Viewer(options);
}

/** What nobody can do here. */
const refuse = async () => false;

/** @param {string} name @param {string} key @param {() => unknown} run @param {string} [classes] */
function round(name, key, run, classes = "round") {
    return el("button", { class: classes, type: "button", "aria-label": t(key), onclick: run }, icon(name));
}

/** @param {string} name @param {string} key @param {() => unknown} run @param {string} [classes] */
function tool(name, key, run, classes = "") {
    return el("button", { type: "button", class: classes, onclick: run }, icon(name), el("span", {}, t(key)));
}

export class Viewer extends Shown {
    /** @type {HTMLButtonElement} */ infoButton;
    /** @type {HTMLButtonElement} */ endShow;
    /** @type {HTMLButtonElement} */ more;
    /** @type {Bars} */ bars;
    /** @type {ReturnType<typeof takeBack> | null | undefined} */ infoBack;
    /** @type {ReturnType<typeof takeBack> | null | undefined} */ showBack;

    /** @param {ViewerOptions} options */
    constructor({ list, place, kind, pictures, names = null, tile = null, isShow = false, isOldestFirst = false, isTaken = kind === "photos", mayTake = () => isTaken, show = {},
        onDelete = refuse, onDownload, onRestore = refuse, onErase = refuse, onShare, onHeart = refuse, onFile = refuse, onArchive,
        onHelp = refuse, onChanged = refuse, onAttempt = refuse, onSimilar, onAlbum = null, onClosed }) {
        super();
        this.list = list;
        this.place = place;
        this.names = names;
        this.kind = kind;
        this.isOldestFirst = isOldestFirst;
        this.mayTake = mayTake;
        this.isTaken = isTaken;
        this.order = show;
        this.onDelete = onDelete;
        this.onDownload = onDownload;
        this.onRestore = onRestore;
        this.onErase = onErase;
        this.onShare = onShare;
        this.onHeart = onHeart;
        this.onFile = onFile;
        this.onArchive = onArchive;
        this.onHelp = onHelp;
        this.onChanged = onChanged;
        this.onAttempt = onAttempt;
        this.onSimilar = onSimilar;
        this.onClosed = onClosed;
        const { signal } = this.listeners;
        this.stage = new Stage({ pictures, signal, onStep: (by) => this.step(by), onClose: () => this.close(),
            onTap: () => this.bars.toggle(), onPlay: () => this.bars.stir(),
            canStep: (by) => this.place + by >= 0 && this.place + by < this.list.count, onZoomed: () => this.drawZoom(), onFilled: () => this.drawSeen() });
        this.facts = new Facts({ onClose: () => this.toggleInfo(), onPlace: () => this.drawPlace(),
            onDate: kind === "photos" ? this.changeDate : null, onMove: kind === "photos" ? this.changePlace : null, names,
            onCaption: kind === "photos" ? (photo, caption) => this.saveCaption(photo, caption) : null,
            onAlbum: onAlbum && ((album) => this.leaveFor(() => onAlbum(album))), further: (photo) => this.furtherFacts(photo), hasCopies: kind !== "seen" });
        this.slideshow = new Slideshow({ isHeld: show.isHeld, shown: () => this.stage.whenSeen(), video: () => this.stage.video,
            next: () => this.stage.whenReady(this.list.at(this.following)), onStep: () => this.go(this.following),
            onChange: (isOn) => {
                // Nothing is said over photos that are shown one after another.
                if (isOn) dismissToast();
                this.drawShow(isOn);
            } });
        this.build(signal);
        document.body.append(this.dialog);
        // No id in the address: ids are of this session, and the history outlives it.
        this.back = takeBack("viewer", () => this.close());
        this.dialog.showModal();
        this.go(place);
        this.stage.comeFrom(tile);
        // On the picture, not on a button: the bars may go, and every key works.
        this.stage.element.focus();
        this.bars.stir();
        // Whoever came for the slideshow leaves with it.
        this.isForShow = isShow;
        if (isShow) this.slideshow.begin();
    }

    /** @param {AbortSignal} signal */
    build(signal) {
        this.when = el("span", { class: "figures" }, t("tile.loading"));
        this.where = el("span", { class: "small figures" });
        this.nearer = round("add", "viewer.nearer", () => this.stage.zoom(1), "round only-pointer");
        this.farther = round("minus", "viewer.farther", () => this.stage.zoom(-1), "round only-pointer");
        this.previous = round("left", "viewer.previous", () => this.step(-1), "step is-previous");
        this.next = round("right", "viewer.next", () => this.step(1), "step is-next");
        this.caption = el("p", { class: "viewer-caption", hidden: true });
        this.liveWords = el("span");
        this.live = el("button", { class: "live", type: "button", hidden: true,
            onclick: () => this.playLive(!this.isLive) }, icon("live"), this.liveWords);
        this.endShow = el("button", { class: "live", type: "button", hidden: true, onclick: () => this.slideshow.end() },
            icon("pause"), el("span", {}, t("show.end")));
        this.more = round("more", "more", () => chooseAction(t("more"), this.choices()));
        this.infoButton = tool("info", "info", () => this.toggleInfo());
        this.infoButton.setAttribute("aria-expanded", "false");
        this.heart = this.kind === "photos" ? round("heart", "heart.on", () => this.toggleHeart(), "round heart-button") : null;
        this.heart?.setAttribute("aria-pressed", "false");
        this.full = document.fullscreenEnabled ? round("full", "viewer.full", () => this.toggleFull(), "round only-wide")
            : el("span", { class: "round only-wide" });
        this.dialog = el("dialog", { class: "viewer", "aria-labelledby": "viewer-title" },
            el("div", { class: "viewer-top" }, round("left", "viewer.close", () => this.close()),
                el("h1", { id: "viewer-title" }, this.when, this.where),
                el("div", { class: "viewer-tools" }, this.farther, this.nearer, this.heart, this.full, this.more)),
            el("div", { class: "viewer-stage" }, this.stage.element, this.caption, this.live, this.endShow, this.previous,
                this.next),
            el("div", { class: "viewer-bar" }, ...this.tools()), this.facts.element);
        this.bars = new Bars({ dialog: this.dialog, isHeld: () => !this.facts.element.hidden,
            isAtRest: () => this.stage.isAtRest, isShow: () => this.slideshow.isOn });
        this.dialog.addEventListener("cancel", () => this.noteLeft());
        this.dialog.addEventListener("close", () => this.closed());
        this.dialog.addEventListener("keydown", (event) => this.key(event));
        for (const name of ["pointermove", "pointerdown", "keydown", "focusin"]) {
            this.dialog.addEventListener(name, (event) => this.bars.stir(event), { signal });
        }
        this.list.addEventListener("change", () => this.renew(), { signal });
    }

    tools() {
        this.getTool = tool("download", "download", () => this.download());
        // What this device can hand on, to people or into its own photos.
        this.shareTool = canShare() ? tool("save", "share", () => this.share()) : null;
        const take = [...(this.shareTool ? [this.shareTool] : []), this.getTool];
        if (this.kind === "seen") return [...(this.isTaken ? take : []), this.infoButton];
        if (this.kind === "photos") {
            this.cropTool = tool("crop", "crop.tool", () => this.crop(), "crop-tool");
            return [...take, tool("albums", "album.tool", () => this.file()), this.cropTool, this.infoButton,
                tool("bin", "delete", () => this.leave(this.onDelete), "is-danger")];
        }
        return [tool("restore", "restore", () => this.leave(this.onRestore)), this.infoButton,
            tool("bin", "deleted.good", () => this.leave(this.onErase), "is-danger")];
    }

    /** @returns {import("../elements/dialog.js").Choice[]} */
    choices() { return [{ sign: "slides", label: t("show.begin"), run: () => this.beginShow() }]; }

    /** Those that the details tell beside their own.
     * @param {Photo} _photo @returns {import("./viewer-facts.js").Fact[]} */
    furtherFacts(_photo) { return []; }

    /** Goes on to another screen once this has left its place in the history, on which that would lie.
     * @param {() => void} go */
    leaveFor(go) {
        this.dialog.addEventListener("close", go, { once: true });
        this.close();
    }

    // ---- what somebody says of it

    /** @param {number} by */
    async rotate(by) {
        const { photo } = this;
        if (!photo || this.kind !== "photos") return;
        const { rotate } = await later("changing");
        await this.onAttempt(() => rotate([photo], by, () => {
            this.stage.turn(photo);
            this.onChanged();
        }));
    }

    changeDate = () => this.ask("changeDates");
    changePlace = () => this.ask("changePlaces");

    /** @param {"changeDates" | "changePlaces"} form */
    async ask(form) {
        const { photo } = this;
        if (!photo) return;
        const [changing, whole] = await Promise.all([later("changing"), api.photo(photo.id).catch(() => photo)]);
        await changing[form]([{ ...photo, ...whole, live: photo.live }], () => {
            this.onChanged();
            if (this.photo?.id === photo.id) {
                this.learn(photo);
                this.facts.show(photo);
            }
        });
    }

    /** @param {Photo} photo @param {string} caption */
    async saveCaption(photo, caption) {
        const { saveCaption } = await later("changing");
        return this.onAttempt(() => saveCaption(photo, caption, () => {
            if (this.photo?.id !== photo.id) return;
            this.facts.show(photo);
            this.drawCaption();
        }));
    }

    // ---- one after another

    beginShow() {
        if (!this.facts.element.hidden) this.toggleInfo();
        this.stage.element.focus();
        this.slideshow.begin();
    }

    /** @param {boolean} isOn */
    drawShow(isOn) {
        this.stage.isFading = isOn;
        this.withdraw(this.endShow, "hidden", !isOn);
        if (isOn && !this.isForShow) this.holdShow();
        if (!isOn) this.leaveShow();
        this.setLive(false);
        // They tell of themselves again once it is over.
        if (isOn) this.bars.hide();
        else this.bars.stir();
    }

    /** Back ends it first. */
    async holdShow() {
        await steppedBack();
        if (this.showBack || !this.slideshow.isOn || this.listeners.signal.aborted) return;
        this.showBack = takeBack("show", () => {
            this.showBack = null;
            this.slideshow.end();
        });
    }

    leaveShow() {
        this.isForShow = false;
        this.showBack?.leave();
        this.showBack = null;
    }

    /** Nothing before it has come. */
    async toggleHeart() {
        const { photo } = this;
        if (!photo || this.kind !== "photos") return;
        await this.onHeart(photo);
        if (this.listeners.signal.aborted) return;
        this.drawHeart();
        this.goOnWithout(photo);
    }

    async file() {
        const { photo } = this;
        if (!photo) return;
        await this.onFile(photo);
        this.goOnWithout(photo);
    }

    // ---- keys

    /** @param {KeyboardEvent} event */
    key(event) {
        const run = meant(this, event);
        if (!run) return;
        event.preventDefault();
        run();
    }

    /** Nothing before it has come. */
    download() {
        if (this.shown) this.onDownload(this.shown);
    }

    share() {
        if (this.shown) this.onShare(this.shown);
    }

    toggleFull() {
        if (!document.fullscreenEnabled) return;
        if (document.fullscreenElement) document.exitFullscreen();
        else this.dialog.requestFullscreen().catch(() => {});
    }

    // ---- what stands around it

    toggleInfo() {
        const { element } = this.facts;
        if (!this.photo && element.hidden) return;
        element.hidden = !element.hidden;
        this.dialog.classList.toggle("has-info", !element.hidden);
        this.infoButton.setAttribute("aria-expanded", String(!element.hidden));
        if (element.hidden) {
            this.infoButton.focus();
            this.infoBack?.leave();
            this.infoBack = null;
        } else {
            this.holdInfo();
            if (this.photo) this.facts.show(this.photo);
            element.focus();
        }
        this.drawPlace();
        this.drawCaption();
        this.stage.gestures.reset();
    }

    /** Back puts the details away first. */
    async holdInfo() {
        await steppedBack();
        if (this.infoBack || this.facts.element.hidden || this.listeners.signal.aborted) return;
        this.infoBack = takeBack("info", () => {
            this.infoBack = null;
            this.toggleInfo();
        });
    }

    closed() {
        const onTop = [this.infoBack, this.showBack].filter(Boolean);
        for (const place of onTop) place?.forget();
        this.showBack = null;
        this.slideshow.end();
        this.listeners.abort();
        this.bars.dispose();
        clearTimeout(this.learning);
        this.stage.dispose();
        this.facts.dispose();
        this.dialog.remove();
        this.back.leave(1 + onTop.length);
        this.onClosed(this.list.count > 0 ? Math.min(this.place, this.list.count - 1) : -1, this.left);
    }
}
