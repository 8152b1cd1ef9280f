// The frame inside a vault: bar, rail or sidebar; the header of a screen; room for uploads.
import { lamp, wordmark } from "./brand.js";
import { el, icon } from "./dom.js";
import { t } from "./i18n.js";

export class Shell {
    /** For a guest `onOpen` stands where a vault has `onLock`. */
    constructor({ onAdd, onLock, onOpen = null }) {
        this.links = new Map();
        const link = (name, path) => {
            const element = el("a", { class: "n", href: path }, icon(name === "deleted" ? "bin" : name),
                el("span", {}, t(`nav.${name}`)));
            this.links.set(name, element);
            return element;
        };
        this.nav = el("nav", { class: "nav", "aria-label": t("nav.label") },
            el("a", { class: "nav-brand", href: "#/photos", "aria-label": t("nav.brand") }, lamp(),
                el("span", { class: "nav-word" }, wordmark())),
            link("photos", "#/photos"), link("deleted", "#/deleted"),
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

    /** Shows one screen: `{element, dispose}`; marks its place in the navigation. */
    show(name, screen) {
        for (const [key, link] of this.links) {
            if (key === name) link.setAttribute("aria-current", "page");
            else link.removeAttribute("aria-current");
        }
        this.main.replaceChildren(screen.element);
    }
}

/** The header of a screen: its title and what can be done. */
export function screenHead(title, ...actions) {
    return el("header", { class: "top" }, lamp(), el("h1", { tabindex: "-1" }, title), ...actions);
}
