// An upload that a reload cut short. The browser keeps the id of its batch and a number, in this tab and until the upload
// ends or the vault is locked: no name, and nothing that another vault's session could make sense of.
import * as api from "../base/api.js";

const key = "safelight.upload";

/** @type {string | null} */
let noted = null;

/**
 * @param {string} batch
 * @param {number} total
 */
export function note(batch, total) {
    const words = JSON.stringify({ batch, total });
    if (words === noted) return;
    try {
        sessionStorage.setItem(key, words);
        noted = words;
    } catch {
        // Storage may be refused; then nobody is told, and choosing the files again goes on all the same.
    }
}

export function forget() {
    noted = null;
    try {
        sessionStorage.removeItem(key);
    } catch {
        // Nothing was stored either.
    }
}

/**
 * `{saved, total}` of what was cut short here, or null; null too where it was meant for another place than this.
 * @returns {Promise<{saved: number, total: number} | null>}
 */
export async function cutShort() {
    const noted = read();
    if (!noted) return null;
    try {
        const { saved, duplicates } = await api.batch(noted.batch);
        return { saved: saved + duplicates, total: noted.total };
    } catch {
        return null;
    }
}

/** @returns {{batch: string, total: number} | null} */
function read() {
    try {
        return JSON.parse(sessionStorage.getItem(key) ?? "null");
    } catch {
        return null;
    }
}
