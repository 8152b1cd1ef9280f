// Reads what was dropped, folders and all. The entries must be taken before the first await, or they are gone.

/** @typedef {{files: File[], unread: string[]}} Found */

/** The folders of what was dropped; what was chosen says its own.
 * @type {WeakMap<File, string>} */
const folders = new WeakMap();

/** The path of the folder that a file came in, such as "Holiday 2024/Rome"; empty for one that came in none.
 * @param {File} file @returns {string} */
export const folderOf = (file) => folders.get(file) ?? file.webkitRelativePath.split("/").slice(0, -1).join("/");

/** Has the host told where files lay: of those that were added just now, before any of them is sent.
 * @param {Item[]} items */
export function tellFolders(items) {
    for (const item of items) if (item.file) item.folder = folderOf(item.file);
    return items;
}

/** By their names: archives, those among them that cannot be read here or have not come to their end, and what is said of photos. */
const archiveName = /\.(?:zip|tar|tgz|tbz2?|txz|tar\.\w+|7z|rar|zip\.\d{3}|z\d\d|001)(?:\.(?:crdownload|part|partial|download))?$/i;
const besideName = /\.(?:json|csv|xmp)$/i;

/** @param {File} file */
export const isArchive = ({ name, archive }) => !archive && isArchiveName(name);
/** @param {string} name */
export const isArchiveName = (name) => archiveName.test(name);
/** @param {string} name */
export const isBeside = (name) => besideName.test(name);

/** As names are compared.
 * @param {string} name */
export const nameKey = (name) => name.normalize("NFC").toLowerCase();

/** Whether hardly anything else than a photo is called so: a letter, a number, and no blank.
 * @param {string} stem */
export const isTelling = (stem) => stem.length >= 5 && stem.length <= 64 && !stem.includes(" ") && /\p{L}/u.test(stem) && /\p{N}/u.test(stem);

const ofSystems = [".DS_Store", "Thumbs.db"];

/** False for what systems put into folders themselves.
 * @param {{name: string}} entry @returns {boolean} */
export function isWanted({ name }) {
    return !ofSystems.includes(name);
}

/** `{files, unread}`, the latter being the paths of files and folders that the device cannot read.
 * @param {DataTransfer} transfer @returns {Promise<Found>} */
export async function readDrop(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
    if (entries.every((entry) => entry === null)) return { files: [...transfer.files], unread: [] };
    /** @type {Found} */ const found = { files: [], unread: [] };
    for (const entry of entries) if (entry) await collect(entry, found);
    return found;
}

/** @param {any} entry @param {Found} found */
async function collect(entry, found) {
    if (!isWanted(entry)) return;
    try {
        if (entry.isFile) {
            /** @type {File} */ const file = await new Promise((resolve, reject) => { entry.file(resolve, reject); });
            folders.set(file, entry.fullPath.split("/").slice(1, -1).join("/"));
            found.files.push(file);
        } else await collectFolder(entry.createReader(), found);
    } catch {
        found.unread.push(entry.fullPath);
    }
}

/** @param {any} reader @param {Found} found */
async function collectFolder(reader, found) {
    // Chromium hands out at most 100 entries a call: ask until there are none.
    for (;;) {
        /** @type {any[]} */ const part = await new Promise((resolve, reject) => { reader.readEntries(resolve, reject); });
        if (part.length === 0) return;
        for (const child of part) await collect(child, found);
    }
}
