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
