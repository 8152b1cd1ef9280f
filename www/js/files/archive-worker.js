// Reads archives where they lie, in a thread of its own: what is in them, and the entries piece by piece.
import { ArchiveFault, crc32, hiddenEntry, pathIn, textOf, Window, zipEntries } from "./archive.js";
import { EntryStream, inPacked, PackedWindow } from "./unpacking.js";
import { source } from "./upload-worker.js";
import { isArchiveName, isBeside, nameKey, isTelling } from "./drop.js";

// What is found in an archive, before any of it is sent: photos and what is said of them, and what is left there, with why.
// What it means is the host's to say; here names tell, and of a name that tells nothing the first bytes.

// The entries of a tar archive (POSIX.1-2017, pax; ustar; the long names of GNU). It has no directory: one header leads to the
// next.

const blockBytes = 512;
/** More than any list of names and times takes. */
const longestHeader = 1024 * 1024;
const mostEntries = 1_000_000;
/** Milliseconds since 1970 of the last moment that JavaScript knows. */
const latest = 8.64e15;

/** @typedef {{path?: Uint8Array, linkPath?: Uint8Array, size?: number, modifiedAt?: number, isSparse?: boolean}} Extended */

/** In their order, without folders; a second name of an entry before it has that one's bytes. `pass(entry, byteCount)` may look at the
 * bytes that lie there of one before what follows is read. Throws `ArchiveFault`.
 * @param {Window | PackedWindow} bytes @param {(entry: ArchiveEntry, byteCount: number) => Promise<void>} [pass]
 * @returns {Promise<ArchiveEntry[]>} */
async function tarEntries(bytes, pass = async () => {}) {
    /** @type {ArchiveEntry[]} */ const entries = [];
    /** @type {Extended} */ let extended = {};
    let sawZeros = false;
    /** @type {Map<string, ArchiveEntry>} */ const named = new Map();
    for (let place = 0; ;) {
        const block = await bytes.upTo(place, blockBytes);
        if (block.length < blockBytes) break;
        place += blockBytes;
        if (block.every((byte) => byte === 0)) {
            sawZeros = true;
            continue;
        }
        if (!isHeader(block) || entries.length >= mostEntries) throw new ArchiveFault(isHeader(block) ? "too-many" : "damaged");
        const kind = String.fromCharCode(block[156]);
        const size = extended.size ?? numberOf(block.subarray(124, 136));
        // Links have a size in some archives, and no content.
        const held = kind === "1" || kind === "2" ? 0 : size;
        if (!Number.isSafeInteger(size) || place + held > bytes.size) throw new ArchiveFault("cut-off");
        if ("xLgK".includes(kind)) {
            if (size > longestHeader) throw new ArchiveFault("damaged");
            // Those of `g` are about all entries, and say nothing that counts here.
            if (kind !== "g") Object.assign(extended, extendedBy(kind, (await bytes.at(place, size)).slice()));
        } else if (kind === "5") {
            if (size > 0) entries.push(hiddenEntry(place, size));
        } else if (!"DV".includes(kind)) {
            const header = block.slice();
            // What has holes goes on with lists of them, as GNU wrote it first.
            for (let more = kind === "S" && header[482] === 1; more; place += blockBytes) more = (await bytes.at(place, blockBytes))[504] === 1;
            const entry = entryOf(header, kind, { ...extended, size }, place, entries.length);
            const target = kind === "1" ? named.get(pathIn(textOf(extended.linkPath ?? upToZero(header.subarray(157, 257)))).path) : null;
            entries.push(target && entry.refusal === "link" ? { ...target, ordinal: entry.ordinal, path: entry.path } : entry);
            if (!target) await pass(entry, held);
            named.set(entry.path, entries[entries.length - 1]);
        }
        if (!"xLgK".includes(kind)) extended = {};
        place += Math.ceil(held / blockBytes) * blockBytes;
    }
    if (!sawZeros) throw new ArchiveFault("cut-off");
    return entries;
}

/** @param {Uint8Array} block @param {string} kind @param {Extended & {size: number}} extended @param {number} offset
 * @param {number} ordinal @returns {ArchiveEntry} */
function entryOf(block, kind, extended, offset, ordinal) {
    const { size } = extended;
    const { path, isUnsafe } = pathIn(textOf(extended.path ?? nameIn(block)));
    const isFile = ["0", "\0", "7"].includes(kind) && !extended.isSparse;
    const modifiedAt = extended.modifiedAt ?? numberOf(block.subarray(136, 148)) * 1000;
    return {
        ordinal, path, size, packed: size, offset, limit: offset + size, method: 0, crc: null, nameBytes: null, nameCRC: crc32(block),
        modifiedAt: Math.abs(modifiedAt) < latest ? modifiedAt : 0,
        refusal: isUnsafe ? "unsafe" : isFile ? null : kind === "1" || kind === "2" ? "link" : "method",
    };
}

