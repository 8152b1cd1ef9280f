// The albums of the vault that is open, as the host lists them: those that were used last come first.
import { Problem } from "../base/api.js";
import { albums } from "./album-requests.js";

/** Emits `change`. It outlives the screens, so that whoever comes back sees at once what was there. */
export class AlbumList extends EventTarget {
    /** @type {Promise<void> | null} */
    refreshing = null;

    /** @param {{isGuest: boolean}} options */
    constructor({ isGuest }) {
        super();
        /** Without a vault there are none. */
        this.isGuest = isGuest;
        /** @type {Album[]} */
        this.albums = [];
        this.isLoaded = isGuest;
        /** @type {unknown} */
        this.error = null;
    }

    dispose() {
        this.isDisposed = true;
        this.albums = [];
    }

    /**
     * One question at a time; what was asked for meanwhile is asked for once more.
     * @returns {Promise<void>}
     */
    refresh() {
        this.isStale = true;
        this.refreshing ??= this.fetch().finally(() => { this.refreshing = null; });
        return this.refreshing;
    }

    async fetch() {
        while (this.isStale && !this.isDisposed && !this.isGuest) {
            this.isStale = false;
            try {
                const known = await albums();
                if (this.isDisposed) return;
                this.albums = known;
                this.isLoaded = true;
                this.error = null;
            } catch (error) {
                this.error = error instanceof Problem && error.status === 401 ? null : error;
            }
            this.dispatchEvent(new Event("change"));
        }
    }
}
