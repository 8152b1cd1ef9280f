// Where the Exif of a HEIC picture lies. ISO/IEC 14496-12 (boxes `meta`, `iinf`, `iloc`) and 23008-12 (its first 4 bytes).
import { View } from "./tiff.js";

/** @typedef {{type: string, begin: number, end: number}} Box */

/**
 * The TIFF structure, or null where there is none, or it lies beyond the bytes at hand.
 * @param {Uint8Array} bytes
 * @returns {Uint8Array | null}
 */
export function heicExif(bytes) {
    const place = heicExifPlace(bytes);
    if (!place || place.end > bytes.length) return null;
    return bytes.subarray(place.begin + 4 + new View(bytes).number(place.begin, 4), place.end);
}

/**
 * `{begin, end}` in the file of the item that is Exif, which begins with how far behind its first four bytes the TIFF structure is.
 * @param {Uint8Array} bytes
 * @returns {{begin: number, end: number} | null}
 */
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

/**
 * @param {View} view
 * @param {number} begin
 * @param {number} end
 * @returns {Box[]}
 */
function boxes(view, begin, end) {
    /** @type {Box[]} */
    const found = [];
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

/**
 * The id of the item that is Exif, or null.
 * @param {View} view
 * @param {Box} infos
 * @returns {number | null}
 */
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

/**
 * `{offset, byteCount}` in the file of an item of one extent, or null.
 * @param {View} view
 * @param {Box} places
 * @param {number} wanted
 */
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
