// Inside a vault, or a space without a password: the shell, its screens by address, the uploads beside them.
import { Adding, Arriving } from "./arriving.js";
import * as api from "../base/api.js";
import { HostNews, tellSending } from "./notices.js";
import { announce, el, turn } from "../base/dom.js";
import { tellFolders } from "../files/drop.js";
import { t } from "../base/i18n.js";
import { Screens, watchIdle, WhenLeft } from "./screens.js";
import { noteScreen, onTabs, preference, steppedBack } from "../base/browser.js";
import { Pictures } from "../photos/pictures.js";
import { Shell, watchSession } from "./shell.js";
import { dismissToast } from "../elements/dialog.js";

/** @typedef {{session: Session, uploads: Uploads, albums: Parts["albums"], doors: Parts["doors"],
 *     gallery: Parts["gallery"], library: Parts["library"], search: Parts["search"], sending: Parts["sending"],
 *     settings: Parts["settings"], onLeave: (reason: string) => void, onLock: (reason?: string) => unknown,
 *     onLockEverywhere: () => Promise<void>, onLanguage: (code: string) => void,
 *     onNeedVault: (action: Action | null) => unknown, onLate: (files: File[]) => void,
 *     onLateChange: () => void}} InsideOptions */

/** @typedef {import("./screens.js").Screen} Screen */

export { Adding };

/** New photos are shown together, so that 1,000 files do not redraw the gallery 1,000 times. */
const arrivalPause = 1000;
/** While more are on their way: those stand in their places already. */
const arrivalPauseMeanwhile = 2500;
/** Bytes in a second: where the way gives so many, it is this device that has no time left. */
const fastWay = 10_000_000;

export class Inside extends Screens {
    /** @type {string | null | undefined} */ name;
    /** @type {Shell} */ shell;
    /** @type {Adding} */ adding;
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */ timer;
    /** From which screen, and which photo on it, somebody has come to what is like that.
     * @type {{name: string, photo: Photo} | null} */
    cameFrom = null;
    /** The album for which photos are chosen among all, on the screen that comes next.
     * @type {Album | null} */
    filling = null;

    /** `onLeave`, `onLock`, `onLockEverywhere` and `onLanguage` are as for the settings. `onNeedVault(action)` opens one in
     * place, into which a guest moves; `action` is null where nothing waits for it. `onLate(files)` gets what was chosen before this was closed;
     * `onLateChange()` is called where what is listed was changed from a screen that is closed by then.
     * @param {InsideOptions} options */
    constructor(options) {
        super();
        const { session, uploads } = options;
        this.session = session;
        this.uploads = uploads;
        this.albums = options.albums;
        this.doors = options.doors;
        this.gallery = options.gallery;
        this.library = options.library;
        this.search = options.search;
        this.sending = options.sending;
        this.settings = options.settings;
        this.onLeave = options.onLeave;
        this.onLock = options.onLock;
        this.onLockEverywhere = options.onLockEverywhere;
        this.onLanguage = options.onLanguage;
        this.onNeedVault = options.onNeedVault;
        this.onLate = options.onLate;
        this.onLateChange = options.onLateChange;
        this.isGuest = session.kind === "guest";
        this.albumList = new options.albums.AlbumList({ isGuest: this.isGuest });
        this.albumPlaces = new options.albums.AlbumPlaces();
        this.placeNames = new options.albums.PlaceNames();
        this.finding = new options.search.Finding();
        this.doorsNews = new options.doors.DoorsNews({ onShow: (id) => this.showAlbum(id) });
        this.results.append(this.doorsNews.element);
        if (!this.isGuest) this.doorsNews.ask();
        this.element = el("div");
        /** @type {{id: string, duplicate: boolean}[]} */
        this.arrived = [];
        const { signal } = this.listeners;
        this.joining = new options.albums.AlbumJoining(uploads, { signal, onJoined: () => this.refresh() });
        this.pictures = new Pictures({ atOnce: () => (uploads.queue.uploading > 0 ? 2 : 4),
            isBusy: () => uploads.queue.uploading > 0 && uploads.pace.rate > fastWay });
        uploads.addEventListener("change", () => this.pictures.catchUp(), { signal });
        window.addEventListener("hashchange", () => this.route(), { signal });
        document.addEventListener("keydown", (event) => this.key(event), { signal });
        onTabs("renewed", () => this.renew(), { signal });
        uploads.addEventListener("saved", ({ detail }) => this.gather(detail), { signal });
        uploads.addEventListener("checked", () => {
            this.showArrived();
            this.screen?.markChecked?.();
        }, { signal });
        this.arriving = new Arriving(uploads, { signal });
        this.arriving.addEventListener("missed", ({ detail }) => this.pictures.takeOver(detail.photo, detail.id), { signal });
        this.stopIdle = this.watchIdle();
        this.listing = session.listing;
        this.hostNews = new HostNews();
        watchSession({ signal, onNews: (news) => this.hear(news) });
        tellSending(uploads, { signal });
        this.whenLeft = new WhenLeft({ signal, isVault: !this.isGuest, isBusy: () => uploads.queue.unsent > 0,
            onLock: () => this.onLock(t("locked.left")) });
        // Where somebody was in a screen is known here better than to the browser.
        history.scrollRestoration = "manual";
        uploads.isVault = !this.isGuest;
        uploads.sending = this.sending;
        this.followMove();
        uploads.readDates();
        this.build();
        this.sayCutShort();
        // Folders may have come to the door, or to a guest.
        this.offerAlbums([...uploads.queue.states.waiting].filter(({ space }) => space === uploads.space));
    }

