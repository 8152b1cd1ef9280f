// A Live Photo is a photo and a few seconds of video: two files of the vault, and one to whoever looks.

/**
 * Of photos that were listed together: those that stand for themselves; a Live Photo has its video as `live`.
 * @param {Photo[]} listed
 * @returns {Photo[]}
 */
export function paired(listed) {
    const byId = new Map(listed.map((photo) => [photo.id, photo]));
    const videos = new Set();
    for (const photo of listed) {
        // What is paired a second time may have lost its video.
        photo.live = undefined;
        const video = byId.get(photo.liveVideo ?? "");
        if (!video || video === photo) continue;
        photo.live = video;
        videos.add(video);
    }
    return listed.filter((photo) => !videos.has(photo));
}

/**
 * What plays in the place of a photo: the other file of a Live Photo, or the video in its own; null for neither.
 * @param {Photo} photo
 * @returns {Photo | null}
 */
export function clipOf(photo) {
    if (photo.live || !photo.motion) return photo.live ?? null;
    return { ...photo, type: "video/mp4", isMotion: true, width: 0, duration: 0 };
}

/**
 * A sidecar goes with its photo at the host, and is shown with it.
 * @param {Photo} photo
 */
export const standsAlone = ({ sidecarOf }) => !sidecarOf;

/**
 * All files of these photos.
 * @param {Photo[]} photos
 */
export const filesOf = (photos) => photos.flatMap((photo) => (photo.live ? [photo, photo.live] : [photo]));
/** @param {Photo[]} photos */
export const idsOf = (photos) => filesOf(photos).map(({ id }) => id);
/** @param {Photo[]} photos */
export const bytesOf = (photos) => filesOf(photos).reduce((sum, { size }) => sum + size, 0);
