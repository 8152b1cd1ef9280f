// Reads what was dropped, folders and all. The entries must be taken before the first await, or they are gone.

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
        if (file && file.name !== ".DS_Store" && file.name !== "Thumbs.db") files.push(file);
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
