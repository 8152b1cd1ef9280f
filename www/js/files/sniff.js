// What the first bytes of a file say about the way it came. Only what stands in them: nothing is guessed from names.
import { heicExif } from "./sniff-heic.js";
import { View, readTIFF } from "./tiff.js";

/** Of pictures: those of their coding, then those of the image file format, of MIAF, of tone maps, and of other codings. */
const pictureBrands = new Set(["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "avif", "avis", "mif1", "mif2", "mif3",
    "msf1", "miaf", "MiHB", "MiHA", "MiHE", "MiPr", "MiAB", "MA1A", "MA1B", "tmap", "avci", "avcs", "jpeg", "jpgs", "j2ki", "j2is",
    "vvic", "vvis", "evbi", "evbs", "evmi", "evms", "unif"]);
const videoBrands = new Set(["qt  ", "isom", "iso2", "mp41", "mp42", "M4V ", "avc1", "3gp4", "3gp5"]);

/**
 * `{format, make, hasPlace, isLive, isScreenshot}`; `format` is `jpeg`, `heic`, `png`, `video`, or null for any other.
 * @param {Uint8Array} bytes
 * @returns {FileFacts}
 */
export function sniff(bytes) {
    const format = formatOf(bytes);
    const exif = format === "jpeg" ? jpegExif(bytes) : format === "png" ? pngExif(bytes)
        : format === "heic" ? heicExif(bytes) : null;
    const facts = exif && readTIFF(exif);
    return { format, make: "", hasPlace: false, isLive: false, isScreenshot: false, ...facts };
}

/**
 * @param {Uint8Array} bytes
 * @returns {FileFacts["format"]}
 */
function formatOf(bytes) {
    const view = new View(bytes);
    if (view.number(0, 3) === 0xffd8ff) return "jpeg";
    if (view.text(0, 8) === "\x89PNG\r\n\x1a\n") return "png";
    if (view.text(4, 4) !== "ftyp") return null;
    const brand = view.text(8, 4);
    if (isBoxedPicture(bytes)) return brand.startsWith("avi") ? null : "heic";
    return videoBrands.has(brand) ? "video" : null;
}

/**
 * Whether a file of boxes is a picture, as the host says it: whatever brand leads it, one that says so among the others counts,
 * for new brands stand in front of known ones.
 * @param {Uint8Array} bytes
 */
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

/**
 * `{marker, begin, end}` of each segment before the scan, so far as it is there; `end` may lie behind what is at hand.
 * @param {Uint8Array} bytes
 */
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

/**
 * The TIFF structure in the segment APP1, or null.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array | null}
 */
export function jpegExif(bytes) {
    const view = new View(bytes);
    for (const { marker, begin, end } of jpegSegments(bytes)) {
        if (marker === 0xe1 && view.text(begin, 6) === "Exif\0\0") return bytes.subarray(begin + 6, end);
    }
    return null;
}

/**
 * `{type, begin, end}` of each chunk that begins in these bytes.
 * @param {Uint8Array} bytes
 */
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
