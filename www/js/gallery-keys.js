// Arrows, Home, End, Page keys and the keys of selecting (ARIA APG, grid pattern).
import { byMonth } from "./photo-list.js";

/** `[{row: [ids]}…]` over all months, as drawn. */
function rowsOf(gallery) {
    const rows = [];
    for (const { photos } of byMonth(gallery.list.photos)) {
        for (let start = 0; start < photos.length; start += gallery.columns) {
            rows.push(photos.slice(start, start + gallery.columns).map((photo) => photo.id));
        }
    }
    return rows;
}

/** The id that a key leads to from `id`, or null when the key is none of ours. */
export function target(rows, id, key, { rowsPerPage = 4, whole = false } = {}) {
    const row = rows.findIndex((ids) => ids.includes(id));
    if (row < 0) return null;
    const column = rows[row].indexOf(id);
    const flat = rows.flat();
    const at = flat.indexOf(id);
    const inRow = (index) => {
        const ids = rows[Math.min(rows.length - 1, Math.max(0, index))];
        return ids[Math.min(column, ids.length - 1)];
    };
    switch (key) {
    case "ArrowLeft": return flat[Math.max(0, at - 1)];
    case "ArrowRight": return flat[Math.min(flat.length - 1, at + 1)];
    case "ArrowUp": return inRow(row - 1);
    case "ArrowDown": return inRow(row + 1);
    case "PageUp": return inRow(row - rowsPerPage);
    case "PageDown": return inRow(row + rowsPerPage);
    case "Home": return whole ? flat[0] : rows[row][0];
    case "End": return whole ? flat.at(-1) : rows[row].at(-1);
    default: return null;
    }
}

export function steer(gallery) {
    gallery.element.addEventListener("keydown", (event) => {
        const id = event.target.closest?.("[data-id]")?.dataset.id;
        if (!id || event.altKey) return;
        const command = event.ctrlKey || event.metaKey;
        const rowsPerPage = Math.max(1, Math.floor(innerHeight / gallery.rowHeight) - 1);
        const next = target(rowsOf(gallery), id, event.key, { rowsPerPage, whole: command });
        if (next !== null) move(gallery, id, next, event.shiftKey);
        else if (!act(gallery, id, event.key, command)) return;
        event.preventDefault();
    });
}

function move(gallery, from, to, extending) {
    const { selection } = gallery;
    if (extending) {
        if (!selection.isOn) selection.begin(from);
        selection.extend(to);
    }
    gallery.focusPhoto(to);
}

function act(gallery, id, key, command) {
    const { selection } = gallery;
    if (key === " ") {
        if (selection.isOn) selection.toggle(id);
        else selection.begin(id);
    } else if (key === "a" && command) {
        if (!selection.isOn) selection.begin();
        gallery.list.all().then(() => selection.all());
    } else if (key === "Escape" && selection.isOn) selection.end();
    else if (key === "Delete" && selection.count > 0) gallery.onDelete();
    else return false;
    return true;
}
