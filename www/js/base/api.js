// The host's interface. One place knows the paths; what all requests have in common stands beside.
import { base64URL, inParts, request } from "./request.js";
export * from "./request.js";

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
    `/api/photos/${encodeURIComponent(photo.id)}/${photo.isMotion ? "motion" : "original"}`;
/** @param {Photo} photo */
export const cleanCopyPath = (photo) => `${originalPath(photo)}?metadata=none`;
/** @param {Photo} photo */
export const previewPath = (photo) => `/api/photos/${encodeURIComponent(photo.id)}/preview`;
