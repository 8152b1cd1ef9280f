// Files that failed for one reason: the reason once, the way out once, then the files.
import { el, reconcile, setText } from "../base/dom.js";
import { has, t } from "../base/i18n.js";

/** Sending these again cannot help: the file itself has to be chosen again, or left out. */
const hopeless = new Set(["unreadable", "too-large", "file-too-large"]);

export class FailureGroup {
    /**
     * @param {string} reason
     * @param {Uploads} uploads
     */
    constructor(reason, uploads) {
        const key = `up.failed.${reason}`;
        /** @type {Item[]} */
        this.items = [];
        this.retry = hopeless.has(reason) ? null
            : el("button", { class: "link", type: "button", onclick: () => uploads.retry(this.items) });
        this.leave = el("button", { class: "link", type: "button", onclick: () => uploads.remove(this.items) });
        this.list = el("ul");
        this.rest = el("p", { class: "small figures", hidden: true });
        this.element = el("li", { class: "up-group" },
            el("p", { class: "note" }, has(key) ? t(key) : t("up.failed.other", { code: reason })),
            el("div", { class: "up-actions" }, this.retry, this.leave), this.list, this.rest);
    }

    /**
     * @param {Item[]} items
     * @param {Node[]} rows
     */
    draw(items, rows) {
        this.items = items;
        if (this.retry) setText(this.retry, t("up.retry", { n: items.length }));
        setText(this.leave, t("up.leaveAllOut", { n: items.length }));
        reconcile(this.list, rows);
        this.rest.hidden = items.length <= rows.length;
        setText(this.rest, t("up.more", { n: items.length - rows.length }));
    }
}
