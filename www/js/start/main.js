// The page's start: who the host is, who we are, and what the window and other tabs tell from then on.
import * as api from "../base/api.js";
import { el, loadIcons } from "../base/dom.js";
import { host, keepAwayPage, noteUpgrade, onTabs, preference, remember, stepBack, steppedBack, tellTabs, watchVisibleArea } from "../base/browser.js";
import { preferredLanguage, t, use } from "../base/i18n.js";
import { insideParts, part } from "../base/parts.js";
import { Uploads } from "../uploads/upload.js";
import { app, begin, changeLanguage, changes, goOn, refresh, sayGuesses, settleWaiting, showOutside, takeFiles, takeLate, takeSetupCode } from "./app.js";
import { watchConnection } from "./connection.js";
import { doorScreen } from "../door/door.js";
import { closeAllSheets, confirm, dismissToast } from "../elements/dialog.js";
import { upgradeCard } from "../elements/upgrade-card.js";

// The states of the page (at the door, making a vault, inside) and all that leads from one to another. What each of them
// shows and asks stands in other modules, none of which knows this one: they are handed what leads on.

// Ending a session at the host: here, or everywhere. What the host refuses is told, with a way to try again.

const requests = { here: api.lock, everywhere: api.lockEverywhere };

/** `reach` is `here` or `everywhere`; `isAgain` after a refusal. Resolves to null when it has ended, else to
 * `{title, note, canRetry}`, which stands at the door. Throws `Unreachable`.
 * @param {"here" | "everywhere"} reach @param {boolean} [isAgain]
 * @returns {Promise<{title: string, note: string, canRetry: boolean} | null>} */
async function endSession(reach, isAgain = false) {
    try {
        noteUpgrade((await requests[reach]()).upgrade);
        return null;
    } catch (error) {
        if (error instanceof api.Unreachable) throw error;
        const title = t(`locked.refused.${reach}`);
        if (error.status !== 401) return { title, note: t(`locked.refused.${reach}Note`), canRetry: true };
        // This browser has no session any more, by which it could end those of others.
        return isAgain && reach === "everywhere" ? { title, note: t("locked.refused.others"), canRetry: false } : null;
    }
}

// ---- at the door

/** `isFresh`: what the host says of itself and of us was asked a moment ago.
 * @param {string | null} [reason]
 * @param {{title: string, note: string, again: (() => Promise<void>) | null} | null} [refusal]
 * @param {{isFresh?: boolean}} options */
function showDoor(reason = null, refusal = null, { isFresh = false } = {}) {
    app.redraw = () => showDoor(reason, refusal);
    showOutside(doorScreen({
        reason: refusal?.title ?? reason, refusal, isKnown: preference("opened", "") !== "",
        // Whoever has just locked it does not want to be asked at once whether to open it.
        isByDevice: preference("opened", "") === "device", isOffered: reason === null,
        waiting: app.uploads.queue.unsent, isChosen: app.uploads.isOfNoPlace,
        code: app.setupCode, guest: app.session?.guest ?? null,
        guests: host.hello.guests === true, upgrade: upgradeCard(), onLanguage: changeLanguage,
        open: (fields) => begin(api.openVault, fields), onOpened: (answer) => arrive({ answer }),
        onCreate: showNewVault, onStart: startAsGuest,
        onForget: () => { app.uploads.reset(); showDoor(reason); },
    }));
    // Where that part does not come, it is asked for again when something is opened.
    takeFiles(/** @type {OutsideScreen} */ (app.outside)).catch(() => {});
    if (!isFresh) refresh();
}

/** A place of its own in the history, so that "Back" leads to the door and not away. */
async function showNewVault() {
    const door = app.outside;
    const { newVaultScreen } = await part("vaultForms");
    if (app.outside !== door) return;
    history.pushState({ newVault: true }, "", location.pathname);
    drawNewVault(newVaultScreen);
}

