// What is shown while nothing is open: the door, and the form for a new vault.
import * as api from "../base/api.js";
import { app } from "./app.js";
import { doorScreen } from "../door/door.js";
import { enter } from "./entering.js";
import { t, use } from "../base/i18n.js";
import { arrive, begin, settleWaiting } from "./opening.js";
import { part } from "../base/parts.js";
import { preference } from "../base/preferences.js";
import { tellTabs } from "../base/tabs.js";
import { upgradeCard } from "../elements/upgrade.js";

function show(screen) {
    app.outside?.dispose?.();
    app.outside = screen;
    app.root.replaceChildren(screen.element);
    app.root.hidden = false;
    document.title = `${screen.title} · Safelight`;
    window.scrollTo(0, 0);
    screen.focus?.focus();
}

export async function changeLanguage(chosen) {
    await use(chosen, { store: true });
    app.redraw();
}

/** Both may change while the page stays open: whether a setup code is asked for, and what a guest has. */
export async function refresh() {
    const screen = app.outside;
    try {
        [app.hello, app.session] = await Promise.all([api.hello(), api.session()]);
    } catch {
        return;
    }
    if (screen === app.outside) screen?.setGuest?.(app.session.guest ?? null);
}

/** `isFresh`: what the host says of itself and of us was asked a moment ago. */
export function showDoor(reason = null, refusal = null, { isFresh = false } = {}) {
    app.redraw = () => showDoor(reason, refusal);
    show(doorScreen({
        reason: refusal?.title ?? reason, refusal, isKnown: preference("opened", "") !== "",
        // Whoever has just locked it does not want to be asked at once whether to open it.
        isByDevice: preference("opened", "") === "device", isOffered: reason === null,
        waiting: app.uploads.queue.unsent, isChosen: app.uploads.isOfNoPlace,
        code: app.setupCode, guest: app.session?.guest ?? null,
        guests: app.hello.guests === true, upgrade: upgradeCard(), onLanguage: changeLanguage,
        open: (fields) => begin(api.openVault, fields), onOpened: (answer) => arrive({ answer }),
        onCreate: showNewVault, onStart: startAsGuest,
        onForget: () => { app.uploads.reset(); showDoor(reason); },
    }));
    // Where that part does not come, it is asked for again when something is opened.
    takeFiles(app.outside).catch(() => {});
    if (!isFresh) refresh();
}

/** Files may come to the door, too: chosen there, dropped or pasted. They wait for what is opened. */
async function takeFiles(screen) {
    // The door itself is there first.
    await new Promise((resolve) => {
        if (window.requestIdleCallback) requestIdleCallback(resolve, { timeout: 2000 });
        else setTimeout(resolve, 200);
    });
    const { Adding } = await part("inside");
    if (app.outside !== screen) return;
    const onFiles = (files) => {
        if (app.outside !== screen && app.inside) {
            app.inside.add(files);
            return;
        }
        app.uploads.addOutside(files);
        screen.setWaiting(app.uploads.queue.unsent, app.uploads.isOfNoPlace);
    };
    const adding = new Adding({ onFiles, onUnread: () => {}, isGuest: true });
    screen.element.append(adding.element, adding.overlay);
    screen.setChooser(() => adding.photos.click());
    const { dispose } = screen;
    screen.dispose = () => {
        dispose();
        adding.dispose();
    };
}

/** What was chosen in what was closed meanwhile waits at the door, as what is chosen there. */
export function takeLate(files) {
    if (app.inside) {
        app.uploads.addStrange(files);
        return;
    }
    app.uploads.addOutside(files);
    app.outside?.setWaiting?.(app.uploads.queue.unsent, app.uploads.isOfNoPlace);
}

/** A place of its own in the history, so that "Back" leads to the door and not away. */
async function showNewVault() {
    const door = app.outside;
    const { newVaultScreen } = await part("vaultForms");
    if (app.outside !== door) return;
    history.pushState({ newVault: true }, "", location.pathname);
    drawNewVault(newVaultScreen);
}

function drawNewVault(newVaultScreen) {
    app.redraw = () => drawNewVault(newVaultScreen);
    show({ isNewVault: true, ...newVaultScreen({
        hello: app.hello, code: app.setupCode, guest: app.session?.guest ?? null,
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
