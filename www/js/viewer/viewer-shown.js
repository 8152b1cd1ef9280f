// Which photo of its list the viewer shows, and what stands around it: its time, place, caption, heart and video.
import * as api from "../base/api.js";
import { keepAwake, later, preference, steppedBack } from "../base/browser.js";
import { canShare, clipOf } from "../photos/photo-words.js";
import { setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { placeWords, whenWords } from "./viewer-facts.js";
import { isFitted, isNearest } from "./viewer-gestures.js";
import { hasLargePicture, wholePicture } from "./viewer-pictures.js";

/** Milliseconds for which a photo is looked at before more is asked of it than the list knows. */
const pause = 300;

export class Shown {
    /** @type {HTMLElement} */ when;
    /** @type {HTMLElement} */ where;
    /** Those of places, where it has them.
     * @type {PlaceNames | null} */
    names = null;
    /** @type {HTMLElement} */ caption;
    /** @type {HTMLButtonElement} */ nearer;
    /** @type {HTMLButtonElement} */ farther;
    /** @type {HTMLButtonElement} */ previous;
    /** @type {HTMLButtonElement} */ next;
    /** @type {HTMLButtonElement | null} */ heart;
    /** @type {HTMLElement} */ liveWords;
    /** @type {HTMLButtonElement} */ live;
    /** @type {boolean | undefined} */ isLive;
    /** @type {boolean | undefined} */ isComing;
    /** @type {ReturnType<typeof setTimeout> | undefined} */ learning;
    /** @type {HTMLButtonElement | null | undefined} */ shareTool;
    /** @type {HTMLButtonElement | undefined} */ getTool;
    /** @type {HTMLButtonElement | undefined} */ cropTool;
    /** @type {(photo: Photo) => boolean} */ mayTake;
    /** @type {(work: () => Promise<unknown>) => Promise<boolean>} */ onAttempt;
    /** @type {() => void} */ onChanged;
    /** @type {HTMLDialogElement} */ dialog;
    /** @type {PhotoList} */ list;
    /** @type {string} */ kind;
    /** @type {number} */ place;
    isOldestFirst = false;
    /** @type {(photo: Photo) => void} */ onDownload;
    /** @type {((photo: Photo) => import("../elements/dialog.js").Choice) | undefined} */ onArchive;
    /** @type {ShowOrder} */ order = {};
    /** @type {import("./viewer-stage.js").Stage} */ stage;
    /** @type {import("./viewer-facts.js").Facts} */ facts;
    /** @type {Slideshow} */ slideshow;
    /** @type {Photo | null} */ photo = null;
    ahead = 0;
    /** @type {Bounds | null} */ left = null;
    listeners = new AbortController();

    /** The place that follows: after the last one the first. */
    get following() {
        const wished = this.order.next?.(this.list) ?? -1;
        if (wished >= 0) return wished;
        const count = Math.max(1, this.list.count);
        return (this.place + (this.isOldestFirst ? count - 1 : 1)) % count;
    }

    /** The file that is seen: of a Live Photo that plays, its video, unless that lies in the photo's own. */
    get shown() { return this.isLive && this.photo?.live ? this.photo.live : this.photo; }

    /** Shows what is at a place, as soon as it is here.
     * @param {number} place */
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
        const canTake = this.mayTake(photo);
        if (this.shareTool) this.shareTool.disabled = !canTake || !canShare([photo]);
        if (this.getTool) this.withdraw(this.getTool, "disabled", !canTake);
        if (this.cropTool) this.withdraw(this.cropTool, "disabled", !this.canCrop);
        this.facts.show(photo);
        this.drawHeart();
        this.drawCaption();
        this.learn(photo);
        this.order.onShown?.(photo);
        this.slideshow.turn();
    }

    /** What moves has no part that stands still. */
    get canCrop() {
        const { photo } = this;
        return this.kind === "photos" && photo !== null && hasLargePicture(photo) && photo.type !== "image/gif" && !photo.animated;
    }

    async crop() {
        const { photo } = this;
        if (!photo || !this.canCrop) return;
        this.slideshow.end();
        if (this.isLive) this.playLive(false);
        const [{ askCrop }] = await Promise.all([later("crop"), steppedBack()]);
        const edit = await askCrop(photo, () => wholePicture(photo, this.listeners.signal));
        if (edit !== undefined && this.photo === photo) await this.saveEdit(edit);
    }

    /** @param {Edit | null} edit */
    async saveEdit(edit) {
        const { photo } = this;
        if (!photo) return;
        const { saveEdit } = await later("changing");
        await this.onAttempt(() => saveEdit(photo, edit, () => {
            this.stage.renew(photo);
            this.onChanged();
        }));
    }

    async downloadPart() {
        const { photo } = this;
        if (!photo) return;
        const { downloadPart } = await later("crop");
        await this.onAttempt(async () => {
            const { signal } = this.listeners;
            const forget = await downloadPart(photo, signal);
            signal.addEventListener("abort", forget);
        });
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

    /** Something else is seen of it, or known: whether that can be enlarged. */
    drawSeen() { this.drawZoom(); }

    /** What has left the list by that, as it leaves an album, gives way to its neighbour.
     * @param {Photo} photo */
    goOnWithout(photo) {
        if (this.listeners.signal.aborted || this.photo !== photo || this.list.placeOf(photo.id) >= 0) return;
        this.photo = null;
        if (this.list.count > 0) this.go(Math.min(this.place, this.list.count - 1));
        else this.close();
    }

    /** Where it was taken, and when, and what is said of it, where the list does not know it: not while somebody hurries past.
     * @param {Photo} photo */
    learn(photo) {
        clearTimeout(this.learning);
        this.learning = setTimeout(async () => {
            const whole = await api.photo(photo.id, this.listeners.signal).catch(() => null);
            await this.names?.learn(whole?.place?.id);
            if (!whole || this.photo?.id !== photo.id) return;
            this.photo = Object.assign(this.photo, { takenAt: whole.takenAt, place: whole.place, caption: whole.caption, words: whole.words });
            this.drawPlace();
            this.drawCaption();
            this.drawSeen();
        }, pause);
    }

    /** The seconds of video that belong to a Live Photo, in its place.
     * @param {boolean} isPlaying */
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

    /** The video of what is shown may have come only now, or have gone.
     * @param {Photo | null} known */
    renewLive(known) {
        const { photo } = this;
        if (!known || !photo || known.id !== photo.id) return;
        photo.rawFile = known.rawFile;
        if (known.live?.id === photo.live?.id) return;
        photo.live = known.live;
        if (this.isLive) this.playLive(false);
        else this.setLive(false);
    }

    /** Another device may have given it one.
     * @param {Photo | null} known */
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
        // A long name gives way to the number.
        setText(this.where, [t("viewer.at", { at: place + 1, n: this.list.count }),
            isSeen && photo.place ? this.names?.wordsOf(photo.place) ?? placeWords(photo.place, 2) : null].filter(Boolean).join(" · "));
        this.withdraw(this.previous, "disabled", place <= 0);
        this.withdraw(this.next, "disabled", place >= this.list.count - 1);
    }

    drawZoom() {
        const { zoom } = this.stage.gestures;
        const isPicture = Boolean(this.stage.frame.querySelector("img"));
        this.withdraw(this.nearer, "disabled", !isPicture || isNearest(zoom));
        this.withdraw(this.farther, "disabled", !isPicture || isFitted(zoom));
    }

    /** Keys come only while something here has the focus: from a button that goes the picture takes it over.
     * @param {HTMLElement & {disabled?: boolean}} button @param {"hidden" | "disabled"} attribute
     * @param {boolean} isGone */
    withdraw(button, attribute, isGone) {
        if (isGone && button === document.activeElement) this.stage.element.focus();
        button[attribute] = isGone;
    }

    /** @param {number} by */
    step(by) { this.go(this.place + by); }

    /** Deletes or restores what is shown and goes on with its neighbour.
     * @param {(photo: Photo) => Promise<boolean>} run */
    async leave(run) {
        const { photo } = this;
        if (!photo || !await run(photo)) return;
        this.photo = null;
        // Where it was last, in a list that may have moved since it was asked for.
        if (this.list.count > 0) this.go(Math.min(this.place, this.list.count - 1));
        else this.close();
    }

    /** Where its picture is, as long as it is seen. */
    noteLeft() { this.left = this.isComing ? null : this.stage.bounds; }

    close() {
        this.noteLeft();
        this.dialog.close();
    }
}

