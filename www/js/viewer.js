// One photo or video, fitted to the window, on black. The phone's Back button closes it.
import * as api from "./api.js";
import { el, icon, reconcile, setText } from "./dom.js";
import { downloadPhoto } from "./download.js";
import { bytes, day, dayAndTime, t } from "./i18n.js";
import { isShownAsImage, isVideo } from "./pictures.js";
import { confirmSession } from "./session-watch.js";
import { noPictureWords, shortType } from "./tile.js";

/**
 * `onDelete(photo)` and `onRestore(photo)` resolve to true when it left the list; `onClosed(photo)` says what was
 * shown last.
 */
export function openViewer(options) {
    return new Viewer(options);
}

function round(name, key, run, classes = "round") {
    return el("button", { class: classes, type: "button", "aria-label": t(key), onclick: run }, icon(name));
}

function tool(name, key, run, classes = "") {
    return el("button", { type: "button", class: classes, onclick: run }, icon(name), el("span", {}, t(key)));
}

class Viewer {
    constructor({ list, photo, kind, onDelete, onRestore, onClosed }) {
        Object.assign(this, { list, photo, kind, onDelete, onRestore, onClosed });
        this.listeners = new AbortController();
        this.build();
        document.body.append(this.dialog);
        // No id in the address: ids are of this session, and the history outlives it.
        history.pushState({ viewer: true }, "", location.href);
        this.dialog.showModal();
        this.show(photo);
        this.closeButton.focus();
    }

    build() {
        const { signal } = this.listeners;
        this.closeButton = round("left", "viewer.close", () => this.close());
        this.name = el("span");
        this.place = el("span", { class: "small figures" });
        this.stage = el("figure", {});
        this.previous = round("left", "viewer.previous", () => this.step(-1), "step is-previous");
        this.next = round("right", "viewer.next", () => this.step(1), "step is-next");
        this.infoButton = tool("info", "info", () => this.toggleInfo());
        this.infoButton.setAttribute("aria-expanded", "false");
        this.facts = el("dl", { class: "facts" });
        const about = { class: "viewer-info", "aria-labelledby": "viewer-info-title", tabindex: "-1", hidden: true };
        this.info = el("aside", about, el("div", { class: "sheet-head" },
            el("h2", { id: "viewer-info-title" }, t("info.title")),
            round("close", "close", () => this.toggleInfo())), this.facts);
        const last = this.kind === "photos" ? tool("bin", "delete", () => this.leave(this.onDelete), "is-danger")
            : tool("restore", "restore", () => this.leave(this.onRestore));
        this.dialog = el("dialog", { class: "viewer", "aria-labelledby": "viewer-title" },
            el("div", { class: "viewer-top" }, this.closeButton,
                el("h1", { id: "viewer-title" }, this.name, this.place), el("span", { class: "round" })),
            el("div", { class: "viewer-stage" }, this.stage, this.previous, this.next),
            el("div", { class: "viewer-bar" },
                tool("download", "download", () => downloadPhoto(this.photo)), this.infoButton, last), this.info);
        this.dialog.addEventListener("close", () => this.closed());
        this.dialog.addEventListener("keydown", (event) => this.key(event));
        window.addEventListener("popstate", () => { this.isBack = true; this.dialog.close(); }, { signal });
        this.list.addEventListener("change", () => this.drawPlace(), { signal });
        this.watchSwipe();
    }

    get index() { return this.list.photos.findIndex((photo) => photo.id === this.photo.id); }

    show(photo) {
        this.photo = photo;
        this.clearStage();
        this.stage.replaceChildren(this.content(photo));
        setText(this.name, photo.name);
        this.drawPlace();
        this.drawFacts();
        if (this.index > this.list.photos.length - 5) this.list.more();
    }

    content(photo) {
        const source = api.originalPath(photo);
        const fallBack = async () => {
            // A picture that is refused looks to the page like one that no browser can show.
            await confirmSession();
            if (this.photo === photo) this.stage.replaceChildren(this.cannotShow(photo));
        };
        if (isVideo(photo)) {
            return el("video",
                { src: source, controls: true, playsinline: true, preload: "metadata", onerror: fallBack,
                    ...(photo.picture === "made" ? { poster: api.previewPath(photo) } : {}) });
        }
        // What no browser shows, and raw files, have a preview that all of them do.
        const isOriginal = isShownAsImage(photo);
        if (!isOriginal && !photo.type.startsWith("image/")) return this.cannotShow(photo);
        return el("img", { src: isOriginal ? source : api.previewPath(photo), alt: photo.name, decoding: "async", draggable: "false", onerror: fallBack });
    }

