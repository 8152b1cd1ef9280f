// What may go with opening or creating a vault: that it stays open on this device, and that a guest's photos move in.
import { el } from "../base/dom.js";
import { tick } from "../elements/forms.js";
import { lastDayBefore, t } from "../base/i18n.js";

/** `guest` is `{photos, until}` or null. `fields()` gives what the host wants to know of it. */
export class Wishes {
    /** @param {Guest | null} guest */
    constructor(guest) {
        this.keep = tick(t("keep.label"), t("keep.note"), false);
        this.element = el("div", { class: "wishes" });
        this.setGuest(guest);
    }

    /**
     * The number may be known a moment later; a box that was unticked stays so.
     * @param {Guest | null} guest
     */
    setGuest(guest) {
        const wanted = this.move?.input.checked ?? true;
        /** @type {ReturnType<typeof tick> | null} */
        this.move = guest && guest.photos > 0
            ? tick(t("move.label", { n: guest.photos }), t("move.note", { day: lastDayBefore(guest.until) }), wanted)
            : null;
        this.element.replaceChildren(...[...(this.move ? [this.move] : []), this.keep].map(({ element }) => element));
    }

    /** @returns {{keep: boolean, migrate?: boolean}} */
    fields() {
        return { keep: this.keep.input.checked, ...(this.move ? { migrate: this.move.input.checked } : {}) };
    }
}
