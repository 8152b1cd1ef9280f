// What this browser remembers: language, theme, grid or list, and what somebody who gives at doors calls themselves. Never
// the name of anything in a vault, an id or a password.

const prefix = "safelight.";

/** @param {string} name @param {string} fallback @returns {string} */
export function preference(name, fallback) {
    try {
        return localStorage.getItem(prefix + name) ?? fallback;
    } catch {
        return fallback;
    }
}

/** @param {string} name @param {string} value */
export function remember(name, value) {
    try {
        localStorage.setItem(prefix + name, value);
    } catch {
        // Storage may be refused; the choice then lasts as long as the page.
    }
}

/** `auto`, `light` or `dark`; early.js applies the same choice before the first paint.
 * @param {string} theme */
export function applyTheme(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    // The frame of the browser, which knows the system's choice alone.
    /** @type {NodeListOf<HTMLMetaElement>} */
    const metas = document.querySelectorAll('meta[name="theme-color"][data-theme]');
    for (const meta of metas) {
        const own = `(prefers-color-scheme: ${meta.dataset.theme})`;
        meta.media = theme === "auto" ? own : meta.dataset.theme === theme ? "all" : "not all";
    }
}

// What the address of this page says about the way to the host.

export function isEncrypted() {
    return location.protocol === "https:";
}

/** @param {string} [name] */
export function isLoopback(name = location.hostname) {
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name) || name.endsWith(".localhost");
}

/** True where a password typed here could be read on the way. */
export function isReadableByOthers() {
    return !isEncrypted() && !isLoopback();
}

/** The same page of the same host over TLS, which answers on the same port; `fragment` may carry a setup code, or that of a
 * door.
 * @param {string} [fragment] @returns {string} */
export function secureAddress(fragment = "") {
    return `https://${location.host}/${location.pathname.endsWith("/give/") ? "give/" : ""}${fragment}`;
}

// Which steps a visitor needs: those of their system, or of Firefox, which keeps certificates of its own on a computer.

/** @typedef {"ios" | "android" | "windows" | "macos" | "firefox" | "linux"} Platform */

/** In the order in which they are offered; each has its steps in the language files.
 * @type {Platform[]} */
export const platforms = ["ios", "android", "windows", "macos", "firefox", "linux"];

/** One of `platforms`, from what `navigator` tells. An iPad calls itself a Mac, but no Mac has a touch screen.
 * @param {{userAgent: string, maxTouchPoints?: number}} browser @returns {Platform} */
