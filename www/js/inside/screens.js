// The screens of what is open by their addresses, with their lists and where somebody was in each.
import { describe, percent, t } from "../base/i18n.js";
import { onTabs, preference, steppedBack, tellTabs } from "../base/browser.js";
import { Results, ThisDay } from "./notices.js";
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { part } from "../base/parts.js";
import { toast } from "../elements/dialog.js";
import { backLink, screenHead } from "./shell.js";

/** @typedef {import("../library/library.js").Library} Library */

/** `isThere` resolves once a screen is that comes later.
 * @typedef {InsideScreen & Partial<Omit<Library, keyof InsideScreen>> & {isThere?: Promise<void>}} Screen */

/** Of so many albums the lists are kept, with what was seen in them. */
const mostAlbumLists = 8;
/** @type {Record<string, string>} */
const screens = { "#/albums": "albums", "#/recent": "recent", "#/deleted": "deleted", "#/settings": "settings",
    "#/search": "results", "#/similar": "similar", "#/duplicates": "duplicates", "#/waiting": "waiting", "#/places": "places" };

export class Screens extends Results {
    /** @type {Map<string, {y: number, anchor: Anchor | null}>} */ places;
    /** @type {Screen | null | undefined} */ screen;
    /** Where somebody says what to look for.
     * @type {import("../search/search.js").SearchBar | null | undefined} */
    bar;
    /** @type {Map<string, PhotoList>} */ lists;
    /** @type {Parts["library"]} */ library;
    /** @type {Parts["search"]} */ search;
    /** @type {InstanceType<Parts["albums"]["AlbumList"]>} */ albumList;
    /** @type {InstanceType<Parts["albums"]["AlbumPlaces"]>} */ albumPlaces;
    /** @type {import("../search/search.js").Finding} */ finding;
    /** @type {PlaceNames} */ placeNames;
    /** @type {import("./arriving.js").Arriving} */ arriving;
    /** @type {import("../photos/pictures.js").Pictures} */ pictures;
    /** @type {number | null} */ share = null;

    /** @type {ThisDay | undefined} */ thisDay;

    /** @param {string} name @param {() => void} onOpen */
    notices(name, onOpen) {
        const notices = super.notices(name, onOpen);
        if (name !== "photos" || this.isGuest) return notices;
        this.thisDay ??= new ThisDay({ addressOf: (album) => this.albumPlaces.address(album) });
        this.thisDay.ask();
        return [...notices, this.thisDay.element];
    }

    /** What an address stands for: a screen, or the album of `album/…`. One of an album that nobody knows is all of them,
     * and what is like a photo that nobody knows are all photos.
     * @param {string} address */
    nameAt(address) {
        const name = screens[address] ?? "photos";
        if (!this.albums.isAlbum(address)) return name === "similar" && !this.finding.alike ? "photos" : name;
        return this.albumPlaces.at(address) ? address.slice(2) : "albums";
    }

    /** A screen begins anew.
     * @param {string} name */
    forgetList(name) {
        this.lists.get(name)?.dispose();
        this.lists.delete(name);
        this.places.delete(name);
    }

    /** @param {string} name @param {import("../library/library.js").Kind} kind @param {Album | null} album
     * @returns {PhotoList} */
    listOf(name, kind, album) {
        const known = this.lists.get(name) ?? this.library.makeList(kind, this.arriving, { album, finding: this.finding,
            onListed: (photo, id) => this.pictures.takeOver(photo, id) });
        // The last ones are those that were used last.
        this.lists.delete(name);
        this.lists.set(name, known);
        const ofAlbums = [...this.lists.keys()].filter((one) => this.albums.isAlbum(`#/${one}`));
        for (const old of ofAlbums.slice(0, Math.max(0, ofAlbums.length - mostAlbumLists))) {
            this.lists.get(old)?.dispose();
            this.lists.delete(old);
        }
        return known;
    }

    /** What a list shows where nothing is in it; undefined where that is said as of all photos.
     * @param {import("../library/library.js").Kind} kind */
    whenEmpty(kind) {
        const { bar } = this;
        if (bar) return () => bar.emptyState();
        if (kind === "place") return () => this.search.nothingHere("search.none");
        return kind === "similar" ? () => this.search.nothingHere("similar.none") : undefined;
    }

    /** Goes to an album by its id; where it is not known, to what came last.
     * @param {string | null} id */
    async showAlbum(id) {
        if (id !== null) await this.albumList.refresh();
        if (this.listeners.signal.aborted) return;
        const album = this.albumList.albums.find((one) => one.id === id);
        location.hash = album ? this.albumPlaces.address(album) : "#/recent";
    }

