// Inside a vault, or a space without a password: the shell, its screens by address, the uploads beside them.
import { Adding } from "../uploads/adding.js";
import * as api from "../base/api.js";
import { Arriving } from "./arriving.js";
import { damageNotice, keptUntilLine, leftLine, movedWords, resultNotice, SendingNews, tellSending } from "./notices.js";
import { announce, el, turn } from "../base/dom.js";
import { folderOf } from "../files/drop.js";
import { percent, t } from "../base/i18n.js";
import { watchIdle, WhenLeft } from "./idle.js";
import { noteScreen, onTabs, preference, steppedBack } from "../base/browser.js";
import { cutShort } from "../uploads/batch.js";
import { Pictures } from "../photos/pictures.js";
import { Shell, watchSession } from "./shell.js";
import { dismissToast } from "../elements/dialog.js";

/**
 * @typedef {object} InsideOptions
 * @property {Session} session
 * @property {Uploads} uploads
 * @property {Parts["albums"]} albums
 * @property {Parts["doors"]} doors
 * @property {Parts["gallery"]} gallery
 * @property {Parts["library"]} library
 * @property {Parts["search"]} search
 * @property {Parts["sending"]} sending
 * @property {Parts["settings"]} settings
 * @property {(reason: string) => void} onLeave
 * @property {(reason?: string) => unknown} onLock
 * @property {() => Promise<void>} onLockEverywhere
 * @property {(code: string) => void} onLanguage
 * @property {(action: Action | null) => unknown} onNeedVault
 * @property {(files: File[]) => void} onLate
 * @property {() => void} onLateChange
 */

/** @typedef {import("../library/library.js").Library} Library */

/** @typedef {InsideScreen & Partial<Omit<Library, keyof InsideScreen>>} Screen */

/** Of so many albums the lists are kept, with what was seen in them. */
const mostAlbumLists = 8;

export { Adding };

/** New photos are shown together, so that 1,000 files do not redraw the gallery 1,000 times. */
const arrivalPause = 1000;
/** While more are on their way: those stand in their places already. */
const arrivalPauseMeanwhile = 2500;
/** Bytes in a second: where the way gives so many, it is this device that has no time left. */
const fastWay = 10_000_000;
const mostNamed = 5;
/** @type {Record<string, string>} */
const screens = { "#/albums": "albums", "#/recent": "recent", "#/deleted": "deleted", "#/settings": "settings",
    "#/search": "results", "#/similar": "similar", "#/duplicates": "duplicates", "#/waiting": "waiting" };

export class Inside {
    /** @type {Map<string, PhotoList>} */
    lists;
    /** @type {Map<string, {y: number, anchor: Anchor | null}>} */
    places;
    /** @type {Screen | null | undefined} */
    screen;
    /** @type {string | null | undefined} */
    name;
    /** @type {Shell} */
    shell;
    /** @type {Adding} */
    adding;
    /**
     * Where somebody says what to look for.
     * @type {import("../search/search.js").SearchBar | null | undefined}
     */
    bar;
    /** @type {import("../uploads/upload-panel.js").UploadPanel} */
    panel;
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */
    timer;
    /**
     * From which screen, and which photo on it, somebody has come to what is like that.
     * @type {{name: string, photo: Photo} | null}
     */
    cameFrom = null;
    /**
     * The album for which photos are chosen among all, on the screen that comes next.
     * @type {Album | null}
     */
    filling = null;

