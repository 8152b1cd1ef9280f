// Photos that were just saved, as the host lists them.
import * as api from "./api.js";

/** Up to here each is asked for by itself. */
const few = 4;

/**
 * `saved` are `{id, duplicate}`; those that are gone meanwhile are left out. A file that is chosen again within seven days
 * is the upload that it was before, and its photo may have been deleted since: who sends it again wants it back.
 */
export async function arrivals(saved) {
    const listed = new Map();
    if (saved.length > few) {
        // What has just come stands on the first page, unless it was there before.
        for (const photo of (await api.photos()).photos) listed.set(photo.id, photo);
    }
    const photos = [];
    for (const { id, duplicate } of saved) {
        const photo = listed.get(id) ?? await api.photo(id).catch(() => null);
        if (photo?.deletedAt) await api.restore([id]);
        if (photo) photos.push({ ...photo, deletedAt: undefined, duplicate: duplicate || Boolean(photo.deletedAt) });
    }
    return photos;
}
