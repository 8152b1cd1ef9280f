// The screen where somebody goes through photos that are there more than once, side by side, with what differs marked: what the
// host has compared pixel by pixel and called a copy of the best is picked already, and nothing goes without a tap. What only
// looks alike is for the person to pick. Photos of one moment stand apart: nobody can tell for others which is best.
import * as api from "../base/api.js";
import { previewPath } from "../base/api.js";
import { emptyLine } from "../elements/pieces.js";
import { el, icon, setText } from "../base/dom.js";
import { bytes, describe, t } from "../base/i18n.js";
import { preference } from "../base/browser.js";
import { bytesOf, dayAndTimeOf, photoLabel, shortType, timeOf, turn } from "../photos/photo-words.js";
import { toast } from "../elements/dialog.js";
import { backLink } from "../inside/shell.js";

// In what photos that look alike differ: what is known of them, and where their pictures are not the same.

/** Pixels of a side at which pictures are compared, and of a square of it that is marked as a whole. */
const side = 96;
const square = 8;
/** Steps of 256 by which a colour of a square differs: what another quality and another size change is less. */
const least = 20;

/** What programs add to the name of what somebody has changed. */
const changed = /^IMG_E\d{4}\.|~\d+\.|[ _-](edit|edited|crop|cropped)\b/iu;

/** @typedef {{key: string, words: string}} Fact */

/** What is said of each, by what may differ; the same keys for all.
 * @param {Photo} photo @returns {Fact[]} */
export function factsOf(photo) {
    const isEdited = changed.test(photo.name) || (photo.rotation ?? 0) !== 0 || Boolean(photo.edit);
    return [{ key: "pixels", words: photo.width && photo.height ? `${photo.width} × ${photo.height}` : "" },
        { key: "size", words: bytes(photo.size) }, { key: "type", words: shortType(photo) },
        { key: "date", words: dayAndTimeOf(timeOf(photo)) }, { key: "edited", words: isEdited ? t("duplicates.edited") : "" },
        { key: "name", words: photo.name }];
}

/** The keys of what is not the same for all.
 * @param {Fact[][]} facts @returns {Set<string>} */
export function differing(facts) {
    const keys = facts[0]?.map(({ key }) => key) ?? [];
    return new Set(keys.filter((_, index) => new Set(facts.map((one) => one[index].words)).size > 1));
}

/** The picture as small as it is compared; null where it cannot be read.
 * @param {HTMLImageElement} image @returns {Uint8ClampedArray | null} */
function pixelsOf(image) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [side, side];
    const context = canvas.getContext("2d", { willReadFrequently: true });
    if (!context || image.naturalWidth === 0) return null;
    context.drawImage(image, 0, 0, side, side);
    return context.getImageData(0, 0, side, side).data;
}

/** Where two pictures of `side` by `side` pixels are not the same, as boxes in parts of their width and height. One that is
 * brighter all over differs nowhere.
 * @param {Uint8ClampedArray} one @param {Uint8ClampedArray} other @returns {Box[]} */
export function placesThatDiffer(one, other) {
    const colours = [0, 1, 2];
    const means = [one, other].map((rgba) => colours.map((colour) => {
        let sum = 0;
        for (let index = colour; index < rgba.length; index += 4) sum += rgba[index];
        return sum / (side * side);
    }));
    const count = side / square;
    const isOther = Array.from({ length: count * count }, (_, place) => {
        const sums = [0, 0, 0];
        for (let index = 0; index < square * square; index += 1) {
            const pixel = (Math.floor(place / count) * square + Math.floor(index / square)) * side + (place % count) * square + index % square;
            for (const colour of colours) {
                sums[colour] += Math.abs(one[4 * pixel + colour] - means[0][colour] - other[4 * pixel + colour] + means[1][colour]);
            }
        }
        return Math.max(...sums) / (square * square) >= least;
    });
    return boxes(isOther, count);
}

/** @typedef {{left: number, top: number, width: number, height: number}} Box */

/** Squares that touch each other are one box.
 * @param {boolean[]} marked @param {number} count @returns {Box[]} */
function boxes(marked, count) {
    const left = new Set(marked.flatMap((isMarked, place) => (isMarked ? [place] : [])));
    /** @type {Box[]} */ const found = [];
    for (const start of left) {
        const open = [start];
        left.delete(start);
        let [west, east, north, south] = [count, 0, count, 0];
        for (let place = open.pop(); place !== undefined; place = open.pop()) {
            const [x, y] = [place % count, Math.floor(place / count)];
            [west, east, north, south] = [Math.min(west, x), Math.max(east, x + 1), Math.min(north, y), Math.max(south, y + 1)];
            for (const [nextX, nextY] of [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]) {
                const next = nextY * count + nextX;
                if (nextX >= 0 && nextX < count && left.delete(next)) open.push(next);
            }
        }
        found.push({ left: west / count, top: north / count, width: (east - west) / count, height: (south - north) / count });
    }
    return found;
}

