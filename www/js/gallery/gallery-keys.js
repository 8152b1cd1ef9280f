// Arrows, Home, End, Page keys and the keys of selecting (ARIA APG, grid pattern).

/** @param {Gallery} gallery */
export function steer(gallery) {
    gallery.sections.addEventListener("keydown", (event) => {
        const place = gallery.focused?.place ?? -1;
        if (place < 0 || event.altKey || !/** @type {Element} */ (event.target).closest(".cell")) return;
        const command = event.ctrlKey || event.metaKey;
        const rowsPerPage = Math.max(1, Math.floor(innerHeight / gallery.shape.rowHeight) - 1);
        const next = gallery.layout.target(place, event.key, { rowsPerPage, whole: command });
        if (next !== null) move(gallery, place, next, event.shiftKey);
        else if (!act(gallery, place, event.key, command)) return;
        event.preventDefault();
    });
}

/**
 * @param {Gallery} gallery
 * @param {number} from
 * @param {number} to
 * @param {boolean} extending
 */
function move(gallery, from, to, extending) {
    const { selection } = gallery;
    if (extending) {
        if (!selection.isOn) selection.begin(from);
        selection.extend(to);
    }
    gallery.focusPlace(to);
}

/**
 * @param {Gallery} gallery
 * @param {number} place
 * @param {string} key
 * @param {boolean} command
 */
function act(gallery, place, key, command) {
    const { selection } = gallery;
    if (key === " ") {
        if (selection.isOn) selection.toggle(place);
        else selection.begin(place);
    } else if (key === "a" && command) selection.all();
    else if (key === "Delete" && selection.count > 0) gallery.onDelete();
    else return false;
    return true;
}
