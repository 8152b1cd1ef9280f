// The files of a batch by what happens to them. While it runs nothing moves: a place for each file on its way, and counts.
// Few are drawn: 1,000 files stay a few dozen elements.
import { el, icon, reconcile, setText, svg } from "../base/dom.js";
import { bytes, has, percent, t } from "../base/i18n.js";
import { fileName } from "../elements/pieces.js";

// Files that failed for one reason: the reason once, the way out once, then the files.

/** Sending these again cannot help: the file itself has to be chosen again, or left out. */
const hopeless = new Set(["unreadable", "unreadable-entry", "too-large", "file-too-large"]);

class FailureGroup {
    /** @param {string} reason @param {Uploads} uploads */
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

    /** @param {Item[]} items @param {Node[]} rows */
    draw(items, rows) {
        this.items = items;
        if (this.retry) setText(this.retry, t("up.retry", { n: items.length }));
        setText(this.leave, t("up.leaveAllOut", { n: items.length }));
        reconcile(this.list, rows);
        this.rest.hidden = items.length <= rows.length;
        setText(this.rest, t("up.more", { n: items.length - rows.length }));
    }
}

// One file of the queue: its name, how far it is, what can be done with it.

/** Below this a file is gone before a bar has moved. */
const smallest = 1024 * 1024;
/** Milliseconds before a file on its way can be left out: where they pass quickly, a click would meet another one. */
const settled = 1500;

class UploadRow {
    /** @param {Item} item @param {Uploads} uploads */
    constructor(item, uploads) {
        this.item = item;
        this.uploads = uploads;
        /** @type {number | null} */
        this.began = null;
        this.progress = el("progress", { max: "100", "aria-label": item.name });
        this.note = el("span", { class: "small figures" });
        this.state = el("span", { class: "up-state figures" });
        this.words = el("div", { class: "up-words" });
        this.name = fileName(item.name);
        this.leave = el("button", { class: "round", type: "button", "aria-label": t("up.leaveOut", { name: item.name }),
            onclick: () => uploads.remove([item]) }, icon("close", "is-small"));
        this.tick = el("span", { class: "saved" }, icon("tick", "is-small"));
        this.kind = el("span", { class: "up-kind" }, icon(["photos", "file", "play"][item.rank], "is-small"));
        this.element = el("li", { class: "up" }, this.kind, this.words, this.state);
    }

    /** The picture that this device has made of it, or makes for whoever looks; what goes quickly is not looked at.
     * @param {boolean} isSeen */
    drawPicture(isSeen) {
        const { picture, state } = this.item;
        const isLong = state !== "uploading" || Date.now() - (this.began ?? 0) >= settled;
        if (!picture && isSeen && isLong && !this.isAsked) {
            this.isAsked = true;
            this.uploads.pictureOf(this.item).then(() => this.drawPicture(false));
        }
        if (!picture || this.address || this.isDisposed) return;
        this.address = URL.createObjectURL(picture);
        this.kind.replaceChildren(el("img", { alt: "", src: this.address, decoding: "async" }));
    }

    dispose() {
        this.isDisposed = true;
        if (this.address) URL.revokeObjectURL(this.address);
    }

    /** @param {boolean} isSeen */
    draw(isSeen) {
        const { item } = this;
        const isGoing = item.state === "uploading";
        this.began = isGoing ? this.began ?? Date.now() : null;
        this.drawPicture(isSeen);
        this.leave.classList.toggle("is-later", isGoing && Date.now() - (this.began ?? 0) < settled);
        if (isGoing) this.drawProgress();
        else {
            reconcile(this.words, [this.name, this.note]);
            setText(this.note, [bytes(item.size), stateWords(item)].filter(Boolean).join(" · "));
        }
        reconcile(this.state, [item.state === "saved" ? this.tick : this.leave]);
    }

    drawProgress() {
        const { size, sent } = this.item;
        const share = size === 0 ? 1 : sent / size;
        if (size >= smallest) this.progress.value = Math.round(share * 100);
        const words = size < smallest ? bytes(size) : share < 1 ? `${percent(share)} · ${bytes(size)}` : t("up.storing");
        setText(this.note, words);
        reconcile(this.words, [this.name, this.progress, this.note]);
    }
}

