// A visit at a door: its code, what the host says of it, and what this tab has given. The code is in no address: it came
// behind `#`, which browsers send to nobody, and goes in bodies alone.
import * as api from "../base/api.js";
import { el, icon, reconcile, setText } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { fetchThumbnails, pictureType } from "../photos/thumbnails.js";

const key = "safelight.give";
/** As a door's link has it, with its name; whoever types one may put hyphens, and no name. */
const written = /^#([0-9A-Za-z-]{28,40})(?:\/[\w-]*)?$/;
/** Writing down what was given takes longer, the more it is. */
const pause = 500;

export class Visit {
    /** What the host says of the door; null before that, and where there is none.
     * @type {Look | null} */
    door = null;
    /** The host has a space for this browser. */
    isIn = false;
    /** @type {ReturnType<typeof setTimeout> | null} */ timer = null;
    /** A browser has one space at a time: tabs tell each other that they went to a door. */
    tabs = new BroadcastChannel("safelight-give");

    /** @param {{onMoved: () => void}} options called when this browser may have its space at another door from now on */
    constructor({ onMoved }) {
        this.tabs.onmessage = ({ data }) => { if (data !== this.door?.id) onMoved(); };
        const stored = read();
        const code = takeCode() ?? stored.code;
        this.code = code;
        /** Client ids of files with the ids of their photos; empty once those were taken.
         * @type {Map<string, string>} */
        this.given = new Map(code === stored.code ? stored.given : []);
        this.write();
        window.addEventListener("pagehide", () => this.write());
    }

    /** @returns {Promise<Look>} */
    async look() {
        return this.note(await api.request("POST", "/api/look", { code: this.code }));
    }

    /** Whatever is asked from now on is about this door, not about that of another tab.
     * @param {Look} door */
    note(door) {
        this.door = door;
        api.sendAlways({ "Safelight-Door": door.id });
        return door;
    }

    /** The space that this browser has at a door, or null.
     * @returns {Promise<GivingSession | null>} */
    async session() {
        try {
            const session = await api.request("GET", "/api/session");
            this.isIn = true;
            return session;
        } catch (error) {
            if (!(error instanceof api.Problem) || error.status !== 401) throw error;
            this.isIn = false;
            return null;
        }
    }

    /** The door at which this browser has a space now, or null where it has none: only the host knows, since all tabs have
     * one cookie.
     * @returns {Promise<string | null>} */
    async whereNow() {
        try {
            return (await api.request("GET", "/api/session", undefined, { own: {} })).door.id;
        } catch (error) {
            if (!(error instanceof api.Problem) || error.status !== 401) throw error;
            return null;
        }
    }

    /** A space for what is given from here: the one of this browser where it is still there.
     * @param {string} giver */
    async enter(giver) {
        const door = this.note(await api.request("POST", "/api/enter", { code: this.code, ...(giver ? { giver } : {}) }));
        this.tabs.postMessage(door.id);
        this.isIn = true;
        return door;
    }

    /** All that was given and is not taken yet.
     * @returns {Promise<Photo[]>} */
    async photos() {
        /** @type {Photo[]} */ const all = [];
        /** @type {string | null} */ let cursor = null;
        do {
            const page = /** @type {PhotoPage} */ (await api.photos(cursor));
            all.push(...page.photos);
            ({ cursor } = page);
        } while (cursor);
        return all;
    }

    /** Takes one back, for good.
     * @param {string} id */
    async takeBack(id) {
        await api.request("DELETE", `/api/photos/${encodeURIComponent(id)}`);
        for (const [cid, photo] of this.given) if (photo === id) this.given.delete(cid);
        this.write();
    }

    /** @param {string} cid @param {string} id */
    noteGiven(cid, id) {
        this.given.set(cid, id);
        this.timer ??= setTimeout(() => this.write(), pause);
    }

    /** All of it is where it was meant to go. */
    noteTaken() {
        for (const cid of this.given.keys()) this.given.set(cid, "");
        this.write();
    }

    get taken() { return [...this.given.values()].filter((id) => id === "").length; }