    /** A session that is kept, and a guest's, does not end by idleness. */
    watchIdle() {
        const { uploads, onLock } = this;
        const idleSeconds = this.session.idleSeconds ?? Infinity;
        return idleSeconds === Infinity ? () => {} : watchIdle(idleSeconds, {
            isBusy: () => uploads.queue.uploading > 0,
            onIdle: () => {
                // The host locks by itself at this time; but its clock and this one may differ.
                onLock(t("locked.idle", { n: Math.max(1, Math.round((this.session.idleLimitSeconds ?? idleSeconds) / 60)) }));
            },
        });
    }

    /** The session is no longer what it was. Without an answer, what is shown stays. */
    async renew() {
        const session = await api.session().catch(() => this.session);
        if (session.kind !== this.session.kind) return;
        this.session = session;
        this.stopIdle();
        this.stopIdle = this.watchIdle();
        this.route();
    }

    /** What other devices do in this vault: the photos that they send come without a jump.
     * @param {Session} news */
    hear(news) {
        if (news.kind !== this.session.kind) return;
        // This page says itself how far it is with sending.
        this.hostNews.show(this.uploads.queue.unsent > 0 ? { sending: news.sending } : news);
        if (news.listing === this.listing) return;
        this.listing = news.listing;
        if (!this.isGuest) this.doorsNews.ask();
        this.placeNames.renew();
        this.refresh();
    }

    build() {
        this.lists = new Map();
        /** Where somebody was in each screen that they have left. */
        this.places = new Map();
        const onOpen = this.isGuest ? () => this.onNeedVault(null) : null;
        this.shell = new Shell({ onAdd: () => this.chooseFiles(), onLock: () => this.onLock(), onOpen });
        this.adding = new Adding({ onFiles: (files, unread) => this.add(files, unread), onUnread: (paths) => this.sayUnread(paths),
            isGuest: this.isGuest });
        this.panel = new this.sending.UploadPanel(this.uploads, {
            onShow: (shown) => this.shell.element.classList.toggle("has-uploads", shown),
            onShare: (share) => this.setTitle(share),
            onSettled: () => this.showRecent(),
        });
        this.element.replaceChildren(this.shell.element, this.panel.element, this.adding.element, this.adding.overlay);
    }

