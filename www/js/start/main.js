// The page's start: who the host is, who we are, and what the window and other tabs tell from then on.
import * as api from "../base/api.js";
import { el, loadIcons } from "../base/dom.js";
import { host, keepAwayPage, onTabs, preference } from "../base/browser.js";
import { preferredLanguage, t, use } from "../base/i18n.js";
import { insideParts, part } from "../base/parts.js";
import { Uploads } from "../uploads/upload.js";
import { app } from "./app.js";
import { changes } from "./changes.js";
import { watchConnection } from "./connection.js";
import { endedWords, enter, follow, followOut, leave, showDoor, showNewVault } from "./states.js";

// How much of the window a keyboard leaves: a sheet at its lower edge would else lie under the keyboard.

/** Keeps `--shown` (height) and `--covered` (what is hidden below) up to date, where the browser tells. */
function watchVisibleArea() {
    const { visualViewport: area } = window;
    if (!area) return;
    const update = () => {
        const { style } = document.documentElement;
        // Somebody who has zoomed in looks at a part, and nothing is covered.
        const isZoomed = area.scale > 1.01;
        const covered = Math.max(0, innerHeight - area.height - area.offsetTop);
        if (isZoomed || covered < 1) {
            style.removeProperty("--shown");
            style.removeProperty("--covered");
            return;
        }
        style.setProperty("--shown", `${area.height}px`);
        style.setProperty("--covered", `${covered}px`);
    };
    area.addEventListener("resize", update);
    area.addEventListener("scroll", update);
}

async function start() {
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
