// Ending a session at the host: here, or everywhere. What the host refuses is told, with a way to try again.
import * as api from "../base/api.js";
import { t } from "../base/i18n.js";
import { noteUpgrade } from "../elements/upgrade.js";

const requests = { here: api.lock, everywhere: api.lockEverywhere };

/**
 * `reach` is `here` or `everywhere`; `isAgain` after a refusal. Resolves to null when it has ended, else to
 * `{title, note, canRetry}`, which stands at the door. Throws `Unreachable`.
 * @param {"here" | "everywhere"} reach
 * @param {boolean} [isAgain]
 * @returns {Promise<{title: string, note: string, canRetry: boolean} | null>}
 */
export async function endSession(reach, isAgain = false) {
    try {
        noteUpgrade((await requests[reach]()).upgrade);
        return null;
    } catch (error) {
        if (error instanceof api.Unreachable) throw error;
        const title = t(`locked.refused.${reach}`);
        if (error.status !== 401) return { title, note: t(`locked.refused.${reach}Note`), canRetry: true };
        // This browser has no session any more, by which it could end those of others.
        return isAgain && reach === "everywhere" ? { title, note: t("locked.refused.others"), canRetry: false } : null;
    }
}