/** @param {Uint8Array} block */
function nameIn(block) {
    const [name, prefix] = [upToZero(block.subarray(0, 100)), upToZero(block.subarray(345, 500))];
    // That of GNU has other things there.
    const isPOSIX = textOf(block.subarray(257, 263)) === "ustar\0";
    return isPOSIX && prefix.length > 0 ? Uint8Array.from([...prefix, 0x2f, ...name]) : name;
}

/** The checksum counts its own eight bytes as blanks; some wrote signed sums.
 * @param {Uint8Array} block */
function isHeader(block) {
    const checksum = numberOf(block.subarray(148, 156));
    let [plain, signed] = [0, 0];
    block.forEach((byte, index) => {
        const counted = index >= 148 && index < 156 ? 0x20 : byte;
        plain += counted;
        signed += counted << 24 >> 24;
    });
    return checksum === plain || checksum === signed;
}

/** Octal digits; or, with the first bit set, the bytes of the number itself, as GNU writes large ones, and those below zero in
 * their complement: times before 1970. NaN for neither.
 * @param {Uint8Array} field */
function numberOf(field) {
    if (field[0] === 0xff) return -1 - field.reduce((sum, byte) => sum * 256 + (255 - byte), 0);
    if (field[0] & 0x80) return field.reduce((sum, byte, index) => sum * 256 + (index === 0 ? byte & 0x7f : byte), 0);
    const digits = textOf(upToZero(field)).trim();
    return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : NaN;
}

/** @param {Uint8Array} bytes */
const upToZero = (bytes) => (bytes.includes(0) ? bytes.subarray(0, bytes.indexOf(0)) : bytes);

/** `x`: records of pax; `L`: a name of GNU; `K`: what a link names.
 * @param {string} kind @param {Uint8Array} bytes @returns {Extended} */
function extendedBy(kind, bytes) {
    if (kind === "L") return { path: upToZero(bytes) };
    return kind === "K" ? { linkPath: upToZero(bytes) } : recordsIn(bytes);
}

/** `LENGTH KEY=VALUE\n`, the length being that of the whole record.
 * @param {Uint8Array} bytes */
function recordsIn(bytes) {
    /** @type {Extended} */ const found = {};
    for (let at = 0; at < bytes.length;) {
        const count = Number.parseInt(textOf(bytes.subarray(at, at + 20)), 10);
        if (!(count > 3 && at + count <= bytes.length)) break;
        const record = bytes.subarray(at + String(count).length + 1, at + count - 1);
        at += count;
        const equals = record.indexOf(0x3d);
        const [key, value] = [textOf(record.subarray(0, equals)), record.subarray(equals + 1)];
        if (key === "path") found.path = value;
        else if (key === "linkpath") found.linkPath = value;
        else if (key === "size") found.size = Number(textOf(value));
        else if (key === "mtime") found.modifiedAt = Math.trunc(Number(textOf(value)) * 1000) || 0;
        else if (key.startsWith("GNU.sparse")) found.isSparse = true;
    }
    return found;
}

// What entries are, whatever archive they are in.

/** As `Sources/Media/Sidecars/FamilyName.swift` has them. */
const media = new RegExp(`\\.(?:${["jpe?g|jpe|jfif|jfi|jif|pjpeg|pjp|a?png|webp|gif|hei[cf]s?|hif|avifs?|avci|tiff?|bmp|dib",
    "jxl|jp[2fxc]|j2[kc]|jxr|[wh]dp|mpo|insp|jps|ps[db]|tga|pcx|p[pgbn]m|pam|exr|hdr|qoi|xcf|ico|svg",
    "dng|cr[23wm]|nef|nrw|arw|srf|sr2|raf|or[fi]|rw2|raw|rw[lz]|pef|ptx|srw|x3f|3fr|fff|iiq|eip|cs1|sti",
    "dc[rs]|drf|kdc|k25|mrw|mdc|mef|mos|erf|gpr|pxn|r3d|braw",
    "mp4|m4[vp]|mov|qt|3gpp?|3g2|mp|webm|mkv|avi|divx|xvid|wmv|asf|mts|m2ts?|mpe?g|mp[ev]|m[12]v|m2p|[mt]od",
    "vob|flv|f4v|og[vm]|rm|rmvb|amv|dv|mxf|gxf|mjpe?g|insv|lrv|360|trp|tp|wtv|mmv|livp"].join("|")})(?:~\\d+)?$`, "i");
