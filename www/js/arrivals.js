// Photos that were just saved, as the host lists them.
import * as api from "./api.js";

/** Up to here each is asked for by itself. */
const few = 4;

/** `saved` are `{id, duplicate}`; those that are gone or deleted meanwhile are left out. */
export async function arrivals(saved) {
    const listed = new Map();
    if (saved.length > few) {
        // What has just come stands on the first page, unless it was there before.
        for (const photo of (await api.photos()).photos) listed.set(photo.id, photo);
    }
    const photos = [];
    for (const { id, duplicate } of saved) {
        const photo = listed.get(id) ?? await api.photo(id).catch(() => null);
        if (photo && !photo.deletedAt) photos.push({ ...photo, duplicate });
    }
    return photos;
}
