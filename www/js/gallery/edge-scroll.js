// Scrolls while something is drawn to the upper or lower edge of the window, and rests there.

/** Pixels from the bars in which it begins, and windows per second at the very edge. */
const edge = 72;
const fastest = 1.4;

export class EdgeScroll {
    /** @type {number} */
    last;

    /**
     * `room()` gives how much of the window is covered, `{above, below}`; `onScroll()` follows each step.
     * @param {{room: () => {above: number, below: number}, onScroll: () => void}} options
     */
    constructor({ room, onScroll }) {
        this.room = room;
        this.onScroll = onScroll;
        this.y = 0;
        /** @type {number | null} */
        this.frame = null;
    }

    /** @param {number} y */
    follow(y) {
        this.y = y;
        if (this.frame === null && this.share !== 0) {
            this.last = performance.now();
            this.frame = requestAnimationFrame((now) => this.step(now));
        }
    }

    /** From -1, at the upper edge, to 1, at the lower one. */
    get share() {
        const { above, below } = this.room();
        /** @param {number} distance */
        const over = (distance) => Math.min(1, Math.max(0, distance / edge));
        return over(this.y - (innerHeight - below - edge)) - over(above + edge - this.y);
    }

    /** @param {number} now */
    step(now) {
        this.frame = null;
        const { share } = this;
        if (share === 0) return;
        // After a frame that took long it does not leap.
        const seconds = Math.min(0.05, Math.max(0, now - this.last) / 1000);
        this.last = now;
        window.scrollBy(0, Math.sign(share) * Math.max(1, Math.abs(share) * fastest * innerHeight * seconds));
        this.onScroll();
        this.frame = requestAnimationFrame((next) => this.step(next));
    }

    stop() {
        cancelAnimationFrame(this.frame);
        this.frame = null;
    }
}