/** @typedef {{pictures: Pictures,
 *     onRemove: (photos: Photo[], onChange: (ids: string[] | null) => void) => Promise<boolean>}} DuplicatesOptions */

/** @typedef {{element: HTMLElement, photos: Photo[], isBurst: boolean, note: HTMLElement | null}} Group */

/** Seconds for which the host may wait for what it compares. */
const longestWait = 10;

export class DuplicatesScreen {
    /** @type {string | null} */ cursor = null;

    /** `onRemove(photos, onChange)` asks, and moves them to "Recently deleted"; `onChange(ids)` hears of it, of null where they
     * came back.
     * @param {DuplicatesOptions} options */
    constructor({ pictures, onRemove }) {
        this.pictures = pictures;
        this.onRemove = onRemove;
        this.title = t("duplicates.title");
        /** @type {Group[]} */
        this.groups = [];
        /** @type {Map<string, Photo>} */
        this.picked = new Map();
        /** What somebody has picked or left stays as it is. @type {Set<string>} */
        this.touched = new Set();
        this.copies = el("div", { class: "twins" });
        this.bursts = el("div", { class: "twins" });
        this.burstPart = el("section", { hidden: true }, el("h2", {}, t("duplicates.bursts")),
            el("p", { class: "note" }, t("duplicates.burstsNote")), this.bursts);
        this.state = el("div", { role: "status" });
        this.unseen = el("p", { class: "note", hidden: true });
        this.more = el("button", { class: "button", type: "button", hidden: true, onclick: () => this.load() }, t("duplicates.more"));
        this.words = el("span", { class: "figures" });
        this.action = el("button", { class: "button is-danger-main", type: "button", onclick: () => this.removeChosen() });
        this.bar = el("div", { class: "twins-bar", hidden: true }, this.words, this.action);
        this.note = el("p", { class: "note", hidden: true }, t("duplicates.note"));
        this.element = el("div", { class: "alike" }, el("header", { class: "top" },
            backLink("#/settings"), el("h1", { tabindex: "-1" }, this.title)),
        el("div", { class: "set is-wide" }, this.note, this.unseen, this.copies, this.burstPart, this.state, this.more), this.bar);
        this.stop = new AbortController();
        document.addEventListener("keydown", (event) => this.key(event), { signal: this.stop.signal });
        this.load();
    }

    /** One key keeps all of the group that somebody is in, else of the first in sight (WCAG 2.1.4: it can be switched off).
     * @param {KeyboardEvent} event */
    key(event) {
        const isElsewhere = /** @type {Element} */ (event.target).closest("dialog, input, textarea, select");
        if (event.key !== "k" || isElsewhere || event.ctrlKey || event.metaKey || event.altKey || preference("letters", "on") !== "on") return;
        const groups = this.groups.filter(({ isBurst }) => !isBurst);
        const group = groups.find(({ element }) => element.contains(document.activeElement))
            ?? groups.find(({ element }) => element.getBoundingClientRect().bottom > 0.3 * innerHeight);
        if (!group) return;
        event.preventDefault();
        this.keepApart(group);
    }

    dispose() {
        this.stop.abort();
        for (const image of this.element.querySelectorAll("img")) this.pictures.cancel(image);
    }

    /** What is shown stays: another device may change it meanwhile, and then the host says no. */
    renew() {}

    /** The next of them; who has pressed for more has the focus on the first that is new. */
    async load() {
        this.more.hidden = true;
        setText(this.state, t("duplicates.looking"));
        const { signal } = this.stop;
        try {
            const page = this.cursor;
            const { groups, bursts, cursor, unseen, comparing } = await this.ask(page);
            this.cursor = cursor;
            for (const { photos, copies } of groups) this.add(photos, copies, false);
            for (const { photos, copies } of bursts) this.add(photos, copies, true);
            this.say(unseen);
            this.state.replaceChildren();
            this.draw();
            if (comparing > 0) await this.follow(page);
        } catch (error) {
            if (signal.aborted) return;
            this.state.replaceChildren(el("div", { class: "notice" }, icon("warning"), el("div", {}, el("p", {}, describe(error)),
                el("button", { class: "link", type: "button", onclick: () => this.load() }, t("retry")))));
        }
    }

