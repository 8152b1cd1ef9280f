// One file of the queue: its name, how far it is, what can be done with it.
import { el, icon, setText, reconcile } from "./dom.js";
import { fileName } from "./file-name.js";
import { bytes, percent, t } from "./i18n.js";

export class UploadRow {
    constructor(item, uploads) {
        this.item = item;
        this.progress = el("progress", { max: "100", value: "0", "aria-label": item.name });
        this.note = el("span", { class: "small figures" });
        this.state = el("span", { class: "up-state figures" });
        this.words = el("div", { class: "up-words" });
        this.name = fileName(item.name);
        this.leave = el("button", { class: "round", type: "button", "aria-label": t("up.leaveOut", { name: item.name }),
            onclick: () => uploads.remove([item]) }, icon("close", "is-small"));
        const kind = el("span", { class: "up-kind" }, icon(["photos", "file", "play"][item.rank], "is-small"));
        this.element = el("li", { class: "up" }, kind, this.words, this.state);
    }

    draw() {
        const { item } = this;
        if (item.state === "uploading") {
            const share = item.size === 0 ? 1 : item.sent / item.size;
            this.progress.value = Math.round(share * 100);
            setText(this.note, share < 1 ? percent(share) : t("up.storing"));
            reconcile(this.words, [this.name, this.progress]);
            reconcile(this.state, [this.note, this.leave]);
            return;
        }
        reconcile(this.words, [this.name, this.note]);
        if (item.state === "saved") {
            setText(this.note, bytes(item.size));
            this.savedWords ??= el("span");
            this.tick ??= el("span", { class: "saved" }, icon("tick", "is-small"), this.savedWords);
            setText(this.savedWords, savedWords(item));
            reconcile(this.state, [this.tick]);
            return;
        }
        const size = bytes(item.size);
        setText(this.note, item.state === "waiting" ? `${t("up.state.waiting")} · ${size}` : size);
        reconcile(this.state, [this.leave]);
    }
}

function savedWords(item) {
    if (item.isDuplicate) return t("up.state.same");
    return t(item.isChecked ? "up.state.checked" : "up.state.saved");
}
