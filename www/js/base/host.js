// What the host said last of itself.

export const host = {
    /**
     * Its answer to `/api/hello`; null before the first one.
     * @type {Hello}
     */
    hello: /** @type {any} */ (null),
    /** Days that what is deleted can be put back. */
    get trashDays() { return this.hello?.limits?.trashDays ?? 30; },
};