    /** As it is known now: the page may not have listed it yet. One that has gone is missed on the wall.
     * @param {{id: string}} album */
    async goToAlbum({ id }) {
        const [album] = await Promise.all([this.albums.albumById(id).catch(() => null), steppedBack()]);
        if (!this.listeners.signal.aborted) location.hash = album ? this.albumPlaces.address(album) : "#/albums";
    }

    forgetSearch() {
        this.finding.set("");
        this.forgetList("results");
    }

    /** The tab says how far an upload is, else where one is.
     * @param {number | null} [share] */
    setTitle(share = this.share) {
        this.share = share;
        const title = `${share === null ? this.screen?.title ?? "" : percent(share)} · Safelight`;
        if (document.title !== title) document.title = title;
    }

    /** Whoever comes back to a screen is where they were.
     * @param {{y: number, anchor: Anchor | null} | undefined} place */
    resume(place) {
        window.scrollTo(0, 0);
        if (!place) return;
        const { screen } = this;
        if (screen?.list) screen.resume?.(place);
        else if (screen?.isThere) screen.isThere.then(() => { if (this.screen === screen) window.scrollTo(0, place.y); });
        else window.scrollTo(0, place.y);
    }

    placesScreen() {
        return new LateScreen({ title: t("title.places"), back: "#/albums", make: async () => {
            const { PlaceWall } = await part("places");
            return new PlaceWall({ names: this.placeNames, albums: this.albums, pictures: this.pictures, isGuest: this.isGuest,
                addressOf: (/** @type {Album} */ album) => this.albumPlaces.address(album) });
        } });
    }

    /** Who has looked at what is like a photo comes back to that photo, where it is still listed.
     * @param {Photo} photo */
    reopen({ id }) {
        const place = this.screen?.list?.placeOf(id) ?? -1;
        if (place >= 0) this.screen?.open?.(place);
    }
}

/** A screen of a part that comes when somebody goes there: its head is there at once. */
class LateScreen {
    /** @type {(InsideScreen & {renew?: () => void}) | null} */ inner = null;
    isDisposed = false;

    /** @param {{title: string, back: string, make: () => Promise<InsideScreen>}} options */
    constructor({ title, back, make }) {
        this.title = title;
        const head = screenHead(title);
        head.prepend(backLink(back));
        this.element = el("div", { class: "library is-late" }, head);
        this.isThere = this.fill(make);
    }

    /** @param {() => Promise<InsideScreen>} make */
    async fill(make) {
        try {
            const inner = await make();
            if (this.isDisposed) inner.dispose();
            else this.element.append((this.inner = inner).element);
        } catch (error) {
            if (!this.isDisposed) toast(describe(error));
        }
    }

    /** What is listed has changed at the host. */
    renew() { this.inner?.renew?.(); }

    dispose() {
        this.isDisposed = true;
        this.inner?.dispose();
    }
}

// Locks the page when the host will have locked the vault: no photo stays on the screen of somebody who went away.

const keepAlive = 60_000;
/** Seconds before the lock in which it is counted down. */
const warned = 60;

/** Calls `onIdle` after `seconds` without a request. A person at work, here or in another tab, and an upload that moves
 * (`isBusy()`) keep the session alive. Returns a function that stops the watch.
 * @param {number} seconds @param {{isBusy: () => boolean, onIdle: () => void}} options @returns {() => void} */
export function watchIdle(seconds, { isBusy, onIdle }) {
    const listeners = new AbortController();
    const { signal } = listeners;
    const countdown = new Countdown(() => stay());
    const stay = () => {
        api.noteUse();
        countdown.hide();
        tellTabs("used");
        keepOpen();
    };
    // What the host has left right after a use is what it will grant after the next one.
    const keepOpen = async () => {
        try {
            seconds = (await api.stayOpen()).idleSeconds ?? seconds;
        } catch {
            // Without an answer the time that is known goes on; a session that is over has led to the door.
        }
    };
    const active = () => {
        if (api.sinceLastUse() >= Math.min(keepAlive, seconds * 250)) stay();
    };
    const check = () => {
        if (isBusy()) active();
        const left = Math.ceil(seconds - api.sinceLastUse() / 1000);
        if (left <= 0) onIdle();
        else if (left <= Math.min(warned, seconds - 1)) countdown.show(left);
        else countdown.hide();
    };
    const timer = setInterval(check, 1000);
    for (const name of ["pointerdown", "keydown", "scroll", "wheel"]) {
        window.addEventListener(name, active, { passive: true, signal });
    }
    // A tab in the background is woken seldom: what it shows first must not be a photo that should be gone.
    document.addEventListener("visibilitychange", check, { signal });
    onTabs("used", () => api.noteUse(), { signal });
    // The page may have been loaded long after the last use, which `seconds` then still counts from.
    keepOpen();
    return () => {
        clearInterval(timer);
        listeners.abort();
        countdown.hide();
    };
}