    write() {
        clearTimeout(this.timer);
        this.timer = null;
        try {
            sessionStorage.setItem(key, JSON.stringify({ code: this.code, given: [...this.given] }));
        } catch {
            // Storage may be refused, or full: after a reload the code has to be scanned again.
        }
    }
}

/** @returns {string | null} */
function takeCode() {
    const code = written.exec(location.hash)?.[1]?.replaceAll("-", "") ?? null;
    if (location.hash) history.replaceState(null, "", location.pathname + location.search);
    return code;
}

/** @returns {{code: string | null, given: [string, string][]}} */
function read() {
    try {
        const { code = null, given = [] } = JSON.parse(sessionStorage.getItem(key) ?? "{}");
        return { code, given };
    } catch {
        return { code: null, given: [] };
    }
}

// What is given at a door, from the moment it is chosen to the moment it is taken.

/** @typedef {object} Gift
 * @property {string} name
 * @property {Item | null} item the file of this device that it is, where it was chosen in this page
 * @property {string | null} id of its photo at the host
 * @property {boolean} [isVerified] the host has read it back
 * @property {"waiting" | "going" | "saved" | "taken" | "failed"} state */

export class Gifts {
    constructor() {
        /** @type {Gift[]} */
        this.all = [];
    }

    /** What the host has of this browser already.
     * @param {Photo[]} photos */
    list(photos) {
        const known = new Set(this.all.map(({ id }) => id));
        for (const { id, name, verifiedAt } of photos) {
            if (!known.has(id)) this.all.push({ name, item: null, id, state: "saved", isVerified: Boolean(verifiedAt) });
        }
    }

    /** @param {Item[]} items */
    add(items) {
        for (const item of items) this.all.push({ name: item.name, item, id: null, state: "waiting" });
    }

    /** Follows the queue. Gives those that the host has since; what was chosen twice is one gift from then on.
     * @returns {Gift[]} */
    follow() {
        /** @type {Gift[]} */ const saved = [];
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
    /** `pictureOf(item)` makes the picture of a file of this device; `onRemove(gift)` takes one back.
     * @param {{pictureOf: (item: Item) => Promise<Blob | null>, onRemove: (gift: Gift) => void}} options */
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

    /** @param {Gift} gift @param {Item} item */
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
                        if (kind === "picture" || kind === "provisional") this.tiles.get(some[index])?.show(picture);
                    });
            } catch {
                // The name stands there all the same, and the file is safe.
                return;
            }
        }
    }
}

class Tile {
    /** @type {Gift["state"] | null} */ state = null;
    /** @type {string | null} */ address = null;

    /** @param {Gift} gift @param {() => void} onRemove */
    constructor(gift, onRemove) {
        this.gift = gift;
        this.face = el("span", { class: "gift-face" }, icon(gift.item?.rank === 2 ? "play" : "photos"));
        this.mark = el("span", { class: "gift-mark" });
        this.words = el("span", { class: "unseen" });
        this.remove = el("button", { class: "round gift-back", type: "button", "aria-label": t("give.takeBack", { name: gift.name }),
            onclick: () => this.ask(onRemove), onblur: () => this.arm(false) }, icon("close", "is-small"));
        this.element = el("li", { class: "gift" }, this.face, el("span", { class: "unseen" }, gift.name), this.mark, this.words,
            this.remove);
    }

    /** What is saved goes with the second tap alone: it cannot be had back.
     * @param {() => void} onRemove */
    ask(onRemove) {
        if (this.state !== "saved" || this.remove.classList.contains("is-armed")) onRemove();
        else this.arm(true);
    }

    /** @param {boolean} isArmed */
    arm(isArmed) {
        this.remove.classList.toggle("is-armed", isArmed);
        this.remove.setAttribute("aria-label", isArmed ? `${t("give.takeBackAsk")} ${this.gift.name}` : t("give.takeBack", { name: this.gift.name }));
        this.remove.replaceChildren(isArmed ? t("give.takeBackAsk") : icon("close", "is-small"));
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
