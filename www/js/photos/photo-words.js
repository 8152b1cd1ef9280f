// What is said of a photo where there is no picture, or nobody who sees it.
import { format, month, t } from "../base/i18n.js";

// What a browser can show of a photo.

const shownTypes = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/bmp"]);

/** @param {Photo} photo @returns {boolean} */
export function isShownAsImage(photo) {
    return shownTypes.has(photo.type);
}

/** @param {Photo} photo @returns {boolean} */
export function isVideo(photo) {
    return photo.type.startsWith("video/");
}

// Kinds of files of which the host makes copies without place and camera.
const cleanableTypes = new Set(["image/jpeg", "image/heic", "image/heif", "image/avif", "image/png", "image/webp", "video/mp4", "video/quicktime"]);

/** Of a file of such a kind that is damaged there may be none.
 * @param {string} type */
export const mayHaveCleanCopy = (type) => cleanableTypes.has(type);

/** A window lets somebody look at it, and keeps its file.
 * @param {Photo} photo */
export const isOnlySeen = ({ size }) => size === undefined;

/** The host looked into the file, and there is nothing to show.
 * @param {Photo} photo @returns {string | null} */
export function whyNoPicture(photo) {
    const { picture = "pending" } = photo;
    return ["pending", "made"].includes(picture) ? null : picture;
}

// When a photo was taken, as the clock on the wall there showed it; when it came, where nobody knows.

const dayLength = 86_400_000;

/** With a zone, or without one, the time says itself what the clock showed; only an instant (`Z`) is told in ours. Of old
 *  photos often no more is known than the day, the month or the year.
 * @param {string} text */
function clock(text) {
    if (text.length <= 10) return { date: new Date(text), timeZone: "UTC" };
    const wall = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?!.*Z$)/.exec(text)?.[1];
    return wall ? { date: new Date(`${wall}Z`), timeZone: "UTC" } : { date: new Date(text), timeZone: undefined };
}

/** Empty where nobody is told either.
 * @param {Photo} photo @returns {string} */
export function timeOf(photo) {
    // A zone that had to be guessed is UTC by chance: the clock is shown as the timeline counts it.
    return photo.takenAt?.replace(/Z$/, "") ?? photo.receivedAt ?? "";
}

/** "3 May 2024" of an ISO 8601 text.
 * @param {string} text @returns {string} */
export function dayOf(text) {
    const { date, timeZone } = clock(text);
    if (text.length < 8) return format(date, { year: "numeric", month: text.length > 4 ? "long" : undefined, timeZone });
    return format(date, { dateStyle: "long", timeZone });
}

/** "Fri 3" of an ISO 8601 text: the day within its month.
 * @param {string} text @returns {string} */
export function dayInMonth(text) {
    const { date, timeZone } = clock(text);
    return format(date, { weekday: "short", day: "numeric", timeZone });
}

/** "3 May 2024 at 14:02" of an ISO 8601 text.
 * @param {string} text @returns {string} */
export function dayAndTimeOf(text) {
    if (text.length <= 10) return dayOf(text);
    const { date, timeZone } = clock(text);
    return format(date, { dateStyle: "long", timeStyle: "short", timeZone });
}

/** "May 2024": the months of a list are those of the clock where a photo was taken.
 * @param {Section} section @returns {string} */
export function monthOf({ key, isShared }) {
    return month(new Date(Number(key.slice(0, -3)), Number(key.slice(-2)) - 1, 1), isShared);
}

/** "Today, 14:02" of an ISO 8601 text: when something came here.
 * @param {string} text @param {Date} [now] @returns {string} */
export function batchWords(text, now = new Date()) {
    /** @param {Date} date */
    const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
    const days = Math.round((midnight(now) - midnight(new Date(text))) / dayLength);
    /** @type {string | undefined} */ const key = { 0: "recent.today", 1: "recent.yesterday" }[days];
    return key ? t(key, { time: hourOf(text) }) : dayAndTimeOf(text);
}

/** "14:02" of an ISO 8601 text.
 * @param {string} text @returns {string} */
export function hourOf(text) {
    if (text.length <= 10) return "";
    const { date, timeZone } = clock(text);
    return format(date, { timeStyle: "short", timeZone });
}

/** "0:31", "1:02:07" of a number of seconds.
 * @param {number} seconds @returns {string} */
export function lengthOf(seconds) {
    const whole = Math.max(0, Math.round(seconds));
    const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
    return (parts[0] > 0 ? parts : parts.slice(1))
        .map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, "0"))).join(":");
}

// A Live Photo is a photo and a few seconds of video, and a shot may have a raw file beside its picture: several files of the
// vault, and one to whoever looks.

/** Of photos that were listed together: those that stand for themselves; a Live Photo has its video as `live`, and a shot its raw
 * file as `rawFile`.
 * @param {Photo[]} listed @returns {Photo[]} */
