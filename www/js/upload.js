// Carries the queue out: three files at once over XMLHttpRequest, the one way to see real upload progress.
import * as api from "./api.js";
import { Batch } from "./batch.js";
import { Pace, Queue } from "./queue.js";

const parallel = 3;
/** Up to here a file is read before it is sent, so that a file which cannot be read or changes is noticed at once. */
const readWhole = 16 * 1024 * 1024;
const silence = 30_000;
const answerPatience = 120_000;
const retryDelays = [500, 1000, 2000, 4000, 8000];
/** Refusals that meet every file alike: the queue stops, and goes on when somebody has mended the cause. */
export const stops = ["disk-full", "vault-full", "guest-full", "read-only"];
/** Reasons to begin nothing new that let arrive what is going. */
const gentle = ["paused", "opening", "asking"];
const never = new Set([400, 403, 404, 405, 409, 411, 413, 415]);

/**
 * Emits `change` (rows or counts), `saved` (detail: the photo), `finished`, `checked` (detail: the batch) once the host
 * has read back what was saved, and `astray` when what is open is perhaps not the place for which files were chosen.
 */
export class Uploads extends EventTarget {
    constructor({ fileByteLimit = Infinity } = {}) {
        super();
        this.fileByteLimit = fileByteLimit;
        this.reset();
        api.onReachability((reachable) => { if (reachable) this.release("offline"); else this.hold("offline"); });
    }

