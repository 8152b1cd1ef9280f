// How files come to this page: one tap to the photos of the device, a drop anywhere, a paste.
import { el } from "../base/dom.js";
import { readDrop } from "../files/drop.js";

/** Milliseconds after which a phone that is still copying what was chosen is spoken of. */
const patience = 1500;

export class Choosing {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    timer;
    /** @type {AbortController | undefined} */
    expecting;

    /**
     * `onFiles` gets a non-empty array; `onPreparing(isSo)` hears that a phone is copying what was chosen.
     * @param {{onFiles: (files: File[]) => void, onPreparing: (isSo: boolean) => void}} options
     */
    constructor({ onFiles, onPreparing }) {
        this.onFiles = onFiles;
        this.onPreparing = onPreparing;
        this.input = el("input", { id: "give-photos", type: "file", multiple: true, accept: "image/*,video/*", hidden: true,
            tabindex: "-1" });
        this.input.addEventListener("change", () => {
            this.settle();
            const files = [...(this.input.files ?? [])];
            this.input.value = "";
            this.hand(files);
        });
        this.input.addEventListener("cancel", () => this.settle());
        window.addEventListener("dragover", (event) => {
            if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
        });
        window.addEventListener("drop", async (event) => {
            if (!event.dataTransfer?.types.includes("Files")) return;
            event.preventDefault();
            this.hand((await readDrop(event.dataTransfer)).files);
        });
        window.addEventListener("paste", (event) => {
            this.hand([...(/** @type {ClipboardEvent} */ (event).clipboardData?.files ?? [])]);
        });
    }

    /** @param {File[]} files */
    hand(files) {
        if (files.length > 0) this.onFiles(files);
    }

    choose() {
        this.settle();
        this.input.click();
        if (!matchMedia("(pointer: coarse)").matches) return;
        this.expecting = new AbortController();
        window.addEventListener("focus", () => {
            this.timer = setTimeout(() => this.onPreparing(true), patience);
        }, { once: true, signal: this.expecting.signal });
    }

    settle() {
        clearTimeout(this.timer);
        this.expecting?.abort();
        this.onPreparing(false);
    }
}
