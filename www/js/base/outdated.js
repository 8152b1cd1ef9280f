// A page that was open while the host was upgraded: the parts that it knows by name are gone.

/** Loads the page again where its parts are gone; then this does not resolve. */
export async function leaveIfOutdated() {
    if (!await isOutdated()) return;
    location.reload();
    await new Promise(() => {});
}

/** Whether the host has been upgraded while this page was open: the parts that it knows are gone then. */
async function isOutdated() {
    const { pathname } = new URL(/** @type {HTMLScriptElement} */ (document.querySelector('script[type="module"]')).src);
    const page = await fetch("./", { cache: "no-store" });
    return page.ok && !(await page.text()).includes(`"${pathname}"`);
}
