// Reads and hashes files in a thread of its own: the page's has only to draw. It keeps nothing of what it has read.
import { dateOf } from "./file-date.js";
import { sniff } from "./sniff.js";

/** Bytes in memory at a time, of all files together; one piece may always be. */
const most = 48 * 1024 * 1024;
/** What a file shows of itself stands at its beginning; without a digest nothing else is read. */
const headBytes = 256 * 1024;

/** Pixels of the longer side of a small picture, and how good it is. */
const smallSide = 400;
const smallQuality = 0.8;

const waiting = [];
let held = 0;

onmessage = async ({ data }) => {
    if (data.isPicture || data.isDate) {
        const { id, file } = data;
        postMessage(data.isDate ? { id, taken: await dateOf(file, Date.now()).catch(() => null) }
            : { id, picture: await smallPicture(file) });
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
        postMessage({ id: question.id, ...answer });
        held -= byteCount;
        pump();
    });
    pump();
}

/** `{digest, facts}`, each null where it is not wanted or cannot be had, or `{failure}`. */
async function answerTo({ file, begin, end, wantsFacts }) {
    const last = crypto.subtle ? end : Math.min(end, begin + headBytes);
    try {
        const buffer = await file.slice(begin, last).arrayBuffer();
        if (buffer.byteLength !== last - begin) return { failure: "cut short" };
        const digest = crypto.subtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", buffer)) : null;
        return { digest, facts: wantsFacts ? sniff(new Uint8Array(buffer)) : null };
    } catch (error) {
        return { failure: error?.message ?? "unreadable" };
    }
}

/** A small picture of a photo; null where this browser cannot decode it. */
async function smallPicture(file) {
    let bitmap = null;
    try {
        bitmap = await createImageBitmap(file, { resizeWidth: smallSide, resizeQuality: "medium" });
        const scale = Math.min(1, smallSide / bitmap.height);
        const canvas = new OffscreenCanvas(Math.max(1, bitmap.width * scale), Math.max(1, bitmap.height * scale));
        canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height);
        return await canvas.convertToBlob({ type: "image/jpeg", quality: smallQuality });
    } catch {
        return null;
    } finally {
        bitmap?.close();
    }
}
