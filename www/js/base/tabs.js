// The other tabs of this browser: cookies are theirs too, so what is opened or locked here is so there.

const channel = "BroadcastChannel" in window ? new BroadcastChannel("safelight") : null;

/**
 * `session`: another session may hold from now on; `moved` is true when a guest's space has moved into it. `left`: what
 * was open is being ended; nothing of it stays on the screen, whatever the host says.
 * `used`: somebody works in this tab. `renewed`: the vault has another key, and is not kept open any more.
 * @param {string} event
 * @param {object} [detail]
 */
export function tellTabs(event, detail = {}) {
    channel?.postMessage({ event, ...detail });
}

/**
 * @param {string} event
 * @param {(data: any) => void} listener
 * @param {AddEventListenerOptions} [options]
 */
export function onTabs(event, listener, options = {}) {
    channel?.addEventListener("message", ({ data }) => { if (data?.event === event) listener(data); }, options);
}
