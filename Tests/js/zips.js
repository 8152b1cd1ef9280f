// ZIP archives put together by hand, so that each can say what is not so.
import { deflateRawSync } from "node:zlib";
import { crc32 } from "../../www/js/files/archive.js";
import { joined, text } from "./bytes.js";

export function little(value, byteCount) {
    return Uint8Array.from({ length: byteCount }, (_, index) => Number(BigInt(value) >> BigInt(8 * index) & 255n));
}

/**
 * An archive of entries `{name, content, …}`; what else an entry has is said of it, be it so or not: `method`, `flags`, `crc`,
 * `size`, `packed` (bytes), `packedSize`, `offset`, `extra`, `localName`, `localMethod`, `localExtra`, `made`, `attributes`, `time`, `extraBytes` (so many zeros lie behind it), `isLarge` (its numbers stand in an extra
 * field). `before` stands in front of all, `counted`, `comment`, `isLarge`, `disk` and
 * `small` (what the small end says of a large archive) are about the end.
 */
export function zip(entries, { before = "", counted = entries.length, comment = "", isLarge = false, small = null, disk = 0, moved = 0 } = {}) {
    const parts = [];
    const records = [];
    let at = joined(before).length;
    for (const entry of entries) {
        const { made, record } = put(entry, at - joined(before).length + moved);
        parts.push(made);
        records.push(record);
        at += made.length;
    }
    const directory = joined(...records);
    const start = at - joined(before).length + moved;
    const said = { counted: 0xffff, size: 0xffffffff, offset: 0xffffffff, ...small };
    const numbers = isLarge && small ? joined(little(said.counted, 2), little(said.counted, 2), little(said.size, 4), little(said.offset, 4))
        : isLarge ? joined(little(0xffff, 2), little(0xffff, 2), little(0xffffffff, 4), little(0xffffffff, 4))
        : joined(little(counted, 2), little(counted, 2), little(directory.length, 4), little(start, 4));
    const large = isLarge ? joined("PK\x06\x06", little(44, 8), little(45, 2), little(45, 2), little(0, 4), little(0, 4),
        little(counted, 8), little(counted, 8), little(directory.length, 8), little(start, 8),
        "PK\x06\x07", little(0, 4), little(at + directory.length, 8), little(1, 4)) : "";
    return joined(before, ...parts, directory, large, "PK\x05\x06", little(disk, 2), little(disk, 2), numbers, little(text(comment).length, 2), comment);
}

function put({ name, content = "", method = 8, flags = 0, made = 0x031e, attributes = 0, extra = "", localExtra = "", time = 0, extraBytes = 0, isLarge = false, ...said }, place) {
    const bytes = joined(content);
    const called = joined(name);
    const packed = said.packed ?? (method === 8 ? deflateRawSync(bytes) : bytes);
    const { crc = crc32(bytes), size = bytes.length, packedSize = packed.length, offset = place, localName = called,
        localMethod = method } = said;
    const isStreamed = (flags & 8) !== 0;
    const date = joined(little(time & 0xffff, 2), little(time >>> 16, 2));
    const local = joined("PK\x03\x04", little(20, 2), little(flags, 2), little(localMethod, 2), date, little(isStreamed ? 0 : crc, 4),
        little(isStreamed ? 0 : packedSize, 4), little(isStreamed ? 0 : size, 4), little(joined(localName).length, 2), little(joined(localExtra).length, 2), localName, localExtra, packed, new Uint8Array(extraBytes),
        isStreamed ? joined("PK\x07\x08", little(crc, 4), little(packedSize, 4), little(size, 4)) : "");
    const wide = isLarge ? joined(little(1, 2), little(24, 2), little(size, 8), little(packedSize, 8), little(offset, 8)) : "";
    const extras = joined(wide, extra);
    const number = (value) => little(isLarge ? 0xffffffff : value, 4);
    const record = joined("PK\x01\x02", little(made, 2), little(20, 2), little(flags, 2), little(method, 2), date, little(crc, 4),
        number(packedSize), number(size), little(called.length, 2), little(extras.length, 2), little(0, 2), little(0, 2), little(0, 2),
        little(attributes, 4), number(offset), called, extras);
    return { made: local, record };
}

export const extraField = (tag, ...content) => {
    const inside = joined(...content);
    return joined(little(tag, 2), little(inside.length, 2), inside);
};
