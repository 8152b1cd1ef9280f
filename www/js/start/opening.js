// Opening or making a vault, at the door or over a guest's photos, and going on with what was begun before.
import * as api from "../base/api.js";
import { app, changes } from "./app.js";
import { steppedBack } from "../base/back.js";
import { confirm } from "../elements/dialog.js";
import { enter, follow } from "./entering.js";
import { t } from "../base/i18n.js";
import { refresh } from "./outside.js";
import { part } from "../base/parts.js";
import { remember } from "../base/preferences.js";
import { describe } from "../base/problems.js";
import { tellTabs } from "../base/tabs.js";
import { toast } from "../elements/toast.js";

/** While it is asked for, nothing new is sent: it would not be clear to whom. What is being sent goes on. */
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

/** A vault has just been opened or made: goes on inside with what was going on before. */
export async function arrive({ answer, isNew = false, action = null }) {
    const before = { inside: app.inside, guest: app.session?.guest ?? null, anchor: app.inside?.place ?? null };
    const wasGuest = before.inside?.isGuest === true;
    const hasMoved = before.guest !== null && answer.isAsked && !answer.migrationRefused;
    const isGuestLeft = wasGuest && !hasMoved;
    if (isNew) app.setupCode = "";
    app.uploads.claimSpace();
    remember("opened", answer.isByDevice ? "device" : "yes");
    tellTabs("session", { moved: hasMoved });
    try {
        // Where another tab has opened something meanwhile, the guest may have moved into that.
        if (!await enter({ hasMoved: wasGuest && hasMoved && !changes.isStale })) return;
        app.inside?.sayMoved(answer, before.guest);
        sayGuesses(answer.wrongGuesses);
        if (answer.isKeepLost) app.inside?.say({ isGood: false, title: t("keep.lost"), notes: [t("keep.lostNote")] });
        if (wasGuest && hasMoved) await app.inside?.goTo(before.anchor);
    } finally {
        changes.end();
    }
    await settleWaiting(t(isNew && !before.inside ? "new.waitingNote" : "move.waitingNote"));
    if (action) await goOn(action, isGuestLeft);
}

/** Somebody tried passwords or codes meanwhile: whoever the vault belongs to is to know. */
function sayGuesses(n) {
    if (n > 0) app.inside?.say({ isGood: false, title: t("wrong.count", { n }), notes: [t("wrong.note")] });
}

/** The action that a guest began, now that a vault is open. */
export async function goOn(action, isGuestLeft) {
    if (isGuestLeft) {
        app.inside?.say({ isGood: false, title: t("need.cannot"), notes: [t("need.left")] });
        return;
    }
    try {
        if (await app.inside?.perform(action)) toast(action.done);
    } catch (error) {
        app.inside?.say({ isGood: false, title: t("need.cannot"), notes: [describe(error)] });
    }
}

/** Files that were chosen for another place go on only if somebody says so. */
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

/** Opens or makes a vault over what is seen, so that a guest moves in, and goes on with `action` afterwards. */
export function needVault(action = null) {
    app.needed ??= askForNeeded(action).finally(() => {
        app.needed = null;
        app.wanted = null;
    });
    return app.needed;
}

async function askForNeeded(action) {
    const { askForVault } = await part("vaultForms");
    await Promise.all([refresh(), steppedBack()]);
    if (!app.inside) return;
    app.wanted = action;
    if (app.inside.isGuest && app.session.kind === "vault") {
        await follow({ moved: !app.session.guest });
        return;
    }
    const opened = await askForVault({
        title: action?.title ?? t(app.inside.isGuest ? "unlock.title" : "move.title"),
        guest: app.session.guest ?? null, hello: app.hello, code: app.setupCode,
        open: (fields) => begin(api.openVault, fields), create: (fields) => begin(api.createVault, fields),
    });
    if (opened) await arrive({ ...opened, action });
    // Where another tab closed the dialog, what was wanted goes on from there.
}
