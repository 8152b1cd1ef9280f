// A small map of our own: the outline of all land, which `scripts/draw-world` draws, and where a photo was taken. Nobody else
// is asked for it.
import { request } from "../base/api.js";
import { el, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** Of the path, which is 3600 by 1800. */
const perDegree = 10;
const width = 360 * perDegree;
/** Degrees that are seen from north to south, of a part and of all; and how much wider than high the map is. */
const near = 26;
const far = 180;
const shape = 2;

/** @type {Promise<string | null> | null} */
let coming = null;

/**
 * The path of the land; null where the page is served without it, as it lies in the sources.
 * @returns {Promise<string | null>}
 */
function land() {
    coming ??= request("GET", "/world.json").then(({ d }) => d, (error) => {
        // Asked for again with the next photo.
        if (error.status !== 404) coming = null;
        return null;
    });
    return coming;
}

/**
 * Comes a moment later than the words; a tap shows all of the world, or what is near.
 * @param {Place} place
 * @returns {HTMLElement}
 */
export function worldMap(place) {
    const button = el("button", { class: "world", type: "button", hidden: true });
    let isNear = true;
    /** @param {string} d */
    const draw = (d) => {
        button.replaceChildren(drawing(d, place, isNear));
        button.setAttribute("aria-label", t(isNear ? "map.far" : "map.near"));
        button.hidden = false;
    };
    land().then((d) => {
        if (!d) return;
        draw(d);
        button.addEventListener("click", () => {
            isNear = !isNear;
            draw(d);
        });
    });
    return button;
}

/**
 * Degrees of longitude are shorter far from the equator: near a place they are drawn so.
 * @param {string} d
 * @param {Place} place
 * @param {boolean} isNear
 */
function drawing(d, { latitude, longitude }, isNear) {
    const high = (isNear ? near : far) * perDegree;
    const narrow = isNear ? Math.max(0.2, Math.cos((latitude * Math.PI) / 180)) : 1;
    const at = { x: (longitude + 180) * perDegree * narrow, y: (90 - latitude) * perDegree };
    const box = isNear ? [at.x - (high * shape) / 2, at.y - high / 2, high * shape, high] : [0, 0, width, high];
    // East of the last meridian the first one follows.
    const turns = isNear ? [-width, 0, width] : [0];
    return svg("svg", { viewBox: box.map(Math.round).join(" "), "aria-hidden": "true" },
        ...turns.map((by) => svg("path", { d, transform: `scale(${narrow} 1) translate(${by} 0)` })),
        svg("circle", { cx: at.x, cy: at.y, r: high / 28 }));
}
