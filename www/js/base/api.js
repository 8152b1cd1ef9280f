// Requests to the host and what its answers mean for the page: errors, a lost session, a host that is away.

/** @typedef {object} RequestOptions
 * @property {number} [patience]
 * @property {AbortSignal} [signal]
 * @property {Record<string, string>} [own] header fields in place of those that every request has */

/** An answer that says no: `code` is stable, `detail` is the host's own text. */
export class Problem extends Error {
    /** @param {{status: number, code: string, detail?: string, album?: string, door?: string, limit?: string, retryAfter?: number}} facts */
    constructor({ status, code, detail = "", album = "", door = "", limit = "", retryAfter = 0 }) {
        super(code);
        this.status = status;
        this.code = code;
        this.detail = detail;
        /** The id of the album that has a name already. */
        this.album = album;
        /** The name of the door that lets nobody in. */
        this.door = door;
        /** What there was too much of, where it is not guesses. */
        this.limit = limit;
        this.retryAfter = retryAfter;
    }
}

/** No answer at all: the host is gone, asleep, or the network is. */
export class Unreachable extends Error {}

const events = new EventTarget();
let lastUse = Date.now();

/** Where the interface begins, as its paths are written in all scripts. */
const root = "/api/";
/** What every page asks for, also one that has an interface of its own. */
const common = new Set(["/api/hello", "/api/certificate"]);
let base = root;

/** From now on this page asks for everything below another address, where the host offers a part of the interface under a
 * cookie of its own.
 * @param {string} address */
export function askBelow(address) {
    base = address;
}

/** @type {Record<string, string>} */ let fields = {};

/** Header fields of every request from now on.
 * @param {Record<string, string>} own */
export function sendAlways(own) {
    fields = own;
}

export const ownFields = () => fields;

/** Where a path of the interface is asked for.
 * @param {string} path @returns {string} */
export const addressOf = (path) => (path.startsWith(root) && !common.has(path) ? base + path.slice(root.length) : path);

/** The path of the interface that an address of the host's stands for.
 * @param {string | null} address @returns {string | null} */
export const pathOf = (address) => (address?.startsWith(base) ? root + address.slice(base.length) : address);

/** Called when an answer shows that this browser's session has ended.
 * @param {() => void} listener */
export function onSessionEnd(listener) {
    events.addEventListener("ended", listener);
}

/** Called with `true` after every answer and `false` after every request without one.
 * @param {(isReachable: boolean) => void} listener @param {AddEventListenerOptions} [options] */
export function onReachability(listener, options = {}) {
    events.addEventListener("reachable", (event) => listener(/** @type {CustomEvent} */ (event).detail), options);
}

/** Resolves with the next answer of the host.
 * @returns {Promise<void>} */
export function whenReachable() {
    return new Promise((resolve) => {
        const listening = new AbortController();
        onReachability((reachable) => {
            if (!reachable) return;
            listening.abort();
            resolve();
        }, { signal: listening.signal });
    });
}

/** Milliseconds since a request that the host counts as use of the session.
 * @returns {number} */
export function sinceLastUse() {
    return Date.now() - lastUse;
}

export function noteUse() {
    lastUse = Date.now();
}

/** @param {boolean} reachable */
export function noteReachability(reachable) {
    events.dispatchEvent(new CustomEvent("reachable", { detail: reachable }));
}

export function noteSessionEnd() {
    events.dispatchEvent(new Event("ended"));
}

/** Reads the problem out of a body that may be anything.
 * @param {number} status @param {string} text @param {string | null} retryAfter @returns {Problem} */
export function problemFrom(status, text, retryAfter) {
    /** @type {{code?: unknown, detail?: unknown, album?: unknown, door?: unknown, limit?: unknown}} */ let body = {};
    try {
        body = JSON.parse(text) ?? {};
    } catch {
        // Not ours: a proxy's page, or an answer cut short.
    }
    return new Problem({
        status,
        code: typeof body.code === "string" ? body.code : `status-${status}`,
        detail: typeof body.detail === "string" ? body.detail : "",
        album: typeof body.album === "string" ? body.album : "",
        door: typeof body.door === "string" ? body.door : "",
        limit: typeof body.limit === "string" ? body.limit : "",
        retryAfter: Math.max(0, Number.parseInt(retryAfter ?? "", 10) || 0),
    });
}