// One photo after another by itself: each as long as somebody looks at one, a video to its end.

/** Milliseconds for which a photo is looked at, and for which the next one is waited for. */
const look = 5000;
const patience = 15_000;

/** Who has a say in what follows: `next(list)` gives its place, -1 for the neighbour; `onShown(photo)` hears what is shown.
 * `isHeld()` waits for what keeps the next one away, and is true where there was anything: then it is asked for again.
 * @typedef {{next?: (list: PhotoList) => number, onShown?: (photo: Photo) => void, isHeld?: () => Promise<boolean>}} ShowOrder */

/** @typedef {{shown: () => Promise<unknown>, video: () => HTMLVideoElement | null, next: () => Promise<unknown>,
 *     isHeld?: () => Promise<boolean>, onStep: () => void, onChange: (isOn: boolean) => void}} SlideshowOptions */

export class Slideshow {
    /** `shown()` resolves once what is shown is seen, and `next()` once what follows can be, or never will be; `video()` is
     * what plays, if that is one; `onStep()` goes on; `onChange(isOn)`: it has begun or ended.
     * @param {SlideshowOptions} options */
    constructor({ shown, video, next, isHeld = async () => false, onStep, onChange }) {
        this.isHeld = isHeld;
        this.shown = shown;
        this.video = video;
        this.next = next;
        this.onStep = onStep;
        this.onChange = onChange;
        this.isOn = false;
        this.waiting = new AbortController();
    }

