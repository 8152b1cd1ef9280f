// Asking the host for a vault, and going on with what was begun before.
import { app, changes } from "./app.js";
import { confirm, toast } from "../elements/dialog.js";
import { t } from "../base/i18n.js";
import { describe } from "../base/problems.js";

/**
 * While it is asked for, nothing new is sent: it would not be clear to whom. What is being sent goes on.
 * @param {(fields: OpeningFields) => Promise<Opening>} work
 * @param {OpeningFields} fields
 * @returns {Promise<Opened>}
 */
export async function begin(work, fields) {
    app.uploads.hold("opening");
    changes.begin();
    try {
        // The answer to a lock takes the cookie away, also that of what was opened meanwhile.
        await app.ended;
        const answer = await work(fields);
        const isKeepLost = fields.keep === true && answer.kept === false;
        return { ...answer, isAsked: fields.migrate !== false, isKeepLost };
    } catch (error) {
        changes.end();
        if (!changes.isFollowing) app.uploads.release("opening");
        throw error;
    }
}

/**
 * Somebody tried passwords or codes meanwhile: whoever the vault belongs to is to know.
 * @param {number} n
 */
export function sayGuesses(n) {
    if (n > 0) app.inside?.say({ isGood: false, title: t("wrong.count", { n }), notes: [t("wrong.note")] });
}

/**
 * The action that a guest began, now that a vault is open.
 * @param {Action} action
 * @param {boolean} isGuestLeft
 */
export async function goOn(action, isGuestLeft) {
    if (isGuestLeft && action.isOfPhotos !== false) {
        app.inside?.say({ isGood: false, title: t("need.cannot"), notes: [t("need.left")] });
        return;
    }
    try {
        if (await app.inside?.perform(action) && action.done) toast(action.done);
    } catch (error) {
        app.inside?.say({ isGood: false, title: t("need.cannot"), notes: [describe(error)] });
    }
}

/**
 * Files that were chosen for another place go on only if somebody says so.
 * @param {string} note
 */
export async function settleWaiting(note) {
    const { strangers } = app.uploads;
    if (strangers.length > 0) {
        const here = app.inside;
        const isWanted = await confirm({ title: t("door.waiting", { n: strangers.length }), note,
            action: t("new.addThem") });
        // What is open by now, if anything is, asks by itself.
        if (app.inside !== here) return;
        if (isWanted) app.uploads.adopt(strangers);
        else app.uploads.remove(strangers);
    }
    if (changes.isOpening || changes.isFollowing) return;
    for (const reason of ["opening", "asking", "locked", "guest-full"]) app.uploads.release(reason);
}
