// Of a photo that somebody has cropped the part is drawn from its picture: whatever shows pictures shows that one.
import * as api from "../base/api.js";

/** Larger ones are drawn smaller: some browsers draw none of more pixels. */
const mostPixels = 16_000_000;
/** Of a smaller part the thumbnail has too few pixels for a tile. */
const enough = 0.7;

/** The part of a picture, turned by `rotation` degrees, as a file of `type`, or of another one where the browser makes none such.
 * @param {HTMLImageElement | ImageBitmap} picture @param {Edit} edit @param {{rotation?: number, type?: string}} options
 * @returns {Promise<Blob>} */
function drawPart(picture, { left, top, right, bottom, angle = 0 }, { rotation = 0, type = "image/webp" } = {}) {
    const [width, height] = picture instanceof ImageBitmap ? [picture.width, picture.height] : [picture.naturalWidth, picture.naturalHeight];
    const part = [(right - left) * width, (bottom - top) * height];
    const scale = Math.min(1, Math.sqrt(mostPixels / (part[0] * part[1])));
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = (rotation % 180 ? part.reverse() : part).map((side) => Math.max(1, Math.round(side * scale)));
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.imageSmoothingQuality = "high";
    if (type === "image/jpeg") {
        context.fillStyle = "#fff";
        context.fillRect(0, 0, canvas.width, canvas.height);
    }
    context.translate(canvas.width / 2, canvas.height / 2);
    context.rotate(rotation * Math.PI / 180);
    context.scale(scale, scale);
    context.translate((0.5 - (left + right) / 2) * width, (0.5 - (top + bottom) / 2) * height);
    context.rotate(angle * Math.PI / 180);
    context.drawImage(picture, -width / 2, -height / 2);
    return new Promise((resolve, reject) => {
        canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("no picture"))), type, 0.92);
    });
}

/** What is to be seen of a photo, of a picture of all of it.
 * @param {Blob} blob @param {Photo} photo @param {{rotation?: number, type?: string}} [options] @returns {Promise<Blob>} */
export async function partOf(blob, { edit }, options) {
    if (!edit) return blob;
    const picture = await createImageBitmap(blob);
    return drawPart(picture, edit, options).finally(() => picture.close());
}

/** The same for a tile, of which the thumbnail is here.
 * @param {HTMLImageElement} thumbnail @param {Photo} photo @returns {Promise<Blob>} */
export async function drawTile(thumbnail, photo) {
    const edit = /** @type {Edit} */ (photo.edit);
    const isSmall = Math.max(edit.right - edit.left, edit.bottom - edit.top) < enough;
    const preview = isSmall && photo.picture === "made" ? await api.blob(api.previewPath(photo), new AbortController().signal).catch(() => null) : null;
    return preview ? partOf(preview, photo) : drawPart(thumbnail, edit);
}
