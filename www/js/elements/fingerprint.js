// The fingerprint in full, as devices show it.
import { el } from "../base/dom.js";

/**
 * A line ends behind a colon, never within a pair of digits.
 * @param {string} fingerprint
 * @returns {HTMLElement}
 */
export function hexParagraph(fingerprint) {
    const pairs = fingerprint.split(":");
    const pieces = pairs.flatMap((pair, index) => (index < pairs.length - 1 ? [`${pair}:`, el("wbr")] : [pair]));
    return el("p", { class: "hex" }, ...pieces);
}
