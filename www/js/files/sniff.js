// What the first bytes of a file say about the way it came. Only what stands in them: nothing is guessed from names.
import { Directories, readTIFF, View } from "./exif.js";

// Where the Exif of a HEIC picture lies. ISO/IEC 14496-12 (boxes `meta`, `iinf`, `iloc`) and 23008-12 (its first 4 bytes).

/** @typedef {{type: string, begin: number, end: number}} Box */

/** The TIFF structure, or null where there is none, or it lies beyond the bytes at hand.
 * @param {Uint8Array} bytes @returns {Uint8Array | null} */
function heicExif(bytes) {
    const place = heicExifPlace(bytes);
    if (!place || place.end > bytes.length) return null;
    return bytes.subarray(place.begin + 4 + new View(bytes).number(place.begin, 4), place.end);
}

/** `{begin, end}` in the file of the item that is Exif, which begins with how far behind its first four bytes the TIFF structure is.
 * @param {Uint8Array} bytes @returns {{begin: number, end: number} | null} */
export function heicExifPlace(bytes) {
    const view = new View(bytes);
    const meta = boxes(view, 0, bytes.length).find(({ type }) => type === "meta");
    if (!meta) return null;
    const inside = boxes(view, meta.begin + 4, meta.end);
    const infos = inside.find(({ type }) => type === "iinf");
    const places = inside.find(({ type }) => type === "iloc");
    const id = infos && exifItem(view, infos);
    const place = id && places ? placeOf(view, places, id) : null;
    return place && { begin: place.offset, end: place.offset + place.byteCount };
}

/** @param {View} view @param {number} begin @param {number} end @returns {Box[]} */
function boxes(view, begin, end) {
    /** @type {Box[]} */ const found = [];
    for (let at = begin; at + 8 <= end;) {
        const short = view.number(at, 4);
        const isLong = short === 1;
        const byteCount = isLong ? view.number(at + 8, 8) : short === 0 ? end - at : short;
        if (byteCount < 8) break;
        found.push({ type: view.text(at + 4, 4), begin: at + (isLong ? 16 : 8), end: Math.min(at + byteCount, end) });
        at += byteCount;
    }
    return found;
}

/** The id of the item that is Exif, or null.
 * @param {View} view @param {Box} infos @returns {number | null} */
function exifItem(view, infos) {
    const isShort = view.number(infos.begin, 1) === 0;
    for (const info of boxes(view, infos.begin + (isShort ? 6 : 8), infos.end)) {
        const version = view.number(info.begin, 1);
        if (info.type !== "infe" || version < 2) continue;
        const idBytes = version === 2 ? 2 : 4;
        if (view.text(info.begin + 4 + idBytes + 2, 4) === "Exif") return view.number(info.begin + 4, idBytes);
    }
    return null;
}

/** `{offset, byteCount}` in the file of an item of one extent, or null.
 * @param {View} view @param {Box} places @param {number} wanted */
function placeOf(view, { begin, end }, wanted) {
    const version = view.number(begin, 1);
    const sizes = view.number(begin + 4, 2);
    const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
    const indexBytes = version > 0 ? sizes & 15 : 0;
    const idBytes = version < 2 ? 2 : 4;
    let at = begin + 6;
    /** @param {number} byteCount */
    const take = (byteCount) => {
        at += byteCount;
        return view.number(at - byteCount, byteCount);
    };
    for (let left = take(idBytes); left > 0 && at < end; left -= 1) {
        const id = take(idBytes);
        const method = version > 0 ? take(2) & 15 : 0;
        take(2);
        const base = take(baseBytes);
        const extents = take(2);
        let place = null;
        for (let index = 0; index < extents && at < end; index += 1) {
            take(indexBytes);
            place = { offset: base + take(offsetBytes), byteCount: take(lengthBytes) };
        }
        if (id === wanted) return method === 0 && extents === 1 ? place : null;
    }
    return null;
}

