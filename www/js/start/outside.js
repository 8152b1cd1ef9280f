// What is shown while nothing is open: a screen outside, in the chosen language, which takes files.
import * as api from "../base/api.js";
import { app } from "./app.js";
import { host } from "../base/host.js";
import { use } from "../base/i18n.js";
import { part } from "../base/parts.js";

/** @param {OutsideScreen} screen */
export function showOutside(screen) {
    app.outside?.dispose?.();
    app.outside = screen;
    app.root.replaceChildren(screen.element);
    app.root.hidden = false;
    document.title = `${screen.title} · Safelight`;
    window.scrollTo(0, 0);
    screen.focus?.focus();
}

/** @param {string} chosen */
export async function changeLanguage(chosen) {
    await use(chosen, { store: true });
    app.redraw();
}

/** Both may change while the page stays open: whether a setup code is asked for, and what a guest has. */
export async function refresh() {
    const screen = app.outside;
    try {
        [host.hello, app.session] = await Promise.all([api.hello(), api.session()]);
    } catch {
        return;
    }
    if (screen === app.outside) screen?.setGuest?.(app.session.guest ?? null);
}

/**
 * Files may come to the door, too: chosen there, dropped or pasted. They wait for what is opened.
 * @param {OutsideScreen} screen
 */
export async function takeFiles(screen) {
    // The door itself is there first.
    await new Promise((resolve) => {
        if ("requestIdleCallback" in window) requestIdleCallback(resolve, { timeout: 2000 });
        else setTimeout(resolve, 200);
    });
    const { Adding } = await part("inside");
    if (app.outside !== screen) return;
    /** @param {File[]} files */
    const onFiles = (files) => {
        if (app.outside !== screen && app.inside) {
            app.inside.add(files);
            return;
        }
        app.uploads.addOutside(files);
        screen.setWaiting?.(app.uploads.queue.unsent, app.uploads.isOfNoPlace);
    };
    const adding = new Adding({ onFiles, onUnread: () => {}, isGuest: true });
    screen.element.append(adding.element, adding.overlay);
    screen.setChooser?.(() => adding.photos.click());
    const { dispose } = screen;
    screen.dispose = () => {
        dispose?.();
        adding.dispose();
    };
}

/**
 * What was chosen in what was closed meanwhile waits at the door, as what is chosen there.
 * @param {File[]} files
 */
export function takeLate(files) {
    if (app.inside) {
        app.uploads.addStrange(files);
        return;
    }
    app.uploads.addOutside(files);
    app.outside?.setWaiting?.(app.uploads.queue.unsent, app.uploads.isOfNoPlace);
}
