// Pieces of files, put together by hand: what a test looks at, and nothing else.
export const text = (words) => Uint8Array.from(words, (letter) => letter.charCodeAt(0));

export function joined(...parts) {
    return Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? text(part) : part)]));
}

export function number(value, byteCount) {
    return Uint8Array.from({ length: byteCount }, (_, index) => Math.floor(value / 256 ** (byteCount - 1 - index)) % 256);
}

const typeBytes = { 2: 1, 3: 2, 4: 4, 5: 8, 7: 1 };

/** A directory of TIFF that stands at `offset`: of `[tag, type, bytes]` each, what needs more than 4 lies behind it. */
function directory(offset, entries, next = 0) {
    let behind = offset + 2 + 12 * entries.length + 4;
    const rest = [];
    const lines = entries.map(([tag, type, content]) => {
        const head = joined(number(tag, 2), number(type, 2), number(content.length / typeBytes[type], 4));
        if (content.length <= 4) return joined(head, content, new Uint8Array(4 - content.length));
        rest.push(content);
        behind += content.length;
        return joined(head, number(behind - content.length, 4));
    });
    return joined(number(entries.length, 2), ...lines, number(next, 4), ...rest);
}

/** `main`, `exif` and `gps` are entries as above; `small` is the JPEG of a picture. All but `main` may be left out. */
export function tiff({ main = [], exif = null, gps = null, small = null } = {}) {
    const parts = [[0x8769, exif], [0x8825, gps]].filter(([, entries]) => entries);
    const blank = [...main, ...parts.map(([tag]) => [tag, 4, number(0, 4)])];
    let at = 8 + directory(8, blank).length;
    const places = [];
    const behind = [];
    const put = (bytes) => {
        behind.push(bytes);
        at += bytes.length;
    };
    for (const [, entries] of parts) {
        places.push(at);
        put(directory(at, entries));
    }
    const second = small ? at : 0;
    if (small) {
        const pictureAt = at + directory(at, [[0x0201, 4, number(0, 4)], [0x0202, 4, number(0, 4)]]).length;
        put(directory(at, [[0x0201, 4, number(pictureAt, 4)], [0x0202, 4, number(small.length, 4)]]));
        put(small);
    }
    const first = directory(8, [...main, ...parts.map(([tag], index) => [tag, 4, number(places[index], 4)])], second);
    return joined("MM\0*", number(8, 4), first, ...behind);
}

/** A text of Exif, as an entry. */
export const written = (tag, words) => [tag, 2, joined(words, [0])];

const segment = (marker, content) => joined([0xff, marker], number(content.length + 2, 2), content);

/** A JPEG of such a size whose scan is one byte; `exif` is a TIFF structure, `others` are segments `[marker, content]`. */
export function jpeg(width, height, { exif = null, others = [] } = {}) {
    return joined([0xff, 0xd8], exif ? segment(0xe1, joined("Exif\0\0", exif)) : [],
        ...others.map(([marker, content]) => segment(marker, typeof content === "string" ? text(content) : content)),
        segment(0xc0, joined([8], number(height, 2), number(width, 2), [1, 1, 0x11, 0])), segment(0xda, [1, 1, 0, 0, 63, 0]), [7, 0xff, 0xd9]);
}

export function png(...chunks) {
    const all = [["IHDR", new Uint8Array(13)], ...chunks, ["IEND", []]];
    return joined("\x89PNG\r\n\x1a\n", ...all.map(([type, content]) => joined(number(content.length, 4), type, content, new Uint8Array(4))));
}

/** A box of ISO/IEC 14496-12 or of QuickTime. */
export function box(type, ...content) {
    const inside = joined(...content);
    return joined(number(inside.length + 8, 4), type, inside);
}
