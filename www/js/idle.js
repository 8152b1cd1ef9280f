// Locks the page when the host will have locked the vault: no photo stays on the screen of somebody who went away.
import * as api from "./api.js";

const keepAlive = 60_000;

/**
 * Calls `onIdle` after `seconds` without a request. A person at work and an upload that moves (`isBusy()`) keep the
 * session alive. Returns a function that stops the watch.
 */
export function watchIdle(seconds, { isBusy, onIdle }) {
    const listeners = new AbortController();
    const active = () => {
        if (api.sinceLastUse() < Math.min(keepAlive, seconds * 250)) return;
        api.noteUse();
        api.session().catch(() => {});
    };
    const check = setInterval(() => {
        if (isBusy()) active();
        else if (api.sinceLastUse() > seconds * 1000) onIdle();
    }, 1000);
    for (const name of ["pointerdown", "keydown", "scroll", "wheel"]) {
        window.addEventListener(name, active, { passive: true, signal: listeners.signal });
    }
    return () => {
        clearInterval(check);
        listeners.abort();
    };
}
