// Runs before the first paint, so that a chosen theme never flashes. Everything else is a module.
"use strict";
{
    let theme = "auto";
    try {
        theme = localStorage.getItem("safelight.theme") ?? "auto";
    } catch {
        // Storage may be refused; then the system's theme is used.
    }
    if (theme === "light" || theme === "dark") {
        document.documentElement.dataset.theme = theme;
        /** @type {NodeListOf<HTMLMetaElement>} */
        const metas = document.querySelectorAll('meta[name="theme-color"][data-theme]');
        for (const meta of metas) {
            meta.media = meta.dataset.theme === theme ? "all" : "not all";
        }
    }
}
