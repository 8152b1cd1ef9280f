// Reads and hashes files in a thread of its own: the page's has only to draw. It keeps nothing of what it has read.
import { bare, exifPicture, pictureHead, sniff, turned } from "./sniff.js";
import { dateOf } from "./file-date.js";
import { inMemory, part } from "./file-reading.js";

/** @typedef {object} Question
 * @property {number} id
 * @property {File} file
 * @property {number} begin
 * @property {number} end
 * @property {boolean} wantsFacts
 * @property {ArchiveEntry} [entry] of an archive, which is `file` then */

/** Bytes in memory at a time, of all files together; one piece may always be. */
const most = 48 * 1024 * 1024;
/** What a file shows of itself stands at its beginning; without a digest nothing else is read. */
const headBytes = 256 * 1024;

/** Pixels of the longer side of a small picture, and how good it is. */
const smallSide = 400;
const smallQuality = 0.8;
/** The same of one that other devices see, and how good it is where the host takes no more bytes. */
const sharedSide = 320;
const sharedQualities = [0.75, 0.5, 0.25];
const sharedBytes = 16_379;

/** @type {Question[]} */ const waiting = [];
let held = 0;

/**
 * Where bytes come from, and who answers what is asked beside them: `archive-worker.js` has another of both.
 * @type {{bytes: (question: Question) => Promise<{buffer: ArrayBuffer, body?: Blob | ArrayBuffer}>, answer: (question: any) => Promise<object>}}
 */
export const source = {
    bytes: async ({ file, begin, end }) => ({ buffer: await part(file, begin, end).arrayBuffer() }),
    answer: ({ file, isDate, isShared, mayDecode }) => (isDate ? firstLook(file)
        : isShared ? sharedPicture(file, mayDecode) : smallPicture(file)),
};

globalThis.onmessage = async (/** @type {MessageEvent} */ { data }) => {
    const { id } = data;
    if (!("begin" in data)) {
        postMessage({ id, ...await source.answer(data) });
        return;
    }
    waiting.push(data);
    pump();
};

function pump() {
    const [question] = waiting;
    const byteCount = question ? question.end - question.begin : 0;
    if (!question || (held > 0 && held + byteCount > most)) return;
    waiting.shift();
    held += byteCount;
    answerTo(question).then((answer) => {
        postMessage({ id: question.id, ...answer }, "body" in answer && answer.body instanceof ArrayBuffer ? { transfer: [answer.body] } : {});
        held -= byteCount;
        pump();
    });
    pump();
}

/** `{digest, facts}`, each null where it is not wanted or cannot be had, or `{failure}`.
 * @param {Question} question */
async function answerTo(question) {
    const { begin, end, wantsFacts, entry } = question;
    // What is unpacked is sent from here, whoever hashes it.
    const last = crypto.subtle || entry ? end : Math.min(end, begin + headBytes);
    try {
        const { buffer, body } = await source.bytes({ ...question, end: last });
        if (buffer.byteLength !== last - begin) return { failure: "cut short" };
        return { ...await shownBy(buffer, wantsFacts), ...(body ? { body } : {}) };
    } catch (error) {
        return { failure: error?.message ?? "unreadable", code: typeof error?.code === "string" ? error.code : undefined };
    }
}

/** @param {ArrayBuffer} buffer @param {boolean} wantsFacts @returns {Promise<Reading>} */
async function shownBy(buffer, wantsFacts) {
    const digest = crypto.subtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", buffer)) : null;
    return { digest, facts: wantsFacts ? sniff(new Uint8Array(buffer)) : null };
}

/** `{taken}`, and where the file is so short that all of it was read for that, `first`: what else is asked of its bytes.
 * @param {File} file */
async function firstLook(file) {
    try {
        if (file.size > headBytes) return { taken: await dateOf(file, Date.now()), first: null };
        const buffer = await file.arrayBuffer();
        const [taken, first] = await Promise.all([dateOf(inMemory(file, buffer), Date.now()), shownBy(buffer, true)]);
        return { taken, first: buffer.byteLength === file.size ? first : null };
    } catch {
        return { taken: null, first: null };
    }
}

/** `{picture, isRough}`: a small picture of a photo, the one in its head where it has one; null where this browser shows none.
 * @param {File} file */
async function smallPicture(file) {
    const rough = await pictureInHead(file).catch(() => null);
    return { picture: rough ?? await decoded(file, { resizeWidth: smallSide, resizeQuality: "medium" }).catch(() => null),
        isRough: rough !== null };
}

/** `{picture}`: one that the host takes, as bytes; null where there is none in the head of the file and it may not be decoded,
 * which takes a processor for longer than sending it may wait.
 * @param {File} file @param {boolean} mayDecode */
async function sharedPicture(file, mayDecode) {
    try {
        const rough = await pictureInHead(file).catch(() => null);
        if (!rough && !mayDecode) return { picture: null };
        const bitmap = await createImageBitmap(rough ?? file);
        const scale = Math.min(1, sharedSide / Math.max(bitmap.width, bitmap.height));
        try {
            for (const quality of sharedQualities) {
                const picture = bare(new Uint8Array(await (await paint(bitmap, scale, quality)).arrayBuffer()));
                if (picture.length <= sharedBytes) return { picture };
            }
        } finally {
            bitmap.close();
        }
    } catch {
        // This browser shows none: the host will.
    }
    return { picture: null };
}

/** @param {File} file */
async function pictureInHead(file) {
    const found = exifPicture(new Uint8Array(await part(file, 0, Math.min(pictureHead, file.size)).arrayBuffer()));
    if (!found) return null;
    const { jpeg, crop, orientation } = found;
    const type = "image/jpeg";
    // Whatever stands there: only what can be decoded is shown.
    const cut = await createImageBitmap(new Blob([jpeg], { type }), 
        .../** @type {[number, number, number, number]} */ (crop ?? []));
    if (!crop) {
        cut.close();
        return new Blob(turned(jpeg, orientation), { type });
    }
    return new Blob(turned(new Uint8Array(await (await drawn(cut)).arrayBuffer()), orientation), { type });
}

/** @param {File} file @param {ImageBitmapOptions} options */
const decoded = async (file, options) => drawn(await createImageBitmap(file, options));

/** @param {ImageBitmap} bitmap */
async function drawn(bitmap) {
    try {
        return await paint(bitmap, Math.min(1, smallSide / bitmap.height), smallQuality);
    } finally {
        bitmap.close();
    }
}

/** As a JPEG.
 * @param {ImageBitmap} bitmap @param {number} scale @param {number} quality @returns {Promise<Blob>} */
function paint(bitmap, scale, quality) {
    const { OffscreenCanvas } = /** @type {any} */ (globalThis);
    const canvas = new OffscreenCanvas(Math.max(1, Math.floor(bitmap.width * scale)), Math.max(1, Math.floor(bitmap.height * scale)));
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    return canvas.convertToBlob({ type: "image/jpeg", quality });
}
