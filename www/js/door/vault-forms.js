// Opening or creating a vault in place, over a guest's photos, with the reason why.
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { openSheet } from "../elements/dialog.js";
import { newVaultForm } from "./new-vault.js";
import { openForm } from "./door.js";
import { deviceButton } from "./passkey.js";
export { newPasswordFields } from "./new-vault.js";
export { newVaultScreen } from "./new-vault.js";
export { showRecoveryCode } from "./new-vault.js";

/** `title` is the reason. `open(fields)` and `create(fields)` ask the host and give its answer. Resolves to
 * `{answer, isNew}`, also when the dialog is closed from outside while the host is asked; to null when it is dismissed:
 * nothing has changed then.
 * @param {{title: string, guest: Guest | null, hello: Hello, code: string,
 *     open: (fields: OpeningFields) => Promise<Opened>, create: (fields: OpeningFields) => Promise<Opened>}} options
 * @returns {Promise<{answer: Opened, isNew: boolean} | null>} */
export async function askForVault({ title, guest, hello, code, open, create }) {
    const place = el("div", { class: "unlock-form" });
    const note = el("p", { class: "note", id: "unlock-note" });
    const sheet = openSheet({ title, content: [note, place], ownsBack: true });
    /** What becomes of the last request, also where nothing is left of the dialog by then.
     * @type {Promise<any> | null} */
    let asked = null;
    /** @type {(value: any) => void} */ let tell = () => {};
    /** @param {any} value */
    const finish = (value) => {
        tell(value);
        if (value) sheet.close(value);
    };
    // What comes of it, such as a new vault's recovery code, must not miss the page.
    /** @param {(fields: OpeningFields) => Promise<Opened>} work @returns {(fields: OpeningFields) => Promise<Opened>} */
    const held = (work) => async (fields) => {
        sheet.hold(true);
        asked = new Promise((resolve) => { tell = resolve; });
        try {
            return await work(fields);
        } catch (error) {
            finish(null);
            sheet.hold(false);
            throw error;
        }
    };
    sheet.dialog.classList.add("is-unlock");
    sheet.dialog.setAttribute("aria-describedby", note.id);
    /** @param {{element: HTMLElement, input: HTMLInputElement}} form @param {string} words @param {...Node} others */
    const show = (form, words, ...others) => {
        note.textContent = words;
        place.replaceChildren(form.element, ...others);
        sheet.dialog.scrollTop = 0;
        form.input.focus();
    };
    /** @param {Opened} answer */
    const onOpened = (answer) => finish({ answer, isNew: false });
    const showOpen = () => {
        const form = openForm({
            guest, isCovered: true, open: held(open), onOpened,
            beside: el("button", { class: "button", type: "button", onclick: showCreate }, t("door.new")),
        });
        show(form, t("unlock.note"), deviceButton({
            open: held((fields) => open({ ...fields, ...form.wishes.fields() })), onOpened,
        }).element);
    };
    const showCreate = () => show(newVaultForm({
        hello, code, guest, isCovered: true, create: held(create), onBack: showOpen,
        onCreated: (answer) => finish({ answer, isNew: true }),
    }), t("new.note"));
    showOpen();
    return await sheet.closed ?? await asked;
}
