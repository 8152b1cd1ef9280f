// What can be done by keys: shown by "?" over the photos and in the viewer.
import { openSheet } from "../elements/dialog.js";
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { preference } from "../base/preferences.js";

/** @typedef {[string, string[]][]} Keys */

/**
 * Names as they stand on keys; a key of the language files stands for arrows.
 * @type {Keys}
 */
const gallery = [["title.results", ["/"]], ["keys.go", ["keys.arrows"]], ["keys.ends", ["Home", "End"]], ["keys.open", ["Enter"]],
    ["keys.pick", ["Space"]], ["keys.range", ["Shift", "keys.right"]], ["pick.all", ["Ctrl", "A"]], ["delete", ["Delete"]],
    ["pick.end", ["Esc"]]];
/** @type {Keys} */
const viewer = [["keys.step", ["keys.sides"]], ["viewer.nearer", ["+"]], ["viewer.farther", ["-"]], ["keys.fit", ["0"]],
    ["keys.play", ["Space"]], ["show.begin", ["Space"]], ["delete", ["Delete"]], ["viewer.close", ["Esc"]]];
/** @type {Keys} */
const letters = [["keys.heart", ["F"]], ["viewer.full", ["Shift", "F"]], ["show.begin", ["S"]], ["turn.right", ["R"]],
    ["turn.left", ["Shift", "R"]], ["info", ["I"]], ["download", ["D"]]];

/**
 * `place` is `gallery` or `viewer`, which comes first; the other one follows.
 * @param {"gallery" | "viewer"} [place]
 */
export function showKeys(place = "gallery") {
    const ofViewer = preference("letters", "on") === "on" ? [...viewer, ...letters] : viewer;
    const lists = [list("title.photos", gallery), list("keys.viewer", ofViewer)];
    openSheet({ title: t("info.letters"), content: place === "viewer" ? lists.reverse() : lists });
}

/**
 * @param {string} title
 * @param {Keys} keys
 */
function list(title, keys) {
    return el("section", { class: "keys" }, el("h3", {}, t(title)), el("dl", {}, ...keys.map(([key, names]) =>
        el("div", {}, el("dt", {}, t(key)), el("dd", {}, ...names.flatMap(caps))))));
}

/** @param {string} name */
const caps = (name) => (name.startsWith("keys.") ? t(name).split(" ") : [name]).map((word) => el("kbd", {}, word));
