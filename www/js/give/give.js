// The page of a visitor at a door: whoever has scanned its code gives photos here, and sees their own alone. It has an
// interface and a cookie of its own, so that whatever is open in the same browser stays as it is.
import * as api from "../base/api.js";
import { announce, el, loadIcons } from "../base/dom.js";
import { describe, preferredLanguage, t, use } from "../base/i18n.js";
import { tellFolders } from "../files/drop.js";
import { isReadableByOthers, keepAwake } from "../base/browser.js";
import { watchConnection } from "../start/connection.js";
import { keepReceipt, linesOf } from "../uploads/upload-spaces.js";
import { Uploads } from "../uploads/upload.js";
import * as carrying from "../uploads/upload-carrying.js";
import { Gifts, Visit } from "./gifts.js";
import { Giving } from "./giving.js";

/** @typedef {import("./gifts.js").Gift} Gift */

/** Milliseconds between questions whether it was taken, while somebody looks. */
const pause = 5000;
/** So many spaces in a row that were gone before anything came of them: then the browser keeps no cookie. */
const mostLost = 3;
/** Seconds between two tries to come in where the host asks for patience, at most. */
const mostWait = 60;
/** Whoever is at a door that lets nobody in. */
const closings = ["no-such-door", "door-shut", "door-expired", "door-full"];

api.askBelow("/give/api/");
const visit = new Visit({ onMoved: leave });
const root = document.getElementById("app");
const gifts = new Gifts();
/** @type {Uploads} */ let uploads;
/** @type {Giving} */ let screen;
/** @type {Promise<void> | null} */ let entering = null;
/** @type {Promise<void> | null} */ let leaving = null;
let lost = 0;
/** Another tab has gone to another door since. */
let isElsewhere = false;
/** @type {string | undefined} */ let giver;
/** @type {() => void} */ let tellMet;
/** The host has said what this browser has here: nobody comes in before, for that answer may be that it has nothing. */
const met = /** @type {Promise<void>} */ (new Promise((resolve) => { tellMet = resolve; }));

/** What the host says to everybody; where others may read along it says only that it is there. */
const greet = async () => (isReadableByOthers() ? api.certificate().then(() => /** @type {Partial<Hello>} */ ({})) : api.hello());

async function start() {
    const hello = greet();
    hello.catch(() => {});
    await use(preferredLanguage(), { set: "give/" });
    watchConnection();
    loadIcons();
    window.addEventListener("beforeunload", (event) => { if (uploads?.queue.uploading > 0) event.preventDefault(); });
    // Another code was scanned, and this tab got its address.
    window.addEventListener("hashchange", () => { if (location.hash) location.reload(); });
    await meet(hello);
}

/** Goes on by itself when the host answers later. */
async function meet(hello = greet()) {
    try {
        const { chunk, limits } = await hello;
        if (!uploads) build(limits?.fileBytes ?? Infinity, chunk);
        // Only then is it known which door's space is asked for.
        await lookAgain();
        await comeBack();
        tellMet();
    } catch (error) {
        if (!screen) {
            root.replaceChildren(el("main", { class: "plain" }, el("h1", {}, t("offline.title")), el("p", { class: "note" }, describe(error))));
        }
        if (error instanceof api.Unreachable) {
            api.whenReachable().then(() => meet());
            api.noteReachability(false);
        } else setTimeout(() => meet(), 2000);
        return;
    }
    watchTaking();
}

/** @param {number} fileByteLimit @param {number | undefined} pieceBytes */
function build(fileByteLimit, pieceBytes) {
    uploads = new Uploads({ fileByteLimit, pieceBytes });
    uploads.sending = carrying;
    uploads.wasGiven = (cid) => visit.given.get(cid) === "";
    // Nothing goes before there is a space for it.
    uploads.hold("opening");
    uploads.addEventListener("change", follow);
    uploads.addEventListener("saved", ({ detail }) => arrived(detail));
    uploads.addEventListener("checked", () => screen.draw());
    // What was begun in a space that is no more, and another tab of this door has begun the next one.
    uploads.addEventListener("astray", leave);
    api.onSessionEnd(leave);
    draw();
}

/** What the host says of the door, on the screen. True where it lets somebody in. */
async function lookAgain() {
    if (!visit.code) {
        screen.close("no-code");
        return false;
    }
    try {
        const door = await visit.look();
        uploads.fileByteLimit = Math.min(uploads.fileByteLimit, door.fileByteLimit ?? Infinity);
        screen.open(door, giver);
        if (isReadableByOthers()) screen.tellUnencrypted(encryptedWay());
        if (door.photosLeft !== 0 && door.bytesLeft !== 0) return true;
        screen.close("door-full", door.name);
        return false;
    } catch (error) {
        if (!(error instanceof api.Problem)) throw error;
        if (error.code === "tls-required") {
            location.replace(encryptedWay());
            return false;
        }
        if (!closings.includes(error.code)) throw error;
        screen.close(error.code, error.door);
        return false;
    }
}

/** The page that leads to this door over an encrypted connection. */
const encryptedWay = () => `/give/#${visit.code}`;

/** What this browser has given here before, and can still take back. */
async function comeBack() {
    const session = await visit.session();
    if (!session) {
        visit.noteTaken();
        return;
    }
    giver = session.giver ?? undefined;
    gifts.list(await visit.photos());
    // What was chosen again is asked about before it is sent.
    uploads.askFirst();
    screen.draw();
}

function draw() {
    screen?.dispose();
    screen = new Giving({ uploads, gifts, onFiles: add, onRemove: takeBack, onReceipt: saveReceipt, onLanguage: changeLanguage });
    root.replaceChildren(screen.element);
    screen.head(t("give.title"), "");
    screen.form.hidden = true;
}