/** What says something of photos is smaller. */
const largestBeside = 4 * 1024 * 1024;
/** What systems and programs keep for themselves, what was thrown away, and what did not come to its end. */
const ofSystems = new RegExp(["(?:^|/)(?:\\.thumbnails|\\.thumbs|@eadir|__macosx|\\$recycle\\.bin|\\.trashes|#recycle|\\.recycle|\\.trash-[^/]*)/",
    "\\.photoslibrary/(?:resources|thumbnails)/", "(?:^|/)\\._[^/]*$", "(?:^|/)(?:\\.syncthing\\.|~syncthing~|~\\$)[^/]*$",
    "\\.(?:part|partial|crdownload|download|tmp|temp|filepart|opdownload|!sync|bts)$", "~$"].join("|"), "i");

/** Documents that are ZIP archives within. */
const document = /\.(?:docx|xlsx|pptx|od[tspg]|epub|jar|apk|aab|xpi|pages|numbers|key|kmz|whl|nupkg|ipa|sketch|3mf|usdz)$/i;

/** Beginnings of archives that are not read here. */
const others = [["7z\xbc\xaf\x27\x1c", "kind"], ["Rar!\x1a\x07", "kind"], ["BZh", "kind"], ["\xfd7zXZ\0", "kind"], ["\x28\xb5\x2f\xfd", "kind"], ["PK\x07\x08", "several-parts"]];
/** Parts of one archive that was cut by its maker. */
const parts = /\.(?:z\d\d|zip\.\d{3}|\d{3}|part\d+\.rar|r\d\d)$/i;
/** As `Sources/Media/Reading/MediaType+sniff.swift` knows them, or a little more: what is sent in vain is kept as a file. */
const heads = [/^\xff\xd8\xff/, /^\x89PNG\r\n/, /^GIF8/, /^RIFF[\s\S]{4}(?:WEBP|AVI )/, /^[\s\S]{4}(?:ftyp|moov|wide|mdat)/, /^\0[\s\S]{3}(?:free|skip|pnot)/,
    /^(?:II[*+U]\0|II(?:RO|RS)|MM\0[*+]|MMOR|FUJIFILM)/, /^BM[\s\S]{8}[\s\S]{4}[\x0c-\x7c]\0\0\0/, /^\0\0\x01\0[^\0]\0/, /^8BPS\0/, /^\x1aE\xdf\xa3/,
    /^\0\0\x01[\xb0\xb3\xba]/, /^\0\0\0?\x01[\x07\x09\x27\x47\x67@BFN]/, /^\x30\x26\xb2\x75\x8e\x66\xcf\x11/, /^FLV\x01/, /^G[\s\S]{187}G[\s\S]{187}G/, /^[\s\S]{4}G[\s\S]{191}G[\s\S]{191}G/,
    /^\xff\x0a|^\0\0\0\x0cJXL /, /^\0\0\0\x0cjP {2}|^\xff\x4f\xff\x51/];

const headBytes = 4096;

/** Texts that may speak of photos in a form that is not known, as `SidecarContent` has them, and how long one may be. */
const text = /\.(?:html?|txt|xml|tsv|jsonl|ndjson|ya?ml|plist|ini|js)$/i;
const longestText = 16 * 1024 * 1024;
/** What archives, systems, cameras and people put beside photos that says nothing of them which anybody would miss, and what
 * other services put into an export: mail, addresses, dates. */
const ofArchives = new RegExp(["(?:^|\\/)(?:archive_browser\\.html|sha256sums|\\.ds_store|(?:eh)?thumbs\\.db|desktop\\.ini|\\.nomedia|mediapro\\.xml)$",
    "\\.(?:lnk|url|webloc|md5|sha1|sha256|sha512|sfv|par2|asc|sig|torrent|thm|ctg|bnp|inp|mrk|mbox|vcf|ics)$", ":zone\\.identifier$"].join("|"), "i");
/** What is packed by itself. */
const packed = /\.(?:gz|xz|bz2|zst|lzma|lz4|br|z)$/i;
/** What programs for photos keep what people say of them in. */
const databases = /^(?:SQLite format 3\0|bplist00)/;
/** Signs that no text begins with, and pages for printers, whose words nobody reads. */
const noText = /^%(?:PDF|!PS)|[\0-\x08\x0e-\x1a\x1c-\x1f]/;
const wide = /^(?:\xff\xfe|\xfe\xff)/;
/** Changes that Apple's Photos noted. */
const adjustments = /\.aae$/i;

