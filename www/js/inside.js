// Inside a vault: the shell, its screens by address, the uploads beside them.
import { Adding } from "./adding.js";
import { damageNotice } from "./damage.js";
import { el } from "./dom.js";
import { percent, t } from "./i18n.js";
import { watchIdle } from "./idle.js";
import { Library } from "./library.js";
import { Pictures } from "./pictures.js";
import { settingsScreen } from "./settings.js";
import { Shell } from "./shell.js";
import { dismissToast } from "./toast.js";
import { UploadPanel } from "./upload-panel.js";

/** New photos are shown together, so that 1,000 files do not redraw the gallery 1,000 times. */
const arrivalPause = 1000;

export class Inside {
    constructor({ session, hello, uploads, onLeave, onLock, onLanguage }) {
        Object.assign(this, { session, hello, uploads, onLeave, onLock, onLanguage });
        this.element = el("div");
        this.arrived = [];
        this.share = null;
        this.listeners = new AbortController();
        const { signal } = this.listeners;
        this.pictures = new Pictures({ atOnce: () => (uploads.queue.uploading > 0 ? 2 : 4) });
        window.addEventListener("hashchange", () => this.route(), { signal });
        uploads.addEventListener("saved", ({ detail }) => this.gather(detail), { signal });
        const idleSeconds = session.idleSeconds ?? 900;
        this.stopIdle = watchIdle(idleSeconds, {
            isBusy: () => uploads.queue.uploading > 0,
            onIdle: () => onLeave(t("locked.idle", { n: Math.max(1, Math.round(idleSeconds / 60)) })),
        });
        this.build();
    }

    build() {
        this.shell = new Shell({ onAdd: () => this.adding.choose(), onLock: this.onLock });
        this.adding = new Adding({ onFiles: (files) => this.add(files) });
        this.panel = new UploadPanel(this.uploads, {
            onShow: (shown) => this.shell.element.classList.toggle("has-uploads", shown),
            onShare: (share) => this.setTitle(share),
            onSettled: () => { location.hash = "#/photos"; },
        });
        this.element.replaceChildren(this.shell.element, this.panel.element, this.adding.element, this.adding.overlay);
    }

    /** In another language: everything is built again, the queue stays. */
    redraw() {
        this.takeDown();
        this.build();
        this.route();
    }

    takeDown() {
        this.screen?.dispose();
        this.screen = null;
        this.panel.dispose();
        this.adding.dispose();
    }

    dispose() {
        this.listeners.abort();
        this.stopIdle();
        clearTimeout(this.timer);
        this.takeDown();
        this.pictures.clear();
        this.element.replaceChildren();
    }

    /** The address says which screen; an unknown one is the photos. */
    route() {
        const name = { "#/deleted": "deleted", "#/settings": "settings" }[location.hash] ?? "photos";
        this.screen?.dispose();
        dismissToast();
        this.screen = this.make(name);
        this.name = name;
        this.shell.show(name, this.screen);
        this.setTitle();
        window.scrollTo(0, 0);
        this.screen.element.querySelector("h1")?.focus({ preventScroll: true });
    }

    /** The tab says how far an upload is, else where one is. */
    setTitle(share = this.share) {
        this.share = share;
        document.title = `${share === null ? this.screen?.title ?? "" : percent(share)} · Safelight`;
    }

    make(name) {
        const { session, onLanguage, onLeave } = this;
        if (name === "settings") return settingsScreen({ session, onLanguage, onLeave });
        const onAccepted = () => this.uploads.release("read-only");
        const notice = name === "photos" ? damageNotice(session, { onAccepted }) : null;
        const notices = notice ? [notice] : [];
        return new Library({ kind: name, pictures: this.pictures, onAdd: () => this.adding.choose(), notices });
    }

    add(files) {
        this.uploads.add(files);
        this.panel.began(files.length);
    }

    gather(photo) {
        if (!photo) return;
        this.arrived.push(photo);
        this.timer ??= setTimeout(() => {
            this.timer = null;
            const photos = this.arrived.splice(0);
            if (this.screen instanceof Library) this.screen.arrived(photos);
        }, arrivalPause);
    }
}