    begin() {
        if (this.isOn) return;
        this.isOn = true;
        keepAwake(true, "slideshow");
        this.onChange(true);
        this.turn();
    }

    end() {
        if (!this.isOn) return;
        this.isOn = false;
        this.waiting.abort();
        keepAwake(false, "slideshow");
        this.onChange(false);
    }

    toggle() {
        if (this.isOn) this.end();
        else this.begin();
    }

    /** Another photo is shown, by itself or because somebody went on: its time begins. */
    turn() {
        this.waiting.abort();
        if (!this.isOn) return;
        this.waiting = new AbortController();
        this.stay(this.waiting.signal);
    }

    /** @param {AbortSignal} signal */
    async stay(signal) {
        await Promise.race([this.shown(), passed(patience, signal)]);
        if (signal.aborted) return;
        const video = this.video();
        if (!video || !await played(video, signal)) await passed(look, signal);
        await this.goOn(signal);
    }

    /** What follows is another one now, and nobody looks at what is shown to the end. */
    hurry() {
        if (!this.isOn) return;
        this.waiting.abort();
        this.waiting = new AbortController();
        this.goOn(this.waiting.signal);
    }

    /** @param {AbortSignal} signal */
    async goOn(signal) {
        do {
            await Promise.race([this.next(), passed(patience, signal)]);
        } while (!signal.aborted && await this.isHeld());
        if (!signal.aborted) this.onStep();
    }
}

/** @param {number} time @param {AbortSignal} signal @returns {Promise<void>} */
function passed(time, signal) {
    return new Promise((resolve) => {
        const timer = setTimeout(resolve, time);
        signal.addEventListener("abort", () => {
            clearTimeout(timer);
            resolve();
        });
    });
}

/** Plays a video from its beginning to its end; false where the browser does not play it. Where nobody has touched the page, it
 * does so without its sound alone. Who halts it looks at it longer.
 * @param {HTMLVideoElement} video @param {AbortSignal} signal @returns {Promise<boolean>} */
async function played(video, signal) {
    const ended = new Promise((resolve) => {
        for (const name of ["ended", "error"]) video.addEventListener(name, () => resolve(true), { once: true });
        signal.addEventListener("abort", () => resolve(true));
    });
    try {
        await video.play().catch(() => {
            video.muted = true;
            return video.play();
        });
    } catch {
        return signal.aborted;
    }
    await ended;
    return true;
}
