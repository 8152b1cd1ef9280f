// The other tabs of this browser: cookies are theirs too, so what is opened or locked here is so there.

const channel = "BroadcastChannel" in window ? new BroadcastChannel("safelight") : null;

/**
 * `session`: another session holds from now on; `moved` is true when it has everything that the one before had.
 * `used`: somebody works in this tab. `renewed`: the vault has another key, and is not kept open any more.
 */
export function tellTabs(event, detail = {}) {
    channel?.postMessage({ event, ...detail });
}

export function onTabs(event, listener, options = {}) {
    channel?.addEventListener("message", ({ data }) => { if (data?.event === event) listener(data); }, options);
}
