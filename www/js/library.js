// A screen with a listing: the vault's photos or the recently deleted ones.
import { archiveOf } from "./actions.js";
import * as api from "./api.js";
import { emptyLine } from "./brand.js";
import { addDevice } from "./device-sheet.js";
import { confirm } from "./dialog.js";
import { el, icon, setText } from "./dom.js";
import { downloadPhoto } from "./download.js";
import { Gallery } from "./gallery.js";
import { place, topmost } from "./gallery-anchor.js";
import { bytes, t } from "./i18n.js";
import { PhotoList } from "./photo-list.js";
import { preference, remember } from "./preferences.js";
import { describe } from "./problems.js";
import { Selection } from "./selection.js";
import { screenHead } from "./shell.js";
import { toast } from "./toast.js";
import { openViewer } from "./viewer.js";

export class Library {
    /**
     * `kind` is `photos` or `deleted`; `notices` are elements above the gallery; `perform(action)` runs what may need a
     * vault, and is true when it ran.
     */
    constructor({ kind, pictures, onAdd, perform, isGuest = false, notices = [] }) {
        Object.assign(this, { kind, pictures, onAdd, perform, isGuest });
        this.list = new PhotoList(kind === "photos" ? api.photos : api.trash);
        this.selection = new Selection(this.list);
        this.title = t(`title.${kind}`);
        this.head = el("div", { class: "library-head" });
        this.body = el("div");
        this.tools = el("div");
        this.state = el("div");
        this.element = el("div", { class: `library is-${kind}` }, this.head, ...notices, this.body, this.state, this.tools);
        this.list.addEventListener("change", () => this.draw());
        this.selection.addEventListener("change", () => this.draw());
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        api.onReachability((reachable) => { if (reachable && this.list.error) this.list.more(); }, { signal });
        this.makeGallery();
        this.firstPage = this.list.more();
        this.draw();
    }

    dispose() {
        this.isDisposed = true;
        this.listeners.abort();
        this.gallery.dispose();
        this.viewer?.close();
    }

    makeGallery() {
        this.gallery?.dispose();
        this.gallery = new Gallery({
            list: this.list, selection: this.selection, pictures: this.pictures, view: preference("view", "grid"),
            onOpen: (photo) => this.open(photo),
            onDelete: () => { if (this.kind === "photos") this.removePicked(); },
        });
        this.body.replaceChildren(this.gallery.element);
    }

    /** Photos that were just saved. */
    arrived(photos) {
        if (this.kind !== "photos") return;
        this.gallery.markNew(photos.filter((photo) => !photo.duplicate).map((photo) => photo.id));
        this.list.prepend(photos);
    }

    draw() {
        this.selection.prune();
        const isEmpty = this.list.photos.length === 0;
        this.drawHead(isEmpty);
        this.drawState(isEmpty);
        this.drawTools();
        this.gallery.element.hidden = isEmpty;
    }

    drawHead(isEmpty) {
        const { selection } = this;
        const key = selection.isOn ? "picking" : isEmpty ? "empty" : "full";
        if (this.head.dataset.key !== key) {
            this.head.dataset.key = key;
            this.head.replaceChildren(selection.isOn ? this.pickHead() : this.plainHead(isEmpty));
        }
        if (selection.isOn) {
            setText(this.picked, t("pick.count", { n: selection.count }));
            setText(this.pickedBytes, selection.count > 0 ? ` · ${bytes(selection.byteCount)}` : "");
        }
    }

    plainHead(isEmpty) {
        const isList = preference("view", "grid") === "list";
        const other = isList ? "grid" : "list";
        const button = (classes, onclick, ...content) =>
            el("button", { class: classes, type: "button", onclick }, ...content);
        const view = button("round", () => this.changeView(other), icon(other));
        view.setAttribute("aria-label", t(isList ? "view.grid" : "view.list"));
        const select = button("link", () => this.selection.begin(), t("select"));
        const isPhotos = this.kind === "photos";
        const main = isPhotos
            ? button("button is-main is-small only-desktop", this.onAdd, icon("add", "is-small"), t("add"))
            : button("link is-danger", () => this.empty(), t("deleted.empty"));
        if (isEmpty) return screenHead(this.title, isPhotos ? main : null);
        return screenHead(this.title, view, select, main);
    }

    pickHead() {
        this.picked = el("span");
        this.pickedBytes = el("span", { class: "picked-bytes" });
        return el("header", { class: "top is-picking" },
            el("button", { class: "round", type: "button", "aria-label": t("pick.end"),
                onclick: () => this.selection.end() }, icon("close")),
            el("h1", { class: "figures", tabindex: "-1" }, this.picked, this.pickedBytes),
            el("button", { class: "link", type: "button", onclick: async () => {
                await this.list.all();
                this.selection.all();
            } }, t("pick.all")));
    }

    changeView(view) {
        remember("view", view);
        this.head.dataset.key = "";
        this.makeGallery();
        this.draw();
    }

    drawState(isEmpty) {
        const { list } = this;
        // The banner about the connection says that the host is away, and the list goes on by itself.
        const isAway = list.error instanceof api.Unreachable;
        const key = list.error && !isAway ? "error" : list.isLoading || isAway ? "loading" : isEmpty ? "empty" : "none";
        if (this.state.dataset.key === key) return;
        this.state.dataset.key = key;
        if (key === "error") {
            this.state.replaceChildren(el("div", { class: "notice is-wide" }, icon("warning"), el("div", {},
                el("p", {}, describe(list.error)),
                el("button", { class: "link", type: "button", onclick: () => list.more() }, t("retry")))));
        } else if (key === "empty") this.state.replaceChildren(this.emptyState());
        else this.state.replaceChildren();
    }

