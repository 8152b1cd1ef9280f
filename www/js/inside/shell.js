// The frame inside a vault: bar, rail or sidebar; the header of a screen; room for uploads.
import * as api from "../base/api.js";
import { leaveScreen, onTabs, tellTabs } from "../base/browser.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";
import { lamp, wordmark } from "../elements/pieces.js";

export class Shell {
    /** For a guest `onOpen` stands where a vault has `onLock`.
     * @param {{onAdd: () => void, onLock: () => void, onOpen?: (() => void) | null}} options */
    constructor({ onAdd, onLock, onOpen = null }) {
        /** @type {Map<string, HTMLElement>} */
        this.links = new Map();
        /** @param {string} name @param {string} path */
        const link = (name, path) => {
            /** @type {HTMLElement} */
            const element = el("a", { class: "n", href: path, "data-drop": name === "albums", onclick: () => this.again(element) },
                icon(name === "recent" ? "clock" : name), el("span", {}, t(`nav.${name}`)));
            this.links.set(name, element);
            return element;
        };
        this.nav = el("nav", { class: "nav", "aria-label": t("nav.label") },
            el("a", { class: "nav-brand", href: "#/photos", "aria-label": t("nav.brand") }, lamp(),
                el("span", { class: "nav-word" }, wordmark())),
            link("photos", "#/photos"), link("recent", "#/recent"), link("albums", "#/albums"),
            el("button", { class: "n-add", type: "button", "aria-label": t("add"), onclick: onAdd }, icon("add")),
            el("span", { class: "nav-free" }),
            onOpen
                ? el("button", { class: "n", type: "button", onclick: onOpen }, icon("key"), el("span", {}, t("nav.open")))
                : el("button", { class: "n", type: "button", onclick: onLock }, icon("lock"),
                    el("span", {}, t("nav.lock"))),
            link("settings", "#/settings"));
        this.main = el("main", { id: "main", tabindex: "-1" });
        this.skip = el("button", { class: "skip", type: "button", onclick: () => this.main.focus() }, t("skip"));
        this.element = el("div", { class: "shell" }, this.skip, this.nav, this.main);
    }

    /** Whoever is there already comes to its beginning.
     * @param {HTMLElement} link */
    again(link) {
        if (link.hasAttribute("aria-current")) window.scrollTo(0, 0);
    }

    /** Shows one screen: `{element, dispose}`; marks its place in the navigation, which may be the way to it.
     * @param {string} name @param {InsideScreen} screen */
    show(name, screen) {
        const place = this.links.has(name) ? name : name === "places" || name.startsWith("album/") ? "albums"
            : ["results", "similar"].includes(name) ? "photos" : "settings";
        for (const [key, link] of this.links) {
            if (key === place) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
        this.main.replaceChildren(screen.element);
    }
}

/** The header of a screen: its title and what can be done.
 * @param {string | Node} title @param {...Node} actions @returns {HTMLElement} */
export function screenHead(title, ...actions) {
    return el("header", { class: "top" }, lamp(), el("h1", { tabindex: "-1" }, title), ...actions);
}

/** The arrow that leads back to where somebody was; `address` where that is not known.
 * @param {string} address */
export function backLink(address) {
    return el("a", { class: "round", href: address, "aria-label": t("back"),
        onclick: (event) => { if (leaveScreen()) event.preventDefault(); } }, icon("left"));
}

// What happens to the session and the vault elsewhere: a lock, photos that another device has sent, or is sending.

/** Milliseconds between questions while the page is in sight. */
const pause = 3000;
/** More of them for a tab that has heard of an answer: who asked asks again, unless it is gone. */
const deference = 700;

/** Asks the host while the page is in sight, and at once when somebody comes back to it. `onNews(session)` gets each
 * answer. Of several tabs of a browser one asks for all: the browser has few connections to a host.
 * @param {{signal: AbortSignal, onNews?: (session: Session) => void}} options */
export function watchSession({ signal, onNews = () => {} }) {
    /** @type {ReturnType<typeof setTimeout> | null} */ let timer = null;
    /** @type {Promise<Session | null> | null} */ let asking = null;
    /** @param {number} [wait] */
    const later = (wait = pause) => {
        clearTimeout(timer);
        if (!signal.aborted) timer = setTimeout(ask, wait);
    };
    const ask = async () => {
        clearTimeout(timer);
        if (signal.aborted || document.visibilityState !== "visible") return;
        asking ??= api.confirmSession();
        const session = await asking;
        asking = null;
        later();
        if (signal.aborted || !session || session.kind === "none") return;
        tellTabs("news", { session });
        onNews(session);
    };
    onTabs("news", ({ session }) => {
        if (document.visibilityState !== "visible") return;
        later(pause + deference * (1 + Math.random()));
        onNews(session);
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(timer));
    document.addEventListener("visibilitychange", ask, { signal });
    window.addEventListener("focus", ask, { signal });
    later();
}