/** The last minute, for the eye; to the ear once. */
class Countdown {
    /** @type {HTMLElement} */ words;

    /** @param {() => void} onStay */
    constructor(onStay) {
        this.onStay = onStay;
        /** @type {HTMLElement | null} */
        this.element = null;
    }

    /** @param {number} left */
    show(left) {
        if (!this.element) {
            this.words = el("p");
            this.element = el("aside", { class: "toast is-idle" }, icon("clock", "is-small"), this.words,
                el("button", { class: "link", type: "button", onclick: () => this.onStay() }, t("idle.stay")));
            document.getElementById("notes").append(this.element);
            announce(t("idle.soon", { n: left }));
        }
        setText(this.words, t("idle.soon", { n: left }));
    }

    hide() {
        this.element?.remove();
        this.element = null;
    }
}

// What becomes of the photos on the screen when somebody leaves the page: they are veiled, and perhaps locked.

/** `stay`, `minute` or `once`, as the settings say. */
const chosenWhenLeft = () => preference("left", "stay");

const minute = 60_000;
/** Milliseconds for another tab of this browser, to which somebody goes, to say that it is looked at. */
const patience = 400;

/** Veils the page while it is hidden, so that the switcher of a phone shows no photo. `isVault`: it can be locked;
 * `isBusy()`: files are sent or wait, which a lock would keep from going on; `onLock()` locks. */
export class WhenLeft {
    /** @param {{signal: AbortSignal, isVault: boolean, isBusy: () => boolean, onLock: () => void}} options */
    constructor({ signal, isVault, isBusy, onLock }) {
        this.isVault = isVault;
        this.isBusy = isBusy;
        this.onLock = onLock;
        this.id = crypto.getRandomValues(new Uint32Array(2)).join();
        /** @type {number | null} */
        this.left = null;
        /** The other tabs of this browser that are looked at.
         * @type {Set<string>} */
        this.others = new Set();
        document.addEventListener("visibilitychange", () => this.changed(), { signal });
        window.addEventListener("pagehide", () => this.closing(), { signal });
        // A picker for files may be as large as the screen: who chooses has not left.
        document.addEventListener("click", ({ target }) => this.note(target), { signal, capture: true });
        for (const name of ["change", "cancel"]) {
            document.addEventListener(name, () => { this.isChoosing = false; }, { signal, capture: true });
        }
        onTabs("seen", (told) => this.hear(told), { signal });
        signal.addEventListener("abort", () => this.end());
        this.tell(true);
    }

    end() {
        clearTimeout(this.timer);
        document.body.classList.remove("is-veiled");
        tellTabs("seen", { id: this.id, isSeen: false });
    }

    /** @param {EventTarget | null} target */
    note(target) {
        if (target instanceof HTMLInputElement && target.type === "file") this.isChoosing = true;
    }

    /** @param {boolean} [isQuestion] */
    tell(isQuestion = false) {
        tellTabs("seen", { id: this.id, isQuestion, isSeen: document.visibilityState === "visible" });
    }

    /** @param {{id: string, isSeen: boolean, isQuestion?: boolean}} told */
    hear({ id, isSeen, isQuestion }) {
        if (isSeen) this.others.add(id);
        else this.others.delete(id);
        if (isQuestion) this.tell();
    }

    changed() {
        const isHidden = document.visibilityState === "hidden";
        document.body.classList.toggle("is-veiled", isHidden);
        this.tell();
        clearTimeout(this.timer);
        if (!isHidden) {
            const away = this.left === null ? 0 : Date.now() - this.left;
            this.left = null;
            this.isChoosing = false;
            // A phone may have let the page sleep.
            if (chosenWhenLeft() === "minute" && away >= minute) this.lock();
            return;
        }
        this.left = this.isChoosing ? null : Date.now();
        /** @type {number | undefined} */ const wait = { once: patience, minute }[chosenWhenLeft()];
        if (wait && this.left !== null) this.timer = setTimeout(() => this.lock(), wait);
    }

    get mayLock() {
        return this.isVault && !this.isChoosing && !this.isBusy() && this.others.size === 0;
    }

    lock() {
        if (this.mayLock) this.onLock();
    }

    /** No time is left for anything but the request itself. */
    closing() {
        if (chosenWhenLeft() === "once" && this.mayLock) api.lockWhileLeaving();
        tellTabs("seen", { id: this.id, isSeen: false });
    }
}
