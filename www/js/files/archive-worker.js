// Reads archives where they lie, in a thread of its own: what is in them, and the entries piece by piece.
import { listArchive, verdictOnFile } from "./archive-list.js";
import { ArchiveFault } from "./archive.js";
import { EntryStream, inPacked } from "./unpacking.js";
import { source } from "./upload-worker.js";

/** Entries that are read piece by piece: of each its place is kept, and what was unpacked beyond that. */
const mostStreams = 8;
/** @typedef {{last: Promise<unknown>}} Line where one waits for the other */
/** @type {Map<string, {stream: EntryStream, line: Line}>} */ const streams = new Map();
/** Of archives that are packed as a whole: one entry after the other, so that each goes on where the one before it ended.
 * @type {Map<string, Line>} */
const lines = new Map();

/** @param {ArchiveEntry & {key: string}} entry */
function lineOf({ method, key }) {
    const line = { last: Promise.resolve() };
    if (method !== inPacked) return line;
    const archive = key.split(" ")[0];
    if (!lines.has(archive)) lines.set(archive, line);
    return /** @type {Line} */ (lines.get(archive));
}

source.answer = async ({ file, files }) => {
    if (files) {
        const verdicts = [];
        // One after the other: a text is read as a whole.
        for (const one of files) verdicts.push(await verdictOnFile(one));
        return { verdicts };
    }
    try {
        return { entries: await listArchive(file) };
    } catch (error) {
        return { fault: error instanceof ArchiveFault ? error.code : "unreadable" };
    }
};

source.bytes = async ({ file, entry, begin, end }) => {
    const of = /** @type {ArchiveEntry & {key: string}} */ (entry);
    const one = streams.get(of.key) ?? { stream: new EntryStream(file, of), line: lineOf(of) };
    const reading = one.line.last.catch(() => {}).then(() => one.stream.read(begin, end));
    one.line.last = reading;
    keep(of.key, one);
    try {
        const bytes = await reading;
        if (end === of.size) streams.delete(of.key);
        const buffer = /** @type {ArrayBuffer} */ (bytes.buffer);
        // What is not packed goes from the disk to the network by itself, where the host hears what it has to be.
        const place = one.stream.place + begin;
        return { buffer, body: of.method === 0 && crypto.subtle ? file.slice(place, place + end - begin) : buffer };
    } catch (error) {
        streams.delete(of.key);
        await one.stream.close();
        throw error;
    }
};

/** The one that was not read for longest gives way.
 * @param {string} key @param {{stream: EntryStream, line: Line}} one */
function keep(key, one) {
    streams.delete(key);
    streams.set(key, one);
    if (streams.size <= mostStreams) return;
    const [[oldest, { stream, line }]] = streams;
    streams.delete(oldest);
    line.last = line.last.catch(() => {}).then(() => stream.close());
}
