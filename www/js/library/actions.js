// What needs a vault. A guest who asks for it opens one in place, and then it runs by itself.
import { request } from "../base/api.js";
import { downloadAddress } from "../base/download.js";
import { t } from "../base/i18n.js";
import { idsOf } from "../photos/live-photos.js";

/**
 * An action has `title`, why a vault is needed, `run()`, which may throw, and `done`, what is said then. It names photos
 * by the ids it was made with: the host goes on to know a guest's ids in the session into which the guest moved.
 * @param {Photo[]} photos
 * @returns {Action}
 */
export function archiveOf(photos) {
    const ids = idsOf(photos);
    return {
        title: t("need.archive", { n: photos.length }),
        done: t("need.archiveDone", { n: photos.length }),
        run: async () => downloadAddress(await makeArchive(ids)),
    };
}

/**
 * Its address. A list of ids has a largest size at the host.
 * @param {string[]} ids
 * @param {number} [most]
 * @returns {Promise<string>}
 */
async function makeArchive(ids, most = 5000) {
    let url = "/api/archive";
    for (let start = 0; start < ids.length; start += most) {
        ({ url } = await request("POST", url, { ids: ids.slice(start, start + most) }));
    }
    return url;
}