    /**
     * `onLeave`, `onLock`, `onLockEverywhere` and `onLanguage` are as for the settings. `onNeedVault(action)` opens one in
     * place, into which a guest moves; `action` is null where nothing waits for it. `onLate(files)` gets what was chosen before this was closed;
     * `onLateChange()` is called where what is listed was changed from a screen that is closed by then.
     * @param {InsideOptions} options
     */
    constructor(options) {
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
        this.finding = new options.search.Finding();
        this.results = el("div", { class: "results" });
        this.doorsNews = new options.doors.DoorsNews({ onShow: (id) => this.showAlbum(id) });
        this.results.append(this.doorsNews.element);
        if (!this.isGuest) this.doorsNews.ask();
        this.element = el("div");
        /** @type {{id: string, duplicate: boolean}[]} */
        this.arrived = [];
        /** @type {number | null} */
        this.share = null;
        this.listeners = new AbortController();
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
        this.sendingNews = new SendingNews();
        watchSession({ signal, onNews: (news) => this.hear(news) });
        tellSending(uploads, { signal });
        this.whenLeft = new WhenLeft({ signal, isVault: !this.isGuest, isBusy: () => uploads.queue.unsent > 0,
            onLock: () => this.onLock(t("locked.left")) });
        // Where somebody was in a screen is known here better than to the browser.
        history.scrollRestoration = "manual";
        uploads.isVault = !this.isGuest;
        uploads.sending = this.sending;
        uploads.readDates();
        this.build();
        this.sayCutShort();
        // Folders may have come to the door, or to a guest.
        this.offerAlbums([...uploads.queue.states.waiting].filter(({ space }) => space === uploads.space));
    }

