// One file on its way: created at the host, sent piece by piece, gone on with where it stopped.
import * as api from "../base/api.js";
import { checksum, clientID, isContentKnown, lastDigest, metadata, TusRequest } from "./tus-request.js";
import { FilePieces, Unreadable } from "../files/file-reading.js";

/** @typedef {{batch: string | null, pieceBytes: number, ask: string | null, mayGo: () => boolean,
 *     onProgress: (byteCount: number) => void, onFacts: (facts: FileFacts) => void,
 *     wasGiven?: (cid: string) => boolean}} TransferOptions */

/** What is known of an upload that the host has.
 * @typedef {Pick<Item, "photo" | "path" | "cid" | "isDeleted" | "isLost">} Found */

/** How often in a row the host may answer that a piece came damaged, or at a wrong place. */
const mostMistakes = 3;

/** Works on `item`: `file`, `path` (of the upload at the host, or null), `offset` (bytes that are on the host's disk, or
 * null while nobody knows). These stay with the item, so that the next transfer goes on from there. */
export class Transfer {
    /** @type {boolean | undefined} */ isContentKnown;
    /** @type {string | undefined} */ stopped;
    /** @type {TusRequest | null | undefined} */ request;

    /** `batch` is its id or null; `pieceBytes` what the host wants at once. `ask` says whether to look first if the host
     * has it: `content` in a vault, `creation` where only one's own uploads may be asked for, or null. `mayGo()` is asked
     * before each request. `onProgress(bytes)`, `onFacts(facts)` with what the beginning of the file shows. `wasGiven(cid)`
     * is true of a file that the host took from here and no longer shows: it is not sent again.
     * @param {Item} item @param {TransferOptions} options */
    constructor(item, { batch, pieceBytes, ask, mayGo, onProgress, onFacts, wasGiven = () => false }) {
        this.item = item;
        this.batch = batch;
        // What moves in tells its place with its creation, also where its content is known: it is asked by that alone.
        this.ask = !item.account ? ask : ask === "content" ? "creation" : null;
        this.mayGo = mayGo;
        this.onProgress = onProgress;
        this.onFacts = onFacts;
        this.wasGiven = wasGiven;
        this.file = fileOf(item);
        this.pieces = piecesOf(item, pieceBytes);
        this.pieces.calm();
        this.mistakes = 0;
    }

    /** Resolves with the answer that ended it: `{photo, isDuplicate, wasThere}` when the host has it (`wasThere`: before
     * any byte was sent), `{isKnown}` when the vault had its content before, another `{status, …}`, or `{failure}`:
     * `aborted`, `silent`, `network`, `unreadable`, `unreadable-entry`, `corrupt`.
     * @returns {Promise<Outcome>} */
    async run() {
        try {
            for (;;) {
                const outcome = await this.step();
                if (outcome?.photo || outcome?.isKnown || outcome?.sidecar) this.item.account?.note(this.item, outcome);
                if (outcome) return outcome;
            }
        } catch (error) {
            if (error instanceof Unreadable) return { failure: error.code ? "unreadable-entry" : "unreadable" };
            if (error instanceof api.Unreachable) return { failure: "network" };
            if (error instanceof api.Problem) return { status: error.status, problem: error };
            throw error;
        } finally {
            this.pieces.release();
        }
    }

    /** @param {string} [failure] */
    stop(failure = "aborted") {
        this.stopped = failure;
        this.request?.end(failure);
    }

    /** For a page that was asleep: timers were too, and the connection is most likely gone.
     * @param {number} silence */
    wake(silence) {
        const { request } = this;
        if (request && request.silentFor > silence) request.end("asleep");
    }

    get isHalted() { return Boolean(this.stopped) || !this.mayGo(); }
    get halted() { return { failure: this.stopped ?? "aborted" }; }

    /** Null to go on.
     * @returns {Promise<Outcome | null>} */
    async step() {
        if (this.isHalted) return this.halted;
        if (this.item.path === null) return this.create();
        if (this.item.offset === null) return this.locate();
        return this.append();
    }

    async create() {
        const { file, item } = this;
        const first = await this.pieces.at(0);
        await item.dating;
        if (first.facts) this.onFacts(first.facts);
        const last = await lastDigest(file, this.pieces);
        item.cid ??= await clientID(file, first.digest, last, item.folder);
        if (this.wasGiven(item.cid)) return { isKnown: true };
        this.isContentKnown = await this.isKnown(first.digest, last);
        // What goes to an album joins it by its upload, also where it is there already.
        if (this.isContentKnown && item.album === null) return { isKnown: true };
        if (this.isHalted) return this.halted;
        // What fits in one piece goes with its creation, in one request.
        const isWhole = file.size <= this.pieces.byteCount && file.size > 0 && this.ask !== "creation" && !this.isContentKnown;
        this.ask = null;
        const fields = creationFields(item, this.batch);
        const answer = await this.send("POST", "/api/uploads", fields, isWhole ? first : null, 0);
        if (answer.status !== 201 || !answer.location?.startsWith("/api/uploads/")) return this.mistaken(answer, 0);
        item.path = answer.location;
        const outcome = this.arrived(answer);
        // An empty file is whole before any byte was sent.
        return outcome && { ...outcome, wasThere: !isWhole && file.size > 0 };
    }

