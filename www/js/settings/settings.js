// The few settings: this page, this vault, where it is open, ending it.
import * as api from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { day, describe, format, lastDayBefore, t } from "../base/i18n.js";
import * as parts from "../base/parts.js";
import { tellTabs } from "../base/browser.js";
import { askForm, confirm, passwordField, textField, toast } from "../elements/dialog.js";
import { screenHead } from "../inside/shell.js";
import { addDevice, alikeRow, button, certificateRow, contactRow, deletedRow, languageRow, namedRow, part, readProblem, row,
    showDecoyHelp, storageRow, themeRow, thisDayRow, tilesRow, versionRow, whenLeftRow } from "./settings-rows.js";
import { isName, makePasskey, NoPasskey, passkeyState, readPasskey } from "../door/passkey.js";

export { addDevice, showKeys } from "./settings-rows.js";

// The settings of a space without a password: this page, this host, keeping the photos, ending it.

/** `onOpen()` asks for a vault; the rest is as in a vault's settings.
 * @param {{session: Session, onLanguage: (code: string) => void, onLeave: (reason: string) => void,
 *     onOpen: () => void}} options
 * @returns {InsideScreen} */
export function guestSettingsScreen({ session, onLanguage, onLeave, onOpen }) {
    const until = t("guest.until", { day: lastDayBefore(/** @type {Guest} */ (session.guest).until) });
    const element = el("div", {}, screenHead(t("title.settings")), el("div", { class: "set" },
        part("set.you", languageRow(onLanguage), themeRow(), tilesRow(), contactRow(), versionRow()),
        part("set.getting", row("set.device", t("guest.deviceNote"), button("set.deviceAdd", addDevice))),
        part("set.safety", certificateRow()),
        part("guest.space",
            row("guest.photos", `${until}${t("space")}${t("guest.onlyHere")}`, button("guest.toVault", onOpen)),
            deletedRow(), row("guest.erase", t("guest.eraseNote"), el("button", {
                class: "button is-danger is-small", type: "button", onclick: () => eraseSpace(onLeave),
            }, icon("bin", "is-small"), t("set.eraseButton"))))));
    return { element, title: t("title.settings"), dispose() {} };
}

