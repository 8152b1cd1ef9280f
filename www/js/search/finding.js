// What somebody looks for, as long as the vault is open: never in an address, which the browser writes into its history.
import { request } from "../base/api.js";

/**
 * How a part of the words was understood.
 * @typedef {object} Understood
 * @property {"word" | "date" | "type" | "album" | "camera" | "size" | "length"} kind
 * @property {string} text
 * @property {string} [value]
 * @property {string} [start]
 * @property {string} [end]
 * @property {number} [min]
 * @property {number} [max]
 */

/** Emits `change` where something else is looked for, and `understood` once it is known how the words were. */
export class Finding extends EventTarget {
    constructor() {
        super();
        this.query = "";
        /** @type {Understood[]} */
        this.understood = [];
        /**
         * What others are to be like.
         * @type {Photo | null}
         */
        this.alike = null;
        this.stop = new AbortController();
        /** Where the results come from: of nothing there are none, and nobody is asked. */
        this.source = {
            months: () => (this.query ? this.ask("") : Promise.resolve([])),
            /**
             * @param {string} month
             * @param {number} skip
             * @param {AbortSignal} signal
             */
            month: (month, skip, signal) => this.ask(`/${month}`, skip, signal),
        };
    }

    /**
     * @param {string} path
     * @param {number} [skip]
     * @param {AbortSignal} [signal]
     */
    ask(path, skip = 0, signal) {
        const asked = `q=${encodeURIComponent(this.query)}${skip > 0 ? `&skip=${skip}` : ""}`;
        return request("GET", `/api/search/timeline${path}?${asked}`, undefined, { signal });
    }

    /** @param {string} query */
    set(query) {
        const words = query.trim();
        if (words === this.query) return;
        this.query = words;
        if (!words) this.understood = [];
        this.dispatchEvent(new Event("change"));
        this.understand();
    }

    /**
     * Looks for the same without a part of it.
     * @param {Understood} part
     */
    drop({ text }) {
        const at = this.query.indexOf(text);
        const rest = at < 0 ? this.query : `${this.query.slice(0, at)} ${this.query.slice(at + text.length)}`;
        this.set(rest.replace(/\s+/g, " "));
    }

    /** Only the last question is waited for. */
    async understand() {
        this.stop.abort();
        this.stop = new AbortController();
        const { signal } = this.stop;
        if (this.query) {
            const answer = await request("GET", `/api/search?q=${encodeURIComponent(this.query)}`, undefined, { signal })
                .catch(() => null);
            // What went wrong is said by the list of results, which asks for the same.
            if (signal.aborted || !answer) return;
            this.understood = answer.understood;
        }
        this.dispatchEvent(new Event("understood"));
    }

    /** Nothing of it outlives the vault. */
    clear() {
        this.stop.abort();
        this.query = "";
        this.understood = [];
        this.alike = null;
    }
}
