// When a QuickTime or MP4 video was taken: its own texts, which know the zone, else the clock in its head, which knows UTC.
import { instant, taken } from "./capture-time.js";
import { readPartialTime, readTime } from "./civil-time.js";
import { View } from "./tiff.js";

/** @typedef {{type: string, begin: number, end: number}} Box */

/** Boxes of the file that are gone through until its index is found, and how long that may be. */
const mostBoxes = 64;
const mostBytes = 16 * 1024 * 1024;
/** From 1904-01-01 to 1970-01-01, in seconds. */
const epochs = 2_082_844_800;
/** What seems to be older counts from 1970, as some cameras do. */
const oldest = 631_152_000;

/**
 * The most trusted first; null where the video may say more than is read here.
 * @param {FileLike} file
 * @returns {Promise<(TakenTime | null)[] | null>}
 */
export async function movieTimes(file) {
    const movie = await findMovie(file);
    if (!movie) return null;
    const boxes = boxesIn(movie, 8, movie.bytes.length);
    const inTracks = tracksIn(movie, boxes);
    /** @type {Map<string, string>} */
    const texts = new Map();
    for (const box of [...boxes, ...inTracks]) {
        if (box.type === "meta") takeKeys(movie, box, texts);
        if (box.type === "udta" && !takeUserData(movie, box, texts)) return null;
    }
    const written = ["creationdate", "date", "©day"].map((key) => texts.get(key) ?? "")
        .map(readTime).filter((time) => time?.precision === "moment");
    const header = boxes.find(({ type }) => type === "mvhd");
    const day = texts.get("©day");
    // Programs that number films by their years write it without a clock.
    const release = day === undefined ? null : readPartialTime(day);
    const released = release?.precision === "moment" ? null : release;
    // Where the movie's header knows no time, those of its tracks may.
    const media = inTracks.filter(({ type }) => type === "mdia").flatMap(({ begin, end }) => boxesIn(movie, begin, end));
    const headers = [header, ...media.filter(({ type }) => type === "mdhd"), ...inTracks.filter(({ type }) => type === "tkhd")];
    return [...written.map((time) => time && taken(time)), ...headers.map((box) => box ? headerTime(movie, box) : null), released && taken(released)];
}

/**
 * The bytes of `moov`, wherever in the file it lies.
 * @param {FileLike} file
 */
async function findMovie(file) {
    for (let at = 0, count = 0; at + 8 <= file.size && count < mostBoxes; count += 1) {
        const head = new View(new Uint8Array(await file.slice(at, at + 16).arrayBuffer()));
        const short = head.number(0, 4);
        const size = short === 1 ? head.number(8, 8) : short === 0 ? file.size - at : short;
        if (size < 8 || head.text(4, 4) === "uuid") return null;
        if (head.text(4, 4) === "moov") {
            return size > mostBytes ? null : new View(new Uint8Array(await file.slice(at, at + size).arrayBuffer()));
        }
        at += size;
    }
    return null;
}

/**
 * @param {View} view
 * @param {number} begin
 * @param {number} end
 * @returns {Box[]}
 */
function boxesIn(view, begin, end) {
    /** @type {Box[]} */
    const found = [];
    for (let at = begin; at + 8 <= end && found.length < mostBoxes;) {
        const size = view.number(at, 4);
        if (size < 8) break;
        found.push({ type: view.text(at + 4, 4), begin: at + 8, end: Math.min(at + size, end) });
        at += size;
    }
    return found;
}

/**
 * @param {View} view
 * @param {Box[]} boxes
 */
const tracksIn = (view, boxes) => boxes.filter(({ type }) => type === "trak").flatMap(({ begin, end }) => boxesIn(view, begin, end));
/**
 * @param {View} view
 * @param {number} begin
 * @param {number} end
 */
const textOf = (view, begin, end) => new TextDecoder().decode(view.bytes.subarray(begin, Math.min(end, begin + 1024))).replace(/[\0 ]+$/, "");
/**
 * @param {Map<string, string>} texts
 * @param {string} key
 * @param {string} text
 */
const note = (texts, key, text) => { if (!texts.has(key)) texts.set(key, text); };

/**
 * A table of keys, and a list of values by one-based number. MP4's has a version before its boxes.
 * @param {View} view
 * @param {Box} box
 * @param {Map<string, string>} texts
 */
function takeKeys(view, { begin, end }, texts) {
    let boxes = boxesIn(view, begin, end);
    if (!boxes.some(({ type }) => type === "ilst")) boxes = boxesIn(view, begin + 4, end);
    const list = boxes.find(({ type }) => type === "ilst");
    const table = boxes.find(({ type }) => type === "keys");
    const names = table ? boxesIn(view, table.begin + 8, table.end).map((key) => textOf(view, key.begin, key.end)) : [];
    for (const item of list ? boxesIn(view, list.begin, list.end) : []) {
        const data = boxesIn(view, item.begin, item.end).find(({ type }) => type === "data");
        const name = names[view.number(item.begin - 4, 4) - 1] ?? (item.type.startsWith("\xa9") ? item.type : null);
        if (!data || name === null || view.number(data.begin, 4) !== 1) continue;
        note(texts, name.replace("com.apple.quicktime.", "").replace("\xa9", "©"), textOf(view, data.begin + 8, data.end));
    }
}

/**
 * False where a maker's own block says more.
 * @param {View} view
 * @param {Box} box
 * @param {Map<string, string>} texts
 */
function takeUserData(view, { begin, end }, texts) {
    const boxes = boxesIn(view, begin, end);
    for (const box of boxes) {
        if (box.type === "NCDT" || box.type === "XMP_") return false;
        if (box.type === "meta") takeKeys(view, box, texts);
        // As some editors write it: the text alone.
        if (box.type === "date") note(texts, "date", textOf(view, box.begin, Math.min(box.end, box.begin + 64)));
        if (box.type.startsWith("\xa9")) {
            note(texts, box.type.replace("\xa9", "©"), textOf(view, box.begin + 4, box.begin + 4 + view.number(box.begin, 2)));
        }
    }
    return true;
}

/**
 * @param {View} view
 * @param {Box} box
 */
function headerTime(view, { begin }) {
    const seconds = view.number(begin, 1) === 1 ? view.number(begin + 4, 8) : view.number(begin + 4, 4);
    if (seconds >= oldest && seconds < epochs) return instant(seconds * 1000);
    return seconds > epochs && seconds - epochs < 2 ** 40 ? instant((seconds - epochs) * 1000) : null;
}
