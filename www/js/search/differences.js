// In what photos that look alike differ: what is known of them, and where their pictures are not the same.
import { bytes, t } from "../base/i18n.js";
import { dayAndTimeOf, shortType, timeOf } from "../photos/photo-words.js";

/** Pixels of a side at which pictures are compared, and of a square of it that is marked as a whole. */
const side = 96;
const square = 8;
/** Steps of 256 by which a colour of a square differs: what another quality and another size change is less. */
const least = 20;

/** What programs add to the name of what somebody has changed. */
const changed = /^IMG_E\d{4}\.|~\d+\.|[ _-](edit|edited|crop|cropped)\b/iu;

/** @typedef {{key: string, words: string}} Fact */

/** What is said of each, by what may differ; the same keys for all.
 * @param {Photo} photo @returns {Fact[]} */
export function factsOf(photo) {
    const isEdited = changed.test(photo.name) || (photo.rotation ?? 0) !== 0 || Boolean(photo.edit);
    return [{ key: "pixels", words: photo.width && photo.height ? `${photo.width} × ${photo.height}` : "" },
        { key: "size", words: bytes(photo.size) }, { key: "type", words: shortType(photo) },
        { key: "date", words: dayAndTimeOf(timeOf(photo)) }, { key: "edited", words: isEdited ? t("duplicates.edited") : "" },
        { key: "name", words: photo.name }];
}

/** The keys of what is not the same for all.
 * @param {Fact[][]} facts @returns {Set<string>} */
export function differing(facts) {
    const keys = facts[0]?.map(({ key }) => key) ?? [];
    return new Set(keys.filter((_, index) => new Set(facts.map((one) => one[index].words)).size > 1));
}

/** The picture as small as it is compared; null where it cannot be read.
 * @param {HTMLImageElement} image @returns {Uint8ClampedArray | null} */
export function pixelsOf(image) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [side, side];
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (!context || image.naturalWidth === 0) return null;
    context.drawImage(image, 0, 0, side, side);
    return context.getImageData(0, 0, side, side).data;
}

/** Where two pictures of `side` by `side` pixels are not the same, as boxes in parts of their width and height. One that is
 * brighter all over differs nowhere.
 * @param {Uint8ClampedArray} one @param {Uint8ClampedArray} other @returns {Box[]} */
export function placesThatDiffer(one, other) {
    const colours = [0, 1, 2];
    const means = [one, other].map((rgba) => colours.map((colour) => {
        let sum = 0;
        for (let index = colour; index < rgba.length; index += 4) sum += rgba[index];
        return sum / (side * side);
    }));
    const count = side / square;
    const isOther = Array.from({ length: count * count }, (_, place) => {
        const sums = [0, 0, 0];
        for (let index = 0; index < square * square; index += 1) {
            const pixel = (Math.floor(place / count) * square + Math.floor(index / square)) * side + (place % count) * square + index % square;
            for (const colour of colours) {
                sums[colour] += Math.abs(one[4 * pixel + colour] - means[0][colour] - other[4 * pixel + colour] + means[1][colour]);
            }
        }
        return Math.max(...sums) / (square * square) >= least;
    });
    return boxes(isOther, count);
}

/** @typedef {{left: number, top: number, width: number, height: number}} Box */

/** Squares that touch each other are one box.
 * @param {boolean[]} marked @param {number} count @returns {Box[]} */
function boxes(marked, count) {
    const left = new Set(marked.flatMap((isMarked, place) => (isMarked ? [place] : [])));
    /** @type {Box[]} */ const found = [];
    for (const start of left) {
        const open = [start];
        left.delete(start);
        let [west, east, north, south] = [count, 0, count, 0];
        for (let place = open.pop(); place !== undefined; place = open.pop()) {
            const [x, y] = [place % count, Math.floor(place / count)];
            [west, east, north, south] = [Math.min(west, x), Math.max(east, x + 1), Math.min(north, y), Math.max(south, y + 1)];
            for (const [nextX, nextY] of [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]) {
                const next = nextY * count + nextX;
                if (nextX >= 0 && nextX < count && left.delete(next)) open.push(next);
            }
        }
        found.push({ left: west / count, top: north / count, width: (east - west) / count, height: (south - north) / count });
    }
    return found;
}