/** @param {Parts["vaultForms"]["newVaultScreen"]} newVaultScreen */
function drawNewVault(newVaultScreen) {
    app.redraw = () => drawNewVault(newVaultScreen);
    showOutside({ isNewVault: true, ...newVaultScreen({
        hello: host.hello, code: app.setupCode, guest: app.session?.guest ?? null, leadsOn: app.uploads.queue.unsent === 0,
        onLanguage: changeLanguage, onBack: () => history.back(),
        create: (fields) => begin(api.createVault, fields), onCreated: (answer) => arrive({ answer, isNew: true }),
    }) });
    refresh();
}

async function startAsGuest() {
    // The answer to a lock takes the cookie away, also that of the space that was begun meanwhile.
    await app.ended;
    app.session = await api.beginGuest();
    app.uploads.claimSpace();
    tellTabs("session");
    if (await enter()) await settleWaiting(t("guest.waitingNote"));
}

// ---- to what is open

/** Shows what the session gives; true when there is one. `hasMoved`: what was open before, a guest's space, is in it.
 * @param {{hasMoved?: boolean}} options @returns {Promise<boolean>} */
async function enter({ hasMoved = false } = {}) {
    changes.ask();
    try {
        app.session = await api.session();
    } catch (error) {
        if (error instanceof api.Unreachable) {
            await api.whenReachable();
            return enter({ hasMoved });
        }
        return showClosed();
    }
    if (app.session.kind === "none") return showClosed();
    await app.uploads.findSpace(hasMoved);
    const { Inside, ...parts } = await insideParts();
    if (changes.isStale) return enter();
    closeInside();
    app.begun = null;
    app.outside?.dispose?.();
    app.outside = null;
    if (history.state?.newVault) stepBack();
    if (app.session.kind === "vault" && preference("opened", "") === "") remember("opened", "yes");
    app.inside = new Inside({ session: app.session, uploads: app.uploads, ...parts,
        onLeave: (reason) => leave(reason), onLock: lock, onLockEverywhere: lockEverywhere,
        onLanguage: changeLanguage, onNeedVault: needVault, onLate: takeLate,
        onLateChange: () => app.inside?.refresh() });
    app.root.replaceChildren(app.inside.element);
    app.root.hidden = false;
    app.redraw = () => app.inside?.redraw();
    app.inside.route();
    return true;
}

function showClosed() {
    app.uploads.keepOnlyUnsent();
    closeInside();
    showDoor();
    return false;
}

/** A vault has just been opened or made: goes on inside with what was going on before.
 * @param {{answer: Opened, isNew?: boolean, action?: Action | null}} arrival */
async function arrive({ answer, isNew = false, action = null }) {
    const before = { inside: app.inside, guest: app.session?.guest ?? null, anchor: app.inside?.place ?? null };
    const wasGuest = before.inside?.isGuest === true;
    const hasMoved = before.guest !== null && answer.isAsked && !answer.migrationRefused;
    const isGuestLeft = wasGuest && !hasMoved;
    if (isNew) app.setupCode = "";
    app.uploads.claimSpace();
    remember("opened", answer.isByDevice ? "device" : "yes");
    tellTabs("session", { moved: hasMoved });
    try {
        // Where another tab has opened something meanwhile, the guest may have moved into that.
        if (!await enter({ hasMoved: wasGuest && hasMoved && !changes.isStale })) return;
        app.inside?.sayMoved(answer, before.guest);
        sayGuesses(answer.wrongGuesses);
        if (answer.isKeepLost) app.inside?.say({ isGood: false, title: t("keep.lost"), notes: [t("keep.lostNote")] });
        if (wasGuest && hasMoved) await app.inside?.goTo(before.anchor);
    } finally {
        changes.end();
    }
    await settleWaiting(t(isNew && !before.inside ? "new.waitingNote" : "move.waitingNote"));
    if (action) await goOn(action, isGuestLeft);
    if (answer.leadsOn) app.inside?.adding.pick();
}

/** Opens or makes a vault over what is seen, so that a guest moves in, and goes on with `action` afterwards.
 * @param {Action | null} [action] */
function needVault(action = null) {
    app.needed ??= askForNeeded(action).finally(() => {
        app.needed = null;
        app.wanted = null;
    });
    return app.needed;
}

