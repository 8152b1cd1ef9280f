// Ways into the open vault: further passwords, the recovery code, passkeys. Each change asks for a secret once more.
import * as api from "../base/api.js";
import { askForm, confirm, toast } from "../elements/dialog.js";
import { el } from "../base/dom.js";
import { day, describe, t } from "../base/i18n.js";
import { NoPasskey, isName, makePasskey, passkeyState, readPasskey } from "../door/passkey.js";
import { part } from "../base/parts.js";
import { passwordField, textField } from "../elements/forms.js";
import { button, namedRow, readProblem } from "./settings-rows.js";

/** @typedef {() => Promise<void>} Draw */

/** The section of the settings; `onLeave(reason)` goes to the door.
 * @param {(reason: string) => void} onLeave @returns {HTMLElement} */
export function waysPart(onLeave) {
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
const nameOf = (way) => way.label || t(`ways.${way.kind}`);

/** @param {Way} way @param {Way[]} ways @param {Draw} draw @param {(reason: string) => void} onLeave */
function wayRow(way, ways, draw, onLeave) {
    const notes = [way.label ? t(`ways.${way.kind}`) : null, t("ways.since", { day: day(new Date(way.createdAt)) }),
        way.current ? t("ways.current") : null];
    const isOnly = way.kind === "password" && ways.filter(({ kind }) => kind === "password").length === 1;
    const remove = el("button", { class: "link", type: "button", "aria-label": `${t("ways.remove")}: ${nameOf(way)}`,
        onclick: () => removeWay(way, draw, onLeave) }, t("ways.remove"));
    const replace = way.kind === "recovery" ? button("ways.replace", () => makeCode(true, draw)) : null;
    return namedRow(nameOf(way), notes.filter(Boolean).join(" · "),
        isOnly ? null : el("span", { class: "set-ways" }, replace, remove));
}

const proofField = () => passwordField({ label: t("ways.proof") });
const labelField = (key = "ways.label") => textField({ label: t(key), maxlength: 40 });

/** @param {Way} way @param {Draw} draw @param {(reason: string) => void} onLeave */
async function removeWay(way, draw, onLeave) {
    const proof = proofField();
    const done = await askForm({
        title: t("ways.removeTitle", { name: nameOf(way) }), note: t("ways.removeNote"), action: t("ways.remove"),
        fields: [proof], danger: true, submit: () => readProblem(() => api.removeWay(way.id, proof.input.value)),
    });
    if (!done) return;
    toast(t("ways.removed"));
    if (way.current) onLeave(t("locked.ended"));
    else await draw();
}

// MARK: offers

/** @param {Draw} draw */
function passwordOffer(draw) {
    return namedRow(t("ways.addPassword"), t("ways.addPasswordNote"), button("ways.add", async () => {
        const [proof, label] = [proofField(), labelField()];
        const { newPasswordFields } = await part("vaultForms");
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
    const { showRecoveryCode } = await part("vaultForms");
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
