// Thumbnails that were fetched, as addresses for the page: a bounded number, and none after the vault is locked.

const mostPictures = 400;
const mostBytes = 32_000_000;

export class PictureStore {
    constructor() {
        /** @type {Map<string, {address: string, size: number, isRough: boolean}>} */
        this.kept = new Map();
        this.byteCount = 0;
    }

    /**
     * The address of a photo's thumbnail; null when it is not here.
     * @param {string} id
     * @returns {string | null}
     */
    get(id) {
        const found = this.kept.get(id);
        if (!found) return null;
        // The last one used is the last to go.
        this.kept.delete(id);
        this.kept.set(id, found);
        return found.address;
    }

    /**
     * True of one that another should take the place of.
     * @param {string} id
     * @returns {boolean}
     */
    isRough(id) { return this.kept.get(id)?.isRough ?? false; }

    /**
     * @param {string} id
     * @param {Blob} blob
     * @param {{isRough?: boolean}} options
     * @returns {string}
     */
    put(id, blob, { isRough = false } = {}) {
        this.drop(id);
        const address = URL.createObjectURL(blob);
        this.kept.set(id, { address, size: blob.size, isRough });
        this.byteCount += blob.size;
        for (const oldest of this.kept.keys()) {
            if (this.kept.size <= mostPictures && this.byteCount <= mostBytes) break;
            this.drop(oldest);
        }
        return address;
    }

    /**
     * True where there is one under that name.
     * @param {string} from
     * @param {string} to
     * @returns {boolean}
     */
    rename(from, to) {
        const found = this.kept.get(from);
        if (found && !this.kept.has(to)) {
            this.kept.delete(from);
            this.kept.set(to, found);
        }
        return this.kept.has(to);
    }

    /** @param {string} id */
    drop(id) {
        const found = this.kept.get(id);
        if (!found) return;
        URL.revokeObjectURL(found.address);
        this.byteCount -= found.size;
        this.kept.delete(id);
    }

    clear() {
        for (const id of [...this.kept.keys()]) this.drop(id);
    }
}
