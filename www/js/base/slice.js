// Long work is done in slices, between which the browser answers whoever scrolls or types.

/** Milliseconds: a third of a frame at 60 in a second. */
const longest = 5;

export class Slice {
    /** @param {() => number} [now] */
    constructor(now = () => performance.now()) {
        this.now = now;
        this.end = now() + longest;
    }

    /** Whether it is the browser's turn. */
    get isOver() { return this.now() >= this.end; }
}

/**
 * Resolves when the browser has had its turn.
 * @returns {Promise<void>}
 */
export function turn() {
    return /** @type {any} */ (globalThis).scheduler?.yield?.() ?? new Promise((resolve) => { setTimeout(resolve); });
}
