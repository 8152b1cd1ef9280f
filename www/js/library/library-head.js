// The header of a listing: its title and what can be done, or how many are picked.
import { el, icon, setText } from "../base/dom.js";
import { bytes, t } from "../base/i18n.js";
import { preference } from "../base/browser.js";
import { backLink, screenHead } from "../inside/shell.js";

/** @typedef {import("./library.js").Library} Library */

/** A phone has room for so many letters of a title. */
const shortName = 10;

/** @param {string} classes @param {() => unknown} onclick @param {...Node | string} content */
const button = (classes, onclick, ...content) => el("button", { class: classes, type: "button", onclick }, ...content);

/** @param {Library} library @param {boolean} isEmpty */
export function drawHead(library, isEmpty) {
    const { selection, head } = library;
    const state = selection.isOn ? "picking" : library.album?.isChoosing ? "choosing" : isEmpty ? "empty" : "full";
    const key = `${state} ${library.heading}`;
    if (head.dataset.key !== key) {
        head.dataset.key = key;
        // Where somebody came in, the title has the focus while the first photos come.
        const isTitleFocused = head.querySelector("h1")?.contains(document.activeElement);
        head.replaceChildren(selection.isOn ? pickHead(selection) : library.album?.isChoosing ? library.album.chooseHead()
            : plainHead(library, isEmpty));
        if (isTitleFocused) head.querySelector("h1")?.focus({ preventScroll: true });
    }
    if (!selection.isOn) return;
    setText(/** @type {Element} */ (head.querySelector(".picked")),
        selection.isComing ? t("pick.coming") : t("pick.count", { n: selection.count }));
    setText(/** @type {Element} */ (head.querySelector(".picked-bytes")), selection.count > 0 && !selection.isComing
        ? ` · ${bytes(selection.byteCount)}` : "");
}

/** @param {Library} library @param {boolean} isEmpty */
function plainHead(library, isEmpty) {
    const other = preference("view", "grid") === "list" ? "grid" : "list";
    const view = button("round", () => library.changeView(other), icon(other));
    view.setAttribute("aria-label", t(other === "grid" ? "view.grid" : "view.list"));
    const select = button("link", () => library.selection.begin(), t("select"));
    const main = library.isPhotos
        ? button("button is-main is-small only-desktop", library.onAdd, icon("add", "is-small"), t("add"))
        : button("link is-danger", () => library.empty(), t("deleted.empty"));
    if (library.kind === "results" || library.kind === "similar") {
        const head = screenHead(library.title, ...(isEmpty ? [] : [view, select]));
        head.prepend(backLink("#/photos"));
        return head;
    }
    const look = library.album ? [view] : [searchLink(), view];
    const actions = isEmpty ? (library.isPhotos ? [main] : []) : [...(library.isPhotos ? look : []), select, main];
    const more = library.album?.moreButton();
    // A name that somebody gave may be longer than there is room; its menu has it whole.
    const heading = library.album ? el("span", { class: `own-name${library.heading.length > shortName ? " is-long" : ""}`, title: library.album.name }, library.heading) : library.heading;
    const head = screenHead(heading, ...actions, ...(more ? [more] : []));
    if (library.album) head.prepend(el("a", { class: "round", href: library.album.wall, "aria-label": t("album.back") }, icon("left")));
    // What was deleted is reached from the settings and from the albums.
    if (!library.isPhotos) head.prepend(backLink("#/settings"));
    return head;
}

/** The way to the screen on which one looks for something; a key leads there, too. */
function searchLink() {
    return el("a", { class: "round", href: "#/search", "aria-label": t("title.results") }, icon("search"));
}

/** @param {import("./selection.js").Selection} selection */
function pickHead(selection) {
    const end = button("round", () => selection.end(), icon("close"));
    end.setAttribute("aria-label", t("pick.end"));
    return el("header", { class: "top is-picking" }, end,
        el("h1", { class: "figures", tabindex: "-1" }, el("span", { class: "picked" }),
            el("span", { class: "picked-bytes" })),
        button("link only-desktop", () => selection.invert(), t("pick.invert")),
        button("link", () => selection.all(), t("pick.all")));
}

// A photo that was looked at goes back to its tile, where motion is wanted.

const time = 180;
const easing = "cubic-bezier(.2, 0, 0, 1)";
/** @param {Bounds} bounds */
const boundsOf = ({ left, top, width, height }) =>
    ({ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });

/** From `bounds`, where it was seen in the window, to `face`, that of its tile; the picture flies in `parent`.
 * @param {HTMLElement} parent @param {Bounds | null} bounds @param {HTMLElement | null} face */
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
