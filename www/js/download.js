// Downloads go through the browser itself, never through memory: a file may be larger than it.
import * as api from "./api.js";
import { el } from "./dom.js";

export function downloadPhoto(photo) {
    follow(api.originalPath(photo), photo.name);
}

/** A copy of a JPEG that says nothing of place, camera and time. */
export function downloadCleanCopy(photo) {
    follow(`${api.cleanCopyPath(photo)}&download`, photo.name);
}

/** An address that the host made, such as an archive's; only one on this host is followed. */
export function downloadAddress(address) {
    const url = new URL(address, location.href);
    if (url.origin === location.origin) follow(url.pathname + url.search, "");
}

function follow(href, name) {
    const link = el("a", { href, download: name, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
}
