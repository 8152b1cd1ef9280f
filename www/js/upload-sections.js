// The files of a batch by what happens to them. Few are drawn: 1,000 files stay a few dozen elements.
import { el, icon, reconcile, setText } from "./dom.js";
import { bytes, t } from "./i18n.js";
import { FailureGroup } from "./upload-failures.js";
import { UploadRow } from "./upload-row.js";

/** Rows drawn of each section; the counts say the rest. */
const drawn = 20;

export class UploadSections {
    constructor(uploads) {
        this.uploads = uploads;
        this.rows = new Map();
        this.groups = new Map();
        this.sections = new Map();
        this.element = el("div");
    }

    draw() {
        const { queue } = this.uploads;
        const { failed, uploading, waiting, saved } = queue.states;
        const used = new Set();
        const count = (size) => t("up.files", { n: size });
        reconcile(this.element, [
            this.failures(failed, used),
            this.section("uploading", uploading, count(uploading.size), [...uploading], used),
            this.section("waiting", waiting, `${count(waiting.size)} · ${bytes(queue.waitingBytes)}`,
                [...waiting].slice(0, drawn), used),
            this.section("saved", saved, count(saved.size), [...saved].slice(-drawn).reverse(), used),
        ].filter((section) => section !== null));
        for (const id of this.rows.keys()) if (!used.has(id)) this.rows.delete(id);
    }

    section(name, all, words, items, used) {
        if (all.size === 0) return null;
        const section = this.parts(name);
        setText(section.count, words);
        reconcile(section.list, items.map((item) => this.row(item, used)));
        const hidden = all.size - items.length;
        section.rest.hidden = hidden <= 0;
        if (hidden > 0) setText(section.rest, t("up.more", { n: hidden }));
        return section.element;
    }

    /** One message for each cause, however many files it met. */
    failures(failed, used) {
        if (failed.size === 0) {
            this.groups.clear();
            return null;
        }
        const section = this.parts("failed");
        setText(section.count, t("up.files", { n: failed.size }));
        reconcile(section.list, [...byReason(failed)].map(([reason, items]) => {
            if (!this.groups.has(reason)) this.groups.set(reason, new FailureGroup(reason, this.uploads));
            const group = this.groups.get(reason);
            group.draw(items, items.slice(0, drawn).map((item) => this.row(item, used)));
            return group.element;
        }));
        return section.element;
    }

    /** The elements of a section, made once. */
    parts(name) {
        if (!this.sections.has(name)) {
            const count = el("span", { class: "figures" });
            const list = el("ul");
            const rest = el("p", { class: "small figures", hidden: true });
            const sign = name === "failed" ? icon("warning", "is-small") : null;
            const head = el("h3", {}, sign, t(`up.section.${name}`), count);
            const element = el("section", { class: "up-section" }, head, list, rest);
            this.sections.set(name, { element, count, list, rest });
        }
        return this.sections.get(name);
    }

    row(item, used) {
        used.add(item.id);
        if (!this.rows.has(item.id)) this.rows.set(item.id, new UploadRow(item, this.uploads));
        const row = this.rows.get(item.id);
        row.draw();
        return row.element;
    }
}

function byReason(items) {
    const groups = new Map();
    for (const item of items) {
        if (!groups.has(item.reason)) groups.set(item.reason, []);
        groups.get(item.reason).push(item);
    }
    return groups;
}
