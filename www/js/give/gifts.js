// What is given at a door, from the moment it is chosen to the moment it is taken.

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
