// How fast somebody scrolls: at speed only colours are shown, and pictures where it ends.

/** In windows per second. */
const fast = 2.5;
/** So fast that what is drawn has gone by before it is seen: a frame on a slow phone takes the time of a window. */
const flying = 15;
/** Milliseconds without a movement after which scrolling has ended. */
const pause = 120;

/**
 * What a movement by `distance` windows tells, so many seconds after the one before.
 * @param {number} distance
 * @param {number} seconds
 * @returns {{isFast: boolean, isFlying: boolean}}
 */
export function paceOf(distance, seconds) {
    const speed = distance / Math.max(seconds, 0.001);
    // A first movement after a rest says nothing of its speed, unless it goes far.
    const isFast = seconds > pause / 1000 ? distance > 1 : speed > fast;
    return { isFast, isFlying: isFast && speed > flying };
}

export class Speed {
    /** @param {{onSettled: () => void, now?: () => number}} options */
    constructor({ onSettled, now = () => performance.now() }) {
        this.onSettled = onSettled;
        this.now = now;
        this.isFast = false;
        this.isFlying = false;
        this.last = { y: window.scrollY, at: -Infinity };
    }

    /**
     * The page itself has brought somebody there: nobody scrolls.
     * @param {number} y
     */
    jumped(y) { this.last.y = y; }

    /** @param {number} y */
    moved(y) {
        if (y === this.last.y) return;
        const at = this.now();
        Object.assign(this, paceOf(Math.abs(y - this.last.y) / innerHeight, (at - this.last.at) / 1000));
        this.last = { y, at };
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            if (!this.isFast) return;
            this.isFast = this.isFlying = false;
            this.onSettled();
        }, pause);
    }

    stop() { clearTimeout(this.timer); }
}
