// The page's states: starting, at the door, inside. What is inside leaves nothing behind when it is locked.
import * as api from "./api.js";
import { watchConnection } from "./connection.js";
import { closeAllSheets, confirm } from "./dialog.js";
import { doorScreen } from "./door.js";
import { el } from "./dom.js";
import { preferredLanguage, t, use } from "./i18n.js";
import { newVaultScreen } from "./new-vault.js";
import { preference, remember } from "./preferences.js";
import { onTabs, tellTabs } from "./tabs.js";
import { noteUpgrade, upgradeCard } from "./upgrade.js";
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
        if (inside && !uploads.holds.has("opening")) leave(t(inside.isGuest ? "guest.ended" : "locked.ended"));
    });
    window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    window.addEventListener("pagehide", () => { if (inside) root.hidden = true; });
    window.addEventListener("beforeunload", (event) => { if (uploads?.queue.uploading > 0) event.preventDefault(); });
    window.addEventListener("popstate", () => { if (outside?.isNewVault) showDoor(); });
    onTabs("session", follow);
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
    uploads ??= new Uploads({ fileByteLimit: hello.limits?.fileBytes ?? Infinity });
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

function showDoor(reason = null) {
    redraw = () => showDoor(reason);
    show(doorScreen({
        reason, isKnown: preference("opened", "") !== "", waiting: uploads.queue.unsent, code: setupCode,
        guest: session?.guest ?? null, guests: hello.guests === true, upgrade: upgradeCard(),
        onLanguage: changeLanguage,
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
    await enter();
    await settleWaiting(t("guest.waitingNote"));
    uploads.release("locked");
}

// ---- opening

/** While it is asked for, nothing new is sent: it would not be clear to whom. What is being sent goes on. */
async function begin(work, fields) {
    uploads.hold("opening");
    try {
        const answer = await work(fields);
        const isKeepLost = fields.keep === true && answer.kept === false;
        return { ...answer, isAsked: fields.migrate !== false, isKeepLost };
    } catch (error) {
        uploads.release("opening");
        throw error;
    }
}

/** A vault has just been opened or made: goes on inside with what was going on before. */
async function arrive({ answer, isNew = false, action = null }) {
    const before = { inside, guest: session?.guest ?? null, anchor: inside?.place ?? null };
    const hasMoved = answer.isAsked && !answer.migrationRefused;
    const isGuestLeft = before.inside?.isGuest === true && !hasMoved;
    if (isNew) setupCode = "";
    remember("opened", "yes");
    tellTabs("session", { moved: hasMoved });
    if (isGuestLeft) uploads.leaveSpace();
    if (!await enter()) {
        uploads.release("opening");
        return;
    }
    const { movedWords } = await import("./guest-notices.js");
    inside.say(movedWords(answer, before.guest));
    if (answer.isKeepLost) inside.say({ isGood: false, title: t("keep.lost"), notes: [t("keep.lostNote")] });
    if (hasMoved) await inside.goTo(before.anchor);
    if (isGuestLeft) await settleWaiting(t("move.waitingNote"));
    else if (isNew && !before.inside) await settleWaiting(t("new.waitingNote"));
    for (const reason of ["opening", "locked", "guest-full"]) uploads.release(reason);
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
    const { waiting } = uploads.queue;
    if (waiting === 0) return;
    const asked = { title: t("door.waiting", { n: waiting }), note, action: t("new.addThem") };
    if (!await confirm(asked)) uploads.remove([...uploads.queue.states.waiting]);
}

/** Opens or makes a vault over what is seen, so that a guest moves in, and goes on with `action` afterwards. */
function needVault(action = null) {
    needed ??= askForNeeded(action).finally(() => { needed = null; });
    return needed;
}

async function askForNeeded(action) {
    const { askForVault } = await import("./unlock-dialog.js");
    await refresh();
    if (!inside) return;
    if (inside.isGuest && session.kind === "vault") {
        await enter();
        if (action) await goOn(action, false);
        return;
    }
    const opened = await askForVault({
        title: action?.title ?? t(inside.isGuest ? "unlock.title" : "move.title"), guest: session.guest ?? null,
        hello, code: setupCode,
        open: (fields) => begin(api.openVault, fields), create: (fields) => begin(api.createVault, fields),
    });
    if (opened) await arrive({ ...opened, action });
}

// ---- inside

/** Shows what the session gives; true when there is one. */
async function enter() {
    try {
        session = await api.session();
    } catch (error) {
        if (error instanceof api.Unreachable) {
            await api.whenReachable();
            return enter();
        }
        closeInside();
        showDoor();
        return false;
    }
    if (session.kind === "none") {
        closeInside();
        showDoor();
        return false;
    }
    const { Inside } = await import("./inside.js");
    closeInside();
    outside = null;
    if (history.state?.newVault) history.back();
    if (session.kind === "vault") remember("opened", "yes");
    inside = new Inside({ session, hello, uploads, onLeave: leave, onLock: lock, onLanguage: changeLanguage,
        onNeedVault: needVault });
    root.replaceChildren(inside.element);
    root.hidden = false;
    redraw = () => inside.redraw();
    inside.route();
    return true;
}

/** Another tab of this browser opened or locked something: the same holds here. */
async function follow({ moved = false }) {
    if (!uploads) return;
    const before = session?.kind;
    try {
        session = await api.session();
    } catch {
        return;
    }
    if (session.kind === "none") {
        if (inside) leave(t("locked.ended"));
        return;
    }
    if (inside && session.kind === before && before === "guest") return;
    if (inside && !moved) uploads.leaveSpace();
    uploads.hold("opening");
    await enter();
    if (!moved) await settleWaiting(t("move.waitingNote"));
    uploads.release("opening");
    uploads.release("locked");
}

/** `reason` is given where nobody is asked. */
async function lock(reason = null) {
    const waiting = uploads.queue.unsent;
    const asked = { title: t("lock.title", { n: waiting }), note: t("lock.note"), action: t("nav.lock") };
    if (!reason && waiting > 0 && !await confirm(asked)) return;
    leave(reason ?? t("locked.byYou"));
    try {
        const { upgrade } = await api.lock();
        tellTabs("session");
        noteUpgrade(upgrade);
        outside?.setUpgrade?.(upgradeCard());
    } catch (error) {
        if (error instanceof api.Unreachable && !reason) showDoor(t("locked.unreachable"));
    }
    refresh();
}

/** Takes everything of the vault off the page: elements, pictures, names, titles, history. */
function leave(reason) {
    if (!inside) return;
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