    cannotShow(photo) {
        return el("div", { class: "cannot" }, icon(isVideo(photo) ? "play" : "file"),
            el("p", {}, el("strong", {}, shortType(photo))), el("p", { class: "note" }, noPictureWords(photo)),
            el("p", { class: "note" }, t("viewer.cannot")));
    }

    /** Ends the request of what is left, so that quick steps do not pile up. */
    clearStage() {
        for (const media of this.stage.querySelectorAll("img, video")) {
            media.onerror = null;
            media.removeAttribute("src");
            media.load?.();
        }
    }

    drawPlace() {
        const { index } = this;
        const count = this.list.photos.length;
        const when = day(new Date(this.photo.receivedAt));
        setText(this.place, this.list.isComplete ? t("viewer.place", { date: when, at: index + 1, n: count }) : when);
        this.previous.disabled = index <= 0;
        this.next.disabled = index >= count - 1;
    }

    drawFacts() {
        const { photo } = this;
        const facts = [["info.name", photo.name], ["info.type", photo.type], ["info.size", bytes(photo.size)],
            ["info.added", dayAndTime(new Date(photo.receivedAt))],
            ["info.modified", photo.modifiedAt && dayAndTime(new Date(photo.modifiedAt))],
            ["info.deleted", photo.deletedAt && dayAndTime(new Date(photo.deletedAt))], ["info.sha256", photo.sha256]];
        reconcile(this.facts, facts.filter(([, value]) => value).map(([key, value]) =>
            el("div", {}, el("dt", {}, t(key)),
                el("dd", { class: key === "info.sha256" ? "hex" : "figures" }, value))));
    }

    step(by) {
        const photo = this.list.photos[this.index + by];
        if (photo) this.show(photo);
    }

    toggleInfo() {
        this.info.hidden = !this.info.hidden;
        this.dialog.classList.toggle("has-info", !this.info.hidden);
        this.infoButton.setAttribute("aria-expanded", String(!this.info.hidden));
        if (this.info.hidden) this.infoButton.focus();
        else this.info.focus();
    }

    /** Deletes or restores what is shown and goes on with its neighbour. */
    async leave(run) {
        const { photo, index } = this;
        if (!await run(photo)) return;
        const neighbour = this.list.photos[Math.min(index, this.list.photos.length - 1)];
        if (neighbour) this.show(neighbour);
        else this.close();
    }

    key(event) {
        if (event.target instanceof HTMLVideoElement || event.ctrlKey || event.metaKey || event.altKey) return;
        const ends = { Home: 0, End: this.list.photos.length - 1 };
        if (event.key === "ArrowLeft") this.step(-1);
        else if (event.key === "ArrowRight") this.step(1);
        else if (event.key in ends) this.show(this.list.photos[ends[event.key]]);
        else if (event.key === "Delete" && this.kind === "photos") this.leave(this.onDelete);
        else return;
        event.preventDefault();
    }

    watchSwipe() {
        let start = null;
        this.stage.addEventListener("touchstart", ({ touches }) => {
            const isSwipe = touches.length === 1 && (visualViewport?.scale ?? 1) <= 1.01;
            start = isSwipe ? { x: touches[0].clientX, y: touches[0].clientY } : null;
        }, { passive: true });
        this.stage.addEventListener("touchend", ({ changedTouches }) => {
            if (!start) return;
            const x = changedTouches[0].clientX - start.x;
            const y = changedTouches[0].clientY - start.y;
            start = null;
            if (Math.abs(x) > 48 && Math.abs(x) > 2 * Math.abs(y)) this.step(x < 0 ? 1 : -1);
            else if (y > 96 && y > 2 * Math.abs(x)) this.close();
        }, { passive: true });
    }

    close() { this.dialog.close(); }

    closed() {
        this.listeners.abort();
        this.clearStage();
        this.dialog.remove();
        if (!this.isBack && history.state?.viewer) history.back();
        this.onClosed(this.list.byId.has(this.photo.id) ? this.photo : null);
    }
}
