// What makes a vault credible that somebody opens because they have to.
import { openSheet } from "../elements/dialog.js";
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** The same in every vault, so that it tells nothing of the one it is read in. */
export function showDecoyHelp() {
    const keys = ["decoy.what", "decoy.use", "decoy.cover", "decoy.lock"];
    openSheet({ title: t("set.decoy"), content: keys.map((key) => el("p", {}, t(key))) });
}
