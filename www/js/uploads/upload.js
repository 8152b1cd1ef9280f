// Carries the queue out: three files at once, each with one piece on its way.
import * as api from "../base/api.js";
import { forgetInterruption, mostNews, newSpace, UploadSpaces } from "./upload-spaces.js";
import { Pace, Queue } from "./queue.js";

const parallel = 3;
/** So many more are read and hashed meanwhile, so that none of the three waits for that. */
const ahead = 3;
/** A page that comes back after a sleep gives a silent connection so long. */
const wakeSilence = 5000;
/** Refusals that meet every file alike: the queue stops, and goes on when somebody has mended the cause. */
export const stops = ["disk-full", "vault-full", "guest-full", "door-full", "door-share", "read-only", "tls-required"];
/** Reasons to begin nothing new that let arrive what is going. */
const gentle = ["paused", "opening", "asking"];

/** Emits `change` (rows or counts), `dated` when it is known when a file's photo was taken, `saved` (detail: `{id, duplicate,
 * item}`), `finished`, `checked` (detail: the batch) once the host has read back what was saved, and `astray` when what is
 * open is perhaps not the place for which files were chosen. */
export class Uploads extends UploadSpaces {
    /** @type {import("./upload-carrying.js").UploadPictures | undefined} */ pictures;
    /** @type {import("./upload-carrying.js").UploadDates | undefined} */ dates;
    /** @type {Pace} */ pace;
    /** @type {Map<Item, import("./upload-transfer.js").Transfer>} */ transfers;
    /** @type {WeakMap<Item, Promise<void>>} */ runs;
    /** @type {import("./upload-carrying.js").Findings | null} */ findings;
    /** @type {Set<string>} */ holds;
    /** @type {number} */ generation;
    /** @type {ReturnType<typeof setTimeout> | undefined} */ timer;
    /** Of a page that gives and does not keep: files that were taken already, by their client ids.
     * @type {((cid: string) => boolean) | undefined} */
    wasGiven;

    /** `pieceBytes` is how much the host wants in one request.
     * @param {{fileByteLimit?: number, pieceBytes?: number}} options */
    constructor({ fileByteLimit = Infinity, pieceBytes = 8 * 1024 * 1024 } = {}) {
        super();
        this.fileByteLimit = fileByteLimit;
        this.pieceBytes = pieceBytes;
        this.reset();
        document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") this.wake(); });
        // Browsers let a page go on in the background, too.
        document.addEventListener("resume", () => this.wake());
        api.onReachability((reachable) => { if (reachable) this.release("offline"); else this.hold("offline"); });
    }

    reset() {
        for (const transfer of this.transfers?.values() ?? []) transfer.stop();
        clearTimeout(this.timer);
        // What a reload cut short is still to be told.
        if (this.queue) forgetInterruption();
        this.leaveBatches();
        this.queue = new Queue();
        this.pace = new Pace();
        this.pictures?.forget();
        this.dates?.forget();
        this.transfers = new Map();
        this.runs = new WeakMap();
        this.endings = new Set();
        /** What the files of the batch show of the way they came, once the first was read. */
        this.findings = null;
        /** Files in a row that the host may have already are asked about before they are sent. */
        this.asksFirst = 0;
        this.holds = new Set();
        this.space = newSpace();
        this.generation = (this.generation ?? 0) + 1;
        this.changed();
    }

    /** Bytes that have left this device in the batch. */
    get sentBytes() { return this.queue.savedBytes + this.queue.inFlightBytes; }
    get isPaused() { return this.holds.has("paused"); }
    /** True where even what is going must stop; a pause lets it arrive. */
    get isHeldBack() { return [...this.holds].some((reason) => !gentle.includes(reason)); }

    /** Gives what is to be sent of them. `album`: the name of the one that they go to.
     * @param {Iterable<File>} files @param {{space?: Space, album?: string | null}} options */
    add(files, { space = this.space, album = null } = {}) {
        if (this.queue.unsent === 0) {
            this.pace = new Pace();
            this.findings = null;
            this.leaveBatches();
        }
        const added = this.queue.add(files, space, album);
        for (const item of added) if (item.size > this.fileByteLimit) this.queue.fail(item, "too-large");
        this.holds.delete("paused");
        this.readDates();
        this.changed();
        this.pump();
        return added;
    }

    /** When they were taken, once the parts that read files are there. */
    readDates() {
        if (!this.sending) return;
        this.dates ??= new this.sending.UploadDates(() => this.dispatchEvent(new Event("dated")), () => this.pump());
        this.dates.want([...this.queue.states.waiting].filter(({ dating, file }) => !dating && file));
    }

    /** Nothing is sent, for the dates of all come first, or somebody has to answer. */
    get isHeld() { return this.holds.size > 0 || Boolean(this.dates?.isFirst); }

