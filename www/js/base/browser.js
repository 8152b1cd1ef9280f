// What this browser remembers: language, theme, grid or list, and what somebody who gives at doors calls themselves. Never
// the name of anything in a vault, an id or a password.
import * as api from "./api.js";
import { hello, Unreachable, whenReachable } from "./api.js";

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
 * door or a window.
 * @param {string} [fragment] @returns {string} */
export function secureAddress(fragment = "") {
    const [page = ""] = /(give|see)\/$/.exec(location.pathname) ?? [];
    return `https://${location.host}/${page}${fragment}`;
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

// A newer version of the host's software that an answer told of, until it is shown: in this tab alone.

const name = "safelight.upgrade";

/** Takes up what an answer carried; what this browser has skipped is told to the vault, while it is open.
 * @param {Upgrade | null | undefined} upgrade @param {{isOpen?: boolean}} options */
export function noteUpgrade(upgrade, { isOpen = false } = {}) {
    if (!upgrade) return;
    if (preference("skipped", "") === upgrade.version) {
        if (isOpen) api.skipUpgrade(upgrade.version).catch(() => {});
        return;
    }
    try {
        sessionStorage.setItem(name, JSON.stringify(upgrade));
    } catch {
        // Storage may be refused; then the host reminds again another time.
    }
}

/** What is to be told, or null: nothing of a version that the host runs by now.
 * @returns {Upgrade | null} */
export function notedUpgrade() {
    try {
        /** @type {Upgrade | null} */
        const upgrade = JSON.parse(sessionStorage.getItem(name) ?? "null");
        if (!upgrade || !isRunning(upgrade.version, host.hello?.version)) return upgrade;
        forgetUpgrade();
    } catch {
        // Storage may be refused, or hold something else.
    }
    return null;
}

/** Whether the host runs that version, or a later one.
 * @param {string} version @param {string} [running] */
export function isRunning(version, running = "0") {
    return running.localeCompare(version, "en", { numeric: true }) >= 0;
}

export function forgetUpgrade() {
    try {
        sessionStorage.removeItem(name);
    } catch {
        // Nothing was stored either.
    }
}

// How much of the window a keyboard leaves: a sheet at its lower edge would else lie under the keyboard.

/** Keeps `--shown` (height) and `--covered` (what is hidden below) up to date, where the browser tells. */
export function watchVisibleArea() {
    const { visualViewport: area } = window;
    if (!area) return;
    const update = () => {
        const { style } = document.documentElement;
        // Somebody who has zoomed in looks at a part, and nothing is covered.
        const isZoomed = area.scale > 1.01;
        const covered = Math.max(0, innerHeight - area.height - area.offsetTop);
        if (isZoomed || covered < 1) {
            style.removeProperty("--shown");
            style.removeProperty("--covered");
            return;
        }
        style.setProperty("--shown", `${area.height}px`);
        style.setProperty("--covered", `${covered}px`);
    };
    area.addEventListener("resize", update);
    area.addEventListener("scroll", update);
}

// What comes later than the page itself: a host that is away for a while is waited for.

/** Milliseconds for an answer, and between two questions where nothing tells that the host is back. */
const answerPatience = 10_000;
const pause = 2000;
/** What the host does not give although it answers will not come by asking on. */
const mostRefusals = 3;
let tries = 0;
/** @type {Promise<boolean> | null} */ let answering = null;

/** Gives what `load(mark)` gives. `mark` goes behind the address: empty at first, then different each time, since Firefox
 * remembers of an address that its module did not come, for as long as the page lives.
 * @template T @param {(mark: string) => Promise<T>} load @returns {Promise<T>} */
export async function fetched(load) {
    let mark = "";
    for (let refusals = 0; ;) {
        try {
            return await load(mark);
        } catch (error) {
            refusals = await isThere() ? refusals + 1 : 0;
            if (refusals === mostRefusals) throw error;
        }
        tries += 1;
        mark = `?again=${tries}`;
    }
}

/** Resolves when the host answers: to true where it did so at once. Everything that waits asks together.
 * @returns {Promise<boolean>} */
function isThere() {
    answering ??= answer().finally(() => { answering = null; });
    return answering;
}

/** @returns {Promise<boolean>} */
async function answer() {
    for (let isFirst = true; ; isFirst = false) {
        try {
            await hello(answerPatience);
            return isFirst;
        } catch (error) {
            if (!(error instanceof Unreachable)) return isFirst;
        }
        await Promise.race([whenReachable(), new Promise((resolve) => { setTimeout(resolve, pause); })]);
    }
}

/** Where the parts of this page come from: each page says it once.
 * @type {(name: any) => Promise<any>} */
let partNamed = () => Promise.reject(new Error("no parts"));

/** @param {(name: any) => Promise<any>} source */
export function partsComeFrom(source) {
    partNamed = source;
}

/** A part of the page, for scripts that several pages have.
 * @template {keyof Parts} N @param {N} name @returns {Promise<Parts[N]>} */
export const later = (name) => partNamed(name);

// A page that was open while the host was upgraded: the parts that it knows by name are gone.

/** Loads the page again where its parts are gone; then this does not resolve. */
export async function leaveIfOutdated() {
    if (!await isOutdated()) return;
    location.reload();
    await new Promise(() => {});
}

/** Whether the host has been upgraded while this page was open: the parts that it knows are gone then. */
async function isOutdated() {
    const { pathname } = new URL(/** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]')).src);
    const page = await fetch("./", { cache: "no-store" });
    return page.ok && !(await page.text()).includes(`"${pathname}"`);
}