export function paired(listed) {
    const byId = new Map(listed.map((photo) => [photo.id, photo]));
    for (const photo of listed) {
        // What is paired a second time may have lost them.
        [photo.live, photo.rawFile] = [photo.liveVideo, photo.raw].map((id) => {
            const other = byId.get(id ?? "");
            return other === photo ? undefined : other;
        });
    }
    const along = new Set(listed.flatMap(companionsOf));
    return listed.filter((photo) => !along.has(photo));
}

/** Files that go with a photo, and stand nowhere by themselves.
 * @param {Photo} photo @returns {Photo[]} */
export const companionsOf = ({ live, rawFile }) => [live, rawFile].flatMap((file) => (file ? [file, ...companionsOf(file)] : []));

/** What plays in the place of a photo: the other file of a Live Photo, or the video in its own; null for neither.
 * @param {Photo} photo @returns {Photo | null} */
export function clipOf(photo) {
    if (photo.live || !photo.motion) return photo.live ?? null;
    return { ...photo, type: "video/mp4", isMotion: true, width: 0, duration: 0 };
}

/** A sidecar goes with its photo at the host, and is shown with it.
 * @param {Photo} photo */
export const standsAlone = ({ sidecarOf }) => !sidecarOf;

/** All files of these photos.
 * @param {Photo[]} photos */
export const filesOf = (photos) => photos.flatMap((photo) => [photo, ...companionsOf(photo)]);
/** @param {Photo[]} photos */
export const idsOf = (photos) => filesOf(photos).map(({ id }) => id);
/** @param {Photo[]} photos */
export const bytesOf = (photos) => filesOf(photos).reduce((sum, { size }) => sum + size, 0);

/** What a screen reader hears first: the kind, the name, how long it is, when it was taken.
 * @param {Photo} photo @returns {string} */
export function photoLabel(photo) {
    const kind = clipOf(photo) ? "kind.live" : photo.rawFile ? "kind.shot" : photo.type.startsWith("image/") ? "kind.photo" : isVideo(photo) ? "kind.video" : "kind.file";
    const name = isVideo(photo) && photo.duration
        ? t("tile.video", { name: photo.name, length: lengthOf(photo.duration) }) : photo.name;
    const time = timeOf(photo);
    const plain = t("tile.label", { kind: t(kind), name, date: time ? dayAndTimeOf(time) : t("date.unknown") });
    const label = photo.favourite ? t("heart.label", { label: plain }) : plain;
    if (photo.item) return t(photo.savedAs ? "tile.saved" : "tile.going", { label });
    const why = noPictureWords(photo);
    return why ? t("tile.why", { label, why }) : label;
}

// Pictures of kinds that the host does not know, by their names.
const unknownPicture = /\.(ai|eps|exr|hdr|ico|kra|pcx|svgz?|tga|wmf|xcf)$/i;

/** Why there is nothing to show of a photo or video; null for one that is shown, and for files of other kinds, of which
 * nobody expects it.
 * @param {Photo} photo @returns {string | null} */
export function noPictureWords(photo) {
    const why = whyNoPicture(photo);
    const isExpected = /^(image|video)\//.test(photo.type) || unknownPicture.test(photo.name);
    return why === null || why === "unknown-format" && !isExpected ? null : t(`picture.${why}`);
}

/** The sign of what has no picture.
 * @param {Photo} photo @returns {string} */
export function kindIcon(photo) {
    return photo.type.startsWith("image/") ? "photos" : isVideo(photo) ? "play" : "file";
}

/** "HEIC", "MOV": the ending of the name, else the subtype; at most five letters.
 * @param {Photo} photo @returns {string} */
export function shortType(photo) {
    const ending = /\.([\p{L}\p{N}]{1,5})$/u.exec(photo.name)?.[1];
    return (ending ?? photo.type.split("/")[1] ?? "").replace(/^x-/, "").slice(0, 5).toUpperCase();
}

// Pictures that lie on their side are shown turned: the style sheet has the rest.

/** @param {HTMLElement | null | undefined} picture @param {Photo} photo */
export function turn(picture, { rotation = 0 }) {
    if (!picture) return;
    if (rotation === 0) delete picture.dataset.turn;
    else picture.dataset.turn = String(rotation);
}

/** The name of what is seen of a photo: another one for each part.
 * @param {Photo} photo @returns {string} */
export const seenKey = ({ id, edit }) => (edit ? [id, edit.left, edit.top, edit.right, edit.bottom, edit.angle ?? 0].join(" ") : id);

/** Whether its width is what was its height.
 * @param {HTMLElement} picture */
export const isOnSide = ({ dataset }) => dataset.turn === "90" || dataset.turn === "270";

// Whether this device can hand on photos, to its own library or to somebody else.

const most = 20;
const mostBytes = 200_000_000;

/** Without `photos`: whether this device can hand on files at all.
 * @param {Photo[] | null} [photos] @returns {boolean} */
