// The parts of the page that come when they are needed, or while there is time before that.
import { el } from "./dom.js";
import { fetched, leaveIfOutdated, partsComeFrom } from "./browser.js";
import { learn } from "./i18n.js";

/** `scripts/pack-page` makes one file of each.
 * @type {Record<string, string>} */
const modules = {
    albums: "../albums/albums.js",
    changing: "../changing/changing.js",
    crop: "../changing/crop.js",
    doors: "../doors/doors.js",
    gallery: "../gallery/gallery.js",
    inside: "../inside/inside.js",
    library: "../library/library.js",
    moving: "../moving/moving.js",
    places: "../places/places.js",
    search: "../search/search.js",
    newPassword: "../door/common-passwords.js",
    sending: "../uploads/upload-panel.js",
    settings: "../settings/settings.js",
    sharing: "../photos/save-photos.js",
    vaultForms: "../door/vault-forms.js",
    viewer: "../viewer/vault-viewer.js",
};
/** @type {Map<string, Promise<any>>} */ const coming = new Map();

/** The module of a part.
 * @template {keyof Parts} N @param {N} name @returns {Promise<Parts[N]>} */
export function part(name) {
    return once(name, async () => {
        try {
            return await fetched((mark) => import(modules[name] + mark));
        } catch (error) {
            await leaveIfOutdated();
            throw error;
        }
    });
}

partsComeFrom(part);

/** All that is needed inside: the class `Inside`, and the modules that it is given.
 * @returns {Promise<Pick<Parts["inside"], "Inside">
 *     & Pick<Parts, "albums" | "doors" | "gallery" | "library" | "search" | "sending" | "settings">>} */
export async function insideParts() {
    const [{ Inside }, albums, doors, gallery, library, search, sending, settings] = await Promise.all([part("inside"), part("albums"),
        part("doors"), part("gallery"), part("library"), part("search"), part("sending"), part("settings"), styles("/css/inside.css"),
        once("words", () => Promise.all([learn("inside/"), learn("photos/")]))]);
    return { Inside, albums, doors, gallery, library, search, sending, settings };
}

/** @param {string} address @returns {Promise<void>} */
function styles(address) {
    return once(address, () => fetched((mark) => /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
        const link = el("link", { rel: "stylesheet", href: address + mark, onload: () => resolve(), onerror: () => {
            link.remove();
            reject(new Error(address));
        } });
        document.head.append(link);
    }))));
}

/** What did not come is fetched anew when it is asked for the next time.
 * @param {string} name @param {() => Promise<any>} fetching @returns {Promise<any>} */
function once(name, fetching) {
    if (!coming.has(name)) {
        const one = fetching();
        one.catch(() => coming.delete(name));
        coming.set(name, one);
    }
    return /** @type {Promise<any>} */ (coming.get(name));
}
