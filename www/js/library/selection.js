// Which photos are picked. Emits `change`.
import * as api from "../base/api.js";
import { downloadAddress, downloadPhoto, el, icon } from "../base/dom.js";
import { host } from "../base/browser.js";
import { bytes, describe, t } from "../base/i18n.js";
import { confirm, openSheet, toast } from "../elements/dialog.js";
import { bytesOf, filesOf, idsOf } from "../photos/photo-words.js";

export class Selection extends EventTarget {
    /** @param {PhotoList} list */
    constructor(list) {
        super();
        this.list = list;
        this.isOn = false;
        /** @type {Map<string, Photo>} */
        this.picked = new Map();
        /** The last one touched.
         * @type {Photo | null} */
        this.anchor = null;
        /** Whether some are being fetched, to be picked then. */
        this.isComing = false;
    }

    /** @param {string} words */
    say(words) { toast(words); }

    get count() { return this.picked.size; }
    /** As the list knows them by now: the video of a Live Photo may have come after the photo was picked.
     * @returns {Photo[]} */
    get photos() { return [...this.picked.values()].map((photo) => this.known(photo)); }
    get byteCount() { return bytesOf(this.photos); }

    /** @param {string | undefined} id */
    has(id) { return id !== undefined && this.picked.has(id); }

    /** @param {Photo} photo */
    known(photo) {
        const known = this.list.at(this.list.placeOf(photo.id));
        return known?.id === photo.id ? known : photo;
    }

    /** @param {number | null} [place] */
    begin(place = null) {
        this.isOn = true;
        if (place !== null) this.toggle(place);
        else this.changed();
    }

    end() {
        this.isOn = false;
        this.picked.clear();
        this.anchor = null;
        this.changed();
    }

    /** @param {string[]} ids */
    drop(ids) {
        for (const id of ids) this.picked.delete(id);
        this.changed();
    }

    /** @param {number} place */
    toggle(place) {
        const photo = this.list.at(place);
        // What is still on its way can be asked for nothing yet.
        if (!photo || photo.item) return;
        if (!this.picked.delete(photo.id)) this.picked.set(photo.id, photo);
        this.anchor = photo;
        this.changed();
    }

    /** From the last one touched to this one, wherever both are by now.
     * @param {number} place */
    async extend(place) {
        const { anchor } = this;
        const target = this.list.at(place);
        if (!anchor) this.toggle(place);
        else if (target && !target.item) await this.add(this.range(anchor, target));
    }

    /** Both ends are told by who they are: the list may move while they are looked for.
     * @param {Photo} anchor @param {Photo} target @returns {Promise<Photo[]>} */
    async range(anchor, target) {
        const known = this.list.placeOf(anchor.id);
        const from = known >= 0 ? known : await this.list.find(anchor);
        const to = this.list.placeOf(target.id);
        if (from < 0 || to < 0) {
            this.say(t("pick.moved"));
            return [target];
        }
        const { sections } = this.list;
        const photos = await this.list.between(Math.min(from, to), Math.max(from, to) + 1);
        if (isMoved(sections, this.list.sections)) this.say(t("pick.moved"));
        return photos;
    }

    all() { return this.add(this.list.all()); }

    /** All those that are not picked, and none that is. */
    async invert() {
        const before = new Set(this.picked.keys());
        await this.fetch(this.list.all(), (photos) => {
            this.picked = new Map(photos.filter(({ id }) => !before.has(id)).map((photo) => [photo.id, photo]));
        });
    }

    /** Those of a month or a day: all of them, or none where all are picked. `isOne` says which of them are meant.
     * @param {number} from @param {number} to @param {(photo: Photo) => boolean} [isOne] */
    async toggleRange(from, to, isOne = () => true) {
        const coming = this.list.between(from, to);
        if (!this.isOn) this.begin();
        const photos = (await this.come(coming))?.filter(isOne);
        if (!photos || !this.isOn) return;
        const isWhole = photos.length > 0 && photos.every(({ id }) => this.picked.has(id));
        for (const photo of photos) {
            if (isWhole) this.picked.delete(photo.id);
            else this.picked.set(photo.id, photo);
        }
        this.changed();
    }

    /** @param {Promise<Photo[]>} coming */
    add(coming) {
        return this.fetch(coming, (photos) => { for (const photo of photos) this.picked.set(photo.id, photo); });
    }