    /** After a reload in the middle of an upload: choosing the same files again goes on with it. */
    async sayCutShort() {
        if (this.uploads.queue.total > 0) return;
        const upload = await cutShort();
        if (!upload || this.listeners.signal.aborted || this.uploads.queue.total > 0) return;
        this.uploads.askFirst();
        const said = this.say({ isGood: false, title: t("up.cutShort", { done: upload.saved, n: upload.total }),
            notes: [t("up.cutShortNote")] });
        // Once the same files were chosen, it is not so any more.
        this.uploads.addEventListener("finished", () => said?.remove(), { once: true, signal: this.listeners.signal });
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

    /**
     * What other devices do in this vault: the photos that they send come without a jump.
     * @param {Session} news
     */
    hear(news) {
        if (news.kind !== this.session.kind) return;
        this.sendingNews.show(news.sending);
        if (news.listing === this.listing) return;
        this.listing = news.listing;
        if (!this.isGuest) this.doorsNews.ask();
        this.refresh();
    }

    build() {
        this.lists = new Map();
        /** Where somebody was in each screen that they have left. */
        this.places = new Map();
        const onOpen = this.isGuest ? () => this.onNeedVault(null) : null;
        this.shell = new Shell({ onAdd: () => this.chooseFiles(), onLock: () => this.onLock(), onOpen });
        this.adding = new Adding({ onFiles: (files) => this.add(files), onUnread: (paths) => this.sayUnread(paths),
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
        this.sendingNews.dispose();
        this.doorsNews.dispose();
        clearTimeout(this.timer);
        this.takeDown();
        this.pictures.clear();
        this.albumList.dispose();
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
        if (!isNew && cameFrom?.name === name) this.reopen(cameFrom.photo);
        else if (name === "similar") this.cameFrom = cameFrom;
    }

    /**
     * Who has looked at what is like a photo comes back to that photo, where it is still listed.
     * @param {Photo} photo
     */
    reopen({ id }) {
        const place = this.screen?.list?.placeOf(id) ?? -1;
        if (place >= 0) this.screen?.open?.(place);
    }

    forgetSearch() {
        this.finding.set("");
        this.forgetList("results");
    }

    /**
     * A screen begins anew.
     * @param {string} name
     */
    forgetList(name) {
        this.lists.get(name)?.dispose();
        this.lists.delete(name);
        this.places.delete(name);
    }

    /**
     * "/" leads to where one looks for something, from everywhere but from where somebody types (WCAG 2.1.4: it can be
     * switched off).
     * @param {KeyboardEvent} event
     */
    key(event) {
        const isTyped = /** @type {Element} */ (event.target).closest("dialog, input, textarea, select");
        if (event.key !== "/" || isTyped || event.ctrlKey || event.metaKey || event.altKey || preference("letters", "on") !== "on") return;
        event.preventDefault();
        if (this.name === "results") this.bar?.focus();
        else location.hash = "#/search";
    }

    /**
     * Shows what is like a photo, once the viewer has left its place in the history.
     * @param {Photo} photo
     */
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

    /**
     * As it is known now: the page may not have listed it yet. One that has gone is missed on the wall.
     * @param {{id: string}} album
     */
    async goToAlbum({ id }) {
        const [album] = await Promise.all([this.albums.albumById(id).catch(() => null), steppedBack()]);
        if (!this.listeners.signal.aborted) location.hash = album ? this.albumPlaces.address(album) : "#/albums";
    }

    /**
     * What an address stands for: a screen, or the album of `album/…`. One of an album that nobody knows is all of them,
     * and what is like a photo that nobody knows are all photos.
     * @param {string} address
     */
    nameAt(address) {
        const name = screens[address] ?? "photos";
        if (!this.albums.isAlbum(address)) return name === "similar" && !this.finding.alike ? "photos" : name;
        return this.albumPlaces.at(address) ? address.slice(2) : "albums";
    }

    /**
     * Whoever comes back to a screen is where they were.
     * @param {{y: number, anchor: Anchor | null} | undefined} place
     */
    resume(place) {
        window.scrollTo(0, 0);
        if (!place) return;
        if (this.screen?.list) this.screen.resume?.(place);
        else window.scrollTo(0, place.y);
    }

    /** What has just come, wherever it stands among all photos. */
    showRecent() {
        this.places.delete("recent");
        if (this.name === "recent") window.scrollTo(0, 0);
        location.hash = "#/recent";
    }

    /**
     * The tab says how far an upload is, else where one is.
     * @param {number | null} [share]
     */
    setTitle(share = this.share) {
        this.share = share;
        const title = `${share === null ? this.screen?.title ?? "" : percent(share)} · Safelight`;
        if (document.title !== title) document.title = title;
    }

    /**
     * @param {string} name
     * @returns {Screen}
     */
    make(name) {
        const { session, isGuest, settings, onLanguage, onLeave, onLockEverywhere } = this;
        const onOpen = () => this.onNeedVault(null);
        if (name === "settings") {
            return isGuest ? settings.guestSettingsScreen({ session, onLanguage, onLeave, onOpen })
                : settings.settingsScreen({ session, doors: this.doors, onLanguage, onLeave, onLockEverywhere,
                    onRenewed: () => this.renew() });
        }
        if (name === "waiting" && !isGuest) {
            return new this.doors.WaitingScreen({ pictures: this.pictures, onTaken: () => this.doorsNews.ask() });
        }
        if (name === "albums") {
            return new this.albums.AlbumWall({ list: this.albumList, pictures: this.pictures, notices: this.notices(name, onOpen),
                addressOf: (album) => this.albumPlaces.address(album), perform: (action) => this.perform(action),
                onLateChange: this.onLateChange });
        }
        if (name === "duplicates") {
            return new this.search.DuplicatesScreen({ pictures: this.pictures,
                onRemove: (photos, onChange) => this.library.remove(photos, onChange) });
        }
        const album = this.albumPlaces.at(`#/${name}`);
        const kind = /** @type {import("../library/library.js").Kind} */ (album ? "album" : name);
        const list = this.listOf(name, kind, album);
        this.bar?.dispose();
        this.bar = name === "results" ? new this.search.SearchBar({ finding: this.finding, list }) : null;
        return new this.library.Library({
            kind, album, albums: this.albums, gallery: this.gallery, pictures: this.pictures, isGuest, list,
            onSimilar: (photo) => this.showSimilar(photo), onAlbum: (one) => this.goToAlbum(one), whenEmpty: this.whenEmpty(name),
            filling: name === "photos" ? this.filling : null,
            onAdd: () => this.chooseFiles(), perform: (action) => this.perform(action), onLateChange: this.onLateChange,
            notices: this.bar ? [this.bar.element, this.results] : this.notices(name, onOpen),
        });
    }

    /**
     * Goes to an album by its id; where it is not known, to what came last.
     * @param {string | null} id
     */
    async showAlbum(id) {
        if (id !== null) await this.albumList.refresh();
        if (this.listeners.signal.aborted) return;
        const album = this.albumList.albums.find((one) => one.id === id);
        location.hash = album ? this.albumPlaces.address(album) : "#/recent";
    }

    /**
     * What a screen shows where nothing is listed; undefined where that is said as of all photos.
     * @param {string} name
     */
    whenEmpty(name) {
        const { bar } = this;
        if (bar) return () => bar.emptyState();
        return name === "similar" ? () => this.search.nothingAlike() : undefined;
    }

    /**
     * @param {string} name
     * @param {import("../library/library.js").Kind} kind
     * @param {Album | null} album
     * @returns {PhotoList}
     */
    listOf(name, kind, album) {
        const known = this.lists.get(name) ?? this.library.makeList(kind, this.arriving, { album, finding: this.finding,
            onListed: (photo, id) => this.pictures.takeOver(photo, id) });
        // The last ones are those that were used last.
        this.lists.delete(name);
        this.lists.set(name, known);
        const ofAlbums = [...this.lists.keys()].filter((one) => this.albums.isAlbum(`#/${one}`));
        for (const old of ofAlbums.slice(0, Math.max(0, ofAlbums.length - mostAlbumLists))) {
            this.lists.get(old)?.dispose();
            this.lists.delete(old);
        }
        return known;
    }

    /**
     * @param {string} name
     * @param {() => void} onOpen
     */
    notices(name, onOpen) {
        if (name !== "photos") return [this.results];
        const onAccepted = () => this.uploads.release("read-only");
        const { guest } = this.session;
        const line = guest && (this.isGuest ? keptUntilLine(guest, onOpen) : guest.photos > 0 && leftLine(guest, onOpen));
        const notices = [damageNotice(this.session, { onAccepted }), line, this.results];
        return /** @type {HTMLElement[]} */ (notices.filter(Boolean));
    }

    /** Another app has shared photos with this page: the host has them, and led here with how many. */
    sayShared() {
        const [, saved, failed = "0"] = /^#shared=(\d{1,6})(?:&failed=(\d{1,6}))?$/.exec(location.hash) ?? [];
        if (saved === undefined) return;
        history.replaceState(null, "", location.pathname);
        const isGood = failed === "0";
        this.say({ isGood, title: t("shared.saved", { n: Number(saved) }),
            notes: isGood ? [] : [t("shared.failed", { n: Number(failed) })] });
    }

    /**
     * Says what has happened, above what is shown, until somebody puts it away.
     * @param {import("./notices.js").Notice | null} words
     */
    say(words) {
        if (!words) return null;
        const notice = resultNotice(words);
        this.results.append(notice);
        announce([words.title, ...words.notes].join(" "));
        return notice;
    }

    /**
     * What is missing from a dropped folder is missed only here: the rest arrives as if it were all.
     * @param {string[]} paths
     */
    sayUnread(paths) {
        const notes = paths.slice(0, mostNamed);
        if (paths.length > mostNamed) notes.push(t("up.more", { n: paths.length - mostNamed }));
        this.say({ isGood: false, title: t("add.unread", { n: paths.length }), notes });
    }

    /**
     * What became of the guest's photos, `guest` from before, when the vault was opened: `answer`.
     * @param {Opened} answer
     * @param {Guest | null} guest
     */
    sayMoved(answer, guest) {
        this.say(movedWords(answer, guest));
    }

    /**
     * Runs what needs a vault; for a guest, once one is open. True when it ran here and now.
     * @param {Action} action
     * @returns {Promise<boolean>}
     */
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

    /** @param {File[]} files */
    async add(files) {
        if (this.listeners.signal.aborted) {
            this.onLate(files);
            return;
        }
        const album = this.screen?.albumName ?? null;
        const added = this.uploads.add(files, { album });
        await turn();
        if (this.listeners.signal.aborted) return;
        this.panel.began(files.length);
        if (album === null) this.offerAlbums(added);
    }

    /**
     * Who adds folders most likely has them for albums.
     * @param {Item[]} added
     */
    offerAlbums(added) {
        // A guest has no albums.
        const albums = this.isGuest ? new Map() : this.albums.foldersOf(added, folderOf);
        if (albums.size === 0) return;
        const offer = new this.albums.FolderOffer(this.uploads, albums, this.joining);
        this.results.append(offer.element);
        announce(offer.words);
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