    reset() {
        for (const request of this.requests?.values() ?? []) request.abort();
        clearTimeout(this.timer);
        this.leaveBatch();
        this.queue = new Queue();
        this.pace = new Pace();
        this.requests = new Map();
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

    add(files) {
        if (this.queue.unsent === 0) {
            this.pace = new Pace();
            this.leaveBatch();
        }
        const added = this.queue.add(files, this.space);
        for (const item of added) if (item.size > this.fileByteLimit) this.queue.fail(item, "too-large");
        this.holds.delete("paused");
        this.changed();
        this.pump();
    }

    /**
     * Reasons to send nothing new: `paused`, `opening` while a vault is being opened, `asking` while it is not clear
     * whether files may go to the one that is open, `locked`, `offline`, and the `stops`. All but the first three take
     * back what is going.
     */
    hold(reason) {
        if (this.holds.has(reason)) return;
        this.holds.add(reason);
        if (!gentle.includes(reason)) for (const request of [...this.requests.values()]) request.abort();
        this.changed();
    }

    release(reason) {
        if (!this.holds.delete(reason)) return;
        this.changed();
        this.pump();
    }

    /** Somebody wants it where one is now. */
    retry(items) {
        for (const item of items) {
            item.space = this.space;
            this.queue.again(item);
        }
        for (const reason of stops) this.holds.delete(reason);
        this.changed();
        this.pump();
    }

    /** Leaves files out; one that is being sent is cut off, and the host keeps nothing of it. */
    remove(items) {
        for (const item of items) {
            this.queue.remove(item);
            this.requests.get(item)?.abort();
        }
        this.changed();
        this.pump();
    }

    /** Drops every file that the host does not have, and what needs attention. */
    cancelAll() {
        const { waiting, uploading, failed } = this.queue.states;
        this.remove([...waiting, ...uploading, ...failed]);
        for (const reason of [...stops, "paused"]) this.holds.delete(reason);
        this.changed();
    }

    /**
     * Another session holds. No answer tells which vault it is of; but only the place for which files were chosen knows
     * their batch. Where there is none to ask about, `hasMoved` says whether the place has moved along.
     */
    async findSpace(hasMoved) {
        const { space } = this;
        const isSame = await space.batch?.isKnown() ?? hasMoved;
        if (!isSame && space === this.space) this.leaveSpace();
    }

    /** One is in another place now: what arrives of those that are going is not shown here, and what waits stays. */
    leaveSpace() {
        this.space = newSpace();
        this.leaveBatch();
        this.queue.forgetSaved();
        this.changed();
    }

    /** Files that wait and were chosen for another place than the one that is open. */
    get strangers() {
        return [...this.queue.states.waiting].filter((item) => item.space !== this.space);
    }

    /** Somebody has said that they go to the place that is open. */
    adopt(items) {
        for (const item of items) item.space = this.space;
        this.changed();
        this.pump();
    }

    leaveBatch() {
        this.batch?.leave();
        this.batch = null;
        this.checked = null;
    }

    /** Asks the host to say when all is read back. */
    async finishBatch() {
        const { batch } = this;
        const status = await batch?.finish();
        if (!status || batch !== this.batch) return;
        this.checked = status;
        if (status.failed === 0) {
            for (const item of this.queue.states.saved) if (item.batch === batch) item.isChecked = true;
        }
        this.dispatchEvent(new CustomEvent("checked", { detail: status }));
    }

    /** For a lock: nothing is sent, and the names of what was saved are forgotten. What failed is tried again. */
    keepOnlyUnsent() {
        this.hold("locked");
        this.leaveBatch();
        this.queue.forgetSaved();
        for (const item of [...this.queue.states.failed]) this.queue.again(item);
        if (this.queue.unsent === 0) this.reset();
    }

    changed() { this.dispatchEvent(new Event("change")); }

    pump() {
        clearTimeout(this.timer);
        while (this.holds.size === 0 && this.queue.uploading < parallel) {
            const item = this.queue.next(Date.now(), this.space);
            if (!item) break;
            this.queue.start(item);
            this.send(item, this.generation);
        }
        const time = this.queue.nextTime(this.space);
        if (this.holds.size === 0 && time !== null && this.queue.uploading < parallel) {
            this.timer = setTimeout(() => this.pump(), Math.max(50, time - Date.now()));
        }
        if (this.queue.isFinished && !this.saidFinished) {
            this.dispatchEvent(new Event("finished"));
            this.finishBatch();
        }
        this.saidFinished = this.queue.isFinished;
    }

    async send(item, generation) {
        const outcome = await this.transfer(item, generation);
        if (generation !== this.generation || !this.queue.items.has(item.id)) return;
        // It was meant for another place than the one that is open now.
        if (item.space !== this.space && outcome.status !== 201) this.queue.fail(item, "other-space");
        else await this.settle(item, outcome);
        this.changed();
        this.pump();
    }

    /** The id of the batch that it goes with, or null; a batch that could not be begun is tried again with the next. */
    async batchFor(item) {
        if (!this.batch || this.batch.isFinished) {
            this.leaveBatch();
            this.batch = new Batch();
        }
        const { batch } = this;
        item.batch = batch;
        item.isChecked = false;
        const id = await batch.id;
        if (id) item.space.batch = batch;
        else if (batch === this.batch) this.leaveBatch();
        return id;
    }

    /** While something was waited for, the file may have been left out, or another place been opened. */
    mayGo(item, generation) {
        return generation === this.generation && item.space === this.space && this.queue.items.has(item.id)
            && !this.isHeldBack && !this.holds.has("opening") && !this.holds.has("asking");
    }

    /** `{status, text, retryAfter}`, or `{failure}`: `aborted`, `silent`, `network`, `unreadable`. */
    async transfer(item, generation) {
        let body = item.file;
        const batch = await this.batchFor(item);
        if (!this.mayGo(item, generation)) return { failure: "aborted" };
        if (item.size <= readWhole) {
            try {
                body = await item.file.arrayBuffer();
            } catch {
                return { failure: "unreadable" };
            }
            if (!this.mayGo(item, generation)) return { failure: "aborted" };
        }
        return new Promise((resolve) => {
            const request = new XMLHttpRequest();
            let patience = setTimeout(() => end({ failure: "silent" }), silence);
            const alive = (milliseconds) => {
                clearTimeout(patience);
                patience = setTimeout(() => end({ failure: "silent" }), milliseconds);
            };
            const end = (outcome) => {
                clearTimeout(patience);
                this.requests.delete(item);
                resolve(outcome);
                if (outcome.failure === "silent") request.abort();
            };
            request.upload.onprogress = ({ loaded }) => {
                alive(silence);
                if (item.state === "uploading") this.queue.progress(item, loaded);
            };
            request.upload.onload = () => alive(answerPatience);
            request.onload = () => end({ status: request.status, text: request.responseText,
                retryAfter: request.getResponseHeader("Retry-After") });
            request.onerror = () => end({ failure: "network" });
            request.onabort = () => end({ failure: "aborted" });
            request.open("PUT", api.uploadPath(item.file, batch));
            request.setRequestHeader("Content-Type", contentType(item.file.type));
            this.requests.set(item, request);
            request.send(body);
        });
    }

    async settle(item, outcome) {
        if (outcome.status === 201) {
            api.noteUse();
            const photo = photoFrom(outcome.text);
            this.queue.save(item, { isDuplicate: photo?.duplicate === true });
            if (item.space === this.space) this.dispatchEvent(new CustomEvent("saved", { detail: photo }));
            else this.queue.remove(item);
        } else if (outcome.failure === "aborted") this.queue.again(item);
        else if (outcome.failure === "unreadable") this.queue.fail(item, "unreadable");
        else if (outcome.failure) await this.settleSilence(item);
        else this.settleProblem(item, api.problemFrom(outcome.status, outcome.text, outcome.retryAfter));
    }

    settleProblem(item, problem) {
        if (problem.status === 401) {
            this.queue.again(item);
            this.hold("locked");
            api.noteSessionEnd();
        } else if (stops.includes(problem.code) || problem.status === 507) {
            this.queue.again(item);
            this.hold(stops.find((code) => code === problem.code) ?? "disk-full");
        } else if (problem.status === 429 || problem.status === 503) {
            this.queue.again(item, Date.now() + 1000 * Math.max(1, problem.retryAfter));
        } else if (problem.code === "no-such-batch") {
            this.queue.again(item);
            this.doubtSpace();
        } else if (never.has(problem.status)) this.queue.fail(item, problem.code);
        else this.tryAgainLater(item, problem.code);
    }

    /** The batch is not of what is open: somebody has to say whether files go there. */
    doubtSpace() {
        if (this.holds.has("asking")) return;
        this.hold("asking");
        this.dispatchEvent(new Event("astray"));
    }

    /** No answer: the host is gone, the device cannot read the file, or only this request was lost. */
    async settleSilence(item) {
        try {
            await api.hello();
        } catch (error) {
            if (error instanceof api.Unreachable) {
                this.queue.again(item);
                return;
            }
        }
        try {
            await item.file.slice(0, 1).arrayBuffer();
        } catch {
            this.queue.fail(item, "unreadable");
            return;
        }
        this.tryAgainLater(item, "network");
    }

    tryAgainLater(item, code) {
        item.failures = (item.failures ?? 0) + 1;
        if (item.failures > retryDelays.length) {
            item.failures = 0;
            this.queue.fail(item, code);
            return;
        }
        const delay = retryDelays[item.failures - 1];
        this.queue.again(item, Date.now() + delay * (0.7 + 0.6 * Math.random()));
    }
}

/** A place for which files are chosen, with the last batch that was begun there. */
function newSpace() {
    return { batch: null };
}

/** Types that a form could send across sites are refused by the host; it finds the type by content anyway. */
function contentType(type) {
    return /^(image|video|audio)\//.test(type) ? type : "application/octet-stream";
}

function photoFrom(text) {
    try {
        return JSON.parse(text);
    } catch {
        return null;
    }
}
