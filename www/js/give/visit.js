// A visit at a door: its code, what the host says of it, and what this tab has given. The code is in no address: it came
// behind `#`, which browsers send to nobody, and goes in bodies alone.
import * as api from "../base/api.js";

const key = "safelight.give";
/** As a door's link has it; whoever types one may put hyphens. */
const written = /^#([0-9A-Za-z-]{28,40})$/;
/** Writing down what was given takes longer, the more it is. */
const pause = 500;

export class Visit {
    /**
     * What the host says of the door; null before that, and where there is none.
     * @type {Look | null}
     */
    door = null;
    /** The host has a space for this browser. */
    isIn = false;
    /** @type {ReturnType<typeof setTimeout> | null} */
    timer = null;
    /** A browser has one space at a time: tabs tell each other that they went to a door. */
    tabs = new BroadcastChannel("safelight-give");

    /** @param {{onMoved: () => void}} options called when this browser may have its space at another door from now on */
    constructor({ onMoved }) {
        this.tabs.onmessage = ({ data }) => { if (data !== this.door?.id) onMoved(); };
        const stored = read();
        const code = takeCode() ?? stored.code;
        this.code = code;
        /**
         * Client ids of files with the ids of their photos; empty once those were taken.
         * @type {Map<string, string>}
         */
        this.given = new Map(code === stored.code ? stored.given : []);
        this.write();
        window.addEventListener("pagehide", () => this.write());
    }

    /** @returns {Promise<Look>} */
    async look() {
        return this.note(await api.request("POST", "/api/look", { code: this.code }));
    }

    /**
     * Whatever is asked from now on is about this door, not about that of another tab.
     * @param {Look} door
     */
    note(door) {
        this.door = door;
        api.sendAlways({ "Safelight-Door": door.id });
        return door;
    }

    /**
     * The space that this browser has at a door, or null.
     * @returns {Promise<GivingSession | null>}
     */
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

    /**
     * The door at which this browser has a space now, or null where it has none: only the host knows, since all tabs have
     * one cookie.
     * @returns {Promise<string | null>}
     */
    async whereNow() {
        try {
            return (await api.request("GET", "/api/session", undefined, { own: {} })).door.id;
        } catch (error) {
            if (!(error instanceof api.Problem) || error.status !== 401) throw error;
            return null;
        }
    }

    /**
     * A space for what is given from here: the one of this browser where it is still there.
     * @param {string} giver
     */
    async enter(giver) {
        const door = this.note(await api.request("POST", "/api/enter", { code: this.code, ...(giver ? { giver } : {}) }));
        this.tabs.postMessage(door.id);
        this.isIn = true;
        return door;
    }

    /**
     * All that was given and is not taken yet.
     * @returns {Promise<Photo[]>}
     */
    async photos() {
        /** @type {Photo[]} */
        const all = [];
        /** @type {string | null} */
        let cursor = null;
        do {
            const page = /** @type {PhotoPage} */ (await api.photos(cursor));
            all.push(...page.photos);
            ({ cursor } = page);
        } while (cursor);
        return all;
    }

    /**
     * Takes one back, for good.
     * @param {string} id
     */
    async takeBack(id) {
        await api.request("DELETE", `/api/photos/${encodeURIComponent(id)}`);
        for (const [cid, photo] of this.given) if (photo === id) this.given.delete(cid);
        this.write();
    }

    /**
     * @param {string} cid
     * @param {string} id
     */
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
    if (location.hash) history.replaceState(null, "", location.pathname);
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
