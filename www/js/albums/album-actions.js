// What is done with albums, with the words and the ways back after it.
import { inParts } from "../base/api.js";
import { downloadAddress } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { chooseAction, toast } from "../elements/dialog.js";
import { idsOf } from "../photos/photo-words.js";
import { remember } from "../base/browser.js";
import { askAlbum, askDeletion, askName, isMade, nameOf } from "./album-dialogs.js";
import { addByName, attempted, ordered } from "./album-requests.js";
import * as requests from "./album-requests.js";

/** Asks for a name and makes an album of it, with `ids` in it. Gives the album, or null. `onMade` is waited for: what leads
 * to another screen is done before it is said; `onUndone()`: it is gone again.
 * @param {{ids?: string[], onMade?: (album: Album) => unknown, onUndone?: (album: Album) => unknown}} options
 * @returns {Promise<Album | null>} */
export async function newAlbum({ ids = [], onMade = () => {}, onUndone = onMade } = {}) {
    /** @type {Album | null} */ let made = null;
    await askName({ title: t("album.new"), action: t("album.make"),
        submit: async (name) => { made = await requests.make(name, ids); } });
    const album = /** @type {Album | null} */ (made);
    if (!album) return null;
    await onMade(album);
    sayMade(album, ids.length, onUndone);
    return album;
}

/** Resolves once the screen of an address is there: what is said then stays.
 * @param {string} address */
export async function goInto(address) {
    const isThere = new Promise((resolve) => { window.addEventListener("hashchange", resolve, { once: true }); });
    location.hash = address;
    await isThere;
}

/** What was made with so many photos in it can be taken back as it was: nothing else had it.
 * @param {Album} album @param {number} count @param {(album: Album) => unknown} onUndone */
export function sayMade(album, count, onUndone) {
    toast(count > 0 ? t("album.added", { n: count, name: nameOf(album) }) : t("album.made", { name: nameOf(album) }),
        undoing(async () => {
            await requests.remove(album.id);
            await onUndone(album);
        }));
}

/** @param {() => Promise<unknown>} work */
const undoing = (work) => ({ action: t("undo"), run: () => attempted(work) });

/** Asks for an album, or for the name of a new one, and puts photos into it. Of `inside`, the album that is looked at, they
 * can be taken out, and one of them be its cover. True when something was done.
 * @param {string[]} ids
 * @param {{pictures: Pictures, inside?: Album | null, isOne?: boolean, onChange?: () => void,
 *     onTakenOut?: () => void}} options
 * @returns {Promise<boolean>} */
export async function addToAlbum(ids, { pictures, inside = null, isOne = false, onChange = () => {}, onTakenOut = () => {} }) {
    /** @type {Album[]} */ let known = [];
    if (!await attempted(async () => { known = await requests.albums(); })) return false;
    const first = inside ? [{ icon: "minus", label: t("album.takeOut"), value: "out" },
        ...(isOne ? [{ icon: "photos", label: t("album.asCover"), value: "cover" }] : [])] : [];
    const chosen = await askAlbum({ title: t("album.addTo"), albums: known.filter(({ id }) => id !== inside?.id), pictures, first });
    if (chosen === "out" && inside) return takeOut(inside, ids, { onChange: onTakenOut, onBack: onChange });
    if (chosen === "cover" && inside) return setCover(inside, ids[0], onChange);
    if (chosen === "new") return await newAlbum({ ids, onMade: onChange }) !== null;
    if (chosen === null || typeof chosen === "string") return false;
    return attempted(async () => {
        const count = await requests.add(chosen.id, ids);
        onChange();
        sayAdded(chosen, ids, count, onChange);
    });
}

/** What was in it before is not taken out by going back, so that there is a way back only where nothing was.
 * @param {Album} album @param {string[]} ids @param {number} count @param {() => void} onChange */
export function sayAdded(album, ids, count, onChange) {
    const words = count === 0 ? t("album.hadAll", { name: nameOf(album) })
        : t("album.added", { n: count, name: nameOf(album) });
    toast(words, count === ids.length ? undoing(async () => {
        await requests.leave(album.id, ids);
        onChange();
    }) : {});
}

/** `onChange()` after they have left, `onBack()` where they came back.
 * @param {Album} album @param {string[]} ids @param {{onChange: () => void, onBack: () => void}} options
 * @returns {Promise<boolean>} */
export function takeOut(album, ids, { onChange, onBack }) {
    return attempted(async () => {
        const count = await requests.leave(album.id, ids);
        onChange();
        toast(t("album.tookOut", { n: count, name: nameOf(album) }), undoing(async () => {
            await requests.add(album.id, ids);
            onBack();
        }));
    });
}

/** @param {Album} album @param {string} id @param {() => void} onChange @returns {Promise<boolean>} */
export function setCover(album, id, onChange) {
    const before = album.isCoverChosen && album.cover ? album.cover : null;
    /** @param {string | null} cover */
    const set = async (cover) => {
        Object.assign(album, await requests.change(album.id, { cover }));
        onChange();
    };
    return attempted(async () => {
        await set(id);
        toast(t("album.coverSet"), undoing(() => set(before)));
    });
}

/** Asks for another name; true when it has one.
 * @param {Album} album @param {() => void} onChange @returns {Promise<boolean>} */
export async function renameAlbum(album, onChange) {
    const before = nameOf(album);
    /** @param {string} name */
    const rename = async (name) => {
        Object.assign(album, await requests.change(album.id, { name }));
        onChange();
    };
    const isDone = await askName({ title: t("album.rename"), action: t("album.renameAction"), name: before, submit: rename });
    if (isDone && nameOf(album) !== before) toast(t("album.renamed"), undoing(() => rename(before)));
    return isDone;
}

