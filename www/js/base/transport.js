// What the address of this page says about the way to the host.

export function isEncrypted() {
    return location.protocol === "https:";
}

/** @param {string} [name] */
export function isLoopback(name = location.hostname) {
    return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(name) || name.endsWith(".localhost");
}

/** True where a password typed here could be read on the way. */
export function isReadableByOthers() {
    return !isEncrypted() && !isLoopback();
}

/**
 * The same page of the same host over TLS, which answers on the same port; `fragment` may carry a setup code, or that of a
 * door.
 * @param {string} [fragment]
 * @returns {string}
 */
export function secureAddress(fragment = "") {
    return `https://${location.host}/${location.pathname.endsWith("/give/") ? "give/" : ""}${fragment}`;
}