    /** What is fetched first may come when nobody is picking any more.
     * @param {Promise<Photo[]>} coming @param {(photos: Photo[]) => void} take */
    async fetch(coming, take) {
        if (!this.isOn) this.begin();
        this.isComing = true;
        this.changed();
        const photos = await this.come(coming);
        this.isComing = false;
        if (!this.isOn) return;
        if (photos) take(photos);
        this.changed();
    }

    /** What could not be fetched is said: nobody is to take a part for the whole. Null then.
     * @param {Promise<Photo[]>} coming @returns {Promise<Photo[] | null>} */
    async come(coming) {
        try {
            return await coming;
        } catch (error) {
            this.say(describe(error));
            return null;
        }
    }

    /** While one draws over photos, from one to the other: what was picked before, and those between. What is not here
     * yet comes later, unless somebody has drawn on. Resolves when it has.
     * @param {Map<string, Photo>} before @param {number} from @param {number} to */
    async paint(before, from, to) {
        const stroke = {};
        this.stroke = stroke;
        const [begin, end] = [Math.min(from, to), Math.max(from, to) + 1];
        this.picked = new Map(before);
        let isWhole = true;
        for (let place = begin; place < end; place += 1) {
            const photo = this.list.at(place);
            if (photo && !photo.item) this.picked.set(photo.id, photo);
            isWhole &&= photo !== null;
        }
        this.changed();
        if (isWhole) return;
        const photos = await this.come(this.list.between(begin, end));
        if (!this.isOn || this.stroke !== stroke) return;
        for (const photo of photos ?? []) this.picked.set(photo.id, photo);
        this.changed();
    }

    changed() { this.dispatchEvent(new Event("change")); }
}

/** Whether photos stand elsewhere than they did: their number alone says so of a month.
 * @param {Section[]} before @param {Section[]} now */
function isMoved(before, now) {
    /** @param {(Section & {total?: number})[]} sections */
    const words = (sections) => sections.map(({ key, total, count }) => `${key} ${total ?? count}`).join();
    return words(before) !== words(now);
}

// What needs a vault. A guest who asks for it opens one in place, and then it runs by itself.

/** An action has `title`, why a vault is needed, `run()`, which may throw, and `done`, what is said then. It names photos
 * by the ids it was made with: the host goes on to know a guest's ids in the session into which the guest moved.
 * @param {string[]} ids @param {number} n @returns {Action} */
function archiveOf(ids, n) {
    return {
        title: t("need.archive", { n }),
        done: t("need.archiveDone", { n }),
        run: async () => downloadAddress((await api.makeArchive(ids)).address),
    };
}

// Deleting, putting back and downloading, with the questions before and the words after.

/** True when `work` was done; what went wrong is said.
 * @param {() => unknown} work @returns {Promise<boolean>} */
export async function attempt(work) {
    try {
        await work();
        return true;
    } catch (error) {
        // What the banner about the connection, or the door, says by itself is not said twice.
        const isSaid = error instanceof api.Unreachable || (error instanceof api.Problem && api.meansSessionEnd(error));
        if (!isSaid) toast(describe(error));
        return false;
    }
}

/** The raw files among them that go with a picture.
 * @param {Photo[]} photos @returns {Photo[]} */
export const rawFilesOf = (photos) => photos.flatMap(({ rawFile }) => (rawFile ? filesOf([rawFile]) : []));

/** @param {Photo[]} photos */
const deleteWords = (photos) => t("delete.note", { n: host.trashDays, size: bytes(bytesOf(photos)) });

/** Which files of photos are meant, some of which are shots with a raw file beside the picture: all of them, or those of one kind;
 * null where nobody chose. The others are not asked about.
 * @param {Photo[]} photos @param {{title: string, note?: string, sign: string}} options
 * @returns {Promise<Photo[] | null>} */
