// The screens of what is open by their addresses, with their lists and where somebody was in each.
import { percent } from "../base/i18n.js";
import { steppedBack } from "../base/browser.js";
import { Results } from "./notices.js";
import { ThisDay } from "./this-day.js";

/** @typedef {import("../library/library.js").Library} Library */

/** @typedef {InsideScreen & Partial<Omit<Library, keyof InsideScreen>>} Screen */

/** Of so many albums the lists are kept, with what was seen in them. */
const mostAlbumLists = 8;
/** @type {Record<string, string>} */
const screens = { "#/albums": "albums", "#/recent": "recent", "#/deleted": "deleted", "#/settings": "settings",
    "#/search": "results", "#/similar": "similar", "#/duplicates": "duplicates", "#/waiting": "waiting" };

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

    /** What a screen shows where nothing is listed; undefined where that is said as of all photos.
     * @param {string} name */
    whenEmpty(name) {
        const { bar } = this;
        if (bar) return () => bar.emptyState();
        return name === "similar" ? () => this.search.nothingAlike() : undefined;
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
        if (this.screen?.list) this.screen.resume?.(place);
        else window.scrollTo(0, place.y);
    }

    /** Who has looked at what is like a photo comes back to that photo, where it is still listed.
     * @param {Photo} photo */
    reopen({ id }) {
        const place = this.screen?.list?.placeOf(id) ?? -1;
        if (place >= 0) this.screen?.open?.(place);
    }
}
