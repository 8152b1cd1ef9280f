// When the photo or video in a file was taken, read from the few bytes of it that say so. Where the host may know better than
// what is read here, nothing is said: a photo that stood in a wrong month would have to move.
import { chosenTime, firstTrue, instant, isDoubtful, nameTimes, taken } from "./capture-time.js";
import { civil, isOtherwiseWritten, readPartialTime, readTime } from "./civil-time.js";
import { believedFix, Directories, exifTime, satelliteDay, satelliteTime, View, weighed } from "./exif.js";
import { heicExifPlace, isBoxedPicture, jpegSegments, pngChunks } from "./sniff.js";

// When a QuickTime or MP4 video was taken: its own texts, which know the zone, else the clock in its head, which knows UTC.

/** @typedef {{type: string, begin: number, end: number}} Box */

/** Boxes of the file that are gone through until its index is found, and how long that may be. */
const mostBoxes = 64;
const mostBytes = 16 * 1024 * 1024;
/** From 1904-01-01 to 1970-01-01, in seconds. */
const epochs = 2_082_844_800;
/** What seems to be older counts from 1970, as some cameras do. */
const oldest = 631_152_000;

/** The most trusted first; null where the video may say more than is read here.
 * @param {FileLike} file @returns {Promise<(TakenTime | null)[] | null>} */
