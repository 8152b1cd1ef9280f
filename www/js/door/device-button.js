// "Open with this device", at the door and over a guest's photos: there only where the browser and the address of the page allow a passkey.
import * as api from "../base/api.js";
import { el, icon, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { NoPasskey, offeredPasskey, passkeyState, readPasskey } from "./passkey.js";
import { wrongText } from "../elements/password-field.js";
import { describe } from "../base/problems.js";

/**
 * `open({passkey})` asks the host; `onOpened(answer)` is called with the session open, `onReady(button)` where the device
 * can be asked. Gives the element; `offer()`, for a browser that offers the passkey beside the field by itself; `end()`.
 * @param {{open: (fields: OpeningFields) => Promise<Opened>, onOpened: (answer: Opened) => void,
 *     onReady?: (button: HTMLButtonElement) => void}} options
 */
export function deviceButton({ open, onOpened, onReady = () => {} }) {
    const wrong = el("div", { role: "alert" });
    const button = el("button", { class: "button is-wide", type: "button" }, icon("phone", "is-small"),
        el("span", {}, t("door.device")));
    const words = /** @type {HTMLElement} */ (button.lastChild);
    const element = el("div", { class: "device-open", hidden: true }, button, wrong);
    let offering = new AbortController();
    passkeyState().then((state) => {
        element.hidden = state !== "ready";
        if (!element.hidden) onReady(button);
    });
    /** @param {() => Promise<string> | string} read */
    const run = async (read) => {
        if (button.getAttribute("aria-disabled") === "true") return;
        wrong.replaceChildren();
        button.setAttribute("aria-disabled", "true");
        setText(words, t("door.opening"));
        let answer;
        try {
            answer = await open({ passkey: await read() });
        } catch (error) {
            wrong.replaceChildren(wrongText(problemOf(error)));
            return;
        } finally {
            setText(words, t("door.device"));
            button.removeAttribute("aria-disabled");
        }
        onOpened({ ...answer, isByDevice: true });
    };
    button.addEventListener("click", () => {
        // A browser asks for one passkey at a time.
        offering.abort();
        run(readPasskey);
    });
    return {
        element,
        end: () => offering.abort(),
        async offer() {
            offering = new AbortController();
            const secret = await offeredPasskey(offering.signal);
            if (secret && element.isConnected) run(() => secret);
        },
    };
}

/** @param {unknown} error */
function problemOf(error) {
    if (error instanceof NoPasskey) return t("door.noPasskey");
    if (error instanceof api.Problem && error.status === 401) return t("door.unboundPasskey");
    return describe(error);
}