    /** Files are on their way, and no byte of them has left for seconds. */
    get isSilent() { return this.queue.uploading > 0 && this.holds.size === 0 && this.pace.isSilent(Date.now()); }

    get isReadingDates() { return this.dates?.isReading ?? false; }

    /** A small picture of a file, as a Blob, while somebody looks at it; null where this device can make none.
     * @param {Item} item @param {File} [file] @returns {Promise<Blob | null>} */
    pictureOf(item, file) {
        this.pictures ??= new this.sending.UploadPictures(this);
        return this.pictures.want(item, file);
    }

    /** Files that came while nothing was open: they wait, and what somebody opens next on this page is the place for them.
     * @param {File[]} files */
    addOutside(files) {
        this.hold("locked");
        if (this.queue.unsent === 0) this.space = { ...newSpace(), isOpen: true };
        this.add(files);
    }

    /** Files that were chosen for something that is closed, while something else is open: somebody is asked.
     * @param {File[]} files */
    addStrange(files) {
        this.add(files, { space: newSpace() });
        this.doubtSpace();
    }

    /** Reasons to send nothing new: `paused`, `opening` while a vault is being opened, `asking` while it is not clear
     * whether files may go to the one that is open, `locked`, `offline`, and the `stops`. All but the first three take
     * back what is going.
     * @param {string} reason */
    hold(reason) {
        if (this.holds.has(reason)) return;
        this.holds.add(reason);
        if (!gentle.includes(reason)) for (const transfer of [...this.transfers.values()]) transfer.stop();
        this.changed();
    }

    /** @param {string} reason */
    release(reason) {
        if (!this.holds.delete(reason)) return;
        this.pace.rest(Date.now());
        this.changed();
        this.pump();
    }

    /** Somebody wants it where one is now.
     * @param {Item[]} items */
    retry(items) {
        for (const item of items) {
            this.bringHere(item);
            this.queue.again(item);
        }
        for (const reason of stops) this.holds.delete(reason);
        this.changed();
        this.pump();
    }

    /** Leaves files out; one that is being sent is cut off. What had arrived whole by then is saved, and counts.
     * @param {Item[]} items */
    remove(items) {
        for (const item of items) {
            const isGoing = item.state === "uploading";
            this.queue.remove(item);
            if (isGoing && item.batch) item.batch.isCut = true;
            if (isGoing) this.awaitEnding(/** @type {Promise<void>} */ (this.runs.get(item)));
            else this.terminate(item);
            this.transfers.get(item)?.stop();
        }
        this.changed();
        this.pump();
    }

    /** The host need not keep what nobody wants; and a batch counts what was begun in it and not ended.
     * @param {Item} item */
    terminate(item) {
        if (item.state === "saved" || item.path === null || item.space !== this.space) return;
        this.awaitEnding(this.sending.terminate(item));
    }

    /** Drops every file that the host does not have, and what needs attention. */
    cancelAll() {
        const { waiting, uploading, failed } = this.queue.states;
        this.remove([...waiting, ...uploading, ...failed]);
        for (const reason of [...stops, "paused"]) this.holds.delete(reason);
        this.changed();
    }

    /** Somebody has said that they go to the place that is open.
     * @param {Item[]} items */
    adopt(items) {
        for (const item of items) this.bringHere(item);
        this.changed();
        this.pump();
    }

    /** For a lock: nothing is sent, and the names of what was saved are forgotten. What failed is tried again. */
    keepOnlyUnsent() {
        this.hold("locked");
        forgetInterruption();
        this.leaveFinishedBatches();
        this.queue.forgetSaved({ isCounted: true });
        this.pictures?.forget();
        for (const item of [...this.queue.states.failed]) this.queue.again(item);
        if (this.queue.unsent === 0) this.reset();
    }

    pump() {
        clearTimeout(this.timer);
        while (!this.isHeld && this.queue.uploading < parallel) {
            const item = this.queue.next(Date.now(), this.space);
            if (!item) break;
            if (this.queue.uploading === 0) this.pace.rest(Date.now());
            this.queue.start(item);
            this.dates?.hurry(item);
            this.runs.set(item, this.send(item, this.generation));
        }
        const coming = this.isHeld ? [] : this.queue.soon(ahead, this.space);
        for (const item of coming) {
            this.dates?.hurry(item);
            this.sending.prepare(item, this.pieceBytes);
        }
        const time = this.queue.nextTime(this.space);
        if (!this.isHeld && time !== null && this.queue.uploading < parallel) {
            this.timer = setTimeout(() => this.pump(), Math.max(50, time - Date.now()));
        }
        if (this.queue.isFinished && !this.saidFinished) {
            this.dispatchEvent(new Event("finished"));
            this.finishBatch();
        }
        this.saidFinished = this.queue.isFinished;
    }

