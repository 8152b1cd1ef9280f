// What the parts of the page's states share: starting, at the door, inside.
import { Changes } from "./changes.js";

export const changes = new Changes();

export const app = {
    root: document.getElementById("app"),
    /** What the host said last about this browser's session. */
    session: null,
    /** Settled when the host has answered that what was open here is ended, or has not. */
    ended: null,
    uploads: null,
    inside: null,
    /** The screen outside, while there is one. */
    outside: null,
    /** Draws the present screen again, in another language. */
    redraw() {},
    setupCode: takeSetupCode(),
    /** The dialog that asks for a vault, from the tap that wants it to its end: a second tap opens no second one. */
    needed: null,
    /** What somebody began that needs a vault, while that dialog is open. */
    wanted: null,
};

/** The QR code of the host carries the setup code behind `#code=`; it does not stay in the address. */
function takeSetupCode() {
    const code = /^#code=([\w-]{1,64})$/.exec(location.hash)?.[1] ?? "";
    if (code) history.replaceState(null, "", location.pathname);
    return code;
}
