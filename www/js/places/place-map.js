// The map on the wall of places: the outline of all land, and a dot that a finger can meet where photos were taken.
import { el, icon, reconcile, svg } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { part } from "../base/parts.js";

// What is seen of the world, and where on it a place lies. Degrees of longitude are shorter far from the equator: they are drawn
// so, but for the whole world.

/** What is in the middle, and how many degrees are seen from north to south; twice as wide as high.
 * @typedef {{longitude: number, latitude: number, height: number}} View */

/** @typedef {{places: ListedPlace[], x: number, y: number, count: number}} Dot */

const shape = 2;
/** @type {View} */
export const world = { longitude: 0, latitude: 0, height: 180 };
/** From so many degrees on it may as well be all of it. */
const nearlyAll = 100;
/** Of fewer degrees nobody sees where on the earth they are. */
const leastAtFirst = 26;
/** The outline knows nothing of less. */
const least = 2;
/** Pixels that a finger needs. */
export const reach = 44;

/** @param {View} view */
const narrowOf = ({ latitude, height }) => (height >= world.height ? 1 : Math.max(0.2, Math.cos((latitude * Math.PI) / 180)));

/** The way from one meridian to another, whichever way is shorter: -180 to 180.
 * @param {number} degrees */
const turned = (degrees) => ((((degrees + 180) % 360) + 360) % 360) - 180;

/** Pixels from the upper left of a map of this size.
 * @param {Place} place @param {View} view @param {Size} size @returns {Point} */
export function pointOf({ latitude, longitude }, view, { width, height }) {
    const scale = height / view.height;
    return { x: width / 2 + turned(longitude - view.longitude) * narrowOf(view) * scale, y: height / 2 + (view.latitude - latitude) * scale };
}

/** From the first meridian to the last one of all of them, on the side of the earth where they are: `[west, degrees]`.
 * @param {number[]} longitudes @returns {[number, number]} */
function spanOf(longitudes) {
    const sorted = [...longitudes].sort((one, other) => one - other);
    const gaps = sorted.map((longitude, index) => (index === 0 ? longitude - (sorted.at(-1) ?? 0) + 360 : longitude - sorted[index - 1]));
    const widest = gaps.indexOf(Math.max(...gaps));
    return [sorted[widest], 360 - gaps[widest]];
}

/** All of the world, as people know it; where a finger would miss a place at its edge, with the middle of all of them in the middle.
 * @param {Place[]} places @param {Size} size @param {number} middle @returns {View} */
function turnedFor(places, size, middle) {
    const isAtEdge = places.some((place) => Math.abs(pointOf(place, world, size).x - size.width / 2) > (size.width - reach) / 2);
    return isAtEdge ? { ...world, longitude: turned(middle) } : world;
}

/** What shows all of these places with room for a finger around each; never less than `atLeast` degrees.
 * @param {Place[]} places @param {Size} size @param {number} [atLeast] @returns {View} */
export function viewOf(places, size, atLeast = leastAtFirst) {
    if (places.length === 0) return world;
    const latitudes = places.map(({ latitude }) => latitude);
    const [south, north] = [Math.min(...latitudes), Math.max(...latitudes)];
    const [west, wide] = spanOf(places.map(({ longitude }) => longitude));
    const latitude = (south + north) / 2;
    const narrow = narrowOf({ latitude, longitude: 0, height: 0 });
    const [shareHigh, shareWide] = [size.height, size.width].map((pixels) => Math.max(0.2, 1 - reach / Math.max(pixels, 1)));
    const height = Math.max(atLeast, (north - south) / shareHigh, (wide * narrow) / shape / shareWide);
    if (height >= nearlyAll) return turnedFor(places, size, west + wide / 2);
    // Beyond the poles there is nothing to see.
    const most = 90 - height / 2;
    return { height, longitude: turned(west + wide / 2), latitude: Math.min(most, Math.max(-most, latitude)) };
}

/** One dot for each place, or one for several that no finger could tell apart: it stands where the first of them is. No two are nearer
 * to each other than a finger is wide. `places` have those with most photos first.
 * @param {ListedPlace[]} places @param {View} view @param {Size} size @returns {Dot[]} */
export function dotsOf(places, view, size) {
    /** @type {Dot[]} */ const dots = [];
    for (const place of places) {
        const { x, y } = pointOf(place, view, size);
        if (x < 0 || y < 0 || x > size.width || y > size.height) continue;
        const near = dots.find((dot) => Math.abs(dot.x - x) < reach && Math.abs(dot.y - y) < reach);
        if (near) {
            near.places.push(place);
            near.count += place.count;
        } else dots.push({ places: [place], x, y, count: place.count });
    }
    return dots;
}

/** The view in which the places of a dot come apart; null where none shows them apart.
 * @param {Dot} dot @param {Size} size @returns {View | null} */
export function closer({ places }, size) {
    if (places.length < 2) return null;
    const view = viewOf(places, size, least);
    return dotsOf(places, view, size).length > 1 ? view : null;
}

/** Pixels of a dot: thousands of photos are seen from afar, and one as well.
 * @param {number} count */
export const sizeOf = (count) => Math.round(Math.min(34, 12 + 6 * Math.log10(Math.max(1, count))));

// What is drawn of it.

/** Of the path of the land, which is 3600 by 1800. */
const perDegree = 10;

