// The times that EXIF tells, and those of satellites: read and weighed as the host does (docs/media.md).
import { instant, momentOf, taken, zoneBetween } from "./capture-time.js";
import { day, readPartialTime, readTime, thousandths, zoneOf } from "./civil-time.js";

/** @typedef {import("./tiff.js").Directories} Directories */

/** Satellites count so many weeks and begin again, which some receivers do not know. */
const satelliteRound = 1024 * 7 * day;
/** April of 2002: Exif had no place for their date before. */
const firstFix = 1_017_619_200_000;
/** Where the zone of a time stands. */
const zoneTags = { 0x9003: 0x9011, 0x9004: 0x9012, 0x0132: 0x9010 };

/**
 * A round or two later, where that is within a day of what the camera's own clock says; else as it is.
 * @param {number} fix
 * @param {number} own
 */
const unrolled = (fix, own) => [0, 1, 2].map((count) => fix + count * satelliteRound).find((time) => Math.abs(time - own) < day) ?? fix;

/**
 * Null for one of before there were any, where the camera's own clock says something later.
 * @param {TakenTime | null} fix
 * @param {TakenTime | null} own
 */
export function believedFix(fix, own) {
    if (!fix || !own) return fix;
    const moment = unrolled(momentOf(fix), momentOf(own));
    return moment < firstFix && momentOf(own) >= firstFix ? null : { ...fix, wall: moment + (fix.offset ?? 0) * 60_000 };
}

/**
 * Where the satellites' day is another than that of the last change, the file was edited since.
 * @param {TakenTime | null} change
 * @param {TakenTime | null} fix
 */
export function weighed(change, fix) {
    return change && fix && Math.abs(momentOf(fix) - momentOf(change)) >= day ? [fix, change] : [change, fix];
}

/**
 * Some cameras tell one zone for all of their times.
 * @param {Directories} found
 * @param {keyof typeof zoneTags} tag
 * @param {number} fractionTag
 * @param {(keyof typeof zoneTags)[]} zones times whose zone it may have, the most trusted first
 * @param {(keyof typeof zoneTags)[]} others the same, if satellites do not tell it
 * @returns {TakenTime | null}
 */
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

/**
 * The zone of a time of another day may be that of a scanner or an editor elsewhere.
 * @param {Directories} found
 * @param {(keyof typeof zoneTags)[]} tags
 * @param {CivilTime} time
 */
function takeZone(found, tags, time) {
    for (const tag of tags) {
        const other = readTime(found.text(tag))?.wall ?? time.wall;
        if (time.offset !== null || time.isUTC || Math.abs(other - time.wall) >= day) continue;
        Object.assign(time, zoneOf(found.text(zoneTags[tag])));
    }
}

/**
 * @param {Directories} found
 */
function satelliteDate({ gps }) {
    const date = readTime(gps.text(0x1d));
    return date && date.wall >= 316_051_200_000 ? date : null;
}

/**
 * Where their clock is missing.
 * @param {Directories} found
 */
export function satelliteDay(found) {
    const date = satelliteDate(found);
    return date?.precision === "day" ? taken(date) : null;
}

/**
 * @param {Directories} found
 * @returns {TakenTime | null}
 */
export function satelliteTime(found) {
    const clock = found.gps.rationals(7);
    const date = satelliteDate(found);
    if (!date || clock.length !== 3 || !clock.every((value, index) => value >= 0 && value < [24, 60, 61][index])) return null;
    return instant(date.wall - (date.wall % day) + Math.trunc((clock[0] * 3600 + clock[1] * 60 + clock[2]) * 1000));
}
