// What is uploaded together: the host reads each photo of it back from disk and says when all of them are checked.
import * as api from "../base/api.js";
import { keepText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { noteUpgrade } from "../base/upgrade-noted.js";

/** What was cut off may arrive whole a moment later: so long, in milliseconds, the host is asked again how many there are. */
const recountPauses = [500, 1000, 2000];
/** Reading back takes as long as it takes; asking less and less often costs nobody anything. */
const pauses = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];

export class Batch {
    /** @type {boolean | undefined} */ isFinished;
    /** @type {boolean | undefined} */ isLeft;
    /** How many of it are counted as saved, once the host has said so.
     * @type {number | null} */
    told = null;
    /** Something was left out while it was on its way. */
    isCut = false;
    /** How many photos of it were read back, null before the host has said so.
     * @type {number | null} */
    verified = null;
    /** Photos of it whose names were forgotten at a lock before they were read back. */
    earlier = 0;
    /** Such as were in the host's hands before, and are of no number of this batch.
     * @type {Pick<Item, "photo" | "path" | "cid">[]} */
    found = [];
    /** Whether it was begun in a vault: what a guest has lies in none. */
    isOfVault = false;
    /** Once all are: `{name, size, sha256}` for each.
     * @type {ReceiptLine[]} */
    receipt = [];

    constructor() {
        /** Resolves with the id, or with null where there is none: the photos are saved without one.
         * @type {Promise<string | null>} */
        this.id = api.createBatch().then((answer) => answer.id, () => null);
    }

    /** No file follows. Resolves with what the host says once all is read back, or with null; `onVerified()` is called as
     * that gets on.
     * @param {() => void} [onVerified] @returns {Promise<BatchStatus | null>} */
    async finish(onVerified = () => {}) {
        this.isFinished = true;
        const id = await this.id;
        if (!id) return null;
        try {
            let status = await this.ask(() => api.finishBatch(id));
            for (let round = 0; !status?.done; round += 1) {
                if (status) {
                    this.verified = status.verified;
                    onVerified();
                }
                await pause(pauses[Math.min(round, pauses.length - 1)]);
                if (this.isLeft) return null;
                status = await this.ask(() => (status ? api.batch(id) : api.finishBatch(id))) ?? status;
            }
            this.verified = status.verified;
            this.receipt = status.receipt ?? [];
            return status;
        } catch {
            // The session ended, or another place is open: the photos are saved all the same.
            return null;
        }
    }

    /** What the host says of it later, once it is finished.
     * @returns {AsyncGenerator<BatchStatus>} */
    async *recounts() {
        const id = /** @type {string} */ (await this.id);
        for (const time of recountPauses) {
            await pause(time);
            const status = this.isLeft ? null : await this.ask(() => api.batch(id)).catch(() => null);
            if (status && !this.isLeft) yield status;
        }
    }

    /** Whether the place that is open has it; null where nobody can say. Ids of other places mean nothing there.
     * @returns {Promise<boolean | null>} */
    async isKnown() {
        const id = await this.id;
        if (!id) return null;
        try {
            return await this.ask(() => api.batch(id)) ? true : null;
        } catch {
            return false;
        }
    }

    /** Nobody waits for it any more. */
    leave() {
        this.isLeft = true;
    }

    /** Null where there is no answer.
     * @param {() => Promise<BatchStatus>} question @returns {Promise<BatchStatus | null>} */
    async ask(question) {
        try {
            const status = await question();
            // The host says it once: whoever waits for the photos or not, it must not be lost.
            noteUpgrade(status.upgrade, { isOpen: true });
            return status;
        } catch (error) {
            if (error instanceof api.Unreachable) return null;
            throw error;
        }
    }
}

/** @param {number} milliseconds @returns {Promise<void>} */
function pause(milliseconds) {
    return new Promise((resolve) => { setTimeout(resolve, milliseconds); });
}

// What was saved and read back, to keep beside the photos: a file of lines that spreadsheets open.

/** What was read back of photos, and found whole.
 * @param {Photo[]} photos @returns {ReceiptLine[]} */
export const linesOf = (photos) => photos.flatMap(({ name, size, sha256, verifiedAt, damaged }) =>
    (sha256 && verifiedAt && !damaged ? [{ name, size, sha256 }] : []));

/** Saves the host's receipt of a batch, a list of `{name, size, sha256}`. Gives what forgets it.
 * @param {ReceiptLine[]} entries @returns {() => void} */
export function keepReceipt(entries) {
    const day = new Date().toLocaleDateString("sv");
    // The mark at the beginning tells spreadsheets that it is UTF-8.
    return keepText(`\uFEFF${receiptOf(entries)}`, "text/csv", `safelight-${day}.csv`);
}

/** Lines of values separated by commas, as RFC 4180 has them; the first names the columns.
 * @param {ReceiptLine[]} entries @returns {string} */
export function receiptOf(entries) {
    const heads = [t("receipt.name"), t("receipt.size"), "SHA-256"];
    const lines = [heads, ...entries.map(({ name, size, sha256 }) => [harmless(name), size, sha256])];
    return lines.map((values) => `${values.map(quoted).join(",")}\r\n`).join("");
}

/** A spreadsheet would take such a name for a formula and reckon with it.
 * @param {string} name */
function harmless(name) {
    return /^[=+\-@\t\r]/.test(name) ? `'${name}` : name;
}

/** @param {string | number} value */
function quoted(value) {
    return `"${String(value).replaceAll('"', '""')}"`;
}

// An upload that a reload cut short. The browser keeps the id of its batch and a number, in this tab and until the upload
// ends or the vault is locked: no name, and nothing that another vault's session could make sense of.

const key = "safelight.upload";

/** @type {string | null} */ let noted = null;

/** @param {string} batch @param {number} total */
export function noteInterruption(batch, total) {
    const words = JSON.stringify({ batch, total });
    if (words === noted) return;
    try {
        sessionStorage.setItem(key, words);
        noted = words;
    } catch {
        // Storage may be refused; then nobody is told, and choosing the files again goes on all the same.
    }
}

export function forgetInterruption() {
    noted = null;
    try {
        sessionStorage.removeItem(key);
    } catch {
        // Nothing was stored either.
    }
}

/** `{saved, total}` of what was cut short here, or null; null too where it was meant for another place than this.
 * @returns {Promise<{saved: number, total: number} | null>} */
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
