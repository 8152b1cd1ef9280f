// One photo or video, fitted to the window, on black. The phone's Back button closes it.
import * as api from "../base/api.js";
import { preference, steppedBack, takeBack } from "../base/browser.js";
import { chooseAction } from "../elements/dialog.js";
import { canShare, clipOf } from "../photos/photo-words.js";
import { downloadPhoto, el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { part } from "../base/parts.js";
import { Facts, placeWords, whenWords } from "./viewer-facts.js";
import { Bars, meant, Slideshow } from "./viewer-bars.js";
import { Stage } from "./viewer-stage.js";
import { isFitted, isNearest } from "./viewer-gestures.js";

/**
 * @typedef {object} ViewerOptions
 * @property {PhotoList} list
 * @property {number} place
 * @property {string} kind
 * @property {Pictures} pictures
 * @property {Bounds | null} [tile]
 * @property {boolean} [isShow]
 * @property {boolean} [isOldestFirst]
 * @property {(photo: Photo) => Promise<boolean>} onDelete
 * @property {(photo: Photo) => Promise<boolean>} onRestore
 * @property {(photo: Photo) => Promise<boolean>} onErase
 * @property {(photo: Photo) => unknown} onShare
 * @property {(photo: Photo) => Promise<boolean>} onHeart
 * @property {(photo: Photo) => Promise<boolean>} onFile
 * @property {() => void} onHelp
 * @property {() => void} onChanged
 * @property {((photo: Photo) => void) | undefined} onSimilar
 * @property {((album: {id: string}) => void) | null} [onAlbum]
 * @property {(work: () => Promise<unknown>) => Promise<boolean>} onAttempt
 * @property {(place: number, bounds: Bounds | null) => void} onClosed
 */

/** Milliseconds for which a photo is looked at before more is asked of it than the list knows. */
const pause = 300;

/**
 * `onDelete(photo)`, `onRestore(photo)` and `onErase(photo)` resolve to true when it left the list; `onShare(photo)`
 * hands it on; `onHeart(photo)` gives or takes its heart, `onFile(photo)` asks for an album; `onChanged()`: lists may show
 * something else of it; `onAttempt(work)` says what went wrong; `onSimilar(photo)` shows what is like it, and `onAlbum(album)` an album that has it, once this is closed;
 * `onHelp()` shows what keys do; `onClosed(place, bounds)` gets what was shown last, -1 where nothing is left, and where its
 * picture was in the window, null where none was seen. `isShow`: its photos are shown one after another from the beginning.
 * `isOldestFirst`: by themselves they go on to newer ones, against the order of the list, as it happened.
 * @param {ViewerOptions} options
 * @returns {Viewer}
 */
export function openViewer(options) {
    return new Viewer(options);
}

/**
 * @param {string} name
 * @param {string} key
 * @param {() => unknown} run
 * @param {string} [classes]
 */
function round(name, key, run, classes = "round") {
    return el("button", { class: classes, type: "button", "aria-label": t(key), onclick: run }, icon(name));
}

/**
 * @param {string} name
 * @param {string} key
 * @param {() => unknown} run
 * @param {string} [classes]
 */
function tool(name, key, run, classes = "") {
    return el("button", { type: "button", class: classes, onclick: run }, icon(name), el("span", {}, t(key)));
}

export class Viewer {
    /** @type {HTMLDialogElement} */
    dialog;
    /** @type {HTMLElement} */
    when;
    /** @type {HTMLElement} */
    where;
    /** @type {HTMLElement} */
    caption;
    /** @type {HTMLButtonElement} */
    nearer;
    /** @type {HTMLButtonElement} */
    farther;
    /** @type {HTMLButtonElement} */
    previous;
    /** @type {HTMLButtonElement} */
    next;
    /** @type {HTMLButtonElement | null} */
    heart;
    /** @type {HTMLElement} */
    liveWords;
    /** @type {HTMLButtonElement} */
    live;
    /** @type {HTMLButtonElement} */
    infoButton;
    /** @type {HTMLButtonElement} */
    endShow;
    /** @type {HTMLButtonElement} */
    more;
    /** @type {boolean | undefined} */
    isLive;
    /** @type {boolean | undefined} */
    isComing;
    /** @type {Bars} */
    bars;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    learning;
    /** @type {ReturnType<typeof takeBack> | null | undefined} */
    infoBack;
    /** @type {ReturnType<typeof takeBack> | null | undefined} */
    showBack;
    /** @type {HTMLButtonElement | null | undefined} */
    shareTool;

    /** @param {ViewerOptions} options */
    constructor({ list, place, kind, pictures, tile = null, isShow = false, isOldestFirst = false, onDelete, onRestore, onErase, onShare, onHeart, onFile,
        onHelp, onChanged, onAttempt, onSimilar, onAlbum = null, onClosed }) {
        this.list = list;
        this.place = place;
        this.kind = kind;
        this.isOldestFirst = isOldestFirst;
        this.onDelete = onDelete;
        this.onRestore = onRestore;
        this.onErase = onErase;
        this.onShare = onShare;
        this.onHeart = onHeart;
        this.onFile = onFile;
        this.onHelp = onHelp;
        this.onChanged = onChanged;
        this.onAttempt = onAttempt;
        this.onSimilar = onSimilar;
        this.onClosed = onClosed;
        /** @type {Photo | null} */
        this.photo = null;
        this.ahead = 0;
        /** @type {Bounds | null} */
        this.left = null;
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        this.stage = new Stage({ pictures, signal, onStep: (by) => this.step(by), onClose: () => this.close(),
            onTap: () => this.bars.toggle(), onPlay: () => this.bars.stir(),
            canStep: (by) => this.place + by >= 0 && this.place + by < this.list.count, onZoomed: () => this.drawZoom() });
        this.facts = new Facts({ onClose: () => this.toggleInfo(), onPlace: () => this.drawPlace(),
            onDate: kind === "photos" ? () => this.changeDate() : null,
            onCaption: kind === "photos" ? (photo, caption) => this.saveCaption(photo, caption) : null,
            onAlbum: onAlbum && ((album) => this.leaveFor(() => onAlbum(album))) });
        this.slideshow = new Slideshow({ shown: () => this.stage.whenSeen(), video: () => this.stage.video,
            next: () => this.stage.whenReady(this.list.at(this.following)), onStep: () => this.go(this.following),
            onChange: (isOn) => this.drawShow(isOn) });
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
                this.farther, this.nearer, this.heart, this.full, this.more),
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
        const get = tool("download", "download", () => this.download());
        if (this.kind === "photos") {
            // What this device can hand on, to people or into its own photos.
            this.shareTool = canShare() ? tool("save", "share", () => this.share()) : null;
            return [...(this.shareTool ? [this.shareTool] : []), get,
                tool("albums", "album.tool", () => this.file()), this.infoButton,
                tool("bin", "delete", () => this.leave(this.onDelete), "is-danger")];
        }
        return [tool("restore", "restore", () => this.leave(this.onRestore)), this.infoButton,
            tool("bin", "deleted.good", () => this.leave(this.onErase), "is-danger")];
    }

    choices() {
        const slides = { sign: "slides", label: t("show.begin"), run: () => this.beginShow() };
        if (this.kind !== "photos") return [slides];
        const isPicture = this.photo?.type.startsWith("image/");
        return [slides,
            ...(isPicture ? [{ sign: "clockwise", label: t("turn.right"), run: () => this.rotate(90) },
                { sign: "anticlockwise", label: t("turn.left"), run: () => this.rotate(-90) }] : []),
            { sign: "clock", label: t("date.change"), run: () => this.changeDate() },
            ...(this.onSimilar ? [{ sign: "similar", label: t("title.similar"), run: () => this.showSimilar() }] : [])];
    }

    showSimilar() {
        const { photo } = this;
        if (!photo) return;
        this.leaveFor(() => this.onSimilar?.(photo));
    }

    /**
     * Goes on to another screen once this has left its place in the history, on which that would lie.
     * @param {() => void} go
     */
    leaveFor(go) {
        this.dialog.addEventListener("close", go, { once: true });
        this.close();
    }

    // ---- what somebody says of it

    /** @param {number} by */
    async rotate(by) {
        const { photo } = this;
        if (!photo || this.kind !== "photos") return;
        const { rotate } = await part("changing");
        await this.onAttempt(() => rotate([photo], by, () => {
            this.stage.turn(photo);
            this.onChanged();
        }));
    }

    async changeDate() {
        const { photo } = this;
        if (!photo) return;
        const [{ changeDates }, whole] = await Promise.all([part("changing"), api.photo(photo.id).catch(() => photo)]);
        await changeDates([{ ...photo, ...whole, live: photo.live }], () => {
            this.onChanged();
            if (this.photo?.id === photo.id) {
                this.learn(photo);
                this.facts.show(photo);
            }
        });
    }

    /**
     * @param {Photo} photo
     * @param {string} caption
     */
    async saveCaption(photo, caption) {
        const { saveCaption } = await part("changing");
        return this.onAttempt(() => saveCaption(photo, caption, () => {
            if (this.photo?.id !== photo.id) return;
            this.facts.show(photo);
            this.drawCaption();
        }));
    }

    // ---- one after another

    /** The place that follows: after the last one the first. */
    get following() {
        const count = Math.max(1, this.list.count);
        return (this.place + (this.isOldestFirst ? count - 1 : 1)) % count;
    }

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

    // ---- which one

    /** The file that is seen: of a Live Photo that plays, its video, unless that lies in the photo's own. */
    get shown() { return this.isLive && this.photo?.live ? this.photo.live : this.photo; }

    /**
     * Shows what is at a place, as soon as it is here.
     * @param {number} place
     */
    go(place) {
        if (place < 0 || place >= this.list.count) return;
        this.place = place;
        this.list.need(place, place + 1, 20);
        const photo = this.list.at(place);
        this.isComing = photo === null;
        const known = this.photo ? this.list.placeOf(this.photo.id) : -1;
        this.ahead = this.isComing && known >= 0 ? place - known : 0;
        if (photo && photo.id !== this.photo?.id) this.show(photo);
        this.drawPlace();
    }

    /** @param {Photo} photo */
    show(photo) {
        this.photo = photo;
        this.stage.show(photo, [this.list.at(this.place + 1), this.list.at(this.place - 1)]);
        this.setLive(false);
        if (this.shareTool) this.shareTool.disabled = !canShare([photo]);
        this.facts.show(photo);
        this.drawHeart();
        this.drawCaption();
        this.learn(photo);
        this.slideshow.turn();
    }

    drawHeart() {
        this.heart?.setAttribute("aria-pressed", String(this.photo?.favourite === true));
    }

    /** What somebody has said of it; the details have it themselves. */
    drawCaption() {
        const words = this.facts.element.hidden ? this.photo?.caption ?? "" : "";
        setText(this.caption, words);
        this.caption.hidden = words === "";
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

    /**
     * What has left the list by that, as it leaves an album, gives way to its neighbour.
     * @param {Photo} photo
     */
    goOnWithout(photo) {
        if (this.listeners.signal.aborted || this.photo !== photo || this.list.placeOf(photo.id) >= 0) return;
        this.photo = null;
        if (this.list.count > 0) this.go(Math.min(this.place, this.list.count - 1));
        else this.close();
    }

    /**
     * Where it was taken, and when, and what is said of it, where the list does not know it: not while somebody hurries past.
     * @param {Photo} photo
     */
    learn(photo) {
        clearTimeout(this.learning);
        this.learning = setTimeout(async () => {
            const whole = await api.photo(photo.id, this.listeners.signal).catch(() => null);
            if (!whole || this.photo?.id !== photo.id) return;
            this.photo = Object.assign(this.photo, { takenAt: whole.takenAt, place: whole.place, caption: whole.caption });
            this.drawPlace();
            this.drawCaption();
        }, pause);
    }

    /**
     * The seconds of video that belong to a Live Photo, in its place.
     * @param {boolean} isPlaying
     */
    playLive(isPlaying) {
        this.setLive(isPlaying);
        this.stage.playLive(isPlaying, () => this.playLive(false));
    }

    /** @param {boolean} isPlaying */
    setLive(isPlaying) {
        this.isLive = isPlaying;
        this.withdraw(this.live, "hidden", !this.photo || !clipOf(this.photo) || this.slideshow.isOn);
        setText(this.liveWords, t(isPlaying ? "viewer.still" : "viewer.live"));
    }

    /** The list is another: the photo is where it is now, or what took its place is shown. */
    renew() {
        const now = this.photo ? this.list.placeOf(this.photo.id) : -1;
        if (now >= 0) {
            // Somebody who has gone on to what is not here yet does not go back to what is still seen: as many on.
            this.place = Math.min(this.list.count - 1, Math.max(0, now + this.ahead));
            this.renewLive(this.list.at(now));
            this.renewHeart(this.list.at(now));
        }
        if (this.list.count === 0) this.close();
        else if (!this.photo || this.isComing) this.go(Math.min(this.place, this.list.count - 1));
        else this.drawPlace();
    }

    /**
     * The video of what is shown may have come only now, or have gone.
     * @param {Photo | null} known
     */
    renewLive(known) {
        const { photo } = this;
        if (!known || !photo || known.id !== photo.id || known.live?.id === photo.live?.id) return;
        photo.live = known.live;
        if (this.isLive) this.playLive(false);
        else this.setLive(false);
    }

    /**
     * Another device may have given it one.
     * @param {Photo | null} known
     */
    renewHeart(known) {
        if (!known || known.id !== this.photo?.id) return;
        this.photo.favourite = known.favourite;
        this.drawHeart();
    }

    drawPlace() {
        const { photo, place } = this;
        this.stage.beside.set(this.list.at(place - 1), this.list.at(place + 1));
        setText(this.when, photo && !this.isComing ? whenWords(photo) : t("tile.loading"));
        const isSeen = photo?.place && preference("place", "shown") === "shown" && !this.isComing
            // The details have it more exactly.
            && this.facts.element.hidden;
        setText(this.where, [isSeen && photo.place ? placeWords(photo.place, 2) : null,
            t("viewer.at", { at: place + 1, n: this.list.count })].filter(Boolean).join(" · "));
        this.withdraw(this.previous, "disabled", place <= 0);
        this.withdraw(this.next, "disabled", place >= this.list.count - 1);
    }

    /**
     * Keys come only while something here has the focus: from a button that goes the picture takes it over.
     * @param {HTMLElement & {disabled?: boolean}} button
     * @param {"hidden" | "disabled"} attribute
     * @param {boolean} isGone
     */
    withdraw(button, attribute, isGone) {
        if (isGone && button === document.activeElement) this.stage.element.focus();
        button[attribute] = isGone;
    }

    /** @param {number} by */
    step(by) { this.go(this.place + by); }

    /**
     * Deletes or restores what is shown and goes on with its neighbour.
     * @param {(photo: Photo) => Promise<boolean>} run
     */
    async leave(run) {
        const { photo } = this;
        if (!photo || !await run(photo)) return;
        this.photo = null;
        // Where it was last, in a list that may have moved since it was asked for.
        if (this.list.count > 0) this.go(Math.min(this.place, this.list.count - 1));
        else this.close();
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
        if (this.shown) downloadPhoto(this.shown);
    }

    share() {
        if (this.shown) this.onShare(this.shown);
    }

    drawZoom() {
        const { zoom } = this.stage.gestures;
        const isPicture = Boolean(this.stage.frame.querySelector("img"));
        this.withdraw(this.nearer, "disabled", !isPicture || isNearest(zoom));
        this.withdraw(this.farther, "disabled", !isPicture || isFitted(zoom));
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

    close() {
        this.noteLeft();
        this.dialog.close();
    }

    /** Where its picture is, as long as it is seen. */
    noteLeft() { this.left = this.isComing ? null : this.stage.bounds; }

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