export function canShare(photos = null) {
    if (!navigator.canShare) return false;
    const sample = new File([new Uint8Array(1)], "a.jpg", { type: "image/jpeg" });
    if (!navigator.canShare({ files: [sample] })) return false;
    return photos === null || photos.length > 0 && photos.length <= most
        && photos.reduce((sum, photo) => sum + photo.size, 0) <= mostBytes
        && photos.every(({ type }) => /^(image|video)\//.test(type));
}

/** The same for a device that has a library of photos of its own.
 * @param {Photo[] | null} [photos] @returns {boolean} */
export const canSave = (photos = null) => matchMedia("(pointer: coarse)").matches && canShare(photos);

// Draws the 25 bytes that stand for a picture until its thumbnail is there. Sources/Media/Placeholder says what they mean.

const side = 32;
const byteCount = 25;
const luminanceCount = 26;
const chrominanceCount = 5;

/** Width and height of the drawing: 32 pixels on the longer side.
 * @param {number} aspect @returns {Size} */
function shape(aspect) {
    const ratio = 2 ** ((aspect - 128) / 32);
    return {
        width: Math.max(1, Math.round(side * Math.min(1, ratio))),
        height: Math.max(1, Math.round(side / Math.max(1, ratio))),
    };
}

/** The longest waves on a picture of this shape, in the order of their coefficients.
 * @param {number} count @param {Size} size */
function waves(count, { width, height }) {
    /** @type {{across: number, down: number, cost: number}[]} */ const found = [];
    for (let down = 0; down <= count; down += 1) {
        for (let across = 0; across <= count; across += 1) {
            if (across + down > 0) found.push({ across, down, cost: (across * height) ** 2 + (down * width) ** 2 });
        }
    }
    found.sort((one, other) => one.cost - other.cost || one.down - other.down || one.across - other.across);
    return found.slice(0, count);
}

/** Many pictures have the same shape, and a cosine takes longer than all the rest.
 * @type {Map<string, {rows: Float64Array, columns: Float64Array}[]>} */
const drawn = new Map();

/** Each wave at every row and at every column.
 * @param {number} count @param {Size} size */
function patterns(count, { width, height }) {
    const key = `${count} ${width} ${height}`;
    if (!drawn.has(key)) {
        /** @param {number} length @param {number} wave */
        const along = (length, wave) => Float64Array.from({ length },
            (_, pixel) => Math.cos((Math.PI * (2 * pixel + 1) * wave) / (2 * length)));
        drawn.set(key, waves(count, { width, height })
            .map(({ across, down }) => ({ rows: along(height, down), columns: along(width, across) })));
    }
    return /** @type {{rows: Float64Array, columns: Float64Array}[]} */ (drawn.get(key));
}

/** One channel at every pixel.
 * @param {number} mean @param {number} scale @param {number[]} nibbles @param {Size} size */
function plane(mean, scale, nibbles, size) {
    const values = new Float64Array(size.width * size.height).fill(mean);
    patterns(nibbles.length, size).forEach(({ rows, columns }, index) => {
        const coefficient = ((nibbles[index] - 8) / 7) * scale;
        for (let row = 0, pixel = 0; row < size.height; row += 1) {
            const vertical = coefficient * rows[row];
            for (let column = 0; column < size.width; column += 1, pixel += 1) {
                values[pixel] += vertical * columns[column];
            }
        }
    });
    return values;
}

/** `{ width, height, data }` of an opaque picture, or null for bytes that stand for none.
 * @param {Uint8Array} bytes @returns {Size & {data: Uint8ClampedArray} | null} */
export function placeholderPixels(bytes) {
    if (bytes.length !== byteCount) return null;
    const size = shape(bytes[0]);
    const nibbles = Array.from(bytes.subarray(7)).flatMap((byte) => [byte >> 4, byte & 15]);
    const redStart = luminanceCount + chrominanceCount;
    const light = plane(bytes[4] / 255, (bytes[1] & 0x7f) / 127, nibbles.slice(0, luminanceCount), size);
    const blue = plane((bytes[5] - 128) / 255, bytes[2] / 255, nibbles.slice(luminanceCount, redStart), size);
    const red = plane((bytes[6] - 128) / 255, bytes[3] / 255, nibbles.slice(redStart), size);
    const data = new Uint8ClampedArray(light.length * 4);
    light.forEach((luminance, pixel) => {
        const green = luminance - (0.114 * 1.772 * blue[pixel] + 0.299 * 1.402 * red[pixel]) / 0.587;
        data[pixel * 4] = Math.round((luminance + 1.402 * red[pixel]) * 255);
        data[pixel * 4 + 1] = Math.round(green * 255);
        data[pixel * 4 + 2] = Math.round((luminance + 1.772 * blue[pixel]) * 255);
        data[pixel * 4 + 3] = 255;
    });
    return { ...size, data };
}

/** Makes `canvas` the size of the placeholder and paints it; style sheets stretch it. Says whether there was one.
 * @param {HTMLCanvasElement} canvas @param {Uint8Array} bytes @returns {boolean} */
export function drawPlaceholder(canvas, bytes) {
    const pixels = placeholderPixels(bytes);
    if (!pixels) return false;
    canvas.width = pixels.width;
    canvas.height = pixels.height;
    canvas.getContext("2d")?.putImageData(new ImageData(pixels.data, pixels.width, pixels.height), 0, 0);
    return true;
}
