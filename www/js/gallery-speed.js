// How fast somebody scrolls: at speed only colours are shown, and pictures where it ends.

/** In windows per second. */
const fast = 2.5;
/** Milliseconds without a movement after which scrolling has ended. */
const pause = 120;

export class Speed {
    constructor({ onSettled, now = () => performance.now() }) {
        Object.assign(this, { onSettled, now, isFast: false, last: { y: window.scrollY, at: -Infinity } });
    }

    moved(y) {
        const at = this.now();
        const distance = Math.abs(y - this.last.y) / innerHeight;
        const seconds = (at - this.last.at) / 1000;
        // A first movement after a rest says nothing of its speed, unless it goes far.
        this.isFast = seconds > pause / 1000 ? distance > 1 : distance / Math.max(seconds, 0.001) > fast;
        this.last = { y, at };
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            if (!this.isFast) return;
            this.isFast = false;
            this.onSettled();
        }, pause);
    }

    stop() { clearTimeout(this.timer); }
}