/** A 401 for a wrong password says nothing about the session that asks.
 * @param {Problem} problem @returns {boolean} */
export function meansSessionEnd(problem) {
    return problem.status === 401 && problem.code !== "no-such-vault";
}

/** Asking who one is does not put the host's idle lock off; everything that a session is needed for does. */
const mereQuestions = new Set(["/api/hello", "/api/session", "/api/certificate", "/world.json"]);
/** @param {string} method @param {string} path */
const isUse = (method, path) => method !== "GET" || !(mereQuestions.has(path) || path.startsWith("/api/batches/"));

/** What ends a request: its time, or `signal` of whoever no longer wants the answer.
 * @param {number} patience @param {AbortSignal | undefined} signal */
function ending(patience, signal) {
    const time = patience === Infinity ? undefined : /** @type {any} */ (AbortSignal).timeout?.(patience);
    return signal && time ? /** @type {any} */ (AbortSignal).any?.([signal, time]) ?? signal : signal ?? time;
}

/** For what is asked for in one place alone; the rest stands below.
 * @param {string} method @param {string} path @param {unknown} [body] @param {RequestOptions} options
 * @returns {Promise<any>} */
export async function request(method, path, body, { patience = 60_000, signal, own = fields } = {}) {
    let answer;
    let text;
    try {
        answer = await fetch(addressOf(path), {
            method,
            headers: body === undefined ? own : { ...own, "Content-Type": "application/json" },
            body: body === undefined ? undefined : JSON.stringify(body),
            cache: "no-store",
            signal: ending(patience, signal),
        });
        text = await answer.text();
    } catch (error) {
        if (!signal?.aborted) noteReachability(false);
        throw new Unreachable(error?.message);
    }
    noteReachability(true);
    if (answer.ok) {
        if (isUse(method, path)) noteUse();
        return text === "" ? {} : JSON.parse(text);
    }
    const problem = problemFrom(answer.status, text, answer.headers.get("Retry-After"));
    if (meansSessionEnd(problem)) noteSessionEnd();
    throw problem;
}

/** An answer whose body is still to be read; `signal` ends both.
 * @param {string} path @param {RequestInit & {signal: AbortSignal}} options */
async function answerTo(path, options) {
    let answer;
    try {
        answer = await fetch(addressOf(path), { cache: "no-store", ...options, headers: { ...fields, ...options.headers } });
    } catch (error) {
        if (!options.signal.aborted) noteReachability(false);
        throw new Unreachable(error?.message);
    }
    noteReachability(true);
    if (answer.ok) {
        noteUse();
        return answer;
    }
    const problem = problemFrom(answer.status, await answer.text(), answer.headers.get("Retry-After"));
    if (meansSessionEnd(problem)) noteSessionEnd();
    throw problem;
}

/** An answer that is read while it comes.
 * @param {string} path @param {unknown} body @param {AbortSignal} signal @returns {Promise<ReadableStream<Uint8Array>>} */
export async function stream(path, body, signal) {
    const answer = await answerTo(path, { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body), signal });
    return /** @type {ReadableStream<Uint8Array>} */ (answer.body);
}

/** A picture or a file, whole.
 * @param {string} path @param {AbortSignal} signal @returns {Promise<Blob>} */
export async function blob(path, signal) {
    const answer = await answerTo(path, { signal });
    try {
        return await answer.blob();
    } catch (error) {
        throw new Unreachable(error?.message);
    }
}

/** A small picture of a photo that was just sent: others see it until the host has made its own.
 * @param {string} id @param {Uint8Array} jpeg */
export async function sendPicture(id, jpeg) {
    await fetch(addressOf(`/api/photos/${encodeURIComponent(id)}/thumbnail`), { method: "PUT", body: /** @type {BodyInit} */ (jpeg),
        headers: { ...fields, "Content-Type": "image/jpeg" }, signal: ending(60_000, undefined) });
}

/** Bytes as the host writes them in its names.
 * @param {Uint8Array} bytes @returns {string} */