/** @param {string} chosen */
async function changeLanguage(chosen) {
    await use(chosen, { store: true, set: "give/" });
    draw();
    await meet();
    screen.draw();
}

/** @param {File[]} files */
function add(files) {
    if (isElsewhere) {
        screen.warn("give.elsewhere");
        return;
    }
    gifts.add(tellFolders(uploads.add(files)));
    screen.draw();
    if (!leaving && !(visit.isIn && !uploads.holds.has("opening"))) goIn();
}

function goIn() {
    entering ??= enter().finally(() => { entering = null; });
    return entering;
}

/** Comes in. Files wait meanwhile. */
async function enter() {
    await met;
    const door = await insist(() => visit.enter(screen.giver));
    if (!door) return;
    watchTaking();
    screen.settle();
    uploads.adopt(uploads.strangers);
    for (const reason of ["opening", "locked", "asking"]) uploads.release(reason);
}

/** Asks until there is an answer, however long the host is away or busy. Where it refuses, that is said.
 * @template T @param {() => Promise<T>} ask @returns {Promise<T | undefined>} */
async function insist(ask) {
    for (;;) {
        try {
            return await ask();
        } catch (error) {
            if (error instanceof api.Unreachable) await api.whenReachable();
            else {
                refuse(error);
                if (!(error instanceof api.Problem) || (error.status !== 429 && error.status !== 503)) return undefined;
                await new Promise((resolve) => { setTimeout(resolve, Math.min(Math.max(error.retryAfter, 2), mostWait) * 1000); });
            }
        }
    }
}

/** @param {unknown} error */
function refuse(error) {
    if (error instanceof api.Problem && closings.includes(error.code)) screen.close(error.code, error.door || visit.door?.name);
    else if (error instanceof api.Problem && error.code === "tls-required") screen.leadAway(encryptedWay());
    else {
        screen.warn("give.refused", { why: describe(error) });
        screen.offer(goIn);
    }
}

/** The queue has moved on. */
function follow() {
    for (const gift of gifts.follow()) if (gift.item?.cid && gift.id) visit.noteGiven(gift.item.cid, gift.id);
    keepAwake(uploads.queue.unsent > 0);
    if (uploads.holds.has("door-full")) screen.warn("give.closed.door-full");
    else if (uploads.holds.has("door-share")) screen.warn("give.share");
    else if (uploads.holds.has("disk-full")) screen.warn("give.diskFull");
    else if (uploads.holds.has("tls-required")) screen.leadAway(encryptedWay());
    screen.drawSoon();
}

/** What was left out may have arrived whole by then: it goes again.
 * @param {{id: string, item: Item}} saved */
function arrived({ id, item }) {
    lost = 0;
    if (gifts.all.some((gift) => gift.item === item)) return;
    visit.takeBack(id).catch(() => {
        gifts.add([item]);
        follow();
    });
}

/** This browser may have its space here no more. Whoever has not come in, or is about to come in again, has none to leave. */
function leave() {
    if (visit.isIn) leaving ??= leaveNow().finally(() => { leaving = null; });
}

/** Where the space is over, what it had was taken, and what still waits goes into another one. */
async function leaveNow() {
    uploads.hold("locked");
    uploads.hold("opening");
    while (uploads.queue.uploading > 0) await new Promise((resolve) => uploads.addEventListener("change", () => resolve(null), { once: true }));
    follow();
    const door = await insist(() => visit.whereNow());
    visit.isIn = false;
    isElsewhere = typeof door === "string" && door !== visit.door?.id;
    if (isElsewhere) screen.warn("give.elsewhere");
    if (isElsewhere || door === undefined) return;
    gifts.take();
    visit.noteTaken();
    uploads.leaveSpace();
    screen.draw();
    if (uploads.queue.unsent === 0) return;
    lost += 1;
    if (lost >= mostLost) {
        screen.warn("give.noCookie");
        return;
    }
    await goIn();
}

/** @param {Gift} gift */
async function takeBack(gift) {
    if (gift.state !== "saved") {
        if (gift.item) uploads.remove([gift.item]);
        leaveOut(gift);
        return;
    }
    try {
        await visit.takeBack(/** @type {string} */ (gift.id));
    } catch (error) {
        const isTaken = error instanceof api.Problem && error.status === 401;
        if (isTaken || !(error instanceof api.Problem && error.status === 404)) {
            screen.warn(isElsewhere ? "give.elsewhere" : isTaken ? "give.tooLate" : "give.refused", { why: describe(error) });
            return;
        }
    }
    leaveOut(gift);
    announce(t("give.tookBack", { name: gift.name }));
}

/** Whoever goes through them by keyboard is at the next one then.
 * @param {Gift} gift */
function leaveOut(gift) {
    const place = gifts.all.indexOf(gift);
    gifts.remove(gift);
    screen.draw();
    screen.focusAt(place);
}

let forgetReceipt = () => {};

/** Of what the host still has for this browser. */
async function saveReceipt() {
    const photos = await visit.photos().catch(() => []);
    forgetReceipt();
    forgetReceipt = keepReceipt(linesOf(photos));
}

/** @type {ReturnType<typeof setTimeout> | null} */ let timer = null;

/** While somebody looks at what they gave, they see when it is taken. */
function watchTaking() {
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
}

async function ask() {
    if (document.visibilityState === "visible" && visit.isIn && !leaving && gifts.in("saved").length > 0) {
        await visit.session().catch(() => {});
    }
    watchTaking();
}

document.addEventListener("visibilitychange", () => { if (document.visibilityState === "visible") ask(); });

start();