    /** @param {string | null} cursor @param {number} [wait] */
    ask(cursor, wait = 0) {
        const wishes = new URLSearchParams({ ...(cursor ? { cursor } : {}), ...(wait ? { wait: String(wait) } : {}) });
        return api.request("GET", `/api/duplicates?${wishes}`, undefined, { signal: this.stop.signal, patience: Infinity });
    }

    /** @param {number} unseen */
    say(unseen) {
        this.unseen.hidden = unseen === 0;
        setText(this.unseen, t("duplicates.unseen", { n: unseen }));
    }

    /** Asks again until the host has compared what is on a page, and picks what turns out to be a copy.
     * @param {string | null} page */
    async follow(page) {
        for (let left = 1; left > 0;) {
            const { groups, unseen, comparing } = await this.ask(page, longestWait);
            const copies = new Set(groups.flatMap((/** @type {{copies: string[]}} */ group) => group.copies));
            for (const group of this.groups) this.pick(group, copies);
            this.say(unseen);
            this.draw();
            left = comparing;
        }
    }

    /** @param {Group} group @param {Set<string>} copies */
    pick({ element, photos, note }, copies) {
        const found = photos.filter(({ id }) => copies.has(id));
        if (note && found.length > 0) note.hidden = true;
        for (const photo of found.filter(({ id }) => !this.touched.has(id))) {
            this.picked.set(photo.id, photo);
            element.querySelector(`li[data-id="${CSS.escape(photo.id)}"] button`)?.setAttribute("aria-pressed", "true");
        }
    }

    /** @param {Photo[]} photos @param {string[]} copies @param {boolean} isBurst */
    add(photos, copies, isBurst) {
        const note = isBurst ? null : el("p", { class: "note" }, t("duplicates.alike"));
        const facts = photos.map(factsOf);
        const differ = differing(facts);
        const tiles = el("ul", { class: "twin", "aria-label": t("duplicates.group", { n: photos.length }) },
            ...photos.map((photo, place) => this.tile(photo, !isBurst && place === 0, { facts: facts[place], differ })));
        this.compare(photos, tiles);
        /** @type {Group} */
        const group = { photos, isBurst, note, element: el("div", { class: "twin-group" }, tiles, note,
            isBurst ? null : el("button", { class: "button is-small", type: "button", onclick: () => this.keepApart(group) },
                t(photos.length > 2 ? "duplicates.keepAll" : "duplicates.keepBoth"), el("kbd", { class: "only-pointer", "aria-hidden": "true" }, "K"))) };
        this.groups.push(group);
        this.pick(group, new Set(copies));
        (isBurst ? this.bursts : this.copies).append(group.element);
    }

    /** They are no doubles, now and from now on.
     * @param {Group} group */
    async keepApart({ photos }) {
        const ids = photos.map(({ id }) => id);
        /** @param {boolean} on */
        const say = async (on) => {
            try {
                await api.inParts("POST", "/api/duplicates/apart", ids, { on });
                return true;
            } catch (error) {
                toast(describe(error));
                return false;
            }
        };
        if (!await say(true)) return;
        this.forget(ids);
        toast(t("duplicates.apartDone"), { action: t("undo"), run: async () => { if (await say(false)) this.begin(); } });
    }

    /** @param {Photo} photo @param {boolean} isBest
     * @param {{facts: Fact[], differ: Set<string>}} known */
    tile(photo, isBest, { facts, differ }) {
        const image = el("img", { alt: "", draggable: "false" });
        turn(image, photo);
        // Large enough to see what differs; it comes with what is near the window.
        const large = el("img", { class: "is-large", alt: "", draggable: "false", loading: "lazy", src: previewPath(photo) });
        large.addEventListener("load", () => large.classList.add("is-here"));
        turn(large, photo);
        const face = el("span", { class: "face" }, image, ...(photo.picture === "made" ? [large] : []));
        if (photo.colour) face.style.setProperty("background-color", photo.colour);
        // Files are compared, whatever part of them is shown.
        this.pictures.showSoon(image, { ...photo, edit: undefined }, () => { image.className = "is-here"; });
        const words = facts.filter(({ words }) => words).map(({ key, words }) =>
            el(differ.has(key) ? "mark" : "span", { class: `small figures${key === "name" ? " twin-name" : ""}` }, words));
        /** @type {HTMLButtonElement} */
        const button = el("button", { class: "twin-tile", type: "button", "aria-pressed": String(this.picked.has(photo.id)),
            "aria-label": t(isBest ? "duplicates.best" : "duplicates.tile", { label: photoLabel(photo), size: bytes(photo.size) }),
            onclick: () => this.toggle(photo, button) }, el("span", { class: "twin-face" }, face, el("span", { class: "mark" })),
        photo.favourite ? icon("heart", "twin-heart") : null,
        isBest ? el("strong", { class: "small" }, t("duplicates.keep")) : null, el("span", { class: "twin-facts" }, ...words));
        const element = el("li", {}, button);
        element.dataset.id = photo.id;
        return element;
    }

