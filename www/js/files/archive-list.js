// What is found in an archive, before any of it is sent: photos and what is said of them, and what is left there, with why.
// What it means is the host's to say; here names tell, and of a name that tells nothing the first bytes.
import { ArchiveFault, Window } from "./archive.js";
import { isArchiveName, isBeside, nameKey } from "./drop.js";
import { tarEntries } from "./tar.js";
import { EntryStream, inPacked, PackedWindow } from "./unpacking.js";
import { zipEntries } from "./zip.js";

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
    "\\.(?:aae|part|partial|crdownload|download|tmp|temp|filepart|opdownload|!sync|bts)$", "~$"].join("|"), "i");

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
/** What archives and systems put beside photos for themselves. */
const ofArchives = /(?:^|\/)(?:archive_browser\.html|desktop\.ini|\.nomedia)$/i;

/** The entries, without folders. `refusal` is null for what is to be sent, else a code: those of `ArchiveFault`, and `left` for
 * what is no photo and speaks of none; `mentions` are the photos that a text names which is left. Throws `ArchiveFault` for what
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

/** @typedef {{refusal: string | null, mentions?: string[]}} Verdict */

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
        return isBeside(path) || media.test(path) ? { refusal: null } : await verdictOnContent(path, size, read);
    } catch (error) {
        if (error instanceof ArchiveFault) return { refusal: error.code };
        throw error;
    }
}

/** @param {string} path @param {number} size @param {(count: number) => Promise<Uint8Array>} read
 * @returns {Promise<Verdict>} */
async function verdictOnContent(path, size, read) {
    const isText = text.test(path) && !ofArchives.test(path);
    const bytes = await read(Math.min(size, isText && size <= longestText ? size : headBytes));
    const head = latin(bytes.subarray(0, headBytes));
    if (heads.some((one) => one.test(head))) return { refusal: null };
    const isArchive = head.startsWith("PK\x03\x04") || others.some(([beginning]) => beginning.length > 3 && head.startsWith(beginning));
    if (isArchive && !document.test(path)) return { refusal: "inner" };
    return isText ? { refusal: "left", mentions: mentionsIn(bytes) } : { refusal: "left" };
}

/** Between signs that end a name in a text; some of these may stand in one. */
const pieces = /[^\t\n\r"<>|[\]{}();:,=/\\]+/g;

/** Names of photos, in small letters and without folders.
 * @param {Uint8Array} bytes */
function mentionsIn(bytes) {
    const isWide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    const words = new TextDecoder(isWide ? bytes[0] === 0xff ? "utf-16le" : "utf-16be" : "utf-8").decode(bytes);
    /** @type {Set<string>} */ const found = new Set();
    for (const [piece] of words.matchAll(pieces)) {
        if (!piece.includes(".")) continue;
        const [name = ""] = unescaped(piece.trim()).split("/").slice(-1);
        for (const one of [name, ...name.split(/[ '?#&]/)]) if (one.length <= 255 && media.test(one)) found.add(nameKey(one));
    }
    return [...found];
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
