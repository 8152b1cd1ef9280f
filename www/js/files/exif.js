// The times that EXIF tells, and those of satellites: read and weighed as the host does (docs/media.md).
import { instant, momentOf, taken, zoneBetween } from "./capture-time.js";
import { day, readPartialTime, readTime, thousandths, zoneOf } from "./civil-time.js";

/** Satellites count so many weeks and begin again, which some receivers do not know. */
const satelliteRound = 1024 * 7 * day;
/** April of 2002: Exif had no place for their date before. */
const firstFix = 1_017_619_200_000;
/** Where the zone of a time stands. */
const zoneTags = { 0x9003: 0x9011, 0x9004: 0x9012, 0x0132: 0x9010 };

/** A round or two later, where that is within a day of what the camera's own clock says; else as it is.
 * @param {number} fix @param {number} own */
const unrolled = (fix, own) => [0, 1, 2].map((count) => fix + count * satelliteRound).find((time) => Math.abs(time - own) < day) ?? fix;

/** Null for one of before there were any, where the camera's own clock says something later.
 * @param {TakenTime | null} fix @param {TakenTime | null} own */
export function believedFix(fix, own) {
    if (!fix || !own) return fix;
    const moment = unrolled(momentOf(fix), momentOf(own));
    return moment < firstFix && momentOf(own) >= firstFix ? null : { ...fix, wall: moment + (fix.offset ?? 0) * 60_000 };
}

/** Where the satellites' day is another than that of the last change, the file was edited since.
 * @param {TakenTime | null} change @param {TakenTime | null} fix */
export function weighed(change, fix) {
    return change && fix && Math.abs(momentOf(fix) - momentOf(change)) >= day ? [fix, change] : [change, fix];
}

/** Some cameras tell one zone for all of their times.
 * @param {Directories} found @param {keyof typeof zoneTags} tag @param {number} fractionTag
 * @param {(keyof typeof zoneTags)[]} zones times whose zone it may have, the most trusted first
 * @param {(keyof typeof zoneTags)[]} others the same, if satellites do not tell it
 * @returns {TakenTime | null} */
export function exifTime(found, tag, fractionTag, zones, others) {
    const time = readPartialTime(found.text(tag));
    if (!time || time.precision !== "moment") return time && taken(time);
    const [digits] = /^\d*/.exec(found.text(fractionTag)) ?? [""];
    if (time.wall % 1000 === 0 && digits) time.wall += thousandths(digits);
    takeZone(found, zones, time);
    const fix = satelliteTime(found);
    if (fix && time.offset === null && !time.isUTC) time.offset = zoneBetween(unrolled(fix.wall, time.wall), time.wall, 60_000);
    takeZone(found, others, time);
    return taken(time);
}

/** The zone of a time of another day may be that of a scanner or an editor elsewhere.
 * @param {Directories} found @param {(keyof typeof zoneTags)[]} tags @param {CivilTime} time */
function takeZone(found, tags, time) {
    for (const tag of tags) {
        const other = readTime(found.text(tag))?.wall ?? time.wall;
        if (time.offset !== null || time.isUTC || Math.abs(other - time.wall) >= day) continue;
        Object.assign(time, zoneOf(found.text(zoneTags[tag])));
    }
}

/** @param {Directories} found */
function satelliteDate({ gps }) {
    const date = readTime(gps.text(0x1d));
    return date && date.wall >= 316_051_200_000 ? date : null;
}

/** Where their clock is missing.
 * @param {Directories} found */
export function satelliteDay(found) {
    const date = satelliteDate(found);
    return date?.precision === "day" ? taken(date) : null;
}