/** @param {string} d @param {View} view */
function landIn(d, view) {
    const narrow = narrowOf(view);
    const high = view.height * perDegree;
    const at = { x: (view.longitude + 180) * perDegree * narrow, y: (90 - view.latitude) * perDegree };
    return svg("svg", { viewBox: [at.x - (high * shape) / 2, at.y - high / 2, high * shape, high].join(" "), "aria-hidden": "true" },
        // East of the last meridian the first one follows.
        ...[-3600, 0, 3600].map((by) => svg("path", { d, transform: `scale(${narrow} 1) translate(${by} 0)` })));
}

export class PlaceMap {
    /** @type {ListedPlace[]} */ places = [];
    /** Where somebody has gone nearer; null for what shows all places.
     * @type {View | null} */
    view = null;
    /** @type {string | null} */ land = null;
    /** Dots by the id of the first place of each.
     * @type {Map<number, HTMLButtonElement>} */
    buttons = new Map();
    /** Where the Tab key stops.
     * @type {number | undefined} */
    stop;

    /** `onPlace(place)` shows its photos; `onMany(places)` those of one of several that lie too near to each other.
     * @param {{nameOf: (place: ListedPlace) => string, onPlace: (place: ListedPlace) => void,
     *     onMany: (places: ListedPlace[]) => void}} options */
    constructor({ nameOf, onPlace, onMany }) {
        this.nameOf = nameOf;
        this.onPlace = onPlace;
        this.onMany = onMany;
        this.picture = el("div", { class: "place-land" });
        this.dots = el("div", { class: "place-dots", role: "group", "aria-label": t("places.map"), onkeydown: (event) => this.key(event) });
        this.out = el("button", { class: "round place-out", type: "button", hidden: true, "aria-label": t("viewer.farther"),
            onclick: () => this.leave() }, icon("minus"));
        this.element = el("div", { class: "place-map", hidden: true }, this.picture, this.dots, this.out);
        this.resize = new ResizeObserver(() => this.draw());
        this.resize.observe(this.element);
        this.fetch();
    }

    dispose() {
        this.isDisposed = true;
        this.resize.disconnect();
    }

    /** Served as it lies in the sources, the page has no outline: the list below has all of it. */
    async fetch() {
        const { land } = await part("viewer");
        this.land = await land();
        if (!this.isDisposed) this.draw();
    }

    /** @param {ListedPlace[]} places those with most photos first */
    show(places) {
        this.places = places;
        this.draw();
    }

    get size() { return { width: this.element.clientWidth, height: this.element.clientHeight }; }

    draw() {
        const isShown = this.land !== null && this.places.length > 0;
        this.element.hidden = !isShown;
        const { size } = this;
        if (!isShown || size.width === 0) return;
        const view = this.view ?? viewOf(this.places, size);
        this.out.hidden = this.view === null;
        this.picture.replaceChildren(landIn(this.land ?? "", view));
        const dots = dotsOf(this.places, view, size);
        /** @type {Map<number, HTMLButtonElement>} */ const buttons = new Map();
        for (const dot of dots) buttons.set(dot.places[0].id, this.button(dot));
        this.buttons = buttons;
        this.stopAt(this.stop !== undefined && buttons.has(this.stop) ? this.stop : dots[0]?.places[0].id);
        reconcile(this.dots, [...buttons.values()]);
    }

    /** @param {number | undefined} id */
    stopAt(id) {
        this.stop = id;
        for (const [one, button] of this.buttons) button.tabIndex = one === id ? 0 : -1;
    }

    /** The dot of a place is the same element wherever it is drawn, so that the focus stays with it.
     * @param {Dot} dot */
    button(dot) {
        const [first, ...others] = dot.places;
        const button = this.buttons.get(first.id) ?? el("button", { class: "place-dot", type: "button" });
        button.onclick = () => this.use(dot);
        button.replaceChildren(el("span", {}, others.length > 0 ? String(dot.places.length) : ""));
        button.classList.toggle("is-several", others.length > 0);
        const name = others.length > 0 ? t("places.andOthers", { name: this.nameOf(first), n: others.length }) : this.nameOf(first);
        button.setAttribute("aria-label", t("album.label", { name, count: t("count.items", { n: dot.count }) }));
        button.title = name;
        for (const [property, value] of [["left", dot.x], ["top", dot.y], ["--dot", sizeOf(dot.count)]]) {
            button.style.setProperty(String(property), `${value}px`);
        }
        return button;
    }

    /** @param {Dot} dot */
    use(dot) {
        this.stopAt(dot.places[0].id);
        if (dot.places.length === 1) {
            this.onPlace(dot.places[0]);
            return;
        }
        const view = closer(dot, this.size);
        if (!view) this.onMany(dot.places);
        else this.go(view);
    }

    leave() { this.go(null); }

    /** Who came by keys goes on there.
     * @param {View | null} view */
    go(view) {
        this.view = view;
        this.draw();
        this.buttons.get(this.stop ?? -1)?.focus();
    }

    /** One stop for the Tab key; arrows lead from dot to dot, those with most photos first.
     * @param {KeyboardEvent} event */
    key(event) {
        const ids = [...this.buttons.keys()];
        const now = ids.indexOf(this.stop ?? -1);
        const to = { ArrowRight: now + 1, ArrowDown: now + 1, ArrowLeft: now - 1, ArrowUp: now - 1, Home: 0, End: ids.length - 1 }[event.key];
        const id = to === undefined ? undefined : ids[to];
        if (id === undefined) return;
        event.preventDefault();
        this.stopAt(id);
        this.buttons.get(id)?.focus();
    }
}
