// A session may end elsewhere, by "lock everywhere" for instance: then its pictures leave this screen, too.
import * as api from "./api.js";

const pause = 60_000;

/** Asks the host while the page is in sight: once a minute, and whenever somebody comes back to it. */
export function watchSession({ signal }) {
    let last = Date.now();
    const ask = () => {
        if (document.visibilityState !== "visible") return;
        last = Date.now();
        confirmSession();
    };
    const timer = setInterval(ask, pause);
    signal.addEventListener("abort", () => clearInterval(timer));
    document.addEventListener("visibilitychange", ask, { signal });
    window.addEventListener("focus", () => { if (Date.now() - last > 1000) ask(); }, { signal });
}

/** Tells whoever listens when there is no session any more. Without an answer, what is shown stays. */
export async function confirmSession() {
    try {
        if ((await api.session()).kind === "none") api.noteSessionEnd();
    } catch {
        // The banner about the connection says it.
    }
}
