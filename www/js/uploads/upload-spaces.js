// The places for which files are chosen, such as a vault or a space at a door, and the batches that they go with: what the
// host reads back, and what is left behind where another place is opened.
import { Queue } from "./queue.js";
import * as api from "../base/api.js";
import { keepText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { noteUpgrade } from "../base/browser.js";

// What is uploaded together: the host reads each photo of it back from disk and says when all of them are checked.

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
function noteInterruption(batch, total) {
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

/** So many files in a row that the host did not have: then it is not asked any more before each of them. */
export const mostNews = 5;

/** A place for which files are chosen, with the last batch that was begun there.
 * @returns {Space} */
export function newSpace() {
    return { batch: null };
}

/** What `Uploads` knows of places and batches. */
export class UploadSpaces extends EventTarget {
    /** @type {Queue} */ queue;
    /** @type {number} */ asksFirst;
    /** @type {Set<Promise<unknown>>} */ endings;
    /** @type {Space} */ space;
    /** @type {Batch | null} */ batch;
    /** @type {Set<Batch>} */ batches;
    /** @type {BatchStatus | null} */ checked;
    /** What only sending needs comes with the inside, where files are chosen: the door must be there quickly.
     * @type {Carrying} */
    sending = /** @type {any} */ (null);
    /** A vault is open, which may be asked what it has. A guest learns nothing by asking. */
    isVault = false;

    /** What waits was chosen while nothing was open. */
    get isOfNoPlace() { return this.space.isOpen === true; }

    /** Somebody opens something here, and by that says where those go. */
    claimSpace() {
        if (this.space.isOpen) this.space.isClaimed = true;
    }

    /** Files that wait and were chosen for another place than the one that is open. */
    get strangers() {
        return [...this.queue.states.waiting].filter((item) => item.space !== this.space);
    }

    /** What another place has of it is of no use here.
     * @param {Item} item */
    bringHere(item) {
        if (item.space !== this.space) Object.assign(item, { space: this.space, path: null, offset: null, sent: 0 });
    }

    /** Another session holds. No answer tells which vault it is of; but only the place for which files were chosen knows
     * their batch. Where there is none to ask about, `hasMoved` says whether the place has moved along.
     * @param {boolean} hasMoved */
    async findSpace(hasMoved) {
        const { space } = this;
        if (space.isClaimed) {
            Object.assign(space, { isOpen: false, isClaimed: false });
            return;
        }
        const isSame = await space.batch?.isKnown() ?? hasMoved;
        if (!isSame && space === this.space) this.leaveSpace();
    }

    /** One is in another place now: what arrives of those that are going is not shown here, and what waits stays. */
    leaveSpace() {
        this.space = newSpace();
        this.leaveBatches();
        this.queue.forgetSaved();
        this.changed();
    }

    leaveBatches() {
        for (const batch of this.batches ?? []) batch.leave();
        /** The one that files go with, and all that are still to be read back or were. */
        this.batch = null;
        this.batches = new Set();
        this.checked = null;
    }

    /** What goes on after a lock goes with the same batch, which knows no names before its end. */
    leaveFinishedBatches() {
        for (const { batch, isChecked, isCounted, photo, cid } of this.queue.states.saved) {
            if (batch && !isChecked && isCounted) batch.earlier += 1;
            else if (batch && !isChecked) batch.found.push({ photo, path: null, cid });
        }
        for (const batch of [...this.batches].filter(({ isFinished }) => isFinished)) {
            batch.leave();
            this.batches.delete(batch);
        }
        this.checked = null;
    }

    /** Whether all that was saved was read back from disk and found whole, also what was saved before a lock. */
    get isChecked() {
        return [...this.queue.states.saved].every((item) => item.isChecked)
            && [...this.batches].every(({ earlier, found }) => earlier === 0 && found.length === 0);
    }

    /** Photos that the host has read back so far, null before it has said so.
     * @returns {number | null} */
    get readBack() {
        const counts = /** @type {number[]} */ ([...this.batches].map(({ verified }) => verified)
            .filter((count) => count !== null));
        return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count);
    }

    /** What was sent and read back: `{name, size, sha256}` for each. */
    get receipt() { return [...this.batches].flatMap(({ receipt }) => receipt); }

    /** What is left out is settled with the host before the batch is called finished.
     * @param {Promise<unknown>} work */
    awaitEnding(work) {
        /** @type {Promise<unknown>} */ const ending = work.finally(() => this.endings.delete(ending));
        this.endings.add(ending);
    }

    /** Asks the host to say when all is read back. */
    async finishBatch() {
        const { batch } = this;
        forgetInterruption();
        await Promise.all(this.endings);
        if (batch !== this.batch) return;
        const status = await batch?.finish(() => this.changed());
        if (!status || !batch || batch.isLeft) return;
        this.checked = { ...status, upgrade: status.upgrade ?? this.checked?.upgrade };
        await this.markChecked(batch, status);
        this.dispatchEvent(new CustomEvent("checked", { detail: status }));
        if (!batch.isCut) return;
        for await (const later of batch.recounts()) await this.markChecked(batch, later);
        this.changed();
    }

    /** What was left out may have arrived whole, and its answer been lost: how many came, the host has counted.
     * @param {Batch} batch @param {BatchStatus} status */
    countLost(batch, { saved, duplicates }) {
        const known = [...this.queue.states.saved].filter((item) => item.batch === batch && item.isCounted).length;
        const told = batch.told ?? known + batch.earlier;
        const lost = Math.max(0, saved + duplicates - told);
        this.queue.countUnnamed(lost);
        batch.earlier += lost;
        batch.told = told + lost;
    }

    /** Nothing is called checked that the host has not read back: an upload that was found may be of an older batch.
     * @param {Batch} batch @param {BatchStatus} status */
    async markChecked(batch, status) {
        this.countLost(batch, status);
        const items = [...this.queue.states.saved].filter((item) => item.batch === batch && !item.isChecked);
        const counted = items.filter(({ isCounted }) => isCounted);
        const isAll = status.failed === 0 && status.verified >= counted.length + batch.earlier;
        if (isAll) batch.earlier = 0;
        for (const item of isAll ? counted : []) item.isChecked = true;
        const unread = items.filter(({ isChecked }) => !isChecked);
        const found = await this.sending.readBackOf([...unread, ...batch.found], items.filter(({ isChecked }) => isChecked));
        if (batch.isLeft) return;
        for (const item of unread) item.isChecked = found.has(item);
        batch.found = batch.found.filter((one) => !found.has(one));
    }

    /** The id of the batch that it goes with, or null; a batch that could not be begun is tried again with the next.
     * @param {Item} item @returns {Promise<string | null>} */
    async batchFor(item) {
        // One that is being read back stays: what failed in it and is tried again goes with another.
        if (!this.batch || this.batch.isFinished) {
            this.batch = new Batch();
            this.batch.isOfVault = this.isVault;
            this.batches.add(this.batch);
        }
        const { batch } = this;
        item.batch = batch;
        item.isChecked = false;
        const id = await batch.id;
        if (id) item.space.batch = batch;
        else if (batch === this.batch) this.batch = null;
        if (id && batch === this.batch) noteInterruption(id, this.queue.total - this.queue.failed);
        return id;
    }

    changed() { this.dispatchEvent(new Event("change")); }

    get wayToAsk() {
        if (this.asksFirst > 0) return this.isVault ? "content" : "creation";
        return this.isVault ? "long" : null;
    }

    /** The same files may have been chosen again. */
    askFirst() {
        this.asksFirst = mostNews;
    }
}
