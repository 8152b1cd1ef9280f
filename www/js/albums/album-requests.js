// What the host is asked about albums.
import { Problem, inParts, mostIds, request } from "../base/api.js";
import { t } from "../base/i18n.js";

/**
 * @param {string} id
 * @param {string} [rest]
 */
const addressOf = (id, rest = "") => `/api/albums/${encodeURIComponent(id)}${rest}`;

/** @returns {Promise<Album[]>} */
export const albums = async () => (await request("GET", "/api/albums")).albums;
/**
 * @param {string} id
 * @returns {Promise<Album>}
 */
export const album = (id) => request("GET", addressOf(id));
/**
 * @param {string} id
 * @param {{name?: string, cover?: string | null}} fields
 * @returns {Promise<Album>}
 */
export const change = (id, fields) => request("PATCH", addressOf(id), fields);
/**
 * `withPhotos`: they go to "Recently deleted", too. Takes as long as their number takes.
 * @param {string} id
 * @param {{withPhotos?: boolean}} options
 * @returns {Promise<{count: number}>}
 */
export const remove = (id, { withPhotos = false } = {}) =>
    request("DELETE", addressOf(id, withPhotos ? "?photos=delete" : ""), undefined, { patience: Infinity });
/**
 * One that was removed, as it was.
 * @param {string} id
 * @returns {Promise<Album>}
 */
export const bringBack = (id) => request("POST", addressOf(id, "/restore"), undefined, { patience: Infinity });
/**
 * The address of all of it as one file.
 * @param {string} id
 * @returns {Promise<string>}
 */
export const archive = async (id) =>
    (await request("POST", "/api/archive", { albums: [id], favourites: t("album.favourites") })).url;
/**
 * How many have joined: those that were in it are not counted.
 * @param {string} id
 * @param {string[]} ids
 */
export const add = async (id, ids) => (await inParts("POST", addressOf(id, "/photos"), ids)).count;
/**
 * @param {string} id
 * @param {string[]} ids
 */
export const leave = async (id, ids) => (await inParts("DELETE", addressOf(id, "/photos"), ids)).count;

/**
 * @param {string} name
 * @param {string[]} [ids]
 * @returns {Promise<Album>}
 */
export async function make(name, ids = []) {
    const made = await request("POST", "/api/albums", { name, ids: ids.slice(0, mostIds) });
    if (ids.length > mostIds) await add(made.id, ids.slice(mostIds));
    return made;
}

/**
 * The album of a name, made where there is none, with these photos in it, too.
 * @param {string} name
 * @param {string[]} ids
 */
export async function addByName(name, ids) {
    try {
        await make(name, ids);
    } catch (error) {
        if (!(error instanceof Problem) || !error.album) throw error;
        await add(error.album, ids);
    }
}
