// All photos, to choose some of them for an album: whoever has done so, or gives it up, is in the album again.
import { sayAdded } from "./album-actions.js";
import { attempted } from "./attempted.js";
import * as requests from "./album-requests.js";
import { leaveScreen } from "../base/back.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { idsOf } from "../photos/live-photos.js";
import { nameOf } from "./album-words.js";

export class AlbumFilling {
    /**
     * @param {import("../library/library.js").Library} library
     * @param {Album} album
     */
    constructor(library, album) {
        this.library = library;
        this.album = album;
        library.selection.addEventListener("change", () => this.leaveIfOver());
    }

    begin() { this.library.selection.begin(); }

    toolbar() {
        return el("div", { class: "pick", role: "toolbar", "aria-label": t("pick.tools") },
            el("button", { class: "is-fill", type: "button", onclick: () => this.add() }, icon("add"),
                el("span", {}, t("album.addHere", { name: nameOf(this.album) }))));
    }

    /** What is said waits for the album: another screen puts away what was said before. */
    add() {
        const { album, library } = this;
        const ids = idsOf(library.selection.photos);
        return attempted(async () => {
            const count = await requests.add(album.id, ids);
            const left = new Promise((resolve) => { window.addEventListener("hashchange", resolve, { once: true }); });
            library.selection.end();
            await left;
            sayAdded(album, ids, count, () => library.onLateChange());
        });
    }

    /** However choosing ends. */
    leaveIfOver() {
        const { selection, isDisposed } = this.library;
        if (selection.isOn || isDisposed || this.isOver) return;
        this.isOver = true;
        leaveScreen();
    }
}