/** Of pictures: those of their coding, then those of the image file format, of MIAF, of tone maps, and of other codings. */
const pictureBrands = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "avif", "avis", "mif1", "mif2", "mif3",
    "msf1", "miaf", "MiHB", "MiHA", "MiHE", "MiPr", "MiAB", "MA1A", "MA1B", "tmap", "avci", "avcs", "jpeg", "jpgs", "j2ki", "j2is",
    "vvic", "vvis", "evbi", "evbs", "evmi", "evms", "unif"]);
const videoBrands = new Set(["qt  ", "isom", "iso2", "mp41", "mp42", "M4V ", "avc1", "3gp4", "3gp5"]);

/** `{format, make, hasPlace, isLive, isScreenshot}`; `format` is `jpeg`, `heic`, `png`, `video`, or null for any other.
 * @param {Uint8Array} bytes @returns {FileFacts} */
export function sniff(bytes) {
    const format = formatOf(bytes);
    const exif = format === "jpeg" ? jpegExif(bytes) : format === "png" ? pngExif(bytes)
        : format === "heic" ? heicExif(bytes) : null;
    const facts = exif && readTIFF(exif);
    return { format, make: "", hasPlace: false, isLive: false, isScreenshot: false, ...facts };
}

/** @param {Uint8Array} bytes @returns {FileFacts["format"]} */
function formatOf(bytes) {
    const view = new View(bytes);
    if (view.number(0, 3) === 0xffd8ff) return "jpeg";
    if (view.text(0, 8) === "\x89PNG\r\n\x1a\n") return "png";
    if (view.text(4, 4) !== "ftyp") return null;
    const brand = view.text(8, 4);
    if (isBoxedPicture(bytes)) return brand.startsWith("avi") ? null : "heic";
    return videoBrands.has(brand) ? "video" : null;
}

/** Whether a file of boxes is a picture, as the host says it: whatever brand leads it, one that says so among the others counts,
 * for new brands stand in front of known ones.
 * @param {Uint8Array} bytes */
export function isBoxedPicture(bytes) {
    const view = new View(bytes);
    const brand = view.text(8, 4);
    if (pictureBrands.has(brand) || videoBrands.has(brand) || /^(?:crx |M4[ABP] |F4[AB] |iso|3g[p2]|mmp|das|MSNV|XAVC)/.test(brand)) {
        return pictureBrands.has(brand);
    }
    const end = Math.min(view.number(0, 4), 4096, bytes.length);
    for (let at = 16; at + 4 <= end; at += 4) if (pictureBrands.has(view.text(at, 4))) return true;
    return false;
}

/** `{marker, begin, end}` of each segment before the scan, so far as it is there; `end` may lie behind what is at hand.
 * @param {Uint8Array} bytes */
export const jpegSegments = function* (bytes) {
    const view = new View(bytes);
    for (let at = 2; view.number(at, 1) === 0xff;) {
        const marker = view.number(at + 1, 1);
        const byteCount = view.number(at + 2, 2);
        // The scan begins, or nothing more can be read.
        if (marker === 0xda || marker === 0xd9 || byteCount < 2) return;
        yield { marker, begin: at + 4, end: at + 2 + byteCount };
        at += 2 + byteCount;
    }
};

/** The TIFF structure in the segment APP1, or null.
 * @param {Uint8Array} bytes @returns {Uint8Array | null} */
function jpegExif(bytes) {
    const view = new View(bytes);
    for (const { marker, begin, end } of jpegSegments(bytes)) {
        if (marker === 0xe1 && view.text(begin, 6) === "Exif\0\0") return bytes.subarray(begin + 6, end);
    }
    return null;
}

/** `{type, begin, end}` of each chunk that begins in these bytes.
 * @param {Uint8Array} bytes */
export const pngChunks = function* (bytes) {
    const view = new View(bytes);
    for (let at = 8; at + 12 <= bytes.length;) {
        const byteCount = view.number(at, 4);
        yield { type: view.text(at + 4, 4), begin: at + 8, end: at + 8 + byteCount };
        at += 12 + byteCount;
    }
};

/** @param {Uint8Array} bytes */
function pngExif(bytes) {
    for (const { type, begin, end } of pngChunks(bytes)) if (type === "eXIf") return bytes.subarray(begin, end);
    return null;
}

