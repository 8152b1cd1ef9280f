// Hearts: given and taken away. A guest opens a vault for them.
import { inParts } from "../base/api.js";
import { t } from "../base/i18n.js";
import { idsOf } from "../photos/live-photos.js";
import { toast } from "../elements/toast.js";

/**
 * All of them have one. There may be very many.
 * @param {Iterable<Photo>} photos
 */
export function isHearted(photos) {
    let isAny = false;
    for (const { favourite } of photos) {
        if (favourite !== true) return false;
        isAny = true;
    }
    return isAny;
}

/**
 * It names photos by the ids it was made with, which go on to be known where a guest's photos have moved.
 * @param {Photo[]} photos
 * @param {boolean} isOn
 * @returns {Action}
 */
export function heartsFor(photos, isOn) {
    const ids = idsOf(photos);
    return {
        title: t("need.heart", { n: photos.length }),
        done: t("heart.given", { n: photos.length }),
        isChange: true,
        run: () => inParts("POST", "/api/photos/favourite", ids, { on: isOn }),
    };
}

/**
 * @param {number} n
 * @param {boolean} isOn
 * @param {() => unknown} undo
 */
export function sayHearts(n, isOn, undo) {
    toast(t(isOn ? "heart.given" : "heart.taken", { n }), { action: t("undo"), run: undo });
}
