// The reminder of a newer version of the host's software: only at the end of something, never in the way.
import * as api from "../base/api.js";
import { forgetUpgrade, notedUpgrade, remember } from "../base/browser.js";
import { el, icon } from "../base/dom.js";
import { t } from "../base/i18n.js";

/** A quiet card, or null when there is nothing to say. `isOpen`: a vault is open that can remember what is skipped.
 * @param {{isOpen?: boolean}} options @returns {HTMLElement | null} */
export function upgradeCard({ isOpen = false } = {}) {
    const upgrade = notedUpgrade();
    if (!upgrade) return null;
    const end = () => {
        forgetUpgrade();
        element.remove();
    };
    const skip = () => {
        remember("skipped", upgrade.version);
        if (isOpen) api.skipUpgrade(upgrade.version).catch(() => {});
        end();
    };
    const element = el("section", { class: "notice upgrade", "aria-label": t("upgrade.label") }, icon("info"),
        el("div", {}, el("p", {}, el("strong", {}, newsOf(upgrade)), t("space"), t("upgrade.note")),
            el("p", { class: "upgrade-ways" },
                pageOf(upgrade),
                el("button", { class: "link", type: "button", onclick: end }, t("upgrade.later")),
                el("button", { class: "link", type: "button", onclick: skip }, t("upgrade.skip")))));
    return element;
}

/** @param {Upgrade} upgrade */
export const newsOf = (upgrade) => t(upgrade.needed ? "upgrade.needed" : "upgrade.title", { version: upgrade.version });

/** @param {Upgrade} upgrade @returns {HTMLElement} */
export const pageOf = (upgrade, look = "link") =>
    el("a", { class: look, href: upgrade.page, target: "_blank", rel: "noopener noreferrer" }, t("upgrade.news"));