async function askFiles(photos, { title, note, sign }) {
    const [files, raws] = [filesOf(photos), new Set(rawFilesOf(photos))];
    if (raws.size === 0) return files;
    const [pictures, n] = [files.filter((file) => !raws.has(file)), photos.length];
    const parts = [{ key: "shot.both", files }, { key: "shot.pictures", files: pictures }, { key: "shot.raws", files: [...raws] }];
    const list = el("ul", { class: "choice is-plain" }, ...parts.map((part) => el("li", {},
        el("button", { type: "button", onclick: () => sheet.close(part.files) }, icon(sign), el("span", {}, el("strong", {}, t(part.key, { n })),
            el("span", { class: "small figures" }, bytes(part.files.reduce((sum, { size }) => sum + size, 0))))))));
    const sheet = openSheet({ title, note, content: [list] });
    return (await sheet.closed) ?? null;
}

/** Asks, then moves to "Recently deleted"; true when it was done. `onChange(ids)` takes them from the list, or null.
 * @param {Photo[]} photos @param {(ids: string[] | null) => void} onChange @returns {Promise<boolean>} */
export async function remove(photos, onChange) {
    const n = photos.length;
    const words = { title: t("delete.title", { n }), note: deleteWords(photos) };
    const hasRaws = rawFilesOf(photos).length > 0;
    const sure = n > 0 && (hasRaws || await confirm({ ...words, action: t("delete.action", { n }), danger: true }));
    const files = sure && await askFiles(photos, { ...words, sign: "bin" });
    if (!files) return false;
    return attempt(async () => {
        const ids = files.map(({ id }) => id);
        await api.moveToTrash(ids);
        onChange(ids);
        toast(t("delete.done", { n }), { action: t("undo"), run: () => restore(ids, n, () => onChange(null)) });
    });
}

/** True when they were put back.
 * @param {Photo[]} photos @param {(ids: string[]) => void} onChange @returns {Promise<boolean>} */
export const putBack = (photos, onChange) => restore(idsOf(photos), photos.length, onChange);

/** @param {string[]} ids @param {number} n @param {(ids: string[]) => void} onChange */
function restore(ids, n, onChange) {
    return attempt(async () => {
        await api.restore(ids);
        onChange(ids);
        toast(t("restore.done", { n }));
    });
}

/** Asks, then deletes what lies in "Recently deleted" for good: `photos`, or all of it.
 * @param {Photo[]} photos @param {{isAll?: boolean, onChange: (ids: string[]) => void}} options
 * @returns {Promise<boolean>} */
export async function deleteForGood(photos, { isAll = false, onChange }) {
    const n = photos.length;
    const sure = n > 0 && await confirm({
        title: t("deleted.emptyTitle", { n }), note: t(isAll ? "deleted.emptyNote" : "deleted.goodNote",
            { size: bytes(bytesOf(photos)) }), action: t("deleted.emptyAction"), danger: true,
    });
    if (!sure) return false;
    return attempt(async () => {
        const { count, pending } = isAll ? await emptyTrash() : await api.deleteForGood(idsOf(photos));
        onChange(idsOf(photos));
        toast(t(pending ? "deleted.pending" : "deleted.emptied", { n: count }));
    });
}

/** So many files come one by one; more as one archive. */
const mostOneByOne = 5;
/** Milliseconds between two of them: a browser that is led on at once forgets the one before. */
const pauseBetween = 400;

/** A few files one by one, many as one archive, which needs a vault. True when it has begun here and now.
 * @param {Photo[]} photos @param {(action: Action) => Promise<boolean>} perform @returns {Promise<boolean>} */
export async function download(photos, perform) {
    const files = await askFiles(photos, { title: t("shot.download", { n: photos.length }), sign: "download" });
    if (!files) return false;
    if (files.length > mostOneByOne) {
        let isBegun = false;
        await attempt(async () => { isBegun = await perform(archiveOf(files.map(({ id }) => id), photos.length)); });
        return isBegun;
    }
    for (const [index, file] of files.entries()) {
        if (index > 0) await new Promise((resolve) => { setTimeout(resolve, pauseBetween); });
        downloadPhoto(file);
    }
    return true;
}

/** What is looked at: that file alone, unless it is a shot of which there is a raw file, too.
 * @param {Photo} photo @param {(action: Action) => Promise<boolean>} perform */
export async function downloadShown(photo, perform) {
    if (photo.rawFile) await download([photo], perform);
    else downloadPhoto(photo);
}

/** Takes as long as all that lies there takes. */
const emptyTrash = () => api.request("DELETE", "/api/trash", undefined, { patience: Infinity });
