// Photos that go to an album with their upload: the host joins them, but for those whose upload it had finished before. So
// all of them are named once more when the queue is through.
import { attempted } from "./attempted.js";
import { addByName } from "./album-requests.js";

export class AlbumJoining {
    /**
     * `onJoined()`: photos have come to albums.
     * @param {Uploads} uploads
     * @param {{signal: AbortSignal, onJoined: () => void}} options
     */
    constructor(uploads, { signal, onJoined }) {
        this.uploads = uploads;
        this.onJoined = onJoined;
        /**
         * The name of an album → ids.
         * @type {Map<string, string[]>}
         */
        this.waiting = new Map();
        uploads.addEventListener("saved", ({ detail }) => this.note(detail.item), { signal });
        uploads.addEventListener("finished", () => this.join(), { signal });
    }

    /** @param {Item} item */
    note({ album, photo }) {
        if (album === null || photo === null) return;
        const ids = this.waiting.get(album) ?? [];
        this.waiting.set(album, ids);
        ids.push(photo);
    }

    /** Those that are saved by now. */
    async join() {
        if (this.waiting.size === 0) return;
        const ready = [...this.waiting];
        this.waiting.clear();
        for (const [album, ids] of ready) await attempted(() => addByName(album, ids));
        this.onJoined();
    }
}
