// The few settings: this page, this vault, where it is open, ending it.
import * as api from "../base/api.js";
import { addDevice } from "./device-sheet.js";
import { askForm, confirm, toast } from "../elements/dialog.js";
import { el, icon } from "../base/dom.js";
import { lastDayBefore, t } from "../base/i18n.js";
import { moveIn } from "./moving-sheet.js";
import { openSessionsPart } from "./open-sessions.js";
import * as parts from "../base/parts.js";
import { passwordField } from "../elements/forms.js";
import { describe } from "../base/problems.js";
import { showDecoyHelp } from "./decoy-help.js";
import { alikeRow, button, certificateRow, contactRow, deletedRow, languageRow, part, readProblem, row, themeRow, storageRow, tilesRow, versionRow,
    whenLeftRow } from "./settings-rows.js";
import { screenHead } from "../inside/shell.js";
import { tellTabs } from "../base/tabs.js";
import { waysPart } from "./ways.js";

/**
 * @typedef {object} SettingsOptions
 * @property {Session} session
 * @property {Parts["doors"]} doors
 * @property {(code: string) => void} onLanguage
 * @property {(reason: string) => void} onLeave
 * @property {() => Promise<void>} onLockEverywhere
 * @property {() => Promise<void>} onRenewed
 */

export { addDevice } from "./device-sheet.js";
export { guestSettingsScreen } from "./guest-settings.js";
export { showKeys } from "./key-help.js";

/**
 * `onLeave(reason)` goes to the door; `onLockEverywhere()` ends every session first, and throws where the host is away;
 * `onLanguage(code)` changes the language; `onRenewed()` shows what the session has become.
 * @param {SettingsOptions} options
 * @returns {InsideScreen}
 */
export function settingsScreen({ session, doors, onLanguage, onLeave, onLockEverywhere, onRenewed }) {
    const element = el("div", {}, screenHead(t("title.settings")), el("div", { class: "set" },
        part("set.page", languageRow(onLanguage), themeRow(), tilesRow(), whenLeftRow(), contactRow(), versionRow()),
        part("set.devices", row("set.device", "set.deviceNote", button("set.deviceAdd", addDevice)), certificateRow()),
        part("set.vault",
            storageRow(), row("set.moving", "set.movingNote", button("set.movingButton", moveIn)), alikeRow(), deletedRow(),
            row("password", null, button("set.change", changePassword)),
            row("set.rotate", "set.rotateNote", button("set.rotateButton", () => rotateKey(onRenewed))),
            row("set.decoy", "set.decoyNote", button("set.decoyButton", showDecoyHelp))),
        openSessionsPart(row("set.everywhere", lockNote(session),
            button("set.lockEverywhere", () => lockEverywhere(onLockEverywhere))), onLeave),
        waysPart(onLeave), doors.doorsPart(),
        part("set.end", row("set.erase", "set.eraseNote",
            el("button", { class: "button is-danger is-small", type: "button", onclick: () => erase(onLeave) },
                icon("bin", "is-small"), t("set.eraseButton"))))));
    return { element, title: t("title.settings"), dispose() {} };
}

/** @param {Session} session */
function lockNote(session) {
    if (session.kept && session.until) return t("set.keptUntil", { day: lastDayBefore(session.until) });
    const minutes = Math.round((session.idleLimitSeconds ?? session.idleSeconds ?? 0) / 60);
    return minutes > 0 ? t("set.locksAfter", { n: minutes }) : null;
}

async function changePassword() {
    const current = passwordField({ label: t("set.current") });
    const { newPasswordFields } = await parts.part("vaultForms");
    const { fields, typed } = newPasswordFields();
    const done = await askForm({
        title: t("set.changeTitle"), note: t("set.changeNote"), action: t("set.changeAction"),
        fields: [current, ...fields],
        submit: () => readProblem(() => api.changePassword({ current: current.input.value, ...typed() })),
    });
    if (done) toast(t("set.changed"));
}

/**
 * What it does and what it cannot do is said before anybody types a password.
 * @param {() => Promise<void>} onRenewed
 */
async function rotateKey(onRenewed) {
    const field = passwordField({ label: t("set.rotatePassword") });
    /** @type {{finished: boolean}} */
    let answer = { finished: false };
    const done = await askForm({
        title: t("set.rotateTitle"), note: t("set.rotateDoes"), action: t("set.rotateAction"), fields: [field],
        more: ["set.rotateCloses", "set.rotateCannot", "set.rotateChange"].map((key) =>
            el("p", { class: "note" }, t(key))),
        submit: () => readProblem(async () => {
            answer = await api.rotateKey(field.input.value);
        }),
    });
    if (!done) return;
    tellTabs("renewed");
    // Other ways in are gone, and this browser is not kept open any more.
    await onRenewed();
    toast(t(answer.finished ? "set.rotated" : "set.rotatedLater"));
}

/** @param {() => Promise<void>} onLockEverywhere */
async function lockEverywhere(onLockEverywhere) {
    const sure = await confirm({
        title: t("set.lockEverywhereTitle"), note: t("set.lockEverywhereNote"), action: t("set.lockEverywhere"),
    });
    if (!sure) return;
    try {
        await onLockEverywhere();
    } catch (error) {
        toast(describe(error));
    }
}

/** @param {(reason: string) => void} onLeave */
async function erase(onLeave) {
    const field = passwordField({ label: t("password") });
    const done = await askForm({
        title: t("set.eraseTitle"), note: t("set.eraseWarning"), fields: [field], danger: true,
        action: t("set.eraseAction"),
        submit: () => readProblem(() => api.eraseVault(field.input.value)),
    });
    if (done) onLeave(t("locked.erased"));
}
