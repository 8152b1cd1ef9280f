// What tells a file from every other: by it the host finds an upload that was begun, and content that it has.
import * as api from "../base/api.js";
import { sha256 } from "../files/file-reading.js";

/**
 * The client id of a file: the same when the same file is chosen again, so that nothing needs to be remembered here to go
 * on with it. A file of one piece is known by all of its bytes, a longer one by its ends and the time of its last change.
 * The host keeps it sealed in the vault. Without digests (plain HTTP) it is random, and holds as long as the page.
 * @param {File} file
 * @param {Uint8Array | null} first
 * @param {Uint8Array | null} last
 * @returns {Promise<string>}
 */
export async function clientID(file, first, last) {
    if (!first) return api.base64URL(crypto.getRandomValues(new Uint8Array(16)));
    const about = JSON.stringify([file.name, file.size, last ? file.lastModified : null]);
    const digest = await sha256(new TextEncoder().encode(about), first, ...(last ? [last] : []));
    return api.base64URL(/** @type {Uint8Array} */ (digest));
}

/**
 * The digest of the last piece of a file, or null where it has one piece, or nothing can be hashed.
 * @param {File} file
 * @param {FilePieces} pieces
 * @returns {Promise<Uint8Array | null>}
 */
export async function lastDigest(file, pieces) {
    if (!crypto.subtle || file.size <= pieces.byteCount) return null;
    const offset = Math.floor((file.size - 1) / pieces.byteCount) * pieces.byteCount;
    return pieces.digestAt(offset);
}

/**
 * Whether the open vault has this content, read back from disk. `first` and `last` are digests of its ends; all of a
 * long file is read only where the ends are known.
 * @param {File} file
 * @param {FilePieces} pieces
 * @param {Uint8Array} first
 * @param {Uint8Array | null} last
 * @returns {Promise<boolean>}
 */
export async function isContentKnown(file, pieces, first, last) {
    const { size } = file;
    if (!last) return await ask({ size, sha256: hexadecimal(first) }) === "known";
    if (await ask({ size, first: hexadecimal(first), last: hexadecimal(last) }) === "new") return false;
    /** @type {Uint8Array[]} */
    const digests = [];
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

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
function hexadecimal(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
