// Reads what was dropped, folders and all. The entries must be taken before the first await, or they are gone.

const ofSystems = [".DS_Store", "Thumbs.db"];

/** False for what systems put into folders themselves. */
export function isWanted({ name }) {
    return !ofSystems.includes(name);
}

export async function readDrop(transfer) {
    const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.() ?? null);
    if (entries.every((entry) => entry === null)) return [...transfer.files];
    const files = [];
    for (const entry of entries) if (entry) await collect(entry, files);
    return files;
}

async function collect(entry, files) {
    if (entry.isFile) {
        const file = await new Promise((resolve) => entry.file(resolve, () => resolve(null)));
        if (file && isWanted(file)) files.push(file);
        return;
    }
    const reader = entry.createReader();
    // Chromium hands out at most 100 entries a call: ask until there are none.
    for (;;) {
        const part = await new Promise((resolve) => reader.readEntries(resolve, () => resolve([])));
        if (part.length === 0) return;
        for (const child of part) await collect(child, files);
    }
}
