// The bars around what is shown: they come where somebody is, and go again after a while.

/** Milliseconds without a pointer after which they go. */
const idle = 3000;

/**
 * @typedef {object} BarsOptions
 * @property {HTMLElement} dialog
 * @property {() => boolean} isHeld  something beside them is open, and they stay
 * @property {() => boolean} isAtRest  a video rests: the ways on stay in sight
 * @property {() => boolean} isShow  photos are shown one after another
 */
export class Bars {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    timer;

    /** @param {BarsOptions} options */
    constructor({ dialog, isHeld, isAtRest, isShow }) {
        this.dialog = dialog;
        this.isHeld = isHeld;
        this.isAtRest = isAtRest;
        this.isShow = isShow;
    }

    get isHidden() { return this.dialog.classList.contains("is-idle"); }

    /** They go at once. */
    hide() {
        clearTimeout(this.timer);
        this.dialog.classList.add("is-idle");
    }

    /**
     * Somebody is there.
     * @param {any} [event]
     */
    stir(event = null) {
        // A tap on the picture says by itself what becomes of the bars.
        if (event && event.pointerType === "touch") return;
        // Keys lead through what is shown by itself; whoever looks for a button gets to it by the focus.
        if (event?.type === "keydown" && this.isShow()) return;
        this.dialog.classList.remove("is-idle");
        clearTimeout(this.timer);
        this.timer = setTimeout(() => {
            if (!this.isInUse) this.hide();
        }, idle);
    }

    get isInUse() {
        const bars = this.dialog.querySelectorAll(".viewer-top, .viewer-bar, .step, .viewer-info, .live");
        // A finger leaves a hover behind where it was last.
        const used = matchMedia("(hover: hover)").matches ? ":hover, :focus, :focus-within" : ":focus, :focus-within";
        return this.isHeld() || this.isAtRest() || [...bars].some((bar) => bar.matches(used));
    }

    toggle() {
        clearTimeout(this.timer);
        this.dialog.classList.toggle("is-idle", !this.isAtRest() && !this.isHidden);
        if (!this.isHidden) this.stir();
    }

    dispose() { clearTimeout(this.timer); }
}
