// Ways for files to come in: two or three choices in a sheet, a drop anywhere, a paste.
import { platformOf } from "../base/browser.js";
import { el, icon, Slice, turn } from "../base/dom.js";
import { openSheet } from "../elements/dialog.js";
import { t } from "../base/i18n.js";
import { isWanted, readDrop } from "../files/drop.js";

/** Hidden inputs that live as long as the shell; `onFiles` gets a non-empty array, and the paths that
 * were dropped with it and cannot be read, which `onUnread` gets, too. */
export class Adding {
    /** @type {import("../elements/dialog.js").Sheet | null | undefined} */ preparing;
    /** @type {AbortController | undefined} */ expecting;
    /** @type {ReturnType<typeof setTimeout> | undefined} */ waiting;

    /** @param {{onFiles: (files: File[], unread: string[]) => void, onUnread: (paths: string[]) => void, isGuest?: boolean}} options */
    constructor({ onFiles, onUnread, isGuest = false }) {
        this.onFiles = onFiles;
        this.onUnread = onUnread;
        this.title = t(isGuest ? "add" : "add.title");
        this.photos = this.input("add-photos", { accept: "image/*,video/*" });
        this.files = this.input("add-files", {});
        this.folder = this.input("add-folder", { webkitdirectory: true });
        this.element = el("div", { hidden: true }, this.photos, this.files, this.folder);
        this.overlay = el("div", { class: "drop-here", hidden: true }, el("p", {}, t(isGuest ? "add.dropHere" : "add.drop")));
        this.listeners = new AbortController();
        this.listen(this.listeners.signal);
    }

    dispose() {
        this.listeners.abort();
        this.preparing?.close();
    }

    /** @param {string} id @param {import("../base/dom.js").Attributes} attributes */
    input(id, attributes) {
        const input = el("input", { id, type: "file", multiple: true, tabindex: "-1", ...attributes });
        const arrived = () => {
            this.stopPreparing();
            const files = [...(input.files ?? [])].filter((file) => !input.webkitdirectory || isWanted(file));
            input.value = "";
            if (files.length > 0) this.hand(files);
        };
        input.addEventListener("change", arrived);
        input.addEventListener("cancel", () => this.stopPreparing());
        return input;
    }

    /** Also where this part of the page has gone meanwhile: nothing that was chosen is lost.
     * @param {File[]} files @param {string[]} [unread] */
    async hand(files, unread = []) {
        await measure(files);
        this.onFiles(files, unread);
    }

    /** The sheet with the choices; the folder only where there is room and the browser can. `album`: where all of it goes, and
     * what leads to the photos that are here already.
     * @param {{name: string, onVault: () => void} | null} [album] */
    choose(album = null) {
        const pick = (/** @type {HTMLInputElement} */ input) => {
            sheet.close();
            this.pick(input);
        };
        const sheet = openSheet({
            title: album ? t("album.addHere", { name: album.name }) : this.title,
            content: [
                el("ul", { class: "choice" },
                    choice("photos", "add.photos", () => pick(this.photos)),
                    choice("file", "add.files", () => pick(this.files)),
                    "webkitdirectory" in this.folder
                        ? choice("folder", "add.folder", () => pick(this.folder), "only-wide") : null,
                    album ? choice("albums", "album.fromVault", () => {
                        sheet.close();
                        album.onVault();
                    }) : null),
                platformOf(navigator) === "ios" ? el("p", { class: "small" }, t("add.iphone")) : null,
            ],
        });
    }

    /** Straight to the device's own picker: of photos, unless said otherwise. */
    pick(input = this.photos) {
        input.click();
        this.expectPreparing();
    }

    /** A phone copies what was chosen before the page hears of it: say so when that takes more than a moment. */
    expectPreparing() {
        if (!matchMedia("(pointer: coarse)").matches) return;
        const back = () => {
            this.waiting = setTimeout(() => {
                this.preparing = openSheet({ title: t("add.preparing"), note: t("add.preparingNote"),
                    content: [el("progress", { "aria-label": t("add.preparing") })] });
            }, 1500);
        };
        this.stopPreparing();
        this.expecting = new AbortController();
        window.addEventListener("focus", back, { once: true, signal: this.expecting.signal });
    }

    stopPreparing() {
        clearTimeout(this.waiting);
        this.expecting?.abort();
        this.preparing?.close();
        this.preparing = null;
    }

    /** @param {AbortSignal} signal */
    listen(signal) {
        let depth = 0;
        /** @param {DragEvent} event */
        const carriesFiles = (event) => event.dataTransfer?.types.includes("Files");
        /** @param {boolean} shown */
        const showOverlay = (shown) => { this.overlay.hidden = !shown; };
        window.addEventListener("dragenter", (event) => {
            if (!carriesFiles(event)) return;
            depth += 1;
            showOverlay(true);
        }, { signal });
        window.addEventListener("dragleave", (event) => {
            if (!carriesFiles(event)) return;
            depth = Math.max(0, depth - 1);
            if (depth === 0) showOverlay(false);
        }, { signal });
        /** @param {DragEvent} event */
        const allow = (event) => { if (carriesFiles(event)) event.preventDefault(); };
        window.addEventListener("dragover", allow, { signal });
        window.addEventListener("drop", async (event) => {
            if (!carriesFiles(event)) return;
            event.preventDefault();
            depth = 0;
            showOverlay(false);
            const { files, unread } = await readDrop(/** @type {DataTransfer} */ (event.dataTransfer));
            if (files.length > 0) this.hand(files, unread);
            if (unread.length > 0 && !signal.aborted) this.onUnread(unread);
        }, { signal });
        window.addEventListener("paste", (event) => {
            const files = [...(/** @type {ClipboardEvent} */ (event).clipboardData?.files ?? [])];
            if (files.length > 0) this.hand(files);
        }, { signal });
    }
}

/** @param {string} name @param {string} key @param {() => void} run @param {string} [classes] */
function choice(name, key, run, classes = "") {
    return el("li", { class: classes }, el("button", { type: "button", onclick: run }, icon(name),
        el("span", {}, el("strong", {}, t(key)), el("span", { class: "small" }, t(`${key}Note`))),
        icon("right", "is-small")));
}

/** Browsers look at the disk when a file is asked for its size for the first time: of hundreds, that takes longer than a frame.
 * @param {File[]} files */
async function measure(files) {
    let slice = new Slice();
    for (const { size } of files) {
        if (size < 0 || !slice.isOver) continue;
        await turn();
        slice = new Slice();
    }
}
