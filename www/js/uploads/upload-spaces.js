// The places for which files are chosen, such as a vault or a space at a door, and the batches that they go with: what the
// host reads back, and what is left behind where another place is opened.
import { Batch, noteInterruption, forgetInterruption } from "./batch.js";
import { Queue } from "./queue.js";

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