// The small picture that cameras put into the head of a photo. To read it takes a thousandth of what decoding the photo does.

/** Where it lies, with the size of the photo behind it. */
export const pictureHead = 128 * 1024;
/** Pixels of the shorter side; less is no picture of anything. */
const leastSide = 90;
/** More of the longer side than any camera puts there. */
const mostSide = 1024;
/** How far a shape may be from the photo's: not at all, and with bars at two of its sides. */
const same = 0.02;
const barred = 0.45;

/** `{jpeg, crop, orientation}`, or null where there is none that shows the photo: the bytes of a JPEG, the part of it without
 * bars (`[x, y, width, height]`, null for all of it), and how the photo is to be turned, as Exif says it.
 * @param {Uint8Array} bytes @returns {{jpeg: Uint8Array, crop: number[] | null, orientation: number} | null} */
export function exifPicture(bytes) {
    const directories = directoriesIn(bytes);
    const jpeg = directories?.isAsTaken ? directories.picture : null;
    if (!directories || !jpeg || !isWhole(jpeg) || (directoriesIn(jpeg)?.orientation ?? 1) > 1) return null;
    const [small, photo] = [sizeOf(jpeg), sizeOf(bytes)];
    if (!small || !photo || Math.min(...small) < leastSide || Math.max(...small) > mostSide) return null;
    // Whoever cut or turned the photo may have left the picture as it was.
    const shape = small[0] / small[1] / (photo[0] / photo[1]);
    if (Math.abs(Math.log(shape)) > barred) return null;
    return { jpeg, crop: Math.abs(shape - 1) <= same ? null : withoutBars(small, shape), orientation: directories.orientation };
}

/** Some cameras fill up behind it.
 * @param {Uint8Array} jpeg */
function isWhole(jpeg) {
    const last = jpeg.findLastIndex((byte) => byte !== 0 && byte !== 0xff);
    return jpeg[last - 1] === 0xff && jpeg[last] === 0xd9;
}

/** `shape` above 1: it is wider than the photo.
 * @param {number[]} size @param {number} shape @returns {number[]} */
function withoutBars([width, height], shape) {
    const [w, h] = [Math.floor(width / Math.max(1, shape)), Math.floor(height * Math.min(1, shape))];
    return [(width - w) >> 1, (height - h) >> 1, w, h];
}

/** @param {Uint8Array} bytes */
function directoriesIn(bytes) {
    const exif = jpegExif(bytes);
    return exif && Directories.of(exif);
}

/** `[width, height]`, or null where the frame begins behind these bytes.
 * @param {Uint8Array} bytes @returns {number[] | null} */
function sizeOf(bytes) {
    const view = new View(bytes);
    for (const { marker, begin } of jpegSegments(bytes)) {
        const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
        if (!isFrame) continue;
        const size = [view.number(begin + 3, 2), view.number(begin + 1, 2)];
        return size.every((side) => side > 0) ? size : null;
    }
    return null;
}

/** A JPEG that says of itself only what its pixels need.
 * @param {Uint8Array} jpeg @returns {Uint8Array} */
export function bare(jpeg) {
    const kept = [...jpeg.subarray(0, 2)];
    let rest = 2;
    for (const { marker, begin, end } of jpegSegments(jpeg)) {
        const isNote = marker === 0xfe || (marker >= 0xe1 && marker <= 0xef && marker !== 0xee);
        if (!isNote) kept.push(...jpeg.subarray(begin - 4, end));
        rest = end;
    }
    return Uint8Array.from([...kept, ...jpeg.subarray(rest)]);
}

/** A JPEG that says how it is to be turned.
 * @param {Uint8Array} jpeg @param {number} orientation @returns {Uint8Array[]} */
export function turned(jpeg, orientation) {
    if (orientation <= 1 || orientation > 8) return [jpeg];
    const exif = [0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8,
        0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
    return [jpeg.subarray(0, 2), Uint8Array.from(exif), jpeg.subarray(2)];
}
