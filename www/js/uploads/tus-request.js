// One request of tus 1.0.0 (tus.io). XMLHttpRequest is the one way to see how far a body has come.
import * as api from "../base/api.js";
import { addressOf, ownFields, pathOf } from "../base/api.js";
import { sha256 } from "../files/file-reading.js";

/** @typedef {{headers?: Record<string, string>, body?: Blob | ArrayBuffer | null,
 *     onProgress?: (loaded: number) => void}} TusOptions */

/** Without a byte moving for so long, the link is taken for dead. */
const silence = 30_000;
/** After the last byte the host writes, syncs and answers; a busy disk may take its time. */
const answerPatience = 120_000;

export class TusRequest {
    /** @type {((outcome: Outcome) => void) | null | undefined} */ resolve;
    /** @type {number} */ lastAlive;
    /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;

    /** `body` may be null; `onProgress` gets the bytes of it that have left.
     * @param {string} method @param {string} path @param {TusOptions} options */
    constructor(method, path, { headers = {}, body = null, onProgress = () => {} } = {}) {
        this.request = new XMLHttpRequest();
        this.request.open(method, addressOf(path));
        /** @type {Record<string, string>} */ const all = { "Tus-Resumable": "1.0.0", ...ownFields(), ...headers };
        if (body) all["Content-Type"] = "application/offset+octet-stream";
        for (const [name, value] of Object.entries(all)) this.request.setRequestHeader(name, value);
        this.body = body;
        this.onProgress = onProgress;
    }

    /** Resolves with `{status, text, retryAfter, offset, location, photo, isDuplicate, sidecar}`, or with `{failure}`: `silent`,
     * `network`, or what `end` was told.
     * @returns {Promise<Outcome>} */
    send() {
        return new Promise((resolve) => {
            this.resolve = resolve;
            const { request } = this;
            request.upload.onprogress = ({ loaded }) => {
                this.alive(silence);
                this.onProgress(loaded);
            };
            request.upload.onload = () => this.alive(answerPatience);
            request.onload = () => this.settle(answer(request));
            request.onerror = () => this.settle({ failure: "network" });
            request.onabort = () => this.settle({ failure: "aborted" });
            this.alive(silence);
            request.send(this.body);
        });
    }

    /** Milliseconds since a byte moved. */
    get silentFor() { return Date.now() - this.lastAlive; }

    /** @param {number} patience */
    alive(patience) {
        this.lastAlive = Date.now();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.end("silent"), patience);
    }

    /** @param {string} failure */
    end(failure) {
        this.settle({ failure });
        this.request.abort();
    }

    /** @param {Outcome} outcome */
    settle(outcome) {
        clearTimeout(this.timer);
        this.resolve?.(outcome);
        this.resolve = null;
    }
}

/** @param {XMLHttpRequest} request @returns {Outcome} */
function answer(request) {
    /** @param {string} name */
    const field = (name) => request.getResponseHeader(name);
    const offset = field("Upload-Offset");
    return {
        status: request.status, text: request.responseText, retryAfter: field("Retry-After"),
        offset: offset === null ? null : Number(offset), location: pathOf(field("Location")),
        photo: field("Safelight-Photo"), isDuplicate: field("Safelight-Duplicate") === "true", sidecar: field("Safelight-Sidecar"),
    };
}

/** `Upload-Metadata`: keys with their values in Base64 of UTF-8; those that are null are left out.
 * @param {Record<string, string | number | null>} values @returns {string} */
export function metadata(values) {
    return Object.entries(values).filter(([, value]) => value !== null)
        .map(([key, value]) => `${key} ${base64(new TextEncoder().encode(String(value)))}`).join(",");
}

/** @param {Uint8Array} sha256 @returns {string} */
export function checksum(sha256) {
    return `sha256 ${base64(sha256)}`;
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
    return btoa(String.fromCharCode(...bytes));
}

// What tells a file from every other: by it the host finds an upload that was begun, and content that it has.

/** The client id of a file: the same when the same file is chosen again out of the same `folder`, so that nothing needs to be
 * remembered here to go on with it. Two entries of one archive are two, whatever they say of themselves. A file of one piece is known by all of its bytes, a longer one by its ends and the time of its last change.
 * The host keeps it sealed in the vault. Without digests (plain HTTP) it is random, and holds as long as the page.
 * @param {File} file @param {Uint8Array | null} first @param {Uint8Array | null} last @param {string} [folder]
 * @returns {Promise<string>} */
export async function clientID(file, first, last, folder) {
    if (!first) return api.base64URL(crypto.getRandomValues(new Uint8Array(16)));
    const place = file.entry ? [file.entry.offset] : [];
    const about = JSON.stringify([file.name, file.size, last ? file.lastModified : null, ...(folder ? [folder] : []), ...place]);
    const digest = await sha256(new TextEncoder().encode(about), first, ...(last ? [last] : []));
    return api.base64URL(/** @type {Uint8Array} */ (digest));
}

/** The digest of the last piece of a file, or null where it has one piece, or nothing can be hashed. Of one in an archive that has
 * a checksum that of this: its last piece is not to be had without all before it.
 * @param {File} file @param {FilePieces} pieces @returns {Promise<Uint8Array | null>} */
export async function lastDigest(file, pieces) {
    if (!crypto.subtle || file.size <= pieces.byteCount) return null;
    if (file.entry && file.entry.crc !== null) return sha256(new TextEncoder().encode(String(file.entry.crc)));
    const offset = Math.floor((file.size - 1) / pieces.byteCount) * pieces.byteCount;
    return pieces.digestAt(offset);
}

/** Whether the open vault has this content, read back from disk. `first` and `last` are digests of its ends; all of a
 * long file is read only where the ends are known.
 * @param {File} file @param {FilePieces} pieces @param {Uint8Array} first @param {Uint8Array | null} last
 * @returns {Promise<boolean>} */
export async function isContentKnown(file, pieces, first, last) {
    const { size } = file;
    if (!last) return await ask({ size, sha256: hexadecimal(first) }) === "known";
    if (await ask({ size, first: hexadecimal(first), last: hexadecimal(last) }) === "new") return false;
    /** @type {Uint8Array[]} */ const digests = [];
    for (let offset = 0; offset < size; offset += pieces.byteCount) {
        digests.push(/** @type {Uint8Array} */ (await pieces.digestAt(offset)));
    }
    return await ask({ size, tree: hexadecimal(/** @type {Uint8Array} */ (await sha256(...digests))) }) === "known";
}

/** @param {object} question */
async function ask(question) {
    const [answer] = await api.checkContent([question]);
    return answer;
}

/** @param {Uint8Array} bytes @returns {string} */
function hexadecimal(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
