// What is given at a door, from the moment it is chosen to the moment it is taken.
import { el, icon, reconcile, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { fetchThumbnails, pictureType } from "../photos/thumbnails.js";

/**
 * @typedef {object} Gift
 * @property {string} name
 * @property {Item | null} item the file of this device that it is, where it was chosen in this page
 * @property {string | null} id of its photo at the host
 * @property {"waiting" | "going" | "saved" | "taken" | "failed"} state
 */

export class Gifts {
    constructor() {
        /** @type {Gift[]} */
        this.all = [];
    }

    /**
     * What the host has of this browser already.
     * @param {Photo[]} photos
     */
    list(photos) {
        const known = new Set(this.all.map(({ id }) => id));
        for (const { id, name } of photos) {
            if (!known.has(id)) this.all.push({ name, item: null, id, state: "saved" });
        }
    }

    /** @param {Item[]} items */
    add(items) {
        for (const item of items) this.all.push({ name: item.name, item, id: null, state: "waiting" });
    }

    /**
     * Follows the queue. Gives those that the host has since; what was chosen twice is one gift from then on.
     * @returns {Gift[]}
     */
    follow() {
        /** @type {Gift[]} */
        const saved = [];
        for (const gift of this.all) {
            const { item, state } = gift;
            if (!item || state === "saved" || state === "taken") continue;
            if (item.state !== "saved") {
                gift.state = item.state === "uploading" ? "going" : item.state ?? "waiting";
                continue;
            }
            gift.id = item.photo;
            // It was not sent: this browser gave it before, and it was taken.
            gift.state = item.photo === null ? "taken" : "saved";
            saved.push(gift);
        }
        if (saved.length > 0) this.dropTwins();
        return saved;
    }

    dropTwins() {
        const ids = new Set();
        this.all = this.all.filter(({ id }) => {
            const isTwin = id !== null && ids.has(id);
            ids.add(id);
            return !isTwin;
        });
    }

    /** The host has no space of this browser any more: what it had is where it was meant to go. */
    take() {
        for (const gift of this.all) if (gift.state === "saved") gift.state = "taken";
    }

    /** @param {Gift} gift */
    remove(gift) {
        this.all = this.all.filter((one) => one !== gift);
    }

    /** @param {...Gift["state"]} states */
    in(...states) {
        return this.all.filter(({ state }) => states.includes(state));
    }
}

// What somebody has given, as small pictures with what became of each, and a way back until it is taken.

/** So many at first, and so many more each time. */
const step = 60;
const perRequest = 24;
/** Seconds that the host may take for a picture that it is making. */
const wait = 15;
/** @type {Record<Gift["state"], string | null>} */
const signs = { waiting: "clock", going: null, saved: "tick", taken: "done", failed: "warning" };

export class GiftTiles {
    /**
     * `pictureOf(item)` makes the picture of a file of this device; `onRemove(gift)` takes one back.
     * @param {{pictureOf: (item: Item) => Promise<Blob | null>, onRemove: (gift: Gift) => void}} options
     */
    constructor({ pictureOf, onRemove }) {
        this.pictureOf = pictureOf;
        this.onRemove = onRemove;
        this.shown = step;
        /** @type {Gift[]} */
        this.gifts = [];
        /** @type {Map<Gift, Tile>} */
        this.tiles = new Map();
        this.list = el("ul", { class: "gifts" });
        this.more = el("button", { class: "button is-wide", type: "button", hidden: true, onclick: () => {
            this.shown += step;
            this.draw(this.gifts);
        } });
        this.element = el("div", { class: "gift-list" }, this.list, this.more);
        this.stop = new AbortController();
    }

    dispose() {
        this.stop.abort();
        for (const tile of this.tiles.values()) tile.dispose();
    }

    /** @param {Gift[]} gifts */
    draw(gifts) {
        this.gifts = gifts;
        const drawn = gifts.slice(0, this.shown);
        const kept = new Set(drawn);
        for (const [gift, tile] of this.tiles) {
            if (kept.has(gift)) continue;
            tile.dispose();
            this.tiles.delete(gift);
        }
        const fresh = drawn.filter((gift) => !this.tiles.has(gift));
        for (const gift of fresh) this.tiles.set(gift, new Tile(gift, () => this.onRemove(gift)));
        const tiles = drawn.map((gift) => /** @type {Tile} */ (this.tiles.get(gift)));
        for (const tile of tiles) tile.draw();
        reconcile(this.list, tiles.map(({ element }) => element));
        this.more.hidden = gifts.length <= this.shown;
        setText(this.more, t("give.more", { n: gifts.length - this.shown }));
        for (const gift of fresh) if (gift.item) this.makePicture(gift, gift.item);
        this.fetchPictures(fresh.filter(({ item, id }) => !item && id));
    }

    /**
     * @param {Gift} gift
     * @param {Item} item
     */
    async makePicture(gift, item) {
        const picture = await this.pictureOf(item);
        if (picture) this.tiles.get(gift)?.show(picture);
    }

    /** @param {Gift[]} gifts */
    async fetchPictures(gifts) {
        for (let start = 0; start < gifts.length; start += perRequest) {
            const some = gifts.slice(start, start + perRequest);
            try {
                await fetchThumbnails(some.map(({ id }) => /** @type {string} */ (id)), { wait, signal: this.stop.signal },
                    (index, { kind, content }) => {
                        const picture = new Blob([/** @type {BlobPart} */ (content)], { type: pictureType(content) });
                        if (kind === "picture") this.tiles.get(some[index])?.show(picture);
                    });
            } catch {
                // The name stands there all the same, and the file is safe.
                return;
            }
        }
    }
}

class Tile {
    /** @type {Gift["state"] | null} */
    state = null;
    /** @type {string | null} */
    address = null;

    /**
     * @param {Gift} gift
     * @param {() => void} onRemove
     */
    constructor(gift, onRemove) {
        this.gift = gift;
        this.face = el("span", { class: "gift-face" }, icon(gift.item?.rank === 2 ? "play" : "photos"));
        this.mark = el("span", { class: "gift-mark" });
        this.words = el("span", { class: "unseen" });
        this.remove = el("button", { class: "round gift-back", type: "button", "aria-label": t("give.takeBack", { name: gift.name }),
            onclick: onRemove }, icon("close", "is-small"));
        this.element = el("li", { class: "gift" }, this.face, el("span", { class: "unseen" }, gift.name), this.mark, this.words,
            this.remove);
    }

    draw() {
        const { state } = this.gift;
        if (this.state === state) return;
        this.state = state;
        this.element.dataset.state = state;
        const sign = signs[state];
        this.mark.replaceChildren(sign ? icon(sign, "is-small") : el("i", {}));
        setText(this.words, t(`give.state.${state}`));
        this.remove.hidden = state === "taken";
    }

    /** @param {Blob} picture */
    show(picture) {
        this.forget();
        this.address = URL.createObjectURL(picture);
        this.face.replaceChildren(el("img", { src: this.address, alt: "", draggable: "false" }));
    }

    forget() {
        if (this.address) URL.revokeObjectURL(this.address);
    }

    dispose() {
        this.forget();
        this.element.remove();
    }
}
