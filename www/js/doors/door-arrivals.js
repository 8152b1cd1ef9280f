// What came through a door that looks first: each is taken or refused, or all at once. What was refused lies under
// "Recently deleted".
import * as api from "../base/api.js";
import { inParts, request } from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { describe, language, t } from "../base/i18n.js";
import { emptyLine } from "../elements/pieces.js";
import { openSheet, toast } from "../elements/dialog.js";
import { photoLabel, turn } from "../photos/photo-words.js";

// What the host does with the doors of the open vault, and with what came through them.

/** @param {string} id */
const path = (id) => `/api/doors/${encodeURIComponent(id)}`;

/** @returns {Promise<Door[]>} */
export const doors = async () => (await request("GET", "/api/doors")).doors;

/** @param {DoorFields} fields @returns {Promise<Door>} */
export const makeDoor = (fields) => request("POST", "/api/doors", fields);

/** @param {string} id @param {Partial<DoorFields> & {isShut?: boolean}} fields @returns {Promise<Door>} */
export const changeDoor = (id, fields) => request("PATCH", path(id), fields);

/** Takes in first what came and is not taken yet.
 * @param {string} id */
export const removeDoor = (id) => request("DELETE", path(id), undefined, { patience: Infinity });

/** @param {string} id */
export const codePicture = (id) => `${path(id)}/code.svg?link=1`;

/** @returns {Promise<DoorNews[]>} */
export const news = async () => (await request("GET", "/api/doors/news")).news;

const dismissNews = () => request("DELETE", "/api/doors/news");

/** @returns {Promise<Photo[]>} */
export const waiting = async () => (await request("GET", "/api/doors/waiting")).photos;

/** @param {string[]} ids */
export const take = (ids) => inParts("POST", "/api/doors/waiting/take", ids);

/** To "Recently deleted", from where they can be had back.
 * @param {string[]} ids */
export const refuse = (ids) => inParts("POST", "/api/doors/waiting/refuse", ids);

/** Why something that came is still outside.
 * @param {string | undefined} code */
export const obstacleWords = (code) => t(code === "vault-full" || code === "disk-full" ? "doors.full" : "doors.stuck");

/** So many are drawn at first, and so many more each time. */
const step = 120;

export class WaitingScreen {
    /** @type {Photo[]} */ photos = [];
    drawnCount = step;

    /** `onTaken()` is called when photos have come to the others.
     * @param {{pictures: Pictures, onTaken: () => void}} options */
    constructor({ pictures, onTaken }) {
        this.pictures = pictures;
        this.onTaken = onTaken;
        this.title = t("waiting.title");
        /** @type {Map<string, HTMLElement>} */
        this.tiles = new Map();
        this.items = el("ul", { class: "door-waiting" });
        this.more = el("button", { class: "button", type: "button", hidden: true, onclick: () => {
            this.drawnCount += step;
            this.draw();
        } }, t("waiting.more"));
        this.state = el("div", { role: "status" });
        this.takeAll = el("button", { class: "button is-main is-small", type: "button", onclick: () => this.settle(this.photos, true) });
        this.refuseAll = el("button", { class: "button is-small", type: "button", onclick: () => this.settle(this.photos, false) });
        this.head = el("div", { class: "waiting-head", hidden: true }, el("p", { class: "note" }, t("waiting.note")),
            el("div", { class: "ends" }, this.takeAll, this.refuseAll));
        this.element = el("div", { class: "alike" }, el("header", { class: "top" },
            el("a", { class: "round", href: "#/settings", "aria-label": t("back") }, icon("left")), el("h1", { tabindex: "-1" }, this.title)),
        el("div", { class: "set is-wide" }, this.head, this.items, this.more, this.state));
        this.isOpen = true;
        this.load();
    }

    dispose() {
        this.isOpen = false;
        for (const image of this.element.querySelectorAll("img")) this.pictures.cancel(image);
    }

    /** More may have come. */
    renew() { this.load(); }

    async load() {
        try {
            const photos = await waiting();
            if (!this.isOpen) return;
            this.photos = photos;
            this.draw();
        } catch (error) {
            if (this.isOpen && !(error instanceof api.Unreachable)) this.state.replaceChildren(el("p", { class: "note" }, describe(error)));
        }
    }

