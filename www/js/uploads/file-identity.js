// What tells a file from every other: by it the host finds an upload that was begun, and content that it has.
import * as api from "../base/api.js";
import { sha256 } from "../files/file-pieces.js";

/**
 * The client id of a file: the same when the same file is chosen again, so that nothing needs to be remembered here to go
 * on with it. A file of one piece is known by all of its bytes, a longer one by its ends and the time of its last change.
 * The host keeps it sealed in the vault. Without digests (plain HTTP) it is random, and holds as long as the page.
 */
export async function clientID(file, first, last) {
    if (!first) return api.base64URL(crypto.getRandomValues(new Uint8Array(16)));
    const about = JSON.stringify([file.name, file.size, last ? file.lastModified : null]);
    return api.base64URL(await sha256(new TextEncoder().encode(about), first, ...(last ? [last] : [])));
}

/** The digest of the last piece of a file, or null where it has one piece, or nothing can be hashed. */
export async function lastDigest(file, pieces) {
    if (!crypto.subtle || file.size <= pieces.byteCount) return null;
    const offset = Math.floor((file.size - 1) / pieces.byteCount) * pieces.byteCount;
    return pieces.digestAt(offset);
}

/**
 * Whether the open vault has this content, read back from disk. `first` and `last` are digests of its ends; all of a
 * long file is read only where the ends are known.
 */
export async function isContentKnown(file, pieces, first, last) {
    const { size } = file;
    if (!last) return await ask({ size, sha256: hexadecimal(first) }) === "known";
    if (await ask({ size, first: hexadecimal(first), last: hexadecimal(last) }) === "new") return false;
    const digests = [];
    for (let offset = 0; offset < size; offset += pieces.byteCount) digests.push(await pieces.digestAt(offset));
    return await ask({ size, tree: hexadecimal(await sha256(...digests)) }) === "known";
}

async function ask(question) {
    const [answer] = await api.checkContent([question]);
    return answer;
}

function hexadecimal(bytes) {
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