    /** In another language: everything is built again, the queue stays. */
    redraw() {
        this.takeDown();
        this.placeNames.forget();
        this.build();
        this.route();
    }

    takeDown() {
        this.bar?.dispose();
        this.bar = null;
        this.screen?.dispose();
        this.screen = null;
        this.name = null;
        for (const list of this.lists.values()) list.dispose();
        this.panel.dispose();
        this.adding.dispose();
    }

    dispose() {
        this.listeners.abort();
        this.stopIdle();
        this.hostNews.dispose();
        this.doorsNews.dispose();
        clearTimeout(this.timer);
        this.takeDown();
        this.pictures.clear();
        this.albumList.dispose();
        this.placeNames.dispose();
        this.albumPlaces.clear();
        this.finding.clear();
        this.element.replaceChildren();
        // What was said in here is nobody's business outside.
        announce("");
    }

    /** What is listed has changed at the host. */
    refresh() {
        this.screen?.renew?.();
    }

    /** The address says which screen; an unknown one is the photos. */
    route() {
        const name = this.nameAt(location.hash);
        const isNew = noteScreen();
        if (this.name) this.places.set(this.name, { y: window.scrollY, anchor: this.place });
        this.screen?.dispose();
        dismissToast();
        // Only who comes back finds what was looked for; whoever comes anew looks for something else.
        if (isNew && name === "results") this.forgetSearch();
        const { cameFrom } = this;
        this.cameFrom = null;
        this.screen = this.make(name);
        if (name === "settings") this.screen.element.querySelector(".top")?.after(this.results);
        this.filling = null;
        this.name = name;
        this.shell.show(name, this.screen);
        this.setTitle();
        this.resume(this.places.get(name));
        this.screen.element.querySelector("h1")?.focus({ preventScroll: true });
        if (name === "results" && !this.finding.query) this.bar?.focus();
        if (location.hash === "#/add") this.chooseFiles();
        if (!isNew && cameFrom?.name === name) this.reopen(cameFrom.photo);
        else if (name === "similar") this.cameFrom = cameFrom;
    }

    /** "/" leads to where one looks for something, from everywhere but from where somebody types (WCAG 2.1.4: it can be
     * switched off).
     * @param {KeyboardEvent} event */
    key(event) {
        const isTyped = /** @type {Element} */ (event.target).closest("dialog, input, textarea, select");
        if (event.key !== "/" || isTyped || event.ctrlKey || event.metaKey || event.altKey || preference("letters", "on") !== "on") return;
        event.preventDefault();
        if (this.name === "results") this.bar?.focus();
        else location.hash = "#/search";
    }

    /** Shows what is like a photo, once the viewer has left its place in the history.
     * @param {Photo} photo */
    async showSimilar(photo) {
        await steppedBack();
        if (this.listeners.signal.aborted) return;
        this.finding.alike = photo;
        this.forgetList("similar");
        if (this.name === "similar") {
            this.route();
            return;
        }
        this.cameFrom = { name: this.name ?? "", photo };
        location.hash = "#/similar";
    }

    /** What has just come, wherever it stands among all photos. */
    showRecent() {
        this.places.delete("recent");
        if (this.name === "recent") window.scrollTo(0, 0);
        location.hash = "#/recent";
    }

