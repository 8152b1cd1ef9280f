// What a browser can show of a photo.

const shownTypes = new Set(["image/jpeg", "image/png", "image/webp", "image/gif", "image/avif", "image/bmp"]);

export function isShownAsImage(photo) {
    return shownTypes.has(photo.type);
}

export function isVideo(photo) {
    return photo.type.startsWith("video/");
}

/** The host looked into the file, and there is nothing to show. */
export function whyNoPicture(photo) {
    return ["pending", "made", undefined].includes(photo.picture) ? null : photo.picture;
}
