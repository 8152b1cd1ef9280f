// Keeps the screen on while files are being sent, where the browser offers it (secure pages only).

let lock = null;
let wanted = false;

export async function keepAwake(on) {
    wanted = on;
    if (!on) {
        await lock?.release().catch(() => {});
        lock = null;
        return;
    }
    if (lock || document.visibilityState !== "visible" || !navigator.wakeLock) return;
    try {
        lock = await navigator.wakeLock.request("screen");
        lock.addEventListener("release", () => { lock = null; });
        if (!wanted) await keepAwake(false);
    } catch {
        // Refused, for example on low battery; the words on the page say what to do.
    }
}

document.addEventListener("visibilitychange", () => { if (wanted) keepAwake(true); });
