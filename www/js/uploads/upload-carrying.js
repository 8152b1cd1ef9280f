// What sends files, without what shows how far they are: a page with a face of its own takes only this.
import * as api from "../base/api.js";
import { platformOf } from "../base/browser.js";
import { firstLookAt, sharedPictureOf, smallPictureOf } from "../files/file-reading.js";
import { stops } from "./upload.js";
export { Transfer, abandon, prepare, readBackOf, terminate } from "./upload-transfer.js";

// What the files of a batch show of what a phone did to them, counted, with words only where there is a way to do better.

/** @typedef {FileFacts & {stem: string}} Noted */

/** Kinds of findings in the order in which they are told; each has its words, and some a way for each kind of phone. */
export const kinds = ["place", "jpeg", "live", "video", "screenshot"];

export class Findings {
    /** @param {import("../base/browser.js").Platform} [platform] */
    constructor(platform = platformOf(navigator)) {
        this.platform = platform;
        /** @type {Map<number, Noted>} */
        this.facts = new Map();
    }

    /** `facts` are what `sniff` says of the item's file.
     * @param {Item} item @param {FileFacts} facts */
    note(item, facts) {
        if (!this.facts.has(item.id)) this.facts.set(item.id, { ...facts, stem: stemOf(item.name) });
    }

    /** `[{kind, count}]`, without those that did not happen.
     * @returns {{kind: string, count: number}[]} */
    get counts() {
        const counted = Object.fromEntries(kinds.map((kind) => [kind, 0]));
        const videos = new Set([...this.facts.values()].filter(isVideo).map(({ stem }) => stem));
        for (const facts of this.facts.values()) {
            for (const kind of this.kindsOf(facts, videos)) counted[kind] += 1;
        }
        return kinds.filter((kind) => counted[kind] > 0).map((kind) => ({ kind, count: counted[kind] }));
    }

    /** A computer hands out files as they are; only a Live Photo may have been parted before.
     * @param {Noted} facts @param {Set<string>} videos */
    *kindsOf(facts, videos) {
        const { format, make, hasPlace, isLive, isScreenshot, stem } = facts;
        if (isLive && !videos.has(stem)) yield "live";
        if (this.platform !== "ios" && this.platform !== "android") return;
        if (isScreenshot) yield "screenshot";
        else if (make !== "" && !hasPlace) yield "place";
        if (this.platform !== "ios") return;
        if (format === "jpeg" && make === "Apple" && !isScreenshot) yield "jpeg";
        if (isVideo(facts)) yield "video";
    }
}

/** @param {FileFacts} facts */
const isVideo = ({ format }) => format === "video";

/** Both halves of a Live Photo have the same name before the ending.
 * @param {string} name */
const stemOf = (name) => name.replace(/\.[^.]*$/, "").toLowerCase();

// When chosen photos were taken, read before they are sent: each is seen in its own month at once.

/** @typedef {{item: Item, file: File, resolve: (value?: any) => void}} ToDate */

/** Milliseconds for which nothing is sent before the dates of all are known: where each stands is seen sooner, and stays so. */
const headStart = 3000;
/** The way to the worker and back is longer than the reading. */
const mostDates = 6;

export class UploadDates {
    /** `onRead(item)` is called once `item.taken` is known: `{wall, offset, precision}`, `{}`, or null, as `dateOf` has it.
     * `onAhead()`: others may be read and sent now, too.
     * @param {(item: Item) => void} onRead @param {() => void} onAhead */
    constructor(onRead, onAhead) {
        this.onRead = onRead;
        this.onAhead = onAhead;
        this.isFirst = false;
        /** @type {ToDate[]} */
        this.waiting = [];
        this.running = 0;
    }

    /** Those first that were changed last: they stand above most others, which then have nobody to make room for. Gives
     * nothing; `item.dating` resolves when all is known of it that will be.
     * @param {Item[]} items */
    want(items) {
        // When one out of an archive was taken is the host's to say, which hears what is said of it there.
        const chosen = items.map((item) => ({ item, file: /** @type {File} */ (item.file) })).filter(({ file }) => !file.archive);
        if (chosen.length > 0 && !this.isReading) {
            this.isFirst = true;
            this.timer = setTimeout(() => this.giveWay(), headStart);
        }
        for (const { item, file } of chosen.sort((one, other) => other.file.lastModified - one.file.lastModified)) {
            item.dating = new Promise((resolve) => { this.waiting.push({ item, file, resolve }); });
        }
        this.pump();
    }

    /** It goes next: its date goes along.
     * @param {Item} item */
    hurry(item) {
        const index = this.waiting.findIndex((one) => one.item === item);
        if (index > 0) this.waiting.unshift(...this.waiting.splice(index, 1));
    }

    get isReading() { return this.running > 0 || this.waiting.length > 0; }