export function platformOf({ userAgent, maxTouchPoints = 0 }) {
    /** @param {RegExp} pattern */
    const is = (pattern) => pattern.test(userAgent);
    if (is(/iPhone|iPad|iPod/) || (is(/Macintosh/) && maxTouchPoints > 1)) return "ios";
    if (is(/Android/)) return "android";
    if (is(/Firefox\//)) return "firefox";
    if (is(/Windows/)) return "windows";
    return is(/Macintosh/) ? "macos" : "linux";
}

/** Whose warning this browser shows about a certificate that it does not know: that of its engine's maker.
 * @param {{userAgent: string}} browser @returns {"safari" | "chrome" | "edge" | "firefox"} */
export function warningOf({ userAgent }) {
    if (/Firefox\/|FxiOS/.test(userAgent)) return "firefox";
    if (/Edg(?:A|iOS)?\//.test(userAgent)) return "edge";
    return /Chrome\/|CriOS|Chromium/.test(userAgent) ? "chrome" : "safari";
}

// Scripts that run beside the page.

/** The page's one policy of Trusted Types: these scripts of this host may run beside it, and no other. */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("vault", {
    createScriptURL: (/** @type {string} */ address) => {
        const { origin, pathname } = new URL(address, location.href);
        if (origin === location.origin && /\/(away|(upload|archive)-worker(-\w+)?)\.js$/.test(pathname)) return address;
        throw new TypeError("no script that runs beside this page");
    },
});

/** @param {string} address @returns {string} */
export const threadAddress = (address) => policy?.createScriptURL(address) ?? address;

/** From now on an installed page says away from home where Safelight is. Browsers allow that where they trust the certificate:
 * elsewhere all stays as it was. On the host itself nobody is away. */
export function keepAwayPage() {
    if (isEncrypted() && !isLoopback()) navigator.serviceWorker?.register(threadAddress("/away.js")).catch(() => {});
}

// The other tabs of this browser: cookies are theirs too, so what is opened or locked here is so there.

/** @type {BroadcastChannel | null | undefined} */ let opened;
const channel = () => (opened ??= "BroadcastChannel" in window ? new BroadcastChannel("safelight") : null);

/** `session`: another session may hold from now on; `moved` is true when a guest's space has moved into it. `left`: what
 * was open is being ended; nothing of it stays on the screen, whatever the host says.
 * `used`: somebody works in this tab. `renewed`: the vault has another key, and is not kept open any more.
 * @param {string} event @param {object} [detail] */
export function tellTabs(event, detail = {}) {
    channel()?.postMessage({ event, ...detail });
}

/** @param {string} event @param {(data: any) => void} listener @param {AddEventListenerOptions} [options] */
export function onTabs(event, listener, options = {}) {
    channel()?.addEventListener("message", ({ data }) => { if (data?.event === event) listener(data); }, options);
}

// Places in the history that a dialog or a state took, so that the phone's Back button leaves that first.

/** Milliseconds after which nobody waits for the browser any more. */
const patience = 1000;
let stepped = Promise.resolve();
// What the history holds from before a reload is not taken for one of these.
let count = Date.now();

/** Goes back. Browsers do that a moment later, and tell of it as of the Back button.
 * @param {number} [steps] */
export function stepBack(steps = 1) {
    stepped = Promise.race([
        new Promise((resolve) => { window.addEventListener("popstate", resolve, { once: true }); }),
        new Promise((resolve) => { setTimeout(resolve, patience); }),
    ]);
    history.go(-steps);
}

/** How many screens of this page lie before the one that is shown, in the history. */
let depth = -1;

/** Notes in the history how deep a screen lies, once it is shown. True where somebody has come anew, false where they came
 * back to it, or on to it again.
 * @returns {boolean} */
export function noteScreen() {
    const known = history.state?.depth;
    const isNew = known === undefined;
    depth = isNew ? depth + 1 : known;
    if (isNew) history.replaceState({ ...history.state, depth }, "");
    return isNew;
}

/** Goes back to the screen before this one, whichever that was; false where this page has shown none.
 * @returns {boolean} */
export function leaveScreen() {
    if (depth < 1) return false;
    steppedBack().then(() => history.back());
    return true;
}

/** Resolves once that is done: what takes a place of its own before would be closed by it. */
export const steppedBack = () => stepped;

/** Takes a place on top of those that are taken: Back runs `onBack()`. Gives `leave()`, for what ends otherwise, alone or
 * with what is on top of it (`steps` in all), and `forget()`, for where somebody has gone on to another screen. `name` says in the history what it is.
 * @param {string} name @param {() => void} onBack @returns {{forget: () => void, leave: (steps?: number) => void}} */
export function takeBack(name, onBack) {
    const id = count += 1;
    const listeners = new AbortController();
    const isThere = () => history.state?.[name] === id;
    history.pushState({ ...history.state, [name]: id }, "", location.href);
    window.addEventListener("popstate", () => {
        // What lies above it was left.
        if (isThere()) return;
        listeners.abort();
        onBack();
    }, { signal: listeners.signal });
    return {
        forget: () => listeners.abort(),
        leave(steps = 1) {
            if (listeners.signal.aborted) return;
            listeners.abort();
            if (isThere()) stepBack(steps);
        },
    };
}

// What the host said last of itself.

export const host = {
    /** Its answer to `/api/hello`; null before the first one.
     * @type {Hello} */
    hello: /** @type {any} */ (null),
    /** Days that what is deleted can be put back. */
    get trashDays() { return this.hello?.limits?.trashDays ?? 30; },
};

// The screen stays on while files are being sent or photos shown by themselves, where the browser offers it (secure pages only).

/** @type {EventTarget & {release: () => Promise<void>} | null} */ let lock = null;
/** Who wants it.
 * @type {Set<string>} */
const wanted = new Set();

/** @param {boolean} on @param {string} [reason] */
export async function keepAwake(on, reason = "sending") {
    if (on) wanted.add(reason);
    else wanted.delete(reason);
    document.addEventListener("visibilitychange", followAgain);
    await follow();
}

async function follow() {
    if (wanted.size === 0) {
        await lock?.release().catch(() => {});
        lock = null;
        return;
    }
    const { wakeLock } = /** @type {any} */ (navigator);
    if (lock || document.visibilityState !== "visible" || !wakeLock) return;
    try {
        lock = await wakeLock.request("screen");
        lock?.addEventListener("release", () => { lock = null; });
        if (wanted.size === 0) await follow();
    } catch {
        // Refused, for example on low battery; the words on the page say what to do.
    }
}

const followAgain = () => { if (wanted.size > 0) follow(); };
