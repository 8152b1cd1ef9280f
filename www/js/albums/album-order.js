// In which order albums stand, and which stand within another one: their names say so, as "Alps / Day 1" does.

/** @typedef {Album & {within?: string, wall?: string, albums?: number}} Shelved */

/** The first is the one where nobody has chosen. */
export const orders = ["newest", "name", "hand"];

const mark = /\s+\/\s+/u;
const joint = " / ";
/** @param {string} text */
const keyOf = (text) => text.normalize("NFC").toLocaleLowerCase();

/** The name of an album, from the outermost to its own.
 * @param {string} name @returns {string[]} */
export function partsOf(name) {
    const parts = name.split(mark).filter(Boolean);
    return parts.length > 0 ? parts : [name];
}

/** Its own name: the last part.
 * @param {string} name */
export const ownNameOf = (name) => partsOf(name).at(-1) ?? name;

/** The path around it; empty for what is in none.
 * @param {string} name */
export const around = (name) => partsOf(name).slice(0, -1).join(joint);

/** What stands for it, and how that is shown.
 * @param {Album} album */
const coverOf = ({ cover, coverRotation, coverEdit }) => ({ cover, coverRotation, coverEdit });

/** Albums that have no name of their own stand first, whatever the order. `albums` are as the host lists them: what was used last
 * first.
 * @template {{name?: string, place?: number}} A @param {A[]} albums @param {string} order @returns {A[]} */
export function ordered(albums, order) {
    const [own, others] = [albums.filter(({ name }) => name === undefined), albums.filter(({ name }) => name !== undefined)];
    if (order === "name") {
        const { compare } = new Intl.Collator(undefined, { numeric: true });
        others.sort((one, other) => compare(one.name ?? "", other.name ?? ""));
    } else if (order === "hand") others.sort((one, other) => (one.place ?? Infinity) - (other.place ?? Infinity) || 0);
    return [...own, ...others];
}

/** What stands on one wall: albums of this level, and for those further in the one around them, with their number as `albums`
 * and itself as `within`. An album that holds others stands first among them.
 * @param {Album[]} albums @param {{order: string, within?: string}} options @returns {Shelved[]} */
export function shelved(albums, { order, within = "" }) {
    const depth = within ? partsOf(within).length : 0;
    /** @type {Map<string, Shelved>} */ const found = new Map();
    /** @type {Shelved[]} */ const holders = [];
    const listed = ordered(albums, order);
    /** @param {string[]} parts */
    const pathOf = (parts) => keyOf(parts.join(joint));
    const holding = new Set(listed.flatMap(({ name }) => {
        const parts = name === undefined ? [] : partsOf(name);
        return parts.slice(0, -1).map((_, index) => pathOf(parts.slice(0, index + 1)));
    }));
    for (const album of listed) {
        const parts = album.name === undefined ? null : partsOf(album.name);
        const path = parts ? pathOf(parts) : album.id;
        if (within && (!parts || pathOf(parts.slice(0, depth)) !== keyOf(within))) continue;
        if (within && path === keyOf(within)) {
            holders.push(album);
            continue;
        }
        if (!parts || (parts.length === depth + 1 && !holding.has(path))) {
            found.set(path, album);
            continue;
        }
        const shelf = parts.slice(0, depth + 1);
        const known = found.get(pathOf(shelf));
        const isInside = parts.length > depth + 1;
        if (known) {
            known.albums = (known.albums ?? 0) + (isInside ? 1 : 0);
            if (!known.cover) Object.assign(known, coverOf(album));
        } else {
            found.set(pathOf(shelf), { id: `within ${shelf.join(joint)}`, name: shelf.join(joint), within: shelf.join(joint), count: 0,
                isCoverChosen: false, ...coverOf(album), albums: isInside ? 1 : 0 });
        }
    }
    return [...holders, ...found.values()];
}