/** @param {Item} item */
function stateWords(item) {
    if (item.state !== "saved") return item.state === "waiting" ? t("up.state.waiting") : "";
    if (item.isDuplicate) return t("up.state.same");
    return t(item.isChecked ? "up.state.checked" : "up.state.saved");
}

/** @typedef {{element: HTMLElement, count: HTMLElement, list: HTMLElement, rest: HTMLElement}} SectionParts */

/** Rows drawn of each section; the counts say the rest. */
const drawn = 20;

export class UploadSections {
    /** @type {HTMLElement[] | undefined} */ gaps;
    /** @type {{details: HTMLDetailsElement, count: HTMLElement, rows: HTMLElement} | undefined} */ list;
    /** @type {boolean | undefined} */ isSeen;

    /** @param {Uploads} uploads */
    constructor(uploads) {
        this.uploads = uploads;
        /** @type {Map<string, UploadRow>} */
        this.rows = new Map();
        /** @type {Map<string, FailureGroup>} */
        this.groups = new Map();
        /** @type {Map<string, SectionParts>} */
        this.sections = new Map();
        /** The files on their way, each in the place that it has until its end.
         * @type {(Item | null)[]} */
        this.places = [];
        /** Those that waited when somebody opened the list of them. They keep their places, whatever becomes of them.
         * @type {Item[]} */
        this.looked = [];
        this.element = el("div");
    }

    /** `isSeen`: pictures of the files are made for whoever looks.
     * @param {boolean} [isSeen] */
    draw(isSeen = this.isSeen) {
        this.isSeen = isSeen;
        const { queue } = this.uploads;
        /** @type {Set<string>} */ const used = new Set();
        const { failed, saved } = queue.states;
        const isOver = queue.isFinished;
        if (isOver) this.places = [];
        const list = [...saved].slice(-drawn).reverse();
        reconcile(this.element, /** @type {HTMLElement[]} */ ([
            isOver ? null : this.going(used),
            this.failures(failed, used),
            isOver ? null : this.waiting(used),
            isOver && saved.size > 0 ? this.section("saved", queue.saved, this.rowsOf(list, used))
                : isOver ? null : this.section("saved", queue.saved, []),
        ].filter((section) => section !== null)));
        for (const [key, row] of this.rows) if (!used.has(key)) this.drop(key, row);
    }

    /** @param {string} key @param {UploadRow} row */
    drop(key, row) {
        row.dispose();
        this.rows.delete(key);
    }

    dispose() {
        for (const [key, row] of this.rows) this.drop(key, row);
    }

    /** A file takes the place of one that has ended: nothing else moves.
     * @param {Set<string>} used */
    going(used) {
        const left = new Set(this.uploads.queue.states.uploading);
        this.places = this.places.map((item) => (item && left.delete(item) ? item : null));
        for (const item of left) {
            const free = this.places.indexOf(null);
            if (free < 0) this.places.push(item);
            else this.places[free] = item;
        }
        const { list, element } = this.parts("uploading");
        const gaps = this.gaps ??= [];
        reconcile(list, this.places.map((item, index) => (item ? this.row(item, used)
            : gaps[index] ??= el("li", { class: "up", "aria-hidden": "true" }))));
        element.hidden = this.places.length === 0;
        return element;
    }

    /** A count, and behind it those that come next.
     * @param {Set<string>} used */
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

    /** @param {string} name @param {number} size @param {Node[]} rows */
    section(name, size, rows) {
        const section = this.parts(name);
        setText(section.count, t("up.files", { n: size }));
        reconcile(section.list, rows);
        const hidden = rows.length > 0 ? size - rows.length : 0;
        section.rest.hidden = hidden <= 0;
        if (hidden > 0) setText(section.rest, t("up.more", { n: hidden }));
        return section.element;
    }

    /** One message for each cause, however many files it met.
     * @param {Set<Item>} failed @param {Set<string>} used */
    failures(failed, used) {
        if (failed.size === 0) {
            this.groups.clear();
            return null;
        }
        const section = this.parts("failed");
        setText(section.count, t("up.files", { n: failed.size }));
        reconcile(section.list, [...byReason(failed)].map(([reason, items]) => {
            if (!this.groups.has(reason)) this.groups.set(reason, new FailureGroup(reason, this.uploads));
            const group = /** @type {FailureGroup} */ (this.groups.get(reason));
            group.draw(items, this.rowsOf(items.slice(0, drawn), used));
            return group.element;
        }));
        return section.element;
    }

