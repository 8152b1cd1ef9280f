// Whether this browser trusts the host's certificate already: then nobody needs to read about certificates.
/**
 * A request over TLS succeeds only when the browser accepts the certificate without asking anybody.
 * @returns {Promise<boolean>}
 */
export async function isTrusted() {
    try {
        await fetch(new URL("connect/secure", `https://${location.host}`), { mode: "no-cors", cache: "no-store", credentials: "omit" });
        return true;
    } catch {
        return false;
    }
}
