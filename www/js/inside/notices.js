// What stands above a guest's photos, and what is said once they have moved.
import * as api from "../base/api.js";
import { announce, el, icon, setText } from "../base/dom.js";
import { describe, lastDayBefore, t } from "../base/i18n.js";
import { toast } from "../elements/dialog.js";
import * as drop from "../files/drop.js";
import { part } from "../base/parts.js";
import { cutShort } from "../uploads/upload-spaces.js";
import { preference, remember } from "../base/browser.js";

/** @typedef {{isGood: boolean, title: string, notes: string[]}} Notice */

/** Until when the photos are kept, and how to keep them. `guest` is `{photos, until}`.
 * @param {Guest} guest @param {() => void} onOpen @returns {HTMLElement} */
function keptUntilLine(guest, onOpen) {
    return el("div", { class: "bar-line" }, icon("clock", "is-small"),
        el("p", {}, el("strong", {}, t("guest.until", { day: lastDayBefore(guest.until) })), t("space"), t("guest.onlyHere")),
        el("button", { class: "link", type: "button", onclick: onOpen }, t("guest.keep")));
}

/** In a vault: what a guest of this browser still has, and the way in, for it goes after its last day.
 * @param {Guest} guest @param {() => void} onOpen @returns {HTMLElement} */
function leftLine(guest, onOpen) {
    return el("div", { class: "bar-line is-left" }, icon("clock", "is-small"),
        el("p", { class: "figures" }, el("strong", {},
            t("moved.left", { n: guest.photos, day: lastDayBefore(guest.until) }))),
        el("button", { class: "link", type: "button", onclick: onOpen }, t("move.action")));
}

/** What became of the guest's photos, as `{isGood, title, notes}`, or null when none were to move. `answer` is that of
 * opening or creating; `guest` what there was before.
 * @param {Opened} answer @param {Guest | null} guest @returns {Notice | null} */
export function movedWords(answer, guest) {
    if (!guest || guest.photos === 0 || !answer.isAsked) return null;
    const day = lastDayBefore(guest.until);
    if (answer.migrationRefused) {
        const why = answer.migrationRefused === "vault-full" ? t("moved.full") : t("moved.refused");
        return { isGood: false, title: t("moved.none"), notes: [`${why}${t("space")}${t("moved.stay", { day })}`] };
    }
    /** @type {string[]} */ const counts = [];
    if (answer.migrated > 0 || answer.duplicates === 0) counts.push(t("moved.count", { n: answer.migrated }));
    if (answer.duplicates > 0) counts.push(t("moved.same", { n: answer.duplicates }));
    /** @type {string[]} */ const notes = [];
    if (answer.pending > 0) notes.push(t("moved.pending", { n: answer.pending }));
    if (answer.lost > 0) notes.push(t("moved.lost", { n: answer.lost }));
    return { isGood: !(answer.lost > 0), title: counts.join(" · "), notes };
}

/** Words that stay until somebody puts them away.
 * @param {Notice} notice @returns {HTMLElement} */
function resultNotice({ isGood, title, notes }) {
    const close = el("button", { class: "round", type: "button", "aria-label": t("close") }, icon("close", "is-small"));
    const element = el("section", { class: "bar-line is-result" }, icon(isGood ? "done" : "warning", "is-small"),
        el("div", {}, el("p", { class: "figures" }, el("strong", {}, title)),
            ...notes.map((note) => el("p", { class: "note" }, note))), close);
    close.addEventListener("click", () => element.remove());
    return element;
}

// What the vault found missing or unreadable, said plainly until somebody has taken note of it.

/** Null when nothing is missing; taking note of it clears `session.damage`.
 * @param {Session} session @param {{onAccepted: () => void}} options @returns {HTMLElement | null} */
function damageNotice(session, { onAccepted }) {
    const { damage } = session;
    if (!damage) return null;
    const names = damage.unreadable ?? [];
    const notice = el("section", { class: "bar-note", role: "alert" }, icon("warning"),
        el("div", {}, el("h2", {}, t("damage.title")),
            damage.missingEntries > 0 ? el("p", {}, t("damage.missing", { n: damage.missingEntries })) : null,
            names.length > 0 ? el("p", {}, t("damage.unreadable", { n: names.length })) : null,
            el("ul", { class: "small" }, ...names.slice(0, 20).map((name) => el("li", {}, name))),
            el("p", { class: "note" }, t("damage.note")),
            el("button", { class: "button is-small", type: "button", onclick: accept }, t("damage.accept"))));
    async function accept() {
        try {
            await api.acceptLoss();
            session.damage = null;
            notice.remove();
            onAccepted();
        } catch (error) {
            toast(describe(error));
        }
    }
    return notice;
}

