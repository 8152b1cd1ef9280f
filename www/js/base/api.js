// The host's interface. One place knows the paths, the errors and what a lost session looks like.

/** An answer that says no: `code` is stable, `detail` is the host's own text. */
export class Problem extends Error {
    constructor({ status, code, detail = "", retryAfter = 0 }) {
        super(code);
        this.status = status;
        this.code = code;
        this.detail = detail;
        this.retryAfter = retryAfter;
    }
}

/** No answer at all: the host is gone, asleep, or the network is. */
export class Unreachable extends Error {}

const events = new EventTarget();
let lastUse = Date.now();

/** Called when an answer shows that this browser's session has ended. */
export function onSessionEnd(listener) {
    events.addEventListener("ended", listener);
}

/** Called with `true` after every answer and `false` after every request without one. */
export function onReachability(listener, options = {}) {
    events.addEventListener("reachable", (event) => listener(event.detail), options);
}

/** Resolves with the next answer of the host. */
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

/** Milliseconds since a request that the host counts as use of the session. */
export function sinceLastUse() {
    return Date.now() - lastUse;
}

export function noteUse() {
    lastUse = Date.now();
}

export function noteReachability(reachable) {
    events.dispatchEvent(new CustomEvent("reachable", { detail: reachable }));
}

export function noteSessionEnd() {
    events.dispatchEvent(new Event("ended"));
}

/** Reads the problem out of a body that may be anything. */
export function problemFrom(status, text, retryAfter) {
    let body = {};
    try {
        body = JSON.parse(text) ?? {};
    } catch {
        // Not ours: a proxy's page, or an answer cut short.
    }
    return new Problem({
        status,
        code: typeof body.code === "string" ? body.code : `status-${status}`,
        detail: typeof body.detail === "string" ? body.detail : "",
        retryAfter: Math.max(0, Number.parseInt(retryAfter ?? "", 10) || 0),
    });
}

/** A 401 for a wrong password says nothing about the session that asks. */
export function meansSessionEnd(problem) {
    return problem.status === 401 && problem.code !== "no-such-vault";
}

/** Asking who one is does not put the host's idle lock off; everything that a session is needed for does. */
const mereQuestions = new Set(["/api/hello", "/api/session", "/api/certificate"]);
const isUse = (method, path) => method !== "GET" || !(mereQuestions.has(path) || path.startsWith("/api/batches/"));

/** What ends a request: its time, or `signal` of whoever no longer wants the answer. */
function ending(patience, signal) {
    const time = patience === Infinity ? undefined : AbortSignal.timeout?.(patience);
    return signal && time ? AbortSignal.any?.([signal, time]) ?? signal : signal ?? time;
}

