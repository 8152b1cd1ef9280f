// Keeps what the eye is on in its place while photos arrive above it.

/** Runs `work`, which may change the gallery, and scrolls by as much as the topmost visible photo moved. */
export function holdPlace(gallery, work) {
    const id = window.scrollY > 200 ? topmost(gallery) : null;
    const before = id === null ? null : place(gallery, id);
    work();
    const after = before === null ? null : place(gallery, id);
    if (after !== null && Math.abs(after - before) > 1) window.scrollBy(0, after - before);
}

/** The id of the photo at the top of the window, or null. */
export function topmost(gallery) {
    for (const block of gallery.blocks.values()) {
        const { top, bottom } = block.element.getBoundingClientRect();
        if (bottom <= 0 || top > innerHeight) continue;
        const row = Math.max(0, Math.ceil(-top / gallery.rowHeight));
        return block.ids[row * gallery.columns] ?? block.ids.at(-1) ?? null;
    }
    return null;
}

/** How far below the top of the window a photo is, or null when it is not listed. */
export function place(gallery, id) {
    for (const block of gallery.blocks.values()) {
        const index = block.ids.indexOf(id);
        if (index < 0) continue;
        return block.element.getBoundingClientRect().top + Math.floor(index / gallery.columns) * gallery.rowHeight;
    }
    return null;
}
