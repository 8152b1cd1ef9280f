// What is found in an archive, before any of it is sent: photos and what is said of them, and what is left there, with why.
// What it means is the host's to say; here names tell, and of a name that tells nothing the first bytes.
import { ArchiveFault } from "./archive.js";
import { tarEntries } from "./tar.js";
import { EntryStream } from "./unpacking.js";
import { zipEntries } from "./zip.js";

/** As `Sources/Media/Sidecars/FamilyName.swift` has them. */
const media = /\.(?:jpe?g|jpe|png|webp|gif|hei[cf]s?|hif|avif|tiff?|bmp|jxl|jp2|psd|dng|cr[23]|nef|nrw|arw|raf|orf|rw2|pef|srw|mp4|mov|m4v|3gp|webm|mkv|avi|mts|m2ts|mpe?g|wmv|mp)(?:~\d+)?$/i;
const beside = /\.(?:json|csv|xmp)$/i;
/** What says something of photos is smaller. */
const largestBeside = 4 * 1024 * 1024;
/** What systems and programs keep for themselves, what was thrown away, and what did not come to its end. */
const ofSystems = new RegExp(["(?:^|/)(?:\\.thumbnails|\\.thumbs|@eadir|__macosx|\\$recycle\\.bin|\\.trashes|#recycle|\\.recycle|\\.trash-[^/]*)/",
    "\\.photoslibrary/(?:resources|thumbnails)/", "(?:^|/)\\._[^/]*$", "(?:^|/)(?:\\.syncthing\\.|~syncthing~|~\\$)[^/]*$",
    "\\.(?:aae|part|partial|crdownload|download|tmp|temp|filepart|opdownload|!sync|bts)$", "~$"].join("|"), "i");

/** Beginnings of archives that are not read here. */
const others = [["7z\xbc\xaf\x27\x1c", "kind"], ["Rar!\x1a\x07", "kind"], ["BZh", "kind"], ["\xfd7zXZ\0", "kind"], ["\x28\xb5\x2f\xfd", "kind"],
    ["\x1f\x8b", "packed-tar"], ["PK\x07\x08", "several-parts"]];
/** Parts of one archive that was cut by its maker. */
const parts = /\.(?:z\d\d|zip\.\d{3}|\d{3}|part\d+\.rar|r\d\d)$/i;
const heads = [/^\xff\xd8\xff/, /^\x89PNG\r\n/, /^GIF8/, /^RIFF[\s\S]{4}(?:WEBP|AVI )/, /^[\s\S]{4}(?:ftyp|moov|wide)/, /^II\*\0|^MM\0\*/, /^BM[\s\S]{4}\0{4}/,
    /^8BPS\0/, /^\x1aE\xdf\xa3/, /^\0\0\x01[\xb3\xba]/, /^\xff\x0a|^\0\0\0\x0cJXL /, /^\0\0\0\x0cjP {2}/];

const headBytes = 32;

/**
 * The entries, without folders. `refusal` is null for what is to be sent, else a code: those of `ArchiveFault`, and `left` for
 * what is no photo and speaks of none. Throws `ArchiveFault` for what cannot be read at all.
 * @param {File} file
 * @returns {Promise<ArchiveEntry[]>}
 */
export async function listArchive(file) {
    const entries = await entriesOf(file);
    for (const entry of entries) {
        entry.refusal ??= await refusalFor(entry.path, entry.size, () => headOf(file, entry));
    }
    return entries;
}

/**
 * The same of a file that lies in no archive.
 * @param {{file: File, path: string}} one
 * @returns {Promise<string | null>}
 */
export async function refusalOf({ file, path }) {
    return refusalFor(path, file.size, async () => new Uint8Array(await file.slice(0, headBytes).arrayBuffer()))
        .catch(() => "unreadable");
}

/** @param {File} file */
async function entriesOf(file) {
    if (parts.test(file.name)) throw new ArchiveFault("several-parts");
    const head = latin(new Uint8Array(await file.slice(0, 512).arrayBuffer()));
    const [, other = null] = others.find(([beginning]) => head.startsWith(beginning)) ?? [];
    if (other) throw new ArchiveFault(other);
    const isTar = head.startsWith("ustar", 257) || /\.tar$/i.test(file.name);
    return isTar ? tarEntries(file) : zipEntries(file);
}

/**
 * @param {string} path
 * @param {number} size
 * @param {() => Promise<Uint8Array>} head
 */
async function refusalFor(path, size, head) {
    if (size === 0 || ofSystems.test(path)) return "left";
    if (beside.test(path)) return size <= largestBeside ? null : "left";
    if (media.test(path)) return null;
    try {
        const bytes = latin(await head());
        return heads.some((one) => one.test(bytes)) ? null : "left";
    } catch (error) {
        if (error instanceof ArchiveFault) return error.code;
        throw error;
    }
}

/**
 * @param {File} file
 * @param {ArchiveEntry} entry
 */
async function headOf(file, entry) {
    const stream = new EntryStream(file, entry);
    try {
        return await stream.read(0, Math.min(entry.size, headBytes));
    } finally {
        await stream.close();
    }
}

/** @param {Uint8Array} bytes */
const latin = (bytes) => String.fromCharCode(...bytes);