    giveWay() {
        clearTimeout(this.timer);
        if (!this.isFirst) return;
        this.isFirst = false;
        this.onAhead();
    }

    forget() {
        clearTimeout(this.timer);
        this.isFirst = false;
        for (const { resolve } of this.waiting.splice(0)) resolve();
    }

    pump() {
        while (this.running < mostDates && this.waiting.length > 0) this.read(/** @type {ToDate} */ (this.waiting.shift()));
    }

    /** @param {ToDate} one */
    async read({ item, file, resolve }) {
        this.running += 1;
        // What cannot be read shows that when it is sent.
        const { taken, first } = await firstLookAt(file).catch(() => ({ taken: null, first: null }));
        Object.assign(item, { taken, first });
        this.running -= 1;
        resolve();
        this.onRead(item);
        this.pump();
        if (!this.isReading) this.giveWay();
    }
}

// Small pictures of chosen files, made by this device where somebody looks: what was just chosen is seen before the host has
// looked into it. The host gets one of each photo along, for other devices, until it has its own.

/** @typedef {{item: Item, file: Blob, resolve: (picture: Blob | null) => void}} Wanted */

/** Larger ones take too much memory to be decoded beside everything else. */
const largest = 48 * 1024 * 1024;
/** A photo of 12 megapixels is 48 MB while it is decoded. */
const mostPictures = 2;
/** Files that keep their pictures, the last ones; others are made again where they are looked at again. */
const mostKept = 100;
/** Files that can still be looked at once they are saved: as many as the panel lists. */
const mostSaved = 20;
/** Photos of which the host still gets a picture, the last ones. */
const mostToShare = 2000;

export class UploadPictures {
    /** @type {Promise<void> | null} */ sharing = null;

    /** @param {Uploads} uploads what is sent goes first */
    constructor(uploads) {
        this.uploads = uploads;
        /** @type {{item: Item, file: File, needsDecoding: boolean}[]} */
        this.toShare = [];
        uploads.addEventListener("finished", () => this.shareSoon());
        /** @type {Wanted[]} */
        this.waiting = [];
        /** @type {Set<Item>} */
        this.kept = new Set();
        /** @type {Map<Item, File>} */
        this.saved = new Map();
        this.running = 0;
        this.generation = 0;
    }

    /** Resolves with the picture of an item as a Blob, or null. `file` is its file, where somebody still has it.
     * @param {Item} item @param {File} [file] @returns {Promise<Blob | null>} */
    want(item, file = item.file ?? this.saved.get(item)) {
        if (item.picture) return Promise.resolve(item.picture);
        if (item.rank !== 0 || !file || file.archive || item.size > largest) return Promise.resolve(null);
        item.picturing ??= new Promise((resolve) => { this.waiting.push({ item, file, resolve }); });
        this.pump();
        return item.picturing;
    }

    /** Nobody looks at it any more.
     * @param {Item} item */
    leave(item) {
        const index = this.waiting.findIndex((one) => one.item === item);
        if (index >= 0) this.end(this.waiting.splice(index, 1)[0], null);
    }

    /** Its file is about to be let go of. `isNew`: the host has no picture of it yet.
     * @param {Item} item @param {boolean} isNew */
    noteSaved(item, isNew) {
        const { file } = item;
        if (file) this.saved.set(item, file);
        if (this.saved.size > mostSaved) this.saved.delete(this.saved.keys().next().value);
        if (!isNew || !item.photo || item.rank !== 0 || !file || file.archive || item.size > largest) return;
        this.toShare.push({ item, file, needsDecoding: false });
        if (this.toShare.length > mostToShare) this.toShare.shift();
        this.shareSoon();
    }

    shareSoon() {
        this.sharing ??= this.share().finally(() => { this.sharing = null; });
    }

    /** One after the other; those that take a processor once nothing is sent any more. */
    async share() {
        const { uploads, generation } = this;
        const isNext = (/** @type {{needsDecoding: boolean}} */ one) => !one.needsDecoding || uploads.queue.uploading === 0;
        for (let index = this.toShare.findIndex(isNext); index >= 0; index = this.toShare.findIndex(isNext)) {
            const [one] = this.toShare.splice(index, 1);
            const { item, file } = one;
            const mayDecode = Boolean(item.picture) || one.needsDecoding;
            const { picture } = await sharedPictureOf(item.picture ?? file, { mayDecode }).catch(() => ({ picture: null }));
            if (generation !== this.generation || item.space !== uploads.space) continue;
            if (!picture && !mayDecode) this.toShare.push({ ...one, needsDecoding: true });
            // Where it is lost, others wait for the host's own.
            if (picture) await api.sendPicture(/** @type {string} */ (item.photo), picture).catch(() => {});
        }
    }

