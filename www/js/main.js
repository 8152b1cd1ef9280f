// The page's states: starting, at the door, inside. What is inside leaves nothing behind when it is locked.
import * as api from "./api.js";
import { watchConnection } from "./connection.js";
import { closeAllSheets, confirm } from "./dialog.js";
import { doorScreen } from "./door.js";
import { el } from "./dom.js";
import { preferredLanguage, t, use } from "./i18n.js";
import { newVaultScreen } from "./new-vault.js";
import { dismissToast } from "./toast.js";
import { loadIcons } from "./icons.js";
import { Uploads } from "./upload.js";

const root = document.getElementById("app");
let hello = null;
let uploads = null;
let inside = null;
/** Draws the present screen again, in another language. */
let redraw = () => {};
let setupCode = takeSetupCode();

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
    api.onSessionEnd(() => { if (inside) leave(t("locked.ended")); });
    window.addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
    window.addEventListener("pagehide", () => { if (inside) root.hidden = true; });
    window.addEventListener("beforeunload", (event) => { if (uploads?.queue.uploading > 0) event.preventDefault(); });
    await meet();
}

/** Asks the host who it is; goes on by itself when it answers later. */
async function meet() {
    try {
        hello = await api.hello();
    } catch {
        root.replaceChildren(el("main", { class: "plain" }, el("h1", {}, t("offline.title")),
            el("p", { class: "note" }, t("offline.help"))));
        api.onReachability((reachable) => { if (reachable && !hello) meet(); });
        return;
    }
    uploads = new Uploads({ fileByteLimit: hello.limits?.fileBytes ?? Infinity });
    if (hello.session === "vault") await enter();
    else showDoor();
    // While a password is typed there is time to fetch the rest.
    import("./inside.js").catch(() => {});
}

function show(screen) {
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

function showDoor(reason = null) {
    // Whether a setup code is asked for may change while the page stays open.
    api.hello().then((answer) => { hello = answer; }, () => {});
    redraw = () => showDoor(reason);
    show(doorScreen({
        reason, waiting: uploads.queue.unsent, code: setupCode, onLanguage: changeLanguage,
        onOpen: () => enter(), onCreate: showNewVault, onForget: () => { uploads.reset(); showDoor(reason); },
    }));
}

function showNewVault() {
    redraw = showNewVault;
    show(newVaultScreen({
        hello, code: setupCode, onLanguage: changeLanguage, onBack: () => showDoor(), onCreated: enterNew,
    }));
}

async function enterNew() {
    setupCode = "";
    await enter({ isNew: true });
}

async function enter({ isNew = false } = {}) {
    let session;
    try {
        session = await api.session();
    } catch {
        showDoor();
        return;
    }
    if (session.kind !== "vault") {
        showDoor();
        return;
    }
    const { Inside } = await import("./inside.js");
    inside = new Inside({ session, hello, uploads, onLeave: leave, onLock: lock, onLanguage: changeLanguage });
    root.replaceChildren(inside.element);
    root.hidden = false;
    redraw = () => inside.redraw();
    inside.route();
    if (isNew && uploads.queue.unsent > 0 && !await confirm({ title: t("door.waiting", { n: uploads.queue.unsent }),
        note: t("new.waitingNote"), action: t("new.addThem") })) uploads.reset();
    uploads.release("locked");
}

async function lock() {
    const waiting = uploads.queue.unsent;
    const asked = { title: t("lock.title", { n: waiting }), note: t("lock.note"), action: t("nav.lock") };
    if (waiting > 0 && !await confirm(asked)) return;
    leave(t("locked.byYou"));
    try {
        await api.lock();
    } catch (error) {
        if (error instanceof api.Unreachable) showDoor(t("locked.unreachable"));
    }
}

/** Takes everything of the vault off the page: elements, pictures, names, titles, history. */
function leave(reason) {
    if (!inside) return;
    const leaving = inside;
    inside = null;
    uploads.keepOnlyUnsent();
    closeAllSheets();
    leaving.dispose();
    dismissToast();
    history.replaceState(null, "", location.pathname);
    showDoor(reason);
}

start();
