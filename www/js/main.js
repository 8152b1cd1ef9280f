// The page's states: starting, at the door, inside. What is inside leaves nothing behind when it is locked.
import * as api from "./api.js";
import { Changes } from "./changes.js";
import { watchConnection } from "./connection.js";
import { closeAllSheets, confirm } from "./dialog.js";
import { doorScreen } from "./door.js";
import { el } from "./dom.js";
import { preferredLanguage, t, use } from "./i18n.js";
import { endSession } from "./lock.js";
import { newVaultScreen } from "./new-vault.js";
import { preference, remember } from "./preferences.js";
import { onTabs, tellTabs } from "./tabs.js";
import { upgradeCard } from "./upgrade.js";
import { dismissToast } from "./toast.js";
import { loadIcons } from "./icons.js";
import { Uploads } from "./upload.js";
import { watchVisibleArea } from "./visible-area.js";

const root = document.getElementById("app");
let hello = null;
/** What the host said last about this browser's session. */
let session = null;
let uploads = null;
let inside = null;
/** The screen outside, while there is one. */
let outside = null;
/** Draws the present screen again, in another language. */
let redraw = () => {};
let setupCode = takeSetupCode();
/** The dialog that asks for a vault, from the tap that wants it to its end: a second tap opens no second one. */
let needed = null;
/** What somebody began that needs a vault, while that dialog is open. */
let wanted = null;
const changes = new Changes();

/** The QR code of the host carries the setup code behind `#code=`; it does not stay in the address. */
function takeSetupCode() {
    const code = /^#code=([\w-]{1,64})$/.exec(location.hash)?.[1] ?? "";
    if (code) history.replaceState(null, "", location.pathname);
    return code;
}

async function start() {
    loadIcons();
    await use(preferredLanguage());
    watchConnection();
    watchVisibleArea();
    // While a guest moves in, an answer to the guest may come from after the move.
    api.onSessionEnd(() => {
        if (inside && !changes.isOpening && !changes.isFollowing) leave(endedWords(), "session");
    });
    window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    window.addEventListener("pagehide", () => { if (inside) root.hidden = true; });
    window.addEventListener("beforeunload", (event) => { if (uploads?.queue.uploading > 0) event.preventDefault(); });
    window.addEventListener("popstate", () => { if (outside?.isNewVault) showDoor(); });
    onTabs("session", follow);
    onTabs("left", followOut);
    await meet();
}

/** Asks the host who it is and who we are; goes on by itself when it answers later. */
async function meet() {
    try {
        hello = await api.hello();
        session = await api.session();
    } catch (error) {
        root.replaceChildren(el("main", { class: "plain" }, el("h1", {}, t("offline.title")),
            el("p", { class: "note" }, t("offline.help"))));
        // An answer that says no, such as from a host that is just starting, comes with no event that ends it.
        if (error instanceof api.Unreachable) api.whenReachable().then(meet);
        else setTimeout(meet, 2000);
        return;
    }
    if (!uploads) {
        uploads = new Uploads({ fileByteLimit: hello.limits?.fileBytes ?? Infinity });
        uploads.addEventListener("astray", () => follow());
    }
    if (session.kind === "none") showDoor();
    else await enter();
    // While a password is typed there is time to fetch the rest.
    import("./inside.js").catch(() => {});
}

// ---- outside

function show(screen) {
    outside = screen;
    root.replaceChildren(screen.element);
    root.hidden = false;
    document.title = `${screen.title} · Safelight`;
    window.scrollTo(0, 0);
    screen.focus?.focus();
}

async function changeLanguage(chosen) {
    await use(chosen, { store: true });
    redraw();
}

/** Both may change while the page stays open: whether a setup code is asked for, and what a guest has. */
async function refresh() {
    const screen = outside;
    try {
        [hello, session] = await Promise.all([api.hello(), api.session()]);
    } catch {
        return;
    }
    if (screen === outside) screen?.setGuest?.(session.guest ?? null);
}

function showDoor(reason = null, refusal = null) {
    redraw = () => showDoor(reason, refusal);
    show(doorScreen({
        reason: refusal?.title ?? reason, refusal, isKnown: preference("opened", "") !== "",
        waiting: uploads.queue.unsent, code: setupCode, guest: session?.guest ?? null, guests: hello.guests === true,
        upgrade: upgradeCard(), onLanguage: changeLanguage,
        open: (fields) => begin(api.openVault, fields), onOpened: (answer) => arrive({ answer }),
        onCreate: showNewVault, onStart: startAsGuest,
        onForget: () => { uploads.reset(); showDoor(reason); },
    }));
    refresh();
}

