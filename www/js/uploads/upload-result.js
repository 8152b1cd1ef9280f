// What is said of a batch of files, from the first to the end: decided from what is known of it, and shown by the panel.
import { t } from "../base/i18n.js";

/** @typedef {import("./queue.js").Queue} Queue */

/** @param {Queue} queue */
export function progressWords(queue) {
    return t("up.progress", { done: queue.saved, n: queue.total - queue.failed });
}

/** @param {Queue} queue */
export function resultWords(queue) {
    const saved = queue.saved - queue.duplicates;
    if (queue.saved === 0) return t("up.noneSaved");
    return [saved > 0 ? t("up.saved", { n: saved }) : null,
        queue.duplicates > 0 ? t("up.same", { n: queue.duplicates }) : null].filter(Boolean).join(" · ");
}

/**
 * Whether nothing is lost with what the phone has: all of it lies in a vault, was read back whole, and is what the
 * phone has. What was there before was not read back now, and no word is said of it.
 * @param {Pick<Uploads, "queue" | "isVault" | "isChecked" | "batches" | "findings">} uploads
 * @returns {boolean}
 */
export function mayBeDeleted({ queue, isVault, isChecked, batches, findings }) {
    const isLess = findings?.counts.some(({ kind }) => kind !== "screenshot") ?? false;
    return isVault && isChecked && queue.isFinished && queue.saved > 0 && queue.failed === 0 && queue.duplicates === 0
        && queue.earlier.saved === 0 && !isLess && [...batches].every(({ isOfVault }) => isOfVault);
}
