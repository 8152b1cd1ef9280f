// Deleting, putting back and downloading, with the questions before and the words after.
import { archiveOf } from "./actions.js";
import * as api from "../base/api.js";
import { confirm, toast } from "../elements/dialog.js";
import { downloadPhoto } from "../base/download.js";
import { host } from "../base/host.js";
import { bytes, t } from "../base/i18n.js";
import { bytesOf, idsOf } from "../photos/live-photos.js";
import { describe } from "../base/problems.js";


/**
 * True when `work` was done; what went wrong is said.
 * @param {() => unknown} work
 * @returns {Promise<boolean>}
 */
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

/** @param {Photo[]} photos */
const deleteWords = (photos) => t("delete.note", { n: host.trashDays, size: bytes(bytesOf(photos)) });

/**
 * Asks, then moves to "Recently deleted"; true when it was done. `onChange(ids)` takes them from the list, or null.
 * @param {Photo[]} photos
 * @param {(ids: string[] | null) => void} onChange
 * @returns {Promise<boolean>}
 */
export async function remove(photos, onChange) {
    const sure = photos.length > 0 && await confirm({
        title: t("delete.title", { n: photos.length }), note: deleteWords(photos),
        action: t("delete.action", { n: photos.length }), danger: true,
    });
    if (!sure) return false;
    return attempt(async () => {
        const ids = idsOf(photos);
        await api.moveToTrash(ids);
        onChange(ids);
        toast(t("delete.done", { n: photos.length }), { action: t("undo"), run: () => putBack(photos, () => onChange(null)) });
    });
}

/**
 * True when they were put back.
 * @param {Photo[]} photos
 * @param {(ids: string[]) => void} onChange
 * @returns {Promise<boolean>}
 */
export function putBack(photos, onChange) {
    return attempt(async () => {
        const ids = idsOf(photos);
        await api.restore(ids);
        onChange(ids);
        toast(t("restore.done", { n: photos.length }));
    });
}

/**
 * Asks, then deletes what lies in "Recently deleted" for good: `photos`, or all of it.
 * @param {Photo[]} photos
 * @param {{isAll?: boolean, onChange: (ids: string[]) => void}} options
 * @returns {Promise<boolean>}
 */
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

/**
 * One by itself, several as one archive, which needs a vault. True when it has begun here and now.
 * @param {Photo[]} photos
 * @param {(action: Action) => Promise<boolean>} perform
 * @returns {Promise<boolean>}
 */
export async function download(photos, perform) {
    let isBegun = true;
    const isDone = await attempt(async () => {
        if (idsOf(photos).length === 1) downloadPhoto(photos[0]);
        else isBegun = await perform(archiveOf(photos));
    });
    return isDone && isBegun;
}

/** Takes as long as all that lies there takes. */
const emptyTrash = () => api.request("DELETE", "/api/trash", undefined, { patience: Infinity });