/** Puts an album behind another one in the order by hand; before all for null. `all` are all of them in that order.
 * @param {Album} album @param {Album | null} behind @param {{all: Album[], onMoved: () => unknown}} options */
export function moveAlbum(album, behind, { all, onMoved }) {
    const before = all[all.findIndex(({ id }) => id === album.id) - 1] ?? null;
    /** @param {Album | null} other */
    const move = async (other) => {
        await requests.change(album.id, { behind: other?.id ?? null });
        await onMoved();
    };
    return attempted(async () => {
        await move(behind);
        toast(t("album.moved", { name: nameOf(album) }), undoing(() => move(before)));
    });
}

/** Asks behind which album one is to stand.
 * @param {Album} album @param {{pictures: Pictures}} options */
export async function chooseMove(album, { pictures }) {
    /** @type {Album[]} */ let all = [];
    if (!await attempted(async () => { all = ordered((await requests.albums()).filter(isMade), "hand"); })) return;
    const chosen = await askAlbum({ title: t("album.moveBehind", { name: nameOf(album) }), pictures, mayMake: false,
        albums: all.filter(({ id }) => id !== album.id), first: [{ icon: "left", label: t("album.moveFirst"), value: "first" }] });
    if (chosen === null) return;
    await moveAlbum(album, typeof chosen === "string" ? null : chosen, { all, onMoved: () => remember("albums", "hand") });
}

/** Asks, then deletes the album, with all photos in it if wished. True when it is gone; `onBack()` where it came back.
 * @param {Album} album @param {{onGone: () => Promise<void>, onBack: () => void}} options @returns {Promise<boolean>} */
export async function deleteAlbum(album, { onGone, onBack }) {
    const how = await askDeletion(album);
    if (how === null) return false;
    return attempted(async () => {
        const { count } = await requests.remove(album.id, { withPhotos: how === "photos" });
        await onGone();
        const words = how === "photos" ? t("album.deletedPhotos", { n: count, name: nameOf(album) })
            : t("album.deleted", { name: nameOf(album) });
        toast(words, undoing(async () => {
            await requests.bringBack(album.id);
            onBack();
        }));
    });
}

/** All of it as one archive, which the host calls as the album.
 * @param {Album} album */
export const download = (album) => attempted(async () => downloadAddress(await requests.archive(album.id, nameOf(album))));

/** Offers what can be done with an album: each of `runs` by its name.
 * @param {Album} album
 * @param {{slides: () => unknown, cover: () => unknown, zip: () => unknown, show: () => unknown, move: () => unknown, rename: () => unknown,
 *     delete: () => unknown}} runs */
export function showAlbumMenu(album, runs) {
    const isOwn = isMade(album);
    const isFull = album.count > 0;
    return chooseAction(nameOf(album), [
        ...(isFull ? [{ sign: "slides", label: t("show.begin"), run: runs.slides }] : []),
        ...(isOwn && isFull ? [{ sign: "photos", label: t("album.cover"), run: runs.cover }] : []),
        ...(isFull ? [{ sign: "download", label: t("album.zip"), run: runs.zip }] : []),
        ...(isOwn ? [{ sign: "window", label: t("windows.show"), run: runs.show }] : []),
        ...(isOwn ? [{ sign: "updown", label: t("album.move"), run: runs.move },
            { sign: "pencil", label: t("album.rename"), run: runs.rename }, { sign: "bin", label: t("album.delete"), run: runs.delete }] : []),
    ]);
}

// Photos that go to an album with their upload: the host joins them, but for those whose upload it had finished before. So
// all of them are named once more when the queue is through.

export class AlbumJoining {
    /** `onJoined()`: photos have come to albums.
     * @param {Uploads} uploads @param {{signal: AbortSignal, onJoined: () => void}} options */
    constructor(uploads, { signal, onJoined }) {
        this.uploads = uploads;
        this.onJoined = onJoined;
        /** The name of an album → ids.
         * @type {Map<string, string[]>} */
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

// Marks of photos, given and taken away: hearts, and what is kept out of the timeline. A guest opens a vault for them.

/** @typedef {"favourite" | "archived"} Mark */

/** The keys of their words. */
const words = { favourite: { need: "need.heart", given: "heart.given", taken: "heart.taken" },
    archived: { need: "need.away", given: "away.given", taken: "away.taken" } };

/** All of them have it. There may be very many.
 * @param {Iterable<Photo>} photos @param {Mark} mark */
export function isMarked(photos, mark) {
    let isAny = false;
    for (const photo of photos) {
        if (photo[mark] !== true) return false;
        isAny = true;
    }
    return isAny;
}

/** It names photos by the ids it was made with, which go on to be known where a guest's photos have moved.
 * @param {Photo[]} photos @param {Mark} mark @param {boolean} isOn @returns {Action} */
export function markFor(photos, mark, isOn) {
    const ids = idsOf(photos);
    return {
        title: t(words[mark].need, { n: photos.length }),
        done: t(words[mark].given, { n: photos.length }),
        isChange: true,
        run: () => inParts("POST", `/api/photos/${mark}`, ids, { on: isOn }),
    };
}

/** @param {number} n @param {Mark} mark @param {boolean} isOn @param {() => unknown} undo */
export function sayMarks(n, mark, isOn, undo) {
    toast(t(isOn ? words[mark].given : words[mark].taken, { n }), { action: t("undo"), run: undo });
}
