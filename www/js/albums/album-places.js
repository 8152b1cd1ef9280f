// Where albums have their addresses in the page. The browser keeps addresses in its history, on the disk: an album's id
// stays out of them, since it would tell whoever reads them that a vault has this album.
import { base64URL } from "../base/api.js";

const beginning = "#/album/";

/** Names that hold for this page only: after a reload nobody knows them, and the wall is shown. */
export class AlbumPlaces {
    constructor() {
        /** @type {Map<string, Album>} */
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

    /**
     * The album of an address; null where it is none, or of another page.
     * @param {string} address
     * @returns {Album | null}
     */
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
