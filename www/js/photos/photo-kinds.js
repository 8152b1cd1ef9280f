// What a browser can show of a photo.

const shownTypes = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/bmp"]);

/**
 * @param {Photo} photo
 * @returns {boolean}
 */
export function isShownAsImage(photo) {
    return shownTypes.has(photo.type);
}

/**
 * @param {Photo} photo
 * @returns {boolean}
 */
export function isVideo(photo) {
    return photo.type.startsWith("video/");
}

/**
 * The host looked into the file, and there is nothing to show.
 * @param {Photo} photo
 * @returns {string | null}
 */
export function whyNoPicture(photo) {
    const { picture = "pending" } = photo;
    return ["pending", "made"].includes(picture) ? null : picture;
}
