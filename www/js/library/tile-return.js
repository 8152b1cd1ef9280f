// A photo that was looked at goes back to its tile, where motion is wanted.
import { el } from "../base/dom.js";

const time = 180;
const easing = "cubic-bezier(.2, 0, 0, 1)";
/** @param {Bounds} bounds */
const boundsOf = ({ left, top, width, height }) =>
    ({ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });

/**
 * From `bounds`, where it was seen in the window, to `face`, that of its tile; the picture flies in `parent`.
 * @param {HTMLElement} parent
 * @param {Bounds | null} bounds
 * @param {HTMLElement | null} face
 */
export function flyBack(parent, bounds, face) {
    const picture = /** @type {HTMLImageElement | null | undefined} */ (face?.querySelector("img.is-here"));
    // One that is shown turned would turn on its way.
    if (!bounds || !face || !picture || picture.dataset.turn || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const flying = el("img", { class: "flying", src: picture.src, alt: "", "aria-hidden": "true" });
    parent.append(flying);
    const flight = flying.animate([boundsOf(bounds), boundsOf(face.getBoundingClientRect())], { duration: time, easing });
    const land = () => flying.remove();
    flight.finished.then(land, land);
}