    emptyState() {
        const isPhotos = this.kind === "photos";
        return el("div", { class: "empty" }, emptyLine(), el("h2", {}, t(isPhotos ? "empty.title" : "deleted.none")),
            el("p", { class: "note" }, t(isPhotos ? "empty.note" : "deleted.note")),
            isPhotos ? el("button", { class: "button is-main", type: "button", onclick: this.onAdd },
                icon("add"), t("add")) : null,
            // Who sits at a computer often has the photos on a phone.
            isPhotos && !this.isGuest ? el("button", { class: "link only-wide", type: "button", onclick: addDevice },
                t("empty.device")) : null);
    }

    drawTools() {
        const shown = this.selection.isOn;
        document.querySelector(".shell")?.classList.toggle("is-picking", shown);
        if (!shown) {
            this.tools.replaceChildren();
            return;
        }
        if (!this.tools.firstChild) this.tools.replaceChildren(this.toolbar());
        for (const button of this.tools.querySelectorAll("button")) button.disabled = this.selection.count === 0;
    }

    toolbar() {
        const tool = (name, key, run, classes = "") => el("button", { type: "button", class: classes, onclick: run },
            icon(name), el("span", {}, t(key)));
        return el("div", { class: "pick", role: "toolbar", "aria-label": t("pick.tools") },
            tool("download", "download", () => this.downloadPicked()),
            ...(this.kind === "photos" ? [tool("bin", "delete", () => this.removePicked(), "is-danger")]
                : [tool("restore", "restore", () => this.restorePicked())]));
    }

    open(photo) {
        this.viewer = openViewer({
            list: this.list, photo, kind: this.kind,
            onDelete: (shown) => this.remove([shown]), onRestore: (shown) => this.restore([shown]),
            onClosed: (shown) => {
                this.viewer = null;
                if (shown && !this.isDisposed) this.gallery.focusPhoto(shown.id);
            },
        });
    }

    async downloadPicked() {
        const photos = this.selection.photos;
        await this.attempt(async () => {
            if (photos.length === 1) downloadPhoto(photos[0]);
            else if (!await this.perform(archiveOf(photos))) return;
            this.selection.end();
        });
    }

    /** What is at the top of the window, to be found again in another session; null at the beginning. */
    get anchor() {
        const id = this.kind === "photos" && window.scrollY > 0 ? topmost(this.gallery) : null;
        return id === null ? null : { id, top: place(this.gallery, id) };
    }

    /** Scrolls to where an anchor of the guest's session is now. */
    async goTo({ id, top }) {
        const photo = await api.photo(id);
        await this.firstPage;
        this.list.prepend([{ ...photo, duplicate: true }]);
        // The gallery is laid out after its first measure.
        for (let frame = 0; frame < 2; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
        const now = this.isDisposed ? null : place(this.gallery, photo.id);
        if (now !== null) window.scrollBy(0, now - top);
    }

    removePicked() { return this.remove(this.selection.photos); }
    restorePicked() { return this.restore(this.selection.photos); }

    /** Asks, then moves to "Recently deleted"; true when it was done. */
    async remove(photos) {
        const size = photos.reduce((sum, photo) => sum + photo.size, 0);
        const sure = photos.length > 0 && await confirm({
            title: t("delete.title", { n: photos.length }), note: t("delete.note", { size: bytes(size) }),
            action: t("delete.action", { n: photos.length }), danger: true,
        });
        if (!sure) return false;
        return this.attempt(async () => {
            const ids = photos.map((photo) => photo.id);
            await api.moveToTrash(ids);
            this.forget(ids);
            toast(t("delete.done", { n: ids.length }), { action: t("undo"), run: () => this.putBack(photos) });
        });
    }

    /** Undoes a removal that was just made. */
    putBack(photos) {
        return this.attempt(async () => {
            await api.restore(photos.map((photo) => photo.id));
            this.reload();
            toast(t("restore.done", { n: photos.length }));
        });
    }

    restore(photos) {
        return this.attempt(async () => {
            const ids = photos.map((photo) => photo.id);
            await api.restore(ids);
            this.forget(ids);
            toast(t("restore.done", { n: ids.length }));
        });
    }

    async empty() {
        await this.list.all();
        const sure = await confirm({
            title: t("deleted.emptyTitle", { n: this.list.photos.length }), note: t("deleted.emptyNote"),
            action: t("deleted.emptyAction"), danger: true,
        });
        if (!sure) return;
        await this.attempt(async () => {
            const { count } = await api.emptyTrash();
            this.reload();
            toast(t("deleted.emptied", { n: count ?? 0 }));
        });
    }

    forget(ids) {
        this.selection.end();
        this.list.remove(ids);
    }

    reload() {
        const fresh = new PhotoList(this.list.load);
        const { photos, byId } = fresh;
        Object.assign(this.list, { photos, byId, cursor: null, isComplete: false, error: null });
        this.selection.end();
        this.list.more();
    }

    async attempt(work) {
        try {
            await work();
            return true;
        } catch (error) {
            // What the banner about the connection, or the door, says by itself is not said twice.
            const isSaid = error instanceof api.Unreachable || (error instanceof api.Problem && api.meansSessionEnd(error));
            if (!isSaid) toast(describe(error));
            return false;
        }
    }
}
