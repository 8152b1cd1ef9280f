// A passkey of this device, by WebAuthn with its PRF extension. The host gets what the device computes from a fixed
// input, 32 bytes, and nothing else: no signature, no id. Whoever has these bytes opens the vault they belong to.
import * as api from "../base/api.js";
import { base64URL } from "../base/api.js";
import { el, icon, setText } from "../base/dom.js";
import { describe, t } from "../base/i18n.js";
import { wrongText } from "../elements/dialog.js";

/** The device did not give its bytes: nobody confirmed, there is no passkey, or it cannot compute them. It does not say
 * which of these. `isMade`: it has a new passkey all the same; `isUseless`: that one can never give any. */
export class NoPasskey extends Error {
    /** @type {string | undefined} */ words;
    isMade = false;
    isUseless = false;
}

const text = new TextEncoder();

/** What newer browsers have beside the standard that is known here. */
const passkeys = () => /** @type {any} */ (PublicKeyCredential);
/** @param {PublicKeyCredential} credential
 * @returns {{prf?: {enabled?: boolean, results?: {first?: ArrayBuffer | Uint8Array}}}} */
const resultsOf = (credential) => /** @type {any} */ (credential.getClientExtensionResults());

/** WebAuthn takes no addresses in figures.
 * @param {string} host */
export const isName = (host) => !/^[\d.]+$|^\[/.test(host);

/** `ready`, or why this page cannot: `insecure`, `address` (WebAuthn needs a name), `unsupported`.
 * @returns {Promise<"ready" | "insecure" | "address" | "unsupported">} */
export async function passkeyState() {
    if (!window.isSecureContext) return "insecure";
    if (!isName(location.hostname)) return "address";
    if (!window.PublicKeyCredential || !navigator.credentials || !crypto.subtle) return "unsupported";
    const capabilities = await passkeys().getClientCapabilities?.().catch(() => null);
    return capabilities?.["extension:prf"] === false ? "unsupported" : "ready";
}

/** The bytes of this device's passkey in base64url; the person confirms it on the device.
 * @returns {Promise<string>} */
export async function readPasskey() {
    return /** @type {string} */ (first(await ask()));
}

/** The same, when somebody takes up the passkey that the browser offers beside a field (conditional mediation). Null where
 * it cannot offer one, or once `signal` says that nobody waits for it.
 * @param {AbortSignal} signal @returns {Promise<string | null>} */
async function offeredPasskey(signal) {
    if (await passkeyState() !== "ready") return null;
    if (!await passkeys().isConditionalMediationAvailable?.() || signal.aborted) return null;
    try {
        return first(await ask(null, { mediation: "conditional", signal }));
    } catch {
        return null;
    }
}

/** The bytes of a new passkey. It takes the place of an older one of this host on the same device, which then opens
 * nothing any more: one entry there says that there is Safelight, and not how many vaults.
 * @returns {Promise<string>} */
export async function makePasskey() {
    const made = await settled(navigator.credentials.create({ publicKey: {
        rp: { id: location.hostname, name: "Safelight" },
        // The device replaces what has the same id.
        user: { id: text.encode(`safelight ${port()}`), name: location.host, displayName: "Safelight" },
        challenge: challenge(),
        pubKeyCredParams: [{ type: "public-key", alg: -7 }, { type: "public-key", alg: -257 }],
        authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
        attestation: "none",
        extensions: /** @type {any} */ ({ prf: { eval: { first: await input() } } }),
    } }));
    if (resultsOf(made).prf?.enabled !== true) {
        await forget(made.id);
        throw Object.assign(new NoPasskey("no prf"), { isMade: true, isUseless: true });
    }
    try {
        return /** @type {string} */ (first(made, false) ?? first(await ask(made.rawId)));
    } catch (error) {
        error.isMade = true;
        throw error;
    }
}

/** Tells the device that nobody knows the passkey, so that it is no longer offered; not every browser can.
 * @param {string} credentialId */
async function forget(credentialId) {
    try {
        await passkeys().signalUnknownCredential?.({ rpId: location.hostname, credentialId });
    } catch {
        // It stays among the device's passkeys; the words say so.
    }
}

/** @param {BufferSource | null} [id] @param {object} [options] */
async function ask(id = null, options = {}) {
    return settled(navigator.credentials.get({ ...options, publicKey: {
        rpId: location.hostname, challenge: challenge(), userVerification: "required",
        allowCredentials: id ? [{ type: "public-key", id }] : [],
        extensions: /** @type {any} */ ({ prf: { eval: { first: await input() } } }),
    } }));
}

/** @param {Promise<Credential | null>} credential @returns {Promise<PublicKeyCredential>} */
async function settled(credential) {
    try {
        const found = await credential;
        if (found) return /** @type {PublicKeyCredential} */ (found);
    } catch (error) {
        throw new NoPasskey(error?.message);
    }
    throw new NoPasskey();
}

/** Some devices compute at once when the passkey is made, others only when it is used.
 * @param {PublicKeyCredential} credential @param {boolean} [isNeeded] @returns {string | null} */
function first(credential, isNeeded = true) {
    const bytes = resultsOf(credential).prf?.results?.first;
    if (!bytes && isNeeded) throw new NoPasskey("no prf");
    return bytes ? base64URL(new Uint8Array(/** @type {any} */ (bytes).buffer ?? bytes)) : null;
}

/** No signature is looked at, so nothing depends on it. */
const challenge = () => crypto.getRandomValues(new Uint8Array(32));

/** The same for every vault of this host, for the page does not know which one the passkey opens. Passkeys do not tell
 * ports apart, and behind another port of the same host another daemon may be, which must not learn these bytes. */
async function input() {
    return crypto.subtle.digest("SHA-256", text.encode(`safelight/v1/passkey ${location.hostname}:${port()}`));
}

const port = () => location.port || (location.protocol === "https:" ? "443" : "80");

// "Open with this device", at the door and over a guest's photos: there only where the browser and the address of the page allow a passkey.

/** `open({passkey})` asks the host; `onOpened(answer)` is called with the session open, `onReady(button)` where the device
 * can be asked. Gives the element; `offer()`, for a browser that offers the passkey beside the field by itself; `end()`.
 * @param {{open: (fields: OpeningFields) => Promise<Opened>, onOpened: (answer: Opened) => void,
 *     onReady?: (button: HTMLButtonElement) => void}} options */
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
