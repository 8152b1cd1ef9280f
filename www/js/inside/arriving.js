// What comes in: the ways for files, and photos that were chosen here and that the host does not list yet.
import { day, lengths } from "../files/civil-time.js";
import { platformOf } from "../base/browser.js";
import { el, icon, Slice, turn } from "../base/dom.js";
import { openSheet } from "../elements/dialog.js";
import { t } from "../base/i18n.js";
import { isWanted, readDrop } from "../files/drop.js";

// Ways for files to come in: two or three choices in a sheet, a drop anywhere, a paste.

/** Hidden inputs that live as long as the shell; `onFiles` gets a non-empty array, and the paths that
 * were dropped with it and cannot be read, which `onUnread` gets, too. */
export class Adding {
    /** @type {import("../elements/dialog.js").Sheet | null | undefined} */ preparing;
    /** @type {AbortController | undefined} */ expecting;
    /** @type {ReturnType<typeof setTimeout> | undefined} */ waiting;

    /** @param {{onFiles: (files: File[], unread: string[]) => void, onUnread: (paths: string[]) => void, isGuest?: boolean}} options */
    constructor({ onFiles, onUnread, isGuest = false }) {
        this.onFiles = onFiles;
        this.onUnread = onUnread;
        this.title = t(isGuest ? "add" : "add.title");
        this.photos = this.input("add-photos", { accept: "image/*,video/*" });
        this.files = this.input("add-files", {});
        this.folder = this.input("add-folder", { webkitdirectory: true });
        this.element = el("div", { hidden: true }, this.photos, this.files, this.folder);
        this.overlay = el("div", { class: "drop-here", hidden: true }, el("p", {}, t(isGuest ? "add.dropHere" : "add.drop")));
        this.listeners = new AbortController();
        this.listen(this.listeners.signal);
    }

    dispose() {
        this.listeners.abort();
        this.preparing?.close();
    }

    /** @param {string} id @param {import("../base/dom.js").Attributes} attributes */
    input(id, attributes) {
        const input = el("input", { id, type: "file", multiple: true, tabindex: "-1", ...attributes });
        const arrived = () => {
            this.stopPreparing();
            const files = [...(input.files ?? [])].filter((file) => !input.webkitdirectory || isWanted(file));
            input.value = "";
            if (files.length > 0) this.hand(files);
        };
        input.addEventListener("change", arrived);
        input.addEventListener("cancel", () => this.stopPreparing());
        return input;
    }

    /** Also where this part of the page has gone meanwhile: nothing that was chosen is lost.
     * @param {File[]} files @param {string[]} [unread] */
    async hand(files, unread = []) {
        await measure(files);
        this.onFiles(files, unread);
    }

    /** The sheet with the choices; the folder only where there is room and the browser can. `album`: where all of it goes, and
     * what leads to the photos that are here already.
     * @param {{name: string, onVault: () => void} | null} [album] */
    choose(album = null) {
        const pick = (/** @type {HTMLInputElement} */ input) => {
            sheet.close();
            this.pick(input);
        };
        const sheet = openSheet({
            title: album ? t("album.addHere", { name: album.name }) : this.title,
            content: [
                el("ul", { class: "choice" },
                    choice("photos", "add.photos", () => pick(this.photos)),
                    choice("file", "add.files", () => pick(this.files)),
                    "webkitdirectory" in this.folder
                        ? choice("folder", "add.folder", () => pick(this.folder), "only-wide") : null,
                    album ? choice("albums", "album.fromVault", () => {
                        sheet.close();
                        album.onVault();
                    }) : null),
                platformOf(navigator) === "ios" ? el("p", { class: "small" }, t("add.iphone")) : null,
            ],
        });
    }

    /** Straight to the device's own picker: of photos, unless said otherwise. */
    pick(input = this.photos) {
        input.click();
        this.expectPreparing();
    }

    /** A phone copies what was chosen before the page hears of it: say so when that takes more than a moment. */
    expectPreparing() {
        if (!matchMedia("(pointer: coarse)").matches) return;
        const back = () => {
            this.waiting = setTimeout(() => {
                this.preparing = openSheet({ title: t("add.preparing"), note: t("add.preparingNote"),
                    content: [el("progress", { "aria-label": t("add.preparing") })] });
            }, 1500);
        };
        this.stopPreparing();
        this.expecting = new AbortController();
        window.addEventListener("focus", back, { once: true, signal: this.expecting.signal });
    }