/** The entries, without folders. `refusal` is null for what is to be sent, else a code: those of `ArchiveFault`, and `left` for
 * what is no photo and speaks of none; of what is left `mentions` are the photos that it names, `lists` says that it may
 * speak of more, and `adjusts` that it changed one. Throws `ArchiveFault` for what
 * cannot be read at all.
 * @param {File} file @returns {Promise<ArchiveEntry[]>} */
export async function listArchive(file) {
    const entries = await entriesOf(file);
    for (const entry of entries) {
        // Of what is packed as a whole it was told on the way.
        if (!entry.refusal && entry.method !== inPacked) Object.assign(entry, await verdictOn(entry, (count) => beginning(file, entry, count)));
    }
    return entries;
}

/** The same of a file that lies in no archive.
 * @param {{file: File, path: string}} one @returns {Promise<Verdict>} */
export async function verdictOnFile({ file, path }) {
    return verdictOn({ path, size: file.size }, async (count) => new Uint8Array(await file.slice(0, count).arrayBuffer()))
        .catch(() => ({ refusal: "unreadable" }));
}

/** @param {File} file */
async function entriesOf(file) {
    if (parts.test(file.name)) throw new ArchiveFault("several-parts");
    const head = latin(new Uint8Array(await file.slice(0, 512).arrayBuffer()));
    const [, other = null] = others.find(([beginning]) => head.startsWith(beginning)) ?? [];
    if (other) throw new ArchiveFault(other);
    if (head.startsWith("\x1f\x8b")) return packedEntries(new PackedWindow(file));
    const isTar = head.startsWith("ustar", 257) || /\.tar$/i.test(file.name);
    return isTar ? tarEntries(new Window(file)) : zipEntries(file);
}

/** All of it is unpacked once, and each entry gets a checksum, which is compared when it is sent.
 * @param {PackedWindow} bytes */
function packedEntries(bytes) {
    return tarEntries(bytes, async (entry, byteCount) => {
        if (!entry.refusal) Object.assign(entry, await verdictOn(entry, (count) => bytes.at(entry.offset, count)));
        entry.crc = await bytes.pass(entry.offset, byteCount);
        entry.method = inPacked;
    });
}

/** @typedef {Pick<ArchiveEntry, "refusal" | "mentions" | "lists" | "adjusts">} Verdict */

/** @param {{path: string, size: number}} of
 * @param {(count: number) => Promise<Uint8Array>} read from its beginning
 * @returns {Promise<Verdict>} */
async function verdictOn({ path, size }, read) {
    if (isArchiveName(path)) return { refusal: "inner" };
    if (isBeside(path) && size > largestBeside) return { refusal: "too-large" };
    try {
        // An empty one may hold bytes that it does not tell of.
        if (size === 0) await read(0);
        if (size === 0 || ofSystems.test(path)) return { refusal: "left" };
        if (adjustments.test(path)) return { refusal: "left", mentions: [], adjusts: true };
        return isBeside(path) || media.test(path) ? { refusal: null } : await verdictOnContent(path, size, read);
    } catch (error) {
        if (error instanceof ArchiveFault) return { refusal: error.code };
        throw error;
    }
}

/** @param {string} path @param {number} size @param {(count: number) => Promise<Uint8Array>} read
 * @returns {Promise<Verdict>} */
async function verdictOnContent(path, size, read) {
    const head = latin((await read(Math.min(size, headBytes))).subarray(0, headBytes));
    if (heads.some((one) => one.test(head))) return { refusal: null };
    const isArchive = head.startsWith("PK\x03\x04") || others.some(([beginning]) => beginning.length > 3 && head.startsWith(beginning));
    if (isArchive && !document.test(path) || packed.test(path)) return { refusal: "inner" };
    if (ofArchives.test(path)) return { refusal: "left" };
    const isDatabase = databases.test(head);
    const isText = text.test(path) || wide.test(head) || !noText.test(head);
    if (!isText && !isDatabase) return { refusal: "left", mentions: [] };
    if (size > longestText) return { refusal: "too-large" };
    const bytes = await read(size);
    if (isDatabase) return { refusal: "left", mentions: [], lists: holdsPictures(bytes) };
    return { refusal: "left", mentions: mentionsIn(bytes) };
}

/** Whether names of pictures may stand in it, among other bytes.
 * @param {Uint8Array} bytes */
