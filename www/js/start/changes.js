// The order of what changes the session: vaults that are opened here, and what other tabs of this browser tell of.

export class Changes {
    constructor() {
        this.told = 0;
        this.known = 0;
        this.opening = 0;
        this.isFollowing = false;
        /** @type {((value?: any) => void)[]} */
        this.waiting = [];
    }

    /** A vault is being opened here, from the request to its screen: what others tell of waits for that. */
    get isOpening() { return this.opening > 0; }

    begin() {
        this.opening += 1;
    }

    end() {
        this.opening -= 1;
        this.wake();
    }

    /** Another change is told of. Gives its number.
     * @returns {number} */
    tell() {
        this.told += 1;
        return this.told;
    }

    /** The host is asked now who is there: its answer has everything that was told of before. */
    ask() {
        this.known = this.told;
    }

    /** True when something was told of since the host was asked. */
    get isStale() { return this.told > this.known; }

    /** @param {number} number */
    isKnown(number) {
        return number <= this.known;
    }

    /** Runs `work` once nothing else changes the session, unless the host's answer has change `number` by then.
     * @template T @param {number} number @param {() => Promise<T>} work @returns {Promise<T | null>} */
    async follow(number, work) {
        while (this.isOpening || this.isFollowing) await new Promise((resolve) => { this.waiting.push(resolve); });
        if (this.isKnown(number)) return null;
        this.isFollowing = true;
        try {
            return await work();
        } finally {
            this.isFollowing = false;
            this.wake();
        }
    }

    wake() {
        for (const resolve of this.waiting.splice(0)) resolve();
    }
}

export const changes = new Changes();