    /** For a lock: nothing that is shown stays, and nothing more is made. */
    forget() {
        this.generation += 1;
        for (const one of this.waiting.splice(0)) this.end(one, null);
        for (const item of this.kept) item.picture = null;
        this.kept.clear();
        this.saved.clear();
        this.toShare = [];
    }

    async pump() {
        while (this.running < mostPictures && this.waiting.length > 0) {
            this.running += 1;
            this.make(/** @type {Wanted} */ (this.waiting.shift()), this.generation);
        }
    }

    /** @param {Wanted} one @param {number} generation */
    async make(one, generation) {
        const { picture, isRough } = await smallPictureOf(one.file).catch(() => ({ picture: null, isRough: false }));
        this.running -= 1;
        const isWanted = generation === this.generation;
        if (isWanted && picture) this.keep(one.item, picture, isRough);
        this.end(one, isWanted ? picture : null);
        this.pump();
    }

    /** @param {Wanted} one @param {Blob | null} picture */
    end({ item, resolve }, picture) {
        item.picturing = null;
        resolve(picture);
    }

    /** `isRough`: it is the one that the camera put into the file.
     * @param {Item} item @param {Blob} picture @param {boolean} isRough */
    keep(item, picture, isRough) {
        Object.assign(item, { picture, isRough });
        this.kept.add(item);
        if (this.kept.size <= mostKept) return;
        const [oldest] = this.kept;
        oldest.picture = null;
        this.kept.delete(oldest);
    }
}

// What becomes of a file after its transfer has ended: decided here, carried out by the uploads.

const retryDelays = [500, 1000, 2000, 4000, 8000, 15_000, 30_000];
const never = new Set([400, 403, 404, 405, 409, 410, 411, 412, 413, 415]);

/** `failures` is how often in a row it failed before, without getting on. Gives `{kind}`: `saved`; `again`, with `delay` in
 * milliseconds; `later`, the same as a failure that counts; `failed` with `reason`; `stopped` with `reason`, one of
 * `stops`; `locked`; `astray`; `silent`.
 * @param {Outcome} outcome @param {number} failures @param {() => number} [random] @returns {Verdict} */
export function verdict(outcome, failures, random = Math.random) {
    if (outcome.photo || outcome.isKnown || outcome.sidecar) return { kind: "saved" };
    if (outcome.failure === "aborted") return { kind: "again", delay: 0 };
    if (outcome.failure && /^(unreadable|corrupt)/.test(outcome.failure)) return failed(outcome.failure);
    if (outcome.failure) return { kind: "silent" };
    const { status = 0, text = "", retryAfter = null } = outcome;
    return afterProblem(outcome.problem ?? api.problemFrom(status, text, retryAfter), failures, random);
}

/** @param {Problem} problem @param {number} failures @param {() => number} random @returns {Verdict} */
function afterProblem(problem, failures, random) {
    const { status, code, retryAfter } = problem;
    if (status === 401) return { kind: "locked" };
    if (stops.includes(code) || status === 507) {
        return { kind: "stopped", reason: stops.find((stop) => stop === code) ?? "disk-full" };
    }
    if (status === 429 || status === 503 || status === 423) return { kind: "again", delay: wait(retryAfter, random) };
    if (code === "no-such-batch") return { kind: "astray" };
    if (never.has(status)) return failed(code);
    return afterFailure(code, failures, random);
}

/** Later and later; in the end somebody has to look.
 * @param {string} reason @param {number} failures @param {() => number} [random] @returns {Verdict} */
export function afterFailure(reason, failures, random = Math.random) {
    const delay = retryDelays[failures];
    return delay === undefined ? failed(reason) : { kind: "later", delay: delay * jitter(random) };
}

/** Whether the host is there at all is known sooner than whether it takes 8 MiB. */
const helloPatience = 10_000;

/** No answer: the host is gone, the device cannot read the file, or only this request was lost.
 * @param {Item} item @param {number} failures @returns {Promise<Verdict>} */
export async function afterSilence(item, failures) {
    try {
        await api.hello(helloPatience);
    } catch (error) {
        // Its loss has put a hold on everything; the next answer of the host takes it away.
        if (error instanceof api.Unreachable) return { kind: "again" };
    }
    try {
        await /** @type {File} */ (item.file).slice(0, 1).arrayBuffer();
    } catch {
        return { kind: "failed", reason: "unreadable" };
    }
    return afterFailure("network", failures);
}

/** Not all files at once when the time is over.
 * @param {number} seconds @param {() => number} random */
const wait = (seconds, random) => 1000 * Math.max(1, seconds) * (1 + 0.3 * random());
/** @param {() => number} random */
const jitter = (random) => 0.7 + 0.6 * random();
/** @param {string} reason @returns {Verdict} */
const failed = (reason) => ({ kind: "failed", reason });
