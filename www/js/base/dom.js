// Elements without markup strings: every text is a text node, so no name or message can become HTML.

const svgNamespace = "http://www.w3.org/2000/svg";

/** Makes an element. `on…` functions become listeners, `true` an empty attribute; null and false are left out. */
export function el(tag, attributes = {}, ...children) {
    return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
    return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === null || value === undefined || value === false) continue;
        if (typeof value === "function") element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

/** One icon of the sprite; always decoration, words stand beside it or in the label. */
export function icon(name, classes = "") {
    return svg("svg", { class: `icon ${classes}`.trim(), viewBox: "0 0 24 24", "aria-hidden": "true" },
        svg("use", { href: `#icon-${name}` }));
}

/** Makes `parent` hold exactly `wanted`, moving as few nodes as possible so that focus stays where it is. */
export function reconcile(parent, wanted) {
    const keep = new Set(wanted);
    for (const child of [...parent.childNodes]) if (!keep.has(child)) child.remove();
    wanted.forEach((node, index) => {
        if (parent.childNodes[index] !== node) parent.insertBefore(node, parent.childNodes[index] ?? null);
    });
}

/** Changes a text only when it differs, so that a quiet tick touches nothing. */
export function setText(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/** Says something once to a screen reader; `urgent` only for what stops everything. */
export function announce(text, { urgent = false } = {}) {
    const region = document.getElementById(urgent ? "alert" : "live");
    region.textContent = "";
    requestAnimationFrame(() => { region.textContent = text; });
}
