// The files of a batch by what happens to them. While it runs nothing moves: a place for each file on its way, and counts.
// Few are drawn: 1,000 files stay a few dozen elements.
import { el, icon, reconcile, setText } from "../base/dom.js";
import { bytes, t } from "../base/i18n.js";
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
        /** The files on their way, each in the place that it has until its end. */
        this.places = [];
        /** Those that waited when somebody opened the list of them. They keep their places, whatever becomes of them. */
        this.looked = [];
        this.element = el("div");
    }

    /** `isSeen`: pictures of the files are made for whoever looks. */
    draw(isSeen = this.isSeen) {
        this.isSeen = isSeen;
        const { queue } = this.uploads;
        const used = new Set();
        const { failed, saved } = queue.states;
        const isOver = queue.isFinished;
        if (isOver) this.places = [];
        const list = [...saved].slice(-drawn).reverse();
        reconcile(this.element, [
            isOver ? null : this.going(used),
            this.failures(failed, used),
            isOver ? null : this.waiting(used),
            isOver && saved.size > 0 ? this.section("saved", queue.saved, this.rowsOf(list, used))
                : isOver ? null : this.section("saved", queue.saved, []),
        ].filter((section) => section !== null));
        for (const [key, row] of this.rows) if (!used.has(key)) this.drop(key, row);
    }

    drop(key, row) {
        row.dispose();
        this.rows.delete(key);
    }

    dispose() {
        for (const [key, row] of this.rows) this.drop(key, row);
    }

    /** A file takes the place of one that has ended: nothing else moves. */
    going(used) {
        const left = new Set(this.uploads.queue.states.uploading);
        this.places = this.places.map((item) => (left.delete(item) ? item : null));
        for (const item of left) {
            const free = this.places.indexOf(null);
            if (free < 0) this.places.push(item);
            else this.places[free] = item;
        }
        const { list, element } = this.parts("uploading");
        this.gaps ??= [];
        reconcile(list, this.places.map((item, index) => (item ? this.row(item, used)
            : this.gaps[index] ??= el("li", { class: "up", "aria-hidden": "true" }))));
        element.hidden = this.places.length === 0;
        return element;
    }

    /** A count, and behind it those that come next. */
    waiting(used) {
        const { queue } = this.uploads;
        this.list ??= this.waitingList();
        const { details, count, rows } = this.list;
        const size = queue.waiting > 0 ? ` · ${bytes(queue.waitingBytes)}` : "";
        setText(count, `${t("up.files", { n: queue.waiting })}${size}`);
        this.looked = details.open ? this.looked.filter((item) => queue.items.has(item.id)) : [];
        reconcile(rows, this.rowsOf(this.looked, used, "waiting"));
        return details;
    }

    waitingList() {
        const count = el("span", { class: "figures" });
        const rows = el("ul");
        const details = el("details", { class: "up-section up-waiting" },
            el("summary", {}, icon("right", "is-small"), el("h3", {}, t("up.section.waiting"), count)), rows);
        details.addEventListener("toggle", () => {
            this.looked = [...this.uploads.queue.states.waiting].slice(0, drawn);
            this.draw();
        });
        return { details, count, rows };
    }

    section(name, size, rows) {
        const section = this.parts(name);
        setText(section.count, t("up.files", { n: size }));
        reconcile(section.list, rows);
        const hidden = rows.length > 0 ? size - rows.length : 0;
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
            group.draw(items, this.rowsOf(items.slice(0, drawn), used));
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
            const head = el("h3", {}, sign, t(`up.section.${name}`), name === "uploading" ? null : count);
            const element = el("section", { class: "up-section" }, head, list, rest);
            this.sections.set(name, { element, count, list, rest });
        }
        return this.sections.get(name);
    }

    rowsOf(items, used, list = "") { return items.map((item) => this.row(item, used, list)); }

    /** A file that is on its way may stand in the list of those that waited, too. */
    row(item, used, list = "") {
        const key = `${list}${item.id}`;
        used.add(key);
        if (!this.rows.has(key)) this.rows.set(key, new UploadRow(item, this.uploads));
        const row = this.rows.get(key);
        row.draw(this.isSeen);
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