/** For what is asked for in one place alone; the rest stands below. */
export async function request(method, path, body, { patience = 60_000, signal } = {}) {
    let answer;
    let text;
    try {
        answer = await fetch(path, {
            method,
            headers: body === undefined ? {} : { "Content-Type": "application/json" },
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

/** An answer whose body is still to be read; `signal` ends both. */
async function answerTo(path, options) {
    let answer;
    try {
        answer = await fetch(path, { cache: "no-store", ...options });
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

/** An answer that is read while it comes. */
export async function stream(path, body, signal) {
    const answer = await answerTo(path, { method: "POST", headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body), signal });
    return answer.body;
}

/** A picture or a file, whole. */
export async function blob(path, signal) {
    const answer = await answerTo(path, { signal });
    try {
        return await answer.blob();
    } catch (error) {
        throw new Unreachable(error?.message);
    }
}

/** Bytes as the host writes them in its names. */
export function base64URL(bytes) {
    return btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** In one tab of this browser at a time, where the browser can do that: over a secure connection. */
const alone = (name, work) => (navigator.locks ? navigator.locks.request(name, work) : work());

/** A list of ids has a largest size at the host. */
async function inParts(path, ids, most = 10_000) {
    const whole = { count: 0, pending: false };
    for (let start = 0; start < ids.length; start += most) {
        const { count, pending } = await request("POST", path, { ids: ids.slice(start, start + most) });
        whole.count += count;
        whole.pending ||= pending === true;
    }
    return whole;
}

/** A cursor is made of characters that an address takes as they are. */
const page = (path, cursor) => request("GET", path + (cursor ? `?cursor=${cursor}` : ""));

export const hello = (patience) => request("GET", "/api/hello", undefined, { patience });
export const certificate = () => request("GET", "/api/certificate");
export const addresses = () => request("GET", "/api/addresses");
export const session = () => request("GET", "/api/session");
/** `fields`: `password` or `passkey`, and perhaps `keep` and `migrate`. The answer tells what became of a guest's photos. */
export const openVault = (fields) => request("POST", "/api/session", fields);
export const createVault = (fields) => request("POST", "/api/vaults", fields);
/**
 * One tab of a browser after the other: the second one has the first one's cookie by then, and gets the same space. Two
 * at a time would each get one, and nobody would have the cookie of the first.
 */
export const beginGuest = () => alone("guest", () => request("POST", "/api/guest"));
export const endGuest = () => request("DELETE", "/api/guest");
/** Tells the other devices of the vault how far this one is: `{device, done, total}`. */
export const tellSending = (report) => request("POST", "/api/session/sending", report);
/** Puts the lock of an open vault off: a question about nothing. */
export const stayOpen = () => request("POST", "/api/session/use");
export const lock = () => request("DELETE", "/api/session");
export const openSessions = () => request("GET", "/api/sessions");
export const endSession = (id) => request("DELETE", `/api/sessions/${encodeURIComponent(id)}`);
/** While the page is being closed: nobody hears the answer. */
export const lockWhileLeaving = () => {
    fetch("/api/session", { method: "DELETE", keepalive: true }).catch(() => {});
};
export const lockEverywhere = () => request("DELETE", "/api/sessions");
export const acceptLoss = () => request("POST", "/api/session/accept-loss");
export const changePassword = (fields) => request("PUT", "/api/vault/password", fields);
export const ways = () => request("GET", "/api/vault/ways");
export const addWay = (fields) => request("POST", "/api/vault/ways", fields);
export const removeWay = (id, current) =>
    request("DELETE", `/api/vault/ways/${encodeURIComponent(id)}`, { current });
/**
 * Whether `current` opens this vault, before something is done that cannot be undone elsewhere: the host looks at it
 * before it looks for the way to remove, and there is none of this name.
 */
export async function prove(current) {
    try {
        await removeWay(base64URL(crypto.getRandomValues(new Uint8Array(8))), current);
    } catch (error) {
        if (error.code !== "no-such-way") throw error;
    }
}
/** These two take as long as all entries of the vault take. */
export const rotateKey = (password) => request("POST", "/api/vault/rotate", { password }, { patience: Infinity });
export const eraseVault = (password) => request("DELETE", "/api/vault", { password }, { patience: Infinity });
export const photo = (id, signal) => request("GET", `/api/photos/${encodeURIComponent(id)}`, undefined, { signal });
/** `{photos, cursor}`: those that came last, or a later page. */
export const photos = (cursor) => page("/api/photos", cursor);
/** `[["2024-05", 31]…]`, the newest month first. */
export const timeline = () => request("GET", "/api/timeline");
/** At most 500 photos of a month, column by column, without the `skip` newest. */
export const timelineMonth = (month, skip, signal) =>
    request("GET", `/api/timeline/${month}${skip > 0 ? `?skip=${skip}` : ""}`, undefined, { signal });
/** `{photos, cursor}`: those that were deleted last, or a later page. */
export const trash = (cursor) => page("/api/trash", cursor);
export const moveToTrash = (ids) => inParts("/api/photos/delete", ids);
export const restore = (ids) => inParts("/api/photos/restore", ids);
export const deleteForGood = (ids) => inParts("/api/trash/delete", ids);
export const createBatch = () => request("POST", "/api/batches");
export const finishBatch = (id) => request("POST", `/api/batches/${encodeURIComponent(id)}/finish`);
export const batch = (id) => request("GET", `/api/batches/${encodeURIComponent(id)}`);
/** `known`, `maybe` or `new` for each question; only an open vault may be asked. */
export const checkContent = (questions) => request("POST", "/api/uploads/check", questions);
export const skipUpgrade = (version) => request("POST", "/api/upgrade/skip", { version });

export const qrPath = (address) => `/api/qr.svg?address=${encodeURIComponent(address)}`;
/** Of the video in a photo's own file that video alone. */
export const originalPath = (photo) =>
    `/api/photos/${encodeURIComponent(photo.id)}/${photo.isMotion ? "motion" : "original"}`;
export const cleanCopyPath = (photo) => `${originalPath(photo)}?metadata=none`;
export const previewPath = (photo) => `/api/photos/${encodeURIComponent(photo.id)}/preview`;
