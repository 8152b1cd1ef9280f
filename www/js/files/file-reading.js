// Files are read and hashed by a worker, which is asked here.
import { Unreachable } from "../base/api.js";
import { leaveIfOutdated } from "../base/outdated.js";

/** @typedef {{resolve: (answer: any) => void, reject: (error: Error) => void}} Asked */

/** The device cannot read the file any more, or it has changed. */
export class Unreadable extends Error {}

const address = String(new URL("./upload-worker.js", import.meta.url));
/** The page's one policy of Trusted Types: this script may run in a thread, and no other. */
const policy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("vault", { createScriptURL: () => address });

/** @type {Worker | null} */
let worker = null;
let nextId = 1;
/** @type {Map<number, Asked>} */
const asked = new Map();

/**
 * `{digest, facts}` of the bytes from `begin` up to, but not with, `end`: SHA-256, or null over plain HTTP, where browsers
 * offer no digest; what `sniff` says of them, where `wantsFacts`. Throws `Unreadable`, and `Unreachable` where the host did
 * not give the worker.
 * @param {File} file
 * @param {number} begin
 * @param {number} end
 * @param {{wantsFacts?: boolean}} options
 * @returns {Promise<Reading>}
 */
export function read(file, begin, end, { wantsFacts = false } = {}) {
    return ask({ file, begin, end, wantsFacts });
}

/**
 * `{picture, isRough}`: a small picture of a photo, as a Blob, null where this browser cannot decode it; rough where it is the
 * one that the camera put into the file.
 * @param {Blob} file
 * @returns {Promise<{picture: Blob | null, isRough: boolean}>}
 */
export function smallPictureOf(file) {
    return ask({ file, isPicture: true });
}

/**
 * `{taken, first}`: when it was taken, as `dateOf` says it, null where that cannot be told here; of a short file what `read` says.
 * @param {File} file
 * @returns {Promise<{taken: Partial<CivilTime> | null, first: Reading | null}>}
 */
export function firstLookAt(file) {
    return ask({ file, isDate: true });
}

/**
 * @param {object} question
 * @returns {Promise<any>}
 */
function ask(question) {
    return new Promise((resolve, reject) => {
        worker ??= start();
        asked.set(nextId, { resolve, reject });
        worker.postMessage({ ...question, id: nextId });
        nextId += 1;
    });
}

/** Fetches the worker before a file is chosen. */
export function prepareToRead() {
    worker ??= start();
}

function start() {
    const made = new Worker(policy?.createScriptURL(address) ?? address, { type: "module" });
    made.addEventListener("message", ({ data }) => {
        const { resolve, reject } = /** @type {Asked} */ (asked.get(data.id));
        asked.delete(data.id);
        if (data.failure) reject(new Unreadable(data.failure));
        else resolve(data);
    });
    made.addEventListener("error", (event) => {
        // Whoever asked tries again later, with another worker.
        event.preventDefault();
        made.terminate();
        worker = null;
        for (const { reject } of asked.values()) reject(new Unreachable("the worker did not come"));
        asked.clear();
        // Without an answer nobody knows yet.
        leaveIfOutdated().catch(() => {});
    });
    return made;
}
