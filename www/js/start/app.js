// What the parts of the page's states share: starting, at the door, inside.
import { Changes } from "./changes.js";

export const changes = new Changes();

export const app = {
    /** @type {HTMLElement} */
    root: document.getElementById("app"),
    /**
     * What the host said last about this browser's session.
     * @type {Session}
     */
    session: /** @type {any} */ (null),
    /**
     * Settled when the host has answered that what was open here is ended, or has not.
     * @type {Promise<unknown> | null}
     */
    ended: null,
    /** @type {Uploads} */
    uploads: /** @type {any} */ (null),
    /** @type {Inside | null} */
    inside: null,
    /**
     * The screen outside, while there is one.
     * @type {OutsideScreen | null}
     */
    outside: null,
    /** Draws the present screen again, in another language. */
    redraw() {},
    setupCode: takeSetupCode(),
    /**
     * The dialog that asks for a vault, from the tap that wants it to its end: a second tap opens no second one.
     * @type {Promise<void> | null}
     */
    needed: null,
    /**
     * What somebody began that needs a vault, while that dialog is open.
     * @type {Action | null}
     */
    wanted: null,
    /**
     * The same of a guest whose end was told before the other tab's word that the photos have moved.
     * @type {Action | null}
     */
    begun: null,
};

/**
 * The QR code of the host carries the setup code behind `#code=`; it does not stay in the address.
 * @returns {string}
 */
function takeSetupCode() {
    const code = /^#code=([\w-]{1,64})$/.exec(location.hash)?.[1] ?? "";
    if (code) history.replaceState(null, "", location.pathname);
    return code;
}
