// Reads and hashes files in a thread of its own: the page's has only to draw. It keeps nothing of what it has read.
import { sniff } from "./sniff.js";

/** Bytes in memory at a time, of all files together; one piece may always be. */
const most = 48 * 1024 * 1024;
/** What a file shows of itself stands at its beginning; without a digest nothing else is read. */
const headBytes = 256 * 1024;

const waiting = [];
let held = 0;

onmessage = ({ data }) => {
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
