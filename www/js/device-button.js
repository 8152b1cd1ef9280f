// "Open with this device", at the door and over a guest's photos: there only where the browser and the address of the page allow a passkey.
import * as api from "./api.js";
import { el, icon, setText } from "./dom.js";
import { t } from "./i18n.js";
import { NoPasskey, passkeyState, readPasskey } from "./passkey.js";
import { wrongText } from "./password-field.js";
import { describe } from "./problems.js";

/** `open({passkey})` asks the host; `onOpened(answer)` is called with the session open. */
export function deviceButton({ open, onOpened }) {
    const wrong = el("div", { role: "alert" });
    const button = el("button", { class: "button is-wide", type: "button" }, icon("phone", "is-small"),
        el("span", {}, t("door.device")));
    const words = button.lastChild;
    const element = el("div", { class: "device-open", hidden: true }, button, wrong);
    passkeyState().then((state) => { element.hidden = state !== "ready"; });
    button.addEventListener("click", async () => {
        if (button.getAttribute("aria-disabled") === "true") return;
        wrong.replaceChildren();
        button.setAttribute("aria-disabled", "true");
        setText(words, t("door.opening"));
        let answer;
        try {
            answer = await open({ passkey: await readPasskey() });
        } catch (error) {
            wrong.replaceChildren(wrongText(problemOf(error)));
            return;
        } finally {
            setText(words, t("door.device"));
            button.removeAttribute("aria-disabled");
        }
        onOpened(answer);
    });
    return element;
}

function problemOf(error) {
    if (error instanceof NoPasskey) return t("door.noPasskey");
    if (error instanceof api.Problem && error.status === 401) return t("door.unboundPasskey");
    return describe(error);
}
