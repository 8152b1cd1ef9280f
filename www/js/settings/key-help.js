// What can be done by keys: shown by "?" over the photos and in the viewer.
import { openSheet } from "../elements/dialog.js";
import { el } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { preference } from "../base/preferences.js";

/** Names as they stand on keys; a key of the language files stands for arrows. */
const gallery = [["keys.go", ["keys.arrows"]], ["keys.ends", ["Home", "End"]], ["keys.open", ["Enter"]],
    ["keys.pick", ["Space"]], ["keys.range", ["Shift", "keys.right"]], ["pick.all", ["Ctrl", "A"]], ["delete", ["Delete"]],
    ["pick.end", ["Esc"]]];
const viewer = [["keys.step", ["keys.sides"]], ["viewer.nearer", ["+"]], ["viewer.farther", ["-"]], ["keys.fit", ["0"]],
    ["keys.play", ["Space"]], ["delete", ["Delete"]], ["viewer.close", ["Esc"]]];
const letters = [["viewer.full", ["F"]], ["info", ["I"]], ["download", ["D"]]];

/** `place` is `gallery` or `viewer`, which comes first; the other one follows. */
export function showKeys(place = "gallery") {
    const ofViewer = preference("letters", "on") === "on" ? [...viewer, ...letters] : viewer;
    const lists = [list("title.photos", gallery), list("keys.viewer", ofViewer)];
    openSheet({ title: t("info.letters"), content: place === "viewer" ? lists.reverse() : lists });
}

function list(title, keys) {
    return el("section", { class: "keys" }, el("h3", {}, t(title)), el("dl", {}, ...keys.map(([key, names]) =>
        el("div", {}, el("dt", {}, t(key)), el("dd", {}, ...names.flatMap(caps))))));
}

const caps = (name) => (name.startsWith("keys.") ? t(name).split(" ") : [name]).map((word) => el("kbd", {}, word));
