// The settings of a space without a password: this page, this host, keeping the photos, ending it.
import * as api from "../base/api.js";
import { addDevice } from "./device-sheet.js";
import { confirm, toast } from "../elements/dialog.js";
import { el, icon } from "../base/dom.js";
import { lastDayBefore, t } from "../base/i18n.js";
import { describe } from "../base/problems.js";
import { button, certificateRow, contactRow, deletedRow, languageRow, part, row, themeRow, tilesRow,
    versionRow } from "./settings-rows.js";
import { screenHead } from "../inside/shell.js";

/**
 * `onOpen()` asks for a vault; the rest is as in a vault's settings.
 * @param {{session: Session, onLanguage: (code: string) => void, onLeave: (reason: string) => void,
 *     onOpen: () => void}} options
 * @returns {InsideScreen}
 */
export function guestSettingsScreen({ session, onLanguage, onLeave, onOpen }) {
    const until = t("guest.until", { day: lastDayBefore(/** @type {Guest} */ (session.guest).until) });
    const element = el("div", {}, screenHead(t("title.settings")), el("div", { class: "set" },
        part("set.page", languageRow(onLanguage), themeRow(), tilesRow(), contactRow(), versionRow()),
        part("set.devices", row("set.device", t("guest.deviceNote"), button("set.deviceAdd", addDevice)), certificateRow()),
        part("guest.space",
            row("guest.photos", `${until}${t("space")}${t("guest.onlyHere")}`, button("guest.toVault", onOpen)),
            deletedRow(), row("guest.erase", t("guest.eraseNote"), el("button", {
                class: "button is-danger is-small", type: "button", onclick: () => erase(onLeave),
            }, icon("bin", "is-small"), t("set.eraseButton"))))));
    return { element, title: t("title.settings"), dispose() {} };
}

/** @param {(reason: string) => void} onLeave */
async function erase(onLeave) {
    const sure = await confirm({
        title: t("guest.eraseTitle"), note: t("guest.eraseWarning"), action: t("set.eraseAction"), danger: true,
    });
    if (!sure) return;
    try {
        await api.endGuest();
    } catch (error) {
        if (!(error instanceof api.Unreachable)) toast(describe(error));
        return;
    }
    onLeave(t("guest.erased"));
}
