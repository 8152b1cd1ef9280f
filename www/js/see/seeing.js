// A visit at a window: its code, what the host says of it, and coming in again. The code stands behind `#`, which browsers
// send to nobody, and goes in bodies alone. It stays in the address: whoever reloads the page, or keeps it, has nothing else.
import * as api from "../base/api.js";
import { nameIn } from "../base/dom.js";

/** `frame`: photos are shown one after another as soon as they are there; `wall`: also what comes new, at once.
 * @typedef {"frame" | "wall"} Mode */

/** As a window's link has it, with its name; whoever types one may put hyphens, and no name. */
const written = /^#([0-9A-Za-z-]{28,40})(?:\/([\w-]*))?(?:&(frame|wall))?$/;

/** What stands behind `#`; null where that is no code.
 * @param {string} hash @returns {{code: string, name: string, mode: Mode | null} | null} */
export function readAddress(hash) {
    const found = written.exec(hash);
    if (!found) return null;
    const [, code, name = "", mode = null] = found;
    return { code: code.replaceAll("-", ""), name: nameIn(name), mode: /** @type {Mode | null} */ (mode) };
}

const visitKey = "safelight.visit";

/** What this tab calls its visits, at random: where an answer is lost, whoever comes again takes no second place. */
function visitName() {
    let name = api.base64URL(crypto.getRandomValues(new Uint8Array(16)));
    try {
        name = sessionStorage[visitKey] ??= name;
    } catch {
        // Storage may be refused: then each counts.
    }
    return name;
}

/** Whoever is at a window that shows nothing. */
const closings = ["no-such-window", "window-over", "window-full", "window-shut"];

/** Why nobody is let in, as the page says it: "closed" with the window's own reason, "password" where one is asked for, "away" without
 * an answer, "later" where the host asks for patience, else "broken".
 * @param {unknown} error @returns {"closed" | "password" | "away" | "later" | "broken"} */
export function whyNot(error) {
    if (error instanceof api.Unreachable) return "away";
    if (!(error instanceof api.Problem)) return "broken";
    if (closings.includes(error.code)) return "closed";
    if (error.code === "window-password") return "password";
    return error.status === 429 || error.status === 503 ? "later" : "broken";
}

export class Visit {
    /** What the host says of the window; null before that.
     * @type {See | null} */
    see = null;
    /** The host knows this browser at this window. */
    isIn = false;
    /** A screen that shows photos by itself comes in again by itself, too; from everybody else it is asked for again.
     * @type {string | undefined} */
    password;
    /** A browser is at one window at a time: tabs tell each other that they came in. */
    tabs = new BroadcastChannel("safelight-see");

    /** @param {{code: string, mode: Mode | null}} address */
    constructor({ code, mode }) {
        this.code = code;
        this.mode = mode;
        // All tabs have one cookie: whoever looks here next comes in again.
        this.tabs.onmessage = () => { this.isIn = false; };
    }

    /** @param {string} [password] */
    async enter(password = this.password) {
        this.isIn = false;
        const fields = { code: this.code, visit: visitName(), ...(password ? { password } : {}) };
        this.see = await api.request("POST", "/api/enter", fields);
        this.isIn = true;
        if (this.mode) this.password = password;
        this.tabs.postMessage("in");
        return this.see;
    }

    /** What the host says now; true where the list is another than it was.
     * @returns {Promise<boolean>} */
    async ask() {
        const before = this.see;
        this.see = await api.request("GET", "/api/session");
        return before?.version !== this.see?.version;
    }
}

// What has come since somebody began to look: the next one to be shown, the newest first, then the show goes on where it was.

/** More would be shown for minutes, while newer ones come. */
const mostFresh = 20;

export class Arrivals {
    /** Ids, as the host has them in this visit.
     * @type {Set<string> | null} */
    known = null;
    /** @type {string[]} */ fresh = [];
    /** The photo after which the show goes on.
     * @type {string | null} */
    regular = null;
    isFresh = false;

    /** All that is there is old.
     * @param {PhotoList} list */
    async learn(list) {
        this.fresh = [];
        this.known = null;
        this.known = new Set((await list.all()).map(({ id }) => id));
    }

    /** How many each month has, to be compared later.
     * @param {PhotoList} list */
    static countsOf({ sections }) {
        return new Map(sections.map(({ key, count }) => [key, count]));
    }

    /** What has come to months that have another count than before; true where that is something.
     * @param {PhotoList} list @param {Map<string, number>} before @returns {Promise<boolean>} */
    async find(list, before) {
        const { known } = this;
        if (!known) return false;
        const changed = list.sections.filter(({ key, count }) => before.get(key) !== count);
        const photos = await Promise.all(changed.map(({ start, count }) => list.between(start, start + count)));
        const fresh = photos.flat().map(({ id }) => id).filter((id) => !known.has(id));
        for (const id of fresh) known.add(id);
        this.fresh = [...fresh, ...this.fresh].slice(0, mostFresh);
        return fresh.length > 0;
    }

    /** @param {PhotoList} list */
    next(list) {
        const place = this.fresh.map((id) => list.placeOf(id)).find((one) => one >= 0) ?? -1;
        if (place >= 0 || !this.isFresh) return place;
        const regular = list.placeOf(this.regular);
        return regular < 0 ? -1 : (regular + list.count - 1) % list.count;
    }

    /** @param {Photo} photo */
    onShown({ id }) {
        this.isFresh = this.fresh.includes(id);
        if (this.isFresh) this.fresh = this.fresh.filter((one) => one !== id);
        else this.regular = id;
    }
}
