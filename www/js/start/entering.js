// Showing what the session gives, here and after another tab has opened or ended something.
import * as api from "../base/api.js";
import { app, changes } from "./app.js";
import { stepBack } from "../base/back.js";
import { closeInside, leave, lock, lockEverywhere } from "./leaving.js";
import { goOn, needVault, settleWaiting } from "./opening.js";
import { changeLanguage, showDoor, takeLate } from "./outside.js";
import { insideParts } from "../base/parts.js";
import { t } from "../base/i18n.js";
import { preference, remember } from "../base/preferences.js";

/**
 * Shows what the session gives; true when there is one. `hasMoved`: what was open before, a guest's space, is in it.
 */
export async function enter({ hasMoved = false } = {}) {
    changes.ask();
    try {
        app.session = await api.session();
    } catch (error) {
        if (error instanceof api.Unreachable) {
            await api.whenReachable();
            return enter({ hasMoved });
        }
        return showClosed();
    }
    if (app.session.kind === "none") return showClosed();
    await app.uploads.findSpace(hasMoved);
    const { Inside, library, sending, settings } = await insideParts();
    if (changes.isStale) return enter();
    closeInside();
    app.outside?.dispose?.();
    app.outside = null;
    if (history.state?.newVault) stepBack();
    if (app.session.kind === "vault" && preference("opened", "") === "") remember("opened", "yes");
    app.inside = new Inside({ session: app.session, hello: app.hello, uploads: app.uploads, library, sending,
        settings,
        onLeave: (reason) => leave(reason), onLock: lock, onLockEverywhere: lockEverywhere,
        onLanguage: changeLanguage, onNeedVault: needVault, onLate: takeLate });
    app.root.replaceChildren(app.inside.element);
    app.root.hidden = false;
    app.redraw = () => app.inside.redraw();
    app.inside.route();
    return true;
}

function showClosed() {
    app.uploads.keepOnlyUnsent();
    closeInside();
    showDoor();
    return false;
}

/**
 * Another tab of this browser opened or ended something, or the host does not know a batch: what holds for the browser
 * holds here.
 */
export async function follow({ moved = false } = {}) {
    const followed = await changes.follow(changes.tell(), () => followNow(moved));
    if (!followed || app.inside !== followed.inside) return;
    // From here on other tabs may go on: somebody is asked.
    await settleWaiting(t("move.waitingNote"));
    if (followed.action) await goOn(followed.action, Boolean(app.session.guest));
}

/** Gives what is shown then, and the action that waited in a dialog which this closed; null where nothing goes on. */
async function followNow(hasMoved) {
    if (!app.uploads) return null;
    changes.ask();
    try {
        app.session = await api.session();
    } catch (error) {
        // An answer that says no comes with no event that ends it.
        if (error instanceof api.Unreachable) api.whenReachable().then(() => follow({ moved: hasMoved }));
        else setTimeout(() => follow({ moved: hasMoved }), 2000);
        return null;
    }
    if (app.session.kind === "none") {
        leave(endedWords(), null);
        return null;
    }
    if (app.inside?.isGuest && app.session.kind === "guest" && !app.uploads.holds.has("asking")) {
        return { inside: app.inside, action: null };
    }
    const action = app.wanted;
    app.uploads.hold("opening");
    if (!await enter({ hasMoved: hasMoved && app.inside?.isGuest === true })) return null;
    return { inside: app.inside, action };
}

/** Another tab ends what is open. What is being opened here comes after that. */
export function followOut() {
    if (changes.isOpening) follow();
    else {
        changes.tell();
        leave(endedWords(), null);
    }
}

export const endedWords = () => t(app.inside?.isGuest ? "guest.ended" : "locked.ended");
