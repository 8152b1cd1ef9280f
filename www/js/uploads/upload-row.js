// One file of the queue: its name, how far it is, what can be done with it.
import { el, icon, setText, reconcile } from "../base/dom.js";
import { fileName } from "../elements/pieces.js";
import { bytes, percent, t } from "../base/i18n.js";

/** Below this a file is gone before a bar has moved. */
const smallest = 1024 * 1024;
/** Milliseconds before a file on its way can be left out: where they pass quickly, a click would meet another one. */
const settled = 1500;

export class UploadRow {
    /**
     * @param {Item} item
     * @param {Uploads} uploads
     */
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

    /**
     * The picture that this device has made of it, or makes for whoever looks; what goes quickly is not looked at.
     * @param {boolean} isSeen
     */
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