export function base64URL(bytes) {
    return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** A list of ids has a largest size at the host. */
export const mostIds = 10_000;

/** What is asked of a list of any size, with the same fields beside each part of it.
 * @param {"POST" | "DELETE"} method @param {string} path @param {string[]} ids @param {object} [fields]
 * @returns {Promise<{count: number, pending: boolean}>} */
export async function inParts(method, path, ids, fields = {}) {
    const whole = { count: 0, pending: false };
    for (let start = 0; start < ids.length; start += mostIds) {
        const { count, pending } = await request(method, path, { ids: ids.slice(start, start + mostIds), ...fields });
        whole.count += count;
        whole.pending ||= pending === true;
    }
    return whole;
}

// What the host is asked: one place knows the paths.

/** In one tab of this browser at a time, where the browser can do that: over a secure connection.
 * @template T @param {string} name @param {() => Promise<T>} work @returns {Promise<T>} */
const alone = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());

/** A cursor is made of characters that an address takes as they are.
 * @param {string} path @param {string | null | undefined} cursor @returns {Promise<PhotoPage>} */
const page = (path, cursor) => request("GET", path + (cursor ? `?cursor=${cursor}` : ""));

/** @param {number} [patience] @returns {Promise<Hello>} */
export const hello = (patience) => request("GET", "/api/hello", undefined, { patience });
/** @returns {Promise<Certificate>} */
export const certificate = () => request("GET", "/api/certificate");
/** @returns {Promise<{addresses: string[], reached: boolean}>} */
export const addresses = () => request("GET", "/api/addresses");
/** @returns {Promise<Session>} */
export const session = () => request("GET", "/api/session");
/** Tells whoever listens when there is no session any more; gives it, or null without an answer: what is shown stays
 * then, and the banner about the connection says why.
 * @returns {Promise<Session | null>} */
export async function confirmSession() {
    try {
        const now = await session();
        if (now.kind === "none") noteSessionEnd();
        return now;
    } catch {
        return null;
    }
}
/** `fields`: `password` or `passkey`, and perhaps `keep` and `migrate`. The answer tells what became of a guest's photos.
 * @param {OpeningFields} fields @returns {Promise<Opening>} */
export const openVault = (fields) => request("POST", "/api/session", fields);
/** @param {OpeningFields} fields @returns {Promise<Opening>} */
export const createVault = (fields) => request("POST", "/api/vaults", fields);
/** One tab of a browser after the other: the second one has the first one's cookie by then, and gets the same space. Two
 * at a time would each get one, and nobody would have the cookie of the first.
 * @returns {Promise<Session>} */
export const beginGuest = () => alone("guest", () => request("POST", "/api/guest"));
export const endGuest = () => request("DELETE", "/api/guest");
/** Tells the other devices of the vault how far this one is: `{device, done, total}`.
 * @param {Sending} report */
export const tellSending = (report) => request("POST", "/api/session/sending", report);
/** Puts the lock of an open vault off: a question about nothing.
 * @returns {Promise<Session>} */
export const stayOpen = () => request("POST", "/api/session/use");
/** @returns {Promise<{upgrade?: Upgrade}>} */
export const lock = () => request("DELETE", "/api/session");
/** @returns {Promise<{sessions: OpenSession[]}>} */
export const openSessions = () => request("GET", "/api/sessions");
/** @param {string} id */
export const endSession = (id) => request("DELETE", `/api/sessions/${encodeURIComponent(id)}`);
/** While the page is being closed: nobody hears the answer. */
export const lockWhileLeaving = () => {
    fetch("/api/session", { method: "DELETE", keepalive: true }).catch(() => {});
};
/** @returns {Promise<{upgrade?: Upgrade}>} */
export const lockEverywhere = () => request("DELETE", "/api/sessions");
export const acceptLoss = () => request("POST", "/api/session/accept-loss");
/** @param {{current: string, password: string, confirmation: string}} fields */
export const changePassword = (fields) => request("PUT", "/api/vault/password", fields);
/** @returns {Promise<{ways: Way[]}>} */
export const ways = () => request("GET", "/api/vault/ways");
/** @param {object} fields @returns {Promise<{code?: string}>} */
export const addWay = (fields) => request("POST", "/api/vault/ways", fields);
/** @param {string} id @param {string} current */
export const removeWay = (id, current) =>
    request("DELETE", `/api/vault/ways/${encodeURIComponent(id)}`, { current });
