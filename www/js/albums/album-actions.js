// What is done with albums, with the words and the ways back after it.
import { downloadAddress } from "../base/download.js";
import { toast } from "../elements/toast.js";
import { t } from "../base/i18n.js";
import { attempted } from "./attempted.js";
import { chooseAction } from "../elements/action-list.js";
import { askAlbum, askDeletion, askName } from "./album-dialogs.js";
import * as requests from "./album-requests.js";
import { favourites, nameOf } from "./album-words.js";

/**
 * Asks for a name and makes an album of it, with `ids` in it. Gives the album, or null. `onMade` is waited for: what leads
 * to another screen is done before it is said; `onUndone()`: it is gone again.
 * @param {{ids?: string[], onMade?: (album: Album) => unknown, onUndone?: (album: Album) => unknown}} options
 * @returns {Promise<Album | null>}
 */
export async function newAlbum({ ids = [], onMade = () => {}, onUndone = onMade } = {}) {
    /** @type {Album | null} */
    let made = null;
    await askName({ title: t("album.new"), action: t("album.make"),
        submit: async (name) => { made = await requests.make(name, ids); } });
    const album = /** @type {Album | null} */ (made);
    if (!album) return null;
    await onMade(album);
    // It comes back as it was: nothing else had it.
    toast(ids.length > 0 ? t("album.added", { n: ids.length, name: nameOf(album) }) : t("album.made", { name: nameOf(album) }),
        undoing(async () => {
            await requests.remove(album.id);
            await onUndone(album);
        }));
    return album;
}

/**
 * @param {() => Promise<unknown>} work
 */
const undoing = (work) => ({ action: t("undo"), run: () => attempted(work) });

/**
 * Asks for an album, or for the name of a new one, and puts photos into it. Of `inside`, the album that is looked at, they
 * can be taken out, and one of them be its cover. True when something was done.
 * @param {string[]} ids
 * @param {{pictures: Pictures, inside?: Album | null, isOne?: boolean, onChange?: () => void,
 *     onTakenOut?: () => void}} options
 * @returns {Promise<boolean>}
 */
export async function addToAlbum(ids, { pictures, inside = null, isOne = false, onChange = () => {}, onTakenOut = () => {} }) {
    /** @type {Album[]} */
    let known = [];
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

/**
 * What was in it before is not taken out by going back, so that there is a way back only where nothing was.
 * @param {Album} album
 * @param {string[]} ids
 * @param {number} count
 * @param {() => void} onChange
 */
export function sayAdded(album, ids, count, onChange) {
    const words = count === 0 ? t("album.hadAll", { name: nameOf(album) })
        : t("album.added", { n: count, name: nameOf(album) });
    toast(words, count === ids.length ? undoing(async () => {
        await requests.leave(album.id, ids);
        onChange();
    }) : {});
}

/**
 * `onChange()` after they have left, `onBack()` where they came back.
 * @param {Album} album
 * @param {string[]} ids
 * @param {{onChange: () => void, onBack: () => void}} options
 * @returns {Promise<boolean>}
 */
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

/**
 * @param {Album} album
 * @param {string} id
 * @param {() => void} onChange
 * @returns {Promise<boolean>}
 */
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

/**
 * Asks for another name; true when it has one.
 * @param {Album} album
 * @param {() => void} onChange
 * @returns {Promise<boolean>}
 */
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

/**
 * Asks, then deletes the album, with all photos in it if wished. True when it is gone; `onBack()` where it came back.
 * @param {Album} album
 * @param {{onGone: () => Promise<void>, onBack: () => void}} options
 * @returns {Promise<boolean>}
 */
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

/**
 * All of it as one archive, which the host calls as the album.
 * @param {Album} album
 */
export const download = (album) => attempted(async () => downloadAddress(await requests.archive(album.id)));

/**
 * Offers what can be done with an album: each of `runs` by its name.
 * @param {Album} album
 * @param {{slides: () => unknown, cover: () => unknown, zip: () => unknown, rename: () => unknown, delete: () => unknown}} runs
 */
export function showAlbumMenu(album, runs) {
    const isOwn = album.id !== favourites;
    const isFull = album.count > 0;
    return chooseAction(nameOf(album), [
        ...(isFull ? [{ sign: "slides", label: t("show.begin"), run: runs.slides }] : []),
        ...(isOwn && isFull ? [{ sign: "photos", label: t("album.cover"), run: runs.cover }] : []),
        ...(isFull ? [{ sign: "download", label: t("album.zip"), run: runs.zip }] : []),
        ...(isOwn ? [{ sign: "pencil", label: t("album.rename"), run: runs.rename },
            { sign: "bin", label: t("album.delete"), run: runs.delete }] : []),
    ]);
}