/** @param {Directories} found @returns {TakenTime | null} */
export function satelliteTime(found) {
    const clock = found.gps.rationals(7);
    const date = satelliteDate(found);
    if (!date || clock.length !== 3 || !clock.every((value, index) => value >= 0 && value < [24, 60, 61][index])) return null;
    return instant(date.wall - (date.wall % day) + Math.trunc((clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000));
}

// Reads the few things of Exif that tell what a camera wrote and what was taken out since. TIFF 6.0, Exif 2.32.

/** @typedef {{at: number, byteCount: number, number: number}} Entry */

const makeTag = 0x010f;
const orientationTag = 0x0112;
const changedTag = 0x0132;
const takenTag = 0x9003;
/** Where the JPEG begins, and how many bytes it has. */
const pictureTags = [0x0201, 0x0202];
const exifTag = 0x8769;
const gpsTag = 0x8825;
const makerNoteTag = 0x927c;
const userCommentTag = 0x9286;
const latitudeTag = 2;
/** In Apple's maker note: what ties the still of a Live Photo to its video. */
const liveTag = 0x0011;
const appleMark = "Apple\u0020iOS\0";
const typeBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

/** `{make, hasPlace, isLive, isScreenshot}` of a TIFF structure, or null where it is none.
 * @param {Uint8Array} bytes @returns {Omit<FileFacts, "format"> | null} */
export function readTIFF(bytes) {
    const view = new View(bytes);
    const order = view.text(0, 2);
    if (order !== "MM" && order !== "II") return null;
    view.isLittle = order === "II";
    const main = readDirectory(view, view.number(4, 4));
    const exif = main.has(exifTag) ? readDirectory(view, /** @type {Entry} */ (main.get(exifTag)).number) : new Map();
    const gps = main.has(gpsTag) ? readDirectory(view, /** @type {Entry} */ (main.get(gpsTag)).number) : new Map();
    const comment = exif.get(userCommentTag);
    return {
        make: main.has(makeTag) ? textOf(view, /** @type {Entry} */ (main.get(makeTag))) : "",
        hasPlace: gps.has(latitudeTag),
        isLive: exif.has(makerNoteTag) && isLive(bytes, /** @type {Entry} */ (exif.get(makerNoteTag))),
        isScreenshot: comment !== undefined && textOf(view, comment).endsWith("Screenshot"),
    };
}

/** The directories of a TIFF structure, for whoever asks for single values. */
export class Directories {
    /** Null where it is none.
     * @param {Uint8Array} bytes @returns {Directories | null} */
    static of(bytes) {
        const view = new View(bytes);
        const order = view.text(0, 2);
        if (order !== "MM" && order !== "II") return null;
        view.isLittle = order === "II";
        return new Directories(view);
    }

    /** @param {View} view */
    constructor(view) {
        this.view = view;
        this.main = readDirectory(view, view.number(4, 4));
        /** @param {number} tag @returns {Map<number, Entry>} */
        const inside = (tag) => {
            const entry = this.main.get(tag);
            return entry ? readDirectory(view, entry.number) : new Map();
        };
        this.exif = inside(exifTag);
        const gps = inside(gpsTag);
        this.gps = {
            text: (/** @type {number} */ tag) => this.written(gps, tag),
            rationals: (/** @type {number} */ tag) => this.rationals(gps, tag),
        };
    }

    /** A text of Exif, or of the main directory, where some raw formats have it; empty where there is none.
     * @param {number} tag @returns {string} */
    text(tag) { return this.written(this.exif, tag) || this.written(this.main, tag); }

    /** From 1 to 8, as Exif has it; 1 where nothing is said. */
    get orientation() {
        const entry = this.main.get(orientationTag);
        return entry ? this.view.number(entry.at, 2) : 1;
    }

    /** Nobody says that it was changed in another minute than it was taken: who edits a photo may leave its small picture. */
    get isAsTaken() {
        const [changed, taken] = [changedTag, takenTag].map((tag) => this.text(tag).slice(0, 16));
        return changed === "" || taken === "" || changed === taken;
    }

    /** The JPEG in the directory that follows the main one: a small picture of the photo. Null where there is none.
     * @returns {Uint8Array | null} */
    get picture() {
        const { view } = this;
        const main = view.number(4, 4);
        const next = view.number(main + 2 + 12 * view.number(main, 2), 4);
        const directory = next === 0 ? new Map() : readDirectory(view, next);
        const [begin, byteCount] = pictureTags.map((tag) => directory.get(tag)?.number ?? 0);
        const bytes = view.bytes.subarray(begin, begin + byteCount);
        return byteCount > 0 && bytes.length === byteCount && bytes[0] === 0xff && bytes[1] === 0xd8 ? bytes : null;
    }

    /** @param {Map<number, Entry>} directory @param {number} tag @returns {string} */
    written(directory, tag) {
        const entry = directory.get(tag);
        return entry ? textOf(this.view, entry) : "";
    }

    /** @param {Map<number, Entry>} directory @param {number} tag @returns {number[]} */
    rationals(directory, tag) {
        const { at, byteCount } = directory.get(tag) ?? { at: 0, byteCount: 0 };
        return Array.from({ length: Math.min(8, byteCount / 8) }, (_, index) =>
            this.view.number(at + 8 * index, 4) / this.view.number(at + 8 * index + 4, 4));
    }
}

/** tag → `{at, byteCount, number}`; what lies outside the bytes at hand is left out.
 * @param {View} view @param {number} offset @param {number} [start] @returns {Map<number, Entry>} */
function readDirectory(view, offset, start = 0) {
    const entries = new Map();
    const count = view.number(offset, 2);
    for (let index = 0; index < Math.min(count, 512); index += 1) {
        const at = offset + 2 + 12 * index;
        const byteCount = (typeBytes[view.number(at + 2, 2)] ?? 0) * view.number(at + 4, 4);
        const number = view.number(at + 8, 4);
        entries.set(view.number(at, 2), { at: byteCount > 4 ? start + number : at + 8, byteCount, number });
    }
    return entries;
}

/** @param {View} view @param {Entry} entry */
const textOf = (view, { at, byteCount }) => view.text(at, Math.min(byteCount, 256)).replace(/[\0 ]+$/, "");

/** Its offsets count from its own beginning, and it is big-endian whatever the rest is.
 * @param {Uint8Array} bytes @param {Entry} entry */
function isLive(bytes, { at, byteCount }) {
    const view = new View(bytes.subarray(at, at + byteCount));
    return view.text(0, appleMark.length) === appleMark && view.text(12, 2) === "MM"
        && readDirectory(view, 14).has(liveTag);
}

/** What is beyond the end reads as 0. */
export class View {
    /** @param {Uint8Array} bytes */
    constructor(bytes) {
        this.bytes = bytes;
        this.isLittle = false;
    }

    /** @param {number} offset @param {number} byteCount @returns {number} */
    number(offset, byteCount) {
        let value = 0;
        for (let index = 0; index < byteCount; index += 1) {
            const at = offset + (this.isLittle ? byteCount - 1 - index : index);
            value = value * 256 + (this.bytes[at] ?? 0);
        }
        return value;
    }

    /** @param {number} offset @param {number} byteCount @returns {string} */
    text(offset, byteCount) {
        return String.fromCharCode(...this.bytes.subarray(offset, offset + byteCount));
    }
}