/** Whether `current` opens this vault, before something is done that cannot be undone elsewhere: the host looks at it
 * before it looks for the way to remove, and there is none of this name.
 * @param {string} current */
export async function prove(current) {
    try {
        await removeWay(base64URL(crypto.getRandomValues(new Uint8Array(8))), current);
    } catch (error) {
        if (error.code !== "no-such-way") throw error;
    }
}
/** These two take as long as all entries of the vault take.
 * @param {string} password @returns {Promise<{finished: boolean}>} */
export const rotateKey = (password) => request("POST", "/api/vault/rotate", { password }, { patience: Infinity });
/** @param {string} password */
export const eraseVault = (password) => request("DELETE", "/api/vault", { password }, { patience: Infinity });
/** @param {string} id @param {AbortSignal} [signal] @returns {Promise<Photo>} */
export const photo = (id, signal) => request("GET", `/api/photos/${encodeURIComponent(id)}`, undefined, { signal });
/** `{photos, cursor}`: those that came last, or a later page.
 * @param {string | null} [cursor] */
export const photos = (cursor) => page("/api/photos", cursor);
/** `[["2024-05", 31]…]`, the newest month first.
 * @returns {Promise<[string, number][]>} */
export const timeline = () => request("GET", "/api/timeline");
/** At most 500 photos of a month, column by column, without the `skip` newest.
 * @param {string} month @param {number} skip @param {AbortSignal} signal @returns {Promise<Record<string, any>>} */
export const timelineMonth = (month, skip, signal) =>
    request("GET", `/api/timeline/${month}${skip > 0 ? `?skip=${skip}` : ""}`, undefined, { signal });
/** `{photos, cursor}`: those that were deleted last, or a later page.
 * @param {string | null} [cursor] */
export const trash = (cursor) => page("/api/trash", cursor);
/** @param {string[]} ids */
export const moveToTrash = (ids) => inParts("POST", "/api/photos/delete", ids);
/** @param {string[]} ids */
export const restore = (ids) => inParts("POST", "/api/photos/restore", ids);
/** @param {string[]} ids */
export const deleteForGood = (ids) => inParts("POST", "/api/trash/delete", ids);
/** Has the host make an archive of photos. Gives its address, and how many of them it has no copies of that it may give.
 * @param {string[]} ids @param {number} [most] @returns {Promise<{address: string, missing: number}>} */
export async function makeArchive(ids, most = 5000) {
    let url = "/api/archive";
    let missing = 0;
    for (let start = 0; start < ids.length; start += most) {
        const made = await request("POST", /** @type {string} */ (pathOf(url)), { ids: ids.slice(start, start + most) });
        url = made.url;
        missing = made.missing ?? 0;
    }
    return { address: addressOf(/** @type {string} */ (pathOf(url))), missing };
}
/** @returns {Promise<{id: string}>} */
export const createBatch = () => request("POST", "/api/batches");
/** @param {string} id @returns {Promise<BatchStatus>} */
export const finishBatch = (id) => request("POST", `/api/batches/${encodeURIComponent(id)}/finish`);
/** @param {string} id @returns {Promise<BatchStatus>} */
export const batch = (id) => request("GET", `/api/batches/${encodeURIComponent(id)}`);
/** `known`, `maybe` or `new` for each question; only an open vault may be asked.
 * @param {object[]} questions @returns {Promise<("known" | "maybe" | "new")[]>} */
export const checkContent = (questions) => request("POST", "/api/uploads/check", questions);
/** @param {string} version */
export const skipUpgrade = (version) => request("POST", "/api/upgrade/skip", { version });

/** @param {string} address */
export const qrPath = (address) => `/api/qr.svg?address=${encodeURIComponent(address)}`;
/** Of the video in a photo's own file that video alone.
 * @param {{id: string, isMotion?: boolean}} photo */
export const originalPath = (photo) =>
    addressOf(`/api/photos/${encodeURIComponent(photo.id)}/${photo.isMotion ? "motion" : "original"}`);
/** @param {Photo} photo */
export const cleanCopyPath = (photo) => `${originalPath(photo)}?metadata=none`;
/** @param {Photo} photo */
export const previewPath = (photo) => addressOf(`/api/photos/${encodeURIComponent(photo.id)}/preview`);