    /** @param {string} name @returns {Screen} */
    make(name) {
        const { session, isGuest, settings, onLanguage, onLeave, onLockEverywhere } = this;
        const onOpen = () => this.onNeedVault(null);
        if (name === "settings") {
            return isGuest ? settings.guestSettingsScreen({ session, onLanguage, onLeave, onOpen })
                : settings.settingsScreen({ session, doors: this.doors, onLanguage, onLeave, onLockEverywhere,
                    onRenewed: () => this.renew(), onMoveIn: () => this.showMoveIn(this.adding) });
        }
        if (name === "waiting" && !isGuest) {
            return new this.doors.WaitingScreen({ pictures: this.pictures, onTaken: () => this.doorsNews.ask() });
        }
        const album = this.albumPlaces.at(`#/${name}`);
        if (name === "albums" || album?.within !== undefined) {
            return new this.albums.AlbumWall({ list: this.albumList, names: this.placeNames, pictures: this.pictures, notices: this.notices(name, onOpen),
                addressOf: (one) => this.albumPlaces.address(one), within: album?.within, perform: (action) => this.perform(action),
                onLateChange: this.onLateChange });
        }
        if (name === "places") return this.placesScreen();
        if (name === "duplicates") {
            return new this.search.DuplicatesScreen({ pictures: this.pictures,
                onRemove: (photos, onChange) => this.library.remove(photos, onChange) });
        }
        const place = album?.placeID === undefined ? null : album;
        const kind = /** @type {import("../library/library.js").Kind} */ (place ? "place" : album ? "album" : name);
        const list = this.listOf(name, kind, album);
        this.bar?.dispose();
        this.bar = name === "results" ? new this.search.SearchBar({ finding: this.finding, list, names: this.placeNames }) : null;
        return new this.library.Library({
            kind, album: place ? null : album, place, names: this.placeNames, albums: this.albums, gallery: this.gallery, pictures: this.pictures, isGuest, list,
            onSimilar: (photo) => this.showSimilar(photo), onAlbum: (one) => this.goToAlbum(one), whenEmpty: this.whenEmpty(kind),
            filling: name === "photos" ? this.filling : null,
            onAdd: () => this.chooseFiles(), perform: (action) => this.perform(action), onLateChange: this.onLateChange,
            notices: this.bar ? [this.bar.element, this.results] : this.notices(name, onOpen),
        });
    }

    /** Runs what needs a vault; for a guest, once one is open. True when it ran here and now.
     * @param {Action} action @returns {Promise<boolean>} */
    async perform(action) {
        if (this.isGuest) {
            this.onNeedVault(action);
            return false;
        }
        await action.run();
        if (action.isChange) this.refresh();
        return true;
    }

    /** Where one is, for the session that follows this one. */
    get place() {
        return this.screen?.list ? this.screen.anchor ?? null : null;
    }

    /** @param {Anchor | null} anchor */
    async goTo(anchor) {
        if (!anchor || !this.screen?.list) return;
        try {
            await this.screen.goTo?.(anchor);
        } catch {
            // The photo is gone; the newest ones are as good a place.
        }
    }

    /** Within an album all goes there, also what is among the other photos already. */
    chooseFiles() {
        const album = this.screen?.album?.isOwn ? this.screen.album.album : null;
        this.adding.choose(album && { name: album.name ?? "", onVault: () => {
            this.filling = album;
            location.hash = "#/photos";
        } });
    }

    /** @type {(files: File[], unread?: string[]) => void} of what was dropped with them, `unread` cannot be read */
    add(files, unread = []) {
        if (this.listeners.signal.aborted) this.onLate(files);
        else if (this.isMove(files)) this.offerMove(files, unread);
        else this.keep(files);
    }

    /** As they are, whatever is in them.
     * @param {File[]} files */
    async keep(files) {
        const album = this.screen?.albumName ?? null;
        const added = tellFolders(this.uploads.add(files, { album }));
        await turn();
        if (this.listeners.signal.aborted) return;
        this.panel.began(files.length);
        if (album === null) this.offerAlbums(added);
    }

    /** @param {{id: string, duplicate: boolean}} saved */
    gather(saved) {
        this.arrived.push(saved);
        this.screen?.expect?.();
        this.timer ??= setTimeout(() => this.showArrived(),
            this.uploads.queue.unsent > 0 ? arrivalPauseMeanwhile : arrivalPause);
    }

    showArrived() {
        clearTimeout(this.timer);
        this.timer = null;
        if (this.arrived.length > 0 && this.screen?.list) this.screen.arrived?.(this.arrived.splice(0));
    }
}
