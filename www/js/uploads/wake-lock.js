// Keeps the screen on while files are being sent or photos shown by themselves, where the browser offers it (secure pages only).

/** @type {EventTarget & {release: () => Promise<void>} | null} */
let lock = null;
/**
 * Who wants it.
 * @type {Set<string>}
 */
const wanted = new Set();

/**
 * @param {boolean} on
 * @param {string} [reason]
 */
export async function keepAwake(on, reason = "sending") {
    if (on) wanted.add(reason);
    else wanted.delete(reason);
    await follow();
}

async function follow() {
    if (wanted.size === 0) {
        await lock?.release().catch(() => {});
        lock = null;
        return;
    }
    const { wakeLock } = /** @type {any} */ (navigator);
    if (lock || document.visibilityState !== "visible" || !wakeLock) return;
    try {
        lock = await wakeLock.request("screen");
        lock?.addEventListener("release", () => { lock = null; });
        if (wanted.size === 0) await follow();
    } catch {
        // Refused, for example on low battery; the words on the page say what to do.
    }
}

document.addEventListener("visibilitychange", () => { if (wanted.size > 0) follow(); });
