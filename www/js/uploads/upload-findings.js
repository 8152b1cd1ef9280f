// What the phone did to the photos, said once for a batch: quiet, with numbers, and with the way to the originals.
import { el, icon } from "../base/dom.js";
import { has, t } from "../base/i18n.js";

export class FindingsNote {
    constructor() {
        this.list = el("ul");
        this.words = el("span");
        this.element = el("details", { class: "found", hidden: true },
            el("summary", {}, icon("info", "is-small"), this.words, icon("right", "is-small")), this.list);
    }

    hide() {
        this.element.hidden = true;
        this.element.dataset.key = "";
    }

    /**
     * `findings` are those of the present batch.
     * @param {import("./findings.js").Findings} findings
     */
    draw(findings) {
        const { counts, platform } = findings;
        const key = counts.map(({ kind, count }) => `${kind} ${count}`).join();
        if (this.element.dataset.key === key) return;
        this.element.dataset.key = key;
        this.element.hidden = counts.length === 0;
        if (counts.length === 0) return;
        this.words.textContent = said(counts[0]);
        this.list.replaceChildren(...counts.map((found, index) => el("li", {},
            index > 0 ? el("p", {}, said(found)) : null, el("p", { class: "small" }, way(found.kind, platform)))));
    }
}

/** @param {{kind: string, count: number}} found */
const said = ({ kind, count }) => t(`found.${kind}`, { n: count });

/**
 * What can be done about it may depend on the phone.
 * @param {string} kind
 * @param {string} platform
 */
function way(kind, platform) {
    const key = `found.${kind}.${platform}`;
    return t(has(key) ? key : `found.${kind}.way`);
}
