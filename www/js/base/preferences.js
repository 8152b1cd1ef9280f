// What this browser remembers: language, theme, grid or list, and what somebody who gives at doors calls themselves. Never
// the name of anything in a vault, an id or a password.

const prefix = "safelight.";

/**
 * @param {string} name
 * @param {string} fallback
 * @returns {string}
 */
export function preference(name, fallback) {
    try {
        return localStorage.getItem(prefix + name) ?? fallback;
    } catch {
        return fallback;
    }
}

/**
 * @param {string} name
 * @param {string} value
 */
export function remember(name, value) {
    try {
        localStorage.setItem(prefix + name, value);
    } catch {
        // Storage may be refused; the choice then lasts as long as the page.
    }
}

/**
 * `auto`, `light` or `dark`; early.js applies the same choice before the first paint.
 * @param {string} theme
 */
export function applyTheme(theme) {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    // The frame of the browser, which knows the system's choice alone.
    /** @type {NodeListOf<HTMLMetaElement>} */
    const metas = document.querySelectorAll('meta[name="theme-color"][data-theme]');
    for (const meta of metas) {
        const own = `(prefers-color-scheme: ${meta.dataset.theme})`;
        meta.media = theme === "auto" ? own : meta.dataset.theme === theme ? "all" : "not all";
    }
}
