// Into the library of a phone: by its own sheet for sharing, since a download ends up among the files.
import * as api from "./api.js";
import { confirm } from "./dialog.js";
import { t } from "./i18n.js";

const most = 20;
const mostBytes = 200_000_000;

/** Without `photos`: whether this device can do it at all. */
export function canSave(photos = null) {
    if (!matchMedia("(pointer: coarse)").matches || !navigator.canShare) return false;
    const sample = new File([new Uint8Array(1)], "a.jpg", { type: "image/jpeg" });
    if (!navigator.canShare({ files: [sample] })) return false;
    return photos === null || photos.length > 0 && photos.length <= most
        && photos.reduce((sum, photo) => sum + photo.size, 0) <= mostBytes
        && photos.every(({ type }) => /^(image|video)\//.test(type));
}

/** Throws `Unreachable` or a `Problem`. Somebody who closes the sheet has changed their mind, and that is all. */
export async function saveToPhotos(photos) {
    const { signal } = new AbortController();
    const files = [];
    for (const photo of photos) {
        files.push(new File([await api.blob(api.originalPath(photo), signal)], photo.name, { type: photo.type }));
    }
    if (await share(files)) return;
    // Browsers share only right after a tap, and fetching may have taken longer than that.
    const isWanted = await confirm({ title: t("save.ready", { n: files.length }), note: t("save.note"),
        action: t("save.action") });
    if (isWanted) await share(files);
}

/** False where the browser wants another tap. */
async function share(files) {
    try {
        await navigator.share({ files });
        return true;
    } catch (error) {
        return error.name !== "NotAllowedError";
    }
}
