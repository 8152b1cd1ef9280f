// A newer version of the host's software that an answer told of, until it is shown: in this tab alone.
import * as api from "./api.js";
import { preference } from "./browser.js";

const name = "safelight.upgrade";

/** Takes up what an answer carried; what this browser has skipped is told to the vault, while it is open.
 * @param {Upgrade | null | undefined} upgrade @param {{isOpen?: boolean}} options */
export function noteUpgrade(upgrade, { isOpen = false } = {}) {
    if (!upgrade) return;
    if (preference("skipped", "") === upgrade.version) {
        if (isOpen) api.skipUpgrade(upgrade.version).catch(() => {});
        return;
    }
    try {
        sessionStorage.setItem(name, JSON.stringify(upgrade));
    } catch {
        // Storage may be refused; then the host reminds again another time.
    }
}

/** What is to be told, or null.
 * @returns {Upgrade | null} */
export function noted() {
    try {
        return JSON.parse(sessionStorage.getItem(name) ?? "null");
    } catch {
        return null;
    }
}

export function forget() {
    try {
        sessionStorage.removeItem(name);
    } catch {
        // Nothing was stored either.
    }
}
