// Elements without markup strings: every text is a text node, so no name or message can become HTML.
import * as api from "./api.js";

/** @typedef {Node | string | null | undefined} Child */

/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => unknown)>} Attributes */

const svgNamespace = "http://www.w3.org/2000/svg";

/** Makes an element. `on…` functions become listeners, `true` an empty attribute; null and false are left out.
 * @template {keyof HTMLElementTagNameMap} K @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]} */
export function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

/** @template {keyof SVGElementTagNameMap} K @param {K} tag @param {Attributes} [attributes] @param {...Child} children
 * @returns {SVGElementTagNameMap[K]} */
export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

/** @template {Element} E @param {E} element @param {Attributes} attributes @param {Child[]} children @returns {E} */
function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : /** @type {string} */ (value));
    }
    const there = children.filter((child) => child !== null && child !== undefined);
    element.append(.../** @type {(Node | string)[]} */ (there));
    return element;
}

/** One icon of the sprite; always decoration, words stand beside it or in the label.
 * @param {string} name @param {string} [classes] @returns {SVGElement} */
export function icon(name, classes = "") {
    return svg("svg", { class: `icon ${classes}`.trim(), viewBox: "0 0 24 24", "aria-hidden": "true" },
        svg("use", { href: `#icon-${name}` }));
}

/** Makes `parent` hold exactly `wanted`, moving as few nodes as possible so that focus stays where it is.
 * @param {Node} parent @param {Node[]} wanted */
export function reconcile(parent, wanted) {
    /** @type {Set<Node>} */ const keep = new Set(wanted);
    for (const child of [...parent.childNodes]) if (!keep.has(child)) child.remove();
    wanted.forEach((node, index) => {
        if (parent.childNodes[index] !== node) parent.insertBefore(node, parent.childNodes[index] ?? null);
    });
}

/** Changes a text only when it differs, so that a quiet tick touches nothing.
 * @param {Element} element @param {string} text */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Says something once to a screen reader; `urgent` only for what stops everything.
 * @param {string} text @param {{urgent?: boolean}} options */
export function announce(text, { urgent = false } = {}) {
    const region = document.getElementById(urgent ? "alert" : "live");
    region.textContent = "";
    requestAnimationFrame(() => { region.textContent = text; });
}

// The sprite is put into the page once, so that an icon needs no request of its own, also when the host is gone.

/** XMLHttpRequest parses the file itself: no text of ours becomes markup. */
export function loadIcons() {
    const request = new XMLHttpRequest();
    request.open("GET", "/icons.svg");
    request.responseType = "document";
    request.overrideMimeType("image/svg+xml");
    request.onload = () => {
        const sprite = request.responseXML?.documentElement;
        if (!sprite) return;
        sprite.setAttribute("class", "sprite");
        sprite.setAttribute("aria-hidden", "true");
        document.body.append(document.adoptNode(sprite));
    };
    request.send();
}

// Long work is done in slices, between which the browser answers whoever scrolls or types.

/** Milliseconds: a third of a frame at 60 in a second. */
const longest = 5;

export class Slice {
    /** @param {() => number} [now] */
    constructor(now = () => performance.now()) {
        this.now = now;
        this.end = now() + longest;
    }

    /** Whether it is the browser's turn. */
    get isOver() { return this.now() >= this.end; }
}

/** Resolves when the browser has had its turn.
 * @returns {Promise<void>} */
export function turn() {
    return /** @type {any} */ (globalThis).scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); });
}

// Text that the host takes up to so many bytes.

/** As much of it as fits into so many bytes of UTF-8, in whole characters.
 * @param {string} text @param {number} most */
export function cutToBytes(text, most) {
    const characters = [...text];
    while (new TextEncoder().encode(characters.join("")).length > most) characters.pop();
    return characters.join("").trimEnd();
}

/** The longest name of a door or a window, in characters. */
const longestName = 60;

/** A name that stands in a link in base64url; empty where it is none.
 * @param {string} text @returns {string} */
export function nameIn(text) {
    try {
        const bytes = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
        return [...new TextDecoder().decode(Uint8Array.from(bytes, (one) => one.charCodeAt(0)))].slice(0, longestName).join("");
    } catch {
        return "";
    }
}

// Downloads go through the browser itself, never through memory: a file may be larger than it.

/** @param {{id: string, name: string, isMotion?: boolean}} photo */
export function downloadPhoto(photo) {
    follow(api.originalPath(photo), photo.name);
}

/** A copy of a JPEG that says nothing of place, camera and time.
 * @param {Photo} photo */
export function downloadCleanCopy(photo) {
    follow(`${api.cleanCopyPath(photo)}&download`, photo.name);
}

/** An address that the host made, such as an archive's; only one on this host is followed.
 * @param {string} address */
export function downloadAddress(address) {
    const url = new URL(address, location.href);
    if (url.origin === location.origin) follow(url.pathname + url.search, "");
}

/** A text, or a picture, that the page itself has made. Gives what forgets it, for when nobody can be asked any more whether to keep it.
 * @param {string | Blob} text @param {string} type @param {string} name @returns {() => void} */
export function keepText(text, type, name) {
    const address = URL.createObjectURL(new Blob([text], { type }));
    follow(address, name);
    return () => URL.revokeObjectURL(address);
}

/** @param {string} href @param {string} name */
function follow(href, name) {
    const link = el("a", { href, download: name, hidden: true });
    document.body.append(link);
    link.click();
    link.remove();
}
