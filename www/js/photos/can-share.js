// Whether this device can hand on photos, to its own library or to somebody else.

const most = 20;
const mostBytes = 200_000_000;

/**
 * Without `photos`: whether this device can hand on files at all.
 * @param {Photo[] | null} [photos]
 * @returns {boolean}
 */
export function canShare(photos = null) {
    if (!navigator.canShare) return false;
    const sample = new File([new Uint8Array(1)], "a.jpg", { type: "image/jpeg" });
    if (!navigator.canShare({ files: [sample] })) return false;
    return photos === null || photos.length > 0 && photos.length <= most
        && photos.reduce((sum, photo) => sum + photo.size, 0) <= mostBytes
        && photos.every(({ type }) => /^(image|video)\//.test(type));
}

/**
 * The same for a device that has a library of photos of its own.
 * @param {Photo[] | null} [photos]
 * @returns {boolean}
 */
export const canSave = (photos = null) => matchMedia("(pointer: coarse)").matches && canShare(photos);
