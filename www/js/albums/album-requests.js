// Albums as the host has them: in which order they stand, and what it is asked about them.
import { base64URL, inParts, meansSessionEnd, mostIds, Problem, request, Unreachable } from "../base/api.js";
import { describe } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";

// In which order albums stand, and which stand within another one: their names say so, as "Alps / Day 1" does.

/** `placeID` is that of the place of which it has all photos.
 * @typedef {Album & {within?: string, wall?: string, albums?: number, placeID?: number}} Shelved */

/** The first is the one where nobody has chosen. */
export const orders = ["newest", "name", "hand"];

const mark = /\s+\/\s+/u;
const joint = " / ";
/** @param {string} text */
const keyOf = (text) => text.normalize("NFC").toLocaleLowerCase();

/** The name of an album, from the outermost to its own.
 * @param {string} name @returns {string[]} */
export function partsOf(name) {
    const parts = name.split(mark).filter(Boolean);
    return parts.length > 0 ? parts : [name];
}

/** Its own name: the last part.
 * @param {string} name */
export const ownNameOf = (name) => partsOf(name).at(-1) ?? name;

/** The path around it; empty for what is in none.
 * @param {string} name */
export const around = (name) => partsOf(name).slice(0, -1).join(joint);

/** What stands for it, and how that is shown.
 * @param {Album} album */
const coverOf = ({ cover, coverRotation, coverEdit }) => ({ cover, coverRotation, coverEdit });

/** Albums that have no name of their own stand first, whatever the order. `albums` are as the host lists them: what was used last
 * first.
 * @template {{name?: string, place?: number}} A @param {A[]} albums @param {string} order @returns {A[]} */
export function ordered(albums, order) {
    const [own, others] = [albums.filter(({ name }) => name === undefined), albums.filter(({ name }) => name !== undefined)];
    if (order === "name") {
        const { compare } = new Intl.Collator(undefined, { numeric: true });
        others.sort((one, other) => compare(one.name ?? "", other.name ?? ""));
    } else if (order === "hand") others.sort((one, other) => (one.place ?? Infinity) - (other.place ?? Infinity) || 0);
    return [...own, ...others];
}

/** What stands on one wall: albums of this level, and for those further in the one around them, with their number as `albums`
 * and itself as `within`. An album that holds others stands first among them.
 * @param {Album[]} albums @param {{order: string, within?: string}} options @returns {Shelved[]} */
export function shelved(albums, { order, within = "" }) {
    const depth = within ? partsOf(within).length : 0;
    /** @type {Map<string, Shelved>} */ const found = new Map();
    /** @type {Shelved[]} */ const holders = [];
    const listed = ordered(albums, order);
    /** @param {string[]} parts */
    const pathOf = (parts) => keyOf(parts.join(joint));
    const holding = new Set(listed.flatMap(({ name }) => {
        const parts = name === undefined ? [] : partsOf(name);
        return parts.slice(0, -1).map((_, index) => pathOf(parts.slice(0, index + 1)));
    }));
    for (const album of listed) {
        const parts = album.name === undefined ? null : partsOf(album.name);
        const path = parts ? pathOf(parts) : album.id;
        if (within && (!parts || pathOf(parts.slice(0, depth)) !== keyOf(within))) continue;
        if (within && path === keyOf(within)) {
            holders.push(album);
            continue;
        }
        if (!parts || (parts.length === depth + 1 && !holding.has(path))) {
            found.set(path, album);
            continue;
        }
        const shelf = parts.slice(0, depth + 1);
        const known = found.get(pathOf(shelf));
        const isInside = parts.length > depth + 1;
        if (known) {
            known.albums = (known.albums ?? 0) + (isInside ? 1 : 0);
            if (!known.cover) Object.assign(known, coverOf(album));
        } else {
            found.set(pathOf(shelf), { id: `within ${shelf.join(joint)}`, name: shelf.join(joint), within: shelf.join(joint), count: 0,
                isCoverChosen: false, ...coverOf(album), albums: isInside ? 1 : 0 });
        }
    }
    return [...holders, ...found.values()];
}

// What the host is asked.

/** @param {string} id @param {string} [rest] */
const addressOf = (id, rest = "") => `/api/albums/${encodeURIComponent(id)}${rest}`;

/** @returns {Promise<Album[]>} */
export const albums = async () => (await request("GET", "/api/albums")).albums;
/** @param {string} id @returns {Promise<Album>} */
export const album = (id) => request("GET", addressOf(id));
/** @param {string} id @param {{name?: string, cover?: string | null, behind?: string | null}} fields
 * @returns {Promise<Album>} */
export const change = (id, fields) => request("PATCH", addressOf(id), fields);
/** `withPhotos`: they go to "Recently deleted", too. Takes as long as their number takes.
 * @param {string} id @param {{withPhotos?: boolean}} options @returns {Promise<{count: number}>} */
export const remove = (id, { withPhotos = false } = {}) =>
    request("DELETE", addressOf(id, withPhotos ? "?photos=delete" : ""), undefined, { patience: Infinity });
