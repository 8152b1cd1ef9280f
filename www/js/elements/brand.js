// The lamp and the wordmark. The lamp is lit only where the connection is encrypted.
import { svg } from "../base/dom.js";
import { isEncrypted } from "../base/transport.js";

/**
 * The lamp; `cord` reaches up out of the picture on the door.
 * @param {{cord?: string}} options
 */
export function lamp({ cord = "M32 5v17" } = {}) {
    return svg("svg", { class: isEncrypted() ? "lamp" : "lamp is-out", viewBox: "0 0 64 64", "aria-hidden": "true" },
        svg("path", { class: "lamp-cord", d: cord }),
        svg("path", { class: "lamp-shade", d: "M8 23h48" }),
        svg("path", { class: "lamp-light", d: "M15 33h34a17 17 0 0 1-34 0z" }));
}

const letters = [
    "M12.2 23.500A6.25 6.25 0 0 0 6.4 20C3.4 20 1.5 21.9 1.5 24.6 1.5 31 12.7 28.2 12.7 35 "
        + "12.7 38.1 10 40 6.8 40A6.6 6.6 0 0 1 1 36.5",
    "M39 20v20M39 30a10 10 0 1 1-20 0 10 10 0 0 1 20 0",
    "M59 8.500C54 7 51.5 9.5 51.5 13.500V40M46 20h11.5",
    "M62 30h20A10 10 0 1 0 79.1 37",
    "M90.5 8v32",
    "M99.5 20v20",
    "M128 20v20.500c0 9.5-13.5 11-18.5 4.500M128 30a10 10 0 1 1-20 0 10 10 0 0 1 20 0",
    "M137 8v32M137 29.500c0-5.5 3.6-9.5 8.7-9.500s8.3 3.6 8.3 9V40",
    "M165 12v22.500c0 4 2 5.5 6.5 5M159.5 20H171",
];

/**
 * The name, drawn in one stroke width. `labelled` when no other text says it.
 * @param {{labelled?: boolean}} options
 */
export function wordmark({ labelled = false } = {}) {
    const attributes = labelled ? { role: "img", "aria-label": "Safelight" } : { "aria-hidden": "true" };
    return svg("svg", { class: "wordmark", viewBox: "0 4 174 46", ...attributes },
        ...letters.map((d) => svg("path", { d })),
        svg("circle", { cx: "99.5", cy: "11.5", r: "3.2" }));
}

/** Blank prints on a line, for a gallery with nothing in it. */
export function emptyLine() {
    return svg("svg", { class: "prints", viewBox: "0 0 200 110", "aria-hidden": "true" },
        svg("path", {
            d: "M4 16c60 12 132 12 192 0M31 21v8M48 23v8M24 30l30 3-5 50-30-3zM85 25v8M113 25v8M82 33h34v54H82z"
                + "M149 23v8M168 21v8M144 33l30-4 6 50-30 4z",
        }));
}