/** @param {(reason: string) => void} onLeave */
async function eraseSpace(onLeave) {
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

// Where this vault is open, of the settings: each browser and program, since when, and its end.

/** The section of the settings; `last` is its last row, and `onLeave(reason)` goes to the door.
 * @param {HTMLElement} last @param {(reason: string) => void} onLeave @returns {HTMLElement} */
function openSessionsPart(last, onLeave) {
    const title = el("h3", {}, t("sessions.title"));
    const list = el("div", {});
    const draw = async () => {
        try {
            const { sessions } = await api.openSessions();
            title.replaceChildren(t("sessions.count", { n: sessions.length }));
            list.replaceChildren(...sessions.map((session) => sessionRow(session, draw, onLeave)));
        } catch (error) {
            list.replaceChildren(el("p", { class: "small" }, describe(error)));
        }
    };
    draw();
    return el("section", {}, title, list, last);
}

/** @param {OpenSession} session */
function nameOf({ kind, browser, system }) {
    if (kind === "program") return t("sessions.program");
    if (browser && system) return t("sessions.browserOn", { browser, system });
    return browser ?? system ?? t("sessions.unknown");
}

/** @param {OpenSession} session @param {() => Promise<void>} draw @param {(reason: string) => void} onLeave */
function sessionRow(session, draw, onLeave) {
    const notes = [
        t("sessions.since", { day: format(new Date(session.openedAt), { dateStyle: "long", timeStyle: "short" }) }),
        session.keptUntil ? t("sessions.kept", { day: lastDayBefore(session.keptUntil) }) : null,
        session.current ? t("sessions.current") : null,
    ];
    const name = nameOf(session);
    const end = el("button", { class: "link", type: "button", "aria-label": `${t("sessions.end")}: ${name}`,
        onclick: () => endSession(session, name, draw, onLeave) }, t("sessions.end"));
    return el("div", { class: "set-row" },
        el("div", {}, el("strong", {}, name), el("p", { class: "small" }, notes.filter(Boolean).join(" · "))), end);
}

/** @param {OpenSession} session @param {string} name @param {() => Promise<void>} draw
 * @param {(reason: string) => void} onLeave */
async function endSession(session, name, draw, onLeave) {
    const sure = await confirm({
        title: t("sessions.endTitle", { name }), note: t("sessions.endNote"), action: t("sessions.end"),
    });
    if (!sure) return;
    try {
        await api.endSession(session.id);
    } catch (error) {
        // It has ended by itself meanwhile.
        if (error.code !== "no-such-session") {
            toast(describe(error));
            return;
        }
    }
    if (session.current) {
        onLeave(t("locked.ended"));
        return;
    }
    toast(t("sessions.ended"));
    await draw();
}

/** @typedef {{session: Session, doors: Parts["doors"], onLanguage: (code: string) => void,
 *     onLeave: (reason: string) => void, onLockEverywhere: () => Promise<void>, onRenewed: () => Promise<void>,
 *     onMoveIn: () => unknown}} SettingsOptions */

/** Five groups: who looks at it, how photos come in, to whom they are shown, who else can, what is there. `onLeave(reason)` goes to the door;
 * `onLockEverywhere()` ends every session first, and throws where the host is away; `onLanguage(code)` changes the language; `onRenewed()` shows what the session has become.
 * @param {SettingsOptions} options @returns {InsideScreen} */
export function settingsScreen({ session, doors, onLanguage, onLeave, onLockEverywhere, onRenewed, onMoveIn }) {
    const told = api.request("GET", "/api/storage");
    const element = el("div", {}, screenHead(t("title.settings")), el("div", { class: "set" },
        part("set.you", languageRow(onLanguage), themeRow(), tilesRow(), thisDayRow(), contactRow(), versionRow(told)),
        part("set.getting", row("set.moving", "set.movingNote", button("set.movingButton", onMoveIn)),
            row("set.device", "set.deviceNote", button("set.deviceAdd", addDevice)), doors.doorsPart()),
        part("set.showing", doors.windowsPart()),
        part("set.safety", row("password", null, button("set.change", () => changePassword(doors))), whenLeftRow(),
            row("set.rotate", "set.rotateNote", button("set.rotateButton", () => rotateKey(doors, onRenewed))),
            row("set.decoy", "set.decoyNote", button("set.decoyButton", showDecoyHelp)), certificateRow(),
            openSessionsPart(row("set.everywhere", lockNote(session),
                button("set.lockEverywhere", () => lockEverywhere(onLockEverywhere))), onLeave), waysPart(onLeave)),
        part("set.storage", storageRow(told), alikeRow(), deletedRow(), row("set.erase", "set.eraseNote",
            el("button", { class: "button is-danger is-small", type: "button", onclick: () => eraseVault(onLeave) },
                icon("bin", "is-small"), t("set.eraseButton"))))));
    return { element, title: t("title.settings"), dispose() {} };
}

/** @param {Session} session */
function lockNote(session) {
    if (session.kept && session.until) return t("set.keptUntil", { day: lastDayBefore(session.until) });
    const minutes = Math.round((session.idleLimitSeconds ?? session.idleSeconds ?? 0) / 60);
    return minutes > 0 ? t("set.locksAfter", { n: minutes }) : null;
}

/** @param {Parts["doors"]} doors */
async function changePassword(doors) {
    const current = passwordField({ label: t("set.current") });
    const { newPasswordFields } = await parts.part("vaultForms");
    const { fields, typed } = newPasswordFields();
    const done = await askForm({
        title: t("set.changeTitle"), note: t("set.changeNote"), action: t("set.changeAction"),
        fields: [current, ...fields],
        submit: () => readProblem(() => api.changePassword({ current: current.input.value, ...typed() })),
    });
    if (!done) return;
    toast(t("set.changed"));
    await doors.askAboutWindows();
}

/** What it does and what it cannot do is said before anybody types a password.
 * @param {Parts["doors"]} doors @param {() => Promise<void>} onRenewed */
async function rotateKey(doors, onRenewed) {
    const field = passwordField({ label: t("set.rotatePassword") });
    /** @type {{finished: boolean}} */ let answer = { finished: false };
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
    await doors.askAboutWindows();
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
async function eraseVault(onLeave) {
    const field = passwordField({ label: t("password") });
    const done = await askForm({
        title: t("set.eraseTitle"), note: t("set.eraseWarning"), fields: [field], danger: true,
        action: t("set.eraseAction"),
        submit: () => readProblem(() => api.eraseVault(field.input.value)),
    });
    if (done) onLeave(t("locked.erased"));
}

// Ways into the open vault: further passwords, the recovery code, passkeys. Each change asks for a secret once more.

/** @typedef {() => Promise<void>} Draw */

/** The section of the settings; `onLeave(reason)` goes to the door.
 * @param {(reason: string) => void} onLeave @returns {HTMLElement} */
function waysPart(onLeave) {
    const list = el("div", {});
    const offers = el("div", {});
    const draw = async () => {
        try {
            const { ways } = await api.ways();
            list.replaceChildren(...ways.map((way) => wayRow(way, ways, draw, onLeave)));
            const isMissing = !ways.some(({ kind }) => kind === "recovery");
            offers.replaceChildren(passwordOffer(draw), ...(isMissing ? [recoveryOffer(draw)] : []),
                await passkeyOffer(draw), appOffer(draw));
        } catch (error) {
            list.replaceChildren(el("p", { class: "small" }, describe(error)));
        }
    };
    draw();
    return el("section", {}, el("h3", {}, t("ways.title")), list, offers);
}

/** @param {Way} way */
const wayName = (way) => way.label || t(`ways.${way.kind}`);

/** @param {Way} way @param {Way[]} ways @param {Draw} draw @param {(reason: string) => void} onLeave */
function wayRow(way, ways, draw, onLeave) {
    const notes = [way.label ? t(`ways.${way.kind}`) : null, t("ways.since", { day: day(new Date(way.createdAt)) }),
        way.current ? t("ways.current") : null];
    const isOnly = way.kind === "password" && ways.filter(({ kind }) => kind === "password").length === 1;
    const remove = el("button", { class: "link", type: "button", "aria-label": `${t("ways.remove")}: ${wayName(way)}`,
        onclick: () => removeWay(way, draw, onLeave) }, t("ways.remove"));
    const replace = way.kind === "recovery" ? button("ways.replace", () => makeCode(true, draw)) : null;
    return namedRow(wayName(way), notes.filter(Boolean).join(" · "),
        isOnly ? null : el("span", { class: "set-ways" }, replace, remove));
}

const proofField = () => passwordField({ label: t("ways.proof") });
const labelField = (key = "ways.label") => textField({ label: t(key), maxlength: 40 });

/** @param {Way} way @param {Draw} draw @param {(reason: string) => void} onLeave */
async function removeWay(way, draw, onLeave) {
    const proof = proofField();
    const done = await askForm({
        title: t("ways.removeTitle", { name: wayName(way) }), note: t("ways.removeNote"), action: t("ways.remove"),
        fields: [proof], danger: true, submit: () => readProblem(() => api.removeWay(way.id, proof.input.value)),
    });
    if (!done) return;
    toast(t("ways.removed"));
    if (way.current) onLeave(t("locked.ended"));
    else await draw();
}

/** @param {Draw} draw */
function passwordOffer(draw) {
    return namedRow(t("ways.addPassword"), t("ways.addPasswordNote"), button("ways.add", async () => {
        const [proof, label] = [proofField(), labelField()];
        const { newPasswordFields } = await parts.part("vaultForms");
        const { fields, typed } = newPasswordFields();
        const done = await askForm({
            title: t("ways.addPassword"), note: t("ways.addPasswordNote"), action: t("ways.add"),
            fields: [proof, ...fields, label],
            submit: () => readProblem(() => api.addWay({ kind: "password", current: proof.input.value, ...typed(),
                label: label.input.value.trim() })),
        });
        if (done) await draw();
    }));
}

/** @param {Draw} draw */
function recoveryOffer(draw) {
    return namedRow(t("ways.recovery"), t("ways.recoveryNote"), button("ways.make", () => makeCode(false, draw)));
}

/** @param {Draw} draw */
function appOffer(draw) {
    return namedRow(t("ways.addApp"), t("ways.addAppNote"), button("ways.make", () => {
        const label = labelField("ways.appLabel");
        return showMade(draw, "appCode", {
            title: t("ways.addApp"), note: t("ways.addAppNote"), action: t("ways.make"), fields: [label],
        }, () => ({ kind: "app", label: label.input.value.trim() }));
    }));
}

/** `replace`: there is one already, which opens nothing from then on.
 * @param {boolean} replace @param {Draw} draw */
const makeCode = (replace, draw) => showMade(draw, "code", {
    title: t("ways.recovery"), note: t(replace ? "ways.replaceNote" : "ways.recoveryNote"), fields: [],
    action: t(replace ? "ways.replace" : "ways.make"),
}, () => ({ kind: "recovery", replace }));

/** Asks for a secret of the vault and has the host make a code, which is shown.
 * @param {Draw} draw @param {"code" | "appCode"} words
 * @param {{title: string, note: string, action: string, fields: ReturnType<typeof labelField>[]}} form
 * @param {() => object} wish */
async function showMade(draw, words, form, wish) {
    // It is there before there is a code to show.
    const { showRecoveryCode } = await parts.part("vaultForms");
    const proof = proofField();
    /** @type {Promise<{code?: string, picture?: string}> | null} */ let making = null;
    await askForm({
        ...form, fields: [proof, ...form.fields],
        submit: () => readProblem(() => {
            making = api.addWay({ ...wish(), current: proof.input.value });
            return making;
        }),
    });
    // A code that is set is shown, whatever has become of the sheet: a lock elsewhere closes it too.
    const made = await /** @type {Promise<{code: string, picture?: string}> | null} */ (making)?.catch(() => null);
    if (!made) return;
    await showRecoveryCode(made.code, { words, picture: made.picture });
    await draw();
}

/** @param {Draw} draw */
async function passkeyOffer(draw) {
    const state = await passkeyState();
    if (state === "ready") {
        return namedRow(t("ways.passkey"), t("ways.passkeyNote"), button("ways.add", () => addPasskey(draw)));
    }
    return namedRow(t("ways.passkey"), state === "address" ? await namedAddress() : t(`ways.passkey.${state}`), null);
}

/** Where a device could open the vault: this host under its name. */
async function namedAddress() {
    const { addresses } = await api.addresses();
    const address = addresses.find((one) => isName(new URL(one).hostname));
    return address ? t("ways.passkey.address", { address }) : t("ways.passkey.nameless");
}

/** @param {Draw} draw */
async function addPasskey(draw) {
    const [proof, label] = [proofField(), labelField()];
    // Asked of the device once, however often the password is mistyped.
    /** @type {string | null} */ let secret = null;
    let isBound = false;
    /** @param {boolean} rebind */
    const send = (rebind) => api.addWay({ kind: "passkey", current: proof.input.value, secret,
        label: label.input.value.trim(), rebind });
    const done = await askForm({
        title: t("ways.passkey"), note: t("ways.passkeyNote"), action: t("ways.add"), fields: [proof, label],
        more: [el("p", { class: "note" }, t("ways.passkeyFirst"))],
        submit: () => readProblem(async () => {
            secret ??= await readDevice(proof.input.value);
            try {
                await send(false);
            } catch (error) {
                if (error.code !== "passkey-bound") throw error;
                isBound = true;
            }
        }),
    });
    if (!done) return;
    if (isBound) {
        const asked = { title: t("ways.rebindTitle"), note: t("ways.rebindNote"), action: t("ways.rebind") };
        if (!await confirm(asked)) return;
        try {
            await send(true);
        } catch (error) {
            toast(describe(error));
            return;
        }
    }
    toast(t("ways.passkeyAdded"));
    await draw();
}

/** @param {string} current @returns {Promise<string>} */
async function readDevice(current) {
    try {
        return await readOrMake(current);
    } catch (error) {
        if (error instanceof NoPasskey) {
            error.words = t(error.isUseless ? "ways.cannot" : error.isMade ? "ways.madeNoKey" : "ways.noPasskey");
        }
        throw error;
    }
}

/** A new passkey only for who knows what becomes of an older one, and may change this vault.
 * @param {string} current @returns {Promise<string>} */
async function readOrMake(current) {
    try {
        return await readPasskey();
    } catch (error) {
        if (!(error instanceof NoPasskey)) throw error;
        await api.prove(current);
        const asked = { title: t("ways.makeTitle"), note: t("ways.makeNote"), action: t("ways.makeAction") };
        if (!await confirm(asked)) throw error;
    }
    return makePasskey();
}