    /** @param {Item} item @param {number} generation @returns {Promise<void>} */
    async send(item, generation) {
        const outcome = await this.transfer(item, generation);
        if (generation !== this.generation) return;
        if (!this.queue.items.has(item.id)) await this.settleLeft(item, outcome, generation);
        // It was meant for another place than the one that is open now.
        else if (item.space !== this.space && !outcome.photo) this.queue.fail(item, "other-space");
        else await this.settle(item, outcome);
        this.changed();
        this.pump();
    }

    /** It was left out on its way: only the host knows whether all of it had arrived.
     * @param {Item} item @param {Outcome} outcome @param {number} generation */
    async settleLeft(item, outcome, generation) {
        const isHere = item.space === this.space;
        const photo = outcome.photo ?? (isHere ? await this.sending.abandon(item) : null);
        if (generation !== this.generation) return;
        if (!photo || item.space !== this.space) return;
        this.queue.takeBack(item);
        this.saved(item, { photo, isDuplicate: outcome.isDuplicate });
    }

    /** While something was waited for, the file may have been left out, or another place been opened.
     * @param {Item} item @param {number} generation */
    mayGo(item, generation) {
        return generation === this.generation && item.space === this.space && this.queue.items.has(item.id)
            && !this.isHeldBack && !gentle.some((reason) => this.holds.has(reason));
    }

    /** As `Transfer.run`.
     * @param {Item} item @param {number} generation @returns {Promise<Outcome>} */
    async transfer(item, generation) {
        const batch = await this.batchFor(item);
        this.findings ??= new this.sending.Findings();
        const { findings } = this;
        const transfer = new this.sending.Transfer(item, {
            batch, pieceBytes: this.pieceBytes, ask: this.wayToAsk,
            mayGo: () => this.mayGo(item, generation),
            onProgress: (sent) => { if (item.state === "uploading") this.queue.progress(item, sent); },
            onFacts: (facts) => findings.note(item, facts), wasGiven: this.wasGiven,
        });
        this.transfers.set(item, transfer);
        try {
            return await transfer.run();
        } finally {
            this.transfers.delete(item);
        }
    }

    /** The page was hidden or frozen: what is silent since is most likely lost, and the host knows how far it came. */
    wake() {
        for (const transfer of this.transfers.values()) transfer.wake(wakeSilence);
    }

    /** @param {Item} item @param {Outcome} outcome */
    async settle(item, outcome) {
        const failures = item.failures ?? 0;
        let decision = this.sending.verdict(outcome, failures);
        if (decision.kind === "silent") decision = await this.sending.afterSilence(item, failures);
        const { kind, reason, delay = 0 } = decision;
        item.failures = kind === "later" ? failures + 1 : kind === "failed" ? 0 : failures;
        if (kind === "saved") this.saved(item, outcome);
        else if (kind === "failed") this.fail(item, reason ?? "");
        else this.queue.again(item, delay > 0 ? Date.now() + delay : 0);
        if (kind === "stopped") this.hold(reason ?? "");
        if (kind === "astray") this.doubtSpace();
        if (kind !== "locked") return;
        this.hold("locked");
        api.noteSessionEnd();
    }

    /** @param {Item} item @param {string} reason */
    fail(item, reason) {
        this.queue.fail(item, reason);
        if (!/^(unreadable|corrupt)/.test(reason)) return;
        // Its beginning fits no file any more.
        this.terminate(item);
        Object.assign(item, { path: null, offset: null, cid: null, pieces: null });
    }

    /** @param {Item} item @param {Outcome} outcome */
    saved(item, { photo = null, isDuplicate = false, wasThere = false, isKnown = false }) {
        api.noteUse();
        item.photo = photo;
        if (this.sending) this.pictures ??= new this.sending.UploadPictures(this);
        this.pictures?.noteSaved(item, !(isDuplicate || wasThere || isKnown));
        // What was found before it was sent is here already, whoever sent it.
        this.queue.save(item, { isDuplicate: isDuplicate || wasThere || isKnown });
        // What only speaks of photos is none, and lies in no batch.
        Object.assign(item, { isChecked: isKnown || !photo, isCounted: Boolean(photo) && !wasThere && !isKnown });
        this.asksFirst = item.isDuplicate ? mostNews : Math.max(0, this.asksFirst - 1);
        if (item.space !== this.space) this.queue.remove(item);
        else if (photo) this.dispatchEvent(new CustomEvent("saved", { detail: { id: photo, duplicate: isDuplicate, item } }));
    }

    /** The batch is not of what is open: somebody has to say whether files go there. */
    doubtSpace() {
        if (this.holds.has("asking")) return;
        this.hold("asking");
        this.dispatchEvent(new Event("astray"));
    }
}

