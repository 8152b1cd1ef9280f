// The small picture that cameras put into the head of a photo. To read it takes a thousandth of what decoding the photo does.
import { jpegExif, jpegSegments } from "./sniff.js";
import { Directories, View } from "./tiff.js";

/** Where it lies, with the size of the photo behind it. */
export const pictureHead = 128 * 1024;
/** Pixels of the shorter side; less is no picture of anything. */
const leastSide = 90;
/** More of the longer side than any camera puts there. */
const mostSide = 1024;
/** How far a shape may be from the photo's: not at all, and with bars at two of its sides. */
const same = 0.02;
const barred = 0.45;

/**
 * `{jpeg, crop, orientation}`, or null where there is none that shows the photo: the bytes of a JPEG, the part of it without
 * bars (`[x, y, width, height]`, null for all of it), and how the photo is to be turned, as Exif says it.
 * @param {Uint8Array} bytes
 * @returns {{jpeg: Uint8Array, crop: number[] | null, orientation: number} | null}
 */
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

/**
 * Some cameras fill up behind it.
 * @param {Uint8Array} jpeg
 */
function isWhole(jpeg) {
    const last = jpeg.findLastIndex((byte) => byte !== 0 && byte !== 0xff);
    return jpeg[last - 1] === 0xff && jpeg[last] === 0xd9;
}

/**
 * `shape` above 1: it is wider than the photo.
 * @param {number[]} size
 * @param {number} shape
 * @returns {number[]}
 */
function withoutBars([width, height], shape) {
    const [w, h] = [Math.floor(width / Math.max(1, shape)), Math.floor(height * Math.min(1, shape))];
    return [(width - w) >> 1, (height - h) >> 1, w, h];
}

/** @param {Uint8Array} bytes */
function directoriesIn(bytes) {
    const exif = jpegExif(bytes);
    return exif && Directories.of(exif);
}

/**
 * `[width, height]`, or null where the frame begins behind these bytes.
 * @param {Uint8Array} bytes
 * @returns {number[] | null}
 */
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

/**
 * A JPEG that says how it is to be turned.
 * @param {Uint8Array} jpeg
 * @param {number} orientation
 * @returns {Uint8Array[]}
 */
export function turned(jpeg, orientation) {
    if (orientation <= 1 || orientation > 8) return [jpeg];
    const exif = [0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0, 0x4d, 0x4d, 0, 42, 0, 0, 0, 8,
        0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0, 0, 0, 0, 0];
    return [jpeg.subarray(0, 2), Uint8Array.from(exif), jpeg.subarray(2)];
}