    /** A host that is asked about content answers for the vault that is open: is it still the one it is meant for?
     * @param {Uint8Array | null} first @param {Uint8Array | null} last */
    async isKnown(first, last) {
        const mayAsk = this.ask === "content" || (this.ask === "long" && last !== null);
        if (!mayAsk || !first || !this.batch || this.file.size === 0) return false;
        if (!await isContentKnown(this.file, this.pieces, first, last)) return false;
        await api.batch(this.batch);
        return true;
    }

    /** After a connection that broke, only the host knows how far it came. */
    async locate() {
        const answer = await this.send("HEAD", /** @type {string} */ (this.item.path), {}, null, 0);
        return answer.status === 200 ? this.arrived(answer) : this.mistaken(answer);
    }

    async append() {
        const { pieces } = this;
        const { path, offset } = /** @type {{path: string, offset: number}} */ (this.item);
        const piece = await pieces.at(offset);
        pieces.readAhead(piece.end);
        if (this.isHalted) return this.halted;
        const began = performance.now();
        const answer = await this.send("PATCH", path, { "Upload-Offset": String(offset) }, piece, offset);
        if (answer.status !== 204) return this.mistaken(answer, offset);
        pieces.passed(offset, performance.now() - began);
        return this.arrived(answer);
    }

    /** The host has answered how much of it is on disk.
     * @param {Outcome} answer @returns {Outcome | null} */
    arrived({ offset = null, photo, isDuplicate, sidecar }) {
        const { item } = this;
        if (offset !== null && offset !== item.offset) {
            item.failures = 0;
            this.mistakes = 0;
        }
        item.offset = offset;
        if (photo || sidecar) return { photo, isDuplicate, sidecar, isKnown: this.isContentKnown };
        this.onProgress(offset ?? 0);
        return null;
    }

    /** Null to try again at once: the host has said where to go on, or that the piece at `offset` came damaged.
     * @param {Outcome} answer @param {number | null} [offset] @returns {Outcome | null} */
    mistaken(answer, offset = null) {
        const { item } = this;
        const { status = 0 } = answer;
        // Perhaps it was the file that changed: what is sent again is hashed again.
        if (status === 460 && offset !== null) this.pieces.forget(offset);
        // So is its name, where the host has begun nothing under that.
        if (status === 460 && item.path === null) item.cid = null;
        const isGone = item.path !== null && [404, 410].includes(status);
        const isElsewhere = status === 409 && typeof answer.offset === "number";
        if (isGone) Object.assign(item, { path: null, offset: null });
        // The host's disk may have lost what the host knew last: its answer counts.
        else if (isElsewhere) item.offset = /** @type {number} */ (answer.offset);
        else if (item.path && status !== 460) item.offset = null;
        if (answer.failure === "asleep") return null;
        if (!isGone && !isElsewhere && status !== 460) return answer;
        this.mistakes += 1;
        if (this.mistakes < mostMistakes) return null;
        return status === 460 ? { failure: "corrupt" } : answer;
    }

    /** `from` is where the body stands in the file.
     * @param {string} method @param {string} path @param {Record<string, string>} fields
     * @param {{body: Blob | ArrayBuffer, digest: Uint8Array | null} | null} piece @param {number} from
     * @returns {Promise<Outcome>} */
    async send(method, path, fields, piece, from) {
        const headers = piece?.digest ? { ...fields, "Upload-Checksum": checksum(piece.digest) } : fields;
        this.request = new TusRequest(method, path, {
            headers, body: piece?.body ?? null, onProgress: (loaded) => this.onProgress(from + loaded),
        });
        try {
            return await this.request.send();
        } finally {
            this.request = null;
        }
    }
}

/** It is there until all of it is saved.
 * @param {Item} item */
const fileOf = (item) => /** @type {File} */ (item.file);

/** A moment and its zone, where both are known; the host believes what it finds itself.
 * @param {Partial<CivilTime> | null} taken */
function hintOf(taken) {
    if (typeof taken?.offset !== "number") return null;
    const { wall = 0, offset } = taken;
    /** @param {number} minutes */
    const clock = (minutes) => new Date(minutes * 60_000).toISOString().slice(11, 16);
    return `${new Date(wall).toISOString().slice(0, -1)}${offset < 0 ? "-" : "+"}${clock(Math.abs(offset))}`;
}