// Devices of a vault see each other: this one tells how far it is with sending, and shows how far others are.

/** Milliseconds between what is told; the host forgets it after some more. */
const pause = 2500;

/** Tells the host how far `uploads` is, from its first file to its last.
 * @param {Uploads} uploads @param {{signal: AbortSignal}} options */
export function tellSending(uploads, { signal }) {
    /** @type {ReturnType<typeof setTimeout> | null | undefined} */ let timer = null;
    let isTold = false;
    const tell = () => {
        timer = null;
        const { queue } = uploads;
        const total = queue.total - queue.failed;
        const isOver = queue.unsent === 0 || total === 0;
        if (signal.aborted || isOver && !isTold) return;
        isTold = !isOver;
        const done = isOver ? total : Math.min(queue.saved, total);
        // Nobody misses it: what has come is seen, and the next one tells more.
        api.tellSending({ device: deviceKind(), done, total }).catch(() => {});
        if (!isOver) timer = setTimeout(tell, pause);
    };
    uploads.addEventListener("change", () => {
        if (!isTold && uploads.queue.unsent > 0) timer ??= setTimeout(tell, 0);
    }, { signal });
    uploads.addEventListener("finished", () => {
        clearTimeout(timer);
        tell();
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(timer));
}

/** What people call this device. An iPad calls itself a Mac, but no Mac has a touch screen.
 * @param {{userAgent: string, maxTouchPoints?: number}} browser @returns {Sending["device"]} */
function deviceKind({ userAgent, maxTouchPoints = 0 } = navigator) {
    if (/iPhone|iPod|Android.*Mobile/.test(userAgent)) return "phone";
    return /iPad|Android/.test(userAgent) || /Macintosh/.test(userAgent) && maxTouchPoints > 1 ? "tablet" : "computer";
}

/** Fewer pictures are there before anybody has read how many are still to be made. */
const soonMade = 50;

/** A line over the page while another device sends, and while the host still makes pictures of what has come; it takes no place
 * from the photos. */
export class HostNews {
    constructor() {
        this.words = el("p", { class: "figures" });
        this.element = el("aside", { class: "toast is-sending" }, icon("save", "is-small"), this.words);
    }

    /** `sending` is what the host says of others, `{device, done, total}` each; absent or empty where nobody sends.
     * @param {Pick<Session, "sending" | "picturesLeft">} news */
    show({ sending = [], picturesLeft = 0 }) {
        if (sending.length === 0 && picturesLeft < soonMade) {
            this.element.remove();
            return;
        }
        const [{ device, done, total } = /** @type {any} */ ({})] = sending;
        setText(this.words, sending.length > 1 ? t("sending.several", { n: sending.length })
            : sending.length === 1 ? t(`sending.${device}`, { done, n: total }) : t("sending.pictures", { n: picturesLeft }));
        if (this.element.isConnected) return;
        document.getElementById("notes").append(this.element);
        // How it gets on is for the eye, and pictures are.
        if (sending.length > 0) announce(this.words.textContent ?? "");
    }

    dispose() { this.element.remove(); }
}

const mostNamed = 5;

/** What is said above the screens, until somebody puts it away. */
export class Results {
    results = el("div", { class: "results" });
    listeners = new AbortController();
    /** @type {Session} */ session;
    isGuest = false;
    /** @type {Uploads} */ uploads;
    /** @type {Parts["albums"]} */ albums;
    /** @type {InstanceType<Parts["albums"]["AlbumJoining"]>} */ joining;
    /** @type {Parts["sending"]} */ sending;
    /** @type {import("../uploads/upload-panel.js").UploadPanel} */ panel;

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

    /** @param {string} name @param {() => void} onOpen */
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

    /** Says what has happened, above what is shown, until somebody puts it away.
     * @param {Notice | null} words */
    say(words) {
        if (!words) return null;
        const notice = resultNotice(words);
        this.results.append(notice);
        announce([words.title, ...words.notes].join(" "));
        return notice;
    }

    /** What is missing from a dropped folder is missed only here: the rest arrives as if it were all.
     * @param {string[]} paths */
    sayUnread(paths) {
        const notes = paths.slice(0, mostNamed);
        if (paths.length > mostNamed) notes.push(t("up.more", { n: paths.length - mostNamed }));
        this.say({ isGood: false, title: t("add.unread", { n: paths.length }), notes });
    }

    /** What became of the guest's photos, `guest` from before, when the vault was opened: `answer`.
     * @param {Opened} answer @param {Guest | null} guest */
    sayMoved(answer, guest) {
        this.say(movedWords(answer, guest));
    }

    /** Archives, and folders with what is said of their photos, move in as a whole. A guest has no albums, and keeps them as files.
     * @param {File[]} files */
    isMove(files) {
        return !this.isGuest && files.some((file) => drop.isArchive(file) || (drop.folderOf(file) !== "" && drop.isBeside(file.name)));
    }

    /** Kept as they are, whatever is in them.
     * @param {File[]} _files */
    async keep(_files) {}

    /** @param {File[]} files @param {string[]} [unread] */
    async offerMove(files, unread = []) {
        const { Move, offer } = await part("moving");
        const found = await offer(files, { sending: this.sending, drop, unread });
        if (!found || this.listeners.signal.aborted) return;
        if (found === "files") {
            this.keep(files);
            return;
        }
        const { uploads } = this;
        const move = uploads.space.move ??= new Move();
        move.add(found);
        // Some of it may have come before a reload.
        uploads.askFirst();
        for (const item of drop.tellFolders(uploads.add(found.wanted))) item.account = move;
        this.panel.began(found.wanted.length);
    }

    /** What waited at the door, and what moved in when the vault was locked. */
    followMove() {
        const { uploads, listeners: { signal } } = this;
        const waiting = [...uploads.queue.states.waiting].filter(({ space }) => space === uploads.space);
        drop.tellFolders(waiting);
        const items = waiting.filter(({ file, account }) => file && !account && this.isMove([file]));
        const files = items.map(({ file }) => /** @type {File} */ (file));
        uploads.remove(items);
        if (files.length > 0) this.offerMove(files);
        uploads.addEventListener("checked", async ({ detail }) => {
            const { space } = uploads;
            const { move } = space;
            if (!move || !uploads.queue.isFinished) return;
            const { told, wordsOf } = await part("moving");
            const account = await told(move, { uploads, status: detail, signal });
            // More may have been added meanwhile, of which all is told together.
            if (signal.aborted || space.move !== move || !uploads.queue.isFinished) return;
            space.move = undefined;
            this.results.append(account);
            announce(wordsOf(account));
        }, { signal });
    }

    /** @param {import("./arriving.js").Adding} adding */
    async showMoveIn({ files, folder }) {
        const { showMoveIn } = await part("moving");
        await showMoveIn({ onFiles: () => files.click(), onFolder: "webkitdirectory" in folder ? () => folder.click() : null });
    }

    /** Who adds folders most likely has them for albums.
     * @param {Item[]} added */
    offerAlbums(added) {
        // A guest has no albums.
        const albums = this.isGuest ? new Map() : this.albums.foldersOf(added, drop.folderOf);
        if (albums.size === 0) return;
        const offer = new this.albums.FolderOffer(this.uploads, albums, this.joining);
        this.results.append(offer.element);
        announce(offer.words);
    }
}

// What was taken on this day of earlier years: one line that leads there, and goes for good where somebody does not want it.

/** So many years are named. */
const mostYears = 4;

export class ThisDay {
    /** @param {{addressOf: (album: Album) => string}} options */
    constructor({ addressOf }) {
        this.addressOf = addressOf;
        this.day = "";
        this.element = el("div", { class: "bar-line is-result is-day", hidden: true });
    }

    /** Asked once a day: what comes meanwhile is seen where the line leads. */
    async ask(now = new Date()) {
        const day = [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
        const isWanted = preference("today", "on") === "on";
        if (!isWanted) this.element.hidden = true;
        if (this.day === day || !isWanted) return;
        this.day = day;
        /** @type {[string, number][]} */
        const months = await api.request("GET", `/api/albums/on-${day}/timeline`).catch(() => []);
        if (this.day === day) this.draw(months);
    }

    /** @param {[string, number][]} months */
    draw(months) {
        const count = months.reduce((sum, [, n]) => sum + n, 0);
        this.element.hidden = count === 0;
        if (count === 0) return;
        const years = [...new Set(months.map(([month]) => String(Number(month.slice(0, 4)))))];
        const words = [years.length > mostYears ? t("today.years", { from: years.at(-1) ?? "", to: years[0] }) : years.join(", "), t("count.items", { n: count })].join(" · ");
        const address = this.addressOf({ id: `on-${this.day}`, count, isCoverChosen: false });
        this.element.replaceChildren(icon("clock", "is-small"), el("a", { href: address }, el("strong", {}, t("today.title")),
            el("span", { class: "figures" }, words)), el("button", { class: "round", type: "button", "aria-label": t("today.off"),
            onclick: () => this.turnOff() }, icon("close", "is-small")));
    }

    turnOff() {
        remember("today", "off");
        this.element.hidden = true;
        toast(t("today.offDone"), { action: t("undo"), run: () => {
            remember("today", "on");
            this.element.hidden = false;
        } });
    }
}
