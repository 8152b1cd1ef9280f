// How a picture lies in the window: `scale` 1 is fitted; `x` and `y` are how far its middle is from that of the window.

/** @typedef {import("./viewer-gestures.js").Zoom} Zoom */

/** @type {Zoom} */
export const fitted = { scale: 1, x: 0, y: 0 };
const most = 8;
/** What a double tap goes to. */
const near = 2.5;
const step = 1.5;

/**
 * `box` is the window, `picture` the fitted picture, both `{width, height}`: nothing can be pushed out of sight.
 * @param {Zoom} zoom
 * @param {Size} box
 * @param {Size} picture
 * @returns {Zoom}
 */
export function clamped({ scale, x, y }, box, picture) {
    const bounded = Math.min(most, Math.max(1, scale));
    /**
     * @param {number} length
     * @param {number} window
     */
    const room = (length, window) => Math.max(0, (length * bounded - window) / 2);
    const across = room(picture.width, box.width);
    const down = room(picture.height, box.height);
    return { scale: bounded, x: Math.min(across, Math.max(-across, x)), y: Math.min(down, Math.max(-down, y)) };
}

/**
 * Another scale, with what lies at `point` (from the middle of the window) staying there.
 * @param {Zoom} zoom
 * @param {number} to
 * @param {Point} point
 * @returns {Zoom}
 */
export function scaledAt({ scale, x, y }, to, point) {
    const ratio = Math.min(most, Math.max(1, to)) / scale;
    return { scale: scale * ratio, x: point.x - (point.x - x) * ratio, y: point.y - (point.y - y) * ratio };
}

/**
 * One step nearer (1) or farther (-1) from the middle, or all of it (0).
 * @param {Zoom} zoom
 * @param {number} by
 * @returns {Zoom}
 */
export function zoomStep(zoom, by) {
    return by === 0 ? fitted : scaledAt(zoom, zoom.scale * step ** by, { x: 0, y: 0 });
}

/** @param {Zoom} zoom */
export const isNearest = ({ scale }) => scale >= most - 0.01;
/** @param {Zoom} zoom */
export const isFitted = ({ scale }) => scale <= 1.01;

/**
 * @param {Zoom} zoom
 * @param {Point} point
 * @returns {Zoom}
 */
export function doubled(zoom, point) {
    return zoom.scale > 1.01 ? fitted : scaledAt(zoom, near, point);
}

/**
 * The size of a picture that is fitted into a box; the box itself while the picture is not known.
 * @param {Size} box
 * @param {{width?: number, height?: number}} picture
 * @returns {Size}
 */
export function fittedSize(box, { width, height }) {
    if (!width || !height) return box;
    const ratio = Math.min(box.width / width, box.height / height);
    return { width: width * ratio, height: height * ratio };
}