/** @param {Action | null} action */
async function askForNeeded(action) {
    const { askForVault } = await part("vaultForms");
    await Promise.all([refresh(), steppedBack()]);
    if (!app.inside) return;
    app.wanted = action;
    if (app.inside.isGuest && app.session.kind === "vault") {
        await follow();
        return;
    }
    const opened = await askForVault({
        title: action?.title ?? t(app.inside.isGuest ? "unlock.title" : "move.title"),
        guest: app.session.guest ?? null, hello: host.hello, code: app.setupCode,
        open: (fields) => begin(api.openVault, fields), create: (fields) => begin(api.createVault, fields),
    });
    if (opened) await arrive({ ...opened, action });
    // Where another tab closed the dialog, what was wanted goes on from there.
}

// ---- out again

/** `reason` is given where nobody is asked.
 * @param {string | null} [reason] */
async function lock(reason = null) {
    // The vault that is being opened takes the place of this one.
    if (reason && changes.isOpening) return;
    const waiting = app.uploads.queue.unsent;
    const asked = { title: t("lock.title", { n: waiting }), note: t("lock.note"), action: t("nav.lock") };
    if (!reason && waiting > 0 && !await confirm(asked)) return;
    const words = reason ?? t("locked.byYou");
    leave(words);
    try {
        await tellHost("here", words);
    } catch (error) {
        if (!(error instanceof api.Unreachable)) throw error;
        if (!reason && !app.inside) showDoor(t("locked.unreachable"));
    }
    refresh();
}

/** What the door says of the session that is being ended here. Another answer may tell of its end before that one does.
 * @type {string | null} */
let endingWords = null;

const lockEverywhere = () => tellHost("everywhere", t("locked.everywhere"));

/** Ends the session at the host. A refusal stands at the door until the host has said yes. Throws `Unreachable`.
 * @param {"here" | "everywhere"} reach @param {string} words @param {boolean} [isAgain] @returns {Promise<void>} */
async function tellHost(reach, words, isAgain = false) {
    endingWords = words;
    const ending = endSession(reach, isAgain).finally(() => { endingWords = null; });
    app.ended = ending.catch(() => {});
    const refused = await ending;
    leave(words);
    if (!refused) tellTabs("session");
    if (app.inside) return;
    const again = refused?.canRetry ? () => tellHost(reach, words, true) : null;
    if (refused) showDoor(null, { ...refused, again });
    else if (isAgain) showDoor(words);
    else app.outside?.setUpgrade?.(upgradeCard());
}

/** Takes everything of the vault off the page: elements, pictures, names, titles, history. `event` tells other tabs.
 * @param {string} reason @param {string | null} [event] */
function leave(reason, event = "left") {
    if (!app.inside) return;
    if (event) tellTabs(event);
    app.session = { kind: "none", guest: app.inside.isGuest ? null : app.session.guest };
    app.uploads.keepOnlyUnsent();
    closeInside();
    history.replaceState(null, "", location.pathname);
    showDoor(reason);
}

function closeInside() {
    if (!app.inside) return;
    const leaving = app.inside;
    app.inside = null;
    closeAllSheets();
    leaving.dispose();
    dismissToast();
}

// ---- what other tabs of this browser do

/** Another tab of this browser opened or ended something, or an answer shows that it must have: what holds for the browser
 * holds here. `moved` is what that tab said of a guest's photos; the host's answer says it where no tab has yet. `ended`
 * is what other tabs are told where nothing is open any more.
 * @param {{moved?: boolean | null, ended?: string | null}} options @returns {Promise<void>} */
async function follow({ moved = null, ended = null } = {}) {
    const followed = await changes.follow(changes.tell(), () => followNow({ moved, ended }));
    if (!followed || app.inside !== followed.inside) return;
    // From here on other tabs may go on: somebody is asked.
    await settleWaiting(t("move.waitingNote"));
    if (followed.action) await goOn(followed.action, Boolean(app.session.guest));
}

/** Gives what is shown then, and the action that waited in a dialog which this closed; null where nothing goes on.
 * @param {{moved: boolean | null, ended: string | null}} told
 * @returns {Promise<{inside: Inside, action: Action | null} | null>} */
