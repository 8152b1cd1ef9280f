// Downloads go through the browser itself, never through memory: a file may be larger than it.
import * as api from "./api.js";
import { el } from "./dom.js";

/** @param {{id: string, name: string, isMotion?: boolean}} photo */
export function downloadPhoto(photo) {
    follow(api.originalPath(photo), photo.name);
}

/**
 * A copy of a JPEG that says nothing of place, camera and time.
 * @param {Photo} photo
 */
export function downloadCleanCopy(photo) {
    follow(`${api.cleanCopyPath(photo)}&download`, photo.name);
}

/**
 * An address that the host made, such as an archive's; only one on this host is followed.
 * @param {string} address
 */
export function downloadAddress(address) {
    const url = new URL(address, location.href);
    if (url.origin === location.origin) follow(url.pathname + url.search, "");
}

/**
 * A text that the page itself has made. Gives what forgets it, for when nobody can be asked any more whether to keep it.
 * @param {string} text
 * @param {string} type
 * @param {string} name
 * @returns {() => void}
 */
export function keepText(text, type, name) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    follow(address, name);
    return () => URL.revokeObjectURL(address);
}

/**
 * @param {string} href
 * @param {string} name
 */
function follow(href, name) {
    const link = el("a", { href, download: name, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
}