async function movieTimes(file) {
    const movie = await findMovie(file);
    if (!movie) return null;
    const boxes = boxesIn(movie, 8, movie.bytes.length);
    const inTracks = tracksIn(movie, boxes);
    /** @type {Map<string, string>} */ const texts = new Map();
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

/** The bytes of `moov`, wherever in the file it lies.
 * @param {FileLike} file */
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

/** @param {View} view @param {number} begin @param {number} end @returns {Box[]} */
function boxesIn(view, begin, end) {
    /** @type {Box[]} */ const found = [];
    for (let at = begin; at + 8 <= end && found.length < mostBoxes;) {
        const size = view.number(at, 4);
        if (size < 8) break;
        found.push({ type: view.text(at + 4, 4), begin: at + 8, end: Math.min(at + size, end) });
        at += size;
    }
    return found;
}

/** @param {View} view @param {Box[]} boxes */
const tracksIn = (view, boxes) => boxes.filter(({ type }) => type === "trak").flatMap(({ begin, end }) => boxesIn(view, begin, end));
/** @param {View} view @param {number} begin @param {number} end */
const textOf = (view, begin, end) => new TextDecoder().decode(view.bytes.subarray(begin, Math.min(end, begin + 1024))).replace(/[\0 ]+$/, "");
/** @param {Map<string, string>} texts @param {string} key @param {string} text */
const note = (texts, key, text) => { if (!texts.has(key)) texts.set(key, text); };

/** A table of keys, and a list of values by one-based number. MP4's has a version before its boxes.
 * @param {View} view @param {Box} box @param {Map<string, string>} texts */
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

/** False where a maker's own block says more.
 * @param {View} view @param {Box} box @param {Map<string, string>} texts */
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

/** @param {View} view @param {Box} box */
function headerTime(view, { begin }) {
    const seconds = view.number(begin, 1) === 1 ? view.number(begin + 4, 8) : view.number(begin + 4, 4);
    if (seconds >= oldest && seconds < epochs) return instant(seconds * 1000);
    return seconds > epochs && seconds - epochs < 2 ** 40 ? instant((seconds - epochs) * 1000) : null;
}

/** @typedef {{exif?: Uint8Array, xmp?: string, isUnclear?: boolean}} Told */

/** When it was taken, and when a program wrote the file, before it was copied.
 * @typedef {{time: TakenTime | null, written?: number} | null} Read */

/** Where pictures say it, all but a few. */
const headBytes = 128 * 1024;
/** Formats that have times of their own, which are not read here. */
const unread = /\.(?:avi|cr3|j2[ck]|jp[2cfx]|jxl|m2?ts|mkv|mpe?g|ps[bd]|raf|vob|webm|wm[av]|asf)$/i;
/** How what stands before an XMP packet ends, and how long all of it is. */
const xmpMark = "adobe.com/xap/1.0/\0";
const xmpMarkEnd = 29;
/** When the shutter opened, when it was made digital, and when satellites told where. */
const xmpTimes = {
    shutter: [["exif", "DateTimeOriginal"], ["photoshop", "DateCreated"], ["xmpDM", "shotDate"],
        // A panorama that was put together from others has the times of these.
        ["GPano", "SourceImageCreateTime"], ["GPano", "FirstPhotoDate"], ["GPano", "LastPhotoDate"]],
    digitized: [["exif", "DateTimeDigitized"], ["xmp", "CreateDate"]],
    fix: [["exif", "GPSTimeStamp"]],
};
/** XMP, the press's block and Photoshop's resources as TIFF has them, which are not read here. */
const blocksInside = [0x02bc, 0x83bb, 0x8649];
/** How the names of these end.
 * @type {Record<string, string>} */
const namespaces = { exif: "adobe.com/exif/1.0/", photoshop: "adobe.com/photoshop/1.0/", xmp: "adobe.com/xap/1.0/",
    xmpDM: "adobe.com/xmp/1.0/DynamicMedia/", GPano: "google.com/photos/1.0/panorama/" };

/** `{wall, offset, precision}`; `{}` where nobody knows it; null where it cannot be told here.
 * @param {FileLike} file @param {number} now @returns {Promise<Partial<CivilTime> | null>} */
export async function dateOf(file, now) {
    const read = await readDate(file, now);
    const written = read?.written;
    const time = read && chosenTime({ read: read.time, name: file.name, fileTime: file.lastModified, written, now });
    // Whether a name that is a number tells a year, or is one of a series, names beside it say: to the host.
    if (time?.precision === "year" && /^\d{4} *(?:\(\d*\))?(?:\.[^.]*)?$/.test(file.name)) return null;
    return read && (time ?? {});
}

/** `{time}`, or null where the file may say more than is read.
 * @param {FileLike} file @param {number} now @returns {Promise<Read>} */
async function readDate(file, now) {
    if (unread.test(file.name)) return null;
    const bytes = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
    const view = new View(bytes);
    const words = view.text(0, 16);
    if (words.startsWith("\xff\xd8\xff")) {
        const read = jpegDate(bytes, now);
        return read?.time === null && (await hasBlocksBehind(file)) ? null : read;
    }
    if (words.startsWith("\x89PNG")) return pngDate(bytes, file, now);
    if (words.startsWith("RIFF")) return words.startsWith("WEBP", 8) && !view.text(12, 4).startsWith("VP8X") ? { time: null } : null;
    if (/^(?:II[*U]\0|II(?:RO|RS)|MM\0\*)/.test(words)) return pictureDate({ exif: bytes }, now);
    if (/^.{4}(?:ftyp|moov|mdat|wide|free|skip)/s.test(words)) return boxedDate(file, bytes, now);
    // What it may say more is not read here.
    if (words.startsWith("GIF8") && /\xff\x0bXMP DataXMP/.test(view.text(0, headBytes))) return null;
    const isOther = /^(?:GIF8|BM)/.test(words) || !/^(?:image|video)\//.test(file.type);
    return isOther ? { time: null } : null;
}

/** @param {FileLike} file @param {Uint8Array} bytes @param {number} now @returns {Promise<Read>} */
async function boxedDate(file, bytes, now) {
    const brand = new View(bytes).text(8, 4);
    if (isBoxedPicture(bytes)) {
        const place = heicExifPlace(bytes);
        if (!place) return null;
        const all = place.end <= bytes.length ? bytes : new Uint8Array(await file.slice(0, place.end).arrayBuffer());
        const start = place.begin + 4 + new View(all).number(place.begin, 4);
        // Beside it may lie XMP, which is not read here.
        return pictureDate({ exif: all.subarray(start, place.end), isUnclear: true }, now);
    }
    // A raw file, or a video with blocks of its own.
    if (brand === "crx " || brand === "XAVC") return null;
    const times = await movieTimes(file);
    return times && { time: firstTrue(times, now) };
}

/** What programs of the 1990s put there is not read here.
 * @param {FileLike} file */
async function hasBlocksBehind(file) {
    return /^AXS[!*]/.test(new View(new Uint8Array(await file.slice(-12).arrayBuffer())).text(0, 4));
}

/** @param {Uint8Array} bytes @param {number} now @returns {Read} */
function jpegDate(bytes, now) {
    /** @type {Told} */ const found = {};
    for (const { marker, begin, end } of jpegSegments(bytes)) {
        if (marker !== 0xe1 && marker !== 0xed) continue;
        const words = new View(bytes).text(begin, xmpMarkEnd);
        if (marker === 0xed && words.startsWith("Photoshop")) found.isUnclear = true;
        if (words.startsWith("QVCI")) found.isUnclear = true;
        if (words.startsWith("Exif\0\0")) found.exif ??= bytes.subarray(begin + 6, end);
        if (words.endsWith(xmpMark)) found.xmp ??= new TextDecoder().decode(bytes.subarray(begin + xmpMarkEnd, end));
    }
    return pictureDate(found, now);
}

/** Texts of the format itself come behind what cameras write; packed ones, and those behind the picture, are not read.
 * @param {Uint8Array} bytes @param {FileLike} file @param {number} now @returns {Read} */
function pngDate(bytes, { size, name }, now) {
    /** @type {Told} */ const found = {};
    let isWhole = size <= bytes.length;
    /** @type {number | undefined} */ let written;
    for (const { type, begin, end } of pngChunks(bytes)) {
        if (type === "eXIf") found.exif ??= bytes.subarray(begin, end);
        if (["tEXt", "zTXt", "iTXt"].includes(type)) found.isUnclear ||= mayTellTime(bytes, begin);
        if (type === "tIME") written = lastChange(new View(bytes), begin);
        if (type === "IEND") isWhole = true;
    }
    // A long file may say more at its end, which screenshots do not.
    if (!isWhole && !found.exif && found.isUnclear) return null;
    found.isUnclear ||= !isWhole && found.exif !== undefined;
    const read = pictureDate(found, now);
    // Some programs say there when they wrote it, which counts only where nothing else does.
    const isOpen = !isWhole && written === undefined && read?.time === null && nameTimes(name).length === 0;
    return isOpen ? null : read && { ...read, written };
}

/** Milliseconds since 1970.
 * @param {View} view @param {number} begin */
function lastChange(view, begin) {
    const [month, date, hour, minute, second] = [2, 3, 4, 5, 6].map((place) => view.number(begin + place, 1));
    return civil({ year: view.number(begin, 2), month, date, hour, minute, second })?.wall;
}

/** @param {Uint8Array} bytes @param {number} begin */
const mayTellTime = (bytes, begin) => /^(?:XML:com|creation time|raw profile)/i.test(new View(bytes).text(begin, 16));

/** As the host weighs them: when the shutter opened comes first, whichever block tells of it, then when it was made digital, last what
 * programs and satellites write.
 * @param {Told} told @param {number} now @returns {Read} */
function pictureDate({ exif, xmp, isUnclear = false }, now) {
    const directories = exif && Directories.of(exif);
    const isOdd = xmp !== undefined && mayMeanOther(xmp);
    if (directories && [0x9003, 0x9004, 0x0132].some((tag) => isOtherwiseWritten(directories.text(tag)))) return null;
    /** @param {"shutter" | "digitized" | "fix"} kind */
    const packet = (kind) => (xmp && !isOdd ? packetTimes(xmp, xmpTimes[kind]) : []);
    const shutter = [directories ? exifTime(directories, 0x9003, 0x9291, [0x9003, 0x9004], [0x0132]) : null, ...packet("shutter")];
    const open = firstTrue(shutter, now);
    if (open?.precision === "moment" && !isDoubtful(open)) return { time: open };
    if (isUnclear || isOdd || blocksInside.some((tag) => directories?.main.has(tag))) return null;
    const digitized = [directories ? exifTime(directories, 0x9004, 0x9292, [0x9004, 0x9003], [0x0132]) : null, ...packet("digitized")];
    const first = firstTrue([...shutter, ...digitized], now);
    const time = first && { ...first, isScan: open === null };
    const change = directories ? exifTime(directories, 0x0132, 0x9290, [0x0132], [0x9003, 0x9004]) : null;
    const fix = believedFix((directories && (satelliteTime(directories) ?? satelliteDay(directories))) ?? packet("fix")[0] ?? null, change);
    if (time && time.precision !== "day") return { time: isDoubtful(time) ? firstTrue([time, fix], now) : time };
    // Of a year or a month, the last change is no part of what is known. That somebody else told the day makes its clock trusted.
    const found = firstTrue([time, ...weighed(change && { ...change, isChange: time === null, isScan: time?.isScan }, fix)], now);
    return { time: found };
}

/** Simple values of an XMP packet, by their customary prefixes and by those that it declares.
 * @param {string} packet @param {string[][]} names @returns {(TakenTime | null)[]} */
function packetTimes(packet, names) {
    return names.map(([prefix, name]) => {
        const value = packetValue(packet, prefix, name);
        const time = value === null ? null : readPartialTime(value.trim());
        return time && taken(time);
    });
}

/** @param {string} packet @param {string} prefix @param {string} name @returns {string | null} */
function packetValue(packet, prefix, name) {
    const declared = [...packet.matchAll(/xmlns:([\w-]+)\s*=\s*["']([^"']+)["']/g)];
    const prefixes = [prefix, ...declared.filter(([, , space]) => space.endsWith(namespaces[prefix])).map(([, other]) => other)];
    const found = new RegExp(`[\\s<](?:${prefixes.join("|")}):${name}\\s*(?:=\\s*(?:"([^"]*)"|'([^']*)')|>([^<]*)</)`).exec(packet);
    return found && (found[1] ?? found[2] ?? found[3]);
}

/** Whether a packet may mean something else than it seems to: with comments, other pictures that this one was made from, or a
 * name that stands there twice, or otherwise than simple values do.
 * @param {string} packet */
function mayMeanOther(packet) {
    if (/<!|\0|:(?:Pantry|Ingredients)\b/.test(packet)) return true;
    return Object.values(xmpTimes).flat().some(([prefix, name]) => {
        const count = packet.match(new RegExp(`[\\s<](?:[^\\s<>=/:]+:)?${name}(?=[\\s=/>])`, "g"))?.length ?? 0;
        const value = packetValue(packet, prefix, name)?.trim() ?? "";
        return count > 1 || (count === 1 && (/^$|&/.test(value) || isOtherwiseWritten(value)));
    });
}