    stopPreparing() {
        clearTimeout(this.waiting);
        this.expecting?.abort();
        this.preparing?.close();
        this.preparing = null;
    }

    /** @param {AbortSignal} signal */
    listen(signal) {
        let depth = 0;
        /** @param {DragEvent} event */
        const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
        /** @param {boolean} shown */
        const showOverlay = (shown) => { this.overlay.hidden = !shown; };
        window.addEventListener("dragenter", (event) => {
            if (!carriesFiles(event)) return;
            depth += 1;
            showOverlay(true);
        }, { signal });
        window.addEventListener("dragleave", (event) => {
            if (!carriesFiles(event)) return;
            depth = Math.max(0, depth - 1);
            if (depth === 0) showOverlay(false);
        }, { signal });
        /** @param {DragEvent} event */
        const allow = (event) => { if (carriesFiles(event)) event.preventDefault(); };
        window.addEventListener("dragover", allow, { signal });
        window.addEventListener("drop", async (event) => {
            if (!carriesFiles(event)) return;
            event.preventDefault();
            depth = 0;
            showOverlay(false);
            const { files, unread } = await readDrop(/** @type {DataTransfer} */ (event.dataTransfer));
            if (files.length > 0) this.hand(files, unread);
            if (unread.length > 0 && !signal.aborted) this.onUnread(unread);
        }, { signal });
        window.addEventListener("paste", (event) => {
            const files = [...(/** @type {ClipboardEvent} */ (event).clipboardData?.files ?? [])];
            if (files.length > 0) this.hand(files);
        }, { signal });
    }
}

/** @param {string} name @param {string} key @param {() => void} run @param {string} [classes] */
function choice(name, key, run, classes = "") {
    return el("li", { class: classes }, el("button", { type: "button", onclick: run }, icon(name),
        el("span", {}, el("strong", {}, t(key)), el("span", { class: "small" }, t(`${key}Note`))),
        icon("right", "is-small")));
}

/** Browsers look at the disk when a file is asked for its size for the first time: of hundreds, that takes longer than a frame.
 * @param {File[]} files */
async function measure(files) {
    let slice = new Slice();
    for (const { size } of files) {
        if (size < 0 || !slice.isOver) continue;
        await turn();
        slice = new Slice();
    }
}

/** Milliseconds between two looks at what there is, while files are chosen, sent and left out. */
const pause = 200;
/** Milliseconds for which photos wait for the dates of all others: a month that comes late would move those that are seen. */
const patience = 10_000;
/** What the host takes for a companion of a photo; one that has none comes with the host's list. */
const sidecar = /\.(aae|xmp|json)$/i;

/** `{item, wall, turn, month, photo}` for each; emits `change`, `saved` (detail: one of them), `missed` (detail: the host's `id`
 * of one that was saved before any look, and what makes its picture) and, when some were saved since the last look, `marks`.
 * `photo` stays the same object until the host lists it. */
export class Arriving extends EventTarget {
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */ timer;
    /** @type {boolean | undefined} */ hasSaved;
    /** Until when those whose dates are known wait for the others; null while nobody waits.
     * @type {number | null} */
    until = null;
    patience = patience;
    isWaiting = false;

    /** @param {Uploads} uploads
     * @param {{signal: AbortSignal, now?: () => number}} options `now` gives milliseconds */
    constructor(uploads, { signal, now = () => performance.now() }) {
        super();
        this.uploads = uploads;
        this.now = now;
        /** @type {Arrival[]} */
        this.list = [];
        this.pause = pause;
        /** @type {Map<Item, Arrival>} */
        this.known = new Map();
        for (const name of ["change", "dated"]) uploads.addEventListener(name, () => this.lookSoon(), { signal });
        uploads.addEventListener("saved", ({ detail }) => this.noteSaved(detail.item), { signal });
        signal.addEventListener("abort", () => clearTimeout(this.timer));
        this.look();
    }

    /** @param {Item} item */
    noteSaved(item) {
        const one = this.known.get(item);
        // A host that was faster than the next look lists it at once.
        if (!one) {
            this.dispatchEvent(new CustomEvent("missed", { detail: { photo: maker(item, this.uploads), id: item.photo } }));
            return;
        }
        this.hasSaved = true;
        this.dispatchEvent(new CustomEvent("saved", { detail: one }));
    }

    lookSoon() {
        this.timer ??= setTimeout(() => {
            this.timer = null;
            const began = this.now();
            this.look();
            // Thousands of files take their time: never more than a small part of all.
            this.pause = Math.max(pause, 20 * (this.now() - began));
        }, this.pause);
    }