    /** @param {Photo} photo @param {HTMLElement} button */
    toggle(photo, button) {
        this.touched.add(photo.id);
        if (!this.picked.delete(photo.id)) this.picked.set(photo.id, photo);
        button.setAttribute("aria-pressed", String(this.picked.has(photo.id)));
        this.draw();
    }

    /** Marks where the others are not as the best is, once both are here; of another shape nobody can say it.
     * @param {Photo[]} photos @param {HTMLElement} tiles */
    compare(photos, tiles) {
        const images = [...tiles.querySelectorAll("li")].map((tile) => /** @type {HTMLImageElement | null} */ (tile.querySelector(".is-large")));
        const [best, ...others] = images;
        if (!best) return;
        /** @param {Photo} photo */
        const shape = ({ width = 0, height = 1 }) => width / height;
        others.forEach((other, index) => {
            const photo = photos[index + 1];
            const isSameShape = Math.abs(shape(photo) / shape(photos[0]) - 1) < 0.02 && (photo.rotation ?? 0) === (photos[0].rotation ?? 0);
            if (!other || !isSameShape) return;
            const mark = () => {
                if (this.stop.signal.aborted || !best.complete || !other.complete) return;
                const [one, two] = [pixelsOf(best), pixelsOf(other)];
                const places = one && two ? placesThatDiffer(one, two) : [];
                for (const image of places.length > 0 ? [best, other] : []) drawPlaces(/** @type {HTMLElement} */ (image.parentElement), places);
            };
            for (const image of [best, other]) image.addEventListener("load", mark);
        });
    }

    async removeChosen() {
        await this.onRemove([...this.picked.values()], (ids) => {
            if (ids) this.forget(ids);
            else this.begin();
        });
    }

    /** What is gone leaves its group; a group of one is none.
     * @param {string[]} ids */
    forget(ids) {
        const gone = new Set(ids);
        for (const id of ids) this.picked.delete(id);
        for (const group of this.groups) {
            group.photos = group.photos.filter(({ id }) => !gone.has(id));
            for (const tile of group.element.querySelectorAll("li")) {
                if (gone.has(tile.dataset.id ?? "")) tile.remove();
            }
        }
        for (const { element } of this.groups.filter(({ photos }) => photos.length < 2)) element.remove();
        this.groups = this.groups.filter(({ photos }) => photos.length > 1);
        this.draw();
        /** @type {HTMLElement} */ (this.element.querySelector("h1")).focus();
    }

    /** From the beginning, as the host has it now. */
    begin() {
        if (this.stop.signal.aborted) return;
        this.groups = [];
        this.picked.clear();
        this.touched.clear();
        this.cursor = null;
        for (const part of [this.copies, this.bursts]) part.replaceChildren();
        this.load();
    }

    draw() {
        const [copies, bursts] = [false, true].map((isBurst) => this.groups.filter((group) => group.isBurst === isBurst).length);
        this.note.hidden = copies === 0;
        this.burstPart.hidden = bursts === 0;
        this.more.hidden = this.cursor === null;
        const n = this.picked.size;
        this.bar.hidden = n === 0;
        setText(this.words, `${t("pick.count", { n })} · ${bytes(bytesOf([...this.picked.values()]))}`);
        setText(this.action, t("delete.action", { n }));
        if (copies + bursts === 0 && this.cursor === null && !this.state.firstChild) {
            this.state.replaceChildren(el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("duplicates.none")),
                el("p", { class: "note" }, t("duplicates.noneNote"))));
        }
    }
}

/** @param {HTMLElement} face @param {Box[]} places */
function drawPlaces(face, places) {
    for (const old of face.querySelectorAll(".differs")) old.remove();
    face.append(...places.map((place) => {
        const box = el("i", { class: "differs" });
        for (const [name, part] of Object.entries(place)) box.style.setProperty(name, `${100 * part}%`);
        return box;
    }));
}