async function followNow(told) {
    if (!app.uploads) return null;
    changes.ask();
    try {
        app.session = await api.session();
    } catch (error) {
        // An answer that says no comes with no event that ends it.
        if (error instanceof api.Unreachable) api.whenReachable().then(() => follow(told));
        else setTimeout(() => follow(told), 2000);
        return null;
    }
    if (app.session.kind === "none") {
        const begun = app.inside?.isGuest && told.ended ? app.wanted : null;
        leave(endedWords(), told.ended);
        app.begun = begun;
        return null;
    }
    if (app.inside?.isGuest && app.session.kind === "guest" && !app.uploads.holds.has("asking")) {
        return { inside: app.inside, action: null };
    }
    const action = app.wanted ?? (told.moved ? app.begun : null);
    app.uploads.hold("opening");
    const hasMoved = told.moved ?? !app.session.guest;
    if (!await enter({ hasMoved: hasMoved && app.inside?.isGuest === true })) return null;
    return { inside: /** @type {Inside} */ (app.inside), action };
}

/** Another tab ends what is open. What is being opened here comes after that. */
function followOut() {
    if (changes.isOpening) follow();
    else {
        changes.tell();
        leave(endedWords(), null);
    }
}

/** @returns {string} */
const endedWords = () => endingWords ?? t(app.inside?.isGuest ? "guest.ended" : "locked.ended");

async function start() {
    app.setupCode = takeSetupCode();
    // On their way while the words come.
    const answers = ask();
    answers.catch(() => {});
    await use(preferredLanguage());
    watchConnection();
    watchVisibleArea();
    api.onSessionEnd(() => {
        // While a guest moves in, an answer to the guest may come from after the move.
        if (!app.inside || changes.isOpening || changes.isFollowing) return;
        // So it may where another tab has moved the guest in and its word is still on the way.
        if (app.inside.isGuest) follow({ ended: "session" });
        else leave(endedWords(), "session");
    });
    window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    window.addEventListener("pagehide", () => { if (app.inside) app.root.hidden = true; });
    window.addEventListener("beforeunload", (event) => {
        if (app.uploads?.queue.uploading > 0) event.preventDefault();
    });
    window.addEventListener("popstate", () => { if (app.outside?.isNewVault) showDoor(); });
    onTabs("session", ({ moved = false }) => follow({ moved }));
    onTabs("left", followOut);
    loadIcons();
    await meet(answers);
    onceIdle(() => {
        keepAwayPage();
        // While a password is typed there is time to fetch the rest.
        for (const coming of [part("vaultForms"), insideParts()]) coming.catch(() => {});
    });
}

/** Who the host is, and who we are. */
const ask = () => Promise.all([api.hello(), api.session()]);

/** Shows what the answers give; goes on by itself when the host answers later. */
async function meet(answers = ask()) {
    try {
        [host.hello, app.session] = await answers;
    } catch (error) {
        app.root.replaceChildren(el("main", { class: "plain" }, el("h1", {}, t("offline.title")),
            el("p", { class: "note" }, t("offline.help"))));
        // An answer that says no, such as from a host that is just starting, comes with no event that ends it.
        if (error instanceof api.Unreachable) {
            api.whenReachable().then(() => meet());
            // The first question may have been asked before anybody watched.
            api.noteReachability(false);
        } else setTimeout(() => meet(), 2000);
        return;
    }
    if (!app.uploads) {
        app.uploads = new Uploads({ fileByteLimit: host.hello.limits?.fileBytes ?? Infinity,
            pieceBytes: host.hello.chunk });
        app.uploads.addEventListener("astray", () => follow());
    }
    if (app.session.kind === "none") {
        showDoor(null, null, { isFresh: true });
        // Whoever comes with a setup code for the first time has one thing to do; Back leads to the door.
        if (app.setupCode && preference("opened", "") === "") showNewVault().catch(() => {});
    } else await enter();
    app.inside?.sayShared();
}

/** Once the page is painted and nothing else is to be done.
 * @param {() => void} run */
function onceIdle(run) {
    if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: 2000 });
    else setTimeout(run, 200);
}

start();