    draw() {
        const drawn = this.photos.slice(0, this.drawnCount);
        const kept = new Set(drawn.map(({ id }) => id));
        for (const [id, tile] of this.tiles) {
            if (kept.has(id)) continue;
            for (const image of tile.querySelectorAll("img")) this.pictures.cancel(image);
            tile.remove();
            this.tiles.delete(id);
        }
        for (const photo of drawn) {
            if (this.tiles.has(photo.id)) continue;
            const tile = this.tile(photo);
            this.tiles.set(photo.id, tile);
            this.items.append(tile);
        }
        const n = this.photos.length;
        this.head.hidden = n === 0;
        this.more.hidden = n <= this.drawnCount;
        setText(this.takeAll, t("waiting.takeAll", { n }));
        setText(this.refuseAll, t("waiting.refuseAll", { n }));
        if (n > 0) this.state.replaceChildren();
        else if (!this.state.firstChild) {
            this.state.replaceChildren(el("div", { class: "empty" }, emptyLine(), el("h2", {}, t("waiting.none")),
                el("p", { class: "note" }, t("waiting.noneNote"))));
        }
    }

    /** @param {Photo} photo */
    tile(photo) {
        const image = el("img", { alt: photoLabel(photo), draggable: "false" });
        turn(image, photo);
        const face = el("button", { class: "waiting-face", type: "button", onclick: () => this.showLarge(photo) }, image);
        this.pictures.showSoon(image, photo, () => { image.className = "is-here"; });
        const { door, giver } = /** @type {NonNullable<Photo["given"]>} */ (photo.given);
        const who = giver ? t("waiting.who", { giver, door: door.name }) : door.name;
        return el("li", {}, face, el("p", { class: "small" }, who), this.decisions(photo));
    }

    /** @param {Photo} photo @param {() => void} [first] */
    decisions(photo, first = () => {}) {
        /** @type {(key: string, isTaken: boolean) => HTMLElement} */
        const choice = (key, isTaken) => el("button", { class: "button is-small", type: "button",
            "aria-label": `${t(key)}: ${photo.name}`, onclick: () => {
                first();
                this.settle([photo], isTaken);
            } }, t(key));
        return el("div", { class: "ends" }, choice("waiting.take", true), choice("waiting.refuse", false));
    }

    /** As large as the window lets it be, to decide by.
     * @param {Photo} photo */
    async showLarge(photo) {
        const image = el("img", { class: "waiting-large", alt: photoLabel(photo) });
        turn(image, photo);
        const sheet = openSheet({ title: photo.name, content: [image, this.decisions(photo, () => sheet.close())] });
        sheet.dialog.classList.add("is-large");
        const stop = new AbortController();
        let address = "";
        sheet.closed.then(() => {
            stop.abort();
            URL.revokeObjectURL(address);
        });
        try {
            const picture = await api.blob(api.previewPath(photo), stop.signal);
            if (stop.signal.aborted) return;
            address = URL.createObjectURL(picture);
            image.src = address;
        } catch (error) {
            if (!stop.signal.aborted) image.replaceWith(el("p", { class: "note" }, describe(error)));
        }
    }

    /** @param {Photo[]} photos @param {boolean} isTaken */
    async settle(photos, isTaken) {
        const ids = photos.map(({ id }) => id);
        const place = this.photos.indexOf(photos[0]);
        try {
            await (isTaken ? take : refuse)(ids);
        } catch (error) {
            toast(describe(error));
            return;
        }
        const gone = new Set(ids);
        this.photos = this.photos.filter(({ id }) => !gone.has(id));
        this.draw();
        this.focusAt(place);
        const n = ids.length;
        announce(t(isTaken ? "waiting.taken" : "waiting.refused", { n }));
        // What was refused can be had back as everything that was deleted: then it is among the photos.
        toast(t(isTaken ? "waiting.taken" : "waiting.refused", { n }), isTaken ? {} : { action: t("undo"), run: () => this.takeAgain(ids) });
        if (isTaken) this.onTaken();
    }

    /** @param {string[]} ids */
    async takeAgain(ids) {
        try {
            await api.restore(ids);
            toast(t("waiting.taken", { n: ids.length }));
            this.onTaken();
        } catch (error) {
            toast(describe(error));
        }
    }