    /** The elements of a section, made once.
     * @param {string} name @returns {SectionParts} */
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
        return /** @type {SectionParts} */ (this.sections.get(name));
    }

    /** @param {Item[]} items @param {Set<string>} used @param {string} [list] */
    rowsOf(items, used, list = "") { return items.map((item) => this.row(item, used, list)); }

    /** A file that is on its way may stand in the list of those that waited, too.
     * @param {Item} item @param {Set<string>} used @param {string} [list] */
    row(item, used, list = "") {
        const key = `${list}${item.id}`;
        used.add(key);
        if (!this.rows.has(key)) this.rows.set(key, new UploadRow(item, this.uploads));
        const row = /** @type {UploadRow} */ (this.rows.get(key));
        row.draw(this.isSeen ?? false);
        return row.element;
    }
}

/** @param {Iterable<Item>} items */
function byReason(items) {
    /** @type {Map<string, Item[]>} */ const groups = new Map();
    for (const item of items) {
        const reason = item.reason ?? "";
        const same = groups.get(reason) ?? [];
        groups.set(reason, same);
        same.push(item);
    }
    return groups;
}

// The folded panel on phones: a bar above the tabs, with how far it is, or why it stopped and the way on.

export class UploadBar {
    /** @param {{onOpen: () => void, onRetry: () => void}} options */
    constructor({ onOpen, onRetry }) {
        this.title = el("span", { class: "figures" });
        this.note = el("span", { class: "small figures up-bar-note" });
        this.news = el("span", { class: "small up-news" });
        this.ring = svg("circle", { class: "ring-full", cx: "18", cy: "18", r: "15", pathLength: "100",
            "stroke-dasharray": "0 100" });
        this.circle = svg("svg", { class: "ring", viewBox: "0 0 36 36", "aria-hidden": "true" },
            svg("circle", { class: "ring-empty", cx: "18", cy: "18", r: "15" }), this.ring);
        this.done = icon("done", "ring-done");
        this.stopped = icon("warning", "ring-stopped");
        this.opener = el("button", { class: "up-open", type: "button", "aria-expanded": "false", onclick: onOpen },
            this.circle, this.done, this.stopped, el("span", { class: "up-bar-words" }, this.title, this.note, this.news),
            icon("down", "is-small up-more"));
        this.retry = el("button", { class: "link up-retry", type: "button", onclick: onRetry }, t("retry"));
        /** @type {HTMLElement | null} */
        this.receipt = null;
        this.element = el("aside", { class: "up-bar", "aria-label": t("up.label") }, this.opener, this.retry);
    }

    /**
     * `share` is 0 to 1; `isSaved` once all is; `isStopped` while somebody has to mend a cause; `receipt` is the button for
     * it, once there is one.
     * @param {{words: string, note: string, share: number, receipt: HTMLElement | null, isSaved: boolean, isStopped: boolean}} state
     */
    draw({ words, note, share, receipt, isSaved, isStopped }) {
        if (this.receipt !== receipt) {
            this.receipt?.remove();
            this.receipt = receipt;
            if (receipt) this.element.append(receipt);
        }
        this.element.classList.toggle("is-proof", isSaved);
        setText(this.title, words);
        setText(this.note, note);
        this.ring.setAttribute("stroke-dasharray", `${Math.round(share * 100)} 100`);
        this.circle.toggleAttribute("hidden", isSaved || isStopped);
        this.done.toggleAttribute("hidden", !isSaved || isStopped);
        this.stopped.toggleAttribute("hidden", !isStopped);
        this.retry.hidden = !isStopped;
        this.element.classList.toggle("is-stopped", isStopped);
    }

    /** @param {string} words */
    setNews(words) {
        setText(this.news, words);
    }

    /** @param {boolean} isOpen */
    setOpen(isOpen) {
        this.opener.setAttribute("aria-expanded", String(isOpen));
        if (!isOpen) this.opener.focus();
    }
}

// What the phone did to the photos, said once for a batch: quiet, with numbers, and with the way to the originals.

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

    /** `findings` are those of the present batch.
     * @param {import("./upload-carrying.js").Findings} findings */
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

/** What can be done about it may depend on the phone.
 * @param {string} kind @param {string} platform */
function way(kind, platform) {
    const key = `found.${kind}.${platform}`;
    return t(has(key) ? key : `found.${kind}.way`);
}
