// Keeps the screen on while files are being sent, where the browser offers it (secure pages only).

/** @type {EventTarget & {release: () => Promise<void>} | null} */
let lock = null;
let wanted = false;

/** @param {boolean} on */
export async function keepAwake(on) {
    wanted = on;
    if (!on) {
        await lock?.release().catch(() => {});
        lock = null;
        return;
    }
    const { wakeLock } = /** @type {any} */ (navigator);
    if (lock || document.visibilityState !== "visible" || !wakeLock) return;
    try {
        lock = await wakeLock.request("screen");
        lock?.addEventListener("release", () => { lock = null; });
        if (!wanted) await keepAwake(false);
    } catch {
        // Refused, for example on low battery; the words on the page say what to do.
    }
}

document.addEventListener("visibilitychange", () => { if (wanted) keepAwake(true); });