    /** Whoever goes through them by keyboard stays where they were.
     * @param {number} place */
    focusAt(place) {
        const next = this.photos[Math.min(place, this.photos.length - 1)];
        const button = next && this.tiles.get(next.id)?.querySelector("button");
        if (button) button.focus();
        else /** @type {HTMLElement} */ (this.element.querySelector("h1")).focus();
    }
}

// What came through the doors of this vault since somebody last heard of it: said above the photos, until it is dismissed.

const mostNamed = 4;

/** @typedef {(albumID: string) => unknown} Show */

export class DoorsNews {
    /** @type {Promise<void> | null} */ asking = null;
    said = "";

    /** `onShow(albumID)` leads to the album of a door, or, of null, to where new photos are.
     * @param {{onShow: (albumID: string | null) => unknown}} options */
    constructor({ onShow }) {
        this.onShow = onShow;
        this.element = el("div", { class: "door-news" });
    }

    /** Asks the host, one question at a time; without an answer, what is said stays. */
    ask() {
        this.isStale = true;
        this.asking ??= this.fetch().finally(() => { this.asking = null; });
        return this.asking;
    }

    async fetch() {
        while (this.isStale) {
            this.isStale = false;
            const all = await news().catch(() => null);
            if (all) this.draw(all);
        }
    }

    dispose() {
        this.isStale = false;
        this.element.replaceChildren();
    }

    /** @param {DoorNews[]} all */
    draw(all) {
        const lines = all.filter(({ count }) => count > 0);
        const stuck = all.filter(({ obstacle }) => obstacle);
        this.element.replaceChildren(...lines.map((one) => this.notice(one)), ...stuck.map(stuckNotice));
        const words = [...lines.map(cameWords), ...stuck.flatMap(({ door, obstacle }) => [door.name, obstacleWords(obstacle)])]
            .join(t("space"));
        if (words !== "" && words !== this.said) announce(words);
        this.said = words;
    }

    /** @param {DoorNews} one */
    notice(one) {
        const waits = one.waiting > 0;
        const show = waits ? el("a", { class: "link", href: "#/waiting" }, t("waiting.look"))
            : el("button", { class: "link", type: "button", onclick: () => this.show(one) }, t("up.show"));
        return el("section", { class: "bar-line is-result is-door" }, icon("save", "is-small"),
            el("div", {}, el("p", { class: "figures" }, el("strong", {}, cameWords(one))),
                waits ? el("p", { class: "note" }, t("doors.waiting", { n: one.waiting })) : null, show),
            el("button", { class: "round", type: "button", "aria-label": t("doors.dismiss"), onclick: () => this.dismiss() },
                icon("close", "is-small")));
    }

    /** @param {DoorNews} one */
    async show({ door }) {
        const known = await doors().catch(() => []);
        this.onShow(known.find(({ id }) => id === door.id)?.albumID ?? null);
    }

    /** For good: the vault remembers that it was told. */
    async dismiss() {
        try {
            await dismissNews();
            this.element.replaceChildren();
            this.said = "";
        } catch (error) {
            toast(describe(error));
        }
    }
}

/** It stays until what came is in.
 * @param {DoorNews} one */
const stuckNotice = ({ door, obstacle }) => el("section", { class: "bar-line is-result is-door" }, icon("warning", "is-small"),
    el("div", {}, el("p", {}, el("strong", {}, door.name)), el("p", { class: "note" }, obstacleWords(obstacle))));

/** "47 photos came through “Anna & Tom”, from Mia, Jo and somebody".
 * @param {DoorNews} news */
export function cameWords({ door: { name }, count: n, givers, unnamed }) {
    const rest = givers.length - mostNamed;
    const named = [...givers.slice(0, mostNamed), ...(rest > 0 ? [t("doors.others", { n: rest })] : []),
        ...(unnamed > 0 && givers.length > 0 ? [t("doors.somebody")] : [])];
    if (named.length === 0) return t("doors.cameThrough", { n, name });
    const who = new Intl.ListFormat(language(), { type: "conjunction" }).format(named);
    return t("doors.cameFrom", { n, name, who });
}
