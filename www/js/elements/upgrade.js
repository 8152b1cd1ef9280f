// The reminder of a newer version of the host's software: only at the end of something, never in the way.
import * as api from "../base/api.js";
import { el, icon } from "../base/dom.js";
import { host, remember } from "../base/browser.js";
import { t } from "../base/i18n.js";
import { forget, noted } from "../base/upgrade-noted.js";

/** Whether the host runs that version, or a later one, by now.
 * @param {string} version @param {string} [running] */
export function isThere(version, running = "0") {
    return running.localeCompare(version, "en", { numeric: true }) >= 0;
}

/** A quiet card, or null when there is nothing to say. `isOpen`: a vault is open that can remember what is skipped.
 * @param {{isOpen?: boolean}} options @returns {HTMLElement | null} */
export function upgradeCard({ isOpen = false } = {}) {
    const upgrade = noted();
    if (!upgrade) return null;
    if (isThere(upgrade.version, host.hello?.version)) {
        forget();
        return null;
    }
    const end = () => {
        forget();
        element.remove();
    };
    const skip = () => {
        remember("skipped", upgrade.version);
        if (isOpen) api.skipUpgrade(upgrade.version).catch(() => {});
        end();
    };
    const words = t(upgrade.needed ? "upgrade.needed" : "upgrade.title", { version: upgrade.version });
    const element = el("section", { class: "notice upgrade", "aria-label": t("upgrade.label") }, icon("info"),
        el("div", {}, el("p", {}, el("strong", {}, words), t("space"), t("upgrade.note")),
            el("p", { class: "upgrade-ways" },
                el("a", { class: "link", href: upgrade.page, target: "_blank", rel: "noopener noreferrer" },
                    t("upgrade.news")),
                el("button", { class: "link", type: "button", onclick: end }, t("upgrade.later")),
                el("button", { class: "link", type: "button", onclick: skip }, t("upgrade.skip")))));
    return element;
}
