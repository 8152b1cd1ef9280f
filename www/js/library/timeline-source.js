// Where a timeline comes from: all photos of the vault, or those that the host lists below another address.
import * as api from "../base/api.js";

/**
 * @typedef {object} Source
 * @property {() => Promise<[string, number][]>} months
 * @property {(month: string, skip: number, signal: AbortSignal) => Promise<Record<string, any>>} month
 */

/**
 * All photos of the vault.
 * @type {Source}
 */
export const whole = { months: api.timeline, month: api.timelineMonth };

/**
 * What the host lists below another address, in the same way: `base` is that without "/timeline", `query` what goes with each
 * question.
 * @param {string} base
 * @param {string} [query]
 * @returns {Source}
 */
export function sourceAt(base, query = "") {
    /**
     * @param {string} [month]
     * @param {number} [skip]
     */
    const address = (month, skip = 0) => {
        const asked = [query, skip > 0 ? `skip=${skip}` : ""].filter(Boolean).join("&");
        return `${base}/timeline${month ? `/${month}` : ""}${asked ? `?${asked}` : ""}`;
    };
    return {
        months: () => api.request("GET", address()),
        month: (month, skip, signal) => api.request("GET", address(month, skip), undefined, { signal }),
    };
}

/**
 * One object for each photo, out of lists that stand beside each other.
 * @param {Record<string, any[]>} columns
 * @returns {Photo[]}
 */
export function photosIn(columns) {
    const names = Object.keys(columns).filter((name) => Array.isArray(columns[name]));
    return columns.id.map((_, index) => {
        /** @type {any} */
        const photo = {};
        for (const name of names) if (columns[name][index] !== null) photo[name] = columns[name][index];
        return photo;
    });
}
