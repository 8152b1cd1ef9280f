// What happens to the session and the vault elsewhere: a lock, photos that another device has sent, or is sending.
import * as api from "../base/api.js";
import { onTabs, tellTabs } from "../base/tabs.js";

/** Milliseconds between questions while the page is in sight. */
const pause = 3000;
/** More of them for a tab that has heard of an answer: who asked asks again, unless it is gone. */
const deference = 700;

/**
 * Asks the host while the page is in sight, and at once when somebody comes back to it. `onNews(session)` gets each
 * answer. Of several tabs of a browser one asks for all: the browser has few connections to a host.
 * @param {{signal: AbortSignal, onNews?: (session: Session) => void}} options
 */
export function watchSession({ signal, onNews = () => {} }) {
    /** @type {ReturnType<typeof setTimeout> | null} */
    let timer = null;
    /** @type {Promise<Session | null> | null} */
    let asking = null;
    /** @param {number} [wait] */
    const later = (wait = pause) => {
        clearTimeout(timer);
        if (!signal.aborted) timer = setTimeout(ask, wait);
    };
    const ask = async () => {
        clearTimeout(timer);
        if (signal.aborted || document.visibilityState !== "visible") return;
        asking ??= confirmSession();
        const session = await asking;
        asking = null;
        later();
        if (signal.aborted || !session || session.kind === "none") return;
        tellTabs("news", { session });
        onNews(session);
    };
    onTabs("news", ({ session }) => {
        if (document.visibilityState !== "visible") return;
        later(pause + deference * (1 + Math.random()));
        onNews(session);
    }, { signal });
    signal.addEventListener("abort", () => clearTimeout(timer));
    document.addEventListener("visibilitychange", ask, { signal });
    window.addEventListener("focus", ask, { signal });
    later();
}

/**
 * Tells whoever listens when there is no session any more; gives it, or null without an answer: what is shown stays
 * then, and the banner about the connection says why.
 * @returns {Promise<Session | null>}
 */
export async function confirmSession() {
    try {
        const session = await api.session();
        if (session.kind === "none") api.noteSessionEnd();
        return session;
    } catch {
        return null;
    }
}
