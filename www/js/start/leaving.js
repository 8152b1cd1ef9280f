// Ending what is open: at the host, and on the page, where nothing of it stays.
import * as api from "../base/api.js";
import { app, changes } from "./app.js";
import { closeAllSheets, confirm } from "../elements/dialog.js";
import { t } from "../base/i18n.js";
import { endSession } from "./lock.js";
import { refresh, showDoor } from "./outside.js";
import { tellTabs } from "../base/tabs.js";
import { dismissToast } from "../elements/toast.js";
import { upgradeCard } from "../elements/upgrade.js";

/** `reason` is given where nobody is asked. */
export async function lock(reason = null) {
    // The vault that is being opened takes the place of this one.
    if (reason && changes.isOpening) return;
    const waiting = app.uploads.queue.unsent;
    const asked = { title: t("lock.title", { n: waiting }), note: t("lock.note"), action: t("nav.lock") };
    if (!reason && waiting > 0 && !await confirm(asked)) return;
    const words = reason ?? t("locked.byYou");
    leave(words);
    try {
        await tellHost("here", words);
    } catch (error) {
        if (!(error instanceof api.Unreachable)) throw error;
        if (!reason && !app.inside) showDoor(t("locked.unreachable"));
    }
    refresh();
}

export const lockEverywhere = () => tellHost("everywhere", t("locked.everywhere"));

/** Ends the session at the host. A refusal stands at the door until the host has said yes. Throws `Unreachable`. */
async function tellHost(reach, words, isAgain = false) {
    const ending = endSession(reach, isAgain);
    app.ended = ending.catch(() => {});
    const refused = await ending;
    leave(words);
    if (!refused) tellTabs("session");
    if (app.inside) return;
    const again = refused?.canRetry ? () => tellHost(reach, words, true) : null;
    if (refused) showDoor(null, { ...refused, again });
    else if (isAgain) showDoor(words);
    else app.outside?.setUpgrade?.(upgradeCard());
}

/** Takes everything of the vault off the page: elements, pictures, names, titles, history. `event` tells other tabs. */
export function leave(reason, event = "left") {
    if (!app.inside) return;
    if (event) tellTabs(event);
    app.session = { kind: "none", guest: app.inside.isGuest ? null : app.session.guest };
    app.uploads.keepOnlyUnsent();
    closeInside();
    history.replaceState(null, "", location.pathname);
    showDoor(reason);
}

export function closeInside() {
    if (!app.inside) return;
    const leaving = app.inside;
    app.inside = null;
    closeAllSheets();
    leaving.dispose();
    dismissToast();
}