    /** Where reading takes long, what is known by then is shown, and the rest waits twice as long for each other. */
    waits() {
        const now = this.now();
        if (!this.uploads.isReadingDates) {
            this.until = null;
            this.patience = patience;
            return false;
        }
        this.until ??= now + this.patience;
        if (now < this.until) return true;
        this.patience *= 2;
        this.until = now + this.patience;
        return false;
    }

    look() {
        const { uploads, known } = this;
        /** @type {Map<Item, Arrival>} */ const now = new Map();
        const isWaiting = this.waits();
        let isChanged = isWaiting !== this.isWaiting;
        this.isWaiting = isWaiting;
        /** @type {Map<string, Partial<CivilTime>>} */ const stills = new Map();
        for (const { rank, name, taken } of this.items()) if (rank === 0 && taken) stills.set(stemOf(name), taken);
        for (const item of this.items()) {
            if (!item.taken || item.space !== uploads.space || sidecar.test(item.name) || isMovingPart(item, stills)) continue;
            const one = known.get(item) ?? made(item, uploads);
            isChanged ||= one.isHeld && !isWaiting;
            one.isHeld &&= isWaiting;
            one.turn = now.size;
            now.set(item, one);
        }
        const list = [...now.values()].filter(({ isListed, isHeld }) => !isListed && !isHeld);
        isChanged ||= list.length !== this.list.length;
        this.known = now;
        if (isChanged) this.list = list;
        if (isChanged) this.dispatchEvent(new Event("change"));
        else if (this.hasSaved) this.dispatchEvent(new Event("marks"));
        this.hasSaved = false;
    }

    /** In the order in which the host gets them. */
    *items() {
        const { saved, uploading, waiting } = this.uploads.queue.states;
        for (const item of saved) if (item.photo && this.known.get(item)?.isListed === false) yield item;
        yield* uploading;
        yield* waiting;
    }

    /** The host lists them from now on.
     * @param {Arrival[]} gone */
    letGo(gone) {
        for (const one of gone) one.isListed = true;
        this.list = this.list.filter(({ isListed }) => !isListed);
    }
}

/** `wall` is when it was taken by the clock on the wall there, null where nobody knows: then it is as new as can be.
 * @param {Item} item @param {Uploads} uploads @returns {Arrival} */
function made(item, uploads) {
    const { name, size } = item;
    const { file, taken } = /** @type {{file: File, taken: Partial<CivilTime>}} */ (item);
    const { wall = null, precision = "moment" } = taken;
    const here = new Date();
    /** @param {number} milliseconds */
    const iso = (milliseconds) => new Date(milliseconds).toISOString().slice(0, -1);
    /** @type {Photo} */
    const photo = {
        ...maker(item, uploads), get isRough() { return item.isRough; }, name, size, type: file.type || typeOf(item), picture: "pending", item,
        // By the clock here, as the host tells it by its own.
        receivedAt: iso(here.getTime() - here.getTimezoneOffset() * 60_000),
        takenAt: wall === null ? undefined : iso(wall).slice(0, lengths[precision]),
        /** The host's id of it, once it is saved; and once it is listed. */
        get savedAs() { return item.photo; },
        listedAs: null,
    };
    return { item, wall, photo, isListed: false, isHeld: true, turn: 0, month: (photo.takenAt ?? photo.receivedAt).slice(0, 7).padEnd(7, "-01") };
}

/** What makes its picture on this device.
 * @param {Item} item @param {Uploads} uploads */
function maker(item, uploads) {
    const { file } = item;
    return {
        id: `arriving-${item.id}`,
        makePicture: () => uploads.pictureOf(item, file ?? undefined),
        get isRough() { return item.isRough; },
        leavePicture: () => uploads.pictures?.leave(item),
    };
}

/** @param {string} name */
const stemOf = (name) => name.replace(/\.[^.]*$/, "").toLowerCase();

/** A Live Photo has one place for both of its files.
 * @param {Item} item @param {Map<string, Partial<CivilTime>>} stills */
function isMovingPart({ rank, name, taken }, stills) {
    const still = rank === 2 ? stills.get(stemOf(name)) : null;
    return Math.abs((still?.wall ?? NaN) - (taken?.wall ?? NaN)) <= day;
}

/** Browsers that do not know a format say nothing of its type.
 * @param {Item} item */
const typeOf = ({ rank }) => ["image/", "application/octet-stream", "video/"][rank];