/** @param {Item} item @param {string | null} batch @returns {Record<string, string>} */
function creationFields(item, batch) {
    const { account, album, cid, taken, folder } = item;
    const file = fileOf(item);
    // What only speaks of photos is none where it speaks of nothing.
    const isBeside = account && /\.(?:json|csv)$/i.test(file.name);
    return {
        "Upload-Length": String(file.size),
        "Upload-Metadata": metadata({ filename: file.name, lastModified: Math.round(file.lastModified),
            filetype: file.type || null, cid, batch, taken: hintOf(taken), album,
            relativePath: folder ? `${folder}/${file.name}` : null, beside: isBeside ? 1 : null }),
    };
}

/** What is known of a file's bytes stays with the item, too.
 * @param {Item} item @param {number} pieceBytes @returns {FilePieces} */
const piecesOf = (item, pieceBytes) => (item.pieces ??= new FilePieces(fileOf(item), pieceBytes, async () => {
    await item.dating;
    const { first } = item;
    item.first = null;
    // It is about all of the file, which may be more than one piece.
    return item.size <= pieceBytes ? first : null;
}));

/** Reads the beginning of a file that goes soon, while others are on their way.
 * @param {Item} item @param {number} pieceBytes */
export function prepare(item, pieceBytes) {
    const pieces = piecesOf(item, pieceBytes);
    pieces.readAhead(0);
    if (item.size <= pieceBytes) nameEarly(item, pieces);
}

/** Between two files there is one wait less for a file whose name for the host is known when its turn comes.
 * @param {Item} item @param {FilePieces} pieces */
async function nameEarly(item, pieces) {
    try {
        const { digest } = await pieces.at(0);
        if (digest) item.cid ??= await clientID(fileOf(item), digest, null, item.folder);
    } catch {
        // Whoever sends it hears of the error.
    }
}

/** Takes an upload that nobody wants any more away from the host. It may have none: then there is nothing to do.
 * @param {Pick<Item, "path">} item */
export async function terminate(item) {
    if (item.path) await new TusRequest("DELETE", item.path).send();
}

/** For a file that was left out on its way: the id of its photo where all of it had arrived, else null, and the host keeps
 * nothing of it. Where the answer to its creation was not waited for, the same creation finds it.
 * @param {Item} item @returns {Promise<string | null>} */
export async function abandon(item) {
    if (item.cid === null) return null;
    const { photo, location } = item.path === null
        // Its bytes may still be on their way, and then go on in what this makes: the batch counts them.
        ? await new TusRequest("POST", "/api/uploads", { headers: creationFields(item, await item.batch?.id ?? null) }).send()
        : await new TusRequest("HEAD", item.path).send();
    if (photo) return photo;
    item.path ??= location ?? null;
    await terminate(item);
    return null;
}

/** Of more photos than these the host is asked by its list: a request for each would take longer than to send them. */
const fewAlone = 100;

/** Those that the host has read back from its disk, and found whole. What it finds damaged there is forgotten as an upload, so that
 * the same file can be sent again.
 * @param {Found[]} items
 * @param {Iterable<Found>} [known] that were found already
 * @returns {Promise<Set<Found>>} */
export async function readBackOf(items, known = []) {
    /** @type {Set<Found>} */ const found = new Set();
    /** @type {Map<string, Found[]>} */ const sought = new Map();
    for (const item of items) if (item.photo !== null) sought.set(item.photo, [...sought.get(item.photo) ?? [], item]);
    /** @param {Photo} photo */
    const take = async ({ id, verifiedAt, damaged, deletedAt }) => {
        for (const item of sought.get(id) ?? []) {
            Object.assign(item, { isDeleted: deletedAt !== undefined, isLost: damaged === true });
            if (damaged) await terminate(item);
            else if (verifiedAt !== undefined) found.add(item);
        }
        sought.delete(id);
    };
    try {
        /** @type {string | null | undefined} */ let cursor;
        while (sought.size > fewAlone && cursor !== null) {
            const page = await api.photos(cursor);
            for (const photo of page.photos) await take(photo);
            ({ cursor } = page);
        }
        // What became one with another photo is answered for under that one's id.
        for (const [id, lost] of [...sought]) {
            await api.photo(id).then((photo) => take({ ...photo, id }), (error) => passOver(error, lost));
        }
    } catch {
        // What nobody has said is asked for again, or stays unproven.
    }
    // Of one file that was sent twice at a time the host has made one photo.
    const twins = new Set([...known, ...found].flatMap(({ cid }) => cid ?? []));
    for (const item of items.filter(({ isLost, cid }) => isLost && cid !== null && twins.has(cid))) {
        item.isLost = false;
        found.add(item);
    }
    return found;
}

/** They are not there any more.
 * @param {unknown} error @param {Found[]} items */
function passOver(error, items) {
    if (!(error instanceof api.Problem) || error.status !== 404) throw error;
    for (const item of items) item.isLost = true;
}