const holdsPictures = (bytes) => /jpe?g|heic|png|mp4|mov/i.test(new TextDecoder("latin1").decode(bytes));

/** Between signs that end a name in a text; some of these may stand in one. */
const pieces = /[^\t\n\r"<>|[\]{}();:,=/\\]+/g;

/** Names of photos, in small letters and without folders.
 * @param {Uint8Array} bytes */
function mentionsIn(bytes) {
    const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const words = new TextDecoder(isWide ? bytes[0] === 0xff ? "utf-16le" : "utf-16be" : "utf-8").decode(bytes);
    /** @type {Set<string>} */ const found = new Set();
    for (const said of new Set([words, withSigns(words)])) {
        for (const [piece] of said.matchAll(pieces)) {
            const name = unescaped(piece.trim()).split("/").at(-1) ?? "";
            // A list may have names without an ending.
            if (isTelling(name)) found.add(nameKey(name));
            if (!name.includes(".")) continue;
            for (const one of [name, ...name.split(/[ '?#&]/)]) if (one.length <= 255 && media.test(one)) found.add(nameKey(one));
        }
    }
    return [...found];
}

/** As HTML and XML write some signs.
 * @param {string} words */
function withSigns(words) {
    const signs = { lt: "<", gt: ">", quot: '"', "#34": '"', "#39": "'", "#x27": "'", apos: "'", amp: "&" };
    return words.replace(/&(lt|gt|quot|#34|#39|#x27|apos|amp);/g, (_, sign) => signs[/** @type {keyof typeof signs} */ (sign)]);
}

/** @param {string} name */
function unescaped(name) {
    try {
        return decodeURIComponent(name);
    } catch {
        return name;
    }
}

/** The first bytes of an entry, or all of them; then they are checked.
 * @param {File} file @param {ArchiveEntry} entry @param {number} count */
async function beginning(file, entry, count) {
    const stream = new EntryStream(file, entry);
    try {
        return await stream.read(0, count);
    } finally {
        await stream.close();
    }
}

/** @param {Uint8Array} bytes */
const latin = (bytes) => String.fromCharCode(...bytes);

/** Entries that are read piece by piece: of each its place is kept, and what was unpacked beyond that. */
const mostStreams = 8;
/** @typedef {{last: Promise<unknown>}} Line where one waits for the other */
/** @type {Map<string, {stream: EntryStream, line: Line}>} */ const streams = new Map();
/** Of archives that are packed as a whole: one entry after the other, so that each goes on where the one before it ended.
 * @type {Map<string, Line>} */
const lines = new Map();

/** @param {ArchiveEntry & {key: string}} entry */
function lineOf({ method, key }) {
    const line = { last: Promise.resolve() };
    if (method !== inPacked) return line;
    const archive = key.split(" ")[0];
    if (!lines.has(archive)) lines.set(archive, line);
    return /** @type {Line} */ (lines.get(archive));
}

source.answer = async ({ file, files }) => {
    if (files) {
        const verdicts = [];
        // One after the other: a text is read as a whole.
        for (const one of files) verdicts.push(await verdictOnFile(one));
        return { verdicts };
    }
    try {
        return { entries: await listArchive(file) };
    } catch (error) {
        return { fault: error instanceof ArchiveFault ? error.code : "unreadable" };
    }
};

source.bytes = async ({ file, entry, begin, end }) => {
    const of = /** @type {ArchiveEntry & {key: string}} */ (entry);
    const one = streams.get(of.key) ?? { stream: new EntryStream(file, of), line: lineOf(of) };
    const reading = one.line.last.catch(() => {}).then(() => one.stream.read(begin, end));
    one.line.last = reading;
    keep(of.key, one);
    try {
        const bytes = await reading;
        if (end === of.size) streams.delete(of.key);
        const buffer = /** @type {ArrayBuffer} */ (bytes.buffer);
        // What is not packed goes from the disk to the network by itself, where the host hears what it has to be.
        const place = one.stream.place + begin;
        return { buffer, body: of.method === 0 && crypto.subtle ? file.slice(place, place + end - begin) : buffer };
    } catch (error) {
        streams.delete(of.key);
        await one.stream.close();
        throw error;
    }
};

/** The one that was not read for longest gives way.
 * @param {string} key @param {{stream: EntryStream, line: Line}} one */
function keep(key, one) {
    streams.delete(key);
    streams.set(key, one);
    if (streams.size <= mostStreams) return;
    const [[oldest, { stream, line }]] = streams;
    streams.delete(oldest);
    line.last = line.last.catch(() => {}).then(() => stream.close());
}