/** A place of its own in the history, so that "Back" leads to the door and not away. */
function showNewVault() {
    history.pushState({ newVault: true }, "", location.pathname);
    drawNewVault();
}

function drawNewVault() {
    redraw = drawNewVault;
    show({ isNewVault: true, ...newVaultScreen({
        hello, code: setupCode, guest: session?.guest ?? null, onLanguage: changeLanguage, onBack: () => history.back(),
        create: (fields) => begin(api.createVault, fields), onCreated: (answer) => arrive({ answer, isNew: true }),
    }) });
    refresh();
}

async function startAsGuest() {
    session = await api.beginGuest();
    tellTabs("session");
    if (await enter()) await settleWaiting(t("guest.waitingNote"));
}

// ---- opening

/** While it is asked for, nothing new is sent: it would not be clear to whom. What is being sent goes on. */
async function begin(work, fields) {
    uploads.hold("opening");
    changes.begin();
    try {
        const answer = await work(fields);
        const isKeepLost = fields.keep === true && answer.kept === false;
        return { ...answer, isAsked: fields.migrate !== false, isKeepLost };
    } catch (error) {
        changes.end();
        if (!changes.isFollowing) uploads.release("opening");
        throw error;
    }
}

/** A vault has just been opened or made: goes on inside with what was going on before. */
async function arrive({ answer, isNew = false, action = null }) {
    const before = { inside, guest: session?.guest ?? null, anchor: inside?.place ?? null };
    const wasGuest = before.inside?.isGuest === true;
    const hasMoved = before.guest !== null && answer.isAsked && !answer.migrationRefused;
    const isGuestLeft = wasGuest && !hasMoved;
    if (isNew) setupCode = "";
    remember("opened", "yes");
    tellTabs("session", { moved: hasMoved });
    try {
        // Where another tab has opened something meanwhile, the guest may have moved into that.
        if (!await enter({ hasMoved: wasGuest && hasMoved && !changes.isStale })) return;
        const { movedWords } = await import("./guest-notices.js");
        inside?.say(movedWords(answer, before.guest));
        if (answer.isKeepLost) inside?.say({ isGood: false, title: t("keep.lost"), notes: [t("keep.lostNote")] });
        if (wasGuest && hasMoved) await inside?.goTo(before.anchor);
    } finally {
        changes.end();
    }
    await settleWaiting(t(isNew && !before.inside ? "new.waitingNote" : "move.waitingNote"));
    if (action) await goOn(action, isGuestLeft);
}

/** The action that a guest began, now that a vault is open. */
async function goOn(action, isGuestLeft) {
    if (isGuestLeft) {
        inside?.say({ isGood: false, title: t("need.cannot"), notes: [t("need.left")] });
        return;
    }
    try {
        await inside?.perform(action);
    } catch (error) {
        const { describe } = await import("./problems.js");
        inside?.say({ isGood: false, title: t("need.cannot"), notes: [describe(error)] });
    }
}

/** Files that were chosen for another place go on only if somebody says so. */
async function settleWaiting(note) {
    const { strangers } = uploads;
    if (strangers.length > 0) {
        const here = inside;
        const isWanted = await confirm({ title: t("door.waiting", { n: strangers.length }), note,
            action: t("new.addThem") });
        // What is open by now, if anything is, asks by itself.
        if (inside !== here) return;
        if (isWanted) uploads.adopt(strangers);
        else uploads.remove(strangers);
    }
    if (changes.isOpening || changes.isFollowing) return;
    for (const reason of ["opening", "asking", "locked", "guest-full"]) uploads.release(reason);
}

/** Opens or makes a vault over what is seen, so that a guest moves in, and goes on with `action` afterwards. */
function needVault(action = null) {
    needed ??= askForNeeded(action).finally(() => {
        needed = null;
        wanted = null;
    });
    return needed;
}

async function askForNeeded(action) {
    const { askForVault } = await import("./unlock-dialog.js");
    await refresh();
    if (!inside) return;
    wanted = action;
    if (inside.isGuest && session.kind === "vault") {
        await follow({ moved: !session.guest });
        return;
    }
    const opened = await askForVault({
        title: action?.title ?? t(inside.isGuest ? "unlock.title" : "move.title"), guest: session.guest ?? null,
        hello, code: setupCode,
        open: (fields) => begin(api.openVault, fields), create: (fields) => begin(api.createVault, fields),
    });
    if (opened) await arrive({ ...opened, action });
    // Where another tab closed the dialog, what was wanted goes on from there.
}

// ---- inside