/** One that was removed, as it was.
 * @param {string} id @returns {Promise<Album>} */
export const bringBack = (id) => request("POST", addressOf(id, "/restore"), undefined, { patience: Infinity });
/** The address of all of it as one file, which is called as the album.
 * @param {string} id @param {string} name @returns {Promise<string>} */
export const archive = async (id, name) => (await request("POST", "/api/archive", { albums: [id], favourites: name })).url;
/** How many have joined: those that were in it are not counted.
 * @param {string} id @param {string[]} ids */
export const add = async (id, ids) => (await inParts("POST", addressOf(id, "/photos"), ids)).count;
/** @param {string} id @param {string[]} ids */
export const leave = async (id, ids) => (await inParts("DELETE", addressOf(id, "/photos"), ids)).count;

/** @param {string} name @param {string[]} [ids] @returns {Promise<Album>} */
export async function make(name, ids = []) {
    const made = await request("POST", "/api/albums", { name, ids: ids.slice(0, mostIds) });
    if (ids.length > mostIds) await add(made.id, ids.slice(mostIds));
    return made;
}

/** The album of a name, made where there is none, with these photos in it, too.
 * @param {string} name @param {string[]} ids */
export async function addByName(name, ids) {
    try {
        await make(name, ids);
    } catch (error) {
        if (!(error instanceof Problem) || !error.album) throw error;
        await add(error.album, ids);
    }
}

// The albums of the vault that is open, as the host lists them: those that were used last come first.

/** Something that the host lists as a whole. Emits `change`. It outlives the screens, so that whoever comes back sees at once what
 * was there. */
export class Listed extends EventTarget {
    /** @type {Promise<void> | null} */ refreshing = null;
    isLoaded = false;
    isDisposed = false;
    isStale = false;
    /** @type {unknown} */
    error = null;

    dispose() { this.isDisposed = true; }

    /** A subclass asks the host, and gives what keeps the answer.
     * @returns {Promise<() => void>} */
    async ask() { return () => {}; }

    /** One question at a time; what was asked for meanwhile is asked for once more.
     * @returns {Promise<void>} */
    refresh() {
        this.isStale = true;
        this.refreshing ??= this.fetch().finally(() => { this.refreshing = null; });
        return this.refreshing;
    }

    async fetch() {
        while (this.isStale && !this.isDisposed) {
            this.isStale = false;
            try {
                const keep = await this.ask();
                if (this.isDisposed) return;
                keep();
                this.isLoaded = true;
                this.error = null;
            } catch (error) {
                this.error = error instanceof Problem && error.status === 401 ? null : error;
            }
            this.dispatchEvent(new Event("change"));
        }
    }
}

export class AlbumList extends Listed {
    /** @type {Album[]} */ albums = [];

    /** @param {{isGuest: boolean}} options */
    constructor({ isGuest }) {
        super();
        /** Without a vault there are none. */
        this.isGuest = isGuest;
        this.isLoaded = isGuest;
    }

    dispose() {
        super.dispose();
        this.albums = [];
    }

    /** Those that people have made, in their order by hand. */
    get byHand() { return ordered(this.albums.filter(({ name }) => name !== undefined), "hand"); }

    async ask() {
        const known = await albums();
        return () => { this.albums = known; };
    }

    async refresh() {
        if (!this.isGuest) await super.refresh();
    }
}

// What somebody asks for and may be refused: the reason is said where they look.

/** True when it was done; what went wrong is said, unless the banner about the connection or the door says it.
 * @param {() => unknown} work @returns {Promise<boolean>} */
export async function attempted(work) {
    try {
        await work();
        return true;
    } catch (error) {
        const isSaid = error instanceof Unreachable || (error instanceof Problem && meansSessionEnd(error));
        if (!isSaid) toast(describe(error));
        return false;
    }
}

// Where albums have their addresses in the page. The browser keeps addresses in its history, on the disk: an album's id
// stays out of them, since it would tell whoever reads them that a vault has this album.

const beginning = "#/album/";

/** Names that hold for this page only: after a reload nobody knows them, and the wall is shown. */
export class AlbumPlaces {
    constructor() {
        /** @type {Map<string, Shelved>} */
        this.albums = new Map();
        /** @type {Map<string, string>} */
        this.keys = new Map();
    }

    /** @param {Album} album */
    address(album) {
        const key = this.keys.get(album.id) ?? base64URL(crypto.getRandomValues(new Uint8Array(6)));
        this.keys.set(album.id, key);
        this.albums.set(key, album);
        return `${beginning}${key}`;
    }

    /** The album of an address; null where it is none, or of another page.
     * @param {string} address @returns {Shelved | null} */
    at(address) {
        return address.startsWith(beginning) ? this.albums.get(address.slice(beginning.length)) ?? null : null;
    }

    clear() {
        this.albums.clear();
        this.keys.clear();
    }
}

/** @param {string} address */
export const isAlbum = (address) => address.startsWith(beginning);