/**
 * Shows what the session gives; true when there is one. `hasMoved`: what was open before, a guest's space, is in it.
 */
async function enter({ hasMoved = false } = {}) {
    changes.ask();
    try {
        session = await api.session();
    } catch (error) {
        if (error instanceof api.Unreachable) {
            await api.whenReachable();
            return enter({ hasMoved });
        }
        return showClosed();
    }
    if (session.kind === "none") return showClosed();
    await uploads.findSpace(hasMoved);
    const { Inside } = await import("./inside.js");
    if (changes.isStale) return enter();
    closeInside();
    outside = null;
    if (history.state?.newVault) history.back();
    if (session.kind === "vault") remember("opened", "yes");
    inside = new Inside({ session, hello, uploads, onLeave: (reason) => leave(reason), onLock: lock,
        onLockEverywhere: lockEverywhere, onLanguage: changeLanguage, onNeedVault: needVault });
    root.replaceChildren(inside.element);
    root.hidden = false;
    redraw = () => inside.redraw();
    inside.route();
    return true;
}

function showClosed() {
    uploads.keepOnlyUnsent();
    closeInside();
    showDoor();
    return false;
}

/**
 * Another tab of this browser opened or ended something, or the host does not know a batch: what holds for the browser
 * holds here.
 */
async function follow({ moved = false } = {}) {
    const followed = await changes.follow(changes.tell(), () => followNow(moved));
    if (!followed || inside !== followed.inside) return;
    // From here on other tabs may go on: somebody is asked.
    await settleWaiting(t("move.waitingNote"));
    if (followed.action) await goOn(followed.action, Boolean(session.guest));
}

/** Gives what is shown then, and the action that waited in a dialog which this closed; null where nothing goes on. */
async function followNow(hasMoved) {
    if (!uploads) return null;
    changes.ask();
    try {
        session = await api.session();
    } catch (error) {
        // An answer that says no comes with no event that ends it.
        if (error instanceof api.Unreachable) api.whenReachable().then(() => follow({ moved: hasMoved }));
        else setTimeout(() => follow({ moved: hasMoved }), 2000);
        return null;
    }
    if (session.kind === "none") {
        leave(endedWords(), null);
        return null;
    }
    if (inside?.isGuest && session.kind === "guest" && !uploads.holds.has("asking")) return { inside, action: null };
    const action = wanted;
    uploads.hold("opening");
    if (!await enter({ hasMoved: hasMoved && inside?.isGuest === true })) return null;
    return { inside, action };
}

/** Another tab ends what is open. What is being opened here comes after that. */
function followOut() {
    if (changes.isOpening) follow();
    else {
        changes.tell();
        leave(endedWords(), null);
    }
}

const endedWords = () => t(inside?.isGuest ? "guest.ended" : "locked.ended");

/** `reason` is given where nobody is asked. */
async function lock(reason = null) {
    // The vault that is being opened takes the place of this one.
    if (reason && changes.isOpening) return;
    const waiting = uploads.queue.unsent;
    const asked = { title: t("lock.title", { n: waiting }), note: t("lock.note"), action: t("nav.lock") };
    if (!reason && waiting > 0 && !await confirm(asked)) return;
    const words = reason ?? t("locked.byYou");
    leave(words);
    try {
        await tellHost("here", words);
    } catch (error) {
        if (!(error instanceof api.Unreachable)) throw error;
        if (!reason && !inside) showDoor(t("locked.unreachable"));
    }
    refresh();
}

const lockEverywhere = () => tellHost("everywhere", t("locked.everywhere"));

/** Ends the session at the host. A refusal stands at the door until the host has said yes. Throws `Unreachable`. */
async function tellHost(reach, words, isAgain = false) {
    const refused = await endSession(reach, isAgain);
    leave(words);
    if (!refused) tellTabs("session");
    if (inside) return;
    const again = refused?.canRetry ? () => tellHost(reach, words, true) : null;
    if (refused) showDoor(null, { ...refused, again });
    else if (isAgain) showDoor(words);
    else outside?.setUpgrade?.(upgradeCard());
}

/** Takes everything of the vault off the page: elements, pictures, names, titles, history. `event` tells other tabs. */
function leave(reason, event = "left") {
    if (!inside) return;
    if (event) tellTabs(event);
    session = { kind: "none", guest: inside.isGuest ? null : session.guest };
    uploads.keepOnlyUnsent();
    closeInside();
    history.replaceState(null, "", location.pathname);
    showDoor(reason);
}

function closeInside() {
    if (!inside) return;
    const leaving = inside;
    inside = null;
    closeAllSheets();
    leaving.dispose();
    dismissToast();
}

start();
